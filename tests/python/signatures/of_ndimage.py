"""Images: parameters of ``scipy.ndimage``."""

import warnings

import numpy
import scipy.ndimage

from .drawing import NUMBERS, REAL, Array, Pair

# Images of float16 are computed here, and refused by SciPy.
ARRAYS = {"dtypes": REAL, "longest": 12, "rare": "int8 int16 uint16 int64 uint32".split()}
MODES = "reflect constant nearest mirror wrap grid-mirror grid-constant grid-wrap".split()
INTERPOLATING = "affine_transform geometric_transform map_coordinates rotate shift zoom".split()

# Functions whose results have the same bits for any blocks.
EXACT = set("""
affine_transform binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss
binary_opening binary_propagation black_tophat convolve convolve1d correlate correlate1d
distance_transform_bf distance_transform_cdt distance_transform_edt extrema find_objects
fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform gaussian_filter gaussian_filter1d
gaussian_gradient_magnitude gaussian_laplace generate_binary_structure generic_filter
generic_gradient_magnitude generic_laplace grey_closing grey_dilation grey_erosion grey_opening
histogram iterate_structure label laplace maximum maximum_filter maximum_filter1d maximum_position
median median_filter minimum minimum_filter minimum_filter1d minimum_position
morphological_gradient morphological_laplace percentile_filter prewitt rank_filter sobel
uniform_filter uniform_filter1d value_indices watershed_ift white_tophat
""".split())

# Functions that truncate sums of numbers that are rounded.
SUMMED = {*INTERPOLATING, *"""
convolve convolve1d correlate correlate1d gaussian_filter gaussian_filter1d gaussian_laplace
gaussian_gradient_magnitude generic_gradient_magnitude uniform_filter uniform_filter1d
spline_filter spline_filter1d
""".split()}
PASSES = set("gaussian_filter spline_filter uniform_filter gaussian_laplace".split())
# SciPy sums these in the dtype of the image.
COARSE = set("center_of_mass mean standard_deviation sum sum_labels variance".split())
LEFT_OUT = {}


def image(d):
    # SciPy takes complex images in most filters.
    return d.array(dtypes=NUMBERS if d.often(0.15) else None)


def output(d):
    """A dtype, or an array to write to."""
    if d.often(0.6):
        return d.one([float, "float32", numpy.int32, numpy.float64, "uint8", complex, bool, "d"])
    shape = d.first.shape if d.often(0.9) else (*d.first.shape, 2)
    return Array(numpy.zeros(shape, d.one([d.first.dtype, float, "f4", "i4", "c16"])))


def origin(d):
    return d.each_axis(lambda: d.one([0, 0, 1, -1, -1, 2, -3]))


def window(d):
    """The shape of a window: an axis is short or longer than the image."""
    axes = d.values.get("axes")
    count = len(axes) if isinstance(axes, tuple) else 1 if isinstance(axes, int) else d.first.ndim
    count = d.first.ndim if d.often(0.05) else count
    return tuple(d.one([1, 2, 3, 3, 3, 4, 5]) for _ in range(count))


def footprint(d):
    made = d.chance.random(window(d)) < 0.7
    if made.size and d.often(0.95):
        made.flat[d.whole(0, made.size - 1)] = True
    return d.laid(made)


def structure(d):
    return d.laid(d.elements(window(d), d.one(["int32", "float64"])))


def binary_structure(d):
    """Usually one that a label may have: symmetric, three elements along each axis."""
    ndim = d.first.ndim
    if d.often(0.6) and ndim:
        return Array(scipy.ndimage.generate_binary_structure(ndim, d.whole(1, ndim)))
    return footprint(d)


def weights(d):
    return d.laid(d.elements(window(d), d.one(["float64", "int32", "float32", "complex128"]
                                              if d.often(0.2) else ["float64"])))


def line(d):
    return d.array((d.whole(1, 6),), ["float64", "int32"])


def labels(d):
    shape = d.first.shape if d.often(0.93) else (3,)
    return d.laid(d.chance.integers(0, d.one([2, 4]), shape).astype(d.one(["i4", "i8", "u1"])))


def index(d):
    return d.one([None, 1, 0, 2, [1, 2], [0, 3, 1], 9, Array(numpy.array([1, 2, 3])),
                  Array(numpy.array([[1, 2], [0, 5]])), range(1, 3)])


def transformed(d):
    ndim = d.first.ndim
    made = numpy.eye(ndim) + numpy.round(d.chance.normal(size=(ndim, ndim)) * 0.3, 2)
    return Array(d.one([
        made, numpy.round(d.chance.uniform(0.5, 2, ndim), 2),
        numpy.column_stack([made, numpy.ones(ndim)]), made[:1]]))


