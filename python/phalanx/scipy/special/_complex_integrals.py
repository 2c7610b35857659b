"""Integrals of complex numbers: error functions, Fresnel integrals, and exponential and
trigonometric integrals."""

import functools
import math

import phalanx as np

from ._complex_parts import EULER, above, log1p, polynomial, turned
from ._loops import complex_of, native, wofz

_ROOT_PI = math.sqrt(math.pi)
# Terms of the continued fraction of the exponential integral.
_FRACTIONS = 48


def _real_where_real(compute):
    """A function that on the real axis is that of real numbers, which also has its limits."""

    @functools.wraps(compute)
    def whole(z):
        real = complex_of(native(compute.__name__, z.real), z.imag)
        return np.where(z.imag == 0, real, compute(z))

    return whole


def _exp_of_minus_square(z):
    x, y = z.real, z.imag
    return np.exp(complex_of((y - x) * (y + x), -2 * x * y))


def _erf_near_zero(z):
    coefficients = [(-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in range(19)]
    return z * polynomial(coefficients, z * z) * (2 / _ROOT_PI)


@_real_where_real
def erfcx(z):
    """exp(z**2) erfc(z)."""
    return wofz(turned(z))


@_real_where_real
def erfc(z):
    """The complement of the error function."""
    is_left = z.real < 0
    right = np.where(is_left, -z, z)
    value = _exp_of_minus_square(z) * erfcx(right)
    value = np.where(is_left, 2 - value, value)
    near = np.abs(z) < 0.5
    return np.where(near, 1 - _erf_near_zero(np.where(near, z, 0.0)), value)


@_real_where_real
def erf(z):
    """The error function."""
    near = np.abs(z) < 1
    is_left = z.real < 0
    right = np.where(is_left, -z, z)
    value = 1 - _exp_of_minus_square(z) * erfcx(right)
    value = np.where(is_left, -value, value)
    return np.where(near, _erf_near_zero(np.where(near, z, 0.0)), value)


@_real_where_real
def erfi(z):
    """The error function of i z, divided by i."""
    value = erf(turned(z))
    return complex_of(value.imag, -value.real)


@_real_where_real
def dawsn(z):
    """Dawson's integral."""
    near = np.abs(z) < 1
    small = np.where(near, z, 0.0)
    coefficients = [1.0]
    for n in range(1, 22):
        coefficients.append(coefficients[-1] * -2 / (2 * n + 1))
    taylor = small * polynomial(coefficients, small * small)
    # Odd; above the axis the Faddeeva function is not large.
    below = z.imag < 0
    upper = np.where(below, -z, z)
    value = turned(_exp_of_minus_square(upper) - wofz(upper)) * (_ROOT_PI / 2)
    return np.where(near, taylor, np.where(below, -value, value))


@_real_where_real
def ndtr(z):
    """The normal distribution function."""
    return erfc(z * -math.sqrt(0.5)) / 2


@_real_where_real
def log_ndtr(z):
    """The logarithm of the normal distribution function."""
    is_left = z.real < -1
    left = np.log(erfcx(z * -math.sqrt(0.5)) / 2) - z * z / 2
    right = log1p(-erfc(z * math.sqrt(0.5)) / 2)
    value = np.where(is_left, left, right)
    # On the principal branch.
    turns = np.ceil((value.imag - math.pi) / (2 * math.pi))
    return complex_of(value.real, value.imag - 2 * math.pi * turns)


def fresnel(z):
    """The Fresnel integrals of the sine and of the cosine."""
    near = np.abs(z) < 1
    small = np.where(near, z, 0.0)
    half = math.pi / 2
    square = small * small
    fourth = square * square * (half * half)
    sines, cosines = [], []
    for n in range(12):
        cosines.append((-1) ** n / (math.factorial(2 * n) * (4 * n + 1)))
        sines.append((-1) ** n / (math.factorial(2 * n + 1) * (4 * n + 3)))
    near_c = small * polynomial(cosines, fourth)
    near_s = small * square * half * polynomial(sines, fourth)
    # C + i S and C - i S are error functions on the diagonals.
    root = _ROOT_PI / 2
    plus = erf(complex_of(root * (z.real + z.imag), root * (z.imag - z.real)))
    minus = erf(complex_of(root * (z.real - z.imag), root * (z.imag + z.real)))
    plus, minus = plus * complex(0.5, 0.5), minus * complex(0.5, -0.5)
    c, difference = (plus + minus) / 2, (plus - minus) / 2
    s = complex_of(difference.imag, -difference.real)
    return np.where(near, near_s, s), np.where(near, near_c, c)


# The power series is summed up to this size of numbers, next to the negative axis.
_LARGEST = 40.0


@above
def exp1(z):
    """The exponential integral E1."""
    size = np.abs(z)
    # Outside of this parabola the continued fraction converges in few steps, and inside of it the
    # power series does not cancel much.
    is_inside = size + z.real < 4
    by_series = is_inside & (size < _LARGEST)
    near = np.where(by_series, z, 1.0)
    # DLMF 6.6.2; nested, so that no factorial overflows.
    total = np.zeros_like(z)
    for k in range(110, 0, -1):
        total = (total + 1 / k) * (near * (-1 / k))
    series = -EULER - np.log(near) - total
    far = np.where(by_series, 8.0, z)
    # DLMF 6.12.1.
    terms = [1.0]
    for k in range(1, 36):
        terms.append(terms[-1] * -k)
    inverse = 1 / far
    asymptotic = np.exp(-far) * inverse * polynomial(terms, inverse)
    asymptotic = np.where(z.imag == 0, complex_of(asymptotic.real, 0 * size - math.pi), asymptotic)
    # The even part of DLMF 6.9.1.
    fraction = far + (2 * _FRACTIONS + 1)
    for k in range(_FRACTIONS, 0, -1):
        fraction = far + (2 * k - 1) - k * k / fraction
    value = np.where(is_inside, asymptotic, np.exp(-far) / fraction)
    value = np.where(z.real == math.inf, 0.0, value)
    value = np.where(by_series, series, value)
    return np.where(z == 0, complex(math.inf, 0.0), value)


def expi(z):
    """The exponential integral Ei."""
    # The negative real axis, where the function is continuous, is on neither side.
    is_between = (z.imag == 0) & (z.real <= 0)
    turn = np.where(is_between, 0.0, np.copysign(math.pi, z.imag))
    value = -exp1(-z)
    return complex_of(value.real, value.imag + turn)


def _sine_and_cosine_right(z):
    """The sine integral and the cosine integral of numbers that are not left of the imaginary
    axis, and the cosine integral without EULER and the logarithm where `is_near`."""
    near = np.abs(z) < 4
    small = np.where(near, z, 0.0)
    square = small * small
    sines = [(-1) ** k / ((2 * k + 1) * math.factorial(2 * k + 1)) for k in range(20)]
    cosines = [(-1) ** k / (2 * k * math.factorial(2 * k)) for k in range(1, 21)]
    near_s = small * polynomial(sines, square)
    near_c = square * polynomial(cosines, square)
    far = np.where(near, 5.0, z)
    # E1(i z) and E1(-i z); on the imaginary axis they are those to the right of it.
    right = np.abs(far.real)
    plus, minus = exp1(complex_of(-far.imag, right)), exp1(complex_of(far.imag, -right))
    difference = (plus - minus) / 2
    s = complex_of(difference.imag + math.pi / 2, -difference.real)
    return near, np.where(near, near_s, s), near_c, (plus + minus) / -2


def _on_upper_side(z):
    """Numbers whose imaginary parts are not -0.0."""
    return complex_of(z.real, z.imag + 0.0)


def sici(z):
    """The sine integral and the cosine integral."""
    z = _on_upper_side(z)
    is_left = z.real < 0
    right = np.where(is_left, -z, z)
    near, s, near_c, c = _sine_and_cosine_right(right)
    half_turn = np.where(is_left, np.copysign(math.pi, z.imag), 0.0)
    c = np.where(near, near_c + EULER + np.log(z), complex_of(c.real, c.imag + half_turn))
    s = np.where(is_left, -s, s)
    is_real = z.imag == 0
    real_c = complex_of(native("sici_ci", np.abs(z.real)), half_turn)
    return (
        np.where(is_real, complex_of(native("sici_si", z.real), z.imag), s),
        np.where(is_real, real_c, c),
    )


def shichi(z):
    """The hyperbolic sine integral and the hyperbolic cosine integral."""
    z = _on_upper_side(z)
    below = z.imag < 0
    # i z below the real axis and -i z above it are not left of the imaginary axis.
    right = np.where(below, turned(z), -turned(z))
    near, s, near_c, c = _sine_and_cosine_right(complex_of(np.abs(right.real), right.imag))
    s = np.where(below, s, -s)
    quarter_turn = np.where(below, -math.pi / 2, math.pi / 2)
    c = np.where(near, near_c + EULER + np.log(z), complex_of(c.real, c.imag + quarter_turn))
    return complex_of(s.imag, -s.real), np.where(z == 0, complex(-math.inf, 0.0), c)
