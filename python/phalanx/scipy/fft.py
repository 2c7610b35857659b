"""Fourier transforms: the names of ``scipy.fft`` that are functions of ours."""

from .._phalanx.fft import *  # noqa: F403
