"""Splines as tuples of knots, coefficients and degree."""

import phalanx as np

from .._arguments import array, refuse
from . import _basis
from ._bspline import BSpline, derived, inexact, integrated, padded
from ._described import COLLECTIVE, HOST, KNOTS, described
from ._host import call, vector

_POINTS = ("array_like", "The points.")


def _is_parametric(c):
    """Whether coefficients are those of several coordinates."""
    return np.ndim(c[0]) > 0 if isinstance(c, (list, tuple)) and len(c) else np.ndim(c) > 1


@described("ndarray or list of ndarray: The values; one array for each coordinate of a curve.",
           {"ValueError": "The order is more than the degree, `ext` is unknown or 2 and a point is "
            "outside, or a BSpline has coefficients of several axes."}, KNOTS + " Collective for "
           "`ext=2`.", x=_POINTS)
def splev(x, tck, der=0, ext=0):
    """The values of a spline, or of a derivative, at points."""
    if isinstance(tck, BSpline):
        if tck.c.ndim > 1:
            raise refuse("Calling splev() with BSpline objects with c.ndim > 1 is not allowed. Use "
                         "BSpline.__call__(x) instead.")
        if ext != 0:
            raise refuse(f"Extrapolation mode {ext} is not supported by BSpline.", mistake="choice")
        return tck(x, der, extrapolate=True)
    t, c, k = tck
    if _is_parametric(c):
        return [splev(x, (t, one, k), der, ext) for one in c]
    if not 0 <= der <= k:
        raise refuse(f"0<=der={der}<=k={k} must hold")
    if ext not in (0, 1, 2, 3):
        raise refuse(f"ext = {ext} not in (0, 1, 2, 3) ", mistake="choice")
    x, t = array(x), vector(t, "splev", float)
    shape, x = x.shape, x.reshape(-1).astype(np.float64)
    low, high = float(t[k]), float(t[t.size - k - 1])
    beyond = (x < low) | (x > high)
    if ext == 2 and bool(beyond.any()):
        raise refuse("Found x value not in the domain")
    # FITPACK continues derivatives with the last polynomials, not with constants.
    if ext == 3 and der == 0:
        x = np.clip(x, low, high)
    found = _basis.spline(np.asarray(t), inexact(c).real, k, x, der)
    if ext == 1:
        found = np.where(beyond, 0.0, found)
    return found.reshape(shape)


@described("float or list of float: The integral, one for each coordinate of a curve; with "
           "`full_output`, those of the basis functions, too. It is an array for a BSpline.",
           {"ValueError": "A BSpline has coefficients of several axes, or the degree is more than "
            "5 with `full_output`."}, COLLECTIVE, a=("float", "The lower limit."),
           b=("float", "The upper limit."),
           full_output=("bool", "Whether the integrals of the basis functions are returned, which "
                        "SciPy computes on the host."))
def splint(a, b, tck, full_output=0):
    """The integral of a spline between limits; it is zero beyond its ends."""
    if isinstance(tck, BSpline):
        if tck.c.ndim > 1:
            raise refuse("Calling splint() with BSpline objects with c.ndim > 1 is not allowed. "
                         "Use BSpline.integrate() instead.")
        return tck.integrate(a, b, extrapolate=False)
    t, c, k = tck
    if _is_parametric(c):
        return [splint(a, b, (t, one, k)) for one in c]
    if full_output:
        if k > 5:
            # FITPACK's arrays have six elements.
            raise refuse(f"the degree {k} is more than 5")
        return call("splint", a, b, tck, full_output)
    return float(BSpline.construct_fast(t, inexact(c).real, k).integrate(a, b, extrapolate=False))


@described("ndarray or list of ndarray: The derivatives of the orders 0 to `k` at a point; a list "
           "with those of each point.",
           {"TypeError": "`tck` is a BSpline, or a point is outside."}, COLLECTIVE,
           x=_POINTS)
def spalde(x, tck):
    """All derivatives of a spline at points."""
    if isinstance(tck, BSpline):
        raise refuse("spalde does not accept BSpline instances.", TypeError, "type")
    t, c, k = tck
    if _is_parametric(c):
        return [spalde(x, (t, one, k)) for one in c]
    x, t = array(x), vector(t, "spalde", float)
    flat = x.reshape(-1).astype(np.float64)
    if bool(((flat < t[k]) | (flat > t[t.size - k - 1])).any()):
        raise refuse("Invalid input data. t(k)<=x<=t(n-k+1) must hold.", TypeError)
    knots, c = np.asarray(t), inexact(c).real
    found = np.stack([_basis.spline(knots, c, k, flat, order) for order in range(k + 1)], axis=1)
    return found[0] if flat.size == 1 else [found[at] for at in range(flat.size)]


