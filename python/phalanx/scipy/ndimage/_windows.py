"""Combinations of the elements in a window around each element, which the devices compute.

The windows of neighbours overlap, so devices exchange the elements at the borders of their blocks.
"""

import phalanx as np

from ..._phalanx import ndimage as _native
from ._support import cast

# The most axes of an image with windows.
MOST_AXES = 8


def along(values, axis, ndim):
    """A vector as a window along one axis."""
    shape = [1] * ndim
    shape[axis] = len(values)
    return values.reshape(shape)


def _at(origin, axis, ndim):
    origins = [0] * ndim
    origins[axis] = origin
    return origins


def _filtered(image, window, combine, mode, cval, origins, heights=None, rank=0, dtype=None):
    if image.size == 0:
        return image.astype(image.dtype if dtype is None else dtype)
    given = {
        "combine": combine, "heights": heights,
        "rank": int(rank), "origins": [int(origin) for origin in origins], "mode": mode,
        "cval": float(cval), "dtype": dtype,
    }
    return _native._window_filter(image, window, given)


def _of_line(image, axis, compute):
    """A filter along an axis of an image that may have more axes than windows have."""
    if image.ndim <= MOST_AXES:
        return compute(image, axis)
    shape = image.shape
    before, after = shape[:axis], shape[axis + 1 :]
    flat = image.reshape(_product(before), shape[axis], _product(after))
    return compute(flat, 1).reshape(shape)


def _product(extents):
    import math

    return math.prod(extents)


def own_dtype(dtype):
    """The dtype in which passes store elements of a result: a bool of C is a byte."""
    return np.dtype(np.uint8 if np.dtype(dtype).kind == "b" else dtype)


def sums(image, weights, mode, cval, origins, dtype):
    """The sums of products with the weights, computed in float64, in a dtype."""
    if not weights.any():
        # No element counts, which the native filter takes for a mistake.
        return np.zeros(image.shape, dtype)
    return _filtered(image, weights, "sum", mode, cval, origins, dtype=dtype)


def line_sums(image, weights, axis, mode, cval, origin, dtype):
    """As `sums`, along an axis, in the order of SciPy, which is another one: integers are
    truncated, so that the last digits of sums matter."""
    return _of_line(image, axis, lambda image, axis: _filtered(
        image, along(weights, axis, image.ndim), "line", mode, cval,
        _at(origin, axis, image.ndim), dtype=dtype,
    ))


def line_means(image, size, axis, mode, cval, origin, dtype):
    """The means of `size` elements along an axis."""
    import numpy

    def compute(image, axis):
        window = along(numpy.ones(size, bool), axis, image.ndim)
        origins = _at(origin, axis, image.ndim)
        return _filtered(image, window, "mean", mode, cval, origins, dtype=dtype)

    return _of_line(image, axis, compute)


def extremes(image, footprint, heights, mode, cval, origins, is_minimum, dtype):
    """The smallest or largest elements where the footprint is true, in a dtype.

    As in SciPy, the number outside is converted to the dtype of the image, and so are the heights,
    but for the first one.
    """
    combine = "minimum" if is_minimum else "maximum"
    if heights is not None:
        image = image.astype(np.uint8) if image.dtype.kind == "b" else image
        more = (mode, cval, origins, heights)
        # A bool of C is a byte, of which only the last bits are left.
        own = np.float64 if np.dtype(dtype).kind == "b" else dtype
        return cast(_filtered(image, footprint, combine, *more, dtype=own), dtype)
    if image.dtype.kind == "b" and not _holds(image.dtype, mode, cval):
        image = image.astype(np.uint8)
    return cast(_filtered(image, footprint, combine, mode, cval, origins), dtype)


def line_extremes(image, size, axis, mode, cval, origin, is_minimum, dtype):
    """The smallest or largest of `size` elements along an axis."""
    import numpy

    if not _holds(image.dtype, mode, cval):
        image = image.astype(np.float64)
    return _of_line(image, axis, lambda image, axis: extremes(
        image, along(numpy.ones(size, bool), axis, image.ndim), None, mode, cval,
        _at(origin, axis, image.ndim), is_minimum, dtype,
    ))


def ranks(image, footprint, rank, mode, cval, origins, dtype):
    """The elements of a rank among those where the footprint is true.

    As in SciPy, the number outside is converted to the dtype of the image; to int64 for a vector
    of integers.
    """
    if not _holds(image.dtype, mode, cval):
        if image.ndim == 1 and image.dtype.kind in "biu":
            image, cval = image.astype(np.int64), _truncated(cval)
        elif image.dtype.kind == "b":
            image = image.astype(np.uint8)
    return cast(_filtered(image, footprint, "rank", mode, cval, origins, rank=rank), dtype)


def _truncated(number):
    """A number without its fraction, as SciPy converts it: infinities are refused."""
    return float(int(number))


def _holds(dtype, mode, cval):
    """Whether elements of a dtype may equal the number outside of the image."""
    if mode != "constant" or dtype == np.float64:
        return True
    if cval != cval or cval in (float("inf"), -float("inf")):
        return dtype.kind == "f"
    if dtype.kind == "b":
        return cval in (0, 1)
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        return cval == int(cval) and bounds.min <= cval <= bounds.max
    import numpy

    return float(numpy.float64(cval).astype(dtype)) == cval
