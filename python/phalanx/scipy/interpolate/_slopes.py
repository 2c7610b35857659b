"""The slopes of cubic polynomials between points: monotone ones, and those of smooth splines."""

import phalanx as np

from .._arguments import array, refuse
from ._pieces import wide
from ._tridiagonal import solved


def checked_ends(bc_type, y, axis):
    """The conditions at both ends, each one a name or an order and a value, and the data, which are
    complex if a value is."""
    if isinstance(bc_type, str):
        if bc_type == "periodic" and not bool(np.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15)):
            raise refuse(
                f"The first and last `y` point along axis {axis} must be identical (within machine "
                "precision) when bc_type='periodic'."
            )
        bc_type = (bc_type, bc_type)
    else:
        if len(bc_type) != 2:
            raise refuse(
                "`bc_type` must contain 2 elements to specify start and end conditions."
            )
        if any(isinstance(one, str) and one == "periodic" for one in bc_type):
            raise refuse(
                "'periodic' `bc_type` is defined for both curve ends and cannot be used with other "
                "boundary conditions."
            )
    shape, ends = y.shape[1:], []
    for one in bc_type:
        if isinstance(one, str):
            if one in ("clamped", "natural"):
                ends.append((1 if one == "clamped" else 2, np.zeros(shape)))
            elif one in ("not-a-knot", "periodic"):
                ends.append(one)
            else:
                raise refuse(f"bc_type={one} is not allowed.", mistake="choice")
            continue
        try:
            order, value = one
        except Exception as error:
            raise refuse(
                "A specified derivative value must be given in the form (order, value)."
            ) from error
        if order not in (1, 2):
            raise refuse("The specified derivative order must be 1 or 2.", mistake="choice")
        value = array(value)
        if value.shape != shape:
            raise refuse(
                f"`deriv_value` shape {value.shape} is not the expected one {shape}.",
                mistake="together",
            )
        if value.dtype.kind == "c":
            y = y.astype(np.complex128, copy=False)
        ends.append((int(order), value))
    return ends, y


def monotone_slopes(steps, y):
    """The slopes at the points for which cubic polynomials between them are monotone where the data
    are. The steps broadcast with the data."""
    secants = (y[1:] - y[:-1]) / steps
    if y.shape[0] == 2:
        return np.concatenate([secants, secants])
    before, after = secants[:-1], secants[1:]
    first = 2 * steps[1:] + steps[:-1]
    second = steps[1:] + 2 * steps[:-1]
    turns = (np.sign(before) != np.sign(after)) | (before == 0) | (after == 0)
    safe = [np.where(turns, 1.0, one) for one in (before, after)]
    mean = (first / safe[0] + second / safe[1]) / (first + second)
    inner = np.where(turns, 0.0, 1.0 / mean)

    def end(h0, h1, m0, m1):
        """The slope at an end by three points, limited so that the polynomial is monotone."""
        slope = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
        is_steep = (np.sign(m0) != np.sign(m1)) & (np.abs(slope) > 3.0 * np.abs(m0))
        return np.where(
            np.sign(slope) != np.sign(m0), 0.0, np.where(is_steep, 3.0 * m0, slope)
        )

    start = end(steps[:1], steps[1:2], secants[:1], secants[1:2])
    stop = end(steps[-1:], steps[-2:-1], secants[-1:], secants[-2:-1])
    return np.concatenate([start, inner, stop])


def smooth_slopes(steps, y, start, stop):
    """The slopes at the points, for steps between them and conditions at the ends."""
    n, more = y.shape[0], y.ndim - 1
    h = wide(steps, more)
    secants = (y[1:] - y[:-1]) / h
    if n == 2:
        names = ("not-a-knot", "periodic")
        start, stop = (
            (1, secants[0]) if isinstance(end, str) and end in names else end
            for end in (start, stop)
        )
    if start == "periodic":
        return _periodic_slopes(steps, h, secants)
    if n == 3 and start == "not-a-knot" and stop == "not-a-knot":
        # One parabola.
        middle = (h[1:] * secants[:1] + h[:1] * secants[1:]) / (h[:1] + h[1:])
        return np.concatenate([2 * secants[:1] - middle, middle, 2 * secants[1:] - middle])
    between = 3 * (h[1:] * secants[:-1] + h[:-1] * secants[1:])
    first = _end(start, 1.0, steps[:2], h[:2], secants[:2], between[:1])
    # The other end is the first one of the points in reverse.
    turned = (np.flip(one, 0) for one in (steps[-2:], h[-2:], secants[-2:]))
    last = _end(stop, -1.0, *turned, between[-1:])
    # A row of an end is added to those of the inner points, or replaces one.
    inner = slice(1 if start == "not-a-knot" else 0, n - 3 if stop == "not-a-knot" else n - 2)
    zero = np.zeros(1)
    found = solved(
        np.concatenate([zero, steps[1:][inner], last[1]]),
        np.concatenate([first[0], 2 * (steps[:-1] + steps[1:])[inner], last[0]]),
        np.concatenate([first[1], steps[:-1][inner], zero]),
        np.concatenate([first[2], between[inner], last[2]]),
    )
    if start == "not-a-knot":
        found = np.concatenate([first[3](found[:1]), found])
    if stop == "not-a-knot":
        found = np.concatenate([found, last[3](found[-1:])])
    return found


def _end(condition, sign, steps, h, secants, between):
    """The row of an end: its diagonal, coupling and right side, and for 'not-a-knot' the slope at
    the end from the solution of the row."""
    if condition == "not-a-knot":
        both = h[:1] + h[1:]
        outer = (h[:1] + 2 * both) * h[1:] * secants[:1] + h[:1] ** 2 * secants[1:]
        outer = outer / both
        # The row of the end, ``h1 s0 + both s1 = outer``, is subtracted from that of the next
        # point, which makes the diagonal dominant.
        return (
            steps[:1] + steps[1:], steps[:1], between - outer,
            lambda next_slope: (outer - both * next_slope) / h[1:],
        )
    order, value = condition
    one, value = np.ones(1), value[None]
    if order == 1:
        return one, 0 * one, value + 0 * secants[:1], None
    right = 3 * h[:1] * secants[:1] - (0.5 * sign) * value * h[:1] ** 2
    return 2 * steps[:1], steps[:1], right, None


def _periodic_slopes(steps, h, secants):
    """The slopes of a periodic spline."""
    before, h_before, secants_before = (np.roll(one, 1, axis=0) for one in (steps, h, secants))
    right = 3 * (h * secants_before + h_before * secants)
    found = solved(steps, 2 * (before + steps), before, right, True)
    return np.concatenate([found, found[:1]])
