"""Continuous distributions: the normal one, and those of gamma and beta functions."""

import math

import phalanx as np

from . import _special as special
from ._distribution import Continuous

_LOG_ROOT = 0.5 * math.log(2 * math.pi)
EULER = 0.5772156649015329
ZETA3 = 1.2020569031595943


def _gamma(x):
    """The gamma function of positive numbers."""
    return np.exp(special.gammaln(x))


class Norm(Continuous):
    """The normal distribution."""

    def _logpdf(self, x):
        return -x * x / 2 - _LOG_ROOT

    def _cdf(self, x):
        return special.ndtr(x)

    def _sf(self, x):
        return special.ndtr(-x)

    def _logcdf(self, x):
        return special.log_ndtr(x)

    def _logsf(self, x):
        return special.log_ndtr(-x)

    def _ppf(self, q):
        return special.ndtri(q)

    def _isf(self, q):
        return -special.ndtri(q)

    def _stats(self):
        return 0.0, 1.0, 0.0, 0.0

    def _entropy(self):
        return _LOG_ROOT + 0.5

    def _rvs(self, draw, shape):
        return draw.standard_normal(shape)

    def _closed(self, data, fixed):
        loc = fixed[0] if 0 in fixed else float(data.mean())
        return loc, fixed[1] if 1 in fixed else math.sqrt(float(((data - loc) ** 2).mean()))


class Gamma(Continuous):
    """The gamma distribution of a shape `a`."""

    shapes = ("a",)
    a = 0.0

    def _logpdf(self, x, a):
        return special.xlogy(a - 1.0, x) - x - special.gammaln(a)

    def _cdf(self, x, a):
        return special.gammainc(a, x)

    def _sf(self, x, a):
        return special.gammaincc(a, x)

    def _ppf(self, q, a):
        return special.gammaincinv(a, q)

    def _isf(self, q, a):
        return special.gammainccinv(a, q)

    def _stats(self, a):
        return a, a, 2.0 / np.sqrt(a), 6.0 / a

    def _entropy(self, a):
        return special.digamma(a) * (1.0 - a) + a + special.gammaln(a)

    def _rvs(self, draw, shape, a):
        return draw.standard_gamma(a, shape)

    def _start(self, data):
        apart = data - data.mean()
        skew = float((apart**3).mean()) / (float((apart**2).mean()) ** 1.5 or 1.0)
        return (4 / (1e-8 + skew**2),)


class Erlang(Gamma):
    """The gamma distribution of a whole shape `a`."""

    def _argcheck(self, a):
        return a > 0


class Chi2(Continuous):
    """The chi-squared distribution of `df` degrees of freedom."""

    shapes = ("df",)
    a = 0.0

    def _logpdf(self, x, df):
        half = df / 2.0
        return special.xlogy(half - 1, x) - x / 2 - special.gammaln(half) - math.log(2) * half

    def _cdf(self, x, df):
        return special.gammainc(df / 2, x / 2)

    def _sf(self, x, df):
        return special.gammaincc(df / 2, x / 2)

    def _ppf(self, q, df):
        return 2 * special.gammaincinv(df / 2, q)

    def _isf(self, q, df):
        return 2 * special.gammainccinv(df / 2, q)

    def _stats(self, df):
        return df, 2 * df, 2 * np.sqrt(2.0 / df), 12.0 / df

    def _entropy(self, df):
        half = df / 2
        return half + math.log(2) + special.gammaln(half) + (1 - half) * special.digamma(half)

    def _rvs(self, draw, shape, df):
        return draw.chisquare(df, shape)


