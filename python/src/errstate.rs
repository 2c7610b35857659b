//! Floating-point errors: off unless `errstate` or `seterr` asks for them.
//!
//! An operation that is asked about records beside its result whether it met an error
//! (`errors_met`), as 0-d arrays, which join its kernel. They are read when a value is observed or
//! the block of `errstate` ends; then it is told, with the line of the operation, what was met.

use crate::blocks::Blocks;
use crate::errors::{raised, refused, runtime_warning, type_error, value_error};
use crate::mistakes::Mistake;
use crate::options::agreed;
use crate::site::at_line;
use phalanx::{Array, Site};
use pyo3::exceptions::{PyFloatingPointError, PyNameError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};

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

/// A kind of error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// A division by zero.
    Divide,
    /// A result too large.
    Over,
    /// A result too small; never seen.
    Under,
    /// A result that is no number.
    Invalid,
}

/// The kinds in NumPy's order, whose bits in what callbacks are given ascend, with their keywords
/// and NumPy's words.
const KINDS: [(ErrorKind, &str, &str); 4] = [
    (ErrorKind::Divide, "divide", "divide by zero"),
    (ErrorKind::Over, "over", "overflow"),
    (ErrorKind::Under, "under", "underflow"),
    (ErrorKind::Invalid, "invalid", "invalid value"),
];

type Modes = [Mode; 4];

/// What an operation may have met.
struct Check {
    /// Ascends with the program.
    number: u64,
    modes: Modes,
    callback: Option<Py<PyAny>>,
    operation: &'static str,
    site: Site,
    met: SmallVec<[(ErrorKind, Array); 2]>,
    /// The text of a warning that `errstate` has no say in.
    warning: Option<&'static str>,
}

/// How many warnings about data are waited for, of which the oldest are dropped.
const MOST_WARNINGS: usize = 1024;

