"""Spectra, chirp transforms and short-time Fourier transforms of ``scipy.signal``."""

import numpy
import pytest
import scipy.signal

import phalanx
from phalanx.scipy import signal

from .signal_cases import check, compare, drawn, outcome, owned, some

OPTIONS = [
    {}, {"nperseg": 8}, {"nperseg": 8, "noverlap": 5}, {"nperseg": 9, "nfft": 16},
    {"nperseg": 8, "noverlap": 8}, {"nperseg": 8, "nfft": 4}, {"nperseg": 0},
    {"window": "boxcar", "nperseg": 7, "scaling": "spectrum"}, {"window": numpy.hanning(10)},
    {"nperseg": 8, "return_onesided": False}, {"nperseg": 8, "detrend": "linear", "fs": 10.0},
    {"nperseg": 8, "detrend": False}, {"nperseg": 8, "scaling": "other"},
    {"nperseg": 8, "detrend": "other"}, {"window": ("kaiser", 4.0), "nperseg": 8},
    {"nperseg": 8, "window": "other"}, {"nperseg": 8, "noverlap": 0},
    {"nperseg": 8, "detrend": lambda x: x * 2},
]
SHAPES = [(40, -1), ((3, 40), -1), ((40, 3), 0), ((2, 40, 3), 1)]


@pytest.mark.parametrize("kind", "dfDFi")
# Without addresses: ranks choose tests by their names.
@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_spectra_of_segments(options, kind):
    for shape, axis in some(SHAPES):
        x, y = drawn(shape, kind), drawn(shape, kind, 2)
        for average in ("mean", "median", "other"):
            compare("welch", x, axis=axis, average=average, **options)
            compare("csd", x, y, axis=axis, average=average, **options)
        for mode in ("psd", "complex", "magnitude", "other"):
            compare("spectrogram", x, axis=axis, mode=mode, **options)
        if str(options.get("window")) != "boxcar":
            # There the constant part is 0, and its coherence is that of rounding errors.
            plain = {key: value for key, value in options.items() if key != "return_onesided"}
            plain.pop("scaling", None)
            compare("coherence", x, y, axis=axis, tolerance=1e-3 if kind in "fF" else 1e-8, **plain)
        for boundary in ("zeros", "even", "odd", "constant", None, "other"):
            for padded in (True, False):
                compare("stft", x, axis=axis, boundary=boundary, padded=padded, **options)
        whole = {key: value for key, value in options.items() if key not in ("nperseg", "noverlap")}
        compare("periodogram", x, axis=axis, **whole)


def test_phases():
    x = drawn(60)
    for mode in ("angle", "phase"):
        compare("spectrogram", x, nperseg=9, noverlap=2, mode=mode)


def test_signals_of_other_lengths_and_dtypes():
    for count in (20, 50, 40):
        compare("periodogram", drawn(40), nfft=count)
    compare("periodogram", drawn(40), window=None)
    compare("csd", drawn(40), drawn(30), nperseg=8)
    compare("csd", drawn((2, 40)), drawn(40), nperseg=8)
    compare("csd", drawn(40, "f"), drawn(40), nperseg=8, tolerance=1e-6)
    compare("csd", drawn(40, "D"), drawn(40), nperseg=8)
    compare("welch", drawn((4, 4)), window=numpy.ones((4, 4)))
    for shape in (0, (0, 3), (3, 0)):
        compare("welch", drawn(shape))
        compare("csd", drawn(shape), drawn(shape))
        compare("periodogram", drawn(shape))
        compare("stft", drawn(shape))
        compare("spectrogram", drawn(shape), axis=drawn(shape).ndim - 1)


@pytest.mark.parametrize("kind", "dfDF")
def test_signals_of_transforms(kind):
    options = [{}, {"noverlap": 2}, {"noverlap": 6}, {"boundary": False}, {"input_onesided": False},
               {"scaling": "psd", "fs": 3.0}, {"window": "boxcar"},
               {"window": numpy.hanning(8) + 0.1}, {"nperseg": 9}, {"nperseg": 6, "nfft": 8},
               {"scaling": "other"}, {"nfft": 4}, {"noverlap": 8}, {"noverlap": 0},
               {"nperseg": 7, "nfft": 8, "noverlap": 3}]
    for shape, time, freq in some([((5, 7), -1, -2), ((7, 5), 0, 1), ((7, 5), 0, 0)]):
        for one in options:
            compare("istft", drawn(shape, kind), time_axis=time, freq_axis=freq, **one)
    for time, freq in some([(2, 1), (0, 2), (-1, 0)]):
        shape = [3, 3, 3]
        shape[time], shape[freq] = 7, 5
        z = drawn(shape, kind)
        # SciPy's times are those of the first axis.
        check(signal.istft(owned(z), time_axis=time, freq_axis=freq)[1],
              scipy.signal.istft(z, time_axis=time, freq_axis=freq)[1])


