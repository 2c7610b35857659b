"""Fourier transforms in FFTPACK's formats: the names of ``scipy.fftpack``."""

from ..fft import fftfreq, fftshift, get_fft_plan, ifftshift
from . import convolve
from ._operators import (
    cc_diff,
    cs_diff,
    diff,
    hilbert,
    ihilbert,
    itilbert,
    sc_diff,
    shift,
    ss_diff,
    tilbert,
)
from ._transforms import (
    dct,
    dctn,
    dst,
    dstn,
    fft,
    fft2,
    fftn,
    idct,
    idctn,
    idst,
    idstn,
    ifft,
    ifft2,
    ifftn,
    irfft,
    next_fast_len,
    rfft,
    rfftfreq,
)

__all__ = """
cc_diff convolve cs_diff dct dctn diff dst dstn fft fft2 fftfreq fftn fftshift get_fft_plan hilbert
idct idctn idst idstn ifft ifft2 ifftn ifftshift ihilbert irfft itilbert next_fast_len rfft rfftfreq
sc_diff shift ss_diff tilbert
""".split()
