//! MPI's own collectives, for a communicator group with one member in each of its processes.
//!
//! The group has its own communicator of MPI. Its members start MPI's non-blocking collectives
//! there and test them until they are complete or the world has failed: a blocking call inside of
//! the library could not end when a rank dies. A collective that is incomplete when the world fails
//! keeps its memory for ever, because it cannot be cancelled.
//!
//! Each group counts its collectives. A leaving rank reports these counts, so that ranks which wait
//! for it know whether it took part and is merely ahead.

use super::calls::{Bits, Progress};
use super::engine::{Engine, TESTS};
use super::pace::Pace;
use super::process::Threads;
use super::start::{Parts, Start};
use crate::CollectiveError;
use crate::aside::aside;
use phalanx_device::Slice;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a wait whose collective failed in the library waits for a better error of the world.
const REASON: Duration = Duration::from_secs(2);

/// MPI's collectives on one communicator group.
#[derive(Debug)]
pub(crate) struct Native {
    engine: Arc<Engine>,
    communicator: Bits,
    group: u64,
    /// The process of each member.
    processes: Arc<[usize]>,
    /// This member.
    rank: usize,
    /// The number of collectives started; a leaving rank reports it to the others.
    begun: Arc<AtomicU64>,
    /// The vectors for counts and offsets, which MPI reads until a collective is complete.
    room: Mutex<Room>,
}

/// The counts and offsets of a member's sends and receives.
#[derive(Debug, Default)]
struct Room {
    sent: Counts,
    received: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    counts: Vec<c_int>,
    offsets: Vec<c_int>,
}

impl Counts {
    /// The counts and offsets of parts of these lengths, one after another.
    fn of(&mut self, counts: impl Iterator<Item = usize>) -> Parts {
        self.counts.clear();
        self.offsets.clear();
        let mut offset = 0;
        for count in counts {
            self.counts.push(int(count));
            self.offsets.push(int(offset));
            offset += count;
        }
        self.parts()
    }

    fn parts(&self) -> Parts {
        Parts { counts: self.counts.as_ptr(), offsets: self.offsets.as_ptr() }
    }
}

fn int(number: usize) -> c_int {
    c_int::try_from(number).expect("bug: a collective of MPI beyond its limit")
}

/// The address of a slice. An empty slice gets a neutral one: its own might equal `MPI_IN_PLACE`.
fn address(slice: &Slice) -> *mut u8 {
    static NOWHERE: AtomicU64 = AtomicU64::new(0);
    if slice.len == 0 { NOWHERE.as_ptr().cast() } else { slice.as_ptr() }
}

impl Native {
    /// MPI's collectives on the world's communicator group, if each process has one device. Call it
    /// once.
    pub(crate) fn of_world(engine: &Arc<Engine>, group: u64) -> Option<Arc<Native>> {
        let communicator = engine.collectives()?;
        let (rank, size) = engine.place();
        Some(Native::new(engine.clone(), communicator, group, (0..size).collect(), rank))
    }

    fn new(
        engine: Arc<Engine>,
        communicator: Bits,
        group: u64,
        processes: Arc<[usize]>,
        rank: usize,
    ) -> Arc<Native> {
        let begun = engine.departures.count(group);
        let room = Mutex::default();
        Arc::new(Native { engine, communicator, group, processes, rank, begun, room })
    }

    /// The most bytes of a collective that MPI's counts can represent.
    pub(crate) fn limit(&self) -> usize {
        self.engine.limit.load(Ordering::Relaxed)
    }

    /// Whether the communicator group can be split without an endless wait for a rank that dies
    /// meanwhile.
    pub(crate) fn can_split(&self) -> bool {
        self.engine.threads() == Threads::Multiple
    }

    /// MPI's collectives for the communicator groups of members that pass the same colour, in the
    /// order of their keys. Collective over this group; members without a colour get `None`.
    pub(crate) fn split(
        &self,
        color: Option<usize>,
        key: usize,
        group: u64,
        members: &[usize],
    ) -> Result<Option<Arc<Native>>, CollectiveError> {
        let (engine, communicator) = (self.engine.clone(), self.communicator);
        // The call waits for others and cannot be ended. Any thread may make it at any time.
        let made = aside("phalanx-mpi-split", &self.engine.failure, move || {
            let _kept = engine.visit();
            engine.calls().split(communicator, color, key)
        })?;
        let Some(made) = made else { return Ok(None) };
        self.engine.hold(made);
        let processes = members.iter().map(|member| self.processes[*member]).collect();
        let native = Native::new(self.engine.clone(), made, group, processes, key);
        Ok(Some(native))
    }

    /// Returns when all members have called it.
    pub(crate) fn barrier(&self) -> Result<(), CollectiveError> {
        self.run(Room::default(), &Start::Barrier, &[], || Ok(()))
    }

    /// Copies `data` of `root` to all.
    pub(crate) fn broadcast(&self, data: &Slice, root: usize) -> Result<(), CollectiveError> {
        let limit = self.limit();
        let mut start = 0;
        while start < data.len {
            let piece = data.slice(start, limit.min(data.len - start));
            if self.rank == root {
                self.engine.count_sent(piece.len);
            }
            let broadcast = Start::Broadcast { data: address(&piece), len: piece.len, root };
            self.run(Room::default(), &broadcast, &[&piece], || Ok(()))?;
            start += piece.len;
        }
        Ok(())
    }

