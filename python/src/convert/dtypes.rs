//! Conversion of dtypes from and to NumPy's. NumPy is imported at the first use.

use crate::interpreter::errors::{as_numpy_raises, type_error};
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use phalanx::DType;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyComplex, PyDict, PyFloat, PyInt, PyString};

/// The module `numpy`.
pub fn numpy(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static NUMPY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let numpy = NUMPY
        .get_or_try_init(py, || py.import("numpy").map(|module| module.into_any().unbind()))?;
    Ok(numpy.bind(py))
}

/// NumPy's object for a dtype; the object of `ml_dtypes` for bfloat16, which NumPy lacks.
pub fn to_python(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    static OBJECTS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let objects = OBJECTS.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
    let key = dtype as u8;
    if let Some(known) = objects.get_item(key)? {
        return Ok(known);
    }
    let named = match dtype {
        DType::BF16 => py
            .import("ml_dtypes")
            .map_err(|_| {
                type_error(
                    Mistake::Dtype,
                    "bfloat16 is a dtype of the package ml_dtypes: install it",
                )
            })?
            .getattr("bfloat16")?,
        _ => PyString::new(py, dtype.numpy_name()).into_any(),
    };
    let object = numpy(py)?.getattr("dtype")?.call1((named,))?;
    objects.set_item(key, &object)?;
    Ok(object)
}

/// The dtype that an object names: a NumPy dtype or scalar type, a Python type, or a string.
pub fn from_python(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    static KNOWN: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let py = object.py();
    let known = KNOWN.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
    // An object that cannot be hashed is not in the cache.
    if let Ok(Some(found)) = known.get_item(object) {
        return DType::ALL
            .get(found.extract::<usize>()?)
            .copied()
            .ok_or_else(|| type_error(Mistake::Dtype, "bug: an unknown dtype"));
    }
    let dtype = resolved(object)?;
    let _ = known.set_item(object, dtype as u8);
    Ok(dtype)
}

fn resolved(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    let py = object.py();
    if let Ok(text) = object.cast::<PyString>()
        && text.to_cow()? == "bfloat16"
    {
        return Ok(DType::BF16);
    }
    let of_type = [
        (py.get_type::<PyBool>(), DType::Bool),
        (py.get_type::<PyInt>(), DType::I64),
        (py.get_type::<PyFloat>(), DType::F64),
        (py.get_type::<PyComplex>(), DType::C128),
    ];
    if let Some((_, dtype)) = of_type.iter().find(|(class, _)| object.is(class)) {
        return Ok(*dtype);
    }
    // NumPy refuses its own arrays here, but accepts any other object with the attribute `dtype`,
    // such as our arrays.
    if object.is_instance_of::<Ndarray>() {
        return Err(type_error(Mistake::Dtype, "Cannot construct a dtype from an array"));
    }
    let dtype = numpy(py)?.getattr("dtype")?.call1((object,));
    let dtype = dtype.map_err(|error| as_numpy_raises(py, Mistake::Dtype, error))?;
    let name: String = dtype.getattr("name")?.extract()?;
    let found = DType::ALL.iter().copied().find(|dtype| dtype.numpy_name() == name);
    found.ok_or_else(|| type_error(Mistake::Dtype, format!("arrays cannot have the dtype {name}")))
}
