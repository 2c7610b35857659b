"""Streams, events and the current device of a thread: names of ``phalanx.cuda``.

The work of arrays is in the order of the program: on a GPU, in a stream of each device's own.
A program's stream comes before the work that is recorded while it is current, and after all of that
when its block ends. On a CPU there is nothing to order.
"""

import threading as _threading
import time as _time

from . import _phalanx
from ._phalanx import _refusal


class _Current(_threading.local):
    """What a thread has made current."""

    device = 0
    streams = ()


_current = _Current()


def _has_gpus():
    return _phalanx._gpu_count() > 0


def _native(stream):
    """The stream of a GPU that an object stands for: ours, or another library's by its handle."""
    if isinstance(stream, _BaseStream):
        return stream._native
    handle = getattr(stream, "ptr", getattr(stream, "cuda_stream", stream))
    return _phalanx._Stream.external(_current.device, int(handle))


def _before(stream):
    """What a stream holds comes before our work from now on."""
    _native(stream).precede()


def _after(stream):
    """Our work up to now comes before what a stream holds from now on."""
    _native(stream).follow()


class _BaseStream:
    """What all streams have."""

    def __init__(self, make):
        # Nothing is made on a CPU; on a GPU it is when it is first needed, for the stream of our
        # own work on the device that is current then.
        self._make = make
        self._made = None

    @property
    def _native(self):
        if not _has_gpus():
            return None
        if self._made is None:
            _phalanx._gpus()
            made = self._make()
            if self.null:
                return made
            self._made = made
        return self._made

    null = False

    @property
    def ptr(self):
        """The handle for other libraries, which is 0 on a CPU. That of ``Stream.null`` is the stream
        of our own work on the current device."""
        native = self._native
        return 0 if native is None else native.ptr

    @property
    def done(self):
        """Whether all that the stream holds is done. What is only recorded it does not hold."""
        native = self._native
        return True if native is None else native.is_done()

    def is_done(self):
        """As ``done``."""
        return self.done

    def _take(self):
        """Has the stream wait for all that is recorded. Collective."""
        native = self._native
        if native is not None:
            _phalanx._hand_over()
            native.follow()
        return native

    def synchronize(self):
        """Waits until all that is recorded, and what the stream holds, has run. Collective."""
        native = self._take()
        if native is None or self.null:
            _phalanx._synchronize()
        else:
            native.synchronize()

    def record(self, event=None):
        """An event at this point of the stream, after what is recorded. Collective."""
        return (event or Event()).record(self)

    def wait_event(self, event):
        """Has what comes later, in the stream and of our own work if the stream is current, wait for
        an event."""
        native = self._native
        if native is not None and event._native is not None:
            native.wait_event(event._native)
            if self.null or self in _current.streams:
                native.precede()

    def use(self):
        """Makes the stream current for this thread until another one is."""
        if _current.streams:
            _current.streams[-1]._leave()
        _current.streams = (*_current.streams[:-1], self)
        self._enter()
        return self

    def _enter(self):
        native = self._native
        if native is not None and not self.null:
            native.precede()

    def _leave(self):
        self._take()

    def __enter__(self):
        self._enter()
        _current.streams = (*_current.streams, self)
        return self

    def __exit__(self, *exception):
        _current.streams = _current.streams[:-1]
        if exception[0] is None:
            self._leave()
        elif self._native is not None:
            # What was recorded may be what failed.
            self._native.follow()
        return False

    def __eq__(self, other):
        return isinstance(other, _BaseStream) and (self is other or self.ptr == other.ptr != 0)

    def __hash__(self):
        return hash(("phalanx.cuda.Stream", self.ptr or id(self)))

    def __repr__(self):
        return f"<{type(self).__name__} {self.ptr}>"


class Stream(_BaseStream):
    """A stream of the current device, for kernels and libraries beside the work of arrays.

    ``with stream:`` puts what the stream holds before the work that is recorded in the block, and
    has the stream wait for that work when the block ends, which is Collective. The work itself is
    in the order of the program, as always: two streams do not make it run at the same time.
    """

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self.null = bool(null)
        device = _current.device

        def make():
            if null:
                return _phalanx._Stream.of_work(_current.device)
            if ptds:
                return _phalanx._Stream.external(device, 2)
            return _phalanx._Stream(device, non_blocking, priority)

        super().__init__(make)


class ExternalStream(_BaseStream):
    """A stream of another library, by its handle; that library ends it, not before this is gone."""

    def __init__(self, ptr, device_id=None):
        device = _current.device if device_id is None or device_id < 0 else device_id
        super().__init__(lambda: _phalanx._Stream.external(device, int(ptr)))


Stream.null = Stream(null=True)
Stream.ptds = Stream(ptds=True)


def get_current_stream(device_id=None):
    """The stream that is current in this thread; ``Stream.null``, our own work, if there is none."""
    return _current.streams[-1] if _current.streams else Stream.null


class Event:
    """A point of the program, or of a stream.

    Recording hands what is recorded to the devices, which is Collective. On a GPU the time is that
    of the device's clock; on a CPU ``record`` waits, and notes the time of the host.
    """

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        if interprocess:
            raise _refusal(ValueError, "absent", "Event: interprocess events are not there")
        self._options = (not disable_timing, bool(block))
        self._native = self._device = None
        self._time = None

    @property
    def ptr(self):
        """The handle, which is 0 until the event is recorded, and on a CPU."""
        return 0 if self._native is None else self._native.ptr

    def record(self, stream=None):
        """Makes it the point up to which the program, and the stream, has come. Collective."""
        stream = get_current_stream() if stream is None else stream
        if not _has_gpus():
            _phalanx._synchronize()
        else:
            _phalanx._hand_over()
            native = _native(stream)
            # An event is of the device whose stream it is a point of.
            if self._native is None or self._device != native.device:
                self._native = _phalanx._Event(native.device, *self._options)
                self._device = native.device
            native.follow()
            self._native.record(native)
        self._time = _time.perf_counter()
        return self

    def synchronize(self):
        """Waits until it has happened."""
        if self._native is not None:
            self._native.synchronize()

    @property
    def done(self):
        """Whether it has happened."""
        return True if self._native is None else self._native.is_done()

    def query(self):
        """As ``done``."""
        return self.done


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events that have been recorded, and have happened."""
    if start_event._time is None or end_event._time is None:
        raise _refusal(
            ValueError, "state", "get_elapsed_time: both events must have been recorded"
        )
    if start_event._native is None or end_event._native is None:
        return (end_event._time - start_event._time) * 1e3
    return end_event._native.elapsed_since(start_event._native)
