//! The first bytes of a connection, and why a connection cannot be used.

use crate::open_files::explained;
use std::io;

/// The first bytes in both directions: the protocol and its version.
pub(super) const GREETING: &[u8; 8] = b"PHALANX2";
/// The answer of an encrypting end to an unencrypted greeting.
pub(super) const ENCRYPTED: &[u8; 8] = b"PHALANX*";
/// The first byte of an encrypting caller: a TLS handshake.
pub(super) const HANDSHAKE: u8 = 0x16;

/// Why a connection cannot be used.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The tokens differ.
    Token,
    /// One of the two ends encrypts and the other does not.
    Encryption,
    /// The other end is not a rank of this version, or has ended.
    Foreign(String),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Foreign(explained(&error))
    }
}
