"""Elements of sparse matrices by keys, and assignments, against SciPy's."""

import re

import numpy
import pytest
import scipy.sparse

import phalanx
from phalanx.scipy import sparse

from .sparse_cases import FEWER, check, ours, outcome, some, theirs

KEYS = """
0  -1  5  1, 2  -2, -1  1, 9  4, 0  2, 2  slice(None)  slice(1, 3)  slice(None, None, 2)
slice(None, None, -1)  slice(3, 1)  slice(-2, None), 1  slice(None), 0  slice(None), -1
0, slice(None)  1, slice(1, 3)  3, slice(None, None, -2)  slice(1, 4), slice(0, 2)
slice(None), slice(None)  slice(4, 0, -2), slice(3, 0, -1)  slice(None), slice(1, None, 2)  ...
..., 1  0, ...  [0, 3]  [3, -1, 3]  [[0], [3]]  [0, 1], [1, 2]  [[0], [2]], [1, 3]
[0, 3], slice(None)  slice(None), [3, 0, 0]  [1, 3], slice(1, 3)  slice(1, 4), [0, 2]  0, [1, 2]
[1, 2], 0  [0, 9]  slice(None), [9]  [[0, 1], [3, 4]], 1  [[0, 1], [3, 4]], [[0, 1], [2, 3]]
[], []  [], slice(None)  slice(None), []  mask  rows  slice(None), columns  rows, slice(0, 2)
rows, 1  "x"  1, 2, 3  1.5  None, 1  [True, False]  [[0, 3]], slice(None)  1.0, 2  ..., ...
"""
VECTOR_KEYS = """
0  -2  9  slice(None)  slice(1, 4)  slice(None, None, -2)  [0, 2]  [3, 3, -1]  []  mask  None  ...
[[0, 1], [2, 3]]  slice(2, 2)  0, 1  None, 2
"""
VALUES = {
    "0": ("0, 1", "3, 1", "slice(None), 2", "[0, 3], [1, 2]", "mask", "slice(1, 3)"),
    "7": (
        "0, 0", "1, 2", "-1, -1", "0", "slice(None), 1", "1, slice(0, 3)", "[2, 0], [0, 3]",
        "[[0], [2]], [1, 3]", "mask", "slice(0, 4, 2), slice(None, None, -1)", "9, 0",
        "[0, 0], 1", "slice(None), slice(None)", "[]", "...",
    ),
    "[1, 2, 3, 4]": ("0", "[2]", "slice(1, 3)", "0, slice(None)", "slice(None), 0", "1, 1"),
    "[[5], [6]]": ("[0, 2]", "slice(1, 3)", "slice(0, 2), slice(1, 3)", "0"),
    "[8, 9]": ("[0, 3], [1, 1]", "[0, 0], [1, 1]", "[4, 4], [0, 0]", "slice(0, 2), 1",
               "1, slice(1, 3)", "[3, 0], [3, 3]"),
    "1.5j": ("0, 0",),
    "S([[1, 0]])": ("0, slice(1, 3)", "slice(0, 3), slice(2, 4)", "[1, 3], slice(0, 2)", "1, 1"),
    "S([[1], [0], [2]])": ("slice(0, 3), 1", "slice(1, 4), slice(0, 2)", "slice(0, 2), 1"),
    "S([[4, 0], [0, 5]])": ("slice(0, 2), slice(0, 2)", "[3, 0], slice(1, 3)",
                            "[[3], [1]], [2, 0]", "slice(None)"),
}
CLASSES = [
    f"{format}_{kind}" for format in "csr csc lil dok coo bsr dia".split()
    for kind in ("matrix", "array")
]
WRITTEN = [name for name in CLASSES if name[:3] in ("csr", "csc", "lil")]
WRITTEN += ["dok_matrix", "dok_array"]
READ = [name for name in CLASSES if name not in ("coo_matrix", "dia_matrix", "dia_array")]
# What results have three axes in SciPy's coo_array.
OF_THREE_AXES = ("[[0], [3]]", "[[0, 3]], slice(None)")


