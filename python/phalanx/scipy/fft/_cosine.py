"""Cosine and sine transforms, each by one Fourier transform.

Source: J. Makhoul, "A fast cosine transform in one and two dimensions" (1980), for the types 2 and
3. Type 1 is the Fourier transform of an even or odd extension. Type 4 is one of half the extent,
after rotations, for an even extent; for an odd one, the sequence is padded with zeros.

The sine transforms are cosine transforms of the reversed sequence, or reversed ones, with
alternating signs.
"""

import math

import phalanx as np

from ._arguments import axis_of, extent_of, extents_and_axes, floating, norm_of, part, refuse
from ._arguments import resized, workers_of
from ._backends import dispatched
from ._parameters import ERRORS, RESULT, described

_ERRORS = {
    **{kind: text for kind, text in ERRORS.items() if kind != "NotImplementedError"},
    "RuntimeError": "The extent of a cosine transform of type 1 is 1.",
}
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _turns(count, first, step, scale, dtype, ndim, axis):
    """Factors ``scale * exp(-i pi (first + step k))`` along an axis, in the precision of a real
    dtype."""
    angles = np.arange(count, dtype=np.float64) * (math.pi * step) + math.pi * first
    turns = np.exp(-1j * angles) * scale
    shape = [1] * ndim
    shape[axis] = count
    return turns.astype(np.complex64 if dtype == np.float32 else np.complex128).reshape(shape)


def _interleaved(even, odd, axis):
    """Elements at even and odd places of an axis."""
    extent = even.shape[axis] + odd.shape[axis]
    odd = resized(odd, even.shape[axis], axis)
    shape = list(even.shape)
    shape[axis] *= 2
    return part(np.stack([even, odd], axis + 1).reshape(shape), axis, 0, extent)


def _first(x, axis, is_sine, scale):
    n = x.shape[axis]
    if is_sine:
        zero = np.zeros_like(part(x, axis, 0, 1))
        extended = np.concatenate([zero, x, zero, -np.flip(x, axis)], axis)
        return part(np.fft.rfft(extended, axis=axis), axis, 1, n + 1).imag * -scale
    if n < 2:
        raise refuse("zero-length FFT requested", RuntimeError)
    extended = np.concatenate([x, np.flip(part(x, axis, 1, n - 1), axis)], axis)
    return np.fft.rfft(extended, axis=axis).real * scale


