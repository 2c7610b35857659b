"""Linear operators: products, composition, subclasses, preconditioners, and Laplacians."""

import numpy
import pytest
import scipy.sparse
import scipy.sparse.linalg as theirs

import phalanx
from phalanx.scipy import sparse
from phalanx.scipy.sparse import linalg

from .conftest import RANKS
from .sparse_linalg_cases import definite, drawn, general, host, ours, outcome, same_error, some


def dense(kind="d"):
    return drawn(4, 3, kind)


def pairs(kind="d"):
    """Our operator and SciPy's of the same matrix, made in every way."""
    matrix = dense(kind)
    own = phalanx.asarray(matrix)
    adjoint = matrix.conj().T

    def functions(library, one, other):
        return library.LinearOperator(
            matrix.shape, lambda x: one @ x, rmatvec=lambda x: other @ x, dtype=matrix.dtype
        )

    yield "array", linalg.aslinearoperator(own), theirs.aslinearoperator(matrix)
    compressed = scipy.sparse.csr_array(matrix)
    yield "sparse", linalg.aslinearoperator(ours(compressed)), theirs.aslinearoperator(compressed)
    yield "foreign", linalg.aslinearoperator(compressed), theirs.aslinearoperator(compressed)
    own_adjoint = phalanx.asarray(adjoint)
    made = functions(linalg, own, own_adjoint), functions(theirs, matrix, adjoint)
    yield "functions", *made
    yield "object", linalg.aslinearoperator(_Object(own, own_adjoint)), made[1]


class _Object:
    """An object with products, which is no linear operator."""

    def __init__(self, matrix, adjoint):
        self.shape, self.dtype = matrix.shape, matrix.dtype
        self.matvec, self.rmatvec = matrix.__matmul__, adjoint.__matmul__


EXPRESSIONS = {
    "A": lambda A: A,
    "T": lambda A: A.T,
    "H": lambda A: A.H,
    "T of T": lambda A: A.T.T,
    "H of T": lambda A: A.T.H,
    "sum": lambda A: A + A * 2,
    "difference": lambda A: A - A / 4,
    "minus": lambda A: -A,
    "complex": lambda A: A * (1 + 2j),
    "scaled twice": lambda A: 2 * (A * 3),
    "product": lambda A: A.H @ A,
    "power": lambda A: (A.H @ A) ** 2,
    "power 0": lambda A: (A.H * A) ** 0,
    "H of all": lambda A: (A * 1j + A).H,
}


@pytest.mark.parametrize("kind", "dF")
def test_products_are_those_of_the_matrix(kind):
    for name, own, other in pairs(kind):
        for text, expression in EXPRESSIONS.items():
            one, another = expression(own), expression(other)
            assert one.shape == another.shape and one.dtype == another.dtype, (name, text)
            rows, columns = another.shape
            tolerance = {"rtol": 1e-4, "atol": 1e-4} if kind == "F" else {"atol": 1e-12}
            for method, given in (
                ("matvec", drawn(columns, kind=kind)),
                ("matvec", drawn(columns, 1, kind)),
                ("matmat", drawn(columns, 2, kind)),
                ("rmatvec", drawn(rows, kind=kind)),
                ("rmatmat", drawn(rows, 2, kind)),
                ("dot", drawn(columns, 2, kind)),
            ):
                expected = getattr(another, method)(given)
                found = getattr(one, method)(phalanx.asarray(given))
                assert found.shape == expected.shape, (name, text, method)
                numpy.testing.assert_allclose(host(found), expected, **tolerance)
            if RANKS > 1:
                break


def test_operators_of_python():
    matrix = dense()
    own, other = linalg.aslinearoperator(matrix), theirs.aslinearoperator(matrix)
    x, y = drawn(3), drawn(4)
    numpy.testing.assert_allclose(host(own @ x), other @ x)
    numpy.testing.assert_allclose(host(own * phalanx.asarray(x)), other @ x)
    numpy.testing.assert_allclose(host(own(x.tolist())), other(x))
    numpy.testing.assert_allclose(host(phalanx.asarray(y) @ own), y @ matrix)
    numpy.testing.assert_allclose(host(y @ own), y @ matrix)
    numpy.testing.assert_allclose(host(phalanx.asarray(dense().T) @ own), dense().T @ matrix)
    sparse_x = ours(scipy.sparse.csr_array(drawn(3, 2)))
    numpy.testing.assert_allclose(host(own.matmat(sparse_x)), matrix @ drawn(3, 2))
    scale = phalanx.asarray([1.0, 1]).sum()
    numpy.testing.assert_allclose(host((own * scale) @ x), 2 * (other @ x))
    assert repr(own) == "<4x3 MatrixLinearOperator with dtype=float64>"
    assert linalg.aslinearoperator(own) is own
    assert own.ndim == 2


