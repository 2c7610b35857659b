"""Continuous distributions whose functions are elementary."""

import math

import phalanx as np

from . import _special as special
from ._continuous import EULER, ZETA3, _gamma
from ._distribution import Continuous


class Uniform(Continuous):
    """The uniform distribution from `loc` to ``loc + scale``."""

    a, b = 0.0, 1.0

    def _pdf(self, x):
        return np.ones_like(x)

    def _logpdf(self, x):
        return np.zeros_like(x)

    def _cdf(self, x):
        return x

    def _ppf(self, q):
        return q

    def _stats(self):
        return 0.5, 1.0 / 12, 0.0, -1.2

    def _entropy(self):
        return 0.0

    def _rvs(self, draw, shape):
        return draw.random(shape)

    def _closed(self, data, fixed):
        least, most = float(data.min()), float(data.max())
        if 0 in fixed:
            return fixed[0], most - fixed[0]
        if 1 in fixed:
            return least - 0.5 * (fixed[1] - (most - least)), fixed[1]
        return least, most - least


class Expon(Continuous):
    """The exponential distribution."""

    a = 0.0

    def _logpdf(self, x):
        return -x

    def _cdf(self, x):
        return -np.expm1(-x)

    def _sf(self, x):
        return np.exp(-x)

    def _logsf(self, x):
        return -x

    def _ppf(self, q):
        return -np.log1p(-q)

    def _isf(self, q):
        return -np.log(q)

    def _stats(self):
        return 1.0, 1.0, 2.0, 6.0

    def _entropy(self):
        return 1.0

    def _rvs(self, draw, shape):
        return draw.standard_exponential(shape)

    def _closed(self, data, fixed):
        loc = fixed.get(0)
        loc = float(data.min()) if loc is None else loc
        return loc, fixed[1] if 1 in fixed else float(data.mean()) - loc


class Laplace(Continuous):
    """Laplace's distribution, exponential on both sides."""

    def _logpdf(self, x):
        return -np.abs(x) - math.log(2)

    def _cdf(self, x):
        return np.where(x > 0, 1.0 - 0.5 * np.exp(-x), 0.5 * np.exp(x))

    def _sf(self, x):
        return self._cdf(-x)

    def _ppf(self, q):
        return np.where(q > 0.5, -np.log(2 * (1 - q)), np.log(2 * q))

    def _isf(self, q):
        return -self._ppf(q)

    def _stats(self):
        return 0.0, 2.0, 0.0, 3.0

    def _entropy(self):
        return math.log(2) + 1

    def _rvs(self, draw, shape):
        return draw.laplace(0.0, 1.0, shape)

    def _closed(self, data, fixed):
        loc = fixed[0] if 0 in fixed else float(np.median(data))
        return loc, fixed[1] if 1 in fixed else float(np.abs(data - loc).mean())


class Logistic(Continuous):
    """The logistic distribution."""

    def _logpdf(self, x):
        y = -np.abs(x)
        return y - 2.0 * np.log1p(np.exp(y))

    def _cdf(self, x):
        small = np.exp(-np.abs(x))
        return np.where(x >= 0, 1.0, small) / (1.0 + small)

    def _sf(self, x):
        return self._cdf(-x)

    def _logcdf(self, x):
        return np.minimum(x, 0.0) - np.log1p(np.exp(-np.abs(x)))

    def _logsf(self, x):
        return self._logcdf(-x)

    def _ppf(self, q):
        return np.log(q) - np.log1p(-q)

    def _isf(self, q):
        return -self._ppf(q)

    def _stats(self):
        return 0.0, math.pi**2 / 3.0, 0.0, 1.2

    def _entropy(self):
        return 2.0

    def _rvs(self, draw, shape):
        return draw.logistic(0.0, 1.0, shape)


