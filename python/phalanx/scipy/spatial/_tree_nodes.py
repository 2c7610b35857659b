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
    """The root of a tree's nodes, their number, and the numbers of the points in the order of the
    leaves. The points of each node are split at their middle along the dimension in which they are
    widest, until leaves have at most `leafsize` points."""
    import numpy

    points = _host.copied(tree.data, _MOST, "phalanx.scipy.spatial.KDTree.tree").copy()
    order = numpy.arange(tree.n)
    count = 0

    def of(first, last):
        nonlocal count
        count += 1
        part = points[first:last]
        extents = part.max(0) - part.min(0) if last > first else numpy.zeros(1)
        if last - first <= tree.leafsize or not extents.max() > 0:
            return leafnode(first, last, order[first:last])
        dim = int(extents.argmax())
        sorting = part[:, dim].argsort(kind="stable")
        order[first:last] = order[first:last][sorting]
        points[first:last] = part[sorting]
        middle = first + (last - first) // 2
        split = float(points[middle, dim])
        return innernode(of(first, middle), of(middle, last), dim, split)

    return of(0, tree.n), count, order
