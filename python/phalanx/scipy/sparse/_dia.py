"""Matrices by diagonals: a row of `data` has a diagonal, placed by columns."""

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import (
    checked_axes,
    checked_dtype,
    checked_shape,
    index_dtype,
    is_dense,
    is_shape,
    positions,
    promoted,
    sum_dtype,
    unequal,
    values_of,
)
from ._base import _difference, sparray
from ._classes import adopted, is_sparse, register, warn
from ._core import Rows
from ._data import DataSparse
from ._described import LOCAL, RECORDED, attribute, constructor, described
from ._matrix import spmatrix

# Up to as many diagonals, products are sums of shifted vectors, which one kernel computes.
_FEW = 32


class Dia(DataSparse):
    """Diagonals, whose numbers every process knows."""

    _format = "dia"
    data = attribute("data", "The diagonals, one in each row. Writing into it changes the matrix.")

    def __init__(self, arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        self._set_print(maxprint)
        arg1 = adopted(arg1)
        if dtype is not None:
            dtype = checked_dtype(dtype)
        if is_sparse(arg1):
            same = arg1.todia(copy=copy)
            self._take(same.data, same._numbers, same._shape)
        elif isinstance(arg1, tuple):
            self._take_parts(arg1, shape, dtype, copy)
        else:
            self._take_dense(arg1, dtype, shape)
        if shape is not None and checked_shape((shape,), self._lengths) != self._shape:
            raise unequal(tuple(shape), self._shape)
        if dtype is not None and self.data.dtype != dtype:
            self.data = self.data.astype(dtype)
        checked_dtype(self.data.dtype)
        self._check()

    def _take(self, data, numbers, shape):
        self.data, self._numbers, self._shape = data, tuple(numbers), shape

    @classmethod
    def _of(cls, data, numbers, shape):
        made = cls.__new__(cls)
        checked_dtype(data.dtype)
        made._take(data, numbers, shape)
        return made

    def _take_parts(self, parts, shape, dtype, copy):
        if is_shape(parts):
            shape = checked_shape(parts)
            self._take(np.zeros((0, 0), dtype=checked_dtype(dtype, np.float64)), (), shape)
            return
        if len(parts) != 2:
            raise _refusal(ValueError, "value", "unrecognized form for dia_array constructor")
        if shape is None:
            raise _refusal(ValueError, "together", "expected a shape argument")
        data = np.atleast_2d(values_of(parts[0], dtype))
        data = data.copy() if copy else data
        self._take(data, _numbers(parts[1]), checked_shape((shape,)))

    def _take_dense(self, given, dtype, shape):
        dense = self._dense_argument(given, dtype)
        same = self._class("coo")(dense, shape=shape).todia()
        self._take(same.data, same._numbers, same._shape)

    def _check(self):
        if self.data.ndim != 2:
            raise _refusal(ValueError, "value", "data array must have rank 2")
        if self.data.shape[0] != len(self._numbers):
            text = f"{self.data.shape[0]} diagonals for {len(self._numbers)} offsets"
            raise _refusal(ValueError, "together", text)
        if len(set(self._numbers)) != len(self._numbers):
            raise _refusal(ValueError, "value", "offset array contains duplicate values")

    @property
    def offsets(self):
        """The number of each diagonal; 0 is the main one, positive ones are above it."""
        dtype = index_dtype(max(self._shape))
        return np.asarray(list(self._numbers), dtype=dtype)

    @offsets.setter
    def offsets(self, array):
        self._numbers = _numbers(array)

    def __reduce__(self):
        return type(self), ((self.data, list(self._numbers)), self._shape)

    def _home(self):
        return self.__dict__.get("_kept_data")

    def _details(self):
        return f" ({self.data.shape[0]} diagonals)"

    def _span(self, number):
        """The columns of a diagonal that are in the matrix and in `data`."""
        rows, columns = self._shape
        low = max(number, 0)
        return low, max(low, min(rows + number, columns, self.data.shape[1]))

    def _mask(self):
        """Which elements of `data` are elements of the matrix."""
        column = np.arange(self.data.shape[1])
        row = column - self.offsets.astype(np.int64)[:, None]
        return (row >= 0) & (row < self._shape[0]) & (column < self._shape[1])

    def _inside(self):
        """The diagonals, with zeros outside the matrix."""
        return np.where(self._mask(), self.data, np.zeros((), self.dtype))

    def _entries(self):
        """The rows, columns and values of the elements that are not zero."""
        width = max(self.data.shape[1], 1)
        inside = self._inside().ravel()
        places = np.flatnonzero(inside)
        column = places % width
        row = column - self.offsets.astype(np.int64)[places // width]
        return row, column, inside[places]

    def _rows(self):
        row, column, values = self._entries()
        return Rows.from_triplets(row, column, values, self._shape)

    def _rows_of_transpose(self):
        row, column, values = self._entries()
        return Rows.from_triplets(column, row, values, self._shape[::-1])

    @described("csr_matrix or csr_array")
    def tocsr(self, copy=False):
        """The matrix in compressed rows, without elements that are zero."""
        return self._class("csr")._of_core(self._rows(), self._shape, is_canonical=True)

    @described("csc_matrix or csc_array")
    def tocsc(self, copy=False):
        """The matrix in compressed columns, without elements that are zero."""
        core = self._rows_of_transpose()
        return self._class("csc")._of_core(core, self._shape, is_canonical=True)

    @described("dia_matrix or dia_array", notes=LOCAL)
    def todia(self, copy=False):
        """The matrix by diagonals."""
        return self.copy() if copy else self

    def _with_data(self, data):
        return self._of(data, self._numbers, self._shape)

    def _getnnz(self, axis=None):
        if axis is not None:
            text = "the dia format counts no entries along an axis"
            raise _refusal(NotImplementedError, "absent", text, "use tocsr")
        return sum(high - low for low, high in map(self._span, self._numbers))

    @described("ndarray", {"NotImplementedError": "An axis is given."})
    def count_nonzero(self, axis=None):
        """The number of elements that are not zero."""
        if axis is not None:
            text = "the dia format counts no elements along an axis"
            raise _refusal(NotImplementedError, "absent", text, "use tocsr")
        return np.count_nonzero(self._inside())

    def _summed_values(self, dtype):
        return self._inside().sum(dtype=dtype)

    @described(
        "ndarray: Of shape `(1, n)` or `(m, 1)` for a matrix, and without the axis for an array.",
        {"ValueError": "The axis is out of range, or `out` has another shape."},
    )
    def sum(self, axis=None, dtype=None, out=None):
        """The sums of elements along an axis. Integers are added in 64 bits."""
        axes = checked_axes(axis, 2)
        if axes is None:
            return super().sum(axis, dtype, out)
        own = self if axes == (0,) else self.transpose()
        sums = own._inside().sum(axis=0, dtype=sum_dtype(self.dtype))
        count = own._shape[1]
        if sums.size < count:
            sums = np.concatenate([sums, np.zeros(count - sums.size, dtype=sums.dtype)])
        return self._reduced(sums[:count], axes[0], dtype, out)

    @described("ndarray", notes=RECORDED)
    def diagonal(self, k=0):
        """The elements of a diagonal."""
        rows, columns = self._shape
        if k <= -rows or k >= columns:
            return np.empty(0, dtype=self.dtype)
        length = min(rows + min(k, 0), columns - max(k, 0))
        if k not in self._numbers:
            return np.zeros(length, dtype=self.dtype)
        low, high = self._span(k)
        found = self.data[self._numbers.index(k), low:high]
        return np.concatenate([found, np.zeros(length - (high - low), dtype=self.dtype)])

    @described("dia_matrix or dia_array", {"ValueError": "`axes` is no order of the axes."})
    def transpose(self, axes=None, copy=False):
        """The matrix with its axes reversed."""
        self._check_axes(axes)
        rows, columns = self._shape
        width = self.data.shape[1]
        numbers = tuple(-number for number in self._numbers)
        if width == 0 or not numbers:
            return self._of(np.zeros((len(numbers), 0), self.dtype), numbers, (columns, rows))
        # Column j of a diagonal is column j - number of the transposed one.
        place = np.arange(rows) + self.offsets.astype(np.int64)[:, None]
        line = np.arange(len(numbers))[:, None] * width
        values = self.data.ravel()[line + np.clip(place, 0, width - 1)]
        is_inside = (place >= 0) & (place < width)
        data = np.where(is_inside, values, np.zeros((), self.dtype))
        return self._of(data, numbers, (columns, rows))

    # Operations of two matrices.

    def _widened(self, numbers, width, dtype):
        """The diagonals among those of more numbers and columns."""
        data = np.zeros((len(numbers), width), dtype=dtype)
        places = [numbers.index(number) for number in self._numbers]
        if places and self.data.shape[1]:
            data[np.asarray(places), : self.data.shape[1]] = self.data
        return data

    def _added(self, other, function):
        numbers = self._numbers
        if numbers != other._numbers:
            numbers = tuple(sorted({*numbers, *other._numbers}))
        width = max(self.data.shape[1], other.data.shape[1])
        dtype = promoted(self.dtype, other.dtype)
        first, second = (one._widened(numbers, width, dtype) for one in (self, other))
        return self._of(function(first, second), numbers, self._shape)

    def _add_sparse(self, other):
        return self._added(other, np.add) if isinstance(other, Dia) else other._add_sparse(self)

    def _sub_sparse(self, other):
        if isinstance(other, Dia):
            return self._added(other, _difference)
        return self.tocsr()._sub_sparse(other)

    @described(
        "sparse matrix, sparse array or ndarray",
        {"ValueError": "The shapes do not fit.", "TypeError": "The operand is no array."},
    )
    def multiply(self, other):
        """The products of elements; the operands broadcast."""
        if not is_dense(other):
            # As in SciPy, a list is multiplied by way of compressed rows.
            other = adopted(other)
            if not isinstance(other, Dia):
                return super().multiply(other)
        elif other.ndim == 0:
            return super().multiply(other)
        if isinstance(other, Dia) and other.shape == self.shape:
            numbers = tuple(sorted({*self._numbers} & {*other._numbers}))
            width = min(self.data.shape[1], other.data.shape[1])
            first, second = (one._chosen(numbers, width) for one in (self, other))
            return self._of(first * second, numbers, self._shape)
        is_plain = 0 in self.shape or 1 in self.shape or 0 in other.shape
        if is_sparse(other) or is_plain or other.ndim > 2:
            return super().multiply(other)
        return self._multiplied(np.atleast_2d(np.asarray(other)))

    def _chosen(self, numbers, width):
        places = [self._numbers.index(number) for number in numbers]
        return self.data[np.asarray(places, dtype=np.int64), :width]

    def _multiplied(self, other):
        rows, columns = self._shape
        for theirs, own in zip(other.shape, (rows, columns)):
            if theirs not in (1, own):
                raise unequal(self.shape, other.shape)
        width = min(self.data.shape[1], columns)
        column = np.arange(width)
        row = np.clip(column - self.offsets.astype(np.int64)[:, None], 0, rows - 1)
        factors = np.broadcast_to(other, (rows, columns))[row, np.broadcast_to(column, row.shape)]
        is_inside = self._mask()[:, :width]
        values = self.data[:, :width] * factors
        data = np.where(is_inside, values, np.zeros((), values.dtype))
        return self._of(data, self._numbers, self._shape)

    def _matmul_dense(self, other):
        if len(self._numbers) > _FEW:
            return super()._matmul_dense(other)
        dtype = promoted(self.dtype, other.dtype)
        result = np.zeros((self._shape[0], *other.shape[1:]), dtype=dtype)
        for line, number in enumerate(self._numbers):
            low, high = self._span(number)
            if low < high:
                factors = self.data[line, low:high]
                factors = factors if other.ndim == 1 else factors[:, None]
                part = result[low - number : high - number]
                part += factors * other[low:high]
        return result

    def _matmul_sparse(self, other):
        if not isinstance(other, Dia):
            return super()._matmul_sparse(other)
        shape = (self._shape[0], other._shape[1])
        dtype = promoted(self.dtype, other.dtype)
        if len(self._numbers) * len(other._numbers) > _FEW:
            core = self._rows().matmul(other._rows())
            return self._class("csr")._of_core(core, shape, is_canonical=True).todia()
        lines = {}
        for line, number in enumerate(self._numbers):
            low, high = self._span(number)
            for others, shift in enumerate(other._numbers):
                first, last = other._span(shift)
                first = max(first, low + shift)
                last = min(last, high + shift)
                sums = lines.setdefault(number + shift, np.zeros(shape[1], dtype=dtype))
                if first < last:
                    factors = self.data[line, first - shift : last - shift]
                    part = sums[first:last]
                    part += factors * other.data[others, first:last]
        numbers = sorted(number for number in lines if -shape[0] < number < shape[1])
        if not numbers:
            return self._of(np.zeros((0, 0), dtype=dtype), (), shape)
        return self._of(np.stack([lines[number] for number in numbers]), numbers, shape)

    def _setdiag(self, values, k, length):
        low = max(k, 0)
        width = max(self.data.shape[1], low + length)
        numbers = self._numbers if k in self._numbers else (*self._numbers, k)
        data = self._widened(numbers, width, self.dtype)
        data[numbers.index(k), low : low + length] = values
        self._take(data, numbers, self._shape)

    @described("None", {"ValueError": "The shape has a negative extent or other axes."},
               shape=("int or tuple of int", "The extents."))
    def resize(self, *shape):
        """Changes the shape in place: elements outside the new shape are dropped."""
        shape = checked_shape(shape)
        # Elements outside the old shape must not appear in the new one.
        data = self._inside()[:, : shape[1]]
        self._take(data, self._numbers, shape)


def _numbers(offsets):
    """The numbers of diagonals, which every process knows. Collective for an array."""
    offsets = np.atleast_1d(positions(offsets))
    if offsets.ndim != 1:
        raise _refusal(ValueError, "value", "offsets array must have rank 1")
    return tuple(int(number) for number in offsets.tolist())


def of_entries(entries):
    """The matrix of entries in canonical coordinate format."""
    made = entries._class("dia")
    shape, values = entries._shape, entries.data
    if values.size == 0:
        return made._of(np.zeros((0, 0), dtype=values.dtype), (), shape)
    number = entries.col.astype(np.int64) - entries.row
    numbers = np.unique(number)
    count = numbers.size
    if count > 100:
        warn(f"Constructing a DIA matrix with {count} diagonals is inefficient")
    width = int(entries.col.max()) + 1
    data = np.zeros(count * width, dtype=values.dtype)
    data[np.searchsorted(numbers, number) * width + entries.col] = values
    return made._of(data.reshape(count, width), numbers.tolist(), shape)


_PARTS = {
    "forms": "``(data, offsets)``, with a shape",
    "extents": "The extents.",
}


class dia_array(Dia, sparray):
    __doc__ = constructor("A sparse array by diagonals", **_PARTS)


class dia_matrix(spmatrix, Dia):
    __doc__ = constructor("A sparse matrix by diagonals", **_PARTS)
    _error_of_axes = TypeError


register(dia_array, dia_matrix)
