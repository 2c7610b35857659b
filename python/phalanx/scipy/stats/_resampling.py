"""Tests and intervals by resampling, vectorised on devices."""

import inspect
import itertools
import math

import phalanx as np

from . import _pvalues
from ._arrays import array, check_alternative, floating, refuse
from ._described import COLLECTIVE, described
from ._results import ConfidenceInterval, result

BootstrapResult = result(
    "BootstrapResult", "confidence_interval bootstrap_distribution standard_error"
)
PermutationTestResult = result("PermutationTestResult", "statistic pvalue null_distribution")
MonteCarloTestResult = result("MonteCarloTestResult", "statistic pvalue null_distribution")
_TAKEN = {
    "alternative": ("{'two-sided', 'less', 'greater'}", "The alternative."),
    "batch": ("int", "The number of samples that are made at once; by default all."),
    "data": ("sequence of array_like", "The samples."),
    "n_resamples": ("int", "The number of samples that are drawn."),
    "random_state": ("int or Generator", "As `rng`, by its former name."),
    "rng": ("int or Generator", "The generator, or its seed; by default the shared generator."),
    "statistic": ("callable", "The statistic of samples; with `axis` if it is vectorised."),
    "vectorized": ("bool", "Whether the statistic has a parameter `axis`; None looks for it."),
}


def generator(rng, random_state=None):
    """A generator of random numbers on devices."""
    seed = random_state if rng is None else rng
    if seed is None:
        seed = int(np.random.randint(0, 2**31 - 1))
    return np.random.default_rng(seed)


def _is_vectorized(statistic, vectorized):
    if vectorized not in (True, False, None):
        raise refuse("`vectorized` must be `True`, `False`, or `None`.")
    if vectorized is None:
        try:
            return "axis" in inspect.signature(statistic).parameters
        except (TypeError, ValueError):
            return False
    return vectorized


def _over_rows(statistic):
    """A statistic of vectors, called for each row."""

    def call(*samples, axis=-1):
        batch = np.broadcast_shapes(*(one.shape[:-1] for one in samples))
        samples = [np.broadcast_to(one, (*batch, one.shape[-1])) for one in samples]
        found = [array(statistic(*(one[index] for one in samples)))
                 for index in itertools.product(*map(range, batch))]
        return np.stack(found).reshape(batch) if batch else found[0]

    return call


def _positive(number, name):
    whole = int(number)
    if whole != number or whole <= 0:
        raise refuse(f"`{name}` must be a positive integer.")
    return whole


def _moved(data, axis):
    """Samples with the axis last, whose other extents are equal."""
    samples = [np.atleast_1d(array(one)) for one in data]
    samples = [np.moveaxis(one, axis, -1) for one in samples]
    ndim = max(one.ndim for one in samples)
    return [one.reshape((1,) * (ndim - one.ndim) + one.shape) for one in samples]


def _p_value(null, observed, alternative, is_complete):
    """The share of statistics at least as extreme; the observed one counts among random ones."""
    n = null.shape[0]
    gap = np.abs(observed) * (100 * float(np.finfo(null.dtype).eps))
    extra = 0 if is_complete else 1
    below = ((null <= observed + gap).sum(0) + extra) / (n + extra)
    above = ((null >= observed - gap).sum(0) + extra) / (n + extra)
    if alternative == "less":
        return below
    if alternative == "greater":
        return above
    return np.minimum(2 * np.minimum(below, above), 1.0)


def _batches(total, batch):
    batch = total if batch is None else min(_positive(batch, "batch"), total)
    for start in range(0, total, max(batch, 1)):
        yield start, min(start + batch, total)


@described("BootstrapResult: The interval, the statistics of the samples and their deviation.",
           {"ValueError": "A sample is too small, or an argument is not allowed."}, COLLECTIVE,
           **_TAKEN,
           bootstrap_result=("BootstrapResult", "An earlier result, whose statistics are kept."),
           confidence_level=("float", "The level of the interval, between 0 and 1."),
           method=("{'percentile', 'basic', 'BCa'}", "How the interval is computed."),
           paired=("bool", "Whether elements of the samples belong together."))