class Chi(Continuous):
    """The chi distribution of `df` degrees of freedom."""

    shapes = ("df",)
    a = 0.0

    def _logpdf(self, x, df):
        constant = math.log(2) - 0.5 * math.log(2) * df - special.gammaln(0.5 * df)
        return constant + special.xlogy(df - 1.0, x) - 0.5 * x**2

    def _cdf(self, x, df):
        return special.gammainc(0.5 * df, 0.5 * x**2)

    def _sf(self, x, df):
        return special.gammaincc(0.5 * df, 0.5 * x**2)

    def _ppf(self, q, df):
        return np.sqrt(2 * special.gammaincinv(0.5 * df, q))

    def _isf(self, q, df):
        return np.sqrt(2 * special.gammainccinv(0.5 * df, q))

    def _stats(self, df):
        mean = math.sqrt(2) * np.exp(special.gammaln(df / 2 + 0.5) - special.gammaln(df / 2))
        variance = df - mean * mean
        skew = (2 * mean**3 + mean * (1 - 2 * df)) / variance**1.5
        fourth = 2 * df * (1 - df) - 6 * mean**4 + 4 * mean**2 * (2 * df - 1)
        return mean, variance, skew, fourth / variance**2

    def _entropy(self, df):
        half = df / 2
        return special.gammaln(half) + 0.5 * (
            df - math.log(2) - (df - 1) * special.digamma(half)
        )

    def _rvs(self, draw, shape, df):
        return np.sqrt(draw.chisquare(df, shape))


class Invgamma(Continuous):
    """The distribution of the inverse of a gamma distributed number of a shape `a`."""

    shapes = ("a",)
    a = 0.0

    def _logpdf(self, x, a):
        return -(a + 1) * np.log(x) - special.gammaln(a) - 1.0 / x

    def _pdf(self, x, a):
        return np.where(x > 0, np.exp(self._logpdf(x, a)), 0.0)

    def _cdf(self, x, a):
        return special.gammaincc(a, 1.0 / x)

    def _sf(self, x, a):
        return special.gammainc(a, 1.0 / x)

    def _ppf(self, q, a):
        return 1.0 / special.gammainccinv(a, q)

    def _isf(self, q, a):
        return 1.0 / special.gammaincinv(a, q)

    def _stats(self, a):
        mean = np.where(a > 1, 1.0 / (a - 1), np.inf)
        variance = np.where(a > 2, 1.0 / (a - 1) ** 2 / (a - 2), np.inf)
        skew = np.where(a > 3, 4.0 * np.sqrt(a - 2.0) / (a - 3.0), np.nan)
        kurtosis = np.where(a > 4, 6.0 * (5.0 * a - 11.0) / (a - 3.0) / (a - 4.0), np.nan)
        return mean, variance, skew, kurtosis

    def _entropy(self, a):
        return a - (a + 1.0) * special.digamma(a) + special.gammaln(a)

    def _rvs(self, draw, shape, a):
        return 1.0 / draw.standard_gamma(a, shape)


class Beta(Continuous):
    """The beta distribution of shapes `a` and `b`."""

    shapes = ("a", "b")
    a, b = 0.0, 1.0

    def _logpdf(self, x, a, b):
        powers = special.xlog1py(b - 1.0, -x) + special.xlogy(a - 1.0, x)
        return powers - special.betaln(a, b)

    def _cdf(self, x, a, b):
        return special.betainc(a, b, x)

    def _sf(self, x, a, b):
        return special.betaincc(a, b, x)

    def _ppf(self, q, a, b):
        return special.betaincinv(a, b, q)

    def _isf(self, q, a, b):
        return special.betainccinv(a, b, q)

    def _stats(self, a, b):
        total = a + b
        skew = 2 * (b - a) * np.sqrt(total + 1) / ((total + 2) * np.sqrt(a * b))
        fourth = 6 * ((a - b) ** 2 * (total + 1) - a * b * (total + 2))
        kurtosis = fourth / (a * b * (total + 2) * (total + 3))
        return a / total, a * b / (total**2 * (total + 1)), skew, kurtosis

    def _entropy(self, a, b):
        found = special.betaln(a, b) - (a - 1) * special.digamma(a)
        found = found - (b - 1) * special.digamma(b)
        return found + (a + b - 2) * special.digamma(a + b)

    def _rvs(self, draw, shape, a, b):
        return draw.beta(a, b, shape)

    def _start(self, data):
        return (2.0, 2.0)


class Arcsine(Continuous):
    """The arcsine distribution."""

    a, b = 0.0, 1.0

    def _pdf(self, x):
        return 1.0 / math.pi / np.sqrt(x * (1 - x))

    def _cdf(self, x):
        return 2.0 / math.pi * np.arcsin(np.sqrt(x))

    def _ppf(self, q):
        return np.sin(math.pi / 2.0 * q) ** 2.0

    def _stats(self):
        return 0.5, 1.0 / 8, 0.0, -1.5

    def _entropy(self):
        return math.log(math.pi / 4)


