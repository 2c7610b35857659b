"""Norms, powers, exponentials, inverses, and triangular matrices, compared with SciPy's."""

import math

import numpy
import pytest
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg as theirs

import phalanx
from phalanx.scipy import sparse
from phalanx.scipy.sparse import linalg

from .conftest import RANKS
from .sparse_linalg_cases import definite, drawn, general, host, ours, outcome, same_error, some


def rectangle(kind="d"):
    made = scipy.sparse.random_array((7, 5), density=0.4, rng=numpy.random.default_rng(1))
    made = scipy.sparse.csr_array(made)
    made.data = made.data * 4 - 2
    return (made * (1 + 1j) if kind in "FD" else made).astype(kind)


@pytest.mark.parametrize("kind", some("dfD"))
def test_norms(kind):
    for form in (scipy.sparse.csr_array, scipy.sparse.coo_matrix):
        matrix = form(rectangle(kind))
        own = ours(matrix)
        for ord in (None, "fro", "f", 1, -1, 2, math.inf, -math.inf):
            for axis in (None, (0, 1), (1, 0), (-2, -1)):
                if RANKS > 1 and axis not in (None, (1, 0)):
                    continue
                expected = theirs.norm(matrix, ord, axis)
                found = linalg.norm(own, ord, axis)
                assert found.shape == ()
                numpy.testing.assert_allclose(host(found), expected, rtol=1e-5)
        for ord in (None, 0, 1, 2, 3, math.inf, -math.inf):
            for axis in (0, 1, -1, (1,)):
                if RANKS > 1 and axis != 1:
                    continue
                expected = theirs.norm(matrix, ord, axis)
                found = linalg.norm(own, ord, axis)
                assert found.shape == expected.shape
                numpy.testing.assert_allclose(host(found), expected, rtol=1e-5)


def test_refusals_of_norms():
    matrix = rectangle()
    for given in (
        {"ord": 3}, {"ord": -2}, {"ord": "nuc"}, {"axis": 2}, {"axis": (0, 0)}, {"axis": (0, 3)},
        {"axis": 0.5}, {"axis": "x"}, {"axis": (0, 1, 1)}, {"axis": 0, "ord": "fro"},
    ):
        own = outcome(linalg.norm, ours(matrix), **given)
        other = outcome(theirs.norm, matrix, **given)
        if not isinstance(other, Exception):
            continue
        assert isinstance(own, Exception), given
    assert isinstance(outcome(linalg.norm, phalanx.eye(3)), TypeError)


def test_estimates_of_norms():
    matrix = general(40)
    exact = abs(matrix).sum(axis=0).max()
    own = ours(matrix)
    adjoint = ours(scipy.sparse.csr_array(matrix.T))
    operator = linalg.LinearOperator(
        (40, 40), lambda x: own @ x, rmatvec=lambda x: adjoint @ x, dtype="d"
    )
    for operand in (own, operator):
        found = linalg.onenormest(operand)
        assert isinstance(found, float) and 0.5 * exact <= found <= exact * (1 + 1e-12)
    found, v, w = linalg.onenormest(own, t=3, compute_v=True, compute_w=True)
    numpy.testing.assert_allclose(matrix @ host(v), host(w), atol=1e-12)
    numpy.testing.assert_allclose(abs(host(w)).sum(), found * abs(host(v)).sum())
    found, w = linalg.onenormest(ours(general(4)), t=5, compute_w=True)
    numpy.testing.assert_allclose(found, abs(general(4)).sum(axis=0).max())
    assert w.shape == (4,)
    assert isinstance(outcome(linalg.onenormest, phalanx.ones((2, 3))), ValueError)


