"""CuPy's detection of calls that wait for the devices: names of ``phalanx.x``."""

import contextlib as _contextlib
import functools as _functools
import threading as _threading

from . import _phalanx


class DeviceSynchronized(RuntimeError):
    """A call waited for the devices inside of ``with allow_synchronize(False):``.

    Parameters
    ----------
    message : str, optional
        The message.
    """

    def __init__(self, message=None):
        super().__init__(message or "Device synchronization was detected while disallowed")


class _State(_threading.local):
    """Whether calls of a thread may wait for the devices."""

    allows = True


_state = _State()


def _checked(wait):
    """A function that waits, which first checks whether it may."""

    @_functools.wraps(wait)
    def checked(*arguments):
        if not _state.allows:
            raise DeviceSynchronized()
        return wait(*arguments)

    return checked


@_functools.cache
def _watch():
    """Lets the calls that wait check whether they may. Programs that allow everything pay
    nothing."""
    from . import _cuda_streams as streams

    _phalanx._synchronize = _checked(_phalanx._synchronize)
    for kind in (streams._BaseStream, streams.Event):
        kind.synchronize = _checked(kind.synchronize)


@_contextlib.contextmanager
def allow_synchronize(allow):
    """A context manager: with False, calls of this thread that wait for the devices raise
    ``DeviceSynchronized``.

    These calls are ``synchronize`` of devices, streams and events,
    ``runtime.deviceSynchronize`` and copies of memory that wait. Reading elements is not one of
    them: it waits for the operations that the elements depend on, and not for the device.

    Parameters
    ----------
    allow : bool
        Whether calls may wait.

    Returns
    -------
    context manager
        The block.

    Raises
    ------
    DeviceSynchronized
        Inside of the block, by a call that waits.

    Notes
    -----
    Local.
    """
    _watch()
    before, _state.allows = _state.allows, bool(allow)
    try:
        yield
    finally:
        _state.allows = before
