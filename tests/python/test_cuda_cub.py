"""CuPy's cuda.cub and cuda.thrust on arrays of any sharding, and texts of cuda.nvrtc."""

import importlib

import numpy
import pytest

import phalanx as np
from phalanx.cuda import cub, nvrtc, thrust

RNG = numpy.random.default_rng(5)
X = RNG.integers(-9, 10, (4, 5, 6))


def test_modules_are_importable():
    assert importlib.import_module("phalanx.cuda.cub") is cub and cub.available
    assert importlib.import_module("phalanx.cuda.thrust") is thrust and thrust.available
    assert cub.CUPY_CUB_PROD == 7 and cub.CUPY_CUB_SUM is cub.cupy_cub_op.CUPY_CUB_SUM
    assert numpy.float16 in cub.CUB_support_dtype[0]
    assert numpy.int32 not in cub.CUB_sum_support_dtype_without_half


@pytest.mark.parametrize("dtype", ["i8", "f4", "i1", "c16"])
def test_reductions(dtype):
    host = X.astype(dtype)
    x = np.array(host)
    of = {"dtype": host.dtype}
    for op, name, keywords in ((cub.CUPY_CUB_SUM, "sum", of), (cub.CUPY_CUB_PROD, "prod", of),
                               (cub.CUPY_CUB_MIN, "min", {}), (cub.CUPY_CUB_MAX, "max", {})):
        found = cub.device_reduce(x, op, ())
        expected = getattr(host, name)(**keywords)
        assert found.dtype == host.dtype and found.shape == ()
        numpy.testing.assert_allclose(found.get(), expected, rtol=1e-5)
        rows = cub.device_segmented_reduce(x, op, (1, 2), (0,), keepdims=True)
        wanted = getattr(host, name)(axis=(1, 2), keepdims=True, **keywords)
        assert rows.dtype == host.dtype and rows.shape == (4, 1, 1)
        numpy.testing.assert_allclose(rows.get(), wanted, rtol=1e-5)
        out = np.empty((4, 6), host.dtype)
        assert cub.device_segmented_reduce(x, op, (1,), (0, 2), out=out) is out
        numpy.testing.assert_allclose(out.get(), getattr(host, name)(axis=1, **keywords), rtol=1e-5)
    for op, name in ((cub.CUPY_CUB_ARGMIN, "argmin"), (cub.CUPY_CUB_ARGMAX, "argmax")):
        found = cub.device_reduce(x, op, (), keepdims=True)
        assert found.dtype == "int64" and found.shape == (1, 1, 1)
        assert int(found.reshape(())) == getattr(host, name)()
    assert int(cub.device_reduce(x[:0], cub.CUPY_CUB_PROD, ()).real) == 1


def test_reductions_that_are_possible():
    x = np.array(X.astype("i1"))
    assert cub.cub_reduction(x, cub.CUPY_CUB_SUM) is None          # the sum of NumPy is an int64
    numpy.testing.assert_array_equal(cub.cub_reduction(x, cub.CUPY_CUB_MAX, axis=1).get(),
                                     X.max(axis=1))
    found = cub.cub_reduction(x, cub.CUPY_CUB_SUM, dtype="int8", keepdims=True)
    assert found.shape == (1, 1, 1) and int(found.reshape(())) == X.astype("i1").sum(dtype="i1")
    assert cub.cub_reduction(x, cub.CUPY_CUB_MAX, dtype="int32") is None
    assert cub.cub_reduction(x, cub.CUPY_CUB_ARGMAX, axis=0) is None
    assert cub.cub_reduction(np.ones(3, "bool"), cub.CUPY_CUB_MAX) is None


