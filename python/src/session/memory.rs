//! Where the memory of GPUs comes from: allocators of the driver or of the program, reports of
//! memory blocks, and the pools of GPUs for other libraries.

use super::gpus::{GPUS, failed, on_device, stream_of};
use crate::interpreter::errors::value_error;
use crate::interpreter::mistakes::Mistake;
use phalanx::cuda::observer::{MemoryEvent, MemoryObserver, Stage, observe_memory};
use phalanx::cuda::{
    Allocator, AsyncMemory, Buffer, Context, DeviceError, DeviceMemory, DevicePointer,
    ManagedMemory,
};
use phalanx::waiting::{aside, lock};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

thread_local! {
    /// The number of functions that allocate or free memory on this thread.
    static ALLOCATING: Cell<usize> = const { Cell::new(0) };
}

/// Whether the thread is in a function that allocates or frees memory for operations.
pub fn is_allocating() -> bool {
    ALLOCATING.get() > 0
}

/// Counts a function that allocates or frees memory, until it is dropped.
struct Allocating;

impl Allocating {
    fn begin() -> Allocating {
        ALLOCATING.set(ALLOCATING.get() + 1);
        Allocating
    }
}

impl Drop for Allocating {
    fn drop(&mut self) {
        ALLOCATING.set(ALLOCATING.get() - 1);
    }
}

/// Calls a function that frees memory of operations: it does not wait for operations.
#[pyfunction(name = "_while_freeing")]
#[pyo3(signature = (function, *arguments))]
pub fn while_freeing<'py>(
    function: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let _allocating = Allocating::begin();
    function.call1(arguments)
}

/// An allocator of the program: a function of Python.
struct Called {
    /// Called with the bytes and the number of the device; returns an address and its owner.
    allocate: Py<PyAny>,
    number: usize,
    /// The owners of the memory blocks, by their addresses.
    owners: Mutex<HashMap<u64, Py<PyAny>>>,
}

/// The alignment of memory blocks that kernels rely on.
const ALIGNMENT: u64 = 256;

impl Called {
    fn call(&self, py: Python<'_>, bytes: usize) -> PyResult<DevicePointer> {
        let _allocating = Allocating::begin();
        let given = self.allocate.call1(py, (bytes, self.number))?;
        let (address, owner): (u64, Py<PyAny>) = given.extract(py)?;
        if address == 0 || !address.is_multiple_of(ALIGNMENT) {
            return Err(value_error(
                Mistake::Value,
                format!("an allocator returned {address:#x}, which is no multiple of {ALIGNMENT}"),
            ));
        }
        lock(&self.owners).insert(address, owner);
        Ok(DevicePointer::from_address(address))
    }
}

impl Allocator for Called {
    fn allocate(
        &self,
        _context: &Context,
        bytes: usize,
    ) -> Result<Option<DevicePointer>, DeviceError> {
        // The function may change the thread's context.
        let kept = phalanx::cuda::keep_context();
        let given = Python::try_attach(|py| match self.call(py, bytes) {
            Ok(address) => Some(address),
            Err(error) => {
                // The operation raises its own error, that there is too little memory.
                if !error.is_instance_of::<PyMemoryError>(py) {
                    error.write_unraisable(py, Some(self.allocate.bind(py)));
                }
                None
            }
        });
        drop(kept);
        Ok(given.flatten())
    }

    unsafe fn free(
        &self,
        _context: &Context,
        address: DevicePointer,
        _bytes: usize,
    ) -> Result<(), DeviceError> {
        // Without the interpreter, the owner is dropped when it is attached next: a thread that
        // frees memory does not wait for it.
        let owner = lock(&self.owners).remove(&address.address());
        drop(owner);
        Ok(())
    }
}

/// Lets the GPUs take new memory blocks from another allocator, once all recorded operations have
/// run: "device" for memory of the GPU, "managed", "async", or a function of the bytes and the
/// number of the device. `caches` is whether the pools cache freed memory blocks.
#[pyfunction(name = "_set_allocator")]
pub fn set_allocator(allocator: &Bound<'_, PyAny>, caches: bool) -> PyResult<()> {
    let kind: Option<String> = allocator.extract().ok();
    for (number, gpu) in GPUS.all().iter().enumerate() {
        let new: Box<dyn Allocator> = match kind.as_deref() {
            Some("device") => Box::new(DeviceMemory),
            Some("managed") => Box::new(ManagedMemory),
            Some("async") => Box::new(AsyncMemory),
            Some(other) => {
                return Err(value_error(Mistake::Value, format!("no allocator {other:?}")));
            }
            None => {
                let allocate = allocator.clone().unbind();
                Box::new(Called { allocate, number, owners: Mutex::default() })
            }
        };
        aside(|| gpu.set_allocator(new, caches));
    }
    Ok(())
}

/// Keeps the events until the program asks for them: hooks are functions of Python, which a thread
/// that allocates must not wait for.
struct Keeping(Mutex<Vec<MemoryEvent>>);

static KEPT: Mutex<Option<Arc<Keeping>>> = Mutex::new(None);

impl Keeping {
    /// The events, locked directly. A thread that observes may hold a device's lock, for which
    /// another thread waits with the interpreter, so it must not let the interpreter go and take it
    /// again. Nothing waits under this lock.
    fn events(&self) -> MutexGuard<'_, Vec<MemoryEvent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryObserver for Keeping {
    fn observe(&self, mut event: MemoryEvent) {
        let is_for_result = !matches!(event.stage, Stage::Free | Stage::Freed);
        if event.site.is_none() && is_for_result {
            event.site = line_of_call();
        }
        self.events().push(event);
    }
}

