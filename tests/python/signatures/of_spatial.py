"""Points in space: parameters of the functions and classes of ``scipy.spatial``."""

import numpy

from .drawing import FLOATS, Array, Object

EXACT = set()
COARSE = None
LEADING = ("data", "x", "points", "start", "data1")
ARRAYS = {"dtypes": ["float64", "float64", "float32", "int32"], "least": 2, "most": 2,
          "longest": 15, "rare": ["int64", "uint8", "bool"]}
LEFT_OUT = {".close": "it frees memory of SciPy's"}
NEVER_WRONG = ("eps",)
_CKDTREE = "self, x, k=1, eps=0.0, p=2.0, distance_upper_bound=1, workers=1"
SIGNATURES = {
    "cKDTree": "data, leafsize=16, compact_nodes=True, copy_data=False, balanced_tree=True, "
               "boxsize=None", "cKDTree.query": _CKDTREE, "tsearch": "tri, xi"}
TREE = "n m leafsize boxsize data mins maxes"
HULL = "points simplices neighbors min_bound max_bound ndim npoints nsimplex"
SHOWN = {
    "KDTree": TREE, "cKDTree": TREE, "Rectangle": "maxes mins m",
    "Delaunay": f"{HULL} equations coplanar transform vertex_to_simplex convex_hull "
                "paraboloid_scale paraboloid_shift good",
    "ConvexHull": f"{HULL} equations coplanar vertices area volume good",
    "Voronoi": "points vertices ridge_points ridge_vertices regions point_region furthest_site",
    "HalfspaceIntersection": "halfspaces interior_point intersections dual_points dual_facets "
                             "dual_vertices dual_equations dual_area dual_volume ndim nineq",
    "SphericalVoronoi": "points radius center vertices regions",
}


def cloud(d):
    """Points with distances that differ, or points on a lattice."""
    d.box, d.extent_of_box = d.often(0.25), 4.0
    d.axes_of_space = d.whole(1, 4)
    # Few points, or several leaves of a tree.
    count = 0 if d.often(0.03) else d.one([1, 2, 5, 11, 30])
    if d.often(0.15):
        return d.laid(d.chance.integers(0, 3, (count, d.axes_of_space)).astype(d.dtype()))
    return d.laid(d.chance.uniform(0, 3, (count, d.axes_of_space)).astype(d.one(FLOATS)))


def box(d):
    if getattr(d, "given", None) is not None:
        return d.given.values.get("boxsize")
    if not d.box:
        return None
    return d.one([4.0, [4.0] * d.axes_of_space, [4.0] + [0.0] * (d.axes_of_space - 1), 1.0])


def near(d):
    """Points near those of a tree: one, a vector or a matrix of them."""
    lead = d.one([(), (1,), (4,), (7,), (2, 3), (0,)])
    d.lead = lead
    count = d.of.axes_of_space if d.often(0.96) else 5
    return d.laid(d.chance.uniform(-0.5, 3.5, (*lead, count)).astype(d.one(FLOATS)))


def radii(d):
    made = d.one([0.5, 1, 0.0, 2.0, Array(d.chance.uniform(0, 2, d.lead))])
    return made


def another_tree(d):
    """A tree of as many dimensions; of a periodic space if the first one is."""
    return d.object(d.function.partition(".")[0], given=d.of)


def cloud_or_beside(d):
    """Points of a tree, of as many coordinates as those of another tree."""
    one = getattr(d, "given", None)
    if one is None:
        return cloud(d)
    d.box, d.axes_of_space = one.box, one.axes_of_space if d.often(0.96) else 5
    return d.laid(d.chance.uniform(0, 3, (d.one([1, 3, 12]), d.axes_of_space)))


def weights(d):
    def of_tree(points):
        count = len(points) if d.often(0.95) else 2
        return Array(numpy.round(d.chance.uniform(0, 2, count), 2))

    if not isinstance(d.values["other"], Object):
        return None
    mine, others = d.of.array_of("data"), d.values["other"].draws.array_of("data")
    return d.one([None, (of_tree(mine), of_tree(others)), (of_tree(mine), None)])


def plane(d):
    d.axes_of_space = d.one([2, 2, 3])
    return d.laid(numpy.round(d.chance.uniform(0, 3, (d.whole(5, 12), d.axes_of_space)), 3))


def sphere(d):
    made = d.chance.normal(size=(d.whole(5, 9), 3))
    made /= numpy.linalg.norm(made, axis=1)[:, None]
    d.radius, d.middle = d.one([1, 2.0]), d.one([numpy.zeros(3), numpy.ones(3)])
    return Array(made * d.radius + d.middle if d.often(0.95) else made * 3)


