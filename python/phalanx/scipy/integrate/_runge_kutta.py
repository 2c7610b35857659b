"""Methods of Runge and Kutta, whose states are on devices."""

import math

import phalanx as np

from .._arguments import refuse
from . import _dormand_prince as _eight
from ._solver import (
    DenseOutput,
    OdeSolver,
    checked_first_step,
    checked_tolerances,
    first_step_size,
    root_mean_square,
    warn_of,
)

_SAFETY, _LEAST_FACTOR, _MOST_FACTOR = 0.9, 0.2, 10.0
_PARAMETERS = """
    Collective: every process makes a step, because the norm of its error is read. States and
    derivatives stay on their devices.

    Parameters
    ----------
    fun : callable
        The derivative, a function of the time and the state.
    t0 : float
        The first time.
    y0 : array_like
        The first state, a vector; it may be complex.
    t_bound : float
        The last time.
    max_step : float, default: inf
        The most size of a step.
    rtol : float, default: 0.001
        The relative tolerance of a step.
    atol : float or array_like, default: 1e-06
        The absolute tolerance of a step.
    vectorized : bool, default: False
        Whether `fun` takes several states as columns.
    first_step : float, optional
        The size of the first step.
    **extraneous : object
        Options of other methods, of which a warning is given.
    """


def _combined(weights, derivatives):
    """The sum of derivatives with weights, by their numbers."""
    total = None
    for at, weight in weights.items():
        term = weight * derivatives[at]
        total = term if total is None else total + term
    return total


class RungeKutta(OdeSolver):
    """The base of explicit methods, which tables describe."""

    def __init__(self, fun, t0, y0, t_bound, max_step=math.inf, rtol=0.001, atol=1e-06,
                 vectorized=False, first_step=None, **extraneous):
        warn_of(extraneous)
        super().__init__(fun, t0, y0, t_bound, vectorized, support_complex=True)
        self.y_old = None
        if max_step <= 0:
            raise refuse("`max_step` must be positive.")
        self.max_step = max_step
        self.rtol, self.atol = checked_tolerances(rtol, atol, self.n)
        self.f = self.fun(self.t, self.y)
        if first_step is None:
            self.h_abs = first_step_size(self, max_step, self.f)
        else:
            self.h_abs = checked_first_step(first_step, t0, t_bound)
        self.h_previous, self.derivatives = None, None

    def _step_impl(self):
        t, y = self.t, self.y
        least = 10 * abs(math.nextafter(t, self.direction * math.inf) - t)
        size = min(max(self.h_abs, least), self.max_step)
        rejected = False
        while True:
            # A size that is no number would never end.
            if not size >= least:
                return False, self.TOO_SMALL_STEP
            t_new = t + size * self.direction
            if self.direction * (t_new - self.t_bound) > 0:
                t_new = self.t_bound
            h = t_new - t
            size = abs(h)
            y_new, f_new = self._stages(t, y, h)
            scale = self.atol + np.maximum(np.abs(y), np.abs(y_new)) * self.rtol
            error = self._error(h, scale)
            if error < 1:
                factor = _MOST_FACTOR if error == 0 else min(
                    _MOST_FACTOR, _SAFETY * error**self._exponent)
                size *= min(1, factor) if rejected else factor
                break
            # A NaN is an error that is too large.
            change = _SAFETY * error**self._exponent
            size *= change if change > _LEAST_FACTOR else _LEAST_FACTOR
            rejected = True
        self.h_previous, self.y_old = h, y
        self.t, self.y, self.h_abs, self.f = t_new, y_new, size, f_new
        return True, None

    @property
    def _exponent(self):
        return -1 / (self.error_estimator_order + 1)

    def _stages(self, t, y, h):
        """The state after a step, and its derivative; the derivatives of all stages are kept."""
        self.derivatives = found = [self.f]
        for weights, time in zip(self.stages, self.times):
            found.append(self.fun(t + time * h, y + h * _combined(weights, found)))
        y_new = y + h * _combined(self.result, found)
        found.append(self.fun(t + h, y_new))
        return y_new, found[-1]

    def _error(self, h, scale):
        return root_mean_square(h * _combined(self.errors, self.derivatives) / scale)

    def _dense_output_impl(self):
        powers = [_combined(weights, self.derivatives) for weights in self.interpolation]
        return _Powers(self.t_old, self.t, self.y_old, powers)


class _Powers(DenseOutput):
    """The solution within a step as a polynomial."""

    def __init__(self, t_old, t, y_old, powers):
        super().__init__(t_old, t)
        self.h, self.y_old, self.powers = t - t_old, y_old, powers

    def _call_impl(self, t):
        x = (t - self.t_old) / self.h
        total = None
        # By Horner's scheme, from the highest power.
        for power in reversed(self.powers):
            power = _column(power, t)
            total = power if total is None else power + total * _row(x)
        return _column(self.y_old, t) + self.h * total * _row(x)


