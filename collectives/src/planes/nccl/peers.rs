//! Short data in one kernel: GPUs that can access each other's memory read it directly.
//!
//! `meet.cu` describes how the members meet in the kernel. The kernel is part of the device's own
//! work, between the kernels that produce its data and those that use its result. It needs no other
//! stream and no event, and nothing remains to wait for once it is enqueued. It must never be
//! captured, because every call has its own number.
//!
//! When a communicator group connects, it tests with one exchange whether its members can access
//! each other's memory. All members agree on the result, so all use the same method for the same
//! call.

use super::messages::address;
use super::texts::Kernel;
use super::watch::Watch;
use crate::agreement::{all_say, told};
use crate::failure::Failure;
use crate::group::Member;
use crate::order::{Items, Order};
use crate::{CollectiveError, Communicator};
use phalanx_device::cuda::{
    Coming, CudaDevice, Function, GridSize, PEER_HANDLE_BYTES, PeerBlock, PinnedMemory, Stream,
};
use phalanx_device::{Device, DeviceError, DevicePointer, Slice};
use phalanx_ops::{DType, Monoid};
use phalanx_waiting::look;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The most bytes of each member in such a call: a slot of `meet.cu`.
pub(super) const MOST_BYTES: usize = 256 << 10;
/// After this many calls, all thread blocks take part in one; less than half of all numbers.
const FRESH_FLAGS: u32 = 1 << 30;
/// The number of slots, which calls use in turn.
const SLOTS: usize = 2;
/// The largest number of members of a communicator group.
const MOST_MEMBERS: usize = 16;
/// Threads of a thread block.
const THREADS: usize = 512;
/// The most thread blocks: few, so that those of all members soon run together.
const MOST_BLOCKS: usize = 16;
/// Bytes that a thread moves at a time.
const PACK: usize = 16;
/// The most words of arguments for a kernel.
const MOST_WORDS: usize = 3 * MOST_MEMBERS + 6;
/// The time limit of the first call.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long running work may take when a world ends normally; then kernels that wait for others
/// end.
const FAREWELL: Duration = Duration::from_secs(60);
/// How long it may take once kernels wait for no other member.
const END: Duration = Duration::from_secs(5);

/// A member of a communicator group whose GPUs can access each other's memory.
pub(super) struct Peers {
    gpu: Arc<CudaDevice>,
    rank: usize,
    /// The address of each member's memory block for this GPU.
    memory: Vec<u64>,
    /// The member's own memory block, until it is freed.
    own: Mutex<Option<PeerBlock>>,
    /// A word that waiting kernels poll.
    stop: PinnedMemory,
    /// The number of the last call.
    turn: AtomicU32,
    gather: Function,
    /// The kernels that all members have loaded.
    reducers: Mutex<HashMap<(DType, Monoid), Function>>,
    /// Whether all members belong to this process.
    is_of_one_process: bool,
}

/// The description of a member's memory block for the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Card {
    has_block: bool,
    /// Random, because process ids are not unique.
    process: [u8; 16],
    machine: [u8; 40],
    ordinal: u64,
    address: u64,
    handle: [u8; PEER_HANDLE_BYTES],
    has_handle: bool,
}

impl Card {
    fn new(gpu: &CudaDevice, block: Option<&PeerBlock>) -> Card {
        let handle = block.and_then(|block| block.handle().ok());
        let (process, machine) = (process(), machine());
        Card {
            has_block: block.is_some() && process.is_some(),
            process: process.unwrap_or_default(),
            machine,
            ordinal: gpu.ordinal() as u64,
            address: block.map_or(0, |block| block.address().address()),
            handle: handle.unwrap_or([0; PEER_HANDLE_BYTES]),
            has_handle: handle.is_some(),
        }
    }

    fn to_bytes(self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.has_block)];
        bytes.extend(self.process);
        bytes.extend(self.machine);
        bytes.extend(self.ordinal.to_le_bytes());
        bytes.extend(self.address.to_le_bytes());
        bytes.extend(self.handle);
        bytes.push(u8::from(self.has_handle));
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Card {
        let mut rest = bytes;
        Card {
            has_block: taken::<1>(&mut rest) == [1],
            process: taken(&mut rest),
            machine: taken(&mut rest),
            ordinal: u64::from_le_bytes(taken(&mut rest)),
            address: u64::from_le_bytes(taken(&mut rest)),
            handle: taken(&mut rest),
            has_handle: taken::<1>(&mut rest) == [1],
        }
    }

    /// The address of the memory block for a GPU of this process, if the GPU can access it.
    fn reached_by(&self, gpu: &CudaDevice) -> Option<u64> {
        if Some(self.process) == process() {
            return gpu.reach(self.ordinal as usize).then_some(self.address);
        }
        let opened = self.has_handle.then(|| gpu.open_peer_block(&self.handle))?;
        let log = |error: &DeviceError| tracing::debug!(%error, "a GPU is out of reach");
        opened.inspect_err(log).ok().map(DevicePointer::address)
    }
}

