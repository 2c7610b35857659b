//! The entrance to a world of several processes.

use super::{attend, coordinate};
use crate::CollectiveError;
use crate::mpi::{Mpi, Threads};
use crate::world::{Facts, World};
use phalanx_ops::waiting::{LOOK, look};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

/// The fact by which a process tells how messages between processes may travel.
const TRANSPORT: &str = "transport";
/// Its value on a process whose messages may go by MPI; otherwise it is the reason.
const READY: &str = "mpi";

/// How messages between processes travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Transport {
    /// By MPI if all processes can, else over TCP.
    #[default]
    Auto,
    /// Over TCP.
    Tcp,
    /// By MPI.
    Mpi,
}

impl Transport {
    /// The name, as PHALANX_TRANSPORT takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Transport::Auto => "auto",
            Transport::Tcp => "tcp",
            Transport::Mpi => "mpi",
        }
    }
}

/// What a process brings to the meeting of all processes of a program.
pub struct Rendezvous {
    /// The number of this process.
    pub rank: usize,
    /// How many processes there are.
    pub size: usize,
    /// Where rank 0 listens, as `host:port`.
    pub address: String,
    /// The address of this machine to listen on; loopback unless told otherwise.
    pub bind: IpAddr,
    /// The secret that all processes share.
    pub token: Vec<u8>,
    /// How long to wait for the others.
    pub timeout: Duration,
    /// How many devices this process has.
    pub local_devices: usize,
    /// What must be equal on all ranks, such as the version and the configuration.
    pub agreement: Facts,
    /// What the others should know about this process but need not equal, such as memory limits.
    pub facts: Facts,
    /// On rank 0: a socket that listens already, instead of one made for `bind` and the port of
    /// `address`.
    pub listener: Option<TcpListener>,
    /// How messages between processes are to travel; the same on all ranks.
    pub transport: Transport,
    /// How long a rank may give no sign of life before the world ends; for ever without. To
    /// be the same on all ranks, which give signs of life accordingly.
    pub stall: Option<Duration>,
    /// The MPI library, or why there is none to use.
    pub mpi: Result<Arc<Mpi>, String>,
}

impl Rendezvous {
    /// A rendezvous on loopback with one device a process, an empty token and a minute of patience.
    pub fn new(rank: usize, size: usize, address: impl Into<String>) -> Rendezvous {
        Rendezvous {
            rank,
            size,
            address: address.into(),
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            token: Vec::new(),
            timeout: Duration::from_secs(60),
            local_devices: 1,
            agreement: Facts::new(),
            facts: Facts::new(),
            listener: None,
            transport: Transport::Auto,
            stall: Some(Duration::from_secs(60)),
            mpi: Err(String::from("nobody asked for MPI")),
        }
    }

    /// Meets the others. Collective over all processes; a world of one process opens no socket and
    /// starts no thread.
    ///
    /// Errors: `Token`, `Listen`, `RanksMissing`, `CoordinatorUnreachable`, `Disagreement`,
    /// `DuplicateRank`, `Membership`, `PeerUnreachable`, `RankDied`, `Protocol` and `Network`, on
    /// every rank that is there; `Closed` when the user gives up.
    pub fn join(mut self) -> Result<World, CollectiveError> {
        let Rendezvous { rank, size, local_devices, .. } = self;
        if rank >= size || local_devices == 0 {
            return Err(CollectiveError::Membership { rank, size, local_devices });
        }
        if size == 1 {
            return World::alone(local_devices, self.facts);
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| CollectiveError::network(&error))?;
        let listener = self.listener.take();
        let (transport, mpi) = (self.transport, std::mem::replace(&mut self.mpi, none()));
        let ready = readiness(&self, &mpi).map_or_else(|reason| reason, |()| String::from(READY));
        self.facts.push((String::from(TRANSPORT), ready));
        if transport != Transport::Auto {
            let asked = String::from(transport.name());
            self.agreement.push((String::from("PHALANX_TRANSPORT"), asked));
        }
        let meet = async {
            if rank == 0 {
                coordinate::coordinate(&self, listener).await
            } else {
                attend::attend(&self).await
            }
        };
        let given_up = async {
            while !look() {
                tokio::time::sleep(LOOK).await;
            }
        };
        let joined = runtime.block_on(async {
            tokio::select! {
                joined = meet => joined,
                () = given_up => Err(CollectiveError::Closed),
            }
        });
        let joined = joined?;
        let mpi = match all_are_ready(&joined.facts) {
            Ok(()) => mpi,
            Err(reason) if transport == Transport::Mpi => {
                return Err(CollectiveError::MpiUnavailable { reason });
            }
            Err(reason) => Err(reason),
        };
        World::connected(runtime, joined, self.stall, mpi)
    }
}

fn none() -> Result<Arc<Mpi>, String> {
    Err(String::from("it was given away"))
}

/// Whether the messages of this process may go by MPI, or why not.
fn readiness(plan: &Rendezvous, mpi: &Result<Arc<Mpi>, String>) -> Result<(), String> {
    if plan.transport == Transport::Tcp {
        return Err(String::from("PHALANX_TRANSPORT is tcp"));
    }
    let mpi = mpi.as_ref().map_err(String::clone)?;
    if (mpi.rank(), mpi.size()) != (plan.rank, plan.size) {
        let (rank, size) = (mpi.rank(), mpi.size());
        return Err(format!("MPI says that this is rank {rank} of {size}"));
    }
    if plan.transport == Transport::Auto && mpi.threads() < Threads::Serialized {
        return Err(format!("the library was initialised with {}", mpi.threads().name()));
    }
    Ok(())
}

/// Whether all ranks may use MPI, or why one cannot.
fn all_are_ready(facts: &[Facts]) -> Result<(), String> {
    for (rank, facts) in facts.iter().enumerate() {
        let told = facts.iter().find(|(name, _)| name == TRANSPORT);
        match told.map(|(_, told)| told.as_str()) {
            Some(READY) => {}
            Some(reason) => return Err(format!("rank {rank}: {reason}")),
            None => return Err(format!("rank {rank} tells nothing of MPI")),
        }
    }
    Ok(())
}
