"""Smoothing: polynomials, local statistics and ranks."""

import math

import phalanx as np

from .._arguments import in_c_order
from ._arrays import array, axis_of, host, padded, part, refuse
from ._described import described

_MODES = {"mirror": "reflect", "constant": "constant", "nearest": "edge", "wrap": "wrap"}


def _fitted(window_length, polyorder, deriv, delta, pos, use):
    """On the host, the coefficients of a polynomial that is fitted to the window's samples."""
    import numpy

    window_length = int(window_length)
    if polyorder < 0:
        raise refuse("polyorder must not be negative.")
    if polyorder >= window_length:
        raise refuse("polyorder must be less than window_length.")
    half, rest = divmod(window_length, 2)
    if pos is None:
        pos = half if rest else half - 0.5
    if not 0 <= pos < window_length:
        raise refuse("pos must be nonnegative and less than window_length.")
    if use not in ("conv", "dot"):
        raise refuse("`use` must be 'conv' or 'dot'", mistake="choice")
    if deriv > polyorder:
        return numpy.zeros(window_length)
    x = numpy.arange(-pos, window_length - pos, dtype=float)
    if use == "conv":
        x = x[::-1]
    powers = x ** numpy.arange(polyorder + 1).reshape(-1, 1)
    wanted = numpy.zeros(polyorder + 1)
    wanted[deriv] = math.factorial(deriv) / delta**deriv
    return numpy.linalg.lstsq(powers, wanted, rcond=None)[0]


_SAVGOL = {"ValueError": "The window is too short or too long, or a word is unknown."}


@described("ndarray: The coefficients, a vector of `window_length` elements.", _SAVGOL)
def savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, pos=None, use="conv", *, xp=None,
                  device=None):
    """The coefficients of the filter of Savitzky and Golay, a moving fit of a polynomial."""
    return np.asarray(_fitted(window_length, polyorder, deriv, delta, pos, use))


@described(
    "ndarray: The smoothed signal, or its derivative; float64, float32 for float32.",
    {**_SAVGOL, "AxisError": "There is no such axis."},
    mode=("{'interp', 'mirror', 'constant', 'nearest', 'wrap'}",
          "What is beyond the ends; 'interp' fits a polynomial to the samples at each end."),
)
@in_c_order
def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp",
                  cval=0.0):
    """A signal smoothed by the filter of Savitzky and Golay along an axis."""
    if mode not in (*_MODES, "interp"):
        raise refuse(
            "mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.", mistake="choice"
        )
    x = array(x)
    if x.dtype.char not in "fd":
        x = x.astype(np.float64)
    axis = axis_of(axis, x.ndim)
    taps = _fitted(window_length, polyorder, deriv, delta, None, "conv")
    n, length = x.shape[axis], taps.size
    if mode == "interp" and length > n:
        raise refuse(
            "If mode is 'interp', window_length must be less than or equal to the size of x."
        )
    if n == 0:
        return x
    x = np.moveaxis(x, axis, -1)
    options = {"constant_values": cval} if mode == "constant" else {}
    before, after = length - 1 - (length - 1) // 2, (length - 1) // 2
    if mode != "interp":
        wide = padded(x, after, before, -1, _MODES[mode], **options)
        y = weighted(wide, taps[::-1])
    else:
        y = padded(weighted(x, taps[::-1]), after, before)
    if mode == "interp":
        y = _with_fitted_ends(y, x, length, polyorder, deriv, delta)
    return np.moveaxis(y, -1, axis)


def weighted(x, weights):
    """The sum of shifted samples along the last axis, by NumPy's weights: shorter by their number
    less one."""
    extent = x.shape[-1] - weights.size + 1
    total = None
    for at, weight in enumerate(weights.tolist()):
        term = x[..., at : at + extent] * weight
        total = term if total is None else total + term
    return total


def _with_fitted_ends(y, x, length, polyorder, deriv, delta):
    """The signal with the first and the last half of a window from a fit to the window."""
    import numpy

    half, n = length // 2, x.shape[-1]
    powers = numpy.arange(length, dtype=float)[:, None] ** numpy.arange(polyorder + 1)
    # The fit of one window, its derivative at the positions of the window.
    solve = numpy.linalg.pinv(powers)
    order = numpy.arange(polyorder + 1 - deriv) if deriv <= polyorder else numpy.arange(0)
    factors = [math.factorial(k + deriv) / math.factorial(k) / delta**deriv for k in order]
    values = numpy.arange(length, dtype=float)[:, None] ** order
    at_positions = (values * factors) @ solve[deriv:] if len(order) else numpy.zeros((length,) * 2)
    fit = np.asarray(at_positions.T.astype(x.dtype).copy())
    first = (x[..., :length] @ fit)[..., :half]
    last = (x[..., n - length :] @ fit)[..., length - half :]
    return np.concatenate([first, y[..., half : n - half], last], axis=-1)


