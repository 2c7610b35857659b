//! Kernels in CUDA C++: the native part of `RawKernel` and `RawModule`, whose classes are written
//! in Python.

use crate::convert::is_element_of_numpy;
use crate::interpreter::errors::{raised, type_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::call_mesh;
use crate::objects::ndarray::Ndarray;
use crate::session;
use crate::session::gpus::GPUS;
use phalanx::cuda::{self, FunctionAttribute};
use phalanx::launches::{LaunchArgument, LaunchSize};
use phalanx::{Error, Scalar};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyTuple};
use smallvec::SmallVec;

/// A program.
#[pyclass(name = "_RawModule", module = "phalanx._phalanx", frozen)]
pub struct RawModule(cuda::RawModule);

/// A kernel of a program.
#[pyclass(name = "_RawKernel", module = "phalanx._phalanx", frozen)]
pub struct RawKernel(cuda::RawKernel);

/// Does what a call of the running line of Python asks for.
fn done<T>(py: Python<'_>, act: impl FnOnce() -> Result<T, Error>) -> PyResult<T> {
    at_line(py, || act().map_err(|error| raised(py, &error)))
}

#[pymethods]
impl RawModule {
    /// The program of a text, or of an image in bytes.
    #[new]
    fn new(
        code: &Bound<'_, PyAny>,
        options: Vec<String>,
        expressions: Vec<String>,
    ) -> PyResult<RawModule> {
        if let Ok(image) = code.cast::<PyBytes>() {
            return Ok(RawModule(cuda::RawModule::from_image(image.as_bytes().to_vec())));
        }
        let text: String = code.extract()?;
        Ok(RawModule(cuda::RawModule::from_text(&text, &options, &expressions)))
    }

    /// Compiles and loads the program for the session's GPUs.
    fn load(&self, py: Python<'_>) -> PyResult<()> {
        session::ensure(py)?;
        done(py, || self.0.load(&GPUS.all()))
    }

    /// Compiles the program for a compute capability, without a GPU.
    fn compile_for(&self, py: Python<'_>, capability: u32) -> PyResult<()> {
        session::ensure(py)?;
        let options = session::cuda_options(py)?;
        done(py, || self.0.compile_for(capability, &options))
    }

    /// The driver's handle of the program on the first GPU; 0 without GPUs.
    fn address(&self, py: Python<'_>) -> PyResult<usize> {
        session::ensure(py)?;
        match GPUS.all().first() {
            Some(gpu) => done(py, || self.0.address(gpu)),
            None => Ok(0),
        }
    }

    /// The kernel of a name or an expression.
    fn kernel(&self, symbol: &str, per_shard: bool, is_cooperative: bool) -> RawKernel {
        let kernel = self.0.kernel(symbol);
        let kernel = if per_shard { kernel.each_device() } else { kernel };
        RawKernel(if is_cooperative { kernel.cooperative() } else { kernel })
    }

    /// The addresses of a variable on the GPUs, and its size in bytes.
    #[pyo3(name = "variable")]
    fn global(&self, py: Python<'_>, symbol: &str) -> PyResult<(Vec<u64>, usize)> {
        session::ensure(py)?;
        done(py, || self.0.global(&GPUS.all(), symbol))
    }
}

#[pymethods]
impl RawKernel {
    /// Records a launch.
    fn call(
        &self,
        py: Python<'_>,
        grid: &Bound<'_, PyAny>,
        block: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyAny>,
        shared: i64,
    ) -> PyResult<()> {
        session::ensure(py)?;
        // A number that is too large or negative is refused as too much.
        let shared = shared.try_into().unwrap_or(u32::MAX);
        let size = LaunchSize { blocks: extents(grid)?, threads: extents(block)?, shared };
        let given: SmallVec<[Bound<'_, PyAny>; 8]> = match arguments.cast::<PyTuple>() {
            Ok(arguments) => arguments.iter().collect(),
            Err(_) => arguments.try_iter()?.collect::<PyResult<_>>()?,
        };
        let _mesh = call_mesh::of_objects(given.iter());
        let numbered = given.iter().enumerate();
        let arguments = numbered.map(|(number, one)| argument(one, self.0.takes_address(number)));
        let arguments = arguments.collect::<PyResult<SmallVec<[LaunchArgument; 8]>>>()?;
        done(py, || self.0.launch(&GPUS.all(), size, &arguments))
    }

    /// The driver's handle of the kernel.
    fn address(&self, py: Python<'_>) -> PyResult<usize> {
        session::ensure(py)?;
        done(py, || self.0.address(&GPUS.all()))
    }

    /// An attribute of the kernel.
    fn attribute(&self, py: Python<'_>, name: &str) -> PyResult<i32> {
        session::ensure(py)?;
        let attribute = attribute_of(name)?;
        done(py, || self.0.attribute(&GPUS.all(), attribute))
    }

    /// Sets an attribute of the kernel.
    fn set_attribute(&self, py: Python<'_>, name: &str, value: i32) -> PyResult<()> {
        session::ensure(py)?;
        let attribute = attribute_of(name)?;
        done(py, || self.0.set_attribute(&GPUS.all(), attribute, value))
    }
}

