"""Integrals of functions that are given by samples."""

import phalanx as np

from .._arguments import array, refuse
from ..signal._arrays import axis_of, part, real_of
from ._described import RECORDED, described

_INTEGRAL = "ndarray: The integrals."
_SHAPES = {"ValueError": "The shapes do not fit."}


@described(_INTEGRAL, _SHAPES)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral of samples by trapezoids."""
    y = _floating(array(y))
    if x is None:
        d = _step(dx)
    else:
        x = _as_real(array(x), real_of(y.dtype))
        d = np.diff(x) if x.ndim == 1 else np.diff(x, axis=axis)
        if x.ndim == 1:
            shape = [1] * y.ndim
            shape[axis] = d.shape[0]
            d = d.reshape(shape)
    return (d * (part(y, axis, 1) + part(y, axis, 0, -1)) / 2.0).sum(axis=axis)


@described(
    "ndarray: The integrals up to each sample, one fewer than samples without `initial`.", _SHAPES,
    initial=("0", "A value that is inserted at the start; only 0 is allowed."),
)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """The integrals of samples up to each one, by trapezoids."""
    y = array(y)
    if y.ndim == 0 or y.shape[axis] == 0:
        raise refuse("At least one point is required along `axis`.")
    if initial is not None:
        if initial != 0:
            raise refuse("`initial` must be `None` or `0`.")
        if not _is_scalar(initial):
            raise refuse("`initial` parameter should be a scalar.")
    d = dx if x is None else _steps(array(x), y, axis, "x")
    made = np.cumsum(d * (part(y, axis, 1) + part(y, axis, 0, -1)) / 2.0, axis=axis)
    if initial is None:
        return made
    shape = list(made.shape)
    shape[axis] = 1
    first = np.full(shape, initial, dtype=made.dtype)
    return np.concatenate([first, made], axis=axis)


def _floating(y):
    return y.astype(np.float64) if y.dtype.kind in "biu" else y


def _as_real(x, dtype):
    """Sample points in a real dtype; complex ones stay."""
    return x if x.dtype.kind == "c" else x.astype(dtype, copy=False)


def _step(dx):
    """A distance of samples; a number does not change the precision."""
    return dx if isinstance(dx, np.ndarray) or not _is_scalar(dx) else (
        complex(dx) if isinstance(dx, complex) else float(dx))


def _is_scalar(x):
    import numpy

    return numpy.isscalar(x)


def _steps(x, y, axis, name):
    """The differences of sample points, in a shape that broadcasts with the samples."""
    if x.ndim == 1:
        d = np.diff(x)
        shape = [1] * y.ndim
        shape[axis] = -1
        d = d.reshape(shape)
    elif x.ndim != y.ndim:
        raise refuse(f"If given, shape of `{name}` must be 1-D or the same as `y`.")
    else:
        d = np.diff(x, axis=axis)
    if d.shape[axis] != y.shape[axis] - 1:
        raise refuse(f"If given, length of `{name}` along axis must be the same as `y`.")
    return d


def _ratio(a, b):
    """Quotients; 0 where the denominator is 0."""
    zero = b == 0
    return np.where(zero, 0.0, a / np.where(zero, 1, b))


def _pairs(y, x, start, stop, dx, axis):
    """Simpson's rule over pairs of intervals."""
    first, middle, last = (part(y, axis, start + at, stop + at, 2) for at in range(3))
    if x is None:
        return ((first + 4.0 * middle + last) * (dx / 3.0)).sum(axis=axis)
    h = np.diff(x, axis=axis)
    h0, h1 = part(h, axis, start, stop, 2), part(h, axis, start + 1, stop + 1, 2)
    total, ratio = h0 + h1, _ratio(h0, h1)
    terms = total / 6.0 * (
        first * (2.0 - _ratio(1.0, ratio))
        + middle * (total * _ratio(total, h0 * h1))
        + last * (2.0 - ratio)
    )
    return terms.sum(axis=axis)


