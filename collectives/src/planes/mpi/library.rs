//! The MPI library of this process before it is initialised, and its initialisation.
//!
//! Opening a library is local to this process. Initialising it waits for the other processes of the
//! job, without a time limit of its own. Therefore it happens only when all are known to have the
//! library, on a thread for which start-up waits no longer than its own limit.

use super::abi::Abi;
use super::calls::Calls;
use super::end;
use super::find::Symbols;
#[cfg(feature = "mpi")]
use super::linked;
use super::obstacle::Obstacle;
use super::process::{Mpi, MpiOptions, Threads, unavailable};
use crate::CollectiveError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The MPI library of this process; it may not be initialised.
#[derive(Clone, Debug)]
pub struct Library {
    calls: Arc<dyn Calls>,
    abi: Abi,
    options: MpiOptions,
}

/// The state of the initialisation in this process.
enum Progress {
    /// This crate has not initialised it; the program may have.
    None,
    /// A thread performs it.
    UnderWay,
    /// It has ended.
    Over(Result<Arc<Mpi>, CollectiveError>),
}

static PROGRESS: Mutex<Progress> = Mutex::new(Progress::None);

fn progress() -> MutexGuard<'static, Progress> {
    PROGRESS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Library {
    /// Finds the library. A library that is in the process already is used. Local.
    ///
    /// Errors: `MpiUnavailable` if there is no usable library, or the program has finalised it.
    pub fn open(options: &MpiOptions) -> Result<Library, CollectiveError> {
        if let Some(linked) = linked() {
            return Library::of(linked, options);
        }
        let symbols = Symbols::find(options.library.as_deref(), options.mpich_first);
        Library::of(known(symbols.map_err(unavailable)?)?, options)
    }

    /// The library that the program has brought and initialised, if any. Local.
    pub fn of_program(options: &MpiOptions) -> Option<Library> {
        let present = linked().or_else(|| known(Symbols::present()?).ok())?;
        let library = Library::of(present, options).ok()?;
        library.is_initialised().unwrap_or(false).then_some(library)
    }

    pub(super) fn of(
        (calls, abi): (Arc<dyn Calls>, Abi),
        options: &MpiOptions,
    ) -> Result<Library, CollectiveError> {
        if calls.finalized()? {
            return Err(unavailable(String::from("the program has finalised it")));
        }
        Ok(Library { calls, abi, options: options.clone() })
    }

    /// The interface and the first part of the library's version text. It is the same for the same
    /// version on another machine.
    pub fn identity(&self) -> String {
        let version = self.calls.version();
        let version = version.lines().next().unwrap_or_default();
        let version = version.split(", ").next().unwrap_or_default().trim_end_matches(['\t', ' ']);
        format!("{version}, interface of {}", self.abi.name())
    }

    /// Whether it can be asked whether it accepts GPU memory. MPICH ends a process that asks before
    /// initialisation; Open MPI answers at any time.
    fn can_be_asked(&self) -> bool {
        self.is_open_mpi() || self.is_initialised().unwrap_or(false)
    }

    fn is_open_mpi(&self) -> bool {
        self.calls.version().starts_with("Open MPI")
    }

    /// The identity, what is known about GPU memory, and the location of the library.
    pub fn describe(&self) -> String {
        let asked = || self.can_be_asked().then(|| self.calls.takes_device_memory());
        let cuda = match self.options.cuda.map_or_else(asked, |forced| Some(Some(forced))) {
            Some(Some(true)) => "says that it accepts GPU memory",
            Some(Some(false)) => "does not accept GPU memory",
            Some(None) => "does not say whether it accepts GPU memory",
            None => "says after its initialisation whether it accepts GPU memory",
        };
        format!("{}, {cuda} ({})", self.identity(), self.calls.origin())
    }

    /// How data on GPUs travels by it, and why, as far as is known before processes meet.
    pub fn describe_gpus(&self) -> String {
        let forced = self.options.cuda;
        if forced.is_none() && !self.can_be_asked() {
            return String::from("known after the initialisation of the MPI library");
        }
        // The user's setting takes precedence over the library's answer.
        let says = forced.or_else(|| self.calls.takes_device_memory());
        match Obstacle::before(forced, says) {
            Ok(()) => {
                let why = match forced {
                    Some(_) => "PHALANX_MPI_CUDA is 1",
                    None => "the MPI library says that it accepts GPU memory",
                };
                format!("from GPU to GPU, if an exchange at start proves it: {why}")
            }
            Err(obstacle) => format!("through pinned memory of the host: {}", obstacle.text()),
        }
    }

    /// The program's setting for whether the library accepts addresses of GPU memory.
    pub(crate) fn cuda_option(&self) -> Option<bool> {
        self.options.cuda
    }

    /// Whether it cannot be initialised after the process has spoken to the launcher's PMIx server.
    /// Open MPI from version 5 cannot: it would end the process.
    pub fn begins_before_pmix(&self) -> bool {
        let version = self.calls.version();
        let number = version.strip_prefix("Open MPI v").and_then(|rest| rest.split('.').next());
        number.and_then(|number| number.parse::<u32>().ok()).is_some_and(|major| major >= 5)
    }

    /// Checks that it can be initialised under this launcher. The error says why not.
    ///
    /// Open MPI interprets variables of SLURM, Flux and PMI as those of its own job, and ends the
    /// process if that launcher does not offer PMIx: Debian's and most sites' builds lack the
    /// launcher's own interface. Other libraries start as a world of one process, which is noticed.
    pub fn can_begin(&self) -> Result<(), String> {
        if self.options.is_without_pmix && self.is_open_mpi() {
            Err(String::from(
                "the launcher offers no PMIx, which Open MPI needs to start (use srun --mpi=pmix \
                 or Open MPI's mpirun)",
            ))
        } else {
            Ok(())
        }
    }

    /// Whether the library is initialised in this process.
    pub fn is_initialised(&self) -> Result<bool, CollectiveError> {
        self.calls.initialized()
    }

    /// The level of threads, if the library is initialised.
    pub fn threads(&self) -> Result<Option<Threads>, CollectiveError> {
        if !self.calls.initialized()? {
            return Ok(None);
        }
        Ok(Some(Threads::of(self.calls.query_thread()?)))
    }

    /// This process's rank and the number of processes, if the library is initialised.
    pub fn place(&self) -> Result<Option<(usize, usize)>, CollectiveError> {
        if !self.calls.initialized()? {
            return Ok(None);
        }
        let world = self.calls.world();
        Ok(Some((self.calls.rank(world)?, self.calls.size(world)?)))
    }

    /// Checks that MPI's rank and size of this process are the expected ones.
    pub(crate) fn check_place(
        actual: (usize, usize),
        expected: (usize, usize),
    ) -> Result<(), String> {
        if actual == expected {
            return Ok(());
        }
        Err(format!("MPI says that this is rank {} of {}", actual.0, actual.1))
    }

    /// Starts to use the library, and initialises it unless that is done. `outcome` returns the
    /// result.
    ///
    /// The thread that initialises the library is MPI's main thread and must finalise it. It is a
    /// thread of our own that lives until the process ends, because a thread that waits in
    /// `MPI_Init_thread` for a dead rank cannot be interrupted. As a consequence, a library that
    /// only its main thread may call (`MPI_THREAD_FUNNELED`, although all threads are requested) is
    /// unusable here. A program with such a library initialises it itself, on the thread that calls
    /// us.
    ///
    /// Collective over the processes of the MPI job if the library is not initialised yet.
    pub(crate) fn begin(&self) {
        let mut progress = progress();
        match *progress {
            Progress::None | Progress::Over(Err(_)) => {}
            Progress::UnderWay | Progress::Over(Ok(_)) => return,
        }
        let begin = {
            let calls = self.calls.clone();
            move || Mpi::begin(calls).map(Arc::new)
        };
        if self.calls.initialized() == Ok(true) {
            // This waits for no process, and the identity of the calling thread matters.
            *progress = Progress::Over(begin());
            return;
        }
        let calls = self.calls.clone();
        let spawned =
            std::thread::Builder::new().name(String::from("phalanx-mpi-main")).spawn(move || {
                let begun = begin();
                let begun = begun.and_then(|mpi| match mpi.threads() {
                    Threads::Serialized | Threads::Multiple => Ok(mpi),
                    threads => {
                        Err(CollectiveError::MpiThreads { provided: threads.name().to_owned() })
                    }
                });
                end::announce();
                *self::progress() = Progress::Over(begun);
                end::serve(&*calls);
            });
        *progress = match spawned {
            Ok(_) => Progress::UnderWay,
            Err(error) => Progress::Over(Err(CollectiveError::network(&error))),
        };
    }

    /// The result of `begin`; `None` while it is running.
    pub(crate) fn outcome(&self) -> Option<Result<Arc<Mpi>, CollectiveError>> {
        match &*progress() {
            Progress::None => panic!("bug: the library was not started"),
            Progress::UnderWay => None,
            Progress::Over(outcome) => Some(outcome.clone()),
        }
    }

    /// Starts to use the library and waits without a limit.
    fn start(&self) -> Result<Arc<Mpi>, CollectiveError> {
        self.begin();
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

impl Mpi {
    /// Finds the library and initialises it unless that is done. A library that is in the process
    /// already is used. Later calls return the same. Waits for the other processes without a limit;
    /// a `Rendezvous` does the same within one.
    ///
    /// Collective over the processes of the MPI job if the library is not initialised yet.
    /// Errors: `MpiUnavailable` if there is no usable library, or the program has finalised it;
    /// `MpiThreads` and `Mpi`.
    pub fn load(options: &MpiOptions) -> Result<Arc<Mpi>, CollectiveError> {
        Library::open(options)?.start()
    }
}

/// The library that the program is linked with.
#[cfg(feature = "mpi")]
fn linked() -> Option<(Arc<dyn Calls>, Abi)> {
    Some((linked::open(), Abi::Linked))
}

/// The library that the program is linked with.
#[cfg(not(feature = "mpi"))]
fn linked() -> Option<(Arc<dyn Calls>, Abi)> {
    None
}

/// The functions of an opened library, and its interface.
fn known(symbols: Symbols) -> Result<(Arc<dyn Calls>, Abi), CollectiveError> {
    let abi = Abi::of(&symbols);
    let abi = abi.map_err(|reason| unavailable(format!("{}: {reason}", symbols.origin)))?;
    Ok((abi.load(symbols).map_err(unavailable)?, abi))
}
