//! Which floating-point errors operations meet: conditions that are recorded beside results.

use crate::arguments::Arguments;
use crate::errstate::{ErrorKind, is_on, looks_for, note};
use crate::site::{at_line, here};
use phalanx::{Argument, Array, DType, Kind, Op, Scalar, Weak};
use pyo3::prelude::*;
use smallvec::SmallVec;

type Met = SmallVec<[(ErrorKind, Array); 2]>;

/// Notes what an elementwise operation, of one or two results, met, if that is asked for.
pub fn check(py: Python<'_>, name: &'static str, operands: &[Argument], results: &[(Op, &Array)]) {
    if !is_on() || results.iter().any(|(_, result)| result.ok().is_err()) {
        return;
    }
    let met = at_line(py, || {
        let mut met = Met::new();
        for (op, result) in results {
            let found = match result.dtype().is_inexact() {
                true => of_floats(*op, operands, result),
                false => of_integers(*op, operands, result),
            };
            for (kind, array) in found {
                match met.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, known)) => *known = known.logical_or(&array),
                    None => met.push((kind, array)),
                }
            }
        }
        met
    });
    if !met.is_empty() {
        note(py, name, here(py), met);
    }
}

/// Notes what a reduction met: `finite` and `numbers` say of which results all operands are finite,
/// and numbers.
fn check_combined(
    py: Python<'_>,
    name: &'static str,
    result: &Array,
    finite: impl FnOnce() -> Array,
    numbers: impl FnOnce() -> Array,
) {
    let met = at_line(py, || {
        let mut met = Met::new();
        if looks_for(ErrorKind::Over) {
            met.push((ErrorKind::Over, result.isinf().logical_and(finite()).any(())));
        }
        if looks_for(ErrorKind::Invalid) {
            met.push((ErrorKind::Invalid, result.isnan().logical_and(numbers()).any(())));
        }
        met
    });
    note(py, name, here(py), met);
}

impl Arguments<'_, '_> {
    /// Notes what a reduction of the parameter `a`, or of `name`, met, if that is asked for.
    pub fn check_reduced(&self, name: &str, result: &Array) -> PyResult<()> {
        if !is_on() || !result.dtype().is_inexact() || result.ok().is_err() {
            return Ok(());
        }
        let (array, finite, numbers) = (self.array(name)?, self.axes()?, self.axes()?);
        let all_finite = || array.isfinite().all(finite);
        let all_numbers = || array.isnan().any(numbers).logical_not();
        check_combined(self.py(), "reduce", result, all_finite, all_numbers);
        Ok(())
    }
}

/// Notes what a running combination met, if that is asked for.
pub fn check_scan(py: Python<'_>, array: &Array, result: &Array) {
    if is_on() && result.dtype().is_inexact() && result.ok().is_ok() {
        let all_finite = || array.isfinite().all(());
        let all_numbers = || array.isnan().any(()).logical_not();
        check_combined(py, "accumulate", result, all_finite, all_numbers);
    }
}

/// Notes what a cast met, if that is asked for.
pub fn check_cast(py: Python<'_>, array: &Array, result: &Array) {
    let (from, to) = (array.dtype(), result.dtype());
    if !is_on() || !from.is_inexact() || to == DType::Bool || result.ok().is_err() {
        return;
    }
    let met = at_line(py, || {
        let mut met = Met::new();
        if to.is_inexact() && to.size() < from.size() && looks_for(ErrorKind::Over) {
            let over = result.isinf().logical_and(array.isfinite());
            met.push((ErrorKind::Over, over.any(())));
        }
        if to.is_integer() && !from.is_complex() && looks_for(ErrorKind::Invalid) {
            // Both bounds are powers of two, or 0, which every float has.
            let bits = to.size() as i32 * 8;
            let (least, end) = match to.kind() == Kind::Signed {
                true => (-(2f64.powi(bits - 1)), 2f64.powi(bits - 1)),
                false => (0.0, 2f64.powi(bits)),
            };
            let whole = array.astype(DType::F64).trunc();
            let fits = whole.greater_equal(least).logical_and(whole.less(end));
            met.push((ErrorKind::Invalid, fits.logical_not().any(())));
        }
        met
    });
    if !met.is_empty() {
        note(py, "cast", here(py), met);
    }
}

/// Whether an infinity of finite operands is a division by zero: of division, and of logarithms of
/// zero.
fn divides(op: Op) -> bool {
    matches!(
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
    )
}

