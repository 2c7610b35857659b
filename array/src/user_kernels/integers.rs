//! CUDA's functions of integers as compositions of operations of the table. The operands have the
//! type of the function.

use super::arithmetic::{Place, apply, choice};
use super::compositions::plain;
use super::stop::Stop;
use super::types::Type;
use super::values::Value;
use phalanx_ops::{DType, Op};

type Computed = Result<Value, Stop>;

const WIDE: Type = Type(DType::U64);
const UNSIGNED: Type = Type(DType::U32);

/// A number of a value's type.
fn number(number: i128, like: &Value) -> Value {
    Value::integer(number, like.of)
}

/// An operator whose other operand is a number.
fn by(op: Op, value: &Value, other: i128, place: Place) -> Computed {
    plain(op, value, &number(other, value), place)
}

fn converted(value: &Value, to: Type, place: Place) -> Computed {
    Ok(value.clone().converted(to, place.site)?)
}

fn bits_of(value: &Value) -> i128 {
    8 * value.of.0.size() as i128
}

/// The number of bits of an unsigned number that are set.
pub(super) fn bits(values: &[Value], place: Place) -> Computed {
    let count = apply(Op::BitwiseCount, values[0].of, &[&values[0]], place)?;
    converted(&count, Type::INT, place)
}

/// The number of zeros above the highest bit of an unsigned number.
pub(super) fn leading_zeros(values: &[Value], place: Place) -> Computed {
    // All bits below the highest one are set.
    let (mut value, width) = (values[0].clone(), bits_of(&values[0]));
    let mut step = 1;
    while step < width {
        let lower = by(Op::RightShift, &value, step, place)?;
        value = plain(Op::BitwiseOr, &value, &lower, place)?;
        step *= 2;
    }
    let count = bits(&[value], place)?;
    plain(Op::Subtract, &number(width, &count), &count, place)
}

/// The number of the lowest bit of an unsigned number, from 1; 0 without one.
pub(super) fn first_bit(values: &[Value], place: Place) -> Computed {
    let value = &values[0];
    let below = by(Op::Subtract, value, 1, place)?;
    let changed = plain(Op::BitwiseXor, value, &below, place)?;
    let count = bits(&[changed], place)?;
    let is_none = by(Op::Equal, value, 0, place)?;
    choice(is_none, number(0, &count), count, place)
}

/// The bits of an unsigned number in the opposite order.
pub(super) fn reversed(values: &[Value], place: Place) -> Computed {
    let (mut value, width) = (values[0].clone(), bits_of(&values[0]));
    let all = (1i128 << width) - 1;
    let mut step = 1;
    while step < width {
        // Runs of `step` bits that are set, and of as many that are not.
        let mask = all / ((1 << step) + 1);
        let down = by(Op::RightShift, &value, step, place)?;
        let down = by(Op::BitwiseAnd, &down, mask, place)?;
        let up = by(Op::BitwiseAnd, &value, mask, place)?;
        let up = by(Op::LeftShift, &up, step, place)?;
        value = plain(Op::BitwiseOr, &down, &up, place)?;
        step *= 2;
    }
    Ok(value)
}

/// The bytes of two numbers that the third one selects.
pub(super) fn selected_bytes(values: &[Value], place: Place) -> Computed {
    let all = joined(&values[0], &values[1], place)?;
    let mut found = number(0, &values[0]);
    for at in 0..4 {
        let which = by(Op::RightShift, &values[2], 4 * at, place)?;
        let which = by(Op::BitwiseAnd, &which, 7, place)?;
        let shift = by(Op::Multiply, &converted(&which, WIDE, place)?, 8, place)?;
        let byte = plain(Op::RightShift, &all, &shift, place)?;
        let byte = by(Op::BitwiseAnd, &byte, 255, place)?;
        let byte = by(Op::LeftShift, &converted(&byte, UNSIGNED, place)?, 8 * at, place)?;
        found = plain(Op::BitwiseOr, &found, &byte, place)?;
    }
    Ok(found)
}

