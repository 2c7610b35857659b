"""Splines through data: interpolating ones, and ones of least squares with given knots.

Few data are fitted by SciPy on the host. Of many data, the coefficients of an interpolating spline
are a linear function of the values, whose small matrix SciPy computes; those of least squares
solve the normal equations, whose sums are computed where the data are.
"""

import operator

import phalanx as np

from .._arguments import array, refuse
from . import _basis
from ._bspline import BSpline, inexact
from ._described import described
from ._host import FEW, call, from_host, scipy_interpolate, vector

# Points of an interpolating spline through many values: its matrix has their square.
_NODES = 1 << 12

_ERRORS = {
    "ValueError": "The points do not ascend, shapes do not fit, or conditions and knots determine "
    "no spline; or there are too many data for the host.",
    "TypeError": "The degree is not an integer.",
    "LinAlgError": "The system is singular.",
    "ImportError": "SciPy is not installed: ``pip install phalanx[scipy]``.",
}
_NOTES = (
    "Local: SciPy fits the spline on the host of every process. Collective if an argument is an "
    f"array on devices, because the points are read, and values of up to {FEW} elements; "
)


def many(y):
    """Whether values are on devices, and too many for the host."""
    return isinstance(y, np.ndarray) and y.size > FEW


@described("BSpline", _ERRORS, _NOTES + "more values stay where they are, for up to "
           f"{_NODES} points.", x=("array_like", "The points, which ascend."))
def make_interp_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    """The spline through values at points."""
    if not many(y):
        return call("make_interp_spline", x, y, k, t, bc_type, axis, check_finite)
    y = np.moveaxis(inexact(y), axis, 0)
    if check_finite and not bool(np.isfinite(y).all()):
        raise refuse("Array must not contain infs or nans.")
    made = _interpolating(vector(x, "make_interp_spline", float), y, k, t, bc_type, check_finite)
    made.axis = axis % y.ndim
    return made


def _interpolating(x, y, k, t, bc_type, check_finite=True):
    """A spline through many values along the first axis."""
    import numpy

    count = x.size
    if count > _NODES:
        raise refuse(f"a spline through {count} points and {y.size} values is too long for the "
                     f"host, which takes {_NODES} points or {FEW} values", mistake="large",
                     hint="pass y.get() to fit it there nevertheless")
    if count != y.shape[0]:
        raise refuse(f"Shapes of x {x.shape} and y {y.shape} are incompatible", mistake="together")
    fit = scipy_interpolate("make_interp_spline").make_interp_spline
    if isinstance(bc_type, str) and bc_type == "periodic":
        if not bool(np.allclose(y[0], y[-1], atol=1e-15)):
            raise refuse("First and last points does not match while periodic case expected")
        unit = numpy.eye(count - 1)
        made, y = fit(x, numpy.vstack([unit, unit[:1]]), k, t, bc_type), y[:-1]
        return _combined(made, y)
    # A unit vector for each value and each condition shows what it adds to the coefficients.
    orders, given = _conditions(bc_type)
    width = count + len(given)
    unit, conditions, place = numpy.eye(width), [], count
    for one in orders:
        if isinstance(one, list):
            conditions.append([(order, unit[place + at]) for at, order in enumerate(one)])
            place += len(one)
        else:
            conditions.append(one)
    made = fit(x, unit[:count], k, t, tuple(conditions), check_finite=check_finite)
    if given:
        shape = (1, *y.shape[1:])
        y = np.concatenate([y, *[array(one).reshape(shape) for one in given]])
    return _combined(made, y)


def _conditions(bc_type):
    """What is given at each end, a name or the orders of derivatives, and all their values."""
    ends = (bc_type, bc_type) if bc_type is None or isinstance(bc_type, str) else bc_type
    try:
        first, last = ends
        given, orders = [], []
        for one in (first, last):
            if one is None or isinstance(one, str):
                # SciPy takes this name for both ends only.
                orders.append(None if one == "not-a-knot" and one is bc_type else one)
                continue
            pairs = [(order, value) for order, value in one]
            orders.append([order for order, _ in pairs])
            given += [value for _, value in pairs]
    except TypeError as error:
        raise refuse(f"Unknown boundary condition: {bc_type}") from error
    return orders, given


