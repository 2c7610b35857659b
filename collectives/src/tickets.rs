//! Tickets: each rank states its next ticketed step with the others, and all ranks find out when
//! the steps differ.

use crate::CollectiveError;
use crate::records::Dispute;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The next ticketed step of a rank, which all other ranks must take too.
///
/// Tickets of one number must have the same kind and digest on all ranks. The texts serve error
/// messages only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// The position among the tickets of a rank, without gaps.
    pub number: u64,
    /// The kind of ticketed step.
    pub kind: TicketKind,
    /// A digest of everything that must be equal on all ranks.
    pub digest: u128,
    /// The rank's action, as a verb phrase such as `reads x`.
    pub cause: String,
    /// The call site.
    pub site: String,
    /// Data that the rank has declared equal on all ranks since its previous ticket; at most
    /// `Ticket::MOST_DATA` entries.
    pub data: Vec<GivenData>,
}

/// Data from outside of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenData {
    /// A digest of the data.
    pub digest: u128,
    /// The call site.
    pub site: String,
}

impl Ticket {
    /// The largest number of entries in `data`.
    pub const MOST_DATA: usize = 32;
}

/// The kinds of ticketed steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TicketKind {
    /// A window closes.
    Close,
    /// A value is read by all.
    Read,
    /// The program ends.
    Exit,
}

/// The byte limit of a ticket's cause and call site; everything must fit into a control frame.
const TEXT_BYTES: usize = 4 << 10;
/// The byte limit of the call site of data.
const DATA_SITE_BYTES: usize = 1 << 10;

/// The caller's next action for a ticket.
#[derive(Debug)]
pub(crate) enum Verdict {
    Nothing,
    /// All ranks have posted this many tickets and should be informed.
    Settled(u64),
    ToCoordinator(Ticket),
    /// The exit of rank 0, and the number of tickets that all ranks have posted by then.
    ToAll(Ticket, u64),
    Diverged(CollectiveError),
    /// The recorded operations of two ranks differ; the ranks can send them.
    Disputed(Dispute),
}

/// The tickets that a process still needs.
///
/// Rank 0 compares all tickets and keeps one of each number until every rank has posted it. The
/// number kept is bounded, because no rank runs far ahead of the slowest (`lead`). The other ranks
/// keep their last ticket to compare it with the exit of rank 0.
#[derive(Debug)]
pub(crate) struct Tickets {
    rank: usize,
    processes: usize,
    open: BTreeMap<u64, Open>,
    /// The number of tickets that all ranks have posted.
    settled: u64,
    last: Option<Ticket>,
    coordinator_exit: Option<Ticket>,
    /// Whether this process has found a difference.
    has_diverged: bool,
}

#[derive(Debug)]
struct Open {
    rank: usize,
    ticket: Ticket,
    seen: usize,
}

impl Tickets {
    pub(crate) fn new(rank: usize, processes: usize) -> Tickets {
        Tickets {
            rank,
            processes,
            open: BTreeMap::new(),
            settled: 0,
            last: None,
            coordinator_exit: None,
            has_diverged: false,
        }
    }

    /// Handles a ticket of this process.
    pub(crate) fn posted(&mut self, mut ticket: Ticket) -> Verdict {
        assert!(ticket.data.len() <= Ticket::MOST_DATA, "bug: a ticket with too much data");
        cut(&mut ticket.cause, TEXT_BYTES);
        cut(&mut ticket.site, TEXT_BYTES);
        ticket.data.iter_mut().for_each(|data| cut(&mut data.site, DATA_SITE_BYTES));
        if self.rank != 0 {
            self.last = Some(ticket.clone());
            return match self.against_exit() {
                Verdict::Nothing => Verdict::ToCoordinator(ticket),
                diverged => diverged,
            };
        }
        let is_exit = ticket.kind == TicketKind::Exit;
        match self.compare(0, ticket.clone()) {
            // All ranks are informed of the difference found before and must not find another one.
            Verdict::Nothing if is_exit && self.has_diverged => Verdict::Nothing,
            // If this settles a ticket, all others have posted their exits and need no report.
            Verdict::Nothing | Verdict::Settled(_) if is_exit => {
                Verdict::ToAll(ticket, self.settled)
            }
            verdict => verdict,
        }
    }

    /// Handles a ticket of another process.
    pub(crate) fn arrived(&mut self, rank: usize, ticket: Ticket) -> Verdict {
        if self.rank == 0 {
            return self.compare(rank, ticket);
        }
        self.coordinator_exit = Some(ticket);
        self.against_exit()
    }

