"""Matrices of a known form."""

import math
import operator

import phalanx as np

from .._arguments import array, refuse
from ._arrays import not_of_none
from ._described import COLLECTIVE, described

_MATRIX = "ndarray: The matrix."


def _places(rows, columns):
    return np.arange(rows)[:, None], np.arange(columns)[None, :]


def _vectors(x):
    return np.atleast_1d(array(x))


def _pair(c, r):
    """Vectors as rows of equal batches and of one dtype."""
    dtype = np.result_type(c.dtype, r.dtype)
    batch = np.broadcast_shapes(c.shape[:-1], r.shape[:-1])
    return [np.broadcast_to(one, batch + one.shape[-1:]).astype(dtype, copy=False)
            for one in (c, r)]


def _taken(values, places):
    """Elements of the last axis at places, which are two axes of the result."""
    if values.shape[-1] == 0:
        return np.zeros((*values.shape[:-1], *places.shape), values.dtype)
    return np.take(values, places, axis=-1, mode="clip")


@described(_MATRIX, c=("array_like", "The first column, or several ones."),
           r=("array_like", "The first row, of which the first element is not used; the conjugate "
              "of `c` by default."))
def toeplitz(c, r=None):
    """The matrix with constant diagonals, of its first column and row."""
    c = not_of_none(_vectors(c), 1)
    if r is None:
        r = np.conj(c) if c.dtype.kind == "c" else c
    c, r = _pair(c, not_of_none(_vectors(r), 1))
    return _of_diagonals(c, r)


def _of_diagonals(c, r):
    values = np.concatenate([np.flip(c, -1), r[..., 1:]], axis=-1)
    rows, columns = _places(c.shape[-1], r.shape[-1])
    return _taken(values, c.shape[-1] - 1 - rows + columns)


@described(_MATRIX, c=("array_like", "The first column, or several ones."))
def circulant(c):
    """The matrix whose columns are the first one, turned around."""
    c = _vectors(c)
    n = c.shape[-1]
    if n == 0:
        return np.zeros((*c.shape, 0), c.dtype)
    return _of_diagonals(c, np.roll(np.flip(c, -1), 1, -1))


@described(_MATRIX, c=("array_like", "The first column."),
           r=("array_like", "The last row, of which the first element is not used; zeros by "
              "default."))
def hankel(c, r=None):
    """The matrix with constant antidiagonals, of its first column and last row."""
    c = array(c).ravel()
    r = np.zeros_like(c) if r is None else array(r).ravel()
    values = np.concatenate([c, r[1:]])
    rows, columns = _places(c.shape[0], r.shape[0])
    return _taken(values, rows + columns)


@described(
    _MATRIX,
    {"ValueError": "`n` is not positive, `a` is empty, or `mode` is unknown.",
     "IndexError": "`a` is a number."},
    a=("array_like", "The signal, or several ones."), n=("int", "The number of columns."),
    mode=("{'full', 'same', 'valid'}", "The part of the convolution."),
)
def convolution_matrix(a, n, mode="full"):
    """The matrix whose product with a vector of `n` elements is the convolution with `a`."""
    if n <= 0:
        raise refuse("n must be a positive integer.")
    a = array(a)
    if a.ndim and a.size == 0:
        raise refuse("convolution_matrix expects an `a` of at least one element")
    if mode not in ("full", "valid", "same"):
        raise refuse("'mode' argument must be one of ('full', 'valid', 'same')")
    if a.ndim == 0:
        raise refuse("convolution_matrix expects `a` to have an axis", IndexError)
    m = a.shape[-1]
    head = 0 if mode == "full" else min(n, m) - 1 if mode == "valid" else (min(n, m) - 1) // 2
    rows = m + n - 1 if mode == "full" else max(m, n) - (
        min(m, n) - 1 if mode == "valid" else 0)
    place, column = _places(rows, n)
    place = place + head - column
    inside = (place >= 0) & (place < m)
    return np.where(inside, _taken(a, np.clip(place, 0, m - 1)), np.zeros((), a.dtype))


