"""``numpy.lib.stride_tricks``: windows that slide over an array."""

import operator

from .. import _phalanx
from .._phalanx import _refusal


def _several(value):
    return tuple(value) if hasattr(value, "__iter__") else (operator.index(value),)


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """Windows of a shape at every place of an array, along new last axes.

    They are a copy of what the array holds now, that can only be read: windows overlap, and shards
    do not.
    """
    if writeable:
        raise _refusal(ValueError, "absent", "sliding_window_view: windows are not to be written")
    x = _phalanx.asarray(x)
    shape = _several(window_shape)
    if any(extent < 0 for extent in shape):
        raise _refusal(ValueError, "value", "`window_shape` cannot contain negative values")
    if axis is None:
        axes = tuple(range(x.ndim))
        names = "`window_shape` must be given for all axes of `x`"
    else:
        from numpy.lib.array_utils import normalize_axis_tuple

        axes = normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
        names = "`window_shape` and `axis` must have the same length"
    if len(shape) != len(axes):
        raise _refusal(
            ValueError,
            "together",
            f"Since axis is {axis}, must provide window_shape of as many extents: {names}; got "
            f"{len(shape)} window_shape elements and {len(axes)} axes.",
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
    return _phalanx.broadcast_to(x, x.shape)


def as_strided(*arguments, **keywords):
    """Refused: arrays have no strides in bytes that a program could set."""
    raise _refusal(
        TypeError,
        "absent",
        "as_strided() is not there: arrays lie in shards, and have no strides in bytes that a "
        "program could set; see sliding_window_view, reshape and broadcast_to",
    )
