//! The loans of a base: which of its bytes other code may write.

use super::places::Places;
use phalanx_graph::Site;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The parts of a base that are lent.
#[derive(Default)]
pub(super) struct Loans {
    /// Whether there is a loan. It is read without the lock.
    is_any: AtomicBool,
    list: Mutex<Vec<Lent>>,
}

/// A loan that has not ended.
pub(super) struct Lent {
    pub number: u64,
    pub places: Places,
    pub since: Site,
}

impl Loans {
    /// Whether a part of the base is lent.
    pub(super) fn is_any(&self) -> bool {
        self.is_any.load(Ordering::Relaxed)
    }

    /// Reads or changes the list of loans.
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut Vec<Lent>) -> T) -> T {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let done = act(&mut list);
        self.is_any.store(!list.is_empty(), Ordering::Relaxed);
        done
    }
}
