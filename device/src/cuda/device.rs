//! A GPU as a device.

use super::allocator::{Allocator, DeviceMemory};
use super::attributes::ATTRIBUTES;
use super::blas::Blas;
use super::capture::Graph;
use super::context::{has_begun, keep_context};
use super::driver::check;
use super::fft::Plans;
use super::library::{CudaOptions, Library, find};
use super::pinned::PinnedPool;
use super::pool::Pool;
use super::solver::Solver;
use super::staging::Lanes;
use super::stream::Mark;
use crate::buffer::Remote;
use crate::device::Captured;
use crate::{Buffer, Device, DeviceError, ForeignMemory};
use cudarc::driver::sys::{self, CUcontext, CUdevice, CUdevice_attribute as Attribute, CUstream};
use std::any::Any;
use std::collections::VecDeque;
use std::ffi::CStr;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The properties of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Its name, such as `NVIDIA H200`.
    pub name: String,
    /// The compute capability, 90 for 9.0.
    pub capability: u32,
    /// The number of multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of memory.
    pub memory: usize,
    /// The most bytes of shared memory of a thread block.
    pub shared_memory: usize,
    /// The version of CUDA that the driver supports, 13000 for 13.0.
    pub driver: u32,
}

/// The oldest compute capability for which kernels are compiled.
const OLDEST: u32 = 80;
/// The oldest driver, by the version of CUDA that it supports.
const OLDEST_DRIVER: u32 = 12000;

/// A GPU with its stream and its memory.
pub struct CudaDevice {
    ordinal: usize,
    pub(super) context: CUcontext,
    pub(super) stream: CUstream,
    properties: Properties,
    options: CudaOptions,
    /// The most bytes that may be in use; `UNLIMITED` without a limit.
    limit: AtomicUsize,
    pool: Mutex<Pool>,
    pub(super) allocator: Box<dyn Allocator>,
    /// Foreign memory that enqueued work may still read, the oldest first.
    borrowed: Mutex<VecDeque<(Mark, Owner)>>,
    /// Host memory that the device accesses directly.
    pub(super) pinned: Mutex<PinnedPool>,
    /// The streams and buffers of large copies to and from the host.
    pub(super) lanes: Lanes,
    /// The first failure, after which the device is unusable; or a refusal of memory that no caller
    /// has received yet.
    failure: Mutex<Option<DeviceError>>,
    /// Zeros with which thread blocks count each other; each kernel leaves zeros.
    counters: OnceLock<u64>,
    /// The device itself, for buffers that keep it alive.
    own: std::sync::Weak<CudaDevice>,
    /// Host threads for operations that have no routine on the GPU; started at first use.
    host: OnceLock<rayon::ThreadPool>,
    /// The handle of cuBLAS, made at first use.
    pub(super) blas: Mutex<Option<Blas>>,
    /// The handle of cuSOLVER, made at first use.
    pub(super) solver: Mutex<Option<Solver>>,
    /// The cached plans of Fourier transforms.
    pub(super) plans: Mutex<Plans>,
    /// The captured work.
    pub(super) graphs: Mutex<Vec<std::sync::Weak<Graph>>>,
    pub(super) device: CUdevice,
}

/// The owner of foreign memory.
type Owner = Arc<dyn Any + Send + Sync>;

const UNLIMITED: usize = usize::MAX;
/// The most host threads of a device.
const MOST_THREADS: usize = 16;
/// Bytes of counters.
const COUNTERS: usize = 4 << 16;

// SAFETY: a context and a stream may be used by any thread; each call makes the context current
// first (`CudaDevice::enter`).
unsafe impl Send for CudaDevice {}
// SAFETY: as for `Send`: the driver orders concurrent calls itself.
unsafe impl Sync for CudaDevice {}

/// The devices that the process has made.
static LIVING: Mutex<Vec<std::sync::Weak<CudaDevice>>> = Mutex::new(Vec::new());

