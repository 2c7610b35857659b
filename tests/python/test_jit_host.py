"""Kernels that are written in Python, on CPUs: each thread is an element of an elementwise kernel.

Random kernels are compared with plain Python, which runs one thread after the other.
"""

import math
import re
import textwrap

import numpy
import pytest

import phalanx as np
from phalanx._jit import host_launch

from . import jit_emulation as emulation
from . import jit_host_random as drawn
from . import jit_thrust_kernels  # noqa: F401: it adds cases
from . import worlds
from .jit_kernels import CASES, jit
from .test_jit import check

pytestmark = pytest.mark.skipif(np._phalanx._gpu_count() > 0, reason="kernels run on GPUs")

# The cases with threads that work together, or that use what they read by atomic operations.
TOGETHER = ("mandelbrot", "reduction_in_shared_memory", "dynamic_shared_memory", "shuffles", "bits",
            "counters", "functions_that_make_functions", "loops", "cub_reductions", "groups",
            "waiting_copies", "thrust")


def on_device(arguments):
    return [np.asarray(one) if isinstance(one, numpy.ndarray) else one for one in arguments]


def on_host(arguments):
    return [one.get() if isinstance(one, np.ndarray) else one for one in arguments]


def run(kernel, grid, block, *arguments):
    """Runs a kernel; returns the arguments as NumPy's arrays."""
    given = on_device(arguments)
    kernel[grid, block](*given)
    return on_host(given)


@pytest.mark.parametrize("name", [one for one in CASES if not one.startswith(TOGETHER)])
def test_kernels_have_the_results_of_gpus(name):
    kernel, grid, block, arguments, expected = CASES[name]()
    given = on_device(arguments)
    kernel(grid, block, tuple(given), shared_mem=64)
    check(on_host(given), expected)


@pytest.mark.parametrize("name", [one for one in CASES if one.startswith(TOGETHER)])
def test_threads_that_work_together_need_a_gpu(name):
    kernel, grid, block, arguments, _ = CASES[name]()
    with pytest.raises(NotImplementedError, match=r"line \d+ of jit_.*: `.*needs a GPU"):
        kernel(grid, block, tuple(on_device(arguments)))


# Random kernels


NAMES = ("a", "b", "m", "out", "table", "other", "counts", "n", "scale")


def outcome(seed):
    """Runs a random kernel; returns what differs from Python, and whether it was refused."""
    writer = drawn.Writer(seed)
    text, (grid, block), _ = writer.kernel()
    grid, block = (one if isinstance(one, tuple) else (one,) for one in (grid, block))
    threads = int(numpy.prod(grid) * numpy.prod(block))
    arguments = writer.arguments(threads)
    memories = drawn.reference(text, grid, block, arguments)
    if memories is None:
        return None, False
    kernel, given = drawn.kernel_of(text, f"<drawn {seed}>"), on_device(arguments)
    if any(one.conflicts() for one in memories if one is not None):
        with pytest.raises(ValueError, match="other threads write"):
            kernel(grid, block, tuple(given))
        return None, True
    kernel(grid, block, tuple(given))
    for name, found, memory in zip(NAMES, given, memories):
        if memory is None:
            continue
        found, wanted = found.get(), memory.array
        kept = memory.specified()
        if not numpy.array_equal(found[kept], wanted[kept], equal_nan=found.dtype.kind == "f"):
            return f"{text}\n{grid}, {block}, {arguments}: {name} is {found}, not {wanted}", False
    return None, False


@pytest.mark.parametrize("first", range(0, 200, 50))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_kernels_have_the_results_of_python(first):
    outcomes = [outcome(seed) for seed in range(first, first + 50)]
    wrong = [one for one, _ in outcomes if one is not None]
    assert not wrong, "\n\n".join(wrong)
    assert sum(is_refused for _, is_refused in outcomes) < 10


