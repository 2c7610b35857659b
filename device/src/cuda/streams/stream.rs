//! Streams and events of programs, and their order with our own work.
//!
//! A device's own work is in the order of one stream. A program's stream runs before the device's
//! later work (`Stream::precede`), or after its earlier work (`Stream::follow`).

use crate::cuda::driver::{Context, CudaOptions, Library, Mark, find};
use crate::{DeviceError, DevicePointer};
use cudarc::driver::sys::{self, CUevent, CUresult, CUstream};
use std::ffi::c_void;
use std::sync::{Arc, OnceLock};

/// The stream that synchronises with all streams that are not non-blocking.
pub(in crate::cuda) const LEGACY: usize = 1;
/// The default stream of the calling thread.
const OF_THREAD: usize = 2;

/// A stream of a program on a GPU. All methods are Local.
///
/// Arrays are computed in the device's own stream, in the order of the program, not in this one: a
/// program's stream only runs before or after that work.
pub struct Stream {
    context: Arc<Context>,
    handle: CUstream,
    is_own: bool,
}

// SAFETY: the driver orders concurrent calls; the context is made current by each.
unsafe impl Send for Stream {}
// SAFETY: as for `Send`.
unsafe impl Sync for Stream {}

/// A function that the host calls.
type Call = Box<dyn FnOnce() + Send>;

/// Calls a boxed [`Call`].
unsafe extern "C" fn run_call(call: *mut c_void) {
    // SAFETY: `Stream::call_host` made the box, and the driver calls this once for each.
    let call = unsafe { Box::from_raw(call.cast::<Call>()) };
    // A panic must not unwind into the driver.
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
}

