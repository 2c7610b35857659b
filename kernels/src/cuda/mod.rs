//! Kernels for CUDA devices.

pub mod prelude;