@described(_INTEGRAL, _SHAPES)
def simpson(y, x=None, *, dx=1.0, axis=-1):
    """The integral of samples by parabolas; of an odd number of intervals, the last one by the
    parabola of the last three samples."""
    y = array(y)
    axis = axis_of(axis, y.ndim)
    n = y.shape[axis]
    dx = _step(dx)
    if x is not None:
        given = np.result_type(array(x).dtype, np.float32)
        x = _as_real(array(x), np.float64)
        if x.ndim == 1:
            shape = [1] * y.ndim
            shape[axis] = x.shape[0]
            x = x.reshape(shape)
        elif x.ndim != y.ndim:
            raise refuse("If given, shape of `x` must be 1-D or the same as `y`.")
        if x.shape[axis] != n:
            raise refuse("If given, length of `x` along axis must be the same as `y`.")
    if n % 2:
        return _pairs(y, x, 0, n - 2, dx, axis)
    last, before = part(y, axis, n - 1), part(y, axis, n - 2, n - 1)
    if n == 2:
        step = dx if x is None else (
            part(x, axis, n - 1) - part(x, axis, n - 2, n - 1)).astype(given, copy=False)
        return (0.5 * step * (last + before)).sum(axis=axis)
    if n == 0:
        return _pairs(y, x, 0, 0, dx, axis)
    made = _pairs(y, x, 0, n - 3, dx, axis)
    # Source: K. V. Cartwright, "Simpson's rule cumulative integration with MS Excel and
    # irregularly-spaced data" (2017).
    if x is None:
        # The factors of three samples of equal distances.
        rest = (5 * last + 8 * before - part(y, axis, n - 3, n - 2)) * (dx / 12)
        made = made + rest.sum(axis=axis)
        # A single integral is in double precision, as SciPy's.
        return made.astype(np.result_type(made.dtype, np.float64)) if y.ndim == 1 else made
    h0 = part(x, axis, n - 2, n - 1) - part(x, axis, n - 3, n - 2)
    h1 = part(x, axis, n - 1) - part(x, axis, n - 2, n - 1)
    alpha = _ratio(2 * h1**2 + 3 * h0 * h1, 6 * (h1 + h0))
    beta = _ratio(h1**2 + 3.0 * h0 * h1, 6 * h0)
    eta = _ratio(h1**3, 6 * h0 * (h0 + h1))
    rest = alpha * last + beta * before - eta * part(y, axis, n - 3, n - 2)
    return made + rest.sum(axis=axis)


