"""Docstrings of polynomials and piecewise polynomials."""

from .. import _describing
from .._describing import COLLECTIVE as COLLECTIVE

_PARAMETERS = {
    "a": ("float", "The start of the range."),
    "an": ("array_like", "The coefficients of the series, that of the constant first."),
    "axis": ("int", "The axis of the data along which points are interpolated."),
    "b": ("float", "The end of the range."),
    "bp": ("BPoly", "The piecewise polynomial."),
    "c": ("array_like", "The coefficients, as those of the object."),
    "cleanup_tol": ("float", "The residue, relative to the distance to the data and the mean of "
                    "the values, below which a pole is spurious."),
    "degree": ("int", "The degree of the polynomial."),
    "der": ("int or sequence of int", "The orders of the derivatives."),
    "discontinuity": ("bool", "Whether jumps over the value at breakpoints are found."),
    "extrapolate": ("bool or {'periodic'}", "What applies beyond the breakpoints: the outer "
                    "polynomials, NaN, or repetition; by default what applies to the object."),
    "f": ("callable", "The function, which takes an array."),
    "m": ("int", "The degree of the denominator."),
    "n": ("int", "The degree of the numerator; by default the highest possible one."),
    "nu": ("int", "The order of the derivative; integrals have negative orders."),
    "order": ("int", "The degree of the polynomial that is fitted; `degree` by default."),
    "orders": ("int or sequence of int", "The degrees of the polynomials; by default the highest "
               "possible ones."),
    "pp": ("PPoly", "The piecewise polynomial."),
    "ranges": ("sequence of (float, float)", "The start and the end of the range of each axis."),
    "random_state": ("object", "An older name of `rng`."),
    "right": ("bool", "Whether intervals are added at the end."),
    "rng": ("object", "What permutes the factors of the weights: a generator or a seed; a fixed "
            "permutation by default."),
    "scale": ("float", "Half the width of the range where the function is evaluated."),
    "tck": ("tuple or BSpline", "Knots, coefficients and degree of the spline."),
    "w": ("array_like", "The values at the points."),
    "x": ("array_like", "The points."),
    "xi": ("array_like", "The points of the data, a vector."),
    "yi": ("array_like", "The data; values and derivatives at a point that is repeated."),
    "z": ("array_like", "The points."),
}

# Parameters of constructors that have another meaning there.
_DATA = {
    "extrapolate": ("bool or {'periodic'}", "What applies beyond the points: the outer "
                    "polynomials, which is the default unless data are periodic, NaN, or "
                    "repetition."),
    "x": ("array_like", "The points of the data, a vector."),
    "y": ("array_like", "The data."),
}

described = _describing.describer(_PARAMETERS)
described_class = _describing.class_describer(
    {**_PARAMETERS, **_DATA},
    raises={
        "ValueError": "The shapes do not fit, the points do not ascend, or data are not finite."
    },
)
