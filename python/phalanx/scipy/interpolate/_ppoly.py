"""Piecewise polynomials in powers of the distance from a breakpoint."""

import math
import operator

import phalanx as np

from .._arguments import array, refuse
from . import _pieces
from ._described_polynomials import COLLECTIVE, described
from ._piecewise import Piecewise
from ._roots import real_roots

_ROOTS = (
    "ndarray: The roots along the breakpoints. For each interval where a polynomial is constant "
    "and has the value, its start and NaN. If there are several values in an interval, a NumPy "
    "array of objects, an ndarray for each of them."
)
_REAL = {"ValueError": "The coefficients are complex."}


class PPoly(Piecewise):
    """A piecewise polynomial in powers of the distance from the start of an interval.

    The constructor is collective: whether the breakpoints are sorted is read.

    Parameters
    ----------
    c : array_like
        The coefficients: the degrees, the highest one first, the intervals, then any axes of
        values.
    x : array_like
        The breakpoints, which ascend or descend; one more than there are intervals.
    extrapolate : bool or {'periodic'}, optional
        Whether the outer polynomials apply beyond the breakpoints, which is the default; values
        are NaN there otherwise. 'periodic' repeats the polynomials.
    axis : int, default: 0
        The axis of the intervals, without the axis of degrees.

    Raises
    ------
    ValueError
        The shapes do not fit, or the breakpoints are not sorted.
    """

    _basis = "power"

    @described("PPoly: The derivative.")
    def derivative(self, nu=1):
        """The derivative as a piecewise polynomial."""
        nu = operator.index(nu)
        if nu < 0:
            return self.antiderivative(-nu)
        return self._alike(power_derivative(self.c, nu))

    @described("PPoly: The integral, which is continuous, and 0 at the first breakpoint.")
    def antiderivative(self, nu=1):
        """The integral as a piecewise polynomial."""
        nu = operator.index(nu)
        if nu <= 0:
            return self.derivative(-nu)
        c = self.c
        for _ in range(nu):
            c = _pieces.antiderivative(c, self.x)
        return self._integrated(c)

    @described("ndarray: The integral of each value.", {"ValueError": "An end is NaN."}, COLLECTIVE)
    def integrate(self, a, b, extrapolate=None):
        """The integral from a number to another."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        return definite(self.c, self.x, a, b, extrapolate)

    @described(_ROOTS, _REAL, COLLECTIVE, y=("float", "The value."))
    def solve(self, y=0.0, discontinuity=True, extrapolate=None):
        """The points where the polynomials have a value."""
        import numpy

        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if self.c.dtype.kind == "c":
            raise refuse("Root finding is only for real-valued polynomials")
        more = self.c.shape[2:]
        c = self.c.reshape(*self.c.shape[:2], math.prod(more))
        found = real_roots(c, self.x, float(y), bool(discontinuity), bool(extrapolate))
        if not more:
            return found[0]
        lists = numpy.empty(len(found), object)
        for at, one in enumerate(found):
            lists[at] = one
        return lists.reshape(more)

    @described(_ROOTS, _REAL, COLLECTIVE)
    def roots(self, discontinuity=True, extrapolate=None):
        """The points where the polynomials are 0."""
        return self.solve(0, discontinuity, extrapolate)

    @classmethod
    @described("PPoly: The piecewise polynomial.")
    def from_spline(cls, tck, extrapolate=None):
        """The piecewise polynomial of a spline."""
        if isinstance(tck, (tuple, list)):
            t, c, k = tck
        else:
            t, c, k = tck.tck
            extrapolate = tck.extrapolate if extrapolate is None else extrapolate
        t, c, k = array(t), array(c), operator.index(k)
        if c.ndim != 1:
            raise refuse("the coefficients of the spline are no vector")
        rows = _spline_derivatives(t.astype(np.float64), c, k)
        rows = [row * (1.0 / math.factorial(order)) for order, row in enumerate(rows)]
        return cls.construct_fast(np.stack(rows[::-1]).astype(c.dtype), t, extrapolate)

    @classmethod
    @described("PPoly: The piecewise polynomial.",
               {"TypeError": "`bp` is no piecewise polynomial in Bernstein's basis."})
    def from_bernstein_basis(cls, bp, extrapolate=None):
        """The piecewise polynomial of one in Bernstein's basis."""
        if getattr(bp, "_basis", None) != "bernstein":
            raise refuse(
                f".from_bernstein_basis only accepts BPoly instances. Got {type(bp)} instead.",
                TypeError, "type",
            )
        k = bp.c.shape[0] - 1
        width = _pieces.wide(bp.x[1:] - bp.x[:-1], bp.c.ndim - 2)
        rows = []
        for power in range(k, -1, -1):
            # The difference of order `power` of the first coefficients.
            terms = [
                bp.c[at] * float((-1) ** (power - at) * math.comb(power, at))
                for at in range(power + 1)
            ]
            rows.append(sum(terms[1:], terms[0]) * float(math.comb(k, power)) / width**power)
        extrapolate = bp.extrapolate if extrapolate is None else extrapolate
        return cls.construct_fast(np.stack(rows), bp.x, extrapolate, bp.axis)


