"""Morphology and distances of images against SciPy's."""

import itertools

import numpy
import pytest
import scipy.ndimage

import phalanx
from phalanx.scipy import ndimage

from .ndimage_cases import MODES, image, ours, same, same_bits, some

EYE = numpy.eye(3)
MASK = image((9, 8), "?", 3)
STRUCTURES = {
    "cross": None,
    "full": numpy.ones((3, 3)),
    "any": image((3, 3), "?", 4),
    "even": image((2, 4), "?", 5) | numpy.eye(2, 4, 1).astype(bool),
    "row": numpy.ones((1, 3)),
    "diagonal": EYE,
    "empty": numpy.zeros((2, 2)),
}


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("iterations", [1, 2, 3, 0, -1])
def test_binary(structure, iterations):
    structure = STRUCTURES[structure]
    shape = (3, 3) if structure is None else structure.shape
    for seed, mask, border, origin in itertools.product(
        [0, 1], [None, MASK], [0, 1], [0, (0, -1)]
    ):
        x = image((9, 8), "d", seed, 10) > (3 if seed else 6)
        if iterations < 1 and structure is not None:
            middle = tuple(
                extent // 2 + moved for extent, moved in zip(shape, numpy.broadcast_to(origin, 2))
            )
            if not structure[middle]:
                # Such operations need not end.
                continue
        for name in ["binary_erosion", "binary_dilation", "binary_opening", "binary_closing"]:
            same(name, x, structure, iterations, mask=mask, border_value=border, origin=origin)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_binary_until_nothing_changes(structure):
    structure = STRUCTURES[structure]
    x = image((9, 8), "?")
    same("binary_propagation", x & ~MASK, structure, mask=MASK)
    same("binary_propagation", numpy.zeros_like(x), structure, mask=MASK, border_value=1)
    same("binary_fill_holes", x, structure)
    same("binary_hit_or_miss", x, structure)


def test_holes_of_long_paths():
    spiral = numpy.ones((15, 15))
    spiral[1:14, 1:14] = 0
    for turn in range(2, 7):
        spiral[turn:15 - turn, turn] = spiral[15 - turn - 1, turn:15 - turn] = 1
    for x in [spiral, spiral.T, 1 - spiral, image((3, 4, 5)) > 20]:
        same("binary_fill_holes", x)
        same("binary_fill_holes", x, numpy.ones((3,) * x.ndim))
        same("binary_fill_holes", x, axes=(0, 1))


def test_binary_arguments():
    x = image((6, 7), "?")
    for name in ["binary_erosion", "binary_dilation"]:
        for more in [
            {"axes": 0}, {"axes": 1, "structure": numpy.ones(3)}, {"axes": (1, 0)},
            {"structure": numpy.ones((3, 2)), "axes": (0, 1)}, {"axes": (0, 0)}, {"axes": (5,)},
            {"structure": numpy.ones(3)}, {"iterations": 1.5}, {"mask": x[1:]},
            {"structure": numpy.ones((0, 2))}, {"structure": numpy.ones((3, 3, 3))},
            {"origin": (1, 0, 0)}, {"border_value": True}, {"brute_force": True, "iterations": 4},
            {"output": "i"}, {"output": numpy.float32}, {"output": numpy.dtype("i1")},
            {"output": numpy.zeros((2, 2))}, {"mask": x * 2},
        ]:
            same(name, x, **more)
        # SciPy reads outside of arrays for some of these origins.
        for origin in [2, -2, (0, 5)]:
            with pytest.raises(IndexError):
                getattr(ndimage, name)(ours(x), origin=origin)
        for y in [x * 3.5, x.astype("i"), x * 1j, numpy.zeros((0, 3)), numpy.array(True)]:
            same(name, y)
        for dtype in "?Bid":
            into, theirs = phalanx.zeros((6, 7), dtype), numpy.zeros((6, 7), dtype)
            assert getattr(ndimage, name)(ours(x), output=into, iterations=2) is into
            getattr(scipy.ndimage, name)(x, output=theirs, iterations=2)
            numpy.testing.assert_array_equal(into.get(), theirs)
    same("binary_hit_or_miss", x, EYE, origin1=1)
    same("binary_hit_or_miss", x, EYE, numpy.ones((3, 3)), origin1=1, origin2=(0, -1))
    for name in ["binary_hit_or_miss", "binary_fill_holes"]:
        into = phalanx.zeros((6, 7), bool)
        assert getattr(ndimage, name)(ours(x), output=into) is None
        numpy.testing.assert_array_equal(into.get(), getattr(scipy.ndimage, name)(x))


def test_structures():
    for rank, connectivity in itertools.product(range(4), range(5)):
        same("generate_binary_structure", rank, connectivity)
    for structure, iterations in itertools.product(
        [EYE, numpy.ones((2, 3)), numpy.ones(4), STRUCTURES["any"]], range(4)
    ):
        same("iterate_structure", structure, iterations)
        same("iterate_structure", structure, iterations, 1)


