//! Memory for the calls of libraries.

use super::allocator::Source;
use super::gpu::GpuMemory;
use super::room::Block;
use crate::{DeviceError, DevicePointer};
use std::sync::Arc;

/// Memory of the pool for work that a library enqueues.
///
/// It returns to the pool when this is dropped, once the work is enqueued: the next user of the
/// memory follows in the order of the stream. A capture in progress keeps it instead, because the
/// graph contains its address.
pub(in crate::cuda) struct Workspace {
    address: DevicePointer,
    bytes: usize,
    /// `None` once this is being dropped.
    taken: Option<Taken>,
}

/// A memory block that returns to the pool when dropped.
struct Taken {
    memory: Arc<GpuMemory>,
    address: DevicePointer,
    size: usize,
    source: Arc<Source>,
}

impl Workspace {
    /// A workspace of this many bytes.
    ///
    /// Errors: `DeviceError::OutOfMemory`, `DeviceError::Cuda`.
    pub fn new(memory: &Arc<GpuMemory>, bytes: usize) -> Result<Workspace, DeviceError> {
        let Block { address, size, source, .. } = memory.take(bytes)?;
        let taken = Some(Taken { memory: memory.clone(), address, size, source });
        Ok(Workspace { address, bytes, taken })
    }

    /// The address of the first byte.
    pub fn as_ptr<T>(&self) -> *mut T {
        self.address.as_ptr()
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.bytes
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if let Some(taken) = self.taken.take() {
            let memory = taken.memory.clone();
            memory.context().keep_captured(|| taken);
        }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.memory.free(self.address, self.size, &self.source);
    }
}
