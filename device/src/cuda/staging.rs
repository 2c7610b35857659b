//! Large copies between the host's ordinary memory and a GPU: by way of two pinned buffers, of
//! which one is filled or emptied while the GPU copies the other.

use super::device::CudaDevice;
use super::pinned;
use super::stream::Mark;
use crate::{Device, DeviceError};
use cudarc::driver::sys::{self, CUmemorytype, CUpointer_attribute};
use rayon::prelude::*;
use std::ptr::NonNull;
use std::sync::PoisonError;

/// Bytes of a buffer.
const CHUNK: usize = 16 << 20;
/// From how many bytes on a copy goes through the buffers: below, the driver's own are as good.
const LARGE: usize = 1 << 20;
/// Bytes that a thread copies at once.
const PIECE: usize = 1 << 20;
/// Threads that copy between ordinary and pinned memory. One moves some 10 GB/s, a fifth of what a
/// GPU takes, and memory that is touched for the first time is slower still.
const THREADS: usize = 16;

/// Two pinned buffers, and who copies between them and ordinary memory.
pub(super) struct Staging {
    slots: [Slot; 2],
    threads: rayon::ThreadPool,
}

struct Slot {
    start: NonNull<u8>,
    /// When the GPU has done with it.
    mark: Mark,
}

// SAFETY: the pinned memory has no thread affinity, and the lock around `Staging` sees to it that
// one thread at a time uses it.
unsafe impl Send for Slot {}

impl Drop for Slot {
    fn drop(&mut self) {
        // SAFETY: made by `pinned::allocate`; whoever drops it has waited for the device.
        let _ = unsafe { sys::cuMemFreeHost(self.start.as_ptr().cast()) };
    }
}

impl Staging {
    fn new(device: &CudaDevice) -> Result<Staging, DeviceError> {
        let slot = || -> Result<Slot, DeviceError> {
            let mark = Mark::new(device, false, false)?;
            Ok(Slot { start: pinned::allocate(device, CHUNK)?, mark })
        };
        let slots = [slot()?, slot()?];
        let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.min(THREADS))
            .thread_name(|index| format!("copy.{index}"))
            .build();
        let threads = threads.map_err(|error| DeviceError::Threads {
            device: device.name(),
            reason: error.to_string(),
        })?;
        Ok(Staging { slots, threads })
    }

    /// The first bytes of a buffer.
    ///
    /// # Safety
    /// The GPU does not use the buffer, and nobody else is given its bytes meanwhile.
    unsafe fn bytes(&mut self, slot: usize, length: usize) -> &mut [u8] {
        assert!(length <= CHUNK, "bug: {length} bytes of a staging buffer");
        // SAFETY: in bounds of the allocation; the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.slots[slot].start.as_ptr(), length) }
    }

    /// Copies to the device; the bytes are taken over when this returns.
    fn write(&mut self, device: &CudaDevice, address: u64, bytes: &[u8]) {
        for (place, chunk) in bytes.chunks(CHUNK).enumerate() {
            let slot = place % 2;
            self.slots[slot].mark.wait(device);
            let threads = std::ptr::from_ref(&self.threads);
            // SAFETY: the GPU has done with the buffer (`wait`); the pool of threads is another
            // field than the buffers, and lives as long.
            let (staged, threads) = unsafe { (self.bytes(slot, chunk.len()), &*threads) };
            copy(threads, chunk, staged);
            // SAFETY: the target lies inside a buffer of this device (`Remote`); the pinned bytes
            // stay until the mark tells that they have been read.
            let copied = unsafe {
                let to = address + (place * CHUNK) as u64;
                let from = self.slots[slot].start.as_ptr().cast();
                sys::cuMemcpyHtoDAsync_v2(to, from, chunk.len(), device.stream)
            };
            device.note("cuMemcpyHtoDAsync", copied);
            self.slots[slot].mark.set(device);
        }
    }

    /// Copies from the device, for which it waits.
    fn read(&mut self, device: &CudaDevice, address: u64, bytes: &mut [u8]) {
        let length = bytes.len();
        let fetch = |staging: &mut Staging, place: usize| {
            let begin = place * CHUNK;
            if begin >= length {
                return;
            }
            // SAFETY: the source lies inside a buffer of this device (`Remote`); what the buffer
            // held has been read, or will be before, in the order of the stream.
            let copied = unsafe {
                let to = staging.slots[place % 2].start.as_ptr().cast();
                let size = CHUNK.min(length - begin);
                sys::cuMemcpyDtoHAsync_v2(to, address + begin as u64, size, device.stream)
            };
            device.note("cuMemcpyDtoHAsync", copied);
            staging.slots[place % 2].mark.set(device);
        };
        fetch(self, 0);
        fetch(self, 1);
        for (place, chunk) in bytes.chunks_mut(CHUNK).enumerate() {
            self.slots[place % 2].mark.wait(device);
            let threads = std::ptr::from_ref(&self.threads);
            // SAFETY: as in `write`.
            let (staged, threads) = unsafe { (self.bytes(place % 2, chunk.len()), &*threads) };
            copy(threads, staged, chunk);
            fetch(self, place + 2);
        }
    }
}

