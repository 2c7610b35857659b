"""Comparisons and decorators for the tests of programs: numpy.testing's, for our arrays too, and
those of cupy.testing, which run a test with NumPy and with Phalanx.

All other names of numpy.testing are available here, too.
"""

import contextlib as _contextlib
import functools as _functools
import itertools as _itertools

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
    if isinstance(value, dict):
        return {key: _host(item) for key, item in value.items()}
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
assert_array_compare = _compared("assert_array_compare")
assert_string_equal = _compared("assert_string_equal")
print_assert_equal = _compared("print_assert_equal")
assert_raises = _testing.assert_raises
assert_raises_regex = _testing.assert_raises_regex
assert_warns = _testing.assert_warns


def __getattr__(name):
    """The other names of NumPy's module."""
    return getattr(_testing, name)


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

        # Test runners look for arguments in the wrapped function.
        del each.__wrapped__
        return each

    return decorate


def for_dtypes(dtypes, name="dtype"):
    """Runs a test once for each of some dtypes."""
    return _for(name, dtypes)


def for_all_dtypes(name="dtype", no_float16=False, no_bool=False, no_complex=False):
    """Runs a test once for each dtype."""
    return _for(name, _all(no_float16, no_bool, no_complex))


def _all(no_float16, no_bool, no_complex):
    dtypes = [] if no_bool else ["bool"]
    dtypes += _INTEGERS + (_FLOATS[1:] if no_float16 else _FLOATS)
    return dtypes + ([] if no_complex else _COMPLEX)


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
    """Runs a test once for each of the orders None, 'C', 'F', 'c' and 'f'."""
    return for_orders([None, "C", "F", "c", "f"], name)


def for_contiguous_axes(name="axis"):
    """Runs a test of a class once for each number of contiguous axes: the last ones of
    ``self.shape`` in C order, the first ones if ``self.order`` is F."""

    def decorate(test):
        @_functools.wraps(test)
        def each(self, *arguments, **keywords):
            ndim, order = len(self.shape), getattr(self, "order", "C")
            for count in range(1, ndim + 1):
                axes = range(count) if order in ("F", "f") else range(ndim - count, ndim)
                test(self, *arguments, **keywords, **{name: tuple(axes)})

        del each.__wrapped__
        return each

    return decorate


def for_dtypes_combination(types, names=("dtype",), full=None):
    """Runs a test with dtypes under several names: with all combinations if ``full``, else with a
    few, which include each pair of neighbours in the list."""
    types, names = list(types), list(names)

    def decorate(test):
        @_functools.wraps(test)
        def each(*arguments, **keywords):
            for dtypes in _combinations(types, len(names), full):
                given = dict(zip(names, (_numpy.dtype(one).type for one in dtypes)))
                try:
                    test(*arguments, **keywords, **given)
                except Exception as error:
                    error.add_note(f"dtypes were {given}")
                    raise

        del each.__wrapped__
        return each

    return decorate


def _combinations(types, count, full):
    if full:
        return _itertools.product(types, repeat=count)
    turned = [types[shift:] + types[:shift] for shift in range(count)]
    return [*zip(*turned), *zip(*turned[::-1]), *((one,) * count for one in types)]


def for_all_dtypes_combination(names=("dtypes",), no_float16=False, no_bool=False, full=None,
                               no_complex=False):
    """Runs a test with all dtypes under several names."""
    return for_dtypes_combination(_all(no_float16, no_bool, no_complex), names, full)


def for_signed_dtypes_combination(names=("dtype",), full=None):
    """Runs a test with the integer dtypes that have a sign under several names."""
    return for_dtypes_combination(_INTEGERS[:4], names, full)


def for_unsigned_dtypes_combination(names=("dtype",), full=None):
    """Runs a test with the integer dtypes that have no sign under several names."""
    return for_dtypes_combination(_INTEGERS[4:], names, full)


def for_int_dtypes_combination(names=("dtype",), no_bool=False, full=None):
    """Runs a test with the integer dtypes under several names."""
    return for_dtypes_combination(_INTEGERS + ([] if no_bool else ["bool"]), names, full)


@_contextlib.contextmanager
def assert_raises_like_numpy(function):
    """A context manager: its ``with`` block must raise the class that
    ``function(numpy)`` raises."""
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


from ._testing_both import *  # noqa: E402,F403
from ._testing_programs import *  # noqa: E402,F403

_describe(__name__)
