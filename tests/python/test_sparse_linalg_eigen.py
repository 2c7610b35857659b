"""Eigenvalues and singular values of sparse matrices, compared with SciPy's and with LAPACK's."""

import warnings

import numpy
import pytest
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg as theirs

import phalanx
from phalanx.scipy.sparse import linalg

from .conftest import RANKS
from .sparse_linalg_cases import definite, drawn, general, host, ours, outcome, same_error, some


def indefinite(rows=40, kind="d"):
    """A Hermitian matrix with eigenvalues on both sides of zero."""
    return scipy.sparse.csr_array(definite(rows, kind) - 3 * scipy.sparse.eye_array(rows))


def mass(rows=40):
    return scipy.sparse.diags_array(numpy.linspace(1, 2, rows), format="csr")


def wanted(values, which, k, sigma=None):
    """The most wanted eigenvalues, ascending."""
    transformed = values if sigma is None else 1 / (values - sigma)
    key = {
        "LM": -abs(transformed), "SM": abs(transformed), "LA": -transformed, "SA": transformed
    }
    if which == "BE":
        order = numpy.argsort(transformed)
        order = numpy.concatenate([order[: k // 2], order[len(order) - (k - k // 2):]])
    else:
        order = numpy.argsort(key[which])[:k]
    return numpy.sort(values[order])


@pytest.mark.parametrize("which", some(["LM", "SM", "LA", "SA", "BE"], 1))
@pytest.mark.parametrize("kind", "dD")
def test_hermitian(kind, which):
    if kind == "D" and which == "BE":
        return
    matrix = indefinite(kind=kind)
    values, vectors = linalg.eigsh(ours(matrix), k=3, which=which)
    expected = wanted(numpy.linalg.eigvalsh(matrix.toarray()), which, 3)
    assert values.shape == (3,) and values.dtype == numpy.float64
    assert vectors.shape == (40, 3) and vectors.dtype == matrix.dtype
    values, vectors = host(values), host(vectors)
    numpy.testing.assert_allclose(values, expected, atol=1e-9)
    numpy.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-7)
    numpy.testing.assert_allclose(vectors.conj().T @ vectors, numpy.eye(3), atol=1e-9)
    only = linalg.eigsh(ours(matrix), k=3, which=which, return_eigenvectors=False)
    numpy.testing.assert_allclose(host(only), expected, atol=1e-9)


def test_operands_of_hermitian():
    matrix = indefinite(kind="f")
    own = ours(matrix)
    expected = wanted(numpy.linalg.eigvalsh(matrix.toarray()), "LA", 2)
    operator = linalg.LinearOperator((40, 40), lambda x: own @ x, dtype="f")
    for operand in (own, phalanx.asarray(matrix.toarray()), operator, matrix):
        values, vectors = linalg.eigsh(
            operand, k=2, which="LA", v0=drawn(40), ncv=15, tol=1e-4, rng=3
        )
        assert values.dtype == vectors.dtype
        numpy.testing.assert_allclose(host(values), expected, rtol=1e-3)
    integers = scipy.sparse.csr_array(numpy.diag(numpy.arange(1, 31)))
    values = linalg.eigsh(ours(integers), k=2, return_eigenvectors=False)
    assert values.dtype == numpy.float64
    numpy.testing.assert_allclose(host(values), [29, 30])


@pytest.mark.parametrize("which", some(["LM", "SM", "LA", "SA", "BE"]))
def test_hermitian_near_a_number(which):
    matrix, sigma = indefinite(), 0.3
    expected = wanted(numpy.linalg.eigvalsh(matrix.toarray()), which, 3, sigma)
    values, vectors = linalg.eigsh(ours(matrix), k=3, sigma=sigma, which=which)
    values, vectors = host(values), host(vectors)
    numpy.testing.assert_allclose(values, expected, atol=1e-8)
    numpy.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-6)
    inverse = numpy.linalg.inv(matrix.toarray() - sigma * numpy.eye(40))
    values = linalg.eigsh(
        ours(matrix), k=3, sigma=sigma, which=which, OPinv=phalanx.asarray(inverse),
        return_eigenvectors=False,
    )
    numpy.testing.assert_allclose(host(values), expected, atol=1e-8)


@pytest.mark.parametrize("which", some(["BE", "LA", "SM"]))
def test_hermitian_with_a_mass(which):
    matrix, other = indefinite(), mass()
    expected = wanted(scipy.linalg.eigvalsh(matrix.toarray(), other.toarray()), which, 3)
    values, vectors = linalg.eigsh(ours(matrix), k=3, M=ours(other), which=which)
    assert values.dtype == numpy.float64 and vectors.dtype == numpy.float64
    values, vectors = host(values), host(vectors)
    numpy.testing.assert_allclose(values, expected, atol=1e-8)
    numpy.testing.assert_allclose(matrix @ vectors, other @ vectors * values, atol=1e-6)
    numpy.testing.assert_allclose(vectors.T @ (other @ vectors), numpy.eye(3), atol=1e-8)
    inverse = ours(scipy.sparse.diags_array(1 / other.diagonal(), format="csr"))
    values = linalg.eigsh(
        ours(matrix), k=3, M=ours(other), which=which, Minv=inverse, return_eigenvectors=False
    )
    numpy.testing.assert_allclose(host(values), expected, atol=1e-8)


@pytest.mark.parametrize("mode", ["normal", "buckling", "cayley"])
def test_transformations(mode):
    matrix, other, sigma = definite(40), mass(), 1.7
    values, vectors = linalg.eigsh(ours(matrix), k=3, M=ours(other), sigma=sigma, mode=mode)
    every = scipy.linalg.eigvalsh(matrix.toarray(), other.toarray())
    ways = {
        "normal": 1 / (every - sigma),
        "buckling": every / (every - sigma),
        "cayley": (every + sigma) / (every - sigma),
    }
    expected = numpy.sort(every[numpy.argsort(-abs(ways[mode]))[:3]])
    values, vectors = host(values), host(vectors)
    numpy.testing.assert_allclose(values, expected, atol=1e-7)
    numpy.testing.assert_allclose(matrix @ vectors, other @ vectors * values, atol=1e-6)


def test_complex_hermitian_with_a_mass():
    matrix, other = indefinite(kind="D"), mass()
    expected = wanted(scipy.linalg.eigvalsh(matrix.toarray(), other.toarray()), "LA", 3)
    values, vectors = linalg.eigsh(ours(matrix), k=3, M=ours(other.astype("D")), which="LA")
    assert values.dtype == numpy.float64 and vectors.dtype == numpy.complex128
    numpy.testing.assert_allclose(host(values), expected, atol=1e-8)


@pytest.mark.parametrize("which", some(["LM", "SM", "LR", "SR", "LI", "SI"]))
@pytest.mark.parametrize("kind", "dD")
def test_general(kind, which):
    matrix = general(40, kind)
    values, vectors = linalg.eigs(ours(matrix), k=3, which=which)
    every = numpy.linalg.eigvals(matrix.toarray())

    def key(values):
        # Eigenvalues of a real matrix come in conjugate pairs, of which the sign does not matter.
        imaginary = abs(values.imag) if kind == "d" else values.imag
        return {
            "LM": -abs(values), "SM": abs(values), "LR": -values.real, "SR": values.real,
            "LI": -imaginary, "SI": imaginary,
        }[which]

    assert values.dtype == numpy.complex128 and vectors.shape == (40, 3)
    values, vectors = host(values), host(vectors)
    # A Krylov space may miss eigenvalues inside of the spectrum, such as those of SI.
    other = theirs.eigs(matrix, k=3, which=which, return_eigenvectors=False)
    assert (numpy.sort(key(values)) <= numpy.sort(key(other)) + 1e-6).all()
    for value in values:
        assert abs(every - value).min() <= 1e-8
    numpy.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-7)