def bootstrap(
    data,
    statistic,
    *,
    n_resamples=9999,
    batch=None,
    vectorized=None,
    paired=False,
    axis=0,
    confidence_level=0.95,
    alternative="two-sided",
    method="BCa",
    bootstrap_result=None,
    rng=None,
    random_state=None,
):
    """The confidence interval of a statistic, by samples that are drawn with replacement."""
    check_alternative(alternative)
    kind = str(method).lower()
    if kind not in ("percentile", "basic", "bca"):
        raise refuse("`method` must be in {'percentile', 'basic', 'bca'}", mistake="choice")
    try:
        samples = _moved(data, axis)
    except TypeError:
        raise refuse("`data` must be a sequence of samples.") from None
    if any(one.shape[-1] <= 1 for one in samples):
        raise refuse("each sample in `data` must contain two or more observations along `axis`.")
    if paired and len({one.shape[-1] for one in samples}) > 1:
        raise refuse("When `paired is True`, all samples must have the same length along `axis`",
                     mistake="together")
    n_resamples = int(n_resamples)
    if n_resamples < 0:
        raise refuse("`n_resamples` must be a non-negative integer.")
    if not _is_vectorized(statistic, vectorized):
        statistic = _over_rows(statistic)
    draw = generator(rng, random_state)
    found = [] if bootstrap_result is None else [bootstrap_result.bootstrap_distribution]
    for start, stop in _batches(n_resamples, batch):
        drawn, places = [], None
        for one in samples:
            n = one.shape[-1]
            if places is None or not paired:
                places = draw.integers(0, n, size=(stop - start, n))
            # The new axis of samples comes first.
            drawn.append(np.moveaxis(one[..., places], -2, 0))
        found.append(np.moveaxis(array(statistic(*drawn, axis=-1)), 0, -1))
    null = np.concatenate([floating(one) for one in found], -1)
    tail = (1 - confidence_level) / 2 if alternative == "two-sided" else 1 - confidence_level
    levels = (tail, 1 - tail)
    with np.errstate(all="ignore"):
        if kind == "bca":
            low, high = _accelerated(samples, statistic, null, paired, levels)
        else:
            low, high = np.quantile(null, list(levels), axis=-1)
        if kind == "basic":
            middle = array(statistic(*samples, axis=-1))
            low, high = 2 * middle - high, 2 * middle - low
    if alternative == "less":
        low = np.full_like(low, -np.inf)
    if alternative == "greater":
        high = np.full_like(high, np.inf)
    return BootstrapResult(ConfidenceInterval(low, high), null, np.std(null, -1, ddof=1))


def _left_out(sample):
    """Samples without one element each, as an axis before the last one."""
    n = sample.shape[-1]
    place = np.arange(n - 1)
    return sample[..., place + (place >= np.arange(n)[:, None])]


def _accelerated(samples, statistic, null, paired, levels):
    """Quantiles with the corrections of bias and acceleration (Efron, 1987)."""
    middle = array(statistic(*samples, axis=-1))[..., None]
    share = ((null < middle).mean(-1) + (null <= middle).mean(-1)) / 2
    bias = _pvalues.special("ndtri", share)
    above = below = 0.0
    groups = [samples] if paired else [
        [*samples[:place], one, *samples[place + 1 :]] for place, one in enumerate(samples)
    ]
    for place, group in enumerate(groups):
        chosen = range(len(group)) if paired else [place]
        made = [_left_out(one) if at in chosen else one[..., None, :]
                for at, one in enumerate(group)]
        influence = array(statistic(*made, axis=-1))
        n = influence.shape[-1]
        apart = influence.mean(-1, keepdims=True) - influence
        above = above + (apart**3).sum(-1) / n**3
        below = below + (apart**2).sum(-1) / n**2
    acceleration = above / (6 * below**1.5)
    ends = []
    for level in levels:
        z = float(_pvalues.special("ndtri", np.asarray(level)))
        moved = bias + (bias + z) / (1 - acceleration * (bias + z))
        ends.append(_row_quantiles(null, _pvalues.special("ndtr", moved)))
    return ends


