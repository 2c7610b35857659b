"""Distributions of whole numbers."""


import phalanx as np

from . import _special as special
from ._distribution import Discrete


def _log_choose(n, k):
    return special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)


def _share(p):
    return (p >= 0) & (p <= 1)


class Binom(Discrete):
    """The binomial distribution of `n` trials with the probability `p`."""

    shapes = ("n", "p")
    a = 0.0

    def _argcheck(self, n, p):
        return (n >= 0) & (np.floor(n) == n) & _share(p)

    def _support(self, n, p):
        return 0.0, n

    def _logpmf(self, k, n, p):
        return _log_choose(n, k) + special.xlogy(k, p) + special.xlog1py(n - k, -p)

    def _cdf(self, k, n, p):
        inside = (k >= 0) & (k < n)
        k = np.where(inside, k, 0.0)
        found = special.betainc(np.maximum(n - k, 1.0), k + 1, 1 - p)
        return np.where(inside, found, np.where(p == 0, 1.0, found))

    def _sf(self, k, n, p):
        inside = (k >= 0) & (k < n)
        k = np.where(inside, k, 0.0)
        return special.betainc(k + 1, np.maximum(n - k, 1.0), p)

    def _stats(self, n, p):
        q = 1.0 - p
        variance = n * p * q
        return n * p, variance, (q - p) / np.sqrt(variance), (1.0 - 6 * p * q) / variance

    def _rvs(self, draw, shape, n, p):
        return draw.binomial(n.astype(np.int64), p, shape)


class Bernoulli(Discrete):
    """The distribution of 1 with the probability `p`, and 0."""

    shapes = ("p",)
    a, b = 0.0, 1.0

    def _argcheck(self, p):
        return _share(p)

    def _pmf(self, k, p):
        return np.where(k == 0, 1 - p, p)

    def _cdf(self, k, p):
        return np.where(k >= 1, 1.0, 1 - p)

    def _sf(self, k, p):
        return np.where(k >= 1, 0.0, p)

    def _ppf(self, q, p):
        return np.where(q > 1 - p, 1.0, 0.0)

    def _isf(self, q, p):
        return np.where(q < p, 1.0, 0.0)

    def _stats(self, p):
        return binom._stats(np.ones_like(p), p)

    def _entropy(self, p):
        return -special.xlogy(p, p) - special.xlogy(1 - p, 1 - p)

    def _rvs(self, draw, shape, p):
        return (draw.random(shape) < p).astype(np.float64)


class Poisson(Discrete):
    """Poisson's distribution of the mean `mu`."""

    shapes = ("mu",)
    a = 0.0

    def _argcheck(self, mu):
        return mu >= 0

    def _logpmf(self, k, mu):
        return special.xlogy(k, mu) - special.gammaln(k + 1) - mu

    def _cdf(self, k, mu):
        return special.gammaincc(np.maximum(k, 0.0) + 1, mu)

    def _sf(self, k, mu):
        return special.gammainc(np.maximum(k, 0.0) + 1, mu)

    def _stats(self, mu):
        return mu, mu, np.where(mu > 0, 1 / np.sqrt(mu), np.inf), np.where(mu > 0, 1 / mu, np.inf)

    def _rvs(self, draw, shape, mu):
        return draw.poisson(mu, shape)


class Geom(Discrete):
    """The number of trials up to the first success of the probability `p`."""

    shapes = ("p",)
    a = 1.0

    def _argcheck(self, p):
        return (p > 0) & (p <= 1)

    def _logpmf(self, k, p):
        return special.xlog1py(k - 1, -p) + np.log(p)

    def _cdf(self, k, p):
        return -np.expm1(special.xlog1py(np.floor(k), -p))

    def _sf(self, k, p):
        return np.exp(special.xlog1py(np.floor(k), -p))

    def _logsf(self, k, p):
        return special.xlog1py(np.floor(k), -p)

    def _ppf(self, q, p):
        guess = np.ceil(np.log1p(-q) / np.log1p(-p))
        before = self._cdf(guess - 1, p)
        return np.where((before >= q) & (guess > 0), guess - 1, guess)

    def _isf(self, q, p):
        return self._ppf(1 - q, p)

    def _stats(self, p):
        q = 1.0 - p
        return 1.0 / p, q / p / p, (2.0 - p) / np.sqrt(q), 6 + p * p / q

    def _entropy(self, p):
        return -np.log(p) - np.log1p(-p) * (1.0 - p) / p

    def _rvs(self, draw, shape, p):
        return draw.geometric(p, shape)


