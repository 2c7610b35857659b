"""Boxes, distances of points, arcs on spheres and the comparison of shapes."""

import math
import warnings

import phalanx as np

from .._arguments import array, beside, host, refuse
from ._described import ALONE, COLLECTIVE, HOST, RECORDED, described
from ._tree_build import columns

_X = ("array_like", "The first points: coordinates along the last axis.")
_Y = ("array_like", "The other points; shapes broadcast.")
_POINT = ("array_like", "The points: coordinates along the last axis.")


@described("ndarray: The distances, without their root.",
           {"ValueError": "Shapes do not broadcast."}, RECORDED, x=_X, y=_Y)
def minkowski_distance_p(x, y, p=2.0):
    """Minkowski's distances of points to the power of their order."""
    x, y = array(x), array(y)
    dtype = np.result_type(x.dtype, y.dtype, np.float64)
    gaps = np.abs(y.astype(dtype) - x.astype(dtype))
    if p == np.inf:
        return gaps.max(-1)
    if p == 1:
        return gaps.sum(-1)
    return (gaps * gaps if p == 2 else gaps**p).sum(-1)


@described("ndarray: The distances.", {"ValueError": "Shapes do not broadcast."}, RECORDED, x=_X,
           y=_Y)
def minkowski_distance(x, y, p=2.0):
    """Minkowski's distances of points."""
    powers = minkowski_distance_p(x, y, p)
    if p in (1, np.inf):
        return powers
    return np.sqrt(powers) if p == 2 else powers ** (1.0 / p)


@described(
    "ndarray: The distances: the points of `x`, and those of `y` as columns.",
    {"ValueError": "An argument is no matrix, or dimensions differ."}, RECORDED,
    x=("array_like", "The first points, one in each row."),
    y=("array_like", "The other points, one in each row."),
    threshold=("int", "An option of SciPy's, without effect: there is no array of differences."),
)
def distance_matrix(x, y, p=2.0, threshold=1000000):
    """Minkowski's distances of all pairs of points."""
    x, y = array(x), array(y)
    for one in (x, y):
        if one.ndim != 2:
            raise refuse(f"points need 2 axes, and these have {one.ndim}")
    if x.shape[1] != y.shape[1]:
        raise refuse(f"x contains {x.shape[1]}-dimensional vectors but y contains {y.shape[1]}-"
                     "dimensional vectors", mistake="together")
    dtype = np.result_type(x.dtype, y.dtype, np.float64)
    x, y = (columns(one.astype(dtype, copy=False)) for one in (x, y))
    gaps = np.abs(x[:, :, None] - y[:, None, :])
    if p in (1, np.inf):
        return gaps.sum(0) if p == 1 else gaps.max(0)
    return np.sqrt((gaps * gaps).sum(0)) if p == 2 else (gaps**p).sum(0) ** (1.0 / p)


class Rectangle:
    """A box whose sides are parallel to the axes.

    Local: the distances of points on devices are recorded.

    Parameters
    ----------
    maxes : array_like
        The greatest coordinates.
    mins : array_like
        The least coordinates.
    """

    @beside
    def __init__(self, maxes, mins):
        maxes, mins = array(maxes), array(mins)
        self.maxes = np.maximum(maxes, mins).astype(np.float64)
        self.mins = np.minimum(maxes, mins).astype(np.float64)
        if self.maxes.ndim != 1:
            raise refuse("a rectangle needs vectors of coordinates")
        self.m = self.maxes.shape[0]

    def _home(self):
        return getattr(self, "maxes", None)

    def __repr__(self):
        return f"<Rectangle {list(zip(self.mins.tolist(), self.maxes.tolist()))}>"

    @beside
    @described("ndarray: The volume, without axes.", {}, RECORDED)
    def volume(self):
        """The volume of the box."""
        return np.prod(self.maxes - self.mins)

    @beside
    @described("(Rectangle, Rectangle): The parts below and above.",
               {"IndexError": "There is no such dimension."}, ALONE,
               d=("int", "The dimension."), split=("float", "The coordinate."))
    def split(self, d, split):
        """Two boxes, which a plane separates."""
        middle = [self.maxes.copy(), self.mins.copy()]
        middle[0][d], middle[1][d] = split, split
        return Rectangle(middle[0], self.mins), Rectangle(self.maxes, middle[1])

    @beside
    @described("ndarray: The distances.", {}, RECORDED, x=_POINT)
    def min_distance_point(self, x, p=2.0):
        """The least distances of points and the box."""
        x = array(x)
        return _length(np.maximum(np.maximum(self.mins - x, x - self.maxes), 0.0), p)

    @beside
    @described("ndarray: The distances.", {}, RECORDED, x=_POINT)
    def max_distance_point(self, x, p=2.0):
        """The greatest distances of points and points of the box."""
        x = array(x)
        return _length(np.maximum(self.maxes - x, x - self.mins), p)

    @beside
    @described("ndarray: The distance.", {}, RECORDED, other=("Rectangle", "The other box."))
    def min_distance_rectangle(self, other, p=2.0):
        """The least distance of points of two boxes."""
        gaps = np.maximum(self.mins - other.maxes, other.mins - self.maxes)
        return _length(np.maximum(gaps, 0.0), p)

    @beside
    @described("ndarray: The distance.", {}, RECORDED, other=("Rectangle", "The other box."))
    def max_distance_rectangle(self, other, p=2.0):
        """The greatest distance of points of two boxes."""
        return _length(np.maximum(self.maxes - other.mins, other.maxes - self.mins), p)


def _length(gaps, p):
    return minkowski_distance(np.zeros(()), gaps, p)


