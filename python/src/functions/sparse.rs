//! Sparse matrices: the functions of `phalanx.scipy.sparse` and of its `linalg`.

use crate::calls::answer::Answer;
use crate::calls::arguments::Arguments;
use crate::convert;
use crate::functions;
use crate::interpreter::errors::raised;
use crate::objects::sparse_matrix::SparseMatrix;
use phalanx::sparse::{CgOptions, Csr, cg_from};
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

/// Conjugate gradients: the solution, and 0 if they converged, else the number of steps.
fn conjugate_gradients(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    a.only("M", "None")?;
    a.only("callback", "None")?;
    let mut options =
        CgOptions::default().tolerance(a.float_or("rtol", 1e-5)?, a.float_or("atol", 0.0)?);
    if a.has("maxiter") {
        options = options.most(a.size_or("maxiter", 0)?);
    }
    if let Some(start) = a.optional_array("x0")? {
        options = options.start(&start);
    }
    let found = cg_from(&matrix(a, "A")?, &a.array("b")?, options);
    let found = found.map_err(|error| raised(a.py(), &error))?;
    let steps = if found.has_converged { 0 } else { found.iterations as i64 };
    Ok((found.x, steps).into())
}

functions! { FUNCTIONS, a =>
    "cg(A, b, x0=None, *, rtol=1e-05, atol=0.0, maxiter=None, M=None, callback=None)",
    "Solves linear equations with a Hermitian positive definite matrix by conjugate gradients.":
    conjugate_gradients(a);
}
