//! The lowering of sorts.

use super::super::call::{Call, PlacedOperand};
use super::super::expansion::Expansion;
use super::super::lowering::Lowering;
use super::super::rule;
use super::ranks;
use crate::placement::{OperandShardings, Placement, Schedule};
use crate::policy::Layout;
use phalanx_ops::structured::{Order, Sort};
use phalanx_ops::{Bounds, Bytes, DType, Sharding, Split, Structured};

/// The lowering of sorts.
pub(crate) struct Sorts;

impl Lowering for Sorts {
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        layout: Layout<'_>,
    ) -> Placement {
        let (output, moved) = rule::cheapest(op, operands, shape, layout);
        match in_ranks(op, &operands[0]) {
            Some(ranks) if output.is_replicated() || Bytes(2 * ranks.moved.0) < moved => {
                Placement {
                    space: ranks.space,
                    output: ranks.output,
                    schedule: Schedule::Together(ranks.split.mesh_axes),
                }
            }
            _ => Placement::on(output),
        }
    }

    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        match placement.schedule {
            Schedule::Together(_) => [Some(placement.space.clone())].into_iter().collect(),
            _ => rule::operands(call, placement),
        }
    }

    fn expand(&self, call: Call<'_>, placement: &Placement) -> Option<Expansion> {
        let Structured::Sort(sort) = *call.op else { return None };
        placement.together().map(|_| ranks::expand(sort, call, placement))
    }
}

/// A sort in ranks.
struct InRanks {
    /// The sharding of the sorted blocks.
    space: Sharding,
    output: Sharding,
    /// The split of the sorted axis of the result.
    split: Split,
    /// The bytes that a device receives, if the elements are in random order.
    moved: Bytes,
}

/// The shortest block of a line, if there are several lines. Each line has cuts and messages of its
/// own, which cost more than a few elements.
const LONG: usize = 1024;

/// The sort in ranks of an operand whose sorted axis is split; `None` if there are many short
/// lines.
fn in_ranks(op: &Structured, operand: &PlacedOperand<'_>) -> Option<InRanks> {
    let Structured::Sort(Sort { axis, order, .. }) = *op else { return None };
    let (axis, PlacedOperand { sharding, shape, dtype }) = (usize::from(axis), operand);
    let own = sharding.axes[axis].as_ref()?;
    let parts = own.bounds.parts();
    let split = Split { bounds: Bounds::even(shape[axis], parts), ..own.clone() };
    let mut output = sharding.clone();
    output.axes[axis] = Some(split.clone());
    let lines = output.largest_block(shape) / split.bounds.largest_block().max(1);
    if lines > 1 && shape[axis] / parts < LONG.max(parts * parts) {
        return None;
    }
    // Equal elements keep the order of the devices, so these must have ascending positions.
    let space = if own.bounds.is_ascending() { sharding.clone() } else { output.clone() };
    let item = match order {
        Order::Values => dtype.size(),
        Order::Positions if Order::is_packed(*dtype, shape[axis]) => DType::U64.size(),
        Order::Positions | Order::Packed | Order::Unpacked => dtype.size() + DType::I64.size(),
    };
    let Bytes(block) = Bytes::of(output.largest_block(shape), item);
    let moved = Bytes(block / parts.max(1) * (parts - 1));
    Some(InRanks { space, output, split, moved })
}
