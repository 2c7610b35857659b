"""Means, moments and other descriptions of samples."""

import functools
import math
import warnings

import phalanx as np


from ._arrays import (
    array,
    axis_of,
    central,
    check_policy,
    common,
    count,
    floating,
    has_nan,
    mean,
    only,
    quiet,
    reduced,
    refuse,
    total,
    variance,
)
from ._described import COLLECTIVE, described
from ._results import result

_REDUCED = "ndarray: The shape of the sample without the axis."
DescribeResult = result("DescribeResult", "nobs minmax mean variance skewness kurtosis")
ModeResult = result("ModeResult", "mode count")


def _typed(a, dtype):
    a = array(a)
    return floating(a if dtype is None else a.astype(dtype))


def _weighted(core, a, axis, dtype, weights, nan_policy, keepdims):
    """A mean of a sample, weighted if there are weights."""
    samples = [_typed(a, dtype)]
    if weights is not None:
        samples.append(_typed(weights, dtype))
    return reduced(
        core, samples, axis, nan_policy, keepdims, paired=True, masked=True
    )


def _average(x, w, mask):
    if w is None:
        return mean(x, mask)
    return total(x * w, mask) / total(w, mask)


def _warn_negative(a, name):
    """Warns of negative elements. Collective: they are counted."""
    if bool((a < 0).any()):
        warnings.warn(
            f"The {name} mean is only defined if all elements are greater than or equal to zero; "
            "otherwise, the result is NaN.",
            RuntimeWarning,
            stacklevel=3,
        )


@described(_REDUCED)
def gmean(a, axis=0, dtype=None, weights=None, *, nan_policy="propagate", keepdims=False):
    """The geometric mean along an axis."""

    def core(x, w=None, masks=None):
        return np.exp(_average(np.log(x), w, only(masks)))

    return _weighted(core, a, axis, dtype, weights, nan_policy, keepdims)


@described(_REDUCED, notes=COLLECTIVE)
def hmean(a, axis=0, dtype=None, *, weights=None, nan_policy="propagate", keepdims=False):
    """The harmonic mean along an axis; NaN if an element is negative."""
    _warn_negative(array(a), "harmonic")

    def core(x, w=None, masks=None):
        return 1 / _average(1 / np.where(x < 0, np.nan, x), w, only(masks))

    return _weighted(core, a, axis, dtype, weights, nan_policy, keepdims)


@described(_REDUCED, notes=COLLECTIVE)
def pmean(a, p, *, axis=0, dtype=None, weights=None, nan_policy="propagate", keepdims=False):
    """The power mean along an axis; NaN if an element is negative."""
    if not isinstance(p, (int, float)):
        raise refuse("Power mean only implemented for finite and real `p`.")
    if p == 0:
        return gmean(a, axis, dtype, weights, nan_policy=nan_policy, keepdims=keepdims)
    _warn_negative(array(a), "power")

    def core(x, w=None, masks=None):
        powers = np.where(x < 0, np.nan, x) ** float(p)
        return _average(powers, w, only(masks)) ** (1.0 / p)

    return _weighted(core, a, axis, dtype, weights, nan_policy, keepdims)


@described(_REDUCED)
def gstd(a, axis=0, ddof=1, *, keepdims=False, nan_policy="propagate"):
    """The geometric standard deviation along an axis."""

    def core(x, masks=None):
        return np.exp(np.sqrt(variance(x, only(masks), ddof)))

    a = floating(a)
    if axis is not None:
        axis_of(axis, a.ndim)
    with quiet():
        logarithms = np.log(a)
    return reduced(core, [logarithms], axis, nan_policy, keepdims, masked=True)


def _mode(x):
    x = np.sort(x, axis=-1)
    before, after = x[..., :-1], x[..., 1:]
    differs = before != after
    if x.dtype.kind in "fc":
        differs = differs & ~(np.isnan(before) & np.isnan(after))
    place = np.arange(x.shape[-1])
    starts = np.concatenate(
        [np.zeros_like(place[:1] + np.zeros(x.shape[:-1] + (1,), int)),
         np.where(differs, place[1:], 0)], axis=-1)
    lengths = place - np.maximum.accumulate(starts, axis=-1) + 1
    last = np.argmax(lengths, axis=-1)[..., None]
    picked = np.take_along_axis(x, last, -1)[..., 0]
    return picked, np.take_along_axis(lengths, last, -1)[..., 0]


