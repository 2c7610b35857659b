"""Changes of the sampling rate."""

import math
import operator

import phalanx as np

from .._arguments import in_c_order
from ._arrays import array, axis_of, host, inexact, padded, part, refuse
from ._described import SMALL, described
from ._windows import of_host

# The most elements of a matrix of coefficients.
_MOST = 1 << 22
# The samples of a row, at least. Wider matrices multiply more zeros; on GPUs, products of narrower
# ones wait for memory.
_ROWS = {"cpu": 24, "cuda": 64}
_OF_NUMPY = {
    "edge": {"mode": "edge"},
    "wrap": {"mode": "wrap"},
    "symmetric": {"mode": "symmetric"},
    "reflect": {"mode": "reflect"},
    "antireflect": {"mode": "reflect", "reflect_type": "odd"},
}
_MODES = ("constant", "wrap", "edge", "smooth", "symmetric", "reflect", "antisymmetric",
          "antireflect", "line")
_STATISTICS = {"mean": "mean", "median": "median", "minimum": "min", "maximum": "max"}


def resized(spectrum, n, count, is_whole):
    """The spectrum of `n` samples as that of `count` samples along the last axis: shorter, or with
    zeros. `is_whole` is whether it has negative frequencies. The bin at half the rate is split, or
    joined."""
    less = min(n, count)
    half = less // 2
    if n == count:
        return spectrum
    is_split = less % 2 == 0
    if not is_whole:
        kept = spectrum[..., : half + 1]
        if is_split and less:
            factor = 0.5 if n < count else 2.0
            kept = np.concatenate([kept[..., :-1], kept[..., -1:] * factor], axis=-1)
        return padded(kept, 0, count // 2 - half)
    # Positive frequencies from the start, negative ones from the end.
    positive = spectrum[..., : (less + 1) // 2]
    negative = spectrum[..., n - (less - 1) // 2 :] if less > 2 else spectrum[..., :0]
    zeros = np.zeros((*spectrum.shape[:-1], max(count - less, 0)), spectrum.dtype)
    if not is_split:
        return np.concatenate([positive, zeros, negative], axis=-1)
    middle = spectrum[..., half : half + 1]
    if n < count:
        middle = middle * 0.5
        return np.concatenate([positive, middle, zeros[..., 1:], middle, negative], axis=-1)
    middle = middle + spectrum[..., n - half : n - half + 1]
    return np.concatenate([positive, middle, negative], axis=-1)


@described(
    "ndarray or (ndarray, ndarray): The samples; with `t` also their times.",
    {"ValueError": "The number of samples, the window or the domain is not allowed.",
     "AxisError": "There is no such axis."},
    SMALL,
    window=("array_like, callable, str, float or tuple", "The factors of the spectrum, "
            "the function of its frequencies, or the name of a window."),
)
def resample(x, num, t=None, axis=0, window=None, domain="time"):
    """A periodic signal at another number of samples, by its Fourier transform."""
    if domain not in ("time", "freq"):
        text = f"Parameter domain={domain!r} not in ('time', 'freq')!"
        raise refuse(text, mistake="choice")
    x = inexact(x)
    # SciPy does not look at the axis of a vector.
    axis = axis_of(axis, x.ndim) if x.ndim > 1 else 0
    n = x.shape[axis]
    num = operator.index(num)
    if n < 1 or num < 1:
        raise refuse(f"invalid number of data points ({min(n, num)}) specified")
    x = np.moveaxis(x, axis, -1)
    is_whole = domain == "freq" or x.dtype.kind == "c"
    if domain == "freq":
        spectrum = x
    else:
        spectrum = np.fft.fft(x) if is_whole else np.fft.rfft(x)
    if window is not None:
        spectrum = spectrum * _spectral_window(window, n, is_whole, spectrum.real.dtype)
    spectrum = resized(spectrum, n, num, is_whole)
    y = np.fft.ifft(spectrum) if is_whole else np.fft.irfft(spectrum, num)
    y = np.moveaxis(y * (num / n), -1, axis)
    if t is None:
        return y
    first, second = t[0], t[1]
    return y, np.arange(num) * ((second - first) * n / num) + first


def _spectral_window(window, n, is_whole, dtype):
    import numpy

    if callable(window):
        found = numpy.asarray(host(window(numpy.fft.fftfreq(n))))
    elif isinstance(window, (str, tuple, float, int)):
        found = numpy.fft.fftshift(of_host(window, n))
    else:
        found = host(window)
    if found.shape != (n,):
        raise refuse(
            f"window.shape={found.shape} != {(n,)}, i.e., window length is not equal to number of "
            "frequency bins!"
        )
    if not is_whole:
        # A real signal gets the mean of the factors of both signs of a frequency.
        mirrored = found.copy()
        mirrored[1:] = found[:0:-1]
        found = ((found + mirrored) / 2)[: n // 2 + 1]
        found = found.astype(dtype)
    return np.asarray(found)


def _extended(x, before, after, mode, cval):
    """A signal with more samples at both ends of its last axis, by a rule."""
    import numpy

    n = x.shape[-1]
    if mode == "constant":
        return padded(x, before, after, -1, constant_values=cval)
    if mode == "reflect" and n == 1:
        mode = "edge"
    if mode in _OF_NUMPY:
        return padded(x, before, after, -1, **_OF_NUMPY[mode])
    if mode == "antisymmetric":
        turns = numpy.arange(-before, n + after) // n
        sign = numpy.where(turns % 2 == 0, 1, -1).astype(x.real.dtype)
        return padded(x, before, after, -1, "symmetric") * np.asarray(sign)
    # Lines: through the first and the last sample, or through two samples at each end.
    first, last = x[..., :1], x[..., -1:]
    if n == 1:
        slopes = (first * 0, first * 0)
    elif mode == "line":
        slopes = ((last - first) / (n - 1),) * 2
    else:
        slopes = (x[..., 1:2] - first, last - x[..., -2:-1])
    left = first - slopes[0] * np.arange(before, 0, -1).astype(x.real.dtype)
    right = last + slopes[1] * np.arange(1, after + 1).astype(x.real.dtype)
    return np.concatenate([left, x, right], axis=-1)


@described(
    "ndarray: The filtered signal.",
    {"ValueError": "`h` is no vector with elements, a factor is below 1, or the mode is unknown.",
     "AxisError": "There is no such axis."},
    h=("array_like", "The coefficients of the filter, a vector."),
    mode=("str", "What is beyond the ends: 'constant', 'wrap', 'edge', 'smooth', 'symmetric', "
          "'reflect', 'antisymmetric', 'antireflect' or 'line'."),
)
@in_c_order
def upfirdn(h, x, up=1, down=1, axis=-1, mode="constant", cval=0):
    """A signal with `up` - 1 zeros after each sample, filtered, of which every `down`-th sample is
    kept; zeros are not multiplied."""
    if not isinstance(h, np.ndarray):
        h = host(h)
    x = array(x)
    up, down = int(up), int(down)
    if h.ndim != 1 or h.shape[0] == 0:
        raise refuse("h must be 1-D with non-zero length")
    if up < 1 or down < 1:
        raise refuse("Both up and down must be >= 1")
    if mode not in _MODES:
        raise refuse(f"Unknown mode: {mode}", mistake="choice")
    axis = axis_of(axis, x.ndim)
    x = np.moveaxis(x, axis, -1)
    n, length = x.shape[-1], h.shape[0]
    dtype = np.result_type(h.dtype, x.dtype, np.float32)
    x = x.astype(dtype, copy=False)
    if n == 0:
        return np.moveaxis(np.zeros((*x.shape[:-1], 0), dtype), -1, axis)
    count = _output_length(length, n, up, down)
    skip = 0
    if mode != "constant" or cval != 0:
        # Whole turns of the pattern of phases stand before the signal.
        before = -(-(length // up + 1) // down) * down
        skip = before // down * up
        last = (count - 1) * down // up + 1
        x = _extended(x, before, max(last - n, 0), mode, cval)
    y = _blocked(h.astype(dtype), x, up, down, count + skip)
    return np.moveaxis(y[..., skip:], -1, axis)


def _output_length(length, n, up, down):
    return ((n - 1) * up + length - 1) // down + 1


def _blocked(h, x, up, down, count):
    """`count` samples of a filtered signal along the last axis. Rows of samples are multiplied by
    matrices of the coefficients that connect them to rows of the result."""
    import numpy

    length, n = h.shape[0], x.shape[-1]
    least = max(length // (4 * up * down), -(-_ROWS[x.device] // down))
    factor = max(1, min(least, -(-n // down)))
    while factor > 1 and factor * factor * up * down > _MOST:
        factor //= 2
    rows, columns = factor * down, factor * up
    if rows * columns > _MOST:
        return _convolved(h, x, up, down, count)
    turns = (length - 1 + (rows - 1) * up) // (rows * up) + 1
    groups = -(-count // columns)
    x = x[..., : groups * rows]
    wide = padded(x, (turns - 1) * rows, groups * rows - x.shape[-1])
    blocks = wide.reshape(*x.shape[:-1], groups + turns - 1, rows)
    within = numpy.arange(columns) * down - numpy.arange(rows)[:, None] * up
    total = None
    for turn in range(turns):
        places = within + turn * rows * up
        places = numpy.where((places >= 0) & (places < length), places, length)
        matrix = _taken(h, places)
        one = blocks[..., turns - 1 - turn : turns - 1 - turn + groups, :] @ matrix
        total = one if total is None else total + one
    return total.reshape(*x.shape[:-1], groups * columns)[..., :count]


def _taken(h, places):
    """Coefficients at positions; the position after the last one is that of a zero."""
    import numpy

    if isinstance(h, np.ndarray):
        return np.take(padded(h, 0, 1), np.asarray(places), mode="clip")
    return np.asarray(numpy.append(h, h.dtype.type(0))[places])


def _convolved(h, x, up, down, count):
    """The same for factors of which the matrices would be too large."""
    from ._convolution import oaconvolve

    zeros = np.zeros((*x.shape, up - 1), x.dtype)
    wide = np.concatenate([x[..., None], zeros], axis=-1).reshape(*x.shape[:-1], -1)
    taps = array(h).reshape((1,) * (x.ndim - 1) + (-1,))
    whole = oaconvolve(wide, taps, axes=-1)[..., ::down]
    return padded(whole, 0, max(count - whole.shape[-1], 0))[..., :count]


def low_pass(length, cutoff, window):
    """On the host, the coefficients of a low-pass filter by a window, with a gain of 1."""
    import numpy

    if not 0 < cutoff < 1:
        raise refuse(
            "Invalid cutoff frequency: frequencies must be greater than 0 and less than fs/2."
        )
    positions = numpy.arange(length) - (length - 1) / 2
    taps = cutoff * numpy.sinc(cutoff * positions) * of_host(window, length, fftbins=False)
    return taps / taps.sum()


@described(
    "ndarray: The samples, ``ceil(n * up / down)`` along the axis.",
    {"ValueError": "A factor is no integer from 1 on, the window is no vector, or the padding is "
     "unknown.", "AxisError": "There is no such axis."},
    window=("str, tuple or array_like", "The window of the filter's design, or the coefficients."),
    cval=("float", "The value beyond the ends for 'constant'; 0 by default."),
)
@in_c_order
def resample_poly(x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None):
    """A signal at another rate, by a filter between an increase and a decrease of the rate."""
    x = array(x)
    for name, factor in (("up", up), ("down", down)):
        if factor != int(factor):
            raise refuse(f"{name} must be an integer")
    up, down = int(up), int(down)
    if up < 1 or down < 1:
        raise refuse("up and down must be >= 1")
    if cval is not None and padtype != "constant":
        raise refuse(f"cval has no effect when padtype is {padtype}", mistake="together")
    common = math.gcd(up, down)
    up, down = up // common, down // common
    if up == down == 1:
        return np.copy(x)
    axis = axis_of(axis, x.ndim)
    n = x.shape[axis]
    if isinstance(window, (list, np.ndarray)) or hasattr(window, "ndim"):
        h = window if isinstance(window, np.ndarray) else host(window)
        if h.ndim != 1:
            raise refuse("window must be 1-D")
        half = (h.shape[0] - 1) // 2
    else:
        half = 10 * max(up, down)
        h = low_pass(2 * half + 1, 1 / max(up, down), window)
        h = h.astype(x.dtype) if x.dtype.kind in "fc" else h
    h = h * up
    before = down - half % down
    drop = (half + before) // down
    count = -(-n * up // down)
    after = 0
    while n and _output_length(h.shape[0] + before + after, n, up, down) < count + drop:
        after += 1
    h = _surrounded(h, before, after)
    mode, shift = padtype, None
    if padtype in _STATISTICS:
        shift = getattr(np, _STATISTICS[padtype])(x, axis=axis, keepdims=True)
        x, mode = x - shift, "constant"
    elif padtype not in _MODES:
        names = ", ".join([*_STATISTICS, *_MODES])
        raise refuse(f"padtype must be one of: {names}", mistake="choice")
    y = upfirdn(h, x, up, down, axis=axis, mode=mode, cval=0 if cval is None else cval)
    y = part(y, axis, drop, drop + count)
    return y if shift is None else y + shift


def _surrounded(h, before, after):
    """Coefficients with zeros at both ends."""
    if isinstance(h, np.ndarray):
        return padded(h, before, after)
    import numpy

    return numpy.pad(h, (before, after))


@described(
    "ndarray: The samples, every `q`-th one of the filtered signal.",
    {"ValueError": "The filter is unknown, or the signal is too short.",
     "TypeError": "A number is no integer.",
     "ImportError": "The filter is to be designed by SciPy, which is not installed."},
    "Local: recorded, and computed when a value is observed. Recursive filters are designed on the "
    "host by SciPy.",
    n=("int", "The order of the filter: 8 for 'iir', ``20 * q`` for 'fir'."),
    ftype=("{'iir', 'fir'} or dlti", "The filter: Chebyshev's, one by a window, or a system."),
)
@in_c_order
def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True):
    """A signal at a lower rate, after a filter against aliases."""
    x, q = array(x), operator.index(q)
    n = None if n is None else operator.index(n)
    axis = axis_of(axis, x.ndim)
    dtype = x.dtype if x.dtype.char in "fdFD" else np.dtype(np.float64)
    b, sos = _anti_alias(q, n, ftype)
    if sos is None:
        b = b.astype(dtype) if ftype == "fir" else b
        if zero_phase:
            return resample_poly(x, 1, q, axis=axis, window=b)
        count = -(-x.shape[axis] // q)
        return part(upfirdn(b, x, 1, q, axis=axis), axis, 0, count)
    from ._filtering import sosfilt, sosfiltfilt

    sos = sos.astype(dtype if sos.dtype.kind != "c" else np.result_type(dtype, np.complex64))
    x = x.astype(dtype, copy=False)
    y = (sosfiltfilt if zero_phase else sosfilt)(sos, x, axis=axis)
    return part(y, axis, None, None, q)


def _anti_alias(q, n, ftype):
    """The coefficients of a filter without feedback, or the sections of a recursive one."""
    from ._host import calls, scipy_signal

    if ftype == "fir":
        n = 20 * q if n is None else n
        return low_pass(n + 1, 1 / q, "hamming"), None
    if ftype == "iir":
        design = scipy_signal("decimate")
        n = 8 if n is None else n
        return None, design.cheby1(n, 0.05, 0.8 / q, output="sos")
    system = calls.to_host(ftype, "decimate")
    if not hasattr(system, "to_zpk") or getattr(system, "dt", None) is None:
        raise refuse("invalid ftype", mistake="choice")
    transfer = system.to_tf()
    if transfer.den.size == 1:
        return transfer.num / transfer.den, None
    found = system.to_zpk()
    return None, scipy_signal("decimate").zpk2sos(found.zeros, found.poles, found.gain)
