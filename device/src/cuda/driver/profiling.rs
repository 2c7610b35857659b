//! Profilers: when they record, and names for what they show.
//!
//! Names are passed to NVTX, which passes them to a profiler if there is one. Without the library
//! they are ignored.

use super::context::Context;
use super::library::{CudaOptions, Library, find};
use crate::DeviceError;
use cudarc::driver::sys;
use std::ffi::{CString, c_char, c_int};
use std::sync::OnceLock;

/// Starts or stops recording of a device by profilers that wait for it. Local.
///
/// Errors: `DeviceError::Cuda` if the driver refuses.
pub fn profile(looks: bool, context: &Context) -> Result<(), DeviceError> {
    let _kept = context.visit();
    // SAFETY: the driver is loaded, since there is a device, whose context is current.
    let (call, result) = unsafe {
        if looks {
            ("cuProfilerStart", sys::cuProfilerStart())
        } else {
            ("cuProfilerStop", sys::cuProfilerStop())
        }
    };
    context.check(call, result)
}

type Named = unsafe extern "C" fn(*const c_char) -> c_int;
type Mark = unsafe extern "C" fn(*const c_char);
type Pop = unsafe extern "C" fn() -> c_int;

/// The functions of NVTX.
struct Nvtx {
    push: Named,
    pop: Pop,
    mark: Mark,
}

fn nvtx(options: &CudaOptions) -> Option<&'static Nvtx> {
    static FOUND: OnceLock<Option<Nvtx>> = OnceLock::new();
    let look = || {
        let found = find(Library::Nvtx, options).ok()?;
        // SAFETY: the library is NVTX, whose functions have these types in all versions, and stays
        // loaded for the life of the process.
        unsafe {
            let library = libloading::Library::new(&found.path).ok()?;
            let nvtx = Nvtx {
                push: *library.get::<Named>(b"nvtxRangePushA\0").ok()?,
                pop: *library.get::<Pop>(b"nvtxRangePop\0").ok()?,
                mark: *library.get::<Mark>(b"nvtxMarkA\0").ok()?,
            };
            std::mem::forget(library);
            Some(nvtx)
        }
    };
    FOUND.get_or_init(look).as_ref()
}

/// A text for C, cut at its first zero.
fn text(name: &str) -> CString {
    CString::new(name.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

/// Starts a range of this thread that profilers show with its name. Local.
pub fn push_range(name: &str, options: &CudaOptions) {
    if let Some(nvtx) = nvtx(options) {
        // SAFETY: the text is terminated and lives during the call, which copies it.
        let _ = unsafe { (nvtx.push)(text(name).as_ptr()) };
    }
}

/// Ends the range that this thread started last. Local.
pub fn pop_range(options: &CudaOptions) {
    if let Some(nvtx) = nvtx(options) {
        // SAFETY: the function takes nothing, and refuses where no part has begun.
        let _ = unsafe { (nvtx.pop)() };
    }
}

/// Marks this moment with a name. Local.
pub fn mark(name: &str, options: &CudaOptions) {
    if let Some(nvtx) = nvtx(options) {
        // SAFETY: as in `push_range`.
        unsafe { (nvtx.mark)(text(name).as_ptr()) };
    }
}
