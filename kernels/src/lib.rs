//! Kernels: the IR of fused loops, and their execution on devices.

pub mod cpu;
pub mod cuda;
pub mod error;
mod executable;
mod host_copies;
pub mod ir;
pub mod structured;

pub use cuda::{
    BUFFERS_APART, Geometry as GpuLaunch, Missing, describe as describe_on_gpu, loaded_late,
};
pub use error::KernelError;
pub use executable::Executable;
