"""Matrices in bands that are solved on devices, in slabs of rows; and limits of the host."""

import numpy
import pytest
import scipy.linalg

import phalanx
from phalanx.scipy import linalg
from phalanx.scipy.linalg import _host, _slabs

from .signal_cases import check, outcome, owned, some


@pytest.fixture
def long(monkeypatch):
    """Every array counts as one that is too long for the host."""
    monkeypatch.setattr(_host, "LONG", 0)


def bands(below, above, n, kind, added=0.0):
    draws = numpy.random.default_rng(n)
    ab = draws.standard_normal((below + above + 1, n))
    if kind in "FD":
        ab = ab + 1j * draws.standard_normal(ab.shape)
    ab[above] += added
    return ab.astype(kind)


def right(n, kind, *count):
    return numpy.random.default_rng(1).standard_normal((n, *count)).astype(kind)


def backward_error(below, above, ab, x, b):
    """The residual, relative to the sizes of the matrix, the solution and the right side."""
    made = numpy.zeros(numpy.broadcast_shapes(x.shape, b.shape), numpy.result_type(ab, x, b, "d"))
    n = ab.shape[1]
    for line, values in enumerate(ab):
        columns = numpy.arange(n)
        rows = columns + line - above
        inside = (rows >= 0) & (rows < n)
        product = values.reshape(-1, *[1] * (x.ndim - 1)) * x
        made[rows[inside]] += product[columns[inside]]
    size = abs(ab).sum(axis=0).max() * abs(x).max() + abs(b).max()
    return abs(made - b).max() / size


# The last rows are fewer than one slab, one slab, several ones, and ones of several levels.
EXTENTS = [1, 2, 8, 9, 17, 600, 2000, 2600]


@pytest.mark.parametrize("kind", some("dDf"))
@pytest.mark.parametrize("n", EXTENTS)
@pytest.mark.parametrize("sides", some([(1, 1), (2, 3), (5, 4), (0, 0), (0, 2), (3, 0), (1, 6)]),
                         ids=str)
def test_long_bands(sides, n, kind, long, monkeypatch):
    monkeypatch.setattr(_slabs, "_FEW_ROWS", 40)
    below, above = sides
    # Without dominant diagonals, exchanges of rows are needed; triangles are ill-conditioned.
    ab = bands(below, above, n, kind, 0.0 if min(sides) == max(sides) > 0 else 9.0)
    for b in (right(n, kind), right(n, kind, 3)):
        other = scipy.linalg.solve_banded(sides, ab, b)
        own = linalg.solve_banded(sides, phalanx.asarray(ab), phalanx.asarray(b)).get()
        assert (own.shape, own.dtype) == (other.shape, other.dtype)
        rounding = numpy.finfo(kind).eps
        assert backward_error(below, above, ab, own, b) < 8 * rounding
        # The solutions agree as far as the condition of the matrix allows.
        if min(sides) != max(sides) or n < 20:
            numpy.testing.assert_allclose(own, other, rtol=1e4 * rounding,
                                          atol=1e4 * rounding * abs(other).max())


@pytest.mark.parametrize("sides", [(1, 1), (2, 3)], ids=str)
@pytest.mark.parametrize("n", [40, 601])
def test_long_bands_in_groups(sides, n, long, monkeypatch):
    monkeypatch.setattr(_slabs, "_FEW_ROWS", 8)
    monkeypatch.setattr(_slabs, "_GROUP", 64)
    ab, b = bands(*sides, n, "d", 9.0), right(n, "d", 2)
    own = linalg.solve_banded(sides, phalanx.asarray(ab), phalanx.asarray(b))
    check(own, scipy.linalg.solve_banded(sides, ab, b))


def laplacian(n, ends):
    ab = numpy.repeat([[-1.0], [2.0], [-1.0]], n, axis=1)
    ab[1, [0, -1]] = ends
    return ab


def without_row(ab, row):
    """The matrix of three diagonals with zeros in a row."""
    ab, n = ab.copy(), ab.shape[1]
    for line, column in enumerate(range(row + 1, row - 2, -1)):
        if 0 <= column < n:
            ab[line, column] = 0
    return ab


