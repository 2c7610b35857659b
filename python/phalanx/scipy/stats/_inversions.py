"""Pairs of elements whose order differs between two samples."""

import itertools

import phalanx as np

from ._arrays import array
from ._ranks import Ranked, ranks


def rows(function, outputs, *samples):
    """Results of a function of vectors, for each row of arrays."""
    batch = samples[0].shape[:-1]
    if not batch:
        return tuple(np.asarray(one, dtype=np.float64) for one in function(*samples))
    columns = [function(*(one[index] for one in samples))
               for index in itertools.product(*map(range, batch))]
    return tuple(
        np.stack([array(one).astype(np.float64) for one in column]).reshape(batch)
        if columns else np.full(batch, np.nan)
        for column in (zip(*columns) if columns else [()] * outputs)
    )


def _tie_sums(x):
    """Sums over runs of equal elements of ``t (t - 1) / 2``, ``t (t - 1) (t - 2)`` and
    ``t (t - 1) (2 t + 5)``, and the number of runs."""
    ranked = Ranked(x)
    t = ranked.lengths
    sums = np.stack([(t - 1).sum(), ((t - 1) * (t - 2)).sum(), ((t - 1) * (2 * t + 5)).sum(),
                     ranked.differs.sum() + 1])
    pairs, second, third, runs = sums.tolist()
    return (pairs // 2, second, third), runs


def inversions(values, bits):
    """The number of pairs of a vector of integers below ``2 ** bits`` in falling order.

    Each bit is one pass: among elements with the same higher bits, those with the bit are counted
    before each element without it. Then elements without the bit come first, in their order, so
    that those with the same higher bits stay together.
    """
    total = np.zeros((), dtype=np.int64)
    place = np.arange(values.shape[0])
    for bit in reversed(range(bits)):
        has_bit = values >> bit & 1 != 0
        before = np.cumsum(has_bit) - has_bit
        group = values >> (bit + 1)
        differs = np.concatenate([np.zeros(1, dtype=bool), group[1:] != group[:-1]])
        start = np.maximum.accumulate(np.where(differs, place, 0))
        total = total + np.where(has_bit, 0, before - before[start]).sum()
        if bit:
            values = np.concatenate([values[~has_bit], values[has_bit]])
    return total


def discordant(x, y):
    """For two vectors: the number of discordant pairs, sums over ties of each, the number of pairs
    that are ties of both, and the numbers of distinct elements. Collective: they are read."""
    n = x.shape[0]
    of_y = ranks(y, "dense") - 1
    order = np.lexsort((of_y, x))
    x_sorted, y_sorted = x[order], of_y[order]
    same = (x_sorted[1:] == x_sorted[:-1]) & (y_sorted[1:] == y_sorted[:-1])
    label = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(~same)])
    (both, _, _), _ = _tie_sums(label)
    x_ties, x_runs = _tie_sums(x)
    y_ties, y_runs = _tie_sums(of_y)
    found = int(inversions(y_sorted, max((n - 1).bit_length(), 1)))
    return found, x_ties, y_ties, both, (x_runs, y_runs)


# Elements of one block of pairs.
_BLOCK = 1 << 22


def _rank_of(first, second):
    """Ranks from 0 on in falling order, by one sample and then another."""
    order = np.lexsort((second, first))[::-1]
    found = np.zeros(order.shape, dtype=np.int64)
    found[order] = np.arange(order.shape[0])
    return found


def weighted(x, y, rank, weigher, additive):
    """Kendall's correlation of two vectors with weights of pairs, from blocks of all pairs."""
    if rank is True:
        found = [weighted(x, y, _rank_of(*pair), weigher, additive) for pair in ((x, y), (y, x))]
        return (found[0] + found[1]) / 2
    if rank is None:
        rank = _rank_of(x, y)
    elif rank is False:
        rank = np.arange(x.shape[0])
    weigh = (lambda r: 1.0 / (1 + r)) if weigher is None else weigher
    weights = array(weigh(rank)).astype(np.float64)
    n = x.shape[0]
    step = max(1, _BLOCK // n)
    both = of_x = of_y = np.zeros(())
    for start in range(0, n, step):
        stop = min(start + step, n)
        sign_x = np.sign(x[start:stop, None] - x)
        sign_y = np.sign(y[start:stop, None] - y)
        own = weights[start:stop, None]
        pair = own + weights if additive else own * weights
        both = both + (pair * sign_x * sign_y).sum()
        of_x = of_x + (pair * sign_x * sign_x).sum()
        of_y = of_y + (pair * sign_y * sign_y).sum()
    return both / np.sqrt(of_x) / np.sqrt(of_y)
