"""Analytic signals and envelopes, by Fourier transforms."""

import operator

import phalanx as np

from ._arrays import axis_of, inexact, refuse
from ._described import described
from ._resampling import resized

_RESIDUALS = ("lowpass", "all", None)


def _real(x):
    x = inexact(x)
    if x.dtype.kind == "c":
        raise refuse("x must be real.", mistake="dtype")
    return x


def _halves(extent, keeps_middle=True):
    """The factors that keep positive frequencies, doubled, and no negative ones; the frequency of
    half the rate is both."""
    import numpy

    factors = numpy.zeros(extent)
    factors[0] = 1
    factors[1 : (extent + 1) // 2] = 2
    if extent % 2 == 0 and keeps_middle:
        factors[extent // 2] = 1
    return factors


@described(
    "ndarray: The analytic signal, complex; its real part is the signal.",
    {"ValueError": "The signal is complex, or `N` is not positive.",
     "AxisError": "There is no such axis."},
    x=("array_like", "The signal, real."),
    N=("int", "The extent of the transform; that of the signal for None."),
)
def hilbert(x, N=None, axis=-1):
    """The analytic signal: without negative frequencies, by the Hilbert transform."""
    x = _real(x)
    axis = axis_of(axis, x.ndim)
    N = x.shape[axis] if N is None else operator.index(N)
    if N <= 0:
        raise refuse("N must be positive.")
    shape = [1] * x.ndim
    shape[axis] = N
    spectrum = np.fft.fft(x, N, axis=axis)
    factors = np.asarray(_halves(N).astype(spectrum.real.dtype)).reshape(shape)
    return np.fft.ifft(spectrum * factors, axis=axis)


@described(
    "ndarray: The analytic signal, complex.",
    {"ValueError": "The signal is complex, or `N` or `axes` are not two numbers.",
     "AxisError": "There is no such axis."},
    x=("array_like", "The signal, real."),
    N=("int or (int, int)", "The extents of the transforms; those of the signal for "
       "None."),
    axes=("(int, int)", "The two axes."),
)
def hilbert2(x, N=None, axes=(-2, -1)):
    """The analytic signal of two axes: without negative frequencies along either."""
    x = np.atleast_2d(_real(x))
    if len(axes) != 2:
        raise refuse("axes must contain 2 distinct axes")
    axes = [axis_of(axis, x.ndim) for axis in axes]
    if axes[0] == axes[1]:
        raise refuse("axes must contain 2 distinct axes")
    if N is None:
        N = [x.shape[axis] for axis in axes]
    elif hasattr(N, "__index__"):
        if N <= 0:
            raise refuse("N must be positive.")
        N = [N, N]
    if len(N) != 2 or any(one <= 0 for one in N):
        raise refuse("When given as a tuple, N must hold exactly two positive integers")
    found = np.fft.fft2(x, N, axes=axes)
    for axis, extent in zip(axes, N):
        shape = [1] * x.ndim
        shape[axis] = extent
        factors = np.asarray(_halves(extent, False).astype(found.real.dtype)).reshape(shape)
        found = found * factors
    return np.fft.ifft2(found, axes=axes)


@described(
    "ndarray: The envelope; with a residual, both along a new first axis.",
    {"ValueError": "The band, the number of samples, the residual or the axis is not allowed."},
    z=("array_like", "The signal."),
)
def envelope(z, bp_in=(1, None), *, n_out=None, squared=False, residual="lowpass", axis=-1):
    """The magnitude of a signal within a band of frequencies, and what remains of the signal."""
    z = inexact(z)
    if not -z.ndim <= axis < z.ndim:
        raise refuse(f"Invalid parameter axis={axis} for z.shape={z.shape}!")
    n = z.shape[axis]
    if not n > 0:
        raise refuse(f"z.shape[axis] not > 0 for z.shape={z.shape}, axis={axis}!")
    if len(bp_in) != 2 or not all(b is None or hasattr(b, "__index__") for b in bp_in):
        raise refuse(f"bp_in={bp_in} isn't a 2-tuple of type (int | None, int | None)!")
    if n_out is not None and not (hasattr(n_out, "__index__") and n_out > 0):
        raise refuse(f"n_out={n_out} is not a positive integer or None!")
    if residual not in _RESIDUALS:
        text = f"residual={residual!r} not in ['lowpass', 'all', None]!"
        raise refuse(text, mistake="choice")
    start = -(n // 2) if bp_in[0] is None else bp_in[0]
    stop = (n + 1) // 2 if bp_in[1] is None else bp_in[1]
    if not -(n // 2) <= start < stop <= (n + 1) // 2:
        raise refuse(
            "`-n//2 <= bp_in[0] < bp_in[1] <= (n+1)//2` does not hold for "
            f"n=z.shape[axis]={n} and bp_in={tuple(bp_in)}!"
        )
    n_out = n if n_out is None else n_out
    scale = n_out / n
    z = np.moveaxis(z, axis, -1)
    is_complex = z.dtype.kind == "c"
    spectrum = np.fft.fft(z) if is_complex else np.fft.rfft(z)
    band = _band(spectrum, start, stop, n, is_complex)
    shifted = np.fft.ifft(band, n_out) * scale
    found = np.abs(shifted)
    found = found**2 if squared else found
    found = np.moveaxis(found, -1, axis)
    if residual is None:
        return found
    rest = _outside(spectrum, start, stop, n, residual, is_complex)
    inverse = np.fft.ifft if is_complex else np.fft.irfft
    rest = inverse(resized(rest, n, n_out, is_complex), n_out)
    rest = np.moveaxis(rest * scale, -1, axis)
    return np.stack([found.astype(rest.dtype), rest])


def _band(spectrum, start, stop, n, is_complex):
    """The bins of the band, as if it started at frequency 0: the envelope is the same."""
    import numpy

    if is_complex:
        places = numpy.arange(start, stop) % n
        return np.take(spectrum, np.asarray(places), axis=-1, mode="clip")
    # Of a real signal the positive frequencies count twice, the negative ones not at all.
    bins = numpy.arange(start, stop)
    factors = numpy.where(bins > 0, 2.0, numpy.where((bins == 0) | (2 * bins == -n), 1.0, 0.0))
    places = numpy.where(2 * bins == -n, n // 2, numpy.maximum(bins, 0))
    taken = np.take(spectrum, np.asarray(places), axis=-1, mode="clip")
    return taken * np.asarray(factors.astype(spectrum.real.dtype))


def _outside(spectrum, start, stop, n, residual, is_complex):
    import numpy

    bins = numpy.arange(spectrum.shape[-1])
    bins = numpy.where(bins < (n + 1) // 2, bins, bins - n)
    keeps = (bins < start) | (bins >= stop)
    if residual == "lowpass":
        keeps &= bins < stop
    return spectrum * np.asarray(keeps.astype(spectrum.real.dtype.char))