@described(
    "(ndarray, ndarray, ndarray): The first points, and the other ones fitted to them, both with "
    "mean 0 and norm 1; and the sum of the squared differences.",
    {"ValueError": "Shapes differ, or all points are equal."}, COLLECTIVE,
    data1=("array_like", "The points to fit to, one in each row."),
    data2=("array_like", "The points that are moved, turned and scaled."),
)
def procrustes(data1, data2):
    """The similarity of two sets of points after they have been fitted."""
    data = [array(one).astype(np.float64) for one in (data1, data2)]
    if any(one.ndim != 2 for one in data):
        raise refuse("Input matrices must be two-dimensional")
    if data[0].shape != data[1].shape:
        raise refuse("Input matrices must be of same shape")
    if data[0].size == 0:
        raise refuse("Input matrices must be >0 rows and >0 cols")
    data = [one - one.mean(0) for one in data]
    norms = [np.sqrt(np.square(one).sum()) for one in data]
    if any(float(one) == 0 for one in norms):
        raise refuse("Input matrices must contain >1 unique points")
    first, second = (one / norm for one, norm in zip(data, norms))
    # Schönemann 1966: the turn that fits best, of the products of coordinates.
    left, scales, right = np.linalg.svd(second.T @ first)
    second = (second @ (left @ right)) * scales.sum()
    return first, second, np.square(first - second).sum()


@described(
    "ndarray: The points, one for each parameter.",
    {"ValueError": "An end has not length 1, or ends differ in dimension."}, COLLECTIVE,
    start=("array_like", "The point at the parameter 0, of length 1."),
    end=("array_like", "The point at the parameter 1, of length 1."),
    t=("float or array_like", "The parameters: 0 at the start, 1 at the end."),
    tol=("float", "The distance of opposite ends for which a warning is issued."),
)
def geometric_slerp(start, end, t, tol=1e-07):
    """Points at parameters along the arc between two points on a sphere."""
    import numpy

    first, last = host(start, float), host(end, float)
    t = array(t).astype(np.float64)
    if t.ndim > 1:
        raise refuse("The interpolation parameter value must be one dimensional.")
    if first.ndim != 1 or last.ndim != 1:
        raise refuse("Start and end coordinates must be one-dimensional")
    if first.size != last.size:
        raise refuse("The dimensions of start and end must match (have same size)")
    if first.size < 2:
        raise refuse("The start and end coordinates must both be in at least two-dimensional space")
    if numpy.array_equal(first, last):
        return np.asarray(first) + np.zeros((t.size, 1))
    for one, name in ((first, "start"), (last, "end")):
        if abs(numpy.linalg.norm(one) - 1) > 1e-9:
            raise refuse(f"{name} must be on a unit n-sphere")
    if not isinstance(tol, float):
        raise refuse("tol must be a float")
    if abs(numpy.linalg.norm(first - last) - 2) <= abs(tol):
        warnings.warn("start and end are antipodes using the specified tolerance; this may cause "
                      "ambiguous slerp paths", stacklevel=3)
    if t.size == 0:
        return np.zeros((0, first.size))
    across, angle = _across(first, last)
    turned = (t * angle).reshape(-1, 1)
    found = np.cos(turned) * np.asarray(first) + np.sin(turned) * np.asarray(across)
    return found.reshape(-1) if t.ndim == 0 else found


def _across(first, last):
    """The direction from a point on a sphere towards another one, and their angle, on the host."""
    import numpy

    across = last - (first @ last) * first
    length = numpy.linalg.norm(across)
    if length < 1e-15:
        # Opposite points: any direction is shortest.
        axis = numpy.zeros(first.size)
        axis[numpy.argmin(abs(first))] = 1.0
        across = axis - (first @ axis) * first
        return across / numpy.linalg.norm(across), math.pi
    across -= (first @ across) * first
    return across / numpy.linalg.norm(across), math.atan2(length, first @ last)


@described("ndarray: The numbers of the simplices; -1 for points outside.",
           {"ValueError": "The points have another dimension."}, COLLECTIVE,
           tri=("Delaunay", "The triangulation."), xi=_POINT)
def tsearch(tri, xi):
    """The simplices of a triangulation in which points are."""
    return tri.find_simplex(xi)


_AXES = ("matplotlib.axes.Axes", "The axes; new ones by default.")
_PLOT = {"ImportError": "SciPy or Matplotlib is not installed.",
         "ValueError": "The points have not two dimensions."}
_FIGURE = "matplotlib.figure.Figure: The figure."


def _plot(name, of, *given, **options):
    from ._host import scipy_spatial

    return getattr(scipy_spatial(name), name)(of._of_scipy, *given, **options)


@described(_FIGURE, _PLOT, HOST, tri=("Delaunay", "The triangulation."), ax=_AXES)
def delaunay_plot_2d(tri, ax=None):
    """A plot of a triangulation of the plane, by SciPy's function."""
    return _plot("delaunay_plot_2d", tri, ax)


@described(_FIGURE, _PLOT, HOST, hull=("ConvexHull", "The hull."), ax=_AXES)
def convex_hull_plot_2d(hull, ax=None):
    """A plot of a convex hull in the plane, by SciPy's function."""
    return _plot("convex_hull_plot_2d", hull, ax)


@described(_FIGURE, _PLOT, HOST, vor=("Voronoi", "The diagram."), ax=_AXES,
           kw=("object", "The options of SciPy's function."))
def voronoi_plot_2d(vor, ax=None, **kw):
    """A plot of a Voronoi diagram of the plane, by SciPy's function."""
    return _plot("voronoi_plot_2d", vor, ax, **kw)
