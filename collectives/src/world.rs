//! The world: all processes of a program and all their devices, seen by one process.

use crate::aside::aside;
use crate::facts::Facts;
use crate::fork::{self, Process};
use crate::gpu_path::{
    Besides, Choice, GpuPath, LOCAL_GPUS_PRICE, MPI_PRICE, NCCL_PRICE, choose, first_shared,
};
use crate::group::MemberDevice;
use crate::planes::mpi::{Engine, Mpi, MpiPlane, Native, Threads, prove};
use crate::planes::nccl::{Endpoint, NcclPlane, Watch, device_facts};
use crate::planes::{HostGroup, Member};
use crate::prices::Prices;
use crate::rendezvous::{Connection, Joined, Wish, agreed_prices, hosts};
use crate::seed::random_seed;
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

/// The number of the communicator group of all devices. Groups that `split` makes have hashed
/// numbers.
const WORLD_GROUP: u64 = 0;
/// The number of the communicator group of the first devices of all processes, which start-up uses.
const PROCESSES_GROUP: u64 = 1;

/// All processes of a program, seen by one of them.
///
/// Dropping a world without `shutdown` looks to the other ranks like the death of this one, as it
/// should when the program fails. A world of one process has neither sockets nor threads.
pub struct World {
    /// The process that made the world. A fork of it cannot use the world.
    process: Process,
    fabric: Arc<Fabric>,
    device_counts: Vec<usize>,
    facts: Vec<Facts>,
    seed: u64,
    members: Vec<Arc<HostGroup>>,
    communicators: Vec<Arc<dyn Communicator>>,
    network: Option<Network>,
    /// Present if the communicators use NCCL.
    watch: Option<Arc<Watch>>,
    /// Why messages between processes use TCP. `None` if they use MPI or there are no messages.
    without_mpi: Option<String>,
    wish: Wish,
    /// Known once all devices are known to be GPUs.
    gpu_path: Option<GpuPath>,
}

/// The thread that moves bytes between processes.
struct Network {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
    /// The sockets of all connections. Forks of this process lose them.
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

