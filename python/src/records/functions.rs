//! Functions of structured arrays: they make, copy, move and save elements. All other functions
//! refuse structured arrays, because there is no arithmetic with records.

use super::items::written;
use crate::calls::answer::Answer;
use crate::calls::arguments::{Arguments, integers};
use crate::convert;
use crate::convert::record_dtypes::given;
use crate::convert::records::{of_host, owns_records, records_of, value_for};
use crate::interpreter::errors::{raised, refused, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::interpreter::site::at_line;
use crate::objects::ndarray::Ndarray;
use phalanx::records::{Record, RecordValue, Records};
use phalanx::{Error, MemoryOrder, Weak};
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Functions that take structured arrays or dtypes.
const TAKING: [&str; 34] = [
    "array",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "broadcast_to",
    "concat",
    "concatenate",
    "copy",
    "copyto",
    "empty",
    "empty_like",
    "fill",
    "flatten",
    "full",
    "full_like",
    "may_share_memory",
    "ndim",
    "ones",
    "ones_like",
    "ravel",
    "reshape",
    "save",
    "savez",
    "savez_compressed",
    "shape",
    "shares_memory",
    "size",
    "squeeze",
    "swapaxes",
    "transpose",
    "view",
    "zeros",
];

/// Whether a function may accept structured arrays or dtypes.
pub fn may_take(name: &str) -> bool {
    TAKING.contains(&name) || name == "zeros_like"
}

/// The structured dtype that a call asks for.
fn dtype_of(a: &Arguments<'_, '_>) -> PyResult<Option<Arc<Record>>> {
    if a.takes("dtype") { a.given("dtype").map_or(Ok(None), given) } else { Ok(None) }
}

/// The first array argument of the call.
fn subject<'a, 'py>(a: &'a Arguments<'_, 'py>) -> Option<&'a Bound<'py, PyAny>> {
    const NAMES: [&str; 8] = ["a", "object", "arr", "m", "x", "prototype", "array", "dst"];
    NAMES.iter().filter(|name| a.takes(name)).find_map(|name| a.given(name))
}

fn answered(py: Python<'_>, result: Result<Records, Error>) -> PyResult<Option<Answer>> {
    let records = result.map_err(|error| raised(py, &error))?;
    Ok(Some(Answer::Object(Ndarray::wrap_records(py, records)?)))
}

/// The answer of a function for structured arrays or a structured dtype; `None` if none are given,
/// or if the function does not support them.
pub fn called(a: &Arguments<'_, '_>) -> PyResult<Option<Answer>> {
    let py = a.py();
    let name = a.name();
    match name {
        "zeros" | "empty" | "ones" | "full" => {
            let Some(record) = dtype_of(a)? else { return Ok(None) };
            made(a, &record).map(Some)
        }
        "zeros_like" | "empty_like" | "ones_like" | "full_like" => {
            let own = subject(a).and_then(records_of);
            let (own, asked) = (own.map(|records| records.record().clone()), dtype_of(a)?);
            match asked.or(if a.has("dtype") { None } else { own }) {
                Some(record) => made(a, &record).map(Some),
                None => Ok(None),
            }
        }
        "array" | "asarray" | "asanyarray" | "ascontiguousarray" | "asfortranarray" => converted(a),
        "astype" | "view" => {
            let Some(object) = subject(a) else { return Ok(None) };
            let (own, asked) = (records_of(object), dtype_of(a)?);
            match (own, asked) {
                (None, None) => Ok(None),
                (own, asked) if name == "view" => viewed(a, object, own, asked.as_ref()),
                (Some(own), Some(record)) => answered(py, at_line(py, || own.cast(&record))),
                (Some(own), None) => {
                    let dtype = a.dtype("dtype")?;
                    let cast = at_line(py, || own.cast_to_numbers(dtype));
                    Ok(Some(cast.map_err(|error| raised(py, &error))?.into()))
                }
                (None, Some(record)) => {
                    let array = a.array(if a.takes("a") { "a" } else { "x" })?;
                    let value = RecordValue::Numbers(phalanx::Argument::Array(array.clone()));
                    answered(py, at_line(py, || Records::filled(array.shape(), &record, &value)))
                }
            }
        }
        "concatenate" | "concat" => {
            let Some(parts) = a.given("arrays") else { return Ok(None) };
            let Ok(items) = parts.try_iter() else { return Ok(None) };
            let items = items.collect::<PyResult<Vec<_>>>()?;
            let parts: Option<Vec<Records>> =
                items.iter().map(|item| records_of(item).cloned()).collect();
            let Some(parts) = parts.filter(|parts| !parts.is_empty()) else { return Ok(None) };
            let axis = a.integer_or("axis", 0)?;
            answered(py, at_line(py, || Records::concatenated(&parts, axis)))
        }
        "copyto" => {
            let Some(target) = a.given("dst").and_then(records_of) else { return Ok(None) };
            if let Some(mask) = a.given("where")
                && !mask.is_exact_instance_of::<pyo3::types::PyBool>()
            {
                let text = "copyto() of structured arrays takes no mask: index them by it";
                return Err(refused::<PyNotImplementedError>(Mistake::Absent, text));
            }
            written(target, a.object("src")?)?;
            Ok(Some(Answer::Nothing))
        }
        "save" | "savez" | "savez_compressed" => super::files::saved(a),
        "shares_memory" | "may_share_memory" => {
            let [first, second] = [a.object("a")?, a.object("b")?];
            if records_of(first).is_none() && records_of(second).is_none() {
                return Ok(None);
            }
            let bytes = |object: &Bound<'_, PyAny>| match records_of(object) {
                Some(records) => Ok(records.bytes().clone()),
                None => convert::array(object, None),
            };
            let (first, second) = (bytes(first)?, bytes(second)?);
            Ok(Some(Answer::Bool(match name {
                "shares_memory" => phalanx::shares_memory(&first, &second),
                _ => phalanx::may_share_memory(&first, &second),
            })))
        }
        _ => moved(a),
    }
}

