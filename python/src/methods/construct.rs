//! `ndarray(shape, dtype, buffer, offset, strides, order)`, and the setters of shape, strides and
//! dtype.

use crate::calls::arguments::{Arguments, integers};
use crate::calls::signature::Signature;
use crate::convert::{self, dtypes};
use crate::interpreter::errors::{raised, refused, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use crate::objects::shown::Shown;
use crate::objects::subclass::{self, Made};
use crate::session;
use phalanx::{Array, DType, FillOptions, MemoryOrder};
use pyo3::exceptions::{PyAttributeError, PyBufferError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use std::sync::OnceLock;

/// Sets `ndarray.__new__`, which a program calls as `ndarray(shape, ...)`.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let class = py.get_type::<Ndarray>();
    subclass::keep_maker(py);
    let constructor = wrap_pyfunction!(new, module)?;
    let method = py.import("builtins")?.getattr("staticmethod")?.call1((constructor,))?;
    class.setattr("__new__", method)
}

/// `ndarray.__new__`.
#[pyfunction(name = "__new__")]
#[pyo3(signature = (cls, /, *arguments, **keywords))]
fn new(
    cls: &Bound<'_, PyType>,
    arguments: &Bound<'_, PyTuple>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let py = cls.py();
    let array = constructed(arguments, keywords)?;
    if cls.is(py.get_type::<Ndarray>()) {
        return Ndarray::wrap(py, array);
    }
    subclass::made(cls, array, py.None().bind(py)).map(Bound::unbind)
}

#[pymethods]
impl Ndarray {
    // Programs call `new`. `subclass::made` calls this.
    #[new]
    fn made(made: &Bound<'_, Made>) -> Ndarray {
        let Made { array, owns_data } = made.get();
        Ndarray { array: Shown::new(array.clone()), owns_data: *owns_data, records: None }
    }

    /// Called on a new object of a subclass with the array that it was made from, or with None by
    /// the constructor.
    fn __array_finalize__(&self, obj: &Bound<'_, PyAny>) {
        let _ = obj;
    }
}

/// The array that the arguments of `ndarray` describe.
fn constructed(
    arguments: &Bound<'_, PyTuple>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Array> {
    static SIGNATURE: OnceLock<Signature> = OnceLock::new();
    let py = arguments.py();
    session::ensure(py)?;
    let signature = SIGNATURE.get_or_init(|| {
        Signature::new(
            "ndarray(shape, dtype=float, buffer=None, offset=0, strides=None, order=None)",
        )
    });
    let a = Arguments::new(signature, None, arguments, keywords)?;
    let _mesh = a.enter_mesh();
    let (shape, dtype) = (a.shape("shape")?, a.dtype_or("dtype", DType::F64)?);
    let order = match a.order_or("order", MemoryOrder::C)? {
        MemoryOrder::F => MemoryOrder::F,
        _ => MemoryOrder::C,
    };
    let steps = a.optional_integers("strides")?;
    if steps.as_ref().is_some_and(|steps| steps.len() != shape.len()) {
        let text = "strides, if given, must be the same length as shape";
        return Err(value_error(Mistake::Together, text));
    }
    let steps: Option<Vec<isize>> =
        steps.map(|steps| steps.into_iter().map(|step| step as isize).collect());
    let made = match a.given("buffer") {
        Some(buffer) => {
            let (memory, extents) = (memory_of(buffer)?, a.extents("shape")?);
            let offset = a.size_or("offset", 0)?;
            at_line(py, || memory.over_buffer(dtype, &extents, steps.as_deref(), offset, order))
        }
        None => at_line(py, || {
            let options = FillOptions::default().dtype(dtype).order(order);
            let made = phalanx::full_as(shape.as_slice(), 0, options);
            match steps {
                // The array's own memory is as large as its elements without gaps.
                Some(steps) => made.over_buffer(dtype, made.shape(), Some(&steps), 0, order),
                None => made,
            }
        }),
    };
    made.into_result().map_err(|error| raised(py, &error))
}

/// The array of a buffer: an array, or the `data` of one. Any other buffer is copied.
fn memory_of(buffer: &Bound<'_, PyAny>) -> PyResult<Array> {
    if let Ok(memory) = buffer.cast::<Memory>() {
        return Ok(memory.get().array.clone());
    }
    if let Ok(array) = buffer.cast::<Ndarray>() {
        return Ok(array.get().array.clone());
    }
    let bytes = dtypes::numpy(buffer.py())?.getattr("frombuffer")?.call1((buffer, "uint8"))?;
    convert::array(&bytes, None)
}

/// The memory of an array, which `ndarray` accepts as its buffer.
#[pyclass(name = "memory", module = "phalanx", frozen)]
pub struct Memory {
    array: Array,
}

impl Memory {
    /// The memory of an array.
    pub fn new(array: &Array) -> Memory {
        Memory { array: array.clone() }
    }
}

#[pymethods]
impl Memory {
    /// The size of the elements in bytes.
    #[getter]
    fn nbytes(&self) -> usize {
        self.array.size() * self.array.dtype().size()
    }

    /// The address of the first element, once the array is computed and is whole on the first
    /// device of this process. It stays valid until the array is written or dropped. Collective.
    #[getter]
    fn ptr(&self, py: Python<'_>) -> PyResult<usize> {
        let refuse = |text| refused::<PyBufferError>(Mistake::Export, text);
        let flags = at_line(py, || self.array.flags()).map_err(|error| raised(py, &error))?;
        if !flags.owns_data || !flags.c_contiguous {
            return Err(refuse("a view has no address of its own: take that of x.copy()"));
        }
        let memory = at_line(py, || self.array.device_memory());
        let memory = memory.map_err(|error| raised(py, &error))?;
        let first = memory.first().filter(|first| first.shape == self.array.shape());
        let first = first.ok_or_else(|| {
            refuse(
                "the array is split over devices: x.local_shards()[n].data.ptr are the addresses \
                 of its parts",
            )
        })?;
        Ok(first.address)
    }

    /// The number of the device that has the address.
    #[getter]
    fn device_id(&self) -> usize {
        0
    }

    fn __repr__(&self) -> String {
        format!("<phalanx.memory of {} bytes>", self.nbytes())
    }
}

fn set(target: &Ndarray, array: Option<Array>, text: &str) -> PyResult<()> {
    match array {
        Some(array) => {
            target.array.set(array);
            Ok(())
        }
        None => Err(refused::<PyAttributeError>(Mistake::Fixed, text)),
    }
}

/// `x.shape = shape`.
pub fn set_shape(target: &Ndarray, shape: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = shape.py();
    let shape = integers(shape)?;
    let reshaped = at_line(py, || target.array.reshaped_in_place(&shape));
    let text = "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with \
                the desired shape.";
    set(target, reshaped.map_err(|error| raised(py, &error))?, text)
}

/// `x.resize(shape)` with the same number of elements.
pub fn resize(py: Python<'_>, target: &Ndarray, shape: &[i64]) -> PyResult<()> {
    let resized = at_line(py, || target.array.resized_in_place(shape));
    let resized = resized.map_err(|error| raised(py, &error))?.ok_or_else(|| {
        let text = "cannot resize this array in place: arrays keep their number of elements; use \
                    phalanx.resize, which makes another one";
        value_error(Mistake::Fixed, text)
    })?;
    target.array.set(resized);
    Ok(())
}

/// `x.strides = strides`.
pub fn set_strides(target: &Ndarray, strides: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = strides.py();
    let strides = integers(strides)?;
    let ndim = target.array.ndim();
    if strides.len() != ndim {
        let text = format!("strides must be  same length as shape ({ndim})");
        return Err(value_error(Mistake::Together, text));
    }
    let strides: Vec<isize> = strides.into_iter().map(|step| step as isize).collect();
    let laid = at_line(py, || target.array.strided(target.array.shape(), &strides));
    let laid = laid.into_result().map_err(|_| {
        value_error(Mistake::Together, "strides is not compatible with available memory")
    })?;
    let is_view = laid.has_base_of(&target.array);
    let text = "an array's own strides cannot make its elements overlap: see as_strided";
    set(target, is_view.then_some(laid), text)
}

/// `x.dtype = dtype`.
pub fn set_dtype(target: &Ndarray, dtype: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = dtype.py();
    let dtype = dtypes::from_python(dtype)?;
    let seen = at_line(py, || target.array.view(dtype));
    let seen = seen.into_result().map_err(|error| raised(py, &error))?;
    set(target, Some(seen), "")
}
