//! The current stream of a thread.

use phalanx_device::cuda::{CudaDevice, Stream};
use phalanx_graph::{Error, call_site};
use phalanx_scheduler::RunError;
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    static CURRENT: RefCell<Vec<Arc<Stream>>> = const { RefCell::new(Vec::new()) };
}

/// Guard that pops the current stream, even if the work panics.
struct Current;

impl Drop for Current {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(Vec::pop);
    }
}

/// Runs `work` with a stream as the current one of this thread. The stream's earlier work precedes
/// everything recorded meanwhile, and its later work follows that, on each of `gpus`. These must be
/// the session's GPUs, because arrays reside on all of them, wherever the stream is. Calls may be
/// nested. Collective over the mesh.
///
/// Errors: as [`hand_over`](crate::hand_over), and those of CUDA.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use phalanx::cuda::{Stream, current_stream, with_stream};
/// use std::sync::Arc;
/// let session = phalanx::init(phalanx::Config::default())?;
/// // None on a CPU.
/// let gpus = session.gpus();
/// for gpu in &gpus {
///     let stream = Arc::new(Stream::new(gpu.context(), true, None)?);
///     let x = with_stream(&gpus, &stream, || {
///         assert!(current_stream().is_some());
///         phalanx::ones([1000, 1000], phalanx::DType::F64) + 1
///     })?;
///     stream.synchronize()?;
///     println!("{x}");
/// }
/// # session.finish()?;
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn with_stream<T>(
    gpus: &[Arc<CudaDevice>],
    stream: &Arc<Stream>,
    work: impl FnOnce() -> T,
) -> Result<T, Error> {
    let site = call_site();
    let failed = |error| Error::failure(RunError::Device(error), Some(site));
    gpus.iter().try_for_each(|gpu| stream.precede(gpu.context())).map_err(failed)?;
    CURRENT.with_borrow_mut(|streams| streams.push(stream.clone()));
    let done = {
        let _current = Current;
        work()
    };
    crate::hand_over()?;
    gpus.iter().try_for_each(|gpu| stream.follow(gpu.context())).map_err(failed)?;
    Ok(done)
}

/// The current stream of this thread, if there is one. Local.
pub fn current_stream() -> Option<Arc<Stream>> {
    CURRENT.with_borrow(|streams| streams.last().cloned())
}
