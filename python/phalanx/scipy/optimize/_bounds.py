"""The limits of variables."""

import math

import phalanx as np

from .._arguments import array, refuse
from . import _host
from ._described import RECORDED, described


class Bounds:
    """The limits of variables.

    Parameters
    ----------
    lb : array_like, default: -inf
        The lower limits; one for each variable, or one for all of them.
    ub : array_like, default: inf
        The upper limits.
    keep_feasible : array_like of bool, default: False
        Which variables stay within their limits in all iterations, with methods of SciPy.
    """

    def __init__(self, lb=-math.inf, ub=math.inf, keep_feasible=False):
        self.lb, self.ub = np.atleast_1d(array(lb)), np.atleast_1d(array(ub))
        self.keep_feasible = np.atleast_1d(array(keep_feasible)).astype(bool)
        self.lb, self.ub, self.keep_feasible = np.broadcast_arrays(
            self.lb, self.ub, self.keep_feasible)

    def __repr__(self):
        return f"Bounds({self.lb!r}, {self.ub!r})"

    @property
    def _of_scipy(self):
        parts = [_host.calls.to_host(one, "Bounds")
                 for one in (self.lb, self.ub, self.keep_feasible)]
        return _host.found("Bounds")(*parts)

    @described("(ndarray, ndarray): The distances from the lower and from the upper limits.", None,
               RECORDED)
    def residual(self, x):
        """The distances of a point from the limits."""
        x = array(x)
        return x - self.lb, self.ub - x


def limits(bounds, n):
    """The lower and the upper limits as vectors on devices; None if there are none."""
    if bounds is None:
        return None
    if isinstance(bounds, Bounds) or hasattr(bounds, "lb"):
        low, high = array(bounds.lb), array(bounds.ub)
    else:
        pairs = list(bounds)
        if len(pairs) != n:
            raise refuse("The number of bounds is not compatible with the length of `x0`.")
        if any(len(one) != 2 for one in pairs):
            raise refuse("`bounds` must have pairs of limits")
        low = np.asarray([-math.inf if a is None else float(a) for a, _ in pairs])
        high = np.asarray([math.inf if b is None else float(b) for _, b in pairs])
    try:
        low, high = (np.broadcast_to(one.astype(np.float64), (n,)) for one in (low, high))
    except ValueError as error:
        raise refuse("The number of bounds is not compatible with the length of `x0`.") from error
    if bool((low > high).any()):
        raise refuse("An upper bound is less than the corresponding lower bound.")
    return low, high
