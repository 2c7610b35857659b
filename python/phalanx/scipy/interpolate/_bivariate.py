"""Splines of two variables through data: SciPy fits them, and points are evaluated on devices."""

import math

import phalanx as np

from .._arguments import array, refuse
from ._described import COLLECTIVE, HOST, KNOTS, NOTHING, RECORDED, described, described_class
from ._fitpack import surface
from ._host import from_host, scipy_interpolate, to_host, vector
from ._making import along, many
from ._methods import OnMesh

_ERRORS = {
    "ValueError": "Shapes, ends, degrees, weights or knots are not allowed, or there are too many "
    "data for the host.",
    "ImportError": "SciPy is not installed: ``pip install phalanx[scipy]``.",
}
_VALUES = (
    "ndarray: The values: of a grid, with a row for each point of the first axis; else of the "
    "shape to which the points broadcast."
)
_NOT_SORTED = {
    "ValueError": "The points of a grid do not ascend, or an order is not less than the degree.",
}
_DERIVATIVE = ("int", "The order of the derivative.")


class _Surface(OnMesh):
    """A spline of two variables: knots and coefficients `tck`, and the degrees."""

    def _fitted(self, name, *given):
        found = getattr(scipy_interpolate(name), name)
        made = found(*(to_host(one, name) for one in given))
        self.tck, self.degrees = tuple(map(from_host, made.tck)), made.degrees
        self.fp = made.fp
        return made

    @classmethod
    def _from_tck(cls, tck):
        if len(tck) != 5:
            raise refuse("tck should be a 5 element tuple of tx, ty, c, kx, ky")
        self = cls.__new__(cls)
        self.tck, self.degrees = tuple(array(one) for one in tck[:3]), tuple(tck[3:])
        return self

    @described("float: The residual.", NOTHING, RECORDED)
    def get_residual(self):
        """The weighted sum of squared residuals."""
        return self.fp

    @described("tuple of ndarray: The knots along both axes.", NOTHING, RECORDED)
    def get_knots(self):
        """The knots."""
        return self.tck[:2]

    @described("ndarray: The coefficients, a vector.", NOTHING, RECORDED)
    def get_coeffs(self):
        """The coefficients."""
        return self.tck[2]

    def _values(self, x, y, dx, dy, grid):
        x, y = array(x), array(y)
        tck = (*self.tck, *self.degrees)
        if grid:
            if x.size == 0 or y.size == 0:
                return np.zeros((x.size, y.size))
            x, y = np.atleast_1d(x), np.atleast_1d(y)
            for one, name in ((x, "x"), (y, "y")):
                if one.size >= 2 and not bool((one[1:] >= one[:-1]).all()):
                    raise refuse(f"{name} must be strictly increasing when `grid` is True")
            return surface(tck, x, y, dx, dy)
        x, y = np.broadcast_arrays(x, y)
        if x.size == 0:
            return np.zeros(x.shape)
        return surface(tck, x.reshape(-1), y.reshape(-1), dx, dy, grid=False).reshape(x.shape)

    @described("object: The spline of the derivative.", {"ValueError": "An order is negative, or "
               "not less than the degree."}, KNOTS)
    def partial_derivative(self, dx, dy):
        """A partial derivative, as a spline."""
        if dx == 0 and dy == 0:
            return self
        kx, ky = self.degrees
        if not (dx >= 0 and dy >= 0):
            raise refuse("order of derivative must be positive or zero")
        if not (dx < kx and dy < ky):
            raise refuse("order of derivative must be less than degree of spline")
        knots = [vector(one, "partial_derivative", float) for one in self.tck[:2]]
        c = self.tck[2].reshape([t.size - k - 1 for t, k in zip(knots, (kx, ky))])
        for axis, (k, order) in enumerate(((kx, dx), (ky, dy))):
            for _ in range(order):
                t = knots[axis]
                width = t[k + 1 : -1] - t[1 : -k - 1]
                shape = (-1, 1) if axis == 0 else (1, -1)
                c = np.diff(c, axis=axis) * k / np.asarray(width.reshape(shape))
                knots[axis], k = t[1:-1], k - 1
        tck = (*map(np.asarray, knots), c.reshape(-1), kx - dx, ky - dy)
        return _DerivedBivariateSpline._from_tck(tck)


