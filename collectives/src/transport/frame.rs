//! The frames of a connection between two processes: fixed headers, raw array bytes and serialised
//! control frames.

use super::channel::{Channel, Lane};
use super::doing::Doing;
use super::seal::{CODE_BYTES, MARK_BYTES, SUM_BYTES, Seal};
use crate::{CollectiveError, records::Listing, tickets::Ticket};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Messages up to this length are sent without asking, while there is credit.
pub(crate) const EAGER_BYTES: usize = 64 << 10;
/// The most array bytes in one frame; the limit lets urgent frames pass soon.
pub(super) const CHUNK_BYTES: usize = 256 << 10;
/// The longest serialized control frame.
pub(crate) const CONTROL_BYTES: usize = 128 << 10;
/// Bytes of an encoded header, with its number and its code.
pub(super) const HEADER_BYTES: usize = 40 + MARK_BYTES;
/// The longest frame that is buffered, rather than read directly into its destination.
pub(super) const FRAME_BYTES: usize = HEADER_BYTES + CONTROL_BYTES + CODE_BYTES;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Kind {
    /// A whole short message.
    Eager,
    /// A longer message, or one without credit, is ready; `value` is its length.
    Announce,
    /// The receiver of message `sequence` is ready.
    Clear,
    /// Bytes of message `sequence` from offset `value`. The last frame is empty, at the end.
    Bulk,
    /// A serialized `Control`.
    Control,
    /// The last frame of a rank that leaves normally.
    Goodbye,
    /// `value` bytes of short messages have been claimed.
    Credit,
}

impl Kind {
    /// The number of bytes after a payload that prove it undamaged.
    pub(super) const fn trailer(self, payload: usize) -> usize {
        match self {
            Kind::Control => CODE_BYTES,
            Kind::Eager | Kind::Bulk if payload > 0 => SUM_BYTES,
            Kind::Eager | Kind::Bulk => 0,
            Kind::Announce | Kind::Clear | Kind::Goodbye | Kind::Credit => 0,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) channel: Channel,
    pub(super) sequence: u64,
    pub(super) value: u64,
    /// Bytes that follow the header.
    pub(super) payload: u32,
}

/// Frames that concern the world as a whole.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Control {
    /// A ticket for the coordinator, or the coordinator's exit for all.
    Ticket(Ticket),
    /// The world has ended.
    Abort(CollectiveError),
    /// All ranks have posted this many tickets; from the coordinator to all.
    Settled(u64),
    /// The coordinator asks for the records of the ticket of this number.
    AskRecords(u64),
    /// The records of the ticket of this number.
    Records(u64, Listing),
    /// A sign of life with the activity of the sender.
    Beat(Doing),
    /// The sender leaves; for each communicator group, the number of MPI's collectives that it has
    /// started.
    Begun(Vec<(u64, u64)>),
}

impl Header {
    /// A header without channel.
    pub(super) fn plain(kind: Kind, payload: u32) -> Header {
        let channel = Channel { group: 0, lane: Lane::Messages, from: 0, to: 0 };
        Header { kind, channel, sequence: 0, value: 0, payload }
    }

    /// Encodes the header, with room for the number and the code.
    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[0] = self.kind as u8;
        bytes[1] = self.channel.lane as u8;
        bytes[4..8].copy_from_slice(&self.payload.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.channel.from.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.channel.to.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.channel.group.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.value.to_le_bytes());
        bytes
    }

    /// Decodes bytes whose code was found right. The error says what is wrong with them.
    pub(super) fn decode(bytes: &[u8; HEADER_BYTES]) -> Result<Header, String> {
        let kind = match bytes[0] {
            0 => Kind::Eager,
            1 => Kind::Announce,
            2 => Kind::Clear,
            3 => Kind::Bulk,
            4 => Kind::Control,
            5 => Kind::Goodbye,
            6 => Kind::Credit,
            other => return Err(format!("unknown kind {other}")),
        };
        let lane = match bytes[1] {
            0 => Lane::Messages,
            1 => Lane::Collectives,
            other => return Err(format!("unknown lane {other}")),
        };
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let channel = Channel { group: long(16), lane, from: word(8), to: word(12) };
        let payload = word(4);
        let limit = match kind {
            Kind::Eager => EAGER_BYTES,
            Kind::Bulk => CHUNK_BYTES,
            Kind::Control => CONTROL_BYTES,
            Kind::Announce | Kind::Clear | Kind::Goodbye | Kind::Credit => 0,
        };
        if payload as usize > limit {
            return Err(format!("{payload} bytes in a frame of kind {kind:?}"));
        }
        Ok(Header { kind, channel, sequence: long(24), value: long(32), payload })
    }

    /// A frame of this header and `payload`, to be sealed directly before it is sent.
    pub(super) fn with(mut self, payload: &[u8]) -> Frame {
        self.payload =
            u32::try_from(payload.len()).expect("bug: payload of a frame beyond its limit");
        let trailer = self.kind.trailer(payload.len());
        let mut bytes = Vec::with_capacity(HEADER_BYTES + payload.len() + trailer);
        bytes.extend_from_slice(&self.encode());
        bytes.extend_from_slice(payload);
        Frame { kind: self.kind, bytes }
    }
}

