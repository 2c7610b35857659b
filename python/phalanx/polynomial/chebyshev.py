"""Series of Chebyshev's polynomials of the first kind: NumPy's `polynomial.chebyshev`, on arrays of all devices."""

from .. import _phalanx
from .._phalanx import _refusal
from ._functions import constants_of as _constants_of
from ._functions import documented as _documented
from ._functions import functions_of as _functions_of
from ._series import class_of as _class_of
from .polyutils import _on_host

_LOCAL = "Local: recorded."
_functions = _functions_of("chebyshev", "cheb", "cheb")
globals().update(_functions)
Chebyshev = _class_of("Chebyshev", "chebyshev", "cheb", _functions, "T", (-1.0, 1.0))
_constant, _constants = _constants_of("cheb", [-1.0, 1.0], [0, 1])


def __getattr__(name):
    """A series or the domain of the family, which is made at the first use."""
    return _constant(name)


def chebweight(x):
    x = _phalanx.asarray(x)
    return 1.0 / (_phalanx.sqrt(1.0 + x) * _phalanx.sqrt(1.0 - x))


_documented(chebweight, "The weight for which the polynomials are orthogonal.", "ndarray", _LOCAL)


def chebpts1(npts):
    return _on_host(_of_numpy("chebpts1"), npts)


def chebpts2(npts):
    return _on_host(_of_numpy("chebpts2"), npts)


def chebinterpolate(func, deg, args=()):
    import numpy

    degree = numpy.asarray(deg)
    if degree.ndim > 0 or degree.dtype.kind not in "iu" or degree.size == 0:
        raise _refusal(TypeError, "type", "deg must be an int")
    if degree < 0:
        raise _refusal(ValueError, "value", "expected deg >= 0")
    order = int(degree) + 1
    x = chebpts1(order)
    values = _phalanx.asarray(func(x, *args))
    rows = _functions["chebvander"](x, int(degree))
    factors = _phalanx.full(order, 2.0 / order)
    factors[0] = 1.0 / order
    return (rows.T @ values) * factors.reshape((order,) + (1,) * (values.ndim - 1))


def _of_numpy(name):
    import numpy.polynomial.chebyshev

    return getattr(numpy.polynomial.chebyshev, name)


_documented(chebpts1, "The zeros of a polynomial of the family.", "ndarray", _LOCAL)
_documented(chebpts2, "The extrema of a polynomial of the family.", "ndarray", _LOCAL)
_documented(
    chebinterpolate, "The series that equals a function at the points of `chebpts1`.", "ndarray",
    "Local, as far as the function is.", "fit",
)


__all__ = [name for name in globals() if not name.startswith("_")] + _constants