    /// Completes `whole` on all members, each of which has put its part there.
    pub(crate) fn all_gather(
        &self,
        whole: &Slice,
        counts: &[usize],
    ) -> Result<(), CollectiveError> {
        self.engine.count_sent(counts[self.rank]);
        let data = address(whole);
        if counts.iter().all(|count| *count == counts[0]) {
            let gather = Start::AllGatherEqual { whole: data, len: counts[0] };
            return self.run(Room::default(), &gather, &[whole], || Ok(()));
        }
        let mut room = self.take_room();
        let parts = room.received.of(counts.iter().copied());
        self.run(room, &Start::AllGather { whole: data, parts }, &[whole], || Ok(()))
    }

    /// Sends part `i` of `send` to member `i`; receives part `i` from member `i`. Neither slice has
    /// more bytes than the limit.
    pub(crate) fn all_to_all(
        &self,
        send: &Slice,
        send_counts: &[usize],
        receive: &Slice,
        receive_counts: &[usize],
    ) -> Result<(), CollectiveError> {
        self.engine.count_sent(send.len - send_counts[self.rank]);
        let mut room = self.take_room();
        let from_parts = room.sent.of(send_counts.iter().copied());
        let to_parts = room.received.of(receive_counts.iter().copied());
        let (from, to) = (address(send).cast_const(), address(receive));
        let exchange = Start::AllToAll { from, from_parts, to, to_parts };
        self.run(room, &exchange, &[send, receive], || Ok(()))
    }

    /// Sends the parts of the root's `whole` to the others; `beside` copies the root's own part.
    pub(crate) fn scatter(
        &self,
        whole: &Slice,
        part: &Slice,
        counts: &[usize],
        root: usize,
        beside: impl FnOnce() -> Result<(), CollectiveError>,
    ) -> Result<(), CollectiveError> {
        if self.rank != root {
            let receive = Start::ScatterReceive { part: address(part), len: part.len, root };
            return self.run(Room::default(), &receive, &[part], || Ok(()));
        }
        self.engine.count_sent(whole.len - counts[root]);
        let mut room = self.take_room();
        let parts = room.sent.of(counts.iter().copied());
        let scatter = Start::Scatter { whole: address(whole), parts, root };
        self.run(room, &scatter, &[whole], beside)
    }

    /// Gathers the other members' parts in the root's `whole`; `beside` copies the root's own.
    pub(crate) fn gather(
        &self,
        part: &Slice,
        whole: &Slice,
        counts: &[usize],
        root: usize,
        beside: impl FnOnce() -> Result<(), CollectiveError>,
    ) -> Result<(), CollectiveError> {
        if self.rank != root {
            self.engine.count_sent(part.len);
            let send = Start::GatherSend { part: address(part), len: part.len, root };
            return self.run(Room::default(), &send, &[part], || Ok(()));
        }
        let mut room = self.take_room();
        let parts = room.received.of(counts.iter().copied());
        let gather = Start::Gather { whole: address(whole), parts, root };
        self.run(room, &gather, &[whole], beside)
    }

    /// Takes the vectors for counts, which stay allocated between collectives.
    fn take_room(&self) -> Room {
        std::mem::take(&mut *self.room())
    }

    fn room(&self) -> MutexGuard<'_, Room> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a collective whose counts reside in `room` and whose data in `slices`, and tests it
    /// until it is complete. `beside` runs meanwhile.
    fn run(
        &self,
        room: Room,
        start: &Start,
        slices: &[&Slice],
        beside: impl FnOnce() -> Result<(), CollectiveError>,
    ) -> Result<(), CollectiveError> {
        self.engine.check_thread()?;
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let _driving = self.engine.begin_to_drive();
        // The library may move GPU memory meanwhile.
        let _kept = self.engine.visit();
        let calls = self.engine.calls();
        let mut flights = self.engine.flights();
        // If the world has ended, the communicator may be freed.
        self.engine.failure.check()?;
        // SAFETY: the slices are valid and their owner leaves them alone until this returns; the
        // counts are in vectors that no thread changes. If this returns before the request is over,
        // all of them are kept for ever.
        let mut request = unsafe { calls.start(self.communicator, start) }?;
        let beside = beside();
        let mut pace = Pace::default();
        loop {
            let mut progress = Progress::Pending;
            for _ in 0..TESTS {
                progress = calls.test(&mut request);
                if !matches!(progress, Progress::Pending) {
                    break;
                }
            }
            if pace.is_long() {
                self.engine.advance(&mut flights);
            }
            drop(flights);
            match progress {
                Progress::Pending => {}
                Progress::Done(_) => {
                    self.keep_room(room);
                    return beside;
                }
                Progress::Truncated(_) => {
                    let reason = String::from("a member has sent more than was expected");
                    let call = String::from("a collective");
                    return Err(self.disagree(CollectiveError::Mpi { call, reason }));
                }
                Progress::Failed(error) => return Err(self.disagree(error)),
            }
            if pace.is_long() {
                self.engine.check_members(self.group, number, &self.processes);
            }
            if let Err(error) = self.engine.failure.check() {
                let kept: Vec<Slice> = slices.iter().map(|slice| (*slice).clone()).collect();
                std::mem::forget((room, kept));
                return Err(error);
            }
            self.engine.give_way();
            pace.pause();
            flights = self.engine.flights();
        }
    }

    fn keep_room(&self, room: Room) {
        if !room.received.counts.is_empty() || !room.sent.counts.is_empty() {
            *self.room() = room;
        }
    }

    /// Ends the world with the library's error. Members that called different collectives took
    /// different ways, and their tickets explain more.
    fn disagree(&self, error: CollectiveError) -> CollectiveError {
        self.engine.disagreed(error.clone());
        let deadline = Instant::now() + REASON;
        while Instant::now() < deadline && !self.engine.failure.is_set() {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.engine.failure.get().unwrap_or(error)
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        self.engine.departures.end(self.group);
        self.engine.give_back(self.communicator);
    }
}
