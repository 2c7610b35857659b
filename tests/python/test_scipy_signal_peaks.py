"""Peaks, splines and functions of the host of ``scipy.signal``."""

import pickle

import numpy
import pytest
import scipy.signal

import phalanx
from phalanx.scipy import signal

from .signal_cases import FEWER, check, compare, drawn, host, outcome, owned, some

SIGNALS = {
    **{f"random {count}": drawn(count) for count in (0, 1, 2, 3, 40, 333)},
    **{f"equal {count}": numpy.round(drawn(count)) for count in (60, 400)},
    "wave": numpy.sin(numpy.arange(200) * 0.3) + numpy.arange(200) * 0.01,
    "ramp": numpy.arange(10.0),
    "zeros": numpy.zeros(9),
    "plateaus": numpy.array([0, 1, 1, 1, 0, 2, 2, 0.0]),
    "nan": numpy.array([0, 1, numpy.nan, 3, 1, 2, 1]),
}
CONDITIONS = [
    {}, {"height": 0}, {"height": (None, 1.0)}, {"height": (0, 3)}, {"threshold": 1},
    {"threshold": (0.5, 3)}, {"threshold": (None, 3)}, {"distance": 3}, {"distance": 10.5},
    {"distance": 0.5}, {"prominence": 1}, {"prominence": (1, 4)}, {"prominence": 0, "wlen": 5},
    {"prominence": 0, "wlen": 20.5}, {"prominence": 0, "wlen": 6}, {"prominence": 0, "wlen": 0.5},
    {"width": 1}, {"width": (1, 3), "rel_height": 0.8}, {"width": 0, "rel_height": 1},
    {"width": 0, "rel_height": 0}, {"width": 0, "rel_height": -1}, {"width": 0, "wlen": 7},
    {"plateau_size": 1}, {"plateau_size": (2, 3)}, {"height": 99},
    {"height": -9, "threshold": 0, "distance": 2, "prominence": 0.1, "width": 0.1,
     "plateau_size": 1},
]


@pytest.mark.parametrize("distance", [1, 2, 4.5, 30, 1e9])
def test_distances_of_peaks(distance):
    for count in (5, 70, 3000):
        compare("find_peaks", drawn(count), distance=distance)
    equal = phalanx.asarray(numpy.arange(90) % 3)
    kept = signal.find_peaks(equal, distance=distance)[0].get()
    assert kept.size >= 1 and (numpy.diff(kept) >= distance).all()


@pytest.mark.parametrize("name", SIGNALS)
def test_peaks(name):
    x = SIGNALS[name]
    for conditions in some(CONDITIONS, 2):
        compare("find_peaks", x, **conditions)
    for limits in ((numpy.ones(x.size), None), numpy.zeros(x.size), numpy.ones(x.size + 1)):
        compare("find_peaks", x, height=limits)


@pytest.mark.parametrize("name", some(SIGNALS, 2))
def test_prominences_and_widths(name):
    x = SIGNALS[name]
    peaks = numpy.random.default_rng(3).integers(0, max(x.size, 1), 8 if x.size else 0)
    for wlen in (None, 3, 10, 1, 2.5):
        compare("peak_prominences", x, peaks, wlen)
    for height in (0, 0.5, 2):
        compare("peak_widths", x, peaks, height, None, 3 if height else None)


def test_positions_are_checked():
    x = SIGNALS["random 40"]
    for peaks in (numpy.array([99]), [-1], [1.5], [[2]], []):
        compare("peak_prominences", x, peaks)
        compare("peak_widths", x, peaks)
    compare("peak_widths", x, [2, 5], 0.5, scipy.signal.peak_prominences(x, [2, 5]))
    wrong = (numpy.array([1.0]), numpy.array([5]), numpy.array([3]))
    compare("peak_widths", x, numpy.array([2]), 0.5, wrong)
    compare("find_peaks", [[1.0]])
    compare("find_peaks", 5.0)


