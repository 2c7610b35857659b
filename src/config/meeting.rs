//! The meeting of the processes of a world: their knowledge before it and after it.

use std::fmt;
use std::net::{IpAddr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The default time limit of start-up.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// A way to pass a text from process 0 to all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// The launcher's PMIx server.
    Pmix,
    /// The launcher's PMI-1, on the socket with this descriptor.
    Pmi(i32),
    /// A file at this path, which all can open.
    File(PathBuf),
    /// A broadcast of MPI. MPI is initialised if the program has not done so.
    Mpi,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Pmix => f.write_str("PMIx"),
            Way::Pmi(_) => f.write_str("PMI"),
            Way::File(path) => write!(f, "the file {}", path.display()),
            Way::Mpi => f.write_str("MPI"),
        }
    }
}

/// The settings by which processes of a launcher learn where process 0 waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The ways; the first that works is used.
    pub ways: Vec<Way>,
    /// The address of this machine on which this process accepts connections, if set.
    pub bind: Option<IpAddr>,
    /// The network interface with that address, if set.
    pub interface: Option<String>,
    /// The time limit of start-up.
    pub timeout: Duration,
}

impl Default for Meeting {
    fn default() -> Meeting {
        Meeting { ways: Vec::new(), bind: None, interface: None, timeout: DEFAULT_TIMEOUT }
    }
}

/// How a process meets the other processes of its world.
#[derive(Clone, PartialEq, Eq)]
pub struct Startup {
    /// The rank of this process, less than `size`.
    pub rank: usize,
    /// The number of processes, at least two.
    pub size: usize,
    /// The host and port at which process 0 waits for the others.
    pub address: String,
    /// The address of this machine on which this process accepts connections.
    pub bind: IpAddr,
    /// The secret that every connection must prove to know.
    pub token: Vec<u8>,
    /// The time limit of start-up.
    pub timeout: Duration,
    /// On process 0: a socket that listens at the address already.
    pub listener: Option<Listener>,
    /// A value to drop once all have met, such as the guard of a file with the secret.
    pub left: Option<Left>,
}

impl fmt::Debug for Startup {
    /// Shows everything except the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Startup")
            .field("rank", &self.rank)
            .field("size", &self.size)
            .field("address", &self.address)
            .field("bind", &self.bind)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// A value of the meeting that is dropped with the last of its handles.
#[derive(Clone)]
pub struct Left(Arc<Mutex<Box<Kept>>>);

/// The type of such a value.
type Kept = dyn std::any::Any + Send;

impl Left {
    pub(crate) fn new(kept: Box<Kept>) -> Left {
        Left(Arc::new(Mutex::new(kept)))
    }
}

impl PartialEq for Left {
    fn eq(&self, other: &Left) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Left {}

/// A listening socket.
#[derive(Clone, Debug)]
pub struct Listener(Arc<TcpListener>);

impl Listener {
    /// Wraps a listening socket.
    pub fn new(socket: TcpListener) -> Listener {
        Listener(Arc::new(socket))
    }

    /// Another handle to the socket.
    pub(crate) fn handle(&self) -> std::io::Result<TcpListener> {
        self.0.try_clone()
    }
}

impl PartialEq for Listener {
    fn eq(&self, other: &Listener) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Listener {}
