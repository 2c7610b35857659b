//! The buffer protocol of arrays.
//!
//! A consumer that only reads (`hashlib`, sockets, files, a message that is sent) gets the memory
//! of the device if one CPU device holds the whole array, else a copy. A consumer that asks for
//! writable memory borrows a copy of the elements; when it releases the buffer, the copy is written
//! back to the array.
//!
//! `memoryview`, and NumPy through it, ask for all properties of a buffer but not for writing;
//! `numpy.asarray` tries the buffer protocol before `__array__`. Both get a writable copy of their
//! own, on any number of devices. Writes to that copy do not change the array.

use crate::convert::fetch;
use crate::convert::host_buffer::too_long;
use crate::interpreter::errors::{is_ending, raised, refused};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use crate::session::implicit_copy;
use phalanx::{DType, HostArray, Loan, MemoryOrder, ShardMemory, strides_without_gaps};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::ffi::{CString, c_int, c_void};

/// The bytes of a buffer.
enum Bytes {
    /// Memory of a device, which is never written.
    OfDevice(ShardMemory),
    /// A copy of the elements, and the loan that ends with the buffer.
    Copy { start: *mut u8, length: usize, loan: Option<Loan> },
}

impl Bytes {
    /// A copy that the holder of the buffer may write. This module reads it only after the buffer
    /// is released.
    fn copy(bytes: Vec<u8>, loan: Option<Loan>) -> Bytes {
        let bytes = Box::leak(bytes.into_boxed_slice());
        Bytes::Copy { start: bytes.as_mut_ptr(), length: bytes.len(), loan }
    }

    fn start(&self) -> *mut c_void {
        match self {
            Bytes::OfDevice(memory) => memory.address as *mut c_void,
            Bytes::Copy { start, .. } => start.cast(),
        }
    }

    fn is_read_only(&self) -> bool {
        matches!(self, Bytes::OfDevice(_))
    }
}

/// The memory behind a buffer, and the owner object of the buffer. The array is not the owner,
/// because some libraries release a buffer but hold its owner for as long as they use the memory.
#[pyclass(name = "_Export", frozen)]
struct Export {
    bytes: Bytes,
    dtype: DType,
    shape: Vec<isize>,
    strides: Vec<isize>,
    format: CString,
}

// SAFETY: the bytes are plain data which only holders of the buffer read or write, under Python's
// rules for buffers.
unsafe impl Send for Export {}
// SAFETY: as above.
unsafe impl Sync for Export {}

impl Drop for Export {
    /// Writes the elements of a loan back to the array.
    fn drop(&mut self) {
        let Bytes::Copy { start, length, loan } = &mut self.bytes else { return };
        let bytes = std::ptr::slice_from_raw_parts_mut(*start, *length);
        // SAFETY: this is the box that `Bytes::copy` leaked. Every buffer holds a reference to this
        // object, so no buffer is left.
        let bytes = unsafe { Box::from_raw(bytes) };
        let Some(loan) = loan.take() else { return };
        let shape = self.shape.iter().map(|&extent| extent as usize).collect();
        let host = HostArray { dtype: self.dtype, shape, bytes: bytes.into_vec() };
        let end = |py: Python<'_>| {
            // The object may be dropped while an exception is set.
            let passing = PyErr::take(py);
            // The array carries the error if the write fails, and its next reader gets it.
            let _ = at_line(py, || loan.end(&host));
            if let Some(exception) = passing {
                exception.restore(py);
            }
        };
        // At the very end of the program no code reads the array any more.
        let _ = Python::try_attach(end);
    }
}

/// A request for a buffer that was refused.
struct Refusal {
    /// The address of the object whose buffer was requested.
    owner: usize,
    /// The error of the elements, if it is the reason. NumPy discards it.
    cause: Option<PyErr>,
    /// Whether `was_refused` has reported it to NumPy.
    is_reported: bool,
}

thread_local! {
    /// The last request for a buffer, if it was refused.
    static REFUSED: RefCell<Option<Refusal>> = const { RefCell::new(None) };
}

/// The error of the elements for which the last request to this object was refused, if there is
/// one. It is stored because a deferred error is raised only once: reading again would not raise
/// it.
pub fn cause_of_refusal(owner: &Bound<'_, Ndarray>) -> Option<PyErr> {
    REFUSED.take().filter(|last| last.owner == owner.as_ptr() as usize)?.cause
}

/// Whether the last request for a buffer was to this object and was refused; true once for each
/// refusal. NumPy ignores the refusal and reads `__array_interface__`, which then has to defer to
/// `__array__`, where the reason is raised.
pub fn was_refused(owner: &Bound<'_, Ndarray>) -> bool {
    REFUSED.with_borrow_mut(|last| match last {
        Some(last) => {
            !std::mem::replace(&mut last.is_reported, true) && last.owner == owner.as_ptr() as usize
        }
        None => false,
    })
}

