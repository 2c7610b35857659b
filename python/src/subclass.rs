//! Subclasses of `ndarray`: their objects are made here, and told what they are made from.
//!
//! A view or a result of an operation has the class of the array that it comes from, as in CuPy:
//! views that of their array, results of ufuncs and operators that of the first operand that is of
//! a subclass. What else is computed, and copies, are of `ndarray` itself.

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

/// Whether there is an object of a subclass. Before, no call has to look for one.
static ARE_THERE: AtomicBool = AtomicBool::new(false);

/// An array on its way into an object of a class: what the slot `tp_new` of `ndarray` takes.
#[pyclass(name = "_Made", module = "phalanx", frozen)]
pub struct Made {
    /// The array.
    pub array: Array,
    /// Whether no other array shows its elements.
    pub owns_data: bool,
}

/// The class of `ndarray`, and the function that makes objects of it and its subclasses.
struct Maker(ffi::newfunc);

static MAKER: PyOnceLock<Maker> = PyOnceLock::new();

/// Gives `ndarray` its constructor, which Python calls with the arguments of a program.
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

/// An array as an object of a class, which is told what the array comes from.
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
    // SAFETY: the function is `tp_new` of `ndarray`, of which the class is a subclass; it answers
    // with an object of its own or none and an exception.
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

/// What an operation gives as an object of the class of a template, if there is one.
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

/// The answer of a function as an object: views of an argument of a subclass are of its class. A
/// rule says whether arrays without axes are elements.
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
