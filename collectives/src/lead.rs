//! Limits how many tickets a process may post ahead of the others.
//!
//! Ranks that compute values which all of them hold need no messages of each other, so one rank may
//! be thousands of tickets ahead of a delayed one. Rank 0 keeps every ticket that some rank has not
//! posted yet. Therefore a rank that is too far ahead waits until the slowest has caught up or the
//! world has ended. No rank waits for a rank that is ahead of it, so waits form no circle.
//!
//! Before a rank reads what several ranks have computed together, it waits until the ticket of that
//! work is compared. Otherwise ranks that took different ways would read a meaningless result.

use crate::failure::Failure;
use crate::wait::Sleepers;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many tickets a rank may post ahead of the slowest rank.
pub(crate) const MOST: u64 = 1024;

/// The tickets of this process that others may not have posted yet.
#[derive(Debug, Default)]
pub(crate) struct Lead {
    posted: AtomicU64,
    /// The number of tickets that all ranks have posted, as last reported by rank 0.
    settled: AtomicU64,
    waiting: Sleepers,
}

impl Lead {
    /// Counts a ticket of this process.
    pub(crate) fn post(&self) {
        self.posted.fetch_add(1, Ordering::SeqCst);
    }

    /// Records that all ranks have posted this many tickets.
    pub(crate) fn settle(&self, count: u64) {
        self.settled.fetch_max(count, Ordering::SeqCst);
        self.waiting.wake();
    }

    /// Waits until all ranks have posted equal tickets up to this number, or the world has ended.
    pub(crate) fn wait_for(&self, number: u64, failure: &Failure) {
        let is_settled = || self.settled.load(Ordering::SeqCst) >= number;
        self.waiting.wait_until(|| is_settled() || failure.is_set());
    }

    /// Waits while this process is too far ahead and the world has not ended.
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
