//! The world: all processes of a program and all their devices, seen by one process.

use crate::aside::aside;
use crate::fork::{self, Process};
use crate::gpu_path::{Besides, Choice, GpuPath, choose, first_shared};
use crate::group::{Member, Place};
use crate::mpi::{DeviceMember, Engine, Mpi, Threads, prove};
use crate::nccl::{Endpoint, GpuMember, Watch, device_facts};
use crate::prices::Prices;
use crate::rendezvous::{Connection, agreed_prices, hosts};
use crate::transport::{Entered, Fabric, Link, beat, guarded, listen, read, watch};
use crate::{CollectiveError, Communicator, Recorded, Ticket};
use phalanx_device::cuda::CudaDevice;
use phalanx_device::{Device, DeviceError};
use std::os::fd::RawFd;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// The group of all devices; other groups have mixed numbers.
const WORLD_GROUP: u64 = 0;
/// The group of the first devices of all processes, at start-up.
const PROCESSES_GROUP: u64 = 1;

/// Settings of a process, as (key, value) texts.
pub type Facts = Vec<(String, String)>;

/// All processes of a program, seen by one of them.
///
/// Dropping a world without `shutdown` looks to the other ranks as if this one had died, which is
/// right when the program fails. A world of one process has neither sockets nor threads.
pub struct World {
    /// The one that has it; a fork of it has not.
    process: Process,
    fabric: Arc<Fabric>,
    device_counts: Vec<usize>,
    facts: Vec<Facts>,
    seed: u64,
    members: Vec<Arc<Member>>,
    communicators: Vec<Arc<dyn Communicator>>,
    network: Option<Network>,
    /// Present if slices in the memory of GPUs are taken.
    watch: Option<Arc<Watch>>,
    /// Why messages between processes go by TCP; nothing if they go by MPI, or there are none.
    without_mpi: Option<String>,
    wish: Wish,
    /// Known once all devices are known to be GPUs.
    gpu_path: Option<GpuPath>,
}

/// What the program says about GPUs and MPI.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wish {
    /// Whether messages are to go by MPI and nothing else; the same on all ranks.
    pub(crate) is_mpi_asked: bool,
    /// Whether the library of this process takes addresses of GPU memory, if that is said.
    pub(crate) takes_device_memory: Option<bool>,
    /// How long start-up may wait.
    pub(crate) timeout: Duration,
}

/// What a rendezvous finds out.
pub(crate) struct Joined {
    pub(crate) rank: usize,
    /// By rank; none to this process itself.
    pub(crate) connections: Vec<Option<Connection>>,
    pub(crate) device_counts: Vec<usize>,
    pub(crate) facts: Vec<Facts>,
    pub(crate) seed: u64,
    /// The library by which messages go, or why they go over TCP.
    pub(crate) mpi: Result<Arc<Mpi>, String>,
}

/// The thread that moves bytes between processes.
struct Network {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
    /// Those of all connections, which are of this process alone.
    sockets: Vec<RawFd>,
}

impl World {
    /// A world of this process alone.
    pub fn local(devices: usize) -> Result<World, CollectiveError> {
        World::alone(devices, Facts::new())
    }

    pub(crate) fn alone(devices: usize, facts: Facts) -> Result<World, CollectiveError> {
        if devices == 0 {
            return Err(CollectiveError::Membership { rank: 0, size: 1, local_devices: 0 });
        }
        let fabric = Fabric::new(0, Vec::new());
        Ok(World::assemble(fabric, vec![devices], vec![facts], random_seed()?, None))
    }

