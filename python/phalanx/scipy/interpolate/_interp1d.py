"""Interpolation of data along one axis, by steps, lines and splines."""

import math

import phalanx as np

from .._arguments import array, refuse
from ._basis import near
from ._cubic import CubicSpline
from ._described_polynomials import described_class
from ._interpolating import Interpolator
from ._making import make_interp_spline
from ._piecewise import inexact
from ._ppoly import PPoly

_STEPS = ("nearest", "nearest-up", "previous", "next")
_SPLINES = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}


def _extrapolates(fill_value):
    return isinstance(fill_value, str) and fill_value == "extrapolate"


@described_class(
    {"ValueError": "The shapes do not fit, there are too few points, or `bounds_error` is true and "
                   "points of a call are beyond those of the data.",
     "NotImplementedError": "`kind` is unknown."},
    "Collective: whether points are beyond those of the data is read if `bounds_error` is true.",
    axis=("int", "The axis of the data along which points are interpolated."),
    kind=("str or int", "'linear', 'nearest', 'nearest-up', 'previous', 'next', or a spline: "
          "'zero', 'slinear', 'quadratic', 'cubic' or its degree. SciPy fits splines of degree 2 "
          "and of more than 3 on the host."),
    copy=("bool", "Without effect: arrays never change the data of others."),
    bounds_error=("bool", "Whether points beyond those of the data are errors; by default unless "
                  "`fill_value` is 'extrapolate'."),
    fill_value=("array_like, (array_like, array_like) or 'extrapolate'", "The values beyond the "
                "points of the data, or those below and above."),
    assume_sorted=("bool", "Whether the points ascend; they are sorted otherwise."),
)
class interp1d(Interpolator):
    """Data at points of a vector, interpolated between these."""

    def __init__(self, x, y, kind="linear", axis=-1, copy=True, bounds_error=None,
                 fill_value=np.nan, assume_sorted=False):
        x, y = array(x), array(y)
        super().__init__(x, y, axis=axis)
        self.bounds_error, self.copy = bounds_error, copy
        degree = None
        if isinstance(kind, str) and kind in _SPLINES:
            degree, kind = _SPLINES[kind], "spline"
        elif isinstance(kind, int):
            degree, kind = kind, "spline"
        elif kind not in ("linear", *_STEPS):
            raise refuse(
                f"{kind} is unsupported: Use fitpack routines for other types.",
                NotImplementedError, "choice",
            )
        if not assume_sorted and x.ndim == 1 and y.ndim:
            order = np.argsort(x, kind="stable")
            x, y = np.take(x, order), np.take(y, order, axis=axis)
        if x.ndim != 1:
            raise refuse("the x array must have exactly one dimension.")
        if y.ndim == 0:
            raise refuse("the y array must have at least one dimension.")
        if y.dtype.kind in "biu":
            y = y.astype(np.float64)
        self.axis = axis % y.ndim
        self.x, self.y = x, y
        self._y = self._reshape_yi(y)
        self._kind = kind
        least = 1 if degree is None else degree + 1
        if kind in ("previous", "next") and _extrapolates(fill_value):
            # Steps have values beyond one end only.
            self._never_raise()
            edge = np.take(y, -1 if kind == "previous" else 0, axis=axis)
            fill_value = (np.nan, edge) if kind == "previous" else (edge, np.nan)
        if len(self.x) < least:
            raise refuse(f"x and y arrays must have at least {least} entries")
        if degree is not None:
            self._prepare_spline(degree)
        self.fill_value = fill_value

    @property
    def fill_value(self):
        """The values beyond the points of the data."""
        return self._fill_value_orig

    @fill_value.setter
    def fill_value(self, fill_value):
        self._extrapolate = _extrapolates(fill_value)
        if self._extrapolate:
            self._never_raise()
        else:
            shape = self.y.shape[: self.axis] + self.y.shape[self.axis + 1 :] or (1,)
            if isinstance(fill_value, tuple) and len(fill_value) == 2:
                given = zip(fill_value, ("fill_value (below)", "fill_value (above)"))
                below, above = (_row(one, shape, name) for one, name in given)
            else:
                below = above = _row(fill_value, shape, "fill_value")
            self._fill_value_below, self._fill_value_above = below, above
            if self.bounds_error is None:
                self.bounds_error = True
        self._fill_value_orig = fill_value

    def _never_raise(self):
        if self.bounds_error:
            raise refuse("Cannot extrapolate and raise at the same time.", mistake="together")
        self.bounds_error = False

    def _prepare_spline(self, degree):
        x, y, self._is_nan = self.x.astype(np.float64), inexact(self._y), False
        if degree > 1:
            is_nan = np.isnan(x)
            if bool(np.any(is_nan)):
                if bool(np.all(is_nan)):
                    raise refuse("`x` array is all-nan")
                x = np.linspace(np.nanmin(x), np.nanmax(x), len(x))
                self._is_nan = True
            # One value without a number makes all values NaN, because a spline depends on all.
            if not bool(np.all(np.isfinite(y))):
                y = np.ones_like(y)
                self._is_nan = True
        if degree == 0:
            self._spline = _Steps(x, y)
        elif degree == 1:
            steps = x[1:] - x[:-1]
            if bool(np.any(steps <= 0)):
                raise refuse("Expect x to be a 1-D sorted array_like without duplicates.")
            c = np.stack([(y[1:] - y[:-1]) / steps[:, None], y[:-1]])
            self._spline = PPoly.construct_fast(c, x)
        elif degree == 3:
            self._spline = CubicSpline(x, y)
        else:
            self._spline = make_interp_spline(x, y, k=degree, check_finite=False)

    def _evaluate(self, x):
        y = self._inside(x)
        if self._extrapolate:
            return y
        below, above = x < self.x[0], x > self.x[-1]
        if self.bounds_error:
            self._check(x, below, above)
        y = np.where(below[:, None], self._fill_value_below.astype(y.dtype), y)
        return np.where(above[:, None], self._fill_value_above.astype(y.dtype), y)

    def _check(self, x, below, above):
        for beyond, name, least, end in (
            (below, "below", "minimum", 0), (above, "above", "maximum", -1)
        ):
            if bool(np.any(beyond)):
                raise refuse(
                    f"A value ({x[np.argmax(beyond)]}) in x_new is {name} the interpolation "
                    f"range's {least} value ({self.x[end]})."
                )

    def _inside(self, x):
        """The values, as if there were points of the data all around."""
        knots, table, last = near(self.x), near(self._y), len(self.x) - 1
        if self._kind == "spline":
            y = self._spline(x)
            return np.full_like(y, np.nan) if self._is_nan else y
        if self._kind == "linear":
            return self._on_lines(x, knots, table, last)
        if self._kind in ("nearest", "nearest-up"):
            half = knots / 2.0
            side = "left" if self._kind == "nearest" else "right"
            place = np.clip(np.searchsorted(half[1:] + half[:-1], x, side=side), 0, last)
        elif self._kind == "previous":
            before = np.nextafter(knots, -np.inf)
            place = np.clip(np.searchsorted(before, x, side="left"), 1, last + 1) - 1
        else:
            after = np.nextafter(knots, np.inf)
            place = np.clip(np.searchsorted(after, x, side="right"), 0, last)
        return np.take(table, place, axis=0)

    def _on_lines(self, x, knots, table, last):
        plain = ("d", "l", "q")
        if (self.x.dtype.char in plain and self.y.dtype.char in plain and self.y.ndim == 1
                and not self._extrapolate):
            return np.interp(x, knots, table[:, 0])[:, None]
        high = np.clip(np.searchsorted(knots, x), 1, last)
        low = high - 1
        x_low, y_low = np.take(knots, low), np.take(table, low, axis=0)
        rise = np.take(table, high, axis=0) - y_low
        slope = rise / (np.take(knots, high) - x_low)[:, None]
        return slope * (x - x_low)[:, None] + y_low


