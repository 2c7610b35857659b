//! Messages of GPUs by a library that does not take addresses of their memory: in chunks through
//! pinned memory.
//!
//! While a chunk travels, the next one is copied from the sender's GPU, and the one before to the
//! receiver's. All chunks have their places from the start, so that no message waits for another
//! one.

use crate::group::Member;
use crate::{CollectiveError, Message, Operation};
use phalanx_device::cuda::{CudaDevice, PinnedMemory};
use phalanx_device::{Buffer, Completion, Event, EventError, Slice, copy_slice};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Bytes of a chunk: few enough that copies and transfers overlap early, enough that the cost of a
/// message does not count. Both ends of a message cut alike.
const CHUNK: usize = 4 << 20;
/// Bytes of the smallest block of pinned memory. Sizes are powers of two, so that blocks are used
/// again.
const LEAST: usize = 4 << 10;

/// The most bytes of pinned memory that messages of one GPU hold in each direction: enough for the
/// chunks that travel and those that are copied. Further messages have memory that is not pinned,
/// so that none has to wait for another one.
const MOST: usize = 64 << 20;

/// How much pinned memory messages of one direction hold.
#[derive(Debug, Default)]
pub(super) struct Pinned(Arc<AtomicUsize>);

/// A part of it, until it is dropped.
struct Share {
    held: Arc<AtomicUsize>,
    bytes: usize,
}

impl Pinned {
    /// So many bytes, if no more than the most are held then.
    fn take(&self, bytes: usize) -> Option<Share> {
        let take = |held: usize| held.checked_add(bytes).filter(|held| *held <= MOST);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(Share { held: self.0.clone(), bytes })
    }

    /// Memory of the host for a message of so many bytes: pinned, unless it is longer than a chunk
    /// or no more is to be had.
    pub(super) fn far_slice(&self, gpu: &Arc<CudaDevice>, len: usize) -> Slice {
        let size = len.next_power_of_two().max(LEAST);
        let share = (len <= CHUNK).then(|| self.take(size)).flatten();
        let pinned = share.and_then(|share| {
            let pinned = PinnedMemory::new(gpu, size).ok()?;
            Some(pinned.into_buffer_with(share))
        });
        pinned.unwrap_or_else(|| Buffer::from_vec(vec![0u8; len])).slice(0, len)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
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

/// Whose messages go through memory that the library reaches.
pub(super) trait Stager {
    /// Who sends and receives there.
    fn host(&self) -> &Member;
    /// Whether a message has to.
    fn is_staged(&self, message: &Message) -> bool;
    /// Such memory for what is sent.
    fn outgoing(&self, len: usize) -> Slice;
    /// Such memory for what is received.
    fn incoming(&self, len: usize) -> Slice;
}

/// Starts messages of which one goes through pinned memory. The device's work before is done.
///
/// Errors: why the world has ended; nothing is in use then.
pub(super) fn stage(
    member: &dyn Stager,
    operation: Operation,
    sends: &[Message],
    receives: &[Message],
) -> Result<Event, CollectiveError> {
    let (mut others, mut arriving) = (Vec::new(), Vec::new());
    let mut sent: VecDeque<Event> = VecDeque::new();
    let one = |peer, data: &Slice| [Message { peer, data: data.clone() }];
    let mut start = || -> Result<(), CollectiveError> {
        for message in receives {
            if !member.is_staged(message) {
                let receive = std::slice::from_ref(message);
                others.push(member.host().messages(operation, Ok(()), receive, &[])?);
                continue;
            }
            for place in chunks(&message.data) {
                let landed = member.incoming(place.len);
                let receive = one(message.peer, &landed);
                let event = member.host().messages(operation, Ok(()), &receive, &[])?;
                arriving.push(Arriving { event, landed, place });
            }
        }
        for message in sends {
            if !member.is_staged(message) {
                let send = std::slice::from_ref(message);
                others.push(member.host().messages(operation, Ok(()), &[], send)?);
                continue;
            }
            for chunk in chunks(&message.data) {
                // What has gone leaves its memory to what follows.
                while sent.front().is_some_and(Event::is_done) {
                    // Then all that was posted counts as done.
                    member.host().fabric.failure.check()?;
                    sent.pop_front();
                }
                let carried = member.outgoing(chunk.len);
                // Ended when this returns: the host waits for what it reads.
                copy_slice(&chunk, &carried);
                let send = one(message.peer, &carried);
                sent.push_back(member.host().messages(operation, Ok(()), &[], &send)?);
            }
        }
        Ok(())
    };
    let started = start();
    others.extend(sent);
    if let Err(error) = started {
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
    use crate::group::Place;
    use crate::transport::Fabric;

    /// A member all of whose messages are staged, in memory of the host on both sides.
    struct OnHost(Arc<Member>);

    impl Stager for OnHost {
        fn host(&self) -> &Member {
            &self.0
        }

        fn is_staged(&self, _message: &Message) -> bool {
            true
        }

        fn outgoing(&self, len: usize) -> Slice {
            Buffer::from_vec(vec![0u8; len]).whole()
        }

        fn incoming(&self, len: usize) -> Slice {
            self.outgoing(len)
        }
    }

    fn pair() -> [OnHost; 2] {
        let fabric = Fabric::new(0, Vec::new());
        let places: Arc<[Place]> = [0, 1].map(|device| Place { process: 0, device }).into();
        [0, 1].map(|rank| OnHost(Member::new(fabric.clone(), 0, rank, places.clone())))
    }

    #[test]
    fn what_messages_pin_has_a_limit_and_comes_back() {
        let pinned = Pinned::default();
        let mut shares: Vec<Share> = std::iter::from_fn(|| pinned.take(CHUNK)).collect();
        assert_eq!(shares.len(), MOST / CHUNK);
        assert!(pinned.take(1).is_none() && pinned.take(usize::MAX).is_none());
        shares.pop();
        assert!(pinned.take(CHUNK + 1).is_none());
        assert!(pinned.take(CHUNK).is_some());
        drop(shares);
        assert!(pinned.take(MOST).is_some());
    }

    fn message(peer: usize, len: usize, byte: u8) -> Message {
        Message { peer, data: Buffer::from_vec(vec![byte; len]).whole() }
    }

    fn holds(message: &Message, byte: u8) -> bool {
        let mut bytes = vec![0; message.data.len];
        message.data.buffer.read(message.data.offset, &mut bytes);
        bytes.iter().all(|one| *one == byte)
    }

    #[test]
    fn a_staged_all_to_all_is_no_message_of_the_user() {
        const LONG: usize = 2 * CHUNK + 70;
        let [first, second] = pair();
        let places = [message(1, LONG, 0), message(0, LONG, 0), message(0, LONG, 0)];
        let all_to_all = |member: &OnHost, sent: Message, place: &Message| {
            stage(member, Operation::AllToAll, &[sent], std::slice::from_ref(place)).unwrap()
        };
        // One member sends before the collective what the other one receives after it.
        let sent = stage(&first, Operation::Send, &[message(1, LONG, 3)], &[]).unwrap();
        let on_first = all_to_all(&first, message(1, LONG, 1), &places[0]);
        let on_second = all_to_all(&second, message(0, LONG, 2), &places[1]);
        let receive = std::slice::from_ref(&places[2]);
        let received = stage(&second, Operation::Receive, &[], receive).unwrap();
        for event in [sent, on_first, on_second, received] {
            event.wait().unwrap();
        }
        assert!(holds(&places[0], 2), "the first member's part of the collective");
        assert!(holds(&places[1], 1), "the second member's part of the collective");
        assert!(holds(&places[2], 3), "the message");
    }

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
