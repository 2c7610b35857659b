//! The methods of the part of an array on a GPU.

use crate::convert::dlpack::{CUDA, Export};
use crate::convert::dtypes;
use crate::convert::{to_host_array, to_numpy};
use crate::interpreter::errors::{refused, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::spelling::in_numpy;
use crate::objects::device_shard::DeviceShard;
use crate::session::gpus::{failed, stream_of};
use phalanx::cuda::{self, Reader, Stream};
use phalanx::waiting::aside;
use phalanx::{DType, HostArray, ShardMemory};
use pyo3::exceptions::{PyAttributeError, PyBufferError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::atomic::Ordering;

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
        self.reader.get_or_init(|| Reader::new(self.device.context(), None));
        let interface = PyDict::new(py);
        let address = if self.size() == 0 { 0 } else { self.memory.address };
        interface.set_item("shape", self.shape(py)?)?;
        interface.set_item("typestr", self.dtype(py)?.getattr("str")?)?;
        interface.set_item("data", (address, self.is_read_only()))?;
        interface.set_item("strides", py.None())?;
        interface.set_item("version", 3)?;
        interface.set_item("stream", Stream::of_work(self.device.context()).handle())?;
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
            stream.follow(own.device.context()).map_err(|error| failed(&error))?;
        }
        let (address, shape) = (memory.address, memory.shape.clone());
        let _reader = Reader::new(own.device.context(), stream);
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
