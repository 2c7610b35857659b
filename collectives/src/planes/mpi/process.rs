//! The MPI library of this process, found and initialised once for several parts of the program.

use super::calls::{Bits, Calls};
use super::end;
use crate::CollectiveError;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;

/// The program's settings for its MPI library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MpiOptions {
    /// The library to open if none is in the process yet; `None` for one of the system.
    pub library: Option<PathBuf>,
    /// Whether the library accepts addresses of GPU memory; `None` to ask the library.
    pub cuda: Option<bool>,
    /// Whether to look for a library of MPICH's family first, because a launcher of that family
    /// started the process.
    pub mpich_first: bool,
    /// Whether the launcher of the process is known to offer no PMIx.
    pub is_without_pmix: bool,
}

/// The level of threads that may call the library, lowest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Threads {
    /// The program has one thread.
    Single,
    /// Only the thread that initialised the library calls it.
    Funneled,
    /// One thread at a time calls it.
    Serialized,
    /// Any threads call it at the same time.
    Multiple,
}

impl Threads {
    const ALL: [Threads; 4] =
        [Threads::Single, Threads::Funneled, Threads::Serialized, Threads::Multiple];

    /// The level of this number, counted from 0.
    pub(super) fn of(level: usize) -> Threads {
        Threads::ALL[level.min(3)]
    }

    /// MPI's name of the level.
    pub const fn name(self) -> &'static str {
        match self {
            Threads::Single => "MPI_THREAD_SINGLE",
            Threads::Funneled => "MPI_THREAD_FUNNELED",
            Threads::Serialized => "MPI_THREAD_SERIALIZED",
            Threads::Multiple => "MPI_THREAD_MULTIPLE",
        }
    }
}

/// The MPI library of this process.
#[derive(Debug)]
pub struct Mpi {
    pub(super) calls: Arc<dyn Calls>,
    threads: Threads,
    rank: usize,
    size: usize,
    /// The only thread that may call the library, if only one may.
    pub(super) only: Option<ThreadId>,
    /// A communicator of all processes for this crate alone; made when first needed.
    own: Mutex<Option<Bits>>,
}

impl Mpi {
    pub(super) fn begin(calls: Arc<dyn Calls>) -> Result<Mpi, CollectiveError> {
        if calls.finalized()? {
            return Err(unavailable(String::from("the program has finalised it")));
        }
        if !calls.initialized()? {
            calls.init_thread()?;
            // Open MPI reports errors of non-blocking collectives on this communicator, where they
            // would end the process. A program that initialised MPI decides this itself.
            calls.return_errors(calls.world())?;
            end::finalize_at_exit(calls.clone());
        }
        let threads = Threads::of(calls.query_thread()?);
        let only = match threads {
            Threads::Single | Threads::Funneled if calls.is_thread_main()? => {
                Some(std::thread::current().id())
            }
            Threads::Single | Threads::Funneled => {
                return Err(CollectiveError::MpiThreads { provided: threads.name().to_owned() });
            }
            Threads::Serialized | Threads::Multiple => None,
        };
        let world = calls.world();
        let (rank, size) = (calls.rank(world)?, calls.size(world)?);
        Ok(Mpi { calls, threads, rank, size, only, own: Mutex::default() })
    }

    /// The rank of this process in the MPI job.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of processes in the MPI job.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The level of threads.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Copies the bytes of `root` to all processes of the job. All must pass the same number of
    /// bytes. Collective over them.
    ///
    /// Errors: `Mpi`; `MpiThreads` on a thread that may not call.
    pub fn broadcast(&self, bytes: &mut [u8], root: usize) -> Result<(), CollectiveError> {
        self.check_thread()?;
        let own = self.own()?;
        bytes.chunks_mut(1 << 30).try_for_each(|chunk| self.calls.broadcast(own, chunk, root))
    }

    /// A communicator for one world. Collective over the MPI job.
    pub(super) fn communicator(&self) -> Result<Bits, CollectiveError> {
        self.check_thread()?;
        let own = self.own()?;
        self.calls.duplicate(own)
    }

    fn own(&self) -> Result<Bits, CollectiveError> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = *own {
            return Ok(own);
        }
        let made = self.calls.duplicate(self.calls.world())?;
        *own = Some(made);
        Ok(made)
    }

    /// Checks that this thread may call the library.
    pub(super) fn check_thread(&self) -> Result<(), CollectiveError> {
        match self.only {
            Some(only) if only != std::thread::current().id() => {
                Err(CollectiveError::MpiThreads { provided: self.threads.name().to_owned() })
            }
            _ => Ok(()),
        }
    }
}

/// The error of a library that cannot be used.
pub(super) fn unavailable(reason: String) -> CollectiveError {
    CollectiveError::MpiUnavailable { reason }
}
