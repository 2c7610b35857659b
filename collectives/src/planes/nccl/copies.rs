//! Long messages between GPUs that can access each other's memory: copy engines carry them.
//!
//! They need no multiprocessor, so kernels run beside them. Every member has a window for each
//! other member: slots, to which that member copies the pieces of its messages in turn. The owner
//! of the window copies them on to where they belong. Two words go with a window. `arrived` counts
//! the pieces that are in the window, and resides with its owner; `taken` counts those that the
//! owner has copied on, and resides with the sender. Streams wait for words, so the host waits for
//! nothing.
//!
//! Sends and receives have a stream each. All members enqueue the same exchanges in the same order,
//! each piece by piece: the piece that goes `k` members ahead, and the piece that comes from `k`
//! members behind, for every `k`. Thus a piece waits only for pieces that come before it in this
//! order, and they never wait for each other in a circle.

use crate::{Message, Rows};
use phalanx_device::cuda::{Context, Stream};
use phalanx_device::{DeviceError, DevicePointer};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The fewest bytes of a message that copy engines carry.
const LEAST_BYTES: usize = 2 << 20;
/// The slots of a window.
const SLOTS: usize = 2;
/// The most bytes of a slot.
const MOST_SLOT_BYTES: usize = 16 << 20;
/// The most bytes of all windows of a member.
const MOST_WINDOW_BYTES: usize = 64 << 20;
/// Bytes between two words, so that each has its own memory line.
const WORD_BYTES: usize = 128;
/// The lengths of slots are multiples of this.
const GRAIN: usize = 4096;
/// The distance of numbers that ends every wait for a word.
const FAR_AHEAD: u32 = 1 << 30;

/// The streams of a GPU for these messages.
pub(crate) struct CopyStreams {
    sending: Stream,
    receiving: Stream,
    /// Ends waits of the other two, and has work only then. If it shared a queue of the hardware
    /// with them, it would wait too; it is made right after them, so that this is unlikely.
    releasing: Stream,
}

impl CopyStreams {
    /// Errors: `DeviceError::Cuda`.
    pub(super) fn new(context: &Arc<Context>, priority: i32) -> Result<CopyStreams, DeviceError> {
        let stream = || Stream::new(context, true, Some(priority));
        Ok(CopyStreams { sending: stream()?, receiving: stream()?, releasing: stream()? })
    }

    /// The streams in which messages are enqueued.
    pub(super) fn both(&self) -> [&Stream; 2] {
        [&self.sending, &self.receiving]
    }
}

/// The bytes of a member's memory for messages.
pub(super) fn bytes_of(members: usize) -> usize {
    words_of(members) + (members - 1) * SLOTS * slot_bytes(members)
}

/// The bytes of a member's words, before its windows.
fn words_of(members: usize) -> usize {
    (2 * members * WORD_BYTES).next_multiple_of(GRAIN)
}

fn slot_bytes(members: usize) -> usize {
    let share = MOST_WINDOW_BYTES / (members - 1) / SLOTS;
    share.min(MOST_SLOT_BYTES) / GRAIN * GRAIN
}

/// The two words of a pair of members.
#[derive(Clone, Copy)]
enum Word {
    /// The pieces of a peer that are in this member's window.
    Arrived = 0,
    /// The pieces of this member that a peer has copied on.
    Taken = 1,
}

/// A member of a communicator group whose GPUs copy to each other's memory.
pub(super) struct Copies {
    streams: Arc<CopyStreams>,
    rank: usize,
    /// The address of each member's memory for messages, for this GPU.
    memory: Vec<u64>,
    /// For each member, the pieces that were enqueued to be sent to it and received from it.
    enqueued: Vec<[AtomicU32; 2]>,
    /// Held while an exchange is enqueued.
    turn: Mutex<()>,
    /// Whether a trial has shown that all members can use them.
    works: AtomicBool,
    is_released: AtomicBool,
}

impl Copies {
    pub(super) fn new(streams: &Arc<CopyStreams>, rank: usize, memory: Vec<u64>) -> Copies {
        Copies {
            streams: streams.clone(),
            rank,
            enqueued: memory.iter().map(|_| Default::default()).collect(),
            turn: Mutex::default(),
            memory,
            works: AtomicBool::new(false),
            is_released: AtomicBool::new(false),
        }
    }

    /// Whether copy engines carry a message of this many bytes to or from a member. Both ends
    /// decide alike.
    pub(super) fn carry(&self, peer: usize, bytes: usize) -> bool {
        bytes >= LEAST_BYTES && peer != self.rank && self.works.load(Ordering::SeqCst)
    }

