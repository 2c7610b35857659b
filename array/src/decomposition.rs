//! Factorisations of matrices, and the functions of NumPy's `linalg` that use them.
//!
//! The matrices are the last two axes. A stack of matrices is split among devices; a single matrix
//! is gathered, and every device computes the same result. The plan shows this. Integers are
//! computed in f64. `OpError::Dtype` refuses matrices of f16, as NumPy does.

use crate::array::Array;
use crate::deferral::{checks_matrices, is_deferring};
use crate::error::{DataError, Error, Site, call_site, within};
use crate::indexing::Ellipsis;
use crate::manipulation::{matrix_transpose, refused, span};
use crate::math::select;
use crate::operand::Argument;
use crate::products::conjugated;
use crate::reductions::{Axes, axis, keepdims};
use crate::s;
use crate::structured::{record_structured, stacked_alike, stacked_product};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::Decomposition;
use phalanx_ops::{DType, Index, Structured, promote};

/// The dtype in which matrices are factorised: f64 for every dtype that LAPACK does not have, such
/// as bfloat16. f16 is refused.
fn factorised(dtype: DType, operation: &'static str, site: Site) -> Result<DType, Error> {
    match dtype {
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => Ok(dtype),
        DType::F16 => Err(Error::op(OpError::Dtype { operation, dtypes: vec![dtype] }, site)),
        _ => Ok(DType::F64),
    }
}

/// Refuses arrays with fewer than two axes.
fn has_matrices(array: &Array, operation: &'static str, site: Site) -> Result<(), Error> {
    if array.ok()?.ndim() < 2 {
        let (expected, ndim) = ("at least 2", array.ndim());
        return Err(Error::op(OpError::Matrix { operation, expected, ndim }, site));
    }
    Ok(())
}

/// The matrices in a dtype in which they can be factorised.
fn matrices(array: &Array, operation: &'static str, site: Site) -> Result<Array, Error> {
    has_matrices(array, operation, site)?;
    let dtype = factorised(array.dtype(), operation, site)?;
    within(site, || array.converted(dtype, site).ok().cloned())
}

/// The square matrices, in such a dtype. As in NumPy, the shape is checked before the dtype.
fn square(array: &Array, operation: &'static str, site: Site) -> Result<Array, Error> {
    has_matrices(array, operation, site)?;
    let shape = array.shape();
    if shape[shape.len() - 1] != shape[shape.len() - 2] {
        return Err(Error::op(OpError::NotSquare { operation, shape: shape.into() }, site));
    }
    matrices(array, operation, site)
}

fn decomposed(
    decomposition: Decomposition,
    operands: &[&Array],
    site: Site,
) -> Result<Array, Error> {
    record_structured(Structured::Decomposition(decomposition), operands, site)
}

/// The operands for which a NaN result is an error. The result of other operands is NaN.
#[derive(Clone, Copy, PartialEq)]
enum Fails {
    /// Operands that are finite.
    Finite,
    /// Operands that are finite or that have NaN.
    Nan,
    /// All operands.
    Any,
}