@described("ModeResult: The values and their numbers.")
def mode(a, axis=0, nan_policy="propagate", keepdims=False):
    """The most frequent value along an axis, and how often it occurs; the least of several."""
    a = array(a)
    if a.dtype.kind not in "biufc":
        raise refuse("Argument `a` is not recognized as numeric.", TypeError, "dtype")
    found, number = reduced(_mode, [a], axis, nan_policy, keepdims, outputs=2)
    if number.dtype.kind == "f":
        # No element of a sample counts.
        number = np.where(np.isnan(number), 0, number)
    return ModeResult(found, number)


def _moment(x, mask, order, center):
    if center is None:
        if order in (0, 1):
            middle = mean(x, mask)
            return np.where(np.isnan(middle), np.nan, 1.0 - order).astype(x.dtype)
        return central(x, mask, order)[0]
    return mean((x - center) ** order, mask)


@described("ndarray: The shape of the sample without the axis, after one for several orders.")
def moment(a, order=1, axis=0, nan_policy="propagate", *, center=None, keepdims=False):
    """The moment of an order about the mean, or about `center`."""
    orders = array(order)
    if orders.size == 0:
        raise refuse("`order` must be a scalar or a non-empty 1D array.")
    if orders.ndim > 1:
        raise refuse("`order` must be a scalar or a non-empty 1D array.")
    values = [orders.item()] if orders.ndim == 0 else orders.tolist()
    if any(one != math.floor(one) for one in values):
        raise refuse("All elements of `order` must be integral.")
    a = floating(a)

    def one_order(power):
        def core(x, masks=None):
            return _moment(x, only(masks), int(power), center)

        return reduced(core, [a], axis, nan_policy, keepdims, masked=True)

    found = [one_order(one) for one in values]
    return found[0] if orders.ndim == 0 else np.stack(found)


def _is_constant(x, mask, second):
    """Whether the second moment is only rounding of the mean."""
    average = mean(x, mask)
    return second <= (np.finfo(x.dtype).eps * average) ** 2


def skewness(x, mask, bias=True):
    """The skewness along the last axis."""
    second, third = central(x, mask, 2, 3)
    found = np.where(_is_constant(x, mask, second), np.nan, third / second**1.5)
    if bias:
        return found
    n = count(x, mask)
    factor = np.sqrt(array((n - 1.0) * n)) / (n - 2.0) if mask is not None else (
        math.sqrt((n - 1.0) * n) / (n - 2.0) if n > 2 else 1.0
    )
    return np.where((n > 2) & (second > 0), found * factor, found).astype(x.dtype)


def excess(x, mask, fisher=True, bias=True):
    """The kurtosis along the last axis."""
    second, fourth = central(x, mask, 2, 4)
    found = np.where(_is_constant(x, mask, second), np.nan, fourth / second**2)
    if not bias:
        n = count(x, mask)
        if mask is None and n <= 3:
            return found - 3 if fisher else found
        corrected = 1.0 / (n - 2) / (n - 3) * ((n**2 - 1.0) * found - 3 * (n - 1) ** 2) + 3
        found = np.where((n > 3) & (second > 0), corrected, found)
    return (found - 3 if fisher else found).astype(x.dtype)


@described(_REDUCED)
def skew(a, axis=0, bias=True, nan_policy="propagate", *, keepdims=False):
    """The skewness along an axis."""

    def core(x, masks=None):
        return skewness(x, only(masks), bias)

    return reduced(core, [floating(a)], axis, nan_policy, keepdims, masked=True)


@described(_REDUCED)
def kurtosis(a, axis=0, fisher=True, bias=True, nan_policy="propagate", *, keepdims=False):
    """The kurtosis along an axis; less 3 if `fisher`."""

    def core(x, masks=None):
        return excess(x, only(masks), fisher, bias)

    return reduced(core, [floating(a)], axis, nan_policy, keepdims, masked=True)


