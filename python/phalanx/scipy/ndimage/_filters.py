"""Filters by weights, means, extremes and ranks of the elements in a window."""

import operator

import phalanx as np

from . import _windows
from ._described import FILTERED, described
from ._support import (
    Output,
    array,
    axes_of,
    axis_of,
    check_origin,
    check_window,
    expanded,
    footprint_of,
    host,
    is_sequence,
    mirrored,
    mode_of,
    number,
    one_mode,
    origins_of,
    parts_of,
    real_image,
    refuse,
    sequence,
    warn_of_size,
)

_EPSILON = 2.0**-52
_ORIGIN = "Invalid origin; the window has to contain its element"


@described(FILTERED)
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The sums of elements around each element, multiplied by weights, along an axis."""
    input, weights = array(input), host(weights)
    if weights.dtype.kind == "c":
        weights = weights.conj()
    is_complex = input.dtype.kind == "c" or weights.dtype.kind == "c"
    target = Output(output, input, is_complex=is_complex)
    if weights.ndim != 1 or len(weights) < 1:
        raise refuse("no filter weights given")
    axis = axis_of(axis, input.ndim)
    origin = check_origin(origin, len(weights), _ORIGIN)
    mode = mode_of(mode)

    def compute(image, weights, cval, dtype):
        return _windows.line_sums(image, weights, axis, mode, cval, origin, dtype)

    return _by_parts(compute, input, weights, cval, target)


def _by_parts(compute, input, weights, cval, target):
    """A sum that is linear in the image and in the weights: by their real and imaginary parts."""
    import numpy

    is_complex, has_parts = input.dtype.kind == "c", weights.dtype.kind == "c"
    kind = numpy.complex128 if has_parts else numpy.float64
    weights = weights.astype(kind)
    if not is_complex and not has_parts:
        return target.store(compute(input, weights, number(cval), _windows.own_dtype(target.dtype)))
    dtype = np.zeros(1, target.dtype).real.dtype
    if not is_complex:
        if host(cval).dtype.kind == "c":
            text = "Cannot provide a complex-valued cval when the input is real."
            raise refuse(text, ValueError)
        cval = number(cval)
        return target.store_parts((compute(input, weights.real, cval, dtype),
                                   compute(input, weights.imag, cval, dtype)))
    of_real, of_imag = parts_of(cval)
    real, imag = input.real, input.imag
    if not has_parts:
        return target.store_parts((compute(real, weights, of_real, dtype),
                                   compute(imag, weights, of_imag, dtype)))
    own = imag.dtype
    return target.store_parts((
        compute(real, weights.real, of_real, dtype) - compute(imag, weights.imag, of_imag, own),
        compute(real, weights.imag, of_real, dtype) + compute(imag, weights.real, of_imag, own),
    ))


@described(FILTERED)
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The convolution with weights along an axis."""
    weights = host(weights)
    if not weights.ndim:
        raise refuse("the weights have no axis", IndexError, "together")
    if weights.ndim != 1 or len(weights) < 1:
        raise refuse("no filter weights given")
    weights, (origin,) = mirrored(weights, [origin])
    # `correlate1d` conjugates the weights.
    return correlate1d(input, weights.conj(), axis, output, mode, cval, origin)


@described(FILTERED)
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The sums of elements around each element, multiplied by weights."""
    weights = host(weights)
    return _weighted(input, weights.conj(), output, mode, cval, origin, axes, False)


@described(FILTERED)
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The convolution with an array of weights."""
    return _weighted(input, host(weights), output, mode, cval, origin, axes, True)


