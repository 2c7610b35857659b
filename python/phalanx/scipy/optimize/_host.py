"""Searches of SciPy's, on the host."""

import functools

from .._host_calls import Calls, HeldFunction, Made
from ._host_table import TABLE
from ._parameters import OF_HOST, PARAMETERS
from ._result import OptimizeResult

# Classes of SciPy that are what they are there.
CLASSES = (
    "BFGS", "BroydenFirst", "HessianUpdateStrategy", "InverseJacobian", "KrylovJacobian",
    "NoConvergence", "OptimizeWarning", "RootResults", "SR1",
)


def _adopted(x):
    """An object of ours for one of SciPy."""
    name = type(x).__name__
    if isinstance(x, dict) and name != "RootResults":
        return OptimizeResult({key: calls.from_host(value) for key, value in x.items()})
    return _Operator(x) if name == "LbfgsInvHessProduct" else None


calls = Calls("optimize", PARAMETERS, adopt=_adopted)


class _Operator(HeldFunction):
    """A linear operator of SciPy."""

    _calls = calls


class _Constraint(Made):
    """A constraint of SciPy's, whose parameters are SciPy's. Arrays are copied to the host, and
    functions take arrays of ours."""

    _calls = calls


def _made(kind, text):
    return _Constraint._named(kind, f"{text} {_Constraint.__doc__}")


LinearConstraint = _made("LinearConstraint", "The limits of a product of a matrix with variables.")
NonlinearConstraint = _made("NonlinearConstraint", "The limits of a function of the variables.")


def of_scipy(name, *given, **options):
    """The result of a function of SciPy's, for a method that is not one of devices."""
    return _made_calls()[name](*given, **options)


@functools.cache
def _made_calls():
    text = {
        "least_squares": "fun, x0, jac='2-point', bounds=None, method='trf', ftol=1e-08, "
                         "xtol=1e-08, gtol=1e-08, x_scale=None, loss='linear', f_scale=1.0, "
                         "diff_step=None, tr_solver=None, tr_options=None, jac_sparsity=None, "
                         "max_nfev=None, verbose=0, args=(), kwargs=None, callback=None, "
                         "workers=None",
        "minimize": "fun, x0, args=(), method=None, jac=None, hess=None, hessp=None, bounds=None, "
                    "constraints=(), tol=None, callback=None, options=None",
        "root": "fun, x0, args=(), method='hybr', jac=None, tol=None, callback=None, options=None",
        "newton": "func, x0, fprime=None, args=(), tol=1.48e-08, maxiter=50, fprime2=None, "
                  "x1=None, rtol=0.0, full_output=False, disp=True",
    }
    return {name: calls.made(name, one, "object: The result.", f"The function {name}.")
            for name, one in text.items()}


# A class of SciPy, by its name.
found = calls.found


@functools.cache
def functions():
    """The functions of the table, by their names."""
    return calls.functions(TABLE, OF_HOST)