@described("DescribeResult: Number, least and largest element, mean, variance, skewness and "
           "kurtosis.", notes=COLLECTIVE)
def describe(a, axis=0, ddof=1, bias=True, nan_policy="propagate"):
    """Several descriptions of a sample along an axis."""
    a = np.atleast_1d(array(a))
    if a.size == 0:
        raise refuse("The input must not be empty.")
    check_policy(nan_policy)
    values = floating(a)
    omits = nan_policy == "omit" and has_nan(a)
    shape = {"axis": axis, "nan_policy": nan_policy, "masked": True}
    if omits:
        number = np.count_nonzero(~np.isnan(values), axis=axis)
        low, high = np.nanmin(a, axis=axis), np.nanmax(a, axis=axis)
    else:
        number = a.size if axis is None else a.shape[axis]
        low, high = np.min(a, axis=axis), np.max(a, axis=axis)
    middle = reduced(lambda x, masks=None: mean(x, only(masks)), [values], **shape)
    spread = reduced(lambda x, masks=None: variance(x, only(masks), ddof), [values], **shape)
    return DescribeResult(
        number, (low, high), middle, spread,
        skew(values, axis, bias, nan_policy), kurtosis(values, axis, True, bias, nan_policy),
    )


@described(_REDUCED)
def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    """The standard error of the mean along an axis."""

    def core(x, masks=None):
        mask = only(masks)
        return np.sqrt(variance(x, mask, ddof) / count(x, mask)).astype(x.dtype)

    return reduced(core, [floating(a)], axis, nan_policy, keepdims, masked=True, least=2,
                   attempts=True)


@described(_REDUCED)
def variation(a, axis=0, nan_policy="propagate", ddof=0, *, keepdims=False):
    """The coefficient of variation along an axis: the standard deviation over the mean."""

    def core(x, masks=None):
        mask = only(masks)
        n, middle = count(x, mask), mean(x, mask)
        root = np.sqrt(variance(x, mask, ddof))
        if mask is None and ddof > n:
            return np.full_like(middle, np.nan)
        if mask is None and ddof == n:
            plain = np.sqrt(variance(x, mask, 0))
            return np.where(plain > 0, np.copysign(np.inf, middle), np.nan)
        return np.where(n < ddof, np.nan, root / middle).astype(x.dtype)

    return reduced(core, [floating(a)], axis, nan_policy, keepdims, masked=True)


_NORMAL_QUARTILE = 0.6744897501960817


@described(_REDUCED)
def iqr(
    x,
    axis=None,
    rng=(25, 75),
    scale=1.0,
    nan_policy="propagate",
    interpolation="linear",
    keepdims=False,
):
    """The distance of two percentiles along an axis."""
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise refuse(f"{scale} not a valid scale for `iqr`", mistake="choice")
        scale = 2 * _NORMAL_QUARTILE
    if not hasattr(rng, "__len__"):
        raise refuse("quantile range must be two element sequence", TypeError, "type")
    if len(rng) != 2:
        raise refuse("quantile range must be two element sequence", TypeError, "type")
    low, high = sorted(rng)
    if low < 0 or high > 100 or low != low or high != high:
        raise refuse("range must be within [0, 100] and not NaN")

    def core(values):
        ends = np.quantile(values, [low / 100, high / 100], axis=-1, method=interpolation)
        return ((ends[1] - ends[0]) / scale).astype(values.dtype)

    return reduced(core, [floating(x)], axis, nan_policy, keepdims, guard=True)


@described(_REDUCED)
def median_abs_deviation(
    x, axis=0, center=None, scale=1.0, nan_policy="propagate", *, keepdims=False
):
    """The median of the distances from the median, or from `center`, along an axis."""
    if center is not None and not callable(center):
        raise refuse(
            f"The argument 'center' must be callable. The given value {center!r} is not callable.",
            TypeError,
            "type",
        )
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise refuse(f"{scale} is not a valid scale value.", mistake="choice")
        scale = _NORMAL_QUARTILE
    center = np.median if center is None else center

    def core(values):
        middle = array(center(values, axis=-1))[..., None]
        return np.median(np.abs(values - middle), axis=-1) / scale

    return reduced(core, [floating(x)], axis, nan_policy, keepdims, guard=True)


