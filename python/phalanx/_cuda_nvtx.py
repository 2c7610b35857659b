"""CuPy's ``cupy.cuda.nvtx``: names that profilers of CUDA show.

Nothing happens on a CPU, or where the library NVTX is not found. Colours say nothing here.
"""

from . import _phalanx


def RangePush(message, id_color=-1):
    """Begins a part of the program, of this thread."""
    _phalanx._push_range(message)


def RangePushC(message, color=0):
    """As ``RangePush``."""
    _phalanx._push_range(message)


def RangePop():
    """Ends the part that this thread has begun last."""
    _phalanx._pop_range()


def Mark(message, id_color=-1):
    """Names this moment."""
    _phalanx._mark(message)


def MarkC(message, color=0):
    """As ``Mark``."""
    _phalanx._mark(message)
