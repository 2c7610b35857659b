//! Capture: records the work that a thread enqueues as a CUDA graph, to be launched as a whole.
//!
//! Work is captured in a stream that only the capturing thread uses, so it contains no work of
//! other threads, and is launched in the device's own stream. A graph keeps the memory that its
//! work took from the pool, because it contains the addresses.

use crate::cuda::driver::{Capture, Context, Kept, begin_capture, end_capture};
use crate::cuda::memory::{GpuMemory, Spare};
use crate::device::Captured;
use crate::{Device, DeviceError};
use cudarc::driver::sys::{self, CUgraph, CUgraphExec, CUstream};
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Captured work.
struct Graph {
    memory: Arc<GpuMemory>,
    #[allow(dead_code, reason = "held for the plans of libraries, whose tables the graph reads")]
    device: Arc<dyn Device>,
    /// `None` once the graph has been freed to make room.
    whole: Mutex<Option<Whole>>,
}

/// An executable graph, and the memory whose addresses it contains.
struct Whole {
    graph: CUgraphExec,
    #[allow(dead_code, reason = "held for the addresses that are in the graph")]
    kept: Kept,
}

// SAFETY: an executable graph is bound to no thread; launches of it come one after the other in
// the device's stream.
unsafe impl Send for Whole {}

impl Graph {
    /// Frees the graph and its memory, after its last launch is done.
    fn release(&self) {
        // The lock prevents launches meanwhile.
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Whole { graph, kept }) = whole.take() {
            self.memory.synchronize();
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
        let context = self.memory.context();
        context.enter();
        // SAFETY: the graph lives, and so does the memory that it touches (`Device::capture`).
        let launched = unsafe { sys::cuGraphLaunch(whole.graph, context.own_stream()) };
        match context.check_and_note("cuGraphLaunch", launched) {
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
    context: &'a Context,
    stream: CUstream,
}

impl<'a> Begun<'a> {
    fn new(context: &'a Context) -> Result<Begun<'a>, DeviceError> {
        context.enter();
        let mut stream: CUstream = std::ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the context is current and the pointer valid.
        let made = unsafe { sys::cuStreamCreate(&raw mut stream, flags) };
        context.check("cuStreamCreate", made)?;
        let begun = Begun { context, stream };
        // In this mode other threads are not affected by the capture, and this one may allocate.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream lives and holds nothing.
        let began = unsafe { sys::cuStreamBeginCapture_v2(stream, mode) };
        context.check("cuStreamBeginCapture", began)?;
        begin_capture(context.own_stream(), stream);
        Ok(begun)
    }

    /// Ends the capture. Returns the graph and the memory that its work took.
    fn end(self) -> Result<(CUgraph, Kept), DeviceError> {
        let capture = end_capture();
        let mut graph: CUgraph = std::ptr::null_mut();
        // SAFETY: the stream is being captured, and the pointer is valid.
        let ended = unsafe { sys::cuStreamEndCapture(self.stream, &raw mut graph) };
        let Some(Capture { kept, failure, .. }) = capture else {
            unreachable!("bug: a capture that was begun has ended")
        };
        let outcome = failure.map_or_else(|| self.context.check("capture", ended), Err);
        if let Err(error) = outcome {
            destroy(graph);
            return Err(error);
        }
        Ok((graph, kept))
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if end_capture().is_some() {
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

/// The captured work of a device, which is freed if memory is short.
pub(in crate::cuda) struct Graphs {
    memory: Arc<GpuMemory>,
    made: Mutex<Vec<Weak<Graph>>>,
}

impl Graphs {
    /// No captured work, of the device with this memory.
    pub fn new(memory: &Arc<GpuMemory>) -> Arc<Graphs> {
        Arc::new(Graphs { memory: memory.clone(), made: Mutex::default() })
    }

    /// Captures the work that `work` enqueues on the calling thread. The graph keeps the device.
    ///
    /// Errors: `DeviceError::Cuda` of a call that cannot be captured; the device is unchanged.
    pub fn capture(
        &self,
        device: Arc<dyn Device>,
        work: &mut dyn FnMut(),
    ) -> Result<Arc<dyn Captured>, DeviceError> {
        let context = self.memory.context();
        let begun = Begun::new(context)?;
        work();
        let (graph, kept) = begun.end()?;
        let mut executable: CUgraphExec = std::ptr::null_mut();
        // SAFETY: the graph is whole, and the pointer is valid.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut executable, graph, 0) };
        destroy(graph);
        context.check("cuGraphInstantiate", made)?;
        let whole = Mutex::new(Some(Whole { graph: executable, kept }));
        let made = Arc::new(Graph { memory: self.memory.clone(), device, whole });
        let mut graphs = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        graphs.retain(|known| known.strong_count() > 0);
        graphs.push(Arc::downgrade(&made));
        Ok(made)
    }
}

/// Graphs that are freed when this is dropped, even if other values still hold them.
struct Released(Vec<Arc<Graph>>);

impl Drop for Released {
    fn drop(&mut self) {
        self.0.iter().for_each(|graph| graph.release());
    }
}

impl Spare for Graphs {
    fn take(&self) -> Option<Box<dyn Any>> {
        let made = std::mem::take(&mut *self.made.lock().unwrap_or_else(PoisonError::into_inner));
        let graphs: Vec<_> = made.iter().filter_map(Weak::upgrade).collect();
        if graphs.is_empty() { None } else { Some(Box::new(Released(graphs))) }
    }
}
