//! Sessions: the engine of one mesh: plans are looked up or made, memory is reserved, and workers run them.

use crate::cache::{PlanCache, Target};
use crate::digest::settings_digest;
use crate::error::RunError;
use crate::execute::Worker;
use crate::explain;
use crate::finalise::{Liveness, Place};
use crate::instance::Instance;
use crate::job::{Job, JobMemory, Outcome};
use crate::plan::Plan;
use crate::processes::Processes;
use crate::ready::{KernelCache, Ready};
use crate::shards::{Shards, Storage, contiguous};
use phalanx_array::{Cause, Engine, Error, Evaluated, Graph, HostArray, Limits, NodeOp, Site};
use phalanx_collectives::{CollectiveError, TicketKind, World};
use phalanx_device::{Buffer, CpuDevice, Device, DeviceError, Strided, copy_strided};
use phalanx_distributed::{Policy, propagate};
use phalanx_ops::sharding::volume;
use phalanx_ops::{AffineMap, Bounds, DType, Mesh, Scalar, Sharding, Split};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// How a session is set up; equal on all ranks but for the number of threads.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The grid of the world's devices; a line if `None`.
    pub mesh: Option<Mesh>,
    /// Compute threads of the process, shared by its devices.
    pub threads: usize,
    /// The most bytes a device may hold.
    pub memory_limit: Option<usize>,
    /// When arrays are split.
    pub policy: Policy,
    /// When windows close.
    pub limits: Limits,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            mesh: None,
            threads: 1,
            memory_limit: None,
            policy: Policy::default(),
            limits: Limits::default(),
        }
    }
}

/// What a session has done so far, for tests and benchmarks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Windows evaluated.
    pub windows: usize,
    /// Plans made from nothing: windows of one pattern share one.
    pub plans: usize,
    /// Different kernels compiled.
    pub kernels: usize,
}

/// The engine of one mesh.
pub struct Session {
    world: Arc<World>,
    processes: Processes,
    mesh: Mesh,
    first_device: usize,
    devices: Vec<Arc<dyn Device>>,
    options: SessionOptions,
    kernels: KernelCache,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    plans: PlanCache,
    windows: usize,
    /// Outcomes of the plans in flight, oldest first.
    flying: VecDeque<Arc<Outcome>>,
    /// The only device's worker, which runs on the calling thread.
    inline: Option<Worker>,
    workers: Vec<(Sender<Arc<Job>>, JoinHandle<()>)>,
    finished: bool,
}

impl State {
    /// Waits for all plans in flight; how they ended stays with their values.
    fn land(&mut self) {
        for outcome in self.flying.drain(..) {
            let _ = outcome.wait();
        }
    }
}

/// Plans that may be in flight; closing another waits.
const MOST_FLYING: usize = 2;

impl Session {
    /// A session over the devices of a world. Collective: every rank makes its own.
    ///
    /// Errors: `DeviceError::Threads` when threads cannot be started; why the world ended.
    pub fn new(world: World, options: SessionOptions) -> Result<Arc<Session>, RunError> {
        let count = world.communicators().len();
        let mut devices: Vec<Arc<dyn Device>> = Vec::new();
        for ordinal in 0..count {
            let threads = options.threads / count + usize::from(ordinal < options.threads % count);
            devices.push(CpuDevice::new(ordinal, threads.max(1), options.memory_limit)?);
        }
        Session::with_devices(world, options, devices)
    }

    /// A session of this process alone over the same devices: rank-dependent work goes there. Local.
    ///
    /// Errors: `DeviceError::Threads` when threads cannot be started.
    pub fn local(&self) -> Result<Arc<Session>, RunError> {
        let options = SessionOptions { mesh: None, ..self.options.clone() };
        Session::with_devices(World::local(self.devices.len())?, options, self.devices.clone())
    }

