"""Sparse matrices of every format: each member against SciPy's."""

import re

import numpy
import pytest
import scipy.sparse

import phalanx
from phalanx.scipy import sparse

from .conftest import FULL
from .sparse_cases import CLASSES, FEWER, SAMPLES, check, outcome, pair, some

# Expressions of a matrix `A`, of NumPy or Phalanx as `np`, and of the module as `sp`.
MEMBERS = """
A.shape                 A.ndim                  A.nnz                   A.size
A.dtype.type            A.format                A.T                     A.real
A.imag                  repr(A)                 A.toarray()             A.todense()
A.tocsr()               A.tocsc()               A.tocoo()               A.todia()
A.tobsr()               A.tobsr((1, 1))         A.tolil()               A.todok()
A.asformat('csc')       A.asformat('none')      A.asformat(None)        A.copy()
A.astype('f')           A.astype('F')           A.astype('?')           A.astype('e')
A.transpose()           A.transpose((1, 0))     A.transpose((0, 1))     A.conj()
A.conjugate()           A.conj(copy=False)      A.count_nonzero()       A.nonzero()
A.count_nonzero(axis=0) A.count_nonzero(axis=1) A.count_nonzero(axis=2) A.diagonal()
A.diagonal(1)           A.diagonal(-2)          A.diagonal(9)           A.trace()
A.trace(1)              A.reshape(-1, 1)        A.reshape((1, -1))      A.reshape(A.shape)
A.reshape(-1)           A.reshape(99, 2)        A.reshape(1, -1, order='F')
A.sum()                 A.sum(axis=0)           A.sum(axis=1)           A.sum(axis=-1)
A.sum(axis=2)           A.sum(axis=(0, 1))      A.sum(0.5)              A.sum(axis=0, dtype='f')
A.mean()                A.mean(axis=0)          A.mean(axis=1)          A.mean(axis=0, dtype='f')
-A                      abs(A)                  round(A)                round(A, 1)
bool(A)                 len(A.shape)            A.power(2)              A.power(0)
A.power(2, dtype='d')   A ** 2                  A ** -1                 A.maximum(0)
A.minimum(0)            A.maximum(1)            A.minimum(-1)           A.maximum(A.T.T * 2)
A.minimum(A)            A.maximum(D)            A.minimum(D)
A + A                   A - A                   A + D                   A - D
D + A                   D - A                   A + 0                   A - 0
0 + A                   0 - A                   A + 1                   1 - A
A * 2                   2 * A                   A * 2.5                 A * 1j
A / 2                   2 / A                   A / A                   A / D
A * A                   A * D                   A.multiply(A)           A.multiply(D)
A.multiply(2)           A.multiply(A[:1] if A.format in ('csr', 'csc') else A)
A.multiply(D[:1])       A.multiply(D[:, :1])    A.multiply(D[0])        A.multiply(D[0, 0])
A.multiply([[1, 2]])    A @ A                   A @ A.T                 A.T @ A
A @ D.T                 A @ D.T[:, 0]           A @ D.T[:, :1]          D.T @ A
D[:, 0] @ A             A @ 2                   A.dot(A.T)              A.dot(2)
A.dot(D.T)              A @ [1, 2]              A + A.T                 A - A.tocsc()
A == A                  A != A                  A == 0                  A != 0
A > 1                   A >= 1                  A < 1                   A <= 1
A > 0                   A < 0                   A >= 0                  A <= 0
A == 2                  A != 2                  A > A.T.T * 0.5         A < A * 2
A >= A                  A <= A                  A == D                  A < D
D * A                   D / A                   D == A                  D < A
D >= A                  A.sum(dtype='f')        A.mean(dtype='F')       A.sum(axis=1, dtype='d')
A == A.T                A != 'a'                A > np.nan              A != np.nan
"""
# Of formats with the values in one array.
OF_DATA = """
A.sin()     A.tan()     A.arcsin()  A.arctan()  A.sinh()    A.tanh()    A.arcsinh()
A.arctanh() A.rint()    A.sign()    A.expm1()   A.log1p()   A.deg2rad() A.rad2deg()
A.floor()   A.ceil()    A.trunc()   A.sqrt()
"""
EXTREMES = """
A.max()             A.min()             A.max(axis=0)       A.max(axis=1)       A.min(axis=0)
A.min(axis=1)       A.max(axis=-1)      A.max(axis=2)       A.nanmax()          A.nanmin()
A.nanmax(axis=0)    A.nanmin(axis=1)    A.argmax(axis=0)    A.argmax(axis=1)    A.argmin(axis=0)
A.argmin(axis=1)    A.argmax()          A.argmin()          A.max(explicit=True)
A.max(axis=0, explicit=True)            A.min(axis=1, explicit=True)
A.argmax(axis=0, explicit=True)         A.argmin(axis=1, explicit=True)
A.max(out=D)        A.argmin(out=D)
"""
OF_MATRICES = """
A.asfptype()    A.getformat()   A.getnnz()      A.getnnz(axis=0)    A.getnnz(axis=1)
A.getnnz(axis=3)                A.get_shape()   A.getH()            A.getcol(0)
A.getrow(0)     A.getcol(-1)    A.getrow(-1)    A.getcol(99)        A.getrow(99)
A.getmaxprint() A ** 3          A ** 0          A ** 1
"""
# Statements, after which the matrix is compared.
STATEMENTS = """
A *= 2              A /= 2              A += A              A -= A              A *= A
A.setdiag(5)        A.setdiag([1, 2])   A.setdiag(7, k=1)   A.setdiag([1, 2, 3, 4, 5], k=-1)
A.setdiag(1, k=99)  A.resize(2, 3)      A.resize((6, 6))    A.resize(2, 5)      A.resize(-1, 2)
"""
# Of compressed formats and coo.
CLEANED = """
A.sum_duplicates()  A.eliminate_zeros()
"""
COMPRESSED = """
A.sort_indices()    A.prune()           A.check_format()    A.has_sorted_indices
A.has_canonical_format                  A.sorted_indices()  A.data              A.indices
A.indptr
"""

