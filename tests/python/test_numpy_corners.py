"""Names and arguments of NumPy that few programs use, and the texts of errors about meshes."""

import io

import numpy
import pytest

import phalanx as np

from . import worlds


@pytest.mark.parametrize("values", [[1.0, 4.0], [-1.0, 4.0], [-2, 3], [0.5, 2.0], [2 - 1j, 1]])
@pytest.mark.parametrize("dtype", [None, "f4", "i2", "c8"])
def test_functions_that_turn_complex(values, dtype):
    if isinstance(values[0], complex) and dtype in ("f4", "i2"):
        return
    theirs = numpy.array(values, dtype=dtype)
    ours = np.asarray(theirs)
    for name in ["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"]:
        with numpy.errstate(all="ignore"):
            expected = getattr(numpy.emath, name)(theirs)
        found = getattr(np.emath, name)(ours)
        assert found.dtype == expected.dtype, name
        numpy.testing.assert_allclose(found.get(), expected, rtol=1e-3 if dtype == "i2" else 1e-6)
    found, expected = np.emath.power(ours, [2, -1]), numpy.emath.power(theirs, [2, -1])
    assert found.dtype == expected.dtype
    numpy.testing.assert_allclose(found.get(), expected, rtol=1e-6)
    numpy.testing.assert_allclose(
        np.emath.logn(2, ours).get(), numpy.emath.logn(2, theirs), rtol=1e-3
    )
    assert np.lib.scimath.sqrt is np.emath.sqrt
    assert isinstance(numpy.emath.sqrt(ours), np.ndarray)


@pytest.mark.parametrize(
    "shape, window, axis",
    [((7,), 3, None), ((4, 5), (2, 3), None), ((4, 5), 2, 1), ((4, 5), (2, 2), (0, 0)),
     ((4, 5), 1, -1), ((4, 5), 5, 1), ((3,), 0, None)],
)
def test_windows_that_slide(shape, window, axis):
    theirs = numpy.arange(float(numpy.prod(shape))).reshape(shape)
    expected = numpy.lib.stride_tricks.sliding_window_view(theirs, window, axis)
    found = np.lib.stride_tricks.sliding_window_view(np.asarray(theirs), window, axis)
    numpy.testing.assert_array_equal(found.get(), expected)
    assert not found.flags.writeable
    again = numpy.lib.stride_tricks.sliding_window_view(np.asarray(theirs), window, axis)
    assert isinstance(again, np.ndarray)


def test_windows_that_are_refused():
    slide = np.lib.stride_tricks.sliding_window_view
    for wrong in [lambda: slide(np.ones(3), 4), lambda: slide(np.ones(3), -1),
                  lambda: slide(np.ones((3, 3)), 2), lambda: slide(np.ones(3), 2, writeable=True)]:
        with pytest.raises(ValueError, match="PX1"):
            wrong()


def test_parts_of_lib():
    assert np.lib.NumpyVersion("2.4.0") < "2.5.0"
    assert np.lib.array_utils.normalize_axis_index(-1, 3) == 2
    assert issubclass(np.lib.mixins.NDArrayOperatorsMixin, object)
    assert np.lib.format.MAGIC_PREFIX == b"\x93NUMPY"
    with pytest.raises(AttributeError, match="PX151"):
        np.lib.nothing


def test_info_describes_functions_and_arrays():
    for asked, told in [(np.sum, "sum("), ("linalg.norm", "norm("), (np.ones((2, 3)), "(2, 3)"),
                        (np.ndarray, "ndarray"), (None, "Writes")]:
        output = io.StringIO()
        np.info(asked, output=output)
        assert told in output.getvalue()


LIKE = [
    lambda np, like: np.array([1, 2], like=like),
    lambda np, like: np.asarray([1, 2], like=like),
    lambda np, like: np.asanyarray([1, 2], like=like),
    lambda np, like: np.ascontiguousarray([1, 2], like=like),
    lambda np, like: np.asfortranarray([1, 2], like=like),
    lambda np, like: np.require([1, 2], like=like),
    lambda np, like: np.zeros(3, like=like),
    lambda np, like: np.ones(3, like=like),
    lambda np, like: np.full(3, 2.0, like=like),
    lambda np, like: np.arange(3, like=like),
    lambda np, like: np.eye(3, like=like),
    lambda np, like: np.identity(3, like=like),
    lambda np, like: np.tri(3, like=like),
    lambda np, like: np.frombuffer(b"12345678", like=like),
    lambda np, like: np.fromiter([1, 2], int, like=like),
    lambda np, like: np.fromstring("1 2", sep=" ", like=like),
    lambda np, like: np.fromfunction(lambda i: i * 2, (3,), like=like),
]