@pytest.mark.parametrize("mode", ["clip", "wrap", "other", "raise"])
def test_extrema(mode):
    for x in (SIGNALS["random 333"], SIGNALS["equal 60"], SIGNALS["random 1"]):
        for order in (1, 2, 5, 500 if x.size < 100 and not FEWER else 3, 0, 1.5):
            compare("argrelmax", x, order=order, mode=mode)
            compare("argrelmin", x, order=order, mode=mode)
    for axis in (0, 1, -1, 2) if mode in ("clip", "wrap") else (0,):
        compare("argrelmax", drawn((20, 30)), axis, mode=mode)
    own = signal.argrelextrema(owned(drawn((20, 30))), phalanx.greater_equal, 1, 2, "clip")
    check(own, scipy.signal.argrelextrema(drawn((20, 30)), numpy.greater_equal, 1, 2))


@pytest.mark.parametrize("kind", "dfDi")
@pytest.mark.parametrize("count", [1, 3, 12, 60, 300])
def test_splines_of_lines(count, kind):
    x = drawn(count, kind)
    for smoothing in (0.0, 0.1, 1.0, 20.0, 1e-4):
        compare("cspline1d", x, smoothing, tolerance=1e-8)
        compare("qspline1d", x, smoothing)
    for places in ([1.0, 2.5], [], [[1.0, -5.5, 7.3]], 1.7, [-1.0, 20.0]):
        if count > 3 and kind in "df":
            compare("cspline1d_eval", x, places)
            compare("qspline1d_eval", x, places, 0.5, 2, dtype=False,
                    tolerance=1e-5 if kind == "f" else None)
    for precision in (-1.0, 1e-3, 0.1):
        for gain, pole in ((1.0, 0.5), (2.0, -0.3), (1.0, 1.5), (1.0, 0.9)):
            compare("symiirorder1", x, gain, pole, precision)
        for r, omega in ((0.5, 0.3), (0.3, 2.0), (1.5, 1.0), (0.5, 0.0)):
            if kind != "D":
                compare("symiirorder2", x, r, omega, precision)


@pytest.mark.parametrize("kind", "dfi")
@pytest.mark.parametrize("shape", [(30, 40), (20, 9), (3, 3), (30,)], ids=str)
def test_splines_of_planes(shape, kind):
    x = drawn(shape, kind)
    for smoothing in (0.0, 0.1, 1.0, -1.0):
        compare("cspline2d", x, smoothing, tolerance=1e-3 if kind == "f" else 1e-6)
        compare("qspline2d", x, smoothing, tolerance=1e-3 if kind == "f" else 1e-6)
    compare("cspline2d", x, 0.1, 0.05, tolerance=1e-3)
    compare("symiirorder1", x, 1.0, 0.3)
    compare("spline_filter", x, tolerance=1e-3 if kind == "f" else 1e-6)
    if min(shape) > 4:
        for row, column in (([1.0, 2, 4], [1.0, 2, 3, 4, 5]), ([1.0], [2.0]), ([1.0, 2], [1.0])):
            compare("sepfir2d", x, row, column)


@pytest.mark.parametrize("shape", [(7, 7), (9, 30), (3, 5)], ids=str)
def test_complex_planes_are_smoothed_in_single_precision(shape):
    for kind in "FD":
        compare("spline_filter", drawn(shape, kind), 0.0, tolerance=1e-5)


def test_spline_corners():
    compare("cspline1d", drawn((3, 4)))
    compare("cspline1d", drawn(0))
    compare("cspline1d_eval", [], [1.0])
    compare("cspline1d_eval", [1.0], [0.0])
    compare("gauss_spline", drawn(9), 3)
    compare("gauss_spline", [1, 2], 0)


