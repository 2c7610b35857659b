"""Sparse matrices of SciPy and of ours that are equal, and the comparison of results."""

import warnings

import numpy
import scipy.sparse

import phalanx
from phalanx.scipy import sparse

from .conftest import FULL, RANKS, device_count

# Windows of several devices and processes take longer, so that fewer samples are tested there.
FEWER = not FULL and (device_count() > 1 or RANKS > 1)


def some(cases):
    """The cases of a test; with several processes a fifth of them, as each takes several times as
    long."""
    return list(cases)[:: 1 if FULL or RANKS == 1 else 5]


FORMATS = "csr csc coo dia bsr lil dok".split()
CLASSES = [f"{name}_{kind}" for name in FORMATS for kind in ("matrix", "array")]


def _plain():
    rows = [[0, 2.0, 0, 1], [3, 0, 0, 0], [0, 0, 0, 0], [0, 4, -5, 6], [7, 0, 8, 0]]
    return numpy.array(rows)


def _messy(dtype=numpy.float64):
    """Entries that are not sorted, twice at a position, and zero."""
    row, column = [3, 0, 0, 2, 0, 3, 1], [1, 2, 0, 3, 2, 1, 1]
    values = numpy.array([1, 2, 3, 4, 5, -1, 0], dtype=dtype)
    return scipy.sparse.coo_array((values, (row, column)), shape=(4, 4))


def _of_kind(dtype):
    return _plain().astype(dtype)


SAMPLES = {
    "plain": _plain(),
    "messy": _messy(),
    "row": numpy.array([[0, 1.5, 0, -2]]),
    "column": numpy.array([[0.0], [2], [0]]),
    "number": numpy.array([[3.0]]),
    "zeros": numpy.zeros((3, 2)),
    "no rows": numpy.zeros((0, 3)),
    "no columns": numpy.zeros((2, 0)),
    "square": numpy.array([[1.0, 2, 0], [0, 3, 0], [4, 0, 5]]),
    "special": numpy.array([[numpy.nan, 0, 1], [0, 0, 0], [numpy.inf, -1, 0.0], [1, 2, 3]]),
    "int64": _of_kind("i8"),
    "int32": _messy("i4"),
    "uint8": abs(_plain()).astype("u1"),
    "bool": _of_kind("?"),
    "float32": _of_kind("f4"),
    "complex128": _plain() + 1j * _plain()[::-1],
    "complex64": _of_kind("F"),
}


def theirs(name, sample):
    """SciPy's matrix of a class."""
    format, _, kind = name.partition("_")
    given = SAMPLES[sample]
    made = getattr(scipy.sparse, name)
    if not scipy.sparse.issparse(given) or format not in ("csr", "csc", "coo"):
        return made(given)
    given = getattr(scipy.sparse, f"coo_{kind}")(given)
    if format == "coo":
        return given
    # Compressed by hand: SciPy's conversion would add up what is there twice.
    lines, places = (given.row, given.col) if format == "csr" else (given.col, given.row)
    order = numpy.argsort(lines, kind="stable")
    starts = numpy.searchsorted(lines[order], numpy.arange(given.shape[0] + 1))
    return made((given.data[order], places[order], starts), shape=given.shape)


def ours(other):
    """Our matrix with the parts of one of SciPy's."""
    kind = "array" if isinstance(other, scipy.sparse.sparray) else "matrix"
    return getattr(sparse, f"{other.format}_{kind}")(other)


def pair(name, sample):
    other = theirs(name, sample)
    return ours(other), other


def host(x):
    return x.get() if isinstance(x, phalanx.ndarray) else x


def outcome(function, *given):
    """The result of a call, or its error."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*given)
        except Exception as error:
            return error


def check(own, other):
    """Compares a result with SciPy's: class of the error, format, shape, dtype and values."""
    if isinstance(other, Exception):
        # NumPy's classes for errors of ufuncs derive from Python's.
        kind = next(one for one in type(other).__mro__ if not one.__module__.startswith("numpy"))
        assert isinstance(own, kind), f"{own!r} in place of {other!r}"
        return
    if isinstance(own, Exception):
        raise own
    if isinstance(other, (tuple, list)):
        assert len(own) == len(other)
        for one, another in zip(own, other):
            check(one, another)
        return
    if scipy.sparse.issparse(other):
        assert sparse.issparse(own), f"{own!r} is no sparse matrix"
        assert sparse.isspmatrix(own) == scipy.sparse.isspmatrix(other)
        assert own.format == other.format
        assert own.shape == other.shape
        own, other = own.toarray(), other.toarray()
    if other is None or isinstance(other, (str, bool, type)):
        assert own == other
        return
    own, other = numpy.asarray(host(own)), numpy.asarray(other)
    assert own.shape == other.shape
    # Numbers of entries are int64 here, and of the dtype of positions in SciPy.
    assert own.dtype == other.dtype or {own.dtype.char, other.dtype.char} <= set("il")
    tolerance = 1e-5 if other.dtype.char in "fF" else 1e-12
    numpy.testing.assert_allclose(own, other, rtol=tolerance, atol=tolerance)
