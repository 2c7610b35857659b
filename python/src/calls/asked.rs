//! The dtypes that calls of ufuncs name.

use super::arguments::Arguments;
use crate::convert::dtypes;
use crate::interpreter::errors::{type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use phalanx::DType;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

/// The argument `dtype`, or the dtypes that `signature` or `sig` names for each operand and each
/// result.
pub struct Asked {
    /// `dtype`.
    pub dtype: Option<DType>,
    /// `signature`.
    pub signature: Option<Vec<Option<DType>>>,
}

impl Asked {
    /// Reads the arguments of a call of a ufunc with `nin` operands and `nout` results.
    pub fn of(a: &Arguments<'_, '_>, nin: usize, nout: usize) -> PyResult<Asked> {
        let both = |one: &str, other: &str| {
            type_error(Mistake::Together, format!("cannot specify both '{one}' and '{other}'"))
        };
        let given = match (a.find("sig"), a.find("signature")) {
            (Some(_), Some(_)) => return Err(both("sig", "signature")),
            (found, None) | (None, found) => found,
        };
        let Some(given) = given else {
            return Ok(Asked { dtype: a.optional_dtype("dtype")?, signature: None });
        };
        if a.find("dtype").is_some() {
            return Err(both("signature", "dtype"));
        }
        let dtypes = asked_dtypes(a.name(), given, nin, nout)?;
        Ok(Asked { dtype: None, signature: Some(dtypes) })
    }
}

/// The dtypes that a `signature` names: for each operand, and then for each result. It is a string
/// such as `dd->d`, or a tuple, with `None` for a dtype that is left open.
fn asked_dtypes(
    name: &str,
    given: &Bound<'_, PyAny>,
    nin: usize,
    nout: usize,
) -> PyResult<Vec<Option<DType>>> {
    if let Ok(tuple) = given.cast::<PyTuple>() {
        if tuple.len() == 1 {
            return Err(type_error(
                Mistake::Type,
                "Use `dtype` or  fill the tuple with more than one 'None'.",
            ));
        }
        if tuple.len() != nin + nout {
            return Err(value_error(
                Mistake::Value,
                format!(
                    "a type-tuple must be specified of length {} for ufunc '{name}'",
                    nin + nout
                ),
            ));
        }
        let dtype = |object: Bound<'_, PyAny>| {
            if object.is_none() { Ok(None) } else { dtypes::from_python(&object).map(Some) }
        };
        return tuple.iter().map(dtype).collect();
    }
    let text = match given.cast::<PyBytes>() {
        Ok(bytes) => String::from_utf8_lossy(bytes.as_bytes()).into_owned(),
        Err(_) => match given.cast::<PyString>() {
            Ok(text) => text.to_cow()?.into_owned(),
            Err(_) => {
                return Err(type_error(
                    Mistake::Type,
                    "the signature object to ufunc must be a string or a tuple.",
                ));
            }
        },
    };
    if text.chars().count() == 1 {
        return Err(type_error(
            Mistake::Type,
            "Use `dtype` or  fill the tuple with more than one 'None'.",
        ));
    }
    let parts = text.split_once("->");
    let fits = |part: &str, count: usize| part.chars().count() == count;
    let Some((inputs, outputs)) = parts.filter(|(i, o)| fits(i, nin) && fits(o, nout)) else {
        return Err(value_error(
            Mistake::Value,
            format!(
                "a type-string for {name}, {nin} typecode(s) before and {nout} after the -> sign"
            ),
        ));
    };
    let dtype = |letter: char| {
        // `E` is the letter of `ml_dtypes` for bfloat16; NumPy has none.
        if letter == 'E' {
            return Ok(Some(DType::BF16));
        }
        let named = PyString::new(given.py(), &letter.to_string());
        dtypes::from_python(&named).map(Some).map_err(|_| {
            value_error(Mistake::Dtype, format!("Invalid data-type for array: '{letter}'"))
        })
    };
    inputs.chars().chain(outputs.chars()).map(dtype).collect()
}
