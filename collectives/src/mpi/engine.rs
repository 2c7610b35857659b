//! The messages of a world over MPI: requests in flight, tested until they are over.
//!
//! A message is a request for each part of at most 1 GiB, on a communicator of the world's own. Its
//! tag names the group, the lane and the devices at both ends, so that MPI's rule that messages of
//! one pair and tag do not overtake each other is the order that the communicator promises.
//!
//! Requests make progress when somebody looks: whoever waits does, and where any thread may call
//! the library, a thread of the engine's own while nobody else does. All calls stand under one
//! lock. Every wait watches the world's failure, so that a message that never comes ends with the
//! world's error.

use super::calls::{Bits, Calls, Envelope, Progress};
use super::end;
use super::process::{Mpi, Threads};
use crate::CollectiveError;
use crate::failure::Failure;
use crate::transport::{Channel, Transfer};
use phalanx_device::cuda::{CudaDevice, KeptContext};
use phalanx_ops::waiting::look;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest part of a message; MPI counts with 31 bits.
const PART_BYTES: usize = 1 << 30;
/// Looks of a waiting thread before it lets others run between them.
const SPINS: u32 = 200;
/// Looks after which a waiting thread sleeps between them.
const YIELDS: u32 = 2000;
/// The pause between two looks of a thread that has waited for long.
const PAUSE: Duration = Duration::from_micros(50);
/// How long what a rank has sent may follow its goodbye, which goes another way.
const GRACE: Duration = Duration::from_secs(1);
/// How long withdrawn receives may take to end.
const WITHDRAWAL: Duration = Duration::from_millis(300);

/// Which end of a message a transfer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Send,
    Receive,
}

/// What MPI's tag has to tell of a message's channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// The number of the group: no two groups of one device have the same.
    pub(crate) group: u64,
    /// Which device of its process sends.
    pub(crate) from: usize,
    /// Which device of its process receives.
    pub(crate) to: usize,
}

/// What the engine tells of.
pub(crate) trait Watcher: Send + Sync {
    /// A message has another length than its place.
    fn misfit(&self, channel: Channel, sent: u64, expected: usize);
    /// The library failed, or a rank has left that is still waited for.
    fn failed(&self, error: CollectiveError);
}