def _row(x):
    """Times of the host that are multiplied by states."""
    return float(x) if x.ndim == 0 else np.asarray(x)[None, :]


def _column(vector, t):
    """A state for one time or for several ones."""
    return vector if t.ndim == 0 else vector[:, None]


class RK23(RungeKutta):
    __doc__ = """The method of order 3 of Bogacki and Shampine.

    Source: P. Bogacki, L. F. Shampine, "A 3(2) pair of Runge-Kutta formulas" (1989).
    """ + _PARAMETERS
    order, error_estimator_order, n_stages = 3, 2, 3
    times = (1 / 2, 3 / 4)
    stages = ({0: 1 / 2}, {1: 3 / 4})
    result = {0: 2 / 9, 1: 1 / 3, 2: 4 / 9}
    errors = {0: 5 / 72, 1: -1 / 12, 2: -1 / 9, 3: 1 / 8}
    interpolation = (
        {0: 1.0}, {0: -4 / 3, 1: 1.0, 2: 4 / 3, 3: -1.0}, {0: 5 / 9, 1: -2 / 3, 2: -8 / 9, 3: 1.0},
    )


class RK45(RungeKutta):
    __doc__ = """The method of order 5 of Dormand and Prince.

    Source: J. R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae" (1980); between
    steps, L. F. Shampine, "Some practical Runge-Kutta formulas" (1986).
    """ + _PARAMETERS
    order, error_estimator_order, n_stages = 5, 4, 6
    times = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0)
    stages = (
        {0: 1 / 5},
        {0: 3 / 40, 1: 9 / 40},
        {0: 44 / 45, 1: -56 / 15, 2: 32 / 9},
        {0: 19372 / 6561, 1: -25360 / 2187, 2: 64448 / 6561, 3: -212 / 729},
        {0: 9017 / 3168, 1: -355 / 33, 2: 46732 / 5247, 3: 49 / 176, 4: -5103 / 18656},
    )
    result = {0: 35 / 384, 2: 500 / 1113, 3: 125 / 192, 4: -2187 / 6784, 5: 11 / 84}
    errors = {0: -71 / 57600, 2: 71 / 16695, 3: -71 / 1920, 4: 17253 / 339200, 5: -22 / 525,
              6: 1 / 40}
    interpolation = (
        {0: 1.0},
        {0: -8048581381 / 2820520608, 2: 131558114200 / 32700410799, 3: -1754552775 / 470086768,
         4: 127303824393 / 49829197408, 5: -282668133 / 205662961, 6: 40617522 / 29380423},
        {0: 8663915743 / 2820520608, 2: -68118460800 / 10900136933, 3: 14199869525 / 1410260304,
         4: -318862633887 / 49829197408, 5: 2019193451 / 616988883, 6: -110615467 / 29380423},
        {0: -12715105075 / 11282082432, 2: 87487479700 / 32700410799, 3: -10690763975 / 1880347072,
         4: 701980252875 / 199316789632, 5: -1453857185 / 822651844, 6: 69997945 / 29380423},
    )


class DOP853(RungeKutta):
    __doc__ = """The method of order 8 of Dormand and Prince.

    Source: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I" (1993),
    section II.5.
    """ + _PARAMETERS
    order, error_estimator_order, n_stages = 8, 7, 12
    times, stages, result = _eight.TIMES[1:], _eight.STAGES[1:], _eight.RESULT

    def _error(self, h, scale):
        three, five = (_combined(weights, self.derivatives) / scale
                       for weights in (_eight.ERROR_3, _eight.ERROR_5))
        both = np.stack([(np.abs(one) ** 2).sum() for one in (three, five)]).get()
        three, five = float(both[0]), float(both[1])
        if three == 0 and five == 0:
            return 0.0
        return abs(h) * five / math.sqrt((five + 0.01 * three) * self.n)

    def _dense_output_impl(self):
        h, found = self.h_previous, list(self.derivatives)
        for weights, time in zip(_eight.EXTRA_STAGES, _eight.EXTRA_TIMES):
            y = self.y_old + h * _combined(weights, found)
            found.append(self.fun(self.t_old + time * h, y))
        change = self.y - self.y_old
        terms = [change, h * found[0] - change,
                 2 * change - h * (self.f + found[0])]
        terms += [h * _combined(weights, found) for weights in _eight.INTERPOLATION]
        return _Products(self.t_old, self.t, self.y_old, terms)


class _Products(DenseOutput):
    """The solution within a step by products of the distances of its ends."""

    def __init__(self, t_old, t, y_old, terms):
        super().__init__(t_old, t)
        self.h, self.y_old, self.terms = t - t_old, y_old, terms

    def _call_impl(self, t):
        x = (t - self.t_old) / self.h
        total = None
        for at, term in enumerate(reversed(self.terms)):
            term = _column(term, t)
            total = term if total is None else total + term
            total = total * _row(x if at % 2 == 0 else 1 - x)
        return total + _column(self.y_old, t)


METHODS = {"RK23": RK23, "RK45": RK45, "DOP853": DOP853}
