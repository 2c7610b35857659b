"""Derivatives and other operators of periodic sequences: factors of their Fourier transforms."""

import math

import phalanx as np

from ..fft._arguments import refuse
from ..fft._parameters import RESULT, described

_ERRORS = {
    "ValueError": "The sequence is no vector, or has no elements.",
    "TypeError": "A parameter is no number.",
}


def _operator(function):
    own = {"a": ("float", "The first parameter of the operator.")}
    if function.__name__ == "shift":
        own = {"a": ("float", "The distance.")}
    return described(RESULT["double"], _ERRORS, x=("array_like", "One period of the sequence."),
                     **own)(function)


def _vector(x):
    x = x if isinstance(x, np.ndarray) else np.asarray(x)
    if x.ndim != 1:
        raise refuse(f"the sequence must have one axis, not {x.ndim}")
    if x.size == 0:
        raise refuse("the sequence has no elements")
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64, copy=False)


def applied(x, factors, highest=None):
    """A sequence whose transform is multiplied by factors of the frequencies from 0 on. `highest`
    is the factor of the highest frequency of an even number of elements; None is that of
    `factors`."""
    x = _vector(x)
    if x.dtype.kind == "c":
        return applied(x.real, factors, highest) + 1j * applied(x.imag, factors, highest)
    n = x.shape[0]
    order = np.arange(n // 2 + 1, dtype=np.float64)
    values = factors(order)
    if n % 2 == 0 and highest is not None:
        values = np.where(order == n // 2, highest, values)
    return np.fft.irfft(np.fft.rfft(x) * values, n)


def _rate(value, period):
    """A parameter in units in which the period is 2 pi."""
    return value if period is None else value * 2 * math.pi / period


def _nonzero(order, values, at_zero=0.0):
    """Factors of which that of the frequency 0 is given."""
    return np.where(order == 0, at_zero, values)


def _safe(order):
    return np.where(order == 0, 1.0, order)


def _grown(a, b, order):
    """``exp((|a| - |b|) k)``, the growth of quotients of hyperbolic functions."""
    return np.exp((abs(a) - abs(b)) * order)


def _cosh(a, order):
    """``2 cosh(a k) exp(-|a| k)``"""
    return 1 + np.exp(-2 * abs(a) * order)


def _sinh(a, order):
    """``2 sinh(a k) exp(-|a| k)``"""
    return -math.copysign(1.0, a) * np.expm1(-2 * abs(a) * order)


@_operator
def diff(x, order=1, period=None):
    """The derivative of a periodic sequence, or its integral of the mean 0."""
    import operator

    power = operator.index(order)
    if power == 0:
        _vector(x)
        return x if isinstance(x, np.ndarray) else np.asarray(x)
    scale = _rate(1.0, period)

    def factors(order):
        return _nonzero(order, (scale * _safe(order)) ** power) * 1j ** (power % 4)

    return applied(x, factors, 0.0)


@_operator
def hilbert(x):
    """The Hilbert transform of a periodic sequence."""
    return applied(x, lambda order: _nonzero(order, 1.0) * 1j, 0.0)


@_operator
def ihilbert(x):
    """The inverse of `hilbert`."""
    return -hilbert(x)


@_operator
def tilbert(x, h, period=None):
    """The Tilbert transform of a periodic sequence: the factors are ``i coth(k h)``."""
    h = _rate(h, period)
    return applied(x, lambda order: _nonzero(order, 1 / np.tanh(h * _safe(order))) * 1j, 0.0)


@_operator
def itilbert(x, h, period=None):
    """The inverse of `tilbert`: the factors are ``-i tanh(k h)``."""
    h = _rate(h, period)
    return applied(x, lambda order: np.tanh(h * order) * -1j, 0.0)


@_operator
def cs_diff(x, a, b, period=None):
    """The operator whose factors are ``-i cosh(k a) / sinh(k b)``."""
    a, b = _rate(a, period), _rate(b, period)

    def factors(order):
        k = _safe(order)
        return _nonzero(order, _grown(a, b, k) * _cosh(a, k) / _sinh(b, k)) * -1j

    return applied(x, factors, 0.0)


@_operator
def sc_diff(x, a, b, period=None):
    """The operator whose factors are ``i sinh(k a) / cosh(k b)``."""
    a, b = _rate(a, period), _rate(b, period)
    return applied(
        x, lambda order: _grown(a, b, order) * _sinh(a, order) / _cosh(b, order) * 1j, 0.0
    )


@_operator
def ss_diff(x, a, b, period=None):
    """The operator whose factors are ``sinh(k a) / sinh(k b)``."""
    a, b = _rate(a, period), _rate(b, period)

    def factors(order):
        k = _safe(order)
        return _nonzero(order, _grown(a, b, k) * _sinh(a, k) / _sinh(b, k), a / b)

    return applied(x, factors)


@_operator
def cc_diff(x, a, b, period=None):
    """The operator whose factors are ``cosh(k a) / cosh(k b)``."""
    a, b = _rate(a, period), _rate(b, period)
    return applied(x, lambda order: _grown(a, b, order) * _cosh(a, order) / _cosh(b, order))


@_operator
def shift(x, a, period=None):
    """The sequence at places that are a distance ahead."""
    a = _rate(a, period)
    x = _vector(x)
    half = a * (x.shape[0] // 2)
    # The highest frequency of an even number of elements has a real factor.
    highest = math.cos(half) + math.sin(half)
    return applied(x, lambda order: np.exp(1j * a * order), highest)
