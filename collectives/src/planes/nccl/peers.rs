//! Short data in one kernel: GPUs that can access each other's memory read it directly.
//!
//! `meet.cu` describes how the members meet in the kernel. The kernel is part of the device's own
//! work, between the kernels that produce its data and those that use its result. It needs no other
//! stream and no event, and nothing remains to wait for once it is enqueued. It must never be
//! captured, because every call has its own number. `reach` finds out which groups can do that.

use super::copies::{self, Copies, CopyStreams};
use super::texts::Kernel;
use crate::CollectiveError;
use crate::failure::Failure;
use crate::order::{Items, Order};
use crate::planes::HostGroup;
use phalanx_device::cuda::{
    Coming, CudaDevice, Function, GridSize, PeerBlock, PinnedMemory, Stream,
};
use phalanx_device::{Device, DeviceError, Slice};
use phalanx_ops::{DType, Monoid};
use phalanx_waiting::look;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most bytes of each member in such a call: a slot of `meet.cu`.
pub(super) const MOST_BYTES: usize = 256 << 10;
/// After this many calls, all thread blocks take part in one; less than half of all numbers.
const FRESH_FLAGS: u32 = 1 << 30;
/// The number of slots, which calls use in turn.
pub(super) const SLOTS: usize = 2;
/// The largest number of members of a communicator group.
pub(super) const MOST_MEMBERS: usize = 16;
/// Threads of a thread block.
const THREADS: usize = 512;
/// The most thread blocks: few, so that those of all members soon run together.
const MOST_BLOCKS: usize = 16;
/// Bytes that a thread moves at a time.
const PACK: usize = 16;
/// The most words of arguments for a kernel.
const MOST_WORDS: usize = 3 * MOST_MEMBERS + 6;
/// The bytes of a memory block that kernels use; those for long messages follow.
const OF_KERNELS: usize = SLOTS * MOST_BYTES + MOST_BLOCKS * MOST_MEMBERS * size_of::<u32>();
/// How long running work may take when a world ends normally; then kernels that wait for others
/// end.
const FAREWELL: Duration = Duration::from_secs(60);
/// How long it may take once kernels wait for no other member.
pub(super) const END: Duration = Duration::from_secs(5);

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
    /// The member for long messages.
    copies: Copies,
    /// The kernels that all members have loaded.
    reducers: Mutex<HashMap<(DType, Monoid), Function>>,
    /// Whether all members belong to this process.
    is_of_one_process: bool,
}

/// The memory that a member shares with the others.
pub(super) struct Shared {
    block: PeerBlock,
    stop: PinnedMemory,
}

impl Shared {
    /// Errors: `DeviceError::Cuda`, `DeviceError::OutOfMemory`.
    pub(super) fn new(gpu: &Arc<CudaDevice>, members: usize) -> Result<Shared, DeviceError> {
        let block = gpu.peer_block(OF_KERNELS + copies::bytes_of(members))?;
        Ok(Shared { block, stop: gpu.pinned_memory(size_of::<u32>())? })
    }

    pub(super) fn block(&self) -> &PeerBlock {
        &self.block
    }

    /// Frees unused memory.
    ///
    /// # Safety
    /// As for `PeerBlock::free`.
    pub(super) unsafe fn free(self) -> Result<(), DeviceError> {
        // SAFETY: the caller's promise.
        unsafe { self.block.free() }
    }
}

impl Peers {
    /// A member of this rank that accesses the blocks of all members at these addresses.
    pub(super) fn new(
        (gpu, copying): (&Arc<CudaDevice>, &Arc<CopyStreams>),
        (rank, memory): (usize, Vec<u64>),
        Shared { block, stop }: Shared,
        gather: Function,
        is_of_one_process: bool,
    ) -> Arc<Peers> {
        // SAFETY: the word is aligned and lives as long as `stop`; no other thread has its address
        // yet.
        unsafe { AtomicU32::from_ptr(stop.as_ptr().cast()) }.store(0, Ordering::SeqCst);
        let behind = memory.iter().map(|address| address + OF_KERNELS as u64).collect();
        Arc::new(Peers {
            gpu: gpu.clone(),
            rank,
            copies: Copies::new(copying, rank, behind),
            memory,
            own: Mutex::new(Some(block)),
            stop,
            turn: AtomicU32::new(0),
            gather,
            reducers: Mutex::default(),
            is_of_one_process,
        })
    }

    /// The member for long messages.
    pub(super) fn copies(&self) -> &Copies {
        &self.copies
    }

    pub(super) fn members(&self) -> usize {
        self.memory.len()
    }

    /// Waits for the device's work.
    pub(super) fn synchronize(&self) {
        self.gpu.synchronize();
    }

    /// Whether the device has failed.
    pub(super) fn has_failed(&self) -> bool {
        self.gpu.failure().is_some()
    }

    /// Waits while `is_alive` until the device has done all its work. Returns whether it has.
    pub(super) fn is_idle_within(
        &self,
        limit: Duration,
        is_alive: impl Fn() -> bool,
    ) -> Result<bool, DeviceError> {
        let (work, deadline) = (Stream::of_work(self.gpu.context()), Instant::now() + limit);
        while !(work.is_done()? && self.copies.are_done()?) {
            if Instant::now() > deadline || !is_alive() {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        Ok(true)
    }

    /// Ends kernels and messages that wait for others, now and from now on, with unspecified
    /// results.
    pub(super) fn stop(&self) {
        // SAFETY: the word is aligned, and is written and read as a whole only.
        unsafe { AtomicU32::from_ptr(self.stop.as_ptr().cast()) }.store(1, Ordering::SeqCst);
        self.copies.release();
    }

    /// Waits for the running work, but only for a limited time if the world has failed or another
    /// member does not arrive.
    pub(super) fn settle(&self, failure: &Failure) {
        let is_alive = || {
            look();
            matches!(failure.get(), None | Some(CollectiveError::Closed))
        };
        if let Ok(false) = self.is_idle_within(FAREWELL, is_alive) {
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
    fn reducer(&self, host: &HostGroup, items: Items) -> Result<Function, CollectiveError> {
        let key = (items.dtype, items.monoid);
        let mut reducers = self.reducers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = reducers.get(&key) {
            return Ok(*function);
        }
        self.gpu.synchronize();
        host.barrier()?;
        let kernel = Kernel::Reduce(items.dtype, items.monoid, self.memory.len());
        let function = kernel.load(&self.gpu);
        let function = function.map_err(|error| host.group.fabric.fail_of_device(&error))?;
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
        host: &HostGroup,
        data: &Slice,
        items: Items,
    ) -> Result<(), CollectiveError> {
        let function = self.reducer(host, items)?;
        let along_ring = u64::from(Order::of(data.len) == Order::Ring);
        // `Reducing` in `reduce.cu`.
        let words = [data.device_pointer().address(), data.len as u64, along_ring];
        let launched = self.launch(function, data.len, &words);
        launched.map_err(|error| host.group.fabric.fail_of_device(&error))
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
        words[..2].copy_from_slice(&[send, receive].map(|data| data.device_pointer().address()));
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
    fn kernels_declare_the_constants_of_the_host() {
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
