"""Tests of the means of samples."""

import functools
import operator

import phalanx as np

from . import _pvalues
from ._arrays import (
    array,
    check_alternative,
    common,
    count,
    floating,
    mean,
    reduced,
    refuse,
    total,
    variance,
)
from ._described import DEPENDS, RECORDED, described
from ._results import ConfidenceInterval, result

_TEST = "The statistic and its p-value."
_Ttest = result("TtestResult", "statistic pvalue", "df _alternative _error _estimate")
Ttest_indResult = result("Ttest_indResult", "statistic pvalue")
F_onewayResult = result("F_onewayResult", "statistic pvalue")
AlexanderGovernResult = result("AlexanderGovernResult", "statistic pvalue")


class TtestResult(_Ttest):
    """A statistic of Student's distribution with `df` degrees of freedom, and its p-value."""

    @described("ConfidenceInterval: The limits of the mean or of the difference.",
               notes="Collective: quantiles of Student's distribution are computed on the host.")
    def confidence_interval(self, confidence_level=0.95):
        """The confidence interval of the mean or of the difference of means."""
        if not 0 < confidence_level < 1:
            raise refuse("`confidence_level` must be a number between 0 and 1.")
        alternative = self._alternative
        level = 0.5 + confidence_level / 2 if alternative == "two-sided" else confidence_level
        apart = self._error * _pvalues.on_host(
            lambda df: _pvalues.student_quantile(level, df), array(self.df)
        )
        endless = np.full_like(apart, np.inf)
        low = -endless if alternative == "less" else self._estimate - apart
        high = endless if alternative == "greater" else self._estimate + apart
        return ConfidenceInterval(low, high)


def _no_method(method):
    if method is not None:
        raise refuse("`method` is not available; use permutation_test or monte_carlo_test",
                     NotImplementedError, "absent")


def _test(core, samples, axis, nan_policy, keepdims, alternative, **options):
    t, p, df, error, estimate = reduced(
        core, samples, axis, nan_policy, keepdims, outputs=5, **options
    )
    return TtestResult(t, p, df=df, _alternative=alternative, _error=error, _estimate=estimate)


@described(f"TtestResult: {_TEST}")
def ttest_1samp(
    a, popmean, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False
):
    """Student's test of the mean of a sample."""
    check_alternative(alternative)
    a, wanted = floating(a), array(popmean)
    if wanted.ndim:
        if axis is None or wanted.ndim < a.ndim and wanted.shape[-1:] != (1,):
            wanted = wanted.reshape(wanted.shape)
        if wanted.ndim == a.ndim and axis is not None:
            if wanted.shape[axis] != 1:
                raise refuse("`popmean.shape[axis]` must equal 1.")
            wanted = np.squeeze(wanted, axis)

    def core(x, masks=None):
        mask = None if masks is None else masks[0]
        n, middle = count(x, mask), mean(x, mask)
        error = np.sqrt(variance(x, mask, 1) / n).astype(x.dtype)
        t = (middle - wanted) / error
        df = np.broadcast_to(array(n - 1).astype(x.dtype), t.shape)
        return t, _pvalues.student(t, df, alternative), df, error, middle

    return _test(core, [a], axis, nan_policy, keepdims, alternative, masked=True)


@described(f"TtestResult: {_TEST}")
def ttest_rel(
    a, b, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False
):
    """Student's test of the differences of two samples whose elements are pairs."""
    check_alternative(alternative)

    def core(x, y, masks=None):
        mask = None if masks is None else masks[0]
        x = x - y
        n, middle = count(x, mask), mean(x, mask)
        error = np.sqrt(variance(x, mask, 1) / n).astype(x.dtype)
        t = middle / error
        df = np.broadcast_to(array(n - 1).astype(x.dtype), t.shape)
        return t, _pvalues.student(t, df, alternative), df, error, middle

    samples = common(a, b)
    return _test(core, samples, axis, nan_policy, keepdims, alternative, masked=True, paired=True)


