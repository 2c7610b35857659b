//! Different elements, and vectors as sets.

use super::order::{Side, argsort, lexsort, searchsorted, sort};
use crate::array::Array;
use crate::error::{Error, call_site, within};
use crate::manipulation::{moveaxis, try_concatenate};
use phalanx_ops::{DType, promote};

/// What [`unique_all`] finds.
#[derive(Clone, Debug)]
pub struct Unique {
    /// The different elements, ascending.
    pub values: Array,
    /// For each, the position (`i64`) in C order where it first stands.
    pub indices: Array,
    /// For each element of the array, which of the values it is (`i64`); of the array's shape.
    pub inverse: Array,
    /// For each value, how often it stands (`i64`).
    pub counts: Array,
}

/// NumPy's `unique`: the different elements, ascending. Collective over the mesh: their number
/// depends on data. All NaNs count as one.
#[track_caller]
#[must_use]
pub fn unique(array: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let sorted = sort(array, None);
        let mask = begins(&sorted, true)?;
        sorted.compress(&mask).ok().cloned()
    }))
}

/// Where a sorted vector has another element than before.
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

/// A mask of slices along the first axis, in which the first one is set and of the others those
/// that differ from the one before.
fn first_alone(slices: &Array, differs: Option<&Array>) -> Result<Array, Error> {
    let count = slices.shape()[0];
    let mask = slices.mesh()?.enter(|| crate::creation::ones([count], DType::Bool));
    if let Some(differs) = differs {
        mask.slice(crate::s![1..]).try_assign(differs)?;
    }
    Ok(mask)
}

/// NumPy's `unique` with all that it can return; all NaNs count as one. Collective over the mesh.
#[track_caller]
pub fn unique_all(array: &Array) -> Result<Unique, Error> {
    let site = call_site();
    within(site, || unique_with(array, true))
}

/// As [`unique_all`], where every NaN is an element of its own unless `equal_nan`. Collective over
/// the mesh.
#[track_caller]
pub fn unique_with(array: &Array, equal_nan: bool) -> Result<Unique, Error> {
    let site = call_site();
    within(site, || {
        let line = array.reshape([-1]);
        let order = argsort(&line, 0);
        let sorted = line.take(&order, 0);
        let mask = begins(&sorted, equal_nan)?;
        let found = grouped(&sorted, &order, &mask)?;
        let inverse = found.inverse.reshape(array.shape()).ok()?.clone();
        Ok(Unique { inverse, ..found })
    })
}

/// NumPy's `unique` of the slices along an axis, in the order of their elements in C order;
/// `inverse` is a vector. Collective over the mesh. Errors: `OpError::Axis`, those of [`lexsort`].
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
                // The last key comes first.
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
            // Slices without elements are all the same.
            0 => index_of(&rows)?.equal(0),
            _ => first_alone(&sorted, differs.as_ref())?,
        };
        let found = grouped(&sorted, &order, &mask)?;
        let values = moveaxis(&found.values, 0, place).ok()?.clone();
        Ok(Unique { values, ..found })
    })
}

/// What the groups of sorted slices are that begin where a mask is set. `order` says where the
/// slices stood.
fn grouped(sorted: &Array, order: &Array, mask: &Array) -> Result<Unique, Error> {
    let starts = crate::indexing::flatnonzero(mask);
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
    // The number of the value of each sorted slice, put back where the slice stood.
    let numbers = searchsorted(&starts, &index_of(order)?, Side::Right) - 1;
    let inverse = mesh.enter(|| crate::creation::zeros([length], DType::I64));
    crate::indexing::put_along_axis(&inverse, order, &numbers, 0);
    for part in [&values, &indices, &inverse, &counts] {
        part.ok()?;
    }
    Ok(Unique { values, indices, inverse, counts })
}

/// The positions along the first axis.
fn index_of(array: &Array) -> Result<Array, Error> {
    let count = array.shape()[0] as i64;
    array.mesh()?.enter(|| crate::creation::arange(0, count, 1)).ok().cloned()
}

