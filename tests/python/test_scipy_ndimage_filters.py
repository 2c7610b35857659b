"""Filters of images against SciPy's, for dtypes, modes, origins, axes and sizes."""

import inspect
import itertools
import platform
import re

import numpy
import pytest
import scipy.ndimage

import phalanx
from phalanx.scipy import ndimage

from .ndimage_cases import GRID_MODES, MODES, image, ours, same, same_bits, some, splits
from .test_docstrings import section

DTYPES = "?bBhHiIlfd"
EYE = numpy.eye(3)
HOLE = numpy.array([[1, 0, 1], [0, 1, 0]])
WEIGHTS = numpy.array([[0.5, -1.25, 2], [1, 0, -0.5]])
KERNEL = phalanx.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", "0", "largest")


# Keywords that CuPy's functions have besides.
OF_CUPY = "texture_memory block_params float64_distances adaptive_index_dtype".split()


def test_names_and_signatures_are_those_of_scipy():
    assert sorted(ndimage.__all__) == sorted(scipy.ndimage.__all__)
    for name in scipy.ndimage.__all__:
        own = inspect.signature(getattr(ndimage, name))
        usual = [one for one in own.parameters.values() if one.name not in OF_CUPY]
        own = own.replace(parameters=usual)
        assert str(own) == str(inspect.signature(getattr(scipy.ndimage, name))), name


@pytest.mark.parametrize("name", scipy.ndimage.__all__)
def test_docstring_says_who_calls(name):
    notes = section(getattr(ndimage, name).__doc__, "Notes")
    assert re.search("Local|Collective", "\n".join(notes))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", MODES + GRID_MODES)
def test_rectangular_windows(dtype, mode):
    x = image((5, 7), dtype)
    for name, size in itertools.product(
        ["uniform_filter", "minimum_filter", "maximum_filter", "median_filter"],
        [1, 2, 3, (2, 5), (1, 4), (11, 3)],
    ):
        same(name, x, size, mode=mode, cval=3)
    for name in ["uniform_filter1d", "minimum_filter1d", "maximum_filter1d"]:
        for size, axis, origin in [(3, 0, 1), (4, 1, -2), (2, -1, 0), (9, 0, 4), (16, 1, 0)]:
            same(name, x, size, axis, mode=mode, cval=2, origin=origin)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", MODES + GRID_MODES)
def test_weighted_windows(dtype, mode):
    x = image((5, 7), dtype)
    # Sums that are negative have no value of an unsigned dtype that C defines.
    into = {"output": "d"} if dtype in "?BHIL" else {}
    for name in ["correlate", "convolve"]:
        for origin in [0, (0, 1), (-1, -1)]:
            same(name, x, WEIGHTS, mode=mode, cval=2, origin=origin, **into)
        same(name, x, WEIGHTS[0], mode=mode, axes=1, **into)
        same(name, x, WEIGHTS[:, :2], mode=mode, axes=(1, 0), **into)
    for name in ["correlate1d", "convolve1d"]:
        for weights, axis, origin in [
            ([1, 2, 1], 0, 0), ([1, 2, 3], 1, 1), ([1, 0.5], -1, 0), ([2.0], 0, 0),
            (numpy.arange(10) / 7, 0, -3), (numpy.arange(16), 1, 7), ([1, -2, 4, 1], 0, -2),
        ]:
            same(name, x, weights, axis, mode=mode, cval=1.5, origin=origin, **into)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", "?Bbifd")
def test_ranks_and_footprints(mode, dtype):
    x = image((6, 7), dtype)
    for rank in [0, 1, 3, -1, -2]:
        same("rank_filter", x, rank, footprint=EYE[:2] + HOLE, mode=mode, cval=1)
        same("rank_filter", x, rank, 3, mode=mode, cval=1, origin=(1, -1))
        same("rank_filter", x, rank, 5, mode=mode, axes=1)
    for percentile in [0, 20, 50.5, 100, -10]:
        same("percentile_filter", x, percentile, (2, 3), mode=mode)
        same("percentile_filter", x, percentile, footprint=HOLE, mode=mode, origin=(0, 1))
    for name in ["minimum_filter", "maximum_filter", "median_filter"]:
        same(name, x, footprint=HOLE, mode=mode, origin=(-1, 0), cval=2)
        same(name, x, footprint=[1, 0, 1], mode=mode, axes=0)
        same(name, x, footprint=HOLE, mode=mode, output="d")
    same("median_filter", x[0], 4, mode=mode)
    same("median_filter", x[:, 0], 3, mode=mode, origin=-1)


