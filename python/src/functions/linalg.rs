//! The functions of `phalanx.linalg`.

use super::products::contracted;
use crate::calls::answer::Answer;
use crate::calls::arguments::Arguments;
use crate::calls::named::named;
use crate::convert::{to_host_array, to_numpy};
use crate::functions;
use crate::interpreter::errors::{raised, value_error, warn};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use phalanx::Array;
use phalanx::linalg::{
    Eig, Ord, Qr, QrMode, Slogdet, Svd, Triangle, cholesky, cond, cross, det, diagonal, eig, eigh,
    eigvals, eigvalsh, inv, lstsq, matmul, matrix_norm, matrix_power, matrix_rank,
    matrix_rank_relative, multi_dot, norm, outer, pinv, qr, qr_raw, slogdet, solve, svd, svdvals,
    tensordot, tensorinv, tensorsolve, trace, vecdot,
};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Both triangular factors of NumPy's arrays of few columns in one array, and the order of the
/// rows; see `phalanx::linalg::factored_panel`.
#[pyfunction(name = "_factored_panel")]
fn factored_panel<'py>(
    panel: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (py, host) = (panel.py(), to_host_array(panel, None)?);
    let (factors, order) = at_line(py, || phalanx::linalg::factored_panel(&host))
        .map_err(|error| raised(py, &error))?;
    Ok((to_numpy(py, factors)?, to_numpy(py, order)?))
}

/// Adds what `phalanx.scipy.linalg` uses.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(factored_panel, module)?)
}

fn triangle(a: &Arguments<'_, '_>) -> PyResult<Triangle> {
    match a.text_or("UPLO", "L")?.as_str() {
        "L" | "l" => Ok(Triangle::Lower),
        "U" | "u" => Ok(Triangle::Upper),
        _ => Err(value_error(Mistake::Choice, "UPLO argument must be 'L' or 'U'")),
    }
}

fn order(a: &Arguments<'_, '_>, name: &str) -> PyResult<Ord> {
    let Some(object) = a.given(name) else { return Ok(Ord::Default) };
    if let Ok(text) = object.cast::<PyString>() {
        return match &*text.to_cow()? {
            "fro" | "f" => Ok(Ord::Frobenius),
            "nuc" => Ok(Ord::Nuclear),
            "inf" => Ok(Ord::Infinity),
            "-inf" => Ok(Ord::MinusInfinity),
            other => Err(value_error(Mistake::Choice, format!("Invalid norm order '{other}'"))),
        };
    }
    let number = a.float(name)?;
    Ok(match number {
        f64::INFINITY => Ord::Infinity,
        f64::NEG_INFINITY => Ord::MinusInfinity,
        number => Ord::P(number),
    })
}

/// The norm of all elements along axes as one vector.
fn vector_norm(a: &Arguments<'_, '_>) -> PyResult<Array> {
    let array = a.array("x")?;
    let keeps = a.truth_or("keepdims", false)?;
    let ord = if a.has("ord") { order(a, "ord")? } else { Ord::P(2.0) };
    Ok(phalanx::linalg::vector_norm(&array, ord, a.optional_integers("axis")?, keeps))
}

fn factors(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    let array = a.array("a")?;
    let given = a.text_or("mode", "reduced")?;
    let mode = match given.as_str() {
        "f" | "full" => {
            let text = "The 'full' option is deprecated: take 'reduced'.";
            warn(a.py(), "DeprecationWarning", text)?;
            "reduced"
        }
        "e" | "economic" => {
            warn(a.py(), "DeprecationWarning", "The 'economic' option is deprecated.")?;
            return Ok(phalanx::matrix_transpose(&qr_raw(&array).0).into());
        }
        mode => mode,
    };
    let mode = match mode {
        "reduced" => QrMode::Reduced,
        "complete" => QrMode::Complete,
        "r" => return Ok(qr(&array, QrMode::Reduced).r.into()),
        "raw" => return Ok(qr_raw(&array).into()),
        other => return Err(value_error(Mistake::Choice, format!("Unrecognized mode '{other}'"))),
    };
    let Qr { q, r } = qr(&array, mode);
    named(a.py(), "QRResult", vec![q.into(), r.into()])
}

fn singular(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    let array = a.array("a")?;
    if !a.truth_or("compute_uv", true)? {
        return Ok(svdvals(&array).into());
    }
    let found = svd(&array, a.truth_or("full_matrices", true)?);
    let Svd { u, s, vh } = found.map_err(|error| raised(a.py(), &error))?;
    named(a.py(), "SVDResult", vec![u.into(), s.into(), vh.into()])
}

fn rank(a: &Arguments<'_, '_>) -> PyResult<Array> {
    let array = a.array("A")?;
    let Some(relative) = a.optional_argument("rtol")? else {
        return Ok(matrix_rank(&array, a.optional_argument("tol")?));
    };
    if a.has("tol") {
        return Err(value_error(Mistake::Together, "`tol` and `rtol` can't be both set."));
    }
    Ok(matrix_rank_relative(&array, relative))
}

