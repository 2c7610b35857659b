"""Minima of functions of several variables."""

import inspect
import math
import warnings

from .._arguments import array, refuse
from . import _host
from ._bounds import limits
from ._descent import conjugate_gradients, quasi_newton, truncated_newton
from ._described import ITERATED, described
from ._limited_memory import limited_memory
from ._objective import Objective, first_point
from ._result import OptimizeResult

_METHODS = {"cg": conjugate_gradients, "bfgs": quasi_newton, "newton-cg": truncated_newton,
            "l-bfgs-b": limited_memory}
# The option that a tolerance stands for.
_TOLERANCE = {"cg": ("gtol",), "bfgs": ("gtol",), "newton-cg": ("xtol",),
              "l-bfgs-b": ("ftol", "gtol")}
# Options that are not ones of the search itself.
_OTHERS = ("disp", "return_all", "eps", "finite_diff_rel_step", "iprint", "workers")


@described(
    "OptimizeResult: The minimum `x`, its value `fun`, and how it was found.",
    {"ValueError": "A method or an option is unknown, or bounds do not fit."},
    ITERATED + " They do with the methods 'CG', 'BFGS', 'Newton-CG' and 'L-BFGS-B'. The other "
    "methods are SciPy's, on the host, and refuse more than 2**20 elements. Without a gradient, "
    "the function is evaluated once for each variable.",
    method=("str or callable", "The method; 'BFGS', 'L-BFGS-B' or 'SLSQP' by default, without and "
            "with bounds, and with constraints."),
)
def minimize(
    fun, x0, args=(), method=None, jac=None, hess=None, hessp=None, bounds=None, constraints=(),
    tol=None, callback=None, options=None,
):
    """A local minimum of a function of several variables."""
    if method is None:
        has_constraints = not (isinstance(constraints, (tuple, list)) and not constraints)
        method = "SLSQP" if has_constraints else "L-BFGS-B" if bounds is not None else "BFGS"
    name = None if callable(method) else method.lower()
    if name not in _METHODS:
        return _host.of_scipy("minimize", fun, x0, args, method, jac, hess, hessp, bounds,
                              constraints, tol, callback, options)
    if bounds is not None and name != "l-bfgs-b":
        warnings.warn(f"Method {method} cannot handle bounds.", RuntimeWarning, stacklevel=2)
    # SciPy's method takes no differences.
    if name == "newton-cg" and not (callable(jac) or jac is True):
        raise refuse("Jacobian is required for Newton-CG method")
    options = dict(options or {})
    for one in _TOLERANCE[name] if tol is not None else ():
        options.setdefault(one, tol)
    x0 = first_point(x0)
    objective = Objective(fun, x0, args, jac, options.get("eps"), hess, hessp)
    report = _Report(callback, x0, options.get("return_all"))
    used = _known(name, options, method)
    within = limits(bounds, x0.shape[0])
    if name == "l-bfgs-b":
        used["limits"] = within
    found = _METHODS[name](objective, x0, report, **used)
    if options.get("return_all"):
        found["allvecs"] = report.points
    if options.get("disp"):
        _print(found)
    return found


def _known(name, options, method):
    """The options of a search; a warning names the others."""
    parameters = inspect.signature(_METHODS[name]).parameters.values()
    names = {one.name for one in parameters if one.kind is one.KEYWORD_ONLY}
    unknown = [one for one in options if one not in names and one not in _OTHERS]
    if unknown:
        warnings.warn(f"Unknown solver options: {', '.join(unknown)}",
                      _host.found("OptimizeWarning"), stacklevel=3)
    return {key: value for key, value in options.items() if key in names}


class _Report:
    """What is done after each iteration: the user's callback, which may end the search."""

    def __init__(self, callback, x0, keep):
        self.callback, self.points = callback, [x0] if keep else None
        self.by_result = False
        if callback is not None:
            try:
                names = list(inspect.signature(callback).parameters)
            except (TypeError, ValueError):
                names = []
            self.by_result = names == ["intermediate_result"]

    def __call__(self, x, value):
        if self.points is not None:
            self.points.append(x)
        if self.callback is None:
            return True
        try:
            if self.by_result:
                self.callback(intermediate_result=OptimizeResult(x=x.copy(), fun=value))
            else:
                self.callback(x.copy())
        except StopIteration:
            return False
        return True