def direction(d):
    if not hasattr(d, "dimension"):
        d.dimension = d.whole(2, 4)
    made = d.chance.normal(size=d.dimension if d.often(0.96) else 5)
    return Array(made / (numpy.linalg.norm(made) if d.often(0.96) else 1))


def times(d):
    return d.one([Array(numpy.round(d.chance.uniform(0, 1, d.whole(0, 5)), 2)), 0.25, 1.5])


def half_spaces(d):
    """Half-spaces around the origin."""
    d.axes_of_space = 2
    angles = numpy.sort(d.chance.uniform(0, 1, d.whole(3, 6)) + numpy.arange(d.whole(3, 6))[:1])
    angles = numpy.concatenate([angles, angles + 2.1, angles + 4.2])
    sides = -d.chance.uniform(0.5, 2, angles.size)
    return Array(numpy.stack([numpy.cos(angles), numpy.sin(angles), sides], 1))


def same_shape(d):
    shape = d.first.shape if d.often(0.9) else (d.first.shape[-1],) if d.first.ndim else (2,)
    return d.array(shape if d.often(0.96) else (3, 7))


P = {"p": lambda d: d.one([1, 2, 2.0, numpy.inf, 3, 1.5, 0.5 if d.often(0.2) else 2])}
TREES = {"data": cloud_or_beside, "leafsize": lambda d: d.one([1, 2, 10, 0 if d.often(0.1) else 3]),
         "boxsize": box, "OFTEN": {"boxsize": 1}}
PARAMETERS = {
    **P, "compact_nodes": lambda d: d.often(0.5), "copy_data": lambda d: d.often(0.5),
    "balanced_tree": lambda d: d.often(0.5), "eps": lambda d: d.one([0, 0.0, 0.2]),
    "workers": lambda d: d.one([1, 2, -1]), "other": another_tree, "k": lambda d: d.one([
        1, 2, 3, 8, [1], [1, 3], (2, 2), [2, 1], 40, 0 if d.often(0.2) else 1]),
    "distance_upper_bound": lambda d: d.one([numpy.inf, 0.5, 1.5, 0.0]), "r": lambda d: d.one([
        0.4, 1, 0.0, 2.0]), "max_distance": lambda d: d.one([0.5, 1.5, 0.0, 1]),
    "return_sorted": lambda d: d.one([None, True, False]),
    "return_length": lambda d: d.often(0.5), "cumulative": lambda d: d.often(0.5),
    "weights": weights, "data": cloud, "threshold": lambda d: d.one([1000000, 3]),
    "x": lambda d: d.array(), "y": lambda d: d.array((d.whole(0, 6), d.first.shape[-1] if d.often(
        0.96) and d.first.ndim else 4)),
    "points": plane, "incremental": lambda d: d.often(0.6), "qhull_options": lambda d: None,
    "furthest_site": lambda d: d.often(0.3), "restart": lambda d: d.often(0.5),
    "start": direction, "end": direction, "t": times, "tol": lambda d: d.one([1e-7, 1e-6, 0.0]),
    "data1": lambda d: d.array((d.whole(2, 7), d.whole(2, 4))), "data2": same_shape,
    "tri": lambda d: d.object("Delaunay"), "xi": lambda d: d.array((d.whole(0, 6), 2)),
    "halfspaces": half_spaces, "interior_point": lambda d: Array(numpy.zeros(2)),
    "radius": lambda d: d.radius, "center": lambda d: Array(d.middle),
    "bruteforce": lambda d: d.often(0.5),
    "maxes": lambda d: Array(numpy.round(d.chance.uniform(-1, 3, 3), 2)),
    "mins": lambda d: Array(numpy.round(d.chance.uniform(-3, 0, 3), 2)),
}
# An approximate search may find other points.
EXACTLY = {"eps": lambda d: 0}
OF_BALLS = {"query_ball_point": {"x": near, "r": radii, **EXACTLY}, "query_ball_tree": EXACTLY,
            "query": {"x": near}}
