//! Operators of C++ on values.

use super::stop::Stop;
use super::syntax::{Binary, Failure, Unary};
use super::types::Type;
use super::values::{Elements, Number, Value, ValueKind};
use crate::array::{Argument, Array};
use crate::math::select;
use crate::recording::try_elementwise;
use phalanx_graph::{Error, Site, within};
use phalanx_ops::{DType, Op};
use smallvec::SmallVec;

/// Where an operation stands: its line in the text, and the call of the kernel.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub line: u32,
    pub site: Site,
}

impl Place {
    pub fn refuse(self, what: impl Into<String>) -> Stop {
        Stop::Text(Failure::new(self.line, what))
    }
}

/// An operation of the table on values of a type. What is exact of known numbers is known.
pub(super) fn apply(op: Op, of: Type, values: &[&Value], place: Place) -> Result<Value, Error> {
    if let Some(known) = exact(op, of, values, place) {
        return Ok(known);
    }
    let mut arguments = SmallVec::<[Argument; 3]>::new();
    for value in values {
        arguments.push(value.argument(of, place.site)?);
    }
    Argument::make_one_an_array(&mut arguments);
    Ok(Value::array(try_elementwise(op, &arguments, place.site)?))
}

/// The result of an operation on known numbers of a type, if every device computes the same.
fn exact(op: Op, of: Type, values: &[&Value], place: Place) -> Option<Value> {
    let is_plain = of.is_integer() || matches!(of.0, DType::F32 | DType::F64);
    if !is_plain || values.iter().any(|value| value.known().is_none()) {
        return None;
    }
    let number = |value: &&Value| (*value).clone().converted(of, place.site).ok()?.known();
    let numbers: Option<SmallVec<[Number; 2]>> = values.iter().map(number).collect();
    match *numbers?.as_slice() {
        [Number::Integer(a)] => match op {
            Op::Absolute => Some(Value::integer(a.abs(), of)),
            Op::BitwiseCount => {
                let count = a.unsigned_abs().count_ones();
                Some(Value::integer(count.into(), Type(DType::U8)))
            }
            _ => None,
        },
        [Number::Integer(a), Number::Integer(b)] => match op {
            Op::Minimum => Some(Value::integer(a.min(b), of)),
            Op::Maximum => Some(Value::integer(a.max(b), of)),
            _ => None,
        },
        [Number::Real(a)] => {
            let result = match op {
                Op::Absolute => a.abs(),
                Op::Floor => a.floor(),
                Op::Ceil => a.ceil(),
                Op::Trunc => a.trunc(),
                Op::Rint => a.round_ties_even(),
                // That of a float is a float after another rounding.
                Op::Sqrt => a.sqrt(),
                _ => return None,
            };
            Some(Value::real(result, of))
        }
        [Number::Real(a), Number::Real(b)] => match op {
            Op::Fmin if a != b => Some(Value::real(a.min(b), of)),
            Op::Fmax if a != b => Some(Value::real(a.max(b), of)),
            Op::Copysign => Some(Value::real(a.copysign(b), of)),
            _ => None,
        },
        _ => None,
    }
}

/// The value as a truth value.
pub(super) fn truth(value: Value, place: Place) -> Result<Value, Stop> {
    if value.of.is_complex() {
        return Err(place.refuse("a complex number is no condition"));
    }
    Ok(value.converted(Type::BOOL, place.site)?)
}

