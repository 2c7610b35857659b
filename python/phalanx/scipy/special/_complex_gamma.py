"""Gamma functions of complex numbers, and the dilogarithm."""

import math

import phalanx as np

from ._complex_parts import BERNOULLI, EULER, above, log1p, polynomial
from ._loops import complex_of

def _reduced_turn(z):
    """exp(2 pi i z) - 1 for numbers above the real axis, precise near integers."""
    near = z.real - np.rint(z.real)
    return np.expm1(complex_of(-2 * math.pi * z.imag, 2 * math.pi * near))


# Numbers of at least this size are far enough for the asymptotic series.
_FAR = 8.0
_STEPS = 8


def _zeta_values():
    """(zeta(k) - 1) for k = 2, 3 and so on: sums, whose rest is that of Euler and Maclaurin."""
    values = []
    for k in range(2, 26):
        n = 20
        rest = n ** (1 - k) / (k - 1) + 0.5 * n**-k + k / 12 * n ** (-k - 1)
        rest -= k * (k + 1) * (k + 2) / 720 * n ** (-k - 3)
        rest += k * (k + 1) * (k + 2) * (k + 3) * (k + 4) / 30240 * n ** (-k - 5)
        values.append(math.fsum([float(m) ** -k for m in range(2, n)]) + rest)
    return values


def _log_gamma_near_one(x):
    """The logarithm of gamma(1 + x) for small x, by DLMF 5.7.3 with zeta(k) as 1 + a rest."""
    rests = [(-1) ** k * one / k for k, one in enumerate(_zeta_values(), 2)]
    return x * (1 - EULER) - log1p(x) + x * x * polynomial(rests, x)


def _shifted(z):
    """Numbers right of 1/2 that are moved right until the asymptotic series is precise, and the
    condition where they are not."""
    is_far = (np.abs(z.imag) >= _FAR) | (z.real >= _FAR)
    return np.where(is_far, z, z + _STEPS), is_far


def _reflected(z):
    """Numbers with those left of 1/2 turned around 1/2, where the real axis is near."""
    is_left = (z.real < 0.5) & (np.abs(z.imag) < _FAR)
    return np.where(is_left, 1 - z, z), is_left


@above
def loggamma(z):
    """The logarithm of the gamma function whose cut is the negative real axis."""
    w, is_left = _reflected(z)
    far, is_far = _shifted(w)
    inverse = 1 / far
    series = [b / (2 * k * (2 * k - 1)) for k, b in enumerate(BERNOULLI[:11], 1)]
    value = (far - 0.5) * np.log(far) - far + 0.5 * math.log(2 * math.pi)
    value = value + inverse * polynomial(series, inverse * inverse)
    steps = np.zeros_like(z)
    # Two factors of a product have angles of less than pi in sum, so that its logarithm is theirs.
    for k in range(0, _STEPS, 2):
        steps = steps + np.log((w + k) * (w + (k + 1)))
    value = np.where(is_far, value, value - steps)
    for place in 1, 2:
        # Next to the zeros the others would cancel.
        x = w - place
        near = np.abs(x) < 0.2
        x = np.where(near, x, 0.0)
        taylor = _log_gamma_near_one(x) + (log1p(x) if place == 2 else 0.0)
        value = np.where(near, taylor, value)
    # log(sin(pi z)) above the real axis is -log(2) + i pi / 2 - i pi z + log(1 - exp(2 pi i z)).
    turn = np.log(-_reduced_turn(z))
    sine = complex_of(
        turn.real - math.log(2) + math.pi * z.imag, turn.imag + math.pi * (0.5 - z.real)
    )
    value = np.where(is_left, math.log(math.pi) - sine - value, value)
    value = np.where(_is_pole(z), complex(math.nan, math.nan), value)
    return _real_on_axis(value, z)


def _real_on_axis(value, z):
    """Values without an imaginary part where numbers are positive."""
    is_positive = (z.imag == 0) & (z.real > 0)
    return np.where(is_positive, complex_of(value.real, z.imag), value)


def _is_pole(z):
    return (z.imag == 0) & (z.real <= 0) & (z.real == np.floor(z.real))


def gamma(z):
    """The gamma function."""
    return np.where(_is_pole(z), complex(math.nan, math.nan), np.exp(loggamma(z)))


def rgamma(z):
    """The reciprocal of the gamma function."""
    return np.where(_is_pole(z), 0.0, np.exp(-loggamma(z)))


@above
def psi(z):
    """The digamma function."""
    w, is_left = _reflected(z)
    far, is_far = _shifted(w)
    inverse = 1 / far
    series = [-b / (2 * k) for k, b in enumerate(BERNOULLI[:11], 1)]
    square = inverse * inverse
    value = np.log(far) - inverse / 2 + square * polynomial(series, square)
    steps = np.zeros_like(z)
    for k in range(_STEPS):
        steps = steps + 1 / (w + k)
    value = np.where(is_far, value, value - steps)
    # pi cot(pi z), with exp(2 pi i z) - 1 in place of both parts of the quotient.
    turn = _reduced_turn(z)
    cotangent = (turn + 2) / turn * complex(0, math.pi)
    value = np.where(is_left, value - cotangent, value)
    value = np.where(_is_pole(z), complex(math.nan, math.nan), value)
    return _real_on_axis(value, z)


@above
def spence(z):
    """The integral of log(t) / (1 - t) from 1 to z, which is the dilogarithm of 1 - z."""
    w = complex_of(1 - z.real, -z.imag)
    # Out of the unit circle, and then to the left of 1/2; both leave a product of logarithms.
    is_outer = np.abs(w) > 1
    inner = np.where(is_outer, 1 / w, w)
    rest = np.where(is_outer, -z / w, z)
    is_right = inner.real > 0.5
    u = -np.where(is_right, np.log(inner), log1p(-np.where(is_right, 0.0, inner)))
    coefficients = [1.0] + [b / math.factorial(2 * k + 1) for k, b in enumerate(BERNOULLI, 1)]
    square = u * u
    value = u * polynomial(coefficients, square) - square / 4
    logarithms = np.log(inner) * np.log(rest)
    logarithms = np.where((inner == 0) | (rest == 0), 0.0, logarithms)
    value = np.where(is_right, math.pi**2 / 6 - logarithms - value, value)
    outer = np.log(-w)
    return np.where(is_outer, -(math.pi**2) / 6 - outer * outer / 2 - value, value)