@pytest.mark.parametrize("make", LIKE)
def test_arrays_like_ours(make):
    expected = make(numpy, None)
    for found in [make(np, None), make(np, np.ones(1)), make(numpy, np.ones(1))]:
        assert isinstance(found, np.ndarray)
        numpy.testing.assert_array_equal(found.get(), expected)
    with pytest.raises(TypeError, match="PX140"):
        make(np, numpy.ones(1))


def test_the_most_axes_of_an_array():
    assert np.array([[1, 2]], ndmax=2).shape == (1, 2)
    assert np.array([[1, 2]], ndmax=0).shape == (1, 2)
    with pytest.raises(ValueError, match="exceed the maximum number of dimension of 1"):
        np.array([[1, 2]], ndmax=1)


def test_positions_of_arrays_of_numpy_are_not_written():
    for name in ["scatter_add", "scatter_max", "scatter_min"]:
        with pytest.raises(TypeError, match=rf"{name}\(\): a .*numpy.ndarray.*phalanx.asarray"):
            getattr(np.x, name)(numpy.zeros(3), [0], 1.0)


def test_ranges_and_numbers_lie_beside_local_arrays():
    with np.local():
        own = np.arange(3.0)
        expected = numpy.array([0, 1, 2, 5, 0, 1, 2, 3], dtype=float)
    joined = np.r_[own, 5, 0:4]
    assert joined.tolist() == expected.tolist()
    assert np.c_[own, [4, 5, 6]].tolist() == [[0, 4], [1, 5], [2, 6]]
    assert np.mgrid[0 : own.max() + 1].tolist() == [0, 1, 2]
    assert (own + np.mgrid[0 : own.max() + 1]).tolist() == [0, 2, 4]
    assert (own + np.ogrid[0 : own.max() + 1, 0:1][0].ravel()).tolist() == [0, 2, 4]


def test_meshes_that_look_alike_are_distinguished():
    ended = worlds.run(
        """
        import phalanx as np
        with np.local():
            own = np.arange(3.0)
        world = np.arange(3.0)
        try:
            own + world
        except ValueError as error:
            print(str(error).splitlines()[0])
        """
    )
    line = ended.stdout
    assert "PX018" in line
    assert "(the mesh number 1 made here)" in line and "(the mesh number 2 made here)" in line


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
@pytest.mark.parametrize("dtype", ["i8", "i4", "u1"])
def test_integer_quantiles_are_elements(name, dtype):
    elements = numpy.arange(12, dtype=dtype).reshape(3, 4)[:, ::-1]
    for q in [0, 1, [0, 1], numpy.int32(1), 1.0, 0.25]:
        for axis in [None, 0, (0, 1)]:
            found = getattr(np, name)(np.asarray(elements), q, axis=axis)
            expected = getattr(numpy, name)(elements, q, axis=axis)
            assert found.dtype == expected.dtype, (q, axis)
            numpy.testing.assert_array_equal(found.get(), expected)
    infinite = numpy.array([numpy.inf, 1, -numpy.inf], dtype="f4")
    found = np.quantile(np.asarray(infinite), [0, 1])
    assert found.dtype == "f4" and found.tolist() == [-numpy.inf, numpy.inf]
    large = numpy.array([2**62 + 1, 5])
    assert np.quantile(np.asarray(large), 1).item() == 2**62 + 1


@pytest.mark.parametrize("shape, mask", [((1, 4), (1, 0)), ((3, 4), (0, 4)), ((3, 4), (0,)),
                                         ((3, 4), (0, 0)), ((3, 0), (3, 0)), ((0, 4), (0,))])
def test_masks_without_elements_fit_any_axis(shape, mask):
    theirs, where = numpy.ones(shape), numpy.zeros(mask, dtype=bool)
    ours = np.asarray(theirs)
    assert ours[np.asarray(where)].shape == theirs[where].shape
    ours[np.asarray(where)] = 7
    numpy.testing.assert_array_equal(ours.get(), theirs)
    with pytest.raises(IndexError, match="PX027"):
        ours[np.zeros((1, 9), dtype=bool)]


