//! Results with names: NumPy's named tuples.

use super::answer::Answer;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A named tuple of a class of `phalanx._results`.
pub fn named(py: Python<'_>, class: &str, items: Vec<Answer>) -> PyResult<Answer> {
    let class = py.import("phalanx._results")?.getattr(class)?;
    let items = items.into_iter().map(|item| item.into_python(py)).collect::<PyResult<Vec<_>>>()?;
    Ok(Answer::Object(class.call1(PyTuple::new(py, items)?)?.unbind()))
}
