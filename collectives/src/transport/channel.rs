//! Channels: the messages that are matched with each other.

use crate::Operation;

/// A message lane: one of the two kinds of traffic of a communicator group. They are matched
/// separately.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(crate) enum Lane {
    /// `send`, `recv`, `send_recv` and `exchange`.
    Messages,
    /// The messages of collectives.
    Collectives,
}

impl Lane {
    /// The message lane of an operation.
    pub(crate) const fn of(operation: Operation) -> Lane {
        match operation {
            Operation::Send | Operation::Receive | Operation::SendReceive | Operation::Exchange => {
                Lane::Messages
            }
            Operation::AllReduce
            | Operation::Reduce
            | Operation::Broadcast
            | Operation::AllGather
            | Operation::ReduceScatter
            | Operation::AllToAll
            | Operation::Scatter
            | Operation::Gather
            | Operation::Barrier
            | Operation::Split => Lane::Collectives,
        }
    }
}

/// The queue of messages from one sender to one receiver. Members are counted within the
/// communicator group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Channel {
    pub(crate) group: u64,
    pub(crate) lane: Lane,
    pub(crate) from: u32,
    pub(crate) to: u32,
}
