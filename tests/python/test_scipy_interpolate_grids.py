"""Interpolation on grids and of scattered points of ``scipy.interpolate``."""

import pickle

import numpy
import pytest
import scipy.interpolate
import scipy.sparse.linalg
import scipy.spatial

from phalanx.scipy import interpolate, spatial
from phalanx.scipy.interpolate import _basis, _grid, _making, _rbf, _scattered
from phalanx.scipy.spatial import _simplices

from .interpolate_cases import check, compare, compare_calls, drawn, owned, pair, uniform
from .signal_cases import outcome, some

# The points of a grid of three axes; the second ones descend.
GRID = [
    numpy.linspace(0, 1, 7) + uniform(7, 0, 0.05),
    (numpy.linspace(0, 1, 8) + uniform(8, 0, 0.05))[::-1],
    numpy.linspace(0, 1, 6) + uniform(6, 0, 0.05),
]
METHODS = ["linear", "nearest", "slinear", "cubic", "quintic", "pchip", "slinear_legacy",
           "cubic_legacy", "quintic_legacy"]
SOLVED = ("slinear", "cubic", "quintic")


def grid_pair(values, method, grid=GRID, **options):
    """Both objects; SciPy's default solver is iterative, and less exact than ours."""
    solver = {"solver": scipy.sparse.linalg.spsolve} if method in SOLVED else {}
    points = tuple(grid)
    expected = outcome(scipy.interpolate.RegularGridInterpolator, points, values, method,
                       **options, **solver)
    found = outcome(interpolate.RegularGridInterpolator, owned(points), owned(values), method,
                    **options)
    if isinstance(expected, Exception):
        check(found, expected)
        return None
    if isinstance(found, Exception):
        raise found
    return expected, found


@pytest.mark.parametrize("method", METHODS)
def test_values_on_grids(method):
    xi = uniform((4, 5, 3), -0.1, 1.2)
    xi[0, 0, 0] = numpy.nan
    xi[0, 1] = [GRID[0][2], GRID[1][3], GRID[2][0]]
    cases = [((), "d"), ((2,), "f"), ((2, 3), "D"), ((), "F"), ((0,), "d")]
    for trailing, kind in some(cases, 2):
        if method == "pchip" and kind in "DF":
            continue
        values = drawn((7, 8, 6, *trailing), kind)
        tolerance = 1e-4 if kind in "fF" else 1e-8
        for fill_value in (numpy.nan, None, 3.0):
            objects = grid_pair(values, method, bounds_error=False, fill_value=fill_value)
            compare_calls(objects, xi, tolerance=tolerance)
        compare_calls(objects, (0.3, numpy.array([0.2, 0.5]), 0.7), tolerance=tolerance)
        compare_calls(objects, [0.3, 0.2, 0.7], tolerance=tolerance)
        compare_calls(objects, xi[:0], tolerance=tolerance)
        if method in SOLVED:
            for nu in ((1, 0, 0), (0, 1, 1), (1, 0), 1):
                compare_calls(objects, xi, nu=nu, tolerance=1e-3)
    objects = grid_pair(drawn((7, 8, 6)), method)
    inside = uniform((9, 3), 0.1, 0.9)
    for other in some(METHODS, 2):
        if other not in SOLVED:
            compare_calls(objects, inside, other, tolerance=1e-8)
    compare_calls(objects, inside, "linear", nu=(1, 0, 0))
    compare_calls(objects, xi)
    compare_calls(objects, inside[:, :2])
    check(objects[1].grid, objects[0].grid)
    check(objects[1].values, objects[0].values)


def test_complex_values_are_interpolated_by_parts():
    values, xi = drawn((7, 8, 6), "D"), uniform((9, 3), 0.1, 0.9)
    found = interpolate.RegularGridInterpolator(GRID, values, "pchip")(xi).get()
    parts = [scipy.interpolate.RegularGridInterpolator(GRID, part, "pchip")(xi)
             for part in (values.real, values.imag)]
    numpy.testing.assert_allclose(found, parts[0] + 1j * parts[1])


