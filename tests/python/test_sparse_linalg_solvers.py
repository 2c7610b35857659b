"""Solvers of linear equations and of least squares, compared with SciPy's."""

import warnings

import numpy
import pytest
import scipy.sparse
import scipy.sparse.linalg as theirs

import phalanx
from phalanx import _phalanx
from phalanx.scipy.sparse import linalg

from .conftest import RANKS
from .sparse_linalg_cases import definite, drawn, general, host, ours, outcome, same_error, some

METHODS = "cg cgs bicg bicgstab gmres lgmres minres qmr tfqmr gcrotmk".split()
HERMITIAN = ("cg", "minres")


def matrix_of(method, kind="d"):
    return definite(30, kind) if method in HERMITIAN else general(30, kind)


def operators(matrix):
    """A matrix as every kind of operand."""
    own = ours(matrix)
    yield own
    if RANKS > 1:
        return
    yield own.tocsc()
    yield own.tocoo()
    yield matrix
    yield phalanx.asarray(matrix.toarray())
    adjoint = ours(scipy.sparse.csr_array(matrix.conj().T))
    yield linalg.LinearOperator(
        matrix.shape, lambda x: own @ x, rmatvec=lambda x: adjoint @ x, dtype=matrix.dtype
    )
    yield linalg.aslinearoperator(own) * 2 - linalg.aslinearoperator(own)


@pytest.mark.parametrize("method", some(METHODS, 1))
def test_solutions_have_small_residuals(method):
    matrix = matrix_of(method)
    b = drawn(30)
    for operand in operators(matrix):
        x, info = getattr(linalg, method)(operand, phalanx.asarray(b), rtol=1e-9)
        assert info == 0 and isinstance(info, int)
        assert x.shape == (30,) and x.dtype == numpy.float64
        assert numpy.linalg.norm(matrix @ host(x) - b) <= 1e-8 * numpy.linalg.norm(b)


@pytest.mark.parametrize("method", some(METHODS, 2))
@pytest.mark.parametrize("kinds", some(["ff", "fd", "DD", "df", "dD", "FF", "di", "Fd"]))
def test_dtypes_are_those_of_scipy(method, kinds):
    if method == "minres" and set(kinds) & set("FD"):
        # SciPy's fails for complex numbers.
        return
    matrix = matrix_of(method, kinds[0])
    b = (drawn(30, kind="d") * 10).astype(kinds[1])
    if kinds[1] == "D":
        b = b * (1 + 1j)
    other = getattr(theirs, method)(matrix, b)[0]
    own, info = getattr(linalg, method)(ours(matrix), phalanx.asarray(b))
    assert own.dtype == other.dtype and info == 0
    assert numpy.linalg.norm(matrix @ host(own) - b) <= 2e-5 * numpy.linalg.norm(b)


@pytest.mark.parametrize("method", some(METHODS, 0))
def test_starts_and_limits(method):
    solver, matrix, b = getattr(linalg, method), matrix_of(method), drawn(30)
    own, right = ours(matrix), phalanx.asarray(b)
    exact = numpy.linalg.solve(matrix.toarray(), b)
    x, info = solver(own, right, x0=phalanx.asarray(exact + 1e-3), rtol=1e-9)
    assert info == 0
    numpy.testing.assert_allclose(host(x), exact, rtol=1e-6, atol=1e-7)
    x, info = solver(own, right[:, None], x0=exact[:, None], rtol=1e-6)
    assert info == 0 and x.shape == (30,)
    numpy.testing.assert_allclose(host(x), exact, rtol=1e-6)
    x, info = solver(own, phalanx.zeros(30), x0=right)
    assert info == 0 and not host(x).any()
    few = {"inner_m": 1} if method == "lgmres" else {}
    few = {"m": 1, "k": 1} if method == "gcrotmk" else few
    few = {"restart": 1} if method == "gmres" else few
    if method == "lgmres":
        few["outer_k"] = 0
    _, info = solver(own, right, rtol=1e-12, maxiter=2, **few)
    assert info == 2
    if method != "minres":
        x, info = solver(own, right, rtol=0, atol=1e-6)
        assert info == 0 and numpy.linalg.norm(matrix @ host(x) - b) <= 1e-5


