"""Interpolating polynomials through data at few points, in Newton's and the barycentric form."""

import math
import operator
import types
import warnings

import phalanx as np

from .. import _host
from .._arguments import array, host, refuse
from . import _barycentric
from ._described_polynomials import COLLECTIVE, described, described_class
from ._methods import OnMesh

# The most points of one polynomial. More have no use, and matrices of their pairs no room.
_MOST = 1 << 14


class Interpolator(OnMesh):
    """Data along an axis, and values of the shape of points in place of this axis."""

    __class_getitem__ = classmethod(types.GenericAlias)

    # The dtype of values.
    dtype = None

    def __init__(self, xi=None, yi=None, axis=None):
        self._y_axis, self._y_extra_shape, self.dtype = axis, None, None
        if yi is not None:
            self._set_yi(yi, xi=xi, axis=axis)

    @described("ndarray: The values; the axes of the points are in place of the axis of the data.")
    def __call__(self, x):
        """The values at points."""
        points, shape = self._prepare_x(x)
        return self._finish_y(self._evaluate(points), shape)

    def _evaluate(self, x):
        raise NotImplementedError

    def _prepare_x(self, x):
        """Points as a vector of floating-point numbers, and their shape."""
        x = array(x)
        if x.dtype.kind in "biu":
            x = x.astype(np.float64)
        return x.reshape(-1), x.shape

    def _finish_y(self, y, shape, before=0):
        """Values with the axes of the points moved; `before` counts the axes before these."""
        y = y.reshape(y.shape[:before] + shape + self._y_extra_shape)
        if self._y_axis != 0 and shape != ():
            source = tuple(range(before, before + len(shape)))
            y = np.moveaxis(y, source, tuple(at + self._y_axis for at in source))
        return y

    def _reshape_yi(self, yi, check=False):
        """Data as a matrix, a row for each point."""
        yi = np.moveaxis(array(yi), self._y_axis, 0)
        if check and yi.shape[1:] != self._y_extra_shape:
            around = self._y_extra_shape
            raise refuse(
                f"Data must be of shape {around[-self._y_axis :]!r} + (N,) + "
                f"{around[: -self._y_axis]!r}",
                mistake="together",
            )
        return yi.reshape(yi.shape[0], math.prod(yi.shape[1:]))

    def _set_yi(self, yi, xi=None, axis=None):
        axis = self._y_axis if axis is None else axis
        if axis is None:
            raise refuse("no interpolation axis specified")
        yi = array(yi)
        shape = yi.shape or (1,)
        if xi is not None and shape[axis] != len(xi):
            raise refuse(
                "x and y arrays must be equal in length along interpolation axis.",
                mistake="together",
            )
        self._y_axis = axis % len(shape)
        self._y_extra_shape = yi.shape[: self._y_axis] + yi.shape[self._y_axis + 1 :]
        self.dtype = np.complex128 if yi.dtype.kind == "c" else np.float64


class _WithDerivatives(Interpolator):
    """An interpolator with derivatives; `_evaluate_derivatives` computes the first ones."""

    @described("ndarray: The derivatives of orders 0 to ``der - 1``, along the first axis.",
               der=("int", "The number of derivatives; as many as there are points by default."))
    def derivatives(self, x, der=None):
        """The first derivatives at points."""
        points, shape = self._prepare_x(x)
        return self._finish_y(self._evaluate_derivatives(points, der), shape, 1)

    @described("ndarray: The derivative, as values of a call.",
               der=("int", "The order of the derivative."))
    def derivative(self, x, der=1):
        """A derivative at points."""
        points, shape = self._prepare_x(x)
        return self._finish_y(self._evaluate_derivatives(points, der + 1)[der], shape)