/// Refuses a NaN result of such an operand, unless `check_matrices(false)` turned the check off.
/// Collective.
fn check(
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
fn failures(result: &Array, operand: &Array, fails: Fails) -> Array {
    let failed = result.slice(s![Ellipsis, 0, 0]).isnan();
    let finite = || operand.isfinite().all([-2, -1]);
    match fails {
        Fails::Finite => failed.logical_and(finite()),
        Fails::Nan => failed.logical_and(finite().logical_or(operand.isnan().any([-2, -1]))),
        Fails::Any => failed,
    }
}

/// NumPy's `linalg.cholesky`: the lower triangular `L` with `L Lᴴ = a`, or its adjoint if `upper`.
///
/// Shape `(…, n, n)`. Collective over the mesh: whether the factor exists depends on data. Errors:
/// `OpError::Matrix`, `OpError::NotSquare`, `DataError::NotPositiveDefinite`.
#[track_caller]
#[must_use]
pub fn cholesky(array: &Array, upper: bool) -> Array {
    let site = call_site();
    Array::catch((|| {
        let mut array = square(array, "cholesky", site)?;
        if upper {
            array = within(site, || adjoint(&array).ok().cloned())?;
        }
        let factor = decomposed(Decomposition::Cholesky, &[&array], site)?;
        // Elements above the diagonal are not read, as in LAPACK, so they are not checked.
        let read = within(site, || crate::creation::tril(&array, 0));
        check(&factor, &read, Fails::Finite, DataError::NotPositiveDefinite, site)?;
        within(site, || if upper { adjoint(&factor).ok().cloned() } else { Ok(factor.clone()) })
    })())
}

/// The conjugate transposes of the matrices.
fn adjoint(array: &Array) -> Array {
    conjugated(&matrix_transpose(array))
}

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
            (if is_vector { b.reshape([-1, 1]) } else { b }).ok().cloned()
        })?;
        let a = within(site, || a.converted(dtype, site).ok().cloned())?;
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
                if is_deferring() { failed.logical_and(b.isfinite().all([-2, -1])) } else { failed }
                    .any_at(site)
            })?;
            if is_deferring() {
                failed.refuse(Error::data(DataError::Singular, site), site)?;
            } else if failed.holds(site)? {
                let inverse = decomposed(Decomposition::Inverse, &[&a], site)?;
                check(&inverse, &a, Fails::Finite, DataError::Singular, site)?;
            }
        }
        within(site, || {
            if is_vector { x.slice(s![Ellipsis, 0]).copy().ok().cloned() } else { Ok(x.clone()) }
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
    within(site, || parts.slice(s![Ellipsis, which]).copy().ok().cloned())
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

/// A copy of the real parts; an array that is not complex is returned as it is.
fn real_copy(array: &Array) -> Array {
    if array.dtype().is_complex() { array.real().copy() } else { array.clone() }
}

/// A view of some rows and the first columns of the matrices.
fn part(array: &Array, rows: std::ops::Range<usize>, columns: usize) -> Array {
    array.slice([Index::Ellipsis, span(rows.start, rows.end), span(0, columns)])
}

/// The size of the factors of a QR factorisation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum QrMode {
    /// `q` has as many columns as the smaller extent.
    #[default]
    Reduced,
    /// `q` is square.
    Complete,
}

/// A QR factorisation.
#[derive(Clone, Debug)]
pub struct Qr {
    /// The orthonormal columns, `(…, m, k)`.
    pub q: Array,
    /// The upper triangle, `(…, k, n)`.
    pub r: Array,
}

/// NumPy's `linalg.qr`: `a = q r`, with orthonormal columns in `q` and an upper triangular `r`.
///
/// Shapes `(…, m, n) -> (…, m, k), (…, k, n)`. Local (records nodes). Errors: `OpError::Matrix`.
#[track_caller]
pub fn qr(array: &Array, mode: QrMode) -> Qr {
    let site = call_site();
    let both = (|| {
        let array = matrices(array, "qr", site)?;
        let (m, n) = (array.shape()[array.ndim() - 2], array.shape()[array.ndim() - 1]);
        let complete = mode == QrMode::Complete;
        let k = if complete { m } else { m.min(n) };
        let packed = decomposed(Decomposition::Qr { complete }, &[&array], site)?;
        within(site, || {
            let q = part(&packed, 0..m, k).copy();
            let r = matrix_transpose(&part(&packed, m..m + n, k)).copy();
            Ok(Qr { q: q.ok()?.clone(), r: r.ok()?.clone() })
        })
    })();
    let broken = |error: Error| Qr { q: Array::broken(error.clone()), r: Array::broken(error) };
    both.unwrap_or_else(broken)
}

/// The triangle of a Hermitian matrix that is read; the other one is ignored.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Triangle {
    /// The lower triangle.
    #[default]
    Lower,
    /// The upper triangle.
    Upper,
}

/// Eigenvalues and their eigenvectors.
#[derive(Clone, Debug)]
pub struct Eig {
    /// The eigenvalues, `(…, n)`.
    pub eigenvalues: Array,
    /// The eigenvectors in columns, of norm 1, `(…, n, n)`.
    pub eigenvectors: Array,
}

impl Eig {
    fn catch(pairs: Result<(Array, Array), Error>) -> Eig {
        let (eigenvalues, eigenvectors) =
            pairs.unwrap_or_else(|error| (Array::broken(error.clone()), Array::broken(error)));
        Eig { eigenvalues, eigenvectors }
    }
}

