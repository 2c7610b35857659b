//! Capture: records the work that a thread enqueues as a CUDA graph, to be launched as a whole.
//!
//! Work is captured in a stream that only the capturing thread uses, so it contains no work of
//! other threads, and is launched in the device's own stream. A graph keeps the memory that its
//! work took from the pool, because it contains the addresses.

use super::device::CudaDevice;
use super::driver::check;
use crate::device::Captured;
use crate::{Buffer, Device, DeviceError};
use cudarc::driver::sys::{self, CUgraph, CUgraphExec, CUstream};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

/// A capture in progress.
struct Capture {
    /// The device, which outlives the capture.
    device: *const CudaDevice,
    stream: CUstream,
    kept: Vec<Buffer>,
    failure: Option<DeviceError>,
}

thread_local! {
    /// The capture in progress on this thread.
    static CAPTURE: RefCell<Option<Capture>> = const { RefCell::new(None) };
}

/// Captured work.
pub(super) struct Graph {
    device: Arc<CudaDevice>,
    /// `None` once the graph has been freed to make room.
    whole: Mutex<Option<Whole>>,
}

/// An executable graph, and the memory whose addresses it contains.
struct Whole {
    graph: CUgraphExec,
    #[allow(dead_code, reason = "held for the addresses that are in the graph")]
    kept: Vec<Buffer>,
}

// SAFETY: an executable graph is bound to no thread; launches of it come one after the other in
// the device's stream.
unsafe impl Send for Whole {}

impl Graph {
    /// Frees the graph and its memory, after its last launch is done.
    pub(super) fn release(&self) {
        // The lock prevents launches meanwhile.
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Whole { graph, kept }) = whole.take() {
            self.device.synchronize();
            // SAFETY: nothing launches the graph any more, and its last launch is over.
            let _ = unsafe { sys::cuGraphExecDestroy(graph) };
            drop(kept);
        }
    }
}

impl Captured for Graph {
    fn launch(&self) -> Result<bool, DeviceError> {
        let whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(whole) = &*whole else { return Ok(false) };
        self.device.enter();
        // SAFETY: the graph lives, and so does the memory that it touches (`Device::capture`).
        let launched = unsafe { sys::cuGraphLaunch(whole.graph, self.device.stream) };
        match self.device.told("cuGraphLaunch", launched) {
            Err(DeviceError::OutOfMemory { .. }) => Ok(false),
            launched => launched.map(|()| true),
        }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        self.release();
    }
}

/// The capturing stream; dropping this ends the capture and the stream.
struct Begun<'a> {
    device: &'a CudaDevice,
    stream: CUstream,
}

impl<'a> Begun<'a> {
    fn new(device: &'a CudaDevice) -> Result<Begun<'a>, DeviceError> {
        device.enter();
        let mut stream: CUstream = std::ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the context is current and the pointer valid.
        let made = unsafe { sys::cuStreamCreate(&raw mut stream, flags) };
        check(&device.name(), "cuStreamCreate", made)?;
        let begun = Begun { device, stream };
        // In this mode other threads are not affected by the capture, and this one may allocate.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream lives and holds nothing.
        let began = unsafe { sys::cuStreamBeginCapture_v2(stream, mode) };
        check(&device.name(), "cuStreamBeginCapture", began)?;
        let capture = Capture { device, stream, kept: Vec::new(), failure: None };
        CAPTURE.set(Some(capture));
        Ok(begun)
    }

    /// Ends the capture. Returns the graph and the memory that its work took.
    fn end(self) -> Result<(CUgraph, Vec<Buffer>), DeviceError> {
        let capture = CAPTURE.take();
        let mut graph: CUgraph = std::ptr::null_mut();
        // SAFETY: the stream is being captured, and the pointer is valid.
        let ended = unsafe { sys::cuStreamEndCapture(self.stream, &raw mut graph) };
        let Some(Capture { kept, failure, .. }) = capture else {
            unreachable!("bug: a capture that was begun has ended")
        };
        let outcome = failure.map_or_else(|| check(&self.device.name(), "capture", ended), Err);
        if let Err(error) = outcome {
            destroy(graph);
            return Err(error);
        }
        Ok((graph, kept))
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if CAPTURE.take().is_some() {
            let mut graph: CUgraph = std::ptr::null_mut();
            // SAFETY: the work has panicked while the stream was being captured.
            let _ = unsafe { sys::cuStreamEndCapture(self.stream, &raw mut graph) };
            destroy(graph);
        }
        // SAFETY: nothing else uses the stream.
        let _ = unsafe { sys::cuStreamDestroy_v2(self.stream) };
    }
}

fn destroy(graph: CUgraph) {
    if !graph.is_null() {
        // SAFETY: nothing uses the graph any more.
        let _ = unsafe { sys::cuGraphDestroy(graph) };
    }
}

impl CudaDevice {
    /// The stream in which the calling thread enqueues work: the device's own, unless the thread is
    /// capturing.
    pub(super) fn work_stream(&self) -> CUstream {
        CAPTURE.with_borrow(|capture| match capture {
            Some(capture) if std::ptr::eq(capture.device, self) => capture.stream,
            _ => self.stream,
        })
    }

    /// Whether the calling thread is capturing this device's work.
    pub(super) fn is_capturing(&self) -> bool {
        self.work_stream() != self.stream
    }

    /// Lets the capture in progress keep memory that its work uses.
    pub(super) fn keep_captured(&self, buffer: &Buffer) {
        CAPTURE.with_borrow_mut(|capture| match capture {
            Some(capture) if std::ptr::eq(capture.device, self) => {
                capture.kept.push(buffer.clone());
            }
            _ => {}
        });
    }

    /// Keeps a failure of the capture in progress, which does not affect the device; returns the
    /// error if there is no capture.
    pub(super) fn keep_failure(&self, error: DeviceError) -> Option<DeviceError> {
        CAPTURE.with_borrow_mut(|capture| match capture {
            Some(capture) if std::ptr::eq(capture.device, self) => {
                capture.failure.get_or_insert(error);
                None
            }
            _ => Some(error),
        })
    }

    /// Captures the work that `work` enqueues on the calling thread.
    ///
    /// Errors: `DeviceError::Cuda` of a call that cannot be captured; the device is unchanged.
    pub(super) fn capture_work(
        self: Arc<Self>,
        work: &mut dyn FnMut(),
    ) -> Result<Arc<dyn Captured>, DeviceError> {
        let begun = Begun::new(&self)?;
        work();
        let (graph, kept) = begun.end()?;
        let mut executable: CUgraphExec = std::ptr::null_mut();
        // SAFETY: the graph is whole, and the pointer is valid.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut executable, graph, 0) };
        destroy(graph);
        check(&self.name(), "cuGraphInstantiate", made)?;
        let whole = Mutex::new(Some(Whole { graph: executable, kept }));
        let made = Arc::new(Graph { device: self.clone(), whole });
        let mut graphs = self.graphs.lock().unwrap_or_else(PoisonError::into_inner);
        graphs.retain(|known| known.strong_count() > 0);
        graphs.push(Arc::downgrade(&made));
        Ok(made)
    }
}
