"""``numpy.lib``: parts with functions of our own, and parts of NumPy's that need no arrays."""

import importlib as _importlib

from .._modules import OF_NUMPY as _OF_NUMPY
from .._phalanx import _refusal

# The parts: those of our own, and NumPy's for files.
_PARTS = frozenset("mixins scimath stride_tricks".split()) | {
    name.removeprefix("lib.") for name in _OF_NUMPY if name.startswith("lib.")
}


def __getattr__(name):
    if name in _PARTS:
        return _importlib.import_module(f"{__name__}.{name}")
    if name == "NumpyVersion":
        import numpy.lib

        return numpy.lib.NumpyVersion
    raise _refusal(AttributeError, "absent", f"module 'phalanx.lib' has no attribute '{name}'")


def __dir__():
    return sorted(_PARTS | {"NumpyVersion"})
