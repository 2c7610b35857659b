//! Elements of structured arrays on the host, and values to write into structured arrays.

use super::arrays::{argument, as_array};
use super::dtypes::numpy;
use super::host::fetch;
use super::numbers::weak;
use super::record_dtypes::{given, to_python};
use crate::interpreter::errors::{as_numpy_raises, raised};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use crate::session;
use phalanx::Argument;
use phalanx::records::{Record, RecordValue, Records};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// The structured array of an object, if it is one.
pub fn records_of<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Records> {
    object.cast::<Ndarray>().ok().and_then(|array| array.get().records.as_deref())
}

/// Whether an object is a structured array, of ours or of NumPy, or a structured scalar of NumPy.
pub fn owns_records(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<Ndarray>() {
        return Ok(records_of(object).is_some());
    }
    let numpy = numpy(object.py())?;
    if !object.is_instance(&numpy.getattr("ndarray")?)?
        && !object.is_instance(&numpy.getattr("void")?)?
    {
        return Ok(false);
    }
    Ok(given(&object.getattr("dtype")?)?.is_some())
}

/// A structured array of an object that NumPy converts to records.
pub fn of_host(object: &Bound<'_, PyAny>, record: &Arc<Record>) -> PyResult<Records> {
    let py = object.py();
    session::ensure(py)?;
    let dtype = to_python(py, record)?;
    let array = numpy(py)?.getattr("asarray")?.call1((object, dtype));
    let array = array.map_err(|error| as_numpy_raises(py, Mistake::Elements, error))?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let bytes = array.call_method0("tobytes")?;
    let bytes = bytes.cast::<PyBytes>()?.as_bytes().to_vec();
    let made = at_line(py, || Records::from_host(&shape, bytes, record));
    made.map_err(|error| raised(py, &error))
}

/// The elements as an array of NumPy. Collective.
pub fn host<'py>(py: Python<'py>, records: &Records) -> PyResult<Bound<'py, PyAny>> {
    let dtype = to_python(py, records.record())?;
    let shape = records.shape().to_vec();
    let bytes = fetch(py, records.bytes())?.bytes;
    let made = numpy(py)?.getattr("empty")?.call1((shape, dtype))?;
    if !bytes.is_empty() {
        let flat = made.call_method1("reshape", (-1,))?.call_method1("view", ("uint8",))?;
        let read = numpy(py)?.getattr("frombuffer")?;
        let read = read.call1((PyBytes::new(py, &bytes), "uint8"))?;
        flat.set_item(pyo3::types::PyEllipsis::get(py), read)?;
    }
    Ok(made)
}

/// The value to write into records: records, numbers, or an object that NumPy converts to such
/// records.
pub fn value_for(object: &Bound<'_, PyAny>, record: &Arc<Record>) -> PyResult<RecordValue> {
    if let Some(records) = records_of(object) {
        return Ok(RecordValue::Records(records.clone()));
    }
    if owns_records(object)? {
        let own = given(&object.getattr("dtype")?)?;
        let own = own.unwrap_or_else(|| record.clone());
        return of_host(object, &own).map(RecordValue::Records);
    }
    if object.is_instance_of::<Ndarray>() {
        return argument(object).map(RecordValue::Numbers);
    }
    let is_number = !record.is_void() && weak(object)?.is_some();
    if is_number {
        return argument(object).map(RecordValue::Numbers);
    }
    if object.hasattr("dtype")? {
        let numbers = argument(object)?;
        let array = as_array(object.py(), numbers)?;
        return Ok(RecordValue::Numbers(Argument::Array(array)));
    }
    of_host(object, record).map(RecordValue::Records)
}
