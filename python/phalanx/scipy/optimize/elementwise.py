"""Zeros and minima of functions of each element: names of ``scipy.optimize.elementwise``.

The searches are SciPy's, on the host; they call functions with arrays of ours.
"""

from .._host_calls import Calls as _Calls
from .._outcome import Outcome as _Outcome

_ARRAY = "array_like"
_PARAMETERS = {
    "args": ("tuple", "Further arguments of the function, which broadcast with the points."),
    "callback": ("callable", "A function that is called in each iteration."),
    "f": ("callable", "The function, of each element of an array."),
    "factor": (_ARRAY, "The factor by which brackets grow."),
    "init": ("tuple of array_like", "The brackets."),
    "maxiter": ("int", "The most iterations."),
    "tolerances": ("dict", "The absolute and relative tolerances."),
    "xl0": (_ARRAY, "The first left ends."),
    "xm0": (_ARRAY, "The first middle points."),
    "xmax": (_ARRAY, "The upper limits."),
    "xmin": (_ARRAY, "The lower limits."),
    "xr0": (_ARRAY, "The first right ends."),
}
_TABLE = """
bracket_minimum(f, xm0, *, xl0=None, xr0=None, xmin=None, xmax=None, factor=None, args=(),
    maxiter=1000) -> object: The brackets, and how they were found. | Brackets of minima of a
    function of each element.
bracket_root(f, xl0, xr0=None, *, xmin=None, xmax=None, factor=None, args=(), maxiter=1000) ->
    object: The brackets, and how they were found. | Brackets of zeros of a function of each
    element.
find_minimum(f, init, /, *, args=(), tolerances=None, maxiter=100, callback=None) -> object: The
    minima `x`, and how they were found. | Minima of a function of each element within brackets.
find_root(f, init, /, *, args=(), tolerances=None, maxiter=None, callback=None) -> object: The zeros
    `x`, and how they were found. | Zeros of a function of each element within brackets.
"""


def _adopted(x):
    if not isinstance(x, dict):
        return None
    return _Outcome({key: _calls.from_host(value) for key, value in x.items()})


_calls = _Calls("optimize.elementwise", _PARAMETERS, adopt=_adopted)
globals().update(_calls.functions(_TABLE))
__all__ = ["bracket_minimum", "bracket_root", "find_minimum", "find_root"]
