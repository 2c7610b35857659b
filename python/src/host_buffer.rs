//! Bytes that are seen without a copy: by NumPy, of the host and of shards; and by us, of others.

use crate::errors::refused;
use crate::mistakes::Mistake;
use phalanx::{DType, ShardMemory};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_int;

/// Bytes that are exported by the buffer protocol, read and write.
#[pyclass(name = "_HostBuffer", frozen)]
pub struct HostBuffer {
    // The vector is never touched through this field: who holds a buffer of it may write.
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
        // SAFETY: the box that `new` leaked; every buffer holds a reference to this object, so that
        // none is left.
        drop(unsafe { Box::from_raw(bytes) });
    }
}

/// The memory of a shard, exported by the buffer protocol to be read.
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
        // SAFETY: the interpreter gives a view to fill; `memory` keeps the bytes, which nobody
        // writes, and the view takes a reference of `slf`. It is read-only.
        let filled =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast(), length, 1, flags) };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}

/// Elements that belong to an object of Python.
pub struct SharedMemory {
    address: usize,
    bytes: usize,
    /// Dropped by whatever thread: the interpreter counts it down when it is next attached.
    _owner: Py<PyAny>,
}

impl SharedMemory {
    /// The bytes from an address on, which lie there as long as the owner lives.
    pub fn new(address: usize, bytes: usize, owner: Py<PyAny>) -> SharedMemory {
        SharedMemory { address, bytes, _owner: owner }
    }
}

impl AsRef<[u8]> for SharedMemory {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the owner, an array of NumPy that is held here, keeps the bytes where they are;
        // that nobody writes them while they are in use is what `from_local` and `from_dlpack` ask
        // of the program.
        unsafe { std::slice::from_raw_parts(self.address as *const u8, self.bytes) }
    }
}

/// The error of a buffer longer than Python counts.
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
        // SAFETY: the interpreter gives a view to fill; the bytes live as long as `slf`, of which
        // the view takes a reference.
        let filled =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast(), length, 0, flags) };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