    /// The world over the connections of a rendezvous, which belong to the given runtime.
    pub(crate) fn connected(
        runtime: Runtime,
        joined: Joined,
        stall: Option<Duration>,
    ) -> Result<World, CollectiveError> {
        let connect = |(rank, connection): (usize, Option<Connection>)| {
            let (stream, tunnel, seals) = connection?.into_parts();
            Some(Link::new(rank, (stream, tunnel), seals))
        };
        let links = joined.connections.into_iter().enumerate().map(connect).collect();
        let fabric = Fabric::new(joined.rank, links);
        let sockets: Vec<RawFd> = fabric.links().flat_map(|link| link.sockets()).collect();
        fork::keep(&sockets);
        let (stop, stopped) = oneshot::channel();
        let shared = fabric.clone();
        let thread = std::thread::Builder::new()
            .name(String::from("phalanx-network"))
            .spawn(move || {
                runtime.block_on(async {
                    for link in shared.links() {
                        let reading = read(shared.clone(), link.clone());
                        tokio::spawn(guarded(shared.clone(), reading));
                        tokio::spawn(guarded(shared.clone(), link.clone().write()));
                    }
                    tokio::spawn(guarded(shared.clone(), watch(shared.clone())));
                    tokio::spawn(guarded(shared.clone(), beat(shared.clone(), stall)));
                    tokio::spawn(guarded(shared.clone(), listen(shared.clone(), stall)));
                    // Also ends when the world is dropped and the sender with it.
                    let _ = stopped.await;
                });
            })
            .map_err(|error| CollectiveError::network(&error))?;
        let network = Some(Network { stop, thread, sockets });
        let Joined { device_counts, facts, seed, mpi, .. } = joined;
        let mut world = World::assemble(fabric, device_counts, facts, seed, network);
        match mpi {
            Ok(mpi) => {
                let _entered = world.enter();
                let engine = engine(&world, mpi).map_err(|error| world.fabric.fail(error))?;
                if let (Some(native), [member]) = (engine.native(WORLD_GROUP), &*world.members) {
                    member.use_native(native);
                }
                world.fabric.use_engine(engine);
            }
            Err(reason) => world.without_mpi = Some(reason),
        }
        Ok(world)
    }

    fn assemble(
        fabric: Arc<Fabric>,
        device_counts: Vec<usize>,
        facts: Vec<Facts>,
        seed: u64,
        network: Option<Network>,
    ) -> World {
        let counted = device_counts.iter().enumerate();
        let places: Arc<[Place]> = counted
            .flat_map(|(process, count)| (0..*count).map(move |device| Place { process, device }))
            .collect();
        let own = (0..places.len()).filter(|member| places[*member].process == fabric.rank);
        let member = |member| Member::new(fabric.clone(), WORLD_GROUP, member, places.clone());
        let members: Vec<Arc<Member>> = own.map(member).collect();
        let communicators =
            members.iter().map(|member| member.clone() as Arc<dyn Communicator>).collect();
        let (watch, without_mpi) = (None, None);
        World {
            process: Process::own(),
            fabric,
            device_counts,
            facts,
            seed,
            members,
            communicators,
            network,
            watch,
            without_mpi,
            wish: Wish::default(),
            gpu_path: None,
        }
    }

    pub(crate) fn with(mut self, wish: Wish) -> World {
        self.wish = wish;
        self
    }

