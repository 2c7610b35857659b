"""Divisions of integers by one divisor, which CPUs do by multiplication."""

import numpy
import pytest

import phalanx as np

WIDER = ["int16", "uint16", "int32", "uint32", "int64", "uint64"]


def same(ours, theirs):
    ours = numpy.asarray(ours)
    assert ours.dtype == theirs.dtype
    numpy.testing.assert_array_equal(ours, theirs)


def check(a, divisor):
    """Compares the divisions of all elements by a number with NumPy's."""
    ours, shape = np.asarray(a), (a.size,)
    with numpy.errstate(all="ignore"):
        same(ours // divisor, a // divisor)
        same(ours % divisor, a % divisor)
        same(np.fmod(ours, divisor), numpy.fmod(a, divisor))
        for mine, theirs in zip(np.divmod(ours, divisor), numpy.divmod(a, divisor), strict=True):
            same(mine, theirs)
        # A divisor that is an array of equal elements, and one that is not.
        many = numpy.full(shape, divisor, a.dtype)
        same(np.floor_divide(ours, np.asarray(many)), a // many)
        many[-1] = 1
        same(np.remainder(ours, np.asarray(many)), a % many)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_every_divisor_of_short_integers(dtype):
    bounds = numpy.iinfo(dtype)
    a = numpy.arange(bounds.min, bounds.max + 1).astype(dtype)
    for divisor in range(max(-130, bounds.min), min(130, bounds.max) + 1):
        check(a, numpy.dtype(dtype).type(divisor))
    if dtype == "uint8":
        for divisor in (131, 200, 254, 255):
            check(a, numpy.uint8(divisor))


def numbers(dtype):
    """Numbers near powers of two, the ends of the dtype, and random ones of all sizes."""
    bounds = numpy.iinfo(dtype)
    rng = numpy.random.default_rng(1)
    near = [sign * (1 << power) + by
            for power in range(bounds.bits) for by in (-1, 0, 1) for sign in (1, -1)]
    ends = [bounds.min, bounds.min + 1, bounds.max - 1, bounds.max, 0, 1, -1]
    some = [int(number) >> int(shift)
            for number, shift in zip(rng.integers(bounds.min, bounds.max, 200, dtype=dtype),
                                     rng.integers(0, bounds.bits, 200), strict=True)]
    held = [number for number in near + ends + some if bounds.min <= number <= bounds.max]
    return numpy.array(held, dtype=dtype)


@pytest.mark.parametrize("dtype", WIDER)
def test_divisors_of_wider_integers(dtype):
    a = numbers(dtype)
    rng = numpy.random.default_rng(2)
    usual = [1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 25, 60, 100, 125, 625, 641, 1000, 32767, -1, -2, -7]
    bounds = numpy.iinfo(dtype)
    divisors = [divisor for divisor in usual if bounds.min <= divisor <= bounds.max]
    divisors += [bounds.max, bounds.max - 1, bounds.min, 0, *rng.choice(a, 12)]
    for divisor in divisors:
        check(a, numpy.dtype(dtype).type(divisor))


def test_python_numbers_and_arrays_in_place():
    a = numpy.arange(-500, 500)
    ours = np.asarray(a)
    for divisor in (7, -7, 8, 1, -1):
        same(ours // divisor, a // divisor)
        same(ours % divisor, a % divisor)
        mine, theirs = ours.copy(), a.copy()
        mine //= divisor
        theirs //= divisor
        same(mine, theirs)
    rows = numpy.arange(6 * 50).reshape(6, 50) - 100
    column = numpy.array([3, -4, 1, 0, 7, 100])[:, None]
    with numpy.errstate(all="ignore"):
        same(np.asarray(rows) // np.asarray(column), rows // column)
        same(np.asarray(rows) % np.asarray(column), rows % column)