    fn with_devices(
        world: World,
        options: SessionOptions,
        devices: Vec<Arc<dyn Device>>,
    ) -> Result<Arc<Session>, RunError> {
        let communicators = world.communicators();
        let total: usize = world.device_counts().iter().sum();
        let mesh = options.mesh.clone().unwrap_or_else(|| Mesh::line(total));
        if mesh.devices() != total {
            return Err(RunError::Mesh { mesh: mesh.to_string(), devices: total });
        }
        let count = communicators.len();
        let first_device = world.first_device();
        let mut state = State::default();
        let worker = |local: usize| {
            let (device, memory) = (first_device + local, devices[local].clone());
            Worker::new(local, device, memory, communicators[local].clone(), mesh.clone())
        };
        let world = Arc::new(world);
        let settings = (&mesh, &options.policy, &options.limits, options.memory_limit);
        let processes = Processes::meet(world.clone(), settings_digest(&settings))?;
        if count == 1 {
            state.inline = Some(worker(0));
        } else {
            for local in 0..count {
                let (sender, jobs) = channel::<Arc<Job>>();
                let (mut worker, world) = (worker(local), world.clone());
                let thread = std::thread::Builder::new()
                    .name(format!("device:{}", first_device + local))
                    .spawn(move || {
                        for job in jobs {
                            run_job(&mut worker, &job, &world);
                        }
                    })
                    .map_err(|error| {
                        let device = format!("cpu:{local}");
                        RunError::Device(phalanx_device::DeviceError::Threads {
                            device,
                            reason: error.to_string(),
                        })
                    })?;
                state.workers.push((sender, thread));
            }
        }
        Ok(Arc::new(Session {
            world,
            processes,
            mesh,
            first_device,
            devices,
            options,
            kernels: KernelCache::default(),
            state: Mutex::new(state),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The world of the session.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// This process's devices.
    pub fn devices(&self) -> &[Arc<dyn Device>] {
        &self.devices
    }

    /// What the session has done so far.
    pub fn counters(&self) -> Counters {
        let state = self.state();
        Counters { windows: state.windows, plans: state.plans.plans(), kernels: self.kernels.len() }
    }

    /// Waits for everything in flight and for the other ranks, and leaves the world. Collective: every rank ends its
    /// session at the same point of the program. Errors: that of a plan in flight, or why the world ended.
    pub fn finish(&self, site: Site) -> Result<(), Error> {
        self.processes.tell(self.end("ends", site, || self.processes.part()))
    }

    /// Leaves the world without waiting for the other ranks, which all have an error if they go on. Errors: as `finish`.
    pub fn leave(&self, site: Site) -> Result<(), Error> {
        let is_unheard = self.processes.is_unheard();
        let ended = self.end("ends without `finish` the session made", site, || Ok(()));
        if let Err(error) = &ended
            && is_unheard
        {
            self.processes.report(error, site);
        }
        ended
    }

    /// Ends the world on all ranks because the program of this one has failed. Local.
    pub fn abort(&self, error_code: &str, message: &str) {
        self.processes.abort(error_code, String::from(message));
    }

    fn end(
        &self,
        cause: &str,
        site: Site,
        part: impl FnOnce() -> Result<(), RunError>,
    ) -> Result<(), Error> {
        let flying: Vec<Arc<Outcome>> = {
            let mut state = self.state();
            if std::mem::replace(&mut state.finished, true) {
                return Ok(());
            }
            self.processes.post(TicketKind::Exit, 0, cause, site);
            state.flying.drain(..).collect()
        };
        let outcome = flying.iter().try_for_each(|outcome| outcome.wait());
        let workers: Vec<_> = self.state().workers.drain(..).collect();
        for (jobs, thread) in workers {
            drop(jobs);
            let _ = thread.join();
        }
        let parted = part();
        self.world.shutdown();
        match self.world.failure() {
            Some(failure) if !matches!(failure, CollectiveError::Closed) => {
                outcome.and(Err(Error::failure(RunError::Collective(failure), Some(site))))
            }
            _ => outcome.and(parted.map_err(|error| Error::failure(error, Some(site)))),
        }
    }

    fn leaf_shardings(graph: &Graph) -> Result<Vec<Sharding>, Error> {
        graph
            .leaves
            .iter()
            .map(|leaf| match leaf.result() {
                Some(Ok(value)) => Ok(value.sharding().clone()),
                Some(Err(error)) => Err(error.clone()),
                None => unreachable!("bug: a leaf without a result"),
            })
            .collect()
    }

    fn liveness(graph: &Graph, plan: &Plan) -> Liveness {
        let mut nodes = vec![false; plan.graph.nodes.len()];
        for (node, &at) in graph.nodes.iter().zip(&*plan.moved) {
            nodes[at as usize] |= node.node.is_live();
        }
        let donated = graph
            .leaves
            .iter()
            .map(|leaf| match leaf.result() {
                Some(Ok(value)) => !leaf.is_live() && Shards::of(value).is_sole_owner(),
                _ => false,
            })
            .collect();
        Liveness { nodes, donated }
    }

    fn ready(
        &self,
        state: &mut State,
        graph: &Graph,
        leaves: &[Sharding],
    ) -> Result<Arc<Ready>, RunError> {
        let target = Target {
            mesh: &self.mesh,
            policy: &self.options.policy,
            devices: self.first_device..self.first_device + self.devices.len(),
            kernels: &self.kernels,
        };
        state.plans.ready(graph, leaves, &target, |plan| Session::liveness(graph, plan))
    }

    /// All memory of a plan, before its first step.
    fn reserve(&self, ready: &Ready, graph: &Graph) -> Result<Vec<JobMemory>, DeviceError> {
        for leaf in &graph.leaves {
            if let Some(Ok(value)) = leaf.result()
                && let Some(refusal) = Shards::of(value).refusal()
            {
                return Err(refusal.clone());
            }
        }
        let mut memory = Vec::with_capacity(self.devices.len());
        for (local, (device, instance)) in self.devices.iter().zip(&ready.instances).enumerate() {
            let Instance { slots, locals, .. } = instance;
            let allocate = |sizes: &[usize]| {
                sizes
                    .iter()
                    .map(|&bytes| device.clone().allocate(bytes))
                    .collect::<Result<Vec<Buffer>, _>>()
            };
            let leaves = graph
                .leaves
                .iter()
                .map(|leaf| match leaf.result() {
                    Some(Ok(value)) => Shards::of(value).buffers()[local].clone(),
                    _ => unreachable!("bug: checked above"),
                })
                .collect();
            memory.push(JobMemory { leaves, slots: allocate(slots)?, locals: allocate(locals)? });
        }
        Ok(memory)
    }

    /// All memory of a plan, or an error on every rank.
    fn reserve_agreed(
        &self,
        state: &mut State,
        ready: &Ready,
        graph: &Graph,
    ) -> Result<Vec<JobMemory>, RunError> {
        let mut memory = self.reserve(ready, graph);
        if memory.is_err() {
            // What is in flight may still hold memory that nobody needs afterwards.
            state.land();
            memory = self.reserve(ready, graph);
        }
        if self.world.size() == 1 {
            return Ok(memory?);
        }
        if self.options.memory_limit.is_none() {
            // Without an agreed limit nobody expects a refusal, so it ends the world.
            return memory.map_err(|error| self.fatal(error.into()));
        }
        // With one, every rank hears of a refusal, and the program may go on. The error is the same on all ranks, so
        // that programs that look at it go on alike.
        let mut words = [0u64; 4];
        if let Err(DeviceError::OutOfMemory { requested, in_use, limit, .. }) = &memory {
            words = [1, *requested as u64, *in_use as u64, limit.unwrap_or(0) as u64];
        }
        let own = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let all = self.processes.gather(own, |_| size_of_val(&words))?;
        for (rank, bytes) in all.iter().enumerate() {
            let [is_refused, requested, in_use, limit] =
                std::array::from_fn(|at| word(&bytes[at * 8..at * 8 + 8]));
            if is_refused != 0 {
                let device = format!("a device of rank {rank}");
                let limit = Some(limit).filter(|&limit| limit > 0);
                return Err(RunError::Device(DeviceError::OutOfMemory {
                    device,
                    requested,
                    in_use,
                    limit,
                }));
            }
        }
        Ok(memory?)
    }

    /// An error of this process alone ends the world, so that no other rank waits for it.
    fn fatal(&self, error: RunError) -> RunError {
        if self.world.size() > 1 {
            self.processes.abort(error.code(), error.to_string());
        }
        error
    }

    fn start(
        &self,
        state: &mut State,
        graph: &Graph,
        cause: Cause,
        site: Site,
    ) -> Result<(), Error> {
        let fail = |error: RunError| Error::failure(error, Some(site));
        self.processes.check().map_err(fail)?;
        let leaves = Session::leaf_shardings(graph)?;
        let cause = match cause {
            Cause::Observation => "observes a value",
            Cause::Print => "prints what was made",
            Cause::Data => "needs a shape that depends on data",
            Cause::Limit => "closes a long window",
            Cause::Exit => "ends",
        };
        self.processes.post_close(graph, &leaves, cause, site);
        let ready = self.ready(state, graph, &leaves).map_err(|error| fail(self.fatal(error)))?;
        while state.flying.len() >= MOST_FLYING {
            if let Some(oldest) = state.flying.pop_front() {
                oldest.wait()?;
            }
        }
        let memory = self.reserve_agreed(state, &ready, graph).map_err(fail)?;
        let outcome = Outcome::pending(self.devices.len());
        let mut storages: FxHashMap<Place, Arc<Storage>> = FxHashMap::default();
        let mut late = Vec::new();
        for (node, &at) in graph.nodes.iter().zip(&*ready.moved) {
            if !node.node.is_live() {
                continue;
            }
            let Some(place) = ready.places[at as usize] else {
                unreachable!("bug: a live value without a place")
            };
            let storage = storages.entry(place).or_insert_with(|| match place {
                Place::Slot(slot) => {
                    Storage::new(memory.iter().map(|memory| memory.slots[slot].clone()).collect())
                }
                Place::Leaf(leaf) => match graph.leaves[leaf as usize].result() {
                    Some(Ok(value)) => Shards::of(value).storage(),
                    _ => unreachable!("bug: checked above"),
                },
            });
            let sharding = ready.placements[at as usize].output.clone();
            let mut shards = Shards::new(
                node.dtype,
                &node.shape,
                sharding,
                storage.clone(),
                Some(outcome.clone()),
            );
            if node.op == NodeOp::Compress {
                shards = shards.with_unknown_shape();
            }
            let shards = Arc::new(shards);
            if node.op == NodeOp::Compress {
                late.push((at, shards.clone()));
            }
            node.node.finish(Ok(shards));
        }
        let scalars = graph.scalars.clone();
        let job = Arc::new(Job { ready, scalars, memory, late, outcome: outcome.clone(), site });
        state.windows += 1;
        match &mut state.inline {
            Some(worker) => {
                run_job(worker, &job, &self.world);
                outcome.wait()
            }
            None => {
                for (jobs, _) in &state.workers {
                    if jobs.send(job.clone()).is_err() {
                        let message = String::from("bug: the thread of a device is gone");
                        outcome.finish(Err(RunError::Bug { message }), site);
                    }
                }
                state.flying.push_back(outcome);
                Ok(())
            }
        }
    }
}

/// Runs a job on a device and tells how it ended; a failure ends the world, so that no rank waits for this one.
fn run_job(worker: &mut Worker, job: &Job, world: &World) {
    // A broken promise of ours (or of a subscriber that is told of spans) must not leave the other devices and ranks
    // waiting.
    let run = std::panic::AssertUnwindSafe(|| {
        let _span = tracing::debug_span!("run", device = worker.device, site = %job.site).entered();
        worker.run(job)
    });
    let result = std::panic::catch_unwind(run).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| String::from(*text)));
        Err(RunError::Bug { message: text.unwrap_or_default() })
    });
    if let Err(error) = &result
        && !matches!(error, RunError::Collective(_))
    {
        world.abort(CollectiveError::Aborted {
            rank: world.rank(),
            error_code: String::from(error.code()),
            message: error.to_string(),
        });
    }
    job.outcome.finish(result, job.site);
}

