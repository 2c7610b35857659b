"""Levels of the trees of ``scipy.spatial``: that they are well formed, and searches in them."""

import numpy
import pytest
import scipy.spatial

import phalanx as np
from phalanx.scipy import spatial
from phalanx.scipy.spatial import _tree_build

from .spatial_cases import check, owned


def drawn(count, m, seed=0):
    return numpy.random.default_rng(seed).random((count, m))


def scaled(count):
    """Points whose distances from each other are of many sizes."""
    draws = numpy.random.default_rng(3)
    return draws.choice([-1.0, 1.0], (count, 2)) * 10.0 ** draws.uniform(-300, 300, (count, 2))


LINE = numpy.arange(200.0)[:, None]
CLOUDS = {
    **{f"{count} points": drawn(count, 2, count)
       for count in (1, 11, 12, 13, 23, 24, 25, 47, 48, 49, 96, 97, 192, 193, 333, 512, 769)},
    "one dimension": drawn(500, 1), "one dimension, twice": numpy.repeat(drawn(150, 1), 2, axis=0),
    "three dimensions": drawn(700, 3), "many dimensions": drawn(300, 12),
    "more dimensions than points": drawn(26, 40),
    "equal": numpy.full((77, 3), -0.5), "two values": numpy.repeat([[0.0, 1.0], [2.0, 1.0]], 70, 0),
    "a point often": numpy.concatenate([numpy.zeros((100, 2)), drawn(60, 2)]),
    "doubled": numpy.concatenate([drawn(130, 2)] * 2),
    "grid": numpy.indices((17, 19)).reshape(2, -1).T - 5.0,
    "along an axis": LINE * [1, 0, 0], "collinear": LINE * [3, -2, 0.5] + [0, 7, 1],
    "signs of zero": numpy.where(numpy.arange(60)[:, None] % 2, -0.0, 0.0) * [1.0, 1.0],
    "negative": -drawn(200, 2) - 4, "far from zero": drawn(400, 2) * 1e-6 + 1e9,
    "outlier": numpy.concatenate([drawn(300, 2), [[1e300, -1e300]]]),
    "the whole range": numpy.array([[-1.7e308, 0], [1.7e308, 1]] * 40) * drawn(80, 1, 5),
    "many sizes": scaled(250), "least numbers": drawn(90, 2) * 1e-310,
}


def is_ordered(x):
    return (numpy.diff(x) >= 0).all()


@pytest.mark.parametrize("longest", [1 << 62, 30], ids=["rows", "long rows"])
@pytest.mark.parametrize("name", CLOUDS)
def test_levels_are_well_formed(name, longest, monkeypatch):
    monkeypatch.setattr(_tree_build, "_ROW_ON_CPU", longest)
    data = CLOUDS[name]
    n, m = data.shape
    levels = _tree_build.Levels(owned(data))
    order, members, points = (one.get() for one in (levels.order, levels.members, levels.points))
    depth, width = levels.depth, levels.size(levels.depth)
    assert (levels.n, levels.m) == (n, m) and len(levels.low) == len(levels.high) == depth + 1
    assert sorted(order) == list(range(n)) and order.dtype == members.dtype == numpy.int64
    assert members.shape == (1 << depth, width) and points.shape == (m, *members.shape)
    # Leaves are neither too small nor too large.
    assert depth == 0 or n >> depth >= _tree_build.LEAF and width <= 2 * _tree_build.LEAF
    assert (members.reshape(-1)[:n] == order).all() and (members.reshape(-1)[n:] == n).all()
    numbers = numpy.append(order, numpy.full(members.size - n, order[-1]))
    assert (points.reshape(m, -1).T == data[numbers]).all()
    assert (levels.data.get() == data.T).all()
    for level in range(depth + 1):
        starts = levels.starts(level).get()
        assert starts[0] == 0 and starts[-1] == n and is_ordered(starts)
        low, high = levels.low[level].get(), levels.high[level].get()
        assert low.shape == high.shape == (m, 1 << level)
        for node, (first, last) in enumerate(zip(starts, starts[1:])):
            part = data[order[first:last]]
            if first < last:
                assert (part.min(0) == low[:, node]).all() and (part.max(0) == high[:, node]).all()
                # All nodes are full up to the last one with points.
                assert last - first == levels.size(level) or last == n
            else:
                assert (low[:, node] == numpy.inf).all() and (high[:, node] == -numpy.inf).all()