@described(_MATRIX, {"ValueError": "There are fewer than two coefficients, or the first one is 0."},
           COLLECTIVE, a=("array_like", "The coefficients, of the highest power first; the last "
                          "axis of several ones."))
def companion(a):
    """The matrix whose eigenvalues are the roots of a polynomial."""
    a = np.atleast_1d(array(a))
    n = a.shape[-1]
    if n < 2:
        raise refuse("The length of `a` along the last axis must be at least 2.")
    if bool((a[..., 0] == 0).any()):
        raise refuse("The first coefficient(s) of `a` (i.e. elements of `a[..., 0]`) must not be "
                     "zero.")
    first = -a[..., 1:] / (1.0 * a[..., :1])
    below = np.broadcast_to(np.eye(n - 2, n - 1, dtype=first.dtype),
                            (*a.shape[:-1], n - 2, n - 1))
    return np.concatenate([first[..., None, :], below], axis=-2)


@described(_MATRIX, {"ValueError": "The shapes do not fit, or `s` is empty."},
           f=("array_like", "The rates of birth."),
           s=("array_like", "The rates of survival, one fewer."))
def leslie(f, s):
    """The matrix of Leslie, of rates of birth and of survival."""
    f, s = np.atleast_1d(array(f)), np.atleast_1d(array(s))
    if f.shape[-1] != s.shape[-1] + 1:
        raise refuse("The length of s along the last axis must be one less than that of f.")
    if s.shape[-1] == 0:
        raise refuse("The length of s must be at least 1.")
    not_of_none(f, 1), not_of_none(s, 1)
    dtype = np.result_type(f[..., :1].dtype, s.dtype)
    batch = np.broadcast_shapes(f.shape[:-1], s.shape[:-1])
    f, s = (np.broadcast_to(one, batch + one.shape[-1:]).astype(dtype) for one in (f, s))
    n = s.shape[-1]
    below = s[..., None] * np.eye(n, n + 1, dtype=dtype)
    return np.concatenate([f[..., None, :], below], axis=-2)


@described(_MATRIX, {"ValueError": "`a` is no vector."}, a=("array_like", "The numbers."))
def fiedler(a):
    """The symmetric matrix of the distances of numbers."""
    a = np.atleast_1d(array(a))
    if a.size == 0:
        return np.zeros(0)
    if a.size == 1:
        return np.zeros((1, 1))
    return np.abs(a[..., :, None] - a[..., None, :])


@described(_MATRIX, {"ValueError": "`a` is no vector, or its first element is 0."}, COLLECTIVE,
           a=("array_like", "The coefficients, of the highest power first."))
def fiedler_companion(a):
    """A matrix of five diagonals whose eigenvalues are the roots of a polynomial."""
    a = np.atleast_1d(array(a))
    n = a.shape[-1]
    if n < 2:
        return np.zeros((*a.shape[:-1], 0), a.dtype)
    not_of_none(a, 1)
    if n == 2:
        return -(a[..., 1:] / a[..., :1])[..., None]
    if bool((a[..., 0] == 0).any()):
        raise refuse("Leading coefficient is zero.")
    a = a / a[..., :1]
    rows, columns = _places(n - 1, n - 1)
    zero, one = np.zeros((), a.dtype), np.ones((), a.dtype)
    # Rows of even numbers have two coefficients and a one; the others have a one.
    even = rows % 2 == 0
    made = np.where(even & (columns == rows + 1), _taken(-a, np.clip(rows + 2, 0, n - 1)), zero)
    made = np.where(even & (columns == rows - 1), _taken(-a, np.clip(rows + 1, 0, n - 1)), made)
    has_one = (columns - rows) == np.where(even, 2, -2)
    made = np.where(has_one | ((rows == 1) & (columns == 0)), one, made)
    made = np.where((rows == 0) & (columns == 0), -a[..., 1][..., None, None], made)
    return made.astype(a.dtype, copy=False)


@described(_MATRIX, {"ValueError": "`n` is no power of 2."}, n=("int", "The number of rows."),
           dtype=("dtype", "The dtype."))
