"""Rational functions through data, in the barycentric form."""

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

# The most support points of poles and roots.
_MOST = 1 << 12
_FEW = {
    "ValueError": f"There are more than {_MOST} support points.",
    "ImportError": "SciPy is not installed: ``pip install phalanx[scipy]``.",
}


class _Rational(OnMesh):
    """A rational function of support points, their values and weights."""

    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self, x, y, axis=0, **options):
        self._axis = axis
        z, f = array(x), array(y)
        self._input_validation(z, f, **options)
        f = np.moveaxis(f, axis, 0)
        is_kept = np.all(np.isfinite(f).reshape(f.shape[0], math.prod(f.shape[1:])), axis=1)
        z, f = z[is_kept], f[is_kept]
        z, first = np.unique(z, return_index=True)
        f = np.take(f, first, axis=0)
        self._shape = f.shape[1:]
        found = self._compute_weights(z, f, **options)
        self._support_points, self._support_values, self.weights = found
        self._poles = self._residues = self._roots = None

    def _input_validation(self, x, y, **options):
        if x.ndim != 1:
            raise refuse("`x` must be 1-D.")
        if not y.ndim >= 1:
            raise refuse("`y` must be at least 1-D.")
        if x.size != y.shape[self._axis]:
            raise refuse(
                f"`x` be of size {y.shape[self._axis]} but got size {x.size}.", mistake="together"
            )
        if not bool(np.all(np.isfinite(x))):
            raise refuse("`x` must be finite.")

    @described("ndarray: The values; the axes of the points are in place of the axis of the data.")
    def __call__(self, z):
        """The values at points."""
        z = array(z)
        points = z.reshape(-1)
        nodes, weights = self._support_points, self.weights
        values = self._support_values
        values = values.reshape(values.shape[0], math.prod(values.shape[1:]))
        r = _barycentric.value(points, nodes, weights, values)
        limit = np.sum(weights[:, None] * values) / np.sum(weights)
        r = np.where(np.isinf(points)[:, None], limit, r)
        r = r.reshape(z.shape + self._shape)
        return np.moveaxis(r, 0, self._axis) if z.ndim > 0 else r

    @described("ndarray: The poles, complex.", _FEW, COLLECTIVE)
    def poles(self):
        """The poles."""
        if self._poles is None:
            self._poles = _zeros(self._support_points, self.weights)
        return self._poles

    @described("ndarray: The residues, in the order of the poles.",
               {**_FEW, "NotImplementedError": "The data have more than one axis."}, COLLECTIVE)
    def residues(self):
        """The residues at the poles."""
        if self._support_values.ndim > 1:
            raise refuse(
                "Residues not implemented for multi-dimensional data.", NotImplementedError
            )
        if self._residues is None:
            terms = 1 / (self.poles()[:, None] - self._support_points)
            above = terms @ (self._support_values * self.weights).astype(terms.dtype)
            slope = -((terms**2) @ self.weights.astype(terms.dtype))
            self._residues = above / slope
        return self._residues

    @described("ndarray: The zeros, complex.",
               {**_FEW, "NotImplementedError": "The data have more than one axis."}, COLLECTIVE)
    def roots(self):
        """The zeros."""
        if self._support_values.ndim > 1:
            raise refuse("Roots not implemented for multi-dimensional data.", NotImplementedError)
        if self._roots is None:
            self._roots = _zeros(self._support_points, self.weights * self._support_values)
        return self._roots


def _zeros(nodes, coefficients):
    """The zeros of ``sum(coefficients / (z - nodes))``, the eigenvalues of a pencil of small
    matrices, by SciPy on the host."""
    import numpy

    linalg = _host.module("linalg", "eigvals")
    nodes, top = (_host.copied(one, _MOST, "poles and roots") for one in (nodes, coefficients))
    m = top.size
    left = numpy.zeros((m + 1, m + 1), numpy.result_type(nodes, top))
    left[0, 1:], left[1:, 0] = top, 1
    numpy.fill_diagonal(left[1:, 1:], nodes)
    right = numpy.eye(m + 1, dtype=top.dtype)
    right[0, 0] = 0
    found = linalg.eigvals(left, right)
    return np.asarray(found[numpy.isfinite(found)])


_POLES = (
    "Collective: decisions depend on data. `poles`, `residues`, `roots` and `clean_up` solve a "
    "small problem of eigenvalues by SciPy on the host."
)


