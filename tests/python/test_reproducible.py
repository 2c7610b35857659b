"""Reproducible mode: the same bits on any number of devices and processes."""

import math

import numpy
import pytest

import phalanx as np

from . import worlds

PROGRAM = """
import hashlib
import sys
import numpy
import phalanx as np

random = numpy.random.default_rng(3)
digests = []

def note(name, array):
    digests.append(f"{name} {hashlib.md5(array.get().tobytes()).hexdigest()}")

def numbers(shape, dtype):
    values = random.standard_normal(shape) * numpy.exp(random.uniform(-9, 9, shape))
    if dtype.startswith("c"):
        values = values + 1j * random.standard_normal(shape)
    return np.array(values.astype(dtype))

for dtype in ("float16", "float32", "float64", "complex64", "complex128"):
    for shape in ((70_001,), (301, 409), (5, 7, 3_001), (3_001, 5, 7)):
        x = numbers(shape, dtype)
        for axis in (None, *range(len(shape))):
            note(f"sum {dtype} {shape} {axis}", x.sum(axis))
            note(f"mean {dtype} {shape} {axis}", np.mean(x, axis))
            note(f"var {dtype} {shape} {axis}", np.var(x, axis))
            note(f"fused {dtype} {shape} {axis}", np.sum(np.abs(x[..., 1:]) * 2.5 + 1, axis))
            note(f"cumsum {dtype} {shape} {axis}", np.cumsum(x, axis))
            note(f"prod {dtype} {shape} {axis}", np.prod(1 + x.real * 1e-6, axis))
        note(f"norm {dtype} {shape}", np.linalg.norm(x.ravel()))
        note(f"view {dtype} {shape}", x[::-3].sum(0))
    for m, k, n in ((101, 5_001, 67), (5, 30_001, 4), (1, 9_000, 50), (3_000, 40, 1)):
        a, b = numbers((m, k), dtype), numbers((k, n), dtype)
        note(f"product {dtype} {m} {k} {n}", a @ b)
        note(f"transposed {dtype} {m} {k} {n}", np.tensordot(b, a, ((0,), (1,))))
    note(f"stack {dtype}", numbers((9, 31, 47), dtype) @ numbers((9, 47, 13), dtype))
for dtype in ("float32", "float64"):
    x, y = numbers((90_001,), dtype), numbers((90_001,), dtype)
    places = np.array(random.integers(0, 50, 90_001))
    note(f"dot {dtype}", x @ y)
    note(f"average {dtype}", np.average(x, weights=np.abs(y)))
    note(f"logaddexp {dtype}", np.logaddexp.reduce(x / 1000))
    note(f"logaddexp.accumulate {dtype}", np.logaddexp.accumulate(x / 1000))
    note(f"bincount {dtype}", np.bincount(places, x))
    note(f"histogram {dtype}", np.histogram(x, 37, weights=y)[0])
    note(f"reduceat {dtype}", np.add.reduceat(x, np.array([0, 5, 40_000, 41])))
    table = np.zeros(50, dtype)
    np.add.at(table, places, x)
    note(f"add.at {dtype}", table)
    note(f"cov {dtype}", np.cov(x[:90_000].reshape(9, -1)[:, :1_000]))
if np.rank() == 0:
    sys.stdout.write("\\n".join(digests) + "\\n")
np.shutdown()
"""


def digests(processes, devices, mode="1"):
    environment = {"PHALANX_REPRODUCIBLE": mode}
    ended = worlds.run(PROGRAM, processes=processes, devices=devices, environment=environment)
    return [line for line in ended.stdout.splitlines() if " " in line]


@pytest.fixture(scope="module")
def alone():
    return digests(1, 1)


@pytest.mark.parametrize("processes, devices", [(1, 2), (1, 3), (1, 8), (3, 1), (2, 2)])
def test_results_have_the_same_bits_on_any_number_of_devices(alone, processes, devices):
    assert len(alone) > 300
    assert digests(processes, devices) == alone


def test_the_mode_is_off_by_default(alone):
    # Otherwise the test above could not fail.
    assert digests(1, 3, mode="0") != alone


def test_sums_are_those_of_exact_arithmetic():
    random = numpy.random.default_rng(1)
    values = random.standard_normal((40, 900)) * numpy.exp(random.uniform(-25, 25, (40, 900)))
    with np.reproducible():
        rows = np.array(values).sum(1).get()
        columns = np.array(values).sum(0).get()
        single = np.array(values.astype("f4")).sum(1).get()
    for found, lines in ((rows, values), (columns, values.T)):
        for sum_, line in zip(found, lines, strict=True):
            exact = math.fsum(line)
            lost = line.size * 2.0**-59 * abs(line).max()
            assert abs(sum_ - exact) <= lost + 2.0**-52 * abs(exact)
    assert [numpy.float32(math.fsum(row)) for row in values.astype("f4")] == single.tolist()


