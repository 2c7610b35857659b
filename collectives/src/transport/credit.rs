//! Credit: limits the short messages that may be travelling to, or stored unclaimed in, the process
//! at the other end of a connection.
//!
//! Short messages are sent before the receiver asks for them, and the receiving process stores them
//! until then. Each process lends every other one a fixed amount of memory for this. A sender takes
//! credit from it when it sends; the receiver returns the credit in portions when messages are
//! claimed. A sender without credit announces its message like a long one and keeps the bytes until
//! the receiver asks for them. Therefore a reader never stops reading, no message waits for
//! another, and a program that is correct with long messages is correct with short ones.
//!
//! An announced message costs the receiver one entry in a queue. The sender keeps the whole message
//! meanwhile.

use std::sync::atomic::{AtomicU64, Ordering};

/// The most memory that a process lends to each other process.
pub(super) const CREDIT_BYTES: u64 = 4 << 20;
/// The cost of a message beside its bytes: its entry in a queue and the allocator's overhead.
const MESSAGE_BYTES: u64 = 128;
/// Credit is returned in portions of at least this size. Withheld credit delays no sender, because
/// messages without credit are sent too.
const PORTION_BYTES: u64 = CREDIT_BYTES / 8;

/// Both directions of the credit of one connection.
#[derive(Debug, Default)]
pub(super) struct Credit {
    /// Credit that this process has taken and the other has not returned.
    taken: AtomicU64,
    /// The cost of messages that arrived here and whose credit this process has not returned.
    lent: AtomicU64,
    /// The part of `lent` whose messages are claimed.
    claimed: AtomicU64,
}

impl Credit {
    /// Takes credit for a message to be sent, if there is enough.
    pub(super) fn take(&self, len: usize) -> bool {
        let cost = cost(len);
        let take = |taken| Some(taken + cost).filter(|taken| *taken <= CREDIT_BYTES);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    /// Handles credit that the other end returns; false if it was never taken.
    pub(super) fn given_back(&self, bytes: u64) -> bool {
        let give = |taken: u64| taken.checked_sub(bytes);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, give).is_ok()
    }

    /// Counts a message that has arrived; false if the other end had no credit for it.
    pub(super) fn arrived(&self, len: usize) -> bool {
        self.lent.fetch_add(cost(len), Ordering::Relaxed) + cost(len) <= CREDIT_BYTES
    }

    /// Counts an arrived message as claimed. Returns the credit to return now, if any.
    pub(super) fn claimed(&self, len: usize) -> Option<u64> {
        let claimed = self.claimed.fetch_add(cost(len), Ordering::Relaxed) + cost(len);
        if claimed < PORTION_BYTES {
            return None;
        }
        let portion = self.claimed.swap(0, Ordering::Relaxed);
        // Before the other end can receive the credit, and so before messages sent with it arrive.
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
    fn unclaimed_messages_have_a_limit_and_claims_return_credit() {
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