def wrong_outcome(seed):
    """Runs a random kernel with a wrong statement; returns what is wrong with its error."""
    statement, message = drawn.WRONG[seed % len(drawn.WRONG)]
    writer = drawn.Writer(seed)
    text, (grid, block), line = writer.kernel(statement)
    kernel, arguments = drawn.kernel_of(text, f"<wrong {seed}>"), writer.arguments(12)
    # A condition that is known to be false protects what is under it.
    arguments[-2] = max(arguments[-2], 2)
    try:
        kernel(grid, block, tuple(on_device(arguments)))
    except (TypeError, NotImplementedError, NameError, IndexError, ValueError) as error:
        found = str(error).splitlines()[0]
        if error.code.startswith("PX") and message in found and f"line {line} of" in found:
            return None
        return f"{text}\n{statement!r} in line {line}: {found}"
    return f"{text}\n{statement!r} in line {line} is not refused"


@pytest.mark.parametrize("first", range(0, 84, 28))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_kernels_with_a_wrong_statement_are_refused_with_its_line(first):
    wrong = [one for one in map(wrong_outcome, range(first, first + 28)) if one is not None]
    assert not wrong, "\n\n".join(wrong)


# Sizes and types


@jit.rawkernel()
def guarded(x, y):
    i = jit.grid(1)
    if i < len(x):
        y[i] = x[i] + x[i]


@jit.rawkernel()
def returning(x, y):
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    if tid >= x.size:
        return
    y[tid] = x[tid] + x[tid]


@jit.rawkernel()
def striding(x, y):
    for i in range(jit.grid(1), len(x), jit.gridsize(1)):
        y[i] = x[i] + x[i]


@jit.rawkernel()
def leaving(x, y):
    # A loop that is left takes its turns in order.
    for i in range(jit.grid(1), len(x), jit.gridsize(1)):
        if i >= x.size:
            break
        y[i] = x[i] + x[i]


@jit.rawkernel()
def in_blocks(x, y):
    each = (len(x) + jit.gridsize(1) - 1) // jit.gridsize(1)
    start = jit.grid(1) * each
    for i in range(start, min(start + each, len(x))):
        y[i] = x[i] + x[i]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64", "float16",
                                   "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("count", [0, 1, 7, 64, 1000])
@pytest.mark.parametrize("kernel, grid", [
    (guarded, None), (returning, None), (striding, 1), (striding, 3), (leaving, 3), (in_blocks, 3),
])
def test_threads_are_more_or_fewer_than_elements(kernel, grid, count, dtype):
    x = numpy.random.default_rng(count).integers(0, 50, count).astype(dtype)
    grid = (count + 31) // 32 if grid is None else grid
    found = run(kernel, grid, 32, x, numpy.zeros_like(x))[1]
    numpy.testing.assert_array_equal(found, x + x)


@pytest.mark.parametrize("grid, block", [
    ((2, 3), (8, 4)), ((1, 1), (4, 4)), ((4, 4, 2), (3, 5, 2)),
])
def test_grids_of_several_axes_cover_arrays(grid, block):
    @jit.rawkernel()
    def kernel(x, y, z):
        i, j = jit.grid(2)
        first = jit.blockIdx.z == 0 and jit.threadIdx.z == 0
        if i < x.shape[0] and j < x.shape[1] and first:
            y[j, i] = x[i, j] * 2
            row = z[i]
            row[j] += x[i][j]
            row[-1] = row.size

    x = numpy.arange(11.0 * 13).reshape(11, 13)
    z = numpy.ones((11, 14))
    given = on_device([x, numpy.zeros((13, 11)), z])
    kernel[grid, block](*given)
    reached = numpy.zeros((11, 13), bool)
    reached[: grid[0] * block[0], : grid[1] * block[1]] = True
    numpy.testing.assert_array_equal(given[1].get(), numpy.where(reached, x * 2, 0).T)
    z[:, :13] += numpy.where(reached, x, 0)
    z[reached.any(1), -1] = 14
    numpy.testing.assert_array_equal(given[2].get(), z)


def test_views_are_read_and_written():
    base = numpy.arange(40.0).reshape(5, 8)
    for index in [(slice(None, None, 2),), (slice(None), slice(6, 1, -2)), (3,)]:
        x, y = np.asarray(base), np.zeros(base.shape)

        @jit.rawkernel()
        def kernel(x, y):
            for i in range(jit.grid(1), x.shape[0], jit.gridsize(1)):
                if x.ndim == 1:
                    y[i] = x[i] * 2
                else:
                    for j in range(x.shape[1]):
                        y[i, j] = x[i, j] * 2

        kernel[1, 3](x[index], y[index])
        wanted = numpy.zeros(base.shape)
        wanted[index] = base[index] * 2
        numpy.testing.assert_array_equal(y.get(), wanted)


