//! The memory of a GPU: the pool of cached memory blocks, its limit and its allocator, and the
//! waits after which freed memory is known to be unused.

use super::allocator::Allocator;
use super::borrowed::{Borrowed, Owner};
use super::pool::Pool;
use crate::cuda::driver::{Context, Mark, keep_context};
use crate::{DeviceError, DevicePointer};
use cudarc::driver::sys;
use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// Bytes of counters.
pub(super) const COUNTERS: usize = 4 << 16;
const UNLIMITED: usize = usize::MAX;

/// The memory of a GPU, which the device's other parts share.
pub(in crate::cuda) struct GpuMemory {
    /// The most bytes that may be in use; `UNLIMITED` without a limit.
    limit: AtomicUsize,
    pool: Mutex<Pool>,
    pub(super) allocator: Box<dyn Allocator>,
    borrowed: Borrowed,
    /// Zeros with which thread blocks count each other; each kernel leaves zeros.
    pub(super) counters: OnceLock<DevicePointer>,
    spares: Mutex<Vec<Weak<dyn Spare>>>,
    /// Dropped last: the fields before it free what they have in the context.
    context: Arc<Context>,
}

/// A part of a device that keeps memory only to save time, and frees it if memory is short.
pub(in crate::cuda) trait Spare: Send + Sync {
    /// Takes all that can be freed; `None` if there is nothing. Work that is enqueued may still use
    /// it, so the caller waits for the work before it drops the value.
    fn take(&self) -> Option<Box<dyn Any>>;
}

impl GpuMemory {
    /// Memory from an allocator, with an optional limit in bytes.
    pub fn new(
        context: Arc<Context>,
        limit: Option<usize>,
        allocator: Box<dyn Allocator>,
    ) -> Arc<GpuMemory> {
        Arc::new(GpuMemory {
            limit: AtomicUsize::new(limit.unwrap_or(UNLIMITED)),
            pool: Mutex::default(),
            allocator,
            borrowed: Borrowed::default(),
            counters: OnceLock::new(),
            spares: Mutex::default(),
            context,
        })
    }

    /// The context.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The state of the pool.
    pub fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The most bytes that may be in use; `usize::MAX` without a limit.
    pub(super) fn most(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// The most bytes that may be in use, if there is a limit.
    pub fn limit(&self) -> Option<usize> {
        Some(self.most()).filter(|&limit| limit != UNLIMITED)
    }

    /// Sets the limit; existing memory stays.
    pub fn set_limit(&self, limit: Option<usize>) {
        self.limit.store(limit.unwrap_or(UNLIMITED), Ordering::Relaxed);
    }

    /// The error of a request that there is no memory for; 0 bytes if a library made it.
    pub fn refused(&self, requested: usize) -> DeviceError {
        DeviceError::OutOfMemory {
            device: String::from(self.context.name()),
            requested,
            in_use: self.pool().in_use,
            limit: Some(self.limit().unwrap_or(self.context.properties().memory)),
        }
    }

    /// Takes back a memory block, whose next user follows in the order of the stream.
    pub fn free(&self, address: DevicePointer, size: usize) {
        self.pool().add_free(address, size);
    }

    /// Waits for all work enqueued so far.
    pub fn synchronize(&self) {
        self.context.enter();
        let turn = self.pool().end_turn();
        // SAFETY: the stream lives as long as the context.
        let waited = unsafe { sys::cuStreamSynchronize(self.context.own_stream()) };
        if self.context.note("cuStreamSynchronize", waited) {
            self.pool().settle(turn);
        }
        self.release_borrowed();
    }

    /// Keeps foreign memory until the work enqueued so far is done.
    pub fn keep_until_done(&self, owner: Owner) {
        let _kept = keep_context();
        match Mark::new(&self.context, false, false) {
            Ok(mark) => {
                mark.set(&self.context);
                self.borrowed.keep(mark, owner);
            }
            Err(error) => {
                self.synchronize();
                self.context.fail(error);
            }
        }
        self.release_borrowed();
    }

    /// Releases foreign memory that no work reads any more.
    pub fn release_borrowed(&self) {
        self.borrowed.release_done(&self.context);
    }

    /// Returns free memory blocks to the allocator, once no work uses them.
    pub fn release_cached(&self) {
        let blocks = self.pool().drain();
        let _kept = self.context.visit();
        self.synchronize();
        for (block, size) in blocks {
            // SAFETY: the memory block came from the allocator, nothing holds it, and the stream is
            // idle.
            if let Err(error) = unsafe { self.allocator.free(&self.context, block, size) } {
                self.context.fail(error);
            }
        }
    }

    /// Registers a part whose memory may be freed to make room; the first is freed first.
    pub fn add_spare(&self, spare: Weak<dyn Spare>) {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner).push(spare);
    }

    /// The parts whose memory may be freed to make room.
    pub(super) fn spares(&self) -> Vec<Arc<dyn Spare>> {
        let spares = self.spares.lock().unwrap_or_else(PoisonError::into_inner);
        spares.iter().filter_map(Weak::upgrade).collect()
    }
}

impl Drop for GpuMemory {
    fn drop(&mut self) {
        // Streams of programs may outlive the device, and their work may use its memory.
        let _ = self.context.synchronize_all();
        self.release_cached();
        if let Some(address) = self.counters.take() {
            let _kept = self.context.visit();
            // SAFETY: the memory block came from the allocator, and nothing uses it any more.
            let _ = unsafe { self.allocator.free(&self.context, address, COUNTERS) };
        }
    }
}