@described(
    "ndarray: The integrals up to each sample, one fewer than samples without `initial`.",
    {"ValueError": "The shapes do not fit, or the points do not ascend."},
    RECORDED + " Collective with `x`, because it reads whether the points ascend.",
    initial=("array_like", "A value that is inserted at the start, and added to all integrals."),
)
def cumulative_simpson(y, *, x=None, dx=1.0, axis=-1, initial=None):
    """The integrals of samples up to each one, by parabolas."""
    y = _floating(array(y))
    whole = y.shape
    try:
        y = np.moveaxis(y, axis, -1)
    except ValueError as error:
        raise refuse(f"`axis={axis}` is not valid for `y` with `y.ndim={y.ndim}`.") from error
    if y.ndim == 0:
        raise refuse(f"`axis={axis}` is not valid for `y` with `y.ndim={y.ndim}`.")
    n = y.shape[-1]
    if n < 1:
        raise refuse("At least one point is required along `axis`.")
    if x is not None:
        x = array(x)
        if not (x.shape == whole or (x.ndim == 1 and x.shape[0] == n)):
            raise refuse("If given, shape of `x` must be the same as `y` or 1-D with the same "
                         "length as `y` along `axis`.")
        x = x if x.ndim == 1 else np.moveaxis(x, axis, -1)
        x = np.broadcast_to(x, y.shape).astype(np.result_type(x.dtype, np.float64))
        steps = np.diff(x, axis=-1)
        if n > 2 and bool((steps <= 0).any()):
            raise refuse("Input x must be strictly increasing.")
    else:
        dx = _step(dx) if _is_scalar(dx) else _along(dx, "dx", y, whole, axis)
        steps = None
    if n > 2:
        y = y.astype(np.result_type(y.dtype, np.float64))
    if n < 3:
        d = steps if steps is not None else dx
        made = np.cumsum(d * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    else:
        made = np.cumsum(_subintervals(y, steps, dx), axis=-1)
    if initial is not None:
        start = _along(initial, "initial", y, whole, axis)
        start = np.broadcast_to(start, (*y.shape[:-1], 1))
        made = np.concatenate([start, made + start], axis=-1)
    return np.moveaxis(made, -1, axis)


def _along(value, name, y, whole, axis):
    """A number, or several ones that belong to the other axes."""
    value = array(value)
    value = value.astype(np.float64) if value.dtype.kind in "biu" else value
    shape = list(whole)
    shape[axis] = 1
    if value.ndim and value.shape != tuple(shape):
        raise refuse(f"If provided, `{name}` must either be a scalar or have the same shape as "
                     "`y`, but with only one element along `axis`.")
    return value if value.ndim == 0 else np.moveaxis(value, axis, -1)


def _subintervals(y, steps, dx):
    """The integrals of single intervals, each by the parabola of three samples."""
    n = y.shape[-1]

    def both(first, middle, last, h0, h1):
        if h0 is None:
            return (dx / 3 * (1.25 * first + 2 * middle - 0.25 * last),
                    dx / 3 * (1.25 * last + 2 * middle - 0.25 * first))

        def part_of(one, other, third, here, there):
            ratio, whole = here / (here + there), here / there
            return here / 6 * (
                one * (3 - ratio) + other * (3 + whole * ratio + ratio) - third * whole * ratio
            )

        return part_of(first, middle, last, h0, h1), part_of(last, middle, first, h1, h0)

    count = (n - 1) // 2 * 2
    pieces = [y[..., at : at + count - 1 : 2] for at in range(3)]
    h = (None, None) if steps is None else (steps[..., 0:count:2], steps[..., 1:count:2])
    made = np.stack(both(*pieces, *h), axis=-1).reshape(*y.shape[:-1], count)
    if n % 2:
        return made
    ends = [y[..., at : at + 1] for at in (n - 3, n - 2, n - 1)]
    h = (None, None) if steps is None else (steps[..., -2:-1], steps[..., -1:])
    return np.concatenate([made, both(*ends, *h)[1]], axis=-1)


@described(
    _INTEGRAL, {"ValueError": "The number of samples is not one more than a power of 2."},
    RECORDED + " Collective with `show`, which prints the table.",
    show=("bool", "Whether the table of the extrapolation is printed; of vectors only."),
)
def romb(y, dx=1.0, axis=-1, show=False):
    """The integral of samples by Romberg's extrapolation."""
    y = array(y)
    axis = axis_of(axis, y.ndim)
    count = y.shape[axis] - 1
    # Sums are in double precision.
    y = y.astype(np.result_type(y.dtype, np.float64))
    levels = max(count, 1).bit_length() - 1
    if count < 1 or 1 << levels != count:
        raise refuse("Number of samples must be one plus a non-negative power of 2.")
    h = count * _step(dx)
    first, last = (part(y, axis, at, at + 1).squeeze(axis) for at in (0, count))
    table = {(0, 0): (first + last) / 2.0 * h}
    step = count
    for level in range(1, levels + 1):
        h = h / 2
        start, step = step // 2, step // 2
        middle = part(y, axis, start, None, 2 * step).sum(axis=axis)
        table[level, 0] = 0.5 * table[level - 1, 0] + h * middle
        for order in range(1, level + 1):
            before = table[level, order - 1]
            change = before - table[level - 1, order - 1]
            table[level, order] = before + change / ((1 << 2 * order) - 1)
    if show:
        _print_table(table, levels, show)
    return table[levels, levels]


def _print_table(table, levels, show):
    if table[0, 0].ndim:
        print("*** Printing table only supported for integrals of a single data set.")
        return
    precision, width = show if isinstance(show, tuple) else (5, 8)
    print("Richardson Extrapolation Table for Romberg Integration")
    for level in range(levels + 1):
        print(" ".join(f"{float(table[level, order]):{width}.{precision}f}"
                       for order in range(level + 1)))


@described(
    "(ndarray, None): The integral, and None.", {"ValueError": "A limit is infinite."},
    "Local: recorded. The nodes are made on the host of every process.",
    func=("callable", "A function of an array of points, whose last axis has the values."),
    n=("int", "The number of points."),
)
def fixed_quad(func, a, b, args=(), n=5):
    """The integral of a function by Gauss's nodes of a fixed number."""
    import numpy

    nodes, weights = numpy.polynomial.legendre.leggauss(n)
    if numpy.isinf(a) or numpy.isinf(b):
        raise refuse("Gaussian quadrature is only available for finite limits.")
    points = (b - a) * (nodes + 1) / 2.0 + a
    values = array(func(np.asarray(points), *args))
    return (b - a) / 2.0 * (np.asarray(weights) * values).sum(axis=-1), None
