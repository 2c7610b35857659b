"""``numpy.emath``: functions with complex results where no real result exists.

The elements decide this, so these functions are Collective.
"""

from .. import _phalanx

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]

# Dtypes that NumPy converts to complex numbers of 64 bits.
_SMALL = frozenset("int8 uint8 int16 uint16 float32 complex64".split())


def _complex(x):
    return x.astype("complex64" if x.dtype.name in _SMALL else "complex128")


def _where_real(x, beyond):
    """The array; as complex numbers if it is real and `beyond` holds for any of its elements."""
    x = _phalanx.asarray(x)
    if x.dtype.kind == "c" or not bool(beyond(x).any()):
        return x
    return _complex(x)


def _of_positive(x):
    return _where_real(x, lambda x: x < 0)


def _of_unit(x):
    return _where_real(x, lambda x: abs(x) > 1)


def sqrt(x):
    """The square root; that of a negative number is imaginary. Collective."""
    return _phalanx.sqrt(_of_positive(x))


def log(x):
    """The natural logarithm; that of a negative number is complex. Collective."""
    return _phalanx.log(_of_positive(x))


def log10(x):
    """The logarithm to the base 10; that of a negative number is complex. Collective."""
    x = _of_positive(x)
    # NumPy's function takes complex numbers, too.
    return _phalanx.log10(x)


def log2(x):
    """The logarithm to the base 2; that of a negative number is complex. Collective."""
    return _phalanx.log2(_of_positive(x))


def logn(n, x):
    """The logarithm of `x` to the base `n`; complex where either is negative. Collective."""
    return _phalanx.log(_of_positive(x)) / _phalanx.log(_of_positive(n))


def power(x, p):
    """`x` to the power `p`; complex where `x` is negative. Collective."""
    x, p = _of_positive(x), _phalanx.asarray(p)
    if p.dtype.kind in "iu" and bool((p < 0).any()):
        p = p * 1.0
    return _phalanx.power(x, p)


def arccos(x):
    """The inverse cosine; complex beyond -1 and 1. Collective."""
    return _phalanx.arccos(_of_unit(x))


def arcsin(x):
    """The inverse sine; complex beyond -1 and 1. Collective."""
    return _phalanx.arcsin(_of_unit(x))


def arctanh(x):
    """The inverse hyperbolic tangent; complex beyond -1 and 1. Collective."""
    return _phalanx.arctanh(_of_unit(x))