@pytest.mark.parametrize("cval", [300.7, -3, 0.4, 1])
@pytest.mark.parametrize("dtype", "?Bifd")
def test_numbers_outside_of_the_dtype(cval, dtype):
    x = image((6, 7), dtype)
    for name in ["minimum_filter", "maximum_filter", "median_filter"]:
        for output in [None, "d", "B"]:
            for window in [{"size": 3}, {"footprint": EYE}, {"footprint": HOLE}]:
                same(name, x, mode="constant", cval=cval, output=output, **window)
    for rank, origin in itertools.product([0, 1, 2, -1], [0, 1, -2]):
        same("rank_filter", x[0], rank, 4, mode="constant", cval=cval, origin=origin)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", "bifdFD")
def test_gaussians_and_derivatives(mode, dtype):
    x = image((7, 9), dtype)
    tolerance = 1e-4 if dtype in "fF" else 1e-11
    common = {"mode": mode, "cval": 1.5, "tolerance": tolerance}
    for sigma, more in [
        (1, {}), ((0.5, 2), {"order": (0, 1)}), (1.5, {"order": 2}), (0, {}), (3, {}),
        (1, {"radius": 2}), (1, {"radius": (1, 3), "axes": (1, 0)}), (2, {"axes": 0}),
        (1, {"truncate": 2.0, "order": 3}),
    ]:
        same("gaussian_filter", x, sigma, **more, **common)
    for order in range(4):
        same("gaussian_filter1d", x, 1.2, 0, order, **common)
    for name in ["sobel", "prewitt"]:
        same(name, x, **common)
        same(name, x, 0, **common)
    same("laplace", x, **common)
    same("laplace", x, axes=(1,), **common)
    same("gaussian_laplace", x, 1, **common)
    same("gaussian_laplace", x, (1, 2), **common)
    same("gaussian_laplace", x, 1.5, axes=0, truncate=2.0, **common)
    # Squares that do not fit the dtype have roots that are no numbers.
    into = {"output": "d"} if dtype in "bi" else {}
    same("gaussian_gradient_magnitude", x, 1, **common, **into)
    same("gaussian_gradient_magnitude", x, 2, radius=3, **common, **into)


def test_constant_images_stay_constant():
    # Sums along an axis are added in the order of SciPy, so that they are truncated alike.
    for value, sigma in itertools.product([1, 7, 37, 100, 255], numpy.arange(0.3, 5, 0.2)):
        same("gaussian_filter1d", numpy.full(40, value, "B"), sigma, tolerance=0)


def test_a_mode_for_each_axis():
    x = image((6, 7))
    modes = ("wrap", "constant")
    for name, given in [
        ("uniform_filter", (3,)), ("minimum_filter", (3,)), ("gaussian_filter", (1,)),
        ("sobel", ()), ("laplace", ()), ("gaussian_laplace", (1,)),
        ("gaussian_gradient_magnitude", (1,)), ("median_filter", (3,)), ("correlate", (EYE,)),
        ("maximum_filter", (None, EYE)), ("rank_filter", (0, 3)), ("rank_filter", (8, 3)),
    ]:
        same(name, x, *given, mode=modes)
        same(name, x, *given, mode=("wrap",))
        same(name, x, *given, mode=["nearest", "bad"])


def test_functions_of_the_program():
    x = image((6, 7))

    def second(image, axis, output, mode, cval, scale=1.0, power=1):
        module = ndimage if isinstance(image, phalanx.ndarray) else scipy.ndimage
        weights = numpy.array([1.0, -2.0, 1.0]) * scale**power
        return module.correlate1d(image, weights, axis, output, mode, cval, 0)

    for name in ["generic_laplace", "generic_gradient_magnitude"]:
        same(name, x, second)
        same(name, x, second, None, "wrap", 0.0, (2.0,), {"power": 2})
        same(name, x, second, axes=1, output="f", tolerance=1e-4)
        same(name, x, second, axes=())