def test_no_threads_and_too_many():
    x = np.zeros(4)

    @jit.rawkernel()
    def kernel(x):
        x[0] = 1

    kernel[0, 32](x)
    kernel[1, (4, 0)](x)
    assert x.tolist() == [0] * 4
    for grid, block in [((1, 65536), 1), (1, 1025), (1, (32, 33)), (1, (1, 1, 65)), (-1, 1)]:
        with pytest.raises(ValueError, match="at most"):
            kernel[grid, block](x)
    kernel[1, 1](x)
    assert x.tolist() == [1, 0, 0, 0]


# Control flow


def test_variables_that_change_in_branches_are_not_taken_for_known():
    @jit.rawkernel()
    def kernel(x, y):
        i = jit.threadIdx.x
        j = i
        if x[i] > 2:
            j = 7 - i
        y[0, j] = x[i]
        k = 0
        for turn in range(3):
            y[1, k] = turn
            k = k + 1
        y[1, k] = 9
        last = 5
        for turn in range(8):
            if turn == i:
                last = turn
        y[2, last] = i
        n = 1
        for turn in range(2):
            n = n + 2
        for turn in range(8):
            if turn >= n:
                break
            y[3, turn] = n

    x = numpy.array([1, 3, 3, 1, 1, 5, 5, 0])
    found = run(kernel, 1, 8, x, numpy.full((4, 8), -1))[1]
    wanted = numpy.full((4, 8), -1)
    for i in range(8):
        wanted[0, 7 - i if x[i] > 2 else i] = x[i]
        wanted[2, i] = i
    wanted[1, :4] = [0, 1, 2, 9]
    wanted[3, :5] = 5
    numpy.testing.assert_array_equal(found, wanted)


def test_turns_that_depend_on_earlier_ones_run_in_order():
    @jit.rawkernel()
    def kernel(x, y):
        total = 0.0
        seen = -1
        for i in range(jit.grid(1), len(x), jit.gridsize(1)):
            total += x[i]
            if x[i] > 3:
                seen = i
            y[i] = total * 100 + seen

    @jit.rawkernel()
    def stale(x, y):
        for i in range(jit.grid(1), len(x), jit.gridsize(1)):
            if i < 8:
                first = x[i]
            y[i] = first

    @jit.rawkernel()
    def shifted(y):
        step = jit.gridsize(1)
        for i in range(jit.grid(1), len(y) - step, step):
            y[i + step] += y[i]

    @jit.rawkernel()
    def overwriting(y):
        step = jit.gridsize(1)
        for i in range(jit.grid(1), len(y) - step, step):
            y[i + step] = 2
            y[i] = 1

    x = numpy.random.default_rng(5).integers(0, 9, 24).astype(float)
    total, seen, y = numpy.zeros(8), numpy.full(8, -1), numpy.zeros(24)
    for i in range(24):
        total[i % 8] += x[i]
        seen[i % 8] = i if x[i] > 3 else seen[i % 8]
        y[i] = total[i % 8] * 100 + seen[i % 8]
    numpy.testing.assert_array_equal(run(kernel, 2, 4, x, y * 0)[1], y)
    numpy.testing.assert_array_equal(run(stale, 2, 4, x, y * 0)[1], numpy.tile(x[:8], 3))
    numpy.testing.assert_array_equal(
        run(shifted, 2, 4, x)[0], numpy.cumsum(x.reshape(3, 8), 0).ravel()
    )
    numpy.testing.assert_array_equal(
        run(overwriting, 2, 4, x)[0], numpy.repeat([1.0, 1.0, 2.0], 8)
    )


