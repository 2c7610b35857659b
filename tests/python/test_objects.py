"""Objects around arrays: polynomials, functions of single elements, broadcasts, reasons."""

import pickle

import numpy
import pytest

import phalanx


def test_polynomials():
    for np in (numpy, phalanx):
        p, q = np.poly1d([0, 1, 2, 3]), np.poly1d([1.0, -1.0], True, variable="z")
        answers = [p.order, len(p), p(2), p[0], p[5], list(map(float, (p + q).coeffs))]
        answers += [(p * q).c.tolist(), (p - 1).c.tolist(), (2 - p).c.tolist(), (p**2).c.tolist()]
        answers += [p.deriv().c.tolist(), p.integ().c.tolist(), (p / 2).c.tolist()]
        answers += [part.c.tolist() for part in (p * q + 1) / q]
        answers += [p == np.poly1d([1, 2, 3]), p == q, str(p), repr(q), q(p).c.tolist()]
        answers += [numpy.sort(numpy.asarray(q.roots.tolist())).tolist()]
        answers = [answer.item() if hasattr(answer, "item") else answer for answer in answers]
        if np is numpy:
            expected = answers
    assert answers == expected


@pytest.mark.parametrize(
    "coefficients",
    [[1, -6, 11, -6], [1, 0, 1], [0, 0, 2, 4, 0, 0], [5], [], [0, 0], [1.5, 2j, 3], [1, 2]],
)
def test_roots(coefficients):
    expected, found = numpy.roots(coefficients), phalanx.roots(coefficients)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    found, expected = (numpy.sort_complex(roots.round(9)) for roots in (found.get(), expected))
    numpy.testing.assert_allclose(found, expected, atol=1e-8)


def matrices():
    random = numpy.random.default_rng(4)
    yield random.normal(size=(5, 5))
    yield random.normal(size=(3, 4, 4)).astype("float32")
    yield random.normal(size=(4, 4)) + 1j * random.normal(size=(4, 4))
    yield numpy.array([[2.0, 1.0], [0.0, 3.0]])
    yield numpy.array([[0, -1], [1, 0]])
    yield numpy.eye(3)
    yield numpy.array([[1.0, 1.0], [0.0, 1.0]])
    yield numpy.zeros((0, 0))
    yield numpy.zeros((2, 0, 0))
    yield numpy.array([[7.0]])
    yield random.normal(size=(40, 40)) * 1e200
    yield numpy.roll(numpy.eye(6), 1, axis=0)


@pytest.mark.parametrize("matrix", list(matrices()))
def test_eigenvalues(matrix):
    expected = numpy.linalg.eig(matrix)
    values, vectors = phalanx.linalg.eig(phalanx.asarray(matrix))
    assert values.dtype == expected.eigenvalues.dtype
    assert vectors.dtype == expected.eigenvectors.dtype
    assert values.shape == expected.eigenvalues.shape and vectors.shape == matrix.shape
    alone = phalanx.linalg.eigvals(phalanx.asarray(matrix))
    numpy.testing.assert_array_equal(alone.get(), values.get())
    if not matrix.size:
        return
    values, vectors = values.get(), vectors.get()
    scale = abs(matrix).max()
    near = 1e-4 if matrix.dtype == "float32" else 1e-10
    numpy.testing.assert_allclose(
        matrix / scale @ vectors, vectors * (values / scale)[..., None, :], atol=near
    )
    numpy.testing.assert_allclose(numpy.linalg.norm(vectors, axis=-2), 1, atol=near)
    # Each eigenvalue has a near expected one, and each expected one a near eigenvalue.
    apart = abs(values[..., None] - expected.eigenvalues[..., None, :]) / scale
    assert (apart.min(axis=-1) < 1e-3).all() and (apart.min(axis=-2) < 1e-3).all()


def test_matrices_without_eigenvalues():
    for wrong in ([[1.0, numpy.nan], [0, 1]], [[1.0, 2, 3]], [1.0], [[numpy.inf, 0], [0, 1]]):
        for np in (numpy, phalanx):
            with pytest.raises(numpy.linalg.LinAlgError):
                np.linalg.eig(np.asarray(wrong))


