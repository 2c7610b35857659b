//! Elements of other libraries on GPUs of the session, which are read in place.

use super::dlpack::{CUDA, CUDA_MANAGED, read};
use super::dtypes;
use crate::interpreter::errors::{is_of, refused, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::objects::device_shard::{DeviceShard, one_order};
use crate::session::gpus::{GPUS, failed, stream_of};
use phalanx::cuda::{CudaDevice, DevicePointer, ForeignMemory, Stream};
use phalanx::{DType, LocalShard, MemoryOrder, ShardBytes, strides_without_gaps};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::any::Any;
use std::sync::Arc;

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
    options.set_item("stream", Stream::of_work(device.context()).handle())?;
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
        None => strides_without_gaps(&shape, dtype.size(), MemoryOrder::C),
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
        _ => CudaDevice::ordinal_of(DevicePointer::from_address(address))
            .and_then(|ordinal| GPUS.of_ordinal(ordinal)),
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
        stream.precede(device.context()).map_err(|error| failed(&error))?;
    }
    let owner: Arc<dyn Any + Send + Sync> = Arc::new(object.clone().unbind());
    // SAFETY: the object keeps the elements alive, and its stream is ordered before our work. For
    // writes, see `by_dlpack`.
    Ok(Some(unsafe { lent(&device, address, dtype, shape, &strides, is_lasting, owner) }))
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
    let pointer = DevicePointer::from_address(address);
    // SAFETY: the caller's promise.
    let memory =
        unsafe { ForeignMemory::new(name, pointer, &shape, strides, item, is_lasting, owner) };
    let length = shape.iter().product::<usize>() * item;
    LocalShard { dtype, shape, bytes: ShardBytes::OfDevice { length, memory: Arc::new(memory) } }
}
