//! Jobs: a plan in execution, and how it ended.

use crate::error::RunError;
use crate::ready::Ready;
use crate::shards::Shards;
use phalanx_array::{Error, Site};
use phalanx_device::Buffer;
use phalanx_ops::Scalar;
use phalanx_ops::waiting::{LOOK, aside, interruptible, look};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// How far a plan's execution has come.
struct Progress {
    /// Local devices that are not done.
    left: usize,
    error: Option<Error>,
    /// The outcomes of earlier plans that compute what this one needs: devices run plans in order,
    /// so these are known when this one is done.
    needed: Vec<Arc<Outcome>>,
}

/// How a plan's execution on this process's devices ended.
pub(crate) struct Outcome {
    state: Mutex<Progress>,
    changed: Condvar,
    /// The ticket of the work, if ranks have computed it together.
    pub ticket: Option<u64>,
}

impl Outcome {
    /// The outcome of work on so many devices, which fails if what it needs has failed.
    pub fn pending(devices: usize, ticket: Option<u64>, needed: Vec<Arc<Outcome>>) -> Arc<Outcome> {
        let state = Mutex::new(Progress { left: devices, error: None, needed });
        Arc::new(Outcome { state, changed: Condvar::new(), ticket })
    }

    /// The outcome of work that has failed.
    pub fn failed(error: Error) -> Arc<Outcome> {
        let state = Mutex::new(Progress { left: 0, error: Some(error), needed: Vec::new() });
        Arc::new(Outcome { state, changed: Condvar::new(), ticket: None })
    }

    /// One device is done.
    pub fn finish(&self, result: Result<(), RunError>, site: Site) {
        let mut state = self.state();
        state.left -= 1;
        if let Err(error) = result {
            state.error.get_or_insert_with(|| Error::failure(error, Some(site)));
        }
        if state.left == 0 {
            for needed in std::mem::take(&mut state.needed) {
                if let Some(error) = needed.error() {
                    // What was computed from it is no value.
                    state.error = Some(error);
                }
            }
            self.changed.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, Progress> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all devices are done.
    pub fn is_done(&self) -> bool {
        self.state().left == 0
    }

    /// Whether all devices are done, and none has failed.
    pub fn has_succeeded(&self) -> bool {
        let state = self.state();
        state.left == 0 && state.error.is_none()
    }

    /// Waits for all devices.
    ///
    /// Errors: that of a device; `Interrupted` when the user gives up, which changes nothing for
    /// the devices.
    pub fn wait(&self) -> Result<(), Error> {
        if !self.is_done() {
            let given_up = || Error::failure(RunError::Interrupted, None);
            interruptible(None, || self.wait_while(|| !look())).map_err(|_| given_up())?;
        }
        self.error().map_or(Ok(()), Err)
    }

    /// Waits for all devices, whatever the user asks: the caller holds what others need.
    pub fn wait_surely(&self) -> Result<(), Error> {
        if !self.is_done() {
            aside(|| self.wait_while(|| true));
        }
        self.error().map_or(Ok(()), Err)
    }

    fn wait_while(&self, goes_on: impl Fn() -> bool) {
        let mut state = self.state();
        while state.left > 0 {
            let woken = self.changed.wait_timeout(state, LOOK);
            drop(woken);
            if !goes_on() {
                return;
            }
            state = self.state();
        }
    }

    fn error(&self) -> Option<Error> {
        self.state().error.clone()
    }
}

/// A plan in execution: everything its devices need, reserved before the first step.
pub(crate) struct Job {
    pub ready: Arc<Ready>,
    pub scalars: Vec<Scalar>,
    /// For each local device, its shards of the leaves, its slots and its other buffers.
    pub memory: Vec<JobMemory>,
    /// The nodes whose shape the execution finds out.
    pub late: Vec<(u32, Arc<Shards>)>,
    pub outcome: Arc<Outcome>,
    pub site: Site,
}

/// The buffers of a device.
pub(crate) struct JobMemory {
    pub leaves: Vec<Buffer>,
    pub slots: Vec<Buffer>,
    pub locals: Vec<Buffer>,
}
