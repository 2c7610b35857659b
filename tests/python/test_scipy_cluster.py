"""Clusters of ``scipy.cluster``, compared with SciPy's."""

import inspect
import warnings

import numpy
import pytest
import scipy.cluster

import phalanx
from phalanx.scipy import cluster

from .signal_cases import outcome, some
from .spatial_cases import check, owned


def drawn(shape, kind="d", seed=3):
    return (numpy.random.default_rng(seed).random(shape) * 5).astype(kind)


def compare(name, /, *given, tolerance=None, module="vq", **options):
    other = outcome(getattr(getattr(scipy.cluster, module), name), *given, **options)
    options = {key: owned(value) for key, value in options.items()}
    own = outcome(getattr(getattr(cluster, module), name), *map(owned, given), **options)
    if isinstance(other, scipy.cluster.vq.ClusterError):
        assert isinstance(own, cluster.vq.ClusterError)
        return
    check(own, other, tolerance)


@pytest.mark.parametrize("kind", "dfi")
@pytest.mark.parametrize("shape", [(40, 3), (7, 9), (30,), (1, 2), (0, 2)], ids=str)
def test_codes(shape, kind):
    obs, codes = drawn(shape, kind), drawn((5, *shape[1:]), kind, 4)
    compare("vq", obs, codes)
    compare("py_vq", obs, codes)
    if shape[0]:
        compare("whiten", obs)
    compare("vq", obs, codes.astype("d"))
    compare("vq", obs[::-1], codes[::2])


def test_codes_are_checked():
    x = drawn((10, 3))
    for obs, codes in ((x, x[:, :2]), (x[:, 0], x), (x[None], x), (x * numpy.nan, x),
                       (x, x * numpy.inf), (x + 1j, x)):
        compare("vq", obs, codes)
        if obs.ndim < 3:
            compare("py_vq", obs, codes)
    compare("whiten", x * numpy.nan)
    with pytest.warns(RuntimeWarning):
        cluster.vq.whiten(owned(numpy.ones((4, 2))))
    compare("whiten", numpy.array([[1, 2.0], [1, 3], [1, 5]]))
    # Near codes: an expansion of squares would lose all digits.
    own = cluster.vq.vq(owned(1e7 + 1e-6 * x), owned(1e7 + 1e-6 * x[3:6]))[0].get()
    assert own.tolist() == scipy.cluster.vq.py_vq(1e7 + 1e-6 * x, 1e7 + 1e-6 * x[3:6])[0].tolist()


@pytest.mark.parametrize("kind", "df")
@pytest.mark.parametrize("shape", [(60, 2), (50, 4), (50,)], ids=str)
def test_means(shape, kind):
    x = drawn(shape, kind)
    x[:20] += 7
    for count in some((1, 2, 4), 2):
        compare("kmeans", x, count, iter=3, rng=5)
        compare("kmeans", x, count, iter=2, seed=5)
        compare("kmeans", x, x[:count] if count > 1 else 1, rng=7)
        for minit in ("points", "++", "random"):
            tolerance = 1e-4 if kind == "f" else 1e-9
            compare("kmeans2", x, count, minit=minit, rng=5, tolerance=tolerance)
            compare("kmeans2", x, count, 3, minit=minit, seed=6, tolerance=tolerance)
    compare("kmeans2", x, x[:3], minit="matrix")
    compare("kmeans2", x, x[:3], iter=1)
    own = cluster.vq.kmeans(owned(x), 2)
    assert own[0].shape == (2, *shape[1:]) and float(own[1]) > 0


def test_more_dimensions_than_points():
    # Singular vectors have either sign, so clusters have any order.
    own, number = cluster.vq.kmeans2(owned(drawn((5, 9))), 2, rng=1)
    other, other_number = scipy.cluster.vq.kmeans2(drawn((5, 9)), 2, rng=1)
    if own[0, 0] > other[0, 0] + 0.1 or own[0, 0] < other[0, 0] - 0.1:
        other, other_number = other[::-1], 1 - other_number
    check((own, number), (other, other_number.astype("i")), 1e-9)


