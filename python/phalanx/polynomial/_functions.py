"""The functions that every family of polynomials has, made for one from its names.

Values, Vandermonde matrices, derivatives, integrals and fits are computed on the devices. Sums,
products and other functions of a few coefficients run in NumPy on the host, because the lengths of
the results depend on the elements: NumPy removes the last zeros.
"""

import operator

from .. import _phalanx
from .._phalanx import _refusal
from .polyutils import _host, _on_host

# The parameters that functions have, for their docstrings.
_PARAMETERS = {
    "off": ("scalar", "The value at 0."),
    "scl": ("scalar, default: 1", "A factor; of a line, its slope."),
    "roots": ("array_like", "The roots."),
    "c": ("array_like", "The coefficients, with the lowest degree first."),
    "c1": ("array_like", "The coefficients of one series."),
    "c2": ("array_like", "The coefficients of the other one."),
    "pol": ("array_like", "The coefficients of a polynomial, with the lowest power first."),
    "pow": ("int", "The exponent."),
    "maxpower": ("int, optional", "The largest exponent that is allowed."),
    "x": ("array_like", "The points."),
    "y": ("array_like", "The values at the points, or the points along the second axis."),
    "z": ("array_like", "The points along the third axis."),
    "tensor": (
        "bool, default: True",
        "Whether each series is evaluated at all points, or the axes of both broadcast.",
    ),
    "m": ("int, default: 1", "The number of times."),
    "k": ("array_like, optional", "The constants of integration."),
    "lbnd": ("scalar, default: 0", "Where the integrals have the values of the constants."),
    "axis": ("int, default: 0", "The axis of the coefficients."),
    "deg": ("int or sequence of int", "The degree, the degrees, or one along each axis."),
    "rcond": ("float, optional", "Singular values up to this part of the largest count as zero."),
    "full": ("bool, default: False", "Whether to return the quality of the fit, too."),
    "w": ("array_like, optional", "The factors of the distances."),
    "tol": ("float, default: 0", "The largest absolute value of a coefficient that is removed."),
    "r": ("array_like", "The roots, along the first axis."),
    "func": ("callable", "The function, which takes an array of points."),
    "args": ("tuple, optional", "Further arguments of the function."),
    "npts": ("int", "The number of points."),
}
_RAISES = {
    "value": ("ValueError", "The numbers of coefficients, axes or degrees do not fit."),
    "fit": ("TypeError", "The axes or elements of points, values or weights do not fit."),
    "zero": ("ZeroDivisionError", "The last coefficient of the divisor is zero."),
}
_COEFFICIENTS = "Collective: the coefficients are fetched."
_RECORDED = "Local: recorded."


def documented(function, summary, returns, notes=_COEFFICIENTS, raises="value"):
    """Sets the docstring of a function, in the sections that all have."""
    import inspect

    lines = [summary, "", "Parameters", "----------"]
    for name in inspect.signature(function).parameters:
        kind, text = _PARAMETERS[name]
        lines += [f"{name} : {kind}", f"    {text}"]
    error, text = _RAISES[raises]
    lines += ["", "Returns", "-------", returns]
    lines += ["", "Raises", "------", error, f"    {text}"]
    function.__doc__ = "\n".join(lines + ["", "Notes", "-----", notes])
    return function


def whole(value, name):
    """An integer, as NumPy requires it."""
    try:
        return operator.index(value)
    except TypeError:
        raise _refusal(TypeError, "type", f"{name} must be an integer, not {value!r}") from None


def _not_negative(value, name):
    number = whole(value, name)
    if number < 0:
        raise _refusal(ValueError, "value", f"{name} must be non-negative")
    return number


def _points(x):
    return _phalanx.asarray(x)


