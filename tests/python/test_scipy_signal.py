"""Names of ``scipy.signal``: convolutions, filters, resampling, waveforms and names as such."""

import inspect
import pathlib
import re
import subprocess
import sys

import numpy
import pytest
import scipy.signal

import phalanx
from phalanx.scipy import signal

from .conftest import ROOT
from .signal_cases import check, compare, drawn, outcome, owned, some
from .test_docstrings import parameters, section

MODES = ("full", "same", "valid", "other")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kinds", some(["dd", "ff", "DD", "fF", "ii", "di", "fi"]))
@pytest.mark.parametrize("one, two", some([
    (7, 3), (3, 7), (6, 4), (4, 4), (1, 1), ((), ()), ((5, 6), (2, 3)), ((5, 2), (2, 5)),
    ((3, 4, 2), (2, 2, 2)), (0, 3), (300, 200), (5, (2, 2)),
]))
def test_convolutions_and_correlations(one, two, kinds, mode):
    x, y = drawn(one, kinds[0]), drawn(two, kinds[1], 2)
    # Transforms of SciPy's are in single precision if one operand is.
    tolerance = 2e-4 if set(kinds) & set("fF") else None
    # SciPy's other methods fail for no elements, each with its own error.
    for method in ("auto", "direct", "fft", "other") if x.size and y.size else ("direct", "other"):
        compare("convolve", x, y, mode, method, tolerance=tolerance)
        compare("correlate", x, y, mode, method, tolerance=tolerance)
    compare("fftconvolve", x, y, mode, tolerance=tolerance)
    compare("oaconvolve", x, y, mode, tolerance=tolerance)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("axes", [0, 1, [0, 1], (-1,), [], 5, [0, 0]])
def test_convolutions_along_axes(mode, axes):
    shapes = [((6, 5), (3, 5)), ((6, 5), (3, 1)), ((6, 1), (3, 4)), ((3, 5), (6, 5)),
              ((200, 3), (7, 3)), ((3, 300), (3, 11)), ((1, 1), (1, 1)), ((40, 300), (5, 11))]
    for one, two in some(shapes):
        compare("fftconvolve", drawn(one), drawn(two), mode, axes)
        compare("oaconvolve", drawn(one), drawn(two, "D"), mode, axes)


@pytest.mark.parametrize("kinds", ["ee", "??", "e?", "ef", "?b", "eb"])
@pytest.mark.parametrize("one, two", [
    (5, 3), (1, 7), ((5, 4), (3, 1)), ((1, 1), (2, 4)), ((5, 1, 1), (1, 4, 1)), ((), ()),
    ((4, 5), (2, 3)),
])
def test_halves_and_truth_values(one, two, kinds):
    x, y = drawn(one, kinds[0]), drawn(two, kinds[1], 2)
    for name in ("convolve", "correlate"):
        compare(name, x, y, "full", "direct", tolerance=2e-2)
    if x.ndim == 2:
        compare("convolve2d", x, y, tolerance=2e-2)
        compare("correlate2d", x, y, "same", tolerance=2e-2)
    if "?" not in kinds:
        # SciPy's has no axes of one element here, and so no transform.
        compare("fftconvolve", x, y, "same", tolerance=2e-2)
        compare("oaconvolve", x, y, tolerance=2e-2)


ORDERED = """
convolve(x, k, 'same')  convolve(x, k, 'full', 'fft')  correlate(x, k, 'valid', 'direct')
fftconvolve(x, k)  oaconvolve(x, k, 'same')  convolve2d(x, k, 'same')  correlate2d(x, k)
upfirdn(h, x, 2, axis=0)  upfirdn(h, x, 3, 2, mode='wrap')  resample_poly(x, 1, 2, axis=0)
decimate(x, 2, 3, 'fir', axis=0)  lfilter(h, [1, 0.5], x, axis=0)  savgol_filter(x, 5, 2, axis=0)
wiener(x, 3)  cspline1d(x[:, 0], 1)  cspline2d(w)  qspline2d(w)  sepfir2d(x, h, h)  sawtooth(x)
square(x)
"""


