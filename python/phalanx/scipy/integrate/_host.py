"""Integrals and differential equations of SciPy's, on the host."""

import functools

from .._host_calls import Calls, HeldFunction, Kept, Made, agreed_seed
from .._outcome import Outcome
from ._described import described
from ._host_table import TABLE
from ._parameters import OF_HOST, PARAMETERS


def _adopted(x):
    """An object of ours for one of SciPy."""
    name = type(x).__name__
    if isinstance(x, dict):
        return Outcome({key: calls.from_host(value) for key, value in x.items()})
    if name in ("OdeSolution", "PPoly") or name.endswith("DenseOutput"):
        return HostObject(x)
    return None


calls = Calls("integrate", PARAMETERS, adopt=_adopted)


class HostObject(HeldFunction):
    """An object of SciPy that is called with times."""

    _calls = calls


class _OfEquation(Made):
    """An object of SciPy of a differential equation; its parameters are SciPy's. It runs on the
    host of every process; arrays of more than 2**20 elements are refused."""

    _calls = calls


class _Solver(_OfEquation):
    """The base of solvers of SciPy."""


def is_solver(kind):
    """Whether it is a class of solvers of SciPy, by our name."""
    return isinstance(kind, type) and issubclass(kind, _Solver)


def _made(base, kind, text):
    return base._named(kind, f"{text} {_OfEquation.__doc__}")


Radau = _made(_Solver, "Radau", "The implicit method of Radau of order 5.")
BDF = _made(_Solver, "BDF", "The implicit method of backward differences of orders 1 to 5.")
LSODA = _made(_Solver, "LSODA", "Methods of Adams and of backward differences, in turns.")
ode = _made(_OfEquation, "ode", "An equation that is integrated from time to time.")
complex_ode = _made(_OfEquation, "complex_ode", "An equation of complex states.")


@described(
    "object: The integral and its standard error.", None, calls.notes,
    a=("array_like", "The lower limits."), b=("array_like", "The upper limits."),
    func=("callable", "A function of an array of points, as columns."),
)
def qmc_quad(func, a, b, *, n_estimates=8, n_points=1024, qrng=None, log=False):
    """The integral over a box by points of low discrepancy. It is SciPy's function on the host."""
    name = "qmc_quad"
    theirs = calls.module(name)
    func, a, b = (calls.to_host(one, name) for one in (func, a, b))
    if qrng is None:
        import numpy
        from scipy.stats import qmc

        # All processes have the same points.
        qrng = qmc.Halton(numpy.atleast_1d(a).size, rng=agreed_seed())
    found = theirs.qmc_quad(func, a, b, n_estimates=n_estimates, n_points=n_points,
                            qrng=calls.to_host(qrng, name), log=log)
    return calls.from_host(found)


def solve_ivp(fun, t_span, y0, method, t_eval, dense_output, events, vectorized, args, options):
    """The solution by a method of SciPy."""
    name = "solve_ivp"
    theirs = calls.module(name)
    method = getattr(theirs, method._kind) if is_solver(method) else method
    if args is not None and isinstance(args, (tuple, list)):
        args = [Kept(one) if hasattr(one, "sharding") else one for one in args]
    fun, t_span, y0, t_eval, events = (
        calls.to_host(one, name) for one in (fun, t_span, y0, t_eval, events))
    found = theirs.solve_ivp(fun, t_span, y0, method, t_eval, dense_output, events, vectorized,
                             args, **calls.to_host(options, name))
    return calls.from_host(found)


@functools.cache
def functions():
    """The functions of the table, by their names."""
    return calls.functions(TABLE, OF_HOST)
