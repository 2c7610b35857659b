//! The settings of a rendezvous.

use super::transport::Transport;
use crate::facts::Facts;
use crate::planes::mpi::Library;
use crate::prices::Prices;
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
}
