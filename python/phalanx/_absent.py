"""The reasons why attributes of NumPy's classes are missing.

A class raises an AttributeError for a name that it lacks. For a name of NumPy's, the error gives
the reason and an alternative. Elements have the attributes that only NumPy's scalars have.
"""

from . import _phalanx, random
from ._phalanx import _refusal

_ADDRESS = "memory of devices has no address for C: see DLPack and local_shards"
_COUNTERS = "numbers are a function of a key and a counter: see spawn and advance"
_OF_C = "numbers are drawn on devices, and not by functions of C"

# Attributes of NumPy's scalars, each for some of the dtypes.
_OF_SCALARS = frozenset("as_integer_ratio bit_count denominator hex is_integer numerator".split())

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


def _is_element_with(object, name):
    """Whether an object is an element of a dtype whose scalars have an attribute in NumPy."""
    is_element = isinstance(object, _phalanx.ndarray) and _phalanx.isscalar(object)
    return is_element and hasattr(object.dtype.type, name)


def _of_scalar(element, name):
    """An attribute of an element as a number. Collective: the element is observed."""
    import numpy

    found = getattr(element.get()[()], name)
    return found.item() if isinstance(found, numpy.generic) else found


def _refuse(kind, reasons):
    """Makes a class report why names are missing."""
    reasons = {name: reason for names, reason in reasons.items() for name in names.split()}

    def __getattr__(self, name):
        text = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name in reasons:
            raise _refusal(AttributeError, "absent", f"{text}: {reasons[name]}")
        if name in _OF_SCALARS and _is_element_with(self, name):
            return _of_scalar(self, name)
        raise AttributeError(text, name=name, obj=self)

    kind.__getattr__ = __getattr__


for _kind, _reasons in _ABSENT.items():
    _refuse(_kind, _reasons)
