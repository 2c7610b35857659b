"""Places, values, knots and grids of interpolations."""

import numpy

from .drawing import Array


def ascending(d, count):
    return numpy.cumsum(numpy.round(d.chance.uniform(0.2, 1, count), 2))


def line(d):
    """Ascending places."""
    made = d.line = ascending(d, d.whole(1 if d.often(0.1) else 4, 9))
    return d.laid(made if d.often(0.96) else made[::-1])


def heights(d):
    """Values at the places, along the axis."""
    axis = d.values.get("axis", 0)
    count = 0 if getattr(d, "is_plain", False) else d.whole(0, 2)
    shape = [d.whole(1, 3) for _ in range(count)]
    place = axis if isinstance(axis, int) and -1 <= axis <= len(shape) else 0
    shape.insert(place if place >= 0 else len(shape), len(d.line) if d.often(0.96) else 2)
    return d.laid(d.elements(tuple(shape), d.dtype()))


def ends(d):
    """The first and the last place of an interpolation."""
    one = d if hasattr(d, "line") else d.of
    is_known = getattr(one, "line", numpy.zeros(0)).size
    return (one.line[0], one.line[-1]) if is_known else (0.0, 3.0)


def places(d):
    first, last = ends(d)
    made = d.chance.uniform(first - 0.3, last + 0.3, d.shape(0, 2))
    return d.one([Array(numpy.round(made, 2)), 1.5])


def inside(d):
    """Places that are no borders."""
    first, last = ends(d)
    made = numpy.round(d.chance.uniform(first, last, d.shape(0, 2)), 2)
    return d.one([Array(numpy.clip(made + 0.001, first, last)), float(first + last) / 2])


def grid(d):
    d.axes_of_grid = [numpy.cumsum(numpy.round(d.chance.uniform(0.2, 1, d.whole(4, 6)), 2))
                      for _ in range(d.whole(1, 2))]
    return tuple(Array(one) for one in d.axes_of_grid)


def on_grid(d):
    shape = tuple(len(one) for one in d.axes_of_grid)
    return d.laid(d.elements(shape if d.often(0.95) else (2, 2), "float64"))


def between(d):
    axes = d.axes_of_grid if hasattr(d, "axes_of_grid") else d.of.axes_of_grid
    count = d.whole(0, 6)
    return Array(numpy.stack([numpy.round(d.chance.uniform(
        one[0] - (0.2 if d.often(0.2) else 0), one[-1], count), 2) for one in axes], -1))


def knot_line(d, k):
    """Knots of a degree on the line from 0 to 5, whose ends occur often enough."""
    inner = numpy.sort(numpy.round(d.chance.uniform(0.1, 4.9, d.whole(0, 4)), 2))
    d.line = numpy.array([0.0, 5.0])
    return numpy.r_[[0.0] * (k + 1), inner, [5.0] * (k + 1)]


def knots(d):
    """Knots, coefficients and a degree."""
    k = d.whole(1, 4)
    t = knot_line(d, k)
    return (Array(t), Array(numpy.round(d.chance.normal(size=len(t)), 2)), k)


def cubic_knots(d):
    t = knot_line(d, 3)
    return (Array(t), Array(numpy.round(d.chance.normal(size=len(t)), 2)), 3)


def points(d):
    d.count = d.whole(6, 12)
    return Array(numpy.round(d.chance.uniform(0, 3, (d.count, 2)), 3))


def long_line(d):
    """Places of enough data for a smoothing spline."""
    d.line = ascending(d, d.whole(6, 12))
    return Array(d.line)


def plain_heights(d):
    return Array(numpy.round(d.chance.normal(size=len(d.line) if d.often(0.97) else 3), 2))


def weights(d):
    return d.one([None, Array(numpy.round(d.chance.uniform(0.5, 2, len(d.line)), 2))])


def inner_knots(d):
    """Knots of a spline by least squares, with fewer than the data have."""
    k = d.values.get("k", 3)
    k = k if isinstance(k, int) and 0 < k < 5 else 3
    inner = d.line[[len(d.line) // 2]] + 0.05
    return Array(numpy.r_[[d.line[0]] * (k + 1), inner, [d.line[-1]] * (k + 1)])


def spline_through():
    """Strategies of the functions that make splines or use them."""
    data = {"x": long_line, "y": plain_heights, "w": weights, "k": lambda d: d.one([3, 1, 2, 5, 4]),
            "s": lambda d: d.one([0, 0.1, 1.0]), "check_finite": lambda d: d.often(0.5)}
    through = {"x": line, "y": heights, "k": lambda d: d.one([3, 1, 2, 0, 5]),
               "bc_type": lambda d: d.one([None, "natural", "clamped", "not-a-knot", "none"])}
    return {
        "make_interp_spline": through,
        "make_lsq_spline": {**data, "y": heights, "t": inner_knots, "k": lambda d: d.one([3, 2, 1]),
                            "method": lambda d: d.one(["qr", "norm-eq", "none"])},
        "make_smoothing_spline": {**data, "y": heights, "lam": lambda d: d.one([0.1, 1.0, 0])},
        "make_splrep": data, "splrep": data,
        "splint": {"tck": knots, "a": lambda d: d.number(-1, 3), "b": lambda d: d.number(0, 6)},
        "sproot": {"tck": cubic_knots},
        "insert": {"x": lambda d: d.number(0.2, 4.5), "tck": knots, "m": lambda d: d.one([1, 2]),
                   "per": lambda d: 0},
        "splder": {"tck": knots}, "splantider": {"tck": knots},
        "bisplev": {"tck": surface_knots, "x": lambda d: Array(numpy.sort(numpy.round(
            d.chance.uniform(-0.2, 5.2, d.whole(1, 5)), 2))), "y": lambda d: Array(numpy.sort(
                numpy.round(d.chance.uniform(0, 5, d.whole(1, 5)), 2))),
            "dx": lambda d: d.one([0, 1]), "dy": lambda d: d.one([0, 1])},
    }


def surface_knots(d):
    """Knots, coefficients and degrees of a spline of two variables."""
    kx, ky = d.whole(1, 3), d.whole(1, 3)
    tx, ty = knot_line(d, kx), knot_line(d, ky)
    count = (len(tx) - kx - 1) * (len(ty) - ky - 1)
    return [Array(tx), Array(ty), Array(numpy.round(d.chance.normal(size=count), 2)), kx, ky]