def test_the_dtype_is_that_of_a_product():
    made = linalg.LinearOperator((3, 3), lambda x: x * 2.5)
    assert made.dtype == numpy.float64
    made = linalg.LinearOperator((3, 3), lambda x: x)
    assert made.dtype == numpy.int8
    assert linalg.LinearOperator((3, 3), lambda x: x, dtype="F").dtype == numpy.complex64


class _Shift(linalg.LinearOperator):
    """Moves elements by one."""

    def __init__(self, size):
        super().__init__("d", (size, size))

    def _matvec(self, x):
        return phalanx.roll(x, 1)

    def _rmatvec(self, x):
        return phalanx.roll(x, -1)


class _Doubled(linalg.LinearOperator):
    """Twice a vector; products with matrices only."""

    def __init__(self, size):
        super().__init__(None, (size, size))

    def _matmat(self, X):
        return 2 * X

    def _adjoint(self):
        return self


def test_subclasses():
    x = drawn(5)
    numpy.testing.assert_array_equal(host(_Shift(5) @ x), numpy.roll(x, 1))
    numpy.testing.assert_array_equal(host(_Shift(5).H @ x), numpy.roll(x, -1))
    numpy.testing.assert_array_equal(host(_Shift(5).T.matmat(x[:, None])[:, 0]), numpy.roll(x, -1))
    numpy.testing.assert_array_equal(host(_Shift(5).rmatmat(x[:, None])[:, 0]), numpy.roll(x, -1))
    numpy.testing.assert_array_equal(host(_Doubled(5) @ x), 2 * x)
    numpy.testing.assert_array_equal(host(_Doubled(5).rmatvec(x)), 2 * x)
    with pytest.warns(RuntimeWarning):
        type("Empty", (linalg.LinearOperator,), {})("d", (2, 2))


def test_operators_of_this_process():
    with phalanx.local():
        matrix = sparse.csr_array(phalanx.asarray(definite(8).toarray()))
    operator = linalg.aslinearoperator(matrix) * 2
    x = numpy.arange(8.0)
    numpy.testing.assert_allclose(host(operator @ x.tolist()), 2 * (definite(8) @ x))
    solution, info = linalg.cg(operator, x.tolist(), rtol=1e-10, M=linalg.jacobi(matrix))
    assert info == 0
    numpy.testing.assert_allclose(2 * (definite(8) @ host(solution)), x, atol=1e-8)
    values = linalg.eigsh(operator, k=2, return_eigenvectors=False)
    expected = 2 * numpy.linalg.eigvalsh(definite(8).toarray())[-2:]
    numpy.testing.assert_allclose(host(values), expected)
    block = linalg.block_jacobi(matrix, 3) @ x.tolist()
    assert host(block).shape == (8,)
    found = linalg.spsolve_triangular(sparse.tril(matrix, format="csr"), x.tolist())
    numpy.testing.assert_allclose(numpy.tril(definite(8).toarray()) @ host(found), x, atol=1e-10)
    assert linalg.expm(matrix).shape == (8, 8)


def test_refusals():
    own, other = linalg.aslinearoperator(dense()), theirs.aslinearoperator(dense())
    for call in (
        lambda A, _: A @ 2,
        lambda A, _: 2 @ A,
        lambda A, _: A.matvec(numpy.zeros(5)),
        lambda A, _: A.matmat(numpy.zeros(3)),
        lambda A, _: A.matmat(numpy.zeros((5, 2))),
        lambda A, _: A @ numpy.zeros((3, 2, 2)),
        lambda A, _: A**2,
        lambda A, _: (A.H @ A) ** -1,
        lambda A, _: A + A.T,
        lambda A, _: A @ A,
        lambda A, _: A + 1,
        lambda A, _: A / A,
        lambda A, library: library.LinearOperator((2, 3, 4), lambda x: x, dtype="d"),
        lambda A, library: library.aslinearoperator(object()),
        lambda A, library: library.aslinearoperator(numpy.zeros((2, 2, 2))),
        lambda A, library: library.LinearOperator((2, 2), lambda x: x, dtype="d").rmatvec([1, 2]),
    ):
        same_error(outcome(call, own, linalg), outcome(call, other, theirs))


def test_jacobi():
    matrix = general(7, "D").toarray()
    matrix[3, 3] = 0
    for given in (phalanx.asarray(matrix), ours(scipy.sparse.csc_array(matrix))):
        inverse = linalg.jacobi(given)
        diagonal = numpy.where(matrix.diagonal() == 0, 1, matrix.diagonal())
        expected = numpy.diag(1 / diagonal)
        _check_operator(inverse, expected)


