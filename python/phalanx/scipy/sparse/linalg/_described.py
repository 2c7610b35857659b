"""Docstrings of solvers, the mesh of a call, and operators as the core receives them."""

import functools

from ...._phalanx import _beside
from .. import _described as _tables

COLLECTIVE = _tables.COLLECTIVE
LOCAL = _tables.LOCAL
RECORDED = _tables.RECORDED

_OPERATOR = "sparse matrix, array_like or LinearOperator"
_PARAMETERS = {
    "A": (_OPERATOR, "The matrix, or an operator with its products."),
    "B": (_OPERATOR, "The matrix of the right side of the eigenvalue problem."),
    "M": (_OPERATOR, "An approximate inverse of `A`, the preconditioner."),
    "M1": (_OPERATOR, "The left preconditioner."),
    "M2": (_OPERATOR, "The right preconditioner."),
    "X": ("array_like", "The start, one vector in each column."),
    "Y": ("array_like", "Vectors, in columns, to which the results are orthogonal."),
    "atol": ("float", "The absolute tolerance."),
    "b": ("array_like", "The right-hand side, a vector or a column."),
    "btol": ("float", "The relative error of `b`."),
    "callback": ("callable", "Called with the solution after each iteration."),
    "check": ("bool", "Whether to check that the matrix and the preconditioner are symmetric."),
    "conlim": ("float", "The condition number above which the solver stops; 0 for no limit."),
    "damp": ("float", "The factor of the penalty for large solutions."),
    "k": ("int", "The number of wanted values."),
    "maxiter": ("int", "The most iterations."),
    "ncv": ("int", "The dimension of the search space; by default ``max(2 k + 1, 20)``."),
    "rng": ("object", "Ignored: the start is drawn with a fixed seed."),
    "rtol": ("float", "The tolerance relative to the norm of `b`."),
    "show": ("bool", "Whether to print a summary."),
    "sigma": ("scalar", "The number near which eigenvalues are wanted."),
    "tol": ("float", "The relative accuracy; 0 stands for the rounding unit."),
    "v0": ("array_like", "The start of the iteration, a vector."),
    "x": ("array_like", "The vector."),
    "x0": ("array_like or 'Mb'", "The start; zeros by default, ``M @ b`` for 'Mb'."),
}


def described(returns, raises=None, notes=RECORDED, **own):
    """As `described` of sparse matrices, with the parameters of solvers."""
    return _tables.described(returns, raises, notes, **{**_PARAMETERS, **own})


def on_mesh(function):
    """A function that computes on the mesh of its first argument that has one."""
    from ._interface import home

    @functools.wraps(function)
    def call(*given, **keywords):
        with _beside([home(argument) for argument in (*given, *keywords.values())]):
            return function(*given, **keywords)

    return call
