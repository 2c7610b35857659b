//! Checks for floating-point errors: off unless `errstate` or `seterr` turns them on.
//!
//! `phalanx` detects the errors. Those of mode `raise` are raised by the next observation. Other
//! reports are queued as notices.

use super::notices::{self, Mode, observed};
use crate::interpreter::blocks::Blocks;
use crate::interpreter::errors::{type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use phalanx::{FloatingErrorMode, FloatingErrorReport, FloatingErrorScope, FloatingErrors};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

const MODES: [(&str, Mode); 6] = [
    ("ignore", Mode::Ignore),
    ("warn", Mode::Warn),
    ("raise", Mode::Raise),
    ("call", Mode::Call),
    ("print", Mode::Print),
    ("log", Mode::Log),
];

/// The keywords of the kinds of errors, in NumPy's order.
const KINDS: [&str; 4] = ["divide", "over", "under", "invalid"];

type Modes = [Mode; 4];

thread_local! {
    static CURRENT: Cell<Modes> = const { Cell::new([Mode::Ignore; 4]) };
    static CALLBACK: RefCell<Option<Rc<Py<PyAny>>>> = const { RefCell::new(None) };
}

/// Passes the thread's current modes and callback to `phalanx`.
fn apply() {
    let (modes, callback) = (CURRENT.get(), CALLBACK.with_borrow(Option::clone));
    let report = move |report: &FloatingErrorReport| {
        let (mode, callback) = (modes[report.kind as usize], callback.clone());
        notices::queue(mode, callback, *report);
    };
    let of_phalanx = |mode| match mode {
        Mode::Ignore => FloatingErrorMode::Ignore,
        Mode::Raise => FloatingErrorMode::Raise,
        Mode::Warn | Mode::Call | Mode::Print | Mode::Log => FloatingErrorMode::Report,
    };
    let errors = FloatingErrors { modes: modes.map(of_phalanx), reporter: Some(Rc::new(report)) };
    phalanx::set_floating_errors(errors);
}

/// The mode of each kind that keywords name; None for a kind that is not named.
fn modes_of<'py>(
    function: &str,
    keywords: impl IntoIterator<Item = (String, Bound<'py, PyAny>)>,
) -> PyResult<[Option<Mode>; 4]> {
    let mut modes = [None; 4];
    let mut all = None;
    for (key, value) in keywords {
        if value.is_none() {
            continue;
        }
        let text = value.cast::<PyString>().ok().map(|text| text.to_string());
        let known = MODES.iter().find(|(name, _)| text.as_deref() == Some(*name));
        let (_, mode) = known.ok_or_else(|| {
            value_error(
                Mistake::Choice,
                format!(
                    "invalid error mode {}: it can be 'ignore', 'warn', 'raise', 'call', 'print' \
                     or 'log'",
                    repr(&value)
                ),
            )
        })?;
        match KINDS.iter().position(|name| *name == key) {
            Some(kind) => modes[kind] = Some(*mode),
            None if key == "all" => all = Some(*mode),
            None => {
                let text = format!("{function} got an unexpected keyword argument '{key}'");
                return Err(type_error(Mistake::Keyword, text));
            }
        }
    }
    Ok(modes.map(|mode| mode.or(all)))
}

fn repr(object: &Bound<'_, PyAny>) -> String {
    object.repr().map_or_else(|_| String::from("?"), |text| text.to_string())
}

fn change(modes: [Option<Mode>; 4]) {
    let current = CURRENT.get();
    CURRENT.set(std::array::from_fn(|kind| modes[kind].unwrap_or(current[kind])));
    apply();
}

/// The argument of `seterrcall`, and `call` of `errstate`: a callable, or an object with `write`.
fn callback_of(object: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    let writes = || object.getattr("write").is_ok_and(|write| write.is_callable());
    if object.is_none() {
        Ok(None)
    } else if object.is_callable() || writes() {
        Ok(Some(object.clone().unbind()))
    } else {
        let text = "python object must be callable or have a callable write method";
        Err(type_error(Mistake::Type, text))
    }
}

/// The mode of each kind of floating-point error, by its name. Local.
///
/// Returns
/// -------
/// dict
///
/// Raises
/// ------
/// None
///     Nothing is raised.
#[pyfunction]
pub fn geterr(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let modes = PyDict::new(py);
    for (name, mode) in KINDS.iter().zip(CURRENT.get()) {
        let words = MODES.iter().find(|(_, known)| *known == mode).map(|(words, _)| *words);
        modes.set_item(name, words)?;
    }
    Ok(modes)
}

/// Runs a conversion by NumPy with the modes of the thread.
pub fn in_numpy<T>(py: Python<'_>, convert: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let modes = geterr(py)?;
    modes.set_item("call", geterrcall(py))?;
    let state = py.import("numpy")?.getattr("errstate")?.call((), Some(&modes))?;
    state.call_method0("__enter__")?;
    let converted = convert();
    state.call_method1("__exit__", (py.None(), py.None(), py.None()))?;
    converted
}

/// Sets the modes of floating-point errors on this thread.
///
/// Parameters
/// ----------
/// all : str, optional
///     The mode of every kind that is not named: ``ignore`` (the initial mode), ``warn``,
///     ``raise``, ``call``, ``print`` or ``log``.
/// divide, over, under, invalid : str, optional
///     The mode of this kind. ``under`` (underflow) is never detected.
///
/// Returns
/// -------
/// dict
///     The previous modes, as `geterr` returns them.
///
/// Raises
/// ------
/// ValueError
///     The mode is unknown.
///
/// Notes
/// -----
/// Local.
#[pyfunction]
#[pyo3(signature = (all=None, divide=None, over=None, under=None, invalid=None))]
pub fn seterr<'py>(
    py: Python<'py>,
    all: Option<Bound<'py, PyAny>>,
    divide: Option<Bound<'py, PyAny>>,
    over: Option<Bound<'py, PyAny>>,
    under: Option<Bound<'py, PyAny>>,
    invalid: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let named = [all, divide, over, under, invalid].into_iter();
    let names = ["all", "divide", "over", "under", "invalid"];
    let given = names.iter().zip(named).filter_map(|(name, mode)| Some((name.to_string(), mode?)));
    let modes = modes_of("seterr()", given)?;
    let before = geterr(py)?;
    change(modes);
    Ok(before)
}