@pytest.mark.parametrize("call", re.split(r"\n|  +", ORDERED.strip()))
def test_results_are_in_c_order(call):
    x = numpy.linspace(0, 1, 240).reshape(20, 12, order="F")
    given = {"x": x, "k": drawn((3, 2)), "h": numpy.array([0.25, 0.5, 0.25]), "w": x[4:] * 0 + 1}
    want = eval(f"scipy.signal.{call}", {"scipy": scipy, **given})
    own = {name: owned(value) for name, value in given.items()}
    own["x"] = phalanx.asarray(x.T.copy()).T
    found = eval(f"signal.{call}", {"signal": signal, **own})
    assert want.flags.c_contiguous and found.flags.c_contiguous
    check(found, want)


@pytest.mark.parametrize("kind", "?bHilefdFD")
def test_dtypes_of_separable_filters(kind):
    x = drawn((9, 8), kind)
    for taps in ([0.5, 1, 0.25], *[numpy.array([1, 2, 1], one) for one in "hilfdF"]):
        compare("sepfir2d", x, taps, taps, tolerance=1e-5)


def test_long_convolutions_in_blocks():
    compare("oaconvolve", drawn(3000), drawn(9))
    compare("oaconvolve", drawn(9, "f"), drawn(3000, "f"), "same")
    compare("oaconvolve", drawn((300, 200)), drawn((5, 7)), "same")


@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm", "other"])
@pytest.mark.parametrize("mode", MODES)
def test_convolutions_of_planes(mode, boundary):
    shapes = [((5, 6), (3, 2)), ((5, 6), (2, 2)), ((2, 3), (5, 6)), ((3, 7), (7, 3)),
              ((1, 1), (3, 3)), ((20, 21), (15, 16)), (5, (2, 2))]
    for one, two in some(shapes):
        for kinds in some(["dd", "ii", "DD", "ff"]):
            x, y = drawn(one, kinds[0]), drawn(two, kinds[1])
            compare("convolve2d", x, y, mode, boundary, 3)
            compare("correlate2d", x, y, mode, boundary)


def test_numbers_have_no_z_transform():
    for name, *given in ("czt",), ("zoom_fft", 0.5):
        compare(name, 5, *given)


def test_methods_and_lags():
    for mode in MODES:
        for pair in ((5, 3), (3, 5), (6, 3), (3, 6), (4, 4)):
            compare("correlation_lags", *pair, mode)
    assert signal.choose_conv_method(drawn(5), drawn(3)) == "direct"
    assert signal.choose_conv_method(numpy.ones(50000), numpy.ones(20000)) == "fft"
    large = numpy.full(20000, 2**40)
    assert signal.choose_conv_method(large, large) == "direct"
    method, times = signal.choose_conv_method(drawn(5), drawn(3), measure=True)
    assert method in times and set(times) == {"fft", "direct"}


FILTERS = {
    "butter": scipy.signal.butter(3, 0.2),
    "plain": ([1.0, 2, 3], [1.0]),
    "scaled": ([0.5], [2.0, 1]),
    "longer": ([1.0, 2], [1.0, -0.5, 0.2]),
    "one": ([1], [1]),
    "integers": ([1, 2], [1, 3]),
    "long": (numpy.hanning(90), [1.0]),
    "complex": ([1.0, 2], [1.0, 0.5j]),
}
SIGNALS = [(30, -1), ((3, 30), -1), ((30, 3), 0), ((2, 30, 3), 1), ((), 0), (5, 0), (30, 2)]


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("kind", "dfDFi")
def test_filters(name, kind):
    b, a = FILTERS[name]
    for shape, axis in some(SIGNALS, 2):
        x = drawn(shape, kind)
        if name in ("one", "integers") and axis == 2:
            continue
        compare("lfilter", b, a, x, axis)
        if x.ndim and axis < x.ndim:
            shape = list(x.shape)
            shape[axis] = max(len(b), len(a)) - 1
            compare("lfilter", b, a, x, axis, drawn(shape))
            compare("lfilter", b, a, x, axis, drawn([7] * x.ndim))
            compare("lfilter", b, a, x, axis, drawn([1] * (x.ndim + 1)))


