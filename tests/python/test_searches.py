"""Searches in sorted vectors whose values are sent to the devices in whose blocks they belong."""

import pytest

from . import worlds

worlds.apart()

PROGRAM = """
import numpy, phalanx as np
np.init(split_from=1 {options})
rng = numpy.random.default_rng(1)

def check(vector, values, **options):
    vector, values = numpy.asarray(vector), numpy.asarray(values)
    for side in ("left", "right"):
        ours = np.searchsorted(np.array(vector), np.array(values), side=side)
        expected = numpy.searchsorted(vector, values, side=side)
        assert ours.dtype == expected.dtype and ours.shape == expected.shape
        numpy.testing.assert_array_equal(ours.get(), expected)

def is_sent(vector, values):
    plan = np.searchsorted(np.array(vector), np.array(values)).explain()
    return "gather of" not in plan and "all_reduce" not in plan

count = 3000
for dtype in ("f8", "f4", "f2", "i8", "i4", "u1", "u8", "c8", "c16", "?"):
    numbers = rng.integers(-50, 50, count) if dtype != "c16" else rng.random(count) * (1 + 2j)
    vector = numpy.sort(numbers.astype(dtype))
    values = rng.permutation(numbers.astype(dtype))
    check(vector, values)
    if {sent} and vector.itemsize >= 4:
        assert is_sent(vector, values), dtype
# NaN is last, and equal to itself; signed zeros are equal.
odd = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1.0] * 200)
check(numpy.sort(odd), rng.permutation(odd))
# Equal elements in all blocks, values before, between and after all elements.
check(numpy.zeros(1000), rng.integers(-1, 2, 1000).astype("f8"))
check(numpy.arange(0.0, 2000.0, 2.0), rng.integers(-5, 2005, 1500).astype("f8"))
# Fewer elements than devices, and fewer values; values of two axes, and views.
for length in (1, 2, 3, 5, 7, 9):
    check(numpy.arange(float(length)), rng.random(800) * 10)
    check(numpy.sort(rng.random(700)), rng.random(length))
check(numpy.sort(rng.random(900)), rng.random((30, 40)))
check(numpy.sort(rng.random(900)), rng.random((2, 3, 200)))
vector, values = numpy.sort(rng.random(2000)), rng.random(4000)
numpy.testing.assert_array_equal(
    np.searchsorted(np.array(vector)[100:-50], np.array(values)[::-3]).get(),
    numpy.searchsorted(vector[100:-50], values[::-3]),
)
# All values belong in one block, more than it receives at once.
for place in (-1.0, 0.5, 2.0):
    check(numpy.sort(rng.random(200_000)), numpy.full(200_000, place))
# What is made of searches.
a, b = rng.integers(0, 10**6, 20_000), rng.integers(0, 10**6, 20_000)
numpy.testing.assert_array_equal(np.isin(np.array(a), np.array(b)).get(), numpy.isin(a, b))
numpy.testing.assert_array_equal(
    np.setdiff1d(np.array(a), np.array(b)).get(), numpy.setdiff1d(a, b)
)
numpy.testing.assert_array_equal(
    np.digitize(np.array(values), np.array(vector)).get(), numpy.digitize(values, vector)
)
xs = numpy.sort(rng.random(5000))
numpy.testing.assert_allclose(
    np.interp(np.array(values), np.array(xs), np.array(xs**2)).get(),
    numpy.interp(values, xs, xs**2), rtol=1e-12,
)
# The same plan with other lengths.
for length in range(1000, 1010):
    check(numpy.sort(rng.random(length)), rng.random(2 * length))
"""


@pytest.mark.parametrize("devices", [2, 3, 4, 8])
def test_places_are_those_of_numpy(devices):
    worlds.run(PROGRAM.format(options="", sent=devices == 8), devices=devices, timeout=120)


def test_places_on_a_grid():
    options = ', devices="cpu:8", mesh=dict(x=2, y=4)'
    worlds.run(PROGRAM.format(options=options, sent=False), timeout=120)


@pytest.mark.parametrize(("processes", "devices"), [(4, 2), (3, 1)])
def test_places_in_processes(processes, devices):
    program = PROGRAM.format(options="", sent=False)
    worlds.run(program, processes=processes, devices=devices, timeout=120)
