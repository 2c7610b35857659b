"""Splines of one and of several variables of ``scipy.interpolate``."""

import inspect
import pickle

import numpy
import pytest
import scipy.interpolate

import phalanx
from phalanx.scipy import interpolate
from phalanx.scipy.interpolate import _making

from .interpolate_cases import check, compare, compare_calls, drawn, owned, pair, uniform
from .signal_cases import outcome, some

KNOTS = numpy.array([0, 0.1, 0.1, 0.3, 0.5, 0.5, 0.6, 0.7, 0.9, 0.95, 1, 1, 1.2, 1.5])
X = numpy.concatenate([uniform(9, -0.3, 1.8), [0.1, 0.5, 1.0, 1.2, numpy.nan, numpy.inf]])


def coefficients(k, trailing=(), kind="d"):
    return drawn((KNOTS.size - k - 1, *trailing), kind)


def points(count=40, seed=3):
    """Ascending points."""
    return numpy.sort(uniform(count, seed=seed))


@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
@pytest.mark.parametrize("k", [0, 1, 2, 3, 5])
def test_values(k, extrapolate):
    for kind, trailing in some([("d", ()), ("D", (2,)), ("i", ()), ("f", (2, 0)), ("d", (2, 3))]):
        objects = pair("BSpline", KNOTS, coefficients(k, trailing, kind), k, extrapolate)
        for nu in some(range(k + 3), 2):
            compare_calls(objects, X[:14], nu)
        compare_calls(objects, X[:14].reshape(2, 7)[:, ::2], extrapolate=True)
        compare_calls(objects, 0.4)
        compare_calls(objects, [])


def test_derivatives_and_integrals():
    for k in some(range(5), 2):
        objects = pair("BSpline", KNOTS, coefficients(k, (2,)), k)
        for nu in range(1, k + 2):
            for method in ("derivative", "antiderivative"):
                expected = outcome(getattr(objects[0], method), nu)
                found = outcome(getattr(objects[1], method), nu)
                check(found, expected)
        for extrapolate in (True, False, "periodic", None):
            for a, b in [(0.2, 0.9), (0.9, 0.2), (-1, 3), (5, 6), (0.3, 0.3), (-2.5, 7.25)]:
                for c in (coefficients(k), coefficients(k, (2,))):
                    # SciPy has NaN where a basis function has coinciding knots at an end.
                    one = pair("BSpline", numpy.arange(14.0) ** 1.1 / 9, c, k)
                    compare_calls(one, a, b, extrapolate, method="integrate")
    objects = pair("BSpline", KNOTS, coefficients(3), 3, "periodic")
    assert objects[1].antiderivative().extrapolate is False


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3, 3, -4])
def test_axis(axis):
    shape = [2, 3, 4]
    shape[axis % 3] = KNOTS.size - 4
    objects = pair("BSpline", KNOTS, drawn(shape), 3, axis=axis)
    if objects is not None:
        compare_calls(objects, X[:6].reshape(3, 2))
        assert objects[1].derivative().axis == objects[0].derivative().axis
        compare_calls((objects[0].derivative(), objects[1].derivative()), X[:6])


def test_constructors():
    for t, c, k in [
        ([1, 1j], [1.0], 0), ([1, numpy.nan], [1.0], 0), ([1, numpy.inf], [1.0], 0),
        ([1, -1], [1.0], 0), ([[1], [1]], [1.0], 0), ([0, 1, 2], [1.0], 0), ([0, 1, 2], [], 0),
        ([0, 1, 2, 3, 4], [1.0, 1.0], 2), ([0, 0, 1, 2, 3, 4], [1.0] * 3, "cubic"),
        ([0, 0, 1, 2, 3, 4], [1.0] * 3, 2.5), ([0, 1, 1, 2], [1.0] * 3, 1),
        ([0, 1, 2, 3], [1.0] * 3, -1), ([0, 0, 1, 2, 3, 4], 5.0, 1), (KNOTS, numpy.ones(9), 3),
    ]:
        objects = pair("BSpline", t, c, k)
        if objects is not None:
            check(objects[1].tck, objects[0].tck)
    for t in ([0, 1, 2, 3.5], KNOTS[2:8], [0, 1]):
        for extrapolate in (True, False):
            expected = scipy.interpolate.BSpline.basis_element(t, extrapolate)
            found = interpolate.BSpline.basis_element(owned(t), extrapolate)
            check(found, expected)
            compare_calls((expected, found), X[:12])
    spline = interpolate.BSpline.construct_fast(phalanx.asarray(KNOTS), [1.0] * 10, 3)
    spline.c = spline.c * 2
    numpy.testing.assert_allclose(spline(0.4).get(), 2.0)
    spline.t = spline.t + 1
    assert float(spline.t[0]) == 1
    copied = pickle.loads(pickle.dumps(spline))
    check(copied(X), spline(X).get())


