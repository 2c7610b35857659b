//! Checkpoints: the state of a program in a file, for a restart.

use crate::convert;
use crate::interpreter::errors::{raised, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use crate::session;
use phalanx::Array;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Saves the state of the program: the number of a step and arrays by their names. Collective.
///
/// The file is a .npz file. It replaces the previous one when it is complete, so there is a
/// complete file whenever the program is killed.
///
/// Parameters
/// ----------
/// path : str or path
///     The file, the same on all processes.
/// step : int
///     A number from 0 on, which `restore` returns.
/// **arrays : array_like
///     Arrays of one mesh, of which none is named ``path`` or ``step``.
///
/// Returns
/// -------
/// None
///
/// Raises
/// ------
/// OSError
///     PX081: the file cannot be written; the previous one stays.
/// ValueError
///     PX144: `step` is not an integer from 0 on.
#[pyfunction]
#[pyo3(signature = (path, step, **arrays))]
pub fn checkpoint(
    py: Python<'_>,
    path: PathBuf,
    step: &Bound<'_, PyAny>,
    arrays: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let refused = || value_error(Mistake::Value, "checkpoint: step must be an integer from 0");
    let step: u64 = step.extract().map_err(|_| refused())?;
    session::ensure(py)?;
    let mut named: Vec<(String, Array)> = Vec::new();
    for (name, value) in arrays.into_iter().flat_map(|arrays| arrays.iter()) {
        named.push((name.extract()?, convert::array(&value, None)?));
    }
    let arrays: Vec<(&str, &Array)> =
        named.iter().map(|(name, array)| (name.as_str(), array)).collect();
    let saved = at_line(py, || phalanx::io::checkpoint(&path, step, &arrays));
    saved.map_err(|error| raised(py, &error))
}

/// The state that `checkpoint` saved last. Collective.
///
/// Parameters
/// ----------
/// path : str or path
///     The file, which every process finds under this path.
///
/// Returns
/// -------
/// tuple of int and dict, or None
///     The number of the step and the arrays by their names, on the current mesh; None if there is
///     no such file, as when a program starts for the first time.
///
/// Raises
/// ------
/// OSError
///     PX080: the file cannot be read.
/// ValueError
///     PX088: `checkpoint` did not write the file.
#[pyfunction]
pub fn restore(py: Python<'_>, path: PathBuf) -> PyResult<Option<(u64, Py<PyDict>)>> {
    session::ensure(py)?;
    let found = at_line(py, || phalanx::io::restore(&path));
    let Some(found) = found.map_err(|error| raised(py, &error))? else { return Ok(None) };
    let arrays = PyDict::new(py);
    for (name, array) in found.arrays {
        arrays.set_item(name, Ndarray::wrap(py, array)?)?;
    }
    Ok(Some((found.step, arrays.unbind())))
}
