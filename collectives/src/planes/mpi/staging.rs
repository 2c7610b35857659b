//! Stages messages of GPUs through pinned memory, in chunks, for a library that does not accept
//! addresses of GPU memory.
//!
//! While a chunk travels, the next one is copied from the sender's GPU, and the previous one to the
//! receiver's. All chunks have memory from the start, so no message waits for another.

use crate::group::Group;
use crate::{CollectiveError, Message, Operation};
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Buffer, Completion, Event, EventError, Moment, Slice, copy_slice};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Bytes of a chunk: few enough to overlap copies and transfers early, and enough to make the cost
/// of a message negligible. Both ends of a message use the same chunks.
const CHUNK: usize = 4 << 20;
/// Bytes of the smallest pinned memory block. Sizes are powers of two, so that blocks can
/// be reused.
const LEAST: usize = 4 << 10;

/// The most pinned memory that messages of one GPU hold in each direction: enough for the chunks
/// that travel and those that are copied. Further messages use memory that is not pinned, so that
/// none waits for another.
const MOST: usize = 64 << 20;

/// The pinned memory that messages of one direction hold.
#[derive(Debug, Default)]
pub(super) struct Pinned(Arc<AtomicUsize>);

/// A share of the pinned memory, until it is dropped.
struct Share {
    held: Arc<AtomicUsize>,
    bytes: usize,
}

impl Pinned {
    /// Takes this many bytes, unless more than `MOST` would be held.
    fn take(&self, bytes: usize) -> Option<Share> {
        let take = |held: usize| held.checked_add(bytes).filter(|held| *held <= MOST);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(Share { held: self.0.clone(), bytes })
    }

    /// Host memory for a message of this length. It is pinned unless the message is longer than a
    /// chunk or the limit is reached.
    pub(super) fn far_slice(&self, gpu: &Arc<CudaDevice>, len: usize) -> Slice {
        let size = len.next_power_of_two().max(LEAST);
        let share = (len <= CHUNK).then(|| self.take(size)).flatten();
        let pinned = share.and_then(|share| {
            let pinned = gpu.pinned_memory(size).ok()?;
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

/// The chunks of a message. The last is shorter than a chunk and may be empty; if the ends differ
/// in length, some chunk differs in length too.
fn chunks(whole: &Slice) -> impl Iterator<Item = Slice> {
    (0..=whole.len / CHUNK).map(|at| {
        let start = at * CHUNK;
        whole.slice(start, (whole.len - start).min(CHUNK))
    })
}

/// Messages, some of which travel through pinned memory.
struct Staged {
    /// The events of messages that need no copy after arrival.
    others: Vec<Event>,
    /// Chunks that arrive in pinned memory, in the order of the receives, until they are copied.
    arriving: Mutex<Vec<Arriving>>,
    /// The outcome of the messages, once a thread has waited for them.
    outcome: OnceLock<Result<(), EventError>>,
}

/// A travelling chunk, the memory it arrives in, and its destination.
struct Arriving {
    event: Event,
    landed: Slice,
    place: Slice,
}

/// A member whose messages travel through memory that the library can reach.
pub(super) trait Stager {
    /// The group whose messages carry this memory.
    fn group(&self) -> &Group;
    /// Whether a message must be staged.
    fn is_staged(&self, message: &Message) -> bool;
    /// Staging memory for a send.
    fn outgoing(&self, len: usize) -> Slice;
    /// Staging memory for a receive.
    fn incoming(&self, len: usize) -> Slice;
}

/// Starts messages, at least one of which is staged. The device has completed its earlier work.
///
/// Errors: the error that ended the world; nothing is in use then.
pub(super) fn stage(
    member: &dyn Stager,
    operation: Operation,
    sends: &[Message],
    receives: &[Message],
) -> Result<Event, CollectiveError> {
    let (mut others, mut arriving) = (Vec::new(), Vec::new());
    let mut sent: VecDeque<Event> = VecDeque::new();
    let one = |peer, data: &Slice| [Message { peer, data: data.clone(), rows: None }];
    let mut start = || -> Result<(), CollectiveError> {
        for message in receives {
            if !member.is_staged(message) {
                let receive = std::slice::from_ref(message);
                others.push(member.group().messages(operation, &[], receive)?);
                continue;
            }
            for place in chunks(&message.data) {
                let landed = member.incoming(place.len);
                let receive = one(message.peer, &landed);
                let event = member.group().messages(operation, &[], &receive)?;
                arriving.push(Arriving { event, landed, place });
            }
        }
        for message in sends {
            if !member.is_staged(message) {
                let send = std::slice::from_ref(message);
                others.push(member.group().messages(operation, send, &[])?);
                continue;
            }
            for chunk in chunks(&message.data) {
                // Completed sends leave their memory to later ones.
                while sent.front().is_some_and(Event::is_done) {
                    // After a failure, everything posted counts as done.
                    member.group().fabric.failure.check()?;
                    sent.pop_front();
                }
                let carried = member.outgoing(chunk.len);
                // The copy is complete on return: the host waits for what it reads.
                copy_slice(&chunk, &carried);
                let send = one(message.peer, &carried);
                sent.push_back(member.group().messages(operation, &send, &[])?);
            }
        }
        Ok(())
    };
    let started = start();
    others.extend(sent);
    if let Err(error) = started {
        // The world has failed, so waiting cancels what was posted.
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
        // Held so that a second waiter finds everything copied.
        let mut arriving = self.arriving.lock().unwrap_or_else(PoisonError::into_inner);
        let end = || {
            let landed = Staged::land(&mut arriving);
            // Wait for every event, so that nothing is in use after an error.
            let ended = self.others.iter().map(Event::wait);
            ended.fold(landed, Result::and)
        };
        self.outcome.get_or_init(end).clone()
    }

    fn spans(&self, begun: &Moment) -> Vec<[Moment; 2]> {
        self.others.iter().flat_map(|event| event.spans(begun)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::MemberDevice;
    use crate::transport::Fabric;

    /// A member that stages all messages, in host memory on both sides.
    struct OnHost(Group);

    impl Stager for OnHost {
        fn group(&self) -> &Group {
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
        let devices: Arc<[MemberDevice]> =
            [0, 1].map(|device| MemberDevice { process: 0, device }).into();
        [0, 1].map(|rank| OnHost(Group::new(fabric.clone(), (0, 0), rank, devices.clone())))
    }

    #[test]
    fn pinned_memory_of_messages_has_a_limit_and_is_returned() {
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
        Message { peer, data: Buffer::from_vec(vec![byte; len]).whole(), rows: None }
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
        // One member sends before the collective what the other receives after it.
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
