"""Correlations and regressions of two samples."""

import itertools
import math
import warnings

import phalanx as np

from . import _inversions, _pvalues
from ._arrays import (
    ConstantInputWarning,
    array,
    check_alternative,
    check_policy,
    common,
    floating,
    has_nan,
    promoted,
    quiet,
    reduced,
    refuse,
)
from ._described import COLLECTIVE, DEPENDS, described
from ._ranks import Ranked, ranks
from ._results import ConfidenceInterval, result

_Pearson = result("PearsonRResult", "statistic pvalue", "_count _alternative")


class PearsonRResult(_Pearson):
    """A correlation and the probability of one at least as extreme."""

    @property
    def correlation(self):
        """The statistic."""
        return self.statistic

    @described("ConfidenceInterval: The limits of the correlation.",
               notes="Local: recorded, and computed when a value is observed.")
    def confidence_interval(self, confidence_level=0.95, method=None):
        """The confidence interval of the correlation, by Fisher's transformation."""
        if method is not None:
            raise refuse("resampling methods of intervals are not available",
                         NotImplementedError, "absent")
        n, r = self._count, array(self.statistic)
        both = np.ones_like(r)
        if n <= 3:
            low, high = -both, both
        else:
            z, spread = np.arctanh(r), math.sqrt(1 / (n - 3))
            level = 0.5 + confidence_level / 2 if self._alternative == "two-sided" else (
                confidence_level
            )
            apart = float(_pvalues.special("ndtri", np.asarray(level))) * spread
            low, high = np.tanh(z - apart), np.tanh(z + apart)
        if self._alternative == "less":
            low = -both
        if self._alternative == "greater":
            high = both
        return ConfidenceInterval(low, high)


class SignificanceResult(result("SignificanceResult", "statistic pvalue")):
    """A statistic and the probability of one at least as extreme."""

    @property
    def correlation(self):
        """The statistic."""
        return self.statistic


LinregressResult = result(
    "LinregressResult", "slope intercept rvalue pvalue stderr", "intercept_stderr"
)
TheilslopesResult = result("TheilslopesResult", "slope intercept low_slope high_slope")
SiegelslopesResult = result("SiegelslopesResult", "slope intercept")


def _correlated(x, y):
    """Pearson's correlation along the last axis; NaN for a constant sample."""
    constant = (x == x[..., :1]).all(-1) | (y == y[..., :1]).all(-1)
    apart_x, apart_y = (one - one.mean(-1, keepdims=True) for one in (x, y))
    # Scaled by the largest distances, squares do not overflow.
    apart_x, apart_y = (
        one / np.abs(one).max(-1, keepdims=True) for one in (apart_x, apart_y)
    )
    norms = np.sqrt((apart_x * apart_x).sum(-1) * (apart_y * apart_y).sum(-1))
    r = np.clip((apart_x * apart_y).sum(-1) / norms, -1.0, 1.0)
    return np.where(constant, np.nan, r)


def _beta_tail(r, n, alternative):
    """Probabilities of Pearson's correlation of samples that are normally distributed."""
    half = np.full_like(r, n / 2 - 1)
    far = _pvalues.special("betainc", half, half, (1 - np.abs(r)) / 2)
    if alternative == "two-sided":
        return 2 * far
    is_far = r < 0 if alternative == "less" else r > 0
    return np.where(np.isnan(r), np.nan, np.where(is_far, far, 1 - far))


@described("PearsonRResult: The correlation and its p-value.", notes=DEPENDS,
           method=("None", "Resampling methods are not available."))
