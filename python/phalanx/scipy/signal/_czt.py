"""Chirp transforms: samples of the z transform along a spiral, by convolutions."""

import cmath
import math
import numbers
import operator

import phalanx as np

from ._arrays import array, axis_of, fast_length, host, refuse
from ._described import described

_POINTS = "ndarray: The points of the z plane, a vector of `m` elements."
_WRONG = {"ValueError": "A number of points is not a positive integer, or the frequencies are not "
          "one or two numbers."}


def _check(value, what, name):
    try:
        whole = operator.index(value)
    except TypeError:
        whole = 0
    if whole < 1:
        raise refuse(
            f"Invalid number of CZT {what} points ({value}) specified. {name} must be positive and "
            "integer type."
        )
    return whole


def _counts(m):
    return np.arange(m).astype(np.float64)


def _turned(angle):
    """Numbers on the unit circle at angles."""
    return np.exp(1j * angle)


def _powers(base, exponents):
    """A complex number to the power of exponents."""
    base = complex(base)
    if base == 0:
        return np.where(exponents == 0, 1.0, 0.0 * exponents) + 0j
    return np.exp(cmath.log(base) * exponents)


_RATIO = ("complex", "The ratio of the points; by default they fill the unit circle.")
_START = ("complex", "The first point.")


@described(_POINTS, _WRONG, m=("int", "The number of points."), w=_RATIO, a=_START)
def czt_points(m, w=None, a=1 + 0j):
    """The points at which `czt` evaluates the z transform."""
    m = _check(m, "output", "m")
    k = _counts(m)
    a = 1.0 * a
    if w is None:
        return a * _turned(k * (2 * math.pi / m))
    if isinstance(w, numbers.Real) and isinstance(a, numbers.Real):
        return a * np.asarray(float(w)) ** -k
    return a * _powers(w, -k)


class CZT:
    """A transform that evaluates the z transform at points of a spiral; it is called with signals.

    Parameters
    ----------
    n : int
        The number of samples.
    m : int, optional
        The number of points; `n` for None.
    w : complex, optional
        The ratio of the points; by default they fill the unit circle.
    a : complex, default: 1
        The first point.

    Notes
    -----
    Local. The transform can be called with arrays of the mesh on which it was made.
    """

    def __init__(self, n, m=None, w=None, a=1 + 0j):
        self.n = _check(n, "data", "n")
        self.m = self.n if m is None else _check(m, "output", "m")
        self._ratio = w
        self.w, self.a = cmath.exp(-2j * math.pi / self.m) if w is None else w, a
        k = _counts(max(self.n, self.m))
        if w is None:
            # The squares are reduced to one turn as integers, where they are exact.
            count = 2 * self.m
            whole = np.arange(max(self.n, self.m)) ** 2 % count
            chirp = _turned(whole * (-2 * math.pi / count))
        else:
            chirp = _powers(w, k * k / 2)
        self._prepare(chirp, _powers(a, -k[: self.n]))

    def _prepare(self, chirp, factors):
        n, m = self.n, self.m
        self._length = fast_length(n + m - 1)
        self._before = factors * chirp[:n]
        self._after = chirp[:m]
        inverse = 1 / np.concatenate([chirp[n - 1 : 0 : -1], chirp[:m]])
        self._kernel = np.fft.fft(inverse, self._length)

    @described(
        "ndarray: The transforms, complex, with `m` elements along the axis.",
        {"ValueError": "The extent of the axis is not `n`.",
         "AxisError": "There is no such axis."},
    )
    def __call__(self, x, *, axis=-1):
        """The transforms of signals along an axis."""
        x = array(x)
        axis = axis_of(axis, x.ndim)
        if x.shape[axis] != self.n:
            raise refuse(f"CZT defined for length {self.n}, not {x.shape[axis]}")
        x = np.moveaxis(x, axis, -1)
        spectrum = np.fft.fft(x * self._before, self._length)
        y = np.fft.ifft(spectrum * self._kernel)[..., self.n - 1 : self.n + self.m - 1]
        return np.moveaxis(y * self._after, -1, axis)

    @described(_POINTS, {})
    def points(self):
        """The points at which the z transform is evaluated."""
        return czt_points(self.m, self._ratio, self.a)


class ZoomFFT(CZT):
    """A transform that evaluates the Fourier transform at frequencies of a range; it is called with
    signals.

    Parameters
    ----------
    n : int
        The number of samples.
    fn : float or (float, float)
        The last frequency, or the first and the last one.
    m : int, optional
        The number of frequencies; `n` for None.
    fs : float, default: 2
        The sampling rate.
    endpoint : bool, default: False
        Whether the last frequency is included.

    Notes
    -----
    Local. The transform can be called with arrays of the mesh on which it was made.
    """

    def __init__(self, n, fn, m=None, *, fs=2, endpoint=False):
        self.n = _check(n, "data", "n")
        self.m = self.n if m is None else _check(m, "output", "m")
        given = host(fn).ravel().tolist() if np.size(fn) <= 2 else []
        if len(given) not in (1, 2):
            raise refuse("fn must be a scalar or 2-length sequence")
        first, last = given if len(given) == 2 else (0.0, given[0])
        self.f1, self.f2, self.fs = first, last, fs
        span = (last - first) / fs
        if endpoint:
            span *= self.m / (self.m - 1)
        self.w = self._ratio = cmath.exp(-2j * math.pi * span / self.m)
        self.a = cmath.exp(2j * math.pi * first / fs)
        k = _counts(max(self.n, self.m))
        chirp = _turned(k * k * (-math.pi * span / self.m))
        self._prepare(chirp, _turned(k[: self.n] * (-2 * math.pi * first / fs)))


def _check_axes(x):
    if x.ndim == 0:
        raise refuse("tuple index out of range: a number has no axis", IndexError)


@described(
    "ndarray: The transforms, complex, with `m` elements along the axis.",
    {**_WRONG, "AxisError": "There is no such axis."},
    w=_RATIO,
    a=_START,
)
def czt(x, m=None, w=None, a=1 + 0j, *, axis=-1):
    """The z transform of signals at points of a spiral."""
    x = array(x)
    _check_axes(x)
    return CZT(x.shape[axis_of(axis, x.ndim)], m=m, w=w, a=a)(x, axis=axis)


@described(
    "ndarray: The transforms, complex, with `m` elements along the axis.",
    {**_WRONG, "AxisError": "There is no such axis."},
)
def zoom_fft(x, fn, m=None, *, fs=2, endpoint=False, axis=-1):
    """The Fourier transform of signals at frequencies of a range."""
    x = array(x)
    _check_axes(x)
    extent = x.shape[axis_of(axis, x.ndim)]
    return ZoomFFT(extent, fn, m=m, fs=fs, endpoint=endpoint)(x, axis=axis)
