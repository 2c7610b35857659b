//! The MPI library of this process: found, initialised, and used by several parts of the program.

use super::abi::Abi;
use super::calls::{Bits, Calls};
use super::end;
use super::find::Symbols;
use crate::CollectiveError;
use std::convert::Infallible;
use std::io::Write;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

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
    /// How long the library may take to initialise itself, which it does for ever where another
    /// process does not come; then this process ends, for nobody can interrupt it.
    pub timeout: Option<Duration>,
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
    abi: Abi,
    threads: Threads,
    rank: usize,
    size: usize,
    /// The one thread that may call the library, where only one may.
    pub(super) only: Option<ThreadId>,
    cuda: Option<bool>,
    /// A communicator of all processes that nobody else uses; made when it is first needed.
    own: Mutex<Option<Bits>>,
}

impl Mpi {
    /// Finds the library, and initialises it if nobody has: one that is in the process already is
    /// the one that is used. Once for a process; later calls give the same.
    ///
    /// Collective over the processes of the MPI job where the library is not initialised yet.
    /// Errors: `MpiUnavailable` if there is no usable library, or the program has finalised it;
    /// `Mpi` if a call fails.
    pub fn load(options: &MpiOptions) -> Result<Arc<Mpi>, CollectiveError> {
        static LOADED: OnceLock<Result<Arc<Mpi>, CollectiveError>> = OnceLock::new();
        let loaded = LOADED.get_or_init(|| {
            let (calls, abi) = Mpi::open(options).map_err(unavailable)?;
            Mpi::begin(calls, abi, options).map(Arc::new)
        });
        let mpi = loaded.clone()?;
        if mpi.calls.finalized()? {
            return Err(unavailable(String::from("the program has finalised it")));
        }
        Ok(mpi)
    }

    /// What `load` would find, without initialising it: the library's own words and where it is.
    ///
    /// Errors: `MpiUnavailable`.
    pub fn describe(options: &MpiOptions) -> Result<String, CollectiveError> {
        let (calls, abi) = Mpi::open(options).map_err(unavailable)?;
        let version = calls.version();
        let version = version.lines().next().unwrap_or_default();
        let version = version.split(", ").next().unwrap_or_default().trim_end_matches(['\t', ' ']);
        let interface = format!("interface of {}", abi.name());
        let cuda = match options.cuda.or_else(|| calls.takes_device_memory()) {
            Some(true) => "says that it takes GPU memory",
            Some(false) => "does not take GPU memory",
            None => "does not say whether it takes GPU memory",
        };
        Ok(format!("{version}, {interface}, {cuda} ({})", calls.origin()))
    }

    fn open(options: &MpiOptions) -> Result<(Arc<dyn Calls>, Abi), String> {
        let symbols = Symbols::find(options.library.as_deref(), options.mpich_first)?;
        let abi = Abi::of(&symbols).map_err(|reason| format!("{}: {reason}", symbols.origin))?;
        Ok((abi.load(symbols)?, abi))
    }

    pub(super) fn begin(
        calls: Arc<dyn Calls>,
        abi: Abi,
        options: &MpiOptions,
    ) -> Result<Mpi, CollectiveError> {
        if calls.finalized()? {
            return Err(unavailable(String::from("the program has finalised it")));
        }
        if !calls.initialized()? {
            within(options.timeout, || calls.init_thread())?;
            end::finalize_at_exit(calls.clone());
        }
        let threads = Threads::ALL[calls.query_thread()?];
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
        let cuda = options.cuda.or_else(|| calls.takes_device_memory());
        Ok(Mpi { calls, abi, threads, rank, size, only, cuda, own: Mutex::default() })
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

    /// The family of the library's binary interface.
    pub fn interface(&self) -> &'static str {
        self.abi.name()
    }

    /// Whether the library takes addresses of GPU memory, as it says or the options do; nothing
    /// if neither does.
    pub fn takes_device_memory(&self) -> Option<bool> {
        self.cuda
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

    /// Ends all processes of the job with an exit code.
    pub fn abort(&self, code: i32) {
        self.calls.abort(self.calls.world(), code);
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

/// Has the library initialise itself, and ends the process if it does not return in time.
fn within<T>(limit: Option<Duration>, initialise: impl FnOnce() -> T) -> T {
    let (running, over) = channel::<Infallible>();
    if let Some(limit) = limit {
        let watch = move || {
            if over.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                let reason = format!("it has not returned within {} s", limit.as_secs_f64());
                let error = CollectiveError::Mpi { call: String::from("MPI_Init_thread"), reason };
                // Nothing is to be done where standard error takes nothing.
                let (code, hint) = (error.code(), error.hint());
                let told = format!("error[{code}]: {error}\n  hint    {hint}\n");
                let _ = std::io::stderr().write_all(told.as_bytes());
                // SAFETY: ends the process at once and runs nothing of it.
                unsafe { libc::_exit(1) };
            }
        };
        // Without a thread the library is waited for as long as it takes.
        let _ = std::thread::Builder::new().name(String::from("phalanx-mpi-watch")).spawn(watch);
    }
    let outcome = initialise();
    drop(running);
    outcome
}

fn unavailable(reason: String) -> CollectiveError {
    CollectiveError::MpiUnavailable { reason }
}
