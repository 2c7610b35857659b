"""Sparse matrices: names of ``scipy.sparse``."""

import types as _types

from . import csgraph, linalg
from ._base import sparray
from ._bsr import bsr_array, bsr_matrix
from ._classes import SparseEfficiencyWarning, SparseWarning
from .._arguments import beside as _beside
from ._compressed import csc_array, csc_matrix, csr_array, csr_matrix
from ._construct import (
    diags,
    diags_array,
    eye,
    eye_array,
    identity,
    kron,
    kronsum,
    rand,
    random,
    random_array,
    spdiags,
)
from ._coo import coo_array, coo_matrix
from ._dia import dia_array, dia_matrix
from ._dok import dok_array, dok_matrix
from ._functions import (
    get_index_dtype,
    issparse,
    isspmatrix,
    isspmatrix_bsr,
    isspmatrix_coo,
    isspmatrix_csc,
    isspmatrix_csr,
    isspmatrix_dia,
    isspmatrix_dok,
    isspmatrix_lil,
    safely_cast_index_arrays,
)
from ._io import load_npz, save_npz
from ._lil import lil_array, lil_matrix
from ._matrix import spmatrix
from ._stack import (
    block_array,
    block_diag,
    bmat,
    expand_dims,
    find,
    hstack,
    matrix_transpose,
    permute_dims,
    swapaxes,
    tril,
    triu,
    vstack,
)

__all__ = """
SparseEfficiencyWarning SparseWarning block_array block_diag bmat bsr_array bsr_matrix coo_array
coo_matrix csc_array csc_matrix csgraph csr_array csr_matrix dia_array dia_matrix diags
diags_array dok_array dok_matrix expand_dims eye eye_array find get_index_dtype hstack identity
issparse isspmatrix isspmatrix_bsr isspmatrix_coo isspmatrix_csc isspmatrix_csr isspmatrix_dia
isspmatrix_dok isspmatrix_lil kron kronsum lil_array lil_matrix linalg load_npz matrix_transpose
permute_dims rand random random_array safely_cast_index_arrays save_npz sparray spdiags spmatrix
swapaxes tril triu vstack
""".split()

for _name in __all__:
    _value = globals()[_name]
    if isinstance(_value, _types.FunctionType):
        globals()[_name] = _beside(_value)
    elif isinstance(_value, type):
        # The name by which programs import the class, also when it is pickled.
        _value.__module__ = __name__
