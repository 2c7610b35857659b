//! The proof, at the start of every connection, that both ends know the token.
//!
//! Challenge and response with HMAC-SHA256: the one who accepted sends a nonce, the one who
//! connected answers with a nonce of its own and the code of both, and only then gets a code back.
//! The codes of the two directions begin with different words, so that neither can be sent back to
//! its maker. The token itself never travels.

use crate::open_files::explained;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The first bytes in both directions: the protocol and its version.
const GREETING: &[u8; 8] = b"PHALANX1";
const NONCE_BYTES: usize = 32;
const CODE_BYTES: usize = 32;
const REFUSED: u8 = 0;
const ACCEPTED: u8 = 1;

/// Why a connection cannot be used.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The tokens differ.
    Token,
    /// The other end is no rank of this version, or went away.
    Foreign(String),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Foreign(explained(&error))
    }
}

/// The proof at the end that accepted the connection.
pub(super) async fn challenge(stream: &mut TcpStream, token: &[u8]) -> Result<(), Refusal> {
    let own = nonce()?;
    stream.write_all(&[GREETING.as_slice(), &own].concat()).await?;
    expect_greeting(stream).await?;
    let mut theirs = [0; NONCE_BYTES];
    stream.read_exact(&mut theirs).await?;
    let mut code = [0; CODE_BYTES];
    stream.read_exact(&mut code).await?;
    if !is_code(token, b"connected", &own, &theirs, &code) {
        stream.write_all(&[REFUSED; 1 + CODE_BYTES]).await?;
        return Err(Refusal::Token);
    }
    let answer = make_code(token, b"accepted", &theirs, &own);
    stream.write_all(&[[ACCEPTED].as_slice(), &answer].concat()).await?;
    Ok(())
}

/// The proof at the end that made the connection.
pub(super) async fn respond(stream: &mut TcpStream, token: &[u8]) -> Result<(), Refusal> {
    expect_greeting(stream).await?;
    let mut theirs = [0; NONCE_BYTES];
    stream.read_exact(&mut theirs).await?;
    let own = nonce()?;
    let code = make_code(token, b"connected", &theirs, &own);
    stream.write_all(&[GREETING.as_slice(), &own, &code].concat()).await?;
    let mut answer = [0; 1 + CODE_BYTES];
    stream.read_exact(&mut answer).await?;
    let is_known = is_code(token, b"accepted", &own, &theirs, &answer[1..]);
    if answer[0] == ACCEPTED && is_known { Ok(()) } else { Err(Refusal::Token) }
}

async fn expect_greeting(stream: &mut TcpStream) -> Result<(), Refusal> {
    let mut greeting = [0; GREETING.len()];
    stream.read_exact(&mut greeting).await?;
    if &greeting == GREETING {
        return Ok(());
    }
    Err(Refusal::Foreign(String::from("something else, or another version, answers there")))
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

    async fn meet(server: &[u8], client: &[u8]) -> (Result<(), Refusal>, Result<(), Refusal>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let accept = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            challenge(&mut stream, server).await
        };
        let connect = async {
            let mut stream = TcpStream::connect(address).await.unwrap();
            respond(&mut stream, client).await
        };
        tokio::join!(accept, connect)
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn equal_tokens_meet_and_different_ones_do_not() {
        assert!(matches!(block_on(meet(b"secret", b"secret")), (Ok(()), Ok(()))));
        let outcome = block_on(meet(b"secret", b"guess"));
        assert!(matches!(outcome, (Err(Refusal::Token), Err(Refusal::Token))));
    }

    #[test]
    fn one_who_sends_the_challenge_back_is_refused() {
        let outcome = block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let mirror = async {
                let mut stream = TcpStream::connect(address).await.unwrap();
                let mut challenge = [0; GREETING.len() + NONCE_BYTES];
                stream.read_exact(&mut challenge).await.unwrap();
                stream.write_all(&challenge).await.unwrap();
                stream.write_all(&challenge[GREETING.len()..]).await.unwrap();
            };
            let accept = async {
                let (mut stream, _) = listener.accept().await.unwrap();
                challenge(&mut stream, b"secret").await
            };
            tokio::join!(accept, mirror).0
        });
        assert!(matches!(outcome, Err(Refusal::Token)));
    }
}
