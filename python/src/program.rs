//! The `phalanx` program, run by `python -m phalanx`.

use phalanx_launcher::Own;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the program with its words, of which the first is its name, and returns the exit code.
/// `own` are the words that start it.
#[pyfunction(name = "_main")]
pub fn main(py: Python<'_>, words: Vec<OsString>, own: Vec<OsString>) -> u8 {
    py.detach(|| phalanx_launcher::main(words, &Own::started_by(own)))
}
