"""CuPy's ``cuda.thrust``: sorting of memory at addresses.

The elements pass through the memory of the host, and are sorted by the devices of the session;
arrays are sorted where they are by ``sort``, ``argsort`` and ``lexsort`` of ``phalanx``.
"""

import numpy as _numpy

from . import _phalanx
from ._cuda_documented import documented as _documented
from ._phalanx import _refusal

# Whether the functions are there.
available = True

_DTYPE = ("dtype", "The dtype of the elements.")
_SHAPE = ("tuple of int", "The shape; elements are sorted along the last axis.")
_DATA = ("int", "The address of the elements, in C order.")
_INDICES = ("int", "The address of the positions, which are written, of 8 bytes each.")
_UNUSED = ("int", "Without effect.")
_RAISES = {"TypeError": "Elements of the dtype are not sorted."}


def _pointer(address, count):
    """The memory at an address."""
    from .cuda import MemoryPointer, UnownedMemory

    return MemoryPointer(UnownedMemory(int(address), count, None), 0)


def _read(function, dtype, address, shape):
    """The elements at an address."""
    dtype = _numpy.dtype(dtype)
    if dtype.hasobject or dtype.kind not in "biufc":
        raise _refusal(
            TypeError, "dtype", f"{function}(): elements of the dtype {dtype} are not sorted"
        )
    host = _numpy.empty(shape, dtype)
    if host.size:
        _pointer(address, host.nbytes).copy_to_host(host.ctypes.data, host.nbytes)
    return host


def _write(address, values):
    """Writes elements at an address."""
    values = _numpy.ascontiguousarray(values)
    if values.size:
        _pointer(address, values.nbytes).copy_from_host(values.ctypes.data, values.nbytes)


@_documented(raises=_RAISES, dtype=_DTYPE, data_start=_DATA, keys_start=_UNUSED, shape=_SHAPE)
def sort(dtype, data_start, keys_start, shape):
    """Sorts the elements at an address."""
    host = _read("sort", dtype, data_start, tuple(shape))
    _write(data_start, _phalanx.sort(_phalanx.asarray(host), axis=-1).get())


@_documented(raises=_RAISES, dtype=_DTYPE, idx_start=_INDICES, data_start=_DATA,
             keys_start=_UNUSED, shape=_SHAPE)
def argsort(dtype, idx_start, data_start, keys_start, shape):
    """Writes the positions that sort the elements at an address; equal ones keep their order."""
    host = _read("argsort", dtype, data_start, tuple(shape))
    order = _phalanx.argsort(_phalanx.asarray(host), axis=-1, kind="stable").get()
    _write(idx_start, order.astype("int64"))


@_documented(raises=_RAISES, dtype=_DTYPE, idx_start=_INDICES,
             keys_start=("int", "The address of the keys, in C order; the last row comes first."),
             k=("int", "The number of keys."), n=("int", "The number of elements of a key."))
def lexsort(dtype, idx_start, keys_start, k, n):
    """Writes the positions that sort several keys at an address."""
    host = _read("lexsort", dtype, keys_start, (int(k), int(n)))
    _write(idx_start, _phalanx.lexsort(_phalanx.asarray(host)).get().astype("int64"))
