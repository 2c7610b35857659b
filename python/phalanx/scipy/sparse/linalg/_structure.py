"""Triangular and banded matrices: questions, and the solution of triangular equations."""

import phalanx as np

from ...._phalanx import _refusal
from .._arguments import promoted
from .._classes import adopted, class_of, is_sparse, warn
from .._construct import eye_array
from ._described import COLLECTIVE, described, on_mesh

_SPARSE = ("sparse matrix", "The matrix.")


def _differences(A, name):
    """For each entry its column less its row; the diagonals of a matrix of diagonals."""
    A = adopted(A)
    if not is_sparse(A) or A.format == "bsr":
        warn(f"{name} needs a sparse matrix that is not in blocks. Converting to CSR.")
        A = class_of("csr", True)(A)
    if A.format == "dia":
        return A.offsets
    rows, columns = A.tocoo().coords
    return columns.astype(np.int64) - rows


@on_mesh
@described(
    "(bool, bool): Whether the matrix is lower triangular, and whether it is upper triangular.",
    {"ValueError": "The matrix does not have two axes."},
    COLLECTIVE + " Two numbers are read. Entries that are zero count.",
    A=_SPARSE,
)
def is_sptriangular(A):
    """Whether a sparse matrix is lower or upper triangular."""
    low, high = _extremes(_differences(A, "is_sptriangular"))
    return high <= 0, low >= 0


@on_mesh
@described(
    "(int, int): The numbers of diagonals below and above the main one.",
    {"ValueError": "The matrix does not have two axes."},
    COLLECTIVE + " Two numbers are read. Entries that are zero count.",
    A=_SPARSE,
)
def spbandwidth(A):
    """The bandwidths of a sparse matrix below and above the main diagonal."""
    low, high = _extremes(_differences(A, "spbandwidth"))
    return max(-low, 0), max(high, 0)


def _extremes(differences):
    if differences.size == 0:
        return 0, 0
    return np.stack([differences.min(), differences.max()]).tolist()


# The rows of the dense blocks of a triangular solution.
_BLOCK = 512
# The sweeps between two tests whether the solution still changes.
_SWEEPS = 4
# The rows, and the entries and elements, of equations that are solved row by row on the host.
_MOST_ROWS, _MOST = 100_000, 1 << 24


@on_mesh
@described(
    "ndarray: The solution, of the shape of `b`.",
    {"ValueError": "The shapes do not fit.",
     "LinAlgError": "An element of the diagonal is zero."},
    COLLECTIVE + " A row is final as soon as the rows are on which it depends, so the equations "
    "of all rows are evaluated at once, as often as there are levels of dependence; four "
    "evaluations are followed by a read. If there are more levels than blocks of 512 rows, every "
    "process reads the equations to its host and solves them row by row in double precision; those "
    "with more than 100,000 rows or 16,777,216 entries are solved block by block, each block as an "
    "array.",
    A=("sparse matrix", "The matrix. Elements outside of its triangle are ignored."),
    b=("array_like", "The right-hand side, a vector or a matrix."),
    lower=("bool", "Whether the matrix is lower triangular, or upper."),
    overwrite_A=("bool", "Ignored: operands stay as they are."),
    overwrite_b=("bool", "Ignored: operands stay as they are."),
    unit_diagonal=("bool", "Whether the elements of the diagonal count as 1."),
)
def spsolve_triangular(
    A, b, lower=True, overwrite_A=False, overwrite_b=False, unit_diagonal=False
):
    """Solves ``A x = b`` with a triangular sparse matrix."""
    A = adopted(A)
    if not is_sparse(A) or A.format not in ("csr", "csc"):
        warn("CSC or CSR matrix format is required. Converting to CSC matrix.")
        A = class_of("csc", True)(A)
    rows, columns = A.shape
    if rows != columns:
        text = f"A must be a square matrix but its shape is {A.shape}."
        raise _refusal(ValueError, "value", text)
    diagonal = None if unit_diagonal else A.diagonal()
    if diagonal is not None and bool((diagonal == 0).any()):
        text = "A is singular: zero entry on diagonal."
        raise _refusal(np.linalg.LinAlgError, "value", text)
    b = np.asarray(b)
    if b.ndim not in (1, 2):
        text = f"b must have 1 or 2 dims but its shape is {b.shape}."
        raise _refusal(ValueError, "value", text)
    if b.shape[0] != rows:
        text = f"the shape of A is {A.shape} and the shape of b is {b.shape}"
        raise _refusal(ValueError, "together", text)
    dtype = promoted(A.dtype, np.float32, b.dtype)
    # The equations `x = start - strict x`.
    core, start = A._rows(), b.astype(dtype)
    core = core.with_values(core.values.astype(dtype, copy=False))
    lines = core.rows()
    strict = core.kept(core.columns < lines if lower else core.columns > lines)
    if diagonal is not None:
        inverse = 1 / diagonal.astype(dtype, copy=False)
        strict = strict.with_values(strict.values * inverse[strict.rows()])
        start = start * (inverse if b.ndim == 1 else inverse[:, None])
    found = _by_levels(strict, start, -(-rows // _BLOCK))
    if found is not None:
        return found
    if rows <= _MOST_ROWS and strict.nnz + start.size <= _MOST:
        return _on_host(strict, start)
    return _by_blocks(strict, start, lower)


def _by_levels(strict, start, most):
    """The solution by evaluations of all equations; None if it takes more than some."""
    if strict.nnz == 0:
        return start
    x = start
    for _ in range(0, max(most, _SWEEPS), _SWEEPS):
        for _ in range(_SWEEPS):
            before, x = x, start - strict.dot(x)
        is_same = (x == before) | ((x != x) & (before != before))
        if bool(is_same.all()):
            return x
    return None


def _on_host(strict, start):
    """The solution row by row, by the factors of the matrix: itself, and the identity."""
    from ._direct import factors_of

    shape = (start.shape[0],) * 2
    strict = class_of("csr", True)._of_core(strict, shape)
    matrix = strict + eye_array(shape[0], dtype=start.dtype, format="csr")
    return factors_of("ilu0", matrix)._factors.solve(start, "N").astype(start.dtype, copy=False)


def _by_blocks(strict, start, lower):
    """The solution of one block of rows after another."""
    rows = start.shape[0]
    x = np.zeros_like(start)
    firsts = range(0, rows, _BLOCK)
    for first in firsts if lower else reversed(firsts):
        last = min(first + _BLOCK, rows)
        part = strict.slice_rows(first, last)
        is_inside = (part.columns >= first) & (part.columns < last)
        right = start[first:last] - part.kept(~is_inside).dot(x)
        inside = part.kept(is_inside).take_columns(np.arange(first, last)).to_dense()
        x[first:last] = np.linalg.solve(inside + np.eye(last - first, dtype=x.dtype), right)
    return x
