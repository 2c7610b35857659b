//! DLPack: exports the memory of arrays to other libraries in capsules, and imports theirs.
//!
//! This module is for elements on GPUs. Elements on the host go through NumPy.

use crate::interpreter::errors::{refused, value_error};
use crate::interpreter::mistakes::Mistake;
use phalanx::{DType, MemoryOrder, strides_without_gaps};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::any::Any;
use std::ffi::{CStr, c_int, c_void};

/// DLPack's device type of a CUDA GPU.
pub const CUDA: i32 = 2;
/// DLPack's device type of CUDA managed memory, which the host can access, too.
pub const CUDA_MANAGED: i32 = 13;
const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;

const NAME: &CStr = c"dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";

#[repr(C)]
#[derive(Clone, Copy)]
struct Place {
    kind: i32,
    number: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Kind {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: Place,
    ndim: c_int,
    dtype: Kind,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

#[repr(C)]
struct Versioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

/// The data that a capsule of ours keeps alive.
struct Held {
    extents: Vec<i64>,
    strides: Vec<i64>,
    _owner: Box<dyn Any + Send>,
}

/// Elements in C order on a GPU, to be exported.
pub struct Export<'a> {
    /// The address of the first element.
    pub address: usize,
    /// The number of the GPU.
    pub ordinal: usize,
    /// The dtype.
    pub dtype: DType,
    /// The extents.
    pub shape: &'a [usize],
    /// The owner that keeps the memory alive.
    pub owner: Box<dyn Any + Send>,
    /// Whether the elements are read-only.
    pub is_read_only: bool,
    /// Whether the elements were copied for this export.
    pub is_copied: bool,
}

impl Export<'_> {
    /// The capsule: versioned, from DLPack 1.0 on, or of the older form, which cannot mark elements
    /// as read-only.
    pub fn capsule(self, py: Python<'_>, is_versioned: bool) -> PyResult<Py<PyAny>> {
        let extents: Vec<i64> = self.shape.iter().map(|&extent| extent as i64).collect();
        // DLPack counts strides in elements.
        let strides = strides_without_gaps(self.shape, 1, MemoryOrder::C);
        let strides = strides.into_iter().map(|stride| stride as i64).collect();
        let mut held = Box::new(Held { extents, strides, _owner: self.owner });
        let tensor = Tensor {
            data: if self.shape.contains(&0) {
                std::ptr::null_mut()
            } else {
                self.address as *mut c_void
            },
            device: Place { kind: CUDA, number: self.ordinal as i32 },
            ndim: self.shape.len() as c_int,
            dtype: kind_of(self.dtype),
            shape: held.extents.as_mut_ptr(),
            strides: held.strides.as_mut_ptr(),
            byte_offset: 0,
        };
        let context = Box::into_raw(held).cast();
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        // SAFETY: the interpreter is attached. The tensor stays on the heap until its deleter is
        // called: by the capsule's destructor, or by a consumer that has renamed the capsule and
        // taken ownership.
        let made = unsafe {
            if is_versioned {
                let flags = flag(self.is_read_only, READ_ONLY) | flag(self.is_copied, IS_COPIED);
                let deleter = Some(delete_versioned as unsafe extern "C" fn(*mut Versioned));
                let all = Versioned { major: 1, minor: 0, context, deleter, flags, tensor };
                let pointer = Box::into_raw(Box::new(all)).cast();
                ffi::PyCapsule_New(pointer, VERSIONED.as_ptr(), Some(drop_versioned))
            } else {
                let deleter = Some(delete as unsafe extern "C" fn(*mut Managed));
                let pointer = Box::into_raw(Box::new(Managed { tensor, context, deleter })).cast();
                ffi::PyCapsule_New(pointer, NAME.as_ptr(), Some(drop_managed))
            }
        };
        // SAFETY: a new reference, or null with an exception.
        unsafe { Bound::from_owned_ptr_or_err(py, made) }.map(Bound::unbind)
    }
}

/// # Safety
/// The pointer comes from a capsule of ours, and this is the only call for it.
unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: both boxes were leaked by `capsule`.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Held>()));
    }
}

/// # Safety
/// As `delete`.
unsafe extern "C" fn delete_versioned(managed: *mut Versioned) {
    // SAFETY: as in `delete`.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Held>()));
    }
}

/// # Safety
/// Called by the interpreter with a capsule of ours that is being destroyed.
unsafe extern "C" fn drop_managed(capsule: *mut ffi::PyObject) {
    // SAFETY: while the capsule has its name, no consumer has taken ownership of the tensor.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) != 0 {
            delete(ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast());
        }
    }
}