@pytest.mark.parametrize("method", some(METHODS, 1))
def test_preconditioners(method):
    solver, matrix, b = getattr(linalg, method), matrix_of(method), drawn(30)
    diagonal = scipy.sparse.diags_array(1 / matrix.diagonal(), format="csr")
    name = "M1" if method == "qmr" else "M"
    inverses = [ours(diagonal), linalg.jacobi(ours(matrix)), linalg.block_jacobi(ours(matrix), 4)]
    for inverse in inverses[: 1 if RANKS > 1 else 3]:
        x, info = solver(ours(matrix), phalanx.asarray(b), rtol=1e-9, **{name: inverse})
        assert info == 0
        numpy.testing.assert_allclose(matrix @ host(x), b, atol=1e-6)
    if method == "qmr":
        root = ours(diagonal.sqrt())
        x, info = solver(ours(matrix), phalanx.asarray(b), rtol=1e-9, M1=root, M2=root)
    else:
        x, info = solver(ours(matrix), phalanx.asarray(b), rtol=1e-9, x0="Mb", M=inverses[0])
    assert info == 0
    numpy.testing.assert_allclose(matrix @ host(x), b, atol=1e-6)


@pytest.mark.parametrize("method", some(METHODS, 2))
def test_errors_are_those_of_scipy(method):
    own, other = getattr(linalg, method), getattr(theirs, method)
    matrix, b = matrix_of(method), drawn(30)
    for call in (
        lambda f, A: f(A, b[:20]),
        lambda f, A: f(A, numpy.ones((30, 2))),
        lambda f, A: f(A, b, x0=b[:5]),
        lambda f, A: f(numpy.ones((3, 4)), numpy.ones(3)),
    ):
        same_error(outcome(call, own, ours(matrix)), outcome(call, other, matrix))
    if method != "minres":
        same_error(outcome(own, ours(matrix), b, atol=-1), outcome(other, matrix, b, atol=-1))
    if method != "qmr":
        given = numpy.eye(20)
        same_error(outcome(own, ours(matrix), b, M=given), outcome(other, matrix, b, M=given))
    with pytest.raises(TypeError):
        own(object(), b)


@pytest.mark.parametrize("method", some(METHODS, 0))
def test_callbacks(method):
    solver, matrix, b = getattr(linalg, method), matrix_of(method), drawn(30)
    seen = []
    keywords = {"callback_type": "x"} if method == "gmres" else {}
    x, info = solver(
        ours(matrix), phalanx.asarray(b), rtol=1e-8, callback=seen.append, **keywords
    )
    assert info == 0 and seen and seen[0].shape == (30,)

    def fail(_):
        raise KeyError("a program's own")

    with pytest.raises(KeyError):
        solver(ours(matrix), phalanx.asarray(b), callback=fail, **keywords)


def test_an_error_of_a_product_is_raised():
    def product(_):
        raise KeyError("a program's own")

    operator = linalg.LinearOperator((5, 5), product, dtype="d")
    with pytest.raises(KeyError):
        linalg.cg(operator, phalanx.ones(5))
    operator = linalg.LinearOperator((5, 5), lambda x: x, dtype="d")
    with pytest.raises(NotImplementedError):
        linalg.bicg(operator, phalanx.ones(5))


def test_callbacks_of_gmres():
    matrix, b = general(), drawn(30)
    own, right = ours(matrix), phalanx.asarray(b)
    norms = []
    _, info = linalg.gmres(own, right, callback=norms.append, callback_type="pr_norm", restart=5)
    assert info == 0 and all(isinstance(one, float) for one in norms)
    assert norms[-1] <= 1e-5 and norms[0] <= 1
    for maxiter in (1, 3, 7):
        norms = []
        with pytest.warns(DeprecationWarning):
            _, info = linalg.gmres(
                own, right, rtol=1e-12, callback=norms.append, restart=5, maxiter=maxiter
            )
        assert info == maxiter and len(norms) == maxiter
    with pytest.raises(ValueError):
        linalg.gmres(own, right, callback_type="norm")


