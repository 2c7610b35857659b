//! The record of a structured operation: everything the planner knows about it.

use super::rule::Rule;
use super::table::Operand;
use crate::{DType, Shape};

/// What the planner knows about a structured operation. Each operation implements it in its own
/// file, so an operation without a result, a rule or a cost does not compile.
pub(super) trait Record {
    /// The name in plans.
    fn name(&self) -> &'static str;

    /// The shape and dtype of the result for operands that were checked.
    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType);

    /// How the operands may be split. `shapes` are those of the operands.
    fn rule(&self, shapes: &[&[usize]]) -> Rule;

    /// Additions and multiplications for one element of the result, about; `shapes` are those of
    /// the operands.
    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64;

    /// The operand whose memory the result may take, where nothing else needs that memory.
    fn overwrites(&self) -> Option<usize> {
        None
    }

    /// Whether the matrices of an operand are stored transposed.
    fn is_transposed(&self, operand: usize) -> bool {
        let _ = operand;
        false
    }
}

/// The larger of an extent and 1: costs are of lines with elements.
pub(super) fn extent_along(shape: &[usize], axis: u8) -> usize {
    shape[usize::from(axis)].max(1)
}

/// The binary logarithm of an extent, rounded down, and 1 for short ones.
pub(super) fn logarithm(extent: usize) -> u64 {
    u64::from(extent.max(2).ilog2())
}