class T(Continuous):
    """Student's distribution of `df` degrees of freedom."""

    shapes = ("df",)

    def _logpdf(self, x, df):
        constant = special.gammaln((df + 1) / 2) - special.gammaln(df / 2)
        constant = constant - 0.5 * np.log(df * math.pi)
        found = constant - (df + 1) / 2 * np.log1p(x * x / df)
        return np.where(np.isinf(df), -x * x / 2 - _LOG_ROOT, found)

    def _sf(self, x, df):
        return self._cdf(-x, df)

    def _cdf(self, x, df):
        square = x * x
        near = square < df
        # Of the middle up to x, or of a tail.
        part = special.betainc(
            np.where(near, 0.5, df / 2), np.where(near, df / 2, 0.5),
            np.where(near, square, df) / (df + square),
        ) / 2
        low = np.where(near, 0.5 - part, part)
        return np.where(x < 0, low, np.where(near, 0.5 + part, 1 - part))

    def _ppf(self, q, df):
        small = np.minimum(q, 1 - q)
        near = small >= 0.25
        found = special.betaincinv(
            np.where(near, 0.5, df / 2), np.where(near, df / 2, 0.5),
            np.where(near, 1 - 2 * small, 2 * small),
        )
        size = np.where(near, np.sqrt(df * found / (1 - found)), np.sqrt(df * (1 / found - 1)))
        return np.where(q < 0.5, -size, size)

    def _isf(self, q, df):
        return -self._ppf(q, df)

    def _stats(self, df):
        mean = np.where(df > 1, 0.0, np.inf)
        variance = np.where(df > 2, df / (df - 2.0), np.inf)
        variance = np.where(df <= 1, np.nan, np.where(np.isinf(df), 1.0, variance))
        skew = np.where(df > 3, 0.0, np.nan)
        kurtosis = np.where(df > 4, 6.0 / (df - 4.0), np.inf)
        return mean, variance, skew, np.where(df <= 2, np.nan, kurtosis)

    def _entropy(self, df):
        half, upper = df / 2, (df + 1) / 2
        found = upper * (special.digamma(upper) - special.digamma(half))
        beta = special.gammaln(half) + special.gammaln(half * 0 + 0.5) - special.gammaln(upper)
        return found + 0.5 * np.log(df) + beta

    def _rvs(self, draw, shape, df):
        return draw.standard_t(df, shape)


class F(Continuous):
    """The F distribution of `dfn` and `dfd` degrees of freedom."""

    shapes = ("dfn", "dfd")
    a = 0.0

    def _logpdf(self, x, dfn, dfd):
        n, m = dfn, dfd
        found = m / 2 * np.log(m) + n / 2 * np.log(n) + special.xlogy(n / 2 - 1, x)
        return found - (n + m) / 2 * np.log(m + n * x) - special.betaln(n / 2, m / 2)

    def _cdf(self, x, dfn, dfd):
        return special.betainc(dfn / 2, dfd / 2, dfn * x / (dfd + dfn * x))

    def _sf(self, x, dfn, dfd):
        return special.betainc(dfd / 2, dfn / 2, dfd / (dfd + dfn * x))

    def _ppf(self, q, dfn, dfd):
        z = special.betaincinv(dfn / 2, dfd / 2, q)
        return dfd * z / (dfn * (1 - z))

    def _isf(self, q, dfn, dfd):
        z = special.betaincinv(dfd / 2, dfn / 2, q)
        return dfd * (1 - z) / (dfn * z)

    def _stats(self, dfn, dfd):
        n, m = dfn, dfd
        mean = np.where(m > 2, m / (m - 2), np.inf)
        variance = 2 * m**2 * (n + m - 2) / (n * (m - 2) ** 2 * (m - 4))
        root = np.sqrt((m - 4) / (n * (n + m - 2)))
        skew = (2 * n + m - 2) / (m - 6) * math.sqrt(8) * root
        kurtosis = 12 * (
            n * (5 * m - 22) * (n + m - 2) + (m - 4) * (m - 2) ** 2
        ) / (n * (m - 6) * (m - 8) * (n + m - 2))
        return (mean, np.where(m > 4, variance, np.inf), np.where(m > 6, skew, np.nan),
                np.where(m > 8, kurtosis, np.nan))

    def _entropy(self, dfn, dfd):
        n, m = dfn / 2, dfd / 2
        found = np.log(dfd) - np.log(dfn) + special.betaln(n, m)
        found = found + (1 - n) * special.digamma(n) - (1 + m) * special.digamma(m)
        return found + (n + m) * special.digamma(n + m)

    def _rvs(self, draw, shape, dfn, dfd):
        return draw.f(dfn, dfd, shape)


