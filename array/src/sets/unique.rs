//! Distinct elements: `unique` and its further results.

use crate::array::Array;
use crate::indexing::{flatnonzero, put_along_axis};
use crate::manipulation::moveaxis;
use crate::math::select;
use crate::sorting::{Side, argsort, lexsort, searchsorted, sort};
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::DType;

/// The result of [`unique_all`].
#[derive(Clone, Debug)]
pub struct Unique {
    /// The distinct elements, in ascending order.
    pub values: Array,
    /// For each value, the position (`i64`) of its first occurrence in C order.
    pub indices: Array,
    /// For each element of the array, the index (`i64`) of its value; has the shape of the array.
    pub inverse: Array,
    /// For each value, the number (`i64`) of its occurrences.
    pub counts: Array,
}

/// NumPy's `unique`: the distinct elements, in ascending order. All NaNs count as one element,
/// which is the first NaN of the array. Collective over the mesh: the number of elements depends on
/// data.
#[track_caller]
#[must_use]
pub fn unique(array: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let sorted = sort(array, None);
        let mask = begins(&sorted, true)?;
        let values = sorted.compress(&mask);
        if !array.dtype().is_complex() || array.size() == 0 {
            return values.into_result();
        }
        // Complex NaNs differ in their parts, and the first NaN in sorted order need not be the
        // first of the array.
        let line = array.reshape([-1]);
        let first = line.take(&line.isnan().argmax(()), 0);
        select(&values.isnan(), first, values).into_result()
    }))
}

/// A mask of the elements of a sorted vector that differ from the element before.
fn begins(sorted: &Array, equal_nan: bool) -> Result<Array, Error> {
    sorted.ok()?;
    if sorted.size() < 2 {
        return first_alone(sorted, None);
    }
    let (before, after) = (sorted.slice(crate::s![..-1]), sorted.slice(crate::s![1..]));
    let mut differs = after.not_equal(&before);
    if equal_nan && sorted.dtype().is_inexact() {
        differs = differs.logical_and(before.isnan().logical_and(after.isnan()).logical_not());
    }
    first_alone(sorted, Some(&differs))
}

/// A mask of slices along the first axis. It is set for the first slice, and for each slice that
/// differs from the one before.
fn first_alone(slices: &Array, differs: Option<&Array>) -> Result<Array, Error> {
    let count = slices.ok()?.shape()[0];
    let mask = slices.mesh()?.enter(|| crate::creation::ones([count], DType::Bool));
    if let Some(differs) = differs {
        mask.slice(crate::s![1..]).try_assign(differs)?;
    }
    Ok(mask)
}

/// NumPy's `unique` with all its results; all NaNs count as one element. Collective over the mesh.
#[track_caller]
pub fn unique_all(array: &Array) -> Result<Unique, Error> {
    let site = call_site();
    within(site, || unique_with(array, true))
}

/// As [`unique_all`]. Without `equal_nan`, every NaN is a separate element. Collective over the
/// mesh.
#[track_caller]
pub fn unique_with(array: &Array, equal_nan: bool) -> Result<Unique, Error> {
    let site = call_site();
    within(site, || {
        let line = array.reshape([-1]);
        let order = argsort(&line, 0);
        let sorted = line.take(&order, 0);
        let mask = begins(&sorted, equal_nan)?;
        let found = grouped(&sorted, &order, &mask)?;
        let inverse = found.inverse.reshape(array.shape()).into_result()?;
        Ok(Unique { inverse, ..found })
    })
}

/// NumPy's `unique` of the slices along an axis, in the lexicographic order of their elements;
/// `inverse` is a vector. Collective over the mesh. Errors: `OpError::Axis`, and the errors of
/// [`lexsort`].
#[track_caller]
pub fn unique_along(array: &Array, axis: i64) -> Result<Unique, Error> {
    let site = call_site();
    within(site, || {
        let place = array.ok()?.axis(axis, site)? as i64;
        let moved = moveaxis(array, place, 0);
        let count = moved.ok()?.shape()[0];
        let length = moved.size().checked_div(count).unwrap_or(0);
        let rows = moved.reshape([count, length]);
        let (order, differs) = match length {
            0 => (index_of(&rows)?, None),
            _ => {
                // `lexsort` takes the primary key last.
                let column = |at: usize| rows.slice(crate::s![.., at as i64]).copy();
                let keys: Vec<Array> = (0..length).rev().map(column).collect();
                let order = lexsort(&keys, 0);
                let sorted = rows.take(&order, 0);
                let after = sorted.slice(crate::s![1..]);
                (order, Some(after.not_equal(sorted.slice(crate::s![..-1])).any(1)))
            }
        };
        let sorted = moved.take(&order, 0);
        let differs = differs.filter(|_| count > 1);
        let mask = match length {
            // All slices without elements are equal.
            0 => index_of(&rows)?.equal(0),
            _ => first_alone(&sorted, differs.as_ref())?,
        };
        let found = grouped(&sorted, &order, &mask)?;
        let values = moveaxis(&found.values, 0, place).into_result()?;
        Ok(Unique { values, ..found })
    })
}

/// The distinct slices of sorted slices. A group of equal slices starts where `mask` is set.
/// `order` has the original positions of the slices.
fn grouped(sorted: &Array, order: &Array, mask: &Array) -> Result<Unique, Error> {
    let starts = flatnonzero(mask);
    starts.ok()?;
    let indices = order.take(&starts, 0);
    let values = sorted.take(&starts, 0);
    let (count, length) = (starts.size(), order.size());
    let mesh = sorted.mesh()?;
    let ends = mesh.enter(|| crate::creation::full([count], length as i64, DType::I64));
    if count > 1 {
        ends.slice(crate::s![..-1]).try_assign(starts.slice(crate::s![1..]))?;
    }
    let counts = &ends - &starts;
    // The number of the group of each sorted slice, written to the slice's original position.
    let numbers = searchsorted(&starts, &index_of(order)?, Side::Right) - 1;
    let inverse = mesh.enter(|| crate::creation::zeros([length], DType::I64));
    put_along_axis(&inverse, order, &numbers, 0);
    for part in [&values, &indices, &inverse, &counts] {
        part.ok()?;
    }
    Ok(Unique { values, indices, inverse, counts })
}

/// The positions along the first axis.
fn index_of(array: &Array) -> Result<Array, Error> {
    let count = array.shape()[0] as i64;
    array.mesh()?.enter(|| crate::creation::arange(0, count, 1)).into_result()
}
