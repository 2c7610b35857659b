"""Linear algebra: the functions of ``numpy.linalg``."""

from ._phalanx import _refusal
from ._phalanx.linalg import *  # noqa: F403
from ._phalanx.linalg import __all__ as _native

__all__ = [*_native, "LinAlgError"]


def __getattr__(name):
    # NumPy is imported when it is first needed.
    if name == "LinAlgError":
        from numpy.linalg import LinAlgError

        return LinAlgError
    raise _refusal(AttributeError, "absent", f"module 'phalanx.linalg' has no attribute {name!r}")
