"""The short-time Fourier transform of a window, with its inverse, as an object."""

import operator

import phalanx as np

from ._arrays import array, axis_of, beside, frames, host, inexact, overlap_added, refuse
from ._described import ALONE, described
from ._trends import detrend
from ._windows import of_host

_MODES = ("twosided", "centered", "onesided", "onesided2X")
_PADDINGS = {
    "zeros": {},
    "edge": {"mode": "edge"},
    "even": {"mode": "reflect"},
    "odd": {"mode": "reflect", "reflect_type": "odd"},
}
_WRONG = {"ValueError": "An argument does not fit the signal, the window or the mode."}
_INT = "int: The position."


class ShortTimeFFT:
    """Short-time Fourier transforms with one window.

    Slices of a signal at distances of `hop` samples are multiplied by the window `win` and
    transformed. The sample of slice `p` at the middle of the window is ``p * hop``.

    Parameters
    ----------
    win : array_like
        The window, a vector.
    hop : int
        The distance of the slices, in samples.
    fs : float
        The sampling rate.
    fft_mode : {'onesided', 'onesided2X', 'twosided', 'centered'}, default: 'onesided'
        The frequencies; 'onesided2X' doubles the power of the positive ones.
    mfft : int, optional
        The extent of the transforms; that of the window for None.
    dual_win : array_like, optional
        The window of the inverse; the canonical dual window for None.
    scale_to : {'magnitude', 'psd'}, optional
        How the window is scaled.
    phase_shift : int or None, default: 0
        The shift of the phase in samples; None starts each transform at the start of its slice.

    Notes
    -----
    Window and scalars reside on the host, so windows on devices are read (Collective). Transforms
    and their inverse are Local: recorded, and computed when a value is observed.
    """

    def __init__(self, win, hop, fs, *, fft_mode="onesided", mfft=None, dual_win=None,
                 scale_to=None, phase_shift=0):
        import numpy

        win = host(win)
        if win.ndim != 1 or win.size == 0:
            raise refuse(f"Parameter win must be 1d, but win.shape={win.shape}!")
        if not numpy.isfinite(win).all():
            raise refuse("Parameter win must have finite entries!")
        if not (hasattr(hop, "__index__") and operator.index(hop) >= 1):
            raise refuse(f"Parameter hop={hop} is not an integer >= 1!")
        self._win, self._hop, self._scaling = win, operator.index(hop), None
        self._dual = None
        if dual_win is not None:
            dual = host(dual_win)
            if dual.shape != win.shape:
                raise refuse(f"dual_win.shape={dual.shape} must equal win.shape={win.shape}!")
            if not numpy.isfinite(dual).all():
                raise refuse("Parameter dual_win must be a finite array!")
            self._dual = dual
        self.fs = fs
        self.mfft = win.shape[0] if mfft is None else mfft
        if scale_to is not None:
            self.scale_to(scale_to)
        self.fft_mode, self.phase_shift = fft_mode, phase_shift

    @classmethod
    @described("ShortTimeFFT: The transform.", _WRONG, ALONE)
    def from_window(cls, win_param, fs, nperseg, noverlap, *, symmetric_win=False,
                    fft_mode="onesided", mfft=None, scale_to=None, phase_shift=0):
        """A transform with a window by its name."""
        return cls(of_host(win_param, nperseg, not symmetric_win), nperseg - noverlap, fs,
                   fft_mode=fft_mode, mfft=mfft, scale_to=scale_to, phase_shift=phase_shift)

    @classmethod
    @described("ShortTimeFFT: The transform.", _WRONG, ALONE)
    def from_dual(cls, dual_win, hop, fs, *, fft_mode="onesided", mfft=None, scale_to=None,
                  phase_shift=0):
        """A transform with the canonical window of a dual window."""
        dual = host(dual_win)
        return cls(_canonical_dual(dual, hop), hop, fs, fft_mode=fft_mode, mfft=mfft,
                   dual_win=dual, scale_to=scale_to, phase_shift=phase_shift)

    @classmethod
    @described("ShortTimeFFT: The transform.", _WRONG, ALONE)
    def from_win_equals_dual(cls, desired_win, hop, fs, *, fft_mode="onesided", mfft=None,
                             scale_to=None, phase_shift=0):
        """A transform whose window, close to a desired one, is its own dual window up to a
        factor."""
        import numpy

        desired = host(desired_win)
        if desired.ndim != 1 or desired.size == 0:
            raise refuse(f"Parameter desired_win is not 1d, but {desired.shape}!")
        if not numpy.isfinite(desired).all():
            raise refuse("Parameter desired_win must have finite entries!")
        if not (hasattr(hop, "__index__") and 1 <= hop <= desired.size):
            text = f"Parameter hop={hop} is not an integer between 1 and the window's length!"
            raise refuse(text)
        if scale_to not in (None, "magnitude", "psd", "unitary"):
            raise refuse(f"Parameter scale_to={scale_to!r} is unknown!", mistake="choice")
        win = desired / _overlapping_power(desired, hop) ** 0.5
        made = cls(win, hop, fs, fft_mode="twosided", mfft=mfft, dual_win=win,
                   phase_shift=phase_shift)
        if scale_to == "unitary":
            factor = made.mfft**0.5
            made._win, made._dual = win / factor, win * factor
        elif scale_to is not None:
            made.scale_to(scale_to)
        made.fft_mode = fft_mode
        return made

    win = property(lambda self: np.asarray(self._win), doc="The window.")
    hop = property(lambda self: self._hop, doc="The distance of the slices, in samples.")
    scaling = property(lambda self: self._scaling, doc="How the window is scaled, or None.")
    m_num = property(lambda self: self._win.shape[0], doc="The number of samples of the window.")
    m_num_mid = property(lambda self: self.m_num // 2, doc="The middle of the window.")
    delta_t = property(lambda self: self.T * self.hop, doc="The time between slices.")
    delta_f = property(lambda self: 1 / (self.mfft * self.T), doc="The width of the bins.")
    onesided_fft = property(
        lambda self: self.fft_mode in ("onesided", "onesided2X"),
        doc="Whether there are no negative frequencies.",
    )

    @property
    def fs(self):
        """The sampling rate."""
        return self._fs

    @fs.setter
    def fs(self, value):
        if not value > 0:
            raise refuse(f"Sampling frequency fs={value} must be positive!")
        self._fs = value

    @property
    def T(self):
        """The sampling interval."""
        return 1 / self._fs

    @T.setter
    def T(self, value):
        if not value > 0:
            raise refuse(f"Sampling interval T={value} must be positive!")
        self._fs = 1 / value

    @property
    def fft_mode(self):
        """The frequencies of the transform."""
        return self._fft_mode

    @fft_mode.setter
    def fft_mode(self, value):
        if value not in _MODES:
            raise refuse(f"fft_mode={value!r} not in {_MODES}!", mistake="choice")
        if value in ("onesided", "onesided2X") and self._win.dtype.kind == "c":
            raise refuse(f"One-sided spectra, i.e., fft_mode={value!r}, are not allowed for "
                         "complex-valued windows!")
        if value == "onesided2X" and self.scaling is None:
            raise refuse(f"For scaling is None, fft_mode={value!r} is invalid! Set scaling to "
                         "'magnitude' or 'psd'.")
        self._fft_mode = value

    @property
    def mfft(self):
        """The extent of the transforms."""
        return self._mfft

    @mfft.setter
    def mfft(self, value):
        if not value >= self.m_num:
            raise refuse(f"Attribute mfft={value} needs to be at least the window length "
                         f"m_num={self.m_num}!")
        self._mfft = value

    @property
    def phase_shift(self):
        """The shift of the phase in samples, or None."""
        return self._phase_shift

    @phase_shift.setter
    def phase_shift(self, value):
        if value is None:
            self._phase_shift = None
            return
        if not hasattr(value, "__index__"):
            raise refuse(f"phase_shift={value} has the unit samples. Hence it needs to be an int "
                         "or it may be None!")
        if not -self.mfft < value < self.mfft:
            raise refuse(f"-mfft < phase_shift < mfft does not hold for mfft={self.mfft}, "
                         f"phase_shift={value}!")
        self._phase_shift = operator.index(value)

    @property
    def dual_win(self):
        """The window of the inverse."""
        return np.asarray(self._dual_window())

    def _dual_window(self):
        if self._dual is None:
            self._dual = _canonical_dual(self._win, self.hop)
        return self._dual

    @property
    def invertible(self):
        """Whether the transform has an inverse."""
        try:
            return self._dual_window() is not None
        except ValueError:
            return False

    @property
    def fac_magnitude(self):
        """The factor of the window for the scaling 'magnitude'."""
        return 1.0 if self.scaling == "magnitude" else 1 / abs(self._win.sum())

    @property
    def fac_psd(self):
        """The factor of the window for the scaling 'psd'."""
        if self.scaling == "psd":
            return 1.0
        return 1 / ((abs(self._win) ** 2).sum() / self.T) ** 0.5

    @described("None", _WRONG, ALONE)
    def scale_to(self, scaling):
        """Scales the window, and its dual inversely."""
        if scaling not in ("magnitude", "psd"):
            text = f"scaling={scaling!r} not in ['magnitude', 'psd']!"
            raise refuse(text, mistake="choice")
        if scaling == self._scaling:
            return
        factor = self.fac_psd if scaling == "psd" else self.fac_magnitude
        self._win = self._win * factor
        if self._dual is not None:
            self._dual = self._dual / factor
        self._scaling = scaling

    @property
    def f_pts(self):
        """The number of frequencies."""
        return self.mfft // 2 + 1 if self.onesided_fft else self.mfft

    @property
    def f(self):
        """The frequencies."""
        if self.onesided_fft:
            return np.fft.rfftfreq(self.mfft, self.T)
        found = np.fft.fftfreq(self.mfft, self.T)
        return np.fft.fftshift(found) if self.fft_mode == "centered" else found

    @property
    def k_min(self):
        """The first sample of the first slice."""
        return self._first[0]

    @property
    def p_min(self):
        """The number of the first slice, not positive."""
        return self._first[1]

    @property
    def _first(self):
        power = abs(self._win) ** 2
        at, slice_number = -self.m_num_mid, 0
        while True:
            before = at - self.hop
            if before + self.m_num <= 0 or (power[before:] == 0).all():
                return at, slice_number
            at, slice_number = before, slice_number - 1

    def _last(self, n):
        """The samples and the slices at the end of a signal of `n` samples, both exclusive."""
        least = self.m_num - self.m_num_mid
        if not n >= least:
            raise refuse(f"Parameter n must be >= ceil(m_num/2) = {least}!")
        power = abs(self._win) ** 2
        slice_number = n // self.hop
        at = slice_number * self.hop - self.m_num_mid
        while True:
            after = at + self.hop
            if after >= n or (power[: n - after] == 0).all():
                return at + self.m_num, slice_number + 1
            at, slice_number = after, slice_number + 1

    @described(_INT, _WRONG, ALONE)
    def k_max(self, n):
        """The first sample after the last slice of a signal of `n` samples."""
        return self._last(n)[0]

    @described("int: The number.", _WRONG, ALONE)
    def p_max(self, n):
        """The number of the first slice beyond a signal of `n` samples."""
        return self._last(n)[1]

    @described("int: The number.", _WRONG, ALONE)
    def p_num(self, n):
        """The number of slices of a signal of `n` samples."""
        return self.p_max(n) - self.p_min

    @described("(int, int): The first slice, and the first one beyond.", _WRONG, ALONE)
    def p_range(self, n, p0=None, p1=None):
        """The slices of a signal of `n` samples, checked."""
        p_max = self.p_max(n)
        p0 = self.p_min if p0 is None else p0
        p1 = p_max if p1 is None else p1
        if not self.p_min <= p0 < p1 <= p_max:
            raise refuse(
                f"Invalid Parameter p0={p0}, p1={p1}, i.e., self.p_min={self.p_min} <= p0 < p1 <= "
                f"p_max={p_max} does not hold for signal length n={n}!"
            )
        return p0, p1

    @property
    def lower_border_end(self):
        """The first sample and the first slice that no samples before the signal affect."""
        power = abs(self._win) ** 2
        nonzero = power.nonzero()[0]
        if nonzero.size == 0:
            return 0, max(self.p_min, 0)
        start = nonzero[0] - self.m_num_mid
        at, number = int(start), 0
        while at < self.hop + 1:
            if at + self.hop >= 0:
                return at + self.m_num, number + 1
            at, number = at + self.hop, number + 1
        return 0, max(self.p_min, 0)

    @described("(int, int): The sample and the slice.", _WRONG, ALONE)
    def upper_border_begin(self, n):
        """The first sample and the first slice that the end of `n` samples affects."""
        least = self.m_num - self.m_num_mid
        if not n >= least:
            raise refuse(f"Parameter n must be >= ceil(m_num/2) = {least}!")
        power = abs(self._win) ** 2
        lowest = max((n - self.m_num) // self.hop - 1, -1)
        for number in range(n // self.hop + 1, lowest, -1):
            end = number * self.hop + least
            if end <= n or (power[n - end :] == 0).all():
                return (number + 1) * self.hop - self.m_num_mid, number + 1
        return 0, 0

    @described("ndarray: The times.", _WRONG)
    def t(self, n, p0=None, p1=None, k_offset=0):
        """The times of the slices of a signal of `n` samples."""
        p0, p1 = self.p_range(n, p0, p1)
        return np.arange(p0, p1) * self.delta_t + k_offset * self.T

    @described(_INT, {}, ALONE)
    def nearest_k_p(self, k, left=True):
        """The sample at the middle of the slice that is nearest to a sample, on one side."""
        number, rest = divmod(k, self.hop)
        return k if rest == 0 else (number if left else number + 1) * self.hop

    @described("(float, float, float, float): The ends of both axes.", _WRONG, ALONE)
    def extent(self, n, axes_seq="tf", center_bins=False):
        """The ranges of times and frequencies of a signal of `n` samples, for images."""
        if axes_seq not in ("tf", "ft"):
            raise refuse(f"Parameter axes_seq={axes_seq!r} not in ['tf', 'ft']!", mistake="choice")
        if self.onesided_fft:
            q0, q1 = 0, self.f_pts
        elif self.fft_mode == "centered":
            q0 = -(self.mfft // 2)
            q1 = q0 + self.mfft
        else:
            raise refuse(f"Attribute fft_mode={self.fft_mode} must be in ['centered', 'onesided', "
                         "'onesided2X']")
        shift = -0.5 if center_bins else 0
        t0, t1 = self.delta_t * (self.p_min + shift), self.delta_t * (self.p_max(n) + shift)
        f0, f1 = self.delta_f * (q0 + shift), self.delta_f * (q1 + shift)
        return (t0, t1, f0, f1) if axes_seq == "tf" else (f0, f1, t0, t1)

    @described("ndarray: The transforms: the frequencies take the place of `axis`, the slices are "
               "the last axis.", _WRONG)
    def stft(self, x, p0=None, p1=None, *, k_offset=0, padding="zeros", axis=-1):
        """The transforms of the slices of a signal."""
        return self.stft_detrend(x, None, p0, p1, k_offset=k_offset, padding=padding, axis=axis)

    @beside
    @described("ndarray: The transforms: the frequencies take the place of `axis`, the slices are "
               "the last axis.", _WRONG)
    def stft_detrend(self, x, detr, p0=None, p1=None, *, k_offset=0, padding="zeros", axis=-1):
        """The transforms of the slices of a signal, of which a trend is removed."""
        if isinstance(detr, str):
            kind = detr

            def detr(cut):
                return detrend(cut, type=kind)
        elif detr is not None and not callable(detr):
            raise refuse(f"Parameter detr={detr} is not a str, function or None!", mistake="choice")
        x = inexact(x)
        if self.onesided_fft and x.dtype.kind == "c":
            raise refuse(
                f"Complex-valued `x` not allowed for self.fft_mode={self.fft_mode!r}'! Set "
                "property `fft_mode` to 'twosided' or 'centered'."
            )
        axis = axis_of(axis, x.ndim)
        x = np.moveaxis(x, axis, -1)
        n = x.shape[-1]
        least = self.m_num - self.m_num_mid
        if not n >= least:
            raise refuse(f"The length of the signal, {n}, must be >= ceil(m_num/2) = {least}!")
        p0, p1 = self.p_range(n, p0, p1)
        cut = self._slices(x, k_offset, p0, p1, padding)
        cut = cut if detr is None else detr(cut)
        found = self._transform(cut * np.asarray(self._win.conj()))
        # Slices become the last axis, frequencies that of the samples.
        found = np.swapaxes(found, -1, -2)
        return found if x.ndim == 1 else np.moveaxis(found, -2, axis)

    def _slices(self, x, k_offset, p0, p1, padding):
        if padding not in _PADDINGS:
            text = f"Parameter padding={padding!r} not in {list(_PADDINGS)}!"
            raise refuse(text, mistake="choice")
        n = x.shape[-1]
        start = k_offset + p0 * self.hop - self.m_num_mid
        stop = k_offset + (p1 - 1) * self.hop - self.m_num_mid + self.m_num
        before, after = max(-start, 0), max(stop - n, 0)
        if before or after:
            widths = [(0, 0)] * (x.ndim - 1) + [(before, after)]
            x = np.pad(x, widths, **_PADDINGS[padding])
        return frames(x[..., start + before : stop + before], self.m_num, self.hop)

    def _shift(self):
        return (self.phase_shift + self.m_num_mid) % self.m_num

    def _transform(self, cut):
        """The transforms of slices along the last axis."""
        if self.phase_shift is not None:
            missing = self.mfft - cut.shape[-1]
            if missing:
                cut = np.pad(cut, [(0, 0)] * (cut.ndim - 1) + [(0, missing)])
            cut = np.roll(cut, -self._shift(), axis=-1)
        if self.fft_mode == "twosided":
            return np.fft.fft(cut, self.mfft)
        if self.fft_mode == "centered":
            return np.fft.fftshift(np.fft.fft(cut, self.mfft), axes=-1)
        found = np.fft.rfft(cut, self.mfft)
        return found if self.fft_mode == "onesided" else found * self._doubling(found)

    def _doubling(self, spectra):
        import numpy

        factors = numpy.full(spectra.shape[-1], 2**0.5 if self.scaling == "psd" else 2.0)
        factors[0] = 1
        if self.mfft % 2 == 0:
            factors[-1] = 1
        return np.asarray(factors.astype(spectra.real.dtype))

    def _inverse(self, spectra):
        """The slices of transforms along the last axis."""
        if self.fft_mode == "twosided":
            x = np.fft.ifft(spectra, self.mfft)
        elif self.fft_mode == "centered":
            x = np.fft.ifft(np.fft.ifftshift(spectra, axes=-1), self.mfft)
        else:
            if self.fft_mode == "onesided2X":
                spectra = spectra / self._doubling(spectra)
            x = np.fft.irfft(spectra, self.mfft)
        if self.phase_shift is not None:
            x = np.roll(x, self._shift(), axis=-1)
        return x[..., : self.m_num]

    @beside
    @described("ndarray: The spectrogram: real, or complex with a second signal.", _WRONG)
    def spectrogram(self, x, y=None, detr=None, *, p0=None, p1=None, k_offset=0, padding="zeros",
                    axis=-1):
        """The squared magnitudes of the transforms of a signal, or the products with those of
        another one."""
        options = {"k_offset": k_offset, "padding": padding, "axis": axis}
        one = self.stft_detrend(x, detr, p0, p1, **options)
        if y is None or y is x:
            return one.real**2 + one.imag**2
        return one * np.conj(self.stft_detrend(y, detr, p0, p1, **options))

    @beside
    @described("ndarray: The signal.", _WRONG)
    def istft(self, S, k0=0, k1=None, *, f_axis=-2, t_axis=-1):
        """The signal of transforms, from sample `k0` to `k1`."""
        S = array(S)
        f_axis, t_axis = axis_of(f_axis, S.ndim), axis_of(t_axis, S.ndim)
        if f_axis == t_axis:
            raise refuse(f"f_axis={f_axis} may not be equal to t_axis={t_axis}!")
        if S.shape[f_axis] != self.f_pts:
            raise refuse(f"S.shape[f_axis]={S.shape[f_axis]} must be equal to "
                         f"self.f_pts={self.f_pts}!")
        least = self.m_num - self.m_num_mid
        if not S.shape[t_axis] >= (needed := self.p_num(least)):
            raise refuse(f"S.shape[t_axis]={S.shape[t_axis]} needs to have at least {needed} "
                         "slices!")
        end = S.shape[t_axis] + self.p_min
        k_max = (end - 1) * self.hop + self.m_num - self.m_num_mid
        k1 = k_max if k1 is None else k1
        if not self.k_min <= k0 < k1 <= k_max:
            raise refuse(f"(self.k_min={self.k_min}) <= (k0={k0}) < (k1={k1}) <= (k_max={k_max}) "
                         "is not true!")
        if not k1 - k0 >= least:
            raise refuse(f"(k1={k1}) - (k0={k0}) = {k1 - k0} has to be at least the half the "
                         f"window length {least}!")
        S = np.moveaxis(S, (t_axis, f_axis), (-2, -1))
        pieces = self._inverse(S)
        x = overlap_added(pieces * self.dual_win, self.hop)
        start = self.p_min * self.hop - self.m_num_mid
        x = x[..., k0 - start : k1 - start]
        return x if x.ndim == 1 else np.moveaxis(x, -1, t_axis if t_axis < f_axis else f_axis)


def _overlapping_power(win, hop):
    """The sum of the squared magnitudes of a window and its shifts by multiples of `hop`."""
    import numpy

    power = abs(win) ** 2
    total = power.copy()
    for shift in range(hop, win.size, hop):
        total[shift:] += power[:-shift]
        total[:-shift] += power[shift:]
    least = numpy.finfo(total.dtype).resolution * total.max()
    if not (total >= least).all():
        raise refuse("Short-time Fourier Transform not invertible!")
    return total


def _canonical_dual(win, hop):
    if hop > win.size:
        raise refuse(
            f"hop={hop} is larger than window length of {win.size} => STFT not invertible!"
        )
    if win.dtype.kind in "iub":
        raise refuse(
            f"Parameter 'win' cannot be of integer type, but win.dtype={win.dtype!r} => STFT not "
            "invertible!"
        )
    return win / _overlapping_power(win, hop)