/// NumPy's `linalg.eigh`: the eigenvalues of Hermitian matrices, ascending, and their eigenvectors
/// in columns.
///
/// Shapes `(…, n, n) -> (…, n), (…, n, n)`; eigenvalues are real. As in NumPy, NaN in a matrix of
/// one or two rows gives eigenvalues of NaN, and NaN in a larger matrix is an error. Collective
/// over the mesh. Errors: `OpError::Matrix`, `OpError::NotSquare`, `DataError::NotConverged`.
#[track_caller]
pub fn eigh(array: &Array, triangle: Triangle) -> Eig {
    Eig::catch(eigenpairs("eigh", array, triangle, call_site()))
}

fn eigenpairs(
    operation: &'static str,
    array: &Array,
    triangle: Triangle,
    site: Site,
) -> Result<(Array, Array), Error> {
    let array = square(array, operation, site)?;
    let n = array.shape()[array.ndim() - 1];
    let lower = triangle == Triangle::Lower;
    let packed = decomposed(Decomposition::Eigh { lower }, &[&array], site)?;
    let read = within(site, || match triangle {
        Triangle::Lower => crate::creation::tril(&array, 0),
        Triangle::Upper => crate::creation::triu(&array, 0),
    });
    let fails = if n > 2 { Fails::Nan } else { Fails::Finite };
    check(&packed, &read, fails, DataError::NotConverged { decomposition: operation }, site)?;
    within(site, || {
        let values = real_copy(&packed.slice(s![Ellipsis, -1, ..])).copy();
        let vectors = part(&packed, 0..n, n).copy();
        Ok((values.ok()?.clone(), vectors.ok()?.clone()))
    })
}

/// NumPy's `linalg.eigvalsh`: the eigenvalues of Hermitian matrices, ascending. See [`eigh`].
#[track_caller]
#[must_use]
pub fn eigvalsh(array: &Array, triangle: Triangle) -> Array {
    Array::catch(eigenpairs("eigvalsh", array, triangle, call_site()).map(|(values, _)| values))
}

/// NumPy's `linalg.eig`: the eigenvalues of square matrices, unordered, and their eigenvectors of
/// norm 1 in columns.
///
/// Shapes `(…, n, n) -> (…, n), (…, n, n)`. Dtype: complex, but real for real matrices if all their
/// eigenvalues are real. Collective over the mesh. Errors: `OpError::Matrix`, `OpError::NotSquare`,
/// `DataError::NotConverged`, also for elements that are not finite.
#[track_caller]
pub fn eig(array: &Array) -> Eig {
    Eig::catch(general_eigenpairs("eig", array, call_site()))
}

/// NumPy's `linalg.eigvals`: the eigenvalues of square matrices, unordered. See [`eig`].
#[track_caller]
#[must_use]
pub fn eigvals(array: &Array) -> Array {
    Array::catch(general_eigenpairs("eigvals", array, call_site()).map(|(values, _)| values))
}

fn general_eigenpairs(
    operation: &'static str,
    array: &Array,
    site: Site,
) -> Result<(Array, Array), Error> {
    let array = square(array, operation, site)?;
    let (n, real) = (array.shape()[array.ndim() - 1], !array.dtype().is_complex());
    let complex = promote(array.dtype(), DType::C64);
    let wide = within(site, || array.converted(complex, site).ok().cloned())?;
    let packed = decomposed(Decomposition::Eig { real }, &[&wide], site)?;
    let error = DataError::NotConverged { decomposition: operation };
    check(&packed, &array, Fails::Any, error, site)?;
    let (values, vectors) = within(site, || {
        let values = packed.slice(s![Ellipsis, -1, ..]).copy();
        let vectors = part(&packed, 0..n, n).copy();
        Ok::<_, Error>((values.ok()?.clone(), vectors.ok()?.clone()))
    })?;
    if !real || within(site, || values.imag().not_equal(0)).any_at(site)?.holds(site)? {
        return Ok((values, vectors));
    }
    within(site, || Ok((real_copy(&values).ok()?.clone(), real_copy(&vectors).ok()?.clone())))
}

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

