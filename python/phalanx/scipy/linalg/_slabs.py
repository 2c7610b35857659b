"""Equations with long bands, on devices, by dense matrices of slabs of rows."""

import phalanx as np

from .._arguments import refuse
from ._arrays import adjoint, lapack_dtype
from ._cholesky import positive
from ._triangular import substituted

# Columns of the first slabs for each band beside the main one, and the least number of them.
_WIDE, _LEAST = 4, 8
# Slabs that are joined at the next levels, and the rows that are solved at once at the end.
_JOINED, _FEW_ROWS = 4, 512


def by_slabs(below, above, ab, b):
    """The solution of equations in bands, on devices, with memory for a few times the bands.

    A slab of rows is turned so that most of its rows have the unknowns that no other slab has in
    front; the remaining rows have unknowns at both ends of the slab alone. They are the rows of a
    matrix of the same form with fewer rows. Source: S. J. Wright, "Stable parallel algorithms for
    two-point boundary value problems" (1992).
    """
    ab, right = _of_one_dtype(ab, b)
    n, wide = ab.shape[1], below + above
    if b.size == 0:
        return np.zeros(b.shape, right.dtype)
    if wide == 0:
        if bool((ab == 0).any()):
            raise refuse("singular matrix", np.linalg.LinAlgError)
        return (right / ab[0][:, None]).reshape(b.shape)
    rows = _rows(below, above, ab)
    found = _solved(rows[:, None, :], right[:, None, :], below, max(_WIDE * wide, _LEAST))
    return found[below : below + n].reshape(b.shape)


def _of_one_dtype(ab, b):
    """The bands, and the right sides as columns."""
    dtype = lapack_dtype(ab, b)
    b = b[:, None] if b.ndim == 1 else b
    return ab.astype(dtype, copy=False), b.astype(dtype, copy=False)


def _rows(below, above, ab):
    """The elements of each row in bands. What is beyond the matrix is not used."""
    n = ab.shape[1]
    places = np.arange(n)[:, None] + np.arange(-below, above + 1)
    taken = np.take_along_axis(ab[::-1], np.clip(places.T, 0, n - 1), 1).T
    return np.where((places >= 0) & (places < n), taken, np.zeros((), ab.dtype))


def _solved(rows, right, below, joined):
    """The unknowns of block rows, each of which begins as many unknowns after the one before as it
    has rows: `below` unknowns that are not in the matrix are first, and others are last."""
    count, shift, width = rows.shape
    if count * shift <= max(_FEW_ROWS, joined * shift):
        whole = _slabs(rows, count)[0]
        n = count * shift
        found = np.linalg.solve(whole[:, below : below + n], right.reshape(n, -1))
        return np.pad(found, ((below, width - shift - below), (0, 0)))
    rows, right = _lengthened(rows, right, below, joined)
    shared = width - shift
    slabs = _slabs(rows, joined)
    inner = slabs.shape[1] - shared
    right = right.reshape(slabs.shape[0], slabs.shape[1], -1)
    turn, triangle = np.linalg.qr(slabs[:, :, shared : shared + inner], mode="complete")
    outer = np.concatenate([slabs[:, :, :shared], slabs[:, :, shared + inner :], right], axis=2)
    turned = adjoint(turn) @ outer
    ends = _solved(turned[:, inner:, : 2 * shared], turned[:, inner:, 2 * shared :], below, _JOINED)
    ends = ends.reshape(-1, shared, ends.shape[-1])
    left = turned[:, :inner, 2 * shared :]
    left = left - turned[:, :inner, :shared] @ ends[:-1]
    left = left - turned[:, :inner, shared : 2 * shared] @ ends[1:]
    between = substituted(triangle[:, :inner], left)
    found = np.concatenate([ends[:-1], between], axis=1).reshape(-1, ends.shape[-1])
    return np.concatenate([found, ends[-1]])[: count * shift + shared]


def whole_bands(ab, lower):
    """All bands of a Hermitian matrix, of those on one side of the main one."""
    half, n = ab.shape[0] - 1, ab.shape[1]
    main = ab[:1] if lower else ab[half:]
    main = main.real.astype(ab.dtype)
    given = [ab[step : step + 1] if lower else ab[half - step : half - step + 1]
             for step in range(1, half + 1)]
    mirrored = []
    for step, band in enumerate(given, 1):
        widths = ((0, 0), (step, 0) if lower else (0, step))
        band = np.pad(np.conj(band) if band.dtype.kind == "c" else band, widths)
        mirrored.append(band[:, :n] if lower else band[:, step:])
    above, below = (mirrored, given) if lower else (given, mirrored)
    return np.concatenate([*above[::-1], main, *below])


