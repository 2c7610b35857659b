"""The normal distribution of several variables."""

import math

import phalanx as np

from .._host_calls import agreed_seed
from ._arrays import floating, refuse
from ._described import COLLECTIVE, HOST, RECORDED, describer
from ._distribution import _draws
from ._host import scipy_stats, to_host

_TABLE = {
    "allow_singular": ("bool", "Whether the covariance may be singular."),
    "cov": ("array_like", "The covariance; by default the unit matrix."),
    "fix_cov": ("array_like", "The covariance, if it is known."),
    "fix_mean": ("array_like", "The mean, if it is known."),
    "lower_limit": ("array_like", "The lower limits; by default none."),
    "mean": ("array_like", "The mean; by default 0."),
    "random_state": ("int or Generator", "The seed or the generator."),
    "seed": ("int or Generator", "The seed or the generator."),
    "size": ("int or tuple of int", "The shape of the result before the variables."),
    "x": ("array_like", "The points, with the variables along the last axis."),
}
_MIXED = {
    "ValueError": "The mean and the covariance do not fit together.",
    "LinAlgError": "The covariance is not positive definite, and `allow_singular` is false.",
}
described = describer(_TABLE, RECORDED, _MIXED)


class _Spread:
    """A covariance of few variables: the directions in which it is positive, on the host."""

    def __init__(self, cov, allow_singular):
        import numpy

        values, vectors = numpy.linalg.eigh(cov)
        limit = 1e6 * numpy.finfo(values.dtype).eps * max(abs(values).max(), 0.0)
        if values.min() < -limit:
            raise refuse("The input matrix must be symmetric positive semidefinite.")
        kept = values > limit
        if not allow_singular and not kept.all():
            raise numpy.linalg.LinAlgError(
                "The covariance is singular; `allow_singular` allows it."
            )
        self.rank = int(kept.sum())
        self.whiten = vectors[:, kept] / numpy.sqrt(values[kept])
        self.null = vectors[:, ~kept]
        self.colour = vectors * numpy.sqrt(numpy.where(kept, values, 0.0))
        self.log_determinant = float(numpy.log(values[kept]).sum())


def _parameters(mean, cov):
    import numpy

    mean = None if mean is None else numpy.atleast_1d(to_host(mean, "multivariate_normal"))
    cov = 1.0 if cov is None else to_host(cov, "multivariate_normal")
    cov = numpy.asarray(cov, float)
    dim = mean.size if mean is not None else (1 if cov.ndim == 0 else cov.shape[0])
    mean = numpy.zeros(dim) if mean is None else numpy.asarray(mean, float)
    if cov.ndim == 0:
        cov = cov * numpy.eye(dim)
    elif cov.ndim == 1:
        cov = numpy.diag(cov)
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
        raise refuse("Array 'cov' must be square if it is two dimensional, but cov.shape = "
                     f"{cov.shape}.")
    if mean.ndim != 1 or cov.shape[0] != mean.size:
        raise refuse("Dimension mismatch: array 'cov' is of shape "
                     f"{cov.shape}, but 'mean' is a vector of length {mean.size}.",
                     mistake="together")
    return mean, cov


