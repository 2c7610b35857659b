"""Real roots of piecewise polynomials, of all intervals at once."""

import math

import phalanx as np

from . import _pieces

# Places for what is found in an interval besides roots: a jump at its start, and the start and the
# NaN of a polynomial that is 0 everywhere.
_EXTRA = 3
# The part of the largest coefficient that rounding errors do not reach.
_MARGIN = 1e-6


def real_roots(c, x, y, with_jumps, extrapolate):
    """For each value of an interval, the points where the polynomials are `y`.

    `c` has the degrees, the intervals and the values.
    """
    degrees, intervals, series = c.shape
    descends = float(x[-1]) < float(x[0])
    c = np.concatenate([c[:-1], c[-1:] - y]) if y else c
    start, stop = x[:-1], x[1:]
    # One row for each interval of each series.
    table = np.moveaxis(c, 2, 1).reshape(degrees, series * intervals)
    first, last = np.tile(start, series), np.tile(stop, series)
    number = np.tile(np.arange(intervals), series)
    low, high = (last, first) if descends else (first, last)
    if extrapolate:
        outer = (number == intervals - 1, number == 0)
        left, right = outer if descends else outer[::-1]
        low, high = np.where(left, -np.inf, low), np.where(right, np.inf, high)

    found = np.full((series * intervals, _EXTRA + max(degrees - 1, 0)), np.nan)
    is_zero = np.all(table == 0, axis=0)
    is_point = first == last
    is_found = [np.zeros(is_zero.shape, bool), is_zero, is_zero & ~is_point]
    if with_jumps and intervals > 1:
        rows = [c[at] for at in range(degrees)]
        ends = _pieces.power_value(rows, _pieces.wide(stop - start, 1))[:-1]
        starts = c[-1, 1:]
        jumps = ((ends < 0) & (starts > 0)) | ((ends > 0) & (starts < 0))
        jumps = np.concatenate([np.zeros((1, series), bool), jumps])
        is_found[0] = jumps.T.reshape(-1)
    found[:, 0] = first
    found[:, 1] = first
    effective = degrees - 1 - np.argmax(table != 0, axis=0)
    searched = _may_vanish(table, last - first) & ~is_zero
    if extrapolate:
        searched = searched | ((number == 0) | (number == intervals - 1)) & ~is_zero
    for degree in range(1, degrees):
        places = np.nonzero((effective == degree) & searched)[0]
        if places.size == 0:
            continue
        rows = [np.take(table[at], places) for at in range(degrees - 1 - degree, degrees)]
        roots = _roots(rows)
        roots = roots + np.take(first, places)[:, None]
        least, most = np.take(low, places)[:, None], np.take(high, places)[:, None]
        roots = np.where((roots >= least) & (roots <= most), roots, np.nan)
        if degree > 2:
            # Eigenvalues have no order; roots have the one of the breakpoints.
            roots = -np.sort(-roots, axis=1) if descends else np.sort(roots, axis=1)
        found[places, _EXTRA : _EXTRA + degree] = roots
    are_roots = ~np.isnan(found[:, _EXTRA:])
    kept = np.concatenate([np.stack(is_found, axis=1), are_roots], axis=1)
    return _lists(found, kept, is_zero & ~is_point, series)


def _may_vanish(table, width):
    """Whether the coefficients in Bernstein's basis of an interval have different signs, or one is
    almost 0: there is no root otherwise."""
    k = table.shape[0] - 1
    scaled = [table[k - power] * width**power for power in range(k + 1)]
    least = most = scaled[0]
    for at in range(1, k + 1):
        terms = [
            scaled[power] * (math.comb(at, power) / math.comb(k, power)) for power in range(at + 1)
        ]
        value = sum(terms[1:], terms[0])
        least, most = np.minimum(least, value), np.maximum(most, value)
    # Roots next to an end are decided by their computed values.
    margin = _MARGIN * np.max(np.abs(np.stack(scaled)), axis=0)
    return ~((least > margin) | (most < -margin))


def _roots(rows):
    """The real roots of polynomials of one degree, with NaN for the others."""
    degree = len(rows) - 1
    if degree == 1:
        roots = (-rows[1] / rows[0])[:, None]
    elif degree == 2:
        roots = _of_squares(*rows)
    else:
        monic = np.stack([-row / rows[0] for row in rows[1:]], axis=1)
        lower = np.broadcast_to(np.eye(degree - 1, degree), (monic.shape[0], degree - 1, degree))
        values = np.linalg.eigvals(np.concatenate([monic[:, None, :], lower], axis=1))
        roots = np.where(values.imag == 0, values.real, np.nan)
        # Eigenvalues near a root at the start are exactly 0, and not pairs of complex numbers.
        zeros = np.argmax(np.stack(rows[::-1]) != 0, axis=0)
        by_size = np.argsort(np.argsort(np.abs(values), axis=1), axis=1)
        roots = np.where(by_size < zeros[:, None], 0.0, roots)
    # One step of Newton's method, where it is small; it makes a root at the start exactly 0.
    rows = [row[:, None] for row in rows]
    slope = _pieces.power_value(rows, roots, 1)
    step = _pieces.power_value(rows, roots) / slope
    return np.where((slope != 0) & (np.abs(step) <= np.abs(roots)), roots - step, roots)


def _of_squares(a, b, c):
    """The roots of quadratic polynomials, without cancellation."""
    square = b * b - 4 * a * c
    root = np.sqrt(square)
    mixed = np.where(b < 0, root - b, -b - root)
    pair = mixed / (2 * a), 2 * c / mixed
    # SciPy's order.
    roots = np.stack([np.where(b < 0, *pair[::-1]), np.where(b < 0, *pair)], axis=1)
    double = (-b / (2 * a))[:, None]
    return np.where((square == 0)[:, None], double, roots)


def _lists(found, kept, is_open, series):
    """What is found in each series, without roots that are equal to those before them."""
    width = found.shape[1]
    per_series = found.shape[0] // series * width if series else 0
    places = np.nonzero(kept.reshape(-1))[0]
    values = np.take(found.reshape(-1), places)
    owner = places // max(per_series, 1)
    # The start of an interval of zeros stands even after an equal root.
    stands = np.take(is_open, places // width) & (places % width == 1)
    if values.size > 1:
        repeats = (values[1:] == values[:-1]) & (owner[1:] == owner[:-1]) & ~stands[1:]
        news = np.nonzero(np.concatenate([np.ones(1, bool), ~repeats]))[0]
        values, owner = np.take(values, news), np.take(owner, news)
    ends = np.searchsorted(owner, np.arange(series + 1)).get().tolist()
    return [values[start:stop] for start, stop in zip(ends[:-1], ends[1:])]