@pytest.mark.parametrize("count", [1, 127, 128, 256, 257, 1000, 5000])
@pytest.mark.parametrize("kind", "dfD")
def test_recurrences_in_blocks(count, kind):
    x = drawn((2, count), kind)
    filters = [scipy.signal.butter(4, 0.2), scipy.signal.cheby1(6, 1, 0.3), ([1.0], [1, -0.99]),
               ([1.0, 2], [1, 0.5j])]
    for b, a in some(filters, 2):
        b, a = (numpy.asarray(one).astype("F" if numpy.iscomplexobj(one) else "f")
                if kind == "f" else one for one in (b, a))
        states = drawn((2, max(len(a), len(b)) - 1), kind)
        compare("lfilter", b, a, x, tolerance=2e-3 if kind == "f" else 1e-9, zi=states)


def test_recurrences_in_groups_of_blocks():
    b, a = scipy.signal.cheby1(6, 1, 0.3)
    x = drawn(20_000)
    compare("lfilter", b, a, x, zi=drawn(6))
    compare("lfilter", b, a, x.reshape(2, -1))
    compare("sosfilt", scipy.signal.tf2sos(b, a), x)


def test_filters_that_are_not_stable():
    x = drawn(3000)
    for a in ([1.0, -1], [1.0, -2, 1], [1.0, -1.02]):
        compare("lfilter", [1.0], a, x)


def test_samples_after_a_nan():
    b, a = scipy.signal.butter(3, 0.2)
    x = drawn((3, 20_000))
    x[0, 15_000] = x[2, 3] = numpy.nan
    compare("lfilter", b, a, x, zi=drawn((3, 3)))
    compare("sosfilt", scipy.signal.tf2sos(b, a), x[:, :1000].astype("f"))
    compare("filtfilt", b, a, x[:, :1000] + 1j)
    x[1, 300] = numpy.inf
    compare("lfilter", b, a, x)


@pytest.mark.parametrize("order, edge", [(4, 0.01), (6, 0.05), (8, 0.05), (8, 0.02), (10, 0.1)])
def test_filters_with_poles_close_to_each_other(order, edge):
    # The response by sections is exact; that of the whole filter is known to few digits.
    b, a = scipy.signal.butter(order, edge)
    x, start = drawn(3000), drawn(order)
    exact = scipy.signal.sosfilt(scipy.signal.butter(order, edge, output="sos"), x)
    as_scipy = numpy.abs(scipy.signal.lfilter(b, a, x) - exact).max()
    own = signal.lfilter(b, a, owned(x)).get()
    assert numpy.abs(own - exact).max() < 30 * as_scipy + 1e-9
    y, states = signal.lfilter(b, a, owned(x), zi=owned(start))
    expected, last = scipy.signal.lfilter(b, a, x, zi=start)
    size = numpy.abs(expected).max()
    assert numpy.abs(y.get() - expected).max() < 1e-4 * size
    assert numpy.abs(states.get() - last).max() < 1e-6 * size


