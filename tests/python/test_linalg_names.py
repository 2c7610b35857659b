"""Named results: the named tuples of `linalg` and of the functions of sets."""

import numpy
import pytest

import phalanx
from phalanx import linalg

MATRIX = numpy.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
TALL = numpy.arange(12.0).reshape(4, 3) ** 1.5 - 7


def check_fields(found, wanted):
    assert type(found).__name__ == type(wanted).__name__
    assert found._fields == wanted._fields
    for name in wanted._fields:
        part = getattr(found, name)
        assert isinstance(part, phalanx.ndarray)
        assert part.dtype == numpy.asarray(getattr(wanted, name)).dtype
        assert part.shape == numpy.shape(getattr(wanted, name))


def test_qr():
    found = linalg.qr(phalanx.asarray(TALL))
    check_fields(found, numpy.linalg.qr(TALL))
    q, r = found
    numpy.testing.assert_allclose((q @ r).get(), TALL, atol=1e-12)
    numpy.testing.assert_allclose((q.T @ q).get(), numpy.eye(3), atol=1e-12)
    complete = linalg.qr(phalanx.asarray(TALL), mode="complete")
    assert complete.Q.shape == (4, 4) and complete.R.shape == (4, 3)
    assert isinstance(linalg.qr(phalanx.asarray(TALL), "r"), phalanx.ndarray)


def test_svd():
    found = linalg.svd(phalanx.asarray(TALL), full_matrices=False)
    check_fields(found, numpy.linalg.svd(TALL, full_matrices=False))
    u, s, vh = found
    numpy.testing.assert_allclose(((u * s) @ vh).get(), TALL, atol=1e-12)
    values = linalg.svd(phalanx.asarray(TALL), compute_uv=False)
    numpy.testing.assert_allclose(values.get(), s.get(), atol=1e-12)


def test_eigh():
    found = linalg.eigh(phalanx.asarray(MATRIX))
    check_fields(found, numpy.linalg.eigh(MATRIX))
    values, vectors = found
    numpy.testing.assert_allclose((vectors * values @ vectors.T).get(), MATRIX, atol=1e-12)


def test_slogdet():
    found = linalg.slogdet(phalanx.asarray(-MATRIX))
    wanted = numpy.linalg.slogdet(-MATRIX)
    check_fields(found, wanted)
    assert float(found.sign) == wanted.sign
    assert float(found.logabsdet) == pytest.approx(wanted.logabsdet)


@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse"])
def test_unique(name):
    data = numpy.array([[3, 1, 3], [2, 1, 7]])
    found = getattr(phalanx, name)(phalanx.asarray(data))
    wanted = getattr(numpy, name)(data)
    assert type(found).__name__ == type(wanted).__name__
    assert found._fields == wanted._fields
    for name in wanted._fields:
        numpy.testing.assert_array_equal(getattr(found, name).get(), getattr(wanted, name))


def test_results_are_pickled():
    import pickle

    found = pickle.loads(pickle.dumps(linalg.qr(phalanx.asarray(TALL))))
    assert type(found).__name__ == "QRResult"


def test_errors_are_those_of_numpy():
    assert linalg.LinAlgError is numpy.linalg.LinAlgError
    with pytest.raises(linalg.LinAlgError):
        linalg.inv(phalanx.zeros((3, 3)))
    with pytest.raises(linalg.LinAlgError):
        linalg.cholesky(phalanx.asarray(-MATRIX))
    with pytest.raises(linalg.LinAlgError):
        linalg.det(phalanx.asarray(TALL))
    with pytest.raises(ValueError):
        linalg.qr(phalanx.asarray(TALL), mode="other")


def test_out_is_the_answer():
    out = phalanx.zeros((3,))
    assert phalanx.sum(phalanx.asarray(TALL), axis=0, out=out) is out
    numpy.testing.assert_allclose(out.get(), TALL.sum(0))
    assert phalanx.cumsum(phalanx.asarray(TALL[0]), out=out) is out
    numpy.testing.assert_allclose(out.get(), TALL[0].cumsum())
    product = phalanx.zeros((3, 3))
    assert phalanx.matmul(phalanx.asarray(TALL.T), phalanx.asarray(TALL), product) is product
    numpy.testing.assert_allclose(product.get(), TALL.T @ TALL)
    with pytest.raises(ValueError):
        phalanx.median(phalanx.asarray(TALL), axis=0, out=phalanx.zeros((4,)))
    with pytest.raises(TypeError):
        phalanx.median(phalanx.asarray(TALL), axis=0, out=phalanx.zeros((3,), dtype="int64"))


def test_methods():
    array = phalanx.asarray(TALL)
    assert array.sort(0) is None
    numpy.testing.assert_array_equal(array.get(), numpy.sort(TALL, 0))
    vector = phalanx.asarray([3, 1, 2])
    assert vector.argsort().tolist() == [1, 2, 0]
    assert vector.cumsum().tolist() == [3, 4, 6]
    assert int(vector.dot([1, 1, 1])) == 6
    assert float(phalanx.asarray(MATRIX).trace()) == 9
    vector.partition(1)
    assert vector.tolist()[1] == 2
    assert vector.searchsorted(2).tolist() == 1