@pytest.mark.parametrize("kind", some("dDf", 1))
def test_products_with_exponentials(kind):
    matrix = scipy.sparse.csr_array(general(20, kind) * 0.7)
    exponential = scipy.linalg.expm(matrix.toarray().astype("D"))
    own = ours(matrix)
    tolerance = 1e-4 if kind == "f" else 1e-9
    for b in (drawn(20, kind=kind), drawn(20, 3, kind)):
        found = linalg.expm_multiply(own, phalanx.asarray(b))
        assert found.shape == b.shape
        numpy.testing.assert_allclose(host(found), exponential @ b, rtol=tolerance, atol=tolerance)
        for keywords in (
            {"start": 0, "stop": 1, "num": 4},
            {"start": 0.5, "stop": 1, "num": 3, "endpoint": False},
        ):
            expected = theirs.expm_multiply(matrix, b, **keywords)
            found = linalg.expm_multiply(own, phalanx.asarray(b), **keywords)
            assert found.shape == expected.shape
            numpy.testing.assert_allclose(
                host(found), expected, rtol=10 * tolerance, atol=10 * tolerance
            )
    adjoint = ours(scipy.sparse.csr_array(matrix.conj().T))
    operator = linalg.LinearOperator(
        (20, 20), lambda x: own @ x, rmatvec=lambda x: adjoint @ x, dtype=matrix.dtype
    )
    b = drawn(20, kind=kind)
    trace = matrix.trace()
    found = linalg.expm_multiply(operator, phalanx.asarray(b), traceA=trace)
    assert found.dtype == b.dtype
    numpy.testing.assert_allclose(host(found), exponential @ b, rtol=tolerance, atol=tolerance)
    keywords = {"start": 0, "stop": 1, "num": 3}
    found = linalg.expm_multiply(operator, phalanx.asarray(b), traceA=trace, **keywords)
    expected = theirs.expm_multiply(matrix, b, **keywords)
    numpy.testing.assert_allclose(host(found), expected, rtol=10 * tolerance, atol=10 * tolerance)
    with pytest.warns(UserWarning):
        found = linalg.expm_multiply(operator, phalanx.asarray(b))
    numpy.testing.assert_allclose(host(found), exponential @ b, rtol=tolerance, atol=tolerance)


def test_refusals_of_exponentials():
    matrix, b = general(6), drawn(6)
    for call in (
        lambda f, A: f(A, b[:3]),
        lambda f, A: f(A, numpy.ones((6, 2, 2))),
        lambda f, A: f(A, b, start=0, stop=1, num=1),
        lambda f, A: f(A, b, stop=1),
        lambda f, A: f(numpy.ones((2, 3)), b),
    ):
        own = outcome(call, linalg.expm_multiply, ours(matrix))
        same_error(own, outcome(call, theirs.expm_multiply, matrix))


def test_powers():
    for matrix in (general(8), scipy.sparse.csc_matrix(general(8)), general(8).astype("i8")):
        for power in (0, 1, 2, 5, 8):
            expected = theirs.matrix_power(matrix, power)
            found = linalg.matrix_power(ours(matrix), power)
            assert found.format == expected.format and found.dtype == expected.dtype
            numpy.testing.assert_allclose(host(found.toarray()), expected.toarray(), rtol=1e-10)
    for given in (general(8), -1), (general(8), 1.5), (rectangle(), 2):
        own = outcome(linalg.matrix_power, ours(given[0]), given[1])
        same_error(own, outcome(theirs.matrix_power, *given))


@pytest.mark.parametrize("scale", some([1e-3, 0.05, 0.2, 0.4, 1.0, 20.0], 1))
def test_exponentials(scale):
    matrix = scipy.sparse.csr_array(general(12) * scale)
    expected = scipy.linalg.expm(matrix.toarray())
    for own in (ours(matrix), ours(scipy.sparse.csc_matrix(matrix))):
        found = linalg.expm(own)
        assert found.format == own.format and sparse.isspmatrix(found) == sparse.isspmatrix(own)
        _close(found.toarray(), expected)
        if RANKS > 1:
            return
    _close(linalg.expm(phalanx.asarray(matrix.toarray())), expected)
    single = linalg.expm(ours(matrix.astype("f")))
    assert single.dtype == numpy.float32
    _close(single.toarray(), expected, 1e-4)
    triangular = scipy.sparse.triu(matrix).tocsr()
    found = host(linalg.expm(ours(triangular)).toarray())
    _close(found, scipy.linalg.expm(triangular.toarray()))
    assert not numpy.tril(found, -1).any()


def _close(found, expected, tolerance=1e-11):
    size = numpy.max(numpy.abs(expected))
    numpy.testing.assert_allclose(host(found), expected, atol=tolerance * size)


def test_exponentials_are_not_scaled_too_much():
    # Elements above the diagonal that do not matter for the powers.
    given = numpy.array([[1, 1e6], [0, -1]])
    expected = [[math.e, 1e6 * math.sinh(1)], [0, 1 / math.e]]
    for own in (phalanx.asarray(given), sparse.csc_array(given)):
        found = linalg.expm(own)
        found = found.toarray() if sparse.issparse(found) else found
        numpy.testing.assert_allclose(host(found), expected, rtol=1e-12)
    given = numpy.array([[0, 1e6, 0], [0, 0, 1e6], [0, 0, 0]])
    expected = [[1, 1e6, 5e11], [0, 1, 1e6], [0, 0, 1]]
    numpy.testing.assert_allclose(host(linalg.expm(phalanx.asarray(given))), expected, rtol=1e-12)
    # So many rows that a norm is estimated.
    large = scipy.sparse.csr_array(general(210) * 3)
    _close(linalg.expm(ours(large)).toarray(), scipy.linalg.expm(large.toarray()), 1e-10)


