//! Outcomes: the result of a plan on the devices of this process, and the wait for it.

use crate::error::RunError;
use phalanx_graph::{Error, Site};
use phalanx_waiting::{LOOK, aside, interruptible, look};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The state of a plan's execution.
struct Progress {
    /// The number of local devices that are not done.
    left: usize,
    error: Option<Error>,
    /// The outcomes of earlier plans whose values this one reads. Devices run plans in order, so
    /// these are known when this one is done.
    needed: Vec<Arc<Outcome>>,
    /// The number of threads that wait. Without any, nothing is notified: that is a system call.
    waiting: usize,
}

/// The outcome of a plan on this process's devices.
pub(crate) struct Outcome {
    state: Mutex<Progress>,
    changed: Condvar,
    /// The ticket of the plan, if devices communicate in it.
    pub ticket: Option<u64>,
}

impl Outcome {
    /// The outcome of a plan on this many devices. It fails if one of the `needed` outcomes fails.
    pub fn pending(devices: usize, ticket: Option<u64>, needed: Vec<Arc<Outcome>>) -> Arc<Outcome> {
        let state = Mutex::new(Progress { left: devices, error: None, needed, waiting: 0 });
        Arc::new(Outcome { state, changed: Condvar::new(), ticket })
    }

    /// The outcome of a plan that failed before it ran.
    pub fn failed(error: Error) -> Arc<Outcome> {
        let (needed, error) = (Vec::new(), Some(error));
        let state = Mutex::new(Progress { left: 0, error, needed, waiting: 0 });
        Arc::new(Outcome { state, changed: Condvar::new(), ticket: None })
    }

    /// Records that one device is done.
    pub fn finish(&self, result: Result<(), RunError>, site: Site) {
        let mut state = self.state();
        state.left -= 1;
        if let Err(error) = result {
            state.error.get_or_insert_with(|| Error::failure(error, Some(site)));
        }
        if state.left == 0 {
            for needed in std::mem::take(&mut state.needed) {
                if let Some(error) = needed.error() {
                    // Values computed from a failed value have failed too.
                    state.error = Some(error);
                }
            }
            if state.waiting > 0 {
                self.changed.notify_all();
            }
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
    /// Errors: that of a device; `Interrupted` when the user interrupts the wait, which does not
    /// stop the devices.
    pub fn wait(&self) -> Result<(), Error> {
        if !self.is_done() {
            let given_up = || Error::failure(RunError::Interrupted, None);
            interruptible(None, || self.wait_while(|| !look())).map_err(|_| given_up())?;
        }
        self.error().map_or(Ok(()), Err)
    }

    /// Waits for all devices and ignores interrupts: the caller holds a lock or memory that others
    /// need.
    pub fn wait_surely(&self) -> Result<(), Error> {
        if !self.is_done() {
            aside(|| self.wait_while(|| true));
        }
        self.error().map_or(Ok(()), Err)
    }

    fn wait_while(&self, continues: impl Fn() -> bool) {
        let mut state = self.state();
        while state.left > 0 {
            state.waiting += 1;
            let woken = self.changed.wait_timeout(state, LOOK);
            woken.unwrap_or_else(PoisonError::into_inner).0.waiting -= 1;
            if !continues() {
                return;
            }
            state = self.state();
        }
    }

    fn error(&self) -> Option<Error> {
        self.state().error.clone()
    }
}