/// The messages of a world.
pub(crate) struct Engine {
    pub(super) mpi: Arc<Mpi>,
    pub(super) communicator: Bits,
    /// The largest tag, which no group has.
    pub(super) tag_limit: u64,
    /// The most devices of a process.
    devices: u64,
    pub(super) failure: Arc<Failure>,
    /// The GPU whose context threads have that call the library, once it is given its memory.
    gpu: OnceLock<Weak<CudaDevice>>,
    watcher: OnceLock<std::sync::Weak<dyn Watcher>>,
    flights: Mutex<Vec<Flight>>,
    /// As many as there are flights, for a look without the lock.
    count: AtomicUsize,
    wake: Condvar,
    is_stopping: AtomicBool,
    bytes_sent: AtomicU64,
    /// When each rank said goodbye.
    left: Mutex<Vec<Option<Instant>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// One request.
struct Flight {
    request: Bits,
    end: End,
    len: usize,
    message: Arc<InFlight>,
    is_withdrawn: bool,
}

/// The message that one or several requests are parts of.
struct InFlight {
    transfer: Arc<Transfer>,
    channel: Channel,
    parts_left: AtomicUsize,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("mpi", &self.mpi).finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine for a world whose processes have the given numbers of devices. Collective over the
    /// MPI job.
    pub(crate) fn new(
        mpi: Arc<Mpi>,
        device_counts: &[usize],
        failure: Arc<Failure>,
    ) -> Result<Arc<Engine>, CollectiveError> {
        // From here on others may wait for this rank: should it fail, the library is not finalised.
        end::world_begins();
        let communicator = mpi.communicator()?;
        let tag_limit = mpi.calls.tag_limit(communicator)?;
        let engine = Arc::new(Engine {
            communicator,
            tag_limit,
            devices: device_counts.iter().copied().max().unwrap_or(1) as u64,
            failure,
            gpu: OnceLock::new(),
            watcher: OnceLock::new(),
            flights: Mutex::default(),
            count: AtomicUsize::new(0),
            wake: Condvar::new(),
            is_stopping: AtomicBool::new(false),
            bytes_sent: AtomicU64::new(0),
            left: Mutex::new(vec![None; device_counts.len()]),
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

    /// Names whoever is told about what goes wrong.
    pub(crate) fn watch(&self, watcher: std::sync::Weak<dyn Watcher>) {
        let first = self.watcher.set(watcher).is_ok();
        assert!(first, "bug: an engine with two watchers");
    }

    /// From now on slices may lie in the memory of GPUs, of which this is one of the process.
    pub(crate) fn use_gpu(&self, gpu: &Arc<CudaDevice>) {
        self.gpu.get_or_init(|| Arc::downgrade(gpu));
    }

    /// Gives the calling thread the context that a library asks for which copies GPU memory, until
    /// what is returned is dropped.
    pub(super) fn visit(&self) -> Option<KeptContext> {
        self.gpu.get().and_then(Weak::upgrade).and_then(|gpu| gpu.visit())
    }

    /// Calls the library, under the lock of all calls, about something that is none of the world's
    /// messages.
    pub(super) fn call<T>(&self, call: impl FnOnce(&dyn Calls) -> T) -> T {
        let _turn = self.flights();
        let _kept = self.visit();
        call(&*self.mpi.calls)
    }

    /// Bytes that were given to MPI.
    pub(crate) fn bytes_sent(&self) -> u64 {
        self.bytes_sent.load(Ordering::Relaxed)
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
        let parts = len.div_ceil(PART_BYTES).max(1);
        let message = Arc::new(InFlight { transfer, channel, parts_left: AtomicUsize::new(parts) });
        let _kept = self.visit();
        let mut flights = self.flights();
        for part in 0..parts {
            let start = part * PART_BYTES;
            let part_len = (len - start).min(PART_BYTES);
            // SAFETY: the part lies in the slice of the transfer, which the flight keeps alive; the
            // owner of the slice leaves it alone until the transfer has ended, and `withdraw` ends
            // what is in flight before a transfer is cancelled.
            let request = unsafe {
                let data = data.add(start);
                match end {
                    End::Send => self.mpi.calls.send(&envelope, data, part_len),
                    End::Receive => self.mpi.calls.receive(&envelope, data, part_len),
                }
            };
            let request = request?;
            let message = message.clone();
            flights.push(Flight { request, end, len: part_len, message, is_withdrawn: false });
        }
        if end == End::Send {
            self.bytes_sent.fetch_add(len as u64, Ordering::Relaxed);
        }
        // Short sends are often over at once.
        self.advance(&mut flights);
        drop(flights);
        if self.count.load(Ordering::SeqCst) > 0 {
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

    fn flights(&self) -> MutexGuard<'_, Vec<Flight>> {
        lock(&self.flights)
    }

    /// Looks at everything in flight, unless somebody else does right now.
    fn look_once(&self) {
        match self.flights.try_lock() {
            Ok(mut flights) => self.advance(&mut flights),
            Err(TryLockError::Poisoned(flights)) => self.advance(&mut flights.into_inner()),
            Err(TryLockError::WouldBlock) => {}
        }
    }

    /// Looks once, for whoever asks whether something is done and does not wait.
    pub(crate) fn look_if_allowed(&self) {
        if self.mpi.check_thread().is_ok() {
            self.look_once();
        }
    }

    fn advance(&self, flights: &mut Vec<Flight>) {
        let _kept = self.visit();
        let mut at = 0;
        while at < flights.len() {
            let progress = self.mpi.calls.test(&mut flights[at].request);
            if matches!(progress, Progress::Pending) {
                at += 1;
                continue;
            }
            // The order of requests says nothing: MPI has matched them when they were posted.
            let flight = flights.swap_remove(at);
            self.landed(&flight, progress);
        }
        self.count.store(flights.len(), Ordering::SeqCst);
        self.check_departures(flights);
    }

    fn landed(&self, flight: &Flight, progress: Progress) {
        let InFlight { transfer, channel, parts_left } = &*flight.message;
        if flight.is_withdrawn {
            return;
        }
        let watcher = || self.watcher.get().and_then(std::sync::Weak::upgrade);
        match progress {
            Progress::Done(len) if flight.end == End::Send || len == flight.len => {
                if parts_left.fetch_sub(1, Ordering::SeqCst) == 1 {
                    transfer.end();
                }
            }
            Progress::Done(len) | Progress::Truncated(len) => {
                let is_too_long = matches!(progress, Progress::Truncated(_));
                let sent = if is_too_long { len.max(flight.len + 1) } else { len };
                if let Some(watcher) = watcher() {
                    // As if all other parts had come as expected.
                    let sent = transfer.len() - flight.len + sent;
                    watcher.misfit(*channel, sent as u64, transfer.len());
                }
            }
            Progress::Failed(error) => {
                if let Some(watcher) = watcher() {
                    watcher.failed(error);
                }
            }
            Progress::Pending => unreachable!("bug: a request that is not over has landed"),
        }
    }

    /// A rank has said goodbye on the control plane.
    pub(crate) fn note_departure(&self, rank: usize) {
        lock(&self.left)[rank] = Some(Instant::now());
    }

    fn check_departures(&self, flights: &[Flight]) {
        if flights.is_empty() || self.failure.is_set() {
            return;
        }
        let left = lock(&self.left);
        let waits_for = |flight: &&Flight| {
            left[flight.message.transfer.process()].is_some_and(|at| at.elapsed() > GRACE)
        };
        let Some(flight) = flights.iter().find(waits_for) else { return };
        let rank = flight.message.transfer.process();
        drop(left);
        if let Some(watcher) = self.watcher.get().and_then(std::sync::Weak::upgrade) {
            watcher.failed(CollectiveError::RankLeft { rank });
        }
    }

    /// Makes progress until `done` holds or the world fails.
    pub(crate) fn drive(&self, done: impl Fn() -> bool) {
        let mut looks = 0u32;
        while !done() && !self.failure.is_set() {
            self.look_if_allowed();
            looks = looks.saturating_add(1);
            match looks {
                0..SPINS => std::hint::spin_loop(),
                SPINS..YIELDS => std::thread::yield_now(),
                _ => {
                    std::thread::sleep(PAUSE);
                    if looks.is_multiple_of(256) {
                        look();
                    }
                }
            }
        }
    }

    /// Ends the receives in flight, after a failure of the world. What does not end keeps its
    /// memory for ever: the library may still write there.
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

    /// Waits until everything sent has been taken over by MPI, but not for long.
    pub(crate) fn flush(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        self.drive(|| self.count.load(Ordering::SeqCst) == 0 || Instant::now() > deadline);
    }

    /// Ends the engine's thread. `is_peaceful`: all ranks have left without an error.
    pub(crate) fn stop(&self, is_peaceful: bool) {
        self.is_stopping.store(true, Ordering::SeqCst);
        self.wake.notify_all();
        let thread = lock(&self.thread).take();
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

    /// Makes progress while nobody else does.
    fn run(&self) {
        while !self.is_stopping.load(Ordering::SeqCst) && !self.failure.is_set() {
            let mut flights = self.flights();
            if flights.is_empty() {
                // Woken by a post, or to end.
                let outcome = self.wake.wait_timeout(flights, Duration::from_millis(200));
                drop(outcome);
                continue;
            }
            self.advance(&mut flights);
            drop(flights);
            std::thread::sleep(PAUSE);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
