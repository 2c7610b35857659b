//! Functions of floats that are compositions of operations of the table.

use super::arithmetic::{Place, apply, binary, choice};
use super::stop::Stop;
use super::syntax::Binary;
use super::types::Type;
use super::values::{Number, Value};
use crate::array::Argument;
use crate::recording::try_elementwise;
use phalanx_ops::{DType, Op, Signature};
use smallvec::SmallVec;

type Computed = Result<Value, Stop>;

/// A number of a value's floating type.
fn number(number: f64, like: &Value) -> Value {
    Value::real(number, like.of.floating().part())
}

/// An operator of two operands.
pub(super) fn plain(op: Op, a: &Value, b: &Value, place: Place) -> Computed {
    binary(Binary::Plain(op), a.clone(), b.clone(), place)
}

/// The floating type that values have in common.
fn floating(values: &[&Value]) -> Type {
    let types = values.iter().map(|value| value.of.promoted());
    types.reduce(Type::common).unwrap_or(Type::INT).floating()
}

/// An operation of the table on values of a type. Errors: complex numbers that it does not take.
pub(super) fn in_type(op: Op, of: Type, values: &[&Value], place: Place) -> Computed {
    let takes = |signature: &Signature| signature.inputs()[0].is_complex();
    if of.is_complex() && !op.signatures().iter().any(takes) {
        return Err(place.refuse(format!("`{}` takes no complex numbers", op.name())));
    }
    Ok(apply(op, of, values, place)?)
}

/// An operation of the table in the floating type of the values.
fn float(op: Op, values: &[&Value], place: Place) -> Computed {
    in_type(op, floating(values), values, place)
}

/// The values in their floating type, which is not complex.
fn floats<const N: usize>(values: &[Value], place: Place) -> Result<[Value; N], Stop> {
    let all: Vec<&Value> = values.iter().collect();
    let of = floating(&all);
    if of.is_complex() {
        return Err(place.refuse("this function takes no complex numbers"));
    }
    let mut found = [const { None }; N];
    for (found, value) in found.iter_mut().zip(values) {
        *found = Some(value.clone().converted(of, place.site)?);
    }
    Ok(found.map(|value| value.unwrap_or_else(|| unreachable!("bug: the operands are counted"))))
}

/// A special function in this floating type. Integers among the operands are converted to it.
pub(super) fn special(name: &str, of: Type, values: &[Value], place: Place) -> Computed {
    if of.is_complex() {
        return Err(place.refuse(format!("`{name}` takes no complex numbers")));
    }
    if values.iter().all(|value| value.known().is_some())
        && let Some(function) = phalanx_special::find(name)
    {
        let mut numbers: SmallVec<[f64; 4]> = SmallVec::new();
        for value in values {
            match value.clone().converted(of, place.site)?.known() {
                Some(Number::Real(number)) => numbers.push(number),
                _ => unreachable!("bug: a floating type"),
            }
        }
        return Ok(Value::real(function.call(&numbers), of));
    }
    let arguments = values.iter().map(|value| value.argument(of, place.site));
    let mut arguments = arguments.collect::<Result<Vec<_>, _>>()?;
    Argument::make_one_an_array(&mut arguments);
    Ok(Value::array(crate::special::recorded(name, &arguments, place.site)?))
}

/// The power of ten with this exponent.
pub(super) fn power_of_ten(values: &[Value], place: Place) -> Computed {
    float(Op::Power, &[&number(10.0, &values[0]), &values[0]], place)
}

/// One divided by a value.
pub(super) fn inverse(value: &Value, place: Place) -> Computed {
    plain(Op::Divide, &number(1.0, value), value, place)
}

/// One divided by a function of the table.
pub(super) fn inverse_of(op: Op, values: &[Value], place: Place) -> Computed {
    let values: Vec<&Value> = values.iter().collect();
    inverse(&float(op, &values, place)?, place)
}