def _weighted(input, weights, output, mode, cval, origin, axes, is_convolution):
    input = array(input)
    is_complex = input.dtype.kind == "c" or weights.dtype.kind == "c"
    ndim = input.ndim
    axes = axes_of(axes, ndim)
    weights = expanded(weights, axes, ndim, "weights")
    origins = origins_of(origin, axes, ndim)
    check_window(weights, axes, ndim, "weights")
    if weights.size == 0:
        # Extents of 0 do not count as axes, so that the window may have more axes than the image.
        target = Output(output, input, is_complex=is_complex)
        return target.store(np.zeros(input.shape, target.dtype))
    if is_convolution:
        weights, origins = mirrored(weights, origins)
    origins = [check_origin(*pair, _ORIGIN) for pair in zip(origins, weights.shape)]
    target = Output(output, input, is_complex=is_complex)
    mode = one_mode(mode)

    def compute(image, weights, cval, dtype):
        # SciPy leaves out weights that are nearly 0.
        weights = weights * (abs(weights) > _EPSILON)
        return _windows.sums(image, weights, mode, cval, origins, dtype)

    return _by_parts(compute, input, weights, cval, target)


def _check_size(size):
    if size < 1:
        raise refuse(f"incorrect filter size: {size}")
    return operator.index(size)


@described(FILTERED)
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The means of the elements around each element, along an axis."""
    input = array(input)
    axis, size = axis_of(axis, input.ndim), _check_size(size)
    target = Output(output, input, is_complex=input.dtype.kind == "c")
    origin, mode = check_origin(origin, size), mode_of(mode)
    return _means(input, target, [(axis, size, origin, mode)], cval)


@described(FILTERED)
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The means of the elements in a rectangular window around each element."""
    input = array(input)
    passes = _passes(input, size, mode, origin, axes)
    # Without a pass an image is copied, to any dtype.
    is_complex = input.dtype.kind == "c"
    target = Output(output, input, is_complex=is_complex, may_widen=not passes)
    return _means(input, target, passes, cval)


def _passes(input, size, mode, origin, axes):
    """The axes along which a rectangular window is longer than 1, with extents and origins."""
    axes = axes_of(axes, input.ndim)
    count = len(axes)
    sizes, origins, modes = sequence(size, count), sequence(origin, count), sequence(mode, count)
    return [
        (axis, int(size), check_origin(origin, int(size)), mode_of(mode))
        for axis, size, origin, mode in zip(axes, sizes, origins, modes)
        if size > 1
    ]


def _means(input, target, passes, cval):
    def compute(image, cval, dtype):
        for axis, size, origin, mode in passes:
            image = _windows.line_means(image, size, axis, mode, cval, origin, dtype)
        return image

    if not passes:
        return target.store(input)
    if input.dtype.kind != "c":
        return target.store(compute(input, number(cval), _windows.own_dtype(target.dtype)))
    of_real, of_imag = parts_of(cval)
    dtype = np.zeros(1, target.dtype).real.dtype
    return target.store_parts(
        (compute(input.real, of_real, dtype), compute(input.imag, of_imag, dtype))
    )


@described(FILTERED)
def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The smallest elements around each element, along an axis."""
    return _extremes1d(input, size, axis, output, mode, cval, origin, True)


@described(FILTERED)
def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The largest elements around each element, along an axis."""
    return _extremes1d(input, size, axis, output, mode, cval, origin, False)


def _extremes1d(input, size, axis, output, mode, cval, origin, is_minimum):
    input = real_image(input)
    axis, size = axis_of(axis, input.ndim), _check_size(size)
    target = Output(output, input)
    passes = [(axis, size, check_origin(origin, size), mode_of(mode))]
    return target.store(_line_extremes(input, passes, number(cval), is_minimum, target.dtype))


def _line_extremes(image, passes, cval, is_minimum, dtype):
    for axis, size, origin, mode in passes:
        image = _windows.line_extremes(image, size, axis, mode, cval, origin, is_minimum, dtype)
    return image


@described(FILTERED)
def minimum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0,
                   origin=0, *, axes=None):
    """The smallest elements in a window around each element."""
    return extremes(input, size, footprint, None, output, mode, cval, origin, True, axes)


@described(FILTERED)
def maximum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0,
                   origin=0, *, axes=None):
    """The largest elements in a window around each element."""
    return extremes(input, size, footprint, None, output, mode, cval, origin, False, axes)


