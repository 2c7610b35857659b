//! Errors as Python's and NumPy's exceptions.

use crate::waiting::interruption;
use phalanx::{Error, ErrorKind, InitError, Site};
use pyo3::exceptions::*;
use pyo3::prelude::*;
use std::fmt::Display;

/// The exception of an error: of the class that NumPy raises, with the code and the line of the
/// operation that caused it.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
    if let Some(exception) = interruption() {
        return exception;
    }
    let mut text = match error.kind() {
        ErrorKind::Op(error) => error.to_string(),
        ErrorKind::Data(error) => error.to_string(),
        ErrorKind::Failure(failure) => failure.to_string(),
    };
    let code = error.code();
    text += &format!(" [{code}]");
    if let Some(site) = error.site() {
        text += &format!("\n  from    {site}");
    }
    text += &format!("\n  hint    {}", in_python(error.hint()));
    let exception = of_class(py, error.numpy_class(), text);
    // An exception that takes no attributes still has its text.
    let _ = exception.value(py).setattr("code", code);
    exception
}

/// A hint with names as Python has them: hints are written for Rust.
fn in_python(hint: &str) -> String {
    const NAMES: [(&str, &str); 4] = [
        ("`..`", "`...`"),
        ("Array::from_local", "phalanx.from_local"),
        ("Csr::from_triplets", "phalanx.scipy.sparse.coo_array"),
        ("linalg::", "phalanx.linalg."),
    ];
    let named =
        NAMES.iter().fold(hint.to_owned(), |hint, (rust, python)| hint.replace(rust, python));
    named.replace("::", ".")
}

/// The exception of a session that does not begin.
pub fn not_begun(error: &InitError) -> PyErr {
    let text = || format!("{error} [{}]\n  hint    {}", error.code(), in_python(error.hint()));
    interruption().unwrap_or_else(|| PyRuntimeError::new_err(text()))
}

/// A `RuntimeError`.
pub fn runtime_error(text: impl Display) -> PyErr {
    PyRuntimeError::new_err(text.to_string())
}

/// Warns of something that a line did.
pub fn runtime_warning(py: Python<'_>, text: &str, site: Site) -> PyResult<()> {
    let warn = py.import("warnings")?.getattr("warn_explicit")?;
    let class = py.get_type::<PyRuntimeWarning>();
    warn.call1((text, class, site.file(), site.line())).map(drop)
}

/// A `TypeError`.
pub fn type_error(text: impl Display) -> PyErr {
    PyTypeError::new_err(text.to_string())
}

/// A `ValueError`.
pub fn value_error(text: impl Display) -> PyErr {
    PyValueError::new_err(text.to_string())
}

/// An exception of the class that NumPy, or Python, calls so.
fn of_class(py: Python<'_>, class: &str, text: String) -> PyErr {
    let of_numpy = |module: &str, name: &str| {
        let class = py.import(module).and_then(|module| module.getattr(name));
        class.and_then(|class| class.call1((text.clone(),)))
    };
    let made = match class.rsplit('.').next().unwrap_or(class) {
        "AxisError" => of_numpy("numpy.exceptions", "AxisError"),
        "LinAlgError" => of_numpy("numpy.linalg", "LinAlgError"),
        "UFuncTypeError" | "UFuncNoLoopError" => {
            of_numpy("numpy._core._exceptions", "UFuncTypeError")
        }
        name => of_numpy("builtins", name),
    };
    made.map_or_else(|_| PyRuntimeError::new_err(text.clone()), PyErr::from_value)
}
