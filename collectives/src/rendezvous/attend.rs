//! The part of the ranks other than 0 in the meeting.

use super::frames::{
    Answer, Connection, GRACE, Hello, Lost, PATIENCE, Reader, Report, Roster, Writer,
    connecting_until, drain, prepare, probe_pause, read_frame, silent, write_abort, write_frame,
};
use super::greeting::Refusal;
use super::joined::Joined;
use super::mesh::{self, Connections};
use super::readiness::{self, Start, Verdict};
use super::settings::Rendezvous;
use super::tls;
use super::token::respond;
use crate::CollectiveError;
use crate::facts::Facts;
use crate::open_files::explained;
use crate::planes::mpi::Mpi;
use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// How long rank 0 may be silent. It reports the missing ranks every second, but a report may be
/// delayed by ranks that accept nothing.
const SILENCE: Duration = Duration::from_secs(PATIENCE.as_secs() + 2);

/// The pause between two attempts to reach rank 0.
const PAUSE: Duration = Duration::from_millis(25);

/// Connects to rank 0, receives the roster, and connects to the other ranks.
pub(crate) async fn attend(plan: &Rendezvous) -> Result<Joined, CollectiveError> {
    // A little longer than rank 0 waits, so that its report of missing ranks arrives first.
    let deadline = Instant::now() + plan.timeout + Duration::from_secs(2);
    let mut coordinator = reach(plan, Instant::now() + plan.timeout).await?;
    let (listener, address) = listen(plan, &coordinator).await?;
    let hello = Hello {
        rank: plan.rank,
        size: plan.size,
        address: address.to_string(),
        local_devices: plan.local_devices,
        agreement: plan.agreement.clone(),
        facts: plan.facts.clone(),
    };
    write_frame(&mut coordinator.writer, &hello).await.map_err(lost)?;
    let roster = receive_roster(plan, &mut coordinator, deadline).await?;
    let Connection { reader, writer, .. } = &mut coordinator;
    let attendance = Attendance {
        plan,
        roster: &roster,
        connections: RefCell::new((0..plan.size).map(|_| None).collect()),
        writer: Mutex::new(writer),
        has_reported: Cell::new(false),
    };
    let mpi = attendance.run(&listener, reader).await?;
    let mut connections = attendance.connections.into_inner();
    connections[0] = Some(coordinator);
    Ok(Joined {
        rank: plan.rank,
        connections,
        device_counts: roster.entries.iter().map(|entry| entry.local_devices).collect(),
        facts: roster.entries.into_iter().map(|entry| entry.facts).collect(),
        seed: roster.seed,
        mpi,
    })
}

/// Listens for the ranks of higher numbers. Returns the address at which they reach this rank.
async fn listen(
    plan: &Rendezvous,
    coordinator: &Connection,
) -> Result<(TcpListener, SocketAddr), CollectiveError> {
    let own = SocketAddr::new(plan.bind, 0);
    let failed = |error: std::io::Error| CollectiveError::Listen {
        address: own.to_string(),
        reason: explained(&error),
    };
    let listener = TcpListener::bind(own).await.map_err(failed)?;
    let mut address = listener.local_addr().map_err(failed)?;
    if address.ip().is_unspecified() {
        // The others reach this machine at the same address as rank 0 does.
        address.set_ip(coordinator.local_address().map_err(failed)?.ip());
    }
    Ok((listener, address))
}

