//! Sessions: the start and the end of a program's work with Phalanx.

use crate::binding::bind;
use crate::config::{Config, ConfigError, Devices, Listener, MemoryLimit, Startup, Transport};
use crate::placement::Launcher;
use phalanx_collectives::mpi::Library;
use phalanx_collectives::{CollectiveError, Facts, Pmi, Process, Rendezvous, World, device_facts};
use phalanx_device::cuda::{Compiler, CudaDevice, Properties};
use phalanx_device::{Device, DeviceError, NullDevice};
use phalanx_distributed::Policy;
use phalanx_graph::{Engine, Error, Failure, Limits, MeshHandle, Site, call_site};
use phalanx_ops::Mesh;
use phalanx_scheduler::{Counters, RunError, Session as Scheduler, SessionOptions};
use phalanx_waiting::{interruptible, lock};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An error of [`init`].
#[derive(Debug, thiserror::Error)]
#[error("{failure}\n  from    {site}")]
pub struct InitError {
    failure: Box<InitFailure>,
    site: Site,
}

/// Why a session does not start.
#[derive(Debug, thiserror::Error)]
pub enum InitFailure {
    /// Another session has started and not ended.
    #[error("a session has already started at {begun}")]
    Begun {
        /// The call that started it.
        begun: Site,
    },
    /// The processes did not meet.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// The processes could not exchange what they need to meet.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A device could not be set up.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl InitFailure {
    /// The code of a request at a time when the session does not allow it.
    pub const NOT_NOW: &'static str = "PX153";
}

impl InitError {
    pub(crate) fn new(failure: impl Into<InitFailure>, site: Site) -> InitError {
        InitError { failure: Box::new(failure.into()), site }
    }

    /// What went wrong.
    pub fn failure(&self) -> &InitFailure {
        &self.failure
    }

    /// The call that tried to start the session.
    pub fn site(&self) -> Site {
        self.site
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        Failure::code(&*self.failure)
    }

    /// How to correct the error.
    pub fn hint(&self) -> &'static str {
        Failure::hint(&*self.failure)
    }
}

impl Failure for InitFailure {
    fn code(&self) -> &'static str {
        match self {
            InitFailure::Begun { .. } => InitFailure::NOT_NOW,
            InitFailure::Collective(error) => error.code(),
            InitFailure::Config(error) => error.code(),
            InitFailure::Run(error) => error.code(),
        }
    }
    fn hint(&self) -> &'static str {
        match self {
            InitFailure::Begun { .. } => {
                "call init once and keep its session; `finish` or drop it before another session \
                 starts, or nest sessions with `Session::with_options`"
            }
            InitFailure::Collective(error) => error.hint(),
            InitFailure::Config(error) => error.hint(),
            InitFailure::Run(error) => error.hint(),
        }
    }
}

/// Lets `?` convert it in a function whose other errors are those of arrays.
impl From<InitError> for Error {
    fn from(error: InitError) -> Error {
        Error::failure(*error.failure, Some(error.site))
    }
}

static RANK: AtomicUsize = AtomicUsize::new(0);
static SIZE: AtomicUsize = AtomicUsize::new(1);
/// Stands for no process: no program forks this often.
const NOBODY: u64 = u64::MAX;
/// The key of the agreement between ranks on their kinds of devices.
pub(crate) const DEVICES: &str = "devices";
/// The process that started the newest session.
static PROCESS: AtomicU64 = AtomicU64::new(NOBODY);
/// The sessions that have started and not ended, the newest last.
static SESSIONS: Mutex<Vec<Begun>> = Mutex::new(Vec::new());

/// A started session, and the default mesh that it replaced.
struct Begun {
    mesh: MeshHandle,
    /// The default mesh before it; never the mesh of an ended session.
    replaced: Option<MeshHandle>,
}

/// The call of [`init`] whose session is running or about to start.
static INITIALISED: Mutex<Option<Site>> = Mutex::new(None);

fn sessions() -> MutexGuard<'static, Vec<Begun>> {
    SESSIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn become_rank(rank: usize, size: usize) {
    RANK.store(rank, Ordering::Relaxed);
    SIZE.store(size, Ordering::Relaxed);
}

