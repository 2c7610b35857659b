"""``numpy.emath``: functions whose results are complex where there is no real one.

Whether there is one is seen in the elements, so that these functions are Collective.
"""

from .. import _phalanx

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]

# Dtypes whose complex numbers are of 64 bits, as NumPy takes them.
_SMALL = frozenset("int8 uint8 int16 uint16 float32 complex64".split())


def _complex(x):
    return x.astype("complex64" if x.dtype.name in _SMALL else "complex128")


def _where_real(x, beyond):
    """The array, which is complex if any of its elements is real and beyond what has a result."""
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
    # NumPy has the logarithm of complex numbers to any base.
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
