"""Equations of sparse matrices: names of ``scipy.sparse.linalg``."""

from ..._phalanx.sparse import cg

__all__ = ["cg"]
