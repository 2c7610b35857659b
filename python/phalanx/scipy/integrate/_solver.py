"""Solvers of differential equations step by step, and their solutions between the steps."""

import math
import warnings

import phalanx as np

from .._arguments import array, refuse
from ._described import ALONE, COLLECTIVE, described

_EPSILON = 2.0**-52
_TIME = {"t": ("float or array_like", "The times.")}


def state(values, dtype=None):
    """What the user's function returns, as an array."""
    values = array(values)
    return values if dtype is None or values.dtype == dtype else values.astype(dtype)


def root_mean_square(x):
    """The norm of errors."""
    return float(np.sqrt((np.abs(x) ** 2).mean())) if x.size else math.nan


class DenseOutput:
    """The solution within a step.

    Parameters
    ----------
    t_old : float
        The start of the step.
    t : float
        The end of the step.
    """

    def __init__(self, t_old, t):
        self.t_old, self.t = t_old, t
        self.t_min, self.t_max = min(t, t_old), max(t, t_old)

    @described("ndarray: The states; for several times they are columns.",
               {"ValueError": "The times have more than one axis."}, ALONE, **_TIME)
    def __call__(self, t):
        """The states at times."""
        t = _times(t)
        if t.ndim > 1:
            raise refuse("`t` must be a float or a 1-D array.")
        return self._call_impl(t)

    def _call_impl(self, t):
        raise NotImplementedError


class ConstantDenseOutput(DenseOutput):
    """A state that does not change."""

    def __init__(self, t_old, t, value):
        super().__init__(t_old, t)
        self.value = value

    def _call_impl(self, t):
        if t.ndim == 0:
            return self.value
        return np.broadcast_to(self.value[:, None], (self.value.shape[0], t.shape[0])).copy()


def _times(t):
    """Times on the host: they are few."""
    import numpy

    return t.get() if isinstance(t, np.ndarray) else numpy.asarray(t)


class OdeSolver:
    """The base of solvers, which make one step after the other.

    A solver defines ``_step_impl``, which returns whether a step was made and a message, and
    ``_dense_output_impl``.

    Parameters
    ----------
    fun : callable
        The derivative, a function of the time and the state.
    t0 : float
        The first time.
    y0 : array_like
        The first state, a vector.
    t_bound : float
        The last time.
    vectorized : bool
        Whether `fun` takes several states as columns.
    support_complex : bool, default: False
        Whether states may be complex.
    """

    TOO_SMALL_STEP = "Required step size is less than spacing between numbers."

    def __init__(self, fun, t0, y0, t_bound, vectorized, support_complex=False):
        import numpy

        self.t_old, self.t = None, t0
        y0 = array(y0)
        if y0.dtype.kind == "c" and not support_complex:
            raise refuse("`y0` is complex, but the chosen solver does not support integration in a "
                         "complex domain.")
        dtype = np.dtype(np.complex128 if y0.dtype.kind == "c" else np.float64)
        if y0.ndim != 1:
            raise refuse("`y0` must be 1-dimensional.")
        y0 = y0.astype(dtype)
        if not bool(np.isfinite(y0).all()):
            raise refuse("All components of the initial state `y0` must be finite.")
        self.y, self.t_bound, self.vectorized = y0, t_bound, vectorized
        self.n, self.status = y0.shape[0], "running"
        self.direction = numpy.sign(t_bound - t0) if t_bound != t0 else 1
        self.nfev = self.njev = self.nlu = 0

        def single(t, y):
            value = fun(t, y[:, None]) if vectorized else fun(t, y)
            value = state(value, dtype)
            return value.ravel() if vectorized else value

        self._single = single

    @described("ndarray: The derivative.", None,
               "Local or Collective, as the function of the user.", **_TIME,
               y=("array_like", "The state."))
    def fun(self, t, y):
        """The derivative at a time and a state, which is counted."""
        self.nfev += 1
        return self._single(t, y)

    @property
    def step_size(self):
        """The size of the last step."""
        return None if self.t_old is None else abs(self.t - self.t_old)

    @described("str or None: A message if the solver failed.",
               {"RuntimeError": "The solver has failed or ended."}, COLLECTIVE)
    def step(self):
        """Makes one step."""
        if self.status != "running":
            raise RuntimeError("Attempt to step on a failed or finished solver.")
        if self.n == 0 or self.t == self.t_bound:
            self.t_old, self.t, self.status = self.t, self.t_bound, "finished"
            return None
        before = self.t
        success, message = self._step_impl()
        if not success:
            self.status = "failed"
            return message
        self.t_old = before
        if self.direction * (self.t - self.t_bound) >= 0:
            self.status = "finished"
        return None

    @described("DenseOutput: The solution within the last step.",
               {"RuntimeError": "There was no step."}, ALONE)
    def dense_output(self):
        """The solution within the last step."""
        if self.t_old is None:
            raise RuntimeError("Dense output is available after a successful step was made.")
        if self.n == 0 or self.t == self.t_old:
            return ConstantDenseOutput(self.t_old, self.t, self.y)
        return self._dense_output_impl()

    def _step_impl(self):
        raise NotImplementedError

    def _dense_output_impl(self):
        raise NotImplementedError