    /// Allows messages: all members have agreed that the trial worked.
    pub(super) fn allow(&self) {
        self.works.store(true, Ordering::SeqCst);
    }

    fn word(&self, member: usize, of: usize, word: Word) -> DevicePointer {
        let at = (2 * of + word as usize) * WORD_BYTES;
        DevicePointer::from_address(self.memory[member] + at as u64)
    }

    /// The slot for a piece of `sender` with this number in a member's memory.
    fn slot(&self, member: usize, sender: usize, number: u32) -> DevicePointer {
        let members = self.memory.len();
        let window = if sender > member { sender - 1 } else { sender };
        let slot = window * SLOTS + number as usize % SLOTS;
        let at = words_of(members) + slot * slot_bytes(members);
        DevicePointer::from_address(self.memory[member] + at as u64)
    }

    /// Enqueues messages of several bytes between this member and others, in list order within a
    /// pair, in `CopyStreams::both`. All members must call it for the same exchange.
    ///
    /// Errors: `DeviceError::Cuda`; some of the messages may then be under way, and none may
    /// follow.
    ///
    /// # Safety
    /// The slices are in this device's memory, and live until both streams are past the messages.
    pub(super) unsafe fn enqueue(
        &self,
        sends: &[Message],
        receives: &[Message],
    ) -> Result<(), DeviceError> {
        let members = self.memory.len();
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let (sends, receives) = (self.by_peer(sends), self.by_peer(receives));
        let most = sends.iter().chain(&receives).map(Vec::len).max().unwrap_or(0);
        for piece in 0..most {
            for ahead in 1..members {
                // A world that has failed needs nothing more.
                if self.is_released.load(Ordering::SeqCst) {
                    return Ok(());
                }
                let to = (self.rank + ahead) % members;
                let from = (self.rank + members - ahead) % members;
                if let Some((message, bytes)) = sends[to].get(piece) {
                    // SAFETY: the caller's promise.
                    unsafe { self.send(message, bytes)? };
                }
                if let Some((message, bytes)) = receives[from].get(piece) {
                    // SAFETY: the caller's promise.
                    unsafe { self.receive(message, bytes)? };
                }
            }
        }
        Ok(())
    }

    /// For each member, the pieces of its messages, each with its message.
    fn by_peer<'m>(&self, messages: &'m [Message]) -> Vec<Vec<(&'m Message, Range<usize>)>> {
        let members = self.memory.len();
        let mut pieces = vec![Vec::new(); members];
        for message in messages {
            let of_message = pieces_of(message.bytes(), slot_bytes(members));
            pieces[message.peer].extend(of_message.map(|bytes| (message, bytes)));
        }
        pieces
    }

    /// Enqueues the copy of a piece to its slot in a peer's window, once the piece before it in
    /// that slot is taken.
    ///
    /// # Safety
    /// As for `enqueue`.
    unsafe fn send(&self, message: &Message, bytes: &Range<usize>) -> Result<(), DeviceError> {
        let (stream, rank, to) = (&self.streams.sending, self.rank, message.peer);
        let number = self.enqueued[to][0].fetch_add(1, Ordering::SeqCst);
        let next = number.wrapping_add(1);
        let slot = self.slot(to, rank, number);
        // SAFETY: the words and slots are in the memory of members, which lives as long as their
        // messages (`Watch`); the peer raises the word, or `release` does. The piece fits in the
        // slot, and the caller promises the rest.
        unsafe {
            stream.wait_word(self.word(rank, to, Word::Taken), next.wrapping_sub(SLOTS as u32))?;
            for part in parts_of(message, bytes) {
                let slot = slot.after(part.start as u64);
                stream.copy_rows([part.at, slot], part.size, [part.pitch, part.size[0]])?;
            }
            stream.write_word(self.word(to, rank, Word::Arrived), next)?;
        }
        Ok(())
    }

    /// Enqueues the copy of a piece from its slot to where it belongs, once it is there.
    ///
    /// # Safety
    /// As for `enqueue`.
    unsafe fn receive(&self, message: &Message, bytes: &Range<usize>) -> Result<(), DeviceError> {
        let (stream, rank, from) = (&self.streams.receiving, self.rank, message.peer);
        let number = self.enqueued[from][1].fetch_add(1, Ordering::SeqCst);
        let next = number.wrapping_add(1);
        let slot = self.slot(rank, from, number);
        // SAFETY: as in `send`.
        unsafe {
            stream.wait_word(self.word(rank, from, Word::Arrived), next)?;
            for part in parts_of(message, bytes) {
                let slot = slot.after(part.start as u64);
                stream.copy_rows([slot, part.at], part.size, [part.size[0], part.pitch])?;
            }
            stream.write_word(self.word(from, rank, Word::Taken), next)?;
        }
        Ok(())
    }

    /// Whether all enqueued messages are done.
    ///
    /// Errors: `DeviceError::Cuda`, also of earlier work.
    pub(super) fn are_done(&self) -> Result<bool, DeviceError> {
        if self.is_released.load(Ordering::SeqCst) {
            self.release();
        }
        let [sending, receiving] = self.streams.both();
        Ok(sending.is_done()? && receiving.is_done()?)
    }

    /// Ends the waits of this member, now and from now on, with unspecified contents of messages. A
    /// peer may still write a smaller number, so `are_done` does it again.
    pub(super) fn release(&self) {
        self.is_released.store(true, Ordering::SeqCst);
        for (peer, [sent, received]) in self.enqueued.iter().enumerate() {
            for (word, number) in [(Word::Taken, sent), (Word::Arrived, received)] {
                let number = number.load(Ordering::SeqCst);
                let at = self.word(self.rank, peer, word);
                // SAFETY: the word is in this member's memory, which lives as long as messages may
                // be under way. A device that has failed does nothing more.
                let _ = unsafe {
                    self.streams.releasing.write_word(at, number.wrapping_add(FAR_AHEAD))
                };
            }
        }
    }
}

