"""Windows: elementwise formulas of the positions, on devices or on the host."""

import math
import numbers
import operator
import warnings

import phalanx as np

from ._arrays import host, refuse
from ._described import described

_RESULT = "ndarray: A vector of `M` elements, float64."
_WRONG = {"ValueError": "`M` is no integer from 0 on, or a parameter is out of range."}


_window = described(_RESULT, _WRONG)


def _length(M):
    try:
        whole = operator.index(M)
    except TypeError:
        whole = int(M)
        if whole != M:
            whole = -1
    if whole < 0:
        raise refuse("Window length M must be a non-negative integer")
    return whole


def _computed(M, sym, xp, formula):
    """A window of a formula of the positions and their number. A periodic window is a longer
    symmetric one without its last element."""
    xp = np if xp is None else xp
    M = _length(M)
    if M <= 1:
        return xp.ones(M)
    total = M if sym else M + 1
    made = formula(xp.arange(total) * 1.0, total, xp)
    return made if sym else made[:-1]


@_window
def boxcar(M, sym=True, *, xp=None, device=None):
    """The rectangular window: all ones."""
    return _computed(M, sym, xp, lambda n, count, xp: xp.ones(count))


@_window
def triang(M, sym=True, *, xp=None, device=None):
    """The triangular window, without zeros at its ends."""

    def formula(n, count, xp):
        return 1 - xp.abs(2 * n + (1 - count)) / (count + count % 2)

    return _computed(M, sym, xp, formula)


@_window
def parzen(M, sym=True, *, xp=None, device=None):
    """Parzen's window, piecewise cubic."""

    def formula(n, count, xp):
        far = xp.abs(n - (count - 1) / 2)
        ratio = far / (count / 2)
        inner = 1 - 6 * ratio**2 + 6 * ratio**3
        return xp.where(far <= (count - 1) / 4, inner, 2 * (1 - ratio) ** 3)

    return _computed(M, sym, xp, formula)


@_window
def bohman(M, sym=True, *, xp=None, device=None):
    """Bohman's window, the convolution of two cosine lobes."""

    def formula(n, count, xp):
        x = xp.abs(n * (2 / (count - 1)) - 1)
        w = (1 - x) * xp.cos(math.pi * x) + xp.sin(math.pi * x) / math.pi
        return xp.where((n == 0) | (n == count - 1), 0.0, w)

    return _computed(M, sym, xp, formula)


def _cosines(M, terms, sym, xp):
    def formula(n, count, xp):
        angle = n * (2 * math.pi / (count - 1)) - math.pi
        total = xp.zeros(count)
        for order, term in enumerate(terms):
            total = total + float(term) * xp.cos(order * angle)
        return total

    return _computed(M, sym, xp, formula)


@described(_RESULT, _WRONG, a=("array_like", "The weights of the cosines."))
def general_cosine(M, a, sym=True):
    """A sum of cosines with given weights."""
    return _cosines(M, host(a, float).tolist(), sym, None)


@_window
def blackman(M, sym=True, *, xp=None, device=None):
    """Blackman's window, a sum of three cosines."""
    return _cosines(M, [0.42, 0.50, 0.08], sym, xp)


@_window
def nuttall(M, sym=True, *, xp=None, device=None):
    """Nuttall's window of four cosines with the lowest side lobes."""
    return _cosines(M, [0.3635819, 0.4891775, 0.1365995, 0.0106411], sym, xp)


@_window
def blackmanharris(M, sym=True, *, xp=None, device=None):
    """The window of four cosines of Blackman and Harris."""
    return _cosines(M, [0.35875, 0.48829, 0.14128, 0.01168], sym, xp)


@_window
def flattop(M, sym=True, *, xp=None, device=None):
    """A window of five cosines for accurate amplitudes."""
    terms = [0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368]
    return _cosines(M, terms, sym, xp)


