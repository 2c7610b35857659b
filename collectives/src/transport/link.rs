//! The sending half of the connection to one other process.

use super::channel::Channel;
use super::credit::Credit;
use super::frame::{CHUNK_BYTES, Control, Frame, HEADER_BYTES, Header, Kind};
use super::seal::{SUM_BYTES, Seal, Sum};
use super::transfer::Transfer;
use super::tunnel::Tunnel;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::ops::Range;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpStream;
use tokio::sync::Notify;

/// The connection to one process. The posting thread writes a frame if the socket accepts it at
/// once; otherwise the link's task writes it.
#[derive(Debug)]
pub(crate) struct Link {
    /// The rank at the other end.
    pub(super) peer: usize,
    pub(super) stream: TcpStream,
    /// The encryption between the stream and the other end.
    tunnel: Option<Arc<Tunnel>>,
    pub(super) credit: Credit,
    outgoing: Mutex<Outgoing>,
    /// Checks the marks of incoming frames, until the reader takes it.
    incoming: Mutex<Option<Seal>>,
    /// Signals that there may be something to write.
    wake: Notify,
    /// Whether the other end has said goodbye or has ended.
    left: AtomicBool,
    bytes_written: AtomicU64,
    /// The number of times that bytes have arrived from the other end.
    arrivals: AtomicU64,
}

#[derive(Debug)]
struct Outgoing {
    /// Marks each frame directly before it is sent.
    seal: Seal,
    /// The checksum of the preceding array bytes, which is sent with the next frame.
    sum: Option<[u8; SUM_BYTES]>,
    /// Whole frames, which are sent before array bytes.
    frames: VecDeque<Frame>,
    /// Long messages, which take turns.
    bulk: VecDeque<Bulk>,
    /// The frame being written; the other end may have received a part of it.
    current: Option<Current>,
    /// Whether to send a goodbye when everything else is written.
    leaving: bool,
    /// Whether nothing can be written any more.
    closed: bool,
    /// Whether a long message was still unwritten when the link closed.
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
    Chunk { ahead: Vec<u8>, ahead_written: usize, bulk: Bulk, range: Range<usize>, sum: Sum },
}

/// Why `pump` stopped.
enum Stopped {
    Idle,
    Blocked,
    Broken,
}

impl Link {
    /// The connection to the rank `peer` with its encryption. `outgoing` marks the frames of this
    /// end, `incoming` checks those of the other end.
    pub(crate) fn new(
        peer: usize,
        (stream, tunnel): (TcpStream, Option<Arc<Tunnel>>),
        [outgoing, incoming]: [Seal; 2],
    ) -> Arc<Link> {
        Arc::new(Link {
            peer,
            stream,
            tunnel,
            credit: Credit::default(),
            outgoing: Mutex::new(Outgoing::new(outgoing)),
            incoming: Mutex::new(Some(incoming)),
            wake: Notify::new(),
            left: AtomicBool::new(false),
            bytes_written: AtomicU64::new(0),
            arrivals: AtomicU64::new(0),
        })
    }

    /// The descriptor of the socket that leads to the other process.
    pub(super) fn socket(&self) -> RawFd {
        self.tunnel.as_ref().map_or_else(|| self.stream.as_raw_fd(), |tunnel| tunnel.outer())
    }

    /// The descriptors of all sockets of the link.
    pub(crate) fn sockets(&self) -> impl Iterator<Item = RawFd> {
        let behind = self.tunnel.iter().flat_map(|tunnel| tunnel.sockets());
        [self.stream.as_raw_fd()].into_iter().chain(behind)
    }

