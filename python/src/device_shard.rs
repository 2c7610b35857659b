//! The part of an array on a GPU, as an object that other libraries read in place.

use crate::convert::{to_host_array, to_numpy};
use crate::dlpack::{CUDA, CUDA_MANAGED, Export, read};
use crate::dtypes;
use crate::errors::{is_of, refused, type_error, value_error};
use crate::gpu::{GPUS, failed, on_device, stream_of};
use crate::mistakes::Mistake;
use crate::spelling::in_numpy;
use phalanx::cuda::{self, CudaDevice, Device, ForeignMemory, Reader, Stream};
use phalanx::waiting::aside;
use phalanx::{DType, HostArray, LocalShard, ShardBytes, ShardMemory};
use pyo3::exceptions::{PyAttributeError, PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Elements of an array in the memory of a GPU, in C order.
///
/// Libraries that support DLPack or the CUDA Array Interface read them without a copy. Later
/// changes of the array do not change them. Write them only inside a block
/// ``with x.local_view() as shards:``.
#[pyclass(name = "DeviceShard", module = "phalanx", frozen, weakref)]
pub struct DeviceShard {
    device: Arc<CudaDevice>,
    /// The number of the device in this process.
    number: usize,
    dtype: DType,
    /// The reader by the CUDA Array Interface, whose stream is unknown. Dropped before the memory.
    reader: OnceLock<Reader>,
    memory: ShardMemory,
    is_read_only: AtomicBool,
}

impl DeviceShard {
    /// The memory of a shard on a device of this process.
    pub fn new(
        number: usize,
        memory: ShardMemory,
        dtype: DType,
        is_read_only: bool,
    ) -> PyResult<DeviceShard> {
        let (device, reader) = (on_device(number)?, OnceLock::new());
        let is_read_only = AtomicBool::new(is_read_only);
        Ok(DeviceShard { device, number, dtype, reader, memory, is_read_only })
    }

    fn is_read_only(&self) -> bool {
        self.is_read_only.load(Ordering::Relaxed)
    }

    fn strides(&self) -> Vec<usize> {
        let mut strides = vec![self.dtype.size(); self.memory.shape.len()];
        for axis in (1..strides.len()).rev() {
            strides[axis - 1] = strides[axis] * self.memory.shape[axis];
        }
        strides
    }

    /// The memory in the form in which another array, or this one again, receives it.
    fn lent(&self, is_lasting: bool) -> ForeignMemory {
        let strides: Vec<isize> = self.strides().iter().map(|&stride| stride as isize).collect();
        one_order(&self.device);
        let (name, address) = (self.memory.device.clone(), self.memory.address as u64);
        let owner = Arc::new(self.memory.clone());
        let (shape, item) = (&self.memory.shape, self.dtype.size());
        // SAFETY: the owner keeps the memory alive. The end of the block that lends the memory for
        // writing waits for the writers.
        unsafe { ForeignMemory::new(name, address, shape, &strides, item, is_lasting, owner) }
    }

    /// The elements as a part of an array, which reads them in place if they last, and else copies
    /// them.
    pub fn shard(&self, is_lasting: bool) -> LocalShard {
        let shape = self.memory.shape.clone();
        let length = shape.iter().product::<usize>() * self.dtype.size();
        let memory = Arc::new(self.lent(is_lasting));
        LocalShard { dtype: self.dtype, shape, bytes: ShardBytes::OfDevice { length, memory } }
    }
}

/// The data that a capsule keeps alive. The reader is dropped before the memory.
struct Lent {
    _reader: Reader,
    _memory: ShardMemory,
}

#[pymethods]
impl DeviceShard {
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.memory.shape)
    }

    #[getter(strides)]
    fn byte_strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.strides())
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.memory.shape.len()
    }

    #[getter]
    fn size(&self) -> usize {
        self.memory.shape.iter().product()
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.size() * self.dtype.size()
    }

    #[getter]
    fn itemsize(&self) -> usize {
        self.dtype.size()
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtypes::to_python(py, self.dtype)
    }

    /// The number of the device in this process.
    #[getter]
    fn device(&self) -> usize {
        self.number
    }

    /// The address of the first element on the device.
    #[getter]
    fn ptr(&self) -> usize {
        self.memory.address
    }

    /// The elements as an array of NumPy.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     A copy on the host.
    ///
    /// Raises
    /// ------
    /// RuntimeError
    ///     Work on the GPU has failed.
    ///
    /// Notes
    /// -----
    /// Local.
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (memory, device) = (self.lent(true), &self.device);
        let bytes = aside(|| cuda::to_host(device, &memory)).map_err(|error| failed(&error))?;
        let shape = self.memory.shape.clone();
        to_numpy(py, HostArray { dtype: self.dtype, shape, bytes })
    }

    /// Writes the elements of a NumPy array into a shard that may be written: one of a block
    /// ``with x.local_view() as shards:``, or a copy.
    ///
    /// Parameters
    /// ----------
    /// arr : array_like
    ///     The elements, in the shape of the shard.
    ///
    /// Returns
    /// -------
    /// None
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     PX144: the shard is read-only, or the shape differs.
    ///
    /// Notes
    /// -----
    /// Local.
    fn set(&self, arr: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.is_read_only() {
            return Err(value_error(
                Mistake::Value,
                "the elements are read-only: write in a block `with x.local_view() as shards`",
            ));
        }
        let host = to_host_array(arr, Some(self.dtype))?;
        if host.shape != self.memory.shape {
            let (own, given) = (&self.memory.shape, &host.shape);
            return Err(value_error(
                Mistake::Value,
                in_numpy(&format!("the shape is {own:?}, not {given:?}")),
            ));
        }
        let (memory, device) = (self.lent(true), &self.device);
        let written = aside(|| cuda::from_host(device, &memory, &host.bytes));
        written.map_err(|error| failed(&error))
    }

    /// The elements as a NumPy array, for NumPy's conversion.
    #[pyo3(signature = (dtype=None, *, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(value_error(
                Mistake::Export,
                "the elements reside on a GPU: NumPy needs a copy",
            ));
        }
        let made = self.get(py)?;
        match dtype {
            Some(dtype) if !dtype.is_none() => made.call_method1("astype", (dtype,)),
            _ => Ok(made),
        }
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.memory.shape.first().copied();
        first.ok_or_else(|| type_error(Mistake::Type, "len() of unsized object"))
    }

    fn __repr__(&self) -> String {
        let (name, shape, dtype) = (&self.memory.device, &self.memory.shape, self.dtype.name());
        format!("<DeviceShard {dtype}{shape:?} on {name}>")
    }

    #[getter(__cuda_array_interface__)]
    fn interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if self.dtype == DType::BF16 {
            return Err(PyAttributeError::new_err(
                "the CUDA Array Interface has no bfloat16: use __dlpack__",
            ));
        }
        self.reader.get_or_init(|| Reader::new(&self.device, None));
        let interface = PyDict::new(py);
        let address = if self.size() == 0 { 0 } else { self.memory.address };
        interface.set_item("shape", self.shape(py)?)?;
        interface.set_item("typestr", self.dtype(py)?.getattr("str")?)?;
        interface.set_item("data", (address, self.is_read_only()))?;
        interface.set_item("strides", py.None())?;
        interface.set_item("version", 3)?;
        interface.set_item("stream", Stream::of_work(&self.device).handle())?;
        Ok(interface)
    }

    fn __dlpack_device__(&self) -> (i32, usize) {
        (CUDA, self.device.ordinal())
    }

    /// The elements for another library. A read-only shard is marked as read-only; a library older
    /// than DLPack 1.0, which does not support the mark, gets a copy on the same GPU.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__(
        slf: &Bound<'_, Self>,
        stream: Option<&Bound<'_, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Py<PyAny>> {
        let (py, own) = (slf.py(), slf.get());
        match dl_device {
            Some((1, 0)) if copy == Some(false) => {
                return Err(refused::<PyBufferError>(
                    Mistake::Export,
                    "the elements reside on a GPU: the host needs a copy",
                ));
            }
            Some((1, 0)) => {
                let options = PyDict::new(py);
                if let Some(version) = max_version {
                    options.set_item("max_version", version)?;
                }
                let host = own.get(py)?;
                return Ok(host.call_method("__dlpack__", (), Some(&options))?.unbind());
            }
            Some(place) if place != (CUDA, own.device.ordinal() as i32) => {
                return Err(refused::<PyBufferError>(
                    Mistake::Export,
                    format!(
                        "the elements reside on device (2, {}), not on {place:?}",
                        own.device.ordinal()
                    ),
                ));
            }
            _ => {}
        }
        let is_versioned = max_version.is_some_and(|(major, _)| major >= 1);
        let must_copy = own.is_read_only() && !is_versioned;
        if copy == Some(false) && must_copy {
            return Err(refused::<PyBufferError>(
                Mistake::Export,
                "this version of DLPack cannot mark elements as read-only: request a copy, or \
                 write in a block `with x.local_view() as shards`",
            ));
        }
        let is_copied = copy == Some(true) || must_copy;
        let memory = if is_copied { own.copied()?.memory.clone() } else { own.memory.clone() };
        // The stream of the other library; with -1 the library orders its work itself.
        let number: Option<i64> = match stream.filter(|stream| !stream.is_none()) {
            Some(stream) => Some(stream.extract()?),
            None => None,
        };
        let stream = match number {
            Some(-1) => None,
            Some(0) => {
                return Err(value_error(
                    Mistake::Value,
                    "stream=0 is ambiguous: 1 is CUDA's default, 2 per thread",
                ));
            }
            number => Some(stream_of(&own.device, number.unwrap_or(1))?),
        };
        if let Some(stream) = &stream {
            stream.follow(&own.device).map_err(|error| failed(&error))?;
        }
        let (address, shape) = (memory.address, memory.shape.clone());
        let _reader = Reader::new(&own.device, stream);
        let export = Export {
            address,
            ordinal: own.device.ordinal(),
            dtype: own.dtype,
            shape: &shape,
            owner: Box::new(Lent { _reader, _memory: memory }),
            is_read_only: own.is_read_only() && !is_copied,
            is_copied,
        };
        export.capsule(py, is_versioned)
    }

    /// A copy on the same device, which may be written.
    ///
    /// Returns
    /// -------
    /// DeviceShard
    ///     Of the same shape and dtype.
    ///
    /// Raises
    /// ------
    /// RuntimeError
    ///     The GPU has too little memory.
    ///
    /// Notes
    /// -----
    /// Local.
    #[pyo3(name = "copy")]
    fn copied(&self) -> PyResult<DeviceShard> {
        let copied = cuda::duplicate(&self.device, &self.lent(true));
        let (address, owner) = copied.map_err(|error| failed(&error))?;
        let memory = ShardMemory { address, owner, ..self.memory.clone() };
        DeviceShard::new(self.number, memory, self.dtype, false)
    }

    /// Makes the elements read-only, and waits for all work that may have written them.
    fn _settle(&self) -> PyResult<()> {
        self.is_read_only.store(true, Ordering::Relaxed);
        aside(|| self.device.synchronize_all()).map_err(|error| failed(&error))
    }
}

