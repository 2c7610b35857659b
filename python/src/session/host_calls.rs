//! Functions of Python that streams call.
//!
//! A thread of CUDA reports that a stream has reached a call. It must not wait for the interpreter,
//! which another thread may hold while it waits for the stream. So the functions are called by a
//! thread of their own.

use super::gpus::failed;
use crate::interpreter::errors::is_ending;
use crate::interpreter::waiting::interruption;
use phalanx::cuda::Stream;
use phalanx::waiting::{aside, lock};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// A function and its arguments, and the handle of the stream that calls it.
struct Call {
    function: Py<PyAny>,
    arguments: Py<PyTuple>,
    stream: usize,
}

/// For each stream, the calls that it has not reached or that have not returned.
static OPEN: Mutex<Option<HashMap<usize, usize>>> = Mutex::new(None);
/// A call has returned.
static RETURNED: Condvar = Condvar::new();
/// How long a wait goes on before it looks for an interrupt.
const LOOK: Duration = Duration::from_millis(50);

thread_local! {
    /// Whether this is the thread that calls.
    static CALLS_HERE: Cell<bool> = const { Cell::new(false) };
}

/// Lets a function be called once the work in a stream is done.
pub fn call_after(stream: &Stream, function: Py<PyAny>, arguments: Py<PyTuple>) -> PyResult<()> {
    let (calls, handle) = (calls().clone(), stream.handle());
    let call = Call { function, arguments, stream: handle };
    *lock(&OPEN).get_or_insert_default().entry(handle).or_default() += 1;
    let reached = move || {
        // The thread that receives never ends.
        let _ = calls.send(call);
    };
    stream.call_host(Box::new(reached)).map_err(|error| {
        close_one(handle);
        failed(&error)
    })
}

/// Waits until all functions that a stream was asked to call have returned. The functions
/// themselves do not wait.
pub fn await_calls_of(stream: &Stream) -> PyResult<()> {
    if CALLS_HERE.get() {
        return Ok(());
    }
    let is_open = || {
        let open = lock(&OPEN);
        let is_open = |open: &Option<HashMap<usize, usize>>| {
            open.as_ref().is_some_and(|open| open.contains_key(&stream.handle()))
        };
        let waited = RETURNED.wait_timeout_while(open, LOOK, |open| is_open(open));
        is_open(&waited.unwrap_or_else(PoisonError::into_inner).0)
    };
    while aside(is_open) {
        if let Some(interrupt) = interruption() {
            return Err(interrupt);
        }
    }
    Ok(())
}

/// Forgets the calls that were not made: the session has ended, or a fault of a GPU keeps streams
/// from reaching them.
pub fn forget_calls() {
    *lock(&OPEN) = None;
    RETURNED.notify_all();
}

/// The way to the thread that calls.
fn calls() -> &'static Sender<Call> {
    static CALLS: OnceLock<Sender<Call>> = OnceLock::new();
    CALLS.get_or_init(|| {
        let (sender, receiver) = channel::<Call>();
        let work = move || {
            CALLS_HERE.set(true);
            for Call { function, arguments, stream } in receiver {
                if !is_ending() {
                    Python::attach(|py| {
                        if let Err(error) = function.call1(py, arguments) {
                            // Nobody waits for the result.
                            error.write_unraisable(py, Some(function.bind(py)));
                        }
                    });
                }
                close_one(stream);
            }
        };
        // Without a thread the calls are kept and never made; but a process that cannot start a
        // thread cannot run a session either.
        let _ = std::thread::Builder::new().name(String::from("host calls")).spawn(work);
        sender
    })
}

fn close_one(stream: usize) {
    let mut open = lock(&OPEN);
    if let Some(open) = open.as_mut()
        && let Some(count) = open.get_mut(&stream)
    {
        *count -= 1;
        if *count == 0 {
            open.remove(&stream);
        }
    }
    RETURNED.notify_all();
}
