//! The proof, at the start of every connection, that both ends know the token.
//!
//! Challenge and response with HMAC-SHA256. The accepting end sends a nonce. The connecting end
//! answers with its own nonce, its rank and a code of all of these. Only then does it receive a
//! code in return. The codes of the two directions start with different words, so no code can be
//! sent back to its maker. The token itself never travels. The token and both nonces give the keys
//! that mark all later frames of the connection.

use super::frames::Connection;
use super::greeting::{ENCRYPTED, GREETING, HANDSHAKE, Refusal};
use super::tls::Opened;
use crate::transport::Seal;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const NONCE_BYTES: usize = 32;
const CODE_BYTES: usize = 32;
const REFUSED: u8 = 0;
const ACCEPTED: u8 = 1;

/// The proof at the accepting end.
pub(super) async fn challenge(
    opened: impl Into<Opened>,
    token: &[u8],
) -> Result<Connection, Refusal> {
    let Opened { mut stream, tunnel, binding } = opened.into();
    let token = &bound(token, &binding);
    let own = nonce()?;
    stream.write_all(&[GREETING.as_slice(), &own].concat()).await?;
    if let Err(refusal) = expect_greeting(&mut stream).await {
        if matches!(refusal, Refusal::Encryption) {
            // A connection that closes with unread bytes may lose the greeting, which shows the
            // caller that this end does not encrypt.
            let mut sink = [0; 512];
            while matches!(stream.read(&mut sink).await, Ok(1..)) {}
        }
        return Err(refusal);
    }
    let mut theirs = [0; NONCE_BYTES];
    stream.read_exact(&mut theirs).await?;
    let mut rank = [0; 8];
    stream.read_exact(&mut rank).await?;
    let mut code = [0; CODE_BYTES];
    stream.read_exact(&mut code).await?;
    let said = [theirs.as_slice(), &rank].concat();
    if !is_code(token, b"connected", &own, &said, &code) {
        stream.write_all(&[REFUSED; 1 + CODE_BYTES]).await?;
        return Err(Refusal::Token);
    }
    let answer = make_code(token, b"accepted", &theirs, &own);
    stream.write_all(&[[ACCEPTED].as_slice(), &answer].concat()).await?;
    let [connected, accepted] = seals(token, &own, &theirs);
    let peer = usize::try_from(u64::from_le_bytes(rank)).unwrap_or(usize::MAX);
    Ok(Connection::new(peer, (stream, tunnel), accepted, connected))
}

/// The proof at the connecting end, which is `rank` and calls the rank `peer`.
pub(super) async fn respond(
    opened: impl Into<Opened>,
    token: &[u8],
    rank: usize,
    peer: usize,
) -> Result<Connection, Refusal> {
    let Opened { mut stream, tunnel, binding } = opened.into();
    let token = &bound(token, &binding);
    // Sent at once: an encrypting end waits for these bytes and then reports the difference.
    stream.write_all(GREETING).await?;
    expect_greeting(&mut stream).await?;
    let mut theirs = [0; NONCE_BYTES];
    stream.read_exact(&mut theirs).await?;
    let own = nonce()?;
    let said = [own.as_slice(), &(rank as u64).to_le_bytes()].concat();
    let code = make_code(token, b"connected", &theirs, &said);
    stream.write_all(&[said.as_slice(), &code].concat()).await?;
    let mut answer = [0; 1 + CODE_BYTES];
    stream.read_exact(&mut answer).await?;
    let is_known = is_code(token, b"accepted", &own, &theirs, &answer[1..]);
    if answer[0] != ACCEPTED || !is_known {
        return Err(Refusal::Token);
    }
    let [connected, accepted] = seals(token, &theirs, &own);
    Ok(Connection::new(peer, (stream, tunnel), connected, accepted))
}

/// The secret of both ends: the token and the value of this encrypted session.
fn bound(token: &[u8], binding: &[u8]) -> Vec<u8> {
    [token, binding].concat()
}

