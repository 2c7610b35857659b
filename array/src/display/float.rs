//! Texts of floats: single floats, and floats that are aligned in an array.

use super::digits::{Decimal, Precision};

/// The largest number of digits after the point.
const DIGITS: usize = 8;
/// Numbers of smaller magnitude are in scientific notation.
const SMALL: f64 = 1e-4;
/// Numbers are in scientific notation if the largest is more than this many times the smallest.
const RATIO: f64 = 1000.0;

/// The text of a single float. It is in scientific notation if its dtype does not have a digit for
/// each place before the point. `zero` writes integers with a zero after the point.
pub(super) fn float_text(value: f64, precision: Precision, zero: bool) -> String {
    if let Some(text) = special(value, false) {
        return text;
    }
    let magnitude = value.abs();
    let large = if precision == Precision::Double { 1e16 } else { cutoff(precision) };
    let decimal = Decimal::shortest(value, precision);
    let sign = sign(value, false);
    if magnitude != 0.0 && !(SMALL..large).contains(&magnitude) {
        let [first, others] = decimal.mantissa();
        let point = if others.is_empty() { "" } else { "." };
        return format!("{sign}{first}{point}{others}e{}", exponent(&decimal, 2));
    }
    let [before, after] = decimal.positional();
    match (after.is_empty(), zero) {
        (true, true) => format!("{sign}{before}.0"),
        (true, false) => format!("{sign}{before}"),
        (false, _) => format!("{sign}{before}.{after}"),
    }
}

/// Numbers in an array are in scientific notation from this magnitude on.
fn cutoff(precision: Precision) -> f64 {
    10f64.powi(precision.decimals().min(DIGITS as i32))
}

/// The text of a NaN or an infinity.
fn special(value: f64, plus: bool) -> Option<String> {
    if value.is_nan() {
        Some(String::from(if plus { "+nan" } else { "nan" }))
    } else if value.is_infinite() {
        Some(format!("{}inf", sign(value, plus)))
    } else {
        None
    }
}

fn sign(value: f64, plus: bool) -> &'static str {
    match (value.is_sign_negative(), plus) {
        (true, _) => "-",
        (false, true) => "+",
        (false, false) => "",
    }
}

/// The sign of the exponent and at least `digits` digits.
fn exponent(decimal: &Decimal, digits: usize) -> String {
    let sign = if decimal.exponent() < 0 { '-' } else { '+' };
    format!("{sign}{:0digits$}", decimal.exponent().unsigned_abs())
}

#[derive(Clone, Copy)]
enum Notation {
    /// Up to [`DIGITS`] digits after the point, as few as each value needs.
    Positional,
    /// The same numbers of digits after the point and in the exponent for all numbers.
    Scientific { fraction: usize, exponent: usize },
}

/// The format of the floats of an array, which aligns them.
pub(super) struct FloatFormat {
    precision: Precision,
    plus: bool,
    notation: Notation,
    /// Columns before the point.
    left: usize,
    /// Columns after the point.
    right: usize,
}

impl FloatFormat {
    /// The format for these values. With `plus`, numbers that are not negative have a sign too.
    pub(super) fn new(values: &[f64], precision: Precision, plus: bool) -> FloatFormat {
        let finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let mut format =
            FloatFormat { precision, plus, notation: Notation::Positional, left: 0, right: 0 };
        if is_scientific(&finite, precision) {
            let decimals = || finite.iter().map(|&value| scientific_digits(value, precision));
            let fraction = decimals().map(|decimal| decimal.count() - 1).max().unwrap_or(0);
            let exponent = decimals().map(|decimal| exponent(&decimal, 2).len() - 1).max();
            let exponent = exponent.unwrap_or(0);
            format.notation = Notation::Scientific { fraction, exponent };
            format.right = fraction + exponent + 2;
            let width = |&value: &f64| 1 + sign(value, plus).len();
            format.left = finite.iter().map(width).max().unwrap_or(0);
        } else {
            for &value in &finite {
                let [before, after] = positional_digits(value, precision).positional();
                format.left = format.left.max(before.len() + sign(value, plus).len());
                format.right = format.right.max(after.len());
            }
        }
        // The text of a NaN or an infinity spans the columns on both sides of the point.
        let specials = values.iter().filter(|value| !value.is_finite());
        let negative = plus || values.contains(&f64::NEG_INFINITY);
        let width = specials.map(|_| 3 + usize::from(negative)).max().unwrap_or(0);
        format.left = format.left.max(width.saturating_sub(format.right + 1));
        format
    }

    /// The text of one of the values for which the format was made.
    pub(super) fn text(&self, value: f64) -> String {
        let (left, right) = (self.left, self.right);
        if let Some(text) = special(value, self.plus) {
            return format!("{text:>width$}", width = left + right + 1);
        }
        let sign = sign(value, self.plus);
        match self.notation {
            Notation::Positional => {
                let [before, after] = positional_digits(value, self.precision).positional();
                format!("{:>left$}.{after:<right$}", format!("{sign}{before}"))
            }
            Notation::Scientific { fraction, exponent: digits } => {
                let decimal = Decimal::rounded(value, self.precision, fraction + 1);
                let [first, others] = decimal.mantissa();
                let exponent = exponent(&decimal, digits);
                format!("{:>left$}.{others:0<fraction$}e{exponent}", format!("{sign}{first}"))
            }
        }
    }
}

/// Whether finite values are in scientific notation. The limits and the ratio are rounded to the
/// dtype.
fn is_scientific(finite: &[f64], precision: Precision) -> bool {
    let magnitudes = || finite.iter().map(|value| value.abs()).filter(|&value| value > 0.0);
    let Some(largest) = magnitudes().reduce(f64::max) else {
        return false;
    };
    let smallest = magnitudes().fold(largest, f64::min);
    largest >= cutoff(precision)
        || smallest < precision.round(SMALL)
        || precision.round(largest / smallest) > RATIO
}

/// The digits in scientific notation, before all numbers get the same count.
fn scientific_digits(value: f64, precision: Precision) -> Decimal {
    let shortest = Decimal::shortest(value, precision);
    if shortest.count() <= DIGITS + 1 {
        return shortest;
    }
    Decimal::rounded(value, precision, DIGITS + 1)
}

/// The digits in positional notation, with at most [`DIGITS`] digits after the point.
fn positional_digits(value: f64, precision: Precision) -> Decimal {
    let shortest = Decimal::shortest(value, precision);
    let most = (DIGITS as i32 + 1 + shortest.exponent()).max(1) as usize;
    if shortest.count() <= most {
        return shortest;
    }
    Decimal::rounded(value, precision, most)
}
