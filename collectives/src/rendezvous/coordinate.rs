//! Rank 0's part of the meeting.

use super::Rendezvous;
use super::frames::{
    Answer, Entry, GRACE, Hello, PATIENCE, Report, Roster, connecting_until, died, prepare,
    read_frame, tell,
};
use super::inquiry::Inquiry;
use super::readiness::{self, Verdict};
use super::token::{Refusal, challenge};
use crate::CollectiveError;
use crate::mpi::Mpi;
use crate::open_files::{are_too_many, explained};
use crate::world::{Facts, Joined, random_seed};
use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout};

/// How often ranks that wait are told for whom: each time is a frame to every one.
const NEWS: Duration = Duration::from_secs(1);

/// A process that wakes so much later than it asked for has not run.
const PAUSED: Duration = Duration::from_millis(250);

/// A rank that has proved the token and said who it is.
struct Arrival {
    stream: TcpStream,
    hello: Hello,
}

/// Waits for all other ranks, compares their agreements, and introduces them to each other.
pub(super) async fn coordinate(
    plan: &Rendezvous,
    listener: Option<std::net::TcpListener>,
) -> Result<Joined, CollectiveError> {
    let deadline = Instant::now() + plan.timeout;
    let listener = listen(plan, listener).await?;
    let mut arrivals: Vec<Option<Arrival>> = (0..plan.size).map(|_| None).collect();
    let outcome = match gather(plan, &listener, deadline, &mut arrivals).await {
        Ok(()) => agree(plan, &arrivals),
        failed => failed,
    };
    let mut streams = Vec::new();
    let mut hellos = Vec::new();
    for arrival in arrivals.into_iter().flatten() {
        streams.push((arrival.hello.rank, arrival.stream));
        hellos.push(arrival.hello);
    }
    if let Err(error) = outcome {
        return Err(refuse(streams, error).await);
    }
    let own = Entry {
        address: plan.address.clone(),
        local_devices: plan.local_devices,
        facts: plan.facts.clone(),
    };
    let others = hellos.into_iter().map(|hello| Entry {
        address: hello.address,
        local_devices: hello.local_devices,
        facts: hello.facts,
    });
    let roster =
        Roster { entries: std::iter::once(own).chain(others).collect(), seed: random_seed()? };
    let (streams, mpi) = introduce(plan, streams, &roster).await?;
    let mut joined = Joined {
        rank: 0,
        streams: (0..plan.size).map(|_| None).collect(),
        device_counts: roster.entries.iter().map(|entry| entry.local_devices).collect(),
        facts: roster.entries.into_iter().map(|entry| entry.facts).collect(),
        seed: roster.seed,
        mpi,
    };
    for (rank, stream) in streams {
        joined.streams[rank] = Some(stream);
    }
    Ok(joined)
}

async fn listen(
    plan: &Rendezvous,
    listener: Option<std::net::TcpListener>,
) -> Result<TcpListener, CollectiveError> {
    let failed = |address: String| {
        move |error: io::Error| CollectiveError::Listen { address, reason: explained(&error) }
    };
    if let Some(listener) = listener {
        let adopt = || {
            listener.set_nonblocking(true)?;
            TcpListener::from_std(listener)
        };
        return adopt().map_err(failed(plan.address.clone()));
    }
    let port = plan.address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    let Some(port) = port else {
        let reason = io::Error::new(io::ErrorKind::InvalidInput, "there is no port in it");
        return Err(failed(plan.address.clone())(reason));
    };
    let address = SocketAddr::new(plan.bind, port);
    TcpListener::bind(address).await.map_err(failed(address.to_string()))
}

/// Accepts connections until all ranks are there.
async fn gather(
    plan: &Rendezvous,
    listener: &TcpListener,
    deadline: Instant,
    arrivals: &mut [Option<Arrival>],
) -> Result<(), CollectiveError> {
    let token: Arc<[u8]> = plan.token.as_slice().into();
    let mut greetings = JoinSet::new();
    let (mut refused, mut obstacle) = (0, None);
    let mut news = interval(NEWS);
    news.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let missing: Vec<usize> = (1..plan.size).filter(|rank| arrivals[*rank].is_none()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    obstacle = None;
                    greetings.spawn(timeout(PATIENCE, greet(stream, token.clone())));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    // Others may be closed soon.
                    if are_too_many(&error) {
                        obstacle = Some(CollectiveError::network(&error));
                    }
                    sleep(Duration::from_millis(50)).await;
                }
            },
            Some(greeted) = greetings.join_next() => match greeted {
                Ok(Ok(Ok(arrival))) => admit(plan, arrival, arrivals).await?,
                Ok(Ok(Err(Refusal::Token))) => {
                    tracing::warn!("a connection with another token was refused");
                    refused += 1;
                }
                // Strangers and connections that gave up.
                _ => {}
            },
            // Also what they know already: by that they know that this rank lives.
            _ = news.tick() => tell_who_is_missing(missing, arrivals).await?,
            () = sleep_until(deadline) => {
                let (size, seconds) = (plan.size, plan.timeout.as_secs());
                let late = CollectiveError::RanksMissing { missing, size, seconds, refused };
                return Err(obstacle.unwrap_or(late));
            }
        }
    }
}

