//! The last known activity of each rank. Ranks send it with every sign of life; the error about a
//! dead or silent rank quotes it.

use crate::tickets::{Ticket, cut};
use crate::{CollectiveError, Operation};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The byte limit of the texts in a sign of life.
const TEXT_BYTES: usize = 512;
/// The bits of an operation's size, below the bits of its number.
const SIZE_BITS: u32 = 56;

/// The activity of a rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Doing {
    /// The number of the rank's last ticketed step; 0 before the first.
    step: u64,
    /// The rank's action in that step, as a verb phrase.
    cause: String,
    /// The call site.
    site: String,
    /// The operation of a communicator that the rank is in, encoded as in `Under`.
    under: u64,
}

impl Doing {
    fn take(&mut self, ticket: &Ticket) {
        self.step = ticket.number;
        self.cause.clone_from(&ticket.cause);
        self.site.clone_from(&ticket.site);
        cut(&mut self.cause, TEXT_BYTES);
        cut(&mut self.site, TEXT_BYTES);
    }
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            0 => f.write_str("before its first step")?,
            step => write!(f, "at step {step} ({} at {})", self.cause, self.site)?,
        }
        let number = (self.under >> SIZE_BITS) as usize;
        match Operation::ALL.get(number.wrapping_sub(1)) {
            Some(operation) => {
                let bytes = self.under & ((1 << SIZE_BITS) - 1);
                write!(f, ", in {operation} of {bytes} bytes")
            }
            None => Ok(()),
        }
    }
}

/// The operation that a process is in; of several, the one started last.
#[derive(Debug, Default)]
pub(crate) struct Under(AtomicU64);

/// Guard of an operation in progress.
#[derive(Debug)]
pub(crate) struct Begun<'a>(&'a Under, u64);

impl Under {
    pub(crate) fn begin(&self, operation: Operation, bytes: usize) -> Begun<'_> {
        let size = (bytes as u64).min((1 << SIZE_BITS) - 1);
        let word = (operation as u64 + 1) << SIZE_BITS | size;
        self.0.store(word, Ordering::Relaxed);
        Begun(self, word)
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        // Another thread may have started another operation meanwhile.
        let _ = self.0.0.compare_exchange(self.1, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// The waits of this process for other ranks.
#[derive(Debug, Default)]
pub(crate) struct Waits(Mutex<(u64, Vec<Wait>)>);

/// One wait in progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wait {
    pub(super) number: u64,
    /// The rank that this process waits for, if known.
    pub(super) rank: Option<usize>,
}

/// Guard of a wait in progress.
#[derive(Debug)]
pub(crate) struct Waiting<'a>(&'a Waits, u64);

impl Waits {
    fn locked(&self) -> MutexGuard<'_, (u64, Vec<Wait>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self, rank: Option<usize>) -> Waiting<'_> {
        let mut locked = self.locked();
        locked.0 += 1;
        let number = locked.0;
        locked.1.push(Wait { number, rank });
        Waiting(self, number)
    }

    /// The oldest wait.
    fn first(&self) -> Option<Wait> {
        self.locked().1.first().copied()
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.locked().1.retain(|wait| wait.number != self.1);
    }
}

/// The activity of this process, and the last known activity of the others.
#[derive(Debug)]
pub(crate) struct Doings {
    rank: usize,
    by_rank: Mutex<Vec<Doing>>,
    pub(crate) under: Under,
    pub(crate) waits: Waits,
    /// Signals that this process is at another ticketed step than it last reported.
    changed: Notify,
}

impl Doings {
    pub(super) fn new(rank: usize, processes: usize) -> Doings {
        let by_rank = Mutex::new(vec![Doing::default(); processes]);
        let (under, waits, changed) = (Under::default(), Waits::default(), Notify::new());
        Doings { rank, by_rank, under, waits, changed }
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Doing>> {
        self.by_rank.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a rank is at the ticketed step of this ticket.
    pub(super) fn at(&self, rank: usize, ticket: &Ticket) {
        self.locked()[rank].take(ticket);
        if rank == self.rank {
            self.changed.notify_one();
        }
    }

    /// Records that this process observes a value at a call site; this need not be a ticketed step.
    pub(crate) fn observes(&self, cause: &str, site: &str) {
        let mut locked = self.locked();
        let own = &mut locked[self.rank];
        if own.step > 0 && own.site != site {
            (own.cause, own.site) = (String::from(cause), String::from(site));
            cut(&mut own.site, TEXT_BYTES);
            drop(locked);
            self.changed.notify_one();
        }
    }

    /// Waits until this process has something new to report.
    pub(super) async fn change(&self) {
        self.changed.notified().await;
    }

    /// The number of the oldest wait of this process, and its text: the awaited rank and what both
    /// ranks do.
    pub(super) fn waits(&self) -> Option<(u64, impl FnOnce(u64) -> String)> {
        let wait = self.waits.first()?;
        Some((wait.number, move |seconds| {
            let (own, all) = (self.own(), self.locked());
            let others = (0..all.len()).filter(|rank| *rank != self.rank);
            // If all ranks are awaited, name the one at the earliest ticketed step.
            let rank = wait.rank.or_else(|| others.min_by_key(|rank| all[*rank].step));
            let rank = rank.unwrap_or(self.rank);
            let last = all.get(rank).cloned().unwrap_or_default();
            format!(
                "phalanx: rank {} has waited {seconds} s {own} for rank {rank}, \
                 last reported {last}",
                self.rank
            )
        }))
    }

    /// Takes a rank's report of its activity.
    pub(super) fn receive(&self, rank: usize, doing: Doing) {
        let known = &mut self.locked()[rank];
        // Tickets and signs of life may overtake each other.
        if doing.step >= known.step {
            *known = doing;
        }
    }

    /// The activity that this process reports.
    pub(super) fn own(&self) -> Doing {
        let under = self.under.0.load(Ordering::Relaxed);
        Doing { under, ..self.locked()[self.rank].clone() }
    }

    /// The last known activity of a rank.
    pub(super) fn of(&self, rank: usize) -> String {
        self.locked()[rank].to_string()
    }

    /// The error about a rank whose connection has ended.
    pub(super) fn died(&self, rank: usize, reason: String) -> CollectiveError {
        CollectiveError::RankDied { rank, reason, doing: self.of(rank) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TicketKind;

    fn ticket(number: u64) -> Ticket {
        let (cause, site) = (String::from("reads x"), String::from("a.py:3"));
        Ticket { number, kind: TicketKind::Read, digest: 0, cause, site, data: Vec::new() }
    }

    #[test]
    fn ranks_report_step_call_site_and_operation() {
        let doings = Doings::new(0, 2);
        assert_eq!(doings.of(1), "before its first step");
        doings.at(0, &ticket(7));
        let begun = doings.under.begin(Operation::AllReduce, 64);
        let own = doings.own();
        assert_eq!(own.to_string(), "at step 7 (reads x at a.py:3), in all_reduce of 64 bytes");
        drop(begun);
        assert_eq!(doings.own().to_string(), "at step 7 (reads x at a.py:3)");
        doings.at(1, &ticket(9));
        doings.receive(1, own.clone());
        assert_eq!(doings.of(1), "at step 9 (reads x at a.py:3)");
        doings.receive(1, Doing { step: 9, ..own });
        assert!(doings.of(1).ends_with("in all_reduce of 64 bytes"));
    }

    #[test]
    fn an_unknown_operation_of_another_process_is_ignored() {
        let doing = Doing { under: u64::MAX, ..Doing::default() };
        assert_eq!(doing.to_string(), "before its first step");
    }
}