/// The elements of another library on a GPU of the session, as a part of an array; `None` for any
/// other object. Elements that do not last are copied.
pub fn foreign(object: &Bound<'_, PyAny>, is_lasting: bool) -> PyResult<Option<LocalShard>> {
    if let Ok(shard) = object.cast::<DeviceShard>() {
        return Ok(Some(shard.get().shard(is_lasting)));
    }
    if GPUS.is_empty() {
        return Ok(None);
    }
    match object.hasattr("__dlpack_device__")? {
        true => by_dlpack(object, is_lasting),
        false if object.hasattr("__cuda_array_interface__")? => by_interface(object, is_lasting),
        false => Ok(None),
    }
}

/// As `foreign`, for an object that exports by DLPack.
fn by_dlpack(object: &Bound<'_, PyAny>, is_lasting: bool) -> PyResult<Option<LocalShard>> {
    let py = object.py();
    let (kind, number): (i32, i32) = object.call_method0("__dlpack_device__")?.extract()?;
    if !matches!(kind, CUDA | CUDA_MANAGED) {
        return Ok(None);
    }
    let Some(device) = GPUS.of_ordinal(number as usize) else { return Ok(None) };
    // Our work on the elements is ordered after the other library's work.
    let options = PyDict::new(py);
    options.set_item("stream", Stream::of_work(&device).handle())?;
    let newest = options.copy()?;
    newest.set_item("max_version", (1, 0))?;
    let capsule = match object.call_method("__dlpack__", (), Some(&newest)) {
        // Libraries older than DLPack 1.0 do not have the argument.
        Err(error) if is_of::<PyTypeError>(py, &error) => {
            object.call_method("__dlpack__", (), Some(&options))?
        }
        capsule => capsule?,
    };
    let found = read(&capsule, (kind, number))?;
    let owner: Arc<dyn Any + Send + Sync> = Arc::new(capsule.unbind());
    // SAFETY: the capsule keeps the elements alive, and the other library has ordered its work
    // before ours. The functions require that the program does not write the elements while an
    // array reads them.
    Ok(Some(unsafe {
        lent(&device, found.address, found.dtype, found.shape, &found.strides, is_lasting, owner)
    }))
}