def test_grids_are_checked():
    x, y = numpy.arange(4.0), numpy.arange(5.0)
    values = drawn((4, 5))
    for grid, given, options in [
        ((x, y[::-1]), values, {}), (([0, 2, 1, 3], y), values, {}), ((x, y[1:]), values, {}),
        ((x, y, y), values, {}), ((x[None], y), values, {}), ((x, y), values, {"method": "other"}),
        ((x, y), values, {"method": "quintic"}), ((x, y), values, {"method": "cubic"}),
        ((x, y), values, {"fill_value": 1 + 2j}), ((x, y), values, {"fill_value": 1}),
        ((x, y), values, {"solver": scipy.sparse.linalg.spsolve}),
        ((x,), values, {}), ((x, y), drawn((4, 5), "i"), {}),
    ]:
        objects = pair("RegularGridInterpolator", grid, given, **options)
        if objects is not None:
            compare_calls(objects, uniform((3, len(grid)), 1, 2), tolerance=1e-5)
    one = pair("RegularGridInterpolator", ([1.0], y), values[:1], bounds_error=False,
               fill_value=None)
    for xi in ([[1.0, 0.3], [1.0, 11.5]], [[1.5, 0.3], [numpy.nan, 1.0]]):
        compare_calls(one, xi)
        compare_calls(one, xi, "nearest")

    class Indexed:
        ndim, shape = 2, (4, 5)

        def __getitem__(self, key):
            return values[key]

    check(interpolate.RegularGridInterpolator((x, y), Indexed())([[1.5, 2.5]]),
          scipy.interpolate.RegularGridInterpolator((x, y), values)([[1.5, 2.5]]))


@pytest.mark.parametrize("method", [*METHODS, "splinef2d", "other"])
def test_interpn(method):
    grid, values = GRID[::2], drawn((7, 6))
    xi = uniform((4, 2), 0.1, 0.9)
    tolerance = 1e-4 if method in SOLVED else 1e-8
    for given, options in [
        ((grid, values, xi), {}), ((grid, values, xi * 2), {}),
        ((grid, values, xi * 2), {"bounds_error": False}),
        ((grid, values, xi * 2), {"bounds_error": False, "fill_value": 5.0}),
        ((grid, values, (xi[:, 0], 0.4)), {}), ((grid, values, xi[:, :1]), {}),
        ((grid[:1], values, xi[:, :1]), {}), ((grid, values[1:], xi), {}),
        ((grid, values, xi * 2), {"bounds_error": False, "fill_value": None}),
        ((GRID, drawn((7, 8, 6)), xi), {}), ((grid, values, numpy.ones((1, 1, 3))), {}),
    ]:
        if options.get("fill_value", 1) is None and method in SOLVED:
            continue
        compare("interpn", *given, method=method, tolerance=tolerance, **options)


def test_many_values_on_grids(monkeypatch):
    monkeypatch.setattr(_making, "FEW", 10)
    xi = uniform((9, 3), 0.1, 0.9)
    for method in ("cubic", "quintic"):
        objects = grid_pair(drawn((7, 8, 6, 2)), method)
        compare_calls(objects, xi, tolerance=1e-8)


def test_points_are_evaluated_in_blocks(monkeypatch):
    monkeypatch.setattr(_basis, "_BLOCK", 20)
    monkeypatch.setattr(_rbf, "_BLOCK", 100)
    monkeypatch.setattr(_scattered, "_BLOCK", 100)
    objects = pair("LinearNDInterpolator", uniform((30, 2)), drawn(30))
    compare_calls(objects, uniform((25, 2), -0.1, 1.1, seed=4))
    monkeypatch.setattr(_grid, "_BLOCK", 200)
    for method in ("quintic", "pchip"):
        xi = uniform((9, 3), 0.1, 0.9)
        compare_calls(grid_pair(drawn((7, 8, 6)), method), xi, tolerance=1e-8)
    objects = pair("RBFInterpolator", uniform((30, 2)), drawn(30))
    compare_calls(objects, uniform((25, 2), seed=4), tolerance=1e-7)
    monkeypatch.setattr(_rbf, "_SYSTEMS", 500)
    objects = pair("RBFInterpolator", uniform((30, 2)), drawn(30), 9)
    compare_calls(objects, uniform((25, 2), seed=4), tolerance=1e-7)


KERNELS = ["linear", "thin_plate_spline", "cubic", "quintic", "multiquadric",
           "inverse_multiquadric", "inverse_quadratic", "gaussian"]


