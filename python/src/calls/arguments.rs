//! The arguments of a call, which the rows of `functions` read by name.

use super::signature::{Signature, Slots};
use crate::convert::{self, dtypes};
use crate::interpreter::errors::{as_numpy_raises, for_type_error, is_of, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::objects::call_mesh;
use crate::objects::elements::target;
use crate::objects::ndarray::Ndarray;
use crate::objects::subclass;
use phalanx::{Argument, Array, Axes, DType, Entered, MemoryOrder, axis, keepdims};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};

/// The arguments of a call.
pub struct Arguments<'a, 'py> {
    py: Python<'py>,
    signature: &'a Signature,
    slots: Slots<'a, 'py>,
    /// The number of positional arguments.
    positional: usize,
}

impl<'a, 'py> Arguments<'a, 'py> {
    /// Binds the arguments of a call to the parameters.
    pub fn new(
        signature: &'a Signature,
        receiver: Option<&Bound<'py, PyAny>>,
        arguments: &'a Bound<'py, PyTuple>,
        keywords: Option<&'a Bound<'py, PyDict>>,
    ) -> PyResult<Arguments<'a, 'py>> {
        let slots = signature.bind(receiver, arguments, keywords)?;
        let positional = arguments.len() + usize::from(receiver.is_some());
        Ok(Arguments { py: arguments.py(), signature, slots, positional })
    }

    /// The number of positional arguments, including the array of a method.
    pub fn positional(&self) -> usize {
        self.positional
    }

    /// Sets a parameter that is not given to an integer.
    pub fn default(&mut self, name: &str, value: i64) -> PyResult<()> {
        if self.find(name).is_none()
            && let Some(place) = self.signature.place(name)
        {
            self.slots[place] = Some(value.into_pyobject(self.py)?.into_any());
        }
        Ok(())
    }

    /// Makes the mesh of the first array current until the returned guard is dropped.
    pub fn enter_mesh(&self) -> Option<Entered> {
        call_mesh::of_objects(self.slots.iter().flatten())
    }

