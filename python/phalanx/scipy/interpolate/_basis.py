"""Values of B-splines at arrays of points, by de Boor's recurrence.

Source: de Boor, A Practical Guide to Splines, chapters IX and X. A point has `k + 1` basis
functions that are not zero; `values` has an array of all points for each of them.
"""

import itertools
import math

import phalanx as np

# Coefficients of fewer bytes are copied to each device once, so that all of them are near.
_NEAR = 1 << 28
# Elements of the terms of the points of one block.
_BLOCK = 1 << 24
# Terms that are added one by one; more would make large programs.
_FEW_TERMS = 64


def near(x):
    """An array that is whole on each device, if it is not large."""
    return x.with_sharding(None) if x.nbytes <= _NEAR else x


def spans(t, k, x):
    """The position of the last knot up to each point, within the base interval."""
    return np.clip(np.searchsorted(t, x, side="right") - 1, k, t.shape[0] - k - 2)


def values(t, k, x, span, nu=0):
    """The derivatives of order `nu` of the basis functions ``span - k`` to ``span``."""
    if nu > k:
        return [np.zeros_like(x)] * (k + 1)
    knots = {}

    def knot(offset):
        if offset not in knots:
            knots[offset] = np.take(t, span + offset, mode="clip")
        return knots[offset]

    found = [np.ones_like(x)]
    for degree in range(1, k + 1):
        previous, found = found, [np.zeros_like(x)]
        for at in range(degree):
            right, left = knot(at + 1), knot(at + 1 - degree)
            width = right - left
            # Knots that coincide have no basis function between them.
            share = np.where(width == 0, 0.0, previous[at] / np.where(width == 0, 1.0, width))
            if degree <= k - nu:
                found[at] = found[at] + share * (right - x)
                found.append(share * (x - left))
            else:
                found[at] = found[at] - degree * share
                found.append(degree * share)
    return found


def outside(t, k, x):
    """Where points are outside of the base interval."""
    ends = np.take(t, np.asarray([k, t.shape[0] - k - 1]))
    return (x < ends[0]) | (x > ends[1])


def spline(t, c, k, x, nu=0, extrapolate=True):
    """The values of a spline at a vector of points; the first axis of `c` is that of the basis."""
    if nu > k + 1:
        # SciPy's derivatives beyond that of the steps are zero also outside, and where x is NaN.
        return np.zeros((x.shape[0], *c.shape[1:]), dtype=c.dtype)
    t = near(t)
    span = spans(t, k, x)
    weights = values(t, k, x, span, nu)
    c, total = near(c), None
    shape = (-1,) + (1,) * (c.ndim - 1)
    for at, weight in enumerate(weights):
        term = np.take(c, span - (k - at), axis=0, mode="clip") * weight.reshape(shape)
        total = term if total is None else total + term
    missing = np.isnan(x)
    if not extrapolate:
        missing = missing | outside(t, k, x)
    return np.where(missing.reshape(shape), missing_value(total), total)


def missing_value(values):
    """NaN of the dtype of values: both parts of a complex one."""
    return complex(np.nan, np.nan) if values.dtype.kind == "c" else np.nan


def tensor(c, starts, weights):
    """Sums of coefficients around points: products of weights along the first axes of `c`.

    `starts` has the first position along each axis, a vector of points, and `weights` the arrays of
    points for this and the following positions.
    """
    ndim, count = len(starts), starts[0].shape[0]
    extents, trailing = c.shape[:ndim], c.shape[ndim:]
    flat = near(c.reshape(math.prod(extents), *trailing))
    terms = math.prod(len(one) for one in weights)
    if terms <= _FEW_TERMS:
        return _summed(flat, extents, starts, weights)
    step, found = max(1, _BLOCK // (terms * max(1, math.prod(trailing)))), []
    for start in range(0, max(count, 1), step):
        part = slice(start, start + step)
        own = [[weight[part] for weight in one] for one in weights]
        found.append(_gathered(flat, extents, [one[part] for one in starts], own))
    return found[0] if len(found) == 1 else np.concatenate(found)


def _summed(flat, extents, starts, weights):
    """The sums term by term, which are fused."""
    total = None
    for chosen in itertools.product(*(range(len(one)) for one in weights)):
        place, weight = None, None
        for axis, at in enumerate(chosen):
            position = starts[axis] + at
            place = position if place is None else place * extents[axis] + position
            factor = weights[axis][at]
            weight = factor if weight is None else weight * factor
        term = np.take(flat, place, axis=0, mode="clip")
        term = term * weight.reshape((-1,) + (1,) * (flat.ndim - 1))
        total = term if total is None else total + term
    return total


def _gathered(flat, extents, starts, weights):
    """The sums of all terms at once, an axis of an array."""
    place, weight = None, None
    for start, extent, factors in zip(starts, extents, weights):
        position = start[:, None] + np.arange(len(factors))
        factor = np.stack(factors, axis=1)
        if place is not None:
            position = place[:, :, None] * extent + position[:, None, :]
            factor = weight[:, :, None] * factor[:, None, :]
        width = math.prod(position.shape[1:])
        place, weight = position.reshape(-1, width), factor.reshape(-1, width)
    terms = np.take(flat, place, axis=0, mode="clip")
    return (terms * weight.reshape(weight.shape + (1,) * (flat.ndim - 1))).sum(axis=1)