def by_definite_slabs(ab, b):
    """As `by_slabs`, for a positive definite matrix.

    All unknowns of a slab but the last ones are eliminated by a triangle of Cholesky. The last ones
    of all slabs have a positive definite matrix of blocks in three diagonals.
    """
    ab, right = _of_one_dtype(ab, b)
    n, half = ab.shape[1], ab.shape[0] // 2
    if b.size == 0:
        return np.zeros(b.shape, right.dtype)
    if half == 0:
        if bool((ab.real <= 0).any()):
            raise refuse("the matrix is not positive definite", np.linalg.LinAlgError)
        return (right / ab[0][:, None]).reshape(b.shape)
    rows, right = _lengthened(_rows(half, half, ab)[:, None, :], right[:, None, :], half, half)
    blocks = _slabs(rows, half)
    found = _definite(blocks, right.reshape(blocks.shape[0], half, -1), max(_WIDE, _LEAST // half))
    return found[:n].reshape(b.shape)


def _lengthened(rows, right, below, joined):
    """Block rows whose number is a multiple, by ones of further unknowns, which are zeros."""
    count, shift, width = rows.shape
    missing = -count % joined
    if missing:
        one = np.eye(shift, width, below, dtype=rows.dtype)
        rows = np.concatenate([rows, np.broadcast_to(one, (missing, shift, width))])
        right = np.pad(right, ((0, missing), (0, 0), (0, 0)))
    return rows, right


def _definite(rows, right, joined):
    """The unknowns of blocks in three diagonals."""
    count, size, _ = rows.shape
    if count * size <= max(_FEW_ROWS, joined * size):
        whole = _slabs(rows, count)[0, :, size:-size]
        return positive(whole, right.reshape(count * size, -1))
    rows, right = _lengthened(rows, right, size, joined)
    slabs = _slabs(rows, joined)
    right = right.reshape(slabs.shape[0], joined * size, -1)
    factor = np.linalg.cholesky(slabs[:, :-size, size : -2 * size])
    # Beside the eliminated unknowns are those at the end of the slab before, and of this one.
    outer = [slabs[:, :-size, :size], slabs[:, :-size, -2 * size : -size], right[:, :-size]]
    outer = substituted(factor, np.concatenate(outer, axis=2), lower=True)
    before, after, known = outer[..., :size], outer[..., size : 2 * size], outer[..., 2 * size :]
    main = slabs[:, -size:, -2 * size : -size] - adjoint(after) @ after
    main = main - _of_next(adjoint(before) @ before)
    left = -(adjoint(after) @ before)
    ends = np.concatenate([left, main, _of_next(adjoint(left))], axis=2)
    rest = right[:, -size:] - adjoint(after) @ known - _of_next(adjoint(before) @ known)
    ends = _definite(ends, rest, _JOINED).reshape(-1, size, right.shape[-1])
    first = np.pad(ends[:-1], ((1, 0), (0, 0), (0, 0)))
    inner = substituted(adjoint(factor), known - before @ first - after @ ends)
    found = np.concatenate([inner, ends], axis=1).reshape(-1, right.shape[-1])
    return found[: count * size]


def _of_next(x):
    """The matrices of the next slabs; zeros for the last one."""
    return np.pad(x[1:], ((0, 1), (0, 0), (0, 0)))


def _slabs(rows, joined):
    """Dense matrices of consecutive block rows."""
    count, shift, width = rows.shape
    number, wide = count // joined, (joined - 1) * shift + width
    lines = np.swapaxes(rows.reshape(number, joined, shift, width), 1, 2)
    # Lines that are longer than those of the result by what one block row begins after another:
    # read on with the lengths of the result, they are in their places.
    lines = np.pad(lines, ((0, 0), (0, 0), (0, 0), (0, wide + shift - width)))
    lines = lines.reshape(number, shift, -1)[:, :, : joined * wide]
    return np.swapaxes(lines.reshape(number, shift, joined, wide), 1, 2).reshape(
        number, joined * shift, wide)