/// The length of a vector, without intermediate overflow.
pub(super) fn length(values: &[Value], place: Place) -> Computed {
    let all: Vec<&Value> = values.iter().collect();
    let of = floating(&all);
    let Some((first, rest)) = values.split_first() else {
        return Ok(Value::real(0.0, of));
    };
    let add = |length: Value, part: &Value| in_type(Op::Hypot, of, &[&length, part], place);
    rest.iter().try_fold(in_type(Op::Absolute, of, &[first], place)?, add)
}

/// Halves are rounded away from zero.
pub(super) fn round(values: &[Value], place: Place) -> Computed {
    let [value] = floats(values, place)?;
    let whole = float(Op::Trunc, &[&value], place)?;
    let rest = plain(Op::Subtract, &value, &whole, place)?;
    let rest = float(Op::Absolute, &[&rest], place)?;
    let is_more = plain(Op::GreaterEqual, &rest, &number(0.5, &value), place)?;
    let step = float(Op::Copysign, &[&number(1.0, &value), &value], place)?;
    let next = plain(Op::Add, &whole, &step, place)?;
    choice(is_more, next, whole, place)
}

/// A float that is rounded to `long`, halves to the even number.
pub(super) fn long_rint(values: &[Value], place: Place) -> Computed {
    let [value] = floats(values, place)?;
    Ok(float(Op::Rint, &[&value], place)?.converted(Type::LONG, place.site)?)
}

/// A float that is rounded to `long`, halves away from zero.
pub(super) fn long_round(values: &[Value], place: Place) -> Computed {
    Ok(round(values, place)?.converted(Type::LONG, place.site)?)
}

/// The difference, or 0 if it is negative.
pub(super) fn difference(values: &[Value], place: Place) -> Computed {
    let [a, b] = floats(values, place)?;
    let is_less = plain(Op::LessEqual, &a, &b, place)?;
    let less = plain(Op::Subtract, &a, &b, place)?;
    choice(is_less, number(0.0, &less), less, place)
}

/// A float times a power of two, whose exponent is an `int`.
pub(super) fn scaled(values: &[Value], place: Place) -> Computed {
    let of = values[0].of.floating();
    if of.is_complex() {
        return Err(place.refuse("this function takes no complex numbers"));
    }
    let exponent = values[1].argument(Type::INT, place.site)?;
    let mut arguments = [values[0].argument(of, place.site)?, exponent];
    Argument::make_one_an_array(&mut arguments);
    Ok(Value::array(try_elementwise(Op::Ldexp, &arguments, place.site)?))
}

/// A float times a power of two, whose exponent is a `long`.
pub(super) fn scaled_by_long(values: &[Value], place: Place) -> Computed {
    let mut exponent = values[1].clone();
    if exponent.of.promoted() != Type::INT {
        // Beyond these, nothing changes.
        exponent = apply(Op::Maximum, Type::LONG, &[&exponent, &long(-10_000)], place)?;
        exponent = apply(Op::Minimum, Type::LONG, &[&exponent, &long(10_000)], place)?;
    }
    scaled(&[values[0].clone(), exponent], place)
}

fn long(number: i128) -> Value {
    Value::integer(number, Type::LONG)
}

/// A product and a sum, rounded once. Of complex numbers, the product is rounded, too.
pub(super) fn multiply_add(values: &[Value], place: Place) -> Computed {
    let all: Vec<&Value> = values.iter().collect();
    let of = floating(&all);
    if of.is_complex() {
        return plain(
            Op::Add,
            &plain(Op::Multiply, &values[0], &values[1], place)?,
            &values[2],
            place,
        );
    }
    let name = if of.0 == DType::F32 { "odd_fma" } else { "nearest_fma" };
    special(name, of, values, place)
}