def test_turns_of_an_inner_loop_write_an_element_in_the_order_of_the_thread():
    # A statement of an inner loop runs for all turns of the outer loop before its next turn.
    @jit.rawkernel(device=True)
    def stored(out, at, value):
        out[at] = value

    @jit.rawkernel()
    def direct(out, n):
        for e in range(jit.grid(1), n, jit.gridsize(1)):
            for _ in range(min(e % 5, 3), 4):
                out[e % 8] = e

    @jit.rawkernel()
    def called(out, n):
        for e in range(jit.grid(1), n, jit.gridsize(1)):
            for _ in range(min(e % 5, 3), 4):
                stored(out, e % 8, e)

    @jit.rawkernel()
    def overlapping(out, n):
        for e in range(jit.grid(1), n, jit.gridsize(1)):
            for q in range(9):
                out[e * 8 + q * 8] = e

    for n in (17, 1000):
        for kernel in (direct, called):
            found = run(kernel, 4, 2, numpy.zeros(8, int), n)[0]
            assert found.tolist() == [max(range(i, n, 8)) for i in range(8)]
    # One thread: its later turns overwrite what its earlier ones wrote.
    assert run(overlapping, 1, 1, numpy.zeros(240, int), 20)[0][::8].tolist() == [
        *range(20), *[19] * 8, 0, 0
    ]


def test_turns_that_write_rows_of_their_own_may_be_more_than_a_loop_takes():
    @jit.rawkernel()
    def rows(y):
        for e in range(jit.grid(1), y.shape[0], jit.gridsize(1)):
            for j in range(3):
                y[e, j] = e + j

    @jit.rawkernel()
    def parts(y, width):
        for e in range(jit.grid(1), y.shape[0] // width, jit.gridsize(1)):
            for j in range(width):
                y[e * width + j] = e + j
            y[e * width] = -1

    wanted = numpy.arange(30_000)[:, None] + numpy.arange(3)
    numpy.testing.assert_array_equal(run(rows, 1, 2, wanted * 0)[0], wanted)
    wanted[:, 0] = -1
    found = run(parts, 1, 2, numpy.zeros(90_000, int), 3)[0]
    numpy.testing.assert_array_equal(found.reshape(-1, 3), wanted)


def test_a_loop_takes_as_many_turns_as_numbers_say():
    @jit.rawkernel()
    def kernel(y, n, step):
        i = jit.grid(1)
        for j in range(n, 0, step):
            y[i] += j

    for n, step in [(0, -1), (5, -1), (9, -4), (numpy.int32(7), numpy.int8(-2)), (-3, -1)]:
        y = run(kernel, 1, 4, numpy.zeros(4, int), n, step)[0]
        assert y.tolist() == [sum(range(int(n), 0, int(step)))] * 4
    with pytest.raises(NotImplementedError, match="a loop of 20000 turns .more than 10000."):
        run(kernel, 1, 4, numpy.zeros(4, int), 20_000, -1)
    with pytest.raises(NotImplementedError, match="the loops take more than 10000 turns"):
        @jit.rawkernel()
        def nested(y):
            for j in range(200):
                for k in range(200):
                    y[0] = j * k

        run(nested, 1, 1, numpy.zeros(1))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
def test_powers_and_divisors_of_elements_take_known_turns(dtype):
    @jit.rawkernel(mode="numpy")
    def kernel(x, y, out):
        i = jit.grid(1)
        out[0, i] = x[i] ** (y[i] % 64)
        out[1, i] = numpy.gcd(x[i], y[i])
        out[2, i] = numpy.lcm(x[i], y[i])

    generator, limits = numpy.random.default_rng(3), numpy.iinfo(dtype)
    x, y = (generator.integers(0, limits.max, 200, dtype, endpoint=True) for _ in range(2))
    # Fibonacci's numbers take the most turns.
    fibonacci = [1, 1]
    while fibonacci[-1] + fibonacci[-2] <= limits.max:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    x[:3], y[:3] = fibonacci[-3:], [fibonacci[-4], fibonacci[-3], fibonacci[-2]]
    x[4:6] = 0
    found = run(kernel, 2, 100, x, y, numpy.zeros((3, 200), dtype))[2]
    with numpy.errstate(over="ignore"):
        wanted = numpy.stack([x ** (y % 64), numpy.gcd(x, y), numpy.lcm(x, y)])
    numpy.testing.assert_array_equal(found, wanted)


def test_functions_are_written_where_they_are_called():
    @jit.rawkernel(device=True)
    def first_above(row, limit):
        for at in range(len(row)):
            if row[at] > limit:
                return at, row[at]
        return -1, limit

    @jit.rawkernel(device=True)
    def put(y, i, value):
        if value < 0:
            return
        y[i] = value

    @jit.rawkernel()
    def kernel(x, y, z):
        i = jit.grid(1)
        at, found = first_above(x[i], 5)
        put(y, i, at)
        z[i] = found

    x = numpy.random.default_rng(2).integers(0, 8, (40, 4))
    above = x > 5
    at = numpy.where(above.any(1), above.argmax(1), -1)
    _, y, z = run(kernel, 2, 20, x, numpy.full(40, 9), numpy.zeros(40, int))
    numpy.testing.assert_array_equal(y, numpy.where(at < 0, 9, at))
    numpy.testing.assert_array_equal(z, numpy.where(at < 0, 5, x[numpy.arange(40), at]))


@jit.rawkernel(device=True)
def endless(x, i):
    endless(x, i)


@jit.rawkernel(device=True)
def add_one(x, i):
    x[i] += 1
    return x[i]


def calls_itself(x):
    endless(x, 0)


def may_be_skipped(x):
    i = jit.grid(1)
    x[i] = add_one(x, i) if i > 2 else 0


def reads_before(x):
    i = jit.grid(1)
    x[i] = x[i] + add_one(x, i)


def returns_a_value(x):
    return 1


def changes_an_object(x):
    i = jit.grid(1)
    row = x
    if i > 2:
        row = x[0]


@pytest.mark.parametrize("function, kind, text", [
    (calls_itself, ValueError, "calls itself"),
    (may_be_skipped, TypeError, "its expression may be skipped"),
    (reads_before, TypeError, "that the statement has read"),
    (returns_a_value, TypeError, "a kernel returns no value"),
    (changes_an_object, TypeError, "one object in one branch"),
])
def test_faults_have_their_line(function, kind, text):
    with pytest.raises(kind, match=rf"line \d+ of .*{text}"):
        jit.rawkernel()(function)[1, 4](np.zeros(8) if text[0] != "o" else np.zeros((2, 8)))


# Elements that several threads use


def from_neighbour(x, n):
    i = jit.grid(1)
    if i + n < len(x):
        x[i] = x[i + n]


def from_one(x, n):
    i = jit.grid(1)
    if i > 0:
        x[i] = x[0] * n


def by_elements(x, at):
    i = jit.grid(1)
    x[at[i]] += 1


def sums(x, n):
    i = jit.grid(1)
    jit.atomic_add(x, i % 4, n)
    x[i] = x[i] + 1


def evens(x, n):
    i = jit.grid(1)
    if i % 2 == n and x[i - n] > -1:
        x[i] = x[i - n] + 1


@pytest.mark.parametrize("function, argument, line", [
    (from_neighbour, 1, "x[i] = x[i + n]"),
    (from_neighbour, 7, "x[i] = x[i + n]"),
    (by_elements, numpy.arange(16) % 15, "x[at[i]] += 1"),
    (sums, 1, "x[i] = x[i] + 1"),
])
def test_a_thread_that_reads_what_another_writes_is_refused(function, argument, line):
    kernel, x = jit.rawkernel()(function), np.arange(16)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"line \d+ of test_jit_host.py: a thread") as found:
            kernel[2, 8](x, *on_device([argument]))
        assert f"`{line}`" in str(found.value).splitlines()[0]
    assert x.tolist() == list(range(16))


