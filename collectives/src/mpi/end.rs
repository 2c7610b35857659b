//! The end of a library that this process has initialised itself: after everything else, and only
//! if all went well.
//!
//! `MPI_Finalize` waits for the other processes. One that has seen its world fail must not wait,
//! and the launcher hears of the failure by the missing call.

use super::calls::Calls;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

static INITIALISED: OnceLock<Arc<dyn Calls>> = OnceLock::new();
/// Worlds that have begun, and those that have ended in peace.
static BEGUN: AtomicUsize = AtomicUsize::new(0);
static ENDED: AtomicUsize = AtomicUsize::new(0);

/// Finalises the library when the process exits.
pub(super) fn finalize_at_exit(calls: Arc<dyn Calls>) {
    if INITIALISED.set(calls).is_ok() {
        // SAFETY: the function may be called at the exit of the process: what it uses is static.
        let status = unsafe { atexit(finalize) };
        if status != 0 {
            tracing::warn!("MPI is not finalised at the end of the process");
        }
    }
}

/// A world begins to use the library.
pub(super) fn world_begins() {
    BEGUN.fetch_add(1, Ordering::SeqCst);
}

/// A world has ended on all ranks in peace.
pub(super) fn world_ends_in_peace() {
    ENDED.fetch_add(1, Ordering::SeqCst);
}

extern "C" fn finalize() {
    let Some(calls) = INITIALISED.get() else { return };
    let is_peaceful = BEGUN.load(Ordering::SeqCst) == ENDED.load(Ordering::SeqCst);
    if is_peaceful && calls.finalized() == Ok(false) {
        // There is nobody left who could be told.
        let _ = calls.finalize();
    }
}

unsafe extern "C" {
    /// Of C's standard library.
    fn atexit(function: extern "C" fn()) -> std::ffi::c_int;
}