def test_exponentials_of_other_matrices():
    _close(linalg.expm([[0, 1], [2, 3]]), scipy.linalg.expm(numpy.array([[0, 1], [2, 3]])))
    assert linalg.expm(phalanx.zeros((0, 0))).shape == (0, 0)
    _close(linalg.expm(sparse.csr_array([[2.0]])).toarray(), [[math.exp(2)]])
    _close(linalg.expm(sparse.csr_array((3, 3))).toarray(), numpy.eye(3))
    complex_one = general(8, "D")
    _close(linalg.expm(ours(complex_one)).toarray(), scipy.linalg.expm(complex_one.toarray()))
    same_error(outcome(linalg.expm, phalanx.ones((2, 3))), outcome(theirs.expm, numpy.ones((2, 3))))


def test_inverses():
    for matrix in (general(9), scipy.sparse.csc_matrix(general(9, "D"))):
        found = linalg.inv(ours(matrix))
        assert found.format == matrix.format and found.dtype == matrix.dtype
        numpy.testing.assert_allclose(host(found.toarray()) @ matrix.toarray(), numpy.eye(9),
                                      atol=1e-12)
    with pytest.raises(TypeError):
        linalg.inv(phalanx.eye(3))
    with pytest.raises(ValueError):
        linalg.inv(ours(rectangle()))
    with pytest.raises(RuntimeError):
        linalg.inv(sparse.csr_array((3, 3)))


FUNCTIONS = {
    "exponential": (lambda x: scipy.linalg.expm(numpy.asarray(x)), "d"),
    "of ours": (lambda x: linalg.expm(x), "d"),
    "root": (lambda x: scipy.linalg.sqrtm(numpy.asarray(x)), "d"),
    "complex": (lambda x: scipy.linalg.expm(numpy.asarray(x)), "D"),
}


@pytest.mark.parametrize("name", some(FUNCTIONS))
@pytest.mark.parametrize("structure", ["general", "hermitian"])
def test_products_with_functions(name, structure):
    function, kind = FUNCTIONS[name]
    matrix = definite(40, kind) if structure == "hermitian" else general(40, kind)
    b = drawn(40, kind=kind)
    scaled = 0.5 if name != "root" else 1.0
    expected = host(function(scaled * matrix.toarray())) @ b
    for every in (None, 8, 40):
        found = linalg.funm_multiply_krylov(
            function, ours(matrix), phalanx.asarray(b), assume_a=structure, t=scaled, rtol=1e-10,
            restart_every_m=every,
        )
        assert found.shape == b.shape and found.dtype == b.dtype
        error = numpy.linalg.norm(host(found) - expected)
        assert error <= 1e-6 * numpy.linalg.norm(expected)
        if RANKS > 1:
            break


def test_functions_of_small_spaces():
    matrix = scipy.sparse.diags_array(numpy.array([1.0, 1, 1, 2, 2, 2]), format="csr")
    b = numpy.ones(6)
    found = linalg.funm_multiply_krylov(linalg.expm, ours(matrix), phalanx.asarray(b))
    numpy.testing.assert_allclose(host(found), numpy.exp(matrix.diagonal()))
    found = linalg.funm_multiply_krylov(linalg.expm, ours(matrix), phalanx.zeros(6))
    assert not host(found).any()
    for keywords in (
        {"assume_a": "banded"}, {"restart_every_m": 0}, {"max_restarts": 0}, {"atol": -1}
    ):
        own = outcome(linalg.funm_multiply_krylov, linalg.expm, ours(matrix), b, **keywords)
        other = outcome(
            theirs.funm_multiply_krylov, scipy.linalg.expm, matrix, b, **keywords
        )
        same_error(own, other)
    own = outcome(linalg.funm_multiply_krylov, linalg.expm, ours(matrix), numpy.ones((6, 1)))
    assert isinstance(own, ValueError)


FORMATS = "csr csc coo dia lil dok".split()


@pytest.mark.parametrize("format", some(FORMATS))
def test_structures(format):
    full = numpy.arange(1.0, 26).reshape(5, 5)
    samples = {
        "lower": numpy.tril(full, -1), "upper": numpy.triu(full), "diagonal": numpy.eye(5),
        "full": full, "band": numpy.triu(numpy.tril(full, 1), -2), "wide": full[:2],
    }
    for name, sample in samples.items():
        matrix = scipy.sparse.coo_array(sample).asformat(format)
        own = ours(matrix)
        expected = tuple(map(bool, theirs.is_sptriangular(matrix)))
        assert linalg.is_sptriangular(own) == expected, name
        assert linalg.spbandwidth(own) == tuple(map(int, theirs.spbandwidth(matrix.tocsr())))
    empty = sparse.csr_array((3, 3))
    assert linalg.is_sptriangular(empty) == (True, True)
    assert linalg.spbandwidth(empty) == (0, 0)


