//! A cache of plans by length.

use std::sync::{Mutex, PoisonError};

/// The most lengths whose plans are cached; a further one clears the cache.
pub(super) const KEPT: usize = 64;

/// Planners, which keep their plans, and the lengths of these plans.
pub(super) struct Cache<P> {
    new: fn() -> P,
    kept: Mutex<Option<(P, Vec<usize>)>>,
}

impl<P> Cache<P> {
    /// An empty cache of the planners that a function returns.
    pub(super) const fn of(new: fn() -> P) -> Cache<P> {
        Cache { new, kept: Mutex::new(None) }
    }

    /// Calls `make` with the planners, for a line of this length.
    pub(super) fn made<R>(&self, length: usize, make: impl FnOnce(&mut P) -> R) -> R {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full =
            |(_, lengths): &(P, Vec<usize>)| lengths.len() >= KEPT && !lengths.contains(&length);
        if kept.as_ref().is_some_and(is_full) {
            *kept = None;
        }
        let (planners, lengths) = kept.get_or_insert_with(|| ((self.new)(), Vec::new()));
        if !lengths.contains(&length) {
            lengths.push(length);
        }
        make(planners)
    }
}