@pytest.mark.parametrize("function, argument, wanted", [
    (from_neighbour, 0, numpy.arange(16)),
    (from_neighbour, 8, numpy.arange(16) % 8 + 8),
    (from_neighbour, 16, numpy.arange(16)),
    (from_one, 3, numpy.arange(16) * 0),
    (by_elements, numpy.arange(16)[::-1].copy(), numpy.arange(16) + 1),
    (evens, 1, numpy.repeat(numpy.arange(0, 16, 2), 2) + numpy.tile([0, 1], 8)),
])
def test_a_thread_may_read_what_it_wrote_and_what_nobody_writes(function, argument, wanted):
    kernel = jit.rawkernel()(function)
    found = run(kernel, 2, 8, numpy.arange(16), argument)[0]
    numpy.testing.assert_array_equal(found, wanted)


def test_a_launch_that_was_found_good_is_not_checked_again(monkeypatch):
    checks = []
    check_of = host_launch._Plan._call
    monkeypatch.setattr(host_launch._Plan, "_call", lambda plan, kernel, *rest: (
        checks.append(kernel is not plan.kernel), check_of(plan, kernel, *rest))[1])
    kernel, x = jit.rawkernel()(from_one), np.arange(16)
    for n in (3, 4, 5):
        kernel[2, 8](x, n)
    # The factor does not decide what threads read.
    assert checks == [True, False, False, False]
    checks.clear()
    kernel[2, 8](x[:12], 3)
    assert checks == [True, False]
    checks.clear()
    kernel, at = jit.rawkernel()(by_elements), np.arange(16)
    for _ in range(2):
        kernel[2, 8](x, at)
    assert checks == [True, False] * 2
    checks.clear()
    for kernel in (guarded, returning, striding):
        kernel[2, 8](x, x)
        # Their indices show that each thread has elements of its own.
        assert checks == [False], kernel
        checks.clear()


