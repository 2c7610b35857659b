"""Matrices in compressed rows of dense blocks (bsr)."""

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import (
    checked_dtype,
    checked_shape,
    has_wide,
    index_dtype,
    is_scalar,
    is_shape,
    positions,
    unequal,
    values_of,
)
from ._base import sparray
from ._classes import adopted, is_sparse, register
from ._compressed import _of_parts
from ._core import Rows
from ._data import DataSparse
from ._described import constructor, described
from ._extremes import Extremes
from ._matrix import spmatrix
from ._ordered import Ordered

# The share of elements in blocks that are entries, from which an estimate prefers blocks.
_EFFICIENCY = 0.7
_NO_AXIS = {"NotImplementedError": "An axis is given."}
_MALFORMED = {"ValueError": "The parts do not fit each other or the shape."}


class Bsr(Ordered, Extremes, DataSparse):
    """Blocks of a data array; the core has their positions, and their numbers as values."""

    _format = "bsr"

    def __init__(
        self, arg1, shape=None, dtype=None, copy=False, blocksize=None, *, maxprint=None
    ):
        self._set_print(maxprint)
        arg1 = adopted(arg1)
        if dtype is not None:
            dtype = checked_dtype(dtype)
        if is_sparse(arg1):
            self._take_same(arg1.tobsr(blocksize=blocksize, copy=copy))
        elif isinstance(arg1, tuple):
            self._take_parts(arg1, shape, dtype, copy, blocksize)
        else:
            self._take_dense(arg1, dtype, blocksize)
        if shape is not None and checked_shape((shape,), self._lengths) != self._shape:
            raise unequal(tuple(shape), self._shape)
        if dtype is not None and self.data.dtype != dtype:
            self.data = self.data.astype(dtype)
        checked_dtype(self.data.dtype)

    def _take(self, data, core, shape, is_canonical=None):
        self._data, self._core_, self._shape, self._set_parts = data, core, shape, None
        self._is_canonical = self._is_sorted = is_canonical or None

    def _take_same(self, other):
        self._take(other.data, other._core, other._shape, other._is_canonical)
        self._is_wide = other._is_wide

    @classmethod
    def _of(cls, data, core, shape, is_canonical=None, is_wide=False):
        made = cls.__new__(cls)
        checked_dtype(data.dtype)
        made._take(data, core, shape, is_canonical)
        made._is_wide = is_wide
        return made

    def _take_parts(self, parts, shape, dtype, copy, blocksize):
        if is_shape(parts):
            shape = checked_shape(parts)
            blocksize = _checked_blocksize(blocksize or (1, 1), shape, "multiple of blocksize")
            data = np.zeros((0, *blocksize), dtype=checked_dtype(dtype, np.float64))
            core = Rows.zeros(_blocks(shape, blocksize), np.int64)
            self._take(data, core, shape, True)
        elif len(parts) == 2:
            same = self._class("coo")(parts, shape=shape, dtype=dtype)
            self._take_same(same.tobsr(blocksize=blocksize))
        elif len(parts) == 3:
            data = values_of(parts[0], dtype)
            if data.ndim != 3:
                text = f"BSR data must be 3-dimensional, got shape={data.shape}"
                raise _refusal(ValueError, "value", text)
            if blocksize is not None and tuple(blocksize) != tuple(data.shape[1:]):
                text = f"mismatching blocksize={blocksize} vs {tuple(data.shape[1:])}"
                raise _refusal(ValueError, "together", text)
            columns, starts = (positions(part) for part in parts[1:])
            self._is_wide = self._is_array and has_wide(columns, starts)
            shape = _shape_of(shape, data, columns, starts)
            self._take(data.copy() if copy else data, None, shape)
            self._set_parts = {"indices": columns, "indptr": starts}
            _ = self._core
        else:
            raise _refusal(ValueError, "value", "unrecognized bsr_array constructor usage")

    def _take_dense(self, given, dtype, blocksize):
        dense = self._dense_argument(given, dtype)
        self._take_same(self._class("coo")(dense).tobsr(blocksize=blocksize))

    # The parts.

    @property
    def _core(self):
        if self._set_parts is not None:
            data, parts = self._data, self._set_parts
            count = data.shape[0]
            extents = _blocks(self._shape, data.shape[1:])
            core = _of_parts(np.arange(count), parts["indices"], parts["indptr"], extents)
            self._data = data[: core.nnz] if core.nnz < count else data
            self._core_, self._set_parts = core, None
        return self._core_

    def _set_part(self, name, array):
        if self._set_parts is None:
            self._set_parts = {"indices": self.indices, "indptr": self.indptr}
        array = self._set_parts[name] = positions(array)
        self._is_wide = self._is_wide or has_wide(array)
        self._is_canonical = self._is_sorted = None

    @property
    def data(self):
        """The blocks, along the first axis. Writing into it changes the matrix."""
        return self._data

    @data.setter
    def data(self, array):
        array = np.asarray(array)
        if array.shape[:1] != self._data.shape[:1] and self._set_parts is None:
            self._set_parts = {"indices": self.indices, "indptr": self.indptr}
        self._data = array

    @property
    def indices(self):
        """The column of each block, counted in blocks."""
        if self._set_parts is not None:
            return self._set_parts["indices"]
        core = self._core_
        return core.columns.astype(index_dtype(core.shape[1], self._is_wide), copy=False)

    @indices.setter
    def indices(self, array):
        self._set_part("indices", array)

    @property
    def indptr(self):
        """The number of the first block of each row of blocks, and the number of all blocks."""
        if self._set_parts is not None:
            return self._set_parts["indptr"]
        core = self._core_
        return core.row_starts().astype(index_dtype(core.nnz, self._is_wide), copy=False)

    @indptr.setter
    def indptr(self, array):
        self._set_part("indptr", array)

    @property
    def blocksize(self):
        """The shape of the blocks."""
        return tuple(self._data.shape[1:])

    def _home(self):
        return self.__dict__.get("_data")

    def _details(self):
        return f" (blocksize={'x'.join(map(str, self.blocksize))})"

    @described("None", _MALFORMED)
    def check_format(self, full_check=True):
        """Checks the parts. Those of a matrix are checked when it is made and when they are set."""
        _ = self._core

    @described("None", _MALFORMED)
    def prune(self):
        """Drops blocks and positions after the last block. Only parts that were set have any."""
        _ = self._core

    @described("None")
    def sort_indices(self):
        """Sorts the blocks of each row by position, in place."""
        if not self.has_sorted_indices:
            core = self._core.sorted()
            self._take(self.data[core.values], _numbered(core), self._shape)
            self._is_sorted = True

    @described("sparse matrix or array")
    def sorted_indices(self):
        """A copy in which the blocks of each row are sorted by position."""
        other = self.copy()
        other.sort_indices()
        return other

    @described("None")
    def sum_duplicates(self):
        """Adds up the blocks of each position, in place."""
        if self.has_canonical_format:
            return
        self.sort_indices()
        core, data = self._core, self.data
        line, place = core.rows(), core.columns
        is_first = (line[1:] != line[:-1]) | (place[1:] != place[:-1])
        is_first = np.concatenate([np.ones(1, dtype=np.bool_), is_first])
        kept = core.kept(is_first)
        sums = np.zeros((kept.nnz, *self.blocksize), dtype=data.dtype)
        ufunc = np.logical_or if data.dtype.kind == "b" else np.add
        ufunc.at(sums, np.cumsum(is_first) - 1, data)
        self._take(sums, _numbered(kept), self._shape, True)

    @described("None")
    def eliminate_zeros(self):
        """Drops the blocks that are zero, in place."""
        core, canonical = self._core, self._is_canonical
        is_kept = (self.data != 0).any(axis=(1, 2))
        self._take(self.data[is_kept], _numbered(core.kept(is_kept)), self._shape, canonical)

    def _with_data(self, data):
        return self._of(data, self._core, self._shape, self._is_canonical, self._is_wide)

    def _getnnz(self, axis=None):
        if axis is not None:
            text = "the bsr format counts no entries along an axis"
            raise _refusal(NotImplementedError, "absent", text, "use tocsr")
        return self._core.nnz * self.blocksize[0] * self.blocksize[1]

    @described("ndarray", _NO_AXIS)
    def count_nonzero(self, axis=None):
        """The number of elements that are not zero."""
        if axis is not None:
            text = "the bsr format counts no elements along an axis"
            raise _refusal(NotImplementedError, "absent", text, "use tocsr")
        return np.count_nonzero(self._summed_data())

    def _places(self):
        """The row and the column of each element of the blocks."""
        (high, wide), core = self.blocksize, self._core
        row = core.rows().astype(np.int64)[:, None, None] * high + np.arange(high)[:, None]
        column = core.columns.astype(np.int64)[:, None, None] * wide + np.arange(wide)
        shape = (core.nnz, high, wide)
        return np.broadcast_to(row, shape).ravel(), np.broadcast_to(column, shape).ravel()

    def _rows(self):
        row, column = self._places()
        values = self.data.ravel()
        return Rows.from_triplets(row, column, values, self._shape, is_summed=False)

    @described("csr_matrix or csr_array")
    def tocsr(self, copy=False):
        """The matrix in compressed rows, with all elements of the blocks."""
        made, core = self._class("csr"), self._rows()
        made = made._of_core(core, self._shape, is_wide=self._is_wide)
        made._is_sorted, made._is_canonical = True, self._is_canonical or None
        return made

    @described("coo_matrix or coo_array")
    def tocoo(self, copy=False):
        """The matrix in coordinate format, with all elements of the blocks."""
        narrow = index_dtype(max(self._shape))
        coords = tuple(place.astype(narrow) for place in self._places())
        return self._class("coo")._of(self.data.ravel().copy(), coords, self._shape)

    @described("bsr_matrix or bsr_array", {"ValueError": "The blocks do not divide the matrix."})
    def tobsr(self, blocksize=None, copy=False):
        """The matrix in compressed rows of blocks."""
        if blocksize is not None and tuple(blocksize) != self.blocksize:
            return self.tocsr().tobsr(blocksize=blocksize)
        return self.copy() if copy else self

    @described("bsr_matrix or bsr_array", {"ValueError": "`axes` is no order of the axes."})
    def transpose(self, axes=None, copy=False):
        """The matrix with its axes reversed, and with transposed blocks."""
        self._check_axes(axes)
        core = self._core.transpose()
        data = self.data[core.values].transpose(0, 2, 1).copy()
        core, shape = _numbered(core), self._shape[::-1]
        return self._of(data, core, shape, self._is_canonical, self._is_wide)

    # Operations with another matrix have blocks of the same shape.

    def _add_sparse(self, other):
        return self.tocsr()._add_sparse(other).tobsr(self.blocksize)

    def _sub_sparse(self, other):
        return self.tocsr()._sub_sparse(other).tobsr(self.blocksize)

    @described(
        "sparse matrix, sparse array or ndarray",
        {"ValueError": "The shapes do not fit.", "TypeError": "The operand is no array."},
    )
    def multiply(self, other):
        """The products of elements; the operands broadcast."""
        if is_scalar(other):
            return self._mul_scalar(other)
        result = self.tocsr()._multiply(other)
        is_alike = is_sparse(result) and result.format == "csr" and result.shape == self._shape
        return result.tobsr(self.blocksize) if is_alike else result

    def _matmul_sparse(self, other):
        wide = other.blocksize[1] if other.format == "bsr" else 1
        product = self.tocsr()._matmul_sparse(other)
        return product.tobsr((self.blocksize[0], wide)) if product.ndim == 2 else product

    def _getcol(self, j):
        return self.tocsr()._getcol(j).tobsr((self.blocksize[0], 1))

    def _setdiag(self, values, k, length):
        own = self.tocsr()
        own._setdiag(values, k, length)
        self._take_same(own.tobsr(self.blocksize))

    @described("None", {"ValueError": "The blocks do not divide the shape."},
               shape=("int or tuple of int", "The extents."))
    def resize(self, *shape):
        """Changes the shape in place: elements outside the new shape are dropped."""
        shape = checked_shape(shape)
        _checked_blocksize(self.blocksize, shape, f"divisible into {self.blocksize} blocks")
        own = self.tocsr()
        own.resize(*shape)
        self._take_same(own.tobsr(self.blocksize))

    def __iter__(self):
        for row in range(self._shape[0]):
            yield self[row]

    def __getitem__(self, key):
        text = "elements of the bsr format cannot be read by keys"
        raise _refusal(NotImplementedError, "absent", text, "use tocsr")

    def __setitem__(self, key, x):
        text = "elements of the bsr format cannot be set by keys"
        raise _refusal(NotImplementedError, "absent", text, "use tolil")


