//! Items of arrays: indexing, assignment, iteration and membership.

use super::iteration::Iteration;
use crate::calls::arguments::integer;
use crate::calls::indexing::{Key, integers, key};
use crate::calls::writing::{value_for, written};
use crate::convert::{argument, known};
use crate::interpreter::errors::{as_numpy_raises, raised, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::elements::never_changes;
use crate::objects::ndarray::Ndarray;
use crate::objects::subclass::{self, view_of, wrap_known};
use crate::records;
use phalanx::{Array, Index, element_index};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

impl Ndarray {
    /// The elements that a key selects.
    fn at(&self, py: Python<'_>, items: &Key) -> Array {
        match items {
            Key::Basic(items) => match element_index(items, self.array.ndim()) {
                // An element is a copy, so that `x[0], x[1] = x[1], x[0]` swaps.
                Some(index) => at_line(py, || self.array.at(index)),
                None => self.slice(py, items),
            },
            Key::Advanced(items) => at_line(py, || self.array.index(items)),
        }
    }

    /// The view of the elements that basic items select.
    fn slice(&self, py: Python<'_>, items: &[Index]) -> Array {
        let view = self.array.slice_if_valid(items);
        view.unwrap_or_else(|| at_line(py, || self.array.slice(items)))
    }
}

#[pymethods]
impl Ndarray {
    fn __getitem__(slf: &Bound<'_, Self>, object: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, own) = (object.py(), slf.get());
        if let Some(records) = &own.records {
            let _mesh = call_mesh::of_array(records.bytes());
            return records::item(records, object);
        }
        if let Some(found) = integers(&own.array, object)
            && let Some(element) = own.array.element_at(&found)
        {
            return wrap_known(py, element, subclass::template([slf.as_any()]).as_ref());
        }
        let _mesh = call_mesh::of_array(&own.array);
        let items = key(object)?;
        let found = own.at(py, &items);
        match items {
            // An ellipsis asks for a view.
            Key::Basic(items) if element_index(&items, own.array.ndim()).is_none() => {
                view_of(slf, found, false)
            }
            _ => view_of(slf, found, true),
        }
    }

    fn __setitem__(&self, object: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Some(records) = &self.records {
            let _mesh = call_mesh::of_array(records.bytes());
            return records::set_item(records, object, value);
        }
        if let Some(place) = integers(&self.array, object)
            && let Some(value) = known(&self.array, value)
            && self.array.write_element(&place, &value)
        {
            return Ok(());
        }
        let (py, _mesh) = (object.py(), call_mesh::of_array(&self.array));
        if !self.array.is_writeable() {
            self.array.ok().map_err(|error| raised(py, &error))?;
            if self.array.is_element() {
                return Err(never_changes());
            }
            return Err(value_error(Mistake::Fixed, "assignment destination is read-only"));
        }
        match key(object)? {
            Key::Basic(items) => {
                if let Some(index) = element_index(&items, self.array.ndim()) {
                    let is_list =
                        value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
                    let value = value_for(&self.array, value)?;
                    return written(py, || self.array.try_assign_at(index, value, is_list));
                }
                let target = self.slice(py, &items);
                target.ok().map_err(|error| raised(py, &error))?;
                let value = value_for(&target, value)?;
                written(py, || target.try_assign(value))
            }
            Key::Advanced(items) => {
                let value = value_for(&self.array, value)?;
                let written = at_line(py, || self.array.try_assign_index(&items, value));
                written.map_err(|error| raised(py, &error))
            }
        }
    }

    fn __delitem__(&self, _object: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(value_error(Mistake::Fixed, "cannot delete array elements"))
    }

    fn __iter__(slf: Bound<'_, Self>) -> PyResult<Iteration> {
        if slf.get().extents().is_empty() {
            return Err(type_error(Mistake::Conversion, "iteration over a 0-d array"));
        }
        if let Some(records) = &slf.get().records {
            return Ok(Iteration::of_records(records));
        }
        let template = subclass::template([slf.as_any()]);
        Ok(Iteration::new(slf.get().array.clone(), template.map(Bound::unbind)))
    }

    fn __contains__(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, _mesh) = (object.py(), call_mesh::of_array(&self.array));
        let value = argument(object)?;
        let found = at_line(py, || self.array.contains(value));
        found.ok().map_err(|error| raised(py, &error))?;
        Ndarray::new(found).number(py)?.is_truthy()
    }

    /// The only element, or the element at a position, as a Python number.
    ///
    /// Parameters
    /// ----------
    /// position : int or tuple of int
    ///     The position in C order, or the indices. Omit it for an array of one element.
    ///
    /// Returns
    /// -------
    /// bool, int, float or complex
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     There is more than one element, and no position.
    /// IndexError
    ///     The position is out of bounds.
    /// Exception
    ///     A recorded operation has failed; the error names the line that recorded it.
    ///
    /// Notes
    /// -----
    /// Collective if the array is still pending, or the element is not held by this process.
    #[pyo3(signature = (*position))]
    fn item<'py>(&self, position: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = position.py();
        if self.records.is_some() {
            return self.host(py)?.call_method1("item", position);
        }
        let first = position.iter().next();
        let inner = first.as_ref().and_then(|first| first.cast::<PyTuple>().ok());
        let position = inner.unwrap_or(position);
        if position.is_empty() {
            if self.array.size() != 1 {
                return Err(value_error(
                    Mistake::Conversion,
                    "can only convert an array of size 1 to a Python scalar",
                ));
            }
            return self.number(py);
        }
        let array = match position.len() {
            1 => {
                let at = integer(&position.get_item(0)?);
                let at = at.map_err(|error| as_numpy_raises(py, Mistake::Key, error))?;
                at_line(py, || self.array.flat_at(at))
            }
            count if count != self.array.ndim() => {
                return Err(value_error(Mistake::Key, "incorrect number of indices for array"));
            }
            _ => self.at(py, &key(position)?),
        };
        array.ok().map_err(|error| raised(py, &error))?;
        Ndarray::new(array).number(py)
    }
}
