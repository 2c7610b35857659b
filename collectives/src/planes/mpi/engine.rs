//! The messages of a world over MPI: requests in flight, tested until they are complete.
//!
//! A message is one request for each part of 1 GiB and one for the rest, on the world's own
//! communicator. Its tag encodes the communicator group, the message lane and the devices at both
//! ends. MPI keeps messages of one pair and tag in order, which is the order that the communicator
//! promises. The rest is shorter than a part and may be empty. It lets a receiver that expects
//! another length notice that, instead of taking a part of the next message.
//!
//! Requests advance only when a thread tests them: the threads that wait, and, if any thread may
//! call the library, a thread of the engine while no other thread does. A request that is complete
//! here may leave work in the library, such as confirming a long message. Therefore a leaving rank
//! calls the library even with nothing in flight. One lock guards all calls except the split of a
//! group. Every wait watches the world's failure, so a message that never arrives ends with the
//! world's error.

use super::calls::{Bits, Calls, Envelope, Progress};
use super::departures::Departures;
use super::end;
use super::pace::{PAUSE, Pace};
use super::process::{Mpi, Threads};
use crate::CollectiveError;
use crate::failure::Failure;
use crate::fork::Process;
use crate::transport::{Channel, Transfer};
use phalanx_device::cuda::{CudaDevice, KeptContext};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The most bytes that an MPI collective moves on one member; MPI counts with 31 bits.
const LIMIT_BYTES: usize = c_int::MAX as usize;
/// The length of a message's parts; MPI counts with 31 bits.
const PART_BYTES: usize = 1 << 30;
/// The interval at which the engine's thread checks whether it is needed, and the number of checks
/// after which it sleeps until woken: waking a thread for each message costs more than the message.
const IDLE_PAUSE: Duration = Duration::from_micros(200);
const IDLE_TURNS: u32 = 500;
/// The number of tests of an awaited request under one hold of the lock.
pub(super) const TESTS: usize = 8;
/// The time limit for cancelled receives to end.
const WITHDRAWAL: Duration = Duration::from_millis(300);

/// The end of a message that a transfer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Send,
    Receive,
}

/// The parts of a message's channel that its MPI tag encodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// The number of the communicator group: no two groups of one device have the same.
    pub(crate) group: u64,
    /// The sending device, counted within its process.
    pub(crate) from: usize,
    /// The receiving device, counted within its process.
    pub(crate) to: usize,
}

/// The receiver of the engine's reports.
pub(crate) trait Watcher: Send + Sync {
    /// A message differs in length from its receive.
    fn misfit(&self, channel: Channel, sent: u64, expected: usize);
    /// The library failed, or a rank has left for which this process waits.
    fn failed(&self, error: CollectiveError);
    /// The library reports that members called different collectives.
    fn disagreed(&self, error: CollectiveError);
}

/// The messages of a world.
pub(crate) struct Engine {
    pub(super) mpi: Arc<Mpi>,
    pub(super) communicator: Bits,
    /// The communicator of MPI's collectives on the world's communicator group, if each process has
    /// one device.
    collectives: Option<Bits>,
    /// The communicators of the world and its communicator groups that are not freed yet. Libraries
    /// have a few thousand.
    held: Mutex<Vec<Bits>>,
    /// The process that made the world. Its forks must not call the library.
    process: Process,
    /// The largest number of bytes that an MPI collective moves on a member.
    pub(super) limit: AtomicUsize,
    /// The length of a message's parts.
    part: AtomicUsize,
    pub(super) departures: Arc<Departures>,
    /// The largest tag, which no communicator group uses.
    pub(super) tag_limit: u64,
    /// The largest number of devices of a process.
    devices: u64,
    pub(super) failure: Arc<Failure>,
    /// The GPU whose context is current in calls of the library, once it receives GPU memory.
    gpu: OnceLock<Weak<CudaDevice>>,
    watcher: OnceLock<std::sync::Weak<dyn Watcher>>,
    flights: Mutex<Vec<Flight>>,
    /// The number of flights, readable without the lock.
    count: AtomicUsize,
    /// The number of threads that wait for the lock.
    waiting: AtomicUsize,
    /// The number of threads that test requests until their own are complete.
    driving: AtomicUsize,
    wake: Condvar,
    /// Whether the engine's thread sleeps until it is woken.
    is_asleep: AtomicBool,
    is_stopping: AtomicBool,
    bytes_sent: AtomicU64,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// One request.
pub(super) struct Flight {
    request: Bits,
    end: End,
    /// The start and the length of its part of the message.
    start: usize,
    len: usize,
    message: Arc<InFlight>,
    is_withdrawn: bool,
}

/// A message that one or several requests make up.
struct InFlight {
    transfer: Arc<Transfer>,
    channel: Channel,
    parts_left: AtomicUsize,
}

/// Guard of a thread that tests requests until its own are complete: the engine's thread may rest.
pub(super) struct Driving<'a>(&'a AtomicUsize);

