//! What all devices have in common.

use crate::{Buffer, DeviceError, ForeignMemory};
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A device: where shards live. One worker thread of the scheduler drives each.
pub trait Device: Send + Sync {
    /// A short name such as `cpu:0`.
    fn name(&self) -> String;

    /// An allocation of `bytes` bytes, 64-byte aligned, with unspecified contents.
    ///
    /// Errors: `DeviceError::OutOfMemory` beyond the limit or when the system refuses.
    fn allocate(self: Arc<Self>, bytes: usize) -> Result<Buffer, DeviceError>;

    /// As `allocate`, for what the host writes first: `fill` writes the bytes (`Buffer::write`) and
    /// does nothing else with them. A device may copy them beside work that was enqueued before.
    ///
    /// Errors: as `allocate`.
    fn allocate_filled(
        self: Arc<Self>,
        bytes: usize,
        fill: &mut dyn FnMut(&Buffer),
    ) -> Result<Buffer, DeviceError> {
        let buffer = self.allocate(bytes)?;
        fill(&buffer);
        Ok(buffer)
    }

    /// Bytes held by live buffers.
    fn bytes_in_use(&self) -> usize;

    /// The largest value `bytes_in_use` has had since the last call of `reset_peak`.
    fn peak_bytes(&self) -> usize;

    /// Makes the present use the peak.
    fn reset_peak(&self);

    /// The most bytes that may be in use, when there is a limit.
    fn memory_limit(&self) -> Option<usize>;

    /// The threads that compute on this device; `None` on a device that computes nothing.
    fn pool(&self) -> Option<&rayon::ThreadPool>;

    /// Whether the host addresses its memory, and its work is done when it has been asked for.
    fn is_host(&self) -> bool {
        true
    }

    /// Whether nothing is computed, so that there are no elements to read.
    fn is_null(&self) -> bool {
        false
    }

    /// Some bytes of memory that somebody else has on this device, to be read only; `None` if they
    /// lie elsewhere. Their owner keeps them until the work that reads them is done.
    fn adopt(self: Arc<Self>, memory: &ForeignMemory, bytes: Range<usize>) -> Option<Buffer> {
        let _ = (memory, bytes);
        None
    }

    /// Waits for all work that has been enqueued.
    fn synchronize(&self) {}

    /// Why the device is of no use any more: the first failure of work that was enqueued.
    fn failure(&self) -> Option<DeviceError> {
        None
    }

    /// Has the device know of a failure; the first one stays. Only devices whose work is enqueued
    /// keep one.
    fn fail(&self, _error: DeviceError) {}

    /// Keeps what `work` enqueues on the calling thread, so that it can be enqueued as a whole,
    /// instead of doing it; `None` where that is impossible or gains nothing. The memory that the
    /// work touches must be there whenever it is launched.
    fn capture(self: Arc<Self>, work: &mut dyn FnMut()) -> Option<Arc<dyn Captured>> {
        let _ = work;
        None
    }

    /// The device itself, for those who know its kind.
    fn as_any(&self) -> &dyn Any;
}

/// Work that was captured.
pub trait Captured: Send + Sync {
    /// Enqueues all of it; false, with nothing done, where the device has given it up to have room
    /// for something else, or has no room for it.
    ///
    /// Errors: `DeviceError::Cuda`, with nothing done.
    fn launch(&self) -> Result<bool, DeviceError>;
}

impl fmt::Debug for dyn Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}
