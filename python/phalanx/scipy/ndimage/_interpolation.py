"""Images at other points: shifted, zoomed, rotated and mapped."""

import math
import operator
import warnings

import phalanx as np

from ._described import ON_HOST, RECORDED, described
from ._parameters import POINT_MODE, SPLINE_ORDER
from ._sampling import PADDING, along_axes, at_points, rounded
from ._spline import coefficients
from ._support import Output, array, further, host, number, parts_of, refuse, sequence

_RETURNS = "ndarray: The image at the points; `output`, if it is an array."
_REFUSED = {
    "RuntimeError": "The order, the mode or the shape of an argument is not allowed.",
    "ValueError": "The axes or the last row of the matrix are not allowed.",
    "TypeError": "Coordinates are complex.",
}
_MODES = {
    "nearest": "nearest", "wrap": "wrap", "reflect": "reflect", "grid-mirror": "reflect",
    "mirror": "mirror", "constant": "constant", "grid-wrap": "grid-wrap",
    "grid-constant": "grid-constant",
    # CuPy's: the conventions of OpenCV.
    "opencv": "opencv",
}
_GATHERED = (
    f"{RECORDED} Images of up to 256 MiB, on GPUs of up to 2 GiB, are copied to every device; "
    "elements of larger ones are requested from their owners, if there are several devices."
)


def _interpolated(function):
    return described(_RETURNS, _REFUSED, _GATHERED, order=SPLINE_ORDER, mode=POINT_MODE)(function)


def _image(input, order):
    if not 0 <= order <= 5:
        raise refuse(f"spline order not supported: {order}")
    return array(input)


def _checked(input, order, mode):
    input = _image(input, order)
    if input.ndim < 1:
        raise refuse("input and output rank must be > 0")
    found = _MODES.get(mode) if isinstance(mode, str) else None
    if found is None:
        raise refuse(f"boundary mode not supported: {mode!r}", RuntimeError, "choice")
    return input, found


def _filtered(image, order, mode, cval, prefilter, axes=None):
    """The coefficients of an image, and the number of elements that were added at each end."""
    if not prefilter or order < 2:
        return image, 0
    axes = range(image.ndim) if axes is None else axes
    padding = PADDING if mode in ("nearest", "grid-constant") else 0
    if padding:
        widths = [(padding, padding) if axis in axes else (0, 0) for axis in range(image.ndim)]
        if mode == "nearest":
            image = np.pad(image, widths, mode="edge")
        else:
            # SciPy converts the number to the dtype of the image.
            outside = host(cval).astype(image.dtype)[()]
            image = np.pad(image, widths, constant_values=outside)
    return coefficients(image, order, mode, axes), padding


def _by_parts(compute, input, output, shape, cval):
    """The result of a function of a real image and of the number outside of it."""
    target = Output(output, input, shape, is_complex=input.dtype.kind == "c")
    if 0 in target.shape:
        return target.store(np.zeros(target.shape, target.dtype))
    if input.size == 0:
        return target.store(np.full(target.shape, host(cval)[()]))
    # The values of an image of float32 have that dtype; others are rounded once.
    is_narrow = target.dtype.char in "efF" or target.dtype.name == "bfloat16"

    def wide(image):
        return image if is_narrow or image.dtype.kind != "f" else image.astype(np.float64)

    if input.dtype.kind != "c":
        return target.store(rounded(compute(wide(input), number(cval)), target.dtype))
    of_real, of_imag = parts_of(cval)
    parts = compute(wide(input.real), of_real), compute(wide(input.imag), of_imag)
    return target.store_parts(parts)


@_interpolated
def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0,
                    prefilter=True):
    """The values of an image at points."""
    input, mode = _checked(input, order, mode)
    coordinates = array(coordinates)
    if coordinates.dtype.kind == "c":
        raise refuse("Complex type not supported", TypeError, "type")
    if coordinates.ndim < 2:
        raise refuse("input and output rank must be > 0")
    if coordinates.shape[0] != input.ndim:
        raise refuse("invalid shape for coordinate array", RuntimeError, "together")
    if coordinates.dtype != np.float32:
        coordinates = coordinates.astype(np.float64, copy=False)
    shape = coordinates.shape[1:]
    return _at_points(input, [coordinates], shape, output, order, mode, cval, prefilter)