class Lognorm(Continuous):
    """The distribution whose logarithm is normal with the deviation `s`."""

    shapes = ("s",)
    a = 0.0

    def _logpdf(self, x, s):
        found = -(np.log(x) ** 2) / (2 * s**2) - np.log(s * x * math.sqrt(2 * math.pi))
        return np.where(x == 0, -np.inf, found)

    def _cdf(self, x, s):
        return special.ndtr(np.log(x) / s)

    def _sf(self, x, s):
        return special.ndtr(-np.log(x) / s)

    def _logcdf(self, x, s):
        return special.log_ndtr(np.log(x) / s)

    def _logsf(self, x, s):
        return special.log_ndtr(-np.log(x) / s)

    def _ppf(self, q, s):
        return np.exp(s * special.ndtri(q))

    def _isf(self, q, s):
        return np.exp(-s * special.ndtri(q))

    def _stats(self, s):
        p = np.exp(s * s)
        kurtosis = ((p + 2) * p + 3) * p**2 - 6.0
        return np.sqrt(p), p * (p - 1), np.sqrt(p - 1) * (2 + p), kurtosis

    def _entropy(self, s):
        return 0.5 * (1 + math.log(2 * math.pi) + 2 * np.log(s))

    def _rvs(self, draw, shape, s):
        return np.exp(s * draw.standard_normal(shape))

    def _closed(self, data, fixed):
        if 1 not in fixed or not bool((data > fixed[1]).all()):
            return None
        logarithms = np.log(data - fixed[1])
        middle = math.log(fixed[2]) if 2 in fixed else float(logarithms.mean())
        spread = fixed.get(0)
        if spread is None:
            spread = math.sqrt(float(((logarithms - middle) ** 2).mean()))
        return spread, fixed[1], math.exp(middle)


class Gibrat(Continuous):
    """The distribution whose logarithm is normal with the deviation 1."""

    a = 0.0

    def _own(self, x):
        return np.full_like(x, 1.0)

    def _logpdf(self, x):
        return Lognorm._logpdf(self, x, self._own(x))

    def _cdf(self, x):
        return special.ndtr(np.log(x))

    def _sf(self, x):
        return special.ndtr(-np.log(x))

    def _ppf(self, q):
        return np.exp(special.ndtri(q))

    def _isf(self, q):
        return np.exp(-special.ndtri(q))

    def _stats(self):
        return Lognorm._stats(self, np.asarray(1.0))

    def _entropy(self):
        return 0.5 * math.log(2 * math.pi) + 0.5

    def _rvs(self, draw, shape):
        return np.exp(draw.standard_normal(shape))


class Halfnorm(Continuous):
    """The distribution of the size of a normally distributed number."""

    a = 0.0

    def _logpdf(self, x):
        return 0.5 * math.log(2.0 / math.pi) - x * x / 2.0

    def _cdf(self, x):
        return 1 - 2 * special.ndtr(-x)

    def _sf(self, x):
        return 2 * special.ndtr(-x)

    def _ppf(self, q):
        return special.ndtri((1 + q) / 2.0)

    def _isf(self, q):
        return -special.ndtri(q / 2)

    def _stats(self):
        p = math.pi
        return (math.sqrt(2.0 / p), 1 - 2.0 / p, math.sqrt(2) * (4 - p) / (p - 2) ** 1.5,
                8 * (p - 3) / (p - 2) ** 2)

    def _entropy(self):
        return 0.5 * math.log(math.pi / 2.0) + 0.5

    def _rvs(self, draw, shape):
        return np.abs(draw.standard_normal(shape))