# Each one is singular in exact arithmetic, and elimination finds an exact zero.
SINGULAR = {
    "laplacian": lambda n: laplacian(n, 1.0),
    "ones": lambda n: numpy.ones((3, n - (n - 2) % 3)),
    "first row": lambda n: without_row(bands(1, 1, n, "d"), 0),
    "row": lambda n: without_row(bands(1, 1, n, "d"), n // 3),
    "last row": lambda n: without_row(bands(1, 1, n, "d"), n - 1),
    "column": lambda n: bands(1, 1, n, "d") * (numpy.arange(n) != n // 2),
}


@pytest.mark.parametrize("kind", some("df"))
@pytest.mark.parametrize("n", [30, 2000, 20000])
@pytest.mark.parametrize("case", SINGULAR)
def test_singular_long_bands(case, n, kind, long):
    ab = SINGULAR[case](n).astype(kind)
    b = numpy.ones(ab.shape[1], kind)
    own = outcome(linalg.solve_banded, (1, 1), phalanx.asarray(ab), phalanx.asarray(b))
    other = outcome(scipy.linalg.solve_banded, (1, 1), ab, b)
    assert isinstance(other, numpy.linalg.LinAlgError)
    assert isinstance(own, numpy.linalg.LinAlgError), own


def test_long_bands_that_are_not_singular(long):
    n = 2000
    # Columns of different lengths, and a matrix with a large condition.
    ab = laplacian(n, 2.0) * 10.0 ** numpy.linspace(-20, 20, n)
    for one in (laplacian(n, 2.0), laplacian(n, 1.0 + 1e-8), ab):
        b = right(n, "d")
        own = linalg.solve_banded((1, 1), phalanx.asarray(one), phalanx.asarray(b))
        check(own, scipy.linalg.solve_banded((1, 1), one, b), 1e-4)


@pytest.mark.parametrize("kind", some("?bBhHefFd"))
def test_dtypes_of_long_bands(kind, long):
    ab = numpy.repeat([[0], [1], [0]], 30, axis=1).astype(kind)
    for other_kind in some("?bHefFl"):
        b = numpy.ones(30, other_kind)
        own = linalg.solve_banded((1, 1), phalanx.asarray(ab), phalanx.asarray(b))
        check(own, scipy.linalg.solve_banded((1, 1), ab, b))


def half_bands(half, n, kind, lower):
    """Those of a positive definite matrix, which need not have a dominant diagonal."""
    factor = numpy.tril(numpy.triu(bands(0, n - 1, n, kind).T, -half))
    whole = factor @ factor.conj().T + numpy.eye(n)
    made = numpy.zeros((half + 1, n), kind)
    for step in range(min(half + 1, n)):
        band = whole.diagonal(-step) if lower else whole.diagonal(step)
        if lower:
            made[step, : n - step] = band
        else:
            made[half - step, step:] = band
    # What is beyond the matrix is not used.
    made[made == 0] = 7
    return made


@pytest.mark.parametrize("kind", some("dDf"))
@pytest.mark.parametrize("n", [2, 3, 8, 9, 17, 150, 400])
@pytest.mark.parametrize("half", some([0, 1, 2, 5]))
def test_long_definite_bands(half, n, kind, long, monkeypatch):
    monkeypatch.setattr(_slabs, "_FEW_ROWS", 20)
    if n > 100:
        monkeypatch.setattr(_slabs, "_GROUP", 256)
    for lower in (False, True):
        ab = half_bands(half, n, kind, lower)
        for b in (right(n, kind), right(n, kind, 3)):
            other = outcome(scipy.linalg.solveh_banded, ab, b, lower=lower)
            own = linalg.solveh_banded(phalanx.asarray(ab), phalanx.asarray(b), lower=lower)
            check(own, other, 2e-2 if kind == "f" else 1e-8)
    # One element of the diagonal makes the matrix indefinite.
    ab[0 if lower else half, n // 2] -= 1e3
    for one in (ab, -ab):
        own = outcome(linalg.solveh_banded, phalanx.asarray(one), phalanx.asarray(b), lower=lower)
        other = outcome(scipy.linalg.solveh_banded, one, b, lower=lower)
        assert isinstance(own, numpy.linalg.LinAlgError), own
        assert isinstance(other, numpy.linalg.LinAlgError) or half == 0


def test_long_bands_with_zeros_on_the_diagonal(long, monkeypatch):
    monkeypatch.setattr(_slabs, "_FEW_ROWS", 8)
    # The neighbours are exchanged in pairs: elimination without exchanges divides by zero.
    n = 400
    ab = numpy.zeros((3, n))
    ab[0, 1::2], ab[2, ::2] = 2.0, 3.0
    b = right(n, "d")
    own = linalg.solve_banded((1, 1), phalanx.asarray(ab), phalanx.asarray(b))
    check(own, scipy.linalg.solve_banded((1, 1), ab, b))


def test_errors_of_long_bands(long):
    ab, b = bands(1, 1, 30, "d"), right(30, "d")
    for one, two, sides in [(ab, b[:9], (1, 1)), (ab, b, (2, 1)), (0 * ab, b, (1, 1)),
                            (0 * ab[:1], b, (0, 0)), (ab, b, (-1, 3)),
                            (ab, b, (3, -1)), (numpy.full_like(ab, numpy.nan), b, (1, 1))]:
        own = outcome(linalg.solve_banded, sides, owned(one), owned(two))
        check(own, outcome(scipy.linalg.solve_banded, sides, one, two))
    assert linalg.solve_banded((1, 1), owned(ab), owned(b[:, None][:, :0])).shape == (30, 0)


def test_arguments_of_the_host_stay_there(long):
    ab, b = bands(1, 1, 30, "d"), right(30, "d")
    check(linalg.solve_banded((1, 1), ab, b), scipy.linalg.solve_banded((1, 1), ab, b))


def test_long_arrays_are_refused():
    half = phalanx.broadcast_to(phalanx.ones((1, 1)), (9, 1 << 22))
    for name, given in [("cholesky_banded", (half,)),
                        ("eigvals_banded", (half,))]:
        with pytest.raises(ValueError, match="too long"):
            getattr(linalg, name)(*given)
    column = phalanx.broadcast_to(phalanx.ones(1), ((1 << 22) + 1,))
    with pytest.raises(ValueError, match="too long"):
        linalg.solve_toeplitz(column, column)
