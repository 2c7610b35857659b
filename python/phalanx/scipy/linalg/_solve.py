"""Equations, inverses and fits by least squares."""

import phalanx as np

from .._arguments import array, refuse
from . import _host
from ._arrays import (
    adjoint,
    checked,
    columns,
    diagonals,
    doubled,
    epsilon,
    lapack_dtype,
    matrix,
    not_of_none,
    of_one_shape,
    real_of,
    result,
    right_sides,
    square,
    together,
)
from ._banded import bands_of, solve_banded
from ._cholesky import positive
from ._described import CHECKED, DECOMPOSED, SOLVED, described
from ._structure import bandwidth
from ._triangular import substituted

_STRUCTURES = {
    None: "general", "general": "general", "gen": "general", "diagonal": "diagonal",
    "tridiagonal": "tridiagonal", "banded": "banded", "upper triangular": "upper",
    "lower triangular": "lower", "pos": "positive", "positive definite": "positive",
    "sym": "symmetric", "symmetric": "symmetric", "her": "hermitian", "hermitian": "hermitian",
}
_STRUCTURE = ("str", "The structure of the matrix: 'general', 'diagonal', 'tridiagonal', 'banded', "
              "'upper triangular', 'lower triangular', 'symmetric', 'hermitian' or 'positive "
              "definite'.")
_OF_INVERTED = (None, "general", "gen", "diagonal", "upper triangular", "lower triangular", "pos",
                "sym", "her")
_SINGULAR = {"ValueError": "The shapes do not fit, there are infinities or NaNs, or a word is "
             "unknown.", "LinAlgError": "The matrix is singular."}


def _singular(text="A singular matrix detected."):
    return refuse(text, np.linalg.LinAlgError)


def _mirrored(a, lower, conjugated):
    """Matrices of which one triangle is used."""
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    other = np.swapaxes(half, -1, -2)
    main = diagonals(np.diagonal(a, axis1=-2, axis2=-1))
    if conjugated and a.dtype.kind == "c":
        other, main = np.conj(other), main.real.astype(a.dtype)
    return half + other + main


@described(
    "ndarray: The solutions, in the shape of `b`.",
    {**_SINGULAR, "NotImplementedError": "A complex matrix is to be transposed."},
    SOLVED + " The bands of one matrix with 'tridiagonal' or 'banded' are those of "
    "`solve_banded`; of a stack, they are solved as whole matrices.",
    assume_a=_STRUCTURE,
    transposed=("bool", "Whether the equations are those of the transpose, of a real matrix."),
)
def solve(
    a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None,
    transposed=False,
):
    """The solution of equations with a square matrix."""
    if assume_a not in _STRUCTURES:
        raise refuse(f"{assume_a} is not a recognized matrix structure", mistake="choice")
    structure = _STRUCTURES[assume_a]
    a, b = np.atleast_2d(checked(a, check_finite)), np.atleast_1d(checked(b, check_finite))
    if a.shape[-1] != a.shape[-2]:
        raise refuse(f"Expected square matrix, got a.shape={a.shape}")
    a, b = together(*doubled(a, b))
    if transposed and a.dtype.kind == "c":
        raise refuse("solve does not transpose complex matrices", NotImplementedError)
    if a.size == 1:
        if bool((a == 0).all()):
            raise _singular()
        # One element divides right sides of any extent.
        a, b, is_vector = right_sides(a, b)
        return result(b / a, is_vector)
    a, b, is_vector = columns(a, b)
    if a.size == 0 or b.size == 0:
        return result(np.empty_like(b), is_vector)
    return result(_structured(a, b, structure, lower, transposed), is_vector)


def _structured(a, b, structure, lower, transposed):
    if structure == "diagonal":
        main = np.diagonal(a, axis1=-2, axis2=-1)
        if bool((main == 0).any()):
            raise _singular()
        return b / main[..., None]
    if structure == "positive":
        # The upper triangle is used, unless `lower` says otherwise.
        a = a if lower else adjoint(a)
        return np.conj(positive(a, np.conj(b))) if transposed else positive(a, b)
    if structure in ("symmetric", "hermitian"):
        a = _mirrored(a, lower, structure == "hermitian")
    if transposed:
        a = np.swapaxes(a, -1, -2)
        structure = {"upper": "lower", "lower": "upper"}.get(structure, structure)
    if structure in ("upper", "lower"):
        return substituted(a, b, structure == "lower")
    if structure in ("tridiagonal", "banded"):
        return _by_bands(a, b, structure)
    return np.linalg.solve(a, b)