def functions_of(family, prefix, short):
    """The functions of a family by their names.

    Parameters
    ----------
    family : str
        The module's name.
    prefix : str
        The prefix of the names.
    short : str
        The name of the family in conversions from and to powers.
    """
    made = {}

    def named(suffix, *texts, **how):
        def add(function):
            function.__name__ = function.__qualname__ = f"{prefix}{suffix}"
            function.__module__ = f"phalanx.polynomial.{family}"
            made[function.__name__] = documented(function, *texts, **how)
            return function

        return add

    def of_numpy(suffix):
        import importlib

        return getattr(importlib.import_module(f"numpy.polynomial.{family}"), suffix)

    def on_host(suffix, *arguments, **keywords):
        return _on_host(of_numpy(f"{prefix}{suffix}"), *arguments, **keywords)

    @named("line", "The series of a straight line.", "ndarray")
    def line(off, scl):
        return on_host("line", off, scl)

    @named("fromroots", "The series with these roots.", "ndarray")
    def fromroots(roots):
        return on_host("fromroots", roots)

    @named("add", "The sum of two series.", "ndarray")
    def add(c1, c2):
        return on_host("add", c1, c2)

    @named("sub", "The difference of two series.", "ndarray")
    def sub(c1, c2):
        return on_host("sub", c1, c2)

    @named("mulx", "The product of a series with the variable.", "ndarray")
    def mulx(c):
        return on_host("mulx", c)

    @named("mul", "The product of two series.", "ndarray")
    def mul(c1, c2):
        return on_host("mul", c1, c2)

    @named("div", "The quotient and the remainder of two series.", "tuple of ndarray", raises="zero")
    def div(c1, c2):
        return on_host("div", c1, c2)

    default = None if family == "polynomial" else 16

    @named("pow", "A power of a series.", "ndarray")
    def power(c, pow, maxpower=default):
        return on_host("pow", c, pow, maxpower)

    @named("trim", "The coefficients without the last ones that are close to zero.", "ndarray")
    def trim(c, tol=0):
        return on_host("trim", c, tol)

    @named("companion", "The companion matrix of a series, whose eigenvalues are the roots.", "ndarray")
    def companion(c):
        return on_host("companion", c)

    @named("roots", "The roots of a series, ascending.", "ndarray")
    def roots(c):
        return on_host("roots", c)

    value_notes = "Local: recorded, as some operations for each coefficient, which fuse."

    @named("val", "The values of a series.", "ndarray", notes=value_notes)
    def val(x, c, tensor=True):
        c = _points(c)
        if type(x) in (int, float, complex):
            # A Python number takes the dtype of the coefficients.
            kept = c.dtype if c.dtype.kind in "fc" else float
            x = _phalanx.asarray(x, dtype=_phalanx.result_type(kept, x))
        return _phalanx._series_value(family, _points(x), c, bool(tensor))

    def alike(points):
        points = [_points(one) for one in points]
        if any(one.shape != points[0].shape for one in points):
            raise _refusal(ValueError, "together", "x, y and z are of different shapes")
        return points

    def values(points, c):
        first, *others = alike(points)
        c = val(first, c)
        for one in others:
            c = val(one, c, tensor=False)
        return c

    def grid(points, c):
        for one in points:
            c = val(one, c)
        return c

    @named("val2d", "The values of a series of two variables.", "ndarray", notes=value_notes)
    def val2d(x, y, c):
        return values([x, y], c)

    @named("val3d", "The values of a series of three variables.", "ndarray", notes=value_notes)
    def val3d(x, y, z, c):
        return values([x, y, z], c)

    @named("grid2d", "The values of a series on a grid.", "ndarray", notes=value_notes)
    def grid2d(x, y, c):
        return grid([x, y], c)

    @named("grid3d", "The values of a series on a grid of three axes.", "ndarray", notes=value_notes)
    def grid3d(x, y, z, c):
        return grid([x, y, z], c)

    @named("vander", "The values of all polynomials up to a degree.", "ndarray", notes=_RECORDED)
    def vander(x, deg):
        return _phalanx._series_vander(family, _points(x), _not_negative(deg, "deg"))

    def of_several(points, degrees):
        if len(degrees) != len(points):
            raise _refusal(
                ValueError, "together", f"Expected {len(points)} dimensions of sample points"
            )
        common = [one + 0.0 for one in alike(points)]
        dtype = _phalanx.result_type(*common)
        product = None
        for place, (one, degree) in enumerate(zip(common, degrees)):
            rows = vander(one.astype(dtype), degree)
            extents = [1] * len(points)
            extents[place] = rows.shape[-1]
            rows = rows.reshape(rows.shape[:-1] + tuple(extents))
            product = rows if product is None else product * rows
        return product.reshape(product.shape[: -len(points)] + (-1,))

    @named("vander2d", "The values of all products of two polynomials.", "ndarray", notes=_RECORDED)
    def vander2d(x, y, deg):
        return of_several([x, y], deg)

    @named("vander3d", "The values of all products of three polynomials.", "ndarray", notes=_RECORDED)
    def vander3d(x, y, z, deg):
        return of_several([x, y, z], deg)

    @named("der", "The coefficients of a derivative.", "ndarray", notes=_RECORDED)
    def der(c, m=1, scl=1, axis=0):
        count = _not_negative(m, "the order of derivation")
        scale = _phalanx.asarray(scl)
        return _phalanx._series_derivative(family, _points(c), count, scale, whole(axis, "the axis"))

    @named(
        "int", "The coefficients of an integral.", "ndarray",
        notes="Local: recorded. Collective for one coefficient, because 0 stays one coefficient.",
    )
    def integral(c, m=1, k=[], lbnd=0, scl=1, axis=0):
        count = _not_negative(m, "the order of integration")
        constants = list(k) if hasattr(k, "__iter__") and _phalanx.ndim(k) > 0 else [k]
        if len(constants) > count:
            raise _refusal(ValueError, "value", "Too many integration constants")
        if _phalanx.ndim(lbnd) != 0 or _phalanx.ndim(scl) != 0:
            raise _refusal(ValueError, "value", "lbnd and scl must be scalars.")
        constants += [0] * (count - len(constants))
        given = [_phalanx.asarray(one) for one in [lbnd, scl, *constants]]
        lbnd, scl, *constants = given
        place = whole(axis, "the axis")
        return _phalanx._series_integral(family, _points(c), constants, lbnd, scl, place)

    @named(
        "fit", "The series that is closest to points in the sense of least squares.",
        "ndarray or tuple", notes="Collective: the factorisation must converge.", raises="fit",
    )
    def fit(x, y, deg, rcond=None, full=False, w=None):
        return _fit(family, x, y, deg, rcond, full, w)

    def to_powers(c):
        return _on_host(of_numpy(f"{short}2poly"), c)

    def from_powers(pol):
        return _on_host(of_numpy(f"poly2{short}"), pol)

    def gauss(deg):
        return _on_host(of_numpy(f"{prefix}gauss"), deg)

    if family != "polynomial":
        for name, function, summary, returns in (
            (f"{short}2poly", to_powers, "The coefficients of the powers of a series.", "ndarray"),
            (f"poly2{short}", from_powers, "The series of a polynomial.", "ndarray"),
            (f"{prefix}gauss", gauss, "The points and weights of Gauss's quadrature.",
             "tuple of ndarray"),
        ):
            function.__name__ = function.__qualname__ = name
            function.__module__ = f"phalanx.polynomial.{family}"
            notes = _RECORDED if function is gauss else _COEFFICIENTS
            made[name] = documented(function, summary, returns, notes=notes)
    return made


