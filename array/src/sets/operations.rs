//! Operations on vectors as sets.

use super::unique::{Unique, unique, unique_all};
use crate::array::Array;
use crate::manipulation::try_concatenate;
use crate::sorting::{Side, searchsorted, sort};
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::{DType, promote};

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
        (if invert { is_in.logical_not() } else { is_in }).into_result()
    }))
}

/// NumPy's `union1d`: the elements of either array, in ascending order, each once. Collective.
#[track_caller]
#[must_use]
pub fn union1d(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        unique(&try_concatenate(&[a, b], &().into(), None, site)?).into_result()
    }))
}

/// NumPy's `intersect1d`: the elements of both arrays, in ascending order, each once. Collective.
#[track_caller]
#[must_use]
pub fn intersect1d(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let all = try_concatenate(&[&unique(a), &unique(b)], &0.into(), None, site)?;
        let all = sort(&all, 0);
        if all.size() < 2 {
            return all.slice(crate::s![..0]).copy().into_result();
        }
        let (before, after) = (all.slice(crate::s![..-1]), all.slice(crate::s![1..]));
        before.compress(&before.equal(&after)).into_result()
    }))
}

/// As [`intersect1d`], with the positions of the first occurrence of each element in both arrays.
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
            found.indices.take(&at, 0).into_result()
        };
        let (in_first, in_second) = (places(&first)?, places(&second)?);
        Ok((common, in_first, in_second))
    })
}

/// NumPy's `setdiff1d`: the elements of `a` that are not in `b`, in ascending order, each once.
/// Collective.
#[track_caller]
#[must_use]
pub fn setdiff1d(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let own = unique(a);
        own.compress(&isin(&own, b, true)).into_result()
    }))
}

/// NumPy's `setdiff1d` with `assume_unique`: the elements of `a`, in C order, that are not in `b`.
/// Repeated elements remain. Collective.
#[track_caller]
#[must_use]
pub fn setdiff1d_in_order(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let line = a.reshape([-1]);
        line.compress(&isin(&line, b, true)).into_result()
    }))
}

/// NumPy's `setxor1d`: the elements of exactly one of the arrays, in ascending order, each once.
/// Collective.
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
        all.compress(&first.logical_and(&last)).into_result()
    }))
}
