//! Positions of elements: those that satisfy a condition, and conversions between indices and
//! positions in C order.

use super::linear::{along, steps};
use super::positions::{Mode, resolved, whole};
use crate::array::{Argument, Array, check_casting_at, wrapped_number};
use crate::creation::zeros;
use crate::dtypes::{choice_in, result_type};
use crate::manipulation::{MemoryOrder, concatenate, refused, span};
use crate::math::select;
use phalanx_graph::{DataError, Error, NodeOp, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::{broadcast, check_ndim};
use phalanx_ops::{Casting, DType, Shape};

/// The largest number of elements for each device that one search covers. A search needs memory for
/// the positions of all its elements, however few it finds.
const PIECE: usize = 1 << 23;

/// The positions in C order of the nonzero elements.
pub(super) fn positions_of(array: &Array, site: Site) -> Result<Array, Error> {
    let (all, most) = (array.ok()?.size(), PIECE * array.mesh()?.mesh().devices());
    if all > most {
        return within(site, || in_pieces(&array.reshape([-1]), most));
    }
    within(site, || {
        let mask = array.converted(DType::Bool, site).reshape([-1]);
        let shape = mask.shape().into();
        let node = array.mesh()?.record(NodeOp::Index(0), &[], shape, DType::I64, site)?;
        let positions = Array::from_node(array.mesh()?, node);
        positions.compress(&mask).into_result()
    })
}

/// As `positions_of`, for a long vector: `most` elements at a time.
fn in_pieces(array: &Array, most: usize) -> Result<Array, Error> {
    let mut found = Vec::new();
    for start in (0..array.size()).step_by(most) {
        let piece = array.slice([span(start, (start + most).min(array.size()))]);
        let positions = positions_of(&piece, call_site())?;
        let moved = &positions + start as i64;
        // The memory of `positions` has room for the whole piece. `moved` is computed while
        // `positions` is in use, so that it cannot reuse that memory. The memory is then freed.
        moved.evaluate()?;
        drop(positions);
        found.push(moved);
    }
    concatenate(&found.iter().collect::<Vec<_>>(), 0).into_result()
}

/// NumPy's `nonzero`: for each axis the indices (`i64`) of the nonzero elements, in C order.
/// Collective over the mesh: the length depends on data.
///
/// Errors: `OpError::Ndim` for a 0-d array.
#[track_caller]
pub fn nonzero(array: &Array) -> Result<Vec<Array>, Error> {
    let site = call_site();
    array.ok()?;
    if array.ndim() == 0 {
        let error = OpError::Ndim { operation: "nonzero", expected: "at least 1", ndim: 0 };
        return Err(Error::op(error, site));
    }
    let positions = positions_of(array, site)?;
    (0..array.ndim()).map(|axis| along(&positions, array.shape(), axis, site)).collect()
}

/// NumPy's `flatnonzero`: the positions (`i64`) in C order of the nonzero elements. Collective over
/// the mesh.
#[track_caller]
#[must_use]
pub fn flatnonzero(array: &Array) -> Array {
    Array::catch(positions_of(array, call_site()))
}

/// NumPy's `argwhere`: the indices of the nonzero elements, one element in each row.
///
/// Shape `(count, ndim)`, dtype `i64`. Collective over the mesh.
#[track_caller]
#[must_use]
pub fn argwhere(array: &Array) -> Array {
    let site = call_site();
    Array::catch((|| {
        let positions = positions_of(array, site)?;
        let (count, ndim) = (positions.size(), array.ndim());
        within(site, || {
            let mesh = array.mesh()?;
            let vector = |numbers: &[i64]| {
                mesh.enter(|| crate::creation::from_slice(numbers, [numbers.len()]))
            };
            let shape: Vec<i64> = array.shape().iter().map(|&e| e.max(1) as i64).collect();
            // As in NumPy, the indices along an axis are adjacent in memory.
            let rows = positions.reshape([1, count]).broadcast_to([ndim, count]);
            let along_axes = |numbers: &[i64]| vector(numbers).reshape([ndim, 1]);
            let indices =
                rows.floor_divide(along_axes(&steps(array.shape()))).remainder(along_axes(&shape));
            indices.transpose([1, 0]).into_result()
        })
    })())
}

/// NumPy's `unravel_index`: the indices along each axis of an array of this shape, for positions in
/// C order.
///
/// Collective. Errors: `OpError::Cast`, `OpError::TooLarge` for a shape with more elements than can
/// be counted, `OpError::Ndim` for an array of positions in a 0-d shape,
/// `DataError::PositionRange`.
#[track_caller]
pub fn unravel_index(positions: &Array, shape: &[usize]) -> Result<Vec<Array>, Error> {
    let site = call_site();
    let extent = if shape.contains(&0) { 0 } else { elements(shape, site)? };
    let wide = checked(positions, extent, site)?;
    if shape.is_empty() && positions.ndim() > 0 {
        let (operation, ndim) = ("unravel_index", positions.ndim());
        return Err(Error::op(OpError::Ndim { operation, expected: "0", ndim }, site));
    }
    (0..shape.len()).map(|axis| along(&wide, shape, axis, site)).collect()
}

/// As [`unravel_index`], for positions in C or Fortran order. Errors: also `OpError::Argument` for
/// another order.
#[track_caller]
pub fn unravel_index_in(
    positions: &Array,
    shape: &[usize],
    order: MemoryOrder,
) -> Result<Vec<Array>, Error> {
    let site = call_site();
    if !is_reversed("unravel_index", order, site)? {
        return within(site, || unravel_index(positions, shape));
    }
    let reversed: Vec<usize> = shape.iter().rev().copied().collect();
    let mut indices = within(site, || unravel_index(positions, &reversed))?;
    indices.reverse();
    Ok(indices)
}

/// Whether positions count the first axis fastest.
fn is_reversed(operation: &'static str, order: MemoryOrder, site: Site) -> Result<bool, Error> {
    match order {
        MemoryOrder::C => Ok(false),
        MemoryOrder::F => Ok(true),
        other => Err(refused(operation, "order", format!("{other:?}"), site)),
    }
}

/// The number of elements of an array of this shape, with extents of 0 counted as 1. Errors:
/// `OpError::TooLarge` if positions cannot count them.
fn elements(shape: &[usize], site: Site) -> Result<usize, Error> {
    check_ndim(shape.len()).map_err(|error| Error::op(error, site))?;
    let extents = shape.iter().map(|&extent| i64::try_from(extent.max(1)).ok());
    let count = extents.into_iter().try_fold(1i64, |count, extent| count.checked_mul(extent?));
    let too_large = || Error::op(OpError::TooLarge { shape: shape.to_vec() }, site);
    count.map(|count| count as usize).ok_or_else(too_large)
}

/// The positions as `i64`, checked to be from 0 to `extent - 1`. Collective.
fn checked(positions: &Array, extent: usize, site: Site) -> Result<Array, Error> {
    let positions = whole(positions, site)?;
    within(site, || {
        let wide = positions.converted(DType::I64, site);
        let outside = wide.less(0).logical_or(wide.greater_equal(extent as i64));
        let error = Error::data(DataError::PositionRange { size: extent }, site);
        outside.any_at(site)?.refuse(error, site)?;
        Ok(wide)
    })
}

/// NumPy's `ravel_multi_index`: the positions in C order of elements of an array of this shape.
/// `indices` has one array of indices for each axis.
///
/// Collective with `Mode::Raise`, and for an extent of 0; else Local. Errors: `OpError::Argument`
/// for another number of axes or none, `OpError::TooLarge` for a shape with more elements than can
/// be counted, `OpError::Broadcast`, `OpError::Cast`, `DataError::PositionRange`.
#[track_caller]
#[must_use]
pub fn ravel_multi_index(indices: &[Array], shape: &[usize], mode: Mode) -> Array {
    let site = call_site();
    Array::catch(raveled(indices, shape, &vec![mode; shape.len()], site))
}

/// As [`ravel_multi_index`], with a mode for each axis, and in C or Fortran order. Errors: also
/// `OpError::Argument` for another number of modes and for another order.
#[track_caller]
#[must_use]
pub fn ravel_multi_index_in(
    indices: &[Array],
    shape: &[usize],
    modes: &[Mode],
    order: MemoryOrder,
) -> Array {
    let site = call_site();
    Array::catch((|| {
        if modes.len() != shape.len() {
            let count = modes.len().to_string();
            return Err(refused("ravel_multi_index", "the number of modes", count, site));
        }
        if !is_reversed("ravel_multi_index", order, site)? {
            return raveled(indices, shape, modes, site);
        }
        let indices: Vec<Array> = indices.iter().rev().cloned().collect();
        let shape: Vec<usize> = shape.iter().rev().copied().collect();
        let modes: Vec<Mode> = modes.iter().rev().copied().collect();
        raveled(&indices, &shape, &modes, site)
    })())
}

fn raveled(indices: &[Array], shape: &[usize], modes: &[Mode], site: Site) -> Result<Array, Error> {
    (|| {
        if indices.len() != shape.len() || indices.is_empty() {
            let count = indices.len().to_string();
            return Err(refused("ravel_multi_index", "the number of axes", count, site));
        }
        elements(shape, site)?;
        let mut common = Shape::new();
        let mut whole_ones = Vec::with_capacity(indices.len());
        for index in indices {
            whole_ones.push(whole(index, site)?);
            common = broadcast(&common, index.shape()).map_err(|error| Error::op(error, site))?;
        }
        if common.contains(&0) {
            // NumPy does not check indices if the result has no elements.
            let mesh = indices[0].mesh()?;
            let nothing = || within(site, || zeros(common.as_slice(), DType::I64));
            return mesh.enter(nothing).into_result();
        }
        let mut position: Option<Array> = None;
        let axes = whole_ones.iter().zip(shape).zip(modes);
        for (((index, &extent), mode), step) in axes.zip(steps(shape)) {
            let index = match mode {
                Mode::Raise => checked(index, extent, site)?,
                _ if extent == 0 => checked(index, 0, site)?,
                _ => resolved(index, (0, extent), *mode, site)?,
            };
            within(site, || {
                let term = index * step;
                position = Some(match position.take() {
                    Some(sum) => sum + term,
                    None => term,
                });
            });
        }
        match position {
            Some(position) => position.into_result(),
            None => unreachable!("bug: there is an axis"),
        }
    })()
}

/// NumPy's `extract`: the elements of `array`, in C order, where `condition` is nonzero.
/// `condition` has as many elements as `array`. Collective over the mesh.
#[track_caller]
#[must_use]
pub fn extract(condition: &Array, array: &Array) -> Array {
    let site = call_site();
    Array::catch((|| {
        if condition.ok()?.size() == array.ok()?.size() {
            return selected(condition, array, site);
        }
        let positions = positions_of(condition, site)?;
        within(site, || array.reshape([-1]).take(&positions, 0).into_result())
    })())
}

/// The elements, in C order, where a condition with as many elements is nonzero: without positions.
fn selected(condition: &Array, array: &Array, site: Site) -> Result<Array, Error> {
    within(site, || {
        let mask = condition.converted(DType::Bool, site).reshape([-1]);
        array.reshape([-1]).compress(&mask).into_result()
    })
}

/// NumPy's `compress`: the slices of `array` along an axis for which the vector `condition` is
/// nonzero. Without an axis, it selects elements in C order. Slices beyond the end of a shorter
/// condition are not selected. Collective over the mesh. Errors: `OpError::Ndim`, `OpError::Axis`,
/// `DataError::IndexRange`.
#[track_caller]
#[must_use]
pub fn compress(condition: &Array, array: &Array, axis: Option<i64>) -> Array {
    let site = call_site();
    Array::catch((|| {
        condition.ok()?;
        if condition.ndim() != 1 {
            let (expected, ndim) = ("1", condition.ndim());
            return Err(Error::op(OpError::Ndim { operation: "compress", expected, ndim }, site));
        }
        if condition.size() == array.ok()?.size() && (axis.is_none() || array.ndim() == 1) {
            axis.map(|axis| array.axis(axis, site)).transpose()?;
            return selected(condition, array, site);
        }
        let positions = positions_of(condition, site)?;
        within(site, || match axis {
            Some(axis) => array.take(&positions, axis).into_result(),
            None => array.reshape([-1]).take(&positions, 0).into_result(),
        })
    })())
}

/// NumPy's `place`: writes `values` in order, and again from the first one, where `mask` is true.
/// Collective over the mesh. Errors: as for [`Array::assign`], `OpError::Broadcast` for a mask of
/// another size, `OpError::Cast` for values whose cast to the array is not safe,
/// `OpError::Argument` for no values.
#[track_caller]
pub fn place(array: &Array, mask: &Array, values: &Array) {
    let site = call_site();
    if let Err(error) = within(site, || try_place(array, mask, values)) {
        array.poison(error);
    }
}

/// As [`place`], but an error is returned and leaves the array unchanged.
#[track_caller]
pub fn try_place(array: &Array, mask: &Array, values: &Array) -> Result<(), Error> {
    let site = call_site();
    array.ok()?;
    check_casting_at(values.ok()?.dtype(), array.dtype(), Casting::Safe, site)?;
    if mask.size() != array.size() {
        let error = OpError::Broadcast { left: array.shape().into(), right: mask.shape().into() };
        return Err(Error::op(error, site));
    }
    let positions = positions_of(mask, site)?;
    if positions.size() > 0 && values.size() == 0 {
        return Err(refused("place", "values", "[]", site));
    }
    within(site, || array.try_put(&positions, values, Mode::Raise))
}

/// NumPy's `choose`: for each element, the element of the choice that `selector` numbers, with
/// broadcasting. Dtype: the promotion of all choices.
///
/// Collective with `Mode::Raise`, else Local. Errors: `OpError::Argument` for no choices,
/// `OpError::Broadcast`, `OpError::Cast`, `DataError::PositionRange`.
#[track_caller]
#[must_use]
pub fn choose(selector: &Array, choices: &[Argument], mode: Mode) -> Array {
    let site = call_site();
    Array::catch((|| {
        let selector = match mode {
            Mode::Raise => checked(selector, choices.len(), site)?,
            _ => resolved(&whole(selector, site)?, (0, choices.len()), mode, site)?,
        };
        let Some((last, others)) = choices.split_last() else {
            return Err(refused("choose", "choices", "[]", site));
        };
        within(site, || {
            let dtype = result_type(choices)?;
            let choice_in = |choice: &Argument| match choice {
                // Numbers wrap here, as in NumPy.
                Argument::Weak(weak) => wrapped_number(dtype, *weak, site).map(Argument::from),
                strong => choice_in(dtype, strong, site),
            };
            let mut chosen = choice_in(last)?;
            for (number, choice) in others.iter().enumerate().rev() {
                let is_this = selector.equal(number as i64);
                chosen = Argument::Array(select(&is_this, choice_in(choice)?, chosen));
            }
            match chosen {
                Argument::Array(array) if !others.is_empty() => array.into_result(),
                single => select(&selector.equal(0), single.clone(), single).into_result(),
            }
        })
    })())
}
