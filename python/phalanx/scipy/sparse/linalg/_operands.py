"""Operands as the solvers of the core receive them."""

import phalanx as np

from ...._phalanx import _refusal
from .._classes import is_sparse
from ._interface import LinearOperator, MatrixLinearOperator, aslinearoperator


def with_dtype(operator, like=None):
    """The operator, with a dtype. One without a dtype has that of a product."""
    if operator.dtype is not None:
        return operator
    rmatvec, rmatmat = operator.rmatvec, operator.rmatmat
    start = np.zeros(operator.shape[1], dtype=np.int8) if like is None else like
    dtype = operator.matvec(start).dtype
    return LinearOperator(
        operator.shape, operator.matvec, rmatvec, operator.matmat, dtype, rmatmat
    )


def for_core(operator):
    """An operator as the solvers of the core compute best with it: a matrix as itself."""
    if operator is None:
        return None
    # An approximate inverse that the core has made.
    made = getattr(operator, "_made", None)
    if made is not None:
        return made
    return operator.A if isinstance(operator, MatrixLinearOperator) else with_dtype(operator)


def is_matrix(operator):
    """Whether the elements of an operator are known."""
    return isinstance(operator, MatrixLinearOperator)


def is_sparse_operator(operator):
    """Whether an operator is a sparse matrix."""
    return is_matrix(operator) and is_sparse(operator.A)


def dense_of(operator):
    """The elements of an operator as an array, by products with the columns of the identity."""
    if is_matrix(operator):
        return operator.A.toarray() if is_sparse(operator.A) else operator.A
    return operator.matmat(np.eye(operator.shape[1]))


def square(A):
    """An operand as a linear operator, which must be square."""
    operator = aslinearoperator(A)
    if operator.shape[0] != operator.shape[1]:
        text = f"expected square matrix (shape={operator.shape})"
        raise _refusal(ValueError, "value", text)
    return operator


def inexact(*dtypes):
    """The dtype in which a solver computes: integers and narrow numbers count as float64."""
    wide = [one if one.char in "fdFD" else np.dtype(np.float64) for one in map(np.dtype, dtypes)]
    return np.dtype(np.result_type(*wide))


def given_options(**options):
    """The options that have a value."""
    return {name: value for name, value in options.items() if value is not None}


def count_of(name, x):
    """An argument that counts something, as an integer. None stays None."""
    if x is None:
        return None
    if isinstance(x, float) and not x.is_integer():
        raise _refusal(ValueError, "value", f"{name} is an integer, not {x}")
    return max(int(x), 0)
