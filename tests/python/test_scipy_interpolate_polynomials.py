"""Polynomials and piecewise polynomials of ``phalanx.scipy.interpolate`` agree with SciPy's."""

import itertools
import warnings

import numpy
import pytest
import scipy.interpolate

import phalanx as np
from phalanx.scipy import interpolate

from .signal_cases import check, host, outcome, owned

PIECES = ["PPoly", "BPoly"]
POINTS = numpy.array([[-0.3, 0.0, 0.05, 0.41], [numpy.nan, 1.0, 1.4, 0.73]])


def drawn(shape, kind="d", seed=0):
    draws = numpy.random.default_rng(seed)
    x = draws.standard_normal(shape) * 3
    return (x + 1j * draws.standard_normal(shape) if kind in "FD" else x).astype(kind)


def knots(count, seed=1, kind="d"):
    """Numbers from 0 to 1 that ascend."""
    steps = numpy.random.default_rng(seed).random(count - 1) + 0.1
    x = numpy.concatenate([[0.0], numpy.cumsum(steps)])
    return (x / x[-1]).astype(kind)


def both(name, *given, **options):
    """Objects or results of ours and of SciPy."""
    own = outcome(getattr(interpolate, name), *map(owned, given), **options)
    other = outcome(getattr(scipy.interpolate, name), *given, **options)
    if isinstance(other, Exception):
        check(own, other)
    elif isinstance(own, Exception):
        raise own
    return own, other


def agree(pair, call, tolerance=None):
    """A call of both objects has equal results."""
    own, other = (outcome(call, one) for one in pair)
    check(own, other, tolerance)


def pieces(name, shape=(4, 6), kind="d", descends=False, **options):
    x = knots(shape[options.get("axis", 0) + 1] + 1)
    return both(name, drawn(shape, kind), x[::-1].copy() if descends else x, **options)


@pytest.mark.parametrize("descends", [False, True])
@pytest.mark.parametrize("kind, shape", [("d", (4, 6)), ("D", (3, 6, 2)), ("f", (1, 6)),
                                         ("l", (2, 6, 2, 0)), ("d", (2, 1, 3))])
@pytest.mark.parametrize("name", PIECES)
def test_values_and_derivatives(name, kind, shape, descends):
    pair = pieces(name, shape, kind, descends)
    for nu, extrapolate in itertools.product(range(shape[0] + 1), [None, False]):
        agree(pair, lambda one: one(POINTS, nu, extrapolate))
    agree(pair, lambda one: one(0.3))
    agree(pair, lambda one: one([]))
    agree(pair, lambda one: one(one.x))
    agree(pair, lambda one: one(POINTS, -1))


@pytest.mark.parametrize("name", PIECES)
def test_values_of_a_period(name):
    pair = pieces(name, (3, 5, 2), extrapolate="periodic")
    agree(pair, lambda one: one(POINTS * 7, 1))
    agree(pair, lambda one: (one.antiderivative().extrapolate, one.derivative().extrapolate))


@pytest.mark.parametrize("name", PIECES)
@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1])
def test_axis_of_intervals(name, axis):
    shape = (3, 4, 2, 5)
    pair = both(name, drawn(shape), knots(shape[min(axis + 1, 3)] + 1), axis=axis)
    for of in (lambda one: one, lambda one: one.derivative(), lambda one: one.antiderivative(2)):
        agree(pair, lambda one: (of(one).c, of(one)(POINTS), of(one).axis))


@pytest.mark.parametrize("descends", [False, True])
@pytest.mark.parametrize("name", PIECES)
@pytest.mark.parametrize("nu", [-2, -1, 0, 1, 2, 5])
def test_derivatives_as_pieces(name, nu, descends):
    pair = pieces(name, (4, 6, 2), descends=descends)
    agree(pair, lambda one: one.derivative(nu).c)
    agree(pair, lambda one: one.antiderivative(nu).c)
    agree(pair, lambda one: one.antiderivative(nu).extrapolate)


@pytest.mark.parametrize("ends", [(0.2, 0.6), (0.6, 0.2), (-0.3, 1.7), (0.4, 0.4), (0.1, 9.3),
                                  (-3.2, -3.1), (float("nan"), 0.5)])
