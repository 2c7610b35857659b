//! Arrays of one element as numbers of Python.

use crate::convert::weak_number;
use crate::interpreter::errors::{type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use num_complex::Complex64;
use phalanx::Weak;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyInt};

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
        Ok(match self.element(py)?.to_weak() {
            Weak::Bool(truth) => truth,
            Weak::Int(number) => number != 0,
            Weak::Large(_) => true,
            Weak::Float(number) => number != 0.0,
            Weak::Complex(number) => number != Complex64::ZERO,
        })
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let number = weak_number(py, self.scalar(py)?)?;
        if number.is_exact_instance_of::<PyInt>() {
            return Ok(number);
        }
        py.get_type::<PyInt>().call1((number,))
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.scalar(py)? {
            Weak::Float(number) => Ok(PyFloat::new(py, number).into_any()),
            other => py.get_type::<PyFloat>().call1((weak_number(py, other)?,)),
        }
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PyComplex>().call1((weak_number(py, self.scalar(py)?)?,))
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
        py.import("builtins")?
            .getattr("round")?
            .call1((weak_number(py, self.scalar(py)?)?, ndigits))
    }

    fn __trunc__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("math")?.getattr("trunc")?.call1((weak_number(py, self.scalar(py)?)?,))
    }

    fn __floor__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("math")?.getattr("floor")?.call1((weak_number(py, self.scalar(py)?)?,))
    }

    fn __ceil__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("math")?.getattr("ceil")?.call1((weak_number(py, self.scalar(py)?)?,))
    }
}
