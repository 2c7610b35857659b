"""The classes of ``scipy.interpolate``: arguments of their constructors and methods."""

import numpy

from .drawing import Array
from .interpolate_strategies import (
    ascending,
    between,
    ends,
    heights,
    inside,
    knot_line,
    line,
    long_line,
    places,
    plain_heights,
    points,
    weights,
)

PIECES = ("Akima1DInterpolator", "BPoly", "CubicHermiteSpline", "CubicSpline", "PPoly",
          "PchipInterpolator")
# What is compared of an object.
SHOWN = {
    **dict.fromkeys(PIECES, "c x extrapolate axis"), "BSpline": "t c k extrapolate axis",
    "NdPPoly": "c x extrapolate", "NdBSpline": "t c k extrapolate",
    "RegularGridInterpolator": "grid values method bounds_error fill_value",
    "BarycentricInterpolator": "xi yi n dtype", "KroghInterpolator": "xi c n dtype",
    "interp1d": "x y fill_value bounds_error axis dtype",
    "RBFInterpolator": "y d_shape neighbors smoothing kernel epsilon powers",
    "NearestNDInterpolator": "points values", "LinearNDInterpolator": "points values",
    "CloughTocher2DInterpolator": "points values",
    "AAA": lambda one: one(one.support_points), "FloaterHormannInterpolator": lambda one: one(0.5),
    "Rbf": "di norm epsilon",
    **dict.fromkeys(["UnivariateSpline", "InterpolatedUnivariateSpline", "LSQUnivariateSpline",
                     "SmoothBivariateSpline", "LSQBivariateSpline", "RectBivariateSpline",
                     "SmoothSphereBivariateSpline", "LSQSphereBivariateSpline",
                     "RectSphereBivariateSpline", "_DerivedBivariateSpline"],
                    lambda one: (one.get_knots(), one.get_coeffs())),
}


def coefficients(d):
    """Coefficients of pieces; the intervals are an axis after the one of the powers."""
    count, axis = d.whole(1, 5), d.values.get("axis", 0)
    d.line = ascending(d, count + 1)
    shape = [d.whole(1, 4), count, *(d.whole(1, 3) for _ in range(d.whole(0, 2)))]
    if isinstance(axis, int) and 0 < axis < len(shape) - 1:
        shape[:2], shape[axis:axis + 2] = shape[axis:axis + 2], shape[:2]
    return d.laid(d.elements(tuple(shape), d.dtype()))


def borders(d):
    made = d.line if d.often(0.8) else d.line[::-1]
    return d.laid(made if d.often(0.96) else made[:-1])


def real_pieces(d):
    """Coefficients of real pieces."""
    kept, d.dtypes = d.dtypes, ["float64"]
    made = coefficients(d)
    d.dtypes = kept
    return made


def more_coefficients(d):
    """Coefficients of further pieces, of another degree at times."""
    axis = d.of.values.get("axis", 0)
    y = d.of.array_of("y")
    shape = [4, 2, *(numpy.moveaxis(y, axis, 0).shape[1:] if -y.ndim <= axis < y.ndim else ())]
    if "c" in d.of.values:
        c = d.of.array_of("c")
        axis = max(axis, 0) % (c.ndim - 1)
        shape = list(numpy.moveaxis(c, (axis, axis + 1), (0, 1)).shape)
    d.more = d.whole(0, 3)
    shape[1] = d.more
    shape[0] = d.one([shape[0], shape[0], d.whole(1, 5)])
    return Array(d.elements(tuple(shape), d.dtype()))


def more_borders(d):
    first, last = ends(d)
    steps = ascending(d, d.more)
    after = d.often(0.5)
    made = last + 0.1 + steps if after else first - 0.1 - steps[::-1]
    return Array(made if d.often(0.95) else made[:-1])


def derivatives(d):
    """A value at each place, with its derivatives at times."""
    inner = (d.whole(1, 3),) if d.often(0.4) else ()
    return [Array(numpy.round(d.chance.normal(size=(d.whole(1, 3), *inner)), 2)) for _ in d.line]


def coefficients_of_knots(d):
    count, axis = len(d.knots) - d.degree - 1, d.values.get("axis", 0)
    shape = [d.whole(1, 3) for _ in range(d.whole(0, 2))]
    place = axis if isinstance(axis, int) and 0 <= axis <= len(shape) else len(shape)
    shape.insert(place if axis != 0 else 0, count if d.often(0.96) else 1)
    return d.laid(d.elements(tuple(shape), d.dtype()))


