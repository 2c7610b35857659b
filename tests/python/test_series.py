"""NumPy's `polynomial` package: its functions on our arrays, and its classes."""

import numpy
import pytest

import phalanx as np

FAMILIES = {"polynomial": "poly", "chebyshev": "cheb", "hermite": "herm", "hermite_e": "herme",
            "laguerre": "lag", "legendre": "leg"}
CLASSES = ["Polynomial", "Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre"]


def ours(value):
    return np.asarray(value) if isinstance(value, numpy.ndarray) else value


def same(found, expected):
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            same(one, other)
        return
    if hasattr(expected, "coef"):
        assert type(found).__name__ == type(expected).__name__
        assert found.symbol == expected.symbol
        for part in ("coef", "domain", "window"):
            same(getattr(found, part), getattr(expected, part))
        return
    found, expected = numpy.asarray(found), numpy.asarray(expected)
    assert found.shape == expected.shape and found.dtype == expected.dtype
    loose = expected.dtype.char in "fF"
    numpy.testing.assert_allclose(found, expected, rtol=1e-3 if loose else 1e-8, atol=1e-6)


A = numpy.array([1.0, -2.0, 3.0, 0.5])
B = numpy.array([2, 1, 0])
C = numpy.array([1 + 2j, 3.0])
X = numpy.array([[-0.75, 0.0, 0.25], [0.5, 0.75, 1.0]])
GRID = numpy.arange(6.0).reshape(2, 3) - 2


@pytest.mark.parametrize("family", FAMILIES)
def test_functions_give_what_numpy_gives(family):
    prefix = FAMILIES[family]
    mine = getattr(np.polynomial, family)
    theirs = getattr(numpy.polynomial, family)

    def check(suffix, *arguments, **keywords):
        name = f"{prefix}{suffix}"
        expected = getattr(theirs, name)(*arguments, **keywords)
        same(getattr(mine, name)(*map(ours, arguments), **keywords), expected)

    for other in (B, C, A[:1], numpy.array([0.0, 0.0])):
        for suffix in ("add", "sub", "mul"):
            check(suffix, A, other)
            check(suffix, other, A)
    check("div", A, B)
    check("mulx", A)
    check("pow", B, 3)
    check("trim", numpy.array([1.0, 2.0, 1e-9]), tol=1e-6)
    check("companion", A)
    check("roots", A)
    check("fromroots", numpy.array([1.0, 2.0, -1.0]))
    check("line", 2.0, 0.5)
    for c in (A, B, C, A[:1], A.astype("f4"), GRID):
        check("val", X, c)
        check("val", 0.5, c)
        check("der", c)
        check("der", c, 2, 0.5)
        check("int", c)
        check("int", c, 2, [1, 2], 0.5, 2.0)
    check("val", X[0], GRID, tensor=False)
    check("der", GRID, axis=1)
    check("int", GRID, axis=-1)
    check("der", A, 7)
    check("int", numpy.zeros(1))
    check("val2d", X, X[::-1], GRID)
    check("val3d", X, X, X, numpy.ones((2, 1, 3)))
    check("grid2d", X[0], X[1], GRID)
    check("grid3d", X[0], X[1], X[0], numpy.ones((2, 1, 3)))
    check("vander", X, 3)
    check("vander", numpy.arange(3), 0)
    check("vander2d", X, X, [1, 2])
    check("vander3d", X, X, X, [1, 0, 1])
    x, y = numpy.linspace(-1, 1, 9), numpy.cos(numpy.linspace(-1, 1, 9))
    for deg in (2, [0, 2], [1]):
        check("fit", x, y, deg)
        check("fit", x, numpy.stack([y, x], 1), deg, w=x + 2)
    full = getattr(mine, f"{prefix}fit")(ours(x), ours(y), 2, full=True)
    same(full, getattr(theirs, f"{prefix}fit")(x, y, 2, full=True))
    if family != "polynomial":
        check("gauss", 5)
        check("weight", numpy.array([0.25, 0.5]))
        for name in (f"{prefix}2poly", f"poly2{prefix}"):
            same(getattr(mine, name)(ours(A)), getattr(theirs, name)(A))
    for name in ("zero", "one", "x", "domain"):
        same(getattr(mine, prefix + name), getattr(theirs, prefix + name))
    assert set(theirs.__all__) <= set(dir(mine)) | {prefix + n for n in ("zero", "one", "x", "domain")}


