//! The entry to a world of several processes.

use super::readiness::Transport;
use super::{attend, coordinate, readiness};
use crate::CollectiveError;
use crate::open_files::raise_limit;
use crate::planes::mpi::Library;
use crate::prices::Prices;
use crate::world::{Facts, Wish, World};
use phalanx_waiting::{LOOK, look};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::time::Duration;

/// The settings with which a process joins the meeting of all processes of a program.
pub struct Rendezvous {
    /// The number of this process.
    pub rank: usize,
    /// The number of processes.
    pub size: usize,
    /// Where rank 0 listens, as `host:port`.
    pub address: String,
    /// The address of this machine to listen on; loopback by default.
    pub bind: IpAddr,
    /// The secret that all processes share.
    pub token: Vec<u8>,
    /// How long to wait for the other processes.
    pub timeout: Duration,
    /// The number of devices of this process.
    pub local_devices: usize,
    /// The settings that must be equal on all ranks, such as the version and the configuration.
    pub agreement: Facts,
    /// Facts for the other processes that may differ, such as memory limits.
    pub facts: Facts,
    /// On rank 0: a socket that already listens. It replaces one made for `bind` and the port of
    /// `address`.
    pub listener: Option<TcpListener>,
    /// How messages between processes travel; the same on all ranks.
    pub transport: Transport,
    /// How long a rank may send no sign of life before the world ends; `None` for no limit. Must be
    /// the same on all ranks, because it decides the interval of signs of life.
    pub stall: Option<Duration>,
    /// The MPI library, or why there is none. If all ranks have it and it is not initialised, the
    /// rendezvous initialises it.
    pub mpi: Result<Library, String>,
    /// The cost of messages. Only the table of rank 0 counts.
    pub prices: Option<Prices>,
    /// Whether connections are encrypted. Must be the same on all ranks, or they cannot meet.
    pub is_encrypted: bool,
}

impl Rendezvous {
    /// A rendezvous on loopback with one device a process, an empty token and a minute of time-out.
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
            mpi: Err(String::from("MPI was not requested")),
            prices: None,
            is_encrypted: false,
        }
    }

    /// Meets the others. Collective over all processes; a world of one process opens no socket and
    /// starts no thread.
    ///
    /// Errors: `Token`, `Listen`, `RanksMissing`, `CoordinatorUnreachable`, `Disagreement`,
    /// `DuplicateRank`, `Membership`, `PeerUnreachable`, `RankDied`, `RankSilent`, `Protocol`,
    /// `MpiUnavailable` and `Network`, on every present rank; `Closed` if the user interrupts the
    /// call.
    pub fn join(mut self) -> Result<World, CollectiveError> {
        let Rendezvous { rank, size, local_devices, .. } = self;
        if rank >= size || local_devices == 0 {
            return Err(CollectiveError::Membership { rank, size, local_devices });
        }
        if size == 1 {
            return World::alone(local_devices, self.facts);
        }
        raise_limit();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| CollectiveError::network(&error))?;
        let listener = self.listener.take();
        let transport = self.transport;
        self.facts.extend(readiness::facts(&self));
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
        if let (Transport::Mpi, Err(reason)) = (transport, &joined.mpi) {
            return Err(CollectiveError::MpiUnavailable { reason: reason.clone() });
        }
        let wish = Wish {
            is_mpi_asked: transport == Transport::Mpi,
            takes_device_memory: self.mpi.as_ref().ok().and_then(Library::cuda_option),
            timeout: self.timeout,
        };
        Ok(World::connected(runtime, joined, self.stall)?.with(wish))
    }
}