@pytest.mark.parametrize("name", PIECES)
def test_integrals(name, ends):
    for descends in (False, True):
        pair = pieces(name, (4, 6, 2), descends=descends)
        for extrapolate in (None, True, False, *([] if descends else ["periodic"])):
            agree(pair, lambda one: one.integrate(*ends, extrapolate))


def test_integrals_to_nan():
    for name in PIECES:
        pair = pieces(name)
        agree(pair, lambda one: one.integrate(float("nan"), 0.3))


def test_an_integral_between_values_on_devices():
    own, other = pieces("PPoly")
    check(own.integrate(np.asarray(0.2), np.asarray(0.7)), other.integrate(0.2, 0.7))


@pytest.mark.parametrize("name", PIECES)
def test_extending(name):
    x, c = knots(9), drawn((3, 8, 2))
    after = both(name, c[:, :4], x[:5])
    before = both(name, c[:, 4:], x[4:])
    descending = both(name, c[:, 4:], x[8:3:-1].copy())
    for pair, given in ((after, (drawn((4, 4, 2), "D"), x[5:])), (before, (c[:, :4], x[:4])),
                        (descending, (c[:, :4], x[3::-1].copy()))):
        pair[0].extend(*map(owned, given))
        pair[1].extend(*given)
        agree(pair, lambda one: (one.c, one.x, one(POINTS)))


def test_higher_degrees_before_the_intervals():
    """SciPy refuses what it accepts after the intervals."""
    x, lower = knots(5), drawn((4, 2))
    own = interpolate.PPoly(drawn((2, 2)), x[2:])
    own.extend(lower, x[:2])
    check(own(0.1), scipy.interpolate.PPoly(lower, x[:3])(0.1))


@pytest.mark.parametrize("c, x", [
    (drawn((3, 2)), [2.0]), (drawn((3, 2)), [[2.0, 3]]), (drawn((3, 2)), [2.0, 3.0, 2.5]),
    (drawn((3, 2, 2)), [2.0, 3.0]), (drawn((3,)), [2.0]), (drawn((3, 2)), [0.1, 0.2]),
    (drawn((3, 0)), []),
], ids=range(7))
def test_extending_wrongly(c, x):
    for name in PIECES:
        pair = pieces(name, (3, 4))
        agree(pair, lambda one: one.extend(c, numpy.array(x)))


@pytest.mark.parametrize("c, x, options", [
    ([1.0, 2], [0.0, 1], {}), ([[1.0, 2]], [0.0, 1], {}), ([[1.0, 2]], [0.0, 1, 0.5], {}),
    ([[1.0]], [[0.0, 1]], {}), ([[1.0]], [0.0], {}), (numpy.zeros((0, 1)), [0.0, 1], {}),
    ([[1.0]], [0.0, 1], {"axis": 1}), ([[1.0, 2]], [1.0, 1, 1], {}),
], ids=range(8))
def test_wrong_pieces(c, x, options):
    for name in PIECES:
        both(name, c, x, **options)


def test_pieces_that_are_not_checked():
    for name in PIECES:
        c, x = drawn((3, 4)), knots(5)
        own = getattr(interpolate, name).construct_fast(owned(c), owned(x), axis=0)
        check(own(POINTS), getattr(scipy.interpolate, name)(c, x)(POINTS))
        assert own.extrapolate is True and type(own).__name__ == name


def sorted_roots(found):
    if isinstance(found, numpy.ndarray) and found.dtype == object:
        return [numpy.sort(host(one)) for one in found.ravel()]
    return [numpy.sort(host(found))]


@pytest.mark.parametrize("extrapolate", [True, False])
@pytest.mark.parametrize("shape", [(1, 9), (2, 9), (3, 30), (3, 30, 2), (4, 30), (5, 9, 2, 2),
                                   (8, 9)])
def test_roots(shape, extrapolate):
    for descends in (False, True):
        pair = pieces("PPoly", shape, descends=descends)
        for y, jumps in ((0, True), (0.7, False)):
            agree(pair, lambda one: sorted_roots(one.solve(y, jumps, extrapolate)), 1e-7)
    own, other = pieces("PPoly", shape)
    if shape[0] <= 3 and len(shape) == 2:
        check(own.roots(), other.roots())
    elif len(shape) == 2:
        assert (numpy.diff(host(own.roots())) >= 0).all()
    else:
        assert own.roots().shape == other.roots().shape


