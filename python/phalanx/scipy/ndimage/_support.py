"""Arguments of filters and measurements: images, axes, modes, origins, results."""

import functools
import operator
import warnings

import phalanx as np

from .. import _arguments
from .._arguments import array, host

# Modes of filters by the names of the native filter. The grid modes are other names of filters.
_MODES = {
    "nearest": "nearest", "wrap": "wrap", "grid-wrap": "wrap", "reflect": "reflect",
    "grid-mirror": "reflect", "mirror": "mirror", "constant": "constant",
    "grid-constant": "constant",
}


def refuse(text, kind=RuntimeError, mistake="value", hint=None):
    """An error of a call."""
    return _arguments.refuse(text, kind, mistake, hint)


def real_image(x):
    """An image as an array. Complex numbers are refused."""
    x = array(x)
    if x.dtype.kind == "c":
        raise refuse("Complex type not supported", TypeError, "type", "filter its parts")
    return x


def is_sequence(x):
    """Whether an argument has one value for each axis."""
    return not isinstance(x, str) and np.iterable(x)


def sequence(x, count):
    """One value for each axis."""
    if not is_sequence(x):
        return [x] * count
    values = list(x.tolist() if hasattr(x, "tolist") else x)
    if len(values) != count:
        text = f"sequence argument must have length equal to input rank, {count}, not {len(values)}"
        raise refuse(text, RuntimeError, "count")
    return values


def axis_of(axis, ndim):
    """An axis counted from the first one."""
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis if isinstance(axis, int) else str(axis), ndim)
    return operator.index(axis) % ndim


def axes_of(axes, ndim):
    """The filtered axes, counted from the first one; all of them for None."""
    if axes is None:
        return tuple(range(ndim))
    if not np.iterable(axes) or isinstance(axes, str):
        if isinstance(axes, str):
            raise refuse("axes are integers", TypeError, "type")
        if not np.isscalar(axes):
            text = "axes must be an integer, iterable of integers, or None"
            raise refuse(text, ValueError)
        return (axis_of(operator.index(axes), ndim),)
    axes = tuple(operator.index(one) for one in axes)
    for one in axes:
        if not -ndim <= one < ndim:
            raise refuse(f"specified axis: {one} is out of range", ValueError)
    axes = tuple(one % ndim for one in axes)
    if len(set(axes)) != len(axes):
        raise refuse("axes must be unique", ValueError)
    return axes


def mode_of(mode):
    """A mode by the name of the native filter."""
    found = _MODES.get(mode) if isinstance(mode, str) else None
    if found is None:
        raise refuse(f"boundary mode not supported: {mode!r}", RuntimeError, "choice")
    return found


def one_mode(mode, text="A sequence of modes is not supported"):
    """The mode of a window that is no product of windows along axes."""
    if is_sequence(mode):
        raise refuse(text, RuntimeError, "type", "filter the axes one after another")
    return mode_of(mode)


def check_origin(origin, extent, text="invalid origin"):
    """Refuses an origin that moves the window off its element."""
    if not 0 <= extent // 2 + origin < extent:
        raise refuse(f"{text}: {origin} for a window of {extent}", ValueError)
    return operator.index(origin)


def spread(values, axes, ndim, other):
    """Values of the filtered axes, among those of all axes."""
    found = [other] * ndim
    for value, axis in zip(values, axes):
        found[axis] = value
    return found


def origins_of(origin, axes, ndim):
    """An origin for each axis; 0 for those that are not filtered."""
    given = sequence(origin, len(axes))
    return spread(given, axes, ndim, 0) if len(axes) < ndim else given


def expanded(window, axes, ndim, name="footprint"):
    """A window of the filtered axes as one of all axes."""
    if len(axes) < ndim:
        if window.ndim != len(axes):
            text = f"{name}.ndim ({window.ndim}) must match len(axes) ({len(axes)})"
            raise refuse(text, RuntimeError, "together")
        # SciPy keeps the order of the window's axes, also where `axes` has another one.
        extents = iter(window.shape)
        shape = [next(extents) if axis in axes else 1 for axis in range(ndim)]
        window = window.reshape(shape)
    return window


def check_axes(window, count):
    """Refuses a window with fewer axes than are filtered."""
    if window.ndim < count:
        text = f"the window has {window.ndim} axes, and {count} are filtered"
        raise refuse(text, IndexError, "together")


@functools.lru_cache(maxsize=16)
def default_structure(rank, connectivity=1):
    """The neighbours of an element that differ from it in at most some axes; not to be written."""
    import numpy

    distances = numpy.abs(numpy.indices([3] * rank) - 1).sum(0)
    structure = numpy.asarray(distances <= connectivity)
    structure.setflags(write=False)
    return structure


def mirrored(window, origins):
    """A window turned about its element, and the origins that keep it in place."""
    turned = window[(slice(None, None, -1),) * window.ndim]
    return turned, mirrored_origins(window.shape, origins)


def mirrored_origins(extents, origins):
    """The origins of a window that is turned about its element."""
    return [-origin - (extent & 1 == 0) for extent, origin in zip(extents, origins)]