/// Waits until all ranks have arrived and rank 0 sends the roster.
async fn receive_roster(
    plan: &Rendezvous,
    coordinator: &mut Connection,
    deadline: Instant,
) -> Result<Roster, CollectiveError> {
    let mut missing = Vec::new();
    loop {
        let silent_at = Instant::now() + SILENCE;
        let Ok(answer) =
            timeout_at(deadline.min(silent_at), read_frame(&mut coordinator.reader)).await
        else {
            if missing.is_empty() || silent_at < deadline {
                return Err(silent(0, SILENCE));
            }
            let (size, seconds) = (plan.size, plan.timeout.as_secs());
            return Err(CollectiveError::RanksMissing {
                missing,
                size,
                seconds,
                refused: 0,
                encryption_differs: false,
            });
        };
        match answer {
            Ok(Answer::Waiting(ranks)) => missing = ranks,
            Ok(Answer::Welcome(roster)) => return Ok(roster),
            Ok(Answer::Refused(error)) => return Err(error),
            Ok(Answer::Asked | Answer::Go(_)) => return Err(out_of_turn()),
            Err(error) => {
                let (error, Connection { reader, writer, .. }) = (error.of(0), coordinator);
                if matches!(error, CollectiveError::Protocol { .. }) {
                    // All ranks should receive this error, unless rank 0 has ended.
                    let _ = write_frame(writer, &Report::Failed(error.clone())).await;
                    drain(reader).await;
                }
                return Err(error);
            }
        }
    }
}

/// A rank that has the roster, until the world starts.
struct Attendance<'a> {
    plan: &'a Rendezvous,
    roster: &'a Roster,
    connections: Connections,
    /// Sends reports to rank 0.
    writer: Mutex<&'a mut Writer>,
    /// Whether rank 0 has this rank's last report.
    has_reported: Cell<bool>,
}

impl Attendance<'_> {
    /// Connects with the others and starts MPI, and answers rank 0 meanwhile. Returns the library
    /// that carries messages, or the reason against it.
    async fn run(
        &self,
        listener: &TcpListener,
        reader: &mut Reader,
    ) -> Result<Result<Arc<Mpi>, String>, CollectiveError> {
        let connecting = connecting_until(self.plan);
        let (begin, verdict) = (self.begin(listener, connecting), self.verdict(reader));
        tokio::pin!(begin, verdict);
        let (begun, decided) = tokio::select! {
            begun = &mut begin => (begun, None),
            decided = &mut verdict => match decided {
                // A report through an encrypted connection may arrive, and rank 0 may answer it,
                // before this rank has seen that the system took all of it.
                Ok(_) if self.has_reported.get() => (begin.await, Some(decided)),
                // Rank 0 starts no rank before all have reported that they are ready.
                decided => return Err(decided.err().unwrap_or_else(out_of_turn)),
            },
        };
        // The others have as much time as this rank had, and rank 0 asks late ranks.
        let limit = match &begun {
            Ok(_) => connecting.max(Instant::now()) + readiness::patience(self.plan, self.facts()),
            Err(_) => Instant::now(),
        };
        let decided = match decided {
            None => timeout_at(limit + 2 * GRACE, verdict).await.ok(),
            decided => decided,
        };
        match (begun, decided) {
            (Ok(started), Some(Ok(verdict))) => Ok(readiness::agreed(started, verdict)),
            // Rank 0 knows which rank is at fault.
            (_, Some(Err(error))) => Err(error),
            // Unless rank 0 itself is at fault.
            (Ok(_) | Err(CollectiveError::PeerUnreachable { .. }), None) => {
                Err(silent(0, 2 * GRACE))
            }
            (Err(error), _) => Err(error),
        }
    }

    fn facts(&self) -> impl Iterator<Item = &Facts> {
        self.roster.entries.iter().map(|entry| &entry.facts)
    }

    /// Connects with the others, starts MPI if all ranks may, and reports the result to rank 0.
    async fn begin(
        &self,
        listener: &TcpListener,
        connecting: Instant,
    ) -> Result<Result<Start, String>, CollectiveError> {
        let connected =
            mesh::connect(self.plan, self.roster, listener, connecting, &self.connections);
        let begun = match connected.await {
            Ok(()) => Ok(readiness::start(self.plan, self.facts()).await),
            Err(error) => Err(error),
        };
        let report = match &begun {
            Ok(started) => Report::Ready(readiness::report(started)),
            Err(error) => Report::Failed(error.clone()),
        };
        let mut writer = self.writer.lock().await;
        self.has_reported.set(true);
        // If rank 0 has ended, the reader of its answers notices.
        let _ = write_frame(&mut writer, &report).await;
        begun
    }

    /// Answers the questions of rank 0 until it sends the verdict.
    async fn verdict(&self, reader: &mut Reader) -> Result<Verdict, CollectiveError> {
        // Rank 0 asks all ranks before that time.
        let quiet = self.plan.timeout / 2 + probe_pause(self.plan.timeout) + GRACE;
        loop {
            let answer = match timeout(quiet, read_frame(reader)).await {
                Ok(Ok(answer)) => answer,
                Err(_) => return Err(silent(0, quiet)),
                Ok(Err(Lost::Malformed(reason))) => {
                    let error = Lost::Malformed(reason).of(0);
                    self.report_damage(&error).await;
                    drain(reader).await;
                    return Err(error);
                }
                Ok(Err(closed)) => return Err(closed.of(0)),
            };
            match answer {
                Answer::Asked => self.report_missing().await,
                Answer::Go(verdict) => return Ok(verdict),
                Answer::Refused(error) => return Err(error),
                Answer::Waiting(_) | Answer::Welcome(_) => return Err(out_of_turn()),
            }
        }
    }

    /// Reports that an answer of rank 0 arrived damaged.
    async fn report_damage(&self, error: &CollectiveError) {
        let mut writer = self.writer.lock().await;
        // After the report, rank 0 expects frames of a world.
        let _ = if self.has_reported.get() {
            write_abort(&mut writer, error).await
        } else {
            write_frame(&mut writer, &Report::Failed(error.clone())).await
        };
    }

    /// Reports the ranks with which this one is not connected.
    async fn report_missing(&self) {
        let mut writer = self.writer.lock().await;
        // The last report is the answer, and after it rank 0 reads no more.
        if !self.has_reported.get() {
            let waiting = Report::Waiting(mesh::missing(self.plan.rank, &self.connections));
            // If rank 0 has ended, its last answer must still be read.
            let _ = write_frame(&mut writer, &waiting).await;
        }
    }
}

