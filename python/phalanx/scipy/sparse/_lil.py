"""Matrices as lists of Python: for each row, the columns and the values of its entries."""

from bisect import bisect_left

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import (
    checked_dtype,
    checked_shape,
    index_dtype,
    is_scalar,
    is_shape,
    reshape_options,
)
from ._base import sparray
from ._classes import adopted, is_sparse, register
from ._described import HOST, LOCAL, attribute, constructor, described
from ._host_formats import HostSparse
from ._index import is_whole
from ._matrix import spmatrix


class Lil(HostSparse):
    """Rows that are lists, whose columns ascend."""

    _format = "lil"
    rows = attribute("rows", "The columns of the entries of each row, in lists of Python.")
    data = attribute("data", "The values of the entries of each row, in lists of Python.")

    def __init__(self, arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        self._set_print(maxprint)
        arg1 = adopted(arg1)
        if dtype is not None:
            dtype = checked_dtype(dtype)
        if isinstance(arg1, tuple):
            if not is_shape(arg1):
                raise _refusal(TypeError, "value", "unrecognized lil_array constructor usage")
            if shape is not None:
                raise _refusal(ValueError, "together", "invalid use of shape parameter")
            self._shape = checked_shape(arg1)
            self.dtype = checked_dtype(dtype, np.float64)
            self.rows = [[] for _ in range(self._shape[0])]
            self.data = [[] for _ in range(self._shape[0])]
            return
        if is_sparse(arg1) and arg1.format == "lil":
            other = arg1.copy() if copy else arg1
            if dtype is not None:
                other = other.astype(dtype, copy=False)
            self.rows, self.data = other.rows, other.data
        else:
            other = self._compressed(arg1, dtype)
            self.rows, self.data = _lists(other)
        self._shape, self.dtype = other.shape, other.dtype

    def _compressed(self, arg1, dtype):
        if not is_sparse(arg1):
            arg1 = self._dense_argument(arg1)
        elif arg1.ndim != 2:
            text = "an array of one axis has no lil format"
            raise _refusal(ValueError, "value", text)
        return self._class("csr")(arg1, dtype=dtype)

    def _of(self, rows, data, shape, dtype):
        made = type(self)((0, 0), dtype=dtype)
        made.rows, made.data, made._shape = rows, data, shape
        return made

    def _getnnz(self, axis=None):
        return self._counts([[True] * len(row) for row in self.data], axis)

    @described("int or ndarray", {"ValueError": "The axis is out of range."}, notes=HOST)
    def count_nonzero(self, axis=None):
        """The number of elements that are not zero."""
        return self._counts([[number != 0 for number in row] for row in self.data], axis)

    def _counts(self, marks, axis):
        """How many entries are marked, along an axis."""
        if axis is None:
            return sum(map(sum, marks))
        if not -2 <= axis < 2:
            raise _refusal(ValueError, "value", "axis out of bounds")
        if axis % 2:
            return np.asarray([sum(row) for row in marks], dtype=np.int64)
        counts = [0] * self._shape[1]
        for columns, row in zip(self.rows, marks):
            for column, is_marked in zip(columns, row):
                counts[column] += is_marked
        return np.asarray(counts, dtype=np.int64)

    def _element(self, row, column):
        columns = self.rows[row]
        place = bisect_left(columns, column)
        is_entry = place < len(columns) and columns[place] == column
        return self.data[row][place] if is_entry else 0

    def _set_element(self, row, column, number):
        columns, numbers = self.rows[row], self.data[row]
        place = bisect_left(columns, column)
        is_entry = place < len(columns) and columns[place] == column
        if number == 0:
            if is_entry:
                del columns[place], numbers[place]
        elif is_entry:
            numbers[place] = number
        else:
            columns.insert(place, column)
            numbers.insert(place, number)

    def __getitem__(self, key):
        items = key if isinstance(key, tuple) else (key, slice(None))
        if len(items) == 2 and isinstance(items[0], slice) and is_whole(items[1]):
            chosen = range(*items[0].indices(self._shape[0]))
            rows, data = ([list(part[row]) for row in chosen] for part in (self.rows, self.data))
            return self._of(rows, data, (len(chosen), self._shape[1]), self.dtype)
        if len(items) == 2 and isinstance(items[0], int) and is_whole(items[1]):
            found = self._row(items[0])
            return found.tocoo().reshape(self._shape[1]) if self._is_array else found
        return super().__getitem__(key)

    def __setitem__(self, key, x):
        x = adopted(x)
        is_all = isinstance(key, tuple) and len(key) == 2 and all(map(is_whole, key))
        if is_all and is_sparse(x) and x.shape == self._shape:
            other = type(self)(x, dtype=self.dtype, copy=True)
            self.rows, self.data = other.rows, other.data
            return
        super().__setitem__(key, x)

    def _row(self, number):
        count = self._shape[0]
        if not -count <= number < count:
            raise _refusal(IndexError, "key", f"index ({number}) out of range")
        shape = (1, self._shape[1])
        return self._of([list(self.rows[number])], [list(self.data[number])], shape, self.dtype)

    @described("lil_matrix or lil_array", {"IndexError": "There is no such row."}, notes=LOCAL)
    def getrowview(self, i):
        """A row whose lists are those of this matrix, so that writing into it changes both."""
        return self._of([self.rows[i]], [self.data[i]], (1, self._shape[1]), self.dtype)

    @described("lil_matrix or lil_array", {"IndexError": "There is no such row."}, notes=LOCAL)
    def getrow(self, i):
        """A copy of a row."""
        return self._row(int(i))

    def __iadd__(self, other):
        self[:, :] = self + other
        return self

    def __isub__(self, other):
        self[:, :] = self - other
        return self

    def __imul__(self, other):
        if not is_scalar(other):
            return NotImplemented
        self[:, :] = self * other
        return self

    def __itruediv__(self, other):
        if not is_scalar(other):
            return NotImplemented
        self[:, :] = self / other
        return self

    def _mul_scalar(self, other):
        return self._class("lil")(self.tocsr()._mul_scalar(other))

    def __truediv__(self, other):
        quotient = super().__truediv__(other)
        return self._class("lil")(quotient) if is_scalar(other) else quotient

    @described("lil_matrix or lil_array", notes=LOCAL)
    def copy(self):
        """A copy with lists of its own."""
        return self[:, :]

    @described("lil_matrix or lil_array", {"ValueError": "The shape has other elements."},
               notes=HOST, shape=("int or tuple of int", "The extents."),
               keywords=("dict", "`order` ('C' or 'F') and `copy`."))
    def reshape(self, *shape, **keywords):
        """The same elements in another shape."""
        shape = checked_shape(shape, (2,), self.shape)
        order, copy = reshape_options(keywords)
        if shape == self.shape:
            return self.copy() if copy else self
        return self.tocoo().reshape(shape, order=order).tolil()

    @described("None", {"ValueError": "The shape has a negative extent or other axes."},
               notes=LOCAL, shape=("int or tuple of int", "The extents."))
    def resize(self, *shape):
        """Changes the shape in place: elements outside the new shape are dropped."""
        rows, columns = checked_shape(shape)
        more = rows - self._shape[0]
        self.rows = self.rows[:rows] + [[] for _ in range(more)]
        self.data = self.data[:rows] + [[] for _ in range(more)]
        for places, numbers in zip(self.rows, self.data):
            end = bisect_left(places, columns)
            del places[end:], numbers[end:]
        self._shape = (rows, columns)

    @described("lil_matrix or lil_array", {"ValueError": "`axes` is no order of the axes."})
    def transpose(self, axes=None, copy=False):
        """The matrix with its axes reversed."""
        self._check_axes(axes)
        return self.tocsr().transpose().tolil()

    @described("lil_matrix or lil_array", notes=LOCAL)
    def tolil(self, copy=False):
        """The matrix as lists of Python, on the host."""
        return self.copy() if copy else self

    @described("csr_matrix or csr_array")
    def tocsr(self, copy=False):
        """The matrix in compressed rows."""
        starts = [0]
        for columns in self.rows:
            starts.append(starts[-1] + len(columns))
        columns = [column for row in self.rows for column in row]
        numbers = [number for row in self.data for number in row]
        narrow = index_dtype(max(*self._shape, len(numbers)))
        parts = (
            np.asarray(numbers, dtype=self.dtype),
            np.asarray(columns, dtype=narrow),
            np.asarray(starts, dtype=narrow),
        )
        made = self._class("csr")(parts, shape=self._shape)
        made.has_canonical_format = True
        return made

    def _setdiag(self, values, k, length):
        numbers = values.tolist() if values.ndim else [values.item()] * length
        for place, number in enumerate(numbers):
            self._set_element(place - min(k, 0), place + max(k, 0), self._number(number))


def _lists(matrix):
    """The columns and the values of each row of a matrix in compressed rows."""
    matrix.sum_duplicates()
    starts, columns = matrix.indptr.tolist(), matrix.indices.tolist()
    numbers = matrix.data.tolist()
    ranges = list(zip(starts, starts[1:]))
    return [columns[a:b] for a, b in ranges], [numbers[a:b] for a, b in ranges]


_PARTS = {
    "forms": None,
    "extents": "Not used.",
    "copied": "lists are",
}


class lil_array(Lil, sparray):
    __doc__ = constructor("A sparse array as lists of Python, on the host", **_PARTS)


class lil_matrix(spmatrix, Lil):
    __doc__ = constructor("A sparse matrix as lists of Python, on the host", **_PARTS)


register(lil_array, lil_matrix)
