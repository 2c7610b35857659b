"""Norms, powers and inverses of sparse matrices, and products with functions of them."""

import math
import operator as _operator
import warnings

import phalanx as np

from ...._phalanx import _refusal
from ...._phalanx import sparse as _core
from .._arguments import is_integer, number
from .._classes import adopted, class_of, is_sparse
from .._construct import eye_array
from ._described import COLLECTIVE, described, on_mesh
from ._interface import IdentityOperator, aslinearoperator
from ._operands import count_of, dense_of, for_core, inexact, is_matrix, square, with_dtype

_SPARSE = ("sparse matrix", "The matrix.")
_ARRAY = " The elements become an array, of as many bytes as a matrix without zeros."


@on_mesh
@described(
    "ndarray: Of the shape of `B`, with an axis for the times before it if there are times.",
    {"ValueError": "The shapes do not fit, or there are fewer than two times.",
     "TypeError": "The start or the end of the times is missing.",
     "NotImplementedError": "An operator that is no matrix has no adjoint."},
    COLLECTIVE + " Norms are read, and a number for every four terms of the series. The mean of "
    "the diagonal makes the series shorter.",
    B=("array_like", "The vector, or the matrix."),
    start=("float", "The first time."),
    stop=("float", "The last time."),
    num=("int", "The number of times; 50 by default."),
    endpoint=("bool", "Whether `stop` is the last time, which is the default."),
    traceA=(
        "scalar",
        "The trace of an operator. That of a matrix is computed; without it, the product with an "
        "operator takes longer.",
    ),
)
def expm_multiply(A, B, start=None, stop=None, num=None, endpoint=None, traceA=None):
    """The product of the exponential of a matrix, or of its multiples by times, with vectors."""
    A = with_dtype(_square_like(A))
    B = adopted(B)
    B = B.toarray() if is_sparse(B) else np.asarray(B)
    if B.ndim not in (1, 2):
        raise _refusal(ValueError, "value", "expected B to be like a matrix or a vector")
    if A.shape[1] != B.shape[0]:
        text = f"shapes of matrices A {A.shape} and B {B.shape} are incompatible"
        raise _refusal(ValueError, "together", text)
    A, mean = _without_mean(A, traceA)
    if all(one is None for one in (start, stop, num, endpoint)):
        found = _core._expm_multiply(for_core(A), B, {})
        return found if mean is None else found * np.exp(mean)
    if start is None or stop is None:
        text = "expm_multiply() of several times has a start and a stop"
        raise _refusal(TypeError, "count", text)
    num = 50 if num is None else _operator.index(num)
    if num < 2:
        raise _refusal(ValueError, "value", "at least two time points are required")
    start, stop = float(start), float(stop)
    if endpoint is not None and not endpoint:
        stop = start + (stop - start) / num * (num - 1)
    options = {"start": start, "stop": stop, "num": num}
    found = _core._expm_multiply(for_core(A), B, options)
    if mean is None:
        return found
    times = np.linspace(start, stop, num).reshape((num,) + (1,) * B.ndim)
    return (found * np.exp(mean * times)).astype(found.dtype, copy=False)


def _without_mean(A, trace):
    """An operator without the mean of its diagonal, and the mean; None for a matrix, of which the
    core knows it."""
    if is_matrix(A):
        return A, None
    if trace is None:
        text = "Trace of LinearOperator not available: give `traceA` for fewer products"
        warnings.warn(text, UserWarning, stacklevel=4)
        return A, None
    mean = number(trace) / A.shape[0]
    return A - IdentityOperator(A.shape, A.dtype) * mean, mean


def _square_like(A):
    operator = aslinearoperator(A)
    if operator.shape[0] != operator.shape[1]:
        raise _refusal(ValueError, "value", "expected A to be like a square matrix")
    return operator


