"""Sparse matrices in .npz files, of SciPy's form."""

import contextlib
import os

from ..._phalanx import _refusal, agree, rank
from ._classes import class_of
from ._described import described

_FORMATS = ("csr", "csc", "bsr", "dia", "coo")


@described(
    "None",
    {"NotImplementedError": "The matrix is in the lil or dok format.",
     "OSError": "The file cannot be written."},
    "Collective: every process fetches the entries, and the first one writes the file.",
)
def save_npz(file, matrix, compressed=True):
    """Writes a sparse matrix to a file that SciPy reads too."""
    format = matrix.format
    if format not in _FORMATS:
        text = f"Save is not implemented for sparse matrix of format {format}."
        raise _refusal(NotImplementedError, "absent", text, "convert it with tocsr")
    if format == "dia":
        parts = {"offsets": matrix.offsets}
    elif format != "coo":
        parts = {"indices": matrix.indices, "indptr": matrix.indptr}
    elif matrix.ndim == 2:
        parts = {"row": matrix.row, "col": matrix.col}
    else:
        parts = {"coords": matrix.coords[0].reshape(1, -1)}
    parts["data"] = matrix.data
    parts = {name: part.get() for name, part in parts.items()}
    parts |= {"format": format.encode("ascii"), "shape": matrix.shape}
    if matrix._is_array:
        parts["_is_array"] = True
    if not isinstance(file, (str, os.PathLike)):
        _write(file, parts, compressed)
        return
    path = os.fspath(file)
    path = path if path.endswith(".npz") else path + ".npz"
    failure = None
    if rank() == 0:
        try:
            _replace(path, parts, compressed)
        except OSError as error:
            failure = error
    try:
        # The other processes learn whether the file is there.
        agree(failure)
    except RuntimeError as error:
        if failure is not None:
            raise failure from None
        raise _refusal(OSError, "value", f"{path}: {error}") from error


def _write(file, parts, compressed):
    import numpy

    (numpy.savez_compressed if compressed else numpy.savez)(file, **parts)


def _replace(path, parts, compressed):
    """Writes a file that takes the path once it is complete."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            _write(file, parts, compressed)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise


@described(
    "sparse matrix or array: Of the class that was saved.",
    {"ValueError": "The file has no sparse matrix.", "OSError": "The file cannot be read."},
    "Collective: every process reads the file.",
)
def load_npz(file):
    """The sparse matrix of a file that `save_npz`, or SciPy's, has written."""
    import numpy

    with numpy.load(file, allow_pickle=False) as loaded:
        if "format" not in loaded:
            text = f"The file {file} does not contain a sparse array or matrix."
            raise _refusal(ValueError, "value", text)
        format = loaded["format"].item()
        format = format if isinstance(format, str) else format.decode("ascii")
        is_array = "_is_array" in loaded and bool(loaded["_is_array"])
        if format not in _FORMATS:
            kind = "array" if is_array else "matrix"
            raise _refusal(ValueError, "value", f'Unknown format "{format}_{kind}"')
        shape = tuple(int(extent) for extent in loaded["shape"])
        values = loaded["data"]
        if format == "dia":
            parts = (values, loaded["offsets"])
        elif format != "coo":
            parts = (values, loaded["indices"], loaded["indptr"])
        elif "coords" in loaded:
            parts = (values, tuple(loaded["coords"]))
        else:
            parts = (values, (loaded["row"], loaded["col"]))
    return class_of(format, is_array)(parts, shape=shape)
