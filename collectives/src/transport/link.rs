//! The sending half of the connection to one other process.

use super::credit::Credit;
use super::frame::{CHUNK_BYTES, Control, HEADER_BYTES, Header, Kind};
use super::mailbox::Channel;
use super::transfer::Transfer;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::ops::Range;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpStream;
use tokio::sync::Notify;

/// The connection to one process. Frames are written by the poster when the socket takes them at
/// once, and by the link's task otherwise.
#[derive(Debug)]
pub(crate) struct Link {
    /// The rank at the other end.
    pub(super) peer: usize,
    pub(super) stream: TcpStream,
    pub(super) credit: Credit,
    outgoing: Mutex<Outgoing>,
    /// There may be something to write.
    wake: Notify,
    /// The other end has said goodbye or is gone.
    left: AtomicBool,
    bytes_written: AtomicU64,
    /// How often something has come from the other end.
    heard: AtomicU64,
}

#[derive(Debug, Default)]
struct Outgoing {
    /// Whole frames, which go before array bytes.
    frames: VecDeque<Vec<u8>>,
    /// Long messages, which take turns.
    bulk: VecDeque<Bulk>,
    /// The frame being written, of which the other end has seen a part.
    current: Option<Current>,
    /// A goodbye follows when everything else is written.
    leaving: bool,
    /// Nothing can be written any more.
    closed: bool,
    /// A long message was not written when that came to be.
    lost_bulk: bool,
}

#[derive(Debug)]
struct Bulk {
    channel: Channel,
    sequence: u64,
    transfer: Arc<Transfer>,
    offset: usize,
}

#[derive(Debug)]
enum Current {
    Frame { bytes: Vec<u8>, written: usize },
    Chunk { header: [u8; HEADER_BYTES], header_written: usize, bulk: Bulk, range: Range<usize> },
}

/// Why `pump` stopped.
enum Stopped {
    Idle,
    Blocked,
    Broken,
}

impl Link {
    pub(crate) fn new(peer: usize, stream: TcpStream) -> Arc<Link> {
        Arc::new(Link {
            peer,
            stream,
            credit: Credit::default(),
            outgoing: Mutex::default(),
            wake: Notify::new(),
            left: AtomicBool::new(false),
            bytes_written: AtomicU64::new(0),
            heard: AtomicU64::new(0),
        })
    }

    /// The number of its socket.
    pub(crate) fn socket(&self) -> RawFd {
        self.stream.as_raw_fd()
    }

