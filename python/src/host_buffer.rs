//! Bytes of the host that NumPy sees without a copy.

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

#[pymethods]
impl HostBuffer {
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let (start, length) = (slf.get().start, slf.get().length);
        let length = isize::try_from(length).map_err(|_| PyBufferError::new_err("too long"))?;
        // SAFETY: the interpreter gives a view to fill; the bytes live as long as `slf`, of which
        // the view takes a reference.
        let filled =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast(), length, 0, flags) };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