async fn greet(mut stream: TcpStream, token: Arc<[u8]>) -> Result<Arrival, Refusal> {
    prepare(&stream)?;
    challenge(&mut stream, &token).await?;
    let hello = read_frame(&mut stream).await?;
    Ok(Arrival { stream, hello })
}

/// Takes a rank in, if it fits.
async fn admit(
    plan: &Rendezvous,
    mut arrival: Arrival,
    arrivals: &mut [Option<Arrival>],
) -> Result<(), CollectiveError> {
    let Hello { rank, size, local_devices, .. } = arrival.hello;
    let error = if size != plan.size {
        disagreement("size", (0, &plan.size.to_string()), (rank, &size.to_string()))
    } else if rank >= size || local_devices == 0 {
        CollectiveError::Membership { rank, size, local_devices }
    } else if rank == 0 || arrivals[rank].is_some() {
        CollectiveError::DuplicateRank { rank }
    } else {
        arrivals[rank] = Some(arrival);
        return Ok(());
    };
    // Rank 0 reports the same error, whether this one can be told or not.
    let _ = tell(rank, &mut arrival.stream, &Answer::Refused(error.clone())).await;
    Err(error)
}

/// Lets a rank that gives up earlier than rank 0 say whom it waited for.
async fn tell_who_is_missing(
    missing: Vec<usize>,
    arrivals: &mut [Option<Arrival>],
) -> Result<(), CollectiveError> {
    let answer = Answer::Waiting(missing);
    for arrival in arrivals.iter_mut().flatten() {
        // Who has come once does not come again: without it there is no world.
        tell(arrival.hello.rank, &mut arrival.stream, &answer).await?;
    }
    Ok(())
}

/// Compares every rank's agreement with that of rank 0.
fn agree(plan: &Rendezvous, arrivals: &[Option<Arrival>]) -> Result<(), CollectiveError> {
    for hello in arrivals.iter().flatten().map(|arrival| &arrival.hello) {
        let keys = plan.agreement.iter().chain(&hello.agreement).map(|(key, _)| key);
        for key in keys {
            let (ours, theirs) = (value(&plan.agreement, key), value(&hello.agreement, key));
            if ours != theirs {
                return Err(disagreement(key, (0, ours), (hello.rank, theirs)));
            }
        }
    }
    Ok(())
}

fn value<'a>(agreement: &'a Facts, key: &str) -> &'a str {
    let found = agreement.iter().find(|(name, _)| name == key);
    found.map_or("(not set)", |(_, value)| value)
}

fn disagreement(key: &str, first: (usize, &str), second: (usize, &str)) -> CollectiveError {
    CollectiveError::Disagreement {
        key: key.into(),
        first_rank: first.0,
        first_value: first.1.into(),
        second_rank: second.0,
        second_value: second.1.into(),
    }
}

/// The connections with the other ranks, and the MPI library by which messages go, or why not.
type Introduced = (Vec<(usize, TcpStream)>, Result<Arc<Mpi>, String>);