impl Engine for Session {
    fn evaluate(&self, graph: Graph, cause: Cause, site: Site) -> Result<(), Error> {
        let _span = tracing::debug_span!("flush", rank = self.world.rank(), nodes = graph.nodes.len(), %site).entered();
        let mut state = self.state();
        let result = self.start(&mut state, &graph, cause, site);
        if let Err(error) = &result {
            graph.nodes.iter().for_each(|node| node.node.finish(Err(error.clone())));
        }
        // Of a window that is long enough, only the arrays hear.
        if cause == Cause::Limit { result } else { self.processes.tell(result) }
    }

    fn explain(&self, graph: &Graph) -> Result<String, Error> {
        let leaves = Session::leaf_shardings(graph)?;
        let placements = propagate(graph, &leaves, &self.mesh, &self.options.policy);
        let plan = Plan::new(graph, placements, &leaves, &self.mesh);
        let liveness = Session::liveness(graph, &plan);
        Ok(explain::text(&plan, &liveness, &self.mesh))
    }

    fn shardings(&self, graph: &Graph) -> Result<Vec<Sharding>, Error> {
        let leaves = Session::leaf_shardings(graph)?;
        let placements = propagate(graph, &leaves, &self.mesh, &self.options.policy);
        Ok(placements.into_iter().map(|placement| placement.output).collect())
    }

