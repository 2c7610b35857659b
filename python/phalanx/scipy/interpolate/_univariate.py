"""Splines of one variable through data: SciPy fits them, and points are evaluated on devices."""

import phalanx as np

from .._arguments import array, refuse
from ._described import COLLECTIVE, HOST, NOTHING, RECORDED, described, described_class
from ._fitpack import spalde, splantider, splder, splev, splint
from ._host import call, from_host, scipy_interpolate, to_host
from ._methods import OnMesh

_MODES = {0: 0, "extrapolate": 0, 1: 1, "zeros": 1, 2: 2, "raise": 2, 3: 3, "const": 3}
_ERRORS = {
    "ValueError": "Shapes, ends, the degree or the knots are not allowed, points do not ascend, or "
    "there are too many data for the host.",
    "ImportError": "SciPy is not installed: ``pip install phalanx[scipy]``.",
}


def _mode(ext):
    if ext not in _MODES:
        raise refuse(f"Unknown extrapolation mode {ext}.", mistake="choice")
    return _MODES[ext]


@described_class(_ERRORS, HOST, x=("array_like", "The points, which ascend."))
class UnivariateSpline(OnMesh):
    """A smoothing spline through data of one variable. SciPy fits it on the host."""

    def __init__(self, x, y, w=None, bbox=[None] * 2, k=3, s=None, ext=0, check_finite=False):
        self._fitted("UnivariateSpline", x, y, w, bbox, k, s, ext, check_finite)

    def _fitted(self, name, *given):
        found = getattr(scipy_interpolate(name), name)
        self._of_scipy = found(*(to_host(one, name) for one in given))
        self._adopt()

    def _adopt(self):
        """Takes what SciPy has fitted; SciPy changes the class by the result."""
        made = self._of_scipy
        self.ext = made.ext
        t, c, k = made._eval_args
        self._eval_args = from_host(t), from_host(c), k
        classes = {one.__name__: one for one in (
            UnivariateSpline, InterpolatedUnivariateSpline, LSQUnivariateSpline
        )}
        if type(self) in classes.values():
            self.__class__ = classes[type(made).__name__]

    @classmethod
    def _from_tck(cls, tck, ext=0):
        self = cls.__new__(cls)
        self._of_scipy = None
        self._eval_args, self.ext = tck, ext
        return self

    @classmethod
    @described("tuple of ndarray: The arguments, and the number of the mode `ext`.", _ERRORS, HOST,
               x=("array_like", "The points, which ascend."))
    def validate_input(cls, x, y, w, bbox, k, s, ext, check_finite):
        """The arguments of a constructor, as arrays; errors for those that are not allowed."""
        given = (x, y, w, bbox, k, s, ext, check_finite)
        found = scipy_interpolate("UnivariateSpline").UnivariateSpline.validate_input(
            *(to_host(one, "UnivariateSpline") for one in given)
        )
        return tuple(from_host(one) for one in found)

    @described("None", NOTHING, HOST)
    def set_smoothing_factor(self, s):
        """Fits the spline again with another bound of the residuals."""
        self._of_scipy.set_smoothing_factor(s)
        self._adopt()

    @described("ndarray: The values, of the shape of `x`.",
               {"ValueError": "The mode is unknown, or a point is outside in mode 'raise'."},
               RECORDED + " Collective in mode 'raise'.")
    def __call__(self, x, nu=0, ext=None):
        """The values of the spline, or of a derivative, at points."""
        x = array(x)
        if x.size == 0:
            return np.asarray([], dtype=np.float64)
        ext = self.ext if ext is None else _mode(ext)
        return splev(x, self._eval_args, der=nu, ext=ext)

    @described("ndarray: The knots.", NOTHING, RECORDED)
    def get_knots(self):
        """The knots within the domain, and its ends."""
        t, _, k = self._eval_args
        return t[k : t.shape[0] - k]

    @described("ndarray: The coefficients.", NOTHING, RECORDED)
    def get_coeffs(self):
        """The coefficients."""
        t, c, k = self._eval_args
        return c[: t.shape[0] - k - 1]

    @described("float: The residual; None for a spline that was not fitted.", NOTHING, RECORDED)
    def get_residual(self):
        """The weighted sum of squared residuals."""
        return None if self._of_scipy is None else self._of_scipy.get_residual()

    @described("float: The integral.", NOTHING, COLLECTIVE, a=("float", "The lower limit."),
               b=("float", "The upper limit."))
    def integral(self, a, b):
        """The integral between limits; the spline is zero beyond its ends."""
        return splint(a, b, self._eval_args)

    @described("ndarray: The derivatives of the orders 0 to `k`.",
               {"TypeError": "The point is outside."}, COLLECTIVE, x=("float", "The point."))
    def derivatives(self, x):
        """All derivatives at a point."""
        return spalde(x, self._eval_args)

    @described("ndarray: The zeros.", {"NotImplementedError": "The degree is not 3."}, HOST)
    def roots(self):
        """The zeros of a cubic spline."""
        t, _, k = self._eval_args
        if k != 3:
            raise refuse("finding roots unsupported for non-cubic splines", NotImplementedError,
                         "absent")
        return call("sproot", self._eval_args, mest=3 * (t.shape[0] - 7))

    @described("UnivariateSpline", {"ValueError": "The order is more than the degree."}, RECORDED)
    def derivative(self, n=1):
        """The derivative, as a spline."""
        # The derivative of a constant continuation is zero.
        ext = 1 if self.ext == 3 else self.ext
        return UnivariateSpline._from_tck(splder(self._eval_args, n), ext)

    @described("UnivariateSpline", NOTHING, RECORDED)
    def antiderivative(self, n=1):
        """The antiderivative, as a spline."""
        return UnivariateSpline._from_tck(splantider(self._eval_args, n), self.ext)


@described_class(_ERRORS, HOST, x=("array_like", "The points, which ascend."))
class InterpolatedUnivariateSpline(UnivariateSpline):
    """The spline through all data of one variable. SciPy fits it on the host."""

    def __init__(self, x, y, w=None, bbox=[None] * 2, k=3, ext=0, check_finite=False):
        self._fitted("InterpolatedUnivariateSpline", x, y, w, bbox, k, ext, check_finite)


@described_class(_ERRORS, HOST, x=("array_like", "The points, which ascend."),
                 t=("array_like", "The inner knots."))
class LSQUnivariateSpline(UnivariateSpline):
    """The spline of given knots with the least squared residuals. SciPy fits it on the host."""

    def __init__(self, x, y, t, w=None, bbox=[None] * 2, k=3, ext=0, check_finite=False):
        self._fitted("LSQUnivariateSpline", x, y, t, w, bbox, k, ext, check_finite)
