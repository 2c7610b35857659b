//! A device that has sizes and computes nothing: it shows how a program would run on GPUs, on a
//! machine without one.

use crate::{Buffer, Device, DeviceError, DevicePointer, Remote, Strided};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The alignment of addresses, as in a GPU's pool.
const ALIGNMENT: u64 = 512;

/// A device without memory or threads that imitates a GPU. Its buffers have a size and a unique
/// address; bytes written to them are lost.
pub struct NullDevice {
    ordinal: usize,
    /// The folder for the text of every kernel that would be launched.
    save_source: Option<PathBuf>,
    in_use: AtomicUsize,
    peak: AtomicUsize,
    next: AtomicU64,
}

impl NullDevice {
    /// Device `null-cuda:ordinal`, which writes the texts of kernels to `save_source` if given.
    pub fn new(ordinal: usize, save_source: Option<PathBuf>) -> Arc<NullDevice> {
        Arc::new(NullDevice {
            ordinal,
            save_source,
            in_use: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            next: AtomicU64::new(ALIGNMENT),
        })
    }

    /// The folder for the texts of kernels.
    pub fn save_source(&self) -> Option<&Path> {
        self.save_source.as_deref()
    }
}

impl Device for NullDevice {
    fn name(&self) -> String {
        format!("null-cuda:{}", self.ordinal)
    }

    fn allocate(self: Arc<Self>, bytes: usize) -> Result<Buffer, DeviceError> {
        let in_use = self.in_use.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(in_use, Ordering::Relaxed);
        let room = (bytes as u64).max(1).next_multiple_of(ALIGNMENT);
        let address = DevicePointer::from_address(self.next.fetch_add(room, Ordering::Relaxed));
        let remote = Arc::new(NullMemory(self.clone()));
        let release = move |_| {
            self.in_use.fetch_sub(bytes, Ordering::Relaxed);
        };
        // SAFETY: `NullMemory` follows no address.
        Ok(unsafe { Buffer::from_remote(address, bytes, remote, release) })
    }

    fn bytes_in_use(&self) -> usize {
        self.in_use.load(Ordering::Relaxed)
    }

    fn peak_bytes(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    fn reset_peak(&self) {
        self.peak.store(self.bytes_in_use(), Ordering::Relaxed);
    }

    fn memory_limit(&self) -> Option<usize> {
        None
    }

    fn pool(&self) -> Option<&rayon::ThreadPool> {
        None
    }

    fn is_host(&self) -> bool {
        false
    }

    fn is_null(&self) -> bool {
        true
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// The memory that the device does not have: a read leaves the target unchanged.
struct NullMemory(Arc<NullDevice>);

impl Remote for NullMemory {
    fn read(&self, _: DevicePointer, _: &mut [u8]) {}

    fn write(&self, _: DevicePointer, _: &[u8]) {}

    fn zero(&self, _: DevicePointer, _: usize) {}

    fn copy(&self, _: &Strided<'_>, _: &Strided<'_>, _: &[usize], _: usize) {}

    fn compress(
        &self,
        _: DevicePointer,
        _: DevicePointer,
        _: DevicePointer,
        _: usize,
        _: usize,
    ) -> Result<usize, DeviceError> {
        Ok(0)
    }

    fn device(&self) -> Arc<dyn Device> {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_counted_and_nothing_is_kept() {
        let device = NullDevice::new(2, None);
        assert_eq!(device.name(), "null-cuda:2");
        let first = device.clone().allocate(1 << 40).expect("memory is no matter");
        let second = device.clone().allocate(10).expect("memory is no matter");
        assert_ne!(first.as_ptr(), second.as_ptr());
        second.write(0, &[7; 10]);
        let mut bytes = [3; 10];
        second.read(0, &mut bytes);
        assert_eq!(bytes, [3; 10]);
        drop(first);
        assert_eq!((device.bytes_in_use(), device.peak_bytes()), (10, (1 << 40) + 10));
    }
}