@pytest.mark.parametrize("k", [0, 1, 3])
def test_matrix_of_basis_functions(k):
    for x, extrapolate in [
        (uniform(7, 0.6, 0.9), False), (uniform(7, -1, 2), True), (uniform(7, -1, 2), "periodic"),
        (uniform(7, -1, 2), False), ([0.7, numpy.nan], False), ([0.7, numpy.inf], True),
    ]:
        design = scipy.interpolate.BSpline.design_matrix
        expected = outcome(design, x, KNOTS, k, extrapolate)
        found = outcome(interpolate.BSpline.design_matrix, owned(x), owned(KNOTS), k, extrapolate)
        if isinstance(expected, Exception):
            check(found, expected)
        else:
            assert (type(found).__name__, found.shape) == ("csr_array", expected.shape)
            check(found.toarray(), expected.toarray())
            check(found.indices, expected.indices)
    for t, degree in [([3, 2, 1], 0), ([1, 2], 3), (KNOTS, -1), ([[1, 2]], 0)]:
        check(outcome(interpolate.BSpline.design_matrix, [1.0], t, degree),
              outcome(scipy.interpolate.BSpline.design_matrix, [1.0], t, degree))


def test_further_knots_and_polynomials():
    x = points(12)
    for extrapolate in (True, "periodic"):
        objects = pair("BSpline", KNOTS, coefficients(3, (2,)), 3, extrapolate)
        for at, m in [(0.8, 1), (0.5, 2), (9, 1), (0.8, 0)]:
            expected = outcome(objects[0].insert_knot, at, m)
            check(outcome(objects[1].insert_knot, at, m), expected)
    for bc_type in ("not-a-knot", "natural", "clamped", "other"):
        given = bc_type if bc_type != "other" else "natural"
        expected, found = pair("CubicSpline", x, drawn(12), bc_type=given)
        check(outcome(interpolate.BSpline.from_power_basis, found, bc_type),
              outcome(scipy.interpolate.BSpline.from_power_basis, expected, bc_type))
    check(outcome(interpolate.BSpline.from_power_basis, 3), NotImplementedError())


CONDITIONS = [
    None, "not-a-knot", "natural", "clamped", ("natural", "clamped"), (None, "natural"), "other",
    ([(1, 2.0)], [(2, 3.0)]), ([(1, 0.0)], None), (1, 2.0), 42, ([(9, 0.0)], [(1, 0.0)]),
]


@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 5])
def test_interpolating_splines(k):
    x = points(11)
    for bc_type in some(CONDITIONS, 2):
        compare("make_interp_spline", x, drawn(11), k, bc_type=bc_type)
    for kind in some("fDi", 2):
        compare("make_interp_spline", x, drawn((2, 11, 3), kind), k, axis=1)
    y = drawn((11, 2))
    compare("make_interp_spline", x, y, k, bc_type="periodic")
    y[-1] = y[0]
    compare("make_interp_spline", x, y, k, bc_type="periodic")
    compare("make_interp_spline", x, numpy.zeros((11, 0)), k)


def test_interpolating_splines_refuse():
    x, y = points(8), drawn(8)
    for given in [
        (x[::-1], y), (x[:5], y), (x.reshape(2, 4), y), ([0, 1, 1, 2], y[:4]), (x, y, 2.5),
        (x, numpy.full(8, numpy.nan)), (x, y, 3, x), (x, y, -1), (x[:2], y[:2], 3),
        (x, y, 3, KNOTS, "periodic"), (x, y, 0, KNOTS), (x, y, 3, None, None, 5),
    ]:
        compare("make_interp_spline", *given)
    compare("make_interp_spline", [0.0, 1.0], [0.0, 1.0], 3, bc_type=([(1, 0.0)], [(1, 3.0)]))
    knots = numpy.concatenate([x[[0] * 3], (x[1:] + x[:-1]) / 2, x[[-1] * 3]])
    compare("make_interp_spline", x, y, 2, knots, ([(2, 0)], [(2, 0)]))


