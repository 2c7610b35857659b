//! Elements inserted, deleted and appended at positions that are known on the host.

use crate::array::{Array, without_leading};
use crate::creation::{ShapeArgument, ones};
use crate::floating::warn_discarded;
use crate::indexing::{Mode, check_integers, flatnonzero};
use crate::manipulation::argument::{
    AxisList, Positions, along, flat_or_axis, span, with_extent, wrong_mask,
};
use crate::manipulation::join::{blank, mesh_of_all, try_concatenate, write_part};
use crate::manipulation::runs::{MOST_RUNS, runs, runs_between};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::saturating;
use phalanx_ops::{DType, Shape};

/// Fewer positions of an array are read: that takes less time than an operation on them.
const MANY: usize = 1024;

/// A copy without the elements at some positions along an axis; axis `()` uses all elements in C
/// order.
///
/// Local (records one write for each run of positions that remain, or one take if there are many);
/// Collective if the positions are in an array. Errors: `OpError::Index` (`DataError::IndexRange`
/// for an array), `OpError::Axis`, `OpError::Argument` for a mask of another length than the axis,
/// `OpError::Indices` for an array of another dtype.
#[track_caller]
#[must_use]
pub fn delete(array: &Array, positions: impl Into<Positions>, axis: impl Into<AxisList>) -> Array {
    let (site, positions, axis) = (call_site(), positions.into(), axis.into());
    Array::catch((|| {
        let (array, axis) = flat_or_axis(array, &axis, "delete", site)?;
        let extent = array.shape()[axis];
        if let Positions::Array(positions) = &positions
            && positions.ok()?.size() >= MANY
            && positions.mesh()?.same(&array.mesh()?)
        {
            return delete_by(&array, positions, axis, site);
        }
        let mut gone = positions.resolve(axis, extent, site)?;
        gone.sort_unstable();
        gone.dedup();
        if gone.len() < MOST_RUNS {
            return array.arranged_in_runs(&runs_between(&gone, extent), axis, site);
        }
        let mut stays = vec![true; extent];
        gone.iter().for_each(|&position| stays[position] = false);
        let kept: Vec<usize> = (0..extent).filter(|&position| stays[position]).collect();
        array.arranged(&kept, axis, site)
    })())
}

/// As [`delete`], for many positions, or a mask, in an array.
fn delete_by(array: &Array, positions: &Array, axis: usize, site: Site) -> Result<Array, Error> {
    let extent = array.shape()[axis];
    let stays = match positions.dtype() {
        DType::Bool if positions.shape() == [extent] => within(site, || positions.logical_not()),
        DType::Bool => return Err(wrong_mask(positions.size(), extent, site)),
        _ => {
            check_integers(positions, site)?;
            let mesh = array.mesh()?;
            let stays = mesh.enter(|| within(site, || ones(extent, DType::Bool)));
            within(site, || stays.try_put(positions, false, Mode::Raise))?;
            stays
        }
    };
    within(site, || match array.ndim() {
        1 => array.compress(&stays).into_result(),
        _ => array.take(&flatnonzero(&stays), axis as i64).into_result(),
    })
}

/// A copy with `values` inserted before some positions along an axis; axis `()` uses all elements
/// in C order.
///
/// The values are cast to the dtype of the array and broadcast as in NumPy. At a single position
/// all slices of the values along the axis are inserted. A mask may have any length. Local (records
/// one write for each run of positions, or one take if there are many). Errors: `OpError::Index`,
/// `OpError::Axis`, `OpError::BroadcastInto`.
#[track_caller]
#[must_use]
pub fn insert(
    array: &Array,
    positions: impl Into<Positions>,
    values: &Array,
    axis: impl Into<AxisList>,
) -> Array {
    let (site, positions, axis) = (call_site(), positions.into(), axis.into());
    Array::catch((|| {
        values.ok()?;
        let (array, axis) = flat_or_axis(array, &axis, "insert", site)?;
        let positions = positions.on_host(site)?;
        let extent = array.shape()[axis];
        // The position after the last element is allowed too.
        let bound = |position: i64| {
            let found =
                if position < 0 { position.saturating_add(saturating(extent)) } else { position };
            if (0..=saturating(extent)).contains(&found) {
                return Ok(found as usize);
            }
            Err(Error::op(OpError::Index { index: position, axis, extent }, site))
        };
        let at = match &positions {
            Positions::One(position) => vec![bound(*position)?],
            Positions::Many(positions) => {
                positions.iter().map(|&position| bound(position)).collect::<Result<_, _>>()?
            }
            Positions::Mask(mask) => {
                let places = (0..mask.len() as i64).zip(mask).filter(|(_, is_true)| **is_true);
                places.map(|(place, _)| bound(place)).collect::<Result<_, _>>()?
            }
            slice => slice.resolve(axis, extent, site)?,
        };
        warn_discarded(values.dtype(), array.dtype(), site)?;
        let values = if values.ndim() < array.ndim() {
            let mut shape = vec![1; array.ndim() - values.ndim()];
            shape.extend_from_slice(values.shape());
            within(site, || values.reshape(shape))
        } else {
            values.clone()
        };
        if let [position] = at[..] {
            let is_number = matches!(positions, Positions::One(_));
            let values = if is_number {
                within(site, || super::moveaxis(&values, 0, axis as i64))
            } else {
                values
            };
            return insert_at_one(&array, position, &values, axis, site);
        }
        insert_at_many(&array, &at, &values, axis, site)
    })())
}

