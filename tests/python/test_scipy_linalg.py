"""Names of ``scipy.linalg``: equations, factorisations, eigenvalues and functions of matrices."""

import inspect
import pathlib
import subprocess
import sys

import numpy
import pytest
import scipy.linalg

import phalanx
from phalanx.scipy import linalg

from .conftest import ROOT
from .signal_cases import check, host, outcome, owned, some

_SINGLE = "fFe?bBhH"


def matrix(rows, columns=None, kind="d", seed=1, batch=()):
    draws = numpy.random.default_rng(seed)
    shape = (*batch, rows, rows if columns is None else columns)
    x = draws.standard_normal(shape) * 3
    if kind in "FD":
        x = x + 1j * draws.standard_normal(shape)
    if kind in "B?":
        x = abs(x)
    return x.astype(kind)


def positive(n, kind="d", batch=()):
    a = matrix(n, kind=kind, batch=batch)
    made = a @ a.conj().swapaxes(-1, -2) + n * numpy.eye(n)
    return made.astype(kind)


def compare(name, *given, tolerance=None, **options):
    """Calls a function of SciPy's, and ours with arrays of ours."""
    other = outcome(getattr(scipy.linalg, name), *given, **options)
    options = {key: owned(value) for key, value in options.items()}
    own = outcome(getattr(linalg, name), *map(owned, given), **options)
    check(own, other, tolerance)


NUMBERS = {
    "d": [1.5, -2.0, 3.25, 0.5, 4.0], "f": numpy.array([2, 1, -3, 5], "f"), "l": [3, 1, 4, 1, 5],
    "D": numpy.array([1 + 2j, -2, 3j, 0.5]), "one": [2.0], "none": numpy.zeros(0), "scalar": 3.0,
    "batch": numpy.arange(1.0, 13).reshape(3, 4), "i": numpy.arange(1, 5, dtype="i4"),
}


@pytest.mark.parametrize("kind", list(NUMBERS))
@pytest.mark.parametrize("name", ["circulant", "toeplitz", "hankel", "companion", "fiedler",
                                  "fiedler_companion"])
def test_matrices_of_numbers(name, kind):
    if (name, kind) != ("hankel", "scalar"):
        compare(name, NUMBERS[kind])


@pytest.mark.parametrize("name", ["toeplitz", "hankel", "leslie"])
def test_matrices_of_two_vectors(name):
    for one, two in [("d", "l"), ("l", "d"), ("d", "D"), ("one", "d"), ("d", "one"), ("f", "i"),
                     ("none", "d"), ("d", "none"), ("none", "none")]:
        compare(name, NUMBERS[one], NUMBERS[two])
    for kind in sorted(set(NUMBERS) - {"scalar"}):
        values = numpy.asarray(NUMBERS[kind])
        compare(name, values, values[..., 1:])
    compare(name, numpy.ones((2, 1, 4)), numpy.arange(9.0).reshape(3, 3))


@pytest.mark.parametrize("mode", ["full", "same", "valid", "other"])
def test_matrices_of_convolutions(mode):
    for kind in NUMBERS:
        for n in (1, 2, 4, 7) if kind != "scalar" else ():
            compare("convolution_matrix", NUMBERS[kind], n, mode)
    compare("convolution_matrix", [1.0, 2], 0, mode)
    compare("convolution_matrix", [1.0, 2], -1, mode)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 8, 13])
def test_matrices_of_a_size(n):
    for name in ("hadamard", "helmert", "hilbert", "dft", "invhilbert"):
        if (name, n) != ("dft", 0):
            compare(name, n)
    compare("helmert", n, full=True)
    if n:
        for scale in (None, "n", "sqrtn", "other"):
            compare("dft", n, scale)
        for dtype in ("f", "D", "i1"):
            compare("hadamard", n, dtype=dtype)
        compare("pascal", n, "lower")
        compare("invpascal", n)


