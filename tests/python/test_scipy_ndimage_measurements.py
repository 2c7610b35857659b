"""Measurements, labels and watersheds of images against SciPy's."""

import itertools

import numpy
import pytest
import scipy.ndimage

import phalanx
from phalanx.scipy import ndimage

from .ndimage_cases import image, on_host, ours, same, splits

RANDOM = numpy.random.default_rng(0)
# Different elements, so that each extreme has one position.
VALUES = RANDOM.permutation(20).reshape(4, 5)
LABELS = RANDOM.integers(0, 4, (4, 5))
MEASURES = """
sum sum_labels mean variance standard_deviation minimum maximum median minimum_position
maximum_position extrema center_of_mass
""".split()


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("dtype", "bBilfd")
def test_measures(name, dtype):
    x = (VALUES - (0 if dtype == "B" else 5)).astype(dtype)
    near = 1e-4 if dtype == "f" else 1e-9
    for kind in "bBiLd?":
        labels = LABELS.astype(kind)
        negative = labels - 2 if kind in "bid" else labels
        large = labels * 40 if kind in "bid" else labels
        for given in [
            (x,), (x, labels), (x, labels, 1), (x, labels, [1, 2, 3]), (x, labels, 3.0),
            (x, labels, numpy.array([[1, 2], [0, 3]])), (x, labels[0]), (x, labels[:1], [1]),
            (x, labels[:2], [1]), (x, None, [1]), (x, negative, [-1, 1]), (x, large, [40, 1]),
        ]:
            same(name, *given, tolerance=near)


def test_small_positions_of_values():
    x = LABELS.astype("i")
    found = ndimage.value_indices(ours(x), adaptive_index_dtype=True)
    for value, places in scipy.ndimage.value_indices(x).items():
        for one, other in zip(found[value], places):
            assert one.dtype == "uint8"
            numpy.testing.assert_array_equal(one.get(), other)


def test_means_of_halves_are_rounded():
    x = numpy.array([1000, 1000.5, 1000, 7, 9.5], "e")
    for name in ["variance", "standard_deviation"]:
        for given in [(x[:3],), (x, numpy.array([2, 2, 2, 1, 0]), 2)]:
            same(name, *given)


def test_elements_without_axes():
    for given in [(), (numpy.array(1),), (numpy.array(1), 1), (numpy.array(1), [1, 2])]:
        for name in ["sum_labels", "mean", "maximum", "center_of_mass"]:
            same(name, numpy.array(5.0), *given)


def test_labels_without_elements():
    for name in MEASURES[:5]:
        same(name, VALUES, LABELS, [1, 9, 2])
        same(name, VALUES, LABELS, 9)
        same(name, VALUES, LABELS, [])
    same("minimum", VALUES, LABELS, [1, 9])
    same("maximum", VALUES, LABELS, [1, 9])
    same("extrema", VALUES, LABELS, [[1, 9], [3, 2]])
    for name in ["minimum", "maximum", "minimum_position", "extrema"]:
        same(name, VALUES, LABELS, 9)


@pytest.mark.parametrize("name", MEASURES)
def test_images_without_elements_and_complex_ones(name):
    empty = numpy.zeros((0, 3))
    labels = empty.astype(int)
    for given in [(empty,), (empty, labels), (empty, labels, 1), (empty, labels, [1])]:
        same(name, *given)
    x = VALUES * (1 + 1j)
    for given in [(x,), (x, LABELS), (x, LABELS, [1, 2])]:
        same(name, *given)


@pytest.mark.parametrize("name", ["sum", "mean", "minimum", "maximum", "median"])
def test_nan(name):
    x = VALUES.astype(float)
    x[1, 2] = x[2] = numpy.nan
    for given in [(x,), (x, LABELS), (x, LABELS, 1), (x, LABELS, [1, 2, 3])]:
        same(name, *given)


def test_functions_of_labels():
    for x in [VALUES, VALUES / 3]:
        for given in [(), (LABELS,), (LABELS, 1), (LABELS, [1, 2, 9]), (LABELS, [[1, 2], [2, 1]])]:
            if numpy.ndim(given[-1:]) < 3:
                same("histogram", x, 0, 12, 3, *given)
        for index in [[1, 2, 9], 9, 1, [1.5], None, [2, 1, 1], [9, *range(12)]]:
            same("labeled_comprehension", x, LABELS, index, lambda v: v.sum(), float, -1)
            same("labeled_comprehension", x, LABELS, index, lambda v: v.max(), int, -1)
            same("labeled_comprehension", x, LABELS[:2], index, lambda v: v.sum(), float, -1)
            same(
                "labeled_comprehension", x, LABELS, index, lambda v, p: (v * p).sum(), float, -1,
                True,
            )
        same("labeled_comprehension", x, None, [1], lambda v: v.sum(), float, -1)
        same("labeled_comprehension", x, None, None, lambda v: v.sum(), float, -1)
        same("labeled_comprehension", x, None, None, lambda v, p: p.sum(), float, -1, True)


