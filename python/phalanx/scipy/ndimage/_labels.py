"""Connected parts of images: their labels, their bounds, and watersheds."""

import itertools
import operator

import phalanx as np

from ..._phalanx import ndimage as _native
from ._described import COLLECTIVE, ON_HOST, described
from ._support import Output, array, default_structure, host, real_image, refuse

_INT32 = 2**31 - 2


@described(
    "(ndarray, int): The labels and their number; the number alone if `output` is an array.",
    {"RuntimeError": "The structure has other axes than the image, or the dtype holds too few "
     "labels.",
     "ValueError": "The extents of the structure are not 3, or the shape of `output` is wrong.",
     "AssertionError": "The structure is not symmetric about its centre.",
     "TypeError": "The image is complex."},
    COLLECTIVE,
)
def label(input, structure=None, output=None):
    """The connected parts of an image: each one has a number, in the order of their first
    elements."""
    input = real_image(input)
    structure = _structure(structure, input.ndim, ValueError)
    if (structure != structure[(slice(None, None, -1),) * structure.ndim]).any():
        raise refuse("the structure is not symmetric", AssertionError)
    is_array = isinstance(output, np.ndarray)
    if is_array and output.shape != input.shape:
        raise refuse("output shape not correct", ValueError, "together")
    if output is None:
        output = np.int64 if input.size >= _INT32 else np.int32
    target = Output(output if is_array else np.dtype(output), input)
    if input.ndim == 0 or input.size == 0:
        labels, count = (input != 0).astype(np.int32), int((input != 0).sum())
    else:
        mask = input if input.dtype.kind == "b" else input != 0
        labels, count = components(mask, structure)
    limit = np.iinfo(target.dtype).max if target.dtype.kind in "iu" else count
    if count > limit:
        raise refuse("insufficient bit-depth in requested output type", RuntimeError, "dtype")
    labels = target.store(labels)
    return count if is_array else (labels, count)


def _structure(structure, ndim, kind):
    """A structure of 3 elements along each axis."""
    if structure is None:
        return default_structure(ndim)
    structure = host(structure, bool)
    if structure.ndim != ndim:
        raise refuse("structure and input must have equal rank", RuntimeError, "together")
    if any(extent != 3 for extent in structure.shape):
        raise refuse("structure dimensions must be equal to 3", kind)
    return structure


