//! Floating-point errors: off unless a block of `errstate` asks for them.
//!
//! Inside such a block every elementwise operation records beside its result whether it met an
//! error, as 0-d arrays, which join its kernel. The end of the block reads them together, and warns
//! or raises with the line of the operation.

use crate::errors::{raised, value_error};
use crate::site::{at_line, here};
use phalanx::{Argument, Array, DType, Op, Site};
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::{Cell, RefCell};

/// What is done about a kind of error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Ignore,
    Warn,
    Raise,
}

/// The kinds of errors that are told apart, with NumPy's words.
const KINDS: [(&str, &str); 4] = [
    ("divide", "divide by zero encountered in"),
    ("over", "overflow encountered in"),
    ("under", "underflow encountered in"),
    ("invalid", "invalid value encountered in"),
];

/// An error that an operation may have met.
struct Check {
    kind: usize,
    mode: Mode,
    operation: &'static str,
    site: Site,
    met: Array,
}

thread_local! {
    static MODES: Cell<[Mode; 4]> = const { Cell::new([Mode::Ignore; 4]) };
    static CHECKS: RefCell<Vec<Check>> = const { RefCell::new(Vec::new()) };
}

/// Records what an operation met, if a block asks for it.
pub fn check(py: Python<'_>, op: Op, operands: &[Argument], result: &Array) {
    let modes = MODES.get();
    if !is_on() || !result.dtype().is_inexact() {
        return;
    }
    let site = here(py);
    at_line(py, || {
        let is = |op: Op, of: &Argument| Array::apply(op, &[as_operand(of, result.dtype())]);
        let all = |op: Op| {
            let each = operands.iter().map(|operand| is(op, operand));
            each.reduce(|a, b| a.logical_and(&b))
        };
        let note = |kind: usize, met: Array| {
            let check =
                Check { kind, mode: modes[kind], operation: op.name(), site, met: met.any(()) };
            CHECKS.with_borrow_mut(|checks| checks.push(check));
        };
        // An infinity of finite operands: of division, and of logarithms of zero, or too large.
        let finite = all(Op::Isfinite);
        let divides = matches!(
            op,
            Op::Divide
                | Op::FloorDivide
                | Op::Remainder
                | Op::Fmod
                | Op::Reciprocal
                | Op::Log
                | Op::Log2
                | Op::Log10
                | Op::Log1p
                | Op::Arctanh
        );
        let infinite = if divides { 0 } else { 1 };
        if let Some(finite) = &finite
            && modes[infinite] != Mode::Ignore
        {
            note(infinite, result.isinf().logical_and(finite));
        }
        // A NaN of operands that are none.
        if modes[3] != Mode::Ignore {
            let nans = operands.iter().map(|operand| is(Op::Isnan, operand));
            if let Some(nans) = nans.reduce(|a, b| a.logical_or(&b)) {
                note(3, result.isnan().logical_and(nans.logical_not()));
            }
        }
    });
}

/// An operand to ask about: what cannot be other than finite stands for itself.
fn as_operand(operand: &Argument, dtype: DType) -> Argument {
    match operand {
        Argument::Array(array) if !array.dtype().is_inexact() => {
            Argument::Array(array.astype(dtype))
        }
        Argument::Weak(weak) => Argument::Scalar(phalanx::Scalar::from_weak(dtype, *weak)),
        other => other.clone(),
    }
}

fn modes_of(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<[Mode; 4]> {
    let mut modes = MODES.get();
    for (key, value) in keywords.into_iter().flat_map(|keywords| keywords.iter()) {
        let (key, text): (String, String) = (key.extract()?, value.extract()?);
        let mode = match text.as_str() {
            "ignore" => Mode::Ignore,
            "warn" => Mode::Warn,
            "raise" => Mode::Raise,
            other => {
                return Err(value_error(format!(
                    "errstate: {key} can be 'ignore', 'warn' or 'raise', not '{other}'"
                )));
            }
        };
        match KINDS.iter().position(|(name, _)| *name == key) {
            Some(kind) => modes[kind] = mode,
            None if key == "all" => modes = [mode; 4],
            None => {
                let text = format!("errstate() got an unexpected keyword argument '{key}'");
                return Err(crate::errors::type_error(text));
            }
        }
    }
    Ok(modes)
}

/// Whether a block looks for errors.
pub fn is_on() -> bool {
    MODES.get() != [Mode::Ignore; 4]
}

/// Tells what the operations after the first `before` met. Collective.
fn settle(py: Python<'_>, before: usize) -> PyResult<()> {
    let checks = CHECKS.with_borrow_mut(|checks| checks.split_off(before.min(checks.len())));
    for check in checks {
        let met = at_line(py, || check.met.item::<bool>()).map_err(|error| raised(py, &error))?;
        if !met {
            continue;
        }
        let text = format!("{} {}", KINDS[check.kind].1, check.operation);
        if check.mode == Mode::Raise {
            let text = format!("{text}\n  from    {}", check.site);
            return Err(pyo3::exceptions::PyFloatingPointError::new_err(text));
        }
        let warn = py.import("warnings")?.getattr("warn_explicit")?;
        let class = py.get_type::<PyRuntimeWarning>();
        warn.call1((text, class, check.site.file(), check.site.line()))?;
    }
    Ok(())
}

/// A block in which floating-point errors warn or raise: ``errstate(divide="raise")``.
///
/// The kinds are ``divide``, ``over``, ``under`` (never seen), ``invalid`` and ``all``; the modes
/// are ``ignore``, ``warn`` and ``raise``. They show when the block ends, with the line of the
/// operation.
#[pyclass(name = "errstate", module = "phalanx", unsendable)]
pub struct ErrState {
    modes: [Mode; 4],
    /// What was asked for before the block, and how many checks there were.
    before: Option<([Mode; 4], usize)>,
}

#[pymethods]
impl ErrState {
    #[new]
    #[pyo3(signature = (**keywords))]
    fn new(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<ErrState> {
        Ok(ErrState { modes: modes_of(keywords)?, before: None })
    }

    fn __enter__(&mut self) {
        let checks = CHECKS.with_borrow(Vec::len);
        self.before = Some((MODES.replace(self.modes), checks));
    }

    #[pyo3(signature = (kind, _value, _trace))]
    fn __exit__(
        &mut self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let (modes, before) = self.before.take().unwrap_or(([Mode::Ignore; 4], 0));
        MODES.set(modes);
        if !kind.is_none() {
            // The block ends otherwise; what it met is not asked for any more.
            CHECKS.with_borrow_mut(|checks| checks.truncate(before));
            return Ok(false);
        }
        settle(py, before)?;
        Ok(false)
    }
}

/// A block in which operations that may fail on their data do not wait to see whether they do; what
/// fails is raised by the next observation.
#[pyclass(name = "deferred_errors", module = "phalanx", unsendable)]
pub struct DeferredErrors {
    scope: Option<phalanx::DeferredErrors>,
}

#[pymethods]
impl DeferredErrors {
    #[new]
    fn new() -> DeferredErrors {
        DeferredErrors { scope: None }
    }

    fn __enter__(&mut self) {
        self.scope = Some(phalanx::DeferredErrors::begin());
    }

    #[pyo3(signature = (*_arguments))]
    fn __exit__(&mut self, _arguments: &Bound<'_, PyAny>) -> bool {
        self.scope = None;
        false
    }
}
