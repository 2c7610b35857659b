//! One call of a collective: its arguments, and their checks.

use crate::order::Items;
use crate::{CollectiveError, Operation};
use phalanx_device::Slice;

/// A collective and its arguments. All slices of a call reside in the host's memory, or all in the
/// device's.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Call<'a> {
    AllReduce {
        data: &'a Slice,
        items: Items,
    },
    Reduce {
        data: &'a Slice,
        items: Items,
        root: usize,
    },
    Broadcast {
        data: &'a Slice,
        root: usize,
    },
    AllGather {
        send: &'a Slice,
        receive: &'a Slice,
        counts: &'a [usize],
    },
    ReduceScatter {
        send: &'a Slice,
        receive: &'a Slice,
        counts: &'a [usize],
        items: Items,
    },
    AllToAll {
        send: &'a Slice,
        send_counts: &'a [usize],
        receive: &'a Slice,
        receive_counts: &'a [usize],
    },
    /// `send` is empty on members that do not pass it; only the root's is read.
    Scatter {
        send: &'a Slice,
        receive: &'a Slice,
        counts: &'a [usize],
        root: usize,
    },
    /// `receive` is empty on members that do not pass it; only the root's is written.
    Gather {
        send: &'a Slice,
        receive: &'a Slice,
        counts: &'a [usize],
        root: usize,
    },
}

impl<'a> Call<'a> {
    pub(crate) fn operation(self) -> Operation {
        match self {
            Call::AllReduce { .. } => Operation::AllReduce,
            Call::Reduce { .. } => Operation::Reduce,
            Call::Broadcast { .. } => Operation::Broadcast,
            Call::AllGather { .. } => Operation::AllGather,
            Call::ReduceScatter { .. } => Operation::ReduceScatter,
            Call::AllToAll { .. } => Operation::AllToAll,
            Call::Scatter { .. } => Operation::Scatter,
            Call::Gather { .. } => Operation::Gather,
        }
    }

    /// The number of bytes in reports of what this process does.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Call::AllReduce { data, .. }
            | Call::Reduce { data, .. }
            | Call::Broadcast { data, .. } => data.len,
            Call::AllGather { receive, .. } | Call::Scatter { receive, .. } => receive.len,
            Call::ReduceScatter { send, .. }
            | Call::AllToAll { send, .. }
            | Call::Gather { send, .. } => send.len,
        }
    }

    /// A slice that every member passes.
    pub(crate) fn slice(self) -> &'a Slice {
        match self {
            Call::AllReduce { data, .. }
            | Call::Reduce { data, .. }
            | Call::Broadcast { data, .. } => data,
            Call::AllGather { send, .. }
            | Call::ReduceScatter { send, .. }
            | Call::AllToAll { send, .. }
            | Call::Gather { send, .. } => send,
            Call::Scatter { receive, .. } => receive,
        }
    }

    /// The slice that is read and the slice that is written, if the call has two.
    pub(crate) fn ends(self) -> Option<[&'a Slice; 2]> {
        match self {
            Call::AllReduce { .. } | Call::Reduce { .. } | Call::Broadcast { .. } => None,
            Call::AllGather { send, receive, .. }
            | Call::ReduceScatter { send, receive, .. }
            | Call::AllToAll { send, receive, .. }
            | Call::Scatter { send, receive, .. }
            | Call::Gather { send, receive, .. } => Some([send, receive]),
        }
    }

    /// Checks the arguments of one member of a group of so many.
    ///
    /// Errors: `NoSuchMember`, `Counts` and those of `Items::check`.
    pub(crate) fn check(self, rank: usize, members: usize) -> Result<(), CollectiveError> {
        let (operation, end) = (self.operation(), End { rank, members });
        match self {
            Call::AllReduce { data, items } => items.check(operation.name(), data.len),
            Call::Reduce { data, items, root } => {
                check_member(root, members)?;
                items.check(operation.name(), data.len)
            }
            Call::Broadcast { root, .. } => check_member(root, members),
            Call::AllGather { send, receive, counts } => {
                end.check_own(operation, counts, send)?;
                end.check_total(operation, counts, receive)
            }
            Call::ReduceScatter { send, receive, counts, items } => {
                end.check_total(operation, counts, send)?;
                end.check_own(operation, counts, receive)?;
                counts.iter().try_for_each(|count| items.check(operation.name(), *count))
            }
            Call::AllToAll { send, send_counts, receive, receive_counts } => {
                end.check_total(operation, send_counts, send)?;
                end.check_total(operation, receive_counts, receive)?;
                check(operation, send_counts[rank], receive_counts[rank])
            }
            Call::Scatter { send, receive, counts, root } => {
                end.check_rooted(operation, counts, receive, send, root)
            }
            Call::Gather { send, receive, counts, root } => {
                end.check_rooted(operation, counts, send, receive, root)
            }
        }
    }
}

/// Checks that a group of so many members has a member of this number.
pub(crate) fn check_member(member: usize, size: usize) -> Result<(), CollectiveError> {
    if member < size { Ok(()) } else { Err(CollectiveError::NoSuchMember { member, size }) }
}

/// Compares the length that a call's counts require with the length of its data.
fn check(operation: Operation, expected: usize, actual: usize) -> Result<(), CollectiveError> {
    if expected == actual {
        return Ok(());
    }
    let (expected, actual) = (expected as u64, actual as u64);
    Err(CollectiveError::Counts { operation: operation.to_string(), expected, actual })
}

/// The member that checks the parts of its group.
#[derive(Clone, Copy)]
struct End {
    rank: usize,
    members: usize,
}

impl End {
    /// Checks that there is a count for each member, and that the slice has their sum.
    fn check_total(
        self,
        operation: Operation,
        counts: &[usize],
        data: &Slice,
    ) -> Result<(), CollectiveError> {
        check(operation, self.members, counts.len())?;
        check(operation, counts.iter().sum(), data.len)
    }

    fn check_own(
        self,
        operation: Operation,
        counts: &[usize],
        data: &Slice,
    ) -> Result<(), CollectiveError> {
        check(operation, self.members, counts.len())?;
        check(operation, counts[self.rank], data.len)
    }

    /// Checks a scatter or gather: each member has its own part, and the root the whole.
    fn check_rooted(
        self,
        operation: Operation,
        counts: &[usize],
        own: &Slice,
        whole: &Slice,
        root: usize,
    ) -> Result<(), CollectiveError> {
        check_member(root, self.members)?;
        self.check_own(operation, counts, own)?;
        if self.rank == root { self.check_total(operation, counts, whole) } else { Ok(()) }
    }
}
