"""Minima and roots: parameters of the functions and classes of ``scipy.optimize``, which are called
with a few functions (`formulas.py`). What is compared is what a search finds, within its
tolerance, and not how many steps it takes."""

import numpy

from . import formulas
from .drawing import Array, Pair
from .formulas import both

EXACT = set()
COARSE = None
LEADING = ("x", "x0", "xk", "xin")
ARRAYS = {"dtypes": ["float64"], "rare": ["int32"], "least": 1, "most": 1, "longest": 6}
# SciPy's own functions, whose arguments and results are converted.
OF_HOST = {"bisect", "brentq", "isotonic_regression", "linear_sum_assignment", "lsq_linear",
           "minimize_scalar", "nnls", "root_scalar"}
_MIXED = "F, xin, iter=None, *, verbose=False, maxiter=None, f_tol=None, line_search='armijo'"
SIGNATURES = {"linear_sum_assignment": "cost_matrix, maximize=False", **dict.fromkeys(
    ["anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing", "linearmixing",
     "newton_krylov"], _MIXED), "approx_fprime": "xk, f, epsilon=1e-8",
    "check_grad": "func, grad, x0, *, epsilon=1e-8, direction='all', rng=None"}
# Limits and functions that are none have no one outcome.
NEVER_WRONG = ("F", "f", "fun", "func", "jac", "hess", "hessp", "fprime", "fprime2", "fhess",
               "fhess_p", "grad", "myfprime", "maxiter", "epsilon", "verbose", "iter", "f_tol",
               "line_search", "disp", "gtol", "tol", "xtol", "rtol", "pk", "approx_grad",
               "full_output")
LEFT_OUT = {
    "LinearConstraint": "SciPy's own class", "NonlinearConstraint": "SciPy's own class",
    **dict.fromkeys([f".{name}" for name in ("adjoint", "transpose", "__add__", "__pow__")],
                    "operators of operators, which `sparse.linalg` compares"),
}
SHOWN = {"Bounds": "lb ub keep_feasible", "LbfgsInvHessProduct": "sk yk n_corrs rho"}
METHODS = ["CG", "BFGS", "L-BFGS-B", "Newton-CG"]


def start(d):
    """A first point: a vector, a number, or a matrix, which is refused at times."""
    shape = d.one([(2,), (3,), (5,), (1,), (4,), () if d.often(0.3) else (2,)])
    made = numpy.round(d.chance.uniform(-1.5, 1.5, shape if d.often(0.97) else (2, 2)), 2)
    return d.laid(made.astype(d.dtype()))


def problem(d):
    d.problem = d.one(formulas.MINIMA)
    return both(d.problem[0])


def derivative(place):
    def made(d):
        found = d.problem[place]
        return both(found) if found else None
    return made


def slope_or_word(d):
    return d.one([both(d.problem[1]), both(d.problem[1]), None, "2-point", "3-point"])


def with_differences(d):
    """Derivatives are given, or computed by differences."""
    if d.values.get("fprime") is None:
        d.values["approx_grad"] = True


def box(d):
    count = d.first.size
    return d.one([None, [(-2, 2)] * count, [(None, 0.3)] * count, [(0.7, None)] * count, [(
        1, 0)] * count if d.often(0.2) else None])


def system(d):
    return both(d.one(formulas.SYSTEMS))


def pair(d):
    """A vector and one of a positive product with it, for each of some steps."""
    d.steps = numpy.round(d.chance.normal(size=(d.whole(1, 3), d.whole(2, 4))), 2) + 0.05
    return d.laid(d.steps)


def matrix(d):
    d.rows = d.whole(2, 5)
    return d.laid(numpy.round(d.chance.normal(size=(d.rows, d.whole(1, min(d.rows, 3)))), 2))


def column(d):
    return d.laid(numpy.round(d.chance.normal(size=d.rows if d.often(0.95) else d.rows + 1), 2))


def columns(d):
    return d.laid(d.elements((d.of.steps.shape[1], d.whole(1, 3)), "float64"))


def operand(d):
    return d.laid(d.elements((d.of.steps.shape[1] if d.often(0.95) else 7,), "float64"))


def numbers(d):
    """First points of many zeros at once."""
    shape = d.one([(), (3,), (2, 2), (1,), (5,)])
    return d.laid(numpy.round(d.chance.uniform(0.5, 2, shape), 2))


def brackets(d):
    return d.one([-1.0, 0.0, 0.5])


