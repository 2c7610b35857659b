"""Exponentials of matrices."""

import math

import phalanx as np

from ...._phalanx import _refusal
from .._classes import adopted, class_of, is_sparse
from .._construct import eye_array
from ._described import COLLECTIVE, described, on_mesh
from ._functions import compressed_like, onenormest
from ._interface import aslinearoperator
from ._operands import inexact

# The degrees of the approximations, and the sizes of matrices up to which they are exact to
# rounding. Source: A. H. Al-Mohy, N. J. Higham, "A new scaling and squaring algorithm for the
# matrix exponential" (2009), table 3.1 and algorithm 5.1.
_LIMITS = {3: 1.495585217958292e-2, 5: 2.539398330063230e-1, 7: 9.504178996162932e-1,
           9: 2.097847961257068e0, 13: 4.25}
# The rounding unit of double precision.
_UNIT = 2.0**-53
# A power of a matrix of up to as many rows is computed for its norm alone.
_FEW_ROWS = 200


@on_mesh
@described(
    "ndarray, or sparse matrix or array: Sparse if `A` is.",
    {"ValueError": "The matrix is not square."},
    COLLECTIVE + " Norms of powers are read. Powers of a sparse matrix are sparse. The equations "
    "of the approximation and the squares of their solution are those of arrays, of as many bytes "
    "as a matrix without zeros.",
    A=("sparse matrix or array_like", "The matrix."),
)
def expm(A):
    """The exponential of a matrix, by Pade's approximation with scaling and squaring."""
    A = adopted(A)
    if not is_sparse(A):
        A = np.asarray(A)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise _refusal(ValueError, "value", "expected a square matrix")
    own = class_of("csr", True)(A) if is_sparse(A) else A
    own = own.astype(inexact(A.dtype), copy=False)
    if A.shape[0] == 0:
        found = own.toarray() if is_sparse(own) else own
    else:
        found = _exponential(own)
    return compressed_like(A, found) if is_sparse(A) else found


def _exponential(A):
    """The elements of the exponential as an array."""
    degree, squarings, powers = _chosen(A)
    if squarings:
        # A power of two, so that no digit is lost.
        powers = {power: one * 2.0 ** (-squarings * power) for power, one in powers.items()}
    numerator, denominator = _pade(degree, powers)
    found = np.linalg.solve(denominator, numerator)
    if squarings and _is_upper(A):
        return _squared_triangle(found, A, squarings)
    for _ in range(squarings):
        found = found @ found
    return found


def _chosen(A):
    """The degree, the number of squarings, and the powers of the matrix that were computed."""
    powers = {1: A, 2: A @ A}
    powers[4] = powers[2] @ powers[2]
    powers[6] = powers[2] @ powers[4]
    sizes = {power: _norm(powers[power]) ** (1 / power) for power in (4, 6)}
    size = max(sizes[4], sizes[6])
    for degree in (3, 5):
        if size <= _LIMITS[degree] and _more_squarings(A, degree) == 0:
            return degree, 0, powers
    powers[8] = powers[4] @ powers[4]
    sizes[8] = _norm(powers[8]) ** (1 / 8)
    size = max(sizes[6], sizes[8])
    for degree in (7, 9):
        if size <= _LIMITS[degree] and _more_squarings(A, degree) == 0:
            return degree, 0, powers
    sizes[10] = _norm_of_product(powers[4], powers[6]) ** (1 / 10)
    size = min(size, max(sizes[8], sizes[10]))
    squarings = 0
    if 0 < size < math.inf:
        squarings = max(math.ceil(math.log2(size / _LIMITS[13])), 0)
    return 13, squarings + _more_squarings(A * 2.0**-squarings, 13), powers


def _norm(A):
    """The 1-norm."""
    return float(abs(A).sum(axis=0).max())


def _norm_of_product(A, B):
    """The 1-norm of a product; of large matrices an estimate that needs no product of matrices."""
    if A.shape[0] <= _FEW_ROWS:
        return _norm(A @ B)
    return onenormest(aslinearoperator(A) @ aslinearoperator(B))


def _more_squarings(A, degree):
    """The squarings that rounding in the evaluation of the approximation makes necessary."""
    sizes = abs(A)
    size = float(sizes.sum(axis=0).max())
    if not 0 < size < math.inf:
        return 0
    # The column sums of a power of a matrix without negative elements.
    sums, transposed = np.ones(A.shape[0], dtype=sizes.dtype), sizes.T
    for _ in range(2 * degree + 1):
        sums = transposed @ sums
    largest = float(sums.max())
    if not 0 < largest < math.inf:
        return 0
    half = math.factorial(degree)
    inverse = math.factorial(2 * degree) * math.factorial(2 * degree + 1) // (half * half)
    # The logarithms keep quotients in range.
    logarithm = math.log2(largest) - math.log2(size) - math.log2(inverse) - math.log2(_UNIT)
    return max(math.ceil(logarithm / (2 * degree)), 0)


def _pade(degree, powers):
    """The numerator and the denominator of an approximation, as arrays."""
    A = powers[1]
    rows = A.shape[0]
    identity = np.eye(rows, dtype=A.dtype)
    if is_sparse(A):
        identity = eye_array(rows, dtype=A.dtype, format="csr")
    powers = {0: identity, **powers}
    factors = [
        math.factorial(2 * degree - at) / (math.factorial(at) * math.factorial(degree - at))
        for at in range(degree + 1)
    ]
    # Relative to the first factor they are finite in single precision.
    factors = [factor / factors[0] for factor in factors]
    odd, even = _polynomial(factors[1::2], powers), _polynomial(factors[::2], powers)
    odd = A @ odd
    both = even + odd, even - odd
    return tuple(one.toarray() if is_sparse(one) else one for one in both)


def _polynomial(factors, powers):
    """A polynomial of the square of a matrix. Powers above the eighth are products with the
    sixth."""
    split = len(factors) if len(factors) <= 5 else 4
    found = _sum(factors[:split], powers)
    if split < len(factors):
        found = found + powers[6] @ _sum([0, *factors[split:]], powers)
    return found


def _sum(factors, powers):
    total = None
    for at, factor in enumerate(factors):
        if factor:
            term = powers[2 * at] * factor
            total = term if total is None else total + term
    return total


def _is_upper(A):
    """Whether no element below the diagonal differs from zero."""
    if is_sparse(A):
        core = A._rows()
        return not bool(((core.columns < core.rows()) & (core.values != 0)).any())
    return not bool(np.tril(A, -1).any())


def _squared_triangle(found, A, squarings):
    """The squares of the exponential of an upper triangular matrix, whose diagonals are computed
    without squaring. Source: Al-Mohy and Higham (2009), code fragment 2.1."""
    main, above = A.diagonal(), A.diagonal(1)
    places = np.arange(A.shape[0])
    for step in range(squarings, -1, -1):
        if step < squarings:
            found = found @ found
        scale = 2.0**-step
        first, second = main[:-1] * scale, main[1:] * scale
        found[places, places] = np.exp(main * scale)
        slope = _slope(first, second)
        found[places[:-1], places[1:]] = above * scale * slope
    return found


def _slope(first, second):
    """The slope of the exponential between numbers."""
    difference = first - second
    is_small = np.abs(difference) < 2e-2
    square = difference * difference / 4
    series = 1 + square / 6 * (1 + square / 20 * (1 + square / 42))
    near = np.exp((first + second) / 2) * series
    far = (np.exp(first) - np.exp(second)) / np.where(is_small, 1, difference)
    return np.where(is_small, near, far)