fn singular_factors(
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

fn singular_values(operation: &'static str, array: &Array, site: Site) -> Result<Array, Error> {
    singular_factors(operation, array, false, Fails::Nan, site).map(|svd| svd.s)
}

/// The default relative limit, up to which singular values count as zero.
fn tolerance(array: &Array, s: &Array) -> f64 {
    let epsilon =
        if matches!(s.dtype(), DType::F32) { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let shape = array.shape();
    shape[shape.len() - 2].max(shape[shape.len() - 1]) as f64 * epsilon
}

/// Whether each singular value is greater than `limit` times the largest one of its matrix. An
/// array as `limit` has one element for each matrix.
fn above(s: &Array, limit: Argument) -> Array {
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
            return matrix_transpose(array).copy().ok().cloned();
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
            return array.not_equal(0).any(()).astype(DType::I64).ok().cloned();
        }
        let s = singular_values("matrix_rank", array, site)?;
        counted(&s).count_nonzero(-1).ok().cloned()
    }))
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
            let x = match is_vector {
                true => nothing(&[n], dtype),
                false => nothing(&[n, columns.shape()[1]], dtype),
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

/// The order of a norm. See NumPy's `linalg.norm`.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub enum Ord {
    /// The root of the sum of squares; matrices count as vectors.
    #[default]
    Default,
    /// The Frobenius norm of matrices.
    Frobenius,
    /// The sum of the singular values.
    Nuclear,
    /// The largest absolute value; of matrices, the largest sum of absolute values of a row.
    Infinity,
    /// The smallest absolute value; of matrices, the smallest sum of absolute values of a row.
    MinusInfinity,
    /// The p-norm of vectors; of matrices 1, -1 (sums of columns), 2 and -2 (singular values).
    P(f64),
}

/// NumPy's `linalg.norm` over `axes`: `None` is all axes, one axis gives norms of vectors, two give
/// norms of matrices.
///
/// Dtype: real, of the precision of the array. Local (records nodes); norms by singular values are
/// Collective. Errors: `OpError::Axis`, `OpError::DuplicateAxis`, `OpError::Argument` for an order
/// that does not exist for these axes, `OpError::EmptyReduction` for the smallest of no elements
/// (the largest of none is 0), `DataError::NotConverged` for singular values of matrices with NaN.
#[track_caller]
#[must_use]
pub fn norm(array: &Array, ord: Ord, axes: Option<&[i64]>, is_kept: bool) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        array.ok()?;
        let dtype = factorised(array.dtype(), "norm", site).unwrap_or(array.dtype());
        let array = array.converted(dtype, site);
        let all: Vec<i64> = (0..array.ndim() as i64).collect();
        let axes = match axes {
            Some(axes) => axes.to_vec(),
            None if ord == Ord::Default => {
                let root = squares(&array).sum(kept(&all, is_kept)).sqrt();
                return root.ok().cloned();
            }
            None => all,
        };
        match axes.as_slice() {
            [axis] => vector_norm(&array, ord, kept(&[*axis], is_kept), site),
            [rows, columns] => matrix_norm(&array, ord, [*rows, *columns], is_kept, site),
            _ => Err(no_norm(ord, site)),
        }
    }))
}

fn no_norm(ord: Ord, site: Site) -> Error {
    refused("norm", "ord", format!("{ord:?}"), site)
}

fn kept(axes: &[i64], is_kept: bool) -> Axes {
    if is_kept { keepdims(axes) } else { axes.into() }
}

/// The squares of the absolute values.
fn squares(array: &Array) -> Array {
    if array.dtype().is_complex() {
        return array.real().square() + array.imag().square();
    }
    array.square()
}

fn vector_norm(array: &Array, ord: Ord, axes: Axes, site: Site) -> Result<Array, Error> {
    let sizes = array.absolute();
    let norm = match ord {
        Ord::Default => squares(array).sum(axes).sqrt(),
        Ord::P(2.0) => squares(array).sum(axes).sqrt(),
        Ord::Infinity => sizes.max(axes.initial(0)),
        Ord::MinusInfinity => sizes.min(axes),
        Ord::P(p) if p == f64::INFINITY => sizes.max(axes.initial(0)),
        Ord::P(p) if p == f64::NEG_INFINITY => sizes.min(axes),
        Ord::P(0.0) => array.not_equal(0).astype(sizes.dtype()).sum(axes),
        Ord::P(1.0) => sizes.sum(axes),
        Ord::P(p) => sizes.power(p).sum(axes).power(1.0 / p),
        Ord::Frobenius | Ord::Nuclear => return Err(no_norm(ord, site)),
    };
    norm.ok().cloned()
}