def _at_points(input, points, shape, output, order, mode, cval, prefilter):
    """The values at points, whose coordinates are those of `at_points`."""

    def compute(image, cval):
        filtered, padding = _filtered(image, order, mode, cval, prefilter)
        return at_points(filtered, _moved(points, padding), order, mode, cval)

    return _by_parts(compute, input, output, shape, cval)


def _moved(points, padding):
    """Points in an image that has more elements at each end."""
    if not padding:
        return points
    return [part.astype(np.float64, copy=False) + float(padding) for part in points]


def _grid(extents):
    """The coordinates of the points of a grid, as arrays that broadcast."""
    made = []
    for axis, extent in enumerate(extents):
        shape = [1] * len(extents)
        shape[axis] = -1
        made.append(np.arange(extent, dtype=np.float64).reshape(shape))
    return made


@described(_RETURNS, _REFUSED, ON_HOST, order=SPLINE_ORDER, mode=POINT_MODE)
def geometric_transform(input, mapping, output_shape=None, output=None, order=3, mode="constant",
                        cval=0.0, prefilter=True, extra_arguments=(), extra_keywords=None):
    """An image at points that a function of the program computes."""
    import numpy

    keywords = further(extra_arguments, extra_keywords)
    input, mode = _checked(input, order, mode)
    if not callable(mapping):
        raise refuse(f"the mapping is no function: {mapping!r}", ValueError, "type")
    shape = input.shape if output_shape is None else tuple(output_shape)
    if len(shape) < 1:
        raise refuse("input and output rank must be > 0")
    points = numpy.empty((input.ndim, math.prod(shape)))
    for place, at in enumerate(numpy.ndindex(*shape)):
        # More coordinates than the image has axes are left out, as in SciPy.
        points[:, place] = mapping(at, *extra_arguments, **keywords)[: input.ndim]
    points = [np.asarray(points.reshape(input.ndim, *shape))]
    return _at_points(input, points, shape, output, order, mode, cval, prefilter)


def _check_texture(input, matrix, output_shape, output, mode):
    """Refuses what CuPy cannot interpolate by textures."""
    input, matrix = array(input), host(matrix)
    ndim = input.ndim
    shape = input.shape if output_shape is None else tuple(output_shape)
    written = output.shape if isinstance(output, np.ndarray) else shape
    is_usual = (
        ndim in (2, 3)
        and input.dtype == np.float32
        and matrix.shape == (ndim + 1, ndim + 1)
        and mode in ("constant", "nearest")
        and (not isinstance(output, str) or output in ("f", "float32"))
        and len(shape) == ndim
        and written == shape
    )
    if not is_usual:
        raise refuse(
            "texture_memory needs an image of float32 with two or three axes, a homogeneous "
            "matrix, a result of as many axes, and the mode 'constant' or 'nearest'",
            ValueError,
        )