def _by_bands(a, b, structure):
    if structure == "tridiagonal":
        if a.ndim > 2:
            return np.linalg.solve(np.triu(np.tril(a, 1), -1), b)
        below = above = min(1, a.shape[-1] - 1)
    else:
        below, above = bandwidth(a) if a.ndim == 2 else a.shape[-2:]
        if 2 * (below + above) >= a.shape[-1]:
            return np.linalg.solve(a, b)
    return solve_banded((below, above), bands_of(a, below, above), b, check_finite=False)


@described(
    "ndarray: The inverse.",
    {"ValueError": "The matrix is not square, or has infinities or NaNs.",
     "KeyError": "The structure is unknown.", "LinAlgError": "The matrix is singular."},
    DECOMPOSED,
    assume_a=(_STRUCTURE[0], "The structure of the matrix: 'general', 'diagonal', 'upper "
              "triangular', 'lower triangular', 'sym', 'her' or 'pos'."),
)
def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False):
    """The inverse of a matrix."""
    a = checked(a, check_finite)
    if a.ndim < 2:
        raise refuse(f"Expected at least ndim=2, got a.ndim={a.ndim}")
    if a.shape[-1] != a.shape[-2]:
        raise refuse(f"Expected square matrix, got a.shape={a.shape}")
    a = a.astype(lapack_dtype(a), copy=False)
    if a.size == 0:
        return np.empty_like(a)
    if assume_a not in _OF_INVERTED:
        raise refuse(f"{assume_a} is not a recognized matrix structure", KeyError, "choice")
    structure = _STRUCTURES[assume_a]
    if structure == "general":
        return np.linalg.inv(a)
    one = np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape)
    return _structured(a, one, structure, lower, False)


@described("float or complex: The determinant; an array for several matrices.",
           {"ValueError": "The matrix is not square, or has infinities or NaNs."}, CHECKED)
def det(a, overwrite_a=False, check_finite=True):
    """The determinant of a matrix, in double precision."""
    a = checked(a, check_finite)
    if a.ndim < 2:
        raise refuse("The input array must be at least two-dimensional.")
    if a.shape[-1] != a.shape[-2]:
        raise refuse(f"Last 2 dimensions of the array must be square but received shape {a.shape}.")
    a = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64, copy=False)
    return np.linalg.det(a)


@described(
    "float or ndarray: The norms.",
    {"ValueError": "The order is unknown, or there are infinities or NaNs."}, CHECKED,
    ord=("{float, 'fro', 'nuc'}", "The order of the norm; that of Frobenius by default."),
    axis=("int or (int, int)", "The axis of the vectors, or the axes of the matrices."),
    keepdims=("bool", "Whether the axes stay, with one element."),
)
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    """The norm of a matrix or a vector."""
    a = checked(a, check_finite)
    return np.linalg.norm(a, ord=ord, axis=axis, keepdims=keepdims)