def test_functions_of_single_elements():
    for np in (numpy, phalanx):
        pair = np.vectorize(lambda a, b=1: (a + b, a > b))
        sums, larger = pair(np.arange(3), np.asarray([[0], [2]]))
        assert sums.tolist() == [[0, 1, 2], [2, 3, 4]] and larger.tolist()[1] == [False] * 3

        @np.vectorize(otypes=[float], excluded=["base"])
        def power(number, base=2):
            """A power."""
            return base**number

        assert power(np.arange(3), base=3).tolist() == [1.0, 3.0, 9.0]
        assert power(np.asarray([1])).dtype == numpy.float64
        dot = np.vectorize(numpy.dot, signature="(n),(n)->()")
        assert dot(np.ones((2, 3)), np.ones(3)).tolist() == [3.0, 3.0]
        with pytest.raises(ZeroDivisionError):
            np.vectorize(lambda number: 1 // number)(np.asarray([1, 0]).tolist())
    assert isinstance(phalanx.vectorize(abs)(phalanx.arange(3)), phalanx.ndarray)
    added = phalanx.frompyfunc(lambda a, b: a + b, 2, 1)(phalanx.arange(3), 2.5)
    assert added.tolist() == [2.5, 3.5, 4.5] and added.dtype == numpy.float64
    quotient, rest = phalanx.frompyfunc(divmod, 2, 2)(phalanx.arange(4), 3)
    assert quotient.tolist() == [0, 0, 0, 1] and rest.tolist() == [0, 1, 2, 0]
    for wrong in (str, lambda number: [number], lambda number: None):
        with pytest.raises(TypeError):
            phalanx.frompyfunc(wrong, 1, 1)(phalanx.arange(2))


def test_broadcasts_and_paths():
    for np in (numpy, phalanx):
        both = np.broadcast(np.arange(3), [[1], [2]])
        assert (both.shape, both.nd, both.ndim, both.size, both.numiter) == ((2, 3), 2, 2, 6, 2)
        pairs = [(int(a), int(b)) for a, b in both]
        assert pairs == [(0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)] and both.index == 6
        both.reset()
        assert both.index == 0
        path = np.einsum_path("ij,jk,kl->il", np.ones((2, 9)), np.ones((9, 3)), np.ones((3, 5)))
        if np is numpy:
            expected = path
    assert path == expected


def test_dumps_and_flags(tmp_path):
    array = phalanx.asfortranarray(phalanx.arange(6).reshape(2, 3))
    loaded = pickle.loads(array.dumps())
    assert loaded.tolist() == array.tolist() and loaded.flags.f_contiguous
    array.dump(tmp_path / "array.pickle")
    assert pickle.loads((tmp_path / "array.pickle").read_bytes()).tolist() == array.tolist()
    array.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    array.setflags(write=True)
    with pytest.raises(ValueError, match="WRITEABLE"):
        phalanx.broadcast_to(array, (2, 2, 3)).setflags(write=True)


def test_names_of_scipy_are_ours():
    from phalanx.scipy import linalg

    theirs = pytest.importorskip("scipy.linalg")
    names = getattr(linalg, "__all__", None) or [n for n in dir(linalg) if n[0] != "_"]
    assert all(hasattr(theirs, name) for name in names)


@pytest.mark.parametrize(
    "name, reason",
    [
        ("datetime64", "dates"),
        ("char", "text"),
        ("ma", "masked"),
        ("nditer", "ndenumerate"),
        ("matrix", "two axes"),
        ("nothing_of_this_name", "no attribute"),
    ],
)
def test_absent_names_say_why(name, reason):
    with pytest.raises(AttributeError, match=reason):
        getattr(phalanx, name)


def test_python_functions_in_place():
    for module in (phalanx, numpy):
        x = module.arange(4.0)
        module.frompyfunc(lambda a: a + 1, 1, 1).at(x, [0, 0, 2])
        y = module.ones((2, 2), "f4")
        module.frompyfunc(lambda a, b: a - b, 2, 1).at(y, (slice(None), 0), [1, 2])
        assert x.tolist() == [2, 1, 3, 3] and y.tolist() == [[0, 1], [-1, 1]]
        with pytest.raises(TypeError):
            module.frompyfunc(abs, 1, 1).at([1.0], [0])
