"""The names and methods that the Array API standard requires besides functions.

Dtypes, their limits and the exceptions are NumPy's own objects, which are looked up at the first
use: `import phalanx` does not import NumPy.
"""

import math as _math

from . import _phalanx
from ._modules import OF_NUMPY as _OF_NUMPY_MODULES
from ._phalanx import _refusal

__array_api_version__ = "2024.12"

e = _math.e
euler_gamma = 0.57721566490153286060651209008240243
inf = _math.inf
nan = _math.nan
newaxis = None
pi = _math.pi

# The dtypes that arrays have, by their kinds in the standard.
_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]
_EVERY_DTYPE = _KINDS["bool"] + _KINDS["numeric"]

# NumPy's names, unless the native module has its own.
_OF_NUMPY = frozenset(
    """
    bool bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64
    complex64 complex128 byte ubyte short ushort intc uintc int_ uint intp uintp long ulong
    longlong ulonglong half single double csingle cdouble generic number integer signedinteger
    unsignedinteger inexact floating complexfloating dtype finfo iinfo isdtype
    True_ False_ ScalarType typecodes sctypeDict little_endian
    """.split()
)
# The reasons why other names of NumPy are missing.
_ABSENT = {
    "char str_ bytes_ character flexible strings": "arrays hold no text",
    "object_ void rec record recarray": "arrays hold numbers and truth values alone",
    "datetime64 timedelta64 datetime_as_string datetime_data busday_count busday_offset "
    "busdaycalendar is_busday isnat": "arrays hold no dates",
    "longdouble clongdouble float128 complex256": "there is no dtype of more than 64 bits a part",
    "matrix asmatrix bmat": "use arrays of two axes, and block",
    "ma": "there are no masked arrays: see where, nanmean and boolean masks",
    "nditer nested_iters": "arrays are not traversed by pointers: see ndenumerate and broadcast",
    "memmap": "load reads .npy files by blocks, each process its own",
    "fromregex": "read the text with NumPy, then asarray",
    "get_include f2py ctypeslib": "memory of devices has no address for C: see DLPack",
    "getbufsize setbufsize": "operations have no buffers of their own",
    "test": "the tests are not part of the package",
    "core": "it holds what NumPy does not show: its names are in the module itself",
}
_REASONS = {name: reason for names, reason in _ABSENT.items() for name in names.split()}
# Names of the module `cupy` that are in a submodule of ours.
_ELSEWHERE = {
    "get_default_memory_pool": "cuda",
    "get_default_pinned_memory_pool": "cuda",
    "is_available": "cuda",
    "clear_memo": "x",
    "memoize": "x",
}
# Modules that are imported at the first use.
_MODULES = frozenset("cuda distributed exceptions lib polynomial testing version x".split())
_MODULES |= {name for name in _OF_NUMPY_MODULES if "." not in name}


def __getattr__(name):
    """A module, or a name of NumPy's, which is stored in the module at the first use."""
    if name in _MODULES:
        import importlib

        return importlib.import_module(f"phalanx.{name}")
    if name == "emath":
        from .lib import scimath

        return scimath
    if name in _ELSEWHERE:
        import importlib

        found = getattr(importlib.import_module(f"phalanx.{_ELSEWHERE[name]}"), name)
    elif name == "bfloat16":
        import ml_dtypes

        found = ml_dtypes.bfloat16
    elif name in _OF_NUMPY:
        import numpy

        found = getattr(numpy, name)
    else:
        reason = f": {_REASONS[name]}" if name in _REASONS else ""
        raise _refusal(
            AttributeError,
            "absent",
            f"module 'phalanx' has no attribute '{name}'{reason}",
        )
    import phalanx

    setattr(phalanx, name, found)
    return found


def info(object=None, maxwidth=76, output=None, toplevel="numpy"):
    """Writes a description of a function, a class or an array to standard output or a file.

    Parameters
    ----------
    object : object or str, optional
        The object to describe, or its name in this module; this function for None.
    maxwidth : int, default: 76
        Without effect: lines are not wrapped.
    output : file, optional
        The file to write to; standard output for None.
    toplevel : str, default: 'numpy'
        Without effect: names are those of this module.

    Returns
    -------
    None

    Raises
    ------
    AttributeError
        There is no such name.

    Notes
    -----
    Local.
    """
    import inspect
    import sys

    output = sys.stdout if output is None else output
    if isinstance(object, str):
        import phalanx

        found = phalanx
        for part in object.split("."):
            found = getattr(found, part)
        object = found
    if isinstance(object, _phalanx.ndarray):
        lines = [f"class:  {type(object).__name__}", f"shape:  {object.shape}"]
        lines += [f"type:  {object.dtype}", f"split:  {object.sharding}"]
    elif object is None:
        lines = [info.__doc__]
    else:
        name = getattr(object, "__name__", type(object).__name__)
        signature = getattr(object, "__text_signature__", None) or ""
        lines = [f" {name}{signature}", "", inspect.getdoc(object) or "(no documentation)"]
    print(*lines, sep="\n", file=output)


