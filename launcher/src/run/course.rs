//! The rules by which a run ends.
//!
//! When a rank fails, the others get [`GRACE`] to notice this and end by themselves. Then they are
//! asked to end, then killed. When the run is interrupted, the signal is passed on to all ranks.
//! Those that do not end are killed; a second signal kills them at once.

use super::outcome::Outcome;
use rustix::process::Signal;
use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// How long the others may run after a rank has failed. All have ended within five seconds.
const GRACE: Duration = Duration::from_millis(4000);
/// How long a rank may take to end after a request, when another has failed.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long ranks may take to end after an interrupt.
const INTERRUPT_GRACE: Duration = Duration::from_secs(5);

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every rank ended successfully.
    Well,
    /// A signal asked the launcher to end.
    Interrupted {
        /// The signal.
        signal: i32,
    },
    /// A rank failed.
    Failed {
        /// The first rank that failed.
        rank: usize,
        /// How it ended.
        outcome: Outcome,
    },
}

/// The state of a run and the pending orders. It knows no processes and reads no clock.
pub(super) struct Course {
    pub(super) running: BTreeSet<usize>,
    first_failure: Option<(usize, Outcome)>,
    interrupt: Option<i32>,
    /// Signals to send to all running ranks, in order of their times.
    orders: VecDeque<(Instant, Signal)>,
}

impl Course {
    /// All ranks run.
    pub(super) fn new(ranks: usize) -> Course {
        Course {
            running: (0..ranks).collect(),
            first_failure: None,
            interrupt: None,
            orders: VecDeque::new(),
        }
    }

    /// When the next order is due.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.orders.front().map(|order| order.0)
    }

    /// A rank has ended.
    pub(super) fn ended(&mut self, rank: usize, outcome: Outcome, now: Instant) {
        self.running.remove(&rank);
        if outcome.is_success() || self.first_failure.is_some() {
            return;
        }
        self.first_failure = Some((rank, outcome));
        if self.interrupt.is_none() {
            self.orders.push_back((now + GRACE, Signal::TERM));
            self.orders.push_back((now + GRACE + LAST_WORDS, Signal::KILL));
            if !self.running.is_empty() {
                let seconds = (GRACE + LAST_WORDS).as_secs_f64();
                eprintln!("phalanx: rank {rank} {outcome}; the others have {seconds} s to end");
            }
        }
    }

    /// The launcher has received a signal. Returns the signal to send to all running ranks.
    pub(super) fn signalled(&mut self, signal: i32, now: Instant) -> Option<Signal> {
        if self.interrupt.is_some() {
            return Some(Signal::KILL);
        }
        self.interrupt = Some(signal);
        self.orders.clear();
        self.orders.push_back((now + INTERRUPT_GRACE, Signal::KILL));
        Some(Signal::from_named_raw(signal).unwrap_or(Signal::TERM))
    }

    /// At the time of an order, returns the signal to send to all running ranks.
    pub(super) fn expired(&mut self, now: Instant) -> Option<Signal> {
        let due = self.next_deadline().is_some_and(|deadline| deadline <= now);
        due.then(|| self.orders.pop_front()).flatten().map(|order| order.1)
    }

    /// How the run ended, once no rank runs.
    pub(super) fn ending(&self) -> Ending {
        match (self.interrupt, self.first_failure) {
            (Some(signal), _) => Ending::Interrupted { signal },
            (None, Some((rank, outcome))) => Ending::Failed { rank, outcome },
            (None, None) => Ending::Well,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signal_hook::consts::{SIGINT, SIGTERM};

    #[test]
    fn ranks_that_end_well_end_the_run_well() {
        let now = Instant::now();
        let mut course = Course::new(2);
        course.ended(1, Outcome::Status(0), now);
        assert_eq!(course.next_deadline(), None, "the other rank may take its time");
        course.ended(0, Outcome::Status(0), now);
        assert!(course.running.is_empty());
        assert_eq!(course.ending(), Ending::Well);
    }

    #[test]
    fn the_first_failure_counts_and_ends_the_others_in_time() {
        let now = Instant::now();
        let mut course = Course::new(3);
        course.ended(2, Outcome::Signal(9), now);
        let asked = course.next_deadline().unwrap();
        assert_eq!(course.expired(now), None, "not before its time");
        assert_eq!(course.expired(asked), Some(Signal::TERM));
        let killed = course.next_deadline().unwrap();
        assert!(killed < now + Duration::from_secs(5));
        assert_eq!(course.expired(killed), Some(Signal::KILL));
        course.ended(0, Outcome::Status(1), killed);
        course.ended(1, Outcome::Signal(9), killed);
        assert_eq!(course.ending(), Ending::Failed { rank: 2, outcome: Outcome::Signal(9) });
    }

    #[test]
    fn an_interrupt_is_passed_on_and_the_second_kills() {
        let now = Instant::now();
        let mut course = Course::new(2);
        assert_eq!(course.signalled(SIGINT, now), Some(Signal::INT));
        course.ended(0, Outcome::Signal(SIGINT), now);
        assert_eq!(course.next_deadline(), Some(now + INTERRUPT_GRACE));
        assert_eq!(course.signalled(SIGTERM, now), Some(Signal::KILL));
        course.ended(1, Outcome::Signal(9), now);
        assert_eq!(course.ending(), Ending::Interrupted { signal: SIGINT });
    }
}
