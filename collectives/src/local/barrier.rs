//! A barrier of threads that the end of the world interrupts.

use crate::CollectiveError;
use crate::failure::Failure;
use crate::wait::Sleepers;
use std::sync::atomic::{AtomicU64, Ordering};

/// A reusable barrier. The word holds the epoch in its upper half and the arrivals of the epoch in
/// its lower half.
#[derive(Debug)]
pub(super) struct Barrier {
    members: u64,
    word: AtomicU64,
    sleepers: Sleepers,
}

const ARRIVALS: u64 = u32::MAX as u64;

impl Barrier {
    pub(super) fn new(members: usize) -> Barrier {
        Barrier { members: members as u64, word: AtomicU64::new(0), sleepers: Sleepers::default() }
    }

    /// Waits for all members. If the world fails first, this member's arrival is taken back, so
    /// that either all members pass an epoch or none does.
    pub(super) fn wait(&self, failure: &Failure) -> Result<(), CollectiveError> {
        let Some(epoch) = self.arrive() else {
            return Ok(());
        };
        self.sleepers.wait_until(|| self.epoch() != epoch || failure.is_set());
        loop {
            let word = self.word.load(Ordering::SeqCst);
            if word >> 32 != epoch {
                return Ok(());
            }
            let withdrawn =
                self.word.compare_exchange(word, word - 1, Ordering::SeqCst, Ordering::SeqCst);
            if withdrawn.is_ok() {
                return failure.check();
            }
        }
    }

    /// Waits for all members, of which each is certain to arrive soon.
    pub(super) fn wait_surely(&self) {
        if let Some(epoch) = self.arrive() {
            self.sleepers.wait_until(|| self.epoch() != epoch);
        }
    }

    fn epoch(&self) -> u64 {
        self.word.load(Ordering::SeqCst) >> 32
    }

    /// Counts this member; the epoch to wait out, or nothing when this was the last member.
    fn arrive(&self) -> Option<u64> {
        let before = self.word.fetch_add(1, Ordering::SeqCst);
        let epoch = before >> 32;
        if (before & ARRIVALS) + 1 < self.members {
            return Some(epoch);
        }
        // The shift drops the carry, so that epochs wrap.
        self.word.store((epoch + 1) << 32, Ordering::SeqCst);
        self.sleepers.wake();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn nobody_passes_before_all_have_arrived() {
        let (barrier, failure, arrived) =
            (Barrier::new(3), Failure::default(), AtomicUsize::new(0));
        // The epoch wraps during the test.
        barrier.word.store(ARRIVALS << 32, Ordering::SeqCst);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=500 {
                        arrived.fetch_add(1, Ordering::SeqCst);
                        barrier.wait(&failure).unwrap();
                        assert!(arrived.load(Ordering::SeqCst) >= 3 * round);
                    }
                });
            }
        });
    }

    #[test]
    fn a_failure_takes_the_arrivals_back() {
        let (barrier, failure) = (Barrier::new(3), Failure::default());
        std::thread::scope(|scope| {
            let waiters = [(); 2].map(|()| scope.spawn(|| barrier.wait(&failure)));
            while barrier.word.load(Ordering::SeqCst) != 2 {
                std::thread::yield_now();
            }
            failure.set(CollectiveError::Closed);
            for waiter in waiters {
                assert_eq!(waiter.join().unwrap(), Err(CollectiveError::Closed));
            }
        });
        assert_eq!(barrier.word.load(Ordering::SeqCst), 0);
    }
}