/// The seals of the connecting end's frames and of the accepting end's frames.
fn seals(token: &[u8], accepted: &[u8], connected: &[u8]) -> [Seal; 2] {
    let key = |direction: &[u8]| make_code(token, direction, accepted, connected);
    [b"frames of who connected", b"frames of who accepted!"]
        .map(|direction| Seal::new(&key(direction)))
}

async fn expect_greeting(stream: &mut TcpStream) -> Result<(), Refusal> {
    let mut greeting = [0; GREETING.len()];
    stream.read_exact(&mut greeting).await?;
    if &greeting == GREETING {
        return Ok(());
    }
    if greeting[0] == HANDSHAKE || &greeting == ENCRYPTED {
        return Err(Refusal::Encryption);
    }
    let (name, number) = GREETING.split_at(GREETING.len() - 1);
    let reason = match greeting.strip_prefix(name) {
        Some(theirs) => {
            let [theirs, own] = [theirs, number].map(|number| number.escape_ascii().to_string());
            format!("another version answers there: its protocol is {theirs}, this one's {own}")
        }
        None => String::from("another service answers there"),
    };
    Err(Refusal::Foreign(reason))
}

fn nonce() -> Result<[u8; NONCE_BYTES], Refusal> {
    let mut nonce = [0; NONCE_BYTES];
    getrandom::fill(&mut nonce).map_err(|error| Refusal::Foreign(error.to_string()))?;
    Ok(nonce)
}

fn keyed(token: &[u8], direction: &[u8], first: &[u8], second: &[u8]) -> Hmac<Sha256> {
    let mut code =
        Hmac::<Sha256>::new_from_slice(token).expect("bug: HMAC takes keys of any length");
    for part in [b"phalanx ", direction, first, second] {
        code.update(part);
    }
    code
}

fn make_code(token: &[u8], direction: &[u8], first: &[u8], second: &[u8]) -> [u8; CODE_BYTES] {
    keyed(token, direction, first, second).finalize().into_bytes().into()
}

/// Compares in constant time.
fn is_code(token: &[u8], direction: &[u8], first: &[u8], second: &[u8], code: &[u8]) -> bool {
    keyed(token, direction, first, second).verify_slice(code).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    async fn meet(server: &[u8], client: &[u8]) -> [Result<Connection, Refusal>; 2] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let accept = async { challenge(listener.accept().await.unwrap().0, server).await };
        let connect =
            async { respond(TcpStream::connect(address).await.unwrap(), client, 1, 0).await };
        tokio::join!(accept, connect).into()
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn equal_tokens_meet_and_different_ones_do_not() {
        assert!(matches!(block_on(meet(b"secret", b"secret")), [Ok(_), Ok(_)]));
        let outcome = block_on(meet(b"secret", b"guess"));
        assert!(matches!(outcome, [Err(Refusal::Token), Err(Refusal::Token)]));
    }

    #[test]
    fn another_protocol_is_reported_with_both_numbers() {
        let outcome = block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let answer = async {
                let mut stream = listener.accept().await.unwrap().0;
                stream.write_all(b"PHALANX9").await.unwrap();
                stream
            };
            let stream = TcpStream::connect(address).await.unwrap();
            tokio::join!(respond(stream, b"secret", 1, 0), answer).0
        });
        let Err(Refusal::Foreign(reason)) = outcome.map(|_| ()) else { panic!("met") };
        assert_eq!(reason, "another version answers there: its protocol is 9, this one's 2");
    }

    #[test]
    fn a_caller_that_sends_the_challenge_back_is_refused() {
        let outcome = block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let mirror = async {
                let mut stream = TcpStream::connect(address).await.unwrap();
                let mut challenge = [0; GREETING.len() + NONCE_BYTES];
                stream.read_exact(&mut challenge).await.unwrap();
                stream.write_all(&challenge).await.unwrap();
                stream.write_all(&[&[0; 8], &challenge[GREETING.len()..]].concat()).await.unwrap();
            };
            let accept = async { challenge(listener.accept().await.unwrap().0, b"secret").await };
            tokio::join!(accept, mirror).0
        });
        assert!(matches!(outcome.map(|_| ()), Err(Refusal::Token)));
    }
}
