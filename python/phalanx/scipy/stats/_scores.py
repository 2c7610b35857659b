"""Standard scores, trimmed samples, percentiles and frequencies."""

import warnings

import phalanx as np

from ._arrays import (
    SmallSampleWarning,
    array,
    axis_of,
    check_policy,
    common,
    floating,
    has_nan,
    host,
    mean,
    only,
    quiet,
    reduced,
    refuse,
    total,
)
from ._described import COLLECTIVE, DEPENDS, HOST, RECORDED, described
from ._results import result

_REDUCED = "ndarray: The shape of the sample without the axis."
_SAME = "ndarray: The shape of the sample."
_LIMITED = (
    "Local: recorded, and computed when a value is observed. Collective if there are limits, or if "
    "`nan_policy` is 'omit' or 'raise', because the answer depends on data."
)


@described(_SAME)
def zscore(a, axis=0, ddof=0, nan_policy="propagate"):
    """The distances from the mean along an axis, in standard deviations."""
    return zmap(a, a, axis, ddof, nan_policy)


@described(_SAME)
def gzscore(a, *, axis=0, ddof=0, nan_policy="propagate"):
    """The geometric standard scores along an axis: those of the logarithms."""
    with quiet():
        logarithms = np.log(floating(a))
    return zmap(logarithms, logarithms, axis, ddof, nan_policy)


@described("ndarray: The shape of `scores`.")
def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    """The distances of scores from the mean of a sample, in its standard deviations."""
    is_own = scores is compare
    scores, compare = common(scores, compare)
    if axis is not None:
        axis_of(axis, compare.ndim)

    def core(x, masks=None):
        return mean(x, only(masks)), np.sqrt(_variance(x, only(masks), ddof))

    with warnings.catch_warnings():
        if is_own:
            warnings.simplefilter("ignore", SmallSampleWarning)
        middle, spread = reduced(
            core, [compare], axis, nan_policy, True, outputs=2, masked=True
        )
    with quiet():
        small = 10 * np.finfo(spread.dtype).eps * np.abs(middle)
        if axis is None:
            middle, spread, small = (one.reshape(()) for one in (middle, spread, small))
        # Without degrees of freedom no deviation is known. Equal elements have no scores, but
        # others are infinitely far from them.
        is_unknown = ~np.isfinite(spread)
        is_unknown = is_unknown | (spread <= small) if is_own else is_unknown
        return (scores - middle) / np.where(is_unknown, np.nan, spread)


def _limited(a, limits, inclusive):
    """A sample and the mask of its elements within limits."""
    a = floating(a)
    low, high = (None, None) if limits is None else limits
    mask = None
    if low is not None:
        mask = a >= low if inclusive[0] else a > low
    if high is not None:
        under = a <= high if inclusive[1] else a < high
        mask = under if mask is None else mask & under
    return a, mask


def _within(core, a, limits, inclusive, axis, nan_policy, keepdims):
    """A reduction by ``core(x, mask)`` of the elements within limits. NaNs propagate."""
    low, high = (None, None) if limits is None else limits
    a = floating(a)
    if low is not None or high is not None:
        _, mask = _limited(a, (low, high), inclusive)
        _check_any(a, mask)

    def limited(x, masks=None):
        _, mask = _limited(x, (low, high), inclusive)
        if masks is not None:
            mask = masks[0] if mask is None else mask & masks[0]
        elif mask is not None:
            mask = mask | np.isnan(x)
        return core(x, mask)

    return reduced(limited, [a], axis, nan_policy, keepdims, masked=True)


def _check_any(a, mask):
    if a.size and not bool((mask | np.isnan(a)).any()):
        raise refuse("No array values within given limits")


def _mean(x, mask):
    if mask is None:
        return x.mean(-1)
    return total(x, mask) / mask.sum(-1).astype(x.dtype)


def _variance(x, mask, ddof):
    middle = x.mean(-1, keepdims=True) if mask is None else (
        total(x, mask, keepdims=True) / mask.sum(-1, keepdims=True).astype(x.dtype)
    )
    number = x.shape[-1] if mask is None else mask.sum(-1).astype(x.dtype)
    found = total((x - middle) ** 2, mask) / (number - ddof)
    return np.where(number - ddof > 0, found, np.nan).astype(x.dtype)


@described(_REDUCED, notes=_LIMITED)
def tmean(
    a, limits=None, inclusive=(True, True), axis=None, *, nan_policy="propagate", keepdims=False
):
    """The mean of the elements within limits."""
    return _within(_mean, a, limits, inclusive, axis, nan_policy, keepdims)


