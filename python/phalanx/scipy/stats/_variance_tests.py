"""Tests of the variances of samples."""


import phalanx as np

from . import _pvalues
from ._arrays import check_alternative, common, reduced, refuse, variance
from ._described import DEPENDS, described
from ._rank_tests import pooled
from ._ranks import Ranked
from ._results import result

_TEST = "The statistic and its p-value."
LeveneResult = result("LeveneResult", "statistic pvalue")
BartlettResult = result("BartlettResult", "statistic pvalue")
FlignerResult = result("FlignerResult", "statistic pvalue")
AnsariResult = result("AnsariResult", "statistic pvalue")
MoodResult = result("SignificanceResult", "statistic pvalue")
_TWO = {"ValueError": "There are fewer than two samples, an argument has an unknown value, or "
        "`nan_policy` is 'raise' and there are NaNs."}


def _centred(samples, center, proportiontocut):
    """The distances of samples from their centres."""
    if center == "trimmed":

        def middle(one, axis):
            n = one.shape[-1]
            cut = int(proportiontocut * n)
            return np.sort(one, -1)[..., cut : n - cut].mean(axis)

        return [np.abs(one - middle(one, -1)[..., None]) for one in samples]
    middle = np.mean if center == "mean" else np.median
    return [np.abs(one - middle(one, axis=-1)[..., None]) for one in samples]


def _check(samples, center="mean"):
    if len(samples) < 2:
        raise refuse("Must enter at least two input sample vectors.", mistake="count")
    if center not in ("mean", "median", "trimmed"):
        raise refuse("center must be 'mean', 'median' or 'trimmed'.", mistake="choice")


@described(f"LeveneResult: {_TEST}", _TWO)
def levene(
    *samples,
    center="median",
    proportiontocut=0.05,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
):
    """Levene's test of equal variances of samples."""
    _check(samples, center)

    def core(*samples):
        k = len(samples)
        apart = _centred(samples, center, proportiontocut)
        numbers = [one.shape[-1] for one in apart]
        n = sum(numbers)
        middles = [one.mean(-1) for one in apart]
        middle = sum(m * size for m, size in zip(middles, numbers)) / n
        between = sum(size * (m - middle) ** 2 for m, size in zip(middles, numbers))
        within = sum(((one - m[..., None]) ** 2).sum(-1) for one, m in zip(apart, middles))
        w = (n - k) * between / ((k - 1) * within)
        return w, _pvalues.f(w, k - 1, n - k)

    found = reduced(core, common(*samples), axis, nan_policy, keepdims, outputs=2, guard=True)
    return LeveneResult(*found)


@described(f"BartlettResult: {_TEST}", _TWO)
def bartlett(*samples, axis=0, nan_policy="propagate", keepdims=False):
    """Bartlett's test of equal variances of samples that are normally distributed."""
    _check(samples)

    def core(*samples):
        k = len(samples)
        # Samples of one element have no variance: the result is NaN.
        numbers = [np.asarray(float(one.shape[-1])) for one in samples]
        spreads = [variance(one, None, 1) for one in samples]
        n = sum(numbers)
        both = sum((size - 1.0) * v for size, v in zip(numbers, spreads)) / (n - k)
        above = (n - k) * np.log(both) - sum(
            (size - 1.0) * np.log(v) for size, v in zip(numbers, spreads)
        )
        below = 1 + (sum(1.0 / (size - 1) for size in numbers) - 1.0 / (n - k)) / (3 * (k - 1))
        t = np.maximum(above / below, 0.0)
        return t, _pvalues.chi2(t, k - 1)

    found = reduced(core, common(*samples), axis, nan_policy, keepdims, outputs=2)
    return BartlettResult(*found)


