//! The time of a piece of a program, on the host and on GPUs.

use super::{CudaDevice, Event, Stream};
use phalanx_array::{Error, call_site};
use phalanx_device::DeviceError;
use phalanx_scheduler::RunError;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What [`benchmark`] has measured.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    /// How long each call took to come back, which on a GPU is before its work is done.
    pub host: Vec<Duration>,
    /// For each GPU, how long by its own clock each call's work took; without GPUs one row, by the
    /// host's clock.
    pub devices: Vec<Vec<Duration>>,
}

/// Measures each of so many calls, after some that are not measured; `work` records what is to be
/// measured, all of which is started and waited for. Every process calls as often. Collective.
///
/// Errors: those of the work, and the refusals of CUDA.
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
        // A window for each call, as below: what is measured then finds its plan and its kernels.
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

/// The time of a GPU between two points of its work.
struct Clock {
    stream: Stream,
    start: Event,
    end: Event,
}

impl Clock {
    fn new(gpu: &Arc<CudaDevice>) -> Result<Clock, DeviceError> {
        let (start, end) = (Event::new(gpu, true, false)?, Event::new(gpu, true, false)?);
        Ok(Clock { stream: Stream::of_work(gpu), start, end })
    }

    fn time(&self) -> Result<Duration, DeviceError> {
        self.end.synchronize()?;
        let milliseconds = f64::from(self.end.elapsed_since(&self.start)?);
        Ok(Duration::from_secs_f64(milliseconds.max(0.0) / 1e3))
    }
}
