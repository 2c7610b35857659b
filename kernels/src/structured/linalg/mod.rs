//! Factorisations of matrices.

mod cholesky;
pub mod cpu;
mod general;
mod lu;
mod number;
mod qr;
mod spectral;
