//! Kernels on GPUs: texts that are compiled when they are needed, their launches, and tables that
//! are combined in a fixed order.

mod direct;
mod kernel;
mod missing;
mod tables;
mod values;

pub use direct::BUFFERS_APART;
pub use kernel::CudaKernel;
pub use missing::Missing;