/// Sends the roster, waits until all ranks are connected with each other and have begun to use MPI
/// if they may, and lets them go.
async fn introduce(
    plan: &Rendezvous,
    streams: Vec<(usize, TcpStream)>,
    roster: &Roster,
) -> Result<Introduced, CollectiveError> {
    let facts = || roster.entries.iter().map(|entry| &entry.facts);
    let mut limit = connecting_until(plan) + readiness::patience(plan, facts());
    let (told, mut failed) = tell_all(streams, Answer::Welcome(roster.clone())).await;
    let (mut reports, mut writers) = (JoinSet::new(), Vec::new());
    let mut unready: BTreeSet<usize> = told.iter().map(|(rank, _)| *rank).collect();
    for (rank, stream) in told {
        let (reader, writer) = stream.into_split();
        writers.push((rank, writer));
        reports.spawn(hear(rank, reader));
    }
    let started = readiness::start(plan, facts());
    tokio::pin!(started);
    let (mut own, mut readers, mut told) = (None, Vec::new(), Vec::new());
    let mut inquiry = Inquiry::default();
    while failed.is_none() && (own.is_none() || !reports.is_empty()) {
        tokio::select! {
            started = &mut started, if own.is_none() => {
                told.push((0, readiness::told(&started)));
                own = Some(started);
            }
            Some(report) = reports.join_next() => {
                let Ok((rank, reader, report)) = report else { continue };
                inquiry.heard(rank);
                match report {
                    Ok(Report::Waiting(missing)) => {
                        inquiry.waits(rank, &missing, roster);
                        reports.spawn(hear(rank, reader));
                        continue;
                    }
                    Ok(Report::Ready(verdict)) => told.push((rank, verdict)),
                    // It may be the other one that hangs.
                    Ok(Report::Failed(error @ CollectiveError::PeerUnreachable { .. })) => {
                        inquiry.failed(rank, error);
                        if !inquiry.is_begun() {
                            limit = limit.min(Instant::now());
                        }
                    }
                    Ok(Report::Failed(error)) => failed = Some(error),
                    Err(error) => failed = Some(died(rank, error.to_string())),
                }
                unready.remove(&rank);
                readers.push((rank, reader));
            }
            () = sleep_until(limit) => {
                let is_late = limit.elapsed() > PAUSED;
                limit = Instant::now() + GRACE;
                if is_late {
                    // This process did not run: the others may have spoken meanwhile.
                } else if inquiry.asks(&unready) {
                    let asked = writers.iter_mut().filter(|(rank, _)| unready.contains(rank));
                    for (rank, writer) in asked {
                        // One that takes nothing answers nothing.
                        let _ = tell(*rank, writer, &Answer::Asked).await;
                    }
                } else {
                    failed = failed.or(inquiry.verdict());
                }
            }
        }
        failed = failed.or_else(|| inquiry.answer());
    }
    // All others are ready.
    failed = failed.or_else(|| inquiry.verdict());
    told.sort_by_key(|(rank, _)| *rank);
    let verdict = Verdict::of(told.into_iter());
    let answer = failed.clone().map_or(Answer::Go(verdict.clone()), Answer::Refused);
    for (rank, writer) in &mut writers {
        // A rank that has died since is noticed by everybody on its connections.
        let _ = tell(*rank, writer, &answer).await;
    }
    if let Some(error) = failed {
        return Err(error);
    }
    readers.sort_by_key(|(rank, _)| *rank);
    let pairs = readers.into_iter().zip(writers);
    let whole = pairs.map(|((rank, reader), (_, writer))| {
        (rank, reader.reunite(writer).expect("bug: halves of different connections"))
    });
    let own = own.expect("bug: nobody has failed and rank 0 has not started");
    Ok((whole.collect(), readiness::agreed(own, verdict)))
}

/// The next report of a rank.
async fn hear(
    rank: usize,
    mut reader: OwnedReadHalf,
) -> (usize, OwnedReadHalf, io::Result<Report>) {
    let report = read_frame(&mut reader).await;
    (rank, reader, report)
}

/// Tells everybody who is there why there will be no world.
async fn refuse(streams: Vec<(usize, TcpStream)>, error: CollectiveError) -> CollectiveError {
    // A rank that has gone meanwhile needs no reason.
    let _ = tell_all(streams, Answer::Refused(error.clone())).await;
    error
}

/// Tells all ranks the same, at the same time, so that one that takes nothing keeps no other
/// waiting. Those that were told, in their order, and why another one was not.
async fn tell_all(
    streams: Vec<(usize, TcpStream)>,
    answer: Answer,
) -> (Vec<(usize, TcpStream)>, Option<CollectiveError>) {
    let answer = Arc::new(answer);
    let mut telling = JoinSet::new();
    for (rank, mut stream) in streams {
        let answer = answer.clone();
        telling
            .spawn(async move { tell(rank, &mut stream, &*answer).await.map(|()| (rank, stream)) });
    }
    let (mut told, mut failed) = (Vec::new(), None);
    while let Some(outcome) = telling.join_next().await {
        match outcome {
            Ok(Ok(rank)) => told.push(rank),
            Ok(Err(error)) => failed = failed.or(Some(error)),
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
    told.sort_by_key(|(rank, _)| *rank);
    (told, failed)
}