fn result_of(
    array: &Array,
    values: &Array,
    axis: usize,
    added: usize,
    site: Site,
) -> Result<Array, Error> {
    let shape = with_extent(array.shape(), axis, array.shape()[axis].saturating_add(added));
    let mesh = mesh_of_all([array, values], site)?;
    let fortran: Option<Vec<usize>> =
        array.is_fortran()?.then(|| (0..array.ndim()).rev().collect());
    blank(&mesh, &shape, array.dtype(), fortran.as_deref(), site)
}

fn insert_at_one(
    array: &Array,
    position: usize,
    values: &Array,
    axis: usize,
    site: Site,
) -> Result<Array, Error> {
    let (ndim, extent) = (array.ndim(), array.shape()[axis]);
    let added = values.ok()?.shape()[axis];
    let result = result_of(array, values, axis, added, site)?;
    let old = |start, stop| within(site, || array.slice(along(ndim, axis, span(start, stop))));
    let place = |start, stop| along(ndim, axis, span(start, stop));
    write_part(&result, &place(0, position), old(0, position), site)?;
    write_part(&result, &place(position, position + added), values, site)?;
    let rest = place(position + added, extent + added);
    write_part(&result, &rest, old(position, extent), site)?;
    Ok(result)
}

fn insert_at_many(
    array: &Array,
    at: &[usize],
    values: &Array,
    axis: usize,
    site: Site,
) -> Result<Array, Error> {
    let (ndim, extent) = (array.ndim(), array.shape()[axis]);
    // Each position moves by the number of elements inserted before it.
    let mut order: Vec<usize> = (0..at.len()).collect();
    order.sort_by_key(|&k| at[k]);
    let mut places = at.to_vec();
    for (before, &k) in order.iter().enumerate() {
        places[k] += before;
    }
    let total = extent + at.len();
    let result = result_of(array, values, axis, at.len(), site)?;
    let shape = with_extent(array.shape(), axis, at.len());
    let spread = within(site, || without_leading(values, ndim).broadcast_to(shape.as_slice()));
    spread.ok()?;
    let few = runs(&places).filter(|_| at.len() < MOST_RUNS);
    if let Some(new) = few {
        let ascending: Vec<usize> = order.iter().map(|&k| places[k]).collect();
        result.arrange_from(&spread, &new, axis, site)?;
        result.arrange_from(array, &runs_between(&ascending, total), axis, site)?;
    } else {
        // New elements follow the old ones, in the order in which they are given.
        let mut from = vec![usize::MAX; total];
        places.iter().enumerate().for_each(|(k, &place)| from[place] = extent + k);
        let old = from.iter_mut().filter(|position| **position == usize::MAX);
        old.enumerate().for_each(|(k, position)| *position = k);
        let axes = AxisList::from(axis as i64);
        let joined = try_concatenate(&[array, &spread], &axes, Some(array.dtype()), site)?;
        let taken = joined.taken_at(&from, axis, site)?;
        within(site, || result.try_assign(&taken))?;
    }
    debug_assert_eq!(result.ndim(), ndim, "bug: an insertion changed the number of axes");
    Ok(result)
}

/// A copy with `values` after the last element along an axis; axis `()` flattens both arrays first.
/// Dtype: the promotion of both. Local. Errors: as for [`concatenate`](crate::concatenate).
#[track_caller]
#[must_use]
pub fn append(array: &Array, values: &Array, axis: impl Into<AxisList>) -> Array {
    let (site, axis) = (call_site(), axis.into());
    Array::catch(try_concatenate(&[array, values], &axis, None, site))
}

/// An array of another shape, filled with the elements in C order. The elements repeat if the
/// result is larger; a result of an empty array has zeros. Local (records nodes). Errors:
/// `OpError::Argument` for a negative extent.
#[track_caller]
#[must_use]
pub fn resize(array: &Array, shape: impl Into<ShapeArgument>) -> Array {
    let (site, shape) = (call_site(), shape.into());
    Array::catch((|| {
        array.ok()?;
        let shape: Shape = shape.resolve(array.dtype().size(), site)?;
        try_resize(array, &shape, site)
    })())
}

pub(crate) fn try_resize(array: &Array, shape: &[usize], site: Site) -> Result<Array, Error> {
    let (size, wanted) = (array.size(), phalanx_ops::shape::size(shape));
    if size == 0 || wanted == 0 {
        return blank(&array.mesh()?, shape, array.dtype(), None, site);
    }
    let flat = within(site, || array.ravel());
    if wanted <= size {
        let part = within(site, || flat.slice([span(0, wanted)]));
        return part.ok()?.copied_as(shape, site);
    }
    let times = wanted.div_ceil(size);
    crate::recording::check_shape(&[times, size], DType::I8, site)?;
    let all = within(site, || flat.broadcast_to([times, size])).copied_as(&[times * size], site)?;
    if times * size == wanted {
        return all.copied_as(shape, site);
    }
    let part = within(site, || all.slice([span(0, wanted)]));
    part.ok()?.copied_as(shape, site)
}