class Output:
    """Where a function writes its result: an array of the program, or a new one of some dtype."""

    def __init__(self, output, image, shape=None, is_complex=False, may_widen=False):
        self.shape = image.shape if shape is None else tuple(shape)
        self.array, self._image = None, image
        if output is None:
            self.dtype = image.dtype
            if is_complex:
                self.dtype = np.promote_types(image.dtype, np.complex64)
        elif isinstance(output, (type, np.dtype)):
            self.dtype = np.dtype(output)
            if is_complex and self.dtype.kind != "c":
                warnings.warn("promoting specified output dtype to complex", stacklevel=4)
                self.dtype = np.promote_types(self.dtype, np.complex64)
        elif isinstance(output, str):
            self.dtype = np.dtype(output)
            if is_complex and self.dtype.kind != "c":
                raise refuse("output must have complex dtype", RuntimeError, "dtype")
            if self.dtype.kind not in "iufc" and self.dtype.name != "bfloat16":
                raise refuse("output must have numeric dtype", RuntimeError, "dtype")
        else:
            self._write_to(output, is_complex)
        is_complex |= may_widen or image.dtype.kind == "c"
        if self.dtype.kind == "c" and not is_complex:
            text = f"a real image has no result of {self.dtype}"
            raise refuse(text, RuntimeError, "dtype")

    def _write_to(self, output, is_complex):
        if type(output).__module__.partition(".")[0] == "numpy":
            text = "output is an array of phalanx, not of NumPy"
            raise refuse(text, TypeError, "type", "without output the result is returned")
        self.array = array(output)
        self.dtype = self.array.dtype
        if self.array.shape != self.shape:
            raise refuse(
                f"output shape not correct: {self.array.shape} for {self.shape}", RuntimeError,
                "together",
            )
        if is_complex and self.dtype.kind != "c":
            raise refuse("output must have complex dtype", RuntimeError, "dtype")

    def store(self, result):
        """Writes the result, or returns it in the dtype and in C order."""
        if result is self._image:
            # An image that no pass has changed is copied, and converted as NumPy does.
            result = result.astype(self.dtype)
        result = cast(result, self.dtype)
        if self.array is None:
            return np.asarray(result, order="C")
        self.array[...] = result
        return self.array

    def store_parts(self, parts):
        """Writes a complex result, given its real and imaginary part."""
        # Both parts are computed before one is written, as they may read the same array.
        return self.store(joined(*parts, self.dtype))


def joined(real, imaginary, dtype):
    """A complex array of two parts."""
    made = real.astype(dtype)
    made.imag[...] = imaginary
    return made


def cast(x, dtype):
    """An array in another dtype, as C casts numbers: without their fractions."""
    dtype = np.dtype(dtype)
    if x.dtype == dtype:
        return x
    if dtype.kind == "b":
        # A bool of C is a byte.
        x = x.astype(np.int64) if x.dtype.kind == "f" else x
        return x.astype(np.uint8) != 0
    return x.astype(dtype)


def parts_of(cval):
    """The real and the imaginary part of a number outside of a complex image."""
    number = host(cval)[()]
    if getattr(number, "dtype", None) is None or number.dtype.kind not in "biufc":
        raise refuse("there has to be a number outside of an image", TypeError, "type")
    return float(number.real), float(number.imag)


def number(cval):
    """A number outside of an image."""
    cval = host(cval)[()]
    if getattr(cval, "dtype", None) is None or cval.dtype.kind not in "biuf":
        text = "the number outside of a real image has to be real"
        raise refuse(text, TypeError, "type")
    return float(cval)


def further(arguments, keywords):
    """Checks the further arguments of a function of the program; the keywords are returned."""
    if not isinstance(arguments, tuple):
        raise refuse("extra_arguments must be a tuple", RuntimeError, "type")
    if keywords is not None and not isinstance(keywords, dict):
        raise refuse("extra_keywords must be a dictionary", RuntimeError, "type")
    return {} if keywords is None else keywords


def check_window(window, axes, ndim, name="footprint"):
    """Checks that a window has extents along all axes of an image."""
    if sum(extent > 0 for extent in window.shape) != ndim:
        text = f"{name}.ndim ({window.ndim}) must match len(axes) ({len(axes)})"
        raise refuse(text, RuntimeError, "together")


def footprint_of(size, footprint, axes, ndim):
    """The footprint of a filter that takes a size or a footprint, with all axes of the image."""
    import numpy

    if footprint is not None:
        footprint = host(footprint, bool)
    elif size is not None:
        footprint = numpy.ones(sequence(size, len(axes)), bool)
    else:
        raise refuse("no footprint or filter size provided")
    return expanded(footprint, axes, ndim)


def warn_of_size(size, footprint, level=3):
    """Warns of a size that a footprint replaces."""
    if size is not None and footprint is not None:
        text = "ignoring size because footprint is set"
        warnings.warn(text, UserWarning, stacklevel=level + 1)