def test_filters_that_grow_and_long_numerators():
    x = drawn(4000)
    with numpy.errstate(all="ignore"):
        expected = scipy.signal.lfilter([1.0], [1.0, -1.5], x)
    own = signal.lfilter([1.0], [1.0, -1.5], owned(x)).get()
    whole = numpy.isfinite(expected)
    assert 1000 < whole.sum() < 4000
    numpy.testing.assert_allclose(own[whole], expected[whole], rtol=1e-12)
    b, start = drawn(301), drawn(300)
    for a in ([2.0, -0.5], [1.0, -0.3, 0.2, 0.1, -0.05]):
        compare("lfilter", b, a, x, tolerance=1e-10)
        compare("lfilter", b, a, x[:100], zi=start, tolerance=1e-10)
        compare("lfilter", b, a, x, zi=start, tolerance=1e-10)
    # A state that is NaN, and signals without lines.
    own = signal.lfilter([1.0, 2], [1.0, -0.5, 0.1], owned(x), zi=owned([0.0, numpy.nan]))[0].get()
    assert own[0] == x[0] and numpy.isnan(own[1:]).all()
    y, states = signal.sosfilt(scipy.signal.butter(18, 0.3, output="sos"), numpy.zeros((0, 10)),
                               zi=numpy.zeros((9, 0, 2)))
    assert y.shape == (0, 10) and states.shape == (9, 0, 2)


def test_states_after_parts_of_a_signal():
    b, a = scipy.signal.butter(5, 0.3)
    x, states, parts = phalanx.asarray(drawn(1000)), signal.lfilter_zi(b, a), []
    for start, stop in ((0, 300), (300, 301), (301, 1000)):
        part, states = signal.lfilter(b, a, x[start:stop], zi=states)
        parts.append(part)
    whole, _ = signal.lfilter(b, a, x, zi=signal.lfilter_zi(b, a))
    check(phalanx.concatenate(parts), whole.get())


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("kind", "dfDi")
def test_filters_in_both_directions(name, kind):
    b, a = FILTERS[name]
    for shape, axis in some(SIGNALS, 2):
        if shape == () or axis == 2 or name == "integers":
            continue
        x = drawn(shape, kind)
        compare("filtfilt", b, a, x, axis)
        for padtype in ("even", "constant", None, "other"):
            compare("filtfilt", b, a, x, axis, padtype=padtype)
        compare("filtfilt", b, a, x, axis, padlen=2)
        compare("filtfilt", b, a, x, axis, padlen=0)
        compare("filtfilt", b, a, x, axis, method="other")
        if name in ("butter", "scaled", "one", "longer"):
            compare("filtfilt", b, a, x, axis, method="gust", tolerance=1e-6)
            compare("filtfilt", b, a, x, axis, method="gust", irlen=12, tolerance=1e-6)


@pytest.mark.parametrize("kind", "dfDFi")
def test_sections(kind):
    for sos in (scipy.signal.butter(4, 0.2, output="sos"),
                scipy.signal.cheby1(5, 1, 0.3, output="sos").astype("f")):
        for shape, axis in some(SIGNALS, 2):
            x = drawn(shape, kind)
            compare("sosfilt", sos, x, axis)
            if not x.ndim or axis >= x.ndim:
                continue
            compare("sosfiltfilt", sos, x, axis)
            compare("sosfiltfilt", sos, x, axis, "even", 4)
            states = list(x.shape)
            states[axis] = 2
            compare("sosfilt", sos, x, axis, drawn([len(sos), *states]))
            compare("sosfilt", sos, x, axis, drawn(states))
        compare("sosfilt_zi", sos)
    compare("sosfilt", [[1, 2, 3, 2, 0, 0.0]], drawn(4, kind))
    compare("sosfilt", [1, 2], drawn(4, kind))


def test_states_of_filters():
    filters = [*FILTERS.values(), ([1, 2], [0, 0]), ([1.0, 2], [0, 2.0, 1]), ([[1.0]], [1.0]),
               ([1, 2], [1, -1.0]), ([1.0, 2], [2.0])]
    for b, a in filters:
        compare("lfilter_zi", b, a)
        for y in ([1.0], [1.0, 2, 3, 4, 5], [], [1, 2]):
            for x in (None, [1.0], [1.0, 2, 3, 4, 5]):
                compare("lfiltic", b, a, y, x)
    for pair in (([1.0, 2, 3, 4], [1.0, 2]), ([1.0, 2], [1.0, 2, 3]), ([1, 2, 3, 4], [2, 1]),
                 ([[1.0]], [1.0]), ([], [1.0]), ([1.0, 2], []), ([1.0, 2j], [1j])):
        compare("deconvolve", *pair)


