"""Splines: coefficients of samples at integer positions, by recursive filters in both directions.

A signal is mirrored at its ends. The sums over the mirrored samples, which start the filters, end
where their terms are below the precision.
"""

import math

import phalanx as np

from .._arguments import in_c_order
from ._arrays import array, inexact, padded, part, refuse
from ._described import described
from ._recurrence import filtered

_CUBIC = math.sqrt(3) - 2
_QUADRATIC = 2 * math.sqrt(2) - 3


def _samples(x):
    """Samples as floating-point or complex numbers."""
    x = array(x)
    return x if x.dtype.char in "fdFD" else inexact(x)


def _not_converged():
    return refuse(
        "Sum to find symmetric boundary conditions did not converge.",
        hint="give more samples, or a larger `precision`",
    )


def _summed(x, weights):
    """The sum of the first samples along the last axis by NumPy's weights, with the axis."""
    weights = weights.astype(x.dtype)
    return np.sum(x[..., : weights.size] * np.asarray(weights), axis=-1, keepdims=True)


def _powers(z, count, precision, dtype):
    """The powers of a pole up to those that are below the precision. `count` is the number of
    samples, which must suffice if a precision is given."""
    import numpy

    # Powers near the precision are counted in the dtype of the samples, as SciPy counts them.
    kind = numpy.float32 if dtype.char in "fF" else numpy.float64
    least = kind(numpy.finfo(float).eps if precision is None else precision) ** 2
    size, power, needed = kind(abs(z)), kind(1), 0
    while needed == 0 or power * power > least:
        needed, power = needed + 1, power * size
    if precision is not None and needed >= count:
        raise _not_converged()
    return numpy.asarray(z) ** numpy.arange(min(needed, count))


def _first_order(x, gain, z, precision=None):
    """``gain / ((1 - z / w) (1 - z w))`` of the shift w, along the last axis."""
    import numpy

    x = x.astype(np.result_type(x.dtype, np.dtype("F") if isinstance(z, complex) else x.dtype))
    one, feedback = numpy.ones(1, x.dtype), numpy.asarray([1, -z]).astype(x.dtype)
    start = x[..., :1] + _summed(x, z * _powers(z, x.shape[-1], precision, x.dtype))
    forward, _ = filtered(one, feedback, x[..., 1:], -1, start * z)
    forward = np.concatenate([start, forward], axis=-1)
    end = forward[..., -1:] * (gain / (1 - z))
    scale = numpy.asarray([gain]).astype(x.dtype)
    backward, _ = filtered(scale, feedback, np.flip(forward[..., :-1], -1), -1, end * z)
    return np.concatenate([np.flip(backward, -1), end], axis=-1)