class Cauchy(Continuous):
    """Cauchy's distribution."""

    def _pdf(self, x):
        return 1.0 / math.pi / (1.0 + x * x)

    def _cdf(self, x):
        return np.arctan2(np.ones_like(x), -x) / math.pi

    def _sf(self, x):
        return np.arctan2(np.ones_like(x), x) / math.pi

    def _ppf(self, q):
        return -1 / np.tan(math.pi * q)

    def _isf(self, q):
        return 1 / np.tan(math.pi * q)

    def _stats(self):
        return math.nan, math.nan, math.nan, math.nan

    def _entropy(self):
        return math.log(4 * math.pi)

    def _rvs(self, draw, shape):
        return draw.standard_cauchy(shape)


class Halfcauchy(Continuous):
    """The distribution of the size of a number with Cauchy's distribution."""

    a = 0.0

    def _logpdf(self, x):
        return math.log(2.0 / math.pi) - np.log1p(x * x)

    def _cdf(self, x):
        return 2.0 / math.pi * np.arctan(x)

    def _sf(self, x):
        return 2.0 / math.pi * np.arctan2(np.ones_like(x), x)

    def _ppf(self, q):
        return np.tan(math.pi / 2 * q)

    def _isf(self, q):
        return 1.0 / np.tan(math.pi * q / 2)

    def _stats(self):
        return math.inf, math.inf, math.nan, math.nan

    def _entropy(self):
        return math.log(2 * math.pi)


class Halflogistic(Continuous):
    """The distribution of the size of a number with the logistic distribution."""

    a = 0.0

    def _logpdf(self, x):
        return math.log(2) - x - 2.0 * np.log1p(np.exp(-x))

    def _cdf(self, x):
        return np.tanh(x / 2.0)

    def _sf(self, x):
        small = np.exp(-x)
        return 2 * small / (1 + small)

    def _ppf(self, q):
        return 2 * np.arctanh(q)

    def _isf(self, q):
        return np.where(q < 0.5, np.log(2 - q) - np.log(q), 2 * np.arctanh(1 - q))

    def _stats(self):
        mean = 2 * math.log(2)
        second, third = math.pi**2 / 3, 9 * ZETA3
        fourth = 7 * math.pi**4 / 15
        return _described_by_moments(mean, second, third, fourth)

    def _entropy(self):
        return 2 - math.log(2)


def _described_by_moments(first, second, third, fourth):
    """Mean, variance, skewness and excess kurtosis from moments about zero."""
    variance = second - first**2
    skew = (third - 3 * first * second + 2 * first**3) / variance**1.5
    central = fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4
    return first, variance, skew, central / variance**2 - 3


class Hypsecant(Continuous):
    """The distribution of the hyperbolic secant."""

    def _pdf(self, x):
        return 1.0 / (math.pi * np.cosh(x))

    def _cdf(self, x):
        return 2.0 / math.pi * np.arctan(np.exp(x))

    def _sf(self, x):
        return 2.0 / math.pi * np.arctan(np.exp(-x))

    def _ppf(self, q):
        return np.log(np.tan(math.pi * q / 2.0))

    def _isf(self, q):
        return -np.log(np.tan(math.pi * q / 2.0))

    def _stats(self):
        return 0.0, math.pi**2 / 4, 0.0, 2.0

    def _entropy(self):
        return math.log(2 * math.pi)


class Pareto(Continuous):
    """Pareto's distribution of a shape `b`."""

    shapes = ("b",)
    a = 1.0
    b = math.inf

    def _logpdf(self, x, b):
        return np.log(b) - (b + 1) * np.log(x)

    def _cdf(self, x, b):
        return -np.expm1(-b * np.log(x))

    def _sf(self, x, b):
        return x**-b

    def _ppf(self, q, b):
        return np.exp(-np.log1p(-q) / b)

    def _isf(self, q, b):
        return q ** (-1.0 / b)

    def _stats(self, b):
        mean = np.where(b > 1, b / (b - 1), np.inf)
        variance = np.where(b > 2, b / (b - 2.0) / (b - 1.0) ** 2, np.inf)
        skew = 2 * (b + 1.0) * np.sqrt(b - 2.0) / ((b - 3.0) * np.sqrt(b))
        fourth = 6.0 * (b**3 + b**2 - 6 * b - 2) / (b * (b**2 - 7 * b + 12))
        return mean, variance, np.where(b > 3, skew, np.nan), np.where(b > 4, fourth, np.nan)

    def _entropy(self, b):
        return 1 + 1.0 / b - np.log(b)

    def _rvs(self, draw, shape, b):
        return draw.pareto(b, shape) + 1.0