def test_blocks():
    compare("block_diag", [[1, 2]], [[3.0], [4]], 5)
    compare("block_diag")
    compare("block_diag", numpy.zeros((0, 2)), numpy.ones((1, 1), "f"))
    compare("block_diag", matrix(2, 3, "f"), matrix(3, 1, "F"), [1, 2, 3])
    compare("block_diag", matrix(2, 3, batch=(2, 1)), matrix(1, 2, batch=(3,)))
    for one, two in [((3, 4), (2, 4)), ((3, 4), (2, 3)), ((3,), (3,)), ((0, 2), (3, 2)),
                     ((3, 0), (2, 0))]:
        compare("khatri_rao", numpy.ones(one), numpy.arange(numpy.prod(two)).reshape(two))
    compare("khatri_rao", matrix(3, 4, "F"), matrix(2, 4, "f"))
    for one, two in ["fd", "df", "lf", "ff"]:
        for shape, other in [((0, 2), (3, 2)), ((3, 2), (0, 2)), ((3, 0), (2, 0))]:
            compare("khatri_rao", numpy.ones(shape, one), numpy.ones(other, two))
    compare("diagsvd", [3.0, 2, 1], 3, 5)
    compare("diagsvd", numpy.array([3, 2, 1], "f"), 6, 3)
    compare("diagsvd", [3.0, 2, 1], 4, 4)


BANDS = {
    "full": matrix(5), "wide": numpy.triu(numpy.tril(matrix(4, 7), 2), -1), "zeros":
    numpy.zeros((3, 3)), "none": numpy.zeros((0, 3)), "upper": numpy.triu(matrix(6, 6, "i"), 1),
    "complex": numpy.tril(matrix(6, 6, "F"), -2), "batch": numpy.tril(matrix(4, batch=(2, 3)), 1),
    "bool": numpy.eye(4, dtype=bool), "vector": numpy.ones(3),
}


@pytest.mark.parametrize("kind", list(BANDS))
def test_structure(kind):
    compare("bandwidth", BANDS[kind])
    compare("issymmetric", BANDS[kind])
    compare("ishermitian", BANDS[kind])


def test_vectors_are_no_matrices():
    for call in (lambda: linalg.bandwidth([1, 2]), lambda: linalg.khatri_rao([1, 2], [[1, 2]])):
        with pytest.raises(ValueError) as raised:
            call()
        assert raised.type is numpy.linalg.LinAlgError


def test_bands_of_rows_and_columns():
    # SciPy does not look at the last row above the diagonal, nor at the last column below it.
    for shape, wanted in [((1, 4), (0, 3)), ((2, 1), (1, 0)), ((4, 1), (3, 0)), ((1, 1), (0, 0))]:
        assert linalg.bandwidth(phalanx.ones(shape)) == wanted
    last = numpy.zeros((2, 5))
    last[1, 4] = 1
    assert linalg.bandwidth(phalanx.asarray(last)) == (0, 3)
    assert linalg.bandwidth(phalanx.asarray(last.T)) == (3, 0)


def test_symmetry_within_tolerances():
    for kind in "dDfi":
        a = positive(5, kind)
        near = a + a.dtype.type(numpy.triu(numpy.full((5, 5), 1e-3))).astype(a.dtype)
        for one in (a, near, a[:3]):
            for name in ("issymmetric", "ishermitian"):
                compare(name, one)
                compare(name, one, rtol=1e-2)
                compare(name, one, atol=1e-2)
                compare(name, one, atol=1e-9, rtol=1e-9)


SHAPES = [(1, 1), (2, 2), (3, 3), (1, 5), (5, 1), (2, 5), (5, 2), (9, 9), (20, 13), (13, 20),
          (40, 40), (0, 3), (3, 0), (0, 0)]


@pytest.mark.parametrize("kind", some("dfDFilb?"))
@pytest.mark.parametrize("shape", some(SHAPES))
def test_triangles_with_exchanged_rows(shape, kind):
    a = matrix(*shape, kind)
    for options in ({}, {"permute_l": True}, {"p_indices": True}):
        other = scipy.linalg.lu(a, **options)
        tolerance = 1e-3 if kind in _SINGLE else 1e-9
        check(linalg.lu(owned(a), **options), other, tolerance, dtype=shape != (1, 1))
    if shape[0] == shape[1] or a.size == 0:
        compare("lu_factor", a, tolerance=1e-3 if kind in _SINGLE else 1e-9)


def test_triangles_of_batches_and_singular_matrices():
    for batch in [(3,), (2, 3)]:
        for options in ({}, {"permute_l": True}, {"p_indices": True}):
            compare("lu", matrix(9, 12, batch=batch), **options)
        compare("lu_factor", matrix(12, batch=batch))
    compare("lu", matrix(3)[0])
    with pytest.raises(ValueError, match="two-dimensional"):
        linalg.lu_factor(phalanx.ones(3))
    compare("lu", numpy.zeros((4, 4)))
    compare("lu", numpy.where(numpy.eye(3), numpy.nan, 1.0))
    compare("lu_factor", numpy.where(numpy.eye(3), numpy.inf, 1.0))
    singular = numpy.ones((4, 4))
    with pytest.warns(scipy.linalg.LinAlgWarning):
        factors, _ = linalg.lu_factor(phalanx.asarray(singular))
    numpy.testing.assert_array_equal(factors.get()[1:, 1:], 0)


