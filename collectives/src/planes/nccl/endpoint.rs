//! A GPU's streams for the work of its groups.

use super::copies::CopyStreams;
use super::watch::Watch;
use crate::CollectiveError;
use crate::transport::Fabric;
use phalanx_device::cuda::{CudaDevice, Event as Point, Stream};
use phalanx_device::{Completion, Device, DeviceError, EventError, Moment, Slice};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The highest priority of streams; the driver uses the nearest that it supports.
const URGENT: i32 = -8;

/// A GPU as seen by all communicator groups of which it is a member. They share its streams, so
/// that its messages follow the order of its plans.
pub(crate) struct Endpoint {
    pub(super) gpu: Arc<CudaDevice>,
    pub(super) stream: Arc<Stream>,
    /// For long messages between GPUs that can access each other's memory.
    pub(super) copying: Arc<CopyStreams>,
    fabric: Arc<Fabric>,
    pub(super) watch: Arc<Watch>,
}

/// Work that a communicator group has enqueued in streams.
pub(super) struct Enqueued {
    gpu: Arc<CudaDevice>,
    fabric: Arc<Fabric>,
    /// The end of the work in each of the streams.
    ends: Vec<Point>,
    /// When the work began and ended in each of the streams, if the device keeps times.
    spans: Vec<[Moment; 2]>,
    /// Memory that must not be reused before the device's later work is ordered after `ends`.
    #[allow(dead_code, reason = "held until its work has ended")]
    kept: Vec<Slice>,
    is_ordered: AtomicBool,
}

impl Endpoint {
    /// Errors: `DeviceError::Cuda`.
    pub(crate) fn new(
        gpu: Arc<CudaDevice>,
        fabric: &Arc<Fabric>,
        watch: &Arc<Watch>,
    ) -> Result<Arc<Endpoint>, DeviceError> {
        let stream = Arc::new(Stream::new(gpu.context(), true, Some(URGENT))?);
        let copying = Arc::new(CopyStreams::new(gpu.context(), URGENT)?);
        let (fabric, watch) = (fabric.clone(), watch.clone());
        Ok(Arc::new(Endpoint { gpu, stream, copying, fabric, watch }))
    }

    /// Enqueues work in some of the streams, after the device's earlier work. `kept` is the memory
    /// that the work uses.
    pub(super) fn enqueue(
        &self,
        streams: &[&Stream],
        kept: Vec<Slice>,
        work: impl FnOnce() -> Result<(), DeviceError>,
    ) -> Result<Enqueued, CollectiveError> {
        self.fabric.failure.check()?;
        let enqueue = || {
            let before = Point::new(self.gpu.context(), false, false)?;
            before.record(&Stream::of_work(self.gpu.context()))?;
            streams.iter().try_for_each(|stream| stream.wait_event(&before))?;
            let moments = || streams.iter().map(|stream| self.gpu.moment_in(stream));
            let begun = moments().collect::<Result<Vec<_>, _>>()?;
            work()?;
            let ended = moments().collect::<Result<Vec<_>, _>>()?;
            let spans = begun.into_iter().flatten().zip(ended.into_iter().flatten());
            let end = |stream: &&Stream| {
                let end = Point::new(self.gpu.context(), false, false)?;
                end.record(stream).map(|()| end)
            };
            let ends = streams.iter().map(end).collect::<Result<_, _>>()?;
            Ok((ends, spans.map(<[_; 2]>::from).collect()))
        };
        let (ends, spans) = match enqueue() {
            Ok(enqueued) => enqueued,
            Err(error) => {
                // Enqueued parts may still run in the stream, and their end is unknown.
                std::mem::forget(kept);
                return Err(self.fail(&error));
            }
        };
        let (gpu, fabric) = (self.gpu.clone(), self.fabric.clone());
        Ok(Enqueued { gpu, fabric, ends, spans, kept, is_ordered: AtomicBool::new(false) })
    }

    pub(super) fn fail(&self, error: &DeviceError) -> CollectiveError {
        self.fabric.fail_of_device(error)
    }
}

impl Enqueued {
    /// Makes the device's later work wait for the end.
    fn order(&self) -> Result<(), DeviceError> {
        if self.is_ordered.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        let work = Stream::of_work(self.gpu.context());
        self.ends.iter().try_for_each(|end| work.wait_event(end))
    }
}

impl Completion for Enqueued {
    fn is_done(&self) -> bool {
        true
    }

    fn wait(&self) -> Result<(), EventError> {
        self.fabric.failure.check().map_err(EventError::new)?;
        self.order().map_err(|error| EventError::new(self.fabric.fail_of_device(&error)))
    }

    fn spans(&self, _begun: &Moment) -> Vec<[Moment; 2]> {
        self.spans.clone()
    }
}

impl Drop for Enqueued {
    fn drop(&mut self) {
        if let Err(error) = self.order() {
            self.gpu.fail(error);
        }
    }
}