    /// The world over the connections of a rendezvous. They belong to the given runtime.
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
                    // Dropping the world drops the sender, which also ends the thread.
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
                let native = Native::of_world(&engine, WORLD_GROUP);
                if let (Some(native), [member]) = (native, &*world.members) {
                    member.group.use_native(native);
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
        let devices: Arc<[MemberDevice]> = counted
            .flat_map(|(process, count)| {
                (0..*count).map(move |device| MemberDevice { process, device })
            })
            .collect();
        let own = (0..devices.len()).filter(|member| devices[*member].process == fabric.rank);
        let member = |member| HostGroup::new(fabric.clone(), WORLD_GROUP, member, devices.clone());
        let members: Vec<Arc<HostGroup>> = own.map(member).collect();
        let on_host =
            |host: &Arc<HostGroup>| Member::on_host(host.clone()) as Arc<dyn Communicator>;
        let communicators = members.iter().map(on_host).collect();
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

    /// Lets the communicators accept memory of this process's devices, if all devices of the world
    /// are GPUs and all processes have shared their facts (`device_facts`, which a world of one
    /// process looks up itself). Slices travel by NCCL, or by MPI if the user asks for it, it is
    /// faster in the price table, or there is no common NCCL. MPI receives GPU addresses if an
    /// exchange proves that it accepts them, otherwise pinned host memory. Whether a communicator
    /// group accepts GPU slices depends on its members: `Communicator::takes_device_memory`.
    ///
    /// Collective over the processes if their messages travel by MPI; otherwise Local. Errors:
    /// `DeviceError::Cuda`.
    pub fn attach(&mut self, devices: &[Arc<dyn Device>]) -> Result<(), DeviceError> {
        let total: usize = self.device_counts.iter().sum();
        if total < 2 || devices.len() != self.members.len() {
            return Ok(());
        }
        let own = (self.size() == 1).then(|| vec![device_facts(devices)]);
        let facts = own.as_ref().unwrap_or(&self.facts);
        let uses_mpi = self.fabric.engine().is_some();
        let prices = self.prices();
        let is_mpi_asked = self.wish.is_mpi_asked;
        let besides = Besides { uses_mpi, is_mpi_asked, prices: prices.as_ref() };
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
        tracing::info!(%path, "data on GPUs travel");
        self.gpu_path = Some(path);
        Ok(())
    }

    fn talk_by_mpi(&mut self, gpus: Vec<Arc<CudaDevice>>, takes_device_memory: bool) {
        self.fabric.engine().inspect(|engine| engine.use_gpu(&gpus[0]));
        let member = |(host, gpu): (&Arc<HostGroup>, _)| -> Arc<dyn Communicator> {
            let plane = MpiPlane::new(host.clone(), gpu, takes_device_memory);
            Member::on_device(host.clone(), plane)
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
        for (host, gpu) in self.members.iter().zip(gpus) {
            let endpoint = Endpoint::new(gpu, &self.fabric, &watch)?;
            let plane = NcclPlane::new(host.clone(), endpoint, identities.clone());
            communicators.push(Member::on_device(host.clone(), plane));
        }
        self.communicators = communicators;
        self.watch = Some(watch);
        Ok(GpuPath::Nccl { version, shared })
    }

    /// Checks that MPI accepts memory of the processes' GPUs. The error states why not, alike on
    /// all ranks. If the world fails meanwhile, the next call returns the cause.
    fn proves_mpi(&self, gpus: &[Arc<CudaDevice>]) -> Result<(), String> {
        let Some(engine) = self.fabric.engine() else {
            unreachable!("bug: GPUs communicate by MPI without MPI")
        };
        let _entered = self.enter();
        let devices = (0..self.size()).map(|process| MemberDevice { process, device: 0 }).collect();
        let processes = HostGroup::new(self.fabric.clone(), PROCESSES_GROUP, self.rank(), devices);
        let most = self.device_counts.iter().copied().max().unwrap_or(1);
        let (forced, within) = (self.wish.takes_device_memory, (self.seed, self.wish.timeout));
        let proved = prove(engine, &processes, gpus, most, forced, within);
        match proved.map_err(|error| error.to_string())? {
            Ok(()) => Ok(()),
            Err((rank, obstacle)) => Err(format!("rank {rank}: {}", obstacle.text())),
        }
    }

    /// How data in GPU memory travels. `None` unless all devices are known to be GPUs.
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

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.device_counts.len()
    }

    /// The number of devices of each process.
    pub fn device_counts(&self) -> &[usize] {
        &self.device_counts
    }

    /// The number of this process's first device among those of the world.
    pub fn first_device(&self) -> usize {
        self.device_counts[..self.rank()].iter().sum()
    }

    /// The cost of messages, from the price table of rank 0, if that was measured on these hosts.
    /// The same on all ranks.
    pub fn prices(&self) -> Option<Prices> {
        agreed_prices(&self.facts.iter().collect::<Vec<_>>())
    }

    /// Whether only the thread that started the world may wait for other processes: the MPI library
    /// that carries messages may not be called by two threads at once. Such a world has one device
    /// in each process.
    pub fn is_bound_to_thread(&self) -> bool {
        self.fabric.engine().is_some_and(|engine| engine.threads() < Threads::Multiple)
    }

    /// The host of each process, by rank. Empty for a world of one process. The same on all ranks.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        hosts(&self.facts)
    }

    /// The statement of each process about itself, by rank.
    pub fn facts(&self) -> &[Facts] {
        &self.facts
    }

    /// A random number that is the same on all ranks.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of bytes that this process has given to the network so far.
    pub fn network_bytes(&self) -> u64 {
        self.fabric.bytes_written()
    }