def test_triangles_of_several_panels():
    for shape in [(300, 300), (150, 280), (280, 150)]:
        a = matrix(*shape)
        check(linalg.lu(phalanx.asarray(a), p_indices=True), scipy.linalg.lu(a, p_indices=True),
              1e-8)
    check(linalg.lu_factor(phalanx.asarray(a[:150])), scipy.linalg.lu_factor(a[:150]), 1e-8)


def test_a_narrow_step_of_panels(monkeypatch):
    from phalanx.scipy.linalg import _lu

    monkeypatch.setattr(_lu, "_WIDTH", 3)
    for shape in [(10, 10), (7, 11), (11, 7)]:
        compare("lu", matrix(*shape), p_indices=True)
        compare("lu", matrix(*shape, batch=(2,)))


@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize("kinds", some(["dd", "fD", "DD", "if"]))
def test_solutions_of_factors(kinds, trans):
    a = matrix(7, kind=kinds[0])
    factors, exchanges = scipy.linalg.lu_factor(a)
    for shape in [(7,), (7, 3), (7, 0), (6,), (2, 7, 3)]:
        b = numpy.random.default_rng(2).standard_normal(shape).astype(kinds[1])
        compare("lu_solve", (factors, exchanges), b, trans)
    many = matrix(7, kind=kinds[0], batch=(2,))
    compare("lu_solve", scipy.linalg.lu_factor(many), matrix(7, 2, kinds[1], batch=(2,)), trans)


@pytest.mark.parametrize("trans", [0, "T", 2])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("kinds", some(["dd", "ff", "fD", "DF", "ii"]))
def test_triangular_solutions(kinds, lower, trans):
    a = matrix(6, kind=kinds[0]) + (5 * numpy.eye(6)).astype(kinds[0])
    for shape in [(6,), (6, 2), (6, 0), (5,), (2, 6, 3)]:
        b = numpy.random.default_rng(2).standard_normal(shape) * 4
        b = numpy.asarray(b).astype(kinds[1])
        for unit in (False, True):
            compare("solve_triangular", a, b, trans, lower, unit)
    singular = a.copy()
    singular[2, 2] = 0
    compare("solve_triangular", singular, numpy.ones(6), trans, lower)
    with pytest.raises(ValueError, match="trans"):
        linalg.solve_triangular(owned(a), phalanx.ones(6), "other")


def test_triangular_solutions_in_blocks():
    a = matrix(600, seed=3) * 0.01 + 5 * numpy.eye(600)
    b = matrix(600, 2)
    for lower in (False, True):
        for trans in (0, 1):
            compare("solve_triangular", a, b, trans, lower, tolerance=1e-10)


ASSUMED = [None, "gen", "diagonal", "tridiagonal", "upper triangular", "lower triangular", "sym",
           "her", "pos", "other"]


@pytest.mark.parametrize("assumed", some(ASSUMED))
@pytest.mark.parametrize("kinds", some(["dd", "ff", "DD", "fD", "ii", "df"]))
def test_solutions(kinds, assumed):
    general = matrix(5, kind=kinds[0])
    structure = {
        "diagonal": numpy.diag(numpy.diag(general)) + numpy.eye(5).astype(kinds[0]),
        "tridiagonal": numpy.triu(numpy.tril(general, 1), -1),
        "upper triangular": numpy.triu(general) + 9 * numpy.eye(5).astype(kinds[0]),
        "lower triangular": numpy.tril(general) + 9 * numpy.eye(5).astype(kinds[0]),
        "sym": general + general.T, "her": general + general.conj().T,
        "pos": positive(5, kinds[0]),
    }
    a = structure.get(assumed, general)
    for shape in [(5,), (5, 2), (5, 0), (4,), (3, 5, 2)]:
        b = (numpy.random.default_rng(2).standard_normal(shape) * 4).astype(kinds[1])
        for transposed in (False, True):
            compare("solve", a, b, assume_a=assumed, transposed=transposed)
    if assumed in ("sym", "her", "pos"):
        b = numpy.arange(5.0)
        compare("solve", numpy.tril(a), b, lower=True, assume_a=assumed)
        compare("solve", numpy.triu(a), b, assume_a=assumed)