@pytest.mark.parametrize("kind", "dfDFi")
def test_analytic_signals(kind):
    for shape, axis in some([(30, -1), ((3, 30), -1), ((31, 3), 0), ((2, 9, 3), 1), (0, 0)], 2):
        x = drawn(shape, kind)
        for count in (None, 20, 41, 0):
            compare("hilbert", x, count, axis)
            if x.ndim > 1:
                compare("hilbert2", x, count)
        bands = [(1, None), (None, None), (2, 4), (-3, 4), (-4, -2), (None, 3), (4, 3), (1, 99),
                 (1.5, 2)]
        for band in some(bands):
            for residual in ("lowpass", "all", None, "other"):
                compare("envelope", x, band, residual=residual, axis=axis)
                compare("envelope", x, band, residual=residual, axis=axis, n_out=40, squared=True)
                compare("envelope", x, band, residual=residual, axis=axis, n_out=17)
    x = drawn((4, 5), kind)
    for options in ({"N": (5, 8), "axes": (0, 1)}, {"N": (5, 8, 9)}, {"axes": (1, 1)}):
        compare("hilbert2", x, **options)


@pytest.mark.parametrize("kind", "dfi")
def test_smoothing(kind):
    windows = [(5, 2), (4, 1), (7, 3), (3, 0), (5, 5), (30, 2), (99, 2), (1, 0)]
    for shape, axis in some([(30, -1), ((3, 30), -1), ((30, 3), 0), (5, 0), (30, 2)], 2):
        x = drawn(shape, kind)
        for length, degree in some(windows, 2):
            for mode in ("interp", "mirror", "constant", "nearest", "wrap", "other"):
                if axis < x.ndim and mode != "interp" and length > x.shape[axis]:
                    continue
                compare("savgol_filter", x, length, degree, deriv=1, delta=0.5, axis=axis,
                        mode=mode, cval=2.0)
                compare("savgol_filter", x, length, degree, axis=axis, mode=mode)
        compare("wiener", x, tolerance=1e-6)
        compare("wiener", x, 3, 0.5, tolerance=1e-6)
        compare("wiener", x, 4, tolerance=1e-6)
        compare("wiener", x, [3] * (x.ndim + 1))
    for length in (5, 6, 3):
        for degree, deriv, pos, use in [(2, 0, None, "conv"), (3, 1, 0, "dot"), (2, 3, 4, "conv"),
                                        (1, 1, 9, "dot"), (2, 0, None, "other")]:
            compare("savgol_coeffs", length, degree, deriv, 0.3, pos, use)


@pytest.mark.parametrize("kind", "dfiBF?")
def test_medians_and_ranks(kind):
    for shape in (12, (5, 7), (3, 4, 5)):
        x = drawn(shape, kind)
        for size in some([None, 3, 1, 4, [3] * x.ndim, [3, 1, 5][: x.ndim], [3] * (x.ndim + 1)], 2):
            compare("medfilt", x, size)
        if x.ndim == 2:
            for size in (3, 5, [1, 3], 4):
                compare("medfilt2d", x, size)
        for rank in (0, 2, -1, 99):
            compare("order_filter", x, numpy.ones((3,) * x.ndim), rank)
        compare("order_filter", x, numpy.array([1, 0, 1]), 1)
        compare("order_filter", x, numpy.array([1, 1]), 1)


RATES = [(3, 2), (2, 3), (1, 4), (4, 1), (7, 5), (1, 1), (2, 2), (0, 1), (1.5, 2), (20, 3)]


