//! The lowering of matrix products.

use super::super::call::{Call, PlacedOperand};
use super::super::expansion::Expansion;
use super::super::lowering::Lowering;
use super::super::rule;
use super::{grid, panels, place, transposed};
use crate::placement::{OperandShardings, Placement, Schedule};
use crate::policy::Layout;
use phalanx_ops::structured::Matmul;
use phalanx_ops::{AffineMap, Sharding, Structured};

/// The lowering of matrix products.
pub(crate) struct Products;

impl Lowering for Products {
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        layout: Layout<'_>,
    ) -> Placement {
        place::place(op, operands, shape, layout)
    }

    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        // Schedules apply to recorded products, whose operands are never transposed.
        assert!(
            matches!(call.op, Structured::Matmul(Matmul { transposed: [false, false], .. })),
            "bug: a product that reads transposed operands is made legal again"
        );
        match (&placement.schedule, placement.space.axes.last()) {
            (Schedule::Partial(_), Some(Some(split))) => {
                let (left, right) = place::contracted(placement.space.axes.len(), split);
                [Some(left), Some(right)].into_iter().collect()
            }
            _ => rule::operands(call, placement),
        }
    }

    fn read_through(
        &self,
        op: &Structured,
        operand: usize,
        (view, base): (&AffineMap, &[usize]),
        wanted: &Sharding,
    ) -> Option<(Structured, Sharding)> {
        transposed::read_through(op, operand, (view, base), wanted)
    }

    fn expand(&self, call: Call<'_>, placement: &Placement) -> Option<Expansion> {
        match placement.schedule {
            Schedule::Panels(count) => Some(panels::expand(call, placement, count)),
            Schedule::Grid(count) => Some(grid::expand(call, placement, count)),
            _ => None,
        }
    }
}
