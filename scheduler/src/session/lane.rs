//! Lanes: each runs the jobs of one device in order.

use super::live::LiveArrays;
use crate::error::RunError;
use crate::execute::Worker;
use crate::job::Job;
use crate::ready::Ready;
use phalanx_collectives::{CollectiveError, World};
use phalanx_device::DeviceError;
use phalanx_waiting::aside;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// How often a thread polls for a job, first spinning, then yielding, before it sleeps. A program
/// that waits for each result sends the next job within that time, and waking takes longer.
const SPINS: u32 = 100;
const YIELDS: u32 = 20;

/// The work of one device. Jobs run one after the other, on the device's own thread or, while that
/// is idle, on the calling thread.
pub(super) struct Lane {
    worker: Arc<Mutex<Worker>>,
    world: Arc<World>,
    live: Arc<LiveArrays>,
    /// Started by the first job that is sent.
    thread: Option<Thread>,
}

impl Lane {
    pub fn new(worker: Worker, world: Arc<World>, live: Arc<LiveArrays>) -> Lane {
        Lane { worker: Arc::new(Mutex::new(worker)), world, live, thread: None }
    }

    /// Runs a job on the calling thread. No job that was sent may be in flight.
    pub fn run(&self, job: &Job) {
        let result = run(&self.worker, job, &self.live);
        end_world_on_failure(&result, &self.world, &job.ready);
        job.outcome.finish(result, job.site);
    }

    /// Sends a job to the device's thread, which runs it after those sent before.
    pub fn send(&mut self, job: &Arc<Job>) -> Result<(), RunError> {
        let (jobs, _) = match &self.thread {
            Some(thread) => thread,
            None => {
                let (worker, world) = (self.worker.clone(), self.world.clone());
                self.thread.insert(start(worker, world, self.live.clone())?)
            }
        };
        jobs.send(job.clone()).map_err(|_| RunError::Bug {
            message: String::from("bug: the thread of a device has ended"),
        })
    }

    /// Waits for all jobs that were sent and ends the thread.
    pub fn end(&mut self) {
        if let Some((jobs, thread)) = self.thread.take() {
            drop(jobs);
            let _ = aside(|| thread.join());
        }
    }
}

type Thread = (Sender<Arc<Job>>, JoinHandle<()>);

fn start(
    worker: Arc<Mutex<Worker>>,
    world: Arc<World>,
    live: Arc<LiveArrays>,
) -> Result<Thread, RunError> {
    let (sender, jobs) = channel::<Arc<Job>>();
    let (device, name) = {
        let worker = worker.lock().unwrap_or_else(PoisonError::into_inner);
        (worker.device, worker.memory.name())
    };
    let thread = std::thread::Builder::new()
        .name(format!("device:{device}"))
        .spawn(move || {
            while let Some(job) = next(&jobs) {
                let (ready, outcome, site) = (job.ready.clone(), job.outcome.clone(), job.site);
                let result = run(&worker, &job, &live);
                // The job's memory is freed before waiting callers wake.
                let released = guarded(|| drop(job));
                let result = result.and(released);
                end_world_on_failure(&result, &world, &ready);
                outcome.finish(result, site);
            }
        })
        .map_err(|error| {
            let reason = error.to_string();
            RunError::Device(DeviceError::Threads { device: name, reason })
        })?;
    Ok((sender, thread))
}

/// The next job; `None` when the lane ends.
fn next(jobs: &Receiver<Arc<Job>>) -> Option<Arc<Job>> {
    for look in 0..SPINS + YIELDS {
        match jobs.try_recv() {
            Ok(job) => return Some(job),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) if look < SPINS => std::hint::spin_loop(),
            Err(TryRecvError::Empty) => std::thread::yield_now(),
        }
    }
    jobs.recv().ok()
}

/// Runs `work` and turns a panic into an error, because other devices and ranks wait for this one.
/// Subscribers to spans and owners of memory may panic too.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, RunError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| String::from(*text)));
        RunError::Bug { message: text.unwrap_or_default() }
    })
}

/// Runs a job on a device.
fn run(worker: &Mutex<Worker>, job: &Job, live: &LiveArrays) -> Result<(), RunError> {
    tracing::trace!(target: "phalanx::path", file = file!());
    let result = guarded(|| {
        let mut worker = worker.lock().unwrap_or_else(PoisonError::into_inner);
        let _span = tracing::debug_span!("run", device = worker.device, site = %job.site).entered();
        worker.run(job)
    });
    result.flatten().map_err(|error| match error {
        RunError::Device(refusal @ DeviceError::OutOfMemory { .. }) => {
            RunError::Memory { value: None, refusal: Box::new(refusal), largest: live.largest() }
        }
        error => error,
    })
}

/// Ends the world with the failure of a job, so that no rank waits for this one.
fn end_world_on_failure(result: &Result<(), RunError>, world: &World, ready: &Ready) {
    // A plan without communication in a world of one process has no one waiting. If it lacks memory
    // or panics, its values carry the error, and the session continues.
    let is_own = |error: &RunError| {
        matches!(error, RunError::Memory { .. } | RunError::Bug { .. })
            && world.size() == 1
            && !ready.communicates()
    };
    if let Err(error) = result
        && !matches!(error, RunError::Collective(_))
        && !is_own(error)
    {
        world.abort(CollectiveError::Aborted {
            rank: world.rank(),
            error_code: String::from(error.code()),
            message: error.to_string(),
        });
    }
}
