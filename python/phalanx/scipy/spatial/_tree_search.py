"""Searches in balanced trees, for many points at once.

The nearest points are found by an operation of its own. A search for all points within a radius
keeps pairs of a point and a node. At each step, the pairs are replaced by those of the point and
the parts of the node some levels below, as far as the boxes of the parts are near enough. What is
left at the last level are the pairs whose points are compared. Many pairs are split into blocks.
Points have their coordinates along the first axis.
"""

import phalanx as np

from ..._phalanx.spatial import _nearest_in_tree as _native
from ._tree_build import columns

# Pairs of points that are compared in one block: on CPUs, what fits into caches; on GPUs, what
# keeps them busy.
_PAIRS_ON_CPU = 1 << 22
_PAIRS_ON_GPU = 1 << 26
# The levels of one step, and of the first one, which looks at all nodes.
_STEP = 3
_FIRST = 6
# Distances of boxes are rounded otherwise than those of their points.
_SLACK = 1 + 1e-12


def most_pairs():
    """The most pairs of points of a block."""
    return _PAIRS_ON_GPU if np.cuda.is_available() else _PAIRS_ON_CPU


def powered(gaps, p):
    """The distances of differences along the first axis, before the root."""
    if p == 2:
        return (gaps * gaps).sum(0)
    if p == 1:
        return gaps.sum(0)
    return gaps.max(0) if p == np.inf else (gaps**p).sum(0)


def power(distance, p):
    """A distance as it is before the root."""
    if p == 2:
        return distance * distance
    return distance if p in (1, np.inf) else distance**p


def root(powered, p):
    """The inverse of `power`."""
    if p == 2:
        return np.sqrt(powered)
    return powered if p in (1, np.inf) else powered ** (1 / p)


def _extents(box):
    return box[:, None, None]


def point_gaps(x, y, box):
    """The differences of points. `box` has the extents of a periodic space, 0 where it is not
    periodic; or it is None."""
    gaps = np.abs(x - y)
    if box is None:
        return gaps
    extents = _extents(box)
    return np.where(extents > 0, np.minimum(gaps, np.abs(extents - gaps)), gaps)


def box_gaps(x, low, high, box):
    """The differences of points and the nearest points of boxes."""
    gaps = np.maximum(np.maximum(low - x, x - high), 0)
    if box is None:
        return gaps
    extents = _extents(box)
    around = np.minimum(np.maximum(low - x + extents, 0), np.maximum(x + extents - high, 0))
    return np.where(extents > 0, np.minimum(gaps, around), gaps)


def far_gaps(x, low, high, box):
    """The differences of points and the farthest points of boxes, or more."""
    gaps = np.maximum(np.abs(x - low), np.abs(x - high))
    if box is None:
        return gaps
    extents = _extents(box)
    return np.where(extents > 0, np.minimum(gaps, extents / 2), gaps)


def boxes_below(levels, node, at, step):
    """The boxes of the parts of nodes some levels below: arrays ``(m, nodes, parts)``."""
    return [
        np.take(side[at + step].reshape(levels.m, -1, 1 << step), node, axis=1)
        for side in (levels.low, levels.high)
    ]


def pairs_at_leaves(levels, x, reach, p, box):
    """Yields blocks of pairs of a point and a smallest node that is at most `reach` away, which is
    a distance before the root for each point: the numbers of the points and of the nodes. In each
    block, and from one to the next, the numbers of the points ascend. Collective."""
    if not levels.n:
        return
    reach = reach * _SLACK
    most = most_pairs()
    at = min(levels.depth, _FIRST)
    low, high = levels.low[at][:, None, :], levels.high[at][:, None, :]
    step = max(most >> at, 1)
    for first in range(0, x.shape[1], step):
        part = x[:, first : first + step, None]
        apart = powered(box_gaps(part, low, high, box), p)
        point, node = np.nonzero(apart <= reach[first : first + step, None])
        most_nodes = max(most // levels.members.shape[1], 1)
        yield from _descended(levels, x, reach, p, box, (point + first, node, at), most_nodes)


def _descended(levels, x, reach, p, box, pairs, most):
    waiting = [pairs]
    while waiting:
        point, node, at = waiting.pop()
        count = point.shape[0]
        if count > most:
            half = count // 2
            waiting += [(point[half:], node[half:], at), (point[:half], node[:half], at)]
        elif at == levels.depth:
            if count:
                yield point, node
        else:
            step = min(_STEP, levels.depth - at)
            mine = np.take(x, point, axis=1)[:, :, None]
            apart = powered(box_gaps(mine, *boxes_below(levels, node, at, step), box), p)
            which, part = np.nonzero(apart <= reach[point][:, None])
            waiting.append((point[which], (node[which] << step) + part, at + step))


def compared(levels, x, point, node, p, box):
    """The distances before the root of pairs of points and nodes, NaN where a node has no more
    points; and the numbers of the nodes' points."""
    members = levels.members[node]
    mine = np.take(x, point, axis=1)[:, :, None]
    apart = powered(point_gaps(mine, np.take(levels.points, node, axis=1), box), p)
    return np.where(members < levels.n, apart, np.nan), members


def within(levels, x, reach, p, box):
    """Pairs of points that are at most `reach` apart: yields blocks of the numbers of `x`, which
    ascend, those of the tree, and distances before the root. Collective."""
    for point, node in pairs_at_leaves(levels, x, reach, p, box):
        apart, members = compared(levels, x, point, node, p, box)
        found = np.flatnonzero(apart <= reach[point][:, None])
        row = found // members.shape[1]
        yield point[row], members.reshape(-1)[found], apart.reshape(-1)[found]


def nearest(levels, x, k, p, box, limit=float("inf")):
    """The `k` nearest points of a tree for each row of `x` that are nearer than `limit`, a distance
    before the root: distances before the root, ascending, and numbers. Where there are fewer
    points, infinity and `n`."""
    width, total = min(k, levels.n), x.shape[0]
    if not width or not total:
        return np.full((total, k), np.inf), np.full((total, k), levels.n)
    tree = (*_packed(levels), levels.members, levels.n, box)
    number = _native(x, tree, (width, float(p), float(limit)))
    is_there = number < levels.n
    found = np.take(levels.data, np.minimum(number, levels.n - 1).reshape(-1), axis=1)
    gaps = point_gaps(columns(x)[:, :, None], found.reshape(levels.m, total, width), box)
    apart = np.where(is_there, powered(gaps, p), np.inf)
    if width < k:
        apart = np.pad(apart, [(0, 0), (0, k - width)], constant_values=np.inf)
        number = np.pad(number, [(0, 0), (0, k - width)], constant_values=levels.n)
    return apart, number


def _packed(levels):
    """The boxes of all levels and the points of the leaves, each in the order of the nodes."""
    if levels.packed is None:
        sides = [np.concatenate(side, axis=1) for side in (levels.low, levels.high)]
        # Stacking columns would read with strides.
        boxes, leaves = np.stack(sides).transpose(2, 0, 1), levels.points.transpose(1, 0, 2)
        levels.packed = tuple(map(np.ascontiguousarray, (boxes, leaves)))
    return levels.packed


def joined(blocks):
    """Blocks along the first axis as one array."""
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def edges(numbers, count):
    """Where each number up to `count` begins in ascending numbers, and where the last one ends."""
    return np.searchsorted(numbers, np.arange(count + 1))
