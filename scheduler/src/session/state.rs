//! The session and its state: its start, its end, and the checks that each call makes.

use super::copies::MovedCopies;
use super::flights::{Flights, MOST_FLYING};
use super::lane::Lane;
use super::live::LiveArrays;
use super::options::{Counters, SessionOptions};
use crate::cache::PlanCache;
use crate::digest::settings_digest;
use crate::error::RunError;
use crate::execute::Worker;
use crate::processes::Processes;
use crate::ready::KernelCache;
use crate::timeline::{Kind, Recording, Timeline};
use phalanx_collectives::{CollectiveError, Communicator, TicketKind, World};
use phalanx_device::{CpuDevice, Device, DeviceError};
use phalanx_graph::{Error, Site};
use phalanx_kernels::cpu::small;
use phalanx_ops::{Bytes, Mesh};
use phalanx_waiting::lock;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Instant;

/// How many times the size of a window each GPU adds to it. A GPU has memory of its own, while CPU
/// devices share that of the machine, in which the arrays that a window reads stay until it closes.
const GPU_PART: usize = 4;

/// The engine of one mesh.
pub struct Session {
    pub(super) world: Arc<World>,
    pub(super) processes: Processes,
    pub(super) mesh: Mesh,
    pub(super) first_device: usize,
    pub(super) devices: Vec<Arc<dyn Device>>,
    pub(super) options: SessionOptions,
    pub(super) kernels: KernelCache,
    pub(super) live: Arc<LiveArrays>,
    /// The most plans in flight; a further plan waits.
    pub(super) most_flying: usize,
    pub(super) recording: Option<Recording>,
    /// What was recorded, once the session has ended.
    timeline: Mutex<Option<Timeline>>,
    state: Mutex<State>,
}

pub(super) struct State {
    pub plans: PlanCache,
    pub windows: usize,
    pub flights: Flights,
    pub moved: MovedCopies,
    /// One for each local device.
    pub lanes: Vec<Lane>,
    is_finished: bool,
}

impl Session {
    /// A session over the devices of a world. Collective: every rank makes its own.
    ///
    /// Errors: `DeviceError::Threads` when threads cannot be started; why the world ended.
    pub fn new(world: World, options: SessionOptions) -> Result<Arc<Session>, RunError> {
        let count = world.communicators().len();
        let mut devices: Vec<Arc<dyn Device>> = Vec::new();
        devices.extend(options.devices.iter().cloned());
        let cpus = if devices.is_empty() { count } else { 0 };
        if cpus > 0 {
            let limit = options.memory_limit;
            for device in CpuDevice::all(cpus, options.threads, limit, options.blas)? {
                devices.push(device);
            }
        }
        let mut world = world;
        world.attach(&devices)?;
        Session::with_devices(world, options, devices)
    }

    /// A session of this process alone over the same devices, for work that depends on the rank.
    /// Its devices exchange data through the host: devices that exchanged data directly for two
    /// sessions at once could wait for each other for ever. Local.
    ///
    /// Errors: `DeviceError::Threads` when threads cannot be started.
    pub fn local(&self) -> Result<Arc<Session>, RunError> {
        let options = SessionOptions { mesh: None, records: false, ..self.options.clone() };
        Session::with_devices(World::local(self.devices.len())?, options, self.devices.clone())
    }

    fn with_devices(
        world: World,
        options: SessionOptions,
        devices: Vec<Arc<dyn Device>>,
    ) -> Result<Arc<Session>, RunError> {
        let total: usize = world.device_counts().iter().sum();
        let mesh = options.mesh.clone().unwrap_or_else(|| Mesh::line(total));
        if mesh.devices() != total {
            return Err(RunError::Mesh { mesh: mesh.to_string(), devices: total });
        }
        let first_device = world.first_device();
        let mut options = options;
        if devices.iter().any(|device| !device.is_host()) {
            let Bytes(bytes) = options.limits.bytes;
            options.limits.bytes = Bytes(bytes.saturating_mul(GPU_PART).saturating_mul(total));
        }
        if let Some(limit) = options.memory_limit {
            let quarter = Bytes(limit.saturating_mul(total) / 4);
            options.limits.bytes = options.limits.bytes.min(quarter);
        }
        let is_one_cpu = devices.len() == 1 && devices[0].is_host();
        if world.size() > 1 || !is_one_cpu {
            // Small operations are recorded: see `at_once`.
            options.limits.at_once = 0;
        }
        options.limits.at_once = options.limits.at_once.min(small::MOST_ELEMENTS);
        let world = Arc::new(world);
        let kernels = KernelCache::new(devices.first().cloned());
        let live = Arc::<LiveArrays>::default();
        let mut recording = options.records.then(|| Recording::new(&devices)).transpose()?;
        let lane = |(local, communicator): (usize, &Arc<dyn Communicator>)| {
            let (device, memory) = (first_device + local, devices[local].clone());
            let (communicator, mesh) = (communicator.clone(), mesh.clone());
            let mut worker =
                Worker::new(local, device, memory, communicator, mesh, options.routines);
            if let Some(recording) = &recording {
                worker.record(recording);
            }
            Lane::new(worker, world.clone(), live.clone())
        };
        let state = State {
            plans: PlanCache::default(),
            windows: 0,
            flights: Flights::default(),
            moved: MovedCopies::default(),
            lanes: world.communicators().iter().enumerate().map(lane).collect(),
            is_finished: false,
        };
        // The driver may wait for one GPU while it allocates memory or loads a kernel on another.
        // If the first GPU waits for a step that the second has not received yet, both wait for
        // ever. So no plan starts before all devices have received the whole plan before it.
        let waits = world.communicators().iter().any(|member| member.waits_in_device_work());
        let most_flying = if waits && devices.len() > 1 { 1 } else { MOST_FLYING };
        let settings = (&mesh, &options.policy, &options.limits, options.memory_limit);
        let processes = Processes::meet(world.clone(), settings_digest(&settings))?;
        if let Some(recording) = &mut recording {
            recording.meet(&processes)?;
        }
        Ok(Arc::new(Session {
            world,
            processes,
            mesh,
            first_device,
            devices,
            options,
            kernels,
            live,
            most_flying,
            recording,
            timeline: Mutex::default(),
            state: Mutex::new(state),
        }))
    }

