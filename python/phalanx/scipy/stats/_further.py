"""Further continuous distributions. Descriptions without a formula here are SciPy's, on the host
for few parameters."""

import math

import phalanx as np

from . import _special as special
from ._continuous import _LOG_ROOT, EULER, _gamma
from ._distribution import Continuous


class Levy(Continuous):
    """Levy's distribution."""

    a = 0.0

    def _pdf(self, x):
        found = 1 / np.sqrt(2 * math.pi * x) / x * np.exp(-1 / (2 * x))
        return np.where(x > 0, found, 0.0)

    def _cdf(self, x):
        return 2 * special.ndtr(-1 / np.sqrt(x))

    def _sf(self, x):
        return special.erf(1 / np.sqrt(2 * x))

    def _ppf(self, q):
        return 1.0 / special.ndtri(q / 2) ** 2

    def _isf(self, q):
        return 0.5 / special.erfinv(q) ** 2

    def _stats(self):
        return math.inf, math.inf, math.nan, math.nan

    def _entropy(self):
        return (1 + 3 * EULER + math.log(16 * math.pi)) / 2


class LevyL(Continuous):
    """The distribution of minus a number with Levy's distribution."""

    b = 0.0

    def _pdf(self, x):
        return Levy._pdf(self, -x)

    def _cdf(self, x):
        return special.erf(1 / np.sqrt(-2 * x))

    def _sf(self, x):
        return 2 * special.ndtr(-1 / np.sqrt(-x))

    def _ppf(self, q):
        return -0.5 / special.erfinv(q) ** 2

    def _isf(self, q):
        return -1.0 / special.ndtri(q / 2) ** 2

    def _stats(self):
        return math.inf, math.inf, math.nan, math.nan

    def _entropy(self):
        return Levy._entropy(self)


class Dweibull(Continuous):
    """Weibull's distribution of a shape `c`, on both sides."""

    shapes = ("c",)

    def _logpdf(self, x, c):
        size = np.abs(x)
        return np.log(c) - math.log(2) + special.xlogy(c - 1.0, size) - size**c

    def _cdf(self, x, c):
        tail = 0.5 * np.exp(-(np.abs(x) ** c))
        return np.where(x > 0, 1 - tail, tail)

    def _sf(self, x, c):
        return self._cdf(-x, c)

    def _ppf(self, q, c):
        size = (-np.log(2.0 * np.where(q <= 0.5, q, 1.0 - q))) ** (1.0 / c)
        return np.where(q > 0.5, size, -size)

    def _isf(self, q, c):
        return -self._ppf(q, c)

    def _stats(self, c):
        second = _gamma(1.0 + 2 / c)
        return c * 0, second, c * 0, _gamma(1.0 + 4 / c) / second**2 - 3


class Dgamma(Continuous):
    """The gamma distribution of a shape `a`, on both sides."""

    shapes = ("a",)

    def _logpdf(self, x, a):
        size = np.abs(x)
        return special.xlogy(a - 1.0, size) - size - math.log(2) - special.gammaln(a)

    def _cdf(self, x, a):
        tail = 0.5 * special.gammaincc(a, np.abs(x))
        return np.where(x > 0, 0.5 + 0.5 * special.gammainc(a, np.abs(x)), tail)

    def _sf(self, x, a):
        return self._cdf(-x, a)

    def _ppf(self, q, a):
        low = -special.gammainccinv(a, 2 * q)
        return np.where(q > 0.5, special.gammaincinv(a, 2 * q - 1), low)

    def _isf(self, q, a):
        return -self._ppf(q, a)

    def _stats(self, a):
        second = a * (a + 1.0)
        return a * 0, second, a * 0, (a + 2.0) * (a + 3.0) / second - 3.0


