"""Fourier transforms of vectors: several devices share them in four steps."""

import numpy
import pytest

import phalanx as np

from .conftest import RANKS, device_count

DEVICES = RANKS * device_count()

# Squares, products of many and of two primes, primes, and lengths that no matrix fits.
LENGTHS = [4096, 4095, 3600, 2 * 1009, 1009, 100, 64, 9, 8, 6, 4, 2, 1]
FORWARD = ["fft", "ifft", "rfft", "ihfft"]
BACKWARD = ["irfft", "hfft"]


def numbers(length, dtype, seed=0):
    rng = numpy.random.default_rng(seed)
    values = rng.standard_normal(length)
    if numpy.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(length)
    return values.astype(dtype)


def check(ours, numpys):
    numpys = numpy.asarray(numpys)
    assert ours.dtype == numpys.dtype and ours.shape == numpys.shape
    rounding = 40 * numpy.finfo(numpys.dtype).eps
    assert numpy.abs(ours.get() - numpys).max() <= rounding * max(numpy.abs(numpys).max(), 1.0)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("function", FORWARD)
def test_transforms_of_vectors(function, length):
    dtypes = ["f4", "f8"] if function in ("rfft", "ihfft") else ["c8", "c16", "f4"]
    for dtype in dtypes:
        values = numbers(length, dtype)
        ours, numpys = getattr(np.fft, function), getattr(numpy.fft, function)
        check(ours(np.array(values)), numpys(values))
        check(ours(np.array(values), norm="ortho"), numpys(values, norm="ortho"))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("function", BACKWARD)
def test_transforms_of_half_spectra(function, length):
    for dtype in ["c8", "c16"]:
        # The imaginary parts of the first element, and of the last for even lengths, do not count.
        values = numbers(length // 2 + 1, dtype)
        ours, numpys = getattr(np.fft, function), getattr(numpy.fft, function)
        check(ours(np.array(values), n=length), numpys(values, n=length))


def test_views_and_other_lengths():
    values = numbers(4096, "c16")
    x = np.array(values)
    for view in (slice(None, None, -1), slice(1, None), slice(None, None, 3), slice(96, 4000, 2)):
        check(np.fft.fft(x[view]), numpy.fft.fft(values[view]))
    for length in (100, 4000, 5000):
        check(np.fft.fft(x, n=length), numpy.fft.fft(values, n=length))
        check(np.fft.rfft(x.real, n=length), numpy.fft.rfft(values.real, n=length))
    for axis in (0, 1):
        column = values.reshape((-1, 1) if axis == 0 else (1, -1))
        check(np.fft.fft(np.array(column), axis=axis), numpy.fft.fft(column, axis=axis))


def test_lengths_that_change_from_plan_to_plan():
    for length in (1024, 1100, 1155, 1024, 1021, 1024):
        values = numbers(length, "c16", seed=length)
        check(np.fft.fft(np.array(values)) * 2.0, numpy.fft.fft(values) * 2.0)


def test_a_transform_and_its_inverse_give_the_vector():
    values = numbers(30_030, "c16")
    x = np.array(values)
    back = np.fft.ifft(np.fft.fft(x) * 1.0)
    assert numpy.abs(back.get() - values).max() < 1e-13
    real = np.array(values.real)
    back = np.fft.irfft(np.fft.rfft(real), n=30_030)
    assert numpy.abs(back.get() - values.real).max() < 1e-13


def test_no_device_has_the_whole_vector():
    x = np.array(numbers(80_000, "c16"))
    plan = np.fft.fft(x).explain()
    # Two devices have short vectors whole.
    if DEVICES > 2:
        assert "gather" not in plan and " 2 library calls" in plan
