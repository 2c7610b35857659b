//! Keys of `array[key]`.

use crate::convert::{self, is_sequence};
use crate::interpreter::errors::{as_numpy_raises, is_of, refused};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use crate::objects::shown::Shown;
use phalanx::{AnyIndex, Array, DType, Index, Weak};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyInt, PySlice, PyTuple};
use smallvec::SmallVec;

/// A key: basic items only, which give a view, or also arrays.
pub enum Key {
    /// Integers, slices, `None` and the ellipsis.
    Basic(SmallVec<[Index; 2]>),
    /// Items that include arrays of positions or masks.
    Advanced(Vec<AnyIndex>),
}

impl Key {
    /// The items of a key of any kind.
    pub fn into_items(self) -> Vec<AnyIndex> {
        match self {
            Key::Basic(items) => items.into_iter().map(AnyIndex::Basic).collect(),
            Key::Advanced(items) => items,
        }
    }
}

/// The key of one element of an array, if it is of plain integers or of elements that are known, on
/// the mesh of the array. `None` for any other key, which [`key`] reads.
pub fn integers(array: &Shown, object: &Bound<'_, PyAny>) -> Option<SmallVec<[i64; 4]>> {
    let mut found = SmallVec::new();
    match object.cast_exact::<PyTuple>() {
        Ok(tuple) if tuple.len() == array.ndim() => {
            for one in tuple.iter_borrowed() {
                found.push(integer(array, &one)?);
            }
        }
        Err(_) if array.ndim() == 1 => found.push(integer(array, object)?),
        _ => return None,
    }
    Some(found)
}

fn integer(array: &Shown, object: &Bound<'_, PyAny>) -> Option<i64> {
    if let Ok(position) = object.cast_exact::<PyInt>() {
        return position.extract().ok();
    }
    let element = object.cast_exact::<Ndarray>().ok()?.get().array.element_beside(array)?;
    match element.to_weak() {
        Weak::Int(position) => i64::try_from(position).ok(),
        _ => None,
    }
}

/// Reads a key.
pub fn key(object: &Bound<'_, PyAny>) -> PyResult<Key> {
    let Ok(tuple) = object.cast::<PyTuple>() else {
        return Ok(match item(object)? {
            AnyIndex::Basic(index) => Key::Basic(SmallVec::from_slice(&[index])),
            array => Key::Advanced(vec![array]),
        });
    };
    let mut basic: SmallVec<[Index; 2]> = SmallVec::new();
    let mut items = tuple.iter();
    for one in items.by_ref() {
        match item(&one)? {
            AnyIndex::Basic(index) => basic.push(index),
            array => {
                let mut all: Vec<AnyIndex> = basic.into_iter().map(AnyIndex::Basic).collect();
                all.push(array);
                for one in items {
                    all.push(item(&one)?);
                }
                return Ok(Key::Advanced(all));
            }
        }
    }
    Ok(Key::Basic(basic))
}

fn item(object: &Bound<'_, PyAny>) -> PyResult<AnyIndex> {
    if let Ok(position) = object.cast_exact::<PyInt>() {
        return self::position(position.as_any());
    }
    if let Ok(slice) = object.cast_exact::<PySlice>() {
        return range(slice).map(AnyIndex::Basic);
    }
    if object.is_none() {
        return Ok(AnyIndex::Basic(Index::NewAxis));
    }
    if object.is_instance_of::<PyEllipsis>() {
        return Ok(AnyIndex::Basic(Index::Ellipsis));
    }
    if let Ok(array) = object.cast::<Ndarray>() {
        return Ok(AnyIndex::Array(array.get().array.clone()));
    }
    if object.is_instance_of::<PyBool>() {
        return convert::array(object, None).map(AnyIndex::Array);
    }
    if is_sequence(object) {
        return converted(object);
    }
    if object.hasattr("dtype")? && object.hasattr("shape")? {
        let host = convert::to_host_array(object, None)?;
        if host.shape.is_empty() && host.dtype != DType::Bool {
            return position(object);
        }
        return positions(convert::upload(object.py(), &host)?);
    }
    // A position by `__index__` comes before an array by `__array__`.
    let class = object.get_type();
    if class.getattr_opt("__index__")?.is_none() && convert::is_converting(object)? {
        return converted(object);
    }
    position(object)
}

/// The positions or the mask of an object that is no array. Without elements, such as an empty list
/// of any depth, it stands for no positions.
fn converted(object: &Bound<'_, PyAny>) -> PyResult<AnyIndex> {
    let array = convert::array(object, None)?;
    positions(match array.size() {
        0 => at_line(object.py(), || array.astype(DType::I64)),
        _ => array,
    })
}

fn positions(array: Array) -> PyResult<AnyIndex> {
    Ok(AnyIndex::Array(array))
}

/// A position by `__index__`, whose own exceptions stay as they are.
fn position(object: &Bound<'_, PyAny>) -> PyResult<AnyIndex> {
    let py = object.py();
    match object.extract::<i64>() {
        Ok(position) => Ok(AnyIndex::Basic(Index::At(position))),
        Err(error) if is_of::<PyTypeError>(py, &error) => Err(no_index()),
        Err(error) if is_of::<PyOverflowError>(py, &error) => {
            Err(refused::<PyIndexError>(Mistake::Key, "cannot fit the position into 64 bits"))
        }
        Err(error) => Err(error),
    }
}

fn no_index() -> PyErr {
    refused::<PyIndexError>(
        Mistake::Key,
        "only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays are \
         valid indices",
    )
}

/// The error of a part of a slice that is no integer. Exceptions of its own `__index__` stay as
/// they are.
fn unless_raised(error: PyErr) -> PyErr {
    Python::attach(|py| {
        if is_of::<PyTypeError>(py, &error) {
            as_numpy_raises(py, Mistake::Key, error)
        } else {
            error
        }
    })
}

fn range(slice: &Bound<'_, PySlice>) -> PyResult<Index> {
    let (mut start, mut stop, mut step) = (0, 0, 0);
    // SAFETY: `slice` is a slice, and the places are valid.
    let unpacked = unsafe {
        ffi::PySlice_Unpack(slice.as_ptr(), &raw mut start, &raw mut stop, &raw mut step)
    };
    if unpacked == 0 {
        // An absent part has become the end of every axis in the direction of the step.
        let (start, stop) = (Some(start as i64), Some(stop as i64));
        return Ok(Index::Range { start, stop, step: step as i64 });
    }
    let error = PyErr::fetch(slice.py());
    // The array refuses a step of 0, with the error that it gives in Rust.
    let is_zero = is_of::<PyValueError>(slice.py(), &error)
        && error.value(slice.py()).str()?.to_cow()? == "slice step cannot be zero";
    if is_zero {
        return Ok(Index::Range { start: None, stop: None, step: 0 });
    }
    Err(unless_raised(error))
}
