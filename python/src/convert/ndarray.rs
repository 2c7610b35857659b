//! The elements of the object of an array, as an array of NumPy or as a number of Python.

use super::host::{fetch, to_numpy};
use super::numbers::to_number;
use super::records;
use crate::interpreter::errors::type_error;
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use phalanx::Scalar;
use pyo3::prelude::*;

impl Ndarray {
    /// The elements as an array of NumPy. Collective.
    pub fn host<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.records {
            Some(records) => records::host(py, records),
            None => to_numpy(py, fetch(py, &self.array)?),
        }
    }

    /// The one element as a number of Python. Collective.
    pub fn number<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.array.size() != 1 {
            return Err(type_error(
                Mistake::Conversion,
                "only length-1 arrays can be converted to Python scalars",
            ));
        }
        let host = fetch(py, &self.array)?;
        to_number(py, Scalar::from_bytes(host.dtype, &host.bytes))
    }

    /// The element of an array without axes as a number of Python. Collective.
    pub fn scalar<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.array.ndim() {
            0 => self.number(py),
            _ => Err(type_error(
                Mistake::Conversion,
                "only 0-dimensional arrays can be converted to Python scalars",
            )),
        }
    }
}

/// The object itself, or the elements of an array of ours as a NumPy array. Collective for an
/// array.
pub fn on_host<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    match object.cast::<Ndarray>() {
        Ok(array) => array.get().host(py),
        Err(_) => Ok(object.clone()),
    }
}
