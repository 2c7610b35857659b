"""Checks of the arguments of sparse matrices: shapes, axes, dtypes, operands."""

import math
import operator

import phalanx as np

from ..._phalanx import _refusal

# The dtypes of values, as SciPy has them.
_KINDS = "?bBhHiIlLqQfdFD"
INT32_MAX = 2**31 - 1


def is_dense(x):
    """Whether an object is an array, of ours or of NumPy."""
    if isinstance(x, np.ndarray):
        return True
    kind = type(x)
    return kind.__module__.partition(".")[0] == "numpy" and kind.__name__ in ("ndarray", "matrix")


def is_scalar(x):
    """Whether an operand is one number: a Python or NumPy number, or an array without axes."""
    return np.isscalar(x) or (is_dense(x) and x.ndim == 0)


def as_dense(x, dtype=None):
    """An operand as an array of ours; NotImplemented for an object that is no array."""
    if isinstance(x, np.ndarray) and dtype is None:
        return x
    try:
        return np.asarray(x, dtype=dtype)
    except TypeError:
        return NotImplemented


def number(x):
    """A scalar operand on the host. Collective for an array, which is read."""
    return x.item() if is_dense(x) else x


def is_integer(x):
    """Whether an object is an integer. A float that is a whole number is refused, as in SciPy."""
    if isinstance(x, int):
        return True
    if isinstance(x, (slice, tuple, list, str)) or getattr(x, "ndim", 0) != 0:
        return False
    try:
        operator.index(x)
        return True
    except TypeError:
        pass
    try:
        is_whole = bool(int(x) == x)
    except (TypeError, ValueError):
        return False
    if is_whole:
        text = "Inexact indices into sparse matrices are not allowed"
        raise _refusal(ValueError, "value", text, "give an int")
    return False


def is_shape(x, lengths=(2,)):
    """Whether a tuple is a shape: as many integers as a matrix may have axes."""
    return len(x) in lengths and all(is_integer(extent) for extent in x)


def checked_shape(given, lengths=(2,), current=None):
    """The shape of arguments such as `2, 3` or `(2, 3)`. With a current shape, an extent of -1 is
    the one that keeps the number of elements."""
    if len(given) == 0:
        raise _refusal(TypeError, "count", "a shape has at least one extent")
    if len(given) == 1:
        try:
            given = tuple(given[0])
        except TypeError:
            pass
    shape = tuple(operator.index(extent) for extent in given)
    if current is not None:
        shape = _filled(shape, current)
    if len(shape) not in lengths:
        raise _refusal(
            ValueError,
            "value",
            f"shape must have length in {tuple(lengths)}, not {shape}",
            "sparse arrays have one or two axes, matrices and most formats two",
        )
    if any(extent < 0 for extent in shape):
        raise _refusal(ValueError, "value", "'shape' elements cannot be negative")
    return shape


def _filled(shape, current):
    size = math.prod(current)
    unknown = [axis for axis, extent in enumerate(shape) if extent < 0]
    text = f"cannot reshape array of size {size} into shape {shape}"
    if len(unknown) > 1:
        raise _refusal(ValueError, "value", "can only specify one unknown dimension")
    if unknown:
        axis = unknown[0]
        others = math.prod(shape[:axis] + shape[axis + 1 :])
        if others == 0 or size % others:
            raise _refusal(ValueError, "value", text)
        shape = shape[:axis] + (size // others,) + shape[axis + 1 :]
    if math.prod(shape) != size:
        raise _refusal(ValueError, "value", text)
    return shape


def reshape_options(keywords):
    """The order and the copy of `reshape`'s keywords."""
    order, copy = keywords.pop("order", "C"), keywords.pop("copy", False)
    if keywords:
        names = ", ".join(keywords)
        raise _refusal(TypeError, "keyword", f"reshape() has no keyword {names}")
    if order not in ("C", "F"):
        raise _refusal(ValueError, "choice", f"order must be 'C' or 'F', not {order!r}")
    return order, copy


def checked_axes(axis, ndim):
    """The axes of a reduction in a tuple; None if they are all axes."""
    if axis is None:
        return None
    if axis == ():
        text = "a reduction along no axis, (), is not supported"
        raise _refusal(ValueError, "value", text, "use toarray, or copy")
    given = axis if isinstance(axis, tuple) else (axis,)
    axes = []
    for one in given:
        if isinstance(one, bool) or not hasattr(one, "__index__"):
            raise _refusal(TypeError, "type", f"axis is an integer or a tuple of them, not {one!r}")
        place = operator.index(one)
        place += ndim if place < 0 else 0
        if not 0 <= place < ndim:
            raise _refusal(ValueError, "value", f"axis {one} out of range for {ndim} axes")
        axes.append(place)
    if len(set(axes)) != len(axes):
        raise _refusal(ValueError, "value", "duplicate value in axis")
    return None if len(axes) == ndim else tuple(axes)


def checked_dtype(dtype, default=None):
    """A dtype that values may have."""
    dtype = np.dtype(default if dtype is None else dtype)
    if dtype.char not in _KINDS:
        raise _refusal(
            ValueError,
            "dtype",
            f"sparse matrices have no values of dtype {dtype}",
            "use bool, integers, float32, float64, complex64 or complex128",
        )
    return dtype


def index_dtype(largest, is_wide=False):
    """The dtype of positions up to a number; of 64 bits in any case if the matrix is wide."""
    return np.dtype(np.int64 if is_wide or largest > INT32_MAX else np.int32)


def values_of(x, dtype=None):
    """The values of entries as an array. Text and other objects have a dtype that values may not
    have, so they are refused as such dtypes are."""
    try:
        return np.asarray(x, dtype=dtype)
    except TypeError as error:
        raise _refusal(ValueError, "dtype", str(error).partition(" [")[0]) from error


def _is_text(x):
    if isinstance(x, (tuple, list)):
        return any(map(_is_text, x))
    kind = getattr(getattr(x, "dtype", None), "kind", None)
    return isinstance(x, (str, bytes)) or kind in ("U", "S")


def has_wide(*arrays):
    """Whether positions of some array have a dtype that does not fit into int32, whatever their
    values are."""
    return any(not np.can_cast(array.dtype, np.int32) for array in arrays)


def positions(x):
    """Positions as a vector of integers. No positions may have any dtype."""
    try:
        x = np.asarray(x)
    except TypeError as error:
        # Text may be a number, so that only its value is wrong.
        if _is_text(x):
            text = f"positions are integers, not {x!r:.50}"
            raise _refusal(ValueError, "value", text) from error
        raise
    if x.dtype.kind not in "iu":
        x = x.astype(np.int64)
    return x


def sum_dtype(dtype):
    """The dtype of sums of values, as NumPy adds them."""
    if dtype.kind == "u":
        return np.dtype(np.uint64)
    if dtype.kind in "bi":
        return np.dtype(np.int64)
    return dtype


def promoted(*dtypes):
    """The dtype to which values promote."""
    return np.dtype(np.result_type(*dtypes))


def broadcast_shapes(*shapes):
    """The shape to which shapes broadcast."""
    try:
        return tuple(np.broadcast_shapes(*shapes))
    except ValueError:
        text = "the shapes " + " and ".join(map(str, shapes)) + " do not broadcast"
        raise _refusal(ValueError, "together", text) from None


def unequal(first, second, what="inconsistent shapes"):
    """The error about two shapes that do not fit."""
    return _refusal(ValueError, "together", f"{what}: {first} and {second}")