/// The pieces of a message of this many bytes: as few as slots allow, because the host enqueues six
/// calls for each.
fn pieces_of(bytes: usize, slot: usize) -> impl Iterator<Item = Range<usize>> {
    (0..bytes).step_by(slot).map(move |start| start..bytes.min(start + slot))
}

/// Equal rows of a piece.
struct Part {
    /// The offset of the first row in the piece, where the rows are one after the other.
    start: usize,
    /// The address of the first row in its message's memory.
    at: DevicePointer,
    /// The bytes of a row, and the number of rows.
    size: [usize; 2],
    /// The bytes from one row to the next there.
    pitch: usize,
}

/// The parts of a piece: the end of a row, whole rows, and the start of a row, as far as it has
/// them.
fn parts_of(message: &Message, piece: &Range<usize>) -> Vec<Part> {
    let Rows { len, pitch } = message.rows.unwrap_or(Rows { len: message.bytes(), pitch: 0 });
    let mut parts = Vec::new();
    let mut next = piece.start;
    while next < piece.end {
        let (row, within) = (next / len, next % len);
        let rest = piece.end - next;
        let size =
            if within > 0 || rest < len { [rest.min(len - within), 1] } else { [len, rest / len] };
        let at = message.data.device_pointer().after((row * pitch + within) as u64);
        let pitch = if size[1] > 1 { pitch } else { size[0] };
        parts.push(Part { start: next - piece.start, at, size, pitch });
        next += size[0] * size[1];
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_device::Buffer;

    #[test]
    fn windows_stay_within_their_memory() {
        for members in 2..=16 {
            let all = bytes_of(members);
            assert!(all <= words_of(members) + MOST_WINDOW_BYTES);
            assert!(slot_bytes(members) >= 2 << 20, "{members}");
            assert!(2 * members * WORD_BYTES <= words_of(members));
        }
    }

    #[test]
    fn pieces_tile_their_message() {
        for len in [1, GRAIN, LEAST_BYTES, LEAST_BYTES + 1, (33 << 20) + 7, 40 << 20] {
            let mut end = 0;
            for piece in pieces_of(len, slot_bytes(2)) {
                assert_eq!(piece.start, end);
                assert!(!piece.is_empty() && piece.len() <= slot_bytes(2));
                end = piece.end;
            }
            assert_eq!(end, len);
        }
    }

    #[test]
    fn parts_tile_their_piece_and_stay_within_rows() {
        let data = Buffer::from_vec(vec![0u8; 1000]).whole();
        let start = data.device_pointer().address() as usize;
        for rows in [None, Some(Rows { len: 7, pitch: 7 }), Some(Rows { len: 10, pitch: 33 })] {
            let message = Message { peer: 0, data: data.clone(), rows };
            let all = message.bytes();
            for piece in [0..all, 0..1, 3..25, 10..20, 9..11, all - 12..all] {
                let mut next = piece.start;
                for part in parts_of(&message, &piece) {
                    assert_eq!(part.start, next - piece.start);
                    let [len, count] = part.size;
                    for row in 0..count {
                        let at = part.at.address() as usize - start + row * part.pitch;
                        for byte in at..at + len {
                            let expected = match rows {
                                Some(Rows { len, pitch }) => next / len * pitch + next % len,
                                None => next,
                            };
                            assert_eq!(byte, expected);
                            next += 1;
                        }
                    }
                }
                assert_eq!(next, piece.end);
            }
        }
    }
}
