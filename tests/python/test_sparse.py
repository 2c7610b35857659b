"""Sparse matrices in rows, and linear systems of them."""

import numpy
import pytest

import phalanx
from phalanx.scipy import sparse
from phalanx.scipy.sparse.linalg import cg

DENSE = numpy.array([[0, 2.0, 0, 1], [3, 0, 0, 0], [0, 0, 0, 0], [0, 4, 5, 6], [7, 0, 8, 0]])


def of_dense():
    return sparse.csr_matrix(phalanx.asarray(DENSE))


def test_of_a_dense_array():
    matrix = of_dense()
    assert matrix.shape == (5, 4) and matrix.nnz == 8 and matrix.ndim == 2
    assert matrix.dtype == numpy.float64
    numpy.testing.assert_array_equal(matrix.toarray().get(), DENSE)
    assert "8 stored elements" in repr(matrix)
    assert sparse.issparse(matrix) and not sparse.issparse(DENSE)


def test_parts():
    matrix = of_dense()
    assert matrix.data.tolist() == [2, 1, 3, 4, 5, 6, 7, 8]
    assert matrix.indices.tolist() == [1, 3, 0, 1, 2, 3, 0, 2]
    assert matrix.indptr.tolist() == [0, 2, 3, 3, 6, 8]
    again = sparse.csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=(5, 4))
    numpy.testing.assert_array_equal(again.toarray().get(), DENSE)
    guessed = sparse.csr_matrix(([1.0, 2.0], [0, 2], [0, 1, 2]))
    assert guessed.toarray().tolist() == [[1, 0, 0], [0, 0, 2]]


def test_of_entries():
    rows, columns = numpy.nonzero(DENSE)
    backwards = slice(None, None, -1)
    entries = (DENSE[rows, columns][backwards], (rows[backwards], columns[backwards]))
    matrix = sparse.csr_matrix(entries, shape=(5, 4))
    numpy.testing.assert_array_equal(matrix.toarray().get(), DENSE)
    assert sparse.csr_matrix(entries).shape == (5, 4)
    twice = sparse.csr_matrix(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    assert twice.toarray().tolist() == [[0, 3], [0, 0]]
    empty = sparse.csr_matrix((3, 2), dtype="float32")
    assert empty.nnz == 0 and empty.toarray().tolist() == [[0, 0]] * 3
    assert empty.dtype == numpy.float32


def test_products():
    matrix, vector = of_dense(), numpy.array([1.0, -2, 3, 0.5])
    for other in (vector, phalanx.asarray(vector)):
        numpy.testing.assert_allclose((matrix @ other).get(), DENSE @ vector)
        numpy.testing.assert_allclose((matrix * other).get(), DENSE @ vector)
        numpy.testing.assert_allclose(matrix.dot(other).get(), DENSE @ vector)
    several = numpy.arange(12.0).reshape(4, 3)
    numpy.testing.assert_allclose((matrix @ phalanx.asarray(several)).get(), DENSE @ several)
    left = numpy.arange(5.0)
    numpy.testing.assert_allclose((phalanx.asarray(left) @ matrix).get(), left @ DENSE)
    lefts = numpy.arange(10.0).reshape(2, 5)
    numpy.testing.assert_allclose((phalanx.asarray(lefts) @ matrix).get(), lefts @ DENSE)
    numpy.testing.assert_array_equal((2 * matrix).toarray().get(), 2 * DENSE)
    numpy.testing.assert_array_equal((-matrix).toarray().get(), -DENSE)


def test_transposed():
    turned = of_dense().T
    assert turned.shape == (4, 5)
    numpy.testing.assert_array_equal(turned.toarray().get(), DENSE.T)


def test_dtypes():
    single = of_dense().astype("float32")
    assert single.dtype == numpy.float32 and single.data.dtype == numpy.float32
    assert sparse.csr_matrix(DENSE, dtype="complex128").dtype == numpy.complex128


def test_refused():
    matrix = of_dense()
    with pytest.raises(ValueError):
        matrix @ numpy.ones(3)
    with pytest.raises(ValueError):
        matrix @ matrix
    with pytest.raises((ValueError, IndexError)):
        sparse.csr_matrix(([1.0], ([7], [0])), shape=(2, 2))
    with pytest.raises(ValueError):
        sparse.csr_matrix(([1.0, 2.0], [0], [0, 1]), shape=(1, 1))
    with pytest.raises(ValueError):
        sparse.csr_matrix(([1.0, 2.0],) * 5)


def laplacian(n):
    return 2 * numpy.eye(n) - numpy.eye(n, k=1) - numpy.eye(n, k=-1)


def test_conjugate_gradients():
    dense, b = laplacian(30), numpy.arange(30.0)
    matrix = sparse.csr_matrix(phalanx.asarray(dense))
    x, info = cg(matrix, phalanx.asarray(b), rtol=1e-10)
    assert info == 0
    numpy.testing.assert_allclose(x.get(), numpy.linalg.solve(dense, b), rtol=1e-7)
    x, info = cg(matrix, phalanx.asarray(b), x0=phalanx.asarray(x.get() + 1e-3), rtol=1e-10)
    assert info == 0
    numpy.testing.assert_allclose(x.get(), numpy.linalg.solve(dense, b), rtol=1e-7)
    x, info = cg(matrix, phalanx.asarray(b), x0=x, rtol=1e-6)
    assert info == 0
    _, info = cg(matrix, phalanx.asarray(b), rtol=1e-12, maxiter=3)
    assert info == 3
    x, info = cg(matrix, phalanx.zeros(30))
    assert info == 0 and not x.get().any()
    with pytest.raises(ValueError):
        cg(matrix, phalanx.ones(31))
