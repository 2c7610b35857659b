//! Notices: reports of floating-point errors, and warnings about data. They are queued here and
//! delivered after the observation or the call has ended, because warning filters and callbacks may
//! raise exceptions.

use super::agreement::agreed;
use crate::interpreter::errors::{Passing, raised, refused, runtime_warning, warn_at};
use crate::interpreter::mistakes::Mistake;
use phalanx::{Error, FloatingErrorReport, Warning};
use pyo3::exceptions::PyNameError;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

/// The reaction to a kind of error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Ignore,
    Warn,
    Raise,
    Call,
    Print,
    Log,
}

/// A report or warning that the program has not received yet.
enum Notice {
    /// An error of an operation, and the reaction that the program asked for.
    Error { mode: Mode, callback: Option<Rc<Py<PyAny>>>, report: FloatingErrorReport },
    /// A warning about data.
    Data(Warning),
}

thread_local! {
    static NOTICES: RefCell<Vec<Notice>> = const { RefCell::new(Vec::new()) };
}

/// Queues the report of an error, with the mode and the callback that were set when it was found.
pub(super) fn queue(mode: Mode, callback: Option<Rc<Py<PyAny>>>, report: FloatingErrorReport) {
    NOTICES.with_borrow_mut(|notices| {
        notices.push(Notice::Error { mode, callback, report });
    });
}

/// Installs the receiver of warnings. It queues warnings about data, and issues warnings of casts
/// at once: if a filter makes them exceptions, nothing is written.
pub fn listen() {
    phalanx::report_warnings(Some(|warning| {
        let Warning { class, text, site } = warning;
        if class == "RuntimeWarning" {
            NOTICES.with_borrow_mut(|notices| notices.push(Notice::Data(warning)));
            return Ok(());
        }
        let issued = Python::attach(|py| warn_at(py, class, text, site));
        issued.map_err(|exception| Error::failure(Passing(exception), Some(site)))
    }));
}

/// Delivers the queued notices to the program.
pub fn settle(py: Python<'_>) -> PyResult<()> {
    if NOTICES.with_borrow(Vec::is_empty) {
        return Ok(());
    }
    let mut notices = NOTICES.take().into_iter();
    while let Some(notice) = notices.next() {
        let delivered = match notice {
            Notice::Data(warning) => runtime_warning(py, warning.text, warning.site),
            Notice::Error { mode, callback, report } => act(py, mode, callback.as_deref(), &report),
        };
        if delivered.is_err() {
            // The other notices are delivered next time: the error may come from a warning filter
            // of the program.
            NOTICES.with_borrow_mut(|rest| drop(rest.splice(..0, notices)));
            return delivered;
        }
    }
    Ok(())
}

/// The outcome of an observation. Queued notices are delivered first, because they belong to
/// operations before the one that failed.
pub fn observed<R>(py: Python<'_>, outcome: Result<R, Error>) -> PyResult<R> {
    settle(py)?;
    outcome.map_err(|error| raised(py, &error))
}

/// Carries out the mode of an error of an operation.
fn act(
    py: Python<'_>,
    mode: Mode,
    callback: Option<&Py<PyAny>>,
    report: &FloatingErrorReport,
) -> PyResult<()> {
    let (words, operation) = (report.kind.words(), report.operation);
    let text = format!("{words} encountered in {operation}");
    match mode {
        Mode::Ignore | Mode::Raise => Ok(()),
        Mode::Warn => runtime_warning(py, &text, report.site),
        Mode::Print => {
            let errors = py.import("sys")?.getattr("stderr")?;
            errors.call_method1("write", (format!("Warning: {text}\n"),)).map(drop)
        }
        Mode::Call => match callback {
            Some(callback) => agreed(py, callback.call1(py, (words, report.bits))).map(drop),
            None => Err(refused::<PyNameError>(
                Mistake::Together,
                format!(
                    "python callback specified for {words} (in {operation}) but no function found."
                ),
            )),
        },
        Mode::Log => {
            let write = callback.and_then(|log| log.getattr(py, "write").ok());
            let Some(write) = write else {
                return Err(refused::<PyNameError>(
                    Mistake::Together,
                    format!(
                        "log specified for {words} (in {operation}) but no object with write \
                         method found."
                    ),
                ));
            };
            agreed(py, write.call1(py, (format!("Warning: {text}\n"),))).map(drop)
        }
    }
}
