"""CuPy's classes of memory and of pointers into it: names of ``phalanx.cuda``.

On a GPU the memory is the device's; on a CPU all memory is the host's. A pointer keeps its memory,
and memory is freed when the last pointer into it is dropped. A launch that gets a pointer or memory
as an argument keeps it until the launch has run.

``phalanx.asarray(pointer)`` is an array of the bytes: without a copy on a GPU, with a copy on a
CPU.
"""

import functools as _functools
import weakref as _weakref

from . import _cuda_runtime as _runtime
from . import _cuda_streams as _streams
from . import _phalanx
from ._cuda_documented import _COLLECTIVE, _ORDERED, documented as _documented
from ._cuda_driver_calls import (
    address as _address,
    context as _context,
    stream_handle as _handle,
    within as _within,
)
from ._phalanx import _refusal


class OutOfMemoryError(MemoryError):
    """There is no memory of a size on a device."""

    def __init__(self, size, total, limit=0):
        self._size, self._total, self._limit = size, total, limit
        text = f"no memory for {size:,} bytes on the device, of which {total:,} bytes are in use"
        super().__init__(text + (f" (limit: {limit:,} bytes)" if limit else ""))

    def __reduce__(self):
        return type(self), (self._size, self._total, self._limit)


def _is_on_host():
    return not _phalanx._gpus()


def _host_bytes(size):
    """Memory of the host: the address, and its owner."""
    import ctypes

    owner = ctypes.create_string_buffer(max(size, 1))
    return ctypes.addressof(owner), owner


def _taken(allocate, size):
    """Memory that a function of the runtime allocates; too much is an OutOfMemoryError."""
    try:
        return allocate(size)
    except _runtime.CUDARuntimeError as error:
        if error.status != _runtime.errorMemoryAllocation:
            raise
        # Objects that no launch needs any more are dropped, and their memory is freed.
        _phalanx._synchronize()
        _runtime._kept.clear()
    try:
        return allocate(size)
    except _runtime.CUDARuntimeError as error:
        if error.status != _runtime.errorMemoryAllocation:
            raise
        free, total = _phalanx._gpu_memory(_streams._current.device)
        raise OutOfMemoryError(size, total - free) from None


def _freed(context, name, *arguments):
    """Frees memory when its object is dropped, also after its session and at the end of the
    program."""
    if _within is not None:
        _within(context, name, *arguments)


class BaseMemory:
    """Memory on a device. ``ptr`` is the address, ``size`` the number of bytes, ``device_id`` the
    number of the device."""

    ptr = size = 0
    device_id = 0
    _owner = None

    @property
    def device(self):
        """The device."""
        from .cuda import Device

        return Device(self.device_id)

    def __int__(self):
        return self.ptr

    def __repr__(self):
        return f"<{type(self).__name__} of {self.size} bytes at {self.ptr:#x}>"

    def _place(self, size):
        """Sets the size and the current device; returns whether the memory is the host's."""
        self.size, self.device_id = int(size), _streams._current.device
        is_on_host = _is_on_host()
        self._context = 0 if is_on_host else _context()
        return is_on_host


class Memory(BaseMemory):
    """Memory of the current device that is not cached, of ``runtime.malloc``.

    Parameters
    ----------
    size : int
        The number of bytes.
    """

    def __init__(self, size):
        if self._place(size):
            self.ptr, self._owner = _host_bytes(self.size)
        else:
            self.ptr = _taken(_runtime.malloc, self.size)

    def __del__(self):
        if self.ptr and self._owner is None:
            _freed(self._context, "cuMemFree_v2", self.ptr)


