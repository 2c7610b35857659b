//! The lowering of `SearchSorted`.

use super::super::call::{Call, PlacedOperand};
use super::super::gather::{COST, exchanged, owned};
use super::super::lowering::Lowering;
use super::super::rule;
use crate::placement::{OperandShardings, Placement, Schedule};
use crate::policy::Layout;
use phalanx_ops::{Bounds, Bytes, DType, Monoid, Partial, Sharding, Split, Structured};

/// The lowering of searches. Unless it is by rule, the space of the placement is the sharding of
/// the vector.
pub(crate) struct Searches;

impl Lowering for Searches {
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        layout: Layout<'_>,
    ) -> Placement {
        let (_, gathered) = rule::cheapest(op, operands, shape, layout);
        let counts = by_counts(operands, layout);
        // Requests take several messages in turn, which fewer bytes are not worth.
        let least = counts.as_ref().map_or(gathered, |(moved, _)| gathered.min(*moved));
        let is_large = least > layout.policy.chunk();
        let requests = is_large.then(|| by_requests(operands, layout)).flatten();
        let other = counts.into_iter().chain(requests).min_by_key(|(moved, _)| *moved);
        rule::place_unless_cheaper(op, operands, shape, layout, other)
    }

    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        match placement.schedule {
            Schedule::Partial(_) | Schedule::Together(_) => {
                let of_vector = Some(placement.space.clone());
                [of_vector, Some(placement.output.clone())].into_iter().collect()
            }
            _ => rule::operands(call, placement),
        }
    }
}

/// The placement in which the devices of the split vector search all values, and the bytes that a
/// device receives; `None` if the vector is not split.
fn by_counts(operands: &[PlacedOperand<'_>], layout: Layout<'_>) -> Option<(Bytes, Placement)> {
    let [vector, values] = operands else { return None };
    let split = vector.sharding.axes[0].as_ref()?;
    let mut output = values.sharding.clone();
    for axis in &mut output.axes {
        let is_shared = |own: &u8| split.mesh_axes.contains(own);
        if axis.as_ref().is_some_and(|axis| axis.mesh_axes.iter().any(is_shared)) {
            *axis = None;
        }
    }
    let moved = values.moved(&output, layout.mesh);
    // An all-reduce sends each byte about twice.
    let added = Bytes::of(2 * output.largest_block(values.shape), DType::I64.size());
    let partial = Partial { monoid: Monoid::Add, mesh_axes: split.mesh_axes.clone() };
    let space = Sharding { axes: vector.sharding.axes.clone(), partial: None };
    Some((moved + added, Placement { space, output, schedule: Schedule::Partial(partial) }))
}

/// The placement in which values are sent to the devices in whose blocks they belong, and the bytes
/// that a device receives, of which those of requests count `COST` times; `None` if the vector is
/// not split.
fn by_requests(operands: &[PlacedOperand<'_>], layout: Layout<'_>) -> Option<(Bytes, Placement)> {
    let [vector, values] = operands else { return None };
    let (space, owners) = owned(vector, 0)?;
    let output = asked(values, &owners)?;
    let requests = output.largest_block(values.shape);
    // A device orders all its values at once, by numbers of 31 bits.
    if i32::try_from(requests).is_err() {
        return None;
    }
    let Bytes(sent) = exchanged(requests, values.dtype.size() + DType::I64.size(), &owners);
    let moved = vector.moved(&space, layout.mesh) + values.moved(&output, layout.mesh);
    let schedule = Schedule::Together(owners.mesh_axes);
    Some((moved + Bytes(COST * sent), Placement { space, output, schedule }))
}

/// The sharding of values in which each device of `owners` has a part: their own if it is one,
/// otherwise with the longest axis split. `None` for a single value.
fn asked(values: &PlacedOperand<'_>, owners: &Split) -> Option<Sharding> {
    let own = |split: &Split| split.mesh_axes == owners.mesh_axes && split.bounds.is_ascending();
    if values.sharding.axes.iter().flatten().any(own) {
        return Some(values.sharding.clone());
    }
    let mut output = values.sharding.clone();
    let is_shared =
        |split: &Split| split.mesh_axes.iter().any(|own| owners.mesh_axes.contains(own));
    for axis in &mut output.axes {
        *axis = axis.take().filter(|split| !is_shared(split));
    }
    let open = (0..output.axes.len()).filter(|&axis| output.axes[axis].is_none());
    let longest = open.max_by_key(|&axis| values.shape[axis])?;
    let bounds = Bounds::even(values.shape[longest], owners.bounds.parts());
    output.axes[longest] = Some(Split { bounds, ..owners.clone() });
    Some(output)
}
