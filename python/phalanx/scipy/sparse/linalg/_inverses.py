"""Inverses of operators, for the eigensolvers."""

import phalanx as np

from ...._phalanx import _refusal
from ...._phalanx import sparse as _core
from ._direct import FactoredInverse, factors_of
from ._interface import IdentityOperator, LinearOperator, MatrixLinearOperator
from ._operands import dense_of, for_core, inexact, is_matrix, is_sparse_operator

# A sparse matrix of up to as many rows is inverted as an array.
_DENSE_ROWS = 2048


class _IterativeInverse(LinearOperator):
    """The inverse of an operator: each product solves equations."""

    def __init__(self, operator, method, what):
        dtype = inexact(operator.dtype)
        super().__init__(dtype, operator.shape)
        self.args = (operator,)
        self._method, self._what = method, what
        # The rounding of long products leaves a larger residual than the rounding unit. The
        # residual of a residual is easier to reach.
        self._rtol = float(np.finfo(dtype).eps) ** 0.625

    def _matvec(self, x):
        return self._solved(self._method, self.args[0], x)

    def _rmatvec(self, x):
        return self._solved(self._method, self.args[0].H, x)

    def _solved(self, method, operator, x):
        shape, x = x.shape, x.reshape(-1)
        found = self._approximate(method, operator, x)
        # The solution of the equations of its residual has the digits that the first one lacks.
        residual = x - operator.matvec(found)
        return (found + self._approximate(method, operator, residual)).reshape(shape)

    def _approximate(self, method, operator, x):
        options = {"rtol": self._rtol}
        if method == "gmres":
            options["restart"] = min(max(operator.shape[0], 1), 100)
        found, info, _, _ = _core._solve(method, for_core(operator), x, options)
        if info != 0:
            text = (
                f"Error in inverting {self._what}: function {method} did not converge "
                f"(info = {info})."
            )
            raise _refusal(ValueError, "value", text, "give the inverse as an operator")
        return found


def inverse_of(operator, is_definite, what):
    """The inverse of an operator."""
    if is_matrix(operator):
        is_small = not is_sparse_operator(operator) or operator.shape[0] <= _DENSE_ROWS
        if is_small:
            return MatrixLinearOperator(_dense_inverse(dense_of(operator), what))
        try:
            return FactoredInverse(factors_of("columns", operator.A))
        except RuntimeError:
            raise _singular(what) from None
    return _IterativeInverse(operator, "cg" if is_definite else "gmres", what)


def _dense_inverse(elements, what):
    try:
        return np.linalg.inv(elements.astype(inexact(elements.dtype), copy=False))
    except np.linalg.LinAlgError:
        raise _singular(what) from None


def _singular(what):
    text = f"Factor is exactly singular: {what} has no inverse"
    return _refusal(RuntimeError, "value", text, "choose another sigma")


def shifted(A, M, sigma):
    """The operator ``A - sigma M``; without `M` it is the identity."""
    if sigma == 0:
        return A
    if is_matrix(A) and (M is None or is_matrix(M)):
        is_sparse = is_sparse_operator(A) and (M is None or is_sparse_operator(M))
        if is_sparse and A.shape[0] > _DENSE_ROWS:
            from .._construct import eye_array

            other = eye_array(A.shape[0], dtype=A.dtype, format="csr") if M is None else M.A
            return MatrixLinearOperator(A.A - other * sigma)
        other = np.eye(A.shape[0], dtype=A.dtype) if M is None else dense_of(M)
        return MatrixLinearOperator(dense_of(A) - other * sigma)
    other = IdentityOperator(A.shape, A.dtype) if M is None else M
    return A - other * sigma
