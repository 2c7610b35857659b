//! Whether the program is inside of a call, and whether it knows that its world has ended.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Tracks whether the program notices that its world has ended.
///
/// Running calls soon return the error, unless they are stuck in foreign code that nothing can
/// interrupt: a driver, or an MPI library that starts. A program outside of all calls receives the
/// error at its next call, but may never make one: it may wait, by its own means, for ranks that
/// have ended. A program that has received the error may continue.
#[derive(Debug, Default)]
pub(crate) struct Inside {
    count: AtomicUsize,
    turns: AtomicU64,
    is_aware: AtomicBool,
}

/// Why a process does not end by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stay {
    /// A call is running; the value counts the calls started and ended so far.
    Inside(u64),
    /// The program computes or waits, and has not received the error.
    Unaware,
}

/// Guard of a running call of the program.
#[derive(Debug)]
pub struct Entered<'a>(&'a Inside);

impl Inside {
    pub(crate) fn enter(&self) -> Entered<'_> {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.turns.fetch_add(1, Ordering::Relaxed);
        Entered(self)
    }

    /// Records that the program knows how its world ended, or has left it.
    pub(crate) fn note_aware(&self) {
        self.is_aware.store(true, Ordering::Relaxed);
    }

    /// Whether a call is running.
    pub(super) fn has_calls(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    /// The reason to end the program if this state lasts; `None` if it may continue.
    pub(super) fn stay(&self) -> Option<Stay> {
        let turns = self.turns.load(Ordering::Relaxed);
        if self.is_aware.load(Ordering::Relaxed) {
            self.has_calls().then_some(Stay::Inside(turns))
        } else {
            // Even if the program makes calls: none of them has returned the error.
            Some(Stay::Unaware)
        }
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.0.turns.fetch_add(1, Ordering::Relaxed);
        self.0.count.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_stays_the_same_until_it_or_another_ends() {
        let inside = Inside::default();
        inside.note_aware();
        assert_eq!(inside.stay(), None);
        let first = inside.enter();
        let stay = inside.stay();
        assert!(stay.is_some() && stay == inside.stay());
        drop(inside.enter());
        assert!(inside.stay().is_some() && inside.stay() != stay);
        drop(first);
        assert_eq!(inside.stay(), None);
    }

    #[test]
    fn an_unaware_program_stays_through_all_its_calls() {
        let inside = Inside::default();
        let stay = inside.stay();
        assert_eq!(stay, Some(Stay::Unaware));
        drop(inside.enter());
        assert_eq!(inside.stay(), stay);
        let _first = inside.enter();
        assert_eq!(inside.stay(), stay);
        inside.note_aware();
        assert!(inside.stay().is_some() && inside.stay() != stay);
    }
}
