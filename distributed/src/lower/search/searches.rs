//! The lowering of `SearchSorted`.

use super::super::call::{Call, PlacedOperand};
use super::super::lowering::Lowering;
use super::super::rule;
use crate::placement::{OperandShardings, Placement, Schedule};
use crate::policy::Layout;
use phalanx_ops::{Bytes, DType, Monoid, Partial, Sharding, Structured};

/// The lowering of searches. If the counts of devices are added, the space of the placement is the
/// sharding of the vector.
pub(crate) struct Searches;

impl Lowering for Searches {
    fn place(
        &self,
        op: &Structured,
        operands: &[PlacedOperand<'_>],
        shape: &[usize],
        layout: Layout<'_>,
    ) -> Placement {
        let other = by_counts(operands, layout);
        rule::place_unless_cheaper(op, operands, shape, layout, other)
    }

    fn operands(&self, call: Call<'_>, placement: &Placement) -> OperandShardings {
        match placement.schedule {
            Schedule::Partial(_) => {
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