impl Drop for Driving<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("mpi", &self.mpi).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine for a world whose processes have these numbers of devices. Collective over the MPI
    /// job.
    pub(crate) fn new(
        mpi: Arc<Mpi>,
        device_counts: &[usize],
        failure: Arc<Failure>,
        departures: Arc<Departures>,
    ) -> Result<Arc<Engine>, CollectiveError> {
        // From here on others may wait for this rank. If it fails, the library is not finalised.
        end::world_begins();
        let communicator = mpi.communicator()?;
        let is_single = device_counts.iter().all(|count| *count == 1);
        let collectives = is_single.then(|| mpi.communicator()).transpose()?;
        let tag_limit = mpi.calls.tag_limit(communicator)?;
        let engine = Arc::new(Engine {
            communicator,
            collectives,
            held: Mutex::new(std::iter::once(communicator).chain(collectives).collect()),
            process: Process::own(),
            limit: AtomicUsize::new(LIMIT_BYTES),
            part: AtomicUsize::new(PART_BYTES),
            departures,
            tag_limit,
            devices: device_counts.iter().copied().max().unwrap_or(1) as u64,
            failure,
            gpu: OnceLock::new(),
            watcher: OnceLock::new(),
            flights: Mutex::default(),
            count: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            driving: AtomicUsize::new(0),
            wake: Condvar::new(),
            is_asleep: AtomicBool::new(false),
            is_stopping: AtomicBool::new(false),
            bytes_sent: AtomicU64::new(0),
            thread: Mutex::default(),
            mpi,
        });
        if engine.mpi.threads() == Threads::Multiple {
            let shared = engine.clone();
            let thread = std::thread::Builder::new()
                .name(String::from("phalanx-mpi"))
                .spawn(move || shared.run())
                .map_err(|error| CollectiveError::network(&error))?;
            *lock(&engine.thread) = Some(thread);
        }
        Ok(engine)
    }

    /// Sets the receiver of reports about errors.
    pub(crate) fn watch(&self, watcher: std::sync::Weak<dyn Watcher>) {
        let first = self.watcher.set(watcher).is_ok();
        assert!(first, "bug: an engine with two watchers");
    }

    /// The communicator of MPI's collectives on the world's communicator group, if each process has
    /// one device.
    pub(super) fn collectives(&self) -> Option<Bits> {
        self.collectives
    }

    /// The rank of this process and the number of processes.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.mpi.rank(), self.mpi.size())
    }

    /// Sets the bytes above which messages replace MPI's collectives; equal on all ranks.
    pub(crate) fn limit_collectives(&self, bytes: usize) {
        self.limit.store(bytes.min(LIMIT_BYTES), Ordering::Relaxed);
    }

    /// Sets the length of a message's parts; equal on all ranks.
    pub(crate) fn limit_parts(&self, bytes: usize) {
        self.part.store(bytes.clamp(1, PART_BYTES), Ordering::Relaxed);
    }

    pub(super) fn calls(&self) -> &dyn Calls {
        &*self.mpi.calls
    }

    pub(crate) fn threads(&self) -> Threads {
        self.mpi.threads()
    }

    pub(super) fn check_thread(&self) -> Result<(), CollectiveError> {
        self.mpi.check_thread()
    }

    /// Allows slices in GPU memory from now on. `gpu` is one of the process's GPUs.
    pub(crate) fn use_gpu(&self, gpu: &Arc<CudaDevice>) {
        self.gpu.get_or_init(|| Arc::downgrade(gpu));
    }

    /// Makes the context current that a library needs to copy GPU memory, until the result is
    /// dropped.
    pub(super) fn visit(&self) -> Option<KeptContext> {
        self.gpu.get().and_then(Weak::upgrade).and_then(|gpu| gpu.visit())
    }

    /// Calls the library under the lock of all calls, for other purposes than the world's messages.
    pub(super) fn call<T>(&self, call: impl FnOnce(&dyn Calls) -> T) -> T {
        let _turn = self.flights();
        let _kept = self.visit();
        call(&*self.mpi.calls)
    }

    /// Records the communicator of MPI that a communicator group uses.
    pub(super) fn hold(&self, communicator: Bits) {
        lock(&self.held).push(communicator);
    }

    /// Frees the communicator of an ended communicator group. After a failure a member may
    /// still be in a collective. After the end of the world its communicators are freed already.
    pub(super) fn give_back(&self, communicator: Bits) {
        if !self.failure.is_set() {
            self.free(|held| {
                let at = held.iter().position(|one| *one == communicator);
                at.map(|at| held.swap_remove(at)).into_iter().collect()
            });
        }
    }

    /// Frees the communicators that `taken` removes from `held`. If this thread may not call, or
    /// the library is finalised, the end of the process frees them.
    fn free(&self, taken: impl FnOnce(&mut Vec<Bits>) -> Vec<Bits>) {
        if !self.process.is_own() || self.mpi.check_thread().is_err() {
            return;
        }
        let freed = self.call(|calls| {
            if calls.finalized() != Ok(false) {
                return Ok(());
            }
            let taken = taken(&mut lock(&self.held));
            taken.into_iter().try_for_each(|communicator| calls.free(communicator))
        });
        if let Err(error) = freed {
            tracing::warn!(%error, "a communicator was not freed");
        }
    }

    /// The number of bytes given to MPI.
    pub(crate) fn bytes_sent(&self) -> u64 {
        self.bytes_sent.load(Ordering::Relaxed)
    }

    pub(super) fn count_sent(&self, bytes: usize) {
        self.bytes_sent.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn begin_to_drive(&self) -> Driving<'_> {
        self.driving.fetch_add(1, Ordering::Relaxed);
        Driving(&self.driving)
    }

    fn watcher(&self) -> Option<Arc<dyn Watcher>> {
        self.watcher.get().and_then(std::sync::Weak::upgrade)
    }

    /// Reports that members called different collectives, as the library says.
    pub(super) fn disagreed(&self, error: CollectiveError) {
        if let Some(watcher) = self.watcher() {
            watcher.disagreed(error);
        }
    }

    /// Starts one end of a message to or from another process.
    pub(crate) fn post(
        self: &Arc<Engine>,
        end: End,
        transfer: Arc<Transfer>,
        channel: Channel,
        route: Route,
    ) -> Result<(), CollectiveError> {
        self.mpi.check_thread()?;
        let envelope = Envelope {
            communicator: self.communicator,
            process: transfer.process(),
            tag: self.tag(channel, route)?,
        };
        let (data, len) = transfer.place();
        let whole = self.part.load(Ordering::Relaxed);
        let parts = len / whole + 1;
        if end == End::Send {
            self.count_sent(len);
        }
        let _kept = self.visit();
        let mut flights = self.flights();
        // If the world has ended, the communicator may be freed.
        self.failure.check()?;
        let mut message = None;
        for part in 0..parts {
            let start = part * whole;
            let part_len = (len - start).min(whole);
            // SAFETY: the part is inside of the slice of the transfer, which the flight keeps
            // alive; the owner of the slice leaves it alone until the transfer has ended, and
            // `withdraw` ends what is in flight before a transfer is cancelled.
            let request = unsafe {
                let data = data.add(start);
                match end {
                    End::Send => self.mpi.calls.send(&envelope, data, part_len),
                    End::Receive => self.mpi.calls.receive(&envelope, data, part_len),
                }
            };
            let mut request = request?;
            // Short sends are often complete at once and need no flight.
            let is_whole_send = parts == 1 && end == End::Send;
            if is_whole_send {
                match self.mpi.calls.test(&mut request) {
                    Progress::Pending => {}
                    Progress::Failed(error) => return Err(error),
                    Progress::Done(_) | Progress::Truncated(_) => {
                        transfer.end();
                        return Ok(());
                    }
                }
            }
            let parts_left = AtomicUsize::new(parts);
            let message = message.get_or_insert_with(|| {
                Arc::new(InFlight { transfer: transfer.clone(), channel, parts_left })
            });
            let message = message.clone();
            flights.push(Flight {
                request,
                end,
                start,
                len: part_len,
                message,
                is_withdrawn: false,
            });
        }
        self.count.store(flights.len(), Ordering::SeqCst);
        drop(flights);
        if self.is_asleep.load(Ordering::SeqCst) {
            self.wake.notify_one();
        }
        Ok(())
    }

    fn tag(&self, channel: Channel, route: Route) -> Result<i32, CollectiveError> {
        let (Route { group, from, to }, lane) = (route, channel.lane as u64);
        let pair = from as u64 * self.devices + to as u64;
        let tag = (group * self.devices * self.devices + pair) * 2 + lane;
        if tag >= self.tag_limit {
            let reason =
                format!("tag {tag} is not below the library's largest, {}", self.tag_limit);
            return Err(CollectiveError::Mpi { call: String::from("a group"), reason });
        }
        Ok(i32::try_from(tag).expect("bug: a tag beyond the library's largest"))
    }

    /// Takes the lock under which the library is called.
    pub(super) fn flights(&self) -> MutexGuard<'_, Vec<Flight>> {
        match self.flights.try_lock() {
            Ok(flights) => flights,
            Err(TryLockError::Poisoned(flights)) => flights.into_inner(),
            Err(TryLockError::WouldBlock) => {
                self.waiting.fetch_add(1, Ordering::Relaxed);
                let flights = lock(&self.flights);
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                flights
            }
        }
    }

    /// Yields to threads that wait for the lock. A mutex is not fair: a thread that releases it and
    /// takes it again at once keeps it.
    pub(super) fn give_way(&self) {
        const TURNS: usize = 200;
        let mut turns = 0;
        while turns < TURNS && self.waiting.load(Ordering::Relaxed) > 0 {
            std::thread::yield_now();
            turns += 1;
        }
    }

    /// Tests the parts of one message, or everything in flight, unless another thread does so now.
    fn look_once(&self, transfer: Option<&Transfer>) {
        let mut flights = match self.flights.try_lock() {
            Ok(flights) => flights,
            Err(TryLockError::Poisoned(flights)) => flights.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let Some(transfer) = transfer else { return self.advance(&mut flights) };
        for _ in 0..TESTS {
            self.advance_of(&mut flights, Some(transfer));
            if transfer.is_done() {
                break;
            }
        }
    }

    /// Lets the library continue its remaining work for complete requests.
    pub(crate) fn push(&self) {
        // The program may have finalised the library before the world ends.
        if self.mpi.check_thread().is_err() || self.mpi.calls.finalized() != Ok(false) {
            return;
        }
        let Ok(_turn) = self.flights.try_lock() else { return };
        let _kept = self.visit();
        let tag = i32::try_from(self.tag_limit).unwrap_or(i32::MAX);
        let process = (self.mpi.rank() + 1) % self.mpi.size();
        let envelope = Envelope { communicator: self.communicator, process, tag };
        for _ in 0..TESTS {
            // Only the proof at start uses this tag. If the call fails, threads that wait for a
            // message receive the error.
            let _ = self.mpi.calls.probe(&envelope);
        }
    }

    /// Tests once, for a caller that checks for completion and does not wait.
    pub(crate) fn look_if_allowed(&self) {
        if self.mpi.check_thread().is_ok() {
            self.look_once(None);
        }
    }

    pub(super) fn advance(&self, flights: &mut Vec<Flight>) {
        self.advance_of(flights, None);
    }

    /// Tests the flights of one message, or all.
    fn advance_of(&self, flights: &mut Vec<Flight>, transfer: Option<&Transfer>) {
        let _kept = self.visit();
        let is_asked = |flight: &Flight| {
            transfer.is_none_or(|transfer| std::ptr::eq(&*flight.message.transfer, transfer))
        };
        let mut at = 0;
        while at < flights.len() {
            if !is_asked(&flights[at]) {
                at += 1;
                continue;
            }
            let progress = self.mpi.calls.test(&mut flights[at].request);
            if matches!(progress, Progress::Pending) {
                at += 1;
                continue;
            }
            // The order of flights is irrelevant: MPI matched the requests when they were posted.
            let flight = flights.swap_remove(at);
            self.landed(&flight, progress);
        }
        self.count.store(flights.len(), Ordering::SeqCst);
        if transfer.is_none() {
            self.check_departures(flights);
        }
    }

    fn landed(&self, flight: &Flight, progress: Progress) {
        let InFlight { transfer, channel, parts_left } = &*flight.message;
        if flight.is_withdrawn {
            return;
        }
        match progress {
            Progress::Done(len) if flight.end == End::Send || len == flight.len => {
                if parts_left.fetch_sub(1, Ordering::SeqCst) == 1 {
                    transfer.end();
                }
            }
            Progress::Done(len) | Progress::Truncated(len) => {
                let is_too_long = matches!(progress, Progress::Truncated(_));
                let sent = if is_too_long { len.max(flight.len + 1) } else { len };
                if let Some(watcher) = self.watcher() {
                    // Earlier parts arrived as expected. How many parts follow one that is too long
                    // is unknown.
                    let sent = flight.start + sent;
                    watcher.misfit(*channel, sent as u64, transfer.len());
                }
            }
            Progress::Failed(error) => {
                if let Some(watcher) = self.watcher() {
                    watcher.failed(error);
                }
            }
            Progress::Pending => unreachable!("bug: a request that is not over has landed"),
        }
    }

    fn check_departures(&self, flights: &[Flight]) {
        let peers = flights.iter().map(|flight| flight.message.transfer.process());
        self.report_departure(self.departures.departed(peers));
    }

    /// Ends the world if one of the processes has left without starting a collective.
    pub(super) fn check_members(&self, group: u64, number: u64, processes: &[usize]) {
        self.report_departure(self.departures.absent(group, number, processes));
    }

    fn report_departure(&self, rank: Option<usize>) {
        let Some(rank) = rank.filter(|_| !self.failure.is_set()) else { return };
        if let Some(watcher) = self.watcher() {
            watcher.failed(CollectiveError::RankLeft { rank });
        }
    }

    /// Advances requests, mainly those of `transfer` if given, until `done` holds or the world
    /// fails.
    pub(crate) fn drive(&self, transfer: Option<&Transfer>, done: impl Fn() -> bool) {
        if done() {
            return;
        }
        let _driving = self.begin_to_drive();
        let is_allowed = self.mpi.check_thread().is_ok();
        let mut pace = Pace::default();
        while !done() && !self.failure.is_set() {
            if is_allowed {
                self.look_once(transfer.filter(|_| !pace.is_long()));
            }
            self.give_way();
            pace.pause();
        }
    }

    /// Cancels the receives in flight after a failure of the world. A receive that does not end
    /// keeps its memory for ever, because the library may still write there.
    pub(crate) fn withdraw(&self) {
        if self.mpi.check_thread().is_err() {
            return;
        }
        let mut flights = self.flights();
        for flight in flights.iter_mut().filter(|flight| !flight.is_withdrawn) {
            flight.is_withdrawn = true;
            if flight.end == End::Receive {
                self.mpi.calls.cancel(&mut flight.request);
            }
        }
        let deadline = Instant::now() + WITHDRAWAL;
        while flights.iter().any(|flight| flight.end == End::Receive) && Instant::now() < deadline {
            self.advance(&mut flights);
            std::thread::yield_now();
        }
        std::mem::forget(std::mem::take(&mut *flights));
        self.count.store(0, Ordering::SeqCst);
    }

    /// Waits until MPI has taken everything sent, or until the limit.
    pub(crate) fn flush(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        self.drive(None, || self.count.load(Ordering::SeqCst) == 0 || Instant::now() > deadline);
    }

    /// Ends the engine's thread after the world has ended. `is_peaceful` means that all ranks have
    /// left without an error: then nothing is in flight, and the communicators are freed.
    pub(crate) fn stop(&self, is_peaceful: bool) {
        self.is_stopping.store(true, Ordering::SeqCst);
        self.wake.notify_all();
        let thread = lock(&self.thread).take();
        if is_peaceful && self.count.load(Ordering::SeqCst) == 0 {
            self.free(std::mem::take);
        }
        if let Some(thread) = thread {
            if thread.join().is_err() {
                tracing::error!("the MPI thread panicked");
            }
            if is_peaceful {
                end::world_ends_in_peace();
            }
        } else if is_peaceful && self.mpi.threads() != Threads::Multiple {
            end::world_ends_in_peace();
        }
    }

    /// Advances requests while no other thread does.
    fn run(&self) {
        let mut idle = 0;
        while !self.is_stopping.load(Ordering::SeqCst) && !self.failure.is_set() {
            let is_needed =
                self.count.load(Ordering::SeqCst) > 0 && self.driving.load(Ordering::Relaxed) == 0;
            if is_needed {
                idle = 0;
                self.look_once(None);
                std::thread::sleep(PAUSE);
            } else if idle < IDLE_TURNS {
                idle += 1;
                std::thread::sleep(IDLE_PAUSE);
            } else {
                let flights = self.flights();
                self.is_asleep.store(true, Ordering::SeqCst);
                if flights.is_empty() {
                    // A post wakes it, or the end does.
                    drop(self.wake.wait_timeout(flights, Duration::from_millis(200)));
                }
                self.is_asleep.store(false, Ordering::SeqCst);
                // With nothing in flight, frequent checks are unnecessary.
                idle = if self.count.load(Ordering::SeqCst) > 0 { 0 } else { IDLE_TURNS };
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The library may still use the memory of what is in flight, which is kept for ever.
        let flights = self.flights.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::forget(std::mem::take(flights));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
