"""Interpolation of values at scattered points: the nearest one, or by a triangulation."""

import phalanx as np

from .._arguments import array, refuse
from ._described import COLLECTIVE, described, described_class
from ._grid import coordinates
from ._host import scipy_interpolate, vector
from ._methods import OnMesh

# Elements of the maps to barycentric coordinates of the points of one block.
_BLOCK = 1 << 25
_POINTS = ("array_like or Delaunay", "The points, a matrix with a row for each, a tuple of their "
           "coordinates, or their triangulation.")
_ERRORS = {
    "ValueError": "Points and values do not fit, or the points have another number of coordinates, "
    "or there are too many for a triangulation on the host.",
    "ImportError": "SciPy is not installed: ``pip install phalanx[scipy]``.",
}
_TRIANGULATED = COLLECTIVE + (
    " SciPy triangulates the points on the host of every process; the triangles of points are "
    "found on devices."
)
_VALUES = "ndarray: The values: an element or an array of each point."
_AT = ("array_like", "The points: an array with the coordinates along its last axis, or an array "
       "for each coordinate.")


def _doubles(values):
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)


def _check(points, values, ndim):
    """Refuses points and values that do not fit."""
    if points.shape[0] != values.shape[0]:
        raise refuse("different number of values and points", mistake="together")
    if points.ndim != 2:
        raise refuse("invalid shape for input data points")
    if points.shape[1] < 2:
        raise refuse("input data must be at least 2-D")
    if ndim is not None and points.shape[1] != ndim:
        raise refuse(f"this mode of interpolation available only for {ndim}-D data")


class _Scattered(OnMesh):
    """Points and values, and the scale of the coordinates."""

    def _prepare(self, points, values, rescale, ndim=None):
        values = array(values)
        _check(points, values, ndim)
        self.values_shape = values.shape[1:]
        self.offset = self.scale = None
        if rescale:
            self.offset = points.mean(axis=0)
            extent = points.max(axis=0) - points.min(axis=0)
            self.scale = extent + 1.0 * (extent <= 0)
        return values

    def _scaled(self, x):
        return x if self.scale is None else (x - array(self.offset)) / array(self.scale)

    def _queried(self, args, ndim):
        """The points of a call: their matrix, and the shape of what is computed of them."""
        x = coordinates(args if len(args) > 1 else args[0], ndim)
        if x.shape[-1] != ndim:
            raise refuse("number of dimensions in xi does not match x", mistake="together")
        return self._scaled(x.reshape(-1, ndim).astype(np.float64)), x.shape[:-1]


@described_class({"ValueError": "Points and values do not fit."},
                 x=("array_like", "The points, a matrix with a row for each, or a tuple of their "
                    "coordinates."), tree_options=("dict", "Options of `spatial.KDTree`."))
class NearestNDInterpolator(_Scattered):
    """The value of the nearest one of scattered points, which a tree finds on devices."""

    def __init__(self, x, y, rescale=False, tree_options=None):
        from ..spatial import KDTree

        points = coordinates(x).astype(np.float64)
        self.values = self._prepare(points, y, rescale)
        self.points = self._scaled(points)
        self.tree = KDTree(self.points, **(tree_options or {}))

    @described(_VALUES, {"ValueError": "The points have another number of coordinates, or are not "
                         "finite.", "TypeError": "There is no such option."}, COLLECTIVE, args=_AT,
               query_options=("object", "Options of `spatial.KDTree.query`, such as the norm `p` "
                              "and `distance_upper_bound`: values farther away are NaN."))
    def __call__(self, *args, **query_options):
        """The values at points."""
        x, shape = self._queried(args, self.points.shape[1])
        apart, place = self.tree.query(x, **query_options)
        known = np.isfinite(apart).reshape((-1,) + (1,) * len(self.values_shape))
        found = np.take(_doubles(self.values), place, axis=0, mode="clip")
        return np.where(known, found, np.nan).reshape((*shape, *self.values_shape))


