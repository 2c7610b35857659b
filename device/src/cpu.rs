//! The CPU as a device, with a pool of memory; all CPU devices share their threads.

use crate::blas::Blas;
use crate::observer::{self, MemoryEvent, Stage};
use crate::{Buffer, Device, DeviceError, ForeignMemory, Pool, pages};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A CPU device: host memory with a free list for each size, and the compute threads that it shares
/// with the other CPU devices of its session.
pub struct CpuDevice {
    ordinal: usize,
    limit: Option<usize>,
    threads: Arc<rayon::ThreadPool>,
    blas: Option<Blas>,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    /// Freed allocations by size; the last freed is reused first, so loops get the same warm pages.
    free: FxHashMap<usize, Vec<Block>>,
    cached: usize,
    in_use: usize,
    peak: usize,
}

impl Memory {
    /// Frees all cached memory.
    fn free_cached(&mut self) {
        for (size, blocks) in self.free.drain() {
            for block in blocks {
                // SAFETY: a block of the free list came from `pages` with this size and has no
                // handle.
                unsafe { pages::free(block.0, size) };
            }
        }
        self.cached = 0;
    }
}

struct Block(NonNull<u8>);
// SAFETY: a block is unowned plain memory; moving it between threads is harmless.
unsafe impl Send for Block {}

/// The most bytes of freed memory that are cached; the system gets the rest.
const MOST_CACHED: usize = 4 << 30;

impl CpuDevice {
    /// The first `count` CPU devices, from `cpu:0` on, which share `threads` compute
    /// threads, with an optional memory limit in bytes for each, and a library for matrices.
    ///
    /// Errors: `DeviceError::Threads` when threads cannot be started.
    pub fn all(
        count: usize,
        threads: usize,
        limit: Option<usize>,
        blas: Option<Blas>,
    ) -> Result<Vec<Arc<CpuDevice>>, DeviceError> {
        let mut pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1));
        if blas.is_some() {
            pool = pool.stack_size(Blas::STACK);
        }
        let pool = pool.thread_name(|index| format!("cpu.{index}")).build().map_err(|error| {
            DeviceError::Threads { device: String::from("cpu"), reason: error.to_string() }
        })?;
        let pool = Arc::new(pool);
        let device = |ordinal| {
            let (threads, memory) = (pool.clone(), Mutex::default());
            Arc::new(CpuDevice { ordinal, limit, threads, blas, memory })
        };
        Ok((0..count).map(device).collect())
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes back a block of `size` bytes.
    fn take_back(&self, pointer: NonNull<u8>, size: usize) {
        let address = pointer.as_ptr() as usize;
        observer::note(|| self.event(Stage::Free, size, size, address));
        self.keep_or_free(pointer, size);
        observer::note(|| self.event(Stage::Freed, size, size, address));
    }

    fn event(&self, stage: Stage, bytes: usize, size: usize, address: usize) -> MemoryEvent {
        MemoryEvent::new(stage, &self.name(), bytes, size, address)
    }

    fn keep_or_free(&self, pointer: NonNull<u8>, size: usize) {
        let mut memory = self.memory();
        memory.in_use -= size;
        if memory.cached + size <= MOST_CACHED {
            memory.cached += size;
            memory.free.entry(size).or_default().push(Block(pointer));
        } else {
            // SAFETY: the pointer came from `pages` with this size and no handle is left
            // (condition 1 of `Buffer`).
            unsafe { pages::free(pointer, size) };
        }
    }
}

/// The size of the block that holds some bytes.
fn rounded(bytes: usize) -> usize {
    bytes.max(1).next_multiple_of(64)
}

impl Pool for CpuDevice {
    fn release(&self, pointer: NonNull<u8>, len: usize) {
        self.take_back(pointer, rounded(len));
    }
}

impl Device for CpuDevice {
    fn name(&self) -> String {
        format!("cpu:{}", self.ordinal)
    }

    fn allocate(self: Arc<Self>, bytes: usize) -> Result<Buffer, DeviceError> {
        // Sizes are rounded, so that nearly equal blocks share a free list.
        let size = rounded(bytes);
        let refused = |in_use| DeviceError::OutOfMemory {
            device: self.name(),
            requested: bytes,
            in_use,
            limit: self.limit,
        };
        observer::note(|| self.event(Stage::Take, bytes, size, 0));
        let new = || {
            observer::note(|| self.event(Stage::Allocate, size, size, 0));
            let pointer = pages::allocate(size)?;
            if let Some(pointer) = pointer {
                let address = pointer.as_ptr() as usize;
                observer::note(|| self.event(Stage::Allocated, size, size, address));
            }
            Ok::<_, DeviceError>(pointer)
        };
        let pointer = {
            let mut memory = self.memory();
            if self.limit.is_some_and(|limit| memory.in_use + size > limit) {
                return Err(refused(memory.in_use));
            }
            let cached = memory.free.get_mut(&size).and_then(Vec::pop);
            let pointer = match cached {
                Some(block) => {
                    memory.cached -= size;
                    block.0
                }
                None => match new()? {
                    Some(pointer) => pointer,
                    None => {
                        // Cached blocks have other sizes, so free them and try again.
                        memory.free_cached();
                        new()?.ok_or_else(|| refused(memory.in_use))?
                    }
                },
            };
            memory.in_use += size;
            memory.peak = memory.peak.max(memory.in_use);
            pointer
        };
        let address = pointer.as_ptr() as usize;
        observer::note(|| self.event(Stage::Taken, bytes, size, address));
        // SAFETY: the memory is valid for `size` bytes until `release` frees or reuses it.
        Ok(unsafe { Buffer::from_pool(pointer, bytes, self) })
    }

    fn bytes_in_use(&self) -> usize {
        self.memory().in_use
    }

    fn peak_bytes(&self) -> usize {
        self.memory().peak
    }

    fn reset_peak(&self) {
        let mut memory = self.memory();
        memory.peak = memory.in_use;
    }

    fn memory_limit(&self) -> Option<usize> {
        self.limit
    }

    fn pool(&self) -> Option<&rayon::ThreadPool> {
        Some(&self.threads)
    }

    fn blas(&self) -> Option<Blas> {
        self.blas
    }

    fn adopt(self: Arc<Self>, memory: &ForeignMemory, bytes: Range<usize>) -> Option<Buffer> {
        if memory.device() != self.name() {
            return None;
        }
        let pointer = NonNull::new(memory.address(&bytes).as_ptr())?;
        let owner = memory.owner();
        let keep = move |_, _| _ = &owner;
        // SAFETY: the bytes may be read as long as the owner lives (`ForeignMemory::new`), which
        // `keep` holds; memory of others is not written.
        Some(unsafe { Buffer::from_pool(pointer, bytes.len(), Arc::new(keep)) })
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

impl Drop for CpuDevice {
    fn drop(&mut self) {
        self.memory.get_mut().unwrap_or_else(PoisonError::into_inner).free_cached();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_memory_is_reused_and_limits_hold() {
        let device = CpuDevice::all(1, 1, Some(1 << 20), None).unwrap().remove(0);
        let first = device.clone().allocate(1000).unwrap();
        let address = first.as_ptr();
        drop(first);
        assert_eq!(device.bytes_in_use(), 0);
        assert_eq!(device.clone().allocate(1010).unwrap().as_ptr(), address);
        let error = device.clone().allocate(2 << 20).unwrap_err();
        assert_eq!(error.code(), "PX050");
        assert_eq!(device.peak_bytes(), 1024);
    }
}
