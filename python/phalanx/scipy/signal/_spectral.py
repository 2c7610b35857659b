"""Spectra of segments: periodograms, cross spectra, spectrograms, and their inverse."""

import warnings

import phalanx as np

from ._arrays import (
    array,
    axis_of,
    complex_of,
    const_ext,
    even_ext,
    frames,
    host,
    odd_ext,
    overlap_added,
    padded,
    part,
    real_of,
    refuse,
    zero_ext,
)
from ._described import described
from ._trends import detrend as _detrend
from ._windows import of_host

_EXTENSIONS = {
    "even": even_ext,
    "odd": odd_ext,
    "constant": const_ext,
    "zeros": zero_ext,
    None: None,
}
_WRONG = {
    "ValueError": "The segments, the window, the scaling or another choice is not allowed.",
}
_NOTES = (
    "Local: recorded, and computed when a value is observed. Collective if the window is an array "
    "on devices, which is read."
)


class _Segments:
    """How signals are cut into segments, windowed and transformed."""

    def __init__(self, window, nperseg, noverlap, nfft, extent, of_what="input"):
        given = isinstance(window, (str, tuple))
        if nperseg is not None:
            nperseg = int(nperseg)
            if nperseg < 1:
                raise refuse("nperseg must be a positive integer")
        if given:
            nperseg = 256 if nperseg is None else nperseg
            if nperseg > extent:
                warnings.warn(
                    f"nperseg = {nperseg} is greater than {of_what} length  = {extent}, using "
                    f"nperseg = {extent}",
                    stacklevel=4,
                )
                nperseg = extent
            if extent == 0:
                raise refuse("a signal without samples has no segments")
            self.window = of_host(window, nperseg)
        else:
            self.window = host(window)
            if self.window.ndim != 1:
                raise refuse("window must be 1-D")
            if self.window.shape[0] > extent:
                raise refuse("window is longer than input signal")
            if nperseg is not None and nperseg != self.window.shape[0]:
                raise refuse("value specified for nperseg is different from length of window")
            nperseg = self.window.shape[0]
        self.extent = nperseg
        self.nfft = nperseg if nfft is None else int(nfft)
        if self.nfft < nperseg:
            raise refuse("nfft must be greater than or equal to nperseg.")
        self.overlap = nperseg // 2 if noverlap is None else int(noverlap)
        if self.overlap >= nperseg:
            raise refuse("noverlap must be less than nperseg.")
        self.step = nperseg - self.overlap

    def frequencies(self, fs, is_onesided):
        made = np.fft.rfftfreq if is_onesided else np.fft.fftfreq
        return made(self.nfft, 1 / fs)

    def times(self, count, fs):
        return (np.arange(count) * self.step + self.extent / 2) / float(fs)

    def transforms(self, x, detrend, is_onesided):
        """The spectra of the segments along the last axis, which become the last but one."""
        cut = frames(x, self.extent, self.step)
        if callable(detrend):
            cut = detrend(cut)
        elif detrend:
            cut = _detrend(cut, axis=-1, type=detrend)
        dtype = cut.dtype if self.window.dtype.kind != "c" else complex_of(cut.dtype)
        cut = cut * np.asarray(self.window.astype(dtype))
        transform = np.fft.rfft if is_onesided else np.fft.fft
        return transform(cut, n=self.nfft, axis=-1)

    def power_scale(self, scaling, fs):
        """The factor of squared spectra."""
        if scaling == "density":
            return 1 / (float(fs) * float((abs(self.window) ** 2).sum()))
        if scaling == "spectrum":
            return 1 / float(abs(self.window.sum()) ** 2)
        raise refuse(
            f"Parameter scaling={scaling!r} not in ['spectrum', 'density']!", mistake="choice"
        )


_TRENDS = ("linear", "l", "constant", "c")


def _checked(detrend):
    is_known = detrend is False or detrend is None or detrend in _TRENDS
    if not callable(detrend) and not is_known:
        raise refuse("Trend type must be 'linear' or 'constant'.", mistake="choice")