def _row_quantiles(x, levels):
    """Quantiles along the last axis, with a level for each row."""
    n = x.shape[-1]
    ordered = np.sort(x, -1)
    place = np.where(np.isnan(levels), 0.0, levels) * (n - 1)
    low = np.clip(np.floor(place), 0, n - 1).astype(np.int64)
    high = np.minimum(low + 1, n - 1)
    ends = [np.take_along_axis(ordered, one[..., None], -1)[..., 0] for one in (low, high)]
    found = ends[0] + (ends[1] - ends[0]) * (place - low)
    return np.where(np.isnan(levels), np.nan, found)


def _orders(samples, kind, n_resamples, draw):
    """Pairs of a number of permutations and a function that permutes samples, and whether they are
    all permutations. The function gets the range of permutations."""
    sizes = [one.shape[-1] for one in samples]
    if kind == "independent":
        total = sum(sizes)
        count = math.factorial(total)
        for one in sizes:
            count //= math.factorial(one)
        whole = np.concatenate(np.broadcast_arrays(*samples) if len(set(sizes)) == 1 else samples,
                               -1)

        def cut(places):
            moved, ends, pieces = np.moveaxis(whole[..., places], -2, 0), 0, []
            for one in sizes:
                pieces.append(moved[..., ends : ends + one])
                ends += one
            return pieces

        if count <= n_resamples:
            table = np.asarray(list(_splits(sizes)))
            return count, True, lambda start, stop: cut(table[start:stop])
        return n_resamples, False, lambda start, stop: cut(
            np.argsort(draw.random((stop - start, total)), axis=-1)
        )
    n = sizes[0]
    if len(set(sizes)) > 1:
        raise refuse("The number of observations in each sample must be the same",
                     mistake="together")
    number = len(samples)
    if kind == "pairings":
        count = math.factorial(n) ** number
        if count <= n_resamples:
            rows = list(itertools.permutations(range(n)))
            table = np.asarray(list(itertools.product(rows, repeat=number)))
            made = [np.moveaxis(table[:, at], 0, 0) for at in range(number)]
            return count, True, lambda start, stop: [
                np.moveaxis(one[..., places[start:stop]], -2, 0)
                for one, places in zip(samples, made)
            ]
        return n_resamples, False, lambda start, stop: [
            np.moveaxis(one[..., np.argsort(draw.random((stop - start, n)), axis=-1)], -2, 0)
            for one in samples
        ]
    # Elements of a pair are exchanged; one sample changes its signs.
    if number == 1:
        samples = [samples[0], -samples[0]]
        choices = 2
    else:
        choices = math.factorial(number)
    count = choices**n
    stacked = np.stack(np.broadcast_arrays(*samples), -1)
    orders = np.asarray(list(itertools.permutations(range(len(samples)))))

    def exchanged(chosen):
        # The axes are samples, elements, and places in a pair.
        places = orders[chosen]
        places = places.reshape(places.shape[0], *(1,) * (stacked.ndim - 2), *places.shape[1:])
        shape = (places.shape[0], *stacked.shape)
        moved = np.take_along_axis(
            np.broadcast_to(stacked, shape), np.broadcast_to(places, shape), -1
        )
        return [moved[..., at] for at in range(number)]

    if count <= n_resamples:
        table = np.asarray(list(itertools.product(range(choices), repeat=n)))
        return count, True, lambda start, stop: exchanged(table[start:stop])
    return n_resamples, False, lambda start, stop: exchanged(
        draw.integers(0, choices, size=(stop - start, n))
    )


