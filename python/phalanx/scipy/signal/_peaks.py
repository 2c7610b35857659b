"""Peaks of signals: local maxima, their prominences and widths.

A peak's base is found by walks from the peak to the left and to the right. The signal is reduced to
the extremes of blocks of 2, 4, 8 ... samples, and each walk takes the largest blocks that it can,
so that all peaks walk at once in about twice as many steps as there are sizes of blocks.
"""

import functools
import math
import operator
import warnings

import phalanx as np

from ._arrays import array, axis_of, part, refuse
from ._described import COLLECTIVE, described


class PeakPropertyWarning(RuntimeWarning):
    """A property of a peak has an unexpected value."""


def _shifted(data, axis, shift, mode):
    """The samples at a distance along an axis; beyond the ends the first or last ones, or those of
    the other end."""
    extent = data.shape[axis]
    if mode == "wrap":
        return np.roll(data, -shift, axis=axis)
    away = min(abs(shift), extent)
    if shift > 0:
        edge = [part(data, axis, -1)] * away
        return np.concatenate([part(data, axis, away), *edge], axis=axis)
    edge = [part(data, axis, 0, 1)] * away
    return np.concatenate([*edge, part(data, axis, 0, extent - away)], axis=axis)


_BEYOND = (
    "{'clip', 'wrap'}",
    "Whether the first and last samples are repeated beyond the ends, or the samples start again.",
)
_EXTREMA = {"ValueError": "The order is below 1, or the mode is unknown.",
            "AxisError": "There is no such axis."}


@described(
    "tuple of ndarray: The positions of the extrema, a vector for each axis.",
    _EXTREMA, COLLECTIVE, mode=_BEYOND,
)
def argrelextrema(data, comparator, axis=0, order=1, mode="clip"):
    """The positions of samples that compare with all neighbours up to a distance."""
    if not (hasattr(order, "__index__") and order >= 1):
        raise refuse("Order must be an int >= 1")
    if mode not in ("clip", "wrap", "raise"):
        text = f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})"
        raise refuse(text, mistake="choice")
    data = array(data)
    axis = axis_of(axis, data.ndim)
    extent = data.shape[axis]
    if mode == "raise" and extent:
        text = f"index {extent} is out of bounds for axis {axis} with size {extent}"
        raise refuse(text, IndexError)
    found = np.ones(data.shape, bool)
    if data.size:
        for shift in range(1, operator.index(order) + 1):
            for way in (shift, -shift):
                found = found & comparator(data, _shifted(data, axis, way, mode))
    return np.nonzero(found)


@described(
    "tuple of ndarray: The positions of the minima, a vector for each axis.",
    _EXTREMA, COLLECTIVE, mode=_BEYOND,
)
def argrelmin(data, axis=0, order=1, mode="clip"):
    """The positions of samples below all neighbours up to a distance."""
    return argrelextrema(data, np.less, axis, order, mode)


@described(
    "tuple of ndarray: The positions of the maxima, a vector for each axis.",
    _EXTREMA, COLLECTIVE, mode=_BEYOND,
)
def argrelmax(data, axis=0, order=1, mode="clip"):
    """The positions of samples above all neighbours up to a distance."""
    return argrelextrema(data, np.greater, axis, order, mode)


def _signal(x):
    x = array(x)
    x = x if x.dtype.char == "d" else x.astype(np.float64)
    if x.ndim != 1:
        raise refuse("`x` must be a 1-D array")
    return x


def _positions(peaks, count):
    """The positions of peaks, checked against the number of samples."""
    peaks = array(peaks)
    if peaks.size == 0:
        return np.zeros(0, np.int64)
    if not np.can_cast(peaks.dtype, np.int64):
        raise refuse("cannot safely cast `peaks` to dtype('intp')", TypeError, "dtype")
    if peaks.ndim != 1:
        raise refuse("`peaks` must be a 1-D array")
    peaks = peaks.astype(np.int64)
    wrong = (peaks < 0) | (peaks >= count)
    if bool(wrong.any()):
        raise refuse(f"peak {int(peaks[wrong][0])} is not a valid index for `x`")
    return peaks


def _window(wlen):
    if wlen is None:
        return None
    if not 1 < wlen:
        raise refuse(f"`wlen` must be larger than 1, was {wlen}")
    return math.ceil(wlen)


