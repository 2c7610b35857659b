"""``numpy.lib``: parts with functions of our own, and parts of NumPy's that need no arrays."""

import importlib as _importlib

from .._phalanx import _refusal

# Parts with functions of our own.
_OWN = frozenset("scimath stride_tricks".split())
# NumPy's names for files, versions and classes of its own.
_OF_NUMPY = frozenset("array_utils format mixins npyio NumpyVersion".split())


def __getattr__(name):
    if name in _OWN:
        return _importlib.import_module(f"{__name__}.{name}")
    if name in _OF_NUMPY:
        import numpy.lib

        return getattr(numpy.lib, name)
    raise _refusal(AttributeError, "absent", f"module 'phalanx.lib' has no attribute '{name}'")


def __dir__():
    return sorted(_OWN | _OF_NUMPY)
