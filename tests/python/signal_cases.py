"""Calls of ``scipy.signal`` and of ours with equal arguments, and the comparison of results."""

import warnings

import numpy
import scipy.signal

import phalanx
from phalanx.scipy import signal

from .conftest import FULL, RANKS, device_count

# Windows of several devices and processes take longer, so that fewer samples are tested there.
FEWER = not FULL and (device_count() > 1 or RANKS > 1)


def some(cases, step=3):
    """The cases of a test; a part of them on several devices."""
    return list(cases)[:: step if FEWER else 1]


def drawn(shape, kind="d", seed=1):
    """Samples of a dtype."""
    draws = numpy.random.default_rng(seed)
    x = draws.standard_normal(shape) * 4
    if kind in "FD":
        x = x + 1j * draws.standard_normal(shape)
    return x.astype(kind)


def owned(x):
    """An argument with arrays of ours in place of NumPy's."""
    if isinstance(x, numpy.ndarray):
        return phalanx.asarray(x)
    return type(x)(map(owned, x)) if type(x) in (list, tuple) else x


def host(x):
    return x.get() if isinstance(x, phalanx.ndarray) else x


def outcome(function, /, *given, **options):
    """The result of a call, or its error."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*given, **options)
        except Exception as error:
            return error


def check(own, other, tolerance=None, dtype=True):
    """Compares a result with SciPy's: the class of an error, shape, dtype and values."""
    if isinstance(other, Exception):
        # NumPy's classes for errors of ufuncs derive from Python's.
        kind = next(one for one in type(other).__mro__ if not one.__module__.startswith("numpy"))
        assert isinstance(own, kind), f"{own!r} in place of {other!r}"
        return
    if isinstance(own, Exception):
        raise own
    if isinstance(other, dict):
        assert list(own) == list(other)
        own, other = list(own.values()), list(other.values())
    if isinstance(other, (tuple, list)):
        assert len(own) == len(other)
        for one, another in zip(own, other):
            check(one, another, tolerance, dtype)
        return
    if other is None or isinstance(other, (str, bool, type)):
        assert own == other
        return
    own, other = numpy.asarray(host(own)), numpy.asarray(other)
    assert own.shape == other.shape
    assert own.dtype == other.dtype or not dtype
    if tolerance is None:
        tolerance = 1e-4 if other.dtype.char in "fF" else 1e-9
    size = numpy.max(numpy.abs(other[numpy.isfinite(other)]), initial=0)
    numpy.testing.assert_allclose(own, other, rtol=tolerance, atol=tolerance * max(size, 1e-3))


def compare(name, *given, tolerance=None, dtype=True, **options):
    """Calls a function of SciPy's, and ours with arrays of ours."""
    place, own_place = scipy.signal, signal
    if name.startswith("windows."):
        place, own_place, name = place.windows, own_place.windows, name.partition(".")[2]
    other = outcome(getattr(place, name), *given, **options)
    options = {key: owned(value) for key, value in options.items()}
    own = outcome(getattr(own_place, name), *map(owned, given), **options)
    check(own, other, tolerance, dtype)
