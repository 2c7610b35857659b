//! Waiting: other Python threads run meanwhile, and the user may interrupt.

use phalanx::waiting::Attendant;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::cell::RefCell;

thread_local! {
    /// The exception that a signal raised while the thread waited, until the waiting call raises
    /// it.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// The interpreter as the attendant of all waits.
struct Interpreter;

/// A wait of Rust code.
struct Wait<'a>(&'a mut dyn FnMut());

// SAFETY: a closure that runs detached from the interpreter must not use Python objects. Waits are
// code of crates that do not depend on Python. If they drop Python objects, pyo3 keeps these until
// a thread is attached again. The closure runs on the calling thread.
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
        // At the very end of the program there is no interpreter to detach from.
        if Python::try_attach(run).is_none() {
            wait();
        }
    }

    fn is_interrupted(&self) -> bool {
        // Python delivers signals to the main thread only.
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

/// Installs the interpreter as the attendant of all waits.
pub fn attend() {
    phalanx::waiting::attend(&Interpreter);
}

/// Calls a function with interrupts ignored, if the thread may set signal handlers. An interrupt
/// that is already pending is dropped, because it would be raised at the first step of the
/// function.
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
            // Only the main thread may set handlers.
            outcome => break outcome.ok(),
        }
    };
    let outcome = function.call1(words);
    // A handler that was not set by Python cannot be restored.
    if let Some((signals, number, before)) = ignored.filter(|ignored| !ignored.2.is_none()) {
        signals.call_method1("signal", (number, before))?;
    }
    outcome.map(|_| ())
}

/// Takes the exception that a signal raised while the thread waited.
pub fn interruption() -> Option<PyErr> {
    RAISED.take()
}
