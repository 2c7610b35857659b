"""Sparse matrices: names of ``scipy.sparse``."""

from ..._phalanx.sparse import csr_matrix
from . import linalg

__all__ = ["csr_matrix", "issparse", "isspmatrix", "isspmatrix_csr", "linalg"]


def issparse(x):
    """Whether `x` is a sparse matrix.

    Parameters
    ----------
    x : object
        The object.

    Returns
    -------
    bool

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local: a process may call it alone.
    """
    return isinstance(x, csr_matrix)


isspmatrix = issparse
isspmatrix_csr = issparse
