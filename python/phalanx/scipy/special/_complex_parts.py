"""What functions of complex numbers share: polynomials, symmetry, and logarithms near 1."""

import functools

import phalanx as np

from ._loops import complex_of

EULER = 0.57721566490153286061

# Bernoulli numbers B2, B4 and so on.
BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798,
    -174611 / 330, 854513 / 138, -236364091 / 2730, 8553103 / 6,
)


def polynomial(coefficients, x):
    """The polynomial with the coefficients of the powers 0, 1 and so on, by Horner's rule."""
    found = None
    for one in reversed(coefficients):
        found = np.full_like(x, one) if found is None else found * x + one
    return found


def is_below(z):
    """Whether numbers are below the real axis, or on its lower side."""
    return np.signbit(z.imag)


def above(compute):
    """A function with conjugate values at conjugate points, by one for the upper half plane."""

    @functools.wraps(compute)
    def whole(z):
        below = is_below(z)
        found = compute(np.where(below, z.conj(), z))
        return np.where(below, found.conj(), found)

    return whole


def turned(z):
    """i z, without products of zeros and infinities."""
    return complex_of(-z.imag, z.real)


def _two_sum(a, b):
    """A sum and what rounding takes from it, by Knuth."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_square(a):
    """A square and what rounding takes from it, by Dekker."""
    cut = a * 134217729.0
    high = cut - (cut - a)
    low = a - high
    square = a * a
    return square, low * low - ((square - high * high) - 2 * (high * low))


def log1p(z):
    """log(1 + z), precise near 0."""
    x, y = z.real, z.imag
    usual = np.log(1 + z)
    near = (np.abs(x) < 3) & (np.abs(y) < 2)
    a, b = np.where(near, x, 0.0), np.where(near, y, 0.0)
    # |1 + z|**2 - 1 cancels on the circle, so that rounding errors are added to it.
    first, rest = _two_square(a)
    second, other = _two_square(b)
    total, more = _two_sum(2 * a, first)
    total, last = _two_sum(total, second)
    size = total + ((rest + other) + (more + last))
    real = np.where(near & (size > -0.5), np.log1p(size) / 2, usual.real)
    return complex_of(real, np.arctan2(y, 1 + x))
