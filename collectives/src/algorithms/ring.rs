//! Rings: parts travel from member to member in pieces, combined or copied on the way.

use super::memory::Lower;
use super::{Conversation, direct, doubling, native};
use crate::chunks::{RING_BYTES, part_of, pieces};
use crate::order::{Items, Order, own_part};
use crate::{CollectiveError, transport::Transfer};
use phalanx_device::Slice;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Up to this many members, short parts are sent directly: one step, and few messages.
const DIRECT_MEMBERS: usize = 8;

/// Combines the data of all members, in place on all of them.
pub(crate) fn all_reduce(
    conversation: &mut Conversation<'_>,
    data: &Slice,
    items: Items,
) -> Result<(), CollectiveError> {
    if let Some(native) = conversation.native(native::bytes(conversation, data, items)) {
        return native::all_reduce(conversation, native, data, items);
    }
    if Order::of(data.len) == Order::Tree {
        return doubling::all_reduce(conversation, data, items);
    }
    let parts = all_parts(conversation, data, items);
    let own = &parts[conversation.rank()];
    combine_along(conversation, data, &parts, items, &data.slice(own.start, own.len()))?;
    copy_along(conversation, data, &parts)
}

/// Combines the data of all members, in place on `root`.
pub(crate) fn reduce(
    conversation: &mut Conversation<'_>,
    data: &Slice,
    items: Items,
    root: usize,
) -> Result<(), CollectiveError> {
    if let Some(native) = conversation.native(native::bytes(conversation, data, items)) {
        return native::reduce(conversation, native, data, items, root);
    }
    if Order::of(data.len) == Order::Tree {
        return doubling::reduce(conversation, data, items, root);
    }
    let parts = all_parts(conversation, data, items);
    let rank = conversation.rank();
    let slice = |part: &Range<usize>| data.slice(part.start, part.len());
    combine_along(conversation, data, &parts, items, &slice(&parts[rank]))?;
    if rank != root {
        return conversation.send(root, &slice(&parts[rank])).map(drop);
    }
    for (member, part) in parts.iter().enumerate().filter(|(member, _)| *member != root) {
        conversation.receive(member, &slice(part))?;
    }
    Ok(())
}

/// Combines `send` of all members and leaves part `i` in `receive` of member `i`.
pub(crate) fn reduce_scatter(
    conversation: &mut Conversation<'_>,
    send: &Slice,
    receive: &Slice,
    counts: &[usize],
    items: Items,
) -> Result<(), CollectiveError> {
    let longest = counts.iter().max().map_or(0, |longest| longest.saturating_mul(counts.len()));
    if let Some(native) = conversation.native(send.len.max(longest)) {
        return native::reduce_scatter(conversation, native, send, receive, counts, items);
    }
    if Order::of(send.len) == Order::Tree {
        return direct::reduce_scatter(conversation, send, receive, counts, items);
    }
    let parts: Vec<_> = (0..counts.len()).map(|member| part_of(counts, member)).collect();
    combine_along(conversation, send, &parts, items, receive)
}

/// Puts every member's `send` after one another into `receive` of all.
pub(crate) fn all_gather(
    conversation: &mut Conversation<'_>,
    send: &Slice,
    receive: &Slice,
    counts: &[usize],
) -> Result<(), CollectiveError> {
    if let Some(native) = conversation.native(receive.len) {
        let own = part_of(counts, conversation.rank());
        conversation.copy(send, &receive.slice(own.start, own.len()))?;
        return native.all_gather(receive, counts);
    }
    if receive.len < RING_BYTES && conversation.size() <= DIRECT_MEMBERS {
        return direct::all_gather(conversation, send, receive, counts);
    }
    if receive.len < RING_BYTES {
        return doubling::all_gather(conversation, send, receive, counts);
    }
    let parts: Vec<_> = (0..counts.len()).map(|member| part_of(counts, member)).collect();
    let own = &parts[conversation.rank()];
    conversation.copy(send, &receive.slice(own.start, own.len()))?;
    copy_along(conversation, receive, &parts)
}

