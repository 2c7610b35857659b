"""Matrices in compressed rows (csr) and columns (csc)."""

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import (
    broadcast_shapes,
    checked_dtype,
    checked_shape,
    has_wide,
    index_dtype,
    is_shape,
    positions,
    unequal,
    values_of,
)
from ._base import sparray
from ._classes import adopted, is_sparse, register
from ._coo import entries_of
from ._core import Rows
from ._data import DataSparse
from ._described import COLLECTIVE, LOCAL, constructor, described
from ._extremes import Extremes
from ._matrix import spmatrix
from ._ordered import Ordered
from ._selection import Selection, replaced

_MALFORMED = {"ValueError": "The parts do not fit each other or the shape."}


class Compressed(Ordered, Extremes, Selection, DataSparse):
    """Compressed lines: a core of the rows for csr, and of the columns for csc."""

    def __init__(self, arg1, shape=None, dtype=None, copy=False, *, maxprint=None):
        self._set_print(maxprint)
        arg1 = adopted(arg1)
        if dtype is not None:
            dtype = checked_dtype(dtype)
        if is_sparse(arg1):
            same = arg1.asformat(self._format)
            core, found = same._core, same._shape
            canonical, ordered = same._is_canonical, same._is_sorted
            if copy and dtype in (None, core.dtype):
                core = core.with_values(core.values.copy())
            self._take(core, found, canonical, ordered)
            self._is_wide = same._is_wide
        elif isinstance(arg1, tuple):
            self._take_parts(arg1, shape, dtype, copy)
        else:
            self._take_dense(arg1, dtype)
        if shape is not None:
            self._reshape_lines(checked_shape((shape,), self._lengths))
        if dtype is not None and self._core.dtype != dtype:
            self._keep(self._core.with_values(self._core.values.astype(dtype)))
        else:
            checked_dtype(self._core.dtype)

    def _keep(self, core):
        # `data` is one object as long as the core is the same.
        self._core_, self._values, self._set_parts = core, None, None

    def _take(self, core, shape, canonical=None, ordered=None):
        self._keep(core)
        self._shape, self._is_canonical, self._is_sorted = shape, canonical, ordered

    def _take_core(self, core, is_canonical=None):
        self._keep(core)
        self._is_canonical = self._is_sorted = is_canonical or None

    def _reshape_lines(self, shape):
        """Takes another shape with as many lines, in which each has all its entries."""
        if shape == self._shape:
            return
        extents, core = self._extents(shape), self._core
        if extents[0] != core.shape[0]:
            raise unequal(shape, self._shape)
        if extents[1] != core.shape[1]:
            self._keep(_of_parts(core.values, core.columns, core.row_starts(), extents))
        self._shape = shape

    @classmethod
    def _of_core(cls, core, shape, is_canonical=None, like=None, is_wide=False):
        """A matrix of a core, with the order of entries and the dtype of positions of another
        one."""
        made = cls.__new__(cls)
        checked_dtype(core.dtype)
        if like is not None:
            made._take(core, shape, like._is_canonical, like._is_sorted)
            is_wide = like._is_wide
        else:
            made._take(core, shape, is_canonical, is_canonical)
        made._is_wide = is_wide
        return made

    def _take_parts(self, parts, shape, dtype, copy):
        if is_shape(parts, self._lengths):
            shape = checked_shape(parts, self._lengths)
            extents = (1, shape[0]) if len(shape) == 1 else self._swap(shape)
            core = Rows.zeros(tuple(extents), checked_dtype(dtype, np.float64))
            self._take(core, shape, True, True)
        elif len(parts) == 2:
            values, coords, shape = entries_of(parts, shape, dtype, self._lengths)
            checked_dtype(values.dtype)
            self._is_wide = self._is_array and has_wide(*coords)
            lines = self._swap((np.zeros_like(coords[0]), *coords)[-2:])
            self._take(_of_triplets(values, lines, self._extents(shape)), shape, True, True)
        elif len(parts) == 3:
            values = values_of(parts[0], dtype)
            values = values.copy() if copy else values
            columns, starts = (positions(part) for part in parts[1:])
            self._is_wide = self._is_array and has_wide(columns, starts)
            shape = None if shape is None else checked_shape((shape,), self._lengths)
            shape = shape or self._inferred(columns, starts)
            core = _of_parts(values, columns, starts, self._extents(shape))
            self._take(core, shape)
        else:
            text = f"unrecognized {type(self).__name__} constructor usage"
            raise _refusal(ValueError, "value", text)

    def _extents(self, shape):
        return (1, shape[0]) if len(shape) == 1 else tuple(self._swap(shape))

    def _inferred(self, columns, starts):
        if columns.size == 0 or starts.ndim != 1 or starts.size == 0:
            raise _refusal(ValueError, "value", "unable to infer matrix dimensions")
        return tuple(self._swap((starts.size - 1, int(columns.max()) + 1)))

    def _take_dense(self, given, dtype):
        dense = self._dense_argument(given, dtype)
        two = dense.reshape(1, -1) if dense.ndim == 1 else self._oriented_dense(dense)
        self._take(Rows.from_dense(two), tuple(dense.shape), True, True)

    # The parts.

    @property
    def _core(self):
        if self._set_parts is not None:
            parts = self._set_parts
            core = _of_parts(
                parts["data"], parts["indices"], parts["indptr"], self._extents(self._shape)
            )
            self._keep(core)
        return self._core_

    def _part(self, name):
        if self._set_parts is not None:
            return self._set_parts[name]
        core = self._core_
        if name == "data":
            if self._values is None:
                self._values = core.values
            return self._values
        found = core.columns if name == "indices" else core.row_starts()
        largest = core.shape[1] if name == "indices" else core.nnz
        # A copy: what is known of the pattern would not follow a write.
        return found.astype(index_dtype(largest, self._is_wide))

    def _set_part(self, name, array):
        array = np.asarray(array)
        if name == "data" and self._set_parts is None and array.shape == (self._core_.nnz,):
            self._keep(self._core_.with_values(array))
            return
        if self._set_parts is None:
            self._set_parts = {one: self._part(one) for one in ("data", "indices", "indptr")}
        self._set_parts[name] = array
        self._is_wide = self._is_wide or (name != "data" and has_wide(array))
        self._is_canonical = self._is_sorted = None

    @property
    def data(self):
        """The values of the entries. Writing into it changes the matrix."""
        return self._part("data")

    @data.setter
    def data(self, array):
        self._set_part("data", array)

    @property
    def indices(self):
        """The column of each entry of csr, the row of each one of csc."""
        return self._part("indices")

    @indices.setter
    def indices(self, array):
        self._set_part("indices", array)

    @property
    def indptr(self):
        """The number of the first entry of each line, and the number of all entries."""
        return self._part("indptr")

    @indptr.setter
    def indptr(self, array):
        self._set_part("indptr", array)

    def _home(self):
        return self.__dict__.get("_core_")

    @described("None")
    def sum_duplicates(self):
        """Adds up the entries of each position, in place."""
        if not self.has_canonical_format:
            self._take_core(self._core.summed(), is_canonical=True)

    @described("None")
    def sort_indices(self):
        """Sorts the entries of each line by position, in place."""
        if not self.has_sorted_indices:
            self._take_core(self._core.sorted())
            self._is_sorted = True

    @described("sparse matrix or array")
    def sorted_indices(self):
        """A copy in which the entries of each line are sorted by position."""
        other = self.copy()
        other.sort_indices()
        return other

    @described("None")
    def eliminate_zeros(self):
        """Drops the entries that are zero, in place."""
        core, canonical, ordered = self._core, self._is_canonical, self._is_sorted
        self._take(core.kept(core.values != 0), self._shape, canonical, ordered)

    @described("None", _MALFORMED, notes=COLLECTIVE)
    def prune(self):
        """Drops values and positions after the last entry. Only parts that were set have any."""
        _ = self._core

    @described("None", _MALFORMED)
    def check_format(self, full_check=True):
        """Checks the parts. Those of a matrix are checked when it is made and when they are set."""
        _ = self._core

    @described("None", {"ValueError": "The shape has a negative extent or other axes."},
               shape=("int or tuple of int", "The extents."))
    def resize(self, *shape):
        """Changes the shape in place: elements outside the new shape are dropped."""
        shape = checked_shape(shape, self._lengths)
        lines, width = self._extents(shape)
        core = self._core
        if lines < core.shape[0]:
            core = core.slice_rows(0, lines)
        if width < core.shape[1]:
            core = core.kept(core.columns < width)
        starts = core.row_starts()
        if lines > core.shape[0]:
            more = np.full(lines - core.shape[0], core.nnz, dtype=starts.dtype)
            starts = np.concatenate([starts, more])
        core = Rows.from_parts(starts, core.columns, core.values, (lines, width))
        self._take(core, shape, self._is_canonical, self._is_sorted)

    def _with_data(self, data):
        return self._of_core(self._core.with_values(data), self._shape, like=self)

    def _getnnz(self, axis=None):
        return self._counted(self._core, axis)

    def _counted(self, core, axis):
        if axis is None:
            return core.nnz
        if self.ndim == 1 and axis in (0, -1):
            return core.nnz
        if self.ndim == 1 or not -2 <= axis < 2:
            raise _refusal(ValueError, "value", "axis out of bounds")
        return core.reduce("count", self._swap((0, 1))[axis])

    @described("ndarray", {"ValueError": "The axis is out of range."})
    def count_nonzero(self, axis=None):
        """The number of elements that are not zero."""
        self.sum_duplicates()
        core = self._core
        if axis is None or (self.ndim == 1 and axis in (0, -1)):
            return np.count_nonzero(core.values)
        return self._counted(core.kept(core.values != 0), axis)

    def _oriented(self):
        return self._core, self._swap((0, 1))

    # Elementwise operations.

    def _core_of(self, other):
        """The lines of another matrix."""
        return other._core if type(other) is type(self) else self._converted(other)

    def _combined(self, other, function):
        """A function of two elements at each position, which is zero for two zeros."""
        own, theirs = self._core, self._core_of(other)
        pattern = own.union(theirs)
        values = function(own.align(pattern), theirs.align(pattern))
        core = pattern.with_values(values).kept(values != 0)
        is_wide = self._is_wide or other._is_wide
        return self._of_core(core, self._shape, is_canonical=True, is_wide=is_wide)

    def _scalar_operation(self, other, function):
        """A function of each element and a number, which is zero for a zero."""
        self.sum_duplicates()
        values = function(self._core.values, other)
        core = self._core.with_values(values).kept(values != 0)
        return self._of_core(core, self._shape, like=self)

    def _complement(self):
        return type(self)(~self.toarray())

    def _multiply(self, other):
        other = self._operand(other)
        if other is NotImplemented:
            raise _refusal(TypeError, "type", "the operand is no array, matrix or number")
        if is_sparse(other):
            return self._multiply_sparse(other)
        return self._multiply_dense(other)

    def _multiply_sparse(self, other):
        if self.shape == other.shape:
            return self._combined(other, np.multiply)
        (rows, columns), (others, widths) = self._shape_as_2d, other._shape_as_2d
        if (others, widths) == (1, 1):
            result = self._mul_scalar(other._summed_values(other.dtype))
            is_wider = self.ndim < other.ndim
            return result.reshape((1, columns)) if is_wider else result
        if (rows, columns) == (1, 1):
            return other._mul_scalar(self._summed_values(self.dtype))
        if (others == 1 and columns == widths) or (widths == 1 and rows == others):
            return self._scaled_lines(other)
        if (rows == 1 and columns == widths) or (columns == 1 and rows == others):
            return other.tocsr()._scaled_lines(self)
        if rows == 1 and widths == 1:
            return other.tocsr()._matmul_sparse(self._two())
        if columns == 1 and others == 1:
            return self._matmul_sparse(other.tocsr()._two())
        raise unequal(self.shape, other.shape)

    def _two(self):
        """A vector as a matrix of one row."""
        return self if self.ndim == 2 else self._of_core(self._core, self._shape_as_2d, like=self)

    def _scaled_lines(self, other):
        """The products with a matrix of one row or one column, along the other axis."""
        is_row = other._shape_as_2d[0] == 1 and other._shape_as_2d[1] == self._shape_as_2d[1]
        factors = other.toarray().ravel()
        own = self._two()
        line, place = own._swap((own._core.rows(), own._core.columns))
        values = own._core.values * factors[place if is_row else line]
        return own._of_core(own._core.with_values(values), own._shape, like=own)

    def _multiply_dense(self, other):
        other = np.asarray(other)
        if other.ndim > 2:
            return self.toarray() * other
        shape = broadcast_shapes(self.shape, other.shape)
        if other.size == 1:
            return self._mul_scalar(other.ravel()[0]).reshape(shape)
        if self.shape in ((1,), (1, 1)):
            return (self._summed_values(self.dtype) * other).reshape(shape)
        if len(shape) > 2:
            raise unequal(self.shape, other.shape)
        entries = self.tocoo()
        own = self._shape_as_2d
        two = (1, shape[0]) if len(shape) == 1 else shape
        row, column, values = entries.row, entries.col, entries.data
        if own != two:
            # The axis of one row or column is repeated.
            count = two[0] if own[0] != two[0] else two[1]
            repeated = np.tile(np.arange(count), values.size)
            others = np.repeat(column if own[0] != two[0] else row, count)
            values = np.repeat(values, count)
            row, column = (repeated, others) if own[0] != two[0] else (others, repeated)
        other = np.broadcast_to(np.atleast_2d(other), two)
        values = values * other[row, column]
        coords = (column,) if len(shape) == 1 else (row, column)
        narrow = index_dtype(max(shape), self._is_wide)
        coords = tuple(place.astype(narrow, copy=False) for place in coords)
        return self._class("coo")._of(values, coords, shape)

    def _broadcast_to(self, shape, copy=False):
        if self.shape == shape:
            return self.copy() if copy else self
        shape = checked_shape((shape,), (1, 2))
        if broadcast_shapes(self.shape, shape) != shape:
            raise unequal(self.shape, shape, "cannot be broadcast")
        core = self._core.summed()
        lines, width = self._extents(shape)
        if core.shape[0] != lines:
            core = core.take_rows(np.zeros(lines, dtype=np.int64))
        if core.shape[1] != width:
            core = core.take_columns(np.zeros(width, dtype=np.int64))
        return self._of_core(core, shape, is_canonical=True, is_wide=self._is_wide)

    @described("sparse matrix or array", notes=COLLECTIVE)
    def balanced(self):
        """A copy of which each device has about as many entries as the others. Devices have
        neighbouring rows (of csc, columns), and a row counts as two entries. An addition to
        SciPy."""
        return self._of_core(self._core.balanced(), self._shape, like=self)

    # Products.

    @described(
        "sparse matrix or array",
        {"ValueError": "The shapes do not fit, or the array has one axis."},
        notes=COLLECTIVE,
        X=("array_like", "The left factor, with as many rows as the matrix."),
        Y=("array_like", "The right factor, with as many columns as the matrix."),
    )
    def sampled_product(self, X, Y):
        """The elements of ``X @ Y`` at the entries, multiplied by the entries' values: as
        ``A.multiply(X @ Y)``, but other elements of ``X @ Y`` are not computed. Entries that become
        zero stay entries. An addition to SciPy; elsewhere it is called SDDMM (sampled dense-dense
        matrix multiplication)."""
        if self.ndim != 2:
            raise _refusal(ValueError, "value", "a sampled product requires two dimensions")
        X, Y = np.asarray(X), np.asarray(Y)
        if X.ndim != 2 or Y.ndim != 2 or X.shape[1] != Y.shape[0]:
            text = f"shapes {X.shape} and {Y.shape} have no product of matrices"
            raise _refusal(ValueError, "together", text)
        if (X.shape[0], Y.shape[1]) != self.shape:
            raise unequal(self.shape, (X.shape[0], Y.shape[1]))
        factors = (X, Y) if self._format == "csr" else (Y.T, X.T)
        return self._of_core(self._core.sampled_product(*factors), self._shape, like=self)

    def _matmul_sparse(self, other, *semiring):
        shape = (self.shape if self.ndim == 2 else ())[:1] + other.shape[1:]
        is_wide = self._is_wide or other._is_wide
        if other.ndim == 1:
            other = other.reshape((1, other.shape[0])).transpose()
        core = self._product(other, *semiring)
        if shape == ():
            # A product without entries is the identity of the semiring.
            values = core.values if core.nnz else core.dot(np.zeros(1, core.dtype), *semiring)
            return values[0]
        # The product has no duplicates.
        own = tuple(self._swap(core.shape))
        made = self._of_core(core, own, is_canonical=True, is_wide=is_wide)
        return made if made.shape == shape else made.tocsr().reshape(shape)

    @described("ndarray", {"ValueError": "The array has one axis."})
    def diagonal(self, k=0):
        """The elements of a diagonal."""
        if self.ndim == 1:
            raise _refusal(ValueError, "value", "diagonal requires two dimensions")
        rows, columns = self.shape
        if k <= -rows or k >= columns:
            return np.empty(0, dtype=self.dtype)
        return self._core.diagonal(self._swap((k, -k))[0])

    def _setdiag(self, values, k, length):
        if self.ndim == 1:
            raise _refusal(NotImplementedError, "value", "a vector has no diagonals")
        place = np.arange(length)
        lines, places = self._swap((place - min(k, 0), place + max(k, 0)))
        values = np.broadcast_to(values.astype(self.dtype), (length,))
        core = replaced(self._core, lines, places, values)
        self._take_core(core, is_canonical=self._is_canonical)

    def _getrow(self, i):
        return self._line(i, 0)

    def _getcol(self, j):
        return self._line(j, 1)

    def _line(self, number, axis):
        if self.ndim == 1:
            if axis == 0 and number in (0, -1):
                return self._of_core(self._core, self._shape_as_2d, like=self)
            kind = ValueError if axis else IndexError
            raise _refusal(kind, "value", f"a vector has no line {number} along axis {axis}")
        number, extent = int(number), self.shape[axis]
        if not -extent <= number < extent:
            raise _refusal(IndexError, "key", f"index ({number}) out of range")
        number += extent if number < 0 else 0
        whole, one = slice(None), slice(number, number + 1)
        found = self[(one, whole) if axis == 0 else (whole, one)]
        return found.tocsr() if axis == 0 else found

    @described("coo_matrix or coo_array")
    def tocoo(self, copy=False):
        """The matrix in coordinate format."""
        core = self._core
        values = core.values.copy() if copy else core.values
        narrow = index_dtype(max(self._shape), self._is_wide)
        coords = (place.astype(narrow, copy=False) for place in (core.rows(), core.columns))
        coords = self._swap(coords)[2 - self.ndim :]
        made = self._class("coo")._of(values, coords, self._shape)
        made._is_canonical = self._is_canonical if self._format == "csr" else None
        return made