def _plateaus(x):
    """The middles and the edges of the runs of equal samples that are above both neighbours."""
    starts = np.flatnonzero(x[1:] != x[:-1]) + 1
    starts = np.concatenate([np.zeros(1, np.int64), starts])
    if starts.size < 3:
        nothing = np.zeros(0, np.int64)
        return nothing, nothing, nothing
    values = _at(x, starts)
    is_above = (values[1:-1] > values[:-2]) & (values[1:-1] > values[2:])
    runs = np.flatnonzero(is_above) + 1
    left, right = _at(starts, runs), _at(starts, runs + 1) - 1
    return (left + right) // 2, left, right


def _at(x, positions):
    """Elements at positions that are known to be within the array."""
    return np.take(x, positions, mode="clip")


def _levels(x, reduction):
    """The extremes of blocks of 1, 2, 4 ... samples."""
    found = [x]
    while found[-1].size > 1:
        last = found[-1]
        even = last.size // 2 * 2
        found.append(reduction(last[0:even:2], last[1:even:2]))
    return found


# Walks of fewer positions are not parted: that would take longer than to go on with all of them.
_MANY = 1 << 14


def _walk(start, data, allows, steps):
    """How far to the left positions can move over blocks of samples that `allows` accepts.
    Positions are those before which a block ends. Returns them, and `data` after the walk.

    `data` are arrays with an element for each position; the first has the least positions. `allows`
    gets the exponent of the size of the blocks, their numbers, a mask of those that are tried, and
    `data`; it returns a mask of those that it accepts, and `data` with them.

    Blocks become larger up to the first one that is refused, and then smaller. Most positions of
    noise stop early, so they wait until the blocks of the others are as small as theirs."""
    position, data = start, tuple(data)
    places, waiting = np.arange(start.size), []
    moves = np.ones(start.shape, bool)

    def step(size, is_tried):
        nonlocal position, data
        block = np.maximum((position >> size) - 1, 0)
        moved = position - (1 << size)
        is_tried = is_tried & (moved >= data[0])
        is_taken, data = allows(size, block, is_tried, data)
        position = np.where(is_taken, moved, position)
        return is_taken

    for size in range(steps):
        is_odd = (position >> size) & 1 == 1
        is_taken = step(size, moves & is_odd)
        moves = moves & (~is_odd | is_taken)
        if size % 2 and position.size >= _MANY:
            going = np.flatnonzero(moves)
            if 2 * going.size <= position.size:
                stopped = np.flatnonzero(~moves)
                all_of = (places, position, *data)
                waiting.append((size, [_at(one, stopped) for one in all_of]))
                places, position, *data = (_at(one, going) for one in all_of)
                data, moves = tuple(data), np.ones(position.shape, bool)
    for size in reversed(range(steps)):
        if waiting and waiting[-1][0] == size:
            parts = zip((places, position, *data), waiting.pop()[1], strict=True)
            places, position, *data = (np.concatenate(pair) for pair in parts)
            data = tuple(data)
        is_aligned = position & ((1 << size) - 1) == 0
        step(size, is_aligned)
    if places.size and position.size >= _MANY:
        back = np.argsort(places)
        position, *data = (_at(one, back) for one in (position, *data))
    return position, tuple(data)


