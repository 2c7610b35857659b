//! Sparse matrices: the functions of `phalanx.scipy.sparse` and of its `linalg`.

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::convert;
use crate::errors::raised;
use crate::functions;
use crate::sparse_matrix::SparseMatrix;
use phalanx::Array;
use phalanx::sparse::{Csr, cg};
use pyo3::prelude::*;

/// A matrix, which may be given as an array.
fn matrix(a: &Arguments<'_, '_>, name: &str) -> PyResult<Csr> {
    let object = a.object(name)?;
    match object.cast::<SparseMatrix>() {
        Ok(matrix) => Ok(matrix.get().matrix.clone()),
        Err(_) => {
            let made = Csr::from_dense(&convert::array(object, None)?);
            made.map_err(|error| raised(a.py(), &error))
        }
    }
}

/// Conjugate gradients: the solution, and 0 or the number of steps after which there was none.
fn conjugate_gradients(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    a.only("M", "None")?;
    a.only("callback", "None")?;
    let failed = |error: phalanx::Error| raised(a.py(), &error);
    let (matrix, mut b) = (matrix(a, "A")?, a.array("b")?);
    if b.ndim() == 2 && b.shape()[1] == 1 {
        b = b.reshape([-1]);
    }
    let norm_of = |array: &Array| {
        let norm = phalanx::linalg::norm(array, phalanx::linalg::Ord::Default, None, false);
        norm.astype(phalanx::DType::F64).item::<f64>().map_err(failed)
    };
    let (relative, absolute) = (a.float_or("rtol", 1e-5)?, a.float_or("atol", 0.0)?);
    let most = a.size_or("maxiter", 10 * matrix.shape()[0])?;
    let start = a.optional_array("x0")?;
    // The tolerance is relative to what is solved for, which a start makes smaller.
    let mut tolerance = relative;
    let mut wanted = b.clone();
    if absolute > 0.0 || start.is_some() {
        let limit = (relative * norm_of(&b)?).max(absolute);
        if let Some(start) = &start {
            wanted = &b - matrix.matvec(start);
        }
        let norm = norm_of(&wanted)?;
        if norm <= limit {
            let x = start.unwrap_or_else(|| phalanx::zeros_like(&b, None));
            return Ok((x, 0i64).into());
        }
        tolerance = limit / norm;
    }
    let found = cg(&matrix, &wanted, tolerance, most).map_err(failed)?;
    let x = match start {
        Some(start) => start + found.x,
        None => found.x,
    };
    let steps = if found.residual <= tolerance { 0 } else { found.iterations as i64 };
    Ok((x, steps).into())
}

functions! { FUNCTIONS, a =>
    "cg(A, b, x0=None, *, rtol=1e-05, atol=0.0, maxiter=None, M=None, callback=None)",
    "Solves equations of a Hermitian positive definite matrix by conjugate gradients.":
    conjugate_gradients(a);
}