def _signal(x):
    """A signal as an array of floating-point or complex numbers."""
    x = array(x)
    # Integers of up to 16 bits are exact in 32-bit floats.
    return x if x.dtype.char in "fdFD" else x.astype(real_of(complex_of(x.dtype)))


def _nothing(shape):
    return np.zeros(shape), np.zeros(shape)


def _doubled(spectra, nfft):
    """One-sided power, which counts negative frequencies too: not at zero, nor at half the rate."""
    import numpy

    factors = numpy.full(spectra.shape[-1], 2.0)
    factors[0] = 1
    if nfft % 2 == 0:
        factors[-1] = 1
    return spectra * np.asarray(factors.astype(real_of(spectra.dtype)))


def _powers(x, y, fs, segments, detrend, return_onesided, scaling):
    """The products of the spectra of every segment, and the frequencies. The signals are along the
    last axis."""
    is_complex = "c" in (x.dtype.kind, x.dtype.kind if y is None else y.dtype.kind)
    if return_onesided and y is not None and y.dtype.kind == "c" and x.dtype.kind != "c":
        raise refuse("a complex `y` beside a real `x` has no one-sided spectrum")
    is_onesided = return_onesided and not is_complex and segments.window.dtype.kind != "c"
    dtype = x.dtype if y is None else np.result_type(x.dtype, y.dtype)
    scale = segments.power_scale(scaling, fs)
    _checked(detrend)
    one = segments.transforms(x.astype(dtype, copy=False), detrend, is_onesided)
    if y is None:
        product = one.real**2 + one.imag**2
    else:
        product = np.conj(one) * segments.transforms(
            y.astype(dtype, copy=False), detrend, is_onesided
        )
    product = product * scale
    product = _doubled(product, segments.nfft) if is_onesided else product
    return segments.frequencies(fs, is_onesided), product


def _median_bias(count):
    """The quotient of the expected median and mean of `count` exponential variables."""
    return 1 + sum(1 / (k + 1) - 1 / k for k in range(2, count, 2))


def _averaged(product, average):
    if product.shape[-2] == 1:
        return product[..., 0, :]
    if average == "mean":
        return np.mean(product, axis=-2)
    if average != "median":
        raise refuse(f'average must be "median" or "mean", got {average}', mistake="choice")
    bias = _median_bias(product.shape[-2])
    if product.dtype.kind == "c":
        middle = np.median(product.real, axis=-2) + 1j * np.median(product.imag, axis=-2)
        return middle.astype(product.dtype, copy=False) / bias
    return np.median(product, axis=-2) / bias


@described(
    "(ndarray, ndarray): The frequencies, and the cross spectrum along `axis`; complex.",
    _WRONG, _NOTES,
)
def csd(x, y, fs=1.0, window="hann_periodic", nperseg=None, noverlap=None, nfft=None,
        detrend="constant", return_onesided=True, scaling="density", axis=-1, average="mean"):
    """The cross power spectrum of two signals, averaged over overlapping segments."""
    return _cross(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling,
                  axis, average)


def _cross(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis,
           average):
    if not fs > 0:
        raise refuse(f"Sampling frequency fs={fs} must be positive!")
    if y is x:
        y = None
    x = _signal(x)
    if y is None:
        if x.size == 0:
            return _nothing(x.shape)
        x = np.moveaxis(x, axis_of(axis, x.ndim), -1)
    else:
        y = _signal(y)
        if 0 in (x.size, y.size):
            return _nothing(_shape_of_both(x, y, axis))
        x = np.moveaxis(x, axis_of(axis, x.ndim), -1)
        y = np.moveaxis(y, axis_of(axis, y.ndim), -1)
        longer = max(x.shape[-1], y.shape[-1])
        x = padded(x, 0, longer - x.shape[-1])
        y = padded(y, 0, longer - y.shape[-1])
    segments = _Segments(window, nperseg, noverlap, nfft, x.shape[-1], "signal")
    freqs, product = _powers(x, y, fs, segments, detrend, return_onesided, scaling)
    return freqs, np.moveaxis(_averaged(product, average), -1, axis)


