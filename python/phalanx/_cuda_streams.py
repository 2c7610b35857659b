"""Streams, events and the current device of a thread: names of ``phalanx.cuda``.

Operations on arrays run in program order; on a GPU, in a stream of each device's own. The work of a
program's stream runs before the operations that are recorded while the stream is current. When the
stream's ``with`` block ends, the stream waits for those operations. On a CPU there is nothing to
order.

While operations are captured, none runs: blocks of streams and events then order the earlier work
only, and the captured operations keep the order in which the program records them.
"""

import threading as _threading
import time as _time

from . import _cuda_memory_hooks as _memory_hooks
from . import _phalanx
from ._phalanx import _refusal


class _Current(_threading.local):
    """The current device and the current streams of a thread."""

    device = 0
    streams = ()


class _Captures:
    """Whether the program has ever begun a capture. The session is asked only then: a program's
    functions that allocate memory may use streams while the session ends."""

    any_begun = False


_current = _Current()
_captures = _Captures()


def _has_gpus():
    return _phalanx._gpu_count() > 0


def _is_capturing():
    return _captures.any_begun and _phalanx._is_capturing()


def _run_all():
    """Waits until all recorded operations have run, and tells memory hooks what happened."""
    _phalanx._synchronize()
    _memory_hooks.deliver()


def _native(stream):
    """The GPU stream of an object: ours, or another library's by its handle."""
    if isinstance(stream, _BaseStream):
        return stream._native
    handle = getattr(stream, "ptr", getattr(stream, "cuda_stream", stream))
    return _phalanx._Stream.external(_current.device, int(handle))


def _before(stream):
    """Orders the work in a stream before our later work."""
    _native(stream).precede()


def _after(stream):
    """Orders our earlier work before the later work in a stream."""
    _native(stream).follow()


class _BaseStream:
    """The base class of streams."""

    def __init__(self, make):
        # Nothing is made on a CPU. On a GPU a stream is made at the first use; the stream of our
        # own work is that of the device that is current at each use.
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
        """The handle for other libraries; 0 on a CPU. For ``Stream.null`` it is the stream of our
        own work on the current device."""
        native = self._native
        return 0 if native is None else native.ptr

    @property
    def done(self):
        """Whether all work in the stream is done. Operations that are only recorded are not in the
        stream."""
        native = self._native
        return True if native is None else native.is_done()

    def is_done(self):
        """As ``done``."""
        return self.done

    def _take(self):
        """Makes the stream wait for all recorded operations. Collective."""
        native = self._native
        if native is not None:
            _phalanx._hand_over()
            native.follow()
        return native

    def synchronize(self):
        """Waits until all recorded operations, and the work in the stream, have run. Collective."""
        native = self._take()
        if native is None or self.null:
            _run_all()
        else:
            native.synchronize()
            _memory_hooks.deliver()
        if native is not None:
            native.await_calls()
            from ._cuda_driver_calls import kept

            kept.clear()

    def record(self, event=None):
        """Records an event at this point of the stream, after all recorded operations. Collective;
        Local while operations are captured."""
        return (event or Event()).record(self)

    def launch_host_func(self, callback, arg):
        """Lets a thread of the host call ``callback(arg)`` once all recorded operations, and the
        work in the stream, have run. Later work in the stream does not wait for the function;
        ``synchronize`` of the stream does. Collective."""
        self._call_host(callback, (arg,))

    def add_callback(self, callback, arg):
        """As ``launch_host_func``, with ``callback(stream, status, arg)``; the status is 0."""
        self._call_host(callback, (self, 0, arg))

    def _call_host(self, callback, arguments):
        if not callable(callback):
            raise _refusal(TypeError, "type", f"a callback is callable, and {callback!r} is not")
        native = self._take()
        if native is None:
            _phalanx._synchronize()
            callback(*arguments)
        else:
            native.call_host(callback, arguments)

    def begin_capture(self, mode=None):
        """Begins to capture operations on arrays: until ``end_capture`` they are recorded and not
        run, in whichever stream and thread. Work that other libraries enqueue in the stream is not
        captured: ``runtime.streamBeginCapture`` captures that.

        Parameters
        ----------
        mode : int, optional
            Accepted for programs of CuPy.

        Raises
        ------
        RuntimeError
            Operations are being captured already.

        Notes
        -----
        Collective: all recorded operations run first.
        """
        from . import _cuda_graphs

        _cuda_graphs.begin()

    def end_capture(self):
        """Ends the capture.

        Returns
        -------
        Graph
            The captured operations.

        Raises
        ------
        RuntimeError
            No operations are being captured.

        Notes
        -----
        Local.
        """
        from . import _cuda_graphs

        return _cuda_graphs.end()

    def is_capturing(self):
        """Whether operations are being captured."""
        return _phalanx._is_capturing()

    @property
    def device_id(self):
        """The device."""
        native = self._native
        return 0 if native is None else native.device

    def wait_event(self, event):
        """Makes the later work in the stream wait for an event; our own later work, too, if the
        stream is current."""
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
        native = self._native
        if native is not None:
            if not _is_capturing():
                _phalanx._hand_over()
            native.follow()

    def __enter__(self):
        self._enter()
        _current.streams = (*_current.streams, self)
        return self

    def __exit__(self, *exception):
        _current.streams = _current.streams[:-1]
        if exception[0] is None:
            self._leave()
        elif self._native is not None:
            # A recorded operation may be the one that failed, so none is run here.
            self._native.follow()
        return False

    def __eq__(self, other):
        return isinstance(other, _BaseStream) and (self is other or self.ptr == other.ptr != 0)

    def __hash__(self):
        return hash(("phalanx.cuda.Stream", self.ptr or id(self)))

    def __repr__(self):
        return f"<{type(self).__name__} {self.ptr}>"


