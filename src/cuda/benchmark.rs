//! Timing of a part of a program, on the host and on GPUs.

use phalanx_device::DeviceError;
use phalanx_device::cuda::{CudaDevice, Event, Stream};
use phalanx_graph::{Error, call_site};
use phalanx_scheduler::RunError;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The result of [`benchmark`].
#[derive(Clone, Debug, Default)]
pub struct Timings {
    /// How long each call took to return; on a GPU this is before its work is complete.
    pub host: Vec<Duration>,
    /// For each GPU, the duration of each call's work by the GPU's clock. Without GPUs, one row by
    /// the host's clock.
    pub devices: Vec<Vec<Duration>>,
}

/// Measures `repeats` calls of `work`, after `warm_up` unmeasured calls. The operations that `work`
/// records are started and awaited. Every process must make as many calls. Collective.
///
/// Errors: those of the work, and those of CUDA.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let session = phalanx::init(phalanx::Config::default())?;
/// let x = phalanx::ones([1000, 1000], phalanx::DType::F64);
/// let timings = phalanx::cuda::benchmark(&session.gpus(), 2, 5, || x.sum(()).evaluate())?;
/// assert_eq!(timings.host.len(), 5);
/// println!("{:?}", timings.devices[0].iter().min());
/// # session.finish()?;
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn benchmark(
    gpus: &[Arc<CudaDevice>],
    warm_up: usize,
    repeats: usize,
    mut work: impl FnMut() -> Result<(), Error>,
) -> Result<Timings, Error> {
    let site = call_site();
    let failed = |error| Error::failure(RunError::Device(error), Some(site));
    for _ in 0..warm_up {
        work()?;
        // One window for each call, as below: the measured calls then find their plan and kernels.
        crate::hand_over()?;
    }
    crate::synchronize()?;
    let clocks = gpus.iter().map(Clock::new).collect::<Result<Vec<Clock>, DeviceError>>();
    let clocks = clocks.map_err(failed)?;
    let mut timings = Timings::default();
    timings.devices.resize(gpus.len().max(1), Vec::new());
    for _ in 0..repeats {
        clocks.iter().try_for_each(|clock| clock.start.record(&clock.stream)).map_err(failed)?;
        let begun = Instant::now();
        work()?;
        timings.host.push(begun.elapsed());
        crate::hand_over()?;
        clocks.iter().try_for_each(|clock| clock.end.record(&clock.stream)).map_err(failed)?;
        crate::synchronize()?;
        let whole = begun.elapsed();
        if clocks.is_empty() {
            timings.devices[0].push(whole);
        }
        for (clock, row) in clocks.iter().zip(&mut timings.devices) {
            row.push(clock.time().map_err(failed)?);
        }
    }
    Ok(timings)
}

/// Measures the time between two points of a GPU's work.
struct Clock {
    stream: Stream,
    start: Event,
    end: Event,
}

impl Clock {
    fn new(gpu: &Arc<CudaDevice>) -> Result<Clock, DeviceError> {
        let context = gpu.context();
        let (start, end) = (Event::new(context, true, false)?, Event::new(context, true, false)?);
        Ok(Clock { stream: Stream::of_work(context), start, end })
    }

    fn time(&self) -> Result<Duration, DeviceError> {
        self.end.synchronize()?;
        let milliseconds = f64::from(self.end.elapsed_since(&self.start)?);
        Ok(Duration::from_secs_f64(milliseconds.max(0.0) / 1e3))
    }
}
