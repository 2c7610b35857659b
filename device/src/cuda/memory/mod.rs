//! The memory of a GPU: memory blocks of an allocator, which a pool caches; the objects that are
//! freed if memory is short; and pinned host memory with the copies to and from it.

mod allocator;
mod borrowed;
mod gpu;
mod peer;
mod pinned;
mod pool;
mod room;
mod staging;
mod workspace;

pub use allocator::{Allocator, AsyncMemory, DeviceMemory, ManagedMemory};
pub(super) use gpu::{GpuMemory, Spare};
pub use peer::{PEER_HANDLE_BYTES, PeerBlock};
pub(super) use peer::{open, reach};
pub use pinned::PinnedMemory;
pub(super) use pinned::PinnedPool;
pub(super) use room::Block;
pub(super) use staging::Lanes;
pub(super) use workspace::Workspace;