class _SecondOrder:
    """A filter of two complex poles ``r exp(+-1j omega)``, forward and backward."""

    def __init__(self, r, omega):
        self.r, self.omega = r, omega
        self.gain = 1 - 2 * r * math.cos(omega) + r * r

    def response(self, k):
        """The response of the forward filter to an impulse, from sample 0 on."""
        import numpy

        if self.omega == 0:
            found = self.gain * self.r**k * (k + 1)
        elif self.omega == math.pi:
            found = self.gain * self.r**k * (k + 1) * (-1.0) ** k
        else:
            sine = math.sin(self.omega)
            found = self.gain * self.r**k * numpy.sin(self.omega * (k + 1)) / sine
        return numpy.where(k < 0, 0.0, found)

    def both(self, k):
        """The response of both filters, which is symmetric."""
        import numpy

        r, omega, far = self.r, self.omega, abs(k)
        square = r * r
        if omega in (0, math.pi):
            base = r if omega == 0 else -r
            scale = (1 + square) / (1 - square) ** 3 * self.gain**2
            slope = (1 - square) / (1 + square)
            return scale * base**far * (1 + slope * far)
        scale = self.gain**2 * (1 + square) / (1 - square)
        scale /= 1 - 2 * square * math.cos(2 * omega) + square**2
        slope = (1 - square) / (1 + square) / math.tan(omega)
        return scale * r**far * (numpy.cos(omega * far) + slope * numpy.sin(omega * far))

    def weights(self, terms, count, precision, power):
        """The terms of a sum up to the first one below a power of the precision."""
        import numpy

        found = terms(numpy.arange(count))
        least = numpy.finfo(float).eps if precision is None else precision**power
        small = (abs(found) <= least).nonzero()[0]
        if small.size and small[0] + 1 < count:
            return found[: small[0] + 1]
        if precision is not None:
            raise _not_converged()
        return found

    def filtered(self, x, precision=None):
        """A signal along the last axis, filtered in both directions."""
        import numpy

        n, r = x.shape[-1], self.r
        turn = 2 * r * math.cos(self.omega)
        if n < 2 and precision is None:
            raise refuse("a smoothing spline needs two samples", IndexError)
        if n < 2:
            raise _not_converged()
        feedback = numpy.asarray([1, -turn, r * r]).astype(x.dtype)
        gain = numpy.asarray([self.gain]).astype(x.dtype)

        def of(terms, samples, power=1):
            return _summed(samples, self.weights(terms, n, precision, power))

        def rest(samples, first, second):
            """The samples after two known ones."""
            states = np.concatenate([turn * second - r * r * first, -(r * r) * second], axis=-1)
            found, _ = filtered(gain, feedback, samples, -1, states)
            return np.concatenate([first, second, found], axis=-1)

        zero, one = (float(self.response(numpy.asarray(k))) for k in (0, 1))
        first = zero * x[..., :1] + of(lambda k: self.response(k + 1), x)
        pair = (x[..., :1], x[..., 1:2])
        # SciPy exchanges both samples if it is given no precision.
        pair = pair if precision is None else pair[::-1]
        second = zero * pair[0] + one * pair[1] + of(lambda k: self.response(k + 2), x)
        forward = rest(x[..., 2:], first, second)
        reverse = np.flip(x, -1)
        last = of(lambda k: self.both(k) + self.both(k + 1), reverse, 0.5)
        before = of(lambda k: self.both(k - 1) + self.both(k + 2), reverse, 0.5)
        return np.flip(rest(np.flip(forward[..., :-2], -1), last, before), -1)


def _smoothing(lamb):
    """The filter of a smoothing cubic spline."""
    root = 24 * lamb * math.sqrt(3 + 144 * lamb)
    xi = 1 - 96 * lamb + root
    if 144 * lamb < 1:
        raise refuse("math domain error: lamb is 0, or more than 1 / 144")
    omega = math.atan2(math.sqrt(144 * lamb - 1), math.sqrt(xi))
    rho = (24 * lamb - 1 - math.sqrt(xi)) / (24 * lamb) * math.sqrt((48 * lamb + root) / xi)
    return _SecondOrder(rho, omega)


def _vector(signal):
    signal = inexact(signal)
    if signal.ndim != 1:
        raise refuse("the signal is a vector")
    if signal.size == 0:
        raise refuse("there are no samples", IndexError)
    return signal.astype(np.result_type(signal.dtype, np.float64))


_OF_SAMPLES = {
    "ValueError": "The signal is no vector, or the smoothing is not supported.",
    "IndexError": "There are too few samples.",
}


@described("ndarray: The coefficients, a vector.", _OF_SAMPLES)
@in_c_order
def cspline1d(signal, lamb=0.0):
    """The coefficients of the cubic spline through samples, or of a smoother one."""
    signal = _vector(signal)
    if lamb != 0.0:
        return _smoothing(lamb).filtered(signal)
    return _first_order(signal, _gain(signal, 6) * _CUBIC, _CUBIC)


@described("ndarray: The coefficients, a vector.", _OF_SAMPLES)
@in_c_order
def qspline1d(signal, lamb=0.0):
    """The coefficients of the quadratic spline through samples."""
    if lamb != 0.0:
        raise refuse("Smoothing quadratic splines not supported yet.")
    signal = _vector(signal)
    return _first_order(signal, _gain(signal, 8) * _QUADRATIC, _QUADRATIC)


def _gain(signal, scale):
    """The factor of the coefficients; as in SciPy, they are not scaled if there is one sample."""
    return -1 if signal.size == 1 else -scale


def _cubic(x):
    x = np.abs(x)
    inner = 2 / 3 - 0.5 * x * x * (2 - x)
    return np.where(x < 1, inner, np.where(x < 2, (2 - x) ** 3 / 6, 0.0))