    /// The first argument that is an array of a subclass.
    pub fn template(&self) -> Option<Bound<'py, PyAny>> {
        subclass::template(self.slots.iter().flatten())
    }

    /// The argument of the first parameter; for a method, its array.
    pub fn first(&self) -> Option<&Bound<'py, PyAny>> {
        self.slots.first()?.as_ref()
    }

    /// The signature.
    pub fn signature(&self) -> &Signature {
        self.signature
    }

    /// The interpreter.
    pub fn py(&self) -> Python<'py> {
        self.py
    }

    /// Whether the function has a parameter.
    pub fn takes(&self, name: &str) -> bool {
        self.signature.place(name).is_some()
    }

    /// The argument of a parameter, which may be None.
    pub fn find(&self, name: &str) -> Option<&Bound<'py, PyAny>> {
        let place = self.signature.place(name);
        let place = place
            .unwrap_or_else(|| panic!("bug: {}() has no parameter {name}", self.signature.name));
        self.slots[place].as_ref()
    }

    /// The argument of a parameter, unless it is None.
    pub fn given(&self, name: &str) -> Option<&Bound<'py, PyAny>> {
        self.find(name).filter(|value| !value.is_none())
    }

    /// Whether a parameter is given and is not None.
    pub fn has(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    /// The argument of a parameter that must be given.
    pub fn object(&self, name: &str) -> PyResult<&Bound<'py, PyAny>> {
        let missing =
            || type_error(Mistake::Count, format!("{}() needs {name}", self.signature.name));
        self.find(name).ok_or_else(missing)
    }

    /// The error of an argument of a wrong type.
    pub fn wrong(&self, name: &str, expected: &str) -> PyErr {
        match self.find(name) {
            Some(object) => {
                wrong_type(&format!("{}(): {name}", self.signature.name), expected, object)
            }
            None => type_error(Mistake::Count, format!("{}() needs {name}", self.signature.name)),
        }
    }

    /// Refuses an argument that differs from the default.
    pub fn only(&self, name: &str, default: &str) -> PyResult<()> {
        let Some(object) = self.given(name) else { return Ok(()) };
        if object.repr()?.to_cow()?.trim_matches('\'') == default {
            return Ok(());
        }
        let (function, value) = (self.signature.name, object.repr()?);
        Err(value_error(
            Mistake::Choice,
            format!("{function}(): {name} can only be {default}, not {value}"),
        ))
    }

    /// An array.
    pub fn array(&self, name: &str) -> PyResult<Array> {
        convert::array(self.object(name)?, None)
    }

    /// An array, if one is given.
    pub fn optional_array(&self, name: &str) -> PyResult<Option<Array>> {
        self.given(name).map(|object| convert::array(object, None)).transpose()
    }

    /// The arrays of a sequence, of the remaining positional arguments, or along the first axis of
    /// an array.
    pub fn arrays(&self, name: &str) -> PyResult<Vec<Array>> {
        let object = self.object(name)?;
        let items = object.try_iter().map_err(|_| self.wrong(name, "a sequence of arrays"))?;
        items.map(|item| convert::array(&item?, None)).collect()
    }

    /// An array or a number.
    pub fn argument(&self, name: &str) -> PyResult<Argument> {
        convert::argument(self.object(name)?)
    }

    /// An array or a number, if one is given.
    pub fn optional_argument(&self, name: &str) -> PyResult<Option<Argument>> {
        self.given(name).map(convert::argument).transpose()
    }

    /// The argument `out`, if it is given. A tuple of one object stands for the object, as in
    /// NumPy.
    pub fn out_object(&self) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(object) = self.given("out") else { return Ok(None) };
        Ok(Some(match object.cast::<PyTuple>() {
            Ok(tuple) if tuple.len() == 1 => tuple.get_item(0)?,
            _ => object.clone(),
        }))
    }

    /// The array to write, if one is given.
    pub fn out(&self) -> PyResult<Option<Array>> {
        let Some(object) = self.out_object()? else { return Ok(None) };
        let wrong = || wrong_type(&format!("{}(): out", self.name()), "a phalanx.ndarray", &object);
        Ok(Some(target(&object).ok_or_else(wrong)?.clone()))
    }

    /// An integer.
    pub fn integer(&self, name: &str) -> PyResult<i64> {
        integer(self.object(name)?).map_err(|error| self.no_integer(name, "an integer", error))
    }

    /// An integer, if one is given.
    pub fn optional_integer(&self, name: &str) -> PyResult<Option<i64>> {
        let wrong = |error| self.no_integer(name, "an integer", error);
        self.given(name).map(|object| integer(object).map_err(wrong)).transpose()
    }

    /// An integer that may need more than 64 bits.
    pub fn wide_integer(&self, name: &str) -> PyResult<i128> {
        let wide = self.object(name)?.extract::<i128>();
        wide.map_err(|error| self.no_integer(name, "an integer", error))
    }

    /// An integer, or the default if there is no argument. As in NumPy, None is no integer.
    pub fn integer_or(&self, name: &str, default: i64) -> PyResult<i64> {
        if self.find(name).is_some() { self.integer(name) } else { Ok(default) }
    }

    /// A count, or the default if there is no argument.
    pub fn size_or(&self, name: &str, default: usize) -> PyResult<usize> {
        if self.find(name).is_some() { self.count(name) } else { Ok(default) }
    }

    /// One integer or several.
    pub fn integers(&self, name: &str) -> PyResult<Vec<i64>> {
        let wrong = |error| self.no_integer(name, "an integer or several", error);
        integers(self.object(name)?).map_err(wrong)
    }

    /// One integer or several, if they are given.
    pub fn optional_integers(&self, name: &str) -> PyResult<Option<Vec<i64>>> {
        let wrong = |error| self.no_integer(name, "an integer or several", error);
        self.given(name).map(|object| integers(object).map_err(wrong)).transpose()
    }

    /// The remaining positional arguments as integers, which may be in one tuple.
    pub fn integers_of_rest(&self, name: &str) -> PyResult<Vec<i64>> {
        let rest = self.object(name)?.cast::<PyTuple>()?;
        match rest.len() {
            1 => integers(&rest.get_item(0)?),
            _ => integers(rest.as_any()),
        }
        .map_err(|error| self.no_integer(name, "integers", error))
    }

    /// The extents of a shape.
    pub fn shape(&self, name: &str) -> PyResult<Vec<i64>> {
        self.integers(name).map_err(|error| self.no_extent(error))
    }

    /// The error of an argument that is no number. An overflow stays Python's error, and an
    /// exception of the program's own `__index__` stays as it is.
    pub fn no_integer(&self, name: &str, expected: &str, error: PyErr) -> PyErr {
        if is_of::<PyOverflowError>(self.py, &error) {
            as_numpy_raises(self.py, Mistake::Large, error)
        } else {
            for_type_error(self.py, error, || self.wrong(name, expected))
        }
    }

    /// The error of an argument that is no extent: an overflow becomes NumPy's error.
    pub fn no_extent(&self, error: PyErr) -> PyErr {
        if is_of::<PyOverflowError>(self.py, &error) {
            value_error(
                Mistake::Value,
                format!("{}(): Maximum allowed dimension exceeded", self.name()),
            )
        } else {
            error
        }
    }

    /// A real number, or the default if none is given.
    pub fn float_or(&self, name: &str, default: f64) -> PyResult<f64> {
        Ok(self.optional_float(name)?.unwrap_or(default))
    }

    /// A real number.
    pub fn float(&self, name: &str) -> PyResult<f64> {
        self.optional_float(name)?.ok_or_else(|| self.wrong(name, "a real number"))
    }

    /// A real number, if one is given.
    pub fn optional_float(&self, name: &str) -> PyResult<Option<f64>> {
        let Some(object) = self.given(name) else { return Ok(None) };
        let number = match object.cast::<Ndarray>() {
            Ok(array) => array.get().number(self.py)?.extract(),
            Err(_) => object.extract::<f64>(),
        };
        number.map(Some).map_err(|error| self.no_integer(name, "a real number", error))
    }

    /// A truth value, or the default if none is given.
    pub fn truth_or(&self, name: &str, default: bool) -> PyResult<bool> {
        self.given(name).map_or(Ok(default), |object| object.is_truthy())
    }

    /// A string, if one is given.
    pub fn optional_text(&self, name: &str) -> PyResult<Option<String>> {
        let Some(object) = self.given(name) else { return Ok(None) };
        let text = object.cast::<PyString>().map_err(|_| self.wrong(name, "a string"))?;
        Ok(Some(text.to_cow()?.into_owned()))
    }

    /// A string, or the default if none is given.
    pub fn text_or(&self, name: &str, default: &str) -> PyResult<String> {
        Ok(self.optional_text(name)?.unwrap_or_else(|| default.to_owned()))
    }

    /// A dtype, if one is given.
    pub fn optional_dtype(&self, name: &str) -> PyResult<Option<DType>> {
        self.given(name).map(dtypes::from_python).transpose()
    }

    /// A dtype.
    pub fn dtype(&self, name: &str) -> PyResult<DType> {
        dtypes::from_python(self.object(name)?)
    }

    /// A dtype, or the default if none is given.
    pub fn dtype_or(&self, name: &str, default: DType) -> PyResult<DType> {
        Ok(self.optional_dtype(name)?.unwrap_or(default))
    }

    /// The order of elements in memory: `C`, `F`, `A` or `K`.
    pub fn order_or(&self, name: &str, default: MemoryOrder) -> PyResult<MemoryOrder> {
        match self.optional_text(name)?.as_deref() {
            None => Ok(default),
            Some("C" | "c") => Ok(MemoryOrder::C),
            Some("F" | "f") => Ok(MemoryOrder::F),
            Some("A" | "a") => Ok(MemoryOrder::A),
            Some("K" | "k") => Ok(MemoryOrder::K),
            Some(other) => Err(value_error(
                Mistake::Choice,
                format!(
                    "{}(): order must be one of 'C', 'F', 'A', or 'K', not '{other}'",
                    self.name()
                ),
            )),
        }
    }

    /// The parameters `axis` and `keepdims` of a reduction.
    pub fn axes(&self) -> PyResult<Axes> {
        let axes = match self.given("axis") {
            None => Axes::from(()),
            Some(object) if is_integer(object)? => axis(self.integer("axis")?),
            Some(_) => axis(self.integers("axis")?.as_slice()),
        };
        let keeps =
            self.signature.place("keepdims").is_some() && self.truth_or("keepdims", false)?;
        Ok(if keeps { keepdims(axes) } else { axes })
    }

    /// As [`Arguments::axes`], but several axes must be a tuple.
    pub fn tuple_axes(&self) -> PyResult<Axes> {
        if let Some(object) = self.given("axis")
            && !object.is_instance_of::<PyTuple>()
        {
            self.integer("axis")?;
        }
        self.axes()
    }

    /// All parameters that a reduction may have.
    pub fn reduction(&self) -> PyResult<Axes> {
        let has = |name: &str| self.signature.place(name).is_some();
        let mut axes = self.tuple_axes()?;
        if has("initial")
            && let Some(initial) = self.optional_argument("initial")?
        {
            axes = axes.initial(initial);
        }
        if has("where")
            && let Some(mask) = self.elements_that_count()?
        {
            axes = axes.masked(&mask);
        }
        if has("dtype")
            && let Some(dtype) = self.optional_dtype("dtype")?
        {
            axes = axes.dtype(dtype);
        }
        if has("mean")
            && let Some(mean) = self.optional_array("mean")?
        {
            axes = axes.mean(&mean);
        }
        if has("out")
            && let Some(out) = self.out()?
        {
            axes = axes.out(&out);
        }
        Ok(axes)
    }

    /// The mask `where`, unless it is None or True. As in NumPy, numbers and lists are read as
    /// truth values, while an array must be of bool.
    pub fn elements_that_count(&self) -> PyResult<Option<Array>> {
        let Some(object) = self.given("where") else { return Ok(None) };
        // NumPy's own default is True.
        if object.cast_exact::<PyBool>().is_ok_and(|truth| truth.is_true()) {
            return Ok(None);
        }
        let is_number = object.is_instance(&dtypes::numpy(self.py)?.getattr("generic")?)?;
        if object.hasattr("dtype")? && !is_number {
            let mask = convert::array(object, None)?;
            return match mask.dtype() {
                DType::Bool => Ok(Some(mask)),
                dtype => Err(type_error(
                    Mistake::Type,
                    format!(
                        "{}(): where must be an array of bool, not of {}: compare its elements, \
                         as in x != 0",
                        self.name(),
                        dtype.numpy_name()
                    ),
                )),
            };
        }
        convert::array(object, Some(DType::Bool)).map(Some)
    }

    /// The function's name.
    pub fn name(&self) -> &'static str {
        self.signature.name
    }
}