/// Makes the mesh of a new session the default.
fn begin(mesh: &MeshHandle) {
    PROCESS.store(Process::own().number(), Ordering::Relaxed);
    let mut sessions = sessions();
    let replaced = MeshHandle::set_default(Some(mesh.clone()));
    sessions.push(Begun { mesh: mesh.clone(), replaced });
    become_newest(&sessions);
}

/// Restores the default mesh that a session replaced, unless another mesh is the default now. The
/// mesh of this session never becomes the default again, in whatever order sessions end.
fn end(mesh: &MeshHandle) {
    let mut sessions = sessions();
    let Some(position) = sessions.iter().position(|begun| begun.mesh.same(mesh)) else { return };
    let ended = sessions.remove(position);
    for later in &mut sessions[position..] {
        if later.replaced.as_ref().is_some_and(|replaced| replaced.same(mesh)) {
            later.replaced.clone_from(&ended.replaced);
        }
    }
    let current = MeshHandle::set_default(ended.replaced);
    if current.as_ref().is_none_or(|current| !current.same(mesh)) {
        MeshHandle::set_default(current);
    }
    become_newest(&sessions);
}

/// Gives the process its rank in the newest session.
fn become_newest(sessions: &[Begun]) {
    if let Some(newest) = sessions.last() {
        let (rank, size) = newest.mesh.engine().process();
        become_rank(rank, size);
    }
}

/// The memory of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemory {
    /// The bytes of arrays and of running plans.
    pub in_use: usize,
    /// The largest number of bytes that it has held.
    pub peak: usize,
    /// The largest number of bytes that it may hold, if there is a limit.
    pub limit: Option<usize>,
    /// On a GPU: the bytes that are kept for later arrays, and the number of their blocks.
    pub cached: (usize, usize),
}

/// A process of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessFacts {
    /// The host on which it runs.
    pub host: String,
    /// The number of its devices.
    pub devices: usize,
}

/// A program's work with Phalanx, from [`init`] until it is finished or dropped.
pub struct Session {
    scheduler: Arc<Scheduler>,
    mesh: MeshHandle,
    /// The call that made it.
    site: Site,
    /// Whether [`init`] started it.
    is_initial: bool,
}

/// Meets the other processes, sets up this process's devices, and makes their mesh the default.
///
/// Collective over all processes. Errors: those of the rendezvous (a wrong token, a port in use, a
/// rank that never arrives, a configuration that differs between ranks) and of devices; `PX153`
/// while another session of `init` is running.
#[track_caller]
pub fn init(config: Config) -> Result<Session, InitError> {
    let site = call_site();
    let begun = lock(&INITIALISED).replace(site);
    if let Some(begun) = begun {
        *lock(&INITIALISED) = Some(begun);
        return Err(InitError::new(InitFailure::Begun { begun }, site));
    }
    let session = Session::with_options(config, None, Policy::default(), Limits::default());
    match session {
        Ok(mut session) => {
            session.is_initial = true;
            Ok(session)
        }
        Err(error) => {
            *lock(&INITIALISED) = None;
            Err(error)
        }
    }
}

/// The rank of this process. Local.
pub fn rank() -> usize {
    RANK.load(Ordering::Relaxed)
}

/// The number of processes. Local.
pub fn size() -> usize {
    SIZE.load(Ordering::Relaxed)
}

/// Checks that this process started the newest session. A process forked after `init` has the
/// memory of a session, but neither its threads nor its place in the world. Local.
///
/// Errors: `PX037`.
#[track_caller]
pub fn check_process() -> Result<(), Error> {
    match PROCESS.load(Ordering::Relaxed) {
        NOBODY => Ok(()),
        begun if begun == Process::own().number() => Ok(()),
        _ => Err(Error::failure(RunError::Forked, Some(call_site()))),
    }
}