def _quadratic(x):
    x = np.abs(x)
    return np.where(x < 0.5, 0.75 - x * x, np.where(x < 1.5, (x - 1.5) ** 2 / 2, 0.0))


def _evaluated(cj, newx, dx, x0, basis, reach):
    cj = array(cj)
    newx = (inexact(newx).astype(np.float64) - x0) / float(dx)
    if newx.size == 0:
        return np.zeros(newx.shape, cj.dtype)
    count = cj.shape[0]
    if count == 0:
        raise refuse("Spline coefficients 'cj' must not be empty.")
    # Positions beyond the ends are mirrored, any number of times.
    period = max(2 * (count - 1), 1)
    newx = np.mod(newx, period)
    newx = np.minimum(newx, period - newx) if count > 1 else newx * 0
    lowest = np.floor(newx - reach).astype(np.int64) + 1
    total = None
    for at in range(int(2 * reach)):
        place = lowest + at
        taken = np.take(cj, np.clip(place, 0, count - 1), mode="clip")
        term = taken * basis(newx - place)
        total = term if total is None else total + term
    return total if cj.dtype.kind in "biu" else total.astype(cj.dtype)


_EVALUATED = {"ValueError": "There are no coefficients."}


@described("ndarray: The values, of the shape of `newx`.", _EVALUATED)
def cspline1d_eval(cj, newx, dx=1.0, x0=0):
    """The values of a cubic spline of equidistant samples; beyond its ends it is mirrored."""
    return _evaluated(cj, newx, dx, x0, _cubic, 2)


@described("ndarray: The values, of the shape of `newx`.", _EVALUATED)
def qspline1d_eval(cj, newx, dx=1.0, x0=0):
    """The values of a quadratic spline of equidistant samples; beyond its ends it is mirrored."""
    newx = inexact(newx)
    # The dtype of the result is that of the positions, unlike that of `cspline1d_eval`.
    return _evaluated(cj, newx, dx, x0, _quadratic, 1.5).astype(newx.dtype)


@described(
    "ndarray: The values, of the shape of `x`.", {},
    x=("array_like", "The positions."), n=("int", "The order of the spline."),
)
def gauss_spline(x, n):
    """A Gaussian bell, which approximates the B-spline of an order."""
    x = inexact(x)
    width = (n + 1) / 12
    return np.exp(-x * x / (2 * width)) * (1 / math.sqrt(2 * math.pi * width))


def _precision(precision, dtype, single, double):
    if 0 < precision <= 1:
        return precision
    return single if dtype.char in "fF" else double


def _rows(x):
    """One or two axes of samples."""
    x = _samples(x)
    if x.ndim not in (1, 2):
        raise refuse("Input must be 1D or 2D")
    return x


_SYMMETRIC = {
    "ValueError": "The pole is not within the unit circle, the array has more than two axes, or "
    "there are too few samples for the precision.",
}
_PRECISION = ("float", "The terms at which the sums over mirrored samples end; by default 1e-6 "
              "in single and 1e-11 in double precision.")


@described(
    "ndarray: The filtered signal.", _SYMMETRIC,
    signal=("array_like", "The signal along the last of one or two axes."),
    precision=_PRECISION,
)
def symiirorder1(signal, c0, z1, precision=-1.0):
    """A signal through a recursive filter of one pole in both directions."""
    if abs(z1) >= 1:
        raise refuse("|z1| must be less than 1.0")
    x = _rows(signal)
    return _first_order(x, c0, z1, _precision(precision, x.dtype, 1e-6, 1e-11))


@described(
    "ndarray: The filtered signal.",
    {**_SYMMETRIC, "TypeError": "The signal is complex."},
    input=("array_like", "The signal along the last of one or two axes."),
    r=("float", "The magnitude of the poles, below 1."),
    precision=_PRECISION,
)
def symiirorder2(input, r, omega, precision=-1.0):
    """A signal through a recursive filter of two conjugate poles in both directions."""
    if r >= 1.0:
        raise refuse("r must be less than 1.0")
    x = _rows(input)
    if x.dtype.kind == "c":
        raise refuse("the signal must be real", TypeError, "dtype")
    precision = _precision(precision, x.dtype, 1e-6, 1e-11)
    return _SecondOrder(r, omega).filtered(x, precision)