SHORT = [(one, two) for one in "?bBhH" for two in "?bHefF"]


@pytest.mark.parametrize("assumed", some([*ASSUMED[:-1], "banded"]))
def test_precision_of_solutions_of_short_integers(assumed):
    for one, two in [*SHORT, ("f", "b"), ("e", "?"), ("F", "H")]:
        a = numpy.eye(3).astype(one)
        for shape in [(3,), (3, 2), (3, 0)]:
            compare("solve", a, numpy.ones(shape, two), assume_a=assumed)
        compare("solve", a[:1, :1], numpy.ones(1, two), assume_a=assumed)


@pytest.mark.parametrize("kind", some("?bBhHef"))
def test_precision_of_functions_of_short_integers(kind):
    for a in ([[1, 1], [1, 1]], [[4, 0], [0, 9]], [[1, 2], [0, 3]], [[4, 1], [1, 3]]):
        a = numpy.array(a).astype(kind)
        tolerance = 1e-4 if kind in "?ef" else None
        compare("sqrtm", a, tolerance=tolerance)
        compare("signm", a, tolerance=tolerance)
        compare("inv", a + numpy.eye(2).astype(kind), tolerance=1e-4)
    compare("sqrtm", numpy.zeros((0, 0), kind))
    compare("signm", numpy.zeros((0, 0), kind))


@pytest.mark.parametrize("shape", [(1, 1), (1, 1, 1), (1, 1, 1, 1)], ids=str)
def test_solutions_of_one_element(shape):
    for right in [(), (1,), (3,), (0,), (1, 1), (1, 3), (1, 0), (2, 3), (1, 1, 3), (2, 1, 3)]:
        # SciPy does not divide stacks by one number.
        if right != (2, 1, 3):
            for assumed in (None, "diagonal", "sym"):
                compare("solve", numpy.full(shape, 2.0), numpy.ones(right), assume_a=assumed)
    own = linalg.solve(phalanx.full(shape, 2.0), phalanx.ones((2, 1, 3)))
    check(own, numpy.full((*shape[:-3], 2, 1, 3), 0.5))
    compare("solve", numpy.zeros(shape), numpy.ones(1))


def test_solutions_that_fail():
    compare("solve", numpy.zeros((3, 3)), numpy.ones(3))
    compare("solve", matrix(3, 4), numpy.ones(3))
    compare("solve", numpy.full((3, 3), numpy.nan), numpy.ones(3))
    compare("solve", [[0.0]], [1.0])
    compare("solve", [[2.0]], [1.0, 3])
    compare("solve", numpy.zeros((0, 0)), numpy.zeros(0))
    compare("solve", matrix(3, batch=(2,)), numpy.ones(3))
    compare("solve", -numpy.eye(3), numpy.ones(3), assume_a="pos")


@pytest.mark.parametrize("kind", some("dfDFilb"))
def test_cholesky(kind):
    a = positive(4, kind)
    for lower in (False, True):
        for one in (a, a + numpy.triu(matrix(4, kind=kind), 1), -a, a[:3], numpy.zeros((0, 0)),
                    positive(4, "d", (2,))):
            compare("cholesky", one, lower)
            if one.ndim == 2:
                compare("cho_factor", one, lower)
        factor = scipy.linalg.cho_factor(a, lower)
        for shape in [(4,), (4, 2), (3,), (2, 4, 3), (4, 0)]:
            b = numpy.random.default_rng(2).standard_normal(shape)
            own = outcome(linalg.cho_solve, (phalanx.asarray(factor[0]), lower), owned(b))
            check(own, outcome(scipy.linalg.cho_solve, factor, b),
                  1e-4 if kind in _SINGLE else None)
    compare("cholesky", numpy.full((2, 2), numpy.nan))
    compare("cholesky", numpy.ones(3))