@on_mesh
@described(
    "float or tuple of float and ndarray: The bound, and the vectors that are wanted.",
    {"ValueError": "The operator is not square.",
     "NotImplementedError": "The operator has no adjoint."},
    COLLECTIVE + " Each iteration reads numbers twice.",
    t=("int", "The number of vectors; more make the estimate better."),
    itmax=("int", "The most iterations."),
    compute_v=("bool", "Whether a vector is wanted whose product attains the bound."),
    compute_w=("bool", "Whether this product is wanted."),
)
def onenormest(A, t=2, itmax=5, compute_v=False, compute_w=False):
    """A lower bound of the 1-norm of a matrix or operator, which mostly is the norm."""
    operator = aslinearoperator(A)
    rows = operator.shape[0]
    if rows != operator.shape[1]:
        text = "expected the operator to act like a square matrix"
        raise _refusal(ValueError, "value", text)
    operator = with_dtype(operator)
    if t >= rows:
        elements = dense_of(operator)
        sums = np.abs(elements).sum(axis=0)
        at = np.argmax(sums)
        v = np.zeros(rows)
        v[at] = 1
        estimate, w = sums[at].item(), elements[:, at]
    else:
        estimate, v, w = _core._onenormest(for_core(operator), count_of("t", t), int(itmax))
    found = (estimate,) + ((v,) if compute_v else ()) + ((w,) if compute_w else ())
    return found if len(found) > 1 else estimate


@on_mesh
@described(
    "ndarray: Without axes for a norm of the matrix, else the norms along an axis.",
    {"TypeError": "`x` is not sparse, or `axis` is no integer and no tuple.",
     "ValueError": "The axis is out of range, or there is no such norm.",
     "NotImplementedError": "The norm is the smallest singular value."},
    COLLECTIVE,
    x=_SPARSE,
    ord=("{'fro', 'f', inf, -inf} or number", "The norm; by default Frobenius'."),
    axis=("int or (int, int)", "The axes; by default those of the matrix."),
)
def norm(x, ord=None, axis=None):
    """A norm of a sparse matrix, or the norms of its rows or columns."""
    x = adopted(x)
    if not is_sparse(x):
        text = "input is not sparse"
        raise _refusal(TypeError, "type", text, "use phalanx.linalg.norm")
    is_frobenius = ord is None or (isinstance(ord, str) and ord in ("fro", "f"))
    if axis is None and is_frobenius:
        return _core._sparse_norm(x, "fro")
    axes = _checked_axes(axis, x)
    if len(axes) == 1:
        return _norms_of_vectors(x, ord, axes[0])
    if is_frobenius:
        return _core._sparse_norm(x, "fro")
    if isinstance(ord, str) or ord not in (1, -1, 2, -2, math.inf, -math.inf):
        raise _refusal(ValueError, "choice", "Invalid norm order for matrices.")
    if ord == -2:
        raise _refusal(NotImplementedError, "absent", "the smallest singular value is no norm")
    if ord == 2:
        from ._singular import svds

        return svds(x, k=1, return_singular_vectors=False)[0]
    if axes == (1, 0):
        # The sums are those of the transpose.
        ord = {1: math.inf, -1: -math.inf, math.inf: 1, -math.inf: -1}[ord]
    return _core._sparse_norm(x, float(ord))


def _checked_axes(axis, x):
    """The axes of a norm, none of them negative."""
    if axis is None:
        return tuple(range(x.ndim))
    if not isinstance(axis, tuple):
        try:
            is_whole = int(axis) == axis
        except TypeError:
            is_whole = False
        if not is_whole:
            text = "'axis' must be None, an integer or a tuple of integers"
            raise _refusal(TypeError, "type", text)
        axis = (int(axis),)
    if len(axis) not in (1, 2):
        raise _refusal(ValueError, "count", "Improper number of dimensions to norm.")
    if not all(-x.ndim <= one < x.ndim for one in axis):
        text = f"Invalid axis {axis!r} for an array with shape {x.shape!r}"
        raise _refusal(ValueError, "value", text)
    axes = tuple(one % x.ndim for one in axis)
    if len(set(axes)) != len(axes):
        raise _refusal(ValueError, "value", "Duplicate axes given.")
    return axes