@described(f"FlignerResult: {_TEST}", _TWO)
def fligner(
    *samples,
    center="median",
    proportiontocut=0.05,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
):
    """The test of Fligner and Killeen of equal variances of samples."""
    _check(samples, center)
    if center == "trimmed" and proportiontocut > 0.5:
        raise refuse("Proportion too big.")

    def core(*samples):
        apart, ends = pooled(_centred(samples, center, proportiontocut))
        n = ends[-1]
        scores = _pvalues.special("ndtri", Ranked(apart).ranks() / (2 * (n + 1.0)) + 0.5)
        middle = scores.mean(-1, keepdims=True)
        spread = variance(scores, None, 1)
        between = sum(
            (high - low) * (scores[..., low:high].mean(-1) - middle[..., 0]) ** 2
            for low, high in zip(ends, ends[1:])
        )
        found = between / spread
        return found, _pvalues.chi2(found, len(samples) - 1)

    found = reduced(core, common(*samples), axis, nan_policy, keepdims, outputs=2, guard=True)
    return FlignerResult(*found)


@described(f"AnsariResult: {_TEST}", notes=DEPENDS.replace(
    "Collective if", "Collective for few elements, or if"))
def ansari(x, y, alternative="two-sided", *, axis=0, nan_policy="propagate", keepdims=False):
    """The test of Ansari and Bradley of equal scales of two samples."""
    check_alternative(alternative)

    def core(x, y):
        m, n = x.shape[-1], y.shape[-1]
        if m < 1:
            raise refuse("Not enough other observations.")
        if n < 1:
            raise refuse("Not enough test observations.")
        total = m + n
        ranked = Ranked(pooled([x, y])[0])
        ranks = ranked.ranks()
        near = np.minimum(ranks, total - ranks + 1)
        statistic = near[..., :m].sum(-1)
        if m < 55 and n < 55 and not bool(ranked.ties().any()):
            from scipy import stats

            # The exact distribution is SciPy's; the samples are small.
            return statistic, np.asarray(
                stats.ansari(x.get(), y.get(), alternative, axis=-1).pvalue
            )
        if total % 2:
            middle = m * (total + 1.0) ** 2 / (4.0 * total)
            spread = m * n * (total + 1.0) * (3 + total**2) / (48.0 * total**2)
        else:
            middle = m * (total + 2.0) / 4.0
            spread = m * n * (total + 2) * (total - 2.0) / (48 * (total - 1.0))
        squares = (near**2).sum(-1)
        if total % 2:
            tied = m * n * (16 * total * squares - (total + 1) ** 4) / (
                16.0 * total**2 * (total - 1)
            )
        else:
            tied = m * n * (16 * squares - total * (total + 2) ** 2) / (
                16.0 * total * (total - 1)
            )
        spread = np.where(ranked.ties() > 0, tied, spread)
        z = (middle - statistic) / np.sqrt(spread)
        return statistic, _pvalues.normal(z, alternative)

    found = reduced(core, common(x, y), axis, nan_policy, keepdims, outputs=2, guard=True)
    return AnsariResult(*found)


@described(f"SignificanceResult: {_TEST}")
def mood(x, y, axis=0, alternative="two-sided", *, nan_policy="propagate", keepdims=False):
    """Mood's test of equal scales of two samples."""
    check_alternative(alternative)

    def core(x, y):
        m, n = x.shape[-1], y.shape[-1]
        total = m + n
        ranked = Ranked(pooled([x, y])[0])
        middle = (total + 1.0) / 2
        # The mean of the squares over a run of ties replaces that of the mean rank.
        t = ranked.lengths.astype(np.float64)
        scores = (ranked.values("average") - middle) ** 2 + (t * t - 1) / 12
        own = ranked.back(scores)[..., :m].sum(-1)
        expected = m * (total * total - 1.0) / 12
        squares = (scores**2).sum(-1)
        mean = (total * total - 1.0) / 12
        spread = m * n / (total * (total - 1.0)) * (squares - total * mean**2)
        z = (own - expected) / np.sqrt(spread)
        return z, _pvalues.normal(z, alternative)

    found = reduced(core, common(x, y), axis, nan_policy, keepdims, outputs=2, guard=True,
                    least=lambda m, n: m + n < 3)
    return MoodResult(*found)


