//! NCCL's functions and results.
//!
//! Our own search opens the library, which is mostly named `libnccl.so.2` and resides in pip's
//! package.

use crate::DeviceError;
use crate::cuda::driver::{CudaOptions, Library, find};
use cudarc::nccl::sys::{cudaStream_t, ncclComm_t, ncclDataType_t, ncclRedOp_t, ncclUniqueId};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

/// The oldest version whose functions behave as needed here.
const OLDEST: c_int = 21800;

/// The status of calls: `ncclResult_t`, which has more values in later versions.
pub(super) type Status = c_uint;
pub(super) const SUCCESS: Status = 0;
pub(super) const INVALID_USAGE: Status = 5;
pub(super) const IN_PROGRESS: Status = 7;

macro_rules! functions {
    ($($field:ident = $name:literal: fn($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions of the library that we use.
        pub(super) struct Nccl {
            $(pub $field: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Nccl {
            /// # Safety
            /// The library is NCCL of version 2, whose functions have these types in all versions.
            unsafe fn of(library: &libloading::Library) -> Result<Nccl, libloading::Error> {
                // SAFETY: the caller's promise.
                unsafe {
                    Ok(Nccl {
                        $($field: *library.get(concat!($name, "\0").as_bytes())?,)*
                    })
                }
            }
        }
    };
}

pub(super) type Source = *const c_void;
pub(super) type Target = *mut c_void;

functions! {
    version = "ncclGetVersion": fn(*mut c_int) -> Status;
    unique_id = "ncclGetUniqueId": fn(*mut ncclUniqueId) -> Status;
    init = "ncclCommInitRank": fn(*mut ncclComm_t, c_int, ncclUniqueId, c_int) -> Status;
    destroy = "ncclCommDestroy": fn(ncclComm_t) -> Status;
    abort = "ncclCommAbort": fn(ncclComm_t) -> Status;
    async_error = "ncclCommGetAsyncError": fn(ncclComm_t, *mut Status) -> Status;
    error_string = "ncclGetErrorString": fn(Status) -> *const c_char;
    last_error = "ncclGetLastError": fn(ncclComm_t) -> *const c_char;
    group_start = "ncclGroupStart": fn() -> Status;
    group_end = "ncclGroupEnd": fn() -> Status;
    all_reduce = "ncclAllReduce":
        fn(Source, Target, usize, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t) -> Status;
    reduce = "ncclReduce":
        fn(Source, Target, usize, ncclDataType_t, ncclRedOp_t, c_int, ncclComm_t, cudaStream_t)
            -> Status;
    broadcast = "ncclBroadcast":
        fn(Source, Target, usize, ncclDataType_t, c_int, ncclComm_t, cudaStream_t) -> Status;
    all_gather = "ncclAllGather":
        fn(Source, Target, usize, ncclDataType_t, ncclComm_t, cudaStream_t) -> Status;
    reduce_scatter = "ncclReduceScatter":
        fn(Source, Target, usize, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t) -> Status;
    send = "ncclSend": fn(Source, usize, ncclDataType_t, c_int, ncclComm_t, cudaStream_t) -> Status;
    receive = "ncclRecv":
        fn(Target, usize, ncclDataType_t, c_int, ncclComm_t, cudaStream_t) -> Status;
}

unsafe extern "C" {
    // This function of the C library sets a variable that NCCL reads.
    fn setenv(name: *const c_char, value: *const c_char, overwrite: c_int) -> c_int;
}

/// The library, which the first call opens.
///
/// Errors: `DeviceError::Library`; `DeviceError::Cuda` if it is too old.
pub(super) fn load(options: &CudaOptions) -> Result<&'static Nccl, DeviceError> {
    static LOADED: OnceLock<Result<Nccl, DeviceError>> = OnceLock::new();
    let found = find(Library::Nccl, options)?;
    let open = || {
        // Multicast over NVLink is off unless the program's environment enables it: it is shared by
        // the whole machine, and a failure there affects other programs.
        // SAFETY: both texts are terminated. It is the first thing that the process does with the
        // library, before it starts threads of its own; a variable that is there stays.
        unsafe { setenv(c"NCCL_NVLS_ENABLE".as_ptr(), c"0".as_ptr(), 0) };
        // SAFETY: the file is NCCL, which is loaded already, and stays for the life of the process.
        let nccl = unsafe {
            libloading::Library::new(&found.path).and_then(|library| {
                let nccl = Nccl::of(&library);
                std::mem::forget(library);
                nccl
            })
        };
        nccl.map_err(|error| refused("open", "NCCL", error.to_string()))
    };
    let nccl = LOADED.get_or_init(open).as_ref().map_err(Clone::clone)?;
    let version = version_of(nccl)?;
    if version < OLDEST {
        let text = format!("version {} is needed", written(OLDEST));
        return Err(refused("ncclGetVersion", &written(version), text));
    }
    Ok(nccl)
}

fn refused(call: &'static str, name: &str, text: String) -> DeviceError {
    DeviceError::Cuda { device: String::from("cuda"), call, name: String::from(name), text }
}

fn version_of(nccl: &Nccl) -> Result<c_int, DeviceError> {
    let mut version = 0;
    // SAFETY: the pointer is valid.
    let status = unsafe { (nccl.version)(&raw mut version) };
    nccl.check("cuda", "ncclGetVersion", status)?;
    Ok(version)
}

fn written(version: c_int) -> String {
    format!("{}.{}.{}", version / 10000, version / 100 % 100, version % 100)
}

/// The version of NCCL, such as `2.28.9`.
///
/// Errors: `DeviceError::Library` if it is not found; `DeviceError::Cuda` if it is too old or
/// fails.
pub fn nccl_version(options: &CudaOptions) -> Result<String, DeviceError> {
    version_of(load(options)?).map(written)
}

impl Nccl {
    /// Converts the status of a call to a typed error.
    pub fn check(
        &self,
        device: &str,
        call: &'static str,
        status: Status,
    ) -> Result<(), DeviceError> {
        if status == SUCCESS {
            return Ok(());
        }
        let text = |text: *const c_char| {
            if text.is_null() {
                String::new()
            } else {
                // SAFETY: the library gives terminated texts, which the next call may change.
                unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
            }
        };
        // SAFETY: any number may be asked about; no communicator is needed for the last error.
        let (name, more) = unsafe {
            (text((self.error_string)(status)), text((self.last_error)(std::ptr::null_mut())))
        };
        let name = format!("NCCL's error {status} ({name})");
        Err(DeviceError::Cuda { device: String::from(device), call, name, text: more })
    }
}

/// Waits for the status of a call: the program's environment may make calls return early.
pub(super) fn settled(nccl: &Nccl, handle: ncclComm_t, status: Status) -> Status {
    let mut status = status;
    while status == IN_PROGRESS && !handle.is_null() {
        std::thread::yield_now();
        // SAFETY: the communicator lives, and the pointer is valid.
        let asked = unsafe { (nccl.async_error)(handle, &raw mut status) };
        if asked != SUCCESS {
            return asked;
        }
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_says_how_to_get_it() {
        if let Err(error) = nccl_version(&CudaOptions::default())
            && let DeviceError::Library { remedy, .. } = &error
        {
            assert!(remedy.contains("nvidia-nccl-cu13"), "{error}");
        }
    }

    #[test]
    fn versions_are_written_as_the_library_does() {
        assert_eq!(written(22809), "2.28.9");
    }
}
