"""Interpolation: parameters of the functions and classes of ``scipy.interpolate``."""

import numpy

from .drawing import Array
from .interpolate_objects import CLASSES
from .interpolate_objects import SHOWN as SHOWN
from .interpolate_strategies import (
    between,
    grid,
    heights,
    knots,
    line,
    on_grid,
    places,
    points,
    spline_through,
)

EXACT = set()
COARSE = None
ARRAYS = {"dtypes": ["float64", "float64", "float32", "complex128"], "longest": 9,
          "rare": ["int32"], "least": 1, "most": 2}
# What the shapes of all other arguments follow from.
LEADING = ("points", "xi", "tck")
# SciPy's own functions, whose arguments and results are converted.
OF_HOST = {"insert", "make_smoothing_spline", "make_splrep", "splint", "splrep", "sproot"}
LEFT_OUT = {
    "approximate_taylor_polynomial": "a function of the program",
    "lagrange": "it returns NumPy's polynomials", "pade": "it returns NumPy's polynomials",
    "interp2d": "SciPy has only its name",
    "pchip": "another name of a class",
    "BivariateSpline": "a base of other classes",
    ".validate_input": "a part of constructors that SciPy has not hidden",
    ".construct_fast": "SciPy does not check its arguments",
    "FloaterHormannInterpolator.residues": "rounding decides which far poles there are",
}
PARAMETERS = {
    "xi": line, "yi": heights, "x": places, "y": heights, "der": lambda d: d.one([
        0, 1, 2, -1 if d.often(0.2) else 0]), "rng": lambda d: None,
    "axis": lambda d: d.one([0, 0, 1, -1]),
    "tck": knots, "ext": lambda d: d.one([0, 1, 2, 3, 4 if d.often(0.2) else 0]),
    "n": lambda d: d.one([0, 1, 2]),
    "points": grid, "values": on_grid, "fill_value": lambda d: d.one([numpy.nan, 0.0, -3.5]),
    "method": lambda d: d.one(["linear", "nearest", "slinear", "cubic", "pchip", "none"]),
    "bounds_error": lambda d: d.often(0.5), "rescale": lambda d: d.often(0.5),
    "extrapolate": lambda d: d.one([None, True, False, False, "periodic"]),
    "nu": lambda d: d.one([0, 1, 2, 3, -1]), "dydx": lambda d: d.laid(d.elements(
        d.array_of("y").shape, "float64")),
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
    **CLASSES,
    **spline_through(),
}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    # SciPy solves for the cubic spline of a grid by an iteration.
    return 2**39 if name in ("interpn", "RegularGridInterpolator.__call__") else 2**26


def compared(name, values, found):
    """What is compared: of the zeros and poles of rational functions those that are not far away,
    where rounding decides; and the coefficients that a spline has after a knot is inserted."""
    if isinstance(found, Exception):
        return found
    kind, _, method = name.partition(".")
    if kind in ("AAA", "FloaterHormannInterpolator") and method in ("poles", "roots"):
        near = found[""][abs(found[""]) < 50]
        found[""] = near[numpy.lexsort((near.imag, numpy.round(near.real, 4)))]
    if name == "insert" and ".1" in found:
        found[".1"] = found[".1"][: found[".0"].size - found[".2"] - 1]
    return found


def excuse(name, values, found, expected):
    """Whether roots at a border of intervals are found for both of them, or SciPy's matrix ends at
    the last column with an element."""
    if not isinstance(found, dict) or not isinstance(expected, dict):
        return False
    if name == "NdBSpline.design_matrix":
        wide, narrow = found["."], expected["."]
        count = narrow.shape[1]
        return not wide[:, count:].any() and numpy.allclose(wide[:, :count], narrow)
    if name.endswith((".roots", ".solve")) and "" in found:
        both = [_between(one[""], expected["argument 0.x"]) for one in (found, expected)]
        return both[0].shape == both[1].shape and numpy.allclose(*both, 1e-6, 1e-6, equal_nan=True)
    return False


def _between(roots, borders):
    """The roots of all series, without those at borders of intervals."""
    series = roots.ravel() if roots.dtype == object else [roots]
    found = numpy.concatenate([numpy.zeros(0), *(numpy.sort(one) for one in map(
        numpy.asarray, series))])
    # The cubic root of rounding errors moves a triple root.
    return found[~numpy.isclose(found[:, None], borders, 1e-4, 1e-4).any(1)]
