"""The classes and modules of ``scipy.linalg`` that are SciPy's."""

import importlib

from . import _host

_MODULES = ("blas", "cython_blas", "cython_lapack", "interpolative", "lapack")
SCIPYS = ("LinAlgError", "LinAlgWarning", *_MODULES)


def found(name):
    """A class or a module of SciPy. The class of errors is NumPy's, and needs no SciPy."""
    if name == "LinAlgError":
        from numpy.linalg import LinAlgError

        return LinAlgError
    theirs = _host.calls.module(name)
    if name in _MODULES:
        return importlib.import_module(f"scipy.linalg.{name}")
    return getattr(theirs, name)


def warning():
    """SciPy's class of warnings; Python's if SciPy is not installed."""
    try:
        return found("LinAlgWarning")
    except ImportError:
        return RuntimeWarning
