"""Piecewise polynomials of several variables, products of intervals."""

import math
import operator

import phalanx as np

from .._arguments import array, host, refuse
from . import _pieces
from ._basis import near
from ._described_polynomials import COLLECTIVE, described
from ._methods import OnMesh
from ._piecewise import inexact
from ._ppoly import definite, power_derivative

_ORDERS = ("sequence of int", "The order of the derivative for each axis.")


class NdPPoly(OnMesh):
    """A piecewise polynomial of several variables, in powers of distances from breakpoints.

    The constructor is collective: whether the breakpoints ascend is read.

    Parameters
    ----------
    c : array_like
        The coefficients: for each variable the degrees, the highest one first; for each variable
        the intervals; then any axes of values.
    x : sequence of array_like
        For each variable the breakpoints, which ascend; one more than there are intervals.
    extrapolate : bool, optional
        Whether the outer polynomials apply beyond the breakpoints, which is the default; values
        are NaN there otherwise.

    Raises
    ------
    ValueError
        The shapes do not fit, or the breakpoints do not ascend.
    """

    c = x = extrapolate = None

    def __init__(self, c, x, extrapolate=None):
        self.x = tuple(array(one).astype(np.float64) for one in x)
        self.c = array(c)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        if any(one.ndim != 1 for one in self.x):
            raise refuse("x arrays must all be 1-dimensional")
        if any(one.size < 2 for one in self.x):
            raise refuse("x arrays must all contain at least 2 points")
        if self.c.ndim < 2 * ndim:
            raise refuse("c must have at least 2*len(x) dimensions")
        ascends = [np.all(one[1:] >= one[:-1]) for one in self.x]
        if ascends and not all(host(np.stack(ascends)).tolist()):
            raise refuse("x-coordinates are not in increasing order")
        if any(extent != one.size - 1 for extent, one in zip(self.c.shape[ndim:], self.x)):
            raise refuse("x and c do not agree on the number of intervals", mistake="together")
        self.c = np.ascontiguousarray(inexact(self.c))

    def _home(self):
        return self.c

    @classmethod
    @described("NdPPoly: The piecewise polynomial.", {},
               x=("sequence of array_like", "The breakpoints for each variable."))
    def construct_fast(cls, c, x, extrapolate=None):
        """A piecewise polynomial of coefficients and breakpoints that are not checked."""
        self = object.__new__(cls)
        self.c, self.x = array(c), tuple(array(one) for one in x)
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    @described("ndarray: The values; the axes of the points without the last one, then those of "
               "the values.",
               x=("array_like or tuple of array_like", "The points, with their coordinates along "
                  "the last axis or as a tuple of arrays that broadcast."),
               nu=_ORDERS)
    def __call__(self, x, nu=None, extrapolate=None):
        """The values of the polynomials, or of a derivative, at points."""
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        shape, coordinates = _coordinates(x)
        if len(coordinates) != ndim:
            raise refuse("the points have another number of coordinates", mistake="together")
        orders = [0] * ndim
        if nu is not None:
            orders = host(nu)
            if orders.ndim != 1 or orders.shape[0] != ndim:
                raise refuse("invalid number of derivative orders nu")
            orders = [operator.index(order) for order in orders.astype(int).tolist()]
        if any(order < 0 for order in orders):
            raise refuse("Order of derivative cannot be negative")
        places, distances, is_outside = 0, [], None
        for knots, points in zip(map(near, self.x), coordinates):
            place, beyond = _pieces.located(knots, points, extrapolate)
            places = places * (knots.shape[0] - 1) + place
            distances.append(points - np.take(knots, place))
            is_outside = beyond if is_outside is None else is_outside | beyond
        degrees, cells = self.c.shape[:ndim], math.prod(self.c.shape[ndim : 2 * ndim])
        more = self.c.shape[2 * ndim :]
        table = near(self.c).reshape(*degrees, cells, *more)
        value = np.take(table, places, axis=ndim)
        for s, order in zip(distances, orders):
            # The first axis has the degrees of the next variable.
            rows = [value[at] for at in range(value.shape[0])]
            value = _pieces.power_value(rows, s.reshape(s.shape + (1,) * len(more)), order)
        value = np.where(_pieces.wide(is_outside, len(more)), np.nan, value)
        return value.reshape(shape + more)

    def _changed(self, nu, sign):
        c = self.c
        for axis, order in enumerate(nu):
            order, axis = sign * operator.index(order), axis % len(self.x)
            if order:
                c = np.moveaxis(c, (axis, len(self.x) + axis), (0, 1))
                for _ in range(-order):
                    c = _pieces.antiderivative(c, self.x[axis])
                if order > 0:
                    c = power_derivative(c, order)
                c = np.moveaxis(c, (0, 1), (axis, len(self.x) + axis))
        return self.construct_fast(np.ascontiguousarray(c), self.x, self.extrapolate)

    @described("NdPPoly: The derivative.", nu=_ORDERS)
    def derivative(self, nu):
        """The derivative as a piecewise polynomial."""
        return self._changed(nu, 1)

    @described("NdPPoly: The integral, which is 0 at the first breakpoints.",
               nu=("sequence of int", "How often the polynomials are integrated for each axis."))
    def antiderivative(self, nu):
        """The integral as a piecewise polynomial."""
        return self._changed(nu, -1)

    @described("NdPPoly or ndarray: The integral as a piecewise polynomial of the other variables; "
               "its values if there are none.",
               {"ValueError": "An end is NaN."}, COLLECTIVE, axis=("int", "The variable."))
    def integrate_1d(self, a, b, axis, extrapolate=None):
        """The integral over one variable, from a number to another."""
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        axis = int(axis) % ndim
        c = np.moveaxis(self.c, (axis, ndim + axis), (0, 1))
        c = definite(c, self.x[axis], a, b, extrapolate)
        if ndim == 1:
            return c
        return self.construct_fast(c, self.x[:axis] + self.x[axis + 1 :], extrapolate)

    @described("ndarray: The integral of each value.", notes=COLLECTIVE)
    def integrate(self, ranges, extrapolate=None):
        """The integral over all variables, each one from a number to another."""
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        if not hasattr(ranges, "__len__") or len(ranges) != ndim:
            raise refuse("Range not a sequence of correct length")
        c = self.c
        for at, (a, b) in enumerate(ranges):
            c = np.moveaxis(c, ndim - at, 1)
            c = definite(c, self.x[at], a, b, extrapolate)
        return c


def _coordinates(x):
    """The shape of points, and a vector for each of their coordinates."""
    if isinstance(x, tuple) and len(x) == 1:
        x = x[0]
    if isinstance(x, tuple):
        parts = np.broadcast_arrays(*[array(one) for one in x])
        return parts[0].shape, [one.reshape(-1).astype(np.float64) for one in parts]
    x = array(x).astype(np.float64)
    if x.ndim == 0:
        raise refuse("a point has no coordinate", IndexError)
    if x.ndim == 1:
        x = x[:, None]
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    return x.shape[:-1], [rows[:, at] for at in range(x.shape[-1])]
