"""The names of SciPy that there are."""

from . import sparse

__all__ = ["sparse"]