    /// Waits until the devices have received all plans in flight, if plans run one at a time. Code
    /// that runs no plan calls this before it allocates memory or loads a kernel.
    ///
    /// Errors: that the user interrupts the wait. The values of a failed plan carry its error.
    pub(super) fn all_given(&self) -> Result<(), Error> {
        if self.most_flying > 1 {
            return Ok(());
        }
        let _entered = self.world.enter();
        let outcomes = self.state().flights.outcomes();
        outcomes.iter().try_for_each(|outcome| match self.stopping(outcome.wait()) {
            Err(error) if error.is_interrupt() => Err(error),
            _ => Ok(()),
        })
    }

    /// Frees the memory that ended plans held. If another thread holds the state, it does so with
    /// its next plan.
    pub(super) fn free_ended(&self) {
        match self.state.try_lock() {
            Ok(mut state) => state.flights.free_ended(),
            Err(TryLockError::Poisoned(state)) => state.into_inner().flights.free_ended(),
            Err(TryLockError::WouldBlock) => {}
        }
    }

    /// Whether a plan may be in flight. Does not wait.
    pub(super) fn flies(&self) -> bool {
        match self.state.try_lock() {
            Ok(mut state) => state.flights.len() > 0,
            Err(_) => true,
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The world of the session.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// This process's devices.
    pub fn devices(&self) -> &[Arc<dyn Device>] {
        &self.devices
    }

    /// The counters of the session.
    pub fn counters(&self) -> Counters {
        let state = self.state();
        Counters { windows: state.windows, plans: state.plans.plans(), kernels: self.kernels.len() }
    }

    /// Waits for everything in flight and for the other ranks, and leaves the world. Collective:
    /// every rank ends its session at the same point of the program. Errors: that of a plan in
    /// flight, or why the world ended.
    pub fn finish(&self, site: Site) -> Result<(), Error> {
        let part = || {
            self.keep_timeline(true);
            self.processes.part()
        };
        self.note_result(self.end("ends", site, part))
    }

    /// What a session with `SessionOptions::records` has recorded, once, after its end. If the
    /// session ended in order on all ranks (`finish`), rank 0 has the tracks of all, and other
    /// ranks have none; else each rank has its own.
    pub fn take_timeline(&self) -> Option<Timeline> {
        lock(&self.timeline).take()
    }

    /// Keeps the timeline of the devices, which are idle.
    fn keep_timeline(&self, is_common: bool) {
        let Some(recording) = &self.recording else { return };
        // A device that has failed has no times; the failure is reported elsewhere. Other ranks
        // wait for this one's tracks, even if there are none.
        let own = recording.own(self.world.rank()).unwrap_or_default();
        let is_common = is_common && self.world.failure().is_none();
        let gathered = is_common.then(|| recording.gather(&self.processes, &own));
        // Without the other ranks, this one keeps its own tracks.
        let timeline = gathered.and_then(Result::ok).unwrap_or(Some(own));
        *lock(&self.timeline) = timeline.filter(|timeline| !timeline.tracks.is_empty());
    }

    /// Runs a wait for devices, which the timeline shows.
    pub(super) fn waits<T>(&self, wait: impl FnOnce() -> T) -> T {
        let Some(recording) = &self.recording else { return wait() };
        let begun = Instant::now();
        let outcome = wait();
        recording.program.note(Kind::Read, "wait for devices", begun, 0);
        outcome
    }

    /// Leaves the world without waiting for the other ranks. A rank that continues gets an error.
    /// Errors: as `finish`.
    pub fn leave(&self, site: Site) -> Result<(), Error> {
        if self.world.is_own() {
            self.processes.pass_on_last();
        }
        let is_unreported = self.processes.is_unreported();
        let part = || {
            self.keep_timeline(false);
            Ok(())
        };
        let ended = self.end("does not `finish` the session made", site, part);
        if let Err(error) = &ended
            && is_unreported
        {
            self.processes.report(error, site);
        }
        ended
    }

    /// Ends the world on all ranks because the program of this one has failed. Local.
    pub fn abort(&self, error_code: &str, message: &str) {
        if !self.world.is_own() {
            return;
        }
        self.processes.abort(error_code, String::from(message));
        self.world.note_error();
    }

    /// As `abort`, for a program that ends: the process exits soon, even if it still waits for
    /// something.
    pub fn fail(&self, error_code: &str, message: &str) {
        if self.world.is_own() {
            self.abort(error_code, message);
            self.world.note_ending();
        }
    }

    /// Checks that the world has not ended. Local. Errors: the reason of its end.
    pub fn check(&self, site: Site) -> Result<(), Error> {
        self.own(Some(site))?;
        self.note_result(self.processes.check().map_err(|error| Error::failure(error, Some(site))))
    }

    /// Whether this process has the threads of the session. A call that may wait checks this first,
    /// before it takes a lock: in a forked process the thread that holds the lock does not exist.
    pub(super) fn own(&self, site: Option<Site>) -> Result<(), Error> {
        if self.world.is_own() { Ok(()) } else { Err(Error::failure(RunError::Forked, site)) }
    }

    /// Runs a call of the program.
    pub(super) fn call<T>(&self, call: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        self.own(None)?;
        call().inspect_err(|_| self.world.note_error())
    }

    /// Returns the result of a call to the program. If it is an error, the program knows from now
    /// on that its world has ended.
    pub(super) fn note_result<T>(&self, outcome: Result<T, Error>) -> Result<T, Error> {
        if outcome.is_err() {
            self.world.note_error();
        }
        self.processes.note_result(outcome)
    }

    fn end(
        &self,
        cause: &str,
        site: Site,
        part: impl FnOnce() -> Result<(), RunError>,
    ) -> Result<(), Error> {
        if !self.world.is_own() {
            // The session belongs to the parent process, which ends it.
            return Ok(());
        }
        let _entered = self.world.enter();
        let outcome = {
            let mut state = self.state();
            if std::mem::replace(&mut state.is_finished, true) {
                return Ok(());
            }
            self.processes.post(TicketKind::Exit, 0, cause, site);
            let mut outcome = Ok(());
            while let Some(ended) = state.flights.pop() {
                outcome = outcome.and(ended);
            }
            state.lanes.iter_mut().for_each(Lane::end);
            outcome
        };
        let parted = part();
        self.processes.leave();
        match self.world.failure() {
            Some(failure) if !matches!(failure, CollectiveError::Closed) => {
                outcome.and(Err(Error::failure(RunError::Collective(failure), Some(site))))
            }
            _ => outcome.and(parted.map_err(|error| Error::failure(error, Some(site)))),
        }
    }

    /// The outcome of a wait. When the user interrupts one of several processes, the world ends for
    /// all, since the others would wait for that process.
    pub(super) fn stopping<T>(&self, outcome: Result<T, Error>) -> Result<T, Error> {
        if let Err(error) = &outcome
            && error.is_interrupt()
        {
            self.fatal(RunError::Interrupted);
        }
        outcome
    }

    /// Whether all devices work. Values of a failed device must not be read, and neither must
    /// values that were computed in a world that has ended.
    pub(super) fn intact(&self) -> Result<(), Error> {
        let ended = self.world.failure().filter(|failure| *failure != CollectiveError::Closed);
        if let Some(failure) = ended
            && self.devices.iter().any(|device| !device.is_host())
        {
            return Err(Error::failure(RunError::Collective(failure), None));
        }
        match self.devices.iter().find_map(|device| device.failure()) {
            Some(failure) => Err(Error::failure(self.fatal(RunError::Device(failure)), None)),
            None => Ok(()),
        }
    }

    /// Whether there are elements to read. Null devices have none, on no rank.
    pub(super) fn has_elements(&self) -> Result<(), Error> {
        match self.devices.iter().find(|device| device.is_null()) {
            Some(device) => {
                let error = DeviceError::Null { device: device.name() };
                Err(Error::failure(RunError::Device(error), None))
            }
            None => Ok(()),
        }
    }

    /// An error of this process alone ends the world, so that no other rank waits for it.
    pub(super) fn fatal(&self, error: RunError) -> RunError {
        if self.world.size() > 1 {
            self.processes.abort(error.code(), error.to_string());
        }
        error
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !self.world.is_own() {
            // The threads of the lanes exist only in the parent process.
            return std::mem::forget(std::mem::take(&mut state.lanes));
        }
        state.lanes.iter_mut().for_each(Lane::end);
    }
}
