"""Tests that use ranks of samples."""

import math

import phalanx as np

from . import _exact, _pvalues
from ._arrays import check_alternative, check_policy, common, floating, host, reduced, refuse
from ._described import COLLECTIVE, DEPENDS, described
from ._ranks import Ranked
from ._results import result

_TEST = "The statistic and its p-value."
KruskalResult = result("KruskalResult", "statistic pvalue")
FriedmanchisquareResult = result("FriedmanchisquareResult", "statistic pvalue")
MannwhitneyuResult = result("MannwhitneyuResult", "statistic pvalue")
WilcoxonResult = result("WilcoxonResult", "statistic pvalue", unshown="zstatistic")
RanksumsResult = result("RanksumsResult", "statistic pvalue")
BrunnerMunzelResult = result("BrunnerMunzelResult", "statistic pvalue")
MedianTestResult = result("MedianTestResult", "statistic pvalue median table")


def pooled(samples):
    """The samples as one along the last axis, and the places at which each starts."""
    samples = common(*samples)
    ends = [0]
    for one in samples:
        ends.append(ends[-1] + one.shape[-1])
    return np.concatenate(samples, -1), ends


@described(f"KruskalResult: {_TEST}")
def kruskal(*samples, nan_policy="propagate", axis=0, keepdims=False):
    """The test of Kruskal and Wallis of equal medians of samples."""
    if len(samples) < 2:
        raise refuse("Need at least two groups in stats.kruskal()", mistake="count")

    def core(*samples):
        both, ends = pooled(samples)
        n = ends[-1]
        ranked = Ranked(both)
        ranks = ranked.ranks()
        sums = sum(ranks[..., low:high].sum(-1) ** 2 / (high - low)
                   for low, high in zip(ends, ends[1:]))
        h = 12.0 / (n * (n + 1)) * sums - 3 * (n + 1)
        h = h / (1.0 - ranked.ties() / (float(n) ** 3 - n))
        return h, _pvalues.chi2(np.maximum(h, 0), len(samples) - 1)

    found = reduced(core, common(*samples), axis, nan_policy, keepdims, outputs=2, guard=True)
    return KruskalResult(*found)


@described(f"FriedmanchisquareResult: {_TEST}")
def friedmanchisquare(*samples, axis=0, nan_policy="propagate", keepdims=False):
    """Friedman's test of repeated measurements."""
    k = len(samples)
    if k < 3:
        raise refuse("At least 3 sets of samples must be given for Friedman test, got "
                     f"{k}.", mistake="count")

    def core(*samples):
        n = samples[0].shape[-1]
        ranked = Ranked(np.stack(samples, -1))
        ranks = ranked.ranks()
        ties = ranked.ties().sum(-1)
        correction = 1 - ties / (k * (k * k - 1) * n)
        squares = (ranks.sum(-2) ** 2).sum(-1)
        found = (12.0 / (k * n * (k + 1)) * squares - 3 * n * (k + 1)) / correction
        return found, _pvalues.chi2(np.maximum(found, 0), k - 1)

    found = reduced(core, common(*samples), axis, nan_policy, keepdims, outputs=2, paired=True,
                    guard=True)
    return FriedmanchisquareResult(*found)


@described(f"MannwhitneyuResult: {_TEST}", notes=DEPENDS.replace(
    "Collective if", "Collective for few elements, or if"))
def mannwhitneyu(
    x,
    y,
    use_continuity=True,
    alternative="two-sided",
    axis=0,
    method="auto",
    *,
    nan_policy="propagate",
    keepdims=False,
):
    """The test of Mann and Whitney of the order of two samples."""
    check_alternative(alternative)
    method = str(method).lower()
    if method not in ("auto", "asymptotic", "exact"):
        raise refuse("`method` must be one of {'asymptotic', 'auto', 'exact'}.",
                     mistake="choice")

    def core(x, y):
        both, _ = pooled([x, y])
        n1, n2 = x.shape[-1], y.shape[-1]
        n = n1 + n2
        ranked = Ranked(both)
        first = ranked.ranks()[..., :n1].sum(-1) - n1 * (n1 + 1) / 2
        second = n1 * n2 - first
        u, factor = {
            "greater": (first, 1), "less": (second, 1), "two-sided": (np.maximum(first, second), 2)
        }[alternative]
        chosen = method
        if method == "auto":
            few = n1 <= 8 or n2 <= 8
            chosen = "exact" if few and not bool(ranked.ties().any()) else "asymptotic"
        if chosen == "exact":
            p = _exact.looked_up(_exact.mann_whitney(n1, n2), np.floor(u))
        else:
            spread = np.sqrt(n1 * n2 / 12 * ((n + 1) - ranked.ties() / (n * (n - 1.0))))
            p = _pvalues.normal((u - n1 * n2 / 2 - 0.5 * use_continuity) / spread, "greater")
        return first, np.clip(p * factor, 0.0, 1.0)

    found = reduced(core, common(x, y), axis, nan_policy, keepdims, outputs=2, guard=True)
    return MannwhitneyuResult(*found)


