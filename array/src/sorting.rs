//! Sorting and searching.
//!
//! Lines are sorted where they lie; an axis that is split is brought together by splitting another
//! one, and a vector, which has no other, is gathered. The plan says so.

use crate::array::Array;
use crate::error::{Error, Site, call_site, within};
use crate::indexing::take_along_axis;
use crate::manipulation::{along, refused, span, try_concatenate};
use crate::operand::Argument;
use crate::structured::{line, line_axis, record_structured};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{Order, SearchSorted, Sort};
use phalanx_ops::{DType, Index, Structured, promote};

pub use phalanx_ops::structured::Side;

fn sorted(array: &Array, axis: Option<i64>, order: Order, site: Site) -> Result<Array, Error> {
    let (array, axis) = line(array, axis, site)?;
    record_structured(Structured::Sort(Sort { axis: axis as u8, order }), &[&array], site)
}

/// NumPy's `sort`: a sorted copy, ascending and stable, NaN last, along an axis (without one, of
/// all elements in C order).
///
/// Shape: that of the array, without an axis a vector. Local (records a node). Errors:
/// `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn sort(array: &Array, axis: impl Into<Option<i64>>) -> Array {
    Array::catch(sorted(array, axis.into(), Order::Values, call_site()))
}

/// NumPy's `argsort`: the positions (`i64`) along an axis that would sort it; stable. Shapes,
/// collectivity and errors as [`sort`].
#[track_caller]
#[must_use]
pub fn argsort(array: &Array, axis: impl Into<Option<i64>>) -> Array {
    let axis = line_axis(array, axis.into());
    Array::catch(sorted(array, axis, Order::Positions, call_site()))
}

/// NumPy's `sort_complex`: the elements sorted along the last axis, as complex numbers. Local.
#[track_caller]
#[must_use]
pub fn sort_complex(array: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let dtype = match array.dtype() {
            DType::I8 | DType::U8 | DType::I16 | DType::U16 | DType::C64 => DType::C64,
            _ => DType::C128,
        };
        sort(array, -1).converted(dtype, site).ok().cloned()
    }))
}

/// A place in a sorted order within an extent; negative ones count from the end.
fn check_places(places: &[i64], extent: usize, site: Site) -> Result<(), Error> {
    let is_outside = |place: &&i64| !(-(extent as i64)..extent as i64).contains(*place);
    match places.iter().find(is_outside) {
        Some(place) => Err(refused("partition", "kth", place.to_string(), site)),
        None => Ok(()),
    }
}

/// NumPy's `partition`: a copy in which the elements at the places `kth` along an axis are those of
/// the sorted order, smaller ones before and larger ones after them. It is sorted altogether.
/// Shapes and collectivity as [`sort`]. Errors: `OpError::Axis`, `OpError::Argument` for a place
/// outside of the axis.
#[track_caller]
#[must_use]
pub fn partition(array: &Array, kth: &[i64], axis: impl Into<Option<i64>>) -> Array {
    partitioned(array, kth, axis.into(), Order::Values, call_site())
}

/// NumPy's `argpartition`: the positions that [`partition`] takes its elements from.
#[track_caller]
#[must_use]
pub fn argpartition(array: &Array, kth: &[i64], axis: impl Into<Option<i64>>) -> Array {
    partitioned(array, kth, axis.into(), Order::Positions, call_site())
}

fn partitioned(array: &Array, kth: &[i64], axis: Option<i64>, order: Order, site: Site) -> Array {
    Array::catch((|| {
        let (array, axis) = line(array, axis, site)?;
        check_places(kth, array.shape()[axis], site)?;
        record_structured(Structured::Sort(Sort { axis: axis as u8, order }), &[&array], site)
    })())
}

/// NumPy's `lexsort`: the positions (`i64`) that sort by several keys of one shape, the last of
/// which comes first. Local (records nodes). Errors: `OpError::Argument` without keys,
/// `OpError::Broadcast`, `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn lexsort(keys: &[Array], axis: i64) -> Array {
    let site = call_site();
    Array::catch((|| {
        let Some((first, others)) = keys.split_first() else {
            return Err(refused("lexsort", "keys", "[]", site));
        };
        for key in others {
            if key.ok()?.shape() != first.ok()?.shape() {
                let (left, right) = (first.shape().into(), key.shape().into());
                return Err(Error::op(OpError::Broadcast { left, right }, site));
            }
        }
        within(site, || {
            // Stable sorts by one key after the other, the least important one first.
            let mut positions = argsort(first, axis);
            for key in others {
                let next = argsort(&take_along_axis(key, &positions, axis), axis);
                positions = take_along_axis(&positions, &next, axis);
            }
            positions.ok().cloned()
        })
    })())
}

