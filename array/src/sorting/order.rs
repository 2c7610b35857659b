//! Sorting along an axis, the sorting positions, and searches in sorted vectors.

use crate::array::Argument;
use crate::array::Array;
use crate::indexing::take_along_axis;
use crate::manipulation::{along, flip, refused, span};
use crate::recording::{copy_order, line, line_axis, record_along, record_structured};
use phalanx_graph::{DataError, Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{Order, Ranks, SearchSorted, Sort};
use phalanx_ops::{DType, Index, Structured, promote};

pub use phalanx_ops::structured::Side;

fn sorted(array: &Array, axis: Option<i64>, order: Order, site: Site) -> Result<Array, Error> {
    let (array, axis) = line(array, axis, site)?;
    record_sort(&array, axis, |axis| Sort::new(axis, order), site)
}

/// Records a sort along an axis. As in NumPy, elements keep the array's order in memory, and
/// positions are in C order.
fn record_sort(
    array: &Array,
    axis: usize,
    sort: impl Fn(u8) -> Sort,
    site: Site,
) -> Result<Array, Error> {
    let own = sort(axis as u8);
    match own.order {
        Order::Values => {
            record_along(array, axis, copy_order, |axis| Structured::Sort(sort(axis)), site)
        }
        _ => record_structured(Structured::Sort(own), &[array], site),
    }
}

/// NumPy's `sort`: a copy sorted along an axis, or, without an axis, of all elements in C order.
/// The order is ascending and stable, with NaN last.
///
/// Shape: that of the array; a vector without an axis. Local (records a node). Errors:
/// `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn sort(array: &Array, axis: impl Into<Option<i64>>) -> Array {
    Array::catch(sorted(array, axis.into(), Order::Values, call_site()))
}

/// NumPy's `argsort`: the positions (`i64`) that sort the array along an axis; stable. Shapes,
/// collectivity and errors: as for [`sort`].
#[track_caller]
#[must_use]
pub fn argsort(array: &Array, axis: impl Into<Option<i64>>) -> Array {
    let axis = line_axis(array, axis.into());
    Array::catch(sorted(array, axis, Order::Positions, call_site()))
}

/// As [`sort`], in descending order with NaN first.
#[track_caller]
#[must_use]
pub fn sort_descending(array: &Array, axis: impl Into<Option<i64>>) -> Array {
    let (site, axis) = (call_site(), axis.into());
    Array::catch(within(site, || {
        let (array, axis) = line(array, axis, site)?;
        let axis = axis as i64;
        flip(&sort(&array, axis), [axis]).into_result()
    }))
}

/// As [`argsort`], in descending order. Equal elements keep their order, and NaN comes first.
#[track_caller]
#[must_use]
pub fn argsort_descending(array: &Array, axis: impl Into<Option<i64>>) -> Array {
    let (site, axis) = (call_site(), axis.into());
    Array::catch(within(site, || {
        let (array, axis) = line(array, line_axis(array, axis), site)?;
        let (last, axis) = (array.shape()[axis] as i64 - 1, axis as i64);
        // The first flip reverses the order of equal elements, and the second restores it.
        let positions = flip(&argsort(&flip(&array, [axis]), axis), [axis]);
        (last - positions).into_result()
    }))
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
        sort(array, -1).converted(dtype, site).into_result()
    }))
}

/// Checks positions in the sorted order along an axis; negative ones count from the end. As in
/// NumPy, an array without elements accepts any position.
fn check_places(array: &Array, axis: usize, places: &[i64], site: Site) -> Result<(), Error> {
    let extent = array.shape()[axis] as i64;
    let is_outside = |place: &&i64| array.size() > 0 && !(-extent..extent).contains(*place);
    match places.iter().find(is_outside) {
        Some(place) => Err(refused("partition", "kth", place.to_string(), site)),
        None => Ok(()),
    }
}

/// NumPy's `partition`: a copy in which each position of `kth` along an axis has its element of the
/// sorted order, with smaller elements before it and larger elements after it, in any order there.
/// The elements between the least and the greatest of `kth` are sorted. Shapes and collectivity: as
/// for [`sort`]. Errors: `OpError::Axis`, `OpError::Argument` for a position outside the axis.
#[track_caller]
#[must_use]
pub fn partition(array: &Array, kth: &[i64], axis: impl Into<Option<i64>>) -> Array {
    partitioned(array, kth, axis.into(), Order::Values, call_site())
}

/// NumPy's `argpartition`: positions (`i64`) at which a partition has its elements; see
/// [`partition`]. Outside of `kth`, their order may be another one than that of [`partition`].
#[track_caller]
#[must_use]
pub fn argpartition(array: &Array, kth: &[i64], axis: impl Into<Option<i64>>) -> Array {
    let axis = line_axis(array, axis.into());
    partitioned(array, kth, axis, Order::Positions, call_site())
}