def _entr(x):
    return np.where(x > 0, -x * np.log(x), np.where(x == 0, 0.0, np.where(x < 0, -np.inf, x)))


def _rel_entr(x, y):
    found = np.where((x > 0) & (y > 0), x * np.log(x / y), np.inf)
    found = np.where((x == 0) & (y >= 0), 0.0, found)
    return np.where(np.isnan(x) | np.isnan(y), np.nan, found)


@described(
    _REDUCED,
    {"TypeError": "The frequencies are complex.", "ValueError": "The base is not positive, or the "
     "shapes do not broadcast, or `nan_policy` is 'raise' and there are NaNs."},
)
def entropy(pk, qk=None, base=None, axis=0, *, nan_policy="propagate", keepdims=False):
    """Shannon's entropy of frequencies along an axis, or the relative entropy of two."""
    if base is not None and base <= 0:
        raise refuse("`base` must be a positive number or `None`.")
    unit = 1.0 if base is None else math.log(base)
    samples = common(pk) if qk is None else common(pk, qk)
    if any(one.dtype.kind == "c" for one in samples):
        raise refuse("frequencies are real numbers", TypeError, "dtype")
    # The entropies of halves are of single precision.
    samples = [one.astype(np.float32) if one.dtype.char == "e" else one for one in samples]

    def core(p, q=None, masks=None):
        mask = only(masks)
        p = p / total(p, mask, keepdims=True)
        if q is None:
            return total(_entr(p), mask) / unit
        return total(_rel_entr(p, q / total(q, mask, keepdims=True)), mask) / unit

    return reduced(
        core, samples, axis, nan_policy, keepdims, paired=True, masked=True, least=0
    )


def _padded(x, m):
    """Sorted values with the first and last one repeated `m` times."""
    shape = (*x.shape[:-1], m)
    return np.concatenate(
        [np.broadcast_to(x[..., :1], shape), x, np.broadcast_to(x[..., -1:], shape)], -1
    )


def _vasicek(x, m):
    n = x.shape[-1]
    wide = _padded(x, m)
    return np.mean(np.log(n / (2 * m) * (wide[..., 2 * m :] - wide[..., : -2 * m])), -1)


def _van_es(x, m):
    n = x.shape[-1]
    gaps = x[..., m:] - x[..., :-m]
    harmonic = float(sum(1.0 / k for k in range(m, n + 1))) if n < 1 << 16 else float(
        np.sum(1.0 / np.arange(m, n + 1))
    )
    found = 1 / (n - m) * np.sum(np.log((n + 1) / m * gaps), -1)
    return found + harmonic + math.log(m) - math.log(n + 1)


def _ebrahimi(x, m):
    n = x.shape[-1]
    wide = _padded(x, m)
    i = np.arange(1, n + 1).astype(x.dtype)
    near = np.minimum(np.minimum(1 + (i - 1) / m, 1 + (n - i) / m), 2.0)
    return np.mean(np.log(n * (wide[..., 2 * m :] - wide[..., : -2 * m]) / (near * m)), -1)


def _correa(x, m):
    n = x.shape[-1]
    wide = _padded(x, m)
    pieces = [wide[..., place : place + n] for place in range(2 * m + 1)]
    middle = functools.reduce(lambda a, b: a + b, pieces) / (2 * m + 1)
    above = sum((one - middle) * (place - m) for place, one in enumerate(pieces))
    below = sum((one - middle) ** 2 for one in pieces)
    return -np.mean(np.log(above / (n * below)), -1)


_ENTROPIES = {"vasicek": _vasicek, "van es": _van_es, "correa": _correa, "ebrahimi": _ebrahimi}


