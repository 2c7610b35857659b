//! The insertion points of values in a sorted vector.

pub mod cpu;
pub mod cuda;
mod run;

pub use run::run_on;
