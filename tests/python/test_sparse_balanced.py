"""Matrices whose rows are split by their entries, compared with SciPy's and with even rows."""

import operator
import warnings

import numpy
import pytest
import scipy.sparse

import phalanx
from phalanx.scipy import sparse
from phalanx.scipy.sparse import csgraph, linalg

from .conftest import RANKS, device_count
from .sparse_linalg_cases import host, ours, some


def uneven(rows, columns, kind="d", seed=3):
    """A matrix whose first rows have most of the entries; some rows have none."""
    generator = numpy.random.default_rng(seed)
    lengths = numpy.minimum(columns // 2 / numpy.arange(1, rows + 1) ** 0.8, columns // 2)
    lengths = lengths.astype(int) * (numpy.arange(rows) % 7 != 5)
    row = numpy.arange(rows).repeat(lengths)
    column = generator.integers(0, columns, row.size)
    values = generator.integers(-4, 5, row.size).astype(kind)
    made = scipy.sparse.coo_array((values, (row, column)), shape=(rows, columns)).tocsr()
    return made * (1 + 2j) if kind in "FD" else made


def entries_of_devices(matrix):
    """How many entries each device has."""
    sizes = matrix.data.sharding.blocks[0]
    return [matrix.nnz] if sizes is None else sizes


def same(own, wanted):
    assert own.shape == wanted.shape and own.dtype == wanted.dtype
    numpy.testing.assert_array_equal(own.toarray().get(), wanted.toarray())


def test_devices_have_about_as_many_entries():
    matrix = uneven(900, 500)
    even, own = ours(matrix), ours(matrix).balanced()
    assert type(own) is type(even) and own is not even
    same(own, matrix)
    count = device_count()
    longest = numpy.diff(matrix.indptr).max() + 2
    # A row counts as two entries.
    share = (matrix.nnz + 2 * 900) / count
    assert sum(entries_of_devices(own)) == matrix.nnz
    assert max(entries_of_devices(own)) <= share + longest
    if count > 1:
        assert max(entries_of_devices(even)) > max(entries_of_devices(own))
    # It stays as it is, and writing into it does not change the other one.
    again = own.balanced()
    assert entries_of_devices(again) == entries_of_devices(own)
    again.data[:] = 0
    same(own, matrix)
    same(even, matrix)


def test_columns_are_balanced():
    matrix = uneven(300, 400).T.tocsc()
    own = ours(matrix).balanced()
    assert own.format == "csc"
    same(own, matrix)
    x = numpy.arange(300.0)
    numpy.testing.assert_array_equal(host(own @ phalanx.asarray(x)), matrix @ x)
    numpy.testing.assert_array_equal(host(phalanx.ones(400) @ own), numpy.ones(400) @ matrix)


@pytest.mark.parametrize("kind", some("dDi"))
@pytest.mark.parametrize("shape", [(500, 500), (300, 700), (5003, 5003), (900, 6001)])
def test_products(shape, kind):
    matrix = uneven(*shape, kind)
    own = ours(matrix).balanced()
    x = numpy.random.default_rng(1).integers(-5, 6, shape[1]).astype(kind)
    y = numpy.random.default_rng(2).integers(-5, 6, shape[0]).astype(kind)
    numpy.testing.assert_array_equal(host(own @ phalanx.asarray(x)), matrix @ x)
    numpy.testing.assert_array_equal(host(phalanx.asarray(y) @ own), y @ matrix)
    both = numpy.stack([x, x + 1, x], axis=1)
    numpy.testing.assert_array_equal(host(own @ phalanx.asarray(both)), matrix @ both)
    if shape[0] == shape[1]:
        found = own @ (own @ phalanx.asarray(x))
        numpy.testing.assert_array_equal(host(found), matrix @ (matrix @ x))
    small = uneven(shape[1], 40, kind, seed=9)
    same(own @ ours(small), matrix @ small)
    same(own @ ours(small).balanced(), matrix @ small)
    if shape[1] < 1000:
        same(own.T @ own, matrix.T @ matrix)


OPERATIONS = [operator.add, operator.sub, operator.mul, operator.ne, operator.gt]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations_with_matrices_of_another_split(operation):
    first, second = uneven(400, 300), uneven(400, 300, seed=8)
    wanted = operation(first, second)
    a, b = ours(first), ours(second)
    for left, right in [(a.balanced(), b), (a, b.balanced()), (a.balanced(), b.balanced())]:
        same(operation(left, right), wanted)
    reverse = scipy.sparse.csr_array(second[::-1])
    same(operation(a.balanced(), ours(reverse).balanced()), operation(first, reverse))
    same(a.balanced().maximum(b), first.maximum(second))


def test_functions_of_one_matrix():
    matrix = uneven(400, 300)
    own = ours(matrix).balanced()
    same(own.T, matrix.T)
    same(own.tocsc(), matrix.tocsc())
    same(own.tocoo(), matrix.tocoo())
    same(own.tocsr().tolil(), matrix.tolil())
    same(abs(own) * 2.5, abs(matrix) * 2.5)
    for axis in (None, 0, 1):
        numpy.testing.assert_array_equal(host(own.sum(axis=axis)), matrix.sum(axis=axis))
    for axis in (0, 1):
        numpy.testing.assert_array_equal(
            own.max(axis=axis).toarray().get(), matrix.max(axis=axis).toarray()
        )
        numpy.testing.assert_array_equal(host(own.count_nonzero(axis=axis)),
                                         matrix.count_nonzero(axis=axis))
    numpy.testing.assert_array_equal(host(own.diagonal(3)), matrix.diagonal(3))
    for key in [slice(3, 90), slice(None, None, -2), numpy.array([5, 0, 399, 5])]:
        same(own[key], matrix[key])
    same(own[10:300, 5:200], matrix[10:300, 5:200])
    assert float(own[0, 3]) == matrix[0, 3]
    numpy.testing.assert_array_equal(own.indptr.get(), matrix.indptr)
    own.eliminate_zeros()
    same(own, matrix)
    with warnings.catch_warnings():
        # Both classes warn that other formats write elements faster.
        warnings.simplefilter("ignore")
        own[2, 5] = matrix[2, 5] = 7.0
    same(own, matrix)
    assert (own.get() != matrix).nnz == 0


def test_matrices_without_rows_or_entries():
    for shape in [(0, 5), (5, 0), (4, 4), (1, 9)]:
        own = sparse.csr_array(shape).balanced()
        assert own.shape == shape and own.nnz == 0
        same(own + own, scipy.sparse.csr_array(shape))
    one = scipy.sparse.csr_array(numpy.ones((1, 9)))
    own = ours(one).balanced()
    same(own, one)
    numpy.testing.assert_array_equal(host(own @ phalanx.ones(9)), [9.0])
    # A vector has one row.
    same(sparse.csr_array(numpy.arange(5.0)).balanced(), scipy.sparse.csr_array(numpy.arange(5.0)))


@pytest.mark.parametrize("size", [300, 5000])
def test_solvers(size):
    matrix = uneven(size, size)
    matrix = matrix + matrix.T
    matrix = scipy.sparse.csr_array(matrix + scipy.sparse.diags_array(abs(matrix).sum(axis=0) + 1))
    own = ours(matrix).balanced()
    b = numpy.random.default_rng(4).standard_normal(size)
    methods = ("cg", "bicgstab", "minres", "gmres") if size < 1000 and RANKS == 1 else ("cg",)
    for method in methods:
        x, info = getattr(linalg, method)(own, phalanx.asarray(b), rtol=1e-10)
        assert info == 0
        assert numpy.linalg.norm(matrix @ host(x) - b) <= 1e-8 * numpy.linalg.norm(b)
    inverse = linalg.jacobi(own)
    x, info = linalg.cg(own, b, x0=numpy.ones(size), rtol=1e-10, M=inverse)
    assert info == 0
    assert numpy.linalg.norm(matrix @ host(x) - b) <= 1e-8 * numpy.linalg.norm(b)
    if size < 1000:
        values = linalg.eigsh(own, 3, return_eigenvectors=False)
        wanted = numpy.linalg.eigvalsh(matrix.toarray())[-3:]
        numpy.testing.assert_allclose(numpy.sort(host(values)), wanted, rtol=1e-8)
        count, labels = csgraph.connected_components(own)
        assert count == scipy.sparse.csgraph.connected_components(matrix)[0]


def test_constructors_balance_by_themselves():
    # A tenth of the rows has nearly all entries.
    rows, columns = 4000, 900
    generator = numpy.random.default_rng(6)
    row = numpy.concatenate([generator.integers(0, 400, 80_000), numpy.arange(rows)])
    column = generator.integers(0, columns, row.size)
    matrix = scipy.sparse.coo_array((numpy.ones(row.size), (row, column)), shape=(rows, columns))
    coords = tuple(phalanx.asarray(places) for places in matrix.coords)
    own = sparse.coo_array((phalanx.asarray(matrix.data), coords), shape=matrix.shape).tocsr()
    matrix = matrix.tocsr()
    for made in (own, ours(matrix), own.T.tocsr()):
        if device_count() > 1:
            assert max(entries_of_devices(made)) <= 1.1 * made.nnz / device_count() + 400
    same(own, matrix)
    x = numpy.arange(float(columns))
    numpy.testing.assert_array_equal(host(own @ phalanx.asarray(x)), matrix @ x)
