"""Decorators that run a test with NumPy and with Phalanx and compare the results: names of
``phalanx.testing``, each also with ``phalanx`` instead of ``cupy``."""

import functools as _functools
import types as _types

import numpy as _numpy

from . import testing as _testing
from ._phalanx import ndarray as _ndarray

__all__ = []


def _both(compare, options):
    """A decorator that runs a test with both modules and compares each pair of results."""

    def decorate(test):
        @_functools.wraps(test)
        def both(*arguments, **keywords):
            (expected, refused), (found, raised) = (
                _outcome(test, arguments, keywords, options, is_ours) for is_ours in (False, True)
            )
            if (refused is None) != (raised is None):
                error = AssertionError(f"NumPy: {refused!r}, Phalanx: {raised!r}")
                raise error from (raised or refused)
            if refused is not None:
                _check_errors(refused, raised, options)
                return
            expected, found = _parts(expected), _parts(found)
            if len(expected) != len(found):
                raise AssertionError(f"NumPy: {len(expected)} results, Phalanx: {len(found)}")
            for one, other in zip(found, expected):
                _check_kinds(one, other, options)
                compare(one, other)

        # Test runners look for arguments in the wrapped function.
        del both.__wrapped__
        return both

    return decorate


def _outcome(test, arguments, keywords, options, is_ours):
    """The result of the test with a module, or the exception that it raises."""
    import phalanx

    modules = {options["name"]: phalanx if is_ours else _numpy}
    for name, path in (("sp_name", "scipy.sparse"), ("scipy_name", "scipy")):
        if options.get(name):
            import importlib

            module = f"phalanx.{path}" if is_ours else path
            modules[options[name]] = importlib.import_module(module)
    try:
        return test(*arguments, **keywords, **modules), None
    except Exception as error:
        if error.__class__.__name__ == "Skipped":
            raise
        return None, error


def _check_errors(refused, raised, options):
    """Checks the exceptions of both: they are of accepted classes, and ours is of NumPy's class."""
    accepted = options.get("accept_error") or ()
    accepted = Exception if accepted is True else accepted
    if not isinstance(raised, accepted) or not isinstance(refused, accepted):
        raise raised
    own = [kind for kind in type(refused).__mro__ if kind.__module__ == "builtins"][0]
    if not isinstance(raised, own):
        raise AssertionError(f"NumPy: {refused!r}, Phalanx: {raised!r}") from raised


