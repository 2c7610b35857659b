//! The conditions under which operations meet floating-point errors, recorded with their results.

use super::checks::{Met, meet, note};
use super::state::{FloatingErrorKind as Kind, is_on, looks_for};
use crate::array::Argument;
use crate::array::Array;
use crate::reductions::Axes;
use phalanx_graph::{Error, Site, is_nested, within};
use phalanx_ops::{DType, Kind as DTypeKind, Op, Scalar, Weak};

/// Whether a call must be checked: the user made it, not another function of this crate.
pub(crate) fn looks() -> bool {
    is_on() && !is_nested()
}

/// Records the errors that an elementwise operation with one or two results met where the mask
/// holds.
pub(crate) fn check_elementwise(
    operation: &'static str,
    operands: &[Argument],
    results: &[(Op, &Array)],
    mask: Option<&Array>,
    site: Site,
) {
    if !looks() || results.iter().any(|(_, result)| result.ok().is_err()) {
        return;
    }
    let met = within(site, || {
        let mut met = Met::new();
        for (op, result) in results {
            let found = if result.dtype().is_inexact() {
                of_floats(*op, operands, result)
            } else {
                of_integers(*op, operands, result)
            };
            for (kind, array) in found {
                let array = mask.map_or(array.clone(), |mask| array.logical_and(mask)).any(());
                match met.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, known)) => *known = known.logical_or(&array),
                    None => met.push((kind, array)),
                }
            }
        }
        met
    });
    note(operation, met, site);
}

/// Records the errors that a reduction over axes met. An infinite result is an error of the kind
/// `infinite`.
pub(crate) fn check_reduction(
    array: &Array,
    axes: &Axes,
    result: &Array,
    infinite: Kind,
    site: Site,
) {
    let reduction = Combination { operation: "reduce", array, axes: axes.clone(), infinite };
    reduction.check(result, site);
}

/// Records the errors that a scan or a `reduceat` met.
pub(crate) fn check_scan(operation: &'static str, array: &Array, result: &Array, site: Site) {
    let scan = Combination { operation, array, axes: ().into(), infinite: Kind::Over };
    scan.check(result, site);
}

/// The kind of error of an infinite result of finite operands.
pub(crate) fn kind_of_infinity(op: Op) -> Kind {
    if divides(op) { Kind::Divide } else { Kind::Over }
}

/// A combination of the elements of an array over axes.
struct Combination<'a> {
    operation: &'static str,
    array: &'a Array,
    axes: Axes,
    infinite: Kind,
}

impl Combination<'_> {
    fn check(&self, result: &Array, site: Site) {
        if !looks() || result.ok().is_err() || !result.dtype().is_inexact() {
            return;
        }
        let (initial, mask) = (self.axes.has_initial(), self.axes.has_mask());
        // An initial value that is infinite or NaN accounts for such a result, which then is no
        // error.
        let (mut is_finite, mut is_number) = (true, true);
        match initial {
            None => {}
            Some(Argument::Array(_)) => (is_finite, is_number) = (false, false),
            Some(Argument::Scalar(scalar)) => {
                is_finite = both(*scalar, f64::is_finite);
                is_number = both(*scalar, |number| !number.is_nan());
            }
            Some(Argument::Weak(weak)) => {
                is_finite = both_of(*weak, f64::is_finite);
                is_number = both_of(*weak, |number| !number.is_nan());
            }
        }
        let axes = self.axes.plain();
        let met = within(site, || {
            let mut met = Met::new();
            if is_finite && looks_for(self.infinite) {
                let beyond = counted(self.array.isfinite().logical_not(), mask);
                let finite = beyond.any(axes.clone()).logical_not();
                met.push((self.infinite, result.isinf().logical_and(finite).any(())));
            }
            if is_number && looks_for(Kind::Invalid) {
                let numbers = counted(self.array.isnan(), mask).any(axes).logical_not();
                met.push((Kind::Invalid, result.isnan().logical_and(numbers).any(())));
            }
            met
        });
        note(self.operation, met, site);
    }
}

