//! Objects of subclasses of `ndarray`. `__array_finalize__` of a new object receives the array that
//! the object was made from.
//!
//! The rules are CuPy's: a view has the class of its array. A result of a ufunc or an operator has
//! the class of the first operand that is of a subclass. Copies and all other results are plain
//! `ndarray`s.

use super::ndarray::Ndarray;
use crate::interpreter::errors::{raised, value_error};
use crate::interpreter::mistakes::Mistake;
use phalanx::{Array, KnownElement};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether any object of a subclass has been made. Until then no call searches its arguments.
static ARE_THERE: AtomicBool = AtomicBool::new(false);

/// The argument with which the slot `tp_new` of `ndarray` is called: the array of the new object.
#[pyclass(name = "_Made", module = "phalanx", frozen)]
pub struct Made {
    /// The array.
    pub array: Array,
    /// Whether no other array shows its elements.
    pub owns_data: bool,
}

/// The slot `tp_new` of `ndarray`, which also makes objects of subclasses.
struct Maker(ffi::newfunc);

static MAKER: PyOnceLock<Maker> = PyOnceLock::new();

/// Keeps the slot, which `#[new]` has put there, before a program's constructor replaces it.
pub fn keep_maker(py: Python<'_>) {
    let class = py.get_type::<Ndarray>();
    // SAFETY: `ndarray` is a type that lives as long as the interpreter, and its slot `tp_new`
    // holds a function of this type, which `#[new]` has put there.
    let slot = unsafe { ffi::PyType_GetSlot(class.as_type_ptr(), ffi::Py_tp_new) };
    assert!(!slot.is_null(), "bug: ndarray has no constructor");
    // SAFETY: as above.
    let slot = unsafe { std::mem::transmute::<*mut std::ffi::c_void, ffi::newfunc>(slot) };
    MAKER.get_or_init(py, || Maker(slot));
}

/// The error of a class that is no subclass of `ndarray`.
pub fn no_subclass() -> PyErr {
    value_error(Mistake::Value, "Type must be a sub-type of ndarray type")
}

/// Makes an object of a class and calls its `__array_finalize__` with `source`.
pub fn made<'py>(
    class: &Bound<'py, PyType>,
    array: Array,
    source: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    array.ok().map_err(|error| raised(py, &error))?;
    ARE_THERE.store(true, Ordering::Relaxed);
    if !class.is_subclass_of::<Ndarray>()? {
        return Err(no_subclass());
    }
    let owns_data = array.is_sole();
    let arguments = PyTuple::new(py, [Bound::new(py, Made { array, owns_data })?])?;
    let maker = MAKER.get(py).unwrap_or_else(|| panic!("bug: ndarray has no constructor"));
    // SAFETY: the function is `tp_new` of `ndarray`, and the class is a subclass of it. It returns
    // a new reference, or null with an exception set.
    let object = unsafe {
        let made = (maker.0)(class.as_type_ptr(), arguments.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(py, made)?
    };
    object.call_method1("__array_finalize__", (source,))?;
    Ok(object)
}

/// Whether an object is of a subclass.
fn is_of_subclass(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<Ndarray>() && !object.is_exact_instance_of::<Ndarray>()
}

/// The first object of a subclass among some.
pub fn template<'a, 'py: 'a>(
    objects: impl IntoIterator<Item = &'a Bound<'py, PyAny>>,
) -> Option<Bound<'py, PyAny>> {
    if !ARE_THERE.load(Ordering::Relaxed) {
        return None;
    }
    objects.into_iter().find(|object| is_of_subclass(object)).cloned()
}

/// Wraps a result: in the class of the template if there is one, else as `ndarray`.
pub fn wrap_as(
    py: Python<'_>,
    array: Array,
    template: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    match template {
        Some(template) => made(&template.get_type(), array, template).map(Bound::unbind),
        None => Ndarray::result(py, array),
    }
}

/// As [`wrap_as`], for a known element.
pub fn wrap_known(
    py: Python<'_>,
    element: KnownElement,
    template: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    match template {
        Some(template) => wrap_as(py, element.array(), Some(template)),
        None => Ndarray::known(py, element),
    }
}

/// A view of an object's array as an object of a class.
pub fn view_as<'py>(
    class: &Bound<'py, PyType>,
    array: Array,
    source: &Bound<'py, PyAny>,
) -> PyResult<Py<PyAny>> {
    if class.is(class.py().get_type::<Ndarray>()) {
        Ndarray::wrap(class.py(), array)
    } else {
        made(class, array, source).map(Bound::unbind)
    }
}

/// A view of an object's array, or a copy of its elements, as an object of the same class.
pub fn view_of(source: &Bound<'_, Ndarray>, array: Array, is_element: bool) -> PyResult<Py<PyAny>> {
    match template([source.as_any()]) {
        None if is_element => Ndarray::result(source.py(), array),
        None => Ndarray::wrap(source.py(), array),
        template => wrap_as(source.py(), array, template.as_ref()),
    }
}