def _parts(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


def _check_kinds(found, expected, options):
    """Checks dtypes and memory layouts if both are arrays."""
    if not isinstance(found, _ndarray) or not isinstance(expected, (_numpy.ndarray, _numpy.generic)):
        return
    if options.get("type_check", True) and found.dtype != expected.dtype:
        raise AssertionError(f"dtypes: NumPy {expected.dtype}, Phalanx {found.dtype}")
    if options.get("contiguous_check") and isinstance(expected, _numpy.ndarray):
        for flag in ("c_contiguous", "f_contiguous"):
            if getattr(expected.flags, flag) and not getattr(found.flags, flag):
                raise AssertionError(f"the array is not {flag}, as NumPy's is")
    if options.get("strides_check") and found.strides != expected.strides:
        raise AssertionError(f"strides: NumPy {expected.strides}, Phalanx {found.strides}")


def _named(name, function):
    """Defines a function under both of its names, each as a function with a docstring of its
    own."""
    for own in (f"numpy_cupy_{name}", f"numpy_phalanx_{name}"):
        made = _types.FunctionType(function.__code__, globals(), own, function.__defaults__)
        made.__doc__, made.__module__ = function.__doc__, "phalanx.testing"
        globals()[own] = made
        __all__.append(own)


def _allclose(rtol=1e-7, atol=0, err_msg="", verbose=True, name="xp", type_check=True,
              accept_error=False, sp_name=None, scipy_name=None, contiguous_check=True):
    """The results of a test with NumPy and with Phalanx are close."""
    def compare(found, expected):
        dtype = getattr(expected, "dtype", None)
        # A tolerance may be a dictionary by dtypes.
        own = [
            one.get(getattr(dtype, "type", None), one.get("default", 0)) if isinstance(one, dict)
            else one
            for one in (rtol, atol)
        ]
        _testing.assert_allclose(found, expected, *own, err_msg=err_msg, verbose=verbose)

    options = dict(name=name, type_check=type_check, accept_error=accept_error, sp_name=sp_name,
                   scipy_name=scipy_name, contiguous_check=contiguous_check)
    return _both(compare, options)


def _almost_equal(decimal=6, err_msg="", verbose=True, name="xp", type_check=True,
                  accept_error=False, sp_name=None, scipy_name=None):
    """The arrays that a test returns are equal to a number of decimals."""
    compare = _functools.partial(_testing.assert_array_almost_equal, decimal=decimal,
                                 err_msg=err_msg, verbose=verbose)
    return _both(compare, dict(name=name, type_check=type_check, accept_error=accept_error,
                               sp_name=sp_name, scipy_name=scipy_name))


def _almost_equal_nulp(nulp=1, name="xp", type_check=True, accept_error=False, sp_name=None,
                       scipy_name=None):
    """The arrays that a test returns differ by at most a number of units in the last place."""
    compare = _functools.partial(_testing.assert_array_almost_equal_nulp, nulp=nulp)
    return _both(compare, dict(name=name, type_check=type_check, accept_error=accept_error,
                               sp_name=sp_name, scipy_name=scipy_name))


def _max_ulp(maxulp=1, dtype=None, name="xp", type_check=True, accept_error=False, sp_name=None,
             scipy_name=None):
    """The arrays that a test returns differ by at most a number of representable numbers."""
    compare = _functools.partial(_testing.assert_array_max_ulp, maxulp=maxulp, dtype=dtype)
    return _both(compare, dict(name=name, type_check=type_check, accept_error=accept_error,
                               sp_name=sp_name, scipy_name=scipy_name))


def _array_equal(err_msg="", verbose=True, name="xp", type_check=True, accept_error=False,
                 sp_name=None, scipy_name=None, strides_check=False):
    """The arrays that a test returns with NumPy and with Phalanx are equal."""
    compare = _functools.partial(_testing.assert_array_equal, err_msg=err_msg, verbose=verbose)
    return _both(compare, dict(name=name, type_check=type_check, accept_error=accept_error,
                               sp_name=sp_name, scipy_name=scipy_name, strides_check=strides_check))


def _array_list_equal(err_msg="", verbose=True, name="xp", sp_name=None, scipy_name=None):
    """The lists of arrays that a test returns with NumPy and with Phalanx are equal."""
    return _array_equal(err_msg, verbose, name, sp_name=sp_name, scipy_name=scipy_name)


def _array_less(err_msg="", verbose=True, name="xp", type_check=True, accept_error=False,
                sp_name=None, scipy_name=None):
    """The array that a test returns with Phalanx is less than NumPy's."""
    compare = _functools.partial(_testing.assert_array_less, err_msg=err_msg, verbose=verbose)
    return _both(compare, dict(name=name, type_check=type_check, accept_error=accept_error,
                               sp_name=sp_name, scipy_name=scipy_name))


def _equal(err_msg="", name="xp", sp_name=None, scipy_name=None, accept_error=False):
    """The results of a test with NumPy and with Phalanx are equal."""
    compare = _functools.partial(_testing.assert_equal, err_msg=err_msg)
    return _both(compare, dict(name=name, type_check=False, accept_error=accept_error,
                               sp_name=sp_name, scipy_name=scipy_name))


def _raises(name="xp", sp_name=None, scipy_name=None, accept_error=Exception):
    """A test raises an exception of one class with NumPy and with Phalanx."""
    options = dict(name=name, sp_name=sp_name, scipy_name=scipy_name, accept_error=accept_error)

    def decorate(test):
        @_functools.wraps(test)
        def both(*arguments, **keywords):
            errors = []
            for is_ours in (False, True):
                _, error = _outcome(test, arguments, keywords, options, is_ours)
                if error is None:
                    raise AssertionError(f"{'Phalanx' if is_ours else 'NumPy'} raises nothing")
                errors.append(error)
            _check_errors(*errors, options)

        del both.__wrapped__
        return both

    return decorate


_named("allclose", _allclose)
_named("array_almost_equal", _almost_equal)
_named("array_almost_equal_nulp", _almost_equal_nulp)
_named("array_max_ulp", _max_ulp)
_named("array_equal", _array_equal)
_named("array_list_equal", _array_list_equal)
_named("array_less", _array_less)
_named("equal", _equal)
_named("raises", _raises)