functions! { FUNCTIONS, a =>
    "cholesky(a, /, *, upper=False)",
    "The Cholesky factor of Hermitian positive definite matrices.":
    cholesky(&a.array("a")?, a.truth_or("upper", false)?);

    "cond(x, p=None)",
    "The condition number of matrices.":
    cond(&a.array("x")?, order(a, "p")?);

    "cross(x1, x2, /, *, axis=-1)",
    "The cross products of vectors of three components.":
    cross(&a.array("x1")?, &a.array("x2")?, a.integer_or("axis", -1)?);

    "det(a)",
    "The determinant of square matrices.":
    det(&a.array("a")?);

    "diagonal(x, /, *, offset=0)",
    "The diagonals of the matrices in the last two axes: a view.":
    diagonal(&a.array("x")?, a.integer_or("offset", 0)?);

    "eig(a)",
    "The eigenvalues, which are not sorted, and eigenvectors of square matrices. Collective.":
    {
        let Eig { eigenvalues, eigenvectors } = eig(&a.array("a")?);
        named(a.py(), "EigResult", vec![eigenvalues.into(), eigenvectors.into()])
    };

    "eigvals(a)",
    "The eigenvalues of square matrices, which are not sorted. Collective.":
    eigvals(&a.array("a")?);

    "eigh(a, UPLO='L')",
    "The eigenvalues and eigenvectors of Hermitian matrices.":
    {
        let Eig { eigenvalues, eigenvectors } = eigh(&a.array("a")?, triangle(a)?);
        named(a.py(), "EighResult", vec![eigenvalues.into(), eigenvectors.into()])
    };

    "eigvalsh(a, UPLO='L')",
    "The eigenvalues of Hermitian matrices.":
    eigvalsh(&a.array("a")?, triangle(a)?);

    "inv(a)",
    "The inverse of square matrices.":
    inv(&a.array("a")?);

    "lstsq(a, b, rcond=None)",
    "The solution by least squares, the residuals, the rank and the singular values.":
    lstsq(&a.array("a")?, &a.array("b")?, a.optional_float("rcond")?)
        .map(|found| vec![found.x, found.residuals, found.rank, found.s]);

    "matmul(x1, x2, /)",
    "The products of matrices.":
    matmul(&a.array("x1")?, &a.array("x2")?);

    "matrix_norm(x, /, *, keepdims=False, ord='fro')",
    "The norm of the matrices in the last two axes.":
    {
        let ord = if a.find("ord").is_some() { order(a, "ord")? } else { Ord::Frobenius };
        matrix_norm(&a.array("x")?, ord, a.truth_or("keepdims", false)?)
    };

    "matrix_power(a, n)",
    "An integer power of square matrices.":
    matrix_power(&a.array("a")?, a.integer("n")?);

    "matrix_rank(A, tol=None, hermitian=False, *, rtol=None)",
    "The rank of matrices: the number of singular values above a tolerance.":
    rank(a);

    "matrix_transpose(x, /)",
    "The matrices in the last two axes transposed: a view.":
    phalanx::matrix_transpose(&a.array("x")?);

    "multi_dot(arrays, *, out=None)",
    "The product of several matrices, in the cheapest order.":
    a.stored(multi_dot(&a.arrays("arrays")?.iter().collect::<Vec<_>>()));

    "norm(x, ord=None, axis=None, keepdims=False)",
    "The norm of vectors or matrices.":
    {
        let axes = a.optional_integers("axis")?;
        let (array, ord) = (a.array("x")?, order(a, "ord")?);
        norm(&array, ord, axes.as_deref(), a.truth_or("keepdims", false)?)
    };

    "outer(x1, x2, /)",
    "The products of each element of a vector with each element of another.":
    outer(&a.array("x1")?, &a.array("x2")?);

    "pinv(a, rcond=None, hermitian=False, *, rtol=None)",
    "The Moore-Penrose inverse of matrices.":
    {
        let relative = a.optional_argument("rtol")?;
        let relative = relative.map_or_else(|| a.optional_argument("rcond"), |it| Ok(Some(it)));
        pinv(&a.array("a")?, relative?)
    };

    "qr(a, mode='reduced')",
    "The QR factorisation: `q` has orthonormal columns, and `r` is upper triangular.":
    factors(a);

    "slogdet(a)",
    "The sign of the determinant and the logarithm of its absolute value.":
    {
        let Slogdet { sign, logabsdet } = slogdet(&a.array("a")?);
        named(a.py(), "SlogdetResult", vec![sign.into(), logabsdet.into()])
    };

    "solve(a, b)",
    "The solution of linear equations.":
    solve(&a.array("a")?, &a.array("b")?);

    "svd(a, full_matrices=True, compute_uv=True, hermitian=False)",
    "The singular value decomposition of matrices.":
    singular(a);

    "svdvals(x, /)",
    "The singular values of matrices, in descending order.":
    svdvals(&a.array("x")?);

    "tensordot(x1, x2, /, *, axes=2)",
    "The sums of products over pairs of axes.":
    tensordot(&a.array("x1")?, &a.array("x2")?, contracted(a)?);

    "tensorinv(a, ind=2)",
    "The inverse of an array as a linear map that `tensordot` applies.":
    {
        let first = usize::try_from(a.integer_or("ind", 2)?).ok().filter(|&first| first > 0);
        let first = first.ok_or_else(|| value_error(Mistake::Value, "Invalid ind argument."))?;
        tensorinv(&a.array("a")?, first)
    };

    "tensorsolve(a, b, axes=None)",
    "The solution of linear equations whose unknowns form an array.":
    {
        let axes = a.optional_integers("axes")?.unwrap_or_default();
        tensorsolve(&a.array("a")?, &a.array("b")?, &axes)
    };

    "trace(x, /, *, offset=0, dtype=None)",
    "The sums along diagonals of the matrices in the last two axes.":
    {
        let (array, dtype) = (a.array("x")?, a.optional_dtype("dtype")?);
        trace(&array, a.integer_or("offset", 0)?, dtype)
    };

    "vecdot(x1, x2, /, *, axis=-1)",
    "The inner products of vectors along an axis; the first vectors are conjugated.":
    vecdot(&a.array("x1")?, &a.array("x2")?, a.integer_or("axis", -1)?);

    "vector_norm(x, /, *, axis=None, keepdims=False, ord=2)",
    "The norm of the elements along axes, taken as one vector.":
    vector_norm(a);
}