class Lomax(Continuous):
    """Pareto's distribution of a shape `c`, moved to 0."""

    shapes = ("c",)
    a = 0.0

    def _logpdf(self, x, c):
        return np.log(c) - (c + 1) * np.log1p(x)

    def _cdf(self, x, c):
        return -np.expm1(-c * np.log1p(x))

    def _sf(self, x, c):
        return np.exp(-c * np.log1p(x))

    def _logsf(self, x, c):
        return -c * np.log1p(x)

    def _ppf(self, q, c):
        return np.expm1(-np.log1p(-q) / c)

    def _isf(self, q, c):
        return q ** (-1.0 / c) - 1

    def _stats(self, c):
        mean, *rest = pareto._stats(c)
        return (mean - 1.0, *rest)

    def _entropy(self, c):
        return 1 + 1.0 / c - np.log(c)

    def _rvs(self, draw, shape, c):
        return draw.pareto(c, shape)


class Powerlaw(Continuous):
    """The distribution whose density is a power, of a shape `a`."""

    shapes = ("a",)
    a, b = 0.0, 1.0

    def _logpdf(self, x, a):
        return np.log(a) + special.xlogy(a - 1, x)

    def _cdf(self, x, a):
        return x**a

    def _logcdf(self, x, a):
        return a * np.log(x)

    def _ppf(self, q, a):
        return q ** (1.0 / a)

    def _sf(self, x, a):
        return -np.expm1(a * np.log(x))

    def _stats(self, a):
        skew = -2.0 * (a - 1.0) / (a + 3.0) * np.sqrt((a + 2.0) / a)
        kurtosis = 6 * (a**3 - a**2 - 6 * a + 2) / (a * (a + 3.0) * (a + 4))
        return a / (a + 1.0), a / (a + 2.0) / (a + 1.0) ** 2, skew, kurtosis

    def _entropy(self, a):
        return 1 - 1.0 / a - np.log(a)

    def _rvs(self, draw, shape, a):
        return draw.power(a, shape)


class WeibullMin(Continuous):
    """Weibull's distribution of a shape `c`."""

    shapes = ("c",)
    a = 0.0

    def _logpdf(self, x, c):
        return np.log(c) + special.xlogy(c - 1, x) - x**c

    def _cdf(self, x, c):
        return -np.expm1(-(x**c))

    def _sf(self, x, c):
        return np.exp(-(x**c))

    def _logsf(self, x, c):
        return -(x**c)

    def _ppf(self, q, c):
        return (-np.log1p(-q)) ** (1.0 / c)

    def _isf(self, q, c):
        return (-np.log(q)) ** (1 / c)

    def _stats(self, c):
        return _described_by_moments(*(_gamma(1.0 + k / c) for k in (1, 2, 3, 4)))

    def _entropy(self, c):
        return -EULER / c - np.log(c) + EULER + 1

    def _rvs(self, draw, shape, c):
        return draw.weibull(c, shape)


class WeibullMax(Continuous):
    """The distribution of minus a number with Weibull's distribution of a shape `c`."""

    shapes = ("c",)
    b = 0.0

    def _logpdf(self, x, c):
        return weibull_min._logpdf(-x, c)

    def _cdf(self, x, c):
        return weibull_min._sf(-x, c)

    def _sf(self, x, c):
        return weibull_min._cdf(-x, c)

    def _logcdf(self, x, c):
        return -((-x) ** c)

    def _ppf(self, q, c):
        return -weibull_min._isf(q, c)

    def _isf(self, q, c):
        return -weibull_min._ppf(q, c)

    def _stats(self, c):
        mean, variance, skew, kurtosis = weibull_min._stats(c)
        return -mean, variance, -skew, kurtosis

    def _entropy(self, c):
        return weibull_min._entropy(c)

    def _rvs(self, draw, shape, c):
        return -draw.weibull(c, shape)


