//! Elements: arrays without axes that never change, where NumPy gives its scalars.

use super::ndarray::Ndarray;
use crate::interpreter::errors::type_error;
use crate::interpreter::mistakes::Mistake;
use phalanx::Array;
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

/// Whether a function's result without axes is an element.
pub fn are_given_by(name: &str, is_method: bool, first: Option<&Bound<'_, PyAny>>) -> bool {
    let array = first.and_then(|object| object.cast::<Ndarray>().ok());
    match array {
        Some(array) if is_method && array.get().array.is_element() => true,
        Some(array) if FOLLOWING.contains(&name) => array.get().array.is_element(),
        _ => !name.starts_with('_') && !GIVING_ARRAYS.contains(&name),
    }
}

/// The array of an object that is to be written. It must be one of ours and no element.
pub fn target<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Array> {
    let array = &object.cast::<Ndarray>().ok()?.get().array;
    (!array.is_element()).then_some(array)
}

/// The array that an in-place operator changes. An element has none: the operator answers
/// `NotImplemented`, and Python uses the operator that makes another object.
pub struct InPlace<'a>(pub &'a Ndarray);

impl<'a, 'py> TryFrom<&'a Bound<'py, Ndarray>> for InPlace<'a> {
    type Error = PyErr;

    fn try_from(object: &'a Bound<'py, Ndarray>) -> PyResult<InPlace<'a>> {
        if object.get().array.is_element() {
            Err(never_changes())
        } else {
            Ok(InPlace(object.get()))
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
