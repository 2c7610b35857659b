//! Elements: arrays without axes that never change, where NumPy gives its scalars.

use super::ndarray::Ndarray;
use crate::interpreter::errors::type_error;
use crate::interpreter::mistakes::Mistake;
use phalanx::Array;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Functions whose results without axes are arrays, as in NumPy. Those of all other functions are
/// elements.
const GIVING_ARRAYS: &[&str] = &[
    "apply_along_axis",
    "apply_over_axes",
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "broadcast_arrays",
    "broadcast_to",
    "byteswap",
    "copy",
    "cov",
    "cross",
    "empty",
    "empty_like",
    "frombuffer",
    "fromfunction",
    "full",
    "full_like",
    "i0",
    "isin",
    "meshgrid",
    "moveaxis",
    "ones",
    "ones_like",
    "piecewise",
    "real_if_close",
    "require",
    "roll",
    "select",
    "tensordot",
    "to_device",
    "view",
    "where",
    "zeros",
    "zeros_like",
];

/// Functions that give an element for an element, and an array for an array.
const FOLLOWING: &[&str] =
    &["imag", "permute_dims", "real", "reshape", "squeeze", "swapaxes", "transpose", "trim_zeros"];

/// When a function's results without axes are elements.
#[derive(Clone, Copy)]
pub enum Elements {
    /// Always.
    Always,
    /// If the array of the call is an element.
    Following,
    /// Only as a method of an element.
    MethodsOnly,
}

impl Elements {
    /// The rule of a function.
    pub fn of(name: &str) -> Elements {
        if FOLLOWING.contains(&name) {
            Elements::Following
        } else if name.starts_with('_') || GIVING_ARRAYS.contains(&name) {
            Elements::MethodsOnly
        } else {
            Elements::Always
        }
    }

    /// Whether the results of a call without axes are elements; `first` is its first argument.
    pub fn elements(self, is_method: bool, first: Option<&Bound<'_, PyAny>>) -> bool {
        let is_element = || {
            let array = first.and_then(|object| object.cast::<Ndarray>().ok());
            array.map(|array| array.get().array.is_element())
        };
        match self {
            Elements::Always => true,
            // A call without an array of ours gives elements.
            Elements::Following => is_element().unwrap_or(true),
            Elements::MethodsOnly => is_method && is_element() == Some(true),
        }
    }
}

/// The array of an object that is to be written. It must be one of ours and no element.
pub fn target<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Array> {
    let array = &object.cast::<Ndarray>().ok()?.get().array;
    (!array.is_element()).then_some(array)
}

/// The array that an in-place operator changes. An element has none: the operator answers
/// `NotImplemented`, and Python uses the operator that makes another object.
pub struct InPlace<'a, 'py>(pub &'a Bound<'py, Ndarray>);

impl<'a, 'py> TryFrom<&'a Bound<'py, Ndarray>> for InPlace<'a, 'py> {
    type Error = PyErr;

    fn try_from(object: &'a Bound<'py, Ndarray>) -> PyResult<InPlace<'a, 'py>> {
        if object.get().array.is_element() {
            // Nobody sees this error: the operator answers `NotImplemented`. Without a message it
            // needs no memory.
            Err(PyTypeError::new_err(()))
        } else {
            Ok(InPlace(object))
        }
    }
}

/// The error of a write to an element.
pub fn never_changes() -> PyErr {
    type_error(
        Mistake::Fixed,
        "an element of an array does not support item assignment: it is a number, which never \
         changes",
    )
}