def coordinates(d):
    shape = (d.first.ndim + d.often(0.04), *d.shape(1, 2))
    return d.laid(numpy.round(d.chance.uniform(-3, 12, shape), d.one([0, 2])))


def halves(place):
    return tuple(one * 0.5 + 0.75 for one in place)


def mirrored(place):
    return tuple(place[::-1])


def shape_of_output(d):
    return tuple(d.whole(1, 7) for _ in range(d.first.ndim + d.often(0.05)))


def smooth(d):
    return d.one([1, 0.5, 2.3, 0, 0.0001])


def indices(d):
    made = numpy.zeros((d.first.ndim, *d.first.shape), "i4")
    return Array(made if d.often(0.9) else made.astype("i8"))


def written(dtype):
    return lambda d: Array(numpy.zeros(d.first.shape, dtype if d.often(0.9) else "i8"))


def thin(d):
    """An image with a background of a good part."""
    return d.laid((d.chance.random(d.shape()) < d.one([0.5, 0.8])).astype(d.one(["?", "i4", "d"])))


def total(x):
    return x.sum()


def spread(x):
    return x.max() - x.min()


def of_window(d):
    return d.one([total, spread])


def slid(x, out):
    out[...] = x[: len(out)] - x[-len(out):]


def derivative(input, axis, output, mode, cval):
    return scipy.ndimage.sobel(input, axis, output, mode, cval)


def _of(name):
    import phalanx.scipy.ndimage

    return Pair(getattr(scipy.ndimage, name), getattr(phalanx.scipy.ndimage, name))


def reduced(d):
    import phalanx

    return d.one([Pair(getattr(numpy, one), getattr(phalanx, one)) for one in [
        "mean", "sum", "max", "median", "any"]])


def second(input, axis, output, mode, cval):
    return _second(scipy.ndimage, input, axis, output, mode, cval)


def _second(module, input, axis, output, mode, cval):
    return module.correlate1d(input, [1, -2, 1], axis, output, mode, cval, 0)


def second_of_ours(input, axis, output, mode, cval):
    import phalanx.scipy.ndimage

    return _second(phalanx.scipy.ndimage, input, axis, output, mode, cval)


PARAMETERS = {
    "input": image,
    "arr": lambda d: d.array(dtypes=["int32", "uint8", "bool"] if d.often(0.8) else None),
    "output": output,
    "mode": lambda d: "none" if d.often(0.02) else d.each_axis(lambda: d.one(MODES), 0.15),
    "origin": origin,
    "origin1": origin,
    "origin2": origin,
    "size": lambda d: d.each_axis(lambda: d.one([1, 2, 3, 3, 5, 4, 9, 0 if d.often(0.1) else 3])),
    "footprint": footprint,
    "structure": structure,
    "structure1": footprint,
    "structure2": footprint,
    "iterations": lambda d: d.one([1, 2, 3, -1, 0]),
    "mask": lambda d: d.laid(d.chance.random(d.first.shape if d.often(0.95) else (2,)) < 0.7),
    "border_value": lambda d: d.one([0, 1, 1, 2]),
    "brute_force": lambda d: d.often(0.5),
    "weights": weights,
    "labels": labels,
    "index": index,
    "matrix": transformed,
    "offset": lambda d: d.each_axis(d.number),
    "output_shape": shape_of_output,
    "order": lambda d: d.one([0, 1, 2, 3, 4, 5, 3, 6 if d.often(0.2) else 1]),
    "prefilter": lambda d: d.often(0.5),
    "mapping": lambda d: d.one([halves, mirrored, tuple]),
    "coordinates": coordinates,
    "angle": lambda d: d.one([0, 30, 45.5, 90, -120, 360]),
    "reshape": lambda d: d.often(0.5),
    "shift": lambda d: d.each_axis(lambda: d.one([0, 1, -2, 0.5, 1.25, -0.3, 9]), 0.5),
    "zoom": lambda d: d.each_axis(lambda: d.one([1, 2, 0.5, 1.7, 0.3, 3]), 0.5),
    "grid_mode": lambda d: d.often(0.5),
    "sigma": lambda d: d.each_axis(lambda: smooth(d)),
    "truncate": lambda d: d.one([4.0, 2, 1.5, 0.5]),
    "radius": lambda d: d.each_axis(lambda: d.one([0, 1, 2, 5, -1 if d.often(0.1) else 3])),
    "n": lambda d: d.one([-1, -1, 5, 8, 24]),
    "percentile": lambda d: d.one([0, 50, 30.5, 100, -20, 99, 110]),
    "rank": lambda d: d.one([0, 1, -1, 2, -2, 40 if d.often(0.2) else 3]),
    "connectivity": lambda d: d.one([0, 1, 2, 3, 5, -1]),
    "metric": lambda d: d.one(["euclidean", "taxicab", "chessboard", "cityblock", "chess", "none"]),
    "sampling": lambda d: d.each_axis(lambda: d.one([1, 2, 0.5, 1.7]), 0.5),
    "return_distances": lambda d: d.often(0.5),
    "return_indices": lambda d: d.often(0.5),
    "distances": written("f8"),
    "indices": indices,
    "max_label": lambda d: d.one([0, 1, 2, 50]),
    "min": lambda d: d.one([0, -2.5, 1]),
    "max": lambda d: d.one([3, 7.5, 20]),
    "bins": lambda d: d.one([1, 3, 10]),
    "func": lambda d: d.one([total, spread, len]),
    "out_dtype": lambda d: d.one([float, "i4", "f4"]),
    "default": lambda d: d.one([0, -1]),
    "pass_positions": lambda d: False,
    "ignore_value": lambda d: d.one([0, 1, 5]),
    "function": of_window,
    "filter_size": lambda d: d.one([1, 2, 3, 5, 9]),
    "extra_arguments": lambda d: (),
    "extra_keywords": lambda d: d.one([None, {}]),
    "derivative": lambda d: d.one([_of("sobel"), _of("prewitt")]),
    "derivative2": lambda d: Pair(second, second_of_ours),
    "markers": lambda d: d.laid(d.chance.integers(-1, 3, d.first.shape).astype(
        d.one(["i4", "i1", "i2", "i8"]))),
    "batch_memory": lambda d: d.one([2**30, 2000]),
}