/// The line of Python whose call the thread is running: of an operation that runs when it is
/// recorded, or a copy from the host. `None` on the threads of devices.
fn line_of_call() -> Option<String> {
    // Outside of a call of Python, this is the line below.
    let site = phalanx::call_site();
    (site.file() != file!() && site.line() > 0).then(|| site.to_string())
}

/// Begins or ends keeping what happens to memory blocks.
#[pyfunction(name = "_observe_memory")]
pub fn observe(is_on: bool) {
    let observer = is_on.then(|| Arc::new(Keeping(Mutex::default())));
    *lock(&KEPT) = observer.clone();
    observe_memory(observer.map(|observer| observer as Arc<dyn MemoryObserver>));
}

/// An event: its stage, the device, the bytes asked for, those of the block, its address and the
/// call.
type Told = (&'static str, String, usize, usize, usize, Option<String>);

/// What has happened to memory blocks since the last call, in order.
#[pyfunction(name = "_memory_events")]
pub fn memory_events() -> Vec<Told> {
    let kept = lock(&KEPT).clone();
    let events = kept.map(|kept| std::mem::take(&mut *kept.events())).unwrap_or_default();
    let told = |event: MemoryEvent| {
        let stage = match event.stage {
            Stage::Allocate => "allocate",
            Stage::Allocated => "allocated",
            Stage::Take => "take",
            Stage::Taken => "taken",
            Stage::Free => "free",
            Stage::Freed => "freed",
        };
        (stage, event.device, event.bytes, event.size, event.address, event.site)
    };
    events.into_iter().map(told).collect()
}

/// The memory blocks that other libraries hold, by their addresses.
static LENT: Mutex<Option<HashMap<usize, Buffer>>> = Mutex::new(None);

fn lend(bytes: usize, ordinal: usize, stream: *mut c_void) -> PyResult<usize> {
    let gpu = GPUS.of_ordinal(ordinal);
    let gpu = gpu.ok_or_else(|| {
        value_error(Mistake::Value, format!("the session does not use the GPU {ordinal}"))
    })?;
    let kept = phalanx::cuda::keep_context();
    let buffer = phalanx::cuda::allocate(&gpu, bytes).map_err(|error| failed(&error))?;
    // Earlier work of our own may still use the memory.
    let follows = stream_of(&gpu, stream as i64)?.follow(gpu.context());
    follows.map_err(|error| failed(&error))?;
    drop(kept);
    let address = buffer.as_ptr() as usize;
    lock(&LENT).get_or_insert_default().insert(address, buffer);
    Ok(address)
}

/// Allocates from the pool of a GPU: the function of PyTorch's pluggable allocators. Returns null
/// if there is too little memory.
///
/// # Safety
/// The stream is one of the GPU with this ordinal, or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn phalanx_allocate(
    bytes: isize,
    ordinal: c_int,
    stream: *mut c_void,
) -> *mut c_void {
    let (Ok(bytes), Ok(ordinal)) = (usize::try_from(bytes), usize::try_from(ordinal)) else {
        return std::ptr::null_mut();
    };
    lend(bytes, ordinal, stream).unwrap_or(0) as *mut c_void
}

/// Takes back memory of `phalanx_allocate`, once the work in the stream is done with it.
///
/// # Safety
/// `phalanx_allocate` has returned the address, and nothing but work that is already in the stream
/// uses the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn phalanx_free(
    address: *mut c_void,
    _bytes: isize,
    ordinal: c_int,
    stream: *mut c_void,
) {
    let Some(buffer) = lock(&LENT).as_mut().and_then(|lent| lent.remove(&(address as usize)))
    else {
        return;
    };
    let kept = phalanx::cuda::keep_context();
    let gpu = usize::try_from(ordinal).ok().and_then(|ordinal| GPUS.of_ordinal(ordinal));
    if let Some(gpu) = gpu
        && let Ok(stream) = stream_of(&gpu, stream as i64)
    {
        // A failure stays with the device.
        let _ = stream.precede(gpu.context());
    }
    drop(buffer);
    drop(kept);
}

/// The bytes of a device's pool that other libraries hold.
#[pyfunction(name = "_lent_bytes")]
pub fn lent_bytes(number: usize) -> PyResult<usize> {
    let name = phalanx::cuda::Device::name(&*on_device(number)?);
    let lent = lock(&LENT);
    let of = lent.iter().flat_map(HashMap::values);
    let here =
        of.filter(|buffer| buffer.remote().is_some_and(|remote| remote.device().name() == name));
    Ok(here.map(Buffer::len).sum())
}

/// A number of the present session among those of the process.
#[pyfunction(name = "_session_number")]
pub fn session_number() -> usize {
    super::number()
}

/// Adds these functions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(session_number, module)?)?;
    module.add_function(wrap_pyfunction!(while_freeing, module)?)?;
    module.add_function(wrap_pyfunction!(set_allocator, module)?)?;
    module.add_function(wrap_pyfunction!(observe, module)?)?;
    module.add_function(wrap_pyfunction!(memory_events, module)?)?;
    module.add_function(wrap_pyfunction!(lent_bytes, module)?)
}
