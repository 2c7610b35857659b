//! Indices of parts of given matrices, or of masks.

use super::basic::ones;
use super::grids::{diag_indices, tril_indices, triu_indices};
use crate::array::Array;
use crate::indexing::nonzero;
use crate::manipulation::refused;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;

/// NumPy's `diag_indices_from`: the indices of the diagonal of an array whose extents are equal.
///
/// Local (records a node). Errors: `OpError::Ndim` for fewer than two axes, `OpError::Argument` for
/// extents that differ.
#[track_caller]
pub fn diag_indices_from(array: &Array) -> Result<Vec<Array>, Error> {
    let site = call_site();
    let shape = array.ok()?.shape();
    if shape.len() < 2 {
        let (operation, expected) = ("diag_indices_from", "at least 2");
        return Err(Error::op(OpError::Ndim { operation, expected, ndim: shape.len() }, site));
    }
    if shape.iter().any(|extent| *extent != shape[0]) {
        return Err(refused("diag_indices_from", "shape", format!("{shape:?}"), site));
    }
    array.mesh()?.enter(|| within(site, || diag_indices(shape[0], shape.len())))
}

fn matrix(operation: &'static str, array: &Array, site: Site) -> Result<(usize, usize), Error> {
    match *array.ok()?.shape() {
        [rows, columns] => Ok((rows, columns)),
        ref shape => {
            let ndim = shape.len();
            Err(Error::op(OpError::Ndim { operation, expected: "2", ndim }, site))
        }
    }
}

/// NumPy's `tril_indices_from`: the indices of the elements of a matrix on and below the diagonal
/// `offset`. Collective over the mesh. Errors: `OpError::Ndim`.
#[track_caller]
pub fn tril_indices_from(array: &Array, offset: i64) -> Result<(Array, Array), Error> {
    let site = call_site();
    let (rows, columns) = matrix("tril_indices_from", array, site)?;
    Ok(array.mesh()?.enter(|| within(site, || tril_indices(rows, offset, columns))))
}

/// NumPy's `triu_indices_from`: the indices of the elements of a matrix on and above the diagonal
/// `offset`. Collective over the mesh. Errors: `OpError::Ndim`.
#[track_caller]
pub fn triu_indices_from(array: &Array, offset: i64) -> Result<(Array, Array), Error> {
    let site = call_site();
    let (rows, columns) = matrix("triu_indices_from", array, site)?;
    Ok(array.mesh()?.enter(|| within(site, || triu_indices(rows, offset, columns))))
}

/// NumPy's `mask_indices`: the indices of the elements of a square matrix of ones of extent `size`
/// that a function, such as [`triu`](crate::triu), leaves nonzero. Collective over the mesh.
#[track_caller]
pub fn mask_indices(
    size: usize,
    function: impl FnOnce(&Array, i64) -> Array,
    offset: i64,
) -> Result<Vec<Array>, Error> {
    let site = call_site();
    let masked = function(&within(site, || ones([size, size], DType::I64)), offset);
    within(site, || nonzero(&masked.not_equal(0)))
}
