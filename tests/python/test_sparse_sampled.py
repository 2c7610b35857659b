"""Products of dense matrices at the entries of a sparse one, compared with the whole product."""

import numpy
import pytest
import scipy.sparse

import phalanx
from phalanx.scipy import sparse

from .sparse_linalg_cases import drawn, host, ours, some


def pattern(rows, columns, kind="d"):
    generator = numpy.random.default_rng(rows)
    count = rows * 3
    row, column = generator.integers(0, rows, count), generator.integers(0, columns, count)
    values = generator.integers(-3, 4, count).astype(kind)
    return scipy.sparse.coo_array((values, (row, column)), shape=(rows, columns)).tocsr()


def wanted_values(matrix, x, y):
    """The values at the entries of a matrix in rows, by a part of the rows at a time."""
    coo = matrix.tocoo()
    values = numpy.zeros(coo.nnz, numpy.result_type(matrix, x, y))
    for start in range(0, coo.nnz, 4096):
        part = slice(start, start + 4096)
        values[part] = (x[coo.row[part]] * y.T[coo.col[part]]).sum(axis=1) * coo.data[part]
    return values


@pytest.mark.parametrize("layout", ["csr", "csc"])
@pytest.mark.parametrize("shape", some([(60, 40), (1, 9), (9, 1), (700, 5001), (5001, 700)]))
@pytest.mark.parametrize("width", [1, 7, 40])
def test_values(layout, shape, width):
    matrix = pattern(*shape).asformat(layout)
    x, y = drawn(shape[0], width), drawn(width, shape[1], seed=8)
    own = ours(matrix).sampled_product(phalanx.asarray(x), phalanx.asarray(y))
    assert type(own) is type(ours(matrix)) and own.format == layout
    assert own.nnz == matrix.nnz and own.shape == shape and own.dtype == numpy.float64
    found = own.get().tocsr()
    found.sort_indices()
    in_rows = matrix.tocsr()
    in_rows.sort_indices()
    numpy.testing.assert_array_equal(found.indices, in_rows.indices)
    numpy.testing.assert_allclose(found.data, wanted_values(in_rows, x, y), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kinds", some(["fff", "dfd", "iii", "Ddd", "dDF", "bbb", "???", "Bdf"]))
def test_dtypes(kinds):
    matrix = pattern(50, 30, kinds[0])
    x = (drawn(50, 6, kinds[1]) * 3).astype(kinds[1])
    y = (drawn(6, 30, kinds[2], seed=2) * 3).astype(kinds[2])
    own = ours(matrix).sampled_product(x, y)
    wanted = matrix.multiply(x @ y)
    assert own.dtype == wanted.dtype
    tolerance = 1e-5 if own.dtype.char in "fF" else 1e-12
    numpy.testing.assert_allclose(
        own.toarray().get(), wanted.toarray(), rtol=tolerance, atol=tolerance
    )


def test_duplicates_zeros_and_split_rows():
    values, columns = numpy.array([2.0, 3.0, 0.0, 4.0]), numpy.array([1, 1, 0, 2])
    matrix = scipy.sparse.csr_array((values, columns, numpy.array([0, 3, 3, 4])), shape=(3, 3))
    x, y = drawn(3, 5), drawn(5, 3)
    own = ours(matrix).sampled_product(x, y)
    assert own.nnz == 4
    numpy.testing.assert_allclose(own.toarray().get(), matrix.toarray() * (x @ y))
    numpy.testing.assert_allclose(
        ours(matrix).balanced().sampled_product(x, y).toarray().get(), matrix.toarray() * (x @ y)
    )
    # Factors without columns, matrices without entries or rows.
    assert not host(ours(matrix).sampled_product(x[:, :0], y[:0]).data).any()
    for shape in [(0, 3), (3, 0), (4, 4)]:
        empty = sparse.csr_array(shape)
        made = empty.sampled_product(numpy.ones((shape[0], 2)), numpy.ones((2, shape[1])))
        assert made.shape == shape and made.nnz == 0


def test_bad_factors():
    matrix = sparse.csr_array(pattern(6, 4))
    for x, y in [
        (numpy.ones(6), numpy.ones((1, 4))),
        (numpy.ones((6, 2)), numpy.ones((3, 4))),
        (numpy.ones((5, 2)), numpy.ones((2, 4))),
        (numpy.ones((6, 2)), numpy.ones((2, 5))),
        (numpy.ones((6, 2, 1)), numpy.ones((2, 4))),
    ]:
        with pytest.raises(ValueError):
            matrix.sampled_product(x, y)
    with pytest.raises(ValueError):
        sparse.csr_array(numpy.ones(4)).sampled_product(numpy.ones((1, 2)), numpy.ones((2, 4)))
    with pytest.raises(TypeError):
        matrix.sampled_product(numpy.ones((6, 2)))