class Genlogistic(Continuous):
    """The generalized logistic distribution of a shape `c`."""

    shapes = ("c",)

    def _logpdf(self, x, c):
        size = np.abs(x)
        return np.log(c) - np.where(x < 0, c - 1, 0.0) * size - size - (c + 1) * np.log1p(
            np.exp(-size)
        )

    def _logcdf(self, x, c):
        return -c * (np.maximum(-x, 0.0) + np.log1p(np.exp(-np.abs(x))))

    def _cdf(self, x, c):
        return np.exp(self._logcdf(x, c))

    def _sf(self, x, c):
        return -np.expm1(self._logcdf(x, c))

    def _ppf(self, q, c):
        return -np.log(np.expm1(-np.log(q) / c))

    def _isf(self, q, c):
        return -np.log(np.expm1(-np.log1p(-q) / c))


class Johnsonsu(Continuous):
    """Johnson's distribution without limits, of shapes `a` and `b`."""

    shapes = ("a", "b")
    a, b = -math.inf, math.inf

    def _argcheck(self, a, b):
        return (b > 0) & (a == a)

    def _pdf(self, x, a, b):
        z = a + b * np.arcsinh(x)
        return b / np.sqrt(x * x + 1) * np.exp(-z * z / 2 - _LOG_ROOT)

    def _cdf(self, x, a, b):
        return special.ndtr(a + b * np.arcsinh(x))

    def _sf(self, x, a, b):
        return special.ndtr(-a - b * np.arcsinh(x))

    def _ppf(self, q, a, b):
        return np.sinh((special.ndtri(q) - a) / b)

    def _isf(self, q, a, b):
        return np.sinh((-special.ndtri(q) - a) / b)


class Johnsonsb(Continuous):
    """Johnson's distribution from 0 to 1, of shapes `a` and `b`."""

    shapes = ("a", "b")
    a, b = 0.0, 1.0

    def _argcheck(self, a, b):
        return (b > 0) & (a == a)

    def _logit(self, x):
        return np.log(x) - np.log1p(-x)

    def _pdf(self, x, a, b):
        z = a + b * self._logit(x)
        found = b / (x * (1 - x)) * np.exp(-z * z / 2 - _LOG_ROOT)
        return np.where((x > 0) & (x < 1), found, 0.0)

    def _cdf(self, x, a, b):
        return special.ndtr(a + b * self._logit(x))

    def _sf(self, x, a, b):
        return special.ndtr(-a - b * self._logit(x))

    def _ppf(self, q, a, b):
        return 1 / (1 + np.exp(-(special.ndtri(q) - a) / b))

    def _isf(self, q, a, b):
        return 1 / (1 + np.exp((special.ndtri(q) + a) / b))


class Moyal(Continuous):
    """Moyal's distribution of losses of energy."""

    def _logpdf(self, x):
        return -(x + np.exp(-x)) / 2 - _LOG_ROOT

    def _cdf(self, x):
        return 2 * special.ndtr(-np.exp(-x / 2))

    def _sf(self, x):
        return special.erf(np.exp(-x / 2) / math.sqrt(2))

    def _ppf(self, q):
        return -2 * np.log(-special.ndtri(q / 2))

    def _isf(self, q):
        return -2 * np.log(math.sqrt(2) * special.erfinv(q))


class Betaprime(Continuous):
    """The beta distribution of the second kind, of shapes `a` and `b`."""

    shapes = ("a", "b")
    a, b = 0.0, math.inf

    def _logpdf(self, x, a, b):
        powers = special.xlogy(a - 1.0, x) - special.xlog1py(a + b, x)
        return powers - special.betaln(a, b)

    def _cdf(self, x, a, b):
        return np.where(x > 1, 1 - special.betainc(b, a, 1 / (1 + x)),
                        special.betainc(a, b, x / (1 + x)))

    def _sf(self, x, a, b):
        return special.betainc(b, a, 1 / (1 + x))

    def _ppf(self, q, a, b):
        low = special.betaincinv(a, b, q)
        high = special.betaincinv(b, a, 1 - q)
        return np.where(low > 0.9, (1 - high) / high, low / (1 - low))

    def _isf(self, q, a, b):
        z = special.betaincinv(b, a, q)
        return (1 - z) / z


