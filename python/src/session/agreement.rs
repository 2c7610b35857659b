//! The outcome of code of the program, on which all processes agree.

use super::lifetime;
use crate::interpreter::errors::raised;
use crate::interpreter::site::at_line;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The outcome of program code that a function of ours called, after all processes have agreed on
/// it. Collective.
///
/// If the code raised an exception on some processes only, the other processes get an error at
/// once. The processes record different operations from then on, so the world ends. If it raised an
/// exception on all processes, the program may continue.
pub fn agreed<T>(py: Python<'_>, outcome: PyResult<T>) -> PyResult<T> {
    let mesh = phalanx::MeshHandle::current();
    if mesh.is_none_or(|mesh| mesh.engine().process().1 == 1) {
        return outcome;
    }
    let own = outcome.as_ref().map(drop).map_err(ToString::to_string);
    let Err(failure) = at_line(py, || phalanx::agree(own.clone())) else { return outcome };
    let is_well = match &own {
        Ok(()) => Err(String::from("raised nothing")),
        Err(_) => Ok(()),
    };
    let is_alike = at_line(py, || phalanx::agree(is_well)).is_ok();
    if let (Err(message), false) = (own, is_alike) {
        lifetime::abort(&message);
    }
    outcome.and_then(|_| Err(raised(py, &failure)))
}

/// Calls a function of the program; all processes agree on the outcome. Collective.
#[pyfunction(name = "_agreed_call")]
#[pyo3(signature = (function, /, *arguments))]
pub fn agreed_call<'py>(
    function: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    agreed(function.py(), function.call1(arguments))
}