class _Side:
    """The samples to the left of peaks, and the extremes of their blocks."""

    def __init__(self, x, wlen):
        self._x = x
        self.lowest = _levels(x, np.minimum)
        self.steps = len(self.lowest)
        if wlen is not None:
            self.steps = min(self.steps, (wlen // 2 + 1).bit_length() + 1)

    @functools.cached_property
    def highest(self):
        """The maxima of blocks, which only the search for bases needs."""
        return _levels(self._x, np.maximum)

    def base(self, peaks, heights, least):
        """The lowest samples before the signal exceeds each peak, and their positions."""

        def is_below(size, block, is_tried, data):
            least, heights, lowest = data
            accepted = is_tried & (_at(self.highest[size], block) <= heights)
            under = np.minimum(lowest, _at(self.lowest[size], block))
            return accepted, (least, heights, np.where(accepted, under, lowest))

        data = (least, heights, heights)
        end, (_, _, lowest) = _walk(peaks + 1, data, is_below, self.steps)
        found, _ = _walk(peaks + 1, (end, lowest), self._is_above, self.steps)
        return lowest, np.maximum(found - 1, least)

    def _is_above(self, size, block, is_tried, data):
        return is_tried & (_at(self.lowest[size], block) > data[1]), data

    def crossing(self, peaks, heights, least):
        """The first positions from the peaks on at which the signal is not above the heights."""
        return _walk(peaks + 1, (least + 1, heights), self._is_above, self.steps)[0] - 1


def _prominences(x, peaks, wlen):
    count = x.size
    heights = _at(x, peaks)
    far = peaks * 0
    mirrored = count - 1 - peaks
    limits = (far, far)
    if wlen is not None and wlen >= 2:
        limits = tuple(np.maximum(one - wlen // 2, 0) for one in (peaks, mirrored))
    low_left, left = _Side(x, wlen).base(peaks, heights, limits[0])
    low_right, right = _Side(x[::-1], wlen).base(mirrored, heights, limits[1])
    prominences = heights - np.maximum(low_left, low_right)
    if bool((prominences == 0).any()):
        text = "some peaks have a prominence of 0"
        warnings.warn(text, PeakPropertyWarning, stacklevel=3)
    return prominences, left, count - 1 - right


@described(
    "(ndarray, ndarray, ndarray): The prominences, and the positions of the bases on both sides.",
    {"ValueError": "A position is outside of the signal, or an array is no vector.",
     "TypeError": "The positions are no integers."},
    COLLECTIVE,
    x=("array_like", "The signal, a vector."),
)
def peak_prominences(x, peaks, wlen=None):
    """How far peaks stand out: their height above the higher one of their bases, the lowest
    samples on each side before the signal exceeds the peak."""
    x = _signal(x)
    peaks, wlen = _positions(peaks, x.size), _window(wlen)
    if peaks.size == 0:
        return np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64)
    return _prominences(x, peaks, wlen)


def _widths(x, peaks, rel_height, data):
    if rel_height < 0:
        raise refuse("`rel_height` must be greater or equal to 0.0")
    prominences, left, right = data
    if not prominences.shape == left.shape == right.shape == peaks.shape:
        text = "arrays in `prominence_data` must have the same shape as `peaks`"
        raise refuse(text, mistake="together")
    wrong = (left < 0) | (left > peaks) | (peaks > right) | (right >= x.size)
    if bool(wrong.any()):
        raise refuse(f"prominence data is invalid for peak {int(peaks[wrong][0])}")
    heights = _at(x, peaks) - prominences * rel_height
    count = x.size
    place, offset = _crossed(x, peaks, heights, left)
    start = place + offset
    place, offset = _crossed(x[::-1], count - 1 - peaks, heights, count - 1 - right)
    stop = (count - 1 - place) - offset
    widths = stop - start
    if bool((widths == 0).any()):
        warnings.warn("some peaks have a width of 0", PeakPropertyWarning, stacklevel=3)
    return widths, heights, start, stop


def _crossed(x, peaks, heights, least):
    """Where lines between samples to the left of the peaks cross the heights: the last position
    that is not above them, and the distance from it."""
    place = _Side(x, None).crossing(peaks, heights, least)
    value = _at(x, place)
    rise = _at(x, place + 1) - value
    is_under = value < heights
    offset = (heights - value) / np.where(is_under, rise, 1.0)
    return place, np.where(is_under, offset, 0.0)


@described(
    "(ndarray, ndarray, ndarray, ndarray): The widths, their heights, and the positions of the "
    "crossings on both sides.",
    {"ValueError": "A position is outside of the signal, or an array is no vector.",
     "TypeError": "The positions are no integers."},
    COLLECTIVE,
    x=("array_like", "The signal, a vector."),
)
def peak_widths(x, peaks, rel_height=0.5, prominence_data=None, wlen=None):
    """The widths of peaks at a height relative to their prominence."""
    x = _signal(x)
    peaks = _positions(peaks, x.size)
    if rel_height < 0:
        raise refuse("`rel_height` must be greater or equal to 0.0")
    wlen = _window(wlen) if prominence_data is None else None
    if peaks.size == 0:
        return tuple(np.zeros(0) for _ in range(4))
    if prominence_data is None:
        prominence_data = _prominences(x, peaks, wlen)
    else:
        if len(prominence_data) != 3:
            raise refuse("prominence_data has three arrays", TypeError, "count")
        one, left, right = map(array, prominence_data)
        prominence_data = one.astype(np.float64), left, right
    return _widths(x, peaks, rel_height, prominence_data)


def _limits(interval, x, peaks):
    """The least and the greatest value of a condition, for each peak."""
    try:
        least, most = interval
    except (TypeError, ValueError):
        least, most = interval, None
    ends = []
    for end, name in ((least, "lower"), (most, "upper")):
        if hasattr(end, "shape") and end.shape:
            if end.size != x.size:
                raise refuse(
                    f"array size of {name} interval border must match x", mistake="together"
                )
            end = _at(array(end), peaks)
        ends.append(end)
    return ends


def _within(values, limits):
    least, most = limits
    found = np.ones(values.shape, bool)
    if least is not None:
        found = found & (least <= values)
    return found if most is None else found & (values <= most)


def _separated(peaks, heights, distance):
    """On the host, a mask of the peaks that remain if each peak removes lower ones that are nearer
    than a distance, the highest one first."""
    import numpy

    places, order = peaks.get(), numpy.argsort(heights.get())
    distance = min(math.ceil(distance), int(places[-1] - places[0]) + 1)
    # The peaks that each one would remove are successive.
    first = numpy.searchsorted(places, places - distance, "right").tolist()
    stop = numpy.searchsorted(places, places + distance).tolist()
    keeps = bytearray(b"\1") * len(first)
    for one in reversed(order.tolist()):
        if keeps[one]:
            keeps[first[one] : stop[one]] = bytes(stop[one] - first[one])
            keeps[one] = 1
    return np.asarray(numpy.frombuffer(keeps, bool))


@described(
    "(ndarray, dict): The positions of the peaks, and arrays of those properties that were asked "
    "for.",
    {"ValueError": "The signal is no vector, or a condition is not allowed."},
    "Collective: every process calls it, because the result depends on data. With `distance`, the "
    "positions and heights of the peaks are read on every process.",
    x=("array_like", "The signal, a vector."),
    threshold=("number, array_like or pair", "The height above both neighbours: its "
               "minimum, or minimum and maximum."),
)
def find_peaks(x, height=None, threshold=None, distance=None, prominence=None, width=None,
               wlen=None, rel_height=0.5, plateau_size=None):
    """The peaks of a signal that fulfil conditions: samples, or runs of equal samples, above both
    neighbours."""
    x = _signal(x)
    if distance is not None and distance < 1:
        raise refuse("`distance` must be greater or equal to 1")
    peaks, left, right = _plateaus(x)
    properties = {}

    def keep(mask):
        nonlocal peaks, properties
        peaks = peaks[mask]
        properties = {name: values[mask] for name, values in properties.items()}

    if plateau_size is not None:
        sizes = right - left + 1
        mask = _within(sizes, _limits(plateau_size, x, peaks))
        properties |= {"plateau_sizes": sizes, "left_edges": left, "right_edges": right}
        keep(mask)
    if height is not None:
        heights = _at(x, peaks) if peaks.size else np.zeros(0)
        mask = _within(heights, _limits(height, x, peaks))
        properties["peak_heights"] = heights
        keep(mask)
    if threshold is not None:
        one, other = (
            _at(x, peaks) - _at(x, peaks + way) if peaks.size else np.zeros(0) for way in (-1, 1)
        )
        least, most = _limits(threshold, x, peaks)
        mask = np.ones(peaks.shape, bool)
        if least is not None:
            mask = mask & (np.minimum(one, other) >= least)
        if most is not None:
            mask = mask & (np.maximum(one, other) <= most)
        properties |= {"left_thresholds": one, "right_thresholds": other}
        keep(mask)
    if distance is not None and peaks.size:
        keep(_separated(peaks, _at(x, peaks), distance))
    if prominence is not None or width is not None:
        window = _window(wlen)
        names = ("prominences", "left_bases", "right_bases")
        found = (np.zeros(0), peaks, peaks)
        if peaks.size:
            found = _prominences(x, peaks, window)
        properties |= dict(zip(names, found))
    if prominence is not None:
        keep(_within(properties["prominences"], _limits(prominence, x, peaks)))
    if width is not None:
        found = (np.zeros(0),) * 4
        if peaks.size:
            data = [properties[name] for name in ("prominences", "left_bases", "right_bases")]
            found = _widths(x, peaks, rel_height, data)
        elif rel_height < 0:
            raise refuse("`rel_height` must be greater or equal to 0.0")
        properties |= dict(zip(("widths", "width_heights", "left_ips", "right_ips"), found))
        keep(_within(properties["widths"], _limits(width, x, peaks)))
    return peaks, properties