def expressions(text):
    return [one for one in re.split(r"\n| {2,}", text) if one]


def evaluated(key, x):
    """A key, with masks of NumPy or of ours."""
    names = {
        "mask": x(numpy.arange(20).reshape(5, 4) % 3 == 0),
        "rows": x(numpy.array([True, False, False, True, True])),
        "columns": x(numpy.array([False, True, True, False])),
    }
    return eval(key, names)


@pytest.mark.parametrize(
    "name, key", some((name, key) for name in READ for key in expressions(KEYS))
)
def test_elements(name, key):
    for sample in ("plain",) if FEWER else ("plain", "int32"):
        other = theirs(name, sample)
        if "mask" in key and other.shape != (5, 4):
            continue
        own = ours(other)
        if name == "coo_array" and key in OF_THREE_AXES:
            with pytest.raises(IndexError, match="more than two axes"):
                _ = own[evaluated(key, phalanx.asarray)]
            continue
        found = outcome(lambda: own[evaluated(key, phalanx.asarray)])
        expected = outcome(lambda: other[evaluated(key, lambda x: x)])
        if isinstance(expected, Exception) and isinstance(found, Exception):
            assert isinstance(found, (IndexError, TypeError, ValueError, NotImplementedError))
            continue
        check(found, expected)


@pytest.mark.parametrize("name", ["csr_array", "dok_array", "coo_array"])
@pytest.mark.parametrize("key", expressions(VECTOR_KEYS))
def test_elements_of_vectors(name, key):
    dense = numpy.array([0, 3.0, 0, -1, 4])
    other = getattr(scipy.sparse, name)(dense)
    own = getattr(sparse, name)(phalanx.asarray(dense))
    mask = dense != 0
    found = outcome(lambda: own[eval(key, {"mask": phalanx.asarray(mask)})])
    expected = outcome(lambda: other[eval(key, {"mask": mask})])
    if isinstance(expected, Exception):
        assert isinstance(found, Exception)
        return
    check(found, expected)


def assigned(matrix, key, value, module, x):
    made = matrix.copy()
    values = {"S": getattr(module, "csr_array")}
    made[evaluated(key, x)] = eval(value, values)
    return made


@pytest.mark.parametrize("name, value, key", some(
    (name, value, key) for name in WRITTEN for value, keys in VALUES.items() for key in keys
))
def test_assignments(name, value, key):
    for sample in ("plain",) if FEWER else ("plain", "int32"):
        other = theirs(name, sample)
        if "mask" in key and other.shape != (5, 4):
            continue
        own = ours(other)
        found = outcome(assigned, own, key, value, sparse, phalanx.asarray)
        expected = outcome(assigned, other, key, value, scipy.sparse, lambda x: x)
        if isinstance(expected, Exception):
            assert isinstance(found, (type(expected), ValueError, TypeError)), (found, expected)
            continue
        check(found, expected)


def test_assignments_keep_shared_values():
    matrix = sparse.csr_matrix(numpy.array([[1.0, 0], [2, 3]]))
    other = sparse.csr_matrix(matrix)
    matrix[1, 0] = 5
    assert other[1, 0] == 5
    with pytest.warns(sparse.SparseEfficiencyWarning, match="sparsity structure"):
        matrix[0, 1] = 4
    assert other.nnz == 3 and matrix.nnz == 4


def test_rows_are_iterated_over():
    dense = numpy.array([[0, 2.0], [3, 0], [0, 0]])
    for name in ("csr_matrix", "csc_matrix", "csr_array", "csc_array", "lil_matrix"):
        own, other = getattr(sparse, name)(dense), getattr(scipy.sparse, name)(dense)
        for mine, scipys in zip(own, other, strict=True):
            assert mine.shape == scipys.shape
            numpy.testing.assert_array_equal(mine.toarray().get(), scipys.toarray())
    vector = sparse.csr_array(numpy.array([0, 3.0, 0]))
    assert [float(one) for one in vector] == [0, 3, 0]
