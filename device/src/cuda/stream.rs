//! Streams and events of programs beside our own work, and the order between the two.
//!
//! A device's own work is in the order of one stream. A program's stream comes before what the
//! device is given next (`Stream::precede`), or after what it has been given (`Stream::follow`).

use super::device::CudaDevice;
use super::driver::check;
use super::library::{CudaOptions, Library, find};
use crate::{Device, DeviceError};
use cudarc::driver::sys::{self, CUevent, CUevent_flags, CUresult, CUstream};
use std::sync::{Arc, OnceLock};

/// The stream that orders itself with all that are not made to go beside it.
const LEGACY: usize = 1;
/// The stream of the calling thread.
const OF_THREAD: usize = 2;

/// A stream of a program on a GPU. All of it is Local.
///
/// The work of arrays is not done in it, but in the device's own stream, in the order of the
/// program: a stream of a program only comes before or after that.
pub struct Stream {
    device: Arc<CudaDevice>,
    handle: CUstream,
    is_own: bool,
}

// SAFETY: the driver orders concurrent calls; the context is made current by each.
unsafe impl Send for Stream {}
// SAFETY: as for `Send`.
unsafe impl Sync for Stream {}

impl Stream {
    /// A new stream, which the default stream of CUDA waits for unless it is `non_blocking`. A
    /// smaller priority is a more urgent one.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn new(
        device: &Arc<CudaDevice>,
        non_blocking: bool,
        priority: Option<i32>,
    ) -> Result<Stream, DeviceError> {
        let _kept = device.visit();
        let mut handle: CUstream = std::ptr::null_mut();
        let flags = match non_blocking {
            true => sys::CUstream_flags::CU_STREAM_NON_BLOCKING,
            false => sys::CUstream_flags::CU_STREAM_DEFAULT,
        } as u32;
        // SAFETY: the context is current and the place valid.
        let made = unsafe {
            sys::cuStreamCreateWithPriority(&raw mut handle, flags, priority.unwrap_or(0))
        };
        check(&device.name(), "cuStreamCreateWithPriority", made)?;
        Ok(Stream { device: device.clone(), handle, is_own: true })
    }

    /// A stream of another library, by its handle; 0 and 1 are the default stream, 2 is that of the
    /// calling thread.
    ///
    /// # Safety
    /// The handle is that of a stream of the device for as long as this lives.
    pub unsafe fn external(device: &Arc<CudaDevice>, handle: usize) -> Stream {
        let handle = handle.max(LEGACY) as CUstream;
        Stream { device: device.clone(), handle, is_own: false }
    }

    /// The stream in which the device's own work is ordered.
    pub fn of_work(device: &Arc<CudaDevice>) -> Stream {
        Stream { device: device.clone(), handle: device.stream, is_own: false }
    }

    /// The device.
    pub fn device(&self) -> &Arc<CudaDevice> {
        &self.device
    }

    /// The handle, for other libraries.
    pub fn handle(&self) -> usize {
        self.handle as usize
    }

    /// Whether it is there as long as its device is: whoever is not the program cannot end it.
    fn is_lasting(&self) -> bool {
        let is_default = matches!(self.handle as usize, LEGACY | OF_THREAD);
        self.is_own || is_default || self.handle == self.device.stream
    }

    /// Waits for all that the stream holds.
    ///
    /// Errors: `DeviceError::Cuda`, also of work before.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        let _kept = self.device.visit();
        // SAFETY: the stream lives (`external`, or it is ours).
        let waited = unsafe { sys::cuStreamSynchronize(self.handle) };
        check(&self.device.name(), "cuStreamSynchronize", waited)
    }

    /// Whether all that the stream holds is done.
    ///
    /// Errors: `DeviceError::Cuda`, also of work before.
    pub fn is_done(&self) -> Result<bool, DeviceError> {
        let _kept = self.device.visit();
        // SAFETY: as in `synchronize`.
        finished(&self.device, "cuStreamQuery", unsafe { sys::cuStreamQuery(self.handle) })
    }

    /// Has the stream wait for an event, of whatever device.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn wait_event(&self, event: &Event) -> Result<(), DeviceError> {
        let _kept = self.device.visit();
        // SAFETY: both live; the driver keeps what it needs of the event.
        let waits = unsafe { sys::cuStreamWaitEvent(self.handle, event.mark.0, 0) };
        check(&self.device.name(), "cuStreamWaitEvent", waits)
    }

    /// What the stream holds now comes before what a device is given from now on.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn precede(&self, device: &Arc<CudaDevice>) -> Result<(), DeviceError> {
        self.before(&Stream::of_work(device))
    }

    /// What a device has been given comes before what the stream holds from now on.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn follow(&self, device: &Arc<CudaDevice>) -> Result<(), DeviceError> {
        Stream::of_work(device).before(self)
    }

    fn before(&self, later: &Stream) -> Result<(), DeviceError> {
        if self.handle == later.handle {
            return Ok(());
        }
        let event = Event::new(&self.device, false, false)?;
        event.record(self)?;
        later.wait_event(&event)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.is_own {
            let _kept = self.device.visit();
            // SAFETY: made by `new`; what it holds still runs.
            let _ = unsafe { sys::cuStreamDestroy_v2(self.handle) };
        }
    }
}

