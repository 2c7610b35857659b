//! Rank 0's part of the meeting.

use super::door::Door;
use super::frames::{
    Answer, Connection, Entry, GRACE, Hello, Lost, Reader, Report, Roster, Writer,
    connecting_until, prepare, probe_pause, read_frame, send,
};
use super::greeting::Refusal;
use super::inquiry::Inquiry;
use super::joined::Joined;
use super::readiness::{self, Verdict};
use super::settings::Rendezvous;
use super::tls;
use super::token::challenge;
use crate::CollectiveError;
use crate::facts::value;
use crate::open_files::explained;
use crate::planes::mpi::Mpi;
use crate::seed::random_seed;
use socket2::{Domain, Socket, Type};
use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

/// How often rank 0 sends the missing ranks to those that have arrived. Each report costs a frame
/// for every rank.
const NEWS: Duration = Duration::from_secs(1);

/// How many connections the system queues before they are accepted.
const BACKLOG: i32 = 1024;

/// A process that wakes this much too late did not run meanwhile.
const PAUSED: Duration = Duration::from_millis(250);

/// A rank that has proved the token and sent its hello.
struct Arrival {
    writer: Writer,
    hello: Hello,
}

/// Why a caller is refused.
enum Unwelcome {
    /// It did not prove the token.
    Refused(Refusal),
    /// The caller proved the token, but its next frame arrived damaged.
    Malformed(CollectiveError),
}

/// The pending reports of the ranks, each with the reader to continue with.
type Reports = JoinSet<(usize, Reader, Result<Report, Lost>)>;