/// A whole frame that waits to be sent.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    kind: Kind,
    bytes: Vec<u8>,
}

impl Frame {
    /// The bytes to send, with the marks of the next number.
    pub(super) fn sealed(self, seal: &mut Seal) -> Vec<u8> {
        let Frame { kind, mut bytes } = self;
        let (head, payload) = bytes.split_at_mut(HEADER_BYTES);
        seal.mark(head);
        match kind.trailer(payload.len()) {
            0 => {}
            CODE_BYTES => {
                let code = seal.code_of(payload);
                bytes.extend_from_slice(&code);
            }
            _ => {
                let mut sum = seal.sum();
                sum.add(payload);
                bytes.extend_from_slice(&sum.finish());
            }
        }
        bytes
    }
}

impl Control {
    /// The whole frame.
    pub(super) fn frame(&self) -> Frame {
        let payload = serialize::<CONTROL_BYTES>(self).unwrap_or_else(|_| {
            // Only texts can be this long. A world that ends must end even if the reason does not
            // fit.
            let message = String::from("its error was too long to send");
            let short = CollectiveError::Network { reason: message };
            serialize::<CONTROL_BYTES>(&Control::Abort(short))
                .expect("bug: a short control frame beyond the limit")
        });
        Header::plain(Kind::Control, 0).with(&payload)
    }
}

/// The next frame of a connection, which reports that the world has ended.
pub(crate) fn abort(error: &CollectiveError, seal: &mut Seal) -> Vec<u8> {
    Control::Abort(error.clone()).frame().sealed(seal)
}

/// Serializes a control value within the size limit.
pub(crate) fn serialize<const LIMIT: usize>(value: &impl Serialize) -> Result<Vec<u8>, String> {
    let bytes = bincode::serde::encode_to_vec(value, configuration::<LIMIT>())
        .map_err(|error| error.to_string())?;
    if bytes.len() > LIMIT {
        return Err(format!("{} bytes in a control frame of at most {LIMIT}", bytes.len()));
    }
    Ok(bytes)
}

/// Deserialises a control value. Refuses a value that is too long or has bytes left over.
pub(crate) fn deserialize<const LIMIT: usize, T: DeserializeOwned>(
    bytes: &[u8],
) -> Result<T, String> {
    match bincode::serde::decode_from_slice(bytes, configuration::<LIMIT>()) {
        Ok((value, read)) if read == bytes.len() => Ok(value),
        Ok((_, read)) => Err(format!("{} bytes behind a control frame", bytes.len() - read)),
        Err(error) => Err(error.to_string()),
    }
}

fn configuration<const LIMIT: usize>() -> impl bincode::config::Config {
    bincode::config::standard().with_limit::<LIMIT>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_survive_encoding_and_broken_ones_are_refused() {
        let channel =
            Channel { group: u64::MAX - 1, lane: Lane::Collectives, from: 7, to: u32::MAX };
        let header = Header {
            kind: Kind::Bulk,
            channel,
            sequence: 1 << 40,
            value: (1 << 31) + 1,
            payload: 9,
        };
        let bytes = header.encode();
        assert_eq!(Header::decode(&bytes), Ok(header));
        for (at, value) in [(0, 7), (1, 2), (7, 1)] {
            let mut broken = bytes;
            broken[at] = value;
            assert!(Header::decode(&broken).is_err());
        }
    }

    #[test]
    fn control_frames_have_a_size_limit() {
        let abort = |len| Control::Abort(CollectiveError::Network { reason: "x".repeat(len) });
        let bytes = serialize::<CONTROL_BYTES>(&abort(10)).unwrap();
        assert!(matches!(deserialize::<CONTROL_BYTES, Control>(&bytes), Ok(Control::Abort(_))));
        assert!(deserialize::<CONTROL_BYTES, Control>(&bytes[..bytes.len() - 1]).is_err());
        assert!(deserialize::<CONTROL_BYTES, Control>(&[bytes, vec![0]].concat()).is_err());
        assert!(serialize::<CONTROL_BYTES>(&abort(CONTROL_BYTES)).is_err());
        assert!(abort(CONTROL_BYTES).frame().bytes.len() < 200);
    }
}