@described(_REDUCED)
def differential_entropy(
    values,
    *,
    window_length=None,
    base=None,
    axis=0,
    method="auto",
    nan_policy="propagate",
    keepdims=False,
):
    """An estimate of the differential entropy of a sample's distribution along an axis."""
    if base is not None and base <= 0:
        raise refuse("`base` must be a positive number or `None`.")
    name = str(method).lower()
    if name not in (*_ENTROPIES, "auto"):
        raise refuse(f"`method` must be one of {[*_ENTROPIES, 'auto']}", mistake="choice")

    def window(n):
        return math.floor(math.sqrt(n) + 0.5) if window_length is None else window_length

    def core(x):
        n = x.shape[-1]
        m = window(n)
        if not 2 <= 2 * m < n:
            raise refuse(
                f"Window length ({m}) must be positive and less than half the sample size ({n})."
            )
        chosen = name
        if name == "auto":
            chosen = "van es" if n <= 10 else "ebrahimi" if n <= 1000 else "vasicek"
        found = _ENTROPIES[chosen](np.sort(x, -1), m)
        return found if base is None else found / math.log(base)

    return reduced(core, [floating(values)], axis, nan_policy, keepdims, guard=True,
                   least=lambda n: not 2 <= 2 * window(n) < n, attempts=True)


@described("float: The expectile.", notes=COLLECTIVE)
def expectile(a, alpha=0.5, *, weights=None):
    """The expectile of a level: the minimum of an asymmetric squared distance."""
    if alpha < 0 or alpha > 1:
        raise refuse("The expectile level alpha must be in the range [0, 1].")
    a = floating(a).reshape(-1)
    if a.size == 0:
        raise refuse("The sample must not be empty.")
    if weights is not None:
        weights = array(weights)
        if weights.shape != a.shape:
            raise refuse("weights have another shape than the sample", mistake="together")
    if alpha == 0:
        return float(a.min())
    if alpha == 1:
        return float(a.max())
    weights = np.ones_like(a) if weights is None else weights.astype(a.dtype)
    found = float((a * weights).sum() / weights.sum())
    # A weighted mean; its weights change as often as elements change sides.
    for _ in range(100):
        sides = np.where(a > found, alpha, 1 - alpha) * weights
        after = float((a * sides).sum() / sides.sum())
        if after == found:
            break
        found = after
    return found


def _directions(samples, high, low, masks):
    turns = (samples - low) * (2 * math.pi / (high - low))
    mask = only(masks)
    return mean(np.sin(turns), mask), mean(np.cos(turns), mask)


def _resultant(samples, high, low, masks):
    sine, cosine = _directions(samples, high, low, masks)
    return np.minimum(np.hypot(sine, cosine), 1.0)


@described(_REDUCED)
def circmean(
    samples, high=2 * math.pi, low=0, axis=None, nan_policy="propagate", *, keepdims=False
):
    """The mean of values on a circle along an axis."""

    def core(x, masks=None):
        sine, cosine = _directions(x, high, low, masks)
        angle = np.arctan2(sine, cosine)
        span = high - low
        found = angle * (span / (2 * math.pi))
        found = np.where(found < 0, found + span, found)
        return np.mod(found - 0.0, span) + low if low == 0 else found + low

    return reduced(core, [floating(samples)], axis, nan_policy, keepdims, masked=True)


@described(_REDUCED)
def circvar(
    samples, high=2 * math.pi, low=0, axis=None, nan_policy="propagate", *, keepdims=False
):
    """The variance of values on a circle along an axis."""

    def core(x, masks=None):
        return 1 - _resultant(x, high, low, masks)

    return reduced(core, [floating(samples)], axis, nan_policy, keepdims, masked=True)


@described(_REDUCED)
def circstd(
    samples,
    high=2 * math.pi,
    low=0,
    axis=None,
    nan_policy="propagate",
    *,
    normalize=False,
    keepdims=False,
):
    """The standard deviation of values on a circle along an axis."""

    def core(x, masks=None):
        # The sum turns -0.0 into 0.0.
        found = np.sqrt(np.maximum(-2 * np.log(_resultant(x, high, low, masks)), 0.0)) + 0.0
        return found if normalize else found * ((high - low) / (2 * math.pi))

    return reduced(core, [floating(samples)], axis, nan_policy, keepdims, masked=True)


DirectionalStats = result("DirectionalStats", "mean_direction mean_resultant_length")


