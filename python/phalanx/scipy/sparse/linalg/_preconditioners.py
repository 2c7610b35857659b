"""Approximate inverses of matrices, as operators for the argument `M` of the solvers."""

import phalanx as np

from ...._phalanx import _beside, _refusal
from ...._phalanx import sparse as _core
from .._classes import is_sparse
from .._compressed import csr_array
from ._direct import FactoredInverse, factors_of
from ._interface import LinearOperator, home
from ._operands import for_core, given_options, inexact, is_matrix, square, with_dtype


def _elements_of(name, A, hint):
    """The operand of an approximate inverse as a sparse matrix, whose elements it needs."""
    operator = square(A)
    if not is_matrix(operator):
        text = f"{name} needs the elements of the matrix"
        raise _refusal(TypeError, "type", text, hint)
    return operator.A if is_sparse(operator.A) else csr_array(operator.A)


class _OfCore(LinearOperator):
    """An approximate inverse that the core has made of the elements of a matrix."""

    def __init__(self, name, A, **options):
        A = _elements_of(name, A, "give an array or a sparse matrix, or use chebyshev")
        self._source = A
        with _beside([home(A)]):
            made = _core._preconditioner(name, A, given_options(**options))
        # The operator itself, the rows of its levels, and the entries of all for one of the first.
        self._made, self._levels, self._complexity = made
        super().__init__(self._made.dtype, A.shape)

    def _home(self):
        return home(self._source)

    def _matvec(self, x):
        return self._made.matvec(x.reshape(-1)).reshape(x.shape)

    def _rmatvec(self, x):
        return self._made.rmatvec(x.reshape(-1)).reshape(x.shape)


class jacobi(_OfCore):
    """The inverse of the diagonal of a matrix.

    Parameters
    ----------
    A : sparse matrix or array_like
        The matrix. Where its diagonal is 0, vectors stay as they are.

    Raises
    ------
    ValueError
        The matrix is not square.
    TypeError
        The elements of the matrix are not known.

    Notes
    -----
    Collective: every process makes it. Its products are Local.
    """

    def __init__(self, A):
        super().__init__("jacobi", A)


class block_jacobi(_OfCore):
    """The inverses of the square blocks on the diagonal of a matrix.

    Parameters
    ----------
    A : sparse matrix or array_like
        The matrix.
    size : int
        The number of rows of a block. The last block may be smaller.

    Raises
    ------
    ValueError
        The matrix is not square, or the blocks have no rows.
    TypeError
        The elements of the matrix are not known.
    LinAlgError
        A block is singular.

    Notes
    -----
    Collective: every process makes it. Its products are Local. The blocks become arrays, of `size`
    numbers for each row.
    """

    def __init__(self, A, size):
        size = int(size)
        if size < 1:
            raise _refusal(ValueError, "value", f"a block has one row or more, not {size}")
        super().__init__("block_jacobi", A, extent=size)


class _Factorised(FactoredInverse):
    """The inverse of a product of two triangular matrices with the entries of a matrix."""

    def __init__(self, A, **options):
        name = type(self).__name__
        A = _elements_of(name, A, "give an array or a sparse matrix")
        super().__init__(factors_of(name, A, **options))


class ilu0(_Factorised):
    """The inverse of the incomplete factors of a matrix that have its entries and no others.

    Parameters
    ----------
    A : sparse matrix or array_like
        The matrix. Elements of its diagonal are entries.

    Raises
    ------
    ValueError
        The matrix is not square.
    TypeError
        The elements of the matrix are not known.
    RuntimeError
        A pivot is zero.

    Notes
    -----
    Collective: every process reads the matrix to its host. Its products are Collective too: vectors
    are read to the host of every process, which computes the same. Source: Y. Saad, "Iterative
    Methods for Sparse Linear Systems" (2003), section 10.3.
    """


class ic0(_Factorised):
    """The inverse of ``L @ L.H``, nearly a Hermitian positive definite matrix, where `L` has the
    entries of its lower triangle and no others.

    Parameters
    ----------
    A : sparse matrix or array_like
        The matrix, of which the lower triangle is read.

    Raises
    ------
    ValueError
        The matrix is not square.
    TypeError
        The elements of the matrix are not known.
    RuntimeError
        A pivot is not positive: the matrix is not positive definite, or too far from being
        diagonally dominant.

    Notes
    -----
    Collective, as for `ilu0`. Source: J. A. Meijerink, H. A. van der Vorst, Math. Comp. 31 (1977).
    """


