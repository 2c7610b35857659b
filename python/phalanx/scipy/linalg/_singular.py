"""Singular values, and what is computed by them."""

import phalanx as np

from .._arguments import array, refuse
from ._arrays import (
    adjoint,
    checked,
    diagonals,
    epsilon,
    matrix,
    not_of_none,
    of_one_shape,
    together,
)
from ._described import DECOMPOSED, RECORDED, described

_DRIVER = ("{'gesdd', 'gesvd'}", "The routine of LAPACK, without effect on how it is computed.")
_ERRORS = {"ValueError": "A word is unknown, or there are infinities or NaNs.",
           "LinAlgError": "The singular values do not converge."}


def _check_driver(name):
    if not isinstance(name, str):
        raise refuse("lapack_driver must be a string", TypeError)
    if name not in ("gesdd", "gesvd"):
        raise refuse(f'lapack_driver must be "gesdd" or "gesvd", not "{name}"', mistake="choice")


@described("tuple of ndarray: The left vectors, the singular values and the right vectors, as "
           "rows; the values alone without `compute_uv`.", _ERRORS, DECOMPOSED,
           lapack_driver=_DRIVER,
           full_matrices=("bool", "Whether there are as many vectors as rows and columns."),
           compute_uv=("bool", "Whether there are vectors."))
def svd(
    a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True,
    lapack_driver="gesdd",
):
    """The singular values and vectors of a matrix."""
    a = matrix(a, check_finite)
    if a.size:
        _check_driver(lapack_driver)
    if not compute_uv:
        return np.linalg.svdvals(a)
    return tuple(np.linalg.svd(a, full_matrices=full_matrices))


@described("ndarray: The singular values, from the largest one.", _ERRORS, DECOMPOSED)
def svdvals(a, overwrite_a=False, check_finite=True):
    """The singular values of a matrix."""
    return np.linalg.svdvals(matrix(a, check_finite))


@described("ndarray: The matrix.", {"ValueError": "Neither extent is the number of values."},
           RECORDED, s=("array_like", "The singular values."), M=("int", "The number of rows."),
           N=("int", "The number of columns."))
def diagsvd(s, M, N):
    """The matrix of given extents with singular values on its diagonal."""
    s = not_of_none(array(s), 1)
    if s.ndim == 0:
        raise refuse("s has to be a vector, or several ones.")
    if s.shape[-1] not in (M, N):
        raise refuse("Length of s must be M or N.")
    if s.shape[-1] > min(M, N):
        raise refuse(f"{s.shape[-1]} values do not fit on the diagonal of {M} rows, {N} columns.")
    return diagonals(s, M, N)


_LIMIT = {"rcond": ("float", "Singular values up to this fraction of the largest count as zeros; "
                    "the larger extent times the rounding by default.")}


def _rank(s, shape, dtype, rcond):
    """The rank that all matrices of a stack have."""
    if s.size == 0:
        return 0
    rcond = epsilon(dtype) * max(shape) if rcond is None else rcond
    return of_one_shape((s > s.max(axis=-1, keepdims=True) * rcond).sum(axis=-1))


_ALIKE = DECOMPOSED + " The matrices of a stack must have the same rank."


@described("ndarray: The basis, as columns.", _ERRORS, _ALIKE, **_LIMIT)
def orth(A, rcond=None):
    """An orthonormal basis of what a matrix maps to."""
    A = matrix(A)
    u, s, _ = np.linalg.svd(A, full_matrices=False)
    return u[..., : _rank(s, A.shape[-2:], A.dtype, rcond)]


@described("ndarray: The basis, as columns.", _ERRORS, _ALIKE, lapack_driver=_DRIVER, **_LIMIT)
def null_space(A, rcond=None, *, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    """An orthonormal basis of what a matrix maps to zero."""
    A = matrix(A, check_finite)
    if A.size:
        _check_driver(lapack_driver)
    _, s, vh = np.linalg.svd(A, full_matrices=True)
    return adjoint(vh[..., _rank(s, A.shape[-2:], A.dtype, rcond) :, :])


@described("ndarray: The angles, in descending order.",
           {"ValueError": "A matrix has not two axes, or the numbers of rows differ."}, DECOMPOSED,
           A=("array_like", "The columns that span the first space."),
           B=("array_like", "The columns that span the second space."))
def subspace_angles(A, B):
    """The angles between two spaces, which are spanned by columns."""
    A, B = array(A), array(B)
    for one in (A, B):
        if one.ndim < 2:
            raise refuse(f"expected 2D array, got shape {one.shape}")
    if A.shape[-2] != B.shape[-2]:
        raise refuse(f"A and B must have the same number of rows, got {A.shape[-2]} and "
                     f"{B.shape[-2]}")
    A, B = together(orth(A), orth(B))
    product = adjoint(A) @ B
    cosines = np.linalg.svdvals(product)
    # Small angles have exact sines, and large ones exact cosines. Source: A. V. Knyazev,
    # M. E. Argentati, "Principal angles between subspaces in an A-based scalar product" (2002).
    rest = B - A @ product if A.shape[-1] >= B.shape[-1] else A - B @ adjoint(product)
    sines = np.flip(np.linalg.svdvals(rest), -1)
    sines = np.clip(sines[..., : cosines.shape[-1]], -1, 1)
    small = cosines**2 >= 0.5
    angles = np.where(small, np.arcsin(sines), np.arccos(np.clip(cosines, -1, 1)))
    return np.flip(angles, -1)


@described("(ndarray, ndarray): The factor with orthonormal columns or rows, and the Hermitian "
           "one.", {"ValueError": "`side` is unknown, or the matrix has not two axes."}, DECOMPOSED,
           side=("{'right', 'left'}", "The side of the Hermitian factor."))
def polar(a, side="right"):
    """The polar decomposition of a matrix."""
    if side not in ("right", "left"):
        raise refuse("`side` must be either 'right' or 'left'", mistake="choice")
    a = array(a)
    if a.ndim < 2:
        raise refuse("`a` must be a 2-D array.")
    a = matrix(a)
    w, s, vh = np.linalg.svd(a, full_matrices=False)
    unitary = w @ vh
    if side == "right":
        return unitary, (adjoint(vh) * s[..., None, :].astype(s.dtype)) @ vh
    return unitary, (w * s[..., None, :]) @ adjoint(w)


@described("(ndarray, float): The orthogonal matrix, and the sum of the singular values.",
           {"ValueError": "The shapes differ, or there are infinities or NaNs."}, DECOMPOSED,
           A=("array_like", "The matrix to be mapped."), B=("array_like", "The matrix to map to."))
def orthogonal_procrustes(A, B, check_finite=True):
    """The orthogonal matrix that maps a matrix most closely to another one."""
    A, B = checked(A, check_finite), checked(B, check_finite)
    for one in (A, B):
        if one.ndim < 2:
            raise refuse(f"expected ndim to be 2, but observed {one.ndim}")
    if A.shape[-2:] != B.shape[-2:]:
        raise refuse(f"the shapes of A and B differ ({A.shape} vs {B.shape})")
    A, B = together(not_of_none(A), not_of_none(B))
    u, s, vh = np.linalg.svd(adjoint(adjoint(B) @ A), full_matrices=False)
    return u @ vh, s.sum(axis=-1)