/// Copies bytes by several threads.
fn copy(threads: &rayon::ThreadPool, from: &[u8], to: &mut [u8]) {
    let pieces = || {
        let pieces = to.par_chunks_mut(PIECE).zip(from.par_chunks(PIECE));
        pieces.for_each(|(to, from)| to.copy_from_slice(from));
    };
    threads.install(pieces);
}

/// How bytes of the host are best copied.
enum Way {
    /// The GPU reaches them by itself, and goes on doing so when the call has returned.
    Pinned,
    /// By the driver, which has taken them over when the call returns.
    Driver,
    /// Through the pinned buffers.
    Staged,
}

fn way(device: &CudaDevice, start: *const u8, length: usize) -> Way {
    device.enter();
    let mut kind: u32 = 0;
    // SAFETY: the context is current, and the place is that of a number of 32 bits, as this
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

impl CudaDevice {
    /// Copies bytes to the host, once the work before is done.
    pub(super) fn copy_to_host(&self, address: u64, bytes: &mut [u8]) {
        if let Way::Staged = way(self, bytes.as_ptr(), bytes.len())
            && self.staged(|staging| staging.read(self, address, bytes))
        {
            return;
        }
        // SAFETY: the bytes lie inside a buffer of this device (`Remote`); the host's are waited
        // for before they are used.
        let copied = unsafe {
            let to = bytes.as_mut_ptr().cast();
            sys::cuMemcpyDtoHAsync_v2(to, address, bytes.len(), self.stream)
        };
        self.note("cuMemcpyDtoHAsync", copied);
        self.synchronize();
    }

    /// Copies bytes from the host, which may change them when this returns.
    pub(super) fn copy_from_host(&self, address: u64, bytes: &[u8]) {
        let way = way(self, bytes.as_ptr(), bytes.len());
        if let Way::Staged = way
            && self.staged(|staging| staging.write(self, address, bytes))
        {
            return;
        }
        // SAFETY: as in `copy_to_host`; bytes that are not pinned have been taken over when the
        // call returns, and the others are waited for.
        let copied = unsafe {
            let from = bytes.as_ptr().cast();
            sys::cuMemcpyHtoDAsync_v2(address, from, bytes.len(), self.stream)
        };
        self.note("cuMemcpyHtoDAsync", copied);
        if let Way::Pinned = way {
            self.synchronize();
        }
    }

    /// Runs a copy with the pinned buffers; says whether there are any.
    fn staged(&self, copy: impl FnOnce(&mut Staging)) -> bool {
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        if staging.is_none() {
            // Where the system pins no more memory, the driver's way is left.
            *staging = Staging::new(self).ok();
        }
        match &mut *staging {
            Some(staging) => {
                self.enter();
                copy(staging);
                true
            }
            None => false,
        }
    }
}