class Rayleigh(Continuous):
    """Rayleigh's distribution."""

    a = 0.0

    def _logpdf(self, x):
        return np.log(x) - 0.5 * x * x

    def _cdf(self, x):
        return -np.expm1(-0.5 * x**2)

    def _sf(self, x):
        return np.exp(-0.5 * x * x)

    def _logsf(self, x):
        return -0.5 * x * x

    def _ppf(self, q):
        return np.sqrt(-2 * np.log1p(-q))

    def _isf(self, q):
        return np.sqrt(-2 * np.log(q))

    def _stats(self):
        p = 4 - math.pi
        return (math.sqrt(math.pi / 2), p / 2, 2 * (math.pi - 3) * math.sqrt(math.pi) / p**1.5,
                6 * math.pi / p - 16 / p**2)

    def _entropy(self):
        return EULER / 2.0 + 1 - 0.5 * math.log(2)

    def _rvs(self, draw, shape):
        return draw.rayleigh(1.0, shape)


_GUMBEL_SKEW = 12 * math.sqrt(6) / math.pi**3 * ZETA3


class GumbelR(Continuous):
    """Gumbel's distribution of largest values."""

    def _logpdf(self, x):
        return -x - np.exp(-x)

    def _cdf(self, x):
        return np.exp(-np.exp(-x))

    def _logcdf(self, x):
        return -np.exp(-x)

    def _sf(self, x):
        return -np.expm1(-np.exp(-x))

    def _ppf(self, q):
        return -np.log(-np.log(q))

    def _isf(self, q):
        return -np.log(-np.log1p(-q))

    def _stats(self):
        return EULER, math.pi**2 / 6.0, _GUMBEL_SKEW, 12.0 / 5

    def _entropy(self):
        return EULER + 1.0

    def _rvs(self, draw, shape):
        return draw.gumbel(0.0, 1.0, shape)


class GumbelL(Continuous):
    """Gumbel's distribution of least values."""

    def _logpdf(self, x):
        return x - np.exp(x)

    def _cdf(self, x):
        return -np.expm1(-np.exp(x))

    def _sf(self, x):
        return np.exp(-np.exp(x))

    def _logsf(self, x):
        return -np.exp(x)

    def _ppf(self, q):
        return np.log(-np.log1p(-q))

    def _isf(self, q):
        return np.log(-np.log(q))

    def _stats(self):
        return -EULER, math.pi**2 / 6.0, -_GUMBEL_SKEW, 12.0 / 5

    def _entropy(self):
        return EULER + 1.0

    def _rvs(self, draw, shape):
        return -draw.gumbel(0.0, 1.0, shape)


class Genpareto(Continuous):
    """The generalized Pareto distribution of a shape `c`."""

    shapes = ("c",)
    a = 0.0

    def _argcheck(self, c):
        return np.isfinite(c)

    def _support(self, c):
        return 0.0, np.where(c < 0, -1.0 / c, np.inf)

    def _logpdf(self, x, c):
        return np.where(c == 0, -x, special.xlog1py(-(1 + 1 / c), c * x))

    def _logsf(self, x, c):
        return np.where(c == 0, -x, -np.log1p(c * x) / c)

    def _cdf(self, x, c):
        return -np.expm1(self._logsf(x, c))

    def _sf(self, x, c):
        return np.exp(self._logsf(x, c))

    def _ppf(self, q, c):
        return self._of_logarithm(np.log1p(-q), c)

    def _isf(self, q, c):
        return self._of_logarithm(np.log(q), c)

    def _of_logarithm(self, y, c):
        return np.where(c == 0, -y, np.expm1(-c * y) / c)

    def _stats(self, c):
        mean = np.where(c < 1, 1 / (1 - c), np.inf)
        variance = np.where(c < 0.5, 1 / (1 - c) ** 2 / (1 - 2 * c), np.inf)
        skew = np.where(c < 1 / 3, 2 * (1 + c) * np.sqrt(1 - 2 * c) / (1 - 3 * c), np.nan)
        above = 3 * (1 - 2 * c) * (2 * c**2 + c + 3)
        kurtosis = np.where(c < 0.25, above / (1 - 3 * c) / (1 - 4 * c) - 3, np.nan)
        return mean, variance, skew, kurtosis

    def _entropy(self, c):
        return 1.0 + c


