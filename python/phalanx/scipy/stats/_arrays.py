"""Samples of statistical functions: their axis, NaNs and extents, as SciPy treats them."""

import functools
import itertools
import operator
import warnings

import phalanx as np
from phalanx import exceptions

from .._arguments import array, host, refuse

_POLICIES = ("propagate", "omit", "raise")


class SmallSampleWarning(RuntimeWarning):
    """A sample has too few elements, so the result is NaN."""


class DegenerateDataWarning(RuntimeWarning):
    """A sample is degenerate, so the result is not reliable."""


class ConstantInputWarning(DegenerateDataWarning):
    """All elements of a sample are equal, so the result is not defined."""


class NearConstantInputWarning(DegenerateDataWarning):
    """All elements of a sample are nearly equal, so the result is not reliable."""


class FitError(RuntimeError):
    """A distribution could not be fitted to data."""


def floating(x):
    """An argument as an array of floating-point or complex numbers."""
    x = array(x)
    return x.astype(np.float64) if x.dtype.kind in "biu" else x


def promoted(*operands):
    """Arguments as arrays of one dtype."""
    arrays = [array(one) for one in operands]
    # A short integer beside float32 does not widen it, nor does a number of Python.
    dtype = np.result_type(*(
        one if type(one) in (int, float) else of.dtype for one, of in zip(operands, arrays)
    ))
    return [one.astype(dtype, copy=False) for one in arrays]


def common(*operands):
    """Arguments as floating-point arrays of one dtype."""
    arrays = promoted(*operands)
    dtype = arrays[0].dtype
    dtype = np.dtype(np.float64) if dtype.kind in "biu" else dtype
    return [one.astype(dtype, copy=False) for one in arrays]


def quiet():
    """A context in which results that are not defined are NaN without a warning."""
    return np.errstate(all="ignore")


def check_policy(nan_policy):
    """Refuses an unknown policy for NaNs."""
    if nan_policy not in _POLICIES:
        raise refuse(
            "nan_policy must be one of {'propagate', 'raise', 'omit'}", mistake="choice"
        )


def has_nan(x):
    """Whether an array contains NaN. Collective: the answer is read."""
    return x.dtype.kind in "fc" and bool(np.isnan(x).any())


def axis_of(axis, ndim):
    """An axis counted from the first one."""
    place = operator.index(axis)
    if not -ndim <= place < ndim:
        raise exceptions.AxisError(axis, ndim)
    return place % ndim


def last(x, axis):
    """An array whose reduced axes are one axis, the last one; and the shape of the result of a
    reduction that keeps the axes."""
    if axis is None:
        return x.reshape(-1), (1,) * x.ndim
    if isinstance(axis, tuple):
        axes = [axis_of(one, x.ndim) for one in axis]
        if len(set(axes)) < len(axes):
            raise refuse("axis must contain only distinct elements")
        kept = [extent for place, extent in enumerate(x.shape) if place not in axes]
        moved = np.moveaxis(x, axes, range(x.ndim - len(axes), x.ndim))
        count = 1
        for place in axes:
            count *= x.shape[place]
        shape = tuple(1 if place in axes else n for place, n in enumerate(x.shape))
        return moved.reshape(*kept, count), shape
    axis = axis_of(axis, x.ndim)
    shape = tuple(1 if place == axis else n for place, n in enumerate(x.shape))
    return np.moveaxis(x, axis, -1), shape


def _aligned(samples, axis, paired):
    """Samples with the reduced axis last and the same other extents; those whose elements are
    pairs have the same extent there, too."""
    ndim = max(one.ndim for one in samples)
    if axis is None:
        return [one.reshape(-1) for one in samples], (1,) * ndim
    if paired:
        shape = broadcast_shape(*(one.shape for one in samples))
        samples = [np.broadcast_to(one, shape) for one in samples]
    samples = [one.reshape((1,) * (ndim - one.ndim) + one.shape) for one in samples]
    moved = [last(one, axis) for one in samples]
    batch = broadcast_shape(*(one.shape[:-1] for one, _ in moved))
    kept = np.broadcast_shapes(*(shape for _, shape in moved))
    found = []
    for one, _ in moved:
        wanted = (*batch, one.shape[-1])
        found.append(one if one.shape == wanted else np.broadcast_to(one, wanted))
    return found, kept


