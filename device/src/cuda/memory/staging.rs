//! Large copies between the host and a GPU. They run in streams beside the device's work. Ordinary
//! memory is copied through two pinned buffers: one is filled or emptied while the GPU copies the
//! other.
//!
//! A copy to the host starts after earlier work, and does not wait for later work. A copy to the
//! device starts after the work that used its memory before, which for newly allocated memory may
//! be long done (`Pool::is_settled`); later work waits for the copy. So a memory block that is
//! freed during a copy is not written before the copy is done.

use super::gpu::GpuMemory;
use super::pinned;
use crate::cuda::driver::{Context, Mark};
use crate::{Buffer, DeviceError, DevicePointer};
use cudarc::driver::sys::{self, CUmemorytype, CUpointer_attribute, CUstream};
use rayon::prelude::*;
use std::cell::Cell;
use std::collections::VecDeque;
use std::num::NonZero;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The bytes of a pinned buffer.
const CHUNK: usize = 16 << 20;
/// From this many bytes on, a copy runs beside the device's work, through the buffers; below, the
/// driver's own buffers are as fast.
const LARGE: usize = 1 << 20;
/// The bytes that a thread copies at once.
const PIECE: usize = 1 << 20;
/// The threads that copy between ordinary and pinned memory. One moves some 10 GB/s, a fifth of
/// what a GPU accepts; memory that is touched for the first time is slower still.
const THREADS: usize = 16;

thread_local! {
    /// The newly allocated memory that the calling thread fills.
    static FILLED: Cell<Option<Filled>> = const { Cell::new(None) };
}

/// Memory that no work has used since its allocation.
#[derive(Clone, Copy)]
struct Filled {
    start: DevicePointer,
    end: DevicePointer,
    /// The turn in which the memory block was freed; `None` for a new block.
    freed: Option<u64>,
}

/// The work that a copy to the device waits for.
#[derive(Clone, Copy)]
enum After {
    Nothing,
    /// The work that used memory freed in this turn.
    Turn(u64),
    /// All work enqueued so far.
    Work,
}

/// The copy lanes of both directions, each made at first use.
pub(in crate::cuda) struct Lanes {
    memory: Arc<GpuMemory>,
    to_device: Mutex<Option<Lane>>,
    to_host: Mutex<Option<Lane>>,
    /// The threads that copy between pinned and ordinary memory.
    threads: OnceLock<rayon::ThreadPool>,
}

/// A copy lane: a stream with two pinned buffers.
struct Lane {
    stream: CUstream,
    slots: [Slot; 2],
    /// Points in the device's work, each with the turn that ended there.
    turns: VecDeque<(Mark, u64)>,
}

struct Slot {
    start: NonNull<u8>,
    /// The point at which the GPU no longer uses it.
    mark: Mark,
}

// SAFETY: the stream and the pinned memory have no thread affinity, and the lock around `Lane` sees
// to it that one thread at a time uses them.
unsafe impl Send for Lane {}

impl Drop for Slot {
    fn drop(&mut self) {
        // SAFETY: made by `pinned::allocate`; the device is idle when it is dropped.
        let _ = unsafe { sys::cuMemFreeHost(self.start.as_ptr().cast()) };
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        // SAFETY: made by `Lane::new`; the device is idle when it is dropped.
        let _ = unsafe { sys::cuStreamDestroy_v2(self.stream) };
    }
}

impl Lanes {
    /// The copy lanes of the device with this memory.
    pub fn new(memory: &Arc<GpuMemory>) -> Lanes {
        let (to_device, to_host) = (Mutex::default(), Mutex::default());
        Lanes { memory: memory.clone(), to_device, to_host, threads: OnceLock::new() }
    }

    fn threads(&self) -> Option<&rayon::ThreadPool> {
        if let Some(threads) = self.threads.get() {
            return Some(threads);
        }
        let count = std::thread::available_parallelism().map_or(1, NonZero::get);
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(count.min(THREADS))
            .thread_name(|index| format!("copy.{index}"))
            .build();
        let threads = threads.ok()?;
        Some(self.threads.get_or_init(|| threads))
    }
}

impl Lane {
    fn new(context: &Context) -> Result<Lane, DeviceError> {
        let slot = || -> Result<Slot, DeviceError> {
            let mark = Mark::new(context, false, false)?;
            Ok(Slot { start: pinned::allocate(context, CHUNK)?, mark })
        };
        let slots = [slot()?, slot()?];
        context.enter();
        let mut stream: CUstream = std::ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the context is current and the pointer valid.
        let made = unsafe { sys::cuStreamCreate(&raw mut stream, flags) };
        context.check("cuStreamCreate", made)?;
        Ok(Lane { stream, slots, turns: VecDeque::new() })
    }

    /// The first bytes of a pinned buffer.
    ///
    /// # Safety
    /// The GPU does not use the buffer, and no other code receives its bytes meanwhile.
    unsafe fn bytes(&mut self, slot: usize, length: usize) -> &mut [u8] {
        assert!(length <= CHUNK, "bug: {length} bytes of a staging buffer");
        // SAFETY: in bounds of the allocation; the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.slots[slot].start.as_ptr(), length) }
    }

