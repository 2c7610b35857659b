"""Streams, events and graphs by their handles: names of ``phalanx.cuda.runtime``. See there for the
order of the calls and the work of arrays."""

from . import _cuda_graph_calls as _graph_calls
from . import _cuda_streams as _streams
from . import _phalanx
from ._cuda_documented import _ORDERED, documented as _documented
from ._cuda_driver_calls import (
    Ordered as _Ordered,
    address as _address,
    call as _call,
    context as _context,
    is_capturing as _is_capturing,
    stream_handle as _handle,
    tried as _tried,
)
from ._cuda_runtime_memory import _handle_from, _handle_of
from ._phalanx import _refusal

_OF_STREAM, _OF_EVENT = ("int", "The handle of the stream."), ("int", "The handle of the event.")
_STATUS = ("int", "0, or 600 (``cudaErrorNotReady``).")


@_documented(*_OF_STREAM)
def streamCreate():
    """Makes a stream on the current device."""
    return _call("cuStreamCreate", 0)


@_documented(*_OF_STREAM)
def streamCreateWithFlags(flags):
    """Makes a stream on the current device."""
    return _call("cuStreamCreate", flags)


@_documented(*_OF_STREAM)
def streamCreateWithPriority(flags, priority):
    """Makes a stream with a priority on the current device."""
    return _call("cuStreamCreateWithPriority", flags, priority)


@_documented("int", "The flags.")
def streamGetFlags(stream):
    """The flags of a stream."""
    return _call("cuStreamGetFlags", _handle(stream))


@_documented("int", "The priority.")
def streamGetPriority(stream):
    """The priority of a stream."""
    return _call("cuStreamGetPriority", _handle(stream))


@_documented()
def streamDestroy(stream):
    """Frees a stream once its work is done."""
    handle = _handle(stream)
    _call("cuStreamDestroy_v2", handle)
    _graph_calls.forget_stream(handle)


@_documented(*_STATUS)
def streamQuery(stream):
    """Whether the work in a stream is done. Operations that are only recorded are not in it."""
    return _tried("cuStreamQuery", _handle(stream))[0]


@_documented(notes="Local: the later work of arrays waits, too, if the stream is CUDA's default "
             "stream or current.")
def streamWaitEvent(stream, event, flags=0):
    """Makes the later work in a stream wait for an event."""
    handle = _handle(stream)
    _call("cuStreamWaitEvent", handle, _address(event), flags)
    is_current = any(current.ptr == handle for current in _streams._current.streams)
    if handle in (0, 1, 2) or is_current and not _is_capturing(handle):
        _streams._before(stream)


_CALLS = (
    "Collective. The function runs in a thread of the host. Later work in the stream does not wait "
    "for the function; ``synchronize`` of the stream does, unless the stream records a graph. An "
    "exception of the function goes to ``sys.unraisablehook``, or to ``threading.excepthook`` if a "
    "graph calls it."
)


def _call_host(stream, callback, arguments):
    if not callable(callback):
        raise _refusal(TypeError, "type", f"a callback is callable, and {callback!r} is not")
    _context()
    handle = _handle(stream)
    if _is_capturing(handle):
        _graph_calls.record(stream, callback, arguments)
        return
    _phalanx._hand_over()
    native = _streams._native(stream)
    native.follow()
    native.call_host(callback, arguments)


@_documented(notes=_CALLS)
def launchHostFunc(stream, callback, arg):
    """Lets the host call ``callback(arg)`` once the work in a stream is done."""
    _call_host(stream, callback, (arg,))


@_documented(notes=_CALLS)
def streamAddCallback(stream, callback, arg, flags=0):
    """Lets the host call ``callback(stream, status, arg)`` once the work in a stream is done."""
    _call_host(stream, callback, (_handle(stream), 0, arg))


@_documented()
def streamBeginCapture(stream, mode=2):
    """Starts to record the work of a stream as a graph. Operations on arrays are not recorded."""
    _call("cuStreamBeginCapture_v2", _handle(stream), mode)