    /// Lets the communicators take what lies in the memory of this process's devices, if all
    /// devices of the world are GPUs and all processes have told their facts (`device_facts`, which
    /// a world of one process looks up itself): by NCCL, or by MPI if that is asked for, or was
    /// measured to be faster, or there is no NCCL in common. MPI is given addresses of GPU memory
    /// if an exchange proves that it takes them, and pinned memory of the host else. Whether groups
    /// then take slices of GPUs depends on their members: `Communicator::takes_device_memory`.
    ///
    /// Collective over the processes of a world whose messages go by MPI; else Local. Errors:
    /// `DeviceError::Cuda`.
    pub fn attach(&mut self, devices: &[Arc<dyn Device>]) -> Result<(), DeviceError> {
        let total: usize = self.device_counts.iter().sum();
        if total < 2 || devices.len() != self.members.len() {
            return Ok(());
        }
        let own = (self.size() == 1).then(|| vec![device_facts(devices)]);
        let facts = own.as_ref().unwrap_or(&self.facts);
        let goes_by_mpi = self.fabric.engine().is_some();
        let prices = self.prices();
        let is_mpi_asked = self.wish.is_mpi_asked;
        let besides = Besides { goes_by_mpi, is_mpi_asked, prices: prices.as_ref() };
        let choice = choose(facts, &self.device_counts, besides);
        let gpus = devices.iter().map(|device| device.as_any().downcast_ref::<CudaDevice>());
        let gpus: Option<Vec<_>> = gpus.map(|gpu| gpu.and_then(CudaDevice::handle)).collect();
        let Some(gpus) = gpus else { return Ok(()) };
        let path = match choice {
            Choice::NoGpus => return Ok(()),
            Choice::Host(reason) => GpuPath::Host { reason },
            Choice::Nccl(version, identities) => self.talk_by_nccl(gpus, version, identities)?,
            Choice::FasterByMpi(version, identities) => match self.proves_mpi(&gpus) {
                Ok(()) => {
                    self.talk_by_mpi(gpus, true);
                    let reason = "faster than NCCL in the price table (PHALANX_PRICES)";
                    GpuPath::Mpi { instead_of_nccl: String::from(reason) }
                }
                Err(obstacle) => {
                    tracing::info!(obstacle, "MPI would be faster for GPUs, but cannot be used");
                    self.talk_by_nccl(gpus, version, identities)?
                }
            },
            Choice::Mpi(reason) => {
                let proved = self.proves_mpi(&gpus);
                self.talk_by_mpi(gpus, proved.is_ok());
                match proved {
                    Ok(()) => GpuPath::Mpi { instead_of_nccl: reason },
                    Err(obstacle) => GpuPath::Staged { reason: format!("{obstacle}; {reason}") },
                }
            }
        };
        tracing::info!(%path, "what lies on GPUs goes");
        self.gpu_path = Some(path);
        Ok(())
    }

    fn talk_by_mpi(&mut self, gpus: Vec<Arc<CudaDevice>>, takes_device_memory: bool) {
        self.fabric.engine().inspect(|engine| engine.use_gpu(&gpus[0]));
        let member = |(host, gpu): (&Arc<Member>, _)| -> Arc<dyn Communicator> {
            DeviceMember::new(host.clone(), gpu, takes_device_memory)
        };
        self.communicators = self.members.iter().zip(gpus).map(member).collect();
    }

    fn talk_by_nccl(
        &mut self,
        gpus: Vec<Arc<CudaDevice>>,
        version: String,
        identities: Vec<Arc<str>>,
    ) -> Result<GpuPath, DeviceError> {
        let shared = first_shared(&identities);
        let identities: Arc<[Arc<str>]> = identities.into();
        let watch = Watch::new(self.fabric.clone());
        let mut communicators: Vec<Arc<dyn Communicator>> = Vec::new();
        for (member, gpu) in self.members.iter().zip(gpus) {
            let endpoint = Endpoint::new(gpu, &self.fabric, &watch)?;
            communicators.push(GpuMember::new(member.clone(), endpoint, identities.clone()));
        }
        self.communicators = communicators;
        self.watch = Some(watch);
        Ok(GpuPath::Nccl { version, shared })
    }

    /// Whether MPI takes the memory of the processes' GPUs; else why not, the same on all ranks. A
    /// world that has failed meanwhile tells why at the next call.
    fn proves_mpi(&self, gpus: &[Arc<CudaDevice>]) -> Result<(), String> {
        let Some(engine) = self.fabric.engine() else {
            unreachable!("bug: GPUs are to talk by MPI where there is none")
        };
        let _entered = self.enter();
        let places = (0..self.size()).map(|process| Place { process, device: 0 }).collect();
        let processes = Member::new(self.fabric.clone(), PROCESSES_GROUP, self.rank(), places);
        let most = self.device_counts.iter().copied().max().unwrap_or(1);
        let (forced, within) = (self.wish.takes_device_memory, (self.seed, self.wish.timeout));
        let proved = prove(engine, &processes, gpus, most, forced, within);
        match proved.map_err(|error| error.to_string())? {
            Ok(()) => Ok(()),
            Err((rank, obstacle)) => Err(format!("rank {rank}: {}", obstacle.text())),
        }
    }

