"""CuPy's memory pools and pointers: names of ``phalanx.cuda``.

Each device has a pool, which caches freed memory for later arrays. The pools here report the memory
of this process's devices, and free cached memory. Memory that a program allocates itself is a
number of bytes on the current GPU, or on the host.
"""

from . import _phalanx
from ._cuda_allocators import (
    CFunctionAllocator as CFunctionAllocator,
    CFunctionAllocatorMemory as CFunctionAllocatorMemory,
    MemoryAsyncPool as MemoryAsyncPool,
    MemoryPool as MemoryPool,
    PythonFunctionAllocator as PythonFunctionAllocator,
    PythonFunctionAllocatorMemory as PythonFunctionAllocatorMemory,
    SingleDeviceMemoryPool as SingleDeviceMemoryPool,
    alloc as alloc,
    get_allocator as get_allocator,
    malloc_async as malloc_async,
    malloc_managed as malloc_managed,
    set_allocator as set_allocator,
    using_allocator as using_allocator,
)
from ._cuda_memory_classes import (
    BaseMemory as BaseMemory,
    ManagedMemory as ManagedMemory,
    Memory as Memory,
    MemoryAsync as MemoryAsync,
    MemoryPointer as MemoryPointer,
    OutOfMemoryError as OutOfMemoryError,
    PinnedMemory as PinnedMemory,
    PinnedMemoryPointer as PinnedMemoryPointer,
    PooledMemory as PooledMemory,
    PooledPinnedMemory as PooledPinnedMemory,
    SystemMemory as SystemMemory,
    UnownedMemory as UnownedMemory,
    _Variable as _Variable,
    is_memory_pinned as is_memory_pinned,
    malloc_system as malloc_system,
)


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


def alloc_pinned_memory(size):
    """Allocates bytes on the host, which are pinned if the session has GPUs."""
    return PinnedMemoryPointer(PooledPinnedMemory(size), 0)


_pinned = PinnedMemoryPool()


def get_default_pinned_memory_pool():
    """The pool of the memory that programs have pinned."""
    return _pinned


def set_pinned_memory_allocator(allocator=None):
    """Does nothing: pinned memory is cached by the devices."""
