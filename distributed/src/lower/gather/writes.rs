//! The lowering of `Put`.

use super::super::call::{Call, PlacedOperand};
use super::super::lowering::Lowering;
use super::super::rule;
use super::requests::{asked, exchanged, owned};
use crate::placement::{OperandShardings, Placement, Schedule};
use crate::policy::Layout;
use crate::price::read_price;
use phalanx_ops::structured::Put;
use phalanx_ops::{AffineMap, Bytes, DType, Sharding, Structured};

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
        let (output, moved) = rule::cheapest(op, operands, shape, layout);
        match by_requests(op, operands, layout) {
            Some((less, placement)) if less < moved => placement,
            _ => Placement::on(output),
        }
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
    let moved = |operand: &PlacedOperand<'_>, to: &Sharding| {
        let PlacedOperand { sharding, shape, dtype } = operand;
        let map = AffineMap::identity(shape);
        read_price(sharding, shape, dtype.size(), &map, to, layout.mesh)
    };
    let bytes = moved(old, &output)
        + moved(positions, &space)
        + moved(values, &space)
        + exchanged(requests, DType::I64.size() + values.dtype.size(), &owners);
    let schedule = Schedule::Together(owners.mesh_axes);
    Some((bytes, Placement { space, output, schedule }))
}
