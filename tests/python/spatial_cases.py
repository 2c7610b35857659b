"""Calls of ``scipy.spatial`` and of ours with equal arguments, and the comparison of results."""

import numpy

import phalanx


def owned(x):
    """An argument with arrays of ours in place of NumPy's."""
    if isinstance(x, numpy.ndarray) and x.dtype.kind in "biufc":
        return phalanx.asarray(x)
    return type(x)(map(owned, x)) if type(x) in (list, tuple) else x


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
        assert own.keys() == other.keys()
        own, other = [own[key] for key in other], list(other.values())
    if isinstance(other, (tuple, list)):
        assert len(own) == len(other)
        for one, another in zip(own, other):
            check(one, another, tolerance, dtype)
        return
    if other is None or isinstance(other, (str, bool, set)):
        assert own == other
        return
    own = own.get() if isinstance(own, phalanx.ndarray) else numpy.asarray(own)
    other = numpy.asarray(other)
    assert own.shape == other.shape
    assert own.dtype == other.dtype or not dtype, f"{own.dtype} in place of {other.dtype}"
    if other.dtype == object:
        assert own.tolist() == other.tolist()
        return
    if tolerance is None:
        tolerance = 1e-4 if "f" in (own.dtype.char, other.dtype.char) else 1e-12
    numpy.testing.assert_allclose(own, other, rtol=tolerance, atol=tolerance)
