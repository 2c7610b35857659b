"""Fits of many parameters by least squares."""

import math

import phalanx as np

from .._arguments import array, refuse
from . import _host
from ._described import ITERATED, described
from ._objective import first_point, inner
from ._result import OptimizeResult

_MESSAGES = {
    0: "The maximum number of function evaluations is exceeded.",
    1: "`gtol` termination condition is satisfied.",
    2: "`ftol` termination condition is satisfied.",
    3: "`xtol` termination condition is satisfied.",
    4: "Both `ftol` and `xtol` termination conditions are satisfied.",
}


@described(
    "OptimizeResult: The parameters `x`, the residuals `fun`, `cost`, `jac`, `grad`, and how they "
    "were found.",
    {"ValueError": "A word or a tolerance is not allowed, or the residuals are not finite.",
     "ImportError": "SciPy is not installed, and it has to compute it."},
    ITERATED + " They do with `tr_solver` 'lsmr' and a function `jac`, which returns an array, a "
    "sparse matrix or a linear operator, without bounds and with the loss 'linear'. Otherwise it "
    "is SciPy's, on the host, and refuses more than 2**20 elements.",
    method=("{'trf', 'dogbox', 'lm'}", "The method."),
    jac=("callable or str", "The derivatives of the residuals, or a kind of differences."),
)
def least_squares(
    fun, x0, jac="2-point", bounds=(-math.inf, math.inf), method="trf", ftol=1e-08, xtol=1e-08,
    gtol=1e-08, x_scale=None, loss="linear", f_scale=1.0, diff_step=None, tr_solver=None,
    tr_options=None, jac_sparsity=None, max_nfev=None, verbose=0, args=(), kwargs=None,
    callback=None, workers=None,
):
    """The parameters of a function with least squared residuals."""
    is_free = isinstance(bounds, tuple) and bounds == (-math.inf, math.inf)
    if not (tr_solver == "lsmr" and method == "trf" and callable(jac) and is_free
            and loss == "linear" and (x_scale is None or x_scale == 1.0)):
        return _host.of_scipy(
            "least_squares", fun, x0, jac=jac, bounds=bounds, method=method, ftol=ftol, xtol=xtol,
            gtol=gtol, x_scale=x_scale, loss=loss, f_scale=f_scale, diff_step=diff_step,
            tr_solver=tr_solver, tr_options=tr_options, jac_sparsity=jac_sparsity,
            max_nfev=max_nfev, verbose=verbose, args=args, kwargs=kwargs, callback=callback,
            workers=workers,
        )
    keywords = kwargs or {}

    def residuals(x):
        return np.atleast_1d(array(fun(x, *args, **keywords)))

    def derivative(x):
        from ..sparse.linalg import aslinearoperator

        made = jac(x, *args, **keywords)
        return made, aslinearoperator(made)

    tolerances = [0.0 if one is None else one for one in (ftol, xtol, gtol)]
    x = first_point(x0)
    most = 100 * x.size if max_nfev is None else max_nfev
    return _fitted(residuals, derivative, x, tolerances, most, tr_options or {}, callback)


def _fitted(residuals, derivative, x, tolerances, most, options, callback):
    """The fit by a trust region in the plane of the gradient and of the step of Gauss and Newton.

    Source: R. H. Byrd, R. B. Schnabel, G. A. Shultz, "Approximate solution of the trust region
    problem by minimization over two-dimensional subspaces" (1988).
    """
    ftol, xtol, gtol = tolerances
    f = residuals(x)
    cost = 0.5 * inner(f, f)
    if not math.isfinite(cost):
        raise refuse("Residuals are not finite in the initial point.")
    matrix, J = derivative(x)
    g = J.rmatvec(f)
    radius = math.sqrt(inner(x, x)) or 1.0
    evaluations, derivatives, iterations, status = 1, 1, 0, None
    while True:
        slope = float(np.abs(g).max())
        if slope < gtol:
            status = 1
        if status is not None or evaluations >= most:
            break
        plane = _plane(J, f, g, options)
        products = [J.matvec(one) for one in plane]
        curve = [[inner(a, b) for b in products] for a in products]
        along = [inner(one, g) for one in plane]
        accepted = False
        while not accepted and evaluations < most and status is None:
            factors = _within(curve, along, radius)
            step = sum(factor * one for factor, one in zip(factors, plane))
            size = math.hypot(*factors)
            expected = -sum(
                factors[i] * (along[i] + 0.5 * sum(curve[i][j] * factors[j]
                                                   for j in range(len(factors))))
                for i in range(len(factors)))
            new = x + step
            f_new = residuals(new)
            evaluations += 1
            cost_new = 0.5 * inner(f_new, f_new)
            if not math.isfinite(cost_new):
                radius = 0.25 * size
                continue
            fall = cost - cost_new
            ratio = fall / expected if expected > 0 else 1.0 if fall == expected == 0 else 0.0
            status = _status(fall, cost, size, math.sqrt(inner(x, x)), ratio, ftol, xtol)
            if ratio < 0.25:
                radius = 0.25 * size
            elif ratio > 0.75 and size > 0.95 * radius:
                radius *= 2.0
            accepted = fall > 0
        if accepted:
            x, f, cost = new, f_new, cost_new
            matrix, J = derivative(x)
            derivatives += 1
            g = J.rmatvec(f)
        iterations += 1
        if callback is not None:
            try:
                callback(OptimizeResult(x=x, fun=f, nit=iterations, nfev=evaluations, cost=cost))
            except StopIteration:
                status = -2
    status = 0 if status is None else status
    return OptimizeResult(
        x=x, cost=cost, fun=f, jac=matrix, grad=g, optimality=float(np.abs(g).max()),
        active_mask=np.zeros(x.shape), nfev=evaluations, njev=derivatives, status=status,
        message=_MESSAGES.get(status, "`callback` function raised StopIteration."),
        success=status > 0,
    )


def _plane(J, f, g, options):
    """Orthonormal vectors of the plane in which a step is."""
    from ..sparse.linalg import lsmr

    names = ("damp", "atol", "btol", "conlim", "maxiter", "show", "x0")
    given = {key: value for key, value in options.items() if key in names}
    newton = lsmr(J, f, **given)[0]
    first = g / math.sqrt(inner(g, g))
    rest = newton - inner(first, newton) * first
    size = math.sqrt(inner(rest, rest))
    if size <= 1e-12 * math.sqrt(inner(newton, newton)):
        return [first]
    second = rest / size
    # Once more, since little may be left of the vector.
    second = second - inner(first, second) * first
    return [first, second / math.sqrt(inner(second, second))]


def _within(curve, along, radius):
    """The minimum of a quadratic function of one or two numbers within a radius."""
    import numpy

    values, vectors = numpy.linalg.eigh(numpy.array(curve))
    parts = vectors.T @ numpy.array(along)

    def step(shift):
        return -parts / (values + shift)

    low = 0.0
    if values[0] > 0 and numpy.linalg.norm(step(0.0)) <= radius:
        return (vectors @ step(0.0)).tolist()
    high = numpy.linalg.norm(parts) / radius + abs(values[0])
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if (values + middle).min() <= 0 or numpy.linalg.norm(step(middle)) > radius:
            low = middle
        else:
            high = middle
    return (vectors @ step(high)).tolist()


def _status(fall, cost, size, norm, ratio, ftol, xtol):
    """Which tolerance ends the search; None if none does."""
    by_value = fall < ftol * cost and ratio > 0.25
    by_step = size < xtol * (xtol + norm)
    return {(True, True): 4, (True, False): 2, (False, True): 3}.get((by_value, by_step))