/// 64 bits of their lower and upper half.
pub(super) fn joined(low: &Value, high: &Value, place: Place) -> Computed {
    let [low, high] = [low, high]
        .map(|half| -> Computed { converted(&converted(half, UNSIGNED, place)?, WIDE, place) });
    plain(Op::BitwiseOr, &low?, &by(Op::LeftShift, &high?, 32, place)?, place)
}

/// The upper half of the bits of a product.
pub(super) fn upper_half(values: &[Value], place: Place) -> Computed {
    let (a, b, of) = (&values[0], &values[1], values[0].of);
    if of.0.size() == 4 {
        let wide = if of == UNSIGNED { WIDE } else { Type::LONG };
        let [a, b] = [a, b].map(|it| converted(it, wide, place));
        let product = plain(Op::Multiply, &a?, &b?, place)?;
        return converted(&by(Op::RightShift, &product, 32, place)?, of, place);
    }
    // By halves of the operands, whose products have 64 bits.
    let low = |value: &Value| by(Op::BitwiseAnd, value, 0xFFFF_FFFF, place);
    let high = |value: &Value| by(Op::RightShift, value, 32, place);
    let add = |a: Value, b: Value| plain(Op::Add, &a, &b, place);
    let [x, y] = [a, b].map(|it| converted(it, WIDE, place));
    let (x, y) = (x?, y?);
    let [x0, y0] = [low(&x)?, low(&y)?];
    let [x1, y1] = [high(&x)?, high(&y)?];
    let product = |a: &Value, b: &Value| plain(Op::Multiply, a, b, place);
    let (cross, other) = (product(&x0, &y1)?, product(&x1, &y0)?);
    let middle = add(high(&product(&x0, &y0)?)?, add(low(&cross)?, low(&other)?)?)?;
    let upper = add(add(product(&x1, &y1)?, high(&middle)?)?, add(high(&cross)?, high(&other)?)?)?;
    let upper = converted(&upper, of, place)?;
    if of == WIDE {
        return Ok(upper);
    }
    // A negative operand counts 2**64 too much.
    let excess = |sign: &Value, value: &Value| {
        plain(Op::BitwiseAnd, &by(Op::RightShift, sign, 63, place)?, value, place)
    };
    let excess = add(excess(a, b)?, excess(b, a)?)?;
    plain(Op::Subtract, &upper, &excess, place)
}

/// The product of the lower 24 bits.
pub(super) fn product_of_24(values: &[Value], place: Place) -> Computed {
    let [a, b] = [0, 1]
        .map(|at: usize| by(Op::RightShift, &by(Op::LeftShift, &values[at], 8, place)?, 8, place));
    plain(Op::Multiply, &a?, &b?, place)
}

/// Half of the difference of the bits.
fn half_of_changes(values: &[Value], place: Place) -> Computed {
    by(Op::RightShift, &plain(Op::BitwiseXor, &values[0], &values[1], place)?, 1, place)
}

/// The mean, rounded down, without overflow.
pub(super) fn mean(values: &[Value], place: Place) -> Computed {
    let both = plain(Op::BitwiseAnd, &values[0], &values[1], place)?;
    plain(Op::Add, &both, &half_of_changes(values, place)?, place)
}

/// The mean, rounded up, without overflow.
pub(super) fn rounded_mean(values: &[Value], place: Place) -> Computed {
    let any = plain(Op::BitwiseOr, &values[0], &values[1], place)?;
    plain(Op::Subtract, &any, &half_of_changes(values, place)?, place)
}

/// The absolute value.
pub(super) fn size(values: &[Value], place: Place) -> Computed {
    Ok(apply(Op::Absolute, values[0].of, &[&values[0]], place)?)
}