@pytest.fixture
def many(monkeypatch):
    """Values of more than ten elements stay on devices."""
    monkeypatch.setattr(_making, "FEW", 10)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_many_values_are_interpolated_where_they_are(many, k):
    x = points(9)
    y = drawn((9, 2, 3))
    for bc_type in some([None, "natural", ("clamped", "natural"), "other", "not-a-knot", 42,
                         (1, 2.0), ([1], [2]), ("not-a-knot", None), [None, None],
                         ([(1, y[0])], [(2, y[1])]), ([(1, y[0]), (2, y[2])], [(2, y[1])]),
                         ([(1, 2.0)], [(2, 3.0)])], 2):
        compare("make_interp_spline", x, y, k, bc_type=bc_type, tolerance=1e-7)
    compare("make_interp_spline", x, drawn((2, 9, 3), "D"), k, axis=-2, tolerance=1e-7)
    compare("make_interp_spline", x[:5], y, k)
    if k > 1:
        compare("make_interp_spline", x, y, k, bc_type="periodic")
        y[-1] = y[0]
        compare("make_interp_spline", x, y, k, bc_type="periodic", tolerance=1e-7)
    y[1] = numpy.nan
    compare("make_interp_spline", x, y, k)


def squares(x, k=3):
    """Knots for a fit of least squares."""
    inner = numpy.linspace(0.2, 0.8, 4)
    return numpy.concatenate([[x[0]] * (k + 1), inner, [x[-1]] * (k + 1)])


def least_squares_cases():
    x, w = points(60), uniform(60, 0.5, 1.5)
    for kind in "dDfi":
        yield (x, drawn(60, kind), squares(x)), {}
    yield (x, drawn((60, 2), "D"), squares(x)), {"w": w}
    yield (x, drawn((2, 60, 3)), squares(x, 2), 2, w), {"axis": 1, "method": "norm-eq"}
    yield (x, drawn(60), squares(x, 0), 0), {}
    yield (x, drawn(60), squares(x) + 0.5), {}
    yield (x[::-1], drawn(60), squares(x)), {}
    yield (x, drawn(59), squares(x)), {}
    yield (x, drawn(60), squares(x)[::-1]), {}
    yield (x, drawn(60), squares(x)), {"w": w[1:]}
    yield (x, drawn(60), squares(x)), {"method": "other"}
    yield (x, numpy.full(60, numpy.inf), squares(x)), {}
    yield (x, drawn(60), squares(x), 2.5), {}


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("case", range(15))
def test_least_squares(few, case, monkeypatch):
    if not few:
        monkeypatch.setattr(_making, "FEW", 10)
    given, options = list(least_squares_cases())[case]
    compare("make_lsq_spline", *given, tolerance=1e-8, **options)


def test_fits_on_the_host():
    x, y = points(30), drawn(30)
    compare("make_smoothing_spline", x, y)
    compare("make_smoothing_spline", x, y, lam=0.1)
    compare("make_splrep", x, y, s=3.0)
    compare("make_splprep", [x, y], s=2.0)
    compare("splprep", [x, y], s=2.0)
    expected = list(scipy.interpolate.generate_knots(x, y, s=3.0))
    check(list(interpolate.generate_knots(owned(x), owned(y), s=3.0)), expected)
    for options in ({}, {"s": 2.0}, {"k": 9}, {"t": [0.3, 0.5], "task": -1}):
        compare("splrep", x, y, **options)
    compare("splrep", x, y, full_output=1)
    compare("bisplrep", uniform(60), uniform(60, seed=5), drawn(60), full_output=1)


