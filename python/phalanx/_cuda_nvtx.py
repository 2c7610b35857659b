"""CuPy's ``cupy.cuda.nvtx``: names that profilers of CUDA show.

Does nothing on CPUs, or if the library NVTX is not found. Colours have no effect.
"""

import functools as _functools
import itertools as _itertools
import threading as _threading

from . import _phalanx

# The files of the library, as the session searches them.
_FILES = ("libnvToolsExt.so.1", "libnvToolsExt.so", "libnvtx3interop.so.1", "libnvtx3interop.so")
# The ranges that have started and not ended, by their numbers: the numbers of the library. Without
# a profiler the library numbers all ranges 0.
_started = {}
_numbers = _itertools.count(1)
_lock = _threading.Lock()


@_functools.cache
def _library():
    """The library; None if it is not found."""
    import ctypes

    # The session loads the library with its first range; its functions are then known in the
    # process.
    _phalanx._push_range("")
    _phalanx._pop_range()
    for name in (None, *_FILES):
        try:
            library = ctypes.CDLL(name)
            library.nvtxRangeStartA.restype = ctypes.c_uint64
            library.nvtxRangeStartA.argtypes = (ctypes.c_char_p,)
            library.nvtxRangeEnd.restype = None
            library.nvtxRangeEnd.argtypes = (ctypes.c_uint64,)
        except (OSError, AttributeError):
            continue
        return library
    return None


def __getattr__(name):
    if name == "available":
        return _phalanx._gpu_count() > 0 and _library() is not None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def RangePush(message, id_color=-1):
    """Starts a named range on this thread.

    Parameters
    ----------
    message : str
        The name.
    id_color : int, optional
        Without effect.

    Returns
    -------
    None
        Nothing.

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local.
    """
    _phalanx._push_range(message)


def RangePushC(message, color=0):
    """As ``RangePush``.

    Parameters
    ----------
    message : str
        The name.
    color : int, optional
        Without effect.

    Returns
    -------
    None
        Nothing.

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local.
    """
    _phalanx._push_range(message)


def RangePop():
    """Ends the range that this thread started last.

    Returns
    -------
    None
        Nothing.

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local.
    """
    _phalanx._pop_range()


def RangeStart(message, id_color=-1):
    """Starts a named range, which any thread may end, and which may overlap others.

    Parameters
    ----------
    message : str
        The name.
    id_color : int, optional
        Without effect.

    Returns
    -------
    int
        The number of the range, for ``RangeEnd``.

    Raises
    ------
    TypeError
        The name is no text.

    Notes
    -----
    Local.
    """
    if not isinstance(message, str):
        raise _phalanx._refusal(
            TypeError, "type", f"RangeStart: a name is a text, not a {type(message).__name__}"
        )
    library = _library() if _phalanx._gpu_count() > 0 else None
    own = None if library is None else library.nvtxRangeStartA(message.encode())
    with _lock:
        number = next(_numbers)
        _started[number] = own
    return number


def RangeEnd(range_id):
    """Ends a range.

    Parameters
    ----------
    range_id : int
        The number that ``RangeStart`` returned.

    Returns
    -------
    None
        Nothing.

    Raises
    ------
    ValueError
        No range of this number has started, or it has ended.

    Notes
    -----
    Local.
    """
    with _lock:
        if range_id not in _started:
            raise _phalanx._refusal(
                ValueError, "value", f"RangeEnd: no range {range_id!r} is open"
            )
        own = _started.pop(range_id)
    if own is not None:
        _library().nvtxRangeEnd(own)


def Mark(message, id_color=-1):
    """Sets a named mark.

    Parameters
    ----------
    message : str
        The name.
    id_color : int, optional
        Without effect.

    Returns
    -------
    None
        Nothing.

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local.
    """
    _phalanx._mark(message)


def MarkC(message, color=0):
    """As ``Mark``.

    Parameters
    ----------
    message : str
        The name.
    color : int, optional
        Without effect.

    Returns
    -------
    None
        Nothing.

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local.
    """
    _phalanx._mark(message)
