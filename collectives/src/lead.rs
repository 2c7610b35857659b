//! How far a process may go ahead of the others with its tickets.
//!
//! Ranks that compute what all of them hold need no message of each other, so one may be thousands
//! of tickets ahead of another that is held up. Rank 0 keeps every ticket that some rank has not
//! posted yet, so a rank that is too far ahead waits, until the slowest has caught up or the world
//! has ended. Nobody waits for a rank that is ahead of it, hence not in a circle.
//!
//! Who reads what several ranks have computed together waits for the ticket of that work to be
//! compared: ranks that went different ways have computed something, but nothing that either asked
//! for.

use crate::failure::Failure;
use crate::wait::Sleepers;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many tickets a rank may have posted that another has not.
pub(crate) const MOST: u64 = 1024;

/// The tickets of this process that others may not have posted yet.
#[derive(Debug, Default)]
pub(crate) struct Lead {
    posted: AtomicU64,
    /// How many all ranks have posted, as far as this one has heard.
    settled: AtomicU64,
    waiting: Sleepers,
}

impl Lead {
    /// Counts a ticket of this process.
    pub(crate) fn post(&self) {
        self.posted.fetch_add(1, Ordering::SeqCst);
    }

    /// All ranks have posted so many tickets.
    pub(crate) fn settle(&self, count: u64) {
        self.settled.fetch_max(count, Ordering::SeqCst);
        self.waiting.wake();
    }

    /// Waits until all ranks have posted equal tickets up to this number, or the world has ended.
    pub(crate) fn wait_for(&self, number: u64, failure: &Failure) {
        let is_settled = || self.settled.load(Ordering::SeqCst) >= number;
        self.waiting.wait_until(|| is_settled() || failure.is_set());
    }

    /// Waits while this process is too far ahead and the world goes on.
    pub(crate) fn wait(&self, failure: &Failure) {
        let is_near = || {
            let settled = self.settled.load(Ordering::SeqCst);
            self.posted.load(Ordering::SeqCst) <= settled.saturating_add(MOST)
        };
        if !is_near() {
            self.waiting.wait_until(|| is_near() || failure.is_set());
        }
    }
}