fn partitioned(array: &Array, kth: &[i64], axis: Option<i64>, order: Order, site: Site) -> Array {
    Array::catch((|| {
        let (array, axis) = line(array, axis, site)?;
        check_places(&array, axis, kth, site)?;
        let extent = array.shape()[axis] as i64;
        let places = || kth.iter().map(|&at| (if at < 0 { at + extent } else { at }) as usize);
        match (places().min(), places().max()) {
            (Some(first), Some(last)) if array.size() > 0 => {
                let ranks = Ranks { first, last };
                let (array, axis) = (&array, axis as i64);
                within(site, || partitioned_at(array, axis, order, ranks)).into_result()
            }
            // Without a position, any order is right.
            _ => sorted(&array, Some(axis as i64), order, site),
        }
    })())
}

/// A copy along an axis in which the elements of these ranks are in their places, or the positions
/// that the elements had.
#[track_caller]
pub(crate) fn partitioned_at(array: &Array, axis: i64, order: Order, ranks: Ranks) -> Array {
    let site = call_site();
    Array::catch((|| {
        let axis = array.axis(axis, site)?;
        let (extent, dtype) = (array.shape()[axis], array.dtype());
        let sort = |axis| Sort::partition(axis, order, ranks, extent, dtype);
        record_sort(array, axis, sort, site)
    })())
}

/// NumPy's `lexsort`: the positions (`i64`) that sort by several keys of one shape; the last key is
/// the primary one. The position of a 0-d key is 0. Local (records nodes). Errors:
/// `OpError::Arguments` without keys, `OpError::Broadcast`, `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn lexsort(keys: &[Array], axis: i64) -> Array {
    let site = call_site();
    Array::catch((|| {
        let Some((first, others)) = keys.split_first() else {
            let (operation, problem) = ("lexsort", "there are no keys");
            return Err(Error::op(OpError::Arguments { operation, problem }, site));
        };
        first.ok()?;
        for key in others {
            if key.ok()?.shape() != first.shape() {
                let (left, right) = (first.shape().into(), key.shape().into());
                return Err(Error::op(OpError::Broadcast { left, right }, site));
            }
        }
        if first.ndim() == 0 && matches!(axis, -1 | 0) {
            let mesh = first.mesh()?;
            return mesh.enter(|| crate::creation::zeros((), DType::I64)).into_result();
        }
        within(site, || {
            // One stable sort for each key, from the least to the most important.
            let mut positions = argsort(first, axis);
            for key in others {
                let next = argsort(&take_along_axis(key, &positions, axis), axis);
                positions = take_along_axis(&positions, &next, axis);
            }
            positions.into_result()
        })
    })())
}

/// The `count` largest elements along an axis, in descending order, and their positions (`i64`).
/// Local (records nodes). Errors: `OpError::Axis`, `OpError::Argument` for a count above the
/// extent.
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
            let positions = match count {
                0 => argsort(array, axis),
                _ => {
                    let ranks = Ranks { first: extent - count, last: extent - 1 };
                    partitioned_at(array, place as i64, Order::Positions, ranks)
                }
            };
            let positions = positions.slice(along(array.ndim(), place, largest)).copy();
            let values = take_along_axis(array, &positions, axis);
            Ok((values.into_result()?, positions.into_result()?))
        })
    })();
    found.unwrap_or_else(|error| (Array::broken(error.clone()), Array::broken(error)))
}

/// NumPy's `searchsorted`: for each value, the number (`i64`) of elements of the ascending vector
/// `sorted` that precede it.
///
/// Shapes `(n), (…) -> (…)`. If the vector is split, every device counts the elements of its block,
/// and the counts are added; a vector of fewer bytes than the values and counts is gathered
/// instead. Local (records a node).
/// Errors: `OpError::Ndim`.
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
        // Elements that broadcasting repeats are searched once.
        let (one, few) = within(site, || (sorted.unrepeated(), values.unrepeated()));
        let search = Structured::SearchSorted(SearchSorted { side });
        let operands = [&one.converted(dtype, site), &few.converted(dtype, site)];
        let found = record_structured(search, &operands, site)?;
        within(site, || {
            let found = match (one.size(), sorted.size()) {
                (1, all @ 2..) => found * all as i64,
                _ => found,
            };
            found.repeated_to(values.shape()).into_result()
        })
    })())
}