/// The devices of the process that still exist.
pub(super) fn living() -> Vec<Arc<CudaDevice>> {
    let living = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
    living.iter().filter_map(std::sync::Weak::upgrade).collect()
}

/// The number of GPUs that the process can use.
///
/// Errors: `DeviceError::Library` without a driver, `DeviceError::Cuda` when it does not start.
pub fn cuda_devices(options: &CudaOptions) -> Result<usize, DeviceError> {
    find(Library::Driver, options)?;
    let mut version = 0;
    let mut count = 0;
    // SAFETY: the driver is loaded (`find`), and both pointers are valid.
    unsafe {
        check("cuda", "cuInit", sys::cuInit(0))?;
        check("cuda", "cuDriverGetVersion", sys::cuDriverGetVersion(&raw mut version))?;
        check("cuda", "cuDeviceGetCount", sys::cuDeviceGetCount(&raw mut count))?;
    }
    if count > 0 && (version as u32) < OLDEST_DRIVER {
        return Err(DeviceError::Driver { found: version as u32, needed: OLDEST_DRIVER });
    }
    Ok(count as usize)
}

/// The numbers of the GPUs for which kernels can be compiled: those of compute capability 8.0 or
/// later. A GPU that cannot be queried, such as a failed one, is left out.
///
/// Errors: those of `cuda_devices`; `DeviceError::Library` without NVRTC; if no GPU is usable, that
/// of the first one, `DeviceError::Capability` or `DeviceError::Cuda`.
pub fn usable_gpus(options: &CudaOptions) -> Result<Vec<usize>, DeviceError> {
    let count = cuda_devices(options)?;
    if count > 0 {
        find(Library::Nvrtc, options)?;
    }
    // SAFETY: the driver is initialised (`cuda_devices`).
    usable((0..count).map(|ordinal| unsafe { known(ordinal) }.map(drop)))
}

/// The numbers of the GPUs without an error; the first error if all have one.
fn usable(gpus: impl Iterator<Item = Result<(), DeviceError>>) -> Result<Vec<usize>, DeviceError> {
    let (mut numbers, mut first) = (Vec::new(), None);
    for (ordinal, gpu) in gpus.enumerate() {
        match gpu {
            Ok(()) => numbers.push(ordinal),
            Err(error) => first = first.or(Some(error)),
        }
    }
    match first {
        Some(error) if numbers.is_empty() => Err(error),
        _ => Ok(numbers),
    }
}

/// The driver's handle of a GPU for which kernels can be compiled, and its properties.
///
/// # Safety
/// The driver is initialised.
unsafe fn known(ordinal: usize) -> Result<(CUdevice, Properties), DeviceError> {
    let name = format!("cuda:{ordinal}");
    let mut device: CUdevice = 0;
    // SAFETY: the caller's promise; the pointer is valid, and the handle is one of the driver's.
    let properties = unsafe {
        check(&name, "cuDeviceGet", sys::cuDeviceGet(&raw mut device, ordinal as i32))?;
        properties(&name, device)?
    };
    new_enough(name, properties.capability)?;
    Ok((device, properties))
}