class _Information:
    """The properties of the namespace that a program can query."""

    def capabilities(self):
        """The optional features of the namespace."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """The device of arrays that are made without `device`."""
        return _phalanx._device_name()

    def devices(self):
        """The devices that `device` may name. How arrays are split over the devices of the mesh is
        not part of this."""
        return [_phalanx._device_name()]

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays that are made without `dtype`."""
        import numpy

        _check_device(device)
        names = {"real floating": "float64", "complex floating": "complex128"}
        names |= {"integral": "int64", "indexing": "int64"}
        return {kind: numpy.dtype(name) for kind, name in names.items()}

    def dtypes(self, *, device=None, kind=None):
        """The dtypes of the standard that arrays may have, all or those of one or several kinds."""
        import numpy

        _check_device(device)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        names = []
        for one in kinds:
            if one is not None and one not in _KINDS:
                raise _refusal(
                    ValueError,
                    "choice",
                    f"{one!r} is no kind of dtype: {', '.join(_KINDS)}",
                )
            names += _EVERY_DTYPE if one is None else _KINDS[one]
        return {name: numpy.dtype(name) for name in _EVERY_DTYPE if name in names}


def __array_namespace_info__():
    """The capabilities, the dtypes and the devices of the namespace."""
    return _Information()


def _check_device(device):
    own = _phalanx._device_name()
    # NumPy's only device stands for that of the session, so that programs for NumPy run.
    if device is not None and device not in (own, "cpu"):
        raise _refusal(
            ValueError,
            "choice",
            f"there is no device {device!r}: arrays are on {own!r}",
        )


def __array_namespace__(self, /, *, api_version=None):
    """The module, for programs that work with any array library."""
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise _refusal(
            ValueError,
            "choice",
            f"there is no namespace of version {api_version!r} of the standard",
        )
    import phalanx

    return phalanx


def to_device(self, device, /, *, stream=None):
    """The array itself: there is no device but the mesh.

    Parameters
    ----------
    device : str
        The value of ``x.device``: 'cuda' on GPUs, else 'cpu'.
    stream : None
        None: arrays have no streams.

    Returns
    -------
    ndarray
        The array itself.

    Raises
    ------
    ValueError
        There is no such device, or a stream is given.

    Notes
    -----
    Local: a process may call it alone.
    """
    _check_device(device)
    if stream is not None:
        raise _refusal(ValueError, "absent", "to_device: arrays have no streams")
    return self


def dumps(self):
    """The array pickled. Collective.

    Returns
    -------
    bytes

    Raises
    ------
    Exception
        A recorded operation has failed.

    Notes
    -----
    Collective: the elements are fetched to the host.
    """
    import pickle

    return pickle.dumps(self)


def dump(self, file):
    """Pickles the array into a file. Collective.

    Parameters
    ----------
    file : path or file
        The file, or its name.

    Returns
    -------
    None

    Raises
    ------
    OSError
        The file cannot be written.

    Notes
    -----
    Collective: the elements are fetched to the host.
    """
    if hasattr(file, "write"):
        file.write(self.dumps())
        return
    with open(file, "wb") as opened:
        opened.write(self.dumps())


def setflags(self, write=None, align=None, uic=None):
    """Allows writes to the array, or refuses them.

    Parameters
    ----------
    write : bool, optional
        Whether writes are allowed; None leaves the flag as it is.
    align : bool, optional
        Without effect.
    uic : bool, optional
        False.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        Writes would be allowed to a view that was read-only when it was made, or to an element.

    Notes
    -----
    Local: a process may call it alone.
    """
    if write is not None:
        self.flags.writeable = bool(write)
    if uic:
        raise _refusal(ValueError, "fixed", "cannot set WRITEBACKIFCOPY flag to True")


for _method in (__array_namespace__, dump, dumps, setflags, to_device):
    setattr(_phalanx.ndarray, _method.__name__, _method)
del _method