def test_long_arrays_are_not_copied():
    x = phalanx.arange(float((1 << 22) + 1))
    for call in (lambda: interpolate.make_smoothing_spline(x, x),
                 lambda: interpolate.UnivariateSpline(x, x),
                 lambda: interpolate.make_interp_spline(x, x)):
        with pytest.raises(ValueError, match="too long"):
            call()


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_tuples(k):
    x = points(30)
    tck = scipy.interpolate.splrep(x, drawn(30), k=k)
    q = numpy.concatenate([uniform((4, 5), -0.3, 1.3), x[:5][None]])
    for der in some(range(-1, k + 2), 2):
        for ext in (0, 1, 2, 3, 4):
            compare("splev", q, tck, der, ext, tolerance=1e-6)
        compare("splev", x, tck, der, 2, tolerance=1e-6)
    for n in (0, 1, -1, k + 1, k):
        compare("splder", tck, n, tolerance=1e-6)
        compare("splantider", tck, n, tolerance=1e-6)
    compare("spalde", 0.5, tck, tolerance=1e-6)
    compare("spalde", [0.5, 0.7], tck, tolerance=1e-6)
    compare("spalde", 1.5, tck)
    compare("splint", 0.2, 3.0, tck)
    compare("splint", 0.2, 3.0, tck, 1)
    compare("insert", 0.4, tck, 2)
    compare("sproot", tck, 30)
    curve, u = scipy.interpolate.splprep([x, x**2, drawn(30)], k=k)
    compare("splev", u, curve)
    compare("spalde", 0.5, curve, tolerance=1e-6)


def test_tuples_of_splines():
    expected, found = pair("make_interp_spline", points(20), drawn(20))
    for name, before, after in [
        ("splev", (X[:8],), ()), ("splev", (X[:8],), (1,)), ("splev", (X[:8],), (0, 1)),
        ("splint", (0.2, 0.5), ()), ("splder", (), (1,)), ("splantider", (), ()),
        ("sproot", (), ()),
        ("spalde", (0.5,), ()),
    ]:
        check(outcome(getattr(interpolate, name), *map(owned, before), found, *after),
              outcome(getattr(scipy.interpolate, name), *before, expected, *after))
    # SciPy's coefficients beyond those of the spline are what was in memory.
    both = scipy.interpolate.insert(0.5, expected), interpolate.insert(0.5, found)
    compare_calls(both, X[:9])
    check(both[1].t, both[0].t)
    expected, found = pair("make_interp_spline", points(20), drawn((20, 2)))
    for name, before in (("splev", (X[:8],)), ("splint", (0.2, 0.5)), ("sproot", ())):
        check(outcome(getattr(interpolate, name), *before, found),
              outcome(getattr(scipy.interpolate, name), *before, expected))


CLASSES = {
    "UnivariateSpline": lambda x, y: [(x, y), (x, y, x + 1), (x, y, None, [-0.1, 1.2], 2, 0.5)],
    "InterpolatedUnivariateSpline": lambda x, y: [(x, y), (x, y, None, [None] * 2, 5)],
    "LSQUnivariateSpline": lambda x, y: [(x, y, [0.3, 0.6]), (x, y, [0.3, 0.3])],
}


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("ext", [0, "zeros", 2, "const", "other"])
def test_splines_of_one_variable(name, ext):
    for given in CLASSES[name](points(30), drawn(30)):
        objects = pair(name, *given, ext=ext)
        if objects is None:
            continue
        expected, found = objects
        assert type(found).__name__ == type(expected).__name__
        for nu in (0, 1, 2, 7):
            compare_calls(objects, uniform((3, 5), -0.2, 1.4), nu, tolerance=1e-6)
        compare_calls(objects, 0.5, 1, "extrapolate")
        compare_calls(objects, 0.5, 0, 9)
        compare_calls(objects, [])
        for method in ("get_knots", "get_coeffs", "get_residual", "roots"):
            compare_calls(objects, method=method)
        compare_calls(objects, 0.5, method="derivatives", tolerance=1e-6)
        compare_calls(objects, 1.9, method="derivatives")
        compare_calls(objects, -1.0, 0.6, method="integral")
        for method in ("derivative", "antiderivative"):
            both = getattr(expected, method)(), getattr(found, method)()
            compare_calls(both, uniform(9, 0.1, 0.9), tolerance=1e-6)
            if both[1]._eval_args[2] <= 5:
                # FITPACK writes beyond its arrays for higher degrees.
                compare_calls(both, 0.1, 0.6, method="integral")
            compare_calls(both, method="get_knots")


