//! The `phalanx` program, run by `python -m phalanx`.

use phalanx_launcher::Own;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the program with its command line, whose first word is the program's name, and returns the
/// exit code. `own` is the command that starts the program.
#[pyfunction(name = "_main")]
pub fn main(py: Python<'_>, words: Vec<OsString>, own: Vec<OsString>) -> u8 {
    py.detach(|| phalanx_launcher::main(words, &Own::started_by(own)))
}
