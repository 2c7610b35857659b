//! Functions applied along or over axes.

use crate::array::Array;
use crate::manipulation::{axis_of, moveaxis, refused, stack};
use phalanx_graph::{call_site, outside, within};
use phalanx_ops::Index;

/// NumPy's `apply_over_axes`: applies a reduction along each axis of `axes` in turn, and keeps
/// these axes with extent 1.
///
/// `function` receives the array and an axis, and returns an array with or without that axis.
/// Errors: `OpError::Axis`, `OpError::Argument` if it returns another number of axes.
#[track_caller]
#[must_use]
pub fn apply_over_axes(
    function: impl Fn(&Array, i64) -> Array,
    array: &Array,
    axes: &[i64],
) -> Array {
    let site = call_site();
    Array::catch((|| {
        let ndim = array.ok()?.ndim();
        let mut value = array.clone();
        for &axis in axes {
            let axis = axis_of(axis, ndim, site)? as i64;
            let next = outside(|| function(&value, axis));
            value = match next.ok()?.ndim() {
                kept if kept == ndim => next,
                removed if removed + 1 == ndim => within(site, || next.expand_dims(axis)),
                other => {
                    return Err(refused("apply_over_axes", "ndim", other.to_string(), site));
                }
            };
        }
        Ok(value)
    })())
}

/// NumPy's `apply_along_axis`: applies a function to each line along an axis; the axes of its
/// results replace that axis.
///
/// The operations of the function are recorded once for each line: use it for few lines. A
/// reduction or a composition of operations along the axis is faster. Collective if the function
/// is. Errors: `OpError::Axis`, `OpError::Argument` if there are no lines, those of the function,
/// and those of [`stack`](crate::stack) for results of different shapes.
#[track_caller]
#[must_use]
pub fn apply_along_axis(function: impl Fn(&Array) -> Array, axis: i64, array: &Array) -> Array {
    let site = call_site();
    Array::catch((|| {
        let place = array.ok()?.axis(axis, site)?;
        let mut others = array.shape().to_vec();
        let extent = others.remove(place);
        let count: usize = others.iter().product();
        if count == 0 {
            return Err(refused("apply_along_axis", "shape", format!("{:?}", array.shape()), site));
        }
        let lines = within(site, || moveaxis(array, place as i64, -1).reshape([count, extent]));
        let result = |line: usize| {
            let line = within(site, || lines.slice([Index::At(line as i64)]));
            let found = outside(|| function(&line));
            found.into_result()
        };
        let results: Vec<Array> = (0..count).map(result).collect::<Result<_, _>>()?;
        within(site, || {
            let stacked = stack(&results.iter().collect::<Vec<_>>(), 0);
            let kept = &stacked.ok()?.shape()[1..];
            let source: Vec<i64> =
                (0..kept.len()).map(|axis| (others.len() + axis) as i64).collect();
            let target: Vec<i64> = (0..kept.len()).map(|axis| (place + axis) as i64).collect();
            let shape: Vec<usize> = others.iter().chain(kept).copied().collect();
            let whole = stacked.reshape(shape.as_slice());
            moveaxis(&whole, source.as_slice(), target.as_slice()).into_result()
        })
    })())
}
