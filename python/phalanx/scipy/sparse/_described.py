"""Docstrings of sparse matrices, composed from the parameters of a function and its summary.

Most functions share their parameters with others, so each parameter is described once here.
"""

from .._describing import NOTHING
from .._describing import RECORDED as RECORDED
from .._describing import describer, entry

LOCAL = "Local: a process may call it alone."
COLLECTIVE = "Collective: every process calls it."
HOST = (
    "Local: the entries reside on the host, and every process has all of them. Collective if an "
    "argument resides on devices."
)

_PARAMETERS = {
    "A": ("sparse matrix or array_like", "The matrix."),
    "B": ("sparse matrix or array_like", "The second matrix."),
    "arg1": (
        "array_like, sparse matrix or tuple",
        "The elements, another sparse matrix, its parts, or the shape of a matrix without entries.",
    ),
    "arrays": ("sequence of array_like", "Arrays of positions that the dtype has to hold."),
    "axes": ("sequence of int", "The order of the axes; by default reversed."),
    "axis": ("int, tuple of int or None", "The axis along which to reduce; None is all axes."),
    "axis1": ("int", "The first axis."),
    "axis2": ("int", "The second axis."),
    "blocks": ("sequence of sparse matrices or arrays", "The parts, with None for zeros."),
    "blocksize": ("(int, int)", "The shape of the blocks; by default an estimate."),
    "casting": (
        "{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}",
        "The casts that are allowed.",
    ),
    "check_contents": ("bool", "Whether values of wide arrays may fit the narrow dtype."),
    "compressed": ("bool", "Whether the file is compressed."),
    "copy": ("bool", "Whether the result has entries of its own."),
    "data": ("array_like", "The diagonals, one in each row."),
    "data_rvs": ("callable", "Draws values: called with their number."),
    "data_sampler": ("callable", "Draws values: called with `size`."),
    "default": ("scalar", "The result if there is no such key."),
    "density": ("float", "The share of elements that are entries, from 0 to 1."),
    "diagonals": ("sequence of array_like", "The elements of each diagonal."),
    "diags": ("sequence of int or int", "The number of each diagonal; 0 is the main one."),
    "dtype": ("dtype", "The dtype of the result."),
    "explicit": ("bool", "Whether to leave out elements that are no entries."),
    "file": ("str, path or file object", "The file."),
    "format": ("str", "The format of the result; None leaves the choice."),
    "full_check": ("bool", "Whether to check every position, which reads the entries."),
    "i": ("int", "The number of the row."),
    "idx_dtype": ("dtype", "The dtype of the positions."),
    "iterable": ("iterable", "The keys."),
    "j": ("int", "The number of the column."),
    "k": ("int", "The diagonal: 0 is the main one, positive ones are above it."),
    "key": ("int or tuple of int", "The position of an element."),
    "m": ("int", "The number of rows."),
    "mats": ("sequence of array_like or sparse matrices", "The blocks of the diagonal."),
    "matrix": ("sparse matrix", "The matrix."),
    "maxval": ("int", "The largest position."),
    "msg": ("str", "The name of the dtype in errors."),
    "n": ("int", "The number of columns; by default as many as rows."),
    "ndigits": ("int", "The number of decimals."),
    "offset": ("int", "The diagonal, as in `diagonal`."),
    "offsets": ("sequence of int or int", "The number of each diagonal; 0 is the main one."),
    "order": ("{'C', 'F'}", "The order of the elements."),
    "other": ("sparse matrix, array_like or scalar", "The other operand."),
    "out": ("ndarray", "The array that is written and returned."),
    "random_state": ("Generator or int", "As `rng`, by its former name."),
    "rng": ("Generator or int", "The generator of the positions and values, or a seed."),
    "semiring": (
        "{'plus_times', 'min_plus', 'max_plus', 'min_times', 'max_times', 'min_max', 'max_min', "
        "'or_and'}",
        "What combines and what multiplies elements.",
    ),
    "shape": ("tuple of int", "The extents."),
    "stream": ("object", "Ignored: the copy is complete when the call returns."),
    "val": ("dict or iterable of pairs", "Positions and their values."),
    "value": ("scalar", "The value of all keys."),
    "values": ("array_like", "The new elements; a scalar fills the diagonal."),
    "x": ("object", "The object."),
}
described = describer(_PARAMETERS, COLLECTIVE, NOTHING)


def constructor(title, forms, extents, copied="values are", **more):
    """The docstring of a class. `forms` are the tuples of parts that it takes, `extents` the text
    of `shape`, `copied` what is copied, and `more` types and texts of further parameters."""
    forms = f"{forms}; " if forms else ""
    entries = {
        "arg1": (
            "array_like, sparse matrix or tuple",
            f"The elements; another sparse matrix, also of SciPy; {forms}or the shape of a matrix "
            "without entries.",
        ),
        "shape": ("tuple of int, optional", extents),
        "dtype": ("dtype, optional", "The dtype of the values."),
        "copy": ("bool", f"Whether the {copied} copied."),
        **more,
        "maxprint": ("int, optional", "The most entries that are shown."),
    }
    text = "\n".join(entry(f"{name} : {kind}", text) for name, (kind, text) in entries.items())
    return f"{title}.\n\nParameters\n----------\n{text}\n"


def attribute(name, text):
    """A documented attribute that is kept as it is set."""
    own = f"_kept_{name}"
    return property(
        lambda self: getattr(self, own), lambda self, value: setattr(self, own, value), doc=text
    )