def _of_triplets(values, lines, extents):
    """The core of entries in any order, of which those of the same position are added up."""
    try:
        return Rows.from_triplets(*lines, values, extents)
    except IndexError as error:
        raise _refusal(ValueError, "key", str(error).partition(" [")[0]) from error


def _of_parts(values, columns, starts, extents):
    """The core of parts, of which values after the last entry are dropped."""
    if values.ndim != 1 or columns.ndim != 1 or starts.ndim != 1:
        text = "data, indices, and indptr have one axis each"
        raise _refusal(ValueError, "value", text)
    checked_dtype(values.dtype)
    if starts.size != extents[0] + 1:
        text = f"index pointer size {starts.size} should be {extents[0] + 1}"
        raise _refusal(ValueError, "together", text)
    if columns.size != values.size:
        text = "indices and data should have the same size"
        raise _refusal(ValueError, "together", text)
    try:
        return Rows.from_parts(starts, columns, values, extents)
    except IndexError as error:
        raise _refusal(ValueError, "together", str(error).partition(" [")[0]) from error
    except ValueError:
        first, count = int(starts[0]), int(starts[-1])
        if first != 0:
            text = f"index pointer should start with 0, not {first}"
            raise _refusal(ValueError, "value", text) from None
        if not 0 <= count < values.size:
            raise
        return Rows.from_parts(starts, columns[:count], values[:count], extents)


