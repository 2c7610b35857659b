//! Broadcast: a binomial tree for short data, a chain of pieces for long data.

use super::Conversation;
use crate::CollectiveError;
use crate::chunks::{RING_BYTES, pieces};
use phalanx_device::Slice;

/// Copies `data` of `root` to all.
pub(super) fn broadcast(
    conversation: &mut Conversation<'_>,
    data: &Slice,
    root: usize,
) -> Result<(), CollectiveError> {
    // No bytes: `native` cuts data that exceeds MPI's counts.
    if let Some(native) = conversation.native(0) {
        native.broadcast(data, root)
    } else if data.len < RING_BYTES {
        binomial(conversation, data, root)
    } else {
        chain(conversation, data, root)
    }
}

fn binomial(
    conversation: &mut Conversation<'_>,
    data: &Slice,
    root: usize,
) -> Result<(), CollectiveError> {
    let size = conversation.size();
    let position = (conversation.rank() + size - root) % size;
    let member = |position: usize| (position + root) % size;
    // Position p receives from p without its lowest bit, and sends to p plus each bit below that.
    let mut bit = 1;
    while bit < size && position & bit == 0 {
        bit *= 2;
    }
    if position != 0 {
        let receive = conversation.receive(member(position - bit), data)?;
        conversation.wait(&receive)?;
    }
    while bit > 1 {
        bit /= 2;
        if position + bit < size {
            conversation.send(member(position + bit), data)?;
        }
    }
    Ok(())
}

fn chain(
    conversation: &mut Conversation<'_>,
    data: &Slice,
    root: usize,
) -> Result<(), CollectiveError> {
    let (size, rank) = (conversation.size(), conversation.rank());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    let cut = pieces(0..data.len, 1).map(|piece| data.slice(piece.start, piece.len()));
    let mut incoming = Vec::new();
    if rank != root {
        for piece in cut.clone() {
            incoming.push(conversation.receive(previous, &piece)?);
        }
    }
    let mut incoming = incoming.into_iter();
    for piece in cut {
        if let Some(receive) = incoming.next() {
            conversation.wait(&receive)?;
        }
        if next != root {
            conversation.send(next, &piece)?;
        }
    }
    Ok(())
}
