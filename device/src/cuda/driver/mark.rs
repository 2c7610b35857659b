//! Points in streams.

use super::context::Context;
use crate::DeviceError;
use cudarc::driver::sys::{self, CUevent, CUevent_flags, CUresult, CUstream};

/// A point in a stream. It does not keep the context alive, unlike the event of a program.
pub(in crate::cuda) struct Mark(CUevent);

// SAFETY: the driver orders concurrent calls; the context is made current by each.
unsafe impl Send for Mark {}
// SAFETY: as for `Send`.
unsafe impl Sync for Mark {}

impl Mark {
    /// A new mark, which counts as past until it is set.
    pub fn new(context: &Context, is_timed: bool, is_blocking: bool) -> Result<Mark, DeviceError> {
        context.enter();
        let mut handle: CUevent = std::ptr::null_mut();
        let flag = |is_set, flag: CUevent_flags| if is_set { flag as u32 } else { 0 };
        let flags = flag(!is_timed, CUevent_flags::CU_EVENT_DISABLE_TIMING)
            | flag(is_blocking, CUevent_flags::CU_EVENT_BLOCKING_SYNC);
        // SAFETY: the context is current and the pointer valid.
        let made = unsafe { sys::cuEventCreate(&raw mut handle, flags) };
        context.check("cuEventCreate", made)?;
        Ok(Mark(handle))
    }

    /// The driver's event.
    pub fn handle(&self) -> CUevent {
        self.0
    }

    /// Sets the mark at the current end of the device's own work.
    pub fn set(&self, context: &Context) {
        // SAFETY: the device's own stream lives as long as it does.
        unsafe { self.set_in(context, context.own_stream()) };
    }

    /// Sets the mark at the current end of a stream of the device.
    ///
    /// # Safety
    /// The stream lives.
    pub unsafe fn set_in(&self, context: &Context, stream: CUstream) {
        context.enter();
        // SAFETY: the event lives, and so does the stream (the caller's promise).
        let recorded = unsafe { sys::cuEventRecord(self.0, stream) };
        context.note("cuEventRecord", recorded);
    }

    /// Lets later work of a stream of the device wait for the work before the mark.
    ///
    /// # Safety
    /// The stream lives.
    pub unsafe fn precede(&self, context: &Context, stream: CUstream) {
        context.enter();
        // SAFETY: as in `set_in`; the driver keeps what it needs of the event.
        let waits = unsafe { sys::cuStreamWaitEvent(stream, self.0, 0) };
        context.note("cuStreamWaitEvent", waits);
    }

    /// Waits until the work before the mark is done.
    pub fn wait(&self, context: &Context) {
        context.enter();
        // SAFETY: the event lives.
        let waited = unsafe { sys::cuEventSynchronize(self.0) };
        context.note("cuEventSynchronize", waited);
    }

    /// Whether the work before the mark is done, or has failed.
    pub fn is_past(&self, context: &Context) -> bool {
        context.enter();
        // SAFETY: the event lives.
        let asked = unsafe { sys::cuEventQuery(self.0) };
        asked != CUresult::CUDA_ERROR_NOT_READY
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        // SAFETY: made by `new`; the driver keeps what streams still need of it.
        let _ = unsafe { sys::cuEventDestroy_v2(self.0) };
    }
}
