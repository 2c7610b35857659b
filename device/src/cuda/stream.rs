//! Streams and events of programs, and their order with our own work.
//!
//! A device's own work is in the order of one stream. A program's stream runs before the device's
//! later work (`Stream::precede`), or after its earlier work (`Stream::follow`).

use super::device::CudaDevice;
use super::driver::check;
use super::library::{CudaOptions, Library, find};
use crate::{Device, DeviceError};
use cudarc::driver::sys::{self, CUevent, CUevent_flags, CUresult, CUstream};
use std::sync::{Arc, OnceLock};

/// The stream that synchronises with all streams that are not non-blocking.
const LEGACY: usize = 1;
/// The default stream of the calling thread.
const OF_THREAD: usize = 2;

/// A stream of a program on a GPU. All methods are Local.
///
/// Arrays are computed in the device's own stream, in the order of the program, not in this one: a
/// program's stream only runs before or after that work.
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
    /// A new stream. CUDA's default stream waits for it, unless it is `non_blocking`. A smaller
    /// priority is more urgent.
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
        // SAFETY: the context is current and the pointer valid.
        let made = unsafe {
            sys::cuStreamCreateWithPriority(&raw mut handle, flags, priority.unwrap_or(0))
        };
        check(&device.name(), "cuStreamCreateWithPriority", made)?;
        Ok(Stream { device: device.clone(), handle, is_own: true })
    }

    /// A stream of another library, by its handle; 0 and 1 are the default stream, 2 is the calling
    /// thread's.
    ///
    /// # Safety
    /// The handle is that of a stream of the device for as long as this lives.
    pub unsafe fn external(device: &Arc<CudaDevice>, handle: usize) -> Stream {
        let handle = handle.max(LEGACY) as CUstream;
        Stream { device: device.clone(), handle, is_own: false }
    }

    /// The stream that orders the device's own work.
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

    /// Whether the stream exists as long as its device: no other library can end it.
    fn is_lasting(&self) -> bool {
        let is_default = matches!(self.handle as usize, LEGACY | OF_THREAD);
        self.is_own || is_default || self.handle == self.device.stream
    }

    /// Waits for all work in the stream.
    ///
    /// Errors: `DeviceError::Cuda`, also of earlier work.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        let _kept = self.device.visit();
        // SAFETY: the stream lives (`external`, or it is ours).
        let waited = unsafe { sys::cuStreamSynchronize(self.handle) };
        check(&self.device.name(), "cuStreamSynchronize", waited)
    }

    /// Whether all work in the stream is done.
    ///
    /// Errors: `DeviceError::Cuda`, also of earlier work.
    pub fn is_done(&self) -> Result<bool, DeviceError> {
        let _kept = self.device.visit();
        // SAFETY: as in `synchronize`.
        finished(&self.device, "cuStreamQuery", unsafe { sys::cuStreamQuery(self.handle) })
    }

    /// Lets the stream wait for an event of any device.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn wait_event(&self, event: &Event) -> Result<(), DeviceError> {
        let _kept = self.device.visit();
        // SAFETY: both live; the driver keeps what it needs of the event.
        let waits = unsafe { sys::cuStreamWaitEvent(self.handle, event.mark.0, 0) };
        check(&self.device.name(), "cuStreamWaitEvent", waits)
    }

    /// Lets a device's later work wait for the work that is in the stream now.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn precede(&self, device: &Arc<CudaDevice>) -> Result<(), DeviceError> {
        self.before(&Stream::of_work(device))
    }

    /// Lets later work of the stream wait for the work that a device has now.
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