fn new_enough(device: String, found: u32) -> Result<(), DeviceError> {
    match found < OLDEST {
        true => Err(DeviceError::Capability { device, found, needed: OLDEST }),
        false => Ok(()),
    }
}

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

    /// As `new`, with memory from an allocator; the device's pool caches its blocks.
    ///
    /// Errors: as `new`.
    pub fn with_allocator(
        ordinal: usize,
        limit: Option<usize>,
        options: &CudaOptions,
        allocator: Box<dyn Allocator>,
    ) -> Result<Arc<CudaDevice>, DeviceError> {
        let count = cuda_devices(options)?;
        if ordinal >= count {
            return Err(DeviceError::NoSuchDevice { ordinal, count });
        }
        // SAFETY: the driver is initialised (`cuda_devices`).
        let (device, properties) = unsafe { known(ordinal)? };
        let name = format!("cuda:{ordinal}");
        let mut context: CUcontext = std::ptr::null_mut();
        let mut stream: CUstream = std::ptr::null_mut();
        has_begun();
        let _kept = keep_context();
        // SAFETY: the driver is initialised and the device one of its own; all pointers are valid,
        // and the context is made current before the stream is made in it.
        unsafe {
            let retained = sys::cuDevicePrimaryCtxRetain(&raw mut context, device);
            check(&name, "cuDevicePrimaryCtxRetain", retained)?;
            check(&name, "cuCtxSetCurrent", sys::cuCtxSetCurrent(context))?;
            let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
            check(&name, "cuStreamCreate", sys::cuStreamCreate(&raw mut stream, flags))?;
        }
        let made = Arc::new_cyclic(|own| CudaDevice {
            ordinal,
            context,
            stream,
            properties,
            options: options.clone(),
            limit: AtomicUsize::new(limit.unwrap_or(UNLIMITED)),
            pool: Mutex::default(),
            allocator,
            borrowed: Mutex::default(),
            pinned: Mutex::default(),
            lanes: Lanes::default(),
            failure: Mutex::default(),
            counters: OnceLock::new(),
            own: own.clone(),
            host: OnceLock::new(),
            blas: Mutex::new(None),
            solver: Mutex::new(None),
            plans: Mutex::default(),
            graphs: Mutex::default(),
            device,
        });
        let mut living = LIVING.lock().unwrap_or_else(PoisonError::into_inner);
        living.retain(|known| known.strong_count() > 0);
        living.push(Arc::downgrade(&made));
        Ok(made)
    }

    /// The properties of the GPU.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// The options of CUDA.
    pub fn options(&self) -> &CudaOptions {
        &self.options
    }

    /// The stream that orders all work of the device, for libraries that enqueue work in it.
    pub fn stream_handle(&self) -> usize {
        self.stream as usize
    }

    /// Makes the device's context current on the calling thread.
    pub fn enter(&self) {
        // SAFETY: the context lives as long as the device.
        let entered = unsafe { sys::cuCtxSetCurrent(self.context) };
        self.note("cuCtxSetCurrent", entered);
    }

    /// Records the error of a call (the device keeps the first); returns whether there was none.
    /// was none.
    pub(super) fn note(&self, call: &'static str, result: sys::CUresult) -> bool {
        match check(&self.name(), call, result) {
            Ok(()) => true,
            Err(error) => {
                self.fail(error);
                false
            }
        }
    }

    /// Returns the error of a call; the device keeps it too, unless it is about memory.
    pub(super) fn told(
        &self,
        call: &'static str,
        result: sys::CUresult,
    ) -> Result<(), DeviceError> {
        let outcome = check(&self.name(), call, result);
        match &outcome {
            Ok(()) | Err(DeviceError::OutOfMemory { .. }) => {}
            Err(error) => self.fail(error.clone()),
        }
        outcome
    }

    /// A handle to the device itself; `None` while it is being dropped.
    pub fn handle(&self) -> Option<Arc<CudaDevice>> {
        self.own.upgrade()
    }

    pub(super) fn pool_state(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the GPU.
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// Sets the memory limit; existing arrays stay.
    pub fn set_memory_limit(&self, limit: Option<usize>) {
        self.limit.store(limit.unwrap_or(UNLIMITED), Ordering::Relaxed);
    }

    /// The number of the GPU to which an address belongs; `None` for host addresses. The driver
    /// must be loaded, as it is once there is a device.
    pub fn ordinal_of(address: u64) -> Option<usize> {
        let mut ordinal: i32 = 0;
        let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        // SAFETY: the place is that of a number of 32 bits, as this attribute asks for; any address
        // may be asked about.
        let asked =
            unsafe { sys::cuPointerGetAttribute((&raw mut ordinal).cast(), attribute, address) };
        (asked == sys::CUresult::CUDA_SUCCESS).then(|| usize::try_from(ordinal).ok())?
    }

    /// The free and the total bytes of the GPU.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn memory_info(&self) -> Result<(usize, usize), DeviceError> {
        let _kept = self.visit();
        let (mut free, mut total) = (0, 0);
        // SAFETY: the context is current, and both pointers are valid.
        let asked = unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
        check(&self.name(), "cuMemGetInfo", asked)?;
        Ok((free, total))
    }

    /// The globally unique identity of the GPU.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn identity(&self) -> Result<String, DeviceError> {
        let mut identity = sys::CUuuid { bytes: [0; 16] };
        // SAFETY: the device is one of the driver's, and the pointer is valid.
        let asked = unsafe { sys::cuDeviceGetUuid_v2(&raw mut identity, self.device) };
        check(&self.name(), "cuDeviceGetUuid", asked)?;
        Ok(identity.bytes.iter().map(|byte| format!("{:02x}", byte.cast_unsigned())).collect())
    }

    /// The attributes that the GPU supports, by the names of CUDA's runtime.
    pub fn attributes(&self) -> Vec<(&'static str, i32)> {
        let value = |&(name, attribute): &(&'static str, Attribute)| {
            let mut value = 0;
            // SAFETY: the device is one of the driver's, and the pointer is valid.
            let asked =
                unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, self.device) };
            (asked == sys::CUresult::CUDA_SUCCESS).then_some((name, value))
        };
        ATTRIBUTES.iter().filter_map(value).collect()
    }

    /// Waits for all work of the process on the GPU, including that of other libraries.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn synchronize_all(&self) -> Result<(), DeviceError> {
        let _kept = self.visit();
        // SAFETY: the context is current.
        check(&self.name(), "cuCtxSynchronize", unsafe { sys::cuCtxSynchronize() })
    }

    /// Keeps foreign memory until the work enqueued so far is done.
    fn keep_until_done(&self, owner: Owner) {
        let _kept = keep_context();
        match Mark::new(self, false, false) {
            Ok(mark) => {
                mark.set(self);
                let mut borrowed = self.borrowed.lock().unwrap_or_else(PoisonError::into_inner);
                borrowed.push_back((mark, owner));
            }
            Err(error) => {
                self.synchronize();
                self.fail(error);
            }
        }
        self.let_go();
    }

    /// Releases foreign memory that no work reads any more.
    pub(super) fn let_go(&self) {
        loop {
            // Dropping an owner may run any code, so the lock is not held.
            let mut borrowed = self.borrowed.lock().unwrap_or_else(PoisonError::into_inner);
            match borrowed.front() {
                Some((mark, _)) if mark.is_past(self) => {}
                _ => return,
            }
            let done = borrowed.pop_front();
            drop(borrowed);
            drop(done);
        }
    }

    /// The bytes and the number of the free blocks that the pool caches.
    pub fn cached(&self) -> (usize, usize) {
        let pool = self.pool_state();
        (pool.cached, pool.free_blocks())
    }

    /// The address of zeros with which thread blocks of kernels count each other. A kernel that
    /// changes them must leave them zero.
    ///
    /// Errors: `DeviceError::OutOfMemory`, `DeviceError::Cuda`.
    pub fn counters(&self) -> Result<u64, DeviceError> {
        if let Some(address) = self.counters.get() {
            return Ok(*address);
        }
        let address = self.allocate_block(COUNTERS)?;
        // SAFETY: the block has this many bytes, and nothing else uses it.
        let set = unsafe { sys::cuMemsetD8Async(address, 0, COUNTERS, self.stream) };
        self.note("cuMemsetD8Async", set);
        let kept = *self.counters.get_or_init(|| address);
        if kept != address {
            self.synchronize();
            // SAFETY: the block has no owner.
            unsafe { self.allocator.free(self, address, COUNTERS)? };
        }
        Ok(kept)
    }

    pub(super) fn refused(&self, requested: usize) -> DeviceError {
        DeviceError::OutOfMemory {
            device: self.name(),
            requested,
            in_use: self.bytes_in_use(),
            limit: Some(self.memory_limit().unwrap_or(self.properties.memory)),
        }
    }

    /// Allocates memory from the pool. For a reused block, also returns the turn in which it was
    /// freed: until that turn is settled, earlier work may still use the block.
    fn take(self: Arc<Self>, bytes: usize) -> Result<(Buffer, Option<u64>), DeviceError> {
        self.let_go();
        let size = Pool::size(bytes);
        let limit = self.limit.load(Ordering::Relaxed);
        if self.bytes_in_use().saturating_add(size) > limit {
            // Captured work holds memory too.
            self.give_up();
        }
        let (cached, is_full) = {
            let mut pool = self.pool_state();
            if pool.in_use.saturating_add(size) > limit {
                drop(pool);
                return Err(self.refused(bytes));
            }
            let cached = pool.take(size);
            // Cached blocks of other sizes count too: other processes cannot use them.
            let held = (pool.in_use + pool.cached).saturating_add(size);
            (cached, cached.is_none() && held > limit)
        };
        if is_full && self.is_capturing() {
            return Err(self.refused(bytes));
        }
        if is_full {
            self.release_cached();
        }
        let (address, freed) = match cached {
            Some((address, turn)) => (address, Some(turn)),
            None => {
                let address = self.allocate_block(size)?;
                self.pool_state().used(size);
                (address, None)
            }
        };
        let owner = self.clone();
        let release = move |address| owner.give_back(address, size);
        let (keeper, remote): (_, Arc<dyn Remote>) = (self.clone(), self);
        // SAFETY: the block is `size` bytes of the device's memory until `release` takes it back.
        let buffer = unsafe { Buffer::from_remote(address, bytes, remote, release) };
        keeper.keep_captured(&buffer);
        Ok((buffer, freed))
    }

    fn give_back(&self, address: u64, size: usize) {
        self.pool_state().give(address, size);
    }
}

