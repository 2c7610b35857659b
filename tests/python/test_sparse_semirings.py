"""Products of sparse matrices over semirings, against NumPy's operations on all pairs of
elements."""

import numpy
import pytest
import scipy.sparse

import phalanx
from phalanx.scipy import sparse

from .sparse_cases import host, some

SEMIRINGS = {
    "plus_times": (numpy.add, numpy.multiply),
    "min_plus": (numpy.minimum, numpy.add),
    "max_plus": (numpy.maximum, numpy.add),
    "min_times": (numpy.minimum, numpy.multiply),
    "max_times": (numpy.maximum, numpy.multiply),
    "min_max": (numpy.minimum, numpy.maximum),
    "max_min": (numpy.maximum, numpy.minimum),
    "or_and": (numpy.logical_or, numpy.logical_and),
}
KINDS = "f4 f8 i4 i8 ? i1 u2".split()


def identity(add, dtype):
    if add in (numpy.add, numpy.logical_or):
        return dtype.type(0)
    sign = 1 if add is numpy.minimum else -1
    if dtype.kind == "f":
        return dtype.type(sign * numpy.inf)
    if dtype.kind == "b":
        return dtype.type(sign > 0)
    return getattr(numpy.iinfo(dtype), "max" if sign > 0 else "min")


def elements(matrix):
    """The elements of a matrix, with the sums of duplicates, and which of them are entries."""
    row, column = matrix.tocoo().coords
    is_entry = numpy.zeros(matrix.shape, bool)
    is_entry[row, column] = True
    return matrix.toarray(), is_entry


def expected(semiring, left, right):
    """The product of elements and masks."""
    add, multiply = SEMIRINGS[semiring]
    (a, a_mask), (b, b_mask) = left, right
    dtype = numpy.dtype(bool) if semiring == "or_and" else numpy.promote_types(a.dtype, b.dtype)
    a, b = a.astype(dtype), b.astype(dtype)
    with numpy.errstate(all="ignore"):
        products = multiply(a[:, :, None], b[None])
        is_pair = a_mask[:, :, None] & b_mask[None]
        unit = identity(add, dtype)
        products = numpy.where(is_pair, products, unit)
        if add is numpy.add and dtype != bool:
            return products.sum(axis=1, dtype=dtype)
        add = numpy.logical_or if add is numpy.add else add
        return add.reduce(products, axis=1, initial=unit).astype(dtype)


def numbers(shape, kind, seed):
    made = numpy.random.default_rng(seed).integers(-9, 10, shape)
    return abs(made).astype(kind) if kind[0] == "u" else made.astype(kind)


def matrix(rows, columns, entries, kind, seed=0):
    """A matrix in rows with unsorted entries, duplicates, rows without entries and zeros."""
    generator = numpy.random.default_rng(seed)
    entries = entries if rows * columns else 0
    row = generator.integers(0, max(rows, 1), entries)
    row = numpy.sort(numpy.where(row % 5 == 3, 0, row))
    column = generator.integers(0, max(columns, 1), entries)
    starts = numpy.searchsorted(row, numpy.arange(rows + 1))
    parts = (numbers(entries, kind, seed + 1), column, starts)
    return scipy.sparse.csr_array(parts, shape=(rows, columns))


def ours(matrix):
    """Our matrix of the same entries."""
    return sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)


SHAPES = {
    "square": (23, 23, 120),
    "wide": (7, 40, 90),
    "tall": (40, 7, 90),
    "one row": (1, 30, 12),
    "one column": (30, 1, 12),
    "no entries": (6, 9, 0),
    "no rows": (0, 5, 0),
    "no columns": (5, 0, 0),
}


@pytest.mark.parametrize("kind", some(KINDS))
@pytest.mark.parametrize("semiring", SEMIRINGS)
def test_dense_operands(semiring, kind):
    for shape in some(SHAPES.values()):
        own = matrix(*shape, kind)
        for extents in [(shape[1],), (shape[1], 1), (shape[1], 5)]:
            x = numbers(extents, kind, 5)
            flat = x.reshape(shape[1], *extents[1:] or (1,))
            wanted = expected(semiring, elements(own), (flat, numpy.ones(flat.shape, bool)))
            found = ours(own).dot(phalanx.asarray(x), semiring=semiring)
            assert found.dtype == wanted.dtype
            numpy.testing.assert_array_equal(host(found), wanted.reshape(shape[0], *extents[1:]))


@pytest.mark.parametrize("kind", some(KINDS))
@pytest.mark.parametrize("semiring", SEMIRINGS)
def test_sparse_operands(semiring, kind):
    for rows, columns, entries in some(SHAPES.values()):
        a, b = matrix(rows, columns, entries, kind), matrix(columns, 11, 60, kind, 7)
        wanted = expected(semiring, elements(a), elements(b))
        found = ours(a).dot(ours(b), semiring=semiring)
        pattern = (elements(a)[1].astype(int) @ elements(b)[1].astype(int)) > 0
        assert found.shape == wanted.shape and found.dtype == wanted.dtype
        assert found.nnz == pattern.sum() and found.has_canonical_format
        row, column = [host(one) for one in found.tocoo().coords]
        assert pattern[row, column].all()
        numpy.testing.assert_array_equal(host(found.data), wanted[row, column])


