"""Tests of the distribution of a sample."""

import math

import phalanx as np

from .._host_calls import FEW
from . import _pvalues, _special
from ._arrays import (
    array,
    check_alternative,
    common,
    count,
    floating,
    only,
    reduced,
    refuse,
)
from ._described import COLLECTIVE, DEPENDS, described
from ._descriptive import excess, skewness
from ._host import to_host
from ._inversions import rows
from ._rank_tests import pooled
from ._ranks import Ranked
from ._results import Significance, result

_TEST = "The statistic and its p-value."
SkewtestResult = result("SkewtestResult", "statistic pvalue")
KurtosistestResult = result("KurtosistestResult", "statistic pvalue")
NormaltestResult = result("NormaltestResult", "statistic pvalue")
Power_divergenceResult = result("Power_divergenceResult", "statistic pvalue")
KstestResult = result("KstestResult", "statistic pvalue", "statistic_location statistic_sign")
CramerVonMisesResult = result("CramerVonMisesResult", "statistic pvalue")
Epps_Singleton_2sampResult = result("Epps_Singleton_2sampResult", "statistic pvalue")


def _root(x):
    return np.sqrt(array(x))


def _skew_score(x, mask):
    """D'Agostino's score of the skewness (1970)."""
    n = count(x, mask)
    n = np.asarray(float(n)) if mask is None else n
    y = skewness(x, mask) * _root(((n + 1) * (n + 3)) / (6.0 * (n - 2)))
    fourth = 3.0 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3)
    fourth = fourth / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    w = _root(2 * (fourth - 1)) - 1
    return np.arcsinh(y * _root((w - 1) / 2)) / _root(0.5 * np.log(w))