# Calls of functions that are SciPy's, as expressions of the module `s`.
ON_HOST = """
butter(3, 0.2)  butter(3, [0.2, 0.4], 'band', output='sos')  butter(3, 1.2)
buttord(0.2, 0.3, 3, 40)
cheby1(3, 1, 0.2, output='zpk')  cheby2(3, 40, 0.2)  ellip(3, 1, 40, 0.2)  bessel(3, 0.2)
cheb1ord(0.2, 0.3, 3, 40)  cheb2ord(0.2, 0.3, 3, 40)  ellipord(0.2, 0.3, 3, 40)  buttap(3)
cheb1ap(3, 1)  cheb2ap(3, 40)  ellipap(3, 1, 40)  besselap(3)  iirfilter(3, [0.2, 0.5])
iirdesign(0.2, 0.3, 1, 40)  iirnotch(0.2, 30)  iirpeak(0.2, 30)  iircomb(0.2, 30)
gammatone(0.2, 'iir')  firwin(11, 0.3)  firwin2(11, [0, 0.5, 1], [1, 0.5, 0])
firls(11, [0, 0.3, 0.5, 1], [1, 1, 0, 0])  remez(11, [0, 0.1, 0.2, 0.5], [1, 0])
firwin_2d((3, 3), ('hamming', 'hamming'), fc=0.4)
minimum_phase(A([1.0, 2, 3, 2, 1]))  kaiserord(60, 0.1)  kaiser_beta(60)  kaiser_atten(11, 0.1)
band_stop_obj(0.3, 0, A([0.2, 0.5]), A([0.25, 0.45]), 3, 40, 'butter')  lp2lp([1], [1, 1], 2)
lp2hp([1], [1, 1])  lp2bp([1], [1, 1])  lp2bs([1], [1, 1])  lp2lp_zpk([], [-1], 1, 2)
lp2hp_zpk([], [-1], 1)  lp2bp_zpk([], [-1], 1)  lp2bs_zpk([], [-1], 1)  bilinear([1], [1, 1])
bilinear_zpk([], [-1], 1, 1)  freqs([1], [1, 1], A([1.0, 2]))  freqs_zpk([], [-1], 1)
freqz(A([1.0, 2]), 1, 8)  freqz_zpk([0.1], [0.5], 1, 8)  freqz_sos(A([[1, 2, 1, 1, 0.1, 0.2]]), 8)
sosfreqz(A([[1, 2, 1, 1, 0.1, 0.2]]), 8)  group_delay(([1.0, 2], [1.0]), 8)
tf2zpk(A([1.0, 2]), [1, 0.5])  zpk2tf([1], [0.5], 2)  tf2sos([1, 2, 1], [1, 0.1, 0.2])
sos2tf(A([[1, 2, 1, 1, 0.1, 0.2]]))  sos2zpk(A([[1, 2, 1, 1, 0.1, 0.2]]))  zpk2sos([1], [0.5], 2)
tf2ss([1], [1, 2])  ss2tf([[1]], [[1]], [[1]], [[0]])  zpk2ss([], [-1], 1)
ss2zpk([[1]], [[1]], [[1]], [[0]])  residue([1, 2], [1, 3, 2])  residuez([1, 2], [1, 3, 2])
invres([1, 2], [-1, -2], [])  invresz([1, 2], [-1, -2], [])  unique_roots(A([1, 1.0001, 2]))
normalize([2, 4], [2, 6])  findfreqs([1], [1, 2], 5)  abcd_normalize(A=[[1]], B=[[1]], C=[[1]])
lsim(([1], [1, 1]), A([1.0, 1, 1]), [0, 1, 2])
step(([1], [1, 1]), N=5)  impulse(([1], [1, 1]), N=5)
bode(([1], [1, 1]), [1, 2])  freqresp(([1], [1, 1]), [1, 2])  dlsim(([1], [1, 0.5], 1), [1, 2, 3])
dstep(([1], [1, 0.5], 1), n=4)  dimpulse(([1], [1, 0.5], 1), n=4)  dbode(([1], [1, 0.5], 1), [1, 2])
dfreqresp(([1], [1, 0.5], 1), [1, 2])  cont2discrete(([1], [1, 1]), 0.1)
place_poles(A([[1.0, 2], [3, 4]]), A([[1.0], [0]]), [-1, -2]).gain_matrix
max_len_seq(4)  find_peaks_cwt(A([0, 1, 3, 1, 0, 0, 2, 5, 2, 0.0]), [1, 2])
closest_STFT_dual_window(A([1.0, 2, 2, 1]), 2)
lti([1], [1, 2]).poles  lti([], [-1], 2).gain  lti([[1]], [[1]], [[1]], [[0]]).A
lti([1], [1, 2]).step(N=4)  lti([1], [1, 2]).impulse(N=4)  lti([1], [1, 2]).bode([1, 2])
lti([1], [1, 2]).output(A([1.0, 1]), [0, 1])  lti([1], [1, 2]).freqresp([1, 2])
lti([1], [1, 2]).to_discrete(0.1).den  lti([1], [1, 2]).to_ss().B  lti([1], [1, 2]).to_zpk().zeros
dlti([1], [1, 0.5], dt=2).dt  dlti([1], [1, 0.5]).step(n=3)  dlti([1], [1, 0.5]).impulse(n=3)
dlti([1], [1, 0.5]).output([1, 2], None)  dlti([1], [1, 0.5]).bode([1])  dlti([1], [1, 2]).poles
dlti([1], [1, 0.5]).freqresp([1])  TransferFunction(A([1.0]), [1, 2]).num  lti(1)
lti([1], [1, 2]).dt
StateSpace([[1]], [[1]], [[1]], [[0]]).to_tf().num  ZerosPolesGain([], [1], 2).to_tf().den
(StateSpace([[1]], [[1]], [[1]], [[0]]) + StateSpace([[2]], [[1]], [[1]], [[0]])).A
(StateSpace([[1]], [[1]], [[1]], [[0]]) * 2).B  bode(lti([1], [1, 1]), [1, 2])
step(TransferFunction([1], [1, 1]), N=4)  cont2discrete(lti([1], [1, 1]), 0.1).num
lfilter(*butter(3, 0.2), A([1.0, 2, 3]))  sosfilt(butter(3, 0.2, output='sos'), A([1.0, 2, 3]))
""".split("\n")