class Genextreme(Continuous):
    """The distribution of extreme values of a shape `c`."""

    shapes = ("c",)

    def _argcheck(self, c):
        return np.isfinite(c)

    def _support(self, c):
        return np.where(c < 0, 1.0 / c, -np.inf), np.where(c > 0, 1.0 / c, np.inf)

    def _exponent(self, x, c):
        return np.where(c == 0, -x, np.log1p(-c * x) / c)

    def _logpdf(self, x, c):
        y, product = self._exponent(x, c), c * x
        # SciPy's density at the end of the support.
        end = np.where((product == 1) & (c == 1), 0.0, -np.inf)
        return np.where((product == 1) | (product == -np.inf), end, (1.0 - c) * y - np.exp(y))

    def _logcdf(self, x, c):
        return -np.exp(self._exponent(x, c))

    def _cdf(self, x, c):
        return np.exp(self._logcdf(x, c))

    def _sf(self, x, c):
        return -np.expm1(self._logcdf(x, c))

    def _ppf(self, q, c):
        return self._of_logarithm(-np.log(-np.log(q)), c)

    def _isf(self, q, c):
        return self._of_logarithm(-np.log(-np.log1p(-q)), c)

    def _of_logarithm(self, y, c):
        return np.where(c == 0, y, -np.expm1(-c * y) / c)

    def _stats(self, c):
        g1, g2, g3, g4 = (_gamma(1 + k * c) for k in (1, 2, 3, 4))
        spread = g2 - g1**2
        mean = np.where(c == 0, EULER, (1 - g1) / c)
        variance = np.where(c == 0, math.pi**2 / 6, spread / c**2)
        skew = np.sign(c) * (-g3 + (g2 + 2 * spread) * g1) / spread**1.5
        kurtosis = (g4 + (-4 * g3 + 3 * (g2 + spread) * g1) * g1) / spread**2 - 3
        return (np.where(c < -1, np.nan, mean), np.where(c < -0.5, np.nan, variance),
                np.where(c < -1 / 3, np.nan, np.where(c == 0, _GUMBEL_SKEW, skew)),
                np.where(c < -0.25, np.nan, np.where(c == 0, 2.4, kurtosis)))

    def _entropy(self, c):
        return EULER * (1 - c) + 1

    def _start(self, data):
        return (0.1,)


class Fisk(Continuous):
    """The distribution whose logarithm is logistic, of a shape `c`."""

    shapes = ("c",)
    a = 0.0

    def _logpdf(self, x, c):
        low = special.xlogy(c - 1, x) - 2 * np.log1p(x**c)
        high = -(c + 1) * np.log(x) - 2 * np.log1p(x**-c)
        return np.log(c) + np.where(x < 1, low, high)

    def _cdf(self, x, c):
        return 1.0 / (1.0 + x**-c)

    def _sf(self, x, c):
        return 1.0 / (1.0 + x**c)

    def _logsf(self, x, c):
        return -np.log1p(x**c)

    def _logcdf(self, x, c):
        return -np.log1p(x**-c)

    def _ppf(self, q, c):
        return (q / (1 - q)) ** (1.0 / c)

    def _isf(self, q, c):
        return ((1 - q) / q) ** (1.0 / c)

    def _stats(self, c):
        turns = [k * math.pi / c for k in (1, 2, 3, 4)]
        moments = [np.where(c > k, turn / np.sin(turn), np.nan)
                   for k, turn in zip((1, 2, 3, 4), turns)]
        return _described_by_moments(*moments)

    def _entropy(self, c):
        return 2 - np.log(c)