    /// Which way what lies on GPUs goes; nothing unless all devices are known to be GPUs.
    pub fn gpu_path(&self) -> Option<&GpuPath> {
        self.gpu_path.as_ref()
    }

    /// The communicator of each device of this process, over all devices of the world.
    pub fn communicators(&self) -> Vec<Arc<dyn Communicator>> {
        self.communicators.clone()
    }

    /// The number of this process.
    pub fn rank(&self) -> usize {
        self.fabric.rank
    }

    /// How many processes there are.
    pub fn size(&self) -> usize {
        self.device_counts.len()
    }

    /// How many devices each process has.
    pub fn device_counts(&self) -> &[usize] {
        &self.device_counts
    }

    /// The number of this process's first device among those of the world.
    pub fn first_device(&self) -> usize {
        self.device_counts[..self.rank()].iter().sum()
    }

    /// What messages cost, by the table of rank 0, if it had one of these hosts. The same on all
    /// ranks.
    pub fn prices(&self) -> Option<Prices> {
        agreed_prices(&self.facts.iter().collect::<Vec<_>>())
    }

    /// Whether whatever waits for other processes has to do so on the thread that began the world:
    /// messages go by an MPI library that no second thread may call at the same time. Such a world
    /// has one device in each process.
    pub fn is_bound_to_thread(&self) -> bool {
        self.fabric.engine().is_some_and(|engine| engine.threads() < Threads::Multiple)
    }

