"""Arguments of linear algebra: dtypes, matrices, checks, and stacks of them."""

import phalanx as np

from .._arguments import array, refuse

# Dtypes that are computed in single precision.
_SINGLE = "?bBhHefF"


def lapack_dtype(*arrays):
    """The dtype in which matrices of these dtypes are computed: one of four."""
    chars = [one.dtype.char for one in arrays]
    is_complex = any(one.dtype.kind == "c" for one in arrays)
    is_single = all(char in _SINGLE for char in chars)
    return np.dtype({(0, 0): "d", (0, 1): "f", (1, 0): "D", (1, 1): "F"}[is_complex, is_single])


def real_of(dtype):
    """The real dtype of the same precision."""
    return np.dtype({"F": "f", "D": "d"}.get(np.dtype(dtype).char, np.dtype(dtype).char))


def epsilon(dtype):
    """The rounding of a dtype."""
    return float(np.finfo(real_of(dtype)).eps)


def checked(a, check_finite=True):
    """An argument as an array of numbers, without infinities and NaNs."""
    a = array(a)
    if check_finite and a.dtype.kind in "fc" and not bool(np.isfinite(a).all()):
        raise refuse("array must not contain infs or NaNs")
    return a


def matrix(a, check_finite=True):
    """A matrix, or several ones, of numbers in a dtype of LAPACK's."""
    a = checked(a, check_finite)
    if a.ndim < 2:
        raise refuse(f"Expected at least ndim=2, got a.ndim={a.ndim}")
    return not_of_none(a).astype(lapack_dtype(a), copy=False)


def square(a, check_finite=True):
    """A square matrix, or several ones, in a dtype of LAPACK's."""
    a = matrix(a, check_finite)
    if a.shape[-1] != a.shape[-2]:
        raise refuse(f"Expected a square matrix, got a.shape={a.shape}")
    return a


def together(*arrays):
    """Arrays in the one dtype of LAPACK's that holds them all."""
    dtype = lapack_dtype(*arrays)
    return [one.astype(dtype, copy=False) for one in arrays]


def doubled(*arrays):
    """Arrays that are all of integers or truth values in double precision; others as they are.

    As in SciPy, short integers alone are not computed in single precision by every function.
    """
    if any(one.dtype.kind not in "biu" for one in arrays):
        return list(arrays)
    return [one.astype(np.float64) for one in arrays]


def adjoint(a):
    """The transposed matrices, conjugated."""
    a = np.swapaxes(a, -1, -2)
    return np.conj(a) if a.dtype.kind == "c" else a


def columns(a, b):
    """As `right_sides`, for equations with square matrices, whose extents have to fit."""
    if b.shape[-2 if b.ndim > 1 else 0] != a.shape[-1]:
        raise refuse(f"shapes of a {a.shape} and b {b.shape} are incompatible")
    return right_sides(a, b)


def result(x, is_vector):
    """Solutions in the form of the right sides."""
    return x[..., 0] if is_vector else x


def diagonals(values, rows=None, columns=None):
    """Matrices with given diagonals."""
    n = values.shape[-1]
    made = values[..., None] * np.eye(n, dtype=values.dtype)
    if rows is None:
        return made
    extra = (rows - n, columns - n)
    if extra[0] < 0 or extra[1] < 0:
        made = made[..., :rows, :columns]
    widths = [(0, 0)] * (made.ndim - 2) + [(0, max(one, 0)) for one in extra]
    return np.pad(made, widths)


def not_of_none(a, core=2):
    """Refuses a stack without matrices, as SciPy does."""
    if 0 in a.shape[: max(a.ndim - core, 0)]:
        raise refuse(f"a stack of no matrices, of the shape {a.shape}, is not supported")
    return a


def of_one_shape(counts):
    """The one number of a stack's matrices, on which the extents of a result depend."""
    import numpy

    counts = numpy.unique(counts.get())
    if counts.size != 1:
        raise refuse("the results for the matrices of the stack have different shapes")
    return int(counts[0])


def right_sides(a, b):
    """Right sides as matrices, with the stack that they and the matrices `a` have together.

    As in SciPy, one with one axis is a vector, and one with more has the vectors as columns.
    """
    is_vector = b.ndim == 1
    b = b[:, None] if is_vector else b
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = np.broadcast_to(a, stack + a.shape[-2:])
    return a, np.broadcast_to(b, stack + b.shape[-2:]), is_vector