/// A point in a stream. Unlike `Event`, it does not keep the device alive.
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
        // SAFETY: the context is current and the pointer valid.
        let made = unsafe { sys::cuEventCreate(&raw mut handle, flags) };
        check(&device.name(), "cuEventCreate", made)?;
        Ok(Mark(handle))
    }

    /// Sets the mark at the current end of the device's own work.
    pub fn set(&self, device: &CudaDevice) {
        // SAFETY: the device's own stream lives as long as it does.
        unsafe { self.set_in(device, device.stream) };
    }

    /// Sets the mark at the current end of a stream of the device.
    ///
    /// # Safety
    /// The stream lives.
    pub unsafe fn set_in(&self, device: &CudaDevice, stream: CUstream) {
        device.enter();
        // SAFETY: the event lives, and so does the stream (the caller's promise).
        let recorded = unsafe { sys::cuEventRecord(self.0, stream) };
        device.note("cuEventRecord", recorded);
    }

    /// Lets later work of a stream of the device wait for the work before the mark.
    ///
    /// # Safety
    /// The stream lives.
    pub unsafe fn precede(&self, device: &CudaDevice, stream: CUstream) {
        device.enter();
        // SAFETY: as in `set_in`; the driver keeps what it needs of the event.
        let waits = unsafe { sys::cuStreamWaitEvent(stream, self.0, 0) };
        device.note("cuStreamWaitEvent", waits);
    }

    /// Waits until the work before the mark is done.
    pub fn wait(&self, device: &CudaDevice) {
        device.enter();
        // SAFETY: the event lives.
        let waited = unsafe { sys::cuEventSynchronize(self.0) };
        device.note("cuEventSynchronize", waited);
    }

    /// Whether the work before the mark is done, or has failed.
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

/// A point in a stream. All methods are Local.
pub struct Event {
    device: Arc<CudaDevice>,
    mark: Mark,
}

impl Event {
    /// A new event, which counts as done until it is recorded. Only timed events have a time. A
    /// wait for a blocking event lets the processor sleep.
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

    /// Records the event at the current end of a stream of the same device.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn record(&self, stream: &Stream) -> Result<(), DeviceError> {
        let _kept = self.device.visit();
        // SAFETY: both live.
        let recorded = unsafe { sys::cuEventRecord(self.mark.0, stream.handle) };
        check(&self.device.name(), "cuEventRecord", recorded)
    }

    /// Waits until the event is done.
    ///
    /// Errors: `DeviceError::Cuda`, also of earlier work.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        let _kept = self.device.visit();
        // SAFETY: the event lives.
        let waited = unsafe { sys::cuEventSynchronize(self.mark.0) };
        check(&self.device.name(), "cuEventSynchronize", waited)
    }

    /// Whether the event is done.
    ///
    /// Errors: `DeviceError::Cuda`, also of earlier work.
    pub fn is_done(&self) -> Result<bool, DeviceError> {
        let _kept = self.device.visit();
        // SAFETY: the event lives.
        finished(&self.device, "cuEventQuery", unsafe { sys::cuEventQuery(self.mark.0) })
    }

    /// Milliseconds from another event to this one, by the device's clock.
    ///
    /// Errors: `DeviceError::Cuda` if one of them is not done or has no time.
    pub fn elapsed_since(&self, start: &Event) -> Result<f32, DeviceError> {
        let _kept = self.device.visit();
        let mut milliseconds = 0.0;
        let elapsed = elapsed_time(self.device.options())?;
        // SAFETY: both events live, and the pointer is valid.
        let asked = unsafe { elapsed(&raw mut milliseconds, start.mark.0, self.mark.0) };
        check(&self.device.name(), "cuEventElapsedTime", asked)?;
        Ok(milliseconds)
    }
}

type ElapsedTime = unsafe extern "C" fn(*mut f32, CUevent, CUevent) -> CUresult;

/// The driver's function. The bindings have only the form of drivers for CUDA 12.8 and later; all
/// drivers have the older form.
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
    /// Waits for the set-up work that a library enqueues in CUDA's default stream, such as copies
    /// of its tables: the device's stream, in which the library works later, does not wait for that
    /// stream. The context is current.
    pub(super) fn settle_libraries(&self) {
        // SAFETY: the handle stands for a stream that every context has.
        let waited = unsafe { sys::cuStreamSynchronize(LEGACY as CUstream) };
        self.note("cuStreamSynchronize", waited);
    }
}

/// Another library that reads a device's memory: when this is dropped, the device's later work
/// waits for the library's reads.
pub struct Reader {
    device: Arc<CudaDevice>,
    /// The stream in which the library works; `None` if unknown.
    stream: Option<Stream>,
}

impl Reader {
    /// A reader that works in a stream, or in an unknown one.
    pub fn new(device: &Arc<CudaDevice>, stream: Option<Stream>) -> Reader {
        Reader { device: device.clone(), stream }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let ordered = match &self.stream {
            Some(stream) if stream.is_lasting() => stream.precede(&self.device),
            // The stream may no longer exist, so wait for all work.
            _ => self.device.synchronize_all(),
        };
        if let Err(error) = ordered {
            self.device.fail(error);
        }
    }
}
