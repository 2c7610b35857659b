"""The nodes of a tree as objects on the host, for programs that walk through them."""

from .. import _host

# Coordinates of points that are copied to the host.
_MOST = 1 << 22


class node:
    """A node of a tree; `start_idx` and `end_idx` are the places of its points in `indices`."""

    def __init__(self, start, end):
        self.start_idx, self.end_idx = start, end

    @property
    def children(self):
        """The number of the points below the node."""
        return self.end_idx - self.start_idx


class leafnode(node):
    """A node with points: `idx` has their numbers."""

    def __init__(self, start, end, idx):
        super().__init__(start, end)
        self.idx = idx


class innernode(node):
    """A node with two parts: the points of `less` are at most at `split` along `split_dim`, those
    of `greater` are at least there."""

    def __init__(self, less, greater, split_dim, split):
        super().__init__(less.start_idx, greater.end_idx)
        self.less, self.greater = less, greater
        self.split_dim, self.split = split_dim, split


def made(tree):
    """The root of a tree's nodes, and their number. The points of each node are split at their
    middle, as by the searches, until leaves have at most `leafsize` points."""
    import numpy

    order = tree.indices.get().copy()
    points = _host.copied(tree.data, _MOST, "phalanx.scipy.spatial.KDTree.tree")[order]
    count = 0

    def of(first, last, level, place):
        nonlocal count
        count += 1
        part = points[first:last]
        extents = part.max(0) - part.min(0) if last > first else numpy.zeros(1)
        if last - first <= tree.leafsize or not extents.max() > 0:
            return leafnode(first, last, order[first:last])
        dim = int(extents.argmax())
        middle = first + (last - first) // 2
        if level >= tree._levels.depth:
            # Below the levels of the searches, points have no order yet.
            sorting = part[:, dim].argsort(kind="stable")
            order[first:last] = order[first:last][sorting]
            points[first:last] = part[sorting]
        else:
            middle = (2 * place + 1) * tree.n >> level + 1
        split = float(points[middle:last, dim].min())
        less = of(first, middle, level + 1, 2 * place)
        greater = of(middle, last, level + 1, 2 * place + 1)
        return innernode(less, greater, dim, split)

    root = of(0, tree.n, 0, 0)
    return root, count