def test_special_values_are_summed_as_by_numpy():
    cases = [[1.0, numpy.inf, 2.0], [-numpy.inf, 5.0], [numpy.inf, -numpy.inf], [numpy.nan, 1.0],
             [numpy.nan, numpy.inf], [5e-324, 5e-324], [0.0, -0.0], [], [-0.0]]
    with np.reproducible():
        found = [np.array(case).sum().get() for case in cases]
        # NumPy's order gives infinity.
        assert float(np.array([1e308, 1e308, -1e308]).sum()) == 1e308
    expected = [numpy.array(case).sum() for case in cases]
    numpy.testing.assert_array_equal(found, expected)
    assert numpy.signbit(found[-1])


def test_one_term_keeps_the_sign_of_a_zero_on_any_number_of_devices():
    program = """
import numpy
import phalanx as np
zeros = np.array(numpy.full(1_000_000, -0.0))
with np.reproducible():
    for start in (0, 5, 400_000, 999_999):
        assert numpy.signbit(zeros[start:start + 1].sum().get()), start
        assert numpy.signbit(np.logaddexp.reduce(zeros[start:start + 1]).get()), start
    rows = zeros.reshape(1000, 1000)[700:701].sum(0)
    assert numpy.signbit(rows.get()).all()
"""
    worlds.run(program, devices=3)


def test_results_have_the_order_of_axes_of_other_reductions():
    x = np.ones((3, 4, 5), "f4").transpose(0, 2, 1)
    for axis in (0, 1, 2, (0, 1), (1, 2)):
        for function in (np.prod, np.sum, np.mean, np.logaddexp.reduce):
            ordinary = function(x, axis=axis).strides
            with np.reproducible():
                assert function(x, axis=axis).strides == ordinary, (function, axis)


def test_halves_are_rounded_once():
    values = numpy.linspace(0.9995, 1.0005, 5_000).astype("f2")
    exact = numpy.prod(values.astype("f8"))
    small = numpy.full((1, 10_000), 1e-4, "f2")
    with np.reproducible():
        assert abs(float(np.prod(np.array(values))) / exact - 1) < 2e-3
        assert float((np.array(small) @ np.array(small.T))[0, 0]) > 9e-5


def test_the_first_line_of_a_scan_is_that_of_any_scan():
    values = numpy.ones(5_000, "c16")
    values[3] = numpy.inf
    zeros = numpy.full(5_000, complex(-0.0, -0.0))
    with np.reproducible():
        products = np.cumprod(np.array(values)).get()
        sums = np.cumsum(np.array(zeros)).get()
    assert products[3].real == numpy.inf
    assert numpy.signbit(sums[:2_048].real).all() and numpy.signbit(sums[:2_048].imag).all()


def test_stretches_are_summed_in_order_however_they_are_split():
    program = """
import hashlib
import numpy
import phalanx as np
values = numpy.random.default_rng(1).standard_normal((50_000, 3))
digests = set()
with np.reproducible():
    for axis in (0, 1):
        x = np.array(values).with_sharding(axis)
        digests.add(np.add.reduceat(x, np.array([0, 25_000])).get().tobytes())
    single = np.add.reduceat(np.array(values[:, 0].copy()), np.array([0]))
assert len(digests) == 1
assert float(single[0]) == numpy.cumsum(values[:, 0])[-1]
"""
    worlds.run(program, devices=3)


def test_a_block_has_the_mode_of_the_innermost_one():
    x = np.array([0.1] * 1000)

    def is_binned(sum_=np.sum):
        total = sum_(x)
        plan = total.explain()
        # Closes the window: what is recorded and not needed may still be in the next plan.
        assert float(total) == pytest.approx(100)
        return "binned" in plan

    assert not is_binned()
    with np.reproducible():
        assert is_binned()
        with np.reproducible(False):
            assert not is_binned()
        assert is_binned()
    assert not is_binned()
    assert is_binned(np.reproducible()(np.sum))


def test_processes_that_differ_in_the_mode_are_told_so():
    program = """
import phalanx as np
x = np.ones(100_000)
with np.reproducible(np.rank() == 1):
    float(x.sum())
"""
    ended = worlds.run(program, processes=2, check=False)
    assert ended.returncode != 0
    assert "PX0" in ended.stderr
