//! Views with the axes in another order, and broadcasts of several arrays.

use crate::array::Array;
use crate::manipulation::argument::{AxisList, at_least, axes_of, axis_of, refused, signed, sound};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::Shape;
use phalanx_ops::error::OpError;
use phalanx_ops::shape::broadcast;

impl Array {
    /// NumPy's `size(a, axis)`: the number of elements along some axes; `()` is all axes. Local.
    /// Errors: `OpError::Axis`, and the error that the array carries.
    #[track_caller]
    pub fn size_along(&self, axes: impl Into<AxisList>) -> Result<usize, Error> {
        let (site, axes) = (call_site(), axes.into());
        let (shape, ndim) = (self.ok()?.shape(), self.ndim());
        let Some(axes) = axes.0 else { return Ok(self.size()) };
        axes.into_iter().map(|axis| Ok(shape[axis_of(axis, ndim, site)?])).product()
    }

    /// The view whose axis `k` is axis `permutation[k]` of this array; axes count from 0.
    fn permuted(&self, permutation: &[usize]) -> Result<Array, Error> {
        self.with_view(self.base_view()?.transpose(permutation, self.base_shape()?))
    }

    /// The view with two axes exchanged. Local. Errors: `OpError::Axis`.
    #[track_caller]
    #[must_use]
    pub fn swapaxes(&self, first: i64, second: i64) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.ok()?;
            let ndim = self.ndim();
            let (first, second) = (axis_of(first, ndim, site)?, axis_of(second, ndim, site)?);
            let mut permutation: Vec<usize> = (0..ndim).collect();
            permutation.swap(first, second);
            self.permuted(&permutation)
        })())
    }

    /// The view with the last two axes exchanged, NumPy's `a.mT`. Local. Errors: `OpError::Ndim`
    /// for fewer than two axes.
    #[track_caller]
    #[must_use]
    pub fn mt(&self) -> Array {
        let site = call_site();
        Array::catch((|| {
            self.ok()?;
            at_least(self, 2, ("matrix_transpose", "2 or more"), site)?;
            Ok(within(site, || self.swapaxes(-1, -2)))
        })())
    }

    /// The view without the given axes, which must have extent 1; `()` removes every axis of
    /// extent 1. Local. Errors: `OpError::Axis`, `OpError::DuplicateAxis`, `OpError::Argument` for
    /// an axis of another extent.
    #[track_caller]
    #[must_use]
    pub fn squeeze_axes(&self, axes: impl Into<AxisList>) -> Array {
        let (site, axes) = (call_site(), axes.into());
        Array::catch((|| {
            self.ok()?;
            let Some(axes) = axes.0 else { return Ok(within(site, || self.squeeze())) };
            if self.ndim() == 0 && matches!(axes[..], [0 | -1]) {
                // NumPy allows axis 0 of a 0-d array, for programs written before 0-d arrays
                // existed.
                return Ok(self.clone());
            }
            let removed = axes_of(&axes, self.ndim(), site)?;
            if let Some(&axis) = removed.iter().find(|&&axis| self.shape()[axis] != 1) {
                return Err(refused("squeeze", "axis", axis.to_string(), site));
            }
            let stays = |axis: &usize| !removed.contains(axis);
            let shape: Shape = (0..self.ndim()).filter(stays).map(|k| self.shape()[k]).collect();
            Ok(within(site, || self.reshape(shape.as_slice())))
        })())
    }

    /// The view with new axes of extent 1; `axes` are positions among the axes of the result.
    /// Local. Errors: `OpError::Axis`, `OpError::DuplicateAxis`.
    #[track_caller]
    #[must_use]
    pub fn expand_dims(&self, axes: impl Into<AxisList>) -> Array {
        let (site, axes) = (call_site(), axes.into());
        Array::catch((|| {
            self.ok()?;
            let axes = axes.0.unwrap_or_default();
            let ndim = self.ndim() + axes.len();
            crate::recording::check_shape(&vec![1; ndim], self.dtype(), site)?;
            let added = axes_of(&axes, ndim, site)?;
            let mut shape = signed(self.shape());
            for axis in 0..ndim {
                if added.contains(&axis) {
                    shape.insert(axis, 1);
                }
            }
            Ok(within(site, || self.reshape(shape.as_slice())))
        })())
    }
}

