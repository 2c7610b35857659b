"""Coefficients of B-splines through the elements of an image.

The coefficients are the image filtered by the inverse of the spline's values at integers. That
inverse is a product of filters with the weights `z**abs(k)`, one for each pole z. The modes extend
the coefficients as they extend the image, so a filter with a window long enough for rounding to
hide its end is exact, and no element waits for all others of its line.
"""

import functools
import math
import operator

import phalanx as np

from . import _windows
from ._described import HALO, described
from ._parameters import SPLINE_MODE, SPLINE_ORDER
from ._support import Output, array, axis_of, mode_of, refuse

# The weights that are left out are less than this part of the largest one.
_LEAST_WEIGHT = 1e-17
# The mode of the coefficients' extension. Others have none that is exact, and take that of SciPy.
_MODES = {
    "mirror": "mirror", "constant": "mirror", "wrap": "mirror", "grid-constant": "mirror",
    "opencv": "mirror",
    "reflect": "reflect", "grid-mirror": "reflect", "nearest": "reflect", "grid-wrap": "wrap",
}
_RETURNS = "ndarray: The coefficients; `output`, if it is an array."
_REFUSED = {
    "RuntimeError": "The order, the mode or the shape of an argument is not allowed.",
    "AxisError": "There is no such axis.",
}


# The poles between -1 and 0 of the inverse of a B-spline's values at integers, by its order: zeros
# of x^2+6x+1, x^2+4x+1, x^4+76x^3+230x^2+76x+1 and x^4+26x^3+66x^2+26x+1.
_POLES = {
    2: (-0.17157287525380990239,),
    3: (-0.26794919243112270647,),
    4: (-0.36134122590022017709, -0.01372542929733912136),
    5: (-0.43057534709997379185, -0.04309628820326465382),
}


@functools.cache
def _weights(order):
    """The windows of the poles of an order."""
    import numpy

    windows = []
    for pole in _POLES[order]:
        radius = math.ceil(math.log(_LEAST_WEIGHT) / math.log(-pole))
        weights = pole ** numpy.abs(numpy.arange(-radius, radius + 1.0))
        # A constant image has the same constant as coefficients.
        windows.append(weights * ((1.0 - pole) / (1.0 + pole)))
    return windows


def line_coefficients(image, order, axis, mode):
    """The coefficients along an axis, in float64."""
    if order < 2 or image.shape[axis] < 2 or image.size == 0:
        return image.astype(np.float64, copy=False)
    # The first filter reads single precision as it is.
    image = image if image.dtype == np.float32 else image.astype(np.float64, copy=False)
    for weights in _weights(order):
        image = _windows.line_sums(image, weights, axis, _MODES[mode], 0.0, 0, np.float64)
    return image


def coefficients(image, order, mode, axes=None):
    """The coefficients along all axes, or some, in float64."""
    for axis in range(image.ndim) if axes is None else axes:
        image = line_coefficients(image, order, axis, mode)
    return image


def _check_order(order, least):
    if not least <= operator.index(order) <= 5:
        raise refuse(f"spline order not supported: {order}")


@described(_RETURNS, _REFUSED, HALO, order=SPLINE_ORDER, mode=SPLINE_MODE)
def spline_filter1d(input, order=3, axis=-1, output=np.float64, mode="mirror"):
    """The coefficients of a spline along an axis."""
    _check_order(order, 0)
    input = array(input)
    target = Output(output, input, is_complex=input.dtype.kind == "c", may_widen=order < 2)
    if order < 2:
        return target.store(input)
    mode_of(mode)
    axis = axis_of(axis, input.ndim)

    def compute(image, dtype):
        return line_coefficients(image, order, axis, mode).astype(dtype)

    return _by_parts(compute, input, target)


@described(_RETURNS, _REFUSED, HALO, order=SPLINE_ORDER, mode=SPLINE_MODE)
def spline_filter(input, order=3, output=np.float64, mode="mirror"):
    """The coefficients of a spline through the elements of an image."""
    _check_order(order, 2)
    input = array(input)
    target = Output(output, input, is_complex=input.dtype.kind == "c")
    mode_of(mode)

    def compute(image, dtype):
        for axis in range(image.ndim):
            image = line_coefficients(image, order, axis, mode).astype(dtype)
        return image

    return _by_parts(compute, input, target)


def _by_parts(compute, input, target):
    if input.dtype.kind != "c":
        return target.store(compute(input, _windows.own_dtype(target.dtype)))
    dtype = np.zeros(1, target.dtype).real.dtype
    return target.store_parts((compute(input.real, dtype), compute(input.imag, dtype)))
