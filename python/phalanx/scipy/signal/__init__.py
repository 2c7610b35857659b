"""Signal processing: names of ``scipy.signal``.

Functions of signals compute on devices. Functions of few numbers, such as filter design, are
SciPy's own on the host, if it is installed: ``pip install phalanx[scipy]``.
"""

import types as _types

from . import windows
from ._analytic import envelope, hilbert, hilbert2
from ._arrays import beside as _beside
from ._convolution import (
    choose_conv_method,
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    correlation_lags,
    fftconvolve,
    oaconvolve,
)
from ._czt import CZT, ZoomFFT, czt, czt_points, zoom_fft
from ._filtering import (
    deconvolve,
    filtfilt,
    lfilter,
    lfilter_zi,
    lfiltic,
    sosfilt,
    sosfilt_zi,
    sosfiltfilt,
)
from ._host import functions as _functions
from ._peaks import (
    argrelextrema,
    argrelmax,
    argrelmin,
    find_peaks,
    peak_prominences,
    peak_widths,
)
from ._periods import lombscargle, vectorstrength
from ._resampling import decimate, resample, resample_poly, upfirdn
from ._short_time import ShortTimeFFT
from ._smoothing import (
    medfilt,
    medfilt2d,
    order_filter,
    savgol_coeffs,
    savgol_filter,
    wiener,
)
from ._spectral import (
    check_COLA,
    check_NOLA,
    coherence,
    csd,
    istft,
    periodogram,
    spectrogram,
    stft,
    welch,
)
from ._splines import (
    cspline1d,
    cspline1d_eval,
    cspline2d,
    gauss_spline,
    qspline1d,
    qspline1d_eval,
    qspline2d,
    sepfir2d,
    spline_filter,
    symiirorder1,
    symiirorder2,
)
from ._systems import StateSpace, TransferFunction, ZerosPolesGain, dlti, lti
from ._trends import detrend
from ._waveforms import chirp, gausspulse, sawtooth, square, sweep_poly, unit_impulse
from ._windows import get_window

globals().update(_functions())

__all__ = sorted(
    """
BadCoefficients CZT ShortTimeFFT StateSpace TransferFunction ZerosPolesGain ZoomFFT argrelextrema
argrelmax argrelmin check_COLA check_NOLA chirp choose_conv_method coherence convolve convolve2d
correlate correlate2d correlation_lags csd cspline1d cspline1d_eval cspline2d czt czt_points
decimate deconvolve detrend dlti envelope fftconvolve filtfilt find_peaks gauss_spline gausspulse
get_window hilbert hilbert2 istft lfilter lfilter_zi lfiltic lombscargle lti medfilt medfilt2d
oaconvolve order_filter peak_prominences peak_widths periodogram qspline1d qspline1d_eval qspline2d
resample resample_poly savgol_coeffs savgol_filter sawtooth sepfir2d sosfilt sosfilt_zi sosfiltfilt
spectrogram spline_filter square stft sweep_poly symiirorder1 symiirorder2 unit_impulse upfirdn
vectorstrength welch wiener windows zoom_fft
""".split()
    + list(_functions())
)

for _name in __all__:
    _value = globals().get(_name)
    if isinstance(_value, _types.FunctionType):
        globals()[_name] = _beside(_value)


def __getattr__(name):
    # SciPy's own class, so that programs can filter the warnings of its functions.
    if name == "BadCoefficients":
        from ._host import scipy_signal

        return scipy_signal(name).BadCoefficients
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