@described("DirectionalStats: The mean direction and the length of the mean.")
def directional_stats(samples, *, axis=0, normalize=True):
    """The mean of directions, which are vectors along the last axis."""
    samples = floating(samples)
    if samples.ndim < 2:
        raise refuse(
            "samples must at least be two-dimensional. "
            f"Instead samples has shape: {samples.shape!r}"
        )
    samples = np.moveaxis(samples, axis, 0)
    if normalize:
        samples = samples / np.linalg.vector_norm(samples, axis=-1, keepdims=True)
    middle = samples.mean(0)
    length = np.linalg.vector_norm(middle, axis=-1, keepdims=True)
    return DirectionalStats(middle / length, length[..., 0] if length.ndim else length)


def _kstat(x, mask, order):
    n = np.asarray(count(x, mask)).astype(x.dtype)
    if order == 1:
        return mean(x, mask)
    second, third, fourth = central(x, mask, 2, 3, 4)
    if order == 2:
        found = second * (n / (n - 1))
    elif order == 3:
        found = third * (n**2 / ((n - 1) * (n - 2)))
    else:
        scale = n**2 / ((n - 1) * (n - 2) * (n - 3))
        found = scale * ((n + 1) * fourth - 3 * (n - 1) * second**2)
    return np.where(n < order, np.nan, found)


@described(_REDUCED)
def kstat(data, n=2, *, axis=None, nan_policy="propagate", keepdims=False):
    """The k-statistic of an order from 1 to 4: an unbiased estimate of the cumulant."""
    if n not in (1, 2, 3, 4):
        raise refuse("k-statistics only supported for 1<=n<=4")

    def core(x, masks=None):
        return _kstat(x, only(masks), int(n))

    return reduced(core, [floating(data)], axis, nan_policy, keepdims, masked=True)


@described(_REDUCED)
def kstatvar(data, n=2, *, axis=None, nan_policy="propagate", keepdims=False):
    """An unbiased estimate of the variance of the k-statistic of the order 1 or 2."""
    if n not in (1, 2):
        raise refuse("Only n=1 or n=2 supported.")

    def core(x, masks=None):
        mask = only(masks)
        size, second = np.asarray(count(x, mask)).astype(x.dtype), _kstat(x, mask, 2)
        if n == 1:
            return second / size
        fourth = _kstat(x, mask, 4)
        return (2 * size * second**2 + (size - 1) * fourth) / (size * (size + 1))

    return reduced(core, [floating(data)], axis, nan_policy, keepdims, masked=True)


@described("ndarray: The shape of the sample without the axis, after one for several orders.")
def lmoment(
    sample,
    order=None,
    *,
    axis=0,
    sorted=False,
    standardize=True,
    nan_policy="propagate",
    keepdims=False,
):
    """L-moments of a sample along an axis; from the third order on over the second."""
    if not isinstance(sorted, bool) or not isinstance(standardize, bool):
        raise refuse("`sorted` and `standardize` must be True or False.", mistake="type")
    orders = [1, 2, 3, 4] if order is None else array(order).tolist()
    is_one = not isinstance(orders, list)
    orders = [orders] if is_one else orders
    if not orders or any(not isinstance(one, int) or one <= 0 for one in orders):
        raise refuse("`order` must be a scalar or a non-empty array of positive integers.")
    most = max(max(orders), 2)

    def core(x):
        x = x if sorted else np.sort(x, -1)
        n = x.shape[-1]
        places = np.arange(n, dtype=x.dtype)
        weights, powers = np.ones_like(places), []
        for power in range(most):
            if power >= n:
                powers.append(np.full(x.shape[:-1], np.nan))
                continue
            powers.append(np.mean(x * weights, -1))
            if power + 1 < n:
                weights = weights * (places - power) / (n - 1 - power)
        found = []
        for one in range(most):
            terms = [
                powers[k] * float((-1) ** (one - k) * math.comb(one, k) * math.comb(one + k, k))
                for k in range(one + 1)
            ]
            found.append(functools.reduce(lambda a, b: a + b, terms))
        if standardize:
            found[2:] = [one / found[1] for one in found[2:]]
        picked = tuple(found[one - 1] for one in orders)
        return picked if len(picked) > 1 else picked[0]

    results = reduced(
        core, [floating(sample)], axis, nan_policy, keepdims, outputs=len(orders), guard=True
    )
    if len(orders) == 1:
        return results if is_one else results[None]
    return np.stack(results)


