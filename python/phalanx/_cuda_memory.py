"""CuPy's memory pools and pointers: names of ``phalanx.cuda``.

Each device has a pool, which keeps what arrays no longer need for those to come. Pools here tell
what the devices of this process hold, and give back what is kept. What a program allocates by
itself is an array of bytes on the current GPU, or memory of the host.
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
        """Bytes that arrays, and plans under way, hold."""
        return sum(held[0] for held in _phalanx._device_memory())

    def peak_bytes(self):
        """The most bytes that arrays, and plans under way, have held since ``reset_peak``."""
        return sum(held[1] for held in _phalanx._device_memory())

    def reset_peak(self):
        """Makes what is held now the most of it."""
        _phalanx._reset_peak()

    def total_bytes(self):
        """Bytes that arrays hold and that are kept for arrays to come."""
        return self.used_bytes() + self.free_bytes()

    def free_bytes(self):
        """Bytes of GPUs that are kept for arrays to come; what a CPU keeps is not told."""
        return sum(held[3] for held in _phalanx._device_memory())

    def n_free_blocks(self):
        """How many blocks they are."""
        return sum(held[4] for held in _phalanx._device_memory())

    def get_limit(self):
        """The most bytes that a device may hold; 0 without a limit."""
        return max((held[2] or 0 for held in _phalanx._device_memory()), default=0)

    def set_limit(self, size=None, fraction=None):
        """Sets the most bytes that each GPU may hold, or the part of its memory; 0 for no limit.

        On CPUs, and with several processes, the limit is that of ``phalanx.init(memory_limit=...)``,
        which all processes know.
        """
        if size is not None and fraction is not None:
            raise _refusal(
                ValueError, "value", "set_limit: size and fraction cannot both be given"
            )
        gpus = _phalanx._gpus()
        if not gpus or _phalanx.size() > 1:
            if fraction is not None or size != self.get_limit():
                told = "80%" if size is None else size
                raise _refusal(
                    ValueError,
                    "fixed",
                    "set_limit: on CPUs, and with several processes, the limit is that with which "
                    "the session began",
                    f"phalanx.init(memory_limit={told!r}) before the first array, or start the "
                    f"program with PHALANX_MEMORY_LIMIT={told}",
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
        """Gives what GPUs keep for arrays to come back to CUDA, once nothing uses it."""
        _phalanx._release_cached()

    def free_all_free(self):
        """As ``free_all_blocks``."""
        self.free_all_blocks()

    def malloc(self, size):
        """Bytes of the current device."""
        return alloc(size)


MemoryAsyncPool = MemoryPool


class PinnedMemoryPool:
    """Memory of the host that GPUs reach by themselves; for a CPU all is as good as pinned."""

    def __init__(self, allocator=None):
        pass

    def malloc(self, size):
        """Pinned memory of the host."""
        return alloc_pinned_memory(size)

    def n_free_blocks(self):
        """How many blocks are kept for later."""
        return _phalanx._free_pinned_blocks()

    def free_all_blocks(self):
        """Gives them back to the system."""
        _phalanx._release_pinned()


class PinnedMemoryPointer(bytearray):
    """Bytes of the host that may be written: ``numpy.frombuffer(memory, dtype, count)``. Those of a
    session with GPUs are pinned."""

    @property
    def ptr(self):
        """The address."""
        import ctypes

        return ctypes.addressof((ctypes.c_char * len(self)).from_buffer(self)) if self else 0

    @property
    def mem(self):
        """What keeps the bytes."""
        return self

    def size(self):
        """How many bytes."""
        return len(self)


class MemoryPointer(PinnedMemoryPointer):
    """Bytes of a device; here of a CPU, whose memory is the host's."""

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


def alloc(size):
    """Bytes of the current device, whose contents are unspecified."""
    if _phalanx._gpus():
        return _phalanx._DeviceBytes(_streams._current.device, size)
    return MemoryPointer(size)


def alloc_pinned_memory(size):
    """Bytes of the host, which GPUs reach by themselves if the session has any."""
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
    """The pool of what programs have pinned."""
    return _pinned


def get_allocator():
    """What allocates."""
    return alloc


def set_allocator(allocator=None):
    """Arrays have their memory from the devices' pools, whatever is said."""


def set_pinned_memory_allocator(allocator=None):
    """As ``set_allocator``."""


@_contextlib.contextmanager
def using_allocator(allocator=None):
    """A block in which arrays have their memory as always."""
    yield