class Burr(Continuous):
    """Burr's distribution of type III, of shapes `c` and `d`."""

    shapes = ("c", "d")
    a = 0.0

    def _logpdf(self, x, c, d):
        low = special.xlogy(c * d - 1, x) - (d + 1) * np.log1p(x**c)
        high = special.xlogy(-c - 1, x) - special.xlog1py(d + 1, x**-c)
        return np.log(c) + np.log(d) + np.where(x < 1, low, high)

    def _logcdf(self, x, c, d):
        return -d * np.log1p(x**-c)

    def _cdf(self, x, c, d):
        return np.exp(self._logcdf(x, c, d))

    def _sf(self, x, c, d):
        return -np.expm1(self._logcdf(x, c, d))

    def _ppf(self, q, c, d):
        return np.expm1(-np.log(q) / d) ** (-1.0 / c)

    def _isf(self, q, c, d):
        return np.expm1(-np.log1p(-q) / d) ** (-1.0 / c)


class Burr12(Continuous):
    """Burr's distribution of type XII, of shapes `c` and `d`."""

    shapes = ("c", "d")
    a = 0.0

    def _logpdf(self, x, c, d):
        return np.log(c) + np.log(d) + special.xlogy(c - 1, x) + special.xlog1py(-d - 1, x**c)

    def _logsf(self, x, c, d):
        return -d * np.log1p(x**c)

    def _cdf(self, x, c, d):
        return -np.expm1(self._logsf(x, c, d))

    def _sf(self, x, c, d):
        return np.exp(self._logsf(x, c, d))

    def _ppf(self, q, c, d):
        return np.expm1(-np.log1p(-q) / d) ** (1 / c)

    def _isf(self, q, c, d):
        return np.expm1(-np.log(q) / d) ** (1 / c)


class Invweibull(Continuous):
    """The distribution of the inverse of a number with Weibull's, of a shape `c`."""

    shapes = ("c",)
    a = 0.0

    def _pdf(self, x, c):
        return np.where(x > 0, np.exp(np.log(c) - (c + 1) * np.log(x) - x**-c), 0.0)

    def _cdf(self, x, c):
        return np.exp(-(x**-c))

    def _sf(self, x, c):
        return -np.expm1(-(x**-c))

    def _ppf(self, q, c):
        return (-np.log(q)) ** (-1.0 / c)

    def _isf(self, q, c):
        return (-np.log1p(-q)) ** (-1 / c)

    def _entropy(self, c):
        return 1 + EULER + EULER / c - np.log(c)


class Exponweib(Continuous):
    """A power of Weibull's distribution function, of shapes `a` and `c`."""

    shapes = ("a", "c")
    a = 0.0

    def _logpdf(self, x, a, c):
        share = -np.expm1(-(x**c))
        found = special.xlogy(a - 1.0, share) - x**c + special.xlogy(c - 1.0, x)
        return np.log(a) + np.log(c) + found

    def _cdf(self, x, a, c):
        return (-np.expm1(-(x**c))) ** a

    def _sf(self, x, a, c):
        return -np.expm1(a * np.log1p(-np.exp(-(x**c))))

    def _ppf(self, q, a, c):
        return (-np.log1p(-(q ** (1.0 / a)))) ** (1.0 / c)

    def _isf(self, q, a, c):
        return (-np.log(-np.expm1(np.log1p(-q) / a))) ** (1 / c)


class Exponpow(Continuous):
    """The exponential power distribution of a shape `b`."""

    shapes = ("b",)
    a, b = 0.0, math.inf

    def _logpdf(self, x, b):
        power = x**b
        return 1 + np.log(b) + special.xlogy(b - 1.0, x) + power - np.exp(power)

    def _cdf(self, x, b):
        return -np.expm1(-np.expm1(x**b))

    def _sf(self, x, b):
        return np.exp(-np.expm1(x**b))

    def _ppf(self, q, b):
        return np.log1p(-np.log1p(-q)) ** (1.0 / b)

    def _isf(self, q, b):
        return np.log1p(-np.log(q)) ** (1.0 / b)