/// An operator of two operands.
pub(super) fn binary(by: Binary, a: Value, b: Value, place: Place) -> Result<Value, Stop> {
    let op = match by {
        Binary::Plain(op) => op,
        Binary::And | Binary::Or => return logical(by == Binary::Or, a, b, place),
    };
    let is_bitwise = matches!(
        op,
        Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor | Op::LeftShift | Op::RightShift | Op::Fmod
    );
    if is_bitwise && !(is_whole(a.of) && is_whole(b.of)) {
        return Err(place.refuse("both operands of this operator must be integers"));
    }
    let of = match op {
        Op::LeftShift | Op::RightShift => a.of.promoted(),
        _ => a.of.common(b.of),
    };
    if op.is_comparison() && of.is_complex() && !matches!(op, Op::Equal | Op::NotEqual) {
        return Err(place.refuse("complex numbers have no order"));
    }
    let line = line(op, of, &a, &b);
    let (a, b) = (a.converted(of, place.site)?, b.converted(of, place.site)?);
    if let (Some(a), Some(b)) = (a.known(), b.known())
        && !of.is_complex()
    {
        return folded(op, of, a, b, place);
    }
    if op == Op::Divide && of.is_integer() {
        return Ok(quotient(of, &a, &b, place)?);
    }
    let mut value = apply(op, of, &[&a, &b], place)?;
    if let ValueKind::Elements(elements) = &mut value.kind {
        elements.line = line;
    }
    Ok(value)
}

fn is_whole(of: Type) -> bool {
    of.is_integer() || of == Type::BOOL
}

/// The result as a line, if the operands are lines of this type and it is one.
fn line(op: Op, of: Type, a: &Value, b: &Value) -> Option<(i64, i64)> {
    let ((a, b), Type::LONG) = ((a.line()?, b.line()?), of) else { return None };
    match op {
        Op::Add => Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)),
        Op::Subtract => Some((a.0.checked_sub(b.0)?, a.1.checked_sub(b.1)?)),
        Op::Multiply if a.0 == 0 => Some((b.0.checked_mul(a.1)?, b.1.checked_mul(a.1)?)),
        Op::Multiply if b.0 == 0 => Some((a.0.checked_mul(b.1)?, a.1.checked_mul(b.1)?)),
        _ => None,
    }
}

/// The quotient of integers, rounded towards zero.
fn quotient(of: Type, a: &Value, b: &Value, place: Place) -> Result<Value, Error> {
    let rest = apply(Op::Fmod, of, &[a, b], place)?;
    let multiple = apply(Op::Subtract, of, &[a, &rest], place)?;
    apply(Op::FloorDivide, of, &[&multiple, b], place)
}

/// `&&`, or `||` if `is_or`.
fn logical(is_or: bool, a: Value, b: Value, place: Place) -> Result<Value, Stop> {
    let (a, b) = (truth(a, place)?, truth(b, place)?);
    for (known, other) in [(&a, &b), (&b, &a)] {
        if let Some(number) = known.known_integer() {
            return Ok(if (number != 0) == is_or { Value::bool(is_or) } else { other.clone() });
        }
    }
    let op = if is_or { Op::LogicalOr } else { Op::LogicalAnd };
    Ok(apply(op, Type::BOOL, &[&a, &b], place)?)
}

/// The result of an operator on numbers of a type.
fn folded(op: Op, of: Type, a: Number, b: Number, place: Place) -> Result<Value, Stop> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => Some(a.cmp(&b)),
        (Number::Real(a), Number::Real(b)) => a.partial_cmp(&b),
        _ => unreachable!("bug: numbers of one type are of one kind"),
    };
    let is = match op {
        Op::Equal => Some(order == Some(Equal)),
        Op::NotEqual => Some(order != Some(Equal)),
        Op::Less => Some(order == Some(Less)),
        Op::LessEqual => Some(matches!(order, Some(Less | Equal))),
        Op::Greater => Some(order == Some(Greater)),
        Op::GreaterEqual => Some(matches!(order, Some(Greater | Equal))),
        _ => None,
    };
    if let Some(is) = is {
        return Ok(Value::bool(is));
    }
    match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => {
            if b == 0 && matches!(op, Op::Divide | Op::Fmod) {
                return Err(place.refuse("an integer is divided by zero"));
            }
            let bits = 8 * of.0.size() as i128;
            if matches!(op, Op::LeftShift | Op::RightShift) && !(0..bits).contains(&b) {
                return Err(place.refuse(format!("a shift by {b} of {bits} bits")));
            }
            let number = match op {
                Op::Add => a + b,
                Op::Subtract => a - b,
                Op::Multiply => a.wrapping_mul(b),
                Op::Divide => a / b,
                Op::Fmod => a % b,
                Op::BitwiseAnd => a & b,
                Op::BitwiseOr => a | b,
                Op::BitwiseXor => a ^ b,
                Op::LeftShift => a << b,
                _ => a >> b,
            };
            Ok(Value::integer(number, of))
        }
        (Number::Real(a), Number::Real(b)) => {
            let number = match op {
                Op::Add => a + b,
                Op::Subtract => a - b,
                Op::Multiply => a * b,
                _ => a / b,
            };
            Ok(Value::real(number, of))
        }
        _ => unreachable!("bug: numbers of one type are of one kind"),
    }
}