def pearsonr(x, y, *, alternative="two-sided", method=None, axis=0):
    """Pearson's linear correlation of two samples along an axis."""
    check_alternative(alternative)
    if method is not None:
        raise refuse("`method` is not available; use permutation_test or monte_carlo_test",
                     NotImplementedError, "absent")
    x, y = (np.atleast_1d(one) for one in common(x, y))
    if axis is None:
        x, y, axis = x.reshape(-1), y.reshape(-1), 0
    if x.dtype.kind == "c":
        raise refuse("This function does not support complex data", mistake="dtype")
    n = x.shape[axis]
    if y.shape[axis] != n:
        raise refuse("`x` and `y` must have the same length along `axis`.", mistake="together")
    if n < 2:
        raise refuse("`x` and `y` must have length at least 2.")
    r = reduced(_correlated, [x, y], axis, paired=True)
    with quiet():
        if n == 2:
            r = np.round(r)
            p = np.where(np.isnan(r), np.nan, 1.0).astype(r.dtype)
        else:
            p = _beta_tail(r, n, alternative)
    return PearsonRResult(r, p, _count=n, _alternative=alternative)


@described("SignificanceResult: The correlation and its p-value.")
def pointbiserialr(x, y, *, axis=0, nan_policy="propagate", keepdims=False):
    """The correlation of a binary sample and one of numbers."""
    x, y = common(x, y)

    def core(x, y):
        r = _correlated(x, y)
        n = x.shape[-1]
        p = np.where(np.isnan(r), np.nan, 1.0) if n == 2 else _beta_tail(r, n, "two-sided")
        return r, p

    r, p = reduced(core, [x, y], axis, nan_policy, keepdims, outputs=2, paired=True, least=2,
                   guard=True)
    return SignificanceResult(r, p)


def _rank_probability(r, n, alternative):
    dof = n - 2
    t = r * np.sqrt(np.maximum(dof / ((r + 1.0) * (1.0 - r)), 0))
    return _pvalues.student(t, dof, alternative)


@described("SignificanceResult: Correlations and p-values; matrices for more than two variables.")
def spearmanr(a, b=None, axis=0, nan_policy="propagate", alternative="two-sided"):
    """Spearman's rank correlation of variables."""
    check_alternative(alternative)
    check_policy(nan_policy)
    if axis is not None and axis > 1:
        raise refuse(f"spearmanr only handles 1-D or 2-D arrays, supplied axis argument {axis}")
    a, b = (None if one is None else np.atleast_1d(one.reshape(-1) if axis is None else one)
            for one in (array(a), None if b is None else array(b)))
    if a.ndim > 2:
        raise refuse("spearmanr only handles 1-D or 2-D arrays")
    if b is None and a.ndim < 2:
        raise refuse("`spearmanr` needs at least 2 variables to compare", mistake="together")
    # Variables are columns.
    a, b = (one if one is None else one[:, None] if one.ndim == 1 else one.T if axis == 1 else one
            for one in (a, b))
    if b is not None:
        if b.shape[0] != a.shape[0]:
            raise refuse("the samples have different extents", mistake="together")
        a = np.concatenate(common(a, b), axis=1)
    nothing = SignificanceResult(*(np.full((), np.nan),) * 2)
    if a.shape[0] < 2:
        return nothing
    if bool((a[:, :2] == a[:1, :2]).all(0).any()):
        warnings.warn(
            "An input array is constant; the correlation coefficient is not defined.",
            ConstantInputWarning,
            stacklevel=2,
        )
        return nothing
    nans = np.isnan(a) if nan_policy != "propagate" and has_nan(a) else None
    if nans is not None and nan_policy == "raise":
        raise refuse("The input contains nan values")
    if nans is None:
        return SignificanceResult(*_spearman(a, alternative))
    return SignificanceResult(*_spearman_of_pairs(a, nans, alternative))


def _spearman(a, alternative):
    """Correlations of columns and their p-values; numbers for two columns."""
    n, variables = a.shape
    nans = np.isnan(a).any(0) if a.dtype.kind == "f" else np.zeros(variables, dtype=bool)
    with quiet():
        ranked = ranks(a.T)
        apart = ranked - ranked.mean(-1, keepdims=True)
        spread = apart @ apart.T / (n - 1)
        sizes = np.sqrt(np.diagonal(spread))
        r = np.clip(spread / sizes[:, None] / sizes, -1.0, 1.0)
        r = np.where(nans[:, None] | nans, np.nan, r)
        p = _rank_probability(r, n, alternative) if n > 2 else np.full_like(r, np.nan)
    return (r[1, 0], p[1, 0]) if variables == 2 else (r, p)


