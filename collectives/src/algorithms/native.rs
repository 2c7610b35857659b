//! Collectives on top of MPI's own: MPI moves the data, and this module combines it, in the same
//! order as every plane.

use super::Conversation;
use super::parts::{of, others};
use crate::CollectiveError;
use crate::chunks::part_of;
use crate::order::{Items, Order, evaluate_into, own_part};
use crate::planes::mpi::Native;
use phalanx_device::Slice;
use std::ops::Range;

/// If all contributions together are this short, all members or the root gather them: one
/// collective instead of two. Measured with two and four processes of Open MPI on one host.
const WHOLE_BYTES: usize = 64 << 10;

/// The most bytes that `all_reduce` and `reduce` move on a member.
pub(super) fn bytes(conversation: &Conversation<'_>, data: &Slice, items: Items) -> usize {
    // The part that one member receives from all may be a few items longer than the data.
    data.len.saturating_add(conversation.size() * items.size()).max(WHOLE_BYTES)
}

/// Combines the data of all members, in place on all of them.
pub(super) fn all_reduce(
    conversation: &Conversation<'_>,
    native: &Native,
    data: &Slice,
    items: Items,
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    if is_gathered(conversation, data) {
        let gathered = conversation.scratch(size * data.len)?.slice(0, size * data.len);
        conversation.copy(data, &gathered.slice(rank * data.len, data.len))?;
        native.all_gather(&gathered, &vec![data.len; size])?;
        combine(&gathered, data, items, Order::Tree, (size, 0));
        return Ok(());
    }
    let (counts, own) = combine_own(conversation, native, data, items)?;
    debug_assert_eq!(own.len, counts[rank]);
    native.all_gather(data, &counts)
}

/// Combines the data of all members, in place on `root`.
pub(super) fn reduce(
    conversation: &Conversation<'_>,
    native: &Native,
    data: &Slice,
    items: Items,
    root: usize,
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    if is_gathered(conversation, data) {
        let counts = vec![data.len; size];
        if rank != root {
            return native.gather(data, data, &counts, root, || Ok(()));
        }
        let gathered = conversation.scratch(size * data.len)?.slice(0, size * data.len);
        let own = of(&gathered, &counts, rank);
        native.gather(data, &gathered, &counts, root, || conversation.copy(data, &own))?;
        combine(&gathered, data, items, Order::Tree, (size, 0));
        return Ok(());
    }
    let (counts, own) = combine_own(conversation, native, data, items)?;
    native.gather(&own, data, &counts, root, || Ok(()))
}

/// Combines `send` of all members and leaves part `i` in `receive` of member `i`.
pub(super) fn reduce_scatter(
    conversation: &Conversation<'_>,
    native: &Native,
    send: &Slice,
    receive: &Slice,
    counts: &[usize],
    items: Items,
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    let gathered = exchange_parts(conversation, native, send, counts)?;
    combine(&gathered, receive, items, Order::of(send.len), (size, rank));
    Ok(())
}

/// Sends part `i` of `send` to member `i`; receives part `i` from member `i`.
///
/// Only two members know how much one sends to the other. Short parts travel by MPI's collective,
/// long ones by messages. Therefore both ends of each part agree on its way, and no member has more
/// bytes in the collective than MPI's counts can represent.
pub(super) fn all_to_all(
    conversation: &mut Conversation<'_>,
    native: &Native,
    (send, send_counts): (&Slice, &[usize]),
    (receive, receive_counts): (&Slice, &[usize]),
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    let longest = native.limit() / size;
    if send_counts.iter().chain(receive_counts).all(|count| *count <= longest) {
        return native.all_to_all(send, send_counts, receive, receive_counts);
    }
    for from in others(size, rank).rev().filter(|from| receive_counts[*from] > longest) {
        conversation.receive(from, &of(receive, receive_counts, from))?;
    }
    for to in others(size, rank).filter(|to| send_counts[*to] > longest) {
        conversation.send(to, &of(send, send_counts, to))?;
    }
    // The remaining parts may lie beyond the range of MPI's offsets: pack them in scratch.
    let short = |counts: &[usize]| -> Vec<usize> {
        let is_short = |member: usize| member != rank && counts[member] <= longest;
        (0..size).map(|member| if is_short(member) { counts[member] } else { 0 }).collect()
    };
    let (to, from) = (short(send_counts), short(receive_counts));
    let (sent, received): (usize, usize) = (to.iter().sum(), from.iter().sum());
    let scratch = conversation.scratch(sent + received)?;
    let (outgoing, incoming) = (scratch.slice(0, sent), scratch.slice(sent, received));
    for member in (0..size).filter(|member| to[*member] > 0) {
        conversation.copy(&of(send, send_counts, member), &of(&outgoing, &to, member))?;
    }
    conversation.copy(&of(send, send_counts, rank), &of(receive, receive_counts, rank))?;
    native.all_to_all(&outgoing, &to, &incoming, &from)?;
    for member in (0..size).filter(|member| from[*member] > 0) {
        conversation.copy(&of(&incoming, &from, member), &of(receive, receive_counts, member))?;
    }
    Ok(())
}

/// Whether the data of all members together is short.
fn is_gathered(conversation: &Conversation<'_>, data: &Slice) -> bool {
    Order::of(data.len) == Order::Tree && conversation.size() * data.len <= WHOLE_BYTES
}

/// Combines this member's part of the data of all members in place. Returns the lengths of all
/// parts, and that part.
fn combine_own(
    conversation: &Conversation<'_>,
    native: &Native,
    data: &Slice,
    items: Items,
) -> Result<(Vec<usize>, Slice), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    let counts: Vec<usize> =
        (0..size).map(|member| own_part(items, data.len, size, member).len()).collect();
    let gathered = exchange_parts(conversation, native, data, &counts)?;
    let own = part_of(&counts, rank);
    let own = data.slice(own.start, own.len());
    combine(&gathered, &own, items, Order::of(data.len), (size, rank));
    Ok((counts, own))
}

/// Collects this member's part of the data of all members in scratch, one after another.
fn exchange_parts(
    conversation: &Conversation<'_>,
    native: &Native,
    data: &Slice,
    counts: &[usize],
) -> Result<Slice, CollectiveError> {
    let (size, own) = (conversation.size(), counts[conversation.rank()]);
    let gathered = conversation.scratch(size * own)?.slice(0, size * own);
    native.all_to_all(data, counts, &gathered, &vec![own; size])?;
    Ok(gathered)
}

/// Combines the contributions to a part, which are consecutive in `gathered`, into `result`.
fn combine(
    gathered: &Slice,
    result: &Slice,
    items: Items,
    order: Order,
    (size, part): (usize, usize),
) {
    let len = result.len;
    // SAFETY: scratch of this collective, and the collective that has filled it is over.
    let gathered = unsafe { gathered.bytes() };
    // SAFETY: the caller of the collective leaves `result` alone (condition 2 of `Buffer`), and
    // everything that was sent from there is over.
    let result = unsafe { result.bytes_mut() };
    let read = |member: usize, block: Range<usize>| {
        &gathered[member * len + block.start..member * len + block.end]
    };
    evaluate_into(items, order, size, part, read, result);
}
