//! The solvers and transforms, through the crate's interface: unit tests would compile the generic
//! code of the crate again.

/// The tests compile the cache themselves, because the crate exports only plans.
#[path = "../../src/cache.rs"]
mod cache;
mod fft;
mod fronts;
mod linalg;
mod sparse;