/// Takes the first bytes away and returns them.
fn taken<const COUNT: usize>(bytes: &mut &[u8]) -> [u8; COUNT] {
    let Some((first, rest)) = bytes.split_first_chunk::<COUNT>() else {
        unreachable!("bug: a card of too few bytes")
    };
    *bytes = rest;
    *first
}

/// A random identity of this process.
fn process() -> Option<[u8; 16]> {
    static PROCESS: OnceLock<Option<[u8; 16]>> = OnceLock::new();
    *PROCESS.get_or_init(|| {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).ok().map(|()| bytes)
    })
}

/// An identity that all processes of a machine share.
fn machine() -> [u8; 40] {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let text = text.unwrap_or_else(|_| crate::host_name());
    let mut machine = [0; 40];
    machine.iter_mut().zip(text.trim().bytes()).for_each(|(to, byte)| *to = byte);
    machine
}

/// The data of the trial exchange.
struct Trial {
    data: Slice,
    /// One destination for each slot.
    places: Vec<Slice>,
    expected: Vec<u8>,
}

impl Trial {
    fn new(gpu: &Arc<CudaDevice>, rank: usize, cards: &[Card]) -> Result<Trial, DeviceError> {
        let gpu: Arc<dyn Device> = gpu.clone();
        let part = |(member, card): (usize, &Card)| {
            let mut part = card.process;
            part[0] ^= member as u8;
            part
        };
        let parts: Vec<_> = cards.iter().enumerate().map(part).collect();
        let data = gpu.upload(&parts[rank])?.whole();
        let expected = parts.concat();
        let place = |_| Ok(gpu.upload(&vec![0; expected.len()])?.whole());
        let places = (0..SLOTS).map(place).collect::<Result<_, DeviceError>>()?;
        Ok(Trial { data, places, expected })
    }
}

impl Peers {
    /// Tests whether the members of a communicator group can access each other's memory; `None` on
    /// all members if one cannot. The streams of the device must be empty. Collective.
    ///
    /// Errors: the error that ended the world.
    pub(super) fn connect(
        host: &Member,
        gpu: &Arc<CudaDevice>,
        watch: &Watch,
    ) -> Result<Option<Arc<Peers>>, CollectiveError> {
        let members = host.places.len();
        if !(2..=MOST_MEMBERS).contains(&members) {
            return Ok(None);
        }
        let flags = MOST_BLOCKS * MOST_MEMBERS * size_of::<u32>();
        let block = gpu.peer_block(SLOTS * MOST_BYTES + flags);
        let made = block.and_then(|block| Ok((block, gpu.pinned_memory(size_of::<u32>())?)));
        let made = made.inspect_err(|error| tracing::debug!(%error, "GPUs do not share memory"));
        let made = made.ok();
        let own = Card::new(gpu, made.as_ref().map(|(block, _)| block));
        let cards: Vec<Card> =
            told(host, &own.to_bytes())?.iter().map(|card| Card::from_bytes(card)).collect();
        let reached = |card: &Card| match card.has_block && card.machine == own.machine {
            true => card.reached_by(gpu),
            false => None,
        };
        let memory: Option<Vec<u64>> = cards.iter().map(reached).collect();
        // All devices of the communicator group are idle here, so loading waits for no member.
        let gather = Kernel::Gather(members).load(gpu);
        let gather =
            gather.inspect_err(|error| tracing::debug!(%error, "no kernel for short data"));
        let parts = (made, memory, gather.ok());
        let is_ready = matches!(parts, (Some(_), Some(_), Some(_)));
        let is_of_one_process = host.places.iter().all(|place| place.process == host.fabric.rank);
        if !all_say(host, is_ready)? {
            if let (Some((block, _)), true) = (parts.0, is_of_one_process) {
                // SAFETY: nobody has used the memory block, and no other process has opened it.
                let freed = unsafe { block.free() };
                freed.map_err(|error| host.fabric.fail_of_device(&error))?;
            }
            return Ok(None);
        }
        let (Some((block, stop)), Some(memory), Some(gather)) = parts else {
            unreachable!("bug: a member that is not ready has said that it is")
        };
        // SAFETY: the word is aligned and lives as long as `stop`; nobody else knows of it yet.
        unsafe { AtomicU32::from_ptr(stop.as_ptr().cast()) }.store(0, Ordering::SeqCst);
        let peers = Arc::new(Peers {
            gpu: gpu.clone(),
            rank: host.rank,
            memory,
            own: Mutex::new(Some(block)),
            stop,
            turn: AtomicU32::new(0),
            gather,
            reducers: Mutex::default(),
            is_of_one_process,
        });
        watch.add_peers(&peers)?;
        // No member allocates while a kernel of another waits.
        let trial = Trial::new(gpu, host.rank, &cards);
        let trial = trial.inspect_err(|error| tracing::debug!(%error, "no barrier of GPUs"));
        if !all_say(host, trial.is_ok())? {
            return Ok(None);
        }
        let Ok(trial) = trial else { unreachable!("bug: a member lacks a reported part") };
        let has_worked = peers.try_out(host, &trial);
        let has_worked =
            has_worked.inspect_err(|error| tracing::debug!(%error, "the barrier of GPUs failed"));
        Ok(all_say(host, has_worked == Ok(true))?.then_some(peers))
    }