/// Records the errors that a sum of products met, for a call that [`looks`]. Beside each operand
/// are the axes that the product sums over; an operand reduced over them broadcasts to the result.
pub(crate) fn check_product(
    operation: &'static str,
    operands: [(&Array, Axes); 2],
    result: &Array,
    site: Site,
) {
    if !result.dtype().is_inexact() {
        return;
    }
    // The elements of `found` whose terms fulfil no condition of their own.
    let alone = |found: Array, condition: fn(&Array) -> Array| {
        let inexact = operands.iter().filter(|(operand, _)| operand.dtype().is_inexact());
        inexact.fold(found, |found, (operand, axes)| {
            found.logical_and(condition(operand).any(axes.clone()).logical_not())
        })
    };
    let met = within(site, || {
        let mut met = Met::new();
        if looks_for(Kind::Over) {
            let over = alone(result.isinf(), |operand| operand.isfinite().logical_not());
            met.push((Kind::Over, over.any(())));
        }
        if looks_for(Kind::Invalid) {
            let invalid = alone(result.isnan(), Array::isnan);
            met.push((Kind::Invalid, invalid.any(())));
        }
        met
    });
    note(operation, met, site);
}

/// The condition, restricted to elements for which the mask holds.
fn counted(condition: Array, mask: Option<&Array>) -> Array {
    mask.map_or(condition.clone(), |mask| condition.logical_and(mask))
}

/// Records the errors that a cast met.
pub(crate) fn check_cast(array: &Array, result: &Array, site: Site) {
    if !looks() || array.ok().is_err() || result.ok().is_err() {
        return;
    }
    let (from, to) = (array.dtype(), result.dtype());
    if !from.is_inexact() || to == DType::Bool {
        return;
    }
    let met = within(site, || {
        let mut met = Met::new();
        if to.is_inexact() && to.size() < from.size() && looks_for(Kind::Over) {
            let over = result.isinf().logical_and(array.isfinite());
            met.push((Kind::Over, over.any(())));
        }
        if to.is_integer() && !from.is_complex() && looks_for(Kind::Invalid) {
            let (least, end) = range_of_cast(to);
            let whole = array.astype(DType::F64).trunc();
            let fits = whole.greater_equal(least).logical_and(whole.less(end));
            met.push((Kind::Invalid, fits.logical_not().any(())));
        }
        met
    });
    note("cast", met, site);
}

/// The least integer that a float is cast to without an error, and the first one beyond. Both are
/// powers of two, which `f64` represents exactly.
///
/// Source: NumPy on x86-64 casts to dtypes narrower than `u32` through `i32`, and to the others
/// through 64 bits. So a negative number wraps without an error in an unsigned dtype.
fn range_of_cast(to: DType) -> (f64, f64) {
    let is_narrow = to.size() < 4 || to == DType::I32;
    let least = -(2f64.powi(if is_narrow { 31 } else { 63 }));
    let has_sign = to.size() < 4 || to.kind() == DTypeKind::Signed;
    let bits = (to.size() as i32 * 8).max(32) - i32::from(has_sign);
    (least, 2f64.powi(bits))
}

/// The error that the cast of a number to this element met, of the kinds that the thread checks
/// for.
pub(crate) fn error_of_number(number: Weak, element: Scalar) -> Option<Kind> {
    let to = element.dtype();
    if to.is_inexact() {
        let is_over = looks_for(Kind::Over)
            && both_of(number, f64::is_finite)
            && !both(element, f64::is_finite);
        return is_over.then_some(Kind::Over);
    }
    let Weak::Float(number) = number else { return None };
    // NumPy casts few numbers to `u32` through 64 bits.
    let (least, end) = range_of_cast(if to == DType::U32 { DType::I64 } else { to });
    let is_invalid =
        to.is_integer() && looks_for(Kind::Invalid) && !(least..end).contains(&number.trunc());
    is_invalid.then_some(Kind::Invalid)
}

/// Takes the action for an error that the cast of a number to this element met. As in NumPy, an
/// error is returned before the element is written.
pub(crate) fn check_number(number: Weak, element: Scalar, site: Site) -> Result<(), Error> {
    error_of_number(number, element).map_or(Ok(()), |kind| meet("cast", kind, site))
}

/// The operand whose zeros are the poles of an operation: at a zero, an infinite result of finite
/// operands is a division by zero, and elsewhere an overflow.
fn pole(op: Op) -> Option<usize> {
    match op {
        Op::Power | Op::FloatPower | Op::Reciprocal => Some(0),
        Op::Divide | Op::FloorDivide => Some(1),
        _ => None,
    }
}

