//! The seam between structured operations and the planner.

use super::call::{Call, PlacedOperand};
use super::expansion::Expansion;
use super::rule;
use crate::placement::{OperandShardings, Placement};
use crate::policy::Layout;
use phalanx_ops::{AffineMap, Sharding, Structured};

/// How the devices share a structured operation.
///
/// All methods are pure functions of their arguments, so every rank plans alike. Plans are refilled
/// with other numbers: for two calls that differ only in extents, starts and bounds, results may
/// differ only in such numbers, unless the placements differ too.
pub trait Lowering: Sync {
    /// Where the operation runs and how the devices share it. Not called on a mesh of one device,
    /// where the placement has the schedule `Rule`.
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        layout: Layout<'_>,
    ) -> Placement {
        rule::place(op, operands, shape, layout)
    }

    /// The sharding that each operand must have for a placement that `place` has chosen.
    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        rule::operands(call, placement)
    }

    /// Reads an operand through a view of a value of shape `base` without a copy: returns the
    /// operation that does so, and the sharding that the value must have for it. `wanted` is the
    /// sharding that the view must have. `None` if the view must be copied.
    ///
    /// The result may depend only on the pattern of the view and on which extents are equal, so
    /// windows of one pattern agree on it.
    fn read_through(
        &self,
        op: &Structured,
        operand: usize,
        (view, base): (&AffineMap, &[usize]),
        wanted: &Sharding,
    ) -> Option<(Structured, Sharding)> {
        let _ = (op, operand, view, base, wanted);
        None
    }

    /// The phases that compute the operation; the last one computes its result. `None` if the
    /// operation is one step.
    ///
    /// To refill a plan, the planner expands the operation again with the new numbers. The phases
    /// must then be the same, up to extents, starts and bounds.
    fn expand(&self, call: Call<'_>, placement: &Placement) -> Option<Expansion> {
        let _ = (call, placement);
        None
    }
}