def _splits(sizes, left=None):
    """All orders of elements that split them into groups of given extents."""
    left = tuple(range(sum(sizes))) if left is None else left
    if len(sizes) == 1:
        yield left
        return
    for group in itertools.combinations(left, sizes[0]):
        taken = set(group)
        for rest in _splits(sizes[1:], tuple(one for one in left if one not in taken)):
            yield group + rest


@described("PermutationTestResult: The statistic, its p-value, the statistics of permutations.",
           {"ValueError": "A sample is too small, or an argument is not allowed."}, COLLECTIVE,
           **_TAKEN,
           permutation_type=("{'independent', 'samples', 'pairings'}", "What is permuted: elements "
                             "of all samples, of pairs, or within samples."))
def permutation_test(
    data,
    statistic,
    *,
    permutation_type="independent",
    vectorized=None,
    n_resamples=9999,
    batch=None,
    alternative="two-sided",
    axis=0,
    rng=None,
    random_state=None,
):
    """A test by permutations of samples: all of them, or random ones if they are too many."""
    check_alternative(alternative)
    if permutation_type not in ("independent", "samples", "pairings"):
        raise refuse("`permutation_type` must be in {'samples', 'pairings', 'independent'}",
                     mistake="choice")
    samples = _moved(data, axis)
    if permutation_type == "independent" and len(samples) < 2:
        raise refuse("`data` must be a tuple containing at least two samples", mistake="count")
    if any(one.shape[-1] <= 1 for one in samples):
        raise refuse("each sample in `data` must contain two or more observations along `axis`.")
    n_resamples = 2**62 if n_resamples == math.inf else _positive(n_resamples, "n_resamples")
    if not _is_vectorized(statistic, vectorized):
        statistic = _over_rows(statistic)
    observed = floating(statistic(*samples, axis=-1))
    count, is_complete, permuted = _orders(
        samples, permutation_type, n_resamples, generator(rng, random_state)
    )
    null = np.concatenate([
        floating(statistic(*permuted(start, stop), axis=-1)).reshape(stop - start, *observed.shape)
        for start, stop in _batches(count, batch)
    ])
    return PermutationTestResult(
        observed, _p_value(null, observed, alternative, is_complete), null
    )


@described("MonteCarloTestResult: The statistic, its p-value, the statistics of random samples.",
           {"ValueError": "An argument is not allowed."}, COLLECTIVE, **_TAKEN,
           rvs=("callable or tuple of callable", "Draws samples: called with `size`."))
def monte_carlo_test(
    data,
    rvs,
    statistic,
    *,
    vectorized=None,
    n_resamples=9999,
    batch=None,
    alternative="two-sided",
    axis=0,
):
    """A test of whether samples are drawn from distributions, by random samples of them."""
    check_alternative(alternative)
    if not isinstance(data, (list, tuple)):
        data = (data,)
    data = (data,) if not hasattr(data[0], "__len__") and not isinstance(
        data[0], np.ndarray) else data
    rvs = rvs if isinstance(rvs, (list, tuple)) else (rvs,)
    if len(rvs) != len(data):
        raise refuse("If `rvs` is a sequence, `len(rvs)` must equal `len(data)`.",
                     mistake="together")
    if not all(map(callable, rvs)):
        raise refuse("`rvs` must be callable or sequence of callables.", TypeError, "type")
    if not callable(statistic):
        raise refuse("`statistic` must be callable.", TypeError, "type")
    samples = _moved(data, axis)
    n_resamples = _positive(n_resamples, "n_resamples")
    if not _is_vectorized(statistic, vectorized):
        statistic = _over_rows(statistic)
    observed = floating(statistic(*samples, axis=-1))
    parts = []
    for start, stop in _batches(n_resamples, batch):
        drawn = [array(one(size=(stop - start, own.shape[-1]))) for one, own in zip(rvs, samples)]
        parts.append(floating(statistic(*drawn, axis=-1)))
    null = np.concatenate(parts)
    null = null.reshape(n_resamples, *(1,) * observed.ndim)
    return MonteCarloTestResult(
        observed, _p_value(null, observed, alternative, False), null.reshape(n_resamples)
    )