def test_general_near_a_number():
    matrix = general(40)
    every = numpy.linalg.eigvals(matrix.toarray())
    # A number nearest to one eigenvalue of each conjugate pair.
    for sigma in (2.9, 2.8 + 0.3j):
        values, vectors = linalg.eigs(ours(matrix), k=2, sigma=sigma)
        values, vectors = host(values), host(vectors)
        near = numpy.sort(abs(every - sigma))[1] + 1e-8
        assert (abs(values - sigma) <= near).all()
        numpy.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-6)
    for part in "ri":
        values, vectors = linalg.eigs(ours(matrix), k=2, sigma=2.8 + 0.3j, OPpart=part)
        numpy.testing.assert_allclose(
            matrix @ host(vectors), host(vectors) * host(values), atol=1e-6
        )
    values, vectors = linalg.eigs(ours(matrix), k=2, M=ours(mass()))
    values, vectors = host(values), host(vectors)
    numpy.testing.assert_allclose(matrix @ vectors, mass() @ vectors * values, atol=1e-6)
    values, vectors = linalg.eigs(ours(matrix), k=2, M=ours(mass()), sigma=2.0)
    values, vectors = host(values), host(vectors)
    numpy.testing.assert_allclose(matrix @ vectors, mass() @ vectors * values, atol=1e-6)


