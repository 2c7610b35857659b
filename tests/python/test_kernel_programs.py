"""Texts of ElementwiseKernel and ReductionKernel that are no plain arithmetic: they are compiled
where there are GPUs, and refused on CPUs."""

import numpy
import pytest

import phalanx as np

needs_gpu = pytest.mark.skipif(not np.cuda.is_available(), reason="the session has no GPU")

COUNT = """
    int steps = 0;
    for (T value = x; value > 1; value /= 2) {
        if (steps == limit) break;
        steps++;
    }
    y = steps;
"""


def halvings(x, limit):
    return numpy.array([min(int(numpy.ceil(numpy.log2(max(one, 1)))), limit) for one in x.ravel()],
                       dtype="i4").reshape(x.shape)


@pytest.mark.skipif(np.cuda.is_available(), reason="the session has GPUs")
def test_on_cpus_they_are_refused():
    with pytest.raises(ValueError, match="break.*PX138|PX138"):
        np.ElementwiseKernel("T x, int32 limit", "int32 y", COUNT, "count")
    with pytest.raises(NotImplementedError, match="after_loop"):
        np.ElementwiseKernel("T x", "T y", "y = x", "k", after_loop="int z = 0;")


@needs_gpu
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_loops_that_depend_on_elements(dtype):
    count = np.ElementwiseKernel("T x, int32 limit", "int32 y", COUNT, "count")
    given = (2 ** numpy.arange(12)).astype(dtype).reshape(3, 4)
    x = np.asarray(given)
    for limit in (3, 100):
        assert numpy.array_equal(np.asnumpy(count(x, limit)), halvings(given, limit))
        assert numpy.array_equal(np.asnumpy(count(x.T, limit)), halvings(given.T, limit))
        assert numpy.array_equal(np.asnumpy(count(x[::2, 1:], limit)), halvings(given[::2, 1:], limit))
    out = np.zeros((3, 4), dtype="i4")
    assert count(x, 5, out) is out
    assert numpy.array_equal(np.asnumpy(out), halvings(given, 5))
    part = np.zeros((5, 4), dtype="i4")
    count(x, 5, part[1:4])
    assert numpy.array_equal(np.asnumpy(part)[1:4], halvings(given, 5))
    assert not np.asnumpy(part)[[0, 4]].any()
    assert len(count.cached_codes) >= 2
    assert count(np.zeros((0, 4), dtype=dtype), 3).shape == (0, 4)
    assert int(count(np.asarray(8, dtype=dtype), 100)) == 3


@needs_gpu
def test_pointers_indices_and_thread_functions():
    kernel = np.ElementwiseKernel(
        "raw T x, raw T w", "T y",
        "const T* p = &x[i]; T s = 0; for (int k = 0; k < w.size(); k++) s += p[k] * w[k]; y = s;",
        "convolve")
    x, w = np.arange(100.0), np.asarray([1.0, -2.0, 1.0, 3.0])
    y = kernel(x, w, size=97)
    expected = numpy.convolve(numpy.arange(100.0), [3.0, 1.0, -2.0, 1.0], "valid")
    assert numpy.allclose(np.asnumpy(y), expected)
    warps = np.ElementwiseKernel(
        "T x", "T y", "y = __shfl_xor_sync(0xffffffff, x, 1);", "exchange")
    assert warps(np.arange(64.0)).tolist() == [float(i ^ 1) for i in range(64)]
    index = np.ElementwiseKernel(
        "T x", "int64 y", "const long long* at = _ind.get(); y = at[0] * 100 + at[1];", "index")
    expected = [[0, 1, 2], [100, 101, 102]]
    assert index(np.zeros((2, 3))).tolist() == expected
    assert index(np.zeros((3, 2)).T).tolist() == expected


@needs_gpu
def test_statements_after_the_loop():
    total = np.zeros(1)
    writes = np.ElementwiseKernel(
        "T x", "raw T total", "mine += x", "total", loop_prep="T mine = 0",
        after_loop="atomicAdd(&total[0], mine)", no_return=True)
    assert writes(np.arange(1000.0), total) is None
    assert float(total[0]) == 499500


@needs_gpu
def test_preambles_complex_and_half():
    kernel = np.ElementwiseKernel(
        "complex64 z", "float32 y", "const complex<float>* p = &z; y = twice(real(*p)) + imag(*p)",
        "parts", preamble="__device__ float twice(float x) { return 2 * x; }")
    assert kernel(np.asarray([1 + 2j, 3 - 1j], dtype="c8")).tolist() == [4.0, 5.0]
    half = np.ElementwiseKernel(
        "float16 x", "float16 y", "const half* p = &x; y = half(float(*p) * 2)", "half")
    assert half(np.asarray([1.5, -2.0], dtype="f2")).tolist() == [3.0, -4.0]


