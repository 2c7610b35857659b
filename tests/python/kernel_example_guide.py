"""The ways to use kernels, profilers and memory pools that guides for CuPy describe, each as a
function of a size that returns its operands and its results."""

import phalanx as np
import phalanx.cuda
import phalanx.x
from phalanx.x import profiler


def type_placeholders(size):
    """One letter for all operands, two letters, and dtypes that are spelled out."""
    x, y = np.arange(size, dtype="float32"), np.arange(size, dtype="float32")[::-1]
    spelled = np.ElementwiseKernel(
        "float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "spelled")
    letters = np.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "letters")
    kinds = np.ElementwiseKernel("X x, Y y", "Z z", "z = x * y", "kinds")
    long = np.arange(size) % 1000
    out = np.empty(size, dtype="float64")
    kinds(x, long, out)
    return (x, y, long), spelled(x, y), letters(x, y), letters(long, 5), out


def local_type(size):
    """The letter as a type inside of the text."""
    x = np.arange(size) / 7
    kernel = np.ElementwiseKernel("T x", "T y", "T less = x / 2; y = less * less + T(1)", "halves")
    return x, kernel(x), kernel(x.astype("float32"))


def raw_operands(size):
    """A whole array, read at other places than the own one."""
    x, y = np.arange(float(size)), np.arange(float(size)) * 2
    backwards = np.ElementwiseKernel(
        "T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "back")
    return (x, y), backwards(x, y)


def indices(size):
    """The index of an element along each axis."""
    side = round(size**0.5)
    x = np.ones((side, side), dtype="int64")
    kernel = np.ElementwiseKernel(
        "T x", "T y", "y = x * _ind.get()[0] * 10000 + _ind.get()[1]", "places")
    return x, kernel(x)


def only_raw(size):
    """With raw operands alone, the call states the number of elements."""
    x = np.arange(float(size))
    kernel = np.ElementwiseKernel("raw T x", "raw T y", "y[i] = x[i] + x[i + 1]", "pairs")
    out = np.empty(size // 2)
    kernel(x, out, size=size // 2)
    return x, out


def several_outputs(size):
    """Two results of one text."""
    x = np.arange(1.0, size + 1)
    kernel = np.ElementwiseKernel("T x", "T root, int64 whole", "root = sqrt(x); whole = (int)root",
                                  "roots")
    return (x, *kernel(x))


def preamble_and_loop_prep(size):
    """Functions that a text calls, and statements before its loop."""
    x = np.arange(float(size))
    kernel = np.ElementwiseKernel(
        "T x, T scale", "T y", "y = clamped(x * factor)", "clamps",
        preamble="__device__ double clamped(double v) { return v > 1000 ? 1000 : v; }",
        loop_prep="double factor = scale * 3")
    return x, kernel(x, 0.5)


def reduction_with_post_map(size):
    """The Euclidean norm, of all elements and along one axis, and the same into an output."""
    side = round(size**0.5)
    x = np.sin(np.arange(side * side)).reshape(side, side)
    norm = np.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    out = np.empty(side)
    norm(x, axis=0, out=out)
    return x, norm(x), norm(x, axis=1), norm(x, axis=1, keepdims=True), out


def reduction_of_two(size):
    """A reduction of two operands, with another type of its values."""
    x, y = np.arange(size) % 7, np.arange(size) % 11
    near = np.ReductionKernel(
        "T x, T y", "float64 z", "x == y ? 1 : 0", "a + b", "z = a / _in_ind.size()", "0", "near",
        reduce_type="double")
    return (x, y), near(x, y)


def fused(size):
    """Functions of arrays under ``fuse``, in its three spellings, also with a reduction."""
    @np.fuse
    def squares(x, y):
        return (x - y) * (x - y)

    @np.fuse()
    def above(x, y):
        return np.where(x > y, x, 0) * 2

    @np.fuse(kernel_name="sum_of_squares")
    def sums(x, y):
        return np.sum((x - y) * (x - y))

    x, y = np.arange(float(size)) % 1000, np.arange(float(size))[::-1] % 999
    return (x, y), squares(x, y), above(x, y), sums(x, y)


def measured(size):
    """The times of a function, in parts of the program that profilers show."""
    x = np.arange(float(size))
    calls = []

    @profiler.time_range()
    def function(x, power):
        calls.append(power)
        return x**power

    with profiler.time_range("measured", sync=True):
        times = profiler.benchmark(function, (x,), {"power": 2}, n_repeat=5, n_warmup=2, name="own")
    with profiler.profile():
        result = function(x, 3)
    return x, times, calls, result


def pools(size):
    """The bytes that the memory pool has in use with one array, with three, and with one again."""
    pool, pinned = np.get_default_memory_pool(), np.get_default_pinned_memory_pool()
    device = phalanx.cuda.Device()

    def used():
        device.synchronize()
        return pool.used_bytes()

    x = np.arange(float(size))
    x.evaluate()
    one = used()
    others = [np.full((size,), value) + x for value in (0.5, 1.5)]
    for other in others:
        other.evaluate()
    three, total = used(), pool.total_bytes()
    kept = np.asnumpy(others[1])
    del others, other
    after = used()
    pool.free_all_blocks()
    pinned.free_all_blocks()
    return (one, three, total, after, pool.free_bytes(), pinned.n_free_blocks()), kept