impl Device for CudaDevice {
    fn name(&self) -> String {
        format!("cuda:{}", self.ordinal)
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
        self.filling(&buffer, freed, || fill(&buffer));
        Ok(buffer)
    }

    fn bytes_in_use(&self) -> usize {
        self.pool_state().in_use
    }

    fn peak_bytes(&self) -> usize {
        self.pool_state().peak
    }

    fn reset_peak(&self) {
        let mut pool = self.pool_state();
        pool.peak = pool.in_use;
    }

    fn memory_limit(&self) -> Option<usize> {
        Some(self.limit.load(Ordering::Relaxed)).filter(|&limit| limit != UNLIMITED)
    }

    fn adopt(self: Arc<Self>, memory: &ForeignMemory, bytes: Range<usize>) -> Option<Buffer> {
        if memory.device() != self.name() {
            return None;
        }
        self.let_go();
        let (address, length) = (memory.address(&bytes), bytes.len());
        let (keeper, owner) = (self.clone(), memory.owner());
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
        self.enter();
        let turn = self.pool_state().end_turn();
        // SAFETY: the stream lives as long as the device.
        let waited = unsafe { sys::cuStreamSynchronize(self.stream) };
        if self.note("cuStreamSynchronize", waited) {
            self.pool_state().settle(turn);
        }
        self.let_go();
    }

