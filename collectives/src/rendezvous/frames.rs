//! The frames that ranks exchange while they meet, after the token is proved.

use super::readiness::Verdict;
use super::settings::Rendezvous;
use crate::CollectiveError;
use crate::facts::Facts;
use crate::transport::{CODE_BYTES, MARK_BYTES, Seal, Tunnel, abort, deserialize, serialize};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{Instant, timeout};

/// The longest frame: rosters of thousands of ranks.
const FRAME_BYTES: usize = 16 << 20;

/// The bytes of a header: the length of the payload, and the marks.
const HEAD_BYTES: usize = 4 + MARK_BYTES;

/// A connection whose two ends have proved the token.
#[derive(Debug)]
pub(crate) struct Connection {
    /// The rank at the other end, as it states.
    pub(super) peer: usize,
    pub(super) reader: Reader,
    pub(super) writer: Writer,
}

/// The receiving half of a connection.
#[derive(Debug)]
pub(crate) struct Reader {
    half: OwnedReadHalf,
    seal: Seal,
}

/// The sending half of a connection.
#[derive(Debug)]
pub(crate) struct Writer {
    half: OwnedWriteHalf,
    seal: Seal,
    /// The encryption of the connection.
    tunnel: Option<Arc<Tunnel>>,
}

impl Connection {
    /// A connection whose frames these seals mark and check.
    pub(super) fn new(
        peer: usize,
        (stream, tunnel): (TcpStream, Option<Arc<Tunnel>>),
        outgoing: Seal,
        incoming: Seal,
    ) -> Connection {
        let (reader, writer) = stream.into_split();
        let reader = Reader { half: reader, seal: incoming };
        Connection { peer, reader, writer: Writer { half: writer, seal: outgoing, tunnel } }
    }

    /// The address of this end as the other end sees it.
    pub(super) fn local_address(&self) -> io::Result<SocketAddr> {
        let own = self.writer.half.local_addr();
        self.writer.tunnel.as_ref().map_or(own, |tunnel| tunnel.local_address())
    }

    /// The stream, its encryption, and the seals for the next outgoing and incoming frames.
    pub(crate) fn into_parts(self) -> (TcpStream, Option<Arc<Tunnel>>, [Seal; 2]) {
        let Connection { reader, writer, .. } = self;
        let whole = reader.half.reunite(writer.half);
        let stream = whole.expect("bug: halves of different connections");
        (stream, writer.tunnel, [writer.seal, reader.seal])
    }
}

impl Writer {
    /// Writes bytes and returns once the system has all of them. Even if the rank then ends, and
    /// with it the encrypting task, its last frame is sent.
    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.half.write_all(bytes).await?;
        if let Some(tunnel) = &self.tunnel {
            tunnel.flushed().await;
        }
        Ok(())
    }
}

/// The time limit of one exchange with a stranger.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How long a rank may take to answer when rank 0 asks for which ranks it waits.
pub(super) const GRACE: Duration = Duration::from_secs(2);

/// The deadline for connecting, counted from the moment at which the ranks receive the roster. The
/// plan's time-out covers arriving; connecting gets the same time again.
pub(super) fn connecting_until(plan: &Rendezvous) -> Instant {
    Instant::now() + plan.timeout.max(PATIENCE)
}

/// How long a rank that is not ready may take to answer, for this time-out of start-up. After half
/// of the time-out, rank 0 asks again after each such pause.
pub(super) fn probe_pause(timeout: Duration) -> Duration {
    GRACE.max(timeout / 4)
}

/// The activity of ranks before there is a world, for errors.
const DOING: &str = "while the ranks met";

/// The error of a rank that is lost before there is a world.
pub(super) fn died(rank: usize, reason: String) -> CollectiveError {
    CollectiveError::RankDied { rank, reason, doing: String::from(DOING) }
}

/// The error of a rank that has not answered before there is a world.
pub(super) fn silent(rank: usize, time: Duration) -> CollectiveError {
    let seconds = time.as_secs().to_string();
    CollectiveError::RankSilent { rank, seconds, doing: String::from(DOING) }
}

/// The first frame of a rank to rank 0.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) rank: usize,
    pub(super) size: usize,
    /// The address on which the rank listens for the others.
    pub(super) address: String,
    pub(super) local_devices: usize,
    pub(super) agreement: Facts,
    pub(super) facts: Facts,
}

/// The frames of rank 0 to the others.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// These ranks have not arrived yet.
    Waiting(Vec<usize>),
    /// All ranks have arrived and agree.
    Welcome(Roster),
    /// Some rank is late or was not reached: asks the receiver for which ranks it waits.
    Asked,
    /// All ranks are connected with each other; states whether MPI carries the messages.
    Go(Verdict),
    /// There will be no world.
    Refused(CollectiveError),
}