thread_local! {
    static CURRENT: Cell<Modes> = const { Cell::new([Mode::Ignore; 4]) };
    static CALLBACK: RefCell<Option<Py<PyAny>>> = const { RefCell::new(None) };
    static CHECKS: RefCell<Vec<Check>> = const { RefCell::new(Vec::new()) };
    /// The number of the next check.
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// Whether errors are looked for.
pub fn is_on() -> bool {
    CURRENT.get() != [Mode::Ignore; 4]
}

/// Whether errors of a kind are looked for.
pub fn looks_for(kind: ErrorKind) -> bool {
    CURRENT.get()[kind as usize] != Mode::Ignore
}

/// Notes where an operation met errors.
pub fn note(
    py: Python<'_>,
    operation: &'static str,
    site: Site,
    met: SmallVec<[(ErrorKind, Array); 2]>,
) {
    let (number, modes) = (NEXT.get(), CURRENT.get());
    NEXT.set(number + 1);
    let callback = CALLBACK.with_borrow(|callback| callback.as_ref().map(|one| one.clone_ref(py)));
    let check = Check { number, modes, callback, operation, site, met, warning: None };
    CHECKS.with_borrow_mut(|checks| checks.push(check));
}

/// Warns, where a value is next observed, if a 0-d array of bool holds then.
pub fn warn_where(
    py: Python<'_>,
    text: &'static str,
    site: Site,
    condition: Array,
) -> PyResult<()> {
    // What no process waits for is told as soon as it is known.
    observed(py, false)?;
    let (number, modes) = (NEXT.get(), CURRENT.get());
    NEXT.set(number + 1);
    let met = SmallVec::from_iter([(ErrorKind::Invalid, condition)]);
    let (callback, operation, warning) = (None, "", Some(text));
    let check = Check { number, modes, callback, operation, site, met, warning };
    CHECKS.with_borrow_mut(|checks| {
        checks.push(check);
        let count = checks.iter().filter(|check| check.warning.is_some()).count();
        if count > MOST_WARNINGS
            && let Some(oldest) = checks.iter().position(|check| check.warning.is_some())
        {
            checks.remove(oldest);
        }
    });
    Ok(())
}

/// Tells what was met by the operations that have been computed. `is_collective` says that all
/// processes do this here.
pub fn observed(py: Python<'_>, is_collective: bool) -> PyResult<()> {
    if CHECKS.with_borrow(Vec::is_empty) || !(is_collective || phalanx::size() == 1) {
        return Ok(());
    }
    let known = CHECKS.with_borrow_mut(|checks| {
        let is_pending = |check: &Check| check.met.iter().any(|(_, met)| met.is_pending());
        let count = checks.iter().position(is_pending).unwrap_or(checks.len());
        checks.drain(..count).collect()
    });
    tell(py, known)
}

/// The checks from a number on, which are no longer asked for.
fn taken(from: u64) -> Vec<Check> {
    CHECKS.with_borrow_mut(|checks| {
        let place = checks.iter().position(|check| check.number >= from);
        checks.split_off(place.unwrap_or(checks.len()))
    })
}

/// Tells what operations met. Collective if a check is pending.
fn tell(py: Python<'_>, checks: Vec<Check>) -> PyResult<()> {
    for check in checks {
        let mut met: SmallVec<[ErrorKind; 2]> = SmallVec::new();
        for (kind, array) in &check.met {
            if at_line(py, || array.item::<bool>()).map_err(|error| raised(py, &error))? {
                met.push(*kind);
            }
        }
        let bits: i64 = met.iter().map(|kind| 1 << *kind as i64).sum();
        for kind in met {
            act(py, &check, kind, bits)?;
        }
    }
    Ok(())
}

/// Does what is asked for about an error that an operation met.
fn act(py: Python<'_>, check: &Check, kind: ErrorKind, bits: i64) -> PyResult<()> {
    if let Some(text) = check.warning {
        return runtime_warning(py, text, check.site);
    }
    let (words, operation) = (KINDS[kind as usize].2, check.operation);
    let text = format!("{words} encountered in {operation}");
    match check.modes[kind as usize] {
        Mode::Ignore => Ok(()),
        Mode::Raise => {
            let text = format!("{text}\n  from    {}", check.site);
            Err(refused::<PyFloatingPointError>(Mistake::Floating, text))
        }
        Mode::Warn => runtime_warning(py, &text, check.site),
        Mode::Print => {
            let errors = py.import("sys")?.getattr("stderr")?;
            errors.call_method1("write", (format!("Warning: {text}\n"),)).map(drop)
        }
        Mode::Call => match &check.callback {
            Some(callback) => agreed(py, callback.call1(py, (words, bits))).map(drop),
            None => Err(refused::<PyNameError>(
                Mistake::Together,
                format!(
                    "python callback specified for {words} (in {operation}) but no function found."
                ),
            )),
        },
        Mode::Log => {
            let write = check.callback.as_ref().and_then(|log| log.getattr(py, "write").ok());
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
        match KINDS.iter().position(|(_, name, _)| *name == key) {
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
    for ((_, name, _), mode) in KINDS.iter().zip(CURRENT.get()) {
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
    CALLBACK.with_borrow(|callback| callback.as_ref().map(|one| one.clone_ref(py)))
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
    Ok(CALLBACK.replace(callback_of(func)?))
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

/// What was before a block.
struct Before {
    modes: Modes,
    callback: Option<Py<PyAny>>,
    number: u64,
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
        let (modes, callback, number) = (CURRENT.get(), geterrcall(py), NEXT.get());
        self.blocks.enter(Before { modes, callback, number });
        change(self.modes);
        if let Some(callback) = &self.callback {
            CALLBACK.set(callback.as_ref().map(|one| one.clone_ref(py)));
        }
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
        let checks = taken(before.number);
        // Where the block ends otherwise, what it met is not asked for any more.
        if kind.is_none() {
            tell(py, checks)?;
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