/// One to three numbers of thread blocks or threads; missing ones are 1.
fn extents(object: &Bound<'_, PyAny>) -> PyResult<[u32; 3]> {
    let mut extents = [1; 3];
    let refused = || {
        let text = "a grid or a thread block is one to three integers";
        type_error(Mistake::Type, format!("{text}, not {object}"))
    };
    let given: SmallVec<[Bound<'_, PyAny>; 3]> = match object.cast::<PyTuple>() {
        // Most calls: an attempt to read a tuple as a number would make an exception.
        Ok(tuple) => tuple.iter().collect(),
        Err(_) => {
            if let Ok(number) = object.extract::<i64>() {
                extents[0] = number.try_into().unwrap_or(0);
                return Ok(extents);
            }
            object.try_iter().map_err(|_| refused())?.collect::<PyResult<_>>()?
        }
    };
    if given.len() > 3 {
        return Err(type_error(
            Mistake::Type,
            format!("a grid or a thread block has at most 3 numbers, not {}", given.len()),
        ));
    }
    for (extent, number) in extents.iter_mut().zip(&given) {
        // A number that is negative or too large is refused as 0 is.
        *extent = number.extract::<i64>().map_err(|_| refused())?.try_into().unwrap_or(0);
    }
    Ok(extents)
}

/// An argument of a launch. `is_pointer` says whether the parameter is a pointer, if that is known.
fn argument(object: &Bound<'_, PyAny>, is_pointer: Option<bool>) -> PyResult<LaunchArgument> {
    if let Ok(array) = object.cast::<Ndarray>() {
        let array = array.get();
        if let Some(records) = &array.records {
            return Ok(LaunchArgument::Array(records.bytes().clone()));
        }
        // An element of an array is known in some sessions only, so the parameter decides.
        return Ok(match array.array.element_beside(&array.array) {
            Some(element) if is_pointer != Some(true) => bytes(&element),
            _ => LaunchArgument::Array(array.array.clone()),
        });
    }
    let is_number = object.is_instance_of::<PyBool>() || object.is_instance_of::<PyFloat>();
    if is_pointer == Some(true) && (is_number || object.is_instance_of::<PyComplex>()) {
        return Err(type_error(
            Mistake::Type,
            format!("a kernel cannot take {object} for a pointer: pass an array or an address"),
        ));
    }
    // Its own method gives the bytes sooner than a buffer.
    if is_element_of_numpy(object)? {
        let raw = object.call_method0(intern!(object.py(), "tobytes"))?;
        return Ok(LaunchArgument::Bytes(raw.cast::<PyBytes>()?.as_bytes().into()));
    }
    if object.is_instance_of::<PyBool>() {
        return Ok(bytes(&Scalar::new(object.extract::<bool>()?)));
    }
    if object.is_exact_instance_of::<PyInt>() {
        return Ok(match object.extract::<i64>() {
            Ok(number) => bytes(&Scalar::new(number)),
            Err(_) => bytes(&Scalar::new(object.extract::<u64>()?)),
        });
    }
    if object.is_exact_instance_of::<PyFloat>() {
        return Ok(bytes(&Scalar::new(object.extract::<f64>()?)));
    }
    if object.is_exact_instance_of::<PyComplex>() {
        let [re, im] = [object.getattr("real")?.extract()?, object.getattr("imag")?.extract()?];
        return Ok(bytes(&Scalar::new(num_complex::Complex64::new(re, im))));
    }
    if let Ok(raw) = object.cast::<PyBytes>() {
        return Ok(LaunchArgument::Bytes(raw.as_bytes().into()));
    }
    if object.hasattr(intern!(object.py(), "_b_needsfree_"))?
        && let Some(bytes) = bytes_of_buffer(object)?
    {
        return Ok(LaunchArgument::Bytes(bytes));
    }
    // Places of shards, arrays of records and pointers.
    let python = object.py().import("phalanx._raw")?;
    if object.is_instance(&python.getattr("shard")?)? {
        let array = object.getattr("array")?;
        return Ok(LaunchArgument::Place(array.cast::<Ndarray>()?.get().array.clone()));
    }
    let raw = python.call_method1("_bytes_of", (object,))?;
    Ok(LaunchArgument::Bytes(raw.cast::<PyBytes>()?.as_bytes().into()))
}

/// The bytes of a number or a structure of ctypes: an object that exports a buffer without axes.
/// `None` for all others.
fn bytes_of_buffer(object: &Bound<'_, PyAny>) -> PyResult<Option<SmallVec<[u8; 16]>>> {
    // SAFETY: the object lives; the buffer is released below, before it is dropped.
    if unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) } == 0 {
        return Ok(None);
    }
    let Ok(buffer) = PyUntypedBuffer::get(object) else { return Ok(None) };
    if buffer.dimensions() > 0 {
        return Ok(None);
    }
    let mut bytes = SmallVec::from_elem(0, buffer.len_bytes());
    // SAFETY: a buffer without axes is one item, of as many bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(buffer.buf_ptr().cast(), bytes.as_mut_ptr(), bytes.len());
    }
    Ok(Some(bytes))
}

fn bytes(scalar: &Scalar) -> LaunchArgument {
    LaunchArgument::Bytes(scalar.bytes().into())
}

/// The attribute of CuPy's name for it.
fn attribute_of(name: &str) -> PyResult<FunctionAttribute> {
    Ok(match name {
        "max_threads_per_block" => FunctionAttribute::MostThreads,
        "shared_size_bytes" => FunctionAttribute::Shared,
        "const_size_bytes" => FunctionAttribute::Constant,
        "local_size_bytes" => FunctionAttribute::Local,
        "num_regs" => FunctionAttribute::Registers,
        "ptx_version" => FunctionAttribute::VirtualVersion,
        "binary_version" => FunctionAttribute::CodeVersion,
        "cache_mode_ca" => FunctionAttribute::CacheMode,
        "max_dynamic_shared_size_bytes" => FunctionAttribute::MostDynamicShared,
        "preferred_shared_memory_carveout" => FunctionAttribute::Carveout,
        _ => return Err(PyValueError::new_err(format!("a kernel has no attribute {name}"))),
    })
}