def extents_of(levels):
    side = (levels.high[-1] - levels.low[-1]).get()
    return side[:, numpy.isfinite(side).all(0)]


@pytest.mark.parametrize("longest", [1 << 62, 30], ids=["rows", "long rows"])
def test_nodes_are_split_where_they_are_widest(longest, monkeypatch):
    monkeypatch.setattr(_tree_build, "_ROW_ON_CPU", longest)
    # The parts of a node that is split along one dimension are apart.
    x = drawn(24 * 16, 1) * [1.0, 1e-3, 1e-5]
    levels = _tree_build.Levels(owned(x))
    assert is_ordered(x[levels.order.get(), 0].reshape(-1, levels.size(levels.depth)).max(1))
    assert is_ordered(x[levels.order.get(), 0].reshape(-1, levels.size(levels.depth)).min(1))
    # Points on a line are sorted, wherever they are.
    for move, size in ((0.0, 1.0), (-0.5, 1.0), (-7.0, 1.0), (1e6, 1e-3), (0.0, 1e-200)):
        x = drawn(700, 1) * size + move
        assert is_ordered(x[_tree_build.Levels(owned(x)).order.get(), 0])
    # Each dimension is split often enough.
    for m, count in ((2, 12 << 8), (3, 12 << 6)):
        for move in (0.0, -0.5, 1e6):
            side = extents_of(_tree_build.Levels(owned(drawn(count, m) + move)))
            expected = (12 / count) ** (1 / m)
            assert (side.mean(1) < 1.6 * expected).all()
    # An outlier does not hide the others' order.
    x = numpy.concatenate([drawn(12 << 7, 2), [[1e300, 1e300]]])
    assert (numpy.median(extents_of(_tree_build.Levels(owned(x))), axis=1) < 0.2).all()


@pytest.mark.parametrize("name", CLOUDS)
def test_searches(name):
    data = CLOUDS[name]
    n, m = data.shape
    if name in ("the whole range", "many sizes", "least numbers", "outlier"):
        # Squares of these numbers are infinite or 0.
        p, x = numpy.inf, data
    else:
        size = numpy.ptp(data, axis=0) + 1e-3 * abs(data).max(0)
        p, x = 2, drawn(40, m, 1) * size * 1.2 + data.min(0) - 0.1 * size
        x = numpy.concatenate([x, data[:: max(n // 20, 1)]])
    other, own = scipy.spatial.KDTree(data), spatial.KDTree(owned(data))
    for k in (1, 4, min(n, 60), n + 1):
        found = own.query(owned(x), k, p=p)
        expected = other.query(x, k, p=p)
        check(found[0], expected[0], 1e-12)
        number, others = (one.reshape(len(x), -1) for one in (found[1].get(), expected[1]))
        assert ((number < n) == (others < n)).all()
        for row in number:
            assert len(set(row[row < n])) == (row < n).sum()
    r = float(numpy.median(expected[0][:, min(3, n - 1)])) * (1 + 1e-9)
    # SciPy fails where a distance overflows.
    if numpy.isfinite(r) and name != "the whole range":
        check(own.query_ball_point(owned(x), r, p, return_length=True),
              other.query_ball_point(x, r, p, return_length=True))
        if p == 2:
            check(own.count_neighbors(own, [r / 2, r]), other.count_neighbors(other, [r / 2, r]))


def test_no_points():
    levels = _tree_build.Levels(np.zeros((0, 3)))
    assert (levels.n, levels.m, levels.depth, levels.low, levels.high) == (0, 3, 0, [], [])
    assert levels.order.shape == (0,) and levels.data.shape == (3, 0)
    own, other = (place.KDTree(numpy.zeros((0, 3))) for place in (spatial, scipy.spatial))
    check(own.query([[0.0, 0, 0]], 2), other.query([[0.0, 0, 0]], 2))


@pytest.mark.parametrize("leafsize", [1, 7])
def test_indices_fit_the_nodes(leafsize):
    data = CLOUDS["doubled"]
    tree = spatial.KDTree(owned(data), leafsize)
    assert sorted(tree.indices.get()) == list(range(len(data)))
    waiting, seen = [tree.tree], 0
    indices = tree.indices.get()
    while waiting:
        node = waiting.pop()
        if isinstance(node, spatial.KDTree.leafnode):
            assert (indices[node.start_idx : node.end_idx] == node.idx).all()
            seen += node.children
        else:
            waiting += [node.less, node.greater]
    assert seen == len(data)
