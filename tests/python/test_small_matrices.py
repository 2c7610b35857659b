"""Stacks of matrices of few rows, and products and factorisations of them."""

import numpy
import pytest

import phalanx as np

DTYPES = ["f4", "f8", "c8", "c16"]


def stack(dtype, *shape):
    rng = numpy.random.default_rng(sum(shape))
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if dtype[0] == "c" else a).astype(dtype)


def close(ours, theirs, factor=1.0):
    ours = numpy.asarray(ours)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    bound = factor * (2e-4 if theirs.dtype.char in "fF" else 1e-9)
    numpy.testing.assert_allclose(ours, theirs, rtol=bound, atol=bound)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products(dtype):
    for m, k, n in [(1, 1, 1), (2, 2, 2), (3, 3, 3), (3, 3, 1), (1, 4, 5), (4, 16, 4), (8, 16, 8),
                    (5, 17, 2), (3, 0, 2), (9, 9, 9)]:
        a, b = stack(dtype, 7, m, k), stack(dtype, 7, k, n)
        close(np.asarray(a) @ np.asarray(b), a @ b)
        turned = numpy.ascontiguousarray(a.swapaxes(1, 2))
        close(np.asarray(turned).swapaxes(1, 2) @ np.asarray(b), a @ b)
        close(np.matmul(np.asarray(a[0]), np.asarray(b)), a[0] @ b)
        turned = numpy.ascontiguousarray(b.swapaxes(1, 2))
        close(np.asarray(a) @ np.asarray(turned).swapaxes(1, 2), a @ b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 9])
def test_systems(dtype, n):
    a = stack(dtype, 6, n, n)
    close(np.linalg.inv(np.asarray(a)), numpy.linalg.inv(a), 50)
    close(np.linalg.det(np.asarray(a)), numpy.linalg.det(a))
    for columns in (1, 3):
        b = stack(dtype, 6, n, columns)
        close(np.linalg.solve(np.asarray(a), np.asarray(b)), numpy.linalg.solve(a, b), 50)
    ours, theirs = np.linalg.slogdet(np.asarray(a)), numpy.linalg.slogdet(a)
    close(ours[0], theirs[0])
    close(ours[1], theirs[1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 9])
def test_cholesky_factors(dtype, n):
    a = stack(dtype, 6, n, n)
    a = a @ a.conj().swapaxes(1, 2) + numpy.eye(n, dtype=dtype)
    close(np.linalg.cholesky(np.asarray(a)), numpy.linalg.cholesky(a), 10)
    close(np.linalg.cholesky(np.asarray(a), upper=True), numpy.linalg.cholesky(a, upper=True), 10)
    # Only one triangle and the real parts of the diagonal are read.
    other = numpy.tril(a) + numpy.triu(numpy.full_like(a, 7), 1)
    close(np.linalg.cholesky(np.asarray(other)), numpy.linalg.cholesky(a), 10)
    for bad in (-1, 0):
        a[2] = numpy.eye(n) * bad
        with pytest.raises(numpy.linalg.LinAlgError):
            np.linalg.cholesky(np.asarray(a))


@pytest.mark.parametrize("dtype", DTYPES)
def test_exchanges_and_sizes(dtype):
    # Zeros on the diagonal, permutations, and elements of very different sizes.
    order = numpy.eye(3, dtype=dtype)[[2, 0, 1]]
    for a in (order, 1e-10 * order, numpy.array([[0, 2], [3, 0]], dtype),
              numpy.array([[1e-12, 1], [1, 1]], dtype)):
        close(np.linalg.inv(np.asarray(a)), numpy.linalg.inv(a))
        close(np.linalg.det(np.asarray(a)), numpy.linalg.det(a))
    # On GPUs the library multiplies by an inverse.
    exact = float(np.linalg.solve(np.asarray([[49.0]]), np.asarray([49.0]))[0])
    assert exact == 1 or np.cuda.is_available() and abs(exact - 1) < 1e-15
    large = numpy.diag(numpy.full(4, 1e200))
    logarithm = numpy.asarray(np.linalg.slogdet(np.asarray(large))[1])
    assert logarithm == pytest.approx(800 * numpy.log(10))
    assert numpy.asarray(np.linalg.det(np.asarray(large))) == numpy.inf
    assert numpy.asarray(np.linalg.det(np.asarray(numpy.diag([1e200, 1e200, 1e-300, 1e-100])))) == (
        pytest.approx(1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_singular_matrices(dtype):
    good = stack(dtype, 3, 2, 2)
    for bad in ([[1, 2], [2, 4]], [[0, 0], [0, 0]], [[0, 1], [0, 2]]):
        a = good.copy()
        a[1] = bad
        with pytest.raises(numpy.linalg.LinAlgError):
            np.linalg.inv(np.asarray(a))
        with pytest.raises(numpy.linalg.LinAlgError):
            np.linalg.solve(np.asarray(a), np.asarray(good))
        assert numpy.asarray(np.linalg.det(np.asarray(a)))[1] == 0
    a = good.copy()
    a[1, 0, 0] = numpy.nan
    assert numpy.isnan(numpy.asarray(np.linalg.det(np.asarray(a)))).tolist() == [False, True, False]
