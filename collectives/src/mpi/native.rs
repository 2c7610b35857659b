//! MPI's own collectives, for a group with one member in each of its processes.
//!
//! The group has a communicator of its own, on which its members start the collectives of MPI that
//! do not wait, and test them until they are over or the world has failed: one that waits inside of
//! the library could not be ended when a rank has died. What is under way when the world fails
//! keeps its memory for ever, since a collective cannot be withdrawn.
//!
//! Each group counts its collectives. A rank that leaves tells how many of each it has begun, so
//! that who waits for it knows whether it has taken part, and may only be ahead.

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

/// The most bytes that a collective of MPI moves on one member: it counts with 31 bits.
pub(super) const LIMIT_BYTES: usize = c_int::MAX as usize;
/// How long a wait whose collective has failed in the library waits for the world's better reason.
const REASON: Duration = Duration::from_secs(2);

/// MPI's collectives on one group.
#[derive(Debug)]
pub(crate) struct Native {
    engine: Arc<Engine>,
    communicator: Bits,
    group: u64,
    /// Where each member lives.
    processes: Arc<[usize]>,
    /// This member.
    rank: usize,
    /// How many collectives have been begun; the engine tells it to the others.
    begun: Arc<AtomicU64>,
    /// Counts and offsets, which MPI reads until a collective is over.
    room: Mutex<Room>,
}

/// The counts and offsets of what a member sends and of what it receives.
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
    /// What the library reads, for parts of these lengths, one after another.
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

/// The address of a slice. An empty one may have any, such as that which means `MPI_IN_PLACE`.
fn address(slice: &Slice) -> *mut u8 {
    static NOWHERE: AtomicU64 = AtomicU64::new(0);
    if slice.len == 0 { NOWHERE.as_ptr().cast() } else { slice.as_ptr() }
}

impl Native {
    pub(super) fn new(
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

    /// The most bytes of a collective that MPI's counts can tell.
    pub(crate) fn limit(&self) -> usize {
        self.engine.limit.load(Ordering::Relaxed)
    }

    /// Whether the group can be split without an end to the wait for a rank that dies meanwhile.
    pub(crate) fn can_split(&self) -> bool {
        self.engine.threads() == Threads::Multiple
    }

    /// MPI's collectives for the groups of members that give the same colour, in the order of their
    /// keys. Collective over this group, among whose members those without a colour get nothing.
    pub(crate) fn split(
        &self,
        color: Option<usize>,
        key: usize,
        group: u64,
        members: &[usize],
    ) -> Result<Option<Arc<Native>>, CollectiveError> {
        let (engine, communicator) = (self.engine.clone(), self.communicator);
        // The call waits for the others and cannot be ended. Any thread may make it, beside others.
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

    /// Completes `whole`, in which each member has put its part, on all members.
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

    /// Sends part `i` of `send` to member `i`; receives part `i` from member `i`. Both slices have
    /// no more bytes than the limit.
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

    /// Sends the parts of `whole` of the root to the other members; `beside` takes its own.
    pub(crate) fn scatter(
        &self,
        whole: Option<&Slice>,
        part: &Slice,
        counts: &[usize],
        root: usize,
        beside: impl FnOnce() -> Result<(), CollectiveError>,
    ) -> Result<(), CollectiveError> {
        let Some(whole) = whole.filter(|_| self.rank == root) else {
            let receive = Start::ScatterReceive { part: address(part), len: part.len, root };
            return self.run(Room::default(), &receive, &[part], || Ok(()));
        };
        self.engine.count_sent(whole.len - counts[root]);
        let mut room = self.take_room();
        let parts = room.sent.of(counts.iter().copied());
        let scatter = Start::Scatter { whole: address(whole), parts, root };
        self.run(room, &scatter, &[whole], beside)
    }

    /// Puts the parts of the other members into `whole` of the root; `beside` puts its own.
    pub(crate) fn gather(
        &self,
        part: &Slice,
        whole: Option<&Slice>,
        counts: &[usize],
        root: usize,
        beside: impl FnOnce() -> Result<(), CollectiveError>,
    ) -> Result<(), CollectiveError> {
        let Some(whole) = whole.filter(|_| self.rank == root) else {
            self.engine.count_sent(part.len);
            let send = Start::GatherSend { part: address(part), len: part.len, root };
            return self.run(Room::default(), &send, &[part], || Ok(()));
        };
        let mut room = self.take_room();
        let parts = room.received.of(counts.iter().copied());
        let gather = Start::Gather { whole: address(whole), parts, root };
        self.run(room, &gather, &[whole], beside)
    }

    /// The vectors for counts, which stay allocated from one collective to the next.
    fn take_room(&self) -> Room {
        std::mem::take(&mut *self.room())
    }

    fn room(&self) -> MutexGuard<'_, Room> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a collective whose counts lie in `room` and whose data in `slices`, and tests it
    /// until it is over. `beside` is done meanwhile.
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
        // The library may move messages of GPUs meanwhile.
        let _kept = self.engine.visit();
        let calls = self.engine.calls();
        let mut flights = self.engine.flights();
        // Of a world that has ended there may be no communicator any more.
        self.engine.failure.check()?;
        // SAFETY: the slices are valid and their owner leaves them alone until this returns; the
        // counts lie in vectors that nobody changes. If this returns before the request is over,
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

    /// Ends the world for what the library says. Members that called different collectives went
    /// different ways, of which their tickets tell more.
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