fn all_parts(conversation: &Conversation<'_>, data: &Slice, items: Items) -> Vec<Range<usize>> {
    let size = conversation.size();
    (0..size).map(|member| own_part(items, data.len, size, member)).collect()
}

/// Sends part `i` of `send` around the ring from member `i + 1` to member `i`, combined with the
/// part of each member on the way, and puts the result into `receive` of member `i`. `send` is only
/// read, but may hold `receive`.
fn combine_along(
    conversation: &mut Conversation<'_>,
    send: &Slice,
    parts: &[Range<usize>],
    items: Items,
    receive: &Slice,
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    let longest = parts.iter().map(Range::len).max().unwrap_or(0);
    // A place is received into in one step, sent from in the next, and free once that send is over.
    let scratch = conversation.scratch(3 * longest)?;
    let place = |step: usize, piece: &Range<usize>| {
        scratch.slice(step % 3 * longest + piece.start, piece.len())
    };
    let coming = |step: usize| &parts[(rank + 2 * size - 2 - step) % size];
    let cut = |part: &Range<usize>| pieces(0..part.len(), items.size());
    let own = |part: &Range<usize>, piece: &Range<usize>| {
        send.slice(part.start + piece.start, piece.len())
    };
    let expect = |conversation: &mut Conversation<'_>, step: usize| {
        let pieces = cut(coming(step));
        pieces
            .map(|piece| conversation.receive(previous, &place(step, &piece)))
            .collect::<Result<Vec<_>, _>>()
    };

    let mut incoming: Vec<Arc<Transfer>> = expect(conversation, 0)?;
    let first = &parts[previous];
    let sends = cut(first).map(|piece| conversation.send(next, &own(first, &piece)));
    let mut outgoing = VecDeque::from([sends.collect::<Result<Vec<_>, _>>()?]);
    for step in 0..size - 1 {
        let is_last = step + 2 == size;
        let mut upcoming = Vec::new();
        if !is_last {
            if outgoing.len() == 2 {
                for send in outgoing.pop_front().into_iter().flatten() {
                    conversation.wait(&send)?;
                }
            }
            upcoming = expect(conversation, step + 1)?;
        }
        let part = coming(step);
        let mut sends = Vec::new();
        for (piece, receive_transfer) in cut(part).zip(&incoming) {
            conversation.wait(receive_transfer)?;
            let arrived = place(step, &piece);
            conversation.combine(&arrived, &own(part, &piece), items, Lower::Accumulator)?;
            if is_last {
                conversation.copy(&arrived, &receive.slice(piece.start, piece.len()))?;
            } else {
                sends.push(conversation.send(next, &arrived)?);
            }
        }
        outgoing.push_back(sends);
        incoming = upcoming;
    }
    conversation.settle()
}

/// Sends part `i` of `data` around the ring from member `i`, where it is, to all others.
fn copy_along(
    conversation: &mut Conversation<'_>,
    data: &Slice,
    parts: &[Range<usize>],
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    let cut = |step: usize| {
        let part = &parts[(rank + size - step) % size];
        pieces(part.clone(), 1).map(|piece| data.slice(piece.start, piece.len()))
    };
    let expect = |conversation: &mut Conversation<'_>, step: usize| {
        cut(step).map(|piece| conversation.receive(previous, &piece)).collect::<Result<Vec<_>, _>>()
    };
    let mut incoming: Vec<Arc<Transfer>> = expect(conversation, 1)?;
    for piece in cut(0) {
        conversation.send(next, &piece)?;
    }
    for step in 1..size {
        let is_last = step + 1 == size;
        let upcoming = if is_last { Vec::new() } else { expect(conversation, step + 1)? };
        for (piece, receive) in cut(step).zip(&incoming) {
            conversation.wait(receive)?;
            if !is_last {
                conversation.send(next, &piece)?;
            }
        }
        incoming = upcoming;
    }
    conversation.settle()
}