def _error_of_difference(v1, n1, v2, n2, equal_var):
    """Degrees of freedom and the standard error of a difference of means."""
    if equal_var:
        df = n1 + n2 - 2.0
        # One observation has no variance of its own, and adds nothing to the common one.
        v1, v2 = np.where(n1 == 1, 0.0, v1), np.where(n2 == 1, 0.0, v2)
        pooled = ((n1 - 1) * v1 + (n2 - 1) * v2) / df
        return df, np.sqrt(pooled * (1.0 / n1 + 1.0 / n2))
    first, second = v1 / n1, v2 / n2
    df = (first + second) ** 2 / (first**2 / (n1 - 1) + second**2 / (n2 - 1))
    return np.where(np.isnan(df), 1.0, df), np.sqrt(first + second)


def _trimmed(x, trim):
    """Mean, variance and number of a sample that is trimmed at both ends."""
    n = x.shape[-1]
    cut = int(n * trim)
    x = np.sort(x, -1)
    middle = x[..., cut : n - cut].mean(-1)
    ends = [np.broadcast_to(x[..., place : place + 1], (*x.shape[:-1], cut))
            for place in (cut, n - cut - 1)]
    x = np.concatenate([ends[0], x[..., cut : n - cut], ends[1]], -1)
    return middle, variance(x, None, 2 * cut + 1), n - 2 * cut


@described(f"TtestResult: {_TEST}", method=("None", "Resampling methods are not available."),
           trim=("float", "The share of elements that is removed at each end, below 0.5."))
def ttest_ind(
    a,
    b,
    *,
    axis=0,
    equal_var=True,
    nan_policy="propagate",
    alternative="two-sided",
    trim=0,
    method=None,
    keepdims=False,
):
    """Student's or Welch's test of the means of two samples; Yuen's if they are trimmed."""
    check_alternative(alternative)
    _no_method(method)
    if not 0 <= trim < 0.5:
        raise refuse("Trimming percentage should be 0 <= `trim` < .5.")

    def core(x, y, masks=None):
        if trim:
            (m1, v1, n1), (m2, v2, n2) = _trimmed(x, trim), _trimmed(y, trim)
        else:
            first, second = masks or (None, None)
            m1, m2 = mean(x, first), mean(y, second)
            v1, v2 = variance(x, first, 1), variance(y, second, 1)
            n1, n2 = count(x, first), count(y, second)
        df, error = _error_of_difference(v1, n1, v2, n2, equal_var)
        t = (m1 - m2) / error
        df = np.broadcast_to(array(df).astype(t.dtype), t.shape)
        return t, _pvalues.student(t, df, alternative), df, error, m1 - m2

    return _test(
        core, common(a, b), axis, nan_policy, keepdims, alternative, masked=not trim,
        guard=bool(trim),
    )


@described(f"Ttest_indResult: {_TEST}", {"ValueError": "The alternative is unknown."}, RECORDED)
def ttest_ind_from_stats(
    mean1, std1, nobs1, mean2, std2, nobs2, equal_var=True, alternative="two-sided"
):
    """Student's or Welch's test of means, from descriptions of two samples."""
    check_alternative(alternative)
    m1, s1, n1, m2, s2, n2 = map(floating, (mean1, std1, nobs1, mean2, std2, nobs2))
    with np.errstate(all="ignore"):
        df, error = _error_of_difference(s1**2, n1, s2**2, n2, equal_var)
        t = (m1 - m2) / error
        return Ttest_indResult(t, _pvalues.student(t, df, alternative))


def _constant(x):
    return (x == x[..., :1]).all(-1)


@described(f"F_onewayResult: {_TEST}", {
    "TypeError": "There are fewer than two samples.", "ValueError": "`nan_policy` is unknown, or "
    "is 'raise' and there are NaNs."})