def knots_of_degree(d):
    d.degree = d.whole(0, 4)
    d.knots = knot_line(d, d.degree)
    return d.laid(d.knots if d.often(0.96) else d.knots[::-1])


def axes_of_pieces(d):
    """Borders along each of several axes, and coefficients."""
    count = d.whole(1, 2)
    d.borders = [ascending(d, d.whole(2, 4)) for _ in range(count)]
    shape = [*(d.whole(1, 3) for _ in range(count)), *(len(one) - 1 for one in d.borders),
             *(d.whole(1, 2) for _ in range(d.whole(0, 1)))]
    return d.laid(d.elements(tuple(shape), d.dtype()))


def several_places(d):
    """Points in the boxes of pieces, or near them."""
    axes = d.of.borders
    count = d.one([(d.whole(0, 5),), (), (2, 3)])
    return Array(numpy.stack([numpy.round(d.chance.uniform(one[0] - 0.2, one[-1] + 0.2, count), 2)
                              for one in axes], -1))


def orders(d):
    one = [d.one([0, 1, 2]) for _ in d.of.borders]
    return tuple(one if d.often(0.95) else one + [0])


def knots_of_axes(d):
    count = d.whole(1, 2)
    d.degrees = [d.whole(1, 3) for _ in range(count)]
    d.several = [knot_line(d, k) for k in d.degrees]
    d.borders = [numpy.array([0.0, 5.0])] * count
    return tuple(Array(one) for one in d.several)


def coefficients_of_axes(d):
    shape = [len(t) - k - 1 for t, k in zip(d.several, d.degrees)]
    shape += [d.whole(1, 2) for _ in range(d.whole(0, 1))]
    return d.laid(d.elements(tuple(shape), d.one(["float64", "float64", "complex128"])))


def grid_of_values(d):
    """Axes of a grid for each method."""
    d.axes_of_grid = [ascending(d, d.whole(6, 8)) * (1 if d.often(0.8) else -1)
                      for _ in range(d.whole(1, 2))]
    for one in d.axes_of_grid:
        one.sort()
    return tuple(Array(one) if d.often(0.8) else Array(one[::-1].copy()) for one in d.axes_of_grid)


def values_of_grid(d):
    shape = tuple(len(one) for one in d.axes_of_grid)
    shape += tuple(d.whole(1, 2) for _ in range(d.whole(0, 1)))
    return d.laid(d.elements(shape if d.often(0.96) else shape[:-1] + (2,), d.dtype()))


def cloud(d):
    """Points in space."""
    count = d.whole(12, 18)
    d.line = numpy.array([0.0, 3.0])
    d.count, d.axes_of_space = count, d.whole(1, 3)
    return d.laid(d.chance.uniform(0, 3, (count, d.axes_of_space)))


def cloud_values(d):
    shape = (d.count if d.often(0.97) else 3, *(d.whole(1, 3) for _ in range(d.whole(0, 1))))
    return d.laid(d.elements(shape, d.one(["float64", "float64", "complex128", "float32"])))


def in_cloud(d):
    count = d.whole(0, 6)
    axes = d.of.axes_of_space if d.often(0.97) else 4
    return Array(numpy.round(d.chance.uniform(0, 3, (count, axes)), 3))


def plane(d):
    d.count, d.axes_of_space = d.whole(6, 14), 2
    return d.laid(numpy.round(d.chance.uniform(0, 3, (d.count, 2)), 3))


def at_points(d):
    """One array of points, or one array for each coordinate."""
    made = in_cloud(d)
    if d.often(0.5):
        return [made]
    return [Array(one) for one in numpy.moveaxis(made.array, -1, 0)]


def radial(d):
    """Coordinates of nodes and the values there, as arguments."""
    d.axes_of_space = d.whole(1, 3)
    count = d.whole(5, 9)
    apart = numpy.linspace(0, 3, count)
    return [Array(d.chance.permutation(apart) + d.chance.uniform(0, 0.1, count))
            for _ in range(d.axes_of_space)] + [Array(numpy.round(d.chance.normal(size=count), 2))]


def radial_places(d):
    shape = d.shape(0, 2)
    return [Array(numpy.round(d.chance.uniform(0, 3, shape), 3))
            for _ in range(d.of.axes_of_space if d.often(0.97) else 4)]


def many_places(d):
    d.line = ascending(d, d.whole(14, 25))
    return d.laid(d.line)


