"""Integrals and differential equations: names of ``scipy.integrate``.

Integrals of samples and of functions with arrays as values, and explicit methods for differential
equations, compute on devices. Integrals of functions of numbers and implicit methods are SciPy's
own on the host, if it is installed: ``pip install phalanx[scipy]``.
"""

from .._host_calls import beside_all as _beside_all
from ._host import BDF, LSODA, Radau, complex_ode, ode, qmc_quad
from ._host import calls as _calls
from ._host import functions as _functions
from ._initial_values import solve_ivp
from ._runge_kutta import DOP853, RK23, RK45
from ._samples import (
    cumulative_simpson,
    cumulative_trapezoid,
    fixed_quad,
    romb,
    simpson,
    trapezoid,
)
from ._solver import DenseOutput, OdeSolution, OdeSolver
from ._vectors import quad_vec

globals().update(_functions())

__all__ = sorted(
    """
BDF DOP853 DenseOutput IntegrationWarning LSODA ODEintWarning OdeSolution OdeSolver RK23 RK45 Radau
complex_ode cumulative_simpson cumulative_trapezoid fixed_quad ode qmc_quad quad_vec romb simpson
solve_ivp trapezoid
""".split()
    + list(_functions())
)

_DEPRECATED = ("dop", "lsoda", "odepack", "quadpack", "vode")

_beside_all(__all__, globals())


def __getattr__(name):
    # SciPy's own classes, so that programs can filter the warnings of its functions.
    # Deprecated modules, which SciPy has as attributes, are its own too.
    if name in ("IntegrationWarning", "ODEintWarning", *_DEPRECATED):
        return getattr(_calls.module(name), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