def _shape_of_both(x, y, axis):
    lead = [list(one.shape) for one in (x, y)]
    last = [one.pop(axis) for one in lead]
    shape = list(np.broadcast_shapes(*map(tuple, lead))) + [min(last)]
    return np.moveaxis(np.zeros(tuple(shape)), -1, axis).shape


@described(
    "(ndarray, ndarray): The frequencies, and the power along `axis`.", _WRONG, _NOTES,
)
def welch(x, fs=1.0, window="hann_periodic", nperseg=None, noverlap=None, nfft=None,
          detrend="constant", return_onesided=True, scaling="density", axis=-1, average="mean"):
    """The power spectrum of a signal by Welch's method: an average over overlapping segments."""
    return _cross(x, None, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling,
                  axis, average)


@described(
    "(ndarray, ndarray): The frequencies, and the power along `axis`.", _WRONG, _NOTES,
)
def periodogram(x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True,
                scaling="density", axis=-1):
    """The power spectrum of a whole signal."""
    x = _signal(x)
    if x.size == 0:
        return _nothing(x.shape)
    window = "boxcar" if window is None else window
    axis = axis_of(axis, x.ndim)
    extent = x.shape[axis]
    if nfft is not None and nfft < extent:
        extent = int(nfft)
        if extent < 1:
            raise refuse("nfft must be a positive integer")
        x, nfft = part(x, axis, 0, extent), None
    if not isinstance(window, (str, tuple)):
        window = host(window)
        if window.shape != (extent,):
            raise refuse(
                "the size of the window must be the same size of the input on the specified axis"
            )
    return _cross(x, None, fs, window, extent, 0, nfft, detrend, return_onesided, scaling, axis,
                  "mean")


@described(
    "(ndarray, ndarray): The frequencies, and the coherence along `axis`, from 0 to 1.",
    _WRONG, _NOTES,
)
def coherence(x, y, fs=1.0, window="hann_periodic", nperseg=None, noverlap=None, nfft=None,
              detrend="constant", axis=-1):
    """The squared magnitude of the cross spectrum of two signals, relative to both powers."""
    options = (fs, window, nperseg, noverlap, nfft, detrend, True, "density", axis, "mean")
    freqs, own = _cross(x, None, *options)
    _, other = _cross(y, None, *options)
    _, both = _cross(x, y, *options)
    return freqs, np.abs(both) ** 2 / own / other


_MODES = ("psd", "complex", "magnitude", "angle", "phase")


@described(
    "(ndarray, ndarray, ndarray): The frequencies, the times of the segments, and the spectra: the "
    "frequencies are along `axis`, the times along the last axis.",
    _WRONG, _NOTES,
    mode=("{'psd', 'complex', 'magnitude', 'angle', 'phase'}", "The values of the result."),
)
def spectrogram(x, fs=1.0, window=("tukey_periodic", 0.25), nperseg=None, noverlap=None, nfft=None,
                detrend="constant", return_onesided=True, scaling="density", axis=-1, mode="psd"):
    """The spectra of the segments of a signal."""
    if mode not in _MODES:
        text = f"unknown value for mode {mode}, must be one of {list(_MODES)}"
        raise refuse(text, mistake="choice")
    x = _signal(x)
    axis = axis_of(axis, x.ndim)
    if x.size == 0 and x.shape[axis]:
        return *_nothing(x.shape), np.zeros(x.shape)
    x = np.moveaxis(x, axis, -1)
    segments = _Segments(window, nperseg, noverlap, nfft, x.shape[-1])
    if noverlap is None:
        segments.overlap = segments.extent // 8
        segments.step = segments.extent - segments.overlap
    if mode == "psd":
        freqs, found = _powers(x, None, fs, segments, detrend, return_onesided, scaling)
    else:
        freqs, found = _amplitudes(x, fs, segments, detrend, return_onesided, scaling)
        if mode == "magnitude":
            found = np.abs(found)
        elif mode != "complex":
            found = np.angle(found)
            found = np.unwrap(found, axis=-1) if mode == "phase" else found
    times = segments.times(found.shape[-2], fs)
    return freqs, times, np.moveaxis(found, -1, axis)


