"""Distances from the elements of an image to the nearest zero."""

import itertools
import math

import phalanx as np

from ..._phalanx import ndimage as _native
from . import _windows
from ._described import COLLECTIVE, described
from ._support import array, default_structure, host, refuse, sequence

_RETURNS = (
    "ndarray or (ndarray, ndarray): The distances, the positions of the nearest zeros, or both; "
    "None if arrays of the program received all of them."
)
_REFUSED = {
    "RuntimeError": "The arguments, or the shapes and dtypes of the arrays to write, do not fit.",
    "ValueError": "The metric is unknown.",
}
_TAXICAB = ("taxicab", "cityblock", "manhattan")
# Distances of images without zeros.
_NO_SQUARE, _NO_COUNT = 1.797693134862315708e308, 2**32 - 1


def _check(return_distances, return_indices, distances, indices):
    refused = []
    if not return_distances and not return_indices:
        refused.append("at least one of return_distances/return_indices must be True")
    if isinstance(distances, np.ndarray) and not return_distances:
        refused.append("return_distances must be True if distances is supplied")
    if isinstance(indices, np.ndarray) and not return_indices:
        refused.append("return_indices must be True if indices is supplied")
    if refused:
        raise refuse(", ".join(refused), RuntimeError, "together")


def _check_out(out, name, shape, dtype, kind=RuntimeError):
    """Refuses an array to write of another shape or dtype."""
    if not isinstance(out, np.ndarray):
        if out is not None and hasattr(out, "__array_interface__"):
            text = f"{name} is an array of phalanx, not of NumPy"
            raise refuse(text, TypeError, "type")
        return
    if out.shape != shape:
        raise refuse(f"{name} array has wrong shape", kind, "together")
    if out.dtype != dtype:
        raise refuse(f"{name} array must be {np.dtype(dtype)}", kind, "dtype")


def _given(results):
    """The results that no array of the program received."""
    left = []
    for result, out in results:
        if result is not None and isinstance(out, np.ndarray):
            out[...] = result
        elif result is not None:
            left.append(result)
    return tuple(left) if len(left) > 1 else left[0] if left else None


def _coordinates(shape, axis, dtype=np.float64):
    """The coordinates along an axis, which broadcast to a shape."""
    lengths = [1] * len(shape)
    lengths[axis] = shape[axis]
    return np.arange(shape[axis], dtype=dtype).reshape(lengths)


def _euclidean(is_zero, spacings):
    """The squared distances to the nearest zeros, and their positions; those of an image without
    zeros are infinite."""
    squares, positions = np.where(is_zero, 0.0, np.inf), []
    for axis, spacing in enumerate(spacings):
        place = _native._nearest_along(squares, axis, spacing)
        chosen = np.maximum(place, 0)
        distance = (_coordinates(squares.shape, axis) - chosen) * spacing
        squares = np.take_along_axis(squares, chosen, axis=axis) + distance * distance
        positions = [np.take_along_axis(one, chosen, axis=axis) for one in positions]
        positions.append(chosen)
    return squares, positions


def _stacked(positions):
    return np.stack([one.astype(np.int32) for one in positions])


def _check_blocks(given, shape):
    """Refuses sizes of blocks that CuPy's algorithm has not."""
    if given is None:
        return
    first, second, third = (int(one) for one in given)
    longest = max(shape, default=1)
    is_power = second > 0 and second & (second - 1) == 0
    fits = all(1 <= one and one * 32 <= max(longest, 32) for one in (first, second, third))
    if not (is_power and fits):
        raise refuse(f"block_params has no sizes of blocks for {longest} elements", ValueError)


