//! A GPU as a device, composed of its parts.

use super::driver::{Context, CudaOptions, KeptContext, Properties, ordinal_of};
use super::libraries::{Blas, Fft, Solver};
use super::memory::{
    Allocator, Block, DeviceMemory, GpuMemory, Lanes, PEER_HANDLE_BYTES, PeerBlock, PinnedMemory,
    PinnedPool, open, reach,
};
use super::modules::{copy_kernels, load_known};
use super::streams::{Graphs, Stream, Timed, TimedEvents};
use crate::buffer::Remote;
use crate::device::Captured;
use crate::{Buffer, Device, DeviceError, DevicePointer, ForeignMemory, Moment};
use std::any::Any;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// A GPU with its stream and its memory.
///
/// The parts that are above the memory wait for the device's work when they are dropped.
pub struct CudaDevice {
    context: Arc<Context>,
    memory: Arc<GpuMemory>,
    /// The streams and buffers of large copies to and from the host.
    lanes: Lanes,
    /// Host memory that the device accesses directly.
    pinned: Arc<PinnedPool>,
    graphs: Arc<Graphs>,
    fft: Arc<Fft>,
    solver: Solver,
    blas: Blas,
    /// Host threads for operations that have no routine on the GPU; started at first use.
    host: OnceLock<rayon::ThreadPool>,
    /// Whether events of messages know their times.
    keeps_times: AtomicBool,
    timed: Arc<TimedEvents>,
    /// The device itself, for buffers that keep it alive.
    own: Weak<CudaDevice>,
}

/// The most host threads of a device.
const MOST_THREADS: usize = 16;

impl CudaDevice {
    /// The GPU `cuda:ordinal`, with an optional memory limit in bytes.
    ///
    /// Errors: those of `cuda_devices`; `DeviceError::NoSuchDevice`; `DeviceError::Capability` for
    /// GPUs older than compute capability 8.0.
    pub fn new(
        ordinal: usize,
        limit: Option<usize>,
        options: &CudaOptions,
    ) -> Result<Arc<CudaDevice>, DeviceError> {
        CudaDevice::with_allocator(ordinal, limit, options, Box::new(DeviceMemory))
    }

    /// As `new`, with memory from an allocator; the device's pool caches its memory blocks.
    ///
    /// Errors: as `new`.
    pub fn with_allocator(
        ordinal: usize,
        limit: Option<usize>,
        options: &CudaOptions,
        allocator: Box<dyn Allocator>,
    ) -> Result<Arc<CudaDevice>, DeviceError> {
        let context = Context::new(ordinal, options)?;
        let memory = GpuMemory::new(context.clone(), limit, allocator);
        let (graphs, fft) = (Graphs::new(&memory), Fft::new(&memory));
        memory.add_spare(Arc::downgrade(&fft) as _);
        memory.add_spare(Arc::downgrade(&graphs) as _);
        Ok(Arc::new_cyclic(|own| CudaDevice {
            lanes: Lanes::new(&memory),
            pinned: PinnedPool::new(&memory),
            graphs,
            fft,
            solver: Solver::new(&memory),
            blas: Blas::new(&memory),
            context,
            memory,
            host: OnceLock::new(),
            keeps_times: AtomicBool::new(false),
            timed: Arc::default(),
            own: own.clone(),
        }))
    }

    /// A handle to the device itself; `None` while it is being dropped.
    pub fn handle(&self) -> Option<Arc<CudaDevice>> {
        self.own.upgrade()
    }

    /// The context, in which streams, events and kernels are made.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Matrix products and small factorisations.
    pub fn blas(&self) -> &Blas {
        &self.blas
    }

    /// Factorisations of matrices.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// Fourier transforms.
    pub fn fft(&self) -> &Fft {
        &self.fft
    }

    /// The current end of a stream of the device, if times are kept (`Device::keep_times`).
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn moment_in(&self, stream: &Stream) -> Result<Option<Moment>, DeviceError> {
        let keeps = self.keeps_times.load(Ordering::Relaxed);
        keeps.then(|| self.end_of(stream)).transpose()
    }

