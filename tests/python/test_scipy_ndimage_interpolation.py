"""Splines, interpolation and filters of transforms against SciPy's."""

import itertools

import numpy
import pytest
import scipy.ndimage

import phalanx
from phalanx.scipy import ndimage

from .ndimage_cases import image, on_host, ours, same, some, splits

MODES = "constant nearest mirror reflect grid-wrap wrap grid-constant grid-mirror".split()
# SciPy's coefficients of mode 'reflect' are exact for long axes only; ours are exact for all.
SHAPES = [(40,), (30, 29)]
ORDERS = range(6)


def tolerance(shape, mode, order):
    """How far SciPy's own splines are from the exact ones."""
    is_inexact = mode in ("reflect", "grid-mirror") and order > 1
    return 1e-9 if not is_inexact or min(shape) > 20 else 1e-3


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", [*MODES, "bad"])
def test_coefficients(order, mode):
    for shape in [(40,), (7, 5), (1, 4), (2, 3), (0, 3), (3, 1, 30)]:
        x = image(shape)
        close = 1e-9
        if mode in ("reflect", "grid-mirror", "nearest") and order > 1:
            # SciPy's start of its recursion is not exact, which short axes show.
            if min(shape) < 20:
                continue
        for more in [{}, {"output": "f"}, {"output": None}]:
            near = max(close, 1e-4 if more.get("output") == "f" else 0)
            same("spline_filter1d", x, order, 0, mode=mode, tolerance=near, **more)
            same("spline_filter1d", x, order, mode=mode, tolerance=near, **more)
            same("spline_filter", x, order, mode=mode, tolerance=near, **more)
        same("spline_filter", x.astype("i"), order, mode=mode, tolerance=close)
        same("spline_filter", x * (1 + 2j), order, mode=mode, output="D", tolerance=close)


