//! The memory of a collective's slices, and the operations on it.

use crate::CollectiveError;
use crate::group::Group;
use crate::order::Items;
use phalanx_device::{Buffer, Slice};

/// The memory in which all slices of a collective reside.
///
/// Calls are performed in order, and perhaps later: messages may touch a slice that was passed to a
/// call only after `settle`.
pub(crate) trait Memory {
    /// Whether it is host memory, which MPI's own collectives can access.
    fn is_on_host(&self) -> bool;
    /// Waits until all earlier calls have been performed.
    fn settle(&self) -> Result<(), CollectiveError>;
    /// The slice that a message to a member carries: `data`, or a copy if messages to that member
    /// cannot access it.
    fn outgoing(&self, data: &Slice, _to: usize) -> Result<Slice, CollectiveError> {
        self.settle().map(|()| data.clone())
    }
    /// The memory in which a member's message arrives: `place`, or other memory if messages cannot
    /// access `place`.
    fn incoming(&self, place: &Slice, _from: usize) -> Result<Slice, CollectiveError> {
        self.settle().map(|()| place.clone())
    }
    /// Copies data that has arrived elsewhere to its destination.
    fn arrived(&self, landed: &Slice, place: &Slice) -> Result<(), CollectiveError> {
        self.copy(landed, place)
    }
    /// At least this many bytes for the caller alone.
    fn scratch(&self, len: usize) -> Result<Buffer, CollectiveError>;
    /// Copies bytes between slices of one length, which may be the same memory.
    fn copy(&self, source: &Slice, target: &Slice) -> Result<(), CollectiveError>;
    /// `accumulator = accumulator ∘ incoming`, or `incoming ∘ accumulator` if the incoming items
    /// belong to the `lower` ranks. Both have one length.
    fn combine(
        &self,
        accumulator: &Slice,
        incoming: &Slice,
        items: Items,
        lower: Lower,
    ) -> Result<(), CollectiveError>;
}

/// The operand that belongs to the lower ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lower {
    Accumulator,
    Incoming,
}

/// Host memory: every call is performed at once.
pub(crate) struct HostMemory<'a>(pub(crate) &'a Group);

impl Memory for HostMemory<'_> {
    fn is_on_host(&self) -> bool {
        true
    }

    fn settle(&self) -> Result<(), CollectiveError> {
        Ok(())
    }

    /// A buffer that the communicator group reuses.
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