def test_a_signal_from_its_transforms():
    x = drawn((3, 1000))
    for window, overlap in (("hann", 192), ("hamming", 128), (("tukey", 0.5), 100)):
        _, _, z = signal.stft(owned(x), window=window, nperseg=256, noverlap=overlap)
        _, found = signal.istft(z, window=window, nperseg=256, noverlap=overlap)
        check(found[:, :1000], x)


def test_overlapping_windows():
    windows = ["hann", "boxcar", "hamming", ("tukey", 0.3), numpy.ones(8), numpy.ones(7)]
    for window in windows:
        for pair in ((8, 4), (8, 2), (8, 6), (8, 0), (8, 8), (0, 0), (8, 7), (9, 3)):
            for name in ("check_COLA", "check_NOLA"):
                own = outcome(getattr(signal, name), owned(window), *pair)
                check(own, outcome(getattr(scipy.signal, name), window, *pair), dtype=False)


@pytest.mark.parametrize("floating_mean", [False, True])
@pytest.mark.parametrize("normalize", [False, True, "power", "amplitude", "other"])
def test_periods_of_irregular_samples(normalize, floating_mean):
    x = numpy.random.default_rng(1).random(50) * 20
    y, freqs = numpy.sin(2 * x) + drawn(50) * 0.1, numpy.linspace(0.1, 5, 33)
    for weights in (None, x, x - 9, x * 0):
        compare("lombscargle", x, y, freqs, normalize=normalize, floating_mean=floating_mean,
                weights=weights, tolerance=1e-7)


def test_periods():
    x, freqs = numpy.random.default_rng(1).random(50) * 20, numpy.linspace(0.1, 5, 33)
    compare("lombscargle", x, drawn(50), freqs, precenter=True)
    compare("lombscargle", x, drawn(50), [0.0, 1])
    compare("lombscargle", x, drawn(3), freqs)
    compare("lombscargle", [], [], freqs)
    compare("lombscargle", x, drawn(50), [])
    for period in (3.0, [3.0, 2.0], [[3.0]], -1, 0, [1, -1]):
        compare("vectorstrength", x, period)
    compare("vectorstrength", x[:, None], 3.0)


@pytest.mark.parametrize("kind", "dfDFi")
def test_chirp_transforms(kind):
    options = [{}, {"m": 5}, {"m": 20}, {"w": 0.9 + 0.1j}, {"w": 0.95, "a": 1.1}, {"m": 0},
               {"w": numpy.exp(-0.05j), "a": numpy.exp(0.3j), "m": 30}]
    for shape, axis in some([(9, -1), ((3, 9), -1), ((9, 3), 0), (0, -1), (1, 0), (9, 3)], 2):
        x = drawn(shape, kind)
        for one in options:
            compare("czt", x, axis=axis, **one)
        for fn in (0.5, [0.1, 0.7], [1, 2, 3]):
            for one in ({}, {"m": 5}, {"m": 20, "fs": 3.0}, {"endpoint": True, "m": 7}):
                compare("zoom_fft", x, fn, axis=axis, **one)


def test_points_of_chirp_transforms():
    for given in ((4, None, 1), (5, 0.9, 2), (5, 0.9j, 1 + 1j), (0, None, 1), (3, -0.5, 1.0)):
        compare("czt_points", *given)
    check(signal.ZoomFFT(5, [0.1, 0.3], 3).points(),
          scipy.signal.ZoomFFT(5, [0.1, 0.3], 3).points())
    check(signal.CZT(5, 3).points(), scipy.signal.CZT(5, 3).points())
    check(outcome(signal.CZT(5, 3), owned(drawn(4))), ValueError())
    compare("czt", drawn(1000))
    compare("zoom_fft", drawn(3000), [0.1, 0.2], 100)


WINDOWS = [
    numpy.hanning(8) + 0.1, scipy.signal.get_window("hann", 9), numpy.array([0, 0, 1.0, 2, 1, 0]),
    scipy.signal.get_window("hann", 8) * (1 + 1j), numpy.ones((2, 2)), numpy.array([1, 2, 3, 2]),
]
TRANSFORMS = [
    {}, {"fft_mode": "twosided"}, {"fft_mode": "centered", "mfft": 12},
    {"fft_mode": "onesided2X", "scale_to": "psd"},
    {"fft_mode": "onesided2X", "scale_to": "magnitude", "mfft": 11}, {"fft_mode": "onesided2X"},
    {"phase_shift": None, "mfft": 16, "fft_mode": "twosided"}, {"phase_shift": 3},
    {"phase_shift": 99}, {"mfft": 2}, {"fft_mode": "other"}, {"scale_to": "psd"},
]
ATTRIBUTES = """
T delta_f delta_t dual_win f f_pts fac_magnitude fac_psd fft_mode fs hop invertible k_min
lower_border_end m_num m_num_mid mfft onesided_fft p_min phase_shift scaling win
""".split()