/// Waits for all other ranks, compares their agreements, and introduces them to each other.
pub(crate) async fn coordinate(
    plan: &Rendezvous,
    listener: Option<std::net::TcpListener>,
) -> Result<Joined, CollectiveError> {
    let deadline = Instant::now() + plan.timeout;
    let listener = listen(plan, listener).await?;
    let mut arrivals: Vec<Option<Arrival>> = (0..plan.size).map(|_| None).collect();
    let mut reports = Reports::new();
    let outcome = match gather(plan, &listener, deadline, &mut arrivals, &mut reports).await {
        Ok(()) => agree(plan, &arrivals),
        failed => failed,
    };
    let mut writers = Vec::new();
    let mut hellos = Vec::new();
    for arrival in arrivals.into_iter().flatten() {
        writers.push((arrival.hello.rank, arrival.writer));
        hellos.push(arrival.hello);
    }
    if let Err(error) = outcome {
        return Err(refuse(writers, error).await);
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
    let (connections, mpi) = introduce(plan, writers, reports, &roster).await?;
    let mut joined = Joined {
        rank: 0,
        connections: (0..plan.size).map(|_| None).collect(),
        device_counts: roster.entries.iter().map(|entry| entry.local_devices).collect(),
        facts: roster.entries.into_iter().map(|entry| entry.facts).collect(),
        seed: roster.seed,
        mpi,
    };
    for connection in connections {
        let rank = connection.peer;
        joined.connections[rank] = Some(connection);
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
        let reason = io::Error::new(io::ErrorKind::InvalidInput, "the address has no port");
        return Err(failed(plan.address.clone())(reason));
    };
    let address = SocketAddr::new(plan.bind, port);
    bound(address).map_err(failed(address.to_string()))
}

/// Listens on an address exclusively, even against sockets of other users.
///
/// Two sockets may be bound to one port while neither listens, if both set the option
/// `SO_REUSEADDR`. This socket sets it, because the launcher reserves the port until now and
/// connections of an earlier world may still be closing. It clears the option when it listens.
fn bound(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    // If another program listened first, it has the port, and this call fails.
    socket.listen(BACKLOG)?;
    socket.set_reuse_address(false)?;
    TcpListener::from_std(socket.into())
}

/// Accepts connections until all ranks have arrived. If the meeting fails, ranks that arrive a
/// moment later receive the error too.
async fn gather(
    plan: &Rendezvous,
    listener: &TcpListener,
    deadline: Instant,
    arrivals: &mut [Option<Arrival>],
    reports: &mut Reports,
) -> Result<(), CollectiveError> {
    let token: Arc<[u8]> = plan.token.as_slice().into();
    let mut door =
        Door::new(listener, plan.size, |stream| greet(stream, token.clone(), plan.is_encrypted));
    let (mut refused, mut encryption_differs) = (0, false);
    let mut news = interval(NEWS);
    news.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let error = loop {
        let missing = missing(plan, arrivals);
        if missing.is_empty() {
            return Ok(());
        }
        let failed = tokio::select! {
            greeted = door.next() => match greeted {
                Ok((arrival, reader)) => {
                    let rank = arrival.hello.rank;
                    let admitted = admit(plan, arrival, arrivals).await;
                    admitted.map(|()| drop(reports.spawn(next_report(rank, reader))))
                }
                Err(Unwelcome::Malformed(error)) => Err(error),
                Err(Unwelcome::Refused(Refusal::Token)) => {
                    tracing::warn!("a connection with another token was refused");
                    refused += 1;
                    Ok(())
                }
                Err(Unwelcome::Refused(Refusal::Encryption)) => {
                    // The caller tries again for as long as rank 0 waits.
                    if !encryption_differs {
                        tracing::warn!("a caller has another PHALANX_TLS");
                    }
                    encryption_differs = true;
                    Ok(())
                }
                // Strangers, and connections that gave up.
                Err(Unwelcome::Refused(Refusal::Foreign(_))) => Ok(()),
            },
            // No rank has been asked yet, so a report is an error.
            Some(Ok((rank, _, report))) = reports.join_next() => Err(match report {
                Ok(Report::Failed(error)) => error,
                Ok(_) => Lost::Malformed(String::from("a report arrived out of turn")).of(rank),
                Err(lost) => lost.of(rank),
            }),
            // The list is sent even if unchanged, because it shows that this rank lives.
            _ = news.tick() => send_missing(missing, arrivals).await,
            () = sleep_until(deadline) => {
                let (size, seconds) = (plan.size, plan.timeout.as_secs());
                let late = CollectiveError::RanksMissing {
                    missing,
                    size,
                    seconds,
                    refused,
                    encryption_differs,
                };
                return Err(door.obstacle().map_or(late, CollectiveError::network));
            }
        };
        if let Err(error) = failed {
            break error;
        }
    };
    let (mut late, answer) = (missing(plan, arrivals), Answer::Refused(error.clone()));
    let refusals = async {
        while !late.is_empty() {
            if let Ok((mut arrival, _)) = door.next().await {
                let _ = send(arrival.hello.rank, &mut arrival.writer, &answer).await;
                late.retain(|rank| *rank != arrival.hello.rank);
            }
        }
    };
    // A rank that arrives later finds no listener.
    let _ = timeout(GRACE, refusals).await;
    Err(error)
}

/// The ranks that have not arrived.
fn missing(plan: &Rendezvous, arrivals: &[Option<Arrival>]) -> Vec<usize> {
    (1..plan.size).filter(|rank| arrivals[*rank].is_none()).collect()
}

async fn greet(
    stream: TcpStream,
    token: Arc<[u8]>,
    is_encrypted: bool,
) -> Result<(Arrival, Reader), Unwelcome> {
    let refused = |error: io::Error| Unwelcome::Refused(error.into());
    prepare(&stream).map_err(refused)?;
    let opened = tls::accepted(stream, is_encrypted).await.map_err(Unwelcome::Refused)?;
    let connection = challenge(opened, &token).await.map_err(Unwelcome::Refused)?;
    let Connection { peer, mut reader, mut writer } = connection;
    match read_frame::<Hello>(&mut reader).await {
        Ok(hello) if hello.rank == peer => Ok((Arrival { writer, hello }, reader)),
        Err(Lost::Closed(error)) => Err(refused(error)),
        damaged => {
            let other = |hello: Hello| format!("rank {peer} says that it is rank {}", hello.rank);
            let lost = damaged.map(other).map_or_else(|lost| lost, Lost::Malformed);
            let error = lost.of(peer);
            // Rank 0 reports the same error, whether or not this rank receives it.
            let _ = send(peer, &mut writer, &Answer::Refused(error.clone())).await;
            Err(Unwelcome::Malformed(error))
        }
    }
}

/// Admits a rank if it fits.
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
    // Rank 0 reports the same error, whether or not this rank receives it.
    let _ = send(rank, &mut arrival.writer, &Answer::Refused(error.clone())).await;
    Err(error)
}

