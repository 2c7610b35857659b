//! Items of structured arrays: keys, writing and comparisons.

use crate::calls::indexing::key;
use crate::calls::writing::assign;
use crate::convert::dtypes::numpy;
use crate::convert::record_dtypes::given;
use crate::convert::records::{of_host, records_of, value_for};
use crate::interpreter::errors::{raised, refused, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use phalanx::Error;
use phalanx::records::{Records, Shown};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

/// The field names of a key: one or several.
enum Names {
    One(String),
    Several(Vec<String>),
}

fn names(object: &Bound<'_, PyAny>) -> PyResult<Option<Names>> {
    if let Ok(name) = object.cast::<PyString>() {
        return Ok(Some(Names::One(name.to_cow()?.into_owned())));
    }
    match object.cast::<PyList>() {
        Ok(list) if !list.is_empty() && list.iter().all(|one| one.is_instance_of::<PyString>()) => {
            Ok(Some(Names::Several(list.extract()?)))
        }
        _ => Ok(None),
    }
}

fn found<T>(py: Python<'_>, result: Result<T, Error>) -> PyResult<T> {
    result.map_err(|error| raised(py, &error))
}

/// The view of a field.
fn field(py: Python<'_>, records: &Records, name: &str) -> PyResult<Shown> {
    if records.record().is_void() {
        let text = "only integers, slices (`:`), ellipsis (`...`), None and integer or boolean \
                    arrays are valid indices";
        return Err(refused::<PyIndexError>(Mistake::Key, text));
    }
    if records.record().field(name).is_none() {
        return Err(value_error(Mistake::Key, format!("no field of name {name}")));
    }
    found(py, at_line(py, || records.field(name)))
}

fn fields(py: Python<'_>, records: &Records, names: &[String]) -> PyResult<Records> {
    if let Some(unknown) = names.iter().find(|name| records.record().field(name).is_none()) {
        return Err(refused::<PyKeyError>(Mistake::Key, unknown));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    found(py, at_line(py, || records.fields(&names)))
}

fn shown(py: Python<'_>, shown: Shown) -> PyResult<Py<PyAny>> {
    match shown {
        Shown::Numbers(array) => Ndarray::wrap(py, array),
        Shown::Records(records) => Ndarray::wrap_records(py, records),
    }
}

/// `records[object]`.
pub fn item(records: &Records, object: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let py = object.py();
    match names(object)? {
        Some(Names::One(name)) => shown(py, field(py, records, &name)?),
        Some(Names::Several(names)) => Ndarray::wrap_records(py, fields(py, records, &names)?),
        None => {
            let items = key(object)?.into_items();
            Ndarray::wrap_records(py, found(py, at_line(py, || records.index(&items)))?)
        }
    }
}

/// `records[object] = value`.
pub fn set_item(
    records: &Records,
    object: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let py = object.py();
    if !records.bytes().is_writeable() {
        return Err(value_error(Mistake::Fixed, "assignment destination is read-only"));
    }
    match names(object)? {
        Some(Names::One(name)) => match field(py, records, &name)? {
            Shown::Numbers(array) => match records_of(value) {
                Some(value) => {
                    let cast = at_line(py, || value.cast_to_numbers(array.dtype()));
                    found(py, array.try_assign(found(py, cast)?))
                }
                None => assign(&array, value),
            },
            Shown::Records(inner) => written(&inner, value),
        },
        Some(Names::Several(names)) => written(&fields(py, records, &names)?, value),
        None => {
            let items = key(object)?.into_items();
            let value = value_for(value, records.record())?;
            found(py, at_line(py, || records.try_assign_index(&items, &value)))
        }
    }
}

/// Writes a value into all elements.
pub fn written(records: &Records, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = value.py();
    let value = value_for(value, records.record())?;
    found(py, at_line(py, || records.try_assign(&value)))
}

/// `records == other`, and its opposite.
pub fn compared(
    records: &Records,
    other: &Bound<'_, PyAny>,
    compare: CompareOp,
) -> PyResult<Py<PyAny>> {
    let py = other.py();
    if !matches!(compare, CompareOp::Eq | CompareOp::Ne) {
        return Err(type_error(Mistake::Type, "structured arrays have no order"));
    }
    let other = match records_of(other) {
        Some(other) => other.clone(),
        None => {
            let other = numpy(py)?.getattr("asarray")?.call1((other,))?;
            let own = given(&other.getattr("dtype")?)?.ok_or_else(|| {
                let text = "Cannot compare structured or void to non-void arrays.";
                type_error(Mistake::Type, text)
            })?;
            of_host(&other, &own)?
        }
    };
    let compared = at_line(py, || match compare {
        CompareOp::Eq => records.equal(&other),
        _ => records.not_equal(&other),
    });
    Ndarray::result(py, found(py, compared)?)
}
