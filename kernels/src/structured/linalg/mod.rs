//! Factorisations of matrices.

pub mod cpu;
pub mod cuda;
mod lapack;
mod routines;
