"""Roots of systems of many equations."""

import inspect
import math

import phalanx as np

from .._arguments import array, refuse
from . import _host, _inverses
from ._described import ITERATED, described
from ._line_search import armijo
from ._result import OptimizeResult

_MESSAGES = {1: "A solution was found at the specified tolerance.",
             2: "The maximum number of iterations allowed has been reached."}


def _largest(x):
    return float(np.abs(x).max()) if x.size else 0.0


class _Ending:
    """When a search ends: residuals and steps below tolerances."""

    def __init__(self, f_tol, f_rtol, x_tol, x_rtol, iterations, norm):
        self.f_tol = 2.0 ** (-52 / 3) if f_tol is None else f_tol
        self.f_rtol, self.x_tol, self.x_rtol = (
            math.inf if one is None else one for one in (f_rtol, x_tol, x_rtol))
        self.norm = _largest if norm is None else (lambda x: float(norm(x)))
        self.iterations, self.first, self.count = iterations, None, 0

    def __call__(self, value, x, step):
        """1 at the end, 2 after a given number of iterations, 0 otherwise."""
        self.count += 1
        size = self.norm(value)
        if self.first is None:
            self.first = size
        if size == 0:
            return 1
        if self.iterations is not None:
            return 2 * (self.count > self.iterations)
        return int(
            size <= self.f_tol and size / self.f_rtol <= self.first
            and self.norm(step) <= self.x_tol and self.norm(step) / self.x_rtol <= self.norm(x)
        )


def search(F, xin, inverse, iter=None, verbose=False, maxiter=None, f_tol=None, f_rtol=None,
           x_tol=None, x_rtol=None, tol_norm=None, line_search="armijo", callback=None,
           full_output=False, raise_exception=True):
    """The root by steps of an approximate inverse derivative."""
    ending = _Ending(f_tol, f_rtol, x_tol, x_rtol, iter, tol_norm)
    xin = array(xin)
    shape = xin.shape
    x = xin.ravel()
    x = x if x.dtype.kind in "fc" else x.astype(np.float64)
    evaluations = [0]

    def function(x):
        evaluations[0] += 1
        return array(F(x.reshape(shape))).ravel()

    if line_search is True:
        line_search = "armijo"
    if line_search not in (None, False, "armijo", "wolfe"):
        raise refuse("Invalid line search", mistake="choice")
    value, step = function(x), np.full_like(x, math.inf)
    size = float(np.linalg.norm(value))
    inverse.setup(function, x, value)
    if maxiter is None:
        maxiter = iter + 1 if iter is not None else 100 * (x.size + 1)
    tolerance, most, status, iterations = 1e-3, 0.9999, 0, 0
    for iterations in range(maxiter):
        status = ending(value, x, step)
        if status:
            break
        step = -inverse.solve(value, min(tolerance, tolerance * size))
        if float(np.linalg.norm(step)) == 0:
            raise refuse("Jacobian inversion yielded zero vector. This indicates a bug in the "
                         "Jacobian approximation.")
        if line_search:
            x, value, after, step = _searched(function, x, value, step)
        else:
            x = x + step
            value = function(x)
            after = float(np.linalg.norm(value))
        inverse.update(x, value)
        if callback is not None:
            callback(x.reshape(shape), value.reshape(shape))
        # Source: S. C. Eisenstat, H. F. Walker, "Choosing the forcing terms in an inexact Newton
        # method" (1996).
        forcing = 0.9 * after**2 / size**2 if size else 0.0
        past = 0.9 * tolerance**2
        tolerance = min(most, forcing) if past < 0.1 else min(most, max(forcing, past))
        size = after
        if verbose:
            print(f"{iterations}:  |F(x)| = {_largest(value):g}; step {_largest(step):g}")
    else:
        if raise_exception:
            raise _host.found("NoConvergence")(x.reshape(shape))
        status = 2
    x = x.reshape(shape)
    if not full_output:
        return x
    return x, {"nit": iterations, "fun": value, "status": status, "success": status == 1,
               "message": _MESSAGES[status], "nfev": evaluations[0]}


def _searched(function, x, value, step):
    """A step of which the squared residuals decrease."""
    kept = {}

    def square(size):
        point = x + size * step
        found = function(point)
        kept.clear()
        kept[size] = point, found
        total = float((np.abs(found) ** 2).sum())
        return total if not math.isnan(total) else math.inf

    start = float((np.abs(value) ** 2).sum())
    least = 1e-2
    size, _ = armijo(square, start, -start, 1e-4, least=least)
    if size is None:
        size = 1.0
    if size not in kept:
        square(size)
    point, found = kept[size]
    return point, found, float(np.linalg.norm(found)), size * step


_SHARED = (
    "verbose=False, maxiter=None, f_tol=None, f_rtol=None, x_tol=None, x_rtol=None, tol_norm=None, "
    "line_search='armijo', callback=None"
)


