"""Distances of ``scipy.spatial.distance``, compared with SciPy's."""

import numpy
import pytest
import scipy.spatial.distance

import phalanx
from phalanx.scipy.spatial import distance

from .signal_cases import outcome, some
from .spatial_cases import check, owned

DRAWS = numpy.random.default_rng()
START = numpy.random.default_rng(5).bit_generator.state
OF_TRUTHS = ["dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule"]
METRICS = ["braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine",
           "euclidean", "hamming", "jaccard", "jensenshannon", "mahalanobis", "minkowski",
           "seuclidean", "sqeuclidean", *OF_TRUTHS]
OF_VECTORS = [name for name in METRICS if name not in ("mahalanobis", "seuclidean")]
SHAPES = [(7, 5, 4), (1, 3, 2), (40, 23, 3), (0, 2, 3), (3, 0, 3), (2, 2, 1), (9, 12, 17)]


@pytest.fixture(autouse=True)
def draws():
    """The same draws for a test in whatever order."""
    DRAWS.bit_generator.state = START


def drawn(shape, kind):
    x = DRAWS.random(shape) * 3
    if kind == "?":
        return x > 1
    if kind in "iB":
        return numpy.floor(x * 2).astype(kind)
    if kind == "s":
        # Rows whose differences are small: an expansion of squares would lose all digits.
        return 1e6 + x * 1e-4
    return numpy.where(x < 0.3, 0, x).astype(kind)


def compare(name, /, *given, tolerance=None, **options):
    other = outcome(getattr(scipy.spatial.distance, name), *given, **options)
    options = {key: owned(value) for key, value in options.items()}
    own = outcome(getattr(distance, name), *map(owned, given), **options)
    check(own, other, tolerance)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["d", "f", "i", "?"])
def test_all_pairs(metric, kind):
    for first, second, columns in some(SHAPES, 2):
        a, b = drawn((first, columns), kind), drawn((second, columns), kind)
        if metric == "jensenshannon" and kind in "df":
            # Of equal probabilities, rounding makes SciPy's result NaN.
            if columns == 1:
                continue
            a, b = a + DRAWS.random(), b + DRAWS.random()
        if metric == "mahalanobis":
            root = DRAWS.random((columns, columns))
            options = {"VI": root @ root.T + numpy.eye(columns)}
        else:
            options = {}
        compare("cdist", a, b, metric, tolerance=1e-9, **options)
        compare("pdist", a, metric, tolerance=1e-9, **options)


@pytest.mark.parametrize("metric", METRICS)
def test_weights_and_options(metric):
    a, b = drawn((6, 4), "d"), drawn((5, 4), "d")
    weights = numpy.array([0.5, 0.0, 2.0, 1.0])
    for options in ({"w": weights}, {"w": -weights}, {"w": weights[:2]}, {"w": a}, {"q": 1},
                    {"p": 3.0}, {"p": 0.5}, {"p": 0}, {"p": numpy.inf}, {"p": 1},
                    {"p": 3.5, "w": weights}, {"base": 2.0}, {"V": weights + 1}, {"V": a},
                    {"V": weights[:2]}, {}, {"w": None}):
        if metric == "dice" and "w" in options:
            continue
        compare("cdist", a, b, metric, tolerance=1e-11, **options)
        compare("pdist", a, metric, tolerance=1e-11, **options)


def test_weights_of_dice():
    # SciPy's `cdist` counts the weights of all coordinates as those that differ.
    a, b = drawn((6, 4), "?"), drawn((5, 4), "?")
    weights = numpy.array([0.5, 0.0, 2.0, 1.0])
    other = [[scipy.spatial.distance.dice(u, v, weights) for v in b] for u in a]
    check(distance.cdist(owned(a), owned(b), "dice", w=weights), numpy.array(other))


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cityblock", "chebyshev",
                                    "minkowski", "seuclidean", "mahalanobis"])
def test_near_points_keep_their_digits(metric):
    a, b = drawn((20, 6), "s"), drawn((9, 6), "s")
    options = {"VI": numpy.eye(6)} if metric == "mahalanobis" else {}
    # Both are sums of few exact differences.
    tolerance = 1e-6 if metric == "seuclidean" else 1e-12
    own = distance.cdist(owned(a), owned(b), metric, **options).get()
    other = scipy.spatial.distance.cdist(a, b, metric, **options)
    numpy.testing.assert_allclose(own, other, rtol=tolerance)


def test_estimated_parameters():
    for count in (3, 8, 30):
        a, b = drawn((count, 4), "d"), drawn((3, 4), "d")
        for metric in ("mahalanobis", "seuclidean"):
            compare("pdist", a, metric, tolerance=1e-9)
            compare("cdist", a, b, metric, tolerance=1e-9)
            compare("cdist", a[:2], b[:2], metric, tolerance=1e-9)


def test_names_and_functions():
    a, b = drawn((4, 3), "d"), drawn((5, 3), "d")
    for metric in ("euclid", "E", "cos", "h", "mi", "test_cityblock", "other", 5, None, "test_x"):
        compare("cdist", a, b, metric)
        compare("pdist", a, metric)
    for metric in (lambda u, v: abs(u - v).sum(), scipy.spatial.distance.cosine):
        compare("cdist", a, b, metric)
        compare("pdist", a, metric)
    own = distance.cdist(owned(a), owned(b), distance.canberra)
    check(own, scipy.spatial.distance.cdist(a, b, "canberra"))
    own = distance.pdist(owned(a), distance.minkowski, p=3)
    check(own, scipy.spatial.distance.pdist(a, "minkowski", p=3))


