//! Numbers of Python, from and to numbers without a dtype of their own.

use super::dtypes::from_python;
use crate::interpreter::errors::refused;
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use num_complex::Complex64;
use phalanx::{Argument, Array, DType, Scalar, Weak};
use pyo3::exceptions::PyOverflowError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyType};

/// A Python number, whose dtype comes from the other operand (NEP 50).
pub fn weak(object: &Bound<'_, PyAny>) -> PyResult<Option<Weak>> {
    if let Ok(number) = object.cast_exact::<PyFloat>() {
        return Ok(Some(Weak::Float(number.value())));
    }
    if let Ok(number) = object.cast_exact::<PyInt>() {
        return match number.extract::<i64>() {
            Ok(small) => Ok(Some(Weak::Int(small.into()))),
            Err(_) => large(number).map(Some),
        };
    }
    if let Ok(truth) = object.cast_exact::<PyBool>() {
        return Ok(Some(Weak::Bool(truth.is_true())));
    }
    if object.is_exact_instance_of::<PyComplex>() {
        return Ok(Some(Weak::Complex(object.extract::<Complex64>()?)));
    }
    Ok(None)
}

/// Whether an object is an element of NumPy.
pub fn is_element_of_numpy(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static GENERIC: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    object.is_instance(GENERIC.import(object.py(), "numpy", "generic")?.as_any())
}

/// An element of NumPy of a dtype that arrays have. `None` for all other objects.
pub fn element(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if !is_element_of_numpy(object)? {
        return Ok(None);
    }
    // The class determines the dtype, unless it is one with units, lengths or fields.
    let Ok(dtype) = from_python(object.get_type().as_any()) else { return Ok(None) };
    let bytes = object.call_method0(intern!(object.py(), "tobytes"))?;
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    Ok((bytes.len() == dtype.size()).then(|| Scalar::from_bytes(dtype, bytes)))
}

/// A number of Python, or an element that is known, on the mesh of `array`, as an argument that
/// needs no array. `None` for all other objects.
pub fn known(array: &Array, object: &Bound<'_, PyAny>) -> Option<Argument> {
    match object.cast_exact::<Ndarray>() {
        Ok(other) => other.get().array.element_beside(array).map(Argument::Scalar),
        Err(_) => weak(object).ok().flatten().map(Argument::Weak),
    }
}

/// An integer beyond `i128` as an operand beside an array of this dtype: a float beside
/// floating-point elements, as in NumPy. `None` for other objects and dtypes.
pub fn large_beside(object: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<Argument>> {
    let is_large = dtype.is_inexact()
        && object.is_exact_instance_of::<PyInt>()
        && object.extract::<i128>().is_err();
    if !is_large {
        return Ok(None);
    }
    // An error beyond `f64` is Python's.
    object.extract::<f64>().map(|number| Some(Argument::Weak(Weak::Float(number))))
}

/// An integer beyond `i64`. One beyond `i128` is refused: no integer dtype holds it, and it is not
/// known here whether the other operand is floating-point.
fn large(number: &Bound<'_, PyInt>) -> PyResult<Weak> {
    number.extract::<i128>().map(Weak::Int).map_err(|_| {
        refused::<PyOverflowError>(
            Mistake::Large,
            "the Python integer has more than 128 bits; write it as a float if a float is intended",
        )
    })
}

/// An element as a number of Python.
pub fn to_number<'py>(py: Python<'py>, scalar: Scalar) -> PyResult<Bound<'py, PyAny>> {
    weak_number(py, scalar.to_weak())
}

/// A number of Python.
pub fn weak_number<'py>(py: Python<'py>, weak: Weak) -> PyResult<Bound<'py, PyAny>> {
    Ok(match weak {
        Weak::Bool(truth) => PyBool::new(py, truth).to_owned().into_any(),
        Weak::Int(number) => number.into_pyobject(py)?.into_any(),
        Weak::Float(number) => PyFloat::new(py, number).into_any(),
        Weak::Complex(number) => number.into_pyobject(py)?.into_any(),
    })
}
