"""Filters of images after a Fourier transform: products with the transforms of windows."""

import functools
import math
import operator

import phalanx as np

from ._described import RECORDED, described
from ._support import Output, array, axis_of, refuse, sequence

_RETURNS = "ndarray: The product; `output`, if it is an array."
_REFUSED = {
    "RuntimeError": "The dtype or the shape of the output is not allowed, or a sequence has "
    "another length than the image has axes.",
    "AxisError": "There is no such axis.",
}
_OUTPUT = ("ndarray or type", "The array that is written, or the type of the result: float32, "
           "float64 or a complex one.")
_SHIFTED = ("ndarray or type", "The array that is written, or the complex type of the result.")


def _target(output, input, kinds):
    """Where the result is written; `kinds` has the characters of the dtypes that it may have."""
    if output is None:
        dtype = input.dtype if input.dtype.char in kinds else np.dtype(kinds[-1])
        return Output(dtype, input, may_widen=True)
    if isinstance(output, (type, np.dtype, str)):
        # SciPy takes types of NumPy's numbers alone, not those of Python.
        if not (isinstance(output, type) and issubclass(output, np.generic)
                and np.dtype(output).char in kinds):
            raise refuse("output type not supported", RuntimeError, "dtype")
        return _checked(Output(output, input, may_widen=True), input, kinds)
    return _checked(Output(output, input, may_widen=True), input, kinds)


def _checked(target, input, kinds):
    """An output that holds the products."""
    is_lost = input.dtype.kind == "c" and target.dtype.kind != "c"
    if input.size and (target.dtype.char not in kinds or is_lost):
        raise refuse(f"data type not supported: {target.dtype}", RuntimeError, "dtype")
    return target


