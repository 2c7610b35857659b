//! The part of the other ranks in the meeting.

use super::Rendezvous;
use super::frames::{
    Answer, GRACE, Hello, PATIENCE, Report, connecting_until, died, prepare, read_frame, silent,
    write_frame,
};
use super::token::{Refusal, respond};
use super::{mesh, readiness};
use crate::CollectiveError;
use crate::open_files::explained;
use crate::world::Joined;
use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// How long rank 0, which tells every second for whom it waits, may say nothing: it may tell
/// others meanwhile that take nothing.
const SILENCE: Duration = Duration::from_secs(PATIENCE.as_secs() + 2);

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
        reason: explained(&error),
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
        let told_by = Instant::now() + SILENCE;
        let Ok(answer) = timeout_at(deadline.min(told_by), read_frame(&mut stream)).await else {
            if missing.is_empty() || told_by < deadline {
                return Err(silent(0, SILENCE));
            }
            let (size, seconds) = (plan.size, plan.timeout.as_secs());
            return Err(CollectiveError::RanksMissing { missing, size, seconds, refused: 0 });
        };
        match answer.map_err(lost)? {
            Answer::Waiting(ranks) => missing = ranks,
            Answer::Welcome(roster) => break roster,
            Answer::Refused(error) => return Err(error),
            Answer::Asked | Answer::Go(_) => return Err(out_of_turn()),
        }
    };

    let connecting = connecting_until(plan);
    let connections = RefCell::new((0..plan.size).map(|_| None).collect());
    let mpi = {
        let (mut reader, writer) = stream.split();
        let (writer, has_reported) = (Mutex::new(writer), Cell::new(false));
        let facts = || roster.entries.iter().map(|entry| &entry.facts);
        let begin = async {
            let connected = mesh::connect(plan, &roster, &listener, connecting, &connections);
            let begun = match connected.await {
                Ok(()) => Ok(readiness::start(plan, facts()).await),
                Err(error) => Err(error),
            };
            let report = match &begun {
                Ok(started) => Report::Ready(readiness::told(started)),
                Err(error) => Report::Failed(error.clone()),
            };
            let mut writer = writer.lock().await;
            has_reported.set(true);
            // Whoever hears the answers of rank 0 notices if it is gone.
            let _ = write_frame(&mut *writer, &report).await;
            begun
        };
        let verdict = async {
            loop {
                match read_frame(&mut reader).await.map_err(lost)? {
                    Answer::Asked => {
                        let mut writer = writer.lock().await;
                        // A report is the answer, after which rank 0 listens no more.
                        if !has_reported.get() {
                            let waiting = Report::Waiting(mesh::missing(plan.rank, &connections));
                            // If it is gone, what it said last is still to be read.
                            let _ = write_frame(&mut *writer, &waiting).await;
                        }
                    }
                    Answer::Go(verdict) => return Ok(verdict),
                    Answer::Refused(error) => return Err(error),
                    Answer::Waiting(_) | Answer::Welcome(_) => return Err(out_of_turn()),
                }
            }
        };
        tokio::pin!(verdict);
        let begun = tokio::select! {
            begun = begin => begun,
            // Rank 0 lets nobody go before all have told it that they are ready.
            verdict = &mut verdict => return Err(verdict.err().unwrap_or_else(out_of_turn)),
        };
        // The others have as much time as this one had, and rank 0 asks those that are late.
        let decided = match &begun {
            Ok(_) => connecting.max(Instant::now()) + readiness::patience(plan, facts()),
            Err(_) => Instant::now(),
        };
        match (begun, timeout_at(decided + 2 * GRACE, verdict).await) {
            (Ok(started), Ok(Ok(verdict))) => readiness::agreed(started, verdict),
            // Rank 0 knows which rank is to blame.
            (_, Ok(Err(error))) => return Err(error),
            // Unless it is itself.
            (Ok(_) | Err(CollectiveError::PeerUnreachable { .. }), Err(_)) => {
                return Err(silent(0, 2 * GRACE));
            }
            (Err(error), _) => return Err(error),
        }
    };
    let mut streams = connections.into_inner();
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
