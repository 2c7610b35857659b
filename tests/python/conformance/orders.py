"""Answers that are correct in several orders: partitions, and sorts that are not stable."""

import math

import numpy


def rows(array, axis):
    """The rows along an axis; without an axis, one row of all elements."""
    if axis is None or array.ndim == 0:
        return array.reshape(1, -1)
    lines = numpy.moveaxis(array, axis, -1)
    return lines.reshape(math.prod(lines.shape[:-1]), array.shape[axis])


def same(left, right):
    """Whether elements are equal, NaN to NaN."""
    return ((left == right) | ((left != left) & (right != right))).all()


def chosen(given, positions, axis):
    """The rows of elements that positions choose, or a text about wrong positions."""
    places = rows(positions, 0 if axis is None else axis)
    sources = rows(given, axis)
    everywhere = numpy.broadcast_to(numpy.arange(sources.shape[1]), sources.shape)
    if places.dtype.kind not in "iu" or places.shape != sources.shape:
        return None, "no positions"
    if not (numpy.sort(places, axis=-1) == everywhere).all():
        return None, f"not each position once: {places.tolist()}"
    return numpy.take_along_axis(sources, places, axis=-1), None


def sorting(case, given, found, expected):
    """A text about wrong positions of a sort with any order of equal elements, or None."""
    axis = case.argument(1, "axis", -1)
    left, fault = chosen(given, found, axis)
    if fault:
        return fault
    right, _ = chosen(given, expected, axis)
    return None if same(left, right) else f"chooses {left.tolist()}, expected {right.tolist()}"


def partition(case, given, found, are_positions):
    """A text about a wrong partition of elements, or of positions, or None. Elements at `kth` are
    where sorting would put them, with no greater ones before them and no smaller ones after."""
    axis = case.argument(2, "axis", -1)
    if are_positions:
        parted, fault = chosen(given, found, axis)
        if fault:
            return fault
    else:
        parted = rows(found, 0 if axis is None else axis)
    ordered = numpy.sort(rows(given, axis), axis=-1)
    if parted.shape != ordered.shape or not same(numpy.sort(parted, axis=-1), ordered):
        return f"other elements: {parted.tolist()}"
    for place in numpy.atleast_1d(numpy.asarray(case.argument(1, "kth"), dtype="int64")):
        if not same(parted[:, place], ordered[:, place]):
            return f"{parted[:, place].tolist()} at {place}, expected {ordered[:, place].tolist()}"
        place %= ordered.shape[1]
        for side in (slice(None, place), slice(place, None)):
            left = numpy.sort(parted[:, side], axis=-1)
            if not same(left, ordered[:, side]):
                return f"not parted at {place}: {parted.tolist()}"
    return None
