"""Matrices in coordinate format: the positions and the value of each entry."""

import operator

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import (
    checked_dtype,
    checked_shape,
    has_wide,
    index_dtype,
    is_shape,
    positions,
    reshape_options,
    unequal,
    values_of,
)
from ._base import sparray
from ._classes import adopted, is_sparse, register
from ._core import Rows
from ._data import DataSparse
from ._described import LOCAL, RECORDED, attribute, constructor, described
from ._extremes import Extremes
from ._matrix import spmatrix


class Coo(Extremes, DataSparse):
    """Entries in any order; several entries of a position add up."""

    _format = "coo"
    _lengths = (1, 2)
    data = attribute("data", "The values of the entries. Writing into it changes the matrix.")
    coords = attribute("coords", "The positions of the entries along each axis.")

    def __init__(self, arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        self._set_print(maxprint)
        arg1 = adopted(arg1)
        if dtype is not None:
            dtype = checked_dtype(dtype)
        if is_sparse(arg1):
            same = arg1.tocoo(copy=copy)
            self._take(same.data, same.coords, same._shape, same._is_canonical)
        elif isinstance(arg1, tuple):
            self._take_parts(arg1, shape, dtype, copy)
        else:
            self._take_dense(arg1, dtype)
        if shape is not None and checked_shape((shape,), self._lengths) != self._shape:
            raise unequal(tuple(shape), self._shape)
        if dtype is not None and self.data.dtype != dtype:
            self.data = self.data.astype(dtype)
        checked_dtype(self.data.dtype)

    def _take(self, values, coords, shape, is_canonical=None):
        self.data, self.coords, self._shape = values, tuple(coords), shape
        self._is_canonical = is_canonical

    @classmethod
    def _of(cls, values, coords, shape, is_canonical=None):
        """A matrix of entries whose positions are known to be in the shape."""
        made = cls.__new__(cls)
        checked_dtype(values.dtype)
        made._take(values, coords, shape, is_canonical)
        return made

    def _take_parts(self, parts, shape, dtype, copy):
        if is_shape(parts, range(1, 65)):
            shape = checked_shape(parts, self._lengths)
            none = np.zeros(0, dtype=index_dtype(max(shape)))
            values = np.zeros(0, dtype=checked_dtype(dtype, np.float64))
            self._take(values, (none,) * len(shape), shape, True)
            return
        values, coords, shape = entries_of(parts, shape, dtype, self._lengths)
        if copy:
            values, coords = values.copy(), (place.copy() for place in coords)
        self._take(values, coords, shape)
        self._check()

    def _check(self):
        if self.data.ndim != 1 or any(place.ndim != 1 for place in self.coords):
            raise _refusal(ValueError, "value", "coordinates and data arrays must be 1-D")
        if any(place.size != self.data.size for place in self.coords):
            text = "all index and data arrays must have the same length"
            raise _refusal(ValueError, "together", text)
        if self.data.size:
            limits = [limit for place in self.coords for limit in (place.min(), place.max())]
            limits = np.stack([limit.astype(np.int64) for limit in limits]).tolist()
            for axis, extent in enumerate(self._shape):
                least, most = limits[2 * axis : 2 * axis + 2]
                if most >= extent:
                    text = f"axis {axis} index {most} exceeds matrix dimension {extent}"
                    raise _refusal(ValueError, "key", text)
                if least < 0:
                    text = f"negative axis {axis} index: {least}"
                    raise _refusal(ValueError, "key", text)
        narrow = index_dtype(max(self._shape), self._is_array and self._is_wide)
        self.coords = tuple(place.astype(narrow, copy=False) for place in self.coords)

    def _take_dense(self, given, dtype):
        dense = self._dense_argument(given, dtype)
        core = Rows.from_dense(np.atleast_2d(dense))
        coords, shape = (core.rows(), core.columns)[2 - dense.ndim :], tuple(dense.shape)
        narrow = index_dtype(max(shape))
        coords = tuple(place.astype(narrow, copy=False) for place in coords)
        self._take(core.values, coords, shape, True)

    # The parts.

    @property
    def _is_wide(self):
        return has_wide(*self.coords)

    @property
    def row(self):
        """The row of each entry."""
        return self.coords[-2] if self.ndim > 1 else np.zeros_like(self.coords[0])

    @row.setter
    def row(self, array):
        if self.ndim < 2:
            text = "cannot set row attribute of a 1-dimensional sparse array"
            raise _refusal(ValueError, "fixed", text)
        self.coords = (positions(array), self.coords[-1])
        self._is_canonical = None

    @property
    def col(self):
        """The column of each entry."""
        return self.coords[-1]

    @col.setter
    def col(self, array):
        self.coords = (*self.coords[:-1], positions(array))
        self._is_canonical = None

    @property
    def has_canonical_format(self):
        """Whether positions are known to ascend, without duplicates."""
        return bool(self._is_canonical)

    @has_canonical_format.setter
    def has_canonical_format(self, is_canonical):
        self._is_canonical = bool(is_canonical)

    def __reduce__(self):
        return type(self), ((self.data, self.coords), self._shape)

    def _home(self):
        return self.__dict__.get("_kept_data")

    def _rows(self):
        rows, columns = self.row, self.col
        return Rows.from_triplets(rows, columns, self.data, self._shape_as_2d)

    def _rows_of_transpose(self):
        shape = self._shape_as_2d[::-1]
        return Rows.from_triplets(self.col, self.row, self.data, shape)

    def _linear(self, order="C"):
        """The number of each entry's position, counted along the last axis first."""
        if self.ndim == 1:
            return self.coords[0].astype(np.int64)
        (rows, columns), (row, column) = self._shape, self.coords
        if order == "C":
            return row.astype(np.int64) * columns + column
        return column.astype(np.int64) * rows + row

    @described("None")
    def sum_duplicates(self):
        """Adds up the entries of each position and sorts them, in place."""
        if not self._is_canonical:
            core = self._rows()
            coords = (core.rows(), core.columns)[2 - self.ndim :]
            narrow = self.coords[0].dtype
            coords = tuple(place.astype(narrow, copy=False) for place in coords)
            self._take(core.values, coords, self._shape, True)

    @described("None")
    def eliminate_zeros(self):
        """Drops the entries that are zero, in place."""
        is_kept = self.data != 0
        coords = tuple(place[is_kept] for place in self.coords)
        self._take(self.data[is_kept], coords, self._shape, self._is_canonical)

    def _with_data(self, data):
        return self._of(data, self.coords, self._shape, self._is_canonical)

    def _getnnz(self, axis=None):
        if axis is None or (self.ndim == 1 and axis in (0, -1)):
            return self.data.size
        if self.ndim == 1 or not -2 <= axis < 2:
            raise _refusal(ValueError, "value", "axis out of bounds")
        axis %= 2
        return np.bincount(self.coords[1 - axis], minlength=self._shape[1 - axis])

    @described("ndarray", {"ValueError": "The axis is out of range."})
    def count_nonzero(self, axis=None):
        """The number of elements that are not zero."""
        self.sum_duplicates()
        if axis is None:
            return np.count_nonzero(self.data)
        if self.ndim == 1 and axis in (0, -1):
            return np.count_nonzero(self.data)
        return self._of(*self._nonzero_entries(), self._shape)._getnnz(axis)

    def _nonzero_entries(self):
        is_kept = self.data != 0
        return self.data[is_kept], tuple(place[is_kept] for place in self.coords)

    # Shapes.

    @described("coo_matrix or coo_array", {"ValueError": "The shape has other elements."},
               shape=("int or tuple of int", "The extents."),
               keywords=("dict", "`order` ('C' or 'F') and `copy`."))
    def reshape(self, *shape, **keywords):
        """The same elements in another shape."""
        shape = checked_shape(shape, self._reshaped_lengths(), self.shape)
        order, copy = reshape_options(keywords)
        if shape == self.shape:
            return self.copy() if copy else self
        values = self.data.copy() if copy else self.data
        linear = self._linear(order)
        if len(shape) == 1:
            coords = (linear,)
        elif order == "C":
            coords = (linear // max(shape[1], 1), linear % max(shape[1], 1))
        else:
            coords = (linear % max(shape[0], 1), linear // max(shape[0], 1))
        narrow = index_dtype(max(shape), self._is_wide)
        coords = tuple(place.astype(narrow, copy=False) for place in coords)
        return self._of(values, coords, shape, self._is_canonical if order == "C" else None)

    @described("None", {"ValueError": "The shape has a negative extent or other axes."},
               shape=("int or tuple of int", "The extents."))
    def resize(self, *shape):
        """Changes the shape in place: elements outside the new shape are dropped."""
        shape = checked_shape(shape, self._lengths)
        if len(shape) != self.ndim:
            text = f"resize keeps the number of axes, {self.ndim}"
            raise _refusal(ValueError, "value", text, "use reshape")
        if any(new < old for new, old in zip(shape, self._shape)):
            is_kept = self.coords[0] < shape[0]
            if len(shape) == 2:
                is_kept = is_kept & (self.coords[1] < shape[1])
            self.coords = tuple(place[is_kept] for place in self.coords)
            self.data = self.data[is_kept]
        self._shape = shape

    @described("coo_matrix or coo_array", {"ValueError": "`axes` is no order of the axes."},
               notes=RECORDED)
    def transpose(self, axes=None, copy=False):
        """The matrix with its axes reversed."""
        order = range(self.ndim)[::-1] if axes is None else _order(axes, self.ndim, self._is_array)
        own = self.copy() if copy else self
        coords = tuple(own.coords[axis] for axis in order)
        return self._of(own.data, coords, tuple(self._shape[axis] for axis in order))

    @described("coo_matrix or coo_array", notes=RECORDED)
    def copy(self):
        """A copy with entries and positions of its own."""
        coords = tuple(place.copy() for place in self.coords)
        return self._of(self.data.copy(), coords, self._shape, self._is_canonical)

    @described("coo_matrix or coo_array", notes=LOCAL)
    def tocoo(self, copy=False):
        """The matrix in coordinate format."""
        return self.copy() if copy else self

    @described("csr_matrix or csr_array")
    def tocsr(self, copy=False):
        """The matrix in compressed rows; the entries of a position are added up."""
        made, core = self._class("csr"), self._rows()
        return made._of_core(core, self._shape, is_canonical=True, is_wide=self._is_wide)

    @described("csc_matrix or csc_array", {"ValueError": "The array has one axis."})
    def tocsc(self, copy=False):
        """The matrix in compressed columns; the entries of a position are added up."""
        if self.ndim != 2:
            raise _refusal(ValueError, "value", "an array of one axis has no csc format")
        made, core = self._class("csc"), self._rows_of_transpose()
        return made._of_core(core, self._shape, is_canonical=True, is_wide=self._is_wide)

    @described("dia_matrix or dia_array", {"ValueError": "The array has one axis."})
    def todia(self, copy=False):
        """The matrix by diagonals."""
        from ._dia import of_entries

        if self.ndim != 2:
            raise _refusal(ValueError, "value", "an array of one axis has no dia format")
        self.sum_duplicates()
        return of_entries(self)

    @described("ndarray", {"ValueError": "The array has one axis."})
    def diagonal(self, k=0):
        """The elements of a diagonal."""
        if self.ndim != 2:
            raise _refusal(ValueError, "value", "diagonal requires two dimensions")
        return self.tocsr().diagonal(k)

    def _setdiag(self, values, k, length):
        if self.ndim != 2:
            text = "setting a diagonal requires two dimensions"
            raise _refusal(ValueError, "value", text)
        row, column = self.coords
        low = max(k, 0)
        is_kept = (column.astype(np.int64) - row != k) | (column >= low + length)
        place = np.arange(length, dtype=row.dtype)
        coords = (
            np.concatenate([row[is_kept], place - min(k, 0)]),
            np.concatenate([column[is_kept], place + low]),
        )
        # As in SciPy, an array of values may widen the dtype, and a scalar does not.
        values = values.astype(self.dtype) if values.ndim == 0 else values
        values = np.broadcast_to(values, (length,))
        self._take(np.concatenate([self.data[is_kept], values]), coords, self._shape)

    # Elements.

    def __getitem__(self, key):
        found = self.tocsr()[key]
        if is_sparse(found):
            return found.tocoo()
        return found if found.ndim == 0 else type(self)(found)

    def __setitem__(self, key, x):
        own = self.tocsr()
        own._assign(key, x, is_warned=False)
        entries = own.tocoo()
        self._take(entries.data, entries.coords, self._shape, own._is_canonical)

    @described("ndarray or coo_array", {"ValueError": "The axes do not fit each other."},
               axes=("int or (sequence of int, sequence of int)", "The axes that are summed."))
    def tensordot(self, other, axes=2):
        """The products of elements, summed along axes of both operands."""
        other = self._operand(other)
        if other is NotImplemented:
            raise _refusal(TypeError, "type", "tensordot takes an array or a sparse array")
        own, theirs = _contracted(axes, self.ndim, other.ndim)
        if any(self.shape[a] != other.shape[b] for a, b in zip(own, theirs)):
            text = "sizes of the corresponding axes must match"
            raise _refusal(ValueError, "together", text)
        if len(own) == 2 or self.ndim == other.ndim == len(own):
            flat = self.transpose(tuple(own)) if len(own) == 2 else self
            right = other.transpose(tuple(theirs)) if len(own) == 2 else other
            return flat.reshape(flat.shape and (-1,)) @ right.reshape((-1,))
        left = self if own == [self.ndim - 1] else self.transpose()
        right = other if theirs == [0] else other.transpose()
        result = left @ right
        return result.tocoo() if is_sparse(result) else result


def entries_of(parts, shape, dtype, lengths):
    """The values, the positions and the shape of `(data, (row, column))`, whose positions are not
    checked."""
    try:
        values, coords = parts
        coords = tuple(coords)
    except (TypeError, ValueError):
        text = "invalid input format: give (data, (row, column))"
        raise _refusal(TypeError, "type", text) from None
    values = values_of(values, dtype)
    coords = tuple(positions(place) for place in coords)
    if shape is None:
        if not coords or any(place.size == 0 for place in coords):
            text = "cannot infer dimensions from zero sized index arrays"
            raise _refusal(ValueError, "value", text, "give the shape")
        largest = np.stack([place.max().astype(np.int64) for place in coords]).tolist()
        shape = tuple(place + 1 for place in largest)
    shape = checked_shape((shape,), lengths)
    if len(coords) != len(shape):
        text = f"mismatching number of index arrays: {len(coords)} for {len(shape)} axes"
        raise _refusal(ValueError, "together", text)
    return values, coords, shape


def _contracted(axes, ndim, others):
    if isinstance(axes, int):
        if not 1 <= axes <= min(ndim, others):
            text = "axes integer is out of bounds for input arrays"
            raise _refusal(ValueError, "value", text)
        return list(range(ndim - axes, ndim)), list(range(axes))
    if not isinstance(axes, (tuple, list)):
        raise _refusal(TypeError, "type", "axes must be an integer or a tuple/list of integers")
    if len(axes) != 2:
        raise _refusal(ValueError, "count", "axes must be a tuple/list of length 2")
    own, theirs = ([one] if isinstance(one, int) else list(one) for one in axes)
    if len(own) != len(theirs):
        raise _refusal(ValueError, "together", "axes lists/tuples must be of the same length")
    if any(not -ndim <= one < ndim for one in own) or any(
        not -others <= one < others for one in theirs
    ):
        text = "axes indices are out of bounds for input arrays"
        raise _refusal(ValueError, "value", text)
    return [one % ndim for one in own], [one % others for one in theirs]


def _order(axes, ndim, is_array):
    axes = tuple(axes) if np.iterable(axes) else (axes,)
    if not is_array and axes != (1, 0):
        text = "the axes of a matrix have one other order, (1, 0)"
        raise _refusal(ValueError, "value", text)
    if len(axes) != ndim:
        raise _refusal(ValueError, "count", "axes don't match matrix dimensions")
    axes = tuple(operator.index(axis) for axis in axes)
    if len({axis % ndim for axis in axes}) != ndim:
        raise _refusal(ValueError, "value", "repeated axis in transpose")
    return axes


_PARTS = {
    "forms": "``(data, (row, column))``",
    "extents": "The extents; without them, the smallest that the positions allow.",
}


class coo_array(Coo, sparray):
    __doc__ = constructor("A sparse array of entries with their positions", **_PARTS)


class coo_matrix(spmatrix, Coo):
    __doc__ = constructor("A sparse matrix of entries with their positions", **_PARTS)
    _error_of_axes = TypeError

    def __getitem__(self, key):
        raise _refusal(TypeError, "absent", "'coo_matrix' object is not subscriptable", "use tocsr")

    def __setitem__(self, key, x):
        text = "'coo_matrix' object does not support item assignment"
        raise _refusal(TypeError, "absent", text, "use tolil or tocsr")


register(coo_array, coo_matrix)
