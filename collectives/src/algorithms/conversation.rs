//! The messages of one collective, none of which outlives it.

use crate::CollectiveError;
use crate::group::Member;
use crate::mpi::Native;
use crate::transport::{Lane, Transfer};
use phalanx_device::{Buffer, Slice};
use std::sync::Arc;

/// The messages that a member has posted for one collective.
///
/// `finish` waits for all of them. When a collective returns early with an error, dropping the
/// conversation cancels what is left, so that nothing touches the caller's slices afterwards.
pub(crate) struct Conversation<'a> {
    member: &'a Member,
    posted: Vec<Arc<Transfer>>,
}

impl<'a> Conversation<'a> {
    pub(crate) fn new(member: &'a Member) -> Conversation<'a> {
        Conversation { member, posted: Vec::new() }
    }

    pub(super) fn rank(&self) -> usize {
        self.member.rank
    }

    pub(super) fn size(&self) -> usize {
        self.member.places.len()
    }

    /// MPI's own collectives, if the group has them and they can move so many bytes, a number that
    /// all members agree upon.
    pub(super) fn native(&self, bytes: usize) -> Option<&'a Native> {
        self.member.native().filter(|native| bytes <= native.limit())
    }

    /// A buffer of at least `len` bytes that stays with the group.
    pub(super) fn scratch(&self, len: usize) -> Buffer {
        self.member.scratch(len)
    }

    pub(super) fn send(
        &mut self,
        to: usize,
        data: &Slice,
    ) -> Result<Arc<Transfer>, CollectiveError> {
        let transfer = self.member.post_send(Lane::Collectives, to, data)?;
        self.posted.push(transfer.clone());
        Ok(transfer)
    }

    pub(super) fn receive(
        &mut self,
        from: usize,
        data: &Slice,
    ) -> Result<Arc<Transfer>, CollectiveError> {
        let transfer = self.member.post_receive(Lane::Collectives, from, data)?;
        self.posted.push(transfer.clone());
        Ok(transfer)
    }

    pub(super) fn wait(&self, transfer: &Transfer) -> Result<(), CollectiveError> {
        transfer.wait(&self.member.fabric.failure)
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
        let outcomes =
            self.posted.drain(..).map(|transfer| transfer.wait(&self.member.fabric.failure));
        outcomes.fold(Ok(()), Result::and)
    }

    /// Waits for every message and ends the conversation.
    pub(crate) fn finish(mut self) -> Result<(), CollectiveError> {
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

/// Copies bytes between slices of the caller, which may be the same place.
pub(super) fn copy(source: &Slice, target: &Slice) {
    assert_eq!(source.len, target.len, "bug: copy between slices of different lengths");
    // SAFETY: both are valid for their length (condition 1 of `Buffer`); the caller of the
    // collective leaves them alone (condition 2) and no message of the conversation is under way in
    // `target`.
    unsafe { std::ptr::copy(source.as_ptr(), target.as_ptr(), source.len) };
}
