//! Sums and other combinations of elements.

use crate::calls::arguments::Arguments;
use crate::functions;
use crate::interpreter::errors::value_error;
use crate::interpreter::mistakes::Mistake;
use pyo3::prelude::*;

/// The number that is subtracted from the number of elements in the divisor of a variance.
fn ddof(a: &Arguments<'_, '_>) -> PyResult<f64> {
    let ddof = a.float_or("ddof", 0.0)?;
    if a.has("correction") && ddof != 0.0 {
        let text = "ddof and correction can't be provided simultaneously.";
        return Err(value_error(Mistake::Together, text));
    }
    a.float_or("correction", ddof)
}

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
    "Whether any element over axes is true.":
    a.written_out(a.array("a")?.any(a.reduction()?));

    "all(a, axis=None, out=None, keepdims=False, *, where=None)",
    "Whether all elements over axes are true.":
    a.written_out(a.array("a")?.all(a.reduction()?));

    "count_nonzero(a, axis=None, *, keepdims=False)",
    "The number of nonzero elements over axes.":
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
    "The difference of the greatest and the least element over axes.":
    a.written_out(a.array("a")?.ptp(a.reduction()?));

    "argmin(a, axis=None, out=None, *, keepdims=False)",
    "The position of the least element along an axis.":
    a.written_out(a.array("a")?.argmin(a.reduction()?));

    "argmax(a, axis=None, out=None, *, keepdims=False)",
    "The position of the greatest element along an axis.":
    a.written_out(a.array("a")?.argmax(a.reduction()?));

    "nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None)",
    "The sum over axes of the elements that are not NaN.":
    a.written_out(phalanx::nansum(&a.array("a")?, a.reduction()?));

    "nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None)",
    "The product over axes of the elements that are not NaN.":
    a.written_out(phalanx::nanprod(&a.array("a")?, a.reduction()?));

    "nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=None)",
    "The least element over axes that is not NaN.":
    a.written_out(phalanx::nanmin(&a.array("a")?, a.reduction()?));

    "nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=None)",
    "The greatest element over axes that is not NaN.":
    a.written_out(phalanx::nanmax(&a.array("a")?, a.reduction()?));

    "nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None)",
    "The mean over axes of the elements that are not NaN.":
    a.written_out(phalanx::nanmean(&a.array("a")?, a.reduction()?));

    "nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, \
     where=None, mean=None, correction=None)",
    "The variance over axes of the elements that are not NaN.":
    a.written_out(phalanx::nanvar(&a.array("a")?, a.reduction()?, ddof(a)?));

    "nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, \
     where=None, mean=None, correction=None)",
    "The standard deviation over axes of the elements that are not NaN.":
    a.written_out(phalanx::nanstd(&a.array("a")?, a.reduction()?, ddof(a)?));

    "nanargmin(a, axis=None, out=None, *, keepdims=False)",
    "The position along an axis of the least element that is not NaN.":
    a.written_out(phalanx::nanargmin(&a.array("a")?, a.reduction()?));

    "nanargmax(a, axis=None, out=None, *, keepdims=False)",
    "The position along an axis of the greatest element that is not NaN.":
    a.written_out(phalanx::nanargmax(&a.array("a")?, a.reduction()?));
}
