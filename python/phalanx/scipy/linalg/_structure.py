"""The structure of matrices: bands and symmetry."""

import phalanx as np

from .._arguments import array, refuse
from ._arrays import batched
from ._described import COLLECTIVE, described


@described("(int, int): The numbers of diagonals below and above the main one that have elements "
           "other than 0; arrays for several matrices.",
           {"ValueError": "There are fewer than two axes.",
            "TypeError": "The elements are no numbers."}, COLLECTIVE)
def bandwidth(a):
    """The lower and the upper bandwidth of a matrix."""
    a = array(a)
    if a.ndim < 2:
        raise refuse(f"The input array must be at least 2D. Got {a.ndim} instead.")
    *batch, rows, width = a.shape
    if rows == 0 or width == 0:
        return (0, 0) if not batch else (np.zeros(batch, int), np.zeros(batch, int))
    below = np.arange(rows)[:, None] - np.arange(width)[None, :]
    held = a != 0
    sides = [np.where(held, one, 0).max(axis=(-2, -1)) for one in (below, -below)]
    sides = [np.maximum(one, 0) for one in sides]
    return tuple(sides) if batch else tuple(int(one) for one in sides)


_TOLERANCES = {
    "atol": ("float", "The absolute tolerance; elements are compared exactly without both ones."),
    "rtol": ("float", "The relative tolerance."),
}


@described("bool: Whether it is; an array for several matrices.",
           {"ValueError": "The matrix is not square."}, COLLECTIVE, **_TOLERANCES)
def issymmetric(a, atol=None, rtol=None):
    """Whether a matrix is equal to its transpose."""
    return _is_equal(a, atol, rtol, False)


@described("bool: Whether it is; an array for several matrices.",
           {"ValueError": "The matrix is not square."}, COLLECTIVE, **_TOLERANCES)
def ishermitian(a, atol=None, rtol=None):
    """Whether a matrix is equal to its conjugated transpose."""
    return _is_equal(a, atol, rtol, True)


def _is_equal(a, atol, rtol, conjugated):
    a = array(a)
    if a.ndim < 2:
        raise refuse("Input array must be a 2D array.")
    if a.ndim > 2:
        return _each_is_equal(a, atol, rtol, conjugated)
    if a.shape[0] != a.shape[1]:
        raise refuse("Input array must be square.")
    if a.size == 0:
        return True
    other = np.conj(a.T) if conjugated and a.dtype.kind == "c" else a.T
    if atol is None and rtol is None:
        return bool((a == other).all())
    atol, rtol = 0.0 if atol is None else atol, 1e-5 if rtol is None else rtol
    return bool(np.allclose(a, other, atol=atol, rtol=rtol))


@batched(2)
def _each_is_equal(a, atol, rtol, conjugated):
    return _is_equal(a, atol, rtol, conjugated)
