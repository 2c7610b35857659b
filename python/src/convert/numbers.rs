//! Numbers of Python, from and to numbers without a dtype of their own.

use super::dtypes::from_python;
use crate::objects::ndarray::Ndarray;
use crate::objects::shown::Shown;
use num_complex::Complex64;
use phalanx::{Argument, Scalar, Weak};
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

/// Whether an object is an element of an array of NumPy's or of ours.
pub fn is_element(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    match object.cast::<Ndarray>() {
        Ok(array) => Ok(array.get().array.is_element()),
        Err(_) => is_element_of_numpy(object),
    }
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
pub fn known(array: &Shown, object: &Bound<'_, PyAny>) -> Option<Argument> {
    match object.cast_exact::<Ndarray>() {
        Ok(other) => other.get().array.element_beside(array).map(Argument::Scalar),
        Err(_) => weak(object).ok().flatten().map(Argument::Weak),
    }
}

/// An integer beyond `i64`.
fn large(number: &Bound<'_, PyInt>) -> PyResult<Weak> {
    if let Ok(number) = number.extract::<i128>() {
        return Ok(Weak::Int(number));
    }
    // Python refuses to convert an integer beyond `f64`.
    let infinity = if number.lt(0)? { f64::NEG_INFINITY } else { f64::INFINITY };
    Ok(Weak::Large(number.extract().unwrap_or(infinity)))
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
        Weak::Large(number) => PyFloat::new(py, number).call_method0("__int__")?,
        Weak::Float(number) => PyFloat::new(py, number).into_any(),
        Weak::Complex(number) => number.into_pyobject(py)?.into_any(),
    })
}
