"""CuPy's memory pools and allocators: names of ``phalanx.cuda``.

The arrays of a GPU take their memory from the pool of its device, which caches freed memory for
later arrays. ``set_allocator`` chooses where the pool takes new memory from, and whether it caches.
On a CPU all memory is the host's, and an allocator has no effect on arrays.
"""

import contextlib as _contextlib
import sys as _sys

from . import _cuda_streams as _streams
from . import _phalanx
from ._cuda_memory_classes import (
    BaseMemory, ManagedMemory, MemoryAsync, MemoryPointer, pooled as _pooled,
)
from ._phalanx import _refusal


class MemoryPool:
    """The memory of this process's devices.

    With an allocator, such as ``malloc_managed``, ``set_allocator(pool.malloc)`` lets the devices
    take new memory from it. All pools report the memory of the devices.
    """

    def __init__(self, allocator=None):
        self._allocator = allocator

    def _held(self):
        """What the devices hold: the bytes in use, their peak, the limit, the bytes that are cached
        and the number of cached blocks of each."""
        return _phalanx._device_memory()

    def used_bytes(self):
        """The bytes that arrays and running plans hold."""
        return sum(held[0] for held in self._held())

    def peak_bytes(self):
        """The most bytes that arrays and running plans have held since ``reset_peak``."""
        return sum(held[1] for held in self._held())

    def reset_peak(self):
        """Sets the peak to the bytes that are held now."""
        _phalanx._reset_peak()

    def total_bytes(self):
        """The bytes that arrays hold and that are cached for later arrays."""
        return self.used_bytes() + self.free_bytes()

    def free_bytes(self):
        """The bytes that GPUs cache for later arrays; the cache of a CPU is not reported."""
        return sum(held[3] for held in self._held())

    def n_free_blocks(self):
        """The number of cached memory blocks."""
        return sum(held[4] for held in self._held())

    def get_limit(self):
        """The memory limit of a device in bytes; 0 without a limit."""
        return max((held[2] or 0 for held in self._held()), default=0)

    def set_limit(self, size=None, fraction=None):
        """Sets the memory limit of each GPU, in bytes or as a part of its memory; 0 for no limit.

        On CPUs, and with several processes, set the limit by ``phalanx.init(memory_limit=...)``, so
        that all processes know it.
        """
        if size is not None and fraction is not None:
            raise _refusal(
                ValueError, "value", "set_limit: size and fraction cannot both be given"
            )
        gpus = _phalanx._gpus()
        if not gpus or _phalanx.size() > 1:
            if fraction is not None or size != self.get_limit():
                limit = "80%" if size is None else size
                raise _refusal(
                    ValueError,
                    "fixed",
                    "set_limit: on CPUs, and with several processes, the limit is that with which "
                    "the session started",
                    f"phalanx.init(memory_limit={limit!r}) before the first array, or start the "
                    f"program with PHALANX_MEMORY_LIMIT={limit}",
                )
            return
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise _refusal(
                    ValueError, "value", f"set_limit: fraction is from 0 to 1, not {fraction}"
                )
            limits = [int(fraction * _phalanx._gpu_memory(gpu)[1]) for gpu in self._devices()]
        else:
            if size is not None and size < 0:
                raise _refusal(
                    ValueError, "value", f"set_limit: size is not negative, as {size} is"
                )
            limits = [size or 0 for _ in self._devices()]
        all_limits = [held[2] for held in _phalanx._device_memory()]
        for device, limit in zip(self._devices(), limits):
            all_limits[device] = limit or None
        _phalanx._set_memory_limit(all_limits)

    def free_all_blocks(self, stream=None):
        """Returns the memory that GPUs cache to CUDA, once nothing uses it."""
        _phalanx._release_cached()

    def free_all_free(self):
        """As ``free_all_blocks``."""
        self.free_all_blocks()

    def malloc(self, size):
        """Allocates bytes on the current device."""
        return alloc(size) if self._allocator is None else self._allocator(size)

    def _devices(self):
        """The numbers of the devices."""
        return range(len(_phalanx._device_memory()))


