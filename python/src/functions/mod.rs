//! The functions by topic: for each the signature, a sentence, and the call.

pub mod conversions;
pub mod creation;
pub mod differences;
pub mod dtypes;
pub mod elementary;
pub mod fft;
pub mod graphs;
pub mod grids;
pub mod io;
pub mod linalg;
pub mod manipulation;
pub mod neighbourhoods;
mod padding;
pub mod polynomials;
pub mod products;
pub mod random;
pub mod reductions;
pub mod scans;
pub mod selection;
pub mod signal;
pub mod solvers;
pub mod sorting;
pub mod spatial;
pub mod special;
pub mod statistics;

pub use io::Archive;

use crate::function::Row;

/// The functions of the module itself.
pub const FUNCTIONS: &[&[Row]] = &[
    creation::FUNCTIONS,
    manipulation::FUNCTIONS,
    selection::FUNCTIONS,
    conversions::FUNCTIONS,
    dtypes::FUNCTIONS,
    elementary::FUNCTIONS,
    io::FUNCTIONS,
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
    "argpartition",
    "argsort",
    "choose",
    "cumprod",
    "cumsum",
    "diagonal",
    "dot",
    "max",
    "mean",
    "min",
    "nonzero",
    "prod",
    "ptp",
    "ravel",
    "repeat",
    "round",
    "searchsorted",
    "squeeze",
    "std",
    "sum",
    "swapaxes",
    "take",
    "trace",
    "var",
];

/// Methods whose parameters are not those of a function.
pub const METHODS_ALONE: &[&[Row]] = &[
    creation::METHODS,
    manipulation::METHODS,
    selection::METHODS,
    elementary::METHODS,
    io::METHODS,
    sorting::METHODS,
];
