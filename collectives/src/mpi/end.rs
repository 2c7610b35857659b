//! The end of a library that this process has initialised itself: after everything else, and only
//! if all went well.
//!
//! `MPI_Finalize` waits for the other processes. One that has seen its world fail must not wait,
//! and the launcher hears of the failure by the missing call. The thread that has initialised the
//! library is the one that has to finalise it; it waits for the end of the process to do so.

use super::calls::Calls;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

/// The library, and the process that has initialised it: its forks have not.
static INITIALISED: OnceLock<(Arc<dyn Calls>, u32)> = OnceLock::new();
/// Worlds and starts that have begun, and those that have ended in peace.
static BEGUN: AtomicUsize = AtomicUsize::new(0);
static ENDED: AtomicUsize = AtomicUsize::new(0);

/// What the thread that has initialised the library is told, and what it tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// There is no such thread: whoever ends finalises.
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
        // SAFETY: the function may be called at the exit of the process: what it uses is static.
        let status = unsafe { libc::atexit(finalize) };
        if status != 0 {
            tracing::warn!("MPI is not finalised at the end of the process");
        }
    }
}

/// A world, or a start of all ranks together, begins to use the library.
pub(crate) fn world_begins() {
    BEGUN.fetch_add(1, Ordering::SeqCst);
}

/// It has ended on all ranks in peace.
pub(crate) fn world_ends_in_peace() {
    ENDED.fetch_add(1, Ordering::SeqCst);
}

/// This thread has initialised the library and will `serve`.
pub(super) fn announce() {
    change(Order::Wait);
}

/// Finalises when the process ends and wants it.
pub(super) fn serve(calls: &dyn Calls) {
    await_change(|order| order == Order::Finalise);
    // There is nobody left who could be told.
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

/// Takes the name from memory that MPICH shares between the processes of a host and removes in
/// `MPI_Finalize` alone. The job ends: nobody will look for it, and who has it mapped keeps it.
fn remove_shared_memory() {
    // Of other systems nothing is known.
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let names = maps.lines().filter_map(|line| line.split_whitespace().nth(5));
    for name in names.filter(|name| name.starts_with("/dev/shm/mpich_shm_")) {
        // Another process may have been first.
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
        // There is nobody left who could be told.
        let _ = calls.finalize();
    }
}
