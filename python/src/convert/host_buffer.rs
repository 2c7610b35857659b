//! Bytes that are shared without a copy: bytes of the host and of shards with NumPy, and memory of
//! other libraries with our arrays.

use crate::interpreter::errors::refused;
use crate::interpreter::mistakes::Mistake;
use phalanx::{DType, ShardMemory};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_int;

/// Bytes that are exported by the buffer protocol and may be written.
#[pyclass(name = "_HostBuffer", frozen)]
pub struct HostBuffer {
    // The bytes are never accessed through this field, because a holder of a buffer may write them.
    start: *mut u8,
    length: usize,
}

// SAFETY: the bytes are plain data which only holders of a buffer read or write, under Python's
// rules for buffers.
unsafe impl Send for HostBuffer {}
// SAFETY: as above.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    /// Bytes for NumPy.
    pub fn new(bytes: Vec<u8>) -> HostBuffer {
        let bytes = Box::leak(bytes.into_boxed_slice());
        HostBuffer { start: bytes.as_mut_ptr(), length: bytes.len() }
    }
}

impl Drop for HostBuffer {
    fn drop(&mut self) {
        let bytes = std::ptr::slice_from_raw_parts_mut(self.start, self.length);
        // SAFETY: this is the box that `new` leaked. Every buffer holds a reference to this object,
        // so no buffer is left.
        drop(unsafe { Box::from_raw(bytes) });
    }
}

/// The memory of a shard, exported read-only by the buffer protocol.
#[pyclass(name = "_ShardBuffer", frozen)]
pub struct ShardBuffer {
    memory: ShardMemory,
    bytes: usize,
}

impl ShardBuffer {
    /// The memory of a shard of elements of a dtype.
    pub fn new(memory: ShardMemory, dtype: DType) -> ShardBuffer {
        let bytes = memory.shape.iter().product::<usize>() * dtype.size();
        ShardBuffer { memory, bytes }
    }
}

#[pymethods]
impl ShardBuffer {
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let start = slf.get().memory.address as *mut u8;
        let length = isize::try_from(slf.get().bytes).map_err(|_| too_long())?;
        // SAFETY: the interpreter passes a view to fill. `memory` keeps the bytes alive, and
        // nothing writes them. The view is read-only and takes a reference to `slf`.
        let filled =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast(), length, 1, flags) };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}

/// Elements in memory of a Python object.
pub struct SharedMemory {
    address: usize,
    bytes: usize,
    /// May be dropped on any thread: the reference count is decremented when a thread is next
    /// attached to the interpreter.
    _owner: Py<PyAny>,
}

impl SharedMemory {
    /// The bytes from an address on, which the owner keeps in place.
    pub fn new(address: usize, bytes: usize, owner: Py<PyAny>) -> SharedMemory {
        SharedMemory { address, bytes, _owner: owner }
    }
}

impl AsRef<[u8]> for SharedMemory {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the owner, a NumPy array that is held here, keeps the bytes in place.
        // `from_local` and `from_dlpack` require that the program does not write them while they
        // are in use.
        unsafe { std::slice::from_raw_parts(self.address as *const u8, self.bytes) }
    }
}

/// The error of a buffer whose length exceeds `isize`.
pub fn too_long() -> PyErr {
    refused::<PyBufferError>(Mistake::Export, "the buffer is too long")
}

#[pymethods]
impl HostBuffer {
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let (start, length) = (slf.get().start, slf.get().length);
        let length = isize::try_from(length).map_err(|_| too_long())?;
        // SAFETY: the interpreter passes a view to fill. The bytes live as long as `slf`, to which
        // the view takes a reference.
        let filled =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast(), length, 0, flags) };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