def _fit(family, x, y, deg, rcond, full, w):
    """The coefficients of the closest series, and the quality of the fit if `full`."""
    import warnings

    import numpy

    degrees = numpy.asarray(_host(deg))
    if degrees.ndim > 1 or degrees.dtype.kind not in "iu" or degrees.size == 0:
        raise _refusal(TypeError, "type", "deg must be an int or non-empty 1-D array of int")
    if degrees.min() < 0:
        raise _refusal(ValueError, "value", "expected deg >= 0")
    columns = list(range(int(degrees) + 1)) if degrees.ndim == 0 else sorted(degrees.tolist())
    x, y = _points(x), _points(y)
    w = None if w is None else _points(w)
    found = _phalanx._series_fit(family, (x, y), columns, rcond, w)
    coefficients, residuals, rank, singular = found
    if not full:
        if int(rank) != len(columns):
            text = "The fit may be poorly conditioned"
            warnings.warn(text, numpy.exceptions.RankWarning, stacklevel=3)
        return coefficients
    if rcond is None:
        rcond = len(x) * numpy.finfo((x + 0.0).dtype).eps
    return coefficients, [residuals, rank, singular, rcond]


def constants_of(prefix, domain, x):
    """A function that looks up the series 0, 1 and the variable, and the usual domain, by their
    names; and the names.

    They are made at the first use: the first array starts a session.
    """
    values = {"domain": domain, "zero": [0], "one": [1], "x": x}
    values = {f"{prefix}{name}": value for name, value in values.items()}
    found = {}

    def lookup(name):
        if name not in values:
            raise AttributeError(f"module has no attribute {name!r}", name=name)
        if name not in found:
            found[name] = _phalanx.asarray(values[name])
        return found[name]

    return lookup, list(values)
