"""Interpolation of values on a grid, at points between."""

import math

import phalanx as np

from .._arguments import array, refuse
from . import _basis
from ._described import COLLECTIVE, described, described_class
from ._host import vector
from ._methods import OnMesh
from ._ndbspline import make_ndbspl
from ._slopes import monotone_slopes

_DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5, "pchip": 3, "slinear_legacy": 1,
            "cubic_legacy": 3, "quintic_legacy": 5}
# Elements of the values of the points of one block, for 'pchip'.
_BLOCK = 1 << 24
# SciPy evaluates the older ones point by point; they are the same functions.
_SPLINES = ("slinear", "cubic", "quintic")
_METHODS = ("linear", "nearest", *_DEGREES)


def coordinates(points, ndim=None):
    """Points as an array whose last axis has the coordinates: of an array, or of a tuple of
    arrays, which are broadcast."""
    if isinstance(points, tuple) and len(points) == 1:
        # The only argument of a call.
        points = points[0]
    if isinstance(points, tuple):
        parts = np.broadcast_arrays(*map(array, points))
        if any(part.shape != parts[0].shape for part in parts[1:]):
            raise refuse("coordinate arrays do not have the same shape", mistake="together")
        kinds = [part.dtype for part in parts]
        kind = np.result_type(*kinds) if all(one.kind in "fc" for one in kinds) else np.float64
        return np.stack([part.astype(kind) for part in parts], axis=-1)
    points = array(points)
    if points.dtype.kind != "c" and points.dtype.kind != "f":
        points = points.astype(np.float64)
    if points.ndim == 1:
        return points.reshape(-1, 1) if ndim is None else points.reshape(-1, ndim)
    return points


def _grid_of(points):
    """The ascending vectors of a grid, and the axes that descended."""
    import numpy

    grid, reversed_axes = [], []
    for axis, one in enumerate(points):
        one = vector(one, "RegularGridInterpolator", float)
        if not (one[1:] > one[:-1]).all():
            if not (one[1:] < one[:-1]).all():
                raise refuse(f"The points in dimension {axis} must be strictly ascending or "
                             "descending")
            reversed_axes.append(axis)
            one = one[::-1]
        grid.append(numpy.ascontiguousarray(one))
    return grid, tuple(reversed_axes)


def _check_shapes(points, grid, values):
    if len(points) > values.ndim:
        raise refuse(f"There are {len(points)} point arrays, but values has {values.ndim} "
                     "dimensions", mistake="together")
    for axis, one in enumerate(grid):
        if one.ndim != 1:
            raise refuse(f"The points in dimension {axis} must be 1-dimensional")
        if values.shape[axis] != one.size:
            raise refuse(f"There are {one.size} points and {values.shape[axis]} values in "
                         f"dimension {axis}", mistake="together")


def _check_points(xi, grid, bounds_error):
    """Refuses points of another number of coordinates, or outside of the grid."""
    ndim = len(grid)
    if xi.shape[-1] != ndim:
        raise refuse(f"The requested sample points xi have dimension {xi.shape[-1]}, but this "
                     f"RegularGridInterpolator has dimension {ndim}", mistake="together")
    if not bounds_error:
        return
    for axis, one in enumerate(grid):
        x = xi[..., axis]
        if not bool(((x >= float(one[0])) & (x <= float(one[-1]))).all()):
            raise refuse(f"One of the requested xi is out of bounds in dimension {axis}")


_POINTS = ("tuple of array_like", "The coordinates of the grid along each axis, which ascend or "
           "descend.")
_XI = ("array_like", "The points: their coordinates along the last axis, or a tuple of them.")
_METHOD = ("str", "'linear', 'nearest', 'slinear', 'cubic', 'quintic' or 'pchip'.")
_ERRORS = {"ValueError": "The grid neither ascends nor descends, shapes do not fit, there are too "
           "few points for the method, or a point is outside and `bounds_error` is true."}


