//! The arithmetic of positions in C order.

use crate::array::Array;
use phalanx_graph::{Error, Site, within};

/// The strides of a C-ordered array in elements.
pub(super) fn steps(shape: &[usize]) -> Vec<i64> {
    let mut steps = vec![1i64; shape.len()];
    for axis in (1..shape.len()).rev() {
        steps[axis - 1] = steps[axis].saturating_mul(shape[axis].max(1) as i64);
    }
    steps
}

/// The index along an axis of positions in C order of an array with this shape.
pub(super) fn along(
    positions: &Array,
    shape: &[usize],
    axis: usize,
    site: Site,
) -> Result<Array, Error> {
    within(site, || {
        let step = steps(shape)[axis];
        let rows = if step == 1 { positions.clone() } else { positions.floor_divide(step) };
        rows.remainder(shape[axis].max(1) as i64).into_result()
    })
}
