//! GPUs beside the work of arrays: streams, events, pinned memory and profilers, for programs that
//! launch their own kernels or use other libraries.
//!
//! Work of arrays runs in program order, in a separate stream of each device. A program orders its
//! own stream before it ([`Stream::precede`]) or after it ([`Stream::follow`]). Recorded operations
//! are not work yet: [`hand_over`](crate::hand_over) starts them.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use phalanx::cuda::{Event, Stream};
//! let session = phalanx::init(phalanx::Config::default())?;
//! // None on a CPU.
//! for gpu in session.gpus() {
//!     let context = gpu.context();
//!     let (start, end) = (Event::new(context, true, false)?, Event::new(context, true, false)?);
//!     start.record(&Stream::of_work(context))?;
//!     let x = phalanx::ones([1000, 1000], phalanx::DType::F64).sum(());
//!     phalanx::hand_over()?;
//!     end.record(&Stream::of_work(context))?;
//!     end.synchronize()?;
//!     println!("{:?}: {} ms", x, end.elapsed_since(&start)?);
//! }
//! # session.finish()?;
//! # Ok(())
//! # }
//! ```

mod benchmark;
mod current;
mod raw;

use crate::config::CudaOptions;
use phalanx_device::cuda;
use phalanx_device::{Strided, copy_strided};
use std::any::Any;
use std::sync::Arc;

pub use benchmark::{Timings, benchmark};
pub use current::{current_stream, with_stream};
pub use phalanx_device::cuda::FunctionAttribute;
pub use phalanx_device::cuda::{
    Allocator, AsyncMemory, Context, CudaDevice, DeviceMemory, Event, HandleKind, KeptContext,
    LibraryHandle, ManagedMemory, PinnedMemory, Properties, Reader, Stream, keep_context, mark,
    pop_range, profile, push_range,
};
pub use phalanx_device::{Buffer, Device, DeviceError, DevicePointer, ForeignMemory, observer};
pub use raw::{RawKernel, RawModule};

/// The number of GPUs that the process can use; 0 without a working driver. Local.
pub fn count(options: &CudaOptions) -> usize {
    cuda::cuda_devices(options).unwrap_or(0)
}

/// Allocates bytes of a GPU, with unspecified contents. Local.
///
/// Errors: `DeviceError::OutOfMemory`.
pub fn allocate(gpu: &Arc<CudaDevice>, length: usize) -> Result<Buffer, DeviceError> {
    let _kept = keep_context();
    gpu.clone().allocate(length)
}

/// Reads memory on a GPU from its lowest element to its highest, and waits for it. Local.
///
/// Errors: `DeviceError::NoSuchDevice` if the memory is another device's.
pub fn to_host(gpu: &Arc<CudaDevice>, memory: &ForeignMemory) -> Result<Vec<u8>, DeviceError> {
    let _kept = keep_context();
    let mut bytes = vec![0; memory.length()];
    adopted(gpu, memory)?.read(0, &mut bytes);
    gpu.failure().map_or(Ok(bytes), Err)
}

/// Writes host bytes to memory on a GPU, from its lowest element on. The device must have received
/// the memory as writable. Local.
///
/// Errors: `DeviceError::NoSuchDevice` if the memory is another device's.
pub fn from_host(
    gpu: &Arc<CudaDevice>,
    memory: &ForeignMemory,
    bytes: &[u8],
) -> Result<(), DeviceError> {
    let _kept = keep_context();
    adopted(gpu, memory)?.write(0, bytes);
    gpu.failure().map_or(Ok(()), Err)
}

/// As [`to_host`], into new memory of the same GPU: returns its address and its owner. Local.
///
/// Errors: `DeviceError::OutOfMemory`; `DeviceError::NoSuchDevice`.
pub fn duplicate(
    gpu: &Arc<CudaDevice>,
    memory: &ForeignMemory,
) -> Result<(usize, Arc<dyn Any + Send + Sync>), DeviceError> {
    let _kept = keep_context();
    let (from, to) = (adopted(gpu, memory)?, gpu.clone().allocate(memory.length())?);
    let place = |buffer| Strided { buffer, offset: 0, strides: &[1] };
    copy_strided(&place(&from), &place(&to), &[memory.length()], 1);
    Ok((to.as_ptr() as usize, Arc::new(to)))
}

fn adopted(gpu: &Arc<CudaDevice>, memory: &ForeignMemory) -> Result<Buffer, DeviceError> {
    let adopted = gpu.clone().adopt(memory, 0..memory.length());
    adopted.ok_or(DeviceError::NoSuchDevice { ordinal: gpu.ordinal(), count: 0 })
}
