"""Functions that join sparse matrices, take parts of them, and order their axes."""

import numbers
import operator

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import index_dtype, is_integer, promoted
from ._classes import adopted, class_of, is_sparse
from ._core import Rows
from ._described import described

_UNEQUAL = {"ValueError": "The extents of the parts do not fit."}


@described("sparse matrix or array", _UNEQUAL)
def hstack(blocks, format=None, dtype=None):
    """The matrices side by side."""
    blocks = [adopted(block) for block in blocks]
    return _joined([blocks], format, dtype, _has_array(blocks))


@described("sparse matrix or array", _UNEQUAL)
def vstack(blocks, format=None, dtype=None):
    """The matrices one below the other."""
    blocks = [adopted(block) for block in blocks]
    return _joined([[block] for block in blocks], format, dtype, _has_array(blocks))


@described("sparse matrix or array", _UNEQUAL)
def bmat(blocks, format=None, dtype=None):
    """The matrix of blocks; a sparse array if one of them is one."""
    blocks = _table(blocks)
    return _joined(blocks, format, dtype, _has_array([one for row in blocks for one in row]))


@described("sparse array", _UNEQUAL)
def block_array(blocks, *, format=None, dtype=None):
    """The sparse array of blocks."""
    return _joined(_table(blocks), format, dtype, True)


def _has_array(blocks):
    return any(is_sparse(block) and block._is_array for block in blocks)


def _table(blocks):
    table = [[adopted(block) for block in row] for row in blocks]
    if not table or len({len(row) for row in table}) != 1:
        raise _refusal(ValueError, "value", "blocks must be 2-D")
    return table


def _joined(blocks, format, dtype, is_array):
    if not blocks or not blocks[0]:
        raise _refusal(ValueError, "count", "blocks must be 2-D, with one block or more")
    every = [block for row in blocks for block in row]
    for compressed in ("csr", "csc"):
        is_alike = all(is_sparse(one) and one.format == compressed for one in every)
        if is_alike and format in (None, compressed):
            format = compressed
            is_line = len(blocks[0]) == 1 if format == "csr" else len(blocks) == 1
            if is_line:
                return _one_after_another(every, dtype, is_array)
    parts = [
        [None if one is None else class_of("coo", True)(one) for one in row] for row in blocks
    ]
    heights = [_extent(row, 0, f"blocks[{line},:]") for line, row in enumerate(parts)]
    widths = [_extent(row, 1, f"blocks[:,{line}]") for line, row in enumerate(zip(*parts))]
    shape = (sum(heights), sum(widths))
    rows, columns, values = [], [], []
    above, is_wide = 0, False
    for height, row in zip(heights, parts):
        left = 0
        for width, one in zip(widths, row):
            if one is not None:
                is_wide = is_wide or one._is_wide
                rows.append(one.row.astype(np.int64) + above)
                columns.append(one.col.astype(np.int64) + left)
                values.append(one.data)
            left += width
        above += height
    return _of_parts(rows, columns, values, shape, format, dtype, is_array, is_wide)


def _one_after_another(parts, dtype, is_array):
    """The lines of compressed matrices, one matrix after another."""
    cores = [one._core for one in parts]
    widths = {core.shape[1] for core in cores}
    if len(widths) > 1:
        text = f"incompatible dimensions of the parts: {sorted(widths)}"
        raise _refusal(ValueError, "together", text)
    dtype = promoted(*(core.dtype for core in cores)) if dtype is None else np.dtype(dtype)
    starts, count = [], 0
    for core in cores:
        starts.append(core.row_starts()[:-1] + count)
        count += core.nnz
    core = Rows.from_parts(
        np.concatenate([*starts, np.full(1, count)]),
        np.concatenate([core.columns for core in cores]),
        np.concatenate([core.values.astype(dtype, copy=False) for core in cores]),
        (sum(core.shape[0] for core in cores), widths.pop()),
    )
    made, shape = class_of(parts[0].format, is_array), tuple(parts[0]._swap(core.shape))
    return made._of_core(core, shape, is_wide=any(one._is_wide for one in parts))


def _of_parts(rows, columns, values, shape, format, dtype, is_array, is_wide):
    """The matrix of the entries of all parts."""
    if not values:
        made = class_of("coo", is_array)(shape, dtype=dtype)
        return made.asformat(format)
    dtype = promoted(*(one.dtype for one in values)) if dtype is None else np.dtype(dtype)
    values = np.concatenate([one.astype(dtype, copy=False) for one in values])
    row, column = np.concatenate(rows), np.concatenate(columns)
    if format in ("csr", "csc"):
        # As in SciPy, entries of the same position are not added up.
        pair, extents = ((row, column), shape) if format == "csr" else (
            (column, row), shape[::-1]
        )
        core = Rows.from_triplets(*pair, values, extents, is_summed=False)
        made = class_of(format, is_array)._of_core(core, shape, is_wide=is_wide)
        made._is_sorted = True
        return made
    narrow = index_dtype(max(shape), is_wide)
    coords = (row.astype(narrow), column.astype(narrow))
    return class_of("coo", is_array)._of(values, coords, shape).asformat(format)


def _extent(line, axis, name):
    """The common extent of a row or a column of blocks."""
    found = {one._shape_as_2d[axis] for one in line if one is not None}
    if len(found) > 1:
        what = "column" if axis else "row"
        text = f"{name} has incompatible {what} dimensions: {sorted(found)}"
        raise _refusal(ValueError, "together", text)
    return found.pop() if found else 0


