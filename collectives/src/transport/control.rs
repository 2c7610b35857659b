//! The control frames of the other ranks, and the comparison of tickets.

use super::fabric::Fabric;
use super::frame::Control;
use crate::records::{Dispute, Listing, Recorded};
use crate::tickets::Verdict;
use crate::{CollectiveError, Ticket, TicketKind};
use std::sync::{Arc, PoisonError};

impl Fabric {
    /// Handles a control frame of a rank.
    pub(super) fn control(&self, rank: usize, control: Control) {
        match control {
            Control::Abort(error) => {
                if self.failure.set(error.clone()) {
                    let code = error.code();
                    tracing::error!(rank = self.rank, from = rank, code, %error, "the world ends");
                }
            }
            Control::Beat(doing) => self.doings.receive(rank, doing),
            Control::Ticket(ticket) => {
                self.doings.at(rank, &ticket);
                let verdict = self
                    .tickets
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .arrived(rank, ticket);
                self.act(verdict);
            }
            Control::Settled(count) => self.settle(count),
            Control::AskRecords(number) => {
                let records = Control::Records(number, self.records.of(number));
                self.link(rank).post_control(&records);
            }
            Control::Records(number, records) => self.receive_records(rank, number, records),
            Control::Begun(begun) => self.departures.receive(rank, begun),
        }
    }

    fn settle(&self, count: u64) {
        self.records.settle(count);
        self.lead.settle(count);
    }

    /// Keeps the operations of the ticket of this number, in case ranks differ.
    pub(crate) fn record(&self, number: u64, recorded: Arc<dyn Recorded>) {
        if !self.links.is_empty() && !self.failure.is_set() {
            self.records.keep(number, recorded);
        }
    }

    /// Asks two ranks for their records. The world ends when both answer, or after `PATIENCE`.
    fn ask(&self, dispute: Dispute) {
        let (number, ranks) = (dispute.number, dispute.ranks);
        {
            let mut disputed = self.disputed();
            if disputed.is_some() {
                return;
            }
            self.fail_soon(dispute.error.clone());
            *disputed = Some(dispute);
        }
        for rank in ranks {
            if rank == self.rank {
                self.receive_records(rank, number, self.records.of(number))
            } else {
                self.link(rank).post_control(&Control::AskRecords(number))
            }
        }
    }

    fn receive_records(&self, rank: usize, number: u64, records: Listing) {
        let of_number = |dispute: &&mut Dispute| dispute.number == number;
        let error = self
            .disputed()
            .as_mut()
            .filter(of_number)
            .and_then(|dispute| dispute.receive(rank, records));
        if let Some(error) = error {
            self.fail(error);
        }
    }

    /// Posts a ticket of this process for comparison. Does not wait for an answer, but waits for
    /// ranks that are far behind, unless the ticket is an exit.
    pub(crate) fn post_ticket(&self, ticket: Ticket) {
        if self.links.is_empty() || self.failure.is_set() {
            return;
        }
        let is_exit = ticket.kind == TicketKind::Exit;
        self.doings.at(self.rank, &ticket);
        self.lead.post();
        let verdict = self.tickets.lock().unwrap_or_else(PoisonError::into_inner).posted(ticket);
        self.act(verdict);
        if !is_exit {
            let _waiting = self.doings.waits.begin(None);
            self.lead.wait(&self.failure);
        }
    }

    /// Waits until the tickets of all ranks up to this number have been compared.
    pub(crate) fn await_ticket(&self, number: u64) -> Result<(), CollectiveError> {
        if self.links.is_empty() {
            return Ok(());
        }
        let _waiting = self.doings.waits.begin(None);
        self.lead.wait_for(number, &self.failure);
        self.failure.get().map_or(Ok(()), Err)
    }

    fn act(&self, verdict: Verdict) {
        // A dispute is open, so further differences are not reported: the world ends soon.
        let is_news = |verdict: &Verdict| {
            matches!(verdict, Verdict::Diverged(_) | Verdict::ToAll(..) | Verdict::Disputed(_))
        };
        if is_news(&verdict) && self.disputed().is_some() {
            return;
        }
        match verdict {
            Verdict::Nothing => {}
            Verdict::ToCoordinator(ticket) => {
                if let Some(link) = self.links[0].as_ref() {
                    link.post_control(&Control::Ticket(ticket));
                }
            }
            Verdict::Settled(count) => {
                for link in self.links() {
                    link.post_control(&Control::Settled(count));
                }
                self.settle(count);
            }
            Verdict::ToAll(ticket, settled) => {
                for link in self.links() {
                    link.post_control(&Control::Ticket(ticket.clone()));
                }
                self.settle(settled);
            }
            Verdict::Diverged(error) => {
                self.fail(error);
            }
            Verdict::Disputed(dispute) => self.ask(dispute),
        }
    }
}