def _spearman_of_pairs(a, nans, alternative):
    """Correlations of columns, each pair without its rows that have NaN."""
    variables = a.shape[1]
    r, p = np.eye(variables), np.zeros((variables, variables))
    for one, other in itertools.combinations(range(variables), 2):
        pair = a[:, (one, other)][~(nans[:, one] | nans[:, other])]
        if pair.shape[0] == 1:
            raise refuse("The input must have at least 3 entries!")
        found = _spearman(pair, alternative) if pair.shape[0] else (math.nan, math.nan)
        for matrix, value in zip((r, p), found):
            matrix[one, other] = matrix[other, one] = value
    return (r[1, 0], p[1, 0]) if variables == 2 else (r, p)


@described("SignificanceResult: The correlation and its p-value.",
           method=("None", "Resampling methods are not available."))
def spearmanrho(
    x,
    y,
    /,
    *,
    alternative="two-sided",
    method=None,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
):
    """Spearman's rank correlation of two samples along an axis."""
    check_alternative(alternative)
    if method is not None:
        raise refuse("`method` is not available; use permutation_test or monte_carlo_test",
                     NotImplementedError, "absent")

    def core(x, y):
        n = x.shape[-1]
        if n < 2:
            raise refuse("`x` and `y` must have length at least 2.")
        r = _correlated(ranks(x), ranks(y))
        # Two elements have a correlation of 1 or -1 by chance.
        return r, _rank_probability(r, n, alternative) if n > 2 else np.where(
            np.isnan(r), np.nan, 1.0)

    r, p = reduced(core, common(x, y), axis, nan_policy, keepdims, outputs=2, paired=True,
                   least=2, guard=True, attempts=True)
    return SignificanceResult(r, p)


def _exact_kendall(n, discordant, alternative):
    """The probability of a number of discordant pairs without ties, from the numbers of
    permutations by inversions."""
    pairs = n * (n - 1) // 2
    few = min(discordant, pairs - discordant)
    if alternative == "two-sided" and 4 * few == n * (n - 1):
        return 1.0
    wanted = few if alternative == "two-sided" else (
        discordant if alternative == "greater" else pairs - discordant
    )
    # Beyond the middle the complement needs fewer terms.
    is_complement = wanted > pairs // 2
    last = pairs - wanted - 1 if is_complement else wanted
    counts = [1] + [0] * max(last, 0)
    for size in range(2, n + 1):
        running, after = 0, []
        for place in range(len(counts)):
            running += counts[place]
            if place >= size:
                running -= counts[place - size]
            after.append(running)
        counts = after
    share = (sum(counts) if last >= 0 else 0) / math.factorial(n)
    share = 1 - share if is_complement else share
    return min(2 * share if alternative == "two-sided" else share, 1.0)


def _kendall(x, y, method, variant, alternative):
    n = x.shape[0]
    dis, x_ties, y_ties, both, classes = _inversions.discordant(x, y)
    pairs = n * (n - 1) // 2
    xtie, x0, x1 = x_ties
    ytie, y0, y1 = y_ties
    if xtie == pairs or ytie == pairs:
        return math.nan, math.nan
    difference = pairs - xtie - ytie + both - 2 * dis
    if variant == "b":
        tau = difference / math.sqrt(pairs - xtie) / math.sqrt(pairs - ytie)
    else:
        least = min(classes)
        tau = 2 * difference / (n**2 * (least - 1) / least)
    tau = max(-1.0, min(1.0, tau))
    if method == "exact" and (xtie or ytie):
        raise refuse("Ties found, exact method cannot be used.", mistake="together")
    if method == "auto":
        few = min(dis, pairs - dis)
        is_exact = xtie == 0 and ytie == 0 and (n <= 33 or few <= 1)
        method = "exact" if is_exact else "asymptotic"
    if xtie == 0 and ytie == 0 and method == "exact":
        return tau, _exact_kendall(n, dis, alternative)
    if method != "asymptotic":
        raise refuse(f"Unknown method {method} specified. Use 'auto', 'exact' or 'asymptotic'.",
                     mistake="choice")
    m = n * (n - 1.0)
    spread = (m * (2 * n + 5) - x1 - y1) / 18 + 2 * xtie * ytie / m
    spread += x0 * y0 / (9 * m * (n - 2)) if n > 2 else 0.0
    z = difference / math.sqrt(spread)
    return tau, float(_pvalues.normal(np.asarray(z), alternative))


