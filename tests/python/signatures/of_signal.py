"""Signals: parameters of ``scipy.signal``."""

import numpy
import scipy.signal

from .drawing import FLOATS, NUMBERS, Array, Pair

ARRAYS = {"dtypes": ["float64", "float64", "float32", "int32", "complex128"], "longest": 40,
          "rare": ["complex64", "float32", "int16", "uint8", "int64", "bool"], "most": 2}
# SciPy's function is compiled, and has no signature.
SIGNATURES = {"sepfir2d": "input, hrow, hcol, /"}
EXACT = {"medfilt", "medfilt2d", "order_filter", "argrelextrema", "argrelmax", "argrelmin"}
# SciPy computes in the precision of one array or of the other.
COARSE = None
LEFT_OUT = {"choose_conv_method": "the method that is estimated to be the faster one may differ"}
MODES = ["full", "same", "valid"]
WINDOWS = ["hann", "hamming", "boxcar", "blackman", ("tukey", 0.25), ("kaiser", 5.0), "none",
           ("gaussian", 2.0)]


def window(d):
    if d.often(0.25):
        length = d.values.get("nperseg")
        length = length if isinstance(length, int) and length > 0 else 8
        return Array(numpy.round(d.chance.uniform(0.2, 1, length), 2))
    return d.one(WINDOWS[:6] if d.often(0.9) else WINDOWS)


def second(d):
    """An array beside `in1`: of as many axes, usually shorter."""
    ndim = d.first.ndim if d.often(0.96) else d.first.ndim + 1
    return d.array(tuple(d.whole(1, 6) for _ in range(ndim)))


def coefficients(d):
    """The denominator or the numerator of a stable filter."""
    return d.laid(numpy.round(d.chance.normal(size=d.whole(1, 4)) * 0.3, 2) + [
        1.0] * 1 if d.often(0.3) else numpy.array([1.0, *numpy.round(
            d.chance.uniform(-0.4, 0.4, d.whole(0, 3)), 2)]))


def sections(d):
    kind = d.one(["lowpass", "highpass"])
    return Array(scipy.signal.butter(d.whole(1, 4), d.one([0.2, 0.5]), kind, output="sos"))


def peaks(d):
    x = d.first
    found = scipy.signal.find_peaks(x)[0] if x.ndim == 1 and x.dtype.kind != "c" else [0]
    return Array(numpy.asarray(found, "i8") if d.often(0.9) else numpy.array([0, x.size]))


def bound(d):
    """A limit of peaks: a number, two of them, or none."""
    return d.one([0.5, 1, 2.5, (0.5, 4), (None, 3), None, -1])


def states(d):
    """States before the first sample, of the shape that `lfilter` or `sosfilt` take."""
    shape = list(d.first.shape)
    axis = d.values.get("axis", -1)
    if isinstance(axis, int) and -len(shape) <= axis < len(shape):
        if "sos" in d.values:
            shape[axis] = 2
            shape = [len(d.array_of("sos")), *shape]
        else:
            shape[axis] = max(d.array_of("a").size, d.array_of("b").size) - 1
    shape = shape if d.often(0.95) else [3]
    return d.laid(numpy.round(d.chance.normal(size=shape), 2))


def real(d):
    return d.array(dtypes=["float64", "float64", "float32", "int32"])


def real_line(d):
    return d.array((d.extent(),), ["float64", "float64", "float32", "int32"])


def real_image(d):
    return d.array((d.extent(), d.extent()), ["float64", "float64", "float32"])


def times(d):
    return d.laid(numpy.round(d.chance.uniform(-2, 8, d.shape(1, 2)), 2).astype(d.one(FLOATS)))


def rows(d):
    """A line or some of them, for functions of the last axis."""
    return d.array(d.shape(1, 2), ["float64", "float32", "complex128", "int32"])