/// The view with each axis of `source` moved to the position given in `destination`; the other axes
/// keep their order. Local. Errors: `OpError::Axis`, `OpError::DuplicateAxis`, `OpError::Argument`
/// for lists of different lengths.
#[track_caller]
#[must_use]
pub fn moveaxis(
    array: &Array,
    source: impl Into<AxisList>,
    destination: impl Into<AxisList>,
) -> Array {
    let (site, source, destination) = (call_site(), source.into(), destination.into());
    Array::catch((|| {
        array.ok()?;
        let list = |axes: &AxisList| axes_of(axes.0.as_deref().unwrap_or(&[]), array.ndim(), site);
        let (source, destination) = (list(&source)?, list(&destination)?);
        if source.len() != destination.len() {
            let value = format!("{destination:?}");
            return Err(refused("moveaxis", "destination", value, site));
        }
        let mut order: Vec<usize> = (0..array.ndim()).filter(|k| !source.contains(k)).collect();
        let mut pairs: Vec<(usize, usize)> = destination.into_iter().zip(source).collect();
        pairs.sort_unstable();
        for (to, from) in pairs {
            order.insert(to, from);
        }
        array.permuted(&order)
    })())
}

/// The view with an axis moved to directly before axis `start`. Local. Errors: `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn rollaxis(array: &Array, axis: i64, start: i64) -> Array {
    let site = call_site();
    Array::catch((|| {
        array.ok()?;
        let ndim = array.ndim();
        let axis = axis_of(axis, ndim, site)?;
        let start = if start < 0 { start + ndim as i64 } else { start };
        if !(0..=ndim as i64).contains(&start) {
            return Err(Error::op(OpError::Axis { axis: start, ndim: ndim + 1 }, site));
        }
        let start = start as usize;
        let start = if axis < start { start - 1 } else { start };
        let mut order: Vec<usize> = (0..ndim).filter(|&k| k != axis).collect();
        order.insert(start, axis);
        array.permuted(&order)
    })())
}

/// Alias of [`Array::swapaxes`].
#[track_caller]
#[must_use]
pub fn swapaxes(array: &Array, first: i64, second: i64) -> Array {
    array.swapaxes(first, second)
}

/// Alias of [`Array::transpose`].
#[track_caller]
#[must_use]
pub fn permute_dims(array: &Array, axes: impl AsRef<[i64]>) -> Array {
    array.transpose(axes)
}

/// Alias of [`Array::mt`].
#[track_caller]
#[must_use]
pub fn matrix_transpose(array: &Array) -> Array {
    array.mt()
}

/// The shape to which arrays of these shapes broadcast together. Local. Errors:
/// `OpError::Broadcast`.
#[track_caller]
pub fn broadcast_shapes(shapes: &[&[usize]]) -> Result<Vec<usize>, Error> {
    let site = call_site();
    Ok(common_shape(shapes.iter().copied(), site)?.to_vec())
}

/// The shape to which all the shapes broadcast.
pub(crate) fn common_shape<'a>(
    shapes: impl IntoIterator<Item = &'a [usize]>,
    site: Site,
) -> Result<Shape, Error> {
    shapes.into_iter().try_fold(Shape::new(), |common, shape| {
        broadcast(&common, shape).map_err(|error| Error::op(error, site))
    })
}

/// Views of the arrays, all broadcast to one common shape. Local. Errors: `OpError::Broadcast`.
#[track_caller]
pub fn broadcast_arrays(arrays: &[&Array]) -> Result<Vec<Array>, Error> {
    let site = call_site();
    sound(arrays.iter().copied())?;
    let shape = signed(&common_shape(arrays.iter().map(|array| array.shape()), site)?);
    arrays
        .iter()
        .map(|array| {
            if signed(array.shape()) == shape {
                return Ok((*array).clone());
            }
            let view = within(site, || array.broadcast_to(shape.as_slice()));
            view.into_result()
        })
        .collect()
}