    fn compare(&mut self, rank: usize, ticket: Ticket) -> Verdict {
        let number = ticket.number;
        let Some(open) = self.open.get_mut(&number) else {
            self.open.insert(number, Open { rank, ticket, seen: 1 });
            return Verdict::Nothing;
        };
        if let Some(error) = difference((open.rank, &open.ticket), (rank, &ticket)) {
            self.has_diverged = true;
            let is_close = |ticket: &Ticket| ticket.kind == TicketKind::Close;
            let is_recorded = is_close(&open.ticket) && is_close(&ticket);
            let is_other = matches!(error, CollectiveError::Divergence { .. });
            if !is_recorded || !is_other {
                return Verdict::Diverged(error);
            }
            let ranks = [open.rank.min(rank), open.rank.max(rank)];
            return Verdict::Disputed(Dispute::new(number, ranks, error));
        }
        if rank < open.rank {
            // Keep the lowest rank, as the other ranks name rank 0 when they compare with its exit.
            (open.rank, open.ticket) = (rank, ticket);
        }
        open.seen += 1;
        if open.seen < self.processes {
            return Verdict::Nothing;
        }
        self.open.remove(&number);
        self.settled += 1;
        Verdict::Settled(self.settled)
    }

    /// Compares the last ticket of this process with the exit of rank 0.
    fn against_exit(&self) -> Verdict {
        let (Some(exit), Some(last)) = (&self.coordinator_exit, &self.last) else {
            return Verdict::Nothing;
        };
        let (exit, last) = ((0, exit), (self.rank, last));
        let found = match last.1.number.cmp(&exit.1.number) {
            Ordering::Less => None,
            Ordering::Equal => difference(exit, last),
            Ordering::Greater => Some(divergence(exit, last)),
        };
        found.map_or(Verdict::Nothing, Verdict::Diverged)
    }
}

/// Shortens a text to at most `bytes` bytes.
pub(crate) fn cut(text: &mut String, bytes: usize) {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.truncate(end.unwrap_or(0));
}

/// The error for two tickets of one number if they differ.
fn difference(one: (usize, &Ticket), other: (usize, &Ticket)) -> Option<CollectiveError> {
    if one.1.kind != other.1.kind || one.1.digest != other.1.digest {
        return Some(divergence(one, other));
    }
    let ((first_rank, first), (second_rank, second)) = in_order(one, other);
    let count = first.data.len().max(second.data.len());
    let pairs = (0..count).map(|place| (first.data.get(place), second.data.get(place)));
    let is_other = |(one, other): &(Option<&GivenData>, Option<&GivenData>)| {
        one.map(|data| data.digest) != other.map(|data| data.digest)
    };
    // A rank without such data is named with the site of the ticketed step.
    let site = |data: Option<&GivenData>, ticket: &Ticket| {
        data.map_or(&ticket.site, |data| &data.site).clone()
    };
    let (one, other) = pairs.into_iter().find(is_other)?;
    let (first_site, second_site) = (site(one, first), site(other, second));
    Some(CollectiveError::OtherData { first_rank, first_site, second_rank, second_site })
}

/// Orders two ranks, the lower first.
fn in_order<T>(one: (usize, T), other: (usize, T)) -> ((usize, T), (usize, T)) {
    if one.0 < other.0 { (one, other) } else { (other, one) }
}

