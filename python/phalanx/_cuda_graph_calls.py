"""Functions of the host that graphs of CUDA call, for ``phalanx.cuda.runtime``.

A thread of CUDA must not wait for the interpreter, which another thread may hold while it waits for
the graph. So a graph only posts a semaphore, and a thread of Python calls the function. The thread
ends once the graph and all executables of it are destroyed, and the launches of them have called.
"""

import sys as _sys
import threading as _threading

from ._cuda_driver_calls import call as _call, is_capturing as _is_capturing, stream_handle


class _HostCall:
    """A function that a graph calls.

    ``owners`` are the graphs and executables that contain the call; ``due`` is the number of times
    that launches call, and ``made`` the number of calls that have returned.
    """

    def __init__(self, function, arguments):
        import ctypes

        self._function, self._arguments = function, arguments
        self._host = ctypes.CDLL(None)
        # 64 bytes are more than the semaphore of any C library has.
        self._semaphore = ctypes.create_string_buffer(64)
        self._host.sem_init(self._semaphore, 0, 0)
        self._lock = _threading.Lock()
        self._due = self._made = 0
        self._owners = set()

    def record(self, stream, owner):
        """Records the call in the graph of a stream, and starts the thread that makes it."""
        import ctypes

        post = ctypes.cast(self._host.sem_post, ctypes.c_void_p)
        _call("cuLaunchHostFunc", stream, post, ctypes.addressof(self._semaphore))
        # A launch that is not one of ``graphLaunch`` may post at any time: the memory stays.
        _semaphores.append(self._semaphore)
        self._owners.add(owner)
        _threading.Thread(target=self._attend, name="phalanx-graph-call", daemon=True).start()

    def _attend(self):
        while True:
            if self._host.sem_wait(self._semaphore):
                # An interrupted wait is no call.
                continue
            with self._lock:
                if self._is_over():
                    return
            try:
                self._function(*self._arguments)
            except BaseException:
                # Nobody waits for the result, and later launches call again.
                found = (*_sys.exc_info(), _threading.current_thread())
                _threading.excepthook(_threading.ExceptHookArgs(found))
            with self._lock:
                self._made += 1
                if self._is_over():
                    return

    def _is_over(self):
        return not self._owners and self._made >= self._due

    def launch(self):
        """Counts a launch that calls."""
        with self._lock:
            self._due += 1

    def own(self, owner):
        """Adds a graph, an executable or a capture."""
        with self._lock:
            self._owners.add(owner)

    def disown(self, owner):
        """Removes a graph, an executable or a capture; without any, the thread ends."""
        with self._lock:
            was_owned = bool(self._owners)
            self._owners.discard(owner)
            if was_owned and self._is_over():
                self._host.sem_post(self._semaphore)


_semaphores = []
_lock = _threading.RLock()
# The calls that captures in progress have recorded, each with its stream, which is kept; None for a
# stream that was destroyed.
_recorded = []
# The calls of each graph and each executable, by their kinds and handles. A call that a graph makes
# several times is there as often.
_calls = {}


def record(stream, function, arguments):
    """Records a call into the graph of a stream."""
    entry = [stream, _HostCall(function, arguments)]
    with _lock:
        entry[1].record(stream_handle(stream), id(entry))
        _recorded.append(entry)


def end_capture(graph=None):
    """Gives the recorded calls of streams that no longer record to a graph; without a graph the
    capture has failed, and they end."""
    with _lock:
        ended, others = [], []
        for entry in _recorded:
            stream = entry[0]
            is_ended = stream is None or not _is_capturing(stream_handle(stream))
            (ended if is_ended else others).append(entry)
        _recorded[:] = others
        if graph is not None:
            _own(("graph", graph), [call for _, call in ended])
        for entry in ended:
            entry[1].disown(id(entry))


def instantiate(graph, executable):
    """An executable was made of a graph."""
    with _lock:
        _own(("executable", executable), _calls.get(("graph", graph), []))


def launch(executable, stream):
    """An executable was launched in a stream, or recorded into its graph."""
    with _lock:
        is_recorded = _is_capturing(stream_handle(stream))
        for call in _calls.get(("executable", executable), []):
            if is_recorded:
                entry = [stream, call]
                call.own(id(entry))
                _recorded.append(entry)
            else:
                call.launch()


def destroy(kind, handle):
    """A graph or an executable is destroyed: kind is "graph" or "executable"."""
    with _lock:
        owner = (kind, handle)
        for call in _calls.pop(owner, []):
            call.disown(owner)


def forget_stream(handle):
    """A stream is destroyed."""
    with _lock:
        for entry in _recorded:
            if entry[0] is not None and stream_handle(entry[0]) == handle:
                entry[0] = None


def _own(owner, calls):
    # A handle is used again after its object was destroyed by another library.
    destroy(*owner)
    for call in calls:
        call.own(owner)
    if calls:
        _calls[owner] = calls
