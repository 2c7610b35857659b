//! Whose fault it is when ranks do not get connected with each other.

use super::frames::{GRACE, Roster, died, silent};
use super::mesh::{LATE, unreached};
use crate::CollectiveError;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What rank 0 learns when a rank is late, or says that it did not reach another one.
///
/// A rank that hangs keeps others waiting, and those keep others still; only it does not answer
/// when it is asked for whom it waits.
#[derive(Default)]
pub(super) struct Inquiry {
    is_asked: bool,
    /// The ranks that were asked and have not answered.
    unheard: BTreeSet<usize>,
    /// What is wrong according to a rank; first those that have given up, then those that wait.
    told: BTreeMap<(bool, usize), CollectiveError>,
}

impl Inquiry {
    /// Whether ranks have been asked.
    pub(super) fn is_begun(&self) -> bool {
        self.is_asked
    }

    /// All ranks that are not ready are asked; whether they are asked for the first time.
    pub(super) fn asks(&mut self, unready: &BTreeSet<usize>) -> bool {
        let is_first = !self.is_asked;
        if is_first {
            self.is_asked = true;
            self.unheard = unready.clone();
        }
        is_first
    }

    /// Something came from a rank: what it said before counts no longer.
    pub(super) fn heard(&mut self, rank: usize) {
        self.unheard.remove(&rank);
        self.told.remove(&(true, rank));
    }

    /// A rank has given up.
    pub(super) fn failed(&mut self, rank: usize, error: CollectiveError) {
        self.told.insert((false, rank), error);
    }

    /// A rank waits for these to connect; for none, if it waits for something else.
    pub(super) fn waits(&mut self, rank: usize, missing: &[usize], roster: &Roster) {
        let error = match missing.first() {
            Some(peer) if *peer < roster.entries.len() => unreached(*peer, roster, LATE.into()),
            _ => died(rank, String::from("it was not ready in time")),
        };
        self.told.insert((true, rank), error);
    }

    /// The error of a rank that was asked so long ago and has not answered.
    pub(super) fn hung(&self, time: Duration) -> Option<CollectiveError> {
        self.unheard.first().map(|&rank| silent(rank, time))
    }

    /// What is wrong, when all that were asked have answered.
    pub(super) fn answer(&self) -> Option<CollectiveError> {
        let is_over = self.is_asked && self.unheard.is_empty();
        is_over.then(|| self.verdict()).flatten()
    }

    /// What is wrong as far as is known.
    pub(super) fn verdict(&self) -> Option<CollectiveError> {
        // Of several, one that others wait for.
        let missed = self.told.values().filter_map(|error| match error {
            CollectiveError::PeerUnreachable { rank, .. } => Some(*rank),
            _ => None,
        });
        let missed: BTreeSet<usize> = missed.collect();
        let hung = self.unheard.intersection(&missed).next();
        let error = hung.map(|&rank| silent(rank, GRACE)).or_else(|| self.hung(GRACE));
        error.or_else(|| self.told.values().next().cloned())
    }
}
