"""Real transforms as vectors of real numbers: FFTPACK's order of real and imaginary parts."""

import phalanx as np

from ..fft._arguments import axis_of, extent_of, floating, part, resized


def packed(x, n=None, axis=-1):
    """The real transform of an array as real numbers: the mean, then pairs of real and imaginary
    parts, and the real part of the highest frequency of an even extent."""
    x = floating(x, complex=False)
    axis = axis_of(axis, x.ndim)
    n = extent_of(n, x.shape[axis])
    found = np.fft.rfft(x, n, axis)
    pairs = np.stack([found.real, found.imag], axis + 1)
    shape = list(found.shape)
    shape[axis] *= 2
    pairs = pairs.reshape(shape)
    # The imaginary part of the mean is left out.
    return np.concatenate([part(pairs, axis, 0, 1), part(pairs, axis, 2, n + 1)], axis)


def unpacked(x, n=None, axis=-1):
    """The inverse of `packed`."""
    x = floating(x, complex=False)
    axis = axis_of(axis, x.ndim)
    n = extent_of(n, x.shape[axis])
    x = resized(x, n, axis)
    zero = np.zeros_like(part(x, axis, 0, 1))
    pieces = [part(x, axis, 0, 1), zero, part(x, axis, 1)] + ([zero] if n % 2 == 0 else [])
    pairs = np.concatenate(pieces, axis)
    shape = list(pairs.shape)
    shape[axis : axis + 1] = [shape[axis] // 2, 2]
    pairs = pairs.reshape(shape)
    real, imaginary = (np.take(pairs, which, axis=axis + 1) for which in (0, 1))
    return np.fft.irfft(real + 1j * imaginary, n, axis)