/// Shares the outcome of a local action with all ranks: an error of any rank is an error of all.
///
/// Collective over the mesh; every rank passes its own outcome. Errors: `PX032` with the rank and
/// its message.
#[track_caller]
pub fn agree(outcome: Result<(), String>) -> Result<(), Error> {
    let site = call_site();
    match MeshHandle::current() {
        Some(mesh) => mesh.together(site)?.agree(outcome, site),
        None => Err(Error::failure(phalanx_array::NotInitialised, Some(site))),
    }
}

/// Declares that these bytes are equal on all ranks, such as the name of a file that one rank is to
/// write. The next step that all ranks take together compares them. Local.
///
/// Errors: without a session; later `PX062` with the call sites, on all ranks, if the bytes differ.
#[track_caller]
pub fn declare(data: &[u8]) -> Result<(), Error> {
    let site = call_site();
    match MeshHandle::current() {
        Some(mesh) => {
            mesh.engine().declare(data, site);
            Ok(())
        }
        None => Err(Error::failure(phalanx_array::NotInitialised, Some(site))),
    }
}

impl Session {
    /// As [`init`], with another mesh than a line of all devices, and with other sizes at which
    /// arrays are split and windows close. These must be equal on all ranks.
    #[track_caller]
    pub fn with_options(
        config: Config,
        mesh: Option<Mesh>,
        policy: Policy,
        limits: Limits,
    ) -> Result<Session, InitError> {
        crate::logging::start(config.log);
        let site = call_site();
        let config = config.meet().map_err(|error| InitError::new(error, site))?;
        let devices = gpus(&config).map_err(|error| InitError::new(RunError::from(error), site))?;
        let own: Vec<Arc<CudaDevice>> = devices.iter().filter_map(gpu).collect();
        if devices.is_empty()
            && let Some(reason) = config.passed_over()
        {
            tracing::warn!(%reason, "the CPU is used, although GPUs exist");
        }
        // The threads of devices, which are started below, inherit this from the calling thread.
        tracing::info!("{}", bind(&config, &own));
        let count = match &config.devices {
            Devices::Cpu(count) => *count,
            // All kinds of GPUs have been opened by now.
            _ => devices.len().max(1),
        };
        let own_limit = memory_limit(&config, count, &devices);
        let world = world(&config, own_limit, count, &devices, mesh.as_ref(), &policy, &limits);
        let world = world.map_err(|failure| InitError::new(failure, site))?;
        become_rank(world.rank(), world.size());
        // The smallest limit of all ranks, so that all ranks refuse the same work.
        let told = world.facts().iter().flatten().filter(|(name, _)| name == "memory_limit");
        let told = told.filter_map(|(_, limit)| limit.parse::<usize>().ok());
        let memory_limit = told.chain(own_limit).min();
        devices.iter().filter_map(gpu).for_each(|gpu| gpu.set_memory_limit(memory_limit));
        let options = SessionOptions {
            mesh,
            threads: config.threads,
            memory_limit,
            policy,
            limits,
            devices,
            ..SessionOptions::default()
        };
        let scheduler = Scheduler::new(world, options);
        let scheduler = scheduler.map_err(|failure| {
            become_newest(&sessions());
            InitError::new(failure, site)
        })?;
        let engine: Arc<dyn Engine> = scheduler.clone();
        let mesh = MeshHandle::new(engine);
        begin(&mesh);
        Ok(Session { scheduler, mesh, site, is_initial: false })
    }

    /// The mesh of all devices.
    pub fn mesh(&self) -> &Mesh {
        self.mesh.mesh()
    }

    /// The mesh with its open window, for arrays on this mesh whatever the default is.
    pub fn handle(&self) -> &MeshHandle {
        &self.mesh
    }

    /// A mesh of this process's devices alone, for work that depends on the rank. It posts no
    /// tickets, and arrays on it belong to this process. Arrays of different meshes cannot be
    /// mixed; `Array::local_shards` and `Array::from_local` convert between them. Local.
    ///
    /// Errors: `PX051` if threads cannot be started.
    #[track_caller]
    pub fn local(&self) -> Result<MeshHandle, InitError> {
        let site = call_site();
        let local = self.scheduler.local().map_err(|failure| InitError::new(failure, site))?;
        Ok(MeshHandle::new(local))
    }