/// Whether an infinite result of finite operands can be a division by zero: for division, and for
/// logarithms of zero.
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
    let pole = pole(op).and_then(|place| operands.get(place)).map(is_zero);
    // The possible causes of an infinite result.
    let (divides, overflows) = match &pole {
        Some(Where::Array(_)) => (true, true),
        Some(Where::Everywhere) => (true, false),
        Some(Where::Nowhere) => (false, true),
        None => (divides(op), !divides(op)),
    };
    let (divides, overflows) =
        (divides && looks_for(Kind::Divide), overflows && looks_for(Kind::Over));
    // If a floor quotient overflows, the remainder, which NumPy computes too, is NaN.
    let is_nan_too = op == Op::FloorDivide && looks_for(Kind::Invalid);
    if (divides || overflows || is_nan_too)
        && let Some(finite) = where_all(operands, Op::Isfinite, f64::is_finite, result.dtype())
    {
        let found = finite.iter().fold(result.isinf(), |found, one| found.logical_and(one));
        match pole {
            Some(Where::Array(zero)) => {
                if divides {
                    met.push((Kind::Divide, found.logical_and(&zero)));
                }
                let over = found.logical_and(zero.logical_not());
                met.extend(is_nan_too.then(|| (Kind::Invalid, over.clone())));
                if overflows {
                    met.push((Kind::Over, over));
                }
            }
            Some(Where::Everywhere) => met.extend(divides.then_some((Kind::Divide, found))),
            Some(Where::Nowhere) => {
                met.extend(is_nan_too.then(|| (Kind::Invalid, found.clone())));
                met.extend(overflows.then_some((Kind::Over, found)));
            }
            None if divides => met.push((Kind::Divide, found)),
            None => met.push((Kind::Over, found)),
        }
    }
    // NaN results of operands that are not NaN; the spacing of an infinity is NaN by definition.
    if looks_for(Kind::Invalid)
        && op != Op::Spacing
        && let Some(numbers) =
            where_all(operands, Op::Isnan, |number| !number.is_nan(), result.dtype())
    {
        let invalid =
            numbers.iter().fold(result.isnan(), |found, one| found.logical_and(one.logical_not()));
        met.push((Kind::Invalid, invalid));
    }
    met
}

fn of_integers(op: Op, operands: &[Argument], result: &Array) -> Met {
    let divides = matches!(op, Op::FloorDivide | Op::Remainder | Op::Fmod);
    let Some(divisor) = operands.get(1).filter(|_| divides && looks_for(Kind::Divide)) else {
        return Met::new();
    };
    let met = match is_zero(divisor) {
        Where::Nowhere => return Met::new(),
        Where::Array(zero) => zero,
        Where::Everywhere => result.equal(result),
    };
    // Without elements nothing is divided.
    let divided = result.size() > 0;
    if divided { Met::from_iter([(Kind::Divide, met)]) } else { Met::new() }
}

/// The result of `op` for each array operand with inexact elements; `None` if `holds` is false for
/// a number among the operands, which the operation casts to `dtype`.
fn where_all(
    operands: &[Argument],
    op: Op,
    holds: fn(f64) -> bool,
    dtype: DType,
) -> Option<Vec<Array>> {
    let mut arrays = Vec::new();
    for operand in operands {
        match operand {
            Argument::Array(array) if array.dtype().is_inexact() => {
                arrays.push(Array::apply(op, &[Argument::Array(array.clone())]));
            }
            Argument::Array(_) => {}
            Argument::Scalar(scalar) if !both(*scalar, holds) => return None,
            Argument::Weak(weak) if !both(Scalar::from_weak(dtype, *weak), holds) => return None,
            Argument::Scalar(_) | Argument::Weak(_) => {}
        }
    }
    Some(arrays)
}

fn both(scalar: Scalar, holds: fn(f64) -> bool) -> bool {
    both_of(scalar.to_weak(), holds)
}

/// Whether `holds` is true for both parts of a number.
fn both_of(weak: Weak, holds: fn(f64) -> bool) -> bool {
    match weak {
        Weak::Bool(_) | Weak::Int(_) => true,
        Weak::Large(number) | Weak::Float(number) => holds(number),
        Weak::Complex(number) => holds(number.re) && holds(number.im),
    }
}

/// The elements at which an operand is zero.
enum Where {
    Nowhere,
    Everywhere,
    Array(Array),
}

fn is_zero(operand: &Argument) -> Where {
    let of = |weak: Weak| match weak {
        Weak::Bool(truth) => !truth,
        Weak::Int(number) => number == 0,
        Weak::Large(_) => false,
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