    fn failure(&self) -> Option<DeviceError> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        match &*failure {
            // The device stays usable, so the refusal is reported once.
            Some(DeviceError::OutOfMemory { .. }) => failure.take(),
            lasting => lasting.clone(),
        }
    }

    fn fail(&self, error: DeviceError) {
        if let Some(error) = self.keep_failure(error) {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            match &*failure {
                None | Some(DeviceError::OutOfMemory { .. }) => *failure = Some(error),
                Some(_) => {}
            }
        }
    }

    fn capture(self: Arc<Self>, work: &mut dyn FnMut()) -> Option<Arc<dyn Captured>> {
        if self.options.without_graphs {
            return None;
        }
        self.capture_work(work).ok()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        self.synchronize();
        self.lanes.end();
        self.pinned.get_mut().unwrap_or_else(PoisonError::into_inner).free_all();
        drop(self.plans.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        self.solver.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        self.blas.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        self.release_cached();
        if let Some(address) = self.counters.take() {
            // SAFETY: the block came from the allocator, and nothing uses it any more.
            let _ = unsafe { self.allocator.free(self, address, COUNTERS) };
        }
        // SAFETY: nothing of the device is in use any more.
        unsafe {
            let _ = sys::cuStreamDestroy_v2(self.stream);
            let _ = sys::cuDevicePrimaryCtxRelease_v2(self.device);
        }
    }
}

