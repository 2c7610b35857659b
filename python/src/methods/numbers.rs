//! Arrays of one element as numbers of Python.

use crate::interpreter::errors::{type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use pyo3::prelude::*;

#[pymethods]
impl Ndarray {
    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        if self.array.size() != 1 {
            return Err(value_error(
                Mistake::Conversion,
                match self.array.size() {
                    0 => {
                        "The truth value of an empty array is ambiguous. Use `array.size > 0` to \
                     check that an array is not empty."
                    }
                    _ => {
                        "The truth value of an array with more than one element is ambiguous. Use \
                     a.any() or a.all()"
                    }
                },
            ));
        }
        self.number(py)?.is_truthy()
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("builtins")?.getattr("int")?.call1((self.scalar(py)?,))
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("builtins")?.getattr("float")?.call1((self.scalar(py)?,))
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("builtins")?.getattr("complex")?.call1((self.scalar(py)?,))
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let is_one = self.array.ndim() == 0 && self.array.dtype().is_integer();
        if !is_one {
            return Err(type_error(
                Mistake::Conversion,
                "only integer scalar arrays can be converted to a scalar index",
            ));
        }
        self.number(py)
    }

    /// Arrays are mutable, so they have no hash, as in NumPy. Arrays without axes, for which NumPy
    /// gives its scalars, have the hash of their element.
    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        match self.array.ndim() {
            0 => self.number(py)?.hash(),
            _ => Err(type_error(Mistake::Conversion, "unhashable type: 'phalanx.ndarray'")),
        }
    }

    #[pyo3(signature = (ndigits=None))]
    fn __round__<'py>(
        &self,
        py: Python<'py>,
        ndigits: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        py.import("builtins")?.getattr("round")?.call1((self.scalar(py)?, ndigits))
    }

    fn __trunc__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("math")?.getattr("trunc")?.call1((self.scalar(py)?,))
    }

    fn __floor__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("math")?.getattr("floor")?.call1((self.scalar(py)?,))
    }

    fn __ceil__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("math")?.getattr("ceil")?.call1((self.scalar(py)?,))
    }
}
