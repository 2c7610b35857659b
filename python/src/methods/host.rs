//! The elements of arrays on the host: NumPy's arrays, bytes, pickles and copies.

use super::buffers::{cause_of_refusal, export, was_refused};
use crate::calls::writing::assign;
use crate::convert::dtypes;
use crate::convert::{array, fetch, to_numpy};
use crate::interpreter::errors::{raised, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use crate::records;
use crate::session;
use crate::session::gpus::GPUS;
use crate::session::implicit_copy;
use crate::session::notices::observed;
use phalanx::records::Records;
use phalanx::{HostArray, MemoryOrder};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::ffi::c_int;

#[pymethods]
impl Ndarray {
    /// The elements as nested lists of Python numbers.
    ///
    /// Returns
    /// -------
    /// list or scalar
    ///
    /// Raises
    /// ------
    /// Exception
    ///     A recorded operation has failed; the error names the line that recorded it.
    ///
    /// Notes
    /// -----
    /// Collective if the array is still pending, or not all of it is held by this process.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.host(py)?.call_method0("tolist")
    }

    /// The elements as bytes, in C order.
    ///
    /// Parameters
    /// ----------
    /// order : {'C', 'F', 'A'}, default: 'C'
    ///     The order of the elements.
    ///
    /// Returns
    /// -------
    /// bytes
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     The order is unknown.
    /// Exception
    ///     A recorded operation has failed; the error names the line that recorded it.
    ///
    /// Notes
    /// -----
    /// Collective if the array is still pending, or not all of it is held by this process.
    #[pyo3(signature = (order="C"))]
    fn tobytes<'py>(&self, py: Python<'py>, order: &str) -> PyResult<Bound<'py, PyAny>> {
        match order {
            "C" if self.records.is_none() => {
                let HostArray { bytes, .. } = fetch(py, &self.array)?;
                let filled = |given: &mut [u8]| {
                    given.copy_from_slice(&bytes);
                    Ok(())
                };
                Ok(PyBytes::new_with(py, bytes.len(), filled)?.into_any())
            }
            _ => self.host(py)?.call_method1("tobytes", (order,)),
        }
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.tobytes(py, "C")
    }

    /// The buffer protocol; see `buffers`.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        // SAFETY: the interpreter gives the view.
        unsafe { export(&slf, view, flags) }
    }

    /// Whether the array has just refused a buffer.
    fn _buffer_was_refused(slf: Bound<'_, Self>) -> bool {
        was_refused(&slf)
    }

    /// Does nothing: a buffer belongs to an object of its own. NumPy frees the memory with its
    /// buffer only if this method exists.
    unsafe fn __releasebuffer__(&self, _view: *mut ffi::Py_buffer) {}

    /// The elements as an array of NumPy. Collective.
    ///
    /// Parameters
    /// ----------
    /// stream : optional
    ///     A stream of a GPU: the copy runs after the stream's earlier work, and before its later
    ///     work. Without effect on CPUs.
    /// order : {'C', 'F', 'A', 'K'}, default: 'C'
    ///     The order of elements in memory.
    /// blocking : bool, default: True
    ///     Without effect: the call always waits for the elements.
    /// out : numpy.ndarray, optional
    ///     The array that is written and returned.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     An array of the same shape and dtype.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     `out` has another shape, or the order is unknown.
    /// Exception
    ///     A recorded operation has failed; the error names the line that recorded it.
    #[pyo3(signature = (stream=None, order="C", blocking=true, out=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        order: &str,
        blocking: bool,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // The elements are on the host when this returns, whatever `blocking` is.
        let _ = blocking;
        let order_of = |call: &str| match stream.filter(|stream| !stream.is_none()) {
            Some(stream) if !GPUS.is_empty() => {
                let ordered = py.import("phalanx.cuda")?.getattr("_streams")?.getattr(call)?;
                ordered.call1((stream,)).map(drop)
            }
            _ => Ok(()),
        };
        order_of("_before")?;
        let made = self.host(py)?;
        order_of("_after")?;
        if let Some(out) = out {
            dtypes::numpy(py)?.getattr("copyto")?.call1((out, made))?;
            return Ok(out.clone());
        }
        match order {
            "F" => dtypes::numpy(py)?.getattr("asfortranarray")?.call1((made,)),
            _ => Ok(made),
        }
    }

    /// Writes the elements of an array of NumPy into this one.
    ///
    /// Parameters
    /// ----------
    /// arr : numpy.ndarray
    ///     The elements, broadcast to the array.
    /// stream : optional
    ///     Without effect: operations are in program order.
    ///
    /// Returns
    /// -------
    /// None
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     PX002: they do not broadcast to the array.
    /// TypeError
    ///     `arr` does not hold numbers or truth values.
    ///
    /// Notes
    /// -----
    /// Local: copied at once, equal on all processes.
    #[pyo3(signature = (arr, stream=None))]
    fn set(&self, arr: &Bound<'_, PyAny>, stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let _ = stream;
        match &self.records {
            Some(records) => records::written(records, arr),
            None => assign(&self.array, arr),
        }
    }

    #[pyo3(signature = (dtype=None, *, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if let Some(error) = cause_of_refusal(slf) {
            return Err(error);
        }
        if copy == Some(false) {
            let text = "the elements cannot be converted without a copy";
            return Err(value_error(Mistake::Export, text));
        }
        implicit_copy::warn(py, &slf.get().array)?;
        let elements = to_numpy(py, fetch(py, &slf.get().array)?)?;
        let options = PyDict::new(py);
        options.set_item("copy", false)?;
        match dtype.filter(|dtype| !dtype.is_none()) {
            Some(dtype) => elements.call_method("astype", (dtype,), Some(&options)),
            None => Ok(elements),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let flags = self.layout(py)?;
        let mut array = self.host(py)?;
        if flags.f_contiguous && !flags.c_contiguous {
            array = dtypes::numpy(py)?.getattr("asfortranarray")?.call1((array,))?;
        }
        let name = if self.array.is_element() { "_element" } else { "asarray" };
        let make = py.import("phalanx._phalanx")?.getattr(name)?;
        Ok((make, (array,)).into_pyobject(py)?.into_any())
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Some(records) = &self.records {
            let copied = at_line(py, || records.copy_in(MemoryOrder::K));
            return Ndarray::wrap_records(py, copied.map_err(|error| raised(py, &error))?);
        }
        self.seen(py, at_line(py, || self.array.copy_in(MemoryOrder::K)))
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.__copy__(py)
    }

    /// The plan of all operations that are recorded and have not run.
    ///
    /// Returns
    /// -------
    /// str
    ///
    /// Raises
    /// ------
    /// Exception
    ///     An operation has failed when it was recorded.
    ///
    /// Notes
    /// -----
    /// Local: plans a copy of the recorded operations; nothing runs.
    fn explain(&self, py: Python<'_>) -> PyResult<String> {
        at_line(py, || self.array.explain()).map_err(|error| raised(py, &error))
    }

    /// Waits for the array. Collective.
    ///
    /// Returns
    /// -------
    /// None
    ///
    /// Raises
    /// ------
    /// Exception
    ///     A recorded operation has failed; the error names the line that recorded it.
    fn evaluate(&self, py: Python<'_>) -> PyResult<()> {
        let array = self.records.as_deref().map_or(&*self.array, Records::bytes);
        let done = at_line(py, || array.evaluate());
        observed(py, done)
    }
}

/// Restores a pickled element.
#[pyfunction(name = "_element")]
pub fn element(py: Python<'_>, number: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    session::ensure(py)?;
    Ndarray::result(py, array(number, None)?)
}