def rational(d):
    """A rational function of few poles, which approximations find."""
    poles = (-1.07, d.line[-1] + 1.57)[: d.whole(1, 2)]
    made = sum(d.number(1, 3) / (d.line - pole) for pole in poles)
    return Array((made + 0.5)[: None if d.often(0.95) else -1])


def surface(*names):
    """Strategies of scattered data of two variables."""
    def first(d):
        d.count = d.whole(30, 40)
        return Array(numpy.round(d.chance.uniform(0.1, 3, d.count), 3))

    def another(d):
        high = 6.2 if "phi" in names else 3
        return Array(numpy.round(d.chance.uniform(0.1, high, d.count), 3))

    return {names[0]: first, names[1]: another, names[2]: another}


def even_line(high, least, most):
    def made(d):
        return Array(numpy.linspace(0.2, high, d.whole(least, most)))
    return made


def values_of_lines(one, another):
    def made(d):
        shape = (len(d.array_of(one)), len(d.array_of(another)))
        return d.laid(numpy.round(d.chance.normal(size=shape), 2))
    return made


def sorted_places(d):
    return Array(numpy.sort(numpy.round(d.chance.uniform(0.1, 3, d.whole(1, 5)), 2)))


def same_places(d):
    count = max(d.array_of(one).size for one in ("xi", "theta"))
    return Array(numpy.round(d.chance.uniform(0.1, 3, count), 2))


def conditions(d):
    return d.one(["not-a-knot", "natural", "clamped", "periodic", "none",
                  ("natural", "clamped"), ((1, 0.5), (2, 0.0)), ("clamped", "not-a-knot")])


ONE_LINE = {"x": line, "y": heights}
SMOOTH = {"x": long_line, "y": plain_heights, "w": weights, "k": lambda d: d.one([3, 1, 2, 4, 5]),
          "s": lambda d: d.one([None, 0, 0.5, 2.0]), "ext": lambda d: d.one([
              0, 1, 2, 3, "extrapolate", "zeros", "const", "none"]),
          "check_finite": lambda d: d.often(0.5),
          "bbox": lambda d: [None, None]}
ENDS = {"a": lambda d: d.number(-1, 4), "b": lambda d: d.number(-1, 6)}
ORDER = {"nu": lambda d: d.one([1, 0, 2, 3, -1])}
KINDS = ["linear", "nearest", "nearest-up", "zero", "slinear", "quadratic", "cubic", "previous",
         "next", 2, "none"]
METHODS = ["linear", "nearest", "slinear", "cubic", "quintic", "pchip", "none"]
KERNELS = ["linear", "thin_plate_spline", "cubic", "quintic", "gaussian", "multiquadric",
           "inverse_multiquadric", "inverse_quadratic", "none"]