    /// The seal that checks incoming frames. It can be taken once.
    pub(super) fn incoming(&self) -> Option<Seal> {
        self.incoming.lock().unwrap_or_else(PoisonError::into_inner).take()
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

    /// Records that bytes have arrived from the other end.
    pub(super) fn note_arrival(&self) {
        self.arrivals.fetch_add(1, Ordering::Relaxed);
    }

    /// A count that grows whenever bytes arrive from the other end.
    pub(super) fn arrivals(&self) -> u64 {
        self.arrivals.load(Ordering::Relaxed)
    }

    /// Whether the system has everything posted so far, or the link is closed.
    pub(super) fn is_flushed(&self) -> bool {
        let outgoing = self.outgoing();
        let empty =
            outgoing.frames.is_empty() && outgoing.bulk.is_empty() && outgoing.current.is_none();
        let is_written = empty && !outgoing.leaving;
        let is_sent = || self.tunnel.as_ref().is_none_or(|tunnel| tunnel.is_flushed());
        outgoing.closed || (is_written && is_sent())
    }

    /// Whether a long message that somebody waits for is not yet written, or never will be.
    pub(super) fn owes_bulk(&self) -> bool {
        self.outgoing().owes_bulk()
    }

    /// Sends a whole frame as soon as possible.
    pub(super) fn post(&self, frame: Frame) {
        let mut outgoing = self.outgoing();
        if outgoing.closed {
            return;
        }
        outgoing.frames.push_back(frame);
        if !matches!(self.pump(&mut outgoing, false), Stopped::Idle) || !outgoing.bulk.is_empty() {
            self.wake.notify_one();
        }
    }

    /// Sends a whole frame unless other frames wait: an end that accepts nothing would receive a
    /// backlog later.
    pub(super) fn post_if_idle(&self, frame: &Frame) {
        if self.outgoing().frames.is_empty() {
            self.post(frame.clone());
        }
    }

    /// Sends a control frame as soon as possible.
    pub(super) fn post_control(&self, control: &Control) {
        self.post(control.frame());
    }

    /// Sends the bytes of a long message whose receiver is ready.
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

    /// Ends the connection in both directions, even if others hold the link.
    pub(crate) fn disconnect(&self) {
        // An error means that the connection has ended already.
        let _ = socket2::SockRef::from(&self.stream).shutdown(Shutdown::Both);
        if let Some(tunnel) = &self.tunnel {
            tunnel.disconnect();
        }
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

    /// Writes until nothing is left or the socket accepts no more.
    fn pump(&self, outgoing: &mut Outgoing, bulk_too: bool) -> Stopped {
        loop {
            let Some(current) = outgoing.current.take().or_else(|| outgoing.next(bulk_too)) else {
                return if outgoing.closed { Stopped::Broken } else { Stopped::Idle };
            };
            let is_bulk = matches!(current, Current::Chunk { .. });
            match self.write_some(current) {
                Ok(Progress::Written) => {}
                Ok(Progress::Chunk(unfinished, sum)) => {
                    outgoing.sum = sum;
                    outgoing.bulk.extend(unfinished);
                }
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

    /// Writes the current frame as far as the socket accepts it.
    fn write_some(&self, mut current: Current) -> io::Result<Progress> {
        loop {
            let outcome = match &mut current {
                Current::Frame { bytes, written } if *written == bytes.len() => {
                    return Ok(Progress::Written);
                }
                Current::Frame { bytes, written } => {
                    self.stream.try_write(&bytes[*written..]).inspect(|count| *written += count)
                }
                Current::Chunk { ahead, ahead_written, range, .. }
                    if *ahead_written == ahead.len() && range.start == range.end =>
                {
                    break;
                }
                Current::Chunk { ahead, ahead_written, bulk, range, sum } => {
                    let (ahead, whole) = (&ahead[*ahead_written..], range.clone());
                    let mut write = |bytes: &[u8]| {
                        let slices = [ahead, bytes].map(IoSlice::new);
                        let count = self.stream.try_write_vectored(&slices)?;
                        let of_ahead = ahead.len().min(count);
                        *ahead_written += of_ahead;
                        // The bytes are still in the processor's cache. Only written bytes count: a
                        // later call handles the rest.
                        sum.add(&bytes[..count - of_ahead]);
                        range.start += count - of_ahead;
                        Ok(count)
                    };
                    match bulk.transfer.claim() {
                        Some(claim) => write(&claim.bytes()[whole]),
                        // Cancelled: zeros keep the frames after the promised bytes readable.
                        None => write(&vec![0; whole.len()]),
                    }
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
        let Current::Chunk { mut bulk, range, sum, .. } = current else {
            unreachable!("bug: a frame ended as a chunk");
        };
        let ended = bulk.offset == bulk.transfer.len();
        bulk.offset = range.end;
        if !ended {
            return Ok(Progress::Chunk(Some(bulk), Some(sum.finish())));
        }
        if let Some(claim) = bulk.transfer.claim() {
            claim.finish();
        }
        Ok(Progress::Chunk(None, None))
    }
}

enum Progress {
    /// The frame is written.
    Written,
    /// A chunk is written. The rest of its message, if any, waits for its turn. The chunk's
    /// checksum, if it had bytes, is sent next.
    Chunk(Option<Bulk>, Option<[u8; SUM_BYTES]>),
    Blocked(Current),
}

impl Outgoing {
    fn new(seal: Seal) -> Outgoing {
        Outgoing {
            seal,
            sum: None,
            frames: VecDeque::new(),
            bulk: VecDeque::new(),
            current: None,
            leaving: false,
            closed: false,
            lost_bulk: false,
        }
    }

    /// The next frame to write. A checksum is sent with the frame after it, which saves a call, or
    /// alone if nothing follows.
    fn next(&mut self, bulk_too: bool) -> Option<Current> {
        let mut ahead = self.sum.take().map_or_else(Vec::new, Vec::from);
        if let Some(frame) = self.frames.pop_front() {
            let sealed = frame.sealed(&mut self.seal);
            let bytes = if ahead.is_empty() { sealed } else { [ahead, sealed].concat() };
            return Some(Current::Frame { bytes, written: 0 });
        }
        let alone =
            |bytes: Vec<u8>| (!bytes.is_empty()).then_some(Current::Frame { bytes, written: 0 });
        if !bulk_too {
            return alone(ahead);
        }
        while let Some(bulk) = self.bulk.pop_front() {
            // A cancelled message lacks the empty frame that ends it, so it is never taken for a
            // whole one.
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
            let mut head = header.encode();
            self.seal.mark(&mut head);
            ahead.reserve_exact(HEADER_BYTES);
            ahead.extend_from_slice(&head);
            let sum = self.seal.sum();
            return Some(Current::Chunk { ahead, ahead_written: 0, bulk, range, sum });
        }
        if self.leaving {
            self.leaving = false;
            let goodbye = Header::plain(Kind::Goodbye, 0).with(&[]);
            ahead.extend_from_slice(&goodbye.sealed(&mut self.seal));
        }
        alone(ahead)
    }

    fn owes_bulk(&self) -> bool {
        let written = match &self.current {
            Some(Current::Chunk { bulk, .. }) => Some(bulk),
            _ => None,
        };
        let mut bulk = self.bulk.iter().chain(written);
        self.lost_bulk || bulk.any(|bulk| !bulk.transfer.is_cancelled())
    }

    /// Drops everything, because the other end has ended.
    fn close(&mut self) {
        let lost_bulk = self.owes_bulk();
        *self = Outgoing { closed: true, lost_bulk, ..Outgoing::new(self.seal.clone()) };
    }
}
