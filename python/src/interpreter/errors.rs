//! Errors as Python's and NumPy's exceptions.

use super::mistakes::Mistake;
use super::site::here;
use super::spelling;
use super::waiting::interruption;
use phalanx::{ConfigError, Error, ErrorKind, Failure, InitError, Site};
use pyo3::PyTypeInfo;
use pyo3::exceptions::*;
use pyo3::ffi;
use pyo3::prelude::*;
use std::fmt::{self, Display};

/// The exception of an error: of the class that NumPy raises, with the code and the line of the
/// operation that caused it.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
    if let Some(exception) = interruption() {
        return exception;
    }
    if let ErrorKind::Failure(failure) = error.kind()
        && let Some(Passing(exception)) = (&**failure as &dyn std::error::Error).downcast_ref()
    {
        return exception.clone_ref(py);
    }
    let mut text = match error.kind() {
        ErrorKind::Op(error) => spelling::of_operation(&error.to_string()),
        ErrorKind::Data(error) => spelling::in_numpy(&error.to_string()),
        ErrorKind::Failure(failure) => failure.to_string(),
    };
    let code = error.code();
    text += &format!(" [{code}]");
    if let Some(site) = error.site() {
        text += &format!("\n  from    {site}");
    }
    text += &format!("\n  hint    {}", in_python(error.hint()));
    with_code(of_class(py, error.numpy_class(), text), code)
}

/// A hint with the names of Python. Hints are written with the names of Rust.
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

/// The exception of a session that fails to start.
pub fn not_started(error: &InitError) -> PyErr {
    let text = || format!("{error} [{}]\n  hint    {}", error.code(), in_python(error.hint()));
    interruption().unwrap_or_else(|| coded::<PyRuntimeError>(text(), error.code()))
}

/// The exception of an invalid configuration.
pub fn configuration_error(error: &ConfigError) -> PyErr {
    let text = format!("{error} [{}]\n  hint    {}", error.code(), error.hint());
    coded::<PyValueError>(text, error.code())
}

/// An exception with its code as the attribute `code`.
pub fn coded<E: PyTypeInfo>(text: String, code: &str) -> PyErr {
    Python::attach(|py| {
        // The exception object is made at once. A lazy one could not be made while the interpreter
        // ends, when finalisers may still call.
        let made = py.get_type::<E>().call1((text,));
        made.map_or_else(
            |error| error,
            |exception| {
                let _ = exception.setattr("code", code);
                PyErr::from_value(exception)
            },
        )
    })
}

fn with_code(exception: PyErr, code: &str) -> PyErr {
    if !is_ending() {
        // An exception that takes no attributes still has its text.
        let _ = Python::attach(|py| exception.value(py).setattr("code", code));
    }
    exception
}

/// Whether the interpreter is ending, for example while the last `__del__` methods run. An
/// exception whose object has not been made yet cannot be inspected then.
pub fn is_ending() -> bool {
    // SAFETY: `Py_IsInitialized` may be called at any time.
    unsafe { ffi::Py_IsInitialized() == 0 }
}

/// Whether an exception is of a class; false while the interpreter ends, when the class cannot be
/// inspected.
pub fn is_of<E: PyTypeInfo>(py: Python<'_>, exception: &PyErr) -> bool {
    !is_ending() && exception.is_instance_of::<E>(py)
}

/// An exception about a mistake in a call, with its code.
pub fn refused<E: PyTypeInfo>(mistake: Mistake, text: impl Display) -> PyErr {
    let (code, hint) = (mistake.code(), mistake.hint());
    coded::<E>(format!("{text} [{code}]\n  hint    {hint}"), code)
}

/// As [`refused`], for modules written in Python: `raise _refusal(ValueError, "value", text)`.
/// `hint` replaces the usual hint.
#[pyfunction(name = "_refusal")]
#[pyo3(signature = (class, mistake, text, hint=None))]
pub fn refusal(
    class: &Bound<'_, PyAny>,
    mistake: &str,
    text: &str,
    hint: Option<&str>,
) -> PyResult<Py<PyAny>> {
    let mistake = Mistake::from_name(mistake);
    let (code, hint) = (mistake.code(), hint.unwrap_or(mistake.hint()));
    let exception = class.call1((format!("{text} [{code}]\n  hint    {hint}"),))?;
    let _ = exception.setattr("code", code);
    Ok(exception.unbind())
}

/// Adds a code and a hint to an exception that NumPy raised during a call. Only plain `TypeError`,
/// `ValueError`, `IndexError` and `OverflowError` without a code are changed; all others, such as
/// exceptions of a class of the program's own, stay as they are.
pub fn as_numpy_raises(py: Python<'_>, mistake: Mistake, exception: PyErr) -> PyErr {
    if is_ending() {
        return exception;
    }
    let value = exception.value(py);
    let is_plain = [
        py.get_type::<PyTypeError>(),
        py.get_type::<PyValueError>(),
        py.get_type::<PyIndexError>(),
        py.get_type::<PyOverflowError>(),
    ];
    let is_plain = is_plain.iter().any(|class| value.get_type().is(class));
    if !is_plain || value.hasattr("code").unwrap_or(true) {
        return exception;
    }
    let text = value.str().map_or_else(|_| String::new(), |text| text.to_string());
    let (code, hint) = (mistake.code(), mistake.hint());
    let _ = value.setattr("args", (format!("{text} [{code}]\n  hint    {hint}"),));
    let _ = value.setattr("code", code);
    exception
}

/// Issues a `RuntimeWarning` at a line of the program.
pub fn runtime_warning(py: Python<'_>, text: &str, site: Site) -> PyResult<()> {
    warn_at(py, "RuntimeWarning", text, site)
}

/// Issues a warning at the user's line, of a class as for [`warn_at`].
pub fn warn(py: Python<'_>, class: &str, text: &str) -> PyResult<()> {
    warn_at(py, class, text, here(py))
}

/// Issues a warning at a line of the program, of a built-in class or of one of `numpy.exceptions`.
pub fn warn_at(py: Python<'_>, class: &str, text: &str, site: Site) -> PyResult<()> {
    let is_built_in = matches!(class, "DeprecationWarning" | "RuntimeWarning");
    let home = if is_built_in { "builtins" } else { "numpy.exceptions" };
    let class = py.import(home)?.getattr(class)?;
    let explicit = py.import("warnings")?.getattr("warn_explicit")?;
    explicit.call1((text, class, site.file(), site.line())).map(drop)
}

/// An exception of Python that passes through a call of `phalanx`, whose caller raises it.
#[derive(Debug)]
pub struct Passing(pub PyErr);

impl Display for Passing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl std::error::Error for Passing {}

impl Failure for Passing {
    fn code(&self) -> &'static str {
        "PX157"
    }
    fn hint(&self) -> &'static str {
        "correct the cause, or change the filter of warnings"
    }
}

/// Replaces a `TypeError` about an argument by one of ours. Any other exception, such as one of the
/// program's own `__index__` or `__float__`, stays as it is.
pub fn for_type_error(py: Python<'_>, exception: PyErr, refused: impl FnOnce() -> PyErr) -> PyErr {
    if is_ending() || exception.is_instance_of::<PyTypeError>(py) { refused() } else { exception }
}

/// A `TypeError`.
pub fn type_error(mistake: Mistake, text: impl Display) -> PyErr {
    refused::<PyTypeError>(mistake, text)
}

/// A `ValueError`.
pub fn value_error(mistake: Mistake, text: impl Display) -> PyErr {
    refused::<PyValueError>(mistake, text)
}

/// An exception of a class, by its name in NumPy or Python.
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