PARAMETERS = {
    "data": real,
    "in1": lambda d: d.array(dtypes=NUMBERS if d.often(0.2) else None),
    "in2": second,
    "mode": lambda d: d.one(MODES if d.often(0.97) else ["none"]),
    "method": lambda d: d.one(["auto", "direct", "fft"]),
    "window": window,
    "nperseg": lambda d: d.one([4, 5, 8, 8, 16, 3, 1, 0 if d.often(0.1) else 7]),
    "noverlap": lambda d: d.one([0, 1, 2, 3, 4, 7 if d.often(0.3) else 2]),
    "nfft": lambda d: d.one([None, 8, 16, 17, 20, 2 if d.often(0.2) else 12]),
    "fs": lambda d: d.one([1.0, 2, 0.5, 100.0]),
    "detrend": lambda d: d.one(["constant", "linear", False]),
    "scaling": lambda d: d.one(["density", "spectrum", "psd"]),
    "return_onesided": lambda d: d.often(0.5),
    "input_onesided": lambda d: d.often(0.5),
    "average": lambda d: d.one(["mean", "median", "none" if d.often(0.1) else "mean"]),
    "boundary": lambda d: d.one(["even", "odd", "constant", "zeros", None]),
    "padded": lambda d: d.often(0.5),
    "tol": lambda d: d.one([1e-10, 1e-3]),
    "phi": lambda d: d.one([0, 30, -90.5]),
    "fillvalue": lambda d: d.one([0, 1.5, -2]),
    "lamb": lambda d: d.one([0.0, 0.0, 1.0, 0.05]),
    "precision": lambda d: d.one([-1.0, 1e-6, 0.01, 2.0 if d.often(0.1) else 1e-3]),
    "cj": lambda d: d.array((d.extent(),), FLOATS),
    "newx": times,
    "x0": lambda d: d.one([0, 1.5, -2]),
    "n": lambda d: d.whole(0, 4),
    "N": lambda d: d.one([None, 4, 9, 16, 0 if d.often(0.1) else 5]),
    "m": lambda d: d.one([None, 3, 8, 13]),
    "w": lambda d: d.one([None, numpy.exp(0.1j), numpy.exp(-0.3j), 0.999 + 0.02j]),
    "b": coefficients,
    "a": coefficients,
    "padtype": lambda d: d.one(["odd", "even", "constant", None,
                                "none" if d.often(0.1) else "odd"]),
    "padlen": lambda d: d.one([None, 0, 1, 3, 30 if d.often(0.2) else 2]),
    "irlen": lambda d: d.one([None, 5, 20]),
    "height": bound, "threshold": bound, "prominence": bound, "width": bound,
    "plateau_size": bound,
    "distance": lambda d: d.one([1, 2, 3.5, 0 if d.often(0.2) else 5]),
    "wlen": lambda d: d.one([None, 3, 4.5, 9, 1 if d.often(0.2) else 5]),
    "rel_height": lambda d: d.one([0.5, 0.9, 1.0, 0.0, -1 if d.often(0.1) else 0.3]),
    "peaks": peaks,
    "zi": states,
    "sos": sections,
    "kernel_size": lambda d: d.one([None, 3, 5, 1, 4 if d.often(0.1) else 7, [3] * d.first.ndim]),
    "volume": real,
    "domain": lambda d: d.laid(numpy.ones(tuple(d.one([1, 3, 5]) for _ in range(d.first.ndim)))),
    "rank": lambda d: d.whole(-1, 4),
    "up": lambda d: d.one([1, 2, 3, 5, 0 if d.often(0.1) else 4]),
    "down": lambda d: d.one([1, 2, 3, 4, 0 if d.often(0.1) else 5]),
    "window_length": lambda d: d.one([3, 5, 7, 4, 1]),
    "polyorder": lambda d: d.one([0, 1, 2, 3 if d.often(0.5) else 1]),
    "deriv": lambda d: d.one([0, 1, 2]),
    "delta": lambda d: d.one([1.0, 0.5]),
    "order": lambda d: d.one([1, 2, 3, 0 if d.often(0.1) else 1]),
    "comparator": lambda d: d.one([_comparison(one) for one in [
        "greater", "less", "greater_equal"]]),
    "f0": lambda d: d.one([1, 2.5]), "t1": lambda d: d.one([1, 4.0]),
    "f1": lambda d: d.one([2, 0.5, 7]), "vertex_zero": lambda d: d.often(0.5),
    "complex": lambda d: d.often(0.5),
    "in1_len": lambda d: d.whole(0, 9), "in2_len": lambda d: d.whole(0, 9),
    "q": lambda d: d.one([1, 2, 3]),
    "ftype": lambda d: d.one(["iir", "fir", "none" if d.often(0.1) else "fir"]),
    "zero_phase": lambda d: d.often(0.5),
    "divisor": coefficients,
    "type": lambda d: d.one(["linear", "constant", "l", "c", "none" if d.often(0.1) else "c"]),
    "bp": lambda d: d.one([0, 2, [1, 3], [0, 2]]),
    "overwrite_data": lambda d: False,
    "z": real,
    "bp_in": lambda d: d.one([(1, None), (1, 4), (None, 3), (-3, 3), (None, None)]),
    "n_out": lambda d: d.one([None, 7, 12]),
    "squared": lambda d: d.often(0.5),
    "residual": lambda d: d.one(["lowpass", "all", None]),
    "fc": lambda d: d.one([1000, 5, 0.5, -1]), "bw": lambda d: d.one([0.5, 0.1, 0]),
    "bwr": lambda d: d.one([-6, -3, 0]), "tpr": lambda d: d.one([-60, -20]),
    "retquad": lambda d: d.often(0.5), "retenv": lambda d: d.often(0.5),
    "Nx": lambda d: d.whole(0, 12), "fftbins": lambda d: d.often(0.5),
    "Zxx": lambda d: d.array((*d.shape(0, 1), d.one([3, 5, 9]), d.whole(1, 6)), [
        "complex128", "complex64"]),
    "time_axis": lambda d: d.one([-1, -1, -2, 0]), "freq_axis": lambda d: d.one([-2, -2, -1, 1]),
    "freqs": lambda d: Array(numpy.round(d.chance.uniform(0.1, 4, d.whole(0, 9)), 2)),
    "precenter": lambda d: False,
    "normalize": lambda d: d.one([False, True, "power", "normalize", "amplitude", "none"]),
    "weights": lambda d: d.one([None, Array(d.chance.uniform(0.5, 2, d.first.shape))]),
    "floating_mean": lambda d: d.often(0.5),
    "prominence_data": lambda d: None,
    "num": lambda d: d.one([1, 4, 7, 16, 0 if d.often(0.1) else 9]),
    "pos": lambda d: d.one([None, 0, 1, 2.0, 9 if d.often(0.1) else 1]),
    "use": lambda d: d.one(["conv", "dot", "none" if d.often(0.1) else "dot"]),
    "duty": lambda d: d.one([0.5, 0.2, 0, 1]),
    "poly": lambda d: Array(d.one([[1.0, 0.5], [0.025, -0.36, 1.25, 2.0]])),
    "c0": lambda d: d.one([1.0, 0.5, 1]), "z1": lambda d: d.one([0.5, -0.3, 1.5 if d.often(
        0.1) else 0.1]),
    "r": lambda d: d.one([0.5, 0.8]), "omega": lambda d: d.one([0.3, 1.2, 0.0]),
    "shape": lambda d: d.one([5, (3, 4), 0, (), (2,)]), "idx": lambda d: d.one([
        None, 0, (1, 2), "mid", 2, -1]), "dtype": lambda d: d.one([float, int, complex, "f4"]),
    "h": coefficients,
    "events": lambda d: Array(numpy.round(d.chance.uniform(0, 20, d.extent()), 2)),
    "period": lambda d: d.one([1.0, 2.5, [1.0, 2.0, 3], 0 if d.often(
        0.1) else 4]),
    "im": real, "mysize": lambda d: d.one([None, 3, 5, [3] * d.first.ndim]),
    "noise": lambda d: d.one([None, 0.5, 2.0]),
    "fn": lambda d: d.one([0.5, [0.1, 0.6], 1]), "endpoint": lambda d: d.often(0.5),
    "Iin": lambda d: d.array((d.whole(1, 14), d.whole(1, 14)), ["float64", "float32"]),
    "lmbda": lambda d: d.one([5.0, 0.0, 1.0, 0.5]),
    "hrow": lambda d: Array(numpy.array(d.one([[1.0, 2, 1], [0.5], [1, 0, -1, 2, 1]]),
                                        d.first.dtype)),
    "hcol": lambda d: Array(numpy.array(d.one([[1.0, 2, 1], [0.5], [1, 0, -1, 2, 1]]),
                                        d.first.dtype)),
    "t": times,
    "signal": real_line,
    "input": real_line,
    "cval": lambda d: d.one([None, 0, 1.5]),
}