def test_splines_of_one_variable_are_fitted_again():
    objects = pair("UnivariateSpline", points(30), drawn(30), s=9.0)
    for s in (4.0, 0.0, 9.0):
        for one in objects:
            one.set_smoothing_factor(s)
        assert type(objects[1]).__name__ == type(objects[0]).__name__
        compare_calls(objects, points(9))
    x, y = points(9), drawn(9)
    for given in [(x[::-1], y), (x, y[1:]), (x, y, None, [1]), (x, y, None, [None] * 2, 6),
                  (x, y, None, [None] * 2, 3, -1.0), (x, y, y[1:])]:
        pair("UnivariateSpline", *given)
    check(interpolate.UnivariateSpline.validate_input(x, y, None, [None] * 2, 3, None, 0, True)[:2],
          (x, y))

    class Own(interpolate.UnivariateSpline):
        pass

    assert type(Own(x, y, s=0)) is Own


def grid(extents=(8, 9)):
    return [points(count, seed) for seed, count in enumerate(extents)]


@pytest.mark.parametrize("name", ["SmoothBivariateSpline", "LSQBivariateSpline",
                                  "RectBivariateSpline"])
def test_splines_of_two_variables(name):
    if name == "RectBivariateSpline":
        x, y = grid()
        given = (x, y, drawn((8, 9)))
    else:
        given = (uniform(80), uniform(80, seed=5), drawn(80))
        given += ([0.4], [0.3, 0.6]) if name.startswith("LSQ") else ()
    objects = pair(name, *given)
    x, y = points(6) * 1.5 - 0.2, points(6, seed=5)
    for dx, dy in [(0, 0), (1, 0), (0, 2), (2, 1), (3, 0), (-1, 0)]:
        compare_calls(objects, x, y[:4], dx, dy, tolerance=1e-6)
        compare_calls(objects, x, y, dx, dy, grid=False, tolerance=1e-6)
        compare_calls(objects, x[:, None], y[:4], dx, dy, method="ev", tolerance=1e-6)
        both = [outcome(one.partial_derivative, dx, dy) for one in objects]
        if isinstance(both[0], Exception):
            check(both[1], both[0])
        else:
            compare_calls(both, x, y, tolerance=1e-6)
            compare_calls(both, method="get_residual")
    for given in [([], y), (x[::-1], y), (0.3, 0.4)]:
        compare_calls(objects, *given)
    compare_calls(objects, [], [], grid=False)
    for method in ("get_knots", "get_coeffs", "get_residual"):
        compare_calls(objects, method=method)
    compare_calls(objects, 0.1, 0.8, -1, 0.5, method="integral")


def test_values_of_two_variables():
    tck = scipy.interpolate.bisplrep(uniform(80), uniform(80, seed=5), drawn(80))
    x, y = points(5), points(4)
    for given in [(x, y), (x, 0.5), (0.5, y), (0.5, 0.4), (x, y, tck, 1, 2), (x, y, tck, 3),
                  (x[:, None], y)]:
        compare("bisplev", *(given if len(given) > 2 else (*given, tck)), tolerance=1e-7)


@pytest.mark.parametrize("k", [(3, 3), (1, 2), (4, 5)])
def test_many_values_of_two_variables(many, k):
    x, y = grid()
    for bbox in ([None] * 4, [-0.1, 1.2, None, 1.5]):
        objects = pair("RectBivariateSpline", x, y, drawn((8, 9)), bbox, *k)
        compare_calls(objects, points(5), points(7, 7), tolerance=1e-6)
        check(objects[1].get_knots(), objects[0].get_knots())
    for given in [(x[::-1], y, drawn((8, 9))), (x[1:], y, drawn((8, 9))),
                  (x, y, drawn((8, 9)), [1])]:
        pair("RectBivariateSpline", *given)


@pytest.mark.parametrize("name", ["SmoothSphereBivariateSpline", "LSQSphereBivariateSpline",
                                  "RectSphereBivariateSpline"])