@pytest.mark.parametrize("kernel", KERNELS)
def test_radial_functions(kernel):
    y, x = uniform((50, 2)), uniform((30, 2), -0.2, 1.2, seed=4)
    tolerance = 1e-4 if kernel == "gaussian" else 1e-6
    cases = [((), "d", 0.0), ((2,), "D", 0.1), ((2, 3), "f", uniform(50, 0, 0.5))]
    for trailing, kind, smoothing in some(cases, 2):
        for neighbors in (None, 12, 200):
            objects = pair("RBFInterpolator", y, drawn((50, *trailing), kind), neighbors,
                           smoothing, kernel.upper(), 5.0)
            compare_calls(objects, x, tolerance=tolerance)
    for degree in (-1, 0, 3):
        objects = pair("RBFInterpolator", y, drawn(50), smoothing=0.1, kernel=kernel, epsilon=5.0,
                       degree=degree)
        compare_calls(objects, x, tolerance=tolerance)
        check(objects[1].powers, numpy.asarray(objects[0].powers))
    pair("RBFInterpolator", y, drawn(50), kernel=kernel)
    objects = pair("RBFInterpolator", y[:, :1], drawn(50), 1, 0.0, kernel, 2.0, -1)
    compare_calls(objects, x[:, :1], tolerance=tolerance)


def test_radial_functions_are_checked():
    y, d = uniform((20, 2)), drawn(20)
    for given in [
        (y[:, 0], d), (y, d[1:]), (y, d, None, d[1:]), (y, d, None, 0.0, "other"),
        (y, d, None, 0.0, "gaussian"), (y, d, None, 0.0, "linear", None, -2), (y[:2], d[:2]),
        (y, d, 2), (y, 3.0), (y * [1, 0], d, None, 0.0, "thin_plate_spline"),
    ]:
        pair("RBFInterpolator", *given)
    with pytest.warns(UserWarning, match="degree"):
        interpolate.RBFInterpolator(y, d, degree=0)
    objects = pair("RBFInterpolator", y, d)
    for x in (y[:, 0], y[:, :1], y[:0]):
        compare_calls(objects, x)
    copied = pickle.loads(pickle.dumps(objects[1]))
    check(copied(owned(y)), objects[1](owned(y)).get())
    # Distances have their digits also far from the origin.
    far = y * 1e50 + 1e55
    compare_calls(pair("RBFInterpolator", far, d), far * 1.0, tolerance=1e-6)


def cubed(r):
    return r**3


def scaled(self, r):
    return r / self.epsilon + 1


@pytest.mark.parametrize("function", [
    "multiquadric", "inverse", "inverse multiquadric", "gaussian", "linear", "cubic", "quintic",
    "thin-plate", cubed, scaled, "other",
], ids=lambda one: getattr(one, "__name__", one))
def test_radial_functions_of_older_programs(function):
    x, y = uniform((2, 30))
    xi = uniform((2, 4, 3), seed=4)
    for options in ({}, {"smooth": 0.1, "epsilon": 0.3}, {"mode": "N-D"}, {"mode": "other"}):
        values = drawn((30, 2)) if options.get("mode") == "N-D" else drawn(30)
        objects = pair("Rbf", x, y, values, function=function, **options)
        if objects is not None:
            compare_calls(objects, *xi, tolerance=1e-6)
            compare_calls(objects, xi[0], xi[1, 0])
    objects = pair("Rbf", x, y, drawn(30), function="cubic", norm="cityblock")
    compare_calls(objects, *xi, tolerance=1e-6)
    pair("Rbf", x, y[1:], drawn(30), function=function)


SCATTERED = ["NearestNDInterpolator", "LinearNDInterpolator", "CloughTocher2DInterpolator"]


@pytest.mark.parametrize("rescale", [False, True])
@pytest.mark.parametrize("name", SCATTERED)
def test_scattered_points(name, rescale):
    for ndim, trailing, kind in some([(2, (), "d"), (2, (2,), "D"), (3, (2, 3), "f"), (4, (), "i"),
                                      (2, (2, 3), "i"), (3, (), "D")], 2):
        count = 60 if ndim == 2 else 25
        points = uniform((count, ndim)) * range(1, ndim + 1)
        values = drawn((count, *trailing), kind)
        xi = uniform((4, 9, ndim), -0.1, 1.2, seed=4) * range(1, ndim + 1)
        objects = pair(name, points, values, rescale=rescale)
        if objects is None:
            assert ndim > 2 and name.startswith("Clough")
            continue
        compare_calls(objects, xi, tolerance=1e-6)
        compare_calls(objects, *numpy.moveaxis(xi, -1, 0), tolerance=1e-6)
        compare_calls(objects, tuple(numpy.moveaxis(xi, -1, 0)), tolerance=1e-6)
        compare_calls(objects, points[:7], tolerance=1e-6)
        compare_calls(objects, xi[0, 0], tolerance=1e-6)
        compare_calls(objects, xi[..., :1])
        xi[0, 0, 0] = numpy.nan
        compare_calls(objects, xi, tolerance=1e-6)