class Nbinom(Discrete):
    """The number of failures before `n` successes of the probability `p`."""

    shapes = ("n", "p")
    a = 0.0

    def _argcheck(self, n, p):
        return (n > 0) & (p > 0) & (p <= 1)

    def _logpmf(self, k, n, p):
        found = special.gammaln(n + k) - special.gammaln(k + 1) - special.gammaln(n)
        return found + n * np.log(p) + special.xlog1py(k, -p)

    def _cdf(self, k, n, p):
        return special.betainc(n, np.maximum(k, 0.0) + 1, p)

    def _sf(self, k, n, p):
        return special.betaincc(n, np.maximum(k, 0.0) + 1, p)

    def _stats(self, n, p):
        q = 1 - p
        return (n * q / p, n * q / p**2, (1 + q) / np.sqrt(n * q),
                6 / n + p**2 / (n * q))

    def _rvs(self, draw, shape, n, p):
        return draw.negative_binomial(n, p, shape)


class Hypergeom(Discrete):
    """The number of the `n` marked ones of `M` objects among `N` that are drawn."""

    shapes = ("M", "n", "N")

    def _argcheck(self, M, n, N):
        whole = (np.floor(M) == M) & (np.floor(n) == n) & (np.floor(N) == N)
        return whole & (M > 0) & (n >= 0) & (N >= 0) & (n <= M) & (N <= M)

    def _support(self, M, n, N):
        return np.maximum(N - (M - n), 0.0), np.minimum(n, N)

    def _logpmf(self, k, M, n, N):
        found = _log_choose(n, k) + _log_choose(M - n, N - k)
        return found - _log_choose(M, N)

    def _sf(self, k, M, n, N):
        # The complement is drawn, so small tails keep their digits.
        return self._cdf(N - k - 1, M, M - n, N)

    def _stats(self, M, n, N):
        m = M - n
        p = n / M
        mean = N * p
        variance = m * n * N * (M - N) / (M * M * (M - 1))
        skew = (m - n) * (M - 2 * N) / (M - 2.0) * np.sqrt((M - 1.0) / (m * n * N * (M - N)))
        above = M * (M + 1) - 6.0 * N * (M - N) - 6.0 * n * m
        above = above * (M - 1) * M * M + 6.0 * n * N * (M - N) * m * (5.0 * M - 6)
        return mean, variance, skew, above / (n * N * (M - N) * m * (M - 2.0) * (M - 3.0))

    def _rvs(self, draw, shape, M, n, N):
        whole = [one.astype(np.int64) for one in (n, M - n, N)]
        return draw.hypergeometric(*whole, shape)


class Randint(Discrete):
    """Whole numbers from `low` to ``high - 1`` with equal probabilities."""

    shapes = ("low", "high")

    def _argcheck(self, low, high):
        return (high > low) & (np.floor(low) == low) & (np.floor(high) == high)

    def _support(self, low, high):
        return low, high - 1

    def _pmf(self, k, low, high):
        return np.broadcast_to(1.0 / (high - low), np.broadcast_shapes(k.shape, low.shape,
                                                                      high.shape))

    def _cdf(self, k, low, high):
        return (np.floor(k) - low + 1.0) / (high - low)

    def _ppf(self, q, low, high):
        value = np.ceil(q * (high - low) + low) - 1
        before = np.clip(value - 1, low, high)
        return np.where(self._cdf(before, low, high) >= q, before, value)

    def _isf(self, q, low, high):
        return self._ppf(1 - q, low, high)

    def _stats(self, low, high):
        d = high - low
        return ((high + low - 1.0) / 2, (d * d - 1) / 12.0, d * 0,
                -6.0 / 5.0 * (d * d + 1.0) / (d * d - 1.0))

    def _entropy(self, low, high):
        return np.log(high - low)

    def _rvs(self, draw, shape, low, high):
        return np.floor(draw.random(shape) * (high - low)) + low


class Planck(Discrete):
    """Planck's distribution: the probabilities fall by ``exp(-lambda_)``."""

    shapes = ("lambda_",)
    a = 0.0

    def _logpmf(self, k, lambda_):
        return np.log(-np.expm1(-lambda_)) - lambda_ * k

    def _cdf(self, k, lambda_):
        return -np.expm1(-lambda_ * (np.floor(k) + 1))

    def _sf(self, k, lambda_):
        return np.exp(-lambda_ * (np.floor(k) + 1))

    def _ppf(self, q, lambda_):
        value = np.ceil(-np.log1p(-q) / lambda_ - 1)
        before = np.maximum(value - 1, 0.0)
        return np.where(self._cdf(before, lambda_) >= q, before, value)

    def _isf(self, q, lambda_):
        return self._ppf(1 - q, lambda_)

    def _stats(self, lambda_):
        mean = 1 / np.expm1(lambda_)
        variance = np.exp(-lambda_) / np.expm1(-lambda_) ** 2
        return mean, variance, 2 * np.cosh(lambda_ / 2.0), 4 + 2 * np.cosh(lambda_)

    def _entropy(self, lambda_):
        c = -np.expm1(-lambda_)
        return lambda_ * np.exp(-lambda_) / c - np.log(c)

    def _rvs(self, draw, shape, lambda_):
        return draw.geometric(-np.expm1(-lambda_), shape) - 1.0