class Maxwell(Continuous):
    """Maxwell's distribution of speeds."""

    a = 0.0

    def _logpdf(self, x):
        return 0.5 * math.log(2.0 / math.pi) + 2 * np.log(x) - x * x / 2

    def _cdf(self, x):
        return special.gammainc(np.full_like(x, 1.5), x * x / 2.0)

    def _sf(self, x):
        return special.gammaincc(np.full_like(x, 1.5), x * x / 2.0)

    def _ppf(self, q):
        return np.sqrt(2 * special.gammaincinv(np.full_like(q, 1.5), q))

    def _isf(self, q):
        return np.sqrt(2 * special.gammainccinv(np.full_like(q, 1.5), q))

    def _stats(self):
        p = 3 * math.pi - 8
        kurtosis = (-12 * math.pi**2 + 160 * math.pi - 384) / p**2
        return (2 * math.sqrt(2.0 / math.pi), 3 - 8 / math.pi,
                math.sqrt(2) * (32 - 10 * math.pi) / p**1.5, kurtosis)

    def _entropy(self):
        return EULER + 0.5 * math.log(2 * math.pi) - 0.5

    def _rvs(self, draw, shape):
        return np.sqrt(draw.chisquare(3.0, shape))


class Nakagami(Continuous):
    """Nakagami's distribution of a shape `nu`."""

    shapes = ("nu",)
    a = 0.0

    def _logpdf(self, x, nu):
        found = math.log(2) + special.xlogy(nu, nu) - special.gammaln(nu)
        return found + special.xlogy(2 * nu - 1, x) - nu * x**2

    def _cdf(self, x, nu):
        return special.gammainc(nu, nu * x * x)

    def _sf(self, x, nu):
        return special.gammaincc(nu, nu * x * x)

    def _ppf(self, q, nu):
        return np.sqrt(special.gammaincinv(nu, q) / nu)

    def _isf(self, q, nu):
        return np.sqrt(special.gammainccinv(nu, q) / nu)

    def _stats(self, nu):
        mean = np.exp(special.gammaln(nu + 0.5) - special.gammaln(nu)) / np.sqrt(nu)
        variance = 1.0 - mean * mean
        skew = mean * (1 - 4 * nu * variance) / 2.0 / nu / variance**1.5
        fourth = -6 * mean**4 * nu + (8 * nu - 2) * mean**2 - 2 * nu + 1
        return mean, variance, skew, fourth / (nu * variance**2)

    def _rvs(self, draw, shape, nu):
        return np.sqrt(draw.standard_gamma(nu, shape) / nu)


class Gennorm(Continuous):
    """The distribution whose density is ``exp(-abs(x) ** beta)`` up to a factor."""

    shapes = ("beta",)

    def _logpdf(self, x, beta):
        return np.log(0.5 * beta) - special.gammaln(1.0 / beta) - np.abs(x) ** beta

    def _cdf(self, x, beta):
        half = 0.5 * np.sign(x)
        return (0.5 + half) - half * special.gammaincc(1.0 / beta, np.abs(x) ** beta)

    def _sf(self, x, beta):
        return self._cdf(-x, beta)

    def _ppf(self, q, beta):
        side = np.sign(q - 0.5)
        place = special.gammainccinv(1.0 / beta, (1.0 + side) - 2.0 * side * q)
        return side * place ** (1.0 / beta)

    def _isf(self, q, beta):
        return -self._ppf(q, beta)

    def _stats(self, beta):
        one, three, five = (special.gammaln(k / beta) for k in (1.0, 3.0, 5.0))
        return beta * 0, np.exp(three - one), beta * 0, np.exp(five + one - 2.0 * three) - 3.0

    def _entropy(self, beta):
        return 1.0 / beta - np.log(0.5 * beta) + special.gammaln(1.0 / beta)


_CLASSES = {
    "norm": Norm, "gamma": Gamma, "erlang": Erlang, "chi2": Chi2, "chi": Chi,
    "invgamma": Invgamma, "beta": Beta, "arcsine": Arcsine, "t": T, "f": F, "lognorm": Lognorm,
    "gibrat": Gibrat, "halfnorm": Halfnorm, "maxwell": Maxwell, "nakagami": Nakagami,
    "gennorm": Gennorm,
}
for _name, _class in _CLASSES.items():
    _class.name = _name
    globals()[_name] = _class()
