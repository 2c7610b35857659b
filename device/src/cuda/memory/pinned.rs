//! Pinned host memory, which GPUs access directly.

use super::gpu::GpuMemory;
use crate::cuda::driver::Context;
use crate::{Buffer, DeviceError};
use cudarc::driver::sys;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The unit to which sizes are rounded up.
const GRAIN: usize = 512;

/// Pinned host memory, which every GPU of the process reads and writes at full speed. It returns to
/// the pool of its device when dropped.
pub struct PinnedMemory {
    pool: Arc<PinnedPool>,
    start: NonNull<u8>,
    length: usize,
    size: usize,
}

// SAFETY: plain bytes without thread affinity; the program orders accesses to them, as for every
// buffer that it receives.
unsafe impl Send for PinnedMemory {}
// SAFETY: as for `Send`; no method reads or writes the bytes.
unsafe impl Sync for PinnedMemory {}

/// The pinned host memory of a device: freed memory blocks by size; the last freed is reused first.
pub(in crate::cuda) struct PinnedPool {
    memory: Arc<GpuMemory>,
    free: Mutex<HashMap<usize, Vec<Block>>>,
}

struct Block(NonNull<u8>);

// SAFETY: a free memory block has no owner.
unsafe impl Send for Block {}

impl PinnedPool {
    /// An empty pool of the device with this memory.
    pub fn new(memory: &Arc<GpuMemory>) -> Arc<PinnedPool> {
        Arc::new(PinnedPool { memory: memory.clone(), free: Mutex::default() })
    }

    fn free(&self) -> MutexGuard<'_, HashMap<usize, Vec<Block>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of cached memory blocks.
    pub fn free_blocks(&self) -> usize {
        self.free().values().map(Vec::len).sum()
    }

    /// Frees cached memory blocks, once no copy uses them.
    pub fn release(&self) {
        let _kept = self.memory.context().visit();
        self.memory.synchronize();
        for block in self.free().drain().flat_map(|(_, blocks)| blocks) {
            // SAFETY: made by `allocate`, and it has no owner.
            let _ = unsafe { sys::cuMemFreeHost(block.0.as_ptr().cast()) };
        }
    }
}

impl Drop for PinnedPool {
    fn drop(&mut self) {
        self.release();
    }
}

/// New pinned host memory.
pub(super) fn allocate(context: &Context, size: usize) -> Result<NonNull<u8>, DeviceError> {
    let _kept = context.visit();
    let mut start = std::ptr::null_mut();
    // SAFETY: the context is current and the pointer valid.
    let made = unsafe { sys::cuMemHostAlloc(&raw mut start, size, sys::CU_MEMHOSTALLOC_PORTABLE) };
    context.check("cuMemHostAlloc", made)?;
    NonNull::new(start.cast()).ok_or_else(|| DeviceError::OutOfMemory {
        device: String::from("host"),
        requested: size,
        in_use: 0,
        limit: None,
    })
}

impl PinnedMemory {
    /// Memory of this many bytes with unspecified contents.
    ///
    /// Errors: `DeviceError::Cuda` if the system refuses.
    pub(in crate::cuda) fn new(
        pool: &Arc<PinnedPool>,
        length: usize,
    ) -> Result<PinnedMemory, DeviceError> {
        let size = length.max(1).next_multiple_of(GRAIN);
        let kept = pool.free().get_mut(&size).and_then(Vec::pop);
        let start = match kept {
            Some(block) => block.0,
            None => allocate(pool.memory.context(), size)?,
        };
        Ok(PinnedMemory { pool: pool.clone(), start, length, size })
    }

    /// The bytes as a host buffer. When it is dropped, the memory returns to the pool and `kept` is
    /// dropped.
    pub fn into_buffer_with(self, kept: impl Send + Sync + 'static) -> Buffer {
        let (start, length) = (self.start, self.length);
        let release = move |_, _| {
            let _kept = (&self, &kept);
        };
        // SAFETY: the memory is this value's alone until it is dropped, which is when the buffer
        // is.
        unsafe { Buffer::from_pool(start, length, Arc::new(release)) }
    }

    /// The address of the first byte.
    pub fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        self.pool.free().entry(self.size).or_default().push(Block(self.start));
    }
}