/// A point in a stream, for a device that knows itself.
pub(super) struct Mark(CUevent);

// SAFETY: as for `Stream`.
unsafe impl Send for Mark {}
// SAFETY: as for `Stream`.
unsafe impl Sync for Mark {}

impl Mark {
    pub fn new(
        device: &CudaDevice,
        is_timed: bool,
        is_blocking: bool,
    ) -> Result<Mark, DeviceError> {
        device.enter();
        let mut handle: CUevent = std::ptr::null_mut();
        let flag = |is_set, flag: CUevent_flags| if is_set { flag as u32 } else { 0 };
        let flags = flag(!is_timed, CUevent_flags::CU_EVENT_DISABLE_TIMING)
            | flag(is_blocking, CUevent_flags::CU_EVENT_BLOCKING_SYNC);
        // SAFETY: the context is current and the place valid.
        let made = unsafe { sys::cuEventCreate(&raw mut handle, flags) };
        check(&device.name(), "cuEventCreate", made)?;
        Ok(Mark(handle))
    }

    /// Makes it the point up to which the device's own work has come.
    pub fn set(&self, device: &CudaDevice) {
        // SAFETY: the device's own stream lives as long as it does.
        unsafe { self.set_in(device, device.stream) };
    }

    /// Makes it the point up to which a stream of the device has come.
    ///
    /// # Safety
    /// The stream lives.
    pub unsafe fn set_in(&self, device: &CudaDevice, stream: CUstream) {
        device.enter();
        // SAFETY: the event lives, and so does the stream (the caller's promise).
        let recorded = unsafe { sys::cuEventRecord(self.0, stream) };
        device.note("cuEventRecord", recorded);
    }

    /// Has what a stream of the device holds from now on wait for the work up to it.
    ///
    /// # Safety
    /// The stream lives.
    pub unsafe fn precede(&self, device: &CudaDevice, stream: CUstream) {
        device.enter();
        // SAFETY: as in `set_in`; the driver keeps what it needs of the event.
        let waits = unsafe { sys::cuStreamWaitEvent(stream, self.0, 0) };
        device.note("cuStreamWaitEvent", waits);
    }

    /// Waits until the work up to it is done.
    pub fn wait(&self, device: &CudaDevice) {
        device.enter();
        // SAFETY: the event lives.
        let waited = unsafe { sys::cuEventSynchronize(self.0) };
        device.note("cuEventSynchronize", waited);
    }

    /// Whether the work up to it is done, or never will be.
    pub fn is_past(&self, device: &CudaDevice) -> bool {
        device.enter();
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

/// A point in a stream. All of it is Local.
pub struct Event {
    device: Arc<CudaDevice>,
    mark: Mark,
}

impl Event {
    /// A new event, which has happened until it is recorded. Only those that are timed have a time;
    /// a blocking one lets the processor go while somebody waits for it.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn new(
        device: &Arc<CudaDevice>,
        is_timed: bool,
        is_blocking: bool,
    ) -> Result<Event, DeviceError> {
        let _kept = device.visit();
        let mark = Mark::new(device, is_timed, is_blocking)?;
        Ok(Event { device: device.clone(), mark })
    }

    /// The handle, for other libraries.
    pub fn handle(&self) -> usize {
        self.mark.0 as usize
    }

    /// Makes it the point up to which a stream of the same device has come now.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn record(&self, stream: &Stream) -> Result<(), DeviceError> {
        let _kept = self.device.visit();
        // SAFETY: both live.
        let recorded = unsafe { sys::cuEventRecord(self.mark.0, stream.handle) };
        check(&self.device.name(), "cuEventRecord", recorded)
    }