def _second(x, axis, is_sine, scale):
    n = x.shape[axis]
    odd = np.flip(part(x, axis, 1, None, 2), axis)
    order = np.concatenate([part(x, axis, 0, None, 2), -odd if is_sine else odd], axis)
    turns = _turns(n // 2 + 1, 0, 0.5 / n, 2 * scale, x.dtype, x.ndim, axis)
    found = np.fft.rfft(order, axis=axis) * turns
    low, high = found.real, np.flip(part(-found.imag, axis, 1, (n + 1) // 2), axis)
    found = np.concatenate([low, high], axis)
    return np.flip(found, axis) if is_sine else found


def _third(x, axis, is_sine, scale):
    n = x.shape[axis]
    x = np.flip(x, axis) if is_sine else x
    low = part(x, axis, 0, n // 2 + 1)
    high = np.flip(part(x, axis, n - n // 2, n), axis)
    high = np.concatenate([np.zeros_like(part(x, axis, 0, 1)), high], axis)
    turns = np.conj(_turns(n // 2 + 1, 0, 0.5 / n, scale, x.dtype, x.ndim, axis))
    order = np.fft.irfft((low - 1j * high) * turns, n, axis, "forward")
    even, odd = part(order, axis, 0, (n + 1) // 2), np.flip(part(order, axis, (n + 1) // 2), axis)
    return _interleaved(even, -odd if is_sine else odd, axis)


def _fourth(x, axis, is_sine, scale):
    n = x.shape[axis]
    x = np.flip(x, axis) if is_sine else x
    if n % 2:
        before = _turns(n, 0, 0.5 / n, 1.0, x.dtype, x.ndim, axis)
        after = _turns(n, 0.25 / n, 0.5 / n, 2 * scale, x.dtype, x.ndim, axis)
        turned = np.fft.fft(resized(x * before, 2 * n, axis), axis=axis)
        found = (part(turned, axis, 0, n) * after).real
        even, odd = part(found, axis, 0, None, 2), part(found, axis, 1, None, 2)
        return _interleaved(even, -odd, axis) if is_sine else found
    both = part(x, axis, 0, None, 2) + 1j * np.flip(part(x, axis, 1, None, 2), axis)
    before = _turns(n // 2, 0.25 / n, 1 / n, 1.0, x.dtype, x.ndim, axis)
    after = _turns(n // 2, 0, 1 / n, 2 * scale, x.dtype, x.ndim, axis)
    found = np.fft.fft(both * before, axis=axis) * after
    odd = np.flip(found.imag, axis)
    return _interleaved(found.real, odd if is_sine else -odd, axis)


_BY_TYPE = {1: _first, 2: _second, 3: _third, 4: _fourth}


def _ends(x, axis, factor, is_first, is_last):
    """An array whose first or last elements along an axis are scaled."""
    n = x.shape[axis]
    pieces = []
    if is_first:
        pieces.append(part(x, axis, 0, 1) * factor)
    pieces.append(part(x, axis, int(is_first), n - is_last))
    if is_last:
        pieces.append(part(x, axis, n - 1, n) * factor)
    return np.concatenate(pieces, axis)


def _real(x, kind, axis, is_sine, scale, is_orthogonal):
    """A transform of real numbers."""
    root = math.sqrt(2)
    if not is_orthogonal or kind == 4 or (kind == 1 and is_sine):
        return _BY_TYPE[kind](x, axis, is_sine, scale)
    if kind in (1, 3):
        x = _ends(x, axis, root, kind == 1 or not is_sine, kind == 1 or is_sine)
    found = _BY_TYPE[kind](x, axis, is_sine, scale)
    if kind in (1, 2):
        found = _ends(found, axis, 1 / root, kind == 1 or not is_sine, kind == 1 or is_sine)
    return found


def _along(x, kind, n, axis, norm, is_sine, is_orthogonal):
    """A transform along one axis, in the direction of which the scale is that of the norm."""
    x = resized(x, n, axis)
    total = 2 * (n + (kind == 1) * (1 if is_sine else -1))
    if total == 0:
        raise refuse("zero-length FFT requested", RuntimeError)
    scale = {"backward": 1.0, "ortho": 1 / math.sqrt(total), "forward": 1 / total}[norm]
    if x.dtype.kind == "f":
        return _real(x, kind, axis, is_sine, scale, is_orthogonal)
    parts = (_real(one, kind, axis, is_sine, scale, is_orthogonal) for one in (x.real, x.imag))
    real, imaginary = parts
    return real + 1j * imaginary


def _checked(type, norm, is_inverse, orthogonalize):
    if type not in (1, 2, 3, 4):
        raise refuse("invalid transform type", mistake="choice")
    norm = norm_of(norm)
    is_orthogonal = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    if is_inverse:
        norm = {"backward": "forward", "ortho": "ortho", "forward": "backward"}[norm]
        type = _INVERSE[type]
    return type, norm, is_orthogonal


def one_axis(x, type, n, axis, norm, workers, orthogonalize, is_sine, is_inverse):
    """A transform along one axis."""
    type, norm, is_orthogonal = _checked(type, norm, is_inverse, orthogonalize)
    workers_of(workers)
    x = floating(x)
    axis = axis_of(axis, x.ndim)
    n = extent_of(n, x.shape[axis])
    return np.asarray(_along(x, type, n, axis, norm, is_sine, is_orthogonal), order="C")


def many_axes(x, type, s, axes, norm, workers, orthogonalize, is_sine, is_inverse):
    """A transform over several axes."""
    type, norm, is_orthogonal = _checked(type, norm, is_inverse, orthogonalize)
    workers_of(workers)
    x = floating(x)
    s, axes = extents_and_axes(x, s, axes)
    for n, axis in zip(s, axes):
        x = _along(x, type, n, axis, norm, is_sine, is_orthogonal)
    return np.asarray(x, order="C")


def _public(function):
    return dispatched(described(RESULT["same"], _ERRORS)(function))


@_public
def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The discrete cosine transform along an axis. Complex numbers are transformed by parts."""
    return one_axis(x, type, n, axis, norm, workers, orthogonalize, False, False)


@_public
def idct(
    x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None
):
    """The inverse of `dct` of the same type."""
    return one_axis(x, type, n, axis, norm, workers, orthogonalize, False, True)


@_public
def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The discrete sine transform along an axis. Complex numbers are transformed by parts."""
    return one_axis(x, type, n, axis, norm, workers, orthogonalize, True, False)


@_public
def idst(
    x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None
):
    """The inverse of `dst` of the same type."""
    return one_axis(x, type, n, axis, norm, workers, orthogonalize, True, True)


@_public
def dctn(
    x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None
):
    """The discrete cosine transform over several axes."""
    return many_axes(x, type, s, axes, norm, workers, orthogonalize, False, False)


@_public
def idctn(
    x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None
):
    """The inverse of `dctn` of the same type."""
    return many_axes(x, type, s, axes, norm, workers, orthogonalize, False, True)


@_public
def dstn(
    x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None
):
    """The discrete sine transform over several axes."""
    return many_axes(x, type, s, axes, norm, workers, orthogonalize, True, False)


@_public
def idstn(
    x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None
):
    """The inverse of `dstn` of the same type."""
    return many_axes(x, type, s, axes, norm, workers, orthogonalize, True, True)