@pytest.mark.parametrize("c, x", [
    ([[-1, 0, -1], [0.25, 0, 0.25]], [0, 0.4, 0.6, 1.0]), ([[0, 0], [0, 0]], [0, 1, 2]),
    ([[1, -1], [0, 0], [-1, 0]], [-1, 0, 1]), ([[1, -1]], [0, 0.5, 1]),
    ([[0, 1.0], [0, 0], [1, 0], [0, -1]], [-1, 0, 1]), ([[0.0], [0.0]], [1, 1]),
    ([[1.0], [2.0], [1.0]], [-3, 3]), ([[1.0], [1e9], [1.0]], [-3, 3]),
], ids=range(8))
def test_roots_where_polynomials_vanish_or_jump(c, x):
    pair = both("PPoly", numpy.array(c, float), numpy.array(x, float))
    for y, jumps, extrapolate in itertools.product([0, 0.5], [True, False], [True, False]):
        agree(pair, lambda one: one.solve(y, jumps, extrapolate))


def test_complex_polynomials_have_no_roots_here():
    agree(pieces("PPoly", kind="D"), lambda one: one.roots())


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_pieces_of_a_spline(k):
    x, y = knots(12), drawn(12)
    tck = scipy.interpolate.splrep(x, y, k=k)
    other = scipy.interpolate.PPoly.from_spline(tck)
    own = interpolate.PPoly.from_spline((*map(owned, tck[:2]), k))
    check([own.c, own.x], [other.c, other.x], 1e-8)
    spline = interpolate.BSpline(*map(owned, tck[:2]), k, extrapolate=False)
    own = interpolate.PPoly.from_spline(spline)
    check(own(x), other(x))
    assert own.extrapolate is False


@pytest.mark.parametrize("kind, shape", [("d", (5, 4)), ("D", (3, 4, 2)), ("d", (1, 4))])
def test_bases_from_each_other(kind, shape):
    c, x = drawn(shape, kind), knots(5)
    for name, other, how in (("PPoly", "BPoly", "from_bernstein_basis"),
                             ("BPoly", "PPoly", "from_power_basis")):
        pair = [getattr(getattr(of, name), how)(getattr(of, other)(c, x, False))
                for of in (interpolate, scipy.interpolate)]
        agree(pair, lambda one: (one.c, one.extrapolate))
        for of in (interpolate, scipy.interpolate):
            with pytest.raises(TypeError):
                getattr(getattr(of, name), how)(getattr(of, name)(c, x))


@pytest.mark.parametrize("orders", [None, 1, 2, 3, 4, [1, 2, 3, 4], [3, 3, 3, 3], 0, 7,
                                    [1, -1, 2, 3]])
def test_pieces_of_derivatives(orders):
    x, y = knots(5), drawn((5, 3, 2))
    for of in (lambda v: v, list):
        pair = [outcome(getattr(of_scipy, "BPoly").from_derivatives, *given, orders) for
                of_scipy, given in ((interpolate, (owned(x), of(owned(y)))),
                                    (scipy.interpolate, (x, of(y))))]
        if isinstance(pair[1], Exception):
            check(*pair)
        else:
            agree(pair, lambda one: one.c)


@pytest.mark.parametrize("x, y", [
    ([0, 1, 2, 3], [[0, 1.0], [0], [2, 0, 3.0], [1, 1]]), ([0, 1, 2], [[0], [1j], [2, 1]]),
    ([0, 1], [0, 1]), ([0, 0, 1], [[0], [0], [0]]), ([0, 1], [[0], [0], [0]]),
], ids=range(5))
def test_pieces_of_uneven_derivatives(x, y):
    pair = [outcome(of.BPoly.from_derivatives, x, y) for of in (interpolate, scipy.interpolate)]
    if isinstance(pair[1], Exception):
        check(*pair)
    else:
        agree(pair, lambda one: (one.c, one(POINTS)))


def products(shape=(2, 3, 4, 5, 2), kind="d", **options):
    return both("NdPPoly", drawn(shape, kind), (knots(5), knots(6, 2)), **options)


