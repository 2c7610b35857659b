"""Gaussian filters, and derivatives that are computed by filters along axes."""

import numbers

import phalanx as np

from . import _windows
from ._described import FILTERED, described
from ._filters import correlate1d
from ._support import (
    Output,
    array,
    axes_of,
    axis_of,
    host,
    mode_of,
    number,
    parts_of,
    refuse,
    sequence,
    spread,
)

_LEAST_SIGMA = 1e-15


def _gaussian(sigma, order, radius):
    """The derivative of an order of a normal distribution, at integers up to a radius."""
    import numpy

    if order < 0:
        raise refuse("order must be non-negative", ValueError)
    variance = sigma * sigma
    x = numpy.arange(-radius, radius + 1)
    weights = numpy.exp(-0.5 / variance * x**2)
    weights = weights / weights.sum()
    if order == 0:
        return weights
    # The derivative is the density times a polynomial p, and that of their product is the density
    # times p' - x p / variance.
    polynomial = numpy.zeros(order + 1)
    polynomial[0] = 1.0
    powers = numpy.arange(order + 1)
    for _ in range(order):
        derivative = numpy.zeros(order + 1)
        derivative[:-1] = polynomial[1:] * powers[1:]
        derivative[1:] += polynomial[:-1] * (1.0 / -variance)
        polynomial = derivative
    return (x[:, None] ** powers).dot(polynomial) * weights


def _weights(sigma, order, truncate, radius):
    """The weights of a Gaussian filter, in the order of the elements that they are for."""
    if radius is None:
        radius = int(truncate * float(sigma) + 0.5)
    if not isinstance(radius, numbers.Integral) or radius < 0:
        raise refuse(f"Radius must be a nonnegative integer, not {radius!r}.", ValueError)
    return _gaussian(sigma, order, radius)[::-1]


@described(FILTERED)
def gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0,
                      truncate=4.0, *, radius=None):
    """The convolution with a normal distribution, or with its derivative, along an axis."""
    weights = _weights(_scalar(sigma), order, truncate, radius)
    return correlate1d(input, weights, axis, output, mode, cval, 0)


def _scalar(x):
    return host(x)[()].item() if hasattr(x, "ndim") else x


@described(FILTERED)
def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *,
                    radius=None, axes=None):
    """The convolution with a normal distribution, or with its derivatives."""
    input = array(input)
    axes = axes_of(axes, input.ndim)
    given = [sequence(one, len(axes)) for one in (order, sigma, mode, radius)]
    passes = [
        (axis, _weights(_scalar(sigma), order, truncate, radius), mode_of(mode))
        for axis, order, sigma, mode, radius in zip(axes, *given)
        if sigma > _LEAST_SIGMA
    ]
    # Without a pass an image is copied, to any dtype.
    target = Output(output, input, may_widen=not passes)
    return _passed(input, target, passes, cval)


def _passed(input, target, passes, cval):
    """The filters along axes, one after another. Each writes elements of the result's dtype."""
    def compute(image, cval, dtype):
        for axis, weights, mode in passes:
            image = _windows.line_sums(image, weights, axis, mode, cval, 0, dtype)
        return image

    if not passes:
        return target.store(input)
    if input.dtype.kind != "c":
        return target.store(compute(input, number(cval), _windows.own_dtype(target.dtype)))
    if target.dtype.kind != "c":
        raise refuse("output must have complex dtype", RuntimeError, "dtype")
    dtype = np.zeros(1, target.dtype).real.dtype
    of_real, of_imag = parts_of(cval)
    return target.store_parts(
        (compute(input.real, of_real, dtype), compute(input.imag, of_imag, dtype))
    )


def _gradient(input, axis, output, mode, cval, smoothing):
    """A difference along an axis, and a weighted sum along the others."""
    import numpy

    input = array(input)
    axis = axis_of(axis, input.ndim)
    target = Output(output, input)
    modes = [mode_of(one) for one in sequence(mode, input.ndim)]
    others = [other for other in range(input.ndim) if other != axis]
    passes = [(axis, numpy.array([-1.0, 0.0, 1.0]), modes[axis])]
    passes += [(other, numpy.array(smoothing), modes[other]) for other in others]
    return _passed(input, target, passes, cval)