@pytest.mark.parametrize("family", FAMILIES)
def test_functions_refuse_what_numpy_refuses(family):
    prefix = FAMILIES[family]
    mine = getattr(np.polynomial, family)
    for suffix, mistake, arguments in (
        ("vander", ValueError, (A, -1)), ("vander", TypeError, (A, 1.5)),
        ("der", ValueError, (A, -1)), ("der", TypeError, (A, 0.5)),
        ("int", ValueError, (A, 1, [1, 2])), ("int", ValueError, (A, -1)),
        ("div", ZeroDivisionError, (A, numpy.zeros(1))), ("pow", ValueError, (A, -1)),
        ("add", ValueError, (A, numpy.zeros(0))), ("mul", ValueError, (A, GRID)),
        ("fit", ValueError, (A, A, -1)), ("fit", TypeError, (A, A, 1.5)),
        ("fit", TypeError, (A, A[:2], 1)), ("val2d", ValueError, (A, A[:2], GRID)),
        ("companion", ValueError, (A[:1],)), ("val", IndexError, (A, numpy.zeros(0))),
    ):
        with pytest.raises(mistake):
            getattr(mine, prefix + suffix)(*map(ours, arguments))
    with pytest.warns(numpy.exceptions.RankWarning):
        getattr(mine, prefix + "fit")(ours(A), ours(A), 6)


def test_chebyshev_and_powers_have_more():
    mine, theirs = np.polynomial.chebyshev, numpy.polynomial.chebyshev
    for name in ("chebpts1", "chebpts2"):
        same(getattr(mine, name)(5), getattr(theirs, name)(5))
    same(mine.chebinterpolate(np.tanh, 6), theirs.chebinterpolate(numpy.tanh, 6))
    same(
        np.polynomial.polynomial.polyvalfromroots(ours(X), ours(A)),
        numpy.polynomial.polynomial.polyvalfromroots(X, A),
    )


def test_functions_that_families_share():
    mine, theirs = np.polynomial.polyutils, numpy.polynomial.polyutils
    for seq in (A, numpy.array([1, 0, 0]), numpy.zeros(3), numpy.zeros(0)):
        same(mine.trimseq(ours(seq)), theirs.trimseq(seq))
    for trim in (True, False):
        same(mine.as_series([ours(B), ours(A), 3], trim), theirs.as_series([B, A, 3], trim))
    same(mine.trimcoef(ours(A), 1), theirs.trimcoef(A, 1))
    same(mine.getdomain(ours(A)), theirs.getdomain(A))
    same(mine.getdomain(ours(C)), theirs.getdomain(C))
    same(mine.mapdomain(ours(X), [0, 1], [2, 5]), theirs.mapdomain(X, [0, 1], [2, 5]))
    assert mine.mapparms([0, 1], [2, 5]) == theirs.mapparms([0, 1], [2, 5])
    assert mine.format_float(2.5) == theirs.format_float(2.5)
    with pytest.raises(ValueError):
        mine.trimcoef(ours(A), -1)


