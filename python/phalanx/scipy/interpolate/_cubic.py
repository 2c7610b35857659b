"""Cubic splines through data: of given slopes, monotone, of Akima, and twice differentiable."""

import phalanx as np

from .._arguments import array, host, refuse
from ._described_polynomials import COLLECTIVE, described, described_class
from ._pieces import wide
from ._ppoly import PPoly
from ._slopes import checked_ends, monotone_slopes, smooth_slopes


def _prepared(x, y, axis, dydx=None):
    """Checked points, steps, data with the axis of the points first, the axis, and slopes."""
    x, y = array(x), array(y)
    if x.dtype.kind == "c":
        raise refuse("`x` must contain real values.")
    x = x.astype(np.float64)
    kind = np.complex128 if y.dtype.kind == "c" else np.float64
    if dydx is not None:
        dydx = array(dydx)
        if y.shape != dydx.shape:
            raise refuse("The shapes of `y` and `dydx` must be identical.", mistake="together")
        kind = np.complex128 if dydx.dtype.kind == "c" else kind
        dydx = dydx.astype(kind, copy=False)
    y = y.astype(kind, copy=False)
    if y.ndim == 0:
        raise refuse("integer modulo by zero: `y` has no axis", ZeroDivisionError)
    axis = axis % y.ndim
    if x.ndim != 1:
        raise refuse("`x` must be 1-dimensional.")
    if x.shape[0] < 2:
        raise refuse("`x` must contain at least 2 elements.")
    if x.shape[0] != y.shape[axis]:
        raise refuse(
            f"The length of `y` along `axis`={axis} doesn't match the length of `x`",
            mistake="together",
        )
    steps = x[1:] - x[:-1]
    checks = [np.all(np.isfinite(x)), np.all(np.isfinite(y)), np.all(steps > 0)]
    if dydx is not None:
        checks.append(np.all(np.isfinite(dydx)))
    # All answers are read at once.
    finite_x, finite_y, ascends, *finite_slopes = host(np.stack(checks)).tolist()
    for name, is_finite in (("x", finite_x), ("y", finite_y), ("dydx", all(finite_slopes))):
        if not is_finite:
            raise refuse(f"`{name}` must contain only finite values.")
    if not ascends:
        raise refuse("`x` must be strictly increasing sequence.")
    y = np.moveaxis(y, axis, 0)
    return x, steps, y, axis, None if dydx is None else np.moveaxis(dydx, axis, 0)


def _real(y, name):
    if y.dtype.kind == "c":
        raise refuse(
            f"`{name}` only works with real values for `y`. If you are trying to use the real "
            f"components of the passed array, use `np.real` on the array before passing to "
            f"`{name}`."
        )


@described_class(dydx=("array_like", "The slopes at the points, of the shape of the data."))
class CubicHermiteSpline(PPoly):
    """A piecewise cubic polynomial of given values and slopes."""

    def __init__(self, x, y, dydx, axis=0, extrapolate=None):
        x, steps, y, axis, slopes = _prepared(x, y, axis, dydx)
        steps = wide(steps, y.ndim - 1)
        secants = (y[1:] - y[:-1]) / steps
        first, last = slopes[:-1], slopes[1:]
        bend = (first + last - 2 * secants) / steps
        c = np.stack([bend / steps, (secants - first) / steps - bend, first, y[:-1]])
        super().__init__(c, x, True if extrapolate is None else extrapolate)
        self.axis = axis


@described_class()
class PchipInterpolator(CubicHermiteSpline):
    """A piecewise cubic polynomial that is monotone where the data are.

    Slopes are weighted harmonic means of the secants (Fritsch and Butland 1984).
    """

    def __init__(self, x, y, axis=0, extrapolate=None):
        x, steps, y, axis, _ = _prepared(x, y, axis)
        _real(y, "PchipInterpolator")
        super().__init__(x, y, monotone_slopes(wide(steps, y.ndim - 1), y), 0, extrapolate)
        self.axis = axis


@described("ndarray or list of ndarray: The values; a list for a sequence of orders.",
           notes=COLLECTIVE)
def pchip_interpolate(xi, yi, x, der=0, axis=0):
    """The values, or derivatives, of the monotone cubic interpolation of data."""
    found = PchipInterpolator(xi, yi, axis=axis)
    if np.ndim(der) == 0:
        return found(x) if der == 0 else found.derivative(int(der))(x)
    return [found.derivative(order)(x) for order in host(der).tolist()]


