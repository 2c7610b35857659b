//! GPUs for `phalanx.cuda`: the devices, streams and events besides our own work, pinned memory,
//! and marks for profilers.

use crate::interpreter::errors::{refused, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::objects::device_shard::DeviceShard;
use crate::session;
use crate::session::gpus::{GPUS, failed, on_device, stream_of};
use crate::session::host_calls::{await_calls_of, call_after};
use phalanx::cuda::{self, CudaDevice, Device, DevicePointer, ForeignMemory, PinnedMemory};
use phalanx::waiting::aside;
use pyo3::exceptions::{PyBufferError, PyMemoryError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::c_int;
use std::sync::Arc;

/// The CUDA ordinal, the name and the compute capability of each GPU of this process; empty on
/// CPUs.
#[pyfunction(name = "_gpus")]
pub fn gpus(py: Python<'_>) -> PyResult<Vec<(usize, String, u32)>> {
    session::ensure(py)?;
    let known = |gpu: &Arc<CudaDevice>| {
        let properties = gpu.properties();
        (gpu.ordinal(), properties.name.clone(), properties.capability)
    };
    Ok(GPUS.all().iter().map(known).collect())
}

/// The number of GPUs of the session, or of a session that started now. The call starts no session.
#[pyfunction(name = "_gpu_count")]
pub fn gpu_count(py: Python<'_>) -> PyResult<usize> {
    session::gpu_count(py)
}

/// The name of the devices of arrays. The call starts no session.
#[pyfunction(name = "_device_name")]
pub fn device_name(py: Python<'_>) -> PyResult<&'static str> {
    session::device_name(py)
}

/// The number of devices of any kind of the session, or of a session that started now.
#[pyfunction(name = "_device_count")]
pub fn device_count(py: Python<'_>) -> PyResult<usize> {
    session::device_count(py)
}

/// The attributes of a GPU by CUDA's names for them.
#[pyfunction(name = "_gpu_attributes")]
pub fn gpu_attributes<'py>(py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyDict>> {
    let attributes = PyDict::new(py);
    for (name, value) in on_device(number)?.attributes() {
        attributes.set_item(name, value)?;
    }
    Ok(attributes)
}

/// Whether a device of this process can access the memory of another one; always true on CPUs.
#[pyfunction(name = "_can_reach")]
pub fn can_reach(number: usize, other: usize) -> PyResult<bool> {
    if GPUS.is_empty() {
        return Ok(true);
    }
    Ok(on_device(number)?.reach(on_device(other)?.ordinal()))
}

/// The free and the total bytes of a GPU's memory.
#[pyfunction(name = "_gpu_memory")]
pub fn gpu_memory(number: usize) -> PyResult<(usize, usize)> {
    on_device(number)?.memory_info().map_err(|error| failed(&error))
}

/// The version of CUDA that the driver supports, 13000 for 13.0; 0 without GPUs.
#[pyfunction(name = "_driver_version")]
pub fn driver_version() -> u32 {
    GPUS.all().first().map_or(0, |gpu| gpu.properties().driver)
}

/// Waits for all work of the process on a GPU, including that of other libraries.
#[pyfunction(name = "_synchronize_gpu")]
pub fn synchronize_gpu(number: usize) -> PyResult<()> {
    let gpu = on_device(number)?;
    aside(|| gpu.synchronize_all()).map_err(|error| failed(&error))
}

/// Frees the memory that GPUs cache.
#[pyfunction(name = "_release_cached")]
pub fn release_cached() {
    aside(|| GPUS.all().iter().for_each(|gpu| gpu.release_cached()));
}

/// Sets the memory limit of each GPU of this process, in bytes; None for no limit.
#[pyfunction(name = "_set_memory_limit")]
#[pyo3(signature = (limits))]
pub fn set_memory_limit(limits: Vec<Option<usize>>) {
    GPUS.all().iter().zip(limits).for_each(|(gpu, limit)| gpu.set_memory_limit(limit));
}

/// Starts or stops recording by CUDA's profilers.
#[pyfunction(name = "_profile")]
pub fn profile(looks: bool) -> PyResult<()> {
    match GPUS.all().first() {
        Some(gpu) => cuda::profile(looks, gpu.context()).map_err(|error| failed(&error)),
        None => Ok(()),
    }
}

/// Starts a named NVTX range on this thread; does nothing without GPUs or NVTX.
#[pyfunction(name = "_push_range")]
pub fn push_range(name: &str) {
    if let Some(gpu) = GPUS.all().first() {
        cuda::push_range(name, gpu.options());
    }
}

/// Ends the NVTX range that this thread started last.
#[pyfunction(name = "_pop_range")]
pub fn pop_range() {
    if let Some(gpu) = GPUS.all().first() {
        cuda::pop_range(gpu.options());
    }
}

/// Sets a named NVTX mark.
#[pyfunction(name = "_mark")]
pub fn mark(name: &str) {
    if let Some(gpu) = GPUS.all().first() {
        cuda::mark(name, gpu.options());
    }
}

/// A stream on a GPU: a new one, the stream of our own work, or another library's stream by its
/// handle.
#[pyclass(name = "_Stream", module = "phalanx", frozen)]
pub struct Stream {
    stream: cuda::Stream,
}

#[pymethods]
impl Stream {
    #[new]
    #[pyo3(signature = (device, non_blocking=false, priority=None))]
    fn new(device: usize, non_blocking: bool, priority: Option<i32>) -> PyResult<Stream> {
        let stream = cuda::Stream::new(on_device(device)?.context(), non_blocking, priority);
        Ok(Stream { stream: stream.map_err(|error| failed(&error))? })
    }

    #[staticmethod]
    fn of_work(device: usize) -> PyResult<Stream> {
        Ok(Stream { stream: cuda::Stream::of_work(on_device(device)?.context()) })
    }

    #[staticmethod]
    fn external(device: usize, handle: i64) -> PyResult<Stream> {
        Ok(Stream { stream: stream_of(&on_device(device)?, handle)? })
    }

    #[getter]
    fn ptr(&self) -> usize {
        self.stream.handle()
    }

    /// The number of its device in this process.
    #[getter]
    fn device(&self) -> Option<usize> {
        GPUS.all().iter().position(|gpu| Arc::ptr_eq(gpu.context(), self.stream.context()))
    }

    fn is_done(&self) -> PyResult<bool> {
        self.stream.is_done().map_err(|error| failed(&error))
    }

    fn synchronize(&self) -> PyResult<()> {
        aside(|| self.stream.synchronize()).map_err(|error| failed(&error))
    }

    /// Lets the host call a function of Python once the work in the stream is done.
    fn call_host(&self, function: Py<PyAny>, arguments: Py<PyTuple>) -> PyResult<()> {
        call_after(&self.stream, function, arguments)
    }

    /// Waits until the functions that the stream was asked to call have returned.
    fn await_calls(&self) -> PyResult<()> {
        await_calls_of(&self.stream)
    }

    fn wait_event(&self, event: &Event) -> PyResult<()> {
        self.stream.wait_event(&event.event).map_err(|error| failed(&error))
    }

    /// Orders the work in the stream before all later work of our devices.
    fn precede(&self) -> PyResult<()> {
        let gpus = GPUS.all();
        gpus.iter()
            .try_for_each(|gpu| self.stream.precede(gpu.context()))
            .map_err(|error| failed(&error))
    }

    /// Orders the work that our devices have received before all later work in the stream.
    fn follow(&self) -> PyResult<()> {
        let gpus = GPUS.all();
        gpus.iter()
            .try_for_each(|gpu| self.stream.follow(gpu.context()))
            .map_err(|error| failed(&error))
    }
}

/// A point in a stream.
#[pyclass(name = "_Event", module = "phalanx", frozen)]
pub struct Event {
    event: cuda::Event,
}

#[pymethods]
impl Event {
    #[new]
    fn new(device: usize, is_timed: bool, is_blocking: bool) -> PyResult<Event> {
        let event = cuda::Event::new(on_device(device)?.context(), is_timed, is_blocking);
        Ok(Event { event: event.map_err(|error| failed(&error))? })
    }

    #[getter]
    fn ptr(&self) -> usize {
        self.event.handle()
    }

    fn record(&self, stream: &Stream) -> PyResult<()> {
        self.event.record(&stream.stream).map_err(|error| failed(&error))
    }

    fn synchronize(&self) -> PyResult<()> {
        aside(|| self.event.synchronize()).map_err(|error| failed(&error))
    }

    fn is_done(&self) -> PyResult<bool> {
        self.event.is_done().map_err(|error| failed(&error))
    }

    fn elapsed_since(&self, start: &Event) -> PyResult<f32> {
        self.event.elapsed_since(&start.event).map_err(|error| failed(&error))
    }
}

/// Pinned memory of the host, which GPUs access directly, as a writable buffer.
#[pyclass(name = "_PinnedBuffer", module = "phalanx", frozen)]
pub struct PinnedBuffer {
    memory: PinnedMemory,
}

#[pymethods]
impl PinnedBuffer {
    #[new]
    fn new(device: usize, length: usize) -> PyResult<PinnedBuffer> {
        let memory = on_device(device)?.pinned_memory(length);
        Ok(PinnedBuffer { memory: memory.map_err(|error| failed(&error))? })
    }

    #[getter]
    fn ptr(&self) -> usize {
        self.memory.as_ptr() as usize
    }

    /// The owner of the bytes.
    #[getter]
    fn mem(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// The number of bytes.
    fn size(&self) -> usize {
        self.memory.len()
    }

    fn __len__(&self) -> usize {
        self.memory.len()
    }

    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let memory = &slf.get().memory;
        let length = isize::try_from(memory.len());
        let length = length
            .map_err(|_| refused::<PyBufferError>(Mistake::Export, "the buffer is too long"))?;
        // SAFETY: the interpreter gives a view to fill; the bytes live as long as `slf`, of which
        // the view takes a reference.
        let filled = unsafe {
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), memory.as_ptr().cast(), length, 0, flags)
        };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}

/// Memory of a GPU that the program allocated for itself.
#[pyclass(name = "_DeviceBytes", module = "phalanx", frozen)]
pub struct DeviceBytes {
    /// The program may use the memory in any stream. Dropped before the memory.
    _reader: cuda::Reader,
    buffer: cuda::Buffer,
    number: usize,
}

impl DeviceBytes {
    fn check(&self, size: usize) -> PyResult<()> {
        if size <= self.buffer.len() {
            Ok(())
        } else {
            Err(value_error(Mistake::Value, format!("{size} bytes of {}", self.buffer.len())))
        }
    }
}

#[pymethods]
impl DeviceBytes {
    #[new]
    fn new(device: usize, length: usize) -> PyResult<DeviceBytes> {
        let gpu = on_device(device)?;
        let buffer = cuda::allocate(&gpu, length).map_err(|error| match error.code() {
            "PX050" => PyMemoryError::new_err(format!("{error} [PX050]")),
            _ => failed(&error),
        })?;
        let _reader = cuda::Reader::new(gpu.context(), None);
        Ok(DeviceBytes { _reader, buffer, number: device })
    }

    /// Memory that is not ours and lasts as long as the process: a variable of a loaded program.
    #[staticmethod]
    fn at(device: usize, address: u64, length: usize) -> PyResult<DeviceBytes> {
        let gpu = on_device(device)?;
        let (name, first) = (gpu.name().to_string(), DevicePointer::from_address(address));
        // SAFETY: programs stay loaded for the life of the process, and a program of a user may
        // read and write its variables.
        let memory =
            unsafe { ForeignMemory::new(name, first, &[length], &[1], 1, false, Arc::new(())) };
        let Some(buffer) = gpu.clone().adopt(&memory, 0..length) else {
            unreachable!("bug: memory of a GPU is another's")
        };
        let _reader = cuda::Reader::new(gpu.context(), None);
        Ok(DeviceBytes { _reader, buffer, number: device })
    }

    #[getter]
    fn ptr(&self) -> usize {
        self.buffer.as_ptr() as usize
    }

    #[getter]
    fn device_id(&self) -> usize {
        self.number
    }

    #[getter]
    fn mem(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn size(&self) -> usize {
        self.buffer.len()
    }

    fn __len__(&self) -> usize {
        self.buffer.len()
    }

    /// Copies from an address of the host.
    fn copy_from_host(&self, mem: &Bound<'_, PyAny>, size: usize) -> PyResult<()> {
        self.check(size)?;
        let _kept = cuda::keep_context();
        let start = address(mem)? as *const u8;
        if size > 0 {
            // SAFETY: the program promises that so many bytes can be read there, as programs for
            // CuPy do.
            self.buffer.write(0, unsafe { std::slice::from_raw_parts(start, size) });
        }
        Ok(())
    }

    /// Copies to an address of the host.
    fn copy_to_host(&self, mem: &Bound<'_, PyAny>, size: usize) -> PyResult<()> {
        self.check(size)?;
        let _kept = cuda::keep_context();
        let start = address(mem)? as *mut u8;
        if size > 0 {
            // SAFETY: the program promises that so many bytes can be written there.
            self.buffer.read(0, unsafe { std::slice::from_raw_parts_mut(start, size) });
        }
        Ok(())
    }

    /// Sets the first bytes.
    fn memset(&self, value: u8, size: usize) -> PyResult<()> {
        self.check(size)?;
        let _kept = cuda::keep_context();
        self.buffer.write(0, &vec![value; size]);
        Ok(())
    }
}

/// An address: a number, or a pointer of ctypes.
fn address(mem: &Bound<'_, PyAny>) -> PyResult<usize> {
    match mem.getattr_opt("value")? {
        Some(value) => value.extract(),
        None => mem.extract(),
    }
}

/// The number of pinned blocks that GPUs cache.
#[pyfunction(name = "_free_pinned_blocks")]
pub fn free_pinned_blocks() -> usize {
    GPUS.all().iter().map(|gpu| gpu.free_pinned_blocks()).sum()
}

/// Frees the pinned memory that GPUs cache.
#[pyfunction(name = "_release_pinned")]
pub fn release_pinned() {
    aside(|| GPUS.all().iter().for_each(|gpu| gpu.release_pinned()));
}

/// Adds these classes and functions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Stream>()?;
    module.add_class::<Event>()?;
    module.add_class::<PinnedBuffer>()?;
    module.add_class::<DeviceBytes>()?;
    module.add_class::<DeviceShard>()?;
    module.add_function(wrap_pyfunction!(gpus, module)?)?;
    module.add_function(wrap_pyfunction!(gpu_count, module)?)?;
    module.add_function(wrap_pyfunction!(device_name, module)?)?;
    module.add_function(wrap_pyfunction!(device_count, module)?)?;
    module.add_function(wrap_pyfunction!(gpu_attributes, module)?)?;
    module.add_function(wrap_pyfunction!(can_reach, module)?)?;
    module.add_function(wrap_pyfunction!(gpu_memory, module)?)?;
    module.add_function(wrap_pyfunction!(driver_version, module)?)?;
    module.add_function(wrap_pyfunction!(synchronize_gpu, module)?)?;
    module.add_function(wrap_pyfunction!(release_cached, module)?)?;
    module.add_function(wrap_pyfunction!(set_memory_limit, module)?)?;
    module.add_function(wrap_pyfunction!(profile, module)?)?;
    module.add_function(wrap_pyfunction!(push_range, module)?)?;
    module.add_function(wrap_pyfunction!(pop_range, module)?)?;
    module.add_function(wrap_pyfunction!(mark, module)?)?;
    module.add_function(wrap_pyfunction!(free_pinned_blocks, module)?)?;
    module.add_function(wrap_pyfunction!(release_pinned, module)?)
}