/// Connects to rank 0, which may not listen yet, and proves knowledge of the token.
async fn reach(plan: &Rendezvous, deadline: Instant) -> Result<Connection, CollectiveError> {
    let mut reason = String::from("no answer");
    let mut encryption_differs = false;
    loop {
        let attempt = async {
            let stream = TcpStream::connect(&plan.address).await?;
            prepare(&stream)?;
            let opened = tls::connected(stream, plan.is_encrypted).await?;
            respond(opened, &plan.token, plan.rank, 0).await
        };
        let limit = PATIENCE.min(deadline.saturating_duration_since(Instant::now()));
        reason = match timeout(limit, attempt).await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(Refusal::Token)) => {
                return Err(CollectiveError::Token { address: plan.address.clone() });
            }
            Ok(Err(Refusal::Encryption)) => {
                encryption_differs = true;
                reason
            }
            Ok(Err(Refusal::Foreign(reason))) => reason,
            // The last attempt may have been too short for an answer.
            Err(_) if limit < PATIENCE => reason,
            Err(_) => String::from("no answer"),
        };
        if Instant::now() + PAUSE >= deadline {
            let (address, seconds) = (plan.address.clone(), plan.timeout.as_secs());
            // Rank 0 may give up first; then the last attempt finds no listener.
            let other = encryption_differs.then(|| other_encryption(plan.is_encrypted));
            let reason = other.unwrap_or(reason);
            return Err(CollectiveError::CoordinatorUnreachable { address, seconds, reason });
        }
        sleep(PAUSE).await;
    }
}

/// Describes the difference between rank 0 and a rank with this `PHALANX_TLS`.
fn other_encryption(is_encrypted: bool) -> String {
    let (theirs, own) = if is_encrypted { (0, 1) } else { (1, 0) };
    format!("PHALANX_TLS is {theirs} there and {own} here")
}

fn lost(error: std::io::Error) -> CollectiveError {
    Lost::from(error).of(0)
}

fn out_of_turn() -> CollectiveError {
    let reason = String::from("an answer of the rendezvous arrived out of turn");
    CollectiveError::Protocol { rank: 0, reason }
}
