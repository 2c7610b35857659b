"""Eigenvalues of small matrices that are arrays."""

import phalanx as np

from ._operands import inexact


def eigh(A, M=None):
    """Eigenvalues and eigenvectors of a Hermitian matrix, ascending; of ``A x = w M x`` with a
    positive definite `M`, whose vectors are orthonormal with respect to it."""
    A = A.astype(inexact(A.dtype), copy=False)
    if M is None:
        return tuple(np.linalg.eigh(A))
    M = M.astype(np.result_type(inexact(M.dtype), A.dtype), copy=False)
    # As LAPACK's solvers, the factorisation reads the lower triangles.
    A = np.tril(A) + np.conj(np.tril(A, -1).T)
    factor = np.linalg.cholesky(M)
    half = np.linalg.solve(factor, A)
    reduced = np.linalg.solve(factor, np.conj(half.T))
    values, vectors = np.linalg.eigh((reduced + np.conj(reduced.T)) / 2)
    return values, np.linalg.solve(np.conj(factor.T), vectors)


def eig(A, M=None):
    """Eigenvalues and eigenvectors of a matrix, complex; of ``A x = w M x`` with an `M`."""
    A = A.astype(inexact(A.dtype), copy=False)
    if M is not None:
        A = np.linalg.solve(M.astype(inexact(M.dtype), copy=False), A)
    values, vectors = np.linalg.eig(A)
    dtype = np.result_type(A.dtype, np.complex64)
    return values.astype(dtype, copy=False), vectors.astype(dtype, copy=False)