BINARY = {"input": thin, "structure": binary_structure}
LINE = {"weights": line, "origin": lambda d: d.one([0, 0, 1, -1, 2, -3]),
        "size": lambda d: d.one([1, 2, 3, 4, 5, 9, 30, 0]), "mode": lambda d: d.one(MODES),
        "OFTEN": {}}
DISTANCE = {"input": thin, "OFTEN": {"distances": 0.1, "indices": 0.1}}
MORPHOLOGICAL = {"OFTEN": {"size": 0.6}}
OWN = {
    **{f"binary_{name}": BINARY for name in [
        "closing", "dilation", "erosion", "fill_holes", "hit_or_miss", "opening", "propagation"]},
    **{name: LINE for name in ["convolve1d", "correlate1d", "maximum_filter1d", "minimum_filter1d",
                               "uniform_filter1d", "generic_filter1d", "gaussian_filter1d"]},
    **{f"distance_transform_{name}": DISTANCE for name in ["bf", "cdt", "edt"]},
    **{name: MORPHOLOGICAL for name in [
        "black_tophat", "white_tophat", "grey_closing", "grey_dilation", "grey_erosion",
        "grey_opening", "morphological_gradient", "morphological_laplace", "maximum_filter",
        "minimum_filter", "median_filter", "percentile_filter", "rank_filter", "generic_filter"]},
    "gaussian_filter1d": {**LINE, "sigma": smooth, "radius": lambda d: d.one([None, 0, 1, 3, -1])},
    "gaussian_filter": {"order": lambda d: d.each_axis(lambda: d.one([0, 0, 1, 2, 3]))},
    "generic_filter1d": {**LINE, "function": lambda d: slid},
    "label": {"input": thin, "structure": binary_structure,
              "output": lambda d: d.one([None, int, "u1", "i8", "f4",
                                         Array(numpy.zeros(d.first.shape, "i4"))])},
    **{name: {"input": lambda d: d.array()} for name in [
        "extrema", "histogram", "maximum", "median", "minimum"]},
    "maximum_position": {"input": lambda d: d.array()},
    "minimum_position": {"input": lambda d: d.array()},
    "find_objects": {"input": labels},
    "iterate_structure": {"structure": footprint,
                          "origin": lambda d: d.one([0, 1, [0] * d.first.ndim, (1, -1)])},
    "generate_binary_structure": {"rank": lambda d: d.one([0, 1, 2, 3, 4, -1])},
    "watershed_ift": {"input": lambda d: d.array(dtypes=["uint8", "uint16"]),
                      "structure": binary_structure},
    "vectorized_filter": {"function": reduced, "size": lambda d: d.each_axis(
        lambda: d.one([1, 2, 3, 5]), 0.4), "OFTEN": {"size": 0.8},
        "output": lambda d: Array(numpy.zeros(d.first.shape, d.one([float, "f4", "c16"]))),
        "mode": lambda d: d.one([*MODES, "valid"])},
    "rotate": {"axes": lambda d: d.one([(1, 0), (0, 1), (-1, -2), (0, 2), (0,)]),
               "input": lambda d: d.array(d.shape(2 if d.often(0.95) else 1, 3))},
    "fourier_ellipsoid": {"size": lambda d: d.each_axis(lambda: d.one([0.5, 2, 5.0, 0]))},
    "fourier_uniform": {"size": lambda d: d.each_axis(lambda: d.one([0.5, 2, 5.0, 0]))},
    **{name: {"input": lambda d: d.array(dtypes=["complex128", "complex64", "float64", "float32"]),
              **({"size": lambda d: d.each_axis(lambda: d.one([0.5, 2, 5.0, 0]))}
                 if name != "fourier_gaussian" else {})}
       for name in ["fourier_ellipsoid", "fourier_gaussian", "fourier_shift", "fourier_uniform"]},
}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    if name in INTERPOLATING or name.startswith("spline"):
        # SciPy's coefficients of short lines are rough if the image is reflected: its start of the
        # recursion leaves out terms of the size of pole**(2 * extent).
        is_rough = values.get("mode") in ("reflect", "grid-mirror", "nearest")
        return 2**45 if is_rough and values.get("order", 3) not in (0, 1) else 65536
    return 4096 if name.startswith(("fourier", "gaussian", "variance", "standard")) else 512