/// A float brought to the range from 0 to 1.
pub(super) fn saturated(values: &[Value], place: Place) -> Computed {
    let [value] = floats(values, place)?;
    let value = float(Op::Fmax, &[&value, &number(0.0, &value)], place)?;
    float(Op::Fmin, &[&value, &number(1.0, &value)], place)
}

/// The exponent of a float, which is finite and not zero, minus one.
fn exponent_of(value: &Value, place: Place) -> Computed {
    let exponent = apply(Op::FrexpExponent, value.of, &[value], place)?;
    plain(Op::Subtract, &exponent, &Value::integer(1, Type::INT), place)
}

/// The exponent as a float.
pub(super) fn exponent(values: &[Value], place: Place) -> Computed {
    let [value] = floats(values, place)?;
    let exponent = exponent_of(&value, place)?.converted(value.of, place.site)?;
    let is_zero = plain(Op::Equal, &value, &number(0.0, &value), place)?;
    let exponent = choice(is_zero, number(f64::NEG_INFINITY, &value), exponent, place)?;
    let is_finite = float(Op::Isfinite, &[&value], place)?;
    choice(is_finite, exponent, float(Op::Absolute, &[&value], place)?, place)
}

/// The exponent as an integer.
pub(super) fn whole_exponent(values: &[Value], place: Place) -> Computed {
    let [value] = floats(values, place)?;
    let [least, most] = [i32::MIN, i32::MAX].map(|it| Value::integer(it.into(), Type::INT));
    let exponent = exponent_of(&value, place)?;
    let is_ordinary = plain(Op::NotEqual, &value, &number(0.0, &value), place)?;
    let exponent = choice(is_ordinary, exponent, least.clone(), place)?;
    let exponent = choice(float(Op::Isinf, &[&value], place)?, most, exponent, place)?;
    choice(float(Op::Isnan, &[&value], place)?, least, exponent, place)
}

/// The distance of one size from the nearest multiple of another, halves to the even multiple.
/// Every step is exact.
fn nearest_rest(value: &Value, divisor: &Value, place: Place) -> Computed {
    let twice = plain(Op::Add, divisor, divisor, place)?;
    let rest = float(Op::Fmod, &[value, &twice], place)?;
    let double = plain(Op::Add, &rest, &rest, place)?;
    let is_more = plain(Op::Greater, &double, divisor, place)?;
    let less = plain(Op::Subtract, &rest, divisor, place)?;
    let double = plain(Op::Add, &less, &less, place)?;
    let is_much_more = plain(Op::GreaterEqual, &double, divisor, place)?;
    let least = plain(Op::Subtract, &less, divisor, place)?;
    choice(is_more, choice(is_much_more, least, less, place)?, rest, place)
}

/// The remainder of the division with the nearest quotient, as IEEE 754 defines it.
pub(super) fn remainder(values: &[Value], place: Place) -> Computed {
    let [value, divisor] = floats(values, place)?;
    let [size, by] = [&value, &divisor].map(|it| float(Op::Absolute, &[it], place));
    let rest = nearest_rest(&size?, &by?, place)?;
    let sign = float(Op::Copysign, &[&number(1.0, &value), &value], place)?;
    plain(Op::Multiply, &rest, &sign, place)
}

/// The last three bits of the size of the quotient that belongs to the remainder, with its sign.
pub(super) fn last_bits(values: &[Value], place: Place) -> Computed {
    let [value, divisor] = floats(values, place)?;
    let [size, by] = [&value, &divisor].map(|it| float(Op::Absolute, &[it], place));
    let (size, by) = (size?, by?);
    let eightfold = plain(Op::Multiply, &by, &number(8.0, &by), place)?;
    let size = float(Op::Fmod, &[&size, &eightfold], place)?;
    // The multiple itself may be larger than all floats.
    let rest = plain(Op::Divide, &nearest_rest(&size, &by, place)?, &by, place)?;
    let quotient = plain(Op::Subtract, &plain(Op::Divide, &size, &by, place)?, &rest, place)?;
    let quotient = float(Op::Rint, &[&quotient], place)?.converted(Type::INT, place.site)?;
    let bits = plain(Op::BitwiseAnd, &quotient, &Value::integer(7, Type::INT), place)?;
    let [one, other] = [&value, &divisor].map(|it| float(Op::Signbit, &[it], place));
    let is_negative = plain(Op::NotEqual, &one?, &other?, place)?;
    let negative = plain(Op::Subtract, &Value::integer(0, Type::INT), &bits, place)?;
    choice(is_negative, negative, bits, place)
}