impl Stream {
    /// A new stream. CUDA's default stream waits for it, unless it is `non_blocking`. A smaller
    /// priority is more urgent.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn new(
        context: &Arc<Context>,
        non_blocking: bool,
        priority: Option<i32>,
    ) -> Result<Stream, DeviceError> {
        let _kept = context.visit();
        let mut handle: CUstream = std::ptr::null_mut();
        let flags = if non_blocking {
            sys::CUstream_flags::CU_STREAM_NON_BLOCKING
        } else {
            sys::CUstream_flags::CU_STREAM_DEFAULT
        };
        // SAFETY: the context is current and the pointer valid.
        let made = unsafe {
            sys::cuStreamCreateWithPriority(&raw mut handle, flags as u32, priority.unwrap_or(0))
        };
        context.check("cuStreamCreateWithPriority", made)?;
        Ok(Stream { context: context.clone(), handle, is_own: true })
    }

    /// A stream of another library, by its handle; 0 and 1 are the default stream, 2 is the calling
    /// thread's.
    ///
    /// # Safety
    /// The handle is that of a stream of the device for as long as this lives.
    pub unsafe fn external(context: &Arc<Context>, handle: usize) -> Stream {
        let handle = handle.max(LEGACY) as CUstream;
        Stream { context: context.clone(), handle, is_own: false }
    }

    /// The stream that orders the device's own work.
    pub fn of_work(context: &Arc<Context>) -> Stream {
        Stream { context: context.clone(), handle: context.own_stream(), is_own: false }
    }

    /// The context of the GPU.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The handle, for other libraries.
    pub fn handle(&self) -> usize {
        self.handle as usize
    }

    /// Whether the stream exists as long as its device: no other library can end it.
    pub(super) fn is_lasting(&self) -> bool {
        let is_default = matches!(self.handle as usize, LEGACY | OF_THREAD);
        self.is_own || is_default || self.handle == self.context.own_stream()
    }

    /// Waits for all work in the stream.
    ///
    /// Errors: `DeviceError::Cuda`, also of earlier work.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        let _kept = self.context.visit();
        // SAFETY: the stream lives (`external`, or it is ours).
        let waited = unsafe { sys::cuStreamSynchronize(self.handle) };
        self.context.check("cuStreamSynchronize", waited)
    }

    /// Lets the host call a function once the work in the stream is done; later work waits for it.
    /// The function must not call CUDA.
    ///
    /// Errors: `DeviceError::Cuda`; then the function is not called.
    pub fn call_host(&self, call: Box<dyn FnOnce() + Send>) -> Result<(), DeviceError> {
        let _kept = self.context.visit();
        let call = Box::into_raw(Box::new(call)).cast::<c_void>();
        // SAFETY: the stream lives; `run_call` takes the box back, once.
        let given = unsafe { sys::cuLaunchHostFunc(self.handle, Some(run_call), call) };
        if given != CUresult::CUDA_SUCCESS {
            // SAFETY: the driver has not taken the function, so nobody else has the box.
            drop(unsafe { Box::from_raw(call.cast::<Call>()) });
        }
        self.context.check("cuLaunchHostFunc", given)
    }

    /// Whether all work in the stream is done.
    ///
    /// Errors: `DeviceError::Cuda`, also of earlier work.
    pub fn is_done(&self) -> Result<bool, DeviceError> {
        let _kept = self.context.visit();
        // SAFETY: as in `synchronize`.
        finished(&self.context, "cuStreamQuery", unsafe { sys::cuStreamQuery(self.handle) })
    }

    /// Lets the stream wait for an event of any device.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn wait_event(&self, event: &Event) -> Result<(), DeviceError> {
        let _kept = self.context.visit();
        // SAFETY: both live; the driver keeps what it needs of the event.
        let waits = unsafe { sys::cuStreamWaitEvent(self.handle, event.mark.handle(), 0) };
        self.context.check("cuStreamWaitEvent", waits)
    }

    /// Lets a device's later work wait for the work that is in the stream now.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn precede(&self, context: &Arc<Context>) -> Result<(), DeviceError> {
        self.before(&Stream::of_work(context))
    }

    /// Lets later work of the stream wait for the work that a device has now.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn follow(&self, context: &Arc<Context>) -> Result<(), DeviceError> {
        Stream::of_work(context).before(self)
    }

    /// Enqueues a copy between memory that the device can access, for which copy engines serve.
    ///
    /// Errors: `DeviceError::Cuda`.
    ///
    /// # Safety
    /// Both addresses are of this many bytes in memory that the device can access and that lives
    /// until the copy is done. They do not overlap.
    pub unsafe fn copy(
        &self,
        [from, to]: [DevicePointer; 2],
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let _kept = self.context.visit();
        // SAFETY: the caller's promise; the stream lives.
        let copied =
            unsafe { sys::cuMemcpyDtoDAsync_v2(to.address(), from.address(), bytes, self.handle) };
        self.context.check("cuMemcpyDtoDAsync", copied)
    }

    /// The most bytes between two rows of `copy_rows`.
    pub const MOST_PITCH: usize = i32::MAX as usize;

    /// As `copy`, for `count` rows of `len` bytes at these distances.
    ///
    /// Errors: `DeviceError::Cuda`, also if a distance is above `MOST_PITCH`.
    ///
    /// # Safety
    /// As for `copy`, for all rows.
    pub unsafe fn copy_rows(
        &self,
        [from, to]: [DevicePointer; 2],
        [len, count]: [usize; 2],
        [from_pitch, to_pitch]: [usize; 2],
    ) -> Result<(), DeviceError> {
        let _kept = self.context.visit();
        let unified = sys::CUmemorytype_enum::CU_MEMORYTYPE_UNIFIED;
        let copy = sys::CUDA_MEMCPY2D_st {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: unified,
            srcHost: std::ptr::null(),
            srcDevice: from.address(),
            srcArray: std::ptr::null_mut(),
            srcPitch: from_pitch,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: unified,
            dstHost: std::ptr::null_mut(),
            dstDevice: to.address(),
            dstArray: std::ptr::null_mut(),
            dstPitch: to_pitch,
            WidthInBytes: len,
            Height: count,
        };
        // SAFETY: the caller's promise; the stream lives, and the description is read at once.
        let copied = unsafe { sys::cuMemcpy2DAsync_v2(&raw const copy, self.handle) };
        self.context.check("cuMemcpy2DAsync", copied)
    }

    /// Enqueues the write of a word, which becomes visible after the earlier work of the stream, on
    /// other devices too.
    ///
    /// Errors: `DeviceError::Cuda`, also if the device does not support it.
    ///
    /// # Safety
    /// The address is that of an aligned word in memory that the device can access and that lives
    /// until it is written.
    pub unsafe fn write_word(&self, at: DevicePointer, word: u32) -> Result<(), DeviceError> {
        let _kept = self.context.visit();
        // SAFETY: the caller's promise; the stream lives.
        let written = unsafe { sys::cuStreamWriteValue32_v2(self.handle, at.address(), word, 0) };
        self.context.check("cuStreamWriteValue32", written)
    }

    /// Lets later work of the stream wait until a word is at least `word`; the difference of both
    /// counts, so numbers may wrap around. What a GPU of the same machine wrote before it wrote the
    /// word with `write_word` is visible then.
    ///
    /// Errors: `DeviceError::Cuda`, also if the device does not support it.
    ///
    /// # Safety
    /// As for `write_word`. Something writes the word: otherwise the stream never continues.
    pub unsafe fn wait_word(&self, at: DevicePointer, word: u32) -> Result<(), DeviceError> {
        let _kept = self.context.visit();
        let at_least = sys::CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_GEQ as u32;
        // SAFETY: the caller's promise; the stream lives.
        let waits =
            unsafe { sys::cuStreamWaitValue32_v2(self.handle, at.address(), word, at_least) };
        self.context.check("cuStreamWaitValue32", waits)
    }

    fn before(&self, later: &Stream) -> Result<(), DeviceError> {
        if self.handle == later.handle {
            return Ok(());
        }
        let event = Event::new(&self.context, false, false)?;
        event.record(self)?;
        later.wait_event(&event)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.is_own {
            let _kept = self.context.visit();
            // SAFETY: made by `new`; the work in the stream still runs.
            let _ = unsafe { sys::cuStreamDestroy_v2(self.handle) };
        }
    }
}

