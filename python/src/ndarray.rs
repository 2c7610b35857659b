//! The class of arrays.

use crate::buffers::{cause_of_refusal, export, was_refused};
use crate::call_mesh;
use crate::construct::{self, Memory};
use crate::convert::{argument, fetch, to_number, to_numpy};
use crate::dtypes;
use crate::elements::{claimed, never_changes};
use crate::errors::{raised, type_error, value_error};
use crate::errstate;
use crate::flags::FlagsObject;
use crate::gpu::GPUS;
use crate::implicit_copy;
use crate::indexing::{Key, key};
use crate::iteration::{FlatIteration, Iteration};
use crate::mistakes::Mistake;
use crate::options::written;
use crate::records;
use crate::shown::Shown;
use crate::site::at_line;
use crate::subclass::{self, Made};
use crate::text::{TextOptions, text};
use crate::writing::value_for;
pub use crate::writing::{assign, check_one, warn_of_value};
use phalanx::records::Records;
use phalanx::{Array, Flags, HostArray, Index, MemoryOrder, Scalar};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple, PyType};
use smallvec::SmallVec;
use std::ffi::c_int;

/// An array over all devices of a mesh.
#[pyclass(name = "ndarray", module = "phalanx", frozen, weakref, subclass)]
pub struct Ndarray {
    /// The array.
    pub array: Shown,
    /// Whether no other array shared the elements when the object was made.
    pub owns_data: bool,
    /// The elements of a structured array. Its `array` carries the error for functions that need
    /// numbers.
    pub records: Option<Records>,
}

impl Ndarray {
    /// The extents.
    fn extents(&self) -> &[usize] {
        self.records.as_ref().map_or_else(|| self.array.shape(), Records::shape)
    }

    /// The object of an array, which Python does not have yet.
    pub fn new(array: Array) -> Ndarray {
        let owns_data = array.is_sole() || array.is_element();
        Ndarray { owns_data, array: Shown::new(array), records: None }
    }

    /// A structured array as an object.
    pub fn wrap_records(py: Python<'_>, records: Records) -> PyResult<Py<PyAny>> {
        let owns_data = records.bytes().is_sole();
        let array = Shown::new(at_line(py, Records::refusal));
        Ok(Py::new(py, Ndarray { array, owns_data, records: Some(records) })?.into_any())
    }

    /// The elements as an array of NumPy. Collective.
    pub fn host<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.records {
            Some(records) => records::host(py, records),
            None => to_numpy(py, fetch(py, &self.array)?),
        }
    }

    /// An array as an object that can be written; raises the error that it carries.
    pub fn wrap(py: Python<'_>, array: Array) -> PyResult<Py<PyAny>> {
        Ndarray::wrapped(py, array, false)
    }

    /// The result of an operation as an object: an element if it has no axes.
    pub fn result(py: Python<'_>, array: Array) -> PyResult<Py<PyAny>> {
        let is_element = array.ndim() == 0;
        Ndarray::wrapped(py, array, is_element)
    }

    /// A view or copy of this array as an object: an element if this array is one.
    fn seen(&self, py: Python<'_>, array: Array) -> PyResult<Py<PyAny>> {
        let is_element = array.ndim() == 0 && self.array.is_element();
        Ndarray::wrapped(py, array, is_element)
    }

    fn wrapped(py: Python<'_>, array: Array, is_element: bool) -> PyResult<Py<PyAny>> {
        array.ok().map_err(|error| raised(py, &error))?;
        Ok(Py::new(py, Ndarray::new(claimed(py, array, is_element)))?.into_any())
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

    /// The elements that a key selects.
    fn at(&self, py: Python<'_>, items: &Key) -> Array {
        at_line(py, || match items {
            Key::Basic(items) => match element(items, self.array.ndim()) {
                // An element is a copy, so that `x[0], x[1] = x[1], x[0]` swaps.
                Some(index) => self.array.at(index),
                None => self.array.slice(items.as_slice()),
            },
            Key::Advanced(items) => self.array.index(items),
        })
    }
}

#[pymethods]
impl Ndarray {
    // Programs call `__new__` of `subclass`, which calls this.
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

