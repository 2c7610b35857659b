//! The entrance to a world of several processes.

use super::readiness::Transport;
use super::{attend, coordinate, readiness};
use crate::CollectiveError;
use crate::mpi::Library;
use crate::open_files::raise_limit;
use crate::prices::Prices;
use crate::world::{Facts, Wish, World};
use phalanx_ops::waiting::{LOOK, look};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::time::Duration;

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
    /// The MPI library, which is initialised if all ranks have it and nobody has done so, or why
    /// there is none to use.
    pub mpi: Result<Library, String>,
    /// What messages cost, as rank 0 knows it; what others know does not count.
    pub prices: Option<Prices>,
    /// Whether connections are encrypted; the same on all ranks, which do not meet else.
    pub is_encrypted: bool,
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
            prices: None,
            is_encrypted: false,
        }
    }

    /// Meets the others. Collective over all processes; a world of one process opens no socket and
    /// starts no thread.
    ///
    /// Errors: `Token`, `Listen`, `RanksMissing`, `CoordinatorUnreachable`, `Disagreement`,
    /// `DuplicateRank`, `Membership`, `PeerUnreachable`, `RankDied`, `RankSilent`, `Protocol`,
    /// `MpiUnavailable` and `Network`, on every rank that is there; `Closed` when the user gives
    /// up.
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
