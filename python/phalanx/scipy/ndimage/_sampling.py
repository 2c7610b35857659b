"""Values of images between their elements, by B-splines.

A point of an image is a sum of the coefficients around it, multiplied by the splines' values. One
operation reads them where every device has all coefficients. The elements of images that are too
large for that are requested from their owners, one coefficient of all points after the other; there
the coordinates follow the same rules: `mapped` moves a coordinate into the image, as a mode says,
and `_place` the positions of the coefficients.
"""

import itertools

import phalanx as np

from ..._phalanx import ndimage as _native
from ._windows import MOST_AXES

# The elements with which modes without a spline of their own are extended before they are filtered.
PADDING = 12
# The bytes of an image that every device may have: of CPUs, and of GPUs, which receive a copy in the
# time of a few passes over it.
_MOST_ON_CPU = 1 << 28
_MOST_ON_GPU = 1 << 31
# Coordinates of mode "reflect" that are nearly those of the first element.
_TINY = 1e-15


def mapped(x, extent, mode):
    """Coordinates moved into an axis, as a mode says; -1 for points that are outside."""
    last = extent - 1
    below, above = x < 0, x > last
    if mode == "constant":
        return np.where(below | above, -1.0, x)
    if extent <= 1:
        return np.where(below | above, 0.0, x)
    if mode == "mirror":
        turn = 2.0 * last
        low = x + turn * np.trunc(-x / turn)
        low = np.where(low <= -last, low + turn, -low)
        high = x - turn * np.trunc(x / turn)
        high = np.where(high >= extent, turn - high, high)
    elif mode == "reflect":
        turn = 2.0 * extent
        low = np.where(x < -turn, x + turn * np.trunc(-x / turn), x)
        near = np.where(low > -_TINY, _TINY, -low) - 1.0
        low = np.where(low < -extent, low + turn, near)
        high = x - turn * np.trunc(x / turn)
        high = np.where(high >= extent, turn - high - 1.0, high)
    elif mode == "wrap":
        turn = float(last)
        low = x + turn * (np.trunc(-x / turn) + 1.0)
        high = x - turn * np.trunc(x / turn)
    else:
        turn = float(extent)
        low = x + turn * (np.floor(np.trunc(-1.0 - x) / turn) + 1.0)
        high = x - turn * np.trunc(x / turn)
    return np.where(below, low, np.where(above, high, x))


def _place(position, extent, mode):
    """The positions of coefficients in an axis, for positions inside or outside."""
    if mode in ("nearest", "grid-constant"):
        return np.clip(position, 0, extent - 1)
    if extent == 1:
        return position * 0
    if mode == "grid-wrap":
        return position % extent
    turn = 2 * extent if mode == "reflect" else 2 * extent - 2
    place = position % turn
    return np.minimum(place, turn - (mode == "reflect") - place)


def _spline_values(t, order):
    """The values of the splines around a point at the distance `t` from the middle one."""
    if order == 0:
        return [None]
    if order == 1:
        return [1.0 - t, t]
    if order == 2:
        low = 0.5 - t
        values = [0.5 * low * low, 0.75 - t * t]
    elif order == 3:
        u = 1.0 - t
        values = [u * u * u / 6.0, _cubic(t), _cubic(u)]
    elif order == 4:
        low, square = (0.5 - t) * (0.5 - t), t * t
        values = [low * low / 24.0, _quartic(1.0 + t),
                  square * (0.25 * square - 0.625) + 115.0 / 192.0, _quartic(1.0 - t)]
    else:
        u = 1.0 - t
        low = u * u
        values = [low * low * u / 120.0, _outer_quintic(1.0 + t), _quintic(t), _quintic(u),
                  _outer_quintic(1.0 + u)]
    # The values add up to 1, so a constant image stays so.
    rest = 1.0
    for value in values:
        rest = rest - value
    return [*values, rest]


def _cubic(d):
    return (d * d * (3.0 * d - 6.0) + 4.0) / 6.0


def _quartic(d):
    return ((((5.0 - d) * d / 6.0 - 1.25) * d + 5.0 / 24.0) * d) + 55.0 / 96.0


def _quintic(d):
    square = d * d
    return square * (square * (0.25 - d / 12.0) - 0.5) + 0.55


def _outer_quintic(d):
    return ((((d / 24.0 - 0.375) * d + 1.25) * d - 1.75) * d + 0.625) * d + 0.425