/// # Safety
/// As `drop_managed`.
unsafe extern "C" fn drop_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: as in `drop_managed`.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) != 0 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast());
        }
    }
}

/// Elements that another library exports. The capsule keeps them alive. It is not renamed, so its
/// destructor calls the deleter.
pub struct Import {
    /// The address of the first element.
    pub address: u64,
    /// The dtype.
    pub dtype: DType,
    /// The extents.
    pub shape: Vec<usize>,
    /// The byte stride of each axis.
    pub strides: Vec<isize>,
}

/// The tensor of a capsule. It must reside on `device`, the device that the exporter reported.
pub fn read(capsule: &Bound<'_, PyAny>, device: (i32, i32)) -> PyResult<Import> {
    let pointer = |name: &CStr| -> Option<*mut c_void> {
        // SAFETY: the interpreter is attached; the pointer is asked for under the capsule's name.
        unsafe {
            let is_valid = ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) != 0;
            is_valid.then(|| ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()))
        }
    };
    if let Some(versioned) = pointer(VERSIONED) {
        // SAFETY: a capsule of this name holds a versioned tensor, whose version comes first.
        let versioned = unsafe { &*versioned.cast::<Versioned>() };
        if versioned.major != 1 {
            let (major, minor) = (versioned.major, versioned.minor);
            return Err(refused::<PyBufferError>(
                Mistake::Export,
                format!("DLPack {major}.{minor} is not known"),
            ));
        }
        return import(&versioned.tensor, device);
    }
    match pointer(NAME) {
        // SAFETY: a capsule of this name has such a tensor.
        Some(managed) => import(unsafe { &(*managed.cast::<Managed>()).tensor }, device),
        None => {
            Err(refused::<PyTypeError>(Mistake::Type, "__dlpack__ did not return a DLPack capsule"))
        }
    }
}

fn import(tensor: &Tensor, device: (i32, i32)) -> PyResult<Import> {
    let Place { kind, number } = tensor.device;
    if (kind, number) != device {
        return Err(refused::<PyBufferError>(
            Mistake::Export,
            format!(
                "__dlpack_device__ reports {device:?}, but __dlpack__ returns elements on {:?}",
                (kind, number)
            ),
        ));
    }
    let ndim = usize::try_from(tensor.ndim)
        .map_err(|_| value_error(Mistake::Value, "the number of axes of the tensor is negative"))?;
    let numbers = |start: *mut i64| -> Vec<i64> {
        // SAFETY: a tensor has `ndim` extents and, unless the pointer is null, `ndim` strides.
        unsafe { std::slice::from_raw_parts(start, ndim) }.to_vec()
    };
    let extents = if ndim == 0 { Vec::new() } else { numbers(tensor.shape) };
    let shape: Vec<usize> = extents.iter().map(|&extent| extent as usize).collect();
    let dtype = dtype_of(tensor.dtype)?;
    let strides = if ndim == 0 || tensor.strides.is_null() {
        strides_without_gaps(&shape, dtype.size(), MemoryOrder::C)
    } else {
        let item = dtype.size() as isize;
        numbers(tensor.strides).iter().map(|&stride| stride as isize * item).collect()
    };
    let address = tensor.data as u64 + tensor.byte_offset;
    Ok(Import { address, dtype, shape, strides })
}

/// DLPack's type codes: signed integers, unsigned integers, floats, bfloat16, complex numbers,
/// bools.
const fn kind_of(dtype: DType) -> Kind {
    let code = match dtype {
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => 0,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => 1,
        DType::F16 | DType::F32 | DType::F64 => 2,
        DType::BF16 => 4,
        DType::C64 | DType::C128 => 5,
        DType::Bool => 6,
    };
    Kind { code, bits: dtype.size() as u8 * 8, lanes: 1 }
}

fn dtype_of(kind: Kind) -> PyResult<DType> {
    let alike = |dtype: &&DType| {
        let own = kind_of(**dtype);
        (own.code, own.bits, own.lanes) == (kind.code, kind.bits, kind.lanes)
    };
    DType::ALL.iter().find(alike).copied().ok_or_else(|| {
        let Kind { code, bits, lanes } = kind;
        refused::<PyTypeError>(
            Mistake::Type,
            format!(
                "arrays cannot have the dtype of code {code} with {bits} bits and {lanes} lanes"
            ),
        )
    })
}
