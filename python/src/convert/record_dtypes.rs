//! Conversion of structured dtypes from and to NumPy's.

use super::dtypes::{self, from_python, numpy};
use crate::interpreter::errors::{as_numpy_raises, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use phalanx::records::{Field, Form, Record};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};
use std::sync::Arc;

/// The structured dtype that an object names; `None` for any other object.
pub fn given(object: &Bound<'_, PyAny>) -> PyResult<Option<Arc<Record>>> {
    let py = object.py();
    if object.is_none() || object.is_instance_of::<Ndarray>() {
        return Ok(None);
    }
    let class = numpy(py)?.getattr("dtype")?;
    if object.is_instance(&class)? {
        return record_of(object);
    }
    let may_be = match object.cast::<PyString>() {
        Ok(text) => {
            let text = text.to_cow()?;
            let text = text.trim_start_matches(['|', '=', '<', '>']);
            text.starts_with('V') || text.contains(',')
        }
        Err(_) => {
            let is_class = object.is_instance_of::<PyType>();
            let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyDict>();
            // Of NumPy's scalar types, only `void` names such a dtype.
            is_list || (is_class && object.is(numpy(py)?.getattr("void")?))
        }
    };
    if !may_be {
        return Ok(None);
    }
    let dtype = class.call1((object,));
    record_of(&dtype.map_err(|error| as_numpy_raises(py, Mistake::Dtype, error))?)
}

/// The record of a dtype of NumPy's, if it is structured or void.
fn record_of(dtype: &Bound<'_, PyAny>) -> PyResult<Option<Arc<Record>>> {
    let kind: char = dtype.getattr("kind")?.extract()?;
    if kind != 'V' || !dtype.getattr("subdtype")?.is_none() {
        return Ok(None);
    }
    if from_python(dtype).is_ok() {
        // bfloat16 has the kind of raw bytes in NumPy.
        return Ok(None);
    }
    if dtype.getattr("hasobject")?.is_truthy()? {
        return Err(value_error(
            Mistake::Dtype,
            "arrays hold no objects, nor records with objects",
        ));
    }
    let (size, mut fields) = (dtype.getattr("itemsize")?.extract()?, Vec::new());
    let names = dtype.getattr("names")?;
    if !names.is_none() {
        let known = dtype.getattr("fields")?;
        for name in names.try_iter()? {
            let name = name?;
            fields.push(field_of(&name, &known.get_item(&name)?)?);
        }
    }
    let is_aligned = dtype.getattr("isalignedstruct")?.is_truthy()?;
    let record = Record::new(size, fields, is_aligned);
    let refused = || type_error(Mistake::Dtype, format!("arrays cannot have the dtype {dtype}"));
    Ok(Some(Arc::new(record.ok_or_else(refused)?)))
}

fn field_of(name: &Bound<'_, PyAny>, entry: &Bound<'_, PyAny>) -> PyResult<Field> {
    let entry = entry.cast::<PyTuple>()?;
    let (dtype, offset) = (entry.get_item(0)?, entry.get_item(1)?.extract()?);
    let title = match entry.len() {
        3 => entry.get_item(2)?.extract::<Option<String>>().unwrap_or(None),
        _ => None,
    };
    let subdtype = dtype.getattr("subdtype")?;
    let (base, shape) = if subdtype.is_none() {
        (dtype, Vec::new())
    } else {
        let subdtype = subdtype.cast::<PyTuple>()?;
        (subdtype.get_item(0)?, subdtype.get_item(1)?.extract()?)
    };
    let form = match record_of(&base)? {
        Some(record) => Form::Record(record),
        None => {
            let is_native = base.getattr("isnative")?.is_truthy()?;
            match from_python(&base) {
                Ok(dtype) if is_native => Form::Number(dtype),
                _ => Form::Other {
                    name: base.getattr("str")?.extract()?,
                    size: base.getattr("itemsize")?.extract()?,
                },
            }
        }
    };
    Ok(Field { name: name.extract()?, title, offset, form, shape })
}

/// NumPy's dtype of a record.
pub fn to_python<'py>(py: Python<'py>, record: &Record) -> PyResult<Bound<'py, PyAny>> {
    let class = numpy(py)?.getattr("dtype")?;
    if record.is_void() {
        return class.call1((format!("V{}", record.size()),));
    }
    let form = |field: &Field| -> PyResult<Bound<'py, PyAny>> {
        let base = match &field.form {
            Form::Number(dtype) => dtypes::to_python(py, *dtype)?,
            Form::Record(record) => to_python(py, record)?,
            Form::Other { name, .. } => class.call1((name,))?,
        };
        if field.shape.is_empty() {
            Ok(base)
        } else {
            class.call1(((base, PyTuple::new(py, &field.shape)?),))
        }
    };
    let fields = record.fields();
    let description = PyDict::new(py);
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let formats = fields.iter().map(form).collect::<PyResult<Vec<_>>>()?;
    let offsets: Vec<usize> = fields.iter().map(|field| field.offset).collect();
    description.set_item("names", names)?;
    description.set_item("formats", formats)?;
    description.set_item("offsets", offsets)?;
    description.set_item("itemsize", record.size())?;
    if fields.iter().any(|field| field.title.is_some()) {
        let titles: Vec<Option<&str>> = fields.iter().map(|field| field.title.as_deref()).collect();
        description.set_item("titles", titles)?;
    }
    class.call1((description, record.is_aligned()))
}
