"""Keys of sparse matrices: `A[1, 2:5]`, `A[[0, 2]]`, `A[mask]`, and assignments to them."""

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import is_dense, is_integer


class Key:
    """A key with an index for each axis: an int, a slice, or an array of positions.

    `shape` is the shape of the result, `none` has the places of new axes.
    """

    def __init__(self, key, shape):
        self.given = key
        self.items, self.shape, self.none = _parsed(key, shape)

    @property
    def is_number(self):
        """Whether the key names one element."""
        return all(isinstance(item, int) for item in self.items)


def _parsed(key, shape):
    ndim = len(shape)
    given = key if isinstance(key, tuple) else (key,)
    # A list of positions such as [0, 2] indexes the first axis.
    first, used, ellipsis = [], 0, None
    for item in given:
        if item is Ellipsis:
            if ellipsis is not None:
                raise _refusal(IndexError, "count", "an index can only have a single ellipsis")
            ellipsis = len(first)
        elif item is None:
            first.append(item)
        elif isinstance(item, slice) or is_integer(item):
            first.append(item)
            used += 1
        else:
            item = _array(item)
            first.append(item)
            used += item.ndim if item.dtype.kind == "b" else 1
    if used > ndim:
        text = f"too many indices: the key has {used}, the matrix {ndim} axes"
        raise _refusal(IndexError, "count", text)
    missing = [slice(None)] * (ndim - used)
    at = len(first) if ellipsis is None else ellipsis
    return _placed(first[:at] + missing + first[at:], shape)


def _array(item):
    if hasattr(item, "tocsr"):
        if item.dtype.kind != "b":
            text = "a sparse matrix is an index only if it is a mask of the same shape"
            raise _refusal(IndexError, "type", text)
        return item
    try:
        item = np.asarray(item)
    except TypeError:
        raise _refusal(IndexError, "type", f"{type(item).__name__} is no index") from None
    if item.size == 0 and item.dtype.kind == "f" and not is_dense(item):
        item = item.astype(np.int64)
    return item


def _placed(given, shape):
    """The index of each axis, the shape of the result and the places of new axes."""
    items, lengths, none, arrays, numbered = [], [], [], [], []
    axis = 0
    for item in given:
        if item is None:
            none.append(len(lengths))
            lengths.append(1)
            continue
        if isinstance(item, slice):
            items.append(item)
            lengths.append(len(range(*item.indices(shape[axis]))))
            axis += 1
        elif is_integer(item):
            extent, item = shape[axis], int(item)
            if not -extent <= item < extent:
                raise _refusal(IndexError, "key", f"index ({item}) out of range")
            items.append(item + extent if item < 0 else item)
            numbered.append((axis, len(lengths)))
            axis += 1
        elif item.dtype.kind == "b":
            end = axis + item.ndim
            if tuple(item.shape) != tuple(shape[axis:end]):
                text = f"a mask of shape {tuple(item.shape)} for {tuple(shape[axis:end])}"
                raise _refusal(IndexError, "together", text)
            for places in item.nonzero():
                items.append(np.asarray(places))
                arrays.append(items[-1])
                numbered.append((axis, len(lengths)))
                axis += 1
        else:
            items.append(_positions(item, shape[axis]))
            arrays.append(items[-1])
            numbered.append((axis, len(lengths)))
            axis += 1
    if not arrays:
        return items, tuple(lengths), none
    try:
        common = tuple(np.broadcast_shapes(*(array.shape for array in arrays)))
    except ValueError:
        shapes = " and ".join(str(tuple(array.shape)) for array in arrays)
        text = f"the indices of shapes {shapes} do not broadcast"
        raise _refusal(IndexError, "together", text) from None
    # As in NumPy, the axes of arrays are the first ones if another axis separates them.
    axes = [one for one, _ in numbered]
    at = numbered[0][1] if axes == list(range(axes[0], axes[-1] + 1)) else 0
    none = [place + (len(common) if place >= at else 0) for place in none]
    return items, (*lengths[:at], *common, *lengths[at:]), none


def _positions(item, extent):
    """Positions along an axis, which count from 0; negative ones count from the end."""
    if item.ndim not in (1, 2):
        raise _refusal(IndexError, "value", f"an index has one or two axes, not {item.ndim}")
    if item.size == 0:
        return item.astype(np.int64)
    if item.dtype.kind not in "iu":
        raise _refusal(IndexError, "dtype", f"an index of dtype {item.dtype} is no index")
    largest, smallest = np.stack([item.max(), item.min()]).astype(np.int64).tolist()
    if largest >= extent or smallest < -extent:
        outside = largest if largest >= extent else smallest
        raise _refusal(IndexError, "key", f"index ({outside}) out of range")
    item = item.astype(np.int64)
    return np.where(item < 0, item + extent, item) if smallest < 0 else item


def span(item, extent):
    """The positions of a slice, as an array."""
    return np.arange(*item.indices(extent), dtype=np.int64)


def is_whole(item):
    """Whether a slice is the whole axis."""
    return isinstance(item, slice) and item == slice(None)