def _kurtosis_score(x, mask):
    """The score of the kurtosis of Anscombe and Glynn (1983)."""
    n = count(x, mask)
    n = np.asarray(float(n)) if mask is None else n
    expected = 3.0 * (n - 1) / (n + 1)
    spread = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    z = (excess(x, mask, False) - expected) / _root(spread)
    third = 6.0 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
    third = third * _root(6.0 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6.0 + 8.0 / third * (2.0 / third + _root(1 + 4.0 / third**2))
    below = 1 + z * _root(2 / (a - 4.0))
    root = np.sign(below) * np.cbrt((1 - 2.0 / a) / np.abs(below))
    root = np.where(below == 0, np.nan, root)
    return (1 - 2 / (9.0 * a) - root) / _root(2 / (9.0 * a))


@described(f"SkewtestResult: {_TEST}")
def skewtest(a, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False):
    """A test of whether the skewness is that of the normal distribution."""
    check_alternative(alternative)

    def core(x, masks=None):
        z = _skew_score(x, only(masks))
        return z, _pvalues.normal(z, alternative)

    return SkewtestResult(*reduced(core, [floating(a)], axis, nan_policy, keepdims, outputs=2,
                                   masked=True, least=8))


@described(f"KurtosistestResult: {_TEST}")
def kurtosistest(a, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False):
    """A test of whether the kurtosis is that of the normal distribution."""
    check_alternative(alternative)

    def core(x, masks=None):
        z = _kurtosis_score(x, only(masks))
        return z, _pvalues.normal(z, alternative)

    return KurtosistestResult(*reduced(core, [floating(a)], axis, nan_policy, keepdims, outputs=2,
                                       masked=True, least=5))


@described(f"NormaltestResult: {_TEST}")
def normaltest(a, axis=0, nan_policy="propagate", *, keepdims=False):
    """A test of whether a sample is normally distributed, by skewness and kurtosis."""

    def core(x, masks=None):
        mask = only(masks)
        squares = _skew_score(x, mask) ** 2 + _kurtosis_score(x, mask) ** 2
        return squares, _pvalues.chi2(squares, 2)

    return NormaltestResult(*reduced(core, [floating(a)], axis, nan_policy, keepdims, outputs=2,
                                     masked=True, least=8))


@described(f"SignificanceResult: {_TEST}")
def jarque_bera(x, *, axis=None, nan_policy="propagate", keepdims=False):
    """The test of Jarque and Bera of whether a sample is normally distributed."""

    def core(x, masks=None):
        mask = only(masks)
        third, fourth = skewness(x, mask), excess(x, mask)
        found = count(x, mask) / 6 * (third**2 + fourth**2 / 4)
        return found, _pvalues.chi2(found, 2)

    return Significance(*reduced(core, [floating(x)], axis, nan_policy, keepdims, outputs=2,
                                 masked=True))


_POWERS = {
    "pearson": 1, "log-likelihood": 0, "freeman-tukey": -0.5, "mod-log-likelihood": -1,
    "neyman": -2, "cressie-read": 2 / 3,
}


def _divergence(f_obs, f_exp, ddof, axis, power, nan_policy, keepdims, sum_check=True):
    if isinstance(power, str):
        if power not in _POWERS:
            raise refuse(f"invalid string for lambda_: {power!r}. Valid strings are "
                         f"{list(_POWERS)}", mistake="choice")
        power = _POWERS[power]
    power = 1 if power is None else power
    samples = common(f_obs) if f_exp is None else common(f_obs, f_exp)
    if f_exp is not None:
        shape = np.broadcast_shapes(*(one.shape for one in samples))
        samples = [np.broadcast_to(one, shape) for one in samples]

    def core(seen, expected=None):
        if expected is None:
            expected = seen.mean(-1, keepdims=True)
        elif sum_check:
            sums = seen.sum(-1), expected.sum(-1)
            apart = np.abs(sums[0] - sums[1]) / np.minimum(*sums)
            if bool((apart > float(np.finfo(seen.dtype).eps) ** 0.5).any()):
                raise refuse(
                    "For each axis slice, the sum of the observed frequencies must agree with the "
                    "sum of the expected frequencies to a relative tolerance of "
                    f"{float(np.finfo(seen.dtype).eps) ** 0.5}."
                )
        if power == 1:
            terms = (seen - expected) ** 2 / expected
        elif power == 0:
            terms = 2.0 * _special.xlogy(seen, seen / expected)
        elif power == -1:
            terms = 2.0 * _special.xlogy(expected, expected / seen)
        else:
            terms = seen * ((seen / expected) ** power - 1) * (2 / (power * (power + 1.0)))
        found = terms.sum(-1)
        dof = array(seen.shape[-1] - 1.0 - array(ddof))
        if dof.ndim == 0:
            dof = np.broadcast_to(dof, found.shape)
        return found, _pvalues.chi2(np.broadcast_arrays(found, dof)[0], dof)

    found = reduced(core, samples, axis, nan_policy, keepdims, outputs=2, paired=True, least=0)
    return Power_divergenceResult(*found)


@described(f"Power_divergenceResult: {_TEST}", notes=COLLECTIVE,
           ddof=("int", "The number by which the degrees of freedom are fewer."))
def chisquare(
    f_obs,
    f_exp=None,
    ddof=0,
    axis=0,
    *,
    sum_check=True,
    nan_policy="propagate",
    keepdims=False,
):
    """The chi-squared test of frequencies along an axis."""
    return _divergence(f_obs, f_exp, ddof, axis, 1, nan_policy, keepdims, sum_check)


@described(f"Power_divergenceResult: {_TEST}", notes=COLLECTIVE,
           ddof=("int", "The number by which the degrees of freedom are fewer."))
def power_divergence(
    f_obs, f_exp=None, ddof=0, axis=0, lambda_=None, *, nan_policy="propagate", keepdims=False
):
    """The test of frequencies of Cressie and Read along an axis."""
    return _divergence(f_obs, f_exp, ddof, axis, lambda_, nan_policy, keepdims)


def _one_sample_tail(d, n, alternative, method):
    """Probabilities of the statistics of Kolmogorov and Smirnov. Collective: they are read."""
    from scipy import stats

    if alternative == "two-sided":
        if method == "asymp":
            return _pvalues.on_host(lambda d: stats.kstwobign.sf(d * math.sqrt(n)), d)
        if method == "approx":
            return _pvalues.on_host(lambda d: 2 * stats.ksone.sf(d, n), d)
        return _pvalues.on_host(lambda d: stats.kstwo.sf(d, n), d)
    return _pvalues.on_host(lambda d: stats.ksone.sf(d, n), d)


def cdf_of(name):
    """The distribution function of a distribution of ours by its name."""
    import phalanx.scipy.stats as own

    distribution = getattr(own, name, None)
    if not hasattr(distribution, "cdf"):
        raise refuse(f"unknown distribution {name!r}", mistake="choice")
    return distribution.cdf


def _values_of_cdf(cdf, x, args):
    """Values of a distribution function. SciPy computes few on the host if a special function is
    missing."""
    if not isinstance(cdf, str):
        return array(cdf(x, *args))
    try:
        return cdf_of(cdf)(x, *args)
    except NotImplementedError:
        if x.size > FEW:
            raise
        from scipy import stats

        return np.asarray(getattr(stats, cdf).cdf(x.get(), *args))


def _ks(core, samples, axis, nan_policy, keepdims):
    d, p, place, sign = reduced(
        core, samples, axis, nan_policy, keepdims, outputs=4, guard=True, double=True
    )
    return KstestResult(d, p, statistic_location=place, statistic_sign=sign)


@described("KstestResult: The statistic and its p-value, with the place and the sign of the "
           "largest distance.", notes=COLLECTIVE)
def ks_1samp(
    x,
    cdf,
    args=(),
    alternative="two-sided",
    method="auto",
    *,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
):
    """The test of Kolmogorov and Smirnov of a sample's distribution."""
    alternative = {"t": "two-sided", "g": "greater", "l": "less"}.get(
        alternative.lower()[:1], alternative
    )
    check_alternative(alternative)
    if not callable(cdf):
        raise refuse(f"a {type(cdf).__name__} is no function", TypeError, "type")

    def core(x):
        n = x.shape[-1]
        x = np.sort(x, -1)
        values = array(cdf(x, *args))
        place = np.arange(n, dtype=np.float64)
        above, below = (place + 1) / n - values, values - place / n
        d_plus, d_minus = above.max(-1), below.max(-1)
        at_plus, at_minus = (
            np.take_along_axis(x, one.argmax(-1)[..., None], -1)[..., 0] for one in (above, below)
        )
        if alternative == "greater":
            found = d_plus, at_plus, np.ones_like(d_plus)
        elif alternative == "less":
            found = d_minus, at_minus, -np.ones_like(d_plus)
        else:
            is_plus = d_plus > d_minus
            found = (np.maximum(d_plus, d_minus), np.where(is_plus, at_plus, at_minus),
                     np.where(is_plus, 1.0, -1.0))
        d, at, sign = found
        p = np.clip(_one_sample_tail(d, n, alternative, method), 0, 1)
        return d, p, at, sign

    return _ks(core, [floating(x)], axis, nan_policy, keepdims)


def _two_sample_tail(x, y, d, alternative, method):
    from scipy import stats

    n1, n2 = x.shape[-1], y.shape[-1]
    if method == "auto":
        few = max(n1, n2) <= 10000 and x.size + y.size <= FEW
        method = "exact" if few else "asymp"
    if method == "exact":
        return np.asarray(stats.ks_2samp(
            to_host(x, "ks_2samp"), to_host(y, "ks_2samp"), alternative, "exact", axis=-1
        ).pvalue)
    m, n = float(max(n1, n2)), float(min(n1, n2))
    effective = m * n / (m + n)
    if alternative == "two-sided":
        return _pvalues.on_host(lambda d: stats.kstwo.sf(d, round(effective)), d)
    z = math.sqrt(effective) * d
    return np.exp(-2 * z**2 - 2 * z * (m + 2 * n) / math.sqrt(m * n * (m + n)) / 3.0)


@described("KstestResult: The statistic and its p-value, with the place and the sign of the "
           "largest distance.", notes=COLLECTIVE)
def ks_2samp(
    data1,
    data2,
    alternative="two-sided",
    method="auto",
    *,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
):
    """The test of Kolmogorov and Smirnov of the distributions of two samples. Exact probabilities
    of few elements are SciPy's, on the host."""
    if method not in ("auto", "exact", "asymp"):
        raise refuse(f"Invalid value for mode: {method}", mistake="choice")
    alternative = {"t": "two-sided", "g": "greater", "l": "less"}.get(
        alternative.lower()[:1], alternative
    )
    check_alternative(alternative)

    def core(x, y):
        n1, n2 = x.shape[-1], y.shape[-1]
        ranked = Ranked(pooled([x, y])[0])
        ups = np.cumsum((ranked.order < n1).astype(np.int64), axis=-1)
        ends = ranked.ends
        ups = np.take_along_axis(ups, ends, -1)
        apart = ups / n1 - (ends + 1 - ups) / n2
        most, least = apart.argmax(-1), apart.argmin(-1)

        def at(values, places):
            return np.take_along_axis(values, places[..., None], -1)[..., 0]

        high, low = at(apart, most), np.clip(-at(apart, least), 0, 1)
        if alternative == "less":
            is_low = np.ones_like(high, dtype=bool)
        elif alternative == "greater":
            is_low = np.zeros_like(high, dtype=bool)
        else:
            is_low = low > high
        d = np.where(is_low, low, high)
        place = np.where(is_low, at(ranked.sorted, least), at(ranked.sorted, most))
        p = np.clip(_two_sample_tail(x, y, d, alternative, method), 0, 1)
        return d, p, place, np.where(is_low, -1.0, 1.0)

    return _ks(core, common(data1, data2), axis, nan_policy, keepdims)


@described("KstestResult: The statistic and its p-value, with the place and the sign of the "
           "largest distance.", notes=COLLECTIVE,
           cdf=("str, callable or array_like", "A distribution by its name or its function, or "
                "another sample."),
           rvs=("str, callable or array_like", "A sample, or a distribution from which `N` "
                "elements are drawn."))
def kstest(
    rvs,
    cdf,
    args=(),
    N=20,
    alternative="two-sided",
    method="auto",
    *,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
):
    """The test of Kolmogorov and Smirnov of one or two samples."""
    if alternative == "two_sided":
        alternative = "two-sided"
    options = {"axis": axis, "nan_policy": nan_policy, "keepdims": keepdims}
    if isinstance(rvs, str):
        import phalanx.scipy.stats as own

        rvs = getattr(own, rvs).rvs(*args, size=N)
    elif callable(rvs):
        rvs = rvs(*args, size=N)
    if isinstance(cdf, str) or callable(cdf):
        return ks_1samp(rvs, lambda x, *args: _values_of_cdf(cdf, x, args), args, alternative,
                        method, **options)
    return ks_2samp(rvs, cdf, alternative, method, **options)


# Above this number of elements the correction of the distribution is below 1e-7.
_MANY = 1_000_000


def _cramer_von_mises_tail(w, n):
    """Probabilities of the statistic of Cramer and von Mises, by SciPy on the host: the statistic
    is that of a sample whose values are all apart by the same distance."""
    import numpy
    from scipy import stats

    def one(value):
        size = min(n, _MANY)
        if not value == value:
            return numpy.nan
        apart = max(value - 1 / (12 * size), 0.0)
        values = (2 * numpy.arange(1, size + 1) - 1) / (2 * size) + math.sqrt(apart / size)
        return stats.cramervonmises(values, lambda x: x).pvalue

    return _pvalues.on_host(
        lambda w: numpy.reshape([one(value) for value in w.reshape(-1).tolist()], w.shape), w
    )


@described(f"CramerVonMisesResult: {_TEST}", notes=COLLECTIVE)
def cramervonmises(rvs, cdf, args=(), *, axis=0, nan_policy="propagate", keepdims=False):
    """The test of Cramer and von Mises of a sample's distribution."""

    def core(x):
        n = x.shape[-1]
        if n < 2:
            raise refuse("The sample must contain at least two observations.")
        values = _values_of_cdf(cdf, np.sort(x, -1), args)
        steps = (2 * np.arange(1, n + 1) - 1) / (2.0 * n)
        w = 1 / (12 * n) + ((steps - values) ** 2).sum(-1)
        return w, _cramer_von_mises_tail(w, n)

    found = reduced(core, [floating(rvs)], axis, nan_policy, keepdims, outputs=2, guard=True,
                    least=2, attempts=True, double=True)
    return CramerVonMisesResult(*found)


def _limiting(x):
    """The limiting distribution of the statistic of Cramer and von Mises (Anderson and Darling,
    1952, equation 4.35)."""
    import numpy
    from scipy import special

    total = numpy.zeros_like(x)
    for k in range(40):
        y = (4 * k + 1) ** 2 / (16 * x)
        factor = numpy.exp(special.gammaln(k + 0.5) - special.gammaln(k + 1))
        # The scaled function contains one of the two factors exp(-y).
        total += factor * math.sqrt(4 * k + 1) * numpy.exp(-2 * y) * special.kve(0.25, y)
    return total / (math.pi**1.5 * numpy.sqrt(x))


@described(f"CramerVonMisesResult: {_TEST}", notes=COLLECTIVE)
def cramervonmises_2samp(
    x, y, method="auto", *, axis=0, nan_policy="propagate", keepdims=False
):
    """The test of Cramer and von Mises of the distributions of two samples."""
    if method not in ("auto", "exact", "asymptotic"):
        raise refuse("method must be either auto, exact or asymptotic.", mistake="choice")

    def core(x, y):
        n1, n2 = x.shape[-1], y.shape[-1]
        if min(n1, n2) < 2:
            raise refuse("x and y must contain at least two observations.")
        total, product = n1 + n2, n1 * n2
        ranks = Ranked(pooled([x, y])[0]).ranks()
        u = 0.0
        for one, n in ((ranks[..., :n1], n1), (ranks[..., n1:], n2)):
            u = u + n * ((np.sort(one, -1) - np.arange(1, n + 1)) ** 2).sum(-1)
        t = u / (product * total) - (4 * product - 1) / (6 * total)
        is_exact = method == "exact" or (method == "auto" and max(n1, n2) <= 20)
        if is_exact:
            from scipy import stats

            return t, np.asarray(stats.cramervonmises_2samp(
                to_host(x, "cramervonmises_2samp"), to_host(y, "cramervonmises_2samp"), "exact",
                axis=-1,
            ).pvalue)
        expected = (1 + 1 / total) / 6
        spread = (total + 1) * (4 * product * total - 3 * (n1**2 + n2**2) - 2 * product)
        spread = spread / (45 * total**2 * 4 * product)
        z = 1 / 6 + (t - expected) / math.sqrt(45 * spread)

        def tail(z):
            import numpy

            safe = numpy.where(z > 0.003, z, 1.0)
            return numpy.where(z > 0.003, numpy.maximum(1 - _limiting(safe), 0.0),
                               numpy.where(numpy.isnan(z), numpy.nan, 1.0))

        return t, _pvalues.on_host(tail, z)

    found = reduced(core, common(x, y), axis, nan_policy, keepdims, outputs=2, guard=True, least=2,
                    attempts=True)
    return CramerVonMisesResult(*found)


@described(f"Epps_Singleton_2sampResult: {_TEST}", notes=COLLECTIVE,
           t=("array_like", "The points of the characteristic functions, which are few."))
def epps_singleton_2samp(
    x, y, t=(0.4, 0.8), *, axis=0, nan_policy="propagate", keepdims=False
):
    """The test of Epps and Singleton of the distributions of two samples."""
    from ._arrays import host

    points = host(t, float)
    if points.ndim > 1:
        raise refuse(f"t must be 1d, but t.ndim equals {points.ndim}")
    if (points <= 0).any():
        raise refuse("t must contain positive elements only")

    def one(x, y):
        import numpy
        from scipy import stats

        n1, n2 = x.shape[0], y.shape[0]
        if min(n1, n2) < 5:
            raise refuse(f"x and y should have at least 5 elements, but len(x) = {n1} and "
                         f"len(y) = {n2}.")
        both = np.concatenate([x, y])
        if bool(np.isnan(both).any()):
            return math.nan, math.nan
        ends = np.quantile(both, [0.25, 0.75])
        scaled = np.asarray(points) / ((ends[1] - ends[0]) / 2)

        def waves(x):
            angles = scaled[:, None] * x
            return np.concatenate([np.cos(angles), np.sin(angles)])

        first, second = waves(x), waves(y)
        n = n1 + n2
        spread = (n / n1 * np.cov(first, bias=True) + n / n2 * np.cov(second, bias=True)).get()
        apart = (first.mean(1) - second.mean(1)).get()
        w = n * apart @ numpy.linalg.pinv(spread) @ apart
        if max(n1, n2) < 25:
            w /= 1.0 + n ** (-0.45) + 10.1 * (n1 ** (-1.7) + n2 ** (-1.7))
        return w, stats.chi2.sf(w, numpy.linalg.matrix_rank(spread))

    found = reduced(
        lambda x, y: rows(one, 2, x, y), common(x, y), axis, nan_policy, keepdims, outputs=2,
        guard=True, least=5, attempts=True,
    )
    return Epps_Singleton_2sampResult(*found)


_COMBINED = ("fisher", "pearson", "mudholkar_george", "tippett", "stouffer")


@described("SignificanceResult: The statistic and the combined p-value.",
           method=("{'fisher', 'pearson', 'tippett', 'stouffer', 'mudholkar_george'}",
                   "The method by which they are combined."),
           weights=("array_like", "The weights of Stouffer's method."))
def combine_pvalues(
    pvalues,
    method="fisher",
    weights=None,
    *,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
):
    """The p-value of several independent tests along an axis."""
    if method not in _COMBINED:
        raise refuse(f"Invalid method {method!r}. Valid methods are {_COMBINED}",
                     mistake="choice")
    samples = [floating(pvalues)]
    if weights is not None and method != "stouffer" and axis is not None:
        weights = floating(weights)
        if weights.ndim == 1 and weights.shape[0] not in (1, samples[0].shape[axis]):
            raise refuse("Array shapes are incompatible for broadcasting.", mistake="together")
    if method == "stouffer":
        weights = np.ones_like(samples[0]) if weights is None else floating(weights)
        if weights.shape != samples[0].shape:
            if weights.ndim == 1 and axis is not None and samples[0].ndim > 1:
                shape = [1] * samples[0].ndim
                shape[axis] = weights.size
                weights = weights.reshape(shape)
            if weights.shape[axis or 0] != samples[0].shape[axis or 0]:
                raise refuse("pvalues and weights must be of the same length along `axis`.",
                             mistake="together")
            weights = np.broadcast_to(weights, samples[0].shape)
        samples.append(weights)

    def core(p, w=None):
        n = p.shape[-1]
        if method == "fisher":
            found = -2 * np.log(p).sum(-1)
            return found, _pvalues.chi2(found, 2 * n)
        if method == "pearson":
            found = 2 * np.log1p(-p).sum(-1)
            return found, 1 - _pvalues.chi2(-found, 2 * n)
        if method == "mudholkar_george":
            root = math.sqrt(3 / n) / math.pi * math.sqrt((5 * n + 4) / (5 * n + 2))
            found = -np.log(p).sum(-1) + np.log1p(-p).sum(-1)
            return found, _pvalues.student(found * root, 5 * n + 4, "greater")
        if method == "tippett":
            found = p.min(-1)
            return found, -np.expm1(n * np.log1p(-found))
        z = -_pvalues.special("ndtri", p)
        found = (w * z).sum(-1) / np.sqrt((w * w).sum(-1))
        return found, _pvalues.normal(found, "greater")

    return Significance(*reduced(core, samples, axis, nan_policy, keepdims, outputs=2,
                                 paired=True))


@described("ndarray: The adjusted p-values, of the shape of `ps`.", notes=DEPENDS.replace(
    " if `nan_policy` is 'omit' or 'raise', because the answer depends on data",
    ", because the p-values are checked"), method=("{'bh', 'by'}", "The method."))
def false_discovery_control(ps, *, axis=0, method="bh"):
    """P-values adjusted so that a threshold of them is one of the rate of false discoveries."""
    given, ps = array(ps), floating(ps)
    if str(method).lower() not in ("bh", "by"):
        raise refuse(f"Unrecognized `method` '{method}'.", mistake="choice")
    if bool(~((ps >= 0) & (ps <= 1)).all()):
        raise refuse("`ps` must include only numbers between 0 and 1.")
    if axis is None:
        given, ps, axis = given.reshape(-1), ps.reshape(-1), 0
    if ps.ndim == 0 or ps.size <= 1:
        return given
    ps = np.moveaxis(ps, axis, -1)
    m = ps.shape[-1]
    order = np.argsort(ps, axis=-1)
    scaled = np.take_along_axis(ps, order, -1) * (m / np.arange(1, m + 1))
    if str(method).lower() == "by":
        scaled = scaled * (1.0 / np.arange(1, m + 1)).sum()
    least = np.minimum.accumulate(scaled[..., ::-1], axis=-1)[..., ::-1]
    found = np.zeros_like(least)
    np.put_along_axis(found, order, least, -1)
    return np.clip(np.moveaxis(found, -1, axis), 0, 1)