    /// The processes, by rank. Local.
    pub fn processes(&self) -> Vec<ProcessFacts> {
        let world = self.scheduler.world();
        let own = (world.size() == 1).then(phalanx_collectives::host_name);
        let hosts = own.into_iter().chain(world.hosts().map(str::to_owned));
        let pairs = hosts.zip(world.device_counts());
        pairs.map(|(host, &devices)| ProcessFacts { host, devices }).collect()
    }

    /// What carries messages between processes, `mpi` or `tcp`, with the reason against MPI;
    /// `local` if there is one process. Local.
    pub fn transport(&self) -> (&'static str, Option<&str>) {
        let world = self.scheduler.world();
        (world.transport(), world.without_mpi())
    }

    /// How data in GPU memory travels between devices, and why; `None` unless there are several
    /// devices and all are GPUs. Local.
    pub fn gpu_path(&self) -> Option<String> {
        self.scheduler.world().gpu_path().map(ToString::to_string)
    }

    /// Counters of the session's work so far. Local.
    pub fn counters(&self) -> Counters {
        self.scheduler.counters()
    }

    /// The largest number of bytes that a device of this process has held. Local.
    pub fn peak_bytes(&self) -> usize {
        self.scheduler.devices().iter().map(|device| device.peak_bytes()).max().unwrap_or(0)
    }

    /// The memory of each device of this process. Local.
    pub fn memory(&self) -> Vec<DeviceMemory> {
        let devices = self.scheduler.devices().iter().map(|device| DeviceMemory {
            in_use: device.bytes_in_use(),
            peak: device.peak_bytes(),
            limit: device.memory_limit(),
            cached: gpu(device).map_or((0, 0), |gpu| gpu.cached()),
        });
        devices.collect()
    }

    /// The GPUs of this process, in the order of its devices; empty on CPUs. Local.
    pub fn gpus(&self) -> Vec<Arc<CudaDevice>> {
        self.scheduler.devices().iter().filter_map(gpu).collect()
    }

    /// Resets the peak to the present use of memory. Local.
    pub fn reset_peak(&self) {
        self.scheduler.devices().iter().for_each(|device| device.reset_peak());
    }

    /// Waits for all started work and for the other processes, then leaves the world normally.
    ///
    /// Collective: every rank ends at the same point of the program. Errors: the first error that
    /// [`deferred_errors`](crate::deferred_errors) deferred and nothing raised, that of work in
    /// flight, or why the world ended. A session that is dropped instead does not wait for the
    /// others. If they continue, they receive an error that names where this session was made, or
    /// the last error that this program received; if the program panics, they receive that at once.
    /// [`run`](Session::run) passes any error of the program on.
    #[track_caller]
    pub fn finish(self) -> Result<(), Error> {
        let site = call_site();
        self.warn_of_unseen();
        let deferred = phalanx_array::raise_deferred(&self.mesh, site);
        let finished = self.scheduler.finish(site);
        deferred.and(finished)
    }