@pytest.mark.parametrize("name", CLASSES)
def test_classes_give_what_numpy_gives(name):
    def both(compute):
        results = []
        for module in (np, numpy):
            kind = getattr(module.polynomial, name)
            p = kind(module.asarray(A), [0, 2], [-1, 1], "t")
            q = kind([1, 2], [0, 2], [-1, 1], "t")
            results.append(compute(module, kind, p, q))
        same(*results)

    for compute in (
        lambda m, k, p, q: p + q, lambda m, k, p, q: p - 1, lambda m, k, p, q: 2 - p,
        lambda m, k, p, q: p * q, lambda m, k, p, q: 3 * p, lambda m, k, p, q: p / 2,
        lambda m, k, p, q: p // q, lambda m, k, p, q: p % q, lambda m, k, p, q: divmod(p, q),
        lambda m, k, p, q: q**3, lambda m, k, p, q: -p, lambda m, k, p, q: +p,
        lambda m, k, p, q: p(0.5), lambda m, k, p, q: p(m.linspace(0, 2, 5)),
        lambda m, k, p, q: p(q), lambda m, k, p, q: p.deriv(), lambda m, k, p, q: p.deriv(2),
        lambda m, k, p, q: p.integ(2, [1, 2], 0.5), lambda m, k, p, q: p.roots(),
        lambda m, k, p, q: p.linspace(4), lambda m, k, p, q: p.truncate(2),
        lambda m, k, p, q: p.cutdeg(1), lambda m, k, p, q: p.trim(1.0), lambda m, k, p, q: p.copy(),
        lambda m, k, p, q: p.convert(domain=[0, 1]), lambda m, k, p, q: p.mapparms(),
        lambda m, k, p, q: p.convert(kind=m.polynomial.Chebyshev),
        lambda m, k, p, q: m.polynomial.Polynomial.cast(p), lambda m, k, p, q: k.identity([0, 3]),
        lambda m, k, p, q: k.basis(3, symbol="z"), lambda m, k, p, q: k.fromroots([1, 2, 4]),
        lambda m, k, p, q: k.fromroots([1.0, 2.0], domain=None), lambda m, k, p, q: k.domain,
        lambda m, k, p, q: k.fit(m.linspace(0, 3, 8), m.linspace(0, 3, 8) ** 2, 2),
        lambda m, k, p, q: k.fit(m.linspace(0, 3, 8), m.linspace(0, 3, 8), [0, 1], [], full=True),
        lambda m, k, p, q: len(p) + p.degree() + p.has_samedomain(q) + p.has_samecoef(q),
        lambda m, k, p, q: (p == p.copy()) + 2 * (p == q) + 4 * (p != q),
    ):
        both(compute)


@pytest.mark.parametrize("name", CLASSES)
def test_classes_are_written_as_numpy_writes_them(name):
    for coef in ([1.0, -2.5, 3.0], [0], [1, 2], [1 + 2j, 3]):
        found = getattr(np.polynomial, name)(coef, symbol="y")
        expected = getattr(numpy.polynomial, name)(coef, symbol="y")
        assert repr(found) == repr(expected)
        assert f"{found:ascii}" == f"{expected:ascii}"
        assert f"{found:unicode}" == f"{expected:unicode}" == str(found)
        assert found._repr_latex_() == expected._repr_latex_()
    np.polynomial.set_default_printstyle("ascii")
    try:
        assert str(found) == f"{expected:ascii}"
        assert str(expected) == f"{expected:unicode}"
    finally:
        np.polynomial.set_default_printstyle("unicode")
    with pytest.raises(ValueError):
        np.polynomial.set_default_printstyle("other")
    with pytest.raises(ValueError):
        format(found, "x")


def test_classes_refuse_what_numpy_refuses():
    kind = np.polynomial.Polynomial
    p = kind([1.0, 2.0])
    for mistake, wrong in (
        (TypeError, lambda: p + np.polynomial.Chebyshev([1, 2])), (TypeError, lambda: p + "x"),
        (TypeError, lambda: p * kind([1], [0, 3])), (TypeError, lambda: p - kind([1], window=[0, 3])),
        (ValueError, lambda: p + kind([1], symbol="y")), (TypeError, lambda: p / p),
        (TypeError, lambda: 1 / p), (ZeroDivisionError, lambda: p // 0), (ValueError, lambda: p**-1),
        (ValueError, lambda: kind([1], [0, 1, 2])), (ValueError, lambda: kind([1], symbol="1")),
        (TypeError, lambda: kind([1], symbol=1)), (ValueError, lambda: p.truncate(0)),
        (ValueError, lambda: kind.basis(-1)), (ValueError, lambda: p**101),
    ):
        with pytest.raises(mistake):
            wrong()
    with pytest.raises(TypeError):
        hash(p)
