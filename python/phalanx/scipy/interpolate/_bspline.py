"""The class of splines in the B-spline basis."""

import operator

import phalanx as np

from .._arguments import array, refuse
from . import _basis
from ._described import COLLECTIVE, HOST, KNOTS, NOTHING, RECORDED, described
from ._described import described_class
from ._host import from_host, scipy_interpolate, to_host, vector
from ._methods import OnMesh


def inexact(x):
    """Numbers in double precision, real or complex."""
    x = array(x)
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def check_knots(t, k, where=""):
    """Refuses a vector of knots that makes no spline of a degree."""
    import numpy

    n = t.shape[0] - k - 1 if t.ndim else 0
    if k < 0:
        raise refuse(f"Spline order{where} cannot be negative.")
    if t.ndim != 1:
        raise refuse(f"Knot vector{where} must be one-dimensional.")
    if n < k + 1:
        raise refuse(f"Need at least {2 * k + 2} knots for degree {k}{where}")
    if (numpy.diff(t) < 0).any():
        raise refuse(f"Knots{where} must be in a non-decreasing order.")
    if numpy.unique(t[k : n + 1]).size < 2:
        raise refuse(f"Need at least two internal knots{where}.")
    if not numpy.isfinite(t).all():
        raise refuse(f"Knots{where} should not have nans or infs.")


def padded(c, count):
    """Coefficients with zeros, so that there are `count`."""
    missing = count - c.shape[0]
    if missing <= 0:
        return c
    return np.concatenate([c, np.zeros((missing, *c.shape[1:]), dtype=c.dtype)])


def derived(t, c, k, n):
    """Knots, coefficients and degree of the derivative of order `n`; `t` is on the host."""
    import numpy

    if n < 0:
        return integrated(t, c, k, -n)
    if n > k:
        raise refuse(f"Order of derivative (n = {n!r}) must be <= order of spline (k = {k!r})")
    for _ in range(n):
        width = t[k + 1 : -1] - t[1 : -k - 1]
        if (width == 0).any():
            raise refuse(
                f"The spline has internal repeated knots and is not differentiable {n} times"
            )
        width = np.asarray(width.reshape((-1,) + (1,) * (c.ndim - 1)))
        c = (c[1 : -1 - k] - c[: -2 - k]) * k / width
        t, k = t[1:-1], k - 1
        # FITPACK's arrays of coefficients are as long as those of knots.
        c = padded(c, t.size)
    return numpy.ascontiguousarray(t), c, k


def integrated(t, c, k, n):
    """Knots, coefficients and degree of the antiderivative of order `n`; `t` is on the host."""
    import numpy

    if n < 0:
        return derived(t, c, k, -n)
    for _ in range(n):
        width = np.asarray((t[k + 1 :] - t[: -k - 1]).reshape((-1,) + (1,) * (c.ndim - 1)))
        c = np.cumsum(c[: -k - 1] * width, axis=0) / (k + 1)
        last = np.broadcast_to(c[-1:], (k + 2, *c.shape[1:]))
        c = np.concatenate([np.zeros((1, *c.shape[1:]), dtype=c.dtype), c, last])
        t, k = numpy.concatenate([t[:1], t, t[-1:]]), k + 1
    return t, c, k


_POINTS = ("array_like", "The points.")
_EXTRAPOLATE = (
    "bool or 'periodic'",
    "Whether the first and the last polynomial continue beyond the base interval; points there "
    "are NaN otherwise.",
)
_ORDER = ("int", "The order.")