def test_coefficients_give_the_image_back():
    samples = {
        2: [1 / 8, 6 / 8, 1 / 8], 3: [1 / 6, 4 / 6, 1 / 6],
        4: [1 / 384, 76 / 384, 230 / 384, 76 / 384, 1 / 384],
        5: [1 / 120, 26 / 120, 66 / 120, 26 / 120, 1 / 120],
    }
    for order, mode in itertools.product(samples, ["mirror", "reflect", "grid-wrap"]):
        for shape in [(3,), (9,), (5, 7)]:
            x = image(shape)
            back = ndimage.spline_filter(ours(x), order, mode=mode)
            for axis in range(x.ndim):
                back = ndimage.correlate1d(back, samples[order], axis, mode=mode)
            numpy.testing.assert_allclose(back.get(), x, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("prefilter", [True, False])
def test_points(order, mode, prefilter):
    for shape in SHAPES:
        x = image(shape)
        common = {
            "order": order, "mode": mode, "prefilter": prefilter, "cval": 3.5,
            "tolerance": tolerance(shape, mode, order),
        }
        points = numpy.random.default_rng(1).random((x.ndim, 5, 8)) * 60 - 10
        points[0, 0, :6] = [-1, -0.5, 0, shape[0] - 1, shape[0] - 0.5, -1e-16]
        same("map_coordinates", x, points, **common)
        for moved in some([0, 1, -2, 0.5, -1.3, 17.2, 0.3], 2):
            same("shift", x, moved, **common)
        for factor in some([1, 0.5, 2, 1.7, 0.3, 3.1], 2):
            same("zoom", x, factor, **common)
            same("zoom", x, factor, grid_mode=True, **common)
        diagonal = [1.3] * x.ndim
        same("affine_transform", x, diagonal, offset=-1.2, **common)
        same("affine_transform", x, [-1.3] * x.ndim, 20, (9,) * x.ndim, **common)
        if x.ndim < 2:
            continue
        same("shift", x, (0, 1.5), **common)
        same("zoom", x, (1, 1.5), **common)
        same("zoom", x, (0.5, 1), **common)
        matrix = numpy.array([[1.0, 0.2], [-0.3, 0.9]])
        same("affine_transform", x, matrix, offset=(1, -2), **common)
        same("affine_transform", x, numpy.diag([1.1, 0.9]), offset=(1, -2), **common)
        whole = numpy.array([[1.0, 0.2, 3], [-0.3, 0.9, -1], [0, 0, 1]])
        same("affine_transform", x, whole, output_shape=(7, 8), **common)
        same("affine_transform", x, whole[:2], **common)
        for angle in some([0, 30, 90, -45, 180, 270, 33.3]):
            same("rotate", x, angle, **common)
            same("rotate", x, angle, reshape=False, **common)


@pytest.mark.parametrize("dtype", "?bBhHiIlLfdFD")
def test_dtypes_of_points(dtype):
    x = image((24, 23), dtype, largest=120)
    near = 1e-4 if dtype in "fF" else 1e-10
    for order, output in itertools.product([0, 1], [None, "d", "i2", "B", "f"]):
        if dtype in "FD" and output:
            continue
        more = {"order": order, "output": output, "tolerance": max(near, 1e-4 * (output == "f"))}
        same("shift", x, 0.3, mode="nearest", **more)
        same("zoom", x, 1.3, mode="mirror", **more)
        same("rotate", x, 20, **more)
        if dtype != "?":
            # SciPy truncates truth values, whose weights add up to less than 1.
            same("affine_transform", x, [0.713, 1.117], cval=2, **more)
    same("zoom", x, 1, tolerance=near)
    same("rotate", x.real.astype("d"), 30, output="f", tolerance=1e-4)
    # Negative numbers are rounded away from 0, and unsigned ones kept within their range.
    wide = numpy.array([-3, 300, 1.5, -2.5, 0.5, 70000, -0.5])
    same("shift", wide, 0.0, order=1, output=dtype if dtype not in "FD" else "d")
    same("shift", wide, 0.25, order=1, mode="nearest", output="B")


def test_complex_images():
    x = image((24, 23), "D")
    more = {"cval": 1 + 2j, "order": 2}
    same("shift", x, 0.3, **more)
    same("zoom", x, 1.4, **more)
    same("rotate", x, 25, **more)
    same("affine_transform", x, [0.7, 1.1], **more)
    same("map_coordinates", x, numpy.array([[0.5, 1.5], [40, 2.5]]), **more)


def test_volumes():
    x = image((6, 25, 24))
    for axes, more in itertools.product(
        [(1, 0), (0, 2), (-1, -2)], [{}, {"reshape": False}, {"order": 1, "mode": "nearest"}]
    ):
        same("rotate", x, 35, axes, tolerance=1e-9, **more)
    same("shift", x, (0, 1.5, -2), mode="grid-wrap")
    same("zoom", x, (2, 1, 0.5), order=1)
    points = numpy.random.default_rng(1).random((3, 9)) * 8
    same("map_coordinates", x, points, order=1)
    same("map_coordinates", x, points, order=2, mode="mirror")
    same("map_coordinates", x, points[:, :0])


def test_geometric_transforms():
    x = image((24, 23))

    def moved(at, shift=0.5, factor=1.0):
        return (at[0] * factor - shift, at[1] * 0.7 + 0.1 * at[0])

    same("geometric_transform", x, moved)
    same("geometric_transform", x, moved, (5, 6), "f", 1, "nearest", tolerance=1e-4)
    same("geometric_transform", x, moved, extra_arguments=(2,), extra_keywords={"factor": 0.5})
    same("geometric_transform", x, lambda at: (at[0], 2.5), output_shape=(4,))
    same("geometric_transform", x * (1 + 1j), moved, order=2)


def test_errors():
    x = image((24, 23))
    for name, *given in [
        ("shift", 1), ("zoom", 2), ("rotate", 30), ("affine_transform", [1.0, 1.0]),
        ("map_coordinates", numpy.zeros((2, 3))), ("geometric_transform", tuple),
    ]:
        same(name, x, *given, order=6)
        same(name, x, *given, order=-1)
        same(name, x, *given, mode="bad")
        same(name, x, *given, output=numpy.zeros((2, 2)))
        if name != "rotate":
            same(name, numpy.array(1.0), *given)
    same("shift", x, (1, 2, 3))
    same("zoom", x, (1, 2, 3))
    same("map_coordinates", x, numpy.zeros((3, 4)))
    same("map_coordinates", x, numpy.zeros(2))
    same("map_coordinates", x, numpy.zeros((2, 3), complex))
    for matrix in [
        numpy.ones((3, 3)), numpy.ones((2, 4)), numpy.ones(3), numpy.ones((1, 1, 1)), 2.0,
        numpy.ones((3, 2)),
    ]:
        same("affine_transform", x, matrix)
    same("affine_transform", x, [1, 1], offset=(1, 2, 3))
    for axes in [(0,), (0, 5), (0.5, 1), (0, 1, 2), (-3, 0)]:
        same("rotate", x, 20, axes)
    same("rotate", x[0], 20)


def test_outputs():
    x = image((24, 23))
    for name, *given in [("shift", 1.5), ("rotate", 180), ("affine_transform", [1.1, 0.9])]:
        into, theirs = phalanx.zeros((24, 23), "f"), numpy.zeros((24, 23), "f")
        found = getattr(ndimage, name)(ours(x), *given, output=into)
        getattr(scipy.ndimage, name)(x, *given, output=theirs)
        assert found is into
        numpy.testing.assert_allclose(into.get(), theirs, rtol=1e-4, atol=1e-4)
    into = phalanx.zeros((7, 9))
    ndimage.affine_transform(ours(x), [1.1, 0.9], output=into)
    expected = scipy.ndimage.affine_transform(x, [1.1, 0.9], output_shape=(7, 9))
    numpy.testing.assert_allclose(into.get(), expected, rtol=1e-9)


def test_arguments_of_textures():
    x = image((6, 7), "f")
    turn = numpy.array([[0.8, -0.6, 1], [0.6, 0.8, 0], [0, 0, 1]], "f")
    for mode in ["constant", "nearest"]:
        want = scipy.ndimage.affine_transform(x, turn, order=1, mode=mode)
        found = ndimage.affine_transform(ours(x), ours(turn), mode=mode, texture_memory=True)
        numpy.testing.assert_allclose(found.get(), want, rtol=1e-5, atol=1e-4)
    for given, options in [
        ((x.astype("d"), turn), {}), ((x, turn[:2, :2]), {}), ((x, turn), {"mode": "mirror"}),
        ((x, turn), {"output_shape": (5, 7, 2)}), ((x, turn), {"output": "d"}), ((x[0], turn), {}),
    ]:
        with pytest.raises(ValueError):
            ndimage.affine_transform(*map(ours, given), **options, texture_memory=True)


def test_conventions_of_opencv():
    x = image((6, 7))
    found = ndimage.zoom(ours(x), 2, order=1, mode="opencv").get()
    places = [numpy.clip((numpy.arange(2 * n) + 0.5) / 2 - 0.5, 0, n - 1) for n in x.shape]
    grid = numpy.meshgrid(*places, indexing="ij")
    numpy.testing.assert_allclose(found, scipy.ndimage.map_coordinates(x, grid, order=1))
    # The map leads from columns and rows of the image to those of the result.
    matrix = numpy.array([[1.1, 0.2, 3], [-0.1, 0.9, 1]])
    found = ndimage.affine_transform(ours(x), matrix, order=1, mode="opencv").get()
    back = numpy.linalg.inv(numpy.vstack([matrix, [0, 0, 1]]))
    rows, columns = numpy.indices(x.shape)
    at = [back[one, 0] * columns + back[one, 1] * rows + back[one, 2] for one in (1, 0)]
    expected = scipy.ndimage.map_coordinates(x, at, order=1, mode="grid-constant")
    numpy.testing.assert_allclose(found, expected, atol=1e-12)


def test_splits_have_the_same_results():
    x = image((11, 7))
    points = numpy.random.default_rng(1).random((2, 5, 3)) * 12 - 2
    for name, *given in [
        ("shift", 0.4), ("zoom", 1.7), ("rotate", 30), ("spline_filter",),
        ("map_coordinates", points), ("affine_transform", [[1, 0.1], [0.2, 0.9]]),
    ]:
        for mode in some(MODES):
            results = [on_host(getattr(ndimage, name)(one, *given, mode=mode)) for one in splits(x)]
            for result in results[1:]:
                numpy.testing.assert_array_equal(result, results[0], err_msg=f"{name} {mode}")


TRANSFORMED = "fourier_gaussian fourier_uniform fourier_ellipsoid fourier_shift".split()


@pytest.mark.parametrize("name", TRANSFORMED)
@pytest.mark.parametrize("dtype", "ifdFD")
def test_filters_of_transforms(name, dtype):
    for shape in [(8,), (7,), (6, 5), (5, 8), (4, 5, 6), (1, 3), (0, 3), (3, 4, 2, 3)]:
        x = image(shape, dtype)
        near = 1e-4 if dtype in "fF" else 1e-11
        for size, more in itertools.product(
            [1.5, 0, 3, 20.7], [{}, {"n": 2 * shape[-1] - 2}, {"n": 9, "axis": 0}, {"axis": 5}]
        ):
            if more.get("n") != 0:
                same(name, x, size, tolerance=near, **more)
        same(name, x, [1.5] * len(shape), tolerance=near)
        same(name, x, [1.5] * (len(shape) + 1), tolerance=near)
        same(name, x, 2, output=numpy.complex64, tolerance=1e-4)
        same(name, x, 2, output=numpy.int32)
        if dtype not in "FD":
            same(name, x, 2, output=numpy.float64)
    x = image((6, 5), dtype)
    into, theirs = phalanx.zeros((6, 5), "D"), numpy.zeros((6, 5), "D")
    assert getattr(ndimage, name)(ours(x), 2, output=into) is into
    getattr(scipy.ndimage, name)(x, 2, output=theirs)
    numpy.testing.assert_allclose(into.get(), theirs, rtol=1e-5, atol=1e-5)
    same(name, x, 2, output=numpy.zeros((2, 2)))


def test_ellipsoids_of_any_size():
    x = numpy.ones((40, 30))
    for size in [0.1, 5, 30, 200, 1000]:
        same("fourier_ellipsoid", x, size, tolerance=1e-12)
        same("fourier_ellipsoid", x, (size, 2), tolerance=1e-12)


@pytest.mark.parametrize("order", [0, 1, 3])
@pytest.mark.parametrize("mode", MODES)
def test_points_that_are_nan(mode, order):
    points = numpy.random.default_rng(3).random((2, 40)) * 25 - 3
    points[0, 3] = points[1, 7] = numpy.nan
    x = image((21, 22))
    same("map_coordinates", x, points, order=order, mode=mode, cval=7.0, tolerance=1e-9)


def test_values_are_rounded_once():
    x, points = image((30, 31)).astype("f"), numpy.random.default_rng(3).random((2, 40)) * 25
    for output in ("d", "f", "i", "?"):
        near = 1e-6 if output == "f" else 1e-11
        same("map_coordinates", x, points, output, order=1, tolerance=near)
        same("zoom", x, 1.7, output, order=1, tolerance=near)
    same("map_coordinates", x.astype("F") * (1 + 2j), points, numpy.complex128, order=1)
    # Coordinates of float32 in an image that has more elements at each end.
    for mode in ("nearest", "grid-constant"):
        for x in (image((40, 41)), image((40, 41)).astype("f")):
            near = 1e-9 if x.dtype == "d" else 1e-4
            same("map_coordinates", x, points.astype("f"), mode=mode, tolerance=near)


def test_images_of_more_axes_than_an_operation_has():
    x = image((2,) * 10)
    same("shift", x, 0.3, order=1)
    same("map_coordinates", x, numpy.full((10, 3), 0.4), order=1)
