//! Singular values, and the functions that use them: pseudoinverses and ranks.

use super::matrices::{Fails, check, decomposed, has_matrices, matrices, part, real_copy};
use crate::array::Argument;
use crate::array::Array;
use crate::indexing::Ellipsis;
use crate::manipulation::matrix_transpose;
use crate::math::select;
use crate::recording::stacked_product;
use crate::reductions::keepdims;
use crate::s;
use phalanx_graph::{DataError, Error, Site, call_site, within};
use phalanx_ops::DType;
use phalanx_ops::structured::Decomposition;

/// A singular value decomposition.
#[derive(Clone, Debug)]
pub struct Svd {
    /// The left singular vectors in columns, `(…, m, k)` or `(…, m, m)`.
    pub u: Array,
    /// The singular values, descending, `(…, k)`.
    pub s: Array,
    /// The right singular vectors in rows, conjugated, `(…, k, n)` or `(…, n, n)`.
    pub vh: Array,
}

/// NumPy's `linalg.svd`: `a = u · diag(s) · vh`.
///
/// With `full_matrices`, `u` and `vh` are square. NaN in a matrix is an error; infinities without
/// NaN give factors of NaN. Collective over the mesh. Errors: `OpError::Matrix`,
/// `DataError::NotConverged`.
#[track_caller]
pub fn svd(array: &Array, full_matrices: bool) -> Result<Svd, Error> {
    singular_factors("svd", array, full_matrices, Fails::Nan, call_site())
}

pub(super) fn singular_factors(
    operation: &'static str,
    array: &Array,
    full: bool,
    fails: Fails,
    site: Site,
) -> Result<Svd, Error> {
    let array = matrices(array, operation, site)?;
    let (m, n) = (array.shape()[array.ndim() - 2], array.shape()[array.ndim() - 1]);
    let k = m.min(n);
    let packed = decomposed(Decomposition::Svd { full }, &[&array], site)?;
    if k > 0 {
        check(&packed, &array, fails, DataError::NotConverged { decomposition: operation }, site)?;
    }
    within(site, || {
        let u = part(&packed, 0..m, if full { m } else { k }).copy();
        let vh = matrix_transpose(&part(&packed, m..m + n, if full { n } else { k })).copy();
        let values = part(&packed, m + n..m + n + 1, k).slice(s![Ellipsis, 0, ..]);
        let s = real_copy(&values).copy();
        for part in [&u, &s, &vh] {
            part.ok()?;
        }
        Ok(Svd { u, s, vh })
    })
}

/// NumPy's `linalg.svdvals`: the singular values, descending. See [`svd`].
#[track_caller]
#[must_use]
pub fn svdvals(array: &Array) -> Array {
    Array::catch(singular_values("svdvals", array, call_site()))
}

pub(super) fn singular_values(
    operation: &'static str,
    array: &Array,
    site: Site,
) -> Result<Array, Error> {
    singular_factors(operation, array, false, Fails::Nan, site).map(|svd| svd.s)
}

/// The default relative limit, up to which singular values count as zero.
pub(super) fn tolerance(array: &Array, s: &Array) -> f64 {
    let epsilon =
        if matches!(s.dtype(), DType::F32) { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let shape = array.shape();
    shape[shape.len() - 2].max(shape[shape.len() - 1]) as f64 * epsilon
}

/// Whether each singular value is greater than `limit` times the largest one of its matrix. An
/// array as `limit` has one element for each matrix.
pub(super) fn above(s: &Array, limit: Argument) -> Array {
    s.greater(s.max(keepdims(-1).initial(0)).multiply(of_each(limit)))
}

/// A limit with one element for each matrix, with an axis for the singular values.
fn of_each(limit: Argument) -> Argument {
    match limit {
        Argument::Array(limits) => Argument::Array(limits.expand_dims(-1)),
        weak => weak,
    }
}

/// NumPy's `linalg.pinv`: the Moore-Penrose inverse. Singular values up to `rcond` times the
/// largest one count as zero. The default `rcond` is 1e-15; an array has one element for each
/// matrix.
///
/// Shape `(…, m, n) -> (…, n, m)`; the axes of `rcond` broadcast with the axes before the matrices.
/// Collective over the mesh. Errors: those of [`svd`], and `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn pinv(array: &Array, rcond: Option<Argument>) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        array.ok()?;
        if array.size() == 0 {
            // As in NumPy, nothing is computed and the dtype is kept.
            has_matrices(array, "pinv", site)?;
            return matrix_transpose(array).copy().into_result();
        }
        let Svd { u, s, vh } =
            singular_factors("pinv", &array.conjugate(), false, Fails::Nan, site)?;
        let kept = above(&s, rcond.unwrap_or(1e-15.into()));
        kept.ok()?;
        let inverse = select(&kept, 1.0 / &s, 0.0);
        // vᵀ · (1 / s · uᵀ)
        let rows = inverse.expand_dims(-1) * matrix_transpose(&u);
        stacked_product(&matrix_transpose(&vh), &rows.converted(u.dtype(), site), site)
    }))
}

/// NumPy's `linalg.matrix_rank`: the number (`i64`) of singular values above `tol`. The default is
/// the larger extent times epsilon times the largest singular value; an array has one element for
/// each matrix.
///
/// Collective over the mesh. Errors: those of [`svd`], and `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn matrix_rank(array: &Array, tol: Option<Argument>) -> Array {
    rank_of(array, call_site(), |s| match tol {
        Some(tol) => s.greater(of_each(tol)),
        None => above(s, tolerance(array, s).into()),
    })
}

/// [`matrix_rank`] with NumPy's `rtol`: a limit relative to the largest singular value of each
/// matrix. An array has one element for each matrix.
///
/// Collective over the mesh. Errors: those of [`svd`], and `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn matrix_rank_relative(array: &Array, rtol: Argument) -> Array {
    rank_of(array, call_site(), |s| above(s, rtol))
}

/// The number of singular values for which `counted` holds. An array with fewer than two axes has
/// rank 0 if all elements are zero, else 1.
fn rank_of(array: &Array, site: Site, counted: impl FnOnce(&Array) -> Array) -> Array {
    Array::catch(within(site, || {
        if array.ok()?.ndim() < 2 {
            return array.not_equal(0).any(()).astype(DType::I64).into_result();
        }
        let s = singular_values("matrix_rank", array, site)?;
        counted(&s).count_nonzero(-1).into_result()
    }))
}
