//! Collectives in one round: every pair of members with data to exchange communicates directly.

use super::memory::Lower;
use super::parts::{of, others};
use super::{Conversation, native};
use crate::CollectiveError;
use crate::order::{Items, Tree};
use phalanx_device::Slice;

/// Sends part `i` of `send` to member `i`; receives part `i` from member `i`.
pub(super) fn all_to_all(
    conversation: &mut Conversation<'_>,
    send: &Slice,
    send_counts: &[usize],
    receive: &Slice,
    receive_counts: &[usize],
) -> Result<(), CollectiveError> {
    // No bytes: only each pair knows how many it exchanges.
    if let Some(native) = conversation.native(0) {
        return native::all_to_all(
            conversation,
            native,
            (send, send_counts),
            (receive, receive_counts),
        );
    }
    let (size, rank) = (conversation.size(), conversation.rank());
    for from in others(size, rank).rev() {
        let place = of(receive, receive_counts, from);
        if place.len > 0 {
            conversation.receive(from, &place)?;
        }
    }
    for to in others(size, rank) {
        let data = of(send, send_counts, to);
        if data.len > 0 {
            conversation.send(to, &data)?;
        }
    }
    conversation.copy(&of(send, send_counts, rank), &of(receive, receive_counts, rank))
}

/// Sends part `i` of `root`'s `send` to member `i`. Other members' `send` is not read.
pub(super) fn scatter(
    conversation: &mut Conversation<'_>,
    send: &Slice,
    receive: &Slice,
    counts: &[usize],
    root: usize,
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    if let Some(native) = conversation.native(counts.iter().sum()) {
        return native.scatter(send, receive, counts, root, || {
            conversation.copy(&of(send, counts, rank), receive)
        });
    }
    if rank != root {
        return conversation.receive(root, receive).map(drop);
    }
    for to in others(size, rank) {
        conversation.send(to, &of(send, counts, to))?;
    }
    conversation.copy(&of(send, counts, rank), receive)
}

/// Concatenates the `send` of all members in `root`'s `receive`. Other members' `receive` is not
/// written.
pub(super) fn gather(
    conversation: &mut Conversation<'_>,
    send: &Slice,
    receive: &Slice,
    counts: &[usize],
    root: usize,
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    if let Some(native) = conversation.native(counts.iter().sum()) {
        return native.gather(send, receive, counts, root, || {
            conversation.copy(send, &of(receive, counts, rank))
        });
    }
    if rank != root {
        return conversation.send(root, send).map(drop);
    }
    for from in others(size, rank) {
        conversation.receive(from, &of(receive, counts, from))?;
    }
    conversation.copy(send, &of(receive, counts, rank))
}

/// Concatenates the `send` of all members in `receive` of each.
pub(super) fn all_gather(
    conversation: &mut Conversation<'_>,
    send: &Slice,
    receive: &Slice,
    counts: &[usize],
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    for from in others(size, rank) {
        conversation.receive(from, &of(receive, counts, from))?;
    }
    for to in others(size, rank) {
        conversation.send(to, send)?;
    }
    conversation.copy(send, &of(receive, counts, rank))
}

/// Combines `send` of all members and leaves part `i` in `receive` of member `i`: each member
/// gathers its part.
pub(super) fn reduce_scatter(
    conversation: &mut Conversation<'_>,
    send: &Slice,
    receive: &Slice,
    counts: &[usize],
    items: Items,
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    let len = counts[rank];
    let gathered = conversation.scratch(size * len)?;
    for from in others(size, rank) {
        conversation.receive(from, &gathered.slice(from * len, len))?;
    }
    for to in others(size, rank) {
        conversation.send(to, &of(send, counts, to))?;
    }
    let place = |member: usize| gathered.slice(member * len, len);
    conversation.copy(&of(send, counts, rank), &place(rank))?;
    conversation.settle()?;
    // A leaf of the tree, and every combination of leaves, resides at the position of its first
    // member's part.
    let tree = Tree::of(size);
    let join = |lower: usize, higher: usize| {
        conversation.combine(&place(lower), &place(higher), items, Lower::Accumulator)
    };
    for (first, second) in (0..tree.pairs).map(|leaf| tree.members(leaf)) {
        second.map_or(Ok(()), |second| join(first, second))?;
    }
    let mut distance = 1;
    while distance < tree.leaves {
        for leaf in (0..tree.leaves).step_by(2 * distance) {
            join(tree.members(leaf).0, tree.members(leaf + distance).0)?;
        }
        distance *= 2;
    }
    conversation.copy(&place(0), receive)
}
