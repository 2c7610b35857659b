"""Hooks that learn which memory devices allocate and free: names of ``phalanx.cuda``.

A hook is active in its ``with`` block. Operations run when their values are needed, possibly by
another thread, so a hook's functions are called when its block ends, and when the program waits for
all operations by a stream or an event, in the order of what happened.
"""

import collections as _collections
import sys as _sys
import threading as _threading

from . import _phalanx
from ._phalanx import _refusal

_hooks = {}
# What has happened and was not told yet, in order.
_events = _collections.deque()


class MemoryHook:
    """The base class of hooks: a program overrides the functions that it needs.

    All of them get keyword arguments: ``device_id``; ``mem_size``, the bytes of the memory block;
    ``size``, the bytes that were asked for; ``mem_ptr``, the address; ``pmem_id``, a number of the
    block. ``site`` of the hook is the line of the program for whose result the memory is, as
    ``"file:line"``, or None. Entering and leaving the ``with`` block runs all recorded operations,
    which is Collective.

    The functions are called at the end of the block and in ``synchronize`` of a stream. Until then
    what happened is kept, so the memory for it grows in a long block without ``synchronize``. If a
    function raises, all hooks still receive what happened, and the end of the hook's block raises
    the first exception; an exception of the block itself gets a note of it.
    """

    name = "MemoryHook"
    site = None
    _failed = None

    def alloc_preprocess(self, **kwargs):
        """Receives that a pool is about to ask for a new memory block.

        Parameters
        ----------
        **kwargs : int
            device_id, mem_size.

        Returns
        -------
        None
            Nothing is expected.

        Raises
        ------
        Nothing
            A program's own function may raise; the end of the ``with`` block then does.

        Notes
        -----
        Local.
        """

    def alloc_postprocess(self, **kwargs):
        """Receives that a pool has got a new memory block.

        Parameters
        ----------
        **kwargs : int
            device_id, mem_size, mem_ptr.

        Returns
        -------
        None
            Nothing is expected.

        Raises
        ------
        Nothing
            A program's own function may raise; the end of the ``with`` block then does.

        Notes
        -----
        Local.
        """

    def malloc_preprocess(self, **kwargs):
        """Receives that memory is about to be taken from a pool.

        Parameters
        ----------
        **kwargs : int
            device_id, size, mem_size.

        Returns
        -------
        None
            Nothing is expected.

        Raises
        ------
        Nothing
            A program's own function may raise; the end of the ``with`` block then does.

        Notes
        -----
        Local.
        """

    def malloc_postprocess(self, **kwargs):
        """Receives that memory was taken from a pool.

        Parameters
        ----------
        **kwargs : int
            device_id, size, mem_size, mem_ptr, pmem_id.

        Returns
        -------
        None
            Nothing is expected.

        Raises
        ------
        Nothing
            A program's own function may raise; the end of the ``with`` block then does.

        Notes
        -----
        Local.
        """

    def free_preprocess(self, **kwargs):
        """Receives that memory is about to be given back to a pool.

        Parameters
        ----------
        **kwargs : int
            device_id, mem_size, mem_ptr, pmem_id.

        Returns
        -------
        None
            Nothing is expected.

        Raises
        ------
        Nothing
            A program's own function may raise; the end of the ``with`` block then does.

        Notes
        -----
        Local.
        """

    def free_postprocess(self, **kwargs):
        """Receives that memory was given back to a pool.

        Parameters
        ----------
        **kwargs : int
            device_id, mem_size, mem_ptr, pmem_id.

        Returns
        -------
        None
            Nothing is expected.

        Raises
        ------
        Nothing
            A program's own function may raise; the end of the ``with`` block then does.

        Notes
        -----
        Local.
        """

    def __enter__(self):
        if self.name in _hooks:
            raise _refusal(KeyError, "state", f"a memory hook {self.name!r} is active already")
        _phalanx._synchronize()
        if _hooks:
            _deliver()
        else:
            _phalanx._observe_memory(True)
        _hooks[self.name] = self
        return self

    def __exit__(self, *exception):
        try:
            if exception[0] is None:
                _phalanx._synchronize()
        finally:
            # The hook stays registered while it receives what happened in its block.
            try:
                _deliver()
            finally:
                del _hooks[self.name]
                if not _hooks:
                    _phalanx._observe_memory(False)
                    _events.clear()
                failed, self._failed = self._failed, None
        if failed is not None and exception[0] is None:
            raise failed
        if failed is not None:
            exception[1].add_note(f"a function of the memory hook {self.name!r} raised {failed!r}")
        return False