def test_scattered_points_are_checked():
    points, values = uniform((20, 2)), drawn(20)
    for name in SCATTERED:
        pair(name, points, values[1:])
        pair(name, points[:, :1], values)
        pair(name, points[None], values[:1])
        objects = pair(name, tuple(points.T), values)
        compare_calls(objects, points[:5], tolerance=1e-6)
    for name in SCATTERED[1:]:
        for fill_value in (3, 2.5, 1j):
            objects = pair(name, points, values, fill_value)
            if objects is not None:
                compare_calls(objects, points * 2)
    for options in ({"p": 1}, {"p": numpy.inf}, {"distance_upper_bound": 0.1}, {"workers": 1},
                    {"eps": 0.0}, {"other": 1}):
        objects = pair("NearestNDInterpolator", points, values)
        compare_calls(objects, uniform((9, 2), seed=4), **options)
    compare_calls(objects, uniform((9, 2), seed=4) * numpy.inf)


def test_triangulations_are_taken():
    points, values = uniform((40, 2)), drawn((40, 2), "D")
    xi = uniform((9, 2), seed=4)
    for name in SCATTERED[1:]:
        kind = getattr(scipy.interpolate, name)
        expected = kind(scipy.spatial.Delaunay(points), values)
        for triangulation in (scipy.spatial.Delaunay(points), spatial.Delaunay(owned(points))):
            own = getattr(interpolate, name)
            check(own(triangulation, owned(values))(owned(xi)), expected(xi), 1e-6)
            check(outcome(own, triangulation, values, rescale=True),
                  outcome(kind, expected.tri, values, rescale=True))


@pytest.mark.parametrize("ndim, count", [(2, 9), (3, 5)])
def test_points_of_grids_as_scattered_points(ndim, count):
    """Four points on a circle, or eight on a sphere, have several triangulations, also of
    simplices without extent."""
    axes = [numpy.arange(float(count))] * ndim
    points = numpy.stack(numpy.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, ndim)
    draws = numpy.random.default_rng(0)
    xi = numpy.concatenate([points, draws.integers(0, 2 * count - 1, (60, ndim)) / 2.0,
                            draws.uniform(0, count - 1, (60, ndim))])
    slopes = numpy.arange(1.0, ndim + 1)
    linear = interpolate.LinearNDInterpolator(owned(points), owned(points @ slopes))
    numpy.testing.assert_allclose(linear(owned(xi)).get(), xi @ slopes, atol=1e-9)
    assert numpy.isnan(linear(owned(xi - count)).get()).all()


def test_points_that_walk_too_long_are_found_on_the_host(monkeypatch):
    monkeypatch.setattr(_simplices, "_LOOKS", 1)
    monkeypatch.setattr(_simplices, "_STEPS", 1)
    monkeypatch.setattr(_simplices, "_CELLS", 1)
    monkeypatch.setattr(_simplices, "_FEW", 5)
    points, values = uniform((40, 2)), drawn(40)
    objects = pair("LinearNDInterpolator", points, values)
    compare_calls(objects, uniform((30, 2), -0.1, 1.1, seed=4), tolerance=1e-8)


@pytest.mark.parametrize("method", ["nearest", "linear", "cubic", "other"])
def test_griddata(method):
    points, values = uniform((50, 2)), drawn(50)
    x, y = numpy.mgrid[0:1:7j, 0:1:8j]
    for options in ({}, {"fill_value": 3.0}, {"rescale": True}):
        compare("griddata", points, values, (x, y), method, tolerance=1e-6, **options)
    compare("griddata", tuple(points.T), drawn((50, 2), "D"), points[:9], method, tolerance=1e-6)
    compare("griddata", uniform((50, 3)), values, uniform((9, 3), seed=4), method)
    for xi in (x, (x,), (x, y)):
        compare("griddata", points[:, 0], values, xi, method, tolerance=1e-6)