STEPS = {"iter": lambda d: None, "verbose": lambda d: False, "maxiter": lambda d: d.one([300, 400]),
         "f_tol": lambda d: d.one([1e-7, 1e-8]), "line_search": lambda
         d: d.one(["armijo", None, "wolfe" if d.often(0.3) else "armijo", "none" if d.often(
             0.1) else "armijo"])}
PARAMETERS = {
    "x": lambda d: d.laid(numpy.round(d.chance.normal(size=d.one([2, 3, 7, (4, 2), 1])), 2).astype(
        d.one(["float64", "float64", "int32"]))), "x0": start, "xk": start, "xin": start,
    "p": lambda d: d.laid(d.elements(d.first.shape, "float64")), "F": system, "fun": problem,
    "func": problem, "f": problem, "method": lambda d: d.one(METHODS if d.often(0.9) else [
        "none", "Nelder-Mead", "SLSQP", "Powell"]),
    # Differences have fewer digits.
    "tol": lambda d: d.one([1e-8, 1e-6]) if isinstance(d.values.get("jac"), Pair) else 1e-5,
    "args": lambda d: (), "jac": slope_or_word, "hess": derivative(2), "hessp": derivative(3),
    "fprime": lambda d: d.one([both(d.problem[1]), both(d.problem[1]), None]),
    "bounds": box, "disp": lambda d: False, "full_output": lambda d: False,
    "approx_grad": lambda d: d.often(0.5), "gtol": lambda d: d.one([1e-5, 1e-6]),
    "fhess_p": derivative(3), "fhess": derivative(2), "grad": lambda d: both(d.problem[1]),
    "epsilon": lambda d: 1e-8, "rng": lambda d: 0, **STEPS,
    "direction": lambda d: "all", "myfprime": lambda d: both(d.problem[1]),
    "pk": lambda d: Array(-d.problem[1](numpy, d.first) if d.first.ndim == 1 else d.first),
    "lb": lambda d: d.one([-1.0, 0, Array(numpy.array([-1.0, 0, -2]))]),
    "ub": lambda d: d.one([1.0, 3, Array(numpy.array([1.0, 0.5, 2]))]),
    "keep_feasible": lambda d: d.often(0.5), "sk": pair,
    "yk": lambda d: Array(d.steps * 1.5 + 0.02), "A": matrix, "b": column,
    "xtol": lambda d: 1e-10,
}
LIMITS = {"f": lambda d: both(formulas.cube), "a": brackets, "b": lambda d: d.one([
    2.0, 3.0, 0.7 if d.often(0.2) else 2.5])}
