"""Searches of a minimum along directions that descend: CG, BFGS and Newton-CG."""

import math

import phalanx as np

from .._arguments import array, refuse
from ._line_search import strong_wolfe
from ._objective import inner, norm_of
from ._result import OptimizeResult

MESSAGES = {
    0: "Optimization terminated successfully.",
    1: "Maximum number of iterations has been exceeded.",
    2: "Desired error not necessarily achieved due to precision loss.",
    3: "NaN result encountered.",
    99: "`callback` raised `StopIteration`.",
}


def result(objective, x, iterations, status, slope, counts=("nfev", "njev"), **derivatives):
    """The result of a search, with its entries in SciPy's order."""
    value = objective(x)
    if status in (0, 1, 2) and (math.isnan(value) or bool(np.isnan(x).any())):
        status = 3
    return OptimizeResult(
        fun=value, jac=slope, **derivatives, **{name: getattr(objective, name) for name in counts},
        status=status, success=status == 0, message=MESSAGES[status], x=x, nit=iterations,
    )


class _Along:
    """A function along a direction: its value and its slope at a size of a step."""

    def __init__(self, objective, x, direction):
        self.objective, self.x, self.direction = objective, x, direction
        self.size = self.point = None

    def at(self, size):
        # The point itself, by which the objective knows what it has computed.
        if size != self.size:
            self.size, self.point = size, self.x + size * self.direction
        return self.point

    def value(self, size):
        return self.objective(self.at(size))

    def slope(self, size):
        return inner(self.objective.slope(self.at(size)), self.direction)


def stepped(objective, x, value, slope, direction, before, c1, c2, first=None):
    """A step along a direction: its size, the new point, value and gradient; None if there is
    none."""
    fall = inner(slope, direction)
    if not fall < 0:
        return None
    if first is None:
        first = min(1.0, 1.01 * 2 * (value - before) / fall)
        first = 1.0 if first <= 0 else first
    along = _Along(objective, x, direction)
    size, _ = strong_wolfe(along, value, fall, first, c1, c2, 1e100, None, 40)
    if size is None:
        return None
    new = along.at(size)
    return size, new, objective(new), objective.slope(new)


def conjugate_gradients(objective, x, report, *, gtol=1e-5, norm=math.inf, maxiter=None, c1=1e-4,
                        c2=0.4):
    """The method of conjugate gradients of Polak and Ribiere."""
    maxiter = 200 * x.size if maxiter is None else maxiter
    value, slope = objective(x), objective.slope(x)
    before = value + math.sqrt(inner(slope, slope)) / 2
    direction, iterations, status = -slope, 0, 0
    square = inner(slope, slope)
    while norm_of(slope, norm) > gtol:
        if iterations >= maxiter:
            status = 1
            break
        made = stepped(objective, x, value, slope, direction, before, c1, c2)
        if made is None and iterations:
            made = stepped(objective, x, value, slope, -slope, before, c1, c2)
        if made is None:
            status = 2
            break
        before, (_, x, value, new) = value, made
        beta = max(0.0, inner(new, new - slope) / square) if square else 0.0
        square = inner(new, new)
        direction, slope = -new + beta * direction, new
        if inner(direction, slope) > -0.01 * square:
            direction = -slope
        iterations += 1
        if not report(x, value):
            status = 99
            break
    return result(objective, x, iterations, status, slope)


def quasi_newton(objective, x, report, *, gtol=1e-5, norm=math.inf, maxiter=None, xrtol=0, c1=1e-4,
                 c2=0.9, hess_inv0=None):
    """The method of Broyden, Fletcher, Goldfarb and Shanno, with a whole matrix."""
    maxiter = 200 * x.size if maxiter is None else maxiter
    n = x.shape[0]
    if hess_inv0 is None:
        inverse = np.eye(n, dtype=x.dtype)
    else:
        inverse = array(hess_inv0).astype(x.dtype)
        if inverse.shape != (n, n) or not bool(np.allclose(inverse, inverse.T)):
            raise refuse("'hess_inv0' must be symmetric and fit the variables")
    value, slope = objective(x), objective.slope(x)
    before = value + math.sqrt(inner(slope, slope)) / 2
    iterations, status = 0, 0
    while norm_of(slope, norm) > gtol:
        if iterations >= maxiter:
            status = 1
            break
        direction = -(inverse @ slope)
        made = stepped(objective, x, value, slope, direction, before, c1, c2)
        if made is None:
            status = 2
            break
        before, (size, new, value, new_slope) = value, made
        step, change = new - x, new_slope - slope
        x, slope = new, new_slope
        iterations += 1
        if not report(x, value):
            status = 99
            break
        if norm_of(slope, norm) <= gtol:
            break
        if size * math.sqrt(inner(direction, direction)) <= xrtol * (
                xrtol + math.sqrt(inner(x, x))):
            break
        if not math.isfinite(value):
            status = 2
            break
        inverse = _updated(inverse, step, change)
    return result(objective, x, iterations, status, slope, hess_inv=inverse)


def _updated(inverse, step, change):
    """The inverse with the secant equation of a step."""
    along = inner(change, step)
    factor = 1000.0 if along == 0.0 else 1.0 / along
    product = inverse @ change
    both = step[:, None] * product
    scale = factor * (1 + factor * inner(change, product))
    return inverse - factor * (both + both.T) + scale * step[:, None] * step


def truncated_newton(objective, x, report, *, xtol=1e-5, maxiter=None, c1=1e-4, c2=0.9):
    """The method of Newton whose equations are solved by conjugate gradients.

    Source: J. Nocedal, S. J. Wright, "Numerical Optimization" (2006), algorithm 7.1.
    """
    n = x.size
    maxiter = 200 * n if maxiter is None else maxiter
    tolerance, iterations, status = n * xtol, 0, 0
    value, slope = objective(x), objective.slope(x)
    before, size = value, math.inf
    while size > tolerance:
        if iterations >= maxiter:
            status = 1
            break
        direction = _newton_direction(objective, x, slope)
        if direction is None:
            status = 2
            break
        if not bool(direction.any()):
            # The curvature is below rounding errors, as at a minimum.
            iterations += 1
            break
        made = stepped(objective, x, value, slope, direction, before, c1, c2, first=1.0)
        if made is None:
            status = 2
            if inner(slope, slope) == 0:
                status = 0
            break
        before, (_, new, value, slope) = value, made
        size = float(np.abs(new - x).sum())
        x = new
        iterations += 1
        if not report(x, value):
            status = 99
            break
    return result(objective, x, iterations, status, slope, counts=("nfev", "njev", "nhev"))


def _newton_direction(objective, x, slope):
    total = float(np.abs(slope).sum())
    limit = min(0.5, math.sqrt(total)) * total
    found, rest = np.zeros_like(x), slope
    direction, square = -rest, inner(rest, rest)
    for turn in range(20 * max(x.size, 1)):
        if float(np.abs(rest).sum()) <= limit:
            return found
        product = objective.product(x, direction, slope)
        curve = inner(direction, product)
        if 0 <= curve <= 3 * 2.0**-52:
            return found
        if curve < 0:
            # Along a negative curvature the function falls without end.
            return found if turn else square / -curve * direction
        size = square / curve
        found, rest = found + size * direction, rest + size * product
        after = inner(rest, rest)
        direction, square = -rest + after / square * direction, after
    return None