CLASSES = {
    "PPoly": {"c": coefficients, "x": borders}, "BPoly": {"c": coefficients, "x": borders},
    "CubicSpline": {**ONE_LINE, "bc_type": conditions}, "CubicHermiteSpline": ONE_LINE,
    "PchipInterpolator": ONE_LINE,
    "Akima1DInterpolator": {**ONE_LINE, "method": lambda d: d.one(["akima", "makima", "none"])},
    ".__call__": {"x": places, "xi": between, "nu": lambda d: d.one([0, 0, 1, 2, -1])},
    ".derivative": ORDER, ".antiderivative": ORDER, ".integrate": ENDS, ".integral": ENDS,
    ".solve": {"y": lambda d: d.one([0.0, 0.5, -1.0]), "discontinuity": lambda d: d.often(0.5)},
    ".roots": {"discontinuity": lambda d: d.often(0.5)},
    ".extend": {"c": more_coefficients, "x": more_borders},
    ".from_bernstein_basis": {"bp": lambda d: d.object("BPoly")},
    "BPoly.from_power_basis": {"pp": lambda d: d.object("PPoly")},
    "BPoly.from_derivatives": {"xi": line, "yi": derivatives, "orders": lambda d: d.one([
        None, 1, 2, 3, 4])},
    "BSpline": {"t": knots_of_degree, "c": coefficients_of_knots, "k": lambda d: d.degree},
    "BSpline.basis_element": {"t": lambda d: Array(ascending(d, d.whole(2, 6)))},
    "BSpline.design_matrix": {
        "t": knots_of_degree, "k": lambda d: d.degree, "x": lambda d: Array(numpy.round(
            d.chance.uniform(0 if d.often(0.9) else -1, 5, d.whole(0, 6)), 2))},
    "BSpline.from_power_basis": {
        "pp": lambda d: d.object("CubicSpline", is_plain=True), "bc_type": lambda d: d.one([
            "not-a-knot", "natural", "clamped", "periodic", "none"])},
    "BSpline.insert_knot": {"x": lambda d: d.number(0.1, 4.9), "m": lambda d: d.one([1, 2])},
    "KroghInterpolator": {"xi": line, "yi": heights},
    "BarycentricInterpolator": {"xi": line, "yi": heights, "OFTEN": {"yi": 0.95},
                                "wi": lambda d: None, "rng": lambda d: 0},
    ".derivatives": {"x": places, "der": lambda d: d.one([None, 1, 2, 3, 9])},
    **{f"{name}.derivative": {"x": places, "der": lambda d: d.one([1, 0, 2, 3, 9])}
       for name in ("KroghInterpolator", "BarycentricInterpolator")},
    "BarycentricInterpolator.add_xi": {"xi": lambda d: Array(
        ends(d)[1] + ascending(d, d.whole(1, 2))), "yi": lambda d: Array(numpy.round(
            d.chance.normal(size=(d.array_of("xi").size, *numpy.shape(
                d.of.array_of("yi"))[1:])), 2)), "OFTEN": {"yi": 0.9}},
    "BarycentricInterpolator.set_yi": {"yi": lambda d: Array(d.elements(
        numpy.shape(d.of.array_of("yi")), "float64"))},
    "RegularGridInterpolator": {
        "points": grid_of_values, "values": values_of_grid,
        "method": lambda d: d.one(METHODS[:-1] if d.often(0.95) else METHODS),
        "fill_value": lambda d: d.one([numpy.nan, 0.0, None, -1.5])},
    "RegularGridInterpolator.__call__": {"method": lambda d: d.one(METHODS), "nu": lambda d: None},
    "interp1d": {"x": line, "y": heights, "axis": lambda d: d.one([0, 0, -1]),
                 "OFTEN": {"axis": 1},
                 "kind": lambda d: d.one(KINDS[:-1] if d.often(0.95) else KINDS),
                 "copy": lambda d: d.often(0.5), "assume_sorted": lambda d: d.often(0.5),
                 "bounds_error": lambda d: d.one([None, False, False, True]),
                 "fill_value": lambda d: d.one(["extrapolate", numpy.nan, 1.5, (0.0, 2.0)])},
    "RBFInterpolator": {
        "y": cloud, "d": cloud_values, "neighbors": lambda d: d.one([None, None, 5, 11, 50]),
        "kernel": lambda d: d.one(KERNELS[:-1] if d.often(0.95) else KERNELS),
        "smoothing": lambda d: d.one([0.0, 0.1, Array(numpy.full(d.count, 0.2))]),
        "epsilon": lambda d: d.one([None, 5.0, 6.5]), "degree": lambda d: d.one([None, 0, 1, -1]),
        "OFTEN": {"epsilon": 0.9}},
    "RBFInterpolator.__call__": {"x": in_cloud},
    "Rbf": {"args": radial}, "Rbf.__call__": {"args": radial_places},
    "NearestNDInterpolator": {"x": cloud, "y": cloud_values, "tree_options": lambda d: d.one([
        None, {"leafsize": 4}])},
    "NearestNDInterpolator.__call__": {"args": at_points},
    **{name: {"points": plane, "values": cloud_values, "tol": lambda d: 1e-6,
              "maxiter": lambda d: 400} for name in ("LinearNDInterpolator",
                                                     "CloughTocher2DInterpolator")},
    **{f"{name}.__call__": {"args": at_points} for name in ("LinearNDInterpolator",
                                                            "CloughTocher2DInterpolator")},
    "NdPPoly": {"c": axes_of_pieces, "x": lambda d: tuple(map(Array, d.borders))},
    "NdPPoly.__call__": {"x": several_places, "nu": orders},
    "NdPPoly.derivative": {"nu": orders}, "NdPPoly.antiderivative": {"nu": orders},
    "NdPPoly.integrate": {"ranges": lambda d: tuple(
        (float(one[0]), float(one[-1]) - 0.1) for one in d.of.borders)},
    "NdPPoly.integrate_1d": {"a": lambda d: d.number(-1, 3), "b": lambda d: d.number(0, 4),
                             "axis": lambda d: d.one([0, len(d.of.borders) - 1, 0, 7])},
    "NdBSpline": {"t": knots_of_axes, "c": coefficients_of_axes,
                  "k": lambda d: tuple(d.degrees) if d.often(0.9) else 2,
                  "extrapolate": lambda d: d.one([None, True, False])},
    "NdBSpline.__call__": {"xi": several_places, "nu": orders,
                           "extrapolate": lambda d: d.one([None, True, False])},
    "NdBSpline.derivative": {"nu": orders},
    "NdBSpline.design_matrix": {"xvals": lambda d: Array(numpy.round(d.chance.uniform(
        0, 5, (d.whole(1, 5), 1)), 2)), "t": lambda d: (knots_of_degree(d),),
        "k": lambda d: d.degree, "extrapolate": lambda d: d.often(0.5)},
    "AAA": {"x": many_places, "y": rational, "rtol": lambda d: d.one([1e-9, 1e-8]),
            "max_terms": lambda d: d.one([100, 3, 4]), "OFTEN": {"rtol": 1},
            "NEVER_WRONG": ("rtol",), "clean_up": lambda d: d.often(0.5),
            "clean_up_tol": lambda d: 1e-13},
    "AAA.__call__": {"z": inside}, "AAA.clean_up": {"cleanup_tol": lambda d: 1e-13},
    "FloaterHormannInterpolator": {"points": long_line, "values": lambda d: Array(d.elements(
        (len(d.line), *((2,) if d.often(0.3) else ())), d.dtype())),
        "d": lambda d: d.one([3, 0, 1, 2, -1, 40]),
        "axis": lambda d: 0},
    "FloaterHormannInterpolator.__call__": {"z": places},
    "UnivariateSpline": SMOOTH, "InterpolatedUnivariateSpline": SMOOTH,
    "LSQUnivariateSpline": {**SMOOTH, "t": lambda d: Array(d.line[[len(d.line) // 2]] + 0.05)},
    ".set_smoothing_factor": {"s": lambda d: d.one([0, 0.5, 2.0])},
    **{f"{name}UnivariateSpline.{one}": {"n": lambda d: d.one([1, 0, 2, 6]), "x": lambda d: float(
        sum(ends(d)) / 2)} for name in ("", "Interpolated", "LSQ") for one in (
            "derivative", "antiderivative", "derivatives")},
    "SmoothBivariateSpline": {**surface("x", "y", "z"), "kx": lambda d: d.one([3, 2, 1]),
                              "ky": lambda d: d.one([3, 2]), "s": lambda d: d.one([10.0, 20.0])},
    "LSQBivariateSpline": {**surface("x", "y", "z"), "tx": lambda d: Array([1.5]),
                           "ty": lambda d: Array([1.5])},
    "RectBivariateSpline": {"x": even_line(3, 4, 7), "y": even_line(3, 4, 6), "z": values_of_lines(
        "x", "y"), "kx": lambda d: d.one([3, 1, 2]), "ky": lambda d: d.one([3, 1]),
        "s": lambda d: d.one([0, 0.5])},
    "SmoothSphereBivariateSpline": {**surface("theta", "phi", "r"), "r": lambda d: Array(
        1 + 0.1 * d.chance.normal(size=d.count)), "s": lambda d: 0.02 * d.count,
        "OFTEN": {"s": 1}},
    "LSQSphereBivariateSpline": {**surface("theta", "phi", "r"), "tt": lambda d: Array([1.5]),
                                 "tp": lambda d: Array([3.0])},
    "RectSphereBivariateSpline": {"u": even_line(3, 5, 7), "v": even_line(6, 5, 7),
                                  "r": values_of_lines("u", "v")},
    ".ev": {**dict.fromkeys(["xi", "theta"], sorted_places), **dict.fromkeys(
        ["yi", "phi"], same_places)},
    ".partial_derivative": {"dx": lambda d: d.one([0, 1, 2]), "dy": lambda d: d.one([0, 1, 4])},
    **{f"{name}BivariateSpline.integral": {one: lambda d: d.number(0.3, 2.5) for one in (
        "xa", "xb", "ya", "yb")} for name in ("Smooth", "LSQ", "Rect")},
    **{f"{name}BivariateSpline.__call__": {
        **{one: sorted_places for one in ("x", "y", "theta", "phi")},
        **{one: lambda d: d.one([0, 0, 1]) for one in ("dx", "dy", "dtheta", "dphi")},
        "grid": lambda d: True} for name in ("Smooth", "LSQ", "Rect", "SmoothSphere", "LSQSphere",
                                             "RectSphere")},
}
