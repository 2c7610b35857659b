//! Running combinations.

use crate::calls::answer::Answer;
use crate::calls::arguments::Arguments;
use crate::functions;
use phalanx::{
    Array, Casting, DType, Op, cumprod, cumsum, cumulative_as, cumulative_prod, cumulative_sum,
    nancumprod, nancumsum, nancumulative_as,
};
use pyo3::prelude::*;

/// A running combination in the requested dtype, written into `out` if it is given.
fn scanned(a: &Arguments<'_, '_>, op: Op) -> PyResult<Answer> {
    let (array, axis) = (a.array("a")?, a.optional_integer("axis")?);
    let found = match a.optional_dtype("dtype")? {
        Some(dtype) => cumulative_as(&array, op, axis, dtype),
        None if op == Op::Add => cumsum(&array, axis),
        None => cumprod(&array, axis),
    };
    a.stored_by(found, Casting::Unsafe)
}

/// As [`scanned`], skipping NaN.
fn without_nan(a: &Arguments<'_, '_>, op: Op) -> PyResult<Answer> {
    let (array, axis) = (a.array("a")?, a.optional_integer("axis")?);
    let found = match a.optional_dtype("dtype")? {
        Some(dtype) => nancumulative_as(&array, op, axis, dtype),
        None if op == Op::Add => nancumsum(&array, axis),
        None => nancumprod(&array, axis),
    };
    a.stored_by(found, Casting::Unsafe)
}

type Cumulative = fn(&Array, Option<i64>, Option<DType>, bool) -> Array;

/// The form of the array API standard.
fn cumulative(a: &Arguments<'_, '_>, compute: Cumulative) -> PyResult<Answer> {
    let (axis, dtype) = (a.optional_integer("axis")?, a.optional_dtype("dtype")?);
    let array = a.array("x")?;
    let found = compute(&array, axis, dtype, a.truth_or("include_initial", false)?);
    a.stored_by(found, Casting::Unsafe)
}

functions! { FUNCTIONS, a =>
    "cumsum(a, axis=None, dtype=None, out=None)",
    "The running sum along an axis, or of all elements in C order.":
    scanned(a, Op::Add);

    "cumprod(a, axis=None, dtype=None, out=None)",
    "The running product along an axis, or of all elements in C order.":
    scanned(a, Op::Multiply);

    "nancumsum(a, axis=None, dtype=None, out=None)",
    "The running sum, in which NaN counts as 0.":
    without_nan(a, Op::Add);

    "nancumprod(a, axis=None, dtype=None, out=None)",
    "The running product, in which NaN counts as 1.":
    without_nan(a, Op::Multiply);

    "cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False)",
    "The running sum along an axis; `include_initial` puts 0 before it.":
    cumulative(a, |array, axis, dtype, initial| cumulative_sum(array, axis, dtype, initial));

    "cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False)",
    "The running product along an axis; `include_initial` puts 1 before it.":
    cumulative(a, |array, axis, dtype, initial| cumulative_prod(array, axis, dtype, initial));
}