@described(
    _RETURNS, _REFUSED, _GATHERED, order=SPLINE_ORDER, mode=POINT_MODE,
    texture_memory=("bool", "As CuPy's: the arguments must be those of textures, and an order "
                    "above 1 is 1. Textures, whose results have fewer digits, are not used."),
)
def affine_transform(input, matrix, offset=0.0, output_shape=None, output=None, order=3,
                     mode="constant", cval=0.0, prefilter=True, *, texture_memory=False):
    """An image at points that a matrix and an offset map the elements of the result to."""
    import numpy

    if texture_memory:
        _check_texture(input, matrix, output_shape, output, mode)
        # Textures interpolate linearly at most.
        order = min(order, 1)
    input, mode = _checked(input, order, mode)
    ndim = input.ndim
    if output_shape is None:
        output_shape = output.shape if isinstance(output, np.ndarray) else input.shape
    shape = tuple(output_shape)
    if len(shape) < 1:
        raise refuse("input and output rank must be > 0")
    matrix = host(matrix, numpy.float64)
    if matrix.ndim not in (1, 2) or matrix.shape[0] < 1:
        raise refuse("no proper affine matrix provided")
    if matrix.ndim == 2 and matrix.shape[1] == ndim + 1 and matrix.shape[0] in (ndim, ndim + 1):
        if matrix.shape[0] == ndim + 1 and any(matrix[ndim] != [0] * ndim + [1]):
            text = f"the last row of a homogeneous matrix is 0 ... 0 1, not {matrix[ndim]}"
            raise refuse(text, ValueError)
        offset, matrix = matrix[:ndim, ndim], matrix[:ndim, :ndim]
    if mode == "opencv":
        matrix, offset = _inverse(matrix, numpy.asarray(sequence(offset, ndim), numpy.float64))
    if matrix.shape[0] != ndim:
        raise refuse("affine matrix has wrong number of rows", RuntimeError, "together")
    if matrix.ndim == 2 and matrix.shape[1] != len(shape):
        raise refuse("affine matrix has wrong number of columns", RuntimeError, "together")
    offset = numpy.asarray(sequence(offset, ndim), numpy.float64)
    if matrix.ndim == 1 and len(shape) != ndim:
        text = "a diagonal maps as many axes as the image has"
        raise refuse(text, RuntimeError, "together")
    if matrix.ndim == 1:
        with numpy.errstate(all="ignore"):
            shift = offset / matrix
        lines = [_Line(matrix[axis], shift[axis]) for axis in range(ndim)]
        return _along_axes(input, lines, shape, output, order, mode, cval, prefilter)
    diagonal = numpy.diagonal(matrix)
    if len(shape) == ndim and not (matrix - numpy.diag(diagonal)).any():
        lines = [_Line(diagonal[axis], 0.0, offset[axis]) for axis in range(ndim)]
        return _along_axes(input, lines, shape, output, order, mode, cval, prefilter)
    points = _mapped_grid(matrix, offset, shape)
    return _at_points(input, points, shape, output, order, mode, cval, prefilter)


def _inverse(matrix, offset):
    """The map of OpenCV, which leads from the image to the result and has the columns first."""
    import numpy

    matrix = numpy.diag(matrix) if matrix.ndim == 1 else matrix
    if len(offset) < 2 or matrix.shape != (len(offset),) * 2:
        text = "mode 'opencv' needs a square matrix for at least two axes"
        raise refuse(text, RuntimeError, "together")
    matrix = numpy.linalg.inv(matrix)
    order = [1, 0, *range(2, len(offset))]
    return matrix[order][:, order], -(matrix @ offset)[order]


def _mapped_grid(matrix, offset, shape):
    """The points to which a matrix and an offset map those of a grid."""
    grid, points = _grid(shape), []
    for row, start in zip(matrix, offset):
        point = float(start)
        for factor, x in zip(row, grid):
            point = point + x * float(factor)
        points.append(point[None])
    return points


class _Line:
    """The points along an axis: the elements of the result, shifted, scaled and moved."""

    def __init__(self, scale=1.0, shift=0.0, offset=0.0, is_grid=False):
        self.scale, self.shift, self.offset = float(scale), float(shift), float(offset)
        self.is_grid = is_grid

    def is_plain(self):
        """Whether the points are elements of the image."""
        return self.scale == 1.0 and self.shift == 0.0 and self.offset == 0.0

    def points(self, extent):
        x = np.arange(extent, dtype=np.float64)
        x = x + self.shift if self.shift != 0.0 else x
        x = (x + 0.5) * self.scale - 0.5 if self.is_grid else x * self.scale
        return x + self.offset if self.offset != 0.0 else x


def _along_axes(input, lines, shape, output, order, mode, cval, prefilter):
    """The values at the points of a grid whose axes are those of the image."""
    def compute(image, cval):
        # Along an axis where the points are elements, a spline has the values of the image.
        is_exact = prefilter or order < 2
        axes = [
            axis for axis, line in enumerate(lines)
            if not (is_exact and line.is_plain() and shape[axis] == image.shape[axis])
        ]
        filtered, padding = _filtered(image, order, mode, cval, prefilter, axes)
        points = [None] * len(lines)
        for axis in axes:
            x = lines[axis].points(shape[axis])
            points[axis] = x + float(padding) if padding else x
        return along_axes(filtered, points, order, mode, cval)

    return _by_parts(compute, input, output, shape, cval)