def power_derivative(c, nu):
    """The coefficients of a derivative; the first axis has the degrees."""
    import numpy

    count = c.shape[0] - nu
    if count <= 0:
        return np.zeros((1, *c.shape[1:]), c.dtype)
    if nu == 0:
        return c.copy()
    factors = numpy.array([math.perm(degree + nu, nu) for degree in range(count)][::-1], float)
    return c[:count] * np.asarray(factors).reshape((count,) + (1,) * (c.ndim - 1))


def definite(c, x, a, b, extrapolate):
    """The integral of a piecewise polynomial between two numbers."""
    a, b = float(a), float(b)
    if a != a or b != b:
        raise refuse("Integral bounds not in order")
    sign = 1.0
    if b < a:
        a, b, sign = b, a, -1.0
    if not (isinstance(extrapolate, str) and extrapolate == "periodic"):
        return sign * _pieces.integral(c, x, a, b, bool(extrapolate))
    start, stop = float(x[0]), float(x[-1])
    a, b, whole = periods(start, stop, a, b)
    total = _pieces.integral(c, x, a, min(b, stop), False)
    if b > stop:
        total = total + _pieces.integral(c, x, start, start + (b - stop), False)
    if whole:
        total = total + whole * _pieces.integral(c, x, start, stop, False)
    return sign * total


def periods(start, stop, a, b):
    """A range moved so that it starts in the first period, its end without whole periods, and the
    number of these."""
    period = stop - start
    whole, left = divmod(b - a, period)
    a = start + (a - start) % period
    return a, a + left, whole


def _spline_derivatives(t, c, k):
    """The derivatives of orders 0 to `k` of a spline at all knots but the last one."""
    count = t.shape[0] - k - 1
    at = t[:-1]
    place = np.clip(np.searchsorted(t, at, side="right") - 1, k, count - 1)
    knots = {offset: np.take(t, place + offset) for offset in range(1 - k, k + 1)}
    active = [np.take(c, place - k + j) for j in range(k + 1)]
    found = []
    for order in range(k + 1):
        found.append(_blossom(list(active), knots, at, k, order))
        if order < k:
            degree = k - order
            # The coefficients of the next derivative, by differences over the knots.
            for j in range(k, order, -1):
                step = knots[j - order] - knots[j - k]
                active[j] = (active[j] - active[j - 1]) * degree / step
    return found


def _blossom(active, knots, at, k, order):
    """De Boor's recurrence for the derivative whose coefficients are the last ones of `active`."""
    for level in range(1, k - order + 1):
        for j in range(k, order + level - 1, -1):
            low, high = knots[j - k], knots[j - order - level + 1]
            part = (at - low) / (high - low)
            active[j] = active[j - 1] + part * (active[j] - active[j - 1])
    return active[k]