@described("tuple or BSpline: The spline, in the form of `tck`.",
           {"ValueError": "The order is more than the degree, or inner knots coincide."}, KNOTS)
def splder(tck, n=1):
    """The derivative of a spline, as a spline."""
    if isinstance(tck, BSpline):
        return tck.derivative(n)
    if n < 0:
        return splantider(tck, -n)
    t, c, k = tck
    t, c, k = derived(vector(t, "splder", float), inexact(c), k, n)
    return np.asarray(t), c, k


@described("tuple or BSpline: The spline, in the form of `tck`.", {"ValueError": "The order is "
           "negative and more than the degree, or inner knots coincide."}, KNOTS)
def splantider(tck, n=1):
    """The antiderivative of a spline, as a spline."""
    if isinstance(tck, BSpline):
        return tck.antiderivative(n)
    if n < 0:
        return splder(tck, -n)
    t, c, k = tck
    t, c, k = integrated(vector(t, "splantider", float), inexact(c), k, n)
    return np.asarray(t), c, k


@described("tuple or BSpline: The spline, in the form of `tck`.",
           {"ValueError": "The position is outside."}, HOST,
           x=("float", "The position of the knot."))
def insert(x, tck, m=1, per=0):
    """The same spline with a further knot; SciPy computes its coefficients on the host."""
    if isinstance(tck, BSpline):
        t, c, k = tck.tck
        # FITPACK reads as many coefficients as there are knots.
        tck = BSpline.construct_fast(t, padded(c, t.shape[0]), k)
    return call("insert", x, tck, m, per)


def surface(tck, x, y, dx=0, dy=0, grid=True):
    """The values of a spline of two variables, which is constant beyond its domain.

    `x` and `y` are vectors: the axes of a grid, or the coordinates of points.
    """
    tx, ty, c, kx, ky = tck
    axes, ends = [], []
    # SciPy cuts off the fractions of orders.
    dx, dy = int(dx), int(dy)
    for t, k, order in ((tx, kx, dx), (ty, ky, dy)):
        t = vector(t, "bisplev", float)
        if (dx or dy) and not 0 <= order < k:
            raise refuse(f"the order {order} of a derivative is not less than the degree {k}")
        ends.append((t[k], t[t.size - k - 1]))
        axes.append((_basis.near(np.asarray(t)), k, order))
    x, y = [np.clip(one.astype(np.float64), float(low), float(high))
            for one, (low, high) in zip((x, y), ends)]
    count = [t.shape[0] - k - 1 for t, k, _ in axes]
    c = inexact(c).reshape(count)
    if grid:
        for point, (t, k, order) in zip((x, y), axes):
            # The axis that is evaluated comes first, and becomes the last one.
            c = np.moveaxis(_basis.spline(t, c, k, point, order), 0, -1)
        return c
    starts, weights = [], []
    for point, (t, k, order) in zip((x, y), axes):
        span = _basis.spans(t, k, point)
        starts.append(span - k)
        weights.append(_basis.values(t, k, point, span, order))
    missing = np.isnan(x) | np.isnan(y)
    return np.where(missing, np.nan, _basis.tensor(c, starts, weights))


@described("ndarray: The values; a row for each `x` and a column for each `y`, without the axis of "
           "one `x`, and as a number for one point.",
           {"ValueError": "A derivative has an order that is not less than the degree, or an "
            "argument is no vector."}, KNOTS,
           x=("array_like", "The points along the first axis."),
           y=("array_like", "The points along the second axis."),
           tck=("sequence", "The knots along both axes, the coefficients and both degrees."))
def bisplev(x, y, tck, dx=0, dy=0):
    """The values of a spline of two variables on a grid."""
    x, y = map(np.atleast_1d, (array(x), array(y)))
    if x.ndim != 1 or y.ndim != 1:
        raise refuse("First two entries should be rank-1 arrays.")
    found = surface(tck, x, y, dx, dy)
    if found.shape[0] > 1:
        return found
    return found[0] if found.shape[1] > 1 else found[0, 0]