class _Steps:
    """A spline of degree 0: the value of the last point that is not after a point."""

    def __init__(self, x, y):
        self.x, self.y = near(x), near(y)

    def __call__(self, x):
        place = np.clip(np.searchsorted(self.x, x, side="right") - 1, 0, len(self.x) - 1)
        return np.where(np.isnan(x)[:, None], np.nan, np.take(self.y, place, axis=0))


def _row(value, shape, name):
    """A value for each column of the data."""
    value = array(value)
    fits = len(shape) >= value.ndim and all(
        extent in (1, wanted) for extent, wanted in zip(value.shape[::-1], shape[::-1])
    )
    if not fits:
        raise refuse(
            f"{name} argument must be able to broadcast up to shape {shape} but had shape "
            f"{value.shape}",
            mistake="together",
        )
    if value.size == 1:
        return value.reshape(-1)
    return np.broadcast_to(value, shape).reshape(math.prod(shape))


class interp2d:
    """A name that SciPy has removed: the constructor raises an error.

    Parameters
    ----------
    x : array_like
        Without effect.
    y : array_like
        Without effect.
    z : array_like
        Without effect.
    kind : str, default: 'linear'
        Without effect.
    copy : bool, default: True
        Without effect.
    bounds_error : bool, default: False
        Without effect.
    fill_value : float, optional
        Without effect.

    Raises
    ------
    NotImplementedError
        In every call.
    """

    def __init__(self, x, y, z, kind="linear", copy=True, bounds_error=False, fill_value=None):
        raise refuse(
            "`interp2d` has been removed in SciPy 1.14.0",
            NotImplementedError,
            "absent",
            "use RegularGridInterpolator or RectBivariateSpline for data on grids, and "
            "LinearNDInterpolator or CloughTocher2DInterpolator for scattered data",
        )
