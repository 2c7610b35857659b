//! Texts of arrays, integers and floats.

use super::digits::{Decimal, Precision};
use super::layout::{LINE_WIDTH, NAMED, PLAIN, Summary};
use super::show::text_within;
use crate::array::Array;
use crate::manipulation::refused;
use phalanx_graph::{Cause, Error, call_site, within};
use phalanx_ops::{DType, Scalar, Weak};

/// NumPy's `array_str`: the elements as NumPy prints them. Collectivity: that of
/// [`Array::to_host`]. Elements that a summary leaves out are not fetched.
#[track_caller]
pub fn array_str(array: &Array) -> Result<String, Error> {
    let site = call_site();
    array.ok()?;
    within(site, || array.evaluate())?;
    let shown = array.shown(Summary::default(), Cause::Print, site)?;
    Ok(text_within(&shown, array.shape(), PLAIN, None))
}

/// NumPy's `array2string`: [`array_str`], with a 0-d array printed as an element of an array.
#[track_caller]
pub fn array2string(array: &Array) -> Result<String, Error> {
    let site = call_site();
    within(site, || {
        if array.ok()?.ndim() > 0 {
            return array_str(array);
        }
        let text = array_str(&array.reshape([1]))?;
        // A single element needs no padding for alignment.
        Ok(text.trim_matches(['[', ']', ' ']).to_owned())
    })
}

/// NumPy's `array_repr` at its default print options. It includes the shape if the elements do not
/// show it, and the dtype if it is not the default one. Collectivity: that of [`Array::to_host`].
/// Elements that a summary leaves out are not fetched.
#[track_caller]
pub fn array_repr(array: &Array) -> Result<String, Error> {
    let site = call_site();
    let shape = array.ok()?.shape();
    let summary = Summary::default();
    let text = match shape {
        [] => within(site, || array2string(array))?,
        _ => text_within(&array.shown(summary, Cause::Print, site)?, shape, NAMED, None),
    };
    Ok(repr_around(&text, array, summary.cuts(shape), LINE_WIDTH))
}

/// NumPy's `array_repr` from the text of the elements. It includes the shape if `is_cut`, because
/// elements are left out, and breaks before lines of more than `width` columns. Local.
#[must_use]
pub fn repr_around(text: &str, array: &Array, is_cut: bool, width: usize) -> String {
    let (shape, dtype, mut extras) = (array.shape(), array.dtype(), Vec::new());
    if (array.size() == 0 && shape != [0]) || is_cut {
        let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
        let comma = if shape.len() == 1 { "," } else { "" };
        extras.push(format!("shape=({}{comma})", extents.join(", ")));
    }
    let is_default = matches!(dtype, DType::Bool | DType::I64 | DType::F64 | DType::C128);
    if !is_default || array.size() == 0 {
        extras.push(format!("dtype={}", dtype.numpy_name()));
    }
    if extras.is_empty() {
        return format!("array({text})");
    }
    let (start, end) = (format!("array({text},"), extras.join(", ") + ")");
    let last = start.rsplit('\n').next().map_or(0, str::len);
    let space = if last + end.len() + 1 > width { "\n      " } else { " " };
    start + space + &end
}

/// NumPy's `base_repr`: an integer in digits of the base `base`, after `padding` zeros. Local.
/// Errors: `OpError::Argument` for a base below 2 or above 36.
#[track_caller]
pub fn base_repr(number: i64, base: u32, padding: usize) -> Result<String, Error> {
    let site = call_site();
    if !(2..=36).contains(&base) {
        return Err(refused("base_repr", "base", base.to_string(), site));
    }
    let (mut rest, mut digits) = (number.unsigned_abs(), Vec::new());
    while rest > 0 {
        let digit = (rest % u64::from(base)) as u32;
        digits.extend(char::from_digit(digit, base).map(|digit| digit.to_ascii_uppercase()));
        rest /= u64::from(base);
    }
    digits.extend(std::iter::repeat_n('0', padding));
    if number < 0 {
        digits.push('-');
    }
    if digits.is_empty() {
        digits.push('0');
    }
    Ok(digits.into_iter().rev().collect())
}

/// NumPy's `binary_repr`: an integer in at least `width` binary digits. With a width, negative
/// integers are in two's complement; without one, they have a sign. Local. Errors:
/// `OpError::Argument` for a width that is too small.
#[track_caller]
pub fn binary_repr(number: i64, width: impl Into<Option<usize>>) -> Result<String, Error> {
    let (site, width) = (call_site(), width.into());
    let magnitude = format!("{:b}", number.unsigned_abs());
    let Some(width) = width else {
        return Ok(if number < 0 { format!("-{magnitude}") } else { magnitude });
    };
    let refuse = || Err(refused("binary_repr", "width", width.to_string(), site));
    if number >= 0 {
        if number > 0 && width < magnitude.len() {
            return refuse();
        }
        return Ok(format!("{magnitude:0>width$}"));
    }
    // A negative power of two needs no digit for the sign.
    let is_power = number.unsigned_abs().is_power_of_two();
    let digits = magnitude.len() + usize::from(!is_power);
    if width < digits {
        return refuse();
    }
    let complement = (1u128 << digits) - u128::from(number.unsigned_abs());
    let binary = format!("{complement:0>digits$b}");
    Ok(format!("{binary:1>width$}"))
}

/// A real number as a float, and the precision of its dtype.
fn real(number: Scalar) -> (f64, Precision) {
    let value = match number.cast(DType::F64).to_weak() {
        Weak::Float(value) => value,
        other => unreachable!("bug: {other:?} is no float"),
    };
    (value, Precision::of(number.dtype()))
}

/// The sign and the digits of a finite number, or the whole text of another number.
fn decimal(value: f64, precision: Precision) -> Result<(&'static str, Decimal), String> {
    if value.is_nan() {
        return Err(String::from("nan"));
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return Err(format!("{sign}inf"));
    }
    Ok((sign, Decimal::shortest(value, precision)))
}

/// NumPy's `format_float_positional`: the fewest digits that identify the number in its dtype,
/// without an exponent. Local.
#[must_use]
pub fn format_float_positional(number: Scalar) -> String {
    let (value, precision) = real(number);
    decimal(value, precision).map_or_else(
        |text| text,
        |(sign, decimal)| {
            let [before, after] = decimal.positional();
            format!("{sign}{before}.{after}")
        },
    )
}

/// NumPy's `format_float_scientific`: [`format_float_positional`], with an exponent. Local.
#[must_use]
pub fn format_float_scientific(number: Scalar) -> String {
    let (value, precision) = real(number);
    decimal(value, precision).map_or_else(
        |text| text,
        |(sign, decimal)| {
            let ([first, rest], exponent) = (decimal.mantissa(), decimal.exponent());
            let (side, size) = (if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs());
            format!("{sign}{first}.{rest}e{side}{size:02}")
        },
    )
}