# What SciPy does by mistake, and we do not: class, expression and sample.
SCIPYS_MISTAKES = [
    # Fails with an AttributeError, or writes other elements.
    ("bsr", "setdiag", ""),
    # Widens the dtype if many elements are new.
    ("cs[rc]", "setdiag", "uint8|int32|bool|float32|complex64"),
    # The class is not that of the matrix.
    ("matrix", r"\*\* 0", ""),
    # Quotients of integers in a matrix of integers.
    ("lil|dok", "A /=? 2", ""),
    # A vector of one element becomes a number.
    ("coo_array", r"@ D\.T\[:, 0\]|D\[:, 0\] @", "number|^row|column"),
    # A dtype that no other format has, float16.
    ("dia", r"sin|tan|log1p|sqrt|expm1|'e'|rad|deg|round", "uint8|bool"),
    ("dia", r"'e'", ""),
    # Fails without diagonals.
    ("dia", r"@ A|dot\(A", "zeros"),
    # Refuses differences of truth values, which other formats have.
    ("dia", "A -=? A", "bool"),
    # The square of truth values is one of int8, by an exception for the exponent 2.
    ("", r"power\(2\)|A \*\* 2", "bool"),
]


def expressions(text):
    return [one for one in re.split(r"\n| {2,}", text) if one]


def cases():
    for name in CLASSES:
        format, kind = name.split("_")
        all_of_it = MEMBERS
        if format not in ("lil", "dok"):
            all_of_it += OF_DATA
        if format in ("csr", "csc", "coo", "bsr"):
            all_of_it += EXTREMES
        if kind == "matrix":
            all_of_it += OF_MATRICES
        for one in expressions(all_of_it):
            yield name, one


def is_mistake(name, expression, sample):
    """Whether SciPy's result is not compared."""
    case = (name, expression, sample)
    return any(
        all(re.search(pattern, one) for pattern, one in zip(patterns, case))
        for patterns in SCIPYS_MISTAKES
    )


def statements():
    for name in CLASSES:
        format = name.split("_")[0]
        all_of_it = STATEMENTS
        if format in ("csr", "csc", "coo", "bsr"):
            all_of_it += CLEANED
        if format in ("csr", "csc"):
            all_of_it += COMPRESSED
        for one in expressions(all_of_it):
            yield name, one


def chosen(name, expression):
    """The samples of a case: one or two, so that the classes together have most; all with
    `PHALANX_TEST_FULL=1`."""
    names = list(SAMPLES)
    if not FULL:
        start = sum(map(ord, expression)) + 2 * CLASSES.index(name)
        names = [names[(start + step) % len(names)] for step in range(1 if FEWER else 2)]
    return [one for one in names if not is_mistake(name, expression, one)]


def evaluated(expression, matrix, dense, module, numbers):
    names = {"A": matrix, "D": dense, "sp": module, "np": numbers}
    return eval(expression, names)


def both(name, sample):
    own, other = pair(name, sample)
    dense = other.toarray()
    return (own, phalanx.asarray(dense), sparse, phalanx), (
        other, dense, scipy.sparse, numpy
    )


@pytest.mark.parametrize("name, expression", some(cases()))
def test_members(name, expression):
    for sample in chosen(name, expression):
        mine, scipys = both(name, sample)
        own = outcome(evaluated, expression, *mine)
        other = outcome(evaluated, expression, *scipys)
        try:
            check(own, other)
        except Exception as error:
            error.add_note(f"of {sample}: {own!r} in place of {other!r}")
            raise


def changed(statement, matrix, dense, module, numbers):
    names = {"A": matrix, "D": dense, "sp": module, "np": numbers}
    exec(statement, names)
    return names["A"]


@pytest.mark.parametrize("name, statement", some(statements()))
def test_changes_in_place(name, statement):
    for sample in chosen(name, statement):
        mine, scipys = both(name, sample)
        own = outcome(changed, statement, *mine)
        other = outcome(changed, statement, *scipys)
        try:
            check(own, other)
        except Exception as error:
            error.add_note(f"of {sample}: {own!r} in place of {other!r}")
            raise