@described(_REDUCED, notes=_LIMITED)
def tvar(
    a,
    limits=None,
    inclusive=(True, True),
    axis=0,
    ddof=1,
    *,
    nan_policy="propagate",
    keepdims=False,
):
    """The variance of the elements within limits."""
    return _within(
        lambda x, mask: _variance(x, mask, ddof), a, limits, inclusive, axis, nan_policy, keepdims
    )


@described(_REDUCED, notes=_LIMITED)
def tstd(
    a,
    limits=None,
    inclusive=(True, True),
    axis=0,
    ddof=1,
    *,
    nan_policy="propagate",
    keepdims=False,
):
    """The standard deviation of the elements within limits."""
    return np.sqrt(
        tvar(a, limits, inclusive, axis, ddof, nan_policy=nan_policy, keepdims=keepdims)
    )


@described(_REDUCED, notes=_LIMITED)
def tsem(
    a,
    limits=None,
    inclusive=(True, True),
    axis=0,
    ddof=1,
    *,
    nan_policy="propagate",
    keepdims=False,
):
    """The standard error of the mean of the elements within limits."""

    def core(x, mask):
        number = x.shape[-1] if mask is None else mask.sum(-1).astype(x.dtype)
        return np.sqrt(_variance(x, mask, ddof) / number).astype(x.dtype)

    return _within(core, a, limits, inclusive, axis, nan_policy, keepdims)


def _extreme(a, limit, axis, inclusive, nan_policy, keepdims, is_least):
    a = array(a)
    reduce = np.min if is_least else np.max

    def core(x, masks=None):
        mask = None if masks is None else masks[0]
        if limit is not None:
            if is_least:
                inside = x >= limit if inclusive else x > limit
            else:
                inside = x <= limit if inclusive else x < limit
            inside = inside | np.isnan(x) if masks is None else inside & mask
            mask = inside
        if mask is None:
            return reduce(x, axis=-1)
        far = np.inf if is_least else -np.inf
        return np.where(mask.any(-1), reduce(np.where(mask, x, far), axis=-1), np.nan)

    is_whole = a.dtype.kind in "biu"
    if limit is not None:
        x = floating(a)
        _check_any(x, x >= limit if is_least else x <= limit)
    found = reduced(core, [floating(a)], axis, nan_policy, keepdims, masked=True)
    if is_whole and a.size and (limit is None or not bool(np.isnan(found).any())):
        return found.astype(a.dtype)
    return found


@described(_REDUCED, notes=COLLECTIVE)
def tmin(
    a, lowerlimit=None, axis=0, inclusive=True, nan_policy="propagate", *, keepdims=False
):
    """The least element that is not below a limit; NaN if there is none."""
    return _extreme(a, lowerlimit, axis, inclusive, nan_policy, keepdims, True)


@described(_REDUCED, notes=COLLECTIVE)
def tmax(
    a, upperlimit=None, axis=0, inclusive=True, nan_policy="propagate", *, keepdims=False
):
    """The largest element that is not above a limit; NaN if there is none."""
    return _extreme(a, upperlimit, axis, inclusive, nan_policy, keepdims, False)


SigmaclipResult = result("SigmaclipResult", "clipped lower upper")


@described("SigmaclipResult: The remaining elements and the limits.", notes=COLLECTIVE)
def sigmaclip(a, low=4.0, high=4.0):
    """The elements near the mean: others are removed until none are far in standard deviations."""
    kept = array(a).reshape(-1)
    while True:
        middle, spread, size = kept.mean(), kept.std(), kept.size
        lower, upper = middle - spread * low, middle + spread * high
        kept = kept[(kept >= lower) & (kept <= upper)]
        if kept.size == size:
            return SigmaclipResult(kept, lower, upper)


def _cut(x, axis, start, stop):
    """Elements at places from `start` to `stop` of the sorted ones."""
    index = [slice(None)] * x.ndim
    index[axis] = slice(start, stop)
    return np.sort(x, axis=axis)[tuple(index)]


def _flat(a, axis):
    a = array(a)
    return (a.reshape(-1), 0) if axis is None else (a, axis_of(axis, a.ndim))


@described("ndarray: The remaining elements, sorted along the axis.", notes=RECORDED)
def trimboth(a, proportiontocut, axis=0):
    """A sample without a share of its elements at both ends."""
    a = array(a)
    if a.size == 0:
        return a
    a, axis = _flat(a, axis)
    n = a.shape[axis]
    cut = int(proportiontocut * n)
    if cut >= n - cut:
        raise refuse("Proportion too big.")
    return _cut(a, axis, cut, n - cut)