@described_class(
    {"ValueError": "The knots descend or are too few, or their number is not that of the "
     "coefficients and the degree.", "TypeError": "The degree is not an integer."}, KNOTS,
    extrapolate=_EXTRAPOLATE,
)
class BSpline(OnMesh):
    """A spline in the B-spline basis: a polynomial between each two knots. Points are evaluated as
    arrays on devices; knots are kept on the host, too."""

    def __init__(self, t, c, k, extrapolate=True, axis=0):
        import numpy

        self.k = operator.index(k)
        self._c = array(c)
        self.t = vector(t, "BSpline", float)
        self.extrapolate = extrapolate if _is_periodic(extrapolate) else bool(extrapolate)
        self.axis = numpy.lib.array_utils.normalize_axis_index(axis, self._c.ndim)
        self._c = np.moveaxis(self._c, self.axis, 0)
        check_knots(self._t, self.k)
        if self._c.shape[0] < self._t.size - self.k - 1:
            raise refuse("Knots, coefficients and degree are inconsistent.", mistake="together")
        self._c = inexact(self._c)

    @classmethod
    @described("BSpline", NOTHING, KNOTS, extrapolate=_EXTRAPOLATE)
    def construct_fast(cls, t, c, k, extrapolate=True, axis=0):
        """A spline of these knots and coefficients, without checks."""
        self = object.__new__(cls)
        self.t, self._c, self.k = t, array(c), k
        self.extrapolate, self.axis = extrapolate, axis
        return self

    @property
    def t(self):
        """The knots."""
        return self._knots

    @t.setter
    def t(self, t):
        # Few numbers: the host decides on intervals, and devices find them.
        self._t = vector(t, "BSpline", float)
        self._knots = np.asarray(self._t)

    @property
    def c(self):
        """The coefficients; their first axis is that of the basis."""
        return self._c

    @c.setter
    def c(self, c):
        self._c = array(c)

    @property
    def tck(self):
        """The knots, the coefficients and the degree."""
        return self.t, self.c, self.k

    @property
    def _of_scipy(self):
        """The spline as an object of SciPy."""
        return scipy_interpolate("BSpline").BSpline.construct_fast(
            self._t, to_host(self._c, "BSpline"), self.k, self.extrapolate, self.axis
        )

    @classmethod
    @described("BSpline", NOTHING, KNOTS, extrapolate=_EXTRAPOLATE,
               t=("array_like", "The knots of the function, one more than its degree and one."))
    def basis_element(cls, t, extrapolate=True):
        """The basis function of these knots."""
        import numpy

        t = vector(t, "BSpline", float)
        k = t.size - 2
        t = numpy.concatenate([numpy.full(k, t[0] - 1), t, numpy.full(k, t[-1] + 1)])
        c = numpy.zeros(t.size)
        c[k] = 1.0
        return cls.construct_fast(t, np.asarray(c), k, extrapolate)

    @classmethod
    @described("csr_array: The matrix, with a row for each point.",
               {"ValueError": "A point is outside of the base interval, or the knots make no "
                "spline."}, COLLECTIVE, x=_POINTS, extrapolate=_EXTRAPOLATE)
    def design_matrix(cls, x, t, k, extrapolate=False):
        """The values of the basis functions at points, a sparse matrix."""
        import numpy

        from ..sparse import csr_array

        x, t = inexact(x), vector(t, "BSpline", float)
        if not bool(np.isfinite(x).all()) or not numpy.isfinite(t).all():
            raise refuse("Array must not contain infs or nans.")
        if k < 0:
            raise refuse("Spline order cannot be negative.")
        if t.ndim != 1 or (t[1:] < t[:-1]).any():
            raise refuse("The knots have to be a sorted vector.")
        if t.size < 2 * k + 2:
            raise refuse(f"Length t is not enough for k={k}.")
        low, high = t[k], t[t.size - k - 1]
        if _is_periodic(extrapolate):
            x = low + (x - low) % (high - low)
        elif not extrapolate and bool(((x < low) | (x > high)).any()):
            raise refuse("A point is out of bounds of the base interval.")
        knots = np.asarray(t)
        span = _basis.spans(knots, k, x)
        data = np.stack(_basis.values(knots, k, x, span), axis=1).reshape(-1)
        count = x.shape[0]
        kind = np.int32 if count * (k + 1) < 2**31 - 1 else np.int64
        places = ((span - k)[:, None] + np.arange(k + 1)).reshape(-1).astype(kind)
        starts = np.arange(0, (count + 1) * (k + 1), k + 1, dtype=kind)
        return csr_array((data, places, starts), shape=(count, t.size - k - 1))

    @described("ndarray: The values; the axis of the coefficients is replaced by those of `x`.",
               NOTHING, RECORDED, x=_POINTS, extrapolate=_EXTRAPOLATE)
    def __call__(self, x, nu=0, extrapolate=None):
        """The values of the spline, or of a derivative, at points."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if nu < 0:
            raise refuse(f"Cannot do derivative order nu= {nu}", NotImplementedError)
        x = array(x)
        shape, flat = x.shape, x.reshape(-1).astype(np.float64)
        if _is_periodic(extrapolate):
            low, high = self._ends()
            flat = low + (flat - low) % (high - low)
            extrapolate = False
        found = _basis.spline(self.t, self._c, self.k, flat, nu, extrapolate)
        found = found.reshape((*shape, *self._c.shape[1:]))
        if self.axis:
            axes = range(found.ndim)
            first, points = len(shape), len(shape) + self.axis
            found = found.transpose((*axes[first:points], *axes[:first], *axes[points:]))
        return found

    def _ends(self):
        return float(self._t[self.k]), float(self._t[self._t.size - self.k - 1])

    @described("BSpline", {"ValueError": "The spline has knots that coincide, and has no such "
               "derivative."}, RECORDED, nu=_ORDER)
    def derivative(self, nu=1):
        """The derivative, as a spline."""
        tck = derived(self._t, padded(self._c, self._t.size), self.k, nu)
        return self.construct_fast(*tck, extrapolate=self.extrapolate, axis=self.axis)

    @described("BSpline", NOTHING, RECORDED, nu=_ORDER)
    def antiderivative(self, nu=1):
        """The antiderivative, as a spline; one of a periodic spline is not periodic."""
        tck = integrated(self._t, padded(self._c, self._t.size), self.k, nu)
        extrapolate = False if _is_periodic(self.extrapolate) else self.extrapolate
        return self.construct_fast(*tck, extrapolate=extrapolate, axis=self.axis)

    @described("ndarray: The integral, of the shape of a coefficient.", NOTHING, RECORDED,
               a=("float", "The lower limit."), b=("float", "The upper limit."),
               extrapolate=("bool or 'periodic'", "Whether the spline continues beyond the base "
                            "interval, where it is zero otherwise; by default as in the "
                            "constructor."))
    def integrate(self, a, b, extrapolate=None):
        """The integral between limits."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        a, b = float(a), float(b)
        sign = 1
        if b < a:
            a, b, sign = b, a, -1
        low, high = self._ends()
        t, c, k = integrated(self._t, padded(self._c, self._t.size), self.k, 1)
        knots = np.asarray(t)

        def between(first, last, extrapolate=False):
            ends = np.asarray([first, last], dtype=np.float64)
            ends = _basis.spline(knots, c, k, ends, 0, extrapolate)
            return ends[1] - ends[0]

        if _is_periodic(extrapolate):
            period = high - low
            count, left = divmod(b - a, period)
            a = low + (a - low) % period
            b = a + left
            # The rest of the interval may pass the end of the period.
            total = between(a, min(b, high))
            if b > high:
                total = total + between(low, low + b - high)
            if count:
                total = total + count * between(low, high)
        elif extrapolate:
            total = between(a, b, True)
        elif self._c.ndim == 1:
            total = between(min(max(a, low), high), min(max(b, low), high))
        else:
            total = between(max(a, low), min(b, high))
        return total * sign

    @classmethod
    @described("BSpline", {"NotImplementedError": "`pp` is no cubic spline.",
                           "TypeError": "The condition is unknown."}, HOST,
               pp=("CubicSpline", "The polynomials."),
               bc_type=("{'not-a-knot', 'natural', 'clamped', 'periodic'}", "The conditions with "
                        "which `pp` was made."))
    def from_power_basis(cls, pp, bc_type="not-a-knot"):
        """A cubic spline in the B-spline basis; SciPy converts its coefficients on the host."""
        if type(pp).__name__ != "CubicSpline":
            raise refuse(f"Only CubicSpline objects are accepted, and not {type(pp)}.",
                         NotImplementedError, "type")
        scipy = scipy_interpolate("BSpline")
        x, c = to_host(pp.x, "BSpline"), to_host(pp.c, "BSpline")
        made = scipy.CubicSpline.construct_fast(c, x, pp.extrapolate, pp.axis)
        found = scipy.BSpline.from_power_basis(made, bc_type)
        return cls.construct_fast(found.t, found.c, found.k, pp.extrapolate, pp.axis)

    @described("BSpline", {"ValueError": "The position is outside of the base interval, or `m` is "
               "not positive."}, HOST, x=("float", "The position of the knot."),
               m=("int", "How often the knot is inserted."))
    def insert_knot(self, x, m=1):
        """The same spline with a further knot; SciPy computes its coefficients on the host."""
        return from_host(self._of_scipy.insert_knot(float(x), m))


def _is_periodic(extrapolate):
    return isinstance(extrapolate, str) and extrapolate == "periodic"