def test_many_rows_and_different_dtypes():
    a, b = matrix(3000, 5000, 20_000, "i4"), matrix(5000, 400, 9000, "f4", 3)
    x = numbers(5000, "f4", 2)
    add, multiply = SEMIRINGS["max_plus"]
    full = a.tocoo()
    full.sum_duplicates()
    found = ours(a).dot(x, semiring="max_plus")
    assert found.dtype == "f8"
    wanted = numpy.full(3000, -numpy.inf)
    numpy.maximum.at(wanted, full.row, full.data + x[full.col].astype("f8"))
    numpy.testing.assert_array_equal(host(found), wanted)
    # The columns of the product are its products with the columns.
    found = ours(a).dot(ours(b), semiring="min_max")
    dense, is_entry = elements(b)
    for place in (0, 57, 399):
        column = numpy.where(is_entry[:, place], dense[:, place].astype("f8"), numpy.inf)
        wanted = host(ours(a).dot(column, semiring="min_max"))
        part = found[:, [place]].tocoo()
        own = numpy.full(3000, numpy.inf)
        own[host(part.coords[0])] = host(part.data)
        numpy.testing.assert_array_equal(own, wanted)


@pytest.mark.parametrize("semiring", SEMIRINGS)
def test_infinities_and_nan(semiring):
    special = numpy.array([0.0, -0.0, 1.0, -2.0, numpy.inf, -numpy.inf, numpy.nan])
    pairs = numpy.array(numpy.meshgrid(special, special, special)).reshape(3, -1).T
    own = scipy.sparse.csr_array(numpy.ones((len(pairs), 2)))
    own.data[:] = pairs[:, :2].ravel()
    for last in (1.0, numpy.nan, numpy.inf):
        x = numpy.array([[1.0, last], [last, -1.0]])
        wanted = expected(semiring, elements(own), (x, numpy.ones((2, 2), bool)))
        numpy.testing.assert_array_equal(host(ours(own).dot(x, semiring=semiring)), wanted)
        other = scipy.sparse.csr_array(x)
        found = ours(own).dot(ours(other), semiring=semiring)
        numpy.testing.assert_array_equal(host(found.toarray()), wanted)


@pytest.mark.parametrize("name", some("csr csc coo dia bsr lil dok".split()))
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_formats(name, kind):
    dense = numpy.array([[0.0, 3, 0, 1], [2, 0, 0, 0], [0, 0, 0, 0], [5, 0, -1, 4]])
    own = getattr(sparse, f"{name}_{kind}")(phalanx.asarray(dense))
    is_entry = dense != 0
    x = numpy.array([1.0, -2, 3, 4])
    wanted = expected("min_plus", (dense, is_entry), (x[:, None], numpy.ones((4, 1), bool)))
    numpy.testing.assert_array_equal(host(own.dot(x, semiring="min_plus")), wanted[:, 0])
    square = own.dot(own, semiring="min_plus")
    assert sparse.isspmatrix(square) == (kind == "matrix")
    assert square.format == ("csc" if name == "csc" else "csr")
    wanted = expected("min_plus", (dense, is_entry), (dense, is_entry))
    wanted[numpy.isinf(wanted)] = 0
    numpy.testing.assert_array_equal(host(square.toarray()), wanted)
    # Also SciPy's matrices are operands.
    other = getattr(scipy.sparse, f"{name}_{kind}")(dense)
    numpy.testing.assert_array_equal(
        host(own.dot(other, semiring="min_plus").toarray()), wanted
    )


def test_vectors():
    row = sparse.csr_array(phalanx.asarray([0.0, 2, 0, 5]))
    assert float(row.dot(numpy.array([1.0, 2, 3, 4]), semiring="max_plus")) == 9
    assert float(row.dot(row, semiring="min_plus")) == 4
    other = sparse.csr_array(phalanx.asarray([3.0, 0, 1, 0]))
    assert float(row.dot(other, semiring="min_plus")) == numpy.inf
    assert float(row.dot(other)) == 0


def test_paths_of_few_edges():
    roads = matrix(60, 60, 200, "f8", 4)
    roads.data = abs(roads.data) + 1.0
    roads.sum_duplicates()
    reached = numpy.where(numpy.arange(60) == 0, 0.0, numpy.inf)
    own, found = ours(roads).T, phalanx.asarray(reached)
    for _ in range(59):
        found = phalanx.minimum(found, own.dot(found, semiring="min_plus"))
    wanted = scipy.sparse.csgraph.dijkstra(roads, indices=0)
    numpy.testing.assert_array_equal(host(found), wanted)


def test_bad_arguments():
    own = ours(matrix(4, 6, 9, "f8"))
    names = "plus_times, min_plus, max_plus, min_times, max_times, min_max, max_min, or_and"
    for other in (numpy.ones(6), numpy.ones((6, 2)), own.T):
        with pytest.raises(ValueError, match=names):
            own.dot(other, semiring="times_plus")
    with pytest.raises(TypeError):
        own.dot(numpy.ones(6), semiring=None)
    for other in (numpy.ones(4), numpy.ones((4, 6)), own, numpy.ones((6, 2, 2)), 3.0):
        with pytest.raises(ValueError):
            own.dot(other, semiring="min_plus")
    for other in (numpy.ones(6) * 1j, own.T * 1j):
        with pytest.raises(TypeError):
            own.dot(other, semiring="max_times")
        assert own.dot(other, semiring="or_and").dtype == bool


def test_plans_name_other_semirings():
    own, x = ours(matrix(5000, 5000, 9000, "f8")), phalanx.asarray(numbers(5000, "f8", 3))
    assert " spmm_max_min(" in str(own.dot(x, semiring="max_min").explain())
    plain = str(own.dot(x).explain())
    assert " spmm(" in plain and "spmm_" not in plain
