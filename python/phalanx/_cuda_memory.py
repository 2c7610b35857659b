"""CuPy's memory pools and pointers, as far as a CPU has them: names of ``phalanx.cuda``.

Each device has a pool, whose limit is that of ``phalanx.init(memory_limit=...)``. Pools here tell
what it holds. What a program allocates by itself is memory of the host.
"""

import contextlib as _contextlib

from . import _phalanx


class MemoryPool:
    """The memory of this process's devices."""

    def __init__(self, allocator=None):
        pass

    def used_bytes(self):
        """Bytes that arrays, and plans under way, hold."""
        return sum(used for used, _, _ in _phalanx._device_memory())

    def total_bytes(self):
        """As ``used_bytes``: what the pool keeps for later is given back when it is needed."""
        return self.used_bytes()

    def free_bytes(self):
        """Bytes that the pool says it keeps for later: none."""
        return 0

    def n_free_blocks(self):
        """How many blocks the pool says it keeps for later: none."""
        return 0

    def get_limit(self):
        """The most bytes that a device may hold; 0 without a limit."""
        return max((limit or 0 for _, _, limit in _phalanx._device_memory()), default=0)

    def set_limit(self, size=None, fraction=None):
        """Only the limit that there is: ``phalanx.init(memory_limit=...)`` sets it."""
        if fraction is not None or size != self.get_limit():
            raise ValueError("the limit is set by phalanx.init(memory_limit=...), for all processes")

    def free_all_blocks(self, stream=None):
        """Nothing is kept that anybody else lacks."""

    def free_all_free(self):
        """As ``free_all_blocks``."""

    def malloc(self, size):
        """Memory of the host."""
        return alloc(size)


MemoryAsyncPool = MemoryPool


class PinnedMemoryPool:
    """Memory of the host, which for a CPU is as good as pinned."""

    def __init__(self, allocator=None):
        pass

    def malloc(self, size):
        """Memory of the host."""
        return alloc_pinned_memory(size)

    def n_free_blocks(self):
        """None are kept."""
        return 0

    def free_all_blocks(self):
        """None are kept."""


class PinnedMemoryPointer(bytearray):
    """Bytes of the host that may be written: ``numpy.frombuffer(memory, dtype, count)``."""

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
    """Bytes of a device, which is the host."""

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
    """Bytes of a device."""
    return MemoryPointer(size)


def alloc_pinned_memory(size):
    """Bytes of the host."""
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
