"""Morphology of binary images."""

import operator

import phalanx as np

from . import _windows
from ._described import COLLECTIVE, HALO, LOCAL, described
from ._labels import components
from ._support import (
    Output,
    array,
    axes_of,
    check_axes,
    default_structure,
    expanded,
    host,
    mirrored,
    origins_of,
    real_image,
    refuse,
    sequence,
)

_RESULT = "ndarray of bool: The image; `output`, if it is an array."
_IN_PLACE = "ndarray of bool: The image; None if `output` is an array, which is written."
_STRUCTURE = {
    "RuntimeError": "The structure or the mask does not fit the image.",
    "TypeError": "The number of iterations is no integer, or an array is complex.",
    "ValueError": "An axis or an origin is out of range.",
}
_UNTIL = (
    f"{HALO} Collective with `iterations` less than 1, as the number of passes depends on data."
)
# Passes that are recorded before the image is compared, at most.
_MOST_PASSES = 32


@described("ndarray of bool: A structure of 3 elements along each axis.", {}, LOCAL,
           rank=("int", "The number of axes."))
def generate_binary_structure(rank, connectivity):
    """The neighbours of an element in morphology."""
    return np.asarray(default_structure(max(rank, 0), max(connectivity, 1)))


@described("ndarray of bool: The structure; with `origin`, a tuple of it and the new origin.",
           {"RuntimeError": "The origin has another length than the structure has axes."},
           structure=("array_like", "The structure."),
           iterations=("int", "How often the structure is dilated by itself."),
           origin=("int or sequence of int", "The origin of the structure."))