def test_other_structures_are_converted():
    with pytest.warns(sparse.SparseEfficiencyWarning):
        assert linalg.is_sptriangular(phalanx.tri(4)) == (True, False)
    with pytest.warns(sparse.SparseEfficiencyWarning):
        assert linalg.spbandwidth(sparse.bsr_array(phalanx.eye(4))) == (0, 0)


def triangle(rows, density, lower, kind="d", band=None):
    generator = numpy.random.default_rng(rows)
    made = scipy.sparse.random_array((rows, rows), density=density, rng=generator, format="csr")
    if band is not None:
        made = scipy.sparse.diags_array([0.5] * band, offsets=range(-band, 0), shape=(rows, rows))
        made = made if lower else made.T
    made = scipy.sparse.tril(made, -1) if lower else scipy.sparse.triu(made, 1)
    if kind in "FD":
        made = made * (1 + 1j)
    main = scipy.sparse.diags_array(numpy.linspace(1, 2, rows))
    return scipy.sparse.csr_array(made + main).astype(kind)


TRIANGLES = {
    "few levels": (40, 0.02, None), "many levels": (40, 0.5, None), "chain": (1100, 0, 1),
    "band": (700, 0, 3), "one block": (50, 0, 1), "diagonal": (30, 0, None),
}


@pytest.mark.parametrize("name", some(TRIANGLES, 2))
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_triangular_equations(name, lower, unit):
    rows, density, band = TRIANGLES[name]
    matrix = triangle(rows, density, lower, band=band)
    whole = matrix.copy()
    if unit:
        whole.setdiag(1)
    for format, b in (("csr", drawn(rows)), ("csc", drawn(rows, 2))):
        x = linalg.spsolve_triangular(
            ours(matrix.asformat(format)), phalanx.asarray(b), lower=lower, unit_diagonal=unit
        )
        assert x.shape == b.shape
        numpy.testing.assert_allclose(
            whole @ host(x), b, atol=1e-9 * max(1, abs(host(x)).max())
        )


@pytest.mark.parametrize("most", [0, 1 << 24])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("kinds", some(["ff", "fD", "dd", "Dd"], 2))
def test_triangular_equations_of_many_levels(monkeypatch, most, lower, kinds):
    from phalanx.scipy.sparse.linalg import _structure

    monkeypatch.setattr(_structure, "_MOST", most)
    matrix = triangle(600, 0, lower, kinds[0], band=2)
    for b in (drawn(600), drawn(600, 3)):
        b = b.astype(kinds[1])
        expected = theirs.spsolve_triangular(matrix.tocsc(), b, lower=lower)
        found = linalg.spsolve_triangular(ours(matrix), phalanx.asarray(b), lower=lower)
        assert found.dtype == expected.dtype
        numpy.testing.assert_allclose(
            host(found), expected, rtol=1e-3 if "f" in kinds else 1e-9, atol=1e-5
        )


def test_dtypes_and_refusals_of_triangular_equations():
    matrix = triangle(12, 0.3, True)
    for kinds in ("ff", "fd", "dF", "DD", "di", "id"):
        ones = scipy.sparse.csr_array(numpy.tril(numpy.ones((12, 12))))
        own = (ones if kinds[0] == "i" else matrix).astype(kinds[0])
        b = (drawn(12) * 5).astype(kinds[1])
        expected = theirs.spsolve_triangular(own.tocsc(), b)
        found = linalg.spsolve_triangular(ours(own), phalanx.asarray(b))
        assert found.dtype == expected.dtype, kinds
        numpy.testing.assert_allclose(host(found), expected, rtol=1e-4, atol=1e-4)
    b = drawn(12)
    with pytest.warns(sparse.SparseEfficiencyWarning):
        found = linalg.spsolve_triangular(ours(matrix.tocoo()), b)
    numpy.testing.assert_allclose(matrix @ host(found), b, atol=1e-10)
    singular = matrix.copy()
    singular.setdiag(0)
    with pytest.raises(numpy.linalg.LinAlgError):
        linalg.spsolve_triangular(ours(singular), b)
    for call in (
        lambda f, A: f(A, b[:3]),
        lambda f, A: f(A, numpy.ones((12, 2, 2))),
        lambda f, A: f(A[:, :5], b),
    ):
        own = outcome(call, linalg.spsolve_triangular, ours(matrix))
        same_error(own, outcome(call, theirs.spsolve_triangular, matrix))
