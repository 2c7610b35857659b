//! Functions of `linalg` that follow the array API standard. They are stricter or more general than
//! the older functions of NumPy with the same names.

use super::norms::{Ord, norm};
use crate::array::Array;
use crate::manipulation::{AxisList, axes_of, refused};
use crate::products;
use phalanx_graph::{Error, Site, call_site, in_place_of, within};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;

/// NumPy's `linalg.vector_norm`: the norm of the elements along some axes, taken as one vector;
/// without axes, of all elements.
///
/// Shape: without the axes, or with extent 1 for them if `is_kept`. Dtype: real, of the precision
/// of the array. Local (records nodes). Errors: `OpError::Axis`, `OpError::DuplicateAxis`, those of
/// [`norm`] of vectors.
#[track_caller]
#[must_use]
pub fn vector_norm(array: &Array, ord: Ord, axes: impl Into<AxisList>, is_kept: bool) -> Array {
    let (site, axes) = (call_site(), axes.into());
    Array::catch(within(site, || {
        let ndim = array.ok()?.ndim();
        let reduced = match &axes.0 {
            Some(axes) => axes_of(axes, ndim, site)?,
            None => (0..ndim).collect(),
        };
        if let [axis] = reduced[..] {
            return norm(array, ord, Some(&[axis as i64]), is_kept).into_result();
        }
        // The axes are merged into a last one.
        let kept: Vec<usize> = (0..ndim).filter(|axis| !reduced.contains(axis)).collect();
        let order: Vec<i64> = kept.iter().chain(&reduced).map(|&axis| axis as i64).collect();
        let extent = |&axis: &usize| array.shape()[axis];
        let mut merged: Vec<usize> = kept.iter().map(extent).collect();
        merged.push(reduced.iter().map(extent).product());
        let lines = array.transpose(order).reshape(merged);
        let found = norm(&lines, ord, Some(&[-1]), false);
        if !is_kept {
            return found.into_result();
        }
        let mut shape = array.shape().to_vec();
        reduced.iter().for_each(|&axis| shape[axis] = 1);
        found.reshape(shape).into_result()
    }))
}

/// NumPy's `linalg.matrix_norm`: [`norm`] of the matrices in the last two axes.
#[track_caller]
#[must_use]
pub fn matrix_norm(array: &Array, ord: Ord, is_kept: bool) -> Array {
    within(call_site(), || norm(array, ord, Some(&[-2, -1]), is_kept))
}

/// NumPy's `linalg.diagonal`: the view of the diagonals of the matrices in the last two axes.
/// Local. Errors: those of [`Array::diagonal`].
#[track_caller]
#[must_use]
pub fn diagonal(array: &Array, offset: i64) -> Array {
    within(call_site(), || array.diagonal(offset, -2, -1))
}

/// NumPy's `linalg.trace`: the sums along diagonals of the matrices in the last two axes, in a
/// dtype if one is given. Local (records a node). Errors: those of [`Array::trace`].
#[track_caller]
#[must_use]
pub fn trace(array: &Array, offset: i64, dtype: impl Into<Option<DType>>) -> Array {
    in_place_of(call_site(), || match dtype.into() {
        Some(dtype) => array.trace_as(offset, -2, -1, dtype),
        None => array.trace(offset, -2, -1),
    })
}

/// NumPy's `linalg.cross`: [`cross`](crate::cross) along one axis, for vectors of three components
/// only. Errors: those of [`cross`](crate::cross), `OpError::Argument` for another number of
/// components, `OpError::Axis`.
#[track_caller]
#[must_use]
pub fn cross(a: &Array, b: &Array, axis: i64) -> Array {
    let site = call_site();
    Array::catch(in_place_of(site, || {
        for array in [a, b] {
            let extent = array.ok()?.shape()[array.axis(axis, site)?];
            if extent != 3 {
                let argument = "the number of components of a vector";
                return Err(refused("cross", argument, extent.to_string(), site));
            }
        }
        products::cross(a, b, [axis; 3]).into_result()
    }))
}

/// NumPy's `linalg.outer`: [`outer`](crate::outer) of vectors only. Errors: `OpError::Ndim` for
/// other arrays.
#[track_caller]
#[must_use]
pub fn outer(a: &Array, b: &Array) -> Array {
    let site = call_site();
    let check = |array: &Array, site: Site| match array.ok()?.ndim() {
        1 => Ok(()),
        ndim => {
            let (operation, expected) = ("outer", "1");
            Err(Error::op(OpError::Ndim { operation, expected, ndim }, site))
        }
    };
    Array::catch(within(site, || {
        check(a, site)?;
        check(b, site)?;
        products::outer(a, b).into_result()
    }))
}