def pairs(hops, options):
    """Transforms of ours and of SciPy's; None where both refuse the arguments."""
    for window in WINDOWS:
        for hop in hops:
            own = outcome(signal.ShortTimeFFT, owned(window), hop, 10.0, **options)
            other = outcome(scipy.signal.ShortTimeFFT, window, hop, 10.0, **options)
            if isinstance(other, Exception):
                check(own, other)
            else:
                yield own, other


def both(pair, name, *given, tolerance=None, **options):
    own = outcome(getattr(pair[0], name), *map(owned, given), **options)
    check(own, outcome(getattr(pair[1], name), *given, **options), tolerance)


@pytest.mark.parametrize("options", TRANSFORMS, ids=str)
def test_numbers_of_short_time_transforms(options):
    for pair in pairs((1, 2, 3, 5, 8, 0, 2.5, 12), options):
        for name in ATTRIBUTES:
            own, other = (outcome(getattr, one, name) for one in pair)
            check(own, other, dtype=False)
        for count in (3, 5, 20, 31):
            for name in "k_max p_max p_num p_range upper_border_begin t extent".split():
                own, other = (outcome(getattr(one, name), count) for one in pair)
                check(own, other, dtype=False)
            own, other = (outcome(one.extent, count, "ft", True) for one in pair)
            check(own, other)


@pytest.mark.parametrize("kind", "dfDi")
@pytest.mark.parametrize("options", TRANSFORMS, ids=str)
def test_short_time_transforms(options, kind):
    rough = 1e-4 if kind == "f" else None
    for pair in pairs(some((2, 3, 8)), options):
        for count in (5, 20):
            x = drawn(count, kind)
            for padding in ("zeros", "edge", "even", "odd", "other"):
                both(pair, "stft", x, padding=padding)
            both(pair, "stft", x, k_offset=1)
            both(pair, "stft", x, 0, 2)
            both(pair, "stft_detrend", x, "linear", tolerance=rough)
            both(pair, "spectrogram", x)
            both(pair, "spectrogram", x, x * 2 + 1, "constant", tolerance=rough)
            if count == 5 or not pair[1].invertible or (kind == "D" and pair[1].onesided_fft):
                continue
            z = pair[1].stft(x)
            both(pair, "istft", z)
            if z.shape[-1] + pair[1].p_min > (count - 1) // pair[1].hop:
                # SciPy's own inverse of a part fails if a slice is beyond its end.
                check(pair[0].istft(owned(z), 2, count), x[2:], 1e-5, dtype=False)
            both(pair, "istft", z, 5, 3)
            both(pair, "istft", z[:-1])


def test_axes_of_short_time_transforms():
    pair = [kind(WINDOWS[0], 3, 1.0) for kind in (signal.ShortTimeFFT, scipy.signal.ShortTimeFFT)]
    for shape, axis in (((2, 20), 1), ((20, 2), 0), ((2, 20, 3), 1), ((2, 20, 3), -2)):
        both(pair, "stft", drawn(shape), axis=axis)
        z = pair[1].stft(drawn(shape), axis=axis)
        both(pair, "istft", z, f_axis=axis if axis >= 0 else axis - 1)
    z = numpy.moveaxis(pair[1].stft(drawn((2, 20))), -1, 0)
    both(pair, "istft", z, t_axis=0, f_axis=2)
    for k in (-3, 0, 4, 5):
        for left in (True, False):
            both(pair, "nearest_k_p", k, left)


def test_short_time_transforms_by_their_windows():
    both_kinds = (signal.ShortTimeFFT, scipy.signal.ShortTimeFFT)
    for scale_to in (None, "magnitude", "psd", "unitary", "other"):
        for hop in (2, 3, 20):
            makers = {
                "from_win_equals_dual": (WINDOWS[0], hop, 1.0),
                "from_dual": (WINDOWS[0], hop, 1.0),
                "from_window": (("kaiser", 3.0), 2.0, 8, 8 - hop),
            }
            for name, given in makers.items():
                made = [outcome(getattr(kind, name), *given, scale_to=scale_to)
                        for kind in both_kinds]
                if isinstance(made[1], Exception):
                    check(*made)
                    continue
                for one in ("win", "dual_win"):
                    check(*(outcome(getattr, transform, one) for transform in made))


def test_a_transform_may_be_changed():
    own = signal.ShortTimeFFT(phalanx.hanning(8), 2, 1.0)
    own.fs, own.mfft, own.fft_mode = 2.0, 16, "centered"
    assert own.T == 0.5 and own.f_pts == 16
    own.scale_to("psd")
    assert own.scaling == "psd" and own.fac_psd == 1
    own.T, own.phase_shift = 0.25, None
    assert own.fs == 4
    for name, value in (("fs", 0), ("T", -1), ("mfft", 3), ("phase_shift", 99), ("fft_mode", "x")):
        with pytest.raises(ValueError):
            setattr(own, name, value)