@described_class(NOTHING, KNOTS)
class BivariateSpline(_Surface):
    """A spline of two variables; the classes that fit one extend this class."""

    def __init__(self):
        pass

    @described(_VALUES, _NOT_SORTED, COLLECTIVE,
               y=("array_like", "The points of the second variable."))
    def __call__(self, x, y, dx=0, dy=0, grid=True):
        """The values of the spline, or of a derivative. Points beyond the domain have the values
        of its border."""
        return self._values(x, y, dx, dy, grid)

    @described(_VALUES, _NOT_SORTED, KNOTS, yi=("array_like", "The points of the second variable."))
    def ev(self, xi, yi, dx=0, dy=0):
        """The values of the spline, or of a derivative, at points."""
        return self(xi, yi, dx=dx, dy=dy, grid=False)

    @described("float: The integral.", NOTHING, HOST, **{name: ("float", "A limit.") for name in (
        "xa", "xb", "ya", "yb")})
    def integral(self, xa, xb, ya, yb):
        """The integral over a rectangle; the spline is zero beyond its domain."""
        name = "BivariateSpline"
        made = scipy_interpolate(name).BivariateSpline()
        made.tck, made.degrees = tuple(to_host(one, name) for one in self.tck), self.degrees
        return made.integral(xa, xb, ya, yb)


class _DerivedBivariateSpline(_Surface):
    """A partial derivative of a spline, which was not fitted."""

    @property
    def fp(self):
        """There is no residual."""
        raise AttributeError("a derivative was not fitted, and has no residual fp")

    def get_residual(self):
        """There is no residual."""
        raise AttributeError("a derivative was not fitted, and has no get_residual")

    @described(_VALUES, _NOT_SORTED, COLLECTIVE,
               y=("array_like", "The points of the second variable."))
    def __call__(self, x, y, dx=0, dy=0, grid=True):
        """The values of the spline, or of a derivative."""
        return self._values(x, y, dx, dy, grid)


@described_class(_ERRORS, HOST, y=("array_like", "The points of the second variable."))
class SmoothBivariateSpline(BivariateSpline):
    """A smoothing spline through scattered points. SciPy fits it on the host."""

    def __init__(self, x, y, z, w=None, bbox=[None] * 4, kx=3, ky=3, s=None, eps=1e-16):
        self._fitted("SmoothBivariateSpline", x, y, z, w, bbox, kx, ky, s, eps)


@described_class(_ERRORS, HOST, y=("array_like", "The points of the second variable."),
                 tx=("array_like", "The inner knots along `x`."),
                 ty=("array_like", "The inner knots along `y`."))
class LSQBivariateSpline(BivariateSpline):
    """The spline of given knots with the least squared residuals at scattered points. SciPy fits
    it on the host."""

    def __init__(self, x, y, z, tx, ty, w=None, bbox=[None] * 4, kx=3, ky=3, eps=None):
        self._fitted("LSQBivariateSpline", x, y, z, tx, ty, w, bbox, kx, ky, eps)


@described_class(_ERRORS, HOST + " Many values are kept on devices for ``s=0``: one axis after the "
                 "other is solved.", x=("array_like", "The points along the first axis."),
                 y=("array_like", "The points along the second axis."),
                 z=("array_like", "The values, a matrix."))