/// The callable, or the object with `write`, that receives floating-point errors. Local.
///
/// Returns
/// -------
/// callable, object with `write`, or None
///
/// Raises
/// ------
/// None
///     Nothing is raised.
#[pyfunction]
pub fn geterrcall(py: Python<'_>) -> Option<Py<PyAny>> {
    CALLBACK.with_borrow(|callback| callback.as_deref().map(|one| one.clone_ref(py)))
}

fn set_callback(callback: Option<Rc<Py<PyAny>>>) -> Option<Rc<Py<PyAny>>> {
    let before = CALLBACK.replace(callback);
    apply();
    before
}

/// Sets the callable that receives errors of mode ``call``, or the object with `write` that
/// receives errors of mode ``log``. Returns the previous one.
///
/// Parameters
/// ----------
/// func : callable, object with `write`, or None
///     A callable that takes the name of the error and its bits, or an object with `write`.
///
/// Returns
/// -------
/// callable, object with `write`, or None
///     The previous callable or object.
///
/// Raises
/// ------
/// TypeError
///     `func` is none of these.
///
/// Notes
/// -----
/// Local.
#[pyfunction]
pub fn seterrcall(func: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    let before = set_callback(callback_of(func)?.map(Rc::new));
    Ok(before.map(|callback| callback.clone_ref(func.py())))
}

/// A block, or decorator, that sets the modes of floating-point errors:
/// ``errstate(divide="raise")``.
///
/// The kinds are ``divide``, ``over``, ``under`` (never detected), ``invalid`` and ``all``; the
/// modes are ``ignore``, ``warn``, ``raise``, ``call``, ``print`` and ``log``. ``call=`` gives the
/// callable or the file for ``call`` and ``log``. Errors are reported when a value is observed, at
/// the latest when the block ends, with the line of the operation.
#[pyclass(name = "errstate", module = "phalanx", frozen)]
pub struct ErrState {
    modes: [Option<Mode>; 4],
    /// The new callback, if the block changes it.
    callback: Option<Option<Py<PyAny>>>,
    blocks: Blocks,
}