def _solver(name, kind, text, parameters):
    """A function that finds a root with a kind of inverse derivative."""
    # All functions have the same parameters around those of the inverse.
    own = inspect.signature(eval(f"lambda {parameters}: None", {})).parameters
    signature = inspect.signature(
        eval(f"lambda F, xin, iter=None, {parameters}, {_SHARED}, **kw: None", {}))

    def made(*given, **options):
        bound = signature.bind(*given, **options)
        bound.apply_defaults()
        values = bound.arguments
        more = values.pop("kw")
        inverse = kind(**{one: values.pop(one) for one in own}, **more)
        return search(values.pop("F"), values.pop("xin"), inverse, **values)

    made.__name__ = made.__qualname__ = name
    made.__module__, made.__doc__ = "phalanx.scipy.optimize", text
    made.__signature__ = signature
    return described(
        "ndarray: The root.",
        {"NoConvergence": "The search did not end after `maxiter` iterations.",
         "ValueError": "A word is unknown, or a step is zero."}, ITERATED,
        method=("str or callable", "The solver of the equations of a step."),
    )(made)


def _second(**options):
    return _inverses.Broyden(second=True, **options)


broyden1 = _solver("broyden1", _inverses.Broyden, "A root by Broyden's first method.",
                   "alpha=None, reduction_method='restart', max_rank=None")
broyden2 = _solver("broyden2", _second, "A root by Broyden's second method.",
                   "alpha=None, reduction_method='restart', max_rank=None")
anderson = _solver("anderson", _inverses.Anderson, "A root by Anderson's mixing.",
                   "alpha=None, w0=0.01, M=5")
diagbroyden = _solver("diagbroyden", _inverses.Diagonal,
                      "A root by Broyden's method with a diagonal.", "alpha=None")
linearmixing = _solver("linearmixing", _inverses.Linear, "A root by steps against the residuals.",
                       "alpha=None")
excitingmixing = _solver("excitingmixing", _inverses.Exciting,
                         "A root by steps against the residuals, each element of its own size.",
                         "alpha=None, alphamax=1.0")
newton_krylov = _solver(
    "newton_krylov", _inverses.Krylov,
    "A root by Newton's method, whose equations are solved iteratively.",
    "rdiff=None, method='lgmres', inner_maxiter=20, inner_M=None, outer_k=10")

_KINDS = {"broyden1": _inverses.Broyden, "broyden2": _second, "anderson": _inverses.Anderson,
          "linearmixing": _inverses.Linear, "diagbroyden": _inverses.Diagonal,
          "excitingmixing": _inverses.Exciting, "krylov": _inverses.Krylov}


@described(
    "OptimizeResult: The root `x`, the residuals `fun`, and how it was found.",
    {"ValueError": "The method is unknown."},
    ITERATED + " They do with all methods but 'hybr' and 'lm', which are SciPy's, on the host, and "
    "refuse more than 2**20 elements.",
    x0=("array_like", "The first point, of any shape."),
    method=("{'hybr', 'lm', 'broyden1', 'broyden2', 'anderson', 'linearmixing', 'diagbroyden', "
            "'excitingmixing', 'krylov', 'df-sane'}", "The method."),
)
def root(fun, x0, args=(), method="hybr", jac=None, tol=None, callback=None, options=None):
    """A root of a system of equations."""
    args = args if isinstance(args, tuple) else (args,)
    name = method.lower()
    if name in ("hybr", "lm"):
        return _host.of_scipy("root", fun, x0, args, method, jac, tol, callback, options)
    if name not in _KINDS and name != "df-sane":
        raise refuse(f"Unknown solver {method}", mistake="choice")
    if jac is not None:
        import warnings

        warnings.warn(f"Method {method} does not use the jacobian (jac).", RuntimeWarning,
                      stacklevel=2)
    options = dict(options or {})

    def function(x):
        return fun(x, *args)

    if name == "df-sane":
        if tol is not None:
            options.setdefault("ftol", tol)
        from ._spectral import spectral

        return spectral(function, x0, callback, **options)
    if tol is not None:
        options.setdefault("xtol", tol)
        options.setdefault("xatol", tol)
        options.setdefault("ftol", tol)
        options.setdefault("fatol", tol)
    return _by_inverse(function, x0, name, callback, options)


def _by_inverse(function, x0, name, callback, options):
    """The root by the options of SciPy's `root`."""
    disp = options.pop("disp", False)
    names = {"nit": "iter", "maxiter": "maxiter", "ftol": "f_rtol", "fatol": "f_tol",
             "xtol": "x_rtol", "xatol": "x_tol", "tol_norm": "tol_norm",
             "line_search": "line_search"}
    given = {names[key]: value for key, value in options.items() if key in names}
    inner = dict(options.get("jac_options") or {})
    inverse = _KINDS[name](**inner)
    x, info = search(function, x0, inverse, verbose=disp, callback=callback, full_output=True,
                     raise_exception=False, **given)
    info["fun"] = info["fun"].reshape(x.shape)
    return OptimizeResult(x=x, method=name, **info)