@pytest.mark.parametrize("extrapolate", [True, False])
@pytest.mark.parametrize("kind", ["d", "D", "l"])
def test_products_of_pieces(kind, extrapolate):
    pair = products(kind=kind)
    x = numpy.random.default_rng(3).uniform(-0.2, 1.2, (6, 2))
    for nu in (None, (0, 1), (1, 2), (2, 0), (0, -1), (1,)):
        agree(pair, lambda one: one(x, nu, extrapolate))
    agree(pair, lambda one: one((x[:, 0], x[:1, 1]), None, extrapolate))
    for orders in ((1, 0), (0, 2), (-1, 1), (3, 3), (1,)):
        agree(pair, lambda one: one.derivative(orders).c)
        agree(pair, lambda one: one.antiderivative(orders).c)
    for axis in (0, 1, -1):
        agree(pair, lambda one: one.integrate_1d(0.1, 0.8, axis, extrapolate).c)
    agree(pair, lambda one: one.integrate([(0.9, 0.1), (0, 1.5)], extrapolate))
    agree(pair, lambda one: one.integrate([(0.9, 0.1)]))


def test_products_of_one_variable():
    pair = both("NdPPoly", drawn((3, 4)), (knots(5),))
    for x in (POINTS[0], (POINTS[0],), POINTS[:, :1]):
        agree(pair, lambda one: one(x))
    agree(pair, lambda one: one.integrate_1d(0.2, 0.4, 0))


@pytest.mark.parametrize("shape, x", [
    ((2, 3), (knots(4), knots(4))), ((2, 3), (knots(5),)), ((2, 3), (knots(4)[::-1],)),
    ((2, 3), (knots(4)[:, None],)), ((2, 0), ([1.0],)),
], ids=range(5))
def test_wrong_products(shape, x):
    both("NdPPoly", drawn(shape), x)


CUBIC = ["CubicSpline", "PchipInterpolator", "Akima1DInterpolator"]


@pytest.mark.parametrize("name", CUBIC)
@pytest.mark.parametrize("count", [2, 3, 4, 5, 9, 70])
@pytest.mark.parametrize("shape, axis", [((), 0), ((2,), 0), ((3, 2), 1), ((2, 0), -1)])
def test_cubics(name, count, shape, axis):
    y = numpy.moveaxis(drawn((count, *shape)), 0, axis)
    pair = both(name, knots(count), y, axis=axis)
    agree(pair, lambda one: (one.c, one.x, one.axis, one.extrapolate))
    for nu in (0, 1):
        agree(pair, lambda one: one(POINTS, nu))
    agree(pair, lambda one: one.derivative()(0.3))
    agree(pair, lambda one: one.antiderivative()(POINTS[0]))
    agree(pair, lambda one: one.integrate(0.1, 0.6))


@pytest.mark.parametrize("kind", ["f", "l", "D", "e", "B"])
@pytest.mark.parametrize("name", CUBIC)
def test_cubics_of_dtypes(name, kind):
    pair = both(name, numpy.arange(6).astype("f"), abs(drawn(6, "d")).astype(kind))
    if not isinstance(pair[1], Exception):
        agree(pair, lambda one: (one.c, one(POINTS.astype("f"))))


@pytest.mark.parametrize("y", [
    [0, 0, 1, 1, 2, 2, 0], [0.0] * 7, [1, 2, 3, 4, 5, 6, 7], [3, 1, 4, 1, 5, 9, 2],
    [0, 1e-9, 0, 1, 0, 0, 5],
], ids=range(5))
def test_slopes_at_flat_data(y):
    x = numpy.array([0.0, 1, 2, 2.5, 4, 5, 5.5])
    for name, options in (("PchipInterpolator", {}), ("Akima1DInterpolator", {}),
                          ("Akima1DInterpolator", {"method": "makima"})):
        agree(both(name, x, numpy.array(y, float), **options), lambda one: one.c)


VALUE = numpy.array([0.3, -0.5])
ENDS = ["not-a-knot", "natural", "clamped", ((1, VALUE), "not-a-knot"), ("not-a-knot", (2, VALUE)),
        ((2, VALUE), (1, VALUE)), ((2, 1j * VALUE), (2, VALUE)), ("natural", "clamped")]