class Gengamma(Continuous):
    """The distribution of a power ``1 / c`` of a gamma distributed number of a shape `a`."""

    shapes = ("a", "c")
    a = 0.0

    def _argcheck(self, a, c):
        return (a > 0) & (c != 0)

    def _logpdf(self, x, a, c):
        found = np.log(np.abs(c)) + special.xlogy(c * a - 1, x) - x**c - special.gammaln(a)
        return np.where((x > 0) | (c > 0), found, -np.inf)

    def _cdf(self, x, a, c):
        power = x**c
        return np.where(c > 0, special.gammainc(a, power), special.gammaincc(a, power))

    def _sf(self, x, a, c):
        power = x**c
        return np.where(c > 0, special.gammaincc(a, power), special.gammainc(a, power))

    def _ppf(self, q, a, c):
        found = np.where(c > 0, special.gammaincinv(a, q), special.gammainccinv(a, q))
        return found ** (1.0 / c)

    def _isf(self, q, a, c):
        found = np.where(c > 0, special.gammainccinv(a, q), special.gammaincinv(a, q))
        return found ** (1.0 / c)


class Truncexpon(Continuous):
    """The exponential distribution up to a limit `b`."""

    shapes = ("b",)
    a, b = 0.0, math.inf

    def _support(self, b):
        return 0.0, b

    def _logpdf(self, x, b):
        return -x - np.log(-np.expm1(-b))

    def _cdf(self, x, b):
        return np.expm1(-x) / np.expm1(-b)

    def _sf(self, x, b):
        return (np.exp(-b) - np.exp(-x)) / np.expm1(-b)

    def _ppf(self, q, b):
        return -np.log1p(q * np.expm1(-b))

    def _isf(self, q, b):
        return -np.log(np.exp(-b) - q * np.expm1(-b))


class Semicircular(Continuous):
    """The distribution whose density is half a circle."""

    a, b = -1.0, 1.0

    def _pdf(self, x):
        return 2.0 / math.pi * np.sqrt(1 - x * x)

    def _cdf(self, x):
        return 0.5 + 1.0 / math.pi * (x * np.sqrt(1 - x * x) + np.arcsin(x))

    def _ppf(self, q):
        half = np.full_like(q, 1.5)
        return 2 * special.betaincinv(half, half, q) - 1

    def _stats(self):
        return 0.0, 0.25, 0.0, -1.0


class Rdist(Continuous):
    """The beta distribution of two shapes ``c / 2``, from -1 to 1."""

    shapes = ("c",)
    a, b = -1.0, 1.0

    def _logpdf(self, x, c):
        half = c / 2
        powers = special.xlog1py(half - 1, -x) + special.xlog1py(half - 1, x)
        return powers - math.log(2) * (c - 1) - special.betaln(half, half)

    def _cdf(self, x, c):
        return special.betainc(c / 2, c / 2, (x + 1) / 2)

    def _sf(self, x, c):
        return special.betainc(c / 2, c / 2, (1 - x) / 2)

    def _ppf(self, q, c):
        return 2 * special.betaincinv(c / 2, c / 2, q) - 1

    def _isf(self, q, c):
        return 1 - 2 * special.betaincinv(c / 2, c / 2, q)


class Anglit(Continuous):
    """The distribution of the density ``cos(2 x)``."""

    a, b = -math.pi / 4, math.pi / 4

    def _pdf(self, x):
        return np.cos(2 * x)

    def _cdf(self, x):
        return np.sin(x + math.pi / 4) ** 2

    def _sf(self, x):
        return np.cos(x + math.pi / 4) ** 2

    def _ppf(self, q):
        return np.arcsin(np.sqrt(q)) - math.pi / 4

    def _entropy(self):
        return 1 - math.log(2)


class Bradford(Continuous):
    """Bradford's distribution of a shape `c`."""

    shapes = ("c",)
    a, b = 0.0, 1.0

    def _pdf(self, x, c):
        return c / (c * x + 1.0) / np.log1p(c)

    def _cdf(self, x, c):
        return np.log1p(c * x) / np.log1p(c)

    def _ppf(self, q, c):
        return np.expm1(q * np.log1p(c)) / c


