"""CuPy's cuda module as far as a CPU has it: programs that only ask go on.

Streams and events order nothing here, for operations of a session are in program order already.
"""

import contextlib as _contextlib
import sys as _sys

from . import _cuda_runtime as runtime
from . import _phalanx
from ._cuda_memory import (
    MemoryAsyncPool as MemoryAsyncPool,
    MemoryPointer as MemoryPointer,
    MemoryPool as MemoryPool,
    PinnedMemoryPointer as PinnedMemoryPointer,
    PinnedMemoryPool as PinnedMemoryPool,
    alloc as alloc,
    alloc_pinned_memory as alloc_pinned_memory,
    get_allocator as get_allocator,
    get_default_memory_pool as get_default_memory_pool,
    get_default_pinned_memory_pool as get_default_pinned_memory_pool,
    malloc_async as malloc_async,
    malloc_managed as malloc_managed,
    set_allocator as set_allocator,
    set_pinned_memory_allocator as set_pinned_memory_allocator,
    using_allocator as using_allocator,
)

# By its path, too, as if this were a folder.
_sys.modules["phalanx.cuda.runtime"] = runtime


def is_available():
    """Whether a device of CUDA is used: not by this session."""
    return False


class Stream:
    """A stream. All work is in program order."""

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self.null = null

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def synchronize(self):
        """Waits until all that is recorded has run. Collective."""
        _phalanx._synchronize()

    def record(self, event=None):
        """An event at this point of the program."""
        return (event or Event()).record(self)

    def wait_event(self, event):
        """Later work comes later anyway."""


Stream.null = Stream(null=True)


class Event:
    """A point of the program."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self._time = None

    def record(self, stream=None):
        """Waits until all that is recorded has run, and notes the time on the host."""
        import time

        _phalanx._synchronize()
        self._time = time.perf_counter()
        return self

    def synchronize(self):
        """The point has been reached already: `record` waits for it."""


def get_elapsed_time(start_event, end_event):
    """Milliseconds of the host between two events that have been recorded."""
    if start_event._time is None or end_event._time is None:
        raise ValueError("get_elapsed_time: both events must have been recorded")
    return (end_event._time - start_event._time) * 1e3


def get_current_stream():
    """The stream of all work."""
    return Stream.null


class Device:
    """A device of this process."""

    def __init__(self, device=None):
        self.id = 0 if device is None else int(device)

    def __int__(self):
        return self.id

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return hash(("phalanx.cuda.Device", self.id))

    def __repr__(self):
        return f"<Device {self.id}: cpu>"

    @property
    def mem_info(self):
        """Bytes that are free, and all."""
        return runtime.memGetInfo()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def use(self):
        """Nothing changes: a session uses all its devices."""
        return self

    def synchronize(self):
        """Waits until all that is recorded has run. Collective."""
        _phalanx._synchronize()


@_contextlib.contextmanager
def profile():
    """A block that a profiler would look at."""
    yield


def get_device_id():
    """The first device: operations are of all."""
    return 0


def get_cuda_path():
    """Where CUDA is installed: the session does not look for it."""
    return None