    /// Runs a program to its end. If it succeeds, [`finish`](Session::finish) follows. If it fails
    /// on this rank, the others at once receive the text of its error (PX063).
    ///
    /// Collective, like the program. Errors: the program's, and those of `finish`.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let total = phalanx::init(phalanx::Config::from_env()?)?.run(|_| {
    ///     let x = phalanx::arange(0, 10, 1);
    ///     Ok::<i64, phalanx::Error>(x.sum(()).item()?)
    /// })?;
    /// assert_eq!(total, 45);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn run<T, E: From<Error> + ToString>(
        self,
        program: impl FnOnce(&Session) -> Result<T, E>,
    ) -> Result<T, E> {
        match program(&self) {
            Ok(outcome) => {
                self.finish()?;
                Ok(outcome)
            }
            Err(error) => {
                let text = error.to_string();
                self.abort(text.lines().next().unwrap_or_default());
                Err(error)
            }
        }
    }

    /// Ends the world on all ranks because the program failed on this rank. The session cannot be
    /// used any more. The others at once receive an error with the message. Local.
    pub fn abort(&self, message: &str) {
        self.scheduler.abort("program", message);
    }

    /// Checks that the world is running, for a program's own wait for other processes. Local.
    ///
    /// Errors: why the world has ended.
    #[track_caller]
    pub fn check(&self) -> Result<(), Error> {
        self.scheduler.check(call_site())
    }

    /// As [`Session::abort`], for a program that ends. It does not wait for running work, and keeps
    /// that work's memory until the process ends. A process that does not end within 8 s is ended,
    /// because it may wait for processes that are gone. Local.
    pub fn fail(self, message: &str) {
        self.scheduler.fail("program", message);
        self.ended();
        std::mem::forget(self);
    }

    fn ended(&self) {
        end(&self.mesh);
        if self.is_initial {
            *lock(&INITIALISED) = None;
        }
    }

    /// Warns of the errors of arrays that nobody has looked at. All ranks have the same.
    fn warn_of_unseen(&self) {
        let (errors, more) = self.mesh.unseen_errors();
        if self.scheduler.world().rank() > 0 {
            return;
        }
        for error in &errors {
            eprintln!(
                "phalanx: an array carries an error that the program never examined:\n{error}"
            );
        }
        if more > 0 {
            eprintln!("phalanx: and {more} more");
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.scheduler.abort("panic", "its program panicked");
        }
        if !std::thread::panicking() {
            self.warn_of_unseen();
        }
        // A program that needs the outcome calls `finish`.
        let _ = self.scheduler.leave(self.site);
        self.ended();
    }
}

/// The GPU behind a device, if it is one.
fn gpu(device: &Arc<dyn Device>) -> Option<Arc<CudaDevice>> {
    device.as_any().downcast_ref::<CudaDevice>().and_then(CudaDevice::handle)
}

/// The GPUs that a configuration requests; empty for CPU devices.
pub(crate) fn gpus(config: &Config) -> Result<Vec<Arc<dyn Device>>, DeviceError> {
    if let Devices::NullCuda(count) = &config.devices {
        let planned =
            |at| -> Arc<dyn Device> { NullDevice::new(at, config.cuda.save_source.clone()) };
        return Ok((0..*count).map(planned).collect());
    }
    let open = |ordinal| -> Result<Arc<dyn Device>, DeviceError> {
        Ok(CudaDevice::new(ordinal, None, &config.cuda)?)
    };
    config.own_gpus()?.into_iter().map(open).collect()
}

/// The memory limit of each device of this process: the smallest of their limits.
fn memory_limit(config: &Config, count: usize, devices: &[Arc<dyn Device>]) -> Option<usize> {
    let limit = config.memory_limit?;
    let gpus = devices.iter().filter_map(gpu).map(|gpu| limit.of(gpu.properties().memory));
    gpus.min().or_else(|| match limit {
        MemoryLimit::Bytes(bytes) => Some(bytes),
        MemoryLimit::Percent(_) => Some(limit.of(machine_memory()? / count)),
    })
}

