//! The array computations of `phalanx.polynomial`, whose modules are written in Python.

use crate::calls::answer::Answer;
use crate::convert;
use crate::interpreter::errors::{raised, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::session;
use phalanx::{
    Array, Basis, series_derivative, series_fit, series_integral, series_value, series_vander,
};
use pyo3::prelude::*;

fn basis(name: &str) -> PyResult<Basis> {
    let unknown = || value_error(Mistake::Choice, format!("there is no family {name:?}"));
    Basis::from_name(name).ok_or_else(unknown)
}

fn array(object: &Bound<'_, PyAny>) -> PyResult<Array> {
    convert::array(object, None)
}

/// Runs a computation as a call of the running line of Python.
fn answered(
    py: Python<'_>,
    objects: &[&Bound<'_, PyAny>],
    compute: impl FnOnce() -> PyResult<Answer>,
) -> PyResult<Py<PyAny>> {
    session::ensure(py)?;
    let _mesh = call_mesh::of_objects(objects.iter().copied());
    at_line(py, compute)?.into_python(py)
}

#[pyfunction(name = "_series_value")]
pub fn value(
    py: Python<'_>,
    family: &str,
    x: &Bound<'_, PyAny>,
    c: &Bound<'_, PyAny>,
    tensor: bool,
) -> PyResult<Py<PyAny>> {
    answered(
        py,
        &[x, c],
        || Ok(series_value(basis(family)?, &array(x)?, &array(c)?, tensor).into()),
    )
}

#[pyfunction(name = "_series_vander")]
pub fn vander(
    py: Python<'_>,
    family: &str,
    x: &Bound<'_, PyAny>,
    degree: usize,
) -> PyResult<Py<PyAny>> {
    answered(py, &[x], || Ok(series_vander(basis(family)?, &array(x)?, degree).into()))
}

#[pyfunction(name = "_series_derivative")]
pub fn derivative(
    py: Python<'_>,
    family: &str,
    c: &Bound<'_, PyAny>,
    order: usize,
    scale: &Bound<'_, PyAny>,
    axis: i64,
) -> PyResult<Py<PyAny>> {
    answered(py, &[c], || {
        Ok(series_derivative(basis(family)?, &array(c)?, order, &array(scale)?, axis).into())
    })
}

#[pyfunction(name = "_series_integral")]
pub fn integral(
    py: Python<'_>,
    family: &str,
    c: &Bound<'_, PyAny>,
    constants: Vec<Bound<'_, PyAny>>,
    bound: &Bound<'_, PyAny>,
    scale: &Bound<'_, PyAny>,
    axis: i64,
) -> PyResult<Py<PyAny>> {
    answered(py, &[c], || {
        let constants = constants.iter().map(array).collect::<PyResult<Vec<_>>>()?;
        let (bound, scale) = (array(bound)?, array(scale)?);
        Ok(series_integral(basis(family)?, &array(c)?, &constants, &bound, &scale, axis).into())
    })
}

/// The coefficients, the residuals, the rank and the singular values.
#[pyfunction(name = "_series_fit")]
pub fn fit(
    py: Python<'_>,
    family: &str,
    points: (Bound<'_, PyAny>, Bound<'_, PyAny>),
    degrees: Vec<usize>,
    rcond: Option<f64>,
    weights: Option<Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    let (x, y) = points;
    answered(py, &[&x, &y], || {
        let (x, y) = (array(&x)?, array(&y)?);
        let weights = weights.as_ref().map(array).transpose()?;
        let found = series_fit(basis(family)?, (&x, &y), &degrees, rcond, weights.as_ref());
        let found = found.map_err(|error| raised(py, &error))?;
        let parts = [found.x, found.residuals, found.rank, found.s];
        Ok(Answer::tuple(parts))
    })
}
