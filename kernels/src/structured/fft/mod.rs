//! Fourier transforms.

mod check;
mod columns;
pub mod cpu;
pub mod cuda;
mod lines;