/// The memory of this machine in bytes, if the system reports it.
fn machine_memory() -> Option<usize> {
    let known = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = known.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: usize = total.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

pub(crate) fn world(
    config: &Config,
    memory_limit: Option<usize>,
    count: usize,
    devices: &[Arc<dyn Device>],
    mesh: Option<&Mesh>,
    policy: &Policy,
    limits: &Limits,
) -> Result<World, CollectiveError> {
    let Some(startup) = &config.startup else { return World::local(count) };
    let fact = |name: &str, value: String| (String::from(name), value);
    let mut rendezvous = Rendezvous::new(startup.rank, startup.size, startup.address.clone());
    rendezvous.bind = startup.bind;
    rendezvous.token = startup.token.clone();
    rendezvous.timeout = startup.timeout;
    rendezvous.stall = config.stall;
    rendezvous.is_encrypted = config.is_encrypted;
    rendezvous.local_devices = count;
    let unusable = |error: std::io::Error| CollectiveError::Listen {
        address: startup.address.clone(),
        reason: error.to_string(),
    };
    rendezvous.listener =
        startup.listener.as_ref().map(Listener::handle).transpose().map_err(unusable)?;
    rendezvous.agreement = Facts::from_iter([
        // First, because settings may differ when versions differ.
        fact("version", String::from(env!("CARGO_PKG_VERSION"))),
        fact(DEVICES, kinds(devices)),
        // Matrix products of a library may differ in their last bits between instruction sets.
        fact("instruction set", instruction_set()),
        fact("PHALANX_STALL", config.stall.map_or(0.0, |stall| stall.as_secs_f64()).to_string()),
        fact("PHALANX_TF32", u8::from(config.cuda.tf32).to_string()),
        fact("mesh", mesh.map_or(String::from("a line of all devices"), Mesh::to_string)),
        fact("policy", format!("{policy:?}")),
        fact("limits", format!("{limits:?}")),
    ]);
    rendezvous.facts = device_facts(devices);
    rendezvous.facts.extend(memory_limit.map(|limit| fact("memory_limit", limit.to_string())));
    rendezvous.transport = match config.transport {
        Transport::Auto => phalanx_collectives::Transport::Auto,
        Transport::Tcp => phalanx_collectives::Transport::Tcp,
        Transport::Mpi => phalanx_collectives::Transport::Mpi,
    };
    rendezvous.mpi = mpi(config, startup);
    rendezvous.prices.clone_from(&config.prices);
    // A user who interrupts the wait for the other ranks gets no world.
    let world = interruptible(None, || rendezvous.join()).unwrap_or(Err(CollectiveError::Closed));
    world.inspect(|world| {
        let (transport, reason) = (world.transport(), world.without_mpi().unwrap_or_default());
        tracing::info!(transport, reason, "processes exchange their messages");
    })
}

/// The MPI library, or why it carries no messages.
fn mpi(config: &Config, startup: &Startup) -> Result<Library, String> {
    let is_launched = config.is_launched_by_mpi(startup.rank, startup.size);
    match config.transport {
        Transport::Tcp => Err(String::from("PHALANX_TRANSPORT is tcp")),
        Transport::Auto if config.is_encrypted => {
            Err(String::from("PHALANX_TLS is 1, and MPI does not encrypt"))
        }
        Transport::Auto if !is_launched => {
            Err(String::from("no MPI launcher started this process with this rank"))
        }
        Transport::Auto | Transport::Mpi => {
            let library = Library::open(&config.mpi).map_err(|error| match error {
                CollectiveError::MpiUnavailable { reason } => reason,
                error => error.to_string(),
            })?;
            let launcher = config.placement.as_ref().map(|placement| placement.launcher);
            let begins_anew = !library.is_initialised().unwrap_or(false);
            if begins_anew && Pmi::has_spoken() && launcher == Some(Launcher::Slurm) {
                return Err(String::from(
                    "srun's PMI accepts one client in each process, and the processes have \
                     already met through it (PHALANX_RENDEZVOUS=pmi)",
                ));
            }
            Ok(library)
        }
    }
}

/// The kinds of devices, as far as bits of results depend on them: the number of blocks that a GPU
/// runs at once decides how it divides a sum, and the compiler decides its code.
fn kinds(devices: &[Arc<dyn Device>]) -> String {
    let kind = |device: &Arc<dyn Device>| {
        let Some(gpu) = gpu(device) else {
            return String::from(if device.is_null() { "none that compute" } else { "CPU" });
        };
        let Properties { capability, multiprocessors, .. } = gpu.properties();
        let compiler = Compiler::new(*capability, gpu.options());
        let version = compiler.map_or_else(|_| String::from("none"), |found| found.version());
        format!("sm_{capability} with {multiprocessors} multiprocessors, NVRTC {version}")
    };
    let mut kinds: Vec<String> = devices.iter().map(kind).collect();
    kinds.dedup();
    if kinds.is_empty() { String::from("CPU") } else { kinds.join("; ") }
}

/// The vector instructions of this machine, as far as results depend on them: matrix products
/// choose their kernels by them.
fn instruction_set() -> String {
    #[cfg(target_arch = "x86_64")]
    let level = match () {
        () if std::arch::is_x86_feature_detected!("avx512f") => "x86-64 with AVX-512",
        () if std::arch::is_x86_feature_detected!("fma") => "x86-64 with FMA",
        () => "x86-64",
    };
    #[cfg(not(target_arch = "x86_64"))]
    let level = std::env::consts::ARCH;
    String::from(level)
}

impl Failure for InitError {
    fn code(&self) -> &'static str {
        InitError::code(self)
    }
    fn hint(&self) -> &'static str {
        InitError::hint(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Session {
        let config = Config::default().threads(1);
        let session = Session::with_options(config, None, Policy::default(), Limits::default());
        session.expect("a session")
    }

    fn is_default(session: &Session) -> bool {
        MeshHandle::current().is_some_and(|current| current.same(session.handle()))
    }

    #[test]
    fn limits_in_percent_are_of_the_machine() {
        let limit = |count| memory_limit(&Config::default().memory_limit_percent(50), count, &[]);
        let whole = machine_memory().expect("Linux tells");
        assert_eq!(limit(1), Some(whole / 100 * 50));
        assert_eq!(limit(2), Some(whole / 2 / 100 * 50));
    }

    #[test]
    fn kinds_of_devices_are_told_once() {
        let planned = || -> Arc<dyn Device> { NullDevice::new(0, None) };
        assert_eq!(kinds(&[]), "CPU");
        assert_eq!(kinds(&[planned(), planned()]), "none that compute");
    }

    #[test]
    fn ranks_of_different_versions_are_told_both() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("there are free ports");
        let address = socket.local_addr().expect("a bound socket has an address").to_string();
        let token = b"0123456789abcdef0123456789abcdef".to_vec();
        let startup = Startup {
            rank: 0,
            size: 2,
            address: address.clone(),
            bind: std::net::Ipv4Addr::LOCALHOST.into(),
            token: token.clone(),
            timeout: std::time::Duration::from_secs(60),
            listener: Some(Listener::new(socket)),
            left: None,
        };
        let own = std::thread::spawn(move || {
            let (config, limits) = (Config::default().startup(startup), Limits::default());
            world(&config, None, 1, &[], None, &Policy::default(), &limits).err()
        });
        // This version does not know what else another version compares.
        let agreement = vec![(String::from("version"), String::from("0.0.9"))];
        let other = Rendezvous { token, agreement, ..Rendezvous::new(1, 2, address) }.join();
        let version = env!("CARGO_PKG_VERSION");
        let text = format!("version differs: {version} on rank 0, 0.0.9 on rank 1");
        for error in [own.join().expect("no panic"), other.err()] {
            let error = error.expect("there is no such world");
            assert_eq!((error.code(), error.to_string()), ("PX068", text.clone()));
        }
    }

    /// One test of all orders, because there is one default for the whole process.
    #[test]
    fn the_end_of_a_session_gives_the_default_back() {
        let (outer, inner) = (session(), session());
        assert!(is_default(&inner));
        drop(inner);
        assert!(is_default(&outer));
        let inner = session();
        outer.finish().expect("nothing is in flight");
        assert!(is_default(&inner));
        drop(inner);
        assert!(MeshHandle::current().is_none(), "the mesh of a session that has ended");

        let (first, second, third) = (session(), session(), session());
        drop(second);
        assert!(is_default(&third));
        drop(third);
        assert!(is_default(&first));

        // A default that the program itself sets stays the default.
        let local = first.local().expect("a mesh of this process");
        MeshHandle::set_default(Some(local.clone()));
        drop(session());
        let current = MeshHandle::current().expect("a default");
        assert!(current.same(&local));
        drop(first);
        let current = MeshHandle::set_default(None).expect("a default");
        assert!(current.same(&local));

        // A session that fails to start changes nothing.
        let outer = session();
        let mesh = Some(Mesh::line(2));
        let begun =
            Session::with_options(Config::default(), mesh, Policy::default(), Limits::default());
        assert_eq!(begun.err().map(|error| error.code()), Some("PX034"));
        assert!(is_default(&outer));
        MeshHandle::set_default(None);
        drop(outer);
        assert!(MeshHandle::current().is_none());
    }
}
