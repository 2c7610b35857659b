"""Interpolation: parameters of the functions of ``scipy.interpolate``."""

import numpy

from .drawing import Array

EXACT = set()
COARSE = None
ARRAYS = {"dtypes": ["float64", "float64", "float32", "complex128"], "longest": 9,
          "rare": ["int32"], "least": 1, "most": 2}
# What the shapes of all other arguments follow from.
LEADING = ("points", "xi", "tck")
LEFT_OUT = {
    "approximate_taylor_polynomial": "a function of the program",
    "lagrange": "it returns NumPy's polynomials", "pade": "it returns NumPy's polynomials",
    **dict.fromkeys(["bisplev", "make_interp_spline", "make_lsq_spline"],
                    "objects, whose values are compared by hand"),
}


def line(d):
    """Ascending places."""
    count = d.whole(1 if d.often(0.1) else 4, 9)
    made = numpy.cumsum(numpy.round(d.chance.uniform(0.2, 1, count), 2))
    d.line = made
    return d.laid(made if d.often(0.96) else made[::-1])


def heights(d):
    """Values at the places, along the axis."""
    axis = d.values.get("axis", 0)
    shape = [d.whole(1, 3) for _ in range(d.whole(0, 2))]
    place = axis if isinstance(axis, int) and -1 <= axis <= len(shape) else 0
    shape.insert(place if place >= 0 else len(shape), len(d.line) if d.often(0.96) else 2)
    return d.laid(d.elements(tuple(shape), d.dtype()))


def places(d):
    ends = (d.line[0], d.line[-1]) if hasattr(d, "line") and d.line.size else (0, 3)
    made = d.chance.uniform(ends[0] - 0.3, ends[1] + 0.3, d.shape(0, 2))
    return d.one([Array(numpy.round(made, 2)), 1.5])


def grid(d):
    d.axes_of_grid = [numpy.cumsum(numpy.round(d.chance.uniform(0.2, 1, d.whole(4, 6)), 2))
                      for _ in range(d.whole(1, 2))]
    return tuple(Array(one) for one in d.axes_of_grid)


def on_grid(d):
    shape = tuple(len(one) for one in d.axes_of_grid)
    return d.laid(d.elements(shape if d.often(0.95) else (2, 2), "float64"))


def between(d):
    count = d.whole(0, 6)
    return Array(numpy.stack([numpy.round(d.chance.uniform(
        one[0] - (0.2 if d.often(0.2) else 0), one[-1], count), 2) for one in d.axes_of_grid], -1))


def knots(d):
    """Knots, coefficients and a degree."""
    k = d.whole(1, 4)
    t = numpy.r_[[0.0] * (k + 1), numpy.sort(numpy.round(d.chance.uniform(0.1, 4.9, d.whole(
        0, 4)), 2)), [5.0] * (k + 1)]
    return (Array(t), Array(numpy.round(d.chance.normal(size=len(t)), 2)), k)


def points(d):
    d.count = d.whole(6, 12)
    return Array(numpy.round(d.chance.uniform(0, 3, (d.count, 2)), 3))


PARAMETERS = {
    "xi": line, "yi": heights, "x": places, "y": heights, "der": lambda d: d.one([
        0, 1, 2, -1 if d.often(0.2) else 0]), "rng": lambda d: None,
    "axis": lambda d: d.one([0, 0, 1, -1]),
    "tck": knots, "ext": lambda d: d.one([0, 1, 2, 3, 4 if d.often(0.2) else 0]),
    "n": lambda d: d.one([0, 1, 2]),
    "points": grid, "values": on_grid, "fill_value": lambda d: d.one([numpy.nan, 0.0, -3.5]),
    "method": lambda d: d.one(["linear", "nearest", "slinear", "cubic", "pchip", "none"]),
    "bounds_error": lambda d: d.often(0.5), "rescale": lambda d: d.often(0.5),
}
OWN = {
    "griddata": {"points": points, "values": lambda d: Array(numpy.round(d.chance.normal(
        size=d.count), 2)), "xi": lambda d: Array(numpy.round(d.chance.uniform(0, 3, (5, 2)), 3)),
        "method": lambda d: d.one(["linear", "nearest", "cubic", "none"])},
    "interpn": {"xi": between},
    "splev": {"x": lambda d: Array(numpy.round(d.chance.uniform(-0.3, 5.3, d.shape(0, 2)), 2)),
              "OFTEN": {}},
    "spalde": {"x": lambda d: Array(numpy.round(d.chance.uniform(0, 5, d.shape(1, 1)), 2))},
    "barycentric_interpolate": {}, "krogh_interpolate": {}, "pchip_interpolate": {},
}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    # SciPy solves for the cubic spline of a grid by an iteration.
    return 2**34 if name == "interpn" else 2**26


def excuse(name, values, found, expected):
    return False