GREY = """
grey_erosion grey_dilation grey_opening grey_closing morphological_gradient morphological_laplace
white_tophat black_tophat
""".split()


@pytest.mark.parametrize("name", GREY)
@pytest.mark.parametrize("dtype", "?bBhifd")
def test_grey(name, dtype):
    x = image((6, 7), dtype, largest=60)
    for mode, more in itertools.product(MODES, [
        {"size": 3}, {"size": (2, 3)}, {"size": 4, "origin": (1, 0)}, {"footprint": EYE},
        {"footprint": numpy.eye(2), "size": 3}, {"footprint": numpy.ones(2), "axes": (0,)},
        {"footprint": numpy.ones((2, 3)), "origin": (-1, 1)},
        {"structure": numpy.ones((3, 3)) * 2, "footprint": EYE}, {"size": 2, "axes": (1,)},
        {"structure": numpy.arange(6).reshape(2, 3) / 2},
        {"footprint": numpy.array([1, 0, 1]), "axes": 0}, {"size": 3, "cval": 2.5},
        {"size": 2, "output": "f"}, {"structure": numpy.array([[0, 1.5]]), "output": "d"},
        {"structure": numpy.array([[0, -1.5], [2, 0]])}, {"structure": numpy.zeros((3, 3))},
    ]):
        if dtype in "?B" and ("structure" in more and more["structure"].min() < 0):
            # C does not define such heights.
            continue
        if dtype == "?" and "structure" in more and name not in GREY[:2]:
            # SciPy keeps bytes other than 0 and 1 between its passes.
            continue
        same(name, x, mode=mode, **more)


@pytest.mark.parametrize("name", GREY)
def test_grey_arguments(name):
    x = image((6, 7), "i")
    for more in [
        {}, {"size": 3, "mode": "bad"}, {"footprint": numpy.ones(3)}, {"size": 3, "origin": 2},
        {"footprint": numpy.zeros((2, 2))}, {"size": (3, 3, 3)}, {"size": 3, "axes": 7},
        {"size": 3, "mode": ("wrap", "reflect")}, {"footprint": EYE, "mode": ("wrap", "reflect")},
        {"size": 3, "axes": (0, 0)}, {"structure": numpy.ones((3, 3)), "axes": 1},
    ]:
        same(name, x, **more)
    same(name, x * 1j, 3)
    same(name, x, 3, output=numpy.zeros((2, 2)))
    into, theirs = phalanx.zeros((6, 7), "d"), numpy.zeros((6, 7))
    assert getattr(ndimage, name)(ours(x), 3, output=into) is into
    getattr(scipy.ndimage, name)(x, 3, output=theirs)
    numpy.testing.assert_array_equal(into.get(), theirs)
    for shape in [(0, 3), (1, 1), (3, 1, 4)]:
        same(name, image(shape), 3)


@pytest.mark.parametrize("name", GREY)
def test_splits_have_the_same_bits(name):
    for mode in some(MODES, 2):
        same_bits(name, image((11, 7), "i"), 3, mode=mode)
        same_bits(name, image((3, 7)), None, EYE[:, :2], mode=mode)


def test_binary_splits_have_the_same_bits():
    for name in ["binary_erosion", "binary_dilation", "binary_opening", "binary_closing"]:
        for iterations in [1, 3]:
            same_bits(name, image((11, 7), "?"), None, iterations)
    same_bits("binary_fill_holes", image((11, 7), "?", 4))


SHAPES = [(7, 8), (20,), (5, 4, 6), (1, 9), (3, 1, 4), (0, 3)]


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 1, 0])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_distances(share, shape):
    x = (image(shape, largest=1) > share) * 1
    spacings = [0.5, 2, 1.25][: len(shape)]
    for sampling in [None, 2.5, spacings]:
        same("distance_transform_edt", x, sampling)
        same("distance_transform_bf", x, sampling=sampling)
    full = numpy.ones((3,) * len(shape), bool)
    for metric in ["chessboard", "taxicab", "cityblock", "manhattan", "euclidean", "Taxicab"]:
        same("distance_transform_cdt", x, metric)
        same("distance_transform_bf", x, metric)
        same("distance_transform_bf", x, metric, sampling=2.0)
    same("distance_transform_cdt", x, full)
    same("distance_transform_cdt", x, image(full.shape, "?", 7))
    if x.size and not x.all():
        for name, more in [
            ("distance_transform_edt", {}), ("distance_transform_edt", {"sampling": spacings}),
            ("distance_transform_bf", {"sampling": spacings}),
            ("distance_transform_bf", {"metric": "taxicab"}),
            ("distance_transform_cdt", {"metric": "taxicab"}),
            ("distance_transform_cdt", {"metric": "chessboard"}),
            ("distance_transform_cdt", {"metric": image(full.shape, "?", 7) | full}),
        ]:
            check_positions(name, x, more)
    else:
        for kind in ["edt", "cdt", "bf"]:
            same(f"distance_transform_{kind}", x, return_indices=True)