@_window
def bartlett(M, sym=True, *, xp=None, device=None):
    """Bartlett's window, a triangle with zeros at its ends."""
    return _computed(M, sym, xp, lambda n, m, xp: 1 - xp.abs(n * (2 / (m - 1)) - 1))


@_window
def general_hamming(M, alpha, sym=True, *, xp=None, device=None):
    """A raised cosine: ``alpha - (1 - alpha) cos(2 pi n / (M - 1))``."""
    return _cosines(M, [alpha, 1 - alpha], sym, xp)


@_window
def hann(M, sym=True, *, xp=None, device=None):
    """Hann's window, a raised cosine with zeros at its ends."""
    return _cosines(M, [0.5, 0.5], sym, xp)


@_window
def hamming(M, sym=True, *, xp=None, device=None):
    """Hamming's window, a raised cosine with a low first side lobe."""
    return _cosines(M, [0.54, 0.46], sym, xp)


@_window
def tukey(M, alpha=0.5, sym=True, *, xp=None, device=None):
    """Tukey's window: flat, with the slopes of a cosine at its ends."""
    if alpha <= 0:
        return boxcar(M, sym, xp=xp)
    if alpha >= 1:
        return hann(M, sym, xp=xp)

    def formula(n, count, xp):
        width = math.floor(alpha * (count - 1) / 2)
        # The distance from the nearer end.
        near = xp.minimum(n, (count - 1) - n)
        slope = (1 + xp.cos(math.pi * (near * (2 / alpha / (count - 1)) - 1))) / 2
        return xp.where(near <= width, slope, 1.0)

    return _computed(M, sym, xp, formula)


@_window
def barthann(M, sym=True, *, xp=None, device=None):
    """The window of Bartlett and Hann, a triangle and a cosine."""

    def formula(n, count, xp):
        x = xp.abs(n / (count - 1) - 0.5)
        return 0.62 - 0.48 * x + 0.38 * xp.cos(2 * math.pi * x)

    return _computed(M, sym, xp, formula)


@described(_RESULT, _WRONG, p=("float", "The power: 1 for a Gaussian bell, 0.5 for a Laplacian."))
def general_gaussian(M, p, sig, sym=True, *, xp=None, device=None):
    """A Gaussian bell with a power `p` of its exponent."""

    def formula(n, count, xp):
        return xp.exp(-0.5 * xp.abs((n - (count - 1) / 2) / sig) ** (2 * p))

    return _computed(M, sym, xp, formula)


@_window
def gaussian(M, std, sym=True, *, xp=None, device=None):
    """A Gaussian bell of a standard deviation in samples."""

    def formula(n, count, xp):
        return xp.exp(-((n - (count - 1) / 2) ** 2) / (2 * std * std))

    return _computed(M, sym, xp, formula)


@_window
def cosine(M, sym=True, *, xp=None, device=None):
    """Half a period of a sine."""
    return _computed(M, sym, xp, lambda n, m, xp: xp.sin((n + 0.5) * (math.pi / m)))


@_window
def exponential(M, center=None, tau=1.0, sym=True, *, xp=None, device=None):
    """An exponential decay on both sides of a centre."""
    if sym and center is not None:
        raise refuse("If sym==True, center must be None.", mistake="together")

    def formula(n, count, xp):
        middle = (count - 1) / 2 if center is None else center
        return xp.exp(-xp.abs(n - middle) / tau)

    return _computed(M, sym, xp, formula)


@_window
def lanczos(M, *, sym=True, xp=None, device=None):
    """The main lobe of a sinc function."""
    return _computed(M, sym, xp, lambda n, m, xp: xp.sinc(n * (2 / (m - 1)) - 1))


@_window
def kaiser(M, beta, sym=True, *, xp=None, device=None):
    """Kaiser's window: Bessel functions, with a parameter of the width of the main lobe."""

    def formula(n, count, xp):
        import numpy

        half = (count - 1) / 2
        root = xp.sqrt(xp.maximum(1 - ((n - half) / half) ** 2, 0.0))
        return xp.i0(beta * root) / float(numpy.i0(float(beta)))

    return _computed(M, sym, xp, formula)