class ssor(_Factorised):
    """A step of symmetric successive over-relaxation, forwards and backwards.

    Parameters
    ----------
    A : sparse matrix or array_like
        The matrix. The elements of its diagonal are not zero.
    factor : float, optional
        The factor of relaxation, between 0 and 2. Default: 1, symmetric Gauss-Seidel.

    Raises
    ------
    ValueError
        The matrix is not square, or the factor is out of range.
    TypeError
        The elements of the matrix are not known.
    RuntimeError
        An element of the diagonal is zero.

    Notes
    -----
    Collective, as for `ilu0`. Source: Y. Saad, "Iterative Methods for Sparse Linear Systems"
    (2003), section 10.2.
    """

    def __init__(self, A, factor=1.0):
        factor = float(factor)
        if not 0 < factor < 2:
            text = f"the factor of relaxation is between 0 and 2, but is {factor}"
            raise _refusal(ValueError, "value", text)
        super().__init__(A, factor=factor)


class multigrid(_OfCore):
    """A cycle of algebraic multigrid for a symmetric positive definite matrix.

    Parameters
    ----------
    A : sparse matrix or array_like
        The matrix, real, such as one of a discretised elliptic equation.
    strength : float, optional
        An element connects two rows if its square is more than ``strength**2`` times the product of
        their diagonal elements. Default: 0.08, halved on each coarser level.
    smallest : int, optional
        A level of at most this number of rows is solved directly. Default: 500.
    most_levels : int, optional
        The most levels. Default: 20.
    sweeps : int, optional
        The steps of smoothing before and after each coarse correction. Default: 2.

    Raises
    ------
    ValueError
        The matrix is not square or not real.
    TypeError
        The elements of the matrix are not known.
    LinAlgError
        The matrix of the coarsest level is singular.

    Notes
    -----
    Collective: every process makes it. Its products are Local. ``levels`` has the number of rows of
    each level, and ``complexity`` the entries of all levels divided by those of the matrix.
    """

    def __init__(self, A, *, strength=None, smallest=None, most_levels=None, sweeps=None):
        super().__init__(
            "multigrid", A,
            strength=strength, smallest=smallest, most_levels=most_levels, sweeps=sweeps,
        )
        self.levels, self.complexity = tuple(self._levels), self._complexity


class chebyshev(LinearOperator):
    """A polynomial of a Hermitian positive definite operator that is nearly its inverse.

    Parameters
    ----------
    A : sparse matrix, array_like or LinearOperator
        The operator.
    degree : int
        The degree of the polynomial: a product with it needs as many products with `A`.
    interval : (float, float), optional
        Where the polynomial approximates the inverse: the smallest and the largest eigenvalue. By
        default the largest eigenvalue is estimated, and the smallest is a thirtieth of it.

    Raises
    ------
    ValueError
        The operator is not square, the degree is negative, or the interval is not positive.

    Notes
    -----
    Collective: every process makes it, and the estimate reads numbers. Its products are Local: they
    need no inner products.
    """

    def __init__(self, A, degree, interval=None):
        operator = with_dtype(square(A))
        degree = int(degree)
        if degree < 0:
            raise _refusal(ValueError, "value", f"the degree is not negative, but is {degree}")
        with _beside([home(operator)]):
            low, high = _estimated(operator) if interval is None else map(float, interval)
        if not 0 < low <= high < float("inf"):
            text = f"the interval ({low}, {high}) is not one of positive numbers"
            raise _refusal(ValueError, "value", text, "give the bounds of the eigenvalues")
        super().__init__(inexact(operator.dtype), operator.shape)
        self.args = (operator,)
        self.degree, self.interval = degree, (low, high)

    def _matmat(self, X):
        return self._applied(self.args[0].matmat, X)

    def _matvec(self, x):
        return self._applied(self.args[0].matvec, x)

    def _applied(self, product, x):
        # Source: Y. Saad, "Iterative Methods for Sparse Linear Systems" (2003), algorithm 12.1.
        low, high = self.interval
        centre, radius = (high + low) / 2, (high - low) / 2
        change = x * (1 / centre)
        found, residual, ratio = change, x, radius / centre
        for _ in range(self.degree):
            residual = residual - product(change)
            if radius == 0:
                change = residual * (1 / centre)
            else:
                following = 1 / (2 * centre / radius - ratio)
                change = change * (following * ratio) + residual * (2 * following / radius)
                ratio = following
            found = found + change
        return found

    def _adjoint(self):
        # The operator is Hermitian and the factors are real.
        return self


def _estimated(operator):
    """The interval of a smoother: from a part of the largest eigenvalue to a little above it."""
    rows = operator.shape[0]
    steps = min(rows, 10)
    options = {"which": "LA", "tol": 1e-2, "maxiter": 2}
    if steps > 1:
        options["ncv"] = steps
    values = _core._eigen("eigsh", for_core(operator), 1, options)[0]
    largest = float(values[0])
    return largest / 30, largest * 1.1
