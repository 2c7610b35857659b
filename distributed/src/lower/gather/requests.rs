//! What reads and writes by requests have in common.

use super::super::call::PlacedOperand;
use phalanx_ops::{Bounds, Bytes, Sharding, Split};

/// The most devices among which the routine orders positions.
const MOST_PARTS: usize = 8192;

/// How many bytes of an axis that is gathered count as much as a byte of requests and their
/// elements, which are also ordered and put back: about 1.3 by time on two GPUs and about 5 on two
/// CPU devices that share memory (`take` of `f64`, docs/benchmarks.md), where the axis needs more
/// memory, though.
pub(in super::super) const COST: usize = 2;

/// The split of an axis whose blocks ascend with the devices, and the sharding of the operand with
/// it. `None` if the axis is not split, or among too many devices.
pub(in super::super) fn owned(
    operand: &PlacedOperand<'_>,
    axis: usize,
) -> Option<(Sharding, Split)> {
    let own = operand.sharding.axes[axis].as_ref()?;
    let (parts, extent) = (own.bounds.parts(), operand.shape[axis]);
    if parts > MOST_PARTS || extent == 0 {
        return None;
    }
    let mut sharding = operand.sharding.clone();
    let split = match own.bounds.is_ascending() {
        true => own.clone(),
        false => Split { bounds: Bounds::even(extent, parts), ..own.clone() },
    };
    sharding.axes[axis] = Some(split.clone());
    Some((sharding, split))
}

/// The split of the axis of the positions among the devices of `owners`: their own, if it fits.
pub(super) fn asked(operand: &PlacedOperand<'_>, axis: usize, owners: &Split) -> Split {
    match &operand.sharding.axes[axis] {
        Some(own) if own.mesh_axes == owners.mesh_axes && own.bounds.is_ascending() => own.clone(),
        _ => Split {
            bounds: Bounds::even(operand.shape[axis], owners.bounds.parts()),
            ..owners.clone()
        },
    }
}

/// The bytes that a device receives of `count` random requests and their elements, of `item` bytes
/// together.
pub(in super::super) fn exchanged(count: usize, item: usize, owners: &Split) -> Bytes {
    let parts = owners.bounds.parts();
    let Bytes(all) = Bytes::of(count, item);
    Bytes(all / parts * (parts - 1))
}
