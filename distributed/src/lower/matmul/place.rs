//! The choice of a matrix product's schedule.

use super::super::call::PlacedOperand;
use super::super::rule;
use super::panels;
use crate::placement::{Placement, Schedule};
use crate::policy::Layout;
use phalanx_ops::structured::Matmul;
use phalanx_ops::{Bytes, Mesh, Monoid, Partial, Sharding, Split, Structured};

/// The placement that moves the fewest bytes.
pub(super) fn place(
    op: &Structured,
    operands: &[PlacedOperand<'_>],
    shape: &[usize],
    layout: Layout<'_>,
) -> Placement {
    let (output, price) = rule::cheapest(op, operands, shape, layout);
    let partial = match op {
        // Devices that add parts of sums would change their order.
        Structured::Matmul(Matmul { in_order: true, .. }) => None,
        _ => partial(operands, shape, layout.mesh),
    };
    match partial {
        Some((less, space, partial)) if less < price => {
            let output = Sharding::replicated(shape.len());
            Placement { space, output, schedule: Schedule::Partial(partial) }
        }
        _ => {
            let schedule = panels::schedule(op, operands, shape, &output);
            Placement { schedule, ..Placement::on(output) }
        }
    }
}

/// The schedule in which devices multiply parts of the contracted axis: the bytes that it moves,
/// the sharding of the left operand, and the combination of the products.
fn partial(
    operands: &[PlacedOperand<'_>],
    shape: &[usize],
    mesh: &Mesh,
) -> Option<(Bytes, Sharding, Partial)> {
    let [left, right] = operands else { return None };
    let ndim = shape.len();
    let ends = [left.sharding.axes[ndim - 1].as_ref(), right.sharding.axes[ndim - 2].as_ref()];
    let split = ends.into_iter().flatten().next()?.clone();
    let (a, b) = contracted(ndim, &split);
    // An all-reduce sends each byte about twice.
    let summed = Bytes::of(2 * phalanx_ops::shape::size(shape), left.dtype.size());
    let partial = Partial { monoid: Monoid::Add, mesh_axes: split.mesh_axes.clone() };
    Some((left.moved(&a, mesh) + right.moved(&b, mesh) + summed, a, partial))
}

/// The shardings of both operands with the contracted axis split.
pub(super) fn contracted(ndim: usize, split: &Split) -> (Sharding, Sharding) {
    let (mut a, mut b) = (Sharding::replicated(ndim), Sharding::replicated(ndim));
    a.axes[ndim - 1] = Some(split.clone());
    b.axes[ndim - 2] = Some(split.clone());
    (a, b)
}