class _Csr(Compressed):
    _format = "csr"
    _lengths = (1, 2)

    @staticmethod
    def _swap(pair):
        return tuple(pair)

    @staticmethod
    def _oriented_dense(dense):
        return dense

    @staticmethod
    def _converted(other):
        return other._rows()

    def _rows(self):
        return self._core

    def _product(self, other, *semiring):
        return self._core.matmul(other._rows(), *semiring)

    @described("csr_matrix or csr_array", notes=LOCAL)
    def tocsr(self, copy=False):
        """The matrix in compressed rows."""
        return self.copy() if copy else self

    @described("csc_matrix or csc_array", {"ValueError": "The array has one axis."})
    def tocsc(self, copy=False):
        """The matrix in compressed columns."""
        if self.ndim != 2:
            text = "an array of one axis has no csc format"
            raise _refusal(ValueError, "value", text)
        core, shape = self._core.transpose(), self._shape
        made = self._class("csc")._of_core(core, shape, is_wide=self._is_wide)
        made._is_sorted, made._is_canonical = True, self._is_canonical or None
        return made

    @described("csc_matrix or csc_array", {"ValueError": "`axes` is no order of the axes."})
    def transpose(self, axes=None, copy=False):
        """The matrix with its axes reversed, in compressed columns of the same entries."""
        self._check_axes(axes)
        if self.ndim == 1:
            return self.copy() if copy else self
        own = self.copy() if copy else self
        return self._class("csc")._of_core(own._core, self._shape[::-1], like=self)

    @described("bsr_matrix or bsr_array", {"ValueError": "The blocks do not divide the matrix."})
    def tobsr(self, blocksize=None, copy=False):
        """The matrix in compressed rows of blocks."""
        from ._bsr import of_rows

        if self.ndim != 2:
            text = "an array of one axis has no bsr format"
            raise _refusal(ValueError, "value", text)
        return of_rows(self, blocksize)

    def __iter__(self):
        if self.ndim == 1:
            yield from self.toarray()
            return
        for row in range(self.shape[0]):
            yield self[row] if not self._is_array else self._vector_of(row)

    def _vector_of(self, row):
        return self._of_core(self._core.slice_rows(row, row + 1), self._shape[1:], like=self)


