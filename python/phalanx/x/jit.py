"""Kernels that are written in Python: CuPy's ``cupyx.jit``.

``rawkernel`` makes a kernel of a function; the other names are for use inside of kernels. Threads
that work together need a GPU; other kernels run on CPUs, too.
"""

import sys as _sys
import types as _types

from .._jit import kernels as _kernels
from .._jit.kernels import blockDim as blockDim
from .._jit.kernels import blockIdx as blockIdx
from .._jit.kernels import gridDim as gridDim
from .._jit.kernels import inside as _inside
from .._jit.kernels import rawkernel as rawkernel
from .._jit.kernels import threadIdx as threadIdx
from .._jit.kernels import warpsize as warpsize


@_inside()
def grid(ndim):
    """The index of the thread in the grid: an integer for ``ndim`` 1, a tuple for 2 and 3."""


@_inside()
def gridsize(ndim):
    """The number of threads of the grid along 1, 2 or 3 axes."""


@_inside()
def laneid():
    """The index of the thread in its warp."""


@_inside()
def syncthreads():
    """Waits until all threads of the thread block are here."""


@_inside()
def syncwarp(*, mask=0xFFFFFFFF):
    """Waits until all threads of the warp that ``mask`` has a bit for are here."""


@_inside()
def shared_memory(dtype, size, alignment=None):
    """Memory that the threads of a thread block share, as a row of elements.

    ``size`` is a known number, or None for dynamic memory, whose bytes are the argument
    ``shared_mem=`` of the call. ``alignment`` is a number of bytes."""


@_inside()
def range(*args, unroll=None):
    """As Python's ``range`` in a ``for`` loop; ``unroll`` is True, False or a number of turns."""


@_inside()
def shfl_sync(mask, var, val_id, *, width=32):
    """The value of ``var`` in lane ``val_id``."""


@_inside()
def shfl_up_sync(mask, var, val_id, *, width=32):
    """The value of ``var`` in the lane that is ``val_id`` lanes below."""


@_inside()
def shfl_down_sync(mask, var, val_id, *, width=32):
    """The value of ``var`` in the lane that is ``val_id`` lanes above."""


@_inside()
def shfl_xor_sync(mask, var, val_id, *, width=32):
    """The value of ``var`` in the lane whose index differs in the bits ``val_id``."""


@_inside()
def atomic_add(array, index, value, alt_value=None):
    """Adds a value to an element at once; returns the element as it was before."""


@_inside()
def atomic_sub(array, index, value, alt_value=None):
    """Subtracts a value from an element at once; returns the element as it was before."""


@_inside()
def atomic_exch(array, index, value, alt_value=None):
    """Stores a value in an element at once; returns the element as it was before."""


@_inside()
def atomic_min(array, index, value, alt_value=None):
    """Stores the lesser of an element and a value at once; returns the element as it was."""


@_inside()
def atomic_max(array, index, value, alt_value=None):
    """Stores the greater of an element and a value at once; returns the element as it was."""


@_inside()
def atomic_inc(array, index, value, alt_value=None):
    """Adds 1 to an element at once, or stores 0 if it is ``value`` or more."""


@_inside()
def atomic_dec(array, index, value, alt_value=None):
    """Subtracts 1 from an element at once, or stores ``value`` if it is 0 or more than that."""


@_inside()
def atomic_cas(array, index, value, alt_value):
    """Stores ``alt_value`` in an element at once if it equals ``value``; returns it as it was."""


@_inside()
def atomic_and(array, index, value, alt_value=None):
    """Combines the bits of an element and a value by `and` at once."""


@_inside()
def atomic_or(array, index, value, alt_value=None):
    """Combines the bits of an element and a value by `or` at once."""


@_inside()
def atomic_xor(array, index, value, alt_value=None):
    """Combines the bits of an element and a value by exclusive `or` at once."""


def _module(name, doc, members):
    """A submodule that can be imported by its path."""
    full = f"phalanx.x.jit.{name}"
    made = _types.ModuleType(full, doc)
    made.__dict__.update(members)
    made.__all__ = sorted(members)
    _sys.modules[full] = made
    return made


@_inside("cg.this_thread_block")
def _this_thread_block():
    """The group of the threads of the thread block."""


@_inside("cg.this_grid")
def _this_grid():
    """The group of all threads of the grid."""


@_inside("cg.sync")
def _sync(group):
    """Waits until all threads of the group are here."""


@_inside("cg.memcpy_async")
def _memcpy_async(group, dst, dst_idx, src, src_idx, size, *, aligned_size=None):
    """Starts a copy of ``size`` bytes from element ``src_idx`` of an array in memory to element
    ``dst_idx`` of shared memory."""


@_inside("cg.wait")
def _wait(group):
    """Waits for all copies that the group has started."""


@_inside("cg.wait_prior")
def _wait_prior(group, step):
    """Waits for all copies that the group has started but the last ``step``."""


def _named(*functions):
    """Functions by the names that they have in their submodule."""
    named = {}
    for function in functions:
        function.__name__ = function.__qualname__ = function.__name__.removeprefix("_")
        named[function.__name__] = function
    return named


@_inside("thrust.make_constant_iterator")
def _make_constant_iterator(value):
    """An iterator over one value."""


@_inside("thrust.make_counting_iterator")
def _make_counting_iterator(value):
    """An iterator over a value and its successors."""


cg = _module(
    "cg", "Groups of threads, and copies that run while threads compute.",
    _named(_this_thread_block, _this_grid, _sync, _memcpy_async, _wait, _wait_prior),
)
cub = _module(
    "cub", "Reductions over warps and thread blocks.",
    {"WarpReduce": _kernels.WarpReduce, "BlockReduce": _kernels.BlockReduce, "Sum": _kernels.Sum,
     "Max": _kernels.Max, "Min": _kernels.Min},
)
thrust = _module(
    "thrust", "Algorithms over iterators, which each thread runs alone.",
    {**_kernels.algorithms(), **_kernels.policies(),
     **_named(_make_constant_iterator, _make_counting_iterator)},
)

__all__ = [
    "atomic_add", "atomic_and", "atomic_cas", "atomic_dec", "atomic_exch", "atomic_inc",
    "atomic_max", "atomic_min", "atomic_or", "atomic_sub", "atomic_xor", "blockDim", "blockIdx",
    "cg", "cub", "grid", "gridDim", "gridsize", "laneid", "range", "rawkernel", "shared_memory",
    "shfl_down_sync", "shfl_sync", "shfl_up_sync", "shfl_xor_sync", "syncthreads", "syncwarp",
    "threadIdx", "thrust", "warpsize",
]
