//! Recursive doubling: each round doubles the number of combined contributions.

use super::Conversation;
use super::memory::Lower;
use crate::CollectiveError;
use crate::chunks::part_of;
use crate::order::{Items, Tree};
use phalanx_device::{Buffer, Slice};

/// Combines the data of all members, in place on all of them.
pub(super) fn all_reduce(
    conversation: &mut Conversation<'_>,
    data: &Slice,
    items: Items,
) -> Result<(), CollectiveError> {
    let tree = Tree::of(conversation.size());
    let incoming = conversation.scratch(data.len)?.slice(0, data.len);
    let Some(leaf) = join_pair(conversation, data, &incoming, items, tree)? else {
        // The first of the pair sends the result back.
        let result = conversation.receive(conversation.rank() - 1, data)?;
        return conversation.wait(&result);
    };
    let mut distance = 1;
    while distance < tree.leaves {
        let partner = leaf ^ distance;
        let (member, _) = tree.members(partner);
        conversation.swap(member, data, member, &incoming)?;
        let lower = if leaf < partner { Lower::Accumulator } else { Lower::Incoming };
        conversation.combine(data, &incoming, items, lower)?;
        distance *= 2;
    }
    match tree.members(leaf) {
        (_, Some(second)) => conversation.send(second, data).map(drop),
        (_, None) => Ok(()),
    }
}

/// Combines the data of all members, in place on `root`, by the same tree as `all_reduce`.
pub(super) fn reduce(
    conversation: &mut Conversation<'_>,
    data: &Slice,
    items: Items,
    root: usize,
) -> Result<(), CollectiveError> {
    let tree = Tree::of(conversation.size());
    let incoming = conversation.scratch(data.len)?.slice(0, data.len);
    if let Some(leaf) = join_pair(conversation, data, &incoming, items, tree)? {
        let mut distance = 1;
        while distance < tree.leaves {
            let (partner, _) = tree.members(leaf ^ distance);
            if leaf & distance != 0 {
                conversation.send(partner, data)?;
                break;
            }
            let receive = conversation.receive(partner, &incoming)?;
            conversation.wait(&receive)?;
            conversation.combine(data, &incoming, items, Lower::Accumulator)?;
            distance *= 2;
        }
    }
    // The tree ends at member 0 whatever the root is, so the root does not affect the bits.
    conversation.settle()?;
    match conversation.rank() {
        rank if rank == root && root != 0 => conversation.receive(0, data).map(drop),
        0 if root != 0 => conversation.send(root, data).map(drop),
        _ => Ok(()),
    }
}

/// Combines the pairs in front of the tree. Returns this member's leaf, unless it is the second of
/// a pair.
fn join_pair(
    conversation: &mut Conversation<'_>,
    data: &Slice,
    incoming: &Slice,
    items: Items,
    tree: Tree,
) -> Result<Option<usize>, CollectiveError> {
    let rank = conversation.rank();
    if rank >= 2 * tree.pairs {
        return Ok(Some(rank - tree.pairs));
    }
    if rank % 2 == 1 {
        let send = conversation.send(rank - 1, data)?;
        conversation.wait(&send)?;
        return Ok(None);
    }
    let receive = conversation.receive(rank + 1, incoming)?;
    conversation.wait(&receive)?;
    conversation.combine(data, incoming, items, Lower::Accumulator)?;
    Ok(Some(rank / 2))
}

/// Concatenates the data of all members in `receive` of each, in as many rounds as the size has
/// bits (Bruck).
pub(super) fn all_gather(
    conversation: &mut Conversation<'_>,
    send: &Slice,
    receive: &Slice,
    counts: &[usize],
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    let scratch = conversation.scratch(receive.len)?;
    // Scratch holds the parts of members `rank`, `rank + 1` and so on, wrapping around.
    let mut offsets = vec![0];
    for index in 0..size {
        offsets.push(offsets[index] + counts[(rank + index) % size]);
    }
    let run = |parts: std::ops::Range<usize>| {
        scratch.slice(offsets[parts.start], offsets[parts.end] - offsets[parts.start])
    };
    conversation.copy(send, &run(0..1))?;
    let mut held = 1;
    while held < size {
        let count = held.min(size - held);
        let (to, from) = ((rank + size - held) % size, (rank + held) % size);
        conversation.swap(to, &run(0..count), from, &run(held..held + count))?;
        held += count;
    }
    for index in 0..size {
        let part = part_of(counts, (rank + index) % size);
        conversation.copy(&run(index..index + 1), &receive.slice(part.start, part.len()))?;
    }
    Ok(())
}

/// Returns when all members have called it.
pub(crate) fn barrier(conversation: &mut Conversation<'_>) -> Result<(), CollectiveError> {
    if let Some(native) = conversation.native(0) {
        return native.barrier();
    }
    let (size, rank) = (conversation.size(), conversation.rank());
    let nothing = Buffer::from_vec(Vec::<u8>::new()).whole();
    let mut distance = 1;
    while distance < size {
        conversation.swap(
            (rank + distance) % size,
            &nothing,
            (rank + size - distance) % size,
            &nothing,
        )?;
        distance *= 2;
    }
    Ok(())
}