    /// Runs one exchange with each of the slots. Returns whether all of them worked.
    ///
    /// Errors: those of the device.
    fn try_out(&self, host: &Member, trial: &Trial) -> Result<bool, DeviceError> {
        let goes_on = || {
            look();
            !host.fabric.failure.is_set()
        };
        for all in &trial.places {
            let counts = vec![trial.data.len; self.memory.len()];
            self.all_gather(&trial.data, all, &counts)?;
            if !self.is_idle_within(PATIENCE, goes_on)? {
                self.stop();
                self.is_idle_within(END, || true)?;
                return Ok(false);
            }
            let mut bytes = vec![0; trial.expected.len()];
            all.buffer.read(all.offset, &mut bytes);
            if bytes != trial.expected {
                return Ok(false);
            }
        }
        Ok(self.gpu.failure().is_none())
    }

    /// Waits while `goes_on` until the device has done all its work. Returns whether it has.
    fn is_idle_within(
        &self,
        limit: Duration,
        goes_on: impl Fn() -> bool,
    ) -> Result<bool, DeviceError> {
        let (work, deadline) = (Stream::of_work(self.gpu.context()), Instant::now() + limit);
        while !work.is_done()? {
            if Instant::now() > deadline || !goes_on() {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        Ok(true)
    }

    /// Ends kernels that wait for others, now and from now on, with unspecified results.
    pub(super) fn stop(&self) {
        // SAFETY: the word is aligned, and is written and read as a whole only.
        unsafe { AtomicU32::from_ptr(self.stop.as_ptr().cast()) }.store(1, Ordering::SeqCst);
    }

    /// Waits for the running work, but only for a limited time if the world has failed or another
    /// member does not arrive.
    pub(super) fn settle(&self, failure: &Failure) {
        let goes_on = || {
            look();
            matches!(failure.get(), None | Some(CollectiveError::Closed))
        };
        if let Ok(false) = self.is_idle_within(FAREWELL, goes_on) {
            self.stop();
            // A device that has failed does nothing more.
            let _ = self.is_idle_within(END, || true);
        }
    }

    /// Frees the member's memory if no other process can use it.
    ///
    /// # Safety
    /// The members of this process have settled, and there are no later calls.
    pub(super) unsafe fn free(&self) {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Members of other processes may still read: the memory stays until this process ends.
        let Some(block) = own.filter(|_| self.is_of_one_process) else { return };
        // SAFETY: the caller's promise; no other process has opened the memory block.
        if let Err(error) = unsafe { block.free() } {
            tracing::debug!(%error, "shared memory was not freed");
        }
    }

    /// The kernel for these items. Before its first use, all members load it while none of their
    /// devices waits for another: the driver may wait for a device meanwhile.
    fn reducer(&self, host: &Member, items: Items) -> Result<Function, CollectiveError> {
        let key = (items.dtype, items.monoid);
        let mut reducers = self.reducers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = reducers.get(&key) {
            return Ok(*function);
        }
        self.gpu.synchronize();
        host.barrier()?;
        let kernel = Kernel::Reduce(items.dtype, items.monoid, self.memory.len());
        let function = kernel.load(&self.gpu);
        let function = function.map_err(|error| host.fabric.fail_of_device(&error))?;
        host.barrier()?;
        reducers.insert(key, function);
        Ok(function)
    }

    /// Enqueues the combination of the data of all members, in place: at least one byte, and at
    /// most `MOST_BYTES`.
    ///
    /// Errors: the error that ended the world.
    pub(super) fn all_reduce(
        &self,
        host: &Member,
        data: &Slice,
        items: Items,
    ) -> Result<(), CollectiveError> {
        let function = self.reducer(host, items)?;
        let along_ring = u64::from(Order::of(data.len) == Order::Ring);
        // `Reducing` in `reduce.cu`.
        let words = [address(data).address(), data.len as u64, along_ring];
        let launched = self.launch(function, data.len, &words);
        launched.map_err(|error| host.fabric.fail_of_device(&error))
    }

    /// Enqueues the gathering of all members' data. The longest has at least one byte, and none has
    /// more than `MOST_BYTES`.
    ///
    /// Errors: `DeviceError::Cuda`, `DeviceError::OutOfMemory`; the others then wait until the
    /// world ends.
    pub(super) fn all_gather(
        &self,
        send: &Slice,
        receive: &Slice,
        counts: &[usize],
    ) -> Result<(), DeviceError> {
        let (members, most) = (counts.len(), counts.iter().copied().max().unwrap_or(0));
        // `Gathering` in `gather.cu`.
        let mut words = [0; 2 * MOST_MEMBERS + 3];
        words[..2].copy_from_slice(&[send, receive].map(|data| address(data).address()));
        let mut start = 0;
        for (member, count) in counts.iter().enumerate() {
            words[2 + member] = *count as u64;
            words[2 + members + member] = start;
            start += *count as u64;
        }
        words[2 + 2 * members] = most as u64;
        self.launch(self.gather, most, &words[..2 * members + 3])
    }

    /// Enqueues a kernel whose longest data has `most` bytes, equal on all members. After a refused
    /// launch, none may follow: the others would take its flags for those of both calls.
    fn launch(
        &self,
        function: Function,
        most: usize,
        arguments: &[u64],
    ) -> Result<(), DeviceError> {
        assert!((1..=MOST_BYTES).contains(&most), "bug: {most} bytes at once");
        let members = self.memory.len();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let mut words = [0; MOST_WORDS];
        // `Meeting` in `meet.cu`.
        words[..members].copy_from_slice(&self.memory);
        let meeting = [self.stop.as_ptr() as u64, self.rank as u64, u64::from(turn)];
        words[members..][..meeting.len()].copy_from_slice(&meeting);
        let start = members + meeting.len();
        words[start..][..arguments.len()].copy_from_slice(arguments);
        let bytes = words.map(u64::to_ne_bytes);
        let bytes = &bytes.as_flattened()[..size_of::<u64>() * (start + arguments.len())];
        // When numbers wrap around, the flags of thread blocks that take no part in many calls
        // would seem to be ahead. Therefore all thread blocks raise theirs now and then.
        let blocks = match turn % FRESH_FLAGS {
            0 => MOST_BLOCKS,
            _ => most.div_ceil(PACK * THREADS).min(MOST_BLOCKS),
        };
        let size = GridSize {
            blocks: [blocks as u32, 1, 1],
            threads: [THREADS as u32, 1, 1],
            shared: 0,
            blocks_come: Coming::InTurn,
        };
        // SAFETY: the bytes are what the kernel declares. Slices of the caller reside in this
        // device's memory, which is reused only after the kernel; memory blocks live as long as
        // kernels of the communicator group may run (`Watch`). The driver handles the memory
        // block of another process that has died.
        unsafe { function.launch(self.gpu.context(), size, bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_arrive_as_they_were_told() {
        let card = Card {
            has_block: true,
            process: [3; 16],
            machine: machine(),
            ordinal: 5,
            address: 0x7f00_1234_5678,
            handle: std::array::from_fn(|at| at as u8),
            has_handle: false,
        };
        assert_eq!(Card::from_bytes(&card.to_bytes()), card);
    }

    #[test]
    fn kernels_declare_what_the_host_assumes() {
        let text = include_str!("meet.cu");
        for line in [
            format!("#define SLOTS {SLOTS}\n"),
            format!("#define SLOT_BYTES ({} << 10)\n", MOST_BYTES >> 10),
            format!("#define MOST_MEMBERS {MOST_MEMBERS}\n"),
            format!("#define THREADS {THREADS}\n"),
        ] {
            assert!(text.contains(&line), "{line}");
        }
    }
}
