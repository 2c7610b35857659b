//! NVIDIA GPUs through the CUDA driver. All libraries are found at run time.
//!
//! All work of a device is in the order of one stream: kernels, copies and fills are enqueued, and
//! only reads to the host wait. Freed memory may be reused at once, because the next user follows
//! the last one in that order. Streams of programs and of other libraries are ordered before or
//! after that stream by events (`streams`).
//!
//! A failed call leaves its error with the device (`Device::failure`), because a fault of the GPU
//! appears at a later call. Code that reads results checks for it.
//!
//! The folders are layers, and each uses only those above it in this list. A `CudaDevice` is made
//! of their parts; each part has its own state and lock.

mod driver;
mod memory;
mod streams;

mod modules;

mod libraries;

mod device;
mod remote;

pub use device::CudaDevice;
pub use driver::{
    Context, CudaOptions, Found, KeptContext, Library, Properties, cuda_devices, find,
    keep_context, mark, pop_range, profile, push_range, usable_gpus,
};
pub use libraries::{
    Blas, Fft, Fourier, FourierLines, HandleKind, LibraryHandle, Matrices, MatrixElement,
    NcclCommunicator, NcclElement, NcclId, NcclReduction, Product, SingularParts, Solver, Triangle,
    nccl_version,
};
pub use memory::{
    Allocator, AsyncMemory, DeviceMemory, ManagedMemory, PEER_HANDLE_BYTES, PeerBlock, PinnedMemory,
};
pub use modules::{
    BINNED, Coming, Compiler, Definitions, Function, FunctionAttribute, GridSize, Image, Module,
    WORDS, copy_source, save_source, with_words,
};
pub use streams::{Event, Reader, Stream, Timed};
