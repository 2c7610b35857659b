//! Arrays as Python writes them, for the messages of failures.

use crate::case::{Given, Step};
use crate::elements::{Number, numbers};
use phalanx::DType;

/// The most elements that are shown.
const MOST: usize = 40;

/// The elements of an array, in C order.
pub fn elements(dtype: DType, bytes: &[u8]) -> String {
    let all = numbers(dtype, bytes);
    let mut words: Vec<String> = all.iter().take(MOST).map(word).collect();
    if all.len() > MOST {
        words.push(format!("… ({} in all)", all.len()));
    }
    words.join(", ")
}

fn word(number: &Number) -> String {
    match *number {
        Number::Whole(value) => value.to_string(),
        Number::Real(value) => real(value),
        Number::Complex(real_part, imaginary) => {
            format!("complex({}, {})", real(real_part), real(imaginary))
        }
    }
}

fn real(value: f64) -> String {
    if value.is_nan() { String::from("nan") } else { format!("{value:?}") }
}

/// The statement that makes an argument in NumPy.
pub fn statement(number: usize, given: &Given) -> String {
    let letter = char::from(b'a' + number as u8);
    let host = &given.base;
    let dtype = host.dtype.numpy_name();
    let values = elements(host.dtype, &host.bytes);
    let shape = tuple(&host.shape);
    let mut text = format!("{letter} = np.array([{values}], np.{dtype}).reshape({shape})");
    for step in &given.steps {
        text = match step {
            Step::Transpose(order) => format!("{text}.transpose({order:?})"),
            Step::Index(items) => format!("{text}[{}]", items.join(", ")),
            Step::Broadcast(shape) => {
                format!("{letter} = np.broadcast_to({}, {})", &text[4..], tuple(shape))
            }
        };
    }
    text
}

/// A shape as Python writes it.
pub fn tuple(shape: &[usize]) -> String {
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if extents.len() == 1 { "," } else { "" };
    format!("({}{comma})", extents.join(", "))
}