def get_memory_hooks():
    """The active hooks by their names."""
    return _hooks


# The function of a hook for each stage, and its arguments of: device, size, mem_size, mem_ptr.
_STAGES = {
    "allocate": ("alloc_preprocess", ("device_id", "mem_size")),
    "allocated": ("alloc_postprocess", ("device_id", "mem_size", "mem_ptr")),
    "take": ("malloc_preprocess", ("device_id", "size", "mem_size")),
    "taken": ("malloc_postprocess", ("device_id", "size", "mem_size", "mem_ptr", "pmem_id")),
    "free": ("free_preprocess", ("device_id", "mem_size", "mem_ptr", "pmem_id")),
    "freed": ("free_postprocess", ("device_id", "mem_size", "mem_ptr", "pmem_id")),
}


class _Delivery:
    """The thread that calls the hooks: one at a time, so that they are called in order."""

    lock, thread = _threading.Lock(), None


def deliver():
    """Calls the active hooks for what has happened, if there are any and none is being called."""
    if _hooks and not _Delivery.lock.locked():
        _deliver()


def _deliver():
    """Calls the active hooks for what has happened. A hook keeps its first exception for the end of
    its block: the other hooks receive the event, too, and all receive the later ones."""
    if _Delivery.thread == _threading.get_ident():
        # A function of a hook waits for operations, or has a block of its own.
        return
    with _Delivery.lock:
        _Delivery.thread = _threading.get_ident()
        try:
            _events.extend(_phalanx._memory_events())
            _call_hooks()
        finally:
            _Delivery.thread = None


def _call_hooks():
    numbers = {f"cuda:{gpu[0]}": number for number, gpu in enumerate(_phalanx._gpus())}
    while _events:
        stage, device, size, mem_size, address, site = _events.popleft()
        number = numbers.get(device)
        if number is None:
            number = int(device.rpartition(":")[2])
        known = {
            "device_id": number,
            "size": size,
            "mem_size": mem_size,
            "mem_ptr": address,
            "pmem_id": address,
        }
        function, names = _STAGES[stage]
        for hook in list(_hooks.values()):
            hook.site = site
            try:
                getattr(hook, function)(**{name: known[name] for name in names})
            except Exception as error:
                if hook._failed is None:
                    hook._failed = error


class DebugPrintHook(MemoryHook):
    """Prints a line in JSON for each memory block that is allocated, taken or freed."""

    name = "DebugPrintHook"

    def __init__(self, file=None, flush=True):
        self.file, self.flush = _sys.stdout if file is None else file, flush

    def _print(self, hook, values):
        import json

        print(json.dumps({"hook": hook, **values}), file=self.file, flush=self.flush)

    def alloc_postprocess(self, **kwargs):
        """Prints the memory block."""
        self._print("alloc", kwargs)

    def malloc_postprocess(self, **kwargs):
        """Prints the memory block."""
        self._print("malloc", kwargs)

    def free_postprocess(self, **kwargs):
        """Prints the memory block."""
        self._print("free", kwargs)


class LineProfileHook(MemoryHook):
    """Counts the memory that each line of the program takes from the pools, and that the pools
    allocate for it. ``max_depth`` is accepted for programs of CuPy: a value knows one line."""

    name = "LineProfileHook"

    def __init__(self, max_depth=0):
        self.max_depth = max_depth
        self._lines = {}

    def _count(self, place, size):
        counts = self._lines.setdefault(self.site or "(values without a line)", [0, 0])
        counts[place] += size

    def malloc_preprocess(self, **kwargs):
        """Counts memory that is taken."""
        self._count(0, kwargs["mem_size"])

    def alloc_preprocess(self, **kwargs):
        """Counts memory that is allocated."""
        self._count(1, kwargs["mem_size"])

    def print_report(self, file=None):
        """Prints the bytes that each line has taken and allocated.

        Parameters
        ----------
        file : file object, optional
            Where to print; by default the standard output.

        Notes
        -----
        Local.
        """
        file = _sys.stdout if file is None else file
        totals = [sum(counts[place] for counts in self._lines.values()) for place in (0, 1)]
        print(f"_root ({', '.join(map(_readable, totals))})", file=file)
        for line, counts in self._lines.items():
            print(f"  {line} ({', '.join(map(_readable, counts))})", file=file)


def _readable(size):
    """A number of bytes with a unit."""
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024:
            break
        size /= 1024
    else:
        unit = "TB"
    return f"{size:.2f}{unit}"
