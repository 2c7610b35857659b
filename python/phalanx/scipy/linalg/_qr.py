"""The factorisation of matrices into orthonormal columns and triangles."""

import phalanx as np

from .._arguments import refuse
from . import _host
from ._arrays import adjoint, checked, matrix, not_of_none, right_sides, together
from ._described import DECOMPOSED, described

_ERRORS = {"ValueError": "A word is unknown, or there are infinities or NaNs."}
_ON_HOST = (
    DECOMPOSED + " With `pivoting`, SciPy computes it on the host; matrices of more than 2**22 "
    "elements are refused then."
)


@described(
    "tuple of ndarray: The orthonormal columns, the triangle, and with `pivoting` the order of the "
    "columns, as far as they are wanted.",
    _ERRORS, _ON_HOST,
    mode=("{'full', 'r', 'economic', 'raw'}", "Whether all columns are computed, or the triangle "
          "alone, or no more columns than rows or columns, or the reflections."),
)
def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    """The factorisation of a matrix into orthonormal columns and an upper triangle."""
    if mode not in ("full", "qr", "r", "economic", "raw"):
        raise refuse("Mode argument should be one of ['full', 'r', 'economic', 'raw']",
                     mistake="choice")
    if pivoting or mode == "raw":
        return _host.of_scipy("qr", a, mode=mode, pivoting=pivoting, check_finite=check_finite)
    a = matrix(a, check_finite)
    rows, width = a.shape[-2:]
    if mode == "r":
        triangle = np.linalg.qr(a, mode="r")
        # SciPy's triangle has all rows.
        missing = rows - triangle.shape[-2]
        triangle = np.pad(triangle, [(0, 0)] * (a.ndim - 2) + [(0, missing), (0, 0)])
        return triangle if a.ndim > 2 else (triangle,)
    found = np.linalg.qr(a, mode="reduced" if mode == "economic" else "complete")
    return found[0], found[1]


@described(
    "(ndarray, ndarray): The triangle and the orthonormal rows; the triangle alone in the mode "
    "'r'.",
    _ERRORS, DECOMPOSED,
    mode=("{'full', 'r', 'economic'}", "Whether all rows are computed, or the triangle alone, or "
          "no more rows than rows or columns of the matrix."),
)
def rq(a, overwrite_a=False, lwork=None, mode="full", check_finite=True):
    """The factorisation of a matrix into an upper triangle and orthonormal rows."""
    if mode not in ("full", "r", "economic"):
        raise refuse("Mode argument should be one of ['full', 'r', 'economic']", mistake="choice")
    a = matrix(a, check_finite)
    rows, width = a.shape[-2:]
    # That of the rows and columns in reverse order, transposed.
    turned = adjoint(np.flip(a, (-2, -1)))
    q, r = np.linalg.qr(turned, mode="reduced" if mode == "economic" else "complete")
    triangle = np.flip(adjoint(r), (-2, -1))
    return triangle if mode == "r" else (triangle, np.flip(adjoint(q), (-2, -1)))


@described(
    "tuple of ndarray: The product, the triangle, and with `pivoting` the order of the columns.",
    {"ValueError": "The shapes do not fit, or a word is unknown."}, _ON_HOST,
    c=("array_like", "The matrix by which the orthonormal columns are multiplied."),
    mode=("{'left', 'right'}", "Whether the orthonormal columns are on the left of `c`."),
    conjugate=("bool", "Whether the orthonormal columns are conjugated."),
)
def qr_multiply(
    a, c, mode="right", pivoting=False, conjugate=False, overwrite_a=False, overwrite_c=False
):
    """The product of a matrix with the orthonormal columns of another one."""
    if mode not in ("left", "right"):
        raise refuse(f"Mode argument can only be 'left' or 'right' but {mode!r}", mistake="choice")
    if pivoting:
        return _host.of_scipy("qr_multiply", a, c, mode, pivoting, conjugate)
    a, c = matrix(a), not_of_none(checked(c))
    # A real result is in the precision of the matrix.
    a, c = together(a, c) if c.dtype.kind == "c" else (a, c.astype(a.dtype))
    is_vector = c.ndim == 1
    if is_vector and mode == "right":
        c = c[None, :]
    a, c, _ = right_sides(a, c)
    rows, width = a.shape[-2:]
    if mode == "left" and c.shape[-2] != min(rows, width):
        raise refuse(f"shapes of a {a.shape} and c {c.shape} are incompatible")
    if mode == "right" and c.shape[-1] != rows:
        raise refuse(f"shapes of c {c.shape} and a {a.shape} are incompatible")
    q, r = np.linalg.qr(a)
    q = np.conj(q) if conjugate else q
    made = q @ c if mode == "left" else c @ q
    if is_vector:
        made = made[..., 0] if mode == "left" else made[..., 0, :]
    return made, r