class MemoryAsync(BaseMemory):
    """Memory of the driver's pool, in the order of a stream. ``stream_ref()`` is the stream, or
    None after it was dropped.

    Parameters
    ----------
    size : int
        The number of bytes.
    stream : Stream
        The stream.
    """

    stream_ref = None

    def __init__(self, size, stream):
        self.stream_ref, self._stream = _weakref.ref(stream), _handle(stream)
        if self._place(size):
            self.ptr, self._owner = _host_bytes(self.size)
        else:
            self.ptr = _taken(lambda size: _runtime.mallocAsync(size, stream), self.size)

    def __del__(self):
        if self.ptr and self._owner is None:
            # Without its stream, the memory is freed after all work in CUDA's default stream.
            stream = 0 if self.stream_ref() is None else self._stream
            _freed(self._context, "cuMemFreeAsync", self.ptr, stream)


class UnownedMemory(BaseMemory):
    """Memory of another library.

    Parameters
    ----------
    ptr : int or object
        The address: a number, or an object with ``ptr`` or ``value``.
    size : int
        The number of bytes.
    owner : object
        An object that keeps the memory.
    device_id : int, optional
        The number of the device; by default that of the address.
    """

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self._owner = _address(ptr), int(size), owner
        if self.ptr == 0 and self.size:
            raise _refusal(ValueError, "value", f"UnownedMemory: {size} bytes have no address")
        if device_id < 0:
            known = -1 if _is_on_host() else _runtime.pointerGetAttributes(self.ptr).device
            device_id = known if known >= 0 else _streams._current.device
        self.device_id = device_id


class _Movable(BaseMemory):
    """Memory that the driver moves between the host and the devices."""

    @_documented(notes=_ORDERED, device_id=(
        "int", "The number of the device; by default that of the memory, and "
        "``runtime.cudaCpuDeviceId`` for the host."))
    def prefetch(self, stream, *, device_id=-2):
        """Moves the memory to a device in the order of a stream. Nothing happens on a CPU."""
        if not _is_on_host():
            to = self.device_id if device_id == _runtime.cudaInvalidDeviceId else device_id
            _runtime.memPrefetchAsync(self.ptr, self.size, to, stream)

    @_documented(advise=("int", "The advice, ``runtime.cudaMemAdvise...``."),
                 dev=("Device or int", "The device; ``runtime.cudaCpuDeviceId`` for the host."))
    def advise(self, advise, dev):
        """Advises the driver about the use of the memory. Nothing happens on a CPU."""
        if not _is_on_host():
            _runtime.memAdvise(self.ptr, self.size, advise, int(dev))


class ManagedMemory(_Movable):
    """Memory that the host and all devices address, of ``runtime.mallocManaged``.

    Parameters
    ----------
    size : int
        The number of bytes.
    """

    prefetch, advise = _Movable.prefetch, _Movable.advise

    def __init__(self, size):
        if self._place(size):
            self.ptr, self._owner = _host_bytes(self.size)
        elif self.size:
            self.ptr = _taken(_runtime.mallocManaged, self.size)

    def __del__(self):
        if self.ptr and self._owner is None:
            _freed(self._context, "cuMemFree_v2", self.ptr)


class SystemMemory(_Movable):
    """Ordinary memory of the host, which some GPUs address, too: those with the attribute
    ``cudaDevAttrPageableMemoryAccess``.

    Parameters
    ----------
    size : int
        The number of bytes.
    """

    prefetch, advise = _Movable.prefetch, _Movable.advise

    def __init__(self, size):
        self._place(size)
        self.ptr, self._owner = _host_bytes(self.size)

    @classmethod
    @_documented("SystemMemory", "The memory.", raises={"None": "No error."},
                 owner=("object", "An object that keeps the memory."))
    def from_external(cls, ptr, size, owner):
        """Memory of the host that another library allocated."""
        memory = cls.__new__(cls)
        memory._place(size)
        memory.ptr, memory._owner = _address(ptr), owner
        return memory


class PooledMemory(BaseMemory):
    """Memory of the pool of the current device, which caches it for later arrays when it is freed.

    Parameters
    ----------
    size : int
        The number of bytes.
    """

    def __init__(self, size):
        if self._place(size):
            self.ptr, self._owner = _host_bytes(self.size)
        else:
            self._owner = _phalanx._DeviceBytes(self.device_id, self.size)
            self.ptr = self._owner.ptr

    @_documented(raises={"None": "No error."})
    def free(self):
        """Returns the memory to the pool. No pointer may use it any more."""
        self.ptr, self.size, self._owner = 0, 0, None


