//! A barrier of threads that the failure of the world interrupts.

use crate::CollectiveError;
use crate::failure::Failure;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::wait::Sleepers;

/// A reusable barrier. An epoch ends with the arrival that makes the count a multiple of the
/// members. The two are one atomic action, so a withdrawal happens before or after it.
#[derive(Debug)]
pub(super) struct Barrier {
    members: u64,
    /// The arrivals of all epochs; 64 bits suffice for centuries.
    arrivals: AtomicU64,
    sleepers: Sleepers,
}

impl Barrier {
    pub(super) fn new(members: usize) -> Barrier {
        let (arrivals, sleepers) = (AtomicU64::new(0), Sleepers::default());
        Barrier { members: members as u64, arrivals, sleepers }
    }

    /// Waits for all members. If the world fails first, this member withdraws its arrival.
    /// Therefore either all members pass an epoch or none does.
    pub(super) fn wait(&self, failure: &Failure) -> Result<(), CollectiveError> {
        let Some(full) = self.arrive() else {
            return Ok(());
        };
        self.sleepers.wait_until(|| self.has(full) || failure.is_set());
        let withdrawn = |arrivals| (arrivals < full).then(|| arrivals - 1);
        match self.arrivals.fetch_update(Ordering::SeqCst, Ordering::SeqCst, withdrawn) {
            Ok(_) => failure.check(),
            Err(_) => Ok(()),
        }
    }

    /// Waits for all members, each of which is certain to arrive soon.
    pub(super) fn wait_surely(&self) {
        if let Some(full) = self.arrive() {
            self.sleepers.wait_until(|| self.has(full));
        }
    }

    /// Whether the epoch of this arrival is over. Later epochs only add to the count.
    fn has(&self, full: u64) -> bool {
        self.arrivals.load(Ordering::SeqCst) >= full
    }

    /// Counts this member. Returns the count to wait for, or `None` if this arrival ended the
    /// epoch.
    fn arrive(&self) -> Option<u64> {
        let before = self.arrivals.fetch_add(1, Ordering::SeqCst);
        let full = (before / self.members + 1) * self.members;
        if before + 1 < full {
            return Some(full);
        }
        self.sleepers.wake();
        None
    }
}
