"""Ranks along an axis."""

import phalanx as np

from ._arrays import array, axis_of, check_policy, has_nan, quiet, refuse
from ._described import DEPENDS, RECORDED, described

_METHODS = ("average", "min", "max", "dense", "ordinal")


class Ranked:
    """Elements sorted along the last axis, with the extents of runs of equal elements."""

    def __init__(self, x, order=None):
        self.order = np.argsort(x, axis=-1, stable=True) if order is None else order
        self.sorted = np.take_along_axis(x, self.order, -1)
        n = x.shape[-1]
        self._places = np.arange(n)
        self.differs = self.sorted[..., 1:] != self.sorted[..., :-1]
        shape = x.shape[:-1]
        first = np.zeros((*shape, min(n, 1)), dtype=np.int64)
        starts = np.concatenate([first, np.where(self.differs, self._places[1:], 0)], -1)
        self.starts = np.maximum.accumulate(starts, axis=-1)
        last = np.full((*shape, min(n, 1)), max(n - 1, 0), dtype=np.int64)
        ends = np.concatenate([np.where(self.differs, self._places[:-1], n), last], -1)
        self.ends = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]

    @property
    def lengths(self):
        """The extent of the run of each sorted element."""
        return self.ends - self.starts + 1

    def values(self, method):
        """The ranks of the sorted elements."""
        if method == "average":
            return (self.starts + self.ends) * 0.5 + 1.0
        if method == "min":
            return self.starts + 1
        if method == "max":
            return self.ends + 1
        if method == "ordinal":
            return np.broadcast_to(self._places + 1, self.starts.shape)
        ones = np.ones((*self.starts.shape[:-1], min(len(self._places), 1)), dtype=np.int64)
        return np.cumsum(np.concatenate([ones, self.differs.astype(np.int64)], -1), axis=-1)

    def back(self, values):
        """Values of the sorted elements in the order of the sample."""
        found = np.zeros_like(values)
        np.put_along_axis(found, self.order, values, -1)
        return found

    def ranks(self, method="average"):
        """The ranks in the order of the sample."""
        return self.back(self.values(method))

    def ties(self):
        """The sum of ``t**3 - t`` over runs of extents `t`."""
        t = self.lengths.astype(np.float64)
        return (t * t - 1).sum(-1)


def ranks(x, method="average"):
    """Ranks along the last axis."""
    return Ranked(x).ranks(method)


@described("ndarray: The ranks from 1 on; float64 for 'average', else int64.", notes=DEPENDS)
def rankdata(a, method="average", *, axis=None, nan_policy="propagate"):
    """The ranks of elements along an axis; by default of all elements as a vector."""
    if method not in _METHODS:
        raise refuse(f'unknown method "{method}"', mistake="choice")
    check_policy(nan_policy)
    x = array(a)
    if axis is None:
        x, place = x.reshape(-1), 0
    else:
        place = axis_of(axis, x.ndim)
    x = np.moveaxis(x, place, -1)
    if x.size == 0:
        return np.empty(np.moveaxis(x, -1, place).shape,
                        dtype=np.float64 if method == "average" else np.int64)
    nans = None
    if x.dtype.kind in "fc" and (method != "average" or nan_policy != "propagate"):
        nans = np.isnan(x) if has_nan(x) else None
        if nans is not None and nan_policy == "raise":
            raise refuse("The input contains nan values")
    elif x.dtype.kind in "fc":
        nans = np.isnan(x)
    with quiet():
        found = ranks(x, method)
        if nans is not None and nan_policy == "omit":
            found = np.where(nans, np.nan, found)
        elif nans is not None:
            found = np.where(nans.any(-1, keepdims=True), np.nan, found)
    return np.moveaxis(found, -1, place)


@described("ndarray: The factor, from 0 to 1.", notes=RECORDED)
def tiecorrect(rankvals):
    """The factor by which ties reduce the variance of rank statistics."""
    values = array(rankvals).reshape(-1)
    n = float(values.shape[0])
    if n < 2:
        return np.asarray(1.0)
    return 1.0 - Ranked(values).ties() / (n**3 - n)