/// NumPy's `searchsorted` with `sorter`: as [`searchsorted`], in a vector that the positions in
/// `order` sort. `order` has one integer for each element.
///
/// Collective if `order` may contain positions outside the vector, else Local. Errors: also
/// `OpError::Dtype` for an order that is not of integers, `OpError::Argument` for an order of
/// another shape, `DataError::IndexRange`.
#[track_caller]
#[must_use]
pub fn searchsorted_by(
    array: &Array,
    order: &Array,
    values: impl Into<Argument>,
    side: Side,
) -> Array {
    let (site, values) = (call_site(), values.into());
    Array::catch(within(site, || {
        if !order.ok()?.dtype().is_integer() {
            let (operation, dtypes) = ("searchsorted", vec![order.dtype()]);
            return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
        }
        if order.shape() != array.ok()?.shape() {
            let value = format!("of shape {:?} for {:?}", order.shape(), array.shape());
            return Err(refused("searchsorted", "sorter", value, site));
        }
        searchsorted(&array.take(order, 0), values, side).into_result()
    }))
}

/// NumPy's `digitize`: the bin (`i64`) of each value among the edges `bins`, a vector that ascends
/// or descends. With `right`, a bin includes its right edge.
///
/// Shapes `(…), (n) -> (…)`. Collective over the mesh: whether the edges are monotone depends on
/// data. Errors: `OpError::Dtype` for complex numbers, `OpError::Ndim`, `DataError::NotMonotone`.
#[track_caller]
#[must_use]
pub fn digitize(values: &Array, bins: &Array, right: bool) -> Array {
    let site = call_site();
    Array::catch((|| {
        for array in [values, bins] {
            if array.ok()?.dtype().is_complex() {
                let (operation, dtypes) = ("digitize", vec![array.dtype()]);
                return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
            }
        }
        if bins.ndim() != 1 {
            let (expected, ndim) = ("1", bins.ndim());
            return Err(Error::op(OpError::Ndim { operation: "digitize", expected, ndim }, site));
        }
        within(site, || {
            let count = bins.size() as i64;
            let (rises, falls) = monotone(bins)?;
            let side = if right { Side::Left } else { Side::Right };
            if rises {
                return searchsorted(bins, values, side).into_result();
            }
            if !falls {
                let expected = "increasing or decreasing";
                return Err(Error::data(DataError::NotMonotone { expected }, site));
            }
            let reversed = bins.slice(crate::s![..;-1]);
            (count - searchsorted(&reversed, values, side)).into_result()
        })
    })())
}

/// Whether a vector never falls, and whether it never rises. The first two neighbours that differ
/// decide which of the two is possible. NaN differs from every number, and is neither less nor
/// greater.
fn monotone(vector: &Array) -> Result<(bool, bool), Error> {
    if vector.size() < 2 {
        return Ok((true, true));
    }
    let (before, after) = (vector.slice(crate::s![..-1]), vector.slice(crate::s![1..]));
    let (rising, falling) = (before.less(&after), before.greater(&after));
    let differs = before.not_equal(&after);
    let first = differs.argmax(0).expand_dims(0);
    // The first read computes all of these values together.
    let (is_equal, begins) = (differs.any(()), rising.take(&first, 0).any(()));
    let (any_rise, any_fall) = (rising.any(()), falling.any(()));
    if !is_equal.item::<bool>()? {
        return Ok((true, true));
    }
    Ok(if begins.item::<bool>()? {
        (!any_fall.item::<bool>()?, false)
    } else {
        (false, !any_rise.item::<bool>()?)
    })
}

impl Array {
    /// NumPy's method `sort`: sorts the array in place along an axis. Local (records nodes).
    /// Errors: as for [`sort`] and [`Array::assign`].
    #[track_caller]
    pub fn sort(&self, axis: i64) {
        if let Err(error) = self.try_sort(axis) {
            self.poison(error);
        }
    }

    /// As [`Array::sort`], but an error is returned and leaves the array unchanged.
    #[track_caller]
    pub fn try_sort(&self, axis: i64) -> Result<(), Error> {
        within(call_site(), || self.try_assign(sort(self, axis)))
    }

    /// See [`argsort`].
    #[track_caller]
    #[must_use]
    pub fn argsort(&self, axis: impl Into<Option<i64>>) -> Array {
        argsort(self, axis)
    }

    /// NumPy's method `partition`: partitions the array in place; see [`partition`].
    #[track_caller]
    pub fn partition(&self, kth: &[i64], axis: i64) {
        if let Err(error) = self.try_partition(kth, axis) {
            self.poison(error);
        }
    }

    /// As [`Array::partition`], but an error is returned and leaves the array unchanged.
    #[track_caller]
    pub fn try_partition(&self, kth: &[i64], axis: i64) -> Result<(), Error> {
        within(call_site(), || self.try_assign(partition(self, kth, axis)))
    }

    /// See [`searchsorted`].
    #[track_caller]
    #[must_use]
    pub fn searchsorted(&self, values: impl Into<Argument>, side: Side) -> Array {
        searchsorted(self, values, side)
    }
}
