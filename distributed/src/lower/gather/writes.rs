//! The lowering of `Put`.

use super::super::call::{Call, PlacedOperand};
use super::super::lowering::Lowering;
use super::super::rule;
use super::requests::{asked, exchanged, owned};
use crate::placement::{OperandShardings, Placement, Schedule};
use crate::policy::Layout;
use phalanx_ops::structured::Put;
use phalanx_ops::{Bytes, DType, Structured};

/// The lowering of writes at positions. If they are by requests, the space of the placement is the
/// sharding of the positions and of the values.
pub(crate) struct Writes;

impl Lowering for Writes {
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        layout: Layout<'_>,
    ) -> Placement {
        let other = by_requests(op, operands, layout);
        rule::place_unless_cheaper(op, operands, shape, layout, other)
    }

    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        match placement.schedule {
            Schedule::Together(_) => {
                let (old, given) = (Some(placement.output.clone()), Some(placement.space.clone()));
                [old, given.clone(), given].into_iter().collect()
            }
            _ => rule::operands(call, placement),
        }
    }
}

/// The placement of a write by requests, and the bytes that a device receives; `None` if the axis
/// is not split.
fn by_requests(
    op: &Structured,
    operands: &[PlacedOperand<'_>],
    layout: Layout<'_>,
) -> Option<(Bytes, Placement)> {
    let Structured::Put(Put { axis, .. }) = *op else { return None };
    let [old, positions, values] = operands else { return None };
    let axis = usize::from(axis);
    let (output, owners) = owned(old, axis)?;
    let mut space = output.clone();
    space.axes[axis] = Some(asked(positions, axis, &owners));
    let requests = space.largest_block(positions.shape);
    // A device orders all its positions at once, by numbers of 31 bits.
    if i32::try_from(requests).is_err() {
        return None;
    }
    let bytes = old.moved(&output, layout.mesh)
        + positions.moved(&space, layout.mesh)
        + values.moved(&space, layout.mesh)
        + exchanged(requests, DType::I64.size() + values.dtype.size(), &owners);
    let schedule = Schedule::Together(owners.mesh_axes);
    Some((bytes, Placement { space, output, schedule }))
}