class PinnedMemory:
    """Pinned memory of the host, of ``runtime.hostAlloc``; ordinary memory on CPUs. ``ptr`` is the
    address, ``size`` the number of bytes.

    Parameters
    ----------
    size : int
        The number of bytes.
    flags : int, optional
        ``runtime.hostAlloc...``.
    """

    _owner = None
    ptr = 0

    def __init__(self, size, flags=0):
        self.size = int(size)
        if _is_on_host():
            self.ptr, self._owner = _host_bytes(self.size)
        else:
            self._context = _context()
            self.ptr = _taken(lambda size: _runtime.hostAlloc(size, flags), self.size)

    def __int__(self):
        return self.ptr

    def __del__(self):
        if self.ptr and self._owner is None:
            _freed(self._context, "cuMemFreeHost", self.ptr)


class PooledPinnedMemory:
    """Pinned memory of the host that the session caches; ordinary memory on CPUs.

    Parameters
    ----------
    size : int
        The number of bytes.
    """

    def __init__(self, size):
        self.size = int(size)
        if _is_on_host():
            self.ptr, self._owner = _host_bytes(self.size)
        else:
            self._owner = _phalanx._PinnedBuffer(_streams._current.device, self.size)
            self.ptr = self._owner.ptr

    def __int__(self):
        return self.ptr

    @_documented(raises={"None": "No error."})
    def free(self):
        """Returns the memory to the cache. No pointer may use it any more."""
        self.ptr, self.size, self._owner = 0, 0, None


_OFFSET = ("int", "The number of bytes from the start of the memory.")
_HOST = ("int or object", "An address of the host: a number, or an object with ``value``.")
_OTHER = ("MemoryPointer or int", "The source: memory of a device, or an address of the host.")
_MAYBE = ("Stream, optional", "The stream; by default the current one.")
_BYTE = ("int", "The value of each byte.")
_FAULTS = {
    "ValueError": "The memory has fewer bytes.",
    "CUDARuntimeError": "CUDA refuses the call.",
}


def _copying(notes):
    """Documents a method that writes or reads memory."""
    given = {"mem": _HOST, "src": _OTHER, "stream": _MAYBE, "value": _BYTE}

    def complete(function):
        own = dict(given)
        if function.__name__ in ("copy_from", "copy_from_async"):
            own["mem"] = _OTHER
        return _documented(notes=notes, raises=_FAULTS, **own)(function)

    return complete