def _print(found):
    print(found.message)
    print(f"         Current function value: {found.fun:f}")
    for text, name in (("Iterations", "nit"), ("Function evaluations", "nfev"),
                       ("Gradient evaluations", "njev"), ("Hessian evaluations", "nhev")):
        if name in found:
            print(f"         {text}: {found[name]}")


_FULL = "ndarray or tuple: The minimum; with `full_output` also its value, derivatives and counts."
_RETALL = {"retall": ("bool", "Whether all points are returned.")}


def _flat(x0):
    """A first point, which may have any axes, as a vector."""
    return array(x0).ravel()


def _outputs(found, full_output, retall, names):
    if not full_output:
        return (found.x, found["allvecs"]) if retall else found.x
    made = (found.x, *(found[name] for name in names), found.status)
    return (*made, found["allvecs"]) if retall else made


@described(_FULL, None, ITERATED, **_RETALL)
def fmin_cg(
    f, x0, fprime=None, args=(), gtol=1e-05, norm=math.inf, epsilon=1.4901161193847656e-08,
    maxiter=None, full_output=0, disp=1, retall=0, callback=None, c1=0.0001, c2=0.4,
):
    """A local minimum by conjugate gradients."""
    options = {"gtol": gtol, "norm": norm, "eps": epsilon, "disp": disp, "maxiter": maxiter,
               "return_all": retall, "c1": c1, "c2": c2}
    found = minimize(f, _flat(x0), args, "CG", fprime, callback=callback, options=options)
    return _outputs(found, full_output, retall, ("fun", "nfev", "njev"))


@described(_FULL, None, ITERATED, **_RETALL)
def fmin_bfgs(
    f, x0, fprime=None, args=(), gtol=1e-05, norm=math.inf, epsilon=1.4901161193847656e-08,
    maxiter=None, full_output=0, disp=1, retall=0, callback=None, xrtol=0, c1=0.0001, c2=0.9,
    hess_inv0=None,
):
    """A local minimum by the method of Broyden, Fletcher, Goldfarb and Shanno."""
    options = {"gtol": gtol, "norm": norm, "eps": epsilon, "disp": disp, "maxiter": maxiter,
               "return_all": retall, "xrtol": xrtol, "c1": c1, "c2": c2, "hess_inv0": hess_inv0}
    found = minimize(f, _flat(x0), args, "BFGS", fprime, callback=callback, options=options)
    return _outputs(found, full_output, retall, ("fun", "jac", "hess_inv", "nfev", "njev"))


@described(_FULL, None, ITERATED, **_RETALL)
def fmin_ncg(
    f, x0, fprime, fhess_p=None, fhess=None, args=(), avextol=1e-05,
    epsilon=1.4901161193847656e-08, maxiter=None, full_output=0, disp=1, retall=0, callback=None,
    c1=0.0001, c2=0.9,
):
    """A local minimum by the method of Newton, with conjugate gradients."""
    options = {"xtol": avextol, "eps": epsilon, "maxiter": maxiter, "disp": disp,
               "return_all": retall, "c1": c1, "c2": c2}
    found = minimize(f, _flat(x0), args, "Newton-CG", fprime, fhess, fhess_p, callback=callback,
                     options=options)
    return _outputs(found, full_output, retall, ("fun", "nfev", "njev", "nhev"))


_NOT_GIVEN = object()


@described(
    "(ndarray, float, dict): The minimum, its value, and a dictionary with `grad`, `task`, "
    "`funcalls`, `nit` and `warnflag`.", None, ITERATED,
    iprint=("int", "Deprecated, without effect."), disp=("int", "Deprecated, without effect."),
)
def fmin_l_bfgs_b(
    func, x0, fprime=None, args=(), approx_grad=0, bounds=None, m=10, factr=10000000.0, pgtol=1e-05,
    epsilon=1e-08, iprint=_NOT_GIVEN, maxfun=15000, maxiter=15000, disp=_NOT_GIVEN, callback=None,
    maxls=20,
):
    """A local minimum within bounds by the method L-BFGS-B."""
    jac = None if approx_grad else True if fprime is None else fprime
    options = {"maxcor": m, "ftol": factr * 2.0**-52, "gtol": pgtol, "eps": epsilon,
               "maxfun": maxfun, "maxiter": maxiter, "maxls": maxls}
    found = minimize(func, _flat(x0), args, "L-BFGS-B", jac, bounds=bounds, callback=callback,
                     options=options)
    more = {"grad": found.jac, "task": found.message, "funcalls": found.nfev, "nit": found.nit,
            "warnflag": found.status}
    return found.x, found.fun, more
