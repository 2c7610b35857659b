//! Generic solvers and transforms of other crates, for the dtypes that arrays have.
//!
//! Their instances are much code, which stands in a crate of its own: it is compiled once, and
//! for tests with less care than the loops over elements.
#![forbid(unsafe_code)]

pub mod fft;
pub mod linalg;