def test_recycled_vectors():
    matrix, b = general(), drawn(30)
    own, right = ours(matrix), phalanx.asarray(b)
    kept = []
    x, info = linalg.lgmres(own, right, rtol=1e-9, outer_v=kept)
    assert info == 0 and len(kept) == 1
    numpy.testing.assert_allclose(matrix @ host(kept[0][0]), host(kept[0][1]), atol=1e-8)
    x, info = linalg.lgmres(own, right, rtol=1e-6, outer_v=kept, maxiter=0)
    numpy.testing.assert_allclose(matrix @ host(x), b, atol=1e-6)
    x, info = linalg.lgmres(own, right * 2, rtol=1e-6, outer_v=kept, store_outer_Av=False)
    assert info == 0 and kept[-1][1] is None
    numpy.testing.assert_allclose(matrix @ host(x), 2 * b, atol=1e-4)
    for discard in (False, True):
        kept = []
        for factor in (1, 3):
            keywords = {"CU": kept, "k": 2, "discard_C": discard}
            x, info = linalg.gcrotmk(own, right * factor, rtol=1e-8, **keywords)
            assert info == 0
            numpy.testing.assert_allclose(matrix @ host(x), factor * b, atol=1e-5)
        product, vector = kept[0]
        assert len(kept) == 2 and (product is None) == discard
        if not discard:
            numpy.testing.assert_allclose(matrix @ host(vector), host(product), atol=1e-8)
    x, info = linalg.gcrotmk(own, right, truncate="smallest", m=4)
    assert info == 0
    for call in (
        lambda library, A: library.gcrotmk(A, b, truncate="newest"),
        lambda library, A: library.gcrotmk(A, b * numpy.inf),
        lambda library, A: library.lgmres(A, b * numpy.nan),
    ):
        same_error(outcome(call, linalg, own), outcome(call, theirs, matrix))


@pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) > (1, 17), reason="SciPy 1.18 keeps float32"
)
def test_minres_in_single_precision_gives_double():
    matrix, b = matrix_of("minres", "f"), drawn(30, kind="f")
    seen = []
    own = ours(matrix)
    x, info = linalg.minres(own, phalanx.asarray(b), callback=lambda x: seen.append(x.dtype))
    assert info == 0 and x.dtype == numpy.float64 and set(seen) == {numpy.dtype("f8")}
    for given in ({"maxiter": 0}, {"maxiter": 1}):
        other = theirs.minres(matrix, b, **given)
        found = linalg.minres(own, phalanx.asarray(b), **given)
        assert found[0].dtype == other[0].dtype and found[1] == other[1]
    assert linalg.minres(own, phalanx.zeros(30, dtype="f"))[0].dtype == numpy.float32


def test_minres_with_a_shift():
    matrix, b = definite(), drawn(30)
    shift = 3.2
    x, info = linalg.minres(ours(matrix), phalanx.asarray(b), shift=shift, rtol=1e-10)
    assert info == 0
    numpy.testing.assert_allclose(matrix @ host(x) - shift * host(x), b, atol=1e-6)
    x, info = linalg.minres(ours(matrix), phalanx.asarray(b), check=True)
    assert info == 0
    with pytest.raises(ValueError):
        linalg.minres(ours(general()), phalanx.asarray(b), check=True)
    inverse = -numpy.eye(30)
    with pytest.raises((ValueError, TypeError)):
        linalg.minres(ours(matrix), phalanx.asarray(b), M=phalanx.asarray(inverse))


def test_summaries_are_printed(capfd):
    matrix, b = definite(), phalanx.asarray(drawn(30))
    linalg.minres(ours(matrix), b, show=True)
    linalg.tfqmr(ours(matrix), b, show=True)
    linalg.lsqr(ours(matrix), b, show=True)
    text = capfd.readouterr().out
    for name in ("minres", "tfqmr", "lsqr"):
        assert (name in text) == (_phalanx.rank() == 0)


