//! The receiving half of the connection to one other process.

use super::fabric::{DEPARTURE_GRACE, Fabric};
use super::frame::{CONTROL_BYTES, Control, FRAME_BYTES, HEADER_BYTES, Header, Kind, deserialize};
use super::guard::guarded;
use super::link::Link;
use super::seal::{SUM_BYTES, Seal, Sum};
use super::transfer::Transfer;
use crate::CollectiveError;
use std::io::{self, IoSliceMut};
use std::sync::Arc;
use std::time::Duration;

/// How long to wait, after a connection has ended, for the reason why the world ends.
const GRACE: Duration = Duration::from_millis(50);
/// The bytes read along with array bytes: their checksum and the next header.
const BEHIND_BYTES: usize = SUM_BYTES + HEADER_BYTES;
/// The buffer for reading ahead: twice the longest buffered frame.
const HELD_BYTES: usize = 2 * FRAME_BYTES;

/// Reads frames until the other end leaves or the connection breaks, and passes them to the fabric.
pub(crate) async fn read(fabric: Arc<Fabric>, link: Arc<Link>) {
    let rank = link.peer;
    let seal = link.incoming().expect("bug: a connection with two readers");
    let held = vec![0; HELD_BYTES];
    let mut reader = Reader { link: &link, seal, held, start: 0, end: 0, expects_bulk: false };
    let error = match reader.frames(&fabric).await {
        Ok(()) => return,
        // After the goodbye, a failed read means that the other end has closed the connection. That
        // is an error only if something is still to be written to it. A connection that this rank
        // has given up was reported already.
        Err(_) if link.has_left() => {
            tokio::time::sleep(DEPARTURE_GRACE).await;
            return fabric.check_departure(&link);
        }
        Err(Broken::Closed(error)) => {
            tokio::time::sleep(GRACE).await;
            fabric.doings.died(rank, error.to_string())
        }
        Err(Broken::Malformed(reason)) => CollectiveError::Protocol { rank, reason },
        Err(Broken::Refused(error)) => error,
    };
    link.mark_left();
    // A rank that has said goodbye itself no longer needs the others.
    if !fabric.is_leaving() {
        fabric.fail(error);
    }
}

enum Broken {
    Closed(io::Error),
    Malformed(String),
    Refused(CollectiveError),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Broken {
        Broken::Closed(error)
    }
}

struct Reader<'a> {
    link: &'a Arc<Link>,
    /// The seal checks the number and the code of each frame.
    seal: Seal,
    /// `held[start..end]` has been read and not used yet.
    held: Vec<u8>,
    start: usize,
    end: usize,
    /// Array bytes probably arrive next. Then nothing is read ahead, because that costs another
    /// copy.
    expects_bulk: bool,
}

