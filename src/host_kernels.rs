//! Functions of the process as kernels, for CPU devices: a program's own loops over the memory of
//! arrays, in order with all other operations.
//!
//! ```
//! use phalanx::host_kernels::{HostCall, host_kernel};
//! use phalanx::launches::{LaunchArgument, LaunchSize};
//! use phalanx::prelude::*;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let session = phalanx::init(Config::default())?;
//! let invert = host_kernel("invert", |call: &mut HostCall<'_>| {
//!     for byte in call.bytes_mut(0) {
//!         *byte = !*byte;
//!     }
//! });
//! let x = zeros([4], DType::U8);
//! let size = LaunchSize { blocks: [1; 3], threads: [1; 3], shared: 0 };
//! invert.launch(size, &[LaunchArgument::Array(x.clone())])?;
//! assert_eq!(x.to_vec::<u8>()?, [255; 4]);
//! # session.finish()?;
//! # Ok(())
//! # }
//! ```

use phalanx_array::launches::{Code, LaunchKernel, Program};
use phalanx_kernels::structured::launch::HostKernel;

pub use phalanx_kernels::structured::launch::{HostCall, HostParameter};

/// The kernel of a function. The name identifies it: functions with one name are one kernel, the
/// first. By default it may write all its arrays; see [`LaunchKernel::writes`]. Local.
///
/// A panic of the function is an error of the values that the window computes (PX033).
pub fn host_kernel(
    name: &str,
    run: impl Fn(&mut HostCall<'_>) + Send + Sync + 'static,
) -> LaunchKernel {
    let code = Code::Host(String::from(name), Box::new(HostKernel::new(run)));
    LaunchKernel::new(Program::new(code, Vec::new(), Vec::new()), name)
}
