"""The factorisation of positive definite matrices."""

import phalanx as np

from .._arguments import array, refuse
from ._arrays import (
    adjoint,
    checked,
    columns,
    lapack_dtype,
    not_of_none,
    result,
    square,
    together,
)
from ._described import DECOMPOSED, SOLVED, described
from ._triangular import substituted

_ERRORS = {"ValueError": "The matrix is not square, or has infinities or NaNs.",
           "LinAlgError": "The matrix is not positive definite."}


def _factor(a, lower, check_finite):
    a = checked(a, check_finite)
    if a.ndim == 0:
        a = np.atleast_2d(a)
    if a.ndim < 2:
        raise refuse(f"Input array needs to be 2D but received a {a.ndim}d-array.")
    a = square(a, False)
    # Only one triangle is used: the lower one, or the upper one as the lower one of the adjoint.
    factor = np.linalg.cholesky(a if lower else adjoint(a))
    return a, factor if lower else adjoint(factor)


@described("ndarray: The triangle.", _ERRORS, DECOMPOSED)
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """The triangle of Cholesky of a positive definite matrix; its other elements are zeros."""
    return _factor(a, lower, check_finite)[1]


@described("(ndarray, bool): A matrix with the triangle, whose other elements are those of `a`, "
           "and `lower`, for each matrix of a stack.", _ERRORS, DECOMPOSED)
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """The factorisation of a positive definite matrix, for `cho_solve`."""
    a, factor = _factor(a, lower, check_finite)
    rest = np.triu(a, 1) if lower else np.tril(a, -1)
    # As in SciPy, each matrix of a stack has a word of its own.
    return factor + rest, lower if a.ndim == 2 else np.full(a.shape[:-2], bool(lower))


@described(
    "ndarray: The solutions, in the shape of `b`.",
    {"ValueError": "The shapes do not fit, or there are infinities or NaNs.",
     "LinAlgError": "An element of the diagonal is 0."},
    SOLVED,
    c_and_lower=("(array_like, bool)", "The result of `cho_factor`."),
)
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """The solution of equations whose matrix is factorised by `cho_factor`."""
    factor, lower = c_and_lower
    factor, b = not_of_none(checked(factor, check_finite)), checked(b, check_finite)
    if factor.ndim < 2 or factor.shape[-1] != factor.shape[-2]:
        raise refuse("The factored matrix c is not square.")
    if b.ndim == 0 or factor.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        raise refuse(f"incompatible dimensions ({factor.shape} and {b.shape})")
    factor, b, is_vector = columns(*together(factor, b))
    if b.size == 0:
        return result(b, is_vector)
    if isinstance(lower, np.ndarray) and lower.ndim:
        # Triangles of both kinds as lower ones.
        factor = np.where(lower[..., None, None], factor, adjoint(factor))
        lower = True
    return result(solved(factor, b, lower), is_vector)


def solved(factor, b, lower=True):
    """The solutions of equations of a factorised matrix."""
    other = adjoint(factor)
    first, second = (factor, other) if lower else (other, factor)
    return substituted(second, substituted(first, b, lower=True))


def positive(a, b):
    """The solutions of equations with positive definite matrices, of which the lower triangle is
    used."""
    return solved(np.linalg.cholesky(a), b)


def mass(b):
    """The factor of the second matrix of an eigenproblem, of which the lower triangle is used."""
    b = array(b)
    return np.linalg.cholesky(b.astype(lapack_dtype(b), copy=False))
