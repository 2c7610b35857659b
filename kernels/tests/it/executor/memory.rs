//! The memory of a GPU, where there is one.

use crate::device_functions::options;
use phalanx_device::cuda::{Allocator, Context, CudaDevice, DeviceMemory, ManagedMemory};
use phalanx_device::{Buffer, Device, DeviceError, DevicePointer};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the bytes that it has allocated.
struct Counting {
    inner: Box<dyn Allocator>,
    given: Arc<AtomicUsize>,
}

impl Allocator for Counting {
    fn allocate(
        &self,
        context: &Context,
        bytes: usize,
    ) -> Result<Option<DevicePointer>, DeviceError> {
        if bytes > 1 << 30 {
            return Ok(None);
        }
        self.given.fetch_add(bytes, Ordering::SeqCst);
        self.inner.allocate(context, bytes)
    }

    unsafe fn free(
        &self,
        context: &Context,
        address: DevicePointer,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        self.given.fetch_sub(bytes, Ordering::SeqCst);
        // SAFETY: the caller's promise.
        unsafe { self.inner.free(context, address, bytes) }
    }
}

fn hold(inner: Box<dyn Allocator>) {
    let given = Arc::new(AtomicUsize::new(0));
    let allocator = Counting { inner, given: given.clone() };
    let Ok(device) = CudaDevice::with_allocator(0, None, &options(), Box::new(allocator)) else {
        return;
    };
    let allocate = |bytes: usize| -> Result<Buffer, DeviceError> { device.clone().allocate(bytes) };
    let buffer = allocate(1000).unwrap();
    let bytes: Vec<u8> = (0..1000).map(|byte| byte as u8).collect();
    buffer.write(0, &bytes);
    let mut back = vec![0; 1000];
    buffer.read(0, &mut back);
    assert_eq!(back, bytes);
    drop(buffer);
    // The pool keeps the block and reuses it.
    assert_eq!(given.load(Ordering::SeqCst), 1024);
    drop(allocate(900).unwrap());
    assert_eq!(given.load(Ordering::SeqCst), 1024);
    // A request that does not fit frees everything in the pool first, then fails.
    let refused = allocate(2 << 30).map(|_| ()).unwrap_err();
    assert_eq!(refused.code(), "PX050", "{refused}");
    assert_eq!(given.load(Ordering::SeqCst), 0);
    assert!(device.failure().is_none());
}

#[test]
fn blocks_are_allocated_and_freed_by_the_allocator() {
    hold(Box::new(DeviceMemory));
    hold(Box::new(ManagedMemory));
}
