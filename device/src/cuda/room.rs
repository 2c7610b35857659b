//! Room in a GPU's memory: what is given back where there is too little.
//!
//! First the free blocks that the pool keeps; then what only saves time, as captured work with the
//! memory that it holds and the plans of Fourier transforms.

use super::device::CudaDevice;
use crate::{Device, DeviceError};
use std::sync::PoisonError;

impl CudaDevice {
    /// Gives free blocks back to the driver, once nothing uses them.
    pub fn release_cached(&self) {
        let blocks = self.pool_state().drain();
        let _kept = self.visit();
        self.synchronize();
        for (block, size) in blocks {
            // SAFETY: the block came from the allocator, nobody holds it, and the stream is idle.
            if let Err(error) = unsafe { self.allocator.free(self, block, size) } {
                self.fail(error);
            }
        }
    }

    /// Gives up what only saves time: captured work, which is enqueued step by step from then on
    /// until it is captured again, and plans of Fourier transforms. Says whether there was any.
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
        // What they have enqueued may be under way.
        self.synchronize();
        drop(plans);
        graphs.iter().for_each(|graph| graph.release());
        true
    }

    /// A new block from the allocator, which the pool does not know of.
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

    /// What a library makes that takes memory of its own; where there is too little, once more
    /// after the pool has given back what it keeps, and after all else has been given up.
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
