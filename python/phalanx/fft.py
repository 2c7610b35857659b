"""Discrete Fourier transforms: the functions of ``numpy.fft``."""

from ._phalanx.fft import *  # noqa: F403
from ._phalanx.fft import __all__  # noqa: F401
