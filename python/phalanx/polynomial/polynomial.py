"""Series of powers: NumPy's `polynomial.polynomial`, on arrays of all devices."""

from .. import _phalanx
from .._phalanx import _refusal
from ._functions import constants_of as _constants_of
from ._functions import documented as _documented
from ._functions import functions_of as _functions_of
from ._series import class_of as _class_of

_LOCAL = "Local: recorded."
_functions = _functions_of("polynomial", "poly", "poly")
globals().update(_functions)
Polynomial = _class_of("Polynomial", "polynomial", "poly", _functions, None, (-1.0, 1.0))
_constant, _constants = _constants_of("poly", [-1.0, 1.0], [0, 1])


def __getattr__(name):
    """A series or the domain of the family, which is made at the first use."""
    return _constant(name)


def polyvalfromroots(x, r, tensor=True):
    r = _phalanx.atleast_1d(_phalanx.asarray(r))
    if r.dtype.kind not in "fc":
        r = r.astype(float)
    x = _phalanx.asarray(x)
    if tensor:
        r = r.reshape(r.shape + (1,) * x.ndim)
    elif x.ndim >= r.ndim:
        raise _refusal(ValueError, "value", "x.ndim must be < r.ndim when tensor == False")
    return (x - r).prod(axis=0)


_documented(polyvalfromroots, "The values of a polynomial with these roots.", "ndarray", _LOCAL)


__all__ = [name for name in globals() if not name.startswith("_")] + _constants
