"""Eigenvalues by the locally optimal block method."""

import warnings

import phalanx as np

from ...._phalanx import _refusal
from ...._phalanx import sparse as _core
from .._classes import is_sparse
from . import _dense
from ._described import COLLECTIVE, described, on_mesh
from ._interface import LinearOperator, aslinearoperator
from ._operands import count_of, dense_of, for_core, given_options

_OPERATOR = "sparse matrix, array_like, LinearOperator or callable"


def _operator(A, rows, dtype):
    """An operand as an operator. A function gives products with matrices."""
    if A is None:
        return None
    is_function = callable(A) and not isinstance(A, (LinearOperator, np.ndarray))
    if not is_function or is_sparse(A):
        return aslinearoperator(A)

    def vector(x):
        return A(x.reshape(-1, 1))

    return LinearOperator((rows, rows), vector, rmatvec=vector, matmat=A, dtype=dtype)


@on_mesh
@described(
    "tuple of ndarray and list: The eigenvalues, the eigenvectors in columns, and the histories "
    "that are wanted, each a list of vectors.",
    {"ValueError": "The shapes do not fit, or the vectors of `X` or `Y` are linearly dependent.",
     "NotImplementedError": "There are few rows for each vector, and constraints.",
     "LinAlgError": "There are few rows for each vector, and `B` is not positive definite."},
    COLLECTIVE + " Each iteration reads numbers. If there are fewer than five rows for each "
    "vector, the matrices become arrays, all of whose eigenvalues are computed.",
    A=(_OPERATOR, "The Hermitian matrix; a function computes its products with matrices."),
    B=(_OPERATOR, "Makes the problem ``A x = w B x``; positive definite."),
    M=(_OPERATOR, "An approximate inverse of `A`, the preconditioner."),
    tol=("float", "The norm of a residual at which a vector has converged."),
    maxiter=("int", "The most iterations; 20 by default."),
    largest=("bool", "Whether the largest eigenvalues are wanted, or the smallest."),
    verbosityLevel=("int", "Whether to print a summary."),
    retLambdaHistory=("bool", "Whether the eigenvalues of each iteration are wanted."),
    retResidualNormsHistory=("bool", "Whether the norms of the residuals are wanted."),
    restartControl=("int", "Ignored: each iteration makes its search space independent."),
)
def lobpcg(
    A, X, B=None, M=None, Y=None, tol=None, maxiter=None, largest=True, verbosityLevel=0,
    retLambdaHistory=False, retResidualNormsHistory=False, restartControl=20,
):
    """Eigenvalues and eigenvectors of a Hermitian matrix, from a start of one vector for each."""
    if X is None:
        raise _refusal(ValueError, "value", "The mandatory initial matrix X cannot be None")
    X = np.asarray(X)
    if X.ndim != 2:
        raise _refusal(ValueError, "value", "expected rank-2 array for argument X")
    rows, count = X.shape
    if X.dtype.kind not in "fc":
        text = f"Data type for argument X is {X.dtype}, which is not inexact: cast to float32"
        warnings.warn(text, UserWarning, stacklevel=3)
        X = X.astype(np.float32)
    if Y is not None:
        Y = np.asarray(Y)
        if Y.ndim != 2:
            text = f"Expected rank-2 array for argument Y, instead got {Y.ndim}: it is ignored"
            warnings.warn(text, UserWarning, stacklevel=3)
            Y = None
    A, B, M = (_operator(one, rows, X.dtype) for one in (A, B, M))
    constraints = 0 if Y is None else Y.shape[1]
    if rows - constraints < 5 * count:
        return _few_rows(A, B, Y, min(count, rows), largest)
    if tol is None or tol <= 0:
        tol = float(np.finfo(X.dtype).eps) ** 0.5 * rows
    options = given_options(
        B=for_core(B), M=for_core(M), Y=Y, tol=float(tol), largest=bool(largest),
        maxiter=count_of("maxiter", 20 if maxiter is None else maxiter),
    )
    values, vectors, eigenvalues, residuals = _core._lobpcg(for_core(A), X, options)
    last = max(residuals[-1], default=0.0)
    if not last <= tol:
        text = (
            f"Exited at iteration {len(residuals) - 1} with accuracies {residuals[-1]} not "
            f"reaching the requested tolerance {tol}."
        )
        warnings.warn(text, UserWarning, stacklevel=3)
    if verbosityLevel:
        np.print(f"lobpcg ended after {len(residuals) - 1} iterations; residuals {residuals[-1]}")
    found = (values, vectors)
    for is_wanted, history in (
        (retLambdaHistory, eigenvalues), (retResidualNormsHistory, residuals)
    ):
        if is_wanted:
            found += ([np.asarray(line, dtype=values.dtype) for line in history],)
    return found


def _few_rows(A, B, Y, count, largest):
    """The eigenvalues of a small matrix."""
    text = (
        f"The problem size {A.shape[0]} is too small relative to the block size {count}: all "
        "eigenvalues are computed as for an array, without a history"
    )
    warnings.warn(text, UserWarning, stacklevel=4)
    if Y is not None:
        text = "The dense eigensolver does not support constraints."
        raise _refusal(NotImplementedError, "absent", text)
    values, vectors = _dense.eigh(dense_of(A), None if B is None else dense_of(B))
    if largest:
        return values[::-1][:count], vectors[:, ::-1][:, :count]
    return values[:count], vectors[:, :count]