def extremes(input, size, footprint, structure, output, mode, cval, origin, is_minimum,
             axes=None, level=2):
    """The smallest or largest elements in a window, with heights subtracted or added first."""
    import numpy

    warn_of_size(size, footprint, level + 1)
    if structure is not None:
        structure = host(structure, numpy.float64)
        footprint = numpy.ones(structure.shape) if footprint is None else footprint
        footprint = host(footprint, bool)
        if not footprint.any():
            raise refuse("All-zero footprint is not supported.", ValueError)
    elif footprint is not None:
        footprint = host(footprint, bool)
        if not footprint.any():
            raise refuse("All-zero footprint is not supported.", ValueError)
        if footprint.all():
            # Windows along the axes, one after another.
            size, footprint = footprint.shape, None
    elif size is None:
        raise refuse("no footprint provided")
    input = real_image(input)
    passes = _passes(input, size, mode, origin, axes) if footprint is None else None
    # Without a pass an image is copied, to any dtype.
    # SciPy looks at the dtype when it reads the first element of a window.
    target = Output(output, input, may_widen=passes == [] or not (passes or input.size))
    if footprint is None:
        found = _line_extremes(input, passes, number(cval), is_minimum, target.dtype)
        return target.store(found)
    ndim, axes = input.ndim, axes_of(axes, input.ndim)
    footprint = expanded(footprint, axes, ndim)
    origins = origins_of(origin, axes, ndim)
    check_window(footprint, axes, ndim)
    origins = [check_origin(*pair) for pair in zip(origins, footprint.shape)]
    if structure is not None:
        if structure.ndim != len(axes):
            raise refuse("structure array has incorrect shape", RuntimeError, "together")
        structure = expanded(structure, axes, ndim, "structure")
        if structure.shape != footprint.shape:
            raise refuse("footprint and structure have different shapes", RuntimeError, "together")
    mode = one_mode(mode, "A sequence of modes is not supported for non-separable footprints")
    return target.store(_windows.extremes(
        input, footprint, structure, mode, number(cval), origins, is_minimum, target.dtype
    ))


@described(FILTERED)
def rank_filter(input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0,
                origin=0, *, axes=None):
    """The elements of a rank in a window around each element."""
    rank = operator.index(rank)
    return _ranked(input, lambda count: rank, size, footprint, output, mode, cval, origin, axes)


@described(FILTERED)
def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0,
                  origin=0, *, axes=None):
    """The medians of the elements in a window around each element."""
    def rank(count):
        return count // 2

    return _ranked(input, rank, size, footprint, output, mode, cval, origin, axes)


@described(FILTERED)
def percentile_filter(input, percentile, size=None, footprint=None, output=None, mode="reflect",
                      cval=0.0, origin=0, *, axes=None):
    """The percentiles of the elements in a window around each element."""
    percentile = host(percentile)[()]

    def rank(count):
        share = percentile + 100.0 if percentile < 0.0 else percentile
        if not 0 <= share <= 100:
            raise refuse(f"invalid percentile: {percentile}")
        return count - 1 if share == 100.0 else int(float(count) * share / 100.0)

    return _ranked(input, rank, size, footprint, output, mode, cval, origin, axes)


def _ranked(input, rank_of, size, footprint, output, mode, cval, origin, axes):
    warn_of_size(size, footprint, 3)
    input = real_image(input)
    ndim, axes = input.ndim, axes_of(axes, input.ndim)
    footprint = footprint_of(size, footprint, axes, ndim)
    origins = origins_of(origin, axes, ndim)
    if is_sequence(mode):
        modes = sequence(mode, len(axes))
        mode = ["constant"] * ndim
        for axis, one in zip(axes, modes):
            mode[axis] = one
    check_window(footprint, axes, ndim)
    origins = [check_origin(*pair) for pair in zip(origins, footprint.shape)]
    count = int(footprint.sum())
    rank = rank_of(count)
    rank += count if rank < 0 else 0
    if not 0 <= rank < count:
        raise refuse(f"rank not within filter footprint size: {rank} for {count}")
    if rank in (0, count - 1):
        is_minimum = rank == 0
        return extremes(input, None, footprint, None, output, mode, cval, origins, is_minimum)
    target = Output(output, input)
    mode = one_mode(mode, "A sequence of modes is not supported by non-separable rank filters")
    return target.store(
        _windows.ranks(input, footprint, rank, mode, number(cval), origins, target.dtype)
    )
