//! How far a process may go ahead of the others with its tickets.
//!
//! Ranks that compute what all of them hold need no message of each other, so one may be thousands
//! of tickets ahead of another that is held up. Rank 0 keeps every ticket that some rank has not
//! posted yet, so a rank that is too far ahead waits, until the slowest has caught up or the world
//! has ended. Nobody waits for a rank that is ahead of it, hence not in a circle.

use crate::failure::Failure;
use crate::tickets::NEWS_EVERY;
use crate::wait::Sleepers;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many tickets a rank may have posted that another has not.
pub(crate) const MOST: u64 = 1024;

// The slowest rank itself must never wait for news.
const _: () = assert!(NEWS_EVERY < MOST);

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
