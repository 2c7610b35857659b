//! Reading and writing at positions that differ from line to line of an axis.

use super::advanced::AnyIndex;
use super::positions::{Mode, argument_array, resolved, unread};
use crate::array::Argument;
use crate::array::{Array, without_leading};
use crate::floating::warn_assigned;
use crate::manipulation::with_extent;
use crate::recording::record_structured;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::Structured;
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{Put, TakeAlong};

/// NumPy's `take_along_axis`: `y[…, k, …] = a[…, positions[…, k, …], …]`; the other axes broadcast.
/// Without an axis, `positions` is a vector of positions among all elements in C order.
///
/// Collective if positions may be outside the axis, else Local. Errors: `OpError::Axis`,
/// `OpError::Ndim`, `OpError::IndexShapes`, `OpError::Indices`, `DataError::IndexRange`.
#[track_caller]
#[must_use]
pub fn take_along_axis(array: &Array, positions: &Array, axis: impl Into<Option<i64>>) -> Array {
    let (site, axis) = (call_site(), axis.into());
    Array::catch((|| {
        array.ok()?;
        let Some(axis) = axis else {
            check_vector("take_along_axis", positions, site)?;
            let line = within(site, || array.reshape([-1]));
            return within(site, || take_along_axis(&line, positions, 0)).into_result();
        };
        let axis = array.axis(axis, site)?;
        let (array, positions) = aligned("take_along_axis", array, positions, axis, site)?;
        let take = Structured::TakeAlong(TakeAlong { axis: axis as u8 });
        record_structured(take, &[&array, &positions], site)
    })())
}

/// NumPy's `put_along_axis`: `a[…, positions[…, k, …], …] = values[…, k, …]`; the other axes
/// broadcast. At positions that occur several times, the last value is kept. Without an axis,
/// `positions` is a vector of positions among all elements in C order.
///
/// Collectivity and errors: as for [`take_along_axis`] and [`Array::assign`]. If the positions are
/// wider than the array along the other axes, every device receives the whole array.
#[track_caller]
pub fn put_along_axis(
    array: &Array,
    positions: &Array,
    values: impl Into<Argument>,
    axis: impl Into<Option<i64>>,
) {
    let site = call_site();
    if let Err(error) = within(site, || try_put_along_axis(array, positions, values, axis)) {
        array.poison(error);
    }
}

/// As [`put_along_axis`], but an error is returned and leaves the array unchanged.
#[track_caller]
pub fn try_put_along_axis(
    array: &Array,
    positions: &Array,
    values: impl Into<Argument>,
    axis: impl Into<Option<i64>>,
) -> Result<(), Error> {
    let (site, values) = (call_site(), values.into());
    warn_assigned(&values, array.ok()?.dtype(), site)?;
    let Some(axis) = axis.into() else {
        check_vector("put_along_axis", positions, site)?;
        return within(site, || array.try_put(positions, values, Mode::Raise));
    };
    let axis = array.axis(axis, site)?;
    let (widened, positions) = aligned("put_along_axis", array, positions, axis, site)?;
    if widened.shape() != array.shape() {
        // There are several lines of positions for one line of the array.
        let index = |own: usize| {
            if own == axis {
                return Ok(AnyIndex::Array(positions.clone()));
            }
            let (mesh, extent) = (array.mesh()?, array.shape()[own]);
            let mut shape = vec![1; array.ndim()];
            shape[own] = extent;
            let all = mesh.enter(|| crate::creation::arange(0, extent as i64, 1));
            Ok(AnyIndex::Array(all.reshape(shape).into_result()?))
        };
        return within(site, || {
            let items = (0..array.ndim()).map(index).collect::<Result<Vec<_>, Error>>()?;
            array.try_assign_index(items, values)
        });
    }
    let values = argument_array(&values, array, site)?;
    let values = within(site, || {
        let values = without_leading(&values, positions.ndim());
        values.broadcast_to(positions.shape()).into_result()
    })?;
    let put = Put { axis: axis as u8, op: None, in_order: false };
    within(site, || array.rewrite(|| array.put_resolved(put, &positions, &values, site), site))
}

/// An array and resolved positions along one of its axes, both broadcast along the other axes. As
/// in NumPy, positions are not checked if nothing is read.
fn aligned(
    operation: &'static str,
    array: &Array,
    positions: &Array,
    axis: usize,
    site: Site,
) -> Result<(Array, Array), Error> {
    if positions.ok()?.ndim() != array.ndim() {
        let (expected, ndim) = ("as many as the array", positions.ndim());
        return Err(Error::op(OpError::Ndim { operation, expected, ndim }, site));
    }
    let [left, right] = [array, positions].map(|array| with_extent(array.shape(), axis, 1));
    let shape = phalanx_ops::shape::broadcast(&left, &right).map_err(|_| {
        let shapes = vec![left, positions.shape().into()];
        Error::op(OpError::IndexShapes { shapes }, site)
    })?;
    let with = |array: &Array| {
        let own = with_extent(&shape, axis, array.shape()[axis]);
        within(site, || array.broadcast_to(own.as_slice()).into_result())
    };
    let resolved = if shape.contains(&0) {
        unread(positions, positions.shape(), site)?
    } else {
        resolved(positions, (axis, array.shape()[axis]), Mode::Raise, site)?
    };
    Ok((with(array)?, with(&resolved)?))
}

/// Returns an error for positions that are not a vector.
fn check_vector(operation: &'static str, positions: &Array, site: Site) -> Result<(), Error> {
    match positions.ok()?.ndim() {
        1 => Ok(()),
        ndim => Err(Error::op(OpError::Ndim { operation, expected: "1", ndim }, site)),
    }
}
