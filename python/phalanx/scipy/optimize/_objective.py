"""The function of a search: its values and derivatives, which are counted and kept."""

import math

import phalanx as np

from .._arguments import array, refuse
from ._differences import gradient, number

_KINDS = ("2-point", "3-point", "cs")


class Objective:
    """A function of a vector, its gradient, and products of its second derivatives.

    `step` is that of differences if there is no gradient: their size, or None for one by the size
    of each variable.
    """

    def __init__(self, fun, x0, args, jac, step=None, hess=None, hessp=None):
        args = args if isinstance(args, tuple) else (args,)
        self.given, self.args, self.step = fun, args, step
        self.both = jac is True
        self.jac = jac if callable(jac) else None
        self.kind = jac if jac in _KINDS else "2-point"
        self.hess, self.hessp = hess, hessp
        self.nfev = self.njev = self.nhev = 0
        self.point = self.kept_value = self.kept_gradient = None
        self.lowest = math.inf

    def __call__(self, x):
        """The value at a point."""
        if x is not self.point or self.kept_value is None:
            self._evaluate(x)
        return self.kept_value

    def _evaluate(self, x):
        if x is not self.point:
            self.point, self.kept_gradient = x, None
        self.nfev += 1
        value = self.given(x, *self.args)
        if self.both:
            value, slope = value[0], value[1]
            self.njev += 1
            self.kept_gradient = _vector(slope, x)
        self.kept_value = float(number(value))

    def slope(self, x):
        """The gradient at a point."""
        if self.both:
            if x is not self.point or self.kept_gradient is None:
                self._evaluate(x)
            return self.kept_gradient
        if x is self.point and self.kept_gradient is not None:
            return self.kept_gradient
        self.njev += 1
        if self.jac is not None:
            found = _vector(self.jac(x, *self.args), x)
        else:
            found = self._differences(x)
        if x is not self.point:
            self.point, self.kept_value = x, None
        self.kept_gradient = found
        return found

    def _single(self, x):
        self.nfev += 1
        return float(number(self.given(x, *self.args)))

    def _differences(self, x):
        if self.step is not None:
            step = array(self.step)
        else:
            epsilon = float(np.finfo(x.dtype).eps)
            relative = epsilon ** (1 / 2 if self.kind == "2-point" else 1 / 3)
            step = relative * np.where(x >= 0, 1.0, -1.0) * np.maximum(1.0, np.abs(x))
        if self.kind == "2-point":
            return gradient(self._single, x, self(x), step)
        if self.kind == "cs":
            places, n = np.arange(x.shape[0]), x.shape[0]
            steps = np.broadcast_to(np.abs(step), (n,))

            def part(at):
                self.nfev += 1
                moved = x + 1j * np.where(places == at, steps, 0.0)
                return array(number(self.given(moved, *self.args))).imag

            return np.stack([part(at) for at in range(n)]) / steps
        ahead = gradient(self._single, x, 0.0, step) * step
        behind = gradient(self._single, x, 0.0, -step) * -step
        return (ahead - behind) / (2 * step)

    def product(self, x, direction, slope):
        """The product of the second derivatives with a direction."""
        self.nhev += 1
        if self.hessp is not None:
            return array(self.hessp(x, direction, *self.args))
        if callable(self.hess):
            if getattr(self, "hess_point", None) is not x:
                self.hess_point, self.kept_hess = x, self.hess(x, *self.args)
                self.kept_hess = (self.kept_hess if hasattr(self.kept_hess, "matvec")
                                  else array(self.kept_hess))
            return self.kept_hess @ direction
        self.nhev -= 1
        step = self.step if self.step is not None else float(np.finfo(x.dtype).eps) ** 0.5
        if x.dtype != np.float64:
            # In fewer digits a small direction would not move the point.
            step /= norm_of(direction, math.inf) or 1.0
        point = x + step * direction
        found = self.jac(point, *self.args) if self.jac else self.slope(point)
        self.njev += self.jac is not None
        return (_vector(found, x) - slope) / step


def _vector(values, x):
    values = np.atleast_1d(array(values)).ravel()
    return values if values.dtype == x.dtype else values.astype(x.dtype)


def first_point(x0):
    """The first point as a vector."""
    x0 = np.atleast_1d(array(x0))
    if x0.ndim != 1:
        raise refuse("'x0' must only have one dimension.")
    return x0 if x0.dtype.kind == "f" else x0.astype(np.float64)


def inner(a, b):
    """The product of two vectors as a number."""
    return float((a * b).sum())


def norm_of(slope, order):
    """The norm of a gradient."""
    if slope.size == 0:
        return 0.0
    size = np.abs(slope)
    if order == math.inf:
        return float(size.max())
    if order == -math.inf:
        return float(size.min())
    return float((size**order).sum() ** (1.0 / order))
