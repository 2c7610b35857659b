//! The connections of the ranks other than 0 with each other: the higher rank connects to the lower
//! one.

use super::frames::{Introduction, PATIENCE, Roster, prepare, read_frame, write_frame};
use super::token::{Refusal, challenge, respond};
use crate::CollectiveError;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// The connections of `rank` to all ranks but 0.
pub(super) async fn connect(
    rank: usize,
    token: &[u8],
    roster: &Roster,
    listener: &TcpListener,
    deadline: Instant,
) -> Result<Vec<(usize, TcpStream)>, CollectiveError> {
    let token: Arc<[u8]> = token.into();
    let seed = roster.seed;
    let mut tasks = JoinSet::new();
    for peer in 1..rank {
        let (token, address) = (token.clone(), roster.entries[peer].address.clone());
        tasks.spawn(async move {
            let outcome = call(&address, &token, Introduction { rank, seed }, deadline).await;
            outcome.map(|stream| (peer, stream)).map_err(|reason| {
                Some(CollectiveError::PeerUnreachable { rank: peer, address, reason })
            })
        });
    }
    let mut connections: Vec<(usize, TcpStream)> = Vec::new();
    let size = roster.entries.len();
    while connections.len() < size - 2 {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let token = token.clone();
                    // A stranger is no error; a rank that cannot get in reports that itself.
                    tasks.spawn(async move {
                        let answered = timeout(PATIENCE, answer(stream, &token, seed)).await;
                        answered.ok().and_then(Result::ok).ok_or(None)
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    sleep(Duration::from_millis(50)).await;
                }
            },
            Some(ended) = tasks.join_next() => match ended {
                Ok(Ok((peer, stream))) if peer > 0 && peer < size && peer != rank => {
                    if connections.iter().any(|(known, _)| *known == peer) {
                        return Err(CollectiveError::DuplicateRank { rank: peer });
                    }
                    connections.push((peer, stream));
                }
                Ok(Err(Some(error))) => return Err(error),
                _ => {}
            },
            () = sleep_until(deadline) => {
                let is_missing = |peer: &usize| {
                    *peer != rank && connections.iter().all(|(known, _)| known != peer)
                };
                let peer = (1..size).find(is_missing).unwrap_or(0);
                let address = roster.entries[peer].address.clone();
                let reason = String::from("it did not connect in time");
                return Err(CollectiveError::PeerUnreachable { rank: peer, address, reason });
            }
        }
    }
    Ok(connections)
}

/// Connects to a rank that listens already; one refusal may be a full queue, so it is tried for a
/// while.
async fn call(
    address: &str,
    token: &[u8],
    introduction: Introduction,
    deadline: Instant,
) -> Result<TcpStream, String> {
    let deadline = deadline.min(Instant::now() + PATIENCE);
    loop {
        let attempt = async {
            let mut stream = TcpStream::connect(address).await?;
            prepare(&stream)?;
            respond(&mut stream, token).await?;
            write_frame(&mut stream, &introduction).await?;
            Ok(stream)
        };
        let reason = match timeout(PATIENCE, attempt).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(Refusal::Token)) => return Err(String::from("it has another token")),
            Ok(Err(Refusal::Foreign(reason))) => reason,
            Err(_) => String::from("no answer"),
        };
        if Instant::now() >= deadline {
            return Err(reason);
        }
        sleep(Duration::from_millis(50)).await;
    }
}

async fn answer(
    mut stream: TcpStream,
    token: &[u8],
    seed: u64,
) -> Result<(usize, TcpStream), Refusal> {
    prepare(&stream)?;
    challenge(&mut stream, token).await?;
    let introduction: Introduction = read_frame(&mut stream).await?;
    if introduction.seed != seed {
        return Err(Refusal::Foreign(String::from("a rank of another world")));
    }
    Ok((introduction.rank, stream))
}
