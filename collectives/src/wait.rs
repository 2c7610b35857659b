//! Waiting: a short spin for neighbours that are about to arrive, then sleep.

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Condvar, Mutex, SPINS, YIELDS, spin_loop, yield_now};
use phalanx_ops::waiting::look;
use std::sync::PoisonError;
use std::time::Duration;

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
