//! Credit: how much of short messages may be on its way, or lie unclaimed, at the other end of a
//! connection.
//!
//! Short messages are sent before anybody asks for them, so the receiving process keeps them until
//! then. Each process lends every other one a fixed amount of its memory for that. The sender takes
//! from the amount when it sends; the receiver gives it back, in portions, when the messages are
//! claimed. A sender that has nothing left announces its message as if it were a long one, and the
//! bytes stay with it until the receiver asks for them. So a reader never stops reading, no message
//! waits for another, and a program that would be correct with long messages stays correct.
//!
//! What an announced message leaves at the receiver is one entry in a queue, and the sender holds
//! the whole message for as long.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a process keeps for each other process at the most.
pub(super) const CREDIT_BYTES: u64 = 4 << 20;
/// What a message counts beside its bytes: its place in a queue and in the allocator.
const MESSAGE_BYTES: u64 = 128;
/// Credit goes back in portions of at least this size; what is withheld hinders nobody, since
/// messages without credit go too.
const PORTION_BYTES: u64 = CREDIT_BYTES / 8;

/// Both directions of the credit of one connection.
#[derive(Debug, Default)]
pub(super) struct Credit {
    /// Sent by this process and not given back by the other.
    taken: AtomicU64,
    /// Arrived at this process and not given back to the other.
    lent: AtomicU64,
    /// The part of it that is claimed.
    claimed: AtomicU64,
}

impl Credit {
    /// Takes credit for a message to be sent, if there is enough.
    pub(super) fn take(&self, len: usize) -> bool {
        let cost = cost(len);
        let take = |taken| Some(taken + cost).filter(|taken| *taken <= CREDIT_BYTES);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    /// The other end gives credit back; false if it was never taken.
    pub(super) fn given_back(&self, bytes: u64) -> bool {
        let give = |taken: u64| taken.checked_sub(bytes);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, give).is_ok()
    }

    /// A message has arrived; false if the other end had no credit for it.
    pub(super) fn arrived(&self, len: usize) -> bool {
        self.lent.fetch_add(cost(len), Ordering::Relaxed) + cost(len) <= CREDIT_BYTES
    }

    /// A message that had arrived is claimed; how much credit is to be given back now, if any.
    pub(super) fn claimed(&self, len: usize) -> Option<u64> {
        let claimed = self.claimed.fetch_add(cost(len), Ordering::Relaxed) + cost(len);
        if claimed < PORTION_BYTES {
            return None;
        }
        let portion = self.claimed.swap(0, Ordering::Relaxed);
        // Before the other end can know of it, and so before anything sent for it arrives.
        self.lent.fetch_sub(portion, Ordering::Relaxed);
        (portion > 0).then_some(portion)
    }
}

fn cost(len: usize) -> u64 {
    len as u64 + MESSAGE_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::frame::EAGER_BYTES;

    #[test]
    fn what_is_unclaimed_has_a_limit_and_claims_give_credit_back() {
        for len in [0, 1, 1000, EAGER_BYTES] {
            let (sender, receiver) = (Credit::default(), Credit::default());
            let mut unclaimed = 0;
            for _ in 0..3 {
                while sender.take(len) {
                    assert!(receiver.arrived(len));
                    unclaimed += 1;
                }
                assert!(unclaimed * cost(len) <= CREDIT_BYTES);
                assert!((unclaimed + 1) * cost(len) + PORTION_BYTES > CREDIT_BYTES);
                for _ in 0..unclaimed {
                    if let Some(portion) = receiver.claimed(len) {
                        assert!(sender.given_back(portion));
                    }
                }
                unclaimed = 0;
            }
        }
    }

    #[test]
    fn a_sender_that_sends_without_credit_and_credit_never_taken_are_noticed() {
        let credit = Credit::default();
        let fits = (0..1000).take_while(|_| credit.arrived(EAGER_BYTES)).count() as u64;
        assert_eq!(fits, CREDIT_BYTES / cost(EAGER_BYTES));
        assert!(!credit.given_back(1));
    }
}