@pytest.mark.parametrize("kind", "dfDFi")
@pytest.mark.parametrize("shape, axis", [(12, 0), ((3, 13), -1), ((13, 3), 0), (1, 0), (100, 0)])
def test_resampling(shape, axis, kind):
    x = drawn(shape, kind)
    count = x.shape[axis]
    for number in some([1, 2, 5, 6, 11, 12, 13, 16, 20, 2.5]):
        compare("resample", x, number, axis=axis)
    for window in ("hann", ("kaiser", 3.0), numpy.arange(count) + 1.0, "none", numpy.ones(200)):
        compare("resample", x, 6, axis=axis, window=window, tolerance=1e-5 if kind == "F" else None)
    compare("resample", x, 5, numpy.arange(2) * 0.5 + 1, axis=axis)
    compare("resample", x, 5, domain="other")
    if kind in "DF":
        compare("resample", x, 5, axis=axis, domain="freq")
    for up, down in some(RATES):
        compare("resample_poly", x, up, down, axis)
        compare("resample_poly", x, up, down, axis, cval=2.0)
        compare("resample_poly", x, up, down, axis, numpy.array([1.0, 2, 3, 2, 1]))
        for padtype in some(["mean", "median", "minimum", "maximum", "line", "other"], 2):
            if kind in "df" and count > 1:
                compare("resample_poly", x, up, down, axis, padtype=padtype)


@pytest.mark.parametrize("length", [1, 2, 5, 30, 200])
def test_filters_between_rates(length):
    h = drawn(length)
    modes = ("constant", "wrap", "edge", "smooth", "symmetric", "reflect", "antisymmetric",
             "antireflect", "line", "other")
    for shape, axis in some([(12, 0), ((3, 13), -1), ((13, 3), 0)]):
        for kind in "dDfi":
            x = drawn(shape, kind)
            for up, down in some(RATES[length % 2 :: 2], 2):
                compare("upfirdn", h, x, up, down, axis)
                compare("upfirdn", h.astype("f"), x, up, down, axis)
                for mode in modes if kind == "d" else modes[3:5]:
                    compare("upfirdn", h, x, up, down, axis, mode, 1.5)


def test_filters_between_rates_of_signals_in_rows():
    # Whole rows of samples, and some more or fewer.
    for count in (47, 48, 49, 191, 192, 193, 1000):
        x = drawn((2, count))
        for up, down in some([(3, 2), (2, 3), (1, 1), (5, 1), (1, 4)], 3):
            compare("resample_poly", x, up, down, 1)
            compare("upfirdn", drawn(150), x, up, down)


def test_filters_between_rates_of_large_factors():
    x, h = drawn((2, 300)), drawn(900)
    for up, down in ((1, 1), (3, 5), (1, 700), (500, 1), (3001, 2999)):
        compare("upfirdn", h, x, up, down)


@pytest.mark.parametrize("kind", "dfDi")
def test_decimation(kind):
    for shape, axis in some([(99, 0), ((3, 70), -1), ((70, 2), 0), (9, 0)], 2):
        x = drawn(shape, kind)
        for factor in (1, 2, 7, 2.0):
            for ftype in ("iir", "fir", "other", scipy.signal.dlti([1.0], [1.0, 0.5]),
                          scipy.signal.dlti([1.0, 2], [1.0])):
                for zero_phase in (True, False):
                    compare("decimate", x, factor, ftype=ftype, axis=axis, zero_phase=zero_phase,
                            tolerance=1e-3 if kind == "f" else None)


def test_waveforms():
    times = [drawn(50), numpy.arange(10), [1, 2], 1.5, drawn((3, 4))]
    for t in times:
        for method in ("linear", "quad", "log", "hyp", "q", "li", "other"):
            for f0, t1, f1 in ((1, 2, 3), (1, 1, 2), (-1, 2, 3), (0, 2, 3), (1.5, 4, 3)):
                compare("chirp", t, f0, t1, f1, method, tolerance=1e-8)
                compare("chirp", t, f0, t1, f1, method, 30, False, complex=True, tolerance=1e-8)
        for width in (0, 1, 0.3, 2, -1):
            compare("sawtooth", t, width)
            compare("square", t, width)
        compare("sweep_poly", t, [1, 2, 3.0])
        compare("sweep_poly", t, numpy.poly1d([1, 2]), 90)
    options = [{}, {"fc": 2, "bw": 0.3, "bwr": -3}, {"retquad": True}, {"retenv": True},
               {"retquad": True, "retenv": True}, {"fc": -1}, {"bw": 0}, {"bwr": 0}, {"tpr": 0}]
    for one in options:
        for t in (drawn(50) * 0.01, "cutoff", "other", 1.5):
            compare("gausspulse", t, **one)
    for given in ((5,), ((3, 4), "mid"), ((3, 4), (1, 2, 3)), ((3, 4), 5), ((3, 4), 1, int),
                  (5, (2,)), ((3, 4), (1, 2)), (0,), ((3, 4), -1), (7, "mid", "f")):
        compare("unit_impulse", *given)


