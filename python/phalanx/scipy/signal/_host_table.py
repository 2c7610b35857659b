"""The functions of SciPy that run on the host: signature, result and summary of each."""

TABLE = """
abcd_normalize(A=None, B=None, C=None, D=None) -> tuple of ndarray: The four matrices. |
    State-space matrices that fit together; those that are missing are zero.
band_stop_obj(wp, ind, passb, stopb, gpass, gstop, type) -> float: The order. | The order of a
    band-stop filter as a function of one edge of its pass band.
bessel(N, Wn, btype='low', analog=False, output='ba', norm='phase', fs=None) -> tuple or ndarray:
    The coefficients, in the form `output`. | A filter of Bessel and Thomson, of a nearly constant
    delay.
besselap(N, norm='phase', *, xp=None, device=None) -> (ndarray, ndarray, float): Zeros, poles and
    gain. | The analog prototype of a Bessel filter.
bilinear(b, a, fs=1.0) -> (ndarray, ndarray): Numerator and denominator. | A digital filter from
    an analog one, by the bilinear transform.
bilinear_zpk(z, p, k, fs) -> (ndarray, ndarray, float): Zeros, poles and gain. | The zeros, poles
    and gain of a digital filter from those of an analog one, by the bilinear transform.
bode(system, w=None, n=100) -> (ndarray, ndarray, ndarray): Frequencies, magnitude in decibels and
    phase in degrees. | The magnitude and the phase of a system in continuous time.
buttap(N, *, xp=None, device=None) -> (ndarray, ndarray, float): Zeros, poles and gain. | The
    analog prototype of a Butterworth filter.
butter(N, Wn, btype='low', analog=False, output='ba', fs=None) -> tuple or ndarray: The
    coefficients, in the form `output`. | A Butterworth filter, of a flat pass band.
buttord(wp, ws, gpass, gstop, analog=False, fs=None) -> (int, ndarray or float): The order and the
    edges. | The least order of a Butterworth filter for given losses.
cheb1ap(N, rp, *, xp=None, device=None) -> (ndarray, ndarray, float): Zeros, poles and gain. | The
    analog prototype of a Chebyshev filter with a rippled pass band.
cheb1ord(wp, ws, gpass, gstop, analog=False, fs=None) -> (int, ndarray or float): The order and
    the edges. | The least order of a Chebyshev filter with a rippled pass band for given losses.
cheb2ap(N, rs, *, xp=None, device=None) -> (ndarray, ndarray, float): Zeros, poles and gain. | The
    analog prototype of a Chebyshev filter with a rippled stop band.
cheb2ord(wp, ws, gpass, gstop, analog=False, fs=None) -> (int, ndarray or float): The order and
    the edges. | The least order of a Chebyshev filter with a rippled stop band for given losses.
cheby1(N, rp, Wn, btype='low', analog=False, output='ba', fs=None) -> tuple or ndarray: The
    coefficients, in the form `output`. | A Chebyshev filter with a rippled pass band.
cheby2(N, rs, Wn, btype='low', analog=False, output='ba', fs=None) -> tuple or ndarray: The
    coefficients, in the form `output`. | A Chebyshev filter with a rippled stop band.
closest_STFT_dual_window(win, hop, desired_dual=None, *, scaled=True) -> (ndarray, float or
    complex): The window and its scale. | The dual window of a short-time Fourier transform that
    is closest to a desired one.
cont2discrete(system, dt, method='zoh', alpha=None) -> tuple: The system in the form of the given
    one, and its step. | A system in discrete time from one in continuous time.
dbode(system, w=None, n=100) -> (ndarray, ndarray, ndarray): Frequencies, magnitude in decibels
    and phase in degrees. | The magnitude and the phase of a system in discrete time.
dfreqresp(system, w=None, n=10000, whole=False) -> (ndarray, ndarray): Frequencies and the complex
    response. | The frequency response of a system in discrete time.
dimpulse(system, x0=None, t=None, n=None) -> (ndarray, tuple of ndarray): Times and responses. |
    The response of a system in discrete time to an impulse.
dlsim(system, u, t=None, x0=None) -> tuple of ndarray: Times, output, and the states of a
    state-space system. | The output of a system in discrete time for an input.
dstep(system, x0=None, t=None, n=None) -> (ndarray, tuple of ndarray): Times and responses. | The
    response of a system in discrete time to a step.
ellip(N, rp, rs, Wn, btype='low', analog=False, output='ba', fs=None) -> tuple or ndarray: The
    coefficients, in the form `output`. | An elliptic filter, of the steepest slope for given
    ripples.
ellipap(N, rp, rs, *, xp=None, device=None) -> (ndarray, ndarray, float): Zeros, poles and gain. |
    The analog prototype of an elliptic filter.
ellipord(wp, ws, gpass, gstop, analog=False, fs=None) -> (int, ndarray or float): The order and
    the edges. | The least order of an elliptic filter for given losses.
find_peaks_cwt(vector, widths, wavelet=None, max_distances=None, gap_thresh=None, min_length=None,
    min_snr=1, noise_perc=10, window_size=None) -> ndarray: The positions of the peaks. | The
    peaks of a short signal that stand out in its wavelet transforms of several widths.
findfreqs(num, den, N, kind='ba') -> ndarray: The frequencies. | Frequencies that show the
    response of an analog filter.
firls(numtaps, bands, desired, *, weight=None, fs=None) -> ndarray: The coefficients. | The filter
    without feedback that is closest to a desired response by least squares.
firwin(numtaps, cutoff, *, width=None, window='hamming', pass_zero=True, scale=True, fs=None) ->
    ndarray: The coefficients. | A filter without feedback by a window.
firwin2(numtaps, freq, gain, *, nfreqs=None, window='hamming', antisymmetric=False, fs=None) ->
    ndarray: The coefficients. | A filter without feedback of given gains at frequencies, by a
    window.
firwin_2d(hsize, window, *, fc=None, fs=2, circular=False, pass_zero=True, scale=True) -> ndarray:
    The coefficients, a matrix. | A filter of two axes without feedback, by a window.
freqresp(system, w=None, n=10000) -> (ndarray, ndarray): Frequencies and the complex response. |
    The frequency response of a system in continuous time.
freqs(b, a, worN=200, plot=None) -> (ndarray, ndarray): Frequencies and the complex response. |
    The frequency response of an analog filter.
freqs_zpk(z, p, k, worN=200) -> (ndarray, ndarray): Frequencies and the complex response. | The
    frequency response of an analog filter of given zeros and poles.
freqz(b, a=1, worN=512, whole=False, plot=None, fs=6.283185307179586, include_nyquist=False) ->
    (ndarray, ndarray): Frequencies and the complex response. | The frequency response of a
    digital filter.
freqz_sos(sos, worN=512, whole=False, fs=6.283185307179586) -> (ndarray, ndarray): Frequencies and
    the complex response. | The frequency response of a digital filter in sections of second
    order.
freqz_zpk(z, p, k, worN=512, whole=False, fs=6.283185307179586) -> (ndarray, ndarray): Frequencies
    and the complex response. | The frequency response of a digital filter of given zeros and
    poles.
gammatone(freq, ftype, order=None, numtaps=None, fs=None, *, xp=None, device=None) -> (ndarray,
    ndarray): Numerator and denominator. | A gammatone filter, a model of hearing.
group_delay(system, w=512, whole=False, fs=6.283185307179586) -> (ndarray, ndarray): Frequencies
    and delays in samples. | The delay of a digital filter at frequencies.
iircomb(w0, Q, ftype='notch', fs=2.0, *, pass_zero=False, xp=None, device=None) -> (ndarray,
    ndarray): Numerator and denominator. | A comb filter with notches or peaks at multiples of a
    frequency.
iirdesign(wp, ws, gpass, gstop, analog=False, ftype='ellip', output='ba', fs=None) -> tuple or
    ndarray: The coefficients, in the form `output`. | A recursive filter of the least order for
    given losses.
iirfilter(N, Wn, rp=None, rs=None, btype='band', analog=False, ftype='butter', output='ba',
    fs=None) -> tuple or ndarray: The coefficients, in the form `output`. | A recursive filter of
    a given order and kind.
iirnotch(w0, Q, fs=2.0, *, xp=None, device=None) -> (ndarray, ndarray): Numerator and denominator.
    | A filter that removes one frequency.
iirpeak(w0, Q, fs=2.0, *, xp=None, device=None) -> (ndarray, ndarray): Numerator and denominator.
    | A filter that keeps one frequency.
impulse(system, X0=None, T=None, N=None) -> (ndarray, ndarray): Times and the response. | The
    response of a system in continuous time to an impulse.
invres(r, p, k, tol=0.001, rtype='avg') -> (ndarray, ndarray): Numerator and denominator. | The
    polynomials of a partial fraction in s.
invresz(r, p, k, tol=0.001, rtype='avg') -> (ndarray, ndarray): Numerator and denominator. | The
    polynomials of a partial fraction in z.
kaiser_atten(numtaps, width) -> float: The attenuation in decibels. | The attenuation of a filter
    by Kaiser's window.
kaiser_beta(a) -> float: The parameter. | The parameter of Kaiser's window for an attenuation.
kaiserord(ripple, width) -> (int, float): The number of coefficients and the parameter. | The
    length and the parameter of Kaiser's window for a filter.
lp2bp(b, a, wo=1.0, bw=1.0) -> (ndarray, ndarray): Numerator and denominator. | A band-pass filter
    from an analog low-pass filter.
lp2bp_zpk(z, p, k, wo=1.0, bw=1.0) -> (ndarray, ndarray, float): Zeros, poles and gain. | The
    zeros, poles and gain of a band-pass filter from those of an analog low-pass filter.
lp2bs(b, a, wo=1.0, bw=1.0) -> (ndarray, ndarray): Numerator and denominator. | A band-stop filter
    from an analog low-pass filter.
lp2bs_zpk(z, p, k, wo=1.0, bw=1.0) -> (ndarray, ndarray, float): Zeros, poles and gain. | The
    zeros, poles and gain of a band-stop filter from those of an analog low-pass filter.
lp2hp(b, a, wo=1.0) -> (ndarray, ndarray): Numerator and denominator. | A high-pass filter from an
    analog low-pass filter.
lp2hp_zpk(z, p, k, wo=1.0) -> (ndarray, ndarray, float): Zeros, poles and gain. | The zeros, poles
    and gain of a high-pass filter from those of an analog low-pass filter.
lp2lp(b, a, wo=1.0) -> (ndarray, ndarray): Numerator and denominator. | A low-pass filter of
    another edge from an analog one.
lp2lp_zpk(z, p, k, wo=1.0) -> (ndarray, ndarray, float): Zeros, poles and gain. | The zeros, poles
    and gain of a low-pass filter of another edge from those of an analog one.
lsim(system, U, T, X0=None, interp=True) -> (ndarray, ndarray, ndarray): Times, output and states.
    | The output of a system in continuous time for an input.
max_len_seq(nbits, state=None, length=None, taps=None) -> (ndarray, ndarray): The sequence of 0
    and 1, and the state at its end. | A sequence of maximal length of a shift register with
    feedback.
minimum_phase(h, method='homomorphic', n_fft=None, *, half=True) -> ndarray: The coefficients. | A
    filter of minimum phase from one of linear phase.
normalize(b, a) -> (ndarray, ndarray): Numerator and denominator. | A transfer function whose
    denominator starts with 1.
place_poles(A, B, poles, method='YT', rtol=0.001, maxiter=30) -> Bunch: The gain matrix and the
    poles that were found. | The gain of a state feedback that gives a system its poles.
remez(numtaps, bands, desired, *, weight=None, type='bandpass', maxiter=25, grid_density=16,
    fs=None) -> ndarray: The coefficients. | The filter without feedback of the least maximal
    error, by the algorithm of Remez.
residue(b, a, tol=0.001, rtype='avg') -> (ndarray, ndarray, ndarray): Residues, poles and
    polynomial terms. | The partial fraction of a quotient of polynomials in s.
residuez(b, a, tol=0.001, rtype='avg') -> (ndarray, ndarray, ndarray): Residues, poles and
    polynomial terms. | The partial fraction of a quotient of polynomials in z.
sos2tf(sos) -> (ndarray, ndarray): Numerator and denominator. | The transfer function of sections
    of second order.
sos2zpk(sos) -> (ndarray, ndarray, float): Zeros, poles and gain. | The zeros, poles and gain of
    sections of second order.
sosfreqz(*args, **kwargs) -> (ndarray, ndarray): Frequencies and the complex response. | The
    frequency response of a digital filter in sections, by an older name.
ss2tf(A, B, C, D, input=0) -> (ndarray, ndarray): Numerators and denominator. | The transfer
    function of a state-space system.
ss2zpk(A, B, C, D, input=0) -> (ndarray, ndarray, float): Zeros, poles and gain. | The zeros,
    poles and gain of a state-space system.
step(system, X0=None, T=None, N=None) -> (ndarray, ndarray): Times and the response. | The
    response of a system in continuous time to a step.
tf2sos(b, a, pairing=None, *, analog=False) -> ndarray: The sections, six numbers each. | The
    sections of second order of a transfer function.
tf2ss(num, den) -> tuple of ndarray: The four matrices. | The state-space form of a transfer
    function.
tf2zpk(b, a) -> (ndarray, ndarray, float): Zeros, poles and gain. | The zeros, poles and gain of a
    transfer function.
unique_roots(p, tol=0.001, rtype='min') -> (ndarray, ndarray): The roots and their multiplicities.
    | The roots that differ by more than a tolerance, and how often each occurs.
zpk2sos(z, p, k, pairing=None, *, analog=False) -> ndarray: The sections, six numbers each. | The
    sections of second order of zeros, poles and gain.
zpk2ss(z, p, k) -> tuple of ndarray: The four matrices. | The state-space form of zeros, poles and
    gain.
zpk2tf(z, p, k) -> (ndarray, ndarray): Numerator and denominator. | The transfer function of
    zeros, poles and gain.
"""
