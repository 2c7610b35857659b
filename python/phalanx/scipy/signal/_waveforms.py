"""Waveforms: elementwise functions of times."""

import math
import operator

import phalanx as np

from .._arguments import in_c_order
from ._arrays import array, host, refuse
from ._described import SMALL, described

_METHODS = {
    "linear": "linear lin li",
    "quadratic": "quadratic quad q",
    "logarithmic": "logarithmic log lo",
    "hyperbolic": "hyperbolic hyp",
}
_OF_WORDS = {word: own for own, words in _METHODS.items() for word in words.split()}


def _times(t):
    """Times in double precision."""
    t = array(t)
    return t.astype(np.complex128 if t.dtype.kind == "c" else np.float64)


@described(
    "ndarray: The wave, of the shape of `t`; complex if `complex`.",
    {"ValueError": "The method is unknown, or does not allow the frequencies."},
    t=("array_like", "The times."),
    method=("{'linear', 'quadratic', 'logarithmic', 'hyperbolic'}", "How the frequency changes."),
    phi=("float", "The phase at time 0, in degrees."),
)
def chirp(t, f0, t1, f1, method="linear", phi=0, vertex_zero=True, *, complex=False):
    """A wave whose frequency changes from `f0` at time 0 to `f1` at time `t1`."""
    # As in SciPy, the phase is computed in the precision of the times, and then widened.
    phase = _phase(array(t), f0, t1, f1, method, vertex_zero)
    phase = phase.astype(np.result_type(phase.dtype, np.float64)) + phi * (math.pi / 180)
    return np.exp(1j * phase) if complex else np.cos(phase)


def _phase(t, f0, t1, f1, method, vertex_zero):
    own = _OF_WORDS.get(method)
    if own is None:
        raise refuse(
            "method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic', but a value of "
            f"{method!r} was given.",
            mistake="choice",
        )
    turn = 2 * math.pi
    if own == "linear":
        return turn * (f0 * t + (0.5 * (f1 - f0) / t1) * t * t)
    if own == "quadratic":
        beta = (f1 - f0) / t1**2
        if vertex_zero:
            return turn * (f0 * t + beta / 3 * t**3)
        return turn * (f1 * t + beta / 3 * ((t1 - t) ** 3 - t1**3))
    if own == "logarithmic":
        if f0 * f1 <= 0:
            raise refuse(
                "For a logarithmic chirp, f0 and f1 must be nonzero and have the same sign."
            )
        if f0 == f1:
            return turn * f0 * t
        beta = t1 / math.log(f1 / f0)
        return turn * beta * f0 * ((f1 / f0) ** (t / t1) - 1)
    if f0 == 0 or f1 == 0:
        raise refuse("For a hyperbolic chirp, f0 and f1 must be nonzero.")
    if f0 == f1:
        return turn * f0 * t
    pole = -f1 * t1 / (f0 - f1)
    return turn * (-pole * f0) * np.log(np.abs(1 - t / pole))


@described(
    "ndarray or tuple of ndarray: The pulse in phase, and with `retquad` and `retenv` the one in "
    "quadrature and the envelope; for 'cutoff' a float, the time.",
    {"ValueError": "A parameter is out of range."},
    t=("array_like or 'cutoff'", "The times; 'cutoff' for the time at which the envelope has "
       "fallen to `tpr`."),
)
def gausspulse(t, fc=1000, bw=0.5, bwr=-6, tpr=-60, retquad=False, retenv=False):
    """A sinusoid of frequency `fc` within a Gaussian envelope."""
    if fc < 0:
        raise refuse(f"Center frequency (fc={fc:.2f}) must be >=0.")
    if bw <= 0:
        raise refuse(f"Fractional bandwidth (bw={bw:.2f}) must be > 0.")
    if bwr >= 0:
        raise refuse(f"Reference level for bandwidth (bwr={bwr:.2f}) must be < 0 dB")
    a = -((math.pi * fc * bw) ** 2) / (4 * math.log(10 ** (bwr / 20)))
    if isinstance(t, str):
        if t != "cutoff":
            raise refuse("If `t` is a string, it must be 'cutoff'", mistake="choice")
        if tpr >= 0:
            raise refuse("Reference level for time cutoff must be < 0 dB")
        return math.sqrt(-math.log(10 ** (tpr / 20)) / a)
    t = _times(t)
    bell = np.exp(-a * t * t)
    angle = (2 * math.pi * fc) * t
    found = [bell * np.cos(angle)]
    if retquad:
        found.append(bell * np.sin(angle))
    if retenv:
        found.append(bell)
    return found[0] if len(found) == 1 else tuple(found)


@described(
    "ndarray: The wave, from -1 to 1; NaN where `width` is not from 0 to 1.",
    {"TypeError": "The times are complex."},
    width=("array_like", "The part of a period of ``2 * pi`` in which the wave rises."),
)
@in_c_order
def sawtooth(t, width=1):
    """A sawtooth or triangle wave of the period ``2 * pi``."""
    t = _times(t)
    w = array(width)
    turn = 2 * math.pi
    within = np.mod(t, turn)
    rise = within / np.where(w == 0, 1.0, math.pi * w) - 1
    fall = (math.pi * (w + 1) - within) / np.where(w == 1, 1.0, math.pi * (1 - w))
    wave = np.where(within < w * turn, rise, fall)
    return np.where((w > 1) | (w < 0), np.nan, wave)


@described(
    "ndarray: The wave, -1 or 1; NaN where `duty` is not from 0 to 1.",
    {"TypeError": "The times are complex."},
    duty=("array_like", "The part of a period of ``2 * pi`` in which the wave is 1."),
)
@in_c_order
def square(t, duty=0.5):
    """A square wave of the period ``2 * pi``."""
    t = _times(t)
    w = array(duty)
    within = np.mod(t, 2 * math.pi)
    wave = np.where(within < w * (2 * math.pi), 1.0, -1.0)
    return np.where((w > 1) | (w < 0), np.nan, wave)


@described(
    "ndarray: The wave, of the shape of `t`.",
    {"TypeError": "The polynomial is no vector of numbers."},
    SMALL,
    poly=("array_like or poly1d", "The coefficients of the frequency in the time, the highest "
          "power first."),
    phi=("float", "The phase at time 0, in degrees."),
)
def sweep_poly(t, poly, phi=0):
    """A wave whose frequency is a polynomial of the time."""
    t = _times(t)
    if hasattr(poly, "coeffs"):
        poly = poly.coeffs
    taps = host(poly).ravel().tolist()
    phase = np.zeros_like(t)
    # The integral of the polynomial, by Horner's scheme.
    for at, tap in enumerate(taps):
        phase = (phase + tap / (len(taps) - at)) * t
    return np.cos(2 * math.pi * phase + phi * (math.pi / 180))


@described(
    "ndarray: Zeros with a one.",
    {"IndexError": "There is no such position."},
    idx=("int, tuple of int or 'mid'", "The position of the one; the first element for "
         "None, the middle of every axis for 'mid'."),
)
def unit_impulse(shape, idx=None, dtype=float):
    """A unit impulse: zeros, and a one at a position."""
    made = np.zeros(shape, dtype)
    ndim = made.ndim
    if idx is None:
        place = (0,) * ndim
    elif isinstance(idx, str) and idx == "mid":
        place = tuple(extent // 2 for extent in made.shape)
    elif np.iterable(idx) and not isinstance(idx, str):
        place = idx
    elif isinstance(idx, str):
        raise refuse("idx is None, 'mid', or integers", IndexError, "choice")
    else:
        place = (operator.index(idx),) * ndim
    made[place] = 1
    return made
