"""What piecewise polynomials of all bases share."""

import operator
import types

import phalanx as np

from .._arguments import array, host, refuse
from . import _pieces
from ._described_polynomials import COLLECTIVE, described
from ._methods import OnMesh

_KNOTS = ("array_like", "The breakpoints.")


def inexact(c):
    """Coefficients as `float64` or `complex128`."""
    return c.astype(np.complex128 if c.dtype.kind == "c" else np.float64, copy=False)


def order_of(nu, basis):
    """The order of a derivative."""
    nu = operator.index(nu)
    if nu < 0 and basis == "bernstein":
        raise refuse("Cannot do antiderivatives in the B-basis yet.", NotImplementedError)
    if nu < 0:
        raise refuse("Order of derivative cannot be negative")
    return nu


def is_sorted(x):
    """Whether breakpoints ascend, and whether they descend. The answer is read."""
    steps = x[1:] - x[:-1]
    return tuple(host(np.stack([np.all(steps >= 0), np.all(steps <= 0)])).tolist())


class Piecewise(OnMesh):
    """Piecewise polynomials: coefficients, breakpoints and the axis of the intervals."""

    __class_getitem__ = classmethod(types.GenericAlias)

    # The basis of the coefficients, and the attributes of objects.
    _basis = None
    c = x = axis = extrapolate = None

    def __init__(self, c, x, extrapolate=None, axis=0):
        self.c, self.x = array(c), array(x).astype(np.float64)
        if extrapolate is None:
            extrapolate = True
        elif not (isinstance(extrapolate, str) and extrapolate == "periodic"):
            extrapolate = bool(extrapolate)
        self.extrapolate = extrapolate
        if self.c.ndim < 2:
            raise refuse("Coefficients array must be at least 2-dimensional.")
        axis = operator.index(axis)
        if not 0 <= axis < self.c.ndim - 1:
            raise refuse(f"axis={axis} must be between 0 and {self.c.ndim - 1}")
        self.axis = axis
        if axis != 0:
            self.c = np.moveaxis(self.c, (axis, axis + 1), (0, 1))
        if self.x.ndim != 1:
            raise refuse("x must be 1-dimensional")
        if self.x.size < 2:
            raise refuse("at least 2 breakpoints are needed")
        if self.c.shape[0] == 0:
            raise refuse("polynomial must be at least of order 0")
        if self.c.shape[1] != self.x.size - 1:
            raise refuse("number of coefficients != len(x)-1", mistake="together")
        if not any(is_sorted(self.x)):
            raise refuse("`x` must be strictly increasing or decreasing.")
        self.c = np.ascontiguousarray(inexact(self.c))

    def _home(self):
        return self.c

    @classmethod
    @described("object: The piecewise polynomial.", {}, x=_KNOTS)
    def construct_fast(cls, c, x, extrapolate=None, axis=0):
        """A piecewise polynomial of coefficients and breakpoints that are not checked."""
        self = object.__new__(cls)
        self.c, self.x, self.axis = array(c), array(x), axis
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    @described("None: The object changes.", notes=COLLECTIVE, x=_KNOTS)
    def extend(self, c, x):
        """Adds intervals before or after those of the object."""
        c, x = array(c), array(x)
        if c.ndim < 2:
            raise refuse("invalid dimensions for c")
        if x.ndim != 1:
            raise refuse("invalid dimensions for x")
        if x.shape[0] != c.shape[1]:
            raise refuse(f"Shapes of x {x.shape} and c {c.shape} are incompatible")
        if c.shape[2:] != self.c.shape[2:] or c.ndim != self.c.ndim:
            raise refuse(f"Shapes of c {c.shape} and self.c {self.c.shape} are incompatible")
        if c.size == 0:
            return
        if not any(is_sorted(x)):
            raise refuse("`x` is not sorted.")
        ends = [self.x[0], self.x[-1], x[0], x[-1]]
        start, stop, first, last = host(np.stack(ends)).tolist()
        sign = 1 if stop >= start else -1
        if sign * last < sign * first:
            raise refuse("`x` is in the different order than `self.x`.")
        own = inexact(self.c) if c.dtype.kind != "c" else self.c.astype(np.complex128)
        own, c = _of_equal_degree(own, c.astype(own.dtype))
        if sign * first >= sign * stop:
            parts, knots = [own, c], [self.x, x]
        elif sign * last <= sign * start:
            parts, knots = [c, own], [x, self.x]
        else:
            raise refuse("`x` is neither on the left or on the right from `self.x`.")
        self.c, self.x = np.concatenate(parts, axis=1), np.concatenate(knots)

    @described("ndarray: The values; the axes of the points are in place of the axis of the "
               "intervals.")
    def __call__(self, x, nu=0, extrapolate=None):
        """The values of the polynomials, or of a derivative, at points."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        points = array(x)
        shape = points.shape
        points = points.reshape(-1).astype(np.float64)
        if isinstance(extrapolate, str) and extrapolate == "periodic":
            points, extrapolate = _pieces.within_period(self.x, points), False
        value = _pieces.evaluated(
            self.c, self.x, points, order_of(nu, self._basis), bool(extrapolate), self._basis
        )
        value = value.reshape(shape + self.c.shape[2:])
        if self.axis != 0:
            source = tuple(range(len(shape)))
            value = np.moveaxis(value, source, tuple(self.axis + at for at in source))
        return value

    def _alike(self, c, extrapolate=None):
        """The object with other coefficients."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        return self.construct_fast(c, self.x, extrapolate, self.axis)

    def _integrated(self, c):
        """The object with the coefficients of an integral, which is not periodic."""
        is_periodic = isinstance(self.extrapolate, str) and self.extrapolate == "periodic"
        return self._alike(c, False if is_periodic else None)


def _of_equal_degree(*parts):
    """Coefficients of the power basis, with zeros for the degrees that are missing."""
    most = max(one.shape[0] for one in parts)
    return [
        one if one.shape[0] == most
        else np.concatenate([np.zeros((most - one.shape[0], *one.shape[1:]), one.dtype), one])
        for one in parts
    ]