@described("sparse matrix or array")
def block_diag(mats, format=None, dtype=None):
    """The matrix with the given ones along its diagonal."""
    mats = [adopted(one) for one in mats]
    is_array = _has_array(mats)
    rows, columns, values = [], [], []
    above = left = 0
    is_wide = False
    for one in mats:
        if isinstance(one, (list, tuple, numbers.Number)):
            one = np.atleast_2d(np.asarray(one))
        if is_sparse(one):
            (height, width), entries = one._shape_as_2d, one.tocoo()
            row, column, value = entries.row, entries.col, entries.data
            is_wide = is_wide or entries._is_wide
        else:
            # As in SciPy, all elements of an array become entries.
            value = np.atleast_2d(np.asarray(one))
            height, width = value.shape
            place = np.arange(height * width)
            row, column = place // max(width, 1), place % max(width, 1)
            value = value.ravel()
        rows.append(row.astype(np.int64) + above)
        columns.append(column.astype(np.int64) + left)
        values.append(value)
        above, left = above + height, left + width
    shape = (above, left)
    made = _of_parts(rows, columns, values, shape, None, dtype, is_array, is_wide)
    return made.asformat(format)


@described("(ndarray, ndarray, ndarray): Rows, columns and values.")
def find(A):
    """The positions and the values of the elements that are not zero, by rows."""
    entries = class_of("coo", True)(A, copy=True)
    entries.sum_duplicates()
    is_nonzero = entries.data != 0
    return entries.row[is_nonzero], entries.col[is_nonzero], entries.data[is_nonzero]


@described("sparse matrix or array: In coordinate format by default.")
def tril(A, k=0, format=None):
    """The elements on and below a diagonal."""
    return _triangle(A, lambda row, column: row + k >= column, format)


@described("sparse matrix or array: In coordinate format by default.")
def triu(A, k=0, format=None):
    """The elements on and above a diagonal."""
    return _triangle(A, lambda row, column: row + k <= column, format)


def _triangle(A, is_kept, format):
    A = adopted(A)
    made = class_of("coo", is_sparse(A) and A._is_array)
    entries = made(A)
    kept = is_kept(entries.row.astype(np.int64), entries.col)
    coords = (entries.row[kept], entries.col[kept])
    found = made._of(entries.data[kept], coords, entries.shape, entries._is_canonical)
    return found.asformat(format)


@described("coo_array", {"ValueError": "The axis is out of range, or the result has three axes."},
           axis=("int", "The place of the new axis."))
def expand_dims(A, /, *, axis=0):
    """A sparse vector as a matrix of one row or one column."""
    A = adopted(A)
    if not is_integer(axis):
        raise _refusal(ValueError, "type", f"Invalid axis {axis}. Must be an integer.")
    place = axis + A.ndim + 1 if axis < 0 else axis
    if not 0 <= place <= A.ndim:
        text = f"Invalid axis {axis} for N={A.ndim}. Must be in [-N-1, N]."
        raise _refusal(ValueError, "value", text)
    if A.ndim == 2:
        text = "a sparse array has at most two axes"
        raise _refusal(ValueError, "absent", text, "use toarray for more axes")
    entries = A.tocoo(copy=True)
    zeros = np.zeros_like(entries.coords[0])
    coords = entries.coords[:place] + (zeros,) + entries.coords[place:]
    shape = entries.shape[:place] + (1,) + entries.shape[place:]
    return type(entries)._of(entries.data, coords, shape, entries._is_canonical)


@described("sparse matrix or array")
def matrix_transpose(x, /):
    """The transpose of a matrix."""
    return adopted(x).transpose()


@described("coo_matrix or coo_array", {"ValueError": "There is no such axis."})
def swapaxes(A, axis1, axis2):
    """The matrix with two axes exchanged."""
    A = adopted(A)
    axes = list(range(A.ndim))
    try:
        axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    except IndexError:
        text = f"Invalid axis: {axis1} or {axis2} for ndim={A.ndim}"
        raise _refusal(ValueError, "value", text) from None
    return permute_dims(A, axes=tuple(axes), copy=True)


@described("coo_matrix or coo_array", {"ValueError": "`axes` is no order of the axes."})
def permute_dims(A, axes=None, copy=False):
    """The matrix with its axes in another order."""
    A = adopted(A)
    ndim = A.ndim
    axes = tuple(range(ndim)[::-1]) if axes is None else axes
    if not isinstance(axes, (tuple, list)):
        axes = (axes,)
    if len(axes) != ndim:
        text = f"Incorrect number of axes: {len(axes)} instead of {ndim}"
        raise _refusal(ValueError, "count", text)
    order = []
    for axis in axes:
        if not hasattr(axis, "__index__"):
            raise _refusal(TypeError, "type", f"axis must be an integer. (given {axis})")
        axis = operator.index(axis)
        if not -ndim <= axis < ndim:
            raise _refusal(ValueError, "value", "axis out of range for ndim")
        order.append(axis % ndim)
    if len(set(order)) != ndim:
        raise _refusal(ValueError, "value", "duplicate value in axis")
    if order == list(range(ndim)):
        return A.copy() if copy else A
    return A.tocoo(copy=copy).transpose()