    fn upload(&self, data: &HostArray, site: Site) -> Result<Arc<dyn Evaluated>, Error> {
        let sharding = self.options.policy.sharding(&data.shape, &self.mesh);
        let item = data.dtype.size();
        let host = Buffer::from_vec(data.bytes.clone());
        let strides = contiguous(&data.shape, item);
        let mut buffers = Vec::new();
        for (local, device) in self.devices.iter().enumerate() {
            let block = sharding.block(
                &data.shape,
                &self.mesh,
                &self.mesh.coordinates(self.first_device + local),
            );
            let buffer = match device.clone().allocate(volume(&block) * item) {
                Ok(buffer) => buffer,
                // Making an array is Local, so the refusal waits until all ranks can hear of it.
                Err(refusal) if self.world.size() > 1 && self.options.memory_limit.is_some() => {
                    let shards = Shards::refused(data.dtype, &data.shape, sharding, refusal, site);
                    let value: Arc<dyn Evaluated> = Arc::new(shards);
                    self.processes.declare(&value, data, site);
                    return Ok(value);
                }
                Err(error) => {
                    return Err(Error::failure(self.fatal(RunError::Device(error)), Some(site)));
                }
            };
            let extents: Vec<usize> = block.iter().map(std::ops::Range::len).collect();
            let offset = block
                .iter()
                .zip(&strides)
                .map(|(range, stride)| range.start as isize * stride)
                .sum();
            copy_strided(
                &Strided { buffer: &host, offset, strides: &strides },
                &Strided { buffer: &buffer, offset: 0, strides: &contiguous(&extents, item) },
                &extents,
                item,
            );
            buffers.push(buffer);
        }
        let shards = Shards::new(data.dtype, &data.shape, sharding, Storage::new(buffers), None);
        let value: Arc<dyn Evaluated> = Arc::new(shards);
        self.processes.declare(&value, data, site);
        Ok(value)
    }