def _blocks(shape, blocksize):
    return (shape[0] // max(blocksize[0], 1), shape[1] // max(blocksize[1], 1))


def _numbered(core):
    """The core with the numbers of its blocks as values."""
    return core.with_values(np.arange(core.nnz))


def _shape_of(shape, data, columns, starts):
    high, wide = data.shape[1:]
    if shape is not None:
        return checked_shape((shape,))
    if columns.size == 0 or starts.ndim != 1 or starts.size == 0:
        raise _refusal(ValueError, "value", "unable to infer matrix dimensions")
    return ((starts.size - 1) * high, (int(columns.max()) + 1) * wide)


def _checked_blocksize(blocksize, shape, what):
    if not is_shape(tuple(blocksize)):
        raise _refusal(ValueError, "value", f"invalid blocksize {blocksize}")
    high, wide = (int(extent) for extent in blocksize)
    if high < 1 or wide < 1 or shape[0] % high or shape[1] % wide:
        raise _refusal(ValueError, "together", f"the shape {shape} must be {what}, {blocksize}")
    return high, wide


def of_rows(matrix, blocksize):
    """The blocks of a matrix in compressed rows."""
    shape = matrix._shape
    blocksize = blocksize or _estimated(matrix)
    high, wide = _checked_blocksize(blocksize, shape, "divisible into blocks")
    core = matrix._core
    row, column = core.rows(), core.columns
    pattern = _pattern(matrix, (high, wide))
    count = pattern.nnz
    # The entries in the order of blocks, with their numbers in the order of rows as values.
    entries = Rows.from_triplets(
        row // high, column // wide, np.arange(core.nnz), pattern.shape, is_summed=False
    )
    block, order = _numbered(pattern).align(entries), entries.values
    place = (block * high + (row % high)[order]) * wide + (column % wide)[order]
    values = core.values
    data = np.zeros(count * high * wide, dtype=values.dtype)
    ufunc = np.logical_or if values.dtype.kind == "b" else np.add
    ufunc.at(data, place, values[order])
    made, data = matrix._class("bsr"), data.reshape(count, high, wide)
    return made._of(data, _numbered(pattern), shape, True, matrix._is_wide)


def _pattern(matrix, blocksize):
    """The positions of the blocks that have entries."""
    core, (high, wide) = matrix._core, blocksize
    row, column = core.rows() // high, core.columns // wide
    is_entry = np.ones(core.nnz, dtype=np.bool_)
    return Rows.from_triplets(row, column, is_entry, _blocks(matrix._shape, blocksize))


def _estimated(matrix):
    """A shape of blocks that are mostly filled with entries, as SciPy estimates it."""
    entries = matrix.nnz
    if entries == 0:
        return (1, 1)

    def share(size):
        if any(extent % size for extent in matrix._shape):
            return 0.0
        return entries / (size * size * _pattern(matrix, (size, size)).nnz)

    of_two, of_three = share(2), share(3)
    if min(of_two, of_three) > (1 + _EFFICIENCY) / 2:
        return (6, 6) if share(6) > _EFFICIENCY else (3, 3)
    for size, found in ((4, share(4)), (3, of_three), (2, of_two)):
        if found > _EFFICIENCY:
            return (size, size)
    return (1, 1)


_PARTS = {
    "forms": "``(data, (row, column))``; ``(blocks, indices, indptr)``",
    "extents": "The extents.",
    "blocksize": ("(int, int)", "The shape of the blocks; by default an estimate."),
}


class bsr_array(Bsr, sparray):
    __doc__ = constructor("A sparse array in compressed rows of blocks", **_PARTS)


class bsr_matrix(spmatrix, Bsr):
    __doc__ = constructor("A sparse matrix in compressed rows of blocks", **_PARTS)
    _error_of_axes = TypeError


register(bsr_array, bsr_matrix)
