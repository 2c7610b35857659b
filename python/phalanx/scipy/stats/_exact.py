"""Exact distributions of rank statistics of few elements, as tables made on the host."""

import functools
import itertools

import phalanx as np

from ._inversions import rows


def looked_up(table, places):
    """Entries of a table of the host at places that are whole numbers."""
    places = np.clip(np.nan_to_num(places), 0, len(table) - 1).astype(np.int64)
    return np.take(np.asarray(table), places)


def _tails(counts):
    """The probabilities of values at least as large, from numbers of cases."""
    import numpy

    total, running, found = sum(counts), 0, []
    for one in reversed(counts):
        running += one
        found.append(running / total)
    return numpy.array(found[::-1])


@functools.lru_cache(64)
def mann_whitney(n1, n2):
    """Upper tails of the statistic of Mann and Whitney: coefficients of the Gaussian binomial."""
    n1, n2 = min(n1, n2), max(n1, n2)
    degree = n1 * n2
    counts = [1] + [0] * degree
    for one in range(1, n1 + 1):
        upper = n2 + one
        for place in range(degree, upper - 1, -1):
            counts[place] -= counts[place - upper]
        for place in range(one, degree + 1):
            counts[place] += counts[place - one]
    return _tails(counts)


@functools.lru_cache(64)
def wilcoxon(n):
    """Upper tails of the sum of the ranks from 1 to `n` that are chosen with even chances."""
    counts = [1] + [0] * (n * (n + 1) // 2)
    for one in range(1, n + 1):
        for place in range(len(counts) - 1, one - 1, -1):
            counts[place] += counts[place - one]
    return _tails(counts)


def on_rows(function, x):
    """A function of vectors of the host, for each row of a small array."""
    return rows(lambda one: (function(one.get()),), 1, x)[0]


def signed_ranks(d, zero_method, alternative):
    """The p-value of the signed-rank statistic of few differences, over all signs."""
    import numpy

    if numpy.isnan(d).any():
        return numpy.nan
    if zero_method == "wilcox":
        d = d[d != 0]
    n = d.size
    if n == 0:
        return 1.0
    size = numpy.abs(d)
    below = (size[:, None] > size).sum(1)
    ranks = below + ((size[:, None] == size).sum(1) + 1) / 2
    signs = numpy.array(list(itertools.product((1, -1), repeat=n)))
    weights = numpy.where(d == 0, 0.5 if zero_method == "zsplit" else 0.0, 1.0)

    def plus(signs):
        moved = signs * numpy.where(d == 0, 0.0, 1.0)
        part = numpy.where(moved > 0, ranks, 0.0) + numpy.where(d == 0, ranks * weights, 0.0)
        return part.sum(-1)

    found, observed = plus(signs), plus(numpy.sign(d))
    slack = 1e-9 * max(1.0, abs(observed))
    above, under = (found >= observed - slack).mean(), (found <= observed + slack).mean()
    if alternative == "two-sided":
        return min(1.0, 2 * min(above, under))
    return above if alternative == "greater" else under