@pytest.mark.parametrize("mode", [*MODES, "grid-wrap", "bad"])
@pytest.mark.parametrize("dtype", "?Bid")
def test_functions_of_windows_on_the_host(mode, dtype):
    x = image((5, 6), dtype)

    def spread(window, factor=0.5):
        return float(window.max() - window.min() * factor)

    def lines(line, out, more=0):
        out[...] = line[:-2] + 2 * line[1:-1] - line[2:] + more

    for more in [
        {"size": 3}, {"size": (2, 3), "origin": (0, 1)}, {"footprint": HOLE}, {},
        {"size": 2, "axes": 1}, {"footprint": [1, 1, 1], "axes": (0,)}, {"size": 3, "cval": 2.5},
        {"size": 9}, {"size": 3, "output": "f"}, {"size": 3, "origin": 3}, {"footprint": [1, 1]},
        {"size": 3, "extra_arguments": (2,)}, {"size": 3, "extra_keywords": {"factor": 2}},
    ]:
        same("generic_filter", x, spread, mode=mode, **more)
    for more in [
        {}, {"origin": 1}, {"axis": 0}, {"axis": 3}, {"cval": 2.5}, {"output": "d"},
        {"extra_arguments": (3,)}, {"extra_keywords": {"more": 2}}, {"origin": 2},
    ]:
        same("generic_filter1d", x, lines, 3, mode=mode, **more)


@pytest.mark.parametrize("mode", [*MODES, *GRID_MODES, "valid", "bad"])
def test_functions_of_arrays_of_windows(mode):
    def spread(windows, axis):
        return windows.max(axis=axis) - windows.sum(axis=axis)

    for more in [
        {"size": 3}, {"size": (2, 3)}, {"size": (2, 3), "origin": (0, 1)}, {"footprint": HOLE},
        {"size": 2, "axes": 1}, {"footprint": numpy.ones(3), "axes": (0,)}, {"size": 3, "cval": 2},
        {"footprint": HOLE, "axes": (1, 0)}, {"size": 3, "batch_memory": 1000}, {},
        {"size": 3, "batch_memory": 1}, {"size": 3, "footprint": EYE}, {"size": 2.5}, {"size": 0},
        {"origin": 1.5, "size": 3}, {"size": 3, "axes": (0, 1, 2)}, {"size": 3, "batch_memory": -1},
        {"size": 3, "origin": (1,)}, {"size": (3,)}, {"size": 3, "cval": "x"},
    ]:
        same("vectorized_filter", image((5, 6), "i"), spread, mode=mode, **more)
    same("vectorized_filter", image((5, 6), "D"), lambda w, axis: w.mean(axis=axis), size=3)
    same("vectorized_filter", image((5, 6)), 3, size=3)
    same("vectorized_filter", image((0, 6)), spread, size=3)


def test_reductions_run_on_the_devices():
    x = image((5, 6))
    for reduce in [KERNEL, phalanx.maximum]:
        found = ndimage.generic_filter(ours(x), reduce, footprint=HOLE, mode="mirror")
        expected = scipy.ndimage.maximum_filter(x, footprint=HOLE, mode="mirror")
        numpy.testing.assert_array_equal(found.get(), expected)


def test_outputs():
    x = image((5, 6))
    for name, *given in [
        ("uniform_filter", 3), ("correlate", EYE), ("minimum_filter", 3), ("median_filter", 3),
        ("gaussian_filter", 1), ("sobel",), ("laplace",), ("maximum_filter", None, EYE),
        ("correlate1d", [1, 2]), ("uniform_filter1d", 3), ("gaussian_laplace", 1),
    ]:
        for output in [numpy.float32, "f", numpy.dtype("i4"), int, "D", "U3", bool]:
            same(name, x, *given, output=output, tolerance=1e-5)
        into = phalanx.zeros((5, 6), "f")
        assert getattr(ndimage, name)(ours(x), *given, output=into) is into
        numpy.testing.assert_allclose(
            into.get(), getattr(scipy.ndimage, name)(x, *given, output="f"), rtol=1e-4, atol=1e-4
        )
        # The image itself is written after it is read.
        own, theirs = ours(x).copy(), x.copy()
        getattr(ndimage, name)(own, *given, output=own)
        getattr(scipy.ndimage, name)(theirs, *given, output=theirs)
        numpy.testing.assert_allclose(own.get(), theirs, rtol=1e-11, atol=1e-11)
        same(name, x, *given, output=numpy.zeros((2, 3)))
        with pytest.raises(TypeError):
            getattr(ndimage, name)(ours(x), *given, output=numpy.zeros((5, 6)))