class _WithInverse:
    """An object with products and a preconditioner of its own."""

    def __init__(self, matrix):
        self.shape, self.dtype = matrix.shape, matrix.dtype
        own = ours(matrix)
        diagonal = own.diagonal()
        self.matvec = lambda x: own @ x
        self.psolve = self.rpsolve = lambda x: x / diagonal
        self.seen = 0


def test_an_operand_may_have_a_preconditioner():
    matrix, b = definite(), drawn(30)
    x, info = linalg.cg(_WithInverse(matrix), phalanx.asarray(b), rtol=1e-9)
    assert info == 0
    numpy.testing.assert_allclose(matrix @ host(x), b, atol=1e-7)


RECTANGLES = [(20, 12), (12, 20), (15, 15)]


@pytest.mark.parametrize("shape", RECTANGLES)
@pytest.mark.parametrize("damp", [0.0, 0.5])
@pytest.mark.parametrize("method", ["lsqr", "lsmr"])
def test_least_squares(method, shape, damp):
    matrix = scipy.sparse.csr_array(drawn(*shape))
    b = drawn(shape[0], seed=9)
    keywords = {"damp": damp, "atol": 1e-13, "btol": 1e-13, "conlim": 0}
    keywords["iter_lim" if method == "lsqr" else "maxiter"] = 400
    own = getattr(linalg, method)(ours(matrix), phalanx.asarray(b), **keywords)
    other = getattr(theirs, method)(matrix, b, **keywords)
    assert len(own) == len(other)
    numpy.testing.assert_allclose(host(own[0]), other[0], atol=1e-6)
    assert own[0].dtype == other[0].dtype and own[1] in range(8)
    assert all(type(one) in (int, float) for one in own[1:8])
    # The norm of the residual and that of the solution.
    numpy.testing.assert_allclose(own[3], other[3], atol=1e-6)
    norm_at = 8 if method == "lsqr" else 7
    numpy.testing.assert_allclose(own[norm_at], other[norm_at], rtol=1e-5)
    if method == "lsqr":
        assert own[9].shape == other[9].shape and not host(own[9]).any()


@pytest.mark.parametrize("method", ["lsqr", "lsmr"])
def test_options_of_least_squares(method):
    matrix = scipy.sparse.csr_array(drawn(12, 5, "f"))
    own_matrix = ours(matrix)
    own, other = getattr(linalg, method), getattr(theirs, method)
    b = drawn(12, kind="f", seed=5)
    found, expected = own(own_matrix, b), other(matrix, b)
    assert found[0].dtype == expected[0].dtype
    numpy.testing.assert_allclose(host(found[0]), expected[0], atol=1e-4)
    x0 = drawn(5)
    found, expected = own(own_matrix, b[:, None], x0=x0), other(matrix, b[:, None], x0=x0)
    numpy.testing.assert_allclose(host(found[0]), expected[0], atol=1e-4)
    found = own(own_matrix, b, **{"iter_lim" if method == "lsqr" else "maxiter": 1})
    assert found[2] == 1 and found[1] == 7
    assert own(own_matrix, phalanx.zeros(12))[1] == 0
    for given in (b[:4], numpy.ones((12, 2))):
        assert isinstance(outcome(own, own_matrix, given), ValueError)
    assert isinstance(outcome(own, own_matrix, b, x0=b), ValueError)
    operator = linalg.LinearOperator((12, 5), lambda x: own_matrix @ x, dtype="f")
    assert isinstance(outcome(own, operator, b), NotImplementedError)


def test_variances_of_lsqr():
    matrix, b = drawn(20, 6), drawn(20, seed=2)
    keywords = {"calc_var": True, "atol": 1e-12, "btol": 1e-12}
    own = linalg.lsqr(phalanx.asarray(matrix), b, **keywords)[9]
    other = theirs.lsqr(matrix, b, **keywords)[9]
    numpy.testing.assert_allclose(host(own), other, rtol=1e-5)


def test_no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linalg.gmres(ours(general()), phalanx.ones(30))
        linalg.cg(ours(definite()), phalanx.ones(30), M=linalg.jacobi(ours(definite())))