/// The size of the difference of two signed numbers, plus a third one.
pub(super) fn signed_distance(values: &[Value], place: Place) -> Computed {
    let [a, b] = [0, 1].map(|at: usize| converted(&values[at], Type::INT, place));
    distance(&[a?, b?, values[2].clone()], place)
}

/// The size of the difference of two numbers, plus a third one.
pub(super) fn distance(values: &[Value], place: Place) -> Computed {
    let [a, b] = [0, 1].map(|at: usize| converted(&values[at], Type::LONG, place));
    let less = plain(Op::Subtract, &a?, &b?, place)?;
    let size = apply(Op::Absolute, Type::LONG, &[&less], place)?;
    let size = converted(&size, UNSIGNED, place)?;
    plain(Op::Add, &size, &converted(&values[2], UNSIGNED, place)?, place)
}

/// The type of a function of words that is there for `int` and for `unsigned int`.
pub(super) fn word_of(mut types: impl Iterator<Item = Type>) -> Type {
    if types.all(|of| of == UNSIGNED) { UNSIGNED } else { Type::INT }
}

/// A part of a word: `bits` bits from bit `first` on, with their sign unless the type has none.
pub(super) fn part(word: &Value, first: i128, bits: i128, place: Place) -> Computed {
    // To the top, and down with the sign.
    let top = by(Op::LeftShift, word, 32 - first - bits, place)?;
    by(Op::RightShift, &top, 32 - bits, place)
}

/// The operands of a dot product in their type.
fn words(values: &[Value], place: Place) -> Result<[Value; 3], Stop> {
    let of = word_of(values.iter().map(|value| value.of));
    let [a, b, c] = [0, 1, 2].map(|at: usize| converted(&values[at], of, place));
    Ok([a?, b?, c?])
}

/// The sum of the products of four bytes, and a third number.
pub(super) fn dot_of_bytes(values: &[Value], place: Place) -> Computed {
    let [a, b, mut sum] = words(values, place)?;
    for first in [0, 8, 16, 24] {
        let product =
            plain(Op::Multiply, &part(&a, first, 8, place)?, &part(&b, first, 8, place)?, place)?;
        sum = plain(Op::Add, &sum, &product, place)?;
    }
    Ok(sum)
}

/// The sum of the products of two halves with two bytes, from `byte` on, and a third number.
pub(super) fn dot_of_halves(values: &[Value], byte: i128, place: Place) -> Computed {
    let [a, b, mut sum] = words(values, place)?;
    for at in 0..2 {
        let half = part(&a, 16 * at, 16, place)?;
        let product = plain(Op::Multiply, &half, &part(&b, 8 * (byte + at), 8, place)?, place)?;
        sum = plain(Op::Add, &sum, &product, place)?;
    }
    Ok(sum)
}

/// Bits of two numbers, of which the second one is above the first one, after a shift.
pub(super) fn funnel(values: &[Value], is_left: bool, is_limited: bool, place: Place) -> Computed {
    let all = joined(&values[0], &values[1], place)?;
    let shift = match is_limited {
        true => apply(Op::Minimum, UNSIGNED, &[&values[2], &number(32, &values[2])], place)?,
        false => by(Op::BitwiseAnd, &values[2], 31, place)?,
    };
    let shift = converted(&shift, WIDE, place)?;
    let shifted = match is_left {
        true => by(Op::RightShift, &plain(Op::LeftShift, &all, &shift, place)?, 32, place)?,
        false => plain(Op::RightShift, &all, &shift, place)?,
    };
    converted(&shifted, UNSIGNED, place)
}

/// The smaller number.
pub(super) fn smaller(values: &[Value], place: Place) -> Computed {
    Ok(apply(Op::Minimum, values[0].of, &[&values[0], &values[1]], place)?)
}

/// The larger number.
pub(super) fn larger(values: &[Value], place: Place) -> Computed {
    Ok(apply(Op::Maximum, values[0].of, &[&values[0], &values[1]], place)?)
}
