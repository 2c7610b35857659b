"""Removal of trends."""

import phalanx as np

from ._arrays import array, axis_of, host, part, refuse
from ._described import described


@described(
    "ndarray: The shape of `data`. Dtype: that of `data`; float64 for integers.",
    {"ValueError": "The type is unknown, or a break point is beyond the data."},
)
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    """The data without their mean, or without a line that is fitted to each segment."""
    if type not in ("linear", "l", "constant", "c"):
        raise refuse("Trend type must be 'linear' or 'constant'.", mistake="choice")
    data = array(data)
    if type in ("constant", "c"):
        return data - np.mean(data, axis=axis, keepdims=True)
    if data.dtype.char not in "dfDF":
        data = data.astype(np.float64)
    axis = axis_of(axis, data.ndim)
    extent = data.shape[axis]
    if extent == 0:
        raise refuse("no line fits data without elements along the axis")
    breaks = sorted({0, extent, *host(bp).ravel().tolist()})
    if breaks[0] < 0 or breaks[-1] > extent:
        raise refuse("Breakpoints must be less than length of data along given axis.")
    pieces = [
        _without_line(part(data, axis, int(start), int(stop)), axis)
        for start, stop in zip(breaks, breaks[1:])
    ]
    if not pieces:
        return data
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces, axis=axis)


def _without_line(x, axis):
    extent = x.shape[axis]
    centred = x - np.mean(x, axis=axis, keepdims=True)
    if extent < 2:
        return centred
    shape = [1] * x.ndim
    shape[axis] = extent
    # The positions have no mean, so that the slope is a quotient of sums.
    positions = (np.arange(extent) - (extent - 1) / 2).astype(centred.real.dtype).reshape(shape)
    spread = extent * (extent * extent - 1) / 12
    slope = np.sum(centred * positions, axis=axis, keepdims=True) / spread
    return centred - slope * positions