def test_results_are_in_c_order():
    for x in [image((5, 6)).T, image((2, 5, 6)).transpose(1, 2, 0)]:
        for name, *given in [
            ("uniform_filter", 3), ("correlate1d", [1, 2]), ("median_filter", 3), ("sobel",),
            ("minimum_filter", 3), ("spline_filter",), ("zoom", 2), ("shift", 1.5), ("rotate", 30),
            ("binary_erosion",), ("grey_dilation", 3), ("fourier_gaussian", 1),
            ("laplace",), ("gaussian_gradient_magnitude", 1),
        ]:
            found = getattr(ndimage, name)(phalanx.asarray(numpy.ascontiguousarray(x.T)).T, *given)
            assert getattr(scipy.ndimage, name)(x, *given).flags.c_contiguous
            assert found.flags.c_contiguous, name
        assert ndimage.rotate(phalanx.asarray(x), 30, axes=(0, 1)).flags.c_contiguous


def test_weights_without_elements():
    for x in [image((4, 5)), image((4, 5), "B"), image((4, 5), "F")]:
        for shape in [(0, 3, 3), (3, 0, 3), (3, 3, 0), (0, 3), (0,), (0, 0)]:
            same("convolve", x, numpy.ones(shape))
            same("correlate", x, numpy.ones(shape), output="D")


def test_complex_numbers():
    x = image((5, 6), "D")
    weights = WEIGHTS + 1j * WEIGHTS[::-1]
    for name in ["correlate", "convolve"]:
        for one, window in itertools.product([x, x.real, x.astype("F")], [weights, WEIGHTS]):
            same(name, one, window, tolerance=1e-5)
            same(name, one, window, mode="constant", cval=1 + 2j, tolerance=1e-5)
            same(f"{name}1d", one, window[0], mode="constant", cval=2, tolerance=1e-5)
            same(f"{name}1d", one, window[0], output="D", tolerance=1e-5)
            same(f"{name}1d", one, window[0], output="d", tolerance=1e-5)
    same("uniform_filter", x, 3, mode="constant", cval=1 + 2j)
    same("uniform_filter1d", x, 4, mode="constant", cval=1 + 2j)
    for name, *given in [
        ("minimum_filter", 3), ("maximum_filter1d", 3), ("median_filter", 3), ("rank_filter", 0, 3),
        ("generic_filter", max, 3), ("generic_filter1d", max, 3),
    ]:
        same(name, x, *given)


ERRORS = """
uniform_filter(x, 3, mode='bad')  uniform_filter1d(x, 0)  uniform_filter(x, (3, 3, 3))
uniform_filter1d(x, 3, axis=4)  uniform_filter1d(x, 3, origin=2)  uniform_filter(x, 3, axes=5)
correlate(x, [1, 2])  correlate1d(x, [])  uniform_filter(x, 3, axes=(0, 0))
correlate1d(x, [1, 2], origin=1)  correlate1d(x, x)  convolve1d(x, [1, 2], origin=-2)
correlate(x, x[:3, :3], origin=2)  correlate(x, x, axes=0)  convolve(x, x[0], axes=(0, 1))
minimum_filter(x)  minimum_filter(x, footprint=x * 0)  minimum_filter1d(x, 0)
minimum_filter(x, footprint=[1, 0, 1])  maximum_filter1d(x, 3, 7)  gaussian_filter(x, 1, order=-1)
rank_filter(x, 9, 3)  rank_filter(x, -10, 3)  rank_filter(x, 1.5, 3)  rank_filter(x, 1)
rank_filter(x, 1, footprint=x[0])  median_filter(x)  percentile_filter(x, 101, 3)
percentile_filter(x, -101, 3)  median_filter(x, 3, origin=2)
median_filter(x, 3, mode=['wrap'] * 2)  gaussian_filter(x, (1, 2, 3))
gaussian_filter(x, 1, radius=1.5)  gaussian_filter1d(x, 1, radius=-1)  sobel(x, 5)
gaussian_filter(x, 1, axes=(0, 7))  gaussian_filter1d(x, 1, axis=2)  laplace(x, mode='bad')
generic_filter(x, max)  generic_filter1d(x, max, 0)  generic_filter(x, 5, 3)
generic_filter1d(x, 5, 3)
"""


