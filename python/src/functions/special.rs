//! Special functions: what `phalanx.scipy.special` calls.

use crate::convert;
use crate::interpreter::errors::raised;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::ndarray::Ndarray;
use pyo3::prelude::*;

/// The name, the number of arguments and the definition of each function.
#[pyfunction(name = "_functions")]
fn functions() -> Vec<(&'static str, usize, &'static str)> {
    phalanx::special::special_functions().collect()
}

#[pyfunction(name = "_call")]
fn called(py: Python<'_>, name: &str, arguments: Vec<Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
    let _mesh = call_mesh::of_objects(&arguments);
    let arguments = convert::operands(&arguments)?;
    let made = at_line(py, || phalanx::special::special(name, arguments).into_result());
    Ndarray::wrap(py, made.map_err(|error| raised(py, &error))?)
}

/// Adds the functions to their module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(functions, module)?)?;
    module.add_function(wrap_pyfunction!(called, module)?)
}
