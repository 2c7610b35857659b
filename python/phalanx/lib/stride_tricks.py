"""``numpy.lib.stride_tricks``: strides of a program's choice, and windows that slide over an array."""

import operator

from .. import _phalanx
from .._phalanx import _refusal


def _several(value):
    return tuple(value) if _phalanx.iterable(value) else (operator.index(value),)


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """Windows of a shape at every position of an array, along new last axes.

    The result is a read-only copy of the present elements: windows overlap, and shards do not.
    """
    if writeable:
        raise _refusal(ValueError, "absent", "sliding_window_view: windows are not to be written")
    x = _phalanx.asarray(x)
    strides = x.strides
    shape = _several(window_shape)
    if any(extent < 0 for extent in shape):
        raise _refusal(ValueError, "value", "`window_shape` cannot contain negative values")
    if axis is None:
        axes = tuple(range(x.ndim))
        names = "Since axis is `None`, must provide window_shape for all dimensions of `x`"
    else:
        from numpy.lib.array_utils import normalize_axis_tuple

        axes = normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
        names = "Must provide matching length window_shape and axis"
    if len(shape) != len(axes):
        raise _refusal(
            ValueError,
            "together",
            f"{names}; got {len(shape)} window_shape elements and {len(axes)} axes.",
        )
    for place, extent in zip(axes, shape):
        count = x.shape[place] - extent + 1
        if count < 1:
            raise _refusal(
                ValueError,
                "value",
                "window shape cannot be larger than input array shape",
            )
        before = (slice(None),) * place
        if extent == 0:
            x = _phalanx.zeros((*x.shape[:place], count, *x.shape[place + 1 :], 0), x.dtype)
            continue
        x = _phalanx.stack([x[(*before, slice(at, at + count))] for at in range(extent)], axis=-1)
    return x._with_strides_of_windows((*strides, *(strides[place] for place in axes)))


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """The elements at strides, in bytes, from the first one of an array. They may be outside of the
    array, but not outside of the memory of its base.

    The result is a view, and writes change the array. If several indices reach one element, as in
    overlapping windows, the result is a read-only copy of the present elements. A view that repeats
    elements by a stride of 0 is also read-only, but not copied.
    """
    x = x if subok and isinstance(x, _phalanx.ndarray) else _phalanx.asarray(x)
    shape = x.shape if shape is None else _several(shape)
    strides = x.strides if strides is None else _several(strides)
    if len(shape) != len(strides):
        raise _refusal(ValueError, "together", "mismatch in length of strides and shape")
    laid = x._strided(shape, strides)
    return laid if writeable else laid._with_strides_of_windows(laid.strides)