INCREMENTAL = {"OFTEN": {"incremental": 0.9}}
OWN = {
    "KDTree": TREES, "cKDTree": TREES,
    **{f".{name}": own for name, own in OF_BALLS.items()},
    ".query_pairs": {**EXACTLY, "output_type": lambda d: d.one(
        ["set", "ndarray", "none" if d.often(0.1) else "set"])},
    ".count_neighbors": {"r": lambda d: d.one([0.5, 1, Array(numpy.array([0.2, 0.5, 1.5])), Array(
        numpy.array([1.0, 0.3])), Array(numpy.zeros(0)), Array(numpy.ones((1, 2)))])},
    ".sparse_distance_matrix": {"output_type": lambda d: d.one(
        ["dok_matrix", "coo_matrix", "dict", "ndarray", "none" if d.often(0.1) else "dict"])},
    "minkowski_distance": {"y": same_shape}, "minkowski_distance_p": {"y": same_shape},
    ".find_simplex": {"xi": lambda d: d.array((d.whole(0, 6), d.of.axes_of_space), FLOATS),
                      "tol": lambda d: d.one([None, 1e-6])},
    ".plane_distance": {"xi": lambda d: d.array((d.whole(1, 6), d.of.axes_of_space), FLOATS)},
    ".lift_points": {"x": lambda d: d.array((d.whole(1, 6), d.of.axes_of_space), FLOATS)},
    **{name: INCREMENTAL for name in ("ConvexHull", "Delaunay", "HalfspaceIntersection",
                                      "Voronoi")},
    ".add_points": {"points": lambda d: Array(d.chance.uniform(0, 3, (3, d.of.axes_of_space)))},
    ".add_halfspaces": {"halfspaces": lambda d: Array(numpy.array([[1.0, 0.2, -0.4]]))},
    "SphericalVoronoi": {"points": sphere, "threshold": lambda d: 1e-6,
                         "OFTEN": {"radius": 1, "center": 1}},
    **{f"Rectangle.{kind}_distance_point": {"x": lambda d: Array(numpy.round(d.chance.uniform(
        -3, 3, (2, 3)), 2))} for kind in ("min", "max")},
    "Rectangle.split": {"d": lambda d: d.one([0, 1, 2]), "split": lambda d: d.number(-1, 1)},
    **{f"Rectangle.{kind}_distance_rectangle": {"other": lambda d: d.object("Rectangle")}
       for kind in ("min", "max")},
}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    return 2**16


def compared(name, values, found):
    """What is compared: lists of neighbors, pairs and elements in one order."""
    if isinstance(found, Exception) or name.startswith(("Rectangle", "Delaunay")):
        return found
    if ".query_ball" in name and not values.get("return_sorted"):
        return {key: _ordered(one) for key, one in found.items()}
    one = found.get("")
    if name.endswith(".query_pairs") and isinstance(one, numpy.ndarray) and one.ndim == 2:
        found[""] = one[numpy.lexsort(one.T[::-1])]
    if name.endswith(".sparse_distance_matrix") and isinstance(one, numpy.ndarray) and (
            one.dtype.kind == "V"):
        one = numpy.sort(one, order=["i", "j"])
        fields = {f".{key}": one[key] for key in one.dtype.names}
        return {**found, "": str(one.dtype), **fields}
    return found


def _ordered(one):
    if not isinstance(one, numpy.ndarray) or one.dtype.kind == "f" or one.ndim > 1 and (
            one.dtype != object):
        return one
    if one.dtype == object:
        made = one.copy()
        for place in numpy.ndindex(one.shape):
            made[place] = sorted(one[place])
        return made
    return numpy.sort(one) if one.ndim else one


def excuse(name, values, found, expected):
    """Whether neighbors at equal distances have another order, or `eps` allows other ones."""
    if not name.endswith(".query") or not isinstance(found, dict) or (
            not isinstance(expected, dict)) or ".0" not in found:
        return False
    apart, other = found[".0"], expected[".0"]
    if apart.shape != other.shape or apart.dtype != other.dtype:
        return False
    allowed = values.get("eps", 0)
    exact = numpy.isclose(apart, other, 1e-12, 1e-12)
    return bool(numpy.all(exact | (apart <= other) & (other <= apart * (1 + allowed)))) and (
        allowed or _are_as_far(values, found))


def _are_as_far(values, found):
    """Whether points are as far as they are said to be."""
    of, x = values["self"].draws, values["x"].array.astype(float)
    data, apart, number = of.array_of("data").astype(float), found[".0"], found[".1"]
    extra = apart.ndim - x.ndim + 1
    steps = abs(numpy.take(numpy.vstack([data, numpy.full((1, data.shape[1]), numpy.inf)]), number,
                           0) - x.reshape(x.shape[:-1] + (1,) * extra + x.shape[-1:]))
    size = of.values.get("boxsize")
    if size is not None:
        size = numpy.broadcast_to(size, x.shape[-1]).astype(float)
        steps = numpy.where((size > 0) & numpy.isfinite(steps), numpy.minimum(
            steps % size, size - steps % size), steps)
    own = numpy.linalg.norm(steps, values.get("p", 2), axis=-1) if steps.size else apart
    return numpy.allclose(own, apart)