    fn end_of(&self, stream: &Stream) -> Result<Moment, DeviceError> {
        let end = Timed::end_of(stream, &self.context, &self.timed)?;
        Ok(Moment::Stream(Arc::new(end)))
    }

    /// Copies between the device and the host.
    pub(super) fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// The number of the GPU.
    pub fn ordinal(&self) -> usize {
        self.context.ordinal()
    }

    /// The properties of the GPU.
    pub fn properties(&self) -> &Properties {
        self.context.properties()
    }

    /// The options of CUDA.
    pub fn options(&self) -> &CudaOptions {
        self.context.options()
    }

    /// As `Context::visit`.
    pub fn visit(&self) -> Option<KeptContext> {
        self.context.visit()
    }

    /// As `Context::identity`.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn identity(&self) -> Result<String, DeviceError> {
        self.context.identity()
    }

    /// As `Context::attributes`.
    pub fn attributes(&self) -> Vec<(&'static str, i32)> {
        self.context.attributes()
    }

    /// As `Context::memory_info`.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn memory_info(&self) -> Result<(usize, usize), DeviceError> {
        self.context.memory_info()
    }

    /// As `Context::synchronize_all`.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn synchronize_all(&self) -> Result<(), DeviceError> {
        self.context.synchronize_all()
    }

    /// The number of the GPU to which an address belongs; `None` for host addresses. The driver
    /// must be loaded, as it is once there is a device.
    pub fn ordinal_of(address: DevicePointer) -> Option<usize> {
        ordinal_of(address)
    }

    /// Sets the memory limit; existing arrays stay.
    pub fn set_memory_limit(&self, limit: Option<usize>) {
        self.memory.set_limit(limit);
    }

    /// Takes new memory blocks from another allocator; memory in use stays. If the pool does not
    /// cache, each memory block returns to the allocator when it is free and no work uses it.
    /// Waits for the device's work.
    pub fn set_allocator(&self, allocator: Box<dyn Allocator>, caches: bool) {
        self.memory.set_allocator(allocator, caches);
    }

    /// The bytes and the number of the free memory blocks that the pool caches.
    pub fn cached(&self) -> (usize, usize) {
        let pool = self.memory.pool();
        (pool.cached, pool.free_blocks())
    }

    /// Returns free memory blocks to the allocator, once no work uses them.
    pub fn release_cached(&self) {
        self.memory.release_cached();
    }

    /// The address of zeros with which thread blocks of kernels count each other. A kernel that
    /// changes them must leave them zero.
    ///
    /// Errors: `DeviceError::OutOfMemory`, `DeviceError::Cuda`.
    pub fn counters(&self) -> Result<DevicePointer, DeviceError> {
        self.memory.counters()
    }

    /// Pinned host memory of this many bytes with unspecified contents. Local.
    ///
    /// Errors: `DeviceError::Cuda` if the system refuses.
    pub fn pinned_memory(&self, length: usize) -> Result<PinnedMemory, DeviceError> {
        PinnedMemory::new(&self.pinned, length)
    }

    /// The number of cached memory blocks of pinned memory.
    pub fn free_pinned_blocks(&self) -> usize {
        self.pinned.free_blocks()
    }

    /// Frees cached pinned memory, once no copy uses it.
    pub fn release_pinned(&self) {
        self.pinned.release();
    }

    /// A memory block of at least this many zero bytes, outside of the device's pool, for other
    /// GPUs. Waits until they are set.
    ///
    /// Errors: `DeviceError::OutOfMemory`, `DeviceError::Cuda`.
    pub fn peer_block(&self, bytes: usize) -> Result<PeerBlock, DeviceError> {
        PeerBlock::new(&self.memory, bytes)
    }

    /// Lets kernels of this device access memory blocks of another GPU of the process; returns
    /// whether they can.
    pub fn reach(&self, ordinal: usize) -> bool {
        reach(&self.context, ordinal)
    }

    /// The address at which kernels of this device access a memory block of another process; its
    /// device need not be visible in this process. The block stays open to the end of the process,
    /// because only the owner knows when it is done with.
    ///
    /// Errors: `DeviceError::Cuda` if they cannot access it.
    pub fn open_peer_block(
        &self,
        handle: &[u8; PEER_HANDLE_BYTES],
    ) -> Result<DevicePointer, DeviceError> {
        open(&self.context, handle)
    }

    /// Loads the copy kernels.
    ///
    /// Errors: those of the compiler.
    pub fn load_copies(&self) -> Result<(), DeviceError> {
        copy_kernels(&self.context).map(drop)
    }

    /// Loads the copy kernels and every kernel that was loaded before this device was made, so that
    /// nothing is loaded while the device waits for others.
    ///
    /// Errors: those of the compiler.
    pub fn load_all(&self) -> Result<(), DeviceError> {
        self.load_copies()?;
        load_known(&self.context)
    }

    /// Allocates memory from the pool. For a reused memory block, also returns the turn in which it
    /// was freed: until that turn is settled, earlier work may still use the block.
    fn take(self: Arc<Self>, bytes: usize) -> Result<(Buffer, Option<u64>), DeviceError> {
        let Block { address, size, freed, source } = self.memory.take(bytes)?;
        let memory = self.memory.clone();
        let release = move |address| memory.free(address, size, &source);
        let (keeper, remote): (_, Arc<dyn Remote>) = (self.clone(), self);
        // SAFETY: the memory block is `size` bytes of the device's memory until `release` takes it
        // back.
        let buffer = unsafe { Buffer::from_remote(address, bytes, remote, release) };
        keeper.context.keep_captured(|| buffer.clone());
        Ok((buffer, freed))
    }
}