def test_shapes_and_outputs():
    a, b = drawn((4, 3), "d"), drawn((5, 3), "d")
    compare("cdist", a[0], b)
    compare("cdist", a, b[0])
    compare("cdist", a, b[:, :2])
    compare("pdist", a[0])
    compare("cdist", a + 1j, b)
    compare("cdist", a[::2, ::-1], b[::-1, ::-1])
    compare("pdist", a.T)
    for made, given in (((4, 5), "d"), ((4, 4), "d"), ((4, 5), "f")):
        out = phalanx.zeros(made, dtype=given)
        own = outcome(distance.cdist, owned(a), owned(b), out=out)
        other = outcome(scipy.spatial.distance.cdist, a, b, out=numpy.zeros(made, given))
        check(own, other)
        assert isinstance(other, Exception) or own is out
    compare("pdist", drawn((70, 3), "d"))


def test_pairs_of_blocks_of_rows():
    from phalanx.scipy.spatial import _pairwise

    for rows, columns in [(1, 1), (1, 2), (2, 2), (3, 3), (2, 7), (6, 7), (7, 7), (40, 101)]:
        block = numpy.arange(rows * columns).reshape(rows, columns)
        found = _pairwise._above(phalanx.asarray(block))
        assert found.tolist() == block[numpy.triu_indices(rows, 1, columns)].tolist()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 9, 10, 45, 46, 300])
def test_square_forms_of_vectors(count):
    for kind in "dfi":
        compare("squareform", numpy.arange(count).astype(kind))
    compare("is_valid_y", numpy.arange(count))
    compare("num_obs_y", numpy.arange(count))
    compare("is_valid_y", numpy.arange(count), throw=True, name="x")


def test_square_forms_of_matrices():
    x = scipy.spatial.distance.cdist(*[drawn((9, 3), "d")] * 2)
    x = (x + x.T) / 2
    wrong = x.copy()
    wrong[3, 4] += 1e-3
    uneven = x + numpy.eye(9)
    for matrix in (x, wrong, uneven, x[:1, :1], x[:0, :0], x[:4], x[None], x.astype("f")):
        compare("squareform", matrix)
        compare("squareform", matrix, checks=False)
        compare("squareform", matrix, force="tovector")
        compare("squareform", matrix, "tomatrix")
        compare("num_obs_dm", matrix)
        for tolerance in (0.0, 1e-2):
            if matrix.shape != (4, 9):
                compare("is_valid_dm", matrix, tolerance)
                compare("is_valid_dm", matrix, tolerance, throw=True)
    compare("squareform", x[0], force="tovector")
    with pytest.warns(UserWarning):
        distance.is_valid_dm(owned(wrong), warning=True)


@pytest.mark.parametrize("name", OF_VECTORS)
def test_vectors(name):
    weights = numpy.array([0.5, 0.0, 2.0, 1.0])
    # SciPy's products of boolean vectors are boolean in `cosine`.
    for kind in "dfi" if name == "cosine" else "dfi?":
        u, v = drawn(4, kind), drawn(4, kind)
        # SciPy computes the norm of `float32` in `float64`, or the reverse.
        tolerance = 1e-5 if kind == "f" else None
        compare(name, u, v, tolerance=tolerance)
        if name != "jensenshannon":
            options = {"p": 2} if name == "minkowski" else {}
            compare(name, u, v, w=weights, tolerance=tolerance, **options)
            compare(name, u, v, w=-weights, **options)
            if kind == "d":
                compare(name, u[:0], v[:0])
    compare(name, drawn((2, 3), "d"), drawn((2, 3), "d"))
    if name not in ("canberra",):
        compare(name, drawn(4, "d"), drawn(2, "d"))
    compare(name, drawn(4, "d").tolist(), drawn(4, "d").tolist())
    compare(name, numpy.zeros(3), numpy.zeros(3))


def test_vectors_with_options():
    u, v = drawn(5, "d"), drawn(5, "d")
    for p in (0.5, 1, 2, 3.0, numpy.inf, 0, -1):
        compare("minkowski", u, v, p)
        compare("minkowski", u, v, p, numpy.array([1, 2, 0.5, 0, 1]))
    root = DRAWS.random((5, 5))
    compare("mahalanobis", u, v, root @ root.T)
    compare("seuclidean", u, v, u + 1)
    compare("seuclidean", u, v, u[:3])
    p, q = drawn((4, 6), "d"), drawn((4, 6), "d")
    for options in ({}, {"base": 2}, {"axis": 1}, {"axis": 1, "keepdims": True}):
        compare("jensenshannon", p, q, **options)
    compare("jensenshannon", p, -q)
    compare("correlation", u, v, centered=False)
    compare("cosine", u + 1j, v)


@pytest.mark.parametrize("shapes", [(5, 7, 2), (60, 40, 3), (3, 3, 9)], ids=str)
def test_hausdorff(shapes):
    first, second, columns = shapes
    u, v = drawn((first, columns), "d"), drawn((second, columns), "d")
    compare("directed_hausdorff", u, v)
    compare("directed_hausdorff", u, v[:, :-1])


def test_hausdorff_of_many_points():
    u, v = DRAWS.random((5000, 2)), DRAWS.random((6000, 2))
    compare("directed_hausdorff", u, v)