@pytest.mark.parametrize("kind", some("dfDFilb"))
def test_determinants_norms_and_inverses(kind):
    a = matrix(4, kind=kind)
    tolerance = 1e-5 if kind in _SINGLE else 1e-9
    compare("det", a, tolerance=tolerance)
    compare("det", matrix(3, kind=kind, batch=(2,)), tolerance=tolerance)
    compare("det", a[:3])
    compare("det", numpy.zeros((0, 0)))
    for order in (None, "fro", 1, -1, 2, numpy.inf, "nuc"):
        # SciPy has a Python number for some norms of single precision.
        check(linalg.norm(owned(a), order), scipy.linalg.norm(a, order), tolerance, dtype=False)
    compare("norm", a[0], 3)
    compare("norm", a, 1, axis=0, keepdims=True)
    for one in (a, a[:2], a[:, :2], matrix(3, 2, kind, batch=(2,)), numpy.zeros((0, 3))):
        compare("pinv", one)
        compare("pinv", one, return_rank=True, rtol=0.3)
        compare("svdvals", one)
    for lower in (False, True):
        compare("pinvh", positive(4, kind), lower=lower, return_rank=True)
        compare("pinvh", positive(4, kind), atol=70.0, lower=lower, return_rank=True)
    compare("pinv", a, rtol=-1.0)


@pytest.mark.parametrize("driver", ["gelsd", "gelss", "gelsy", "other"])
def test_least_squares(driver):
    for kind in some("dfDi"):
        for shape in [(6, 3), (3, 6), (4, 4), (0, 3), (3, 0)]:
            a = matrix(*shape, kind=kind)
            for b in (numpy.arange(1.0, shape[0] + 1), matrix(shape[0], 2, kind)):
                compare("lstsq", a, b, lapack_driver=driver)
    rank_one = numpy.outer(numpy.arange(1.0, 6), [1.0, 2, 3])
    compare("lstsq", rank_one, numpy.ones(5), lapack_driver=driver)
    if driver != "gelsy":
        compare("lstsq", matrix(5, 3), numpy.ones(5), 0.9, lapack_driver=driver)
    compare("lstsq", matrix(5, 3), numpy.ones(4), lapack_driver=driver)


def test_circulant_and_toeplitz_equations():
    c, b = NUMBERS["d"], matrix(5, 2)
    for one in (c, NUMBERS["l"], numpy.asarray(c) + 1j):
        compare("solve_circulant", one, b)
        compare("solve_circulant", one, b[:, 0])
        compare("solve_toeplitz", one, b)
        compare("solve_toeplitz", (one, [1.0, 2, 0, 4, 5]), b[:, 1])
        compare("matmul_toeplitz", one, b)
        compare("matmul_toeplitz", (one, [1.0, 2, 7]), b[:3])
        compare("matmul_toeplitz", (one, [1.0, 2, 7]), b[:3, 0])
        compare("matmul_toeplitz", (one, [1.0, 2, 7]), b)
    compare("solve_circulant", matrix(2, 5), matrix(5, 2), outaxis=-1)
    compare("solve_circulant", matrix(2, 5)[:, None], matrix(3, 5), baxis=-1, outaxis=-1)
    for singular in ("raise", "lstsq", "other"):
        compare("solve_circulant", [1, 1, 0, 0], [1, 2, 3, 4], singular)
    compare("solve_circulant", [1, 1, 0, 0], [1, 2, 3, 4, 5])
    compare("solve_toeplitz", c, b[:4])
    compare("solve_toeplitz", numpy.ones(3), numpy.ones(3))


@pytest.mark.parametrize("kind", some("dfDFi"))
def test_eigenvalues_of_hermitian_matrices(kind):
    a = positive(6, kind) + matrix(6, kind=kind)
    tolerance = 1e-3 if kind in _SINGLE else 1e-9
    for lower in (False, True):
        for options in ({}, {"subset_by_index": [1, 3]}, {"subset_by_value": [20.0, 60.0]},
                        {"subset_by_value": [1e5, 1e6]}, {"subset_by_index": [3, 9]},
                        {"subset_by_value": [2.0, 1.0]}, {"driver": "ev"}, {"driver": "gv"},
                        {"driver": "other"}, {"driver": "evd", "subset_by_index": [0, 1]}):
            compare("eigvalsh", a, lower=lower, tolerance=tolerance, **options)
            other = outcome(scipy.linalg.eigh, a, lower=lower, **options)
            own = outcome(linalg.eigh, owned(a), lower=lower, **options)
            if isinstance(other, Exception):
                check(own, other)
                continue
            check(own[0], other[0], tolerance)
            full = numpy.tril(a) + numpy.tril(a, -1).conj().T if lower else (
                numpy.triu(a) + numpy.triu(a, 1).conj().T)
            full = full - 1j * numpy.diag(full.diagonal().imag) if full.dtype.kind == "c" else full
            check_vectors(full, numpy.eye(6), own, other, tolerance)


