//! Floating-point errors: off unless `errstate` or `seterr` asks for them.
//!
//! `phalanx` looks for them and raises at the next observation what is to be raised. What it
//! reports, and its warnings about data, stand in a queue here until the observation, or the call,
//! has ended: filters of warnings and callbacks may raise exceptions.

use crate::blocks::Blocks;
use crate::errors::{raised, refused, runtime_warning, type_error, value_error};
use crate::mistakes::Mistake;
use crate::options::agreed;
use crate::site::at_line;
use phalanx::{
    Error, FloatingErrorMode, FloatingErrorReport, FloatingErrorScope, FloatingErrors, Warning,
};
use pyo3::exceptions::PyNameError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What is done about a kind of error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Ignore,
    Warn,
    Raise,
    Call,
    Print,
    Log,
}

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

/// A report or warning that the program has not received yet.
enum Notice {
    /// An error that an operation met, and what the program asked for about it.
    Error { mode: Mode, callback: Option<Rc<Py<PyAny>>>, report: FloatingErrorReport },
    /// A warning about data.
    Data(Warning),
}

thread_local! {
    static CURRENT: Cell<Modes> = const { Cell::new([Mode::Ignore; 4]) };
    static CALLBACK: RefCell<Option<Rc<Py<PyAny>>>> = const { RefCell::new(None) };
    static NOTICES: RefCell<Vec<Notice>> = const { RefCell::new(Vec::new()) };
}

/// Has warnings about data put into the queue.
pub fn listen() {
    phalanx::report_warnings(Some(|warning| {
        NOTICES.with_borrow_mut(|notices| notices.push(Notice::Data(warning)));
    }));
}

/// Tells `phalanx` what the thread does about errors now.
fn apply() {
    let (modes, callback) = (CURRENT.get(), CALLBACK.with_borrow(Option::clone));
    let report = move |report: &FloatingErrorReport| {
        let (mode, callback) = (modes[report.kind as usize], callback.clone());
        let notice = Notice::Error { mode, callback, report: *report };
        NOTICES.with_borrow_mut(|notices| notices.push(notice));
    };
    let of_phalanx = |mode| match mode {
        Mode::Ignore => FloatingErrorMode::Ignore,
        Mode::Raise => FloatingErrorMode::Raise,
        Mode::Warn | Mode::Call | Mode::Print | Mode::Log => FloatingErrorMode::Report,
    };
    let errors = FloatingErrors { modes: modes.map(of_phalanx), reporter: Some(Rc::new(report)) };
    phalanx::set_floating_errors(errors);
}

/// Tells the program what stands in the queue.
pub fn settle(py: Python<'_>) -> PyResult<()> {
    if NOTICES.with_borrow(Vec::is_empty) {
        return Ok(());
    }
    let mut notices = NOTICES.take().into_iter();
    while let Some(notice) = notices.next() {
        let told = match notice {
            Notice::Data(warning) => runtime_warning(py, warning.text, warning.site),
            Notice::Error { mode, callback, report } => act(py, mode, callback.as_deref(), &report),
        };
        if told.is_err() {
            // The others come next: a filter that makes warnings errors may be the program's.
            NOTICES.with_borrow_mut(|rest| drop(rest.splice(..0, notices)));
            return told;
        }
    }
    Ok(())
}

/// What an observation gives, after the program has been told what stands in the queue: that is
/// of earlier operations than an error.
pub fn observed<R>(py: Python<'_>, outcome: Result<R, Error>) -> PyResult<R> {
    settle(py)?;
    outcome.map_err(|error| raised(py, &error))
}

