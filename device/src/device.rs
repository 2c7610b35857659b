//! The trait of all devices.

use crate::blas::Blas;
use crate::{Buffer, DeviceError, ForeignMemory, Moment};
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A device, which holds shards. One worker thread of the scheduler drives each.
pub trait Device: Send + Sync {
    /// A short name such as `cpu:0`.
    fn name(&self) -> String;

    /// An allocation of `bytes` bytes, 64-byte aligned, with unspecified contents.
    ///
    /// Errors: `DeviceError::OutOfMemory` beyond the limit or when the system refuses.
    fn allocate(self: Arc<Self>, bytes: usize) -> Result<Buffer, DeviceError>;

    /// As `allocate`, for memory that the host fills: `fill` writes the bytes (`Buffer::write`) and
    /// does nothing else with them. A device may copy them beside earlier work.
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

    /// The largest value of `bytes_in_use` since the last call of `reset_peak`.
    fn peak_bytes(&self) -> usize;

    /// Sets the peak to the current use.
    fn reset_peak(&self);

    /// The most bytes that may be in use, if there is a limit.
    fn memory_limit(&self) -> Option<usize>;

    /// The host threads of this device; `None` on a device that computes nothing.
    fn pool(&self) -> Option<&rayon::ThreadPool>;

    /// The library that multiplies and factorises matrices of this device on the host; `None` for
    /// our own routines.
    fn blas(&self) -> Option<Blas> {
        None
    }

    /// Whether the host addresses its memory, and calls return only when their work is done.
    fn is_host(&self) -> bool {
        true
    }

    /// Whether the device computes nothing, so there are no elements to read.
    fn is_null(&self) -> bool {
        false
    }

    /// A range of foreign memory on this device, to be read only; `None` if it is on another
    /// device. The owner is kept until the work that reads the bytes is done.
    fn adopt(self: Arc<Self>, memory: &ForeignMemory, bytes: Range<usize>) -> Option<Buffer> {
        let _ = (memory, bytes);
        None
    }

    /// Waits for all work enqueued so far.
    fn synchronize(&self) {}

    /// The end of the work enqueued so far.
    ///
    /// Errors: `DeviceError::Cuda`.
    fn moment(&self) -> Result<Moment, DeviceError> {
        Ok(Moment::now())
    }

    /// Lets events of messages of the device know their times from now on (`Event::spans`).
    fn keep_times(&self) {}

    /// The first failure of enqueued work, after which the device is unusable; or a refusal of
    /// memory, which is returned once.
    fn failure(&self) -> Option<DeviceError> {
        None
    }

    /// How often the device has dropped what routines of libraries had loaded and will load again,
    /// which may wait for other devices.
    fn forgotten(&self) -> u64 {
        0
    }

    /// Records a failure with the device, which keeps the first. Only devices whose work is
    /// enqueued keep one.
    fn fail(&self, _error: DeviceError) {}

    /// Captures the work that `work` enqueues on the calling thread, without running it, to be
    /// launched as a whole; `None` if that is impossible or gains nothing. The memory that the work
    /// uses must exist at every launch.
    fn capture(self: Arc<Self>, work: &mut dyn FnMut()) -> Option<Arc<dyn Captured>> {
        let _ = work;
        None
    }

    /// The device itself, for a downcast to its type.
    fn as_any(&self) -> &dyn Any;
}

/// Captured work.
pub trait Captured: Send + Sync {
    /// Enqueues all of it. Returns false, without enqueueing any, if the device has freed the
    /// capture to make room or has no room for it.
    ///
    /// Errors: `DeviceError::Cuda`; nothing is enqueued then.
    fn launch(&self) -> Result<bool, DeviceError>;
}

impl fmt::Debug for dyn Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl dyn Device {
    /// An allocation that holds a copy of `bytes`.
    pub fn upload(self: &Arc<Self>, bytes: &[u8]) -> Result<Buffer, DeviceError> {
        let has_memory = self.pool().is_some();
        self.clone().allocate_filled(bytes.len(), &mut |buffer| {
            if has_memory {
                buffer.write(0, bytes);
            }
        })
    }
}
