//! What ranks say to each other while they meet, after the token was proved.

use super::Rendezvous;
use super::readiness::Verdict;
use crate::CollectiveError;
use crate::transport::{deserialize, serialize};
use crate::world::Facts;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

/// The longest frame: rosters of thousands of ranks.
const FRAME_BYTES: usize = 16 << 20;

/// How long one exchange with a stranger may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How long a rank may take to answer when rank 0 asks for whom it waits.
pub(super) const GRACE: Duration = Duration::from_secs(2);

/// Until when ranks that know of each other from now on may connect: the time-out of the plan is
/// for arriving, and connecting has as much again.
pub(super) fn connecting_until(plan: &Rendezvous) -> Instant {
    Instant::now() + plan.timeout.max(PATIENCE)
}

/// What ranks do before there is a world, as errors tell it.
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
    /// Where the rank listens for the others.
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
    /// All are there and agree.
    Welcome(Roster),
    /// Some rank is late or was not reached: for whom does this one wait?
    Asked,
    /// All are connected with each other; whether messages go by MPI.
    Go(Verdict),
    /// There will be no world.
    Refused(CollectiveError),
}

/// Who is in the world.
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

/// What a rank tells rank 0 after it knows who is in the world: whether it is connected with all
/// others, and what has come of its start of MPI.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Report {
    /// The answer to a question: these ranks are not connected with it yet.
    Waiting(Vec<usize>),
    Ready(Verdict),
    Failed(CollectiveError),
}

/// The first frame between two ranks other than 0.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Introduction {
    pub(super) rank: usize,
    /// The seed of the world, so that a straggler of an earlier world is not taken for a rank of
    /// this one.
    pub(super) seed: u64,
}

/// Sends one frame.
pub(super) async fn write_frame<T: Serialize>(
    stream: &mut (impl AsyncWrite + Unpin),
    value: &T,
) -> io::Result<()> {
    let bytes = serialize::<FRAME_BYTES>(value).map_err(io::Error::other)?;
    let len = u32::try_from(bytes.len()).expect("bug: a frame beyond its limit").to_le_bytes();
    stream.write_all(&[len.as_slice(), &bytes].concat()).await
}

/// Tells a rank something, which it takes soon: else it is lost, and so is what follows a frame of
/// which it has taken a part.
pub(super) async fn tell<T: Serialize>(
    rank: usize,
    stream: &mut (impl AsyncWrite + Unpin),
    value: &T,
) -> Result<(), CollectiveError> {
    match timeout(PATIENCE, write_frame(stream, value)).await {
        Ok(told) => told.map_err(|error| died(rank, error.to_string())),
        Err(_) => {
            let seconds = PATIENCE.as_secs();
            Err(died(rank, format!("it took nothing that it was told for {seconds} s")))
        }
    }
}

/// Receives one frame.
pub(super) async fn read_frame<T: DeserializeOwned>(
    stream: &mut (impl AsyncRead + Unpin),
) -> io::Result<T> {
    let mut len = [0; 4];
    stream.read_exact(&mut len).await?;
    let len = u32::from_le_bytes(len) as usize;
    if len > FRAME_BYTES {
        return Err(io::Error::other(format!("a frame of {len} bytes")));
    }
    // Grows with what really comes, not with what is promised.
    let mut bytes = Vec::new();
    let read = stream.take(len as u64).read_to_end(&mut bytes).await?;
    if read < len {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    deserialize::<FRAME_BYTES, T>(&bytes).map_err(io::Error::other)
}

/// Sets a new connection up: no delay for short frames, and probes while it is idle, which the
/// other system answers. Unanswered ones end the connection; sooner if `watch` notices.
pub(super) fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let keepalive = socket2::TcpKeepalive::new()
        .with_time(Duration::from_secs(1))
        .with_interval(Duration::from_secs(1))
        .with_retries(3);
    socket2::SockRef::from(stream).set_tcp_keepalive(&keepalive)
}