class Kappa3(Continuous):
    """The kappa distribution of one shape `a`."""

    shapes = ("a",)
    a = 0.0

    def _logpdf(self, x, a):
        return np.log(a) - (a + 1) / a * np.log(a + x**a)

    def _cdf(self, x, a):
        return x * (a + x**a) ** (-1.0 / a)

    def _sf(self, x, a):
        return -np.expm1(-np.log1p(a * x**-a) / a)

    def _ppf(self, q, a):
        return (a / np.expm1(-a * np.log(q))) ** (1.0 / a)

    def _isf(self, q, a):
        return (a / np.expm1(-a * np.log1p(-q))) ** (1 / a)


class Loggamma(Continuous):
    """The distribution of the logarithm of a gamma distributed number of a shape `c`."""

    shapes = ("c",)

    def _logpdf(self, x, c):
        return c * x - np.exp(x) - special.gammaln(c)

    def _cdf(self, x, c):
        return special.gammainc(c, np.exp(x))

    def _sf(self, x, c):
        return special.gammaincc(c, np.exp(x))

    def _ppf(self, q, c):
        return np.log(special.gammaincinv(c, q))

    def _isf(self, q, c):
        return np.log(special.gammainccinv(c, q))


class Loglaplace(Continuous):
    """The distribution whose logarithm has Laplace's, of a shape `c`."""

    shapes = ("c",)
    a = 0.0

    def _pdf(self, x, c):
        return c / 2 * x ** (np.where(x < 1, c, -c) - 1)

    def _cdf(self, x, c):
        return np.where(x < 1, 0.5 * x**c, 1 - 0.5 * x**-c)

    def _sf(self, x, c):
        return np.where(x < 1, 1 - 0.5 * x**c, 0.5 * x**-c)

    def _ppf(self, q, c):
        return np.where(q < 0.5, (2.0 * q) ** (1.0 / c), (2 * (1.0 - q)) ** (-1.0 / c))

    def _isf(self, q, c):
        return np.where(q > 0.5, (2.0 * (1.0 - q)) ** (1.0 / c), (2 * q) ** (-1.0 / c))

    def _entropy(self, c):
        return np.log(2.0 / c) + 1.0


class Powernorm(Continuous):
    """The distribution whose survival function is a power `c` of the normal one's."""

    shapes = ("c",)

    def _logpdf(self, x, c):
        return np.log(c) - x * x / 2 - _LOG_ROOT + (c - 1) * special.log_ndtr(-x)

    def _logsf(self, x, c):
        return c * special.log_ndtr(-x)

    def _sf(self, x, c):
        return np.exp(self._logsf(x, c))

    def _cdf(self, x, c):
        return -np.expm1(self._logsf(x, c))

    def _ppf(self, q, c):
        return -special.ndtri((1.0 - q) ** (1.0 / c))

    def _isf(self, q, c):
        return -special.ndtri(q ** (1.0 / c))


class Fatiguelife(Continuous):
    """The distribution of Birnbaum and Saunders of a shape `c`."""

    shapes = ("c",)
    a = 0.0

    def _logpdf(self, x, c):
        found = np.log1p(x) - (x - 1) ** 2 / (2.0 * x * c**2) - np.log(2 * c) - _LOG_ROOT
        return np.where(x > 0, found - 1.5 * np.log(x), -np.inf)

    def _cdf(self, x, c):
        return special.ndtr((np.sqrt(x) - 1.0 / np.sqrt(x)) / c)

    def _sf(self, x, c):
        return special.ndtr((1.0 / np.sqrt(x) - np.sqrt(x)) / c)

    def _ppf(self, q, c):
        return self._at_normal(c * special.ndtri(q))

    def _isf(self, q, c):
        return self._at_normal(-c * special.ndtri(q))

    def _at_normal(self, z):
        return 0.25 * (z + np.sqrt(z**2 + 4)) ** 2