class _Taps:
    """The coefficients around points along an axis: positions, weights, and which points are in the
    image."""

    def __init__(self, x, extent, order, mode):
        self.extent = extent
        mode = "grid-constant" if mode == "opencv" else mode
        # Modes without an exact spline have coefficients that are mirrored.
        self.mode = "mirror" if mode in ("constant", "wrap") else mode
        self.inside = None
        # The other two modes extend the coefficients to all sides.
        if mode not in ("grid-constant", "nearest"):
            x = mapped(x, extent, mode)
            self.inside = x > -1.0
        middle = np.floor(x if order & 1 else x + 0.5)
        self.values = _spline_values(x - middle, order)
        self._start = middle.astype(np.int64) - order // 2

    def place(self, tap):
        """The positions of a coefficient; those of `_beyond` are clipped."""
        return _place(self._start + tap, self.extent, self.mode)

    def beyond(self, tap):
        """Whether a coefficient is the number outside; None if no one is."""
        if self.mode != "grid-constant":
            return None
        position = self._start + tap
        return (position < 0) | (position >= self.extent)


def _inside(parts):
    """Where all are true; None if all are None."""
    found = None
    for part in parts:
        if part is not None:
            found = part if found is None else found & part
    return found


def _is_near(filtered, axes):
    """Whether every device may have all coefficients, and one operation reads them along so many
    axes."""
    most = _MOST_ON_GPU if np.cuda.is_available() else _MOST_ON_CPU
    is_small = np.mesh().devices == 1 or filtered.nbytes <= most
    return is_small and axes <= MOST_AXES


def _interpolated(filtered, coordinates, order, mode, cval):
    """The values at points. The first axis of each array of coordinates is that of the image's
    axes."""
    mode = "grid-constant" if mode == "opencv" else mode
    return _native._interpolate(filtered, coordinates, (order, mode, float(cval)))


def at_points(filtered, coordinates, order, mode, cval):
    """The values at points. `coordinates` has arrays with a row for each of the last axes of the
    image, one or several each; the rows broadcast. The other axes come first in the result."""
    count = sum(len(part) for part in coordinates)
    if _is_near(filtered, count):
        return _interpolated(filtered, coordinates, order, mode, cval)
    coordinates = np.broadcast_arrays(*(row for part in coordinates for row in part))
    shape, extents = filtered.shape[:-count], filtered.shape[-count:]
    flat = filtered.reshape(*shape, -1)
    taps = [_Taps(x, extent, order, mode) for x, extent in zip(coordinates, extents)]
    places = [[tap.place(at) for at in range(order + 1)] for tap in taps]
    outside = [[tap.beyond(at) for at in range(order + 1)] for tap in taps]
    total = None
    for chosen in itertools.product(range(order + 1), repeat=count):
        place, weight, is_out = None, None, None
        for axis, at in enumerate(chosen):
            own = places[axis][at]
            place = own if place is None else place * extents[axis] + own
            value = taps[axis].values[at]
            weight = value if weight is None else weight * value
            beyond = outside[axis][at]
            is_out = is_out if beyond is None else beyond if is_out is None else is_out | beyond
        value = np.take(flat, place, axis=-1, mode="clip").astype(np.float64)
        value = value if is_out is None else np.where(is_out, cval, value)
        value = value if weight is None else value * weight
        total = value if total is None else total + value
    inside = _inside(tap.inside for tap in taps)
    return total if inside is None else np.where(inside, total, cval)


def along_axes(filtered, coordinates, order, mode, cval):
    """The values at the points of a grid. `coordinates` has a vector for each axis, or None where
    the points are the elements."""
    leading = 0
    while leading < len(coordinates) and coordinates[leading] is None:
        leading += 1
    behind = coordinates[leading:]
    if behind and all(x is not None for x in behind) and _is_near(filtered, len(behind)):
        points = [
            x.reshape([1, *(-1 if at == axis else 1 for at in range(len(behind)))])
            for axis, x in enumerate(behind)
        ]
        return _interpolated(filtered, points, order, mode, cval)
    total, kept = filtered, []
    for axis, x in enumerate(coordinates):
        if x is None:
            continue
        shape = [1] * filtered.ndim
        shape[axis] = -1
        taps, source, total = _Taps(x, filtered.shape[axis], order, mode), total, None
        for at in range(order + 1):
            value = np.take(source, taps.place(at), axis=axis, mode="clip").astype(np.float64)
            beyond, weight = taps.beyond(at), taps.values[at]
            value = value if beyond is None else np.where(beyond.reshape(shape), cval, value)
            value = value if weight is None else value * weight.reshape(shape)
            total = value if total is None else total + value
        kept.append(None if taps.inside is None else taps.inside.reshape(shape))
    inside = _inside(kept)
    return total if inside is None else np.where(inside, total, cval)


def rounded(x, dtype):
    """Values in a dtype: integers are rounded, and kept within their range."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu":
        return x
    bounds = np.iinfo(dtype)
    # The largest 64-bit integers are no float64, so the largest float64 below them counts.
    largest = float(bounds.max) if dtype.itemsize < 8 else bounds.max / 2 * (2.0 - 2.0**-52)
    low = 0.0 if dtype.kind == "u" else x - 0.5
    return np.clip(np.where(x > 0, x + 0.5, low), float(bounds.min), largest).astype(dtype)
