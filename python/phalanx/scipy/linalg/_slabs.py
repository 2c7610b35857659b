"""Equations with long bands, on devices, by dense matrices of slabs of rows."""

import math

import phalanx as np

from .._arguments import refuse
from ._arrays import adjoint, epsilon, together
from ._cholesky import positive
from ._triangular import substituted

# Columns of the first slabs for each band beside the main one, and the least number of them.
_WIDE, _LEAST = 4, 8
# Slabs that are joined at the next levels, and the rows that are solved at once at the end.
_JOINED, _FEW_ROWS = 4, 512
# Elements of a group of slabs that is turned on its own, and the largest number of groups.
_GROUP, _MOST_GROUPS = 1 << 18, 32
# A column that differs from those before it by so many roundings of its length depends on them;
# by more in a long matrix.
_ROUNDINGS = 8


def by_slabs(below, above, ab, b):
    """The solution of equations in bands, on devices, with memory for 16 to 18 times the bands.

    A slab of rows is turned so that most of its rows have the unknowns that no other slab has in
    front; the remaining rows have unknowns at both ends of the slab alone. They are the rows of a
    matrix of the same form with fewer rows. Source: S. J. Wright, "Stable parallel algorithms for
    two-point boundary value problems" (1992).

    A matrix counts as singular if a row is zero, or if an element of a triangle's diagonal is
    within its limit (see `_limits`). The triangle of a singular matrix whose columns depend on one
    another with very different weights may have no such element, because of errors of rounding.
    """
    if {ab.dtype.kind, b.dtype.kind} & set("biu"):
        # As in SciPy, short integers make the precision double, also beside single precision.
        ab = ab.astype(np.result_type(ab.dtype, np.float64))
    ab, right = _of_one_dtype(ab, b)
    n, wide = ab.shape[1], below + above
    if b.size == 0:
        return np.zeros(b.shape, right.dtype)
    if wide == 0:
        if bool((ab == 0).any()):
            raise _singular()
        return (right / ab[0][:, None]).reshape(b.shape)
    rows, limits = _rows(below, above, ab), _limits(below, above, ab)
    if bool((rows == 0).all(axis=1).any()):
        # Errors of rounding may hide it in the triangles.
        raise _singular()
    joined = max(_WIDE * wide, _LEAST)
    found = _solved(rows[:, None, :], right[:, None, :], limits, below, joined)
    return found[below : below + n].reshape(b.shape)


def _singular():
    return refuse("singular matrix", np.linalg.LinAlgError)


def _of_one_dtype(ab, b):
    """The bands, and the right sides as columns."""
    ab, b = together(ab, b)
    return ab, b[:, None] if b.ndim == 1 else b


def _in_matrix(below, above, ab):
    """The bands without what is beyond the matrix, from the one above; and how far it is above."""
    n = ab.shape[1]
    for band, step in zip(ab, range(above, -below - 1, -1)):
        beyond = min(abs(step), n)
        yield (band[beyond:] if step > 0 else band[: n - beyond]), step


def _rows(below, above, ab):
    """The elements of each row in bands; zeros beyond the matrix."""
    n = ab.shape[1]
    lines = []
    for band, step in _in_matrix(below, above, ab):
        missing = n - band.shape[0]
        lines.append(np.pad(band, (0, missing) if step > 0 else (missing, 0)))
    return np.stack(lines[::-1], axis=1)


def _limits(below, above, ab):
    """The elements of a triangle's diagonal that count as zeros; none beyond the matrix.

    The errors of rounding of a triangle are proportional to the lengths of the columns. Where the
    columns depend on one another, the errors of all of them add up in an element, as random ones.
    """
    n, squares = ab.shape[1], 0.0
    for band, step in _in_matrix(below, above, ab):
        missing = n - band.shape[0]
        squares = squares + np.pad(np.abs(band) ** 2, (missing, 0) if step > 0 else (0, missing))
    roundings = max(_ROUNDINGS, math.sqrt(n) / 4)
    return np.pad(np.sqrt(squares) * (roundings * epsilon(ab.dtype)), (below, above))


