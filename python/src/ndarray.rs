//! The class of arrays.

use crate::call_mesh;
use crate::convert::{argument, array, fetch, to_number, to_numpy};
use crate::dtypes;
use crate::errors::{raised, refused, type_error, value_error};
use crate::errstate;
use crate::flags::FlagsObject;
use crate::gpu::GPUS;
use crate::host_buffer::{export, release};
use crate::indexing::{Key, key};
use crate::iteration::{FlatIteration, Iteration};
use crate::mistakes::Mistake;
use crate::site::at_line;
use crate::text::{TextOptions, text};
use phalanx::{Argument, Array, Index, MemoryOrder, Scalar};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString, PyTuple};
use smallvec::SmallVec;
use std::ffi::c_int;

/// An array over all devices of a mesh.
#[pyclass(name = "ndarray", module = "phalanx", frozen, weakref)]
pub struct Ndarray {
    /// The array.
    pub array: Array,
}

impl Ndarray {
    /// An array as an object; raises the error that it carries.
    pub fn wrap(py: Python<'_>, array: Array) -> PyResult<Py<PyAny>> {
        array.ok().map_err(|error| raised(py, &error))?;
        Ok(Py::new(py, Ndarray { array })?.into_any())
    }

    /// The one element as a number of Python. Collective.
    pub fn number<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.array.size() != 1 {
            return Err(type_error(
                Mistake::Conversion,
                "only length-1 arrays can be converted to Python scalars",
            ));
        }
        let host = fetch(py, &self.array)?;
        to_number(py, Scalar::from_bytes(host.dtype, &host.bytes))
    }

    /// The element of an array without axes as a number of Python. Collective.
    fn scalar<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.array.ndim() {
            0 => self.number(py),
            _ => Err(type_error(
                Mistake::Conversion,
                "only 0-dimensional arrays can be converted to Python scalars",
            )),
        }
    }

    /// Through a key.
    fn at(&self, py: Python<'_>, items: &Key) -> Array {
        at_line(py, || match items {
            Key::Basic(items) => match element(items, self.array.ndim()) {
                // An element is a copy, so that a swap of two works.
                Some(index) => self.array.at(index),
                None => self.array.slice(items.as_slice()),
            },
            Key::Advanced(items) => self.array.index(items),
        })
    }
}

