//! Factorisations of matrices.

mod cholesky;
pub mod cpu;
pub mod cuda;
mod general;
mod lu;
mod number;
mod qr;
mod routines;
mod spectral;
