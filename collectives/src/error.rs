//! Errors of collectives, rendezvous and tickets.

use crate::open_files::explained;
use phalanx_device::EventError;
use phalanx_ops::{DType, Monoid};
use serde::{Deserialize, Serialize};

/// An error of the communication between ranks.
///
/// An error of a communicator ends the world: every present and later call on every rank returns
/// the first error. Otherwise a member that refuses its arguments would keep the others waiting.
/// Errors travel between ranks, so they are serialisable.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq, Serialize, Deserialize)]
pub enum CollectiveError {
    /// The connection to a rank ended without a goodbye.
    #[error("rank {rank} died, last reported {doing}: {reason}")]
    RankDied {
        /// The rank that died.
        rank: usize,
        /// The end of the connection, as this process noticed it.
        reason: String,
        /// The last known activity of the rank.
        doing: String,
    },
    /// A rank sent no sign of life for longer than the limit allows.
    #[error("rank {rank} has been silent for {seconds} s, {doing}")]
    RankSilent {
        /// The rank.
        rank: usize,
        /// How long the rank has been silent.
        seconds: String,
        /// The last known activity of the rank.
        doing: String,
    },
    /// A rank shut down while other ranks still needed it.
    #[error("rank {rank} left the world while others still communicate with it")]
    RankLeft {
        /// The rank that left.
        rank: usize,
    },
    /// Two ranks took different ways through the program.
    #[error(
        "ranks diverged at step {number}: \
         rank {first_rank} {first_cause} at {first_site}, \
         rank {second_rank} {second_cause} at {second_site}"
    )]
    Divergence {
        /// The number of the differing tickets.
        number: u64,
        /// One of the two ranks.
        first_rank: usize,
        /// The call site there.
        first_site: String,
        /// The activity of that rank.
        first_cause: String,
        /// The other rank.
        second_rank: usize,
        /// The call site there.
        second_site: String,
        /// The activity of that rank.
        second_cause: String,
    },
    /// Two ranks took the same way with different data.
    #[error(
        "ranks gave different data where all must give the same: \
         rank {first_rank} at {first_site}, rank {second_rank} at {second_site}"
    )]
    OtherData {
        /// One of the two ranks.
        first_rank: usize,
        /// The call site there.
        first_site: String,
        /// The other rank.
        second_rank: usize,
        /// The call site there.
        second_site: String,
    },
    /// A rank failed for a reason of its own.
    #[error("rank {rank} failed: {message} [{error_code}]")]
    Aborted {
        /// The rank that failed.
        rank: usize,
        /// The code of its error.
        error_code: String,
        /// The text of its error.
        message: String,
    },
    /// The peer does not know the token of this world.
    #[error("the process at {address} has another token")]
    Token {
        /// The address of the peer.
        address: String,
    },
    /// Rank 0 could not listen.
    #[error("cannot listen on {address}: {reason}")]
    Listen {
        /// The requested address.
        address: String,
        /// The error of the system.
        reason: String,
    },
    /// Not all ranks arrived in time.
    #[error(
        "of {size} ranks, {missing:?} did not arrive within {seconds} s \
         ({refused} connections were refused{})",
        if *encryption_differs { "; a caller has another PHALANX_TLS" } else { "" }
    )]
    RanksMissing {
        /// The ranks that did not arrive.
        missing: Vec<usize>,
        /// How many ranks there should be.
        size: usize,
        /// The time limit of the wait.
        seconds: u64,
        /// The number of connections that did not prove the token.
        refused: usize,
        /// Whether a caller encrypts and rank 0 does not, or the other way round.
        encryption_differs: bool,
    },
    /// Rank 0 was not reached.
    #[error("rank 0 was not reached at {address} within {seconds} s: {reason}")]
    CoordinatorUnreachable {
        /// The address of rank 0.
        address: String,
        /// The time limit of the wait.
        seconds: u64,
        /// The last failure.
        reason: String,
    },
    /// Two ranks were started with settings that must be equal.
    #[error(
        "{key} differs: {first_value} on rank {first_rank}, {second_value} on rank {second_rank}"
    )]
    Disagreement {
        /// The setting.
        key: String,
        /// One rank.
        first_rank: usize,
        /// Its value.
        first_value: String,
        /// Another rank.
        second_rank: usize,
        /// Its value.
        second_value: String,
    },
    /// Two processes were started with the same rank.
    #[error("two processes were started with rank {rank}")]
    DuplicateRank {
        /// The rank.
        rank: usize,
    },
    /// A process was started with a rank outside of the world, or without devices.
    #[error("rank {rank} with {local_devices} devices cannot be in a world of {size} ranks")]
    Membership {
        /// The rank.
        rank: usize,
        /// The number of ranks.
        size: usize,
        /// The devices of the rank.
        local_devices: usize,
    },
    /// A rank that reached rank 0 could not reach another rank.
    #[error("rank {rank} was not reached at {address}: {reason}")]
    PeerUnreachable {
        /// The rank that was not reached.
        rank: usize,
        /// The address of that rank.
        address: String,
        /// The error of the system.
        reason: String,
    },
    /// The two ends of a message disagree about its length.
    #[error("member {from} sent {sent} bytes where member {to} expected {expected}")]
    Length {
        /// The sender.
        from: usize,
        /// The receiver.
        to: usize,
        /// Bytes sent.
        sent: u64,
        /// Bytes expected.
        expected: u64,
    },
    /// The members of a communicator group called different collectives, or one with different
    /// arguments.
    #[error(
        "members of a group called different collectives: \
         member {first} {first_call}, member {second} {second_call}"
    )]
    Mismatch {
        /// One member.
        first: usize,
        /// Its call.
        first_call: String,
        /// Another member.
        second: usize,
        /// Its call.
        second_call: String,
    },
    /// The slices of a call do not have the lengths that its counts require.
    #[error("{operation} needs {expected} bytes here, but was given {actual}")]
    Counts {
        /// The operation.
        operation: String,
        /// The required bytes.
        expected: u64,
        /// The given bytes.
        actual: u64,
    },
    /// The monoid does not combine items of the dtype.
    #[error("{monoid} does not combine {dtype}")]
    Unsupported {
        /// The monoid.
        monoid: Monoid,
        /// The dtype.
        dtype: DType,
    },
    /// A member number outside of the communicator group.
    #[error("there is no member {member} in a group of {size}")]
    NoSuchMember {
        /// The number given.
        member: usize,
        /// The number of members of the communicator group.
        size: usize,
    },
    /// A rank sent something that is not a frame of this version, or a frame was damaged, repeated
    /// or lost.
    #[error("rank {rank} sent a malformed frame: {reason}")]
    Protocol {
        /// The rank.
        rank: usize,
        /// The defect of the frame.
        reason: String,
    },
    /// The system refused something that the network needs.
    #[error("the network could not be used: {reason}")]
    Network {
        /// The error of the system.
        reason: String,
    },
    /// No usable MPI library was found.
    #[error("MPI cannot be used: {reason}")]
    MpiUnavailable {
        /// The library that was searched for, or the fault of the one that was found.
        reason: String,
    },
    /// A call of the MPI library failed.
    #[error("{call} failed: {reason}")]
    Mpi {
        /// The call.
        call: String,
        /// The library's error text.
        reason: String,
    },
    /// The MPI library may not be called by this thread.
    #[error("MPI was initialised with {provided}, so this thread may not call it")]
    MpiThreads {
        /// The level of thread support.
        provided: String,
    },
    /// The world was shut down on this rank.
    #[error("this rank has shut its world down")]
    Closed,
}