impl Device for CudaDevice {
    fn name(&self) -> String {
        String::from(self.context.name())
    }

    fn allocate(self: Arc<Self>, bytes: usize) -> Result<Buffer, DeviceError> {
        self.take(bytes).map(|(buffer, _)| buffer)
    }

    fn allocate_filled(
        self: Arc<Self>,
        bytes: usize,
        fill: &mut dyn FnMut(&Buffer),
    ) -> Result<Buffer, DeviceError> {
        let (buffer, freed) = self.clone().take(bytes)?;
        self.lanes.filling(&buffer, freed, || fill(&buffer));
        Ok(buffer)
    }

    fn bytes_in_use(&self) -> usize {
        self.memory.pool().in_use
    }

    fn peak_bytes(&self) -> usize {
        self.memory.pool().peak
    }

    fn reset_peak(&self) {
        let mut pool = self.memory.pool();
        pool.peak = pool.in_use;
    }

    fn memory_limit(&self) -> Option<usize> {
        self.memory.limit()
    }

    fn adopt(self: Arc<Self>, memory: &ForeignMemory, bytes: Range<usize>) -> Option<Buffer> {
        if memory.device() != self.context.name() {
            return None;
        }
        self.memory.release_borrowed();
        let (address, length) = (memory.address(&bytes), bytes.len());
        let (keeper, owner) = (self.memory.clone(), memory.owner());
        let release = move |_| keeper.keep_until_done(owner.clone());
        // SAFETY: the device may read the bytes as long as the owner lives, which `release` lets go
        // once the work before is done (`ForeignMemory::new`); memory of others is not written.
        Some(unsafe { Buffer::from_remote(address, length, self, release) })
    }

    fn pool(&self) -> Option<&rayon::ThreadPool> {
        if let Some(pool) = self.host.get() {
            return Some(pool);
        }
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(MOST_THREADS)).build();
        let pool = pool.ok()?;
        Some(self.host.get_or_init(|| pool))
    }

    fn is_host(&self) -> bool {
        false
    }

    fn synchronize(&self) {
        self.memory.synchronize();
    }

    fn moment(&self) -> Result<Moment, DeviceError> {
        self.end_of(&Stream::of_work(&self.context))
    }

    fn keep_times(&self) {
        self.keeps_times.store(true, Ordering::Relaxed);
    }

    fn failure(&self) -> Option<DeviceError> {
        self.context.failure()
    }

    fn forgotten(&self) -> u64 {
        self.fft.dropped()
    }

    fn fail(&self, error: DeviceError) {
        self.context.fail(error);
    }

    fn capture(self: Arc<Self>, work: &mut dyn FnMut()) -> Option<Arc<dyn Captured>> {
        if self.options().without_graphs {
            return None;
        }
        self.graphs.capture(self.clone(), work).ok()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
