"""Estimates of densities by Gaussian kernels."""

import math

import phalanx as np

from .._host_calls import agreed_seed
from . import _pvalues
from ._arrays import floating, refuse
from ._described import ALONE, COLLECTIVE, HOST, NOTHING, RECORDED, described
from ._host import to_host

# Pairs of a point and an element of the dataset in one block.
_BLOCK = 1 << 24
_SHAPES = {"ValueError": "The points have another number of variables."}
_POINTS = ("array_like", "The points, one in each column.")


class gaussian_kde:
    """An estimate of a density: the mean of Gaussian kernels at the elements of a dataset.

    Points are evaluated in blocks, so that the dataset may be split over devices. Constructing the
    estimate is collective: the covariance, which is small, is read.

    Parameters
    ----------
    dataset : array_like
        The elements, one in each column; a vector is one variable.
    bw_method : {'scott', 'silverman'}, float or callable, optional
        The factor of the standard deviations, or the rule that computes it.
    weights : array_like, optional
        The weights of the elements; by default equal ones.
    """

    def __init__(self, dataset, bw_method=None, weights=None):
        self.dataset = np.atleast_2d(floating(dataset))
        if not self.dataset.size > 1:
            raise refuse("`dataset` input should have multiple elements.")
        if bool(~np.isfinite(self.dataset).all()):
            raise refuse("array must not contain infs or NaNs")
        self.d, self.n = self.dataset.shape
        self._given = weights is not None
        if weights is None:
            self._weights = np.full(self.n, 1.0 / self.n, dtype=np.float64)
            self._neff = float(self.n)
        else:
            weights = floating(weights).reshape(-1)
            if weights.shape[0] != self.n:
                raise refuse("`weights` input should be of length n", mistake="together")
            self._weights = weights / weights.sum()
            self._neff = 1.0 / float((self._weights**2).sum())
        if self.d > self.n:
            raise refuse("Number of dimensions is greater than number of samples.")
        self.set_bandwidth(bw_method)

    @property
    def weights(self):
        """The weights of the elements, whose sum is 1."""
        return self._weights

    @property
    def neff(self):
        """The effective number of elements."""
        return self._neff

    @property
    def inv_cov(self):
        """The inverse of the covariance of the kernels."""
        import numpy

        return np.asarray(numpy.linalg.inv(self._covariance))

    @property
    def covariance(self):
        """The covariance of the kernels."""
        return np.asarray(self._covariance)

    @described("float", NOTHING, ALONE)
    def scotts_factor(self):
        """Scott's factor of the standard deviations."""
        return self._neff ** (-1.0 / (self.d + 4))

    @described("float", NOTHING, ALONE)
    def silverman_factor(self):
        """Silverman's factor of the standard deviations."""
        return (self._neff * (self.d + 2.0) / 4.0) ** (-1.0 / (self.d + 4))

    covariance_factor = scotts_factor

    @described("None", {"ValueError": "`bw_method` is unknown."}, COLLECTIVE,
               bw_method=("{'scott', 'silverman'}, float or callable", "The factor of the standard "
                          "deviations, or the rule that computes it."))
    def set_bandwidth(self, bw_method=None):
        """Sets the factor of the standard deviations."""
        import numpy

        if bw_method is None:
            pass
        elif isinstance(bw_method, str) and bw_method in ("scott", "silverman"):
            name = "scotts_factor" if bw_method == "scott" else "silverman_factor"
            self.covariance_factor = getattr(self, name)
        elif np.isscalar(bw_method) and not isinstance(bw_method, str):
            self._bw_method = "use constant"
            self.covariance_factor = lambda: bw_method
        elif callable(bw_method):
            self.covariance_factor = lambda: bw_method(self)
        else:
            raise refuse("`bw_method` should be 'scott', 'silverman', a scalar or a callable.",
                         mistake="choice")
        self.factor = float(self.covariance_factor())
        if not hasattr(self, "_spread"):
            middle = (self.dataset * self._weights).sum(1, keepdims=True)
            apart = self.dataset - middle
            spread = (apart * self._weights) @ apart.T
            self._spread = spread.get() / (1 - float((self._weights**2).sum()))
        self._covariance = self._spread * self.factor**2
        try:
            self._root = numpy.linalg.cholesky(self._covariance)
        except numpy.linalg.LinAlgError as error:
            raise numpy.linalg.LinAlgError(
                "The covariance of the dataset is not positive definite: its variables depend on "
                "each other linearly, or there are too few elements."
            ) from error

    def _points(self, points):
        points = np.atleast_2d(floating(points))
        if points.shape[0] != self.d:
            if points.shape == (1, self.d):
                return points.reshape(self.d, 1)
            raise refuse(f"points have dimension {points.shape[0]}, dataset has dimension "
                         f"{self.d}", mistake="together")
        return points

    def _blocks(self, points, combine):
        """Values of `combine` of squared distances, for blocks of points."""
        import numpy

        points = self._points(points)
        dtype = np.result_type(points.dtype, self.dataset.dtype)
        whiten = np.asarray(numpy.linalg.inv(self._root)).astype(dtype)
        points, dataset = whiten @ points, whiten @ self.dataset
        count = points.shape[1]
        step = max(1, _BLOCK // self.n)
        found = []
        for start in range(0, count, step):
            block = points[:, start : start + step]
            squares = 0.0
            for one, other in zip(block, dataset):
                squares = squares + (one[:, None] - other) ** 2
            found.append(combine(squares))
        if not found:
            return np.zeros(0, dtype=dtype)
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _log_scale(self):
        import numpy

        root = float(numpy.log(numpy.diag(self._root)).sum())
        return -root - self.d / 2 * math.log(2 * math.pi)

    @described("ndarray: The densities at the points.", _SHAPES, RECORDED, points=_POINTS)
    def evaluate(self, points):
        """The density at points."""
        scale = math.exp(self._log_scale())
        weights = self._weights
        return self._blocks(points, lambda squares: np.exp(-squares / 2) @ weights * scale)

    __call__ = evaluate

    @described("ndarray: The densities at the points.", _SHAPES, RECORDED, x=_POINTS)
    def pdf(self, x):
        """The density at points."""
        return self.evaluate(x)

    @described("ndarray: The logarithms of the densities.", _SHAPES, RECORDED, x=_POINTS)
    def logpdf(self, x):
        """The logarithm of the density at points, also where the density underflows."""
        logarithms = np.log(self._weights)

        def combine(squares):
            terms = logarithms - squares / 2
            most = terms.max(1)
            return np.log(np.exp(terms - most[:, None]).sum(1)) + most

        return self._blocks(x, combine) + self._log_scale()

    @described("ndarray: The integral, without axes.",
               {"ValueError": "The mean or the covariance has another number of variables."},
               RECORDED, mean=("array_like", "The mean of the normal density."),
               cov=("array_like", "Its covariance."))
    def integrate_gaussian(self, mean, cov):
        """The integral of the density times a normal density."""
        import numpy

        mean = numpy.atleast_1d(to_host(mean, "gaussian_kde"))
        cov = numpy.atleast_2d(to_host(cov, "gaussian_kde"))
        if mean.shape != (self.d,):
            raise refuse(f"mean does not have dimension {self.d}", mistake="together")
        if cov.shape != (self.d, self.d):
            raise refuse(f"covariance does not have dimension {self.d}", mistake="together")
        root = numpy.linalg.cholesky(self._covariance + cov)
        whiten = np.asarray(numpy.linalg.inv(root))
        apart = whiten @ (self.dataset - np.asarray(mean)[:, None])
        scale = (2 * math.pi) ** (self.d / 2) * float(numpy.prod(numpy.diag(root)))
        return (np.exp(-(apart**2).sum(0) / 2) * self._weights).sum() / scale

    @described("ndarray: The integral, without axes.", {"ValueError": "The dataset has several "
               "variables."}, RECORDED, low=("float", "The lower limit."),
               high=("float", "The upper limit."))
    def integrate_box_1d(self, low, high):
        """The integral of the density of one variable between limits."""
        if self.d != 1:
            raise refuse("integrate_box_1d() only handles 1D pdfs")
        deviation = float(self._root[0, 0])
        ends = [_pvalues.special("ndtr", (one - self.dataset[0]) / deviation)
                for one in (low, high)]
        return (self._weights * (ends[1] - ends[0])).sum()

    @described("float: The integral.", {"ValueError": "The limits have other extents."}, HOST,
               low_bounds=("array_like", "The lower limits."),
               high_bounds=("array_like", "The upper limits."),
               maxpts=("int", "The most points of the numerical integration."),
               rng=("object", "The generator of SciPy's integration."))
    def integrate_box(self, low_bounds, high_bounds, maxpts=None, *, rng=None):
        """The integral of the density in a box, by SciPy on the host."""
        return float(self._on_host().integrate_box(
            to_host(low_bounds, "gaussian_kde"), to_host(high_bounds, "gaussian_kde"), maxpts,
            rng=agreed_seed() if rng is None else rng,
        ))

    def _on_host(self):
        from scipy import stats

        return stats.gaussian_kde(
            to_host(self.dataset, "gaussian_kde"), self.factor,
            to_host(self._weights, "gaussian_kde"),
        )

    @described("ndarray: The integral, without axes.",
               {"ValueError": "The other estimate has another number of variables."}, RECORDED,
               other=("gaussian_kde", "The other estimate."))
    def integrate_kde(self, other):
        """The integral of the product of two densities."""
        if other.d != self.d:
            raise refuse("KDEs are not the same dimensionality", mistake="together")
        import numpy

        few, many = (self, other) if self.n < other.n else (other, self)
        both = gaussian_kde.__new__(gaussian_kde)
        both.__dict__.update(many.__dict__)
        both._root = numpy.linalg.cholesky(few._covariance + many._covariance)
        return (both.evaluate(few.dataset) * few._weights).sum()

    @described("ndarray: The points, one in each column.", NOTHING, COLLECTIVE,
               size=("int", "The number of points; by default the effective number of elements."),
               seed=("int or Generator", "The seed, or the generator."))
    def resample(self, size=None, seed=None):
        """Random points of the density."""
        size = int(self._neff) if size is None else int(size)
        draw = np.random.default_rng(seed) if seed is not None else np.random
        normal = draw.standard_normal((self.d, size)) if seed is not None else (
            np.random.normal(size=(self.d, size))
        )
        shifts = np.asarray(self._root) @ normal
        if self._given:
            uniform = draw.random(size) if seed is not None else np.random.random(size)
            ends = np.cumsum(self._weights)
            chosen = np.minimum(np.searchsorted(ends, uniform * ends[-1], side="right"),
                                self.n - 1)
        elif seed is not None:
            chosen = draw.integers(0, self.n, size)
        else:
            chosen = np.random.randint(0, self.n, size)
        return self.dataset[:, chosen] + shifts

    @described("gaussian_kde", {"ValueError": "There is no such variable, or one is named twice."},
               COLLECTIVE, dimensions=("int or sequence of int", "The variables."))
    def marginal(self, dimensions):
        """The estimate of some of the variables."""
        import numpy

        dims = numpy.atleast_1d(dimensions)
        if not numpy.issubdtype(dims.dtype, numpy.integer):
            raise refuse("Elements of `dimensions` must be integers - the indices of the marginal "
                         "variables being retained.")
        places = [one + self.d if one < 0 else one for one in dims.tolist()]
        if len(set(places)) < len(places):
            raise refuse("All elements of `dimensions` must be unique.")
        if any(not 0 <= one < self.d for one in places):
            raise refuse(f"Dimensions {places} are invalid for a distribution in {self.d} "
                         "dimensions.")
        return gaussian_kde(self.dataset[np.asarray(places)], self.factor, self._weights)