def test_splines_on_spheres(name):
    theta, phi = uniform(200, 0, 3), uniform(200, 0, 6.2, seed=5)
    if name.startswith("Smooth"):
        given = (theta[:60], phi[:60], drawn(60), None, 30.0)
    elif name.startswith("LSQ"):
        given = (theta, phi, drawn(200), [0.7, 1.5, 2.3], [1.0, 2.3, 4.0])
    else:
        given = (numpy.linspace(0.2, 3, 12), numpy.linspace(0, 6, 10), drawn((12, 10)))
    objects = pair(name, *given)
    angles = numpy.sort(theta)[::20], numpy.sort(phi)[::20]
    compare_calls(objects, *angles, tolerance=1e-7)
    compare_calls(objects, *angles, 1, 1, tolerance=1e-6)
    compare_calls(objects, theta[:9], phi[:9], method="ev", tolerance=1e-7)
    for wrong in ([-1.0, 1.0], [1.0, 4.0]):
        compare_calls(objects, wrong, [1.0, 2.0])
    compare_calls(objects, [1.0, 2.0], [1.0, 7.0], tolerance=1e-7)
    compare_calls(objects, method="get_residual")
    pair(name, *(-one if isinstance(one, numpy.ndarray) else one for one in given))


KNOTS_3 = KNOTS, numpy.arange(9.0), numpy.linspace(0, 1, 10) ** 2


@pytest.mark.parametrize("trailing, kind", [((), "d"), ((2,), "D"), ((2, 3), "f")])
def test_splines_of_several_variables(trailing, kind):
    k = (3, 1, 2)
    shape = [t.size - degree - 1 for t, degree in zip(KNOTS_3, k)]
    xi = uniform((4, 5, 3), -0.2, 1.3)
    xi[0, 0, 1] = numpy.nan
    for extrapolate in (None, False):
        objects = pair("NdBSpline", KNOTS_3, drawn((*shape, *trailing), kind), k,
                       extrapolate=extrapolate)
        for nu in some([None, (1, 0, 0), (1, 1, 2), (0, 2, 0), (4, 0, 0)], 2):
            compare_calls(objects, xi, nu=nu)
            if nu is not None:
                both = [outcome(one.derivative, nu) for one in objects]
                if isinstance(both[0], Exception):
                    check(both[1], both[0])
                elif kind != "D" or all(one <= most for one, most in zip(nu, k)):
                    # SciPy's derivative that is zero is real, and ours complex.
                    compare_calls(both, xi)
        compare_calls(objects, xi[0], extrapolate=True)
        compare_calls(objects, (0.3, 2.0, 0.4))
        for nu in ((1, 0), 1, (-1, 0, 0)):
            compare_calls(objects, xi, nu=nu)
        compare_calls(objects, xi[..., :2])
    assert objects[1].k == k
    check(objects[1].t, objects[0].t)
    check(objects[1].c, objects[0].c)


def test_splines_of_many_terms():
    t = (numpy.arange(12.0),) * 4
    c = drawn((7, 7, 7, 7))
    objects = pair("NdBSpline", t, c, 4)
    compare_calls(objects, uniform((3, 4), 3, 8))


def test_matrix_of_products():
    t = KNOTS, numpy.arange(9.0)
    xi = numpy.stack([uniform(6, 0.4, 0.9), uniform(6, 2, 5)], axis=-1)
    for k in (2, (3, 1), [1, 2]):
        expected = scipy.interpolate.NdBSpline.design_matrix(xi, t, k).toarray()
        found = interpolate.NdBSpline.design_matrix(owned(xi), owned(t), k).toarray()
        # SciPy leaves out columns at the end that have no elements.
        check(found[:, : expected.shape[1]], expected)
        assert not found[:, expected.shape[1]:].any()
    for given in [([[1.0]], t, 1), (xi, list(t), 1), (xi, t, (1, 2, 3)), (xi, t, 1.5)]:
        check(outcome(interpolate.NdBSpline.design_matrix, *given),
              outcome(scipy.interpolate.NdBSpline.design_matrix, *given))
    for given in [(t, drawn((9, 9)), 1), (t, drawn(9), 1), (list(t), drawn((10, 5)), 3),
                  (t, drawn((10, 5)), -1), ((t[0][::-1], t[1]), drawn((10, 5)), 3)]:
        pair("NdBSpline", *given)


def test_names_and_signatures():
    names = [name for name in interpolate.__all__ if hasattr(scipy.interpolate, name)]
    assert len(names) > 50
    for name in names:
        found, expected = getattr(interpolate, name), getattr(scipy.interpolate, name)
        if name in ("RegularGridInterpolator", "interp2d"):
            continue
        wanted = outcome(inspect.signature, expected)
        if not isinstance(wanted, Exception):
            assert list(inspect.signature(found).parameters) == list(wanted.parameters), name