@described_class(
    {"ValueError": "The shapes do not fit, or equal points do not follow each other."},
    "Collective if `xi` is an array on devices: the points, which are few, are read.",
)
class KroghInterpolator(_WithDerivatives):
    """The polynomial through data, or through values and derivatives, in Newton's form.

    Where a point is repeated, the data are the derivatives of orders 0, 1 and so on. With many
    points the polynomial oscillates, and rounding errors grow.
    """

    def __init__(self, xi, yi, axis=0):
        xi, yi = array(xi), array(yi)
        super().__init__(xi, yi, axis)
        self.xi = xi
        self.yi = self._reshape_yi(yi)
        self.n, self.r = self.yi.shape
        self._nodes = _host.copied(self.xi, _MOST, "KroghInterpolator")
        if self.xi.size > 30:
            warnings.warn(
                f"{self.xi.size} degrees provided, degrees higher than about thirty cause problems "
                "with numerical instability with 'KroghInterpolator'",
                stacklevel=2,
            )
        self.c = self._differences()

    def _differences(self):
        """The coefficients of Newton's form, and a row of 0.

        Level i has the divided differences of the first i nodes and another one, for all others.
        """
        import numpy

        nodes, n = self._nodes, self.n
        starts = numpy.arange(n)
        for at in range(1, n):
            if nodes[at] == nodes[at - 1]:
                starts[at] = starts[at - 1]
            elif (nodes[:at] == nodes[at]).any():
                raise refuse("Elements of `xi` can't be equal.")
        orders = numpy.arange(n) - starts
        factorials = numpy.array([math.factorial(one) for one in orders.tolist()], float)
        level = self.yi.astype(self.dtype) / np.asarray(factorials)[:, None]
        rows = []
        for at in range(n):
            # A node's coefficient is its difference with all nodes before its equals.
            if starts[at] == at:
                end = numpy.searchsorted(starts, at, side="right")
                rows += [level[k : k + 1] for k in range(at, end)]
            if starts[-1] <= at:
                continue
            steps = numpy.where(starts > at, nodes[at] - nodes, 1)
            steps = np.asarray(steps)[:, None]
            above = (rows[at] - level) / steps
            for order in range(1, orders.max() + 1):
                # Of a repeated node, the higher derivative is subtracted from the lower one.
                is_order = np.asarray(orders == order)[:, None]
                above = np.where(is_order, (np.roll(above, 1, axis=0) - level) / steps, above)
            level = above
        return np.concatenate([*rows, np.zeros_like(rows[0])])

    def _evaluate(self, x):
        power, value = None, self.c[0]
        for at in range(1, self.n):
            step = x - self._nodes[at - 1]
            power = step if power is None else step * power
            value = value + power[:, None] * self.c[at]
        return np.broadcast_to(value, (x.shape[0], self.r)).astype(self.dtype)

    def _evaluate_derivatives(self, x, der=None):
        n = self.n
        der = n if der is None else operator.index(der)
        # A column of the derivatives in Taylor's form, by Horner's rule from the last node on.
        taylor = [self.c[n - 1] + np.zeros((x.shape[0], self.r), self.dtype)]
        most = min(der, n)
        for at in range(n - 2, -1, -1):
            step = (x - self._nodes[at])[:, None]
            longer = [taylor[0] * step + self.c[at]]
            for order in range(1, min(len(taylor) + 1, most)):
                above = taylor[order] * step if order < len(taylor) else 0.0
                longer.append(above + taylor[order - 1])
            taylor = longer
        found = [one * float(math.factorial(order)) for order, one in enumerate(taylor[:most])]
        zero = np.zeros((x.shape[0], self.r), self.dtype)
        return np.stack((found + [zero] * der)[:der]) if der else zero[None][:0]