/// A point in a stream. All methods are Local.
pub struct Event {
    context: Arc<Context>,
    mark: Mark,
}

impl Event {
    /// A new event, which counts as done until it is recorded. Only timed events have a time. A
    /// wait for a blocking event lets the processor sleep.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn new(
        context: &Arc<Context>,
        is_timed: bool,
        is_blocking: bool,
    ) -> Result<Event, DeviceError> {
        let _kept = context.visit();
        let mark = Mark::new(context, is_timed, is_blocking)?;
        Ok(Event { context: context.clone(), mark })
    }

    /// The handle, for other libraries.
    pub fn handle(&self) -> usize {
        self.mark.handle() as usize
    }

    /// Records the event at the current end of a stream of the same device.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn record(&self, stream: &Stream) -> Result<(), DeviceError> {
        let _kept = self.context.visit();
        // SAFETY: both live.
        let recorded = unsafe { sys::cuEventRecord(self.mark.handle(), stream.handle) };
        self.context.check("cuEventRecord", recorded)
    }

    /// Waits until the event is done.
    ///
    /// Errors: `DeviceError::Cuda`, also of earlier work.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        let _kept = self.context.visit();
        // SAFETY: the event lives.
        let waited = unsafe { sys::cuEventSynchronize(self.mark.handle()) };
        self.context.check("cuEventSynchronize", waited)
    }

    /// Whether the event is done.
    ///
    /// Errors: `DeviceError::Cuda`, also of earlier work.
    pub fn is_done(&self) -> Result<bool, DeviceError> {
        let _kept = self.context.visit();
        // SAFETY: the event lives.
        finished(&self.context, "cuEventQuery", unsafe { sys::cuEventQuery(self.mark.handle()) })
    }

    /// Milliseconds from another event to this one, by the device's clock.
    ///
    /// Errors: `DeviceError::Cuda` if one of them is not done or has no time.
    pub fn elapsed_since(&self, start: &Event) -> Result<f32, DeviceError> {
        let _kept = self.context.visit();
        let mut milliseconds = 0.0;
        let elapsed = elapsed_time(self.context.options())?;
        // SAFETY: both events live, and the pointer is valid.
        let asked =
            unsafe { elapsed(&raw mut milliseconds, start.mark.handle(), self.mark.handle()) };
        self.context.check("cuEventElapsedTime", asked)?;
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
    context: &Arc<Context>,
    call: &'static str,
    result: CUresult,
) -> Result<bool, DeviceError> {
    match result {
        CUresult::CUDA_ERROR_NOT_READY => Ok(false),
        result => context.check(call, result).map(|()| true),
    }
}