@described(
    _RETURNS, _REFUSED, COLLECTIVE,
    distances=("ndarray of float64", "The array to which distances are written."),
    block_params=("tuple of int", "As CuPy's: sizes of blocks, which are checked and not used."),
    float64_distances=("bool", "As CuPy's: whether distances are of float64, else of float32."),
)
def distance_transform_edt(input, sampling=None, return_distances=True, return_indices=False,
                           distances=None, indices=None, *, block_params=None,
                           float64_distances=True):
    """The Euclidean distances to the nearest zero, exactly."""
    _check(return_distances, return_indices, distances, indices)
    dtype = np.float64 if float64_distances else np.float32
    is_zero = np.atleast_1d(array(input) == 0)
    ndim, shape = is_zero.ndim, is_zero.shape
    spacings = [1.0] * ndim
    if sampling is not None:
        spacings = [abs(float(host(one)[()])) for one in sequence(sampling, ndim)]
    _check_out(indices, "indices", (ndim, *shape), np.int32)
    _check_out(distances, "distances", shape, dtype)
    _check_blocks(block_params, shape)
    if is_zero.size == 0:
        squares, places = np.zeros(shape), np.zeros((ndim, *shape), np.int32)
    else:
        squares, positions = _euclidean(is_zero, spacings)
        # In an image without zeros, as in SciPy, the only one is before the first element of the
        # first axis.
        is_none, without = ~is_zero.any(), 0.0
        for axis, spacing in enumerate(spacings):
            distance = (_coordinates(shape, axis) + (axis == 0)) * spacing
            without = without + distance * distance
            positions[axis] = np.where(is_none, -1 if axis == 0 else 0, positions[axis])
        squares = np.where(is_none, without, squares)
        places = _stacked(positions) if return_indices else None
    return _given([
        (np.sqrt(squares).astype(dtype) if return_distances else None, distances),
        (places if return_indices else None, indices),
    ])


def _taxicab(is_zero, positions):
    """The sums of the steps to the nearest zero, and its position in the flat image."""
    size = is_zero.size
    # Distances and positions in one number, of which the least is searched.
    key = np.where(is_zero, positions, 4 * size * (sum(is_zero.shape) + 1))
    for axis in range(is_zero.ndim):
        slope = _coordinates(is_zero.shape, axis, np.int64) * size
        reverse = tuple(slice(None, None, -1 if one == axis else 1) for one in range(is_zero.ndim))
        before = np.minimum.accumulate(key - slope, axis=axis) + slope
        after = np.minimum.accumulate((key + slope)[reverse], axis=axis)[reverse] - slope
        key = np.minimum(before, after)
    return key // size, key % size


def _chessboard(is_zero, positions):
    """The longest step to the nearest zero, and its position in the flat image."""
    reached = np.where(is_zero, positions, -1)
    count = np.zeros(is_zero.shape, np.int64)
    passes = 1
    while True:
        # The image is looked at after more and more passes, as each look waits for the result.
        for _ in range(passes):
            is_left = reached < 0
            if_reached = reached
            for axis in range(is_zero.ndim):
                if_reached = _windows.line_extremes(
                    if_reached, 3, axis, "nearest", 0.0, 0, False, np.int64
                )
            count = count + is_left
            reached = np.where(is_left, if_reached, reached)
        if not (reached < 0).any():
            return count, reached
        passes = min(2 * passes, 32)


def _steps(is_zero, metric):
    """The numbers of steps to the nearest zero, and its position in the flat image."""
    positions = np.arange(is_zero.size).reshape(is_zero.shape)
    return (_taxicab if metric == "taxicab" else _chessboard)(is_zero, positions)


def _unraveled(places, shape):
    """Positions in an image, given those in the flat image."""
    found = np.unravel_index(places, shape) if shape else ()
    if not found:
        return np.zeros((0, *shape), np.int32)
    return _stacked(found)


def _one_pass(distances, places, offsets):
    """A pass over the elements in raster order, on the host."""
    import numpy

    for at in numpy.ndindex(*distances.shape):
        least = distances[at]
        if least == 0:
            continue
        for offset in offsets:
            other = tuple(map(sum, zip(at, offset)))
            if any(not 0 <= one < extent for one, extent in zip(other, distances.shape)):
                continue
            found = distances[other]
            if found >= 0 and (least < 0 or found + 1 < least):
                least, places[at] = found + 1, places[other]
        distances[at] = least