impl Reader<'_> {
    async fn frames(&mut self, fabric: &Arc<Fabric>) -> Result<(), Broken> {
        loop {
            self.hold(HEADER_BYTES, HEADER_BYTES).await?;
            let header = self.held[self.start..].first_chunk().expect("bug: a held header");
            // The mark is checked before the length in the header is used.
            self.seal.check(header).map_err(Broken::Malformed)?;
            let header = Header::decode(header).map_err(Broken::Malformed)?;
            self.start += HEADER_BYTES;
            let payload = header.payload as usize;
            // After an announcement, array bytes often follow at once. The last frame of a message
            // is empty, so none follow it.
            self.expects_bulk =
                header.kind == Kind::Announce || (header.kind == Kind::Bulk && payload > 0);
            match header.kind {
                Kind::Bulk => self.bulk(fabric, &header).await?,
                Kind::Eager | Kind::Control => {
                    let whole = payload + header.kind.trailer(payload);
                    self.hold(whole, whole).await?;
                    let rest = &self.held[self.start..self.start + whole];
                    let (bytes, trailer) = rest.split_at(payload);
                    if header.kind == Kind::Eager {
                        if payload > 0 {
                            let mut sum: Sum = self.seal.sum();
                            sum.add(bytes);
                            self.seal.check_sum(sum, trailer).map_err(Broken::Malformed)?;
                        }
                        fabric
                            .arrived(self.link, header.channel, bytes)
                            .map_err(Broken::Refused)?;
                    } else {
                        self.seal.check_code(bytes, trailer).map_err(Broken::Malformed)?;
                        let control = deserialize::<CONTROL_BYTES, Control>(bytes)
                            .map_err(Broken::Malformed)?;
                        fabric.control(self.link.peer, control);
                    }
                    self.start += whole;
                }
                Kind::Announce => fabric
                    .announced(self.link, header.channel, header.value)
                    .map_err(Broken::Refused)?,
                Kind::Clear => fabric.cleared(self.link, header.channel, header.sequence),
                Kind::Credit if self.link.credit.given_back(header.value) => {}
                Kind::Credit => {
                    let reason = format!("credit that was not taken: {header:?}");
                    return Err(Broken::Malformed(reason));
                }
                Kind::Goodbye => {
                    self.link.mark_left();
                    let (own, link) = (fabric.clone(), self.link.clone());
                    tokio::spawn(guarded(fabric.clone(), async move {
                        tokio::time::sleep(DEPARTURE_GRACE).await;
                        own.check_departure(&link);
                    }));
                }
            }
        }
    }

    /// Reads until at least `count` bytes are held. If array bytes may follow, reads at most
    /// `most`.
    async fn hold(&mut self, count: usize, most: usize) -> Result<(), Broken> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        while self.end - self.start < count {
            if self.start + most > self.held.len() {
                self.held.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            }
            let end = if self.expects_bulk { self.start + most } else { self.held.len() };
            self.link.stream.readable().await?;
            match self.link.stream.try_read(&mut self.held[self.end..end]) {
                Ok(0) => return Err(Broken::Closed(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => {
                    self.link.note_arrival();
                    self.end += count;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads array bytes straight into the receive's memory, with their checksum and the next
    /// header.
    async fn bulk(&mut self, fabric: &Fabric, header: &Header) -> Result<(), Broken> {
        let malformed = |what: &str| Broken::Malformed(format!("{what}: {header:?}"));
        let transfer: Option<Arc<Transfer>> = fabric.filling(header.channel, header.sequence);
        // Bytes of a message whose length differs from the expected one are dropped until the world
        // ends.
        if transfer.is_none() && !fabric.has_misfit() {
            return Err(malformed("bytes of an unknown message"));
        }
        let claim = || transfer.as_ref().and_then(|transfer| transfer.claim());
        let len = transfer.as_ref().map_or(usize::MAX, |transfer| transfer.len());
        let mut at = usize::try_from(header.value).map_err(|_| malformed("offset"))?;
        let end = at
            .checked_add(header.payload as usize)
            .filter(|end| *end <= len)
            .ok_or_else(|| malformed("bytes behind the end of a message"))?;
        let mut sum = self.seal.sum();
        while at < end {
            let held = (self.end - self.start).min(end - at);
            if held > 0 {
                let source = &self.held[self.start..self.start + held];
                sum.add(source);
                if let Some(mut claim) = claim() {
                    claim.bytes_mut(at..at + held).copy_from_slice(source);
                }
                self.start += held;
                at += held;
                continue;
            }
            self.link.stream.readable().await?;
            // The claim is held only while bytes are copied, never while waiting for the network.
            let outcome = match claim() {
                Some(mut claim) => {
                    let behind = IoSliceMut::new(&mut self.held[..BEHIND_BYTES]);
                    let place = IoSliceMut::new(claim.bytes_mut(at..end));
                    let read = self.link.stream.try_read_vectored(&mut [place, behind]);
                    read.inspect(|count| {
                        // The bytes are still in the processor's cache.
                        sum.add(claim.bytes_mut(at..end.min(at + count)));
                    })
                }
                // A cancelled receive: the bytes are read and dropped.
                None => {
                    let room = (end - at).min(self.held.len());
                    let read = self.link.stream.try_read(&mut self.held[..room]);
                    read.inspect(|count| sum.add(&self.held[..*count]))
                }
            };
            match outcome {
                Ok(0) => return Err(Broken::Closed(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => {
                    self.link.note_arrival();
                    let here = count.min(end - at);
                    at += here;
                    (self.start, self.end) = (0, count - here);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
        if header.payload > 0 {
            self.hold(SUM_BYTES, BEHIND_BYTES).await?;
            let sent = &self.held[self.start..self.start + SUM_BYTES];
            self.seal.check_sum(sum, sent).map_err(Broken::Malformed)?;
            self.start += SUM_BYTES;
        }
        if header.payload == 0 && end == len {
            fabric.filled(header.channel, header.sequence);
            if let Some(claim) = claim() {
                claim.finish();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::channel::{Channel, Lane};
    use super::*;
    use crate::planes::mpi::Route;
    use phalanx_device::{Buffer, Slice};
    use tokio::io::AsyncWriteExt;
    use tokio::net::{TcpListener, TcpStream};

    const LONG: usize = 70_000;
    const SHORT: usize = 500;
    /// The key of rank 1's frames.
    const THEIRS: &[u8] = b"theirs";
    const CHANNEL: Channel = Channel { group: 0, lane: Lane::Messages, from: 1, to: 0 };

    /// Rank 0 of two, with posted receives, and rank 1's end of the connection.
    struct Posted {
        fabric: Arc<Fabric>,
        far: TcpStream,
        places: [Slice; 3],
        transfers: Vec<Arc<Transfer>>,
    }

    /// Rank 0 of two, and both ends of the connection.
    async fn pair() -> (Arc<Fabric>, Arc<Link>, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let far = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let near = listener.accept().await.unwrap().0;
        let link = Link::new(1, (near, None), [b"ours".as_slice(), THEIRS].map(Seal::new));
        (Fabric::new(0, vec![None, Some(link.clone())]), link, far)
    }

    async fn post() -> Posted {
        let (fabric, link, far) = pair().await;
        let places = [LONG, SHORT, LONG + 1].map(|len| Buffer::from_vec(vec![0u8; len]).whole());
        let route = Route { group: 0, from: 0, to: 0 };
        let receive = |place: &Slice| fabric.post_receive(CHANNEL, route, 1, place).unwrap();
        let transfers = places.iter().map(receive).collect();
        tokio::spawn(read(fabric.clone(), link));
        Posted { fabric, far, places, transfers }
    }

    fn byte(message: usize, at: usize) -> u8 {
        (message * 71 + at + at / 251) as u8
    }

    /// The frames of three messages, of which the long ones alternate, and the end of each frame.
    fn frames() -> (Vec<u8>, Vec<usize>) {
        let header = |kind, sequence: usize, value: usize| Header {
            kind,
            channel: CHANNEL,
            sequence: sequence as u64,
            value: value as u64,
            payload: 0,
        };
        let bytes = |message: usize, range: std::ops::Range<usize>| -> Vec<u8> {
            range.map(|at| byte(message, at)).collect()
        };
        let bulk = |message: usize, range: std::ops::Range<usize>| {
            header(Kind::Bulk, message, range.start).with(&bytes(message, range))
        };
        let frames = [
            header(Kind::Announce, 0, LONG).with(&[]),
            header(Kind::Eager, 1, 0).with(&bytes(1, 0..SHORT)),
            header(Kind::Announce, 2, LONG + 1).with(&[]),
            bulk(0, 0..30_000),
            bulk(2, 0..30_000),
            bulk(0, 30_000..LONG),
            bulk(0, LONG..LONG),
            Header::plain(Kind::Credit, 0).with(&[]),
            Control::Settled(3).frame(),
            bulk(2, 30_000..LONG),
            bulk(2, LONG..LONG + 1),
            bulk(2, LONG + 1..LONG + 1),
            Control::Settled(4).frame(),
        ];
        let mut seal = Seal::new(THEIRS);
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for frame in frames {
            bytes.extend(frame.sealed(&mut seal));
            ends.push(bytes.len());
        }
        (bytes, ends)
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    #[test]
    fn messages_arrive_whole_from_frames_cut_anywhere() {
        let (frames, _) = frames();
        for piece in [7, 63, 64, 65, 1000, 29_999, frames.len()] {
            runtime().block_on(async {
                let Posted { fabric, mut far, places, transfers } = post().await;
                for bytes in frames.chunks(piece) {
                    far.write_all(bytes).await.unwrap();
                    // The reader finds exactly this piece.
                    tokio::task::yield_now().await;
                }
                while !transfers.iter().all(|transfer| transfer.is_done()) {
                    assert_eq!(fabric.failure.get(), None, "pieces of {piece}");
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                for (message, place) in places.iter().enumerate() {
                    let mut bytes = vec![0; place.len];
                    place.buffer.read(place.offset, &mut bytes);
                    let mut expected = (0..place.len).map(|at| byte(message, at));
                    assert!(bytes.iter().all(|byte| Some(*byte) == expected.next()), "{piece}");
                }
            });
        }
    }

    /// A rank asks for a long message and leaves before all of it has arrived. Then its process
    /// ends, or continues and reads no more.
    #[test]
    fn a_rank_that_leaves_before_its_message_has_arrived_is_an_error_for_the_sender() {
        for has_ended in [true, false] {
            runtime().block_on(async {
                let (fabric, link, mut far) = pair().await;
                tokio::spawn(read(fabric.clone(), link.clone()));
                tokio::spawn(link.clone().write());
                // More than the buffers of the sockets hold.
                let data = Buffer::from_vec(vec![7u8; 64 << 20]).whole();
                let route = Route { group: 0, from: 0, to: 0 };
                let channel = Channel { group: 0, lane: Lane::Messages, from: 0, to: 1 };
                let transfer = fabric.post_send(channel, route, 1, &data).unwrap();
                let mut seal = Seal::new(THEIRS);
                let plain = Header::plain(Kind::Clear, 0);
                let clear = Header { channel, ..plain }.with(&[]);
                far.write_all(&clear.sealed(&mut seal)).await.unwrap();
                while !link.owes_bulk() {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                let goodbye = Header::plain(Kind::Goodbye, 0).with(&[]);
                far.write_all(&goodbye.sealed(&mut seal)).await.unwrap();
                let _kept = (!has_ended).then_some(far);
                let waited = tokio::task::spawn_blocking({
                    let fabric = fabric.clone();
                    move || fabric.wait(&transfer)
                });
                let waited = tokio::time::timeout(Duration::from_secs(20), waited).await;
                let error = waited.expect("no hang").unwrap();
                assert_eq!(error, Err(CollectiveError::RankLeft { rank: 1 }), "{has_ended}");
            });
        }
    }

    #[test]
    fn a_connection_that_ends_within_a_frame_is_a_dead_rank() {
        let (frames, ends) = frames();
        // The connection ends in a header, in a short message, and in a long message.
        for end in [20, ends[0] + HEADER_BYTES + 100, ends[2] + HEADER_BYTES + 1000] {
            runtime().block_on(async {
                let Posted { fabric, mut far, transfers, .. } = post().await;
                far.write_all(&frames[..end]).await.unwrap();
                drop(far);
                while !fabric.failure.is_set() {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                let failure = fabric.failure.get();
                assert!(matches!(failure, Some(CollectiveError::RankDied { rank: 1, .. })));
                assert!(!transfers[0].is_done() && !transfers[2].is_done());
            });
        }
    }

    /// The result of a reader for these bytes: the error that ends the world, or `None` when all
    /// messages have arrived.
    async fn outcome(bytes: &[u8]) -> Option<CollectiveError> {
        let Posted { fabric, mut far, transfers, .. } = post().await;
        // The reader may end before it has read everything.
        let _ = far.write_all(bytes).await;
        loop {
            match fabric.failure.get() {
                None if transfers.iter().all(|transfer| transfer.is_done()) => return None,
                None => tokio::time::sleep(Duration::from_micros(100)).await,
                error => return error,
            }
        }
    }

    /// The reader ends the world. Its own frames to the other rank are not damaged.
    #[test]
    fn a_bit_that_is_not_as_it_was_sent_is_an_error_and_never_a_message_or_a_wait() {
        let (frames, ends) = frames();
        // All bytes of the headers and trailers, and samples between them.
        let starts = [0].into_iter().chain(ends.iter().copied());
        let mut places = Vec::new();
        for (start, end) in starts.zip(&ends) {
            let near = |at: &usize| *at < start + HEADER_BYTES || at + 20 >= *end;
            let sampled = |at: &usize| near(at) || at.is_multiple_of(4099);
            places.extend((start..*end).filter(sampled));
        }
        runtime().block_on(async {
            assert_eq!(outcome(&frames).await, None);
            for at in places {
                // Every bit of every 16th byte, and one bit of the others.
                let bits = if at % 16 == 0 { 0..8 } else { at % 8..at % 8 + 1 };
                for bit in bits {
                    let mut damaged = frames.clone();
                    damaged[at] ^= 1 << bit;
                    // The reader reaches the last check without waiting for more bytes.
                    let found = tokio::time::timeout(Duration::from_secs(20), outcome(&damaged));
                    let found = found.await.unwrap_or_else(|_| panic!("bit {bit} of {at} hangs"));
                    let is_found = matches!(found, Some(CollectiveError::Protocol { rank: 1, .. }));
                    // The last frame arrives after all messages.
                    let is_last = at >= ends[ends.len() - 2];
                    assert!(is_found || is_last, "bit {bit} of {at}: {found:?}");
                }
            }
        });
    }

    #[test]
    fn lost_repeated_and_reordered_frames_are_errors() {
        let (frames, ends) = frames();
        let frame = |at: usize| &frames[if at == 0 { 0 } else { ends[at - 1] }..ends[at]];
        let orders: [&[usize]; 4] = [&[1], &[0, 2], &[0, 0], &[0, 1, 3, 2]];
        runtime().block_on(async {
            for order in orders {
                let bytes: Vec<u8> = order.iter().flat_map(|at| frame(*at)).copied().collect();
                let found = outcome(&bytes).await;
                let text = found.map(|error| error.to_string()).unwrap_or_default();
                assert!(text.contains(" arrived instead of frame "), "{order:?}: {text}");
            }
        });
    }

    /// Frames that a faulty peer of this version may send.
    #[test]
    fn frames_that_claim_too_much_are_errors() {
        let plain = |kind| Header { channel: CHANNEL, ..Header::plain(kind, 0) };
        let bulk = Header { sequence: 9, value: 1 << 63, ..plain(Kind::Bulk) }.with(&[]);
        let announced = Header { value: 1 << 63, ..plain(Kind::Announce) }.with(&[]);
        let credit = Header { value: 1, ..plain(Kind::Credit) }.with(&[]);
        // The activity of a rank, with a text that claims this many bytes.
        let text = [&[5, 0, 253][..], &(1u64 << 63).to_le_bytes()].concat();
        let text = plain(Kind::Control).with(&text);
        let frames = [
            (bulk, "bytes of an unknown message"),
            (credit, "credit that was not taken"),
            (text, "malformed frame"),
            (announced, "sent 9223372036854775808 bytes where member 0 expected 70000"),
        ];
        runtime().block_on(async {
            for (frame, expected) in frames {
                let bytes = frame.sealed(&mut Seal::new(THEIRS));
                let error = outcome(&bytes).await.expect("an error").to_string();
                assert!(error.contains(expected), "{error}");
            }
        });
    }
}
