"""Calls whose results SciPy leaves undefined, or computes wrongly, with the reasons: they are not
compared."""

import numpy

from .distributions import DISTRIBUTIONS

MORPHOLOGY = "closing dilation erosion fill_holes hit_or_miss opening propagation".split()
GREY = ("black_tophat white_tophat grey_closing grey_dilation grey_erosion grey_opening "
        "morphological_gradient morphological_laplace").split()

PIECES = ("Akima1DInterpolator", "BPoly", "CubicHermiteSpline", "CubicSpline", "PPoly",
          "PchipInterpolator")


def given(values, name):
    """An argument as SciPy receives it."""
    value = values.get(name)
    return value.theirs() if hasattr(value, "theirs") else value


def _has_odd_axis(values):
    axes = given(values, "axes")
    image = given(values, "input")
    return isinstance(axes, int) and not isinstance(axes, bool) and (
        not 0 <= axes < numpy.ndim(image))


def _moves_off(structure, origin):
    """Whether an origin moves a window, or its mirror image, off its element."""
    def is_off(extent, one):
        mirrored = -one - (extent % 2 == 0)
        return not (0 <= extent // 2 + one < extent and 0 <= extent // 2 + mirrored < extent)

    extents = numpy.shape(structure) if structure is not None else (3,) * 8
    origins = origin if isinstance(origin, (list, tuple)) else [origin] * len(extents)
    return any(not isinstance(one, int) or is_off(extent, one)
               for extent, one in zip(extents, origins))


def _has_far_origin(values):
    pairs = [("structure", "origin"), ("structure1", "origin1"), ("structure2", "origin2"),
             ("structure1", "origin2"), ("structure2", "origin1")]
    return any(_moves_off(given(values, one), given(values, other))
               for one, other in pairs if given(values, other) is not None)


def _have_other_shapes(values):
    one, other = given(values, "footprint"), given(values, "structure")
    return one is not None and other is not None and numpy.shape(one) != numpy.shape(other)


def _is_bool_with_heights(values):
    return numpy.asarray(given(values, "input")).dtype == bool and values.get("structure")


def _is_odd_metric(values):
    return "metric" in values and not isinstance(values["metric"], str)


def _reads_positions(values):
    return values.get("indices") is not None and values.get("return_indices")


def _is_negative(values):
    sampling = values.get("sampling")
    return sampling is not None and numpy.any(numpy.asarray(sampling) <= 0)


def _is_one_line(values):
    footprint, image = given(values, "footprint"), given(values, "input")
    return numpy.ndim(image) == 1 and (
        numpy.size(image) < 10 or values.get("output") is not None
        or footprint is not None and not numpy.all(footprint))


def _lacks_labels(values):
    labels, index = given(values, "labels"), given(values, "index")
    image = given(values, "input")
    if labels is None:
        return False
    return numpy.shape(labels) != numpy.shape(image) or index is not None and not numpy.isin(
        numpy.asarray(index), labels).all()


def _moves_passes(values):
    moves = any(numpy.any(given(values, name)) for name in ("origin", "origin1", "origin2")
                if values.get(name) is not None)
    return moves and values.get("iterations", -1) != 1 and not values.get("brute_force")


def _is_empty(values):
    return numpy.size(given(values, "input")) == 0


def _has_no_complex_element(values):
    output = given(values, "output")
    dtype = output.dtype if isinstance(output, numpy.ndarray) else numpy.dtype(output)
    image = numpy.asarray(given(values, "input"))
    return dtype.kind == "c" and image.dtype.kind != "c" and not image.size


def _has_other_axes(values):
    image, output = given(values, "input"), given(values, "output")
    shape = values.get("output_shape")
    shape = numpy.shape(output) if isinstance(output, numpy.ndarray) else shape
    return numpy.ndim(given(values, "matrix")) == 1 and shape is not None and (
        len(shape) != numpy.ndim(image))


def _has_none_of_two(values):
    one, other = given(values, "in1"), given(values, "in2")
    return numpy.size(one) == 0 or numpy.size(other) == 0


def _lacks_samples(values):
    return any(numpy.size(given(values, name)) == 0
               for name in ("x", "data", "im", "signal", "in1", "in2") if name in values)


def _is_view(values):
    x = given(values, "signal")
    return isinstance(x, numpy.ndarray) and not x.flags.c_contiguous


def _is_complex_and_odd(values):
    x = numpy.asarray(given(values, "x"))
    is_usual = values.get("orthogonalize") in (None, values.get("norm") == "ortho")
    return x.dtype.kind == "c" and not is_usual


def _has_no_real_element(values):
    """Whether a real result of a transform has no elements."""
    x, s = given(values, "x"), values.get("s", values.get("n"))
    if s is not None:
        return not numpy.all(numpy.asarray(s))
    axes = values.get("axes", values.get("axis", -1))
    last = axes[-1] if isinstance(axes, tuple) and axes else axes if isinstance(axes, int) else -1
    return numpy.shape(x)[last] == 1


def _is_below_zero(values):
    return numpy.any(numpy.asarray(given(values, "x0")) < 0)


def _has_zero_or_more(*names):
    def is_it(values):
        return any(numpy.any(numpy.asarray(given(values, one)) <= 0) or not numpy.all(
            numpy.isfinite(given(values, one))) for one in names if one in values)
    return is_it


def _is_small(values):
    nested = [one if isinstance(one, list) else [one] for one in values.values()]
    arrays = [one.array for some in nested for one in some if hasattr(one, "array")]
    return any(min(one.shape, default=0) < 5 for one in arrays)


def object_of(values):
    """The arguments of the object whose method is called."""
    return values["self"].draws.values


def _is_complex(name):
    """Whether an argument of the object is complex."""
    return lambda values: numpy.asarray(given(object_of(values), name)).dtype.kind == "c"


def _is_beyond_degree(values):
    c, axis = given(object_of(values), "c"), object_of(values).get("axis", 0)
    return values.get("nu", 0) > numpy.shape(c)[axis]


def _prepends_another_degree(values):
    made = object_of(values)
    # The other objects are cubic.
    degrees = numpy.shape(given(made, "c"))[made.get("axis", 0)] if "c" in made else 4
    return degrees != numpy.shape(given(values, "c"))[0]


def _is_of_other_ends(values):
    """Whether an order needs more derivatives of the first point than the second one has."""
    counts, orders = [numpy.shape(one.theirs())[0] for one in values["yi"]], values.get("orders")
    if orders is None:
        return False
    for one, other in zip(counts, counts[1:]):
        last = min(orders + 1 - min((orders + 1) // 2, one), other)
        if min(orders + 1 - last, other) != min(orders + 1 - last, one):
            return True
    return False


def _descends(values):
    x = given(object_of(values), "x")
    return x[0] > x[-1]


def _is_whole_on_descending_grid(values):
    made = values if "self" not in values else object_of(values)
    return numpy.asarray(given(made, "values")).dtype.kind not in "fc" and any(
        one.array[0] > one.array[-1] for one in made["points"])


def _is_complex_and_monotone(values):
    made = values if "self" not in values else object_of(values)
    return given(made, "values").dtype.kind == "c" and "pchip" in (
        made.get("method"), values.get("method"))


def _has_complex_zero(values):
    c = given(object_of(values), "c")
    return c.dtype.kind == "c" and any(
        order > len(t.array) - extent - 1 for order, t, extent in zip(
            values["nu"], object_of(values)["t"], c.shape))


def _are_flat(values):
    one, other = (numpy.asarray(given(values, name), float) for name in ("data1", "data2"))
    product = (one - one.mean(0)).T @ (other - other.mean(0))
    return numpy.linalg.matrix_rank(product) < len(product)


# The area, the names of functions or None for all, a test of the arguments, and the reason.
UNDEFINED = [
    ("ndimage", None, _has_odd_axis,
     "SciPy does not check a single axis, nor count it from the last one"),
    ("ndimage", [f"binary_{name}" for name in MORPHOLOGY], _has_far_origin,
     "SciPy does not check origins that are negative, and reads other memory"),
    ("ndimage", [f"binary_{name}" for name in MORPHOLOGY if name != "hit_or_miss"], _moves_passes,
     "SciPy's search for changed elements writes to other memory if the structure is moved"),
    ("ndimage", "affine_transform geometric_transform map_coordinates rotate shift zoom".split(),
     _is_empty, "an image without elements has none at a point"),
    ("ndimage", [f"fourier_{name}" for name in ("ellipsoid", "gaussian", "shift", "uniform")],
     lambda values: values.get("n") == 0, "a transform of no elements"),
    ("ndimage", None, _has_no_complex_element,
     "SciPy refuses a complex result of a real image when it writes the first element"),
    ("ndimage", ["affine_transform"], _has_other_axes,
     "SciPy reads a diagonal of as many axes as the result has"),
    ("ndimage", ["vectorized_filter"], _is_empty,
     "SciPy leaves the axes of a result without elements in another order"),
    ("ndimage", ["zoom"], lambda values: values.get("grid_mode") and numpy.iscomplexobj(
        given(values, "input")), "SciPy forgets `grid_mode` for complex images"),
    ("ndimage", GREY, lambda values: values.get("structure") is not None and values.get(
        "axes") is not None and numpy.size(values["axes"]) < numpy.ndim(given(values, "input")),
     "SciPy takes the axes of a structure for those of the image, and reads other memory"),
    ("ndimage", ["map_coordinates"], lambda values: not numpy.size(given(values, "coordinates")),
     "no points"),
    ("ndimage", GREY, _is_bool_with_heights,
     "SciPy stores other bytes than 0 and 1 in the image between the passes"),
    ("ndimage", ["distance_transform_cdt"], _is_odd_metric,
     "SciPy does not check the contents of a metric, and reads other memory"),
    ("ndimage", ["distance_transform_bf", "distance_transform_cdt"], _reads_positions,
     "SciPy takes the elements of `indices` for positions instead of writing positions"),
    ("ndimage", ["distance_transform_bf", "distance_transform_edt"], _is_negative,
     "distances between elements are positive"),
    ("ndimage", ["extrema", "maximum_position", "median", "minimum_position"], _lacks_labels,
     "SciPy returns the results of other labels for those that do not occur"),
    ("ndimage", ["median_filter", "percentile_filter", "rank_filter"], _is_one_line,
     "SciPy takes holes in the footprint of a line for elements, reads past short lines, and "
     "writes a result of another dtype as if it had that of the image"),
    ("ndimage", GREY, _have_other_shapes,
     "SciPy reads a structure by the shape of the footprint, past its end"),
    ("signal", ["convolve", "convolve2d", "correlate", "correlate2d"],
     _has_none_of_two,
     "SciPy's errors for arrays without elements are those of the operation that fails first"),
    ("signal", ["czt", "czt_points", "zoom_fft"],
     lambda values: isinstance(values.get("w"), (int, float)) and values["w"] <= 0,
     "SciPy's powers of real numbers that are not positive are NaN"),
    ("signal", ["sepfir2d"], lambda values: min(numpy.shape(given(values, "input"))) < 5,
     "SciPy reads past the ends of images shorter than a filter"),
    ("signal", ["cspline1d_eval", "qspline1d_eval"],
     lambda values: numpy.size(given(values, "cj")) < 3,
     "SciPy mirrors positions beyond the end of few coefficients without end"),
    ("signal", ["lombscargle"], lambda values: numpy.size(given(values, "x")) < 4,
     "a sine passes through so few samples, and SciPy divides rounding errors"),
    ("signal", ["correlate", "decimate", "detrend", "filtfilt", "lfilter", "savgol_filter",
                "sosfilt", "sosfiltfilt", "spectrogram", "upfirdn", "wiener"], _lacks_samples,
     "signals without samples meet errors of SciPy's that depend on the number of axes"),
    ("signal", ["cspline1d"], lambda values: numpy.size(given(values, "signal")) < 3,
     "SciPy filters signals without samples"),
    ("signal", ["symiirorder1", "symiirorder2"], _is_view,
     "SciPy reads views as if they were contiguous"),
    ("signal", ["envelope"], lambda values: (values.get("bp_in") or [0])[0] == -3,
     "SciPy allows a frequency below the lowest one"),
    ("signal", ["czt", "zoom_fft"], lambda values: values.get("a") == 0,
     "SciPy divides by zero"),
    ("signal", ["convolve2d", "correlate2d"],
     lambda values: "fillvalue" in values and values["fillvalue"] is None, "None is NaN to SciPy"),
    ("signal", ["spectrogram"], lambda values: values.get("fs", 1) < 0, "rates are positive"),
    ("signal", ["periodogram"], lambda values: values.get("nfft") == 0,
     "a spectrum without frequencies"),
    ("signal", ["argrelextrema", "argrelmax", "argrelmin"],
     lambda values: isinstance(values.get("mode"), int),
     "SciPy takes the numbers of NumPy's modes"),
    ("signal", ["istft"],
     lambda values: values.get("freq_axis", -2) % numpy.ndim(given(values, "Zxx")) == values.get(
         "time_axis", -1) % numpy.ndim(given(values, "Zxx")), "an axis is either of both"),
    ("signal", ["decimate", "filtfilt", "sosfiltfilt"],
     lambda values: numpy.asarray(given(values, "x")).dtype.kind == "u",
     "SciPy extends unsigned samples modulo 2**bits"),
    ("signal", ["filtfilt"],
     lambda values: values.get("method") == "gust" and numpy.size(given(values, "a")) != numpy.size(
         given(values, "b")), "SciPy inverts a singular matrix"),
    ("signal", ["istft"], lambda values: values.get("nperseg") == 1,
     "SciPy cuts off all samples as those of the ends of segments of one sample"),
    ("signal", ["medfilt", "medfilt2d"],
     lambda values: numpy.any(numpy.asarray(values.get("kernel_size")) < 0),
     "SciPy takes negative sizes"),
    ("signal", ["upfirdn", "resample_poly"],
     lambda values: numpy.shape(given(values, "x"))[values.get("axis", -1 if "h" in values else 0)]
     < 2 and ("mode" in values or "padtype" in values),
     "SciPy divides by the number of intervals of a signal to extend it"),
    ("fft", None, lambda values: any(one in values and numpy.size(values[one]) == 0
                                     for one in ("axes", "s")),
     "SciPy returns the array itself, of any dtype"),
    ("special", ["modfresnelm", "modfresnelp"], _is_below_zero,
     "SciPy's integrals of negative numbers have wrong imaginary parts"),
    ("special", "hankel1 hankel1e hankel2 hankel2e h1vp h2vp".split(),
     _has_zero_or_more("x1", "z"), "SciPy's NaN or infinity at a pole depends on the order"),
    ("special", ["modfresnelm", "modfresnelp"],
     lambda values: numpy.asarray(given(values, "x0")).dtype.itemsize < 8,
     "SciPy's loop of 32-bit floats returns NaN"),
    ("special", ["lambertw"], lambda values: numpy.any(numpy.isnan(given(values, "z"))),
     "either part of NaN"),
    ("special", ["hyp2f1", "eval_chebyc", "eval_sh_jacobi", "it2j0y0"],
     _has_zero_or_more("x0", "x1", "x2", "x3"), "the sign of infinity at a pole"),
    ("spatial.distance", ["directed_hausdorff"], lambda values: not (
        numpy.size(given(values, "u")) and numpy.size(given(values, "v"))),
     "SciPy returns numbers of points that it has not set"),
    ("spatial.distance", ["num_obs_dm", "is_valid_dm"],
     lambda values: len(set(numpy.shape(given(values, "d" if "d" in values else "D")))) > 1,
     "SciPy compares the elements of a matrix that is not square with their mirror images first"),
    ("spatial.distance", ["russellrao"],
     lambda values: numpy.shape(given(values, "u")) != numpy.shape(given(values, "v")),
     "SciPy divides by the length of the first vector"),
    ("spatial.distance", ["cosine", "correlation"],
     lambda values: any(numpy.asarray(given(values, one)).dtype.kind in "bu" for one in "uv"),
     "SciPy's products of short integers overflow"),
    ("integrate", ["simpson"], lambda values: not numpy.size(given(values, "y")),
     "SciPy's errors for no samples depend on the number of axes"),
    ("integrate", ["trapezoid", "romb", "cumulative_trapezoid"],
     lambda values: numpy.asarray(given(values, "y")).dtype.itemsize == 1,
     "SciPy's sums of short integers overflow"),
    ("integrate", None, lambda values: "x" in values and not numpy.size(given(values, "x")),
     "places of no samples"),
    ("fft", "dct dctn dst dstn idct idctn idst idstn".split(), _is_complex_and_odd,
     "SciPy forgets `orthogonalize` for complex numbers"),
    ("fft", "hfft hfft2 hfftn irfft irfft2 irfftn".split(), _has_no_real_element,
     "SciPy returns one element where there is none"),
    ("stats", ["spearmanr"],
     lambda values: isinstance(values.get("axis"), int) and values["axis"] < 0,
     "SciPy does not count the axis from the last one"),
    ("stats", None, lambda values: any(isinstance(one, str) and one == "none"
                                       for one in values.values()) and _is_small(values),
     "SciPy checks options after it returns NaN for small samples"),
    ("stats", ["obrientransform"], lambda values: any(
        one.array.dtype == "float32" for one in values["samples"]),
     "SciPy checks the rounding of 32-bit floats by the precision of 64-bit ones"),
    ("stats", ["expectile", "siegelslopes", "relfreq", "cumfreq", "zmap"], _is_small,
     "the dtype of results of few elements follows from the branch that is taken"),
    ("stats", ["spearmanr"], lambda values: 1 in numpy.shape(given(values, "a")),
     "SciPy returns one NaN for samples of one element"),
    ("stats", ["kendalltau", "kstatvar", "kstat", "ttest_ind", "weightedtau", "f_oneway",
               "quantile", "gstd", "epps_singleton_2samp", "false_discovery_control", "mode",
               "tmin", "ks_2samp",
               "ttest_1samp", "kurtosistest", "mannwhitneyu", "wilcoxon", "moment", "pearsonr",
               "mood", "sem", "ttest_rel", "ranksums", "bartlett", "scoreatpercentile", "spearmanr",
               "cramervonmises_2samp", "entropy", "linregress", "probplot", "differential_entropy"],
     _is_small, "statistics of fewer than five elements follow from SciPy's order of checks"),
    ("stats", ["f_oneway"], lambda values: len(values["samples"]) < 2, "no samples to compare"),
    ("stats", ["spearmanrho"], lambda values: len(set(numpy.shape(given(values, "x")))) and
     min(numpy.shape(given(values, "x"))) < 4,
     "correlations of 1 that are rounded have p-values that are not 0"),
    ("interpolate", ["spalde", "splev"], lambda values: not numpy.size(given(values, "x")),
     "no places"),
    ("spatial.transform", ["Rotation.__getitem__", "RigidTransform.__getitem__"],
     lambda values: values["indexer"] is Ellipsis or isinstance(values["indexer"], tuple),
     "SciPy adds another ellipsis, and takes a tuple for an array"),
    ("spatial.transform", ["RigidTransform.concatenate"],
     lambda values: values["transforms"] == [], "no transforms"),
    ("spatial.transform", ["Rotation.reduce"],
     lambda values: numpy.ndim(given(object_of(values), "quat")) > 2 or not numpy.size(given(
         object_of(values), "quat")), "SciPy reduces a vector of rotations"),
    ("spatial.transform", ["Rotation.from_matrix"],
     lambda values: numpy.ndim(given(values, "matrix")) > 3, "SciPy changes its argument"),
    ("spatial", ["KDTree.count_neighbors", "cKDTree.count_neighbors"],
     lambda values: values["r"] is None, "None is NaN to SciPy"),
    ("spatial", ["cKDTree.query"], lambda values: isinstance(values.get("k"), float),
     "SciPy takes a fraction for the last number of an array"),
    ("spatial", ["procrustes"], _are_flat, "rotations of flat points have a free direction"),
    ("integrate", ["solve_ivp"], lambda values: values.get("t_eval") is not None and (
        not numpy.size(given(values, "t_eval")) or values["t_span"][0] == values["t_span"][1]),
     "SciPy returns lists for no moments"),
    ("interpolate", ["BSpline.integrate"], _is_complex("c"),
     "SciPy's integral refuses complex coefficients by an accident of dtypes"),
    ("interpolate", ["BSpline.design_matrix", "NdBSpline.design_matrix"],
     lambda values: not numpy.size(given(values, "x" if "x" in values else "xvals")), "no places"),
    ("interpolate", [f"{name}.extend" for name in PIECES], _prepends_another_degree,
     "SciPy takes the degrees of both for each other's if it extends to the left"),
    ("interpolate", [f"{name}.{method}" for name in PIECES if name != "BPoly"
                     for method in ("roots", "solve")],
     lambda values: _descends(values) and values.get("extrapolate") is not False,
     "SciPy misses roots of the first of pieces that descend if it extrapolates"),
    ("interpolate", ["BPoly.from_derivatives"], _is_of_other_ends,
     "SciPy limits the derivatives of the first point by the number of the second one's"),
    ("interpolate", [f"{name}.integrate" for name in PIECES],
     lambda values: "periodic" in (values.get("extrapolate"), object_of(values).get(
         "extrapolate")) and _descends(values), "SciPy's periods ascend"),
    ("interpolate", ["RegularGridInterpolator", "RegularGridInterpolator.__call__"],
     _is_whole_on_descending_grid, "SciPy forgets that it has made whole numbers floats"),
    ("interpolate", ["RegularGridInterpolator", "RegularGridInterpolator.__call__"],
     _is_complex_and_monotone, "here the parts of complex values are interpolated"),
    ("interpolate", ["NdBSpline.derivative"], _has_complex_zero, "SciPy's zero is real"),
    ("interpolate", ["krogh_interpolate"], lambda values: isinstance(values.get("der"), tuple),
     "SciPy takes a tuple of orders for an index"),
    ("interpolate", ["BPoly.__call__"], _is_beyond_degree,
     "SciPy makes an array of a negative extent"),
    ("interpolate", [f"{name}BivariateSpline.partial_derivative" for name in (
        "LSQ", "Rect", "Smooth")],
     lambda values: values["dx"] >= object_of(values).get("ky", 3),
     "SciPy compares an order with the degree of the other axis"),
    ("linalg", ["rq"], lambda values: not numpy.size(given(values, "a")), "no elements"),
    ("linalg", ["polar"], lambda values: numpy.any(numpy.linalg.matrix_rank(given(
        values, "a")) < min(numpy.shape(given(values, "a"))[-2:])),
     "a singular matrix has many unitary factors"),
    ("signal", [f"ShortTimeFFT.{name}" for name in ("stft", "stft_detrend", "spectrogram")],
     lambda values: values.get("padding") in ("even", "odd") and values.get("p1") is not None,
     "SciPy mirrors the part of a signal before the last slice, and that several times"),
    ("signal", ["ShortTimeFFT.stft_detrend", "ShortTimeFFT.spectrogram"], _lacks_samples,
     "SciPy's trend of no samples is an error of LAPACK"),
    ("stats", ["gaussian_kde.set_bandwidth", "gaussian_kde"],
     lambda values: values.get("bw_method") in (0, -1), "densities have a width"),
    ("stats", ["lmoment"],
     lambda values: values.get("keepdims") and not isinstance(values.get("order"), int),
     "SciPy counts the axis of orders among those of the sample"),
    ("stats", [f"{name}.{method}" for name in DISTRIBUTIONS for method in ("cdf", "sf")],
     lambda values: any(isinstance(one, complex) for one in values.values()),
     "SciPy's errors for complex numbers are those of the operation that fails first"),
    ("stats", ["moment"], lambda values: values.get("order", 1) == -1,
     "orders are not negative"),
    ("stats", ["ttest_ind_from_stats"], lambda values: 1 in (values["nobs1"], values["nobs2"]),
     "one observation has no variance"),
    ("stats", ["combine_pvalues"], lambda values: numpy.any(numpy.asarray(
        given(values, "pvalues")) > 1), "probabilities are at most 1"),
    ("stats", ["power_divergence", "weightedtau"],
     lambda values: numpy.asarray(given(values, "f_obs" if "f_obs" in values else "x")).dtype
     == "float32", "the dtype of NaN is that of the branch that returns it"),
    ("special", ["mathieu_modcem1", "mathieu_modcem2", "mathieu_modsem1", "mathieu_modsem2"],
     lambda values: _has_zero_or_more("x0", "x1", "x2")(values) or any(numpy.asarray(given(
         values, one)).dtype.kind in "biu" for one in ("x1", "x2")),
     "SciPy returns numbers, bounds or NaN where a parameter is 0"),
    ("stats", "cramervonmises kstest ks_1samp describe theilslopes kruskal".split(), _is_small,
     "results of fewer than five elements follow from SciPy's order of checks"),
]


def undefined(area, name, values):
    """The reason for which a call is not compared, or None."""
    for one, names, is_it, reason in UNDEFINED:
        if one == area and (names is None or name in names):
            try:
                if is_it(values):
                    return reason
            except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError):
                # A wrong argument.
                continue
    return None
