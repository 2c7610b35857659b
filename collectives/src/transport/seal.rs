//! Marks that prove a frame undamaged, in order, and sent by the other end of its connection.
//!
//! Networks correct most damage, but not all: the check of TCP has 16 bits, and a network card, a
//! switch or their memory may change bytes after it is computed. One wrong bit would make a wrong
//! number, or a wrong length for which a rank waits for ever. Therefore every header carries the
//! frame's number in its connection and direction, and a code of the whole header. Control frames
//! (tickets, errors) also have a code of their payload, and array bytes have a checksum.
//!
//! Codes are HMAC-SHA256 with a key that only the two ends have. It is derived from the token and
//! the nonces of the handshake, and differs by direction. Without the token, no process can make,
//! change or repeat a frame. The checksum is CRC-32: it finds every change within 32 successive
//! bits and of any two bits, but does not resist forgery; encryption does.

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// Bytes of a code.
pub(crate) const CODE_BYTES: usize = 16;
/// Bytes of the number and the code at the end of a head.
pub(crate) const MARK_BYTES: usize = 8 + CODE_BYTES;
/// Bytes of the checksum behind array bytes.
pub(crate) const SUM_BYTES: usize = 4;

/// Marks the frames of one direction of a connection, or checks their marks.
#[derive(Clone, Debug)]
pub(crate) struct Seal {
    key: Hmac<Sha256>,
    /// The number of frames marked or checked so far.
    count: u64,
}

/// The checksum of array bytes that arrive in pieces.
#[derive(Clone, Debug)]
pub(crate) struct Sum(crc32fast::Hasher);

impl Seal {
    pub(crate) fn new(key: &[u8]) -> Seal {
        let key = Hmac::new_from_slice(key).expect("bug: HMAC takes keys of any length");
        Seal { key, count: 0 }
    }

    fn code(&self, parts: [&[u8]; 3]) -> Hmac<Sha256> {
        let mut code = self.key.clone();
        parts.into_iter().for_each(|part| code.update(part));
        code
    }

    /// Writes the number and the code into the last bytes of the next frame's header.
    pub(crate) fn mark(&mut self, head: &mut [u8]) {
        let (rest, mark) = head.split_at_mut(head.len() - MARK_BYTES);
        let (number, code) = mark.split_at_mut(8);
        number.copy_from_slice(&self.count.to_le_bytes());
        let whole = self.code([b"head", rest, number]).finalize().into_bytes();
        code.copy_from_slice(&whole[..CODE_BYTES]);
        self.count += 1;
    }

    /// Checks that a header is the next one that the other end has marked.
    pub(crate) fn check(&mut self, head: &[u8]) -> Result<(), String> {
        let (rest, mark) = head.split_at(head.len() - MARK_BYTES);
        let (number, code) = mark.split_at(8);
        if self.code([b"head", rest, number]).verify_truncated_left(code).is_err() {
            return Err(format!("the head of frame {} arrived damaged", self.count));
        }
        let number = u64::from_le_bytes(number.try_into().expect("bug: a number of 8 bytes"));
        if number != self.count {
            return Err(format!("frame {number} arrived instead of frame {}", self.count));
        }
        self.count += 1;
        Ok(())
    }

    /// The number of the frame whose head was marked or checked last.
    fn number(&self) -> u64 {
        self.count.wrapping_sub(1)
    }

    /// The code of the payload of the header that was marked last.
    pub(crate) fn code_of(&self, payload: &[u8]) -> [u8; CODE_BYTES] {
        let number = self.number().to_le_bytes();
        let whole = self.code([b"rest", &number, payload]).finalize().into_bytes();
        *whole.first_chunk().expect("bug: a short code")
    }

    /// Checks the payload of the header that was checked last.
    pub(crate) fn check_code(&self, payload: &[u8], code: &[u8]) -> Result<(), String> {
        let number = self.number().to_le_bytes();
        let is_right = self.code([b"rest", &number, payload]).verify_truncated_left(code).is_ok();
        if is_right { Ok(()) } else { Err(self.damaged()) }
    }

    /// An empty checksum for the frame whose header was marked or checked last.
    pub(crate) fn sum(&self) -> Sum {
        // The number is the initial value, so bytes of another frame have another checksum.
        Sum(crc32fast::Hasher::new_with_initial(self.number() as u32))
    }

    /// Checks that bytes of this checksum are undamaged.
    pub(crate) fn check_sum(&self, sum: Sum, sent: &[u8]) -> Result<(), String> {
        if sum.finish() == sent { Ok(()) } else { Err(self.damaged()) }
    }

    fn damaged(&self) -> String {
        format!("the bytes of frame {} arrived damaged", self.number())
    }
}

impl Sum {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> [u8; SUM_BYTES] {
        self.0.finalize().to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: usize = 40 + MARK_BYTES;

    fn head(fill: u8) -> [u8; HEAD] {
        [fill; HEAD]
    }

    #[test]
    fn frames_are_known_by_their_turn_and_their_direction() {
        let (mut sent, mut received) = (Seal::new(b"key"), Seal::new(b"key"));
        let (mut first, mut second) = (head(7), head(7));
        sent.mark(&mut first);
        sent.mark(&mut second);
        assert_ne!(first, second);
        let lost = received.clone().check(&second).unwrap_err();
        assert_eq!(lost, "frame 1 arrived instead of frame 0");
        assert!(Seal::new(b"another").check(&first).is_err());
        received.check(&first).unwrap();
        let again = received.check(&first).unwrap_err();
        assert_eq!(again, "frame 0 arrived instead of frame 1");
        received.check(&second).unwrap();
        let code = sent.code_of(b"payload");
        received.check_code(b"payload", &code).unwrap();
        assert!(received.check_code(b"payloae", &code).is_err());
    }

    #[test]
    fn no_bit_may_differ() {
        let mut sent = Seal::new(b"key");
        let mut first = head(3);
        sent.mark(&mut first);
        let bytes: Vec<u8> = (0..200).collect();
        let (code, sum) = (sent.code_of(&bytes), {
            let mut sum = sent.sum();
            sum.add(&bytes);
            sum.finish()
        });
        for bit in 0..8 * HEAD {
            let mut damaged = first;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Seal::new(b"key").check(&damaged).is_err(), "bit {bit}");
        }
        let mut received = Seal::new(b"key");
        received.check(&first).unwrap();
        let whole = [bytes.as_slice(), &code, &sum].concat();
        for bit in 0..=8 * whole.len() {
            let mut damaged = whole.clone();
            if let Some(byte) = damaged.get_mut(bit / 8) {
                *byte ^= 1 << (bit % 8);
            }
            let (payload, marks) = damaged.split_at(bytes.len());
            let mut found = received.sum();
            // In pieces, as a network delivers them.
            payload.chunks(7).for_each(|piece| found.add(piece));
            let by_code = received.check_code(payload, &marks[..CODE_BYTES]).is_err();
            let by_sum = received.check_sum(found, &marks[CODE_BYTES..]).is_err();
            let (in_payload, in_code) = (bit < 8 * 200, bit < 8 * (200 + CODE_BYTES));
            let is_whole = bit == 8 * whole.len();
            assert_eq!(by_code, in_code && !is_whole, "bit {bit}");
            assert_eq!(by_sum, (in_payload || !in_code) && !is_whole, "bit {bit}");
        }
    }
}
