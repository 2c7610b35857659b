//! Systems of linear equations, inverses, determinants and least squares.

use super::matrices::{
    Fails, adjoint, check, decomposed, factorised, failures, matrices, real_copy, square,
};
use super::norms::squares;
use super::singular::{Svd, singular_factors, tolerance};
use crate::array::Array;
use crate::array::{checks_matrices, is_deferring};
use crate::indexing::Ellipsis;
use crate::math::select;
use crate::recording::{stacked_alike, stacked_product};
use crate::reductions::{axis, keepdims};
use crate::s;
use phalanx_graph::{DataError, Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::Decomposition;
use phalanx_ops::{DType, promote};

/// NumPy's `linalg.solve`: the solution `x` of `a x = b`, for a vector `b` or a matrix of columns.
///
/// Shapes `(…, n, n), (n) -> (…, n)` and `(…, n, n), (…, n, k) -> (…, n, k)`. Columns and stacks
/// stay split. Collective over the mesh: whether a solution exists depends on data. Errors:
/// `OpError::Matrix`, `OpError::NotSquare`, `OpError::ContractedSizes`, `OpError::Broadcast`,
/// `DataError::Singular`.
#[track_caller]
#[must_use]
pub fn solve(a: &Array, b: &Array) -> Array {
    let site = call_site();
    Array::catch((|| {
        let a = square(a, "solve", site)?;
        b.ok()?;
        let dtype = promote(a.dtype(), factorised(b.dtype(), "solve", site)?);
        let (n, is_vector) = (a.shape()[a.ndim() - 1], b.ndim() == 1);
        let b = within(site, || {
            let b = b.converted(dtype, site);
            (if is_vector { b.reshape([-1, 1]) } else { b }).into_result()
        })?;
        let a = within(site, || a.converted(dtype, site).into_result())?;
        if b.ndim() < 2 || b.shape()[b.ndim() - 2] != n {
            let (operation, left, right) = ("solve", a.shape().into(), b.shape().into());
            return Err(Error::op(OpError::ContractedSizes { operation, left, right }, site));
        }
        let [a, b] = stacked_alike(&a, &b, site)?;
        let x = decomposed(Decomposition::Solve, &[&a, &b], site)?;
        if b.shape()[b.ndim() - 1] == 0 {
            // Without columns, only the inverse shows whether a solution exists.
            let inverse = decomposed(Decomposition::Inverse, &[&a], site)?;
            check(&inverse, &a, Fails::Finite, DataError::Singular, site)?;
        } else if x.size() > 0 && checks_matrices() {
            let failed = within(site, || {
                let failed = failures(&x, &a, Fails::Finite);
                // A deferred check cannot read data, so it cannot separate NaN of a column of `b`
                // from NaN of a singular matrix: it counts only stacks whose `b` is finite.
                if is_deferring(&a) {
                    failed.logical_and(b.isfinite().all([-2, -1]))
                } else {
                    failed
                }
                .any_at(site)
            })?;
            if is_deferring(&a) {
                failed.refuse(Error::data(DataError::Singular, site), site)?;
            } else if failed.holds(site)? {
                let inverse = decomposed(Decomposition::Inverse, &[&a], site)?;
                check(&inverse, &a, Fails::Finite, DataError::Singular, site)?;
            }
        }
        within(site, || {
            if is_vector { x.slice(s![Ellipsis, 0]).copy().into_result() } else { Ok(x.clone()) }
        })
    })())
}

/// NumPy's `linalg.inv`: the inverse. Shape `(…, n, n)`. Collective over the mesh. Errors:
/// `OpError::Matrix`, `OpError::NotSquare`, `DataError::Singular`.
#[track_caller]
#[must_use]
pub fn inv(array: &Array) -> Array {
    let site = call_site();
    Array::catch((|| {
        let array = square(array, "inv", site)?;
        let inverse = decomposed(Decomposition::Inverse, &[&array], site)?;
        check(&inverse, &array, Fails::Finite, DataError::Singular, site)?;
        Ok(inverse)
    })())
}

/// Part `which` of the determinant: 0 the determinant, 1 its sign, 2 the logarithm of its absolute
/// value.
fn determinant(
    operation: &'static str,
    array: &Array,
    which: i64,
    site: Site,
) -> Result<Array, Error> {
    let array = square(array, operation, site)?;
    let parts = decomposed(Decomposition::Determinant, &[&array], site)?;
    within(site, || parts.slice(s![Ellipsis, which]).copy().into_result())
}

/// NumPy's `linalg.det`: the determinant. Shape `(…, n, n) -> (…)`. Local (records nodes). Errors:
/// `OpError::Matrix`, `OpError::NotSquare`.
#[track_caller]
#[must_use]
pub fn det(array: &Array) -> Array {
    Array::catch(determinant("det", array, 0, call_site()))
}

/// A determinant, given by its sign and the logarithm of its absolute value.
#[derive(Clone, Debug)]
pub struct Slogdet {
    /// The sign, or the phase of a complex determinant; 0 for a singular matrix. `(…)`.
    pub sign: Array,
    /// The logarithm of the absolute value, real; minus infinity for a singular matrix. `(…)`.
    pub logabsdet: Array,
}

/// NumPy's `linalg.slogdet`: the sign (or phase) of the determinant and the logarithm of its
/// absolute value, which is real. Shapes and errors as [`det`].
#[track_caller]
pub fn slogdet(array: &Array) -> Slogdet {
    let site = call_site();
    let logarithm = determinant("slogdet", array, 2, site);
    let logarithm = logarithm.map(|part| within(site, || real_copy(&part)));
    let sign = Array::catch(determinant("slogdet", array, 1, site));
    Slogdet { sign, logabsdet: Array::catch(logarithm) }
}

/// The solution of a least-squares problem.
#[derive(Clone, Debug)]
pub struct LeastSquares {
    /// The solution: the shape of `b`, with `n` rows.
    pub x: Array,
    /// The sum of squared residuals of each column. It is empty unless `a` has full rank and more
    /// rows than columns.
    pub residuals: Array,
    /// The rank of `a` (0-d, `i32`).
    pub rank: Array,
    /// The singular values of `a`.
    pub s: Array,
}

/// NumPy's `linalg.lstsq`: the `x` of least norm that minimises `‖b - a x‖`. Singular values up to
/// `rcond` times the largest one count as zero. The default `rcond` is the larger extent times
/// epsilon.
///
/// Shapes `(m, n), (m) or (m, k)`. Collective over the mesh. Errors: `OpError::Matrix`,
/// `OpError::Matrices` if the numbers of rows differ, `DataError::NotConverged`, also if `a` is not
/// finite.
#[track_caller]
pub fn lstsq(a: &Array, b: &Array, rcond: Option<f64>) -> Result<LeastSquares, Error> {
    let site = call_site();
    a.ok()?;
    b.ok()?;
    if a.ndim() != 2 || b.ndim() == 0 || b.ndim() > 2 {
        let (expected, ndim) = ("2", if a.ndim() == 2 { b.ndim() } else { a.ndim() });
        return Err(Error::op(OpError::Matrix { operation: "lstsq", expected, ndim }, site));
    }
    if a.shape()[0] != b.shape()[0] {
        let (operation, problem) = ("lstsq", "the two arrays have different numbers of rows");
        return Err(Error::op(OpError::Matrices { operation, problem }, site));
    }
    within(site, || {
        let a = matrices(a, "lstsq", site)?;
        let is_vector = b.ndim() == 1;
        let dtype = promote(a.dtype(), factorised(b.dtype(), "lstsq", site)?);
        let columns = if is_vector { b.reshape([-1, 1]) } else { b.clone() };
        let (a, columns) = (a.converted(dtype, site), columns.converted(dtype, site));
        let (m, n) = (a.shape()[0], a.shape()[1]);
        if m == 0 || n == 0 {
            let mesh = a.mesh()?;
            let nothing =
                |extents: &[usize], dtype| mesh.enter(|| crate::creation::zeros(extents, dtype));
            let x = if is_vector {
                nothing(&[n], dtype)
            } else {
                nothing(&[n, columns.shape()[1]], dtype)
            };
            let s = nothing(&[0], dtype.real());
            let residuals = if m > 0 { squares(&columns).sum(0) } else { s.clone() };
            for part in [&x, &residuals] {
                part.ok()?;
            }
            return Ok(LeastSquares { x, residuals, rank: nothing(&[], DType::I32), s });
        }
        let Svd { u, s, vh } = singular_factors("lstsq", &a, false, Fails::Any, site)?;
        let rcond = rcond.unwrap_or_else(|| tolerance(&a, &s));
        let kept = s.greater(s.max(keepdims(-1)) * rcond);
        let scaled = stacked_product(&adjoint(&u), &columns, site)?;
        let inverse = select(&kept, 1.0 / &s, 0.0).expand_dims(-1);
        let x = stacked_product(&adjoint(&vh), &(inverse * scaled).converted(dtype, site), site)?;
        let rank = kept.astype(DType::I32).sum(axis(()).dtype(DType::I32));
        let has_residuals = m > n && rank.item::<i64>()? == n as i64;
        let residuals = if has_residuals {
            let left = columns - stacked_product(&a, &x, site)?;
            squares(&left).sum(0)
        } else {
            a.mesh()?.enter(|| crate::creation::zeros([0], dtype.real()))
        };
        let x = if is_vector { x.slice(s![.., 0]).copy() } else { x };
        for part in [&x, &residuals] {
            part.ok()?;
        }
        Ok(LeastSquares { x, residuals, rank, s })
    })
}