@pytest.mark.parametrize("ends", ENDS, ids=range(len(ENDS)))
@pytest.mark.parametrize("count", [2, 3, 4, 6, 40])
def test_ends_of_splines(count, ends):
    agree(both("CubicSpline", knots(count), drawn((count, 2)), bc_type=ends), lambda one: one.c)


@pytest.mark.parametrize("kind", ["d", "D"])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 40])
def test_periodic_splines(count, kind):
    y = drawn((count, 2), kind)
    y[-1] = y[0]
    pair = both("CubicSpline", knots(count), y, bc_type="periodic")
    agree(pair, lambda one: (one.c, one.extrapolate, one(POINTS * 3)))


def test_a_spline_of_uneven_steps_is_exact():
    """A cubic polynomial is its own spline."""
    x = numpy.cumsum(10 ** numpy.random.default_rng(0).uniform(-7, 0, 3000))
    of = numpy.poly1d([1.0, -2, 3, 4])
    own = interpolate.CubicSpline(owned(x), owned(of(x)))
    middle = (x[1:] + x[:-1]) / 2
    numpy.testing.assert_allclose(host(own(owned(middle))), of(middle), rtol=1e-9)


@pytest.mark.parametrize("x, y, options", [
    ([0, 1, 1], [1, 2, 3], {}), ([0, 2, 1], [1, 2, 3], {}), ([0], [1], {}), ([0, 1], [1, 2, 3], {}),
    ([0, 1j], [1, 2], {}), ([0, 1], [1, numpy.inf], {}), ([0, numpy.nan], [1, 2], {}),
    ([[0, 1]], [1, 2], {}), ([0, 1, 2], [1, 2, 3], {"bc_type": "periodic"}),
    ([0, 1, 2], [1, 2, 3], {"bc_type": "other"}),
    ([0, 1, 2], [1, 2, 3], {"bc_type": ((3, 0), (1, 0))}),
    ([0, 1, 2], [1, 2, 3], {"bc_type": ((1, [0]), (1, 0))}),
    ([0, 1, 2], [1, 2, 3], {"bc_type": ("periodic", "natural")}),
    ([0, 1, 2], [1, 2, 3], {"bc_type": (1, (1, 0))}), ([0, 1, 2], [1, 2, 3], {"bc_type": [(1, 0)]}),
    ([0, 1, 2], [1, 2, 3], {"method": "other"}), ([0, 1, 2], [1, 2, 3j], {}),
    ([0, 1, 2], [1, 2, 3], {"bc_type": ((1, numpy.nan), (1, 0))}), ([0, 1], 1.0, {}),
], ids=range(19))
def test_wrong_cubics(x, y, options):
    for name in CUBIC:
        both(name, numpy.array(x), numpy.array(y), **options)


@pytest.mark.parametrize("slopes", [[1, 2, 3.0], [1, 2], [1, 2, numpy.nan], [1, 2j, 3]],
                         ids=range(4))
def test_hermite_splines(slopes):
    pair = both("CubicHermiteSpline", numpy.array([0, 1, 3]), numpy.array([3, 1, 2]),
                numpy.array(slopes))
    if not isinstance(pair[1], Exception):
        agree(pair, lambda one: (one.c, one(POINTS), one.roots() if one.c.dtype == "d" else None))


def test_names_without_a_meaning():
    pair = both("Akima1DInterpolator", knots(4), drawn(4))
    agree(pair, lambda one: one.extend(1, 2))
    agree(pair, lambda one: one.from_spline(1))
    agree(pair, lambda one: one.from_bernstein_basis(1))
    both("interp2d", [0, 1], [0, 1], [[0, 1], [2, 3]])
    assert interpolate.pchip is interpolate.PchipInterpolator


@pytest.mark.parametrize("der", [0, 1, [0, 2]], ids=str)
@pytest.mark.parametrize("name", ["pchip_interpolate", "krogh_interpolate",
                                  "barycentric_interpolate"])
def test_calls_without_an_object(name, der):
    own, other = both(name, knots(5), drawn((2, 5)), POINTS[0], der=der, axis=1)
    check(own, other)


KINDS = ["linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic",
         "cubic", 0, 1, 2, 3, 5]
FILLS = [numpy.nan, "extrapolate", 5.0, (1, 2.0), ([1, 2.0], numpy.array([3, 4]))]