def _amplitudes(x, fs, segments, detrend, return_onesided, scaling):
    is_onesided = return_onesided and x.dtype.kind != "c" and segments.window.dtype.kind != "c"
    _checked(detrend)
    scale = segments.power_scale(scaling, fs) ** 0.5
    return (
        segments.frequencies(fs, is_onesided),
        segments.transforms(x, detrend, is_onesided) * scale,
    )


def _scaling_of(scaling):
    if scaling not in ("spectrum", "psd"):
        text = f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!"
        raise refuse(text, mistake="choice")
    return "density" if scaling == "psd" else scaling


@described(
    "(ndarray, ndarray, ndarray): The frequencies, the times of the segments, and the transforms: "
    "the frequencies are along `axis`, the times along the last axis.",
    _WRONG, _NOTES,
)
def stft(x, fs=1.0, window="hann_periodic", nperseg=256, noverlap=None, nfft=None, detrend=False,
         return_onesided=True, boundary="zeros", padded=True, axis=-1, scaling="spectrum"):
    """The Fourier transforms of overlapping segments of a signal."""
    scaling = _scaling_of(scaling)
    if boundary not in _EXTENSIONS:
        raise refuse(
            f"Unknown boundary option '{boundary}', must be one of: {list(_EXTENSIONS)}",
            mistake="choice",
        )
    x = _signal(x)
    if x.size == 0:
        return *_nothing(x.shape), np.zeros(x.shape)
    axis = axis_of(axis, x.ndim)
    x = np.moveaxis(x, axis, -1)
    segments = _Segments(window, nperseg, noverlap, nfft, x.shape[-1])
    half = segments.extent // 2 if boundary is not None else 0
    if half:
        x = _EXTENSIONS[boundary](x, half)
    if padded:
        x = _whole_segments(x, segments)
    freqs, found = _amplitudes(x, fs, segments, detrend, return_onesided, scaling)
    times = segments.times(found.shape[-2], fs)
    if boundary is not None:
        times = times - segments.extent / 2 / float(fs)
    return freqs, times, np.moveaxis(found, -1, axis)


def _whole_segments(x, segments):
    missing = -(x.shape[-1] - segments.extent) % segments.step % segments.extent
    return padded(x, 0, missing)


@described(
    "(ndarray, ndarray): The times of the samples, and the signal, real if `input_onesided`.",
    _WRONG, _NOTES,
    boundary=("bool", "Whether the signal was extended by half a segment at both ends."),
)
def istft(Zxx, fs=1.0, window="hann_periodic", nperseg=None, noverlap=None, nfft=None,
          input_onesided=True, boundary=True, time_axis=-1, freq_axis=-2, scaling="spectrum"):
    """The signal of the transforms of its overlapping segments."""
    Zxx = array(Zxx)
    if Zxx.dtype.kind != "c":
        # Integers have double precision here, unlike signals of short ones.
        dtype = Zxx.dtype if Zxx.dtype.kind == "f" else np.float64
        Zxx = Zxx.astype(complex_of(np.dtype(dtype)))
    scaling = _scaling_of(scaling)
    if Zxx.ndim < 2:
        raise refuse("Input stft must be at least 2d!")
    time_axis, freq_axis = axis_of(time_axis, Zxx.ndim), axis_of(freq_axis, Zxx.ndim)
    if time_axis == freq_axis:
        raise refuse("Must specify differing time and frequency axes!", mistake="together")
    Zxx = np.moveaxis(Zxx, (time_axis, freq_axis), (-2, -1))
    count, bins = Zxx.shape[-2:]
    default = 2 * (bins - 1) if input_onesided else bins
    nperseg = default if nperseg is None else int(nperseg)
    if nperseg < 1:
        raise refuse("nperseg must be a positive integer")
    if nfft is None:
        odd = input_onesided and nperseg == default + 1
        nfft = nperseg if odd else default
    elif nfft < nperseg:
        raise refuse("nfft must be greater than or equal to nperseg.")
    noverlap = nperseg // 2 if noverlap is None else int(noverlap)
    if noverlap >= nperseg:
        raise refuse("noverlap must be less than nperseg.")
    step = nperseg - noverlap
    if isinstance(window, (str, tuple)):
        win = of_host(window, nperseg)
    else:
        win = host(window)
        if win.ndim != 1:
            raise refuse("window must be 1-D")
        if win.shape[0] != nperseg:
            raise refuse(f"window must have length of {nperseg}")
    inverse = np.fft.irfft if input_onesided else np.fft.ifft
    pieces = inverse(Zxx, n=int(nfft), axis=-1)[..., :nperseg]
    if pieces.shape[-1] < nperseg:
        raise refuse("the transforms have fewer points than nperseg", mistake="together")
    return _joined(pieces, win, step, fs, scaling, boundary, (time_axis, freq_axis))


