//! Docstrings in NumPy's style. `phalanx._documentation` composes each from its tables at the first
//! use, so `import phalanx` builds none.

use super::signature::Signature;
use pyo3::prelude::*;

/// The docstring of a row. `home` is the name of the module or class, with a dot at the end.
pub fn of_function(
    py: Python<'_>,
    home: &str,
    signature: &Signature,
    summary: &str,
) -> PyResult<Py<PyAny>> {
    let arguments = (format!("{home}{}", signature.name), signature.parameters_text, summary);
    composed(py, "of_function", arguments)
}

/// The docstring of an elementwise operation. The table of operations has its summary and its
/// loops.
pub fn of_ufunc(
    py: Python<'_>,
    signature: &Signature,
    summary: &str,
    loops: &[&str],
) -> PyResult<Py<PyAny>> {
    let arguments = (signature.name, signature.parameters_text, summary, loops.to_vec());
    composed(py, "of_ufunc", arguments)
}

fn composed<'py>(
    py: Python<'py>,
    composer: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyResult<Py<PyAny>> {
    let composer = py.import("phalanx._documentation")?.getattr(composer)?;
    Ok(composer.call1(arguments)?.unbind())
}