class RectBivariateSpline(BivariateSpline):
    """A spline through the values on a grid. SciPy fits it on the host."""

    def __init__(self, x, y, z, bbox=[None] * 4, kx=3, ky=3, s=0, maxit=20):
        if s == 0 and many(z):
            self._interpolate(x, y, z, bbox, kx, ky)
        else:
            self._fitted("RectBivariateSpline", x, y, z, bbox, kx, ky, s, maxit)

    def _interpolate(self, x, y, z, bbox, kx, ky):
        """The spline through many values."""
        import numpy

        c, knots = z, []
        ends = numpy.ravel(bbox)
        if ends.shape != (4,):
            raise refuse("bbox shape should be (4,)")
        for axis, (points, k) in enumerate(((x, kx), (y, ky))):
            points = vector(points, "RectBivariateSpline", float).ravel()
            if not (numpy.diff(points) > 0).all():
                raise refuse(f"{'xy'[axis]} must be strictly increasing")
            if points.size != z.shape[axis]:
                raise refuse(f"{'xy'[axis]} dimension of z must have same number of elements as "
                             f"{'xy'[axis]}", mistake="together")
            inner = points if k % 2 else (points[1:] + points[:-1]) / 2
            inner = inner[(k + 1) // 2 : inner.size - (k + 1) // 2] if k % 2 else (
                inner[k // 2 : inner.size - k // 2])
            low, high = [points[at] if end is None else float(end)
                         for at, end in zip((0, -1), ends[2 * axis : 2 * axis + 2])]
            t = numpy.concatenate([numpy.full(k + 1, low), inner, numpy.full(k + 1, high)])
            c, t = along(points, c, k, axis, t)
            knots.append(np.asarray(t))
        self.tck, self.degrees, self.fp = (*knots, c.reshape(-1)), (kx, ky), 0.0


class _Sphere(_Surface):
    """A spline on a sphere, of the angle from the north pole and the longitude."""

    # Longitudes that are allowed.
    _longitudes = (0.0, 2 * math.pi)

    @described(_VALUES, {"ValueError": "An angle is out of bounds, or the points of a grid do not "
               "ascend."}, COLLECTIVE, dtheta=_DERIVATIVE, dphi=_DERIVATIVE)
    def __call__(self, theta, phi, dtheta=0, dphi=0, grid=True):
        """The values of the spline, or of a derivative."""
        theta, phi = array(theta), array(phi)
        for name, angle, bounds in (("theta", theta, (0.0, math.pi)),
                                    ("phi", phi, self._longitudes)):
            if bounds and angle.size and bool(((angle < bounds[0]) | (angle > bounds[1])).any()):
                raise refuse(f"requested {name} out of bounds.")
        return self._values(theta, phi, dtheta, dphi, grid)

    @described(_VALUES, {"ValueError": "An angle is out of bounds."}, COLLECTIVE,
               dtheta=_DERIVATIVE, dphi=_DERIVATIVE)
    def ev(self, theta, phi, dtheta=0, dphi=0):
        """The values of the spline, or of a derivative, at points."""
        return self(theta, phi, dtheta=dtheta, dphi=dphi, grid=False)


@described_class(_ERRORS, HOST)
class SmoothSphereBivariateSpline(_Sphere):
    """A smoothing spline through scattered points of a sphere. SciPy fits it on the host."""

    def __init__(self, theta, phi, r, w=None, s=0.0, eps=1e-16):
        self._fitted("SmoothSphereBivariateSpline", theta, phi, r, w, s, eps)


@described_class(_ERRORS, HOST)
class LSQSphereBivariateSpline(_Sphere):
    """The spline of given knots with the least squared residuals at scattered points of a sphere.
    SciPy fits it on the host."""

    def __init__(self, theta, phi, r, tt, tp, w=None, eps=1e-16):
        self._fitted("LSQSphereBivariateSpline", theta, phi, r, tt, tp, w, eps)


@described_class(_ERRORS, HOST, r=("array_like", "The values, a matrix."),
                 u=("array_like", "The angles from the north pole, a vector."))
class RectSphereBivariateSpline(_Sphere):
    """A spline through the values on a grid of a sphere. SciPy fits it on the host."""

    _longitudes = None

    def __init__(self, u, v, r, s=0.0, pole_continuity=False, pole_values=None, pole_exact=False,
                 pole_flat=False):
        made = self._fitted("RectSphereBivariateSpline", u, v, r, s, pole_continuity, pole_values,
                            pole_exact, pole_flat)
        self.v0 = made.v0