class _Csc(Compressed):
    _format = "csc"

    @staticmethod
    def _swap(pair):
        return tuple(pair)[::-1]

    @staticmethod
    def _oriented_dense(dense):
        return dense.T

    @staticmethod
    def _converted(other):
        return other._rows_of_transpose()

    def _rows(self):
        return self._core.transpose()

    def _rows_of_transpose(self):
        return self._core

    def _product(self, other, *semiring):
        return other._rows_of_transpose().matmul(self._core, *semiring)

    @described("csc_matrix or csc_array", notes=LOCAL)
    def tocsc(self, copy=False):
        """The matrix in compressed columns."""
        return self.copy() if copy else self

    @described("csr_matrix or csr_array")
    def tocsr(self, copy=False):
        """The matrix in compressed rows."""
        core, shape = self._core.transpose(), self._shape
        made = self._class("csr")._of_core(core, shape, is_wide=self._is_wide)
        made._is_sorted, made._is_canonical = True, self._is_canonical or None
        return made

    @described("csr_matrix or csr_array", {"ValueError": "`axes` is no order of the axes."})
    def transpose(self, axes=None, copy=False):
        """The matrix with its axes reversed, in compressed rows of the same entries."""
        self._check_axes(axes)
        own = self.copy() if copy else self
        return self._class("csr")._of_core(own._core, self._shape[::-1], like=self)

    @described("tuple of ndarray: One array of positions for each axis, by rows.")
    def nonzero(self):
        """The positions of the elements that are not zero."""
        return self.tocsr().nonzero()

    def __iter__(self):
        yield from self.tocsr()


_PARTS = {
    "forms": "``(data, (row, column))``; ``(data, indices, indptr)``",
    "extents": "The extents; without them, the smallest that the positions allow.",
}


class csr_array(_Csr, sparray):
    __doc__ = constructor("A sparse array in compressed rows", **_PARTS)


class csr_matrix(spmatrix, _Csr):
    __doc__ = constructor("A sparse matrix in compressed rows", **_PARTS)


class csc_array(_Csc, sparray):
    __doc__ = constructor("A sparse array in compressed columns", **_PARTS)


class csc_matrix(spmatrix, _Csc):
    __doc__ = constructor("A sparse matrix in compressed columns", **_PARTS)


register(csr_array, csr_matrix)
register(csc_array, csc_matrix)