def test_empty_clusters():
    x = drawn((10, 3))
    codes = numpy.concatenate([x[:2], [[90, 90, 90]]])
    compare("kmeans2", x, codes, minit="matrix", missing="raise")
    compare("kmeans2", x, codes, minit="matrix")
    compare("kmeans", x, codes)
    with pytest.warns(UserWarning, match="empty"):
        cluster.vq.kmeans2(owned(x), owned(codes), minit="matrix")


def test_arguments_are_checked():
    x = drawn((10, 3))
    for given in ((x, 0), (x, 1.5), (x, 20), (x, x[:0]), (x[:0], 2), (x * numpy.nan, 2),
                  (x.astype(int), 2), (x, 2, 0), (x, 2, 1.5)):
        compare("kmeans", *given, rng=1)
    for given, options in (
        ((x[:0], 2), {}), ((x, 0), {}), ((x, 20), {"minit": "points"}), ((x, 2), {"minit": "z"}),
        ((x, x[:, :2]), {"minit": "matrix"}), ((x, x[0]), {}), ((x, 2), {"missing": "q"}),
        ((x, 2, 0), {}), ((x, 2.7), {"minit": "points"}), ((x[None], 2), {}),
        ((x.astype(int), 2), {"minit": "points"}), ((x, numpy.array(2)), {"minit": "points"}),
    ):
        compare("kmeans2", *given, rng=1, **options)


MERGES = scipy.cluster.hierarchy.ward(drawn((12, 3)))
INCONSISTENT = scipy.cluster.hierarchy.inconsistent(MERGES)
LABELS = scipy.cluster.hierarchy.fcluster(MERGES, 3, "maxclust")


@pytest.mark.parametrize("name, given", [
    *((name, [drawn(66)]) for name in ("average", "centroid", "complete", "median", "single",
                                       "ward", "weighted")),
    ("linkage", [drawn((9, 2)), "average", "cityblock"]), ("linkage", [drawn(7)]),
    ("cophenet", [MERGES]), ("cophenet", [MERGES, drawn(66)]), ("correspond", [MERGES, drawn(66)]),
    ("cut_tree", [MERGES]), ("fcluster", [MERGES, 2.0]), ("fclusterdata", [drawn((9, 2)), 1.0]),
    ("inconsistent", [MERGES]), ("is_isomorphic", [LABELS, LABELS[::-1]]),
    ("is_monotonic", [MERGES]),
    ("is_valid_im", [INCONSISTENT]), ("is_valid_linkage", [MERGES]), ("leaders", [MERGES, LABELS]),
    ("leaves_list", [MERGES]), ("maxRstat", [MERGES, INCONSISTENT, 3]), ("maxdists", [MERGES]),
    ("maxinconsts", [MERGES, INCONSISTENT]), ("num_obs_linkage", [MERGES]),
    ("optimal_leaf_ordering", [MERGES, drawn(66)]), ("to_mlab_linkage", [MERGES]),
    ("from_mlab_linkage", [scipy.cluster.hierarchy.to_mlab_linkage(MERGES)]),
], ids=lambda x: x if isinstance(x, str) else "")
def test_hierarchies(name, given):
    compare(name, *given, module="hierarchy")


def test_trees_and_plots():
    root = cluster.hierarchy.to_tree(owned(MERGES))
    assert isinstance(root, cluster.hierarchy.ClusterNode) and root.get_count() == 12
    own = cluster.hierarchy.dendrogram(owned(MERGES), no_plot=True)
    assert own["leaves"] == scipy.cluster.hierarchy.dendrogram(MERGES, no_plot=True)["leaves"]
    sets = cluster.hierarchy.DisjointSet([1, 2, 3])
    assert sets.merge(1, 3) and sets.connected(1, 3)
    with pytest.raises(ValueError, match="too long"):
        cluster.hierarchy.single(phalanx.broadcast_to(phalanx.zeros(()), (1 << 27,)))


def test_names_and_signatures():
    for module in ("vq", "hierarchy"):
        theirs, ours = getattr(scipy.cluster, module), getattr(cluster, module)
        for name in theirs.__all__:
            own = getattr(ours, name)
            if name in ("ClusterNode", "DisjointSet", "whiten"):
                continue
            found = inspect.signature(getattr(theirs, name))
            with warnings.catch_warnings():
                assert str(inspect.signature(own)) == str(found), name