    /// Marks this point in the stream as the end of a buffer's use.
    fn mark(&self, context: &Context, slot: usize) {
        // SAFETY: the stream lives as long as the copy lane.
        unsafe { self.slots[slot].mark.set_in(context, self.stream) };
    }

    /// Lets the stream wait for the device's work.
    fn follow(&mut self, memory: &GpuMemory, after: After) -> Result<(), DeviceError> {
        let context = memory.context();
        while let Some((mark, turn)) = self.turns.front()
            && mark.is_past(context)
        {
            memory.pool().settle(*turn);
            self.turns.pop_front();
        }
        let mark = Mark::new(context, false, false)?;
        // Memory blocks freed from now on have a later turn, because work after the mark may use
        // them.
        let turn = memory.pool().end_turn();
        mark.set(context);
        self.turns.push_back((mark, turn));
        let first = match after {
            After::Nothing => return Ok(()),
            After::Turn(turn) if memory.pool().is_settled(turn) => return Ok(()),
            After::Turn(turn) => self.turns.iter().find(|(_, ended)| *ended >= turn),
            After::Work => self.turns.back(),
        };
        if let Some((mark, _)) = first {
            // SAFETY: the stream lives as long as the copy lane.
            unsafe { mark.precede(context, self.stream) };
        }
        Ok(())
    }

    /// Copies to the device. On return the bytes are read, and work enqueued later waits for the
    /// copy.
    fn write(
        &mut self,
        context: &Context,
        threads: &rayon::ThreadPool,
        address: DevicePointer,
        bytes: &[u8],
    ) {
        for (place, chunk) in bytes.chunks(CHUNK).enumerate() {
            let slot = place % 2;
            self.slots[slot].mark.wait(context);
            // SAFETY: the GPU has done with the buffer (`wait`).
            copy(threads, chunk, unsafe { self.bytes(slot, chunk.len()) });
            // SAFETY: the target is inside a buffer of this device (`Remote`); the pinned bytes
            // stay until the mark shows that they have been read.
            let copied = unsafe {
                let to = address.after((place * CHUNK) as u64).address();
                let from = self.slots[slot].start.as_ptr().cast();
                sys::cuMemcpyHtoDAsync_v2(to, from, chunk.len(), self.stream)
            };
            context.note("cuMemcpyHtoDAsync", copied);
            self.mark(context, slot);
            if (place + 1) * CHUNK >= bytes.len() {
                // SAFETY: the device's own stream lives.
                unsafe { self.slots[slot].mark.precede(context, context.own_stream()) };
            }
        }
    }

    /// As `write`, for pinned memory.
    fn write_pinned(&mut self, context: &Context, address: DevicePointer, bytes: &[u8]) {
        // SAFETY: as in `write`; the bytes are waited for.
        let copied = unsafe {
            let from = bytes.as_ptr().cast();
            sys::cuMemcpyHtoDAsync_v2(address.address(), from, bytes.len(), self.stream)
        };
        context.note("cuMemcpyHtoDAsync", copied);
        self.mark(context, 0);
        // SAFETY: the device's own stream lives.
        unsafe { self.slots[0].mark.precede(context, context.own_stream()) };
        self.slots[0].mark.wait(context);
    }

    /// Copies from the device and waits for the copy.
    fn read(
        &mut self,
        context: &Context,
        threads: &rayon::ThreadPool,
        address: DevicePointer,
        bytes: &mut [u8],
    ) {
        let length = bytes.len();
        let fetch = |lane: &mut Lane, place: usize| {
            let begin = place * CHUNK;
            if begin >= length {
                return;
            }
            // SAFETY: the source is inside a buffer of this device (`Remote`); the old bytes of the
            // pinned buffer have been read.
            let copied = unsafe {
                let to = lane.slots[place % 2].start.as_ptr().cast();
                let size = CHUNK.min(length - begin);
                let from = address.after(begin as u64).address();
                sys::cuMemcpyDtoHAsync_v2(to, from, size, lane.stream)
            };
            context.note("cuMemcpyDtoHAsync", copied);
            lane.mark(context, place % 2);
        };
        fetch(self, 0);
        fetch(self, 1);
        for (place, chunk) in bytes.chunks_mut(CHUNK).enumerate() {
            self.slots[place % 2].mark.wait(context);
            // SAFETY: as in `write`.
            copy(threads, unsafe { self.bytes(place % 2, chunk.len()) }, chunk);
            fetch(self, place + 2);
        }
    }

    /// As `read`, for pinned memory.
    fn read_pinned(&mut self, context: &Context, address: DevicePointer, bytes: &mut [u8]) {
        // SAFETY: as in `read`; the bytes are waited for.
        let copied = unsafe {
            let to = bytes.as_mut_ptr().cast();
            sys::cuMemcpyDtoHAsync_v2(to, address.address(), bytes.len(), self.stream)
        };
        context.note("cuMemcpyDtoHAsync", copied);
        self.mark(context, 0);
        self.slots[0].mark.wait(context);
    }
}

