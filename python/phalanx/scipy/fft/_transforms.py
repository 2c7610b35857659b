"""Fourier transforms with SciPy's signatures, computed by those of NumPy's names."""

import phalanx as np

from ._arguments import (
    SWAPPED,
    axis_of,
    extent_of,
    extents_and_axes,
    floating,
    norm_of,
    refuse,
    workers_of,
)
from ._backends import dispatched
from ._parameters import RESULT, described
from ._plans import check_kind, check_plan


def _complex_result(function):
    return dispatched(described(RESULT["complex"])(function))


def _real_result(function):
    return dispatched(described(RESULT["real"])(function))


def _along(transform, x, n, axis, norm, workers, plan, is_real=False, is_halved=False):
    """A transform along one axis. `is_halved` if the axis has the half of a real transform."""
    workers_of(workers)
    check_kind(plan)
    norm = norm_of(norm)
    x = floating(x, complex=False if is_real else None)
    place = axis_of(axis, x.ndim)
    extent = x.shape[place]
    n = extent_of(n, 2 * (extent - 1) if is_halved else extent)
    check_plan(plan, (n,), (place,))
    return transform(x, n, place, norm)


def _over(transform, x, s, axes, norm, workers, plan, is_real=False, is_halved=False):
    """A transform over several axes."""
    workers_of(workers)
    check_kind(plan)
    norm = norm_of(norm)
    x = floating(x, complex=False if is_real else None)
    s, axes = extents_and_axes(x, s, axes, is_halved)
    if not axes:
        if is_real or is_halved:
            raise refuse("at least 1 axis must be transformed")
        return x
    check_plan(plan, s, axes)
    return transform(x, s, axes, norm)


def _hermitian(x, s, axes, norm):
    return np.fft.irfftn(np.conj(x), s, axes, SWAPPED[norm])


def _inverse_hermitian(x, s, axes, norm):
    return np.conj(np.fft.rfftn(x, s, axes, SWAPPED[norm]))


@_complex_result
def fft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The discrete Fourier transform along an axis."""
    return _along(np.fft.fft, x, n, axis, norm, workers, plan)


@_complex_result
def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `fft`."""
    return _along(np.fft.ifft, x, n, axis, norm, workers, plan)


@_complex_result
def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The transform of real numbers: the half of it that determines the other."""
    return _along(np.fft.rfft, x, n, axis, norm, workers, plan, is_real=True)


@_real_result
def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `rfft`. By default the extent is even."""
    return _along(np.fft.irfft, x, n, axis, norm, workers, plan, is_halved=True)


@_real_result
def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The transform of a Hermitian sequence, which is real, from half of the sequence."""
    return _along(np.fft.hfft, x, n, axis, norm, workers, plan, is_halved=True)


@_complex_result
def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `hfft`."""
    return _along(np.fft.ihfft, x, n, axis, norm, workers, plan, is_real=True)


@_complex_result
def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The transform over two axes."""
    return _over(np.fft.fftn, x, s, axes, norm, workers, plan)


@_complex_result
def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `fft2`."""
    return _over(np.fft.ifftn, x, s, axes, norm, workers, plan)


@_complex_result
def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The transform of real numbers over two axes, halved along the last one."""
    return _over(np.fft.rfftn, x, s, axes, norm, workers, plan, is_real=True)


@_real_result
def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `rfft2`."""
    return _over(np.fft.irfftn, x, s, axes, norm, workers, plan, is_halved=True)


@_real_result
def hfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The transform over two axes of numbers that are Hermitian, from half of them."""
    return _over(_hermitian, x, s, axes, norm, workers, plan, is_halved=True)


@_complex_result
def ihfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `hfft2`."""
    return _over(_inverse_hermitian, x, s, axes, norm, workers, plan, is_real=True)


@_complex_result
def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The transform over several axes."""
    return _over(np.fft.fftn, x, s, axes, norm, workers, plan)


@_complex_result
def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `fftn`."""
    return _over(np.fft.ifftn, x, s, axes, norm, workers, plan)


@_complex_result
def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The transform of real numbers over several axes, halved along the last one."""
    return _over(np.fft.rfftn, x, s, axes, norm, workers, plan, is_real=True)


@_real_result
def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `rfftn`."""
    return _over(np.fft.irfftn, x, s, axes, norm, workers, plan, is_halved=True)


@_real_result
def hfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The transform over several axes of numbers that are Hermitian, from half of them."""
    return _over(_hermitian, x, s, axes, norm, workers, plan, is_halved=True)


@_complex_result
def ihfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
    """The inverse of `hfftn`."""
    return _over(_inverse_hermitian, x, s, axes, norm, workers, plan, is_real=True)
