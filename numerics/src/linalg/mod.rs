//! Factorisations of one matrix by one thread, whose result does not depend on how many there are,
//! mostly by the `faer` crate.

mod cholesky;
mod element;
mod general;
mod lu;
mod number;
mod qr;
mod spectral;

pub use element::Element;