def check_vectors(a, b, own, other, tolerance):
    """Eigenvectors may differ by a factor of size 1."""
    values, vectors = (host(one) for one in own)
    assert vectors.shape == other[1].shape and vectors.dtype == other[1].dtype
    size = max(abs(other[1]).max(initial=0), 1) * max(abs(a).max(), abs(values).max(initial=0))
    numpy.testing.assert_allclose(a @ vectors, (b @ vectors) * values, atol=tolerance * size)
    numpy.testing.assert_allclose(abs(vectors), abs(other[1]), atol=20 * tolerance)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("kinds", some(["dd", "DD", "dD", "ii"]))
def test_generalised_eigenvalues(kinds, kind):
    a, b = positive(5, kinds[0]) - matrix(5, kind=kinds[0]), positive(5, kinds[1])
    a = a + a.conj().T
    for lower in (False, True):
        for options in ({}, {"subset_by_index": [1, 2]}):
            compare("eigvalsh", a, b, type=kind, lower=lower, **options)
            other = outcome(scipy.linalg.eigh, a, b, type=kind, lower=lower, **options)
            own = outcome(linalg.eigh, owned(a), owned(b), type=kind, lower=lower, **options)
            if isinstance(other, Exception):
                check(own, other)
                continue
            check(own[0], other[0])
            left, right = {1: (a, b), 2: (a @ b, numpy.eye(5)), 3: (b @ a, numpy.eye(5))}[kind]
            check_vectors(left, right, own, other, 1e-9)
    compare("eigh", a, -b, type=kind)
    compare("eigh", a, b[:4, :4], type=kind)


@pytest.mark.parametrize("kind", some("dfDi"))
def test_eigenvalues_of_general_matrices(kind):
    tolerance = 1e-3 if kind in _SINGLE else 1e-9
    for a in (matrix(5, kind=kind), positive(4, kind), matrix(3, kind=kind, batch=(2,))):
        other, own = scipy.linalg.eig(a), linalg.eig(owned(a))
        order, own_order = numpy.lexsort((other[0].imag, other[0].real)), None
        values = host(own[0])
        own_order = numpy.lexsort((values.imag.round(6), values.real.round(4)))
        order = numpy.lexsort((other[0].imag.round(6), other[0].real.round(4)))
        check(numpy.take_along_axis(values, own_order, -1),
              numpy.take_along_axis(other[0], order, -1), tolerance)
        vectors = host(own[1])
        assert vectors.dtype == other[1].dtype
        size = tolerance * abs(values).max()
        numpy.testing.assert_allclose(a @ vectors, vectors * values[..., None, :], atol=size)
        numpy.testing.assert_allclose(
            numpy.sort_complex(host(linalg.eigvals(owned(a)))), numpy.sort_complex(values),
            atol=size)
    a, b = matrix(4, kind=kind), matrix(4, kind=kind, seed=2)
    compare("eig", a, left=True)
    compare("eig", a, b)
    compare("eigvals", a, b, homogeneous_eigvals=True)
    assert linalg.eigvals(owned(a), homogeneous_eigvals=True).shape == (2, 4)
    compare("eig", a[:3])
    compare("eigvals", numpy.full((2, 2), numpy.inf))


@pytest.mark.parametrize("kind", some("dfDFi"))
@pytest.mark.parametrize("shape", some([(4, 4), (6, 3), (3, 6), (0, 3), (3, 0)]))
def test_orthonormal_factors(shape, kind):
    a = matrix(*shape, kind=kind if 0 not in shape or kind != "i" else "d")
    tolerance = 1e-4 if kind in _SINGLE else 1e-9
    for mode in ("full", "r", "economic", "raw", "other"):
        compare("qr", a, mode=mode, tolerance=tolerance)
    compare("qr", a, pivoting=True, tolerance=tolerance)
    for mode in ("full", "r", "economic", "other"):
        compare("rq", a, mode=mode, tolerance=tolerance)