_OF_PLANES = {
    "ValueError": "The smoothing is not supported, or there are too few samples for the precision.",
}


@described("ndarray: The coefficients, of the shape of the matrix.", _OF_PLANES,
           signal=("array_like", "The samples, a matrix."), precision=_PRECISION)
@in_c_order
def cspline2d(signal, lamb=0.0, precision=-1.0):
    """The coefficients of the cubic spline through the samples of a matrix, or of a smoother
    one."""
    x = _rows(signal)
    precision = _precision(precision, x.dtype, 1e-3, 1e-6)
    if lamb <= 1 / 144:
        return _along_both(x, lambda y: _first_order(y, -6 * _CUBIC, _CUBIC, precision))
    spline = _smoothing(lamb)
    return _along_both(x, lambda y: spline.filtered(y, precision))


@described("ndarray: The coefficients, of the shape of the matrix.", _OF_PLANES,
           signal=("array_like", "The samples, a matrix."), precision=_PRECISION)
@in_c_order
def qspline2d(signal, lamb=0.0, precision=-1.0):
    """The coefficients of the quadratic spline through the samples of a matrix."""
    if lamb > 0:
        raise refuse("lambda must be negative or zero")
    x = _rows(signal)
    precision = _precision(precision, x.dtype, 1e-3, 1e-6)
    return _along_both(x, lambda y: _first_order(y, -8 * _QUADRATIC, _QUADRATIC, precision))


def _along_both(x, function):
    x = function(x)
    if x.ndim == 1:
        return function(x)
    return np.swapaxes(function(np.swapaxes(x, 0, 1)), 0, 1)


@described(
    "ndarray: The filtered matrix.",
    {"ValueError": "The array has not two axes, or a filter has an even number of coefficients.",
     "TypeError": "A filter has not the precision of the matrix, or is complex beside a real one."},
    "Local: recorded, and computed when a value is observed. Collective if a filter is an array on "
    "devices, which is read.",
)
@in_c_order
def sepfir2d(input, hrow, hcol):
    """A matrix through one filter along its rows and one along its columns; it is mirrored at its
    ends."""
    from ._arrays import host

    x, filters = array(input), [host(one) for one in (hrow, hcol)]
    if x.dtype.char not in "fdFD":
        x = x.astype(np.float32 if x.dtype.itemsize < 4 else np.float64)
    if x.ndim != 2:
        raise refuse("object of too small depth for desired array")
    for given, taps in zip((hrow, hcol), filters):
        is_typed = hasattr(given, "dtype") or taps.dtype.kind == "c"
        if is_typed and not np.can_cast(taps.dtype, x.dtype):
            raise refuse(
                f"Cannot cast a filter from {taps.dtype} to {x.dtype} according to the rule 'safe'",
                TypeError, "conversion",
            )
    if any(one.ndim != 1 or one.size % 2 == 0 for one in filters):
        raise refuse("hrow and hcol must be odd length")
    for axis, taps in zip((1, 0), filters):
        half = taps.size // 2
        wide = padded(x, half, half, axis, "symmetric")
        extent, total = x.shape[axis], None
        for at, tap in enumerate(taps[::-1].tolist()):
            term = part(wide, axis, at, at + extent) * tap
            total = term if total is None else total + term
        x = total
    return x


@described(
    "ndarray: The smoothed matrix, of the dtype of `Iin`.",
    {"TypeError": "The dtype is not float32, float64, complex64 or complex128.",
     "ValueError": "There are too few samples."},
)
@in_c_order
def spline_filter(Iin, lmbda=5.0):
    """A matrix smoothed by a cubic spline."""
    image = array(Iin)
    if image.dtype.char not in "fdFD":
        raise refuse(f"Invalid data type for Iin: Iin.dtype = {image.dtype!r}", TypeError, "dtype")
    taps = [1 / 6, 4 / 6, 1 / 6]

    def smoothed(x):
        return sepfir2d(cspline2d(x, lmbda), taps, taps).astype(x.dtype)

    if image.dtype.kind != "c":
        return smoothed(image)
    # As in SciPy, in single precision: the sums at the ends of small images converge only there.
    single = image.astype("complex64", copy=False)
    return (smoothed(single.real) + 1j * smoothed(single.imag)).astype(image.dtype)
