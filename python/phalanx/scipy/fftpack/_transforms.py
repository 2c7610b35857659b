"""Transforms with the signatures of ``scipy.fftpack``."""

import phalanx as np

from ..fft import _cosine
from ..fft import next_fast_len as _next_fast_len
from ..fft._arguments import axis_of, extent_of, extents_and_axes, floating
from ..fft._parameters import ERRORS, RESULT, described
from ..fft._plans import check_kind, check_plan
from . import _packed

_REAL = {**ERRORS, "TypeError": "The numbers are complex."}


def _complex_result(function):
    return described(RESULT["complex"], ERRORS)(function)


def _along(transform, x, n, axis, plan):
    check_kind(plan)
    x = floating(x)
    axis = axis_of(axis, x.ndim)
    n = extent_of(n, x.shape[axis])
    check_plan(plan, (n,), (axis,))
    return transform(x, n, axis)


def _over(transform, x, shape, axes, plan):
    check_kind(plan)
    x = floating(x)
    s, axes = extents_and_axes(x, shape, _whole(x, axes))
    check_plan(plan, s, axes)
    return transform(x, s, axes) if axes else x


def _whole(x, axes):
    """The axes of a transform. Without axes, FFTPACK's shape is that of all of them."""
    return range(x.ndim) if axes is None else axes


@_complex_result
def fft(x, n=None, axis=-1, overwrite_x=False, plan=None):
    """The discrete Fourier transform along an axis."""
    return _along(np.fft.fft, x, n, axis, plan)


@_complex_result
def ifft(x, n=None, axis=-1, overwrite_x=False, plan=None):
    """The inverse of `fft`."""
    return _along(np.fft.ifft, x, n, axis, plan)


@_complex_result
def fft2(x, shape=None, axes=(-2, -1), overwrite_x=False, plan=None):
    """The transform over two axes."""
    return _over(np.fft.fftn, x, shape, axes, plan)


@_complex_result
def ifft2(x, shape=None, axes=(-2, -1), overwrite_x=False, plan=None):
    """The inverse of `fft2`."""
    return _over(np.fft.ifftn, x, shape, axes, plan)


@_complex_result
def fftn(x, shape=None, axes=None, overwrite_x=False, plan=None):
    """The transform over several axes."""
    return _over(np.fft.fftn, x, shape, axes, plan)


@_complex_result
def ifftn(x, shape=None, axes=None, overwrite_x=False, plan=None):
    """The inverse of `fftn`."""
    return _over(np.fft.ifftn, x, shape, axes, plan)


@described(RESULT["real"], _REAL)
def rfft(x, n=None, axis=-1, overwrite_x=False, plan=None):
    """The transform of real numbers as real numbers: the mean, then pairs of the real and the
    imaginary part of each frequency."""
    return _along(_packed.packed, x, n, axis, plan)


@described(RESULT["real"], _REAL)
def irfft(x, n=None, axis=-1, overwrite_x=False, plan=None):
    """The inverse of `rfft`."""
    return _along(_packed.unpacked, x, n, axis, plan)


def _cosine_like(name, is_sine, is_inverse, is_many, summary):
    """A transform of `_cosine`. Without a norm, an inverse is the transform of the inverse type."""
    compute = _cosine.many_axes if is_many else _cosine.one_axis

    def computed(x, type, extents, axes, norm):
        if is_inverse:
            type = _cosine._INVERSE.get(type, type)
        if is_many:
            x = floating(x)
            axes = _whole(x, axes)
        return compute(x, type, extents, axes, norm, None, None, is_sine, False)

    if is_many:

        def function(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False):
            return computed(x, type, shape, axes, norm)

    else:

        def function(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
            return computed(x, type, n, axis, norm)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = summary
    return described(RESULT["same"], _cosine._ERRORS)(function)


_PLAIN = "Without a norm it is not scaled: the result is that of the inverse type."
dct = _cosine_like("dct", False, False, False, "The discrete cosine transform along an axis.")
idct = _cosine_like("idct", False, True, False, f"The inverse of `dct`. {_PLAIN}")
dst = _cosine_like("dst", True, False, False, "The discrete sine transform along an axis.")
idst = _cosine_like("idst", True, True, False, f"The inverse of `dst`. {_PLAIN}")
dctn = _cosine_like("dctn", False, False, True, "The discrete cosine transform over axes.")
idctn = _cosine_like("idctn", False, True, True, f"The inverse of `dctn`. {_PLAIN}")
dstn = _cosine_like("dstn", True, False, True, "The discrete sine transform over axes.")
idstn = _cosine_like("idstn", True, True, True, f"The inverse of `dstn`. {_PLAIN}")


@described(
    "int: The least product of 2, 3 and 5 that is not below `target`.",
    {"ValueError": "The number is negative.", "TypeError": "The number is no integer."},
    "Local: a process may call it alone; nothing is recorded.",
)
def next_fast_len(target):
    """An extent that is fast to transform and not below a number."""
    return _next_fast_len(target, True)


@described("ndarray: `n` frequencies, in the order of `rfft`, float64.",
           {"ValueError": "The number of samples is negative.",
            "TypeError": "The number of samples is no integer."})
def rfftfreq(n, d=1.0):
    """The frequencies of the elements of `rfft`, in cycles per unit of the samples' distance."""
    import operator

    from ..fft._arguments import refuse

    n = operator.index(n)
    if n < 0:
        raise refuse(f"n = {n} is not valid. n must be a nonnegative integer.")
    return (np.arange(1, n + 1) // 2) / float(n * d)
