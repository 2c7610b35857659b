//! The record of a structured operation, for the planner.

use super::halo::Halo;
use super::rule::Rule;
use super::work::Work;
use crate::{Bytes, DType, Shape};

/// The shape and dtype of an operand.
pub type Operand<'a> = (&'a [usize], DType);

/// The planner's knowledge of a structured operation. Each operation implements it in its own
/// file, so an operation without a result, a rule or a cost does not compile.
pub(super) trait Record {
    /// The name in plans.
    fn name(&self) -> &'static str;

    /// The shape and dtype of the result, for checked operands.
    fn result(&self, operands: &[Operand<'_>]) -> (Shape, DType);

    /// How the operands may be split. `shapes` are those of the operands.
    fn rule(&self, shapes: &[&[usize]]) -> Rule;

    /// The approximate number of additions and multiplications for one element of the result;
    /// `shapes` are those of the operands.
    fn flops_of_element(&self, shapes: &[&[usize]]) -> u64;

    /// The kind of work, which decides the price.
    fn work(&self) -> Work;

    /// The operand whose memory the result may use if nothing else needs that memory.
    fn overwrites(&self) -> Option<usize> {
        None
    }

    /// The bytes of a device's blocks that go through a routine which communicates while it runs,
    /// for random elements; 0 for operations that have none.
    fn routed(&self, operands: &[Bytes], to: Bytes) -> Bytes {
        let _ = (operands, to);
        Bytes(0)
    }

    /// Whether the result is the first operand, so that nothing is done in that operand's memory.
    fn passes_on(&self) -> bool {
        false
    }

    /// Whether each recorded operation counts, also one that equals another.
    fn is_apart(&self) -> bool {
        false
    }

    /// Whether the operation runs also if nothing needs its result.
    fn has_effects(&self) -> bool {
        false
    }

    /// Whether a part of the device's block of the result follows from the same part of the
    /// operands that are split alike.
    fn is_divisible(&self) -> bool {
        true
    }

    /// The elements of an operand that a device reads beyond the block that the rule assigns to it;
    /// `None` if there are none. Such an operand has the axes of the result.
    fn halo(&self, operand: usize, shapes: &[&[usize]]) -> Option<Halo> {
        let _ = (operand, shapes);
        None
    }

    /// Whether the matrices of an operand are stored transposed.
    fn is_transposed(&self, operand: usize) -> bool {
        let _ = operand;
        false
    }
}

/// The extent of an axis, at least 1: costs assume lines with elements.
pub(super) fn extent_along(shape: &[usize], axis: u8) -> usize {
    shape[usize::from(axis)].max(1)
}

/// The binary logarithm of an extent, rounded down, at least 1.
pub(super) fn logarithm(extent: usize) -> u64 {
    u64::from(extent.max(2).ilog2())
}
