"""Interpolation by radial basis functions: sums of functions of the distances to points."""

import itertools
import math
import warnings

import phalanx as np

from .._arguments import array, refuse
from ._described import COLLECTIVE, RECORDED, described, described_class
from ._methods import OnMesh

# Functions of the squared distance.
_KERNELS = {
    "linear": lambda s: -np.sqrt(s),
    "thin_plate_spline": lambda s: np.where(s == 0, 0.0, 0.5 * s * np.log(np.where(s == 0, 1, s))),
    "cubic": lambda s: s * np.sqrt(s),
    "quintic": lambda s: -s * s * np.sqrt(s),
    "multiquadric": lambda s: -np.sqrt(s + 1),
    "inverse_multiquadric": lambda s: 1 / np.sqrt(s + 1),
    "inverse_quadratic": lambda s: 1 / (s + 1),
    "gaussian": lambda s: np.exp(-s),
}
# A factor of distances changes neither these functions nor what they interpolate.
_SCALE_INVARIANT = ("linear", "thin_plate_spline", "cubic", "quintic")
_LEAST_DEGREE = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}
# Pairs of a point and a centre in one block.
_BLOCK = 1 << 24
# Elements of the systems that are solved at once, if each value has its own.
_SYSTEMS = 1 << 22


def _squares(x, y):
    """The squared distances of points, a row for each of `x`.

    Differences are squared one coordinate after the other: products of the points would lose the
    digits of small distances.
    """
    total = None
    for axis in range(x.shape[-1]):
        apart = x[..., :, None, axis] - y[..., None, :, axis]
        total = apart * apart if total is None else total + apart * apart
    return total


def _joined(function, count, step):
    """The results of a function of the starts of blocks of `step` points."""
    found = [function(start) for start in range(0, max(count, 1), step)]
    return found[0] if len(found) == 1 else np.concatenate(found)


def _exponents(ndim, degree):
    """The exponents of the monomials up to a degree."""
    import numpy

    rows = []
    for order in range(degree + 1):
        for chosen in itertools.combinations_with_replacement(range(ndim), order):
            rows.append([chosen.count(axis) for axis in range(ndim)])
    return numpy.asarray(rows, dtype=int).reshape(-1, ndim)


def _monomials(x, exponents):
    """The values of monomials at points, which are along the last axis but one."""
    columns = []
    for row in exponents.tolist():
        value = np.ones_like(x[..., 0])
        for axis, exponent in enumerate(row):
            for _ in range(exponent):
                value = value * x[..., axis]
        columns.append(value)
    return np.stack(columns, axis=-1)


_POINTS = ("array_like", "The points, a matrix with a row for each.")


@described_class(
    {"ValueError": "The shapes, the kernel, the degree or the number of points are not allowed.",
     "LinAlgError": "The system is singular."},
    COLLECTIVE + " The system is solved on devices.", y=_POINTS)
