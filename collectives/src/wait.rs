//! Waiting: a short spin for neighbours that are about to arrive, then sleep.

use crate::CollectiveError;
use crate::failure::Failure;
use phalanx_ops::waiting::look;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Turns of the busy loop before yielding: about 4 µs, the time in which a running neighbour
/// answers.
const SPINS: u32 = 100;
/// Yields before sleeping: lets neighbours run where threads share cores.
const YIELDS: u32 = 20;
/// The longest sleep between two looks at the world's failure, which wakes nobody.
const LOOK: Duration = Duration::from_millis(10);

/// Threads asleep until a condition holds that others bring about.
#[derive(Debug, Default)]
pub(crate) struct Sleepers {
    asleep: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Sleepers {
    /// Returns once `done` holds. Whoever makes it hold stores with `SeqCst` and then calls `wake`.
    pub(crate) fn wait_until(&self, done: impl Fn() -> bool) {
        for _ in 0..SPINS {
            if done() {
                return;
            }
            std::hint::spin_loop();
        }
        for _ in 0..YIELDS {
            if done() {
                return;
            }
            std::thread::yield_now();
        }
        self.asleep.fetch_add(1, Ordering::SeqCst);
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !done() {
            let outcome = self.changed.wait_timeout(guard, LOOK);
            // Whoever gives up ends the world, which is seen at the next turn.
            drop(outcome);
            look();
            guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        }
        drop(guard);
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }

    /// Wakes the threads that sleep. A thread about to sleep either is counted already, or will see
    /// the condition.
    pub(crate) fn wake(&self) {
        if self.asleep.load(Ordering::SeqCst) > 0 {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.changed.notify_all();
        }
    }
}

/// Runs `work`, which may wait for other ranks and cannot be ended, on a thread of its own. When
/// the world fails first, the thread is left to itself.
pub(crate) fn aside<T: Send + 'static>(
    name: &str,
    failure: &Failure,
    work: impl FnOnce() -> Result<T, CollectiveError> + Send + 'static,
) -> Result<T, CollectiveError> {
    let (sender, receiver) = channel();
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || sender.send(work()))
        .map_err(|error| CollectiveError::network(&error))?;
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Timeout) => {
                look();
                failure.check()?;
            }
            Err(RecvTimeoutError::Disconnected) => panic!("bug: {name} panicked"),
        }
    }
}
