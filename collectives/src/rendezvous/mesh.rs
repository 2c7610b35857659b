//! The connections of the ranks other than 0 with each other: the higher rank connects to the lower
//! one.

use super::Rendezvous;
use super::frames::{Introduction, PATIENCE, Roster, prepare, read_frame, write_frame};
use super::token::{Refusal, challenge, respond};
use crate::CollectiveError;
use crate::open_files::{are_too_many, explained};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Why a rank was not reached that should have called.
pub(super) const LATE: &str = "it did not connect in time";

/// The connections of a rank to the others, by their numbers.
pub(super) type Connections = RefCell<Vec<Option<TcpStream>>>;

/// The ranks but 0 that `rank` is not connected with.
pub(super) fn missing(rank: usize, connections: &Connections) -> Vec<usize> {
    let connections = connections.borrow();
    (1..connections.len()).filter(|&peer| peer != rank && connections[peer].is_none()).collect()
}

/// Connects this rank with all others but 0.
pub(super) async fn connect(
    plan: &Rendezvous,
    roster: &Roster,
    listener: &TcpListener,
    deadline: Instant,
    connections: &Connections,
) -> Result<(), CollectiveError> {
    let (rank, token): (usize, Arc<[u8]>) = (plan.rank, plan.token.as_slice().into());
    let seed = roster.seed;
    let mut tasks = JoinSet::new();
    for peer in 1..rank {
        let (token, address) = (token.clone(), roster.entries[peer].address.clone());
        tasks.spawn(async move {
            let outcome = call(&address, &token, Introduction { rank, seed }, deadline).await;
            outcome.map(|stream| (peer, stream)).map_err(|reason| Some((peer, reason)))
        });
    }
    let size = roster.entries.len();
    let mut reason = String::from(LATE);
    while !missing(rank, connections).is_empty() {
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
                    if are_too_many(&error) {
                        reason = explained(&error);
                    }
                    sleep(Duration::from_millis(50)).await;
                }
            },
            Some(ended) = tasks.join_next() => match ended {
                Ok(Ok((peer, stream))) if peer > 0 && peer < size && peer != rank => {
                    let earlier = connections.borrow_mut()[peer].replace(stream);
                    if earlier.is_some() {
                        return Err(CollectiveError::DuplicateRank { rank: peer });
                    }
                }
                Ok(Err(Some((peer, reason)))) => return Err(unreached(peer, roster, reason)),
                _ => {}
            },
            () = sleep_until(deadline) => {
                let peer = missing(rank, connections)[0];
                return Err(unreached(peer, roster, reason));
            }
        }
    }
    Ok(())
}

/// The error of a rank that was not connected with another one.
pub(super) fn unreached(peer: usize, roster: &Roster, reason: String) -> CollectiveError {
    let address = roster.entries[peer].address.clone();
    CollectiveError::PeerUnreachable { rank: peer, address, reason }
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