/// The `count` largest elements along an axis, the largest first, and their positions (`i64`).
/// Local (records nodes). Errors: `OpError::Axis`, `OpError::Argument` for more than there are.
#[track_caller]
pub fn topk(array: &Array, count: usize, axis: i64) -> (Array, Array) {
    let site = call_site();
    let found = (|| {
        array.ok()?;
        let place = array.axis(axis, site)?;
        let extent = array.shape()[place];
        if count > extent {
            return Err(refused("topk", "count", count.to_string(), site));
        }
        within(site, || {
            let stop = (extent > count).then(|| (extent - count) as i64 - 1);
            let largest = match count {
                0 => span(0, 0),
                _ => Index::Range { start: None, stop, step: -1 },
            };
            let positions = argsort(array, axis);
            let positions = positions.slice(along(array.ndim(), place, largest)).copy();
            let values = take_along_axis(array, &positions, axis);
            Ok((values.ok()?.clone(), positions.ok()?.clone()))
        })
    })();
    found.unwrap_or_else(|error| (Array::broken(error.clone()), Array::broken(error)))
}

/// NumPy's `searchsorted`: the number (`i64`) of elements of the vector `sorted`, ascending, that
/// come before each value.
///
/// Shapes `(n), (…) -> (…)`. The vector is brought whole to every device. Local (records a node).
/// Errors: `OpError::Ndim`, `OpError::OutOfRange`.
#[track_caller]
#[must_use]
pub fn searchsorted(sorted: &Array, values: impl Into<Argument>, side: Side) -> Array {
    let (site, values) = (call_site(), values.into());
    Array::catch((|| {
        sorted.ok()?;
        if sorted.ndim() != 1 {
            let (expected, ndim) = ("1", sorted.ndim());
            let error = OpError::Ndim { operation: "searchsorted", expected, ndim };
            return Err(Error::op(error, site));
        }
        let values = crate::indexing::operand_array(&values, sorted, site)?;
        let dtype = promote(sorted.dtype(), values.dtype());
        let (sorted, values) = (sorted.converted(dtype, site), values.converted(dtype, site));
        let search = Structured::SearchSorted(SearchSorted { side });
        record_structured(search, &[&sorted, &values], site)
    })())
}

/// NumPy's `digitize`: the bin (`i64`) of each value among the edges `bins`, a vector that ascends
/// or descends; `right` says that a bin holds its right edge.
///
/// Shapes `(…), (n) -> (…)`. Collective over the mesh: whether the edges are monotone depends on
/// data. Errors: `OpError::Ndim`, `DataError::NotMonotone`.
#[track_caller]
#[must_use]
pub fn digitize(values: &Array, bins: &Array, right: bool) -> Array {
    let site = call_site();
    Array::catch((|| {
        bins.ok()?;
        if bins.ndim() != 1 {
            let (expected, ndim) = ("1", bins.ndim());
            return Err(Error::op(OpError::Ndim { operation: "digitize", expected, ndim }, site));
        }
        within(site, || {
            let count = bins.size() as i64;
            let (rises, falls) = monotone(bins)?;
            let side = if right { Side::Left } else { Side::Right };
            if rises {
                return searchsorted(bins, values, side).ok().cloned();
            }
            if !falls {
                return Err(Error::data(crate::error::DataError::NotMonotone, site));
            }
            let side = if right { Side::Right } else { Side::Left };
            let reversed = bins.slice(crate::s![..;-1]);
            (count - searchsorted(&reversed, values, side)).ok().cloned()
        })
    })())
}

/// Whether a vector never falls, and whether it never rises.
pub(crate) fn monotone(vector: &Array) -> Result<(bool, bool), Error> {
    if vector.size() < 2 {
        return Ok((true, true));
    }
    let (before, after) = (vector.slice(crate::s![..-1]), vector.slice(crate::s![1..]));
    let (rises, falls) = (before.less_equal(&after).all(()), before.greater_equal(&after).all(()));
    Ok((rises.item::<bool>()?, falls.item::<bool>()?))
}

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

impl Array {
    /// NumPy's method `sort`: sorts the array in place along an axis. Local (records nodes).
    /// Errors as [`sort`] and [`Array::assign`].
    #[track_caller]
    pub fn sort(&self, axis: i64) {
        let site = call_site();
        if let Err(error) = within(site, || self.try_assign(sort(self, axis))) {
            self.poison(error);
        }
    }

    /// See [`argsort`].
    #[track_caller]
    #[must_use]
    pub fn argsort(&self, axis: impl Into<Option<i64>>) -> Array {
        argsort(self, axis)
    }

    /// NumPy's method `partition`: in place; see [`partition`].
    #[track_caller]
    pub fn partition(&self, kth: &[i64], axis: i64) {
        let site = call_site();
        if let Err(error) = within(site, || self.try_assign(partition(self, kth, axis))) {
            self.poison(error);
        }
    }

    /// See [`searchsorted`].
    #[track_caller]
    #[must_use]
    pub fn searchsorted(&self, values: impl Into<Argument>, side: Side) -> Array {
        searchsorted(self, values, side)
    }
}
