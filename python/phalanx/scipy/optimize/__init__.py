"""Minima, roots and fits: names of ``scipy.optimize``.

The methods 'CG', 'BFGS', 'L-BFGS-B' and 'Newton-CG' for minima, and those for roots of large
systems, keep points and derivatives on devices. The other searches are SciPy's own on the host, if
it is installed (``pip install phalanx[scipy]``); they call functions with arrays of ours.
"""

from .._host_calls import beside_all as _beside_all
from . import elementwise
from ._bounds import Bounds
from ._differences import approx_fprime, check_grad
from ._elementwise import fixed_point, newton
from ._host import CLASSES as _CLASSES
from ._host import LinearConstraint, NonlinearConstraint
from ._host import found as _found
from ._host import functions as _functions
from ._least_squares import least_squares
from ._limited_memory import LbfgsInvHessProduct
from ._line_search import line_search
from ._minimize import fmin_bfgs, fmin_cg, fmin_l_bfgs_b, fmin_ncg, minimize
from ._result import OptimizeResult
from ._roots import (
    anderson,
    broyden1,
    broyden2,
    diagbroyden,
    excitingmixing,
    linearmixing,
    newton_krylov,
    root,
)
from ._rosenbrock import rosen, rosen_der, rosen_hess, rosen_hess_prod

globals().update(_functions())

__all__ = sorted(
    """
Bounds LbfgsInvHessProduct LinearConstraint NonlinearConstraint OptimizeResult anderson
approx_fprime broyden1 broyden2 check_grad diagbroyden elementwise excitingmixing fixed_point
fmin_bfgs fmin_cg fmin_l_bfgs_b fmin_ncg least_squares line_search linearmixing minimize newton
newton_krylov root rosen rosen_der rosen_hess rosen_hess_prod
""".split()
    + list(_functions())
    + list(_CLASSES)
)

_DEPRECATED = (
    "cobyla", "lbfgsb", "linesearch", "minpack", "minpack2", "moduleTNC", "nonlin", "optimize",
    "slsqp", "tnc", "zeros",
)

_beside_all(__all__, globals())


def __getattr__(name):
    # SciPy's own classes, so that programs can filter its warnings and catch its errors.
    # So are deprecated modules, which SciPy has as attributes.
    if name in _CLASSES or name in _DEPRECATED:
        return _found(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
