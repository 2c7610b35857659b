"""Discrete Fourier transforms: the functions of ``numpy.fft``."""

import sys as _sys

from . import _fft_config as config
from . import _fft_callbacks
from ._phalanx.fft import *  # noqa: F403
from ._phalanx.fft import __all__  # noqa: F401

# The module is importable by its path, too, as if this were a package.
_sys.modules["phalanx.fft.config"] = config

# The transforms run the callbacks that config.set_cufft_callbacks sets.
globals().update(_fft_callbacks.functions())