@pytest.mark.parametrize("kind", some("dfD"))
def test_products_with_orthonormal_factors(kind):
    a, tolerance = matrix(5, 3, kind), 1e-4 if kind in _SINGLE else 1e-9
    for one in (a, a.T):
        rows = one.shape[0]
        for c in (matrix(2, rows, kind), numpy.arange(float(rows)), matrix(2, 9, kind)):
            for conjugate in (False, True):
                compare("qr_multiply", one, c, conjugate=conjugate, tolerance=tolerance)
                compare("qr_multiply", one, c.T, "left", conjugate=conjugate, tolerance=tolerance)
        compare("qr_multiply", one, matrix(2, rows, kind), pivoting=True, tolerance=tolerance)
    compare("qr_multiply", a, matrix(2, 5), "other")
    compare("qr", matrix(4, 2, kind, batch=(3,)), tolerance=tolerance)
    compare("qr", numpy.ones(3))


@pytest.mark.parametrize("kind", some("dfDFi"))
def test_singular_values(kind):
    tolerance = 1e-3 if kind in _SINGLE else 1e-9
    for shape in [(4, 4), (5, 3), (3, 5)]:
        a = matrix(*shape, kind=kind)
        for full in (False, True):
            u, s, vh = map(host, linalg.svd(owned(a), full_matrices=full))
            other = scipy.linalg.svd(a, full_matrices=full)
            check([abs(u), s, abs(vh)][1], other[1], tolerance)
            assert (u.shape, vh.shape) == (other[0].shape, other[2].shape)
            assert u.dtype == other[0].dtype
            made = (u[:, : s.size] * s) @ vh[: s.size]
            numpy.testing.assert_allclose(made, a, atol=10 * tolerance)
        compare("svd", a, compute_uv=False, tolerance=tolerance)
        for side in ("left", "right", "other"):
            compare("polar", a, side, tolerance=tolerance)
    compare("svd", a, lapack_driver="other")
    compare("svd", a, lapack_driver=3)
    compare("svd", numpy.full((2, 2), numpy.nan))
    compare("orthogonal_procrustes", matrix(5, 3, kind), matrix(5, 3, kind, seed=2),
            tolerance=tolerance)
    compare("orthogonal_procrustes", matrix(5, 3, kind), matrix(4, 3, kind))


@pytest.mark.parametrize("kind", some("dDf"))
def test_spaces(kind):
    tolerance = 1e-3 if kind in _SINGLE else 1e-7
    low = (matrix(6, 2, kind) @ matrix(2, 5, kind)).astype(kind)
    for name in ("orth", "null_space"):
        for a in (low, low.T, matrix(4, kind=kind), matrix(3, 5, kind)):
            other, own = getattr(scipy.linalg, name)(a), host(getattr(linalg, name)(owned(a)))
            assert own.shape == other.shape and own.dtype == other.dtype
            projection = own @ own.conj().T, other @ other.conj().T
            numpy.testing.assert_allclose(*projection, atol=tolerance)
        assert getattr(linalg, name)(owned(low), 0.9).shape == (
            getattr(scipy.linalg, name)(low, 0.9).shape)
    for one, two in [(matrix(6, 2, kind), matrix(6, 3, kind, 2)), (matrix(5, 3, kind),) * 2,
                     (matrix(5, 3, kind), matrix(5, 2, kind, 4)), (low, low[:5])]:
        compare("subspace_angles", one, two, tolerance=tolerance)


@pytest.mark.parametrize("kind", some("dfDFib"))
def test_exponentials(kind):
    tolerance = 1e-3 if kind in "fF" else 1e-4 if kind in _SINGLE else 1e-10
    for size in (0.0, 0.01, 0.1, 0.5, 1, 3, 20):
        a = (matrix(5) * size / 10).astype(kind)
        compare("expm", a, tolerance=tolerance)
    compare("expm", (matrix(3, batch=(4,)) * numpy.array([0.01, 0.3, 2, 9])[:, None, None])
            .astype(kind), tolerance=tolerance)
    for shape in [(0, 0), (2, 2), (3, 0, 0), (2, 3), (3,), (1,), ()]:
        compare("expm", numpy.full(shape, 2).astype(kind), tolerance=tolerance)


@pytest.mark.parametrize("name", ["cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm"])
def test_trigonometric_functions(name):
    for kind in some("dDf"):
        compare(name, matrix(4, kind=kind) / 4, tolerance=1e-3 if kind == "f" else 1e-9)
    compare(name, matrix(2, batch=(2,)) / 4)
    compare(name, matrix(2, 3))