    /// The class with the types of its shape and dtype, for annotations.
    #[classmethod]
    fn __class_getitem__<'py>(
        cls: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        cls.py().import("types")?.getattr("GenericAlias")?.call1((cls, item))
    }

    /// The memory of the elements, which ``ndarray`` accepts as its buffer.
    #[getter]
    fn data(&self) -> Memory {
        Memory::new(self.records.as_ref().map_or(&*self.array, Records::bytes))
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.extents())
    }

    #[setter]
    fn set_shape(&self, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        construct::set_shape(self, shape)
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.extents().len()
    }

    #[getter]
    fn size(&self) -> usize {
        self.extents().iter().product()
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.records {
            Some(records) => records::to_python(py, records.record()),
            None => dtypes::to_python(py, self.array.dtype()),
        }
    }

    #[setter]
    fn set_dtype(&self, dtype: &Bound<'_, PyAny>) -> PyResult<()> {
        construct::set_dtype(self, dtype)
    }

    #[getter]
    fn itemsize(&self) -> usize {
        match &self.records {
            Some(records) => records.record().size(),
            None => self.array.dtype().size(),
        }
    }

    #[getter]
    fn nbytes(&self) -> usize {
        self.size() * self.itemsize()
    }

    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.records {
            Some(records) => PyTuple::new(py, records.strides()),
            None => PyTuple::new(py, self.array.strides()),
        }
    }

    #[setter]
    fn set_strides(&self, strides: &Bound<'_, PyAny>) -> PyResult<()> {
        construct::set_strides(self, strides)
    }

    #[getter(T)]
    fn transposed(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        if let Some(records) = &slf.get().records {
            let turned = at_line(slf.py(), || records.transposed(None));
            let turned = turned.map_err(|error| raised(slf.py(), &error))?;
            return Ndarray::wrap_records(slf.py(), turned);
        }
        view_of(slf, at_line(slf.py(), || slf.get().array.t()), slf.get().array.is_element())
    }

    #[getter(mT)]
    fn matrix_transposed(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        view_of(slf, at_line(slf.py(), || slf.get().array.mt()), slf.get().array.is_element())
    }

    #[getter]
    fn real(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        // Real numbers are their own real parts.
        if !slf.get().array.dtype().is_complex() {
            return Ok(slf.clone().into_any().unbind());
        }
        view_of(slf, at_line(slf.py(), || slf.get().array.real()), slf.get().array.is_element())
    }

    #[setter]
    fn set_real(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        assign(&at_line(value.py(), || self.array.real()), value)
    }

    #[getter]
    fn imag(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        view_of(slf, at_line(slf.py(), || slf.get().array.imag()), slf.get().array.is_element())
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
        if self.owns_data {
            return Ok(None);
        }
        if let Some(records) = &self.records {
            let array = Shown::new(at_line(py, Records::refusal));
            let whole = records.whole().map_err(|error| raised(py, &error))?;
            let base = Ndarray { array, owns_data: true, records: Some(whole) };
            return Ok(Some(Py::new(py, base)?.into_any()));
        }
        let base = self.array.whole_base().map_err(|error| raised(py, &error))?;
        let base = Ndarray { array: Shown::new(base), owns_data: true, records: None };
        Ok(Some(Py::new(py, base)?.into_any()))
    }

    /// The memory layout of the array.
    #[getter]
    fn flags(&self, py: Python<'_>) -> PyResult<FlagsObject> {
        let flags = match &self.records {
            Some(records) => records.flags(),
            None => self.array.flags(),
        };
        let flags = flags.map_err(|error| raised(py, &error))?;
        Ok(FlagsObject { flags: Flags { owns_data: self.owns_data, ..flags } })
    }

    /// The device: the string ``cpu``, which also has the attributes of a device of CuPy.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("phalanx.cuda")?.getattr("ArrayDevice")?.call1(("cpu",))
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.extents().first();
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

    /// Arrays are mutable, so they have no hash, as in NumPy. Arrays without axes, for which NumPy
    /// gives its scalars, have the hash of their element.
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
        if self.records.is_some() {
            return self.host(py)?.repr()?.extract();
        }
        text(py, &self.array, TextOptions::Repr)
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        if self.records.is_some() {
            return self.host(py)?.str()?.extract();
        }
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

    fn __getitem__(slf: &Bound<'_, Self>, object: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (py, own) = (object.py(), slf.get());
        if let Some(records) = &own.records {
            let _mesh = call_mesh::of_array(records.bytes());
            return records::item(records, object);
        }
        let _mesh = call_mesh::of_array(&own.array);
        let items = key(object)?;
        let found = own.at(py, &items);
        match items {
            // An ellipsis asks for a view.
            Key::Basic(items) if element(&items, own.array.ndim()).is_none() => {
                view_of(slf, found, false)
            }
            _ => view_of(slf, found, true),
        }
    }

    fn __setitem__(&self, object: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Some(records) = &self.records {
            let _mesh = call_mesh::of_array(records.bytes());
            return records::set_item(records, object, value);
        }
        let (py, _mesh) = (object.py(), call_mesh::of_array(&self.array));
        if !self.array.is_writeable() {
            self.array.ok().map_err(|error| raised(py, &error))?;
            if self.array.is_element() {
                return Err(never_changes());
            }
            return Err(value_error(Mistake::Fixed, "assignment destination is read-only"));
        }
        match key(object)? {
            Key::Basic(items) => {
                let target = at_line(py, || self.array.slice(items.as_slice()));
                target.ok().map_err(|error| raised(py, &error))?;
                let is_list = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
                let value = value_for(&target, value)?;
                if element(&items, self.array.ndim()).is_some() {
                    check_one(&value, target.dtype(), is_list)?;
                }
                warn_of_value(py, &value, &target)?;
                written(py, || target.try_assign(value))
            }
            Key::Advanced(items) => {
                let value = value_for(&self.array, value)?;
                warn_of_value(py, &value, &self.array)?;
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
        if let Some(records) = &slf.get().records {
            return Ok(Iteration::of_records(records));
        }
        let template = subclass::template([slf.as_any()]);
        Ok(Iteration::new(slf.get().array.clone(), template.map(Bound::unbind)))
    }

    fn __contains__(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, _mesh) = (object.py(), call_mesh::of_array(&self.array));
        let value = argument(object)?;
        let found = at_line(py, || self.array.equal(value).any(()));
        found.ok().map_err(|error| raised(py, &error))?;
        Ndarray::new(found).number(py)?.is_truthy()
    }

    /// The only element, or the element at a position, as a Python number.
    ///
    /// Parameters
    /// ----------
    /// position : int or tuple of int
    ///     The position in C order, or the indices. Omit it for an array of one element.
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
    ///     The position is out of bounds.
    /// Exception
    ///     A recorded operation has failed; the error names the line that recorded it.
    ///
    /// Notes
    /// -----
    /// Collective if the array is still pending, or the element is not held by this process.
    #[pyo3(signature = (*position))]
    fn item<'py>(&self, position: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = position.py();
        if self.records.is_some() {
            return self.host(py)?.call_method1("item", position);
        }
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
        Ndarray::new(array).number(py)
    }

    /// The elements as nested lists of Python numbers.
    ///
    /// Returns
    /// -------
    /// list or scalar
    ///
    /// Raises
    /// ------
    /// Exception
    ///     A recorded operation has failed; the error names the line that recorded it.
    ///
    /// Notes
    /// -----
    /// Collective if the array is still pending, or not all of it is held by this process.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.host(py)?.call_method0("tolist")
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
    ///     A recorded operation has failed; the error names the line that recorded it.
    ///
    /// Notes
    /// -----
    /// Collective if the array is still pending, or not all of it is held by this process.
    #[pyo3(signature = (order="C"))]
    fn tobytes<'py>(&self, py: Python<'py>, order: &str) -> PyResult<Bound<'py, PyAny>> {
        match order {
            "C" if self.records.is_none() => {
                let HostArray { bytes, .. } = fetch(py, &self.array)?;
                let filled = |given: &mut [u8]| {
                    given.copy_from_slice(&bytes);
                    Ok(())
                };
                Ok(PyBytes::new_with(py, bytes.len(), filled)?.into_any())
            }
            _ => self.host(py)?.call_method1("tobytes", (order,)),
        }
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.tobytes(py, "C")
    }

    /// The buffer protocol; see `buffers`.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        // SAFETY: the interpreter gives the view.
        unsafe { export(&slf, view, flags) }
    }

    /// Whether the array has just refused a buffer.
    fn _buffer_was_refused(slf: Bound<'_, Self>) -> bool {
        was_refused(&slf)
    }

    /// Does nothing: a buffer belongs to an object of its own. The existence of the method tells
    /// NumPy that the memory may be freed with its buffer.
    unsafe fn __releasebuffer__(&self, _view: *mut ffi::Py_buffer) {}

    /// The elements as an array of NumPy. Collective.
    ///
    /// Parameters
    /// ----------
    /// stream : optional
    ///     A stream of a GPU: the copy runs after the stream's earlier work, and before its later
    ///     work. Without effect on CPUs.
    /// order : {'C', 'F', 'A', 'K'}, default: 'C'
    ///     The order of elements in memory.
    /// blocking : bool, default: True
    ///     Without effect: the call always waits for the elements.
    /// out : numpy.ndarray, optional
    ///     The array that is written and returned.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     An array of the same shape and dtype.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     `out` has another shape, or the order is unknown.
    /// Exception
    ///     A recorded operation has failed; the error names the line that recorded it.
    #[pyo3(signature = (stream=None, order="C", blocking=true, out=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        order: &str,
        blocking: bool,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // The elements are on the host when this returns, whatever `blocking` is.
        let _ = blocking;
        let order_of = |call: &str| match stream.filter(|stream| !stream.is_none()) {
            Some(stream) if !GPUS.is_empty() => {
                let ordered = py.import("phalanx.cuda")?.getattr("_streams")?.getattr(call)?;
                ordered.call1((stream,)).map(drop)
            }
            _ => Ok(()),
        };
        order_of("_before")?;
        let made = self.host(py)?;
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
    ///     `arr` does not hold numbers or truth values.
    ///
    /// Notes
    /// -----
    /// Local: copied at once, equal on all processes.
    #[pyo3(signature = (arr, stream=None))]
    fn set(&self, arr: &Bound<'_, PyAny>, stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let _ = stream;
        match &self.records {
            Some(records) => records::written(records, arr),
            None => assign(&self.array, arr),
        }
    }

    #[pyo3(signature = (dtype=None, *, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if let Some(error) = cause_of_refusal(slf) {
            return Err(error);
        }
        if copy == Some(false) {
            let text = "the elements cannot be converted without a copy";
            return Err(value_error(Mistake::Export, text));
        }
        implicit_copy::tell(py, &slf.get().array)?;
        let elements = to_numpy(py, fetch(py, &slf.get().array)?)?;
        let options = PyDict::new(py);
        options.set_item("copy", false)?;
        match dtype.filter(|dtype| !dtype.is_none()) {
            Some(dtype) => elements.call_method("astype", (dtype,), Some(&options)),
            None => Ok(elements),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let flags = self.flags(py)?.flags;
        let mut array = self.host(py)?;
        if flags.f_contiguous && !flags.c_contiguous {
            array = dtypes::numpy(py)?.getattr("asfortranarray")?.call1((array,))?;
        }
        let name = if self.array.is_element() { "_element" } else { "asarray" };
        let make = py.import("phalanx._phalanx")?.getattr(name)?;
        Ok((make, (array,)).into_pyobject(py)?.into_any())
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Some(records) = &self.records {
            let copied = at_line(py, || records.copy_in(MemoryOrder::K));
            return Ndarray::wrap_records(py, copied.map_err(|error| raised(py, &error))?);
        }
        self.seen(py, at_line(py, || self.array.copy_in(MemoryOrder::K)))
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.__copy__(py)
    }

    /// The plan of all operations that are recorded and have not run.
    ///
    /// Returns
    /// -------
    /// str
    ///
    /// Raises
    /// ------
    /// Exception
    ///     An operation has failed when it was recorded.
    ///
    /// Notes
    /// -----
    /// Local: plans a copy of the recorded operations; nothing runs.
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
    ///     A recorded operation has failed; the error names the line that recorded it.
    fn evaluate(&self, py: Python<'_>) -> PyResult<()> {
        let array = self.records.as_ref().map_or(&*self.array, Records::bytes);
        let done = at_line(py, || array.evaluate());
        errstate::observed(py, done)
    }
}

/// A view of an object's array, or a copy of its elements, as an object of the same class.
fn view_of(source: &Bound<'_, Ndarray>, array: Array, is_element: bool) -> PyResult<Py<PyAny>> {
    match subclass::template([source.as_any()]) {
        None if is_element => Ndarray::result(source.py(), array),
        None => Ndarray::wrap(source.py(), array),
        template => subclass::wrap_as(source.py(), array, template.as_ref()),
    }
}

/// The index of one element, if the key has an integer for every axis.
fn element(items: &[Index], ndim: usize) -> Option<SmallVec<[i64; 4]>> {
    if items.len() != ndim {
        return None;
    }
    let index = |item: &Index| if let Index::At(index) = item { Some(*index) } else { None };
    items.iter().map(index).collect()
}
