//! Room in a GPU's memory: memory blocks of the pool, and the objects that are freed if memory is
//! short.
//!
//! First the pool's free memory blocks are freed; then the objects that only save time (`Spare`):
//! captured work with the memory that it holds, and plans of Fourier transforms.

use super::allocator::Source;
use super::gpu::{COUNTERS, GpuMemory};
use super::pool::Pool;
use crate::observer::{self, Stage};
use crate::{DeviceError, DevicePointer};
use cudarc::driver::sys;
use std::any::Any;
use std::sync::Arc;

/// A memory block that was taken from a GPU's memory.
pub(in crate::cuda) struct Block {
    pub address: DevicePointer,
    pub size: usize,
    /// The turn in which a reused memory block was freed: until that turn is settled, earlier work
    /// may still use the block. `None` for a new block.
    pub freed: Option<u64>,
    pub source: Arc<Source>,
}

impl GpuMemory {
    /// Takes a memory block of at least this many bytes, which `free` takes back.
    ///
    /// Errors: `DeviceError::OutOfMemory`, `DeviceError::Cuda`.
    pub fn take(&self, bytes: usize) -> Result<Block, DeviceError> {
        let (size, none) = (Pool::size(bytes), DevicePointer::from_address(0));
        observer::note(|| self.event(Stage::Take, bytes, size, none));
        let taken = self.take_of(size, bytes)?;
        observer::note(|| self.event(Stage::Taken, bytes, size, taken.address));
        Ok(taken)
    }

    fn take_of(&self, size: usize, bytes: usize) -> Result<Block, DeviceError> {
        self.release_borrowed();
        let limit = self.most();
        if self.pool().in_use.saturating_add(size) > limit {
            // Captured work holds memory too.
            self.free_spares();
        }
        let source = self.source();
        let (cached, is_full) = {
            let mut pool = self.pool();
            if pool.in_use.saturating_add(size) > limit {
                drop(pool);
                return Err(self.refused(bytes));
            }
            let cached = pool.take(size, source.number);
            // Cached memory blocks of other sizes count too: other processes cannot use them.
            let held = (pool.in_use + pool.cached).saturating_add(size);
            (cached, cached.is_none() && held > limit)
        };
        if is_full && self.context().is_capturing() {
            return Err(self.refused(bytes));
        }
        if is_full {
            self.release_cached();
        }
        Ok(match cached {
            Some((address, turn)) => Block { address, size, freed: Some(turn), source },
            None => {
                let address = self.allocate_block(size, &source)?;
                self.pool().used(size);
                Block { address, size, freed: None, source }
            }
        })
    }

    /// Zeros with which thread blocks of kernels count each other. A kernel that changes them must
    /// leave them zero.
    ///
    /// Errors: `DeviceError::OutOfMemory`, `DeviceError::Cuda`.
    pub fn counters(&self) -> Result<DevicePointer, DeviceError> {
        if let Some((address, _)) = self.counters.get() {
            return Ok(*address);
        }
        let (context, source) = (self.context(), self.source());
        let address = self.allocate_block(COUNTERS, &source)?;
        // SAFETY: the memory block has this many bytes, and nothing else uses it.
        let set =
            unsafe { sys::cuMemsetD8Async(address.address(), 0, COUNTERS, context.own_stream()) };
        context.note("cuMemsetD8Async", set);
        let kept = self.counters.get_or_init(|| (address, source.clone())).0;
        if kept != address {
            self.synchronize();
            // SAFETY: the memory block has no owner.
            unsafe { source.allocator.free(context, address, COUNTERS)? };
        }
        Ok(kept)
    }

    /// Frees what only saves time: captured work, whose steps are enqueued one by one until it is
    /// captured again, and plans of Fourier transforms. Returns whether there was any.
    fn free_spares(&self) -> bool {
        if self.context().is_capturing() {
            return false;
        }
        let spares = self.spares();
        let taken: Vec<Box<dyn Any>> = spares.iter().filter_map(|spare| spare.take()).collect();
        if taken.is_empty() {
            return false;
        }
        let _kept = self.context().visit();
        // Work that they enqueued may still be running.
        self.synchronize();
        drop(taken);
        true
    }

    /// Allocates a new memory block, which the pool does not count.
    fn allocate_block(&self, size: usize, source: &Source) -> Result<DevicePointer, DeviceError> {
        let none = DevicePointer::from_address(0);
        observer::note(|| self.event(Stage::Allocate, size, size, none));
        let address = self.allocate_new(size, source)?;
        observer::note(|| self.event(Stage::Allocated, size, size, address));
        Ok(address)
    }

    fn allocate_new(&self, size: usize, source: &Source) -> Result<DevicePointer, DeviceError> {
        self.context().enter();
        let allocate = || source.allocator.allocate(self.context(), size);
        if let Some(address) = allocate()? {
            return Ok(address);
        }
        if self.context().is_capturing() {
            return Err(self.refused(size));
        }
        self.release_cached();
        if let Some(address) = allocate()? {
            return Ok(address);
        }
        if self.free_spares() {
            self.release_cached();
        }
        allocate()?.ok_or_else(|| self.refused(size))
    }

    /// Calls `make`, in which a library allocates memory. If memory is short, calls it again after
    /// the pool's free memory blocks are freed, and again after `free_spares`.
    pub fn with_room<R>(
        &self,
        make: impl Fn() -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let is_short = |made: &Result<R, DeviceError>| {
            matches!(made, Err(DeviceError::OutOfMemory { .. })) && !self.context().is_capturing()
        };
        let made = make();
        if !is_short(&made) {
            return made;
        }
        self.release_cached();
        let made = make();
        if !is_short(&made) || !self.free_spares() {
            return made;
        }
        self.release_cached();
        make()
    }
}
