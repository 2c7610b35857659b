"""The structure of matrices: bands and symmetry."""

import phalanx as np

from .._arguments import array, refuse
from ._arrays import not_of_none
from ._described import COLLECTIVE, described


@described("(int, int): The numbers of diagonals below and above the main one that have elements "
           "other than 0; arrays for several matrices.",
           {"ValueError": "There are fewer than two axes.",
            "TypeError": "The elements are no numbers."},
           COLLECTIVE + " SciPy does not look for upper diagonals in the last row, nor for lower "
           "ones in the last column: its numbers for the ones of a single row are (0, 0). Here "
           "every element counts.")
def bandwidth(a):
    """The lower and the upper bandwidth of a matrix."""
    a = array(a)
    if a.size == 0 and a.ndim < 3:
        return 0, 0
    if a.ndim < 2:
        text = f"The input array must be at least 2D. Got {a.ndim} instead."
        # CuPy's class, which is a ValueError, as SciPy's is.
        raise refuse(text, np.linalg.LinAlgError)
    not_of_none(a)
    *batch, rows, width = a.shape
    if rows == 0 or width == 0:
        return np.zeros(batch, int), np.zeros(batch, int)
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
    if a.shape[-1] != a.shape[-2]:
        raise refuse("Input array must be square.")
    other = np.swapaxes(not_of_none(a), -1, -2)
    conjugated = conjugated and a.dtype.kind == "c"
    other = np.conj(other) if conjugated else other
    if atol is None and rtol is None:
        same = a == other
        if not conjugated:
            # The diagonal is equal to itself, whether or not its elements are numbers.
            same = same | np.eye(a.shape[-1], dtype=bool)
    else:
        atol, rtol = 0.0 if atol is None else atol, 1e-5 if rtol is None else rtol
        same = np.isclose(a, other, atol=atol, rtol=rtol)
    same = same.all(axis=(-2, -1))
    return same if a.ndim > 2 else bool(same)
