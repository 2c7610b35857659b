"""Transforms: parameters of ``scipy.fftpack``."""

from . import of_fft

ARRAYS = of_fft.ARRAYS
EXACT = of_fft.EXACT
COARSE = set()
# SciPy's function is NumPy's, which has a device besides.
SIGNATURES = {"fftfreq": "n, d=1.0", "rfftfreq": "n, d=1.0"}
LEFT_OUT = {}
PARAMETERS = {**of_fft.PARAMETERS,
              "period": lambda d: d.one([None, 2.0, 6.0]),
              "order": lambda d: d.one([1, 2, 0, -1, 3]),
              "h": lambda d: d.one([0.5, 1.0, 2]),
              "a": lambda d: d.one([0.3, 1.0]), "b": lambda d: d.one([0.4, 1.5]),
              "_cache": lambda d: None}
LINE = {"x": lambda d: d.array((d.extent(),), ["float64", "float64", "float32", "complex128"]),
        "OFTEN": {"_cache": 0}}
OWN = {**{name: own for name, own in of_fft.OWN.items() if name not in (
    "ihfft", "ihfft2", "ihfftn", "rfft2", "rfftn")},
       **{name: LINE for name in ["cc_diff", "cs_diff", "diff", "hilbert", "ihilbert", "itilbert",
                                  "sc_diff", "shift", "ss_diff", "tilbert"]},
       "irfft": of_fft.REAL}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    return 2**16 if name in OWN and OWN[name] is LINE else 2048


def excuse(name, values, found, expected):
    return False
