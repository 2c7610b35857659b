"""Series of Hermite's polynomials, of physicists: NumPy's `polynomial.hermite`, on arrays of all devices."""

from .. import _phalanx
from ._functions import constants_of as _constants_of
from ._functions import documented as _documented
from ._functions import functions_of as _functions_of
from ._series import class_of as _class_of

_LOCAL = "Local: recorded."
_functions = _functions_of("hermite", "herm", "herm")
globals().update(_functions)
Hermite = _class_of("Hermite", "hermite", "herm", _functions, "H", (-1.0, 1.0))
_constant, _constants = _constants_of("herm", [-1.0, 1.0], [0, 0.5])


def __getattr__(name):
    """A series or the domain of the family, which is made at the first use."""
    return _constant(name)


def hermweight(x):
    x = _phalanx.asarray(x)
    return _phalanx.exp(-(x**2))


_documented(hermweight, "The weight for which the polynomials are orthogonal.", "ndarray", _LOCAL)


__all__ = [name for name in globals() if not name.startswith("_")] + _constants
