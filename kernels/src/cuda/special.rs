//! Special functions in generated kernels: by the same texts as on the host, or by CUDA's library.

use super::prelude::{self, Uses};
use phalanx_device::cuda::with_words;
use phalanx_ops::Special;
use phalanx_special::FUNCTIONS;

/// The function of CUDA's own library for a special function: its threads take the same path for
/// all numbers, and its error is at most ten units in the last place (CUDA C++ Programming Guide,
/// "Mathematical Functions").
fn of_library(function: Special) -> Option<&'static str> {
    match function.name {
        "erf" => Some("erf"),
        "erfc" => Some("erfc"),
        "erfcinv" => Some("erfcinv"),
        "erfinv" => Some("erfinv"),
        "gamma" => Some("tgamma"),
        "nearest_fma" => Some("fma"),
        "ndtri" => Some("normcdfinv"),
        _ => None,
    }
}

/// The name that a kernel calls; operands and result are `f64`.
pub(super) fn called(function: Special) -> String {
    of_library(function).map_or_else(|| text_of(function.name), String::from)
}

/// The section of the prelude that a kernel needs for a call.
pub(super) fn defined(function: Special) -> Option<String> {
    of_library(function).is_none().then(|| text_of(function.name))
}

/// Whether a function is so long that a thread should compute it for one element at a time: several
/// copies of its instructions would need more registers and a longer compilation.
pub(super) fn is_long(function: Special) -> bool {
    of_library(function).is_none()
}

/// A text with all functions: compiled one by one, they would define what they share again and
/// again.
pub fn sources() -> Vec<String> {
    let functions = FUNCTIONS.iter().map(|function| text_of(function.name)).collect();
    vec![with_words(&prelude::text(&Uses { functions, ..Uses::default() }))]
}

fn text_of(name: &str) -> String {
    format!("special_{name}")
}
