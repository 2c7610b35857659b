"""CuPy's memory pools and pointers: names of ``phalanx.cuda``.

Each device has a pool, which caches freed memory for later arrays. The pools here report the memory
of this process's devices, and free cached memory. Memory that a program allocates itself is a
number of bytes on the current GPU, or on the host.
"""

import contextlib as _contextlib

from . import _cuda_streams as _streams
from . import _phalanx
from ._phalanx import _refusal


class MemoryPool:
    """The memory of this process's devices."""

    def __init__(self, allocator=None):
        pass

    def used_bytes(self):
        """The bytes that arrays and running plans hold."""
        return sum(held[0] for held in _phalanx._device_memory())

    def peak_bytes(self):
        """The most bytes that arrays and running plans have held since ``reset_peak``."""
        return sum(held[1] for held in _phalanx._device_memory())

    def reset_peak(self):
        """Sets the peak to the bytes that are held now."""
        _phalanx._reset_peak()

    def total_bytes(self):
        """The bytes that arrays hold and that are cached for later arrays."""
        return self.used_bytes() + self.free_bytes()

    def free_bytes(self):
        """The bytes that GPUs cache for later arrays; the cache of a CPU is not reported."""
        return sum(held[3] for held in _phalanx._device_memory())

    def n_free_blocks(self):
        """The number of cached memory blocks."""
        return sum(held[4] for held in _phalanx._device_memory())

    def get_limit(self):
        """The memory limit of a device in bytes; 0 without a limit."""
        return max((held[2] or 0 for held in _phalanx._device_memory()), default=0)

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
            limits = [int(fraction * _phalanx._gpu_memory(gpu)[1]) for gpu in range(len(gpus))]
        else:
            if size is not None and size < 0:
                raise _refusal(
                    ValueError, "value", f"set_limit: size is not negative, as {size} is"
                )
            limits = [size or 0] * len(gpus)
        _phalanx._set_memory_limit([limit or None for limit in limits])

    def free_all_blocks(self, stream=None):
        """Returns the memory that GPUs cache to CUDA, once nothing uses it."""
        _phalanx._release_cached()

    def free_all_free(self):
        """As ``free_all_blocks``."""
        self.free_all_blocks()

    def malloc(self, size):
        """Allocates bytes on the current device."""
        return alloc(size)


MemoryAsyncPool = MemoryPool


class PinnedMemoryPool:
    """Pinned memory of the host, which GPUs access directly; ordinary memory on CPUs."""

    def __init__(self, allocator=None):
        pass

    def malloc(self, size):
        """Allocates pinned memory on the host."""
        return alloc_pinned_memory(size)

    def n_free_blocks(self):
        """The number of cached memory blocks."""
        return _phalanx._free_pinned_blocks()

    def free_all_blocks(self):
        """Returns the cached memory blocks to the system."""
        _phalanx._release_pinned()


class PinnedMemoryPointer(bytearray):
    """Writable bytes of the host, for ``numpy.frombuffer(memory, dtype, count)``. In a session with
    GPUs they are pinned."""

    @property
    def ptr(self):
        """The address."""
        import ctypes

        return ctypes.addressof((ctypes.c_char * len(self)).from_buffer(self)) if self else 0

    @property
    def mem(self):
        """The owner of the bytes."""
        return self

    def size(self):
        """The number of bytes."""
        return len(self)


class MemoryPointer(PinnedMemoryPointer):
    """Bytes of a CPU device, which uses the host's memory."""

    device_id = 0

    def copy_from_host(self, mem, size):
        """Copies from an address."""
        import ctypes

        ctypes.memmove(self.ptr, getattr(mem, "value", mem), size)

    def copy_to_host(self, mem, size):
        """Copies to an address."""
        import ctypes

        ctypes.memmove(getattr(mem, "value", mem), self.ptr, size)

    def memset(self, value, size):
        """Sets the first bytes."""
        self[:size] = bytes([value]) * size


class _Variable:
    """The memory of a variable of a program: that on each GPU is written, that on the first is
    read. Recorded operations run before, so copies are Collective."""

    device_id = 0

    def __init__(self, program, addresses, size):
        self._program, self._size, self.ptr = program, size, addresses[0]
        self._each = [
            _phalanx._DeviceBytes.at(device, address, size)
            for device, address in enumerate(addresses)
        ]

    @property
    def mem(self):
        """The owner of the bytes."""
        return self._program

    def size(self):
        """The number of bytes."""
        return self._size

    __len__ = size

    def copy_from_host(self, mem, size):
        """Copies from an address of the host."""
        _phalanx._synchronize()
        for each in self._each:
            each.copy_from_host(mem, size)

    def copy_from(self, mem, size):
        """Copies from an address of the host, or from memory of a GPU."""
        self.copy_from_host(_bytes_at(mem, size), size)

    copy_from_device = copy_from

    def copy_to_host(self, mem, size):
        """Copies to an address of the host."""
        _phalanx._synchronize()
        self._each[0].copy_to_host(mem, size)

    def memset(self, value, size):
        """Sets the first bytes."""
        _phalanx._synchronize()
        for each in self._each:
            each.memset(value, size)


def _bytes_at(mem, size):
    """The address of a copy on the host of memory of a GPU; an address of the host itself."""
    import ctypes

    if not hasattr(mem, "copy_to_host"):
        return mem
    copy = ctypes.create_string_buffer(size)
    mem.copy_to_host(ctypes.addressof(copy), size)
    return _Kept(ctypes.addressof(copy), copy)


class _Kept(int):
    """An address, with the object that has the memory."""

    def __new__(cls, address, owner):
        made = super().__new__(cls, address)
        made.owner = owner
        return made


def alloc(size):
    """Allocates uninitialised bytes on the current device."""
    if _phalanx._gpus():
        return _phalanx._DeviceBytes(_streams._current.device, size)
    return MemoryPointer(size)


def alloc_pinned_memory(size):
    """Allocates bytes on the host, which are pinned if the session has GPUs."""
    if _phalanx._gpus():
        return _phalanx._PinnedBuffer(_streams._current.device, size)
    return PinnedMemoryPointer(size)


malloc_managed = malloc_async = alloc
_pool = MemoryPool()
_pinned = PinnedMemoryPool()


def get_default_memory_pool():
    """The pool of all arrays."""
    return _pool


def get_default_pinned_memory_pool():
    """The pool of the memory that programs have pinned."""
    return _pinned


def get_allocator():
    """The function that allocates."""
    return alloc


def set_allocator(allocator=None):
    """Does nothing: arrays use the pools of the devices."""


def set_pinned_memory_allocator(allocator=None):
    """As ``set_allocator``."""


@_contextlib.contextmanager
def using_allocator(allocator=None):
    """A context manager without effect: arrays use the pools of the devices."""
    yield
