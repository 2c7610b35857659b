//! Schedules of matrix products.
//!
//! - *gather*: every device has the rows of the left and the columns of the right that its block
//!   of the product needs.
//! - *panels* (SUMMA): as gather, but a panel of the contracted axis at a time, so that no device
//!   holds a whole operand; chosen where what is gathered is large.
//! - *partial*: every device multiplies its part of the contracted axis, and the products are
//!   summed; chosen where that moves fewer bytes, as for a wide matrix times a tall one.
//!
//! Schedules are of products as they are recorded, none of whose operands lies transposed:
//! legalising finds afterwards which of them do (`wanted_shardings`).
//!
//! Source: R. A. van de Geijn, J. Watts, "SUMMA: scalable universal matrix multiplication
//! algorithm" (1997).

use super::place::Lying;
use crate::price::read_price;
use phalanx_ops::{AffineMap, Mesh, Monoid, Partial, Sharding, Split};
use std::ops::Range;

/// Bytes of an operand that a device gathers at a time.
const PANEL: usize = 8 << 20;
/// The most panels.
const MOST_PANELS: usize = 64;

/// The schedule in which devices multiply parts of the contracted axis: the sharding of the left
/// operand, and the combination of the products. With what it moves in bytes.
pub(crate) fn partial(
    operands: &[Lying<'_>],
    shape: &[usize],
    mesh: &Mesh,
) -> Option<(usize, Sharding, Partial)> {
    let [left, right] = operands else { return None };
    let ndim = shape.len();
    let ends = [left.sharding.axes[ndim - 1].as_ref(), right.sharding.axes[ndim - 2].as_ref()];
    let split = ends.into_iter().flatten().next()?.clone();
    let (a, b) = contracted(ndim, &split);
    let moved = |operand: &Lying<'_>, wanted: &Sharding| {
        let map = AffineMap::identity(operand.shape);
        read_price(&operand.sharding, operand.shape, operand.item, &map, wanted, mesh)
    };
    // An all-reduce sends each byte about twice.
    let summed = 2 * phalanx_ops::shape::size(shape) * left.item;
    let partial = Partial { monoid: Monoid::Add, mesh_axes: split.mesh_axes.clone() };
    Some((moved(left, &a) + moved(right, &b) + summed, a, partial))
}

/// The shardings of both operands whose contracted axis is split.
pub(crate) fn contracted(ndim: usize, split: &Split) -> (Sharding, Sharding) {
    let (mut a, mut b) = (Sharding::replicated(ndim), Sharding::replicated(ndim));
    a.axes[ndim - 1] = Some(split.clone());
    b.axes[ndim - 2] = Some(split.clone());
    (a, b)
}

/// The panels of the contracted axis that a product is computed in: one range of it after the
/// other. `lying` and `wanted` are the shardings of the operands before and for the product.
pub(crate) fn panels(operands: [(&Sharding, &Sharding, &[usize], usize); 2]) -> Vec<Range<usize>> {
    let [(_, _, shape, _), _] = operands;
    let ndim = shape.len();
    let inner = shape[ndim - 1];
    let gathered = operands
        .iter()
        .map(|(lying, wanted, shape, item)| match lying == wanted {
            true => 0,
            false => wanted.largest_block(shape) * item,
        })
        .max();
    let count = gathered.unwrap_or(0).div_ceil(PANEL).clamp(1, MOST_PANELS).min(inner.max(1));
    (0..count).map(|at| inner * at / count..inner * (at + 1) / count).collect()
}
