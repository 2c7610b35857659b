//! Recursive filters: what `phalanx.scipy.signal` calls.
//!
//! Arguments are checked in Python.

use crate::convert;
use crate::interpreter::errors::raised;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::ndarray::Ndarray;
use phalanx::signal::{Filtered, recurrence};
use pyo3::prelude::*;

/// The signal of a recurrence along the last axis, or its last states.
#[pyfunction(name = "_recurrence")]
fn filtered(
    signal: &Bound<'_, PyAny>,
    coefficients: [Bound<'_, PyAny>; 2],
    states: &Bound<'_, PyAny>,
    gives_states: bool,
) -> PyResult<Py<PyAny>> {
    let py = signal.py();
    let signal = convert::array(signal, None)?;
    let _mesh = call_mesh::of_array(&signal);
    let [numerator, denominator] = coefficients.map(|one| convert::array(&one, None));
    let (numerator, denominator) = (numerator?, denominator?);
    let states = convert::array(states, None)?;
    let gives = if gives_states { Filtered::States } else { Filtered::Signal };
    let made =
        at_line(py, || recurrence(&signal, &numerator, &denominator, &states, gives).into_result());
    Ndarray::wrap(py, made.map_err(|error| raised(py, &error))?)
}

/// Adds the function to its module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(filtered, module)?)
}
