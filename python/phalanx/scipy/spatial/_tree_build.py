"""Balanced trees of points: arrays of all levels, built by sorting.

Level `l` of a tree has ``2**l`` nodes. Node `i` has the points from ``starts(n, l)[i]`` up to
``starts(n, l)[i + 1]`` in the order of the tree, so the nodes of a level have equally many points,
up to one. A level is built from the one above by sorting the points of each node along the
dimension in which the node is widest, all nodes at once.

Arrays of points have their coordinates along the first axis, so that neighboring elements in memory
belong to neighboring points.
"""

import phalanx as np

# Points of the smallest nodes: as many as are compared at once without waste.
LEAF = 12
# Nodes with more points are sorted all together, by two keys: a sort of rows is for short rows.
_ROW = 512


class Levels:
    """The nodes of a tree: the boxes of each level and the points of the smallest nodes.

    `low` and `high` are lists of arrays ``(m, nodes)``, one for each level; `members` has the
    numbers of the points of the smallest nodes, `n` where a node has no more; `points` has
    coordinates ``(m, nodes, points)``, of the last point again there, and `data` has those of all
    points ``(m, n)``.
    """

    def __init__(self, data):
        self.n, self.m = data.shape
        self.depth = max(self.n // LEAF, 1).bit_length() - 1
        self.data = columns(data)
        order = np.arange(self.n)
        for level in range(self.depth):
            order = _split(self.data, order, level)
        self.order = order
        self.low, self.high = [], []
        if not self.n:
            return
        places, is_there = slots(self.n, self.depth)
        found = order[places]
        self.members = np.where(is_there, found, self.n)
        self.points = np.take(self.data, found, axis=1)
        lowest, highest = self.points.min(-1), self.points.max(-1)
        self.low.append(lowest)
        self.high.append(highest)
        for _ in range(self.depth):
            lowest = lowest.reshape(self.m, -1, 2).min(-1)
            highest = highest.reshape(self.m, -1, 2).max(-1)
            self.low.insert(0, lowest)
            self.high.insert(0, highest)


def columns(x):
    """The columns of a matrix as rows that are contiguous in memory."""
    # A transposed view would be read with strides by the kernels that use it.
    return np.take(x.T, np.arange(x.shape[1]), axis=0)


def starts(n, level):
    """The places of the first points of the nodes of a level, and the end of the last node."""
    return np.arange((1 << level) + 1) * n // (1 << level)


def slots(n, level):
    """The places of the points of each node of a level, and which of them are there: some nodes
    have a point fewer, and their last one twice."""
    bounds = starts(n, level)
    places = bounds[:-1, None] + np.arange(-(-n // (1 << level)))[None, :]
    return np.minimum(places, bounds[1:, None] - 1), places < bounds[1:, None]


def _split(data, order, level):
    """The order of the points in which each node of a level is split at its middle."""
    n = data.shape[1]
    places, is_there = slots(n, level)
    points = np.take(data, order[places], axis=1)
    widest = np.argmax(points.max(-1) - points.min(-1), axis=0)
    bounds, each = starts(n, level), np.arange(n)
    row = np.searchsorted(bounds, each, side="right") - 1
    if places.shape[1] > _ROW:
        ordered = np.take(data, order, axis=1)
        keys = np.take_along_axis(ordered, widest[row][None, :], axis=0)[0]
        return order[np.lexsort((keys, row))]
    keys = np.take_along_axis(points, widest[None, :, None], axis=0)[0]
    sorting = np.argsort(np.where(is_there, keys, np.inf), axis=1, kind="stable")
    rows = np.take_along_axis(order[places], sorting, axis=1)
    return rows.reshape(-1)[row * places.shape[1] + each - bounds[row]]
