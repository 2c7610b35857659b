"""Matrices of which a few rows have most entries: threads share such rows."""

import numpy
import pytest
import scipy.sparse

import phalanx
from phalanx.scipy import sparse

from .sparse_linalg_cases import host, ours, some


def power_law(rows=3000, columns=9000, entries=150_000, kind="d", seed=0):
    """A matrix whose first rows have most entries, with rows without entries among them, and one
    row that is nearly full."""
    generator = numpy.random.default_rng(seed)
    row = (rows * generator.random(entries) ** 4).astype(int)
    row = row[row % 7 != 3]
    column = generator.integers(0, columns, row.size)
    row = numpy.concatenate([row, numpy.full(columns - 100, rows // 2)])
    column = numpy.concatenate([column, numpy.arange(50, columns - 50)])
    values = generator.integers(-9, 10, row.size)
    made = scipy.sparse.coo_array((values, (row, column)), shape=(rows, columns)).tocsr()
    made = made.astype(kind)
    return made * (1 + 2j) if kind in "FD" else made


def close(found, wanted):
    found = host(found)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    tolerance = 1e-4 if wanted.dtype.char in "fF" else 1e-12
    numpy.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def same(found, wanted):
    """Whether sparse matrices are equal, which are too large as arrays."""
    found = found.get()
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    assert (found != wanted).nnz == 0


@pytest.mark.parametrize("kind", some("dfDi"))
def test_products(kind):
    matrix = power_law(kind=kind)
    own = ours(matrix)
    for shape in ((9000,), (9000, 1), (9000, 5), (9000, 33)):
        x = numpy.random.default_rng(1).integers(-5, 6, shape).astype(kind)
        close(own @ phalanx.asarray(x), matrix @ x)
    turned = ours(scipy.sparse.csr_array(matrix.T))
    x = numpy.arange(3000, dtype=kind)
    close(turned @ phalanx.asarray(x), matrix.T @ x)


@pytest.mark.parametrize("kind", some("dDi"))
def test_folds(kind):
    matrix = power_law(kind=kind)
    own = ours(matrix)
    close(own.sum(axis=1), matrix.sum(axis=1))
    close(own.sum(axis=0), matrix.sum(axis=0))
    if kind != "D":
        close(own.max(axis=1).toarray(), matrix.max(axis=1).toarray())
        close(own.min(axis=0).toarray(), matrix.min(axis=0).toarray())


@pytest.mark.parametrize("kind", "di")
def test_extremes_of_rows_of_some_lengths(kind):
    # Rows without an implied zero, of lengths about those from which threads share a row.
    lengths = [1, 31, 63, 64, 65, 100, 200, 224, 225, 255, 256, 257, 511, 512, 513, 900]
    for length in lengths:
        dense = numpy.zeros((400, length), dtype=kind)
        dense[[3, 200]] = [[-2], [5]]
        own = ours(scipy.sparse.csr_array(dense))
        for name in ("max", "min", "sum"):
            found = getattr(own, name)(axis=1)
            found = found if name == "sum" else found.toarray()
            assert (host(found).ravel() == getattr(dense, name)(axis=1)).all(), (name, length)


def test_unions_and_what_is_kept():
    matrix, other = power_law(), power_law(seed=4)
    first, second = ours(matrix), ours(other)
    for found, wanted in [
        (first + second, matrix + other),
        (first - first, matrix - matrix),
        (first.maximum(second), matrix.maximum(other)),
        (first.multiply(second), matrix.multiply(other)),
    ]:
        same(found, wanted)
    same(first > 3, matrix > 3)
    half = first.copy()
    half.data[::2] = 0
    wanted = matrix.copy()
    wanted.data[::2] = 0
    half.eliminate_zeros()
    wanted.eliminate_zeros()
    assert half.nnz == wanted.nnz
    same(half, wanted)
    assert (host(half.indptr) == wanted.indptr).all()


def test_a_matrix_that_keeps_all_entries_is_another_one():
    own = sparse.csr_array(numpy.array([[1.0, 0], [2, 3]]))
    lower = sparse.tril(own, format="csr")
    lower.data[0] = 9
    same = own.copy()
    same.eliminate_zeros()
    same.data[1] = 7
    assert host(own.toarray()).tolist() == [[1, 0], [2, 3]]
    assert host(lower.toarray()).tolist() == [[9, 0], [2, 3]]


def test_assembly():
    matrix = power_law()
    generator = numpy.random.default_rng(6)
    # Entries in any order, a tenth of them twice.
    coordinates = matrix.tocoo()
    numbers = numpy.arange(matrix.nnz)
    order = generator.permutation(numbers.repeat(1 + (numbers % 10 == 0)))
    places = tuple(place[order] for place in coordinates.coords)
    wanted = scipy.sparse.coo_array((coordinates.data[order], places), shape=matrix.shape).tocsr()
    given = [phalanx.asarray(part) for part in (coordinates.data[order], *places)]
    found = sparse.coo_array((given[0], tuple(given[1:])), shape=matrix.shape).tocsr()
    same(found, wanted)
    assert found.nnz == matrix.nnz and (host(found.indices) == wanted.indices).all()


def test_entries_in_the_order_of_their_rows():
    matrix = power_law()
    coordinates = matrix.tocoo()
    given = [phalanx.asarray(part) for part in (coordinates.data, *coordinates.coords)]
    own = sparse.coo_array((given[0], tuple(given[1:])), shape=matrix.shape)
    made = own.tocsr()
    same(made, matrix)
    # Writing into the new matrix does not change the entries.
    made.data[0] = 100
    assert host(own.data)[0] == matrix.data[0]
    same(made.T.tocsr().T.tocsr(), made.get())


def test_products_of_long_rows():
    matrix = power_law()
    generator = numpy.random.default_rng(8)
    other = scipy.sparse.random_array((9000, 400), density=0.002, rng=generator, format="csr")
    other.data = numpy.round(other.data * 100)
    product = ours(matrix) @ ours(other)
    same(product, matrix @ other)
    assert product.has_canonical_format
    turned = scipy.sparse.csr_array(matrix.T)
    thin = scipy.sparse.csr_array(other[:3000])
    same(ours(turned) @ ours(thin), turned @ thin)


def test_sparse_products():
    matrix, other = power_law(300, 800, 3000), power_law(800, 500, 5000, seed=2)
    close((ours(matrix) @ ours(other)).toarray(), (matrix @ other).toarray())
    # The rows of the right operand are not sorted, and have duplicates.
    indices, indptr = [3, 1, 1, 0, 2, 0], [0, 3, 4, 6, 6]
    right = scipy.sparse.csr_array((numpy.arange(1.0, 7), indices, indptr), shape=(4, 4))
    left = scipy.sparse.csr_array(numpy.array([[1.0, 2, 0, 3], [0, 0, 0, 0], [4, 0, 5, 0]]))
    own = ours(left) @ ours(right)
    close(own.toarray(), (left @ right).toarray())
    assert own.has_canonical_format and own.nnz == 7


def test_rows_of_a_sparse_product_are_longer_than_a_part():
    generator = numpy.random.default_rng(5)
    matrix = scipy.sparse.random_array((60, 900), density=0.1, rng=generator, format="csr")
    other = scipy.sparse.random_array((900, 2000), density=0.05, rng=generator, format="csr")
    close((ours(matrix) @ ours(other)).toarray(), (matrix @ other).toarray())