@described("ndarray: The remaining elements, sorted along the axis.", notes=RECORDED)
def trim1(a, proportiontocut, tail="right", axis=0):
    """A sample without a share of its elements at one end."""
    a, axis = _flat(a, axis)
    n = a.shape[axis]
    if proportiontocut >= 1:
        return np.asarray([])
    tail = tail.lower()
    if tail not in ("left", "right"):
        raise refuse("tail is 'left' or 'right'", mistake="choice")
    cut = int(proportiontocut * n)
    return _cut(a, axis, 0, n - cut) if tail == "right" else _cut(a, axis, cut, n)


@described(_REDUCED)
def trim_mean(a, proportiontocut, axis=0, *, nan_policy="propagate", keepdims=False):
    """The mean of a sample without a share of its elements at both ends."""

    def core(x):
        n = x.shape[-1]
        cut = int(proportiontocut * n)
        if cut > n - cut:
            raise refuse("Proportion too big.")
        return np.sort(x, -1)[..., cut : n - cut].mean(-1)

    return reduced(core, [floating(a)], axis, nan_policy, keepdims, guard=True)


@described("ndarray: One score, or scores after an axis for `per`.", notes=RECORDED)
def scoreatpercentile(a, per, limit=(), interpolation_method="fraction", axis=None):
    """The scores at percentiles of a sample."""
    a = array(a)
    if a.size == 0:
        return np.full(host(per, float).shape, np.nan)
    methods = {"fraction": "linear", "lower": "lower", "higher": "higher"}
    if interpolation_method not in methods:
        raise refuse(
            "interpolation_method can only be 'fraction', 'lower' or 'higher'", mistake="choice"
        )
    percents = host(per, float)
    if ((percents < 0) | (percents > 100)).any():
        raise refuse("percentile must be in the range [0, 100]")
    if limit:
        a = a[(limit[0] <= a) & (a <= limit[1])]
    found = np.percentile(a, per, axis=axis, method=methods[interpolation_method])
    return found.astype(np.result_type(found.dtype, np.float64), copy=False)


@described("ndarray: The percentages, of the shape of `score`.")
def percentileofscore(a, score, kind="rank", nan_policy="propagate"):
    """The percentage of elements that are below scores."""
    check_policy(nan_policy)
    a, score = array(a).reshape(-1), array(score)
    if kind not in ("rank", "strict", "weak", "mean"):
        raise refuse("kind can only be 'rank', 'strict', 'weak' or 'mean'", mistake="choice")
    nans = has_nan(a), has_nan(score)
    if any(nans) and nan_policy == "raise":
        raise refuse("The input contains nan values")
    if nans[0] and nan_policy == "omit":
        a = a[~np.isnan(a)]
    elif nans[0]:
        return np.full(score.shape, np.nan)
    n = a.shape[0]
    if n == 0:
        return np.full(score.shape, np.nan)
    ordered = np.sort(a)
    below = np.searchsorted(ordered, score, side="left")
    upto = np.searchsorted(ordered, score, side="right")
    if kind == "strict":
        found = below * (100.0 / n)
    elif kind == "weak":
        found = upto * (100.0 / n)
    elif kind == "mean":
        found = (below + upto) * (50.0 / n)
    else:
        found = (below + upto + (below < upto)) * (50.0 / n)
    return np.where(np.isnan(score), np.nan, found) if score.dtype.kind == "f" else found


CumfreqResult = result("CumfreqResult", "cumcount lowerlimit binsize extrapoints")
RelfreqResult = result("RelfreqResult", "frequency lowerlimit binsize extrapoints")


def _frequencies(a, numbins, limits, weights):
    a = array(a)
    shape, a = a.shape, a.reshape(-1)
    import numpy

    if limits is None:
        if a.size == 0:
            limits = (0, 1)
        else:
            kind = numpy.dtype(a.dtype if a.dtype.kind == "f" else "float64").type
            low, high = kind(a.min().get()), kind(a.max().get())
            if numbins == 1:
                raise refuse("a range for one bin is needed")
            half = (high - low) / (2.0 * (numbins - 1.0))
            limits = (low - half, high + half)
    elif None in limits:
        raise refuse("the range has two numbers", TypeError, "type")
    counts, edges = np.histogram(a, bins=numbins, range=limits, weights=weights)
    counts = counts.astype(np.float64)
    size = float(edges[1] - edges[0])
    outside = int(((a < limits[0]) | (a > limits[1])).sum())
    if outside:
        warnings.warn(
            f"Points outside given histogram range = {outside}", RuntimeWarning, stacklevel=4
        )
    size = type(limits[0])(size) if isinstance(limits[0], numpy.floating) else size
    return counts, limits[0], size, outside, shape


@described("CumfreqResult: Counts, the lower limit, the extent of a bin, elements outside.",
           notes=COLLECTIVE)
