"""Writing of Matrix Market files. Each process writes the lines of its own entries."""

import io
import operator
import os

import phalanx as np

from ..._phalanx import _refusal
from ..sparse._classes import adopted, beside, is_foreign, is_sparse
from . import _header
from ._files import written
from ._header import DTYPES, SYMMETRIES
from ._lines import lines
from ._processes import Processes

# Matrices with extents up to this one are searched for a symmetry by default.
_SEARCHED = 99


@beside
def mmwrite(target, a, comment=None, field=None, precision=None, symmetry="AUTO"):
    """Writes a matrix to a Matrix Market file.

    Parameters
    ----------
    target : str, path or file object
        The file; .mtx is added to other names. File objects are open for bytes.
    a : array_like or sparse matrix
        The matrix: of two axes. Sparse ones are written in the coordinate format, others in the
        array format.
    comment : str, optional
        Lines that come before the numbers.
    field : {'real', 'double', 'complex', 'pattern', 'integer', 'unsigned-integer'}, optional
        What the values are; by default what their dtype is. 'pattern' leaves them out, in the
        coordinate format.
    precision : int, optional
        The number of digits of real numbers; by default as many as they need.
    symmetry : {'AUTO', 'general', 'symmetric', 'skew-symmetric', 'hermitian'} or None
        Of a matrix with a symmetry only the lower triangle is written. None searches the matrix
        for one; 'AUTO' does so if the extents are below 100, and takes others as general.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        `a` is no matrix, there is no such field or symmetry, or a matrix with a symmetry is not
        square.
    TypeError
        `target` is no path or file object for bytes, or no file has numbers of the dtype.
    OSError
        The file cannot be written.

    Notes
    -----
    Collective: each process writes the lines of the entries on its devices, and the file takes its
    name when it is complete. If the processes do not see the same folder, the first one writes all
    lines. Each process writes all lines to its own file object.
    """
    target = _checked_target(target)
    matrix, symmetry = _checked(a), _checked_symmetry(symmetry)
    digits = -1 if precision is None else _checked_digits(precision)
    if symmetry == "AUTO" and max(matrix.shape) > _SEARCHED:
        symmetry = "general"
    elif symmetry in ("AUTO", None):
        symmetry = _found_symmetry(matrix)
    if symmetry != "general" and matrix.shape[0] != matrix.shape[1]:
        text = f"a {symmetry} matrix is square, and not of shape {tuple(matrix.shape)}"
        raise _refusal(ValueError, "value", text)
    if is_sparse(matrix):
        format, columns = "coordinate", _entries(matrix, symmetry)
        extents = (*matrix.shape, columns[0].size)
    else:
        format, columns = "array", [_elements(matrix, symmetry)]
        extents = matrix.shape
    values, field = _of_field(columns.pop(), field, format)
    columns += [] if field == "pattern" else [values]
    header = _header.written(format, field, symmetry, comment, extents)
    is_path = isinstance(target, str)
    team = Processes(target if is_path else getattr(target, "name", "the file"))
    own = lines(team, columns, len(columns) - (field != "pattern"), digits)
    written(team, target, header, own)


def _checked_target(target):
    if isinstance(target, (str, os.PathLike)):
        path = str(target)
        return path if path.endswith(".mtx") else path + ".mtx"
    if isinstance(target, io.TextIOBase):
        raise _refusal(TypeError, "type", "the file object is open for text, and not for bytes")
    if not hasattr(target, "write"):
        text = f"a file is a path or a file object, not {type(target).__name__}"
        raise _refusal(TypeError, "type", text)
    return target


def _checked(a):
    """The matrix that is written, as one of ours."""
    if is_foreign(a):
        a = adopted(a)
    elif not is_sparse(a):
        if not isinstance(a, (list, tuple)) and not hasattr(a, "__array__"):
            text = f"a matrix is an array or sparse, not {type(a).__name__}"
            raise _refusal(ValueError, "value", text)
        a = np.asarray(a)
    if len(a.shape) != 2:
        raise _refusal(ValueError, "value", f"a matrix has two axes, not {len(a.shape)}")
    return a


def _checked_symmetry(symmetry):
    if symmetry is None or symmetry == "AUTO":
        return symmetry
    if not isinstance(symmetry, str) or symmetry.lower() not in SYMMETRIES:
        text = f"symmetry is one of {', '.join(SYMMETRIES)}, not {symmetry!r}"
        raise _refusal(ValueError, "choice", text)
    return symmetry.lower()


def _checked_digits(precision):
    try:
        return operator.index(precision)
    except TypeError:
        text = f"precision is an integer, not {precision!r}"
        raise _refusal(TypeError, "type", text) from None


def _found_symmetry(matrix):
    """The symmetry that the elements of a matrix have."""
    if matrix.shape[0] != matrix.shape[1]:
        return "general"
    kind = matrix.dtype.kind
    if is_sparse(matrix):
        matrix = matrix.tocsr()
    turned = matrix.T.tocsr() if is_sparse(matrix) else matrix.T
    if _is_equal(matrix, turned):
        return "symmetric"
    if kind not in "bu" and _is_equal(matrix, -turned):
        return "skew-symmetric"
    return "hermitian" if kind == "c" and _is_equal(matrix, turned.conj()) else "general"


def _is_equal(matrix, other):
    return (matrix != other).nnz == 0 if is_sparse(matrix) else np.array_equal(matrix, other)


def _entries(matrix, symmetry):
    """The positions and the values of the entries that are written."""
    entries = matrix.tocoo()
    columns = [entries.row, entries.col, entries.data]
    if symmetry != "general":
        is_lower = entries.row >= entries.col
        columns = [column[is_lower] for column in columns]
    return columns


def _elements(matrix, symmetry):
    """The elements that are written, column by column."""
    if symmetry == "general":
        return matrix.T.reshape(-1)
    place = np.arange(matrix.shape[0])
    is_strict = symmetry == "skew-symmetric"
    return matrix.T[place[:, None] < place if is_strict else place[:, None] <= place]


def _of_field(values, field, format):
    """The values as a field has them, and the field."""
    own = {"f": "real", "c": "complex", "b": "integer", "i": "integer", "u": "unsigned-integer"}
    kind = values.dtype.kind
    if kind not in own:
        raise _refusal(TypeError, "dtype", f"no file has numbers of dtype {values.dtype}")
    if field is not None and field not in DTYPES:
        text = f"field is one of {', '.join(DTYPES)}, not {field!r}"
        raise _refusal(ValueError, "choice", text)
    if field is None or (field == "pattern" and format == "array"):
        # Narrow unsigned integers are integers of more bits, as in SciPy.
        is_narrow = kind == "u" and values.dtype.itemsize < 4
        return (values.astype(np.int64), "integer") if is_narrow else (values, own[kind])
    if field == "pattern":
        return values, field
    if kind == "c" and field != "complex":
        values = values.real
    return values.astype(np.dtype(str(DTYPES[field]))), "real" if field == "double" else field