def broadcast_shape(*shapes):
    """The shape to which shapes of samples broadcast."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise refuse(
            "Array shapes are incompatible for broadcasting.", mistake="together"
        ) from None


def _is_small(lengths, least):
    """Whether a number of elements is too small: an answer, or a mask for numbers of rows."""
    if callable(least):
        return least(*lengths)
    return functools.reduce(operator.or_, (one < least for one in lengths))


def reduced(
    core,
    samples,
    axis,
    nan_policy="propagate",
    keepdims=False,
    *,
    outputs=1,
    least=1,
    paired=False,
    guard=False,
    masked=False,
    attempts=False,
    double=False,
):
    """The reduction of samples along an axis by `core`, which gets arrays with the axis last.

    `least` is the least number of elements, or whether numbers are too small. Vectors that are too
    short are NaN with a warning, rows of arrays without one; with `attempts` the core gets such
    rows and refuses them. `paired` is whether elements of the samples belong together, `guard`
    whether NaNs do not propagate by themselves. With `masked` the core has the parameter `masks`,
    of the elements that count, or None. With `double` results have the core's dtypes.
    """
    check_policy(nan_policy)
    samples = promoted(*samples)
    samples = [one.reshape(1) if one.ndim == 0 else one for one in samples]
    dtype = samples[0].dtype
    dtype = np.dtype(np.float64) if dtype.kind in "biu" else dtype
    samples, kept = _aligned(samples, axis, paired)
    batch = samples[0].shape[:-1]
    lengths = [one.shape[-1] for one in samples]
    is_small = bool(_is_small(lengths, least))
    is_unequal = paired and len(set(lengths)) > 1
    nothing = tuple(np.full(batch, np.nan, dtype) for _ in range(outputs))
    if batch and (0 in batch or is_small and 0 in lengths):
        if 0 not in batch:
            too_small(least)
        results = nothing
    else:
        is_read = nan_policy != "propagate" or is_small or is_unequal
        nans = is_read and any(map(has_nan, samples))
        if nans and nan_policy == "raise":
            raise refuse("The input contains nan values")
        if nans and nan_policy == "omit":
            results = _omitting(core, samples, outputs, least, paired, masked, nothing)
        elif nans and (is_small or is_unequal):
            results = nothing
        elif is_small and not (batch and attempts):
            if not batch:
                too_small(least)
            results = nothing
        elif is_unequal:
            raise refuse("Array shapes are incompatible for broadcasting.", mistake="together")
        else:
            results = _whole(core, samples, outputs, guard)
    if dtype.kind == "f" and not double:
        # Probabilities are computed in double precision.
        results = tuple(
            one.astype(dtype) if one.dtype.kind == "f" and one.dtype != dtype else one
            for one in results
        )
    if keepdims:
        results = tuple(one.reshape(kept) for one in results)
    return results[0] if outputs == 1 else results


def _whole(core, samples, outputs, guard=False):
    with quiet():
        results = core(*samples)
        results = results if outputs > 1 else (results,)
        if guard:
            where = None
            for one in samples:
                if one.dtype.kind in "fc":
                    nans = np.isnan(one).any(-1)
                    where = nans if where is None else where | nans
            if where is not None:
                results = tuple(np.where(where, np.nan, one) for one in results)
    return tuple(map(array, results))


def too_small(least, stacklevel=4):
    """Warns that a sample is too small."""
    needed = "" if callable(least) else f" At least {least} elements are needed."
    warnings.warn(
        f"One or more sample arguments is too small; all returned values will be NaN.{needed}",
        SmallSampleWarning,
        stacklevel=stacklevel,
    )


def _omitting(core, samples, outputs, least, paired, masked, nothing):
    """Results of samples without their NaNs."""
    valid = [~np.isnan(one) if one.dtype.kind in "fc" else np.ones_like(one, dtype=bool)
             for one in samples]
    if paired:
        both = valid[0]
        for one in valid[1:]:
            both = both & one
        valid = [both] * len(samples)
    if masked:
        few = _is_small([one.sum(-1) for one in valid], least)
        if bool(few.any()):
            too_small(least, 5)
        with quiet():
            results = core(*samples, masks=valid)
            results = results if outputs > 1 else (results,)
            return tuple(np.where(few, np.nan, one) for one in results)
    # Each row has its own number of elements.
    batch = samples[0].shape[:-1]
    rows, is_few = [], False
    for index in itertools.product(*map(range, batch)):
        row = [one[index][mask[index]] for one, mask in zip(samples, valid)]
        is_small = bool(_is_small([one.shape[0] for one in row], least))
        is_few |= is_small
        rows.append(
            [one[index] for one in nothing] if is_small else _whole(core, row, outputs)
        )
    if is_few:
        too_small(least, 5)
    return tuple(np.stack(column).reshape(batch) for column in zip(*rows))


# Sums over elements that a mask selects; without a mask, over all.


def count(x, mask=None):
    """The number of elements along the last axis."""
    return x.shape[-1] if mask is None else mask.sum(-1).astype(np.float64)


def total(x, mask=None, keepdims=False):
    """The sum along the last axis."""
    return (x if mask is None else np.where(mask, x, 0)).sum(-1, keepdims=keepdims)


def mean(x, mask=None, keepdims=False):
    """The mean along the last axis."""
    if mask is None:
        return x.mean(-1, keepdims=keepdims)
    number = mask.sum(-1, keepdims=keepdims).astype(x.dtype)
    return total(x, mask, keepdims) / number


def central(x, mask, *orders):
    """Central moments along the last axis."""
    apart = x - mean(x, mask, keepdims=True)
    square = apart * apart
    powers = {2: square, 3: square * apart, 4: square * square}
    return [mean(powers[one] if one in powers else apart**one, mask) for one in orders]


def variance(x, mask=None, ddof=0, keepdims=False):
    """The variance along the last axis."""
    apart = x - mean(x, mask, keepdims=True)
    apart = (apart * np.conj(apart)).real if x.dtype.kind == "c" else apart * apart
    number = x.shape[-1] if mask is None else mask.sum(-1, keepdims=keepdims).astype(x.dtype)
    return total(apart, mask, keepdims) / (number - ddof)


def only(masks):
    """The mask of the only sample."""
    return None if masks is None else masks[0]


def check_alternative(alternative):
    """Refuses an unknown alternative."""
    if alternative not in ("two-sided", "less", "greater"):
        raise refuse(
            "`alternative` must be 'less', 'greater', or 'two-sided'.", mistake="choice"
        )