@described(
    "ndarray: The filtered array, float64 or complex.",
    {"ValueError": "`mysize` has another number of axes."},
    mysize=("int or sequence of int", "The extents of the window; 3 by default."),
    noise=("float or ndarray", "The power of the noise; by default the mean of the local "
           "variances."),
)
@in_c_order
def wiener(im, mysize=None, noise=None):
    """An array through Wiener's filter, which smooths where the local variance is that of noise."""
    im = array(im)
    sizes = [3] * im.ndim if mysize is None else host(mysize).ravel().tolist()
    if mysize is not None and host(mysize).ndim == 0:
        sizes = sizes * im.ndim
    if len(sizes) != im.ndim:
        text = "in1 and in2 should have the same dimensionality"
        raise refuse(text, mistake="together")
    im = im.astype(np.complex128 if im.dtype.kind == "c" else np.float64)
    if im.size == 0:
        return im
    count = math.prod(sizes)
    mean = _boxes(im, sizes) / count
    variance = _boxes(im * im, sizes) / count - mean * mean
    noise = np.mean(np.ravel(variance)) if noise is None else noise
    found = mean + (im - mean) * (1 - noise / variance)
    return np.where(variance < noise, mean, found)


def _boxes(x, sizes):
    """The sums over windows, with zeros beyond the ends."""
    for axis, size in enumerate(sizes):
        size = int(size)
        after = (size - 1) // 2
        wide = padded(x, size - 1 - after, after, axis)
        extent = x.shape[axis]
        x = sum(
            (part(wide, axis, at, at + extent) for at in range(1, size)),
            part(wide, axis, 0, extent),
        )
    return x


_RANKS = {
    "ValueError": "An extent of the window is even, or the dtype has no order.",
    "RuntimeError": "The rank or the number of axes does not fit.",
}
_SORTED = "?FDe"


def _checked(x, name):
    x = array(x)
    if x.dtype.char in _SORTED:
        text = f"dtype={x.dtype} is not supported by {name}"
        raise refuse(text, mistake="dtype")
    return x


@described("ndarray: The medians, of the shape and dtype of the array.", _RANKS)
def medfilt(volume, kernel_size=None):
    """The medians of windows of an array, with zeros beyond its ends."""
    volume = np.atleast_1d(_checked(volume, "medfilt"))
    sizes = host(3 if kernel_size is None else kernel_size)
    sizes = [sizes[()]] * volume.ndim if sizes.ndim == 0 else list(sizes.ravel())
    if any(size % 2 != 1 for size in sizes):
        raise refuse("Each element of kernel_size should be odd.")
    sizes = [int(one) for one in sizes]
    if len(sizes) != volume.ndim:
        text = "sequence argument must have length equal to input rank"
        raise refuse(text, RuntimeError, "together")
    from .. import ndimage

    if volume.size == 0:
        return volume
    return ndimage.rank_filter(
        volume, math.prod(sizes) // 2, size=tuple(sizes), mode="constant", cval=0
    )


@described("ndarray: The medians, of the shape and dtype of the array.", _RANKS)
def medfilt2d(input, kernel_size=3):
    """The medians of windows of a matrix, with zeros beyond its ends."""
    image = _checked(input, "medfilt2d")
    if image.ndim != 2:
        raise refuse("object of too small depth for desired array")
    sizes = host(3 if kernel_size is None else kernel_size)
    return medfilt(image, [sizes[()]] * 2 if sizes.ndim == 0 else sizes)


@described("ndarray: The selected elements, of the shape and dtype of the array.", _RANKS)
def order_filter(a, domain, rank):
    """The element of a rank in each window of an array, with zeros beyond its ends."""
    a, domain = _checked(a, "order_filter"), host(domain)
    if any(extent % 2 == 0 for extent in domain.shape):
        raise refuse(
            "Each dimension of domain argument should have an odd number of elements."
        )
    members = int((domain != 0).sum())
    if domain.ndim != a.ndim:
        text = "the domain has another number of axes"
        raise refuse(text, RuntimeError, "together")
    if not -members <= rank < members:
        raise refuse("rank not within filter footprint size", RuntimeError)
    from .. import ndimage

    return ndimage.rank_filter(a, rank, footprint=domain != 0, mode="constant", cval=0)