    fn outgoing(&self) -> MutexGuard<'_, Outgoing> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has_left(&self) -> bool {
        self.left.load(Ordering::SeqCst)
    }

    pub(super) fn mark_left(&self) {
        self.left.store(true, Ordering::SeqCst);
    }

    pub(super) fn bytes_written(&self) -> u64 {
        self.bytes_written.load(Ordering::Relaxed)
    }

    /// Something has come from the other end.
    pub(super) fn note_heard(&self) {
        self.heard.fetch_add(1, Ordering::Relaxed);
    }

    /// Grows whenever something comes from the other end.
    pub(super) fn heard(&self) -> u64 {
        self.heard.load(Ordering::Relaxed)
    }

    /// Whether everything posted so far has been given to the system, or never will be.
    pub(super) fn is_flushed(&self) -> bool {
        let outgoing = self.outgoing();
        let empty =
            outgoing.frames.is_empty() && outgoing.bulk.is_empty() && outgoing.current.is_none();
        outgoing.closed || (empty && !outgoing.leaving)
    }

    /// Whether a long message has not been written, or never will be, that somebody waits for.
    pub(super) fn owes_bulk(&self) -> bool {
        self.outgoing().owes_bulk()
    }

    /// Sends a whole frame as soon as possible.
    pub(super) fn post(&self, frame: Vec<u8>) {
        let mut outgoing = self.outgoing();
        if outgoing.closed {
            return;
        }
        outgoing.frames.push_back(frame);
        if !matches!(self.pump(&mut outgoing, false), Stopped::Idle) || !outgoing.bulk.is_empty() {
            self.wake.notify_one();
        }
    }

    /// Sends a whole frame unless others still wait to be sent: an end that takes nothing would
    /// find all of them later.
    pub(super) fn post_if_idle(&self, frame: &[u8]) {
        if self.outgoing().frames.is_empty() {
            self.post(frame.to_vec());
        }
    }

    /// Sends a control frame as soon as possible.
    pub(super) fn post_control(&self, control: &Control) {
        self.post(control.frame());
    }

    /// Sends the bytes of a long message that the other end is ready for.
    pub(super) fn post_bulk(&self, channel: Channel, sequence: u64, transfer: Arc<Transfer>) {
        let mut outgoing = self.outgoing();
        if outgoing.closed {
            outgoing.lost_bulk = true;
        } else {
            outgoing.bulk.push_back(Bulk { channel, sequence, transfer, offset: 0 });
            self.wake.notify_one();
        }
    }

    /// Says goodbye after everything posted so far.
    pub(super) fn leave(&self) {
        self.outgoing().leaving = true;
        self.wake.notify_one();
    }

    /// Ends the connection in both directions, whoever still holds the link.
    pub(crate) fn disconnect(&self) {
        // An error means that it has ended already.
        let _ = socket2::SockRef::from(&self.stream).shutdown(Shutdown::Both);
        self.outgoing().close();
    }

    /// Writes what is posted until the task is dropped or the connection breaks.
    pub(crate) async fn write(self: Arc<Link>) {
        loop {
            let stopped = self.pump(&mut self.outgoing(), true);
            match stopped {
                Stopped::Idle => self.wake.notified().await,
                Stopped::Blocked => {
                    if self.stream.writable().await.is_err() {
                        self.outgoing().close();
                        return;
                    }
                }
                Stopped::Broken => return,
            }
        }
    }

    /// Writes until nothing is left or the socket takes no more.
    fn pump(&self, outgoing: &mut Outgoing, bulk_too: bool) -> Stopped {
        loop {
            let Some(current) = outgoing.current.take().or_else(|| outgoing.next(bulk_too)) else {
                return if outgoing.closed { Stopped::Broken } else { Stopped::Idle };
            };
            let is_bulk = matches!(current, Current::Chunk { .. });
            match self.write_some(current) {
                Ok(Progress::Written(unfinished)) => outgoing.bulk.extend(unfinished),
                Ok(Progress::Blocked(current)) => {
                    outgoing.current = Some(current);
                    return Stopped::Blocked;
                }
                Err(error) => {
                    // The reader sees the same end of the connection and reports it.
                    tracing::debug!(peer = self.peer, %error, "writing stopped");
                    outgoing.lost_bulk |= is_bulk;
                    outgoing.close();
                    return Stopped::Broken;
                }
            }
        }
    }

    /// Writes the current frame as far as the socket takes it.
    fn write_some(&self, mut current: Current) -> io::Result<Progress> {
        loop {
            let outcome = match &mut current {
                Current::Frame { bytes, written } if *written == bytes.len() => {
                    return Ok(Progress::Written(None));
                }
                Current::Frame { bytes, written } => {
                    self.stream.try_write(&bytes[*written..]).inspect(|count| *written += count)
                }
                Current::Chunk { header_written, range, .. }
                    if *header_written == HEADER_BYTES && range.start == range.end =>
                {
                    break;
                }
                Current::Chunk { header, header_written, bulk, range } => {
                    let ahead = &header[*header_written..];
                    let write = |bytes: &[u8]| {
                        self.stream.try_write_vectored(&[ahead, bytes].map(IoSlice::new))
                    };
                    let outcome = match bulk.transfer.claim() {
                        Some(claim) => write(&claim.bytes()[range.clone()]),
                        // Cancelled: the promised bytes only keep the frames behind them readable.
                        None => write(&vec![0; range.len()]),
                    };
                    outcome.inspect(|count| {
                        let of_header = ahead.len().min(*count);
                        *header_written += of_header;
                        range.start += count - of_header;
                    })
                }
            };
            match outcome {
                Ok(count) => {
                    self.bytes_written.fetch_add(count as u64, Ordering::Relaxed);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(Progress::Blocked(current));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let Current::Chunk { mut bulk, range, .. } = current else {
            unreachable!("bug: a frame ended as a chunk");
        };
        let ended = bulk.offset == bulk.transfer.len();
        bulk.offset = range.end;
        if !ended {
            return Ok(Progress::Written(Some(bulk)));
        }
        if let Some(claim) = bulk.transfer.claim() {
            claim.finish();
        }
        Ok(Progress::Written(None))
    }
}

enum Progress {
    /// The frame is written; the rest of its message, if there is one, waits for its turn.
    Written(Option<Bulk>),
    Blocked(Current),
}

impl Outgoing {
    fn next(&mut self, bulk_too: bool) -> Option<Current> {
        if let Some(bytes) = self.frames.pop_front() {
            return Some(Current::Frame { bytes, written: 0 });
        }
        if !bulk_too {
            return None;
        }
        while let Some(bulk) = self.bulk.pop_front() {
            // Without the empty frame that ends it, a cancelled message is never taken for a whole
            // one.
            if bulk.transfer.is_cancelled() {
                continue;
            }
            let range =
                bulk.offset..bulk.transfer.len().min(bulk.offset.saturating_add(CHUNK_BYTES));
            let header = Header {
                kind: Kind::Bulk,
                channel: bulk.channel,
                sequence: bulk.sequence,
                value: bulk.offset as u64,
                payload: u32::try_from(range.len()).expect("bug: chunk beyond its limit"),
            };
            return Some(Current::Chunk {
                header: header.encode(),
                header_written: 0,
                bulk,
                range,
            });
        }
        if self.leaving {
            self.leaving = false;
            let bytes = Header::plain(Kind::Goodbye, 0).encode().to_vec();
            return Some(Current::Frame { bytes, written: 0 });
        }
        None
    }

    fn owes_bulk(&self) -> bool {
        let written = match &self.current {
            Some(Current::Chunk { bulk, .. }) => Some(bulk),
            _ => None,
        };
        let mut bulk = self.bulk.iter().chain(written);
        self.lost_bulk || bulk.any(|bulk| !bulk.transfer.is_cancelled())
    }

    /// Drops everything; the other end is gone.
    fn close(&mut self) {
        let lost_bulk = self.owes_bulk();
        *self = Outgoing { closed: true, lost_bulk, ..Outgoing::default() };
    }
}
