//! How messages between processes travel.
//!
//! The developer commands include this file for the table of variables, so it uses the standard
//! library alone.

/// How messages between processes travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Transport {
    /// By MPI if an MPI launcher started the processes and all can use it, otherwise over TCP.
    #[default]
    Auto,
    /// Over TCP.
    Tcp,
    /// By MPI.
    Mpi,
}

impl Transport {
    /// All choices.
    pub const ALL: [Transport; 3] = [Transport::Auto, Transport::Tcp, Transport::Mpi];

    /// The name, as PHALANX_TRANSPORT accepts it.
    pub const fn name(self) -> &'static str {
        match self {
            Transport::Auto => "auto",
            Transport::Tcp => "tcp",
            Transport::Mpi => "mpi",
        }
    }
}