def _joined(pieces, win, step, fs, scaling, boundary, axes):
    """The signal of overlapping segments, divided by the sum of the squared windows."""
    import numpy

    count, extent = pieces.shape[-2:]
    win = win.astype(pieces.dtype) if win.dtype.kind != "c" else win
    scale = (fs * (abs(win) ** 2).sum()) ** 0.5 if scaling == "density" else win.sum()
    x = overlap_added(pieces * np.asarray(win * scale), step)
    # The norm is periodic except at the ends, but short enough for the host in any case.
    norm = numpy.zeros((count - 1) * step + extent, win.dtype)
    for at in range(count):
        norm[at * step : at * step + extent] += win**2
    if boundary:
        half = extent // 2
        stop = x.shape[-1] - half
        x, norm = x[..., half:stop], norm[half:stop]
    if (norm > 1e-10).sum() != norm.size:
        warnings.warn("NOLA condition failed, STFT may not be invertible." + (
            " Possibly due to missing boundary" if not boundary else ""), stacklevel=4)
    x = x / np.asarray(numpy.where(norm > 1e-10, norm, 1.0).astype(win.dtype))
    time_axis, freq_axis = axes
    if x.ndim > 1:
        # The axis of the samples takes the place of the times, without that of the frequencies.
        x = np.moveaxis(x, -1, time_axis - (time_axis > freq_axis))
    return np.arange(x.shape[time_axis - (time_axis > freq_axis)]) / float(fs), x


def _bins(window, nperseg, noverlap):
    """The window on the host in rows of the distance of the segments, filled with zeros."""
    import numpy

    nperseg, noverlap = int(nperseg), int(noverlap)
    if nperseg < 1:
        raise refuse("nperseg must be a positive integer")
    if noverlap >= nperseg:
        raise refuse("noverlap must be less than nperseg.")
    if noverlap < 0:
        raise refuse("noverlap must be a nonnegative integer")
    if isinstance(window, (str, tuple)):
        win = of_host(window, nperseg)
    else:
        win = host(window)
        if win.ndim != 1:
            raise refuse("window must be 1-D")
        if win.shape[0] != nperseg:
            raise refuse("window must have length of nperseg")
    step = nperseg - noverlap
    rows = numpy.zeros(-(-nperseg // step) * step, win.dtype)
    rows[:nperseg] = win
    return rows.reshape(-1, step)


@described("bool: Whether the sum is constant, within `tol`.", _WRONG, _NOTES)
def check_COLA(window, nperseg, noverlap, tol=1e-10):
    """Whether overlapping windows add up to a constant."""
    import numpy

    sums = _bins(window, nperseg, noverlap).sum(axis=0)
    return bool(numpy.max(numpy.abs(sums - numpy.median(sums))) < tol)


@described("bool: Whether the sum exceeds `tol` everywhere.", _WRONG, _NOTES)
def check_NOLA(window, nperseg, noverlap, tol=1e-10):
    """Whether the squares of overlapping windows add up to more than zero."""
    return bool(abs((_bins(window, nperseg, noverlap) ** 2).sum(axis=0)).min() > tol)
