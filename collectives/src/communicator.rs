//! The one interface of a device to the other members of its communicator group.

use crate::CollectiveError;
use phalanx_device::{Event, Slice};
use phalanx_ops::{DType, Monoid};
use std::sync::Arc;

/// One message of a grouped exchange.
#[derive(Clone, Debug)]
pub struct Message {
    /// The member of the communicator group at the other end.
    pub peer: usize,
    /// The bytes to send, or the memory that receives.
    pub data: Slice,
    /// If the message is not all of `data`, the rows of `data` of which it consists, one after the
    /// other; only where the communicator takes them (`Communicator::takes_rows`).
    pub rows: Option<Rows>,
}

/// Rows of equal length at equal distances. The first one begins at the first byte of a slice, and
/// the last one ends at its last byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// The bytes of a row.
    pub len: usize,
    /// The bytes from the start of a row to the start of the next.
    pub pitch: usize,
}

impl Message {
    /// The bytes of the message.
    pub fn bytes(&self) -> usize {
        match self.rows {
            Some(rows) if self.data.len > 0 => {
                ((self.data.len - rows.len) / rows.pitch + 1) * rows.len
            }
            _ => self.data.len,
        }
    }
}

/// A communicator group, seen by one of its devices. A *member* is one of these, counted from 0.
///
/// Every method except `rank`, `size`, `send`, `recv`, `send_recv` and `exchange` is Collective:
/// all members call it, in the same order, with the same counts, dtype, monoid and root. Counts are
/// 64-bit; planes cut transfers that their transport cannot carry whole. Slices may reside on the
/// host or on the plane's device. A method may return before the transfer is complete; do not touch
/// its slices before the event has happened. Buffers are untyped: `dtype` is given where items
/// are combined, and items of compound monoids have `Monoid::item_size` bytes.
///
/// The combination order of a reduction is a function of the sizes alone, and every member gets the
/// same bits.
pub trait Communicator: Send + Sync {
    /// This member.
    fn rank(&self) -> usize;
    /// How many members the communicator group has.
    fn size(&self) -> usize;
    /// The name of the plane for messages and plans, such as `local` or `tcp`.
    fn plane(&self) -> &'static str;
    /// Whether slices may reside in the memory of the member's device; then all slices of a call
    /// must. The event orders the device's work: after its `wait` has returned, later work of the
    /// device finds the transfer complete.
    fn takes_device_memory(&self) -> bool {
        false
    }
    /// Whether the device waits, in its own work, for work given to other members. The host must
    /// then give all members their work before it waits for any of them.
    fn waits_in_device_work(&self) -> bool {
        false
    }
    /// Makes the connections for slices in device memory. Call it before messages that not all
    /// members know of. Collective; a second call does nothing.
    fn prepare(&self) -> Result<(), CollectiveError> {
        Ok(())
    }

    /// Combines the items of `data` of all members, in place on all.
    fn all_reduce(
        &self,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
    ) -> Result<Event, CollectiveError>;
    /// Combines the items of `data` of all members, in place on `root`; other members' data is left
    /// unspecified.
    fn reduce(
        &self,
        data: &Slice,
        dtype: DType,
        monoid: Monoid,
        root: usize,
    ) -> Result<Event, CollectiveError>;
    /// Copies `data` of `root` to all.
    fn broadcast(&self, data: &Slice, root: usize) -> Result<Event, CollectiveError>;
    /// Concatenates the `send` of all members in `receive` of each; `counts[i]` bytes come from
    /// member `i`.
    fn all_gather_v(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
    ) -> Result<Event, CollectiveError>;
    /// Combines `send` of all members and leaves part `i`, of `counts[i]` bytes, in `receive` of
    /// member `i`.
    fn reduce_scatter_v(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
        dtype: DType,
        monoid: Monoid,
    ) -> Result<Event, CollectiveError>;
    /// Sends part `i` of `send` (`send_counts[i]` bytes) to member `i`; receives part `i` from
    /// member `i`.
    fn all_to_all_v(
        &self,
        send: &Slice,
        send_counts: &[usize],
        receive: &Slice,
        receive_counts: &[usize],
    ) -> Result<Event, CollectiveError>;
    /// Sends part `i` of `root`'s `send` (`counts[i]` bytes) to member `i`. `send` is read on the
    /// root only.
    fn scatter_v(
        &self,
        send: Option<&Slice>,
        receive: &Slice,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError>;
    /// Concatenates the `send` of all members in `root`'s `receive`, which is written on the root
    /// only.
    fn gather_v(
        &self,
        send: &Slice,
        receive: Option<&Slice>,
        counts: &[usize],
        root: usize,
    ) -> Result<Event, CollectiveError>;
    /// Sends to one member; matched by that member's `recv` (or `send_recv`, `exchange`) in program
    /// order of the pair.
    fn send(&self, data: &Slice, to: usize) -> Result<Event, CollectiveError>;
    /// Receives from one member.
    fn recv(&self, data: &Slice, from: usize) -> Result<Event, CollectiveError>;
    /// Sends to one member and receives from another at the same time.
    fn send_recv(
        &self,
        send: &Slice,
        to: usize,
        receive: &Slice,
        from: usize,
    ) -> Result<Event, CollectiveError>;
    /// Performs sends and receives that progress together: in any order between pairs, in list
    /// order within a pair. Starts the sends and returns; the event happens when everything has
    /// arrived. A message to oneself is a copy.
    fn exchange(&self, sends: &[Message], receives: &[Message]) -> Result<Event, CollectiveError>;
    /// Whether `exchange` takes a message of this many bytes to or from a member as rows at this
    /// distance. The other end may have its bytes together. False unless stated otherwise.
    fn takes_rows(&self, peer: usize, bytes: usize, pitch: usize) -> bool {
        let _ = (peer, bytes, pitch);
        false
    }
    /// Returns when all members have called it.
    fn barrier(&self) -> Result<(), CollectiveError>;
    /// Splits the communicator group: members of equal `color` form a new group, ordered by (`key`,
    /// old rank); `None` joins none.
    fn split(
        &self,
        color: Option<u32>,
        key: u32,
    ) -> Result<Option<Arc<dyn Communicator>>, CollectiveError>;

    /// `all_gather_v` with equal parts.
    fn all_gather(&self, send: &Slice, receive: &Slice) -> Result<Event, CollectiveError> {
        self.all_gather_v(send, receive, &vec![send.len; self.size()])
    }
    /// `reduce_scatter_v` with equal parts.
    fn reduce_scatter(
        &self,
        send: &Slice,
        receive: &Slice,
        dtype: DType,
        monoid: Monoid,
    ) -> Result<Event, CollectiveError> {
        self.reduce_scatter_v(send, receive, &vec![receive.len; self.size()], dtype, monoid)
    }
    /// `all_to_all_v` with equal parts.
    fn all_to_all(&self, send: &Slice, receive: &Slice) -> Result<Event, CollectiveError> {
        let counts = vec![send.len / self.size(); self.size()];
        self.all_to_all_v(send, &counts, receive, &counts)
    }
    /// `scatter_v` with equal parts.
    fn scatter(
        &self,
        send: Option<&Slice>,
        receive: &Slice,
        root: usize,
    ) -> Result<Event, CollectiveError> {
        self.scatter_v(send, receive, &vec![receive.len; self.size()], root)
    }
    /// `gather_v` with equal parts.
    fn gather(
        &self,
        send: &Slice,
        receive: Option<&Slice>,
        root: usize,
    ) -> Result<Event, CollectiveError> {
        self.gather_v(send, receive, &vec![send.len; self.size()], root)
    }
}