/// # Safety
/// The driver is initialised and `device` is one of its devices.
unsafe fn properties(name: &str, device: CUdevice) -> Result<Properties, DeviceError> {
    let attribute = |attribute: Attribute| {
        let mut value = 0;
        // SAFETY: the caller's promise; the pointer is valid.
        let asked = unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, device) };
        check(name, "cuDeviceGetAttribute", asked).map(|()| value as u32)
    };
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    let shared = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
    let mut title = [0 as std::ffi::c_char; 128];
    let (mut memory, mut driver) = (0, 0);
    // SAFETY: the caller's promise; the pointers are valid and of the given lengths.
    unsafe {
        let asked = sys::cuDeviceGetName(title.as_mut_ptr(), title.len() as i32 - 1, device);
        check(name, "cuDeviceGetName", asked)?;
        check(name, "cuDeviceTotalMem", sys::cuDeviceTotalMem_v2(&raw mut memory, device))?;
        check(name, "cuDriverGetVersion", sys::cuDriverGetVersion(&raw mut driver))?;
    }
    // SAFETY: the last byte of the text is zero.
    let title = unsafe { CStr::from_ptr(title.as_ptr()) };
    Ok(Properties {
        name: title.to_string_lossy().into_owned(),
        capability: 10 * major + minor,
        multiprocessors,
        memory,
        shared_memory: shared as usize,
        driver: driver as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_capability(ordinal: usize, found: u32) -> Result<(), DeviceError> {
        new_enough(format!("cuda:{ordinal}"), found)
    }

    #[test]
    fn old_gpus_are_passed_over() {
        let of = |capabilities: &[u32]| {
            let gpus = capabilities.iter().enumerate();
            usable(gpus.map(|(ordinal, &found)| of_capability(ordinal, found)))
        };
        assert_eq!(of(&[75, 90, 80, 61]).ok(), Some(vec![1, 2]));
        assert_eq!(of(&[]).ok(), Some(Vec::new()));
        let old = of(&[75, 61]);
        assert!(matches!(old, Err(DeviceError::Capability { found: 75, .. })), "{old:?}");
    }

    #[test]
    fn a_gpu_that_fails_leaves_the_others() {
        let failed = |ordinal: usize| {
            let (name, text) = (String::from("CUDA_ERROR_OF_A_TEST"), String::new());
            let device = format!("cuda:{ordinal}");
            Err(DeviceError::Cuda { device, call: "cuDeviceGetAttribute", name, text })
        };
        let of = |gpus: [Result<(), DeviceError>; 2]| usable(gpus.into_iter());
        assert_eq!(of([failed(0), of_capability(1, 90)]).ok(), Some(vec![1]));
        assert_eq!(of([of_capability(0, 90), failed(1)]).ok(), Some(vec![0]));
        for second in [failed(1), of_capability(1, 75)] {
            let none = of([failed(0), second]);
            let first =
                matches!(&none, Err(DeviceError::Cuda { device, .. }) if device == "cuda:0");
            assert!(first, "{none:?}");
        }
    }
}
