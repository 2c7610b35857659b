"""CuPy's ``cupy.cuda.profiler``: when profilers of CUDA look. On a CPU nobody does."""

from . import _phalanx


def start():
    """Has profilers that wait for it look from now on: ``nsys profile -c cudaProfilerApi``."""
    _phalanx._profile(True)


def stop():
    """Has profilers look no longer."""
    _phalanx._profile(False)
