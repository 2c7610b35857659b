"""The largest and smallest elements of sparse matrices, and their positions."""

import math

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import checked_axes, index_dtype
from ._described import described

_EMPTY = {"ValueError": "The matrix has no elements, the axis is out of range, or out is given."}
_NOT_WRITTEN = ("None", "Not supported.")


class Extremes:
    """The methods of formats that have `max`, `min`, `argmax` and `argmin`."""

    @described("ndarray, coo_matrix or coo_array: Without an axis, an ndarray without axes.",
               _EMPTY, out=_NOT_WRITTEN)
    def max(self, axis=None, out=None, *, explicit=False):
        """The largest elements along an axis; NaN if there is one."""
        return self._extreme(axis, out, np.maximum, "maximum", explicit)

    @described("ndarray, coo_matrix or coo_array: Without an axis, an ndarray without axes.",
               _EMPTY, out=_NOT_WRITTEN)
    def min(self, axis=None, out=None, *, explicit=False):
        """The smallest elements along an axis; NaN if there is one."""
        return self._extreme(axis, out, np.minimum, "minimum", explicit)

    @described("ndarray, coo_matrix or coo_array: Without an axis, an ndarray without axes.",
               _EMPTY, out=_NOT_WRITTEN)
    def nanmax(self, axis=None, out=None, *, explicit=False):
        """The largest elements along an axis, without NaN."""
        return self._extreme(axis, out, np.fmax, None, explicit)

    @described("ndarray, coo_matrix or coo_array: Without an axis, an ndarray without axes.",
               _EMPTY, out=_NOT_WRITTEN)
    def nanmin(self, axis=None, out=None, *, explicit=False):
        """The smallest elements along an axis, without NaN."""
        return self._extreme(axis, out, np.fmin, None, explicit)

    @described("ndarray: Of int64.", _EMPTY, out=_NOT_WRITTEN)
    def argmax(self, axis=None, out=None, *, explicit=False):
        """The positions of the largest elements along an axis, the first one of equal ones."""
        return self._position(axis, out, "argmax", "maximum", np.greater, explicit)

    @described("ndarray: Of int64.", _EMPTY, out=_NOT_WRITTEN)
    def argmin(self, axis=None, out=None, *, explicit=False):
        """The positions of the smallest elements along an axis, the first one of equal ones."""
        return self._position(axis, out, "argmin", "minimum", np.less, explicit)

    def _extreme(self, axis, out, ufunc, reduction, explicit):
        _check_out(out, "min/max")
        axes = checked_axes(axis, self.ndim)
        if 0 in (self.shape if axes is None else [self.shape[one] for one in axes]):
            raise _refusal(ValueError, "value", "zero-size array to reduction operation")
        if axes is None:
            zero = np.zeros((), self.dtype)
            values = self._summed_data().ravel()
            if values.size == 0:
                return zero
            extreme = ufunc.reduce(values)
            is_full = self.nnz == math.prod(self.shape)
            return extreme if is_full or explicit else ufunc(zero, extreme)
        lines = self._lines(axes[0])
        if explicit or reduction is None:
            values, counts = _explicit(lines, ufunc)
            # Lines without entries have no result.
            is_kept = counts > 0
            if not explicit:
                is_part = counts < lines.shape[1]
                zero = np.zeros((), values.dtype)
                values = np.where(is_part & is_kept, ufunc(values, zero), values)
            is_kept &= values != 0
        else:
            values = lines.reduce(reduction, 1)
            is_kept = values != 0
        return self._of_lines(values, is_kept, axes[0])

    def _lines(self, axis):
        """The entries by lines along an axis, without duplicates."""
        return (self._rows_of_transpose() if axis == 0 else self._rows()).summed()

    def _of_lines(self, values, is_kept, axis):
        """One value for each line, as a sparse matrix of one line."""
        values, count = values[is_kept], len(is_kept)
        places = np.flatnonzero(is_kept).astype(index_dtype(count))
        made = self._class("coo")
        if self._is_array:
            return made((values, (places,)), shape=(count,), dtype=self.dtype)
        other = np.zeros_like(places)
        coords = (other, places) if axis == 0 else (places, other)
        shape = (1, count) if axis == 0 else (count, 1)
        return made((values, coords), shape=shape, dtype=self.dtype)

    def _position(self, axis, out, name, reduction, is_better, explicit):
        _check_out(out, name)
        axes = checked_axes(axis, self.ndim)
        if axes is None:
            return self._position_of_all(name, is_better, explicit)
        if self.shape[axes[0]] == 0:
            text = f"Cannot apply {name} along a zero-sized dimension."
            raise _refusal(ValueError, "value", text)
        lines = self._lines(axes[0])
        if explicit:
            ufunc = np.maximum if reduction == "maximum" else np.minimum
            extremes, _ = _explicit(lines, ufunc)
            found = _first(lines, extremes)
        else:
            found = _with_zeros(lines, reduction, is_better)
        if self._is_array:
            return found
        return found.reshape((1, -1) if axes[0] == 0 else (-1, 1))

    def _position_of_all(self, name, is_better, explicit):
        size = math.prod(self.shape)
        if size == 0:
            raise _refusal(ValueError, "value", f"Cannot apply {name} to an empty matrix.")
        entries = self.tocoo(copy=True)
        entries.sum_duplicates()
        values, count = entries.data, entries.nnz
        if count == 0:
            if explicit:
                text = f"Cannot apply {name} to zero matrix when explicit=True."
                raise _refusal(ValueError, "value", text)
            return np.zeros((), np.int64)
        place = getattr(values, name)()
        if explicit:
            return place
        linear = entries._linear()
        extreme, of_extreme = values[place], linear[place]
        if count == size:
            return of_extreme
        # Positions ascend, so the first one that is missing is the number of those before it.
        missing = (linear == np.arange(count)).sum()
        zero = np.zeros((), values.dtype)
        first = np.where(extreme == zero, np.minimum(missing, of_extreme), missing)
        return np.where(is_better(extreme, zero), of_extreme, first)