@pytest.mark.parametrize("fill", FILLS, ids=range(len(FILLS)))
@pytest.mark.parametrize("kind", KINDS)
def test_interpolation_along_an_axis(kind, fill):
    order = numpy.random.default_rng(4).permutation(9)
    x, y = knots(9, kind="d")[order], drawn((9, 2))[order]
    options = {"bounds_error": False, "fill_value": fill}
    agree(both("interp1d", x, y, kind, 0, **options), lambda one: (one(POINTS), one(0.3), one([])))
    agree(both("interp1d", x, y.T.astype("D"), kind, **options), lambda one: one(POINTS))
    if not isinstance(fill, tuple):
        pair = both("interp1d", x, y[:, 0], kind, **options)
        agree(pair, lambda one: (one(POINTS), one(one.x), one.fill_value, one.bounds_error))


@pytest.mark.parametrize("kind", ["linear", "nearest", "next", "slinear", "quadratic", "cubic"])
@pytest.mark.parametrize("of_x, of_y, of_points", ["dfd", "fdf", "ffd", "fff", "lld", "lFd", "dBf"],
                         ids="".join)
def test_interpolation_of_dtypes(kind, of_x, of_y, of_points):
    x, y = numpy.arange(6).astype(of_x), abs(drawn(6)).astype(of_y)
    points = (POINTS * 5).astype(of_points)
    pair = both("interp1d", x, y, kind, bounds_error=False)
    agree(pair, lambda one: one(points), 1e-5 if "f" in of_x + of_y + of_points else None)


@pytest.mark.parametrize("kind", ["linear", "zero", "slinear", "cubic", "nearest"])
def test_interpolation_of_data_with_nan(kind):
    y = numpy.array([0, numpy.nan, 1, 2, 3, 4.0])
    for x in (numpy.arange(6), numpy.arange(6.0)):
        agree(both("interp1d", x, y, kind), lambda one: one(x))


@pytest.mark.parametrize("given, options", [
    (([0, 1], [1, 2, 3]), {}), (([[0, 1]], [1, 2]), {}), (([0, 1], 3.0), {}), (([0], [1]), {}),
    (([0, 1, 2], [1, 2, 3], "cubic"), {}), (([0, 1], [1, 2], "other"), {}),
    (([0, 1], [1, 2]), {"bounds_error": True, "fill_value": "extrapolate"}),
    (([0, 1], [1, 2]), {"fill_value": [1, 2, 3]}), (([0, 1], [1, 2], "previous"), {}),
    (([0, 0, 1], [1, 2, 3], "slinear"), {}), (([0, 0, 1, 2], [1, 2, 3, 4], "cubic"), {}),
    (([numpy.nan] * 4, [1, 2, 3, 4], "cubic"), {}),
], ids=range(12))
def test_wrong_interpolation(given, options):
    pair = both("interp1d", *map(numpy.asarray, given[:2]), *given[2:], **options)
    if not isinstance(pair[1], Exception):
        agree(pair, lambda one: one([0.5, 2]))
        agree(pair, lambda one: one([0.5, -2]))


@pytest.mark.parametrize("kind", "dfel")
@pytest.mark.parametrize("name", ["KroghInterpolator", "BarycentricInterpolator"])
def test_polynomials_through_data(name, kind):
    points = numpy.linspace(-4, 4, 10).reshape(2, 5).astype("d" if kind == "l" else kind)
    for y, axis in ((drawn((2, 7, 3)), 1), (drawn(7, "D"), 0)):
        pair = both(name, numpy.arange(-3, 4).astype(kind), y, axis)
        agree(pair, lambda one: (one.c if name[0] == "K" else one.wi, one.dtype))
        for x in (points, 1, [], 0.5):
            agree(pair, lambda one: one(x))
        for der in (None, 3, 9):
            agree(pair, lambda one: one.derivatives(points, der))
        for der in (1, 3, 8):
            agree(pair, lambda one: one.derivative(points, der) if der < 8 or name[0] == "B" else 0)


@pytest.mark.parametrize("x", [[0, 0, 0, 1, 2, 2], [0, 1, 0, 2, 3, 4], [1, 1, 1, 1, 1, 1],
                               [3, 0, 0, 7, 7, 1]], ids=range(4))