@described("SignificanceResult: The correlation and its p-value.", notes=COLLECTIVE,
           method=("{'auto', 'asymptotic', 'exact'}", "How the p-value is computed."))
def kendalltau(
    x,
    y,
    *,
    nan_policy="propagate",
    method="auto",
    variant="b",
    alternative="two-sided",
    axis=None,
    keepdims=False,
):
    """Kendall's rank correlation of two samples."""
    check_alternative(alternative)
    if variant not in ("b", "c"):
        raise refuse(f"Unknown variant of the method chosen: {variant}.", mistake="choice")

    def core(x, y):
        return _inversions.rows(
            lambda a, b: _kendall(a, b, method, variant, alternative), 2, x, y
        )

    found = reduced(core, [x, y], axis, nan_policy, keepdims, outputs=2, paired=True, least=2,
                    guard=True, double=True)
    return SignificanceResult(*found)


@described("SignificanceResult: The correlation; its p-value is not known.", notes=COLLECTIVE,
           rank=("bool or array_like", "The ranks by which elements are weighted; True for those "
                 "of both samples."),
           weigher=("callable", "The weight of a rank; by default ``1 / (1 + rank)``."))
def weightedtau(
    x,
    y,
    rank=True,
    weigher=None,
    additive=True,
    *,
    axis=None,
    nan_policy="propagate",
    keepdims=False,
):
    """Kendall's rank correlation, with weights of pairs."""
    # Differences have signs.
    x, y = (one.astype(np.float64) if one.dtype.kind in "bu" else one for one in promoted(x, y))
    if axis is None and x.size != y.size:
        raise refuse("All inputs to `weightedtau` must be of the same size", mistake="together")
    if not isinstance(rank, bool) and rank is not None:
        rank = array(rank).reshape(-1)
        if rank.size != x.size:
            raise refuse("the ranks have another extent", mistake="together")

    def ordered(x):
        # NaNs are the smallest elements.
        return np.where(np.isnan(x), 0, ranks(x, "dense")) if has_nan(x) else x

    def core(x, y):
        (tau,) = _inversions.rows(
            lambda a, b: (_inversions.weighted(a, b, rank, weigher, additive),),
            1, ordered(x), ordered(y),
        )
        return tau, np.full_like(tau, np.nan, dtype=floating(x).dtype)

    found = reduced(core, [x, y], axis, nan_policy, keepdims, outputs=2, paired=True, least=2,
                    double=True)
    return SignificanceResult(*found)


@described("LinregressResult: The line, its correlation, p-value and standard errors.",
           notes=COLLECTIVE)
