//! Values that are written into arrays.

use crate::convert::{argument, array};
use crate::interpreter::errors::raised;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use phalanx::{Argument, Array};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

/// Writes a value into a view.
pub fn assign(target: &Array, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let (py, _mesh) = (value.py(), call_mesh::of_array(target));
    target.ok().map_err(|error| raised(py, &error))?;
    let value = value_for(target, value)?;
    let written = at_line(py, || target.try_assign(value));
    written.map_err(|error| raised(py, &error))
}

/// The value to write into an array. NumPy converts a value without a dtype of its own to the
/// array's dtype: a list, a string, bytes, None, or an integer beyond 128 bits.
pub fn value_for(target: &Array, value: &Bound<'_, PyAny>) -> PyResult<Argument> {
    let is_plain = value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>()
        || value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_none();
    if is_plain {
        Ok(Argument::Array(array(value, Some(target.dtype()))?))
    } else {
        argument(value)
    }
}

/// Runs a write as a call of the running line of Python.
pub fn written(py: Python<'_>, write: impl FnOnce() -> Result<(), phalanx::Error>) -> PyResult<()> {
    at_line(py, write).map_err(|error| raised(py, &error))
}