def evaluated(call, module, array):
    names = {name: getattr(module, name) for name in signal.__all__ if hasattr(module, name)}
    return outcome(eval, call, names | {"A": array})


@pytest.mark.parametrize("call", [
    call.strip() for line in ON_HOST for call in line.split("  ") if call.strip()
])
def test_functions_on_the_host(call):
    own = evaluated(call, signal, phalanx.asarray)
    other = evaluated(call, scipy.signal, numpy.asarray)
    check(own, other, dtype=False)
    if isinstance(other, numpy.ndarray):
        assert isinstance(own, phalanx.ndarray)


def test_every_function_of_the_host_is_called():
    from phalanx.scipy.signal._host import functions

    text = "\n".join(ON_HOST)
    assert [name for name in functions() if f"{name}(" not in text] == []


def test_systems_are_of_the_classes_of_their_names():
    continuous, discrete = signal.lti([1], [1, 2]), signal.TransferFunction([1], [1, 2], dt=0.1)
    assert isinstance(continuous, signal.lti) and isinstance(continuous, signal.TransferFunction)
    assert isinstance(discrete, signal.dlti) and not isinstance(discrete, signal.lti)
    assert repr(continuous) == repr(scipy.signal.lti([1], [1, 2]))
    continuous.num = phalanx.asarray([3.0])
    assert host(continuous.num).tolist() == [3]
    again = pickle.loads(pickle.dumps(continuous))
    assert type(again) is type(continuous) and host(again.num).tolist() == [3]
    assert isinstance(-signal.StateSpace([[1]], [[1]], [[1]], [[0]]), signal.StateSpace)
    x = drawn(99)
    system = signal.dlti([1.0], [1.0, 0.5])
    check(signal.decimate(owned(x), 3, ftype=system),
          scipy.signal.decimate(x, 3, ftype=scipy.signal.dlti([1.0], [1.0, 0.5])))
    with pytest.warns(signal.BadCoefficients):
        signal.normalize([0, 1], [1, 2])


def test_long_arrays_are_not_copied_to_the_host():
    with pytest.raises(ValueError, match="2\\*\\*20|1048576"):
        signal.freqz(phalanx.zeros(2**20 + 1))


def test_many_peaks_walk_in_parts():
    # So many peaks that those that have stopped wait for the others.
    x = drawn(60_000)
    x[[20_000, 40_000]] = 100
    for options in ({"prominence": 0.1}, {"width": 1.5}, {"prominence": 0.5, "wlen": 41}):
        check(signal.find_peaks(owned(x), **options), scipy.signal.find_peaks(x, **options))
