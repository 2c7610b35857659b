"""The method L-BFGS with limits of the variables."""

import math

import phalanx as np

from ..sparse.linalg import LinearOperator
from .._arguments import array
from ._descent import stepped
from ._described import RECORDED, described
from ._objective import inner
from ._result import OptimizeResult

_SLOPE = "CONVERGENCE: NORM OF PROJECTED GRADIENT <= PGTOL"
_VALUE = "CONVERGENCE: RELATIVE REDUCTION OF F <= FACTR*EPSMCH"
_ITERATIONS = "STOP: TOTAL NO. OF ITERATIONS REACHED LIMIT"
_EVALUATIONS = "STOP: TOTAL NO. OF F,G EVALUATIONS EXCEEDS LIMIT"
_ABNORMAL = "ABNORMAL: "
_STOPPED = "STOP: CALLBACK REQUESTED HALT"


class LbfgsInvHessProduct(LinearOperator):
    """The inverse of the second derivatives that L-BFGS has, as a linear operator.

    Parameters
    ----------
    sk : array_like
        The steps, as rows.
    yk : array_like
        The changes of the gradient, as rows.
    """

    def __init__(self, sk, yk):
        self.sk, self.yk = array(sk), array(yk)
        if self.sk.shape != self.yk.shape or self.sk.ndim != 2:
            raise ValueError("sk and yk must have matching shape, (n_corrs, n)")
        self.n_corrs, n = self.sk.shape
        super().__init__(dtype=np.float64, shape=(n, n))
        self.rho = 1 / (self.sk * self.yk).sum(axis=1)

    def _home(self):
        return self.sk

    def _matvec(self, x):
        x = array(x).ravel()
        pairs = [(self.sk[at], self.yk[at]) for at in range(self.n_corrs)]
        return two_loops(pairs, x, 1.0)

    @described("ndarray: The matrix.", None, RECORDED)
    def todense(self):
        """The operator as a matrix."""
        n = self.shape[0]
        made = np.eye(n, dtype=self.sk.dtype)
        for at in range(self.n_corrs):
            s, y, rho = self.sk[at], self.yk[at], self.rho[at]
            left = np.eye(n, dtype=made.dtype) - rho * s[:, None] * y
            made = left @ made @ left.T + rho * s[:, None] * s
        return made


def two_loops(pairs, vector, scale):
    """The product of the inverse of the second derivatives with a vector.

    Source: J. Nocedal, S. J. Wright, "Numerical Optimization" (2006), algorithm 7.4.
    """
    factors = []
    for s, y in reversed(pairs):
        rho = 1 / (s * y).sum()
        factor = rho * (s * vector).sum()
        factors.append((factor, rho))
        vector = vector - factor * y
    vector = scale * vector
    for (s, y), (factor, rho) in zip(pairs, reversed(factors)):
        vector = vector + s * (factor - rho * (y * vector).sum())
    return vector


class _Box:
    """The limits of the variables; without any, nothing is changed."""

    def __init__(self, limits):
        self.limits = limits

    def within(self, x):
        return x if self.limits is None else np.clip(x, *self.limits)

    def projected(self, x, slope):
        """The gradient, without what leads out of the limits at once."""
        if self.limits is None:
            return slope
        return x - np.clip(x - slope, *self.limits)

    def free(self, x, slope):
        """Which variables are not held by a limit."""
        low, high = self.limits
        return ~(((x <= low) & (slope > 0)) | ((x >= high) & (slope < 0)))


def limited_memory(objective, x, report, limits=None, *, maxcor=10, ftol=2.220446049250313e-09,
                   gtol=1e-5, maxfun=15000, maxiter=15000, maxls=20):
    """The minimum within limits.

    Without limits, the directions are those of L-BFGS with a line search. Variables at a limit from
    which they do not leave are held, and the others move along the direction of L-BFGS for them,
    projected on the limits. Source: D. P. Bertsekas, "Projected Newton methods for optimization
    problems with simple constraints" (1982).
    """
    box = _Box(limits)
    x = box.within(x)
    value, slope = objective(x), objective.slope(x)
    pairs, scale, iterations = [], 1.0, 0
    message, status = None, None
    while message is None:
        rest = float(np.abs(box.projected(x, slope)).max()) if x.size else 0.0
        if rest <= gtol:
            message, status = _SLOPE, 0
            break
        if iterations >= maxiter:
            message, status = _ITERATIONS, 1
            break
        if objective.nfev > maxfun:
            message, status = _EVALUATIONS, 1
            break
        made = _step(objective, box, x, value, slope, pairs, scale, maxls)
        if made is None and pairs:
            # The directions of earlier steps are of no use any more.
            pairs, scale = [], 1.0
            made = _step(objective, box, x, value, slope, pairs, scale, maxls)
        if made is None:
            message, status = _ABNORMAL, 2
            break
        new, new_value, new_slope = made
        step, change = new - x, new_slope - slope
        along, square = inner(step, change), inner(change, change)
        if along > 2.0**-52 * square:
            pairs = [*pairs, (step, change)][-maxcor:]
            scale = along / square
        fall = value - new_value
        x, value, slope = new, new_value, new_slope
        iterations += 1
        if not report(x, value):
            message, status = _STOPPED, 99
        elif fall <= ftol * max(abs(value), abs(value + fall), 1.0):
            message, status = _VALUE, 0
    stacked = [np.stack(one) for one in zip(*pairs)] or [np.zeros((0, x.shape[0]))] * 2
    return OptimizeResult(
        fun=value, jac=slope, nfev=objective.nfev, njev=objective.njev, nit=iterations,
        status=status, message=message, x=x, success=status == 0,
        hess_inv=LbfgsInvHessProduct(*stacked),
    )


def _step(objective, box, x, value, slope, pairs, scale, most):
    if box.limits is None:
        direction = -two_loops(pairs, slope, scale)
        first = 1.0 if pairs else min(1.0, 1.0 / math.sqrt(inner(slope, slope)))
        made = stepped(objective, x, value, slope, direction, value, 1e-3, 0.9, first=first)
        return None if made is None else made[1:]
    free = box.free(x, slope)
    inside = np.where(free, slope, 0)
    masked = [(np.where(free, s, 0), np.where(free, y, 0)) for s, y in pairs]
    if masked:
        along = np.stack([(s * y).sum() for s, y in masked]).get()
        masked = [one for one, size in zip(masked, along) if size > 0]
    direction = np.where(free, -two_loops(masked, inside, scale if masked else 1.0), 0)
    if not inner(direction, inside) < 0:
        direction = -inside
    size = 1.0 if masked else min(1.0, 1.0 / max(math.sqrt(inner(inside, inside)), 1e-300))
    for _ in range(2 * most):
        new = box.within(x + size * direction)
        found = objective(new)
        if found <= value + 1e-4 * inner(slope, new - x) and found < value:
            return new, found, objective.slope(new)
        size *= 0.5 if math.isfinite(found) else 0.1
    return None
