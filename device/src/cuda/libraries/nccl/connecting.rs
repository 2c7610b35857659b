//! Threads that wait inside NCCL for other members, and the end of the process meanwhile.

#[cfg(target_env = "gnu")]
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(target_env = "gnu")]
unsafe extern "C" {
    // Functions of the C library that end the process.
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    fn fflush(file: *mut c_void) -> c_int;
    fn _exit(status: c_int) -> !;
}

/// The number of threads that wait for other members to connect or disconnect; these waits cannot
/// be ended.
static CONNECTING: AtomicUsize = AtomicUsize::new(0);

/// A thread that waits for other members.
pub(super) struct Connecting;

impl Connecting {
    pub fn new() -> Connecting {
        #[cfg(target_env = "gnu")]
        {
            static END: std::sync::Once = std::sync::Once::new();
            // SAFETY: the function has the type that the C library wants, and uses no argument.
            END.call_once(|| unsafe { _ = on_exit(end_of_process, std::ptr::null_mut()) });
        }
        CONNECTING.fetch_add(1, Ordering::SeqCst);
        Connecting
    }
}

impl Drop for Connecting {
    fn drop(&mut self) {
        CONNECTING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Called with the exit status when the process exits. If threads still wait inside NCCL, the
/// process ends without running the library's destructors, which would crash.
#[cfg(target_env = "gnu")]
extern "C" fn end_of_process(status: c_int, _: *mut c_void) {
    if CONNECTING.load(Ordering::SeqCst) > 0 {
        // SAFETY: the first writes what the C library's files hold; the second takes any status.
        unsafe {
            fflush(std::ptr::null_mut());
            _exit(status)
        }
    }
}
