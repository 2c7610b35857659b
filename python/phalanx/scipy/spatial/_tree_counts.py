"""Counts of the pairs of points of two trees by their distances."""

import phalanx as np

from . import _tree_search
from ._tree_build import columns
from ._tree_search import box_gaps, far_gaps, powered

# The level at which the search starts, with all nodes.
_FIRST = 6


def counted(tree, other, radii, p, weights, cumulative):
    """The number of pairs, or the sum of the products of their weights, for each radius. Nodes
    whose distances are all between two radii are counted as a whole."""
    import numpy

    ordered = numpy.unique(radii)
    own, others = weights
    is_plain = own is None and others is None
    sums = np.zeros(ordered.size)
    if tree.n and other.n and ordered.size:
        levels = other._levels
        heavy = _node_weights(others, levels)
        radii_before_root = np.asarray(_tree_search.power(ordered, p))
        x, step = columns(tree.data), max(_tree_search.most_pairs() >> _FIRST, 1)
        for first in range(0, tree.n, step):
            part = x[:, first : first + step]
            mine = None if own is None else own[first : first + step]
            sums = sums + _block(part, levels, radii_before_root, p, tree.boxsize, mine, others,
                                 heavy)
    totals = sums.get()
    totals = numpy.cumsum(totals) if cumulative else totals
    found = totals[numpy.searchsorted(ordered, radii)]
    if not cumulative:
        # Of equal radii, the first one counts.
        found[1:][numpy.diff(radii) == 0] = 0
    # Sums of ones are exact up to 2**53.
    return np.asarray(found.astype(numpy.int64) if is_plain else found)


def _node_weights(weights, levels):
    """The sum of the weights of each node, for each level."""
    if weights is None:
        return [np.diff(levels.starts(at)) for at in range(levels.depth + 1)]
    found = [np.concatenate([weights, np.zeros(1)])[levels.members].sum(1)]
    for _ in range(levels.depth):
        found.insert(0, found[0].reshape(-1, 2).sum(1))
    return found


def _block(x, levels, radii, p, box, own, others, heavy):
    """Sums for a block of points. Those of distances above all radii are dropped."""
    count = radii.shape[0]
    sums = np.zeros(count + 1)
    at = min(levels.depth, _FIRST)
    point = np.repeat(np.arange(x.shape[1]), 1 << at)
    node = np.tile(np.arange(1 << at), x.shape[1])
    waiting = [(point, node, at)]
    most = max(_tree_search.most_pairs() // levels.members.shape[1], 1)
    while waiting:
        point, node, at = waiting.pop()
        if point.shape[0] > most:
            half = point.shape[0] // 2
            waiting += [(point[half:], node[half:], at), (point[:half], node[:half], at)]
        elif at == levels.depth:
            apart, members = _tree_search.compared(levels, x, point, node, p, box)
            found = np.flatnonzero(apart <= radii[-1])
            values = np.ones(found.shape[0])
            if own is not None:
                values = values * own[point[found // members.shape[1]]]
            if others is not None:
                values = values * others[members.reshape(-1)[found]]
            place = np.searchsorted(radii, apart.reshape(-1)[found])
            sums = sums + np.bincount(place, weights=values, minlength=count + 1)
        else:
            low, high = _tree_search.boxes_below(levels, node, at, 0)
            mine = np.take(x, point, axis=1)[:, :, None]
            # Distances of boxes are rounded otherwise than those of points.
            near = powered(box_gaps(mine, low, high, box), p)[:, 0] * (1 - 1e-12)
            far = powered(far_gaps(mine, low, high, box), p)[:, 0] * (1 + 1e-12)
            first, last = np.searchsorted(radii, near), np.searchsorted(radii, far)
            whole = np.flatnonzero((first == last) & (first < count))
            values = heavy[at][node[whole]].astype(np.float64)
            if own is not None:
                values = values * own[point[whole]]
            sums = sums + np.bincount(first[whole], weights=values, minlength=count + 1)
            rest = np.flatnonzero(first != last)
            parts = 2 * node[rest][:, None] + np.arange(2)
            waiting.append((np.repeat(point[rest], 2), parts.reshape(-1), at + 1))
    return sums[:count]