@described(
    "(ndarray, ndarray, int, ndarray): The solutions, the sums of squared residuals (empty if the "
    "rank is not full, or with 'gelsy'), the rank and the singular values (None with 'gelsy').",
    {"ValueError": "The shapes do not fit, or there are infinities or NaNs.",
     "LinAlgError": "The singular values do not converge."},
    DECOMPOSED + " With 'gelsy' and `cond`, SciPy computes it on the host; matrices of more than "
    "2**22 elements are refused then.",
    lapack_driver=("{'gelsd', 'gelss', 'gelsy'}", "Which results there are; without effect on how "
                   "they are computed."),
    cond=("float", "Singular values up to this fraction of the largest count as zeros."),
)
def lstsq(
    a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True, lapack_driver=None
):
    """The solution of equations by least squares, of the least norm."""
    driver = "gelsd" if lapack_driver is None else lapack_driver
    # Not converted, b has the dtype of the residuals without unknowns.
    given, a = checked(b, check_finite), checked(a, check_finite)
    if a.ndim < 2:
        raise refuse("Input array a should be 2D")
    rows, width = a.shape[-2:]
    if given.ndim == 0 or rows != given.shape[-2 if given.ndim > 1 else 0]:
        raise refuse(f"Shape mismatch: a {a.shape} and b {given.shape} should have the same number "
                     "of rows.")
    b = not_of_none(given)
    if driver == "gelsy" and cond is not None and a.size:
        # The limit is one for the diagonal of a triangle, with exchanged columns.
        return _host.of_scipy("lstsq", a, b, cond, lapack_driver=driver)
    a, b, is_vector = right_sides(*together(not_of_none(a), b))
    stack = a.shape[:-2]
    if rows == 0 or width == 0:
        x = result(np.zeros((*stack, width, b.shape[-1]), a.dtype), is_vector)
        given = given[:, None] if is_vector else given
        rest = np.zeros((*stack, 0)) if width else result(
            np.broadcast_to(np.linalg.norm(given, axis=-2) ** 2, (*stack, b.shape[-1])), is_vector)
        return x, rest, np.zeros(stack, int) if stack else 0, np.zeros((*stack, 0))
    if driver not in ("gelsd", "gelsy", "gelss"):
        raise refuse(f'LAPACK driver "{driver}" is not found', mistake="choice")
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    used = s > (epsilon(a.dtype) if cond is None else cond) * s[..., :1]
    rank = used.sum(axis=-1)
    factors = np.where(used, 1 / np.where(used, s, 1), 0).astype(s.dtype)
    x = adjoint(vh) @ (factors[..., None] * (adjoint(u) @ b))
    if driver != "gelsy" and rows > width and of_one_shape(rank == width):
        rest = result((np.abs(b - a @ x) ** 2).sum(axis=-2), is_vector)
    else:
        rest = np.zeros((*stack, 0), x.dtype)
    if driver == "gelsy":
        import numpy

        s = numpy.full(stack, None) if stack else None
    return result(x, is_vector), rest, rank if stack else int(rank), s


def _check_tolerances(*given):
    if any(one is not None and one < 0 for one in given):
        raise refuse("atol and rtol values must be positive.")


def _limit(s, shape, atol, rtol, dtype):
    """The largest singular value that counts as zero."""
    atol = 0.0 if atol is None else atol
    rtol = max(shape) * epsilon(dtype) if rtol is None else rtol
    _check_tolerances(atol, rtol)
    return atol + rtol * s.max(axis=-1, keepdims=True)


_OF_INVERSE = {
    "atol": ("float", "The absolute tolerance; 0 by default."),
    "rtol": ("float", "The relative tolerance; the larger extent times the rounding by default."),
    "return_rank": ("bool", "Whether the rank is returned."),
}
_RANKED = "ndarray or (ndarray, int): The inverse; with `return_rank` also the rank."


@described(_RANKED, {"ValueError": "A tolerance is negative, or there are infinities or NaNs.",
                     "LinAlgError": "The singular values do not converge."}, DECOMPOSED,
           **_OF_INVERSE)
def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    """The inverse of Moore and Penrose of a matrix."""
    a = matrix(a, check_finite)
    if a.size == 0:
        _check_tolerances(atol, rtol)
        made = np.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
        return _ranked(made, np.zeros((*a.shape[:-2], 1), bool), return_rank)
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    used = s > _limit(s, a.shape[-2:], atol, rtol, a.dtype)
    factors = np.where(used, 1 / np.where(used, s, 1), 0).astype(s.dtype)
    made = adjoint(vh) @ (factors[..., None] * adjoint(u))
    return _ranked(made, used, return_rank)


@described(_RANKED, {"ValueError": "A tolerance is negative, or there are infinities or NaNs.",
                     "LinAlgError": "The eigenvalues do not converge."}, DECOMPOSED, **_OF_INVERSE)
def pinvh(a, atol=None, rtol=None, lower=True, return_rank=False, check_finite=True):
    """The inverse of Moore and Penrose of a Hermitian matrix, of which one triangle is used."""
    a = square(a, check_finite)
    if a.size == 0:
        _check_tolerances(atol, rtol)
        return _ranked(np.empty_like(a), np.zeros((*a.shape[:-2], 1), bool), return_rank)
    s, u = np.linalg.eigh(a, "L" if lower else "U")
    used = np.abs(s) > _limit(np.abs(s), a.shape[-2:], atol, rtol, a.dtype)
    factors = np.where(used, 1 / np.where(used, s, 1), 0).astype(s.dtype)
    return _ranked((u * factors[..., None, :]) @ adjoint(u), used, return_rank)