/// The error, if it belongs to the elements and not to the form of the request.
fn of_elements(py: Python<'_>, error: &PyErr) -> Option<PyErr> {
    // While the interpreter ends, an error without an exception object can be neither inspected nor
    // copied.
    (!is_ending() && !error.is_instance_of::<PyBufferError>(py)).then(|| error.clone_ref(py))
}

/// As `fill`; also records whether the request was refused.
///
/// # Safety
/// `view` is the view that the interpreter passes to be filled.
pub unsafe fn export(
    owner: &Bound<'_, Ndarray>,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    // SAFETY: the caller's promise.
    let filled = unsafe { fill(owner, view, flags) };
    let py = owner.py();
    REFUSED.set(filled.as_ref().err().map(|error| Refusal {
        owner: owner.as_ptr() as usize,
        cause: of_elements(py, error),
        is_reported: false,
    }));
    filled
}

/// Fills a buffer that shows an array in C order.
///
/// # Safety
/// `view` is the view that the interpreter passes to be filled.
unsafe fn fill(
    owner: &Bound<'_, Ndarray>,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    let (py, array) = (owner.py(), &owner.get().array);
    let asks = |flag: c_int| flags & flag == flag;
    let is_line = array.shape().iter().filter(|&&extent| extent != 1).count() <= 1;
    if asks(ffi::PyBUF_F_CONTIGUOUS) && !is_line {
        return Err(refused::<PyBufferError>(Mistake::Export, "the elements are in C order"));
    }
    let dtype = array.dtype();
    let Some(format) = letter(dtype).filter(|_| asks(ffi::PyBUF_FORMAT)).or_else(|| {
        // A consumer that asks for no format reads bytes.
        (!asks(ffi::PyBUF_FORMAT)).then_some("B")
    }) else {
        let text = "buffers have no letter for bfloat16: use x.get() or x.tobytes()";
        return Err(refused::<PyBufferError>(Mistake::Export, text));
    };
    let bytes = if asks(ffi::PyBUF_WRITABLE) {
        if array.is_element() {
            let text = "an element of an array is a number, which never changes";
            return Err(refused::<PyBufferError>(Mistake::Fixed, text));
        }
        implicit_copy::warn(py, array)?;
        let lent = at_line(py, || array.lend());
        let (host, loan) = lent.map_err(|error| raised(py, &error))?;
        Bytes::copy(host.bytes, Some(loan))
    } else if asks(ffi::PyBUF_INDIRECT) {
        implicit_copy::warn(py, array)?;
        Bytes::copy(fetch(py, array)?.bytes, None)
    } else {
        let memory = at_line(py, || array.shard_memory()).map_err(|error| raised(py, &error))?;
        match memory.into_iter().find(|part| part.shape == array.shape()) {
            Some(whole) => Bytes::OfDevice(whole),
            None => {
                implicit_copy::warn(py, array)?;
                Bytes::copy(fetch(py, array)?.bytes, None)
            }
        }
    };
    let item = isize::try_from(dtype.size()).map_err(|_| too_long())?;
    let shape: Vec<isize> = array.shape().iter().map(|&extent| extent as isize).collect();
    let strides = strides_without_gaps(array.shape(), dtype.size(), MemoryOrder::C);
    let length = shape.iter().product::<isize>() * item;
    let format = CString::new(format).map_err(|_| too_long())?;
    let export = Bound::new(py, Export { bytes, dtype, shape, strides, format })?;
    let Export { bytes, shape, strides, format, .. } = export.get();
    // SAFETY: the caller's promise. The pointers are into the object, to which the view holds a
    // reference.
    unsafe {
        (*view).buf = bytes.start();
        (*view).len = length;
        (*view).itemsize = item;
        (*view).readonly = c_int::from(bytes.is_read_only());
        (*view).ndim = if asks(ffi::PyBUF_ND) { shape.len() as c_int } else { 1 };
        (*view).format =
            if asks(ffi::PyBUF_FORMAT) { format.as_ptr().cast_mut() } else { std::ptr::null_mut() };
        (*view).shape = if asks(ffi::PyBUF_ND) && !shape.is_empty() {
            shape.as_ptr().cast_mut()
        } else {
            std::ptr::null_mut()
        };
        (*view).strides = if asks(ffi::PyBUF_STRIDES) && !shape.is_empty() {
            strides.as_ptr().cast_mut()
        } else {
            std::ptr::null_mut()
        };
        (*view).suboffsets = std::ptr::null_mut();
        (*view).internal = std::ptr::null_mut();
        (*view).obj = export.into_ptr();
    }
    Ok(())
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