@described_class(
    {"ValueError": "The shapes do not fit, or points are equal."},
    xi=("array_like", "The points of the data, a vector."),
    yi=("array_like", "The data; they can be set later."),
    wi=("array_like", "The weights, if they are known."),
)
class BarycentricInterpolator(_WithDerivatives):
    """The polynomial through data in the barycentric form (Berrut and Trefethen 2004)."""

    def __init__(self, xi, yi=None, axis=0, *, wi=None, rng=None, random_state=None):
        if rng is not None and random_state is not None:
            raise refuse("rng and random_state are the same argument", TypeError, "together")
        xi = array(xi)
        super().__init__(xi, yi, axis)
        self.xi = xi.astype(np.float64)
        self._diff_cij = self._diff_baryint = None
        self.set_yi(yi)
        self.n = len(self.xi)
        if wi is not None:
            self.wi = array(wi)
            return
        if self.n > _MOST:
            raise refuse(f"a polynomial through {self.n} points is not computed")
        # The capacity of the range keeps products of distances from overflow, and so does a random
        # order of the factors.
        self._inv_capacity = 4.0 / (np.max(self.xi) - np.min(self.xi))
        order = _permutation(random_state if rng is None else rng, self.n)
        factors = self._inv_capacity * (self.xi[:, None] - np.take(self.xi, order))
        factors = np.where(np.arange(self.n)[:, None] == order, 1.0, factors)
        products = np.prod(factors, axis=1)
        if bool(np.any(products == 0)):
            raise refuse("Interpolation points xi must be distinct.")
        self.wi = 1.0 / products

    @described("None: The object changes.", axis=("int", "The axis of the data along which points "
               "are interpolated; by default that of the object."))
    def set_yi(self, yi, axis=None):
        """Sets the data."""
        if yi is None:
            self.yi = None
            return
        self._set_yi(yi, xi=self.xi, axis=axis)
        self.yi = self._reshape_yi(yi)
        self.n, self.r = self.yi.shape
        self._diff_baryint = None

    @described("None: The object changes.")
    def add_xi(self, xi, yi=None):
        """Adds points, and their data if there are data."""
        xi = array(xi).astype(np.float64)
        if yi is not None:
            if self.yi is None:
                raise refuse("No previous yi value to update!", mistake="together")
            self.yi = np.vstack([self.yi, self._reshape_yi(yi, check=True)])
        elif self.yi is not None:
            raise refuse("No update to yi provided!", mistake="together")
        old, self.xi = self.n, np.concatenate([self.xi, xi])
        self.n = len(self.xi)
        scale = self._inv_capacity
        products = np.prod(scale * (self.xi[:old, None] - self.xi[old:]), axis=1)
        # The weights of new points have all other points as factors.
        apart = scale * (self.xi[old:, None] - self.xi)
        own = np.arange(old, self.n)[:, None] == np.arange(self.n)
        added = 1.0 / np.prod(np.where(own, 1.0, apart), axis=1)
        self.wi = np.concatenate([self.wi / products, added])
        self._diff_cij = self._diff_baryint = None

    def _evaluate(self, x):
        if self.yi is None:
            raise refuse("there are no data yet: call set_yi", TypeError, "together")
        return _barycentric.value(x, self.xi, self.wi, self.yi).astype(self.dtype)

    @described("ndarray: The derivative, as values of a call.",
               der=("int", "The order of the derivative."))
    def derivative(self, x, der=1):
        """A derivative at points."""
        points, shape = self._prepare_x(x)
        return self._finish_y(self._derived(points, der), shape)

    def _derived(self, x, der):
        if der >= self.n and der > 0:
            return np.zeros((x.shape[0], self.r), self.dtype)
        found = self
        for _ in range(der):
            found = found._derivative_interpolator()
        return found._evaluate(x)

    def _derivative_interpolator(self):
        """The interpolator of the derivative, whose data are products with a matrix."""
        if self._diff_cij is None:
            is_own = np.eye(self.n, dtype=bool)
            apart = np.where(is_own, 1.0, self.xi[:, None] - self.xi)
            c = np.where(is_own, 0.0, self.wi / (apart * self.wi[:, None]))
            self._diff_cij = np.where(is_own, -c.sum(axis=1)[:, None], c)
        if self._diff_baryint is None:
            data = self._diff_cij @ self.yi.astype(self.dtype)
            self._diff_baryint = BarycentricInterpolator(self.xi, data, wi=self.wi)
            self._diff_baryint._diff_cij = self._diff_cij
        return self._diff_baryint

    def _evaluate_derivatives(self, x, der=None):
        der = self.n if der is None else operator.index(der)
        if der == 0:
            return np.zeros((0, x.shape[0], self.r), self.dtype)
        return np.stack([self._derived(x, order) for order in range(der)])


def _permutation(rng, n):
    """A permutation that is equal in all processes."""
    import numpy

    if rng is None or isinstance(rng, (int, numpy.integer)):
        # SciPy draws one from the global generator; its only effect is on rounding.
        rng = numpy.random.default_rng(0 if rng is None else int(rng))
    return np.asarray(host(rng.permutation(n)))


def _chosen(found, x, der):
    """The values, one derivative, or derivatives of several orders."""
    if np.ndim(der) == 0:
        return found(x) if der == 0 else found.derivative(x, der=int(der))
    orders = host(der)
    return found.derivatives(x, der=int(orders.max()) + 1)[np.asarray(orders)]


_DERIVATIVES = "ndarray: The values, or the derivatives along a first axis for several orders."


@described(_DERIVATIVES, notes=COLLECTIVE)
def krogh_interpolate(xi, yi, x, der=0, axis=0):
    """The values, or derivatives, of the polynomial through data, in Newton's form."""
    return _chosen(KroghInterpolator(xi, yi, axis=axis), x, der)


@described(_DERIVATIVES, notes=COLLECTIVE)
def barycentric_interpolate(xi, yi, x, axis=0, *, der=0, rng=None):
    """The values, or derivatives, of the polynomial through data, in the barycentric form."""
    return _chosen(BarycentricInterpolator(xi, yi, axis=axis, rng=rng), x, der)