@described_class(_ERRORS, points=_POINTS, method=_METHOD)
class RegularGridInterpolator(OnMesh):
    """An interpolation of values on a grid of any number of axes. Points are evaluated as arrays
    on devices."""

    def __init__(self, points, values, method="linear", bounds_error=True, fill_value=float("nan"),
                 *, solver=None, solver_args=None):
        if method not in _METHODS:
            raise refuse(f"Method '{method}' is not defined", mistake="choice")
        self._grid, flipped = _grid_of(points)
        values = values[:] if not hasattr(values, "dtype") and hasattr(values, "ndim") else values
        values = array(values)
        _check_shapes(points, self._grid, values)
        if values.dtype.kind not in "fc":
            values = values.astype(np.float64)
        self._values = np.flip(values, axis=flipped) if flipped else values
        self.method, self.bounds_error = method, bounds_error
        self.fill_value = self._checked(fill_value)
        if method in _DEGREES:
            self._check_extents(method)
        elif solver is not None or solver_args:
            raise refuse(f"method ={method!r} does not accept the 'solver' argument. Got "
                         f"solver = {solver} and with arguments {solver_args}.")
        if solver is not None and method not in _SPLINES:
            raise refuse(f"method ={method!r} does not accept the 'solver' argument.")
        self._splines = {}
        if method in _SPLINES:
            self._spline(method)

    def _checked(self, fill_value):
        import numpy

        if fill_value is not None:
            kind = vector(fill_value, "RegularGridInterpolator").dtype
            if not numpy.can_cast(kind, str(self._values.dtype), casting="same_kind"):
                raise refuse("fill_value must be either 'None' or of a type compatible with values",
                             mistake="dtype")
        return fill_value

    def _check_extents(self, method):
        k = _DEGREES[method]
        for axis, one in enumerate(self._grid):
            if one.size <= k:
                raise refuse(f"There are {one.size} points in dimension {axis}, but method "
                             f"{method} requires at least  {k + 1} points per dimension.")

    def _spline(self, method):
        method = method.removesuffix("_legacy")
        if method not in self._splines:
            self._splines[method] = make_ndbspl(self._grid, self._values, _DEGREES[method])
        return self._splines[method]

    @property
    def grid(self):
        """The ascending coordinates of the grid along each axis."""
        return tuple(np.asarray(one) for one in self._grid)

    @property
    def values(self):
        """The values on the grid."""
        return self._values

    @described("ndarray: The values: an element or an array of each point.", _ERRORS, COLLECTIVE,
               xi=_XI, method=_METHOD, nu=("sequence of int", "The order of the derivative along "
                                           "each axis, for splines."))
    def __call__(self, xi, method=None, *, nu=None):
        """The values at points."""
        method = self.method if method is None else method
        if method not in _METHODS:
            raise refuse(f"Method '{method}' is not defined", mistake="choice")
        if nu is not None and method not in _SPLINES:
            raise refuse(f"Can only compute derivatives for methods {_SPLINES}, got {method =}.")
        ndim = len(self._grid)
        xi = coordinates(xi, ndim)
        _check_points(xi, self._grid, self.bounds_error)
        if method in _DEGREES:
            self._check_extents(method)
        points = xi.reshape(-1, ndim).astype(np.float64)
        if method == "linear":
            found = _basis.tensor(self._values, *self._around(points))
        elif method == "nearest":
            found = self._nearest(points)
        elif method == "pchip":
            found = self._pchip(points)
        else:
            found = self._spline(method)(points, nu=nu)
        trailing = self._values.shape[ndim:]
        shape = (-1,) + (1,) * len(trailing)
        if not self.bounds_error and self.fill_value is not None:
            beyond = None
            for axis, one in enumerate(self._grid):
                x = points[:, axis]
                own = (x < float(one[0])) | (x > float(one[-1]))
                beyond = own if beyond is None else beyond | own
            found = np.where(beyond.reshape(shape), self.fill_value, found)
        missing = np.isnan(points).any(axis=1).reshape(shape)
        found = np.where(missing, np.nan, found).astype(self._kind(method))
        return found.reshape((*xi.shape[:-1], *trailing))

    def _kind(self, method):
        """The dtype of results, which SciPy keeps in single precision only where it selects or
        folds values."""
        if method in ("nearest", "pchip") or method.endswith("_legacy"):
            return self._values.dtype
        return np.result_type(self._values.dtype, np.float64)

    def _around(self, points):
        """The cell of each point along each axis, and the weights of its ends."""
        starts, weights = [], []
        for axis, one in enumerate(self._grid):
            x, grid = points[:, axis], np.asarray(one)
            if one.size == 1:
                # There is one value along this axis, wherever the point is.
                starts.append(np.zeros(x.shape[0], dtype=np.int64))
                weights.append([np.ones_like(x)])
                continue
            cell = np.clip(np.searchsorted(grid, x, side="right") - 1, 0, one.size - 2)
            left = np.take(grid, cell, mode="clip")
            share = (x - left) / (np.take(grid, cell + 1, mode="clip") - left)
            starts.append(cell)
            weights.append([1 - share, share])
        return starts, weights

    def _nearest(self, points):
        starts, weights = self._around(points)
        place = None
        for axis, (start, own) in enumerate(zip(starts, weights)):
            if len(own) == 2:
                start = np.where(own[1] <= 0.5, start, start + 1)
            place = start if place is None else place * self._grid[axis].size + start
        ndim = len(self._grid)
        count = math.prod(one.size for one in self._grid)
        flat = self._values.reshape(count, *self._values.shape[ndim:])
        return np.take(_basis.near(flat), place, axis=0, mode="clip")

    def _pchip(self, points):
        """Monotone cubic polynomials along one axis after the other, from the last one."""
        if self._values.dtype.kind == "c":
            parts = self._values.real, self._values.imag
            real, imaginary = [self._folded(part, points) for part in parts]
            return real + 1j * imaginary
        return self._folded(self._values, points)

    def _folded(self, values, points):
        # Each point has the values of the axes that are not folded yet.
        step = max(1, _BLOCK // max(1, math.prod(values.shape) // self._grid[-1].size))
        found = [self._folded_block(values, points[start : start + step])
                 for start in range(0, max(points.shape[0], 1), step)]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _folded_block(self, values, points):
        ndim = len(self._grid)
        starts, _ = self._around(points)
        values = np.moveaxis(values, ndim - 1, 0)[..., None]
        # The axes of values: the one to fold, the other ones of the grid, trailing ones, points.
        values = values.astype(np.result_type(values.dtype, np.float64))
        for axis in range(ndim - 1, -1, -1):
            grid, cell, x = self._grid[axis], starts[axis], points[:, axis]
            steps = np.asarray(grid[1:] - grid[:-1]).reshape((-1,) + (1,) * (values.ndim - 1))
            slopes = monotone_slopes(steps, values)
            ends = []
            for offset in (0, 1):
                for source in (values, slopes):
                    ends.append(_chosen(source, cell + offset))
            knots = np.asarray(grid)
            left = np.take(knots, cell, mode="clip")
            width = np.take(knots, cell + 1, mode="clip") - left
            s = (x - left) / width
            low, low_slope, high, high_slope = ends
            values = (
                low * ((1 + 2 * s) * (1 - s) ** 2) + low_slope * (width * s * (1 - s) ** 2)
                + high * (s * s * (3 - 2 * s)) + high_slope * (width * s * s * (s - 1))
            )
            if axis:
                values = np.moveaxis(values, axis - 1, 0)
        return np.moveaxis(values, -1, 0)


def _chosen(source, place):
    """Elements along the first axis: those at the places of points, which are the last axis."""
    if source.shape[-1] == 1:
        return np.moveaxis(np.take(source[..., 0], place, axis=0, mode="clip"), 0, -1)
    place = np.broadcast_to(place, (1, *source.shape[1:]))
    return np.take_along_axis(source, place, axis=0)[0]


@described("ndarray: The values: an element or an array of each point.", _ERRORS, COLLECTIVE,
           points=_POINTS, xi=_XI,
           method=("str", "'linear', 'nearest', 'slinear', 'cubic', 'quintic', 'pchip' or, for two "
                   "axes, 'splinef2d'."))
def interpn(points, values, xi, method="linear", bounds_error=True, fill_value=float("nan")):
    """Interpolates values on a grid at points."""
    if method not in (*_METHODS, "splinef2d"):
        raise refuse(
            "interpn only understands the methods 'linear', 'nearest', 'slinear', 'cubic', "
            f"'quintic', 'pchip', and 'splinef2d'. You provided {method}.", mistake="choice"
        )
    values = values[:] if not hasattr(values, "dtype") and hasattr(values, "ndim") else values
    values = array(values)
    ndim = values.ndim
    if method == "splinef2d":
        if ndim > 2:
            raise refuse("The method splinef2d can only be used for 2-dimensional input data")
        if not bounds_error and fill_value is None:
            raise refuse("The method splinef2d does not support extrapolation.")
        if len(points) != ndim:
            raise refuse("The method splinef2d can only be used for scalar data with one point per "
                         "coordinate")
    if len(points) > ndim:
        raise refuse(f"There are {len(points)} point arrays, but values has {ndim} dimensions",
                     mistake="together")
    grid, _ = _grid_of(points)
    _check_shapes(points, grid, values)
    xi = coordinates(xi, len(grid))
    _check_points(xi, grid, bounds_error)
    if method != "splinef2d":
        return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
    from ._bivariate import RectBivariateSpline

    spline = RectBivariateSpline(points[0], points[1], values)
    flat = xi.reshape(-1, 2)
    found = spline.ev(flat[:, 0], flat[:, 1])
    valid = None
    for axis, one in enumerate(grid):
        own = (flat[:, axis] >= float(one[0])) & (flat[:, axis] <= float(one[-1]))
        valid = own if valid is None else valid & own
    return np.where(valid, found, fill_value).reshape(xi.shape[:-1])