def test_an_operator_is_inverted_by_iterations():
    matrix = definite(24)
    own = ours(matrix)
    operator = linalg.LinearOperator((24, 24), lambda x: own @ x, dtype="d")
    values = linalg.eigsh(operator, k=2, ncv=8, sigma=1.0, return_eigenvectors=False)
    expected = wanted(numpy.linalg.eigvalsh(matrix.toarray()), "LM", 2, 1.0)
    numpy.testing.assert_allclose(host(values), expected, atol=1e-8)


def test_all_eigenvalues_are_those_of_an_array():
    matrix = indefinite(6)
    own = phalanx.asarray(matrix.toarray())
    with pytest.warns(RuntimeWarning):
        values, vectors = linalg.eigsh(own, k=6)
    numpy.testing.assert_allclose(host(values), numpy.linalg.eigvalsh(matrix.toarray()))
    with pytest.warns(RuntimeWarning):
        values = linalg.eigsh(own, k=7, M=mass(6).toarray(), return_eigenvectors=False)
    expected = scipy.linalg.eigvalsh(matrix.toarray(), mass(6).toarray())
    numpy.testing.assert_allclose(host(values), expected)
    with pytest.warns(RuntimeWarning):
        values = linalg.eigs(own, k=5, M=mass(6).toarray(), return_eigenvectors=False)
    numpy.testing.assert_allclose(numpy.sort(host(values).real), expected)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("eigs", "eigsh"):
            call = outcome(getattr(linalg, name), ours(matrix), k=6)
            same_error(call, outcome(getattr(theirs, name), matrix, k=6))


def test_refusals_of_eigenvalues():
    matrix = indefinite(20)
    complex_one = indefinite(20, "D")
    eye = numpy.eye(20)
    for name in ("eigsh", "eigs"):
        for keywords in (
            {"k": 0}, {"which": "XX"}, {"ncv": 3}, {"maxiter": 0}, {"M": numpy.eye(5)},
            {"OPinv": eye}, {"Minv": eye}, {"sigma": 1, "Minv": eye},
        ):
            own = outcome(getattr(linalg, name), ours(matrix), **keywords)
            same_error(own, outcome(getattr(theirs, name), matrix, **keywords))
        own = outcome(getattr(linalg, name), numpy.ones((3, 4)))
        same_error(own, outcome(getattr(theirs, name), numpy.ones((3, 4))))
    for keywords in ({"mode": "cayley", "sigma": 1}, {"which": "BE"}):
        own = outcome(linalg.eigsh, ours(complex_one), **keywords)
        same_error(own, outcome(theirs.eigsh, complex_one, **keywords))
    own = outcome(linalg.eigsh, ours(matrix), sigma=1, mode="other")
    same_error(own, outcome(theirs.eigsh, matrix, sigma=1, mode="other"))
    for keywords in (
        {"OPpart": "r"}, {"sigma": 1, "OPpart": "x"}, {"sigma": 1, "OPpart": "i"}
    ):
        own = outcome(linalg.eigs, ours(matrix), **keywords)
        same_error(own, outcome(theirs.eigs, matrix, **keywords))
    own = outcome(linalg.eigsh, phalanx.zeros((20, 20)), sigma=0)
    assert isinstance(own, RuntimeError)