impl CollectiveError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            CollectiveError::RankDied { .. } => "PX060",
            CollectiveError::RankLeft { .. } => "PX061",
            CollectiveError::Divergence { .. } | CollectiveError::OtherData { .. } => "PX062",
            CollectiveError::Aborted { .. } => "PX063",
            CollectiveError::Token { .. } => "PX064",
            CollectiveError::Listen { .. } => "PX065",
            CollectiveError::RanksMissing { .. } => "PX066",
            CollectiveError::CoordinatorUnreachable { .. } => "PX067",
            CollectiveError::Disagreement { .. } => "PX068",
            CollectiveError::DuplicateRank { .. } => "PX069",
            CollectiveError::Membership { .. } => "PX070",
            CollectiveError::PeerUnreachable { .. } => "PX071",
            CollectiveError::Length { .. } => "PX072",
            CollectiveError::Mismatch { .. } => "PX073",
            CollectiveError::Counts { .. } => "PX074",
            CollectiveError::Unsupported { .. } => "PX075",
            CollectiveError::NoSuchMember { .. } => "PX076",
            CollectiveError::Protocol { .. } => "PX077",
            CollectiveError::Network { .. } => "PX078",
            CollectiveError::Closed => "PX079",
            CollectiveError::MpiUnavailable { .. } => "PX165",
            CollectiveError::Mpi { .. } => "PX166",
            CollectiveError::MpiThreads { .. } => "PX167",
            CollectiveError::RankSilent { .. } => "PX168",
        }
    }

    /// How to correct the error.
    pub const fn hint(&self) -> &'static str {
        match self {
            CollectiveError::RankDied { .. } => {
                "look at the output of that rank: it was killed or crashed there"
            }
            CollectiveError::RankSilent { .. } => {
                "check whether that process was stopped or its machine hangs; PHALANX_STALL sets \
                 the limit of silence in seconds, and 0 removes the limit"
            }
            CollectiveError::RankLeft { .. } => {
                "let every rank run the same program to its end; a test of the rank must not end \
                 it early"
            }
            CollectiveError::Divergence { .. } => {
                "code that depends on the rank must not observe a shared array: read the array on \
                 all ranks before the `if`, by `h = x.get()` (in Rust `x.to_host()?`), or print \
                 with `phalanx::print(x)`"
            }
            CollectiveError::OtherData { .. } => {
                "read or draw the same data on all ranks, with one seed; \
                 join data that differ by rank with `Array::from_local`"
            }
            CollectiveError::Aborted { .. } => "look at the error of that rank",
            CollectiveError::Token { .. } => {
                "start all ranks with the same PHALANX_TOKEN_FILE, or choose another address \
                 if a second world runs there"
            }
            CollectiveError::Listen { .. } => {
                "choose a free port in PHALANX_ADDRESS and an address of this machine to bind to; \
                 `phalanx run` chooses another port at each start"
            }
            CollectiveError::RanksMissing { encryption_differs: true, .. } => {
                "start all ranks with the same PHALANX_TLS"
            }
            CollectiveError::RanksMissing { .. } => {
                "check that these ranks were started, reach rank 0 and have the same token, \
                 or wait longer"
            }
            CollectiveError::CoordinatorUnreachable { .. } => {
                "check that rank 0 runs and that PHALANX_ADDRESS names it \
                 and is not blocked by a firewall"
            }
            CollectiveError::Disagreement { .. } => {
                "start all ranks with the same program and settings"
            }
            CollectiveError::DuplicateRank { .. } => "give every process its own PHALANX_RANK",
            CollectiveError::Membership { .. } => {
                "ranks count from 0 to one less than the size, and each has at least one device"
            }
            CollectiveError::PeerUnreachable { .. } => {
                "let ranks bind to an address that the other machines reach, \
                 and open it in the firewall"
            }
            CollectiveError::Length { .. } | CollectiveError::Mismatch { .. } => {
                "call the same operations in the same order on all members, with matching counts"
            }
            CollectiveError::Counts { .. } => "make the slices as long as the counts say",
            CollectiveError::Unsupported { .. } => "cast to a dtype that the monoid accepts",
            CollectiveError::NoSuchMember { .. } => {
                "members count from 0 to one less than the group's size"
            }
            CollectiveError::Protocol { .. } => {
                "run the same version of Phalanx on all ranks; if the error recurs, check the \
                 cables, the network cards and the memory"
            }
            CollectiveError::Network { .. } => {
                "check the limits of open files and the state of the network"
            }
            CollectiveError::MpiUnavailable { .. } => {
                "start with mpirun or srun, name the library of that launcher in \
                 PHALANX_MPI_LIBRARY, or set PHALANX_TRANSPORT=tcp"
            }
            CollectiveError::Mpi { .. } => {
                "look at the output of the MPI library, or set PHALANX_TRANSPORT=tcp"
            }
            CollectiveError::MpiThreads { .. } => {
                "initialise MPI with MPI_THREAD_MULTIPLE (mpi4py does), \
                 or set PHALANX_TRANSPORT=tcp"
            }
            CollectiveError::Closed => "read all needed values before the session ends",
        }
    }

    /// The error of a system call of the network.
    pub(crate) fn network(error: &std::io::Error) -> CollectiveError {
        CollectiveError::Network { reason: explained(error) }
    }
}

impl From<EventError> for CollectiveError {
    /// The error of an event of a communicator. This crate makes no other events.
    fn from(error: EventError) -> CollectiveError {
        match error.downcast_ref::<CollectiveError>() {
            Some(error) => error.clone(),
            None => CollectiveError::Network { reason: error.to_string() },
        }
    }
}