def _check_out(out, name):
    if out is not None:
        raise _refusal(ValueError, "keyword", f"Sparse {name} does not support an 'out' parameter.")


def _explicit(lines, ufunc):
    """The extreme entry of each line, and the number of its entries; 0 for a line of none."""
    starts = lines.row_starts()
    counts = np.diff(starts)
    values = np.zeros(lines.shape[0], lines.dtype)
    taken = np.flatnonzero(counts)
    if taken.size:
        values[taken] = ufunc.reduceat(lines.values, starts[taken])
    return values, counts


def _first(lines, extremes):
    """The first column of each line in which an entry is the extreme; 0 for a line of none."""
    rows, width = lines.rows(), lines.shape[1]
    values, sought = lines.values, extremes[rows]
    is_extreme = values == sought
    if values.dtype.kind in "fc":
        is_extreme |= (values != values) & (sought != sought)
    # The largest distance from the end, as a line also has implicit zeros.
    distance = np.where(is_extreme, width - lines.columns.astype(np.int64), 0)
    distance = lines.with_values(distance).reduce("maximum", 1)
    return np.where(distance == 0, 0, width - distance)


def _with_zeros(lines, reduction, is_better):
    """The first column of each line with its extreme, also where it is an implicit zero."""
    counts = np.diff(lines.row_starts())
    extremes = lines.reduce(reduction, 1)
    of_entries = _first(lines, extremes)
    # The first columns of a line without a gap have numbers that count them.
    place = np.arange(lines.nnz) - lines.row_starts()[lines.rows()]
    is_dense = (lines.columns == place).astype(np.int64)
    missing = lines.with_values(is_dense).reduce("add", 1)
    zero = np.zeros((), lines.dtype)
    is_zero_entry = lines.with_values((lines.values == 0).astype(np.int64)).reduce("maximum", 1)
    first = np.where((extremes == zero) & (is_zero_entry > 0),
                     np.minimum(missing, of_entries), missing)
    is_entry = (is_better(extremes, zero) | (counts == lines.shape[1])) & (counts > 0)
    return np.where(is_entry, of_entries, np.where(counts > 0, first, 0))
