"""Integrals: parameters of the functions and classes of ``scipy.integrate``, which are called with
a few functions (`formulas.py`)."""

import numpy

from . import formulas
from .drawing import Array
from .formulas import both

EXACT = set()
COARSE = None
LEFT_OUT = {
    **dict.fromkeys(["BDF", "LSODA", "Radau", "complex_ode", "ode"], "SciPy's own class"),
    **dict.fromkeys(["DenseOutput", "OdeSolver"], "a base of other classes"),
    "OdeSolution": "it is made by `solve_ivp`",
    ".dense_output": "it is an error before a step, and `solve_ivp` returns it after steps",
}
SIGNATURES = {
    "solve_ivp": "fun, t_span, y0, method='RK45', t_eval=None, dense_output=False, events=None, "
                 "vectorized=False, args=None, *, rtol=1e-3, atol=1e-6, first_step=None, "
                 "max_step=1.0",
    **dict.fromkeys(["RK23", "RK45", "DOP853"], "fun, t0, y0, t_bound, max_step=1.0, rtol=1e-3, "
                    "atol=1e-6, vectorized=False, first_step=None"),
}
NEVER_WRONG = ("fun", "f", "func", "events", "norm", "rtol", "atol", "max_step", "epsabs", "epsrel",
               "limit", "args")
SHOWN = {**dict.fromkeys(["RK23", "RK45", "DOP853"],
                         "t y t_old t_bound direction nfev status step_size h_abs n"),
         "OdeSolution": lambda one: (one.ts, one((one.t_min + one.t_max) / 2))}
ARRAYS = {"dtypes": ["float64", "float64", "float32", "int32", "complex128"], "longest": 20,
          "rare": ["bool", "uint8", "complex64"]}


def places(d):
    """Places along the axis, or one for each sample."""
    axis, shape = d.values.get("axis", -1), d.first.shape
    count = shape[axis] if isinstance(axis, int) and -len(shape) <= axis < len(shape) else 3
    line = numpy.cumsum(numpy.round(d.chance.uniform(0.1, 1, count), 2))
    if d.often(0.7) or not shape:
        return d.laid(line if d.often(0.95) else line[:-1])
    wide = [1] * len(shape)
    wide[axis if isinstance(axis, int) and -len(shape) <= axis < len(shape) else 0] = -1
    return Array(numpy.broadcast_to(line.reshape(wide), shape) if line.size in shape else line)


def equation(d):
    """A differential equation, for states of its form."""
    d.equation = d.one([formulas.decay, formulas.pendulum, formulas.driven, formulas.oscillator])
    return both(d.equation)


def state(d):
    count = 2 if d.equation is formulas.pendulum else d.whole(1, 4)
    made = numpy.round(d.chance.uniform(0.5, 1.5, count if d.often(0.96) else (2, 2)), 2)
    return d.laid(made + 0j if d.equation is formulas.oscillator else made)


def moments(d):
    """Moments of results, in the order of the integral."""
    first, last = d.values["t_span"] if isinstance(d.values["t_span"], tuple) else (0, 1)
    made = numpy.sort(numpy.round(d.chance.uniform(0, 1, d.whole(0, 5)), 2))
    return Array(first + made * (last - first) * (1 if d.often(0.95) else 2))


EQUATION = {
    "fun": equation, "y0": state, "t0": lambda d: d.one([0, 0.5]),
    "t_span": lambda d: d.one([(0, 3), (0.0, 1.5), (2, 0), (1, 1) if d.often(0.2) else (0, 2)]),
    "t_bound": lambda d: d.one([3.0, 1, -1.0]), "t_eval": moments,
    "method": lambda d: d.one(["RK45", "RK23", "DOP853", "none" if d.often(0.1) else "RK45"]),
    "dense_output": lambda d: d.often(0.6), "events": lambda d: None if d.equation in (
        formulas.oscillator,) else both(formulas.crossing), "vectorized": lambda d: False,
    "rtol": lambda d: d.one([1e-3, 1e-6, 1e-8]), "atol": lambda d: d.one([1e-6, 1e-9]),
    "first_step": lambda d: d.one([None, 0.1, 0.01, -1.0 if d.often(0.1) else 0.05]),
    "max_step": lambda d: d.one([1.0, 0.5, numpy.inf]),
}


PARAMETERS = {
    "y": lambda d: d.array(), "x": places,
    "dx": lambda d: d.one([1.0, 0.5, 2]),
    "initial": lambda d: d.one([None, 0, 0.0, 1.5]),
    "show": lambda d: False,
}
OWN = {
    **dict.fromkeys(["solve_ivp", "RK23", "RK45", "DOP853"], EQUATION),
    "quad_vec": {"f": lambda d: both(d.one([formulas.vector_of, formulas.peak, formulas.wave_of])),
                 "a": lambda d: d.one([0, -1.0, 0.5]), "b": lambda d: d.one([1.0, 2, -0.5]),
                 "epsabs": lambda d: d.one([1e-10, 1e-6]), "norm": lambda d: d.one(["2", "max"]),
                 "quadrature": lambda d: d.one([None, "gk15", "gk21", "trapezoid", "none"]),
                 "points": lambda d: d.one([None, (0.3,), (0.3, 7.0)]), "limit": lambda d: 1000,
                 "full_output": lambda d: d.often(0.5)},
    "fixed_quad": {"func": lambda d: both(formulas.peak), "a": lambda d: d.one([0, -1.0]),
                   "b": lambda d: d.one([1.0, 2]), "n": lambda d: d.one([5, 3, 1, 12, 0 if d.often(
                       0.1) else 2]), "args": lambda d: ()},
    "romb": {"y": lambda d: d.array((*d.shape(0, 1), d.one([2, 3, 5, 9, 17, 4, 1])))}}


def compared(name, values, found):
    """What is compared: of an integral not the errors, which are rounding errors."""
    if isinstance(found, Exception) or name != "quad_vec":
        return found
    errors = (".1", ".2.errors", ".2.neval", ".2.intervals", ".2.integrals", ".2.message")
    return {key: one for key, one in found.items() if key not in errors}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    if name == "solve_ivp" and values.get("method") == "DOP853":
        # Errors of so high an order are near to rounding errors, and decide the steps.
        return 2**42
    return 2**30 if name in ("solve_ivp", "RK45.step", "RK23.step", "DOP853.step") else 2**12


def excuse(name, values, found, expected):
    return False
