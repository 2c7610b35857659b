//! Fourier transforms.

pub mod cpu;
mod lines;
mod plans;
