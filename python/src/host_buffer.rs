//! Bytes that are seen without a copy: by NumPy, of the host and of shards; by anybody, of arrays;
//! and by us, of others.

use crate::errors::refused;
use crate::mistakes::Mistake;
use phalanx::{DType, ShardMemory};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CString, c_int, c_void};

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

/// What a buffer of an array points to, as long as somebody has it.
struct Exported {
    /// Keeps the bytes, which nobody writes.
    _memory: ShardMemory,
    shape: Vec<isize>,
    strides: Vec<isize>,
    format: CString,
}

/// Fills a buffer that shows a whole array in C order, to be read.
///
/// # Safety
/// The interpreter gives the view to fill, and will release it with `release`.
pub unsafe fn export(
    owner: &Bound<'_, PyAny>,
    memory: ShardMemory,
    dtype: DType,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    let refused = |text: &str| Err(refused::<PyBufferError>(Mistake::Export, text.to_owned()));
    if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
        return refused(
            "the elements are shared to be read: write in a block `with x.local_view() as shards`",
        );
    }
    let is_line = memory.shape.iter().filter(|&&extent| extent != 1).count() <= 1;
    if flags & ffi::PyBUF_F_CONTIGUOUS == ffi::PyBUF_F_CONTIGUOUS && !is_line {
        return refused("the elements are in C order");
    }
    let Some(format) = letter(dtype) else {
        return refused("buffers have no letter for bfloat16: use x.get() or x.tobytes()");
    };
    let item = isize::try_from(dtype.size()).map_err(|_| too_long())?;
    let shape: Vec<isize> = memory.shape.iter().map(|&extent| extent as isize).collect();
    let mut strides = vec![item; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    let length = shape.iter().product::<isize>() * item;
    let format = CString::new(format).map_err(|_| too_long())?;
    let start = memory.address as *mut c_void;
    let exported = Box::new(Exported { _memory: memory, shape, strides, format });
    let asks = |flag: c_int| flags & flag == flag;
    // SAFETY: the caller's promise; the pointers are into the box, which `release` frees.
    unsafe {
        (*view).buf = start;
        (*view).len = length;
        (*view).itemsize = item;
        (*view).readonly = 1;
        (*view).ndim = if asks(ffi::PyBUF_ND) { exported.shape.len() as c_int } else { 1 };
        (*view).format = match asks(ffi::PyBUF_FORMAT) {
            true => exported.format.as_ptr().cast_mut(),
            false => std::ptr::null_mut(),
        };
        (*view).shape = match asks(ffi::PyBUF_ND) && !exported.shape.is_empty() {
            true => exported.shape.as_ptr().cast_mut(),
            false => std::ptr::null_mut(),
        };
        (*view).strides = match asks(ffi::PyBUF_STRIDES) && !exported.shape.is_empty() {
            true => exported.strides.as_ptr().cast_mut(),
            false => std::ptr::null_mut(),
        };
        (*view).suboffsets = std::ptr::null_mut();
        (*view).internal = Box::into_raw(exported).cast();
        (*view).obj = owner.clone().into_ptr();
    }
    Ok(())
}

/// Frees what a buffer that `export` filled points to.
///
/// # Safety
/// `export` has filled the view, and nobody uses it any longer.
pub unsafe fn release(view: *mut ffi::Py_buffer) {
    // SAFETY: the box that `export` has put there.
    drop(unsafe { Box::from_raw((*view).internal.cast::<Exported>()) });
}

/// The letter of a dtype in the formats of buffers.
const fn letter(dtype: DType) -> Option<&'static str> {
    Some(match dtype {
        DType::Bool => "?",
        DType::I8 => "b",
        DType::I16 => "h",
        DType::I32 => "i",
        DType::I64 => "q",
        DType::U8 => "B",
        DType::U16 => "H",
        DType::U32 => "I",
        DType::U64 => "Q",
        DType::F16 => "e",
        DType::BF16 => return None,
        DType::F32 => "f",
        DType::F64 => "d",
        DType::C64 => "Zf",
        DType::C128 => "Zd",
    })
}

fn too_long() -> PyErr {
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