def _comparison(name):
    import phalanx

    return Pair(getattr(numpy, name), getattr(phalanx, name))


def with_angles(d):
    """Signals whose spectra have no zeros, for their angles."""
    if d.values.get("mode") in ("angle", "phase"):
        d.values |= {"x": Array(d.chance.normal(size=d.first.shape)), "detrend": False}


def _samples(d):
    n = d.of.values["n"]
    return n if d.often(0.95) else n + 1


def slice_window(d):
    """A window of slices."""
    d.width = d.whole(3, 9)
    made = numpy.round(d.chance.uniform(0.2, 1, d.width), 2)
    return Array(made if d.often(0.9) else made * (1 + 0.5j))


def slices(d):
    """Slices of a spectrum, of an extent that the transform has."""
    width, mode = d.of.width, d.of.values.get("fft_mode", "onesided")
    mfft = d.of.values.get("mfft") or width
    count = mfft // 2 + 1 if mode in ("onesided", "onesided2X") else mfft
    return d.laid(d.elements((count if d.often(0.95) else count + 1, d.whole(8, 12)), "complex128"))


SHORT_TIME = {
    "win": slice_window, "hop": lambda d: d.one([1, 2, 3, 0 if d.often(0.1) else 2]),
    "fs": lambda d: d.one([1.0, 2, 10]), "mfft": lambda d: d.one([None, None, 12, 16]),
    "fft_mode": lambda d: d.one(["twosided", "centered", "onesided", "onesided2X",
                                 "none" if d.often(0.1) else "onesided"]),
    "dual_win": lambda d: None, "scale_to": lambda d: d.one([None, "magnitude", "psd"]),
    "phase_shift": lambda d: d.one([0, None, 1])}
