"""The function of Rosenbrock, by which searches are tested."""

import phalanx as np

from .._arguments import array
from ._described import RECORDED, described


def _floating(x):
    return x.astype(np.float64) if x.dtype.kind in "biu" else x


@described("ndarray: The values.", None, RECORDED)
def rosen(x):
    """The function of Rosenbrock, whose minimum is at ones."""
    x = _floating(array(x))
    return (100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0).sum(axis=0)


@described("ndarray: The gradients.", None, RECORDED)
def rosen_der(x):
    """The gradient of the function of Rosenbrock."""
    x = _floating(array(x))
    rise = x[1:] - x[:-1] ** 2
    nothing = np.zeros_like(x[:1])
    before = np.concatenate([nothing, 200 * rise])
    after = np.concatenate([-400 * rise * x[:-1] - 2 * (1 - x[:-1]), nothing])
    return before + after


def _diagonals(x):
    """The diagonal of the second derivatives, and the one beside it."""
    nothing = np.zeros_like(x[:1])
    inner = np.concatenate([1200 * x[:-1] ** 2 - 400 * x[1:] + 2, nothing])
    return inner + np.concatenate([nothing, np.full_like(x[1:], 200)]), -400 * x[:-1]


@described("ndarray: The matrix.", None, RECORDED, x=("array_like", "The point."))
def rosen_hess(x):
    """The second derivatives of the function of Rosenbrock."""
    x = _floating(np.atleast_1d(array(x)))
    main, side = _diagonals(x)
    made = np.diag(side, 1) + np.diag(side, -1)
    whole = np.diag(main) + np.diag(side, 1) + np.diag(side, -1)
    return whole.astype(x.dtype)


@described("ndarray: The vector.", None, RECORDED, x=("array_like", "The point."))
def rosen_hess_prod(x, p):
    """The product of the second derivatives of the function of Rosenbrock with a vector."""
    x, p = _floating(np.atleast_1d(array(x))), array(p)
    main, side = _diagonals(x)
    nothing = np.zeros_like(x[:1])
    made = main * p + np.concatenate([side * p[1:], nothing])
    return (made + np.concatenate([nothing, side * p[:-1]])).astype(x.dtype)
