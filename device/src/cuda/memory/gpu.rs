//! The memory of a GPU: the pool of cached memory blocks, its limit and its allocator, and the
//! waits after which freed memory is known to be unused.

use super::allocator::{Allocator, Source};
use super::borrowed::{Borrowed, Owner};
use super::pool::Pool;
use crate::cuda::driver::{Context, Mark, keep_context};
use crate::observer::{self, MemoryEvent, Stage};
use crate::{DeviceError, DevicePointer};
use cudarc::driver::sys;
use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};

/// Bytes of counters.
pub(super) const COUNTERS: usize = 4 << 16;
const UNLIMITED: usize = usize::MAX;

/// The memory of a GPU, which the device's other parts share.
pub(in crate::cuda) struct GpuMemory {
    /// The most bytes that may be in use; `UNLIMITED` without a limit.
    limit: AtomicUsize,
    pool: Mutex<Pool>,
    source: RwLock<Arc<Source>>,
    borrowed: Borrowed,
    /// Zeros with which thread blocks count each other; each kernel leaves zeros.
    pub(super) counters: OnceLock<(DevicePointer, Arc<Source>)>,
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
            source: RwLock::new(Arc::new(Source::new(0, allocator))),
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

    /// The source of new memory blocks.
    pub(super) fn source(&self) -> Arc<Source> {
        self.source.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes new memory blocks from another allocator. If the pool does not cache, each memory
    /// block returns to the allocator when it is free and no work uses it. Memory in use stays.
    pub fn set_allocator(&self, allocator: Box<dyn Allocator>, caches: bool) {
        let (before, blocks) = {
            // While this is held, the pool and the source change together: nobody returns blocks
            // of one source to the other one.
            let mut source = self.source.write().unwrap_or_else(PoisonError::into_inner);
            let number = source.number + 1;
            let new = Arc::new(Source::new(number, allocator));
            let before = std::mem::replace(&mut *source, new);
            (before, self.pool().change_source(number, caches))
        };
        self.give_back(blocks, &before);
    }

    /// Takes back a memory block, whose next user follows in the order of the stream.
    pub fn free(&self, address: DevicePointer, size: usize, source: &Arc<Source>) {
        observer::note(|| self.event(Stage::Free, size, size, address));
        let is_cached = self.pool().add_free(address, size, source.number);
        observer::note(|| self.event(Stage::Freed, size, size, address));
        if !is_cached {
            let (context, source) = (self.context.clone(), source.clone());
            self.keep_until_done(Arc::new(Returned { context, source, address, size }));
        }
    }

    /// A step in the life of a memory block, for an observer.
    pub(super) fn event(
        &self,
        stage: Stage,
        bytes: usize,
        size: usize,
        address: DevicePointer,
    ) -> MemoryEvent {
        let address = address.address() as usize;
        MemoryEvent::new(stage, self.context.name(), bytes, size, address)
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
        let (source, blocks) = {
            // While this is held, no other source begins.
            let source = self.source.read().unwrap_or_else(PoisonError::into_inner);
            let blocks = self.pool().drain();
            (source.clone(), blocks)
        };
        self.give_back(blocks, &source);
    }

    /// Returns free memory blocks to their source, once no work uses them.
    fn give_back(&self, blocks: Vec<(DevicePointer, usize)>, source: &Source) {
        let _kept = self.context.visit();
        self.synchronize();
        for (block, size) in blocks {
            // SAFETY: the memory block came from the allocator, nothing holds it, and the stream is
            // idle.
            if let Err(error) = unsafe { source.allocator.free(&self.context, block, size) } {
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
        if let Some((address, source)) = self.counters.take() {
            let _kept = self.context.visit();
            // SAFETY: the memory block came from the allocator, and nothing uses it any more.
            let _ = unsafe { source.allocator.free(&self.context, address, COUNTERS) };
        }
    }
}

/// A memory block that returns to its source when this is dropped: no work uses it any more.
struct Returned {
    context: Arc<Context>,
    source: Arc<Source>,
    address: DevicePointer,
    size: usize,
}

impl Drop for Returned {
    fn drop(&mut self) {
        let _kept = self.context.visit();
        // SAFETY: the memory block came from the allocator, and nothing uses it any more.
        let freed = unsafe { self.source.allocator.free(&self.context, self.address, self.size) };
        if let Err(error) = freed {
            self.context.fail(error);
        }
    }
}