SLICED = {
    "x": lambda d: d.array((*d.shape(0, 1), d.whole(9, 30)), ["float64", "float64", "float32"]),
    "p0": lambda d: d.one([None, 0]), "p1": lambda d: d.one([None, 3]),
    "k_offset": lambda d: d.one([0, 2]), "axis": lambda d: -1, "n": lambda d: d.whole(6, 40),
    "padding": lambda d: d.one(["zeros", "edge", "even", "odd", "none"]),
    "detr": lambda d: d.one([None, "linear", "constant"]),
    "axes_seq": lambda d: d.one(["tf", "ft", "none"]), "center_bins": lambda d: d.often(0.5)}
FILTERED = {"ARRAYS": {"least": 1}, "x": lambda d: d.array(d.shape(1, 2))}
SPECTRAL = {"x": lambda d: d.array((*d.shape(0, 1), d.whole(3, 40)) if d.often(0.8) else None)}
PLANE = {"signal": real_image, "input": real_image,
         "in1": lambda d: d.array((d.extent(), d.extent()) if d.often(0.96) else None),
         "boundary": lambda d: d.one(["fill", "wrap", "symm", "none" if d.often(0.1) else "fill"])}
EXTREMA = {"mode": lambda d: d.one(["clip", "wrap", "none" if d.often(0.1) else "clip"])}
OWN = {
    **{name: SPECTRAL for name in ["coherence", "csd", "periodogram", "stft", "welch"]},
    # Without a trend, some numbers would be rounding errors, which have no quotient or angle.
    "coherence": {"axis": lambda d: -1, "detrend": lambda d: False, "OFTEN": {"detrend": 1},
                  "nperseg": lambda d: d.one([4, 5, 8, 9]), "noverlap": lambda d: d.one([0, 1, 2]),
                  "x": lambda d: d.array((*d.shape(0, 1), d.whole(20, 40)), ["float64"]),
                  "y": lambda d: d.array(d.first.shape, ["float64"])},
    "spectrogram": {**SPECTRAL, "CHECK": with_angles, "mode": lambda d: d.one([
        "psd", "complex", "magnitude", "angle", "phase", "none" if d.often(0.1) else "psd"])},
    **{name: PLANE for name in ["convolve2d", "correlate2d", "cspline2d", "qspline2d", "medfilt2d",
                                "sepfir2d"]},
    **{name: EXTREMA for name in ["argrelextrema", "argrelmax", "argrelmin"]},
    **{name: FILTERED for name in ["lfilter", "filtfilt", "sosfilt", "sosfiltfilt"]},
    "filtfilt": {**FILTERED, "method": lambda d: d.one(["pad", "gust", "pad"])},
    # The phase of late times loses the digits of 32-bit floats.
    "chirp": {"t": lambda d: Array(numpy.round(d.chance.uniform(-2, 8, d.shape(1, 2)), 2)),
              "method": lambda d: d.one([
                  "linear", "quadratic", "logarithmic", "hyperbolic", "none"])},
    "czt": {"a": lambda d: d.one([1, 0.9 + 0.2j])},
    "czt_points": {"a": lambda d: d.one([1, 0.9 + 0.2j]), "m": lambda d: d.whole(0, 9)},
    "decimate": {"x": lambda d: d.array((*d.shape(0, 1), d.whole(28, 50)))},
    "find_peaks": {"x": real_line}, "peak_prominences": {"x": real_line},
    "peak_widths": {"x": real_line},
    "gauss_spline": {"x": times, "n": lambda d: d.whole(0, 4)},
    "hilbert": {"x": real}, "hilbert2": {"x": lambda d: d.array(
        (d.extent(), d.extent()), FLOATS), "N": lambda d: d.one([None, 4, (3, 5)]),
        "axes": lambda d: d.one([(-2, -1), (0, 1), (1, 0), (0, 0)])},
    "lfilter_zi": {}, "lfiltic": {"y": lambda d: d.array((d.whole(0, 5),), FLOATS),
                                  "x": lambda d: d.array((d.whole(0, 5),), FLOATS)},
    "lombscargle": {"x": lambda d: Array(numpy.sort(d.chance.uniform(0, 9, d.whole(1, 12)))),
                    "y": lambda d: Array(d.chance.normal(size=d.first.shape))},
    "medfilt": {}, "order_filter": {"a": real},
    "resample": {"x": lambda d: d.array(d.shape(1, 2)),
                 "t": lambda d: None, "window": lambda d: d.one([None, "hann", ("kaiser", 5.0)]),
                 "domain": lambda d: d.one(["time", "freq", "none" if d.often(0.1) else "time"])},
    "resample_poly": {"padtype": lambda d: d.one([
        "constant", "line", "mean", "median", "maximum", "minimum", "symmetric", "reflect", "edge",
        "wrap"]), "window": lambda d: d.one([("kaiser", 5.0), "hann", Array(numpy.ones(5))])},
    "upfirdn": {"mode": lambda d: d.one([
        "constant", "symmetric", "reflect", "edge", "antisymmetric", "antireflect", "line",
        "smooth", "wrap" if d.often(0.5) else "periodic"]), "cval": lambda d: d.one([0, 1.5]),
        "x": lambda d: d.array()},
    "savgol_filter": {"mode": lambda d: d.one(["interp", "nearest", "mirror", "constant", "wrap"]),
                      "x": real, "cval": lambda d: d.one([0, 2.5])},
    "sawtooth": {"width": lambda d: d.one([1, 0.5, 0, 0.3])},
    "symiirorder1": {"signal": rows}, "symiirorder2": {"input": lambda d: d.array(
        d.shape(1, 2), FLOATS)},
    "deconvolve": {"signal": real_line},
    "zoom_fft": {"fs": lambda d: d.one([2, 1.0, 10])},
    "wiener": {"im": real},
}
OWN |= {
    "CZT": {"n": lambda d: d.whole(1, 12), "m": lambda d: d.one([None, 1, 5, 9]),
            "w": lambda d: d.one([None, 0.9 + 0.3j]), "a": lambda d: d.one([1 + 0j, 0.5j])},
    "ZoomFFT": {"n": lambda d: d.whole(1, 12), "m": lambda d: d.one([None, 1, 5, 9]),
                "fs": lambda d: d.one([2, 1.0, 10])},
    **{f"{name}.__call__": {"x": lambda d: d.array((*d.shape(0, 1), _samples(d))),
                            "axis": lambda d: -1} for name in ("CZT", "ZoomFFT")},
    "ShortTimeFFT": SHORT_TIME, "ShortTimeFFT.from_window": {
        **SHORT_TIME, "win_param": lambda d: d.one(["hann", ("gaussian", 2.0), "boxcar"]),
        "nperseg": lambda d: d.one([4, 5, 8]), "noverlap": lambda d: d.one([0, 2, 3])},
    "ShortTimeFFT.from_dual": {**SHORT_TIME, "dual_win": slice_window},
    "ShortTimeFFT.from_win_equals_dual": {**SHORT_TIME, "desired_win": slice_window},
    **{f"ShortTimeFFT.{name}": SLICED for name in (
        "stft", "spectrogram", "stft_detrend", "extent", "k_max", "p_max", "p_num", "p_range",
        "t", "upper_border_begin")},
    "ShortTimeFFT.spectrogram": {**SLICED, "y": lambda d: None},
    "ShortTimeFFT.istft": {"S": slices, "k0": lambda d: d.one([0, 0, 1]), "k1": lambda d: None,
                           "f_axis": lambda d: -2, "t_axis": lambda d: -1},
    "ShortTimeFFT.nearest_k_p": {"k": lambda d: d.whole(-3, 20), "left": lambda d: d.often(0.5)},
    "ShortTimeFFT.scale_to": {"scaling": lambda d: d.one(["magnitude", "psd", "none"])},
}
# What is compared of an object.
SHOWN = {"CZT": "n m w a", "ZoomFFT": "n m f1 f2 fs",
         "ShortTimeFFT": "win dual_win hop fs fft_mode mfft scaling phase_shift T delta_f "
                         "delta_t f invertible f_pts k_min p_min m_num"}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    if name == "spline_filter":
        # SciPy computes in 32-bit floats.
        return 2**33
    precision = values.get("precision", -1)
    if isinstance(precision, float) and precision > 0:
        return precision * 2.0**56
    return 2**21 if name in ("filtfilt", "sosfiltfilt", "decimate", "symiirorder2") else 2**15


def excuse(name, values, found, expected):
    """Whether SciPy returns a list in place of an array, or other times than those of samples."""
    if not isinstance(found, dict) or not isinstance(expected, dict):
        return False
    if name == "deconvolve":
        return expected.get(".0.kind") == "list" and found[".0"].size == 0
    if name == "coherence" and ".1" in found:
        # Both powers are zero at a frequency.
        is_finite = numpy.isfinite(expected[".1"])
        return is_finite.mean() > 0.5 and numpy.allclose(
            found[".1"][is_finite], expected[".1"][is_finite])
    if name == "spectrogram" and values.get("mode") in ("angle", "phase") and ".2" in found:
        # Half a turn has two signs.
        turns = (found[".2"] - expected[".2"]) / (2 * numpy.pi)
        return numpy.allclose(turns, numpy.round(turns), atol=1e-6)
    # SciPy counts the samples along the first axis, and mistakes axes of equal extents.
    return name == "istft" and found[".0"].size in found[".1"].shape == expected[
        ".1"].shape and numpy.allclose(
        found[".1"], expected[".1"], 1e-4, 1e-4 * abs(expected[".1"]).max(initial=1))
