//! The arguments of `pad`.

use crate::calls::arguments::Arguments;
use crate::calls::callback::broken;
use crate::convert::dtypes::numpy;
use crate::convert::{self, on_host};
use crate::interpreter::errors::{as_numpy_raises, type_error, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use phalanx::{Array, Ends, PadMode, PadWidths, Statistic, Weak};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use std::cell::RefCell;

/// `pad`.
pub fn padded(a: &Arguments<'_, '_>) -> PyResult<Array> {
    let array = a.array("array")?;
    let ndim = array.ndim();
    if let Some(function) = a.find("mode").filter(|mode| mode.is_callable()) {
        return called(a, &array, function);
    }
    let name = a.text_or("mode", "constant")?;
    let allowed: &[&str] = match name.as_str() {
        "constant" => &["constant_values"],
        "linear_ramp" => &["end_values"],
        "maximum" | "minimum" | "mean" | "median" => &["stat_length"],
        "reflect" | "symmetric" => &["reflect_type"],
        "empty" | "edge" | "wrap" => &[],
        other => {
            return Err(value_error(Mistake::Choice, format!("mode '{other}' is not supported")));
        }
    };
    for option in ["stat_length", "constant_values", "end_values", "reflect_type"] {
        if a.find(option).is_some() && !allowed.contains(&option) {
            return Err(value_error(
                Mistake::Value,
                format!("unsupported keyword arguments for mode '{name}': {{'{option}'}}"),
            ));
        }
    }
    if let Some(unknown) = a.given("kwargs") {
        let names = unknown.cast::<PyDict>()?.keys();
        let text = format!("unsupported keyword arguments for mode '{name}': {names}");
        return Err(value_error(Mistake::Keyword, text));
    }
    let widths = widths(a, ndim)?;
    let ends = |name: &str| -> PyResult<Ends> {
        let Some(object) = a.given(name) else { return Ok(Ends::from(0)) };
        let number = |value: &Bound<'_, PyAny>| -> PyResult<Weak> {
            convert::weak(value)?.ok_or_else(|| a.wrong(name, "numbers"))
        };
        let ends = pairs(object, ndim, number)?;
        Ok(Ends::Each(ends))
    };
    let statistic = |statistic| -> PyResult<PadMode> {
        let lengths = a.given("stat_length").map(|object| {
            pairs(object, ndim, |value| count(value, "stat_length")).map(PadWidths::Each)
        });
        Ok(PadMode::Statistic(statistic, lengths.transpose()?))
    };
    let odd = a.text_or("reflect_type", "even")? == "odd";
    let mode = match name.as_str() {
        "empty" => PadMode::Empty,
        "edge" => PadMode::Edge,
        "linear_ramp" => PadMode::LinearRamp(ends("end_values")?),
        "maximum" => statistic(Statistic::Maximum)?,
        "minimum" => statistic(Statistic::Minimum)?,
        "mean" => statistic(Statistic::Mean)?,
        "median" => statistic(Statistic::Median)?,
        "reflect" => PadMode::Reflect { odd },
        "symmetric" => PadMode::Symmetric { odd },
        "wrap" => PadMode::Wrap,
        _ => PadMode::Constant(ends("constant_values")?),
    };
    Ok(phalanx::pad(&array, widths, mode))
}

/// The array padded with zeros, and then written by a function of the program, line by line along
/// each axis, as in NumPy. Lines are views, which the function changes.
fn called(a: &Arguments<'_, '_>, array: &Array, function: &Bound<'_, PyAny>) -> PyResult<Array> {
    let py = a.py();
    let keywords = match a.given("kwargs") {
        Some(keywords) => keywords.cast::<PyDict>()?.copy()?,
        None => PyDict::new(py),
    };
    for name in ["stat_length", "constant_values", "end_values", "reflect_type"] {
        if let Some(value) = a.find(name) {
            keywords.set_item(name, value)?;
        }
    }
    let failed = RefCell::new(None);
    let write = |line: &Array, pair: (usize, usize), axis: usize| {
        let line = Ndarray::wrap(py, line.clone());
        let called = line.and_then(|line| function.call1((line, pair, axis, &keywords)));
        called.map(drop).or_else(|exception| {
            *failed.borrow_mut() = Some(exception);
            // This error ends the walk; the exception is raised instead.
            broken().ok().map(drop)
        })
    };
    let padded = phalanx::pad_by(array, widths(a, array.ndim())?, write);
    failed.into_inner().map_or(Ok(padded), Err)
}

fn widths(a: &Arguments<'_, '_>, ndim: usize) -> PyResult<PadWidths> {
    let object = a.object("pad_width")?;
    let read = |value: &Bound<'_, PyAny>| count(value, "pad_width");
    let Ok(by_axis) = object.cast::<PyDict>() else {
        if object.len().is_ok_and(|length| length == 0) {
            return Err(no_integer("pad_width"));
        }
        return pairs(object, ndim, read).map(PadWidths::Each);
    };
    let width = |(axis, pair): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let axis: i64 = axis
            .extract()
            .map_err(|_| type_error(Mistake::Type, "axes of `pad_width` are integers"))?;
        Ok((axis, pairs(&pair, 1, read)?[0]))
    };
    by_axis.iter().map(width).collect::<PyResult<_>>().map(PadWidths::ByAxis)
}

fn count(value: &Bound<'_, PyAny>, name: &str) -> PyResult<usize> {
    if value.is_instance_of::<PyBool>() {
        return Err(no_integer(name));
    }
    let number: i64 = value.extract().map_err(|_| no_integer(name))?;
    usize::try_from(number)
        .map_err(|_| value_error(Mistake::Value, "index can't contain negative values"))
}

fn no_integer(name: &str) -> PyErr {
    type_error(Mistake::Type, format!("`{name}` must be of integral type."))
}

/// A pair for each axis, of a value that NumPy broadcasts to that shape.
fn pairs<T>(
    object: &Bound<'_, PyAny>,
    ndim: usize,
    read: impl Fn(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<(T, T)>> {
    let numpy = numpy(object.py())?;
    let coded = |error| as_numpy_raises(object.py(), Mistake::Value, error);
    let array = numpy.getattr("asarray")?.call1((on_host(object)?,)).map_err(coded)?;
    let all = numpy.getattr("broadcast_to")?.call1((array, (ndim, 2))).map_err(coded)?;
    let all = all.call_method0("tolist")?;
    let pair = |pair: Bound<'_, PyAny>| -> PyResult<(T, T)> {
        Ok((read(&pair.get_item(0)?)?, read(&pair.get_item(1)?)?))
    };
    all.try_iter()?.map(|one| pair(one?)).collect()
}
