//! Events that tell how long work took.

use super::device::CudaDevice;
use crate::Device;
use cudarc::driver::sys::{self, CUevent};
use std::sync::Arc;

/// A mark in the order of a device's work.
pub struct TimedEvent {
    device: Arc<CudaDevice>,
    event: CUevent,
}

// SAFETY: events may be used by any thread that has entered the context.
unsafe impl Send for TimedEvent {}
// SAFETY: as for `Send`.
unsafe impl Sync for TimedEvent {}

impl TimedEvent {
    /// A mark behind everything enqueued so far; `None` if the device has failed.
    pub fn record(device: &Arc<CudaDevice>) -> Option<TimedEvent> {
        device.enter();
        let mut event: CUevent = std::ptr::null_mut();
        // SAFETY: the context is current and the place valid.
        let made = unsafe { sys::cuEventCreate(&raw mut event, 0) };
        if !device.note("cuEventCreate", made) {
            return None;
        }
        let event = TimedEvent { device: device.clone(), event };
        // SAFETY: event and stream are of this context.
        let recorded = unsafe { sys::cuEventRecord(event.event, device.stream) };
        device.note("cuEventRecord", recorded).then_some(event)
    }

    /// Whether the work before the mark is done.
    pub fn is_done(&self) -> bool {
        self.device.enter();
        // SAFETY: the event lives.
        unsafe { sys::cuEventQuery(self.event) == sys::CUresult::CUDA_SUCCESS }
    }

    /// Waits for the work before the mark.
    pub fn wait(&self) {
        self.device.enter();
        // SAFETY: the event lives.
        let waited = unsafe { sys::cuEventSynchronize(self.event) };
        self.device.note("cuEventSynchronize", waited);
    }

    /// Milliseconds from this mark to a later one, for both of which it waits.
    pub fn milliseconds_to(&self, later: &TimedEvent) -> f32 {
        self.wait();
        later.wait();
        let mut elapsed = 0.0;
        // SAFETY: both events live and have happened.
        let asked =
            unsafe { sys::cuEventElapsedTime_v2(&raw mut elapsed, self.event, later.event) };
        self.device.note("cuEventElapsedTime", asked);
        elapsed
    }
}

impl Drop for TimedEvent {
    fn drop(&mut self) {
        self.device.enter();
        // SAFETY: nobody uses the event any more.
        let _ = unsafe { sys::cuEventDestroy_v2(self.event) };
    }
}

/// How long a device's work takes.
pub struct Timer(TimedEvent, Arc<CudaDevice>);

impl Timer {
    /// Starts behind everything enqueued so far.
    pub fn start(device: &Arc<CudaDevice>) -> Option<Timer> {
        TimedEvent::record(device).map(|event| Timer(event, device.clone()))
    }

    /// Milliseconds since the start, after waiting for everything enqueued so far.
    pub fn milliseconds(&self) -> f32 {
        let end = TimedEvent::record(&self.1);
        let elapsed = end.map_or(0.0, |end| self.0.milliseconds_to(&end));
        self.1.synchronize();
        elapsed
    }
}
