//! The attributes of arrays.

use super::construct::{self, Memory};
use super::flags::FlagsObject;
use super::iteration::FlatIteration;
use crate::calls::writing::assign;
use crate::convert::{dtypes, record_dtypes};
use crate::interpreter::errors::{raised, type_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use crate::objects::shown::Shown;
use crate::objects::subclass::view_of;
use crate::session;
use phalanx::records::Records;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

#[pymethods]
impl Ndarray {
    /// The class with the types of its shape and dtype, for annotations.
    #[classmethod]
    fn __class_getitem__<'py>(
        cls: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        cls.py().import("types")?.getattr("GenericAlias")?.call1((cls, item))
    }

    /// The class; for an element that of NumPy's scalars, so that `isinstance` and the classes of
    /// `numbers` answer as for an element of NumPy.
    #[getter(__class__)]
    fn class<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let array = &slf.get().array;
        if array.is_element() && slf.is_exact_instance_of::<Ndarray>() {
            return dtypes::to_python(slf.py(), array.dtype())?.getattr(intern!(slf.py(), "type"));
        }
        Ok(slf.get_type().into_any())
    }

    /// Changes the class of an object of a subclass, as for any object of Python.
    #[setter(__class__)]
    fn set_class(slf: &Bound<'_, Self>, class: &Bound<'_, PyAny>) -> PyResult<()> {
        let plain = slf.py().get_type::<PyAny>().getattr("__dict__")?.get_item("__class__")?;
        plain.call_method1("__set__", (slf, class)).map(drop)
    }

    /// The memory of the elements, which ``ndarray`` accepts as its buffer.
    #[getter]
    fn data(&self) -> Memory {
        Memory::new(self.records.as_deref().map_or(&*self.array, Records::bytes))
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
            Some(records) => record_dtypes::to_python(py, records.record()),
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
        if !self.array.dtype().is_complex() {
            let text = "array does not have imaginary part to set";
            return Err(type_error(Mistake::Fixed, text));
        }
        assign(&at_line(value.py(), || self.array.imag()), value)
    }

    /// All elements in C order, to be iterated over, indexed and assigned.
    #[getter]
    fn flat(slf: &Bound<'_, Self>) -> FlatIteration {
        at_line(slf.py(), || FlatIteration::new(slf))
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
            let base = Ndarray { array, owns_data: true, records: Some(Box::new(whole)) };
            return Ok(Some(Py::new(py, base)?.into_any()));
        }
        let base = self.array.whole_base().map_err(|error| raised(py, &error))?;
        let base = Ndarray { array: Shown::new(base), owns_data: true, records: None };
        Ok(Some(Py::new(py, base)?.into_any()))
    }

    /// The memory layout of the array.
    #[getter]
    fn flags(slf: &Bound<'_, Self>) -> FlagsObject {
        FlagsObject { owner: slf.clone().unbind() }
    }

    /// The device: the string ``cuda`` on GPUs, else ``cpu``, which also has the attributes of a
    /// device of CuPy.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("phalanx.cuda")?.getattr("ArrayDevice")?.call1((session::device_name(py)?,))
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.extents().first();
        first.copied().ok_or_else(|| type_error(Mistake::Conversion, "len() of unsized object"))
    }
}