def test_running_results_are_in_place():
    host = (X % 3 + 1).astype("f8")
    x = np.array(host)
    assert cub.device_scan(x, cub.CUPY_CUB_CUMSUM) is x
    numpy.testing.assert_allclose(x.get(), host.cumsum().reshape(host.shape))
    long = np.array(host)[0, 0].copy()
    assert cub.cub_scan(long, cub.CUPY_CUB_CUMPROD) is long
    numpy.testing.assert_allclose(long.get(), host[0, 0].cumprod())
    assert cub.cub_scan(long, cub.CUPY_CUB_SUM) is None
    assert cub.cub_scan(np.ones(2, "bool"), cub.CUPY_CUB_CUMSUM) is None


def test_histograms():
    host = RNG.standard_normal(5000)
    host[::100] = numpy.nan
    edges = numpy.array([-1.0, -0.5, 0.25, 1.0, 1.0, 2.0])
    for function in (cub.device_histogram, cub.cub_histogram):
        y = np.zeros(5, "int32")
        assert function(np.array(host), y, np.array(edges)) is y
        expected = [((host >= low) & (host < high)).sum() for low, high in zip(edges, edges[1:])]
        assert y.tolist() == expected and y.dtype == "int32"


def test_mistakes():
    x = np.ones((2, 3))
    for call, error in (
        (lambda: cub.device_reduce(x, cub.CUPY_CUB_CUMSUM, ()), ValueError),
        (lambda: cub.device_reduce(x, 99, ()), ValueError),
        (lambda: cub.device_reduce(X, cub.CUPY_CUB_SUM, ()), TypeError),
        (lambda: cub.device_reduce(x[:0], cub.CUPY_CUB_MAX, ()), ValueError),
        (lambda: cub.device_reduce(x, cub.CUPY_CUB_SUM, (), out=np.ones(2)), ValueError),
        (lambda: cub.device_segmented_reduce(x, cub.CUPY_CUB_ARGMAX, (1,), (0,)), ValueError),
        (lambda: cub.device_segmented_reduce(x, cub.CUPY_CUB_SUM, (5,), (0,)), ValueError),
        (lambda: cub.device_scan(x, cub.CUPY_CUB_SUM), ValueError),
        (lambda: cub.device_histogram(x, np.zeros(3), np.ones(3)), ValueError),
        (lambda: cub.device_histogram(x, np.zeros(3), X), TypeError),
        (lambda: thrust.sort("O", 1, 0, (3,)), TypeError),
        (lambda: nvrtc.createProgram(None, "a.cu"), TypeError),
        (lambda: nvrtc.createProgram(b"", 3), TypeError),
        (lambda: nvrtc.createProgram("", "a.cu", ["x"], [None]), TypeError),
        (lambda: nvrtc.compileProgram(1, [2]), TypeError),
        (lambda: nvrtc.addNameExpression(1, 2), TypeError),
        (lambda: nvrtc.getLoweredName(1, 2), TypeError),
    ):
        with pytest.raises(error) as caught:
            call()
        assert "PX" in str(caught.value), str(caught.value)


def at(host):
    """Memory of the device with the elements of an array."""
    memory = np.cuda.alloc(host.nbytes)
    memory.copy_from_host(host.ctypes.data, host.nbytes)
    return memory


def back(memory, like):
    host = numpy.empty_like(like)
    memory.copy_to_host(host.ctypes.data, host.nbytes)
    return host


def test_memory_is_sorted():
    for dtype in ("f8", "i4", "u1"):
        host = RNG.integers(0, 50, (3, 40)).astype(dtype)
        memory = at(host)
        thrust.sort(dtype, memory.ptr, 0, host.shape)
        numpy.testing.assert_array_equal(back(memory, host), numpy.sort(host))
        memory, order = at(host), at(numpy.zeros(host.shape, "i8"))
        thrust.argsort(dtype, order.ptr, memory.ptr, 0, host.shape)
        numpy.testing.assert_array_equal(back(order, numpy.zeros(host.shape, "i8")),
                                         host.argsort(kind="stable"))
        memory, order = at(host), at(numpy.zeros(40, "i8"))
        thrust.lexsort(dtype, order.ptr, memory.ptr, 3, 40)
        numpy.testing.assert_array_equal(back(order, numpy.zeros(40, "i8")), numpy.lexsort(host))
