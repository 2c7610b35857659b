"""Balanced trees of points: arrays of all levels, built by sorting.

Level `l` of a tree has ``2**l`` nodes of equal size. Node `i` has as many places of the order of
the tree, one node after the other; the points fill the first places, so that the last nodes may
have places without points. A step splits all nodes of a level at once, into two parts or more along
the dimension in which each node is widest. It sorts one integer for each point: the leading bits of
the coordinate and, in the low bits, the place of the point in its node. Points whose coordinates
differ in the last bits only may be split in the wrong order, which has no effect on a search: the
boxes of nodes are those of their points.

Arrays of points have their coordinates along the first axis, so that neighboring elements in memory
belong to neighboring points.
"""

import phalanx as np

# Points of the smallest nodes, at least: as many as are compared at once without waste.
LEAF = 12
# The most levels of one step. Its parts have one shape, whatever the points are.
_STEP = 3
# A node with more points is not sorted as a row: a GPU sorts long rows one after the other.
_ROW_ON_CPU = 1 << 62
_ROW_ON_GPU = 1 << 11
# Rows of so many elements are reduced by columns: a reduction has costs for each row.
_SHORT = 48
_BITS = 63


class Levels:
    """The nodes of a tree: the boxes of each level and the points of the smallest nodes.

    `order` has the numbers of the points in the order of the tree. `low` and `high` are lists of
    arrays ``(m, nodes)``, one for each level, infinite for nodes without points; `members` has the
    numbers of the points of the smallest nodes, `n` where a node has no more; `points` has
    coordinates ``(m, nodes, points)``, those of the last point again there, and `data` has those of
    all points ``(m, n)``. `packed` is kept here by searches.
    """

    def __init__(self, data):
        self.n, self.m = data.shape
        self.depth = max(self.n // LEAF, 1).bit_length() - 1
        self.data = columns(data)
        self.order = np.arange(self.n)
        self.low, self.high = [], []
        self.packed = None
        if self.n:
            self._build()

    def size(self, level):
        """The number of places of each node of a level."""
        return -(-self.n >> self.depth) << self.depth - level

    def starts(self, level):
        """The places of the first points of the nodes of a level, and the end of the last node."""
        return np.minimum(np.arange((1 << level) + 1) * self.size(level), self.n)

    def _build(self):
        points, order, level = self.data[:, None, :], self.order, 0
        while level < self.depth:
            step = _levels_of_step(self.m, self.depth - level)
            found = self._places(points, level)
            level += step
            shape = self.m, 1 << level, self.size(level)
            points = _taken(points.reshape(self.m, -1), found, 1).reshape(shape)
            order = _taken(order, found, 0)
        self.points, self.order = points, order[: self.n]
        members = np.where(np.arange(order.size) < self.n, order, self.n)
        self.members = members.reshape(points.shape[1:])
        low, high = _ends(points)
        if self.n <= self.size(0) - self.size(level):
            has_points = self.starts(level)[:-1] < self.n
            low, high = np.where(has_points, low, np.inf), np.where(has_points, high, -np.inf)
        self.low.append(low)
        self.high.append(high)
        for _ in range(self.depth):
            low = low.reshape(self.m, -1, 2).min(-1)
            high = high.reshape(self.m, -1, 2).max(-1)
            self.low.insert(0, low)
            self.high.insert(0, high)

    def _places(self, points, level):
        """The places of the points of a level in the order in which its nodes are split."""
        n, total = self.n, self.size(0)
        _, nodes, width = points.shape
        keys = _keys(points)
        row = np.arange(nodes)[:, None]
        is_long = nodes > 1 and width > _longest_row()
        if is_long:
            keys = keys >> level | row << _BITS - level
        mask = (1 << (width - 1).bit_length()) - 1
        keys = (keys & ~mask | np.arange(width)).reshape(-1)
        keys[n:] = (1 << _BITS) - 1
        keys = np.sort(keys if is_long else keys.reshape(nodes, width)).reshape(nodes, width)
        found = ((keys & mask) + row * width).reshape(-1)
        # Places without points have the last point again, which is in the last node with points.
        if found.size < total:
            return np.pad(found, (0, total - n), mode="edge")
        if n < total:
            found[n:] = found[n - 1]
        return found


def columns(x):
    """The columns of a matrix as rows that are contiguous in memory."""
    # A transposed view, or a copy of one, would be read with strides by the kernels that use it.
    return np.take(x.T, np.arange(x.shape[1]), axis=0)


def _taken(x, positions, axis):
    # Positions are in range; a mode other than the default one does not check them.
    return np.take(x, positions, axis=axis, mode="clip")


def _longest_row():
    return _ROW_ON_GPU if np.cuda.is_available() else _ROW_ON_CPU


def _levels_of_step(m, left):
    """The levels that are split in one step, when some are left. More than one only where enough
    are left to split the other dimensions as often."""
    return left if m == 1 else max(min((left + m // 2) // m, _STEP, left), 1)


def _ends(points):
    """The least and the greatest elements of rows."""
    width = points.shape[-1]
    if width > _SHORT:
        return points.min(-1), points.max(-1)
    low = high = points[..., 0]
    for at in range(1, width):
        low, high = np.minimum(low, points[..., at]), np.maximum(high, points[..., at])
    return low, high


def _keys(points):
    """Integers in the order of the points of each node along its widest dimension."""
    _, nodes, width = points.shape
    low, high = _ends(points)
    # The ends are stacked, or the position of the maximum would be fused with their reductions, and
    # there are few nodes to share that work.
    widest = np.argmax(np.stack([high, -low]).sum(0), axis=0)
    chosen = widest * nodes + np.arange(nodes)
    along = _taken(points.reshape(-1, width), chosen, 0)
    # The bits of numbers that are not negative are in their order; `abs` takes the sign of -0. As
    # differences from the least coordinate, points are told apart by their leading bits.
    return np.abs(along - _taken(low.reshape(-1), chosen, 0)[:, None]).view(np.int64)
