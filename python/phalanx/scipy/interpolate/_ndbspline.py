"""Splines of several variables: products of B-splines along each axis."""

import itertools
import operator

import phalanx as np

from .._arguments import array, refuse
from . import _basis
from ._bspline import check_knots, derived, inexact, padded
from ._described import COLLECTIVE, KNOTS, RECORDED, described, described_class
from ._host import vector
from ._making import along
from ._methods import OnMesh


def _degrees(k, count):
    """The degree along each axis."""
    import numpy

    if isinstance(k, np.ndarray):
        k = k.get()
    if not isinstance(k, (tuple, list, numpy.ndarray)):
        k = (k,) * count
    k = tuple(operator.index(one) for one in k)
    if len(k) != count:
        raise refuse(f"len(t) = {count} != len(k) = {len(k)}.", mistake="together")
    return k


def _knots(t, k):
    """The degrees, and the knots as arrays of NumPy."""
    if not isinstance(t, tuple):
        raise refuse(f"Expect `t` to be a tuple of array-likes. Got {type(t)} instead.")
    k = _degrees(k, len(t))
    knots = []
    for axis, (one, degree) in enumerate(zip(t, k)):
        knots.append(vector(one, "NdBSpline", float))
        check_knots(knots[-1], degree, f" in dimension {axis}")
    return k, knots


def _around(knots, k, points, nu):
    """The first basis function at each point, and the values of the functions, for each axis."""
    starts, weights = [], []
    for axis, (t, degree, order) in enumerate(zip(knots, k, nu)):
        t, x = _basis.near(np.asarray(t)), points[:, axis]
        span = _basis.spans(t, degree, x)
        starts.append(span - degree)
        weights.append(_basis.values(t, degree, x, span, order))
    return starts, weights


_XI = ("array_like", "The points: their coordinates along the last axis.")
_NU = ("sequence of int", "The order of the derivative along each axis.")
_BEYOND = ("bool", "Whether polynomials continue beyond the base intervals; points there are NaN "
           "otherwise.")


@described_class({"ValueError": "Knots, degrees and coefficients do not fit."}, KNOTS,
                 t=("tuple of array_like", "The knots along each axis."),
                 k=("int or sequence of int", "The degree along each axis."), extrapolate=_BEYOND)
