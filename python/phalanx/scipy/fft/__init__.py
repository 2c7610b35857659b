"""Fourier, cosine, sine and Hankel transforms: the names of ``scipy.fft``.

The module is a backend of ``scipy.fft``: ``scipy.fft.set_backend(phalanx.scipy.fft)`` lets SciPy's
functions compute with arrays of ours.
"""

from ._backends import DOMAIN as __ua_domain__  # noqa: F401
from ._backends import own as __ua_function__  # noqa: F401
from ._backends import register_backend, set_backend, set_global_backend, skip_backend
from ._cosine import dct, dctn, dst, dstn, idct, idctn, idst, idstn
from ._hankel import fht, fhtoffset, ifht
from ._lengths import (
    fftfreq,
    fftshift,
    get_workers,
    ifftshift,
    next_fast_len,
    prev_fast_len,
    rfftfreq,
    set_workers,
)
from ._plans import get_fft_plan
from ._transforms import (
    fft,
    fft2,
    fftn,
    hfft,
    hfft2,
    hfftn,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)

__all__ = """
dct dctn dst dstn fft fft2 fftfreq fftn fftshift fht fhtoffset get_fft_plan get_workers hfft hfft2
hfftn idct idctn idst idstn ifft ifft2 ifftn ifftshift ifht ihfft ihfft2 ihfftn irfft irfft2 irfftn
next_fast_len prev_fast_len register_backend rfft rfft2 rfftfreq rfftn set_backend
set_global_backend set_workers skip_backend
""".split()