def test_one_array_may_be_several_arguments():
    @jit.rawkernel()
    def kernel(x, y):
        i = jit.grid(1)
        y[i] = x[i] * 2
        y[i] += x[i]

    x = np.arange(8)
    kernel[1, 8](x, x)
    assert x.tolist() == [4 * one for one in range(8)]
    with pytest.raises(ValueError, match="arguments 1 and 0 share elements"):
        kernel[1, 4](x[:4], x[2:6])
    y = np.zeros(8, int)
    kernel[1, 4](y[::2], y[1::2])
    assert y.tolist() == [0] * 8
    with pytest.raises(ValueError, match="read-only"):
        kernel[1, 8](x, np.broadcast_to(np.arange(8), (8,)))


# Texts


def test_a_text_is_used_for_all_launches_of_its_sizes():
    kernel = jit.rawkernel()(guarded.__wrapped__)
    for count in (5, 30, 64):
        kernel[2, 32](np.arange(float(count)), np.zeros(count))
    assert len(kernel.host_plans) == 1
    kernel[4, 32](np.arange(3.0), np.zeros(3))
    kernel[4, 32](np.arange(3), np.zeros(3))
    assert len(kernel.host_plans) == 3
    codes = list(kernel.cached_codes.values())
    heads = [re.search(r"void (\w+)\((\w+)", one).groups() for one in codes]
    assert heads == [("jit_guarded", "double"), ("jit_guarded", "long")]
    assert kernel.cached_code == codes[0]


def test_elementwise_kernels_of_two_axes_count_as_the_elements_do():
    @jit.rawkernel()
    def kernel(x, y):
        i, j = jit.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            y[i, j] += x[i, j]

    @jit.rawkernel()
    def turned(x, y):
        j, i = jit.grid(2)
        if i >= x.shape[0] or x.shape[1] <= j:
            return
        y[i, j] += x[i, j]

    x = numpy.arange(77.0).reshape(7, 11)
    for one, grid in ((kernel, (3, 3)), (turned, (3, 3))):
        numpy.testing.assert_array_equal(run(one, grid, (4, 5), x, x * 2)[1], x * 3)
        text = [plan for plan in one.host_plans.values() if hasattr(plan, "kernel")][0]
        # No index is divided, and no element is left out by a condition.
        assert "p_y[i] = (p_y[i] + p_x[i]);" in text.kernel.operation
        assert "if" not in text.kernel.operation and not text.checked
        # Fewer threads than elements.
        found = run(one, (1, 1), (4, 5), x, x * 2)[1]
        reached = numpy.zeros(x.shape, bool)
        reached[(slice(4), slice(5)) if one is kernel else (slice(5), slice(4))] = True
        numpy.testing.assert_array_equal(found, numpy.where(reached, x * 3, x * 2))


def test_numbers_that_wrap_around_are_not_taken_for_others():
    @jit.rawkernel(mode="numpy")
    def kernel(y, n, m):
        i = jit.grid(1)
        y[numpy.int32(n) + i] = 1
        y[numpy.int64(numpy.uint8(n + 2)) + i] = 2
        y[numpy.int64(m + m) + i] = 3
        for j in range(numpy.int8(n + 3)):
            y[6 + j + i] = 4

    y = run(kernel, 1, 1, numpy.zeros(16, int), 2**40, numpy.uint8(130))[0]
    assert y.tolist() == [1, 0, 2, 0, 3, 0, 4, 4, 4] + [0] * 7