/// The ranks of the world.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Roster {
    pub(super) entries: Vec<Entry>,
    pub(super) seed: u64,
}

/// One rank of a roster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) address: String,
    pub(super) local_devices: usize,
    pub(super) facts: Facts,
}

/// The report of a rank to rank 0 after it has the roster: whether it is connected with all others,
/// and whether MPI has started.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Report {
    /// The answer to `Asked`: these ranks are not connected with the sender yet.
    Waiting(Vec<usize>),
    Ready(Verdict),
    Failed(CollectiveError),
}

/// The first frame between two ranks other than 0.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Introduction {
    pub(super) rank: usize,
    /// The seed of the world. It distinguishes ranks of this world from stragglers of an earlier
    /// one.
    pub(super) seed: u64,
}

/// Sends one frame.
pub(super) async fn write_frame<T: Serialize>(to: &mut Writer, value: &T) -> io::Result<()> {
    let bytes = serialize::<FRAME_BYTES>(value).map_err(io::Error::other)?;
    let len = u32::try_from(bytes.len()).expect("bug: a frame beyond its limit");
    let mut head = [0; HEAD_BYTES];
    head[..4].copy_from_slice(&len.to_le_bytes());
    to.seal.mark(&mut head);
    let code = to.seal.code_of(&bytes);
    to.write(&[head.as_slice(), &bytes, &code].concat()).await
}

/// Informs a rank in a started world that the world ends.
pub(super) async fn write_abort(to: &mut Writer, error: &CollectiveError) -> io::Result<()> {
    let frame = abort(error, &mut to.seal);
    to.write(&frame).await
}

/// Sends a frame to a rank. A rank that does not accept it in time counts as lost: after a partly
/// sent frame, no other frame can be read.
pub(super) async fn send<T: Serialize>(
    rank: usize,
    to: &mut Writer,
    value: &T,
) -> Result<(), CollectiveError> {
    match timeout(PATIENCE, write_frame(to, value)).await {
        Ok(sent) => sent.map_err(|error| died(rank, error.to_string())),
        Err(_) => {
            let seconds = PATIENCE.as_secs();
            Err(died(rank, format!("it accepted no bytes for {seconds} s")))
        }
    }
}

/// Waits a short time for the other end to close its half. Closing a connection with unread bytes
/// may lose the last frame sent.
pub(super) async fn drain(from: &mut Reader) {
    let mut sink = [0; 4096];
    let end = async { while matches!(from.half.read(&mut sink).await, Ok(1..)) {} };
    // Later frames do not matter.
    let _ = timeout(GRACE, end).await;
}

/// Why a frame was not received.
#[derive(Debug)]
pub(super) enum Lost {
    /// The connection has ended.
    Closed(io::Error),
    /// The bytes are damaged, or are not a frame of this version.
    Malformed(String),
}

impl From<io::Error> for Lost {
    fn from(error: io::Error) -> Lost {
        Lost::Closed(error)
    }
}

impl Lost {
    /// The error about the rank at the other end.
    pub(super) fn of(self, rank: usize) -> CollectiveError {
        match self {
            Lost::Closed(error) => died(rank, error.to_string()),
            Lost::Malformed(reason) => CollectiveError::Protocol { rank, reason },
        }
    }
}

/// Receives one frame.
pub(super) async fn read_frame<T: DeserializeOwned>(from: &mut Reader) -> Result<T, Lost> {
    let mut head = [0; HEAD_BYTES];
    from.half.read_exact(&mut head).await?;
    from.seal.check(&head).map_err(Lost::Malformed)?;
    let len = u32::from_le_bytes(*head.first_chunk().expect("bug: a short head")) as usize;
    if len > FRAME_BYTES {
        return Err(Lost::Malformed(format!("a frame of {len} bytes")));
    }
    // The buffer grows with the bytes received, not with the claimed length.
    let mut bytes = Vec::new();
    let whole = len + CODE_BYTES;
    let read = (&mut from.half).take(whole as u64).read_to_end(&mut bytes).await?;
    if read < whole {
        return Err(Lost::Closed(io::ErrorKind::UnexpectedEof.into()));
    }
    let (bytes, code) = bytes.split_at(len);
    from.seal.check_code(bytes, code).map_err(Lost::Malformed)?;
    deserialize::<FRAME_BYTES, T>(bytes).map_err(Lost::Malformed)
}

/// Configures a new connection: short frames are sent without delay, and the system probes the idle
/// connection. Unanswered probes end it, unless `watch` notices earlier.
pub(super) fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let keepalive = socket2::TcpKeepalive::new()
        .with_time(Duration::from_secs(1))
        .with_interval(Duration::from_secs(1))
        .with_retries(3);
    socket2::SockRef::from(stream).set_tcp_keepalive(&keepalive)
}