def _as_floats(name, values):
    """SciPy's result in 64-bit floats."""
    keywords = {key: one.theirs() if hasattr(one, "theirs") else one
                for key, one in values.items()} | {"output": float}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return numpy.asarray(getattr(scipy.ndimage, name)(**keywords))


def _are_as_near(name, values, found, expected):
    """Whether nearest elements that differ have the same distances."""
    image, sampling = values["input"].array != 0, values.get("sampling")
    sampling = numpy.asarray(1.0 if sampling is None else sampling)
    metric = values.get("metric", "chessboard" if name.endswith("cdt") else "euclidean")
    for key, one in expected.items():
        other = found[key]
        if not isinstance(one, numpy.ndarray) or numpy.array_equal(one, other):
            continue
        if one.shape != (image.ndim, *image.shape) or other.shape != one.shape:
            return False
        here = numpy.indices(image.shape)
        apart = [(abs(x - here).T * (sampling if metric == "euclidean" else 1)) for x in (
            one, other)]
        power = {"euclidean": 2, "chessboard": numpy.inf, "chess": numpy.inf}.get(metric, 1)
        near = [numpy.linalg.norm(x, power, -1) if image.ndim else x for x in apart]
        if not numpy.allclose(*near) or image[tuple(other)].any():
            return False
    return True


def _are_equal_elements(values, found, expected, starts):
    """Whether positions that differ have equal elements: SciPy's sort takes any of them."""
    if isinstance(found, Exception) or isinstance(expected, Exception):
        return False
    image = values["input"].array
    both = [numpy.array([one for key, one in sorted(parts.items()) if key.startswith(starts)
                         and isinstance(one, numpy.ndarray) and not key.startswith("argument")])
            for parts in (found, expected)]
    if both[0].shape != both[1].shape or not image.ndim:
        return False
    one, other = (image[tuple(x.reshape(-1, image.ndim).T)] for x in both)
    return numpy.array_equal(one, other)


def excuse(name, values, found, expected):
    """Whether integers differ where a sum that is truncated is near an integer; or the nearest
    elements are others at the same distances."""
    if name.endswith("_position") or name == "extrema":
        starts = (".2", ".3") if name == "extrema" else (".", "")
        return _are_equal_elements(values, found, expected, starts)
    if name.startswith("distance_transform") and isinstance(found, dict) and isinstance(
            expected, dict):
        return _are_as_near(name, values, found, expected)
    if name not in SUMMED or not isinstance(found, dict) or not isinstance(expected, dict):
        return False
    if list(found) != list(expected):
        return False
    for key, one in expected.items():
        other = found[key]
        if not isinstance(one, numpy.ndarray) or numpy.array_equal(one, other):
            continue
        if one.dtype.kind not in "iub" or one.shape != other.shape or one.dtype != other.dtype:
            return False
        if units(name, values) > 2**40:
            continue
        exact = _as_floats(name, values)
        if exact.shape != one.shape or exact.dtype.kind == "c":
            return False
        # Numbers that C converts in no defined way are left out.
        limits = numpy.iinfo("u1" if one.dtype.kind == "b" else one.dtype)
        places = (one != other) & (exact >= limits.min) & (exact <= limits.max)
        twice = 2 * exact[places]
        is_near = abs(twice - numpy.round(twice)).max(initial=0) < 1e-8
        # Integers that are stored after a pass along one axis differ a little after the others.
        modulus = 256 if one.dtype.itemsize == 1 else 2**16
        steps = (one[places].astype("i8") - other[places].astype("i8") + 3) % modulus
        is_little = name in PASSES and one.dtype.kind != "b" and steps.max(initial=0) <= 6
        if not is_near and not is_little:
            return False
    return True