def _ranked(made, used, return_rank):
    if not return_rank:
        return made
    rank = used.sum(axis=-1)
    return made, int(rank) if rank.ndim == 0 else rank


@described(
    "ndarray: The solutions.",
    {"ValueError": "The shapes do not fit.",
     "LinAlgError": "A matrix is nearly singular, and `singular` is 'raise'."},
    "Collective: every process calls it, because it reads whether a matrix is singular. It is "
    "solved by transforms.",
    c=("array_like", "The first columns of the matrices."),
    singular=("{'raise', 'lstsq'}", "Whether nearly singular matrices are an error, or solved by "
              "least squares."),
    tol=("float", "Eigenvalues whose sizes are at most this count as zeros."),
)
def solve_circulant(c, b, singular="raise", tol=None, caxis=-1, baxis=0, outaxis=0):
    """The solution of equations with circulant matrices."""
    c, b = np.atleast_1d(array(c)), np.atleast_1d(array(b))
    n = c.shape[_place(caxis, c.ndim)]
    if n != b.shape[_place(baxis, b.ndim)]:
        raise refuse(f"Shapes of c {c.shape} and b {b.shape} are incompatible")
    is_complex = "c" in (c.dtype.kind, b.dtype.kind)
    if b.size == 0:
        dtype = np.result_type(*(np.fft.fft(np.ones(1, one.dtype)).dtype for one in (c, b)))
        return np.empty_like(b, dtype=dtype if is_complex else real_of(dtype))
    values = np.fft.fft(np.moveaxis(c, caxis, -1), axis=-1)
    sizes = np.abs(values)
    if tol is None:
        tol = sizes.max(axis=-1, keepdims=True) * (n * epsilon(np.float64))
    zeros = sizes <= tol
    if bool(zeros.any()):
        if singular == "raise":
            raise _singular("near singular circulant matrix.")
        values = np.where(zeros, 1, values)
    found = np.fft.fft(np.moveaxis(b, baxis, -1), axis=-1) / values
    found = np.fft.ifft(np.where(zeros, 0, found), axis=-1)
    return np.moveaxis(found if is_complex else found.real, -1, outaxis)


def _place(axis, ndim):
    from ..signal._arrays import axis_of

    return axis_of(axis, ndim)


def _column_and_row(given, check_finite):
    if isinstance(given, tuple):
        c, r = (checked(one, check_finite) for one in given)
        return c, r
    c = checked(given, check_finite)
    return c, np.conj(c)


@described(
    "ndarray: The products.", {"ValueError": "The shapes do not fit."},
    CHECKED + " Products are computed by transforms.",
    workers=("int", "Without effect."), x=("array_like", "The vector, or vectors as columns."),
)
def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None):
    """The product of a matrix of constant diagonals with vectors."""
    c, r = _column_and_row(c_or_cr, check_finite)
    x = checked(x, check_finite)
    c, r = (not_of_none(np.atleast_1d(one), 1) for one in (c, r))
    rows, width = c.shape[-1], r.shape[-1]
    is_vector = x.ndim == 1
    x = not_of_none(x[:, None] if is_vector else x)
    if x.ndim < 2 or x.shape[-2] != width:
        raise refuse(f"Incompatible dimensions: the matrix has {width} columns, x has the shape "
                     f"{x.shape}")
    is_complex = "c" in (c.dtype.kind, r.dtype.kind, x.dtype.kind)
    dtype = np.complex128 if is_complex else np.float64
    stack = np.broadcast_shapes(c.shape[:-1], r.shape[:-1])
    if x.size == 0:
        shape = (*np.broadcast_shapes(stack, x.shape[:-2]), rows, x.shape[-1])
        return result(np.zeros(shape, dtype), is_vector)
    from ..signal._arrays import fast_length

    c, r = (np.broadcast_to(one, (*stack, one.shape[-1])).astype(dtype) for one in (c, r))
    length = fast_length(rows + width - 1)
    gap = np.zeros((*stack, length - rows - width + 1), dtype)
    turned = np.concatenate([c, gap, np.flip(r[..., 1:], -1)], axis=-1)
    forward, back = ((np.fft.fft, np.fft.ifft) if is_complex else (np.fft.rfft, np.fft.irfft))
    made = forward(turned, axis=-1)[..., None] * forward(x.astype(dtype), length, axis=-2)
    return result(back(made, length, axis=-2)[..., :rows, :], is_vector)
