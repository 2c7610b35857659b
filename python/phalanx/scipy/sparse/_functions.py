"""Questions about sparse matrices, and the dtypes of their positions."""

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import INT32_MAX, as_dense
from ._classes import is_sparse
from ._described import LOCAL, described
from ._matrix import spmatrix


@described("bool", notes=LOCAL)
def issparse(x):
    """Whether `x` is a sparse matrix or array."""
    return is_sparse(x)


@described("bool", notes=LOCAL)
def isspmatrix(x):
    """Whether `x` is a sparse matrix, and no sparse array."""
    return isinstance(x, spmatrix)


def _of_format(format):
    def function(x):
        return isinstance(x, spmatrix) and x.format == format

    function.__name__ = function.__qualname__ = f"isspmatrix_{format}"
    function.__doc__ = f"Whether `x` is a {format}_matrix, and no sparse array."
    return described("bool", notes=LOCAL)(function)


isspmatrix_bsr = _of_format("bsr")
isspmatrix_coo = _of_format("coo")
isspmatrix_csc = _of_format("csc")
isspmatrix_csr = _of_format("csr")
isspmatrix_dia = _of_format("dia")
isspmatrix_dok = _of_format("dok")
isspmatrix_lil = _of_format("lil")


@described("type: int32 or int64 of NumPy.",
           notes="Local. Collective if the contents of arrays are checked.")
def get_index_dtype(arrays=(), maxval=None, check_contents=False):
    """The dtype of positions: int32 if it holds the largest one and all arrays, else int64."""
    if maxval is not None and int(maxval) > INT32_MAX:
        return np.int64
    if hasattr(arrays, "dtype"):
        arrays = (arrays,)
    for array in arrays:
        array = as_dense(array)
        if np.can_cast(array.dtype, np.int32):
            continue
        if check_contents and array.size == 0:
            continue
        if check_contents and array.dtype.kind in "iu":
            if int(array.max()) <= INT32_MAX and int(array.min()) >= -INT32_MAX - 1:
                continue
        return np.int64
    return np.int32


@described(
    "ndarray or tuple of ndarray: The positions of the format.",
    {"ValueError": "A position is too large for the dtype.",
     "TypeError": "The format has no arrays of positions."},
)
def safely_cast_index_arrays(A, idx_dtype=None, msg=""):
    """The positions of a matrix in another dtype, which must hold them."""
    idx_dtype = np.int32 if idx_dtype is None else idx_dtype
    largest = np.iinfo(idx_dtype).max
    msg = msg or f"dtype {np.dtype(idx_dtype)}"
    parts = {
        "csr": ("indices", "indptr"), "csc": ("indices", "indptr"), "bsr": ("indices", "indptr"),
        "coo": ("coords",), "dia": ("offsets",),
    }.get(A.format)
    if parts is None:
        text = f"Format {A.format} is not associated with index arrays."
        raise _refusal(TypeError, "type", text, "DOK and LIL have dict and list, not array")
    found = A.coords if A.format == "coo" else tuple(getattr(A, part) for part in parts)
    is_wide = max(*A.shape, A.nnz) > largest
    for name, array in zip(parts * len(found), found):
        if is_wide and array.size and int(array.max()) > largest:
            raise _refusal(ValueError, "large", f"{name} values too large for {msg}")
    cast = tuple(array.astype(idx_dtype, copy=False) for array in found)
    return cast[0] if A.format == "dia" else cast
