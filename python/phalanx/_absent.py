"""The reasons why attributes of NumPy's classes are missing.

A class raises an AttributeError for a name that it lacks. For a name of NumPy's, the error gives
the reason and an alternative.
"""

from . import _phalanx, random
from ._phalanx import _refusal

_ADDRESS = "memory of devices has no address for C: see DLPack and local_shards"
_COUNTERS = "numbers are a function of a key and a counter: see spawn and advance"
_OF_C = "numbers are drawn on devices, and not by functions of C"

_ABSENT = {
    _phalanx.ndarray: {
        "ctypes __array_struct__": _ADDRESS,
        "getfield setfield": "see view, real and imag",
        "__array_wrap__": "see __array_finalize__, which is called for every view and result",
        "__setstate__": "arrays that are there do not become others: see pickle",
    },
    random.Generator: {"multivariate_hypergeometric": "see hypergeometric"},
    random.BitGenerator: {
        "capsule cffi ctypes lock": _OF_C,
        "jumped": _COUNTERS,
    },
}


def _refuse(kind, reasons):
    """Makes a class report why names are missing."""
    reasons = {name: reason for names, reason in reasons.items() for name in names.split()}

    def __getattr__(self, name):
        text = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name in reasons:
            raise _refusal(AttributeError, "absent", f"{text}: {reasons[name]}")
        raise AttributeError(text, name=name, obj=self)

    kind.__getattr__ = __getattr__


for _kind, _reasons in _ABSENT.items():
    _refuse(_kind, _reasons)