class _Triangulated(_Scattered):
    """Values at the points of a triangulation."""

    def _triangulate(self, points, values, fill_value, rescale, ndim=None):
        from ..spatial._simplices import Triangulation

        name = type(self).__name__
        # SciPy's, or ours.
        if hasattr(points, "simplices") and hasattr(points, "points"):
            if rescale:
                raise refuse("Rescaling is not supported when passing a Delaunay triangulation as "
                             "``points``.")
            self.tri, self._triangles = points, Triangulation(points)
            self.points = self._triangles.tri.points
            values = self._prepare(self.points, values, False, ndim)
        else:
            # An ImportError if SciPy is missing.
            scipy_interpolate(name)
            import scipy.spatial

            points = vector(coordinates(points), name, float)
            values = self._prepare(points, values, rescale, ndim)
            self.points = points if self.scale is None else (points - self.offset) / self.scale
            self._triangles = Triangulation(scipy.spatial.Delaunay(self.points))
            self.tri = self._triangles.tri
        self.is_complex = values.dtype.kind == "c"
        self.values = _doubles(values).reshape(values.shape[0], -1)
        self.fill_value = (complex if self.is_complex else float)(fill_value)

    def _evaluated(self, args, combine):
        """The values at points; `combine` computes them from simplices and coordinates."""
        x, shape = self._queried(args, self._triangles.ndim)
        step = max(1, _BLOCK // (x.shape[1] + 1) ** 2)
        found = []
        for start in range(0, max(x.shape[0], 1), step):
            simplex, parts = self._triangles.locate(x[start : start + step])
            parts = [parts[:, vertex] for vertex in range(parts.shape[1])]
            values = combine(np.maximum(simplex, 0), parts)
            found.append(np.where((simplex < 0)[:, None], self.fill_value, values))
        found = found[0] if len(found) == 1 else np.concatenate(found)
        return found.reshape((*shape, *self.values_shape))


@described_class(_ERRORS, _TRIANGULATED, points=_POINTS)
class LinearNDInterpolator(_Triangulated):
    """An interpolation of scattered values that is linear in each simplex of a triangulation."""

    def __init__(self, points, values, fill_value=float("nan"), rescale=False):
        self._triangulate(points, values, fill_value, rescale)

    @described(_VALUES, _ERRORS, COLLECTIVE, args=_AT)
    def __call__(self, *args):
        """The values at points."""
        return self._evaluated(args, self._linear)

    def _linear(self, simplex, parts):
        vertices = self._triangles.simplices.reshape(-1)
        total = None
        for at, part in enumerate(parts):
            place = np.take(vertices, simplex * len(parts) + at, mode="clip")
            term = np.take(self.values, place, axis=0, mode="clip") * part[:, None]
            total = term if total is None else total + term
        return total


# Edges of a triangle by their ends, and the vertex that is opposite.
_EDGES = ((0, 1, 2), (1, 2, 0), (2, 0, 1))


@described_class(_ERRORS, _TRIANGULATED + " SciPy estimates the gradients there, too.",
                 points=_POINTS)
class CloughTocher2DInterpolator(_Triangulated):
    """A smooth interpolation of scattered values in the plane, by cubic polynomials.

    Each triangle is divided at its centre, and the parts have cubic polynomials whose gradients
    are continuous. Sources: Clough and Tocher, Finite Element Stiffness Matrices for Analysis of
    Plates in Bending, 1965; Farin, Triangular Bernstein-Bezier Patches, 1986.
    """

    def __init__(self, points, values, fill_value=float("nan"), tol=1e-06, maxiter=400,
                 rescale=False):
        self._triangulate(points, values, fill_value, rescale, ndim=2)
        name = "CloughTocher2DInterpolator"
        found = scipy_interpolate(name).CloughTocher2DInterpolator
        heights = vector(self.values, name)
        made = found(self._triangles.tri, heights, tol=tol, maxiter=maxiter)
        self.grad = np.asarray(made.grad)
        net = _control_points(self._triangles, heights, made.grad)
        self._net = np.asarray(net).with_sharding(None)

    @described(_VALUES, _ERRORS, COLLECTIVE, args=_AT)
    def __call__(self, *args):
        """The values at points."""
        return self._evaluated(args, self._cubic)

    def _cubic(self, simplex, parts):
        least = np.minimum(np.minimum(parts[0], parts[1]), parts[2])
        # Coordinates in the part with the point: that of the vertex beyond is 0.
        own, centre = [part - least for part in parts], 3 * least
        weights = [one**3 for one in own]
        weights += [3 * own[i] ** 2 * own[j] for i, j, _ in _EDGES]
        weights += [3 * own[j] ** 2 * own[i] for i, j, _ in _EDGES]
        weights += [3 * one**2 * centre for one in own]
        weights += [6 * own[i] * own[j] * centre for i, j, _ in _EDGES]
        weights += [3 * one * centre**2 for one in own]
        weights.append(centre**3)
        total = None
        for at, weight in enumerate(weights):
            term = np.take(self._net[:, at], simplex, axis=0, mode="clip") * weight[:, None]
            total = term if total is None else total + term
        return total


def _control_points(triangles, values, gradients):
    """The control points of the polynomials of all triangles, on the host: an axis of triangles,
    one of the 19 points, and one of values."""
    import numpy

    tri = triangles.tri
    corners = tri.points[tri.simplices]
    f, g = values[tri.simplices], gradients[tri.simplices]
    step = corners[:, None, :, :] - corners[:, :, None, :]
    # c[i, j]: the point of the edge from i to j that is near i.
    c = {(i, j): f[:, i] + numpy.einsum("svd,sd->sv", g[:, i], step[:, i, j]) / 3
         for i in range(3) for j in range(3) if i != j}
    inner = [(f[:, i] + c[i, (i + 1) % 3] + c[i, (i + 2) % 3]) / 3 for i in range(3)]
    across = [_across(triangles, corners, f, c, inner, *edge) for edge in _EDGES]
    # The edges at vertex i are those of its number and the one before.
    near = [(inner[i] + across[i] + across[(i + 2) % 3]) / 3 for i in range(3)]
    middle = (near[0] + near[1] + near[2]) / 3
    rows = [f[:, 0], f[:, 1], f[:, 2]]
    rows += [c[i, j] for i, j, _ in _EDGES] + [c[j, i] for i, j, _ in _EDGES]
    return numpy.stack([*rows, *inner, *across, *near, middle], axis=1)


def _across(triangles, corners, f, c, inner, i, j, k):
    """The control point between an edge and the centre.

    The derivative along the line to the centre of the neighbour is linear on the edge, so that
    both triangles have the same one there.
    """
    import numpy

    beyond = triangles.tri.neighbors[:, k]
    centre = corners[numpy.maximum(beyond, 0)].mean(axis=1)
    parts = numpy.einsum("sij,sj->si", triangles.maps, centre - corners[:, 2])
    parts = numpy.concatenate([parts, 1 - parts.sum(axis=1, keepdims=True)], axis=1)
    # Where the line crosses the edge, from 0 at vertex i to 1 at vertex j.
    with numpy.errstate(all="ignore"):
        along = (1 / 3) / (1 / 3 - parts[:, k])
        r = 1 / 3 + along * (parts[:, j] - 1 / 3)
    r = numpy.where(beyond < 0, 0.5, r)[:, None]
    first = (1 - r) * f[:, i] + r * c[i, j] - inner[i]
    last = (1 - r) * c[j, i] + r * f[:, j] - inner[j]
    return (1 - r) * c[i, j] + r * c[j, i] - (first + last) / 2


@described(_VALUES, {**_ERRORS, "ValueError": "Points and values do not fit, or the method is not "
                     "known for points of as many coordinates."}, COLLECTIVE,
           xi=("array_like", "The points at which values are computed, or a tuple of their "
               "coordinates."), method=("{'linear', 'nearest', 'cubic'}", "The method."))
def griddata(points, values, xi, method="linear", fill_value=float("nan"), rescale=False):
    """Interpolates values at scattered points."""
    points = coordinates(points)
    ndim = points.shape[-1]
    if ndim == 1 and method in ("nearest", "linear", "cubic"):
        from . import interp1d

        if isinstance(xi, tuple):
            if len(xi) != 1:
                raise refuse("invalid number of dimensions in xi")
            xi = xi[0]
        points = points.reshape(-1)
        order = np.argsort(points)
        return interp1d(
            points[order], np.take(array(values), order, axis=0), kind=method, axis=0,
            bounds_error=False, fill_value="extrapolate" if method == "nearest" else fill_value,
        )(xi)
    if method == "nearest":
        return NearestNDInterpolator(points, values, rescale=rescale)(xi)
    if method == "linear":
        return LinearNDInterpolator(points, values, fill_value=fill_value, rescale=rescale)(xi)
    if method == "cubic" and ndim == 2:
        return CloughTocher2DInterpolator(points, values, fill_value=fill_value,
                                          rescale=rescale)(xi)
    raise refuse(f"Unknown interpolation method {method!r} for {ndim} dimensional data",
                 mistake="choice")