class MemoryPointer:
    """A place in memory of a device. ``pointer + n`` and ``pointer - n`` are places ``n`` bytes
    after and before it.

    Parameters
    ----------
    mem : BaseMemory
        The memory.
    offset : int
        The number of bytes from its start.
    """

    mem = None
    ptr = device_id = 0

    def __init__(self, mem, offset=0):
        self.mem, self._offset = mem, int(offset)
        self.device_id = mem.device_id
        self.ptr = mem.ptr + self._offset

    @property
    def device(self):
        """The device."""
        from .cuda import Device

        return Device(self.device_id)

    @_documented("int", "The number of bytes.", raises={"None": "No error."})
    def size(self):
        """The number of bytes from this place to the end of the memory."""
        return self.mem.size - self._offset

    def __len__(self):
        return max(self.size(), 0)

    def __int__(self):
        return self.ptr

    def __repr__(self):
        return f"<{type(self).__name__} {self.ptr:#x} device={self.device_id} mem={self.mem!r}>"

    def _moved(self, offset):
        return type(self)(self.mem, offset)

    def __add__(self, offset):
        return self._moved(self._offset + int(offset))

    __radd__ = __iadd__ = __add__

    def __sub__(self, offset):
        return self._moved(self._offset - int(offset))

    __isub__ = __sub__

    def _interface(self):
        self._check_start()
        return {"shape": (len(self),), "typestr": "|u1", "data": (self.ptr, False), "version": 3}

    @property
    def __cuda_array_interface__(self):
        """The bytes from this place for other libraries; on CPUs they have
        ``__array_interface__``."""
        if _is_on_host():
            raise AttributeError("the memory is the host's")
        return {**self._interface(), "strides": None}

    @property
    def __array_interface__(self):
        """The bytes from this place for NumPy; on GPUs they have ``__cuda_array_interface__``."""
        if not _is_on_host():
            raise AttributeError("the memory is on a GPU")
        return self._interface()

    def _check(self, size):
        if not 0 <= size <= self.size():
            raise _refusal(ValueError, "value", f"{size} bytes of {self.size()}")
        self._check_start()

    def _check_start(self):
        # A place before the memory may be passed through, and never read or written.
        if self._offset < 0:
            raise _refusal(
                ValueError, "value", f"a place {-self._offset} bytes before its memory",
                "move the pointer into the memory",
            )

    def _write(self, source, size, kind, stream=None, is_async=False):
        """Copies bytes to this place."""
        self._check(size)
        if isinstance(source, MemoryPointer):
            source._check(size)
        if _is_on_host():
            _move(self.ptr, _address(source), size)
        elif is_async:
            stream = _streams.get_current_stream() if stream is None else stream
            _runtime.memcpyAsync(self.ptr, source, size, kind, stream)
        else:
            _runtime.memcpy(self.ptr, source, size, kind)

    @_copying(_COLLECTIVE)
    def copy_from_device(self, src, size):
        """Copies bytes from memory of a device."""
        self._write(src, size, _runtime.memcpyDeviceToDevice)

    @_copying(_ORDERED)
    def copy_from_device_async(self, src, size, stream=None):
        """Copies bytes from memory of a device, in the order of a stream."""
        self._write(src, size, _runtime.memcpyDeviceToDevice, stream, is_async=True)

    @_copying(_COLLECTIVE)
    def copy_from_host(self, mem, size):
        """Copies bytes from an address of the host."""
        self._write(mem, size, _runtime.memcpyHostToDevice)

    @_copying(_ORDERED)
    def copy_from_host_async(self, mem, size, stream=None):
        """Copies bytes from an address of the host, in the order of a stream. Pinned memory must
        stay until the copy is done."""
        self._write(mem, size, _runtime.memcpyHostToDevice, stream, is_async=True)

    @_copying(_COLLECTIVE)
    def copy_from(self, mem, size):
        """Copies bytes from memory of a device, or from an address of the host."""
        self._write(mem, size, _runtime.memcpyDefault)

    @_copying(_ORDERED)
    def copy_from_async(self, mem, size, stream=None):
        """Copies bytes from memory of a device, or from an address of the host, in the order of a
        stream."""
        self._write(mem, size, _runtime.memcpyDefault, stream, is_async=True)

    @_copying(_COLLECTIVE)
    def copy_to_host(self, mem, size):
        """Copies bytes to an address of the host."""
        self._check(size)
        if _is_on_host():
            _move(_address(mem), self.ptr, size)
        else:
            _runtime.memcpy(mem, self.ptr, size, _runtime.memcpyDeviceToHost)

    @_copying(_ORDERED)
    def copy_to_host_async(self, mem, size, stream=None):
        """Copies bytes to an address of the host, in the order of a stream."""
        self._check(size)
        if _is_on_host():
            _move(_address(mem), self.ptr, size)
        else:
            stream = _streams.get_current_stream() if stream is None else stream
            _runtime.memcpyAsync(mem, self.ptr, size, _runtime.memcpyDeviceToHost, stream)

    @_copying(_COLLECTIVE)
    def memset(self, value, size):
        """Sets bytes from this place."""
        self._set(value, size)

    @_copying(_ORDERED)
    def memset_async(self, value, size, stream=None):
        """Sets bytes from this place, in the order of a stream."""
        self._set(value, size, stream, is_async=True)

    def _set(self, value, size, stream=None, is_async=False):
        self._check(size)
        if _is_on_host():
            import ctypes

            ctypes.memset(self.ptr, value, size)
        elif is_async:
            stream = _streams.get_current_stream() if stream is None else stream
            _runtime.memsetAsync(self.ptr, value, size, stream)
        else:
            _runtime.memset(self.ptr, value, size)


