"""Sparse matrices: names of ``scipy.sparse``."""

from ..._phalanx.sparse import csr_matrix
from . import linalg

__all__ = ["csr_matrix", "issparse", "isspmatrix", "isspmatrix_csr", "linalg"]


def issparse(x):
    """Whether `x` is a sparse matrix."""
    return isinstance(x, csr_matrix)


isspmatrix = issparse
isspmatrix_csr = issparse
