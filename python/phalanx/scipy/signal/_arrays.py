"""Arguments of signal processing: arrays, axes, dtypes, and extensions of signals at their ends."""

import operator

import phalanx as np

from .._arguments import array, beside, host, refuse


def inexact(x):
    """An argument as an array of floating-point or complex numbers."""
    x = array(x)
    dtype = x.dtype
    if dtype.kind in "biu":
        return x.astype(np.float64)
    return x.astype(np.float32) if dtype.char == "e" else x


def real_of(dtype):
    """The real dtype of the same precision."""
    return np.dtype({"F": "f", "D": "d"}.get(np.dtype(dtype).char, np.dtype(dtype).char))


def complex_of(dtype):
    """The complex dtype of the same precision."""
    return np.result_type(dtype, np.complex64)


def axis_of(axis, ndim):
    """An axis counted from the first one."""
    place = operator.index(axis)
    place += ndim if place < 0 else 0
    if not 0 <= place < ndim:
        import numpy

        text = f"axis {axis} is out of bounds for array of dimension {ndim}"
        raise refuse(text, numpy.exceptions.AxisError)
    return place


def part(x, axis, start=None, stop=None, step=None):
    """A slice along an axis."""
    index = [slice(None)] * x.ndim
    index[axis] = slice(start, stop, step)
    return x[tuple(index)]


def padded(x, before, after, axis=-1, mode="constant", **options):
    """An array with more elements at the ends of an axis, by a mode of ``pad``."""
    if before == after == 0:
        return x
    widths = [(0, 0)] * x.ndim
    widths[axis] = (before, after)
    return np.pad(x, widths, mode=mode, **options)


def odd_ext(x, n, axis=-1):
    """A signal with `n` samples before and after it, turned by 180 degrees at its ends."""
    if n < 1:
        return x
    _check_extension(x, n, axis)
    first, last = part(x, axis, 0, 1), part(x, axis, -1)
    left = 2 * first - part(x, axis, n, 0, -1)
    right = 2 * last - part(x, axis, -2, -n - 2, -1)
    return np.concatenate([left, x, right], axis=axis)


def even_ext(x, n, axis=-1):
    """A signal with `n` samples before and after it, mirrored at its ends."""
    if n < 1:
        return x
    _check_extension(x, n, axis)
    left, right = part(x, axis, n, 0, -1), part(x, axis, -2, -n - 2, -1)
    return np.concatenate([left, x, right], axis=axis)


def const_ext(x, n, axis=-1):
    """A signal whose first and last sample are repeated `n` times."""
    return padded(x, n, n, axis, "edge") if n > 0 else x


def zero_ext(x, n, axis=-1):
    """A signal with `n` zeros before and after it."""
    return padded(x, n, n, axis)


def _check_extension(x, n, axis):
    if n > x.shape[axis] - 1:
        raise refuse(
            f"The extension length n ({n}) is too big. It must not exceed x.shape[axis]-1, which "
            f"is {x.shape[axis] - 1}."
        )


def frames(x, extent, step):
    """Frames of an extent along the last axis, at every `step`-th sample, as a new last axis."""
    import math

    count = (x.shape[-1] - extent) // step + 1
    lead = x.shape[:-1]
    if extent == step:
        return x[..., : count * step].reshape(*lead, count, extent)
    grain = math.gcd(extent, step)
    if extent // grain > _MOST_PIECES:
        import numpy

        places = numpy.arange(count)[:, None] * step + numpy.arange(extent)
        return np.take(x, np.asarray(places), axis=-1, mode="clip")
    # Frames are made of shorter blocks, which are shared with other frames.
    total = x.shape[-1] // grain
    blocks = x[..., : total * grain].reshape(*lead, total, grain)
    skip = step // grain
    pieces = [
        blocks[..., at : at + (count - 1) * skip + 1 : skip, :] for at in range(extent // grain)
    ]
    return np.concatenate(pieces, axis=-1)


# Frames of more pieces are gathered by their positions.
_MOST_PIECES = 32


def overlap_added(pieces, step):
    """The sum of frames along the last axis that start at multiples of `step`; the axis before the
    last one counts the frames."""
    *lead, count, extent = pieces.shape
    turns = -(-extent // step)
    pieces = padded(pieces, 0, turns * step - extent)
    total = None
    for turn in range(turns):
        one = padded(pieces[..., turn * step : (turn + 1) * step], turn, turns - 1 - turn, -2)
        total = one if total is None else total + one
    joined = total.reshape(*lead, (count + turns - 1) * step)
    return joined[..., : (count - 1) * step + extent]


def fast_length(n):
    """The least product of the primes 2, 3 and 5 that is at least `n`."""
    best = 1 << max(n - 1, 0).bit_length()
    five = 1
    while five < best:
        three = five
        while three < best:
            rest = -(-n // three)
            best = min(best, three << max(rest - 1, 0).bit_length())
            three *= 3
        five *= 5
    return max(best, 1)