def linregress(x, y, alternative="two-sided", *, axis=0, nan_policy="propagate", keepdims=False):
    """The line of least squares through points."""
    check_alternative(alternative)

    def core(x, y):
        if bool((x.min(-1) == x.max(-1)).any()):
            raise refuse(
                "Cannot calculate a linear regression if all x values are identical"
            )
        n = x.shape[-1]
        middle_x, middle_y = x.mean(-1), y.mean(-1)
        apart_x, apart_y = x - middle_x[..., None], y - middle_y[..., None]
        xx, yy = (apart_x * apart_x).mean(-1), (apart_y * apart_y).mean(-1)
        xy = (apart_x * apart_y).mean(-1)
        r = np.clip(xy / np.sqrt(xx * yy), -1.0, 1.0)
        r = np.where(np.isnan(xx) | np.isnan(yy), np.nan, r)
        slope = xy / xx
        intercept = middle_y - slope * middle_x
        if n == 2:
            p = np.where(y[..., 0] == y[..., 1], 1.0, 0.0)
            error = error_of_intercept = np.zeros_like(slope)
        else:
            dof = n - 2
            t = r * np.sqrt(dof / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
            p = _pvalues.student(t, dof, alternative)
            error = np.sqrt((1 - r**2) * yy / xx / dof)
            error_of_intercept = error * np.sqrt(xx + middle_x**2)
        found = slope, intercept, r, p, error, error_of_intercept
        return tuple(one.astype(np.float64) for one in found)

    found = reduced(core, common(x, y), axis, nan_policy, keepdims, outputs=6, paired=True,
                    least=2, guard=True, double=True)
    return LinregressResult(*found[:5], intercept_stderr=found[5])


@described("TheilslopesResult: The line and the limits of its slope.", notes=COLLECTIVE,
           method=("{'separate', 'joint'}", "How the intercept is computed."))
def theilslopes(
    y,
    x=None,
    alpha=0.95,
    method="separate",
    *,
    axis=None,
    nan_policy="propagate",
    keepdims=False,
):
    """The line whose slope is the median of the slopes of pairs. It needs room for all pairs."""
    if method not in ("joint", "separate"):
        raise refuse("method must be either 'joint' or 'separate'.", mistake="choice")

    def one(y, x=None):
        n = y.shape[0]
        y = y.astype(np.float64)
        x = np.arange(n, dtype=np.float64) if x is None else x.astype(np.float64)
        steps_x, steps_y = x[:, None] - x, y[:, None] - y
        slopes = np.sort((steps_y / np.where(steps_x > 0, steps_x, 1.0))[steps_x > 0])
        number = slopes.shape[0]
        if number == 0:
            return (math.nan,) * 4
        slope = np.median(slopes)
        intercept = (
            np.median(y - slope * x) if method == "joint"
            else np.median(y) - slope * np.median(x)
        )
        level = 1 - alpha if alpha > 0.5 else alpha
        z = float(_pvalues.special("ndtri", np.asarray(level / 2)))
        repeated = 0.0
        for values in (x, y):
            t = Ranked(values).lengths.astype(np.float64)
            repeated += float(((t - 1) * (2 * t + 5)).sum())
        squared = (n * (n - 1) * (2 * n + 5) - repeated) / 18
        if not squared >= 0:
            return slope, intercept, math.nan, math.nan
        root = math.sqrt(squared)
        upper = min(round((number - z * root) / 2), number - 1)
        lower = max(round((number + z * root) / 2) - 1, 0)
        return slope, intercept, slopes[lower], slopes[upper]

    found = reduced(
        lambda *samples: _inversions.rows(one, 4, *samples),
        common(y) if x is None else common(y, x), axis, nan_policy, keepdims,
        outputs=4, paired=True, least=2, guard=True, double=True,
    )
    return TheilslopesResult(*found)


@described("SiegelslopesResult: The line.", notes=COLLECTIVE,
           method=("{'hierarchical', 'separate'}", "How the intercept is computed."))
def siegelslopes(
    y, x=None, method="hierarchical", *, axis=None, nan_policy="propagate", keepdims=False
):
    """The line whose slope is the median of medians of the slopes to each point. It needs room for
    all pairs."""
    if method not in ("hierarchical", "separate"):
        raise refuse("method can only be 'hierarchical' or 'separate'", mistake="choice")

    def one(y, x=None):
        y = y.astype(np.float64)
        x = np.arange(y.shape[0], dtype=np.float64) if x is None else x.astype(np.float64)
        steps_x, steps_y = x[:, None] - x, y[:, None] - y
        apart = steps_x != 0
        safe = np.where(apart, steps_x, 1.0)
        slopes = np.nanmedian(np.where(apart, steps_y / safe, np.nan), axis=1)
        slope = np.nanmedian(slopes)
        if method == "separate":
            crossing = (y[:, None] * -x + y * x[:, None]) / safe
            intercept = np.nanmedian(np.nanmedian(np.where(apart, crossing, np.nan), axis=1))
        else:
            intercept = np.nanmedian(y - slope * x)
        return slope, intercept

    found = reduced(
        lambda *samples: _inversions.rows(one, 2, *samples),
        common(y) if x is None else common(y, x), axis, nan_policy, keepdims,
        outputs=2, paired=True, least=2, guard=True, double=True,
    )
    return SiegelslopesResult(*found)


@described("SomersDResult: The statistic, its p-value and the table.", notes=COLLECTIVE,
           y=("array_like", "The second ranking; None if `x` is a table."))
def somersd(x, y=None, alternative="two-sided"):
    """Somers' D of two rankings. Their table is counted on devices and small."""
    from scipy import stats

    from ._host import to_host

    check_alternative(alternative)
    x = array(x)
    if y is None:
        return stats.somersd(to_host(x, "somersd"), alternative=alternative)
    y = array(y)
    if x.shape != y.shape:
        raise refuse("Rankings must be of equal length.", mistake="together")
    (rows, of_x), (columns, of_y) = (np.unique(one, return_inverse=True) for one in (x, y))
    shape = (rows.shape[0], columns.shape[0])
    counts = np.bincount(of_x.reshape(-1) * shape[1] + of_y.reshape(-1),
                         minlength=shape[0] * shape[1])
    table = to_host(counts.reshape(shape), "somersd")
    if (table > 0).sum() < 2:
        # No pair of elements has an order.
        kind = type(stats.somersd([[1, 0], [0, 1]]))
        found = kind(math.nan, math.nan, table)
        found.correlation = math.nan
        return found
    return stats.somersd(table, alternative=alternative)


@described("SignificanceResult: The statistic and its p-value.",
           method=("{'asymptotic'}", "Permutation methods are not available."))
def chatterjeexi(
    x,
    y,
    *,
    axis=0,
    y_continuous=False,
    method="asymptotic",
    nan_policy="propagate",
    keepdims=False,
):
    """Chatterjee's coefficient of the dependence of one sample on another."""
    if method != "asymptotic":
        raise refuse("only the asymptotic method is available", NotImplementedError, "absent")

    def core(x, y):
        n = x.shape[-1]
        order = np.argsort(x, axis=-1, stable=True)
        y = np.take_along_axis(y, order, -1)
        ranked = Ranked(y)
        r = ranked.ranks("max").astype(np.float64)
        jumps = np.abs(np.diff(r, axis=-1)).sum(-1)
        if y_continuous:
            xi = 1 - 3 * jumps / (n * n - 1.0)
            spread = np.full_like(xi, math.sqrt(2 / 5) / math.sqrt(n))
        else:
            above = n + 1.0 - ranked.ranks("min")
            scale = (above * (n - above)).sum(-1)
            xi = 1 - n * jumps / (2 * scale)
            u = np.sort(r, axis=-1)
            i = np.arange(1, n + 1, dtype=np.float64)
            an = ((2 * n - 2 * i + 1) * u**2).sum(-1) / n**4
            bn = ((np.cumsum(u, axis=-1) + (n - i) * u) ** 2).sum(-1) / n**5
            cn = ((2 * n - 2 * i + 1) * u).sum(-1) / n**3
            dn = scale / n**3
            spread = np.sqrt((an - 2 * bn + cn**2) / dn**2) / math.sqrt(n)
        return xi, _pvalues.normal(xi / spread, "greater")

    xi, p = reduced(core, [x, y], axis, nan_policy, keepdims, outputs=2,
                    paired=True, least=2, guard=True)
    return SignificanceResult(xi, p)