def test_no_convergence():
    matrix = scipy.sparse.csr_array(linalg_grid(200))
    with pytest.raises(linalg.ArpackNoConvergence) as caught:
        linalg.eigsh(ours(matrix), k=4, which="SA", maxiter=1, ncv=6)
    error = caught.value
    assert isinstance(error, linalg.ArpackError) and isinstance(error, RuntimeError)
    count = len(error.eigenvalues)
    assert count < 4 and error.eigenvectors.shape == (200, count)


def linalg_grid(rows):
    return scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(rows, rows))


@pytest.mark.parametrize("shape", [(30, 18), (18, 30)])
@pytest.mark.parametrize("kind", "dF")
@pytest.mark.parametrize("which", ["LM", "SM"])
def test_singular_values(shape, kind, which):
    matrix = drawn(*shape, kind=kind)
    expected = numpy.linalg.svd(matrix, compute_uv=False)
    expected = expected[:3][::-1] if which == "LM" else expected[-3:][::-1]
    own = ours(scipy.sparse.csr_array(matrix))
    u, s, vh = linalg.svds(own, k=3, which=which)
    assert u.shape == (shape[0], 3) and vh.shape == (3, shape[1])
    assert u.dtype == matrix.dtype and s.dtype == expected.dtype
    tolerance = 1e-3 if kind == "F" else 1e-6
    numpy.testing.assert_allclose(host(s), expected, atol=tolerance)
    numpy.testing.assert_allclose(matrix @ host(vh).conj().T, host(u) * host(s), atol=tolerance)
    numpy.testing.assert_allclose(host(u).conj().T @ host(u), numpy.eye(3), atol=tolerance)
    numpy.testing.assert_allclose(host(vh) @ host(vh).conj().T, numpy.eye(3), atol=tolerance)
    s = linalg.svds(phalanx.asarray(matrix), k=3, which=which, return_singular_vectors=False)
    numpy.testing.assert_allclose(host(s), expected, atol=tolerance)


def test_options_of_singular_values():
    matrix = scipy.sparse.csr_array(drawn(12, 8))
    own = ours(matrix)
    u, s, vh = linalg.svds(own, k=2, return_singular_vectors="u")
    assert vh is None and u.shape == (12, 2)
    u, s, vh = linalg.svds(own, k=2, return_singular_vectors="vh", solver="propack")
    assert u is None and vh.shape == (2, 8)
    assert linalg.svds(own, k=8, solver="propack")[1].shape == (8,)
    expected = numpy.linalg.svd(matrix.toarray(), compute_uv=False)[:2][::-1]
    s = linalg.svds(own, 2, solver="lobpcg", return_singular_vectors=False, v0=drawn(8))
    numpy.testing.assert_allclose(host(s), expected, atol=1e-6)
    for keywords in (
        {"k": 0}, {"k": 8}, {"k": 1.5}, {"k": 2, "ncv": 1}, {"k": 2, "tol": -1},
        {"k": 2, "which": "LA"}, {"k": 2, "v0": drawn(5)}, {"k": 2, "v0": numpy.ones(8, int)},
        {"k": 2, "maxiter": 0}, {"k": 2, "return_singular_vectors": "w"},
        {"k": 2, "solver": "other"},
    ):
        same_error(outcome(linalg.svds, own, **keywords), outcome(theirs.svds, matrix, **keywords))
    same_error(outcome(linalg.svds, phalanx.zeros((0, 3)), k=1),
               outcome(theirs.svds, numpy.zeros((0, 3)), k=1))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("with_mass", [False, True])
