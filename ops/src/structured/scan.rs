//! Running combinations, and combinations of ranges, by an elementwise operation of two operands
//! whose result has their dtype.

use super::record::{Operand, Record, extent_along};
use super::rule::Rule;
use super::work::Work;
use crate::{DType, Op, Shape};

/// NumPy's `accumulate`: `y[0] = x[0]`, `y[i] = op(y[i - 1], x[i])` along an axis.
///
/// A second operand continues a scan: its extent along the axis is at most 1, its other extents are
/// those of the value. If it has elements, `y[0] = op(before[0], x[0])`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scan {
    /// The operation that combines elements.
    pub op: Op,
    /// The axis.
    pub axis: u8,
    /// Whether elements are combined strictly from left to right, although the operation is
    /// associative but for rounding.
    pub in_order: bool,
}

/// NumPy's `reduceat`: operands (value, starts); `starts` is a vector of `i64` within the axis.
/// Element `i` of the result's axis combines the elements from `starts[i]` to before
/// `starts[i + 1]` (for the last, to the end), from left to right unless the operation is
/// associative. It is the element at `starts[i]` if the next start is not larger.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReduceAt {
    /// The operation that combines elements.
    pub op: Op,
    /// The axis.
    pub axis: u8,
    /// Whether elements are combined strictly from left to right, although the operation is
    /// associative but for rounding.
    pub in_order: bool,
}

impl Record for Scan {
    fn name(&self) -> &'static str {
        "scan"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        (operands[0].0.into(), operands[0].1)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        Rule::along(self.axis, shapes, 2)
    }

    fn flops_of_element(&self, _shapes: &[&[usize]]) -> u64 {
        1
    }

    fn work(&self) -> Work {
        Work::Scan
    }
}

impl Record for ReduceAt {
    fn name(&self) -> &'static str {
        "reduceat"
    }

    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType) {
        let mut shape: Shape = operands[0].0.into();
        shape[usize::from(self.axis)] = operands[1].0[0];
        (shape, operands[0].1)
    }

    fn rule(&self, shapes: &[&[usize]]) -> Rule {
        Rule::along(self.axis, shapes, 1)
    }

    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64 {
        let stretches = shapes[1].first().copied().unwrap_or(1).max(1);
        (extent_along(shapes[0], self.axis) / stretches) as u64
    }

    fn work(&self) -> Work {
        Work::Pass
    }
}
