//! Sums and other combinations of elements.

use crate::arguments::Arguments;
use crate::errors::runtime_warning;
use crate::functions;
use crate::site::{at_line, here};
use phalanx::Array;
use pyo3::prelude::*;

/// The number that is subtracted from the number of elements in the divisor of a variance.
fn ddof(a: &Arguments<'_, '_>) -> PyResult<f64> {
    a.float_or("correction", a.float_or("ddof", 0.0)?)
}

/// Warns if the slices behind each result have no more than `least` elements.
pub(super) fn warn_of_few(
    a: &Arguments<'_, '_>,
    array: &Array,
    result: &Array,
    least: f64,
    text: &'static str,
) -> PyResult<()> {
    match result.ok() {
        Ok(known) if known.size() > 0 && (array.size() / known.size()) as f64 <= least => {
            runtime_warning(a.py(), text, here(a.py()))
        }
        _ => Ok(()),
    }
}

/// Warns if the slices of a median or a quantile have no elements. If all elements of a slice are
/// NaN, the warning comes with the next observation.
pub(super) fn warn_of_nan(a: &Arguments<'_, '_>, array: &Array, result: &Array) -> PyResult<()> {
    if array.ok().is_ok_and(|array| array.size() == 0) {
        let slices = match a.axes() {
            Ok(axes) => at_line(a.py(), || array.all(axes)),
            Err(_) => return Ok(()),
        };
        return warn_of_few(a, array, &slices, 0.0, EMPTY_SLICE);
    }
    if array.dtype().is_inexact() && result.ok().is_ok_and(|result| result.size() > 0) {
        let axes = a.axes()?;
        let condition = at_line(a.py(), || array.isnan().all(axes).any(()));
        phalanx::warn_where(ALL_NAN, condition, here(a.py()));
    }
    Ok(())
}

pub(super) const EMPTY_SLICE: &str = "Mean of empty slice";
pub(super) const NO_DEGREES: &str = "Degrees of freedom <= 0 for slice";
const ALL_NAN: &str = "All-NaN slice encountered";

functions! { FUNCTIONS, a =>
    "sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None)",
    "The sum of elements over axes.":
    a.written_out(a.array("a")?.sum(a.reduction()?));

    "prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None)",
    "The product of elements over axes.":
    a.written_out(a.array("a")?.prod(a.reduction()?));

    "min(a, axis=None, out=None, keepdims=False, initial=None, where=None)",
    "The least element over axes.":
    a.written_out(a.array("a")?.min(a.reduction()?));

    "max(a, axis=None, out=None, keepdims=False, initial=None, where=None)",
    "The greatest element over axes.":
    a.written_out(a.array("a")?.max(a.reduction()?));

    "amin(a, axis=None, out=None, keepdims=False, initial=None, where=None)",
    "The least element over axes: `min`.":
    a.written_out(a.array("a")?.min(a.reduction()?));

    "amax(a, axis=None, out=None, keepdims=False, initial=None, where=None)",
    "The greatest element over axes: `max`.":
    a.written_out(a.array("a")?.max(a.reduction()?));

    "any(a, axis=None, out=None, keepdims=False, *, where=None)",
    "Whether an element over axes is true.":
    a.written_out(a.array("a")?.any(a.reduction()?));

    "all(a, axis=None, out=None, keepdims=False, *, where=None)",
    "Whether all elements over axes are true.":
    a.written_out(a.array("a")?.all(a.reduction()?));

    "count_nonzero(a, axis=None, *, keepdims=False)",
    "The number of elements over axes that are not zero.":
    a.array("a")?.count_nonzero(a.tuple_axes()?);

    "mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None)",
    "The mean of elements over axes.":
    a.written_out(phalanx::mean(&a.array("a")?, a.reduction()?));

    "var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, \
     where=None, mean=None, correction=None)",
    "The variance of elements over axes.":
    a.written_out(a.array("a")?.var(a.reduction()?, ddof(a)?));

    "std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, \
     where=None, mean=None, correction=None)",
    "The standard deviation of elements over axes.":
    a.written_out(a.array("a")?.std(a.reduction()?, ddof(a)?));

    "ptp(a, axis=None, out=None, keepdims=False)",
    "The range of elements over axes.":
    a.written_out(a.array("a")?.ptp(a.reduction()?));

    "argmin(a, axis=None, out=None, *, keepdims=False)",
    "The position of the least element along an axis.":
    a.written_out(a.array("a")?.argmin(a.reduction()?));

    "argmax(a, axis=None, out=None, *, keepdims=False)",
    "The position of the greatest element along an axis.":
    a.written_out(a.array("a")?.argmax(a.reduction()?));

    "nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None)",
    "The sum of the elements over axes that are not NaN.":
    a.written_out(phalanx::nansum(&a.array("a")?, a.reduction()?));

    "nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None)",
    "The product of the elements over axes that are not NaN.":
    a.written_out(phalanx::nanprod(&a.array("a")?, a.reduction()?));

    "nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=None)",
    "The least of the elements over axes that are not NaN.":
    a.written_out(phalanx::nanmin(&a.array("a")?, a.reduction()?));

    "nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=None)",
    "The greatest of the elements over axes that are not NaN.":
    a.written_out(phalanx::nanmax(&a.array("a")?, a.reduction()?));

    "nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None)",
    "The mean of the elements over axes that are not NaN.":
    a.written_out(phalanx::nanmean(&a.array("a")?, a.reduction()?));

    "nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, \
     where=None, mean=None, correction=None)",
    "The variance of the elements over axes that are not NaN.":
    a.written_out(phalanx::nanvar(&a.array("a")?, a.reduction()?, ddof(a)?));

    "nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, \
     where=None, mean=None, correction=None)",
    "The standard deviation of the elements over axes that are not NaN.":
    a.written_out(phalanx::nanstd(&a.array("a")?, a.reduction()?, ddof(a)?));

    "nanargmin(a, axis=None, out=None, *, keepdims=False)",
    "The position along an axis of the least element that is not NaN.":
    a.written_out(phalanx::nanargmin(&a.array("a")?, a.reduction()?));

    "nanargmax(a, axis=None, out=None, *, keepdims=False)",
    "The position along an axis of the greatest element that is not NaN.":
    a.written_out(phalanx::nanargmax(&a.array("a")?, a.reduction()?));
}