@described_class(
    {"ValueError": "The shapes do not fit, points are not finite, or `max_terms` is less than 1.",
     "ImportError": "`clean_up` is true and SciPy is not installed: "
                    "``pip install phalanx[scipy]``."},
    _POLES,
    y=("array_like", "The data, a vector. Points where they are not finite are left out."),
    rtol=("float", "The error at which the algorithm stops, relative to the largest value; by "
          "default the precision to the power of 3/4."),
    max_terms=("int", "The most support points."),
    clean_up=("bool", "Whether spurious poles are removed."),
    clean_up_tol=("float", "The tolerance of `clean_up`."),
)
class AAA(_Rational):
    """A rational function through data by the algorithm AAA (Nakatsukasa, Sete and Trefethen 2018).

    Support points are chosen one after the other, where the error is largest. Matrices of a row for
    each point stay on devices; their triangular factors, which are small, are decomposed on the
    host.
    """

    def __init__(self, x, y, *, rtol=None, max_terms=100, clean_up=True, clean_up_tol=1e-13):
        super().__init__(x, y, rtol=rtol, max_terms=max_terms)
        if clean_up:
            self.clean_up(clean_up_tol)

    def _input_validation(self, x, y, rtol=None, max_terms=100):
        if operator.index(max_terms) < 1:
            raise refuse("`max_terms` must be an integer value greater than or equal to one.")
        if y.ndim != 1:
            raise refuse("`y` must be 1-D.")
        super()._input_validation(x, y)

    @property
    def support_points(self):
        """The points where the function has the values of the data."""
        return self._support_points

    @property
    def support_values(self):
        """The values at the support points."""
        return self._support_values

    def _compute_weights(self, z, f, rtol, max_terms):
        import numpy

        dtype = numpy.result_type(z.dtype, f.dtype, numpy.float32)
        if z.dtype.kind in "biu" or f.dtype.kind in "biu":
            dtype = numpy.result_type(dtype, float)
        eps = numpy.finfo(dtype).eps
        rtol = eps**0.75 if rtol is None else rtol
        atol = rtol * float(np.max(np.abs(f)))
        is_free, owner = np.ones(z.shape, bool), np.full(z.shape, max_terms)
        estimate = np.mean(f)
        cauchy, loewner, nodes, values, errors = [], [], [], [], []
        is_ill = False
        for m in range(max_terms):
            at = int(np.argmax(np.where(is_free, np.abs(f - estimate), -1.0)))
            node, value = z[at], f[at]
            nodes.append(node)
            values.append(value)
            is_own = np.arange(z.shape[0]) == at
            is_free, owner = is_free & ~is_own, np.where(is_own, m, owner)
            # Rows of support points are 0, which is as if they were left out.
            column = np.where(is_own, 0, 1 / np.where(is_own, 1, z - node)).astype(dtype)
            cauchy.append(column)
            loewner.append(((f - value) * column).astype(dtype))
            matrix = np.where(is_free[:, None], np.stack(loewner, axis=1), 0)
            rows = z.shape[0] - m - 1
            weights, is_ill = _smallest(matrix, rows, is_ill, 1 / (3 * eps))
            weights = weights.astype(dtype)
            terms = np.stack(cauchy, axis=1)
            w = np.asarray(weights)
            below = terms @ w
            above = terms @ (w * np.stack(values).astype(dtype))
            # Values of support points are exact, unless their weight is 0.
            counts = np.asarray(numpy.append(weights != 0, numpy.zeros(max_terms - m, bool)))
            is_exact = np.take(counts, owner) | ~np.isfinite(below)
            estimate = np.where(is_exact, f, above / np.where(is_exact, 1, below))
            errors.append(float(np.max(np.abs(f - estimate))))
            if errors[-1] <= atol or rows <= 0:
                break
        if m == max_terms - 1:
            warnings.warn(
                f"AAA failed to converge within {max_terms} iterations.", RuntimeWarning,
                stacklevel=4,
            )
        self.errors = np.asarray(numpy.array(errors, dtype.type(0).real.dtype))
        self._points, self._values = z, f
        used = np.asarray(numpy.flatnonzero(weights))
        nodes, values = (np.stack(one).astype(dtype) for one in (nodes, values))
        return np.take(nodes, used), np.take(values, used), np.take(np.asarray(weights), used)

    @described("int: The number of poles that are removed.",
               {"ImportError": "SciPy is not installed: ``pip install phalanx[scipy]``."},
               COLLECTIVE)
    def clean_up(self, cleanup_tol=1e-13):
        """Removes the support points next to poles that are spurious."""
        mean = float(np.exp(np.mean(np.log(np.abs(self._values)))))
        apart = np.min(np.abs(self.poles()[:, None] - self._points), axis=1)
        spurious = np.nonzero(np.abs(self.residues()) / apart < cleanup_tol * mean)[0]
        count = int(spurious.size)
        if count == 0:
            return 0
        warnings.warn(f"{count} Froissart doublets detected.", RuntimeWarning, stacklevel=2)
        distance = np.abs(self._support_points[:, None] - np.take(self.poles(), spurious))
        removed = np.argmin(distance, axis=0)
        self._support_points = np.delete(self._support_points, removed)
        self._support_values = np.delete(self._support_values, removed)
        apart = self._points[:, None] - self._support_points
        is_free = np.all(apart != 0, axis=1)[:, None]
        rise = self._values[:, None] - self._support_values
        matrix = np.where(is_free, rise / np.where(apart == 0, 1, apart), 0)
        self.weights = np.asarray(_factor(matrix, True)[2][-1].conj())
        self._poles = self._residues = self._roots = None
        return count