    fn read(
        &self,
        value: &Arc<dyn Evaluated>,
        _shape: &[usize],
        map: &AffineMap,
    ) -> Result<Option<HostArray>, Error> {
        self.processes.tell(value.wait())?;
        Ok(Shards::of(value).read(map, &self.mesh, self.first_device))
    }

    fn from_local(
        &self,
        shards: Vec<HostArray>,
        axis: usize,
        site: Site,
    ) -> Result<(Vec<usize>, Arc<dyn Evaluated>), Error> {
        let fail = |error: RunError| Error::failure(error, Some(site));
        let wrong = |reason| fail(RunError::Shards { reason });
        let refusal = if shards.len() != self.devices.len() {
            Some("there must be one for each device of the process")
        } else if shards.iter().any(|shard| axis >= shard.shape.len() || shard.shape.len() > 16) {
            Some("the joined axis does not exist")
        } else {
            None
        };
        // Each device tells its dtype, number of axes, joined axis and extents, or that its process refuses.
        const WORDS: usize = 19;
        const EXTENTS: usize = 3;
        const REFUSED: u64 = u64::MAX;
        let own = (0..self.devices.len()).flat_map(|local| {
            let mut words = vec![REFUSED; WORDS];
            if refusal.is_none() {
                let shard = &shards[local];
                words = vec![u64::from(shard.dtype as u8), shard.shape.len() as u64, axis as u64];
                words.extend(shard.shape.iter().map(|&extent| extent as u64));
                words.resize(WORDS, 0);
            }
            words.into_iter().flat_map(u64::to_ne_bytes)
        });
        self.processes.post(TicketKind::Read, 1, "joins local shards", site);
        let all: Vec<Vec<usize>> = self
            .processes
            .gather(own.collect(), |rank| self.world.device_counts()[rank] * WORDS * 8)
            .map_err(fail)?
            .concat()
            .chunks_exact(WORDS * 8)
            .map(|bytes| bytes.chunks_exact(8).map(word).collect())
            .collect();
        if let Some(refusal) = refusal {
            return Err(wrong(refusal));
        }
        if all.iter().any(|words| words[0] == REFUSED as usize) {
            return Err(wrong("another rank gave a wrong number of them or has no such axis"));
        }
        let alike = |words: &Vec<usize>| {
            words.iter().zip(&all[0]).enumerate().all(|(at, (x, y))| x == y || at == axis + EXTENTS)
        };
        if !all.iter().all(alike) {
            return Err(wrong("dtypes, numbers of axes, joined axes or other extents differ"));
        }
        let sizes: Vec<usize> = all.iter().map(|words| words[axis + EXTENTS]).collect();
        let ndim = all[0][1];
        let mut shape = all[0][EXTENTS..EXTENTS + ndim].to_vec();
        shape[axis] = sizes.iter().sum();
        let mut sharding = Sharding::replicated(ndim);
        if self.mesh.devices() > 1 {
            let mesh_axes = (0..self.mesh.ndim() as u8).collect();
            sharding.axes[axis] = Some(Split { mesh_axes, bounds: Bounds::explicit(&sizes) });
        }
        let dtype = shards[0].dtype;
        let buffers =
            shards.into_iter().map(|shard| Buffer::from_vec(aligned(shard.bytes))).collect();
        let value = Shards::new(dtype, &shape, sharding, Storage::new(buffers), None);
        Ok((shape, Arc::new(value)))
    }

