//! The part of the other ranks in the meeting.

use super::Rendezvous;
use super::frames::{Answer, Hello, PATIENCE, Report, died, prepare, read_frame, write_frame};
use super::token::{Refusal, respond};
use super::{mesh, readiness};
use crate::CollectiveError;
use crate::world::Joined;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// The pause between two attempts to reach rank 0.
const PAUSE: Duration = Duration::from_millis(25);

/// Finds rank 0, hears who the others are, and connects to them.
pub(super) async fn attend(plan: &Rendezvous) -> Result<Joined, CollectiveError> {
    // A little longer than rank 0 waits, so that its word about missing ranks comes first.
    let deadline = Instant::now() + plan.timeout + Duration::from_secs(2);
    let mut stream = reach(plan, Instant::now() + plan.timeout).await?;
    let own = SocketAddr::new(plan.bind, 0);
    let failed = |error: std::io::Error| CollectiveError::Listen {
        address: own.to_string(),
        reason: error.to_string(),
    };
    let listener = TcpListener::bind(own).await.map_err(failed)?;
    let mut address = listener.local_addr().map_err(failed)?;
    if address.ip().is_unspecified() {
        // The others reach this machine where rank 0 does.
        address.set_ip(stream.local_addr().map_err(failed)?.ip());
    }
    let hello = Hello {
        rank: plan.rank,
        size: plan.size,
        address: address.to_string(),
        local_devices: plan.local_devices,
        agreement: plan.agreement.clone(),
        facts: plan.facts.clone(),
    };
    write_frame(&mut stream, &hello).await.map_err(lost)?;

    let mut missing = Vec::new();
    let roster = loop {
        let Ok(answer) = timeout_at(deadline, read_frame(&mut stream)).await else {
            let (size, seconds) = (plan.size, plan.timeout.as_secs());
            return Err(CollectiveError::RanksMissing { missing, size, seconds, refused: 0 });
        };
        match answer.map_err(lost)? {
            Answer::Waiting(ranks) => missing = ranks,
            Answer::Welcome(roster) => break roster,
            Answer::Refused(error) => return Err(error),
            Answer::Go(_) => return Err(out_of_turn()),
        }
    };

    let connecting = deadline.max(Instant::now() + PATIENCE);
    let mut streams: Vec<Option<TcpStream>> = (0..plan.size).map(|_| None).collect();
    let mpi = {
        let (mut reader, mut writer) = stream.split();
        let answer = read_frame(&mut reader);
        tokio::pin!(answer);
        let connections = mesh::connect(plan.rank, &plan.token, &roster, &listener, connecting);
        let connected = tokio::select! {
            connected = connections => connected,
            // Rank 0 says nothing now unless another rank has failed.
            answer = &mut answer => return Err(match answer.map_err(lost)? {
                Answer::Refused(error) => error,
                _ => out_of_turn(),
            }),
        };
        match connected {
            Ok(connections) => {
                for (rank, connection) in connections {
                    streams[rank] = Some(connection);
                }
            }
            Err(error) => {
                // Rank 0 tells the others; without it they find out at their time-outs.
                let _ = write_frame(&mut writer, &Report::Failed(error.clone())).await;
                return Err(error);
            }
        }
        let facts = || roster.entries.iter().map(|entry| &entry.facts);
        let started = tokio::select! {
            started = readiness::start(plan, facts()) => started,
            answer = &mut answer => return Err(match answer.map_err(lost)? {
                Answer::Refused(error) => error,
                _ => out_of_turn(),
            }),
        };
        let report = Report::Ready(readiness::told(&started));
        write_frame(&mut writer, &report).await.map_err(lost)?;
        // The others have as much time for MPI as this one had.
        let started_by = connecting.max(Instant::now()) + readiness::patience(plan, facts());
        match timeout_at(started_by + PATIENCE, answer).await {
            Ok(Ok(Answer::Go(verdict))) => readiness::agreed(started, verdict),
            Ok(Ok(Answer::Refused(error))) => return Err(error),
            Ok(Ok(_)) => return Err(out_of_turn()),
            Ok(Err(error)) => return Err(lost(error)),
            Err(_) => return Err(lost(std::io::ErrorKind::TimedOut.into())),
        }
    };
    streams[0] = Some(stream);
    Ok(Joined {
        rank: plan.rank,
        streams,
        device_counts: roster.entries.iter().map(|entry| entry.local_devices).collect(),
        facts: roster.entries.into_iter().map(|entry| entry.facts).collect(),
        seed: roster.seed,
        mpi,
    })
}

/// Connects to rank 0, which may not listen yet, and proves the token.
async fn reach(plan: &Rendezvous, deadline: Instant) -> Result<TcpStream, CollectiveError> {
    loop {
        let attempt = async {
            let mut stream = TcpStream::connect(&plan.address).await?;
            prepare(&stream)?;
            respond(&mut stream, &plan.token).await?;
            Ok(stream)
        };
        let limit = PATIENCE.min(deadline.saturating_duration_since(Instant::now()));
        let reason = match timeout(limit, attempt).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(Refusal::Token)) => {
                return Err(CollectiveError::Token { address: plan.address.clone() });
            }
            Ok(Err(Refusal::Foreign(reason))) => reason,
            Err(_) => String::from("no answer"),
        };
        if Instant::now() + PAUSE >= deadline {
            let (address, seconds) = (plan.address.clone(), plan.timeout.as_secs());
            return Err(CollectiveError::CoordinatorUnreachable { address, seconds, reason });
        }
        sleep(PAUSE).await;
    }
}

fn lost(error: std::io::Error) -> CollectiveError {
    died(0, error.to_string())
}

fn out_of_turn() -> CollectiveError {
    let reason = String::from("an answer of the rendezvous out of turn");
    CollectiveError::Protocol { rank: 0, reason }
}