@needs_gpu
def test_reductions():
    longest = np.ReductionKernel(
        "T x, int32 limit", "int32 y",
        "[&] { int k = 0; for (T v = x; v > 1; v /= 2) { if (k == limit) break; k++; } return k; }()",
        "a > b ? a : b", "y = a", "0", "longest")
    given = (2.0 ** numpy.arange(24)).reshape(2, 3, 4)
    x = np.asarray(given)
    steps = halvings(given, 100)
    assert int(longest(x, 100)) == 23
    for axis in (0, 1, 2, (0, 2), (1, -1)):
        for keepdims in (False, True):
            result = longest(x, 100, axis=axis, keepdims=keepdims)
            expected = steps.max(axis=axis, keepdims=keepdims)
            assert numpy.array_equal(np.asnumpy(result), expected), (axis, keepdims)
    out = np.zeros((2, 4), dtype="i4")
    assert longest(x, 3, axis=1, out=out) is out
    assert numpy.array_equal(np.asnumpy(out), numpy.minimum(steps, 3).max(axis=1))
    many = np.arange(100_000, dtype="f8")
    total = np.ReductionKernel(
        "T x", "T y", "*(&x)", "a + b", "y = a", "0", "total")
    assert float(total(many)) == 4999950000.0
    least = np.ReductionKernel("T x", "T y", "*(&x)", "min(a, b)", "y = a", None, "least")
    assert float(least(many + 5)) == 5.0
    with pytest.raises(ValueError, match="no identity"):
        least(np.zeros(0))
    assert total(np.zeros((0, 3)), axis=0).tolist() == [0.0] * 3


@needs_gpu
def test_the_number_of_an_element_in_a_reduction():
    w = np.asarray([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])
    host, weights = numpy.arange(6.0).reshape(2, 3), numpy.asarray(w.get()).reshape(2, 3)
    kernel = np.ReductionKernel(
        "T x, raw T w", "T y", "*(&x) * w[i] + 0 * _in_ind.get()[0]", "a + b", "y = a", "0", "dot")
    for axis in (0, 1, None):
        expected = (host * weights).sum(axis=axis)
        assert numpy.allclose(np.asnumpy(kernel(np.asarray(host), w, axis=axis)), expected)


@needs_gpu
def test_texts_that_return_reach_every_element():
    kernel = np.ElementwiseKernel("T x", "T y", "y = 0; if (x < 0) return; y = x;", "positive")
    x = np.arange(-100, 20_000_000, dtype="i4")
    y = kernel(x, block_size=32)
    assert int((y != np.maximum(x, 0)).sum()) == 0


@needs_gpu
def test_outputs_that_overlap_inputs():
    kernel = np.ElementwiseKernel("T x", "T y", "const T* p = &x; y = *p + 1;", "next")
    x = np.arange(100_000.0)
    kernel(x[:-1], x[1:])
    assert numpy.array_equal(np.asnumpy(x), [0, *range(1, 100_000)])
    kernel(x, x)
    assert float(x[7]) == 8


@needs_gpu
def test_wrong_arguments():
    count = np.ElementwiseKernel("T x, int32 limit", "int32 y", COUNT, "count")
    x = np.ones(3)
    with pytest.raises(TypeError, match="takes 2 inputs"):
        count(x)
    with pytest.raises(TypeError, match="limit is an array or a number"):
        count(x, "text")
    with pytest.raises(TypeError, match="limit has dtype float64"):
        count(x, x)
    with pytest.raises(TypeError, match="limit has dtype float64"):
        count(x, numpy.float64(3))
    with pytest.raises(ValueError, match="output y has shape"):
        count(x, 3, np.zeros(1, dtype="i4"))
    assert count([1.0, 8.0], 3).tolist() == [0, 3]
    total = np.ReductionKernel("T x", "T y", "*(&x)", "a + b", "y = a", "0", "total")
    for axis in (2, -3, (0, 5)):
        with pytest.raises(np.exceptions.AxisError):
            total(np.ones((2, 2)), axis=axis)
    with pytest.raises(ValueError, match="duplicate"):
        total(np.ones((2, 2)), axis=(0, -2))
    with pytest.raises(ValueError, match="output y has shape"):
        total(np.ones((2, 2)), axis=0, out=np.zeros((1, 2)))
    broken = np.ElementwiseKernel("T x", "T y", "T* p = &x; y = missing(p);", "broken")
    with pytest.raises(np.cuda.compiler.CompileException, match="missing"):
        broken(x)
    with pytest.raises(RuntimeError, match="0 compiled texts|1 compiled"):
        np.ElementwiseKernel("T x", "T y", "y = x", "plain").cached_code
