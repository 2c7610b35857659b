"""Filters by functions of the program.

`generic_filter` and `generic_filter1d` call Python for each element or line, so their functions run
on the host, which receives a part of the image at a time. `vectorized_filter` passes all windows to
one call, as arrays on the devices.
"""

import math
import operator

import phalanx as np

from ._described import COLLECTIVE, FILTERED, ON_HOST, described
from ._support import (
    Output,
    array,
    axes_of,
    axis_of,
    check_origin,
    check_window,
    footprint_of,
    further,
    host,
    mode_of,
    number,
    one_mode,
    origins_of,
    real_image,
    refuse,
    warn_of_size,
)

# The modes of `pad` by those of filters.
_PADS = {
    "nearest": "edge", "reflect": "symmetric", "mirror": "reflect", "wrap": "wrap",
    "constant": "constant",
}
# The most elements of windows that are on the host at a time.
_CHUNK = 1 << 20


def _padded(image, widths, mode, cval):
    """An image with the elements outside of it."""
    if all(width == (0, 0) for width in widths):
        return image
    if mode == "constant":
        return np.pad(image, widths, constant_values=cval)
    return np.pad(image, widths, mode=_PADS[mode])


def _widths(extents, origins):
    return [
        (extent // 2 + origin, extent - 1 - extent // 2 - origin)
        for extent, origin in zip(extents, origins)
    ]


def _check_callable(function):
    if not callable(function):
        raise refuse(f"invalid callable given: {function!r}", ValueError, "type")


def _is_reduction(function):
    """Whether a function reduces arrays of windows: a ReductionKernel or a ufunc."""
    return isinstance(function, (np.ReductionKernel, np.ufunc))


@described(
    FILTERED, None,
    f"{ON_HOST} It receives a vector of float64 of NumPy for each element. A ReductionKernel, or a "
    "ufunc such as `maximum` that reduces, runs on the devices instead.",
)
def generic_filter(input, function, size=None, footprint=None, output=None, mode="reflect",
                   cval=0.0, origin=0, extra_arguments=(), extra_keywords=None, *, axes=None):
    """A function of the elements in a window around each element."""
    import numpy

    warn_of_size(size, footprint, 2)
    keywords = further(extra_arguments, extra_keywords)
    input = real_image(input)
    ndim, axes = input.ndim, axes_of(axes, input.ndim)
    footprint = footprint_of(size, footprint, axes, ndim)
    origins = origins_of(origin, axes, ndim)
    check_window(footprint, axes, ndim)
    origins = [check_origin(*pair) for pair in zip(origins, footprint.shape)]
    target, mode = Output(output, input), one_mode(mode)
    _check_callable(function)
    if input.size == 0:
        return target.store(input)
    image = input.astype(np.float64)
    if ndim == 0:
        value = image.get().reshape(1)
        return target.store(np.asarray(float(function(value, *extra_arguments, **keywords))))
    wide = _padded(image, _widths(footprint.shape, origins), mode, number(cval))
    if _is_reduction(function):
        windows = np.lib.stride_tricks.sliding_window_view(wide, footprint.shape)
        reduce = getattr(function, "reduce", function)
        return target.store(reduce(windows[..., np.asarray(footprint)], axis=-1))

    def of_rows(rows):
        windows = numpy.lib.stride_tricks.sliding_window_view(rows, footprint.shape)
        shape = windows.shape[:ndim]
        found = numpy.empty(shape)
        for at in numpy.ndindex(*shape):
            value = function(windows[at][footprint], *extra_arguments, **keywords)
            found[at] = value.item() if hasattr(value, "item") else value
        return found

    return target.store(_by_rows(of_rows, wide, input.shape[0], footprint.shape[0]))


def _by_rows(compute, wide, count, extent):
    """The results of a function on the host, which receives some rows at a time. `wide` has
    `extent` - 1 rows more than the result."""
    of_row = max(math.prod(wide.shape[1:]), 1)
    step = max(_CHUNK // of_row, 1)
    found = []
    for start in range(0, count, step):
        stop = min(start + step, count)
        found.append(np.asarray(compute(wide[start : stop + extent - 1].get())))
    return found[0] if len(found) == 1 else np.concatenate(found)


@described(
    FILTERED, None,
    f"{ON_HOST} It receives two vectors of float64 of NumPy for each line: the line with the "
    "elements outside of it, and the one that it writes.",
)
def generic_filter1d(input, function, filter_size, axis=-1, output=None, mode="reflect", cval=0.0,
                     origin=0, extra_arguments=(), extra_keywords=None):
    """A function of the lines along an axis."""
    import numpy

    keywords = further(extra_arguments, extra_keywords)
    input = real_image(input)
    target = Output(output, input)
    if filter_size < 1:
        raise refuse(f"invalid filter size: {filter_size}")
    size = operator.index(filter_size)
    axis = axis_of(axis, input.ndim)
    origin = check_origin(origin, size)
    mode = mode_of(mode)
    _check_callable(function)
    if input.size == 0:
        return target.store(input)
    lines = np.moveaxis(input.astype(np.float64), axis, -1)
    widths = [(0, 0)] * (input.ndim - 1) + _widths([size], [origin])
    wide = _padded(lines, widths, mode, number(cval)).reshape(-1, input.shape[axis] + size - 1)

    def of_rows(rows):
        found = numpy.zeros((len(rows), input.shape[axis]))
        for row, line in zip(rows, found):
            function(row.copy(), line, *extra_arguments, **keywords)
        return found

    found = _by_rows(of_rows, wide, wide.shape[0], 1).reshape(lines.shape)
    return target.store(np.moveaxis(found, -1, axis))


_VECTORIZED_MODES = {
    "nearest": "edge", "reflect": "symmetric", "mirror": "reflect", "wrap": "wrap",
    "constant": "constant", "grid-mirror": "reflect", "grid-constant": "constant",
    "grid-wrap": "wrap", "valid": "valid",
}


def _refuse(text):
    return refuse(text, ValueError)


def _are_integers(values, least=None):
    try:
        values = [operator.index(host(one)[()]) for one in values]
    except TypeError:
        return False
    return least is None or all(one >= least for one in values)


def _as_tuple(values, count):
    return (values,) * count if np.isscalar(values) else tuple(values)


def _checked_window(function, size, footprint, axes, ndim):
    """The extents of the window, the footprint, and the filtered axes counted from the end."""
    if not callable(function):
        raise _refuse("`function` must be a callable.")
    if size is None and footprint is None:
        raise _refuse("Either `size` or `footprint` must be provided.")
    if size is not None and footprint is not None:
        raise _refuse("Either `size` or `footprint` may be provided, not both.")
    axes = tuple(range(-ndim, 0)) if axes is None else _as_tuple(axes, 1)
    if len(axes) > ndim:
        raise _refuse("The length of `axes` may not exceed the dimensionality of `input`.")
    if footprint is not None:
        footprint = host(footprint, bool)
        size = footprint.shape
    else:
        size = _as_tuple(size, len(axes))
        if not _are_integers(size, 1):
            raise _refuse("All elements of `size` must be positive integers.")
        size = tuple(int(one) for one in size)
    if len(size) != len(axes):
        raise _refuse("`axes` must be compatible with the dimensionality of the window.")
    return size, footprint, axes


def _checked_origin(origin, count):
    if origin is None:
        return (0,) * count
    origin = _as_tuple(origin, count)
    if not _are_integers(origin):
        raise _refuse("All elements of `origin` must be integers.")
    if len(origin) != count:
        raise _refuse("`origin` must be an integer or as many integers as there are axes.")
    return tuple(int(one) for one in origin)


def _checked_mode(mode, cval, origin):
    """The mode of `pad`, and the number outside of the image."""
    found = _VECTORIZED_MODES.get(mode) if isinstance(mode, str) else None
    if found is None:
        raise _refuse(f"`mode` must be one of {set(_VECTORIZED_MODES)}.")
    if found == "valid" and any(origin):
        raise _refuse("`mode='valid'` is incompatible with use of `origin`.")
    if cval is None:
        return found, 0.0
    if found != "constant":
        raise _refuse("Use of `cval` is compatible only with `mode='constant'`.")
    cval = host(cval)
    if cval.dtype.kind not in "iufc":
        raise _refuse("`cval` must include only numbers.")
    return found, cval[()]


@described(
    FILTERED, {"ValueError": "An argument is not allowed."},
    f"{COLLECTIVE} The function receives arrays on the devices: the windows of some or all "
    "elements, whose last axes are those of the window, and these axes as `axis`.",
    mode=("str", "The elements outside of the image; 'valid' computes whole windows only."),
    output=("ndarray", "The array that is written."),
)
def vectorized_filter(input, function, *, size=None, footprint=None, output=None, mode="reflect",
                      cval=None, origin=None, axes=None, batch_memory=2**30):
    """A function of arrays of windows around the elements."""
    input = array(input)
    ndim = input.ndim
    size, footprint, axes = _checked_window(function, size, footprint, axes, ndim)
    count = len(axes)
    origin = _checked_origin(origin, count)
    mode, cval = _checked_mode(mode, cval, origin)
    memory = host(batch_memory)
    if memory.ndim or memory.dtype.kind not in "iuf" or memory <= 0:
        raise _refuse("`batch_memory` must be positive number.")
    if input.size == 0:
        return input
    last = tuple(range(-count, 0))

    def call(windows):
        if footprint is None:
            return function(windows, axis=last)
        return function(windows[..., np.asarray(footprint)], axis=-1)

    if ndim == 0 and size == ():
        return array(function(input if footprint is None else input[np.asarray(footprint)]))
    image = np.moveaxis(input, axes, last)
    into = None if output is None else np.moveaxis(array(output), axes, last)
    if mode != "valid":
        widths = [(0, 0)] * (ndim - count)
        widths += [
            (extent // 2 + moved, (extent - 1) // 2 - moved)
            for extent, moved in zip(size, origin)
        ]
        if any(before or after for before, after in widths):
            options = {"constant_values": cval} if mode == "constant" else {}
            image = np.pad(image, widths, mode=mode, **options)
    if not count:
        return array(call(image))
    windows = np.lib.stride_tricks.sliding_window_view(image, size, last)
    found = _in_batches(call, windows, into, float(memory), count)
    return np.moveaxis(found, last, axes)


def _in_batches(call, windows, into, memory, count):
    """The results for windows, of which a call receives as many as the memory allows."""
    of_row = math.prod(windows.shape[1:]) * windows.dtype.itemsize
    rows = min(windows.shape[0], int(memory // of_row)) if of_row else windows.shape[0]
    if rows < 1 and windows.shape[0]:
        raise _refuse("`batch_memory` is insufficient for minimum chunk size.")
    if rows == windows.shape[0]:
        found = [array(call(windows))]
    else:
        starts = range(0, windows.shape[0], rows)
        found = [array(call(windows[start : start + rows])) for start in starts]
    found = found[0] if len(found) == 1 else np.concatenate(found)
    if into is None:
        return found
    into[...] = found
    return into
