//! The elements of the object of an array, as an array of NumPy or as a number of Python.

use super::host::{fetch, to_numpy};
use super::numbers::to_number;
use super::records;
use crate::interpreter::errors::type_error;
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use crate::session::notices::observed;
use phalanx::{Scalar, Weak};
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
        to_number(py, self.element(py)?)
    }

    /// The one element. Collective.
    pub fn element(&self, py: Python<'_>) -> PyResult<Scalar> {
        let known = match self.array.known() {
            Some(known) => Some(known.item()),
            None => self.array.item_if_known(),
        };
        let element = known.unwrap_or_else(|| at_line(py, || self.array.item_scalar()));
        observed(py, element)
    }

    /// The element of an array without axes as a number. Collective.
    pub fn scalar(&self, py: Python<'_>) -> PyResult<Weak> {
        match self.array.ndim() {
            0 => Ok(self.element(py)?.to_weak()),
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