/// Reports the missing ranks, so that a rank that gives up before rank 0 can name them.
async fn send_missing(
    missing: Vec<usize>,
    arrivals: &mut [Option<Arrival>],
) -> Result<(), CollectiveError> {
    let answer = Answer::Waiting(missing);
    for arrival in arrivals.iter_mut().flatten() {
        // A rank that was lost does not arrive again, so the meeting fails without it.
        send(arrival.hello.rank, &mut arrival.writer, &answer).await?;
    }
    Ok(())
}

/// Compares every rank's agreement with that of rank 0.
fn agree(plan: &Rendezvous, arrivals: &[Option<Arrival>]) -> Result<(), CollectiveError> {
    for hello in arrivals.iter().flatten().map(|arrival| &arrival.hello) {
        let keys = plan.agreement.iter().chain(&hello.agreement).map(|(key, _)| key);
        for key in keys {
            let [ours, theirs] = [&plan.agreement, &hello.agreement]
                .map(|agreement| value(agreement, key).unwrap_or("(not set)"));
            if ours != theirs {
                return Err(disagreement(key, (0, ours), (hello.rank, theirs)));
            }
        }
    }
    Ok(())
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

/// The connections to the other ranks, and the MPI library for messages or the reason against it.
type Introduced = (Vec<Connection>, Result<Arc<Mpi>, String>);

/// Sends the roster and waits until all ranks are connected with each other and have started MPI if
/// they may. Then starts the world on all.
async fn introduce(
    plan: &Rendezvous,
    writers: Vec<(usize, Writer)>,
    mut reports: Reports,
    roster: &Roster,
) -> Result<Introduced, CollectiveError> {
    let facts = || roster.entries.iter().map(|entry| &entry.facts);
    let limit = connecting_until(plan) + readiness::patience(plan, facts());
    let (writers, failed) = send_all(writers, Answer::Welcome(roster.clone())).await;
    let mut others = Others {
        roster,
        unready: writers.iter().map(|(rank, _)| *rank).collect(),
        writers,
        readers: Vec::new(),
        verdicts: Vec::new(),
        inquiry: Inquiry::default(),
        limit,
        probe: Inquiry::default(),
        probe_at: Instant::now() + plan.timeout / 2,
        failed,
    };
    let started = readiness::start(plan, facts());
    tokio::pin!(started);
    let (mut own, pause) = (None, probe_pause(plan.timeout));
    while others.failed.is_none() && (own.is_none() || !reports.is_empty()) {
        tokio::select! {
            started = &mut started, if own.is_none() => {
                others.verdicts.push((0, readiness::report(&started)));
                own = Some(started);
            }
            Some(report) = reports.join_next() => {
                let Ok((rank, reader, report)) = report else { continue };
                if let Some(reader) = others.take(rank, reader, report) {
                    reports.spawn(next_report(rank, reader));
                    continue;
                }
            }
            () = sleep_until(others.probe_at), if !others.inquiry.is_begun() => {
                others.probe(pause).await;
            }
            () = sleep_until(others.limit) => others.ask().await,
        }
        others.failed = others.failed.take().or_else(|| others.inquiry.answer());
    }
    let Others { mut writers, mut readers, mut verdicts, inquiry, failed, .. } = others;
    // All other ranks are ready.
    let failed = failed.or_else(|| inquiry.verdict());
    verdicts.sort_by_key(|(rank, _)| *rank);
    let verdict = Verdict::of(verdicts.into_iter());
    let answer = failed.clone().map_or(Answer::Go(verdict.clone()), Answer::Refused);
    for (rank, writer) in &mut writers {
        // If a rank has died since, all others notice it on their connections.
        let _ = send(*rank, writer, &answer).await;
    }
    if let Some(error) = failed {
        return Err(error);
    }
    readers.sort_by_key(|(rank, _)| *rank);
    let pairs = readers.into_iter().zip(writers);
    let whole = pairs.map(|((peer, reader), (_, writer))| Connection { peer, reader, writer });
    let own = own.expect("bug: rank 0 has neither failed nor started");
    Ok((whole.collect(), readiness::agreed(own, verdict)))
}

/// The other ranks, while they connect with each other.
struct Others<'a> {
    roster: &'a Roster,
    writers: Vec<(usize, Writer)>,
    /// The readers of ranks that have sent their last report.
    readers: Vec<(usize, Reader)>,
    /// The starts of MPI, also that of rank 0.
    verdicts: Vec<(usize, Verdict)>,
    unready: BTreeSet<usize>,
    inquiry: Inquiry,
    /// The time at which the inquiry starts, then ends.
    limit: Instant,
    /// Long before the time-out, rank 0 asks whether all ranks live, so that the others learn of a
    /// stopped rank in time.
    probe: Inquiry,
    probe_at: Instant,
    failed: Option<CollectiveError>,
}