/// Whether an object is one integer. Errors: an exception of the program's own `__index__`.
pub fn is_integer(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        return Ok(false);
    }
    let py = object.py();
    match integer(object) {
        Ok(_) => Ok(true),
        Err(error) if is_of::<PyTypeError>(py, &error) => Ok(false),
        Err(error) if is_of::<PyOverflowError>(py, &error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// One integer: of Python, of NumPy, or an array of one element.
pub fn integer(object: &Bound<'_, PyAny>) -> PyResult<i64> {
    // `__index__` of an array waits for its element.
    object.extract::<i64>()
}

/// One integer or several.
pub fn integers(object: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    match integer(object) {
        Ok(one) => Ok(vec![one]),
        Err(error) if !is_of::<PyTypeError>(object.py(), &error) => Err(error),
        Err(_) => object.try_iter()?.map(|item| integer(&item?)).collect(),
    }
}

/// The error of an argument of a wrong type.
pub fn wrong_type(name: &str, expected: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let is_element = object.cast::<Ndarray>().is_ok_and(|array| array.get().array.is_element());
    let found = match object.get_type().name() {
        _ if is_element => String::from("an element, which never changes"),
        Ok(name) => name.to_string(),
        Err(_) => String::from("?"),
    };
    type_error(Mistake::Type, format!("{name} must be {expected}, not {found}"))
}