fn divergence(one: (usize, &Ticket), other: (usize, &Ticket)) -> CollectiveError {
    let ((first_rank, first), (second_rank, second)) = in_order(one, other);
    CollectiveError::Divergence {
        number: first.number.min(second.number),
        first_rank,
        first_site: first.site.clone(),
        first_cause: first.cause.clone(),
        second_rank,
        second_site: second.site.clone(),
        second_cause: second.cause.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(number: u64, kind: TicketKind, digest: u128) -> Ticket {
        let (cause, site) = (format!("{kind:?}"), format!("line {digest}"));
        Ticket { number, kind, digest, cause, site, data: Vec::new() }
    }

    #[test]
    fn matched_tickets_are_dropped() {
        let mut tickets = Tickets::new(0, 3);
        for number in 0..1000 {
            for rank in [2, 1] {
                let verdict =
                    tickets.arrived(rank, ticket(number, TicketKind::Close, number.into()));
                assert!(matches!(verdict, Verdict::Nothing));
            }
            match tickets.posted(ticket(number, TicketKind::Close, number.into())) {
                Verdict::Settled(count) => assert_eq!(count, number + 1),
                verdict => panic!("{verdict:?}"),
            }
            assert!(tickets.open.is_empty());
        }
    }

    #[test]
    fn different_tickets_of_a_number_diverge() {
        let mut tickets = Tickets::new(0, 2);
        tickets.posted(ticket(0, TicketKind::Close, 1));
        tickets.posted(ticket(1, TicketKind::Close, 2));
        let Verdict::Diverged(error) = tickets.arrived(1, ticket(1, TicketKind::Read, 2)) else {
            panic!("no divergence")
        };
        assert_eq!(
            error.to_string(),
            "ranks diverged at step 1: rank 0 Close at line 2, rank 1 Read at line 2"
        );
        assert!(error.hint().contains("h = x.get()"));
    }

    #[test]
    fn other_data_has_another_error_than_another_way() {
        let with_data = |digests: [u128; 2]| {
            let given = digests.iter().zip(["read.rs:3", "draw.rs:5"]);
            let data = given.map(|(&digest, site)| GivenData { digest, site: String::from(site) });
            Ticket { data: data.collect(), ..ticket(0, TicketKind::Close, 1) }
        };
        let mut tickets = Tickets::new(0, 3);
        tickets.posted(with_data([1, 2]));
        assert!(matches!(tickets.arrived(2, with_data([1, 2])), Verdict::Nothing));
        let Verdict::Diverged(error) = tickets.arrived(1, with_data([1, 3])) else {
            panic!("no divergence")
        };
        assert_eq!(error.code(), "PX062");
        assert_eq!(
            error.to_string(),
            "ranks gave different data where all must give the same: \
             rank 0 at draw.rs:5, rank 1 at draw.rs:5"
        );
    }

    #[test]
    fn data_that_only_one_rank_gives_is_other_data() {
        let given = GivenData { digest: 1, site: String::from("read.rs:3") };
        for kind in [TicketKind::Close, TicketKind::Exit] {
            let without = ticket(0, kind, 7);
            let with = Ticket { data: vec![given.clone()], ..without.clone() };
            let mut tickets = Tickets::new(0, 2);
            tickets.posted(without.clone());
            let mut other = Tickets::new(1, 2);
            other.posted(with.clone());
            let mut verdicts = vec![tickets.arrived(1, with)];
            if kind == TicketKind::Exit {
                verdicts.push(other.arrived(0, without));
            }
            for verdict in verdicts {
                let Verdict::Diverged(error) = verdict else { panic!("no divergence") };
                let expected = "give the same: rank 0 at line 7, rank 1 at read.rs:3";
                assert!(error.to_string().ends_with(expected), "{error}");
            }
        }
    }

    #[test]
    fn ranks_find_one_difference_at_the_exit_of_rank_0() {
        let exits = |digest| ticket(0, TicketKind::Exit, digest);
        let named = |verdict: Verdict| match verdict {
            Verdict::Diverged(CollectiveError::Divergence { first_rank, second_rank, .. }) => {
                [first_rank, second_rank]
            }
            verdict => panic!("{verdict:?}"),
        };
        // Rank 1 receives the exit of rank 0 and compares it with its own.
        let mut other = Tickets::new(1, 3);
        other.posted(exits(7));
        assert_eq!(named(other.arrived(0, exits(5))), [0, 1]);
        let mut tickets = Tickets::new(0, 3);
        assert!(matches!(tickets.arrived(2, exits(5)), Verdict::Nothing));
        assert!(matches!(tickets.posted(exits(5)), Verdict::ToAll(_, 0)));
        assert_eq!(named(tickets.arrived(1, exits(7))), [0, 1]);
        // Rank 0 sends no exit after all ranks were informed of a difference between others.
        let mut tickets = Tickets::new(0, 3);
        assert!(matches!(tickets.arrived(2, exits(5)), Verdict::Nothing));
        assert_eq!(named(tickets.arrived(1, exits(7))), [1, 2]);
        assert!(matches!(tickets.posted(exits(5)), Verdict::Nothing));
    }

    #[test]
    fn long_texts_are_cut() {
        let mut long = ticket(0, TicketKind::Close, 1);
        long.cause = "ä".repeat(TEXT_BYTES);
        let given = GivenData { digest: 1, site: "x".repeat(TEXT_BYTES) };
        long.data = vec![given; Ticket::MOST_DATA];
        let Verdict::ToCoordinator(sent) = Tickets::new(1, 2).posted(long) else {
            panic!("not sent")
        };
        assert_eq!(sent.cause, "ä".repeat(TEXT_BYTES / 2));
        let frame = crate::transport::serialize::<{ crate::transport::CONTROL_BYTES }>(&sent);
        assert!(frame.is_ok());
    }

    #[test]
    fn other_ranks_compare_with_the_exit_of_rank_0() {
        for exit_first in [true, false] {
            let mut tickets = Tickets::new(1, 2);
            let exit = ticket(4, TicketKind::Exit, 0);
            let verdict = if exit_first {
                assert!(matches!(tickets.arrived(0, exit), Verdict::Nothing));
                assert!(matches!(
                    tickets.posted(ticket(3, TicketKind::Close, 7)),
                    Verdict::ToCoordinator(_)
                ));
                tickets.posted(ticket(4, TicketKind::Close, 7))
            } else {
                assert!(matches!(
                    tickets.posted(ticket(4, TicketKind::Close, 7)),
                    Verdict::ToCoordinator(_)
                ));
                tickets.arrived(0, exit)
            };
            assert!(matches!(verdict, Verdict::Diverged(_)), "exit first: {exit_first}");
        }
        let mut peaceful = Tickets::new(1, 2);
        peaceful.posted(ticket(4, TicketKind::Exit, 0));
        assert!(matches!(peaceful.arrived(0, ticket(4, TicketKind::Exit, 0)), Verdict::Nothing));
    }
}