impl Others<'_> {
    /// Takes a report of a rank. Returns the reader if the rank will send another one.
    fn take(
        &mut self,
        rank: usize,
        reader: Reader,
        report: Result<Report, Lost>,
    ) -> Option<Reader> {
        self.inquiry.answered(rank);
        self.probe.answered(rank);
        match report {
            Ok(Report::Waiting(missing)) => {
                self.inquiry.waits(rank, &missing, self.roster);
                return Some(reader);
            }
            Ok(Report::Ready(verdict)) => self.verdicts.push((rank, verdict)),
            // The unreached rank may hang, rather than the one that reports it.
            Ok(Report::Failed(error @ CollectiveError::PeerUnreachable { .. })) => {
                self.inquiry.failed(rank, error);
                if !self.inquiry.is_begun() {
                    self.limit = self.limit.min(Instant::now());
                }
            }
            Ok(Report::Failed(error)) => self.failed = Some(error),
            Err(error) => self.failed = Some(error.of(rank)),
        }
        self.unready.remove(&rank);
        self.readers.push((rank, reader));
        None
    }

    /// Fails if a rank has not answered the last probe; otherwise asks all ranks again.
    async fn probe(&mut self, pause: Duration) {
        let is_late = self.probe_at.elapsed() > PAUSED;
        self.probe_at = Instant::now() + pause;
        self.failed = if is_late { None } else { self.probe.hung(pause) };
        self.probe = Inquiry::default();
        self.probe.asks(&self.unready);
        for (rank, writer) in &mut self.writers {
            // The question shows ready ranks that this rank lives.
            let _ = send(*rank, writer, &Answer::Asked).await;
        }
    }

    /// At the limit, asks the ranks that are not ready; at the next one, fails.
    async fn ask(&mut self) {
        let is_late = self.limit.elapsed() > PAUSED;
        self.limit = Instant::now() + GRACE;
        if is_late {
            // This process did not run: reports of the others may be waiting.
        } else if self.inquiry.asks(&self.unready) {
            let asked = self.writers.iter_mut().filter(|(rank, _)| self.unready.contains(rank));
            for (rank, writer) in asked {
                // A rank that accepts nothing will not answer.
                let _ = send(*rank, writer, &Answer::Asked).await;
            }
        } else {
            self.failed = self.failed.take().or(self.inquiry.verdict());
        }
    }
}

/// Reads the next report of a rank.
async fn next_report(rank: usize, mut reader: Reader) -> (usize, Reader, Result<Report, Lost>) {
    let report = read_frame(&mut reader).await;
    (rank, reader, report)
}

/// Sends all arrived ranks the reason why there will be no world.
async fn refuse(writers: Vec<(usize, Writer)>, error: CollectiveError) -> CollectiveError {
    // A rank that has ended meanwhile needs no reason.
    let _ = send_all(writers, Answer::Refused(error.clone())).await;
    error
}

/// Sends the same answer to all ranks in parallel, so that a rank that reads nothing delays no
/// other. Returns the reached ranks in order, and the error of one that was not reached.
async fn send_all(
    writers: Vec<(usize, Writer)>,
    answer: Answer,
) -> (Vec<(usize, Writer)>, Option<CollectiveError>) {
    let answer = Arc::new(answer);
    let mut sending = JoinSet::new();
    for (rank, mut writer) in writers {
        let answer = answer.clone();
        sending
            .spawn(async move { send(rank, &mut writer, &*answer).await.map(|()| (rank, writer)) });
    }
    let (mut reached, mut failed) = (Vec::new(), None);
    while let Some(outcome) = sending.join_next().await {
        match outcome {
            Ok(Ok(rank)) => reached.push(rank),
            Ok(Err(error)) => failed = failed.or(Some(error)),
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
    reached.sort_by_key(|(rank, _)| *rank);
    (reached, failed)
}
