//! Different elements, and vectors as sets.

use super::order::{Side, argsort, searchsorted, sort};
use crate::array::Array;
use crate::error::{Error, call_site, within};
use crate::manipulation::try_concatenate;
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
        let mask = begins(&sorted)?;
        sorted.compress(&mask).ok().cloned()
    }))
}

/// Where a sorted vector has another element than before.
fn begins(sorted: &Array) -> Result<Array, Error> {
    sorted.ok()?;
    let mesh = sorted.mesh()?;
    let mask = mesh.enter(|| crate::creation::ones([sorted.size()], DType::Bool));
    if sorted.size() > 1 {
        let (before, after) = (sorted.slice(crate::s![..-1]), sorted.slice(crate::s![1..]));
        let mut differs = after.not_equal(&before);
        if sorted.dtype().is_inexact() {
            differs = differs.logical_and(before.isnan().logical_and(after.isnan()).logical_not());
        }
        mask.slice(crate::s![1..]).try_assign(differs)?;
    }
    Ok(mask)
}

/// NumPy's `unique` with all that it can return. Collective over the mesh.
#[track_caller]
pub fn unique_all(array: &Array) -> Result<Unique, Error> {
    let site = call_site();
    within(site, || {
        let line = array.reshape([-1]);
        let order = argsort(&line, 0);
        let sorted = line.take(&order, 0);
        let mask = begins(&sorted)?;
        let starts = crate::indexing::flatnonzero(&mask);
        starts.ok()?;
        let indices = order.take(&starts, 0);
        let values = sorted.take(&starts, 0);
        let count = starts.size();
        let mesh = array.mesh()?;
        let ends = mesh.enter(|| crate::creation::full([count], line.size() as i64, DType::I64));
        if count > 1 {
            ends.slice(crate::s![..-1]).try_assign(starts.slice(crate::s![1..]))?;
        }
        let counts = &ends - &starts;
        // The number of the value of each sorted element, put back where the element stood.
        let numbers = searchsorted(&starts, &index_of(&sorted)?, Side::Right) - 1;
        let inverse = mesh.enter(|| crate::creation::zeros([line.size()], DType::I64));
        crate::indexing::put_along_axis(&inverse, &order, &numbers, 0);
        let inverse = inverse.reshape(array.shape());
        for part in [&values, &indices, &inverse, &counts] {
            part.ok()?;
        }
        Ok(Unique { values, indices, inverse, counts })
    })
}

/// The positions of a vector.
fn index_of(vector: &Array) -> Result<Array, Error> {
    let count = vector.size() as i64;
    vector.mesh()?.enter(|| crate::creation::arange(0, count, 1)).ok().cloned()
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