@pytest.mark.parametrize("name", ["sqrtm", "logm", "signm"])
def test_roots_and_logarithms(name):
    for kind in some("dDf"):
        tolerance = 1e-3 if kind == "f" else 1e-8
        for a in (positive(5, kind), matrix(5, kind=kind), numpy.eye(4, dtype=kind)):
            compare(name, a, tolerance=tolerance)
    compare(name, numpy.diag([4.0, -9, 1]))
    compare(name, matrix(2, 3))


def test_powers_and_derivatives():
    for t in (2, -1, 0.5, -0.3, 2.5):
        compare("fractional_matrix_power", positive(4), t, tolerance=1e-8)
        compare("fractional_matrix_power", matrix(4) + 9 * numpy.eye(4), t, tolerance=1e-8)
    for kind in "dDf":
        a, e = matrix(4, kind=kind), matrix(4, kind=kind, seed=2)
        tolerance = 1e-5 if kind == "f" else 1e-8
        compare("expm_frechet", a, e, tolerance=tolerance)
        compare("expm_frechet", a, e, "blockEnlarge", False, tolerance=tolerance)
        compare("expm_frechet", a, e, "other")
        compare("expm_frechet", a, e[:3])
    compare("expm_cond", matrix(3))
    compare("funm", matrix(4), lambda x: x * x)


def test_functions_of_scipy():
    a, b, q = matrix(4), matrix(4, seed=2), positive(4)
    compare("schur", a)
    compare("schur", a, "complex", sort="lhp")
    compare("hessenberg", a, True)
    compare("ldl", a + a.T)
    compare("qz", a, b)
    compare("solve_sylvester", a, b, q)
    compare("solve_continuous_lyapunov", a, q)
    compare("solve_discrete_are", a, b, q, q)
    compare("solve_banded", (1, 1), matrix(3, 6), numpy.ones(6))
    compare("eigh_tridiagonal", [1.0, 2, 3], [0.5, 0.25], eigvals_only=True)
    compare("matrix_balance", a)
    compare("qr_insert", *scipy.linalg.qr(a), numpy.ones(4), 2)
    compare("cossin", scipy.linalg.qr(a)[0], 2, 2)
    assert linalg.get_blas_funcs("gemm", (phalanx.ones(2, "f"),)).typecode == "s"
    own = linalg.schur(phalanx.asarray(a))
    assert all(isinstance(one, phalanx.ndarray) for one in own)
    with pytest.raises(ValueError, match="too long"):
        linalg.schur(phalanx.zeros((2049, 2048)))


def test_sketches():
    a = matrix(30, 4)
    for rng in (3, numpy.random.default_rng(3)):
        other = scipy.linalg.clarkson_woodruff_transform(a, 7, rng=3)
        check(linalg.clarkson_woodruff_transform(owned(a), 7, rng=rng), other)
    assert linalg.clarkson_woodruff_transform(owned(a), 7).shape == (7, 4)
    assert linalg.clarkson_woodruff_transform(owned(matrix(9, 4, batch=(2,))), 7).shape == (2, 7, 4)


def test_names_signatures_and_modules():
    theirs = [name for name in scipy.linalg.__all__ if not inspect.ismodule(
        getattr(scipy.linalg, name))]
    assert set(theirs) <= set(linalg.__all__)
    for name in linalg.__all__:
        own, other = getattr(linalg, name), getattr(scipy.linalg, name)
        if inspect.ismodule(other) or inspect.isclass(other):
            assert own is other
            continue
        assert own.__doc__, name
        given, wanted = (inspect.signature(one).parameters.values() for one in (own, other))
        assert [(one.name, one.kind) for one in given] == [
            (one.name, one.kind) for one in wanted], name
        # An object without a value stands for no argument.
        assert all(one.default == another.default or type(one.default) is object
                   for one, another in zip(given, wanted)), name


def test_scipy_is_loaded_when_it_is_needed():
    program = """
import sys, phalanx
assert "phalanx.scipy.linalg" not in sys.modules
from phalanx.scipy import linalg
linalg.lu(linalg.expm(phalanx.eye(3)))
assert "scipy" not in sys.modules
assert linalg.LinAlgError is phalanx.linalg.LinAlgError
assert "scipy" not in sys.modules
"""
    environment = {"PYTHONPATH": str(pathlib.Path(ROOT) / "python"), "PHALANX_DEVICES": "cpu:1"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


@pytest.mark.parametrize("n", ["a", None, [2]])
def test_an_order_that_is_no_number(n):
    for of in (scipy.linalg, linalg):
        with pytest.raises(TypeError):
            of.hadamard(n)