/// An operator of one operand.
pub(super) fn unary(by: Unary, a: Value, place: Place) -> Result<Value, Stop> {
    let of = a.of.promoted();
    match by {
        Unary::Plus => Ok(a.converted(of, place.site)?),
        Unary::Not => {
            let a = truth(a, place)?;
            match a.known_integer() {
                Some(number) => Ok(Value::bool(number == 0)),
                None => Ok(apply(Op::LogicalNot, Type::BOOL, &[&a], place)?),
            }
        }
        Unary::Minus => {
            let line = a.line().filter(|_| of == Type::LONG);
            let a = a.converted(of, place.site)?;
            match a.known() {
                Some(Number::Integer(number)) => Ok(Value::integer(-number, of)),
                Some(Number::Real(number)) if !of.is_complex() => Ok(Value::real(-number, of)),
                _ => {
                    let mut value = apply(Op::Negative, of, &[&a], place)?;
                    if let ValueKind::Elements(elements) = &mut value.kind {
                        let negative = |(scale, offset): (i64, i64)| {
                            Some((scale.checked_neg()?, offset.checked_neg()?))
                        };
                        elements.line = line.and_then(negative);
                    }
                    Ok(value)
                }
            }
        }
        Unary::Invert if !is_whole(a.of) => Err(place.refuse("`~` takes an integer")),
        Unary::Invert => {
            let a = a.converted(of, place.site)?;
            match a.known_integer() {
                Some(number) => Ok(Value::integer(!number, of)),
                None => Ok(apply(Op::Invert, of, &[&a], place)?),
            }
        }
    }
}

/// `condition ? a : b`.
pub(super) fn choice(condition: Value, a: Value, b: Value, place: Place) -> Result<Value, Stop> {
    let of = if a.of == b.of { a.of } else { a.of.common(b.of) };
    let condition = truth(condition, place)?;
    let (a, b) = (a.converted(of, place.site)?, b.converted(of, place.site)?);
    match condition.kind {
        ValueKind::Known(number) => Ok(if number == Number::Integer(0) { b } else { a }),
        ValueKind::Elements(Elements { array, .. }) => {
            let (a, b) = (a.argument(of, place.site)?, b.argument(of, place.site)?);
            let chosen: Array = within(place.site, || select(&array, a, b));
            Ok(Value::array(chosen.into_result()?))
        }
    }
}

/// A value in another type, as an assignment converts it.
pub(super) fn assigned(value: Value, to: Type, place: Place) -> Result<Value, Stop> {
    if value.of.is_complex() && !to.is_complex() {
        return Err(place.refuse("a complex number becomes a real one only by `real` or `imag`"));
    }
    // A conversion to a narrower float rounds once.
    let is_half = matches!(to.0, DType::F16 | DType::BF16);
    if let (true, Some(number)) = (is_half, value.known()) {
        let real = match number {
            Number::Integer(number) => number as f64,
            Number::Real(number) => number,
        };
        return Ok(Value::real(real, to));
    }
    Ok(value.converted(to, place.site)?)
}

/// Refuses another number of arguments.
pub(super) fn check_count(
    name: &str,
    takes: usize,
    given: usize,
    place: Place,
) -> Result<(), Stop> {
    match given == takes {
        true => Ok(()),
        false => Err(place.refuse(format!("`{name}` takes {takes} arguments, not {given}"))),
    }
}
