//! Kernels of the user's own: compiled programs on GPUs, functions of the process on the host.

pub mod cpu;
pub mod cuda;
mod guards;
mod host;
mod programs;

pub use host::{HostCall, HostKernel, HostParameter};
pub use programs::{LoadedProgram, compiled, loaded};