/// A part of a complex number.
pub(super) fn part(op: Op, value: &Value, place: Place) -> Computed {
    match (value.of.is_complex(), op) {
        (true, _) => Ok(apply(op, value.of, &[value], place)?),
        (false, Op::Real) => Ok(value.clone().converted(value.of.floating(), place.site)?),
        (false, _) => Ok(number(0.0, value)),
    }
}

/// The complex number with the opposite imaginary part.
pub(super) fn conjugate(values: &[Value], place: Place) -> Computed {
    let value = &values[0];
    match value.of.is_complex() {
        true => Ok(apply(Op::Conjugate, value.of, &[value], place)?),
        false => Ok(value.clone()),
    }
}

/// The angle of a complex number.
pub(super) fn argument(values: &[Value], place: Place) -> Computed {
    let [y, x] = [Op::Imag, Op::Real].map(|op| part(op, &values[0], place));
    float(Op::Arctan2, &[&y?, &x?], place)
}

/// The square of the size of a complex number.
pub(super) fn norm(values: &[Value], place: Place) -> Computed {
    let [a, b] = [Op::Real, Op::Imag].map(|op| {
        let part = part(op, &values[0], place)?;
        plain(Op::Multiply, &part, &part, place)
    });
    plain(Op::Add, &a?, &b?, place)
}

/// The complex number of this size and angle.
pub(super) fn polar(values: &[Value], place: Place) -> Computed {
    let [size, angle] = floats(values, place)?;
    let [x, y] = [Op::Cos, Op::Sin].map(|op| {
        let part = float(op, &[&angle], place)?;
        plain(Op::Multiply, &size, &part, place)
    });
    Ok(apply(Op::Complex, size.of, &[&x?, &y?], place)?)
}

/// `sin(pi x)`, or the cosine: exact at multiples of a half, as `x` is brought near zero first.
pub(super) fn of_turns(op: Op, value: &Value, place: Place) -> Computed {
    let [value] = floats(std::slice::from_ref(value), place)?;
    let real = |number: f64| Value::real(number, value.of);
    let half = plain(Op::Multiply, &value, &real(0.5), place)?;
    let whole = float(Op::Rint, &[&half], place)?;
    let whole = plain(Op::Multiply, &whole, &real(2.0), place)?;
    // In [-1, 1], without rounding.
    let rest = plain(Op::Subtract, &value, &whole, place)?;
    let size = float(Op::Absolute, &[&rest], place)?;
    let turns = match op {
        Op::Cos => plain(Op::Subtract, &real(0.5), &size, place)?,
        _ => {
            let is_beyond = plain(Op::Greater, &size, &real(0.5), place)?;
            let mirrored = plain(Op::Subtract, &real(1.0), &size, place)?;
            let mirrored = float(Op::Copysign, &[&mirrored, &rest], place)?;
            let turns = choice(is_beyond, mirrored, rest, place)?;
            // A zero has the sign of the value.
            let is_zero = plain(Op::Equal, &turns, &real(0.0), place)?;
            let zero = float(Op::Copysign, &[&turns, &value], place)?;
            choice(is_zero, zero, turns, place)?
        }
    };
    let angle = plain(Op::Multiply, &turns, &real(std::f64::consts::PI), place)?;
    float(Op::Sin, &[&angle], place)
}