class Stream(_BaseStream):
    """A stream of the current device, for kernels and libraries besides operations on arrays.

    Operations that are recorded inside of ``with stream:`` run after the work in the stream. At
    the end of the ``with`` block the stream waits for them, which is Collective, unless they are
    captured. Operations on arrays always run in program order: two streams do not make them run at
    the same time.
    """

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self.null = bool(null)
        self.is_non_blocking, self.priority = bool(non_blocking), priority or 0
        device = _current.device

        def make():
            if null:
                return _phalanx._Stream.of_work(_current.device)
            if ptds:
                return _phalanx._Stream.external(device, 2)
            return _phalanx._Stream(device, non_blocking, priority)

        super().__init__(make)

    @classmethod
    def from_external(cls, stream):
        """The stream of another library.

        Parameters
        ----------
        stream : object
            An object with the protocol ``__cuda_stream__``.

        Returns
        -------
        ExternalStream
            The stream.

        Raises
        ------
        TypeError
            The object does not have the protocol.
        ValueError
            It has another version of the protocol.

        Notes
        -----
        Local.
        """
        protocol = getattr(stream, "__cuda_stream__", None)
        if protocol is None:
            raise _refusal(
                TypeError, "type",
                f"from_external: a {type(stream).__name__} has no __cuda_stream__",
            )
        version, handle = protocol() if callable(protocol) else protocol
        if version != 0:
            raise _refusal(
                ValueError, "value", f"from_external: version {version} of __cuda_stream__"
            )
        return ExternalStream(handle)

    def __cuda_stream__(self):
        """The version of the protocol, and the handle."""
        return 0, self.ptr


class ExternalStream(_BaseStream):
    """A stream of another library, by its handle. The library must not destroy it before this
    object is dropped."""

    def __init__(self, ptr, device_id=None):
        device = _current.device if device_id is None or device_id < 0 else device_id
        super().__init__(lambda: _phalanx._Stream.external(device, int(ptr)))

    @property
    def is_non_blocking(self):
        """Whether its work runs beside that of CUDA's default stream."""
        from . import _cuda_runtime

        return _has_gpus() and bool(_cuda_runtime.streamGetFlags(self.ptr) & 1)

    @property
    def priority(self):
        """Its priority; the least number is the highest."""
        from . import _cuda_runtime

        return _cuda_runtime.streamGetPriority(self.ptr) if _has_gpus() else 0


Stream.null = Stream(null=True)
Stream.ptds = Stream(ptds=True)


def get_current_stream(device_id=None):
    """The stream that is current in this thread; ``Stream.null``, our own work, if there is none."""
    return _current.streams[-1] if _current.streams else Stream.null


class Event:
    """A point in the program, or in a stream.

    ``record`` hands the recorded operations to the devices, which is Collective. On a GPU the
    device's clock gives the time. On a CPU ``record`` waits and takes the time of the host. While
    operations are captured none of them runs: ``record`` is then Local, and the event has no time.
    """

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        if interprocess:
            raise _refusal(ValueError, "absent", "Event: interprocess events are not there")
        self._options = (not disable_timing, bool(block))
        self._native = self._device = None
        self._time = None

    @property
    def ptr(self):
        """The handle; 0 until the event is recorded, and on a CPU."""
        return 0 if self._native is None else self._native.ptr

    def record(self, stream=None):
        """Sets the event to the present point of the program and of the stream. Collective; Local
        while operations are captured."""
        stream = get_current_stream() if stream is None else stream
        is_captured = _is_capturing()
        if not _has_gpus():
            if not is_captured:
                _run_all()
        else:
            if not is_captured:
                _phalanx._hand_over()
            native = _native(stream)
            # An event belongs to the device of its stream.
            if self._native is None or self._device != native.device:
                self._native = _phalanx._Event(native.device, *self._options)
                self._device = native.device
            native.follow()
            self._native.record(native)
        self._time = None if is_captured else _time.perf_counter()
        return self

    def synchronize(self):
        """Waits until the work before the event is done."""
        if self._native is not None:
            self._native.synchronize()

    @property
    def done(self):
        """Whether the work before the event is done."""
        return True if self._native is None else self._native.is_done()

    def query(self):
        """As ``done``."""
        return self.done


def get_elapsed_time(start_event, end_event):
    """The milliseconds between two recorded events, after the work before both is done."""
    if start_event._time is None or end_event._time is None:
        raise _refusal(
            ValueError, "state", "get_elapsed_time: both events must have been recorded",
            "record them outside of a capture: an event of captured operations has no time",
        )
    if start_event._native is None or end_event._native is None:
        return (end_event._time - start_event._time) * 1e3
    return end_event._native.elapsed_since(start_event._native)