/// Copies bytes with several threads.
fn copy(threads: &rayon::ThreadPool, from: &[u8], to: &mut [u8]) {
    let pieces = || {
        let pieces = to.par_chunks_mut(PIECE).zip(from.par_chunks(PIECE));
        pieces.for_each(|(to, from)| to.copy_from_slice(from));
    };
    threads.install(pieces);
}

/// The way to copy host bytes.
enum Way {
    /// Directly: the GPU accesses them, also after the call returns.
    Pinned,
    /// By the driver, which has read the bytes when the call returns.
    Driver,
    /// Through the pinned buffers of a copy lane.
    Staged,
}

fn way(context: &Context, start: *const u8, length: usize) -> Way {
    context.enter();
    let mut kind: u32 = 0;
    // SAFETY: the context is current, and the address is that of a number of 32 bits, as this
    // attribute asks for; any address may be asked about.
    let asked = unsafe {
        let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        sys::cuPointerGetAttribute((&raw mut kind).cast(), attribute, start as u64)
    };
    let is_known = asked == sys::CUresult::CUDA_SUCCESS;
    match is_known && kind == CUmemorytype::CU_MEMORYTYPE_HOST as u32 {
        true => Way::Pinned,
        false if length < LARGE => Way::Driver,
        false => Way::Staged,
    }
}

impl Lanes {
    /// Runs `fill`, which writes newly allocated memory that was freed in the turn `freed`.
    pub fn filling(&self, buffer: &Buffer, freed: Option<u64>, fill: impl FnOnce()) {
        let start = buffer.device_pointer();
        let end = start.after(buffer.len() as u64);
        let before = FILLED.replace(Some(Filled { start, end, freed }));
        let _restored = Restored(before);
        fill();
    }

    /// Copies bytes to the host, after earlier work is done.
    pub fn copy_to_host(&self, address: DevicePointer, bytes: &mut [u8]) {
        let context = self.memory.context();
        let way = way(context, bytes.as_ptr(), bytes.len());
        let is_read = bytes.len() >= LARGE
            && self.by_lane(&self.to_host, After::Work, |lane, threads| match way {
                Way::Pinned => lane.read_pinned(context, address, bytes),
                Way::Driver | Way::Staged => lane.read(context, threads, address, bytes),
            });
        if is_read {
            self.memory.release_borrowed();
            return;
        }
        // SAFETY: the bytes are inside a buffer of this device (`Remote`); the host's are waited
        // for before they are used.
        let copied = unsafe {
            let to = bytes.as_mut_ptr().cast();
            sys::cuMemcpyDtoHAsync_v2(to, address.address(), bytes.len(), context.own_stream())
        };
        context.note("cuMemcpyDtoHAsync", copied);
        self.memory.synchronize();
    }

    /// Copies bytes from the host; the caller may change them after this returns.
    pub fn copy_from_host(&self, address: DevicePointer, bytes: &[u8]) {
        let context = self.memory.context();
        let way = way(context, bytes.as_ptr(), bytes.len());
        let end = address.after(bytes.len() as u64);
        let after = match FILLED.get() {
            Some(filled) if filled.start <= address && end <= filled.end => {
                filled.freed.map_or(After::Nothing, After::Turn)
            }
            _ => After::Work,
        };
        if bytes.len() >= LARGE
            && self.by_lane(&self.to_device, after, |lane, threads| match way {
                Way::Pinned => lane.write_pinned(context, address, bytes),
                Way::Driver | Way::Staged => lane.write(context, threads, address, bytes),
            })
        {
            return;
        }
        // SAFETY: as in `copy_to_host`; bytes that are not pinned have been taken over when the
        // call returns, and the others are waited for.
        let copied = unsafe {
            let from = bytes.as_ptr().cast();
            sys::cuMemcpyHtoDAsync_v2(address.address(), from, bytes.len(), context.own_stream())
        };
        context.note("cuMemcpyHtoDAsync", copied);
        if let Way::Pinned = way {
            self.memory.synchronize();
        }
    }

    /// Runs a copy in a copy lane, and returns whether it did. If the system pins no more memory,
    /// the caller uses the driver.
    fn by_lane(
        &self,
        lane: &Mutex<Option<Lane>>,
        after: After,
        copy: impl FnOnce(&mut Lane, &rayon::ThreadPool),
    ) -> bool {
        let mut lane = lane.lock().unwrap_or_else(PoisonError::into_inner);
        if lane.is_none() {
            *lane = Lane::new(self.memory.context()).ok();
        }
        let (Some(lane), Some(threads)) = (&mut *lane, self.threads()) else { return false };
        self.memory.context().enter();
        if lane.follow(&self.memory, after).is_err() {
            return false;
        }
        copy(lane, threads);
        true
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        let _kept = self.memory.context().visit();
        self.memory.synchronize();
        for lane in [&mut self.to_device, &mut self.to_host] {
            lane.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        }
    }
}

/// Restores the memory that the thread filled before when dropped.
struct Restored(Option<Filled>);

impl Drop for Restored {
    fn drop(&mut self) {
        FILLED.set(self.0);
    }
}
