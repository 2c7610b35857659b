"""Trees of points, triangulations and boxes of ``scipy.spatial``, compared with SciPy's."""

import inspect
import pickle
import warnings

import numpy
import pytest
import scipy.spatial

import phalanx
from phalanx.scipy import spatial

from .signal_cases import FEWER, outcome, some
from .spatial_cases import check, owned

INF = numpy.inf


def drawn(shape, seed=0):
    return numpy.random.default_rng(seed).random(shape)


def clustered(count, m, seed=0):
    """Points near each other and far from others, some of them equal, on a grid of numbers."""
    draws = numpy.random.default_rng(seed)
    centers = draws.random((5, m)) * 0.9
    x = centers[draws.integers(0, 5, count)] + 0.05 * draws.random((count, m)) ** 4
    x[count // 2 :] = numpy.round(x[count // 2 :], 2)
    return x


CLOUDS = {
    "one": drawn((1, 2)), "two": drawn((2, 3)), "line": drawn((40, 1)), "plane": drawn((300, 2)),
    "space": drawn((150, 3)), "clusters": clustered(400, 2), "many dimensions": drawn((70, 8)),
    "equal": numpy.full((50, 2), 0.25), "none": drawn((0, 2)),
}
ORDERS = [1, 2, 3.0, INF]


def trees(name, **options):
    return [place.KDTree(data, **options) for place, data in
            ((scipy.spatial, CLOUDS[name]), (spatial, owned(CLOUDS[name])))]


def points_near(name, count=23, seed=9):
    m = CLOUDS[name].shape[1]
    return drawn((count, m), seed) * 1.4 - 0.2


def compare(name, both, /, *given, tolerance=1e-13, **options):
    """Calls a method of SciPy's object and of ours."""
    other = outcome(getattr(both[0], name), *given, **options)
    options = {key: owned(value) for key, value in options.items()}
    own = outcome(getattr(both[1], name), *map(owned, given), **options)
    check(own, other, tolerance)
    return other


def compare_neighbors(name, both, x, **options):
    """Neighbors of equal distances may have any order."""
    other = both[0].query(x, **options)
    own = both[1].query(owned(x), **options)
    check(own[0], other[0], 1e-13)
    own, number = own[0].get(), own[1].get()
    assert number.dtype == other[1].dtype and number.shape == other[1].shape
    data, n = CLOUDS[name], CLOUDS[name].shape[0]
    assert ((number == n) == (other[1] == n)).all()
    is_there = number < n
    if "boxsize" not in options and n and both[0].boxsize is None:
        # The numbers are those of points at these distances.
        p = options.get("p", 2)
        x = numpy.broadcast_to(x[..., None, :] if number.ndim == x.ndim else x,
                               (*number.shape, x.shape[-1]))
        found = scipy.spatial.minkowski_distance(x[is_there], data[number[is_there]], p)
        numpy.testing.assert_allclose(found, own[is_there], rtol=1e-12)
    if name not in ("clusters", "equal"):
        assert (number == other[1]).all()
    rows = number.reshape(-1, number.shape[-1]) if number.ndim == x.ndim else number[:, None]
    for row in rows:
        assert len(set(row[row < n])) == (row < n).sum()


@pytest.mark.parametrize("name", CLOUDS)
@pytest.mark.parametrize("p", ORDERS)
def test_neighbors(name, p):
    both, x = trees(name), points_near(name)
    for k in some((1, 2, 5, 30, 400, [1, 3], [2]), 3):
        compare_neighbors(name, both, x, k=k, p=p)
        compare_neighbors(name, both, x, k=k, p=p, distance_upper_bound=0.3)


@pytest.mark.parametrize("box", [1.0, [1.0, 0.0], [2.0, 1.5]], ids=str)
@pytest.mark.parametrize("name", ["plane", "clusters", "equal"])
def test_periodic_spaces(name, box):
    both = trees(name, boxsize=box)
    x = points_near(name) * 5 - 2
    for p in ORDERS:
        for k in (1, 4):
            compare_neighbors(name, both, x, k=k, p=p)
        compare("query_ball_point", both, x, 0.2, p=p, return_sorted=True)
    other = drawn((90, 2), 8)
    trees_of_others = [place.KDTree(other, boxsize=box) for place in (scipy.spatial, spatial)]
    found = both[0].query_ball_tree(trees_of_others[0], 0.3)
    assert both[1].query_ball_tree(trees_of_others[1], 0.3) == [sorted(one) for one in found]
    check(both[1].count_neighbors(trees_of_others[1], [0.1, 0.6]),
          both[0].count_neighbors(trees_of_others[0], [0.1, 0.6]))
    check(both[1].boxsize, both[0].boxsize)


def test_shapes_of_queries():
    both = trees("plane")
    for shape in ((2,), (3, 2), (2, 3, 2), (0, 2), (1, 2)):
        for k in (1, 3, [1]):
            compare("query", both, drawn(shape, 4), k)
        compare("query_ball_point", both, drawn(shape, 4), 0.1, return_sorted=True)
        compare("query_ball_point", both, drawn(shape, 4), 0.1, return_length=True)
    compare("query_ball_point", both, drawn((3, 2)), numpy.array([0.1, 0.2, -0.3]),
            return_sorted=True)
    compare("query", both, [1, 0])
    compare("query", both, numpy.float32([0.5, 0.25]), k=2)
    for given, options in (
        (([0.1, 0.2, 0.3],), {}), ((0.1,), {}), (([0.1, numpy.nan],), {}), (([0.1, 1j],), {}),
        (([0.1, 0.2],), {"k": None}), (([0.1, 0.2],), {"k": 0}), (([0.1, 0.2],), {"k": []}),
        (([0.1, 0.2],), {"k": [[1]]}), (([0.1, 0.2],), {"p": 0.5}), (([0.1, 0.2],), {"workers": 0}),
        (([0.1, 0.2],), {"workers": -2}), (([0.1, 0.2],), {"workers": -1}),
        (([0.1, 0.2],), {"eps": 0.1, "k": 2}), (([0.1, 0.2],), {"distance_upper_bound": 0}),
    ):
        if options != {"eps": 0.1, "k": 2}:
            compare("query", both, *given, **options)
        else:
            # Exact neighbors are within the error that is allowed.
            check(both[1].query(*given, **options), both[0].query(*given, k=2))
    for given in (([0.1, 0.2, 0.3], 1), ([numpy.nan, 1], 1), ([0.1, 0.2], [0.1, 0.2]),
                  (drawn((2, 2)), [1, 2, 3])):
        compare("query_ball_point", both, *given)


def test_data_is_checked():
    for data, options in (
        ([1, 2, 3], {}), ([[1, numpy.nan]], {}), ([[1j]], {}), ([[1]], {"leafsize": 0}),
        ([[1.0]], {"boxsize": 1}), ([[-0.1]], {"boxsize": 1}), ([[0.1]], {"boxsize": [1, 1]}),
        (numpy.zeros((3, 0)), {}),
    ):
        other = outcome(scipy.spatial.KDTree, data, **options)
        check(outcome(spatial.KDTree, data, **options), other)
        assert isinstance(other, Exception)


@pytest.mark.parametrize("name", CLOUDS)
def test_pairs_and_counts(name):
    (other, own), m = trees(name), CLOUDS[name].shape[1]
    x = drawn((45, m), 2)
    theirs, ours = scipy.spatial.KDTree(x), spatial.KDTree(owned(x))
    draws = numpy.random.default_rng(1)
    weights = draws.random(CLOUDS[name].shape[0]), draws.random(45)
    for p in some(ORDERS):
        for r in (0.05, 0.3, 9.0, -1.0) if p == 2 and name in ("line", "space") else (0.3,):
            assert own.query_pairs(r, p) == other.query_pairs(r, p)
            found = other.query_pairs(r, p, output_type="ndarray")
            check(own.query_pairs(r, p, output_type="ndarray"),
                  found[numpy.lexsort((found[:, 1], found[:, 0]))])
            lists = other.query_ball_tree(theirs, r, p)
            assert own.query_ball_tree(ours, r, p) == [sorted(one) for one in lists]
            check(own.sparse_distance_matrix(ours, r, p, "dict"),
                  other.sparse_distance_matrix(theirs, r, p, "dict"), 1e-13)
            if r > 0 and name != "none":
                check(own.count_neighbors(ours, r, p), other.count_neighbors(theirs, r, p))
        cases = [{}, {"cumulative": False}, {"weights": weights},
                 {"weights": (None, weights[1])}, {"weights": (weights[0], None)}]
        for given in cases if p == 2 else cases[:2]:
            # SciPy fails for no points.
            for radii in ([0.1, 0.1, 0.2, 0.9], [0.4, 0.1, 2.0], [0.5]) if name != "none" else ():
                result = outcome(other.count_neighbors, theirs, radii, p, **given)
                check(outcome(own.count_neighbors, ours, radii, p, **given), result, 1e-10)
    for form in ("dok_matrix", "coo_matrix"):
        found = own.sparse_distance_matrix(ours, 0.3, output_type=form)
        assert type(found).__name__ == form
        check(found.toarray(), other.sparse_distance_matrix(theirs, 0.3).toarray())
    records = own.sparse_distance_matrix(ours, 0.3, output_type="ndarray")
    found = other.sparse_distance_matrix(theirs, 0.3, output_type="ndarray")
    assert records.dtype == found.dtype
    order = [numpy.lexsort((one["j"], one["i"])) for one in (records, found)]
    assert (records[order[0]][["i", "j"]] == found[order[1]][["i", "j"]]).all()


def test_trees_are_checked():
    other, own = trees("plane")
    for name, given, options in (
        ("query_pairs", (0.1,), {"output_type": "x"}), ("query_ball_tree", (3, 0.1), {}),
        ("query_ball_tree", ("space", 0.1), {}), ("count_neighbors", ("space", 0.1), {}),
        ("sparse_distance_matrix", ("space", 0.1), {}),
        ("sparse_distance_matrix", ("plane", 0.1), {"output_type": "x"}),
        ("count_neighbors", ("plane", [[0.1]]), {}),
        ("count_neighbors", ("plane", [0.2, 0.1]), {"cumulative": False}),
        ("count_neighbors", ("plane", 0.1), {"weights": numpy.ones(3)}),
    ):
        results = []
        for at, tree in enumerate((other, own)):
            first = [trees(given[0])[at] if isinstance(given[0], str) else given[0], *given[1:]]
            results.append(outcome(getattr(tree, name), *first, **options))
        assert isinstance(results[0], Exception)
        check(results[1], results[0])
    weights = numpy.arange(300.0)
    check(own.count_neighbors(own, 0.1, weights=owned(weights)),
          other.count_neighbors(other, 0.1, weights=weights), 1e-12)


@pytest.mark.parametrize("name", [name for name in CLOUDS])
@pytest.mark.parametrize("leafsize", [1, 10, 60])
def test_nodes(name, leafsize):
    other, own = trees(name, leafsize=leafsize)
    data = CLOUDS[name]
    for attribute in ("n", "m", "leafsize", "mins", "maxes", "data", "boxsize"):
        check(getattr(own, attribute), getattr(other, attribute))
    assert sorted(own.indices.get()) == list(range(len(data)))
    nodes = []

    def members(node):
        nodes.append(node)
        if isinstance(node, spatial.KDTree.leafnode):
            # Equal points are not split.
            assert len(node.idx) <= leafsize or not numpy.ptp(data[node.idx], axis=0).any()
            assert node.children == len(node.idx)
            return list(node.idx)
        assert isinstance(node, spatial.KDTree.innernode) and isinstance(node, spatial.KDTree.node)
        less, greater = members(node.less), members(node.greater)
        assert data[less, node.split_dim].max() <= node.split
        assert data[greater, node.split_dim].min() >= node.split
        assert node.children == len(less) + len(greater)
        return less + greater

    assert sorted(members(own.tree)) == list(range(len(data)))
    assert own.size == len(nodes)
    copy = pickle.loads(pickle.dumps(own))
    check(copy.query(points_near(name), 3), own.query(points_near(name), 3))


def test_other_class_and_options():
    tree = spatial.cKDTree(owned(CLOUDS["plane"]), copy_data=True, compact_nodes=False)
    assert tree.leafsize == scipy.spatial.cKDTree(CLOUDS["plane"]).leafsize
    check(tree.query([0.5, 0.5], 3), scipy.spatial.cKDTree(CLOUDS["plane"]).query([0.5, 0.5], 3))


@pytest.mark.parametrize("m, count", [(2, 1500), (3, 1000), (5, 500)])
def test_many_points_in_blocks(m, count, monkeypatch):
    if FEWER:
        count //= 4
    # Small blocks: pairs are split several times.
    for kind in ("CPU", "GPU"):
        monkeypatch.setattr(f"phalanx.scipy.spatial._tree_search._PAIRS_ON_{kind}", 9000)
    monkeypatch.setattr("phalanx.scipy.spatial._tree_build._ROW_ON_CPU", 100)
    x, y = clustered(count, m, 1) + 1e-9 * drawn((count, m)), clustered(count, m, 2)
    other, own = scipy.spatial.KDTree(x), spatial.KDTree(owned(x))
    for k in (1, 6):
        check(own.query(owned(y), k), other.query(y, k), 1e-12)
    check(own.query_ball_point(owned(y), 0.02, return_length=True),
          other.query_ball_point(y, 0.02, return_length=True))
    check(own.count_neighbors(spatial.KDTree(owned(y)), [0.01, 0.1]),
          other.count_neighbors(scipy.spatial.KDTree(y), [0.01, 0.1]))


TRIANGULATED = {"square": numpy.array([(0, 0), (0, 1), (1, 1), (1, 0), (0.5, 0.5)]),
                "plane": drawn((200, 2)), "doubled": numpy.concatenate([drawn((40, 2))] * 2),
                "space": drawn((60, 3)), "grid": numpy.indices((15, 15)).reshape(2, -1).T * 1.0,
                "many": drawn((9, 5))}


@pytest.mark.parametrize("name", TRIANGULATED)
def test_triangulations(name):
    points = TRIANGULATED[name]
    other, own = scipy.spatial.Delaunay(points), spatial.Delaunay(owned(points))
    for attribute in ("points", "simplices", "neighbors", "equations", "transform", "coplanar",
                      "vertex_to_simplex", "convex_hull", "good", "paraboloid_scale", "ndim",
                      "paraboloid_shift", "nsimplex", "npoints", "min_bound", "max_bound",
                      "furthest_site", "vertex_neighbor_vertices"):
        check(getattr(own, attribute), getattr(other, attribute))
    size = points.max()
    x = (drawn((500, points.shape[1]), 3) * 1.4 - 0.2) * size
    for options in ({}, {"bruteforce": True}, {"tol": 1e-9}):
        check(own.find_simplex(owned(x), **options), other.find_simplex(x, **options))
    check(own.find_simplex(owned(x.reshape(5, 100, -1))), other.find_simplex(x).reshape(5, 100))
    check(own.find_simplex(x[0]), other.find_simplex(x[0]))
    check(own.find_simplex(x[:0]), other.find_simplex(x[:0]))
    check(own.plane_distance(owned(x[:4])), other.plane_distance(x[:4]), 1e-9)
    check(own.lift_points(owned(x[:4])), other.lift_points(x[:4]))
    check(spatial.tsearch(own, owned(x)), other.find_simplex(x))
    # The corners are in simplices that have them.
    found = own.find_simplex(owned(points)).get()
    assert (found >= 0).all()
    corners = points[other.simplices[found]]
    assert (abs(corners - points[:, None]).max(-1).min(-1) < 1e-9).all()
    check(outcome(own.find_simplex, owned(x[:, :1])), outcome(other.find_simplex, x[:, :1]))


def test_triangulations_of_furthest_sites_and_added_points():
    x = drawn((30, 2))
    other = scipy.spatial.Delaunay(x, furthest_site=True)
    own = spatial.Delaunay(owned(x), furthest_site=True)
    check(own.simplices, other.simplices)
    points = drawn((50, 2), 7)
    check(own.find_simplex(owned(points)), other.find_simplex(points))
    other, own = (place.Delaunay(x[:20], incremental=True) for place in (scipy.spatial, spatial))
    check(own.simplices, other.simplices)
    other.add_points(x[20:])
    own.add_points(owned(x[20:]))
    check((own.simplices, own.points), (other.simplices, other.points))
    check(own.find_simplex(points), other.find_simplex(points))
    other.close()
    own.close()
    check(outcome(own.add_points, x), outcome(other.add_points, x))


def test_hulls_and_diagrams():
    x = drawn((40, 2))
    pairs = {
        "ConvexHull": ([x], "points vertices simplices neighbors equations coplanar area volume "
                       "nsimplex ndim npoints min_bound max_bound good"),
        "Voronoi": ([x], "points vertices ridge_points ridge_vertices regions point_region ndim "
                    "npoints furthest_site min_bound max_bound ridge_dict"),
        "HalfspaceIntersection": (
            [numpy.array([[-1, 0, 0], [0, -1, 0], [1, 0, -1], [0, 1, -1.0]]), [0.5, 0.5]],
            "halfspaces interior_point intersections dual_points dual_facets dual_vertices "
            "dual_equations dual_area dual_volume is_bounded ndim nineq"),
        "SphericalVoronoi": ([numpy.concatenate([numpy.eye(3), -numpy.eye(3)])],
                             "points radius center vertices regions"),
    }
    for name, (given, attributes) in pairs.items():
        other = getattr(scipy.spatial, name)(*map(numpy.array, given))
        own = getattr(spatial, name)(*map(owned, given))
        for attribute in attributes.split():
            check(outcome(getattr, own, attribute), outcome(getattr, other, attribute))
    check(own.calculate_areas(), other.calculate_areas())
    own.sort_vertices_of_regions()
    other.sort_vertices_of_regions()
    check(own.regions, other.regions)
    with pytest.raises(spatial.QhullError):
        spatial.ConvexHull(owned(numpy.zeros((5, 2))))
    given = list(map(numpy.array, pairs["HalfspaceIntersection"][0]))
    spaces = [place.HalfspaceIntersection(*given, incremental=True)
              for place in (scipy.spatial, spatial)]
    for one in spaces:
        one.add_halfspaces(numpy.array([[1.0, 1.0, -1.5]]))
        one.close()
    check(spaces[1].intersections, spaces[0].intersections)


def test_boxes():
    given = [1.0, 0.5, 2.0], [0, 1, -1]
    boxes = scipy.spatial.Rectangle(*given), spatial.Rectangle(*map(owned, given))
    others = [place.Rectangle([5, 4, 3], [2, 1, 0]) for place in (scipy.spatial, spatial)]
    check((boxes[1].mins, boxes[1].maxes, boxes[1].m), (boxes[0].mins, boxes[0].maxes, 3))
    compare("volume", boxes)
    for p in ORDERS:
        compare("min_distance_point", boxes, drawn((4, 3)) * 5, p)
        compare("max_distance_point", boxes, drawn((4, 3)) * 5, p)
        for name in ("min_distance_rectangle", "max_distance_rectangle"):
            check(getattr(boxes[1], name)(others[1], p), getattr(boxes[0], name)(others[0], p))
    for one, another in zip(boxes[1].split(2, 0.5), boxes[0].split(2, 0.5)):
        check((one.mins, one.maxes), (another.mins, another.maxes))
    assert repr(boxes[1]).startswith("<Rectangle [(0.0, 1.0)")


def test_functions_of_points():
    both = scipy.spatial, spatial
    x, y = drawn((6, 3)), drawn((4, 3), 1)
    for p in (*ORDERS, 0.5):
        compare("distance_matrix", both, x, y, p)
        compare("minkowski_distance", both, x[:4], y, p)
        compare("minkowski_distance_p", both, x[:, None], y, p)
    compare("minkowski_distance", both, numpy.arange(3), numpy.arange(3)[::-1])
    compare("minkowski_distance", both, numpy.float32([1, 2]), numpy.float32([3, 4]))
    compare("distance_matrix", both, x, y[:, :2])
    compare("distance_matrix", both, x[0], y)
    compare("procrustes", both, x, 3 * x[:, [1, 0, 2]] + drawn((6, 3), 4), tolerance=1e-10)
    for wrong in (x[:3], x[0], x * 0, x[:0]):
        compare("procrustes", both, wrong, x if wrong.shape else wrong)
    compare("procrustes", both, x[:0], x[:0])


def test_arcs():
    both = scipy.spatial, spatial
    start, end = numpy.array([0, 0.6, 0.8]), numpy.array([1.0, 0, 0])
    for t in (0.3, 0, [0.0, 0.25, 1.0], [], numpy.linspace(0, 1, 30), -1.0, [0.5, 2.0], [[0.1]]):
        compare("geometric_slerp", both, start, end, t)
        compare("geometric_slerp", both, start, start, t)
    near = numpy.array([0, 0.6 * numpy.cos(1e-9), 0.8])
    compare("geometric_slerp", both, near / numpy.linalg.norm(near), start, [0.5])
    for wrong in ((start * 2, end), (start[:2], end), (start[None], end), ([1.0], [1.0])):
        compare("geometric_slerp", both, *map(numpy.array, wrong), 0.5)
    compare("geometric_slerp", both, start, end, 0.5, 1)
    with pytest.warns(UserWarning):
        found = spatial.geometric_slerp(start, -start, [0.0, 0.5, 1.0]).get()
    numpy.testing.assert_allclose(numpy.linalg.norm(found, axis=1), 1)
    numpy.testing.assert_allclose(found[[0, 2]], [start, -start], atol=1e-15)


def test_names_and_signatures():
    for place in ("", "distance", "transform"):
        theirs = getattr(scipy.spatial, place) if place else scipy.spatial
        ours = getattr(spatial, place) if place else spatial
        for name in theirs.__all__:
            if name in ("ckdtree", "kdtree", "qhull"):
                continue
            own = getattr(ours, name)
            assert name in ours.__all__
            if inspect.isfunction(own):
                with warnings.catch_warnings():
                    found = str(inspect.signature(getattr(theirs, name)))
                if name != "geometric_slerp":
                    assert str(inspect.signature(own)) == found, name
    assert isinstance(spatial.KDTree(phalanx.zeros((3, 2))).data, phalanx.ndarray)


def test_many_neighbors():
    generator = numpy.random.default_rng(4)
    points, x = generator.random((400, 3)), generator.random((7, 3))
    tree, expected = spatial.KDTree(owned(points)), scipy.spatial.KDTree(points)
    for k in (32, 33, 100, 400, 401):
        for bound in (numpy.inf, 0.4):
            own = tree.query(owned(x), k=k, distance_upper_bound=bound)
            other = expected.query(x, k=k, distance_upper_bound=bound)
            numpy.testing.assert_allclose(own[0].get(), other[0])
            numpy.testing.assert_array_equal(own[1].get(), other[1])
    assert tree.query(owned(x), k=1.5)[0].shape == (7, 2)