class SingleDeviceMemoryPool(MemoryPool):
    """The memory of the device that is current when the pool is made: as ``MemoryPool``, but it
    reports and limits that device alone, and ``malloc`` takes memory there. Its cached memory is
    released with that of the other devices."""

    def __init__(self, allocator=None):
        super().__init__(allocator)
        self.device_id = _streams._current.device

    def _held(self):
        return [_phalanx._device_memory()[self.device_id]]

    def _devices(self):
        return (self.device_id,)

    def malloc(self, size):
        """Allocates bytes on the device of the pool."""
        with _sys.modules["phalanx.cuda"].Device(self.device_id):
            return super().malloc(size)


class MemoryAsyncPool(MemoryPool):
    """As ``MemoryPool``, but ``set_allocator(pool.malloc)`` lets the devices take new memory from
    the pool of CUDA's driver, which other libraries of the process share. Of ``pool_handles`` only
    the current pool of each device is used."""

    memoryAsyncHasStat = True

    def __init__(self, pool_handles="current"):
        super().__init__()
        self.pool_handles = pool_handles


class PythonFunctionAllocatorMemory(BaseMemory):
    """Memory of a ``PythonFunctionAllocator``."""

    def __init__(self, size, malloc_func, free_func):
        self.size, self.device_id, self._free = size, _streams._current.device, free_func
        self.ptr = int(malloc_func(size, self.device_id))
        if not self.ptr:
            raise _refusal(MemoryError, "value", f"the allocator gave no {size} bytes")

    def __del__(self):
        if self.ptr:
            _phalanx._while_freeing(self._free, self.ptr, self.device_id)


class CFunctionAllocatorMemory(PythonFunctionAllocatorMemory):
    """Memory of a ``CFunctionAllocator``."""

    def __init__(self, size, malloc_func, free_func, owner):
        self._owner = owner
        super().__init__(size, malloc_func, free_func)


class PythonFunctionAllocator:
    """An allocator of two functions of Python.

    ``malloc_func(size, device_id)`` returns the address of memory, a multiple of 256;
    ``free_func(address, device_id)`` takes it back, once no work of arrays uses it. Neither may use
    arrays of Phalanx. ``set_allocator(allocator.malloc)`` lets the devices use it.
    """

    def __init__(self, malloc_func, free_func):
        for function in (malloc_func, free_func):
            if not callable(function):
                raise _refusal(
                    TypeError, "type",
                    f"PythonFunctionAllocator: an allocator is made of functions, and "
                    f"{function!r} is none",
                )
        self._malloc, self._free = malloc_func, free_func

    def malloc(self, size):
        """Allocates bytes on the current device.

        Parameters
        ----------
        size : int
            The number of bytes.

        Returns
        -------
        MemoryPointer
            The memory, which is freed when the last pointer into it is dropped.

        Raises
        ------
        MemoryError
            The function gave no memory.

        Notes
        -----
        Local.
        """
        return MemoryPointer(self._memory(size), 0)

    def _memory(self, size):
        return PythonFunctionAllocatorMemory(size, self._malloc, self._free)


class CFunctionAllocator(PythonFunctionAllocator):
    """An allocator of two functions of C, ``void* malloc(void* param, size_t size, int device)``
    and ``void free(void* param, void* address, int device)``, given by their addresses. ``owner``
    is kept as long as the allocator and its memory."""

    def __init__(self, param, malloc_func, free_func, owner):
        import ctypes

        address, number = ctypes.c_void_p, ctypes.c_int
        give = ctypes.CFUNCTYPE(address, address, ctypes.c_size_t, number)(malloc_func)
        take = ctypes.CFUNCTYPE(None, address, address, number)(free_func)
        self._owner = owner
        super().__init__(
            lambda size, device: give(param, size, device) or 0,
            lambda pointer, device: take(param, pointer, device),
        )

    def _memory(self, size):
        return CFunctionAllocatorMemory(size, self._malloc, self._free, self._owner)


def alloc(size):
    """Allocates uninitialised bytes on the current device."""
    return _pooled(size)


