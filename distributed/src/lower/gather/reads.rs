//! The lowering of `Take` and `TakeAlong`.

use super::super::call::{Call, PlacedOperand};
use super::super::lowering::Lowering;
use super::super::rule;
use super::requests::{COST, asked, exchanged, owned};
use crate::placement::{OperandShardings, Placement, Schedule};
use crate::policy::Layout;
use phalanx_ops::structured::{Take, TakeAlong};
use phalanx_ops::{Bytes, Sharding, Structured};

/// The lowering of reads at positions. If they are by requests, the space of the placement is the
/// sharding of the table.
pub(crate) struct Reads;

impl Lowering for Reads {
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        layout: Layout<'_>,
    ) -> Placement {
        let other = by_requests(op, operands, shape, layout);
        rule::place_unless_cheaper(op, operands, shape, layout, other)
    }

    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        match placement.schedule {
            Schedule::Together(_) => {
                let positions = of_positions(call.op, &placement.output);
                [Some(placement.space.clone()), Some(positions)].into_iter().collect()
            }
            _ => rule::operands(call, placement),
        }
    }
}

/// The sharding of the positions if the result has `output`.
fn of_positions(op: &Structured, output: &Sharding) -> Sharding {
    let mut positions = output.clone();
    if let Structured::Take(Take { axis }) = *op {
        positions.axes = [output.axes[usize::from(axis)].clone()].into_iter().collect();
    }
    positions
}

/// The placement of a read by requests, and the bytes that a device receives, of which those of
/// requests count `COST` times; `None` if the axis of the table is not split.
fn by_requests(
    op: &Structured,
    operands: &[PlacedOperand<'_>],
    shape: &[usize],
    layout: Layout<'_>,
) -> Option<(Bytes, Placement)> {
    let [table, positions] = operands else { return None };
    let (axis, of_positions_axis) = match *op {
        Structured::Take(Take { axis }) => (usize::from(axis), 0),
        Structured::TakeAlong(TakeAlong { axis }) => (usize::from(axis), usize::from(axis)),
        _ => return None,
    };
    let (space, owners) = owned(table, axis)?;
    let mut output = space.clone();
    output.axes[axis] = Some(asked(positions, of_positions_axis, &owners));
    let wanted = of_positions(op, &output);
    let requests = wanted.largest_block(positions.shape);
    let elements = output.largest_block(shape);
    let Bytes(sent) = exchanged(requests, size_of::<u32>(), &owners)
        + exchanged(elements, table.dtype.size(), &owners);
    let moved = table.moved(&space, layout.mesh) + positions.moved(&wanted, layout.mesh);
    let bytes = moved + Bytes(COST * sent);
    let schedule = Schedule::Together(owners.mesh_axes);
    Some((bytes, Placement { space, output, schedule }))
}
