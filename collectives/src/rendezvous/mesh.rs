//! Connects the ranks other than 0 with each other: the higher rank connects to the lower one.

use super::door::Door;
use super::frames::{
    Connection, Introduction, Lost, PATIENCE, Roster, prepare, read_frame, write_frame,
};
use super::greeting::Refusal;
use super::settings::Rendezvous;
use super::tls;
use super::token::{challenge, respond};
use crate::CollectiveError;
use crate::open_files::explained;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// The reason for a rank that should have connected to this one and did not.
pub(super) const LATE: &str = "it did not connect in time";

/// Why a connection was not made.
enum Failed {
    /// A rank was not reached.
    Unreached(usize, String),
    /// The introduction of a rank arrived damaged.
    Malformed(CollectiveError),
    /// The caller is not a rank of this world.
    Stranger,
}

/// The connections of a rank to the others, by rank.
pub(super) type Connections = RefCell<Vec<Option<Connection>>>;

/// The ranks other than 0 with which `rank` is not connected.
pub(super) fn missing(rank: usize, connections: &Connections) -> Vec<usize> {
    let connections = connections.borrow();
    (1..connections.len()).filter(|&peer| peer != rank && connections[peer].is_none()).collect()
}

/// Connects this rank with all others except 0.
pub(super) async fn connect(
    plan: &Rendezvous,
    roster: &Roster,
    listener: &TcpListener,
    deadline: Instant,
    connections: &Connections,
) -> Result<(), CollectiveError> {
    let (rank, token): (usize, Arc<[u8]>) = (plan.rank, plan.token.as_slice().into());
    let (seed, is_encrypted) = (roster.seed, plan.is_encrypted);
    let mut tasks = JoinSet::new();
    // A stranger is no error. A refused rank reports its refusal itself.
    let mut door = Door::new(listener, plan.size, |stream| {
        let token = token.clone();
        async move { answer((stream, is_encrypted), &token, seed).await }
    });
    for peer in 1..rank {
        let (token, address) = (token.clone(), roster.entries[peer].address.clone());
        tasks.spawn(async move {
            let introduction = Introduction { rank, seed };
            let outcome =
                call((peer, &address), &token, introduction, (deadline, is_encrypted)).await;
            outcome
                .map(|connection| (peer, connection))
                .map_err(|reason| Failed::Unreached(peer, reason))
        });
    }
    let size = roster.entries.len();
    while !missing(rank, connections).is_empty() {
        tokio::select! {
            ended = async {
                tokio::select! {
                    Some(Ok(called)) = tasks.join_next() => called,
                    answered = door.next() => answered,
                }
            } => match ended {
                Ok((peer, connection)) if peer > 0 && peer < size && peer != rank => {
                    let earlier = connections.borrow_mut()[peer].replace(connection);
                    if earlier.is_some() {
                        return Err(CollectiveError::DuplicateRank { rank: peer });
                    }
                }
                Err(Failed::Unreached(peer, reason)) => {
                    return Err(unreached(peer, roster, reason));
                }
                Err(Failed::Malformed(error)) => return Err(error),
                _ => {}
            },
            () = sleep_until(deadline) => {
                let peer = missing(rank, connections)[0];
                let reason = door.obstacle().map_or(String::from(LATE), explained);
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

/// Connects to a rank that already listens. A refusal may be due to a full queue, so the call
/// retries for a while.
async fn call(
    (peer, address): (usize, &str),
    token: &[u8],
    introduction: Introduction,
    (deadline, is_encrypted): (Instant, bool),
) -> Result<Connection, String> {
    let deadline = deadline.min(Instant::now() + PATIENCE);
    loop {
        let attempt = async {
            let stream = TcpStream::connect(address).await?;
            prepare(&stream)?;
            let opened = tls::connected(stream, is_encrypted).await?;
            let mut connection = respond(opened, token, introduction.rank, peer).await?;
            write_frame(&mut connection.writer, &introduction).await?;
            Ok(connection)
        };
        let reason = match timeout(PATIENCE, attempt).await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(Refusal::Token)) => return Err(String::from("it has another token")),
            Ok(Err(Refusal::Encryption)) => String::from("it has another PHALANX_TLS"),
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
    (stream, is_encrypted): (TcpStream, bool),
    token: &[u8],
    seed: u64,
) -> Result<(usize, Connection), Failed> {
    let proved = async {
        prepare(&stream)?;
        challenge(tls::accepted(stream, is_encrypted).await?, token).await
    };
    let mut connection = proved.await.map_err(|_| Failed::Stranger)?;
    let introduction: Introduction = match read_frame(&mut connection.reader).await {
        Ok(introduction) => introduction,
        Err(Lost::Closed(_)) => return Err(Failed::Stranger),
        Err(malformed) => return Err(Failed::Malformed(malformed.of(connection.peer))),
    };
    // The caller is a rank of another world.
    if introduction.seed != seed {
        return Err(Failed::Stranger);
    }
    Ok((introduction.rank, connection))
}