def _factor(matrix, full=False):
    """The singular values and right vectors of a matrix of many rows: those of its triangular
    factor, on the host."""
    import numpy

    return numpy.linalg.svd(host(np.linalg.qr(matrix, mode="r")), full_matrices=full)


def _smallest(matrix, rows, is_ill, most):
    """The vector of weights that a matrix makes smallest, and whether the matrix is
    ill-conditioned. `rows` counts the rows that are not left out."""
    import numpy

    count = matrix.shape[1]
    if rows < count:
        _, s, v = _factor(matrix, True)
        rank = int((s > s.max(initial=0) * numpy.finfo(s.dtype).eps * max(rows, count)).sum())
        null = v[rank:].conj()
        return null.sum(axis=0) / numpy.sqrt(len(null)), is_ill
    _, s, v = _factor(matrix)
    with numpy.errstate(all="ignore"):
        is_ill = is_ill or bool(s[0] / s[-1] > most)
    norms = 1.0
    if is_ill:
        # Columns of equal lengths.
        norms = host(np.sqrt(np.sum(np.abs(matrix) ** 2, axis=0)))
        _, s, v = _factor(matrix / np.asarray(norms))
    is_least = s == s.min()
    return v.conj()[is_least].sum(axis=0) / numpy.sqrt(is_least.sum()) / norms, is_ill


@described_class(
    {"ValueError": "The shapes do not fit, points are not finite, or `d` is negative or not less "
                   "than the number of points."},
    _POLES.replace(" `poles`, `residues`, `roots` and `clean_up` solve", " `poles`, `residues` and "
                   "`roots` solve"),
    points=("array_like", "The points of the data, a vector."),
    values=("array_like", "The data. Points where they are not finite are left out."),
    d=("int", "The degree of the polynomials that are blended."),
)
class FloaterHormannInterpolator(_Rational):
    """A rational function through data without real poles (Floater and Hormann 2007)."""

    def __init__(self, points, values, *, d=3, axis=0):
        super().__init__(points, values, d=d, axis=axis)

    def _input_validation(self, x, y, d):
        if not 0 <= operator.index(d) < len(x):
            raise refuse("`d` must satisfy 0 <= d < n")
        super()._input_validation(x, y)

    def _compute_weights(self, z, f, d):
        import numpy

        dtype = numpy.result_type(z.dtype, 1.0 if z.dtype.kind in "fc" else float)
        n = z.shape[0]
        windows = np.take(z, np.asarray(numpy.arange(max(n - d, 0))[:, None] + numpy.arange(d + 1)))
        total = np.zeros(n, dtype)
        for at in range(d + 1):
            # What the window that starts `at` points before a point adds to its weight.
            factors = np.abs(windows[:, at : at + 1] - windows)
            factors = np.where(np.arange(d + 1) == at, 1, factors)
            total = total + np.pad(1 / np.prod(factors, axis=1), (at, d - at))
        signs = np.where((np.arange(n) - d) % 2 == 0, 1.0, -1.0)
        return z, f, (total * signs).astype(dtype)