/// Functions that copy, reorder or fill elements, or return the shape.
fn moved(a: &Arguments<'_, '_>) -> PyResult<Option<Answer>> {
    let py = a.py();
    let Some(object) = subject(a) else { return Ok(None) };
    let Some(records) = records_of(object) else { return Ok(None) };
    let order = |default| a.order_or("order", default);
    let ndim = records.ndim() as i64;
    match a.name() {
        "copy" => {
            let order = order(if a.takes("subok") { MemoryOrder::K } else { MemoryOrder::C })?;
            answered(py, at_line(py, || records.copy_in(order)))
        }
        "reshape" => {
            let shape = match a.object("shape")?.cast::<pyo3::types::PyTuple>() {
                Ok(rest) if rest.len() == 1 => integers(&rest.get_item(0)?)?,
                _ => a.integers("shape")?,
            };
            let order = order(MemoryOrder::C)?;
            answered(py, at_line(py, || records.reshaped(&shape, order)))
        }
        "ravel" => {
            let order = order(MemoryOrder::C)?;
            answered(py, at_line(py, || records.reshaped(&[-1], order)))
        }
        "flatten" => {
            let order = order(MemoryOrder::C)?;
            answered(py, at_line(py, || records.flatten(order)))
        }
        "transpose" => {
            let rest = match a.find("axes") {
                Some(axes) => match axes.cast::<pyo3::types::PyTuple>() {
                    Ok(rest) if rest.len() == 1 => Some(rest.get_item(0)?),
                    Ok(rest) if rest.is_empty() => None,
                    _ => Some(axes.clone()),
                },
                None => None,
            };
            let rest = rest.filter(|rest| !rest.is_none());
            let axes = rest.as_ref().map(integers).transpose()?;
            answered(py, at_line(py, || records.transposed(axes.as_deref())))
        }
        "swapaxes" => {
            let (first, second) = (a.integer("axis1")?, a.integer("axis2")?);
            answered(py, at_line(py, || records.swapaxes(first, second)))
        }
        "squeeze" if !a.has("axis") => answered(py, at_line(py, || records.squeeze())),
        "broadcast_to" => {
            let shape = a.extents("shape")?;
            answered(py, at_line(py, || records.broadcast_to(&shape)))
        }
        "fill" => {
            written(records, a.object("value")?)?;
            Ok(Some(Answer::Nothing))
        }
        "ndim" => Ok(Some(Answer::Int(ndim))),
        "shape" => Ok(Some(Answer::Tuple(records.shape().iter().map(|&n| n.into()).collect()))),
        "size" if !a.has("axis") => Ok(Some(Answer::Int(records.size() as i64))),
        _ => Ok(None),
    }
}