def f_oneway(*samples, axis=0, equal_var=True, nan_policy="propagate", keepdims=False):
    """The analysis of variance of one factor: a test of equal means of samples."""
    if len(samples) < 2:
        raise refuse(f"at least two inputs are required; got {len(samples)}.", TypeError, "count")

    def is_small(*numbers):
        # A sample needs an element, and one of them needs two.
        is_any_empty = functools.reduce(operator.or_, (one == 0 for one in numbers))
        is_all_short = functools.reduce(operator.and_, (one == 1 for one in numbers))
        return is_any_empty | is_all_short

    def core(*samples, masks=None):
        masks = masks or [None] * len(samples)
        numbers = [count(*one) for one in zip(samples, masks)]
        middles = [mean(*one) for one in zip(samples, masks)]
        k = len(samples)
        if not equal_var:
            weights = [n / variance(x, mask, 1) for n, x, mask in zip(numbers, samples, masks)]
            both = sum(weights)
            middle = sum(w * m for w, m in zip(weights, middles)) / both
            between = sum(w * (m - middle) ** 2 for w, m in zip(weights, middles)) / (k - 1)
            rest = sum((1 - w / both) ** 2 / (n - 1) for w, n in zip(weights, numbers))
            f = between / (1 + 2 * (k - 2) / (k**2 - 1) * rest)
            return f, _pvalues.f(f, k - 1, (k**2 - 1) / (3 * rest))
        n = sum(numbers)
        middle = sum(size * m for size, m in zip(numbers, middles)) / n
        between = sum(size * (m - middle) ** 2 for size, m in zip(numbers, middles))
        within = sum(total((x - m[..., None]) ** 2, mask)
                     for x, m, mask in zip(samples, middles, masks))
        f = (between / (k - 1)) / (within / (n - k))
        if all(mask is None for mask in masks):
            constant = _constant(samples[0])
            same = constant
            for one in samples[1:]:
                constant = constant & _constant(one)
                same = same & (one[..., 0] == samples[0][..., 0])
            f = np.where(constant, np.where(same & constant, np.nan, np.inf), f)
        f = f.astype(samples[0].dtype)
        return f, _pvalues.f(f, k - 1, n - k)

    found = reduced(core, common(*samples), axis, nan_policy, keepdims, outputs=2, masked=True,
                    least=is_small)
    return F_onewayResult(*found)


@described(f"AlexanderGovernResult: {_TEST}", {
    "TypeError": "There are fewer than two samples.", "ValueError": "`nan_policy` is unknown, or "
    "is 'raise' and there are NaNs."}, DEPENDS)
def alexandergovern(*samples, nan_policy="propagate", axis=0, keepdims=False):
    """The test of Alexander and Govern of equal means of samples with different variances."""
    if len(samples) < 2:
        raise refuse(f"2 or more inputs required, got {len(samples)}", TypeError, "count")

    def core(*samples, masks=None):
        if masks is None and any(one.shape[-1] < 2 for one in samples):
            raise refuse("Input sample size must be greater than one.")
        masks = masks or [None] * len(samples)
        numbers = [count(*one) for one in zip(samples, masks)]
        middles = [mean(*one) for one in zip(samples, masks)]
        errors = [np.sqrt(variance(x, mask, 1) / n)
                  for n, x, mask in zip(numbers, samples, masks)]
        inverse = [1 / one**2 for one in errors]
        both = sum(inverse)
        middle = sum(w / both * m for w, m in zip(inverse, middles))
        squares = 0.0
        for n, m, error in zip(numbers, middles, errors):
            df = n - 1
            a = df - 0.5
            b = 48 * a**2
            t = (m - middle) / error
            c = np.sqrt(a * np.log1p(t**2 / df))
            z = c + (c**3 + 3 * c) / b
            z = z - (4 * c**7 + 33 * c**5 + 240 * c**3 + 855 * c) / (
                b**2 * 10 + 8 * b * c**4 + 1000 * b
            )
            squares = squares + z**2
        return squares, _pvalues.chi2(squares, len(samples) - 1)

    found = reduced(
        core, common(*samples), axis, nan_policy, keepdims, outputs=2, masked=True, least=2,
        attempts=True,
    )
    return AlexanderGovernResult(*found)




