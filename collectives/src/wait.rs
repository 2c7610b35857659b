//! Waits: a short spin for neighbours that are about to arrive, then sleep.

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Condvar, Mutex, SPINS, YIELDS, spin_loop, yield_now};
use phalanx_waiting::look;
use std::sync::PoisonError;
use std::time::Duration;

/// The interval between two checks for the world's failure, which does not wake sleepers.
const LOOK: Duration = Duration::from_millis(10);

/// Threads that sleep until other threads make a condition true.
#[derive(Debug, Default)]
pub(crate) struct Sleepers {
    asleep: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Sleepers {
    /// Returns once `done` holds. The thread that makes it hold stores with `SeqCst`, then calls
    /// `wake`.
    pub(crate) fn wait_until(&self, done: impl Fn() -> bool) {
        for _ in 0..SPINS {
            if done() {
                return;
            }
            spin_loop();
        }
        for _ in 0..YIELDS {
            if done() {
                return;
            }
            yield_now();
        }
        self.asleep.fetch_add(1, Ordering::SeqCst);
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !done() {
            let outcome = self.changed.wait_timeout(guard, LOOK);
            // A thread that gives up ends the world, which the next turn sees.
            drop(outcome);
            look();
            guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        }
        drop(guard);
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }

    /// Wakes the sleeping threads. A thread about to sleep either is counted already or will see
    /// the condition.
    pub(crate) fn wake(&self) {
        if self.asleep.load(Ordering::SeqCst) > 0 {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.changed.notify_all();
        }
    }
}