@_window
def kaiser_bessel_derived(M, beta, *, sym=True, xp=None, device=None):
    """The window that is derived from Kaiser's for modified cosine transforms."""
    if not sym:
        raise refuse(
            "Kaiser-Bessel Derived windows are only defined for symmetric shapes", mistake="choice"
        )
    module = np if xp is None else xp
    M = _length(M)
    if M < 1:
        return module.ones(0)
    if M % 2:
        text = "Kaiser-Bessel Derived windows are only defined for even number of points"
        raise refuse(text)
    sums = module.cumsum(kaiser(M // 2 + 1, beta, xp=xp))
    half = module.sqrt(sums[:-1] / sums[-1])
    return module.concatenate([half, half[::-1]])


@_window
def taylor(M, nbar=4, sll=30, norm=True, sym=True, *, xp=None, device=None):
    """Taylor's window, with side lobes of a constant level near the main lobe."""
    a = math.acosh(10 ** (sll / 20)) / math.pi
    scale = nbar**2 / (a**2 + (nbar - 0.5) ** 2)
    terms = []
    for m in range(1, nbar):
        above = math.prod(1 - m * m / scale / (a**2 + (n - 0.5) ** 2) for n in range(1, nbar))
        below = math.prod(1 - m * m / (n * n) for n in range(1, nbar) if n != m)
        terms.append((1 if m % 2 else -1) * above / below / 2)

    def formula(n, count, xp):
        angle = (n - (count - 1) / 2) * (2 * math.pi / count)
        total = xp.ones(count)
        for m, term in enumerate(terms, 1):
            total = total + 2 * term * xp.cos(m * angle)
        return total / (1 + 2 * sum(terms)) if norm else total

    return _computed(M, sym, xp, formula)


@_window
def chebwin(M, at, sym=True, *, xp=None, device=None):
    """The window of Dolph and Chebyshev, with side lobes of one level."""
    if abs(at) < 45:
        warnings.warn(
            "This window is not suitable for spectral analysis for attenuation values lower than "
            "about 45dB because the equivalent noise bandwidth of a Chebyshev window does not grow "
            "monotonically with increasing sidelobe attenuation when the attenuation is smaller "
            "than about 45 dB.",
            stacklevel=3,
        )

    def formula(n, count, xp):
        order = count - 1
        beta = math.cosh(math.acosh(10 ** (abs(at) / 20)) / order)
        x = beta * xp.cos(n * (math.pi / count))
        # The Chebyshev polynomial outside of [-1, 1] and inside.
        outer = xp.cosh(order * xp.arccosh(xp.maximum(xp.abs(x), 1.0)))
        inner = xp.cos(order * xp.arccos(xp.minimum(xp.maximum(x, -1.0), 1.0)))
        sign = 1.0 if order % 2 == 0 else xp.where(x < 0, -1.0, 1.0)
        p = xp.where(xp.abs(x) > 1, sign * outer, inner)
        if count % 2:
            half = xp.real(xp.fft.fft(p))[: (count + 1) // 2]
            w = xp.concatenate([half[:0:-1], half])
        else:
            turn = xp.cos(n * (math.pi / count)) + 1j * xp.sin(n * (math.pi / count))
            half = xp.real(xp.fft.fft(p * turn))[: count // 2 + 1]
            w = xp.concatenate([half[:0:-1], half[1:]])
        return w / xp.max(w)

    return _computed(M, sym, xp, formula)


@described(
    "ndarray or (ndarray, ndarray): The window, or `Kmax` windows in rows; and with "
    "`return_ratios` the share of the energy within the band.",
    {"ValueError": "A parameter is out of range.", "ImportError": "SciPy is not installed."},
    "Local: the windows are computed on the host by SciPy.",
)
def dpss(M, NW, Kmax=None, sym=True, norm=None, return_ratios=False, *, xp=None, device=None):
    """The discrete prolate spheroidal sequences, which keep most energy within a band."""
    from ._host import scipy_signal

    made = scipy_signal("dpss").windows.dpss(M, NW, Kmax, sym, norm, return_ratios)
    module = np if xp is None else xp
    return tuple(map(module.asarray, made)) if return_ratios else module.asarray(made)


_NAMES = {
    "barthann": "barthann brthan bth",
    "bartlett": "bartlett bart brt",
    "blackman": "blackman black blk",
    "blackmanharris": "blackmanharris blackharr bkh",
    "bohman": "bohman bman bmn",
    "boxcar": "boxcar box ones rect rectangular",
    "chebwin": "chebwin cheb",
    "cosine": "cosine halfcosine",
    "dpss": "dpss",
    "exponential": "exponential poisson",
    "flattop": "flattop flat flt",
    "gaussian": "gaussian gauss gss",
    "general_cosine": "general_cosine",
    "general_gaussian": "general_gaussian general_gauss ggs",
    "general_hamming": "general_hamming",
    "hamming": "hamming hamm ham",
    "hann": "hann han",
    "kaiser": "kaiser ksr",
    "kaiser_bessel_derived": "kaiser_bessel_derived kbd",
    "lanczos": "lanczos sinc",
    "nuttall": "nuttall nutl nut",
    "parzen": "parzen parz par",
    "taylor": "taylor taylorwin",
    "triang": "triangle triang tri",
    "tukey": "tukey tuk",
}
_OF_NAMES = {name: own for own, names in _NAMES.items() for name in names.split()}
_WITH_PARAMETERS = frozenset(
    """
    chebwin dpss gaussian general_cosine general_gaussian general_hamming kaiser
    kaiser_bessel_derived
    """.split()
)


@described(
    "ndarray: A vector of `Nx` elements, float64.",
    {"ValueError": "The window is unknown, or lacks its parameters."},
)
def get_window(window, Nx, fftbins=True, *, xp=None, device=None):
    """A window by its name, with its parameters in a tuple; a number is the parameter of Kaiser's
    window. Names that end in '_periodic' or '_symmetric' override `fftbins`."""
    if not (isinstance(Nx, numbers.Integral) and Nx > 0):
        raise refuse(f"Parameter Nx={Nx!r} is not a positive integer")
    if not isinstance(fftbins, bool):
        raise refuse(f"Parameter fftbins={fftbins!r} is not of type bool!")
    parameters = ()
    if isinstance(window, tuple) and window and isinstance(window[0], str):
        window, *parameters = window
    elif not isinstance(window, str):
        try:
            window, parameters = "kaiser", (float(window),)
        except (TypeError, ValueError):
            raise refuse(f"{type(window)} as window type is not supported.") from None
        return kaiser(Nx, *parameters, sym=not fftbins, xp=xp)
    sym, name = not fftbins, window
    for ending, value in (("_periodic", False), ("_symmetric", True)):
        if name.endswith(ending):
            name, sym = name.removesuffix(ending), value
    own = _OF_NAMES.get(name) or _OF_NAMES.get(name.replace(" ", "_"))
    if own is None:
        raise refuse(f"Unknown window type: {window!r}", mistake="choice")
    if own in _WITH_PARAMETERS and not parameters:
        raise refuse(
            f"The {window!r} window needs one or more parameters -- pass a tuple.",
            mistake="together",
        )
    if own == "kaiser_bessel_derived":
        return kaiser_bessel_derived(Nx, *parameters, sym=sym, xp=xp)
    if own == "dpss":
        return dpss(Nx, *parameters[:1], sym=sym, xp=xp)
    if own == "general_cosine":
        return _cosines(Nx, host(parameters[0], float).tolist(), sym, xp)
    return globals()[own](Nx, *parameters, sym=sym, xp=xp)


def of_host(window, extent, fftbins=True):
    """A window on the host, where small ones are computed faster."""
    import numpy

    return get_window(window, extent, fftbins, xp=numpy)
