//! Properties of a row, and functions whose several outputs are rows.

use super::algebra::Algebra;
use super::row::Row;
use super::table::{Op, ROWS};
use crate::dtype::DType;
use crate::scalar::Weak;
use std::fmt;

/// A NumPy function with several outputs, each of them a row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MultiOutput {
    /// NumPy's name.
    pub name: &'static str,
    /// The row of each output, in order; all take the same operands.
    pub outputs: &'static [Op],
}

/// The functions with several outputs.
pub const MULTI_OUTPUT: &[MultiOutput] = &[
    MultiOutput { name: "divmod", outputs: &[Op::FloorDivide, Op::Remainder] },
    MultiOutput { name: "modf", outputs: &[Op::ModfFractional, Op::ModfIntegral] },
    MultiOutput { name: "frexp", outputs: &[Op::FrexpMantissa, Op::FrexpExponent] },
];

impl Op {
    /// The row of the table.
    pub const fn row(self) -> &'static Row {
        const TABLE: &[Row] = &ROWS;
        &TABLE[self as usize]
    }

    /// NumPy's name, such as `add`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The operation of the given name or alias.
    pub fn from_name(name: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.name() == name || op.row().aliases.contains(&name))
    }

    /// The number of operands, 1 or 2.
    pub const fn arity(self) -> usize {
        self.row().arity
    }

    /// How the operation treats partial values.
    pub const fn algebra(self) -> Algebra {
        self.row().algebra
    }

    /// The cost of one element, in additions.
    pub const fn flops(self) -> u32 {
        self.row().flops
    }

    /// Largest error over all dtypes, in units in the last place.
    pub const fn ulp(self) -> u32 {
        let row = self.row();
        if row.ulp > row.complex_ulp { row.ulp } else { row.complex_ulp }
    }

    /// Largest error for operands of this dtype, in units in the last place; for complex operands,
    /// those of the larger component of the result.
    pub const fn ulp_for(self, operands: DType) -> u32 {
        if operands.is_complex() { self.row().complex_ulp } else { self.row().ulp }
    }

    /// The identity of a reduction with the operation.
    pub const fn identity(self) -> Option<Weak> {
        self.row().identity
    }

    /// Whether the operation compares two operands.
    pub const fn is_comparison(self) -> bool {
        matches!(
            self,
            Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual
        )
    }

    /// Whether the operands are truth values (`logical_and` and similar).
    pub const fn is_logical(self) -> bool {
        matches!(self, Op::LogicalAnd | Op::LogicalOr | Op::LogicalXor | Op::LogicalNot)
    }

    /// Whether the grouping of the elements of a combination changes at most the rounding and the
    /// overflow of the result, and the sign of a zero: `f(f(x, y), z) = f(x, f(y, z))`. The order
    /// of the elements does not matter either.
    pub const fn is_associative(self) -> bool {
        matches!(
            self,
            Op::Add
                | Op::Multiply
                | Op::Maximum
                | Op::Minimum
                | Op::Fmax
                | Op::Fmin
                | Op::LogicalAnd
                | Op::LogicalOr
                | Op::LogicalXor
                | Op::BitwiseAnd
                | Op::BitwiseOr
                | Op::BitwiseXor
                | Op::LogAddExp
                | Op::LogAddExp2
        )
    }

    /// Whether elements of a dtype may be combined in another order than from left to right: if the
    /// operation is associative and wide enough. Rounding in half types loses too much.
    pub const fn is_free(self, dtype: DType) -> bool {
        let is_exact = matches!(self, Op::Maximum | Op::Minimum | Op::Fmax | Op::Fmin);
        self.is_associative() && (is_exact || !matches!(dtype, DType::F16 | DType::BF16))
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
