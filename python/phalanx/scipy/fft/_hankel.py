"""The fast Hankel transform of samples at logarithmic places.

Source: A. J. S. Hamilton, "Uncorrelated modes of the non-linear power spectrum" (2000),
appendix B.
"""

import cmath
import math
import warnings

import phalanx as np

from ._arguments import floating
from ._backends import dispatched
from ._parameters import described

# Stirling's series of the logarithm of the gamma function: coefficients of 1/z, 1/z^3, ...
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_FAR = 12.0


def _log_gamma(real, imaginary, log):
    """The logarithm of the gamma function at ``real + i imaginary``, continued from the positive
    numbers, for an array of imaginary parts or one. `log` is the logarithm of complex numbers."""
    steps = max(0, math.ceil(_FAR - real))
    z = real + steps + 1j * imaginary
    inverse = 1 / z
    square = inverse * inverse
    series = 0.0
    for one in reversed(_STIRLING):
        series = series * square + one
    found = (z - 0.5) * log(z) - z + 0.5 * math.log(2 * math.pi) + series * inverse
    for step in range(steps):
        found = found - log(real + step + 1j * imaginary)
    return found


def _is_pole(x):
    return x <= 0 and x == math.floor(x)


def _gamma_ratio(upper, lower):
    """The limit of the quotient of gamma functions at two numbers."""
    if _is_pole(upper) and _is_pole(lower):
        upper, lower = int(-upper), int(-lower)
        sign = -1.0 if (upper - lower) % 2 else 1.0
        return sign * math.exp(math.lgamma(lower + 1) - math.lgamma(upper + 1))
    if _is_pole(upper):
        return math.inf
    return 0.0


def _coefficients(n, dln, mu, offset, bias, is_inverse):
    """The factors of the transform's frequencies."""
    upper, lower = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    count = n // 2 + 1
    y = np.arange(count, dtype=np.float64) * (math.pi / (n * dln))
    above, below = _log_gamma(upper, y, np.log), _log_gamma(lower, y, np.log)
    size = above.real - below.real + math.log(2) * bias
    angle = above.imag + below.imag + 2 * (math.log(2) - offset) * y
    factors = np.exp(size + 1j * angle)
    if n % 2 == 0:
        # The last frequency of an even number of samples has a real factor.
        factors = np.where(np.arange(count) == count - 1, factors.real, factors)
    if not (_is_pole(upper) or _is_pole(lower)):
        return factors
    first = 2.0**bias * _gamma_ratio(upper, lower)
    if math.isinf(first) and not is_inverse:
        warnings.warn("singular transform; consider changing the bias", stacklevel=4)
        first = 0.0
    elif first == 0 and is_inverse:
        warnings.warn("singular inverse transform; consider changing the bias", stacklevel=4)
        first = math.inf
    return np.concatenate([np.full(1, first, dtype=factors.dtype), factors[1:]])


def _transformed(a, dln, mu, offset, bias, is_inverse):
    a = floating(a, complex=False)
    n = a.shape[-1]
    sign = 1 if is_inverse else -1
    places = (np.arange(n, dtype=np.float64) - (n - 1) / 2) * dln
    before, after = (places + offset, places) if is_inverse else (places, places + offset)
    factors = _coefficients(n, dln, mu, offset, bias, is_inverse)
    if bias != 0:
        # As in SciPy, whose result is of double precision then.
        a = a * np.exp(sign * bias * before)
    found = np.fft.rfft(a)
    factors = 1 / np.conj(factors) if is_inverse else factors
    found = np.flip(np.fft.irfft(found * factors.astype(found.dtype), n), -1)
    if bias != 0:
        found = found * np.exp(sign * bias * after)
    return found


_RESULT = "ndarray: The shape of the array; float32 stays without a bias, and other real dtypes " \
    "become float64."
_ERRORS = {"TypeError": "The numbers are complex."}


@dispatched
@described(_RESULT, _ERRORS)
def fht(a, dln, mu, offset=0.0, bias=0.0):
    """The fast Hankel transform along the last axis, of samples at logarithmic places."""
    return _transformed(a, dln, mu, offset, bias, False)


@dispatched
@described(_RESULT, _ERRORS)
def ifht(A, dln, mu, offset=0.0, bias=0.0):
    """The inverse of `fht`."""
    return _transformed(A, dln, mu, offset, bias, True)


@described("float: The offset.", {"ZeroDivisionError": "`dln` is 0."},
           "Local: a process may call it alone; nothing is recorded.")
def fhtoffset(dln, mu, initial=0.0, bias=0.0):
    """The offset near a given one with which `fht` of a periodic sequence rings least."""
    y = math.pi / (2 * dln)
    above = _log_gamma((mu + 1 + bias) / 2, y, cmath.log)
    below = _log_gamma((mu + 1 - bias) / 2, y, cmath.log)
    turns = (math.log(2) - initial) / dln + (above.imag + below.imag) / math.pi
    return initial + (turns - round(turns)) * dln
