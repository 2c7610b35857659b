"""Statistics of values in bins."""

import builtins
import functools
import operator

import phalanx as np

from ._arrays import array, common, floating, host, refuse
from ._described import COLLECTIVE, described
from ._results import result

BinnedStatisticResult = result("BinnedStatisticResult", "statistic bin_edges binnumber")
BinnedStatistic2dResult = result("BinnedStatistic2dResult", "statistic x_edge y_edge binnumber")
BinnedStatisticddResult = result("BinnedStatisticddResult", "statistic bin_edges binnumber")
_KNOWN = ("mean", "median", "count", "sum", "std", "min", "max")
_TAKEN = {
    "bins": ("int, array_like or sequence", "The number of bins, or their edges, for each axis."),
    "range": ("sequence", "The least and the largest edge of each axis."),
    "statistic": ("str or callable", "'mean', 'std', 'median', 'count', 'sum', 'min', 'max', or a "
                  "function of the values in a bin."),
    "values": ("array_like or sequence", "The values; several rows for several statistics."),
}
_NOTES = f"{COLLECTIVE} A function is called for each bin."


def _edges(sample, bins, limits):
    """The edges of the bins of an axis, on the host."""
    import numpy

    try:
        number = operator.index(bins)
    except TypeError:
        edges = host(bins, float)
        if (numpy.diff(edges) <= 0).any():
            raise refuse("bin edges must increase") from None
        return edges
    if number < 1:
        raise refuse("the number of bins must be positive")
    if limits is None:
        if sample.size == 0:
            raise refuse("The sample must not be empty.")
        low, high = float(sample.min()), float(sample.max())
        if not (numpy.isfinite(low) and numpy.isfinite(high)):
            raise refuse("The sample contains non-finite values.")
    else:
        low, high = map(float, limits)
        if high < low:
            raise refuse("In range, start must be <= stop")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return numpy.linspace(low, high, number + 1)


