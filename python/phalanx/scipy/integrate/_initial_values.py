"""Initial value problems of differential equations."""

import math

import phalanx as np

from .._arguments import refuse
from .._outcome import Outcome
from . import _host
from ._described import COLLECTIVE, described
from ._runge_kutta import METHODS
from ._solver import OdeSolution, OdeSolver

_HOST_METHODS = ("Radau", "BDF", "LSODA")
_MESSAGES = {0: "The solver successfully reached the end of the integration interval.",
             1: "A termination event occurred."}


class OdeResult(Outcome):
    """The solution of an initial value problem; its entries are attributes."""


@described(
    "OdeResult: The times `t`, the states `y` as columns, `sol`, `t_events` and `y_events`, the "
    "counts `nfev`, `njev` and `nlu`, and `status`, `message` and `success`.",
    {"ValueError": "A method is unknown, the states are no vector, or an option is not allowed.",
     "TypeError": "`args` cannot be unpacked."},
    COLLECTIVE + " The norm of the error of each step is read. States stay on their devices with "
    "'RK23', 'RK45' and 'DOP853'; 'Radau', 'BDF' and 'LSODA' are SciPy's, on the host, and refuse "
    "more than 2**20 elements. Events need SciPy.",
    fun=("callable", "The derivative, a function of the time and the state."),
    t_span=("(float, float)", "The first and the last time."),
    y0=("array_like", "The first state, a vector."),
    method=("{'RK45', 'RK23', 'DOP853', 'Radau', 'BDF', 'LSODA'} or OdeSolver", "The method."),
    t_eval=("array_like", "The times of the result; those of the steps by default."),
    dense_output=("bool", "Whether `sol` is a function of the time."),
    events=("callable or list of callable", "Functions of the time and the state whose zeros are "
            "found; with the attributes `terminal` and `direction` as in SciPy."),
    vectorized=("bool", "Whether `fun` takes several states as columns."),
    options=("object", "Options of the method: `max_step`, `first_step`, `rtol`, `atol`, and of "
             "implicit methods `jac`, `jac_sparsity`, `lband`, `uband` and `min_step`."),
)
def solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None, vectorized=False,
    args=None, **options,
):
    """The solution of differential equations from a first state."""
    kind = _solver_of(method)
    if kind is None:
        return _host.solve_ivp(fun, t_span, y0, method, t_eval, dense_output, events, vectorized,
                               args, options)
    t0, tf = map(float, t_span)
    if args is not None:
        try:
            args = (*args,)
        except TypeError as error:
            raise TypeError("The arguments in `args` cannot be unpacked; a single one is passed as "
                            "`args=(one,)`.") from error
        whole = fun

        def fun(t, y):
            return whole(t, y, *args)

    asked = None if t_eval is None else _asked_times(t_eval, t0, tf)
    solver = kind(fun, t0, y0, tf, vectorized=vectorized, **options)
    watch = _Events(events, args or (), t0, solver.y) if events is not None else None
    return _solved(solver, asked, dense_output, watch)


def _solver_of(method):
    """The class of a method on devices; None for one of the host."""
    if method in METHODS:
        return METHODS[method]
    if method in _HOST_METHODS or _host.is_solver(method):
        return None
    if not (isinstance(method, type) and issubclass(method, OdeSolver)):
        raise refuse(f"`method` must be one of {[*METHODS, *_HOST_METHODS]} or OdeSolver class.",
                     mistake="choice")
    return method


def _asked_times(t_eval, t0, tf):
    import numpy

    times = t_eval.get() if isinstance(t_eval, np.ndarray) else numpy.asarray(t_eval)
    if times.ndim != 1:
        raise refuse("`t_eval` must be 1-dimensional.")
    if (times < min(t0, tf)).any() or (times > max(t0, tf)).any():
        raise refuse("Values in `t_eval` are not within `t_span`.")
    steps = numpy.diff(times)
    if ((tf > t0) and (steps <= 0).any()) or ((tf < t0) and (steps >= 0).any()):
        raise refuse("Values in `t_eval` are not properly sorted.")
    return times