def _combined(made, y):
    """A spline whose coefficients are those of `made` times `y`."""
    matrix = np.asarray(made.c)
    c = (matrix @ y.reshape(y.shape[0], -1)).reshape(-1, *y.shape[1:])
    return BSpline.construct_fast(made.t, c, made.k, made.extrapolate)


@described("BSpline", _ERRORS, _NOTES + "more stay where they are, and the sums of the normal "
           "equations are read.", x=("array_like", "The points, which ascend."),
           method=("{'qr', 'norm-eq'}", "How the system is solved: by rotations or by the normal "
                   "equations, which many values always are."))
def make_lsq_spline(x, y, t, k=3, w=None, axis=0, check_finite=True, *, method="qr"):
    """The spline of given knots with the least sum of squared residuals."""
    if not (many(y) or many(x)):
        return call("make_lsq_spline", x, y, t, k, w, axis, check_finite, method=method)
    if method not in ("qr", "norm-eq"):
        raise refuse(f"Unknown method = {method!r}.", mistake="choice")
    k = operator.index(k)
    x, y, t = inexact(x), np.moveaxis(inexact(y), axis, 0), vector(t, "make_lsq_spline", float)
    w = None if w is None else inexact(w)
    if x.ndim != 1 or t.ndim != 1 or (t[1:] < t[:-1]).any():
        raise refuse("Expect x and t to be vectors, and t to ascend.")
    if x.size != y.shape[0] or (w is not None and w.size != x.size):
        raise refuse(f"Shapes of x {x.shape} and y {y.shape} are incompatible", mistake="together")
    given = [x, y] if w is None else [x, y, w]
    if check_finite and not all(bool(np.isfinite(one).all()) for one in given):
        raise refuse("Array must not contain infs or nans.")
    if bool(((x < t[k]) | (x > t[-k - 1])).any()):
        raise refuse("A point is out of bounds of the knots.")
    if bool((x[1:] < x[:-1]).any()):
        raise refuse("Expect x to be a 1D non-decreasing sequence.")
    return _least_squares(x, y, t, k, w, axis % y.ndim)


def _least_squares(x, y, t, k, w, axis):
    """The spline from the normal equations: a band matrix and sums of values."""
    import numpy

    from .. import _host

    count = t.size - k - 1
    knots = np.asarray(t)
    span = _basis.spans(knots, k, x)
    basis = _basis.values(knots, k, x, span)
    squares = 1.0 if w is None else w * w
    flat = y.reshape(y.shape[0], -1)
    band = numpy.zeros((k + 1, count))
    right = numpy.zeros((count, flat.shape[1]), dtype=numpy.dtype(str(y.dtype)))

    def added(place, weights):
        return np.bincount(place, weights=weights, minlength=count).get()[:count]

    for at in range(k + 1):
        place, weighted = span - k + at, basis[at] * squares
        for other in range(at, k + 1):
            band[other - at] += added(place, weighted * basis[other])
        for column in range(flat.shape[1]):
            terms = weighted * flat[:, column]
            if terms.dtype.kind == "c":
                right[:, column] += added(place, terms.real) + 1j * added(place, terms.imag)
            else:
                right[:, column] += added(place, terms)
    linalg = _host.module("linalg", "make_lsq_spline")
    c = linalg.cho_solve_banded((linalg.cholesky_banded(band, lower=True), True), right)
    return from_host(scipy_interpolate("make_lsq_spline").BSpline.construct_fast(
        t, c.reshape(count, *y.shape[1:]), k, axis=axis
    ))


def along(x, values, k, axis, t=None):
    """The coefficients of the splines through values along an axis, and their knots."""
    if many(values):
        values = np.moveaxis(inexact(values), axis, 0)
        made = _interpolating(x, values, k, t, None)
    else:
        made = make_interp_spline(x, values, k, t, axis=axis)
    return np.moveaxis(made.c, 0, axis), made._t