    /// The host of each process, by rank; nothing of a process alone. The same on all ranks.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        hosts(&self.facts)
    }

    /// What each process told the others about itself, by rank.
    pub fn facts(&self) -> &[Facts] {
        &self.facts
    }

    /// A random number that is the same on all ranks.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Bytes that this process has given to the network so far.
    pub fn network_bytes(&self) -> u64 {
        self.fabric.bytes_written()
    }

    /// How messages between processes travel: `mpi` or `tcp`; `local` in a world of one process.
    pub fn transport(&self) -> &'static str {
        match self.fabric.engine() {
            _ if self.size() == 1 => "local",
            Some(_) => "mpi",
            None => "tcp",
        }
    }

    /// Lets MPI's own collectives move at most so many bytes of a member, on all ranks the same:
    /// for tests of what is beyond MPI's counts.
    #[doc(hidden)]
    pub fn limit_native_collectives(&self, bytes: usize) {
        if let Some(engine) = self.fabric.engine() {
            engine.limit_collectives(bytes);
        }
    }

    /// Lets a message by MPI be of parts of so many bytes, on all ranks the same: for tests of
    /// messages that are longer than MPI can count.
    #[doc(hidden)]
    pub fn limit_message_parts(&self, bytes: usize) {
        if let Some(engine) = self.fabric.engine() {
            engine.limit_parts(bytes);
        }
    }

    /// Why messages between processes do not travel by MPI, if they do not.
    pub fn without_mpi(&self) -> Option<&str> {
        self.without_mpi.as_deref()
    }

    /// Compares what this process is about to do with what the others do. Nothing in a world of
    /// one.
    ///
    /// Waits for no answer. A rank that has posted 1,024 tickets more than another waits until that
    /// one has caught up or the world has ended, unless the ticket is its exit.
    ///
    /// When two ranks post different tickets of one number, the world ends with `Divergence` on all
    /// ranks.
    pub fn post_ticket(&self, ticket: Ticket) {
        self.fabric.post_ticket(ticket);
    }

    /// Says where this process observes a value, for reports about it. Nothing in a world of one.
    pub fn note_observation(&self, cause: &str, site: &str) {
        if self.network.is_some() {
            self.fabric.doings.observes(cause, site);
        }
    }

    /// Keeps what the ticket of a number is about, before it is posted: when it differs from that
    /// of another rank, the error names the first operation that does. Nothing in a world of one.
    pub fn record(&self, number: u64, recorded: Arc<dyn Recorded>) {
        self.fabric.record(number, recorded);
    }

    /// Waits until the tickets of all ranks up to this number have been compared. Only for a ticket
    /// after which the ranks have communicated: then all have posted it.
    ///
    /// Errors: why the world ended, `Divergence` if tickets differ.
    pub fn await_ticket(&self, number: u64) -> Result<(), CollectiveError> {
        self.fabric.await_ticket(number)
    }

    /// Ends the world with an error on all ranks, unless it has ended already.
    pub fn abort(&self, error: CollectiveError) {
        self.fabric.fail(error);
        self.fabric.pass_on();
        self.fabric.flush(Duration::from_millis(500));
    }

    /// Says that a call of the program is under way until the guard is dropped. One that is stuck
    /// for 8 s after the world has ended ends the process with the error, for nobody else can.
    pub fn enter(&self) -> Entered<'_> {
        self.fabric.inside.enter()
    }

    /// Says that the program is given an error. If the world has ended, it knows that from now on;
    /// a program that does not within 8 s is ended, since it may wait for ranks that are gone.
    pub fn note_told(&self) {
        if self.fabric.failure.is_set() {
            self.fabric.inside.note_heard();
        }
    }

    /// Says that the program ends because it has failed: from now on it is inside of a call that
    /// does not return.
    pub fn note_ending(&self) {
        std::mem::forget(self.enter());
        self.note_told();
    }

    /// Whether this process is the one that has the world, and no fork of it. Local.
    pub fn is_own(&self) -> bool {
        self.process.is_own()
    }

    /// Whether the world has ended.
    pub fn is_aborted(&self) -> bool {
        self.fabric.failure.is_set()
    }

    /// The error that ended the world; `Closed` after `shutdown`.
    pub fn failure(&self) -> Option<CollectiveError> {
        self.fabric.failure.get()
    }

    /// Leaves the world in peace, after everything this process has sent. Later calls return
    /// `Closed`.
    ///
    /// Rank 0 waits until all others have left too, since it compares their tickets.
    pub fn shutdown(&self) {
        // The others may leave after this, and nobody reads the memory of who has left.
        if let Some(watch) = &self.watch {
            watch.settle();
        }
        self.fabric.leave();
        // Whoever has left is on its own, however the world has ended.
        self.fabric.inside.note_heard();
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let Some(network) = self.network.take() else {
            return;
        };
        if !self.process.is_own() {
            // The thread is the parent's.
            return std::mem::forget(network);
        }
        let _entered = self.fabric.inside.enter();
        // The others should learn the reason before they see the connection end.
        if self.fabric.pass_on() {
            self.fabric.flush(Duration::from_millis(200));
        }
        self.fabric.failure.set(CollectiveError::Closed);
        if let Some(engine) = self.fabric.engine() {
            // After `shutdown` it is stopped already.
            engine.stop(false);
        }
        // The receiver is gone only if the thread has ended already.
        let _ = network.stop.send(());
        if network.thread.join().is_err() {
            tracing::error!("the network thread panicked");
        }
        for link in self.fabric.links() {
            link.disconnect();
        }
        // The links may be closed from here on, and others get the numbers of their sockets.
        fork::release(&network.sockets);
    }
}

/// The engine of a world, made by all ranks at the same time. Where not only MPI's main thread may
/// call it, a rank that dies meanwhile is an error, and no wait without end.
fn engine(world: &World, mpi: Arc<Mpi>) -> Result<Arc<Engine>, CollectiveError> {
    let (counts, failure) = (world.device_counts.clone(), world.fabric.failure.clone());
    let departures = world.fabric.departures.clone();
    if mpi.threads() < Threads::Serialized {
        return Engine::new(mpi, &counts, failure, departures);
    }
    let watched = failure.clone();
    aside("phalanx-mpi-start", &watched, move || Engine::new(mpi, &counts, failure, departures))
}

/// A random number from the system.
pub(crate) fn random_seed() -> Result<u64, CollectiveError> {
    getrandom::u64().map_err(|error| CollectiveError::Network { reason: error.to_string() })
}