def _frequencies(input, n, axis):
    """For each axis, the numbers of its waves, and the extent before the transform."""
    n, found = operator.index(n), []
    for place, extent in enumerate(input.shape):
        shape = [1] * input.ndim
        shape[place] = extent
        waves = np.arange(extent, dtype=np.float64)
        if place == axis and n >= 0:
            found.append((waves.reshape(shape), n))
            continue
        waves = np.where(waves < (extent + 1) // 2, waves, waves - extent)
        found.append((waves.reshape(shape), extent))
    return found


def _values(given, ndim):
    import numpy

    return numpy.asarray(sequence(given, ndim), numpy.float64).tolist()


def _sinc(x):
    """The sine of x divided by x."""
    is_zero = x == 0
    return np.where(is_zero, 1.0, np.sin(x) / np.where(is_zero, 1.0, x))


def _product(input, factors, target):
    found = input.astype(np.result_type(input.dtype, np.float64))
    for factor in factors:
        found = found * factor
    return target.store(found)


@described(_RETURNS, _REFUSED, RECORDED, output=_OUTPUT)
def fourier_gaussian(input, sigma, n=-1, axis=-1, output=None):
    """The product with the transform of a normal distribution."""
    input = array(input)
    target = _target(output, input, "fFDd")
    axis = axis_of(axis, input.ndim)
    factors = [
        np.exp(-2.0 * (math.pi * one / extent) ** 2 * (waves * waves))
        for one, (waves, extent) in zip(_values(sigma, input.ndim), _frequencies(input, n, axis))
        if extent
    ]
    return _product(input, factors, target)


@described(_RETURNS, _REFUSED, RECORDED, output=_OUTPUT,
           size=("float or sequence of float", "The extents of the box."))
def fourier_uniform(input, size, n=-1, axis=-1, output=None):
    """The product with the transform of a box."""
    input = array(input)
    target = _target(output, input, "fFDd")
    axis = axis_of(axis, input.ndim)
    factors = [
        # A box without extent has the factor 0 in SciPy, except for the mean.
        _sinc((math.pi * one / extent) * waves) if one else (waves == 0).astype(np.float64)
        for one, (waves, extent) in zip(_values(size, input.ndim), _frequencies(input, n, axis))
        if extent
    ]
    return _product(input, factors, target)


@described(_RETURNS, {**_REFUSED, "NotImplementedError": "There are more than three axes."},
           RECORDED, output=_OUTPUT,
           size=("float or sequence of float", "The diameters of the ellipsoid."))
def fourier_ellipsoid(input, size, n=-1, axis=-1, output=None):
    """The product with the transform of an ellipsoid."""
    input = array(input)
    ndim = input.ndim
    if ndim > 3:
        text = "Only 1d, 2d and 3d inputs are supported"
        raise refuse(text, NotImplementedError, "absent")
    target = _target(output, input, "fFDd")
    if input.size == 0:
        return target.store(input)
    axis = axis_of(axis, ndim)
    sizes, squares = _values(size, ndim), 0.0
    for one, (waves, extent) in zip(sizes, _frequencies(input, n, axis)):
        x = waves * (math.pi * one / extent)
        squares = squares + x * x
    radius = np.sqrt(squares)
    is_zero = radius == 0
    radius = np.where(is_zero, 1.0, radius)
    if ndim == 1:
        factor = np.sin(radius) / radius
    elif ndim == 2:
        factor = 2.0 * _bessel1(radius) / radius
    else:
        factor = 3.0 * (np.sin(radius) - radius * np.cos(radius)) / (radius * radius * radius)
    return _product(input, [np.where(is_zero, 1.0, factor)], target)


@described(_RETURNS, _REFUSED, RECORDED, output=_SHIFTED)
def fourier_shift(input, shift, n=-1, axis=-1, output=None):
    """The transform of an image that is moved."""
    input = array(input)
    target = _target(output, input, "FD")
    axis = axis_of(axis, input.ndim)
    phase = 0.0
    for one, (waves, extent) in zip(_values(shift, input.ndim), _frequencies(input, n, axis)):
        phase = phase - waves * (2.0 * math.pi * one / extent if extent else 0.0)
    return target.store(input * np.exp(1j * phase) if input.ndim else input)


# J1 is computed from its Chebyshev series on pieces of this length, and from its asymptotic series
# beyond them.
_PIECE, _PIECES, _DEGREE = 6.0, 5, 24


@functools.cache
def _series():
    """The Chebyshev coefficients of J1 on its pieces."""
    import numpy

    count = 256
    angles = (numpy.arange(count) + 0.5) * (math.pi / count)
    nodes = numpy.cos((numpy.arange(_DEGREE) + 0.5) * (math.pi / _DEGREE))
    series = []
    for piece in range(_PIECES):
        x = _PIECE * (piece + 0.5 * (nodes + 1.0))
        # The integral of Bessel, by the midpoint rule, which is exact for a periodic function.
        values = numpy.cos(angles - x[:, None] * numpy.sin(angles)).mean(1)
        orders = numpy.arange(_DEGREE)[:, None]
        turns = numpy.cos(orders * numpy.arccos(nodes))
        found = 2.0 / _DEGREE * (turns * values).sum(1)
        found[0] /= 2.0
        series.append(found.tolist())
    return series


def _bessel1(x):
    """The Bessel function J1 of nonnegative numbers."""
    total = 0.0
    for piece, series in enumerate(_series()):
        y = x * (2.0 / _PIECE) - (2.0 * piece + 1.0)
        y = np.clip(y, -1.0, 1.0)
        last, before = 0.0, 0.0
        for one in series[:0:-1]:
            last, before = one + 2.0 * y * last - before, last
        value = series[0] + y * last - before
        is_here = (x >= _PIECE * piece) & (x < _PIECE * (piece + 1))
        total = total + np.where(is_here, value, 0.0)
    far = np.maximum(x, _PIECE * _PIECES)
    even, odd, term = 1.0, 0.0, 1.0
    for k in range(1, 17):
        # Hankel's expansion: the signs of its terms have a period of 4.
        term = term * (4.0 - (2.0 * k - 1.0) ** 2) / (8.0 * k) / far
        sign = 1.0 if k % 4 in (0, 1) else -1.0
        if k % 2:
            odd = odd + sign * term
        else:
            even = even + sign * term
    turn = far - 0.75 * math.pi
    value = np.sqrt(2.0 / (math.pi * far)) * (even * np.cos(turn) - odd * np.sin(turn))
    return total + np.where(x >= _PIECE * _PIECES, value, 0.0)