def check_positions(name, x, more):
    """Fails unless the positions are those of zeros at the distances. Ties may have any zero."""
    function = getattr(ndimage, name)
    distances, positions = function(ours(x), return_indices=True, **more)
    distances, positions = distances.get(), positions.get()
    assert positions.dtype == numpy.int32 and positions.shape == (x.ndim, *x.shape)
    only = function(ours(x), return_distances=False, return_indices=True, **more).get()
    numpy.testing.assert_array_equal(only, positions)
    assert not x[tuple(positions)].any()
    steps = abs(positions - numpy.indices(x.shape))
    metric = more.get("metric")
    if metric is None:
        spacing = numpy.array(more.get("sampling", [1] * x.ndim)).reshape(-1, *[1] * x.ndim)
        found = numpy.sqrt(((steps * spacing) ** 2).sum(0))
    else:
        found = steps.sum(0) if str(metric) == "taxicab" else steps.max(0)
    numpy.testing.assert_allclose(found, distances, rtol=1e-12)


@pytest.mark.parametrize("kind", ["edt", "cdt", "bf"])
def test_arrays_of_distances(kind):
    name, x = f"distance_transform_{kind}", image((6, 7), "?") * 1
    function = getattr(ndimage, name)
    same(name, x, return_distances=False)
    same(name, x, distances=numpy.zeros((2, 2)))
    same(name, x, indices=numpy.zeros((2, 2)))
    same(name, x, distances=numpy.zeros(x.shape, "i2"))
    same(name, x, return_indices=True, indices=numpy.zeros((2, 6, 7), "i2"))
    same(name, x, return_distances=False, return_indices=True, distances=numpy.zeros(x.shape))
    distances = phalanx.zeros(x.shape, "i" if kind == "cdt" else "d")
    indices = phalanx.zeros((2, 6, 7), "i")
    more = {"return_indices": True, "indices": indices}
    assert function(ours(x), distances=distances) is None
    expected = getattr(scipy.ndimage, name)(x)
    numpy.testing.assert_allclose(distances.get(), expected, rtol=1e-14)
    assert function(ours(x), distances=distances, **more) is None
    found = function(ours(x), **more)
    numpy.testing.assert_allclose(found.get(), expected, rtol=1e-14)
    assert not x[tuple(indices.get())].any()


def test_keywords_of_cupy_for_distances():
    x = image((40, 33), "?", 2)
    want = scipy.ndimage.distance_transform_edt(x)
    found = ndimage.distance_transform_edt(ours(x), float64_distances=False)
    assert found.dtype == "float32"
    numpy.testing.assert_allclose(found.get(), want, rtol=1e-6)
    into = phalanx.zeros(x.shape, "f")
    ndimage.distance_transform_edt(ours(x), distances=into, float64_distances=False)
    numpy.testing.assert_array_equal(into.get(), found.get())
    with pytest.raises(RuntimeError):
        ndimage.distance_transform_edt(ours(x), distances=into)
    same_as = ndimage.distance_transform_edt(ours(x), block_params=(1, 1, 1))
    numpy.testing.assert_allclose(same_as.get(), want, rtol=1e-12)
    for sizes in [(0, 1, 1), (1, 3, 1), (1, 1, 2)]:
        with pytest.raises(ValueError):
            ndimage.distance_transform_edt(ours(x), block_params=sizes)


def test_wrong_metrics():
    x = image((6, 7), "?")
    same("distance_transform_cdt", x, numpy.ones((3, 2)))
    same("distance_transform_cdt", x, "bad")
    same("distance_transform_bf", x, "bad")


def test_splits_have_the_same_distances():
    for shape in [(11, 7), (3, 4, 5)]:
        x = image(shape, seed=8) > 20
        same_bits("distance_transform_edt", x)
        same_bits("distance_transform_edt", x, 0.3)
        same_bits("distance_transform_cdt", x)
        same_bits("distance_transform_cdt", x, "taxicab")


def test_heights_of_masks():
    x = numpy.array([0, 1, 0, 0, 1, 1, 0], bool)
    for heights in ([0.5, 0.7, 0.2], [2, 3, 1], [0.5, 0.5, 0.5], [-1.5, 0.2, 256], [1, 0, 0]):
        for name in ("grey_erosion", "grey_dilation"):
            same(name, x, footprint=[1, 1, 1], structure=heights)
            same(name, x, footprint=[1, 0, 1], structure=heights, output=float)
