//! The context of a thread, which other libraries use as its current device.

use cudarc::driver::sys::{self, CUcontext};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a device was made, so that the driver is loaded.
static HAS_DEVICES: AtomicBool = AtomicBool::new(false);

/// The context that a thread had; it is restored when this is dropped.
pub struct KeptContext(CUcontext);

/// Saves the calling thread's context. Our calls make the contexts of our devices current, but the
/// program may have chosen a device for other libraries. `None` before there is a GPU.
pub fn keep_context() -> Option<KeptContext> {
    if !HAS_DEVICES.load(Ordering::Relaxed) {
        return None;
    }
    let mut context: CUcontext = std::ptr::null_mut();
    // SAFETY: the driver is loaded, and the pointer valid.
    let asked = unsafe { sys::cuCtxGetCurrent(&raw mut context) };
    (asked == sys::CUresult::CUDA_SUCCESS).then_some(KeptContext(context))
}

impl Drop for KeptContext {
    fn drop(&mut self) {
        // SAFETY: a context that was current, or none; if it has been destroyed meanwhile, the
        // driver refuses it and the thread has none.
        let _ = unsafe { sys::cuCtxSetCurrent(self.0) };
    }
}

/// Records that there is a device.
pub(super) fn has_begun() {
    HAS_DEVICES.store(true, Ordering::Relaxed);
}
