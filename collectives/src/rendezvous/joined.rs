//! The result of a rendezvous, from which a world is made.

use super::frames::Connection;
use crate::facts::Facts;
use crate::planes::mpi::Mpi;
use std::sync::Arc;
use std::time::Duration;

/// The program's settings for GPUs and MPI.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wish {
    /// Whether messages must travel by MPI; the same on all ranks.
    pub(crate) is_mpi_asked: bool,
    /// Whether the program states that this process's MPI library accepts addresses of GPU memory.
    pub(crate) takes_device_memory: Option<bool>,
    /// The time limit of start-up.
    pub(crate) timeout: Duration,
}

/// The result of a rendezvous.
pub(crate) struct Joined {
    pub(crate) rank: usize,
    /// Connections by rank; `None` for this process itself.
    pub(crate) connections: Vec<Option<Connection>>,
    pub(crate) device_counts: Vec<usize>,
    pub(crate) facts: Vec<Facts>,
    pub(crate) seed: u64,
    /// The library that carries messages, or the reason why they use TCP.
    pub(crate) mpi: Result<Arc<Mpi>, String>,
}
