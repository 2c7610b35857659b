//! Where the slices of a collective lie, and who works on them there.

use crate::CollectiveError;
use crate::group::Member;
use crate::order::Items;
use phalanx_device::{Buffer, Slice};

/// The memory in which all slices of a collective lie.
///
/// What is asked for is done in order, and perhaps later: messages may touch a slice that was given
/// to one of these calls only after `settle`.
pub(crate) trait Memory {
    /// Whether it is the host's, which MPI's own collectives are given.
    fn is_on_host(&self) -> bool;
    /// Waits until all that was asked for before is done.
    fn settle(&self) -> Result<(), CollectiveError>;
    /// What a message to a member carries in the place of `data`: the slice itself, or a copy where
    /// messages to that member do not reach it.
    fn outgoing(&self, data: &Slice, _to: usize) -> Result<Slice, CollectiveError> {
        self.settle().map(|()| data.clone())
    }
    /// Where a message of a member is to put what belongs at `place`: there, or where messages
    /// reach.
    fn incoming(&self, place: &Slice, _from: usize) -> Result<Slice, CollectiveError> {
        self.settle().map(|()| place.clone())
    }
    /// Brings to its place what has arrived elsewhere.
    fn arrived(&self, landed: &Slice, place: &Slice) -> Result<(), CollectiveError> {
        self.copy(landed, place)
    }
    /// At least so many bytes that nobody else uses.
    fn scratch(&self, len: usize) -> Result<Buffer, CollectiveError>;
    /// Copies bytes between slices of one length, which may be the same place.
    fn copy(&self, source: &Slice, target: &Slice) -> Result<(), CollectiveError>;
    /// `accumulator = accumulator ∘ incoming`, or `incoming ∘ accumulator` where the incoming items
    /// are of the `lower` ranks. Both are of one length.
    fn combine(
        &self,
        accumulator: &Slice,
        incoming: &Slice,
        items: Items,
        lower: Lower,
    ) -> Result<(), CollectiveError>;
}

/// Which of two operands is of the lower ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lower {
    Accumulator,
    Incoming,
}

/// The host's memory: everything is done at once.
pub(crate) struct HostMemory<'a>(pub(crate) &'a Member);

impl Memory for HostMemory<'_> {
    fn is_on_host(&self) -> bool {
        true
    }

    fn settle(&self) -> Result<(), CollectiveError> {
        Ok(())
    }

    /// A buffer that stays with the group.
    fn scratch(&self, len: usize) -> Result<Buffer, CollectiveError> {
        Ok(self.0.scratch(len))
    }

    fn copy(&self, source: &Slice, target: &Slice) -> Result<(), CollectiveError> {
        assert_eq!(source.len, target.len, "bug: copy between slices of different lengths");
        // SAFETY: both are valid for their length (condition 1 of `Buffer`); the caller of the
        // collective leaves them alone (condition 2) and no message of the conversation is under
        // way in `target`.
        unsafe { std::ptr::copy(source.as_ptr(), target.as_ptr(), source.len) };
        Ok(())
    }

    fn combine(
        &self,
        accumulator: &Slice,
        incoming: &Slice,
        items: Items,
        lower: Lower,
    ) -> Result<(), CollectiveError> {
        // SAFETY: the caller of the collective leaves its slices alone (condition 2 of `Buffer`),
        // scratch is this collective's, every message from or to the two has been waited for, and
        // they are apart.
        let (accumulator, incoming) = unsafe { (accumulator.bytes_mut(), incoming.bytes()) };
        match lower {
            Lower::Accumulator => items.into(accumulator, incoming),
            Lower::Incoming => items.onto(accumulator, incoming),
        }
        Ok(())
    }
}
