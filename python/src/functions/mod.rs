//! The functions, topic by topic: of each the signature, what it is for, and the call.

pub mod creation;
pub mod differences;
pub mod fft;
pub mod linalg;
pub mod polynomials;
pub mod products;
pub mod random;
pub mod reductions;
pub mod scans;
pub mod sorting;
pub mod sparse;
pub mod statistics;

use crate::function::Row;

/// The functions of the module itself.
pub const FUNCTIONS: &[&[Row]] = &[
    creation::FUNCTIONS,
    reductions::FUNCTIONS,
    statistics::FUNCTIONS,
    sorting::FUNCTIONS,
    scans::FUNCTIONS,
    differences::FUNCTIONS,
    polynomials::FUNCTIONS,
    products::FUNCTIONS,
];

/// The names of functions that are methods of arrays, too, with the same parameters after the
/// first.
pub const METHODS: &[&str] = &[
    "all",
    "any",
    "argmax",
    "argmin",
    "astype",
    "conj",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "var", //
    "argpartition",
    "argsort",
    "cumprod",
    "cumsum",
    "dot",
    "searchsorted",
    "trace",
];

/// Methods whose parameters are not those of a function.
pub const METHODS_ALONE: &[&[Row]] = &[creation::METHODS, sorting::METHODS];