@_interpolated
def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """An image that is moved along its axes."""
    input, mode = _checked(input, order, mode)
    lines = [_Line(shift=-float(one)) for one in sequence(shift, input.ndim)]
    return _along_axes(input, lines, input.shape, output, order, mode, cval, prefilter)


@_interpolated
def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *,
         grid_mode=False):
    """An image with more or fewer elements along its axes."""
    given, input = mode, _image(input, order)
    if input.ndim < 1:
        raise refuse("input and output rank must be > 0")
    factors = [float(one) for one in sequence(zoom, input.ndim)]
    shape = tuple(int(round(extent * one)) for extent, one in zip(input.shape, factors))
    if all(one == 1 for one in factors) and prefilter:
        is_complex = input.dtype.kind == "c"
        return Output(output, input, shape, is_complex, may_widen=True).store(input)
    input, mode = _checked(input, order, mode)
    grid_mode = operator.index(grid_mode)
    if grid_mode and given in ("constant", "wrap"):
        warnings.warn(
            f"It is recommended to use mode = grid-{given} instead of {given} when grid_mode is "
            "True.",
            stacklevel=3,
        )
    if mode == "opencv":
        mode, grid_mode = "nearest", True
    less = 0 if grid_mode else 1
    lines = [
        _Line((extent - less) / (count - less) if count != less else 1.0, is_grid=grid_mode)
        for extent, count in zip(input.shape, shape)
    ]
    return _along_axes(input, lines, shape, output, order, mode, cval, prefilter)


def _turn(angle):
    """The cosine and the sine of an angle in degrees; exact for multiples of 90 degrees."""
    angle = float(host(angle)[()])
    size = math.fmod(abs(angle), 360.0)
    quarters = math.floor(size / 90.0 + 0.5)
    rest = math.radians(size - 90.0 * quarters)
    cosine, sine = math.cos(rest), math.sin(rest)
    for _ in range(quarters % 4):
        cosine, sine = 0.0 - sine, cosine
    return cosine, sine if angle >= 0.0 else 0.0 - sine


@_interpolated
def rotate(input, angle, axes=(1, 0), reshape=True, output=None, order=3, mode="constant",
           cval=0.0, prefilter=True):
    """An image that is rotated in the plane of two axes."""
    import numpy

    input = array(input)
    ndim = input.ndim
    if ndim < 2:
        raise refuse("input array should be at least 2D", ValueError)
    axes = list(axes)
    if len(axes) != 2:
        raise refuse("axes should contain exactly two values", ValueError)
    if not all(float(axis).is_integer() for axis in axes):
        raise refuse("axes should contain only integer values", ValueError)
    axes = [int(axis) + (ndim if axis < 0 else 0) for axis in axes]
    if any(not 0 <= axis < ndim for axis in axes):
        raise refuse("invalid rotation plane specified", ValueError)
    axes.sort()
    input, mode = _checked(input, order, mode)
    cosine, sine = _turn(angle)
    matrix = numpy.array([[cosine, sine], [-sine, cosine]])
    of_image = numpy.array([input.shape[axis] for axis in axes])
    of_result = of_image
    if reshape:
        rows, columns = of_image
        corners = matrix @ [[0, 0, rows, rows], [0, columns, 0, columns]]
        of_result = (numpy.ptp(corners, axis=1) + 0.5).astype(int)
    offset = (of_image - 1) / 2 - matrix @ ((of_result - 1) / 2)
    shape = list(input.shape)
    shape[axes[0]], shape[axes[1]] = (int(extent) for extent in of_result)
    points = _mapped_grid(matrix, offset, tuple(shape[axis] for axis in axes))

    def compute(image, cval):
        # The plane becomes the last two axes; all others are independent of each other.
        filtered, padding = _filtered(image, order, mode, cval, prefilter, axes)
        filtered = np.moveaxis(filtered, axes, (-2, -1))
        values = at_points(filtered, _moved(points, padding), order, mode, cval)
        return np.moveaxis(values, (-2, -1), axes)

    return _by_parts(compute, input, output, shape, cval)
