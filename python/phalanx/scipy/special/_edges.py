"""Values at the edges of domains, where SciPy has others than the native functions."""

import math

import phalanx as np


def _is_pole(x):
    """Whether a gamma function has a pole: at 0, negative integers and -infinity."""
    return (x <= 0) & (x == np.floor(x))


def _beta_is_infinite(a, b):
    is_low = (a == -math.inf) | (b == -math.inf)
    return is_low | (_is_pole(a) & np.isnan(b)) | (_is_pole(b) & np.isnan(a))


def _beta(value, a, b):
    infinite = np.asarray(math.inf, value.dtype)
    # Next to the pole at 0, also where factors of the other argument would overflow.
    value = np.where(_is_tiny(b, a), 1 / b, np.where(_is_tiny(a, b), 1 / a, value))
    value = np.where(_beta_is_infinite(a, b), infinite, value)
    # At two poles SciPy has the sign of the second argument's parity.
    is_odd = np.abs(np.fmod(b, 2)) == 1
    at_both = _is_pole(a) & _is_pole(b) & (a > -math.inf) & (b > -math.inf)
    return np.where(at_both, np.where(is_odd, -infinite, infinite), value)


def _is_tiny(x, other):
    """Whether beta is the reciprocal of one argument, as far as digits go."""
    size = np.abs(other)
    is_usual = (size > 1e-10) & (size < 1e6) & ~_is_pole(other)
    return (x != 0) & (np.abs(x) < 1e-30) & is_usual


def _betaln(value, a, b):
    return np.where(_beta_is_infinite(a, b), np.asarray(math.inf, value.dtype), value)


def _binom(value, n, k):
    is_defined = (n >= 0) | ((n > -math.inf) & (n != np.floor(n)))
    return np.where((k == -math.inf) & is_defined, np.zeros((), value.dtype), value)


def _gammaln(value, x):
    return np.where(x == -math.inf, x, value)


def _ellipkinc(value, phi, m):
    # Also for negative amplitudes.
    is_infinite = (m == 1) & (np.abs(phi) >= math.pi / 2)
    return np.where(is_infinite, np.asarray(math.inf, value.dtype), value)


def _nbdtri(value, k, n, y):
    return np.where(((n == 0) & ((y == 0) | (y == 1))) | ((n > 0) & (k >= 0) & (y == 1)), y, value)


def zeta(value, x, q):
    """The Hurwitz zeta function, which is infinite at poles of `q` also if `x` is NaN."""
    return np.where(np.isnan(x) & _is_pole(q), np.asarray(math.inf, value.dtype), value)


# What makes of native values, and of the arguments, the values of SciPy.
VALUES = {
    "beta": _beta, "betaln": _betaln, "binom": _binom, "gammaln": _gammaln,
    "ellipkinc": _ellipkinc, "nbdtri": _nbdtri,
}
