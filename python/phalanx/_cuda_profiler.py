"""CuPy's ``cupy.cuda.profiler``: starts and stops recording by CUDA's profilers. Without effect on
CPUs."""

from . import _phalanx


def start():
    """Starts recording by profilers that wait for it: ``nsys profile -c cudaProfilerApi``."""
    _phalanx._profile(True)


def stop():
    """Stops recording by profilers."""
    _phalanx._profile(False)
