//! Finds the rank that is at fault when ranks do not connect with each other.

use super::frames::{GRACE, Roster, died, silent};
use super::mesh::{LATE, unreached};
use crate::CollectiveError;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The inquiry of rank 0 when a rank is late or reports that it did not reach another one.
///
/// A rank that hangs delays others, and those delay further ones. But only the hanging rank does
/// not answer the question for which ranks it waits.
#[derive(Default)]
pub(super) struct Inquiry {
    is_asked: bool,
    /// The ranks that were asked and have not answered.
    unanswered: BTreeSet<usize>,
    /// The errors that ranks report; first those of ranks that gave up, then of ranks that wait.
    reported: BTreeMap<(bool, usize), CollectiveError>,
}

impl Inquiry {
    /// Whether ranks have been asked.
    pub(super) fn is_begun(&self) -> bool {
        self.is_asked
    }

    /// Records that all unready ranks are asked. Returns whether this is the first time.
    pub(super) fn asks(&mut self, unready: &BTreeSet<usize>) -> bool {
        let is_first = !self.is_asked;
        if is_first {
            self.is_asked = true;
            self.unanswered = unready.clone();
        }
        is_first
    }

    /// Records a frame of a rank. It replaces an earlier report of the rank.
    pub(super) fn answered(&mut self, rank: usize) {
        self.unanswered.remove(&rank);
        self.reported.remove(&(true, rank));
    }

    /// Records that a rank has given up.
    pub(super) fn failed(&mut self, rank: usize, error: CollectiveError) {
        self.reported.insert((false, rank), error);
    }

    /// Records the ranks for which a rank waits; none if it waits for something else.
    pub(super) fn waits(&mut self, rank: usize, missing: &[usize], roster: &Roster) {
        let error = match missing.first() {
            Some(peer) if *peer < roster.entries.len() => unreached(*peer, roster, LATE.into()),
            _ => died(rank, String::from("it was not ready in time")),
        };
        self.reported.insert((true, rank), error);
    }

    /// The error of a rank that was asked this long ago and has not answered.
    pub(super) fn hung(&self, time: Duration) -> Option<CollectiveError> {
        self.unanswered.first().map(|&rank| silent(rank, time))
    }

    /// The error, once all asked ranks have answered.
    pub(super) fn answer(&self) -> Option<CollectiveError> {
        let is_over = self.is_asked && self.unanswered.is_empty();
        is_over.then(|| self.verdict()).flatten()
    }

    /// The error, as far as known.
    pub(super) fn verdict(&self) -> Option<CollectiveError> {
        // If several ranks are silent, name one that others wait for.
        let missed = self.reported.values().filter_map(|error| match error {
            CollectiveError::PeerUnreachable { rank, .. } => Some(*rank),
            _ => None,
        });
        let missed: BTreeSet<usize> = missed.collect();
        let hung = self.unanswered.intersection(&missed).next();
        let error = hung.map(|&rank| silent(rank, GRACE)).or_else(|| self.hung(GRACE));
        error.or_else(|| self.reported.values().next().cloned())
    }
}
