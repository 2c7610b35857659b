//! Iteration over arrays, and `ndarray.flat`.

use crate::calls::indexing::key;
use crate::calls::writing::{value_for, written};
use crate::convert::fetch;
use crate::interpreter::errors::{raised, refused};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::ndarray::Ndarray;
use crate::objects::subclass;
use phalanx::records::Records;
use phalanx::{Array, HostArray, Index, Scalar, Snapshot};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Elements that iteration fetches at once.
const BATCH: usize = 4096;

/// Iteration over the first axis. The elements of a vector are fetched in batches.
#[pyclass(module = "phalanx", frozen)]
pub struct Iteration {
    array: Array,
    /// An object of the subclass that the items belong to.
    template: Option<Py<PyAny>>,
    /// The structured array, if it is one.
    records: Option<Records>,
    length: usize,
    state: Mutex<State>,
}

struct State {
    next: usize,
    batch: Option<Batch>,
}

/// The elements of a vector from a position on, and a snapshot of its base at the time of the
/// fetch.
struct Batch {
    start: usize,
    host: HostArray,
    since: Snapshot,
}

impl Batch {
    /// The element at a position, if the batch holds it and the array has not changed since the
    /// fetch.
    fn element(&self, array: &Array, position: usize) -> Option<Scalar> {
        let size = self.host.dtype.size();
        let at = position.checked_sub(self.start)? * size;
        let element = Scalar::from_bytes(self.host.dtype, self.host.bytes.get(at..at + size)?);
        array.is_unchanged(&self.since).then_some(element)
    }
}

impl Iteration {
    /// Iteration over an array that has a first axis.
    pub fn new(array: Array, template: Option<Py<PyAny>>) -> Iteration {
        let length = array.shape().first().copied().unwrap_or(0);
        let state = Mutex::new(State { next: 0, batch: None });
        Iteration { array, template, records: None, length, state }
    }

    /// Iteration over a structured array that has a first axis.
    pub fn of_records(records: &Records) -> Iteration {
        let length = records.shape().first().copied().unwrap_or(0);
        let state = Mutex::new(State { next: 0, batch: None });
        let array = records.bytes().clone();
        Iteration { array, template: None, records: Some(records.clone()), length, state }
    }

    /// The state. The lock is never held while the thread is detached from the interpreter.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The element of a vector at a position.
    fn element(&self, py: Python<'_>, position: usize) -> PyResult<Scalar> {
        let batch = self.state().batch.take();
        let known = batch.as_ref().and_then(|batch| batch.element(&self.array, position));
        if let Some(element) = known {
            self.state().batch = batch;
            return Ok(element);
        }
        let stop = self.length.min(position + BATCH);
        let [start, stop] = [position, stop].map(|place| Some(place as i64));
        let part = [Index::Range { start, stop, step: 1 }];
        let part = at_line(py, || self.array.slice(&part[..]));
        part.ok().map_err(|error| raised(py, &error))?;
        let since = self.array.snapshot().map_err(|error| raised(py, &error))?;
        let batch = Batch { start: position, host: fetch(py, &part)?, since };
        let size = batch.host.dtype.size();
        let element = Scalar::from_bytes(batch.host.dtype, &batch.host.bytes[..size]);
        self.state().batch = Some(batch);
        Ok(element)
    }
}

#[pymethods]
impl Iteration {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let position = {
            let mut state = self.state();
            if state.next >= self.length {
                return Ok(None);
            }
            state.next += 1;
            state.next - 1
        };
        if let Some(records) = &self.records {
            let item = at_line(py, || records.slice(&[Index::At(position as i64)]));
            let item = item.map_err(|error| raised(py, &error))?;
            return Ndarray::wrap_records(py, item).map(Some);
        }
        let template = self.template.as_ref().map(|template| template.bind(py));
        if self.array.ndim() == 1 {
            let element = self.array.of_element(self.element(py, position)?);
            let element = element.map_err(|error| raised(py, &error))?;
            return subclass::wrap_known(py, element, template).map(Some);
        }
        let item = at_line(py, || self.array.slice(&[Index::At(position as i64)][..]));
        subclass::wrap_as(py, item, template).map(Some)
    }

    fn __length_hint__(&self) -> usize {
        self.length - self.state().next
    }
}

/// All elements of an array in C order: NumPy's `flatiter`.
#[pyclass(name = "flatiter", module = "phalanx", frozen)]
pub struct FlatIteration {
    array: Array,
    /// The object of the array, whose flag allows or refuses writes at the time of each.
    owner: Py<Ndarray>,
    iteration: Iteration,
}

impl FlatIteration {
    /// The elements of an array.
    pub fn new(owner: &Bound<'_, Ndarray>) -> FlatIteration {
        let array: &Array = &owner.get().array;
        let iteration = Iteration::new(array.reshape([-1]), None);
        FlatIteration { array: array.clone(), owner: owner.clone().unbind(), iteration }
    }

    /// Writes values in C order, again from the first if there are fewer.
    pub fn fill(array: &Array, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, _mesh) = (value.py(), call_mesh::of_array(array));
        let value = value_for(array, value)?;
        written(py, || array.try_fill_flat(value))
    }
}

#[pymethods]
impl FlatIteration {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.iteration.__next__(py)
    }

    fn __len__(&self) -> usize {
        self.array.size()
    }

    fn __getitem__(&self, object: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, _mesh) = (object.py(), call_mesh::of_array(&self.array));
        check_flat_key(object)?;
        let items = key(object)?.into_items();
        Ndarray::result(py, at_line(py, || self.array.flat_index(items)))
    }

    fn __setitem__(&self, object: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, _mesh) = (object.py(), call_mesh::of_array(&self.array));
        check_flat_key(object)?;
        let items = key(object)?.into_items();
        let value = value_for(&self.array, value)?;
        let is_writeable = self.owner.get().array.is_writeable();
        let target = if is_writeable == self.array.is_writeable() {
            self.array.clone()
        } else {
            self.array.with_writes(is_writeable).map_err(|error| raised(py, &error))?
        };
        written(py, || target.try_assign_flat(items, value))
    }

    /// The array whose elements these are.
    #[getter]
    fn base(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ndarray::wrap(py, self.array.clone())
    }

    /// The position of the next element.
    #[getter]
    fn index(&self) -> usize {
        self.iteration.state().next
    }

    /// The index of the next element along each axis.
    #[getter]
    fn coords<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, phalanx::flat_coordinates(self.array.shape(), self.index()))
    }

    /// A copy of the elements as a vector.
    ///
    /// Returns
    /// -------
    /// ndarray
    ///     The elements in C order, in the dtype of the array.
    ///
    /// Raises
    /// ------
    /// None
    ///     Nothing is raised.
    ///
    /// Notes
    /// -----
    /// Local: recorded, and computed when a value is observed.
    fn copy(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ndarray::wrap(py, at_line(py, || self.array.flatten()))
    }
}

/// Refuses a new axis, which `flat` does not support.
fn check_flat_key(object: &Bound<'_, PyAny>) -> PyResult<()> {
    if object.is_none() {
        Err(refused::<PyIndexError>(Mistake::Key, "unsupported iterator index"))
    } else {
        Ok(())
    }
}