/// As `foreign`, for an object with the CUDA Array Interface.
fn by_interface(object: &Bound<'_, PyAny>, is_lasting: bool) -> PyResult<Option<LocalShard>> {
    let py = object.py();
    let interface = object.getattr("__cuda_array_interface__")?;
    let interface = interface
        .cast::<PyDict>()
        .map_err(|_| type_error(Mistake::Type, "__cuda_array_interface__ is not a dictionary"))?;
    let entry = |name: &str| -> PyResult<Bound<'_, PyAny>> {
        interface.get_item(name)?.ok_or_else(|| {
            value_error(Mistake::Value, format!("__cuda_array_interface__ has no {name}"))
        })
    };
    let given = |name: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
        Ok(interface.get_item(name)?.filter(|entry| !entry.is_none()))
    };
    if given("mask")?.is_some() {
        return Err(refused::<PyBufferError>(Mistake::Export, "masked arrays are not accepted"));
    }
    let dtype =
        dtypes::from_python(&dtypes::numpy(py)?.getattr("dtype")?.call1((entry("typestr")?,))?)?;
    let shape: Vec<usize> = entry("shape")?.extract()?;
    let (address, _): (u64, bool) = entry("data")?.extract()?;
    let strides: Vec<isize> = match given("strides")? {
        Some(strides) => strides.extract()?,
        None => {
            let mut strides = vec![dtype.size() as isize; shape.len()];
            for axis in (1..shape.len()).rev() {
                strides[axis - 1] = strides[axis] * shape[axis] as isize;
            }
            strides
        }
    };
    if strides.len() != shape.len() {
        return Err(value_error(
            Mistake::Value,
            "__cuda_array_interface__ needs one stride for each axis",
        ));
    }
    let device = match address {
        // A null address has no elements, so any GPU will do.
        0 => GPUS.all().into_iter().next(),
        _ => CudaDevice::ordinal_of(address).and_then(|ordinal| GPUS.of_ordinal(ordinal)),
    };
    let Some(device) = device else { return Ok(None) };
    // Before version 3 the interface does not name a stream: the elements are in order with CUDA's
    // default stream.
    let version: u32 = entry("version")?.extract()?;
    let stream: Option<i64> = match (version, given("stream")?) {
        (_, Some(stream)) => Some(stream.extract()?),
        (0..3, None) => Some(1),
        (_, None) => None,
    };
    if let Some(stream) = stream {
        let stream = stream_of(&device, stream)?;
        stream.precede(&device).map_err(|error| failed(&error))?;
    }
    let owner: Arc<dyn Any + Send + Sync> = Arc::new(object.clone().unbind());
    // SAFETY: the object keeps the elements alive, and its stream is ordered before our work. For
    // writes, see `by_dlpack`.
    Ok(Some(unsafe { lent(&device, address, dtype, shape, &strides, is_lasting, owner) }))
}

