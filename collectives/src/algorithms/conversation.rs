//! The messages of one collective, none of which outlives it.

use super::memory::{Lower, Memory};
use crate::CollectiveError;
use crate::group::Member;
use crate::mpi::Native;
use crate::order::Items;
use crate::transport::{Lane, Transfer};
use phalanx_device::{Buffer, Slice};
use std::sync::Arc;

/// Has the members of a group do `work` together, each with its side of the conversation. An error
/// ends the world.
pub(crate) fn converse(
    member: &Member,
    memory: &dyn Memory,
    work: impl FnOnce(&mut Conversation<'_>) -> Result<(), CollectiveError>,
) -> Result<(), CollectiveError> {
    let mut conversation = Conversation::new(member, memory);
    // An error must be known to all before the rest of the conversation is cancelled.
    work(&mut conversation).map_err(|error| member.fabric.fail(error))?;
    conversation.finish()
}

/// The messages that a member has posted for one collective.
///
/// `finish` waits for all of them. When a collective returns early with an error, dropping the
/// conversation cancels what is left, so that nothing touches the caller's slices afterwards.
pub(crate) struct Conversation<'a> {
    member: &'a Member,
    memory: &'a dyn Memory,
    posted: Vec<Arc<Transfer>>,
    /// Receives that end elsewhere than in their places.
    arriving: Vec<Arriving>,
}

/// A receive, where it ends, and the place of what it brings.
struct Arriving {
    transfer: Arc<Transfer>,
    landed: Slice,
    place: Slice,
}

impl<'a> Conversation<'a> {
    fn new(member: &'a Member, memory: &'a dyn Memory) -> Conversation<'a> {
        Conversation { member, memory, posted: Vec::new(), arriving: Vec::new() }
    }

    pub(super) fn rank(&self) -> usize {
        self.member.rank
    }

    pub(super) fn size(&self) -> usize {
        self.member.places.len()
    }

    /// MPI's own collectives, if the group has them, they reach the data, and they can move so many
    /// bytes, a number that all members agree upon.
    pub(super) fn native(&self, bytes: usize) -> Option<&'a Native> {
        let native = self.member.native().filter(|native| bytes <= native.limit());
        native.filter(|_| self.memory.is_on_host())
    }

    /// At least `len` bytes that nobody else uses.
    pub(super) fn scratch(&self, len: usize) -> Result<Buffer, CollectiveError> {
        self.memory.scratch(len)
    }

    /// Copies bytes between slices, which may be the same place.
    pub(super) fn copy(&self, source: &Slice, target: &Slice) -> Result<(), CollectiveError> {
        self.memory.copy(source, target)
    }

    /// Combines two slices in the place of the first, in the order of ranks.
    pub(super) fn combine(
        &self,
        accumulator: &Slice,
        incoming: &Slice,
        items: Items,
        lower: Lower,
    ) -> Result<(), CollectiveError> {
        self.memory.combine(accumulator, incoming, items, lower)
    }

    pub(super) fn send(
        &mut self,
        to: usize,
        data: &Slice,
    ) -> Result<Arc<Transfer>, CollectiveError> {
        let carried = self.memory.outgoing(data, to)?;
        let transfer = self.member.post_send(Lane::Collectives, to, &carried)?;
        self.posted.push(transfer.clone());
        Ok(transfer)
    }

    pub(super) fn receive(
        &mut self,
        from: usize,
        place: &Slice,
    ) -> Result<Arc<Transfer>, CollectiveError> {
        let landed = self.memory.incoming(place, from)?;
        let transfer = self.member.post_receive(Lane::Collectives, from, &landed)?;
        self.posted.push(transfer.clone());
        if !landed.buffer.same(&place.buffer) {
            let (transfer, place) = (transfer.clone(), place.clone());
            self.arriving.push(Arriving { transfer, landed, place });
        }
        Ok(transfer)
    }

    pub(super) fn wait(&mut self, transfer: &Arc<Transfer>) -> Result<(), CollectiveError> {
        transfer.wait(&self.member.fabric.failure)?;
        let is_of = |arriving: &Arriving| Arc::ptr_eq(&arriving.transfer, transfer);
        match self.arriving.iter().position(is_of) {
            Some(at) => {
                let Arriving { landed, place, .. } = self.arriving.swap_remove(at);
                self.memory.arrived(&landed, &place)
            }
            None => Ok(()),
        }
    }

    /// Sends to one member, receives from another, and waits for both.
    pub(super) fn swap(
        &mut self,
        to: usize,
        data: &Slice,
        from: usize,
        place: &Slice,
    ) -> Result<(), CollectiveError> {
        let receive = self.receive(from, place)?;
        let send = self.send(to, data)?;
        self.wait(&receive)?;
        self.wait(&send)
    }

    /// Waits for every message so far.
    pub(super) fn settle(&mut self) -> Result<(), CollectiveError> {
        // Every one is waited for, so that after an error none is still in use.
        let posted = std::mem::take(&mut self.posted);
        let outcomes = posted.iter().map(|transfer| self.wait(transfer));
        outcomes.fold(Ok(()), Result::and)
    }

    /// Waits for every message and ends the conversation.
    fn finish(mut self) -> Result<(), CollectiveError> {
        self.settle()
    }
}

impl Drop for Conversation<'_> {
    fn drop(&mut self) {
        if self.posted.is_empty() {
            return;
        }
        // Only an error or a panic leaves messages behind; after a failure of the world, waiting
        // cancels them.
        if !self.member.fabric.failure.is_set() {
            self.member.fabric.fail(CollectiveError::Aborted {
                rank: self.member.fabric.rank,
                error_code: String::from("bug"),
                message: String::from("a collective was left in the middle"),
            });
        }
        // The outcome was reported by whoever left the conversation.
        let _ = self.settle();
    }
}