#[pymethods]
impl Ndarray {
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.array.shape())
    }

    #[setter]
    fn set_shape(&self, _shape: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(value_error(Mistake::Fixed, "the shape of an array does not change: use reshape"))
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.array.ndim()
    }

    #[getter]
    fn size(&self) -> usize {
        self.array.size()
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dtypes::to_python(py, self.array.dtype())
    }

    #[getter]
    fn itemsize(&self) -> usize {
        self.array.dtype().size()
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.array.size() * self.array.dtype().size()
    }

    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.array.strides())
    }

    #[getter(T)]
    fn transposed(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ndarray::wrap(py, at_line(py, || self.array.t()))
    }

    #[getter(mT)]
    fn matrix_transposed(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ndarray::wrap(py, at_line(py, || self.array.mt()))
    }

    #[getter]
    fn real(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ndarray::wrap(py, at_line(py, || self.array.real()))
    }

    #[setter]
    fn set_real(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        assign(&at_line(value.py(), || self.array.real()), value)
    }

    #[getter]
    fn imag(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ndarray::wrap(py, at_line(py, || self.array.imag()))
    }

    #[setter]
    fn set_imag(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        assign(&at_line(value.py(), || self.array.imag()), value)
    }

    /// All elements in C order, to be iterated over, indexed and assigned.
    #[getter]
    fn flat(&self, py: Python<'_>) -> FlatIteration {
        at_line(py, || FlatIteration::new(&self.array))
    }

    #[setter]
    fn set_flat(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        FlatIteration::fill(&self.array, value)
    }

    /// The whole array that this one is a view of.
    #[getter]
    fn base(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let base = self.array.base().map_err(|error| raised(py, &error))?;
        base.map(|base| Ndarray::wrap(py, base)).transpose()
    }

    /// How the array lies in memory.
    #[getter]
    fn flags(&self, py: Python<'_>) -> PyResult<FlagsObject> {
        let flags = self.array.flags().map_err(|error| raised(py, &error))?;
        Ok(FlagsObject { flags })
    }

    /// Where the array lies: ``cpu``.
    #[getter]
    fn device(&self) -> &'static str {
        "cpu"
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.array.shape().first();
        first.copied().ok_or_else(|| type_error(Mistake::Conversion, "len() of unsized object"))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        if self.array.size() != 1 {
            return Err(value_error(
                Mistake::Conversion,
                match self.array.size() {
                    0 => {
                        "The truth value of an empty array is ambiguous. Use `array.size > 0` to \
                     check that an array is not empty."
                    }
                    _ => {
                        "The truth value of an array with more than one element is ambiguous. Use \
                     a.any() or a.all()"
                    }
                },
            ));
        }
        self.number(py)?.is_truthy()
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("builtins")?.getattr("int")?.call1((self.scalar(py)?,))
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("builtins")?.getattr("float")?.call1((self.scalar(py)?,))
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("builtins")?.getattr("complex")?.call1((self.scalar(py)?,))
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let is_one = self.array.ndim() == 0 && self.array.dtype().is_integer();
        if !is_one {
            return Err(type_error(
                Mistake::Conversion,
                "only integer scalar arrays can be converted to a scalar index",
            ));
        }
        self.number(py)
    }

    /// Arrays change, so that they have no hash, as in NumPy; those without axes, which NumPy gives
    /// as its scalars, have that of their element.
    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        match self.array.ndim() {
            0 => self.number(py)?.hash(),
            _ => Err(type_error(Mistake::Conversion, "unhashable type: 'phalanx.ndarray'")),
        }
    }

    #[pyo3(signature = (ndigits=None))]
    fn __round__<'py>(
        &self,
        py: Python<'py>,
        ndigits: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        py.import("builtins")?.getattr("round")?.call1((self.scalar(py)?, ndigits))
    }

    fn __trunc__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("math")?.getattr("trunc")?.call1((self.scalar(py)?,))
    }

    fn __floor__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("math")?.getattr("floor")?.call1((self.scalar(py)?,))
    }

    fn __ceil__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("math")?.getattr("ceil")?.call1((self.scalar(py)?,))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        text(py, &self.array, TextOptions::Repr)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        text(py, &self.array, TextOptions::Str)
    }

    fn __format__(&self, py: Python<'_>, form: &Bound<'_, PyAny>) -> PyResult<String> {
        if form.is_truthy()? && self.array.ndim() == 0 {
            let text = self.number(py)?.call_method1("__format__", (form,))?;
            return text.extract();
        }
        if form.is_truthy()? {
            return Err(type_error(
                Mistake::Conversion,
                "unsupported format string passed to phalanx.ndarray.__format__",
            ));
        }
        self.__str__(py)
    }

    fn __getitem__(&self, object: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, _mesh) = (object.py(), call_mesh::of_array(&self.array));
        let items = key(object)?;
        Ndarray::wrap(py, self.at(py, &items))
    }

    fn __setitem__(&self, object: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, _mesh) = (object.py(), call_mesh::of_array(&self.array));
        if !self.array.is_writeable() {
            self.array.ok().map_err(|error| raised(py, &error))?;
            return Err(value_error(Mistake::Fixed, "assignment destination is read-only"));
        }
        match key(object)? {
            Key::Basic(items) => assign(&at_line(py, || self.array.slice(items.as_slice())), value),
            Key::Advanced(items) => {
                let value = value_for(&self.array, value)?;
                let written = at_line(py, || self.array.try_assign_index(&items, value));
                written.map_err(|error| raised(py, &error))
            }
        }
    }

    fn __delitem__(&self, _object: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(value_error(Mistake::Fixed, "cannot delete array elements"))
    }

    fn __iter__(slf: Bound<'_, Self>) -> PyResult<Iteration> {
        slf.get()
            .__len__()
            .map_err(|_| type_error(Mistake::Conversion, "iteration over a 0-d array"))?;
        Ok(Iteration::new(slf.get().array.clone()))
    }

    fn __contains__(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, _mesh) = (object.py(), call_mesh::of_array(&self.array));
        let value = argument(object)?;
        let found = at_line(py, || self.array.equal(value).any(()));
        found.ok().map_err(|error| raised(py, &error))?;
        Ndarray { array: found }.number(py)?.is_truthy()
    }

    /// The one element, or that at a position, as a number of Python.
    ///
    /// Parameters
    /// ----------
    /// position : int or tuple of int
    ///     The position in C order, or the indices; none of a single element.
    ///
    /// Returns
    /// -------
    /// bool, int, float or complex
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     There is more than one element, and no position.
    /// IndexError
    ///     The position is outside.
    /// Exception
    ///     What has failed of what was recorded, with the line that recorded it.
    ///
    /// Notes
    /// -----
    /// Collective if the array is still pending, or the element is not held by this process.
    #[pyo3(signature = (*position))]
    fn item<'py>(&self, position: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = position.py();
        if position.is_empty() {
            if self.array.size() != 1 {
                return Err(value_error(
                    Mistake::Conversion,
                    "can only convert an array of size 1 to a Python scalar",
                ));
            }
            return self.number(py);
        }
        let position = match position.get_item(0)?.cast::<PyTuple>() {
            Ok(inner) => inner.clone(),
            Err(_) => position.clone(),
        };
        let array = match position.len() {
            1 => {
                let at = crate::arguments::integer(&position.get_item(0)?)?;
                at_line(py, || self.array.ravel().slice(&[Index::At(at)][..]))
            }
            _ => self.at(py, &key(&position)?),
        };
        array.ok().map_err(|error| raised(py, &error))?;
        Ndarray { array }.number(py)
    }

    /// The elements as nested lists of numbers of Python.
    ///
    /// Returns
    /// -------
    /// list or scalar
    ///
    /// Raises
    /// ------
    /// Exception
    ///     What has failed of what was recorded, with the line that recorded it.
    ///
    /// Notes
    /// -----
    /// Collective if the array is still pending, or not all of it is held by this process.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_numpy(py, fetch(py, &self.array)?)?.call_method0("tolist")
    }

    /// The elements as bytes, in C order.
    ///
    /// Parameters
    /// ----------
    /// order : {'C', 'F', 'A'}, default: 'C'
    ///     The order of the elements.
    ///
    /// Returns
    /// -------
    /// bytes
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     The order is unknown.
    /// Exception
    ///     What has failed of what was recorded, with the line that recorded it.
    ///
    /// Notes
    /// -----
    /// Collective if the array is still pending, or not all of it is held by this process.
    #[pyo3(signature = (order="C"))]
    fn tobytes<'py>(&self, py: Python<'py>, order: &str) -> PyResult<Bound<'py, PyAny>> {
        match order {
            "C" => Ok(PyBytes::new(py, &fetch(py, &self.array)?.bytes).into_any()),
            _ => to_numpy(py, fetch(py, &self.array)?)?.call_method1("tobytes", (order,)),
        }
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.tobytes(py, "C")
    }

    /// The elements without a copy, to be read, where one device of this process has them all.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let (py, array) = (slf.py(), &slf.get().array);
        let memory = at_line(py, || array.shard_memory());
        let mut memory = memory.map_err(|error| raised(py, &error))?;
        let whole = match memory.len() {
            1 => memory.pop().filter(|whole| whole.shape == array.shape()),
            _ => None,
        };
        let whole = whole.ok_or_else(|| {
            refused::<PyBufferError>(
                Mistake::Export,
                "the array does not lie whole on one device alone: the parts that this process \
                 holds are x.local_view(), and a copy of all is x.get()",
            )
        })?;
        // SAFETY: the interpreter gives the view, and `__releasebuffer__` releases it.
        unsafe { export(slf.as_any(), whole, array.dtype(), view, flags) }
    }

    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: filled by `__getbuffer__`; the interpreter releases it once.
        unsafe { release(view) };
    }

    /// The elements as an array of NumPy. Collective.
    ///
    /// Parameters
    /// ----------
    /// stream : optional
    ///     Without effect: operations are in program order.
    /// order : {'C', 'F', 'A', 'K'}, default: 'C'
    ///     The order of elements in memory.
    /// blocking : bool, default: True
    ///     Without effect: the elements are there when it returns.
    /// out : numpy.ndarray, optional
    ///     What is written and returned.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape and dtype of the array.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     `out` has another shape, or the order is unknown.
    /// Exception
    ///     What has failed of what was recorded, with the line that recorded it.
    #[pyo3(signature = (stream=None, order="C", blocking=true, out=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        order: &str,
        blocking: bool,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // The elements are on the host when this returns, whatever is asked.
        let _ = blocking;
        let order_of = |call: &str| match stream.filter(|stream| !stream.is_none()) {
            Some(stream) if !GPUS.is_empty() => {
                let ordered = py.import("phalanx.cuda")?.getattr("_streams")?.getattr(call)?;
                ordered.call1((stream,)).map(drop)
            }
            _ => Ok(()),
        };
        order_of("_before")?;
        let made = to_numpy(py, fetch(py, &self.array)?)?;
        order_of("_after")?;
        if let Some(out) = out {
            dtypes::numpy(py)?.getattr("copyto")?.call1((out, made))?;
            return Ok(out.clone());
        }
        match order {
            "F" => dtypes::numpy(py)?.getattr("asfortranarray")?.call1((made,)),
            _ => Ok(made),
        }
    }

    /// Writes the elements of an array of NumPy into this one.
    ///
    /// Parameters
    /// ----------
    /// arr : numpy.ndarray
    ///     The elements, broadcast to the array.
    /// stream : optional
    ///     Without effect: operations are in program order.
    ///
    /// Returns
    /// -------
    /// None
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     PX002: they do not broadcast to the array.
    /// TypeError
    ///     They are no array of NumPy.
    ///
    /// Notes
    /// -----
    /// Local: copied at once, equal on all processes.
    #[pyo3(signature = (arr, stream=None))]
    fn set(&self, arr: &Bound<'_, PyAny>, stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let _ = stream;
        assign(&self.array, arr)
    }

    #[pyo3(signature = (dtype=None, *, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // One element is a number, which `float` fetches as well; more do not come by accident.
        if self.array.ndim() > 0 {
            return Err(type_error(
                Mistake::Conversion,
                "implicit conversion to a NumPy array is not allowed: use `.get()` or \
                 `phalanx.asnumpy`",
            ));
        }
        if copy == Some(false) {
            let text = "the element is not converted without a copy";
            return Err(value_error(Mistake::Export, text));
        }
        let element = to_numpy(py, fetch(py, &self.array)?)?;
        match dtype.filter(|dtype| !dtype.is_none()) {
            Some(dtype) => element.call_method1("astype", (dtype,)),
            None => Ok(element),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let flags = self.array.flags().map_err(|error| raised(py, &error))?;
        let mut array = to_numpy(py, fetch(py, &self.array)?)?;
        if flags.f_contiguous && !flags.c_contiguous {
            array = dtypes::numpy(py)?.getattr("asfortranarray")?.call1((array,))?;
        }
        let make = py.import("phalanx")?.getattr("asarray")?;
        Ok((make, (array,)).into_pyobject(py)?.into_any())
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ndarray::wrap(py, at_line(py, || self.array.copy_in(MemoryOrder::K)))
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.__copy__(py)
    }

    /// The plan of everything that is recorded and not run yet.
    ///
    /// Returns
    /// -------
    /// str
    ///
    /// Raises
    /// ------
    /// Exception
    ///     What has failed when it was recorded.
    ///
    /// Notes
    /// -----
    /// Local: a copy of what is recorded is planned, and nothing runs.
    fn explain(&self, py: Python<'_>) -> PyResult<String> {
        self.array.explain().map_err(|error| raised(py, &error))
    }

    /// Waits for the array. Collective.
    ///
    /// Returns
    /// -------
    /// None
    ///
    /// Raises
    /// ------
    /// Exception
    ///     What has failed of what was recorded, with the line that recorded it.
    fn evaluate(&self, py: Python<'_>) -> PyResult<()> {
        let done = at_line(py, || self.array.evaluate());
        done.map_err(|error| raised(py, &error))?;
        errstate::observed(py, true)
    }
}

/// The index of one element that a key with an integer for every axis is.
fn element(items: &[Index], ndim: usize) -> Option<SmallVec<[i64; 4]>> {
    if items.len() != ndim {
        return None;
    }
    let index = |item: &Index| if let Index::At(index) = item { Some(*index) } else { None };
    items.iter().map(index).collect()
}

/// Writes a value into a view.
pub fn assign(target: &Array, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let (py, _mesh) = (value.py(), call_mesh::of_array(target));
    target.ok().map_err(|error| raised(py, &error))?;
    let value = value_for(target, value)?;
    let written = at_line(py, || target.try_assign(value));
    written.map_err(|error| raised(py, &error))
}

/// What is written into an array. What has no dtype of its own, be it a list, a text or an integer
/// beyond all dtypes, is read by NumPy as of the array's dtype.
fn value_for(target: &Array, value: &Bound<'_, PyAny>) -> PyResult<Argument> {
    let is_plain = value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>()
        || value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_none()
        || (value.is_exact_instance_of::<PyInt>() && value.extract::<i128>().is_err());
    match is_plain {
        true => Ok(Argument::Array(array(value, Some(target.dtype()))?)),
        false => argument(value),
    }
}