OWN = {
    "minimize": {"OFTEN": {"method": 1, "jac": 0.8}, "hess": lambda d: None,
                 "hessp": derivative(3)},
    "fmin_l_bfgs_b": {"OFTEN": {"fprime": 0.7}, "CHECK": with_differences},
    **{name: {"OFTEN": {"disp": 1}} for name in ("fmin_bfgs", "fmin_cg")},
    "fmin_ncg": {"fprime": derivative(1), "OFTEN": {"disp": 1}},
    "root": {"fun": system, "jac": lambda d: None, "method": lambda d: d.one([
        "hybr", "lm", "broyden1", "broyden2", "anderson", "linearmixing", "diagbroyden",
        "excitingmixing", "krylov", "df-sane", "none"])},
    "approx_fprime": {"xk": lambda d: d.laid(d.chance.uniform(-1.5, 1.5, d.whole(1, 5)))},
    **{name: {"line_search": lambda d: "armijo"} for name in ("linearmixing", "excitingmixing")},
    "newton": {"func": lambda d: both(formulas.cube), "x0": numbers, "fprime": lambda d: d.one([
        None, both(formulas.cube_slope)]), "fprime2": lambda d: d.one([None, both(
            formulas.cube_curvature)]), "x1": lambda d: None, "maxiter": lambda d: d.one([50, 60]),
        "rtol": lambda d: d.one([0.0, 1e-10]), "args": lambda d: d.one([(), (3.0,), 2.5])},
    "fixed_point": {"func": lambda d: both(formulas.contraction), "x0": numbers,
                    "args": lambda d: d.one([(), (0.3,)]), "method": lambda d: d.one([
                        "del2", "iteration", "none" if d.often(0.1) else "del2"]),
                    "maxiter": lambda d: 500},
    "line_search": {"xk": lambda d: d.laid(numpy.round(d.chance.uniform(-1.5, 1.5, 3), 2))},
    "least_squares": {"fun": lambda d: both(formulas.residuals), "jac": lambda d: d.one([
        "2-point", "3-point", both(formulas.residuals_slope), both(formulas.residuals_slope)]),
        "method": lambda d: d.one(["trf", "dogbox", "lm", "none" if d.often(0.1) else "trf"]),
        "bounds": lambda d: d.one([(-numpy.inf, numpy.inf), (0, 0.8), (-numpy.inf, numpy.inf)]),
        "tr_solver": lambda d: d.one([None, "lsmr", "exact"]), "x0": lambda d: Array(numpy.round(
            d.chance.uniform(0.1, 0.7, d.whole(2, 4)), 2)), "loss": lambda d: d.one([
                "linear", "soft_l1", "none" if d.often(0.1) else "linear"]),
        "OFTEN": {"tr_solver": 0.5}},
    **{name: {"x": lambda d: d.laid(numpy.round(d.chance.normal(size=d.whole(2, 6)), 2))}
       for name in ("rosen_der", "rosen_hess", "rosen_hess_prod")},
    "Bounds.residual": {"x": lambda d: Array(numpy.array([0.2, 0.1, 1.0]))},
    **{f"LbfgsInvHessProduct.{name}": {"x": operand} for name in (
        "matvec", "rmatvec", "dot", "__call__", "__mul__")},
    **{f"LbfgsInvHessProduct.{name}": {"X": columns} for name in ("matmat", "rmatmat")},
    "bisect": LIMITS, "brentq": LIMITS,
    "root_scalar": {"f": lambda d: both(formulas.cube), "method": lambda d: d.one([
        "brentq", "bisect", "toms748", "none" if d.often(0.1) else "ridder"]),
        "bracket": lambda d: (-1.0, 2.0), "OFTEN": {"bracket": 1}, "fprime": lambda d: None},
    "minimize_scalar": {"fun": lambda d: both(formulas.contraction), "bounds": lambda d: (0.0, 6.0),
                        "method": lambda d: d.one(["bounded", "brent", "golden"]),
                        "tol": lambda d: 1e-9},
    "isotonic_regression": {"y": lambda d: d.array((d.whole(1, 9),)), "weights": lambda d: d.one([
        None, Array(d.chance.uniform(0.5, 2, d.array_of("y").shape))]),
        "increasing": lambda d: d.often(0.5)},
    "nnls": {"maxiter": lambda d: None}, "lsq_linear": {
        "bounds": lambda d: d.one([(-numpy.inf, numpy.inf), (0, 1)]), "method": lambda d: d.one([
            "trf", "bvls"]), "tol": lambda d: 1e-12},
    "linear_sum_assignment": {"cost_matrix": lambda d: d.laid(d.chance.normal(size=(
        d.whole(1, 5), d.whole(1, 5)))), "maximize": lambda d: d.often(0.5)},
}
# What depends on the number of steps, or has rounding errors near 0.
OF_STEPS = ("nfev", "njev", "nhev", "nit", "message", "status", "jac", "grad", "hess_inv", "direc",
            "final_simplex", "optimality", "iterations", "function_calls", "flag", "fjac", "qtf",
            "r", "ipvt", "cov_x", "allvecs", "method", "maxcv", "task", "warnflag", "funcalls",
            "hess", "multipliers", "active_mask", "fun", "unbounded_sol", "cost", "initial_cost")
SEARCHES = ("minimize", "least_squares", "root", "fmin_l_bfgs_b", "root_scalar", "lsq_linear",
            "minimize_scalar")


def compared(name, values, found):
    """What is compared: which parts a result has, and those that do not depend on the steps."""
    if isinstance(found, Exception) or name not in SEARCHES:
        return found
    kept = {key: one for key, one in found.items() if not any(
        part in OF_STEPS for part in key.split("."))}
    return kept | {"parts": str(sorted(key for key in found if key.count(".") == 1))}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    # Searches end where a derivative is small.
    exact = name.startswith(("rosen", "Bounds", "Lbfgs", "linear", "isotonic"))
    return 2**12 if exact else 2**30 if name == "approx_fprime" else 2**42


def excuse(name, values, found, expected):
    """Whether another step satisfies the conditions of Wolfe, too."""
    if name != "line_search" or not isinstance(found, dict) or not isinstance(expected, dict):
        return False
    size, x, way = found[".0"], values["xk"].array, values["pk"].array
    if size is None or expected[".0"] is None:
        return False
    f, slope = values["f"].theirs(), values["myfprime"].theirs()
    falls = slope(x) @ way
    return f(x + size * way) <= f(x) + 1e-4 * size * falls + 1e-12 and abs(
        slope(x + size * way) @ way) <= 0.9 * abs(falls)