@pytest.mark.parametrize("kind", "dfDFi")
def test_trends(kind):
    for shape, axis in some([(30, -1), ((3, 30), -1), ((30, 3), 0), ((2, 30, 3), 1), (30, 3)], 2):
        for word in ("linear", "constant", "other"):
            for points in (0, [0, 10], [5, 20], 40):
                compare("detrend", drawn(shape, kind), axis, word, points)


LOCAL = """
convolve(x, h)  convolve(x, h, method='fft')  fftconvolve(x, h)  oaconvolve(x, h)  correlate(x, x)
convolve2d(im, im[:3, :3])  correlate2d(im, im[:3, :3], 'same', 'wrap')  correlation_lags(5, 6)
detrend(x)  hilbert(x)  hilbert2(im)  envelope(x, (2, 50))  resample(x, 777)  resample_poly(x, 3, 2)
upfirdn(h, x, 3, 2)  decimate(x, 3, n=2)  decimate(x, 3, ftype='fir')  stft(x, nperseg=64)
istft(stft(x, nperseg=64)[2], nperseg=64)  spectrogram(x, nperseg=65)  welch(x, nperseg=64)
welch(x, nperseg=64, average='median')  csd(x, x[::-1], nperseg=64)  periodogram(x, nfft=1000)
coherence(x, x[::-1], nperseg=64)  vectorstrength(x, 3.0)  czt(x, 30)
zoom_fft(x, [0.1, 0.2], 30)  chirp(x, 1, 2, 3)  gausspulse(x)  sawtooth(x)  square(x)  wiener(im)
sweep_poly(x, [1, 2])  unit_impulse(100)  medfilt(im, 3)  lfilter(b, a, x)  lfilter(h, [1.0], x)
lfilter(b, a, x, zi=zi)  filtfilt(b, a, x)  sosfilt(sos, x)  sosfiltfilt(sos, x)
savgol_filter(x, 7, 2)  cspline1d(x)  cspline1d_eval(x, h)  cspline2d(im)
sepfir2d(im, [1.0, 2, 1], [1.0, 2, 1])  symiirorder1(x, 1.0, 0.3)
symiirorder2(x, 0.3, 0.3)  windows.hann(1000)  windows.kaiser(1000, 3.0)  get_window('parzen', 99)
windows.chebwin(1000, 60)  ShortTimeFFT(window, 5, 1.0).stft(x)
"""


@pytest.mark.parametrize("call", re.split(r"\n|  +", LOCAL.strip()))
def test_signals_are_not_read(call):
    names = {name: getattr(signal, name) for name in signal.__all__}
    names |= dict(zip("b a".split(), scipy.signal.butter(3, 0.2)))
    names |= {"sos": scipy.signal.butter(2, 0.2, output="sos"), "window": numpy.hamming(16)}
    shapes = {"x": 400_000, "h": 200, "im": (40, 50), "zi": 3}
    names |= {name: owned(drawn(shape)) for name, shape in shapes.items()}
    phalanx.flush()
    # Too many elements to be computed at once. A function that reads elements closes the window.
    recorded = phalanx.hypot(phalanx.arange(3000.0), 5.0)
    eval(call, names)
    assert "hypot" in recorded.explain()


