//! Elements repeated: each as often as a number says, or as its own count says.

use crate::array::{Array, check_casting_at};
use crate::creation::{Extent, ones, zeros};
use crate::manipulation::argument::{AxisList, flat_or_axis, refused, span, with_extent};
use crate::manipulation::atleast::atleast_1d;
use crate::recording::record_structured;
use phalanx_graph::{Cause, Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{Put, Scan, Take};
use phalanx_ops::{Casting, DType, Op, Shape, Structured};

/// Fewer counts than this are read on the host: a plan takes longer.
const FEW: usize = 1024;

/// Each element repeated `count` times in a row along an axis. With axis `()` the elements are
/// repeated in C order, and the result has one axis. Local (records nodes). Errors:
/// `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn repeat(array: &Array, count: usize, axis: impl Into<AxisList>) -> Array {
    let (site, axis) = (call_site(), axis.into());
    Array::catch((|| {
        array.ok()?;
        let array = within(site, || atleast_1d(array));
        let (array, axis) = flat_or_axis(&array, &axis, "repeat", site)?;
        repeated(&array, axis, count, site)
    })())
}

fn repeated(array: &Array, axis: usize, count: usize, site: Site) -> Result<Array, Error> {
    let mut long: Shape = array.shape().into();
    long[axis] = long[axis].saturating_mul(count);
    crate::recording::check_shape(&long, array.dtype(), site)?;
    let mut wide: Shape = array.shape().into();
    wide.insert(axis + 1, count);
    let wide = within(site, || array.expand_dims(axis as i64 + 1).broadcast_to(wide.as_slice()));
    wide.ok()?.copied_as(&long, site)
}

/// As [`repeat`], with a count for each position along the axis, or one count for all. Errors: also
/// `OpError::Argument` for a negative count, and for a number of counts that differs from the
/// number of positions.
#[track_caller]
#[must_use]
pub fn repeat_each<T: Extent + Copy>(
    array: &Array,
    counts: &[T],
    axis: impl Into<AxisList>,
) -> Array {
    let (site, axis) = (call_site(), axis.into());
    Array::catch((|| {
        array.ok()?;
        let array = within(site, || atleast_1d(array));
        let (array, axis) = flat_or_axis(&array, &axis, "repeat", site)?;
        let count =
            |count: &T| usize::try_from(count.extent()).map_err(|_| negative(count.extent(), site));
        let counts = counts.iter().map(count).collect::<Result<Vec<usize>, Error>>()?;
        if let [count] = counts[..] {
            return repeated(&array, axis, count, site);
        }
        check_number(&array, axis, counts.len(), site)?;
        let total = counts.iter().fold(0usize, |sum, &count| sum.saturating_add(count));
        check_total(&array, axis, total, site)?;
        let times = |(position, &count)| std::iter::repeat_n(position, count);
        let positions: Vec<usize> = counts.iter().enumerate().flat_map(times).collect();
        array.arranged(&positions, axis, site)
    })())
}

/// As [`repeat_each`], with the counts in an array of at most one axis.
///
/// Collective over the mesh: the length depends on data. Errors: also `OpError::Cast` for counts
/// that are no integers, and for `u64`, as in NumPy.
///
/// ```
/// # use phalanx_array as phalanx;
/// # fn example(counts: &phalanx::Array) -> Result<(), phalanx::Error> {
/// let rows = phalanx::arange(0, counts.size() as i64, 1);
/// let rows = phalanx::repeat_by(&rows, counts, ());
/// assert_eq!(rows.size() as i64, counts.sum(()).item::<i64>()?);
/// # Ok(())
/// # }
/// ```
#[track_caller]
#[must_use]
pub fn repeat_by(array: &Array, counts: &Array, axis: impl Into<AxisList>) -> Array {
    let (site, axis) = (call_site(), axis.into());
    Array::catch((|| {
        array.ok()?;
        check_casting_at(counts.ok()?.dtype(), DType::I64, Casting::Safe, site)?;
        if counts.ndim() > 1 {
            let (operation, ndim) = ("repeat, for the counts", counts.ndim());
            return Err(Error::op(OpError::Ndim { operation, expected: "0 or 1", ndim }, site));
        }
        if counts.size() < FEW {
            let counts = within(site, || counts.to_vec::<i64>())?;
            return within(site, || repeat_each(array, &counts, axis).into_result());
        }
        let array = within(site, || atleast_1d(array));
        let (array, axis) = flat_or_axis(&array, &axis, "repeat", site)?;
        check_number(&array, axis, counts.size(), site)?;
        repeated_by(&array, axis, &counts.converted(DType::I64, site), site)
    })())
}

/// Each element along an axis as often as its count: the element at a place is the number of
/// counts whose sum with those before is at most the place.
fn repeated_by(array: &Array, axis: usize, counts: &Array, site: Site) -> Result<Array, Error> {
    let number = counts.size();
    let scan = |array: &Array| {
        let scan = Scan { op: Op::Add, axis: 0, in_order: false };
        record_structured(Structured::Scan(scan), &[array], site)
    };
    let ends = scan(counts)?;
    // All are recorded before one is read, so that one plan computes them.
    let facts = within(site, || {
        let last = ends.slice([span(number - 1, number)]);
        [counts.min(()), counts.max(()), last]
    });
    let mut read = [0i64; 3];
    for (read, fact) in read.iter_mut().zip(&facts) {
        *read = fact.to_host_for(Cause::Data, site)?.to_vec::<i64>()[0];
    }
    let [least, most, total] = read;
    if least < 0 {
        return Err(negative(least, site));
    }
    let fits = most.checked_mul(number as i64).is_some();
    let total = if fits { total as usize } else { usize::MAX };
    check_total(array, axis, total, site)?;
    // Where an element ends, the next one begins; the last end is not needed. Elements that are
    // repeated no times end where the one before does.
    let ends = within(site, || ends.slice([span(0, number - 1)]));
    let [none, one] = counts
        .mesh()?
        .enter(|| within(site, || [zeros(total + 1, DType::I64), ones(number - 1, DType::I64)]));
    let put = Put { axis: 0, op: Some(Op::Add), in_order: false };
    let positions = scan(&none.put_resolved(put, &ends, &one, site)?)?;
    let positions = within(site, || positions.slice([span(0, total)]));
    let take = Structured::Take(Take { axis: axis as u8 });
    record_structured(take, &[array, &positions], site)
}

fn negative(count: i64, site: Site) -> Error {
    refused("repeat", "repeats", format!("{count}, a negative count,"), site)
}

/// Checks that there is a count for each position along an axis.
fn check_number(array: &Array, axis: usize, counts: usize, site: Site) -> Result<(), Error> {
    if counts == array.shape()[axis] {
        return Ok(());
    }
    Err(refused("repeat", "repeats", format!("{counts} counts"), site))
}

/// Checks that there may be so many elements along an axis.
fn check_total(array: &Array, axis: usize, total: usize, site: Site) -> Result<(), Error> {
    crate::recording::check_shape(&with_extent(array.shape(), axis, total), array.dtype(), site)
}