/// NumPy's `isin`: whether each element is one of `candidates`. Local (records nodes).
#[track_caller]
#[must_use]
pub fn isin(array: &Array, candidates: &Array, invert: bool) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let dtype = promote(array.ok()?.dtype(), candidates.ok()?.dtype());
        let is_in = if candidates.size() == 0 {
            array.isnan().logical_and(false)
        } else {
            let wanted = array.converted(dtype, site);
            let sorted = sort(&candidates.converted(dtype, site), None);
            let last = candidates.size() as i64 - 1;
            let place = searchsorted(&sorted, &wanted, Side::Left).minimum(last);
            sorted.take(&place, 0).equal(&wanted)
        };
        (if invert { is_in.logical_not() } else { is_in }).ok().cloned()
    }))
}

/// NumPy's `union1d`: the elements of either array, ascending, each once. Collective.
#[track_caller]
#[must_use]
pub fn union1d(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        unique(&try_concatenate(&[a, b], &().into(), None, site)?).ok().cloned()
    }))
}

/// NumPy's `intersect1d`: the elements of both arrays, ascending, each once. Collective.
#[track_caller]
#[must_use]
pub fn intersect1d(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let all = try_concatenate(&[&unique(a), &unique(b)], &0.into(), None, site)?;
        let all = sort(&all, 0);
        if all.size() < 2 {
            return all.slice(crate::s![..0]).copy().ok().cloned();
        }
        let (before, after) = (all.slice(crate::s![..-1]), all.slice(crate::s![1..]));
        before.compress(&before.equal(&after)).ok().cloned()
    }))
}

/// As [`intersect1d`], with the positions in both arrays at which each element first stands.
/// Collective.
#[track_caller]
pub fn intersect1d_indices(a: &Array, b: &Array) -> Result<(Array, Array, Array), Error> {
    let site = call_site();
    within(site, || {
        let (first, second) = (unique_all(a)?, unique_all(b)?);
        let common = intersect1d(&first.values, &second.values);
        common.ok()?;
        let places = |found: &Unique| {
            let at = searchsorted(&found.values, &common, Side::Left);
            found.indices.take(&at, 0).ok().cloned()
        };
        let (in_first, in_second) = (places(&first)?, places(&second)?);
        Ok((common, in_first, in_second))
    })
}

/// NumPy's `setdiff1d`: the elements of `a` that are not in `b`, ascending, each once. Collective.
#[track_caller]
#[must_use]
pub fn setdiff1d(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let own = unique(a);
        own.compress(&isin(&own, b, true)).ok().cloned()
    }))
}

/// NumPy's `setdiff1d` with `assume_unique`: the elements of `a`, in C order, that are not in `b`;
/// those that stand several times stay. Collective.
#[track_caller]
#[must_use]
pub fn setdiff1d_in_order(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let line = a.reshape([-1]);
        line.compress(&isin(&line, b, true)).ok().cloned()
    }))
}

/// NumPy's `setxor1d`: the elements of one array alone, ascending, each once. Collective.
#[track_caller]
#[must_use]
pub fn setxor1d(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let all = try_concatenate(&[&unique(a), &unique(b)], &0.into(), None, site)?;
        let all = sort(&all, 0);
        // Two NaNs are different here, as in NumPy.
        let first = all.mesh()?.enter(|| crate::creation::ones([all.size()], DType::Bool));
        if all.size() > 1 {
            let (before, after) = (all.slice(crate::s![..-1]), all.slice(crate::s![1..]));
            first.slice(crate::s![1..]).try_assign(after.not_equal(before))?;
        }
        let last = all.mesh()?.enter(|| crate::creation::ones([all.size()], DType::Bool));
        if all.size() > 1 {
            last.slice(crate::s![..-1]).try_assign(first.slice(crate::s![1..]))?;
        }
        all.compress(&first.logical_and(&last)).ok().cloned()
    }))
}
