"""Windows: parameters of ``scipy.signal.windows``."""

from .drawing import Array
from .of_signal import PARAMETERS as OF_SIGNAL

EXACT = set()
COARSE = set()
LEFT_OUT = {}
PARAMETERS = {
    **OF_SIGNAL,
    "M": lambda d: d.one([0, 1, 2, 3, 4, 7, 8, 33, 64, -1 if d.often(0.2) else 5]),
    "sym": lambda d: d.often(0.5), "xp": lambda d: None, "device": lambda d: None,
    "at": lambda d: d.one([60, 100, 40.5]), "NW": lambda d: d.one([1.0, 2.5, 4]),
    "Kmax": lambda d: d.one([None, 1, 2, 3]),
    "norm": lambda d: d.one([None, 2, "approximate", "subsample"]),
    "return_ratios": lambda d: d.often(0.5), "center": lambda d: d.one([None, 0, 3.5]),
    "tau": lambda d: d.one([1.0, 3.0, 0.5]), "std": lambda d: d.one([1.0, 2.5, 7]),
    "a": lambda d: [[0.5, 0.5], [1, 1.9, 1.2], Array([0.4, 0.6])][d.whole(0, 2)],
    "p": lambda d: d.one([1.0, 0.5, 1.5]), "sig": lambda d: d.one([1.0, 3.0]),
    "alpha": lambda d: d.one([0.5, 0.25, 0.0, 1.0, 0.75]), "beta": lambda d: d.one([0, 5.0, 14]),
    "nbar": lambda d: d.one([4, 2, 6]), "sll": lambda d: d.one([30, 60]),
}
OWN = {"taylor": {"norm": lambda d: d.often(0.5)},
       "kaiser_bessel_derived": {"M": lambda d: d.one([2, 4, 8, 64, 3, 0])}}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    return 2**22 if name == "dpss" else 2**14


def excuse(name, values, found, expected):
    return False
