//! Elements of arrays on the host, and arrays of NumPy over them.

use super::dtypes::{numpy, to_python};
use super::host_buffer::HostBuffer;
use crate::interpreter::site::at_line;
use crate::session::notices::observed;
use phalanx::{Array, DType, HostArray};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The elements of an array on the host. Collective.
pub fn fetch(py: Python<'_>, array: &Array) -> PyResult<HostArray> {
    let host = at_line(py, || array.to_host());
    observed(py, host)
}

/// An array of NumPy with the elements of a host array, which are not copied.
pub fn to_numpy<'py>(py: Python<'py>, host: HostArray) -> PyResult<Bound<'py, PyAny>> {
    to_numpy_view(py, HostBuffer::new(host.bytes), host.dtype, &host.shape)
}

/// A NumPy array over a buffer.
pub fn to_numpy_view<'py, B: pyo3::PyClass + Into<pyo3::PyClassInitializer<B>>>(
    py: Python<'py>,
    buffer: B,
    dtype: DType,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let dtype = to_python(py, dtype)?;
    let flat = if shape.contains(&0) {
        numpy(py)?.getattr("empty")?.call1((0, dtype))?
    } else {
        numpy(py)?.getattr("frombuffer")?.call1((Py::new(py, buffer)?, dtype))?
    };
    flat.call_method1("reshape", (PyTuple::new(py, shape)?,))
}