def _of_structure(is_zero, structure):
    """Distances in steps of any structure, by two passes on the host, as SciPy defines them."""
    import numpy

    distances = numpy.where(is_zero.get(), 0, -1)
    places = numpy.arange(distances.size).reshape(distances.shape)
    steps = itertools.product((-1, 0, 1), repeat=distances.ndim)
    middle = structure.size // 2
    offsets = [step for at, step in enumerate(steps) if at < middle and structure.flat[at]]
    _one_pass(distances, places, offsets)
    turn = (slice(None, None, -1),) * distances.ndim
    _one_pass(distances[turn], places[turn], offsets)
    return np.asarray(distances), np.asarray(places)


def _metric(metric, ndim):
    """The name of a metric, or its structure."""
    if isinstance(metric, str):
        if metric in _TAXICAB:
            return "taxicab"
        if metric == "chessboard":
            return metric
        raise refuse("invalid metric provided", ValueError, "choice")
    try:
        structure = host(metric)
    except Exception as error:
        raise refuse("invalid metric provided", ValueError) from error
    if any(extent != 3 for extent in structure.shape):
        raise refuse("metric sizes must be equal to 3", ValueError)
    if structure.ndim != ndim:
        text = "the metric and the image have different numbers of axes"
        raise refuse(text, RuntimeError, "together")
    for name, connectivity in (("taxicab", 1), ("chessboard", ndim)):
        if ((structure != 0) == default_structure(ndim, connectivity)).all():
            return name
    return structure


@described(
    _RETURNS, _REFUSED,
    f"{COLLECTIVE} Metrics other than the two named ones are computed on the host.",
    metric=("{'chessboard', 'taxicab'} or array_like", "The metric, or the steps that it allows."),
    distances=("ndarray of int32", "The array to which distances are written."),
)
def distance_transform_cdt(input, metric="chessboard", return_distances=True,
                           return_indices=False, distances=None, indices=None):
    """The numbers of steps to the nearest zero."""
    _check(return_distances, return_indices, distances, indices)
    is_zero = array(input) == 0
    ndim, shape = is_zero.ndim, is_zero.shape
    metric = _metric(metric, ndim)
    _check_out(distances, "distances", shape, np.int32, ValueError)
    _check_out(indices, "indices", (ndim, *shape), np.int32, ValueError)
    places = np.arange(is_zero.size).reshape(shape)
    if is_zero.size == 0 or not is_zero.any():
        steps = np.full(shape, -1)
    elif isinstance(metric, str):
        steps, places = _steps(is_zero, metric)
    else:
        steps, places = _of_structure(is_zero, metric)
    return _given([
        (steps.astype(np.int32) if return_distances else None, distances),
        (_unraveled(places, shape) if return_indices else None, indices),
    ])


@described(_RETURNS, _REFUSED, COLLECTIVE)
def distance_transform_bf(input, metric="euclidean", sampling=None, return_distances=True,
                          return_indices=False, distances=None, indices=None):
    """The distances to the nearest zero. The algorithm is that of the other two functions."""
    _check(return_distances, return_indices, distances, indices)
    is_zero = array(input) == 0
    ndim, shape = is_zero.ndim, is_zero.shape
    metric = metric.lower()
    if metric not in (*_TAXICAB, "euclidean", "chessboard"):
        raise refuse("distance metric not supported", RuntimeError, "choice")
    is_euclidean = metric == "euclidean"
    spacings = [1.0] * ndim
    if sampling is not None:
        spacings = [abs(float(host(one)[()])) for one in sequence(sampling, ndim)]
    _check_out(distances, "distances", shape, np.float64 if is_euclidean else np.uint32)
    _check_out(indices, "indices", (ndim, *shape), np.int32)
    if is_zero.size == 0 or not is_zero.any():
        nothing = math.sqrt(_NO_SQUARE) if is_euclidean else _NO_COUNT
        found = np.full(shape, nothing)
        places = np.zeros((ndim, *shape), np.int32)
    elif is_euclidean and ndim:
        squares, positions = _euclidean(is_zero, spacings)
        found = np.sqrt(squares)
        places = _stacked(positions) if return_indices else None
    else:
        found, flat = _steps(is_zero, "taxicab" if metric in _TAXICAB else "chessboard")
        places = _unraveled(flat, shape)
    found = found.astype(np.float64 if is_euclidean else np.uint32)
    return _given([
        (found if return_distances else None, distances),
        (places if return_indices else None, indices),
    ])
