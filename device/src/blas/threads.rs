//! The number of threads of a library around calls.
//!
//! The program may use the same library, so its number is restored when no call of ours runs.

use super::names::Names;
use std::ffi::c_int;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The most calls at a time: some libraries have memory for a fixed number.
const MOST_CALLS: usize = 64;

/// The functions that set a library's number of threads.
#[derive(Clone, Copy)]
pub(super) enum Control {
    /// For all threads of the process: OpenBLAS.
    Process { get: unsafe extern "C" fn() -> c_int, set: unsafe extern "C" fn(c_int) },
    /// As `Process`, but a thread that has not set it uses OpenMP's number: OpenBLAS with OpenMP.
    OpenMp { get: unsafe extern "C" fn() -> c_int, set: unsafe extern "C" fn(c_int) },
    /// For all threads of the process, with wide integers: BLIS.
    WideProcess { get: unsafe extern "C" fn() -> i64, set: unsafe extern "C" fn(i64) },
    /// For the calling thread: MKL. Returns the number before; 0 is the process's number.
    Thread { set: unsafe extern "C" fn(c_int) -> c_int },
}

impl Control {
    /// The functions of a library.
    pub(super) fn find(names: &Names<'_>) -> Option<Control> {
        // SAFETY: these are the types of the functions of these names.
        unsafe {
            if let (Some(get), Some(set)) =
                (names.c("openblas_get_num_threads"), names.c("openblas_set_num_threads"))
            {
                const WITH_OPENMP: c_int = 2;
                let parallel: Option<unsafe extern "C" fn() -> c_int> =
                    names.c("openblas_get_parallel");
                return Some(match parallel.map(|parallel| parallel()) {
                    Some(WITH_OPENMP) => Control::OpenMp { get, set },
                    _ => Control::Process { get, set },
                });
            }
            if let Some(set) = names.plain("MKL_Set_Num_Threads_Local") {
                return Some(Control::Thread { set });
            }
            let get = names.plain("bli_thread_get_num_threads")?;
            let set = names.plain("bli_thread_set_num_threads")?;
            Some(Control::WideProcess { get, set })
        }
    }

    /// Sets the number, and returns the one before.
    fn exchange(self, threads: usize) -> usize {
        // SAFETY: the functions may be called by any thread at any time.
        unsafe {
            match self {
                Control::Process { get, set } => {
                    let before = get();
                    if before != threads as c_int {
                        set(threads as c_int);
                    }
                    before as usize
                }
                Control::OpenMp { get, set } => {
                    let before = get();
                    set(threads as c_int);
                    before as usize
                }
                Control::WideProcess { get, set } => {
                    let before = get();
                    if before != threads as i64 {
                        set(threads as i64);
                    }
                    before as usize
                }
                Control::Thread { set } => set(threads as c_int) as usize,
            }
        }
    }

    /// The most calls at a time.
    fn most_calls(self) -> usize {
        if matches!(self, Control::OpenMp { .. }) { 1 } else { MOST_CALLS }
    }
}

/// The calls of ours that run in a library.
pub(super) struct Calls {
    control: Control,
    state: Mutex<State>,
    /// Signals that calls have ended.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    running: usize,
    /// The number of threads of the running calls.
    threads: usize,
    /// The number before them.
    before: usize,
}

impl Calls {
    pub(super) fn new(control: Control) -> Calls {
        Calls { control, state: Mutex::default(), ended: Condvar::new() }
    }

    /// Whether several threads can call the library at a time.
    pub(super) fn run_together(&self) -> bool {
        self.control.most_calls() > 1
    }

    /// Whether the number of threads is that of all threads of the process.
    pub(super) fn has_common_threads(&self) -> bool {
        !matches!(self.control, Control::Thread { .. })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of threads that the library uses if this number is asked for. Waits for calls.
    pub(super) fn granted(&self, threads: usize) -> usize {
        if let Control::Thread { .. } = self.control {
            return threads;
        }
        let mut state = self.state();
        while state.running > 0 {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let before = self.control.exchange(threads);
        self.control.exchange(before).min(threads)
    }

    /// Lets this thread call the library, which uses `threads` threads until the result is
    /// dropped. Waits for calls with another number.
    pub(super) fn enter(&self, threads: usize) -> Entered<'_> {
        if let Control::Thread { .. } = self.control {
            return Entered { calls: self, before: Some(self.control.exchange(threads)) };
        }
        let mut state = self.state();
        while state.running >= self.control.most_calls()
            || state.running > 0 && state.threads != threads
        {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.running == 0 {
            state.before = self.control.exchange(threads);
            state.threads = threads;
        } else if let Control::WideProcess { .. } = self.control {
            // Newer versions of BLIS keep a number for each thread that calls it.
            self.control.exchange(threads);
        }
        state.running += 1;
        Entered { calls: self, before: None }
    }
}

/// Calls of a library with a number of threads, until it is dropped.
pub struct Entered<'a> {
    calls: &'a Calls,
    /// The number before, if each thread has its own.
    before: Option<usize>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            self.calls.control.exchange(before);
            return;
        }
        let mut state = self.calls.state();
        state.running -= 1;
        if state.running == 0 {
            self.calls.control.exchange(state.before);
        }
        drop(state);
        self.calls.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicI32, Ordering};

    static NUMBER: AtomicI32 = AtomicI32::new(7);

    unsafe extern "C" fn get() -> c_int {
        NUMBER.load(Ordering::SeqCst)
    }

    unsafe extern "C" fn set(number: c_int) {
        NUMBER.store(number.min(5), Ordering::SeqCst);
    }

    #[test]
    fn the_number_of_threads_is_set_for_calls_and_restored() {
        NUMBER.store(3, Ordering::SeqCst);
        let calls = Calls::new(Control::Process { get, set });
        assert_eq!([1, 9].map(|threads| calls.granted(threads)), [1, 5]);
        std::thread::scope(|scope| {
            for at in 0..8 {
                let calls = &calls;
                scope.spawn(move || {
                    for round in 0..200 {
                        let threads = 1 + (at + round) % 2;
                        let _entered = calls.enter(threads);
                        assert_eq!(NUMBER.load(Ordering::SeqCst), threads as i32);
                    }
                });
            }
        });
        assert_eq!(NUMBER.load(Ordering::SeqCst), 3);
    }
}
