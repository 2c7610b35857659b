//! The MPI library of this process: found, initialised, and used by several parts of the program.

use super::calls::{Bits, Calls};
use super::end;
use super::library::Library;
use crate::CollectiveError;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;

/// What a program says about its MPI library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MpiOptions {
    /// The library to open when none is in the process yet; one of the system's if there is none.
    pub library: Option<PathBuf>,
    /// Whether the library takes addresses of GPU memory; asked of the library if it is not said.
    pub cuda: Option<bool>,
    /// Whether a library of MPICH's family is looked for first, because a launcher of that family
    /// has started the process.
    pub mpich_first: bool,
    /// Whether a launcher has started the process that is known to offer no PMIx.
    pub is_without_pmix: bool,
}

/// What threads may do with the library, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Threads {
    /// The program has one thread.
    Single,
    /// Only the thread that initialised the library calls it.
    Funneled,
    /// One thread at a time.
    Serialized,
    /// All at the same time.
    Multiple,
}

impl Threads {
    const ALL: [Threads; 4] =
        [Threads::Single, Threads::Funneled, Threads::Serialized, Threads::Multiple];

    /// The level of a number from 0.
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
    /// The one thread that may call the library, where only one may.
    pub(super) only: Option<ThreadId>,
    /// A communicator of all processes that nobody else uses; made when it is first needed.
    own: Mutex<Option<Bits>>,
}

impl Mpi {
    /// Finds the library, and initialises it if nobody has: one that is in the process already is
    /// the one that is used. Later calls give the same. Waits for the other processes without a
    /// limit; a `Rendezvous` does the same within one.
    ///
    /// Collective over the processes of the MPI job where the library is not initialised yet.
    /// Errors: `MpiUnavailable` if there is no usable library, or the program has finalised it;
    /// `MpiThreads` and `Mpi`.
    pub fn load(options: &MpiOptions) -> Result<Arc<Mpi>, CollectiveError> {
        Library::open(options)?.start()
    }

    pub(super) fn begin(calls: Arc<dyn Calls>) -> Result<Mpi, CollectiveError> {
        if calls.finalized()? {
            return Err(unavailable(String::from("the program has finalised it")));
        }
        if !calls.initialized()? {
            calls.init_thread()?;
            // Open MPI tells errors of collectives that do not wait there, where they would end the
            // process. A program that has begun MPI decides that for itself.
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

    /// This process's number in the MPI job.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The processes of the MPI job.
    pub fn size(&self) -> usize {
        self.size
    }

    /// What threads may do.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Copies the bytes of `root`, whose number all know, to all processes of the job. Collective
    /// over them.
    ///
    /// Errors: `Mpi`; `MpiThreads` on a thread that may not call.
    pub fn broadcast(&self, bytes: &mut [u8], root: usize) -> Result<(), CollectiveError> {
        self.check_thread()?;
        let own = self.own()?;
        bytes.chunks_mut(1 << 30).try_for_each(|chunk| self.calls.broadcast(own, chunk, root))
    }

    /// A communicator for one world. Collective over the job.
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

    /// Whether this thread may call the library.
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