def _groups(rows, joined):
    """The number of groups into which slabs are divided, each of which is turned on its own.

    Each level keeps the triangles of its slabs, and what is turned beside them. Everything else
    needs memory for one group.
    """
    count, shift, width = rows.shape
    elements = count * ((joined + 1) * shift + width)
    return min(max(elements // _GROUP, 1), _MOST_GROUPS)


def _solved(rows, right, limits, below, joined):
    """The unknowns of block rows, each of which begins as many unknowns after the one before as it
    has rows: `below` unknowns that are not in the matrix are first, and others are last. `limits`
    are those of `_limits` for each unknown."""
    count, shift, width = rows.shape
    if count * shift <= max(_FEW_ROWS, joined * shift):
        n = count * shift
        whole = _slabs(rows, count)[0, :, below : below + n]
        turned = np.linalg.qr(np.concatenate([whole, right.reshape(n, -1)], axis=1), mode="r")
        _check(turned[:, :n], limits[below : below + n])
        found = substituted(turned[:, :n], turned[:, n:])
        return np.pad(found, ((below, width - shift - below), (0, 0)))
    groups = _groups(rows, joined)
    shared, long = width - shift, joined * shift
    rows, right = _lengthened(rows, right, below, joined * groups)
    limits = np.pad(limits, (0, rows.shape[0] * shift + shared - limits.shape[0]))
    inner, number = long - shared, rows.shape[0] // joined
    inside, last = limits[:-shared].reshape(number, long), limits[-shared:]
    parts, ends = [], []
    for rows_of, right_of, limits_of in zip(
        *(_divided(one.reshape(number, -1), groups) for one in (rows, right, inside))
    ):
        turned = _turned(_slabs(rows_of.reshape(-1, shift, width), joined), right_of, inner)
        _check(turned[:, :, :inner], limits_of[:, shared:])
        parts.append(turned)
        ends.append(turned[:, inner:, inner:])
    ends = np.stack(ends, axis=1).reshape(number, shared, -1)
    limits = np.concatenate([inside[:, :shared].ravel(), last])
    ends = _solved(ends[..., : 2 * shared], ends[..., 2 * shared :], limits, below, _JOINED)
    ends = ends.reshape(number + 1, shared, -1)
    found = []
    for turned, before, after in zip(
        parts, _divided(ends[:-1], groups), _divided(ends[1:], groups)
    ):
        left = turned[:, :inner, inner + 2 * shared :]
        left = left - turned[:, :inner, inner : inner + shared] @ before
        left = left - turned[:, :inner, inner + shared : inner + 2 * shared] @ after
        found.append(substituted(turned[:, :inner, :inner], left))
        # What the next group needs takes the place of what this one needed.
        np.evaluate(found[-1])
    found = np.stack(found, axis=1).reshape(number, inner, -1)
    found = np.concatenate([ends[:-1], found], axis=1).reshape(number * long, -1)
    return np.concatenate([found, ends[-1]])[: count * shift + shared]


def _turned(slabs, right, inner):
    """The triangles of slabs: the unknowns of a slab alone come first, those of both ends and the
    right sides last."""
    shared = (slabs.shape[2] - inner) // 2
    right = right.reshape(*slabs.shape[:2], -1)
    parts = [slabs[:, :, shared : shared + inner], slabs[:, :, :shared],
             slabs[:, :, shared + inner :], right]
    return np.linalg.qr(np.concatenate(parts, axis=2), mode="r")


def _divided(x, groups):
    """Arrays of every so many elements of the first axis, so that every device has a part of each.
    """
    x = x.reshape(-1, groups, *x.shape[1:])
    return [x[:, group] for group in range(groups)]


def _check(triangle, limits):
    """Refuses triangles of which an element of the diagonal is within its limit."""
    if bool((np.abs(np.diagonal(triangle, axis1=-2, axis2=-1)) <= limits).any()):
        raise _singular()


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

    It needs memory for 22 to 30 times the given bands. All unknowns of a slab but the last ones are
    eliminated by a triangle of Cholesky. The last ones of all slabs have a positive definite matrix
    of blocks in three diagonals.
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
    groups = _groups(rows, joined)
    rows, right = _lengthened(rows, right, size, joined * groups)
    number, width = rows.shape[0] // joined, right.shape[-1]
    parts, rests = [], []
    for rows_of, right_of in zip(
        *(_divided(one.reshape(number, -1), groups) for one in (rows, right))
    ):
        slabs = _slabs(rows_of.reshape(-1, size, 3 * size), joined)
        factor, outer, rest = _eliminated(slabs, right_of.reshape(*slabs.shape[:2], width), size)
        parts.append((factor, outer))
        rests.append(rest)
        np.evaluate(rest)
    rest = np.stack(rests, axis=1).reshape(number, size, -1)
    main, across = rest[..., :size], rest[..., 2 * size : 3 * size]
    main = main - _of_next(rest[..., size : 2 * size])
    known = rest[..., 3 * size + width :] - _of_next(rest[..., 3 * size : 3 * size + width])
    ends = np.concatenate([-adjoint(across), main, -_of_next(across)], axis=2)
    ends = _definite(ends, known, _JOINED).reshape(number, size, -1)
    first = np.pad(ends[:-1], ((1, 0), (0, 0), (0, 0)))
    found = []
    for (factor, outer), before, after in zip(
        parts, _divided(first, groups), _divided(ends, groups)
    ):
        left = outer[..., 2 * size :] - outer[..., :size] @ before
        left = left - outer[..., size : 2 * size] @ after
        found.append(substituted(adjoint(factor), left))
        np.evaluate(found[-1])
    found = np.stack(found, axis=1).reshape(number, (joined - 1) * size, -1)
    found = np.concatenate([found, ends], axis=1).reshape(number * joined * size, -1)
    return found[: count * size]


def _eliminated(slabs, right, size):
    """The triangles of slabs without their last unknowns, what is beside them, and what is left.

    Beside them are the unknowns at the end of the slab before, those at the end of this one, and
    the right sides. Left are the matrix of the last unknowns, what is taken from that of the slab
    before, and the right sides of the last unknowns.
    """
    factor = np.linalg.cholesky(slabs[:, :-size, size : -2 * size])
    outer = [slabs[:, :-size, :size], slabs[:, :-size, -2 * size : -size], right[:, :-size]]
    outer = substituted(factor, np.concatenate(outer, axis=2), lower=True)
    before, after = outer[..., :size], adjoint(outer[..., size : 2 * size])
    main = slabs[:, -size:, -2 * size : -size] - after @ outer[..., size : 2 * size]
    rest = right[:, -size:] - after @ outer[..., 2 * size :]
    return factor, outer, np.concatenate([main, adjoint(before) @ outer, rest], axis=2)


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