/// The function, each call of which runs inside a block.
fn decorated<'py>(
    block: &Bound<'py, PyAny>,
    function: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    block.py().import("phalanx._blocks")?.getattr("decorated")?.call1((block, function))
}

/// The settings before a block, and the scope of the block.
struct Before {
    modes: Modes,
    callback: Option<Rc<Py<PyAny>>>,
    scope: FloatingErrorScope,
}

#[pymethods]
impl ErrState {
    #[new]
    #[pyo3(signature = (**keywords))]
    fn new(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<ErrState> {
        let mut callback = None;
        let mut modes = Vec::new();
        for (key, value) in keywords.into_iter().flat_map(|keywords| keywords.iter()) {
            match key.extract::<String>()? {
                key if key == "call" => callback = Some(callback_of(&value)?),
                key => modes.push((key, value)),
            }
        }
        let modes = modes_of("errstate.__init__()", modes)?;
        Ok(ErrState { modes, callback, blocks: Blocks::default() })
    }

    fn __enter__(&self, py: Python<'_>) {
        let (modes, callback) = (CURRENT.get(), CALLBACK.with_borrow(Option::clone));
        let scope = FloatingErrorScope::begin(phalanx::floating_errors());
        self.blocks.enter(Before { modes, callback, scope });
        if let Some(callback) = &self.callback {
            drop(CALLBACK.replace(callback.as_ref().map(|one| Rc::new(one.clone_ref(py)))));
        }
        change(self.modes);
    }

    #[pyo3(signature = (kind, _value, _trace))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let before: Before = self.blocks.leave("errstate")?;
        CURRENT.set(before.modes);
        drop(CALLBACK.replace(before.callback));
        // A block that ends with an exception does not observe its floating-point errors.
        if kind.is_none() {
            let outcome = at_line(py, || before.scope.end());
            observed(py, outcome)?;
        }
        Ok(false)
    }

    /// The function, each call of which runs inside the block.
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        function: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        decorated(slf.as_any(), function)
    }
}

/// A block in which operations that may fail on their data do not wait for the check of the data.
/// The next observation raises the failure.
#[pyclass(name = "deferred_errors", module = "phalanx", frozen)]
pub struct DeferredErrors {
    blocks: Blocks,
}

#[pymethods]
impl DeferredErrors {
    #[new]
    fn new() -> DeferredErrors {
        DeferredErrors { blocks: Blocks::default() }
    }

    fn __enter__(&self) {
        self.blocks.enter(phalanx::DeferredErrors::begin());
    }

    #[pyo3(signature = (*_arguments))]
    fn __exit__(&self, _arguments: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.blocks.leave::<phalanx::DeferredErrors>("deferred_errors")?;
        Ok(false)
    }
}

/// A block in which operations have results with the same bits on any number of devices and
/// processes and for any sharding, as long as all devices are CPUs or all are GPUs. With ``False``,
/// a block in which they may differ in their last bits, although `PHALANX_REPRODUCIBLE` is set.
#[pyclass(name = "reproducible", module = "phalanx", frozen)]
pub struct Reproducible {
    enabled: bool,
    blocks: Blocks,
}

#[pymethods]
impl Reproducible {
    #[new]
    #[pyo3(signature = (enabled=true))]
    fn new(enabled: bool) -> Reproducible {
        Reproducible { enabled, blocks: Blocks::default() }
    }

    fn __enter__(&self) {
        self.blocks.enter(phalanx::Reproducible::begin(self.enabled));
    }

    #[pyo3(signature = (*_arguments))]
    fn __exit__(&self, _arguments: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.blocks.leave::<phalanx::Reproducible>("reproducible")?;
        Ok(false)
    }

    /// The function, each call of which runs inside the block.
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        function: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        decorated(slf.as_any(), function)
    }
}

/// Whether a matrix that cannot be factorised is an error on this thread. `checks` changes the
/// setting; the previous one is returned.
#[pyfunction(name = "_checks_matrices")]
#[pyo3(signature = (checks=None))]
pub fn checks_matrices(checks: Option<bool>) -> bool {
    let before = phalanx::linalg::checks_matrices();
    if let Some(checks) = checks {
        phalanx::linalg::check_matrices(checks);
    }
    before
}
