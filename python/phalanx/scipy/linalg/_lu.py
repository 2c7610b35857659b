"""The factorisation of matrices into triangles, with exchanged rows."""

import math

import phalanx as np
from phalanx._phalanx.linalg import _factored_panel

from .._arguments import array, host, refuse
from ._arrays import checked, columns, lapack_dtype, not_of_none, result, together
from ._described import FACTORED, described
from ._triangular import substituted

# Columns of a panel, and the elements of all the panels that are on the host at a time.
_WIDTH = 128
_MOST = 1 << 24
# Panels of fewer columns are factorised one column after the other.
_NARROW = 8


def _factor_panel(panel):
    """On the host, the factors of matrices of few columns in one array, and the order of rows."""
    import numpy

    rows, width = panel.shape[-2:]
    if width <= _NARROW or rows <= _NARROW:
        return _factored_panel(panel)
    half = min(width // 2, rows)
    left, order = _factor_panel(panel[..., :half].copy())
    right = _taken(panel[..., half:], order)
    top = _lower_inverse(left[..., :half, :]) @ right[..., :half, :]
    rest, moved = _factor_panel(right[..., half:, :] - left[..., half:, :] @ top)
    panel[..., :half, :half], panel[..., :half, half:] = left[..., :half, :], top
    panel[..., half:, :half], panel[..., half:, half:] = _taken(left[..., half:, :], moved), rest
    order[..., half:] = numpy.take_along_axis(order[..., half:], moved, axis=-1)
    return panel, order


def _taken(rows, order):
    """On the host, rows of matrices in an order."""
    import numpy

    if rows.ndim == 2:
        return rows[order]
    return numpy.take_along_axis(rows, order[..., None], axis=-2)


def _lower_inverse(factor):
    """On the host, the inverse of the triangles of ones on the diagonal below it."""
    import numpy

    n = factor.shape[-1]
    lower = numpy.tril(factor, -1) + numpy.eye(n, dtype=factor.dtype)
    return numpy.linalg.inv(lower) if n else lower


def factorised(a):
    """The factors of matrices in one array, on devices, and the order of rows, on the host.

    Panels of columns are factorised on the host; the columns on their right are changed by
    products of matrices on devices.
    """
    import numpy

    *batch, rows, width = a.shape
    count = min(rows, width)
    total = max(math.prod(batch) * rows, 1)
    step = max(1, min(_WIDTH, _MOST // total))
    order = numpy.broadcast_to(numpy.arange(rows), (*batch, rows)).copy()
    lefts, tops, moves, rest = [], [], [], a
    for start in range(0, count, step):
        stop = min(start + step, count)
        n = stop - start
        panel, moved = _factor_panel(rest[..., :n].get().copy())
        order[..., start:] = numpy.take_along_axis(order[..., start:], moved, axis=-1)
        lefts.append(np.asarray(panel))
        if start == 0 and stop == width:
            # Nothing is on the right of the only panel.
            return lefts[0], order
        moves.append(moved)
        right = _reordered(rest[..., n:], moved)
        top = np.asarray(_lower_inverse(panel[..., :n, :])) @ right[..., :n, :]
        tops.append(top)
        rest = right[..., n:, :] - lefts[-1][..., n:, :] @ top
    if not lefts:
        return a, order
    return _assembled(lefts, tops, moves, step, count), order


def _assembled(lefts, tops, moves, step, count):
    """The factors in one array, of panels whose rows were exchanged after they were made."""
    import numpy

    blocks = []
    for number, left in enumerate(lefts):
        start = number * step
        n = min(step, count - start)
        later = numpy.arange(left.shape[-2])
        later = numpy.broadcast_to(later, (*left.shape[:-2], later.size)).copy()
        for after in range(number + 1, len(lefts)):
            skip = after * step - start
            later[..., skip:] = numpy.take_along_axis(later[..., skip:], moves[after], axis=-1)
        blocks.append((start, n, _reordered(left, later)))
    rows = []
    for number, (start, n, _) in enumerate(blocks):
        line = [block[..., start - first : start - first + n, :]
                for first, _, block in blocks[: number + 1]]
        rows.append(np.concatenate([*line, tops[number]], axis=-1))
    bottom = [block[..., count - first :, :] for first, _, block in blocks]
    if bottom[0].shape[-2]:
        rows.append(np.concatenate(bottom, axis=-1))
    return np.concatenate(rows, axis=-2)


def _reordered(x, order):
    """Rows of matrices in an order that the host has. Only rows that move are taken."""
    import numpy

    if order.ndim > 1:
        return np.take_along_axis(x, np.asarray(order)[..., None], axis=-2)
    changed = numpy.flatnonzero(order != numpy.arange(order.size))
    if changed.size == 0 or x.shape[-1] == 0:
        return x
    x = x.copy()
    x[np.asarray(changed)] = x[np.asarray(order[changed])]
    return x


def _exchanges(order, count):
    """The row with which each one was exchanged, of an order of the rows."""
    import numpy

    n = order.shape[-1]
    wanted = order.reshape(math.prod(order.shape[:-1]), n)
    each = numpy.arange(wanted.shape[0])
    # Where a row is, and which one is in a place.
    place, rows = (numpy.tile(numpy.arange(n), (each.size, 1)) for _ in range(2))
    made = numpy.empty((each.size, count), numpy.int32)
    for step in range(count):
        found, displaced = place[each, wanted[:, step]], rows[:, step].copy()
        made[:, step] = found
        place[each, displaced] = found
        rows[each, found] = displaced
    return made.reshape(*order.shape[:-1], count)


def _order(exchanges, count):
    """The order of rows after exchanges."""
    import numpy

    steps = exchanges.reshape(math.prod(exchanges.shape[:-1]), exchanges.shape[-1])
    each = numpy.arange(steps.shape[0])
    made = numpy.tile(numpy.arange(count), (each.size, 1))
    for step, other in enumerate(steps.T):
        first = made[:, step].copy()
        made[:, step] = made[each, other]
        made[each, other] = first
    return made.reshape(*exchanges.shape[:-1], count)


def _two_axes(a, check_finite):
    a = checked(a, check_finite)
    if a.ndim < 2:
        raise refuse("The input array must be at least two-dimensional.")
    return a.astype(lapack_dtype(a), copy=False)


@described(
    "tuple of ndarray: The permutation, the lower and the upper triangle; with `permute_l` the "
    "lower triangle with its rows permuted, and the upper one.",
    {"ValueError": "The matrix has fewer than two axes, or infinities or NaNs."},
    FACTORED,
    permute_l=("bool", "Whether the permutation is applied to the lower triangle."),
    p_indices=("bool", "Whether the permutation is an array of row numbers."),
)
def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    """The factorisation of a matrix into a permutation, a lower and an upper triangle."""
    import numpy

    a = _two_axes(a, check_finite)
    *batch, rows, width = a.shape
    count = min(rows, width)
    factors, order = factorised(a)
    lower = np.tril(factors[..., :count], -1) + np.eye(rows, count, dtype=a.dtype)
    upper = np.triu(factors[..., :count, :])
    back = numpy.argsort(order, axis=-1)
    if permute_l:
        return _reordered(lower, back), upper
    if a.size == 0:
        # As in SciPy, the permutation for a matrix without elements has none.
        rows, back = 0, back[..., :0]
    if p_indices:
        # As in SciPy, the one number of a matrix with one element is a long one.
        return np.asarray(back.astype(int if a.shape[-2:] == (1, 1) else numpy.int32)), lower, upper
    permutation = np.asarray(back)[..., None] == np.arange(rows)
    return permutation.astype(np.zeros(0, a.dtype).real.dtype), lower, upper


@described(
    "(ndarray, ndarray): Both triangles in one matrix, without the ones on the diagonal of the "
    "lower one, and the row with which each row was exchanged.",
    {"ValueError": "The matrix has fewer than two axes, or infinities or NaNs."},
    FACTORED,
)
def lu_factor(a, overwrite_a=False, check_finite=True):
    """The factorisation of a matrix into triangles, for `lu_solve`."""
    given = checked(a, check_finite)
    a = not_of_none(_two_axes(given, False))
    factors, order = factorised(a)
    if a.size == 0:
        # As in SciPy, nothing is factorised, and the dtype is as given.
        factors = factors.astype(given.dtype)
    exchanges = _exchanges(order, min(a.shape[-2:]))
    _warn_of_zeros(factors)
    return factors, np.asarray(exchanges)


def _warn_of_zeros(factors):
    import warnings

    zeros = np.diagonal(factors, axis1=-2, axis2=-1) == 0
    if zeros.size and bool(zeros.any()):
        from ._warnings import warning

        warnings.warn(
            "A diagonal element of the upper triangle is 0. The matrix is singular.",
            warning(),
            stacklevel=4,
        )


@described(
    "ndarray: The solutions, in the shape of `b`.",
    {"ValueError": "The shapes do not fit, or `trans` is unknown.",
     "LinAlgError": "The matrix is singular."},
    "Collective: every process calls it. The exchanges of rows are read.",
    lu_and_piv=("(array_like, array_like)", "The result of `lu_factor`."),
)
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """The solution of equations whose matrix is factorised."""
    import numpy

    factors, exchanges = lu_and_piv
    factors, exchanges = array(factors), host(exchanges)
    b = checked(b, check_finite)
    if b.ndim == 0 or factors.shape[-2] != b.shape[-2 if b.ndim > 1 else 0]:
        raise refuse(f"Shapes of lu {factors.shape} and b {b.shape} are incompatible")
    if trans not in (0, 1, 2):
        raise refuse("illegal value in 7th argument of internal getrs")
    factors, b = together(factors, b)
    factors, b, is_vector = columns(factors, b)
    exchanges = numpy.broadcast_to(exchanges, (*factors.shape[:-2], exchanges.shape[-1]))
    order = _order(exchanges, factors.shape[-1])
    if b.size == 0:
        return result(b, is_vector)
    if trans == 0:
        x = substituted(factors, _reordered(b, order), lower=True, unit=True)
        return _in_columns(substituted(factors, x), is_vector)
    turned = np.swapaxes(factors, -1, -2)
    turned = np.conj(turned) if trans == 2 else turned
    x = substituted(turned, b, lower=True)
    x = substituted(turned, x, unit=True)
    return _in_columns(_reordered(x, numpy.argsort(order, axis=-1)), is_vector)


def _in_columns(x, is_vector):
    """Solutions in the order of memory of LAPACK's."""
    return np.asfortranarray(x) if x.ndim == 2 and not is_vector else result(x, is_vector)
