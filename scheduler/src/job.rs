//! Jobs: a plan in execution, and how it ended.

use crate::error::RunError;
use crate::ready::Ready;
use crate::shards::Shards;
use phalanx_array::{Error, Site};
use phalanx_device::Buffer;
use phalanx_ops::Scalar;
use phalanx_ops::waiting::{LOOK, aside, interruptible, look};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// How a plan's execution on this process's devices ended.
pub(crate) struct Outcome {
    state: Mutex<(usize, Option<Error>)>,
    changed: Condvar,
    /// The ticket of the work, if ranks have computed it together.
    pub ticket: Option<u64>,
}

impl Outcome {
    /// The outcome of work on so many devices.
    pub fn pending(devices: usize, ticket: Option<u64>) -> Arc<Outcome> {
        Arc::new(Outcome { state: Mutex::new((devices, None)), changed: Condvar::new(), ticket })
    }

    /// The outcome of work that has failed.
    pub fn failed(error: Error) -> Arc<Outcome> {
        let state = Mutex::new((0, Some(error)));
        Arc::new(Outcome { state, changed: Condvar::new(), ticket: None })
    }

    /// One device is done.
    pub fn finish(&self, result: Result<(), RunError>, site: Site) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 -= 1;
        if let Err(error) = result {
            state.1.get_or_insert_with(|| Error::failure(error, Some(site)));
        }
        if state.0 == 0 {
            self.changed.notify_all();
        }
    }

    /// Whether all devices are done.
    pub fn is_done(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0 == 0
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
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.0 > 0 {
            let woken = self.changed.wait_timeout(state, LOOK);
            drop(woken);
            if !goes_on() {
                return;
            }
            state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn error(&self) -> Option<Error> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
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
