//! `ndarray(shape, dtype, buffer, offset, strides, order)`, and the setters of shape, strides and
//! dtype.

use crate::calls::arguments::{Arguments, integers};
use crate::calls::signature::Signature;
use crate::convert::{self, dtypes};
use crate::interpreter::errors::{raised, refused, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use crate::objects::shown::Shown;
use crate::objects::subclass::{self, Made};
use crate::session;
use phalanx::{Array, DType, MemoryOrder};
use pyo3::exceptions::PyAttributeError;
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
    let Some(buffer) = a.given("buffer") else {
        let made = at_line(py, || match order {
            MemoryOrder::F => {
                let reversed: Vec<i64> = shape.iter().rev().copied().collect();
                phalanx::empty(reversed.as_slice(), dtype).t()
            }
            _ => phalanx::empty(shape.as_slice(), dtype),
        });
        made.ok().map_err(|error| raised(py, &error))?;
        let Some(steps) = steps else { return Ok(made) };
        // The array's own memory is as large as its elements without gaps.
        let extents: Vec<usize> = made.shape().to_vec();
        let laid = at_line(py, || made.over_memory(dtype, &extents, &steps, 0));
        return laid.into_result().map_err(|_| incompatible());
    };
    let memory = memory_of(buffer)?;
    let extents = a.extents("shape")?;
    let offset = a.size_or("offset", 0)?;
    let size = extents.iter().try_fold(dtype.size(), |size, &extent| size.checked_mul(extent));
    let steps = match steps {
        Some(steps) => steps,
        None if size
            .and_then(|size| size.checked_add(offset))
            .is_none_or(|size| size > memory.size() * memory.dtype().size()) =>
        {
            let text = "buffer is too small for requested array";
            return Err(type_error(Mistake::Together, text));
        }
        None => contiguous(&extents, dtype, order),
    };
    let laid = at_line(py, || memory.over_memory(dtype, &extents, &steps, offset));
    laid.into_result().map_err(|_| incompatible())
}

fn incompatible() -> PyErr {
    value_error(
        Mistake::Together,
        "strides is incompatible with shape of requested array and size of buffer",
    )
}

/// The strides of an array without gaps.
fn contiguous(shape: &[usize], dtype: DType, order: MemoryOrder) -> Vec<isize> {
    let (mut strides, mut step) = (vec![0; shape.len()], dtype.size() as isize);
    let mut along = |axis: usize| {
        strides[axis] = step;
        step *= shape[axis].max(1) as isize;
    };
    match order {
        MemoryOrder::F => (0..shape.len()).for_each(&mut along),
        _ => (0..shape.len()).rev().for_each(&mut along),
    }
    strides
}

/// The array of a buffer: an array, or the `data` of one. Any other buffer is copied.
fn memory_of(buffer: &Bound<'_, PyAny>) -> PyResult<Array> {
    let py = buffer.py();
    if let Ok(memory) = buffer.cast::<Memory>() {
        return Ok(memory.get().array.clone());
    }
    if let Ok(array) = buffer.cast::<Ndarray>() {
        let array = array.get().array.clone();
        let flags = array.flags().map_err(|error| raised(py, &error))?;
        return if flags.c_contiguous || flags.f_contiguous {
            Ok(array)
        } else {
            Err(value_error(Mistake::Value, "ndarray is not contiguous"))
        };
    }
    let bytes = dtypes::numpy(py)?.getattr("frombuffer")?.call1((buffer, "uint8"))?;
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

/// `x.resize(shape)` with the same number of elements. The elements keep their order in memory,
/// which must be C or Fortran order.
pub fn resize(target: &Ndarray, shape: &[i64]) -> PyResult<()> {
    let py_error = |error| Python::attach(|py| raised(py, &error));
    let flags = target.array.flags().map_err(py_error)?;
    if !flags.c_contiguous && !flags.f_contiguous {
        return Err(value_error(Mistake::Fixed, "resize only works on single-segment arrays"));
    }
    if shape.iter().any(|&extent| extent < 0) {
        return Err(value_error(Mistake::Value, "negative dimensions not allowed"));
    }
    let count = shape.iter().try_fold(1i64, |count, &extent| count.checked_mul(extent));
    if count.is_none_or(|count| count as usize != target.array.size()) {
        let text = "cannot resize this array in place: arrays keep their number of elements; use \
                    phalanx.resize, which makes another one";
        return Err(value_error(Mistake::Fixed, text));
    }
    let reshaped = if flags.c_contiguous {
        target.array.reshaped_in_place(shape)
    } else {
        let reversed: Vec<i64> = shape.iter().rev().copied().collect();
        let turned = target.array.t().reshaped_in_place(&reversed);
        turned.map(|turned| turned.map(|turned| turned.t()))
    };
    set(target, reshaped.map_err(py_error)?, "resize only works on single-segment arrays")
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