class Dlaplace(Discrete):
    """Laplace's distribution on whole numbers: the probabilities fall by ``exp(-a)``."""

    shapes = ("a",)

    def _pmf(self, k, a):
        return np.tanh(a / 2.0) * np.exp(-a * np.abs(k))

    def _cdf(self, k, a):
        k = np.floor(k)
        scale = np.exp(a) + 1
        return np.where(k >= 0, 1.0 - np.exp(-a * k) / scale, np.exp(a * (k + 1)) / scale)

    def _ppf(self, q, a):
        scale = 1 + np.exp(a)
        value = np.ceil(np.where(q < 1.0 / (1 + np.exp(-a)), np.log(q * scale) / a - 1,
                                 -np.log((1 - q) * scale) / a))
        return np.where(self._cdf(value - 1, a) >= q, value - 1, value)

    def _isf(self, q, a):
        return self._ppf(1 - q, a)

    def _stats(self, a):
        ea = np.exp(a)
        second = 2.0 * ea / (ea - 1.0) ** 2
        fourth = 2.0 * ea * (ea**2 + 10.0 * ea + 1.0) / (ea - 1.0) ** 4
        return a * 0, second, a * 0, fourth / second**2 - 3.0

    def _entropy(self, a):
        return a / np.sinh(a) - np.log(np.tanh(a / 2.0))

    def _rvs(self, draw, shape, a):
        share = -np.expm1(-a)
        return draw.geometric(share, shape) - 1.0 * draw.geometric(share, shape)


class Zipf(Discrete):
    """Zipf's distribution of a power `a`."""

    shapes = ("a",)
    a = 1.0

    def _argcheck(self, a):
        return a > 1

    def _logpmf(self, k, a):
        return -a * np.log(k) - np.log(special.zeta(a, np.ones_like(a)))

    def _sf(self, k, a):
        return special.zeta(a, np.maximum(k, 0.0) + 1) / special.zeta(a, np.ones_like(a))

    def _cdf(self, k, a):
        return 1 - self._sf(k, a)

    def _rvs(self, draw, shape, a):
        return draw.zipf(a, shape)


class Yulesimon(Discrete):
    """The distribution of Yule and Simon of a parameter `alpha`."""

    shapes = ("alpha",)
    a = 1.0

    def _logpmf(self, k, alpha):
        return np.log(alpha) + special.betaln(k, alpha + 1)

    def _logsf(self, k, alpha):
        return np.log(k) + special.betaln(k, alpha + 1)

    def _sf(self, k, alpha):
        return k * np.exp(special.betaln(k, alpha + 1))

    def _cdf(self, k, alpha):
        return 1 - self._sf(k, alpha)

    def _rvs(self, draw, shape, alpha):
        first, second = draw.standard_exponential(shape), draw.standard_exponential(shape)
        return np.ceil(-first / np.log1p(-np.exp(-second / alpha)))


class Boltzmann(Discrete):
    """Planck's distribution of a parameter `lambda_`, below `N`."""

    shapes = ("lambda_", "N")
    a = 0.0

    def _argcheck(self, lambda_, N):
        return (lambda_ > 0) & (N > 0) & (np.floor(N) == N)

    def _support(self, lambda_, N):
        return 0.0, N - 1

    def _pmf(self, k, lambda_, N):
        return np.expm1(-lambda_) / np.expm1(-lambda_ * N) * np.exp(-lambda_ * k)

    def _cdf(self, k, lambda_, N):
        return np.expm1(-lambda_ * (np.floor(k) + 1)) / np.expm1(-lambda_ * N)

    def _ppf(self, q, lambda_, N):
        value = np.ceil(-np.log1p(q * np.expm1(-lambda_ * N)) / lambda_ - 1)
        before = np.maximum(value - 1, 0.0)
        return np.where(self._cdf(before, lambda_, N) >= q, before, value)

    def _isf(self, q, lambda_, N):
        return self._ppf(1 - q, lambda_, N)


class Betabinom(Discrete):
    """The binomial distribution of `n` trials, whose probability is beta distributed."""

    shapes = ("n", "a", "b")
    a, b = 0.0, None

    def _argcheck(self, n, a, b):
        return (n >= 0) & (np.floor(n) == n) & (a > 0) & (b > 0)

    def _support(self, n, a, b):
        return 0.0, n

    def _logpmf(self, k, n, a, b):
        found = -np.log(n + 1) - special.betaln(n - k + 1, k + 1)
        return found + special.betaln(k + a, n - k + b) - special.betaln(a, b)

    def _rvs(self, draw, shape, n, a, b):
        return draw.binomial(n.astype(np.int64), draw.beta(a, b, shape), shape)


_CLASSES = {
    "zipf": Zipf, "yulesimon": Yulesimon, "boltzmann": Boltzmann, "betabinom": Betabinom,
    "binom": Binom, "bernoulli": Bernoulli, "poisson": Poisson, "geom": Geom, "nbinom": Nbinom,
    "hypergeom": Hypergeom, "randint": Randint, "planck": Planck, "dlaplace": Dlaplace,
}
for _name, _class in _CLASSES.items():
    _class.name = _name
    globals()[_name] = _class()
binom = globals()["binom"]