@described_class(
    {"ValueError": "The shapes do not fit, the points do not ascend, or data are complex or not "
                   "finite.",
     "NotImplementedError": "`method` is unknown."},
    method=("{'akima', 'makima'}", "Akima's weights, or modified ones that bend less at flat "
            "data."),
    extrapolate=("bool or {'periodic'}", "What applies beyond the points: the outer polynomials, "
                 "NaN, which is the default, or repetition."),
)
class Akima1DInterpolator(CubicHermiteSpline):
    """A piecewise cubic polynomial whose slopes depend on few neighbours (Akima 1970)."""

    def __init__(self, x, y, axis=0, *, method="akima", extrapolate=None):
        if method not in ("akima", "makima"):
            raise refuse(f"`method`={method} is unsupported.", NotImplementedError, "choice")
        x, steps, y, axis, _ = _prepared(x, y, axis)
        _real(y, "Akima1DInterpolator")
        secants = (y[1:] - y[:-1]) / wide(steps, y.ndim - 1)
        if y.shape[0] == 2:
            slopes = np.concatenate([secants, secants])
        else:
            slopes = _akima_slopes(secants, method)
        extrapolate = False if extrapolate is None else extrapolate
        super().__init__(x, y, slopes, 0, extrapolate)
        self.axis = axis

    @described("None: Nothing is returned.",
               {"NotImplementedError": "In every call."})
    def extend(self, c, x, right=True):
        """Adding intervals is not defined, because slopes depend on several intervals."""
        raise refuse(
            "Extending a 1-D Akima interpolator is not yet implemented", NotImplementedError
        )

    @classmethod
    @described("None: Nothing is returned.", {"NotImplementedError": "In every call."})
    def from_spline(cls, tck, extrapolate=None):
        """Not defined: a spline has other slopes."""
        raise refuse(
            "This method does not make sense for an Akima interpolator.", NotImplementedError
        )

    @classmethod
    @described("None: Nothing is returned.", {"NotImplementedError": "In every call."})
    def from_bernstein_basis(cls, bp, extrapolate=None):
        """Not defined: the polynomials have other slopes."""
        raise refuse(
            "This method does not make sense for an Akima interpolator.", NotImplementedError
        )


def _akima_slopes(secants, method):
    # Two secants more at each end, which continue those of the data linearly.
    before = 2.0 * secants[:1] - secants[1:2]
    after = 2.0 * secants[-1:] - secants[-2:-1]
    m = np.concatenate(
        [2.0 * before - secants[:1], before, secants, after, 2.0 * after - secants[-1:]]
    )
    change = np.abs(m[1:] - m[:-1])
    left, right = change[2:], change[:-2]
    if method == "makima":
        size = np.abs(m[1:] + m[:-1])
        left, right = left + 0.5 * size[2:], right + 0.5 * size[:-2]
    total = left + right
    if total.size == 0:
        return total
    # Where both weights are almost 0, the secants have equal ones.
    is_weighted = total > 1e-9 * np.max(total)
    part = right / np.where(is_weighted, total, 1.0)
    weighted = m[1:-2] + part * (m[2:-1] - m[1:-2])
    return np.where(is_weighted, weighted, 0.5 * (m[3:] + m[:-3]))


@described_class(
    bc_type=("str or 2-tuple", "The conditions at both ends, or one for each end: 'not-a-knot', "
             "'periodic', 'clamped', 'natural', or the order of a derivative, which is 1 or 2, and "
             "its value."),
)
class CubicSpline(CubicHermiteSpline):
    """A piecewise cubic polynomial that is twice differentiable.

    Slopes are solved for on devices, by reductions that eliminate neighbours in all rows at once.
    """

    def __init__(self, x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
        x, steps, y, axis, _ = _prepared(x, y, axis)
        ends, y = checked_ends(bc_type, y, axis)
        if extrapolate is None:
            extrapolate = "periodic" if ends[0] == "periodic" else True
        slopes = np.zeros_like(y) if y.size == 0 else smooth_slopes(steps, y, *ends)
        super().__init__(x, y, slopes, 0, extrapolate)
        self.axis = axis