def cumfreq(a, numbins=10, defaultreallimits=None, weights=None):
    """The numbers of elements up to each bin of a histogram."""
    counts, low, size, outside, _ = _frequencies(a, numbins, defaultreallimits, weights)
    return CumfreqResult(np.cumsum(counts), low, size, outside)


@described("RelfreqResult: Shares, the lower limit, the extent of a bin, elements outside.",
           notes=COLLECTIVE)
def relfreq(a, numbins=10, defaultreallimits=None, weights=None):
    """The shares of elements in each bin of a histogram."""
    counts, low, size, outside, shape = _frequencies(a, numbins, defaultreallimits, weights)
    return RelfreqResult(counts / shape[0], low, size, outside)


@described("ndarray: The quantiles; the axis is that of `p` if `p` is an array.", notes=DEPENDS)
def quantile(
    x, p, *, method="linear", axis=0, nan_policy="propagate", keepdims=None, weights=None
):
    """Quantiles of a sample along an axis. The extents of `p` along other axes are 1."""
    if method.startswith(("harrell", "round")):
        raise refuse(f"the method {method!r} is not available", NotImplementedError, "absent")
    x, p = floating(x), array(p)
    if p.ndim == 0:
        def core(values):
            if values.shape[-1] == 0:
                return np.full(values.shape[:-1], np.nan, values.dtype)
            return np.quantile(values, p, axis=-1, method=method).astype(values.dtype)

        if weights is not None:
            return np.quantile(x, p, axis=axis, method=method, weights=weights)
        return reduced(core, [x], axis, nan_policy, bool(keepdims), guard=True, least=0)
    if p.ndim != x.ndim or p.size != p.shape[axis if axis is not None else 0]:
        raise refuse("p needs the axes of x, with the extent 1 along all but one")
    found = [
        quantile(x, one, method=method, axis=axis, nan_policy=nan_policy, keepdims=True,
                 weights=weights)
        for one in p.reshape(-1)
    ]
    found = np.concatenate(found, axis=axis if axis is not None else 0)
    return np.squeeze(found, axis) if keepdims is False and p.size == 1 else found


@described("tuple of ndarray, or ndarray: The transformed samples; one array for equal extents.",
           notes=COLLECTIVE)
def obrientransform(*samples):
    """O'Brien's transforms of samples, for a test of equal variances."""
    made = []
    for one in samples:
        one = floating(one)
        n = one.shape[0]
        square = (one - one.mean()) ** 2
        total_ = square.sum()
        value = ((n - 1.5) * n * square - 0.5 * total_) / ((n - 1) * (n - 2))
        if abs(float(total_ / (n - 1) - value.mean())) > float(np.finfo(one.dtype).eps) ** 0.5:
            raise refuse("Lack of convergence in obrientransform.")
        made.append(value)
    return np.stack(made) if len({one.shape for one in made}) == 1 else tuple(made)


Mean = result("Mean", "statistic minmax")
Variance = result("Variance", "statistic minmax")
Deviation = result("Std_dev", "statistic minmax")


@described("tuple: Frozen distributions of SciPy of mean, variance and standard deviation.",
           notes=HOST)
def mvsdist(data):
    """The posterior distributions of the mean, the variance and the standard deviation."""
    from scipy import stats

    data = floating(data).reshape(-1)
    n = data.shape[0]
    if n < 2:
        raise refuse("Need at least 2 data-points.")
    middle, spread = float(data.mean()), float(data.var())
    if n > 1000:
        return (
            stats.norm(loc=middle, scale=(spread / n) ** 0.5),
            stats.norm(loc=spread, scale=(2.0 / n) ** 0.5 * spread),
            stats.norm(loc=spread**0.5, scale=(0.5 / n) ** 0.5 * spread**0.5),
        )
    half, scale = (n - 1) / 2.0, n * spread / 2.0
    return (
        stats.t(n - 1, loc=middle, scale=(spread / (n - 1)) ** 0.5),
        stats.invgamma(half, scale=scale),
        stats.gengamma(half, -2, scale=scale**0.5),
    )


@described("tuple: Estimates of mean, variance and standard deviation with their intervals.",
           notes=COLLECTIVE)
def bayes_mvs(data, alpha=0.9):
    """Bayesian intervals of the mean, the variance and the standard deviation."""
    if not 0 < alpha < 1:
        raise refuse(f"0 < alpha < 1 is required, but alpha={alpha} was given.")
    kinds = (Mean, Variance, Deviation)
    made = zip(kinds, mvsdist(data))
    return tuple(kind(one.mean(), one.interval(alpha)) for kind, one in made)
