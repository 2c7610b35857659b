//! Fourier transforms.

mod check;
pub mod cpu;
pub mod cuda;
mod lines;
mod plans;