class RBFInterpolator(OnMesh):
    """An interpolation of scattered values by radial functions and a polynomial.

    Points are evaluated in blocks against all centres; with `neighbors`, each point has a small
    system of its own, and these are solved together.
    """

    def __init__(self, y, d, neighbors=None, smoothing=0.0, kernel="thin_plate_spline",
                 epsilon=None, degree=None):
        y = array(y).astype(np.float64)
        if y.ndim != 2:
            raise refuse("`y` must be a 2-dimensional array.")
        count, ndim = y.shape
        d = array(d)
        self.d_dtype = np.complex128 if d.dtype.kind == "c" else np.float64
        if d.shape[0] != count:
            raise refuse(f"Expected the first axis of `d` to have length {count}.",
                         mistake="together")
        self.d_shape = d.shape[1:]
        self.d = d.astype(self.d_dtype).reshape(count, -1)
        self.smoothing = array(smoothing).astype(np.float64)
        if self.smoothing.ndim == 0:
            self.smoothing = np.broadcast_to(self.smoothing, (count,))
        elif self.smoothing.shape != (count,):
            raise refuse(f"Expected `smoothing` to be a scalar or have shape ({count},).",
                         mistake="together")
        self.kernel = kernel.lower()
        if self.kernel not in _KERNELS:
            raise refuse(f"`kernel` must be one of {sorted(_KERNELS)}.", mistake="choice")
        if epsilon is None and self.kernel not in _SCALE_INVARIANT:
            raise refuse("`epsilon` must be specified if `kernel` is not one of "
                         f"{_SCALE_INVARIANT}.")
        self.epsilon = 1.0 if epsilon is None else float(epsilon)
        self.neighbors = None if neighbors is None else int(min(neighbors, count))
        self._powers = _exponents(ndim, self._degree(degree))
        if len(self._powers) > (self.neighbors or count):
            raise refuse(f"At least {len(self._powers)} data points are required when `degree` is "
                         f"{degree} and the number of dimensions is {ndim}.")
        self.y = y
        if self.neighbors is not None:
            from ..spatial import KDTree

            self._tree = KDTree(y)
        else:
            self._solution = self._solved(y, self.d, self.smoothing)

    def _degree(self, degree):
        least = _LEAST_DEGREE.get(self.kernel, -1)
        if degree is None:
            return max(least, 0)
        degree = int(degree)
        if degree < -1:
            raise refuse("`degree` must be at least -1.")
        if -1 < degree < least:
            warnings.warn(
                f"`degree` should not be below {least} except -1 when `kernel` is "
                f"{self.kernel!r}: the interpolant may not be unique, and smoothing may have an "
                "unexpected effect.", UserWarning, stacklevel=4,
            )
        return degree

    @property
    def powers(self):
        """The exponents of the monomials."""
        return np.asarray(self._powers)

    def _near(self, x, y):
        """The values of the radial functions of `y` at `x`."""
        return _KERNELS[self.kernel](_squares(x * self.epsilon, y * self.epsilon))

    def _solved(self, y, d, smoothing):
        """Shift and scale of the polynomial, and all coefficients; leading axes are those of
        several systems."""
        low, high = y.min(axis=-2, keepdims=True), y.max(axis=-2, keepdims=True)
        shift, scale = (high + low) / 2, (high - low) / 2
        scale = np.where(scale == 0, 1.0, scale)
        count, extra = y.shape[-2], len(self._powers)
        matrix = self._near(y, y) + np.eye(count) * smoothing[..., None, :]
        if extra:
            columns = _monomials((y - shift) / scale, self._powers)
            corner = np.zeros((*y.shape[:-2], extra, extra))
            right = np.swapaxes(columns, -1, -2)
            matrix = np.concatenate([
                np.concatenate([matrix, columns], axis=-1),
                np.concatenate([right, corner], axis=-1),
            ], axis=-2)
            empty = np.zeros((*d.shape[:-2], extra, d.shape[-1]), dtype=d.dtype)
            d = np.concatenate([d, empty], axis=-2)
        return shift, scale, np.linalg.solve(matrix.astype(d.dtype), d)

    def _values(self, x, y, shift, scale, coefficients):
        terms = self._near(x, y)
        if len(self._powers):
            terms = np.concatenate([terms, _monomials((x - shift) / scale, self._powers)], axis=-1)
        return terms.astype(coefficients.dtype) @ coefficients

    def _by_neighbours(self, x):
        """The values at points, each from the system of its nearest centres."""
        _, chosen = self._tree.query(x, self.neighbors)
        chosen = np.sort(chosen.reshape(-1, self.neighbors), axis=1)
        step = max(1, _SYSTEMS // (self.neighbors + len(self._powers)) ** 2)

        def values(start):
            part = slice(start, start + step)
            y, d, smoothing = (np.take(one, chosen[part], axis=0)
                               for one in (self.y, self.d, self.smoothing))
            return self._values(x[part, None, :], y, *self._solved(y, d, smoothing))[:, 0, :]

        return _joined(values, x.shape[0], step)

    @described("ndarray: The values: an element or an array of each point.",
               {"ValueError": "The points are no matrix, or have another number of coordinates.",
                "LinAlgError": "A system of nearest points is singular."}, RECORDED +
               " Collective with `neighbors`.", x=_POINTS)
    def __call__(self, x):
        """The values at points."""
        x = array(x).astype(np.float64)
        if x.ndim != 2:
            raise refuse("`x` must be a 2-dimensional array.")
        if x.shape[1] != self.y.shape[1]:
            raise refuse(f"Expected the second axis of `x` to have length {self.y.shape[1]}.",
                         mistake="together")
        if x.shape[0] == 0:
            return np.zeros((0, *self.d_shape), dtype=self.d_dtype)
        if self.neighbors is None:
            step = max(1, _BLOCK // (self.y.shape[0] + len(self._powers)))
            found = _joined(
                lambda start: self._values(x[start : start + step], self.y, *self._solution),
                x.shape[0], step,
            )
        else:
            found = self._by_neighbours(x)
        return found.reshape((x.shape[0], *self.d_shape))


# Functions of the distance, for `Rbf`.
_FUNCTIONS = {
    "multiquadric": lambda r: np.sqrt(r * r + 1),
    "inverse_multiquadric": lambda r: 1 / np.sqrt(r * r + 1),
    "gaussian": lambda r: np.exp(-r * r),
    "linear": lambda r: r,
    "cubic": lambda r: r**3,
    "quintic": lambda r: r**5,
    "thin_plate": lambda r: np.where(r == 0, 0.0, r * r * np.log(np.where(r == 0, 1.0, r))),
}
# Those of the distance over `epsilon`.
_SCALED = ("multiquadric", "inverse_multiquadric", "gaussian")
_ALIASES = {"inverse": "inverse_multiquadric", "inverse multiquadric": "inverse_multiquadric",
            "thin-plate": "thin_plate"}


@described_class(
    {"ValueError": "The shapes, the function or the mode are not allowed.",
     "LinAlgError": "The system is singular."},
    args=("array_like", "The coordinates of the points, an array for each, and the values."),
    kwargs=("object", "`function`: a name or a callable of the distances, 'multiquadric' by "
            "default; `epsilon`: the scale of distances; `smooth`: how much values may be missed; "
            "`norm`: the distance, a name or a callable; `mode`: '1-D' for numbers, 'N-D' for "
            "arrays as values."),
)
class Rbf(OnMesh):
    """An interpolation of scattered values by radial functions, as in older programs; new ones use
    `RBFInterpolator`."""

    def __init__(self, *args, **kwargs):
        coordinates = [array(one).astype(np.float64).reshape(-1) for one in args[:-1]]
        values = array(args[-1])
        self.mode = kwargs.pop("mode", "1-D")
        if self.mode == "1-D":
            self.di, self._target_dim = values.reshape(-1), 1
        elif self.mode == "N-D":
            self.di, self._target_dim = values, values.shape[-1]
        else:
            raise refuse("Mode has to be 1-D or N-D.", mistake="choice")
        if any(one.size != self.di.shape[0] for one in coordinates):
            raise refuse("All arrays must be equal length.", mistake="together")
        self.xi = np.stack(coordinates)
        self.N = self.xi.shape[-1]
        self.norm = kwargs.pop("norm", "euclidean")
        self.epsilon = kwargs.pop("epsilon", None)
        if self.epsilon is None:
            edges = [edge for edge in np.ptp(self.xi, axis=1).tolist() if edge]
            self.epsilon = (math.prod(edges) / self.N) ** (1.0 / len(edges))
        self.smooth = kwargs.pop("smooth", 0.0)
        self.function = kwargs.pop("function", "multiquadric")
        for name, value in kwargs.items():
            setattr(self, name, value)
        self._choose()
        matrix = self.A
        if matrix.shape != (self.N, self.N):
            raise refuse("Callable must take array and return array of the same shape")
        kind = np.result_type(self.di.dtype, np.float64)
        self.nodes = np.linalg.solve(matrix.astype(kind), self.di.astype(kind))

    def _choose(self):
        """Finds the function of the distance."""
        if isinstance(self.function, str):
            name = self.function.lower()
            self.function = name = _ALIASES.get(name, name)
            if name not in _FUNCTIONS:
                raise refuse("function must be a callable or one of "
                             + ", ".join(sorted(_FUNCTIONS)), mistake="choice")
            scale = 1.0 / self.epsilon if name in _SCALED else 1.0
            self._function = lambda r: _FUNCTIONS[name](r * scale)
        else:
            import inspect

            count = len(inspect.signature(self.function).parameters)
            if count not in (1, 2):
                raise refuse("Function argument must take 1 or 2 arguments.")
            given = self.function
            self._function = given if count == 1 else lambda r: given(self, r)

    @property
    def A(self):
        """The matrix of the system."""
        points = self.xi.T
        return self._function(self._distances(points, points)) - np.eye(self.N) * self.smooth

    def _distances(self, x, y):
        if self.norm == "euclidean":
            return np.sqrt(_squares(x, y))
        from ..spatial.distance import cdist

        return cdist(x, y, self.norm)

    @described("ndarray: The values, of the shape of the coordinates.",
               {"ValueError": "The coordinates have other shapes."}, RECORDED,
               args=("array_like", "The coordinates of the points, an array for each."))
    def __call__(self, *args):
        """The values at points."""
        args = [array(one) for one in args]
        if any(one.shape != args[0].shape for one in args):
            raise refuse("Array lengths must be equal", mistake="together")
        if len(args) != self.xi.shape[0]:
            raise refuse(f"there are {len(args)} coordinates in {self.xi.shape[0]} dimensions",
                         mistake="together")
        points = np.stack([one.astype(np.float64).reshape(-1) for one in args], axis=1)
        step = max(1, _BLOCK // self.N)

        def values(start):
            apart = self._distances(points[start : start + step], self.xi.T)
            return self._function(apart) @ self.nodes

        found = _joined(values, points.shape[0], step)
        shape = args[0].shape
        return found.reshape((*shape, self._target_dim) if self._target_dim > 1 else shape)