@described(FILTERED)
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """The Prewitt filter: a difference along an axis, summed up along the others."""
    return _gradient(input, axis, output, mode, cval, [1.0, 1.0, 1.0])


@described(FILTERED)
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """The Sobel filter: a difference along an axis, smoothed along the others."""
    return _gradient(input, axis, output, mode, cval, [1.0, 2.0, 1.0])


def _target(output, input):
    """The array that derivatives write; they refuse dtypes that they do not write."""
    target = Output(output, input, may_widen=True)
    if target.array is not None:
        return target.array
    if input.ndim == 0:
        return np.zeros((), target.dtype)
    # Zeros that are split like the image.
    return np.asarray(((input == input) & False).astype(target.dtype), order="C")


@described(FILTERED)
def generic_laplace(input, derivative2, output=None, mode="reflect", cval=0.0, extra_arguments=(),
                    extra_keywords=None, *, axes=None):
    """The sum of second derivatives, which a function of the program computes."""
    keywords = {} if extra_keywords is None else extra_keywords
    input = array(input)
    output = _target(output, input)
    axes = axes_of(axes, input.ndim)
    modes = sequence(mode, len(axes)) if axes else []
    if not axes:
        output[...] = input
    for place, (axis, mode) in enumerate(zip(axes, modes)):
        into = output.dtype if place else output
        found = derivative2(input, axis, into, mode, cval, *extra_arguments, **keywords)
        if place:
            output += found
    return output


@described(FILTERED)
def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    """The sum of the second differences along the axes."""
    def derivative2(input, axis, output, mode, cval):
        return correlate1d(input, [1, -2, 1], axis, output, mode, cval, 0)

    return generic_laplace(input, derivative2, output, mode, cval, axes=axes)


def _gaussian_derivative(order):
    """The derivative of an order along an axis, by a Gaussian filter."""
    def derivative(input, axis, output, mode, cval, sigma, **keywords):
        orders = [0] * input.ndim
        orders[axis] = order
        return gaussian_filter(input, sigma, orders, output, mode, cval, **keywords)

    return derivative


@described(FILTERED)
def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The sum of the second derivatives, by Gaussian filters."""
    input = array(input)
    axes = axes_of(axes, input.ndim)
    sigma = sequence(sigma, len(axes))
    if len(axes) < input.ndim:
        sigma = spread(sigma, axes, input.ndim, 0)
    return generic_laplace(
        input, _gaussian_derivative(2), output, mode, cval, extra_arguments=(sigma,),
        extra_keywords=kwargs, axes=axes,
    )


@described(FILTERED)
def generic_gradient_magnitude(input, derivative, output=None, mode="reflect", cval=0.0,
                               extra_arguments=(), extra_keywords=None, *, axes=None):
    """The length of the gradient, whose parts a function of the program computes."""
    keywords = {} if extra_keywords is None else extra_keywords
    input = array(input)
    output = _target(output, input)
    axes = axes_of(axes, input.ndim)
    modes = sequence(mode, len(axes)) if axes else []
    if not axes:
        output[...] = input
        return output
    for place, (axis, mode) in enumerate(zip(axes, modes)):
        into = output.dtype if place else output
        found = derivative(input, axis, into, mode, cval, *extra_arguments, **keywords)
        if place:
            output += found * found
        else:
            output *= output
    return np.sqrt(output, output, casting="unsafe")


@described(FILTERED)
def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None,
                                **kwargs):
    """The length of the gradient, by Gaussian filters."""
    return generic_gradient_magnitude(
        input, _gaussian_derivative(1), output, mode, cval, extra_arguments=(sigma,),
        extra_keywords=kwargs, axes=axes,
    )
