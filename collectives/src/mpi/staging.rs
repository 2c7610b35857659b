//! Messages of GPUs by a library that does not take addresses of their memory: in chunks through
//! pinned memory.
//!
//! While a chunk travels, the next one is copied from the sender's GPU, and the one before to the
//! receiver's. All chunks have their places from the start, so that no message waits for another
//! one.

use super::device::{DeviceMember, is_remote};
use crate::{CollectiveError, Message, Operation};
use phalanx_device::cuda::{CudaDevice, PinnedMemory};
use phalanx_device::{Buffer, Completion, Event, EventError, Slice, copy_slice};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Bytes of a chunk: few enough that copies and transfers overlap early, enough that the cost of a
/// message does not count. Both ends of a message cut alike.
const CHUNK: usize = 4 << 20;
/// Bytes of the smallest block of pinned memory. Sizes are powers of two, so that blocks are used
/// again.
const LEAST: usize = 4 << 10;

/// Memory of the host for a message of so many bytes: pinned, unless it is longer than a chunk or
/// the system pins no more.
pub(super) fn far_slice(gpu: &Arc<CudaDevice>, len: usize) -> Slice {
    let size = len.next_power_of_two().max(LEAST);
    let pinned = (len <= CHUNK).then(|| PinnedMemory::new(gpu, size).ok()).flatten();
    let buffer = match pinned {
        Some(pinned) => pinned.into_buffer(),
        None => Buffer::from_vec(vec![0u8; len]),
    };
    buffer.slice(0, len)
}

/// The chunks of a message, of which the last is shorter than a chunk and may have no bytes: ends
/// that differ in length have a chunk that does.
fn chunks(whole: &Slice) -> impl Iterator<Item = Slice> {
    (0..=whole.len / CHUNK).map(|at| {
        let start = at * CHUNK;
        whole.slice(start, (whole.len - start).min(CHUNK))
    })
}

/// Messages of which some go through pinned memory.
struct Staged {
    /// What goes as it is, and what is sent from pinned memory.
    others: Vec<Event>,
    /// What ends in pinned memory, in the order of the receives, until it is in its place.
    arriving: Mutex<Vec<Arriving>>,
    /// What has come of the messages, once somebody has waited for them.
    outcome: OnceLock<Result<(), EventError>>,
}

/// A chunk on its way, where it ends, and its place.
struct Arriving {
    event: Event,
    landed: Slice,
    place: Slice,
}

/// Starts messages of which one goes through pinned memory. The device's work before is done.
///
/// Errors: why the world has ended; nothing is in use then.
pub(super) fn stage(
    member: &DeviceMember,
    operation: Operation,
    sends: &[Message],
    receives: &[Message],
) -> Result<Event, CollectiveError> {
    let (mut others, mut arriving) = (Vec::new(), Vec::new());
    let is_staged =
        |message: &Message| is_remote(&message.data) && member.is_staged_with(message.peer);
    let one = |peer, data: &Slice| [Message { peer, data: data.clone() }];
    let mut start = || -> Result<(), CollectiveError> {
        for message in receives {
            if !is_staged(message) {
                let receive = std::slice::from_ref(message);
                others.push(member.host.messages(operation, Ok(()), receive, &[])?);
                continue;
            }
            for place in chunks(&message.data) {
                let landed = far_slice(&member.gpu, place.len);
                let receive = one(message.peer, &landed);
                let event = member.host.messages(operation, Ok(()), &receive, &[])?;
                arriving.push(Arriving { event, landed, place });
            }
        }
        for message in sends {
            if !is_staged(message) {
                let send = std::slice::from_ref(message);
                others.push(member.host.messages(operation, Ok(()), &[], send)?);
                continue;
            }
            for chunk in chunks(&message.data) {
                let carried = far_slice(&member.gpu, chunk.len);
                // Ended when this returns: the host waits for what it reads.
                copy_slice(&chunk, &carried);
                let send = one(message.peer, &carried);
                others.push(member.host.messages(operation, Ok(()), &[], &send)?);
            }
        }
        Ok(())
    };
    if let Err(error) = start() {
        // The world has failed, so that waiting cancels what was posted.
        let posted = others.iter().chain(arriving.iter().map(|one| &one.event));
        posted.for_each(|event| drop(event.wait()));
        return Err(error);
    }
    let (arriving, outcome) = (Mutex::new(arriving), OnceLock::new());
    Ok(Event::driven(Arc::new(Staged { others, arriving, outcome })))
}

impl Staged {
    fn land(arriving: &mut Vec<Arriving>) -> Result<(), EventError> {
        for Arriving { event, landed, place } in arriving.drain(..) {
            event.wait()?;
            copy_slice(&landed, &place);
        }
        Ok(())
    }
}

impl Completion for Staged {
    fn is_done(&self) -> bool {
        let arriving = self.arriving.lock().unwrap_or_else(PoisonError::into_inner);
        arriving.iter().all(|one| one.event.is_done()) && self.others.iter().all(Event::is_done)
    }

    fn wait(&self) -> Result<(), EventError> {
        // Held, so that a second one who waits finds everything in its place.
        let mut arriving = self.arriving.lock().unwrap_or_else(PoisonError::into_inner);
        let end = || {
            let landed = Staged::land(&mut arriving);
            // Every one is waited for, so that after an error none is still in use.
            let ended = self.others.iter().map(Event::wait);
            ended.fold(landed, Result::and)
        };
        self.outcome.get_or_init(end).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_tile_a_message_and_nothing_is_a_chunk() {
        let buffer = Buffer::without_memory(3 * CHUNK);
        for (len, expected) in [
            (0, vec![0]),
            (1, vec![1]),
            (CHUNK, vec![CHUNK, 0]),
            (2 * CHUNK + 70, vec![CHUNK, CHUNK, 70]),
        ] {
            let whole = buffer.slice(7, len);
            let mut end = 7;
            let lengths: Vec<usize> = chunks(&whole)
                .map(|chunk| {
                    assert_eq!(chunk.offset, end);
                    end += chunk.len;
                    chunk.len
                })
                .collect();
            assert_eq!(lengths, expected);
        }
    }
}
