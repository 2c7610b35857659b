//! The choice of a matrix product's schedule.

use super::super::call::PlacedOperand;
use super::super::rule;
use super::grid::{self, Grid};
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
    let in_panels = |output: Sharding| {
        let schedule = match panels::count(op, operands, shape, &output, layout.policy) {
            1 => Schedule::Rule,
            count => Schedule::Panels(count),
        };
        Placement { schedule, ..Placement::on(output) }
    };
    // Devices that add parts of sums would change their order, as pieces of the contracted axis do.
    if matches!(op, Structured::Matmul(Matmul { in_order: true, .. })) {
        return in_panels(output);
    }
    // Fewer bytes are not worth messages among more devices.
    let is_large = price > layout.policy.chunk();
    let grid = is_large.then(|| on_grid(op, operands, shape, layout)).flatten();
    let others = [partial(operands, shape, layout.mesh), grid];
    let cheapest = others.into_iter().flatten().min_by_key(|(price, _)| *price);
    match cheapest {
        Some((less, placement)) if less < price || (less == price && is_on_grid(&placement)) => {
            placement
        }
        _ => in_panels(output),
    }
}

/// Whether a product runs on a grid, which is faster than panels that move as many bytes.
fn is_on_grid(placement: &Placement) -> bool {
    matches!(placement.schedule, Schedule::Grid(_))
}

/// The placement of a product on a grid of devices, and the bytes that it moves. `None` if the mesh
/// is a line, or for stacks of matrices.
fn on_grid(
    op: &Structured,
    operands: &[PlacedOperand<'_>],
    shape: &[usize],
    layout: Layout<'_>,
) -> Option<(Bytes, Placement)> {
    let [left, right] = operands else { return None };
    let (&[_, inner], &[_, _]) = (left.shape, right.shape) else { return None };
    let grid = Grid::of(layout.mesh)?;
    let output = grid.blocks(shape);
    let each = inner / grid.pieces();
    let panels = panels::count(op, operands, shape, &output, layout.policy);
    let panels = panels::with_points(panels, each);
    if panels < 2 {
        // Both operands are gathered at once, from where they are.
        let [rows, columns] = [0, 1].map(|operand| grid::along(operand, &output));
        let moved = left.moved(&rows, layout.mesh) + right.moved(&columns, layout.mesh);
        return Some((moved, Placement::on(output)));
    }
    let moved = grid.moved([left, right], layout.mesh);
    let schedule = Schedule::Grid(panels);
    Some((moved, Placement { schedule, ..Placement::on(output) }))
}

/// The placement in which devices multiply parts of the contracted axis, and the bytes that it
/// moves. Its space is the sharding of the left operand.
fn partial(
    operands: &[PlacedOperand<'_>],
    shape: &[usize],
    mesh: &Mesh,
) -> Option<(Bytes, Placement)> {
    let [left, right] = operands else { return None };
    let ndim = shape.len();
    let ends = [left.sharding.axes[ndim - 1].as_ref(), right.sharding.axes[ndim - 2].as_ref()];
    let split = ends.into_iter().flatten().next()?.clone();
    let (a, b) = contracted(ndim, &split);
    // An all-reduce sends each byte about twice.
    let summed = Bytes::of(2 * phalanx_ops::shape::size(shape), left.dtype.size());
    let partial = Partial { monoid: Monoid::Add, mesh_axes: split.mesh_axes.clone() };
    let moved = left.moved(&a, mesh) + right.moved(&b, mesh) + summed;
    let output = Sharding::replicated(ndim);
    Some((moved, Placement { space: a, output, schedule: Schedule::Partial(partial) }))
}

/// The shardings of both operands with the contracted axis split.
pub(super) fn contracted(ndim: usize, split: &Split) -> (Sharding, Sharding) {
    let (mut a, mut b) = (Sharding::replicated(ndim), Sharding::replicated(ndim));
    a.axes[ndim - 1] = Some(split.clone());
    b.axes[ndim - 2] = Some(split.clone());
    (a, b)
}
