"""Piecewise polynomials as operations of arrays.

Breakpoints are a vector that ascends or descends. Coefficients have an axis of degrees, an axis of
intervals, and any axes of values. Nothing here reads a value: all of it is recorded.
"""

import math

import phalanx as np

from ._basis import near


def wide(values, count):
    """Values of intervals or points with an axis of length one for each of `count` axes."""
    return values.reshape(values.shape + (1,) * count) if count else values


def direction(x):
    """1 for ascending breakpoints and -1 for descending ones."""
    return np.where(x[-1] >= x[0], 1.0, -1.0)


def located(x, points, extrapolate):
    """The interval of each point, and whether the result is NaN there.

    An interval has its first breakpoint, and the last interval both.
    """
    sign = direction(x)
    knots, points = x * sign, points * sign
    places = np.searchsorted(knots, points, side="right") - 1
    is_outside = np.isnan(points)
    if not extrapolate:
        is_outside = is_outside | (points < knots[0]) | (points > knots[-1])
    return np.clip(places, 0, x.shape[0] - 2), is_outside


def within_period(x, points):
    """Points moved by whole periods to the range of the breakpoints."""
    return x[0] + (points - x[0]) % (x[-1] - x[0])


def power_value(rows, s, nu=0):
    """A derivative of polynomials of a distance. `rows` has the coefficients, the highest degree
    first; the derivative of order -1 is the integral from 0."""
    last = len(rows) - 1
    value = None
    for at in range(last + 1 - max(nu, 0)):
        degree = last - at
        factor = math.perm(degree, nu) if nu >= 0 else 1 / (degree + 1)
        term = rows[at] if factor == 1 else rows[at] * float(factor)
        value = term if value is None else value * s + term
    if value is None:
        return rows[0] * 0.0
    return value * s if nu < 0 else value


def bernstein_value(rows, s, width, nu=0):
    """A derivative of polynomials in Bernstein's basis at a part `s` of an interval's width."""
    degree = len(rows) - 1
    if nu > degree:
        return rows[0] * 0.0
    for order in range(nu):
        rows = [(b - a) * float(degree - order) for a, b in zip(rows[:-1], rows[1:])]
    degree -= nu
    rest, power, value = 1.0 - s, 1.0, rows[0]
    for at in range(1, degree + 1):
        power = power * s
        value = value * rest + rows[at] * (float(math.comb(degree, at)) * power)
    return value / width**nu if nu else value


def evaluated(c, x, points, nu, extrapolate, basis):
    """A derivative at a vector of points, with the axes of values after the axis of points."""
    c, x = near(c), near(x)
    places, is_outside = located(x, points, extrapolate)
    more = c.ndim - 2
    if nu >= c.shape[0]:
        value = np.zeros((points.shape[0], *c.shape[2:]), c.dtype)
    else:
        taken = np.take(c, places, axis=1)
        rows = [taken[at] for at in range(c.shape[0])]
        start = np.take(x, places)
        s = points - start
        if basis == "power":
            value = power_value(rows, wide(s, more), nu)
        else:
            width = np.take(x, places + 1) - start
            value = bernstein_value(rows, wide(s / width, more), wide(width, more), nu)
    return np.where(wide(is_outside, more), np.nan, value)


def integral(c, x, a, b, extrapolate):
    """The integral of polynomials of the power basis from a number to another, for each value."""
    sign = direction(x)
    knots = x * sign
    first, last = knots[:-1], knots[1:]
    is_outside = False
    if extrapolate:
        number = np.arange(first.shape[0])
        low = np.where(number == 0, -np.inf, first)
        high = np.where(number == first.shape[0] - 1, np.inf, last)
    else:
        low, high = first, last
        ends = [x[0], x[-1]]
        least, most = np.minimum(*ends), np.maximum(*ends)
        is_outside = is_outside | (min(a, b) < least) | (max(a, b) > most)
    rows = [c[at] for at in range(c.shape[0])]

    def upto(end):
        distance = (np.clip(end * sign, low, high) - first) * sign
        return power_value(rows, wide(distance, c.ndim - 2), -1)

    total = np.sum(upto(b) - upto(a), axis=0)
    return np.where(is_outside, np.nan, total)


def antiderivative(c, x):
    """The coefficients of a continuous integral that is 0 at the first breakpoint."""
    import numpy

    count = c.shape[0]
    factors = np.asarray(1.0 / numpy.arange(count, 0, -1.0))
    above = c * factors.reshape((count,) + (1,) * (c.ndim - 1))
    over = power_value([c[at] for at in range(count)], wide(x[1:] - x[:-1], c.ndim - 2), -1)
    return np.concatenate([above, sums_before(over)[None]])


def sums_before(steps):
    """For each row, the sum of the rows before it."""
    sums = np.cumsum(steps[:-1], axis=0)
    return np.concatenate([np.zeros((1, *steps.shape[1:]), steps.dtype), sums])