class NdBSpline(OnMesh):
    """A spline of several variables, a sum of products of B-splines. Points are evaluated as
    arrays on devices."""

    def __init__(self, t, c, k, *, extrapolate=None):
        self._k, self._t = _knots(t, k)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        self._c = inexact(c)
        ndim = len(self._t)
        if self._c.ndim < ndim:
            raise refuse(f"Coefficients must be at least {ndim}-dimensional.")
        for axis, (one, degree) in enumerate(zip(self._t, self._k)):
            count = one.size - degree - 1
            if self._c.shape[axis] != count:
                raise refuse(
                    f"Knots, coefficients and degree in dimension {axis} are inconsistent: got "
                    f"{self._c.shape[axis]} coefficients for {one.size} knots, need at least "
                    f"{count} for k={degree}.", mistake="together",
                )

    @property
    def k(self):
        """The degree along each axis."""
        return self._k

    @property
    def t(self):
        """The knots along each axis."""
        return tuple(np.asarray(one) for one in self._t)

    @property
    def c(self):
        """The coefficients."""
        return self._c

    def _orders(self, nu):
        import numpy

        ndim = len(self._t)
        orders = numpy.zeros(ndim, int) if nu is None else vector(nu, "NdBSpline", int)
        if orders.ndim != 1 or orders.size != ndim:
            raise refuse(f"invalid number of derivative orders nu = {orders} for ndim = {ndim}.",
                         mistake="together")
        if (orders < 0).any():
            raise refuse(f"derivatives must be positive, got nu = {orders}")
        return orders.tolist()

    @described("ndarray: The values: an element or an array of each point.",
               {"ValueError": "The points have another number of coordinates, or an order is "
                "negative."}, RECORDED, xi=_XI, nu=_NU, extrapolate=_BEYOND)
    def __call__(self, xi, *, nu=None, extrapolate=None):
        """The values of the spline, or of a derivative, at points."""
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        orders, ndim = self._orders(nu), len(self._t)
        xi = points_of(xi).astype(np.float64)
        if xi.shape[-1] != ndim:
            raise refuse(f"Shapes: xi.shape={xi.shape} and ndim={ndim}", mistake="together")
        points = xi.reshape(-1, ndim)
        starts, weights = _around(self._t, self._k, points, orders)
        found = _basis.tensor(self._c, starts, weights)
        missing = np.isnan(points).any(axis=1)
        if not extrapolate:
            for axis, (t, k) in enumerate(zip(self._t, self._k)):
                missing = missing | _basis.outside(np.asarray(t), k, points[:, axis])
        found = np.where(missing.reshape((-1,) + (1,) * (found.ndim - 1)),
                         _basis.missing_value(found), found)
        return found.reshape((*xi.shape[:-1], *self._c.shape[ndim:]))

    @classmethod
    @described("csr_array: The matrix, with a row for each point.",
               {"ValueError": "The points and the knots have other numbers of axes."}, COLLECTIVE,
               xvals=("array_like", "The points, a matrix with a row for each."),
               t=("tuple of array_like", "The knots along each axis."),
               k=("int or sequence of int", "The degree along each axis."),
               extrapolate=("bool", "Without effect, as in SciPy."))
    def design_matrix(cls, xvals, t, k, extrapolate=True):
        """The values of the products of basis functions at points, a sparse matrix."""
        from ..sparse import csr_array

        points = points_of(xvals).astype(np.float64)
        ndim = points.shape[-1]
        if len(t) != ndim:
            raise refuse(f"Data and knots are inconsistent: len(t) = {len(t)} for ndim = {ndim}.",
                         mistake="together")
        k, knots = _knots(t, k)
        extents = [one.size - degree - 1 for one, degree in zip(knots, k)]
        starts, weights = _around(knots, k, points, [0] * ndim)
        places, data = [], []
        for chosen in itertools.product(*(range(degree + 1) for degree in k)):
            place, weight = 0, 1.0
            for axis, at in enumerate(chosen):
                place = place * extents[axis] + starts[axis] + at
                weight = weight * weights[axis][at]
            places.append(place)
            data.append(weight)
        count, width = points.shape[0], len(data)
        rows = np.arange(0, count * width + 1, width)
        size = 1
        for extent in extents:
            size *= extent
        return csr_array((np.stack(data, axis=1).reshape(-1), np.stack(places, axis=1).reshape(-1),
                          rows), shape=(count, size))

    @described("NdBSpline", {"ValueError": "An order is negative, or their number is not that of "
               "the axes."}, RECORDED, nu=_NU)
    def derivative(self, nu):
        """A partial derivative, as a spline."""
        orders = self._orders(nu)
        knots, k, c = list(self._t), list(self._k), self._c
        for axis, order in enumerate(orders):
            if order == 0:
                continue
            t, c = knots[axis], np.moveaxis(c, axis, 0)
            if order <= k[axis]:
                t, c, k[axis] = derived(t, padded(c, t.size), k[axis], order)
            else:
                # The derivative is zero in each interval.
                k[axis] = 0
                c = np.zeros((t.size - 1, *c.shape[1:]), dtype=c.dtype)
            knots[axis] = t
            c = np.moveaxis(c[: t.size - k[axis] - 1], 0, axis)
        return NdBSpline(tuple(knots), c, tuple(k), extrapolate=self.extrapolate)


def points_of(xi):
    """Points as an array; they may be a list of points, or of coordinates that are arrays."""
    if isinstance(xi, (list, tuple)) and any(
        isinstance(one, np.ndarray) or (isinstance(one, (list, tuple)) and any(
            isinstance(part, np.ndarray) for part in one)) for one in xi
    ):
        return np.stack([points_of(one) for one in xi])
    return array(xi)


def make_ndbspl(points, values, k=3, *, solver=None, **solver_args):
    """The spline through values on a grid, with no conditions at its borders.

    The system is a product of one along each axis, and these are solved one after the other.
    """
    points = [vector(one, "NdBSpline", float) for one in points]
    k = _degrees(k, len(points))
    for axis, (one, degree) in enumerate(zip(points, k)):
        if one.size <= degree:
            raise refuse(
                f"There are {one.size} points in dimension {axis}, but order {degree} requires at "
                f"least  {degree + 1} points per dimension."
            )
    c, knots = inexact(values), []
    for axis, (one, degree) in enumerate(zip(points, k)):
        c, t = along(one, c, degree, axis)
        knots.append(t)
    return NdBSpline(tuple(knots), c, k)