class Halfgennorm(Continuous):
    """The distribution whose density on the positive side is ``exp(-x ** beta)``."""

    shapes = ("beta",)
    a = 0.0

    def _logpdf(self, x, beta):
        return np.log(beta) - special.gammaln(1.0 / beta) - x**beta

    def _cdf(self, x, beta):
        return special.gammainc(1.0 / beta, x**beta)

    def _sf(self, x, beta):
        return special.gammaincc(1.0 / beta, x**beta)

    def _ppf(self, q, beta):
        return special.gammaincinv(1.0 / beta, q) ** (1.0 / beta)

    def _isf(self, q, beta):
        return special.gammainccinv(1.0 / beta, q) ** (1.0 / beta)

    def _entropy(self, beta):
        return 1.0 / beta - np.log(beta) + special.gammaln(1.0 / beta)


class LaplaceAsymmetric(Continuous):
    """Laplace's distribution with different slopes, of a shape `kappa`."""

    shapes = ("kappa",)

    def _logpdf(self, x, kappa):
        return x * np.where(x >= 0, -kappa, 1 / kappa) - np.log(kappa + 1 / kappa)

    def _cdf(self, x, kappa):
        inverse = 1 / kappa
        high = 1 - np.exp(-x * kappa) * (inverse / (kappa + inverse))
        return np.where(x >= 0, high, np.exp(x * inverse) * (kappa / (kappa + inverse)))

    def _sf(self, x, kappa):
        inverse = 1 / kappa
        low = 1 - np.exp(x * inverse) * (kappa / (kappa + inverse))
        return np.where(x >= 0, np.exp(-x * kappa) * (inverse / (kappa + inverse)), low)

    def _ppf(self, q, kappa):
        inverse = 1 / kappa
        both = kappa + inverse
        high = -np.log((1 - q) * both * kappa) * inverse
        return np.where(q >= kappa / both, high, np.log(q * both / kappa) * kappa)

    def _isf(self, q, kappa):
        inverse = 1 / kappa
        both = kappa + inverse
        high = -np.log(q * both * kappa) * inverse
        return np.where(q <= inverse / both, high, np.log((1 - q) * both / kappa) * kappa)


class Mielke(Continuous):
    """Mielke's distribution of shapes `k` and `s`."""

    shapes = ("k", "s")
    a = 0.0

    def _logpdf(self, x, k, s):
        low = special.xlogy(k - 1.0, x) - np.log1p(x**s) * (1 + k / s)
        high = special.xlogy(-s - 1.0, x) - np.log1p(x**-s) * (1 + k / s)
        return np.log(k) + np.where(x < 1, low, high)

    def _logcdf(self, x, k, s):
        return -np.log1p(x**-s) * (k / s)

    def _cdf(self, x, k, s):
        return np.exp(self._logcdf(x, k, s))

    def _sf(self, x, k, s):
        return -np.expm1(self._logcdf(x, k, s))

    def _ppf(self, q, k, s):
        return np.expm1(-np.log(q) * s / k) ** (-1.0 / s)

    def _isf(self, q, k, s):
        return np.expm1(-np.log1p(-q) * s / k) ** (-1.0 / s)


_CLASSES = {
    "levy": Levy, "levy_l": LevyL, "dweibull": Dweibull, "dgamma": Dgamma,
    "genlogistic": Genlogistic, "johnsonsu": Johnsonsu, "johnsonsb": Johnsonsb, "moyal": Moyal,
    "betaprime": Betaprime, "burr": Burr, "burr12": Burr12, "invweibull": Invweibull,
    "exponweib": Exponweib, "exponpow": Exponpow, "gengamma": Gengamma,
    "truncexpon": Truncexpon, "semicircular": Semicircular, "rdist": Rdist, "anglit": Anglit,
    "bradford": Bradford, "kappa3": Kappa3, "loggamma": Loggamma, "loglaplace": Loglaplace,
    "powernorm": Powernorm, "fatiguelife": Fatiguelife, "halfgennorm": Halfgennorm,
    "laplace_asymmetric": LaplaceAsymmetric, "mielke": Mielke,
}
for _name, _class in _CLASSES.items():
    _class.name = _name
    globals()[_name] = _class()