@_documented("int", "The graph.")
def streamEndCapture(stream):
    """Ends the recording of a graph."""
    graph = None
    try:
        graph = _call("cuStreamEndCapture", _handle(stream))
    finally:
        _graph_calls.end_capture(graph)
    return graph


_BROKEN = {
    "RuntimeError": "An error has ended the recording.",
    "CUDARuntimeError": "CUDA refuses the call, or the devices of the session are CPUs.",
}


@_documented("bool", "Whether the stream records a graph.", raises=_BROKEN)
def streamIsCapturing(stream):
    """Whether a stream records a graph."""
    state = _call("cuStreamIsCapturing", _handle(stream))
    if state == 2:
        raise _refusal(
            RuntimeError, "state", "streamIsCapturing: an error has ended the recording of the "
            "graph",
        )
    return state == 1


@_documented(*_OF_EVENT)
def eventCreate():
    """Makes an event on the current device."""
    return _call("cuEventCreate", 0)


@_documented(*_OF_EVENT, flags=("int", "``eventBlockingSync``, ``eventDisableTiming``, "
                                "``eventInterprocess``, or a sum of them."))
def eventCreateWithFlags(flags):
    """Makes an event on the current device."""
    return _call("cuEventCreate", flags)


@_documented()
def eventDestroy(event):
    """Frees an event."""
    _call("cuEventDestroy_v2", _address(event))


@_documented("float", "The milliseconds.", start=("int or object", "The event at the start."),
             end=("int or object", "The event at the end."))
def eventElapsedTime(start, end):
    """The time between two events that were recorded."""
    return _call("cuEventElapsedTime", _address(start), _address(end))


@_documented(*_STATUS)
def eventQuery(event):
    """Whether the work before an event is done."""
    return _tried("cuEventQuery", _address(event))[0]


@_documented(notes=_ORDERED)
def eventRecord(event, stream):
    """Sets an event to the present point of a stream."""
    with _Ordered(stream) as handle:
        _call("cuEventRecord", _address(event), handle)


@_documented()
def eventSynchronize(event):
    """Waits until the work before an event is done."""
    _call("cuEventSynchronize", _address(event))


@_documented("bytes", "The handle, of 64 bytes, for ``ipcOpenEventHandle`` in the other process.")
def ipcGetEventHandle(event):
    """The handle by which another process on this machine opens an event of the flags
    ``eventInterprocess`` and ``eventDisableTiming``."""
    return _handle_of("cuIpcGetEventHandle", event)


@_documented(*_OF_EVENT)
def ipcOpenEventHandle(handle):
    """Opens an event of another process."""
    _context()
    return _call("cuIpcOpenEventHandle", _handle_from(handle))


@_documented()
def graphDestroy(graph):
    """Frees a graph."""
    handle = _address(graph)
    _call("cuGraphDestroy", handle)
    _graph_calls.destroy("graph", handle)


@_documented()
def graphExecDestroy(graphExec):
    """Frees an executable graph."""
    handle = _address(graphExec)
    _call("cuGraphExecDestroy", handle)
    _graph_calls.destroy("executable", handle)


@_documented("int", "The executable graph.")
def graphInstantiate(graph):
    """Makes an executable graph of a graph."""
    handle = _address(graph)
    executable = _call("cuGraphInstantiateWithFlags", handle, 0)
    _graph_calls.instantiate(handle, executable)
    return executable


@_documented(notes=_ORDERED)
def graphLaunch(graphExec, stream):
    """Runs a graph in the order of a stream."""
    with _Ordered(stream) as handle:
        _call("cuGraphLaunch", _address(graphExec), handle)
        _graph_calls.launch(_address(graphExec), stream)


@_documented(notes=_ORDERED)
def graphUpload(graphExec, stream):
    """Uploads a graph to its device, so that its first launch takes less time."""
    with _Ordered(stream) as handle:
        _call("cuGraphUpload", _address(graphExec), handle)


@_documented(flags=("int", "What the text contains: ``cudaGraphDebugDotFlags...``."))
def graphDebugDotPrint(graph, path, flags):
    """Writes the nodes of a graph to a file, in the language of Graphviz."""
    import os

    _call("cuGraphDebugDotPrint", _address(graph), os.fsencode(path), flags)