def components(mask, structure):
    """The labels of the true elements of a mask, and their number. Only the first half of the
    structure counts, and its reflection."""
    flat = structure.ravel().copy()
    flat[flat.size // 2 :] = False
    symmetric = (flat | flat[::-1]).reshape(structure.shape)
    symmetric[(1,) * structure.ndim] = True
    return _native._label(mask, np.asarray(symmetric))


@described(
    "list of tuples of slice: The bounds of each label from 1 on; None for a label without "
    "elements.",
    {"TypeError": "The labels are not integers."}, COLLECTIVE,
    input=("array_like of int", "The labels."),
)
def find_objects(input, max_label=0):
    """The smallest boxes that contain all elements of a label."""
    input = real_image(input)
    if input.dtype.kind not in "iu" and max_label < 1:
        raise refuse(f"labels are integers, not {input.dtype}", TypeError, "dtype")
    if max_label < 1:
        max_label = int(input.max())
    count = operator.index(max_label)
    if count < 1:
        return []
    numbers = input.astype(np.int64).ravel()
    # Other elements count as label 0.
    numbers = np.where((numbers > 0) & (numbers <= count), numbers, 0)
    lows, highs = [], []
    for axis, extent in enumerate(input.shape):
        shape = [1] * input.ndim
        shape[axis] = extent
        places = np.broadcast_to(np.arange(extent).reshape(shape), input.shape).ravel()
        low, high = np.full(count + 1, extent), np.full(count + 1, -1)
        np.minimum.at(low, numbers, places)
        np.maximum.at(high, numbers, places)
        lows.append(host(low)[1:].tolist())
        highs.append(host(high)[1:].tolist())
    found = []
    for low, high in zip(zip(*lows), zip(*highs)):
        bounds = tuple(slice(start, end + 1) for start, end in zip(low, high))
        found.append(bounds if high[0] >= 0 else None)
    return found


@described(
    "dict: For each value, the positions of its elements, as those of `nonzero`.",
    {"ValueError": "The elements are not integers."}, COLLECTIVE,
    adaptive_index_dtype=("bool", "As CuPy's: whether positions are of the smallest unsigned dtype "
                          "that fits the extents, in place of int64."),
)
def value_indices(arr, *, ignore_value=None, adaptive_index_dtype=False):
    """The positions of each value of an array."""
    arr = array(arr)
    if arr.dtype.kind not in "iu":
        raise refuse("Parameter 'arr' must be an integer array", ValueError, "dtype")
    flat = arr.ravel()
    order = np.argsort(flat, kind="stable")
    values, starts = np.unique(flat[order], return_index=True)
    values, starts = host(values), [*host(starts).tolist(), flat.size]
    if ignore_value is not None:
        ignore_value = values.dtype.type(int(ignore_value))
    found = {}
    dtype = np.min_scalar_type(max(arr.shape, default=1)) if adaptive_index_dtype else np.int64
    for at, value in enumerate(values):
        if ignore_value is None or value != ignore_value:
            places = order[starts[at] : starts[at + 1]]
            found[value] = tuple(
                one.astype(dtype, copy=False) for one in np.unravel_index(places, arr.shape)
            )
    return found


@described(
    "ndarray: The label of each element; `output`, if it is an array.",
    {"RuntimeError": "The shapes or the dtypes of the arguments do not fit.",
     "TypeError": "The image is not of uint8 or uint16."},
    ON_HOST.replace("The function", "The algorithm"),
    input=("array_like of uint8 or uint16", "The heights."),
)
def watershed_ift(input, markers, structure=None, output=None):
    """The labels of markers, flooded from the lowest elements up."""
    input = array(input)
    if input.dtype not in (np.uint8, np.uint16):
        raise refuse("only 8 and 16 unsigned inputs are supported", TypeError, "dtype")
    structure = _structure(structure, input.ndim, RuntimeError)
    markers = array(markers)
    if input.shape != markers.shape:
        raise refuse("input and markers must have equal shape", RuntimeError, "together")
    if markers.dtype.kind != "i":
        raise refuse("marker should be of integer type", RuntimeError, "dtype")
    if isinstance(output, np.ndarray):
        if output.dtype.kind != "i":
            raise refuse("output should be of integer type", RuntimeError, "dtype")
    else:
        # Any other argument is ignored, as in SciPy.
        output = markers.dtype
    target = Output(output, input)
    found = _flooded(input.get(), markers.get(), structure)
    return target.store(np.asarray(found))


def _flooded(heights, markers, structure):
    """The labels on the host: a shortest-path forest, whose paths cost their largest step.

    Ties have the same winner as in SciPy: nodes of the same cost wait in a linked list, neighbours
    are counted in the flat image, and an only node of a list stays in it when its cost falls.
    """
    import numpy

    shape = heights.shape
    strides = numpy.cumprod((1, *shape[:0:-1]))[::-1].tolist() if shape else []
    heights, labels = heights.ravel().astype(int).tolist(), markers.ravel().tolist()
    distances = [
        sum(map(operator.mul, step, strides))
        for step in itertools.product((-1, 0, 1), repeat=len(shape))
        if structure[tuple(one + 1 for one in step)]
    ]
    distances = [one for one in distances if one]
    count, highest = len(heights), max(heights, default=0)
    queues = _Queues(count, highest)
    costs = [0 if one else highest + 1 for one in labels]
    is_done = [False] * count
    for node, one in enumerate(labels):
        if one:
            queues.put(node, 0, one < 0)
    for cost in range(highest + 1):
        while (node := queues.taken(cost)) is not None:
            is_done[node] = True
            for distance in distances:
                other = node + distance
                if not 0 <= other < count or is_done[other]:
                    continue
                reached = max(costs[node], abs(heights[other] - heights[node]))
                if reached < costs[other]:
                    queues.drop(other, costs[other])
                    costs[other], labels[other] = reached, labels[node]
                    queues.put(other, reached, labels[node] < 0)
    return numpy.array(labels, markers.dtype).reshape(shape)


class _Queues:
    """A linked list of nodes for each cost."""

    def __init__(self, count, highest):
        self.first, self.last = [None] * (highest + 1), [None] * (highest + 1)
        self.after, self.before = [None] * count, [None] * count

    def taken(self, cost):
        """Removes the first node of a list, and returns it."""
        node = self.first[cost]
        if node is not None:
            following = self.first[cost] = self.after[node]
            if following is not None:
                self.before[following] = None
            self.after[node] = self.before[node] = None
        return node

    def put(self, node, cost, is_background):
        """Adds a node: of objects at the front, of the background at the end of the list."""
        first, last = self.first[cost], self.last[cost]
        self.after[node] = self.before[node] = None
        if is_background:
            self.before[node] = last
            if last is not None:
                self.after[last] = node
            self.last[cost] = node
            if first is None:
                self.first[cost] = node
        else:
            self.after[node] = first
            if first is not None:
                self.before[first] = node
            self.first[cost] = node
            if last is None:
                self.last[cost] = node

    def drop(self, node, cost):
        """Removes a node from its list, if it has neighbours there."""
        before, after = self.before[node], self.after[node]
        if before is None and after is None:
            return
        if self.first[cost] == node:
            self.first[cost] = after
        if self.last[cost] == node:
            self.last[cost] = before
        if before is not None:
            self.after[before] = after
        if after is not None:
            self.before[after] = before
