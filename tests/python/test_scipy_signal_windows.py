"""Windows of ``scipy.signal``."""

import numpy
import pytest
import scipy.signal

import phalanx
from phalanx.scipy import signal

from .signal_cases import check, compare

PARAMETERS = {
    "general_cosine": [([0.5, 0.3, 0.2],)],
    "general_hamming": [(0.6,)],
    "tukey": [(), (0.3,), (0,), (1,), (1.5,), (-1,)],
    "general_gaussian": [(1.5, 3)],
    "gaussian": [(2.5,)],
    "exponential": [(), (None, 3.0)],
    "kaiser": [(8.6,), (0,)],
    "taylor": [(), (5, 40, False)],
    "chebwin": [(100,), (50,), (30,)],
    "dpss": [(2.5,), (2, 3), (9,)],
    "kaiser_bessel_derived": [(4.0,)],
}


@pytest.mark.parametrize("name", signal.windows.__all__)
def test_windows(name):
    if name == "get_window":
        return
    for count in (0, 1, 2, 3, 7, 8, 51, 64, 2.5, -1):
        if name in ("kaiser_bessel_derived", "dpss") and count in (-1, 0, 1):
            continue
        for given in PARAMETERS.get(name, [()]):
            for sym in (True, False):
                compare(f"windows.{name}", count, *given, sym=sym)


def test_windows_of_numpy():
    for name in ("hann", "chebwin", "taylor", "kaiser", "parzen", "kaiser_bessel_derived"):
        given = (9, *PARAMETERS.get(name, [()])[0]) if name != "kaiser_bessel_derived" else (8, 3.0)
        own = getattr(signal.windows, name)(*given, xp=numpy)
        assert isinstance(own, numpy.ndarray)
        check(own, getattr(scipy.signal.windows, name)(*given))
        assert isinstance(getattr(signal.windows, name)(*given), phalanx.ndarray)


def test_a_window_with_its_centre():
    compare("windows.exponential", 9, 2, 3.0, False)
    compare("windows.exponential", 9, 2, 3.0, True)
    check(signal.windows.hann(100_000), scipy.signal.windows.hann(100_000))


NAMES = """
barthann brthan bth bartlett bart brt blackman black blk blackmanharris blackharr bkh bohman bman
bmn boxcar box ones rect rectangular cosine halfcosine exponential poisson flattop flat flt hamming
hamm ham hann han lanczos sinc nuttall nutl nut parzen parz par taylor taylorwin triangle triang tri
tukey tuk gaussian general_cosine kaiser chebwin dpss other hann_periodic hann_symmetric
""".split()


@pytest.mark.parametrize("window", [
    *NAMES, 5.0, None, ("kaiser", 4.0), ("gaussian", 3), ("tukey", 0.3),
    ("general_cosine", [0.4, 0.6]), ("dpss", 2.5), ("hann",), ("general gaussian", 1.5, 3),
    ("exponential", None, 2.0), ("chebwin", 60), ("taylor", 5, 35), ("kbd", 3.0), (3.0,),
    "kaiser_periodic", ("kaiser_symmetric", 3.0), ("tukey_periodic", 0.3),
], ids=str)
def test_windows_by_name(window):
    for fftbins in (True, False):
        compare("get_window", window, 12, fftbins)
        compare("windows.get_window", window, 7, fftbins)
