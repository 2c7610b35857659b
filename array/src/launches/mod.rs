//! Kernels of the user's own that are launched as they are: compiled programs, which read and write
//! the memory of arrays.

mod kernel;
mod record;
mod signature;

pub use kernel::{LaunchArgument, LaunchKernel};
pub use phalanx_ops::structured::{Code, HostCode, LaunchSize, Program, ShardPlace, Share};