fn matrix_norm(
    array: &Array,
    ord: Ord,
    [rows, columns]: [i64; 2],
    is_kept: bool,
    site: Site,
) -> Result<Array, Error> {
    let (row, column) = (array.axis(rows, site)? as i64, array.axis(columns, site)? as i64);
    if row == column {
        return Err(Error::op(OpError::DuplicateAxis { axis: row as usize }, site));
    }
    let sizes = array.absolute();
    let largest = |sums: Array, axis: i64| sums.max(keepdims(axis).initial(0));
    let singular = || -> Result<Array, Error> {
        let others = (0..array.ndim() as i64).filter(|axis| *axis != row && *axis != column);
        let order: Vec<i64> = others.chain([row, column]).collect();
        singular_values("norm", &array.transpose(order), site)
    };
    let norm = match ord {
        Ord::Default | Ord::Frobenius => squares(array).sum(keepdims([row, column])).sqrt(),
        Ord::P(1.0) => largest(sizes.sum(keepdims(row)), column),
        Ord::P(-1.0) => sizes.sum(keepdims(row)).min(keepdims(column)),
        Ord::Infinity => largest(sizes.sum(keepdims(column)), row),
        Ord::MinusInfinity => sizes.sum(keepdims(column)).min(keepdims(row)),
        Ord::P(p) if p == f64::INFINITY => largest(sizes.sum(keepdims(column)), row),
        Ord::P(p) if p == f64::NEG_INFINITY => sizes.sum(keepdims(column)).min(keepdims(row)),
        Ord::P(2.0) | Ord::P(-2.0) | Ord::Nuclear => {
            let values = singular()?;
            let norm = match ord {
                Ord::Nuclear => values.sum(-1),
                Ord::P(2.0) => values.max(axis(-1).initial(0)),
                _ => values.min(-1),
            };
            let mut shape = array.shape().to_vec();
            (shape[row as usize], shape[column as usize]) = (1, 1);
            norm.reshape(shape.as_slice())
        }
        Ord::P(_) => return Err(no_norm(ord, site)),
    };
    if is_kept {
        return norm.ok().cloned();
    }
    let removed = |axis: &usize| *axis as i64 != row && *axis as i64 != column;
    let shape: Vec<usize> =
        (0..norm.ndim()).filter(removed).map(|axis| norm.shape()[axis]).collect();
    norm.reshape(shape.as_slice()).ok().cloned()
}

/// NumPy's `linalg.cond`: the ratio of the largest to the smallest singular value, or the product
/// of the norms of the matrix and of its inverse. It is infinite for singular matrices. Collective
/// over the mesh. Errors: those of [`norm`], `OpError::Matrix`, `OpError::NotSquare`,
/// `OpError::Matrices` for matrices without elements.
#[track_caller]
#[must_use]
pub fn cond(array: &Array, ord: Ord) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let shape = array.ok()?.shape();
        if shape[shape.len().saturating_sub(2)..].contains(&0) {
            let (operation, problem) = ("cond", "it is not defined on empty matrices");
            return Err(Error::op(OpError::Matrices { operation, problem }, site));
        }
        if matches!(ord, Ord::Default | Ord::P(2.0) | Ord::P(-2.0)) {
            // Checked matrices with NaN are refused: a NaN ratio is 0 / 0 or due to infinities.
            let s = singular_values("cond", array, site)?;
            let (largest, smallest) = (s.slice(s![Ellipsis, 0]), s.slice(s![Ellipsis, -1]));
            let ratio = if ord == Ord::P(-2.0) { smallest / largest } else { largest / smallest };
            return select(&ratio.isnan(), f64::INFINITY, &ratio).ok().cloned();
        }
        let matrix = square(array, "cond", site)?;
        let axes = [-2, -1];
        let inverse = decomposed(Decomposition::Inverse, &[&matrix], site)?;
        let product =
            norm(&matrix, ord, Some(&axes), false) * norm(&inverse, ord, Some(&axes), false);
        // As in NumPy, NaN becomes infinity unless the matrix has NaN, so a singular matrix has
        // an infinite condition number.
        let was_nan = matrix.isnan().any([-2, -1]);
        select(&product.isnan().logical_and(was_nan.logical_not()), f64::INFINITY, product)
            .ok()
            .cloned()
    }))
}
