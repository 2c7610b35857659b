"""Derivatives by differences."""

import phalanx as np

from .._arguments import array, refuse
from .._host_calls import agreed_seed
from ._described import described

_ROOT_OF_EPSILON = 2.0**-26
_EVALUATED = (
    "Collective if the function is. It is evaluated once more than there are variables, so that "
    "there should be few."
)


def number(value):
    """The value of a function, as a number."""
    if isinstance(value, np.ndarray):
        if value.size != 1:
            raise refuse("The user-provided objective function must return a scalar value.")
        return value.item()
    return value


def gradient(function, x, value, step):
    """The gradient by forward differences; the derivatives of the elements of a vector, as rows."""
    n = x.shape[0]
    steps = np.broadcast_to(np.asarray(step, dtype=x.dtype), (n,))
    places = np.arange(n)
    # Differences of what is representable.
    moved = x + steps
    steps = moved - x
    rows = [array(function(np.where(places == at, moved, x))) - value for at in range(n)]
    whole = np.stack(rows, axis=-1)
    return whole / steps


@described(
    "ndarray: The gradient, or the derivatives of each element of a vector, as rows.",
    {"ValueError": "The function has no values of one or no axis."}, _EVALUATED,
    args=("object", "Further arguments of the function."),
)
def approx_fprime(xk, f, epsilon=_ROOT_OF_EPSILON, *args):
    """The derivatives of a function by forward differences."""
    xk = np.atleast_1d(array(xk))
    if xk.ndim > 1:
        raise refuse("`x0` must have at most 1 dimension.")
    xk = xk if xk.dtype.kind == "f" else xk.astype(np.float64)
    value = array(f(xk, *args))
    made = gradient(lambda x: f(x, *args), xk, value, epsilon)
    return made[0] if value.ndim == 1 and value.shape[0] == 1 else made


@described(
    "float: The root of the sum of the squared differences.",
    {"ValueError": "The direction is unknown, or the gradient has more than one axis."}, _EVALUATED,
    args=("object", "Further arguments of the function."),
    direction=("{'all', 'random'}", "Whether all derivatives are compared, or one in a random "
               "direction."),
)
def check_grad(func, grad, x0, *args, epsilon=_ROOT_OF_EPSILON, direction="all", rng=None,
               seed=None):
    """The difference of a gradient from the one by differences."""
    x0 = array(x0)
    x0 = x0 if x0.dtype.kind == "f" else x0.astype(np.float64)
    given = array(grad(x0, *args))
    if direction == "random":
        if given.ndim > 1:
            raise refuse("'random' can only be used with scalar valued func")
        import numpy

        rng = seed if rng is None else rng
        if not isinstance(rng, numpy.random.Generator):
            rng = numpy.random.default_rng(agreed_seed() if rng is None else rng)
        way = np.asarray(rng.standard_normal(x0.shape))
        found = approx_fprime(np.zeros(1), lambda w: func(x0 + w[0] * way, *args), epsilon)
        return float(np.abs((given * way).sum() - found[0]))
    if direction != "all":
        raise refuse(f"{direction} is not a valid string for ``direction`` argument",
                     mistake="choice")
    return float(np.sqrt((np.abs(given - approx_fprime(x0, func, epsilon, *args)) ** 2).sum()))