def test_polynomials_of_repeated_points(x):
    pair = both("KroghInterpolator", numpy.array(x, float), drawn((6, 2)))
    if not isinstance(pair[1], Exception):
        agree(pair, lambda one: (one.c, one(POINTS[0]), one.derivatives(0.3)))
    both("BarycentricInterpolator", numpy.array(x, float), drawn((6, 2)))


def test_points_that_are_added():
    x, y = numpy.arange(6.0), drawn((2, 6, 2))
    pair = both("BarycentricInterpolator", x[:4])
    for one in pair:
        one.set_yi(y[:, :4], 1)
        one.derivative(0.5)
        one.add_xi(x[4:], y[:, 4:])
    # SciPy exchanges signs of weights if the number of points was even.
    pair = (pair[0], scipy.interpolate.BarycentricInterpolator(x, y, 1))
    agree(pair, lambda one: (one(POINTS), one.derivatives(POINTS[0])))
    agree(pair, lambda one: one.add_xi([7.0]))
    agree(pair, lambda one: one.add_xi([7.0], drawn((1, 2))))
    agree(pair, lambda one: one.set_yi(drawn(3)))
    pair = both("BarycentricInterpolator", x, wi=pair[1].wi)
    agree(pair, lambda one: one.add_xi([7.0], [3.0]))
    own = [interpolate.BarycentricInterpolator(x, y[0], rng=rng)(POINTS)
           for rng in (None, 3, numpy.random.default_rng(3))]
    check(own[1:], [host(own[0])] * 2)


def test_many_points_warn():
    with pytest.warns(UserWarning, match="thirty"):
        interpolate.KroghInterpolator(numpy.arange(31.0), numpy.zeros(31))
    nodes = numpy.cos(numpy.arange(301) * numpy.pi / 300)
    pair = both("BarycentricInterpolator", nodes, numpy.sin(nodes))
    agree(pair, lambda one: (one.wi, one(POINTS[0])))