    /// The carrier of messages between processes: `mpi` or `tcp`; `local` in a world of one
    /// process.
    pub fn transport(&self) -> &'static str {
        match self.fabric.engine() {
            _ if self.size() == 1 => "local",
            Some(_) => "mpi",
            None => "tcp",
        }
    }

    /// The name of the price of messages between devices.
    pub fn message_price(&self, on_gpu: bool) -> &'static str {
        match (&self.gpu_path, self.size()) {
            (Some(GpuPath::Nccl { .. }), 2..) => NCCL_PRICE,
            (Some(GpuPath::Mpi { .. }), 2..) => MPI_PRICE,
            (_, 1) if on_gpu => LOCAL_GPUS_PRICE,
            _ => self.transport(),
        }
    }

    /// Limits the bytes of a member that MPI's own collectives move, for tests of data beyond MPI's
    /// counts. The limit must be the same on all ranks.
    #[doc(hidden)]
    pub fn limit_native_collectives(&self, bytes: usize) {
        if let Some(engine) = self.fabric.engine() {
            engine.limit_collectives(bytes);
        }
    }

    /// Sets the length in bytes of the parts of an MPI message, for tests of messages longer than
    /// MPI can count. The length must be the same on all ranks.
    #[doc(hidden)]
    pub fn limit_message_parts(&self, bytes: usize) {
        if let Some(engine) = self.fabric.engine() {
            engine.limit_parts(bytes);
        }
    }

    /// Why messages between processes do not travel by MPI; `None` if they do.
    pub fn without_mpi(&self) -> Option<&str> {
        self.without_mpi.as_deref()
    }

    /// Posts what this process is about to do, for comparison with the other ranks. Does nothing in
    /// a world of one process.
    ///
    /// Does not wait for an answer. A rank that has posted 1,024 tickets more than another waits
    /// until that one has caught up or the world has ended, unless the ticket is its exit.
    ///
    /// When two ranks post different tickets of one number, the world ends with `Divergence` on all
    /// ranks.
    pub fn post_ticket(&self, ticket: Ticket) {
        self.fabric.post_ticket(ticket);
    }

    /// Records where this process observes a value, for reports. Does nothing in a world of one.
    pub fn note_observation(&self, cause: &str, site: &str) {
        if self.network.is_some() {
            self.fabric.doings.observes(cause, site);
        }
    }

    /// Keeps the operations of the ticket of this number, before it is posted. If tickets differ,
    /// the error names the first operation that differs. Does nothing in a world of one.
    pub fn record(&self, number: u64, recorded: Arc<dyn Recorded>) {
        self.fabric.record(number, recorded);
    }

    /// Waits until the tickets of all ranks up to this number have been compared. Use it only for a
    /// ticket after which the ranks have communicated: then all ranks have posted it.
    ///
    /// Errors: the error that ended the world; `Divergence` if tickets differ.
    pub fn await_ticket(&self, number: u64) -> Result<(), CollectiveError> {
        self.fabric.await_ticket(number)
    }

    /// Ends the world with an error on all ranks, unless it has ended already.
    pub fn abort(&self, error: CollectiveError) {
        self.fabric.fail(error);
        self.fabric.pass_on();
        self.fabric.flush(Duration::from_millis(500));
    }

    /// Marks a call of the program as running until the guard is dropped. If the world has ended
    /// and the call is still stuck 8 s later, the process ends with the error.
    pub fn enter(&self) -> Entered<'_> {
        self.fabric.inside.enter()
    }

    /// Records that the program receives an error. If the world has ended, the program now knows. A
    /// program that does not within 8 s is ended: it may wait for absent ranks.
    pub fn note_error(&self) {
        if self.fabric.failure.is_set() {
            self.fabric.inside.note_aware();
        }
    }

    /// Records that the program ends because it failed: from now on it counts as inside a call that
    /// does not return.
    pub fn note_ending(&self) {
        std::mem::forget(self.enter());
        self.note_error();
    }

    /// Whether this process made the world; false in its forks. Local.
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

    /// Leaves the world normally, after everything that this process has sent. Later calls return
    /// `Closed`.
    ///
    /// Rank 0 waits until all other ranks have left, because it compares their tickets.
    pub fn shutdown(&self) {
        // Other ranks may leave after this, and no rank may read the memory of one that has left.
        if let Some(watch) = &self.watch {
            watch.settle();
        }
        self.fabric.leave();
        // A process that has left need not be ended, however the world has ended.
        self.fabric.inside.note_aware();
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let Some(network) = self.network.take() else {
            return;
        };
        if !self.process.is_own() {
            // The network thread belongs to the parent process.
            return std::mem::forget(network);
        }
        let _entered = self.fabric.inside.enter();
        // The other ranks should receive the reason before the connection ends.
        if self.fabric.pass_on() {
            self.fabric.flush(Duration::from_millis(200));
        }
        self.fabric.failure.set(CollectiveError::Closed);
        if let Some(engine) = self.fabric.engine() {
            // After `shutdown` it is stopped already.
            engine.stop(false);
        }
        // The receiver has ended only if the thread has ended already.
        let _ = network.stop.send(());
        if network.thread.join().is_err() {
            tracing::error!("the network thread panicked");
        }
        for link in self.fabric.links() {
            link.disconnect();
        }
        // The links may be closed from here on, and their sockets' numbers given to other files.
        fork::release(&network.sockets);
    }
}

/// Makes the engine of a world, on all ranks at the same time. If threads other than MPI's main
/// thread may call the library, the death of a rank meanwhile is an error, not an endless wait.
fn engine(world: &World, mpi: Arc<Mpi>) -> Result<Arc<Engine>, CollectiveError> {
    let (counts, failure) = (world.device_counts.clone(), world.fabric.failure.clone());
    let departures = world.fabric.departures.clone();
    if mpi.threads() < Threads::Serialized {
        return Engine::new(mpi, &counts, failure, departures);
    }
    let watched = failure.clone();
    aside("phalanx-mpi-start", &watched, move || Engine::new(mpi, &counts, failure, departures))
}