@pytest.mark.parametrize("size", [1, 3, 4, 12, 20])
def test_block_jacobi(size):
    matrix = general(12, "D")
    expected = numpy.zeros((12, 12), complex)
    for first in range(0, 12, size):
        part = slice(first, min(first + size, 12))
        expected[part, part] = numpy.linalg.inv(matrix.toarray()[part, part])
    _check_operator(linalg.block_jacobi(ours(matrix), size), expected)
    _check_operator(linalg.block_jacobi(phalanx.asarray(matrix.toarray()), size), expected)


def _check_operator(operator, expected):
    x, X = drawn(len(expected), kind="D"), drawn(len(expected), 2, "D")
    assert isinstance(operator, linalg.LinearOperator)
    numpy.testing.assert_allclose(host(operator @ x), expected @ x, atol=1e-12)
    numpy.testing.assert_allclose(host(operator @ X), expected @ X, atol=1e-12)
    numpy.testing.assert_allclose(host(operator.H @ x), expected.conj().T @ x, atol=1e-12)
    numpy.testing.assert_allclose(host(operator.rmatmat(X)), expected.conj().T @ X, atol=1e-12)


def test_chebyshev():
    matrix = definite(40)
    values = numpy.linalg.eigvalsh(matrix.toarray())
    near = linalg.chebyshev(ours(matrix), 20, (values[0], values[-1]))
    x = drawn(40)
    numpy.testing.assert_allclose(host(near @ (matrix @ x)), x, atol=1e-4)
    numpy.testing.assert_allclose(host(near.H @ x), host(near @ x))
    point = linalg.chebyshev(phalanx.eye(3) * 2, 4, (2, 2))
    numpy.testing.assert_allclose(host(point @ [2.0, 4, 6]), [1, 2, 3])
    inverse = linalg.chebyshev(ours(matrix), 3)
    x, info = linalg.cg(ours(matrix), phalanx.ones(40), M=inverse, rtol=1e-10)
    assert info == 0
    numpy.testing.assert_allclose(matrix @ host(x), numpy.ones(40), atol=1e-8)


def test_refusals_of_preconditioners():
    operator = linalg.LinearOperator((3, 3), lambda x: x, dtype="d")
    with pytest.raises(TypeError):
        linalg.jacobi(operator)
    with pytest.raises(TypeError):
        linalg.block_jacobi(operator, 2)
    with pytest.raises(ValueError):
        linalg.block_jacobi(phalanx.eye(3), 0)
    with pytest.raises(ValueError):
        linalg.jacobi(phalanx.ones((2, 3)))
    with pytest.raises(ValueError):
        linalg.chebyshev(phalanx.eye(3), 2, (0, 1))
    with pytest.raises(ValueError):
        linalg.chebyshev(phalanx.eye(3), -1, (1, 2))


@pytest.mark.parametrize("conditions", ["neumann", "dirichlet", "periodic"])
@pytest.mark.parametrize("shape", some([(6,), (2, 3), (4, 3, 2)], 1))
def test_laplacian(shape, conditions):
    own = linalg.LaplacianNd(shape, boundary_conditions=conditions, dtype="d")
    other = theirs.LaplacianNd(shape, boundary_conditions=conditions, dtype="d")
    elements = other.tosparse().toarray()
    assert own.shape == other.shape
    found = own.tosparse()
    assert found.format == "dia" and found.dtype == numpy.float64
    numpy.testing.assert_array_equal(host(found.toarray()), elements)
    numpy.testing.assert_array_equal(host(own.toarray()), elements)
    numpy.testing.assert_array_equal(host(own @ phalanx.eye(len(elements))), elements)
    x = drawn(len(elements))
    numpy.testing.assert_allclose(host(own @ x), elements @ x, atol=1e-12)
    numpy.testing.assert_allclose(host(own.H @ x), elements @ x, atol=1e-12)
    for m in (None, 1, 3):
        values = own.eigenvalues(m)
        numpy.testing.assert_allclose(host(values), other.eigenvalues(m), atol=1e-12)
        vectors = host(own.eigenvectors(m))
        assert vectors.shape == other.eigenvectors(m).shape
        numpy.testing.assert_allclose(elements @ vectors, vectors * host(values), atol=1e-12)
        numpy.testing.assert_allclose(vectors.T @ vectors, numpy.eye(len(values)), atol=1e-12)


def test_refusal_of_laplacian():
    with pytest.raises(ValueError):
        linalg.LaplacianNd((3,), boundary_conditions="open")
    assert linalg.LaplacianNd((3, 2)).dtype == numpy.int8