/// Orders the work of a device before later work of the process's other devices on the same GPU.
/// Each device has a stream of its own, and it is not known here which device will read the memory.
fn one_order(device: &Arc<CudaDevice>) {
    let gpus = GPUS.all();
    let same = gpus.iter().filter(|gpu| gpu.ordinal() == device.ordinal());
    for other in same.filter(|other| !Arc::ptr_eq(other, device)) {
        if let Err(error) = Stream::of_work(device).precede(other) {
            other.fail(error);
        }
    }
}

/// # Safety
/// As `ForeignMemory::new`.
unsafe fn lent(
    device: &Arc<CudaDevice>,
    address: u64,
    dtype: DType,
    shape: Vec<usize>,
    strides: &[isize],
    is_lasting: bool,
    owner: Arc<dyn Any + Send + Sync>,
) -> LocalShard {
    one_order(device);
    let (name, item) = (format!("cuda:{}", device.ordinal()), dtype.size());
    // SAFETY: the caller's promise.
    let memory =
        unsafe { ForeignMemory::new(name, address, &shape, strides, item, is_lasting, owner) };
    let length = shape.iter().product::<usize>() * item;
    LocalShard { dtype, shape, bytes: ShardBytes::OfDevice { length, memory: Arc::new(memory) } }
}
