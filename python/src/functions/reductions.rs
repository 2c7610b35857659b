//! Sums and other combinations of elements.

use crate::functions;

functions! { FUNCTIONS, a =>
    "sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None)",
    "The sum of elements over axes.":
    a.array("a")?.sum(a.reduction()?);

    "prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None)",
    "The product of elements over axes.":
    a.array("a")?.prod(a.reduction()?);

    "min(a, axis=None, out=None, keepdims=False, initial=None, where=None)",
    "The least element over axes.":
    a.array("a")?.min(a.reduction()?);

    "max(a, axis=None, out=None, keepdims=False, initial=None, where=None)",
    "The greatest element over axes.":
    a.array("a")?.max(a.reduction()?);

    "any(a, axis=None, out=None, keepdims=False, *, where=None)",
    "Whether an element over axes is true.":
    a.array("a")?.any(a.reduction()?);

    "all(a, axis=None, out=None, keepdims=False, *, where=None)",
    "Whether all elements over axes are true.":
    a.array("a")?.all(a.reduction()?);

    "mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None)",
    "The mean of elements over axes.":
    phalanx::mean(&a.array("a")?, a.reduction()?);

    "var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, \
     where=None, mean=None, correction=None)",
    "The variance of elements over axes.":
    a.array("a")?.var(a.reduction()?, a.float_or("correction", a.float_or("ddof", 0.0)?)?);

    "std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, \
     where=None, mean=None, correction=None)",
    "The standard deviation of elements over axes.":
    a.array("a")?.std(a.reduction()?, a.float_or("correction", a.float_or("ddof", 0.0)?)?);

    "ptp(a, axis=None, out=None, keepdims=False)",
    "The range of elements over axes.":
    a.array("a")?.ptp(a.reduction()?);

    "argmin(a, axis=None, out=None, *, keepdims=False)",
    "The position of the least element along an axis.":
    a.array("a")?.argmin(a.reduction()?);

    "argmax(a, axis=None, out=None, *, keepdims=False)",
    "The position of the greatest element along an axis.":
    a.array("a")?.argmax(a.reduction()?);
}