def coefficients(found):
    return [host(one.coeffs) for one in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("name, given", [
    ("lagrange", ([0, 1, 2], [0, 1, 8])), ("lagrange", (knots(4), drawn(4, "D"))),
    ("pade", ([1, 1, 1 / 2, 1 / 6, 1 / 24, 1 / 120], 2)), ("pade", (drawn(6), 2, 1)),
    ("pade", (drawn(4, "D"), 1)), ("pade", (drawn(3), 3)), ("pade", (drawn(3), 1, -1)),
    ("pade", (drawn(3), 1, 2)), ("pade", ([1.0, 0, 0, 0], 2)), ("pade", (drawn(3), 0)),
], ids=range(10))
def test_polynomials_as_objects(name, given):
    own, other = both(name, *given)
    if not isinstance(other, Exception):
        check(coefficients(own), coefficients(other))
        first = own[0] if isinstance(own, tuple) else own
        assert isinstance(first, np.poly1d)


@pytest.mark.parametrize("options", [(0.0, 3, 1, 5), (1.0, 4, 0.5), (0.0, 2, 1, 4)], ids=str)
def test_taylor_polynomials(options):
    own = interpolate.approximate_taylor_polynomial(np.sin, *options)
    other = scipy.interpolate.approximate_taylor_polynomial(numpy.sin, *options)
    check(coefficients(own), coefficients(other))


@pytest.mark.parametrize("shape, axis", [((9,), 0), ((9, 2), 0), ((2, 9), 1)])
@pytest.mark.parametrize("d", [0, 1, 3, 8])
def test_blended_polynomials(d, shape, axis):
    y = drawn(shape, "D" if d == 1 else "d")
    y[(slice(None),) * axis + (2,)] = numpy.nan
    pair = both("FloaterHormannInterpolator", numpy.roll(knots(9), 2), y, d=min(d, 7), axis=axis)
    agree(pair, lambda one: (one.weights, one(POINTS), one(knots(9)), one(0.4)))
    if y.ndim == 2:
        agree(pair, lambda one: one.residues())
        agree(pair, lambda one: one.roots())


@pytest.mark.parametrize("of, x", [
    (numpy.tan, numpy.linspace(-4, 4, 300)), (abs, numpy.linspace(-1, 1, 90)),
    (numpy.tan, numpy.exp(2j * numpy.pi * numpy.arange(60) / 60)),
    (numpy.exp, numpy.linspace(-1, 1, 5)), (lambda x: x * 0 + 2, numpy.linspace(0, 1, 7)),
    (numpy.exp, numpy.linspace(0, 1, 50, dtype="f")),
    (lambda x: numpy.where(x > 0.8, numpy.inf, x**3), knots(30)),
], ids=range(7))
def test_rational_functions(of, x):
    pair = both("AAA", x, of(x), max_terms=30)
    tolerance = 1e-4 if x.dtype == "f" else 1e-9
    agree(pair, lambda one: (one(POINTS), one(x[3]), one(x[:3])), tolerance)
    # Points on a circle have equal errors, of which rounding makes one the greatest.
    if x.dtype.kind != "c":
        agree(pair, lambda one: (one.support_points, one.support_values))
        agree(pair, lambda one: one.errors.shape)
    for name in ("poles", "roots"):
        own, other = (getattr(one, name)() for one in pair)
        near = [numpy.sort_complex(numpy.round(found[abs(found) < 3], 4) + 0.0)
                for found in (host(own), other)]
        if x.dtype == "d" and of is numpy.tan:
            numpy.testing.assert_allclose(*near, atol=2e-4)


def test_residues_of_rational_functions():
    x = numpy.linspace(-4, 4, 300)
    own = interpolate.AAA(owned(x), owned(numpy.tan(x)))
    poles, residues = host(own.poles()), host(own.residues())
    near = numpy.abs(poles) < 2
    numpy.testing.assert_allclose(numpy.sort(poles[near].real), [-numpy.pi / 2, numpy.pi / 2])
    numpy.testing.assert_allclose(residues[near], -1, rtol=1e-8)
    assert host(own(numpy.inf)).shape == ()


def test_spurious_poles_are_removed():
    x = numpy.linspace(0, 1, 200)
    y = numpy.exp(x) + 1e-7 * numpy.random.default_rng(0).standard_normal(200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pair = both("AAA", x, y, max_terms=25, clean_up=False)
        counts = [one.clean_up(1e-4) for one in pair]
    assert counts[0] == counts[1] > 0
    agree(pair, lambda one: one.support_points)
    agree(pair, lambda one: one(numpy.linspace(0, 1, 7)), 1e-5)
    with pytest.warns(RuntimeWarning, match="converge"):
        interpolate.AAA(x, numpy.abs(x - 0.3), max_terms=3)


@pytest.mark.parametrize("name, given, options", [
    ("AAA", ([0, 1], [1, 2, 3]), {}), ("AAA", ([0, 1], [[1, 2]]), {}),
    ("AAA", ([[0, 1]], [1, 2]), {}),
    ("AAA", ([0, 1], [1, 2]), {"max_terms": 0}), ("AAA", ([0, 1], [1, 2]), {"max_terms": 1.5}),
    ("AAA", ([0, numpy.inf], [1, 2]), {}), ("FloaterHormannInterpolator", ([0, 1], [1, 2]), {}),
    ("FloaterHormannInterpolator", ([0, 1], [1, 2]), {"d": -1}),
    ("FloaterHormannInterpolator", ([0, 1], 1.0), {"d": 1}),
    ("KroghInterpolator", ([0, 1], [1, 2, 3]), {}), ("KroghInterpolator", ([0, 1], 1.0), {}),
    ("BarycentricInterpolator", ([0, 1], [1, 2, 3]), {}),
], ids=range(12))
def test_wrong_data(name, given, options):
    both(name, *map(numpy.asarray, given), **options)


def test_large_data_stay_on_devices():
    """No element is read but the answers of checks."""
    x = np.linspace(0, 100, 200_001)
    spline = interpolate.CubicSpline(x, np.sin(x))
    points = np.linspace(0, 100, 300_000)
    assert float(np.max(np.abs(spline(points) - np.sin(points)))) < 1e-9
    assert abs(float(spline.integrate(0, 100)) - (1 - numpy.cos(100))) < 1e-9
    assert float(np.max(np.abs(spline.derivative()(points) - np.cos(points)))) < 1e-7
    found = host(spline.roots(extrapolate=False))
    numpy.testing.assert_allclose(found[:32], numpy.arange(32) * numpy.pi, atol=1e-9)