def _norms_of_vectors(x, ord, axis):
    """The norms of the rows or of the columns."""
    sizes = abs(x.tocsr())
    if isinstance(ord, str):
        raise _refusal(ValueError, "choice", "Invalid norm order for vectors.")
    if ord in (math.inf, -math.inf):
        found = sizes.max(axis=axis) if ord > 0 else sizes.min(axis=axis)
    elif ord == 0:
        found = (sizes != 0).sum(axis=axis)
    elif ord == 1:
        found = sizes.sum(axis=axis)
    elif ord in (2, None):
        found = np.sqrt(sizes.power(2).sum(axis=axis))
    else:
        found = sizes.power(ord).sum(axis=axis) ** (1 / ord)
    found = found.toarray() if is_sparse(found) else np.asarray(found)
    return found.ravel()


@on_mesh
@described(
    "sparse matrix or array",
    {"TypeError": "The matrix is not square.",
     "ValueError": "The exponent is negative or no integer."},
    COLLECTIVE,
    A=_SPARSE, power=("int", "The exponent."),
)
def matrix_power(A, power):
    """A power of a square sparse matrix, by products."""
    A = adopted(A)
    if A.shape[0] != A.shape[1]:
        raise _refusal(TypeError, "value", "sparse matrix is not square")
    if not is_integer(power):
        raise _refusal(ValueError, "value", "exponent must be an integer")
    power = int(power)
    if power < 0:
        raise _refusal(ValueError, "value", "exponent must be >= 0")
    if power == 0:
        return eye_array(A.shape[0], dtype=A.dtype)
    found = None
    square_power = A
    while True:
        if power % 2:
            found = square_power if found is None else found @ square_power
        power //= 2
        if power == 0:
            return found.copy() if found is A else found
        square_power = square_power @ square_power


@on_mesh
@described(
    "sparse matrix or array: In compressed rows or columns, as `A`; else in columns.",
    {"TypeError": "The matrix is not sparse.", "ValueError": "The matrix is not square.",
     "RuntimeError": "The matrix is singular."},
    COLLECTIVE + _ARRAY,
    A=_SPARSE,
)
def inv(A):
    """The inverse of a sparse matrix."""
    A = adopted(A)
    if not is_sparse(A):
        raise _refusal(TypeError, "type", "Input must be a sparse arrays", "use phalanx.linalg.inv")
    if A.shape[0] != A.shape[1]:
        text = f"matrix must be square (has shape {A.shape})"
        raise _refusal(ValueError, "value", text)
    try:
        inverse = np.linalg.inv(A.toarray().astype(inexact(A.dtype), copy=False))
    except np.linalg.LinAlgError:
        text = "Factor is exactly singular: the matrix has no inverse"
        raise _refusal(RuntimeError, "value", text) from None
    return compressed_like(A, inverse)


def compressed_like(A, elements):
    """The elements as a sparse matrix in the format of another one, if it is compressed."""
    format = A.format if A.format in ("csr", "csc") else "csc"
    return class_of(format, A._is_array)(elements)


