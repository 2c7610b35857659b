"""The classes of the formats, warnings, and the mesh of a call."""

import os
import sys
import types
import warnings

from .._arguments import beside


class SparseWarning(Warning):
    """A warning of a sparse matrix."""


class SparseEfficiencyWarning(SparseWarning):
    """A use of a sparse matrix that is slow, or that needs much memory."""


# The folder of all modules of SciPy's names, of which calls pass through others, too.
_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_CLASSES = {}
# Methods with double underscores that compute.
_COMPUTING = """
__init__ __str__ __getitem__ __setitem__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __abs__ __round__
__neg__ __add__ __radd__ __iadd__ __sub__ __rsub__ __isub__ __mul__ __rmul__ __imul__ __pow__
__truediv__ __rtruediv__ __itruediv__ __matmul__ __rmatmul__
""".split()


def warn(text):
    """Warns of a slow operation, at the line of the program that has called it."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_FOLDER):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, SparseEfficiencyWarning, stacklevel=level)


def register(array, matrix):
    """Makes the two classes of a format known to conversions, and their methods compute on the
    mesh of the matrix."""
    _CLASSES[array._format, True] = array
    _CLASSES[matrix._format, False] = matrix
    for kind in {*array.__mro__, *matrix.__mro__}:
        if kind.__module__.startswith("phalanx."):
            for name, function in list(vars(kind).items()):
                is_computing = name in _COMPUTING or not name.startswith("_")
                if is_computing and isinstance(function, types.FunctionType):
                    setattr(kind, name, beside(function))


def class_of(format, is_array):
    """The class of a format: of an array or of a matrix."""
    return _CLASSES[format, is_array]


def is_sparse(x):
    """Whether an object is a sparse matrix of ours."""
    return hasattr(type(x), "_rows_of_transpose")


def is_foreign(x):
    """Whether an object is a sparse matrix of another library, such as SciPy's."""
    return not is_sparse(x) and hasattr(x, "tocsr") and hasattr(x, "tocoo")


def adopted(x):
    """A sparse matrix of another library as ours, in its format; any other object as it is.
    Collective if it is one."""
    if not is_foreign(x):
        return x
    is_array = not any(kind.__name__ == "spmatrix" for kind in type(x).__mro__)
    format = getattr(x, "format", None)
    if format not in ("dok", "lil") and hasattr(x, "get"):
        # A matrix of CuPy: it has one of SciPy on the host.
        x = x.get()
    if format in ("csr", "csc", "bsr"):
        parts = (x.data, x.indices, x.indptr)
    elif format == "dia":
        parts = (x.data, x.offsets)
    else:
        x, format = x.tocoo(), "coo"
        parts = (x.data, getattr(x, "coords", None) or (x.row, x.col))
    return class_of(format, is_array)(parts, shape=tuple(x.shape), copy=True)