class TukeyHSDResult:
    """The differences of the means of all pairs of samples, and their p-values."""

    def __init__(self, statistic, pvalue, error, samples, df):
        self.statistic, self.pvalue = statistic, pvalue
        self._error, self._samples, self._df = error, samples, df
        self._level = 0.95

    def __repr__(self):
        return f"TukeyHSDResult(statistic={self.statistic!r}, pvalue={self.pvalue!r})"

    def __str__(self):
        # A table of all pairs, with the limits of the level that was last asked for.
        low, high = self.confidence_interval(self._level)
        columns = [part.tolist() for part in (self.statistic, self.pvalue, low, high)]
        lines = [f"Pairwise Group Comparisons ({self._level:.1%} Confidence Interval)",
                 "Comparison  Statistic  p-value  Lower CI  Upper CI"]
        for first in range(self._samples):
            for second in range(self._samples):
                if first != second:
                    numbers = "".join(f"{column[first][second]:>10.3f}" for column in columns)
                    lines.append(f" ({first} - {second}) {numbers}")
        return "\n".join(lines) + "\n"

    @described("ConfidenceInterval: Matrices of limits.", {"ValueError": "The level is not between "
               "0 and 1."}, "Collective: the quantile is SciPy's, on the host.")
    def confidence_interval(self, confidence_level=0.95):
        """The confidence intervals of the differences."""
        from scipy import stats

        if not 0 < confidence_level < 1:
            raise refuse("Confidence level must be between 0 and 1.")
        self._level = confidence_level
        apart = self._error * np.asarray(
            stats.studentized_range.ppf(confidence_level, self._samples, self._df)
        )
        return ConfidenceInterval(self.statistic - apart, self.statistic + apart)


@described("TukeyHSDResult: Matrices of the differences of means and of p-values.",
           notes="Collective: sums over samples are read. The distribution is SciPy's, on the "
           "host.", args=("array_like", "The samples, which are vectors."))
def tukey_hsd(*args, equal_var=True):
    """Tukey's test of the means of all pairs of samples; that of Games and Howell for samples with
    different variances."""
    import numpy
    from scipy import stats

    if not isinstance(equal_var, bool):
        text = f"Expected a boolean value for 'equal_var', not {equal_var!r}"
        raise refuse(text, TypeError, "type")
    if len(args) < 2:
        raise refuse("There must be more than 1 treatment.", mistake="count")
    samples = common(*args)
    for one in samples:
        if one.ndim != 1:
            raise refuse("Input samples must be one-dimensional.")
        if one.shape[0] <= 1:
            raise refuse("Input sample size must be greater than one.")
        if bool(np.isinf(one).any()):
            raise refuse("Input samples must be finite.")
    k = len(samples)
    sizes = numpy.array([one.shape[0] for one in samples], float)
    sums = np.stack([np.stack([one.mean(), variance(one, None, 1)]) for one in samples]).get()
    middles, spreads = sums.astype(float).T
    apart = middles[:, None] - middles
    if equal_var:
        df = sizes.sum() - k
        pooled = (spreads * (sizes - 1)).sum() / df
        error = numpy.sqrt(pooled * (1 / sizes[:, None] + 1 / sizes) / 2)
    else:
        own = spreads / sizes
        both = own[:, None] + own
        error = numpy.sqrt(both / 2)
        parts = own**2 / (sizes - 1)
        df = both**2 / (parts[:, None] + parts)
    p = stats.studentized_range.sf(numpy.abs(apart) / error, k, df)
    statistic = np.asarray(apart.astype(samples[0].dtype))
    return TukeyHSDResult(statistic, np.asarray(p), np.asarray(error), k, df)
