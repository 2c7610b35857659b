//! The receiving half of the connection to one other process.

use super::fabric::{DEPARTURE_GRACE, Fabric};
use super::frame::{CHUNK_BYTES, CONTROL_BYTES, Control, HEADER_BYTES, Header, Kind, deserialize};
use super::link::Link;
use super::transfer::Transfer;
use crate::CollectiveError;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// How long the news of why a world ends may follow the end of a connection.
const GRACE: Duration = Duration::from_millis(50);

/// Reads frames until the other end leaves or the connection breaks, and tells the fabric.
pub(crate) async fn read(fabric: Arc<Fabric>, link: Arc<Link>) {
    let rank = link.peer;
    let mut reader =
        Reader { link: &link, held: vec![0; HEADER_BYTES + CHUNK_BYTES], start: 0, end: 0 };
    let error = match reader.frames(&fabric).await {
        // A read that fails after the goodbye is the reset of a connection that nobody needs, and
        // the end of one that was given up was reported.
        Ok(()) => return,
        Err(_) if link.has_left() => return,
        Err(Broken::Gone(error)) => {
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
    Gone(io::Error),
    Malformed(String),
    Refused(CollectiveError),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Broken {
        Broken::Gone(error)
    }
}

struct Reader<'a> {
    link: &'a Arc<Link>,
    /// `held[start..end]` has been read and not used yet.
    held: Vec<u8>,
    start: usize,
    end: usize,
}

impl Reader<'_> {
    async fn frames(&mut self, fabric: &Arc<Fabric>) -> Result<(), Broken> {
        loop {
            self.hold(HEADER_BYTES).await?;
            let header = self.held[self.start..].first_chunk().expect("bug: a held header");
            let header = Header::decode(header).map_err(Broken::Malformed)?;
            self.start += HEADER_BYTES;
            let payload = header.payload as usize;
            match header.kind {
                Kind::Bulk => self.bulk(fabric, &header).await?,
                Kind::Eager | Kind::Control => {
                    self.hold(payload).await?;
                    let bytes = &self.held[self.start..self.start + payload];
                    if header.kind == Kind::Eager {
                        fabric
                            .arrived(self.link, header.channel, bytes)
                            .map_err(Broken::Refused)?;
                    } else {
                        let control = deserialize::<CONTROL_BYTES, Control>(bytes)
                            .map_err(Broken::Malformed)?;
                        fabric.control(self.link.peer, control);
                    }
                    self.start += payload;
                }
                Kind::Announce => fabric
                    .announced(self.link, header.channel, header.value)
                    .map_err(Broken::Refused)?,
                Kind::Clear => fabric.cleared(self.link, header.channel, header.sequence),
                Kind::Credit if self.link.credit.given_back(header.value) => {}
                Kind::Credit => {
                    let reason = format!("credit that nobody has taken: {header:?}");
                    return Err(Broken::Malformed(reason));
                }
                Kind::Goodbye => {
                    self.link.mark_left();
                    let (fabric, link) = (fabric.clone(), self.link.clone());
                    tokio::spawn(async move {
                        tokio::time::sleep(DEPARTURE_GRACE).await;
                        fabric.check_departure(&link);
                    });
                }
            }
        }
    }

    /// Reads until at least `count` bytes are held.
    async fn hold(&mut self, count: usize) -> Result<(), Broken> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        while self.end - self.start < count {
            if self.start + count > self.held.len() {
                self.held.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            }
            self.link.stream.readable().await?;
            match self.link.stream.try_read(&mut self.held[self.end..]) {
                Ok(0) => return Err(Broken::Gone(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => {
                    self.link.note_heard();
                    self.end += count;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads array bytes straight to their place.
    async fn bulk(&mut self, fabric: &Fabric, header: &Header) -> Result<(), Broken> {
        let malformed = |what: &str| Broken::Malformed(format!("{what}: {header:?}"));
        let transfer: Option<Arc<Transfer>> = fabric.filling(header.channel, header.sequence);
        // Those of a message of another length than expected are dropped until the world ends.
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
        while at < end {
            let held = (self.end - self.start).min(end - at);
            if held > 0 {
                if let Some(mut claim) = claim() {
                    let source = &self.held[self.start..self.start + held];
                    claim.bytes_mut(at..at + held).copy_from_slice(source);
                }
                self.start += held;
                at += held;
                continue;
            }
            self.link.stream.readable().await?;
            // The claim is held only while bytes are copied, never while waiting for the network.
            let outcome = match claim() {
                Some(mut claim) => self.link.stream.try_read(claim.bytes_mut(at..end)),
                // A cancelled receive: the bytes are read and dropped.
                None => {
                    let room = (end - at).min(self.held.len());
                    self.link.stream.try_read(&mut self.held[..room])
                }
            };
            match outcome {
                Ok(0) => return Err(Broken::Gone(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => {
                    self.link.note_heard();
                    at += count;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
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