@on_mesh
@described(
    "ndarray: The product.",
    {"ValueError": "The shapes do not fit, or an option does not exist or is not positive."},
    COLLECTIVE + " Each restart reads numbers. The function is called with a small array, on "
    "every process.",
    f=("callable", "The function of a small square matrix, such as an exponential."),
    b=("array_like", "The vector."),
    assume_a=("{'general', 'hermitian', 'gen', 'her'}", "What is known of the matrix."),
    t=("scalar", "The factor of the matrix."),
    restart_every_m=("int", "The vectors between two restarts; 20 by default."),
    max_restarts=("int", "The most restarts."),
)
def funm_multiply_krylov(
    f, A, b, *, assume_a="general", t=1.0, atol=0.0, rtol=1e-6, restart_every_m=None,
    max_restarts=20,
):
    """The product of a function of a matrix, ``f(t A)``, with a vector, by Krylov spaces."""
    # Source: M. Eiermann, O. G. Ernst, "A restarted Krylov subspace method for the evaluation of
    # matrix functions" (2006), section 3.
    if assume_a not in ("hermitian", "general", "her", "gen"):
        text = f"{assume_a} is not a recognized matrix structure"
        raise _refusal(ValueError, "choice", text)
    A = with_dtype(square(A))
    b = np.asarray(b)
    if b.shape != A.shape[:1]:
        text = f"argument 'b' must be a 1D array of {A.shape[0]} elements, not of shape {b.shape}"
        raise _refusal(ValueError, "together", text)
    rows = b.shape[0]
    every = min(20, rows) if restart_every_m is None else int(restart_every_m)
    most = int(max_restarts)
    for name, value in (("restart_every_m", every), ("max_restarts", most)):
        if value <= 0:
            raise _refusal(ValueError, "value", f"argument '{name}' must be positive.")
    if atol is None or atol < 0:
        raise _refusal(ValueError, "value", "`atol` is a real, non-negative number")
    dtype = inexact(A.dtype, b.dtype)
    b = b.astype(dtype, copy=False)
    size = float(np.linalg.norm(b))
    if size == 0:
        return b.copy()
    limit = max(float(atol), float(rtol) * size)
    most = min(most, rows // every + 1)
    space = _KrylovOfFunction(A, dtype, every, is_hermitian=assume_a in ("her", "hermitian"))
    start, found = b / size, None
    for _ in range(most):
        basis, count, is_whole = space.grown(start)
        values = np.asarray(f(t * space.projected()))
        factors = size * values[values.shape[0] - count :, 0]
        change = basis[:, :count] @ factors
        found = change if found is None else found + change
        if is_whole or float(np.linalg.norm(factors)) <= limit:
            break
        start = basis[:, every]
    return found


class _KrylovOfFunction:
    """The orthonormal bases of restarts, and the matrix of all products along them."""

    def __init__(self, A, dtype, every, is_hermitian):
        self._A, self._dtype, self._every, self._is_hermitian = A, dtype, every, is_hermitian
        self._blocks = []

    def grown(self, start):
        """A basis of up to `every` vectors and the next start, their number, and whether the
        space contains all products. Reads the norms of the vectors."""
        basis = np.zeros((start.shape[0], self._every + 1), dtype=self._dtype)
        basis[:, 0] = start
        block = np.zeros((self._every + 1, self._every), dtype=self._dtype)
        sizes = []
        for at in range(self._every):
            product = self._A.matvec(basis[:, at])
            sizes.append(np.linalg.norm(product))
            known = basis[:, : at + 1]
            # Twice, so that the vectors are orthogonal to rounding.
            factors = np.conj(known.T) @ product
            product = product - known @ factors
            more = np.conj(known.T) @ product
            product = product - known @ more
            block[: at + 1, at] = factors + more
            left = np.linalg.norm(product)
            block[at + 1, at] = left
            basis[:, at + 1] = product / np.where(left == 0, 1.0, left)
        below = np.abs(np.diagonal(block, -1))
        unit = float(np.finfo(self._dtype).eps)
        ended = (below <= 10 * unit * np.stack(sizes)).tolist()
        count = ended.index(True) + 1 if True in ended else self._every
        if self._is_hermitian:
            square_part = block[: self._every]
            block[: self._every] = (square_part + np.conj(square_part.T)) / 2
        self._blocks.append((block[: count + 1, :count], count))
        return basis, count, True in ended

    def projected(self):
        """The matrix of the products along all vectors."""
        total = sum(count for _, count in self._blocks)
        whole, at = np.zeros((total + 1, total), dtype=self._dtype), 0
        for block, count in self._blocks:
            # The row before the last one of a block belongs to the next start.
            corner = whole[at, at - 1] if at else None
            whole[at : at + count + 1, at : at + count] = block
            if corner is not None:
                whole[at, at - 1] = corner
            at += count
        return whole[:total]
