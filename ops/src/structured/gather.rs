//! Reading and writing at positions: `i64` below the extent of the axis, from 0 (for `Take`, from
//! minus the extent). A position outside reads the nearest element and writes nothing.

use super::record::{Operand, Record};
use super::{Follow, Rule, Work};
use crate::{Bytes, DType, Op, Shape, Signature};

/// The elements at positions of an axis: operands (table, positions); `positions` is a vector.
/// `y[…, k, …] = table[…, positions[k], …]`, where negative positions count from the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Take {
    /// The axis.
    pub axis: u8,
}

/// NumPy's `take_along_axis`: operands (table, positions) whose shapes differ only in the axis.
/// `y[…, k, …] = table[…, positions[…, k, …], …]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TakeAlong {
    /// The axis.
    pub axis: u8,
}

/// NumPy's `put_along_axis` on a copy: operands (old, positions, values); the latter two have the
/// same shape, which differs from the first only in the axis. Writes happen in C order: the last
/// one wins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Put {
    /// The axis.
    pub axis: u8,
    /// Combines a value with the old element (`op(old, value)`, NumPy's `ufunc.at`); `None`
    /// replaces the element. With an operation, values may have another dtype than the array, to
    /// which each result is cast; an operation of one operand reads no values.
    pub op: Option<Op>,
    /// Whether values are combined strictly from left to right, although the operation is
    /// associative but for rounding.
    pub in_order: bool,
}

impl Record for Take {
    fn name(&self) -> &'static str {
        "take"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        assert_eq!(operands[1].1, DType::I64, "bug: the dtype of positions");
        let mut shape: Shape = operands[0].0.into();
        shape[usize::from(self.axis)] = operands[1].0[0];
        (shape, operands[0].1)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let mut rule = Rule::along(self.axis, shapes, 1);
        rule.operands[1][0] = Follow::Result(self.axis);
        rule
    }

    fn routed(&self, operands: &[Bytes], to: Bytes) -> Bytes {
        // Requests take half of the bytes of positions.
        Bytes(operands[1].0 / 2) + to
    }

    fn flops_of_element(&self, _shapes: &[&[usize]]) -> u64 {
        0
    }

    fn work(&self) -> Work {
        Work::Positions
    }
}

impl Record for TakeAlong {
    fn name(&self) -> &'static str {
        "take_along_axis"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        (operands[1].0.into(), operands[0].1)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let mut rule = Rule::along(self.axis, shapes, 2);
        rule.operands[1][usize::from(self.axis)] = Follow::Result(self.axis);
        rule
    }

    fn routed(&self, operands: &[Bytes], to: Bytes) -> Bytes {
        Bytes(operands[1].0 / 2) + to
    }

    fn flops_of_element(&self, _shapes: &[&[usize]]) -> u64 {
        0
    }

    fn work(&self) -> Work {
        Work::Positions
    }
}

impl Put {
    /// Whether the operation computes from elements of `dtype` and values of `values` to `dtype`,
    /// without a cast.
    pub fn is_plain(self, dtype: DType, values: DType) -> bool {
        let fits = |signature: &Signature| {
            signature.inputs() == [dtype, values] && signature.output == dtype
        };
        values == dtype && self.op.is_none_or(|op| op.signatures().iter().any(fits))
    }
}

impl Record for Put {
    fn name(&self) -> &'static str {
        "put_along_axis"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        (operands[0].0.into(), operands[0].1)
    }

    /// Each device writes the elements in its own block.
    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        let mut rule = Rule::along(self.axis, shapes, 3);
        rule.operands[0][usize::from(self.axis)] = Follow::Result(self.axis);
        rule
    }

    fn routed(&self, operands: &[Bytes], _to: Bytes) -> Bytes {
        operands[1] + operands[2]
    }

    fn flops_of_element(&self, _shapes: &[&[usize]]) -> u64 {
        1
    }

    fn work(&self) -> Work {
        Work::Positions
    }

    fn overwrites(&self) -> Option<usize> {
        Some(0)
    }
}
