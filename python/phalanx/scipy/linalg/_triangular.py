"""Equations whose matrices are triangles."""

import phalanx as np

from .._arguments import refuse
from ._arrays import checked, columns, not_of_none, result, together
from ._described import SOLVED, described

# Rows that are solved together; the other ones are changed by products of matrices.
_BLOCK = 256
_TRANSPOSED = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}


def substituted(a, b, lower=False, unit=False):
    """The solutions of equations with a triangle; what is beyond the triangle is not used."""
    n = a.shape[-1]
    if n <= _BLOCK:
        return _few(a, b, lower, unit)
    rest, found = b, []
    starts = range(0, n, _BLOCK)
    for start in starts if lower else reversed(starts):
        stop = min(start + _BLOCK, n)
        block = a[..., start:stop, start:stop]
        if lower:
            x = _few(block, rest[..., : stop - start, :], lower, unit)
            rest = rest[..., stop - start :, :] - a[..., stop:, start:stop] @ x
        else:
            x = _few(block, rest[..., start:, :], lower, unit)
            rest = rest[..., :start, :] - a[..., :start, start:stop] @ x
        found.append(x)
    return np.concatenate(found if lower else found[::-1], axis=-2)


def _few(a, b, lower, unit):
    if lower:
        # No row of an upper triangle is exchanged, so that its solution is by substitution.
        turned = np.flip(a, (-2, -1))
        return np.flip(_few(turned, np.flip(b, -2), False, unit), -2)
    a = np.triu(a, 1) + np.eye(a.shape[-1], dtype=a.dtype) if unit else np.triu(a)
    return np.linalg.solve(a, b)


@described(
    "ndarray: The solutions, in the shape of `b`.",
    {"ValueError": "The shapes do not fit, or there are infinities or NaNs.",
     "LinAlgError": "An element of the diagonal is 0."},
    SOLVED,
)
def solve_triangular(
    a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True
):
    """The solution of equations whose matrix is a triangle."""
    a, b = checked(a, check_finite), checked(b, check_finite)
    if a.ndim < 2 or a.shape[-2] != a.shape[-1]:
        raise refuse("expected square matrix")
    if b.ndim == 0 or a.shape[-2] != b.shape[-2 if b.ndim > 1 else 0]:
        raise refuse(f"shapes of a {a.shape} and b {b.shape} are incompatible")
    if trans not in _TRANSPOSED:
        raise refuse("trans is none of 0, 1, 2, 'N', 'T' and 'C'")
    a, b = together(not_of_none(a), not_of_none(b))
    a, b, is_vector = columns(a, b)
    if b.size == 0:
        return result(b, is_vector)
    kind = _TRANSPOSED[trans]
    if kind:
        a, lower = np.swapaxes(a, -1, -2), not lower
        a = np.conj(a) if kind == 2 else a
    return result(substituted(a, b, bool(lower), bool(unit_diagonal)), is_vector)