@pytest.mark.parametrize("call", re.split(r"\s\s+|\n", ERRORS.strip()))
def test_errors(call):
    x = image((5, 6))
    name, _, rest = call.partition("(")
    given, keywords = eval(f"(lambda *a, **k: (a, k))({rest}", {"x": x, "max": max})
    with pytest.raises(Exception):
        getattr(scipy.ndimage, name)(*given, **keywords)
    same(name, *given, **keywords)


def test_all_shapes_of_images():
    for shape in [(), (0,), (0, 3), (3, 0), (1,), (1, 1), (2, 1, 3), (3, 2, 2, 3), (1, 9)]:
        x = image(shape)
        for name, *given in [
            ("uniform_filter", 3), ("minimum_filter", 4), ("median_filter", 3),
            ("gaussian_filter", 1), ("laplace",), ("correlate", numpy.ones((3,) * len(shape))),
            ("maximum_filter", None, numpy.eye(3)), ("sobel",), ("gaussian_gradient_magnitude", 1),
        ]:
            if shape == () and name in ("laplace", "median_filter", "correlate"):
                continue
            same(name, x, *given)
    # More axes than a window has.
    x = image((2, 1, 2, 1, 2, 1, 2, 1, 2))
    same("uniform_filter", x, 3)
    same("maximum_filter", x, 2, mode="wrap")


def test_images_with_steps():
    x = image((12, 14, 3))
    for part in [numpy.s_[::2, ::-1], numpy.s_[1:, 3, :], numpy.s_[::-3, 2:9:2, 1]]:
        own, theirs = ours(x)[part], x[part]
        for name, *given in [
            ("uniform_filter", 3), ("median_filter", 3), ("gaussian_filter", 1), ("sobel",)
        ]:
            for ours_, theirs_ in [(own, theirs), (own.T, theirs.T)]:
                found = getattr(ndimage, name)(ours_, *given).get()
                expected = getattr(scipy.ndimage, name)(theirs_, *given)
                numpy.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


SPLIT = [
    ("uniform_filter", 3), ("uniform_filter", 9), ("minimum_filter", (4, 5)),
    ("maximum_filter", None, HOLE), ("median_filter", 3), ("percentile_filter", 30, 5),
    ("gaussian_filter", 1.3), ("gaussian_filter", 3.0), ("sobel",), ("prewitt", 0), ("laplace",),
    ("correlate", WEIGHTS), ("convolve", WEIGHTS), ("correlate1d", numpy.arange(11.0)),
    ("gaussian_laplace", 1.0), ("gaussian_gradient_magnitude", 2.0), ("rank_filter", 3, 4),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", SPLIT, ids=str)
def test_splits_have_the_same_bits(mode, case):
    name, *given = case
    for shape in some([(3, 4), (7, 5), (13, 11)], 2):
        same_bits(name, image(shape, seed=5), *given, mode=mode, cval=2.5)
    same_bits(name, image((4, 9), "B"), *given, mode=mode, cval=2)


def test_results_are_split_like_images():
    whole, *others = splits(image((12, 9)))
    for x in others:
        for name, *given in [("gaussian_filter", 1), ("median_filter", 3), ("sobel",)]:
            found = getattr(ndimage, name)(x, *given)
            assert str(found.sharding) == str(x.sharding), name


@pytest.mark.skipif(platform.machine() != "x86_64", reason="C leaves these conversions open")
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
                                   "uint64"])
def test_sums_out_of_the_range_of_integers(dtype):
    sums = [3e9, -3e9, 1e12, -1e12, 2.0**31, -(2.0**31) - 1, 2.0**63, 1e19, 2e19, -7e9, 300.9]
    same("correlate1d", numpy.asarray(sums), [1.0], output=dtype)
