//! Texts of elements by dtype.

use super::digits::Precision;
use super::float::{FloatFormat, float_text};
use phalanx_ops::{DType, Kind, Scalar, Weak};

/// The texts of the printed elements of an array with axes, padded to equal width. With `digits`,
/// floats have that many digits after the point, as in Rust's `{:.3}`.
pub(super) fn words(elements: &[Scalar], dtype: DType, digits: Option<usize>) -> Vec<String> {
    if let (Some(digits), Kind::Float | Kind::Complex) = (digits, dtype.kind()) {
        let texts: Vec<String> = elements.iter().map(|element| rounded(element, digits)).collect();
        let width = texts.iter().map(String::len).max().unwrap_or(0);
        return texts.iter().map(|text| format!("{text:>width$}")).collect();
    }
    match dtype.kind() {
        Kind::Bool => elements.iter().map(|element| format!("{:>5}", truth(element))).collect(),
        Kind::Signed | Kind::Unsigned => {
            let texts: Vec<String> = elements.iter().map(Scalar::to_string).collect();
            let width = texts.iter().map(String::len).max().unwrap_or(0);
            texts.iter().map(|text| format!("{text:>width$}")).collect()
        }
        Kind::Float => {
            let values: Vec<f64> = elements.iter().map(|element| parts(element)[0]).collect();
            let format = FloatFormat::new(&values, Precision::of(dtype), false);
            values.iter().map(|&value| format.text(value)).collect()
        }
        Kind::Complex => {
            let precision = Precision::of(dtype);
            let reals: Vec<f64> = elements.iter().map(|element| parts(element)[0]).collect();
            let imaginaries: Vec<f64> = elements.iter().map(|element| parts(element)[1]).collect();
            let real = FloatFormat::new(&reals, precision, false);
            let imaginary = FloatFormat::new(&imaginaries, precision, true);
            let word = |re: f64, im: f64| {
                let mut text = imaginary.text(im);
                // The unit precedes the padding.
                text.insert(text.trim_end().len(), 'j');
                real.text(re) + &text
            };
            reals.iter().zip(&imaginaries).map(|(&re, &im)| word(re, im)).collect()
        }
    }
}

/// The text of the element of a 0-d array.
pub(super) fn scalar_text(element: &Scalar) -> String {
    match element.dtype().kind() {
        Kind::Bool => String::from(truth(element)),
        Kind::Signed | Kind::Unsigned => element.to_string(),
        Kind::Float => float_text(parts(element)[0], Precision::of(element.dtype()), true),
        Kind::Complex => {
            let [re, im] = parts(element);
            let text = |value| float_text(value, Precision::of(element.dtype()), false);
            let imaginary = text(im);
            if re == 0.0 && re.is_sign_positive() {
                return imaginary + "j";
            }
            let sign = if imaginary.starts_with('-') { "" } else { "+" };
            format!("({}{sign}{imaginary}j)", text(re))
        }
    }
}

/// A float or a complex number with a given number of digits after the point.
pub(super) fn rounded(element: &Scalar, digits: usize) -> String {
    let part = |value: f64| {
        if value.is_nan() { String::from("nan") } else { format!("{value:.digits$}") }
    };
    let [re, im] = parts(element);
    match element.dtype().kind() {
        Kind::Complex => {
            let sign = if im.is_sign_negative() && !im.is_nan() { "" } else { "+" };
            format!("{}{sign}{}j", part(re), part(im))
        }
        Kind::Float => part(re),
        _ => scalar_text(element),
    }
}

fn truth(element: &Scalar) -> &'static str {
    if element.to_weak() == Weak::Bool(true) { "True" } else { "False" }
}

/// The real and the imaginary part.
fn parts(element: &Scalar) -> [f64; 2] {
    let value = element.to_weak().to_complex();
    [value.re, value.im]
}
