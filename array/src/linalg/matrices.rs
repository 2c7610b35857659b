//! Common parts of factorisations of stacks of matrices: dtypes, shapes, the check for failures.

use crate::array::Array;
use crate::array::checks_matrices;
use crate::indexing::Ellipsis;
use crate::manipulation::{matrix_transpose, span};
use crate::products::conjugated;
use crate::recording::record_structured;
use crate::s;
use phalanx_graph::{DataError, Error, Site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::Decomposition;
use phalanx_ops::{DType, Index, Structured};

/// The dtype in which matrices are factorised: f64 for every dtype that LAPACK does not have, such
/// as bfloat16. f16 is refused.
pub(super) fn factorised(
    dtype: DType,
    operation: &'static str,
    site: Site,
) -> Result<DType, Error> {
    match dtype {
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => Ok(dtype),
        DType::F16 => Err(Error::op(OpError::Dtype { operation, dtypes: vec![dtype] }, site)),
        _ => Ok(DType::F64),
    }
}

/// Refuses arrays with fewer than two axes.
pub(super) fn has_matrices(
    array: &Array,
    operation: &'static str,
    site: Site,
) -> Result<(), Error> {
    if array.ok()?.ndim() < 2 {
        let (expected, ndim) = ("at least 2", array.ndim());
        return Err(Error::op(OpError::Matrix { operation, expected, ndim }, site));
    }
    Ok(())
}

/// The matrices in a dtype in which they can be factorised.
pub(super) fn matrices(array: &Array, operation: &'static str, site: Site) -> Result<Array, Error> {
    has_matrices(array, operation, site)?;
    let dtype = factorised(array.dtype(), operation, site)?;
    within(site, || array.converted(dtype, site).into_result())
}

/// The square matrices, in such a dtype. As in NumPy, the shape is checked before the dtype.
pub(super) fn square(array: &Array, operation: &'static str, site: Site) -> Result<Array, Error> {
    has_matrices(array, operation, site)?;
    let shape = array.shape();
    if shape[shape.len() - 1] != shape[shape.len() - 2] {
        return Err(Error::op(OpError::NotSquare { operation, shape: shape.into() }, site));
    }
    matrices(array, operation, site)
}

pub(crate) fn decomposed(
    decomposition: Decomposition,
    operands: &[&Array],
    site: Site,
) -> Result<Array, Error> {
    record_structured(Structured::Decomposition(decomposition), operands, site)
}

/// The operands for which a NaN result is an error. The result of other operands is NaN.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fails {
    /// Operands that are finite.
    Finite,
    /// Operands that are finite or that have NaN.
    Nan,
    /// All operands.
    Any,
}

/// Refuses a NaN result of such an operand, unless `check_matrices(false)` turned the check off.
/// Collective.
pub(super) fn check(
    result: &Array,
    operand: &Array,
    fails: Fails,
    error: DataError,
    site: Site,
) -> Result<(), Error> {
    if result.size() == 0 || !checks_matrices() {
        return Ok(());
    }
    within(site, || {
        let failed = failures(result, operand, fails);
        failed.any_at(site)?.refuse(Error::data(error, site), site).map(drop)
    })
}

/// The matrices whose factorisation failed. A failed factorisation is NaN in all elements, so one
/// element is read.
pub(super) fn failures(result: &Array, operand: &Array, fails: Fails) -> Array {
    let failed = result.slice(s![Ellipsis, 0, 0]).isnan();
    let finite = || operand.isfinite().all([-2, -1]);
    match fails {
        Fails::Finite => failed.logical_and(finite()),
        Fails::Nan => failed.logical_and(finite().logical_or(operand.isnan().any([-2, -1]))),
        Fails::Any => failed,
    }
}

/// The conjugate transposes of the matrices.
pub(super) fn adjoint(array: &Array) -> Array {
    conjugated(&matrix_transpose(array))
}

/// A copy of the real parts; an array that is not complex is returned as it is.
pub(super) fn real_copy(array: &Array) -> Array {
    if array.dtype().is_complex() { array.real().copy() } else { array.clone() }
}

/// A view of some rows and the first columns of the matrices.
pub(super) fn part(array: &Array, rows: std::ops::Range<usize>, columns: usize) -> Array {
    array.slice([Index::Ellipsis, span(rows.start, rows.end), span(0, columns)])
}
