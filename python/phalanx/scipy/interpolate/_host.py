"""What is SciPy's own, on the host: knots, fits of few data, and triangulations."""

import types

import phalanx as np

from .. import _host
from .._host_calls import Calls
from ._host_table import TABLE
from ._parameters import PARAMETERS

# Elements of an array on devices that may be copied to the host.
FEW = 1 << 22


def _adopted(x):
    """A spline of SciPy as ours, and an iterator of its arrays as one of ours."""
    if isinstance(x, types.GeneratorType):
        return map(from_host, x)
    if type(x).__name__ != "BSpline":
        return None
    from ._bspline import BSpline

    return BSpline.construct_fast(x.t, x.c, x.k, x.extrapolate, x.axis)


_calls = Calls("interpolate", PARAMETERS, FEW, _adopted)
to_host, from_host, call = _calls.to_host, _calls.from_host, _calls.call
scipy_interpolate = _calls.module


def functions():
    """The functions of the table, by their names."""
    return _calls.functions(TABLE)


def vector(x, name, dtype=None):
    """A small argument, such as knots or the points of a grid, as an array of NumPy."""
    import numpy

    if isinstance(x, np.ndarray):
        x = _host.copied(x, FEW, f"phalanx.scipy.interpolate.{name}")
    elif isinstance(x, (list, tuple)):
        x = [one.get() if isinstance(one, np.ndarray) else one for one in x]
    return numpy.asarray(x, dtype)
