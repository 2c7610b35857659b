//! Reductions with initial values, masks, dtypes and outputs, and the range.

use crate::arguments::Arguments;
use phalanx::{Array, Axes};

/// The axes, and every other option that is given.
pub fn options(a: &Arguments) -> Axes {
    let mut axes = a.axes();
    if let Some(initial) = a.optional_argument("initial") {
        axes = axes.initial(initial);
    }
    if let Some(mask) = a.optional_array("where") {
        axes = axes.masked(&mask);
    }
    if let Some(dtype) = a.optional_dtype("dtype") {
        axes = axes.dtype(dtype);
    }
    if let Some(mean) = a.optional_array("mean") {
        axes = axes.mean(&mean);
    }
    match a.optional_array("out") {
        Some(out) => axes.out(&out),
        None => axes,
    }
}

/// The outcome of a reduction that writes into one of its arguments.
pub fn written(result: &Array) -> Result<(), phalanx::Error> {
    result.ok().map(|_| ())
}

calls! { a =>
    "sum": a.array(0).sum(options(a)),
    "prod": a.array(0).prod(options(a)),
    "min": a.array(0).min(options(a)),
    "max": a.array(0).max(options(a)),
    "any": a.array(0).any(options(a)),
    "all": a.array(0).all(options(a)),
    "mean": phalanx::mean(&a.array(0), options(a)),
    "ndarray.mean": a.array(0).mean(options(a)),
    "var": a.array(0).var(options(a), a.float_or("ddof", 0.0)),
    "std": a.array(0).std(options(a), a.float_or("ddof", 0.0)),
    "ptp": a.array(0).ptp(options(a)),
}