/// Does what is asked for about an error that an operation met.
fn act(
    py: Python<'_>,
    mode: Mode,
    callback: Option<&Py<PyAny>>,
    report: &FloatingErrorReport,
) -> PyResult<()> {
    let (words, operation) = (report.kind.words(), report.operation);
    let text = format!("{words} encountered in {operation}");
    match mode {
        Mode::Ignore | Mode::Raise => Ok(()),
        Mode::Warn => runtime_warning(py, &text, report.site),
        Mode::Print => {
            let errors = py.import("sys")?.getattr("stderr")?;
            errors.call_method1("write", (format!("Warning: {text}\n"),)).map(drop)
        }
        Mode::Call => match callback {
            Some(callback) => agreed(py, callback.call1(py, (words, report.bits))).map(drop),
            None => Err(refused::<PyNameError>(
                Mistake::Together,
                format!(
                    "python callback specified for {words} (in {operation}) but no function found."
                ),
            )),
        },
        Mode::Log => {
            let write = callback.and_then(|log| log.getattr(py, "write").ok());
            let Some(write) = write else {
                return Err(refused::<PyNameError>(
                    Mistake::Together,
                    format!(
                        "log specified for {words} (in {operation}) but no object with write \
                         method found."
                    ),
                ));
            };
            agreed(py, write.call1(py, (format!("Warning: {text}\n"),))).map(drop)
        }
    }
}

/// The modes that keywords name; None where they name none.
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

/// What `seterrcall` and `errstate` take: something to call, or to write to.
fn callback_of(object: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    let writes = || object.getattr("write").is_ok_and(|write| write.is_callable());
    match () {
        () if object.is_none() => Ok(None),
        () if object.is_callable() || writes() => Ok(Some(object.clone().unbind())),
        () => Err(type_error(
            Mistake::Type,
            "python object must be callable or have a callable write method",
        )),
    }
}

/// What is done about each kind of floating-point error, by its name. Local.
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

/// Says what is done about floating-point errors on this thread from now on.
///
/// Parameters
/// ----------
/// all : str, optional
///     What is done about every kind that is not named: ``ignore`` (as a program begins),
///     ``warn``, ``raise``, ``call``, ``print`` or ``log``.
/// divide, over, under, invalid : str, optional
///     What is done about this kind. ``under`` is never seen.
///
/// Returns
/// -------
/// dict
///     What was done before, as `geterr` gives it.
///
/// Raises
/// ------
/// ValueError
///     There is no such mode.
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

/// What is called, or written to, about floating-point errors. Local.
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

/// Says what is called about errors whose mode is ``call``, with their name and bits, or written to
/// where it is ``log``; returns what was before.
///
/// Parameters
/// ----------
/// func : callable, object with `write`, or None
///     What is called with the name and the bits, or written to.
///
/// Returns
/// -------
/// callable, object with `write`, or None
///     What was there before.
///
/// Raises
/// ------
/// ValueError
///     It is nothing of these.
///
/// Notes
/// -----
/// Local.
#[pyfunction]
pub fn seterrcall(func: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    let before = set_callback(callback_of(func)?.map(Rc::new));
    Ok(before.map(|callback| callback.clone_ref(func.py())))
}

/// A block, or decorator, in which something is done about floating-point errors:
/// ``errstate(divide="raise")``.
///
/// The kinds are ``divide``, ``over``, ``under`` (never seen), ``invalid`` and ``all``; the modes
/// are ``ignore``, ``warn``, ``raise``, ``call``, ``print`` and ``log``, with ``call=`` for the
/// function or file of the last ones. What was met is told when a value is observed, at the latest
/// when the block ends, with the line of the operation.
#[pyclass(name = "errstate", module = "phalanx", frozen)]
pub struct ErrState {
    modes: [Option<Mode>; 4],
    /// What is called, if that changes.
    callback: Option<Option<Py<PyAny>>>,
    blocks: Blocks,
}

/// What was before a block, and the scope of the block.
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
        // A block that an exception ends asks no more for what it met.
        if kind.is_none() {
            let outcome = at_line(py, || before.scope.end());
            observed(py, outcome)?;
        }
        Ok(false)
    }

    /// The function with each of its calls inside of the block.
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        function: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("phalanx._blocks")?.getattr("decorated")?.call1((slf, function))
    }
}

/// A block in which operations that may fail on their data do not wait to see whether they do; what
/// fails is raised by the next observation.
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

/// Whether a matrix that cannot be factorised is an error on this thread; `checks` says it from now
/// on.
#[pyfunction(name = "_checks_matrices")]
#[pyo3(signature = (checks=None))]
pub fn checks_matrices(checks: Option<bool>) -> bool {
    let before = phalanx::linalg::checks_matrices();
    if let Some(checks) = checks {
        phalanx::linalg::check_matrices(checks);
    }
    before
}
