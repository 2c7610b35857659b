"""Calls of ``scipy.interpolate`` and of ours with equal arguments, and their comparison."""

import numpy
import scipy.interpolate

import phalanx
from phalanx.scipy import interpolate

from .signal_cases import outcome


def drawn(shape, kind="d", seed=1):
    """Values of a dtype."""
    draws = numpy.random.default_rng(seed)
    x = draws.standard_normal(shape)
    if kind in "FD":
        x = x + 1j * draws.standard_normal(shape)
    return (x * 9).astype(kind) if kind in "il" else x.astype(kind)


def uniform(shape, low=0.0, high=1.0, seed=2):
    """Points between two bounds."""
    return numpy.random.default_rng(seed).uniform(low, high, shape)


def owned(x):
    """An argument with arrays of ours in place of NumPy's."""
    if isinstance(x, numpy.ndarray):
        return phalanx.asarray(x)
    return type(x)(map(owned, x)) if type(x) in (list, tuple) else x


def check(found, expected, tolerance=1e-9):
    """Compares values, shapes and dtypes, or the classes of errors."""
    if isinstance(expected, Exception):
        assert isinstance(found, type(expected)), f"{found!r} in place of {expected!r}"
        return
    if isinstance(found, Exception):
        raise found
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            check(one, other, tolerance)
        return
    if isinstance(expected, str):
        assert found == expected
        return
    if isinstance(expected, scipy.interpolate.BSpline):
        assert isinstance(found, interpolate.BSpline)
        assert (found.axis, found.extrapolate) == (expected.axis, expected.extrapolate)
        check(found.tck, expected.tck, tolerance)
        return
    if isinstance(expected, numpy.ndarray):
        assert isinstance(found, phalanx.ndarray)
        assert found.dtype == expected.dtype
    found = found.get() if isinstance(found, phalanx.ndarray) else found
    assert numpy.shape(found) == numpy.shape(expected)
    numpy.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def compare(name, /, *given, tolerance=1e-9, **options):
    """Compares a function of the module with SciPy's."""
    expected = outcome(getattr(scipy.interpolate, name), *given, **options)
    options = {key: owned(value) for key, value in options.items()}
    check(outcome(getattr(interpolate, name), *map(owned, given), **options), expected, tolerance)
    return expected


def pair(name, /, *given, **options):
    """An object of SciPy and ours of the same arguments; None if both are refused."""
    expected = outcome(getattr(scipy.interpolate, name), *given, **options)
    options = {key: owned(value) for key, value in options.items()}
    found = outcome(getattr(interpolate, name), *map(owned, given), **options)
    if isinstance(expected, Exception):
        check(found, expected)
        return None
    if isinstance(found, Exception):
        raise found
    return expected, found


def compare_calls(objects, *given, method="__call__", tolerance=1e-9, **options):
    """Compares the results of a method of two objects."""
    expected = outcome(getattr(objects[0], method), *given, **options)
    options = {key: owned(value) for key, value in options.items()}
    check(outcome(getattr(objects[1], method), *map(owned, given), **options), expected, tolerance)
