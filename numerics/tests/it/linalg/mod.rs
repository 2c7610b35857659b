//! Factorisations of one matrix, checked by products of their factors.

mod cholesky;
mod conversions;
mod decompositions;
mod general;
mod lu;
/// The tests compile the conversions themselves, because the crate exports only factorisations.
#[path = "../../../src/linalg/number.rs"]
mod number;
mod qr;
mod samples;
mod spectral;
