"""CuPy's ``cupy.cuda.nvtx``: names that profilers of CUDA show.

Does nothing on CPUs, or if the library NVTX is not found. Colours have no effect.
"""

from . import _phalanx


def RangePush(message, id_color=-1):
    """Starts a named range on this thread."""
    _phalanx._push_range(message)


def RangePushC(message, color=0):
    """As ``RangePush``."""
    _phalanx._push_range(message)


def RangePop():
    """Ends the range that this thread started last."""
    _phalanx._pop_range()


def Mark(message, id_color=-1):
    """Sets a named mark."""
    _phalanx._mark(message)


def MarkC(message, color=0):
    """As ``Mark``."""
    _phalanx._mark(message)