def _move(to, start, size):
    import ctypes

    ctypes.memmove(to, start, size)


class _Variable(MemoryPointer):
    """A place in a variable of a program: writes go to the variable on each GPU, reads are those of
    the first."""

    def __init__(self, program, addresses, size, offset=0):
        self._program, self._addresses = program, addresses
        super().__init__(UnownedMemory(addresses[0], size, program, 0), offset)

    def _moved(self, offset):
        return _Variable(self._program, self._addresses, self.mem.size, offset)

    def _each(self, act):
        """Acts on the variable on each GPU. All but the first are complete at the end."""
        before = _streams._current.device
        try:
            for device, address in enumerate(self._addresses[1:], 1):
                _streams._current.device = device
                act(MemoryPointer(
                    UnownedMemory(address, self.mem.size, self._program, device), self._offset))
        finally:
            _streams._current.device = before

    def _write(self, source, size, kind, stream=None, is_async=False):
        super()._write(source, size, kind, stream, is_async)
        self._each(lambda one: one._write(source, size, kind))

    def _set(self, value, size, stream=None, is_async=False):
        super()._set(value, size, stream, is_async)
        self._each(lambda one: one._set(value, size))


class PinnedMemoryPointer:
    """A place in memory of the host, as writable bytes for ``numpy.frombuffer(pointer, dtype)``.
    ``ptr`` is the address, ``mem`` the memory. In a session with GPUs the memory is pinned.

    Parameters
    ----------
    mem : PinnedMemory
        The memory.
    offset : int
        The number of bytes from its start.
    """

    mem = None
    ptr = 0

    def __new__(cls, mem, offset=0):
        offset = int(offset)
        if not 0 <= offset <= mem.size:
            raise _refusal(
                ValueError, "value", f"a place {offset} bytes after the start of {mem.size} bytes"
            )
        made = _bytes_class(mem.size - offset).from_address(mem.ptr + offset)
        made.mem, made.ptr, made._offset = mem, mem.ptr + offset, offset
        return made

    def __init__(self, mem, offset=0):
        # The bytes stay as they are.
        pass

    @_documented("int", "The number of bytes.", raises={"None": "No error."})
    def size(self):
        """The number of bytes from this place to the end of the memory."""
        return self.mem.size - self._offset

    def __int__(self):
        return self.ptr

    def __add__(self, offset):
        return PinnedMemoryPointer(self.mem, self._offset + int(offset))

    __radd__ = __iadd__ = __add__

    def __repr__(self):
        return f"<PinnedMemoryPointer {self.ptr:#x} of {self.size()} bytes>"


@_functools.lru_cache(maxsize=256)
def _bytes_class(size):
    """The class of pointers to so many bytes: only arrays of ctypes export a buffer."""
    import ctypes

    return type("PinnedMemoryPointer", (PinnedMemoryPointer, ctypes.c_char * size), {})


def pooled(size):
    """A pointer to new memory of the pool of the current device: what ``alloc`` gives."""
    return MemoryPointer(PooledMemory(size), 0)


@_documented("MemoryPointer", "The memory.", raises={"MemoryError": "The host has no memory."})
def malloc_system(size):
    """Allocates ordinary memory of the host, which some GPUs address, too."""
    return MemoryPointer(SystemMemory(size), 0)


@_documented("bool", "Whether the memory is pinned; never on CPUs.", raises={"None": "No error."},
             data=("int", "The address."))
def is_memory_pinned(data):
    """Whether memory of the host at an address is pinned."""
    return not _is_on_host() and _runtime.pointerGetMemoryType(data) == _runtime.memoryTypeHost
