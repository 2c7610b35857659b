"""Comparisons and decorators for the tests of programs: numpy.testing's, for our arrays too."""

import contextlib as _contextlib
import functools as _functools

import numpy as _numpy
import numpy.testing as _testing

from ._documentation import describe as _describe
from ._interoperability import asnumpy as _asnumpy
from ._phalanx import ndarray as _ndarray

_INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
_FLOATS = ["float16", "float32", "float64"]
_COMPLEX = ["complex64", "complex128"]


def _host(value):
    if isinstance(value, _ndarray):
        return _asnumpy(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_host(item) for item in value)
    return value


def _compared(name):
    function = getattr(_testing, name)

    @_functools.wraps(function)
    def compare(*arguments, **keywords):
        return function(*(_host(argument) for argument in arguments), **keywords)

    return compare


assert_allclose = _compared("assert_allclose")
assert_array_almost_equal = _compared("assert_array_almost_equal")
assert_array_almost_equal_nulp = _compared("assert_array_almost_equal_nulp")
assert_array_equal = _compared("assert_array_equal")
assert_array_less = _compared("assert_array_less")
assert_array_max_ulp = _compared("assert_array_max_ulp")
assert_almost_equal = _compared("assert_almost_equal")
assert_approx_equal = _compared("assert_approx_equal")
assert_equal = _compared("assert_equal")
assert_raises = _testing.assert_raises
assert_raises_regex = _testing.assert_raises_regex
assert_warns = _testing.assert_warns


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True):
    """Compares two lists of arrays one by one."""
    if len(xlist) != len(ylist):
        raise AssertionError(f"{len(xlist)} and {len(ylist)} arrays {err_msg}")
    for x, y in zip(xlist, ylist):
        assert_array_equal(x, y, err_msg=err_msg, verbose=verbose)


def _for(name, dtypes):
    """A decorator that runs a test once for each dtype, as the argument ``name``."""

    def decorate(test):
        @_functools.wraps(test)
        def each(*arguments, **keywords):
            for dtype in dtypes:
                try:
                    test(*arguments, **keywords, **{name: _numpy.dtype(dtype).type})
                except Exception as error:
                    error.add_note(f"{name} was {dtype}")
                    raise

        # Test runners look for arguments in what is wrapped.
        del each.__wrapped__
        return each

    return decorate


def for_dtypes(dtypes, name="dtype"):
    """Runs a test once for each of some dtypes."""
    return _for(name, dtypes)


def for_all_dtypes(name="dtype", no_float16=False, no_bool=False, no_complex=False):
    """Runs a test once for each dtype."""
    dtypes = [] if no_bool else ["bool"]
    dtypes += _INTEGERS + (_FLOATS[1:] if no_float16 else _FLOATS)
    return _for(name, dtypes + ([] if no_complex else _COMPLEX))


def for_float_dtypes(name="dtype", no_float16=False):
    """Runs a test once for each real floating dtype."""
    return _for(name, _FLOATS[1:] if no_float16 else _FLOATS)


def for_signed_dtypes(name="dtype"):
    """Runs a test once for each integer dtype with a sign."""
    return _for(name, _INTEGERS[:4])


def for_unsigned_dtypes(name="dtype"):
    """Runs a test once for each integer dtype without a sign."""
    return _for(name, _INTEGERS[4:])


def for_int_dtypes(name="dtype", no_bool=False):
    """Runs a test once for each integer dtype."""
    return _for(name, _INTEGERS + ([] if no_bool else ["bool"]))


def for_complex_dtypes(name="dtype"):
    """Runs a test once for each complex dtype."""
    return _for(name, _COMPLEX)


def for_orders(orders, name="order"):
    """Runs a test once for each order of elements in memory."""

    def decorate(test):
        @_functools.wraps(test)
        def each(*arguments, **keywords):
            for order in orders:
                test(*arguments, **keywords, **{name: order})

        del each.__wrapped__
        return each

    return decorate


def for_CF_orders(name="order"):
    """Runs a test once for C and once for F order."""
    return for_orders([None, "C", "F", "c", "f"], name)


def _both(compare, name, accept_error):
    """A decorator that runs a test with NumPy and with Phalanx as ``xp`` and compares results."""

    def decorate(test):
        @_functools.wraps(test)
        def both(*arguments, **keywords):
            import phalanx

            results = []
            for module in (_numpy, phalanx):
                try:
                    results.append((test(*arguments, **keywords, **{name: module}), None))
                except Exception as error:
                    if not (accept_error and isinstance(error, accept_error)):
                        raise
                    results.append((None, error))
            (expected, refused), (found, raised) = results
            if (refused is None) != (raised is None):
                raise AssertionError(f"NumPy: {refused!r}, Phalanx: {raised!r}")
            if refused is None:
                compare(found, expected)

        del both.__wrapped__
        return both

    return decorate


def numpy_phalanx_allclose(rtol=1e-7, atol=0, err_msg="", name="xp", accept_error=()):
    """The results of a test with NumPy and with Phalanx are close."""
    compare = _functools.partial(assert_allclose, rtol=rtol, atol=atol, err_msg=err_msg)
    return _both(compare, name, accept_error)


def numpy_phalanx_equal(err_msg="", name="xp", accept_error=()):
    """The results of a test with NumPy and with Phalanx are equal."""
    return _both(_functools.partial(assert_equal, err_msg=err_msg), name, accept_error)


def numpy_phalanx_array_equal(err_msg="", name="xp", accept_error=()):
    """The arrays that a test gives with NumPy and with Phalanx are equal."""
    return _both(_functools.partial(assert_array_equal, err_msg=err_msg), name, accept_error)


def shaped_arange(shape, xp=None, dtype="float32", order="C"):
    """Numbers from 1 in a shape."""
    import math

    made = _numpy.arange(1, math.prod(shape) + 1).astype(dtype).reshape(shape, order=order)
    return _module(xp).asarray(made)


def shaped_random(shape, xp=None, dtype="float32", scale=10, seed=0):
    """Random numbers in a shape, the same for each module."""
    generator = _numpy.random.RandomState(seed)
    made = _numpy.asarray(generator.rand(*shape) * scale).astype(dtype)
    return _module(xp).asarray(made)


def _module(xp):
    if xp is not None:
        return xp
    import phalanx

    return phalanx


@_contextlib.contextmanager
def assert_raises_like_numpy(function):
    """The block raises the class that ``function(numpy)`` raises."""
    try:
        function(_numpy)
    except Exception as error:
        expected = type(error)
    else:
        raise AssertionError("NumPy raises nothing")
    try:
        yield
    except expected:
        return
    raise AssertionError(f"not {expected.__name__}, which NumPy raises")


_describe(__name__)
