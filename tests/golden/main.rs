//! Golden texts: plans with their kernels, and errors as users read them.
//!
//! `PHALANX_BLESS=1`, or `cargo xtask bless`, rewrites the files instead of comparing them.

mod errors;
mod files;
mod inputs;
mod loops;
mod memory;
mod null_gpus;
mod plans;
mod predicted;
mod programs;
