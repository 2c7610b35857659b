"""Exponents of floating-point numbers: `frexp` and `ldexp`."""

import numpy
import pytest

import phalanx as np


def values(dtype):
    bounds = numpy.finfo(dtype)
    tiny, least = bounds.smallest_normal, bounds.smallest_subnormal
    rng = numpy.random.default_rng(0)
    some = rng.standard_normal(60) * 2.0 ** rng.integers(-30, 30, 60)
    subnormal = tiny * rng.random(40).astype(dtype)
    special = [0.0, -0.0, 1, -1, 0.5, 0.75, 2, bounds.max, -bounds.max, tiny, -tiny, tiny / 2]
    special += [least, -least, 3 * least, numpy.inf, -numpy.inf, numpy.nan]
    return numpy.concatenate([numpy.array(special, dtype), some.astype(dtype), subnormal])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_parts_are_those_of_numpy(dtype):
    a = values(dtype)
    (mantissa, exponent), expected = np.frexp(np.asarray(a)), numpy.frexp(a)
    assert (mantissa.dtype, exponent.dtype) == (expected[0].dtype, expected[1].dtype)
    mantissa = numpy.asarray(mantissa)
    numpy.testing.assert_array_equal(mantissa, expected[0])
    numpy.testing.assert_array_equal(numpy.signbit(mantissa), numpy.signbit(expected[0]))
    # The exponent of numbers that are not finite is not specified.
    finite = numpy.isfinite(a)
    numpy.testing.assert_array_equal(numpy.asarray(exponent)[finite], expected[1][finite])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("of", ["i4", "i8"])
def test_products_with_powers_of_two_are_rounded_once(dtype, of):
    a = values(dtype)
    powers = [0, 1, -1, 20, -20, 100, -100, 126, 127, 128, -125, -126, -127, -148, -149, -150, -151]
    powers += [1022, 1023, 1024, -1021, -1022, -1023, -1050, -1073, -1074, -1075, -1076]
    powers += [2046, 2097, 2098, 2200, -2046, -2097, -2098, -2200, -3000, 3000, 2**31 - 1, -(2**31)]
    with numpy.errstate(all="ignore"):
        for power in powers:
            exponents = numpy.full(a.shape, power, of)
            expected = numpy.ldexp(a, exponents)
            found = numpy.asarray(np.ldexp(np.asarray(a), np.asarray(exponents)))
            assert found.dtype == expected.dtype
            numpy.testing.assert_array_equal(found, expected)
            numpy.testing.assert_array_equal(numpy.signbit(found), numpy.signbit(expected))
