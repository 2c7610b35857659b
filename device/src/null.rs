//! A device that counts what it is asked for and computes nothing: planning for thousands of
//! devices runs anywhere.

use crate::{Buffer, Device, DeviceError};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A device without memory or threads. Its buffers have a size only.
#[derive(Default)]
pub struct NullDevice {
    allocated: AtomicUsize,
}

impl NullDevice {
    /// A new null device.
    pub fn new() -> Arc<NullDevice> {
        Arc::default()
    }
}

impl Device for NullDevice {
    fn name(&self) -> String {
        String::from("null")
    }

    fn allocate(self: Arc<Self>, bytes: usize) -> Result<Buffer, DeviceError> {
        self.allocated.fetch_add(bytes, Ordering::Relaxed);
        Ok(Buffer::without_memory(bytes))
    }

    fn bytes_in_use(&self) -> usize {
        self.allocated.load(Ordering::Relaxed)
    }

    fn peak_bytes(&self) -> usize {
        self.allocated.load(Ordering::Relaxed)
    }

    fn reset_peak(&self) {}

    fn memory_limit(&self) -> Option<usize> {
        None
    }

    fn pool(&self) -> Option<&rayon::ThreadPool> {
        None
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
