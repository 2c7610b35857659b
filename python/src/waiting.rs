//! Waiting: other threads of Python go on meanwhile, and the user may interrupt.

use phalanx::waiting::Attendant;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::cell::RefCell;

thread_local! {
    /// What a signal raised while the thread waited, until the call that waited raises it.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// The interpreter, which attends to all waits.
struct Interpreter;

/// A wait of Rust.
struct Wait<'a>(&'a mut dyn FnMut());

// SAFETY: what is asked of a closure that runs without the interpreter is that it uses nothing of
// Python's. Waits are code of crates that know no Python; what they drop of it, pyo3 keeps until
// the interpreter is back. The closure runs on the calling thread.
unsafe impl Send for Wait<'_> {}

impl Wait<'_> {
    fn run(self) {
        (self.0)();
    }
}

impl Attendant for Interpreter {
    fn aside(&self, wait: &mut dyn FnMut()) {
        let run = |py: Python<'_>| {
            let wait = Wait(&mut *wait);
            py.detach(move || wait.run());
        };
        // At the very end of the program there is no interpreter to let go.
        if Python::try_attach(run).is_none() {
            wait();
        }
    }

    fn is_interrupted(&self) -> bool {
        // Only the main thread is given signals.
        let is_raised = |py: Python<'_>| match py.check_signals() {
            Ok(()) => false,
            Err(exception) => {
                RAISED.set(Some(exception));
                true
            }
        };
        RAISED.with_borrow(Option::is_some) || Python::try_attach(is_raised).unwrap_or(false)
    }
}

/// Has the interpreter attend to all waits.
pub fn attend() {
    phalanx::waiting::attend(&Interpreter);
}

/// Calls a function while interrupts are ignored, where the thread may say so. One that is pending
/// already is dropped: it would be raised at the first step of the function.
#[pyfunction(name = "_uninterrupted", signature = (function, *words))]
pub fn uninterrupted(
    py: Python<'_>,
    function: &Bound<'_, PyAny>,
    words: &Bound<'_, PyTuple>,
) -> PyResult<()> {
    let ignore = || {
        let signals = py.import("_signal")?;
        let number = signals.getattr("SIGINT")?;
        let before = signals.call_method1("signal", (&number, signals.getattr("SIG_IGN")?))?;
        PyResult::Ok((signals, number, before))
    };
    let ignored = loop {
        match ignore() {
            Err(raised) if raised.is_instance_of::<PyKeyboardInterrupt>(py) => {}
            // Only the main thread may.
            outcome => break outcome.ok(),
        }
    };
    let outcome = function.call1(words);
    // A handler that is not Python's own cannot be set again.
    if let Some((signals, number, before)) = ignored.filter(|ignored| !ignored.2.is_none()) {
        signals.call_method1("signal", (number, before))?;
    }
    outcome.map(|_| ())
}

/// What a signal raised while the thread waited.
pub fn interruption() -> Option<PyErr> {
    RAISED.take()
}