    /// Waits until it has happened.
    ///
    /// Errors: `DeviceError::Cuda`, also of work before.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        let _kept = self.device.visit();
        // SAFETY: the event lives.
        let waited = unsafe { sys::cuEventSynchronize(self.mark.0) };
        check(&self.device.name(), "cuEventSynchronize", waited)
    }

    /// Whether it has happened.
    ///
    /// Errors: `DeviceError::Cuda`, also of work before.
    pub fn is_done(&self) -> Result<bool, DeviceError> {
        let _kept = self.device.visit();
        // SAFETY: the event lives.
        finished(&self.device, "cuEventQuery", unsafe { sys::cuEventQuery(self.mark.0) })
    }

    /// Milliseconds from another event to this one, by the device's clock.
    ///
    /// Errors: `DeviceError::Cuda` if one of them has not happened or has no time.
    pub fn elapsed_since(&self, start: &Event) -> Result<f32, DeviceError> {
        let _kept = self.device.visit();
        let mut milliseconds = 0.0;
        let elapsed = elapsed_time(self.device.options())?;
        // SAFETY: both events live, and the place is valid.
        let asked = unsafe { elapsed(&raw mut milliseconds, start.mark.0, self.mark.0) };
        check(&self.device.name(), "cuEventElapsedTime", asked)?;
        Ok(milliseconds)
    }
}

type ElapsedTime = unsafe extern "C" fn(*mut f32, CUevent, CUevent) -> CUresult;

/// The driver's function, of which the bindings know only the form that drivers for CUDA 12.8 and
/// later have; the older one is in all.
fn elapsed_time(options: &CudaOptions) -> Result<ElapsedTime, DeviceError> {
    static FUNCTION: OnceLock<Option<ElapsedTime>> = OnceLock::new();
    let found = find(Library::Driver, options)?;
    let look = || {
        // SAFETY: the driver is loaded, and stays for the life of the process; its function has
        // this type.
        unsafe {
            let driver = libloading::Library::new(&found.path).ok()?;
            let function = *driver.get::<ElapsedTime>(b"cuEventElapsedTime\0").ok()?;
            std::mem::forget(driver);
            Some(function)
        }
    };
    FUNCTION.get_or_init(look).ok_or_else(|| DeviceError::Cuda {
        device: String::from("cuda"),
        call: "cuEventElapsedTime",
        name: String::from("CUDA_ERROR_NOT_FOUND"),
        text: String::from("the driver has no such function"),
    })
}

fn finished(
    device: &Arc<CudaDevice>,
    call: &'static str,
    result: CUresult,
) -> Result<bool, DeviceError> {
    match result {
        CUresult::CUDA_ERROR_NOT_READY => Ok(false),
        result => check(&device.name(), call, result).map(|()| true),
    }
}

impl CudaDevice {
    /// Waits for what a library does in CUDA's own stream to set itself up, such as copies of its
    /// tables: the device's stream, in which it works from then on, does not follow that one. The
    /// context is current.
    pub(super) fn settle_libraries(&self) {
        // SAFETY: the handle stands for a stream that every context has.
        let waited = unsafe { sys::cuStreamSynchronize(LEGACY as CUstream) };
        self.note("cuStreamSynchronize", waited);
    }
}

/// Another library that reads a device's memory: once this is dropped, the device's work comes
/// after what the library has been doing with it.
pub struct Reader {
    device: Arc<CudaDevice>,
    /// Where it works; unknown if `None`.
    stream: Option<Stream>,
}

impl Reader {
    /// A reader that works in a stream, or nobody knows where.
    pub fn new(device: &Arc<CudaDevice>, stream: Option<Stream>) -> Reader {
        Reader { device: device.clone(), stream }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let ordered = match &self.stream {
            Some(stream) if stream.is_lasting() => stream.precede(&self.device),
            // The stream may be gone by now, so that there is nothing to wait for but all.
            _ => self.device.synchronize_all(),
        };
        if let Err(error) = ordered {
            self.device.fail(error);
        }
    }
}