fn of_floats(op: Op, operands: &[Argument], result: &Array) -> Met {
    let mut met = Met::new();
    let overflows = looks_for(ErrorKind::Over);
    let infinite = if divides(op) { ErrorKind::Divide } else { ErrorKind::Over };
    let is_power = matches!(op, Op::Power | Op::FloatPower);
    let of_zero = is_power && looks_for(ErrorKind::Divide);
    if (looks_for(infinite) || of_zero)
        && let Some(finite) = where_all(operands, Op::Isfinite, f64::is_finite)
    {
        let found = finite.iter().fold(result.isinf(), |found, one| found.logical_and(one));
        let base = operands.first().map(is_zero);
        match base.filter(|_| is_power) {
            Some(Where::Array(zero)) => {
                if of_zero {
                    met.push((ErrorKind::Divide, found.logical_and(&zero).any(())));
                }
                if overflows {
                    met.push((ErrorKind::Over, found.logical_and(zero.logical_not()).any(())));
                }
            }
            Some(Where::Everywhere) if of_zero => met.push((ErrorKind::Divide, found.any(()))),
            Some(Where::Everywhere) => {}
            Some(Where::Nowhere) | None if looks_for(infinite) => {
                met.push((infinite, found.any(())));
            }
            Some(Where::Nowhere) | None => {}
        }
    }
    // A NaN of operands that are none.
    if looks_for(ErrorKind::Invalid)
        && let Some(numbers) = where_all(operands, Op::Isnan, |number| !number.is_nan())
    {
        let invalid =
            numbers.iter().fold(result.isnan(), |found, one| found.logical_and(one.logical_not()));
        met.push((ErrorKind::Invalid, invalid.any(())));
    }
    met
}

fn of_integers(op: Op, operands: &[Argument], result: &Array) -> Met {
    let divides = matches!(op, Op::FloorDivide | Op::Remainder | Op::Fmod);
    let Some(divisor) = operands.get(1).filter(|_| divides && looks_for(ErrorKind::Divide)) else {
        return Met::new();
    };
    let met = match is_zero(divisor) {
        Where::Nowhere => return Met::new(),
        Where::Array(zero) => zero,
        Where::Everywhere => result.equal(result),
    };
    // A divisor divides nothing where there is nothing to divide.
    let divided = result.size() > 0;
    if divided { Met::from_iter([(ErrorKind::Divide, met.any(()))]) } else { Met::new() }
}

/// For each array among the operands that may have other elements, what `op` says of them; `None`
/// if a number among them is none that `holds` for.
fn where_all(operands: &[Argument], op: Op, holds: fn(f64) -> bool) -> Option<Vec<Array>> {
    let mut arrays = Vec::new();
    for operand in operands {
        match operand {
            Argument::Array(array) if array.dtype().is_inexact() => {
                arrays.push(Array::apply(op, &[Argument::Array(array.clone())]));
            }
            Argument::Array(_) => {}
            Argument::Scalar(scalar) if !both(*scalar, holds) => return None,
            Argument::Weak(weak) if !both_of(*weak, holds) => return None,
            Argument::Scalar(_) | Argument::Weak(_) => {}
        }
    }
    Some(arrays)
}

fn both(scalar: Scalar, holds: fn(f64) -> bool) -> bool {
    both_of(scalar.to_weak(), holds)
}

/// Whether something holds for both parts of a number.
fn both_of(weak: Weak, holds: fn(f64) -> bool) -> bool {
    match weak {
        Weak::Bool(_) | Weak::Int(_) => true,
        Weak::Float(number) => holds(number),
        Weak::Complex(number) => holds(number.re) && holds(number.im),
    }
}

/// Where an operand is zero.
enum Where {
    Nowhere,
    Everywhere,
    Array(Array),
}

fn is_zero(operand: &Argument) -> Where {
    let of = |weak: Weak| match weak {
        Weak::Bool(truth) => !truth,
        Weak::Int(number) => number == 0,
        Weak::Float(number) => number == 0.0,
        Weak::Complex(number) => number.re == 0.0 && number.im == 0.0,
    };
    let is_zero = match operand {
        Argument::Array(array) => return Where::Array(array.logical_not()),
        Argument::Scalar(scalar) => of(scalar.to_weak()),
        Argument::Weak(weak) => of(*weak),
    };
    if is_zero { Where::Everywhere } else { Where::Nowhere }
}