def test_names_are_scipys():
    assert set(scipy.signal.__all__) - {"BadCoefficients"} <= set(signal.__all__)
    assert signal.windows.__all__ == sorted(set(scipy.signal.windows.__all__))
    for name in signal.__all__:
        other = getattr(scipy.signal, name)
        if not inspect.isfunction(other) or name == "lombscargle":
            continue
        own, other = (
            [(one.name, one.kind, one.default) for one in inspect.signature(function)
             .parameters.values()]
            for function in (getattr(signal, name), other)
        )
        assert repr(own) == repr(other), name


def functions():
    for module in (signal, signal.windows):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value):
                for kind in value.__mro__:
                    if kind.__module__.startswith("phalanx"):
                        for own, function in vars(kind).items():
                            function = getattr(function, "__func__", function)
                            if inspect.isroutine(function) and not own.startswith("_"):
                                yield f"{name}.{own}", function, True
            elif inspect.isroutine(value):
                yield name, value, False


def test_docstrings_are_whole():
    count = 0
    for name, function, is_method in functions():
        text = inspect.cleandoc(function.__doc__)
        lines = [line for line in section(text, "Parameters") if not line.startswith("    ")]
        told = {line.partition(" :")[0].lstrip("*") for line in lines}
        assert told == parameters(function, is_method), name
        assert section(text, "Returns") and section(text, "Raises"), name
        assert re.search(r"Local|Collective", "\n".join(section(text, "Notes"))), name
        count += 1
    assert count > 200


@pytest.mark.one_process("it starts a program")
def test_an_import_loads_no_functions():
    program = (
        "import sys, phalanx; assert 'phalanx.scipy.signal' not in sys.modules;"
        "from phalanx.scipy import signal; assert 'scipy' not in sys.modules;"
        "import importlib.util; importlib.util.find_spec = lambda name, package=None: None\n"
        "try: signal.butter(2, 0.1)\n"
        "except ImportError as error: assert 'pip install phalanx[scipy]' in str(error)\n"
        "else: raise SystemExit(1)\n"
        "print(signal.lfilter([1.0], [1.0, -0.5], [1.0, 0, 0]))"
    )
    path = str(pathlib.Path(phalanx.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT,
        env={"PYTHONPATH": path, "PHALANX_DEVICES": "cpu:1", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert "0.25" in done.stdout


@pytest.mark.one_process("arrays of one process")
def test_local_arrays_are_filtered_outside_of_their_block():
    with phalanx.local():
        x = phalanx.asarray(drawn(600))
    check(signal.lfilter(*FILTERS["butter"], x), scipy.signal.lfilter(*FILTERS["butter"], x.get()))
    check(signal.welch(x), scipy.signal.welch(x.get()))
    check(outcome(signal.hilbert, owned(drawn(9, "D"))), ValueError())


def test_dtypes_of_short_and_complex_samples():
    for dtype in "?bBhHile":
        x = (numpy.arange(40) % 7).reshape(5, 8).astype(dtype)
        found, want = (of.istft(one, nperseg=8)[1]
                       for of, one in ((signal, phalanx.asarray(x)), (scipy.signal, x)))
        assert found.dtype == want.dtype, dtype
    half = phalanx.asarray(drawn(9, "e"))
    assert signal.detrend(half, type="constant").dtype == numpy.float16
    x = drawn(9, "F")
    assert signal.deconvolve(phalanx.asarray(x), phalanx.asarray(x[:3]))[0].dtype == "complex128"
    times = numpy.linspace(0, 9, 40, dtype="f")
    numpy.testing.assert_allclose(
        signal.chirp(phalanx.asarray(times), 1, 2, 3).get(), scipy.signal.chirp(times, 1, 2, 3),
        rtol=1e-9, atol=1e-12,
    )
    with pytest.warns(numpy.exceptions.ComplexWarning):
        found = signal.vectorstrength(phalanx.asarray(x), 3.0)
    numpy.testing.assert_allclose(
        found, scipy.signal.vectorstrength(x.real.astype(float), 3.0), rtol=1e-9
    )