def hadamard(n, dtype=int):
    """The matrix of Hadamard, of ones and minus ones."""
    if n < 1 or n != int(n) or int(n) & (int(n) - 1):
        raise refuse("n must be an positive integer, and n must be power of 2")
    rows, columns = _places(int(n), int(n))
    odd = np.bitwise_count(rows & columns) % 2 == 1
    return (1 - 2 * odd.astype(np.int8)).astype(dtype)


@described(_MATRIX, {"ValueError": "`n` is negative.", "IndexError": "`n` is 0."},
           n=("int", "The number of rows of the whole matrix."),
           full=("bool", "Whether the first row, of equal numbers, is included."))
def helmert(n, full=False):
    """The matrix of Helmert, of orthonormal contrasts."""
    n = operator.index(n)
    if n < 0:
        raise refuse("negative dimensions are not allowed")
    if n == 0:
        raise refuse("a matrix of Helmert has at least one row", IndexError)
    rows, columns = _places(n, n)
    row = rows.astype(float)
    scale = 1.0 / np.sqrt(np.where(rows == 0, float(n), row * (row + 1)))
    made = np.where((rows == 0) | (columns < rows), 1.0, np.where(columns == rows, -row, 0.0))
    made = made * scale
    return made if full else made[1:]


@described(_MATRIX, n=("int", "The number of rows."))
def hilbert(n):
    """The matrix of Hilbert, with the elements 1 / (i + j + 1)."""
    n = operator.index(n)
    rows, columns = _places(n, n)
    return 1.0 / (1.0 + rows + columns)


@described(
    _MATRIX, {"ValueError": "`scale` is unknown."}, n=("int", "The number of rows."),
    scale=("{'sqrtn', 'n'}", "By what the matrix is divided; by nothing for None."),
)
def dft(n, scale=None):
    """The matrix of the discrete Fourier transform."""
    if scale not in (None, "sqrtn", "n"):
        raise refuse(f"scale must be None, 'sqrtn', or 'n'; {scale!r} is not valid.")
    n = int(n)
    rows, columns = _places(n, n)
    # Products of rows and columns modulo n keep the angles small.
    made = np.exp(-2j * math.pi / max(n, 1) * ((rows * columns) % max(n, 1)))
    if scale == "sqrtn":
        return made / math.sqrt(n)
    return made / n if scale == "n" else made


@described("ndarray: The matrix, or several ones.", {"ValueError": "An argument has no two axes."},
           arrs=("array_like", "The blocks; vectors are rows. The leading axes broadcast."))
def block_diag(*arrs):
    """The matrix with given blocks on its diagonal."""
    arrs = [np.atleast_2d(array(one)) for one in (arrs or ([],))]
    dtype = np.result_type(*[one.dtype for one in arrs])
    batch = np.broadcast_shapes(*[one.shape[:-2] for one in arrs])
    width = sum(one.shape[-1] for one in arrs)
    lines, before = [], 0
    for one in arrs:
        one = np.broadcast_to(one, batch + one.shape[-2:]).astype(dtype)
        after = width - before - one.shape[-1]
        lines.append(np.pad(one, [(0, 0)] * (one.ndim - 1) + [(before, after)]))
        before += one.shape[-1]
    return np.concatenate(lines, axis=-2)


@described(_MATRIX, {"ValueError": "The numbers of columns differ, or there are not two axes."},
           a=("array_like", "The first matrix."), b=("array_like", "The second matrix."))
def khatri_rao(a, b):
    """The matrix whose columns are the products of Kronecker of the columns of two matrices."""
    a, b = array(a), array(b)
    if a.ndim < 2 or b.ndim < 2:
        # CuPy's class, which is a ValueError, as SciPy's is.
        raise refuse("The both arrays should be 2-dimensional.", np.linalg.LinAlgError)
    if a.shape[-1] != b.shape[-1]:
        raise refuse("The number of columns for both arrays should be equal.")
    if a.size == 0 or b.size == 0:
        # As in SciPy, the dtype of a result without elements is that of the first matrix.
        b = b.astype(a.dtype)
    made = a[..., :, None, :] * b[..., None, :, :]
    return made.reshape(*made.shape[:-3], a.shape[-2] * b.shape[-2], a.shape[-1])