@pytest.mark.parametrize("dtype", "bBilfd?")
def test_objects_and_values(dtype):
    for labels in [LABELS.astype(dtype), LABELS.astype(dtype)[0], (LABELS * 2).astype(dtype)]:
        for largest in [0, 2, 6]:
            same("find_objects", labels, largest)
        same("value_indices", labels)
        same("value_indices", labels, ignore_value=2)
    same("find_objects", LABELS * 1j)
    same("find_objects", numpy.zeros((3, 3), int))
    same("find_objects", LABELS - 2)


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 0.9])
@pytest.mark.parametrize("shape", [(6, 7), (9,), (4, 5, 3), (0, 3), (), (1, 1), (12, 13)], ids=str)
def test_label(share, shape):
    x = image(shape, largest=1) < share
    for connectivity in range(1, len(shape) + 1):
        same("label", x, scipy.ndimage.generate_binary_structure(len(shape), connectivity))
    for output in [None, "i", "f", int, numpy.uint8, bool]:
        same("label", x, output=output)
    same("label", x * 3.5)
    for seed in range(5):
        structure = image((3,) * len(shape), "?", seed)
        turned = structure[(slice(None, None, -1),) * len(shape)]
        same("label", x, structure | turned)


@pytest.mark.parametrize("share", [0.1, 0.6, 0.97])
def test_label_of_long_rows(share):
    for shape in [(5, 200), (70, 67), (1000,), (3, 4, 129)]:
        x = image(shape, largest=1) < share
        same("label", x)
        same("label", x, numpy.ones((3,) * len(shape)))


def test_label_of_long_paths():
    spiral = numpy.zeros((15, 15), int)
    for turn in range(0, 8, 2):
        spiral[turn, turn:15 - turn] = spiral[turn:15 - turn, 14 - turn] = 1
        spiral[14 - turn, turn:15 - turn] = spiral[turn + 2:15 - turn, turn] = 1
        spiral[turn + 2, turn:turn + 2] = 1
    for x in [spiral, 1 - spiral, spiral.T, spiral[::-1], numpy.indices((9, 9)).sum(0) % 2]:
        same("label", x)
        same("label", x, numpy.ones((3, 3)))


def test_label_arguments():
    x = image((6, 7), "?")
    same("label", x * 1j)
    same("label", x, numpy.ones(3))
    same("label", x, numpy.ones((2, 3)))
    same("label", numpy.arange(700).reshape(1, 700) % 2, output=numpy.int8)
    into, theirs = phalanx.zeros((6, 7), "l"), numpy.zeros((6, 7), "l")
    assert ndimage.label(ours(x), output=into) == scipy.ndimage.label(x, output=theirs)
    numpy.testing.assert_array_equal(into.get(), theirs)
    with pytest.raises(ValueError):
        ndimage.label(ours(x), output=phalanx.zeros((2, 2), "l"))


@pytest.mark.parametrize("seed", range(12))
def test_watersheds(seed):
    draw = numpy.random.default_rng(seed)
    for shape, dtype in itertools.product([(7, 8), (20,), (4, 4, 4)], ["u1", "u2"]):
        heights = draw.integers(0, [5, 60, 200][seed % 3], shape).astype(dtype)
        markers = draw.integers(-1, 3, shape) * (draw.random(shape) < 0.15)
        same("watershed_ift", heights, markers.astype("i1"))
        same("watershed_ift", heights, markers, numpy.ones((3,) * len(shape)))


def test_watershed_arguments():
    heights, markers = image((6, 7), "u1"), LABELS[:1, :1] * image((6, 7), "i")
    for given in [
        (heights * 1.0, markers), (heights, markers * 1.0), (heights, markers[1:]),
        (heights, markers, numpy.ones(3)), (heights, markers, numpy.ones((2, 3))),
    ]:
        same("watershed_ift", *given)
    same("watershed_ift", heights, markers, output="i8")
    same("watershed_ift", heights, markers, output=numpy.zeros((6, 7)))
    into = phalanx.zeros((6, 7), "i2")
    assert ndimage.watershed_ift(ours(heights), ours(markers), output=into) is into


def test_splits_have_the_same_results():
    x = image((12, 13), "i") % 7
    labels = on_host(ndimage.label(ours(x > 2))[0])
    expected = scipy.ndimage.label(x > 2)[0]
    numpy.testing.assert_array_equal(labels, expected)
    for one in splits(x):
        numpy.testing.assert_array_equal(ndimage.label(one > 2)[0].get(), expected)
        for name in ["sum_labels", "minimum", "maximum", "median", "minimum_position", "extrema"]:
            found = on_host(getattr(ndimage, name)(one, ours(labels), [1, 2, 3]))
            again = on_host(getattr(ndimage, name)(ours(x), ours(labels), [1, 2, 3]))
            assert str(found) == str(again), name
        assert ndimage.find_objects(ours(labels)) == scipy.ndimage.find_objects(expected)


def test_labels_of_masks_with_axes_of_one_element():
    for shape in [(256, 1, 16, 32), (3, 1, 5, 1, 4), (70_000, 1)]:
        mask = numpy.random.default_rng(1).random(shape) < 0.7
        for structure in [None, numpy.ones((3,) * len(shape), bool)]:
            labels, count = ndimage.label(ours(mask), structure)
            expected = scipy.ndimage.label(mask, structure)
            assert count == expected[1]
            numpy.testing.assert_array_equal(labels.get(), expected[0])