def malloc_async(size):
    """As ``alloc``, of the pool of CUDA's driver."""
    if not _phalanx._gpus():
        return alloc(size)
    return MemoryPointer(MemoryAsync(size, _streams.get_current_stream()), 0)


_pool = MemoryPool()
# The allocator that `set_allocator` has chosen, and the session in which it did.
_chosen = (None, _pool.malloc)


def malloc_managed(size):
    """As ``alloc``, of memory that the host addresses too, and that may
    exceed the GPU's own."""
    return MemoryPointer(ManagedMemory(size), 0) if _phalanx._gpus() else alloc(size)


def get_default_memory_pool():
    """The pool of all arrays."""
    return _pool


def get_allocator():
    """The function that ``set_allocator`` has chosen; the ``malloc`` of the default pool at
    first."""
    session, allocator = _chosen
    return allocator if session == _phalanx._session_number() else _pool.malloc


def set_allocator(allocator=None):
    """Chooses where the pools of this process's GPUs take new memory from.

    Parameters
    ----------
    allocator : callable, optional
        The ``malloc`` of a pool: memory is cached for later arrays. ``MemoryPool()`` takes memory
        of the GPU, ``MemoryPool(malloc_managed)`` memory that may exceed it, ``MemoryAsyncPool()``
        that of the driver's pool. Any other function of a number of bytes, such as the ``malloc``
        of a ``PythonFunctionAllocator``: it returns an object with the address as ``ptr``, which is
        dropped when no work uses the memory; nothing is cached, so that the other library can use
        the memory. None: memory of the GPU that is not cached.

    Returns
    -------
    None
        Nothing.

    Raises
    ------
    TypeError
        The allocator is not callable.

    Notes
    -----
    Collective: all recorded operations run first. The choice lasts until the session ends. A
    function is called by any thread, while operations wait: it must not use arrays of Phalanx. An
    operation raises MemoryError if the function does, and after any other exception, which is
    printed.
    """
    global _chosen

    if allocator is not None and not callable(allocator):
        raise _refusal(
            TypeError, "type", f"set_allocator: an allocator is callable, and {allocator!r} is not"
        )
    _phalanx._synchronize()
    if _phalanx._gpus():
        _phalanx._set_allocator(*_native(allocator))
    _chosen = (_phalanx._session_number(), allocator)


def _native(allocator):
    """The allocator as the module's: the kind of memory or a function, and whether the pools
    cache."""
    from . import cuda

    own = getattr(allocator, "__self__", None)
    if allocator is None:
        return "device", False
    if isinstance(own, MemoryAsyncPool):
        return "async", True
    is_pool = isinstance(own, MemoryPool)
    inner = own._allocator if is_pool else allocator
    if inner in (None, alloc):
        return "device", is_pool
    if inner in (malloc_managed, cuda.malloc_managed):
        return "managed", is_pool
    if inner is malloc_async:
        return "async", is_pool

    def give(size, device):
        before, _streams._current.device = _streams._current.device, device
        try:
            memory = inner(size)
        finally:
            _streams._current.device = before
        return int(memory.ptr), memory

    return give, is_pool


@_contextlib.contextmanager
def using_allocator(allocator=None):
    """A context manager: ``set_allocator`` for its ``with`` block, in all threads. Collective."""
    before = get_allocator()
    set_allocator(allocator)
    try:
        yield
    finally:
        set_allocator(before)


def pluggable_allocator():
    """An allocator for PyTorch that takes memory from the pools of this process's GPUs, so that
    both libraries share one pool: ``torch.cuda.memory.change_current_allocator`` installs it before
    PyTorch uses a GPU.

    Returns
    -------
    torch.cuda.memory.CUDAPluggableAllocator
        The allocator.

    Raises
    ------
    ImportError
        PyTorch is not installed.

    Notes
    -----
    Local. The session must not end before PyTorch has given its memory back.
    """
    import torch

    _phalanx._gpus()
    return torch.cuda.memory.CUDAPluggableAllocator(
        _phalanx.__file__, "phalanx_allocate", "phalanx_free"
    )
