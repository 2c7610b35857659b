//! Generic solvers and transforms of other crates, for the dtypes that arrays have.
//!
//! Their instances are much code. A separate crate holds it, so that it is compiled once, and with
//! less optimisation for tests than the loops over elements.
#![forbid(unsafe_code)]

mod cache;
pub mod fft;
pub mod linalg;
pub mod sparse;
