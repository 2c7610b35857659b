//! Events: the completion of asynchronous work.

use crate::Moment;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The completion of asynchronous work. Clones share one completion.
#[derive(Clone, Debug)]
pub struct Event(State);

#[derive(Clone)]
enum State {
    Ready,
    Flag(Arc<Flag>),
    Driven(Arc<dyn Completion>),
}

/// A completion that other code decides, such as the transfers of a communicator.
pub trait Completion: Send + Sync {
    /// Whether `wait` would return immediately.
    fn is_done(&self) -> bool;
    /// Waits for the end; returns the same result on every call.
    fn wait(&self) -> Result<(), EventError>;
    /// See `Event::spans`.
    fn spans(&self, begun: &Moment) -> Vec<[Moment; 2]> {
        let _ = begun;
        Vec::new()
    }
}

/// The error of an event's work.
#[derive(Clone, Debug)]
pub struct EventError(Arc<dyn Error + Send + Sync>);

#[derive(Default)]
struct Flag {
    outcome: Mutex<Option<Result<(), EventError>>>,
    changed: Condvar,
}

impl Event {
    /// An event that has already happened.
    pub const fn ready() -> Event {
        Event(State::Ready)
    }

    /// An event that happens when `complete` or `fail` is called on it or a clone.
    pub fn pending() -> Event {
        Event(State::Flag(Arc::default()))
    }

    /// An event that happens when `completion` is done.
    pub fn driven(completion: Arc<dyn Completion>) -> Event {
        Event(State::Driven(completion))
    }

    /// Whether the event is `Event::ready`.
    pub fn is_ready(&self) -> bool {
        matches!(self.0, State::Ready)
    }

    /// Marks a pending event as happened and wakes every waiter; the first outcome stays.
    pub fn complete(&self) {
        self.settle(Ok(()));
    }

    /// Marks a pending event as failed and wakes every waiter; the first outcome stays.
    pub fn fail(&self, error: EventError) {
        self.settle(Err(error));
    }

    fn settle(&self, outcome: Result<(), EventError>) {
        if let State::Flag(flag) = &self.0 {
            flag.outcome().get_or_insert(outcome);
            flag.changed.notify_all();
        }
    }

    /// Whether the event has happened or failed.
    pub fn is_done(&self) -> bool {
        match &self.0 {
            State::Ready => true,
            State::Flag(flag) => flag.outcome().is_some(),
            State::Driven(completion) => completion.is_done(),
        }
    }

    /// Waits until the event has happened or failed.
    pub fn wait(&self) -> Result<(), EventError> {
        match &self.0 {
            State::Ready => Ok(()),
            State::Flag(flag) => {
                let mut outcome = flag.outcome();
                loop {
                    if let Some(outcome) = &*outcome {
                        return outcome.clone();
                    }
                    outcome = flag.changed.wait(outcome).unwrap_or_else(PoisonError::into_inner);
                }
            }
            State::Driven(completion) => completion.wait(),
        }
    }
}

impl Event {
    /// The spans of time in which the work ran, after `wait` has returned; empty if that is not
    /// known. The host gave the work at `begun`.
    pub fn spans(&self, begun: &Moment) -> Vec<[Moment; 2]> {
        match &self.0 {
            State::Driven(completion) => completion.spans(begun),
            State::Ready | State::Flag(_) => Vec::new(),
        }
    }
}

impl Flag {
    fn outcome(&self) -> MutexGuard<'_, Option<Result<(), EventError>>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Ready => "Ready",
            State::Flag(_) => "Flag",
            State::Driven(_) => "Driven",
        })
    }
}

impl EventError {
    /// The error of an event whose work failed with `error`.
    pub fn new(error: impl Error + Send + Sync + 'static) -> EventError {
        EventError(Arc::new(error))
    }

    /// The error of the work, if it has the type `E`.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for EventError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceError;

    #[test]
    fn the_first_outcome_stays_and_wakes_waiters() {
        let event = Event::pending();
        let waiter = std::thread::spawn({
            let event = event.clone();
            move || event.wait()
        });
        assert!(!event.is_done());
        let threads = || DeviceError::Threads { device: "cpu:0".into(), reason: "none".into() };
        event.fail(EventError::new(threads()));
        event.complete();
        let error = waiter.join().unwrap().unwrap_err();
        assert_eq!(error.downcast_ref::<DeviceError>(), Some(&threads()));
        assert!(event.wait().is_err());
        assert!(Event::ready().wait().is_ok());
    }
}
