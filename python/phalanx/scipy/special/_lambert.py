"""The Lambert W function of complex numbers, on any branch."""

import math

import phalanx as np

from ._loops import complex_of, native

# Halley's iteration triples the number of digits; near the branch point the series begins it.
_STEPS = 6


def lambertw(z, k):
    """The values of a branch for each element. `k` is an array of integers of NumPy."""
    if z.dtype.kind != "c":
        real = z.astype("float64")
        if k.ndim == 0 and int(k) in (0, -1):
            branch = np.asarray(float(k), "float64")
            found = native("lambertw", real, branch)
            # Only where the value is real.
            is_real = (real >= -math.exp(-1)) & ((real < 0) | (int(k) == 0))
            if int(k) == -1:
                is_real = is_real | (real == 0)
            general = _general(complex_of(real, np.zeros_like(real)), k)
            return np.where(is_real, complex_of(found, np.zeros_like(found)), general)
        z = complex_of(real, np.zeros_like(real))
    return _general(z.astype("complex128"), k)


def _general(z, k):
    with np.errstate(all="ignore"):
        k = np.asarray(k.astype("float64"))
        w = _start(z, k)
        for _ in range(_STEPS):
            # Halley's step for f(w) = w exp(w) - z, divided by exp(w) against overflow.
            f = w - z * np.exp(-w)
            step = f / (w + 1 - (w + 2) * f / (2 * w + 2))
            w = np.where(np.isfinite(step), w - step, w)
        at_zero = np.where(k == 0, 0.0, -np.inf).astype("complex128")
        w = np.where(z == 0, at_zero, w)
        infinite = np.isinf(z.real) | np.isinf(z.imag)
        turned = complex_of(np.zeros_like(k), 2 * math.pi * k)
        w = np.where(infinite, np.log(z) + turned, w)
        return np.where(np.isnan(z), complex(math.nan, math.nan), w)


def _start(z, k):
    """A value from which Halley's iteration reaches the branch."""
    # Far from zero: log(z) - log(log(z)), with the logarithm of the branch.
    far = np.log(z) + complex_of(np.zeros_like(k), 2 * math.pi * k)
    far = far - np.log(far)
    # Near the branch point -1/e, which the branches 0, -1 and 1 share.
    p = np.sqrt(2 * (math.e * z + 1))
    below = z.imag < 0
    sign = np.where(k == 0, 1.0, -1.0)
    p = sign * p
    near = -1 + p * (1 + p * (-1 / 3 + p * (11 / 72)))
    shares = (k == 0) | ((k == -1) & ~below) | ((k == 1) & below)
    apart = np.abs(z + math.exp(-1))
    is_near = ((apart < 0.3) & shares) | ((k == 0) & (apart < 0.8) & (z.real <= -0.3))
    # Near zero on the main branch: the Pade approximant of w.
    middle = z * (1 + 4 / 3 * z) / (1 + z * (7 / 3 + 5 / 6 * z))
    is_middle = (k == 0) & (np.abs(z) < 1) & ~is_near & (z.real > -0.3)
    start = np.where(is_near, near, far)
    inner = (k == 0) & ~is_near & ~is_middle & (np.abs(z) < 3) & (z.real > -0.3)
    start = np.where(inner, np.log1p(z), start)
    return np.where(is_middle, middle, start)
