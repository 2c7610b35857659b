//! Tracks the ranks that have left and the number of collectives of each communicator group that
//! they started. If others are still in a collective, a departed rank either started it and is
//! ahead, or never will.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a rank's messages may arrive after its goodbye, which travels separately.
const GRACE: Duration = Duration::from_secs(1);
/// How many ended communicator groups a leaving rank still reports. Other ranks may be in the last
/// collectives of these groups.
const ENDED_GROUPS: usize = 1000;

/// The ranks that have left, and the numbers of collectives that they started.
#[derive(Debug)]
pub(crate) struct Departures {
    has_any: AtomicBool,
    ranks: Mutex<Vec<Option<Departure>>>,
    /// The number of collectives of each communicator group that this process has started.
    groups: Mutex<Groups>,
}

#[derive(Clone, Debug, Default)]
struct Departure {
    at: Option<Instant>,
    /// The number of collectives of each communicator group that the rank has started.
    begun: HashMap<u64, u64>,
}

#[derive(Debug, Default)]
struct Groups {
    live: HashMap<u64, Arc<AtomicU64>>,
    ended: VecDeque<(u64, u64)>,
}

impl Departures {
    pub(crate) fn new(processes: usize) -> Departures {
        let ranks = Mutex::new(vec![None; processes]);
        Departures { has_any: AtomicBool::new(false), ranks, groups: Mutex::default() }
    }

    /// Registers a new communicator group and returns the count of its collectives.
    pub(super) fn count(&self, group: u64) -> Arc<AtomicU64> {
        let count = Arc::<AtomicU64>::default();
        lock(&self.groups).live.insert(group, count.clone());
        count
    }

    /// Records that a communicator group has ended in this process.
    pub(super) fn end(&self, group: u64) {
        let mut groups = lock(&self.groups);
        let Some(count) = groups.live.remove(&group) else { return };
        if groups.ended.len() == ENDED_GROUPS {
            groups.ended.pop_front();
        }
        groups.ended.push_back((group, count.load(Ordering::SeqCst)));
    }

    /// The numbers that a leaving rank reports to the others.
    pub(crate) fn begun(&self) -> Vec<(u64, u64)> {
        let groups = lock(&self.groups);
        let live = groups.live.iter().map(|(group, count)| (*group, count.load(Ordering::SeqCst)));
        live.chain(groups.ended.iter().copied()).collect()
    }

    /// Records a part of the numbers that a leaving rank reports.
    pub(crate) fn receive(&self, rank: usize, begun: Vec<(u64, u64)>) {
        lock(&self.ranks)[rank].get_or_insert_default().begun.extend(begun);
    }

    /// Records that a rank has said goodbye.
    pub(crate) fn note(&self, rank: usize) {
        lock(&self.ranks)[rank].get_or_insert_default().at.get_or_insert_with(Instant::now);
        self.has_any.store(true, Ordering::SeqCst);
    }

    /// One of these ranks that has left and whose messages have had time to arrive.
    pub(super) fn departed(&self, mut ranks: impl Iterator<Item = usize>) -> Option<usize> {
        if !self.has_any.load(Ordering::SeqCst) {
            return None;
        }
        let departures = lock(&self.ranks);
        ranks.find(|rank| departures[*rank].as_ref().is_some_and(Departure::is_over))
    }

    /// One of these ranks that has left without starting collective `number` of a communicator
    /// group.
    pub(super) fn absent(&self, group: u64, number: u64, ranks: &[usize]) -> Option<usize> {
        if !self.has_any.load(Ordering::SeqCst) {
            return None;
        }
        let departures = lock(&self.ranks);
        let is_absent = |rank: &&usize| {
            departures[**rank].as_ref().is_some_and(|departure| {
                let begun = departure.begun.get(&group).copied().unwrap_or(0);
                departure.is_over() && begun < number
            })
        };
        ranks.iter().find(is_absent).copied()
    }
}

impl Departure {
    fn is_over(&self) -> bool {
        self.at.is_some_and(|at| at.elapsed() > GRACE)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_that_is_ahead_is_not_taken_for_absent() {
        let departures = Departures::new(3);
        let (one, other) = (departures.count(7), departures.count(8));
        one.store(5, Ordering::SeqCst);
        other.store(2, Ordering::SeqCst);
        departures.end(8);
        let mut begun = departures.begun();
        begun.sort_unstable();
        assert_eq!(begun, [(7, 5), (8, 2)]);
        departures.receive(1, begun);
        assert_eq!(departures.absent(7, 6, &[0, 1, 2]), None);
        departures.note(1);
        assert_eq!(departures.departed([1].into_iter()), None, "its messages may still arrive");
        let past = Instant::now().checked_sub(2 * GRACE).unwrap();
        lock(&departures.ranks)[1].as_mut().unwrap().at = Some(past);
        assert_eq!(departures.departed([0, 1].into_iter()), Some(1));
        assert_eq!(departures.absent(7, 5, &[0, 1, 2]), None);
        assert_eq!(departures.absent(7, 6, &[0, 1, 2]), Some(1));
        assert_eq!(departures.absent(8, 3, &[1]), Some(1));
        // Rank 1 has not reported this communicator group.
        assert_eq!(departures.absent(9, 1, &[0, 1, 2]), Some(1));
    }

    #[test]
    fn the_counts_of_ended_groups_are_bounded() {
        let departures = Departures::new(2);
        for group in 0..3 * ENDED_GROUPS as u64 {
            departures.count(group);
            departures.end(group);
        }
        let begun = departures.begun();
        assert_eq!(begun.len(), ENDED_GROUPS);
        assert!(begun.contains(&(3 * ENDED_GROUPS as u64 - 1, 0)));
    }
}