def test_a_negative_number_is_no_limit_for_unsigned_indices():
    @jit.rawkernel()
    def kernel(y, n):
        if jit.threadIdx.x < n:
            y[jit.threadIdx.x] = 1

    # In C++ an int32 beside an unsigned int is compared as a great number.
    for n, count in [(numpy.int32(-1), 4), (-1, 0), (numpy.int32(2), 2), (numpy.uint32(3), 3)]:
        assert run(kernel, 1, 4, numpy.zeros(4, int), n)[0].sum() == count


def test_texts_that_depend_on_numbers_are_not_kept_without_end():
    @jit.rawkernel()
    def kernel(y, n):
        for j in range(n):
            y[jit.grid(1)] += 1

    y = np.zeros(4)
    for n in range(300):
        kernel[1, 4](y, n % 290 and 1)
    assert y.tolist() == [298] * 4
    for n in range(300):
        kernel[1, 4](np.zeros(4), -n)
    assert len(kernel.host_plans) <= 256


def test_other_operations_see_what_a_kernel_wrote():
    x = np.arange(100.0)
    y = x * 2
    z = np.zeros(100)
    guarded[4, 32](y, z)
    numpy.testing.assert_array_equal((z + y).get(), numpy.arange(100.0) * 6)
    with pytest.raises(TypeError, match="not numpy.ndarray"):
        guarded[1, 1](numpy.zeros(3), numpy.zeros(3))


@pytest.mark.parametrize("mode", ["cuda", "numpy"])
def test_random_kernels_have_the_results_of_their_texts_in_cuda(mode):
    compared = 0
    for seed in range(300, 304):
        writer = drawn.Writer(seed)
        text, (grid, block), _ = writer.kernel()
        # Variables of other types than 64 bits.
        for wide, name in (("numpy.int64(a", "(a"), ("numpy.float64(b", "(b"),
                           ("numpy.int64(0)", "0"), ("numpy.float64(0)", "0.5")):
            text = text.replace(wide, name)
        grid, block = (one if isinstance(one, tuple) else (one,) for one in (grid, block))
        arguments = writer.arguments(int(numpy.prod(grid) * numpy.prod(block)))
        memories = drawn.reference(text, grid, block, arguments)
        assert memories is not None
        if any(one.conflicts() for one in memories if one is not None):
            continue
        kernel, given = drawn.kernel_of(text, f"<typed {mode} {seed}>", mode), on_device(arguments)
        kernel(grid, block, tuple(given))
        emulation.run(kernel, grid, block, *arguments)
        for found, wanted, memory in zip(given, arguments, memories):
            if memory is None:
                continue
            kept = memory.specified()
            numpy.testing.assert_allclose(found.get()[kept], wanted[kept], rtol=1e-6)
            compared += kept.sum()
    assert compared > 50


@jit.rawkernel()
def special_kernel(x, y):
    i = jit.grid(1)
    if i < len(x):
        y[i] = math.erf(x[i]) + math.erfc(x[i]) * math.lgamma(x[i] + 5) + math.gamma(x[i] + 5)


def test_special_functions():
    x = numpy.linspace(-3, 3, 50)
    _, found = run(special_kernel, 2, 32, x, numpy.zeros(50))
    expected = [math.erf(v) + math.erfc(v) * math.lgamma(v + 5) + math.gamma(v + 5) for v in x]
    numpy.testing.assert_allclose(found, expected, rtol=1e-13)


def test_kernels_run_in_several_processes(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent("""
        import numpy
        import phalanx as np
        from phalanx.x import jit

        @jit.rawkernel()
        def kernel(x, y, at):
            for i in range(jit.grid(1), len(x), jit.gridsize(1)):
                y[at[i]] += x[i]

        x, y = np.arange(100.0), np.zeros(100)
        kernel[2, 8](x, y, np.arange(100)[::-1])
        assert y.tolist() == list(range(99, -1, -1))
        try:
            kernel[2, 8](x, y, np.zeros(100, int))
        except ValueError as error:
            print("refused", "other threads write" in str(error))
    """))
    assert worlds.run(str(program), processes=3).stdout.count("refused True") == 3