class OdeSolution:
    """The solution over all steps.

    Parameters
    ----------
    ts : array_like
        The times of the steps.
    interpolants : list of DenseOutput
        The solutions within the steps.
    alt_segment : bool, default: False
        Whether a time at the end of a step belongs to the next one, and not to the earlier one.
    """

    def __init__(self, ts, interpolants, alt_segment=False):
        import numpy

        ts = _times(ts).astype(float)
        steps = numpy.diff(ts)
        # The first two times may be equal if the last time is the first one.
        if not ((ts.size == 2 and ts[0] == ts[-1]) or (steps > 0).all() or (steps < 0).all()):
            raise refuse("`ts` must be strictly increasing or decreasing.")
        self.n_segments = len(interpolants)
        if ts.shape != (self.n_segments + 1,):
            raise refuse("Numbers of time stamps and interpolants don't match.")
        self.ts, self.interpolants = ts, interpolants
        self.ascending = bool(ts[-1] >= ts[0])
        self.t_min, self.t_max = float(min(ts[0], ts[-1])), float(max(ts[0], ts[-1]))
        self.side = ("right" if alt_segment else "left") if self.ascending else (
            "left" if alt_segment else "right")
        self.ts_sorted = ts if self.ascending else ts[::-1]

    def _segments(self, t):
        import numpy

        found = numpy.searchsorted(self.ts_sorted, t, side=self.side)
        found = numpy.clip(found - 1, 0, self.n_segments - 1)
        return found if self.ascending else self.n_segments - 1 - found

    @described("ndarray: The states; for several times they are columns.", None, ALONE, **_TIME)
    def __call__(self, t):
        """The states at times."""
        import numpy

        t = _times(t)
        segments = self._segments(t)
        if t.ndim == 0:
            return self.interpolants[int(segments)](t)
        order = numpy.argsort(segments, kind="stable")
        parts = [self.interpolants[one](t[order][segments[order] == one])
                 for one in sorted(set(segments.tolist()))]
        back = numpy.argsort(order)
        whole = np.concatenate(parts, axis=-1)
        return whole if (back == numpy.arange(back.size)).all() else whole[:, np.asarray(back)]


def checked_tolerances(rtol, atol, n):
    """The tolerances of a solver: a number and a number or an array."""
    import numpy

    is_small = rtol < 100 * _EPSILON if isinstance(rtol, (int, float)) else bool(
        (array(rtol) < 100 * _EPSILON).any())
    if is_small:
        warnings.warn(
            f"At least one element of `rtol` is too small. Setting `rtol = np.maximum(rtol, "
            f"{100 * _EPSILON})`.", stacklevel=5)
        rtol = numpy.maximum(rtol, 100 * _EPSILON)
    if isinstance(atol, (int, float)):
        if atol < 0:
            raise refuse("`atol` must be positive.")
        return rtol, atol
    atol = array(atol)
    if atol.ndim > 0 and atol.shape != (n,):
        raise refuse("`atol` has wrong shape.")
    if bool((atol < 0).any()):
        raise refuse("`atol` must be positive.")
    return rtol, atol


def checked_first_step(first_step, t0, t_bound):
    if first_step <= 0:
        raise refuse("`first_step` must be positive.")
    if first_step > abs(t_bound - t0):
        raise refuse("`first_step` exceeds bounds.")
    return first_step


def warn_of(extraneous):
    """Warns of options that a solver has no use for."""
    if extraneous:
        names = ", ".join(f"`{name}`" for name in extraneous)
        warnings.warn(f"The following arguments have no effect for a chosen solver: {names}.",
                      stacklevel=4)


def first_step_size(solver, max_step, derivative):
    """The size of the first step.

    Source: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I" (1993),
    section II.4.
    """
    whole = abs(solver.t_bound - solver.t)
    if solver.y.size == 0:
        return math.inf
    if whole == 0:
        return 0.0
    y, sign = solver.y, solver.direction
    scale = solver.atol + np.abs(y) * solver.rtol
    sizes = root_mean_square(y / scale), root_mean_square(derivative / scale)
    guess = 1e-6 if min(sizes) < 1e-5 else 0.01 * sizes[0] / sizes[1]
    guess = min(guess, whole)
    after = solver.fun(solver.t + guess * sign, y + guess * sign * derivative)
    curvature = root_mean_square((after - derivative) / scale) / guess
    if sizes[1] <= 1e-15 and curvature <= 1e-15:
        step = max(1e-6, guess * 1e-3)
    else:
        step = (0.01 / max(sizes[1], curvature)) ** (1 / (solver.error_estimator_order + 1))
    return min(100 * guess, step, whole, max_step)
