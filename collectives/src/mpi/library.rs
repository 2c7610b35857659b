//! The MPI library of this process before it is initialised, and its initialisation.
//!
//! To open a library concerns this process alone. To initialise it waits for the other processes of
//! the job, without a limit of its own: so it is done when all are known to have the library, on a
//! thread that is waited for only as long as start-up may take.

use super::abi::Abi;
use super::calls::Calls;
use super::end;
use super::find::Symbols;
#[cfg(feature = "mpi")]
use super::linked::open as linked;
use super::process::{Mpi, MpiOptions, Threads, unavailable};
use super::proof::Obstacle;
use crate::CollectiveError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The MPI library of this process, open and perhaps not initialised.
#[derive(Clone, Debug)]
pub struct Library {
    calls: Arc<dyn Calls>,
    abi: Abi,
    options: MpiOptions,
}

/// How far the initialisation in this process is.
enum Progress {
    /// Nobody here has begun it; the program may have.
    None,
    /// A thread is in it.
    UnderWay,
    /// It has ended.
    Over(Result<Arc<Mpi>, CollectiveError>),
}

static PROGRESS: Mutex<Progress> = Mutex::new(Progress::None);

fn progress() -> MutexGuard<'static, Progress> {
    PROGRESS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Library {
    /// Finds the library: one that is in the process already is the one that is used. Local.
    ///
    /// Errors: `MpiUnavailable` if there is no usable library, or the program has finalised it.
    pub fn open(options: &MpiOptions) -> Result<Library, CollectiveError> {
        if let Some(linked) = linked() {
            return Library::of(linked, options);
        }
        let symbols = Symbols::find(options.library.as_deref(), options.mpich_first);
        Library::of(known(symbols.map_err(unavailable)?)?, options)
    }

    /// The library that the program has brought and initialised, if there is one. Local.
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

    /// What the library is: its interface and the first of its own words. The same for the same
    /// version on another machine.
    pub fn identity(&self) -> String {
        let version = self.calls.version();
        let version = version.lines().next().unwrap_or_default();
        let version = version.split(", ").next().unwrap_or_default().trim_end_matches(['\t', ' ']);
        format!("{version}, interface of {}", self.abi.name())
    }

    /// Whether it says already that it takes GPU memory: MPICH ends a process that asks before it
    /// has begun; Open MPI answers at any time.
    fn can_be_asked(&self) -> bool {
        self.is_open_mpi() || self.is_initialised().unwrap_or(false)
    }

    fn is_open_mpi(&self) -> bool {
        self.calls.version().starts_with("Open MPI")
    }

    /// The identity, what is known of GPU memory, and where the library is.
    pub fn describe(&self) -> String {
        let asked = || self.can_be_asked().then(|| self.calls.takes_device_memory());
        let cuda = match self.options.cuda.map_or_else(asked, |forced| Some(Some(forced))) {
            Some(Some(true)) => "says that it takes GPU memory",
            Some(Some(false)) => "does not take GPU memory",
            Some(None) => "does not say whether it takes GPU memory",
            None => "says when it has begun whether it takes GPU memory",
        };
        format!("{}, {cuda} ({})", self.identity(), self.calls.origin())
    }

    /// How what lies on GPUs goes by it, and why, as far as is known before processes have met.
    pub fn describe_gpus(&self) -> String {
        let forced = self.options.cuda;
        if forced.is_none() && !self.can_be_asked() {
            return String::from("as the MPI library says when it has begun");
        }
        // What the user says counts before what it would say.
        let says = forced.or_else(|| self.calls.takes_device_memory());
        match Obstacle::before(forced, says) {
            Ok(()) => {
                let why = match forced {
                    Some(_) => "PHALANX_MPI_CUDA is 1",
                    None => "the MPI library says that it takes GPU memory",
                };
                format!("from GPU to GPU, if an exchange at start proves it: {why}")
            }
            Err(obstacle) => format!("through pinned memory of the host: {}", obstacle.text()),
        }
    }

    /// Whether it takes addresses of GPU memory, if the program says so itself.
    pub(crate) fn cuda_option(&self) -> Option<bool> {
        self.options.cuda
    }

    /// Whether it cannot begin in a process that has spoken to the launcher's PMIx server itself,
    /// as Open MPI from version 5 cannot: it would end the process.
    pub fn begins_before_pmix(&self) -> bool {
        let version = self.calls.version();
        let number = version.strip_prefix("Open MPI v").and_then(|rest| rest.split('.').next());
        number.and_then(|number| number.parse::<u32>().ok()).is_some_and(|major| major >= 5)
    }

    /// Whether it can begin as one of the processes of the launcher, or why not.
    ///
    /// Open MPI takes variables of SLURM, Flux and PMI for a job of which it is a part, and ends
    /// the process where that launcher does not speak PMIx: Debian's and most sites' are built
    /// without the launcher's own interface. Others begin as a world of one process, which is
    /// noticed.
    pub fn can_begin(&self) -> Result<(), String> {
        match self.options.is_without_pmix && self.is_open_mpi() {
            true => Err(String::from(
                "the launcher offers no PMIx, without which Open MPI cannot begin (srun \
                 --mpi=pmix does; so does Open MPI's mpirun)",
            )),
            false => Ok(()),
        }
    }

    /// Whether anybody in this process has initialised it.
    pub fn is_initialised(&self) -> Result<bool, CollectiveError> {
        self.calls.initialized()
    }

    /// What threads may do, where it is initialised.
    pub fn threads(&self) -> Result<Option<Threads>, CollectiveError> {
        if !self.calls.initialized()? {
            return Ok(None);
        }
        Ok(Some(Threads::of(self.calls.query_thread()?)))
    }

    /// This process's number and the number of all processes, where the library is initialised.
    pub fn place(&self) -> Result<Option<(usize, usize)>, CollectiveError> {
        if !self.calls.initialized()? {
            return Ok(None);
        }
        let world = self.calls.world();
        Ok(Some((self.calls.rank(world)?, self.calls.size(world)?)))
    }

    /// Whether a place that MPI gives this process is the given rank of so many, or what it says.
    pub(crate) fn check_place(
        told: (usize, usize),
        expected: (usize, usize),
    ) -> Result<(), String> {
        if told == expected {
            return Ok(());
        }
        Err(format!("MPI says that this is rank {} of {}", told.0, told.1))
    }

    /// Begins to use the library: initialises it if nobody has. What comes of it is told by
    /// `outcome`.
    ///
    /// The thread that initialises is MPI's main thread, and has to be the one that finalises. It
    /// is one of our own, which stays until the process ends, because one that waits in
    /// `MPI_Init_thread` for a rank that has died cannot be called back. The price is that a
    /// library which lets its main thread alone call it (`MPI_THREAD_FUNNELED`, although all
    /// threads are asked for) is of no use here; a program that has such a library initialises it
    /// itself, on the thread that calls us.
    ///
    /// Collective over the processes of the MPI job where the library is not initialised yet.
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
            // Nobody is waited for, and what thread this is counts.
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

    /// What has come of `begin`; nothing as long as it is under way.
    pub(crate) fn outcome(&self) -> Option<Result<Arc<Mpi>, CollectiveError>> {
        match &*progress() {
            Progress::None => panic!("bug: the outcome of a start that nobody has begun"),
            Progress::UnderWay => None,
            Progress::Over(outcome) => Some(outcome.clone()),
        }
    }

    /// Begins, and waits for as long as it takes.
    pub(super) fn start(&self) -> Result<Arc<Mpi>, CollectiveError> {
        self.begin();
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

/// The library that the program is linked with.
#[cfg(not(feature = "mpi"))]
fn linked() -> Option<(Arc<dyn Calls>, Abi)> {
    None
}

/// The functions of a library that was opened, and its interface.
fn known(symbols: Symbols) -> Result<(Arc<dyn Calls>, Abi), CollectiveError> {
    let abi = Abi::of(&symbols);
    let abi = abi.map_err(|reason| unavailable(format!("{}: {reason}", symbols.origin)))?;
    Ok((abi.load(symbols).map_err(unavailable)?, abi))
}
