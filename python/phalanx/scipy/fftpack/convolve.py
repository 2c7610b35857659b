"""Products with packed Fourier transforms: the names of ``scipy.fftpack.convolve``."""

import operator as _operator

import phalanx as _np

from ..fft._arguments import refuse as _refuse
from ..fft._parameters import described as _described
from ._operators import _vector
from ._packed import packed as _packed
from ._packed import unpacked as _unpacked

__all__ = ["convolve", "convolve_z", "destroy_convolve_cache", "init_convolution_kernel"]

_FACTORS = ("array_like", "The factors, packed as the result of `fftpack.rfft`.")
_ERRORS = {"ValueError": "The vectors are none, or have different extents."}
_TAKEN = {
    "omega": _FACTORS,
    "omega_real": _FACTORS,
    "omega_imag": ("array_like", "The factors of the exchanged parts, packed alike."),
    "overwrite_x": ("bool", "Not used: no array is overwritten."),
    "swap_real_imag": ("bool", "Whether the real and imaginary parts are exchanged."),
    "x": ("array_like", "The vector, of real numbers."),
}


def _exchanged(values):
    """A packed transform whose real and imaginary parts are exchanged."""
    n = values.shape[0]
    last = n - 1 + n % 2
    pairs = values[1:last].reshape(-1, 2)[:, ::-1].reshape(-1)
    return _np.concatenate([values[:1], pairs, values[last:]])


def _operands(x, *factors):
    x = _vector(x)
    factors = [_vector(one) for one in factors]
    if any(one.shape != x.shape for one in factors):
        raise _refuse("the vector and the factors have different extents", mistake="together")
    return (x, *factors)


def _scaled(values):
    # The factors contain the scale of the inverse transform.
    return _unpacked(values) * values.shape[0]


@_described("ndarray: float64, of the extent of `x`.", _ERRORS, **_TAKEN)
def convolve(x, omega, swap_real_imag=False, overwrite_x=False):
    """The inverse transform of the transform of a vector, multiplied by factors."""
    x, omega = _operands(x, omega)
    values = _packed(x) * omega
    return _scaled(_exchanged(values) if swap_real_imag else values)


@_described("ndarray: float64, of the extent of `x`.", _ERRORS, **_TAKEN)
def convolve_z(x, omega_real, omega_imag, overwrite_x=False):
    """The inverse transform of the transform of a vector, multiplied by complex factors."""
    x, omega_real, omega_imag = _operands(x, omega_real, omega_imag)
    values = _packed(x)
    return _scaled(values * omega_real + _exchanged(values * omega_imag))


@_described("None", {}, "Local: nothing is recorded.")
def destroy_convolve_cache():
    """Does nothing: there is no cache."""


@_described(
    "ndarray: The factors, packed as the result of `fftpack.rfft`, float64.",
    {"ValueError": "The number is negative."},
    "Local: the function is called on the host for each frequency.",
    d=("int", "The order of the derivative, whose power of i the factors contain."),
    kernel_func=("callable", "The factor of a frequency, which is its first argument."),
    kernel_func_extra_args=("tuple", "Further arguments of the function."),
    n=("int", "The number of factors."),
    zero_nyquist=("bool", "Whether the highest frequency of an even number is zero; None is true "
                  "for odd orders."),
)
def init_convolution_kernel(n, kernel_func, d=0, zero_nyquist=None, kernel_func_extra_args=()):
    """Factors for `convolve`, from a function of the frequency."""
    import numpy

    n, d = _operator.index(n), _operator.index(d) % 4
    if n < 0:
        raise _refuse("the number of factors is negative")
    zero_nyquist = d % 2 == 1 if zero_nyquist is None else bool(zero_nyquist)
    values = [kernel_func(k, *kernel_func_extra_args) for k in range(n // 2 + 1)]
    first = 1.0 if d in (0, 1) else -1.0
    second = 1.0 if d in (0, 3) else -1.0
    factors = numpy.empty(n)
    if n:
        factors[0] = values[0]
    for k in range(1, (n - 1) // 2 + 1):
        factors[2 * k - 1 : 2 * k + 1] = first * values[k], second * values[k]
    if n % 2 == 0 and n:
        factors[n - 1] = 0.0 if zero_nyquist else first * values[n // 2]
    return _np.asarray(factors / n if n else factors)