def _computed(statistic, values, places, number):
    """A statistic of values by their bins, which are numbered."""
    if statistic == "count":
        return np.bincount(places, minlength=number).astype(np.float64)
    if statistic == "sum":
        return np.bincount(places, weights=values, minlength=number)
    counts = np.bincount(places, minlength=number).astype(np.float64)
    if statistic in ("mean", "std"):
        means = np.bincount(places, weights=values, minlength=number) / counts
        if statistic == "mean":
            return means
        apart = (values - means[places]) ** 2
        return np.sqrt(np.bincount(places, weights=apart, minlength=number) / counts)
    if callable(statistic):
        return _called(statistic, values, places, number)
    ordered = values[np.lexsort((values, places))]
    whole = np.bincount(places, minlength=number)
    ends = np.cumsum(whole)
    starts = ends - whole
    last = max(values.shape[0] - 1, 0)
    if statistic == "min":
        found = ordered[np.minimum(starts, last)]
    elif statistic == "max":
        found = ordered[np.maximum(ends - 1, 0)]
    else:
        low = np.minimum(starts + (whole - 1) // 2, last)
        high = np.minimum(starts + whole // 2, last)
        found = (ordered[np.maximum(low, 0)] + ordered[high]) / 2
    return np.where(whole > 0, found, np.nan)


def _called(statistic, values, places, number):
    import numpy

    try:
        empty = float(statistic(np.asarray([])))
    except Exception:
        empty = numpy.nan
    found = numpy.full(number, empty)
    used = numpy.flatnonzero(np.bincount(places, minlength=number).get())
    for one in used.tolist():
        found[one] = float(statistic(values[places == one]))
    return np.asarray(found)


def _binned(sample, values, statistic, bins, limits, expand, known=None):
    if not (callable(statistic) or statistic in _KNOWN):
        raise refuse(f"invalid statistic {statistic!r}", mistake="choice")
    ndim = len(sample)
    values = array(values) if not isinstance(values, (list, tuple)) else np.stack(
        [array(one) for one in values]) if values and np.ndim(values[0]) else np.asarray(values)
    is_one = values.ndim == 1
    values = floating(np.atleast_2d(values))
    length = sample[0].shape[0]
    if statistic != "count" and values.shape[-1] != length:
        raise refuse("The number of `values` elements must match the length of each `sample` "
                     "dimension.", mistake="together")
    if values.dtype.kind == "f" and bool(~np.isfinite(values).all()):
        raise refuse(f"{values!r} contains non-finite values.")
    if known is not None:
        edges = [host(one) for one in known]
    else:
        kinds = [one.dtype for one in sample]
        # Edges have the dtype of the sample, as the bins of its elements follow from both.
        dtype = np.result_type(*kinds)
        dtype = dtype if dtype.kind == "f" else np.float64
        edges = [_edges(*one).astype(dtype) for one in zip(sample, bins, limits)]
    numbers = []
    for one, own in zip(sample, edges):
        found = np.digitize(one, np.asarray(own))
        # The last edge belongs to the last bin.
        numbers.append(found - (one == own[-1]))
    shape = [len(own) + 1 for own in edges]
    flat = functools.reduce(lambda a, b: a * b[1] + b[0], zip(numbers, shape), 0)
    total = 1
    for extent in shape:
        total *= extent
    rows = [_computed(statistic, row, flat, total) for row in values]
    inner = (slice(1, -1),) * ndim
    found = np.stack([row.reshape(shape)[inner].astype(np.float64, copy=False) for row in rows])
    found = found[0] if is_one else found
    binnumber = np.stack(numbers) if expand and ndim > 1 else flat
    return found, [np.asarray(own) for own in edges], binnumber


def _limits(range, ndim):
    if range is None:
        return [None] * ndim
    if ndim == 1 and len(range) == 2 and not hasattr(range[0], "__len__"):
        return [range]
    return list(range)


@described("BinnedStatisticResult: The statistic, the edges, the bin of each element.",
           notes=_NOTES, **_TAKEN)
def binned_statistic(x, values, statistic="mean", bins=10, range=None):
    """A statistic of values in bins of one variable."""
    found, edges, number = _binned(
        [floating(x)], values, statistic, [bins], _limits(range, 1), False
    )
    return BinnedStatisticResult(found, edges[0], number)


def _of_axes(bins, ndim):
    if hasattr(bins, "__len__") and len(bins) == ndim and (
        ndim > 1 or hasattr(bins[0], "__len__")
    ):
        return list(bins)
    return [bins] * ndim


@described("BinnedStatistic2dResult: The statistic, the edges, the bin of each element.",
           notes=_NOTES, **_TAKEN)
def binned_statistic_2d(
    x, y, values, statistic="mean", bins=10, range=None, expand_binnumbers=False
):
    """A statistic of values in bins of two variables."""
    found, edges, number = _binned(
        common(x, y), values, statistic, _of_axes(bins, 2), _limits(range, 2),
        expand_binnumbers,
    )
    return BinnedStatistic2dResult(found, edges[0], edges[1], number)


@described("BinnedStatisticddResult: The statistic, the edges, the bin of each element.",
           notes=_NOTES, **_TAKEN, sample=("array_like", "The points, as rows."),
           binned_statistic_result=("BinnedStatisticddResult", "An earlier result, whose edges are "
                                    "used."))
def binned_statistic_dd(
    sample,
    values,
    statistic="mean",
    bins=10,
    range=None,
    expand_binnumbers=False,
    binned_statistic_result=None,
):
    """A statistic of values in bins of several variables."""
    if isinstance(sample, (list, tuple)):
        columns = [floating(one) for one in sample]
        points = np.stack(columns)
        points = points.T if points.ndim > 1 else points[:, None]
    else:
        points = floating(sample)
        points = points[:, None] if points.ndim == 1 else points
    ndim = points.shape[1]
    known = None if binned_statistic_result is None else binned_statistic_result.bin_edges
    try:
        bins = _of_axes(bins, ndim)
    except IndexError:
        bins = [bins] * ndim
    if len(bins) != ndim:
        raise refuse("The dimension of bins must be equal to the dimension of the sample x.")
    columns = [points[:, place] for place in builtins.range(ndim)]
    found, edges, number = _binned(
        columns, values, statistic, bins, _limits(range, ndim), expand_binnumbers, known
    )
    return BinnedStatisticddResult(found, edges, number)
