//! Finalises a library that this process has initialised: after everything else, and only without
//! a failure.
//!
//! `MPI_Finalize` waits for the other processes. A process whose world has failed must not wait;
//! the launcher notices the failure by the missing call. Only the thread that initialised the
//! library may finalise it, so that thread waits for the end of the process.

use super::calls::Calls;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

/// The library and the id of the process that initialised it; forks have other ids.
static INITIALISED: OnceLock<(Arc<dyn Calls>, u32)> = OnceLock::new();
/// The numbers of worlds and starts that have started, and of those that have ended normally.
static BEGUN: AtomicUsize = AtomicUsize::new(0);
static ENDED: AtomicUsize = AtomicUsize::new(0);

/// The state shared with the thread that has initialised the library.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// There is no such thread: the exiting thread finalises.
    Nobody,
    Wait,
    Finalise,
    Done,
}

static ORDER: Mutex<Order> = Mutex::new(Order::Nobody);
static CHANGED: Condvar = Condvar::new();

/// Finalises the library when the process exits.
pub(super) fn finalize_at_exit(calls: Arc<dyn Calls>) {
    if INITIALISED.set((calls, std::process::id())).is_ok() {
        // SAFETY: the function may be called at the exit of the process: its data is static.
        let status = unsafe { libc::atexit(finalize) };
        if status != 0 {
            tracing::warn!("MPI is not finalised at the end of the process");
        }
    }
}

/// Counts a world, or a common start of all ranks, that starts to use the library.
pub(crate) fn world_begins() {
    BEGUN.fetch_add(1, Ordering::SeqCst);
}

/// Counts one that has ended normally on all ranks.
pub(crate) fn world_ends_in_peace() {
    ENDED.fetch_add(1, Ordering::SeqCst);
}

/// Announces that this thread has initialised the library and will `serve`.
pub(super) fn announce() {
    change(Order::Wait);
}

/// Waits for the end of the process, and then finalises if asked to.
pub(super) fn serve(calls: &dyn Calls) {
    await_change(|order| order == Order::Finalise);
    // At exit, no caller can receive the error.
    let _ = calls.finalize();
    change(Order::Done);
}

fn change(order: Order) {
    *ORDER.lock().unwrap_or_else(PoisonError::into_inner) = order;
    CHANGED.notify_all();
}

fn await_change(is_awaited: impl Fn(Order) -> bool) {
    let order = ORDER.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = CHANGED.wait_while(order, |order| !is_awaited(*order));
    drop(waited);
}

/// Unlinks the shared memory of MPICH on this host, which MPICH itself removes only in
/// `MPI_Finalize`. The job ends, so no process will open it; existing mappings stay valid.
fn remove_shared_memory() {
    // Only Linux has this file.
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let names = maps.lines().filter_map(|line| line.split_whitespace().nth(5));
    for name in names.filter(|name| name.starts_with("/dev/shm/mpich_shm_")) {
        // Another process may have removed it first.
        let _ = std::fs::remove_file(name);
    }
}

extern "C" fn finalize() {
    let Some((calls, process)) = INITIALISED.get() else { return };
    let is_peaceful = BEGUN.load(Ordering::SeqCst) == ENDED.load(Ordering::SeqCst);
    if *process != std::process::id() || calls.finalized() != Ok(false) {
        return;
    }
    if !is_peaceful {
        remove_shared_memory();
        return;
    }
    let is_served = *ORDER.lock().unwrap_or_else(PoisonError::into_inner) == Order::Wait;
    if is_served {
        change(Order::Finalise);
        await_change(|order| order == Order::Done);
    } else {
        // At exit, no caller can receive the error.
        let _ = calls.finalize();
    }
}
