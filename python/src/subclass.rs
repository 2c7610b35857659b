//! Objects of subclasses of `ndarray`. `__array_finalize__` of a new object receives the array that
//! the object was made from.
//!
//! The rules are CuPy's: a view has the class of its array. A result of a ufunc or an operator has
//! the class of the first operand that is of a subclass. Copies and all other results are plain
//! `ndarray`s.

use crate::answer::Answer;
use crate::construct;
use crate::errors::raised;
use crate::ndarray::Ndarray;
use phalanx::Array;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
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

/// Sets `ndarray.__new__`, which a program calls as `ndarray(shape, ...)`.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let class = py.get_type::<Ndarray>();
    // SAFETY: `ndarray` is a type that lives as long as the interpreter, and its slot `tp_new`
    // holds a function of this type, which `#[new]` has put there.
    let slot = unsafe { ffi::PyType_GetSlot(class.as_type_ptr(), ffi::Py_tp_new) };
    assert!(!slot.is_null(), "bug: ndarray has no constructor");
    // SAFETY: as above.
    let slot = unsafe { std::mem::transmute::<*mut std::ffi::c_void, ffi::newfunc>(slot) };
    MAKER.get_or_init(py, || Maker(slot));
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
    let array = construct::constructed(arguments, keywords)?;
    if cls.is(py.get_type::<Ndarray>()) {
        return Ndarray::wrap(py, array);
    }
    made(cls, array, py.None().bind(py)).map(Bound::unbind)
}

/// Makes an object of a class and calls its `__array_finalize__` with `source`.
fn made<'py>(
    class: &Bound<'py, PyType>,
    array: Array,
    source: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    array.ok().map_err(|error| raised(py, &error))?;
    ARE_THERE.store(true, Ordering::Relaxed);
    if !class.is_subclass_of::<Ndarray>()? {
        return Err(construct::no_subclass());
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

/// A view of an object's array as an object of a class.
pub fn view_as<'py>(
    class: &Bound<'py, PyType>,
    array: Array,
    source: &Bound<'py, PyAny>,
) -> PyResult<Py<PyAny>> {
    match class.is(class.py().get_type::<Ndarray>()) {
        true => Ndarray::wrap(class.py(), array),
        false => made(class, array, source).map(Bound::unbind),
    }
}

/// Wraps the answer of a function. A view of an argument of a subclass has the argument's class.
/// `are_elements` says whether results without axes are elements, which never change.
pub fn answered(
    py: Python<'_>,
    answer: Answer,
    template: Option<&Bound<'_, PyAny>>,
    are_elements: &dyn Fn() -> bool,
) -> PyResult<Py<PyAny>> {
    answer.into_python_by(py, &|array| {
        if let Some(template) = template
            && array.has_base_of(&template.cast::<Ndarray>()?.get().array)
        {
            return wrap_as(py, array, Some(template));
        }
        match array.ndim() == 0 && are_elements() {
            true => Ndarray::result(py, array),
            false => Ndarray::wrap(py, array),
        }
    })
}