@pytest.mark.parametrize("limit", [0.3, [0.3, 0.9, 0.0], [0.5]])
def test_limits_of_each_matrix(limit):
    theirs = numpy.random.default_rng(3).standard_normal((3, 4, 5))
    theirs[1, 3] = theirs[1, 2]
    ours, limit = np.asarray(theirs), numpy.asarray(limit)
    for given in [limit, np.asarray(limit)]:
        for name in ["rcond", "rtol"]:
            numpy.testing.assert_allclose(
                np.linalg.pinv(ours, **{name: given}).get(),
                numpy.linalg.pinv(theirs, **{name: limit}), rtol=1e-10, atol=1e-12,
            )
        for name in ["tol", "rtol"]:
            numpy.testing.assert_array_equal(
                np.linalg.matrix_rank(ours, **{name: given}).get(),
                numpy.linalg.matrix_rank(theirs, **{name: limit}),
            )
    for few in [3.0, [0.0, 0.0], [0.0, 2.0], [], numpy.zeros((0, 3)), numpy.zeros((2, 3, 0))]:
        for name in ["tol", "rtol"]:
            rank = np.linalg.matrix_rank(np.asarray(few), **{name: 0.1}).get()
            numpy.testing.assert_array_equal(rank, numpy.linalg.matrix_rank(few, **{name: 0.1}))
    assert np.linalg.pinv(np.zeros((0, 1, 2, 3)), rtol=np.zeros((0, 1))).shape == (0, 1, 3, 2)
    with pytest.raises(ValueError, match="PX001"):
        np.linalg.pinv(ours, rtol=np.zeros(2))


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("equal_nan", [True, False])
def test_unique_elements_of_a_vector_along_its_axis(axis, equal_nan):
    theirs = numpy.array([numpy.nan, 2.0, numpy.nan, 1.0, 2.0, numpy.nan])
    wanted = {"return_index": True, "return_inverse": True, "return_counts": True}
    expected = numpy.unique(theirs, axis=axis, equal_nan=equal_nan, **wanted)
    found = np.unique(np.asarray(theirs), axis=axis, equal_nan=equal_nan, **wanted)
    for ours, part in zip(found, expected, strict=True):
        numpy.testing.assert_array_equal(ours, part)
    for axis_without in [1, -2]:
        with pytest.raises(ValueError, match="PX003"):
            np.unique(np.asarray(theirs), axis=axis_without)


def test_results_along_an_axis_keep_the_order_in_memory():
    cube = numpy.arange(24.0).reshape(2, 3, 4)
    for given in (cube.T, cube.transpose(1, 0, 2), cube[:, ::-1].T, cube):
        x = _alike(given)
        for axis in (0, 1, 2, -1):
            for call in (
                lambda m, a: m.sort(a, axis=axis),
                lambda m, a: m.partition(a, 0, axis=axis),
                lambda m, a: m.cumsum(a, axis=axis),
                lambda m, a: m.maximum.accumulate(a, axis=axis),
                lambda m, a: m.fft.fft(a, axis=axis),
                lambda m, a: m.argsort(a, axis=axis),
            ):
                expected, result = call(numpy, given), call(np, x)
                numpy.testing.assert_allclose(numpy.asarray(result), expected, atol=1e-12)
                assert result.strides == expected.strides, (given.strides, axis)
    mask = cube % 3 == 0
    found = np.argwhere(np.asarray(mask))
    assert found.tolist() == numpy.argwhere(mask).tolist()
    assert found.strides == numpy.argwhere(mask).strides
    repeated = np.broadcast_to(np.zeros(3), (2, 3))
    expected = numpy.broadcast_to(numpy.zeros(3), (2, 3))
    for axis in (0, 1):
        assert np.cumsum(repeated, axis).strides == numpy.cumsum(expected, axis).strides
        assert np.sort(repeated, axis).strides == numpy.sort(expected, axis).strides
    running = np.cumsum(np.asarray(cube[0]).T, axis=0)
    running.reshape(-1)[:] = 0
    assert running.tolist() == numpy.cumsum(cube[0].T, axis=0).tolist()


def _alike(view):
    """A view of ours with the strides of a view of NumPy's."""
    base = np.asarray(numpy.arange(24.0).reshape(2, 3, 4))
    views = (base.T, base.transpose(1, 0, 2), base[:, ::-1].T, base[:, :1].T, base)
    return next(one for one in views if one.shape == view.shape and one.strides == view.strides)
