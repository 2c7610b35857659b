//! NVIDIA GPUs through the CUDA driver. All libraries are found at run time.
//!
//! All work of a device is in the order of one stream: kernels, copies and fills are enqueued, and
//! only reads to the host wait. Freed memory may be reused at once, because the next user follows
//! the last one in that order. Streams of programs and of other libraries are ordered before or
//! after that stream by events (`stream`).
//!
//! A failed call leaves its error with the device (`Device::failure`), because a fault of the GPU
//! appears at a later call. Code that reads results checks for it.

mod allocator;
mod attributes;
mod blas;
mod cache;
mod capture;
mod compiler;
mod context;
mod copies;
mod device;
mod driver;
mod fft;
mod function;
mod library;
mod nccl;
mod peer;
mod pinned;
mod pool;
mod profiling;
mod room;
mod solver;
mod staging;
mod stream;
mod words;

pub use allocator::{Allocator, DeviceMemory, ManagedMemory};
pub use blas::{MatrixElement, Product};
pub use compiler::{Compiler, save_source};
pub use context::{KeptContext, keep_context};
pub use copies::copy_source;
pub use device::{CudaDevice, Properties, cuda_devices, usable_gpus};
pub use fft::{Fourier, FourierLines};
pub use function::{Coming, Function, GridSize, Module};
pub use library::{CudaOptions, Found, Library, find};
pub use nccl::{NcclCommunicator, NcclElement, NcclId, NcclReduction, nccl_version};
pub use peer::{PEER_HANDLE_BYTES, PeerBlock};
pub use pinned::PinnedMemory;
pub use profiling::{mark, pop_range, profile, push_range};
pub use solver::{Matrices, SingularParts, Triangle};
pub use stream::{Event, Reader, Stream};
pub use words::{Definitions, WORDS, with_words};