class Triang(Continuous):
    """The triangular distribution with the peak at `c`."""

    shapes = ("c",)
    a, b = 0.0, 1.0

    def _argcheck(self, c):
        return (c >= 0) & (c <= 1)

    def _pdf(self, x, c):
        low = np.where(c == 0, 2 - 2 * x, 2 * x / c)
        return np.where(x < c, low, np.where(c == 1, 2 * x, 2 * (1 - x) / (1 - c)))

    def _cdf(self, x, c):
        low = np.where(c == 0, 2 * x - x * x, x * x / c)
        high = np.where(c == 1, x * x, (x * x - 2 * x + c) / (c - 1))
        return np.where(x < c, low, high)

    def _ppf(self, q, c):
        return np.where(q < c, np.sqrt(c * q), 1 - np.sqrt((1 - c) * (1 - q)))

    def _stats(self, c):
        skew = math.sqrt(2) * (2 * c - 1) * (c + 1) * (c - 2)
        skew = skew / (5 * (1.0 - c + c * c) ** 1.5)
        return (c + 1.0) / 3.0, (1.0 - c + c * c) / 18, skew, c * 0 - 3.0 / 5.0

    def _entropy(self, c):
        return c * 0 + 0.5 - math.log(2)

    def _rvs(self, draw, shape, c):
        return self._ppf(draw.random(shape), c)

    def _start(self, data):
        return (0.5,)


class Loguniform(Continuous):
    """The distribution whose logarithm is uniform from `a` to `b`."""

    shapes = ("a", "b")

    def _argcheck(self, a, b):
        return (a > 0) & (b > a)

    def _support(self, a, b):
        return a, b

    def _logpdf(self, x, a, b):
        return -np.log(x) - np.log(np.log(b) - np.log(a))

    def _cdf(self, x, a, b):
        return (np.log(x) - np.log(a)) / (np.log(b) - np.log(a))

    def _ppf(self, q, a, b):
        return np.exp(np.log(a) + q * (np.log(b) - np.log(a)))

    def _stats(self, a, b):
        span = np.log(b) - np.log(a)
        return _described_by_moments(*((b**k - a**k) / (k * span) for k in (1, 2, 3, 4)))

    def _entropy(self, a, b):
        return 0.5 * (np.log(a) + np.log(b)) + np.log(np.log(b) - np.log(a))


class Gompertz(Continuous):
    """Gompertz's distribution of a shape `c`."""

    shapes = ("c",)
    a = 0.0

    def _logpdf(self, x, c):
        return np.log(c) + x - c * np.expm1(x)

    def _cdf(self, x, c):
        return -np.expm1(-c * np.expm1(x))

    def _sf(self, x, c):
        return np.exp(-c * np.expm1(x))

    def _logsf(self, x, c):
        return -c * np.expm1(x)

    def _ppf(self, q, c):
        return np.log1p(-1.0 / c * np.log1p(-q))

    def _isf(self, q, c):
        return np.log1p(-np.log(q) / c)


_CLASSES = {
    "uniform": Uniform, "expon": Expon, "laplace": Laplace, "logistic": Logistic,
    "cauchy": Cauchy, "halfcauchy": Halfcauchy, "halflogistic": Halflogistic,
    "hypsecant": Hypsecant, "pareto": Pareto, "lomax": Lomax, "powerlaw": Powerlaw,
    "weibull_min": WeibullMin, "weibull_max": WeibullMax, "rayleigh": Rayleigh,
    "gumbel_r": GumbelR, "gumbel_l": GumbelL, "genpareto": Genpareto, "genextreme": Genextreme,
    "fisk": Fisk, "triang": Triang, "loguniform": Loguniform, "gompertz": Gompertz,
}
for _name, _class in _CLASSES.items():
    _class.name = _name
    globals()[_name] = _class()
reciprocal = loguniform  # noqa: F821
pareto, weibull_min = globals()["pareto"], globals()["weibull_min"]
