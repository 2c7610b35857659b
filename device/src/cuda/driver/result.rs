//! The driver's results as typed errors.

use crate::DeviceError;
use cudarc::driver::sys::{self, CUresult};
use std::ffi::CStr;

/// Converts the status of a call to a typed error.
pub(in crate::cuda) fn check(
    device: &str,
    call: &'static str,
    result: CUresult,
) -> Result<(), DeviceError> {
    if result == CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let device = String::from(device);
    if result == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
        return Err(DeviceError::OutOfMemory { device, requested: 0, in_use: 0, limit: None });
    }
    Err(DeviceError::Cuda { device, call, name: name(result), text: text(result) })
}

fn name(result: CUresult) -> String {
    described(|to| {
        // SAFETY: the driver is loaded (a call has returned `result`), and `to` is a valid pointer.
        unsafe { sys::cuGetErrorName(result, to) }
    })
}

fn text(result: CUresult) -> String {
    described(|to| {
        // SAFETY: as in `name`.
        unsafe { sys::cuGetErrorString(result, to) }
    })
}

fn described(ask: impl Fn(*mut *const std::ffi::c_char) -> CUresult) -> String {
    let mut text = std::ptr::null();
    if ask(&raw mut text) != CUresult::CUDA_SUCCESS || text.is_null() {
        return String::from("unknown error");
    }
    // SAFETY: the driver gave a static, terminated text.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
