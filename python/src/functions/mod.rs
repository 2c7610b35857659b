//! The functions, topic by topic: of each the signature, what it is for, and the call.

pub mod creation;
pub mod reductions;

use crate::function::Row;

/// The functions of the module itself.
pub const FUNCTIONS: &[&[Row]] = &[creation::FUNCTIONS, reductions::FUNCTIONS];

/// The names of functions that are methods of arrays, too, with the same parameters after the
/// first.
pub const METHODS: &[&str] = &[
    "all", "any", "argmax", "argmin", "astype", "conj", "max", "mean", "min", "prod", "ptp", "std",
    "sum", "var",
];

/// Methods whose parameters are not those of a function.
pub const METHODS_ALONE: &[&[Row]] = &[creation::METHODS];