/// A new array of records, filled with a value if one is given.
fn made(a: &Arguments<'_, '_>, record: &Arc<Record>) -> PyResult<Answer> {
    let py = a.py();
    if a.takes("device") {
        a.device()?;
    }
    let own = subject(a);
    let shape = match (a.has("shape"), own) {
        (false, Some(own)) => own.getattr("shape")?.extract()?,
        _ => a.shape("shape")?,
    };
    let is_fortran = own.is_some_and(|own| {
        let flag = |name: &str| own.getattr("flags").and_then(|flags| flags.getattr(name));
        flag("fnc").and_then(|flag| flag.is_truthy()).unwrap_or(false)
    });
    let order = a.order_or("order", MemoryOrder::C)?.following(is_fortran);
    let made = at_line(py, || Records::zeros_in(&shape, record, order));
    let made = made.map_err(|error| raised(py, &error))?;
    match a.name() {
        "full" | "full_like" => written(&made, a.object("fill_value")?)?,
        "ones" | "ones_like" => {
            let one = RecordValue::Numbers(phalanx::Argument::Weak(Weak::Int(1)));
            at_line(py, || made.try_assign(&one)).map_err(|error| raised(py, &error))?;
        }
        _ => {}
    }
    Ok(Answer::Object(Ndarray::wrap_records(py, made)?))
}

/// `array` and its relatives.
fn converted(a: &Arguments<'_, '_>) -> PyResult<Option<Answer>> {
    let py = a.py();
    let Some(object) = subject(a) else { return Ok(None) };
    let asked = dtype_of(a)?;
    let own = records_of(object);
    if asked.is_none() && !owns_records(object)? {
        return Ok(None);
    }
    if own.is_some() && asked.is_none() && a.has("dtype") {
        let dtype = a.dtype("dtype")?;
        let cast = at_line(py, || own.map(|own| own.cast_to_numbers(dtype)));
        return match cast {
            Some(Ok(cast)) => Ok(Some(cast.into())),
            Some(Err(error)) => Err(raised(py, &error)),
            None => Ok(None),
        };
    }
    let always = a.name() == "array";
    let copies = if a.takes("copy") { a.copies("copy", always.then_some(true))? } else { None };
    let order = match a.name() {
        "ascontiguousarray" => MemoryOrder::C,
        "asfortranarray" => MemoryOrder::F,
        _ => a.order_or("order", MemoryOrder::K)?,
    };
    let Some(own) = own else {
        if copies == Some(false) {
            let text = "Unable to avoid copy while creating an array as requested.";
            return Err(value_error(Mistake::Value, text));
        }
        let record = match asked {
            Some(record) => record,
            None => given(&object.getattr("dtype")?)?
                .unwrap_or_else(|| panic!("bug: a structured array without its dtype")),
        };
        // The numbers of an array of ours are written into all fields.
        let made = if object.is_instance_of::<Ndarray>() {
            let shape: Vec<usize> = object.getattr("shape")?.extract()?;
            let value = value_for(object, &record)?;
            at_line(py, || Records::filled(&shape, &record, &value))
        } else {
            Ok(of_host(object, &record)?)
        };
        return match order {
            MemoryOrder::F => answered(py, made.and_then(|made| made.copy_in(order))),
            _ => answered(py, made),
        };
    };
    let copied = at_line(py, || own.copy_if_needed(asked.as_ref(), order, copies));
    match copied.map_err(|error| raised(py, &error))? {
        Some(copy) => answered(py, Ok(copy)),
        None => Ok(Some(Answer::Object(object.clone().unbind()))),
    }
}

/// `view`.
fn viewed(
    a: &Arguments<'_, '_>,
    object: &Bound<'_, PyAny>,
    own: Option<&Records>,
    asked: Option<&Arc<Record>>,
) -> PyResult<Option<Answer>> {
    let py = a.py();
    match (own, asked) {
        (Some(own), Some(record)) => answered(py, at_line(py, || own.view_records(record))),
        (Some(own), None) => match a.class_and_dtype()?.1 {
            Some(dtype) => {
                let seen = at_line(py, || own.view_numbers(dtype));
                Ok(Some(seen.map_err(|error| raised(py, &error))?.into()))
            }
            None => answered(py, Ok(own.clone())),
        },
        (None, Some(record)) => {
            let array = object.cast::<Ndarray>()?.get();
            answered(py, at_line(py, || Records::of_numbers(&array.array, record)))
        }
        (None, None) => Ok(None),
    }
}