def test_blocks(largest, with_mass):
    matrix, other = definite(60), mass(60)
    keywords = {"B": ours(other)} if with_mass else {}
    start = drawn(60, 3)
    own = ours(matrix)
    inverse = linalg.jacobi(own)
    for operand in (own, lambda X: own @ X)[: 1 if RANKS > 1 else 2]:
        values, vectors = linalg.lobpcg(
            operand, phalanx.asarray(start), M=None if largest else inverse, tol=1e-6, maxiter=200,
            largest=largest, **keywords,
        )
        every = scipy.linalg.eigvalsh(matrix.toarray(), other.toarray() if with_mass else None)
        expected = every[::-1][:3] if largest else every[:3]
        numpy.testing.assert_allclose(host(values), expected, atol=1e-6)
        vectors = host(vectors)
        image = other @ vectors if with_mass else vectors
        numpy.testing.assert_allclose(matrix @ vectors, image * host(values), atol=1e-5)
        numpy.testing.assert_allclose(vectors.T @ image, numpy.eye(3), atol=1e-8)


def test_constraints_and_histories():
    matrix = definite(60)
    own = ours(matrix)
    every, all_vectors = numpy.linalg.eigh(matrix.toarray())
    constraints = phalanx.asarray(all_vectors[:, :2])
    values, vectors, history, residuals = linalg.lobpcg(
        own, phalanx.asarray(drawn(60, 2)), Y=constraints, tol=1e-6, maxiter=200, largest=False,
        retLambdaHistory=True, retResidualNormsHistory=True,
    )
    numpy.testing.assert_allclose(host(values), every[2:4], atol=1e-6)
    assert len(history) == len(residuals) > 2
    assert history[0].shape == residuals[0].shape == (2,)
    assert len(linalg.lobpcg(own, phalanx.asarray(drawn(60, 2)), tol=1e-2, maxiter=100,
                             retResidualNormsHistory=True)) == 3
    with pytest.warns(UserWarning):
        linalg.lobpcg(own, phalanx.asarray(drawn(60, 2)), tol=1e-12, maxiter=1)


def test_small_problems_of_blocks():
    matrix = definite(8)
    start = drawn(8, 3)
    with pytest.warns(UserWarning):
        values, vectors = linalg.lobpcg(ours(matrix), phalanx.asarray(start), B=ours(mass(8)))
    expected = scipy.linalg.eigvalsh(matrix.toarray(), mass(8).toarray())[::-1][:3]
    numpy.testing.assert_allclose(host(values), expected)
    with pytest.warns(UserWarning):
        values, _ = linalg.lobpcg(ours(matrix), phalanx.ones((8, 2), dtype=int), largest=False)
    numpy.testing.assert_allclose(
        host(values), numpy.linalg.eigvalsh(matrix.toarray())[:2], rtol=1e-5
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for keywords in ({"X": None}, {"X": numpy.ones(8)}, {"X": start, "Y": numpy.ones((8, 1))}):
            own = outcome(linalg.lobpcg, ours(matrix), **keywords)
            same_error(own, outcome(theirs.lobpcg, matrix, **keywords))


def test_dependent_starts_are_refused():
    with pytest.raises(ValueError):
        linalg.lobpcg(ours(definite(60)), phalanx.ones((60, 2)))


def test_singular_values_that_do_not_converge():
    matrix = scipy.sparse.random_array(
        (300, 200), density=0.05, rng=numpy.random.default_rng(4), format="csr"
    )
    with pytest.raises(linalg.ArpackNoConvergence, match="No convergence") as caught:
        linalg.svds(ours(matrix), k=6, ncv=8, maxiter=1)
    count = caught.value.eigenvalues.size
    assert count < 6 and caught.value.eigenvectors.shape == (200, count)
    assert linalg.svds(ours(matrix), k=6, maxiter=1, solver="lobpcg")[1].shape == (6,)