@described(f"WilcoxonResult: {_TEST}", notes=COLLECTIVE,
           y=("array_like", "The second sample; None if `x` has differences."))
def wilcoxon(
    x,
    y=None,
    zero_method="wilcox",
    correction=False,
    alternative="two-sided",
    method="auto",
    *,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
):
    """Wilcoxon's signed-rank test of the differences of pairs."""
    check_alternative(alternative)
    zero_method = str(zero_method).lower()
    if zero_method not in ("wilcox", "pratt", "zsplit"):
        raise refuse("`zero_method` must be one of {'wilcox', 'pratt', 'zsplit'}.",
                     mistake="choice")
    if method not in ("auto", "asymptotic", "approx", "exact"):
        raise refuse("`method` must be one of 'auto', 'exact', 'asymptotic'.", mistake="choice")
    scores = {}

    def core(*samples):
        d = samples[0] - samples[1] if len(samples) > 1 else samples[0]
        n = d.shape[-1]
        zeros = (d == 0).sum(-1)
        # Zeros have the least ranks.
        ranked = Ranked(np.abs(d))
        ranks = ranked.ranks()
        t = ranked.lengths.astype(np.float64)
        ties = np.where(ranked.sorted == 0, 0.0, t * t - 1).sum(-1)
        all_ties = ranked.ties()
        number = np.full_like(zeros, n)
        if zero_method == "wilcox":
            ranks = ranks - zeros[..., None]
            number = n - zeros
        if zero_method == "zsplit":
            half = np.where(d == 0, ranks, 0.0).sum(-1) / 2
            ties = all_ties
        plus = np.where(d > 0, ranks, 0.0).sum(-1)
        minus = np.where(d < 0, ranks, 0.0).sum(-1)
        if zero_method == "zsplit":
            plus, minus = plus + half, minus + half
        chosen = "asymptotic" if method == "approx" else method
        if method == "auto":
            is_plain = not bool(((ties > 0) | (zeros > 0)).any())
            chosen = "exact" if n <= 50 and is_plain else "asymptotic"
            if not is_plain and n <= 13:
                chosen = "permutations"
        statistic = np.minimum(plus, minus) if alternative == "two-sided" else plus
        if chosen == "permutations":
            if n < 2:
                raise refuse("each sample must contain two or more observations along `axis`.")
            p = _exact.on_rows(
                lambda d: _exact.signed_ranks(d, zero_method, alternative), d
            )
            return statistic, p
        if chosen == "exact":
            sizes = set(host(number).reshape(-1).tolist())
            p = np.full(plus.shape, np.nan)
            for size in sizes:
                own = _exact.wilcoxon(size)
                above = _exact.looked_up(own, np.clip(np.ceil(plus), 0, size * (size + 1) // 2))
                # The distribution is symmetric.
                below = _exact.looked_up(
                    own, np.clip(np.ceil(size * (size + 1) / 2 - plus), 0, None)
                )
                found = {"greater": above, "less": below,
                         "two-sided": np.minimum(2 * np.minimum(above, below), 1.0)}[alternative]
                p = np.where(number == size, found, p)
            return statistic, p
        m = number.astype(np.float64)
        middle = m * (m + 1) / 4
        spread = m * (m + 1) * (2 * m + 1)
        if zero_method == "pratt":
            z0 = zeros.astype(np.float64)
            middle = middle - z0 * (z0 + 1) / 4
            spread = spread - z0 * (z0 + 1) * (2 * z0 + 1)
        spread = np.sqrt((spread - ties / 2) / 24)
        z = plus - middle
        if correction:
            sign = {"two-sided": np.sign(z), "greater": 1.0, "less": -1.0}[alternative]
            z = z - 0.5 * sign
        z = z / spread
        scores["z"] = z
        return statistic, _pvalues.normal(z, alternative)

    samples = [floating(x)] if y is None else common(x, y)
    found = reduced(core, samples, axis, nan_policy, keepdims, outputs=2, paired=True, guard=True)
    if "z" in scores and scores["z"].shape == found[0].shape:
        return WilcoxonResult(*found, zstatistic=scores["z"])
    return WilcoxonResult(*found)


@described(f"RanksumsResult: {_TEST}")
def ranksums(
    x, y, alternative="two-sided", *, axis=0, nan_policy="propagate", keepdims=False
):
    """Wilcoxon's rank-sum test of the order of two samples."""
    check_alternative(alternative)

    def core(x, y):
        n1, n2 = x.shape[-1], y.shape[-1]
        ranks = Ranked(pooled([x, y])[0]).ranks()
        expected = n1 * (n1 + n2 + 1) / 2.0
        z = ranks[..., :n1].sum(-1) - expected
        z = z / math.sqrt(n1 * n2 * (n1 + n2 + 1) / 12.0)
        return z, _pvalues.normal(z, alternative)

    found = reduced(core, common(x, y), axis, nan_policy, keepdims, outputs=2, guard=True,
                    double=True)
    return RanksumsResult(*found)


@described(f"BrunnerMunzelResult: {_TEST}",
           distribution=("{'t', 'normal'}", "The distribution of the statistic."))
def brunnermunzel(
    x,
    y,
    alternative="two-sided",
    distribution="t",
    nan_policy="propagate",
    *,
    axis=0,
    keepdims=False,
):
    """The test of Brunner and Munzel of the order of two samples with different variances."""
    check_alternative(alternative)
    if distribution not in ("t", "normal"):
        raise refuse("distribution should be 't' or 'normal'", mistake="choice")

    def core(x, y):
        n1, n2 = x.shape[-1], y.shape[-1]
        both = Ranked(pooled([x, y])[0]).ranks()
        first, second = both[..., :n1], both[..., n1:]
        m1, m2 = first.mean(-1), second.mean(-1)
        own1, own2 = Ranked(x).ranks(), Ranked(y).ranks()

        def spread(ranks, own, middle):
            apart = ranks - own - middle[..., None] + own.mean(-1, keepdims=True)
            return (apart**2).sum(-1) / (ranks.shape[-1] - 1)

        s1, s2 = spread(first, own1, m1), spread(second, own2, m2)
        w = n1 * n2 * (m2 - m1) / ((n1 + n2) * np.sqrt(n1 * s1 + n2 * s2))
        turned = {"two-sided": "two-sided", "less": "greater", "greater": "less"}[alternative]
        if distribution == "normal":
            return w, _pvalues.normal(w, turned)
        above = (n1 * s1 + n2 * s2) ** 2
        below = (n1 * s1) ** 2 / (n1 - 1) + (n2 * s2) ** 2 / (n2 - 1)
        return w, _pvalues.student(w, above / below, turned)

    found = reduced(core, common(x, y), axis, nan_policy, keepdims, outputs=2, guard=True,
                    double=True)
    return BrunnerMunzelResult(*found)


@described("MedianTestResult: The statistic, its p-value, the median and the table of counts.",
           notes=COLLECTIVE)
def median_test(*samples, ties="below", correction=True, lambda_=1, nan_policy="propagate"):
    """Mood's test of equal medians of samples. The counts are made on devices."""
    from scipy import stats

    if len(samples) < 2:
        raise refuse("median_test requires two or more samples.", mistake="count")
    if ties not in ("below", "above", "ignore"):
        raise refuse(f"invalid 'ties' option '{ties}'", mistake="choice")
    check_policy(nan_policy)
    samples = list(map(floating, samples))
    for one in samples:
        if one.ndim != 1:
            raise refuse("each sample must have one axis")
        if one.size == 0:
            raise refuse("a sample has no elements")
    both = np.concatenate(samples)
    nans = np.isnan(both).any()
    if nan_policy == "raise" and bool(nans):
        raise refuse("The input contains nan values")
    if nan_policy == "propagate" and bool(nans):
        nothing = np.asarray(math.nan)
        return MedianTestResult(nothing, nothing, nothing, None)
    if nan_policy == "omit":
        samples = [one[~np.isnan(one)] for one in samples]
        both = np.concatenate(samples)
    middle = np.median(both)
    counts = np.stack([
        np.stack([(one > middle).sum() for one in samples]),
        np.stack([(one < middle).sum() for one in samples]),
        np.stack([(one == middle).sum() for one in samples]),
    ]).get()
    table = counts[:2].copy()
    if ties != "ignore":
        table[1 if ties == "below" else 0] += counts[2]
    for row, name in zip(table.sum(1), ("above", "below")):
        if row == 0:
            raise refuse(f"All values are {name if ties == name else 'on one side of'} "
                         f"the grand median ({float(middle)}).")
    if ties == "ignore" and (table.sum(0) == 0).any():
        raise refuse("a sample has only elements that equal the grand median")
    statistic, p, *_ = stats.chi2_contingency(table, lambda_=lambda_, correction=correction)
    return MedianTestResult(
        np.asarray(float(statistic)), np.asarray(float(p)), middle, np.asarray(table)
    )