class MultivariateNormal:
    """The normal distribution of several variables. Mean and covariance reside on the host."""

    name = "multivariate_normal"

    def __call__(self, mean=None, cov=1, allow_singular=False, seed=None):
        return FrozenNormal(mean, cov, allow_singular, seed)

    @described("ndarray: The logarithms of the density.")
    def logpdf(self, x, mean=None, cov=1, allow_singular=False):
        """The logarithm of the density at points."""
        mean, cov = _parameters(mean, cov)
        return _log_density(x, mean, _Spread(cov, allow_singular))

    @described("ndarray: The densities.")
    def pdf(self, x, mean=None, cov=1, allow_singular=False):
        """The density at points."""
        return np.exp(self.logpdf(x, mean, cov, allow_singular))

    @described("ndarray: The probabilities.", notes=HOST,
               abseps=("float", "The absolute error that is allowed."),
               maxpts=("int", "The most points of the numerical integration."),
               releps=("float", "The relative error that is allowed."),
               rng=("object", "The generator of SciPy's integration."))
    def cdf(self, x, mean=None, cov=1, allow_singular=False, maxpts=None, abseps=1e-5,
            releps=1e-5, *, lower_limit=None, rng=None):
        """The probability that all variables are at most those of points, by SciPy on the host."""
        mean, cov = _parameters(mean, cov)
        theirs = scipy_stats(self.name).multivariate_normal
        return np.asarray(theirs.cdf(
            to_host(x, self.name), mean, cov, allow_singular, maxpts, abseps, releps,
            lower_limit=to_host(lower_limit, self.name),
            rng=agreed_seed() if rng is None else rng,
        ))

    @described("ndarray: The logarithms of the probabilities.", notes=HOST,
               abseps=("float", "The absolute error that is allowed."),
               maxpts=("int", "The most points of the numerical integration."),
               releps=("float", "The relative error that is allowed."),
               rng=("object", "The generator of SciPy's integration."))
    def logcdf(self, x, mean=None, cov=1, allow_singular=False, maxpts=None, abseps=1e-5,
               releps=1e-5, *, lower_limit=None, rng=None):
        """The logarithm of `cdf`, by SciPy on the host."""
        return np.log(self.cdf(x, mean, cov, allow_singular, maxpts, abseps, releps,
                               lower_limit=lower_limit, rng=rng))

    @described("ndarray: Random points.", notes=COLLECTIVE)
    def rvs(self, mean=None, cov=1, size=1, random_state=None):
        """Random points."""
        mean, cov = _parameters(mean, cov)
        return _drawn(mean, _Spread(cov, True), size, random_state)

    @described("float: The entropy.")
    def entropy(self, mean=None, cov=1):
        """The differential entropy."""
        mean, cov = _parameters(mean, cov)
        spread = _Spread(cov, True)
        return 0.5 * (spread.rank * (math.log(2 * math.pi) + 1) + spread.log_determinant)

    @described("(ndarray, ndarray): The mean and the covariance.", notes=COLLECTIVE)
    def fit(self, x, fix_mean=None, fix_cov=None):
        """The most likely mean and covariance of points, which are rows."""
        x = floating(x)
        if x.ndim != 2:
            raise refuse("`x` must be two-dimensional.")
        mean = x.mean(0) if fix_mean is None else np.atleast_1d(floating(fix_mean))
        if mean.shape != (x.shape[1],):
            raise refuse("`fix_mean` must be of the length of the points", mistake="together")
        if fix_cov is not None:
            cov = np.atleast_2d(floating(fix_cov))
            if cov.shape != (x.shape[1],) * 2:
                raise refuse("`fix_cov` must be of the extents of the points",
                             mistake="together")
            return mean, cov
        apart = x - mean
        return mean, apart.T @ apart / x.shape[0]


def _log_density(x, mean, spread):
    x = floating(x)
    if x.ndim == 0 or (x.ndim == 1 and mean.size == 1):
        x = x[..., None]
    apart = x - np.asarray(mean)
    squares = ((apart @ np.asarray(spread.whiten)) ** 2).sum(-1)
    constant = spread.rank * math.log(2 * math.pi) + spread.log_determinant
    found = -0.5 * (squares + constant)
    if spread.null.shape[1]:
        off = np.abs(apart @ np.asarray(spread.null)).max(-1)
        found = np.where(off < 1e-8 * np.maximum(np.abs(apart).max(-1), 1.0), found, -np.inf)
    return found


def _drawn(mean, spread, size, random_state):
    shape = (size,) if isinstance(size, int) else tuple(size)
    normal = np.asarray(_draws(random_state).standard_normal((*shape, mean.size)))
    found = normal @ np.asarray(spread.colour.T) + np.asarray(mean)
    found = found.reshape(found.shape[1:]) if shape == (1,) else found
    return found.reshape(found.shape[:-1]) if mean.size == 1 else found


class FrozenNormal:
    """A normal distribution of several variables with fixed parameters."""

    def __init__(self, mean=None, cov=1, allow_singular=False, seed=None):
        self.mean, self.cov = _parameters(mean, cov)
        self.dim = self.mean.size
        self.allow_singular = allow_singular
        self.random_state = seed
        self._spread = _Spread(self.cov, allow_singular)

    @described("ndarray: The logarithms of the density.", {})
    def logpdf(self, x):
        """The logarithm of the density at points."""
        return _log_density(x, self.mean, self._spread)

    @described("ndarray: The densities.", {})
    def pdf(self, x):
        """The density at points."""
        return np.exp(self.logpdf(x))

    @described("ndarray: The probabilities.", {}, HOST,
               rng=("object", "The generator of SciPy's integration."))
    def cdf(self, x, *, lower_limit=None, rng=None):
        """The probability that all variables are at most those of points, by SciPy on the host."""
        return multivariate_normal.cdf(
            x, self.mean, self.cov, self.allow_singular, lower_limit=lower_limit, rng=rng
        )

    @described("ndarray: The logarithms of the probabilities.", {}, HOST,
               rng=("object", "The generator of SciPy's integration."))
    def logcdf(self, x, *, lower_limit=None, rng=None):
        """The logarithm of `cdf`, by SciPy on the host."""
        return np.log(self.cdf(x, lower_limit=lower_limit, rng=rng))

    @described("ndarray: Random points.", {}, COLLECTIVE)
    def rvs(self, size=1, random_state=None):
        """Random points."""
        seed = self.random_state if random_state is None else random_state
        return _drawn(self.mean, self._spread, size, seed)

    @described("float: The entropy.", {})
    def entropy(self):
        """The differential entropy."""
        return multivariate_normal.entropy(self.mean, self.cov)


multivariate_normal = MultivariateNormal()