    fn local_shards(
        &self,
        value: &Arc<dyn Evaluated>,
    ) -> Result<Vec<(Vec<usize>, HostArray)>, Error> {
        self.processes.tell(value.wait())?;
        let shards = Shards::of(value);
        let blocks = shards.blocks(&self.mesh, self.first_device);
        Ok(blocks
            .iter()
            .enumerate()
            .map(|(local, block)| {
                (
                    block.iter().map(|range| range.start).collect(),
                    shards.block_to_host(local, block),
                )
            })
            .collect())
    }

    fn extents(&self, value: &Arc<dyn Evaluated>) -> Vec<usize> {
        Shards::of(value).shape().to_vec()
    }

    fn agree(&self, outcome: Result<(), String>, site: Site) -> Result<(), Error> {
        const LONGEST: usize = 1024;
        let message = outcome.err();
        if self.world.size() == 1 {
            return match message {
                None => Ok(()),
                Some(message) => {
                    Err(Error::failure(RunError::Rank { rank: 0, message }, Some(site)))
                }
            };
        }
        let text = message.as_deref().unwrap_or("").as_bytes();
        let mut own = vec![u8::from(message.is_some())];
        own.extend(&text[..text.len().min(LONGEST)]);
        own.resize(LONGEST + 1, 0);
        self.processes.post(TicketKind::Read, 0, "agrees on an outcome", site);
        let all = self
            .processes
            .gather(own, |_| LONGEST + 1)
            .map_err(|error| Error::failure(error, Some(site)))?;
        let Some(rank) = all.iter().position(|bytes| bytes[0] != 0) else { return Ok(()) };
        let text = all[rank][1..].split(|&byte| byte == 0).next().unwrap_or(&[]);
        let message = String::from_utf8_lossy(text).into_owned();
        Err(Error::failure(RunError::Rank { rank, message }, Some(site)))
    }

    fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    fn limits(&self) -> Limits {
        self.options.limits
    }

    fn process(&self) -> (usize, usize) {
        (self.world.rank(), self.world.size())
    }
}

/// The number in eight bytes of a message.
fn word(bytes: &[u8]) -> usize {
    Scalar::from_bytes(DType::U64, bytes).to_element::<u64>() as usize
}

/// The bytes in memory aligned for every dtype.
fn aligned(bytes: Vec<u8>) -> Vec<u128> {
    let mut words = vec![0u128; bytes.len().div_ceil(16)];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(16)) {
        let mut whole = [0; 16];
        whole[..chunk.len()].copy_from_slice(chunk);
        *word = u128::from_ne_bytes(whole);
    }
    words
}

impl Drop for Session {
    fn drop(&mut self) {
        for (jobs, thread) in
            self.state.get_mut().unwrap_or_else(PoisonError::into_inner).workers.drain(..)
        {
            drop(jobs);
            let _ = thread.join();
        }
    }
}
