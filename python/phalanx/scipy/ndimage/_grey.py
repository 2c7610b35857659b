"""Morphology of images of numbers."""

import phalanx as np

from . import _filters
from ._described import FILTERED, HALO, described
from ._parameters import HEIGHTS
from ._support import (
    array,
    axes_of,
    check_axes,
    host,
    mirrored_origins,
    refuse,
    sequence,
    warn_of_size,
)

_REFUSED = {
    "ValueError": "There is no window, or an axis or an origin is out of range.",
    "RuntimeError": "A mode, a size or the shape of an argument is not allowed.",
    "TypeError": "The dtype of the image is not supported.",
}


def _grey(function):
    return described(FILTERED, _REFUSED, HALO, structure=HEIGHTS)(function)


def _needs_window(*given):
    if all(one is None for one in given):
        raise refuse("size, footprint, or structure must be specified", ValueError)


@_grey
def grey_erosion(input, size=None, footprint=None, structure=None, output=None, mode="reflect",
                 cval=0.0, origin=0, *, axes=None):
    """The smallest elements in a window, with heights subtracted."""
    _needs_window(size, footprint, structure)
    return _filters.extremes(
        input, size, footprint, structure, output, mode, cval, origin, True, axes
    )


@_grey
def grey_dilation(input, size=None, footprint=None, structure=None, output=None, mode="reflect",
                  cval=0.0, origin=0, *, axes=None):
    """The largest elements in the reflected window, with heights added."""
    _needs_window(size, footprint, structure)
    input = array(input)
    count = len(axes_of(axes, input.ndim))
    structure, footprint = (
        None if one is None else host(one)[(slice(None, None, -1),) * host(one).ndim]
        for one in (structure, footprint)
    )
    window = structure if footprint is None else footprint
    if window is not None:
        check_axes(window, count)
    extents = sequence(size, count) if window is None else window.shape
    origins = mirrored_origins(extents, sequence(origin, count))
    return _filters.extremes(
        input, size, footprint, structure, output, mode, cval, origins, False, axes
    )


@_grey
def grey_opening(input, size=None, footprint=None, structure=None, output=None, mode="reflect",
                 cval=0.0, origin=0, *, axes=None):
    """An erosion and then a dilation: removes bright parts smaller than the window."""
    warn_of_size(size, footprint, 2)
    size = None if footprint is not None else size
    more = (mode, cval, origin)
    eroded = grey_erosion(input, size, footprint, structure, None, *more, axes=axes)
    return grey_dilation(eroded, size, footprint, structure, output, *more, axes=axes)


@_grey
def grey_closing(input, size=None, footprint=None, structure=None, output=None, mode="reflect",
                 cval=0.0, origin=0, *, axes=None):
    """A dilation and then an erosion: removes dark parts smaller than the window."""
    warn_of_size(size, footprint, 2)
    size = None if footprint is not None else size
    more = (mode, cval, origin)
    dilated = grey_dilation(input, size, footprint, structure, None, *more, axes=axes)
    return grey_erosion(dilated, size, footprint, structure, output, *more, axes=axes)


@_grey
def morphological_gradient(input, size=None, footprint=None, structure=None, output=None,
                           mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The dilation minus the erosion."""
    window, more = (size, footprint, structure), (mode, cval, origin)
    dilated = grey_dilation(input, *window, None, *more, axes=axes)
    if isinstance(output, np.ndarray):
        grey_erosion(input, *window, output, *more, axes=axes)
        return np.subtract(dilated, output, output)
    return dilated - grey_erosion(input, *window, None, *more, axes=axes)


@_grey
def morphological_laplace(input, size=None, footprint=None, structure=None, output=None,
                          mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The dilation plus the erosion minus twice the image."""
    input = array(input)
    window, more = (size, footprint, structure), (mode, cval, origin)
    dilated = grey_dilation(input, *window, None, *more, axes=axes)
    into = output if isinstance(output, np.ndarray) else None
    found = grey_erosion(input, *window, into, *more, axes=axes)
    np.add(dilated, found, found)
    np.subtract(found, input, found)
    return np.subtract(found, input, found)


def _difference(greater, less, into):
    """The difference of an image and a filtered one; of bools, where they differ."""
    if greater.dtype == bool and less.dtype == bool:
        return np.bitwise_xor(greater, less, out=into)
    return np.subtract(greater, less, out=into)


@_grey
def white_tophat(input, size=None, footprint=None, structure=None, output=None, mode="reflect",
                 cval=0.0, origin=0, *, axes=None):
    """The image minus its opening: the bright parts smaller than the window."""
    input = array(input)
    warn_of_size(size, footprint, 2)
    size = None if footprint is not None else size
    more = (mode, cval, origin)
    found = grey_erosion(input, size, footprint, structure, None, *more, axes=axes)
    found = grey_dilation(found, size, footprint, structure, output, *more, axes=axes)
    return _difference(input, found, found)


@_grey
def black_tophat(input, size=None, footprint=None, structure=None, output=None, mode="reflect",
                 cval=0.0, origin=0, *, axes=None):
    """The closing of the image minus the image: the dark parts smaller than the window."""
    input = array(input)
    warn_of_size(size, footprint, 2)
    size = None if footprint is not None else size
    more = (mode, cval, origin)
    found = grey_dilation(input, size, footprint, structure, None, *more, axes=axes)
    found = grey_erosion(found, size, footprint, structure, output, *more, axes=axes)
    return _difference(found, input, found)