def iterate_structure(structure, iterations, origin=None):
    """A structure that is dilated by itself."""
    structure = array(structure)
    if iterations < 2:
        return structure.copy()
    more = iterations - 1
    widths = [
        (more * (extent // 2), more * (extent - 1 - extent // 2)) for extent in structure.shape
    ]
    is_set = structure.astype(bool)
    made = binary_dilation(np.pad(is_set, widths), is_set, iterations=more)
    if origin is None:
        return made
    return made, [iterations * one for one in sequence(origin, structure.ndim)]


def _prepared(input, structure, mask, origin, axes):
    """The image, the structure and its origins for all axes, and the mask."""
    input = real_image(input)
    ndim, axes = input.ndim, axes_of(axes, input.ndim)
    if structure is None:
        structure = default_structure(len(axes))
    structure = expanded(host(structure, bool), axes, ndim, "structure")
    if structure.ndim != ndim:
        text = "structure and input must have same dimensionality"
        raise refuse(text, RuntimeError, "together")
    if structure.size < 1:
        raise refuse("structure must not be empty")
    if mask is not None:
        mask = array(mask)
        if mask.shape != input.shape:
            raise refuse("mask and input must have equal sizes", RuntimeError, "together")
        mask = mask.astype(bool)
    origins = [operator.index(one) for one in origins_of(origin, axes, ndim)]
    for origin, extent in zip(origins, structure.shape):
        if not 0 <= extent // 2 + origin < extent:
            # SciPy looks up the centre of the structure.
            raise IndexError(f"origin {origin} is out of bounds for a structure of {extent}")
    return input, structure, mask, origins


def _passed(image, structure, mask, border_value, origins, is_dilation):
    """The image after one erosion or dilation."""
    outside = float(bool(border_value))
    if structure.any():
        found = _windows.extremes(
            image, structure, None, "constant", outside, origins, not is_dilation, bool
        )
    else:
        found = np.full(image.shape, not is_dilation)
    return found if mask is None else np.where(mask, found, image)


def _iterated(input, structure, iterations, mask, output, border_value, origin, is_dilation, axes):
    try:
        iterations = operator.index(iterations)
    except TypeError as error:
        text = "iterations parameter should be an integer"
        raise refuse(text, TypeError, "type") from error
    input, structure, mask, origins = _prepared(input, structure, mask, origin, axes)
    is_array = isinstance(output, np.ndarray)
    if is_array and output.dtype.kind == "c":
        raise refuse("Complex output type not supported", TypeError, "type")
    # The result is of bool in any case, as in SciPy.
    is_foreign = hasattr(output, "__array_interface__") and not isinstance(output, type)
    target = Output(output if is_array or is_foreign else bool, input)
    border_value = _truth(border_value)
    image = input.astype(bool, copy=False)

    def step(image):
        return _passed(image, structure, mask, border_value, origins, is_dilation)

    if iterations >= 1:
        for _ in range(iterations):
            image = step(image)
    elif not is_dilation and _is_symmetric(structure, origins):
        image = ~_spread(~image, ~step(image), structure, mask)
    elif _is_symmetric(structure, origins):
        image = _spread(image, step(image), structure, mask)
    else:
        image = _until_stable(image, step)
    return target.store(image)


def _truth(border_value):
    given = border_value if isinstance(border_value, bool) else host(border_value)[()]
    return operator.index(given) != 0


def _is_symmetric(structure, origins):
    """Whether a structure connects elements with their neighbours, both ways."""
    turned = structure[(slice(None, None, -1),) * structure.ndim]
    return (
        structure.ndim <= _windows.MOST_AXES
        and all(extent in (1, 3) for extent in structure.shape)
        and not any(origins)
        and structure[tuple(extent // 2 for extent in structure.shape)]
        and (structure == turned).all()
    )


def _spread(image, dilated, structure, mask):
    """The dilation until nothing changes, given the first one: the connected parts of all elements
    that may be true, as far as one of them is."""
    if not image.size or not image.ndim:
        return dilated
    import numpy

    widths = [(0, 0) if extent == 3 else (1, 1) for extent in structure.shape]
    may = np.ones(image.shape, bool) if mask is None else mask | image
    labels, count = components(may, numpy.pad(structure, widths))
    sources = np.bincount(labels.ravel(), weights=dilated.ravel(), minlength=count + 1)
    return np.take(sources > 0, labels, mode="clip") & may


def _until_stable(image, step):
    """The image after as many passes as it takes until nothing changes."""
    count = 1
    while image.size:
        # Images are compared after more and more passes, as each comparison waits for the result.
        for _ in range(count):
            before, image = image, step(image)
        if not (before != image).any():
            break
        count = min(2 * count, _MOST_PASSES)
    return image


@described(_RESULT, _STRUCTURE, _UNTIL)
def binary_erosion(input, structure=None, iterations=1, mask=None, output=None, border_value=0,
                   origin=0, brute_force=False, *, axes=None):
    """Whether all elements under a structure are true."""
    return _iterated(
        input, structure, iterations, mask, output, border_value, origin, False, axes
    )


@described(_RESULT, _STRUCTURE, _UNTIL)
def binary_dilation(input, structure=None, iterations=1, mask=None, output=None, border_value=0,
                    origin=0, brute_force=False, *, axes=None):
    """Whether any element under the reflected structure is true."""
    input = array(input)
    filtered = axes_of(axes, input.ndim)
    structure = default_structure(len(filtered)) if structure is None else host(structure)
    check_axes(structure, len(filtered))
    structure, origins = mirrored(structure, sequence(origin, len(filtered)))
    # A structure of more axes is refused below.
    origins = origins[: len(filtered)]
    return _iterated(
        input, structure, iterations, mask, output, border_value, origins, True, axes
    )


@described(_RESULT, _STRUCTURE, _UNTIL)
def binary_opening(input, structure=None, iterations=1, output=None, origin=0, mask=None,
                   border_value=0, brute_force=False, *, axes=None):
    """An erosion and then a dilation: removes parts smaller than the structure."""
    common = (structure, iterations, mask)
    more = (border_value, origin, brute_force)
    eroded = binary_erosion(input, *common, None, *more, axes=axes)
    return binary_dilation(eroded, *common, output, *more, axes=axes)


@described(_RESULT, _STRUCTURE, _UNTIL)
def binary_closing(input, structure=None, iterations=1, output=None, origin=0, mask=None,
                   border_value=0, brute_force=False, *, axes=None):
    """A dilation and then an erosion: closes holes smaller than the structure."""
    common = (structure, iterations, mask)
    more = (border_value, origin, brute_force)
    dilated = binary_dilation(input, *common, None, *more, axes=axes)
    return binary_erosion(dilated, *common, output, *more, axes=axes)


@described(_IN_PLACE, _STRUCTURE)
def binary_hit_or_miss(input, structure1=None, structure2=None, output=None, origin1=0,
                       origin2=None, *, axes=None):
    """Where the elements under one structure are true and those under another one are false."""
    input = array(input)
    count = len(axes_of(axes, input.ndim))
    structure1 = default_structure(count) if structure1 is None else host(structure1)
    structure2 = ~structure1.astype(bool) if structure2 is None else structure2
    origin2 = origin1 if origin2 is None else origin2
    hit = _iterated(input, structure1, 1, None, None, 0, origin1, False, axes)
    touched = _iterated(input, structure2, 1, None, None, 0, origin2, True, axes)
    return _written(hit & ~touched, output, input)


def _written(found, output, input):
    """The result; None if an array of the program received it."""
    if not isinstance(output, np.ndarray):
        return found
    if output.dtype.kind == "c":
        raise refuse("Complex output type not supported", TypeError, "type")
    Output(output, input).store(found)
    return None


@described(_RESULT, _STRUCTURE, COLLECTIVE)
def binary_propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0, *,
                       axes=None):
    """The dilation until nothing changes."""
    return binary_dilation(input, structure, -1, mask, output, border_value, origin, axes=axes)


@described(_IN_PLACE, _STRUCTURE, COLLECTIVE)
def binary_fill_holes(input, structure=None, output=None, origin=0, *, axes=None):
    """The image without holes: elements that no path of false elements leads to from outside."""
    input = array(input)
    outside = ~input.astype(bool)
    reached = np.zeros(input.shape, bool)
    reached = binary_dilation(reached, structure, -1, outside, None, 1, origin, axes=axes)
    return _written(~reached, output, input)