class _Events:
    """The events of a solution, and which were found."""

    def __init__(self, events, args, t, y):
        self.functions = [events] if callable(events) else list(events)
        self.args = args
        self.most, self.direction = [], []
        for event in self.functions:
            terminal = getattr(event, "terminal", None)
            self.most.append(math.inf if terminal in (None, 0) else _count_of(terminal))
            self.direction.append(getattr(event, "direction", 0))
        self.times = [[] for _ in self.functions]
        self.states = [[] for _ in self.functions]
        self.values = self._at(t, y)

    def _at(self, t, y):
        return [float(event(t, y, *self.args)) for event in self.functions]

    def _active(self, after):
        for at, (old, new) in enumerate(zip(self.values, after)):
            up, down = old <= 0 <= new, old >= 0 >= new
            sign = self.direction[at]
            if (up and sign > 0) or (down and sign < 0) or ((up or down) and sign == 0):
                yield at

    def found(self, solution, t_old, t, y):
        """Records the events of a step; the time and the state at which it ends by one, or None."""
        after = self._at(t, y)
        active = list(self._active(after))
        self.values = after
        if not active:
            return None
        roots = [(_zero(lambda s, at=at: float(
            self.functions[at](s, solution(s), *self.args)), t_old, t), at) for at in active]
        # By time, and together those that end the solution.
        forward = t > t_old
        counted = [len(self.times[at]) + 1 for at in range(len(self.functions))]
        ends = any(counted[at] >= self.most[at] for at in active)
        if ends:
            roots.sort(key=lambda one: one[0] if forward else -one[0])
            last = next(number for number, (_, at) in enumerate(roots)
                        if counted[at] >= self.most[at])
            roots = roots[: last + 1]
        for root, at in roots:
            self.times[at].append(root)
            self.states[at].append(solution(root))
        return (roots[-1][0], solution(roots[-1][0])) if ends else None


def _count_of(terminal):
    if terminal is True or int(terminal) == terminal and terminal > 0:
        return int(terminal)
    raise refuse("The `terminal` attribute of each event must be a boolean or positive integer.")


def _zero(function, a, b):
    from .._host import module

    tight = 4 * 2.0**-52
    return module("optimize", "solve_ivp").brentq(function, a, b, xtol=tight, rtol=tight)


class _Piece:
    """The solution within a step, which is made when it is needed: it may take evaluations."""

    def __init__(self, solver):
        self.solver, self.solution = solver, None

    def made(self):
        if self.solution is None:
            self.solution = self.solver.dense_output()
        return self.solution

    def __call__(self, t):
        return self.made()(t)


def _solved(solver, asked, dense_output, watch):
    import numpy

    times, states = [], []
    steps, pieces = [solver.t], []
    if asked is None:
        times, states = [solver.t], [solver.y]
    done, status, message = 0, None, None
    forward = solver.direction > 0
    while status is None:
        message = solver.step()
        if solver.status == "finished":
            status = 0
        elif solver.status == "failed":
            status = -1
            break
        t_old, t, y = solver.t_old, solver.t, solver.y
        piece = _Piece(solver)
        if dense_output:
            pieces.append(piece.made())
        if watch is not None:
            end = watch.found(piece, t_old, t, y)
            if end is not None:
                status, (t, y) = 1, end
        if asked is None:
            # An event at the end of the last step adds nothing.
            if not (status == 1 and len(times) > 1 and times[-1] == t):
                times.append(t)
                states.append(y)
        else:
            upto = numpy.searchsorted(asked if forward else -asked, t if forward else -t, "right")
            if upto > done:
                times.append(asked[done:upto])
                states.append(piece(asked[done:upto]))
                done = upto
        steps.append(t)
    return _result(solver, asked, times, states, steps, pieces, dense_output, watch, status,
                   _MESSAGES.get(status, message))


def _result(solver, asked, times, states, steps, pieces, dense_output, watch, status, message):
    import numpy

    if asked is None:
        t, y = np.asarray(times), np.stack(states, axis=1)
    elif times:
        t, y = np.asarray(numpy.concatenate(times)), np.concatenate(states, axis=1)
    else:
        t, y = np.zeros(0), np.zeros((0,))
    found = (None, None)
    if watch is not None:
        found = ([np.asarray(numpy.asarray(one, float)) for one in watch.times],
                 [np.stack(one) if one else np.zeros(0) for one in watch.states])
    solution = None
    if dense_output:
        # The steps and the pieces of a solver that failed at once are none.
        solution = OdeSolution(steps, pieces) if pieces else None
    return OdeResult(
        t=t, y=y, sol=solution, t_events=found[0], y_events=found[1], nfev=solver.nfev,
        njev=solver.njev, nlu=solver.nlu, status=status, message=message, success=status >= 0,
    )
