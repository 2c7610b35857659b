//! The object of an array, and how arrays become objects. Its methods are in `methods`.

use super::shown::Shown;
use crate::interpreter::errors::raised;
use crate::interpreter::site::at_line;
use phalanx::records::Records;
use phalanx::{Array, Flags, KnownElement};
use pyo3::prelude::*;

/// The greatest depth of nested lists: the number of axes that an array may have.
pub const DEEPEST: usize = 64;

/// An array over all devices of a mesh. Python asks a `sequence` for its length where a mapping has
/// none, as `reversed` and `bisect` do.
#[pyclass(name = "ndarray", module = "phalanx", frozen, weakref, subclass, sequence)]
pub struct Ndarray {
    /// The array.
    pub array: Shown,
    /// Whether no other array shared the elements when the object was made.
    pub owns_data: bool,
    /// The elements of a structured array. Its `array` carries the error for functions that need
    /// numbers.
    pub records: Option<Box<Records>>,
}

impl Ndarray {
    /// The extents.
    pub fn extents(&self) -> &[usize] {
        self.records.as_ref().map_or_else(|| self.array.shape(), |records| records.shape())
    }

    /// The object of an array, which Python does not have yet.
    pub fn new(array: Array) -> Ndarray {
        let owns_data = array.is_sole() || array.is_element();
        Ndarray { owns_data, array: Shown::new(array), records: None }
    }

    /// A structured array as an object.
    pub fn wrap_records(py: Python<'_>, records: Records) -> PyResult<Py<PyAny>> {
        let owns_data = records.bytes().is_sole();
        let array = Shown::new(at_line(py, Records::refusal));
        Ok(Py::new(py, Ndarray { array, owns_data, records: Some(Box::new(records)) })?.into_any())
    }

    /// An array as an object that can be written; raises the error that it carries.
    pub fn wrap(py: Python<'_>, array: Array) -> PyResult<Py<PyAny>> {
        Ndarray::wrapped(py, array, false)
    }

    /// The result of an operation as an object: an element if it has no axes.
    pub fn result(py: Python<'_>, array: Array) -> PyResult<Py<PyAny>> {
        let is_element = array.ndim() == 0;
        Ndarray::wrapped(py, array, is_element)
    }

    /// A known element as an object.
    pub fn known(py: Python<'_>, element: KnownElement) -> PyResult<Py<PyAny>> {
        let array = Shown::of_known(element);
        Ok(Py::new(py, Ndarray { array, owns_data: true, records: None })?.into_any())
    }

    /// A view or copy of this array as an object: an element if this array is one.
    pub fn seen(&self, py: Python<'_>, array: Array) -> PyResult<Py<PyAny>> {
        let is_element = array.ndim() == 0 && self.array.is_element();
        Ndarray::wrapped(py, array, is_element)
    }

    fn wrapped(py: Python<'_>, array: Array, is_element: bool) -> PyResult<Py<PyAny>> {
        array.ok().map_err(|error| raised(py, &error))?;
        Ok(Py::new(py, Ndarray::new(claimed(py, array, is_element)))?.into_any())
    }

    /// The memory layout of the elements.
    pub fn layout(&self, py: Python<'_>) -> PyResult<Flags> {
        let flags = match &self.records {
            Some(records) => records.flags(),
            None => self.array.flags(),
        };
        let flags = flags.map_err(|error| raised(py, &error))?;
        Ok(Flags { owns_data: self.owns_data, ..flags })
    }
}

/// The array of a new Python object: an element, or an array that can be written.
fn claimed(py: Python<'_>, array: Array, is_element: bool) -> Array {
    if array.claim(is_element) {
        return array;
    }
    let copy = at_line(py, || array.copy());
    // A copy is new, so it can be claimed, unless it carries an error.
    let _ = copy.claim(is_element);
    copy
}
