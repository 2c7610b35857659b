//! Room in a GPU's memory: what is freed if memory is short.
//!
//! First the pool's free blocks are freed; then what only saves time, which is captured work with
//! the memory that it holds, and plans of Fourier transforms.

use super::device::CudaDevice;
use crate::{Device, DeviceError};
use std::sync::PoisonError;

impl CudaDevice {
    /// Returns free blocks to the allocator, once no work uses them.
    pub fn release_cached(&self) {
        let blocks = self.pool_state().drain();
        let _kept = self.visit();
        self.synchronize();
        for (block, size) in blocks {
            // SAFETY: the block came from the allocator, nothing holds it, and the stream is idle.
            if let Err(error) = unsafe { self.allocator.free(self, block, size) } {
                self.fail(error);
            }
        }
    }

    /// Frees captured work, whose steps are enqueued one by one until it is captured again, and
    /// plans of Fourier transforms. Returns whether there was any.
    pub(super) fn give_up(&self) -> bool {
        if self.is_capturing() {
            return false;
        }
        let graphs =
            std::mem::take(&mut *self.graphs.lock().unwrap_or_else(PoisonError::into_inner));
        let graphs: Vec<_> = graphs.iter().filter_map(std::sync::Weak::upgrade).collect();
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner).take();
        if graphs.is_empty() && plans.is_empty() {
            return false;
        }
        let _kept = self.visit();
        // Work that they enqueued may still be running.
        self.synchronize();
        drop(plans);
        graphs.iter().for_each(|graph| graph.release());
        true
    }

    /// Allocates a new block, which the pool does not count.
    pub(super) fn allocate_block(&self, size: usize) -> Result<u64, DeviceError> {
        self.enter();
        let allocate = || self.allocator.allocate(self, size);
        if let Some(address) = allocate()? {
            return Ok(address);
        }
        if self.is_capturing() {
            return Err(self.refused(size));
        }
        self.release_cached();
        if let Some(address) = allocate()? {
            return Ok(address);
        }
        if self.give_up() {
            self.release_cached();
        }
        allocate()?.ok_or_else(|| self.refused(size))
    }

    /// Calls `make`, in which a library allocates memory. If memory is short, calls it again after
    /// the pool's free blocks are freed, and again after `give_up`.
    pub(super) fn with_room<R>(
        &self,
        make: impl Fn() -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let is_short = |made: &Result<R, DeviceError>| {
            matches!(made, Err(DeviceError::OutOfMemory { .. })) && !self.is_capturing()
        };
        let made = make();
        if !is_short(&made) {
            return made;
        }
        self.release_cached();
        let made = make();
        if !is_short(&made) || !self.give_up() {
            return made;
        }
        self.release_cached();
        make()
    }
}
