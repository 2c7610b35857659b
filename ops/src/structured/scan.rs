//! Running combinations and combinations of stretches, by an operation of the elementwise table
//! with two operands whose result has their dtype.

use super::table::Operand;
use crate::{DType, Op, Shape};

/// NumPy's `accumulate`: `y[0] = x[0]`, `y[i] = op(y[i - 1], x[i])` along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scan {
    /// How elements are combined.
    pub op: Op,
    /// The axis.
    pub axis: u8,
}

/// NumPy's `reduceat`: operands (value, starts), the latter a vector of `i64` within the axis.
/// Element `i` of the axis of the result combines, from left to right, those from `starts[i]` to
/// before `starts[i + 1]` (to the end for the last), or is the one at `starts[i]` where the next
/// start is not larger.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReduceAt {
    /// How elements are combined.
    pub op: Op,
    /// The axis.
    pub axis: u8,
}

impl ReduceAt {
    pub(super) fn result(self, operands: &[Operand<'_>]) -> (Shape, DType) {
        let mut shape: Shape = operands[0].0.into();
        shape[usize::from(self.axis)] = operands[1].0[0];
        (shape, operands[0].1)
    }
}
