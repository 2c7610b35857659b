"""Derivatives of Bessel functions, and spherical Bessel functions."""

import math
import operator

import phalanx as np

from ..._phalanx import _refusal
from . import _several
from ._described import described

_REFUSED = {
    "ValueError": "The number of derivatives is negative, or shapes do not broadcast.",
    "TypeError": "The number of derivatives is no integer, or an argument is complex.",
}
_VALUES = "ndarray: The values, in the shape to which `v` and `z` broadcast."


def _number(n):
    """A number of derivatives."""
    try:
        n = operator.index(n)
    except TypeError:
        raise _refusal(TypeError, "type", "n must be a non-negative integer") from None
    if n < 0:
        raise _refusal(ValueError, "value", "n must be a non-negative integer")
    return n


def _derivative(name, v, z, n, alternates):
    """The derivative of a function f with 2 f' = f(v - 1) -+ f(v + 1)."""
    n = _number(n)
    function = _several.special(name)
    if n == 0:
        # Numbers take the dtype of arrays, as in the function itself.
        return function(v, z)
    v, z = np.asarray(v), np.asarray(z)
    if v.dtype.kind in "biu":
        v = v.astype("float64")
    total = 0
    for k in range(n + 1):
        sign = -1 if alternates and k % 2 else 1
        total = total + sign * math.comb(n, k) * function(v - n + 2 * k, z)
    return total / 2**n


@described(_VALUES, _REFUSED)
def jvp(v, z, n=1):
    """Derivatives of the Bessel function of the first kind, `jv`."""
    return _derivative("jv", v, z, n, True)


@described(_VALUES, _REFUSED)
def yvp(v, z, n=1):
    """Derivatives of the Bessel function of the second kind, `yv`."""
    return _derivative("yv", v, z, n, True)


@described(_VALUES, _REFUSED)
def ivp(v, z, n=1):
    """Derivatives of the modified Bessel function of the first kind, `iv`."""
    return _derivative("iv", v, z, n, False)


@described(_VALUES, _REFUSED)
def kvp(v, z, n=1):
    """Derivatives of the modified Bessel function of the second kind, `kv`."""
    n = _number(n)
    found = _derivative("kv", v, z, n, False)
    return -found if n % 2 else found


@described(_VALUES, _REFUSED)
def h1vp(v, z, n=1):
    """Derivatives of the Hankel function of the first kind, `hankel1`, of a real argument."""
    return _derivative("hankel1", v, z, n, True)


@described(_VALUES, _REFUSED)
def h2vp(v, z, n=1):
    """Derivatives of the Hankel function of the second kind, `hankel2`, of a real argument."""
    return _derivative("hankel2", v, z, n, True)


_SPHERICAL = "ndarray: The values, in the shape to which `n` and `z` broadcast."
_COMPLEX = {"TypeError": "An argument is complex.", "ValueError": "Shapes do not broadcast."}


def _spherical(name, n, z, derivative):
    # Orders are integers, so that the values are float64 as those of SciPy. Fractions of orders
    # are left out.
    n, z = np.trunc(np.asarray(n).astype("float64")), np.asarray(z)
    if derivative:
        name += "_derivative"
    return _several.inner(name, 2)(n, z)


@described(_SPHERICAL, _COMPLEX)
def spherical_jn(n, z, derivative=False):
    """The spherical Bessel function of the first kind, of a real argument."""
    return _spherical("spherical_jn", n, z, derivative)


@described(_SPHERICAL, _COMPLEX)
def spherical_yn(n, z, derivative=False):
    """The spherical Bessel function of the second kind, of a real argument."""
    return _spherical("spherical_yn", n, z, derivative)


@described(_SPHERICAL, _COMPLEX)
def spherical_in(n, z, derivative=False):
    """The modified spherical Bessel function of the first kind, of a real argument."""
    return _spherical("spherical_in", n, z, derivative)


@described(_SPHERICAL, _COMPLEX)
def spherical_kn(n, z, derivative=False):
    """The modified spherical Bessel function of the second kind, of a real argument."""
    z = np.asarray(z)
    found = _spherical("spherical_kn", n, z, derivative)
    return found.astype(z.dtype) if z.dtype.name == "float32" else found
